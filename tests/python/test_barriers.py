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


def test_statistics():
    """They are those of the cells."""
    walls = geopandas.GeoSeries([LineString([(2, -1), (2, 6)]), box(4, 2, 6, 4)])
    mask, people = np.tri(8), np.arange(64.0).reshape(8, 8)
    given = {**GRID, "barriers": walls, "mask": mask}
    table = gpuvoronoi.statistics(SEEDS, sums={"people": people}, **given)
    found = gpuvoronoi.voronoi(SEEDS, dtype=np.float64, **given)
    ids, length = np.asarray(found["allocation"]), np.asarray(found["proximity"])
    for i in range(2):
        own = ids == i
        assert table["cells"][i] == own.sum() > 0
        assert table["people_sum"][i] == pytest.approx(people[own].sum(), rel=1e-12)
        assert table["distance_mean"][i] == pytest.approx(length[own].mean())
        assert table["distance_max"][i] == pytest.approx(length[own].max())
    assert "distance_max" not in gpuvoronoi.statistics(SEEDS, distances=False, **given)


def test_ways():
    """Over the end of a wall, from a seed, from within a polygon, in other systems, and across 180 degrees."""
    walls = geopandas.GeoDataFrame(geometry=[LineString([(10, 0), (10, 30)]), box(20, 5, 30, 15)])
    wells = geopandas.GeoDataFrame(
        {"geometry": [Point(np.nan, 0), Point(5, 5), Point(39, 39)]}, crs=32632
    )
    villages = geopandas.GeoDataFrame(
        {"seed": ["a", "b", "c"], "geometry": [Point(11, 26), Point(39, 39), Point(25, 10)]},
        crs=32632,
    )
    walls = walls.set_crs(32632)
    ways = gpuvoronoi.barrier_ways(wells, villages, walls, skip_invalid=True)
    assert "seed" in ways.columns and ways[ways.columns[0]].tolist() == ["a", "b", "c"]
    assert ways.crs == 32632 and ways["seed"].tolist()[:2] == [1, 2] and ways["seed"].isna()[2]
    assert list(ways.geometry[0].coords) == [(11, 26), (10, 30), (5, 5)]
    assert ways["length"][0] == pytest.approx(np.hypot(1, 4) + np.hypot(5, 25))
    assert ways["length"][1] == 0 and ways.geometry[1] is None and ways.geometry[2] is None
    near = gpuvoronoi.barrier_ways(wells.iloc[1:], villages, walls, max_distance=20)
    assert near["seed"].isna().tolist() == [True, False, True]
    seam = geopandas.GeoSeries([LineString([(180, -20), (180, 20)])], crs=4326)
    seed, place = (np.array([170.0]), np.array([1.0])), (np.array([-170.0]), np.array([5.0]))
    for barriers, over in ((seam, True), (seam.iloc[:0], False)):
        (way,) = gpuvoronoi.barrier_ways(seed, place, barriers, seeds_crs=4326).itertuples()
        legs = [(-170, 5), (180, 20), (170, 1)] if over else [(-170, 5), (170, 1)]
        expected = sum(pyproj.Geod(ellps="WGS84").inv(*a, *b)[2] for a, b in zip(legs, legs[1:]))
        assert way.length == pytest.approx(expected, rel=1e-12) and way.seed == 0
        parts = [np.array(part.coords)[:, 0] for part in way.geometry.geoms]
        assert len(parts) > 1 and all(np.ptp(x) <= 10 for x in parts)  # cut at 180 degrees
