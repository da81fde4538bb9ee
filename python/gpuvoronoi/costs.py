"""The nearest seed of every cell by travel cost over a raster of friction
(``include/gpuvoronoi/cost.h``)."""

from __future__ import annotations

import ctypes
import dataclasses
import math
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _c, _cells, _field, _grid, _options, _seeds, _ways
from ._options import Metric
from ._library import Bar, Handle, Progress, library, run, worker_threads
from ._search import real
from .rasters import no_seed

if TYPE_CHECKING:
    import geopandas
    import xarray
    from typing_extensions import Unpack

    from ._options import CostOptions

_LARGE = 1 << 20  # cells from which a search takes long enough to be interrupted
_ARGUMENTS = """friction : array_like or xarray.DataArray
        The cost of a meter in each cell (on a plane without a unit: of one unit of it), at least 0.
        NaN, masked, negative and infinite cells are barriers, as are those of a DataArray that have
        its `_FillValue`. Not a Dask array: a way may run through any chunk.
    seeds : (array_like, array_like), GeoDataFrame, GeoSeries or raster
        As for `allocation`. Lines and polygons start at cost 0 in each cell that they touch or
        contain, points at their own position. Seeds in barriers and outside the raster reach no
        cell. A raster is a DataArray, or an array with `target_values`, with the cells of friction;
        ways start in its cells at cost 0.
    extent, transform, crs : optional
        Of an array: xmin, ymin, xmax, ymax, or GDAL's geotransform; its coordinate system.
    metric : {"geodesic", "great-circle", "euclidean"}, optional
        Of the lengths of moves. By default geodesic for longitudes and latitudes, euclidean on
        maps.
    moves : {16, 32, 8}
        Directions in which ways leave a cell. On uniform friction ways are too long by up to 2.75
        %, 1.31 % or 8.24 %.
    max_cost : float
        Cells with a higher cost have no seed.
    seeds_crs, skip_invalid, x, y, workers, progress, target_values
        As for `allocation`.
    backend : {"auto", "tile", "cuda-tile", "serial"}
        All return the same values. "auto" uses a GPU where it pays."""


def _friction(given: Any, name: str) -> npt.NDArray[np.float64]:
    if hasattr(given, "dask"):
        raise TypeError(
            f"{name}: friction is a Dask array, but a way may run through any chunk; load() it "
            "first"
        )
    if isinstance(given, np.ma.MaskedArray):
        given = np.ma.filled(given.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
    array = np.asarray(given)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{name}: friction must have two dimensions and numbers, not the shape {array.shape} "
            f"and the type {array.dtype}"
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


def _plan(grid: _grid.Grid, metric: str, name: str) -> _field.Plan:
    plan = _field.plan(
        grid,
        np.empty(0),
        np.empty(0),
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


class CostRequest:
    """A raster of friction and seeds, checked; `solve` finds the least costs."""

    def __init__(
        self,
        name: str,
        friction: Any,
        seeds: Any,
        *,
        extent: Any = None,
        transform: Any = None,
        crs: Any = None,
        metric: Optional[Metric] = None,
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
    ) -> None:
        if moves not in (8, 16, 32):
            raise ValueError(f"{name}: moves must be 8, 16 or 32, not {moves!r}")
        self.by_cells = _cells.is_raster(seeds, target_values)
        if target_values is not None and not self.by_cells:
            raise TypeError("target_values: the seeds are not a raster")
        found = (
            _seeds.Seeds(np.empty(0), np.empty(0), None)
            if self.by_cells
            else _seeds.read(seeds, seeds_crs, skip_invalid, features=True)
        )
        self.name, self.friction = name, friction
        self.grid, self.values = _friction_grid(
            friction, name, extent, transform, crs, x, y, found.crs
        )
        self.metric = _seeds.metric_of(metric, self.grid, found)
        self.plan = _plan(self.grid, self.metric, name)
        self.numbers: Any
        if self.by_cells:
            rows, columns, self.numbers = _of_raster(
                seeds, target_values, self.grid, self.values.shape, name, x, y
            )
            g = self.plan.transform
            at, ats = (
                g[0] + (columns + 0.5) * g[1] + (rows + 0.5) * g[2],
                g[3] + (columns + 0.5) * g[4] + (rows + 0.5) * g[5],
            )
        else:
            found, at, ats = _seeds.placed(self.grid, found, self.metric, skip_invalid)
            self.numbers = found.rows
        self.x, self.y = np.ascontiguousarray(at, np.float64), np.ascontiguousarray(ats, np.float64)
        self.features = (
            None
            if found.features is None
            else _field.Features(found.features, "straight", False).struct()
        )
        self.options = _c.CostOptions(
            backend=backend.encode(),
            metric=_c.METRICS.index(self.metric),
            moves=moves,
            max_cost=real(max_cost, "max_cost", 0.0),
        )
        self.threads, self.progress = worker_threads(workers), progress

    def solve(self) -> None:
        height, width = self.values.shape
        of = _c.Grid(
            kind=self.plan.kind,
            width=width,
            height=height,
            geotransform=(ctypes.c_double * 6)(*self.plan.transform),
            semi_major=self.plan.ellipsoid[0],
            flattening=self.plan.ellipsoid[1],
        )
        given = _c.CostSeeds(
            x=self.x.ctypes.data,
            y=self.y.ctypes.data,
            count=self.x.size,
            at_cells=int(self.by_cells),
        )
        if self.features is not None:
            given.features = ctypes.addressof(self.features)
        made = c_void_p()
        self.used = run(
            library().gv_cost_create,
            byref(of),
            byref(self.options),
            byref(made),
            threads=self.threads,
            argument="friction",
        )
        self.handle = Handle(made.value, library().gv_cost_destroy, self.used)
        self.used.call(
            library().gv_cost_set_rows,
            self.handle.address,
            0,
            height,
            self.values.ctypes.data,
            width,
            argument="friction",
        )
        with Bar(self.progress) as bar:
            run(
                library().gv_cost_solve,
                self.handle.address,
                byref(given),
                None,
                threads=self.threads,
                large=self.values.size > _LARGE,
                progress=bar.report,
                argument="seeds",
            )

    def nodata(self) -> Any:
        """The type of numbers or values of seeds, and the one of cells without a seed."""
        if not self.by_cells or not self.numbers.size:
            return np.dtype(np.int32), -1
        return no_seed(self.numbers)

    def named(self, seeds: Any) -> Any:
        """Numbers or values of the seeds, which the library has by their positions in its list."""
        kind, nodata = self.nodata()
        if self.numbers is None or not self.numbers.size:
            return seeds.astype(kind)
        found = np.asarray(self.numbers)[np.maximum(seeds, 0)]
        return np.where(seeds >= 0, found, nodata).astype(kind)

    def raster(self, field: str) -> Any:
        """`field`, seed or cost, of each cell."""
        height, width = self.values.shape
        result = np.empty(self.values.shape, np.int32 if field == "seed" else np.float64)
        cells = _c.CostCells(columns=width, rows=height)
        setattr(cells, field, result.ctypes.data)
        self.solve()
        self.used.call(library().gv_cost_get, self.handle.address, byref(cells))
        nodata = np.nan
        if field == "seed":
            result, nodata = self.named(result), self.nodata()[1]
        if not hasattr(self.friction, "dims"):
            return result
        return _labeled(self.name, result, nodata, self.grid, self.metric, self.friction)

    def way(self, x: float, y: float) -> tuple[int, tuple[float, float], Any]:
        """Of a point: the seed's position in the list or -1, cost and length, and the positions in
        two rows."""
        count, seed = ctypes.c_int64(), ctypes.c_int32()
        cost, length = ctypes.c_double(), ctypes.c_double()

        def write(places: Any) -> int:
            request = _c.CostWay(x=x, y=y, room=places.shape[1])
            request.way_x, request.way_y = (row.ctypes.data for row in places)
            request.count, request.seed = ctypes.addressof(count), ctypes.addressof(seed)
            request.cost, request.length = ctypes.addressof(cost), ctypes.addressof(length)
            self.used.call(library().gv_cost_get_way, self.handle.address, byref(request))
            return count.value

        places = _ways.positions(write)
        return seed.value, (cost.value, length.value), places


def _labeled(
    name: str, result: Any, nodata: Any, grid: _grid.Grid, metric: str, friction: Any
) -> Any:
    """With the coordinates, the coordinate system and the attributes of the package's other
    results."""
    from . import _xarray

    made = _xarray.dataset(_Result(grid, metric), {name: (result[None], nodata)})[name]
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


@_options.documented(CostRequest, _ARGUMENTS)
def cost_allocation(
    friction: Any, seeds: Any, **arguments: Unpack[CostOptions]
) -> Union[npt.NDArray[np.integer[Any]], xarray.DataArray]:
    """The seed with the least travel cost to each cell of a raster of friction.

    A way moves straight from center to center of cells. A move costs its length times the friction
    of the cells that it runs through, each by its share of the line. Columns that go round the
    globe are joined. ``docs/cost.md`` has the definition and its errors.

    Parameters
    ----------
    ARGUMENTS

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        int32: rows of the seeds, -1 where none reaches the cell; of a raster of seeds its values.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> river = [1, 1, np.nan, 1]
    >>> friction = np.array([river, river, [1, 1, 2, 1]])  # with a ford
    >>> seeds, extent = ([0.5, 3.5], [2.5, 2.5]), (0, 0, 4, 3)
    >>> gpuvoronoi.cost_allocation(friction, seeds, extent=extent, metric="euclidean")
    array([[ 0,  0, -1,  1],
           [ 0,  0, -1,  1],
           [ 0,  0,  1,  1]], dtype=int32)
    """
    return CostRequest("cost_allocation", friction, seeds, **arguments).raster("seed")


@_options.documented(CostRequest, _ARGUMENTS)
def cost_distance(
    friction: Any, seeds: Any, **arguments: Unpack[CostOptions]
) -> Union[npt.NDArray[np.float64], xarray.DataArray]:
    """The least travel cost from any seed to each cell of a raster of friction.

    Parameters
    ----------
    ARGUMENTS

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        float64: friction's unit times meters (on a plane: times its unit); NaN where no seed
        reaches the cell.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> friction, extent = np.full((1, 4), 2.0), (0, 0, 4, 1)
    >>> gpuvoronoi.cost_distance(friction, ([0.5], [0.5]), extent=extent, metric="euclidean")
    array([[0., 2., 4., 6.]])
    """
    return CostRequest("cost_distance", friction, seeds, **arguments).raster("cost")


@_options.documented(CostRequest, _ARGUMENTS)
def cost_ways(
    friction: Any, seeds: Any, points: Any, **arguments: Unpack[CostOptions]
) -> geopandas.GeoDataFrame:
    """The cheapest ways from points to their seeds, as lines.

    A way begins in the center of the point's cell and ends at the seed: at the position of a point,
    or in the center of the first cell of a line, polygon or raster seed. It needs geopandas.

    Parameters
    ----------
    ARGUMENTS
    points : GeoDataFrame, GeoSeries, tuple of two arrays (x, y), list of pairs or array (n, 2)
        Where ways begin. Without a coordinate system they are in that of friction.

    Returns
    -------
    GeoDataFrame
        The rows and columns of the points (`seed_NAME` if this function has a column of that name)
        with lines as geometry, and `seed` (as in `cost_allocation`), `cost` (as in `cost_distance`)
        and `length` (meters, on a plane its unit). Points in barriers, outside the raster and that
        no seed reaches have a row without line and values. Lines across 180 degrees are cut there.

    Examples
    --------
    >>> import numpy as np, gpuvoronoi
    >>> river = [1, 1, np.nan, 1]
    >>> friction = np.array([river, river, [1, 1, 2, 1]])  # with a ford
    >>> seeds, points, extent = ([0.5], [2.5]), ([3.5], [2.5]), (0, 0, 4, 3)
    >>> ways = gpuvoronoi.cost_ways(friction, seeds, points, extent=extent, metric="euclidean")
    >>> [(float(x), float(y)) for x, y in ways.geometry[0].coords]
    [(3.5, 2.5), (3.5, 1.5), (2.5, 0.5), (1.5, 1.5), (0.5, 2.5)]
    """
    request = CostRequest("cost_ways", friction, seeds, **arguments)
    read = _seeds.usable(points, "points")
    placed, x, y = _seeds.placed(request.grid, read, request.metric)
    assert placed.rows is not None
    request.solve()
    return _ways.table(
        read,
        placed.rows,
        (request.way(*place) for place in zip(x.tolist(), y.tolist())),
        request.named,
        ("cost", "length"),
        request.grid,
        request.metric,
    )
