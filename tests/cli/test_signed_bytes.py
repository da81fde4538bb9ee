"""Signed bytes (PIXELTYPE=SIGNEDBYTE before GDAL 3.7, Int8 since; every `byte` of NetCDF) are numbers from -128 to 127 wherever rasters are read."""

import csv
import json

import numpy as np
import pytest
from osgeo import gdal

from conftest import crs

INT8 = getattr(gdal, "GDT_Int8", None)
FORMATS = {"GTiff": "tif", "HFA": "img", "netCDF": "nc"}


def signed(work, name, driver, values, nodata=None):
    """A raster of 30 x 20 cells in UTM that has these values at the beginning of its first row and `nodata`, or 0, in all others."""
    cells = np.full((20, 30), 0 if nodata is None else nodata, np.int8)
    cells[0, : len(values)] = values
    made = gdal.GetDriverByName(driver).Create(
        str(work.path(name)),
        30,
        20,
        1,
        INT8 or gdal.GDT_Byte,
        [] if INT8 else ["PIXELTYPE=SIGNEDBYTE"],
    )
    made.SetGeoTransform((500000, 100, 0, 5000000, 0, -100))
    made.SetProjection(crs(32633).ExportToWkt())
    if nodata is not None:
        made.GetRasterBand(1).SetNoDataValue(nodata)
    made.GetRasterBand(1).WriteArray(cells if INT8 else cells.view(np.uint8))
    made = None
    return name


def seeds(work):
    x = [500050.0 + 300 * i for i in range(8)]
    return [
        "--seeds",
        work.csv("xy.csv", x, [4999950.0] * 8, header="x,y"),
        "--seeds-crs",
        "EPSG:32633",
    ]


@pytest.mark.parametrize("nodata", [-1, -128, 127, None])
@pytest.mark.parametrize("driver", FORMATS)
def test_values_and_nodata(work, driver, nodata):
    name = signed(work, f"r.{FORMATS[driver]}", driver, [1, 2, -2, 100], nodata)
    work.ok("--seeds-raster", name, "out.tif")
    assert np.unique(work.read("out.tif")).tolist() == [-2, 1, 2, 100]
    work.ok("--seeds-raster", name, "--values=-2,100", "--overwrite", "out.tif")
    assert np.unique(work.read("out.tif")).tolist() == [-2, 100]
    grid = [*seeds(work), "--like", name]
    done = json.loads(work.run(*grid, "--mask", name, "--json", "--overwrite", "out.tif").stdout)
    assert done["cells"]["count"] - done["cells"]["without_seed"] == 4  # in a mask 0 is outside
    work.ok(*grid, "--stats", "t.csv", "--sum", f"p={name}", "--overwrite", "out.tif")
    with open(work.path("t.csv"), encoding="utf-8") as table:
        assert sum(float(row["p_sum"]) for row in csv.DictReader(table)) == pytest.approx(101.0)
    work.ok(
        "search",
        "--reference-raster",
        name,
        "--queries",
        "xy.csv",
        "--query-crs",
        "EPSG:32633",
        "-k",
        "5",
        "--distances",
        "d.npy",
        "o.npy",
    )
    assert np.isfinite(np.load(work.path("d.npy"))).sum(axis=1).tolist() == [4] * 8


def test_unsigned_bytes_stay_unsigned(work):
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("u.tif")), 30, 20, 1, gdal.GDT_Byte)
    made.SetGeoTransform((500000, 100, 0, 5000000, 0, -100))
    made.SetSpatialRef(crs(32633))
    made.GetRasterBand(1).WriteArray(np.array([[200, 255]], np.uint8))
    made.GetRasterBand(1).SetNoDataValue(255)
    made = None
    work.ok("--seeds-raster", "u.tif", "out.tif")
    assert np.unique(work.read("out.tif")).tolist() == [200]


@pytest.mark.parametrize("nodata", [-9999, 300, 1.5])
def test_nodata_that_the_type_does_not_hold(work, nodata):
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("u.tif")), 30, 20, 1, gdal.GDT_Byte)
    made.SetGeoTransform((500000, 100, 0, 5000000, 0, -100))
    made.SetSpatialRef(crs(32633))
    made.GetRasterBand(1).WriteArray(np.array([[1, 255, 44]], np.uint8))
    made.GetRasterBand(1).SetNoDataValue(nodata)
    made = None
    work.ok("--seeds-raster", "u.tif", "out.tif")
    assert np.unique(work.read("out.tif")).tolist() == [1, 44, 255]
    work.ok(
        *seeds(work),
        "--like",
        "u.tif",
        "--stats",
        "t.csv",
        "--sum",
        "p=u.tif",
        "--overwrite",
        "out.tif",
    )
    with open(work.path("t.csv"), encoding="utf-8") as table:
        assert sum(float(row["p_sum"]) for row in csv.DictReader(table)) == pytest.approx(300.0)
