"""Cells of a raster as seeds: those that can be the nearest of some cell
(``include/gpuvoronoi/raster_seeds.h``)."""

from __future__ import annotations

import ctypes
import dataclasses
from ctypes import byref, c_void_p
from typing import Any, NoReturn, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _device_rasters, _grid
from ._field import Numbers, Plan, Window
from ._grid import Grid
from ._library import Context, Handle, context, library, run
from ._search import plain_array

_LARGE = 1 << 26  # cells of a raster from which reading it takes long enough to be interrupted
_METRICS = {"EUCLIDEAN": "euclidean", "MANHATTAN": "manhattan", "GREAT_CIRCLE": "great-circle"}


@dataclasses.dataclass
class Raster:
    """A raster, and which of its cells are seeds: those of `chosen` values (None: all but 0), but
    none that is `left_out` or masked.

    The arrays of values are of one type, which the library takes; `values` given on a GPU are
    there. `swapped`: the values' bytes are in the other order."""

    grid: Grid
    values: Any
    mask: Optional[npt.NDArray[np.bool_]]
    chosen: Optional[npt.NDArray[Any]]
    left_out: npt.NDArray[Any]
    swapped: bool = False

    def native(self) -> Raster:
        """With values in the machine's order of bytes."""
        return (
            dataclasses.replace(self, values=self.values.byteswap(), swapped=False)
            if self.swapped
            else self
        )

    def is_seed(self, module: Any) -> Any:
        """Of each cell whether its value, in the machine's order of bytes, is that of a seed,
        masked or not; values that are not finite are none. `module` is numpy, or cupy for values on
        a GPU."""
        values = self.values
        chosen = (
            values != 0 if self.chosen is None else module.isin(values, module.asarray(self.chosen))
        )
        if values.dtype.kind == "f":
            chosen &= module.isfinite(values)
        if self.left_out.size:
            chosen &= ~module.isin(values, module.asarray(self.left_out))
        return chosen


def is_raster(seeds: Any, target_values: Any) -> bool:
    if hasattr(seeds, "dims") and hasattr(seeds, "coords"):
        return True
    return target_values is not None and (
        isinstance(seeds, np.ndarray) or _device_rasters.module_of(seeds) is not None
    )


def metric_of(metric: Optional[str], distance_metric: Optional[str]) -> Optional[str]:
    """The metric by our name or by xarray-spatial's."""
    if distance_metric is None:
        return metric
    if metric is not None:
        raise ValueError("distance_metric is another name of metric: give one of them")
    found = _METRICS.get(str(distance_metric).upper(), distance_metric)
    if found not in _c.METRICS:
        raise ValueError(
            f"distance_metric must be one of {', '.join(_METRICS)} or {', '.join(_c.METRICS)}, not "
            f"{distance_metric!r}"
        )
    return found


def read(
    raster: Any,
    target_values: Any,
    extent: Any,
    crs: Any,
    x: Optional[str],
    y: Optional[str],
    transform: Any = None,
) -> Raster:
    """`extent` or `transform`: of a numpy array; `crs`: its coordinate system, if it has none of
    its own."""
    mask: Any = None
    cupy = _device_rasters.module_of(raster)
    if hasattr(raster, "dims"):
        if hasattr(raster, "data_vars"):
            raise TypeError("seeds: a Dataset has several rasters: choose one of its variables")
        try:
            grid = _grid.of_arguments(raster, None, None, None, crs, x, y, None)
        except _grid.Irregular as error:
            raise ValueError(str(error).replace("like:", "seeds:", 1)) from None
        if set(raster.dims) != set(grid.dims):
            raise ValueError(f"seeds: a raster has two dimensions, not {tuple(raster.dims)}")
        values = raster.transpose(*grid.dims).data
        values = values.compute() if cupy is not None and hasattr(values, "dask") else values
        values = values if cupy is not None else np.asarray(values)
        if grid.cells is not None and cupy is not None:
            raise ValueError("seeds: a raster on a GPU must have evenly spaced coordinates")
        values = values.reshape(grid.rows, grid.columns)
        missing = [
            found
            for one in (raster.attrs, raster.encoding)
            for found in (one.get("_FillValue"),)
            if found is not None
        ]
    else:
        if isinstance(raster, np.ma.MaskedArray):
            mask = None if raster.mask is np.ma.nomask else raster.mask
            raster = raster.data
        values, missing = raster if cupy is not None else plain_array(raster, "seeds"), []
        if values.ndim != 2:
            raise ValueError(f"seeds: a raster has two dimensions, not the shape {values.shape}")
        grid = _grid.of_arguments(
            None, values.shape, extent, None, crs, x, y, None, transform=transform
        )
    if values.dtype.kind not in "biuf":
        raise TypeError(f"seeds: unsupported type of a raster ({values.dtype}); expected integers")
    targets = np.atleast_1d(np.asarray(() if target_values is None else target_values))
    if targets.ndim != 1 or (targets.size and targets.dtype.kind not in "biuf"):
        raise ValueError("target_values must be numbers")
    if targets.size and np.isnan(targets.astype(float)).all():
        raise ValueError(
            "target_values: unsupported value (nan); it stands for cells without a value"
        )
    kind, swapped = values.dtype.newbyteorder("="), not values.dtype.isnative
    held = (
        kind
        if kind.name in _c.DTYPES
        else np.dtype(np.float32)
        if kind == np.float16
        else np.dtype(np.float64)
    )
    if kind == np.dtype(bool):
        values = values.view(np.uint8)
    elif kind != held or (swapped and cupy is not None):
        values, swapped = values.astype(held), False
    elif swapped:
        values = values.view(held)
    left_out = [_as(values.dtype, value, kind.kind == "f") for value in missing]
    return Raster(
        grid,
        values,
        mask,
        _as(values.dtype, targets, False) if targets.size else None,
        np.concatenate([np.empty(0, values.dtype), *left_out]),
        swapped,
    )


def _as(dtype: np.dtype[Any], numbers: Any, rounded: bool) -> npt.NDArray[Any]:
    """Those numbers that a cell of a type can hold, or all of them `rounded` to it."""
    given = np.atleast_1d(np.asarray(numbers)).ravel()
    if given.dtype.kind not in "biuf":
        return np.empty(0, dtype)
    with np.errstate(all="ignore"):
        held = given.astype(dtype)
        same = held == given
    return np.asarray(held if rounded else held[same])


def _same_system(a: Any, b: Any) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and bool(_crs.same(a, b)))


def _struct(grid: Grid, kind: int, ellipsoid: tuple[float, float]) -> _c.Grid:
    return _c.Grid(
        kind=kind,
        width=grid.columns,
        height=grid.rows,
        geotransform=(ctypes.c_double * 6)(*grid.transform),
        semi_major=ellipsoid[0],
        flattening=ellipsoid[1],
        level=grid.level,
    )


class Cells:
    """A ``gv_raster_seeds``: the seeds that are left, in the raster's coordinates, their groups,
    and the groups' values. Of a raster with coordinates that are not evenly spaced, and for further
    neighbors, all seeds are left.

    `own`: the raster's cells are the queries, and those that are seeds have their own value. `any`:
    whether a cell is a seed. `device`: of a raster on a GPU, which cells are seeds, and their
    values."""

    def __init__(self, raster: Raster, query_grid: Grid, plan: Plan, workers: int) -> None:
        """`plan`: of `query_grid`, which has the cells to compute; without seeds so far."""
        c = library()
        kind = _c.GRID_PLANE if plan.kind == _c.GRID_PLANE else _c.GRID_LONLAT
        if kind == _c.GRID_LONLAT and (
            (raster.grid.crs is not None and not _crs.is_degrees(raster.grid.crs))
            or raster.grid.transform[2]
            or raster.grid.transform[4]
        ):
            kind = _c.GRID_PROJECTED
        irregular = raster.grid.cells  # then the library's raster has only numbers of cells
        of = (
            _struct(raster.grid, kind, plan.ellipsoid)
            if irregular is None
            else _struct(raster.grid, _c.GRID_PLANE, (0.0, 0.0))
        )
        query_struct = _struct(query_grid, plan.kind, plan.ellipsoid)
        options = _c.RasterSeedsOptions(
            metric=_c.METRICS.index(plan.metric) if irregular is None else 0,
            keep_all=int(irregular is not None or plan.k > 1),
        )
        scaled = query_grid.crs is not None and _crs.unit_degrees(query_grid.crs) != 1.0
        if (
            irregular is None
            and _same_system(raster.grid.crs, query_grid.crs)
            and not (query_grid.mesh or query_grid.east or scaled)
        ):
            options.query_grid = ctypes.addressof(query_struct)
        made = c_void_p()
        used = run(
            c.gv_raster_seeds_create,
            byref(of),
            byref(options),
            byref(made),
            threads=workers,
            argument="seeds",
        )
        self.handle = Handle(made.value, c.gv_raster_seeds_destroy, used)
        cupy = _device_rasters.module_of(raster.values)
        self.device = None if cupy is None else _device_rasters.own_cells(cupy, raster)
        if self.device is None or not self._add_spans(
            used, _device_rasters.spans_of(cupy, self.device)
        ):
            self._add_array(raster, workers)
        used.call(c.gv_raster_seeds_finish, made, argument="seeds")
        found = _c.RasterSeedList()
        used.call(c.gv_raster_seeds_get, made, byref(found))
        self.x, self.y = (_array(a, ctypes.c_double, found.count) for a in (found.x, found.y))
        self.group, self.value = (
            _array(found.group, ctypes.c_int32, found.count),
            _array(found.value, ctypes.c_int64, found.groups),
        )
        self.own, self.any = bool(found.queries_are_cells) and plan.k == 1, found.cells > 0
        if irregular is not None:
            assert irregular.lon is not None and irregular.lat is not None
            cell = _array(found.cell, ctypes.c_int64, found.count)
            self.x, self.y = irregular.lon[cell], irregular.lat[cell]
            there = np.isfinite(self.x) & np.isfinite(self.y)
            self.x, self.y, self.group, self.any = (
                self.x[there],
                self.y[there],
                self.group[there],
                bool(there.any()),
            )

    def _add_spans(self, used: Context, spans: Optional[_device_rasters.Spans]) -> bool:
        if spans is None:
            return False
        given = _c.RasterSpans(
            rows=spans.first.size - 1,
            first=spans.first.ctypes.data,
            start=spans.start.ctypes.data,
            value=spans.value.ctypes.data,
            is_seed=spans.is_seed.ctypes.data,
        )
        used.call(
            library().gv_raster_seeds_add_spans, self.handle.address, byref(given), argument="seeds"
        )
        return True

    def _add_array(self, raster: Raster, workers: int) -> None:
        chosen = raster.chosen
        values = (
            raster.values if self.device is None else _device_rasters.on_host(self.device.value)
        )
        array = _c.RasterArray(
            data=values.ctypes.data,
            type=_c.DTYPES.index(values.dtype.name),
            rows=values.shape[0],
            row_stride=values.strides[0],
            column_stride=values.strides[1],
            included=None if chosen is None else chosen.ctypes.data,
            included_count=0 if chosen is None else chosen.size,
            excluded=raster.left_out.ctypes.data,
            excluded_count=raster.left_out.size,
            is_byte_swapped=int(raster.swapped),
        )
        if raster.mask is not None:
            array.mask, (array.mask_row_stride, array.mask_column_stride) = (
                raster.mask.ctypes.data,
                raster.mask.strides,
            )
            array.mask_is_inverted = 1
        run(
            library().gv_raster_seeds_add_array,
            self.handle.address,
            byref(array),
            threads=workers,
            large=values.size > _LARGE,
            argument="seeds",
        )

    def __reduce__(self) -> NoReturn:
        self.handle.__reduce__()

    def groups(self, window: Window) -> Numbers:
        """Which cells of a window are seeds: their groups, -1 for others."""
        rows, columns = window.shape
        made = np.empty(window.shape, np.int32)
        context().call(
            library().gv_raster_seeds_groups,
            self.handle.address,
            window.column0,
            window.row0,
            columns,
            rows,
            made.ctypes.data,
            columns,
        )
        return made


def _array(address: Any, kind: Any, count: int) -> npt.NDArray[Any]:
    return (
        np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (count,)).copy()
        if count
        else np.empty(0, kind)
    )
