"""Chunked templates: computed chunk by chunk, wherever the scheduler runs it."""

import numpy as np
import pytest
from conftest import LONG, globe

from gpuvoronoi import _field, allocation, proximity, voronoi

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
xarray = pytest.importorskip("xarray")


def template(rows, columns, chunks):
    return xarray.DataArray(da.zeros((rows, columns), chunks=chunks), dims=("lat", "lon"), coords={
        "lat": 90 - (np.arange(rows) + 0.5) * (180 / rows), "lon": -180 + (np.arange(columns) + 0.5) * (360 / columns)})


@pytest.mark.parametrize("chunks", [(100, 200), (300, 600), (97, 131), ((50, 200, 50), (600,)), (1, 600)])
@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_values_are_those_of_numpy(random, chunks, scheduler):
    seeds, like = globe(random, 100), template(300, 600, chunks)
    lazy = voronoi(seeds, like=like, k=2, dtype="float64", max_distance=3e6, ids=np.arange(100) * 3)
    assert lazy.allocation.chunks[1:] == like.chunks and hasattr(lazy.proximity.data, "dask")
    plain = voronoi(seeds, like=like.compute(), k=2, dtype="float64", max_distance=3e6, ids=np.arange(100) * 3)
    with dask.config.set(scheduler=scheduler):
        found = lazy.compute()
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=name != "allocation")
        assert repr(found[name].attrs) == repr(plain[name].attrs)


@pytest.mark.parametrize("chunks", [(50, 100), ((50, 30, 40), (90, 150))])  # the second: chunks that are parts of blocks
def test_masks(random, chunks):
    seeds, like = globe(random, 50), template(120, 240, chunks)
    mask = random.random((120, 240)) < 0.5
    expected = allocation(seeds, like=like.compute(), mask=mask)
    for given in (mask, da.from_array(mask, chunks=(60, 60)), like.copy(data=da.from_array(mask, chunks=chunks))):
        assert np.array_equal(allocation(seeds, like=like, mask=given), expected)


def test_projected_grids(random):
    pytest.importorskip("pyproj")
    seeds = random.uniform(2e6, 3e6, 50), random.uniform(2e6, 3e6, 50)
    plain = voronoi(seeds, shape=(200, 150), extent=(2e6, 2e6, 3e6, 3e6), crs="EPSG:3035", metric="geodesic")
    with dask.config.set(scheduler="threads"):
        found = voronoi(seeds, like=plain.chunk({"y": 64, "x": 64}), metric="geodesic").compute()
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=True)


def test_a_process_builds_once(random, monkeypatch):
    made = []
    monkeypatch.setattr(_field.Field, "__init__", lambda self, *a, _init=_field.Field.__init__: (made.append(1), _init(self, *a))[1])
    with dask.config.set(scheduler="threads"):
        proximity(globe(random, 77), like=template(200, 400, (40, 40))).compute()
    assert len(made) == 1


def test_processes(random):
    seeds, like = globe(random, 60), template(100, 200, (50, 100))
    with dask.config.set(scheduler="processes", num_workers=2):
        found = proximity(seeds, like=like).compute()
    assert np.array_equal(found, proximity(seeds, like=like.compute()))


def test_two_workers_of_a_cluster(random):
    distributed = pytest.importorskip("distributed")
    seeds, like = globe(random, 60), template(200, 400, (50, 100))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            found = voronoi(seeds, like=like).compute()
    plain = voronoi(seeds, like=like.compute())
    for name in plain:
        assert np.array_equal(found[name], plain[name], equal_nan=True)


def test_to_zarr_larger_than_memory(random, tmp_path):
    """In the long tier 100,000 x 50,000 cells, 20 GB; their memory is looked at here."""
    pytest.importorskip("zarr")
    resource = pytest.importorskip("resource")
    rows, columns, chunk = (50_000, 100_000, 2500) if LONG else (8000, 16_000, 1000)
    lazy = allocation(globe(random, 300), like=template(rows, columns, (chunk, chunk)), metric="great-circle")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with dask.config.set(scheduler="threads", num_workers=2):
        lazy.to_dataset(name="allocation").to_zarr(tmp_path / "v.zarr")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < rows * columns * 4 / 2
    again = xarray.open_zarr(tmp_path / "v.zarr", mask_and_scale=False).allocation
    assert np.array_equal(again[:3, :3], lazy[:3, :3]) and np.array_equal(again[-3:, -3:], lazy[-3:, -3:])
