"""gpuvoronoi devices: works on every machine and gives the reason for an empty list. And files that a device helped to compute."""

import json
import subprocess

import pytest

from conftest import COMMAND, globe


def devices(*arguments):
    return subprocess.run(
        [COMMAND, "devices", *arguments], capture_output=True, text=True, timeout=120
    )


def test_both_forms_agree():
    plain, listed = devices(), devices("--json")
    assert (plain.returncode, plain.stderr, listed.returncode, listed.stderr) == (0, "", 0, "")
    answer = json.loads(listed.stdout)
    if answer["devices"]:
        assert answer["reason"] == ""
        assert len(plain.stdout.splitlines()) == len(answer["devices"])
        for number, device in enumerate(answer["devices"]):
            assert device["number"] == number and device["name"] and device["memory_bytes"] > 0
            assert device["usable"] == (device["reason"] == "")
            assert device["name"] in plain.stdout
    else:
        assert answer["reason"]
        assert plain.stdout == f"no CUDA device: {answer['reason']}\n"


def test_usage():
    done = devices("x")
    assert done.returncode == 2 and "x" in done.stderr and done.stderr.count("\n") == 1
    assert devices("--frob").returncode == 2
    assert devices("--help").stdout.startswith("Usage: gpuvoronoi devices")


MEASURED = ("out.tif", "d.tif", "a.tif", "t.csv")
BACKENDS = ("tile", "cuda-tile", "auto")


@pytest.mark.parametrize(
    "options",
    [
        ["--metric", "great-circle"],
        ["--metric", "geodesic"],
        ["--metric", "geodesic", "-k", "3", "--distance-type", "Float64"],
        ["--metric", "geodesic", "--max-distance", "1000km", "--distance-unit", "km"],
        ["--metric", "geodesic", "--level", "6"],
        [
            "--crs",
            "EPSG:3857",
            "--extent",
            "-9000000,-5000000,9000000,5000000",
            "--metric",
            "manhattan",
        ],
        [
            "--crs",
            "EPSG:3857",
            "--extent",
            "-9000000,-5000000,9000000,5000000",
            "--metric",
            "geodesic",
        ],  # left to processors
    ],
    ids=lambda options: " ".join(options),
)
def test_distances_and_azimuths_by_a_device(work, options):
    """The same bytes from processors and devices."""
    if not any(device["usable"] for device in json.loads(devices("--json").stdout)["devices"]):
        pytest.skip("no CUDA device")
    lon, lat = globe(300, seed=12)
    work.csv("s.csv", lon, lat)
    asked = [
        "--seeds",
        "s.csv",
        "--size",
        "2600,1500",
        *options,
        "--overwrite",
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "--stats",
        "t.csv",
        "out.tif",
    ]
    files = {}
    for backend in BACKENDS:
        work.ok(*asked, "--backend", backend)
        files[backend] = [work.path(name).read_bytes() for name in MEASURED]
    for backend in BACKENDS[1:]:
        assert [
            name for name, a, b in zip(MEASURED, files["tile"], files[backend]) if a != b
        ] == [], backend
