"""Lines, polygons and several points a row as seeds of rasters: against shapely on the plane, FeatureTree on the globe."""

import pickle

import numpy as np
import pytest

import gpuvoronoi
from gpuvoronoi import (
    FeatureTree,
    allocation,
    direction,
    nearest_value,
    proximity,
    statistics,
    voronoi,
)

geopandas = pytest.importorskip("geopandas")
shapely_geometry = pytest.importorskip("shapely.geometry")
Point, LineString, Polygon, MultiPoint = (
    getattr(shapely_geometry, name) for name in ("Point", "LineString", "Polygon", "MultiPoint")
)

PLANE = {"shape": (40, 60), "extent": (0, 0, 30, 20), "metric": "euclidean"}


def table(random, width=30.0, height=20.0, crs=None):
    def place():
        return random.uniform(0, width), random.uniform(0, height)

    def near(x, y):
        return x + random.uniform(-3, 3), y + random.uniform(-3, 3)

    shapes = []
    for i in range(12):
        a = place()
        shapes.append(
            [
                Point(a),
                LineString([a, near(*a), near(*a)]),
                MultiPoint([a, place(), near(*a)]),
                Polygon([a, (a[0] + 2.5, a[1]), (a[0] + 2, a[1] + 3), (a[0], a[1] + 1)]),
            ][i % 4]
        )
    return geopandas.GeoDataFrame(
        {"name": list("abcdefghijkl"), "value": np.arange(12.0) ** 2}, geometry=shapes, crs=crs
    )


def centers():
    x, y = np.arange(60) * 0.5 + 0.25, 20 - (np.arange(40) * 0.5 + 0.25)
    return np.meshgrid(x, y)


def test_on_the_plane_against_shapely(random):
    frame = table(random)
    x, y = centers()
    far = np.array(
        [
            [[shape.distance(Point(a, b)) for a, b in zip(*row)] for row in zip(x, y)]
            for shape in frame.geometry
        ]
    )
    seeds = allocation(frame, **PLANE)
    meters = proximity(frame, dtype="float64", **PLANE)
    np.testing.assert_allclose(meters, far.min(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        np.take_along_axis(far, seeds[None], 0)[0], far.min(axis=0), rtol=1e-12, atol=1e-12
    )
    two = allocation(frame, k=2, **PLANE)
    assert np.array_equal(two[0], seeds)
    np.testing.assert_allclose(
        np.take_along_axis(far, two[1][None], 0)[0], np.sort(far, axis=0)[1], rtol=1e-12, atol=1e-12
    )
    assert np.array_equal(allocation(frame, ids=np.arange(12) * 7, **PLANE), seeds * 7)
    assert np.array_equal(allocation(frame, backend="serial", **PLANE), seeds)
    assert np.array_equal(nearest_value(frame, "value", **PLANE), frame["value"].to_numpy()[seeds])
    near = allocation(frame, max_distance=1.0, **PLANE)
    assert np.array_equal(near, np.where(meters <= 1.0, seeds, -1))
    sums = statistics(frame, keep="name", **PLANE)
    assert (
        sums["cells"].tolist() == np.bincount(seeds.ravel(), minlength=12).tolist()
        and sums["name"].tolist() == frame["name"].tolist()
    )
    outline = proximity(frame, boundary=True, dtype="float64", **PLANE)
    inside = meters == 0
    assert (
        inside.any()
        and (outline[inside] > 0).any()
        and np.array_equal(outline[~inside], meters[~inside])
    )
    assert np.array_equal(np.isnan(direction(frame, **PLANE)), inside)


def test_weights(random):
    frame = table(random)
    loads = random.uniform(1, 3, 12)
    x, y = centers()
    far = np.array(
        [
            [[shape.distance(Point(a, b)) for a, b in zip(*row)] for row in zip(x, y)]
            for shape in frame.geometry
        ]
    )
    seeds = allocation(frame, weights=loads, **PLANE)
    least = (far / loads[:, None, None]).min(axis=0)
    np.testing.assert_allclose(
        np.take_along_axis(far / loads[:, None, None], seeds[None], 0)[0],
        least,
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("edges", ["straight", "geodesic"])
def test_on_the_globe_as_the_tree(random, edges):
    frame = table(random, crs=4326)
    grid = {"shape": (40, 60), "extent": (0, 0, 30, 20), "edges": edges}
    x, y = centers()
    meters, rows, places = FeatureTree(frame, edges=edges).query(x, y, nearest=True)
    assert np.array_equal(allocation(frame, **grid), rows)
    assert np.array_equal(proximity(frame, dtype="float64", **grid), meters)
    pyproj = pytest.importorskip("pyproj")
    azimuth = pyproj.Geod(ellps="WGS84").inv(x, y, places[..., 0], places[..., 1])[0] % 360
    found = direction(frame, **grid)
    off = np.abs((found - azimuth + 180) % 360 - 180)[meters > 100]
    assert off.max() < 1e-3


def test_reprojection_and_dask(random):
    pytest.importorskip("pyproj")
    frame = table(random, crs=4326)
    on_map = frame.to_crs(3035)
    west, south, east, north = on_map.total_bounds
    grid = {
        "shape": (30, 40),
        "extent": (west, south, east, north),
        "crs": 3035,
        "metric": "euclidean",
    }
    assert np.array_equal(allocation(frame, **grid), allocation(on_map, **grid))
    xarray, dask = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    like = xarray.DataArray(
        dask.zeros((40, 60), chunks=(16, 25)),
        dims=("y", "x"),
        coords={"y": 20 - (np.arange(40) * 0.5 + 0.25), "x": np.arange(60) * 0.5 + 0.25},
    )
    plain = table(random)
    whole = voronoi(plain, like=like.compute(), metric="euclidean")
    chunked = voronoi(plain, like=like, metric="euclidean")
    assert chunked["allocation"].chunks is not None and chunked.compute().identical(whole)
    request = gpuvoronoi.rasters.RasterRequest(plain, **PLANE)
    again = pickle.loads(pickle.dumps(request.plan))
    assert (
        again.token()
        == request.plan.token()
        != gpuvoronoi.rasters.RasterRequest(plain, boundary=True, **PLANE).plan.token()
    )


def test_rows_without_a_place(random):
    frame = table(random)
    holes = frame.copy()
    holes.loc[3, "geometry"] = None
    with pytest.raises(ValueError, match="seeds: row 3 has a geometry that is missing or empty"):
        allocation(holes, **PLANE)
    seeds = allocation(holes, skip_invalid=True, **PLANE)
    assert 3 not in seeds and np.array_equal(
        seeds, allocation(frame.drop(index=3), ids=np.delete(np.arange(12), 3), **PLANE)
    )
    table_of = statistics(holes, skip_invalid=True, ids="name", **PLANE)
    assert table_of["id"].tolist() == frame["name"].tolist() and table_of["cells"][3] == 0


@pytest.mark.parametrize(
    "more, words",
    [
        ({"edges": "round"}, "edges must be straight or geodesic"),
        ({"edges": "geodesic"}, "geodesic edges"),
        ({"backend": "kdtree"}, ""),
    ],
)
def test_errors(random, more, words):
    with pytest.raises(Exception, match=words):
        allocation(table(random), **{**PLANE, **more})


def test_diagrams_take_points(random):
    with pytest.raises(ValueError, match="lines and polygons are unsupported"):
        gpuvoronoi.diagram(table(random))
