"""The report of a run: lines on stderr, or JSON on the standard output."""

import json
import re

import numpy as np
import pytest
from osgeo import gdal

from conftest import crs, globe

LON, LAT = globe(120, seed=21)
GRID = ["--seeds", "s.csv", "--size", "200,100", "--metric", "great-circle"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT)
    return work


def told(work, *arguments, status=0):
    """The JSON object of a run that says nothing else."""
    done = work.run(*arguments, "--json")
    assert done.returncode == status and done.stderr == done.summary == "", (
        done.stdout,
        done.stderr,
    )
    report = json.loads(done.stdout)
    assert report["status"] == status and (report["error"] is None) == (status == 0)
    return report


def test_lines(seeds):
    done = seeds.ok(*GRID, "--threads", "2", "o.tif")
    lines = done.summary.splitlines()
    assert done.stderr == "" and done.stdout == ""
    assert lines[:4] == [
        "gpuvoronoi: metric: great-circle, as requested",
        "gpuvoronoi: grid: 200 x 100 cells of 1.8 degree, WGS 84 (EPSG:4326)",
        "gpuvoronoi: cells: 20000, 0 without a seed",
        "gpuvoronoi: seeds: 120 used, 0 left out, 0 without a cell",
    ]
    assert (
        re.fullmatch(r"gpuvoronoi: backend: tile, [12] threads?, \d+\.\d\d s", lines[4])
        and len(lines) == 5
    )
    assert seeds.ok(*GRID, "--quiet", "--overwrite", "o.tif").summary == ""


@pytest.mark.parametrize(
    "options,reason",
    [
        ([], "default for longitudes and latitudes"),
        (["--metric", "geodesic"], "as requested"),
        (["--crs", "EPSG:3035"], "default for projected CRSs"),
        (["--crs", "EPSG:3857"], "default for projected CRSs of the whole world"),
        (["--level", "4"], "default for the mesh"),
    ],
)
def test_reasons(seeds, options, reason):
    assert (
        told(
            seeds,
            "--seeds",
            "s.csv",
            *options,
            *(["--size", "30,20"] if "--level" not in options else []),
            "--skip-invalid",
            "o.tif",
        )["metric"]["reason"]
        == reason
    )


def test_no_system(work):
    work.csv("s.csv", [1, 5], [1, 5], header="x,y")
    report = told(work, "--seeds", "s.csv", "--extent", "0,0,8,4", "--res", "0.5,0.25", "o.tif")
    assert report["metric"] == {
        "name": "euclidean",
        "reason": "default without a coordinate system",
    }
    assert report["grid"] == {
        "width": 16,
        "height": 16,
        "cell_size": [0.5, 0.25],
        "unit": "",
        "crs": "no coordinate system",
        "level": None,
    }


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--max-distance", "900km"],
        ["--mask", "m.tif"],
        ["--mask", "m.tif", "--max-distance", "2000km"],
        ["--crs", "ESRI:54009"],
        ["--max-distance", "1"],
        ["-k", "3", "--max-distance", "900km"],
        ["--level", "5", "--max-distance", "900km"],
    ],
    ids=lambda options: " ".join(options),
)
@pytest.mark.parametrize(
    "outputs",
    [["o.tif"], ["--stats", "t.csv"], ["--distance", "d.tif", "o.tif"]],
    ids=lambda outputs: outputs[0],
)
def test_counts(seeds, options, outputs):
    mask = gdal.GetDriverByName("GTiff").Create(str(seeds.path("m.tif")), 36, 18)
    mask.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    mask.SetSpatialRef(crs(4326))
    mask.GetRasterBand(1).WriteArray(np.random.default_rng(2).integers(0, 2, (18, 36)))
    mask = None
    grid = ["--seeds", "s.csv", "--size", "1100,600", "--metric", "great-circle", *options]
    report = told(seeds, *grid, *outputs)
    seeds.ok(*grid, "--overwrite", "expected.tif")
    ids = seeds.read("expected.tif")
    ids = ids[0] if ids.ndim == 3 else ids
    assert report["cells"] == {"count": ids.size, "without_seed": int((ids == -1).sum())}
    without = 120 - len(set(np.unique(ids)) - {-1})
    assert report["seeds"] == {"used": 120, "left_out": 0, "without_cells": without}
    codes = {one["code"]: one for one in report["warnings"]}
    if (ids == -1).all():
        assert codes["cells-empty"]["count"] == ids.size
    elif without:
        assert codes["seeds-without-cells"]["count"] == without
    else:
        assert codes == {}


@pytest.mark.parametrize("seed", range(12))
def test_seeds_without_cells(work, seed):
    """Without --stats they are known by what meets in the raster, also where a region is whole blocks."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 60))
    work.csv(
        "s.csv",
        random.integers(0, 1500, count),
        random.integers(0, 1500, count),
        header="x,y",
        number=random.permutation(count),
        wide=random.permutation(count) + 2**33,
    )
    grid = [
        "--seeds",
        "s.csv",
        "--extent",
        "0,0,1024,1024",
        "--size",
        "1024,1024",
        "--overwrite",
        *(["--id", str(random.choice(["number", "wide"]))] if seed % 3 else []),
    ]
    with_table = told(work, *grid, "--stats", "t.csv", "o.tif")
    assert told(work, *grid, "o.tif")["seeds"] == with_table["seeds"]
    assert told(work, *grid, "--no-style", "o.tif")["seeds"]["without_cells"] is None


def test_blocks_of_one_seed(work):
    work.csv("s.csv", [256, 768, 256, 768, 5000], [256, 256, 768, 768, 5000], header="x,y")
    for block in "512", "256":
        report = told(
            work,
            "--seeds",
            "s.csv",
            "--extent",
            "0,0,1024,1024",
            "--size",
            "1024,1024",
            "--overwrite",
            "--co",
            f"BLOCKXSIZE={block}",
            "--co",
            f"BLOCKYSIZE={block}",
            "o.tif",
        )
        assert report["seeds"]["without_cells"] == 1


def test_left_out(work):
    work.write("s.csv", "lon,lat\n1,2\n5,nothing\n7,99\n3,4\n")
    report = told(work, "--seeds", "s.csv", "--size", "20,10", "--skip-invalid", "o.tif")
    assert report["seeds"]["used"] == 2 and report["seeds"]["left_out"] == 2
    assert [(one["code"], one["count"]) for one in report["warnings"]] == [("seeds-skipped", 2)]
    work.fails("--seeds", "s.csv", "--size", "20,10", "--overwrite", "o.tif", has="row 2")


ERRORS = [
    ("usage", 2, ["--nope", "o.tif"]),
    ("usage", 2, ["--overwrite=1"]),
    ("usage", 2, ["--size", "x", "o.tif"]),
    ("usage", 2, []),
    ("invalid", 1, ["--where", "no", "o.tif"]),
    ("backend-unknown", 1, ["--backend", "warp", "o.tif"]),
    (
        "unsupported",
        1,
        ["--backend", "kdtree", "--weighting", "additive", "--weight-field", "w", "o.tif"],
    ),
    ("file", 1, ["--mask", "gone.tif", "o.tif"]),
    ("file", 1, ["/vsimem/o.tif"]),
    ("file", 1, ["gone/o.tif"]),
    ("crs-unknown", 1, ["--crs", "EPSG:999999", "o.tif"]),
    ("crs-missing", 1, ["--mask", "bare.tif", "o.tif"]),
    ("grid-too-large", 1, ["--res", "1e-9", "o.tif"]),
    ("grid-too-large", 1, ["--res", "1e-6", "o.tif"]),
    ("grid-too-small", 1, ["--res", "1000", "o.tif"]),
    ("metric-refused", 1, ["--metric", "euclidean", "o.tif"]),
    ("output-exists", 1, ["bare.tif"]),
    ("output-format", 1, ["o.nope"]),
    ("output-format", 1, ["--of", "nope", "o.tif"]),
    ("output-format", 1, ["--stats", "t.nope"]),
    ("output-is-input", 1, ["--like", "bare.tif", "--overwrite", "bare.tif"]),
    ("seed-unusable", 1, ["--id", "holes", "o.tif"]),
    ("seeds-none", 1, ["--where", "w > 9", "o.tif"]),
]


@pytest.mark.parametrize(
    "code,status,arguments",
    ERRORS,
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_errors(work, code, status, arguments):
    work.write("s.csv", "lon,lat,w,holes\n1,2,1,4\n5,6,2,\n")
    work.raster("bare.tif", (0, 1, 0, 9, 0, -1), (9, 9))
    line = work.fails("--seeds", "s.csv", *arguments, status=status)
    report = told(work, "--seeds", "s.csv", *arguments, status=status)
    assert report["error"]["code"] == code, report
    plain = [
        re.sub(r"\.tmp-\w+-\d+-\d+", "", text)
        for text in ("gpuvoronoi: error: " + report["error"]["message"], line)
    ]
    assert plain[0] == plain[1]
    before = json.loads(work.run("--json", "--seeds", "s.csv", *arguments).stdout)
    assert before["error"]["code"] == code


def test_progress(seeds):
    done = seeds.run(*GRID, "--json", "--progress", "o.tif")
    assert json.loads(done.stdout)["status"] == 0
    assert done.stderr == "0...10...20...30...40...50...60...70...80...90...100 - done.\n"


def test_names_that_are_no_text(work):
    """Messages may hold any bytes; JSON holds text."""
    name = b's\xff"\\.csv'
    done = work.run("--seeds", name.decode("utf-8", "surrogateescape"), "--json", "o.tif")
    assert 's\xff"\\.csv' in json.loads(done.stdout)["error"]["message"]


# ------------------------------------------------------------------------------------------------------------------ search


def test_lines_of_a_search(seeds):
    done = seeds.ok(
        "search",
        "--reference",
        "s.csv",
        "-k",
        "3",
        "--max-distance",
        "1",
        "--threads",
        "1",
        "f.npy",
    )
    assert done.stdout == done.stderr == ""
    lines = done.summary.splitlines()
    assert lines[:4] == [
        "gpuvoronoi: metric: geodesic, default for longitudes and latitudes",
        "gpuvoronoi: references: 120 used, 0 left out, 2 dimensions, WGS 84 (EPSG:4326)",
        "gpuvoronoi: queries: 120 used, 0 left out",
        "gpuvoronoi: neighbors: 360, 360 missing",
    ]
    assert (
        re.fullmatch(r"gpuvoronoi: backend: [a-z]+, 1 thread, \d+\.\d\d s", lines[4])
        and len(lines) == 5
    )
    assert (
        seeds.ok("search", "--reference", "s.csv", "--quiet", "--overwrite", "f.npy").summary == ""
    )


def test_search_as_json(seeds):
    seeds.write("q.csv", "lon,lat\n1,2\n5,nothing\n7,99\n3,4\n")
    for out in "f.npy", "f.csv", "f.gpkg":
        report = told(
            seeds,
            "search",
            "--reference",
            "s.csv",
            "--queries",
            "q.csv",
            "--skip-invalid",
            "-k",
            "130",
            "--metric",
            "great-circle",
            "--backend",
            "kdtree",
            "--threads",
            "1",
            out,
        )
        assert report.pop("seconds") >= 0 and report.pop("gpuvoronoi")
        assert report["warnings"][0].pop("message").startswith("q.csv: 2 points skipped")
        assert report == {
            "status": 0,
            "metric": {"name": "great-circle", "reason": "as requested"},
            "crs": "WGS 84 (EPSG:4326)",
            "dimensions": 2,
            "references": {"used": 120, "left_out": 0},
            "queries": {"used": 2, "left_out": 2},
            "neighbours": {"count": 260, "missing": 20},
            "backend": {"name": "kdtree", "asked": "kdtree", "threads": 1},
            "warnings": [{"code": "seeds-skipped", "count": 2}],
            "error": None,
        }


def test_search_of_arrays_and_lines_as_json(work):
    np.save(work.path("a.npy"), np.random.default_rng(1).uniform(0, 1, (50, 7)))
    report = told(work, "search", "--reference", "a.npy", "-k", "2", "f.npy")
    assert (
        report["metric"] == {"name": "euclidean", "reason": "default without a coordinate system"}
        and report["dimensions"] == 7
    )
    assert report["references"]["used"] == report["queries"]["used"] == 50 and report[
        "neighbours"
    ] == {"count": 100, "missing": 0}
    work.write("l.csv", 'WKT,n\n"LINESTRING (0 0, 9 9)",1\n"POINT (3 4)",2\n')
    work.csv("q.csv", [1, 2, 3], [1, 2, 4], header="x,y")
    report = told(
        work,
        "search",
        "--reference",
        "l.csv",
        "--layer",
        "l",
        "--queries",
        "q.csv",
        "--query-x",
        "x",
        "--query-y",
        "y",
        "-k",
        "3",
        "g.npy",
    )
    assert report["references"]["used"] == 2 and report["neighbours"] == {"count": 9, "missing": 3}


@pytest.mark.parametrize(
    "code,status,arguments",
    [
        ("usage", 2, ["--nope", "o.npy"]),
        ("usage", 2, ["--x", "lon", "o.npy"]),
        ("metric-refused", 1, ["--metric", "euclidean", "o.npy"]),
        ("output-is-input", 1, ["--overwrite", "s.csv"]),
        ("output-exists", 1, ["there.npy"]),
        ("output-format", 1, ["o.what"]),
        ("file", 1, ["--queries", "gone.gpkg", "o.npy"]),
        ("layer-needed", 1, ["--queries", "two.gpkg", "o.npy"]),
    ],
)
def test_errors_of_a_search_as_json(seeds, code, status, arguments):
    seeds.write("there.npy", "")
    source = gdal.GetDriverByName("GPKG").Create(str(seeds.path("two.gpkg")), 0, 0, 0)
    for name in "ab":
        source.CreateLayer(name, crs(4326))
    source = None
    assert (
        told(seeds, "search", "--reference", "s.csv", *arguments, status=status)["error"]["code"]
        == code
    )
