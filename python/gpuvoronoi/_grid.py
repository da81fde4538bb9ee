"""The query cells: a shape and an extent, the cells of an xarray object, or the triangles of the
mesh."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _places
from ._packages import package
from ._search import number_in, real

Floats = npt.NDArray[np.float64]

_X_NAMES = ("x", "lon", "longitude", "easting", "X", "Lon", "Longitude")
_Y_NAMES = ("y", "lat", "latitude", "northing", "Y", "Lat", "Latitude")
_LONLAT_NAMES = ("lon", "longitude", "Lon", "Longitude")


class Irregular(ValueError):
    """Coordinates that are not those of a raster: two-dimensional, or not evenly spaced."""


@dataclasses.dataclass(frozen=True)
class Grid:
    """A grid of cells, in its own coordinates. `crs` None: longitude and latitude on WGS 84, or a
    plane without one.

    Cells of grid systems are defined by longitudes from Greenwich: `globe` is the geographic system
    with another meridian to which seeds are carried then, and `east` is added to their longitudes.
    `given`: the system of positions without one, if it is not `crs`."""

    rows: int
    columns: int
    transform: tuple[float, float, float, float, float, float]
    crs: Any = None
    level: int = _c.QTM_NONE
    mesh: bool = False  # the triangles themselves, or other cells, in one row
    cells: Optional[_places.Cells] = (
        None  # HEALPix pixels or places; None: triangles, or a raster's cells
    )
    y_name: str = "y"
    x_name: str = "x"
    lonlat_names: bool = False
    coordinates: Any = None  # those of `like`, by name
    chunks: Optional[tuple[tuple[int, ...], tuple[int, ...]]] = None
    globe: Any = None
    east: float = 0.0
    given: Any = None

    def x(self) -> Floats:
        g = self.transform
        return (g[0] + (np.arange(self.columns) + 0.5) * g[1]) + 0.5 * g[2]

    def y(self) -> Floats:
        g = self.transform
        return (g[3] + 0.5 * g[4]) + (np.arange(self.rows) + 0.5) * g[5]

    @property
    def shape(self) -> tuple[int, ...]:
        if self.cells is not None:
            return self.cells.shape
        return (self.columns,) if self.mesh else (self.rows, self.columns)

    @property
    def dims(self) -> tuple[str, ...]:
        if self.cells is not None:
            return self.cells.dims
        return ("cell",) if self.mesh else (self.y_name, self.x_name)

    def lattice(self) -> tuple[Floats, Floats]:
        """33 x 33 positions all over the grid."""
        g = self.transform
        i, j = np.meshgrid(np.arange(33), np.arange(33))
        column, row = 0.5 + (self.columns - 1.0) * i / 32, 0.5 + (self.rows - 1.0) * j / 32
        return (g[0] + column * g[1] + row * g[2]).ravel(), (
            g[3] + column * g[4] + row * g[5]
        ).ravel()

    @property
    def cell(self) -> float:
        g = self.transform
        return max(math.hypot(g[1], g[4]), math.hypot(g[2], g[5]))


def _of_cells(cells: Optional[_places.Cells], level: int, given: Any, seeds_crs: Any) -> Grid:
    """Cells of a grid system, or places: those of a system that was not given for them are counted
    from Greenwich, in degrees."""
    crs = given if given is not None else seeds_crs
    count, transform = (
        cells.count if cells is not None else 8 * 4**level,
        (0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    )
    own = cells is not None and not cells.system and given is not None and _crs.is_lonlat(given)
    if (
        own
        and cells is not None
        and cells.lon is not None
        and cells.lat is not None
        and not _crs.is_degrees(given)
    ):
        cells = dataclasses.replace(
            cells,
            lon=cells.lon * _crs.unit_degrees(given),
            lat=cells.lat * _crs.unit_degrees(given),
        )
    made = Grid(
        1,
        count,
        transform,
        crs,
        mesh=True,
        cells=cells,
        coordinates=None if cells is None else cells.coordinates,
    )
    return made if own else _from_greenwich(made, True)


def _from_greenwich(grid: Grid, label: bool) -> Grid:
    """The same with seeds counted from Greenwich; `label`: its system becomes the longitudes and
    latitudes that it is based on."""
    if grid.crs is None or not (grid.crs.is_geographic or grid.crs.is_projected):
        return grid
    base = _crs.base(grid.crs, "crs")
    turned, east = _crs.from_greenwich(base)
    return dataclasses.replace(
        grid,
        crs=turned if label else grid.crs,
        given=grid.crs if label else None,
        globe=base if east else None,
        east=east,
    )


def of_arguments(
    like: Any,
    shape: Any,
    extent: Any,
    level: Any,
    crs: Any,
    x: Optional[str],
    y: Optional[str],
    seeds_crs: Any,
    cells: Any = None,
    transform: Any = None,
) -> Grid:
    """The grid that a user means by these arguments."""
    wanted = _c.QTM_NONE if level is None else number_in(level, "level", 0, _c.QTM_MAX_GRID_LEVEL)
    given = None if crs is None else _crs.parse(crs, "crs")
    if transform is not None and (shape is None or extent is not None):
        raise ValueError("transform needs shape, and stands in place of extent")
    if cells is not None:
        if like is not None or shape is not None or extent is not None or level is not None:
            raise ValueError("cells stands alone: it has no like, shape, extent or level")
        return _of_cells(_places.cells(cells), wanted, given, seeds_crs)
    if like is not None:
        if shape is not None or extent is not None:
            raise ValueError("like stands alone: it has a shape and an extent of its own")
        try:
            made = _of_like(like, x, y, given)
        except Irregular as error:
            return _of_irregular(like, given, level, seeds_crs, error)
    elif shape is not None:
        made = _of_shape(shape, extent, given if given is not None else seeds_crs, transform)
    elif level is not None:
        if extent is not None:
            raise ValueError("extent needs shape")
        made = _of_cells(None, wanted, given, seeds_crs)
    else:
        raise ValueError("no grid given: pass like=, shape=, level= or cells=")
    made = dataclasses.replace(made, level=wanted)
    return made if level is None or made.mesh else _from_greenwich(made, False)


def _of_irregular(like: Any, given: Any, level: Any, seeds_crs: Any, error: Irregular) -> Grid:
    """Cells with longitudes and latitudes that are not a raster, for example a curvilinear or
    Gaussian grid."""
    crs = given if given is not None else _crs_of(like, _grid_mapping(like))
    if level is not None or (crs is not None and not crs.is_geographic):
        raise error
    try:
        found = _places.cells(like)
    except ValueError:
        raise error from None
    base = seeds_crs if crs is None and seeds_crs is not None and seeds_crs.is_geographic else None
    return _of_cells(found, _c.QTM_NONE, crs, base)


def corners(extent: Any) -> tuple[float, float, float, float]:
    """An extent, checked."""
    try:
        xmin, ymin, xmax, ymax = extent
    except (TypeError, ValueError):
        raise TypeError("extent must be (xmin, ymin, xmax, ymax)") from None
    xmin, ymin, xmax, ymax = (real(n, "extent") for n in (xmin, ymin, xmax, ymax))
    if not (
        xmin < xmax and ymin < ymax and math.isfinite(xmax - xmin) and math.isfinite(ymax - ymin)
    ):
        raise ValueError(
            "extent must be (xmin, ymin, xmax, ymax) with xmin < xmax and ymin < ymax, not "
            f"{tuple(extent)}"
        )
    return xmin, ymin, xmax, ymax


def rows_and_columns(shape: Any) -> tuple[int, int]:
    """Of an argument `shape`."""
    try:
        rows, columns = shape
    except (TypeError, ValueError):
        raise TypeError("shape must be a pair: rows, columns") from None
    return number_in(rows, "shape", 1, 2**40), number_in(columns, "shape", 1, 2**40)


def _of_shape(shape: Any, extent: Any, crs: Any, transform: Any) -> Grid:
    rows, columns = rows_and_columns(shape)
    if transform is not None:
        numbers = tuple(real(number, "transform", -math.inf) for number in transform)
        if (
            len(numbers) != 6
            or not all(map(math.isfinite, numbers))
            or numbers[1] <= 0
            or numbers[2] != 0
            or numbers[4] != 0
            or numbers[5] >= 0
        ):
            raise ValueError(
                "transform must be (xmin, width of a cell, 0, ymax, 0, minus its height), GDAL's "
                "geotransform"
            )
        return Grid(rows, columns, (numbers[0], numbers[1], 0.0, numbers[3], 0.0, numbers[5]), crs)
    if extent is None:
        if crs is not None and not _crs.is_lonlat(crs):
            raise ValueError(
                "extent is needed: (xmin, ymin, xmax, ymax) in the grid's coordinate system"
            )
        unit = 1.0 if crs is None else _crs.unit_degrees(crs)
        extent = (-180.0 / unit, -90.0 / unit, 180.0 / unit, 90.0 / unit)
    xmin, ymin, xmax, ymax = corners(extent)
    return Grid(
        rows, columns, (xmin, (xmax - xmin) / columns, 0.0, ymax, 0.0, -((ymax - ymin) / rows)), crs
    )


def places_of(cells: Any, argument: str, dims: Optional[Sequence[str]] = None) -> _places.Places:
    """Longitudes and latitudes as `_places.read` finds them, or of a raster by its coordinate
    system (as rioxarray writes it)."""
    try:
        return _places.read(cells, argument, dims)
    except _places.NoPlaces:
        crs = _crs_of(cells, _grid_mapping(cells))
        if crs is None:
            raise
    y_name, x_name = names_of(cells, None, None)
    if x_name not in cells.coords or y_name not in cells.coords:
        raise ValueError(f"{argument}: missing coordinates {y_name!r} and {x_name!r}") from None
    x, y = (np.asarray(cells.coords[name].values, np.float64) for name in (x_name, y_name))
    columns, rows = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(x, y))
    base, _ = _crs.from_greenwich(_crs.base(crs, argument))
    if not _crs.same(crs, base):
        columns, rows = _crs.Operation(crs, base)(columns, rows)
        lost = ~np.isfinite(columns)
        columns, rows = np.where(lost, np.nan, columns), np.where(lost, np.nan, rows)
    mapping = _mapping_name(cells) or "spatial_ref"
    coordinates = {name: cells.coords[name] for name in (y_name, x_name)}
    reference = (
        cells[mapping].variable
        if mapping in cells.coords or mapping in getattr(cells, "data_vars", ())
        else None
    )
    return _places.Places(
        columns,
        rows,
        (y_name, x_name),
        (y.size, x.size),
        coordinates if reference is None else {**coordinates, mapping: reference},
        base,
        "" if reference is None else mapping,
    )


def _name_of(like: Any, given: Optional[str], candidates: Sequence[str], argument: str) -> str:
    if given is not None:
        if given not in like.dims:
            raise ValueError(
                f"{argument}: like has no dimension {given!r}, only {tuple(like.dims)}"
            )
        return given
    for candidate in candidates:
        if candidate in like.dims:
            return candidate
    raise Irregular(
        f"like: which of the dimensions {tuple(like.dims)} is {argument}? Give {argument}="
    )


def names_of(raster: Any, x: Optional[str], y: Optional[str]) -> tuple[str, str]:
    """Its dimensions y and x."""
    return _name_of(raster, y, _Y_NAMES, "y"), _name_of(raster, x, _X_NAMES, "x")


def _of_like(like: Any, x: Optional[str], y: Optional[str], given: Any) -> Grid:
    if not hasattr(like, "dims") or not hasattr(like, "coords"):
        raise TypeError(
            f"like must be an xarray DataArray or Dataset, not {type(like).__name__}; for plain "
            "arrays give shape "
            f"and extent"
        )
    x_name, y_name = _name_of(like, x, _X_NAMES, "x"), _name_of(like, y, _Y_NAMES, "y")
    rows, columns = int(like.sizes[y_name]), int(like.sizes[x_name])
    if rows == 0 or columns == 0:
        raise ValueError(f"like has no cells: {rows} x {columns}")
    mapping = _grid_mapping(like)
    crs = given if given is not None else _crs_of(like, mapping)
    transform = _transform_of(like, mapping, x_name, y_name, rows, columns)
    units = like.coords[x_name].attrs.get("units", "") if x_name in like.coords else ""
    chunks = None
    sizes = getattr(like, "chunksizes", {}) or {}
    if y_name in sizes or x_name in sizes:
        chunks = (tuple(sizes.get(y_name, (rows,))), tuple(sizes.get(x_name, (columns,))))
    return Grid(
        rows,
        columns,
        transform,
        crs,
        y_name=y_name,
        x_name=x_name,
        chunks=chunks,
        lonlat_names=x_name in _LONLAT_NAMES or str(units).startswith("degree"),
        coordinates={name: like.coords[name] for name in (y_name, x_name) if name in like.coords},
    )


def _mapping_name(like: Any) -> str:
    """The variable that CF's grid_mapping names; nothing if there is none."""
    of = list(like.data_vars.values()) if hasattr(like, "data_vars") else [like]
    names = [
        found
        for one in [like, *of]
        for found in (one.attrs.get("grid_mapping"), one.encoding.get("grid_mapping"))
        if found
    ]
    for found in [*names, "spatial_ref", "crs"]:
        if found in like.coords or (hasattr(like, "data_vars") and found in like.data_vars):
            return str(found)
    return ""


def _grid_mapping(like: Any) -> Any:
    """The attributes of that variable."""
    name = _mapping_name(like)
    return like[name].attrs if name else {}


def _crs_of(like: Any, mapping: Any) -> Any:
    for text in (mapping.get("crs_wkt"), mapping.get("spatial_ref"), like.attrs.get("crs")):
        if text:
            return _crs.parse(text, "like")
    if mapping.get("grid_mapping_name"):
        made = package("pyproj", "like with a grid mapping").CRS.from_cf(dict(mapping))
        return _crs.parse(made, "like")
    return None


def _transform_of(
    like: Any, mapping: Any, x_name: str, y_name: str, rows: int, columns: int
) -> tuple[float, float, float, float, float, float]:
    """The geotransform of `like`: the one it carries, unless coordinates say that it was cut out of
    a larger one since."""
    text = mapping.get("GeoTransform")
    carried = tuple(float(n) for n in str(text).split()) if text else None
    if carried is not None and len(carried) != 6:
        raise ValueError(f"like: its GeoTransform {text!r} has not six numbers")
    steps = {}
    for name, count, at, step in ((x_name, columns, 0, 1), (y_name, rows, 3, 5)):
        given = carried[step] if carried is not None else None
        values = np.asarray(like.coords[name].values) if name in like.coords else None
        if values is None:
            if carried is None:
                raise Irregular(f"like: missing coordinate {name!r}, or a GeoTransform")
            steps[name] = (carried[at], carried[step])
        else:
            steps[name] = _step(values, name, given)
    (x0, dx), (y0, dy) = steps[x_name], steps[y_name]
    if carried is not None and carried[2] == carried[4] == 0.0:
        first = math.isclose(carried[0], x0, abs_tol=1e-6 * abs(dx)) and math.isclose(
            carried[3], y0, abs_tol=1e-6 * abs(dy)
        )
        if (
            first
            and math.isclose(carried[1], dx, rel_tol=1e-6 / columns)
            and math.isclose(carried[5], dy, rel_tol=1e-6 / rows)
        ):
            return carried[0], carried[1], 0.0, carried[3], 0.0, carried[5]
    elif carried is not None and x_name not in like.coords and y_name not in like.coords:
        return carried[0], carried[1], carried[2], carried[3], carried[4], carried[5]
    return x0, dx, 0.0, y0, 0.0, dy


def _step(values: npt.NDArray[Any], name: str, given: Optional[float]) -> tuple[float, float]:
    """Where a dimension begins, and its step, from evenly spaced coordinates of centers."""
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise Irregular(f"like: the coordinate {name!r} must be one-dimensional numbers")
    centers = values.astype(np.float64)
    if not np.isfinite(centers).all():
        raise ValueError(f"like: the coordinate {name!r} has values that are not finite")
    if centers.size == 1:
        if given is None:
            raise Irregular(
                f"like: one cell along {name!r} says nothing of its size; give shape and extent"
            )
        step = given
    else:
        step = (centers[-1] - centers[0]) / (centers.size - 1)
    even = centers[0] + step * np.arange(centers.size)
    # Coordinates may have been stored as float32.
    rounding = 1.2e-7 if values.dtype == np.float32 else 2.3e-16
    noise = 4 * rounding * float(np.abs(centers).max())
    if step == 0 or float(np.abs(even - centers).max()) > max(1e-6 * abs(step), noise):
        raise Irregular(f"like: the coordinate {name!r} is not evenly spaced")
    return float(centers[0] - 0.5 * step), float(step)
