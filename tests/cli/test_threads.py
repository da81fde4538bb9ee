"""Each kind of output made by several threads: the bytes of one thread. The command's races are looked for here too, by ./bootstrap's
step 'sanitized tsan', so one run of each kind is enough."""

import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, globe
from launchers import launcher, start  # noqa: F401
from osgeo import ogr
from test_parts import CASES, SMALL, files, multipoints, outputs_in, rows, seeds, shapes, values


def polygons(work):
    """To be masks, row by row."""
    source = ogr.GetDriverByName("GeoJSON").CreateDataSource(str(work.path("land.geojson")))
    layer = source.CreateLayer("land")
    for x in range(-170, 170, 20):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(
            ogr.CreateGeometryFromWkt(f"POLYGON (({x} -70, {x + 15} -60, {x + 3} 80, {x} -70))")
        )
        layer.CreateFeature(feature)
    source = None
    return "land.geojson"


def many(work, n=5000):
    """So many seeds that a table is written in several parts."""
    return work.csv("seeds.csv", *globe(n, seed=9), name=[f"s{i}" for i in range(n)])


# As those of test_parts.
MORE = {
    "mesh": lambda w: (
        ["--seeds", seeds(w), "--level", "5", "--metric", "great-circle", *SMALL],
        {"--mesh": "m.nc", "--cells": "c.fgb"},
        "o.tif",
    ),
    "polygons as mask": lambda w: (
        ["--seeds", seeds(w), *SMALL, "--mask", polygons(w), "--sum", values(w, "p.tif")],
        {"--stats": "t.fgb"},
        "o.tif",
    ),
    "many rows": lambda w: (
        ["--seeds", many(w), *SMALL, "--metric", "great-circle"],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "ranks of shapes": lambda w: (
        [
            "--seeds",
            shapes(w),
            *SMALL[2:],
            "--size",
            "200,190",
            "-k",
            "2",
            "--metric",
            "great-circle",
        ],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "projected": lambda w: (
        [
            "--seeds",
            seeds(w),
            "--crs",
            "ESRI:54009",
            *SMALL[2:],
            "--size",
            "200,190",
            "--metric",
            "great-circle",
            "--sum",
            values(w, "p.tif"),
        ],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "rotated": lambda w: (
        [
            "--seeds",
            seeds(w),
            "--like",
            w.raster("like.tif", (-90, 0.2, 0.1, 40, 0.1, -0.2), (300, 290), 4326),
            *SMALL[2:],
        ],
        {"--azimuth": "a.tif"},
        "o.tif",
    ),
    "limit": lambda w: (
        ["--seeds", seeds(w, 900), *SMALL, "--max-distance", "300km"],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "table alone": lambda w: (
        ["--seeds", seeds(w), "--size", "700,700"],
        {"--stats": "t.csv"},
        None,
    ),
    "progress": lambda w: (["--seeds", seeds(w), *SMALL, "--progress"], {}, "o.tif"),
    **{
        backend: lambda w, b=backend: (
            ["--seeds", seeds(w), *SMALL, "-k", "2", "--backend", b],
            {"--distance": "d.tif"},
            "o.tif",
        )
        for backend in ("openmp", "kdtree", "octree")
    },
}
SAMPLE = [
    "all",
    "mask",
    "cog",
    "same ids",
    "weights",
    "cells",
    "by cell",
    "per value",
    "level",
    "plane",
    "rows",
    "strips",
    "bytes reversed",
    "lossy",
]


def same(one, many_threads):
    a, b = files(one), files(many_threads)
    assert a and sorted(a) == sorted(b)
    for name in a:
        if name.endswith(".gpkg"):  # which have times in them
            assert rows(one / name) == rows(many_threads / name)
        else:
            assert a[name] == b[name], name


@pytest.mark.parametrize("case", [*SAMPLE, *MORE])
def test_bytes_of_one_thread(work, case):
    question, outputs, out = {**CASES, **MORE}[case](work)
    for threads in "1", "4":
        work.path(threads).mkdir()
        work.ok(
            *question,
            *outputs_in(threads, outputs),
            "--threads",
            threads,
            *[f"{threads}/{out}"][: out is not None],
        )
    same(work.path("1"), work.path("4"))


def test_merging(work):
    question = ["--seeds", multipoints(work), *SMALL, "-k", "2"]
    outputs = {"--distance": "d.tif", "--stats": "t.csv", "--polygons": "p.geojson"}
    for folder in "1", "4", "parts":
        work.path(folder).mkdir()
    work.ok(*question, *outputs_in("1", outputs), "--threads", "1", "1/o.tif")
    for part in "1", "2":
        work.ok(
            *question,
            *outputs_in("4", outputs),
            "--threads",
            "4",
            "--part",
            f"{part}/2",
            f"parts/{part}.tif",
        )
    work.ok(
        "merge",
        *outputs_in("4", outputs),
        "--threads",
        "4",
        "4/o.tif",
        "parts/1.tif",
        "parts/2.tif",
    )
    same(work.path("1"), work.path("4"))


@pytest.mark.parametrize("backend", ["openmp", "kdtree", "octree"])
def test_searches(work, backend):
    random = np.random.default_rng(5)
    np.save(work.path("r.npy"), random.standard_normal((3000, 3)))
    np.save(work.path("q.npy"), random.standard_normal((2000, 3)))
    for threads in "1", "4":
        work.path(threads).mkdir()
        work.ok(
            "search",
            "--reference",
            "r.npy",
            "--queries",
            "q.npy",
            "-k",
            "5",
            "--backend",
            backend,
            "--threads",
            threads,
            "--distances",
            f"{threads}/d.npy",
            f"{threads}/o.npy",
        )
    same(work.path("1"), work.path("4"))


@pytest.mark.parametrize("reference", [seeds, shapes])
def test_searches_of_layers(work, reference):
    work.csv("q.csv", *globe(3000, seed=3))
    for threads in "1", "4":
        work.path(threads).mkdir()
        work.ok(
            "search",
            "--reference",
            reference(work),
            "--queries",
            "q.csv",
            "-k",
            "2",
            "--threads",
            threads,
            f"{threads}/o.csv",
        )
    same(work.path("1"), work.path("4"))


def test_ranks_of_several_threads(work, launcher):  # noqa: F811
    """Parts of several threads, merged by several threads."""
    question, outputs, out = CASES["all"](work)
    for folder in "1", "4":
        work.path(folder).mkdir()
    work.ok(*question, *outputs_in("1", outputs), "--threads", "1", f"1/{out}")
    done = start(
        work.directory,
        launcher,
        2,
        *question,
        *outputs_in("4", outputs),
        "--threads",
        "4",
        f"4/{out}",
    )
    assert done.returncode == 0, done.stderr
    same(work.path("1"), work.path("4"))


def test_interrupted(work):
    """While four threads compute, write and report progress."""
    question = [
        "--seeds",
        seeds(work, 2000),
        "--size",
        "40000,20000",
        "--metric",
        "great-circle",
        "--backend",
        "serial",
        "--threads",
        "4",
    ]
    before = work.listing()
    process = subprocess.Popen(
        [COMMAND, *question, "--progress", "--stats", "t.csv", "out.tif"],
        cwd=work.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not list(work.directory.glob(".*tmp-*/*")) and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 128 + signal.SIGTERM and b"ThreadSanitizer" not in said, (
        said.decode()
    )
    assert work.listing() == before
