"""Values that a format of tables or a type of rasters does not hold are an error or a warning, whichever job writes them."""

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import crs, globe

JOBS = {
    "diagram": lambda out: ["diagram", "--seeds", "s.gpkg", out],
    "search": lambda out: ["search", "--reference", "s.gpkg", "-k", 1, "--keep", "v", out],
    "stats": lambda out: ["--seeds", "s.gpkg", "--size", "16,8", "--stats", out],
}


def seeds(work, *fields):
    """s.gpkg, points with fields of (name, kind, values)."""
    work.path("s.gpkg").unlink(missing_ok=True)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("s.gpkg")))
    layer = source.CreateLayer("s", crs(4326), ogr.wkbPoint)
    for name, kind, _ in fields:
        layer.CreateField(ogr.FieldDefn(name, kind))
    for i in range(len(fields[0][2])):
        feature = ogr.Feature(layer.GetLayerDefn())
        for field, (_, kind, values) in enumerate(fields):
            if values[i] is not None:
                put = {
                    ogr.OFTInteger64: feature.SetFieldInteger64,
                    ogr.OFTBinary: feature.SetFieldBinaryFromHexString,
                }.get(kind, feature.SetField)
                put(field, values[i])
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({20 * i} {20 * i})"))
        layer.CreateFeature(feature)


def read(work, name):
    """Values by the seed, of the field that ends with v."""
    source = ogr.Open(str(work.path(name)))
    layer = source.GetLayer(0)
    names = [field.name for field in layer.schema]
    key = next(one for one in names if one.lower() in ("seed", "query", "id"))
    field = next(one for one in names if one.lower() in ("v", "query_v"))
    return [
        value
        for _, value in sorted(
            (int(f[key]), f.GetFieldAsString(field) if f[field] is not None else None)
            for f in layer
        )
    ]


REFUSED = [
    ("shp", ogr.OFTReal, [1e300, 1.0], "1e+300"),
    ("shp", ogr.OFTReal, [0.5, -1.25e-20], "-1.25e-20"),
    ("dbf", ogr.OFTInteger64, [1, -4611686018427387904], "-4611686018427387904"),
    ("tab", ogr.OFTInteger64, [1, 2**40], str(2**40)),
    ("gdb", ogr.OFTInteger64, [1, 2**53 + 1], str(2**53 + 1)),
    ("ods", ogr.OFTReal, [1.0, 1e-30], "1e-30"),
    ("xlsx", ogr.OFTDate, ["1850/01/02", "1990/01/02"], "1850/01/02"),
]


@pytest.mark.parametrize(
    "ending,kind,values,shown,job", [(*one, job) for one, job in zip(REFUSED, 3 * list(JOBS))]
)
def test_refused(work, ending, kind, values, shown, job):
    if (
        ogr.GetDriverByName({"gdb": "OpenFileGDB", "ods": "ODS", "xlsx": "XLSX"}.get(ending, "CSV"))
        is None
    ):
        pytest.skip(f"GDAL writes no .{ending} here")
    seeds(work, ("v", kind, values))
    message = work.fails(*JOBS[job](f"o.{ending}"), has=["does not ", shown, "use .gpkg"])
    assert message.count("\n") == 0


@pytest.mark.parametrize("job", JOBS)
def test_kept(work, job):
    """What fits is kept: small and large numbers, missing values, times in formats without them as text."""
    seeds(work, ("v", ogr.OFTReal, [123456789012.25, -0.001953125, None, 0.0]))
    work.ok(*JOBS[job]("o.shp"))
    assert [None if one is None else float(one) for one in read(work, "o.shp")] == [
        123456789012.25,
        -0.001953125,
        None,
        0.0,
    ]
    seeds(work, ("v", ogr.OFTDateTime, ["2001/02/03 04:05:06", None, "1999/12/31 23:59:58.250"]))
    work.ok(*JOBS[job]("times.dbf"))
    assert read(work, "times.dbf") == ["2001/02/03 04:05:06", None, "1999/12/31 23:59:58.250"]


@pytest.mark.parametrize("job", JOBS)
def test_warned(work, job):
    seeds(work, ("v", ogr.OFTString, ["x" * 255, "y" * 254, "z"]))
    for ending in "tab", "dbf":
        done = work.ok(*JOBS[job](f"o.{ending}"))
        assert f"1 texts of more than 254 bytes are cut in o.{ending}" in done.stderr
        assert read(work, f"o.{ending}") == ["x" * 254, "y" * 254, "z"]
    seeds(work, ("v", ogr.OFTDateTime, ["2001/02/03 04:05:06+02", "2001/02/03 04:05:06", None]))
    assert "does not hold the time zone" in work.ok(*JOBS[job]("o.mif")).stderr


def test_columns_stay_in_place(work):
    """A field of a type that the format does not have is text, and the values of the others stay in their columns."""
    seeds(
        work,
        ("blob", ogr.OFTBinary, ["0102", "03"]),
        ("a", ogr.OFTInteger, [7, 8]),
        ("b", ogr.OFTString, ["text 0", "text 1"]),
    )
    work.ok("search", "--reference", "s.gpkg", "-k", 1, "--keep", "*", "o.gml")
    source = ogr.Open(str(work.path("o.gml")))
    assert [
        (row["reference_blob"], row["reference_a"], row["reference_b"])
        for row in source.GetLayer(0)
    ] == [("03", 8, "text 1"), ("0102", 7, "text 0")]


def test_distances_and_attributes_beyond_float32(work):
    """Values that a type does not hold are an error, not infinite."""
    work.write("far.csv", "x,y,v,w\n0,0,1e300,1\n1e100,1e100,2,1e-300\n")
    size = ["--seeds", "far.csv", "--size", "4,4"]
    message = work.fails(*size, "--distance", "d.tif", has="exceed the range of Float32")
    assert "--distance-type Float64" in message
    work.fails(
        *size,
        "--attribute",
        "v",
        "--ot",
        "Float32",
        "v.tif",
        has="--ot Float32: value out of range (attribute 1.0000000000000001e+300)",
    )
    wide = [*size, "--distance-type", "Float64", "--distance", "d.tif"]
    work.ok(*wide)
    assert np.isfinite(work.read("d.tif")).all()
    friction = gdal.GetDriverByName("GTiff").Create(
        str(work.path("f.tif")), 4, 4, 1, gdal.GDT_Float64
    )
    friction.SetGeoTransform([0, 1, 0, 4, 0, -1])
    friction.GetRasterBand(1).Fill(1e40)
    friction = None
    work.write("s.csv", "x,y\n0.5,0.5\n")
    cost = ["--seeds", "s.csv", "--cost", "f.tif", "--distance", "c.tif"]
    work.fails(*cost, has="exceed the range of Float32")
    work.ok(*cost, "--distance-type", "Float64")
    assert work.read("c.tif").max() > 1e40


@pytest.mark.parametrize(
    "options,column",
    [
        (["--level", "3"], "id64"),
        (["--cells-of", "s2:2"], "cell"),
        (["--cells-of", "healpix:2"], "cell"),
    ],
)
def test_ids_of_cells_keep_all_digits(work, options, column):
    """Shapefiles hold 18 digits as integers: longer ids are texts there."""
    work.csv("s.csv", *globe(5))
    ids = {}
    for name in ("c.shp", "c.gpkg"):
        work.ok("--seeds", "s.csv", *options, "--cells", name)
        layer = ogr.Open(str(work.path(name)))
        ids[name] = sorted(feature.GetFieldAsString(column) for feature in layer.GetLayer(0))
        types = layer.GetLayer(0).GetLayerDefn()
        if name == "c.shp":
            assert (types.GetFieldDefn(types.GetFieldIndex(column)).GetType() == ogr.OFTString) == (
                options[1] != "healpix:2"
            )
    assert ids["c.shp"] == ids["c.gpkg"] and len(ids["c.shp"]) > 90
