"""Rasters of CuPy: the answers are those of numpy's, as arrays of CuPy. Without a GPU by a stand-in for CuPy (cupy_on_host.py), the library
writing into the host's memory."""

import sys

import cupy_on_host
import numpy as np
import pytest

from gpuvoronoi import (
    _c,
    _cells,
    _device_rasters,
    allocation,
    direction,
    proximity,
    statistics,
    voronoi,
)

POINTS = [-100.0, 3.0, 41.0, 170.0], [10.0, -70.0, 55.0, 0.0]


@pytest.fixture(params=["a GPU", "stand-in"])
def cupy(request, monkeypatch):
    if request.param == "a GPU":
        found = pytest.importorskip("cupy")
        try:
            found.cuda.runtime.getDeviceCount()
        except Exception as error:  # CuPy's own
            pytest.skip(f"no GPU: {error}")
        return found
    found, extension = cupy_on_host.modules()
    monkeypatch.setitem(sys.modules, "cupy", found)
    monkeypatch.setitem(sys.modules, "cupyx", extension)
    monkeypatch.setattr(_c, "MEMORY_CUDA", _c.MEMORY_HOST)
    monkeypatch.setattr(_device_rasters, "_BACKEND", "tile")
    return found


def raster(values, **more):
    xarray = pytest.importorskip("xarray")
    rows, columns = values.shape
    return xarray.DataArray(
        values,
        {
            "lat": 90 - (np.arange(rows) + 0.5) * (180 / rows),
            "lon": -180 + (np.arange(columns) + 0.5) * (360 / columns),
        },
        ("lat", "lon"),
        **more,
    )


def classes(random, dtype, rows=90, columns=180):
    values = np.zeros((rows, columns), dtype)
    values[20:40, 30:70], values[50:52, 100:170] = 3, 1
    values.flat[random.choice(values.size, 30)] = 2
    return values


def found_on_gpu(cupy):
    return not isinstance(cupy.asarray(0), cupy_on_host.ndarray)


def check(found, expected):
    data = found.data if hasattr(found, "dims") else found
    data = data.compute() if hasattr(data, "dask") else data
    assert type(data).__module__.startswith("cupy") and data.dtype == expected.dtype
    np.testing.assert_array_equal(data.get(), expected)
    if hasattr(found, "dims") and hasattr(expected, "dims"):
        assert (
            found.dims == expected.dims
            and found.attrs.keys() == expected.attrs.keys()
            and found.coords.keys() == expected.coords.keys()
        )


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "float16", "bool"])
def test_cells_of_a_raster(cupy, random, dtype):
    values = classes(random, dtype)
    if values.dtype.kind == "f":
        values[5:9, 5:60] = np.nan
    there = cupy.asarray(values)
    mask = random.random(values.shape) < 0.8
    for more in (
        {},
        {"target_values": [1, 3]},
        {"max_distance": 2e6},
        {"mask": mask},
        {"mask": cupy.asarray(np.where(mask, 1.0, np.nan))},
        {"target_values": [77]},
        {"metric": "geodesic"},
    ):
        more = {"metric": "great-circle", **more}
        wanted = {**more, "mask": mask} if "mask" in more else more
        for attributes in ({}, {"_FillValue": values.dtype.type(3)}):
            found, expected = (
                voronoi(raster(there, attrs=attributes), **more),
                voronoi(raster(values, attrs=attributes), **wanted),
            )
            for name in expected:
                check(found[name], expected[name])
    check(
        direction(raster(there), metric="euclidean"), direction(raster(values), metric="euclidean")
    )
    check(allocation(raster(there).T), allocation(raster(values).T))
    check(allocation(raster(there)[::-1]), allocation(raster(values)[::-1]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "great-circle", "geodesic"])
def test_plain_arrays(cupy, random, metric):
    """xarray is not needed for them."""
    values = classes(random, np.int16, 270, 540)
    there = cupy.asarray(values)
    for targets in ([1, 2], [], [40]):
        how = {"target_values": targets, "extent": (-180, -90, 180, 90), "metric": metric}
        check(allocation(there, **how), allocation(values, **how))
        check(proximity(there, dtype="float64", **how), proximity(values, dtype="float64", **how))
        check(direction(there, max_distance=5.0, **how), direction(values, max_distance=5.0, **how))


@pytest.mark.parametrize("shape", [(3000,), (30, 100)])
def test_lists_of_points(cupy, random, shape):
    """Points on a GPU as cells: results are there, also those that CPUs compute."""
    lon, lat = random.uniform(-180, 180, shape), random.uniform(-90, 90, shape)
    lon[..., 5] = np.nan
    mask = random.random(shape) < 0.8
    here, there = (lon, lat), (cupy.asarray(lon), cupy.asarray(lat))
    for more in ({}, {"k": 3}, {"max_distance": 2e6}, {"mask": mask}, {"metric": "great-circle"}):
        on_gpu = {**more, "mask": cupy.asarray(mask)} if "mask" in more else more
        check(allocation(POINTS, cells=there, **on_gpu), allocation(POINTS, cells=here, **more))
        check(proximity(POINTS, cells=there, **on_gpu), proximity(POINTS, cells=here, **more))
        check(direction(POINTS, cells=there, **on_gpu), direction(POINTS, cells=here, **more))
    found, expected = (
        statistics(POINTS, cells=cells, mask=left)
        for cells, left in ((there, cupy.asarray(mask)), (here, mask))
    )
    assert found.equals(expected)


def test_what_is_copied_to_the_host(cupy, random, monkeypatch):
    """Spans of equal cells; the whole raster only where it has about as many spans as cells, or to report a seed that is not an integer."""
    sparse, noise = (
        classes(random, np.float64, 360, 720),
        random.integers(0, 3, (90, 180)).astype(np.uint8),
    )
    check(allocation(raster(cupy.asarray(noise))), allocation(raster(noise)))
    for bad in (1.5, 2.0**53, 1e300):
        broken = sparse.copy()
        broken[7, 3] = bad
        with pytest.raises(ValueError) as expected:
            allocation(raster(broken))
        with pytest.raises(ValueError) as found:
            allocation(raster(cupy.asarray(broken)))
        assert str(found.value) == str(expected.value)
    large = np.array([[0, 2**63 + 5, 1, 0] + [0] * 80], np.uint64)
    with pytest.raises(ValueError, match="9223372036854775813"):
        allocation(cupy.asarray(large), target_values=[], metric="euclidean")
    with monkeypatch.context() as patched:
        patched.setattr(_cells.Cells, "_add_array", None)
        found = allocation(raster(cupy.asarray(sparse)))
        with pytest.raises(TypeError):
            allocation(raster(cupy.asarray(noise)))
    check(found, allocation(raster(sparse)))


def test_cells_asked_by_others(cupy, random):
    values = classes(random, np.int32)
    like = np.zeros((33, 50), np.float32)
    for ours, theirs in (
        (raster(cupy.asarray(values)), raster(cupy.asarray(like))),
        (raster(values), raster(cupy.asarray(like))),
        (raster(values), raster(cupy.asarray(values))),
    ):
        check(
            allocation(ours, like=theirs),
            allocation(raster(values), like=raster(theirs.data.get())),
        )
        check(
            proximity(ours, like=theirs), proximity(raster(values), like=raster(theirs.data.get()))
        )
    answer = allocation(raster(cupy.asarray(values)), like=raster(like))
    assert isinstance(answer.data, np.ndarray) and np.array_equal(
        answer, allocation(raster(values), like=raster(like))
    )


def test_points(cupy, random):
    like = np.zeros((45, 90))
    there, here = raster(cupy.asarray(like)), raster(like)
    for more in (
        {},
        {"k": 3},
        {"max_distance": 3e6},
        {"ids": [7, -1, 5, 2**40]},
        {"level": 5},
        {"weights": [1.0, 2.0, 3.0, 4.0]},
        {"crs": 3857},
    ):
        if "crs" in more:
            pytest.importorskip("pyproj")
        found, expected = voronoi(POINTS, like=there, **more), voronoi(POINTS, like=here, **more)
        for name in expected:
            check(found[name], expected[name])
    check(
        voronoi(POINTS, like=there.to_dataset(name="z"))["allocation"],
        allocation(POINTS, like=here),
    )


def test_statistics(cupy, random):
    people = random.random((45, 90))
    people[3, 7] = np.nan
    mask = random.random((45, 90)) < 0.9
    there = raster(cupy.asarray(people))
    distances = found_on_gpu(cupy)  # the library measures them on the GPU
    for more in ({}, {"weights": [1.0, 2.0, 3.0, 4.0]}):
        more = {"distances": distances, **more}
        expected = statistics(
            POINTS, like=raster(people), mask=mask, sums={"people": people}, **more
        )
        for given in (there, there.data, people):
            found = statistics(
                POINTS, like=there, mask=cupy.asarray(mask), sums={"people": given}, **more
            )
            assert found.equals(expected)
    with pytest.raises(ValueError, match="people.*infinite"):
        statistics(POINTS, like=there, sums={"people": there + np.inf})
    with pytest.raises(ValueError, match="must have the grid's shape"):
        statistics(POINTS, like=there, sums={"people": there[1:]})


def test_dask(cupy, random):
    da = pytest.importorskip("dask.array")
    values = classes(random, np.int16)
    mask = np.where(random.random(values.shape) < 0.8, 1.0, np.nan)
    lazy = raster(da.from_array(cupy.asarray(values), chunks=(40, 64), asarray=False))
    for more in ({}, {"mask": mask}, {"target_values": [9]}):
        expected, found = voronoi(raster(values), **more), voronoi(lazy, **more)
        for name in expected:
            assert hasattr(found[name].data, "dask")
            check(found[name], expected[name])
    for more in ({}, {"k": 2}, {"weights": [1.0, 2.0, 3.0, 4.0]}):
        check(
            allocation(POINTS, like=lazy, **more), allocation(POINTS, like=raster(values), **more)
        )


def test_numpy_without_cupys_arrays_is_as_before(cupy, random):
    values = classes(random, np.int16)
    answer = allocation(raster(values), metric="great-circle")
    assert isinstance(answer.data, np.ndarray)
    with pytest.raises(TypeError, match="mask is an array on a GPU"):
        allocation(raster(values), mask=cupy.asarray(values))
