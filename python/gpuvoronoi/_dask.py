"""Results as Dask arrays: each chunk is computed by the library wherever the scheduler runs it.

The plan (with the seeds) is one node of the graph, so it goes to each worker once; each worker
process makes one field of it and keeps it.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _device_rasters, _field
from ._packages import package
from ._field import Names, Numbers, Plan, Window

Chunks = tuple[tuple[int, ...], tuple[int, ...]]


def compute(
    plan: Plan,
    chunks: Chunks,
    names: Optional[Names],
    mask: Any,
    own: Any,
    distance: Any,
    azimuth: bool,
    cupy: Any = None,
) -> tuple[Any, Any, Any]:
    """Seeds by `names`, distances and azimuths, k x rows x columns, as far as they are wanted; with
    `cupy` in chunks on the GPU."""
    dask = package("dask", "like in chunks")
    package("dask.array", "like in chunks")

    token, whole = plan.token(), ((plan.k,), *chunks)
    shared = dask.delayed(plan, name=f"gpuvoronoi-plan-{token}", pure=True, traverse=False)

    def chunked(array: Any) -> Any:
        return array if array is None else dask.array.asarray(array).rechunk(chunks)[np.newaxis]

    def blocks(what: str, dtype: Any, *arrays: Any, **wanted: Any) -> Any:
        return dask.array.map_blocks(
            _part,
            *arrays,
            dtype=dtype,
            chunks=whole,
            meta=(cupy or np).empty((0, 0, 0), dtype),
            plan=shared,
            plan_token=token,
            what=what,
            on_gpu=cupy is not None,
            name=f"gpuvoronoi-{what}-{dask.base.tokenize(token, whole, *arrays, *wanted.values())}",
            **wanted,
        )

    mask, own = chunked(mask), chunked(own)
    numbers = blocks("numbers", np.int32, None, mask, own)
    given = (
        (numbers, mask, own) if own is not None else (numbers, None, None)
    )  # numbers have the mask already
    values = (
        None
        if names is None
        else numbers
        if own is None and names.value is None
        else blocks(
            "allocation",
            names.dtype,
            *given,
            nodata=names.nodata,
            value=names.value,
            group=names.group,
        )
    )
    distances = (
        None
        if distance is None
        else blocks("proximity", np.dtype(distance), *given, dtype_name=np.dtype(distance).name)
    )
    return values, distances, blocks("direction", np.float32, *given) if azimuth else None


def _window(block_info: Any) -> Window:
    _, rows, columns = block_info[None]["array-location"]
    return Window(*map(int, (*rows, *columns)))


def _part(
    numbers: Optional[Numbers],
    mask: Any,
    own: Any,
    *,
    plan: Plan,
    plan_token: str,
    what: str,
    block_info: Any = None,
    dtype_name: str = "",
    on_gpu: bool = False,
    **named: Any,
) -> Any:
    """A chunk of the result: numbers of seeds, or values computed from them."""
    if on_gpu:
        import cupy

        if plan.backend == _device_rasters._BACKEND:
            return _part_on_gpu(
                cupy, numbers, mask, own, plan, plan_token, what, block_info, dtype_name, named
            )
        given = (_device_rasters.copied(cupy, array) for array in (numbers, mask, own))
        return cupy.asarray(
            _part(
                *given,
                plan=plan,
                plan_token=plan_token,
                what=what,
                block_info=block_info,
                dtype_name=dtype_name,
                **named,
            )
        )
    mask = None if mask is None else _field.mask_bytes(mask[0])
    own = None if own is None else np.ascontiguousarray(own[0])
    if numbers is None and own is not None:
        mask, own = ((own < 0) if mask is None else (own < 0) & (mask != 0)).view(np.uint8), None
    names = _names(what, block_info, named)
    results = _field.kept(plan, plan_token).result(
        _window(block_info),
        names,
        distance=np.dtype(dtype_name) if dtype_name else None,
        azimuth=what == "direction",
        mask=mask,
        own=own,
        numbers=numbers,
        workers=1,
    )
    return next(array for array in results.arrays() if array is not None)


def _names(what: str, block_info: Any, named: dict[str, Any]) -> Optional[Names]:
    """What a chunk holds of its seeds: numbers, values, or nothing of them."""
    if what == "numbers":
        return Names()
    return Names(block_info[None]["dtype"], **named) if what == "allocation" else None


def _part_on_gpu(
    cupy: Any,
    numbers: Any,
    mask: Any,
    own: Any,
    plan: Plan,
    plan_token: str,
    what: str,
    block_info: Any,
    dtype_name: str,
    named: dict[str, Any],
) -> Any:
    mask = None if mask is None else _device_rasters.mask_bytes(cupy, mask[0])
    groups = None if own is None else cupy.asarray(own[0])
    names = _names(what, block_info, named)
    cells = None
    if groups is not None and numbers is None:
        mask = _device_rasters.mask_bytes(
            cupy, groups < 0 if mask is None else (groups < 0) & (mask != 0)
        )
    elif groups is not None:
        cells = _device_rasters.own_of_groups(cupy, groups, names)
    results = _device_rasters.result(
        cupy,
        _field.kept(plan, plan_token),
        _window(block_info),
        names,
        distance=np.dtype(dtype_name) if dtype_name else None,
        azimuth=what == "direction",
        mask=mask,
        own=cells,
        numbers=None if numbers is None else cupy.ascontiguousarray(numbers),
        workers=1,
    )
    return next(array for array in results if array is not None)
