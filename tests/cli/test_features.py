"""Lines and polygons as seeds: against GEOS on the plane, sampled edges on the ellipsoid, and what is refused."""

import json

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from conftest import WGS84, Geodesic, centers, crs, real_data


def layer(work, name, features, epsg=4326, **fields):
    """A GeoPackage of WKT geometries."""
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path(name)))
    made = source.CreateLayer("shapes", crs(epsg) if epsg else None, ogr.wkbUnknown)
    for field in fields:
        made.CreateField(ogr.FieldDefn(field, ogr.OFTInteger64))
    for i, wkt in enumerate(features):
        feature = ogr.Feature(made.GetLayerDefn())
        if wkt is not None:
            feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        for field, values in fields.items():
            feature.SetField(field, values[i])
        made.CreateFeature(feature)
    source = None
    return name


MIXED = [
    "LINESTRING (1 1, 6 2, 9 9)",
    "POLYGON ((12 2, 18 2, 18 9, 12 9, 12 2), (14 4, 16 4, 16 6, 14 6, 14 4))",
    "POINT (3 12)",
    "MULTIPOLYGON (((1 15, 4 15, 4 18, 1 15)), ((16 14, 19 14, 18 18, 16 14)))",
    "GEOMETRYCOLLECTION (POINT (9 16), LINESTRING (10 12, 12 16), POLYGON ((7 17, 8 17, 8 18, 7 17)))",
    "MULTIPOINT (19 11, 0 8)",
]
GRID = ["--extent", "0,0,20,20", "--res", "0.5"]


def test_the_plane_is_as_geos_says(work):
    layer(work, "s.gpkg", MIXED, 32631)
    work.ok(
        "--seeds",
        "s.gpkg",
        *GRID,
        "-k",
        "2",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--azimuth",
        "a.tif",
        "out.tif",
    )
    ids, distances, azimuths = work.read("out.tif"), work.read("d.tif"), work.read("a.tif")
    shapes = [ogr.CreateGeometryFromWkt(wkt) for wkt in MIXED]
    x, y = centers(work.open("out.tif"))
    for i in range(x.size):
        r, c = divmod(i, x.shape[1])
        point = ogr.CreateGeometryFromWkt(f"POINT ({x[r, c]!r} {y[r, c]!r})")
        expected = sorted((shape.Distance(point), n + 1) for n, shape in enumerate(shapes))
        for band in range(2):
            assert distances[band, r, c] == pytest.approx(expected[band][0], abs=1e-12)
            if expected[band][0] + 1e-9 < expected[1 - band][0] or band == 1:
                assert shapes[ids[band, r, c] - 1].Distance(point) == pytest.approx(
                    expected[band][0], abs=1e-12
                )
            if distances[band, r, c] > 0:
                # The nearest point lies where the azimuth says.
                angle, far = np.radians(float(azimuths[band, r, c])), distances[band, r, c]
                foot = ogr.CreateGeometryFromWkt(
                    f"POINT ({x[r, c] + far * np.sin(angle)} {y[r, c] + far * np.cos(angle)})"
                )
                assert shapes[ids[band, r, c] - 1].Distance(foot) < 1e-5
            elif shapes[ids[band, r, c] - 1].GetDimension() == 2:
                assert np.isnan(azimuths[band, r, c])


@pytest.mark.parametrize("backend", ["serial", "openmp", "tile"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_backends_agree(work, metric, backend):
    layer(work, "s.gpkg", MIXED, 32631)
    work.ok("--seeds", "s.gpkg", *GRID, "--metric", metric, "--threads", "3", "a.tif")
    work.ok("--seeds", "s.gpkg", *GRID, "--metric", metric, "--backend", backend, "b.tif")
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))


def test_inside_and_signed(work):
    layer(work, "s.gpkg", [MIXED[1]], 32631)
    work.ok("--seeds", "s.gpkg", *GRID, "--distance", "d.tif", "--stats", "t.csv", "out.tif")
    work.ok(
        "--seeds",
        "s.gpkg",
        *GRID,
        "--distance",
        "e.tif",
        "--signed-distance",
        "--stats",
        "u.csv",
        "out2.tif",
    )
    work.ok("--seeds", "s.gpkg", *GRID, "--distance", "b.tif", "--boundary", "out3.tif")
    plain, signed, boundary = work.read("d.tif"), work.read("e.tif"), work.read("b.tif")
    inside = plain == 0
    assert inside.sum() == 4 * (6 * 7 - 2 * 2)
    assert np.array_equal(plain[~inside], signed[~inside]) and np.all(signed[inside] < 0)
    assert np.array_equal(np.abs(signed), boundary)
    assert work.path("t.csv").read_text() == work.path("u.csv").read_text()


def least(geodesic, lon, lat, edges, curve, samples=40):
    """Distance to edges, each sampled and then refined by golden sections."""
    part = (5**0.5 - 1) / 2
    best = np.inf
    for a, b in edges:

        def at(u):
            return geodesic.distance(lon, lat, *curve(a, b, u))

        values = [at(i / samples) for i in range(samples + 1)]
        if min(values) > 1.2 * best:
            continue
        i = int(np.argmin(values))
        low, high = max(0, i - 1) / samples, min(samples, i + 1) / samples
        for _ in range(45):
            one, two = high - part * (high - low), low + part * (high - low)
            low, high = (low, two) if at(one) <= at(two) else (one, high)
        best = min(best, min(values), at(low))
    return best


@pytest.mark.parametrize("target", ["EPSG:4326", "EPSG:3035"])
def test_straight_lines_on_the_ellipsoid(work, target):
    lines = [
        [(-10, 50), (30, 60), (35, 40)],
        [(0, 70), (25, 71)],
        [(5, 45), (5.5, 45.2), (5.1, 46)],
    ]
    layer(
        work,
        "s.gpkg",
        ["LINESTRING (" + ", ".join(f"{x} {y}" for x, y in line) + ")" for line in lines],
    )
    grid = (
        ["--extent", "-20,35,40,75", "--size", "9,8"]
        if target == "EPSG:4326"
        else ["--size", "9,8", "--extent", "2500000,1400000,6000000,5200000"]
    )
    work.ok(
        "--seeds",
        "s.gpkg",
        "--crs",
        target,
        "--metric",
        "geodesic",
        *grid,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    geodesic = Geodesic(*WGS84)
    out = work.open("out.tif")
    x, y = centers(out)
    if target != "EPSG:4326":
        to = osr.CoordinateTransformation(crs(target), crs(4326))
    for r in range(0, x.shape[0], 3):
        for c in range(0, x.shape[1], 2):
            lon, lat = (
                (x[r, c], y[r, c])
                if target == "EPSG:4326"
                else to.TransformPoint(x[r, c], y[r, c])[:2]
            )
            found = [
                least(
                    geodesic,
                    lon,
                    lat,
                    zip(line, line[1:]),
                    lambda a, b, u: (a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1])),
                )
                for line in lines
            ]
            assert work.read("d.tif")[r, c] == pytest.approx(
                min(found), abs=1.2e-3 if target != "EPSG:4326" else 1e-4
            )
            assert out.ReadAsArray()[r, c] == 1 + int(np.argmin(found))


def test_edges_are_straight_or_geodesic(work):
    layer(work, "s.gpkg", ["LINESTRING (170 10, -170 10)", "POINT (0 60)"])
    straight = work.ok("--seeds", "s.gpkg", "--res", "10", "a.tif")
    assert "edges wider than 180 degrees of longitude: 1;" in straight.stderr
    geodesic = work.ok("--seeds", "s.gpkg", "--res", "10", "--edges", "geodesic", "b.tif")
    assert geodesic.stderr == ""
    assert (
        work.read("a.tif")[8, 18] == 1
        and work.read("b.tif")[3, 18] == 2
        and work.read("b.tif")[8, 35] == 1
    )
    assert (work.read("a.tif") == 1).sum() > (work.read("b.tif") == 1).sum()
    work.fails(
        "--seeds",
        "s.gpkg",
        "--crs",
        "EPSG:3857",
        "--metric",
        "euclidean",
        "--edges",
        "geodesic",
        "c.tif",
        has="--edges geodesic: unsupported for metric euclidean",
    )


def test_what_is_bad_or_unusual(work):
    layer(work, "bow.gpkg", ["POLYGON ((0 0, 10 10, 10 0, 0 10, 0 0))", None], 32631)
    work.fails(
        "--seeds", "bow.gpkg", *GRID, "out.tif", has=["row 2", "no geometry", "--skip-invalid"]
    )
    done = work.ok("--seeds", "bow.gpkg", *GRID, "--skip-invalid", "--distance", "d.tif", "out.tif")
    assert (
        "invalid polygons (e.g. rings cross): 1;" in done.stderr
        and "even-odd" in done.stderr
        and "1 seeds skipped" in done.stderr
    )
    assert work.read("d.tif")[30, 2] == 0 and work.read("d.tif")[38, 10] > 0
    layer(work, "curve.gpkg", ["CIRCULARSTRING (2 2, 5 5, 8 2)"], 32631)
    assert "curves of 1 features" in work.ok("--seeds", "curve.gpkg", *GRID, "curve.tif").stderr
    layer(work, "z.gpkg", ["LINESTRING Z (2 2 7, 5 5 8)"], 32631)
    work.ok("--seeds", "z.gpkg", *GRID, "z.tif")
    work.write(
        "open.geojson",
        json.dumps({"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10]]]}),
    )
    work.ok("--seeds", "open.geojson", "--res", "30", "--distance", "open_d.tif", "open.tif")
    work.fails(
        "--seeds",
        "z.gpkg",
        *GRID,
        "--backend",
        "kdtree",
        "out4.tif",
        has="backend: lines and polygons are unsupported (kdtree)",
    )
    work.fails(
        "--seeds",
        "z.gpkg",
        *GRID,
        "--signed-distance",
        "out5.tif",
        status=2,
        has="--signed-distance: missing --distance",
    )


def test_ids_weights_where_polygons(work):
    layer(work, "s.gpkg", MIXED, 32631, code=[7, 5, 9, 3, 1, 8], w=[1, 2, 1, 3, 1, 1])
    work.ok(
        "--seeds",
        "s.gpkg",
        *GRID,
        "--id",
        "code",
        "--where",
        "w < 3",
        "--weighting",
        "additive",
        "--weight-field",
        "w",
        "--polygons",
        "p.gpkg",
        "--max-distance",
        "4",
        "out.tif",
    )
    assert set(np.unique(work.read("out.tif"))) == {-1, 7, 5, 9, 1, 8}
    source = gdal.OpenEx(str(work.path("p.gpkg")))
    assert {f.GetField("id") for f in source.GetLayer(0)} == {7, 5, 9, 1, 8}


def test_real_land(work):
    land = real_data("land/ne_110m_land.geojson")
    work.ok("--seeds", land, "--res", "4", "--distance", "d.tif", "out.tif")
    few = ["--extent", "-30,30,30,60", "--res", "6"]
    work.ok("--seeds", land, *few, "a.tif")
    work.ok("--seeds", land, *few, "--backend", "serial", "b.tif")
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))
    distances = work.read("d.tif")
    share = (distances == 0) * np.cos(np.radians(centers(work.open("d.tif"))[1]))
    assert 0.27 < share.sum() / np.cos(np.radians(centers(work.open("d.tif"))[1])).sum() < 0.31
    # A few cells at sea against all edges of the coast.
    source = gdal.OpenEx(str(land))
    edges = []
    for feature in source.GetLayer(0):
        geometry = feature.GetGeometryRef()
        for polygon in [geometry] if geometry.GetGeometryName() == "POLYGON" else geometry:
            for ring in polygon:
                points = ring.GetPoints()
                edges += zip(points, points[1:])
    geodesic = Geodesic(*WGS84)
    x, y = centers(work.open("d.tif"))
    for r, c in [(34, 14), (12, 40), (2, 3)]:
        assert distances[r, c] > 0
        found = least(
            geodesic,
            x[r, c],
            y[r, c],
            edges,
            lambda a, b, u: (a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1])),
            6,
        )
        assert distances[r, c] == pytest.approx(found, rel=1e-7)


def test_triangles_and_sums(work):
    """--cells and --mesh against `search` from the triangles' centers, --sum against the pixels."""
    from test_mesh import ugrid

    layer(
        work,
        "s.gpkg",
        [
            "POLYGON ((-20 -20, 40 -20, 40 30, -20 30, -20 -20))",
            "LINESTRING (100 40, 150 -30)",
            "POINT (-120 60)",
        ],
    )
    work.ok("--seeds", "s.gpkg", "--level", "3", "--cells", "c.gpkg", "--mesh", "m.nc", "out.tif")
    source = gdal.OpenEx(str(work.path("c.gpkg")), gdal.OF_VECTOR)
    rows = [
        [f.GetField(name) for name in ("lon", "lat", "seed", "distance")]
        for f in source.GetLayer(0)
    ]
    lon, lat, seed, distance = map(np.array, zip(*rows))
    assert set(seed) == {1, 2, 3} and (distance == 0).sum() > 20
    work.csv("q.csv", lon.tolist(), lat.tolist())
    work.ok(
        "search", "--reference", "s.gpkg", "--queries", "q.csv", "--distances", "d.npy", "n.npy"
    )
    assert np.array_equal(np.load(work.path("n.npy"))[:, 0] + 1, seed)
    np.testing.assert_allclose(np.load(work.path("d.npy"))[:, 0], distance, rtol=1e-9, atol=1e-6)
    values = ugrid(work.path("m.nc"))[0]
    assert np.array_equal(np.sort(values["seed"]), np.sort(seed))
    np.testing.assert_allclose(np.sort(values["distance"]), np.sort(distance), rtol=1e-12)

    work.raster("p.tif", (-180, 1, 0, 90, 0, -1), (360, 180), 4326)
    people = np.arange(360 * 180, dtype=np.uint8).reshape(180, 360) % 7
    gdal.Open(str(work.path("p.tif")), gdal.GA_Update).WriteArray(people)
    work.ok(
        "--seeds",
        "s.gpkg",
        "--res",
        "1",
        "--extent",
        "-180,-90,180,90",
        "--stats",
        "t.csv",
        "--sum",
        "people=p.tif",
        "o.tif",
    )
    with open(work.path("t.csv")) as table:
        names, *lines = (line.strip().split(",") for line in table)
    ids = work.read("o.tif")
    sums = [float(line[names.index("people_sum")]) for line in lines]
    assert sums == pytest.approx([people[ids == i + 1].sum() for i in range(3)], rel=1e-9)
