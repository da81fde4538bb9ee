"""CPU time of tables of 10,000 rows, in each format that --help names and in others of GDAL: no driver's cost may grow with the square of the rows."""

import re
import resource
import subprocess

import numpy as np
import pytest
from conftest import COMMAND, PATIENCE, globe
from osgeo import gdal

ROWS = 10_000
OTHERS = ["kml", "shp", "gml", "tab", "geojsonl"]


def suggested():
    """The extensions of vector formats that GDAL writes here, of those that stand in the help."""
    texts = [
        subprocess.run([COMMAND, *command, "--help-all"], capture_output=True, text=True).stdout
        for command in ([], ["search"], ["diagram"])
    ]
    named = set(re.findall(r"(?<![\w*])\.([a-z]\w+)\b", " ".join(texts)))
    written = set()
    for i in range(gdal.GetDriverCount()):
        driver = gdal.GetDriver(i)
        if driver.GetMetadataItem("DCAP_VECTOR") and driver.GetMetadataItem("DCAP_CREATE"):
            written |= set((driver.GetMetadataItem("DMD_EXTENSIONS") or "").split())
    return sorted((named & written) | (set(OTHERS) & written))


FORMATS = suggested()


def cpu_seconds(work, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        [COMMAND, *arguments], cwd=work.directory, check=True, timeout=PATIENCE, capture_output=True
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def test_formats():
    assert {"csv", "gpkg", "fgb", "geojson"} <= set(FORMATS)


@pytest.mark.parametrize("extension", FORMATS)
def test_points(work, extension):
    """Others take 0.2 s; LIBKML took 62 s."""
    lon, lat = globe(ROWS, seed=3)
    work.csv("p.csv", lon, np.clip(lat, -80, 80), name=[f"n{i}" for i in range(ROWS)])
    search = [
        "search",
        "--reference",
        "p.csv",
        "--queries",
        "p.csv",
        "--keep",
        "name",
        "--overwrite",
    ]
    plain = cpu_seconds(work, *search, "plain.csv")
    taken = cpu_seconds(work, *search, f"out.{extension}")
    assert taken < 15 * plain + 1.0, (taken, plain)
    made = gdal.OpenEx(str(work.path(f"out.{extension}")), gdal.OF_VECTOR)
    assert made.GetLayer(0).GetFeatureCount() in (
        ROWS,
        ROWS + 1,
    )  # spreadsheets may count their header
