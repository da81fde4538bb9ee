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


@pytest.mark.parametrize("options", [[], ["--distance", "d.tif"], ["--no-stats-distances"], ["--threads", "1"], ["--max-distance", "2000km"]],
                         ids=lambda options: " ".join(options))
@pytest.mark.parametrize("out", [["out.tif"], []], ids=["with OUT", "alone"])
def test_a_row_an_id(seeds, options, out):
    seeds.ok(*GRID, *options, "--stats", "each.csv", "--sum", "people.tif", "--overwrite", "out.tif")
    seeds.ok(*GRID, *options, "--stats", "t.csv", "--sum", "people.tif", "--group", "--overwrite", *out)
    ids, cells = np.unique(seeds.read("out.tif"), return_counts=True)
    cells_of = dict(zip(ids.tolist(), cells.tolist()))
    each, grouped = rows(seeds, "each.csv"), rows(seeds, "t.csv")
    assert [row["number"] if "number" in row else row["id"] for row in grouped] == [str(NUMBER[i]) for i in range(IDS)]  # the first of each
    for i, row in enumerate(grouped):
        mine = [one for one, number in zip(each, NUMBER) if number == NUMBER[i]]
        assert row["name"] == f"place {i}" and int(row["seeds"]) == len(mine)
        assert int(row["cells"]) == sum(int(one["cells"]) for one in mine) == cells_of.get(NUMBER[i], 0)
        assert float(row["area_km2"]) == pytest.approx(sum(float(one["area_km2"]) for one in mine), rel=1e-12)
        assert float(row["people_sum"]) == pytest.approx(sum(float(one["people_sum"]) for one in mine), rel=1e-12)
        if "--no-stats-distances" not in options and mine and int(row["cells"]):
            assert float(row["distance_max"]) == max(float(one["distance_max"]) for one in mine if one["distance_max"])
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
    seeds.ok("--seeds", "w.csv", "--id", "number", *GRID[4:], "--stats", "w_t.csv", "--group", "out.tif")
    seeds.ok(*GRID, "--stats", "t.csv", "--group", "--overwrite", "out.tif")
    assert [row["cells"] for row in rows(seeds, "w_t.csv")] == [row["cells"] for row in rows(seeds, "t.csv")]


def test_it_needs_a_table(seeds):
    seeds.fails(*GRID, "--group", "out.tif", status=2, has="--group needs --stats")
