"""No output replaces a file that is read, directly or through other files: every kind of input beside every kind of output."""

import json
import os
import pathlib
import zipfile

import numpy as np
import pytest
from osgeo import gdal

from conftest import globe

LON, LAT = globe(40, seed=4)
SIZE = ["--metric", "great-circle", "--size", "20,10"]
WORLD = (-180, 18, 0, 90, 0, -18)
DRIVER = pathlib.Path(os.environ.get("GDAL_DRIVER_PATH", "")) / "gdal_VORONOI.so"


def described(work, **question):
    return work.write("d.voronoi.json", json.dumps(question))


def vrt(work, name, source):
    gdal.BuildVRT(str(work.path(name)), str(work.path(source))).FlushCache()
    return name


def zipped(work):
    with zipfile.ZipFile(work.path("a.zip"), "w") as archive:
        archive.write(work.path("s.csv"), "s.csv")
    return "/vsizip/a.zip/s.csv"


# The file that is read, and the options that have it read.
INPUTS = {
    "seeds": lambda work: ("s.csv", ["--seeds", "s.csv", *SIZE]),
    "link": lambda work: (
        work.path("l.csv").symlink_to("s.csv"),
        ("s.csv", ["--seeds", "l.csv", *SIZE]),
    )[1],
    "hard link": lambda work: (
        os.link(work.path("s.csv"), work.path("h.csv")),
        ("h.csv", ["--seeds", "s.csv", *SIZE]),
    )[1],
    "archive": lambda work: ("a.zip", ["--seeds", zipped(work), *SIZE]),
    "mask": lambda work: ("m.tif", ["--seeds", "s.csv", *SIZE, "--mask", "m.tif"]),
    "like": lambda work: ("m.tif", ["--seeds", "s.csv", "--like", "m.tif"]),
    "extent": lambda work: (
        "m.tif",
        ["--seeds", "s.csv", "--extent-of", "m.tif", "--size", "20,10"],
    ),
    "sum": lambda work: (
        "m.tif",
        ["--seeds", "s.csv", *SIZE, "--sum", "x=m.tif", "--stats", "sums.csv"],
    ),
    "raster seeds": lambda work: ("m.tif", ["--seeds-raster", "m.tif"]),
    "config": lambda work: (
        described(work, seeds="s.csv", size=[20, 10]),
        ["--config", "d.voronoi.json"],
    ),
    "seeds of a config": lambda work: (
        described(work, seeds="s.csv", size=[20, 10]) and "s.csv",
        ["--config", "d.voronoi.json"],
    ),
    "source of a VRT": lambda work: (
        vrt(work, "v.vrt", "m.tif") and "m.tif",
        ["--seeds", "s.csv", "--like", "v.vrt"],
    ),
    "source of a VRT of a VRT": lambda work: (
        vrt(work, "v.vrt", "m.tif") and vrt(work, "w.vrt", "v.vrt") and "m.tif",
        ["--seeds", "s.csv", "--like", "w.vrt"],
    ),
    "description of an on-demand raster": lambda work: (
        described(work, seeds="s.csv", size=[20, 10]),
        ["--seeds-raster", "d.voronoi.json"],
    ),
    "seeds of an on-demand raster": lambda work: (
        described(work, seeds="s.csv", size=[20, 10]) and "s.csv",
        ["--seeds-raster", "d.voronoi.json"],
    ),
    "mask of an on-demand raster": lambda work: (
        described(work, seeds="s.csv", mask="m.tif", size=[20, 10]) and "m.tif",
        ["--seeds", "s.csv", *SIZE, "--mask", "d.voronoi.json"],
    ),
    "seeds of an on-demand raster in a VRT": lambda work: (
        described(work, seeds="t.csv", size=[20, 10])
        and vrt(work, "v.vrt", "d.voronoi.json")
        and "t.csv",
        ["--seeds", "s.csv", "--like", "v.vrt"],
    ),
}
OUTPUTS = {
    "raster": lambda name: ["--of", "GTiff", name],
    "distance": lambda name: ["--distance", name, "r.bin", "--of", "ENVI"],
    "stats": lambda name: ["--stats", name],
    "polygons": lambda name: ["--polygons", name],
    "description": lambda name: ["--describe", name],
    "part": lambda name: ["--part", "1/1", name],
}


@pytest.fixture
def sources(work):
    work.csv("s.csv", LON, LAT)
    work.csv("t.csv", LON, LAT)
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("m.tif")), 20, 10, 1)
    made.SetGeoTransform(WORLD)
    made.SetProjection("EPSG:4326")
    made.GetRasterBand(1).WriteArray(np.arange(200, dtype=np.uint8).reshape(10, 20) + 1)
    made = None
    return work


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", INPUTS)
def test_no_output_replaces_an_input(sources, kind, output):
    if "on-demand" in kind and not DRIVER.exists():
        pytest.skip("GDAL's driver VORONOI is not built")
    name, reads = INPUTS[kind](sources)
    before = sources.listing()
    # By another name where the format of the output is known by the file's ending.
    path = name
    ending = {
        "raster": ".tif",
        "distance": ".bin",
        "stats": ".csv",
        "polygons": ".geojson",
        "part": ".tif",
    }.get(output)
    if ending is not None and not name.endswith(ending):
        path = "out" + ending
        sources.path(path).symlink_to(name)
        before = sources.listing()
    if kind == "sum" and output == "stats":
        reads = reads[:-2]
    done = sources.run(*reads, "--overwrite", *OUTPUTS[output](path))
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "input" in done.stderr and path in done.stderr
    assert sources.listing() == before
    sources.no_leftovers()


@pytest.mark.parametrize("option", ["OUT", "--distances"])
@pytest.mark.parametrize("kind", ["array", "layer", "raster"])
def test_no_output_of_a_search_replaces_an_input(sources, kind, option):
    np.save(sources.path("q.npy"), np.random.default_rng(1).random((40, 2)))
    name, reads = {
        "array": ("q.npy", ["--reference", "q.npy"]),
        "layer": ("s.csv", ["--reference", "s.csv"]),
        "raster": ("m.tif", ["--reference-raster", "m.tif", "--queries", "t.csv"]),
    }[kind]
    path = name if name.endswith(".npy") else "o.npy"
    if path != name:
        sources.path(path).symlink_to(name)
    before = sources.listing()
    outputs = [path] if option == "OUT" else ["--distances", path, "i.npy"]
    done = sources.run("search", *reads, "--overwrite", *outputs)
    assert done.returncode == 1 and "input" in done.stderr, done.stderr
    assert sources.listing() == before


def test_side_files_replace_no_part(sources):
    """The part is called as the side file that the merged raster brings."""
    sources.ok("--seeds", "s.csv", *SIZE, "--part", "1/1", "p.tif")
    sources.path("p.tif").rename(sources.path("o.hdr"))
    before = sources.listing()
    done = sources.run("merge", "--of", "ENVI", "--overwrite", "o.bin", "o.hdr")
    assert done.returncode == 1 and "input" in done.stderr, done.stderr
    assert sources.listing() == before
