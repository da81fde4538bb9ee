"""Programs that use the driver only by its name."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from osgeo import gdal

from conftest import alike, text


def run(work, *command):
    done = subprocess.run(
        [*map(str, command)], cwd=work.directory, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def described(sources):
    """d.voronoi.json, and what the command makes of it: d.tif."""
    sources.write(
        "d.voronoi.json",
        json.dumps(
            {"seeds": "globe.csv", "id": "name", "size": [600, 300], "extent": [-30, 20, 60, 65]}
        ),
    )
    sources.ok("--config", "d.voronoi.json", "d.tif")
    return sources


@pytest.mark.parametrize(
    "options", [[], ["-co", "TILED=YES", "-co", "COMPRESS=ZSTD"], ["-of", "COG"]]
)
def test_gdal_translate(described, options):
    run(described, "gdal_translate", "-q", *options, "d.voronoi.json", "t.tif")
    copy, made = described.open("t.tif"), described.open("d.tif")
    assert (
        alike(copy.ReadAsArray(), made.ReadAsArray())
        and copy.GetGeoTransform() == made.GetGeoTransform()
    )
    assert copy.GetRasterBand(1).GetNoDataValue() == made.GetRasterBand(1).GetNoDataValue()
    assert copy.GetMetadataItem("GPUVORONOI_METRIC") == "geodesic"
    table = copy.GetRasterBand(1).GetDefaultRAT()
    assert (
        table.GetRowCount() == 300
        and table.GetValueAsString(7, table.GetColOfUsage(gdal.GFU_Name)) == "p7"
    )


def test_travel_cost_by_open_options(sources):
    """gdal_translate of VORONOI:seeds, with the options of --cost."""
    costs = ["--cost", "friction.tif", "--cost-moves", "8", "--distance", "distance.tif"]
    sources.ok("--seeds", "globe.csv", *costs, "id.tif")
    for band in ("id", "distance"):
        options = ["-oo", "COST=friction.tif", "-oo", "COST_MOVES=8", "-oo", f"BANDS={band}"]
        run(sources, "gdal_translate", "-q", *options, "VORONOI:globe.csv", "t.tif")
        assert alike(sources.open("t.tif").ReadAsArray(), sources.read(f"{band}.tif"))


def test_part_of_a_huge_raster(described):
    run(
        described,
        "gdal_translate",
        "-q",
        "-oo",
        "EXTENT=-180,-90,180,90",
        "-oo",
        "RES=0.0009",
        "-oo",
        "ID=no",
        "-projwin",
        "10",
        "50",
        "10.18",
        "49.91",
        "-co",
        "COMPRESS=DEFLATE",
        "d.voronoi.json",
        "t.tif",
    )
    described.ok(
        "--seeds",
        "globe.csv",
        "--id",
        "no",
        "--extent",
        "10,49.91,10.18,50",
        "--size",
        "200,100",
        "c.tif",
    )
    made = described.read("t.tif")
    assert made.shape in ((100, 200), (101, 201))  # GDAL 3.13 has cells that are cut, too
    assert np.mean(made[:100, :200] == described.read("c.tif")) > 0.99


def test_shrunk(described):
    """gdal_translate -outsize goes to the overview."""
    run(described, "gdal_translate", "-q", "-outsize", "300", "150", "d.voronoi.json", "t.tif")
    described.ok("--config", "d.voronoi.json", "--size", "300,150", "--overwrite", "c.tif")
    assert alike(described.read("t.tif"), described.read("c.tif"))


def test_gdal_polygonize(described):
    if shutil.which("gdal_polygonize.py") is None:
        pytest.skip("no gdal_polygonize.py")
    run(described, "gdal_polygonize.py", "-q", "d.voronoi.json", "p.gpkg", "regions", "id")
    source = gdal.OpenEx(str(described.path("p.gpkg")))
    found = {feature["id"] for feature in source.GetLayer(0)}
    assert found == set(np.unique(described.read("d.tif")).tolist())


def test_vrt(described):
    run(described, "gdalbuildvrt", "-q", "d.vrt", "d.voronoi.json")
    assert alike(described.read("d.vrt"), described.read("d.tif"))


def test_ogr_is_untouched(described):
    """A description is not a vector source, and its seeds are unchanged."""
    run(described, "ogr2ogr", "copy.csv", "globe.csv")
    assert (
        gdal.OpenEx(str(described.path("copy.csv")), gdal.OF_VECTOR).GetLayer(0).GetFeatureCount()
        == 300
    )
    for name in (str(described.path("d.voronoi.json")), text(described, seeds="globe.csv")):
        with pytest.raises(RuntimeError):
            gdal.OpenEx(name, gdal.OF_VECTOR)


def test_the_command_reads_it(described):
    """An on-demand raster can be a template, a mask, and cells of seeds, like any other."""
    described.ok(
        "--seeds", "globe.csv", "--like", "d.voronoi.json", "--id", "name", "l.tif", env=os.environ
    )
    assert alike(described.read("l.tif"), described.read("d.tif"))
    values = ",".join(map(str, np.unique(described.read("d.tif"))[:3]))
    described.ok("--seeds-raster", "d.voronoi.json", "--values", values, "s.tif")
    described.ok("--seeds-raster", "d.tif", "--values", values, "f.tif")
    assert alike(described.read("s.tif"), described.read("f.tif"))
    described.ok("--seeds", "globe.csv", "--res", 0.001, "--describe", "fine.voronoi.json")
    described.fails(
        "--seeds-raster",
        "fine.voronoi.json",
        "--distance",
        "far.tif",
        has=["too many cells", "64800000000"],
    )


def python(work, script):
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=work.directory,
        capture_output=True,
        text=True,
        timeout=240,
    )
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rasterio(described):
    """Debian's, which has Debian's GDAL."""
    said = python(
        described,
        """
import rasterio
with rasterio.open("d.voronoi.json") as d, rasterio.open("d.tif") as t:
    print(d.driver, (d.read() == t.read()).all(), d.crs == t.crs, d.transform == t.transform, d.nodata == t.nodata)
    print(d.read(1, out_shape=(150, 300)).shape, d.overviews(1), d.descriptions)
""",
    )
    assert said.splitlines() == [
        "VORONOI True True True True",
        "(150, 300) [2, 4] ('id of the nearest seed',)",
    ]


def test_xarray(described):
    said = python(
        described,
        """
import rioxarray
with rioxarray.open_rasterio("d.voronoi.json", chunks=100) as d, rioxarray.open_rasterio("d.tif") as t:
    print((d.compute() == t).all().item(), d.rio.crs == t.rio.crs)
""",
    )
    assert said == "True True\n"


OTHER = """
#include <dlfcn.h>
void %s(void) {}
int load(const char *path) {
  void *module = dlopen(path, RTLD_NOW);
  void (*begin)(void) = module ? (void (*)(void))dlsym(module, "GDALRegister_VORONOI") : 0;
  if (!begin) return 1;
  begin();
  begin();
  return 0;
}
"""


@pytest.mark.parametrize("function, lines", [("GDALAllRegister", 1), ("nothing", 0)])
def test_another_gdal(work, function, lines):
    """A GDAL that loads the driver, but is not the one that the driver is linked with, as in wheels: one line, once."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    work.write("other.c", OTHER % function)
    run(work, "cc", "-shared", "-fPIC", "-o", "libother.so", "other.c", "-ldl")
    script = "import ctypes, sys; sys.exit(ctypes.CDLL('./libother.so').load(sys.argv[1].encode()))"
    plugin = os.path.join(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0], "gdal_VORONOI.so")
    done = subprocess.run(
        [sys.executable, "-c", script, plugin], cwd=work.directory, capture_output=True, text=True
    )
    said = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(said)) == (0, "", lines), done.stderr
    for line in said:
        assert (
            "gdal_VORONOI: built for GDAL" in line
            and "libgdal.so" in line
            and "loaded by another GDAL (" in line
            and "libother.so" in line
        )
