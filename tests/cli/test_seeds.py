"""Where seeds come from: formats, columns, ids, names, multipoints, reprojection."""

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from conftest import centers, check_great_circle, crs, planar, positions, real_data

LON, LAT = [-100.0, 10.0, 120.0], [40.0, 50.0, -30.0]
GRID = ["--res", "5", "--metric", "great-circle"]


def ids(work, name="out.tif"):
    return sorted(set(work.read(name).ravel().tolist()))


@pytest.mark.parametrize(
    "header",
    [
        "lon,lat",
        "LON,LAT",
        "longitude,latitude",
        "Longitude,Latitude",
        "lng,lat",
        "Long,Lat",
        '"lon","lat"',
    ],
)
def test_csv_columns(work, header):
    work.csv("s.csv", LON, LAT, header=header)
    work.ok("--seeds", "s.csv", *GRID, "out.tif")
    out = work.open("out.tif")
    assert out.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert ids(work) == [1, 2, 3]
    check_great_circle(out.ReadAsArray() - 1, *centers(out), LON, LAT)


def test_csv_columns_in_any_place(work):
    work.write("s.csv", "name,lat,city,lon\n" + "".join(f"a,{b},c,{a}\n" for a, b in zip(LON, LAT)))
    work.ok("--seeds", "s.csv", *GRID, "out.tif")
    out = work.open("out.tif")
    check_great_circle(out.ReadAsArray() - 1, *centers(out), LON, LAT)


def test_csv_heads_are_no_rows(work):
    """GDAL takes the first line for a row where it could not read past it, and then rows have the attributes of others."""
    work.write("s.csv", "lon,lat\nlon,lat\n1,2\n")
    work.fails("--seeds", "s.csv", *GRID, "out.tif", has=["the first line was read as a row"])


def test_csv_xy_without_a_crs_is_a_plane(work):
    work.csv("s.csv", [0, 10, 4], [0, 0, 8], header="X,Y")
    work.ok("--seeds", "s.csv", "--extent", "-5,-5,15,15", "--res", "0.5", "out.tif")
    out = work.open("out.tif")
    assert out.GetSpatialRef() is None
    assert np.array_equal(
        out.ReadAsArray(), planar("euclidean", *centers(out), [0, 10, 4], [0, 0, 8]) + 1
    )


def test_csv_with_degrees_and_xy_follows_the_given_crs(work):
    work.write("s.csv", "x,y,lon,lat\n522000,180000,-0.24,51.5\n530000,181000,-0.13,51.51\n")
    work.ok("--seeds", "s.csv", "--size", "8,4", "a.tif")
    assert work.open("a.tif").GetSpatialRef().GetAuthorityCode(None) == "4326"
    work.ok("--seeds", "s.csv", "--seeds-crs", "EPSG:27700", "--size", "8,4", "b.tif")
    assert work.open("b.tif").GetSpatialRef().GetAuthorityCode(None) == "27700"
    assert work.open("b.tif").GetGeoTransform()[0] == pytest.approx(522000 - 800)


def test_csv_with_its_own_geometry(work):
    work.write("s.csv", "WKT,pop\n" + "".join(f'"POINT ({a} {b})",1\n' for a, b in zip(LON, LAT)))
    work.ok("--seeds", "s.csv", "--seeds-crs", "EPSG:4326", *GRID, "out.tif")
    out = work.open("out.tif")
    check_great_circle(out.ReadAsArray() - 1, *centers(out), LON, LAT)


@pytest.mark.parametrize(
    "name,driver",
    [
        ("s.gpkg", "GPKG"),
        ("s.geojson", "GeoJSON"),
        ("s.shp", "ESRI Shapefile"),
        ("s.fgb", "FlatGeobuf"),
        ("s.gml", "GML"),
        ("s.kml", "KML"),
    ],
)
def test_formats(work, name, driver):
    work.points(name, driver, LON, LAT)
    work.ok("--seeds", name, *GRID, "out.tif")
    out = work.open("out.tif")
    fids, lon, lat = positions(work.path(name))
    assert ids(work) == fids
    check_great_circle(np.searchsorted(fids, out.ReadAsArray()), *centers(out), lon, lat)


def test_vrt(work):
    work.csv("t.csv", LON, LAT, header="a,b")
    work.write(
        "s.vrt",
        '<OGRVRTDataSource><OGRVRTLayer name="t"><SrcDataSource relativeToVRT="1">t.csv'
        "</SrcDataSource><GeometryType>wkbPoint</GeometryType><LayerSRS>EPSG:4326</LayerSRS>"
        '<GeometryField encoding="PointFromColumns" x="a" y="b"/></OGRVRTLayer></OGRVRTDataSource>',
    )
    work.ok("--seeds", "s.vrt", *GRID, "out.tif")
    assert ids(work) == [1, 2, 3]


def test_multipoints_give_every_point_the_id(work):
    work.write(
        "s.geojson",
        '{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{},'
        '"geometry":{"type":"MultiPoint","coordinates":[[-90,0],[90,0]]}},{"type":"Feature",'
        '"id":9,"properties":{},"geometry":{"type":"Point","coordinates":[0,0]}}]}',
    )
    work.ok("--seeds", "s.geojson", *GRID, "out.tif")
    out = work.open("out.tif")
    numbers = out.ReadAsArray()
    x, y = centers(out)
    equator = numbers[abs(y) < 5]
    assert set(equator[abs(x[abs(y) < 5]) < 40]) == {9}
    assert set(equator[abs(x[abs(y) < 5]) > 50]) == {7}
    assert numbers.shape == (36, 72)
    assert out.GetMetadataItem("GPUVORONOI_SEED_COUNT") == "3"


def test_where_on_numbers_of_a_csv(work):
    work.csv("s.csv", LON, LAT, pop=[5, 500, 50])
    work.ok("--seeds", "s.csv", "--where", "pop > 20", *GRID, "out.tif")
    assert ids(work) == [2, 3]


def test_layer(work):
    work.points("s.gpkg", "GPKG", LON, LAT, layer="a")
    source = ogr.Open(str(work.path("s.gpkg")), 1)
    layer = source.CreateLayer("b", crs(4326), ogr.wkbPoint)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT (0 0)"))
    feature.SetFID(77)
    layer.CreateFeature(feature)
    layer = source = feature = None
    message = work.fails("--seeds", "s.gpkg", *GRID, "out.tif", has=["--layer", "a, b"])
    assert "2 layers" in message
    work.ok("--seeds", "s.gpkg", "--layer", "b", *GRID, "out.tif")
    assert ids(work) == [77]


def test_integer_id_of_a_csv_is_an_integer(work):
    work.csv("s.csv", LON, LAT, no=[300, -7, 12])
    work.ok("--seeds", "s.csv", "--id", "no", *GRID, "out.tif")
    assert ids(work) == [-7, 12, 300]
    assert work.open("out.tif").GetRasterBand(1).DataType == gdal.GDT_Int32


def test_text_id_writes_row_numbers(work):
    work.csv("s.csv", LON, LAT, code=["A7", "0012", "ü"])
    work.ok("--seeds", "s.csv", "--id", "code", *GRID, "out.tif")
    assert ids(work) == [0, 1, 2]
    assert work.table("out.tif")[gdal.GFU_Name] == ["A7", "0012", "ü"]


@pytest.mark.parametrize(
    "row,wrong",
    [
        ("7,x,1,north", "north"),
        ("7,x,1,", "'lat' is empty"),
        ("7,x,inf,2", "not finite"),
        ("7", "empty"),
        ("n,x,1,2", None),
        ("7,x,1,2,3", None),
        ('7,"x,1",1,2', None),
    ],
)
def test_an_odd_row_of_a_large_csv(work, row, wrong):
    lines = [f"{i},n{i},{i % 360 - 180}.5,{i % 170 - 85}" for i in range(20000)]
    lines[17776] = row
    work.write("s.csv", "no,name,lon,lat\n" + "\n".join(lines) + "\n")
    if wrong is None:
        assert "seeds: 20000 used" in work.ok("--seeds", "s.csv", *GRID, "out.tif").summary
        return
    work.fails("--seeds", "s.csv", *GRID, "out.tif", has=["row 17777", wrong])
    done = work.ok("--seeds", "s.csv", "--skip-invalid", *GRID, "out.tif")
    assert "1 seeds skipped, 19999 used" in done.stderr and "row 17777" in done.stderr


def test_wide_ids(work):
    wide = [5_000_000_000, -1, 3]
    work.points(
        "s.gpkg", "GPKG", LON, LAT, fields=[("osm", ogr.OFTInteger64)], rows=[(i,) for i in wide]
    )
    work.ok("--seeds", "s.gpkg", "--id", "osm", *GRID, "out.tif")
    band = work.open("out.tif").GetRasterBand(1)
    assert band.DataType == gdal.GDT_Int64
    assert ids(work) == sorted(wide)
    assert band.GetNoDataValue() == -(2**63)
    assert work.table("out.tif")[gdal.GFU_MinMax] == [-1, 3, 5e9]


def test_duplicate_ids_and_places_are_legal(work):
    work.csv("s.csv", [0, 0, 50], [0, 0, 0], no=[4, 5, 4])
    work.ok("--seeds", "s.csv", "--id", "no", *GRID, "out.tif")
    assert ids(work) == [4]
    assert work.table("out.tif")[gdal.GFU_MinMax] == [4]


def test_skip_invalid_counts(work):
    work.write("s.csv", "lon,lat\n0,0\n,5\n10,abc\n20,nan\n30,95\n40,10\n")
    work.fails("--seeds", "s.csv", *GRID, "out.tif", has="row 2")
    done = work.ok("--seeds", "s.csv", "--skip-invalid", *GRID, "out.tif")
    assert ids(work) == [1, 6]
    assert "4 seeds skipped, 2 used" in done.stderr and "row 2" in done.stderr
    done = work.ok("--seeds", "s.csv", "--skip-invalid", "--quiet", "--overwrite", *GRID, "out.tif")
    assert done.stderr == ""


def test_axis_order_of_an_authority_crs(work):
    """EPSG:4326 and EPSG:31468 have northings first; files have x first all the same."""
    transform = osr.CoordinateTransformation(crs(4326), crs(31468))
    lon, lat = [11.2, 11.9, 12.3], [48.1, 48.7, 47.9]
    x, y, _ = zip(*transform.TransformPoints(list(zip(lon, lat))))
    work.points("s.gpkg", "GPKG", x, y, epsg=31468)
    work.ok("--seeds", "s.gpkg", "--res", "1000", "a.tif")
    out = work.open("a.tif")
    assert np.array_equal(out.ReadAsArray(), planar("euclidean", *centers(out), x, y) + 1)
    work.points("t.gpkg", "GPKG", lon, lat)
    work.ok("--seeds", "t.gpkg", "--like", "a.tif", "b.tif")
    assert np.mean(work.read("b.tif") == work.read("a.tif")) > 0.9999


def test_a_system_that_cannot_be_read_is_none(work):
    """Longitudes taken for a plane's coordinates would give wrong answers without a word."""
    work.points("s.shp", "ESRI Shapefile", LON, LAT)
    work.write("s.prj", 'GEOGCS["rubbish')
    work.fails(
        "--seeds",
        "s.shp",
        "--res",
        "5",
        "out.tif",
        has=["cannot read the coordinate system of s.shp"],
    )
    work.ok("--seeds", "s.shp", "--seeds-crs", "EPSG:4326", *GRID, "out.tif")
    assert ids(work) == [0, 1, 2]


@pytest.mark.parametrize("target", [3857, 3031, 32661, 2193, 27572, 2263, 2056])
def test_reprojection_agrees_with_gdal(work, target):
    area = {
        3857: (5, 40),
        3031: (5, -80),
        32661: (40, 85),
        2193: (173, -41),
        27572: (2.5, 47),
        2263: (-74, 40.8),
        2056: (8, 47),
    }[target]
    random = np.random.default_rng(target)
    lon, lat = area[0] + random.uniform(-0.4, 0.4, 20), area[1] + random.uniform(-0.4, 0.4, 20)
    source = {2193: 4167, 2056: 4150, 2263: 4269, 27572: 4275}.get(
        target, 4326
    )  # no datum shift to choose
    x, y, _ = zip(
        *osr.CoordinateTransformation(crs(source), crs(target)).TransformPoints(list(zip(lon, lat)))
    )
    work.points("s.gpkg", "GPKG", lon.tolist(), lat.tolist(), epsg=source)
    work.ok(
        "--seeds",
        "s.gpkg",
        "--crs",
        f"EPSG:{target}",
        "--size",
        "200,200",
        "--metric",
        "euclidean",
        "out.tif",
    )
    out = work.open("out.tif")
    assert np.mean(out.ReadAsArray() == planar("euclidean", *centers(out), x, y) + 1) > 0.9999


def test_kilometers_of_real_trees(work):
    path = real_data("projected/bei_trees_m.csv")
    rows = np.genfromtxt(path, delimiter=",", names=True, encoding="utf-8")
    work.ok("--seeds", path, "--extent", "0,0,200,100", "--res", "1", "out.tif")
    out = work.open("out.tif")
    assert np.array_equal(
        out.ReadAsArray(), planar("euclidean", *centers(out), rows["x"], rows["y"]) + 1
    )


@pytest.mark.parametrize(
    "name",
    [
        "cities/ne50m_populated_places.gpkg",
        "cities/ne50m_populated_places.csv",
        "airports/openflights.gpkg",
        "airports/openflights.csv",
        "facilities/earthquakes_m55.csv",
    ],
)
def test_real_seeds(work, name):
    path = real_data(name)
    work.ok("--seeds", path, "--res", "1", "--metric", "great-circle", "out.tif")
    columns = ["X_POSSIBLE_NAMES=lon", "Y_POSSIBLE_NAMES=lat"] if name.endswith("csv") else []
    _, lon, lat = positions(path, open_options=columns)
    out = work.open("out.tif")
    check_great_circle(out.ReadAsArray() - 1, *centers(out), lon, lat)
    assert work.table("out.tif")[gdal.GFU_MinMax] == np.unique(out.ReadAsArray()).tolist()


def test_names_of_real_places(work):
    path = real_data("cities/ne50m_populated_places.gpkg")
    work.ok("--seeds", path, "--res", "2", "out.tif")
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    layer = source.GetLayer(0)
    names = {f.GetFID(): f.GetField("name") for f in layer}
    table = work.table("out.tif")
    assert dict(zip(table[gdal.GFU_MinMax], table[gdal.GFU_Name])) == {
        value: names[value] for value in ids(work)
    }
