"""The nearest seed of every cell of a raster: which one, how far, in which direction."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import (
    _barriers,
    _c,
    _cells,
    _device_rasters,
    _field,
    _geometries,
    _grid,
    _options,
    _seeds,
    grids,
)
from ._options import Edges, Metric, Weighting
from ._packages import package
from ._library import Progress, device_number, worker_threads
from ._search import backend_name, number_in, plain_array, real

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from ._options import CellOptions, RasterOptions

NAMES = ("allocation", "proximity", "direction")
_ARGUMENTS = """seeds : (array_like, array_like), GeoDataFrame or GeoSeries
        Points, lines or polygons: x and y (longitude and latitude in degrees on the globe) as
        one-dimensional arrays of points, or geometries, which are reprojected to the grid's
        coordinate system by pyproj. Pairs of arrays are in the grid's system unless `seeds_crs`
        says otherwise. Or a raster, with its cells as seeds: an `xarray.DataArray`, or a
        two-dimensional array with `target_values` and `extent`. A seed is then all cells of one
        value, a whole number, and each cell with `k` above 1; masked cells of a
        `numpy.ma.MaskedArray` are none; other dimensions of a DataArray (time, level) are those of
        the result, slice by slice; the raster's own cells are the queries unless `like`, `shape` or
        `level` say otherwise.
    target_values : sequence of int, optional
        The values of cells that are seeds; by default, and if it is empty, all but 0, NaN and
        `_FillValue`. Where no cell is a seed, no cell has one.
    like : xarray.DataArray or xarray.Dataset, optional
        The cells to compute: its last two spatial coordinates, evenly spaced, or longitudes and
        latitudes that are not (Gaussian grids, a single row) or two-dimensional (curvilinear
        grids), as `cells` takes them, and its coordinate system if it has one by CF's
        `grid_mapping` (as rioxarray writes it). The result has its coordinates, and is computed by
        Dask, chunk by chunk, if it is chunked.
    shape : (int, int), optional
        Rows and columns of the grid, in place of `like`.
    extent : (float, float, float, float), optional
        xmin, ymin, xmax, ymax of the grid with `shape`; the whole globe by default. The first row
        is the northernmost.
    transform : sequence of six float, optional
        In place of `extent`: GDAL's geotransform of a grid that is not rotated, (xmin, width of a
        cell, 0, ymax, 0, minus its height).
    level : int, optional
        A level of the QTM mesh: its triangles are the queries. With `like` or `shape` each cell
        holds the result of its triangle; alone, the result is one value a triangle, in the order of
        `gpuvoronoi.qtm.number`.
    cells : str, (array_like, array_like), xarray.DataArray or xarray.Dataset, optional
        Other cells as queries: ``"healpix:LEVEL"``, the pixels of HEALPix in the NESTED scheme
        (``",ring"``: in RING's order; ``",authalic"``: latitudes of centers are authalic, not
        geodetic); ``"s2:LEVEL"``, with ``",authalic"`` too; ``"h3:LEVEL"``, which needs the package
        h3; longitudes and latitudes of places, arrays of one shape, which the result has; or an
        xarray object with such coordinates, as `regrid` takes it.
    crs : optional
        The grid's coordinate system: whatever pyproj takes. By default that of `like`, then that of
        the seeds. Without any, positions are longitudes and latitudes on WGS 84 with the globe's
        metrics, plain coordinates with the plane's. Positions are in its unit (degrees, grads).
        Cells of grid systems and triangles of a mesh are counted from Greenwich whatever its prime
        meridian; so are places, if only the seeds have a system.
    metric : {"geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"}, optional
        By default geodesic for longitudes and latitudes, euclidean on maps.
    distance_metric : str, optional
        The same by xarray-spatial's names: EUCLIDEAN, MANHATTAN, GREAT_CIRCLE.
    k : int
        How many neighbors, up to 64. Above 1 the result has a first dimension `rank`.
    max_distance : float
        Seeds farther away do not count; inclusive; meters on the globe, the map's unit on the
        plane.
    mask : array_like of the grid's shape, or GeoDataFrame, optional
        Cells that are 0 (or False, or NaN) are left out; of polygons, cells without their center in
        one of them.
    weights : array_like or str, optional
        One weight a seed, or a column of the seeds' table.
    weighting : {"multiplicative", "additive", "power"}, optional
        The least d / w, d + w or d**2 - w wins; multiplicative if there are weights.
    seeds_crs : optional
        The seeds' coordinate system.
    edges : {"straight", "geodesic"}
        Of lines and polygons, what is between two vertices: a line that is straight in the grid's
        coordinates (on the globe in longitude and latitude), or the shorter way on the globe.
    boundary : bool
        Polygons count as their rings, with nothing within.
    barriers : GeoDataFrame or GeoSeries, optional
        Lines and polygons that the way to a seed may touch and follow, but not cross or enter:
        distances and directions are those of the shortest way round them, and cells inside polygons
        have no seed. With metric euclidean, great-circle or geodesic, one neighbor, and points as
        seeds.
    skip_invalid : bool
        Leave out seeds that have no geometry, an empty one, coordinates that are not finite or no
        place in the grid's system (on the globe a latitude beyond 90 degrees); the others keep
        their numbers.
    x, y : str, optional
        The names of the dimensions of `like`, or of the raster of seeds.
    backend : str
        A name that ``python -m gpuvoronoi`` lists, or "auto". All give the same results.
    device : int, optional
        The GPU for backends that use one.
    workers : int
        Threads; -1 for as many as there are CPUs.
    progress : bool or callable, optional
        True for a bar by tqdm, or a function that is given the fraction done."""


def no_seed(ids: Any, dtype: Any = None) -> tuple[np.dtype[Any], int]:
    """The integer type of a raster of ids, and its value of cells without a seed, as the command
    chooses them.

    Parameters
    ----------
    ids : array_like of int
        The ids, or other whole numbers, of the seeds.
    dtype : optional
        Another integer type than int32, or int64 for large ids.

    Returns
    -------
    tuple
        The value is -1, or the least one of the type if -1 is an id; of unsigned types the largest,
        or 0.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.no_seed([7, 5_000_000_000])
    (dtype('int64'), -1)
    """
    values = np.asarray(ids)
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    kind = np.dtype(
        dtype if dtype is not None else np.int32 if -(2**31) <= low and high < 2**31 else np.int64
    )
    if kind.kind not in "iu":
        raise TypeError(f"dtype must be a type of integers, not {kind}")
    limits = np.iinfo(kind)
    if low < limits.min or high > limits.max:
        raise ValueError(f"ids: from {low} to {high} are outside the range of {kind}")
    first, second = (-1, int(limits.min)) if kind.kind == "i" else (int(limits.max), 0)
    nodata = second if np.any(values == first) else first
    if np.any(values == nodata):
        raise ValueError(f"ids: {nodata} stands for no seed and can be no id")
    return kind, nodata


class RasterRequest:
    """What a user requests, checked: the grid, the seeds, and the plan of the result."""

    def __init__(
        self,
        seeds: Any,
        *,
        like: Any = None,
        shape: Any = None,
        extent: Any = None,
        level: Any = None,
        crs: Any = None,
        metric: Optional[Metric] = None,
        k: int = 1,
        max_distance: float = math.inf,
        mask: Any = None,
        weights: Any = None,
        weighting: Optional[Weighting] = None,
        seeds_crs: Any = None,
        x: Optional[str] = None,
        y: Optional[str] = None,
        backend: str = "auto",
        device: Optional[int] = None,
        workers: int = -1,
        progress: Progress = None,
        target_values: Any = None,
        distance_metric: Optional[str] = None,
        skip_invalid: bool = False,
        cells: Any = None,
        edges: Edges = "straight",
        boundary: bool = False,
        transform: Any = None,
        barriers: Any = None,
    ) -> None:
        self.k = number_in(k, "k", 1, _c.VORONOI_MAX_K)
        self.workers, self.progress = worker_threads(workers), progress
        meant = _cells.metric_of(metric, distance_metric)
        self.cells: Optional[_cells.Cells] = None
        raster: Optional[_cells.Raster] = None
        cells, points_of = _device_rasters.points_on_host(cells)
        if _cells.is_raster(seeds, target_values):
            if weights is not None:
                raise ValueError("weights: cells of a raster as seeds have none")
            if self.k > 1 and _device_rasters.module_of(seeds) is not None:
                raise ValueError(
                    "k: cells of a raster on a GPU have one neighbor; give NumPy arrays"
                )
            if not hasattr(seeds, "dims") and shape is not None:
                raise ValueError("shape: the array of seeds has one; for another grid give like")
            own_grid = like is None and shape is None and level is None and cells is None
            raster = _cells.read(
                seeds,
                target_values,
                None if hasattr(seeds, "dims") else extent,
                crs if seeds_crs is None and own_grid else seeds_crs,
                x,
                y,
                transform,
            )
            self.seeds = _seeds.Seeds(np.empty(0), np.empty(0), raster.grid.crs)
            self.like = seeds if own_grid and hasattr(seeds, "dims") else like
            self.grid = (
                raster.grid
                if own_grid
                else _grid.of_arguments(
                    like,
                    shape,
                    extent if hasattr(seeds, "dims") else None,
                    level,
                    crs,
                    x,
                    y,
                    self.seeds.crs,
                    cells,
                )
            )
        elif target_values is not None:
            raise TypeError("target_values: the seeds are not a raster")
        else:
            self.seeds = _seeds.read(seeds, seeds_crs, skip_invalid, features=True)
            self.like = like
            self.grid = _grid.of_arguments(
                like, shape, extent, level, crs, x, y, self.seeds.crs, cells, transform
            )
        if cells is not None and self.grid.cells is not None and self.grid.cells.labeled:
            self.like = cells
        self.metric = _seeds.metric_of(meant, self.grid, self.seeds)
        self.seeds, x_on_grid, y_on_grid = _seeds.placed(
            self.grid, self.seeds, self.metric, skip_invalid
        )
        if edges not in _geometries.EDGES:
            raise ValueError(f"edges must be straight or geodesic, not {edges!r}")
        if self.seeds.x.size == 0 and raster is None:
            raise ValueError("seeds: there are none")
        if weights is None and weighting not in (None, "unweighted"):
            raise ValueError(f"weighting: {weighting} needs weights")
        if weighting is not None and weighting not in _c.WEIGHTINGS:
            raise ValueError(
                f"weighting must be one of {', '.join(_c.WEIGHTINGS[1:])}, not {weighting!r}"
            )
        loads = (
            None
            if weights is None
            else np.ascontiguousarray(
                _seeds.column(weights, self.seeds, "weights"), dtype=np.float64
            )
        )
        self.cupy = points_of or _device_rasters.module_of(
            seeds if raster is not None and own_grid else self.like
        )
        self.mask = self._mask(mask)
        backend_name(backend)
        self.plan = _field.plan(
            self.grid,
            x_on_grid,
            y_on_grid,
            self.metric,
            k=self.k,
            max_distance=real(max_distance, "max_distance", 0.0),
            weights=loads,
            weighting="unweighted" if loads is None else weighting or "multiplicative",
            backend=backend,
            device=device_number(device),
        )
        if self.seeds.features is not None:
            self.plan.features = _field.Features(self.seeds.features, edges, bool(boundary))
        if self.cupy is not None:
            self.plan = _device_rasters.plan_for(self.plan, self.cupy)
        if raster is not None:
            self.cells = _cells.Cells(raster, self.grid, self.plan, self.workers)
            self.seeds = _seeds.Seeds(self.cells.x, self.cells.y, raster.grid.crs)
            at, ats = _seeds.on(self.grid, self.seeds, self.metric)
            self.plan = dataclasses.replace(
                self.plan, x=np.ascontiguousarray(at), y=np.ascontiguousarray(ats)
            )
        self.nothing = self.cells is not None and not self.cells.any  # no cell is a seed
        self.edges = edges
        self.barriers = (
            None
            if barriers is None
            else _barriers.read(barriers, self.grid, self.metric, skip_invalid)
        )
        if barriers is not None:
            _barriers.check(self)
        if self.grid.chunks is not None and self.grid.mesh:
            raise ValueError("level alone has no chunks")

    def _mask(self, mask: Any) -> Any:
        """As it was given, which blocks read (`_field.mask_bytes`); a Dask array where the result
        is one."""
        if mask is None:
            return None
        if hasattr(mask, "geometry") and hasattr(mask, "crs"):
            mask = grids.polygon_mask(mask, self.grid)
        if hasattr(mask, "dims"):
            if tuple(mask.dims) != self.grid.dims:
                raise ValueError(
                    f"mask has the dimensions {tuple(mask.dims)}, not {self.grid.dims}"
                )
            mask = mask.data
        if np.shape(mask) != self.grid.shape:
            raise ValueError(
                f"mask must have the grid's shape {self.grid.shape}, not {np.shape(mask)}"
            )
        if hasattr(mask, "dask"):
            if self.grid.chunks is None:
                mask = mask.compute()
            else:
                return mask.rechunk(self.grid.chunks)
        if self.cupy is not None and isinstance(mask, self.cupy.ndarray):
            return mask.reshape(self.grid.rows, self.grid.columns)
        return plain_array(mask, "mask").reshape(self.grid.rows, self.grid.columns)

    def squeezed(self, array: Any) -> Any:
        """k x rows x columns as a user sees it."""
        if self.grid.mesh:
            array = array.reshape(array.shape[0], *self.grid.shape)
        return array if self.k > 1 else array[0]

    def names(self, ids: Any) -> _field.Names:
        """What is written for seeds: their numbers, `ids`, or the values of a raster."""
        if ids is not None and self.cells is not None:
            raise ValueError("ids: cells of a raster as seeds have their values")
        if self.nothing or (ids is None and self.cells is None and self.seeds.rows is None):
            return _field.Names()
        if ids is None and self.seeds.rows is not None:
            ids = np.arange(self.seeds.total)
        values = _seeds.column(ids, self.seeds, "ids") if self.cells is None else self.cells.value
        if values.dtype.kind not in "iu" or (
            values.dtype == np.uint64 and values.max() > np.iinfo(np.int64).max
        ):
            raise TypeError(f"ids must be integers (up to 64 bits), not {values.dtype}")
        kind, nodata = no_seed(values)
        return _field.Names(
            kind,
            nodata,
            np.ascontiguousarray(values, np.int64),
            None if self.cells is None else self.cells.group,
        )

    def _full(self, value: float, dtype: Any) -> Any:
        """A result without a seed."""
        shape, of = (
            (self.k, self.plan.rows, self.plan.columns),
            np if self.cupy is None else self.cupy,
        )
        if self.grid.chunks is None:
            return of.full(shape, value, dtype)
        array = package("dask.array", "like in chunks")
        whole = array.full(shape, value, dtype=dtype, chunks=((self.k,), *self.grid.chunks))
        return whole if self.cupy is None else whole.map_blocks(self.cupy.asarray, dtype=dtype)

    def compute(
        self, names: Optional[_field.Names], *, distance: Any = None, azimuth: bool = False
    ) -> tuple[Any, Any, Any]:
        """Seeds by `names`, distances and azimuths, k x rows x columns: numpy's, or Dask's where
        `like` is chunked."""
        if self.nothing:
            return (
                None if names is None else self._full(names.nodata, names.dtype),
                None if distance is None else self._full(math.nan, distance),
                self._full(math.nan, np.float32) if azimuth else None,
            )
        if self.barriers is not None:
            return _barriers.compute(self, self.barriers, names, distance, azimuth)
        own = self.cells.groups if self.cells is not None and self.cells.own else None
        if self.grid.chunks is not None:
            from . import _dask

            return _dask.compute(
                self.plan,
                self.grid.chunks,
                names,
                self.mask,
                None if own is None else own(self.plan.window),
                distance,
                azimuth,
                self.cupy,
            )
        if self.cupy is not None:
            return _device_rasters.compute(self, names, distance, azimuth)
        field = _field.Field(self.plan, self.workers)
        return field.result(
            self.plan.window,
            names,
            distance=distance,
            azimuth=azimuth,
            mask=self.mask,
            own=own,
            workers=self.workers,
            progress=self.progress,
        ).arrays()


def _distance_dtype(dtype: Any) -> np.dtype[Any]:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, not {kind}")
    return kind


_documented = _options.documented(RasterRequest, _ARGUMENTS)


@overload
def allocation(
    seeds: _options.LabeledSet, *, ids: Any = ..., **arguments: Unpack[RasterOptions]
) -> xarray.Dataset: ...
@overload
def allocation(
    seeds: Any, *, like: _options.Labeled, ids: Any = ..., **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def allocation(
    seeds: _options.Labeled, *, ids: Any = ..., **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def allocation(seeds: Any, *, ids: Any = ..., **arguments: Unpack[CellOptions]) -> npt.NDArray[Any]:
    raise NotImplementedError(RasterRequest(seeds, **arguments))  # where jedi reads the options


@_documented
def allocation(seeds: Any, *, ids: Any = None, **arguments: Unpack[RasterOptions]) -> Any:
    """The nearest seed of every cell.

    Parameters
    ----------
    ARGUMENTS
    ids : array_like of int, or str, optional
        Integers to write in place of the seeds' numbers from 0; one a seed, or the name of a column
        of the seeds' table.

    Returns
    -------
    ndarray or xarray.DataArray
        int32 (int64 for large ids); -1 where there is no seed (the type's least value if -1 is an
        id). An `xarray.DataArray` if `like` is given. Cells of a raster as seeds: their values.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.allocation(([-60.0, 25.0, 100.0], [0.0, 50.0, 30.0]), shape=(3, 6))
    array([[1, 1, 1, 1, 2, 2],
           [0, 0, 0, 1, 2, 2],
           [0, 0, 0, 0, 2, 2]], dtype=int32)
    """
    if _has_slices(seeds):
        return _by_slices(seeds, allocation, {"ids": ids, **arguments})
    request = RasterRequest(seeds, **arguments)
    names = request.names(ids)
    return _wrapped(request, "allocation", request.compute(names)[0], names.nodata)


@overload
def proximity(
    seeds: _options.LabeledSet, *, dtype: Any = ..., **arguments: Unpack[RasterOptions]
) -> xarray.Dataset: ...
@overload
def proximity(
    seeds: Any, *, like: _options.Labeled, dtype: Any = ..., **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def proximity(
    seeds: _options.Labeled, *, dtype: Any = ..., **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def proximity(
    seeds: Any, *, dtype: Any = ..., **arguments: Unpack[CellOptions]
) -> npt.NDArray[Any]:
    raise NotImplementedError(RasterRequest(seeds, **arguments))  # where jedi reads the options


@_documented
def proximity(seeds: Any, *, dtype: Any = np.float32, **arguments: Unpack[RasterOptions]) -> Any:
    """The distance of every cell to its nearest seed.

    Parameters
    ----------
    ARGUMENTS
    dtype : {float32, float64}
        Distances are computed in float64 and rounded once.

    Returns
    -------
    ndarray or xarray.DataArray
        Meters on the globe, the map's unit on the plane; NaN where there is no seed. Weights decide
        which seed is nearest, not how far it is.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.proximity(([0.5], [0.5]), shape=(2, 2), extent=(0, 0, 2, 2), metric="manhattan")
    array([[1., 2.],
           [0., 1.]], dtype=float32)
    """
    if _has_slices(seeds):
        return _by_slices(seeds, proximity, {"dtype": dtype, **arguments})
    request = RasterRequest(seeds, **arguments)
    return _wrapped(
        request, "proximity", request.compute(None, distance=_distance_dtype(dtype))[1], math.nan
    )


@overload
def direction(seeds: _options.LabeledSet, **arguments: Unpack[RasterOptions]) -> xarray.Dataset: ...
@overload
def direction(
    seeds: Any, *, like: _options.Labeled, **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def direction(seeds: _options.Labeled, **arguments: Unpack[CellOptions]) -> xarray.DataArray: ...
@overload
def direction(seeds: Any, **arguments: Unpack[CellOptions]) -> npt.NDArray[Any]:
    raise NotImplementedError(RasterRequest(seeds, **arguments))  # where jedi reads the options


@_documented
def direction(seeds: Any, **arguments: Unpack[RasterOptions]) -> Any:
    """The direction from every cell to its nearest seed.

    Parameters
    ----------
    ARGUMENTS

    Returns
    -------
    ndarray or xarray.DataArray of float32
        Degrees clockwise from true north (from +y on the plane) in which the line leaves the cell,
        [0, 360); 0 at the seed itself, NaN where there is no seed, and within a polygon that is the
        nearest.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.direction(([0.5], [0.5]), shape=(2, 2), extent=(0, 0, 2, 2), metric="euclidean")
    array([[180., 225.],
           [  0., 270.]], dtype=float32)
    """
    if _has_slices(seeds):
        return _by_slices(seeds, direction, {**arguments})
    request = RasterRequest(seeds, **arguments)
    return _wrapped(request, "direction", request.compute(None, azimuth=True)[2], math.nan)


@_documented
def voronoi(
    seeds: Any,
    *,
    variables: Iterable[str] = NAMES,
    ids: Any = None,
    dtype: Any = np.float32,
    **arguments: Unpack[RasterOptions],
) -> Union[xarray.Dataset, dict[str, npt.NDArray[Any]]]:
    """Nearest seeds, distances and directions at once.

    Parameters
    ----------
    ARGUMENTS
    variables : sequence of {"allocation", "proximity", "direction"}
        What is wanted.
    ids, dtype
        As of `allocation` and `proximity`.

    Returns
    -------
    xarray.Dataset
        With coordinates, the coordinate system as CF's `grid_mapping` (which rioxarray reads), and
        `_FillValue`. Where xarray is not installed, a dict of numpy arrays with the same names.

    Examples
    --------
    >>> import gpuvoronoi
    >>> result = gpuvoronoi.voronoi(([0.0], [0.0]), shape=(2, 4), metric="great-circle")
    >>> result["direction"].shape
    (2, 4)
    """
    wanted = tuple([variables] if isinstance(variables, str) else variables)
    for name in wanted:
        if name not in NAMES:
            raise ValueError(f"variables must be of {', '.join(NAMES)}, not {name!r}")
    kind = _distance_dtype(dtype)
    if _has_slices(seeds):
        return _by_slices(
            seeds, voronoi, {"variables": wanted, "ids": ids, "dtype": dtype, **arguments}
        )
    request = RasterRequest(seeds, **arguments)
    names = request.names(ids)
    results = request.compute(
        names if "allocation" in wanted else None,
        distance=kind if "proximity" in wanted else None,
        azimuth="direction" in wanted,
    )
    found = dict(zip(NAMES, zip(results, (names.nodata, math.nan, math.nan))))
    try:
        import xarray  # noqa: F401
    except ImportError:
        return {name: request.squeezed(found[name][0]) for name in wanted}
    from . import _xarray

    return _xarray.dataset(request, {name: found[name] for name in wanted})


def _has_slices(seeds: Any) -> bool:
    """Whether seeds are several rasters: variables of a Dataset, or slices along other dimensions
    than two of space."""
    return hasattr(seeds, "dims") and (hasattr(seeds, "data_vars") or len(seeds.dims) > 2)


def _by_slices(seeds: Any, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """What `function` returns for each variable, or for each slice along the first other dimension,
    one behind another."""
    xarray = package("xarray", "seeds with other dimensions")
    if hasattr(seeds, "data_vars"):
        rasters = {name: one for name, one in seeds.data_vars.items() if one.ndim > 1}
        if function is voronoi or not rasters:
            raise TypeError("seeds: a Dataset has several rasters: choose one of its variables")
        return xarray.Dataset(
            {name: function(one, **arguments) for name, one in rasters.items()}, attrs=seeds.attrs
        )
    space = _grid.names_of(seeds, arguments.get("x"), arguments.get("y"))
    name = next(one for one in seeds.dims if one not in space)
    parts = [function(seeds.isel({name: i}), **arguments) for i in range(seeds.sizes[name])]
    if not parts:
        raise ValueError(f"seeds: the dimension {name!r} is empty")
    if isinstance(parts[0], dict):
        return {key: np.stack([part[key] for part in parts]) for key in parts[0]}
    if not hasattr(parts[0], "dims"):
        return np.stack(parts)
    return xarray.concat(
        parts,
        seeds.coords[name] if name in seeds.coords and seeds.coords[name].dims == (name,) else name,
    )


def _wrapped(request: RasterRequest, name: str, values: Any, nodata: Any) -> Any:
    if request.like is None:
        return request.squeezed(values)
    from . import _xarray

    return _xarray.dataset(request, {name: (values, nodata)})[name]
