"""Arrays on a GPU: CuPy's and torch's, and others with ``__cuda_array_interface__`` or DLPack;
results are arrays of CuPy or torch. Neither is imported here: the array's creator has imported
it."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref
from typing import Any, NamedTuple, NoReturn, Optional

import numpy as np

from . import _c
from ._library import Handle, library, run


_DLPACK_CUDA = 2  # kDLCUDA of dlpack.h


class DeviceArray(NamedTuple):
    """Description of an array on a GPU for the library, and the array itself."""

    owner: Any
    address: int
    shape: tuple[int, ...]
    kind: int
    stream: Optional[int]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an address on a GPU belongs to its process: it cannot be pickled or copied"
        )

    def rows(self, dim: int) -> _c.Points:
        return _c.Points(
            data=self.address, count=int(np.prod(self.shape[:-1])), dim=dim, dtype=self.kind
        )


def _module(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def found(value: Any) -> bool:
    """Whether it is one. Tensors of torch on the host have the attribute too, but reading it
    fails."""
    if isinstance(value, np.ndarray) or (
        _module(value) == "torch" and not getattr(value, "is_cuda", False)
    ):
        return False
    return hasattr(value, "__cuda_array_interface__") or _only_dlpack(value)


def _only_dlpack(value: Any) -> bool:
    return (
        not hasattr(value, "__cuda_array_interface__")
        and hasattr(value, "__dlpack_device__")
        and int(value.__dlpack_device__()[0]) == _DLPACK_CUDA
    )


def _maker(value: Any) -> Any:
    """The module of the arrays to return."""
    for name in (_module(value), "cupy", "torch"):
        if name in ("cupy", "torch") and name in sys.modules:
            return sys.modules[name]
    raise TypeError(
        "answers on a GPU are arrays of CuPy or torch: import one of them for arrays of "
        f"{_module(value)}"
    )


def copied(given: DeviceArray) -> DeviceArray:
    """The array's values as they are now, where its module can copy (CuPy, torch); arrays of others
    are immutable."""
    copy = getattr(given.owner, "clone", None) or getattr(given.owner, "copy", None)
    return given if copy is None else take(copy(), "data")


def take(value: Any, name: str) -> DeviceArray:
    """A C-contiguous array of float32 or float64."""
    if _only_dlpack(value):
        value = _maker(value).from_dlpack(value)
    if _module(value) == "torch":
        value = value.detach()
    interface = value.__cuda_array_interface__
    kind = {"<f4": _c.FLOAT32, "<f8": _c.FLOAT64}.get(interface["typestr"])
    if kind is None:
        raise TypeError(
            f"{name}, on a GPU, must be an array of float32 or float64, not of "
            f"{interface['typestr']}"
        )
    if interface.get("mask") is not None:
        raise ValueError(f"{name}: unsupported masked values; remove or fill them")
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    if any(length < 0 for length in shape):
        raise ValueError(f"{name}: negative length in its shape {shape}")
    size = int(interface["typestr"][2:])
    dense = [int(np.prod(shape[axis + 1 :])) * size for axis in range(len(shape))]
    if (
        strides is not None
        and 0 not in shape
        and any(step != wanted for step, wanted, length in zip(strides, dense, shape) if length > 1)
    ):
        raise ValueError(f"{name}, on a GPU, must be C-contiguous")
    stream = interface.get("stream")
    if _module(value) == "torch":
        stream = sys.modules["torch"].cuda.current_stream(value.device).cuda_stream or None
    return DeviceArray(value, interface["data"][0], shape, kind, stream)


def _empty(like: Any, shape: tuple[int, int], kind: str) -> Any:
    maker = _maker(like)
    if maker.__name__ == "torch":
        tensor = like if _module(like) == "torch" else maker.as_tensor(like, device="cuda")
        return maker.empty(shape, dtype=getattr(maker, kind), device=tensor.device)
    with maker.asarray(like).device:
        return maker.empty(shape, dtype=kind)


def search(
    index: Optional[Handle],
    queries: DeviceArray,
    dim: int,
    k: int,
    max_distance: float,
    missing: int,
    threads: int,
    device: int,
) -> tuple[Any, Any]:
    """Distances and indices, count x k, on the GPU where the queries are."""
    points = queries.rows(dim)
    distances, indices = (
        _empty(queries.owner, (points.count, k), kind) for kind in ("float64", "int64")
    )
    if index is None or points.count == 0:
        distances[...] = np.inf
        indices[...] = missing
        return distances, indices
    # What the arrays' memory was used for last is in the same stream as what made the queries.
    there = _c.ArrayOptions(memory=_c.MEMORY_CUDA, stream=queries.stream)
    options = _c.SearchOptions(
        k=k, max_distance=max_distance, exclude_self=0, array_options=ctypes.addressof(there)
    )
    run(
        library().gv_index_search,
        index.address,
        byref(points),
        byref(options),
        indices.__cuda_array_interface__["data"][0],
        distances.__cuda_array_interface__["data"][0],
        threads=threads,
        device=device,
        argument="x",
    )
    if max_distance < np.inf or k > missing:
        indices[indices < 0] = missing
    return distances, indices
