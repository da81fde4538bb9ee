"""Texts and names of columns that are not UTF-8: recoded on reading, so that every output is valid UTF-8, with one warning."""

import csv
import json
import xml.dom.minidom

import pytest
from osgeo import ogr

GRID = ["--res", "1", "--extent", "0,0,8,8"]
NAMES = ["café", "Łódź", "plain"]


def table(work, name, encoding, heading="naïve"):
    """Three points with names in a text file."""
    rows = [f"x,y,{heading}", *(f"{2 * i + 1},{3 * i + 1},{text}" for i, text in enumerate(NAMES))]
    work.path(name).write_bytes("\n".join(rows).encode(encoding, "replace") + b"\n")
    return name


def shapefile(work, encoding):
    """The same as a Shapefile with no .cpg and no language in its .dbf."""
    made = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(work.path("s.shp")))
    layer = made.CreateLayer("s", None, ogr.wkbPoint, ["ENCODING=" + encoding])
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for i, text in enumerate(NAMES):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["name"] = text
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({2 * i + 1} {3 * i + 1})"))
        layer.CreateFeature(feature)
    layer = made = None
    work.path("s.cpg").unlink(missing_ok=True)
    with open(work.path("s.dbf"), "r+b") as dbf:
        dbf.seek(29)
        dbf.write(b"\0")
    return "s.shp"


def names(work, table_name="t.csv", column="naïve"):
    with open(work.path(table_name), encoding="utf-8") as rows:
        return [row[column] for row in csv.DictReader(rows)]


def expected(encoding, read_as):
    return [text.encode(encoding, "replace").decode(read_as) for text in NAMES]


@pytest.mark.parametrize(
    "encoding, option, read_as, warned",
    [
        ("utf-8", None, "utf-8", False),
        ("latin-1", None, "latin-1", True),
        ("cp1250", None, "latin-1", True),
        ("latin-1", "ISO-8859-1", "latin-1", False),
        ("cp1250", "CP1250", "cp1250", False),
        ("utf-8", "ISO-8859-1", "latin-1", False),
    ],
)
def test_text_files(work, encoding, option, read_as, warned):
    source = table(work, "a.csv", encoding, heading="naive")
    options = [] if option is None else ["--oo", f"ENCODING={option}"]
    done = work.run(
        "--seeds",
        source,
        *options,
        "--id",
        "naive",
        *GRID,
        "--stats",
        "t.csv",
        "--polygons",
        "p.geojson",
        "o.tif",
        "--json",
    )
    report = json.loads(done.stdout)
    assert [w["code"] for w in report["warnings"]] == (["encoding"] if warned else []) + [
        "crs-not-stored"
    ]  # GeoJSON of a plane
    assert names(work, column="naive") == expected(encoding, read_as)
    with open(work.path("p.geojson"), encoding="utf-8") as regions:
        assert {f["properties"]["naive"] for f in json.load(regions)["features"]} == set(
            expected(encoding, read_as)
        )
    for file in "o.tif.aux.xml", "o.qml":
        xml.dom.minidom.parse(str(work.path(file)))


@pytest.mark.parametrize(
    "encoding, option, read_as", [("ISO-8859-1", None, "latin-1"), ("CP1250", "CP1250", "cp1250")]
)
def test_shapefiles_without_cpg(work, encoding, option, read_as):
    source = shapefile(work, encoding)
    options = [] if option is None else ["--oo", f"ENCODING={option}"]
    report = json.loads(
        work.run(
            "--seeds",
            source,
            *options,
            "--id",
            "name",
            *GRID,
            "--stats",
            "t.csv",
            "o.tif",
            "--json",
        ).stdout
    )
    assert [w["code"] for w in report["warnings"]] == ([] if option else ["encoding"])
    assert names(work, column="name") == expected(read_as, read_as)
    work.ok(
        "search",
        "--reference",
        source,
        "--queries",
        source,
        "-k",
        "1",
        *(["--oo", options[1], "--query-oo", options[1]] if option else []),
        "--keep",
        "name",
        "n.geojson",
    )
    work.path("n.geojson").read_text(encoding="utf-8")


def test_names_of_columns(work):
    source = table(work, "a.csv", "latin-1")
    work.ok("--seeds", source, "--id", "naïve", *GRID, "--stats", "t.csv", "o.tif")
    assert names(work) == expected("latin-1", "latin-1")
    work.fails("--seeds", source, "--id", "other", *GRID, "x.tif", has="naïve")


@pytest.mark.parametrize(
    "encoding, option", [("utf-8", None), ("latin-1", None), ("cp1250", "CP1250")]
)
def test_where_has_the_text_that_people_see(work, encoding, option):
    source = table(work, "a.csv", encoding, heading="n\u00e9m")
    options = [] if option is None else ["--oo", f"ENCODING={option}"]
    for text in "café", "Łódź" if option else "plain":
        work.ok(
            "--seeds",
            source,
            *options,
            "--where",
            f"\"n\u00e9m\" = '{text}'",
            *GRID,
            "--stats",
            "t.csv",
            "--overwrite",
            "o.tif",
        )
        assert names(work, column="n\u00e9m") == [text]


def test_standard_input(work):
    table(work, "a.csv", "latin-1")
    work.ok(
        "--seeds", "-", *GRID, "--stats", "t.csv", "o.tif", stdin=open(work.path("a.csv"), "rb")
    )
    assert names(work) == expected("latin-1", "latin-1")


def test_unknown_encoding(work):
    work.fails(
        "--seeds",
        table(work, "a.csv", "latin-1"),
        "--oo",
        "ENCODING=nonsense",
        *GRID,
        "o.tif",
        has="seeds: a.csv: unknown encoding (nonsense)",
    )
