"""Each command once, from an answer that is known beforehand. A command that --help lists and no test here runs fails."""

import json
import re

import numpy as np
import pytest

from conftest import ROOT

RAN = set()


@pytest.fixture
def seeds(work):
    work.csv("s.csv", [1.0, 3.0], [1.0, 1.0], header="x,y")
    return work


GRID = ["--seeds", "s.csv", "--extent", "0,0,4,2", "--id", "n", "-x", "x", "-y", "y"]
FINER = ["--res", "0.015625", "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=64"]
NEAREST = [[7, 7, 9, 9], [7, 7, 9, 9]]


def ran(work, command, *arguments):
    RAN.add(command)
    return work.ok(command, *arguments)


def test_raster(work):
    work.csv("s.csv", [1.0, 3.0], [1.0, 1.0], header="x,y", n=[7, 9])
    work.ok(*GRID, "--res", "1", "out.tif")
    assert np.array_equal(work.read("out.tif"), NEAREST)


def test_merge(work):
    work.csv("s.csv", [1.0, 3.0], [1.0, 1.0], header="x,y", n=[7, 9])
    for part in "1/2", "2/2":
        work.ok(*GRID, *FINER, "--part", part, f"{part[0]}.part")
    ran(work, "merge", "out.tif", "1.part", "2.part")
    assert np.array_equal(work.read("out.tif"), np.kron(NEAREST, np.ones((64, 64), int)))


def test_search(seeds):
    seeds.csv("q.csv", [0.0, 4.0, 3.0], [1.0, 4.0, 1.0], header="x,y")
    ran(
        seeds,
        "search",
        "--reference",
        "s.csv",
        "--queries",
        "q.csv",
        "--distances",
        "d.npy",
        "o.npy",
    )
    assert np.load(seeds.path("o.npy")).ravel().tolist() == [0, 1, 1]
    assert np.allclose(np.load(seeds.path("d.npy")).ravel(), [1.0, np.sqrt(10.0), 0.0], rtol=1e-15)


def test_qtm(work):
    code = ran(work, "qtm", "encode", "--level", "12", "10", "50").stdout.split()[0]
    lon, lat = map(float, ran(work, "qtm", "decode", code).stdout.split())
    assert abs(lon - 10) < 0.1 and abs(lat - 50) < 0.1


def test_backends(work):
    available = {
        one["name"]
        for one in json.loads(ran(work, "backends", "--json").stdout)
        if one["available"]
    }
    assert available >= {"serial", "openmp", "kdtree", "tile"}


def test_table_of_backends(work):
    """One row a backend under a header, and each reason once below."""
    listed = json.loads(ran(work, "backends", "--json").stdout)
    table, _, below = ran(work, "backends").stdout.partition("\n\n")
    header, *rows = table.splitlines()
    columns = [
        "runs on",
        "points",
        "radius",
        "rasters",
        "lists",
        "lines",
        "weights",
        "cost",
        "here",
        "method",
    ]
    starts = [0, *(header.index(column) for column in columns)]
    assert starts == sorted(starts) and header.startswith("backend")
    cells = [
        [row[start:end].strip() for start, end in zip(starts, [*starts[1:], None])] for row in rows
    ]
    assert [row[0] for row in cells] == [one["name"] for one in listed]
    reasons = dict(line.split("  ", 1) for line in below.splitlines())
    assert len(set(reasons.values())) == len(reasons)
    for row, one in zip(cells, listed):
        assert row[1] == ("GPU" if one["gpu"] else "CPU")
        yes = {
            "points": "searches_points",
            "lists": "list_grids",
            "lines": "feature_grids",
            "weights": "weighted_grids",
            "cost": "travel_cost",
        }
        for column, fact in yes.items():
            assert row[1 + columns.index(column)] == ("yes" if one[fact] else "-"), (row, column)
        here = row[1 + columns.index("here")]
        assert here == "yes" if one["available"] else reasons[here.split()[1]] == one["reason"]
        assert row[-1] == one["summary"]
    by_name = {row[0]: row for row in cells}
    assert by_name["kdtree"][1:8] == ["CPU", "yes", "yes", "yes", "yes", "-", "-"]
    assert by_name["cuda-tile"][1:9] == ["GPU", "-", "-", "yes", "yes", "yes", "yes", "yes"]


def test_diagram(work):
    work.csv("seeds.csv", [0, 120, -120], [10, 20, -30])
    ran(work, "diagram", "--seeds", "seeds.csv", "cells.gpkg")
    assert work.path("cells.gpkg").exists()


def test_weights(work):
    ran(work, "weights", "--source", "healpix:1", "--target", "s2:1", "weights.nc")
    assert work.path("weights.nc").exists()


def test_devices(work):
    listed = json.loads(ran(work, "devices", "--json").stdout)
    assert listed["devices"] or listed["reason"]


def test_all_commands_have_run(work):
    usage = re.search(r"^ +gpuvoronoi (\w+(?: \| \w+)+)$", work.ok("--help").stdout, re.MULTILINE)
    assert set(usage[1].split(" | ")) == RAN


@pytest.mark.parametrize(
    "command,page",
    [("", "usage"), ("search", "search"), ("diagram", "diagram"), ("merge", "cluster")],
)
def test_options_are_documented(work, command, page):
    """Each option of --help-all is on the command's page or among those of docs/usage.md."""
    text = (ROOT / "docs" / f"{page}.md").read_text() + (ROOT / "docs" / "usage.md").read_text()
    help_all = work.ok(*command.split(), "--help-all").stdout
    options = set(re.findall(r"^  (--?[a-z][a-z-]*)", help_all, re.MULTILINE))
    assert (
        len(options) > 15
        and {option for option in options if not re.search(rf"[` ]{option}\b(?!-)", text)} == set()
    )


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["--seed", "s.csv", "o.tif"], "unknown option --seed; did you mean --seeds?"),
        (
            ["--seeds", "s.csv", "--sizes=3,4", "o.tif"],
            "unknown option --sizes; did you mean --size?",
        ),
        (
            ["search", "--refernece", "s.csv", "o.npy"],
            "unknown option --refernece; did you mean --reference?",
        ),
        (
            ["search", "--zzz", "o.npy"],
            "unknown option --zzz; gpuvoronoi search --help-all lists all options",
        ),
        (
            ["diagramm", "--seeds", "s.csv", "o.gpkg"],
            "unknown command diagramm; did you mean diagram?",
        ),
        (
            ["s.csv", "o.tif"],
            "output: given twice ('s.csv' and 'o.tif'); use one; --seeds names the input",
        ),
        (
            ["search", "s.csv", "o.npy"],
            "output: given twice ('s.csv' and 'o.npy'); use one; --reference names the input",
        ),
    ],
)
def test_misspelled_names(seeds, arguments, words):
    seeds.fails(*arguments, status=2, has=words)


def test_outputs_that_resemble_commands(seeds):
    seeds.ok("diagram.tif", "--seeds", "s.csv", "--extent", "0,0,4,2", "--res", "1")
    seeds.ok("./serach", "--seeds", "s.csv", "--extent", "0,0,4,2", "--res", "1", "--of", "GTiff")
