"""Arrays on a GPU: tests without a GPU, and with CuPy and torch their results."""

import sys

import numpy as np
import pytest

from gpuvoronoi import GlobeTree, KDTree


class Told:
    """An array that is said to be on a GPU."""

    def __init__(self, shape=(1, 2), typestr="<f8", strides=None, **more):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (4096, False),
            "version": 3,
            "strides": strides,
            **more,
        }


@pytest.mark.parametrize(
    "data, error, words",
    [
        (Told(typestr="<i8"), TypeError, "data, on a GPU, must be an array of float32"),
        (Told(shape=(3, 2), strides=(8, 24)), ValueError, "data, on a GPU, must be C-contiguous"),
        (Told(shape=(3, 2), mask=1), ValueError, "data: unsupported masked"),
        (Told(shape=(3,)), ValueError, "data must have the shape"),
    ],
)
def test_what_is_refused(data, error, words):
    with pytest.raises(error, match=words):
        KDTree(data)


def test_only_backends_of_gpus_take_them():
    with pytest.raises(ValueError, match="backend: device memory is unsupported .kdtree"):
        KDTree(Told(), backend="kdtree")
    with pytest.raises(
        (RuntimeError, ValueError), match="device"
    ):  # there is no GPU, or nothing at that address
        KDTree(Told())


class ByDlpack:
    """An array with DLPack only."""

    def __init__(self, array, device=2):
        self._array, self._device = array, device

    def __dlpack_device__(self):
        return (self._device, 0)

    def __dlpack__(self, **how):
        return self._array.__dlpack__(**how)


class ByInterface:
    """An array with the interface only."""

    def __init__(self, array):
        self._array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def test_others_arrays_want_one_who_answers(monkeypatch):
    for module in ("cupy", "torch"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(
        TypeError,
        match="answers on a GPU are arrays of CuPy or torch: import one of them for arrays of test_device_arrays",
    ):
        KDTree(ByDlpack(np.zeros((1, 2))))


def test_dlpack_of_the_host_is_no_gpu_array():
    with pytest.raises((TypeError, ValueError)):
        KDTree(ByDlpack(np.zeros((1, 2)), device=1))


def test_other_functions_refuse_them():
    with pytest.raises(TypeError, match="lon is an array on a GPU, which only KDTree supports"):
        GlobeTree(Told(shape=(2,)), [1.0, 2.0])


@pytest.fixture(params=["cupy", "torch"])
def module(request):
    found = pytest.importorskip(request.param)
    try:
        count = (
            found.cuda.runtime.getDeviceCount()
            if request.param == "cupy"
            else found.cuda.device_count()
        )
    except Exception as error:  # CuPy's own
        pytest.skip(f"no GPU: {error}")
    if count < 1:
        pytest.skip("no GPU")
    return found


def on_device(module, array):
    return module.asarray(array) if module.__name__ == "cupy" else module.from_numpy(array).cuda()


def on_host(array):
    return array.get() if type(array).__module__.startswith("cupy") else array.cpu().numpy()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_answers_are_those_of_the_host(module, kind):
    values = np.random.default_rng(3)
    data, x = values.random((5000, 3)).astype(kind), values.random((7, 11, 3)).astype(kind)
    there, tree = KDTree(on_device(module, data)), KDTree(data, backend="serial")
    for more in (
        {},
        {"k": 3},
        {"k": [2, 5]},
        {"k": 4, "distance_upper_bound": 0.05},
        {"k": 2, "p": 1},
    ):
        wanted, got = tree.query(x, **more), there.query(on_device(module, x), **more)
        for expected, found in zip(wanted, got):
            assert type(found) is type(on_device(module, data))
            np.testing.assert_array_equal(on_host(found), expected)
        for expected, found in zip(wanted, there.query(x, **more)):
            np.testing.assert_array_equal(found, expected)
    distance, index = there.query(on_device(module, data[17]))
    assert (distance, index) == (0.0, 17) and isinstance(index, int)
    empty = there.query(on_device(module, x[:0]), k=2)
    assert [tuple(found.shape) for found in empty] == [(0, 11, 2), (0, 11, 2)]


@pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
def test_arrays_of_others(module, kind):
    values = np.random.default_rng(6).random((500, 3))
    x, tree = on_device(module, values), KDTree(values, backend="serial")
    wanted, got = tree.query(values, k=2), KDTree(kind(x)).query(kind(x), k=2)
    for expected, found in zip(wanted, got):
        assert type(found).__module__.partition(".")[0] in ("cupy", "torch")
        np.testing.assert_array_equal(on_host(found), expected)


def test_what_is_still_being_made_is_waited_for(module):
    data = np.random.default_rng(4).random((3000, 3))
    tree = KDTree(on_device(module, data))
    large = on_device(module, np.random.default_rng(5).random((4000, 4000)))
    stream = (
        module.cuda.Stream(non_blocking=True) if module.__name__ == "cupy" else module.cuda.Stream()
    )
    module.cuda.Device().synchronize() if module.__name__ == "cupy" else module.cuda.synchronize()
    with stream if module.__name__ == "cupy" else module.cuda.stream(stream):
        for _ in range(5):
            large = large @ large * 1e-4
        late = on_device(module, data) + 0 * large[0, 0]
        _, index = tree.query(late)
    np.testing.assert_array_equal(on_host(index), np.arange(3000))
