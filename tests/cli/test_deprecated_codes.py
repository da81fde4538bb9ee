"""Coordinate systems are those of the codes as they are written, not GDAL's successors of deprecated ones."""

import os

import numpy as np
import pyproj
import pytest
from osgeo import gdal, ogr, osr

from conftest import crs

# Deprecated codes and a place that GDAL's successors put elsewhere: NTM zone 12 (6,403 km), Hughes 1980 (other ellipsoid).
CODES = {4862: (12.3, 64.2), 3412: (-60.0, -70.0)}


def exact(code):
    return pyproj.Transformer.from_crs("EPSG:4326", f"EPSG:{code}", always_xy=True)


@pytest.mark.parametrize("code", CODES)
def test_seeds_and_grids_of_deprecated_codes(work, code):
    lon, lat = CODES[code]
    x, y = exact(code).transform(lon, lat)
    work.csv("xy.csv", [x], [y], header="x,y")
    work.csv("ll.csv", [lon], [lat])
    around = [
        "--crs",
        "EPSG:4326",
        f"--extent={lon - 1},{lat - 1},{lon + 1},{lat + 1}",
        "--res",
        "0.5",
    ]
    work.ok(
        "--seeds", "xy.csv", "--seeds-crs", f"EPSG:{code}", *around, "--distance", "a.tif", "o.tif"
    )
    work.ok("--seeds", "ll.csv", *around, "--distance", "b.tif", "--overwrite", "o.tif")
    np.testing.assert_allclose(
        work.read("a.tif"), work.read("b.tif"), atol=3.0
    )  # some datums are a meter apart
    # The grid's own place of the seed is that of PROJ.
    size = [f"--extent={x - 5000},{y - 5000},{x + 5000},{y + 5000}", "--res", "1000"]
    done = work.run(
        "--seeds",
        "ll.csv",
        "--crs",
        f"EPSG:{code}",
        *size,
        "--distance",
        "c.tif",
        "--overwrite",
        "o.tif",
    )
    assert done.returncode == 0 and "deprecated" in done.stderr and f"EPSG:{code}" in done.stderr
    assert work.read("c.tif")[4:6, 4:6].max() < 800


def layer_with_code(work, name, driver, code, x, y):
    system = osr.SpatialReference()
    gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", "NO")
    try:
        system.ImportFromEPSG(code)
        made = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
        layer = made.CreateLayer("a", system, ogr.wkbPoint)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})"))
        layer.CreateFeature(feature)
        feature = layer = made = None
    finally:
        gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", None)


@pytest.mark.parametrize("driver,name", [("GPKG", "a.gpkg"), ("FlatGeobuf", "a.fgb")])
def test_files_with_deprecated_codes(work, driver, name):
    lon, lat = CODES[4862]
    layer_with_code(work, name, driver, 4862, *exact(4862).transform(lon, lat))
    work.ok(
        "--seeds",
        name,
        "--crs",
        "EPSG:4326",
        f"--extent={lon - 1},{lat - 1},{lon + 1},{lat + 1}",
        "--res",
        "0.5",
        "--distance",
        "a.tif",
        "o.tif",
    )
    assert work.read("a.tif").max() < 130_000
    work.csv("ll.csv", [lon], [lat])
    done = work.run(
        "search", "--reference", name, "--queries", "ll.csv", "--distances", "d.npy", "o.npy"
    )
    assert done.returncode == 0 and np.load(work.path("d.npy")).max() < 3.0


def test_rasters_with_deprecated_codes(work):
    x, y = exact(4862).transform(*CODES[4862])
    gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", "NO")
    try:
        made = gdal.GetDriverByName("GTiff").Create(str(work.path("like.tif")), 10, 10)
        made.SetGeoTransform((x - 5000, 1000, 0, y + 5000, 0, -1000))
        made.SetSpatialRef(crs(4862))
        made.GetRasterBand(1).Fill(1)
        made = None
    finally:
        gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", None)
    work.csv("ll.csv", [CODES[4862][0]], [CODES[4862][1]])
    done = work.run(
        "--seeds",
        "ll.csv",
        "--like",
        "like.tif",
        "--mask",
        "like.tif",
        "--distance",
        "d.tif",
        "o.tif",
    )
    assert done.returncode == 0 and "deprecated" in done.stderr
    assert work.read("d.tif")[4:6, 4:6].max() < 800


def test_what_the_user_configures_holds(work):
    """GDAL's own substitution, if it is enabled."""
    work.csv("ll.csv", *[[v] for v in CODES[4862]])
    done = work.run(
        "--seeds",
        "ll.csv",
        "--crs",
        "EPSG:4862",
        "--size",
        "4,4",
        "o.tif",
        env={**os.environ, "OSR_USE_NON_DEPRECATED": "YES"},
    )
    assert done.returncode == 0 and "EPSG:5112" in done.summary + done.stderr


def test_current_codes_are_not_warned_of(work):
    work.csv("ll.csv", [10.0], [50.0])
    assert (
        "deprecated"
        not in work.run("--seeds", "ll.csv", "--crs", "EPSG:3035", "--size", "4,4", "o.tif").stderr
    )
