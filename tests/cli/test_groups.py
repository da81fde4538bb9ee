"""Seeds of one id are one region in rasters, attribute tables and polygons; in --stats with --group."""

import csv

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import globe

COUNT, IDS = 90, 13
LON, LAT = globe(COUNT, seed=31)
NUMBER = [(7 * i) % IDS for i in range(COUNT)]
GRID = ["--seeds", "s.csv", "--id", "number", "--size", "600,300", "--metric", "great-circle"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, number=NUMBER, name=[f"place {i}" for i in range(COUNT)])
    people = gdal.GetDriverByName("GTiff").Create(str(work.path("people.tif")), 60, 30)
    people.SetGeoTransform((-180, 6, 0, 90, 0, -6))
    from conftest import crs

    people.SetSpatialRef(crs(4326))
    people.GetRasterBand(1).WriteArray(np.random.default_rng(3).integers(0, 99, (30, 60)))
    people = None
    return work


def rows(work, name):
    with open(work.path(name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--distance", "d.tif"],
        ["--no-stats-distances"],
        ["--threads", "1"],
        ["--max-distance", "2000km"],
    ],
    ids=lambda options: " ".join(options),
)
@pytest.mark.parametrize("out", [["out.tif"], []], ids=["with OUT", "alone"])
def test_a_row_an_id(seeds, options, out):
    seeds.ok(
        *GRID, *options, "--stats", "each.csv", "--sum", "people.tif", "--overwrite", "out.tif"
    )
    seeds.ok(
        *GRID, *options, "--stats", "t.csv", "--sum", "people.tif", "--group", "--overwrite", *out
    )
    ids, cells = np.unique(seeds.read("out.tif"), return_counts=True)
    cells_of = dict(zip(ids.tolist(), cells.tolist()))
    each, grouped = rows(seeds, "each.csv"), rows(seeds, "t.csv")
    assert [row["number"] if "number" in row else row["id"] for row in grouped] == [
        str(NUMBER[i]) for i in range(IDS)
    ]  # the first of each
    for i, row in enumerate(grouped):
        mine = [one for one, number in zip(each, NUMBER) if number == NUMBER[i]]
        assert row["name"] == f"place {i}" and int(row["seeds"]) == len(mine)
        assert (
            int(row["cells"])
            == sum(int(one["cells"]) for one in mine)
            == cells_of.get(NUMBER[i], 0)
        )
        assert float(row["area_km2"]) == pytest.approx(
            sum(float(one["area_km2"]) for one in mine), rel=1e-12
        )
        assert float(row["people_sum"]) == pytest.approx(
            sum(float(one["people_sum"]) for one in mine), rel=1e-12
        )
        if "--no-stats-distances" not in options and mine and int(row["cells"]):
            assert float(row["distance_max"]) == max(
                float(one["distance_max"]) for one in mine if one["distance_max"]
            )
    assert len(grouped) == IDS and len(each) == COUNT


def test_one_region_everywhere(seeds):
    seeds.ok(*GRID, "--polygons", "p.geojson", "--stats", "t.csv", "--group", "out.tif")
    table = seeds.table("out.tif")
    assert table[gdal.GFU_MinMax] == list(range(IDS))
    source = ogr.Open(str(seeds.path("p.geojson")))
    assert sorted(feature["id"] for feature in source.GetLayer(0)) == list(range(IDS))


def test_ids_that_do_not_repeat(seeds):
    grid = ["--seeds", "s.csv", "--size", "60,30", "--overwrite"]
    seeds.ok(*grid, "--stats", "a.csv", "out.tif")
    seeds.ok(*grid, "--stats", "b.csv", "--group", "out.tif")
    one, other = rows(seeds, "a.csv"), rows(seeds, "b.csv")
    assert [{**row, "seeds": "1"} for row in one] == other


def test_wide_ids(seeds):
    seeds.csv("w.csv", LON, LAT, number=[10**12 + i for i in NUMBER])
    seeds.ok(
        "--seeds", "w.csv", "--id", "number", *GRID[4:], "--stats", "w_t.csv", "--group", "out.tif"
    )
    seeds.ok(*GRID, "--stats", "t.csv", "--group", "--overwrite", "out.tif")
    assert [row["cells"] for row in rows(seeds, "w_t.csv")] == [
        row["cells"] for row in rows(seeds, "t.csv")
    ]


def test_it_needs_a_table(seeds):
    seeds.fails(*GRID, "--group", "out.tif", status=2, has="--group: missing --stats")


# ---------------------------------------------------------------------------------------------------------- texts as ids

TOWNS = [f"town {(5 * i) % 11}" for i in range(COUNT)]
FIRST = [TOWNS.index(town) for town in TOWNS]


def test_equal_texts_are_one_region(work):
    """As the integers would be that number them by their first rows."""
    work.csv("s.csv", LON, LAT, town=TOWNS, first=FIRST)
    grid = ["--seeds", "s.csv", *GRID[4:], "--max-distance", "3000km"]
    for name, field in ("text", "town"), ("integer", "first"):
        work.ok(
            *grid,
            "--id",
            field,
            "--stats",
            f"{name}.csv",
            "--distance",
            f"{name}_d.tif",
            "--polygons",
            f"{name}.geojson",
            f"{name}.tif",
        )
        work.ok(*grid, "--id", field, "--stats", f"{name}_g.csv", "--group")
        work.ok(*grid, "--id", field, f"{name}_alone.tif")
    for kind in "{}.tif", "{}_d.tif", "{}_alone.tif":
        assert np.array_equal(
            work.read(kind.format("text")), work.read(kind.format("integer")), equal_nan=True
        )
    for kind in "{}.csv", "{}_g.csv", "{}.geojson":
        texts = [work.path(kind.format(name)).read_text() for name in ("text", "integer")]
        assert texts[0] == texts[1].replace("integer", "text")
    table = work.table("text.tif")
    assert table[gdal.GFU_MinMax] == sorted(set(FIRST)) and table[gdal.GFU_Name] == [
        TOWNS[i] for i in sorted(set(FIRST))
    ]
    grouped = rows(work, "text_g.csv")
    assert len(grouped) == 11 and [int(row["value"]) for row in grouped] == sorted(set(FIRST))
    assert [int(row["seeds"]) for row in grouped] == [TOWNS.count(row["town"]) for row in grouped]
    each = rows(work, "text.csv")
    assert len(each) == COUNT and [int(row["value"]) for row in each] == FIRST


def test_texts_beyond_the_attribute_table(work):
    count = 70000
    lon, lat = np.random.default_rng(8).uniform((-180, -90), (180, 90), (count, 2)).T
    work.csv("s.csv", lon, lat, town=[f"t{i % 9}" for i in range(count)])
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "town",
        "--size",
        "300,150",
        "--metric",
        "great-circle",
        "--stats",
        "t.csv",
        "--group",
        "o.tif",
    )
    assert set(np.unique(work.read("o.tif"))) == set(range(9)) and len(rows(work, "t.csv")) == 9


def test_seeds_without_a_text_stay_apart(work):
    work.write("s.csv", "x,y,code\n1,1,\n3,1,a\n5,1,\n7,1,a\n9,1,A\n")
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "code",
        "--extent",
        "0,0,10,2",
        "--res",
        "2",
        "--stats",
        "t.csv",
        "o.tif",
    )
    assert work.read("o.tif").tolist() == [[0, 1, 2, 1, 4]]
    assert [row["value"] for row in rows(work, "t.csv")] == ["0", "1", "2", "1", "4"]


def test_texts_of_layers(work):
    """Lines make a layer be read twice; rows that a clause leaves out are not counted."""
    work.write(
        "s.geojson",
        '{"type":"FeatureCollection","features":['
        + ",".join(
            f'{{"type":"Feature","properties":{{"code":"{code}","n":{i}}},"geometry":{{"type":"{kind}","coordinates":{place}}}}}'
            for i, (code, kind, place) in enumerate(
                [
                    ("x", "Point", "[9,9]"),
                    ("b", "Point", "[1,1]"),
                    ("a", "LineString", "[[4,0],[4,2]]"),
                    ("b", "Point", "[7,1]"),
                ]
            )
        )
        + "]}",
    )
    work.ok(
        "--seeds",
        "s.geojson",
        "--seeds-crs",
        "EPSG:3035",
        "--where",
        "n > 0",
        "--id",
        "code",
        "--extent",
        "0,0,8,2",
        "--res",
        "1",
        "--polygons",
        "p.geojson",
        "o.tif",
    )
    assert work.read("o.tif")[0].tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    source = ogr.Open(str(work.path("p.geojson")))
    assert [(f["value"], f["id"], f["code"]) for f in source.GetLayer(0)] == [
        (0, 0, "b"),
        (1, 1, "a"),
    ]


def test_colors_know_all_seeds_of_an_id(work):
    """OUT is the same whether blocks hold ids or, for distances, seed numbers."""
    x, y = globe(80, seed=4)
    work.csv("seeds.csv", x, y, code=[i % 20 for i in range(80)])
    work.ok("--seeds", "seeds.csv", "--id", "code", "--size", "500,390", "a.tif")
    work.ok(
        "--seeds", "seeds.csv", "--id", "code", "--size", "500,390", "--distance", "d.tif", "b.tif"
    )
    assert work.table("a.tif") == work.table("b.tif")
