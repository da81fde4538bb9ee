#!/usr/bin/env python3
"""Travel cost beside other packages, in one run: CPU time and elapsed seconds of whole processes, medians.

    cost_peers.py COMMAND [--side N] [--seeds N] [--runs N] [--only NAME;NAME] [--python PYTHON]

COMMAND is the gpuvoronoi program. The raster has N x N cells of 1 of lognormal friction, the seeds are in centers of cells. Programs that are not
installed (GRASS, terra, and the packages xarray-spatial, scikit-fmm and scikit-image of PYTHON) are left out. All read a file and write the costs
to a file; gpuvoronoi also writes the nearest seeds. GRASS's time is that of r.cost, without the import of the raster.
The last column is the largest relative difference of the costs from those of gpuvoronoi with the same number of moves, where both have it.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from osgeo import gdal

gdal.UseExceptions()

R = """suppressMessages(library(terra))
f <- rast("f.tif"); s <- as.matrix(read.csv("s.csv")[, c("x", "y")])
crs(f) <- "EPSG:32632"
f[cellFromXY(f, s)] <- 0
writeRaster(costDist(f, target = 0), "terra.tif", overwrite = TRUE)
"""
XARRAY = """import numpy, xarray, xrspatial
f, s = numpy.load("f.npy"), numpy.load("s.npy")
n = len(f)
axes = {"y": n - 0.5 - numpy.arange(n), "x": 0.5 + numpy.arange(n)}
seeds = numpy.zeros(f.shape); seeds[s[:, 0], s[:, 1]] = 1
made = [xarray.DataArray(a, dims=("y", "x"), coords=axes) for a in (seeds, f)]
numpy.save("xarray.npy", xrspatial.cost_distance(*made, connectivity=8).values)
"""
FMM = """import numpy, skfmm
f, s = numpy.load("f.npy"), numpy.load("s.npy")
phi = numpy.ones(f.shape); phi[s[:, 0], s[:, 1]] = -1
numpy.save("fmm.npy", skfmm.travel_time(phi, 1 / f))
"""
SKIMAGE = """import numpy, skimage.graph
f, s = numpy.load("f.npy"), numpy.load("s.npy")
numpy.save("skimage.npy", skimage.graph.MCP_Geometric(f).find_costs(s.tolist())[0])
"""


def make_inputs(folder, side, count):
    random = np.random.default_rng(1)
    friction = random.lognormal(0, 1, (side, side))
    cells = random.choice(side * side, count, replace=False)
    rows, columns = np.divmod(cells, side)
    made = gdal.GetDriverByName("GTiff").Create(
        str(folder / "f.tif"), side, side, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform((0, 1, 0, side, 0, -1))
    made.GetRasterBand(1).WriteArray(friction)
    made = None
    np.save(folder / "f.npy", friction)
    np.save(folder / "s.npy", np.column_stack([rows, columns]))
    places = [(c + 0.5, side - r - 0.5) for r, c in zip(rows.tolist(), columns.tolist())]
    (folder / "s.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in places))
    (folder / "s.txt").write_text("".join(f"{x}|{y}\n" for x, y in places))


def commands(command, python, folder):
    """Name, moves, arguments, file of the costs."""

    def ours(moves, backend="tile"):
        out = f"{backend}{moves}.tif"
        return [
            *(command, "--seeds", "s.csv", "--cost", "f.tif", "--cost-moves", str(moves)),
            *("--backend", backend, "--distance", out, "--distance-type", "Float64"),
            *("--overwrite", "--quiet", "out.tif"),
        ], out

    for name, moves, backend in (
        ("gpuvoronoi, 8 moves", 8, "tile"),
        ("gpuvoronoi, 16 moves", 16, "tile"),
        ("gpuvoronoi, 32 moves", 32, "tile"),
        ("gpuvoronoi, 16 moves, serial", 16, "serial"),
    ):
        yield (name, moves, *ours(moves, backend))
    if shutil.which("grass"):
        grass = ["grass", "place/PERMANENT", "--exec"]
        prepare = [
            ["grass", "-c", "XY", "-e", "place"],
            [*grass, "r.in.gdal", "-o", "--q", "input=f.tif", "output=f"],
            [*grass, "g.region", "raster=f"],
            [*grass, "v.in.ascii", "--q", "input=s.txt", "output=s"],
        ]
        for line in prepare:
            subprocess.run(line, cwd=folder, check=True, capture_output=True)
        run = ["r.cost", "-k", "--o", "--q", "input=f", "output=c", "start_points=s"]
        run += ["memory=2000", "nearest=n"]
        yield "GRASS r.cost -k", 16, [*grass, *run], None
    if shutil.which("Rscript") and has(["Rscript", "-e", "library(terra)"]):
        yield "terra costDist", None, ["Rscript", "-e", R], "terra.tif"
    for name, module, code, out in (
        ("xarray-spatial cost_distance", "xrspatial", XARRAY, "xarray.npy"),
        ("scikit-fmm travel_time", "skfmm", FMM, "fmm.npy"),
        ("scikit-image MCP_Geometric", "skimage", SKIMAGE, "skimage.npy"),
    ):
        if has([python, "-c", f"import {module}"]):
            yield name, 8 if module != "skfmm" else None, [python, "-c", code], out


def has(line):
    return subprocess.run(line, capture_output=True).returncode == 0


def seconds(line, folder):
    """Of a process and its children: CPU time, elapsed time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - begin


def costs(folder, name):
    if name is None:
        line = ["r.out.gdal", "--o", "--q", "input=c", "output=grass.tif", "type=Float64"]
        subprocess.run(
            ["grass", "place/PERMANENT", "--exec", *line],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        name = "grass.tif"
    if name.endswith(".npy"):
        return np.load(folder / name)
    return gdal.Open(str(folder / name)).ReadAsArray()


def difference(folder, name, moves):
    expected = folder / f"tile{moves}.tif"
    if moves is None or not expected.exists():
        return None
    theirs, own = np.asarray(costs(folder, name), float), costs(folder, expected.name)
    reached = (own > 0) & np.isfinite(theirs)
    return float(np.max(np.abs(theirs - own)[reached] / own[reached]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command")
    parser.add_argument("--side", type=int, default=3162)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    command = os.path.abspath(options.command)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_inputs(folder, options.side, options.seeds)
        for label, moves, line, out in commands(command, options.python, folder):
            if options.only and label not in options.only.split(";"):
                continue
            runs = [seconds(line, folder) for _ in range(options.runs)]
            cpu, elapsed = (statistics.median(column) for column in zip(*runs))
            found = {"name": label, "cpu": round(cpu, 2), "elapsed": round(elapsed, 2)}
            print(json.dumps({**found, "difference": difference(folder, out, moves)}), flush=True)


if __name__ == "__main__":
    main()
