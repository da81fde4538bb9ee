"""Geometries as the library's arrays: features have parts, parts rings, rings vertices.

shapely's are taken by its functions of whole arrays (shapely 2) or as well-known binary (before),
others as GeoJSON.
"""

from __future__ import annotations

import struct
import sys
from typing import Any, Callable, Iterable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

_POINTS, _LINE, _POLYGON = range(3)
EDGES = ("straight", "geodesic")
_COLLECTION = 7  # of shapely and of well-known binary


class Arrays(NamedTuple):
    """``gv_features``: part (features + 1), ring (parts + 1) and vertex (rings + 1) are offsets,
    kind is of parts, x and y of vertices."""

    part: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    ring: npt.NDArray[np.int64]
    vertex: npt.NDArray[np.int64]
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]

    def without_others(self, good: npt.NDArray[np.intp]) -> Arrays:
        """Features that have other vertices than `good` have no parts."""
        row = np.repeat(np.arange(len(self.part) - 1), np.diff(self.part))  # of parts
        part_of_ring = np.repeat(np.arange(len(self.kind)), np.diff(self.ring))
        part_of_vertex = np.repeat(part_of_ring, np.diff(self.vertex))
        bad = np.delete(np.arange(len(self.x)), good)
        parts = ~np.isin(row, row[part_of_vertex[bad]])
        rings, places = parts[part_of_ring], parts[part_of_vertex]
        return Arrays(
            _offsets(np.bincount(row[parts], minlength=len(self.part) - 1)),
            self.kind[parts],
            _offsets(np.diff(self.ring)[parts]),
            _offsets(np.diff(self.vertex)[rings]),
            self.x[places],
            self.y[places],
        )

    def rows(self, rows: npt.NDArray[np.intp]) -> Arrays:
        """Some features, in this order."""
        parts = _ranges(self.part, rows)
        rings = _ranges(self.ring, parts)
        places = _ranges(self.vertex, rings)
        return Arrays(
            _offsets(np.diff(self.part)[rows]),
            self.kind[parts],
            _offsets(np.diff(self.ring)[parts]),
            _offsets(np.diff(self.vertex)[rings]),
            self.x[places],
            self.y[places],
        )


def _ranges(offsets: npt.NDArray[np.int64], chosen: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """offsets[i] ... offsets[i + 1] - 1 of each chosen i, one after the other."""
    counts = np.diff(offsets)[chosen]
    starts: npt.NDArray[np.intp] = np.repeat(offsets[chosen] - np.cumsum(counts) + counts, counts)
    return starts + np.arange(int(counts.sum()), dtype=np.intp)


def of_points(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Arrays:
    """A feature of one point for each place."""
    each = np.arange(x.size + 1, dtype=np.int64)
    return Arrays(
        each,
        np.full(x.size, _POINTS, dtype=np.uint8),
        each,
        each,
        np.ascontiguousarray(x),
        np.ascontiguousarray(y),
    )


def read(geometries: Any) -> Arrays:
    """Of a sequence of shapely's geometries, of what has ``__geo_interface__``, of GeoJSON's as
    dicts, of well-known binary, and of None.

    Raises
    ------
    TypeError
        A row is not a geometry, or of a type without points, lines and polygons.
    ValueError
        Coordinates are not pairs of numbers.
    """
    shapely = _vectorised()
    if shapely is not None:
        rows = np.empty(len(geometries), dtype=object)
        rows[:] = geometries.to_numpy() if hasattr(geometries, "to_numpy") else list(geometries)
        if np.all(shapely.is_geometry(rows) | shapely.is_missing(rows)):
            return _of_shapely(shapely, rows)
    made = _Parts()
    for row, geometry in enumerate(geometries):
        if geometry is not None:
            made.add(geometry, row)
        made.part.append(len(made.kind))
    return made.arrays()


def _vectorised() -> Any:
    """shapely 2, if it is loaded: its functions take arrays."""
    shapely = sys.modules.get("shapely")
    return shapely if shapely is not None and hasattr(shapely, "get_parts") else None


def _writer() -> Callable[[Any], bytes]:
    """From a geometry to well-known binary: shapely 1's writer, of two dimensions, takes half the
    time of the attribute `wkb`."""
    try:
        from shapely.geos import WKBWriter, lgeos
    except ImportError:
        return lambda geometry: bytes(geometry.wkb)
    write: Callable[[Any], bytes] = WKBWriter(lgeos, output_dimension=2).write
    return write


def points(
    geometries: Any,
) -> Optional[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]]:
    """Of a GeoSeries: x, y, and where the geometry is missing or empty (x and y are NaN). None if a
    row is not a point, and with shapely 2, where GeoSeries has all that at once."""
    if _vectorised() is not None:
        return None
    write, size = _writer(), 21
    rows = geometries.to_numpy()
    there = np.array([row is not None for row in rows], dtype=bool)
    written = [write(row) for row in rows[there]]
    if any(len(one) != size for one in written):
        return None
    binary = np.frombuffer(b"".join(written), np.uint8).reshape(-1, size)
    if (binary[:, 1:5].copy().view(np.uint32) != 1).any():
        return None
    places = np.full((len(rows), 2), np.nan)
    places[there] = binary[:, 5:].copy().view(np.float64)
    missing = ~there
    for row in np.flatnonzero(there & np.isnan(places).all(axis=1)):
        missing[row] = rows[row].is_empty
    return np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1]), missing


def _offsets(counts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)))


def _of_shapely(shapely: Any, rows: npt.NDArray[Any]) -> Arrays:
    """Of an array of shapely 2."""
    parts, row = rows, np.arange(len(rows))
    several = (
        5,
        6,
        _COLLECTION,
    )  # MultiLineString, MultiPolygon; the points of a MultiPoint are one part
    while np.isin(shapely.get_type_id(parts), several).any():
        whole = ~np.isin(shapely.get_type_id(parts), several)
        taken, at = shapely.get_parts(parts[~whole], return_index=True)
        order = np.argsort(
            np.concatenate((np.flatnonzero(whole), np.flatnonzero(~whole)[at])), kind="stable"
        )
        row = np.concatenate((row[whole], row[~whole][at]))[order]
        parts = np.concatenate((parts[whole], taken))[order]
    some = ~(shapely.is_missing(parts) | shapely.is_empty(parts))
    parts, row = parts[some], row[some]
    kind = np.array([_POINTS, _LINE, _LINE, _POLYGON, _POINTS], dtype=np.uint8)[
        shapely.get_type_id(parts)
    ]
    polygons = kind == _POLYGON
    ring = _offsets(np.where(polygons, 1 + shapely.get_num_interior_rings(parts), 1))
    rings = np.empty(ring[-1], dtype=object)
    of_polygon = np.repeat(polygons, np.diff(ring))
    rings[~of_polygon] = parts[~polygons]
    rings[of_polygon] = shapely.get_rings(parts[polygons])
    places = shapely.get_coordinates(rings)
    return Arrays(
        _offsets(np.bincount(row, minlength=len(rows))),
        kind,
        ring,
        _offsets(shapely.get_num_coordinates(rings)),
        np.ascontiguousarray(places[:, 0]),
        np.ascontiguousarray(places[:, 1]),
    )


class _Parts:
    """Geometries that are read one by one."""

    def __init__(self) -> None:
        self.part, self.ring, self.vertex = [0], [0], [0]
        self.kind: list[int] = []
        self.places: list[npt.NDArray[np.float64]] = []
        self.write: Optional[Callable[[Any], bytes]] = None

    def add(self, geometry: Any, row: int) -> None:
        if isinstance(geometry, bytes):
            self.add_binary(geometry, 0)
            return
        if "shapely" in type(geometry).__module__ and hasattr(type(geometry), "wkb"):
            self.write = self.write or _writer()
            self.add_binary(self.write(geometry), 0)
            return
        interface = (
            geometry if isinstance(geometry, dict) else getattr(geometry, "__geo_interface__", None)
        )
        if interface is None:
            raise TypeError(f"geometries: row {row} is not a geometry ({type(geometry).__name__})")
        self.add_json(interface, row)

    def add_part(self, kind: int, rings: Iterable[npt.NDArray[np.float64]]) -> None:
        for places in rings:
            self.places.append(places)
            self.vertex.append(self.vertex[-1] + len(places))
        self.ring.append(len(self.vertex) - 1)
        self.kind.append(kind)

    def add_json(self, geometry: Any, row: int) -> None:
        def pairs(ring: Any) -> npt.NDArray[np.float64]:
            try:
                return np.asarray([place[:2] for place in ring], dtype=np.float64).reshape(-1, 2)
            except (TypeError, ValueError):
                raise ValueError(
                    f"geometries: row {row} has invalid coordinates; expected pairs of numbers"
                ) from None

        name, at = geometry.get("type"), geometry.get("coordinates") or ()
        if name == "Feature":
            if geometry.get("geometry") is not None:
                self.add_json(geometry["geometry"], row)
        elif name == "GeometryCollection":
            for one in geometry["geometries"]:
                self.add_json(one, row)
        elif name in ("MultiLineString", "MultiPolygon"):
            for one in at:
                self.add_json({"type": name[5:], "coordinates": one}, row)
        elif name in _RINGS_OF:
            if len(at) > 0:
                kind, rings = _RINGS_OF[name]
                self.add_part(kind, [pairs(ring) for ring in rings(at)])
        else:
            raise TypeError(f"geometries: row {row} is a {name}")

    def add_binary(self, data: bytes, at: int) -> int:
        """Of well-known binary (ISO's or GEOS's) from `at`; returns its end."""
        order = "<" if data[at] == 1 else ">"
        (code,) = struct.unpack_from(order + "I", data, at + 1)
        width = (
            2
            + (code & 0x0FFFFFFF) // 1000 % 2
            + (code & 0x0FFFFFFF) // 2000 % 2
            + (code >> 31)
            + (code >> 30 & 1)
        )
        kind = (code & 0x0FFFFFFF) % 1000

        def take(at: int, counted: bool = True) -> tuple[npt.NDArray[np.float64], int]:
            count = struct.unpack_from(order + "I", data, at)[0] if counted else 1
            at += 4 * counted
            return np.frombuffer(data, order + "f8", count * width, at).reshape(-1, width)[
                :, :2
            ], at + count * width * 8

        at += 5
        if kind == 1:
            places, at = take(at, counted=False)
            if not np.isnan(places).all():  # an empty one
                self.add_part(_POINTS, [places])
        elif kind == 2:
            places, at = take(at)
            if len(places) > 0:
                self.add_part(_LINE, [places])
        else:
            (count,) = struct.unpack_from(order + "I", data, at)
            at += 4
            rings = []
            for _ in range(count):
                if kind == 3:
                    places, at = take(at)
                    rings.append(places)
                elif kind == 4:
                    places, at = take(at + 5, counted=False)
                    rings.append(places)
                else:
                    at = self.add_binary(data, at)
            if rings:
                self.add_part(
                    _POLYGON if kind == 3 else _POINTS,
                    rings if kind == 3 else [np.concatenate(rings)],
                )
        return at

    def arrays(self) -> Arrays:
        places = (
            np.concatenate(self.places).astype(np.float64, copy=False)
            if self.places
            else np.empty((0, 2))
        )
        part, ring, vertex = (
            np.asarray(values, dtype=np.int64) for values in (self.part, self.ring, self.vertex)
        )
        x, y = np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1])
        return Arrays(part, np.asarray(self.kind, dtype=np.uint8), ring, vertex, x, y)


_RINGS_OF: Any = {
    "Point": (_POINTS, lambda at: [[at]]),
    "MultiPoint": (_POINTS, lambda at: [at]),
    "LineString": (_LINE, lambda at: [at]),
    "LinearRing": (_LINE, lambda at: [at]),
    "Polygon": (_POLYGON, lambda at: at),
}
