"""Positions and coordinate systems of Arrow columns: numbers, GeoArrow points, well-known
binary."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _crs, _geometries
from ._arrow_columns import Column, Field, ranges

Floats = npt.NDArray[np.float64]
_POINT = "geoarrow.point"
_BINARY = ("geoarrow.wkb", "ogc.wkb")
_POINT_BYTES = 21  # of well-known binary: the order of bytes, the type, x, y
_LONLAT = (("lon", "lat"), ("longitude", "latitude"))


@dataclasses.dataclass
class Where:
    """Which columns have the positions (names), and the coordinate system that they state (None:
    none)."""

    names: list[str]
    crs: Any
    lonlat: bool  # the names are those of longitudes and latitudes


def where(fields: list[Field], columns: Any, argument: str, dim: int = 2) -> Where:
    """`columns`: a name, names, or None for the only column of GeoArrow or GeoParquet, or `lon` and
    `lat`."""
    known = {field.name: field for field in fields}
    if columns is None:
        columns = _found(fields, argument)
    names = [columns] if isinstance(columns, str) else list(columns)
    if len(names) not in (1, dim):
        raise ValueError(
            f"columns must be {dim} columns of coordinates, or one of points, not {len(names)}"
        )
    for name in names:
        if name not in known:
            raise ValueError(f"columns: {argument} has no column {name!r}, only {', '.join(known)}")
    crs = _stated(known[names[0]], argument) if len(names) == 1 else None
    return Where(names, crs, tuple(name.lower() for name in names) in _LONLAT)


def _found(fields: list[Field], argument: str) -> Sequence[str]:
    geometries = [field.name for field in fields if _is_geometry(field)]
    if len(geometries) == 1:
        return geometries
    names = {field.name.lower(): field.name for field in fields}
    pairs = [pair for pair in _LONLAT if set(pair) <= set(names)]
    if geometries or len(pairs) != 1:
        what = "several columns of geometries" if geometries else "no column of geometries"
        raise ValueError(
            f"{argument} has {what} (columns: {', '.join(names.values())}); name the column, or "
            "those of coordinates"
        )
    return [names[one] for one in pairs[0]]


def _is_geometry(field: Field) -> bool:
    return (
        _extension(field).startswith("geoarrow.")
        or _extension(field) in _BINARY
        or bool(_geoparquet(field))
    )


def _extension(field: Field) -> str:
    return field.metadata.get("ARROW:extension:name", b"").decode()


def _geoparquet(field: Field) -> Any:
    """The description of a column in the metadata of a GeoParquet table; None: it has none."""
    try:
        return json.loads(field.metadata.get("geo", b"{}")).get("columns", {}).get(field.name)
    except (ValueError, AttributeError):
        return None


def _stated(field: Field, argument: str) -> Any:
    """The coordinate system that a column's metadata have, by GeoArrow or GeoParquet."""
    described, known = _geoparquet(field), "ARROW:extension:metadata" in field.metadata
    if known:
        try:
            crs = json.loads(field.metadata["ARROW:extension:metadata"] or b"{}").get("crs")
        except (ValueError, AttributeError):
            raise ValueError(
                f"{argument}: column {field.name!r} has invalid metadata of GeoArrow"
            ) from None
        if crs is not None:
            return _crs.parse(crs, argument)
    if described is None:
        return None
    crs = described.get("crs", "OGC:CRS84")  # by the specification
    return None if crs is None else _crs.parse(crs, argument)


def positions(columns: dict[str, Column], names: Sequence[str], dim: int) -> Floats:
    """Rows of `dim` coordinates, NaN where one is missing."""
    arrays = [columns[name] for name in names]
    if len(arrays) == 1 and (dim > 1 or arrays[0].children or arrays[0].data is not None):
        return _of_points(arrays[0], names[0], dim)
    made = np.empty((arrays[0].length, dim))
    for i, (array, name) in enumerate(zip(arrays, names)):
        numbers = array.numbers()
        if numbers is None:
            raise TypeError(
                f"columns: {name!r} must be numbers, not of Arrow's type {array.field.format!r}"
            )
        made[:, i] = numbers
    return made


def _of_points(column: Column, name: str, dim: int) -> Floats:
    """x and y of GeoArrow's points (separate or interleaved) and of well-known binary."""
    made = np.full((column.length, dim), np.nan)
    valid = np.ones(column.length, bool) if column.valid is None else column.valid
    kind, fields = column.field.format, [child.field.name for child in column.children]
    if kind == "+s" and {"x", "y"} <= set(fields) and dim == 2:
        for i, axis in enumerate("xy"):
            numbers = column.children[fields.index(axis)].numbers()
            made[valid, i] = np.nan if numbers is None else numbers[valid]
    elif kind.startswith("+w:") and dim == 2 and int(kind[3:]) >= 2:
        numbers = column.children[0].numbers()
        if numbers is not None:
            made[valid] = numbers.reshape(column.length, -1)[valid, :2]
    elif kind == "Z" and dim == 2:
        made[valid] = _of_binary(column, name, valid)
    else:
        raise TypeError(
            f"columns: {name!r} must be points as well-known binary or GeoArrow, not of Arrow's "
            f"type {kind!r}"
        )
    return made


def _of_binary(column: Column, name: str, valid: npt.NDArray[np.bool_]) -> Floats:
    assert column.values is not None and column.data is not None
    starts, counts = column.values[:-1][valid], np.diff(column.values)[valid]
    there = column.data[ranges(starts, counts)]
    if (counts != _POINT_BYTES).any() or (there.reshape(-1, _POINT_BYTES)[:, 0] != 1).any():
        raise ValueError(
            f"columns: {name!r} must be points of two dimensions in little-endian well-known binary"
        )
    rows = there.reshape(-1, _POINT_BYTES)
    if (rows[:, 1:5].copy().view("<u4") != 1).any():
        raise ValueError(f"columns: {name!r} must be points, not other geometries")
    return np.ascontiguousarray(rows[:, 5:]).view("<f8")


def features(column: Column) -> Optional[_geometries.Arrays]:
    """Lines, polygons and other geometries in well-known binary; None if all are points, or without
    such binary."""
    if column.field.format != "Z" or column.values is None or column.data is None:
        return None
    counts, data = np.diff(column.values), column.data.tobytes()
    missing = np.zeros(column.length, bool) if column.valid is None else ~column.valid
    if (missing | (counts == _POINT_BYTES)).all():
        return None
    return _geometries.read(
        [
            None if gone else data[start : start + size]
            for gone, start, size in zip(missing, column.values[:-1].tolist(), counts.tolist())
        ]
    )
