"""gpuvoronoi-bench: each benchmark with few cells, its options, and what is wrong with them."""

import importlib.util
import json
import math
import os
import subprocess
from pathlib import Path

import pytest

BENCH, COMMAND = os.environ["GPUVORONOI_BENCH"], os.environ["GPUVORONOI_COMMAND"]
TOOLS = Path(__file__).parents[2] / "tools" / "bench"
SMALL = ["--size", "720,360", "--runs", "1", "--threads", "2"]


def run(*arguments):
    return subprocess.run([BENCH, *map(str, arguments)], capture_output=True, text=True)


def rows(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(measured):
    """One run each: the ratio is that of the seconds."""
    for row in measured:
        assert row["runs"] == 1 and 0 < row["least"] == row["seconds"] == row["most"]
        if "ratio" in row:
            (other,) = [
                r for r in measured if r["group"] == row["group"] and r["case"] == row["against"]
            ]
            assert math.isclose(row["ratio"], row["seconds"] / other["seconds"], rel_tol=1e-4)


def test_raster():
    measured = rows("raster", *SMALL, "--seeds", "10,300", "--backends", "tile,openmp")
    check(measured)
    assert [row["case"] for row in measured[:5]] == [
        "memset",
        "tile, great-circle",
        "tile, geodesic",
        "openmp, great-circle",
        "openmp, geodesic",
    ]
    assert [row.get("against") for row in measured[:5]] == [
        None,
        "memset",
        *["tile, great-circle"] * 3,
    ]
    assert {row["group"] for row in measured} == {
        "720x360 cells, 10 seeds",
        "720x360 cells, 300 seeds",
    }
    assert all(
        math.isclose(row["M/s"], 720 * 360 / row["seconds"] * 1e-6, rel_tol=1e-4)
        for row in measured
    )
    one = rows(
        "raster", *SMALL, "--metric", "geodesic", "-k", "3", "--max-distance", "1e6", "--level", "5"
    )
    assert [row["case"] for row in one] == ["memset", "auto, geodesic"]


def test_mesh():
    measured = rows(
        "raster",
        "--mesh",
        "--level",
        "4",
        "--runs",
        "1",
        "--seeds",
        "20",
        "--backends",
        "serial,tile",
        "--metric",
        "great-circle",
    )
    check(measured)
    assert measured[0]["group"] == "QTM level 4, 20 seeds"
    assert all(
        math.isclose(row["M/s"], 2048 / row["seconds"] * 1e-6, rel_tol=1e-4) for row in measured
    )


@pytest.mark.parametrize(
    "cells, name, count",
    [
        (["--cells-of", "healpix:2,ring"], "healpix:2,ring", 192),
        (["--cells-of", "s2:1"], "s2:1", 24),
        (["--points", "150"], "150 points", 150),
    ],
)
def test_lists(cells, name, count):
    options = ["--runs", "1", "--seeds", "20", "--backends", "serial,tile", "--metric", "geodesic"]
    measured = rows("raster", *cells, *options)
    check(measured)
    assert measured[0]["group"] == f"{name}, 20 seeds"
    assert all(
        math.isclose(row["M/s"], count / row["seconds"] * 1e-6, rel_tol=1e-4) for row in measured
    )


def test_cost():
    measured = rows(
        "cost", "--size", "360,145", "--runs", "1", "--seeds", "9", "--backends", "tile,serial"
    )
    check(measured)
    assert [row["case"] for row in measured] == ["tile", "serial"]
    assert [row.get("against") for row in measured] == [None, "tile"]


def test_coast():
    """Points and cells, numbers and distances, from lines and polygons; both engines return the same bytes, or it is an error."""
    measured = rows(
        *["coast", "--size", "72,36", "--points", "500", "--runs", "1", "--threads", "2"],
        *["--metric", "great-circle", "--backends", "tile,auto"],
    )
    check(measured)
    kinds = ["points", "points, distances", "cells", "cells, distances"]
    cases = [f"{kind}, {engine}" for kind in kinds for engine in ("tile", "auto")]
    assert [row["case"] for row in measured] == 2 * cases
    assert {row["group"] for row in measured} == {
        f"{seeds} of 441789 edges, great-circle" for seeds in ("lines", "polygons")
    }


def test_barriers():
    """Polygons between the seeds and the cells change the ways; the build is that of the ways to corners."""
    options = ["barriers", "--size", "30,30", "--runs", "1", "--seeds", "9", "--threads", "2"]
    (few,), (many,) = (rows(*options, "--polygons", count) for count in (1, 64))
    check([few, many])
    assert few["case"] == many["case"] == "round polygons"
    assert few["group"] == "30x30 cells, 9 seeds" and few["build"] > 0 and many["build"] > 0


def test_seeds(tmp_path):
    """Those of SplitMix64; a file of them, with a heading."""

    def uniform(state=42):
        while True:
            state = x = (state + 0x9E3779B97F4A7C15) % 2**64
            x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
            yield ((x ^ x >> 31) >> 11) / 2**53

    numbers = uniform()
    expected = ["lon,lat"] + [
        f"{360 * next(numbers) - 180:.9f},{math.degrees(math.asin(2 * next(numbers) - 1)):.9f}"
        for _ in range(3)
    ]
    done = run("seeds", "--seeds", 3)
    assert done.returncode == 0 and done.stdout.splitlines() == expected
    (tmp_path / "s.csv").write_text(done.stdout)
    assert (
        rows("raster", *SMALL, "--seed-file", tmp_path / "s.csv")[0]["group"]
        == "720x360 cells, 3 seeds"
    )


@pytest.mark.parametrize("metric", ["great-circle", "geodesic", "euclidean"])
def test_facility(metric):
    measured = rows("facility", *SMALL, "--seeds", "50", "--metric", metric)
    check(measured)
    assert [row["case"] for row in measured] == [
        "allocation",
        "k = 4",
        "mask that hides 70 %",
        "max distance that leaves 5 %",
        "statistics",
        "distances",
        "statistics with distances",
        "azimuths",
        "geod_inverse",
    ]
    assert measured[0]["group"] == f"{metric}, 720x360 cells, 50 seeds"
    only = rows(
        "facility", *SMALL, "--seeds", "50", "--metric", metric, "--case", "statistics with"
    )
    assert [row["case"] for row in only] == ["distances", "statistics with distances"]


def test_projected():
    measured = rows("projected", "--size", "40,30", "--runs", "1")
    check(measured)
    assert [row["case"] for row in measured] == ["PROJ alone", "great-circle on UTM"]


def test_search(tmp_path):
    """Suites c and a, where they are quick; the others are made too, and left out."""
    measured = rows(
        "search",
        "--suite",
        "c",
        "--runs",
        "1",
        "--backends",
        "openmp,kdtree,serial",
        "--seconds",
        "0.05",
    )
    assert [row["case"] for row in measured[:3]] == ["openmp", "kdtree", "serial"]
    assert len({row["group"] for row in measured}) == 9
    check([row for row in measured if "seconds" in row])
    assert all(row["build"] > 0 for row in measured if "seconds" in row)
    groups = {}
    for row in rows("search", "--seconds", "0", "--backends", "openmp"):
        assert "seconds" not in row
        groups.setdefault(row["group"][0], set()).add(row["group"])
    assert {suite: len(found) for suite, found in groups.items()} == {
        "a": 12,
        "b": 40,
        "c": 9,
        "d": 40,
        "e": 5,
        "f": 4,
        "n": 10,
        "t": 22,
    }
    assert {row["case"] for row in rows("search", "--seconds", "0")} >= {
        "serial",
        "openmp",
        "kdtree",
        "octree",
    }


def test_command(tmp_path):
    out = tmp_path / "out"
    measured = rows("command", "--runs", "2", f"echo a; echo a >>{out}; sleep 0.05", "sleep 0.2")
    assert [row["runs"] for row in measured] == [
        2,
        2,
    ] and out.read_text() == "a\n" * 3  # one to warm up
    assert (
        1 < measured[1]["ratio"] < 4.5
        and measured[1]["seconds"] > 0.2
        and measured[0]["peak_mib"] > 0
    )
    done = run("command", "true", "exit 3")
    assert (done.returncode, done.stderr) == (
        1,
        "gpuvoronoi-bench: error: exit 3: input/output error\n",
    )


@pytest.mark.parametrize(
    "arguments,status,message",
    [
        ([], 2, "unknown benchmark ()"),
        (["rastr"], 2, "unknown benchmark (rastr)"),
        (["raster", "x"], 2, "raster: unknown argument (x)"),
        (["raster", "--runs", "0"], 2, "--runs: invalid value (0)"),
        (["raster", "--runs", "1.5"], 2, "--runs: invalid value (1.5)"),
        (["raster", "--size", "4"], 2, "--size: invalid value"),
        (["raster", "--size", "4,5,6"], 2, "--size: invalid value"),
        (["raster", "--seeds", "1,x"], 2, "--seeds: invalid value"),
        (["raster", "--mesh"], 2, "--level is missing"),
        (["raster", "--mesh", "--points", "5"], 2, "more than one is given"),
        (["raster", "--cells-of", "h3:2"], 1, "unsupported cells (h3:2)"),
        (["raster", "--cells-of", "healpix:99"], 1, "--cells-of: "),
        (["raster", "--backends", "foo", *SMALL], 1, "unknown backend"),
        (["cost", "--size", "1,1"], 1, "cost: no land"),
        (["cost", "--size", "72,29", "--moves", "9"], 1, "invalid moves (9)"),
        (["raster", "--seed-file", "/none"], 1, "no lines of longitude,latitude (/none)"),
        (["facility", "--size", "9,9"], 1, "--size: out of range"),
        (["search", "--suite", "x"], 1, "--suite: invalid value (x)"),
        (["command"], 1, "missing argument"),
        (["raster", "--nope"], 2, "unrecognized option '--nope'"),
    ],
)
def test_errors(arguments, status, message):
    done = run(*arguments)
    assert (
        done.returncode == status
        and done.stdout == ""
        and message in done.stderr
        and done.stderr.count("\n") == 1
    )


def test_output_that_cannot_be_written():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([BENCH, "seeds"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "gpuvoronoi-bench: error: cannot write to standard output\n",
    )


def test_help():
    for arguments in (["--help"], ["search", "--help"]):
        done = run(*arguments)
        assert done.returncode == 0 and all(
            f"\n  {name} " in done.stdout
            for name in (
                "raster",
                "facility",
                "cost",
                "barriers",
                "projected",
                "search",
                "command",
                "seeds",
            )
        )


def test_the_command_has_no_benchmarks(tmp_path):
    done = subprocess.run([COMMAND, "bench"], cwd=tmp_path, capture_output=True, text=True)
    assert (
        done.returncode == 2
        and done.stderr.startswith("gpuvoronoi: error: missing --seeds")
        and list(tmp_path.iterdir()) == []
    )


def test_tables():
    spec = importlib.util.spec_from_file_location("tables", TOOLS / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    row = {"group": "b: d 3, 4 x 5, k 1, uniform", "seconds": 0.002, "build": 0.5}
    assert (
        tables.label(row) == "d 3, 4 x 5, k 1"
        and tables.cell(row) == "2 (500)"
        and tables.cell(None) == "−"
    )
    assert tables.cell({**row, "device": 0.00025}) == "0.25 · 2 (500)"
    assert (
        tables.label({**row, "group": "d: d 3, 4 x 5, k 1, uniform"}) == "d 3, 4 x 5, k 1, uniform"
    )
