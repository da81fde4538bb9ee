"""Diagrams cut by polygons, with shapely's operations, by the rules of
`gpuvoronoi diagram --mask`."""

from __future__ import annotations

import math
from typing import Any, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _crs, _geometries
from ._library import context, library

_POLYGON, _PARTS = "Polygon", ("MultiPolygon", "GeometryCollection")


def read(mask: Any, crs: Any, globe: bool) -> Any:
    """All polygons of `diagram(mask=)` as one valid geometry in the coordinates of cells.

    `crs`: the system of the cells, None if there is none. `globe`: longitudes repeat after a turn.
    """
    from shapely.ops import unary_union
    from shapely.validation import make_valid

    own = getattr(mask, "crs", None) if hasattr(mask, "geometry") else None
    if own is not None and crs is None:
        raise ValueError("mask: it has a coordinate system, the seeds have none; use seeds_crs=")
    if own is not None and not _crs.same(_crs.parse(own, "mask"), crs):
        raise ValueError(
            f"mask: its coordinate system differs from that of the cells, {_crs.name(crs)}; "
            f"use to_crs() first"
        )
    polygons = [one for row in _rows(mask) for one in _polygons_of(row)]
    if not polygons:
        raise ValueError("mask: missing polygons")
    vertices = _geometries.read(polygons)
    if not (np.isfinite(vertices.x).all() and np.isfinite(vertices.y).all()):
        raise ValueError("mask: a polygon has a vertex that is not finite")
    whole = unary_union([one if one.is_valid else make_valid(one) for one in polygons])
    return _polygonal(_turned(whole, 360.0 / _crs.unit_degrees(crs)) if globe else whole)


def _rows(mask: Any) -> list[Any]:
    """shapely's geometries of all forms that a mask may have."""
    if hasattr(mask, "geometry") and hasattr(mask, "crs"):
        return [one for one in mask.geometry if one is not None]
    if isinstance(mask, (list, tuple)):
        return [one for row in mask for one in _rows(row)]
    from shapely import wkb
    from shapely.geometry import shape
    from shapely.geometry.base import BaseGeometry

    if isinstance(mask, BaseGeometry):
        return [mask]
    if isinstance(mask, (bytes, bytearray)):
        return [wkb.loads(bytes(mask))]
    found = mask if isinstance(mask, dict) else getattr(mask, "__geo_interface__", None)
    if not isinstance(found, dict):
        raise TypeError(
            f"mask must be polygons: a GeoDataFrame, a GeoSeries, geometries of shapely or with "
            f"__geo_interface__, or well-known binary, not {type(mask).__name__}"
        )
    if found.get("type") == "FeatureCollection":
        return _rows(list(found["features"]))
    if found.get("type") == "Feature":
        return [] if found.get("geometry") is None else _rows(found["geometry"])
    return [shape(found)]


def _polygons_of(geometry: Any) -> Iterator[Any]:
    if geometry.is_empty:
        return
    if geometry.geom_type == _POLYGON:
        yield geometry
    elif geometry.geom_type in _PARTS:
        for part in geometry.geoms:
            yield from _polygons_of(part)
    else:
        raise ValueError(f"mask: unsupported geometry ({geometry.geom_type}); expected polygons")


def _polygonal(geometry: Any) -> Any:
    """The polygons of a geometry as a multipolygon: without points and lines, where two polygons
    touch."""
    from shapely.geometry import MultiPolygon

    if geometry.geom_type == "MultiPolygon":
        return geometry
    parts = [geometry] if geometry.geom_type == _POLYGON else getattr(geometry, "geoms", [])
    return MultiPolygon([one for one in parts if one.geom_type == _POLYGON and not one.is_empty])


def _turned(polygons: Any, turn: float) -> Any:
    """Longitudes of any turn moved into that of the cells."""
    from shapely.affinity import translate
    from shapely.geometry import box
    from shapely.ops import unary_union

    if polygons.is_empty:
        return polygons
    most = 100  # as the command
    west, _, east, _ = polygons.bounds
    if max(abs(west), abs(east)) > most * turn:
        raise ValueError(
            f"mask: longitude of a vertex out of range ({west:g}, {east:g}); at most {most} turns "
            f"from 0 are supported"
        )
    half, quarter = 0.5 * turn, 0.25 * turn
    strips = []
    for i in range(math.floor(west / turn + 0.5), math.floor(east / turn + 0.5) + 1):
        part = polygons.intersection(box(i * turn - half, -quarter, i * turn + half, quarter))
        strips.append(translate(part, -i * turn) if i else part)
    return unary_union(strips)


def cut(
    polygons: Any, mask: Any, ellipsoid: Optional[tuple[float, float]], unit: float
) -> tuple[Any, npt.NDArray[np.float64]]:
    """The part of each polygon within the mask, and its area, also where it is the whole.

    `ellipsoid`: of longitudes and latitudes, in `unit` degrees; None for a plane.
    """
    import geopandas
    from shapely.geometry import MultiPolygon
    from shapely.prepared import prep

    ready, made = prep(mask), list(polygons)
    for i, one in enumerate(made):
        if not (one.is_empty or ready.contains(one)):
            made[i] = _polygonal(one.intersection(mask))
    area = _areas(made, ellipsoid, unit) if ellipsoid else np.array([one.area for one in made])
    for i in np.flatnonzero(area == 0.0).tolist():  # they touch
        made[i] = MultiPolygon()
    return geopandas.GeoSeries(made).values, area


def _areas(polygons: Any, ellipsoid: tuple[float, float], unit: float) -> npt.NDArray[np.float64]:
    """Square meters of polygons of lines that are straight in longitude and latitude."""
    read = _geometries.read(polygons)
    made = np.zeros(len(read.part) - 1)
    if read.x.size == 0:
        return made
    x, y = read.x * unit, read.y * unit
    vertex = np.ascontiguousarray(read.vertex, dtype=np.int64)
    ring_area = np.empty(len(vertex) - 1)
    context().call(
        library().gv_ring_areas,
        *ellipsoid,
        x.ctypes.data,
        y.ctypes.data,
        vertex.ctypes.data,
        ring_area.size,
        ring_area.ctypes.data,
    )
    holes = np.ones(ring_area.size, bool)
    holes[read.ring[:-1]] = False
    part = np.repeat(np.arange(len(read.kind)), np.diff(read.ring))
    row = np.repeat(np.arange(made.size), np.diff(read.part))
    np.add.at(made, row[part], np.where(holes, -ring_area, ring_area))
    return made
