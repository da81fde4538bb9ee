"""Arrow IPC and Parquet files as seeds, queries and tables, where GDAL has the drivers; elsewhere messages name what is missing."""

import numpy as np
import pytest
from conftest import globe
from osgeo import gdal

DRIVERS = {"parquet": "Parquet", "arrow": "Arrow"}
LON, LAT = globe(50, seed=4)


def has(extension):
    return gdal.GetDriverByName(DRIVERS[extension]) is not None


@pytest.mark.parametrize("extension", DRIVERS)
def test_tables_and_seeds(work, extension):
    """A table of statistics is read back, and has the seeds of the next run."""
    if not has(extension):
        pytest.skip(f"this GDAL has no driver {DRIVERS[extension]}")
    work.csv("s.csv", LON, LAT, name=[f"n{i}" for i in range(50)])
    work.ok("--seeds", "s.csv", "--size", "72,36", "--stats", f"t.{extension}", "a.tif")
    made = gdal.OpenEx(str(work.path(f"t.{extension}")), gdal.OF_VECTOR)
    rows = [(f.GetField("name"), f.GetGeometryRef().GetX()) for f in made.GetLayer(0)]
    assert rows == [(f"n{i}", LON[i]) for i in range(50)]
    work.ok("--seeds", f"t.{extension}", "--id", "id", "--size", "72,36", "b.tif")
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))
    search = ["search", "--reference", f"t.{extension}", "--queries", "s.csv", "--keep", "name"]
    work.ok(*search, f"found.{extension}")
    found = gdal.OpenEx(str(work.path(f"found.{extension}")), gdal.OF_VECTOR)
    names = [f.GetField("reference_name") for f in found.GetLayer(0)]
    assert names == [f"n{i}" for i in range(50)]


@pytest.mark.parametrize("extension", DRIVERS)
def test_missing_drivers(work, extension):
    if has(extension):
        pytest.skip(f"this GDAL has the driver {DRIVERS[extension]}")
    work.csv("s.csv", LON, LAT)
    words = [f"missing {DRIVERS[extension]} driver", ".gpkg"]
    work.fails("--seeds", "s.csv", "--stats", f"t.{extension}", has=["--stats", *words])
    work.fails("search", "--reference", "s.csv", f"t.{extension}", has=["OUT", *words])
    work.fails("diagram", "--seeds", "s.csv", f"t.{extension}", has=["OUT", *words])
    work.write(f"x.{extension}", "PAR1")
    work.fails("--seeds", f"x.{extension}", "o.tif", has=[f"missing {DRIVERS[extension]} driver"])
    work.fails("--seeds", f"none.{extension}", "o.tif", has="no such file")
