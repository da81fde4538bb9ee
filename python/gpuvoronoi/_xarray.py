"""Answers as xarray objects, described as CF and rioxarray do."""

from __future__ import annotations

import functools
from typing import Any, Mapping

import numpy as np

from . import _c, _crs, _places
from ._packages import package
from ._grid import Grid

_LONG_NAMES = {
    "allocation": "nearest seed",
    "proximity": "distance to the nearest seed",
    "direction": "direction to the nearest seed, clockwise from north",
    "cost_allocation": "nearest seed by travel cost",
    "cost_distance": "travel cost to the nearest seed",
}
_WGS84 = {
    "grid_mapping_name": "latitude_longitude",
    "semi_major_axis": 6378137.0,
    "inverse_flattening": 298.257223563,
    "longitude_of_prime_meridian": 0.0,
}


def dataset(request: Any, found: Mapping[str, tuple[Any, Any]]) -> Any:
    """k x rows x columns arrays and what they hold for no seed, as a Dataset."""
    xarray = package("xarray", "like")

    grid: Grid = request.grid
    dims = (("rank",) if request.k > 1 else ()) + grid.dims
    coordinates = _coordinates(request)
    variables = {}
    for name, (values, nodata) in found.items():
        values = request.squeezed(values)
        attributes: dict[str, Any] = {
            "long_name": _LONG_NAMES[name],
            "_FillValue": np.asarray(nodata, values.dtype)[()],
        }
        if "spatial_ref" in coordinates:
            attributes["grid_mapping"] = "spatial_ref"
        if name == "proximity":
            units = "m" if request.metric in _c.GLOBE_METRICS else _unit(grid)
            attributes.update({"units": units} if units else {}, metric=request.metric)
        elif name == "cost_distance":  # friction has no unit
            attributes["metric"] = request.metric
        elif name == "direction":
            attributes["units"] = "degree"
        else:
            attributes["metric"] = request.metric
        variables[name] = xarray.Variable(dims, values, attributes)
    return xarray.Dataset(variables, coordinates)


def values(
    request: Any, found: Mapping[str, Any], fills: Mapping[str, Any], given: Mapping[str, Any]
) -> Any:
    """Values of the nearest seeds; `given`: what they come from, the last dimension of which is the
    seeds'."""
    xarray = package("xarray", "like")

    cells = (("rank",) if request.k > 1 else ()) + request.grid.dims
    coordinates = _coordinates(request)
    variables = {}
    for name, array in found.items():
        leading = array.ndim - len(cells)
        names = tuple(getattr(given[name], "dims", ()))[:leading] or tuple(
            f"dim_{i}" for i in range(leading)
        )
        own = dict(getattr(given[name], "coords", {})) if hasattr(given[name], "dims") else {}
        coordinates.update(
            {key: one for key, one in own.items() if one.dims and set(one.dims) <= set(names)}
        )
        attributes: dict[str, Any] = {"long_name": f"{name} of the nearest seed"}
        if array.dtype.kind not in "Mm":
            attributes["_FillValue"] = fills[name]
        if "spatial_ref" in coordinates:
            attributes["grid_mapping"] = "spatial_ref"
        variables[name] = xarray.Variable(names + cells, array, attributes)
    return xarray.Dataset(variables, coordinates)


def _unit(grid: Grid) -> str:
    if grid.crs is None or not grid.crs.axis_info:
        return ""
    name = grid.crs.axis_info[0].unit_name
    return {"metre": "m"}.get(name, str(name))


def _coordinates(request: Any) -> dict[str, Any]:
    grid: Grid = request.grid
    made: dict[str, Any] = {"rank": ("rank", np.arange(1, request.k + 1))} if request.k > 1 else {}
    if grid.cells is not None and grid.cells.system:
        made.update(_places.system_coordinates(grid.cells, grid.crs))
    elif grid.coordinates is not None:
        made.update(grid.coordinates)
    elif not grid.mesh:
        made[grid.y_name] = (grid.y_name, grid.y(), _axis(grid, request.metric, "y"))
        made[grid.x_name] = (grid.x_name, grid.x(), _axis(grid, request.metric, "x"))
    reference = _reference(grid, request.metric)
    if reference is not None:
        made["spatial_ref"] = ((), np.int64(0), reference)
    return made


def _axis(grid: Grid, metric: str, axis: str) -> dict[str, str]:
    """CF's attributes of a coordinate."""
    if grid.crs is None and metric not in _c.GLOBE_METRICS:
        return {"axis": axis.upper()}
    if grid.crs is None or _crs.is_degrees(grid.crs):
        name, unit = {"x": ("longitude", "degrees_east"), "y": ("latitude", "degrees_north")}[axis]
        return {"axis": axis.upper(), "standard_name": name, "long_name": name, "units": unit}
    unit = _unit(grid)
    name = (
        {"x": "longitude", "y": "latitude"}[axis]
        if _crs.is_lonlat(grid.crs)
        else f"projection_{axis}_coordinate"
    )
    return {"axis": axis.upper(), "standard_name": name, **({"units": unit} if unit else {})}


def _reference(grid: Grid, metric: str) -> Any:
    """The attributes of `spatial_ref`; None for a plane without a coordinate system."""
    if grid.crs is None and metric not in _c.GLOBE_METRICS:
        return None
    attributes = _described(grid.crs) if grid.crs is not None else dict(_default())
    if not grid.mesh:
        attributes["GeoTransform"] = " ".join(repr(float(n)) for n in grid.transform)
    return attributes


def _described(crs: Any) -> dict[str, Any]:
    attributes = dict(crs.to_cf())
    attributes["spatial_ref"] = attributes.get("crs_wkt", crs.to_wkt())
    return attributes


@functools.lru_cache(maxsize=1)
def _default() -> dict[str, Any]:
    """Of longitudes and latitudes on WGS 84: pyproj takes a millisecond to describe it."""
    try:
        return _described(_crs.parse("OGC:CRS84", "crs"))
    except ImportError:
        return _WGS84
