"""`mpirun gpuvoronoi search`: the files of one process, with the queries dealt to the ranks, or the reference points."""

import os
import pathlib

import numpy as np
import pytest
from conftest import SUMMARY
from launchers import launcher, start  # noqa: F401

LONG = os.environ.get("GPUVORONOI_LONG") == "1"


def plane(runner):
    random = np.random.default_rng(1)
    runner.save("reference.npy", random.integers(0, 20, (700, 2)).astype(np.float32))
    runner.save("queries.npy", random.integers(0, 20, (301, 2)))


def circle(runner):
    """Distances from the middle with different squares but equal roots: the order is that of the squares."""
    angle = np.random.default_rng(2).uniform(0, 2 * np.pi, 900)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    squares = points[:, 0] * points[:, 0] + points[:, 1] * points[:, 1]
    assert len(np.unique(squares)) > len(np.unique(np.sqrt(squares)))
    runner.save("reference.npy", points)
    runner.save("queries.npy", np.zeros((1, 2)))


def text(runner):
    random = np.random.default_rng(3)
    for name, count in (("reference.csv", 100), ("queries.csv", 50)):
        np.savetxt(runner.path(name), random.integers(0, 9, (count, 3)), fmt="%d", delimiter=",")


def lonlat(runner):
    random = np.random.default_rng(4)
    for name, count in (("places.csv", 120), ("homes.csv", 45)):
        rows = [f"{x},{y},n{i}" for i, (x, y) in enumerate(random.integers(-80, 80, (count, 2)))]
        runner.text(name, "\n".join(["lon,lat,name", *rows, ""]))


def rivers(runner):
    lonlat(runner)
    lines = ",".join(
        '{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[%d,%d],[%d,%d]]}}'
        % (x, y, y, x)
        for x, y in ((0, 10), (20, 5), (-30, 40), (7, -60))
    )
    runner.text("rivers.geojson", '{"type":"FeatureCollection","features":[%s]}' % lines)


# Inputs, options, outputs, and whether the reference points can be divided among ranks.
CASES = {
    "arrays": (
        plane,
        ["--reference", "reference.npy", "--queries", "queries.npy", "-k", "5"],
        ["--distances", "d.npy", "o.npy"],
    ),
    "itself": (
        plane,
        ["--reference", "reference.npy", "-k", "3", "--max-distance", "2"],
        ["o.csv"],
    ),
    "roots": (
        circle,
        ["--reference", "reference.npy", "--queries", "queries.npy", "-k", "900"],
        ["o.npy"],
    ),
    "text": (
        text,
        ["--reference", "reference.csv", "--queries", "queries.csv", "-k", "1024"],
        ["o.npy"],
    ),
    "text itself": (text, ["--reference", "reference.csv", "-k", "2"], ["o.npy"]),
    "globe": (
        lonlat,
        ["--reference", "places.csv", "--queries", "homes.csv", "-k", "4"],
        ["--distances", "d.npy", "o.npy"],
    ),
    "globe itself": (
        lonlat,
        ["--reference", "places.csv", "-k", "2", "--metric", "great-circle"],
        ["o.csv"],
    ),
    "table": (
        lonlat,
        [
            "--reference",
            "places.csv",
            "--queries",
            "homes.csv",
            "-k",
            "2",
            "--keep",
            "name",
            "--lines",
        ],
        ["o.geojson"],
    ),
    "lines": (
        rivers,
        ["--reference", "rivers.geojson", "--queries", "homes.csv", "-k", "2"],
        ["--nearest", "n.npy", "o.csv"],
    ),
}
SAMPLE = {
    "arrays": [(3, True)],
    "itself": [(2, True)],
    "roots": [(3, True)],
    "text": [(2, False)],
    "globe itself": [(2, True)],
    "table": [(3, False)],
    "lines": [(2, False)],
}


@pytest.mark.parametrize(
    "case,n,dealt",
    [
        (c, n, d)
        for c in CASES
        for n, d in (
            [(n, d) for n in (1, 2, 3, 4, 7) for d in (False, True)] if LONG else SAMPLE.get(c, ())
        )
    ],
)
def test_files_of_one_process(runner, launcher, case, n, dealt):  # noqa: F811
    make, question, outputs = CASES[case]
    make(runner)
    files = [a for a in outputs if not a.startswith("--")]
    question = [str(runner.folder / a) if (runner.folder / a).is_file() else a for a in question]
    for folder in ("one", "ranks"):
        (runner.folder / folder).mkdir()
    runner.run(*question, *[runner.path(f"one/{a}") if a in files else a for a in outputs])
    there = [runner.path(f"ranks/{a}") if a in files else a for a in outputs]
    done = start(
        runner.folder,
        launcher,
        n,
        "search",
        *question,
        *there,
        "--threads",
        "1",
        *["--shard-reference"][:dealt],
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("gpuvoronoi: ")]
    kinds = [SUMMARY.match(line)[1] for line in said]
    assert done.returncode == 0 and len(set(kinds)) == len(kinds) >= 4, done.stderr
    assert sorted(p.name for p in pathlib.Path(runner.path("ranks")).iterdir()) == sorted(files)
    for name in files:
        assert (
            pathlib.Path(runner.path(f"one/{name}")).read_bytes()
            == pathlib.Path(runner.path(f"ranks/{name}")).read_bytes()
        ), name


def fails(runner, launcher, n, *arguments, has):  # noqa: F811
    before = sorted(os.listdir(runner.folder))
    done = start(runner.folder, launcher, n, "search", *arguments)
    said = [line for line in done.stderr.splitlines() if line.startswith("gpuvoronoi: ")]
    assert done.returncode != 0 and len(said) == 1 and has in said[0], done.stderr
    assert sorted(os.listdir(runner.folder)) == before


def test_errors_are_told_once(runner, launcher):  # noqa: F811
    plane(runner)
    bad = np.load(runner.path("queries.npy")).astype(float)
    bad[299] = np.nan  # read by rank 2 of 3
    runner.save("bad.npy", bad)
    runner.text("old.npy", "old")
    fails(
        runner,
        launcher,
        3,
        "--reference",
        "reference.npy",
        "--queries",
        "bad.npy",
        "o.npy",
        has="rank 2 of 3 on ",
    )
    fails(
        runner,
        launcher,
        2,
        "--reference",
        "reference.npy",
        "--queries",
        "bad.npy",
        "--shard-reference",
        "o.npy",
        has="bad.npy: row 299",
    )
    fails(runner, launcher, 2, "--reference", "reference.npy", "old.npy", has="old.npy exists")
    fails(
        runner,
        launcher,
        2,
        "--reference",
        "-",
        "o.npy",
        has="standard input: unsupported with mpirun",
    )
    assert (runner.folder / "old.npy").read_text() == "old"
