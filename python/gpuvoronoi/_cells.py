"""Cells of a raster as seeds: those that can be anybody's nearest (``include/gpuvoronoi/raster_seeds.h``)."""

from __future__ import annotations

import ctypes
import dataclasses
from ctypes import byref, c_void_p
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _grid
from ._field import Plan
from ._grid import Grid
from ._library import context, library
from ._search import plain_array

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_METRICS = {"EUCLIDEAN": "euclidean", "MANHATTAN": "manhattan", "GREAT_CIRCLE": "great-circle"}


@dataclasses.dataclass
class Cells:
    """A raster's values, and which of them are seeds."""

    grid: Grid
    values: Integers
    counts: npt.NDArray[np.bool_]


@dataclasses.dataclass
class Kept:
    """The cells that are left as seeds, in the raster's coordinates. `own`: the raster's cells ask; those that are seeds do not."""

    x: Floats
    y: Floats
    values: Integers
    own: bool


def is_raster(seeds: Any, target_values: Any) -> bool:
    if hasattr(seeds, "dims") and hasattr(seeds, "coords"):
        return True
    return target_values is not None and isinstance(seeds, np.ndarray)


def metric_of(metric: Optional[str], distance_metric: Optional[str]) -> Optional[str]:
    """The metric by our name or by xarray-spatial's."""
    if distance_metric is None:
        return metric
    if metric is not None:
        raise ValueError("distance_metric is another name of metric: give one of them")
    found = _METRICS.get(str(distance_metric).upper(), distance_metric)
    if found not in _c.METRICS:
        raise ValueError(f"distance_metric must be one of {', '.join(_METRICS)} or {', '.join(_c.METRICS)}, not {distance_metric!r}")
    return found


def read(raster: Any, target_values: Any, extent: Any, crs: Any, x: Optional[str], y: Optional[str]) -> Cells:
    """`extent`: of a numpy array; `crs`: its coordinate system, if it has none of its own."""
    if hasattr(raster, "dims"):
        if hasattr(raster, "data_vars"):
            raise TypeError("seeds: a Dataset has several rasters: choose one of its variables")
        grid = _grid.of_arguments(raster, None, None, None, crs, x, y, None)
        if set(raster.dims) != set(grid.dims):
            raise ValueError(f"seeds: a raster has two dimensions, not {tuple(raster.dims)}")
        values = np.asarray(raster.transpose(*grid.dims).data)
        missing = [found for one in (raster.attrs, raster.encoding) for found in (one.get("_FillValue"),) if found is not None]
    else:
        values, missing = plain_array(raster, "seeds"), []
        if values.ndim != 2:
            raise ValueError(f"seeds: a raster has two dimensions, not the shape {values.shape}")
        grid = _grid.of_arguments(None, values.shape, extent, None, crs, x, y, None)
    return Cells(grid, *_chosen(values, target_values, missing))


def _chosen(values: npt.NDArray[Any], target_values: Any, missing: list[Any]) -> tuple[Integers, npt.NDArray[np.bool_]]:
    if values.dtype.kind not in "biuf":
        raise TypeError(f"seeds: cells of a raster are told apart by whole numbers, not {values.dtype}")
    targets = np.atleast_1d(np.asarray(() if target_values is None else target_values))
    if targets.ndim != 1 or (targets.size and targets.dtype.kind not in "biuf"):
        raise ValueError("target_values must be numbers")
    counts = np.isin(values, targets) if targets.size else values != 0
    if values.dtype.kind == "f":
        counts &= np.isfinite(values)
    for value in missing:
        counts &= values != value
    whole = np.zeros(values.shape, dtype=np.int64)
    limit = 2.0**53 if values.dtype.kind == "f" else 2**63
    bad = counts & ((values != np.rint(values)) | (values >= limit)) if values.dtype.kind in "uf" else np.zeros(1, dtype=bool)
    if values.dtype.kind == "f":
        bad |= counts & (values <= -limit)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(f"seeds: row {row}, column {column} holds {values[row, column]}: cells are told apart by whole numbers")
    whole[counts] = values[counts].astype(np.int64)
    return whole, counts


def _same_system(a: Any, b: Any) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and bool(_crs.same(a, b)))


def _struct(grid: Grid, kind: int, ellipsoid: tuple[float, float]) -> _c.Grid:
    return _c.Grid(kind=kind, width=grid.columns, height=grid.rows, geotransform=(ctypes.c_double * 6)(*grid.transform),
                   semi_major=ellipsoid[0], flattening=ellipsoid[1], level=grid.level)


def kept(cells: Cells, asking: Grid, plan: Plan) -> Kept:
    """`plan`: of `asking`, whose cells ask, as yet without seeds."""
    c, used = library(), context()
    kind = _c.GRID_PLANE if plan.kind == _c.GRID_PLANE else _c.GRID_LONLAT
    if kind == _c.GRID_LONLAT and ((cells.grid.crs is not None and not _crs.is_lonlat(cells.grid.crs))
                              or cells.grid.transform[2] or cells.grid.transform[4]):
        kind = _c.GRID_PROJECTED
    raster = _struct(cells.grid, kind, plan.ellipsoid)
    asked = _struct(asking, plan.kind, plan.ellipsoid)
    options = _c.RasterSeedsOptions(metric=_c.METRICS.index(plan.metric))
    if _same_system(cells.grid.crs, asking.crs) and not asking.mesh:
        options.asking = ctypes.addressof(asked)
    made = c_void_p()
    used.call(c.gv_raster_seeds_create, byref(raster), byref(options), byref(made), argument="seeds")
    try:
        counts = np.ascontiguousarray(cells.counts, dtype=np.uint8)
        values = np.ascontiguousarray(cells.values)
        for row in range(cells.grid.rows):
            used.call(c.gv_raster_seeds_add_row, made, values[row].ctypes.data, counts[row].ctypes.data, argument="seeds")
        used.call(c.gv_raster_seeds_finish, made, argument="seeds")
        found = _c.RasterSeedList()
        used.call(c.gv_raster_seeds_get, made, byref(found))
        group = _array(found.group, ctypes.c_int32, found.count)
        value = _array(found.value, ctypes.c_int64, found.groups)
        return Kept(_array(found.x, ctypes.c_double, found.count), _array(found.y, ctypes.c_double, found.count), value[group],
                    bool(found.own))
    finally:
        c.gv_raster_seeds_destroy(made)


def _array(address: Any, kind: Any, count: int) -> npt.NDArray[Any]:
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (count,)).copy()
