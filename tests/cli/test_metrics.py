"""Values against oracles, and the same bytes from every backend and thread count."""

import hashlib
import json
import subprocess

import numpy as np
import pytest

from conftest import (
    COMMAND,
    centers,
    check_geodesic,
    check_great_circle,
    globe,
    planar,
    positions,
    real_data,
)

BACKENDS = [
    backend["name"]
    for backend in json.loads(
        subprocess.run(
            [COMMAND, "backends", "--json"], capture_output=True, text=True, check=True
        ).stdout
    )
    if backend["available"]
]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_plane(work, metric):
    random = np.random.default_rng(11)
    x, y = random.uniform(0, 100, 500), random.uniform(0, 60, 500)
    work.csv("s.csv", x, y, header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        "--metric",
        metric,
        "--extent",
        "-3,-3,103,63",
        "--res",
        "0.31",
        "out.tif",
    )
    out = work.open("out.tif")
    assert np.array_equal(out.ReadAsArray(), planar(metric, *centers(out), x, y) + 1)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_ties_go_to_the_first(work, metric):
    """Seeds on a lattice, cell centers half-way: every cell is a tie."""
    x, y = (v.ravel() for v in np.meshgrid(np.arange(0, 32, 2.0), np.arange(0, 32, 2.0)))
    order = np.random.default_rng(2).permutation(x.size)
    x, y = x[order], y[order]
    work.csv("s.csv", x, y, header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        "--metric",
        metric,
        "--extent",
        "-0.5,-0.5,31.5,31.5",
        "--res",
        "1",
        "out.tif",
    )
    out = work.open("out.tif")
    assert np.array_equal(out.ReadAsArray(), planar(metric, *centers(out), x, y) + 1)


@pytest.mark.parametrize("n", [2, 50, 5000])
def test_great_circle(work, n):
    lon, lat = globe(n)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--metric", "great-circle", "--res", "0.5", "out.tif")
    out = work.open("out.tif")
    check_great_circle(out.ReadAsArray() - 1, *centers(out), lon, lat)


@pytest.mark.parametrize("n", [2, 50, 2000])
def test_geodesic(work, n):
    lon, lat = globe(n)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--res", "0.5", "out.tif")
    out = work.open("out.tif")
    check_geodesic(out.ReadAsArray() - 1, *centers(out), lon, lat)


def test_geodesic_on_another_ellipsoid(work):
    """A made-up ellipsoid of flattening 1/10 distinguishes the ellipsoids."""
    lon, lat = globe(30)
    work.csv("s.csv", lon, lat)
    crs = "+proj=longlat +a=6000000 +rf=10"
    work.ok("--seeds", "s.csv", "--seeds-crs", crs, "--res", "3", "out.tif")
    out = work.open("out.tif")
    check_geodesic(out.ReadAsArray() - 1, *centers(out), lon, lat, (6000000.0, 0.1), samples=200)
    work.ok("--seeds", "s.csv", "--res", "3", "wgs84.tif")
    assert np.mean(work.read("wgs84.tif") != out.ReadAsArray()) > 0.005


def test_poles_and_antimeridian_are_ordinary_places(work):
    lon, lat = [180, -180, 77, 0, 12, -90], [10, -10, 90, -90, 0, 45]
    work.csv("s.csv", lon, lat)
    for metric in "great-circle", "geodesic":
        work.ok("--seeds", "s.csv", "--metric", metric, "--res", "1", "--overwrite", "out.tif")
        out = work.open("out.tif")
        check_geodesic(
            out.ReadAsArray() - 1, *centers(out), lon, lat
        ) if metric == "geodesic" else check_great_circle(
            out.ReadAsArray() - 1, *centers(out), lon, lat
        )
        assert np.all(out.ReadAsArray()[0] == 3) and np.all(out.ReadAsArray()[-1] == 4)


def test_one_place_by_many_names(work):
    """(180, 10) and (-180, 10) are one point, and so are all longitudes at a pole: the first seed has the cells."""
    work.csv("s.csv", [180, -180, 540, 0, 50], [10, 10, 10, 90, 90])
    for metric in "great-circle", "geodesic":
        work.ok("--seeds", "s.csv", "--metric", metric, "--res", "2", "--overwrite", "out.tif")
        assert sorted(set(work.read("out.tif").ravel().tolist())) == [1, 4]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--metric", "geodesic", "--res", "6"],
        ["--metric", "great-circle", "--res", "1.5"],
        [
            "--metric",
            "euclidean",
            "--crs",
            "EPSG:3857",
            "--res",
            "200000",
            "--extent",
            "-2e7,-1e7,2e7,1e7",
        ],
        [
            "--metric",
            "geodesic",
            "--crs",
            "EPSG:3035",
            "--extent",
            "2500000,1500000,7000000,5500000",
            "--res",
            "120000",
        ],
    ],
)
def test_the_same_file_from_every_backend(work, arguments):
    lon, lat = globe(400)
    lon[:20], lat[:20] = np.round(lon[:20], -1), np.round(lat[:20], -1)
    work.csv("s.csv", np.concatenate([lon, lon[:50]]), np.concatenate([lat, lat[:50]]))
    hashes = set()
    for backend in BACKENDS:
        for threads in 1, 5:
            work.ok(
                "--seeds",
                "s.csv",
                *arguments,
                "--backend",
                backend,
                "--threads",
                threads,
                "--overwrite",
                "out.tif",
            )
            hashes.add(hashlib.sha256(work.path("out.tif").read_bytes()).hexdigest())
    assert len(hashes) == 1 and len(BACKENDS) >= 2


def test_real_airports_at_the_poles(work):
    """Two seeds are exactly at the poles, 70 are where another one is."""
    path = real_data("airports/ourairports.csv")
    _, lon, lat = positions(path, open_options=["X_POSSIBLE_NAMES=lon", "Y_POSSIBLE_NAMES=lat"])
    work.ok("--seeds", path, "--res", "1", "out.tif")
    out = work.open("out.tif")
    numbers = out.ReadAsArray() - 1
    check_geodesic(numbers, *centers(out), lon, lat, samples=4)
    first = {}
    for i, place in enumerate(zip(lon, lat)):
        first.setdefault(place, i)
    assert all(first[(lon[i], lat[i])] == i for i in set(numbers.ravel().tolist()))


def test_real_shops_on_the_globe(work):
    path = real_data("projected/de_shops_3035.csv")
    work.ok(
        "--seeds",
        path,
        "--seeds-crs",
        "EPSG:3035",
        "--res",
        "2000",
        "--metric",
        "euclidean",
        "a.tif",
    )
    work.ok(
        "--seeds",
        path,
        "--seeds-crs",
        "EPSG:3035",
        "--res",
        "2000",
        "--metric",
        "geodesic",
        "b.tif",
    )
    # The projection is equal-area, not equidistant: nearly, but not quite, the same neighbors.
    assert 0.98 < np.mean(work.read("a.tif") == work.read("b.tif")) < 1.0
