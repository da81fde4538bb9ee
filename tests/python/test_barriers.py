"""Shortest ways round barriers, against known lengths and the function without barriers."""

import gpuvoronoi
import numpy as np
import pytest

geopandas = pytest.importorskip("geopandas")
from shapely.geometry import LineString, Point, box  # noqa: E402

GRID = {"shape": (8, 8), "extent": (0, 0, 8, 8), "metric": "euclidean"}
SEEDS = (np.array([0.5, 7.5]), np.array([0.5, 7.5]))


def test_known_lengths():
    walls = geopandas.GeoSeries([LineString([(2, -1), (2, 6)]), box(4, 2, 6, 4)])
    found = gpuvoronoi.voronoi(SEEDS, barriers=walls, ids=[5, 9], dtype=np.float64, **GRID)
    ids, length, azimuth = (
        np.asarray(found[name]) for name in ("allocation", "proximity", "direction")
    )
    assert (
        (ids[4:6, 4:6] == -1).all() and (ids == -1).sum() == 4 and np.isnan(length[4:6, 4:6]).all()
    )
    assert ids[7, 2] == 5 and length[7, 2] == pytest.approx(np.hypot(1.5, 1.5) + np.hypot(0.5, 1.5))
    assert azimuth[7, 2] == pytest.approx(180 + np.degrees(np.arctan2(0.5, 1.5)), abs=1e-4)
    for workers in (1, 2):
        assert np.array_equal(
            gpuvoronoi.proximity(SEEDS, barriers=walls, dtype=np.float64, workers=workers, **GRID),
            length,
            equal_nan=True,
        )
    assert np.array_equal(
        gpuvoronoi.allocation(SEEDS, barriers=walls, max_distance=2, **GRID),
        np.where(length <= 2, np.where(ids == 5, 0, 1), -1),
    )
    mask = np.eye(8)
    assert np.array_equal(
        gpuvoronoi.allocation(SEEDS, barriers=walls, mask=mask, ids=[5, 9], **GRID),
        np.where(mask == 1, ids, -1),
    )


def test_none_and_far():
    plain = gpuvoronoi.proximity(SEEDS, **GRID)
    for walls in (
        geopandas.GeoSeries([], dtype="geometry"),
        geopandas.GeoSeries([LineString([(90, 90), (91, 91)])]),
    ):
        assert np.array_equal(gpuvoronoi.proximity(SEEDS, barriers=walls, **GRID), plain)


def test_refused():
    walls = geopandas.GeoSeries([LineString([(2, -1), (2, 6)])])
    with pytest.raises(ValueError, match="metric geodesic is not supported"):
        gpuvoronoi.allocation(SEEDS, barriers=walls, shape=(4, 8))
    with pytest.raises(ValueError, match="k are not supported"):
        gpuvoronoi.allocation(SEEDS, barriers=walls, k=2, **GRID)
    with pytest.raises(ValueError, match="points are not supported"):
        gpuvoronoi.allocation(SEEDS, barriers=geopandas.GeoSeries([Point(1, 1)]), **GRID)
    with pytest.raises(TypeError, match="barriers must be a GeoDataFrame"):
        gpuvoronoi.allocation(SEEDS, barriers=[1], **GRID)
    with pytest.raises(ValueError, match="backends are not supported"):
        gpuvoronoi.allocation(SEEDS, barriers=walls, backend="serial", **GRID)
    with pytest.raises(ValueError, match="tables"):
        gpuvoronoi.statistics(SEEDS, barriers=walls, **GRID)
