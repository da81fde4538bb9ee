"""Point layers: plane, space and globe, against PROJ's own geodesics."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND, brute
from osgeo import ogr, osr

ogr.UseExceptions()
osr.UseExceptions()


def layer(runner, name, points, epsg):
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(epsg)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    space = len(points[0]) == 3
    source = ogr.GetDriverByName("GPKG").CreateDataSource(runner.path(name))
    out = source.CreateLayer("points", crs, ogr.wkbPoint25D if space else ogr.wkbPoint)
    out.StartTransaction()
    for p in points:
        feature = ogr.Feature(out.GetLayerDefn())
        geometry = ogr.Geometry(ogr.wkbPoint25D if space else ogr.wkbPoint)
        if space:
            geometry.AddPoint(*map(float, p))
        else:
            geometry.AddPoint_2D(*map(float, p))
        feature.SetGeometry(geometry)
        out.CreateFeature(feature)
    out.CommitTransaction()
    return runner.path(name)


def globe_points(n, seed):
    random = np.random.default_rng(seed)
    return np.column_stack(
        [random.uniform(-180, 180, n), np.degrees(np.arcsin(random.uniform(-1, 1, n)))]
    )


def geodesics(lonlat, seeds):
    """All distances by PROJ's own command."""
    lines = "".join(
        f"{y!r} {x!r} {t!r} {s!r}\n" for x, y in lonlat.tolist() for s, t in seeds.tolist()
    )
    done = subprocess.run(
        ["geod", "+ellps=WGS84", "-I", "-F", "%.9f"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array([float(line.split()[-1]) for line in done.stdout.splitlines()]).reshape(
        len(lonlat), len(seeds)
    )


@pytest.mark.parametrize("dim", [2, 3])
def test_plane(runner, dim):
    random = np.random.default_rng(1)
    reference, queries = random.random((200, dim)) * 1000, random.random((40, dim)) * 1000
    r, q = layer(runner, "r.gpkg", reference, 3035), layer(runner, "q.gpkg", queries, 3035)
    for metric in ["l2", "l1", "linf"]:
        got = runner.search("--reference", r, "--queries", q, "-k", 4, "--metric", metric)
        expected = brute(reference, queries, 4, metric)
        np.testing.assert_array_equal(got[0], expected[0])
        np.testing.assert_array_equal(got[1], expected[1])


def test_great_circle(runner):
    reference, queries = globe_points(300, 2), globe_points(60, 3)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search(
        "--reference", r, "--queries", q, "-k", 5, "--metric", "great-circle"
    )
    a, b = np.radians(queries)[:, None], np.radians(reference)[None]
    h = (
        np.sin((a[..., 1] - b[..., 1]) / 2) ** 2
        + np.cos(a[..., 1]) * np.cos(b[..., 1]) * np.sin((a[..., 0] - b[..., 0]) / 2) ** 2
    )
    radius = 6378137.0 * (3 - 1 / 298.257223563) / 3
    arcs = 2 * radius * np.arcsin(np.sqrt(h))
    np.testing.assert_array_equal(indices, np.argsort(arcs, axis=1)[:, :5])
    np.testing.assert_allclose(distances, np.sort(arcs, axis=1)[:, :5], rtol=1e-9)


@pytest.mark.parametrize("n,k", [(3, 1), (3, 5), (400, 1), (400, 8)])
def test_geodesic_backends_agree(runner, n, k):
    """The default metric on a geographic CRS; k beyond the number of seeds; without distances, and with them."""
    reference, queries = globe_points(n, 4), globe_points(300, 5)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", k)
    runner.run("--reference", r, "--queries", q, "-k", k, runner.path("alone.npy"))
    np.testing.assert_array_equal(np.load(runner.path("alone.npy")), indices)
    have = min(n, k)
    assert (indices[:, have:] == -1).all() and np.isinf(distances[:, have:]).all()
    assert (np.diff(distances[:, :have], axis=1) >= 0).all()
    every, all_distances = runner.search("--reference", r, "--queries", q, "-k", n)
    for i in range(len(queries)):
        order = np.lexsort((every[i], all_distances[i]))[:have]
        np.testing.assert_array_equal(indices[i, :have], every[i][order])
        np.testing.assert_array_equal(distances[i, :have], all_distances[i][order])
    limit = float(np.median(distances[:, 0]))
    near, near_distances = runner.search(
        "--reference", r, "--queries", q, "-k", k, "--max-distance", repr(limit)
    )
    keep = distances <= limit
    np.testing.assert_array_equal(near, np.where(keep, indices, -1))
    np.testing.assert_array_equal(near_distances, np.where(keep, distances, np.inf))


@pytest.mark.skipif(shutil.which("geod") is None, reason="no geod command (package proj-bin)")
def test_geodesic_lengths(runner):
    reference, queries = globe_points(200, 6), globe_points(50, 7)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", 3)
    expected = geodesics(queries, reference)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(indices, np.argsort(expected, axis=1, kind="stable")[:, :3])


def test_same_places(runner):
    """Antimeridian, poles and duplicates: equal places tie, and the lowest row wins; self-exclusion is by row."""
    r = runner.text("r.csv", "lon,lat\n180,10\n-180,10\n0,90\n77,90\n5,5\n5,5\n5,5\n")
    indices, distances = runner.search("--reference", r, "-k", 2)
    assert indices[:, 0].tolist() == [1, 0, 3, 2, 5, 4, 4]
    assert indices[4:, 1].tolist() == [6, 6, 5]
    assert (distances[:, 0] == 0).all()


def test_query_crs(runner):
    """Queries of another coordinate system are brought to the reference's."""
    seeds = np.array([[10.0, 50.0], [10.5, 50.2], [9.0, 51.0]])
    r = layer(runner, "r.gpkg", seeds, 4326)
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    laea = osr.SpatialReference()
    laea.ImportFromEPSG(3035)
    laea.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    projected = np.array(
        osr.CoordinateTransformation(crs, laea).TransformPoints(seeds[::-1].tolist())
    )[:, :2]
    q = layer(runner, "q.gpkg", projected, 3035)
    indices, distances = runner.search("--reference", r, "--queries", q)
    assert indices[:, 0].tolist() == [2, 1, 0]
    assert (distances < 1.0).all()


# ------------------------------------------------------------------------------------------------- projected layers


def carried(points, source, target):
    transform = pytest.importorskip("pyproj").Transformer.from_crs(source, target, always_xy=True)
    return np.column_stack(transform.transform(points[:, 0], points[:, 1]))


def pyproj_nearest(reference, queries, k, source="EPSG:4326"):
    """Indices and lengths of the k shortest geodesics between points in degrees."""
    geod = pytest.importorskip("pyproj").CRS(source).get_geod()
    lengths = np.array(
        [
            geod.inv(np.full(len(reference), x), np.full(len(reference), y), *reference.T)[2]
            for x, y in queries
        ]
    )
    order = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(lengths, order, axis=1)


def europe(n, seed):
    random = np.random.default_rng(seed)
    return np.column_stack([random.uniform(-10, 30, n), random.uniform(36, 70, n)])


@pytest.mark.parametrize(
    "epsg,metric,qepsg",
    [
        (3857, [], 3857),
        (3857, [], 4326),
        (3857, [], 3035),
        (3395, [], 3857),
        (3857, ["--metric", "geodesic"], 3857),
        (3035, ["--metric", "geodesic"], 3035),
        (3035, ["--metric", "geodesic"], 4326),
        (2056, ["--metric", "geodesic"], 2056),
        (4326, [], 3857),
    ],
)
def test_geodesics_of_projected_layers(runner, epsg, metric, qepsg):
    """Regression: Mercator's meters were measured without a warning, and geodesics were an error although requested."""
    reference, queries = europe(150, 8), europe(80, 9)
    if epsg == 2056:
        reference = queries = np.column_stack(
            [
                np.random.default_rng(1).uniform(6, 10, 90),
                np.random.default_rng(2).uniform(46, 47.6, 90),
            ]
        )
    globe = f"EPSG:{4326 if epsg != 2056 else 4150}"  # CH1903+, on its own ellipsoid
    if epsg == 3035:
        globe = "EPSG:4258"
    at = [
        p if code == 4326 else carried(p, globe if code == epsg else "EPSG:4326", f"EPSG:{code}")
        for p, code in ((reference, epsg), (queries, qepsg))
    ]
    r, q = layer(runner, "r.gpkg", at[0], epsg), layer(runner, "q.gpkg", at[1], qepsg)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", 5, *metric)
    back = [
        carried(p, f"EPSG:{code}", globe) for p, code in zip(at, (epsg, qepsg))
    ]  # projections round, too
    order, lengths = pyproj_nearest(*back, 5, globe)
    np.testing.assert_allclose(distances, lengths, rtol=0, atol=1e-6)
    assert (indices == order).mean() == 1.0
    plain = carried(reference, globe, "EPSG:3857"), carried(queries, globe, "EPSG:3857")
    if epsg == 3857:
        assert (brute(*plain, 5)[0] != indices).any()  # what was wrong


def test_great_circles_of_a_projected_layer(runner):
    reference, queries = europe(100, 8), europe(40, 9)
    r = layer(runner, "r.gpkg", carried(reference, "EPSG:4326", "EPSG:3857"), 3857)
    q = layer(runner, "q.gpkg", queries, 4326)
    same = layer(runner, "same.gpkg", reference, 4326)
    got = runner.search("--reference", r, "--queries", q, "-k", 4, "--metric", "great-circle")
    expected = runner.search(
        "--reference", same, "--queries", q, "-k", 4, "--metric", "great-circle"
    )
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-9)


def test_queries_in_another_system_on_the_plane(runner):
    """The plane is the reference's, whatever system the queries are in."""
    reference, queries = europe(100, 8), europe(40, 9)
    at = carried(reference, "EPSG:4258", "EPSG:3035"), carried(queries, "EPSG:4258", "EPSG:3035")
    r, q = layer(runner, "r.gpkg", at[0], 3035), layer(runner, "q.gpkg", queries, 4258)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", 3)
    expected = brute(*at, 3)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_allclose(distances, expected[1], atol=1e-4)


def test_maps_of_the_world_are_measured_with_a_warning(runner):
    points = carried(europe(30, 8), "EPSG:4326", "EPSG:3857")
    r = layer(runner, "r.gpkg", points, 3857)
    done = subprocess.run(
        [COMMAND, "search", "--reference", r, "--metric", "l2", "-k", "3", runner.path("out.npy")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr.startswith(
        "gpuvoronoi: warning: --metric euclidean: distances on the map of"
    )
    np.testing.assert_array_equal(
        np.load(runner.path("out.npy")), brute(points, points, 3, exclude_self=True)[0]
    )


def test_systems_must_be_known(runner):
    points = europe(10, 8)
    plane = carried(points, "EPSG:4326", "EPSG:3857")
    lonlat, mercator = layer(runner, "l.gpkg", points, 4326), layer(runner, "m.gpkg", plane, 3857)
    none = runner.path("none.fgb")
    source = ogr.GetDriverByName("FlatGeobuf").CreateDataSource(none)
    out = source.CreateLayer("none", None, ogr.wkbPoint, ["SPATIAL_INDEX=NO"])
    for x, y in plane:
        feature = ogr.Feature(out.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})"))
        out.CreateFeature(feature)
    out = source = feature = None
    where = runner.path("out.npy")
    for source in lonlat, mercator:
        assert "--query-crs" in runner.run(
            "--reference", source, "--queries", none, where, status=1
        )
        assert "--reference-crs" in runner.run(
            "--reference", none, "--queries", source, where, status=1
        )
    assert "--reference-crs" in runner.run(
        "--reference", none, "--metric", "geodesic", where, status=1
    )
    assert "degrees are not lengths" in runner.run(
        "--reference", lonlat, "--metric", "l2", where, status=1
    )
    assert "--reference-crs: unknown" in runner.run(
        "--reference", none, "--reference-crs", "EPSG:1", where, status=1
    )
    assert "--query-crs" in runner.run(
        "--reference", none, "--query-crs", "EPSG:4326", where, status=2
    )
    assert "--query-header" in runner.run(
        "--reference", none, "--query-header", "yes", where, status=2
    )
    expected = runner.search("--reference", mercator)
    got = runner.search(
        "--reference",
        none,
        "--reference-crs",
        "EPSG:3857",
        "--queries",
        none,
        "--query-crs",
        "EPSG:3857",
        "-k",
        2,
    )
    np.testing.assert_array_equal(got[0][:, 1], expected[0][:, 0])
    np.testing.assert_array_equal(got[1][:, 1], expected[1][:, 0])
    text = runner.text("m.csv", "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in plane.tolist()))
    np.testing.assert_array_equal(
        runner.search("--reference", text, "--reference-crs", "EPSG:3857")[1], expected[1]
    )


@pytest.mark.parametrize("quote", ["", '"'])
def test_decimal_commas_of_layers(runner, quote):
    """Between semicolons, as OGR reads them and spreadsheets of half the world write them."""
    points = globe_points(50, 3)
    rows = [[repr(x), repr(y)] for x, y in points.tolist()]
    plain = runner.text("plain.csv", "lon,lat\n" + "".join(",".join(r) + "\n" for r in rows))
    commas = runner.text(
        "commas.csv",
        "Lon;Lat\n"
        + "".join(";".join(quote + v.replace(".", ",") + quote for v in r) + "\n" for r in rows),
    )
    expected, got = (
        runner.search("--reference", plain, "-k", 3),
        runner.search("--reference", commas, "-k", 3),
    )
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])
    bad = runner.text("bad.csv", 'lon,lat\n"1,5","2,5"\n')
    assert "is not a number ('1,5')" in runner.run(
        "--reference", bad, runner.path("o.npy"), status=1
    )


def test_text_of_layers_has_feature_ids(runner):
    """The ids that rasters and tables have; the rows of an array are counted from 0."""
    points = layer(runner, "p.gpkg", [(0, 0), (10, 0), (20, 0)], 3035)
    array = runner.save("q.npy", np.array([[19.0, 0.0], [1.0, 0.0]]))
    limit = ["-k", 1, "--max-distance", 5, "--quiet", "-"]
    assert runner.run("--reference", points, "--queries", array, *limit).split() == [
        "query_row,rank,reference,distance",
        "0,1,3,1",
        "1,1,1,1",
    ]
    assert runner.run("--reference", array, "--queries", points, *limit).split() == [
        "query,rank,row,distance",
        "1,1,1,1",
        "2,1,-1,inf",
        "3,1,0,1",
    ]
    pairs = runner.run("--reference", points, "--radius", 10, "--quiet", "-").split()
    assert pairs == [
        "query,rank,reference,distance",
        "1,1,2,10",
        "2,1,1,10",
        "2,2,3,10",
        "3,1,2,10",
    ]


@pytest.mark.parametrize("name", ["o.csv", "o.gpkg", "o.geojson", "o.fgb"])
def test_fields_of_one_name(runner, name):
    """CSV files may have them: both are kept."""
    Path(runner.path("d.csv")).write_text("lon,lat,a,a\n1,1,p,q\n1.1,1,r,s\n")
    done = runner.run("--reference", runner.path("d.csv"), "--keep", "*", runner.path(name))
    table = ogr.Open(str(runner.path(name)))
    rows = {(r.GetField("reference_a"), r.GetField("reference_a_")) for r in table.GetLayer(0)}
    assert rows == {("p", "q"), ("r", "s")}, done
