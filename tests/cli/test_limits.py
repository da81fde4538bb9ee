"""Processes that may not have all they ask for: fewer threads and files are slower, not wrong."""

import resource

import numpy as np
import pytest

from conftest import build_shim, globe
from test_facility import make_raster

LON, LAT = globe(400, seed=4)


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT)
    return work


def limited(**limits):
    """For preexec_fn: e.g. NOFILE=256."""
    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    return limit


# Threads.

def test_address_space_for_few_threads(seeds):
    """Each of 400 threads would have a stack and an arena of its own."""
    np.save(seeds.path("r.npy"), np.random.default_rng(1).normal(size=(200000, 3)))
    seeds.ok("search", "--reference", "r.npy", "--threads", "2", "-k", "3", "o.npy")
    few = limited(AS=1500000 << 10)
    seeds.ok("search", "--reference", "r.npy", "--threads", "400", "-k", "3", "few.npy", preexec_fn=few)
    assert seeds.path("few.npy").read_bytes() == seeds.path("o.npy").read_bytes()
    seeds.ok("--seeds", "s.csv", "--size", "2000,1000", "--threads", "2", "--no-style", "--co", "NUM_THREADS=1", "a.tif")
    seeds.ok("--seeds", "s.csv", "--size", "2000,1000", "--threads", "400", "--no-style", "--co", "NUM_THREADS=1", "b.tif",
             preexec_fn=few)
    assert seeds.path("a.tif").read_bytes() == seeds.path("b.tif").read_bytes()


@pytest.mark.parametrize("given", [1, 2, 5])
def test_threads_that_are_not_given(seeds, tmp_path_factory, given):
    """One takes signals; what the others would have done the first does."""
    shim = build_shim(tmp_path_factory.mktemp("shim"), "threads")
    make_raster(seeds, "p.tif", np.ones((90, 180)), (-180, 2, 0, 90, 0, -2))
    arguments = ["--seeds", "s.csv", "--size", "2000,1000", "--threads", "40", "--sum", "p.tif"]
    seeds.ok(*arguments, "--stats", "a.csv", "a.tif")
    seeds.ok(*arguments, "--stats", "b.csv", "b.tif", env={**shim, "THREADS": str(given)})
    assert seeds.path("a.csv").read_bytes() == seeds.path("b.csv").read_bytes()
    assert np.array_equal(seeds.read("a.tif"), seeds.read("b.tif"))
    np.save(seeds.path("r.npy"), np.random.default_rng(1).normal(size=(30000, 3)))
    seeds.ok("search", "--reference", "r.npy", "--threads", "2", "a.npy")
    seeds.ok("search", "--reference", "r.npy", "--threads", "40", "b.npy", env={**shim, "THREADS": str(given)})
    assert seeds.path("a.npy").read_bytes() == seeds.path("b.npy").read_bytes()


def test_no_thread_at_all(seeds, tmp_path_factory):
    """Signals would not be taken, and outputs might be left half in place."""
    shim = {**build_shim(tmp_path_factory.mktemp("shim"), "threads"), "THREADS": "0"}
    np.save(seeds.path("r.npy"), np.ones((4, 2)))
    seeds.write("out.tif", "precious")
    seeds.fails("--seeds", "s.csv", "--size", "20,10", "--overwrite", "out.tif", env=shim, has="thread")
    seeds.fails("search", "--reference", "r.npy", "o.npy", env=shim, has="thread")


# Files.

@pytest.mark.parametrize("rasters", [1, 16])
def test_few_files_for_many_rasters(seeds, rasters):
    random = np.random.default_rng(3)
    sums = []
    for i in range(rasters):
        make_raster(seeds, f"p{i}.tif", random.integers(0, 9, (90, 180)).astype(float), (-180, 2, 0, 90, 0, -2))
        sums += ["--sum", f"p{i}.tif"]
    make_raster(seeds, "m.tif", random.integers(0, 2, (90, 180)).astype(float), (-180, 2, 0, 90, 0, -2))
    arguments = ["--seeds", "s.csv", "--size", "90,45", "--mask", "m.tif", *sums]
    seeds.ok(*arguments, "--threads", "2", "--stats", "a.csv", "a.tif")
    for metric in [], ["--crs", "EPSG:3857", "--metric", "geodesic"]:
        seeds.ok(*arguments, *metric, "--threads", "2", "--stats", "a.csv", "--overwrite", "a.tif")
        seeds.ok(*arguments, *metric, "--threads", "64", "--stats", "b.csv", "--overwrite", "b.tif",
                 preexec_fn=limited(NOFILE=256))
        assert seeds.path("a.csv").read_bytes() == seeds.path("b.csv").read_bytes()
        assert np.array_equal(seeds.read("a.tif"), seeds.read("b.tif"))
