"""`search --radius` against scipy's k-d tree, pyproj and shapely's distances."""

import json

import numpy as np
import pytest
from scipy.spatial import cKDTree


def points(n, dim, seed):
    return np.random.default_rng(seed).random((n, dim))


def pairs(runner, *arguments):
    """Offsets, indices and distances."""
    out, offsets, distances = (
        runner.path(name) for name in ("out.npy", "offsets.npy", "distances.npy")
    )
    runner.run(*arguments, "--distances", distances, "--offsets", offsets, "--overwrite", out)
    found = np.load(offsets), np.load(out), np.load(distances)
    assert all(one.ndim == 1 for one in found) and [one.dtype.kind for one in found] == [
        "i",
        "i",
        "f",
    ]
    assert found[0][0] == 0 and found[0][-1] == len(found[1]) == len(found[2])
    return found


def check(found, reference, queries, radius, alone=False):
    offsets, indices, distances = found
    assert len(offsets) == len(queries) + 1
    for i, expected in enumerate(cKDTree(reference).query_ball_point(queries, radius)):
        part = slice(offsets[i], offsets[i + 1])
        away = np.linalg.norm(reference[indices[part]] - queries[i], axis=1)
        assert sorted(indices[part].tolist()) == [j for j in expected if not alone or j != i]
        np.testing.assert_allclose(distances[part], away, rtol=1e-13)
        order = list(zip(distances[part].tolist(), indices[part].tolist()))
        assert order == sorted(order)


@pytest.mark.parametrize("backend", ["serial", "openmp", "kdtree", "octree", "auto"])
def test_arrays(runner, backend):
    reference, queries = points(2000, 3, 1), points(300, 3, 2)
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    check(
        pairs(runner, "--reference", r, "--queries", q, "--radius", 0.2, "--backend", backend),
        reference,
        queries,
        0.2,
    )
    check(
        pairs(runner, "--reference", r, "--radius", 0.1, "--backend", backend),
        reference,
        reference,
        0.1,
        alone=True,
    )
    empty = pairs(runner, "--reference", r, "--queries", q, "--radius", 0)
    assert len(empty[1]) == 0 and not empty[0].any()


def test_the_radius_is_inclusive(runner):
    lattice = np.array([[x, y] for x in range(6) for y in range(6)], float)
    r = runner.save("r.npy", lattice)
    check(pairs(runner, "--reference", r, "--radius", 2), lattice, lattice, 2.0, alone=True)
    for metric, neighbors in (("l1", 9), ("l2", 10), ("linf", 15)):  # of the corner of the lattice
        offsets, _, distances = pairs(runner, "--reference", r, "--radius", 3, "--metric", metric)
        assert distances.max() == 3.0 and offsets[1] == neighbors


def test_queries_of_unknown_number_in_batches(runner):
    """Text is read to its end; many pairs are written in parts."""
    reference, queries = points(3000, 2, 3), points(2500, 2, 4)
    r = runner.save("r.npy", reference)
    q = runner.text("q.csv", "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in queries.tolist()))
    found = pairs(runner, "--reference", r, "--queries", q, "--radius", 0.9)
    assert len(found[1]) > 1 << 22
    check((found[0][:201], found[1], found[2]), reference, queries[:200], 0.9)
    assert (
        np.diff(found[0]).tolist()
        == cKDTree(reference).query_ball_point(queries, 0.9, return_length=True).tolist()
    )


def test_text(runner):
    reference, queries = points(200, 2, 5), points(40, 2, 6)
    r, q = runner.save("r.npy", reference), runner.save("q.npy", queries)
    rows = runner.run("--reference", r, "--queries", q, "--radius", 0.1, "-").splitlines()
    offsets, indices, distances = pairs(runner, "--reference", r, "--queries", q, "--radius", 0.1)
    expected = [
        f"{i},{n - offsets[i] + 1},{indices[n]},{distances[n]:.17g}"
        for i in range(40)
        for n in range(offsets[i], offsets[i + 1])
    ]
    assert rows == ["query_row,rank,row,distance", *expected] and len(expected) > 40


def test_globe_and_units(runner):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    random = np.random.default_rng(7)
    lon, lat = random.uniform(-180, 180, 300), np.degrees(np.arcsin(random.uniform(-1, 1, 300)))
    r = runner.text(
        "r.csv", "lon,lat\n" + "".join(f"{x!r},{y!r}\n" for x, y in zip(lon.tolist(), lat.tolist()))
    )
    q = runner.text(
        "q.csv",
        "lon,lat\n"
        + "".join(f"{x!r},{y!r}\n" for x, y in zip(lon[:50].tolist(), (lat[:50] / 2).tolist())),
    )
    offsets, indices, distances = pairs(
        runner, "--reference", r, "--queries", q, "--radius", "1500km"
    )
    for i in range(50):
        meters = geod.inv(np.full(300, lon[i]), np.full(300, lat[i] / 2), lon, lat)[2]
        part = slice(offsets[i], offsets[i + 1])
        assert indices[part].tolist() == [
            j for j in np.argsort(meters, kind="stable") if meters[j] <= 1.5e6
        ]
        np.testing.assert_allclose(distances[part], meters[indices[part]], atol=1e-6)
    # A table: a row for each pair, by feature ids from 1.
    runner.run(
        "--reference",
        r,
        "--queries",
        q,
        "--radius",
        "1500km",
        "--query-keep",
        "lon",
        runner.path("t.gpkg"),
    )
    ogr = pytest.importorskip("osgeo.ogr")
    source = ogr.Open(runner.path("t.gpkg"))
    rows = [(f["query"], f["rank"], f["reference"], f["distance"]) for f in source.GetLayer(0)]
    assert rows == [
        (i + 1, n - offsets[i] + 1, indices[n] + 1, distances[n])
        for i in range(50)
        for n in range(offsets[i], offsets[i + 1])
    ]
    runner.run(
        "--reference", r, "--queries", q, "--radius", "1500km", "--lines", runner.path("lines.gpkg")
    )
    assert ogr.Open(runner.path("lines.gpkg")).GetLayer(0).GetFeatureCount() == len(rows)


def test_lines_and_polygons(runner):
    shapely = pytest.importorskip("shapely.wkt")
    random = np.random.default_rng(8)
    shapes = [
        f"LINESTRING ({x} {y}, {x + 5} {y + 2})"
        if i % 2
        else f"POLYGON (({x} {y}, {x + 4} {y}, {x} {y + 4}, {x} {y}))"
        for i, (x, y) in enumerate(random.uniform(0, 100, (150, 2)).tolist())
    ]
    places = random.uniform(0, 100, (60, 2))
    r = runner.text("r.csv", "WKT\n" + "".join(f'"{one}"\n' for one in shapes))
    q = runner.text("q.csv", "WKT\n" + "".join(f'"POINT ({x} {y})"\n' for x, y in places.tolist()))
    offsets, indices, distances = pairs(runner, "--reference", r, "--queries", q, "--radius", 12)
    geometries = [shapely.loads(one) for one in shapes]
    for i, (x, y) in enumerate(places.tolist()):
        away = np.array([one.distance(shapely.loads(f"POINT ({x} {y})")) for one in geometries])
        part = slice(offsets[i], offsets[i + 1])
        assert sorted(indices[part].tolist()) == np.flatnonzero(away <= 12).tolist()
        np.testing.assert_allclose(distances[part], away[indices[part]], rtol=1e-12, atol=1e-12)
    message = runner.run(
        "--reference", r, "--queries", q, "--radius", 12, "--lines", runner.path("l.gpkg"), status=1
    )
    assert "--lines: unsupported with --radius for lines and polygons" in message


def test_cells_of_a_raster(runner):
    gdal = pytest.importorskip("osgeo.gdal")
    cells = (np.random.default_rng(9).random((12, 20)) < 0.3).astype(np.uint8)
    made = gdal.GetDriverByName("GTiff").Create(runner.path("r.tif"), 20, 12, 1)
    made.SetGeoTransform((1000, 1, 0, 12, 0, -1))
    made.GetRasterBand(1).WriteArray(cells)
    made = None
    rows, columns = np.nonzero(cells)
    centers, numbers = np.column_stack([columns + 1000.5, 11.5 - rows]), rows * 20 + columns
    queries = points(30, 2, 10) * [20, 12] + [1000, 0]
    q = runner.save("q.npy", queries)
    offsets, indices, _ = pairs(
        runner, "--reference-raster", runner.path("r.tif"), "--queries", q, "--radius", 3
    )
    for i, expected in enumerate(cKDTree(centers).query_ball_point(queries, 3)):
        assert sorted(indices[offsets[i] : offsets[i + 1]].tolist()) == sorted(
            numbers[expected].tolist()
        )


def test_the_report(runner):
    reference = points(100, 2, 11)
    r = runner.save("r.npy", reference)
    told = json.loads(
        runner.run(
            "--reference",
            r,
            "--radius",
            0.3,
            "--offsets",
            runner.path("o.npy"),
            "--json",
            runner.path("i.npy"),
        )
    )
    assert (
        told["neighbours"] == {"count": len(np.load(runner.path("i.npy"))), "missing": 0}
        and told["queries"]["used"] == 100
    )


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--radius", "1", "-k", "1", "o.npy"], "-k and --radius: unsupported together"),
        (
            ["--radius", "1", "--max-distance", "1", "o.npy"],
            "--max-distance and --radius: unsupported together",
        ),
        (["--radius", "1", "o.npy"], "missing --offsets"),
        (
            ["--radius", "1", "--offsets", "f.npy", "o.csv"],
            "--offsets: unsupported with this output",
        ),
        (["--radius", "1", "--offsets", "f.txt", "o.npy"], "--offsets: invalid extension"),
        (["--radius", "1", "--offsets", "f.npy", "o.ivecs"], "(o.ivecs)"),
        (["--radius", "1", "--nearest", "n.npy", "o.csv"], "--nearest: unsupported with --radius"),
        (["--radius", "1", "--shard-reference", "o.csv"], "--shard-reference: unsupported"),
        (["--offsets", "f.npy", "o.npy"], "--offsets: missing --radius"),
        (["--radius", "-1", "o.csv"], "--radius"),
    ],
)
def test_usage(runner, arguments, words):
    r = runner.save("r.npy", points(5, 2, 12))
    done = runner.run("--reference", r, *arguments, status=2)
    assert words in done


def test_both_outputs_are_one_file(runner):
    r = runner.save("r.npy", points(5, 2, 12))
    assert "outputs: two have the same name" in runner.run(
        "--reference",
        r,
        "--radius",
        1,
        "--offsets",
        runner.path("o.npy"),
        runner.path("o.npy"),
        status=1,
    )
