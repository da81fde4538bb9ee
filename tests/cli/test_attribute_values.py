"""--attribute: a numeric field of the nearest seed in place of its id. The oracle is a tree of scipy over unit vectors."""

import numpy as np
import pytest
from conftest import globe
from osgeo import gdal, ogr
from scipy.spatial import cKDTree

COUNT = 150
LON, LAT = globe(COUNT, seed=11)
SIZE = (360, 180)
GRID = ["--metric", "great-circle", "--size", "360,180"]
FLOATS = np.random.default_rng(3).normal(size=COUNT) * 1e3
WIDE = 2**53 + 1 + np.arange(COUNT, dtype=np.int64) * 3  # no double holds them all
FIELDS = {
    "real": (ogr.OFTReal, None, FLOATS),
    "float": (ogr.OFTReal, ogr.OFSTFloat32, FLOATS.astype(np.float32)),
    "small": (ogr.OFTInteger, None, np.arange(COUNT) % 7 - 3),
    "wide": (ogr.OFTInteger64, None, WIDE),
}
TYPES = {"real": "Float64", "float": "Float32", "small": "Int32", "wide": "Int64"}


def unit(lon, lat):
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)


def nearest(k=1):
    """Distances in meters and numbers of the seeds of each cell's center, rows x columns x k."""
    lon, lat = np.meshgrid((np.arange(SIZE[0]) + 0.5) - 180, 90 - (np.arange(SIZE[1]) + 0.5))
    chord, number = cKDTree(unit(LON, LAT)).query(unit(lon, lat), k=k)
    return 2 * np.arcsin(chord / 2), number


@pytest.fixture
def layer(work):
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("s.gpkg")))
    made = source.CreateLayer("seeds", None, ogr.wkbPoint)
    for name, (kind, subtype, _) in FIELDS.items():
        field = ogr.FieldDefn(name, kind)
        if subtype is not None:
            field.SetSubType(subtype)
        made.CreateField(field)
    made.CreateField(ogr.FieldDefn("text", ogr.OFTString))
    for i in range(COUNT):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({LON[i]!r} {LAT[i]!r})"))
        for name, (_, _, values) in FIELDS.items():
            feature.SetField(name, int(values[i]) if values.dtype.kind == "i" else float(values[i]))
        feature.SetField("text", f"seed {i}")
        made.CreateFeature(feature)
    source = None
    return work


@pytest.mark.parametrize("name", FIELDS)
def test_values_of_the_nearest(layer, name):
    layer.ok(
        "--seeds",
        "s.gpkg",
        "--seeds-crs",
        "EPSG:4326",
        *GRID,
        "-k",
        "3",
        "--attribute",
        name,
        "out.tif",
    )
    out = layer.open("out.tif")
    band = out.GetRasterBand(1)
    assert gdal.GetDataTypeName(band.DataType) == TYPES[name]
    assert out.GetRasterBand(2).GetDescription() == f"{name} of the 2nd nearest seed"
    assert out.GetMetadataItem("GPUVORONOI_ATTRIBUTE") == name
    assert band.GetDefaultRAT() is None
    assert np.array_equal(np.moveaxis(out.ReadAsArray(), 0, -1), FIELDS[name][2][nearest(3)[1]])


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("backend", ["serial", "tile", "kdtree"])
def test_nodata_where_there_is_no_seed(layer, name, backend):
    layer.ok(
        "--seeds",
        "s.gpkg",
        "--seeds-crs",
        "EPSG:4326",
        *GRID,
        "--attribute",
        name,
        "--max-distance",
        "900km",
        "--backend",
        backend,
        "--distance",
        "d.tif",
        "--stats",
        "t.csv",
        "out.tif",
    )
    arc, number = nearest()
    band = layer.open("out.tif").GetRasterBand(1)
    values = band.ReadAsArray()
    missing = arc * 6371008.7714 > 900e3
    assert missing.any() and not missing.all()
    if name in ("real", "float"):
        assert np.isnan(band.GetNoDataValue()) and np.array_equal(np.isnan(values), missing)
    else:
        nodata = band.GetNoDataValueAsInt64() if name == "wide" else band.GetNoDataValue()
        assert nodata not in FIELDS[name][2] and np.array_equal(values == nodata, missing)
        assert nodata == (-(2**31) if name == "small" else -1)
    assert np.array_equal(values[~missing], FIELDS[name][2][number[~missing]])
    rows = sum(1 for _ in open(layer.path("t.csv")))
    assert rows == COUNT + 1


def test_columns_of_a_csv_file(work):
    work.csv(
        "s.csv", LON, LAT, real=[repr(float(v)) for v in FLOATS], wide=WIDE, text=["a"] * COUNT
    )
    _, number = nearest()
    for name in ("real", "wide"):
        work.ok("--seeds", "s.csv", *GRID, "--attribute", name, "--overwrite", "out.tif")
        out = work.open("out.tif")
        assert gdal.GetDataTypeName(out.GetRasterBand(1).DataType) == TYPES[name]
        assert np.array_equal(out.ReadAsArray(), FIELDS[name][2][number])
    work.fails(
        "--seeds",
        "s.csv",
        *GRID,
        "--attribute",
        "text",
        "no.tif",
        has=["--attribute", "'text'", "not a number"],
    )


def test_types(layer):
    seeds = ["--seeds", "s.gpkg", "--seeds-crs", "EPSG:4326", *GRID]
    _, number = nearest()
    for name, kind, values in (
        ("real", "Float32", FLOATS.astype(np.float32)),
        ("small", "Float32", FIELDS["small"][2]),
        ("small", "Int16", FIELDS["small"][2]),
    ):
        layer.ok(*seeds, "--attribute", name, "--ot", kind, "--overwrite", "out.tif")
        out = layer.open("out.tif")
        assert gdal.GetDataTypeName(out.GetRasterBand(1).DataType) == kind
        assert np.array_equal(out.ReadAsArray(), values[number])
    layer.fails(
        *seeds,
        "--attribute",
        "small",
        "--ot",
        "Byte",
        "no.tif",
        has=["--ot Byte", "attribute out of range (-3)", "0 to 255"],
    )
    layer.fails(
        *seeds,
        "--attribute",
        "real",
        "--ot",
        "Int32",
        "no.tif",
        has=["--ot Int32", "not a whole number", "use Float64"],
    )
    layer.fails(
        *seeds,
        "--attribute",
        "wide",
        "--ot",
        "Float64",
        "no.tif",
        has=["--ot Float64", "is not exact"],
    )
    layer.fails(*seeds, "--attribute", "real", "--nodata", "7", "no.tif", has=["--nodata", "NaN"])
    layer.fails(
        *seeds,
        "--attribute",
        "small",
        "--nodata",
        "2",
        "no.tif",
        has=["--nodata: 2 is the attribute of a seed; use another number"],
    )


def test_whole_reals_as_integers(work):
    work.points(
        "s.gpkg", "GPKG", [1, 2], [1, 1], fields=[("code", ogr.OFTReal)], rows=[[7.0], [9.0]]
    )
    work.ok(
        "--seeds",
        "s.gpkg",
        "--attribute",
        "code",
        "--ot",
        "Byte",
        "--extent",
        "0,0,4,2",
        "--size",
        "8,4",
        "out.tif",
    )
    out = work.open("out.tif")
    assert out.GetRasterBand(1).DataType == gdal.GDT_Byte and set(out.ReadAsArray().flat) == {7, 9}


def test_fields_that_are_refused(layer):
    seeds = ["--seeds", "s.gpkg", "--seeds-crs", "EPSG:4326", *GRID]
    layer.fails(
        *seeds,
        "--attribute",
        "text",
        "no.tif",
        has=["--attribute", "'text'", "String", "expected numbers"],
    )
    layer.fails(*seeds, "--attribute", "none", "no.tif", has=["--attribute", "(none)", "small"])
    layer.fails(
        *seeds, "--attribute", "real", "--stats", "t.csv", status=2, has=["--attribute", "OUT"]
    )
    layer.fails(
        *seeds,
        "--attribute",
        "real",
        "--polygons",
        "p.gpkg",
        "no.tif",
        status=2,
        has=["--attribute", "--polygons"],
    )
    layer.fails(
        *seeds, "--ot", "Float64", "no.tif", status=2, has=["--ot", "Float64", "--attribute"]
    )


def test_seeds_without_a_value(work):
    work.csv("s.csv", [1, 2, 3], [1, 1, 1], header="x,y", v=["1.5", "", "nan"])
    grid = ["--attribute", "v", "--extent", "0,0,4,2", "--size", "8,4"]
    work.fails("--seeds", "s.csv", *grid, "no.tif", has=["row 2", "attribute field 'v' is empty"])
    work.ok("--seeds", "s.csv", *grid, "--skip-invalid", "--quiet", "out.tif")
    assert (work.read("out.tif") == 1.5).all()


def test_skipped_seeds_move_values(work):
    work.csv("s.csv", [100, 10, 20], [95, 10, 10], v=[1.5, 2.5, 3.5])
    work.ok("--seeds", "s.csv", "--attribute", "v", *GRID, "--skip-invalid", "--quiet", "out.tif")
    values = work.read("out.tif")
    assert values[80, 190] == 2.5 and values[80, 200] == 3.5 and set(values.flat) == {2.5, 3.5}


def test_lines_have_values(work):
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("s.gpkg")))
    made = source.CreateLayer("lines", None, ogr.wkbLineString)
    made.CreateField(ogr.FieldDefn("speed", ogr.OFTReal))
    for y, speed in ((1, 30.5), (3, 50.25)):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"LINESTRING (0 {y}, 4 {y})"))
        feature.SetField("speed", speed)
        made.CreateFeature(feature)
    source = None
    work.ok(
        "--seeds",
        "s.gpkg",
        "--attribute",
        "speed",
        "--extent",
        "0,0,4,4",
        "--size",
        "4,4",
        "out.tif",
    )
    assert np.array_equal(
        work.read("out.tif"), np.repeat([[50.25], [50.25], [30.5], [30.5]], 4, axis=1)
    )
