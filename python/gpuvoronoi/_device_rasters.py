"""Rasters in the memory of a GPU (CuPy): results to them are computed there and stay there.

Of cells that are read as seeds, spans of equal cells are copied to the host (Gain: 2.1× on
allocation() of 2160×4320 cells of float64, 1,000 of them seeds). CuPy is not imported here: the
program that made the raster has done so.
"""

from __future__ import annotations

import ctypes
import dataclasses
import sys
from ctypes import byref
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _c, _field
from ._library import Bar, Progress, library, run

_BACKEND = "cuda-tile"


def module_of(raster: Any) -> Any:
    """CuPy, if the cells of a raster are its arrays, or Dask's arrays of them; else None."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return None
    parts = raster.data_vars.values() if hasattr(raster, "data_vars") else [raster]
    arrays = (
        getattr(part.variable, "_data", None) if hasattr(part, "variable") else part
        for part in parts
    )  # .data would read a file
    return (
        cupy
        if any(isinstance(getattr(array, "_meta", array), cupy.ndarray) for array in arrays)
        else None
    )


def points_on_host(cells: Any) -> tuple[Any, Any]:
    """Cells as a pair of arrays, copied to the host from a GPU; and CuPy, if they were there, else
    None. Gain: 3.7× on 10⁷ points and 100,000 seeds, against `get`, numpy and `asarray`."""
    pair = cells if isinstance(cells, (tuple, list)) else ()
    cupy = next((module for module in map(module_of, pair) if module is not None), None)
    if cupy is None:
        return cells, None
    return tuple(on_host(a) if isinstance(a, cupy.ndarray) else a for a in pair), cupy


def on_host(array: Any) -> Any:
    """A copy in page-locked memory, which CuPy keeps for the next one."""
    import cupyx

    made = cupyx.empty_pinned(array.shape, array.dtype)
    array.get(out=made)
    return made


def copied(cupy: Any, array: Any) -> Any:
    """On the host, wherever it was."""
    return array.get() if isinstance(array, cupy.ndarray) else array


def plan_for(plan: _field.Plan, cupy: Any) -> _field.Plan:
    """The plan for the current device, where the library can write into its memory; else as it was:
    CPUs compute, and results are copied."""
    if (
        plan.backend not in ("auto", _BACKEND)
        or plan.kind == _c.GRID_PROJECTED
        or plan.weights is not None
        or plan.features is not None
    ):
        return plan
    return dataclasses.replace(plan, backend=_BACKEND, device=int(cupy.cuda.Device().id))


def measures(plan: _field.Plan) -> bool:
    """Whether distances and statistics are computed on the GPU too: of HEALPix, S2 and lists of
    points only the nearest seeds are."""
    return plan.backend == _BACKEND and plan.cells is None


class Own(NamedTuple):
    """Cells that are seeds themselves: which, and their values. Arrays of a window, on the GPU."""

    here: Any
    value: Any


class Spans(NamedTuple):
    """Rows of a raster as ``gv_raster_spans`` has them: arrays of numpy."""

    first: Any
    start: Any
    value: Any
    is_seed: Any


def spans_of(cupy: Any, own: Own) -> Optional[Spans]:
    """Of a whole raster. None if a seed is not an integer of 64 bits, or if the spans are not much
    smaller than the raster."""
    here, values = own
    rows, columns = values.shape
    begins = cupy.empty(values.shape, bool)
    begins[:, 0] = True
    begins[:, 1:] = (values[:, 1:] != values[:, :-1]) & here[:, 1:]
    begins[:, 1:] |= here[:, 1:] != here[:, :-1]
    at = cupy.flatnonzero(begins)
    if at.size * 20 > values.nbytes:  # a span has 17 bytes on the way
        return None
    is_seed = here.ravel()[at]
    value = cupy.where(is_seed, values.ravel()[at], 0).get()
    if (
        value.dtype.kind == "f"
        and not np.all((np.abs(value) < 2.0**53) & (value == np.trunc(value)))
    ) or int(value.max()) > np.iinfo(np.int64).max:
        return None
    at = at.get()
    first = np.searchsorted(at, np.arange(rows + 1, dtype=np.int64) * columns)
    return Spans(
        first.astype(np.int64),
        (at % columns).astype(np.int32),
        value.astype(np.int64),
        is_seed.get(),
    )


def own_cells(cupy: Any, raster: Any) -> Own:
    """Of a whole `_cells.Raster` on the GPU."""
    whole = dataclasses.replace(raster, values=cupy.ascontiguousarray(raster.values))
    return Own(whole.is_seed(cupy), whole.values)


def own_of(cupy: Any, cells: Any, window: _field.Window, names: Optional[_field.Names]) -> Own:
    """Of the raster that `_cells.Cells` were read from."""
    there: Optional[Own] = cells.device
    return (
        own_of_groups(cupy, cupy.asarray(cells.groups(window)), names) if there is None else there
    )


def own_of_groups(cupy: Any, groups: Any, names: Optional[_field.Names]) -> Own:
    """Of the groups of a window's cells, -1 for cells that are not seeds."""
    values = groups if names is None or names.value is None else cupy.asarray(names.value)[groups]
    return Own(groups >= 0, values)


def _pointer(array: Any) -> Optional[int]:
    return None if array is None else int(array.__cuda_array_interface__["data"][0])


def _there(cupy: Any) -> _c.ArrayOptions:
    """Arrays on the GPU, used last in CuPy's current stream."""
    return _c.ArrayOptions(memory=_c.MEMORY_CUDA, stream=cupy.cuda.get_current_stream().ptr or None)


def _numbers(
    cupy: Any,
    field: _field.Field,
    window: _field.Window,
    mask: Any,
    workers: int,
    progress: Progress,
) -> Any:
    rows, columns = window.shape
    made, there = cupy.empty((field.plan.k, rows, columns), np.int32), _there(cupy)
    with Bar(progress) as bar:
        labels = _c.Labels(
            column=window.column0,
            row=window.row0,
            columns=columns,
            rows=rows,
            mask=_pointer(mask),
            out=_pointer(made),
            array_options=ctypes.addressof(there),
        )
        run(
            library().gv_voronoi_fill,
            field.handle.address,
            byref(labels),
            None,
            threads=workers,
            device=field.plan.device,
            large=made.size > _field._LARGE_CELLS,
            progress=bar.report,
        )
    return made


def _named(cupy: Any, numbers: Any, names: _field.Names, own: Optional[Own]) -> Any:
    """The values of seeds by number, and those of cells that are seeds themselves."""
    made = numbers
    if names.value is not None:
        value = names.value if names.group is None else names.value[names.group]
        table = np.append(value, names.nodata).astype(names.dtype)  # number -1 is its last entry
        made = cupy.asarray(table)[numbers]
    if own is None:
        return made
    return cupy.where(own.here, own.value.astype(names.dtype), made)


def result(
    cupy: Any,
    field: _field.Field,
    window: _field.Window,
    names: Optional[_field.Names],
    *,
    distance: Any = None,
    azimuth: bool = False,
    mask: Any = None,
    own: Optional[Own] = None,
    numbers: Any = None,
    workers: int = 0,
    progress: Progress = None,
) -> tuple[Any, Any, Any]:
    """As `_field.Field.result`: arrays of CuPy, k x rows x columns. `mask`: bytes on the GPU."""
    if own is not None and mask is not None:
        own = Own(own.here & (mask != 0), own.value)
    if numbers is None:
        numbers = _numbers(cupy, field, window, mask, workers, progress)
    far = None if distance is None else cupy.empty(numbers.shape, distance)
    direction = cupy.empty(numbers.shape, np.float32) if azimuth else None
    if far is not None or direction is not None:
        (rows, columns), there = window.shape, _there(cupy)
        measure = _c.Measure(
            column=window.column0,
            row=window.row0,
            columns=columns,
            rows=rows,
            bands=field.plan.k,
            seed=_pointer(numbers),
            type=_c.FLOAT32 if far is None else _c.DTYPES.index(far.dtype.name),
            distance=_pointer(far),
            azimuth=_pointer(direction),
            array_options=ctypes.addressof(there),
        )
        run(
            library().gv_voronoi_measure,
            field.handle.address,
            byref(measure),
            threads=workers,
            device=field.plan.device,
            large=numbers.size > _field._LARGE_CELLS,
        )
        for array in (far, direction):
            if array is not None and own is not None:
                array[0][own.here] = 0
    return None if names is None else _named(cupy, numbers, names, own), far, direction


def mask_bytes(cupy: Any, mask: Any) -> Any:
    """On the GPU, contiguous: 0 where a cell is left out."""
    if mask is None:
        return None
    mask = cupy.asarray(mask)
    counts = mask != 0
    if mask.dtype.kind == "f":
        counts &= mask == mask
    return cupy.ascontiguousarray(counts).view(np.uint8)


def add(request: Any, field: _field.Field, table: Optional[int], quantities: list[Any]) -> None:
    """Adds all cells to a ``gv_statistics``."""
    cupy, plan = request.cupy, field.plan
    numbers = _numbers(
        cupy, field, plan.window, mask_bytes(cupy, request.mask), request.workers, request.progress
    )
    parts = (_c.Quantity * max(len(quantities), 1))(
        *[_c.Quantity(value=_pointer(part), stride=plan.columns) for part in quantities]
    )
    there = _there(cupy)
    cells = _c.StatisticsCells(
        seed=_pointer(numbers),
        quantity=ctypes.addressof(parts) if quantities else None,
        array_options=ctypes.addressof(there),
    )
    run(
        library().gv_statistics_add,
        table,
        byref(cells),
        threads=request.workers,
        device=plan.device,
        large=numbers.size > _field._LARGE_CELLS,
        argument="sums",
    )


def compute(
    request: Any, names: Optional[_field.Names], distance: Any, azimuth: bool
) -> tuple[Any, Any, Any]:
    """Of a `rasters.RasterRequest` without chunks."""
    cupy, plan, cells = request.cupy, request.plan, request.cells
    field, own = _field.Field(plan, request.workers), cells is not None and cells.own
    how: dict[str, Any] = {
        "distance": distance,
        "azimuth": azimuth,
        "workers": request.workers,
        "progress": request.progress,
    }
    measured = distance is not None or azimuth
    if not (measures(plan) if measured else plan.backend == _BACKEND):
        mask = copied(cupy, request.mask)
        results = field.result(
            plan.window, names, mask=mask, own=cells.groups if own else None, **how
        ).arrays()
        return tuple(None if array is None else cupy.asarray(array) for array in results)  # type: ignore[return-value]
    return result(
        cupy,
        field,
        plan.window,
        names,
        mask=mask_bytes(cupy, request.mask),
        own=own_of(cupy, cells, plan.window, names) if own else None,
        **how,
    )
