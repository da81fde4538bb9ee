"""The value of the nearest seed: for cells of a raster, and from any cells to any other cells."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from . import _field, _grid, _pairing, _places
from ._packages import package
from ._library import Progress
from ._search import plain_array
from ._options import GlobeMetric
from .rasters import RasterRequest, _documented

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from ._options import CellOptions, Labeled, LabeledSet, RasterOptions

Values = npt.NDArray[Any]


def take(values: Values, numbers: npt.NDArray[Any], fill: Any) -> Values:
    """values[..., number] for every number, `fill` where it is < 0."""
    found = np.take(values, np.maximum(numbers, 0), axis=-1)
    missing = numbers < 0
    if missing.any():
        found[..., missing] = fill
    return found


def fill_of(dtype: np.dtype[Any], fill: Any, argument: str) -> Any:
    """What stands where there is no seed: NaN, NaT, False, of integers the least of the type, or
    the highest of an unsigned one."""
    if dtype.kind not in "biufMm":
        raise TypeError(f"{argument} must be numbers, bools or times, not {dtype}")
    if fill is not None:
        made = np.asarray(fill).astype(dtype)[()]
        if dtype.kind in "biu" and made != fill:
            raise ValueError(f"fill: {fill!r} does not fit into {dtype}")
        return made
    if dtype.kind == "b":
        return dtype.type(False)
    if dtype.kind in "iu":
        return dtype.type(np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min)
    return dtype.type("NaT") if dtype.kind in "Mm" else dtype.type(math.nan)


@overload
def nearest_value(
    seeds: Any,
    value: Mapping[str, Any],
    *,
    like: Labeled,
    fill: Any = ...,
    **arguments: Unpack[CellOptions],
) -> xarray.Dataset: ...
@overload
def nearest_value(
    seeds: Any, value: Any, *, like: Labeled, fill: Any = ..., **arguments: Unpack[CellOptions]
) -> xarray.DataArray: ...
@overload
def nearest_value(
    seeds: Any, value: Mapping[str, Any], *, fill: Any = ..., **arguments: Unpack[CellOptions]
) -> dict[str, npt.NDArray[Any]]: ...
@overload
def nearest_value(
    seeds: Any, value: npt.ArrayLike, *, fill: Any = ..., **arguments: Unpack[CellOptions]
) -> npt.NDArray[Any]:
    raise NotImplementedError(RasterRequest(seeds, **arguments))  # where jedi reads the options


@_documented
def nearest_value(
    seeds: Any, value: Any, *, fill: Any = None, **arguments: Unpack[RasterOptions]
) -> Union[npt.NDArray[Any], dict[str, npt.NDArray[Any]], xarray.DataArray, xarray.Dataset]:
    """The value of the nearest seed in every cell.

    Parameters
    ----------
    ARGUMENTS
    value : str, array_like, or a mapping of names to these
        Numbers or times, one a seed: an array with the seeds as its last dimension (dimensions
        before it, such as times, are kept), the name of a column of the seeds' table, or several of
        them by name. The nearest seeds are computed once.
    fill : optional
        What stands where there is no seed: by default NaN, NaT, False, the least integer of the
        type, the highest of an unsigned one.

    Returns
    -------
    ndarray, xarray.DataArray or xarray.Dataset
        Of the type of `value`; the dimensions of `value` before its last come first, then `rank`
        with k above 1, then the cells'. With `like` it is an `xarray.DataArray`, of a mapping an
        `xarray.Dataset` (without `like` a dict of arrays).

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.nearest_value(([-60.0, 100.0], [0.0, 30.0]), [21.5, 28.0], shape=(2, 4))
    array([[21.5, 21.5, 28. , 28. ],
           [21.5, 21.5, 28. , 28. ]])
    """
    request = RasterRequest(seeds, **arguments)
    if request.cells is not None or request.nothing:
        raise ValueError("value: cells of a raster as seeds have their values: use allocation")
    several = isinstance(value, Mapping)
    named = dict(value) if several else {value if isinstance(value, str) else "value": value}
    columns = {
        name: _of_seeds(request, one, f"value[{name!r}]" if several else "value")
        for name, one in named.items()
    }
    fills = {name: fill_of(one.dtype, fill, "value") for name, one in columns.items()}
    numbers = request.squeezed(request.compute(_field.Names())[0])
    found = {name: _taken(one, numbers, fills[name]) for name, one in columns.items()}
    if request.like is not None:
        from . import _xarray

        made = _xarray.values(request, found, fills, named)
        return made if several else made[next(iter(found))]
    return found if several else next(iter(found.values()))


def _of_seeds(request: RasterRequest, value: Any, argument: str) -> Values:
    """Values of the seeds that are searched, along the last axis."""
    seeds = request.seeds
    if isinstance(value, str):
        if seeds.frame is None or value not in getattr(seeds.frame, "columns", ()):
            raise ValueError(f"{argument}: the seeds have no column {value!r}")
        value = seeds.frame[value].to_numpy()
    array = (
        np.asarray(value) if np.asarray(value).dtype.kind in "Mm" else plain_array(value, argument)
    )
    count = seeds.x.size if seeds.rows is None else seeds.total
    if array.ndim == 0 or array.shape[-1] != count:
        raise ValueError(
            f"{argument}: the last dimension must have one value for each of {count} seeds, not "
            f"the shape {array.shape}"
        )
    return array if seeds.rows is None else array[..., seeds.rows]


def _taken(values: Values, numbers: Any, fill: Any) -> Any:
    if not hasattr(numbers, "dask"):
        return take(values, numbers, fill)
    array = package("dask.array", "like in chunks")
    leading = values.shape[:-1]
    return array.map_blocks(
        lambda chunk: take(values, chunk, fill),
        numbers,
        dtype=values.dtype,
        new_axis=list(range(len(leading))),
        chunks=(*((n,) for n in leading), *numbers.chunks),
        meta=np.empty((0,) * (len(leading) + numbers.ndim), values.dtype),
    )


@overload
def regrid(
    source: LabeledSet,
    target: Any,
    *,
    metric: GlobeMetric = ...,
    ellipsoid: Optional[tuple[float, float]] = ...,
    max_distance: float = ...,
    fill: Any = ...,
    dims: Optional[Sequence[str]] = ...,
    nearest_valid: bool = ...,
    backend: str = ...,
    device: Optional[int] = ...,
    workers: int = ...,
    progress: Progress = ...,
) -> xarray.Dataset: ...
@overload
def regrid(
    source: Labeled,
    target: Any,
    *,
    metric: GlobeMetric = ...,
    ellipsoid: Optional[tuple[float, float]] = ...,
    max_distance: float = ...,
    fill: Any = ...,
    dims: Optional[Sequence[str]] = ...,
    nearest_valid: bool = ...,
    backend: str = ...,
    device: Optional[int] = ...,
    workers: int = ...,
    progress: Progress = ...,
) -> xarray.DataArray: ...
def regrid(
    source: Any,
    target: Any,
    *,
    metric: GlobeMetric = "geodesic",
    ellipsoid: Optional[tuple[float, float]] = None,
    max_distance: float = math.inf,
    fill: Any = None,
    dims: Optional[Sequence[str]] = None,
    nearest_valid: bool = False,
    backend: str = "auto",
    device: Optional[int] = None,
    workers: int = -1,
    progress: Progress = None,
) -> Union[xarray.DataArray, xarray.Dataset]:
    """Values of the nearest cell of another grid: nearest-neighbor regridding between any cells.

    Parameters
    ----------
    source : xarray.DataArray or xarray.Dataset
        With coordinates of longitude and latitude (by CF's `standard_name` or `units`, or by their
        usual names) in degrees or radians: one-dimensional axes, two-dimensional ones of a
        curvilinear grid or swath, or one place a cell of an unstructured mesh; or a raster with x,
        y and a coordinate system, as rioxarray has it; or data of uxarray. Cells without a place
        are left out.
    target : xarray.DataArray, xarray.Dataset, (array_like, array_like) or str
        The cells that get values: such coordinates, or longitudes and latitudes in degrees, of one
        shape, or ``"healpix:LEVEL"``, ``"s2:LEVEL"`` or ``"h3:LEVEL"`` as `allocation` takes it.
    metric, ellipsoid, backend, device
        As of `GlobeTree`; the ellipsoid is by default that of the source's coordinate system, if it
        has one. Of equal distances, before they are rounded, the cell of `source` that comes first
        counts.
    max_distance : float
        Meters; cells farther away do not count. Inclusive.
    fill : optional
        As of `nearest_value`; also for target cells without a place.
    dims : sequence of str, optional
        The names of the dimensions of a pair of arrays as `target`; by default ``cell`` or
        ``y, x``.
    nearest_valid : bool
        Leave out cells of `source` that are missing (NaN or NaT), of each variable and each of its
        other dimensions (times, levels) by itself. Variables that are Dask arrays are then
        computed.
    workers, progress
        As of `GlobeTree.query`.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        The variables of `source`, with the cells of `target` as their last dimensions; variables of
        a Dataset that do not have the source's cells are unchanged. The nearest cells are computed
        once; values are taken lazily, chunk by chunk, where variables are Dask arrays.

    Examples
    --------
    >>> import numpy, xarray, gpuvoronoi
    >>> places = {"lon": ("station", [8.5, -60.0]), "lat": ("station", [47.4, -3.1])}
    >>> station = xarray.DataArray([[7.0, 20.0]], dims=("time", "station"), coords=places)
    >>> gpuvoronoi.regrid(station, ([0.0, -50.0, 20.0], [50.0, 0.0, 40.0])).values
    array([[ 7., 20.,  7.]])
    """
    xarray = package("xarray", "regrid")

    if not isinstance(source, (xarray.DataArray, xarray.Dataset)):
        raise TypeError(
            f"source must be an xarray DataArray or Dataset, not {type(source).__name__}"
        )
    start = _grid.places_of(source, "source")
    search = _pairing.Search(metric, ellipsoid, max_distance, backend, device, workers, progress)
    pair = _pairing.pairing(start, target, dims, search)
    end, nearest = pair.end, pair.nearest
    numbers = None if nearest_valid else nearest(start.lon, start.lat)
    one = isinstance(source, xarray.DataArray)
    name = source.name if one else None
    dataset = source.to_dataset(name="value") if one else source
    found = {
        key: _regridded(
            variable,
            start,
            end,
            functools.partial(_of_valid, start, nearest) if numbers is None else numbers,
            fill,
        )
        for key, variable in dataset.data_vars.items()
        if not (start.grid_mapping and key == start.grid_mapping)
    }
    kept = {
        key: value for key, value in dataset.coords.items() if not set(value.dims) & set(start.dims)
    }
    made = xarray.Dataset(found, {**kept, **end.coordinates}, dataset.attrs)
    return made["value"].rename(name) if one else made


def _regridded(
    variable: Any, start: _places.Places, end: _places.Places, numbers: Any, fill: Any
) -> Any:
    """`numbers`: the nearest cells, or the function of values, axes and fill that takes those of
    valid cells."""
    xarray = package("xarray", "regrid")

    if not set(start.dims) <= set(variable.dims):
        if set(start.dims) & set(variable.dims):
            raise ValueError(
                f"source: the variable {variable.name!r} has only some of the dimensions "
                f"{start.dims} of the cells"
            )
        return variable.variable
    value, given = fill_of(variable.dtype, fill, f"source: {variable.name!r}"), variable.variable
    work = functools.partial(
        numbers if callable(numbers) else functools.partial(_flat_take, numbers=numbers),
        axes=len(start.dims),
        fill=value,
    )
    if hasattr(
        given.data, "dask"
    ):  # cells in one chunk; the chunks of times and levels stay as they are
        given = (
            given.compute() if callable(numbers) else given.chunk({name: -1 for name in start.dims})
        )
    result = xarray.apply_ufunc(
        work,
        given,
        input_core_dims=[start.dims],
        output_core_dims=[end.dims],
        exclude_dims=set(start.dims),
        dask="parallelized",
        output_dtypes=[variable.dtype],
        keep_attrs=True,
        dask_gufunc_kwargs={"output_sizes": dict(zip(end.dims, end.shape))},
    )
    result.attrs.pop("grid_mapping", None)
    if end.grid_mapping:
        result.attrs["grid_mapping"] = end.grid_mapping
    return result


def _flat_take(values: Values, axes: int, numbers: Values, fill: Any) -> Values:
    return take(values.reshape(*values.shape[: values.ndim - axes], -1), numbers, fill)


def _of_valid(start: _places.Places, nearest: Any, values: Values, axes: int, fill: Any) -> Values:
    """Values of the nearest cells that have one, slice by slice; a search for each set of such
    cells."""
    flat = values.reshape(-1, start.lon.size)
    missing = np.isnan(flat) if values.dtype.kind in "fMm" else np.zeros(flat.shape, bool)
    sets, which = np.unique(missing, axis=0, return_inverse=True)
    made: Any = None
    for i, left_out in enumerate(sets):
        numbers = nearest(
            np.where(left_out, np.nan, start.lon), np.where(left_out, np.nan, start.lat)
        )
        made = np.empty((flat.shape[0], *numbers.shape), values.dtype) if made is None else made
        of = which.reshape(-1) == i
        made[of] = take(flat[of], numbers, fill)
    return np.asarray(made).reshape(*values.shape[: values.ndim - axes], *made.shape[1:])
