"""Tables of neighbors: ids, attributes and geometries against pyproj, scipy and OGR."""

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

pyproj = pytest.importorskip("pyproj")
gdal.UseExceptions()


def system_of(epsg):
    system = osr.SpatialReference()
    system.ImportFromEPSG(epsg)
    system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return system


def layer(path, x, y, epsg, **columns):
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    made = source.CreateLayer("points", system_of(epsg), ogr.wkbPoint)
    for name, values in columns.items():
        kind = {int: ogr.OFTInteger64, float: ogr.OFTReal, str: ogr.OFTString}[type(values[0])]
        made.CreateField(ogr.FieldDefn(name, kind))
    for i, (a, b) in enumerate(zip(x, y)):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({float(a)!r} {float(b)!r})"))
        for name, values in columns.items():
            feature.SetField(name, values[i])
        made.CreateFeature(feature)
    source = None
    return path.name


def rows_of(path):
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    made = source.GetLayer(0)
    return [
        (f.items(), f.GetGeometryRef().Clone() if f.GetGeometryRef() is not None else None)
        for f in made
    ]


def globe(n, seed):
    random = np.random.default_rng(seed)
    return np.round(random.uniform(-180, 180, n), 5), np.round(
        np.degrees(np.arcsin(random.uniform(-1, 1, n))), 5
    )


@pytest.fixture
def places(work):
    lon, lat = globe(300, 1)
    qlon, qlat = globe(200, 2)
    layer(
        work.path("r.gpkg"),
        lon,
        lat,
        4326,
        name=[f"r{i}" for i in range(300)],
        code=[f"{i:05}" for i in range(300)],
        size=[i / 7 for i in range(300)],
    )
    layer(
        work.path("q.gpkg"),
        qlon,
        qlat,
        4326,
        no=[1000 + i for i in range(200)],
        kind=["a" if i % 2 else "b" for i in range(200)],
    )
    return work, (lon, lat), (qlon, qlat)


SEARCH = ["search", "--reference", "r.gpkg", "--queries", "q.gpkg", "-k", "3"]


@pytest.mark.parametrize("name", ["t.gpkg", "t.fgb", "t.geojson", "t.csv", "t.parquet"])
def test_ids_and_attributes(places, name):
    work, (lon, lat), (qlon, qlat) = places
    if name == "t.parquet" and gdal.GetDriverByName("Parquet") is None:
        pytest.skip("this GDAL has no Parquet driver")
    work.ok(
        *SEARCH,
        "--id",
        "code",
        "--query-id",
        "no",
        "--keep",
        "name,size",
        "--query-keep",
        "*",
        name,
    )
    work.ok(*SEARCH, "--distances", "d.npy", "i.npy")
    indices, distances = np.load(work.path("i.npy")), np.load(work.path("d.npy"))
    rows = rows_of(work.path(name))
    assert len(rows) == 600
    if name == "t.fgb":
        rows.sort(key=lambda r: (r[0]["query"], r[0]["rank"]))
    geodesic = pyproj.Geod(ellps="WGS84")
    for n, (row, point) in enumerate(rows):
        i, k = divmod(n, 3)
        j = int(indices[i, k])
        assert (
            int(row["query"]) == 1000 + i
            and int(row["rank"]) == k + 1
            and row["reference"] == f"{j:05}"
        )
        assert float(row["distance"]) == pytest.approx(distances[i, k], rel=1e-14)
        assert float(row["distance"]) == pytest.approx(
            geodesic.inv(qlon[i], qlat[i], lon[j], lat[j])[2], abs=1e-6
        )
        assert row["reference_name"] == f"r{j}" and float(row["reference_size"]) == pytest.approx(
            j / 7, rel=1e-14
        )
        assert int(row["query_no"]) == 1000 + i and row["query_kind"] == ("a" if i % 2 else "b")
        if name != "t.csv":
            assert (point.GetX(), point.GetY()) == pytest.approx((qlon[i], qlat[i]), abs=1e-6)


def test_feature_ids_and_none(places):
    work, (lon, lat), (qlon, qlat) = places
    work.ok(
        *SEARCH,
        "--where",
        "name < 'r2'",
        "--query-where",
        "kind = 'a'",
        "--max-distance",
        "1500km",
        "t.gpkg",
    )
    rows = [r for r, _ in rows_of(work.path("t.gpkg"))]
    kept = {i + 1 for i in range(300) if f"r{i}" < "r2"}
    assert [r["query"] for r in rows] == [i + 1 for i in range(200) if i % 2 for _ in range(3)]
    assert {r["reference"] for r in rows if r["reference"] is not None} <= kept
    geodesic = pyproj.Geod(ellps="WGS84")
    some = sorted(kept)
    for row in rows:
        i = row["query"] - 1
        near = sorted(geodesic.inv(qlon[i], qlat[i], lon[j - 1], lat[j - 1])[2] for j in some)
        expected = near[row["rank"] - 1]
        if expected > 1500e3:
            assert row["reference"] is None and row["distance"] is None
        else:
            assert row["distance"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_lines_on_the_globe(places, metric):
    work, (lon, lat), (qlon, qlat) = places
    work.ok(
        "search",
        "--reference",
        "r.gpkg",
        "--where",
        "fid < 9",
        "--queries",
        "q.gpkg",
        "--metric",
        metric,
        "--lines",
        "t.gpkg",
    )
    sphere = (
        pyproj.Geod(ellps="WGS84") if metric == "geodesic" else pyproj.Geod(a=6371000, b=6371000)
    )
    cut = 0
    for row, line in rows_of(work.path("t.gpkg")):
        i, j = row["query"] - 1, row["reference"] - 1
        assert line.GetGeometryName() == "MULTILINESTRING"
        parts = [line.GetGeometryRef(p).GetPoints() for p in range(line.GetGeometryCount())]
        points = [p[:2] for part in parts for p in part]
        assert points[0] == pytest.approx((qlon[i], qlat[i])) and points[-1] == pytest.approx(
            (lon[j], lat[j])
        )
        assert all(abs(x) <= 180 and abs(y) <= 90 for x, y in points)
        length = 0
        for part in parts:
            assert len(part) >= 2
            steps = [sphere.inv(*a[:2], *b[:2])[2] for a, b in zip(part, part[1:])]
            assert max(steps) <= 100001 and all(
                abs(b[0] - a[0]) <= 180 or abs(a[1]) > 89 for a, b in zip(part, part[1:])
            )
            length += sum(steps)
        assert length == pytest.approx(sphere.inv(qlon[i], qlat[i], lon[j], lat[j])[2], rel=1e-9)
        for a, b in zip(parts, parts[1:]):
            assert abs(a[-1][0]) == 180 and b[0][0] == -a[-1][0] and a[-1][1] == b[0][1]
        cut += len(parts) > 1
    assert cut > 3


def test_lines_from_the_date_line(work):
    layer(work.path("r.gpkg"), [170, -170], [0, 0], 4326)
    layer(work.path("q.gpkg"), [180, -180, 180, -180], [10, 10, -10, -10], 4326)
    work.ok(
        "search", "--reference", "r.gpkg", "--queries", "q.gpkg", "-k", "2", "--lines", "t.gpkg"
    )
    for row, line in rows_of(work.path("t.gpkg")):
        assert line.GetGeometryCount() == 1 and line.GetGeometryRef(0).GetPointCount() > 2
        xs = [p[0] for p in line.GetGeometryRef(0).GetPoints()]
        assert min(xs) > 0 or max(xs) < 0


def test_lines_on_the_plane(work):
    x, y = np.arange(20) * 1000.0 + 4e6, np.arange(20) ** 2 * 100.0 + 3e6
    layer(work.path("r.gpkg"), x, y, 3035, name=[f"r{i}" for i in range(20)])
    work.ok("search", "--reference", "r.gpkg", "--id", "name", "--lines", "t.csv")
    rows = [r for r, _ in rows_of(work.path("t.csv"))]
    text = work.path("t.csv").read_text().splitlines()
    assert text[0] == "WKT,query,rank,reference,distance"
    assert [r["query"] for r in rows] == [f"r{i}" for i in range(20)]
    from scipy.spatial import cKDTree

    distances, found = cKDTree(np.c_[x, y]).query(np.c_[x, y], k=2)
    for i, row in enumerate(rows):
        assert row["reference"] == f"r{found[i, 1]}" and float(row["distance"]) == pytest.approx(
            distances[i, 1]
        )
        assert (
            f"LINESTRING ({x[i]:.0f} {y[i]:.0f},{x[found[i, 1]]:.0f} {y[found[i, 1]]:.0f})"
            in text[i + 1]
        )


@pytest.mark.parametrize("epsg", [3035, 4326])
def test_lines_lead_to_the_nearest_points_of_features(work, epsg):
    scale, x, y = (1000, 4e6, 3e6) if epsg == 3035 else (0.01, 10, 50)
    layer(work.path("q.gpkg"), [x, x + 5 * scale], [y, y + 2 * scale], epsg)
    wkts = [
        f"LINESTRING Z ({x + scale} {y - scale} 9,{x + scale} {y + scale} 9)",
        f"POLYGON (({x + 4 * scale} {y},{x + 9 * scale} {y},{x + 9 * scale} {y + 9 * scale},{x + 4 * scale} {y}))",
    ]
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("r.gpkg")))
    made = source.CreateLayer("shapes", system_of(epsg), ogr.wkbUnknown)
    made.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for i, wkt in enumerate(wkts):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetField("name", f"n{i}")
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        made.CreateFeature(feature)
    made = source = None
    arguments = ["search", "--reference", "r.gpkg", "--queries", "q.gpkg", "-k", "2"]
    work.ok(*arguments, "--nearest", "n.npy", "--distances", "d.npy", "i.npy")
    work.ok(*arguments, "--keep", "name", "--lines", "t.gpkg")
    index, nearest, distances = (
        np.load(work.path(name)).reshape(4, -1) for name in ("i.npy", "n.npy", "d.npy")
    )
    rows = rows_of(work.path("t.gpkg"))
    assert len(rows) == 4 and index[0, 0] == 0
    for i, (row, line) in enumerate(rows):
        assert row["reference"] == index[i, 0] + 1 and row["reference_name"] == f"n{index[i, 0]}"
        assert row["distance"] == distances[i, 0]
        part = line if epsg == 3035 else line.GetGeometryRef(0)
        assert part.GetPoint(part.GetPointCount() - 1)[:2] == pytest.approx(
            tuple(nearest[i]), rel=1e-12
        )
    work.fails(*arguments, "--nearest", "m.npy", "u.gpkg", status=2, has="--nearest")


def test_cells_of_a_raster(work):
    layer(work.path("q.gpkg"), [4000110, 4000390], [2999890, 2999990], 3035)
    raster = gdal.GetDriverByName("GTiff").Create(str(work.path("r.tif")), 5, 3, 1, gdal.GDT_Byte)
    raster.SetSpatialRef(system_of(3035))
    raster.SetGeoTransform((4000000, 100, 0, 3000000, 0, -100))
    raster.GetRasterBand(1).WriteArray(
        np.array([[0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [3, 0, 0, 0, 0]], np.uint8)
    )
    raster = None
    arguments = ["search", "--reference-raster", "r.tif", "--queries", "q.gpkg"]
    work.ok(*arguments, "--lines", "t.gpkg")
    rows = rows_of(work.path("t.gpkg"))
    assert [row["reference"] for row, _ in rows] == [10, 4]
    assert [line.GetPoint(1)[:2] for _, line in rows] == [(4000050, 2999750), (4000450, 2999950)]
    for option in "--id", "--keep", "--where", "--layer":
        work.fails(
            *arguments, option, "a=b", "u.gpkg", status=2, has=f"{option}: missing --reference"
        )


def test_other_layers_stay(places):
    work = places[0]
    layer(work.path("project.gpkg"), [1], [2], 4326)
    work.ok(*SEARCH, "project.gpkg")
    source = gdal.OpenEx(str(work.path("project.gpkg")))
    assert sorted(source.GetLayer(i).GetName() for i in range(source.GetLayerCount())) == [
        "neighbours",
        "points",
    ]


def test_what_does_not_go(places):
    work = places[0]
    work.fails(*SEARCH, "--keep", "nope", "t.gpkg", has=["--keep", "(nope)", "name, code, size"])
    work.fails(*SEARCH, "--query-id", "nope", "t.gpkg", has=["--query-id", "(nope)", "no, kind"])
    work.fails(*SEARCH, "--id", "code", "t.npy", status=2, has="table")
    work.fails(*SEARCH, "--distances", "d.npy", "t.gpkg", status=2, has="--distances")
    work.fails(*SEARCH, "t.nope", has=["t.nope", ".gpkg"])
    work.fails(
        "search", "--reference", "r.gpkg", "--query-keep", "x", "t.gpkg", status=2, has="--queries"
    )
    np.save(work.path("a.npy"), np.zeros((3, 2)))
    work.fails("search", "--reference", "a.npy", "t.gpkg", has=["a.npy", "array"])
