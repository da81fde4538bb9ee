"""Open options, for each input its own: a GeoTIFF with a wrong world file, a CSV file with another name for geometries."""

import json

import numpy as np
import pytest
from osgeo import gdal

SEEDS = ["--seeds", "s.csv"]
GRID = ["--extent", "0,0,40,20", "--res", "1"]
WORLD = "GEOREF_SOURCES=WORLDFILE"


@pytest.fixture
def seeds(work):
    """r.tif is from 0,0 to 20,20 by itself, from 20,0 to 40,20 by its world file; p.csv has its polygons in `shape`."""
    work.csv("s.csv", [5, 35, 12], [5, 15, 12], header="x,y")
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("r.tif")), 20, 20, 1, gdal.GDT_Int16)
    made.SetGeoTransform((0, 1, 0, 20, 0, -1))
    made.GetRasterBand(1).WriteArray(np.arange(1, 401).reshape(20, 20))
    made = None
    work.write("r.tfw", "1\n0\n0\n-1\n20.5\n19.5\n")
    work.write("p.csv", 'shape,n\n"POLYGON ((20 0, 40 0, 40 20, 20 20, 20 0))",1\n')
    return work


def test_like(seeds):
    for options, left in ([], 0), (["--like-oo", WORLD], 20):
        seeds.ok(*SEEDS, "--like", "r.tif", *options, "--overwrite", "o.tif")
        assert seeds.open("o.tif").GetGeoTransform()[0] == left


@pytest.mark.parametrize(
    "source,option", [("r.tif", WORLD), ("p.csv", "GEOM_POSSIBLE_NAMES=shape")]
)
def test_extent_and_mask(seeds, source, option):
    if source == "r.tif":
        seeds.ok(*SEEDS, "--extent-of", source, "--res", "1", "o.tif")
        assert seeds.open("o.tif").GetGeoTransform()[0] == 0
    else:
        seeds.fails(*SEEDS, "--extent-of", source, "--res", "1", "o.tif", has="extent")
        seeds.fails(*SEEDS, *GRID, "--mask", source, "o.tif", has="missing geometries")
    seeds.ok(
        *SEEDS, "--extent-of", source, "--extent-oo", option, "--res", "1", "--overwrite", "o.tif"
    )
    assert seeds.open("o.tif").GetGeoTransform()[0] == 20
    seeds.ok(*SEEDS, *GRID, "--mask", source, "--mask-oo", option, "m.tif")
    ids = seeds.read("m.tif")
    assert (ids[:, :20] == -1).all() and (ids[:, 20:] != -1).all()


def test_sum(seeds):
    sums = {}
    for options in [], ["--sum-oo", WORLD]:
        seeds.ok(
            *SEEDS, *GRID, "--sum", "n=r.tif", *options, "--stats", "t.csv", "--overwrite", "o.tif"
        )
        rows = seeds.path("t.csv").read_text().splitlines()
        column = rows[0].split(",").index("n_sum")
        sums[len(options)] = [float(row.split(",")[column]) for row in rows[1:]]
        assert sum(sums[len(options)]) == 400 * 401 / 2
    assert sums[0] != sums[2]


def test_cells_as_seeds(seeds):
    for options, left in ([], 0), (["-oo", WORLD], 20):
        seeds.ok("--seeds-raster", "r.tif", *options, "--overwrite", "o.tif")
        assert seeds.open("o.tif").GetGeoTransform()[0] == left
        seeds.ok("--seeds-raster", "r.tif", *options, "--res", "2", "--overwrite", "o.tif")
        assert seeds.open("o.tif").GetGeoTransform()[0] == left
    found = {}
    for options in [], ["-oo", WORLD]:
        seeds.ok(
            "search",
            "--reference-raster",
            "r.tif",
            *options,
            "--queries",
            "s.csv",
            "--query-x",
            "x",
            "--query-y",
            "y",
            "--overwrite",
            "f.npy",
        )
        found[len(options)] = np.load(seeds.path("f.npy")).ravel().tolist()
    assert found == {0: [14 * 20 + 4, 4 * 20 + 19, 7 * 20 + 11], 2: [14 * 20, 4 * 20 + 14, 7 * 20]}


def test_they_need_their_inputs(seeds):
    for option, needed in (
        ("--mask-oo", "--mask"),
        ("--like-oo", "--like"),
        ("--extent-oo", "--extent-of"),
        ("--sum-oo", "--sum"),
    ):
        seeds.fails(
            *SEEDS, *GRID, option, "A=B", "o.tif", status=2, has=f"{option}: missing {needed}"
        )


def test_described(seeds):
    """They belong to their inputs: what replaces one takes them away."""
    seeds.ok(
        *SEEDS,
        "--like",
        "r.tif",
        "--like-oo",
        WORLD,
        "--mask",
        "r.tif",
        "--mask-oo",
        WORLD,
        "--describe",
        "d.json",
        "o.tif",
    )
    assert json.loads(seeds.path("d.json").read_text()) == {
        "seeds": "s.csv",
        "like": "r.tif",
        "like-oo": [WORLD],
        "mask": "r.tif",
        "mask-oo": [WORLD],
        "outputs": {"raster": "o.tif"},
    }
    seeds.ok("--config", "d.json")
    assert seeds.open("o.tif").GetGeoTransform()[0] == 20
    seeds.ok("--config", "d.json", *GRID, "--overwrite")
    assert seeds.open("o.tif").RasterXSize == 40
    seeds.ok(
        *SEEDS, "--extent-of", "r.tif", "--res", "1", "--describe", "e.json", "--overwrite", "e.tif"
    )
    seeds.ok("--config", "e.json", "--extent-oo", WORLD)
    assert seeds.open("e.tif").GetGeoTransform()[0] == 20
