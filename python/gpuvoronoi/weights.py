"""Weight files of regridding, in the form that ESMF, SCRIP and the programs that read their files
have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _c, _grid, _pairing, _places
from ._library import Progress, context, library
from ._options import GlobeMetric
from ._packages import package
from ._search import number_in, real

if TYPE_CHECKING:
    import xarray

Floats = npt.NDArray[np.float64]
_SIDES = (("a", "src"), ("b", "dst"))  # the letters of variables and the names of dimensions


def regrid_weights(
    source: Any,
    target: Any,
    *,
    k: int = 1,
    power: float = 2.0,
    metric: GlobeMetric = "geodesic",
    ellipsoid: Optional[tuple[float, float]] = None,
    max_distance: float = math.inf,
    dims: Optional[Sequence[str]] = None,
    backend: str = "auto",
    device: Optional[int] = None,
    workers: int = -1,
    progress: Progress = None,
) -> xarray.Dataset:
    """The weights of `regrid`, as ESMF and SCRIP write them: nearest cells, or inverse distances of
    the `k` nearest.

    Parameters
    ----------
    source, target : xarray.DataArray, xarray.Dataset, (array_like, array_like) or str
        The cells, each as the target of `regrid`: coordinates of longitude and latitude, a pair of
        arrays in degrees, or ``"healpix:LEVEL"``, ``"s2:LEVEL"`` or ``"h3:LEVEL"``. Exchange both
        for the weights of the way back.
    k : int
        How many neighbors of each cell of `target`, up to 64. With 1 the weights are 1.
    power : float
        Of the distance: weights are in proportion to ``distance ** -power`` and add up to 1. Cells
        at distance 0 share the weight.
    metric, ellipsoid, max_distance, dims, backend, device, workers, progress
        As of `regrid`.

    Returns
    -------
    xarray.Dataset
        The matrix as `row` (target) and `col` (source), from 1, and `S`, ordered by row, nearest
        first. Cells are counted in the order of their arrays, the last dimension fastest.
        `src_grid_dims` and `dst_grid_dims`: the shapes, fastest dimension first. Of the source
        (``_a``) and the target (``_b``): `xc`, `yc`, centers in degrees (0 for cells without a
        position, of which `mask` is 0); `area`, square radians, of grid systems and of axes of
        longitude and latitude (0 for others); `frac`, of the target 1 for cells that get a value.

    Examples
    --------
    >>> import gpuvoronoi
    >>> source, target = ([0.0, 90.0], [0.0, 0.0]), ([10.0, 80.0, 91.0], [0.0, 0.0, 0.0])
    >>> made = gpuvoronoi.regrid_weights(source, target)
    >>> made.row.values, made.col.values, made.S.values
    (array([1, 2, 3], dtype=int32), array([1, 2, 2], dtype=int32), array([1., 1., 1.]))
    >>> made.to_netcdf("weights.nc")  # doctest: +SKIP
    """
    xarray = package("xarray", "regrid_weights")
    count, exponent = number_in(k, "k", 1, _c.VORONOI_MAX_K), real(power, "power", 0.0)
    start = _source(source)
    search = _pairing.Search(metric, ellipsoid, max_distance, backend, device, workers, progress)
    pair = _pairing.pairing(start, target, dims, search)
    if count == 1:
        numbers = pair.nearest(start.lon, start.lat).reshape(1, -1)
        shares = np.ones(numbers.shape)
    else:
        numbers, meters = pair.neighbors(count)
        shares = _shares(meters, exponent)
    rank, row = np.nonzero(numbers.T >= 0)[::-1]
    found, integer = numbers[rank, row], _integer(numbers.shape[1], start.lon.size)
    made: dict[str, Any] = {
        "col": ("n_s", (found + 1).astype(integer)),
        "row": ("n_s", (row + 1).astype(integer)),
        "S": ("n_s", shares[rank, row]),
    }
    ends = (start, source), (_with_centers(pair), target)
    for (letter, name), (places, given) in zip(_SIDES, ends):
        made[f"{name}_grid_dims"] = (f"{name}_grid_rank", np.array(places.shape[::-1], integer))
        made.update(_cells(places, given, letter, integer))
    reached = np.bincount(row, minlength=numbers.shape[1]) > 0
    made["frac_b"] = ("n_b", reached.astype(np.float64))
    attributes: dict[str, Any] = {
        "title": "weights of gpuvoronoi",
        "normalization": "none",
        "map_method": "Nearest source to destination" if count == 1 else "Inverse distance",
        "metric": metric,
    }
    if count > 1:
        attributes.update(neighbors=count, power=exponent)
    return xarray.Dataset(made, attrs=attributes)


def _source(given: Any) -> _places.Places:
    if not isinstance(given, str):
        return _grid.places_of(given, "source")
    made = _pairing.of_system(given, None)
    made.lon, made.lat = _pairing.centers(given)
    return made


def _with_centers(pair: _pairing.Pairing) -> _places.Places:
    if pair.system:
        pair.end.lon, pair.end.lat = _pairing.centers(pair.system, pair.start.crs)
    return pair.end


def _shares(meters: Floats, power: float) -> Floats:
    """Weights of k x cells, 0 for none."""
    meters = np.ascontiguousarray(meters, dtype=np.float64)
    shares = np.empty(meters.shape)
    context().call(
        library().gv_inverse_distance_weights,
        meters.ctypes.data,
        meters.shape[1],
        meters.shape[0],
        power,
        shares.ctypes.data,
    )
    return shares


def _integer(*counts: int) -> Any:
    """The type of numbers of cells: 32 bits as ESMF's, unless there are too many."""
    return np.int32 if max(counts) <= np.iinfo(np.int32).max else np.int64


def _cells(places: _places.Places, given: Any, letter: str, integer: Any) -> dict[str, Any]:
    """The variables of the cells of one side."""
    dim = f"n_{letter}"
    there = np.isfinite(places.lon) & np.isfinite(places.lat)
    degrees = {"units": "degrees"}
    area = _pairing.solid_angles(given) if isinstance(given, str) else _areas(places)
    return {
        f"xc_{letter}": (dim, np.where(there, places.lon, 0.0), degrees),
        f"yc_{letter}": (dim, np.where(there, places.lat, 0.0), degrees),
        f"mask_{letter}": (dim, there.astype(integer), {"units": "unitless"}),
        f"area_{letter}": (dim, area, {"units": "square radians"}),
        f"frac_{letter}": (dim, there.astype(np.float64), {"units": "unitless"}),
    }


def _areas(places: _places.Places) -> Floats:
    """Of axes of longitude and latitude the areas between halfway lines; 0 for other cells, of
    which only the center is known."""
    none = np.zeros(places.lon.size)
    if len(places.shape) != 2 or min(places.shape) < 2:
        return none
    lon, lat = places.lon.reshape(places.shape), places.lat.reshape(places.shape)
    if not ((lon == lon[:1]).all() and (lat == lat[:, :1]).all()):
        return none
    columns, rows = np.ascontiguousarray(lon[0]), np.ascontiguousarray(lat[:, 0])
    widths, heights = np.empty(columns.size), np.empty(rows.size)
    context().call(
        library().gv_axis_cell_areas,
        columns.ctypes.data,
        columns.size,
        rows.ctypes.data,
        rows.size,
        widths.ctypes.data,
        heights.ctypes.data,
    )
    return np.asarray(widths * heights[:, np.newaxis]).ravel()
