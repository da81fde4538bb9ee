"""The nearest seed of every cell by travel cost over a raster of friction (``include/gpuvoronoi/cost.h``)."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_void_p
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _field, _grid, _seeds
from ._library import Bar, Handle, Progress, library, run, worker_threads
from ._search import real

_LARGE = 1 << 20  # cells from which a search takes long enough to be interrupted
_BACKENDS = ("auto", "serial", "tile")
_METRICS = ("euclidean", "great-circle", "geodesic")
_LONG_NAMES = {"cost_allocation": "row of the nearest seed by travel cost", "cost_distance": "travel cost to the nearest seed"}


def _friction(given: Any, name: str) -> npt.NDArray[np.float64]:
    if hasattr(given, "dask"):
        raise TypeError(f"{name}: friction is a Dask array, but a way may run through any chunk; load() it first")
    if isinstance(given, np.ma.MaskedArray):
        given = np.ma.filled(given.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
    array = np.asarray(given)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: friction must have two dimensions and numbers, not the shape {array.shape} and the type {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _of_dataarray(friction: Any, grid: _grid.Grid, name: str) -> npt.NDArray[np.float64]:
    if set(friction.dims) != set(grid.dims):
        raise ValueError(f"{name}: friction must have two dimensions, not {tuple(friction.dims)}")
    values = _friction(friction.transpose(*grid.dims).data, name).copy()
    for attributes in (friction.attrs, friction.encoding):
        if attributes.get("_FillValue") is not None:
            values[values == float(attributes["_FillValue"])] = np.nan
    return values


def _plan(grid: _grid.Grid, x: Any, y: Any, metric: str, name: str) -> _field.Plan:
    if metric not in _METRICS:
        raise ValueError(f"{name}: metric must be one of {', '.join(_METRICS)}, not {metric!r}")
    plan = _field.plan(grid, x, y, metric, k=1, max_distance=math.inf, weights=None, weighting="unweighted", backend="auto", device=-1)
    if plan.kind not in (_c.GRID_PLANE, _c.GRID_LONLAT):
        raise ValueError(f"{name}: metric {metric} is not supported for this grid; use euclidean on maps")
    return plan


def _solve(name: str, friction: Any, seeds: Any, *, extent: Any, transform: Any, crs: Any, metric: Optional[str], moves: int, max_cost: float,
           seeds_crs: Any, skip_invalid: bool, x: Optional[str], y: Optional[str], backend: str, workers: int, progress: Progress) -> Any:
    if moves not in (8, 16, 32):
        raise ValueError(f"{name}: moves must be 8, 16 or 32, not {moves!r}")
    if backend not in _BACKENDS:
        raise ValueError(f"{name}: backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
    found = _seeds.read(seeds, seeds_crs, skip_invalid, features=True)
    labelled = hasattr(friction, "dims")
    if hasattr(friction, "data_vars"):
        raise TypeError(f"{name}: a Dataset has several rasters; choose one of its variables")
    if labelled and (extent is not None or transform is not None):
        raise ValueError(f"{name}: a DataArray has an extent of its own; leave out extent and transform")
    if labelled:
        grid = _grid.of_arguments(friction, None, None, None, crs, x, y, found.crs)
        if grid.cells is not None:
            raise ValueError(f"{name}: the coordinates of friction must be evenly spaced")
        values = _of_dataarray(friction, grid, name)
    else:
        values = _friction(friction, name)
        grid = _grid.of_arguments(None, values.shape, extent, None, crs, x, y, found.crs, transform=transform)
    metric = _seeds.metric_of(metric, grid, found)
    found, at, ats = _seeds.placed(grid, found, metric, skip_invalid)
    plan = _plan(grid, at, ats, metric, name)
    threads = worker_threads(workers)
    of = _c.Grid(kind=plan.kind, width=grid.columns, height=grid.rows, geotransform=(ctypes.c_double * 6)(*plan.transform),
                 semi_major=plan.ellipsoid[0], flattening=plan.ellipsoid[1])
    options = _c.CostOptions(backend=backend.encode(), metric=_c.METRICS.index(metric), moves=moves, max_cost=real(max_cost, "max_cost", 0.0))
    made = c_void_p()
    used = run(library().gv_cost_create, byref(of), byref(options), byref(made), threads=threads, argument="friction")
    handle = Handle(made.value, library().gv_cost_destroy, used)
    used.call(library().gv_cost_set_rows, handle.address, 0, grid.rows, values.ctypes.data, grid.columns, argument="friction")
    features = None if found.features is None else _field.Features(found.features, "straight", False).struct()
    at, ats = np.ascontiguousarray(at, np.float64), np.ascontiguousarray(ats, np.float64)
    given = _c.CostSeeds(x=at.ctypes.data, y=ats.ctypes.data, count=at.size)
    if features is not None:
        given.features = ctypes.addressof(features)
    with Bar(progress) as bar:
        run(library().gv_cost_solve, handle.address, byref(given), None, threads=threads, large=values.size > _LARGE, progress=bar.report,
            argument="seeds")
    cells = _c.CostCells(columns=grid.columns, rows=grid.rows)
    if name == "cost_allocation":
        answer: Any = np.empty(values.shape, np.int32)
        cells.seed = answer.ctypes.data
    else:
        answer = np.empty(values.shape, np.float64)
        cells.cost = answer.ctypes.data
    used.call(library().gv_cost_get, handle.address, byref(cells))
    if name == "cost_allocation" and found.rows is not None:
        answer = np.where(answer >= 0, found.rows.astype(np.int32)[np.maximum(answer, 0)], np.int32(-1)) if found.rows.size else answer
    if not labelled:
        return answer
    import xarray

    made_array = xarray.DataArray(answer, dims=grid.dims, name=name, attrs={"long_name": _LONG_NAMES[name], "metric": metric},
                                  coords={key: one for key, one in friction.coords.items() if set(one.dims) <= set(grid.dims)})
    if name == "cost_allocation":
        made_array.attrs["_FillValue"] = np.int32(-1)
    if "grid_mapping" in friction.attrs:
        made_array.attrs["grid_mapping"] = friction.attrs["grid_mapping"]
    return made_array.transpose(*friction.dims)


def cost_allocation(friction: Any, seeds: Any, *, extent: Any = None, transform: Any = None, crs: Any = None, metric: Optional[str] = None,
                    moves: int = 32, max_cost: float = math.inf, seeds_crs: Any = None, skip_invalid: bool = False, x: Optional[str] = None,
                    y: Optional[str] = None, backend: str = "auto", workers: int = -1, progress: Progress = None) -> Any:
    """The seed with the least travel cost to each cell of a raster of friction.

    A way moves straight from centre to centre of cells. A move costs its length times the friction of the cells that it runs through, each by its share
    of the line. Columns that go round the globe are joined. ``docs/cost.md`` has the definition and its errors.

    Parameters
    ----------
    friction : array_like or xarray.DataArray
        The cost of a metre in each cell (on a plane without a unit: of one unit of it), at least 0. NaN, masked, negative and infinite cells are
        barriers, as are those of a DataArray that have its `_FillValue`. Not a Dask array: a way may run through any chunk.
    seeds : (array_like, array_like), GeoDataFrame or GeoSeries
        As for :func:`allocation`. Lines and polygons start at cost 0 in each cell that they touch or contain, points at their own position. Seeds in
        barriers and outside the raster reach no cell.
    extent, transform, crs : optional
        Of an array: xmin, ymin, xmax, ymax, or GDAL's geotransform; its coordinate system.
    metric : {"geodesic", "great-circle", "euclidean"}, optional
        Of the lengths of moves. By default geodesic for longitudes and latitudes, euclidean on maps.
    moves : {32, 16, 8}
        Directions in which ways leave a cell. On uniform friction ways are too long by up to 1.31 %, 2.75 % or 8.24 %.
    max_cost : float
        Cells with a higher cost have no seed.
    seeds_crs, skip_invalid, x, y, workers, progress
        As for :func:`allocation`.
    backend : {"auto", "tile", "serial"}
        All give the same answers.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        int32: rows of the seeds, -1 where none reaches the cell.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> friction = np.array([[1, 1, np.nan, 1], [1, 1, np.nan, 1], [1, 1, 2, 1]])  # a river with a ford
    >>> gpuvoronoi.cost_allocation(friction, ([0.5, 3.5], [2.5, 2.5]), extent=(0, 0, 4, 3), metric="euclidean")
    array([[ 0,  0, -1,  1],
           [ 0,  0, -1,  1],
           [ 0,  0,  1,  1]], dtype=int32)
    """
    return _solve("cost_allocation", friction, seeds, extent=extent, transform=transform, crs=crs, metric=metric, moves=moves, max_cost=max_cost,
                  seeds_crs=seeds_crs, skip_invalid=skip_invalid, x=x, y=y, backend=backend, workers=workers, progress=progress)


def cost_distance(friction: Any, seeds: Any, *, extent: Any = None, transform: Any = None, crs: Any = None, metric: Optional[str] = None,
                  moves: int = 32, max_cost: float = math.inf, seeds_crs: Any = None, skip_invalid: bool = False, x: Optional[str] = None,
                  y: Optional[str] = None, backend: str = "auto", workers: int = -1, progress: Progress = None) -> Any:
    """The least travel cost from any seed to each cell of a raster of friction. The parameters are those of :func:`cost_allocation`.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        float64: friction's unit times metres (on a plane: times its unit); NaN where no seed reaches the cell.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> gpuvoronoi.cost_distance(np.full((1, 4), 2.0), ([0.5], [0.5]), extent=(0, 0, 4, 1), metric="euclidean")
    array([[0., 2., 4., 6.]])
    """
    return _solve("cost_distance", friction, seeds, extent=extent, transform=transform, crs=crs, metric=metric, moves=moves, max_cost=max_cost,
                  seeds_crs=seeds_crs, skip_invalid=skip_invalid, x=x, y=y, backend=backend, workers=workers, progress=progress)
