"""Answers as Dask arrays: each chunk is computed by the library wherever the scheduler runs it.

The plan (with the seeds) is one node of the graph, so it goes to each worker once; each worker process makes one field of it
and keeps it.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _field
from ._field import Plan, Window

Chunks = tuple[tuple[int, ...], tuple[int, ...]]


def compute(plan: Plan, chunks: Chunks, mask: Any, distance: Any, azimuth: bool) -> tuple[Any, Any, Any]:
    """Numbers, distances and azimuths, k x rows x columns, as far as they are wanted."""
    import dask
    import dask.array

    token = plan.token()
    shared = dask.delayed(plan, name=f"gpuvoronoi-plan-{token}", pure=True, traverse=False)
    whole = ((plan.k,), *chunks)

    def blocks(name: str, function: Any, dtype: Any, *arrays: Any, **more: Any) -> Any:
        return dask.array.map_blocks(
            function, *arrays, dtype=dtype, chunks=whole, meta=np.empty((0, 0, 0), dtype), plan=shared, plan_token=token,
            name=f"gpuvoronoi-{name}-{dask.base.tokenize(token, whole, mask, more)}", **more)

    if mask is None:
        numbers = blocks("allocation", _numbers, np.int32)
    else:
        given = mask if hasattr(mask, "dask") else dask.array.from_array(mask, chunks=chunks)
        numbers = blocks("allocation", _numbers, np.int32, given[np.newaxis])
    distances = None if distance is None else blocks("proximity", _measured, distance, numbers, dtype_name=np.dtype(distance).name)
    azimuths = blocks("direction", _measured, np.float32, numbers, dtype_name="") if azimuth else None
    return numbers, distances, azimuths


def _window(block_info: Any) -> Window:
    _, rows, columns = block_info[None]["array-location"]
    return Window(*map(int, (*rows, *columns)))


def _numbers(mask: Optional[npt.NDArray[np.uint8]] = None, *, plan: Plan, plan_token: str,
             block_info: Any = None) -> npt.NDArray[np.int32]:
    part = None if mask is None else np.ascontiguousarray(mask[0])
    return _field.kept(plan, plan_token).answer(_window(block_info), mask=part, workers=1).numbers


def _measured(numbers: npt.NDArray[np.int32], *, plan: Plan, plan_token: str, dtype_name: str,
              block_info: Any = None) -> npt.NDArray[Any]:
    """Distances of a dtype, or azimuths where there is none."""
    answers = _field.kept(plan, plan_token).answer(
        _window(block_info), distance=np.dtype(dtype_name) if dtype_name else None, azimuth=not dtype_name, numbers=numbers, workers=1)
    found = answers.distance if dtype_name else answers.azimuth
    assert found is not None
    return found
