"""Longitudes and latitudes of the cells of an xarray object, however it has them."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _c
from ._search import as_degrees, number_in

Floats = npt.NDArray[np.float64]

_NAMES = {"longitude": ("lon", "longitude", "nav_lon", "clon", "loncell", "xlong", "lon_rho", "tlon", "tlong"),
          "latitude": ("lat", "latitude", "nav_lat", "clat", "latcell", "xlat", "lat_rho", "tlat")}
_UNITS = {"longitude": ("degrees_east", "degree_east", "degrees_e", "degree_e"),
          "latitude": ("degrees_north", "degree_north", "degrees_n", "degree_n")}


@dataclasses.dataclass
class Places:
    """Positions of cells in the order of `dims`, flat, NaN where a cell has none."""

    lon: Floats
    lat: Floats
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    coordinates: Mapping[Any, Any]


@dataclasses.dataclass
class Cells:
    """Cells that are no raster's: the pixels of a HEALPix order, or places (then `order` is -1)."""

    count: int
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    order: int = -1
    ring: bool = False
    authalic: bool = False
    lon: Optional[Floats] = None
    lat: Optional[Floats] = None
    coordinates: Any = None  # by name; None: those of places are not known
    labelled: bool = False  # they came as an xarray object, and so do answers


def cells(given: Any) -> Cells:
    """What a user means by `cells`: "healpix:LEVEL[,ring][,authalic]", or places."""
    if isinstance(given, str):
        kind, _, rest = given.partition(":")
        level, *words = rest.split(",")
        if kind in ("h3", "s2"):
            raise ValueError(f"cells: {kind} is not supported: give the centres of its cells, e.g. by the package "
                             f"{'h3' if kind == 'h3' else 's2sphere'}, as (lon, lat)")
        if kind != "healpix" or not level.isdigit() or not set(words) <= {"ring", "authalic"}:
            raise ValueError(f"cells must be 'healpix:LEVEL[,ring][,authalic]', a pair (lon, lat) or an xarray object, not {given!r}")
        order = number_in(int(level), "cells: the level", 0, _c.HEALPIX_MAX_ORDER)
        count = 12 * 4**order
        return Cells(count, (count,), ("cells",), order, "ring" in words, "authalic" in words, coordinates=None)
    found = read(given, "cells")
    if found.lon.size == 0:
        raise ValueError("cells: there are none")
    return Cells(found.lon.size, found.shape, found.dims, lon=found.lon, lat=found.lat, coordinates=found.coordinates,
                 labelled=hasattr(given, "dims"))


def healpix_coordinates(of: Cells) -> dict[str, Any]:
    """The coordinate that xdggs decodes."""
    attributes = {"grid_name": "healpix", "level": of.order, "indexing_scheme": "ring" if of.ring else "nested"}
    return {"cell_ids": ("cells", np.arange(of.count), attributes)}


def read(cells: Any, argument: str, dims: Optional[Sequence[str]] = None) -> Places:
    if hasattr(cells, "coords") and hasattr(cells, "dims"):
        if dims is not None:
            raise ValueError(f"dims: {argument} has dimensions of its own")
        return _of_xarray(cells, argument)
    if not isinstance(cells, (tuple, list)) or len(cells) != 2:
        raise TypeError(f"{argument} must be an xarray object or a pair of arrays (longitudes, latitudes), not {type(cells).__name__}")
    lon, lat = as_degrees(cells[0], f"{argument}[0]"), as_degrees(cells[1], f"{argument}[1]")
    if lon.shape != lat.shape or lon.ndim == 0:
        raise ValueError(f"{argument}: longitudes and latitudes must be arrays of one shape, not {lon.shape} and {lat.shape}")
    names = tuple(dims) if dims is not None else {1: ("cell",), 2: ("y", "x")}.get(lon.ndim, tuple(f"dim_{i}" for i in range(lon.ndim)))
    if len(names) != lon.ndim:
        raise ValueError(f"dims: {len(names)} names for {lon.ndim} dimensions")
    return Places(lon.ravel(), lat.ravel(), names, lon.shape, {"lon": (names, lon), "lat": (names, lat)})


def _of_xarray(cells: Any, argument: str) -> Places:
    x, y = _coordinate(cells, "longitude", argument), _coordinate(cells, "latitude", argument)
    lon, lat = _degrees(x), _degrees(y)
    if x.dims == y.dims:
        dims = tuple(x.dims)
    elif lon.ndim == lat.ndim == 1:
        dims = (y.dims[0], x.dims[0])
        lat, lon = np.meshgrid(lat, lon, indexing="ij")
    else:
        raise ValueError(f"{argument}: {x.name!r} has the dimensions {x.dims}, {y.name!r} has {y.dims}")
    if lon.ndim == 0:
        raise ValueError(f"{argument} has one place, and no dimension of cells")
    coordinates = {key: value for key, value in cells.coords.items() if set(value.dims) and set(value.dims) <= set(dims)}
    return Places(np.ascontiguousarray(lon).ravel(), np.ascontiguousarray(lat).ravel(), dims, lon.shape,
                  {**coordinates, x.name: x.variable, y.name: y.variable})


def _coordinate(cells: Any, what: str, argument: str) -> Any:
    """The variable that CF names `what`, or that has one of the usual names."""
    candidates = {**dict(getattr(cells, "data_vars", {})), **dict(cells.coords)}
    candidates = {name: v for name, v in candidates.items() if not any(part in str(name) for part in ("bounds", "bnds", "vertices"))}
    found_by = ([v for v in candidates.values() if v.attrs.get("standard_name") == what],
                [v for v in candidates.values() if str(v.attrs.get("units", "")).lower() in _UNITS[what]],
                [v for name, v in candidates.items() if str(name).lower() in _NAMES[what]])
    for found in found_by:
        own = [v for v in found if str(v.name).lower() in _NAMES[what]] or found
        if len(own) == 1:
            return own[0]
        if len(own) > 1:
            raise ValueError(f"{argument}: which is the {what}: {', '.join(str(v.name) for v in own)}? Drop the others")
    raise ValueError(f"{argument} has no coordinate of {what} (by standard_name, units or name: {', '.join(_NAMES[what])})")


def _degrees(coordinate: Any) -> Floats:
    values = np.asarray(coordinate.values, np.float64)
    return np.degrees(values) if str(coordinate.attrs.get("units", "")).lower() in ("radian", "radians", "rad") else values
