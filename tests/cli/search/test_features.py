"""Points among lines and polygons: the plane against GEOS, the globe against PROJ's own geodesics to places on the edges."""

import numpy as np
import pytest
from osgeo import ogr, osr
from test_layers import geodesics, layer

ogr.UseExceptions()


def shapes(runner, name, wkts, epsg):
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(epsg)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(runner.path(name))
    out = source.CreateLayer("shapes", crs, ogr.wkbUnknown)
    for wkt in wkts:
        feature = ogr.Feature(out.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        out.CreateFeature(feature)
    return runner.path(name)


def ring(random, x, y, size, corners=7):
    angles = np.sort(random.uniform(0, 2 * np.pi, corners))
    places = [f"{x + size * np.cos(a)} {y + size * np.sin(a)}" for a in angles]
    return "(" + ",".join([*places, places[0]]) + ")"


def some(random, count, low, high, size):
    wkts = []
    for i in range(count):
        x, y = random.uniform(low[0], high[0]), random.uniform(low[1], high[1])
        line = ",".join(
            f"{x + random.uniform(-size, size)} {y + random.uniform(-size, size)}" for _ in range(4)
        )
        wkts.append(
            [
                f"LINESTRING({line})",
                f"POLYGON({ring(random, x, y, size)})",
                f"POINT({x} {y})",
                f"POLYGON({ring(random, x, y, size, 12)},{ring(random, x, y, size / 9)})",
            ][i % 4]
        )
    return wkts


def nearest(runner, *arguments):
    found = runner.search(*arguments, "--nearest", runner.path("nearest.npy"), "--overwrite")
    return *found, np.load(runner.path("nearest.npy")).reshape(*found[0].shape, 2)


@pytest.mark.parametrize("k", [1, 3])
def test_plane(runner, k):
    random = np.random.default_rng(5)
    wkts, queries = some(random, 30, (0, 0), (1000, 1000), 90), random.random((300, 2)) * 1000
    r, q = shapes(runner, "r.gpkg", wkts, 3035), layer(runner, "q.gpkg", queries, 3035)
    index, distance, place = nearest(runner, "--reference", r, "--queries", q, "-k", k)
    geometries = [ogr.CreateGeometryFromWkt(w) for w in wkts]
    points = [ogr.CreateGeometryFromWkt(f"POINT({x!r} {y!r})") for x, y in queries.tolist()]
    truth = np.array([[g.Distance(p) for g in geometries] for p in points])
    assert (truth == 0).sum() > 20
    np.testing.assert_array_equal(index, np.argsort(truth, axis=1, kind="stable")[:, :k])
    np.testing.assert_allclose(distance, np.sort(truth, axis=1)[:, :k], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(
        np.hypot(*(place - queries[:, None, :]).transpose(2, 0, 1)), distance, rtol=1e-9, atol=1e-9
    )
    limited = runner.search(
        "--reference", r, "--queries", q, "-k", k, "--max-distance", 40, "--overwrite"
    )
    np.testing.assert_array_equal(limited[0], np.where(distance <= 40, index, -1))
    np.testing.assert_array_equal(limited[1], np.where(distance <= 40, distance, np.inf))


@pytest.mark.parametrize("edges", ["straight", "geodesic"])
def test_globe(runner, edges):
    random = np.random.default_rng(6)
    lines = np.stack([random.uniform((-170, -70), (170, 70), (12, 2)), np.zeros((12, 2))], axis=1)
    lines[:, 1] = lines[:, 0] + random.uniform(-9, 9, (12, 2))
    queries = np.column_stack([random.uniform(-180, 180, 20), random.uniform(-85, 85, 20)])
    wkts = [f"LINESTRING({a!r} {b!r},{c!r} {d!r})" for (a, b), (c, d) in lines.tolist()]
    r, q = shapes(runner, "r.gpkg", wkts, 4326), layer(runner, "q.gpkg", queries, 4326)
    index, distance, place = nearest(
        runner, "--reference", r, "--queries", q, "-k", 2, "--edges", edges
    )
    for i, (x, y) in enumerate(queries.tolist()):
        there = geodesics(queries[i : i + 1], place[i])[0]
        np.testing.assert_allclose(there, distance[i], atol=1e-6)
    if edges == "geodesic":
        return
    parts = np.linspace(0, 1, 200)[:, None]
    samples = np.concatenate([a + parts * (b - a) for a, b in lines])
    least = geodesics(queries, samples).reshape(len(queries), len(lines), -1).min(axis=2)
    np.testing.assert_array_equal(index, np.argsort(least, axis=1)[:, :2])
    assert (distance <= np.sort(least, axis=1)[:, :2] + 1e-6).all()
    assert (distance > np.sort(least, axis=1)[:, :2] - 2000).all()


def test_inside_and_boundary(runner):
    r = shapes(runner, "r.gpkg", ["POLYGON((0 0,10 0,10 10,0 10,0 0))", "POINT(4 4)"], 4326)
    q = layer(runner, "q.gpkg", [(5, 5), (20, 5)], 4326)
    index, distance, place = nearest(runner, "--reference", r, "--queries", q)
    assert index.tolist() == [[0], [0]] and distance[0, 0] == 0 and place[0, 0].tolist() == [5, 5]
    assert distance[1, 0] == pytest.approx(geodesics(np.array([[20, 5]]), place[1])[0, 0], abs=1e-6)
    assert runner.search("--reference", r, "--queries", q, "--boundary", "--overwrite")[
        0
    ].tolist() == [[1], [0]]


@pytest.mark.parametrize(
    "arguments, text",
    [
        (
            ["--reference", "r", "--queries", "r"],
            "--queries: row 1: unsupported geometry (Line String); queries are points or multipoints",
        ),
        (["--reference", "r"], "--queries: missing; lines and polygons are searched with points"),
        (
            ["--reference", "r", "--queries", "a"],
            "--queries: unsupported array; lines and polygons are searched with points of a layer",
        ),
        (
            ["--reference", "r", "--queries", "p", "--backend", "kdtree"],
            "--backend: unsupported for lines and polygons",
        ),
        (
            ["--reference", "p", "--queries", "p", "--nearest", "n.npy"],
            "--nearest: unsupported for points",
        ),
        (["--reference", "r", "--queries", "p", "-k", "65"], "k: out of range [1, 64] (65)"),
        (
            ["--reference", "r", "--queries", "p", "--metric", "l2", "--edges", "geodesic"],
            "geodesic edges are unsupported",
        ),
    ],
)
def test_refused(runner, arguments, text):
    files = {
        "r": shapes(runner, "r.gpkg", ["LINESTRING(0 0,1 1)"], 3035),
        "p": layer(runner, "p.gpkg", [(2, 2)], 3035),
        "a": runner.save("a.npy", np.zeros((1, 2))),
    }
    line = runner.run(*(files.get(a, a) for a in arguments), runner.path("out.npy"), status=1)
    assert text in line, line
