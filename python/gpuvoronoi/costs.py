"""The nearest seed of every cell by travel cost over a raster of friction (``include/gpuvoronoi/cost.h``)."""

from __future__ import annotations

import ctypes
import dataclasses
import math
from ctypes import byref, c_void_p
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _cells, _field, _grid, _seeds
from ._library import Bar, Handle, Progress, library, run, worker_threads
from ._search import real
from .rasters import no_seed

_LARGE = 1 << 20  # cells from which a search takes long enough to be interrupted
_BACKENDS = ("auto", "serial", "tile", "cuda-tile")
_METRICS = ("euclidean", "great-circle", "geodesic")


def _friction(given: Any, name: str) -> npt.NDArray[np.float64]:
    if hasattr(given, "dask"):
        raise TypeError(
            f"{name}: friction is a Dask array, but a way may run through any chunk; load() it first"
        )
    if isinstance(given, np.ma.MaskedArray):
        given = np.ma.filled(given.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
    array = np.asarray(given)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{name}: friction must have two dimensions and numbers, not the shape {array.shape} and the type {array.dtype}"
        )
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
    plan = _field.plan(
        grid,
        x,
        y,
        metric,
        k=1,
        max_distance=math.inf,
        weights=None,
        weighting="unweighted",
        backend="auto",
        device=-1,
    )
    if plan.kind not in (_c.GRID_PLANE, _c.GRID_LONLAT):
        raise ValueError(
            f"{name}: metric {metric} is not supported for this grid; use euclidean on maps"
        )
    return plan


def _of_raster(
    seeds: Any,
    target_values: Any,
    grid: _grid.Grid,
    shape: tuple[int, ...],
    name: str,
    x: Optional[str],
    y: Optional[str],
) -> Any:
    """Rows and columns of the cells that are seeds, and their values."""
    if hasattr(seeds, "dask") or hasattr(getattr(seeds, "data", None), "dask"):
        raise TypeError(
            f"{name}: seeds is a Dask array, but a way may run through any chunk; load() it first"
        )
    raster = _cells.read(
        seeds,
        target_values,
        None if hasattr(seeds, "dims") else (0, 0, shape[1], shape[0]),
        None,
        x,
        y,
    ).native()
    same = raster.values.shape == shape and (
        not hasattr(seeds, "dims")
        or np.allclose(raster.grid.transform, grid.transform, rtol=1e-9, atol=0)
    )
    if not same:
        raise ValueError(
            f"{name}: the cells of seeds are not those of friction; warp them to the same cells"
        )
    chosen = raster.is_seed(np)
    rows, columns = np.nonzero(chosen if raster.mask is None else chosen & ~raster.mask)
    found = raster.values[rows, columns]
    if found.dtype.kind == "f" and (found != np.rint(found)).any():
        raise ValueError(f"{name}: values of seeds must be whole numbers")
    return rows, columns, found.astype(np.int64)


def _friction_grid(
    friction: Any,
    name: str,
    extent: Any,
    transform: Any,
    crs: Any,
    x: Optional[str],
    y: Optional[str],
    seeds_crs: Any,
) -> Any:
    """The grid, and the values as an array."""
    if hasattr(friction, "data_vars"):
        raise TypeError(f"{name}: a Dataset has several rasters; choose one of its variables")
    if not hasattr(friction, "dims"):
        values = _friction(friction, name)
        return _grid.of_arguments(
            None, values.shape, extent, None, crs, x, y, seeds_crs, transform=transform
        ), values
    if extent is not None or transform is not None:
        raise ValueError(
            f"{name}: a DataArray has an extent of its own; leave out extent and transform"
        )
    grid = _grid.of_arguments(friction, None, None, None, crs, x, y, seeds_crs)
    if grid.cells is not None:
        raise ValueError(f"{name}: the coordinates of friction must be evenly spaced")
    return grid, _of_dataarray(friction, grid, name)


def _read(
    name: str,
    plan: _field.Plan,
    values: Any,
    given: Any,
    *,
    moves: int,
    max_cost: float,
    backend: str,
    workers: int,
    progress: Progress,
) -> Any:
    """Numbers of the seeds, or costs."""
    height, width = values.shape
    threads = worker_threads(workers)
    of = _c.Grid(
        kind=plan.kind,
        width=width,
        height=height,
        geotransform=(ctypes.c_double * 6)(*plan.transform),
        semi_major=plan.ellipsoid[0],
        flattening=plan.ellipsoid[1],
    )
    options = _c.CostOptions(
        backend=backend.encode(),
        metric=_c.METRICS.index(plan.metric),
        moves=moves,
        max_cost=real(max_cost, "max_cost", 0.0),
    )
    made = c_void_p()
    used = run(
        library().gv_cost_create,
        byref(of),
        byref(options),
        byref(made),
        threads=threads,
        argument="friction",
    )
    handle = Handle(made.value, library().gv_cost_destroy, used)
    used.call(
        library().gv_cost_set_rows,
        handle.address,
        0,
        height,
        values.ctypes.data,
        width,
        argument="friction",
    )
    with Bar(progress) as bar:
        run(
            library().gv_cost_solve,
            handle.address,
            byref(given),
            None,
            threads=threads,
            large=values.size > _LARGE,
            progress=bar.report,
            argument="seeds",
        )
    cells = _c.CostCells(columns=width, rows=height)
    answer: Any = np.empty(values.shape, np.int32 if name == "cost_allocation" else np.float64)
    setattr(cells, "seed" if name == "cost_allocation" else "cost", answer.ctypes.data)
    used.call(library().gv_cost_get, handle.address, byref(cells))
    return answer


def _solve(
    name: str,
    friction: Any,
    seeds: Any,
    *,
    extent: Any,
    transform: Any,
    crs: Any,
    metric: Optional[str],
    moves: int,
    max_cost: float,
    seeds_crs: Any,
    skip_invalid: bool,
    x: Optional[str],
    y: Optional[str],
    backend: str,
    workers: int,
    progress: Progress,
    target_values: Any,
) -> Any:
    if moves not in (8, 16, 32):
        raise ValueError(f"{name}: moves must be 8, 16 or 32, not {moves!r}")
    if backend not in _BACKENDS:
        raise ValueError(f"{name}: backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
    by_cells = _cells.is_raster(seeds, target_values)
    if target_values is not None and not by_cells:
        raise TypeError("target_values: the seeds are not a raster")
    found = (
        _seeds.Seeds(np.empty(0), np.empty(0), None)
        if by_cells
        else _seeds.read(seeds, seeds_crs, skip_invalid, features=True)
    )
    grid, values = _friction_grid(friction, name, extent, transform, crs, x, y, found.crs)
    metric = _seeds.metric_of(metric, grid, found)
    numbers: Any
    if by_cells:
        rows, columns, numbers = _of_raster(seeds, target_values, grid, values.shape, name, x, y)
        g = grid.transform
        at, ats = (
            g[0] + (columns + 0.5) * g[1] + (rows + 0.5) * g[2],
            g[3] + (columns + 0.5) * g[4] + (rows + 0.5) * g[5],
        )
    else:
        found, at, ats = _seeds.placed(grid, found, metric, skip_invalid)
        numbers = found.rows
    plan = _plan(grid, at, ats, metric, name)
    at, ats = np.ascontiguousarray(at, np.float64), np.ascontiguousarray(ats, np.float64)
    given = _c.CostSeeds(x=at.ctypes.data, y=ats.ctypes.data, count=at.size, at_cells=int(by_cells))
    features = (
        None
        if found.features is None
        else _field.Features(found.features, "straight", False).struct()
    )
    if features is not None:
        given.features = ctypes.addressof(features)
    answer = _read(
        name,
        plan,
        values,
        given,
        moves=moves,
        max_cost=max_cost,
        backend=backend,
        workers=workers,
        progress=progress,
    )
    nodata: Any = np.nan
    if name == "cost_allocation":
        kind, nodata = (
            (np.dtype(np.int32), -1) if not by_cells or not numbers.size else no_seed(numbers)
        )
        if numbers is not None and numbers.size:
            answer = np.where(
                answer >= 0, np.asarray(numbers)[np.maximum(answer, 0)], nodata
            ).astype(kind)
    if not hasattr(friction, "dims"):
        return answer
    return _labeled(name, answer, nodata, grid, metric, friction)


def _labeled(
    name: str, answer: Any, nodata: Any, grid: _grid.Grid, metric: str, friction: Any
) -> Any:
    """With the coordinates, the coordinate system and the attributes of the package's other results."""
    from . import _xarray

    made = _xarray.dataset(_Result(grid, metric), {name: (answer[None], nodata)})[name]
    made = made.assign_coords(
        {
            key: one
            for key, one in friction.coords.items()
            if key not in made.coords and set(one.dims) <= set(grid.dims)
        }
    )
    return made.transpose(*friction.dims)


@dataclasses.dataclass
class _Result:
    """What `_xarray.dataset` needs of a request."""

    grid: _grid.Grid
    metric: str
    k: int = 1

    def squeezed(self, array: Any) -> Any:
        return array[0]


def cost_allocation(
    friction: Any,
    seeds: Any,
    *,
    extent: Any = None,
    transform: Any = None,
    crs: Any = None,
    metric: Optional[str] = None,
    moves: int = 16,
    max_cost: float = math.inf,
    seeds_crs: Any = None,
    skip_invalid: bool = False,
    x: Optional[str] = None,
    y: Optional[str] = None,
    backend: str = "auto",
    workers: int = -1,
    progress: Progress = None,
    target_values: Any = None,
) -> Any:
    """The seed with the least travel cost to each cell of a raster of friction.

    A way moves straight from center to center of cells. A move costs its length times the friction of the cells that it runs through, each by its share
    of the line. Columns that go round the globe are joined. ``docs/cost.md`` has the definition and its errors.

    Parameters
    ----------
    friction : array_like or xarray.DataArray
        The cost of a meter in each cell (on a plane without a unit: of one unit of it), at least 0. NaN, masked, negative and infinite cells are
        barriers, as are those of a DataArray that have its `_FillValue`. Not a Dask array: a way may run through any chunk.
    seeds : (array_like, array_like), GeoDataFrame, GeoSeries or raster
        As for :func:`allocation`. Lines and polygons start at cost 0 in each cell that they touch or contain, points at their own position. Seeds in
        barriers and outside the raster reach no cell. A raster is a DataArray, or an array with `target_values`, with the cells of friction; ways start
        in its cells at cost 0.
    extent, transform, crs : optional
        Of an array: xmin, ymin, xmax, ymax, or GDAL's geotransform; its coordinate system.
    metric : {"geodesic", "great-circle", "euclidean"}, optional
        Of the lengths of moves. By default geodesic for longitudes and latitudes, euclidean on maps.
    moves : {16, 32, 8}
        Directions in which ways leave a cell. On uniform friction ways are too long by up to 2.75 %, 1.31 % or 8.24 %.
    max_cost : float
        Cells with a higher cost have no seed.
    seeds_crs, skip_invalid, x, y, workers, progress, target_values
        As for :func:`allocation`.
    backend : {"auto", "tile", "cuda-tile", "serial"}
        All return the same values. "auto" uses a GPU where it pays.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        int32: rows of the seeds, -1 where none reaches the cell; of a raster of seeds its values.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> friction = np.array([[1, 1, np.nan, 1], [1, 1, np.nan, 1], [1, 1, 2, 1]])  # a river with a ford
    >>> gpuvoronoi.cost_allocation(friction, ([0.5, 3.5], [2.5, 2.5]), extent=(0, 0, 4, 3), metric="euclidean")
    array([[ 0,  0, -1,  1],
           [ 0,  0, -1,  1],
           [ 0,  0,  1,  1]], dtype=int32)
    """
    return _solve(
        "cost_allocation",
        friction,
        seeds,
        extent=extent,
        transform=transform,
        crs=crs,
        metric=metric,
        moves=moves,
        max_cost=max_cost,
        seeds_crs=seeds_crs,
        skip_invalid=skip_invalid,
        x=x,
        y=y,
        backend=backend,
        workers=workers,
        progress=progress,
        target_values=target_values,
    )


def cost_distance(
    friction: Any,
    seeds: Any,
    *,
    extent: Any = None,
    transform: Any = None,
    crs: Any = None,
    metric: Optional[str] = None,
    moves: int = 16,
    max_cost: float = math.inf,
    seeds_crs: Any = None,
    skip_invalid: bool = False,
    x: Optional[str] = None,
    y: Optional[str] = None,
    backend: str = "auto",
    workers: int = -1,
    progress: Progress = None,
    target_values: Any = None,
) -> Any:
    """The least travel cost from any seed to each cell of a raster of friction. The parameters are those of :func:`cost_allocation`.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        float64: friction's unit times meters (on a plane: times its unit); NaN where no seed reaches the cell.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> gpuvoronoi.cost_distance(np.full((1, 4), 2.0), ([0.5], [0.5]), extent=(0, 0, 4, 1), metric="euclidean")
    array([[0., 2., 4., 6.]])
    """
    return _solve(
        "cost_distance",
        friction,
        seeds,
        extent=extent,
        transform=transform,
        crs=crs,
        metric=metric,
        moves=moves,
        max_cost=max_cost,
        seeds_crs=seeds_crs,
        skip_invalid=skip_invalid,
        x=x,
        y=y,
        backend=backend,
        workers=workers,
        progress=progress,
        target_values=target_values,
    )
