"""Chunked templates: computed chunk by chunk, wherever the scheduler runs it."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import LONG, globe

from gpuvoronoi import _field, allocation, proximity, voronoi

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
xarray = pytest.importorskip("xarray")


def template(rows, columns, chunks):
    return xarray.DataArray(
        da.zeros((rows, columns), chunks=chunks),
        dims=("lat", "lon"),
        coords={
            "lat": 90 - (np.arange(rows) + 0.5) * (180 / rows),
            "lon": -180 + (np.arange(columns) + 0.5) * (360 / columns),
        },
    )


@pytest.mark.parametrize(
    "chunks", [(100, 200), (300, 600), (97, 131), ((50, 200, 50), (600,)), (1, 600)]
)
@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_values_are_those_of_numpy(random, chunks, scheduler):
    seeds, like = globe(random, 100), template(300, 600, chunks)
    lazy = voronoi(seeds, like=like, k=2, dtype="float64", max_distance=3e6, ids=np.arange(100) * 3)
    assert lazy.allocation.chunks[1:] == like.chunks and hasattr(lazy.proximity.data, "dask")
    plain = voronoi(
        seeds, like=like.compute(), k=2, dtype="float64", max_distance=3e6, ids=np.arange(100) * 3
    )
    with dask.config.set(scheduler=scheduler):
        found = lazy.compute()
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=name != "allocation")
        assert repr(found[name].attrs) == repr(plain[name].attrs)


@pytest.mark.parametrize(
    "chunks", [(50, 100), (1, 240), (120, 1), ((50, 30, 40), (90, 150))]
)  # the last: chunks that are parts of blocks
def test_masks(random, chunks):
    seeds, like = globe(random, 50), template(120, 240, chunks)
    mask = random.random((120, 240)) < 0.5
    expected = allocation(seeds, like=like.compute(), mask=mask)
    for given in (
        mask,
        np.where(mask, 2.5, np.nan),
        da.from_array(mask, chunks=(60, 60)),
        like.copy(data=da.from_array(mask, chunks=chunks)),
    ):
        assert np.array_equal(allocation(seeds, like=like, mask=given), expected)


def test_projected_grids(random):
    pytest.importorskip("pyproj")
    seeds = random.uniform(2e6, 3e6, 50), random.uniform(2e6, 3e6, 50)
    plain = voronoi(
        seeds, shape=(200, 150), extent=(2e6, 2e6, 3e6, 3e6), crs="EPSG:3035", metric="geodesic"
    )
    with dask.config.set(scheduler="threads"):
        found = voronoi(seeds, like=plain.chunk({"y": 64, "x": 64}), metric="geodesic").compute()
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=True)


def test_a_process_builds_once(random, monkeypatch):
    made = []
    monkeypatch.setattr(
        _field.Field,
        "__init__",
        lambda self, *a, _init=_field.Field.__init__: (made.append(1), _init(self, *a))[1],
    )
    with dask.config.set(scheduler="threads"):
        proximity(globe(random, 77), like=template(200, 400, (40, 40))).compute()
    assert len(made) == 1


def test_processes(random):
    seeds, like = globe(random, 60), template(100, 200, (50, 100))
    with dask.config.set(scheduler="processes", num_workers=2):
        found = proximity(seeds, like=like).compute()
    assert np.array_equal(found, proximity(seeds, like=like.compute()))


def test_two_workers_of_a_cluster(random):
    pytest.importorskip("distributed.client")  # not tests/distributed
    import distributed

    seeds, like = globe(random, 60), template(200, 400, (50, 100))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster):
            found = voronoi(seeds, like=like).compute()
    plain = voronoi(seeds, like=like.compute())
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=True)


# Writes a raster chunk by chunk where there is no room for a part of it, which is tried first.
LARGER_THAN_MEMORY = """
import resource, sys
import dask, dask.array, numpy, xarray, zarr
from gpuvoronoi import allocation

rows, columns, chunk, room = map(int, sys.argv[2:])
random = numpy.random.default_rng(11)
seeds = random.uniform(-180, 180, 300), numpy.degrees(numpy.arcsin(random.uniform(-1, 1, 300)))
like = xarray.DataArray(dask.array.zeros((rows, columns), chunks=chunk), dims=("lat", "lon"), coords={
    "lat": 90 - (numpy.arange(rows) + 0.5) * (180 / rows), "lon": -180 + (numpy.arange(columns) + 0.5) * (360 / columns)})
lazy = allocation(seeds, like=like, metric="great-circle")
with open("/proc/self/status") as status:
    used = next(int(line.split()[1]) for line in status if line.startswith("VmData:")) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + room, used + room))
try:
    numpy.ones(rows * columns // 2, numpy.int32)
    sys.exit("there is room for half of the raster")
except MemoryError:
    pass
with dask.config.set(scheduler="threads", num_workers=2):
    lazy.to_dataset(name="allocation").to_zarr(sys.argv[1])
again = xarray.open_zarr(sys.argv[1], mask_and_scale=False).allocation
for part in (numpy.s_[:3, :3], numpy.s_[rows // 2, ::columns // 99], numpy.s_[-3:, -3:]):
    assert numpy.array_equal(again[part], lazy[part]) and (again[part] >= 0).all()
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="the memory of a process is limited by Linux here"
)
def test_to_zarr_larger_than_memory(tmp_path):
    """A third of the raster would fit; in the long tier 100,000 x 50,000 cells, 20 GB, and a twentieth."""
    pytest.importorskip("zarr")
    rows, columns, chunk, part = (50_000, 100_000, 2500, 20) if LONG else (8000, 16_000, 1000, 3)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            LARGER_THAN_MEMORY,
            str(tmp_path / "v.zarr"),
            str(rows),
            str(columns),
            str(chunk),
            str(rows * columns * 4 // part),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
