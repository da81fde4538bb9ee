"""Tables as CSV: those of OGR's CSV driver, but for the text of points, which is not rounded."""

import csv
import math
import os
import re
import signal
import subprocess
import time

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import COMMAND, crs, globe

GRID = ["--size", "90,45", "--metric", "great-circle"]

TEXTS = [
    "",
    "plain",
    "01",
    "1e5",
    "1e999",
    "1d5",
    "e5",
    "d5",
    "5e",
    "-",
    "+",
    ".",
    "-.",
    "--5",
    ".5",
    "5.",
    "+5",
    "-5",
    "-5.25",
    "5.5.5",
    "inf",
    "nan",
    " 5",
    "5 ",
    " leading",
    "trailing ",
    " ",
    "a;b",
    "1;2",
    "a\tb",
    "1\t",
    "0x10",
    "1_000",
    "1 2",
    "1:2",
    "12345678901234567890",
    "ä",
    "日本",
    "é5",
    "'",
    "true",
    "Dead",
    "1" * 400,
    "x" * 5000,
    "x\\",
    "#",
    "=1+1",
]
QUOTED = ["a,b", "1,5", 'say "so"', '"', "line\nbreak", "a\r\nb", "cr\rx", '5"', ","]
REALS = [
    0.1,
    1e-320,
    1e22,
    -0.0,
    0.0,
    123456789012345678.0,
    1 / 3,
    1e-5,
    12345.5,
    -2.5e-4,
    1e15,
    999999999999999.9,
    math.inf,
    -math.inf,
    100.0,
    5e-324,
    1.7976931348623157e308,
]

FIRST = 2  # attributes follow id and value


def ogr_table(work, source, options, rows=None):
    """The bytes of the table as OGR's CSV driver writes it, points without the quotation marks that they do not need: columns are
    those of a GeoPackage that the command writes. rows: the source's feature of each seed, counted from 0."""
    work.ok("--seeds", source, *options, "--stats", "oracle.gpkg", "--overwrite", "oracle.tif")
    seeds, table = (
        gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR) for name in (source, "oracle.gpkg")
    )
    from_layer, layer = seeds.GetLayer(0), table.GetLayer(0)
    features, definition = list(from_layer), layer.GetLayerDefn()
    attributes, like = from_layer.GetLayerDefn().GetFieldCount(), from_layer.GetLayerDefn()
    seen = list(layer)

    def is_typed(i):
        """Numbers of a CSV file's texts, if 15 digits are enough."""
        if definition.GetFieldDefn(i).GetType() not in (ogr.OFTReal, ogr.OFTInteger64):
            return False
        values = [row.GetField(i) for row in seen if not row.IsFieldNull(i)]
        return definition.GetFieldDefn(i).GetType() != like.GetFieldDefn(
            i - FIRST
        ).GetType() and all(float("%.15g" % value) == value for value in values)

    typed = [i for i in range(FIRST, attributes + FIRST) if is_typed(i)]
    made = ogr.GetDriverByName("CSV").CreateDataSource(str(work.path("oracle.csv")))
    out = made.CreateLayer(
        "oracle", None, ogr.wkbPoint, ["GEOMETRY=AS_WKT", "STRING_QUOTING=IF_NEEDED"]
    )
    for i in range(definition.GetFieldCount()):
        field = definition.GetFieldDefn(i)
        if FIRST <= i < attributes + FIRST and i not in typed:
            name, field = field.GetName(), like.GetFieldDefn(i - FIRST)
            copy = ogr.FieldDefn(name, field.GetType())
            copy.SetSubType(field.GetSubType())
            copy.SetWidth(field.GetWidth())
            copy.SetPrecision(field.GetPrecision())
            field = copy
        out.CreateField(field)
    for i, row in enumerate(seen):
        feature = ogr.Feature(out.GetLayerDefn())
        from_feature = features[rows[i] if rows is not None else i]
        feature.SetFromWithMap(from_feature, True, list(range(FIRST, attributes + FIRST)))
        for f in [*range(FIRST), *typed, *range(attributes + FIRST, definition.GetFieldCount())]:
            if row.IsFieldNull(f):
                feature.UnsetField(f)
            elif f in typed and definition.GetFieldDefn(f).GetType() == ogr.OFTReal:
                feature.SetField(f, float(from_feature.GetField(f - FIRST)))  # SQLite has no -0
            else:
                feature.SetField(f, row.GetField(f))
        feature.SetGeometry(row.GetGeometryRef().Clone())
        assert out.CreateFeature(feature) == 0
    made = out = None
    written = work.path("oracle.csv").read_bytes()
    work.path("oracle.csv").unlink()
    return re.sub(rb'(?m)^"(POINT \([^()]*\))"', rb"\1", written)


def check(work, source, *options, rows=None):
    options = [*GRID, *options]
    expected = ogr_table(work, source, options, rows)
    work.ok("--seeds", source, *options, "--stats", "t.csv", "--overwrite", "out.tif")
    assert work.path("t.csv").read_bytes() == expected
    return read(work)


def read(work, name="t.csv"):
    with open(work.path(name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def places(n, seed=3):
    """Of few decimals, as OGR writes them."""
    lon, lat = globe(n, seed=seed)
    return np.round(lon, 6).tolist(), np.round(lat, 6).tolist()


def lines(texts, n, header="name,lon,lat,other", end="\n"):
    lon, lat = places(n)
    return end.join(
        [header, *(f"{texts[i % len(texts)]},{lon[i]!r},{lat[i]!r},{i}" for i in range(n))]
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("last", ["", "end", "end end"], ids=["no end", "end", "empty line"])
def test_text(work, end, last):
    n = 3 * len(TEXTS)
    work.path("s.csv").write_bytes(
        (lines(TEXTS, n, end=end) + last.replace(" ", "").replace("end", end)).encode()
    )
    rows = check(work, "s.csv")
    assert [r["name"] for r in rows] == TEXTS * 3


def test_text_in_quotation_marks(work):
    texts = TEXTS + QUOTED
    work.path("s.csv").write_bytes(
        lines(['"' + t.replace('"', '""') + '"' for t in texts], len(texts)).encode()
    )
    check(work, "s.csv")


def test_many_rows(work):
    """With distances and a sum there are more columns."""
    n = 20000
    lon, lat = places(n)
    work.csv("s.csv", lon, lat, name=[f"place {i}" for i in range(n)], no=range(n))
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("p.tif")), 36, 18, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    made.SetSpatialRef(crs(4326))
    made.GetRasterBand(1).WriteArray(np.random.default_rng(1).uniform(0, 1e6, (18, 36)))
    made = None
    rows = check(work, "s.csv", "--sum", "p.tif")
    assert [int(r["id"]) for r in rows] == list(range(1, n + 1)) and [
        int(r["no"]) for r in rows
    ] == list(range(n))
    assert sum(r["centroid_x"] == "" for r in rows) > n / 2  # most have no cell


def test_seeds_that_are_left_out(work):
    """Rows keep their attributes where others are skipped: after reading, and while reading."""
    n = 9000
    lon, lat = places(n)
    for i in range(0, n, 7):
        lat[i] = 95.0
    kept = [i for i in range(n) if i % 7 != 0]
    work.csv("s.csv", lon, lat, name=[f"place {i}" for i in range(n)])
    rows = check(work, "s.csv", "--skip-invalid", rows=kept)
    assert [r["name"] for r in rows] == [f"place {i}" for i in kept]
    lines = work.path("s.csv").read_text().splitlines()
    for i in range(0, n, 7):
        lines[i + 1] = f"north,{lat[i]},place {i}"
    work.write("s.csv", "\n".join(lines))
    rows = check(work, "s.csv", "--skip-invalid", rows=kept)
    assert [r["name"] for r in rows] == [f"place {i}" for i in kept]


def test_where(work):
    lon, lat = places(5000)
    work.csv("s.csv", lon, lat, no=range(5000), name=["012"] * 5000)
    rows = check(work, "s.csv", "--where", "no > 1000 AND no < 4000", rows=list(range(1001, 4000)))
    assert [int(r["no"]) for r in rows] == list(range(1001, 4000)) and rows[0]["name"] == "012"


def test_ids_and_names(work):
    """Columns with names that exist already; ids of text are rows."""
    lon, lat = places(40)
    work.csv(
        "s.csv",
        lon,
        lat,
        id=[f"a{i}" for i in range(40)],
        cells=range(40),
        seed_id=["x"] * 40,
        WKT_=["y"] * 40,
    )
    rows = check(work, "s.csv", "--id", "id")
    assert [r["id"] for r in rows] == [str(i) for i in range(40)] and rows[7]["seed_cells"] == "7"
    work.csv("s.csv", lon, lat, no=[10**15 - i * 10**13 for i in range(40)])
    rows = check(work, "s.csv", "--id", "no")
    assert int(rows[3]["id"]) == 10**15 - 3 * 10**13


def make_layer(work, name, driver, fields, values, wkt=None):
    """fields: (name, type[, subtype[, width, precision]]); values: a list for each, used over and over, NULL where None."""
    source = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
    layer = source.CreateLayer("seeds", crs(4326), ogr.wkbPoint if wkt is None else ogr.wkbUnknown)
    for field in fields:
        made = ogr.FieldDefn(*field[:2])
        if len(field) > 2:
            made.SetSubType(field[2])
        if len(field) > 3:
            made.SetWidth(field[3])
            made.SetPrecision(field[4])
        layer.CreateField(made)
    n = max(map(len, values)) if wkt is None else len(wkt)
    lon, lat = places(n)
    for i in range(n):
        feature = ogr.Feature(layer.GetLayerDefn())
        for f, column in enumerate(values):
            value = column[i % len(column)]
            if value is None:
                feature.SetFieldNull(f)
            elif fields[f][1] == ogr.OFTBinary:
                feature.SetFieldBinaryFromHexString(f, value)
            else:
                feature.SetField(f, value)
        feature.SetGeometry(
            ogr.CreateGeometryFromWkt(
                wkt[i] if wkt is not None else f"POINT ({lon[i]!r} {lat[i]!r})"
            )
        )
        layer.CreateFeature(feature)


def test_types_of_a_geopackage(work):
    fields = [
        ("text", ogr.OFTString),
        ("whole", ogr.OFTInteger),
        ("long", ogr.OFTInteger64),
        ("real", ogr.OFTReal),
        ("single", ogr.OFTReal, ogr.OFSTFloat32),
        ("flag", ogr.OFTInteger, ogr.OFSTBoolean),
        ("day", ogr.OFTDate),
        ("moment", ogr.OFTDateTime),
        ("bytes", ogr.OFTBinary),
        ("short", ogr.OFTInteger, ogr.OFSTInt16),
    ]
    values = [
        TEXTS + QUOTED + [None],
        [0, 7, -(2**31), 2**31 - 1, None],
        [2**53 + 1, -(2**63), 2**63 - 1, None, 5],
        REALS + [None],
        [0.1, 1e10, None, 1 / 3],
        [0, 1, None],
        ["2001/02/03", None, "0999/12/31"],
        ["2001/02/03 04:05:06.789", "2001/02/03 04:05:06+00", None],
        ["00ff", "12", None, "1234567890"],
        [-5, None],
    ]
    make_layer(work, "s.gpkg", "GPKG", fields, values)
    check(work, "s.gpkg")


def test_types_of_other_formats(work):
    make_layer(
        work,
        "s.shp",
        "ESRI Shapefile",
        [
            ("width", ogr.OFTReal, ogr.OFSTNone, 12, 3),
            ("text", ogr.OFTString),
            ("day", ogr.OFTDate),
            ("n", ogr.OFTInteger64),
        ],
        [
            [1.5, -2.25, 1e6, None, 0.0005],
            ["ä", "5", None, " x"],
            ["2001/02/03", None],
            [2**40, None, -1],
        ],
    )
    check(work, "s.shp")
    features = ",".join(
        '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [%d, %d.5]}, "properties": {%s}}'
        % (3 * i, i, p)
        for i, p in enumerate(
            [
                '"time": "12:34:56", "x": 1e300',
                '"x": null',
                "",
                '"time": "01:02:03.5", "o": {"a": [1, "b"]}',
            ]
        )
    )
    work.write("s.geojson", '{"type": "FeatureCollection", "features": [%s]}' % features)
    rows = check(work, "s.geojson")
    assert [r["time"] for r in rows] == ["12:34:56", "", "", "01:02:03.500"]


def test_lists_are_ogrs(work):
    features = ",".join(
        '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [%d, %d.5]}, "properties": {%s}}'
        % (3 * i, i, p)
        for i, p in enumerate(
            ['"words": ["a", "b,c"], "numbers": [1, 2]', '"reals": [0.5, 1e300]', '"words": []']
        )
    )
    work.write("s.geojson", '{"type": "FeatureCollection", "features": [%s]}' % features)
    rows = check(work, "s.geojson")
    assert rows[0]["numbers"] == "[ 1, 2 ]"


def test_multipoints(work):
    lon, lat = places(6000)
    ends, texts, begin = [1, 700, 3900, 3901, 6000], ["a", "b,c", "1", None, 'q"'], 0
    wkt, features = [], []
    for i, end in enumerate(ends):
        wkt.append(
            "MULTIPOINT (" + ",".join(f"{lon[k]!r} {lat[k]!r}" for k in range(begin, end)) + ")"
        )
        features += [i] * (end - begin)
        begin = end
    make_layer(work, "m.gpkg", "GPKG", [("name", ogr.OFTString)], [texts], wkt)
    rows = check(work, "m.gpkg", rows=features)
    assert [r["name"] for r in rows] == [texts[i] or "" for i in features]


def test_plain_coordinates(work):
    """What OGR has a form of its own for: whole numbers beside others, signs, tiny and huge numbers of few digits."""
    x = [
        0,
        1,
        -5,
        0.5,
        -0.0,
        2.0**31,
        2.0**31 - 1,
        1e6,
        0.000025,
        1e-8,
        123456.789,
        -7.25,
        1 / 8,
        99999999.5,
        1e14,
        0.1,
    ]
    pairs = [(a, b) for a in x for b in x]
    work.csv("s.csv", [a for a, _ in pairs], [b for _, b in pairs], header="x,y")
    options = ["--extent", "0,0,100,100", "--size", "10,10", "--metric", "euclidean"]
    expected = ogr_table(work, "s.csv", options)
    work.ok("--seeds", "s.csv", *options, "--stats", "t.csv", "out.tif")
    assert work.path("t.csv").read_bytes() == expected


def test_no_coordinate_is_rounded(work):
    """OGR's text has 15 digits or decimals; here the numbers read back as they were, the rest of the row is OGR's."""
    x, y = globe(5000)
    x[:6], y[:6] = [1 / 3, 1e-9, 179.99999999999997, 1e-300, -1e-12, 0.1], [1, 2, 3, 4, 5, 6]
    work.csv("s.csv", x, y)
    expected = ogr_table(work, "s.csv", GRID).decode().splitlines()
    work.ok("--seeds", "s.csv", *GRID, "--stats", "t.csv", "out.tif")
    assert [line.split(")")[-1] for line in work.path("t.csv").read_text().splitlines()] == [
        line.split(")")[-1] for line in expected
    ]
    for line, a, b in zip(read(work), x.tolist(), y.tolist()):
        assert line["WKT"].startswith("POINT (") and line["WKT"].endswith(")")
        assert tuple(map(float, line["WKT"][7:-1].split(" "))) == (a, b)
        point = ogr.CreateGeometryFromWkt(line["WKT"])
        assert (point.GetX(), point.GetY()) == (a, b)


def test_other_forms_of_wkt_are_ogrs(work):
    """With OGR options for another format of numbers."""
    work.csv("s.csv", [1.23456789, 2.5], [3.14159265, 7.75])
    work.ok(
        "--seeds",
        "s.csv",
        *GRID,
        "--stats",
        "t.csv",
        "out.tif",
        env=dict(os.environ, OGR_WKT_PRECISION="2"),
    )
    assert [r["WKT"] for r in read(work)] == ["POINT (1.2 3.1)", "POINT (2.5 7.8)"]


@pytest.mark.parametrize("name", ["s.csv", "s.gpkg"])
def test_interrupted(work, name):
    """While rows are written: nothing is left."""
    n = 200000
    lon, lat = places(n)
    work.csv("s.csv", lon, lat, name=["place"] * n)
    if name == "s.gpkg":
        gdal.VectorTranslate(
            str(work.path(name)),
            str(work.path("s.csv")),
            format="GPKG",
            options=["-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat"],
        )
        work.path("s.csv").unlink()
    before = sorted(p.name for p in work.directory.iterdir())
    process = subprocess.Popen(
        [
            COMMAND,
            "--seeds",
            name,
            "--size",
            "20,10",
            "--stats",
            "t.csv",
            "--threads",
            "1",
            "out.tif",
        ],
        cwd=work.directory,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not list(work.directory.glob(".*tmp-*/t.csv")):
        time.sleep(0.0005)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert error in ("", "gpuvoronoi: error: interrupted\n")
    assert sorted(p.name for p in work.directory.iterdir()) == before


@pytest.mark.parametrize("ending", ["gpkg", "geojson", "fgb", "shp", "csv"])
@pytest.mark.parametrize(
    "ids",
    [[], ["--id", "code"], ["--id", "number"], ["--id", "wide"], ["--id", "value"]],
    ids=lambda ids: ids[-1] if ids else "",
)
def test_tables_join_by_value(work, ids, ending):
    """Cells by value, as the raster has them; what the seeds called so is there under another name."""
    lon, lat = places(30)
    work.csv(
        "s.csv",
        lon,
        lat,
        code=[f"{i:05d}x" for i in range(30)],
        number=[f"0{1067 + i}" for i in range(30)],
        wide=[2**40 + i for i in range(30)],
        value=[900 + i for i in range(30)],
    )
    work.ok(
        "--seeds",
        "s.csv",
        *ids,
        "--size",
        "200,100",
        "--metric",
        "great-circle",
        "--stats",
        f"t.{ending}",
        "--polygons",
        f"p.{ending}",
        "o.tif",
    )
    values, counts = np.unique(work.read("o.tif"), return_counts=True)
    cells = dict(zip(values.tolist(), counts.tolist()))
    for name in "t", "p":
        opened = gdal.OpenEx(str(work.path(f"{name}.{ending}")), gdal.OF_VECTOR)
        layer = opened.GetLayer(0)
        kind = (
            layer.GetLayerDefn()
            .GetFieldDefn(layer.GetLayerDefn().GetFieldIndex("value"))
            .GetTypeName()
        )
        assert kind in ("Integer", "Integer64") or ending == "csv"
        rows = [feature.items() for feature in layer]
        assert [int(row["value"]) for row in rows] == [int(row["id"]) for row in rows]
        assert [int(row["seed_value"]) for row in rows] == list(range(900, 930))
        assert [row["number"] for row in rows] == [f"0{1067 + i}" for i in range(30)]
        if name == "t":
            assert {int(row["value"]): int(row["cells"]) for row in rows} == cells
        else:
            assert {int(row["value"]) for row in rows} == set(cells)
