"""A stand-in for CuPy with arrays in host memory: like CuPy's they are not converted to numpy's unless `get` is called, and the
two are not mixed. It shows where gpuvoronoi would copy an array, or call numpy with one, on machines without a GPU."""

import types

import numpy as np


def _host(value):
    if isinstance(value, ndarray):
        return value.host
    if isinstance(value, (tuple, list)):
        return type(value)(_host(one) for one in value)
    return value


def _called(function, arguments, how):
    with np.errstate(invalid="ignore"):  # as on a GPU
        return _wrapped(function(*_host(arguments), **how))


def _wrapped(value):
    return ndarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, host):
        self.host = np.asarray(host)

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **how):
        if any(isinstance(one, np.ndarray) and one.ndim for one in (*inputs, *out)):
            raise TypeError("Unsupported type numpy.ndarray")
        made = getattr(ufunc, method)(*_host(inputs), **how, **({"out": _host(out)} if out else {}))
        return out[0] if out else _wrapped(made)

    def __array_function__(self, function, kinds, arguments, how):
        return _wrapped(
            function(*_host(list(arguments)), **{name: _host(value) for name, value in how.items()})
        )

    @property
    def __cuda_array_interface__(self):
        return {
            "data": (self.host.ctypes.data, False),
            "shape": self.shape,
            "typestr": self.dtype.str,
            "version": 3,
            "strides": None if self.host.flags.c_contiguous else self.host.strides,
        }

    def __getattr__(self, name):
        if name.startswith("__") or name == "host":
            raise AttributeError(name)
        value = getattr(self.host, name)
        if not callable(value):
            return value
        return lambda *arguments, **how: _called(value, arguments, how)

    def __getitem__(self, key):
        return ndarray(self.host[_host(key)])

    def __setitem__(self, key, value):
        self.host[_host(key)] = _host(value)

    def __len__(self):
        return len(self.host)

    def __bool__(self):
        return bool(self.host)

    def __float__(self):
        return float(self.host)

    def __int__(self):
        return int(self.host)

    def get(self, out=None):
        if out is None:
            return self.host.copy()
        out[...] = self.host
        return out


ndarray.__module__ = "cupy"


def _function(name):
    of = getattr(np, name)
    return lambda *arguments, **how: _called(of, arguments, how)


def modules():
    """What `cupy` and `cupyx` are then."""
    names = "array asarray ascontiguousarray empty full isfinite isin where".split()
    cuda = types.SimpleNamespace(
        Device=lambda: types.SimpleNamespace(id=0),
        get_current_stream=lambda: types.SimpleNamespace(ptr=0),
    )
    cupy, cupyx = types.ModuleType("cupy"), types.ModuleType("cupyx")
    cupy.__dict__.update({name: _function(name) for name in names}, ndarray=ndarray, cuda=cuda)
    cupy.__version__, cupy.__getattr__ = "13.0.0", _function  # for Dask and xarray
    cupyx.empty_pinned = np.empty
    return cupy, cupyx
