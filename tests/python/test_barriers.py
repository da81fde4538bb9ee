"""Shortest ways round barriers, against known lengths and the function without barriers."""

import gpuvoronoi
import numpy as np
import pytest

geopandas = pytest.importorskip("geopandas")
pyproj = pytest.importorskip("pyproj")
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


def test_globe():
    """A wall along the antimeridian, and one that the way to a cell does not meet if it is a great circle."""
    lon, lat = np.meshgrid(np.arange(152.0, 210, 4), np.arange(38.0, -40, -4))
    grid = {"shape": lat.shape, "extent": (150, -40, 210, 40), "crs": 4326}
    grid.update(metric="great-circle", dtype=np.float64)
    seed = (np.array([170.0]), np.array([1.0]))
    wall = geopandas.GeoSeries([LineString([(180, -20), (180, 20)])], crs=4326)
    found = np.asarray(gpuvoronoi.proximity(seed, barriers=wall, **grid))
    plain = np.asarray(gpuvoronoi.proximity(seed, **grid))
    ends = [
        np.asarray(gpuvoronoi.proximity((np.array([180.0]), np.array([y])), **grid))
        for y in (20.0, -20.0)
    ]
    radius, root = (2 * 6378137.0 + 6356752.314245179) / 3, np.sin(np.radians([9.5, 5.0, 10.5]))
    across = np.cos(np.radians(1)) * np.cos(np.radians(20)) * root[1] ** 2
    first = [2 * radius * np.arcsin(np.sqrt(root[i] ** 2 + across)) for i in (0, 2)]
    ways = np.minimum(ends[0] + first[0], ends[1] + first[1])
    east = (lon > 180) & (np.abs(lat) < 10)
    assert east.any() and np.allclose(found[east], ways[east], rtol=1e-12)
    assert np.array_equal(found[lon < 180], plain[lon < 180])
    # Geodesics: the same by PROJ's lengths.
    grid["metric"] = "geodesic"
    found = np.asarray(gpuvoronoi.proximity(seed, barriers=wall, **grid))
    geod = pyproj.Geod(ellps="WGS84")
    to_ends = [geod.inv(170.0, 1.0, 180.0, y)[2] for y in (20.0, -20.0)]
    flat = lon.ravel(), lat.ravel()
    ways = np.min(
        [
            to + np.reshape(geod.inv(*flat, 0 * flat[0] + 180, 0 * flat[0] + y)[2], lon.shape)
            for to, y in zip(to_ends, (20.0, -20.0))
        ],
        axis=0,
    )
    assert np.allclose(found[east], ways[east], rtol=1e-12)
    assert np.array_equal(
        found[lon < 180], np.asarray(gpuvoronoi.proximity(seed, **grid))[lon < 180]
    )
    grid["metric"] = "great-circle"
    high = geopandas.GeoSeries([LineString([(120, 60), (240, 60)])], crs=4326)
    cell = {**grid, "shape": (1, 1), "extent": (185, 35, 195, 45)}
    north = (np.array([180.0]), np.array([70.0]))
    free = float(np.asarray(gpuvoronoi.proximity(north, **cell))[0, 0])
    for edges, longer in (("straight", True), ("geodesic", False)):
        way = gpuvoronoi.proximity(north, barriers=high, edges=edges, **cell)
        assert (float(np.asarray(way)[0, 0]) > free) == longer


def test_refused():
    walls = geopandas.GeoSeries([LineString([(2, -1), (2, 6)])])
    with pytest.raises(ValueError, match="metric manhattan is not supported"):
        gpuvoronoi.allocation(SEEDS, barriers=walls, **{**GRID, "metric": "manhattan"})
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
