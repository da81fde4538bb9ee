"""Longitudes and latitudes of the cells of an xarray object, however it has them."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _c, _crs
from ._packages import package
from ._search import as_degrees, number_in

Floats = npt.NDArray[np.float64]

_NAMES = {
    "longitude": (
        "lon",
        "longitude",
        "nav_lon",
        "clon",
        "loncell",
        "lonvertex",
        "lonedge",
        "xlong",
        "lon_rho",
        "tlon",
        "tlong",
    ),
    "latitude": (
        "lat",
        "latitude",
        "nav_lat",
        "clat",
        "latcell",
        "latvertex",
        "latedge",
        "xlat",
        "lat_rho",
        "tlat",
    ),
}
# MPAS has no units: these are radians by convention (MPAS mesh specification).
_MPAS = {
    "longitude": ("loncell", "lonvertex", "lonedge"),
    "latitude": ("latcell", "latvertex", "latedge"),
}
_RADIANS = ("radian", "radians", "rad", "rads")
_UNITS = {
    "longitude": ("degrees_east", "degree_east", "degrees_e", "degree_e"),
    "latitude": ("degrees_north", "degree_north", "degrees_n", "degree_n"),
}


class NoPlaces(ValueError):
    """An xarray object has no longitudes and latitudes."""


@dataclasses.dataclass
class Places:
    """Positions of cells in the order of `dims`, flat, NaN where a cell has none.

    `crs`: the geographic coordinate system that they are in (None: none is known). `grid_mapping`:
    the name of the coordinate that has it."""

    lon: Floats
    lat: Floats
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    coordinates: Mapping[Any, Any]
    crs: Any = None
    grid_mapping: str = ""


@dataclasses.dataclass
class Cells:
    """Cells that are not a raster's: those of a grid system (`system`: "healpix", "s2", "h3"), or
    places (then it is "")."""

    count: int
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    system: str = ""
    level: int = -1
    ring: bool = False
    authalic: bool = False
    lon: Optional[Floats] = None  # of h3 and places
    lat: Optional[Floats] = None
    ids: Any = None  # of h3
    area: Optional[Floats] = None  # square meters, of h3 in statistics
    coordinates: Any = None  # by name; None: those of places are not known
    labeled: bool = False  # they came as an xarray object, and so do answers

    @property
    def kind(self) -> int:
        return {"healpix": _c.GRID_HEALPIX, "s2": _c.GRID_S2}.get(self.system, _c.GRID_POINTS)


_FORMS: dict[str, tuple[str, int, set[str]]] = {
    "healpix": ("healpix:LEVEL[,ring][,authalic]", _c.HEALPIX_MAX_ORDER, {"ring", "authalic"}),
    "s2": ("s2:LEVEL[,authalic]", _c.S2_MAX_LEVEL, {"authalic"}),
    "h3": ("h3:LEVEL", 15, set()),
}


def cells(given: Any) -> Cells:
    """What a user means by `cells`: a grid system with a level, as the command's --cells-of takes
    it, or places."""
    if isinstance(given, str):
        system, _, rest = given.partition(":")
        level, *words = rest.split(",")
        twice = len(set(words)) < len(words)
        if (
            system not in _FORMS
            or not level.isdigit()
            or not set(words) <= _FORMS[system][2]
            or twice
        ):
            raise ValueError(
                f"cells must be {', '.join(repr(form) for form, *_ in _FORMS.values())}, a pair "
                "(lon, lat) or an xarray "
                f"object, not {given!r}"
            )
        order = number_in(int(level), "cells: the level", 0, _FORMS[system][1])
        if system == "h3":
            return _h3(order)
        count = (12 if system == "healpix" else 6) * 4**order
        return Cells(
            count, (count,), ("cells",), system, order, "ring" in words, "authalic" in words
        )
    found = read(given, "cells")
    if found.lon.size == 0:
        raise ValueError("cells: there are none")
    return Cells(
        found.lon.size,
        found.shape,
        found.dims,
        lon=found.lon,
        lat=found.lat,
        coordinates=found.coordinates,
        labeled=hasattr(given, "dims"),
    )


def _h3_package() -> Any:
    return package("h3.api.numpy_int", "cells='h3:...'", ", version 4 or newer")


def _h3(resolution: int) -> Cells:
    h3 = _h3_package()
    base = sorted(int(cell) for cell in h3.get_res0_cells())
    ids = np.concatenate([np.sort(h3.cell_to_children(cell, resolution)) for cell in base]).astype(
        np.uint64
    )
    lat, lon = np.array([h3.cell_to_latlng(cell) for cell in ids.tolist()]).T
    return Cells(
        ids.size,
        ids.shape,
        ("cells",),
        "h3",
        resolution,
        lon=np.ascontiguousarray(lon),
        lat=np.ascontiguousarray(lat),
        ids=ids,
    )


def with_areas(of: Cells, ellipsoid: tuple[float, float]) -> Cells:
    """The same with areas, if they are known: of H3 solid angles times the ellipsoid's area by
    solid angle at the center."""
    if of.system != "h3":
        return of
    a, f = ellipsoid if ellipsoid[0] else (6378137.0, 1 / 298.257223563)
    assert of.lat is not None
    square = f * (2 - f)
    element = a**2 * (1 - square) / (1 - square * np.sin(np.radians(of.lat)) ** 2) ** 2
    h3 = _h3_package()
    return dataclasses.replace(
        of, area=element * np.array([h3.cell_area(cell, "rads^2") for cell in of.ids.tolist()])
    )


def cell_ids(of: Cells) -> npt.NDArray[Any]:
    """Ids in the cells' own system: HEALPix's numbers, 64-bit ids of S2 and H3."""
    if of.system == "h3":
        return np.asarray(of.ids)
    numbers = np.arange(of.count)
    if of.system == "s2":
        return (2 * numbers.astype(np.uint64) + np.uint64(1)) << np.uint64(2 * (30 - of.level))
    return numbers


def system_coordinates(of: Cells, crs: Any) -> dict[str, Any]:
    """The coordinate that xdggs decodes; it converts authalic latitudes of HEALPix by
    `ellipsoid`."""
    attributes = {"grid_name": of.system, "level": of.level}
    if of.system == "healpix":
        attributes["indexing_scheme"] = "ring" if of.ring else "nested"
        if of.authalic:
            attributes["ellipsoid"] = "WGS84" if crs is None else _crs.ellipsoid_name(crs)
    return {"cell_ids": ("cells", cell_ids(of), attributes)}


def read(cells: Any, argument: str, dims: Optional[Sequence[str]] = None) -> Places:
    if hasattr(cells, "uxgrid") or hasattr(cells, "face_lon"):
        if dims is not None:
            raise ValueError(f"dims: {argument} has dimensions of its own")
        return _of_mesh(cells, argument)
    if hasattr(cells, "coords") and hasattr(cells, "dims"):
        if dims is not None:
            raise ValueError(f"dims: {argument} has dimensions of its own")
        return _of_xarray(cells, argument)
    if not isinstance(cells, (tuple, list)) or len(cells) != 2:
        raise TypeError(
            f"{argument} must be an xarray object or a pair of arrays (longitudes, latitudes), not "
            f"{type(cells).__name__}"
        )
    lon, lat = as_degrees(cells[0], f"{argument}[0]"), as_degrees(cells[1], f"{argument}[1]")
    if lon.shape != lat.shape or lon.ndim == 0:
        raise ValueError(
            f"{argument}: longitudes and latitudes must be arrays of one shape, not {lon.shape} "
            f"and {lat.shape}"
        )
    names = (
        tuple(dims)
        if dims is not None
        else {1: ("cell",), 2: ("y", "x")}.get(lon.ndim, tuple(f"dim_{i}" for i in range(lon.ndim)))
    )
    if len(names) != lon.ndim:
        raise ValueError(f"dims: {len(names)} names for {lon.ndim} dimensions")
    return Places(
        lon.ravel(), lat.ravel(), names, lon.shape, {"lon": (names, lon), "lat": (names, lat)}
    )


def _of_mesh(cells: Any, argument: str) -> Places:
    """Of a grid of uxarray the centers of the faces, of its data the faces, nodes or edges that
    these are on."""
    grid, kind = getattr(cells, "uxgrid", cells), "face"
    if grid is not cells:
        kinds = [one for one in ("face", "node", "edge") if f"n_{one}" in cells.dims]
        if len(kinds) != 1:
            raise ValueError(
                f"{argument} must be on faces, nodes or edges, not {tuple(cells.dims)}"
            )
        kind = kinds[0]
    lon, lat = (
        np.asarray(getattr(grid, f"{kind}_{axis}").values, np.float64) for axis in ("lon", "lat")
    )
    dims = (f"n_{kind}",)
    return Places(
        np.ascontiguousarray(lon),
        np.ascontiguousarray(lat),
        dims,
        lon.shape,
        {"lon": (dims, lon), "lat": (dims, lat)},
    )


def _of_xarray(cells: Any, argument: str) -> Places:
    x, y = _coordinate(cells, "longitude", argument), _coordinate(cells, "latitude", argument)
    lon, lat = _degrees(x), _degrees(y)
    if x.dims == y.dims:
        dims = tuple(x.dims)
    elif lon.ndim == lat.ndim == 1:
        dims = (y.dims[0], x.dims[0])
        lat, lon = np.meshgrid(lat, lon, indexing="ij")
    else:
        raise ValueError(
            f"{argument}: {x.name!r} has the dimensions {x.dims}, {y.name!r} has {y.dims}"
        )
    if lon.ndim == 0:
        raise ValueError(f"{argument} has one place, and no dimension of cells")
    coordinates = {
        key: value
        for key, value in cells.coords.items()
        if set(value.dims) and set(value.dims) <= set(dims)
    }
    return Places(
        np.ascontiguousarray(lon).ravel(),
        np.ascontiguousarray(lat).ravel(),
        dims,
        lon.shape,
        {**coordinates, x.name: x.variable, y.name: y.variable},
    )


def _coordinate(cells: Any, what: str, argument: str) -> Any:
    """The variable that CF names `what`, or that has one of the usual names."""
    candidates = {**dict(getattr(cells, "data_vars", {})), **dict(cells.coords)}
    candidates = {
        name: v
        for name, v in candidates.items()
        if not any(part in str(name) for part in ("bounds", "bnds", "vertices"))
    }
    found_by = (
        [v for v in candidates.values() if v.attrs.get("standard_name") == what],
        [v for v in candidates.values() if str(v.attrs.get("units", "")).lower() in _UNITS[what]],
        [v for name, v in candidates.items() if str(name).lower() in _NAMES[what]],
    )
    for found in found_by:
        own = [v for v in found if str(v.name).lower() in _NAMES[what]] or found
        if len(own) > 1:  # MPAS meshes have positions of cells, vertices and edges
            own = [v for v in own if str(v.name).lower() == _MPAS[what][0]] or own
        if len(own) == 1:
            return own[0]
        if len(own) > 1:
            raise ValueError(
                f"{argument}: which is the {what}: {', '.join(str(v.name) for v in own)}? Drop the "
                "others"
            )
    raise NoPlaces(
        f"{argument} has no coordinate of {what} (by standard_name, units or name: "
        f"{', '.join(_NAMES[what])})"
    )


def _degrees(coordinate: Any) -> Floats:
    """Its values in degrees; positions of MPAS meshes without `units` are in radians."""
    values = np.asarray(coordinate.values, np.float64)
    units = str(coordinate.attrs.get("units", "")).strip().lower()
    by_convention = not units and any(
        str(coordinate.name).lower() in names for names in _MPAS.values()
    )
    if not (by_convention or units in _RADIANS):
        return values
    if (
        by_convention
        and values.size
        and np.nanmax(np.abs(values), initial=0.0) > 2.0 * np.pi + 1e-6
    ):
        raise ValueError(
            f"{coordinate.name}: missing units; MPAS meshes have radians, but values are up to "
            f"{np.nanmax(np.abs(values)):g}; set the attribute units"
        )
    return np.degrees(values)
