"""Ways from points to their seeds: their positions, and tables with them as lines."""

from __future__ import annotations

import dataclasses
import struct
from typing import Any, Callable, Iterable, Optional

import numpy as np

from . import _c, _crs, _grid, _seeds
from .diagrams import _free_names, _table


def positions(write: Callable[[Any], int]) -> Any:
    """The positions of a way in two rows. `write` fills rows with as many as they hold, and returns
    how many there are."""
    places = np.empty((2, 64))
    while True:
        count = write(places)
        if count <= places.shape[1]:
            return places[:, :count]
        places = np.empty((2, count))


def table(
    points: _seeds.Seeds,
    rows: Any,
    ways: Iterable[tuple[int, tuple[float, ...], Any]],
    named: Callable[[Any], Any],
    columns: tuple[str, ...],
    grid: _grid.Grid,
    metric: str,
) -> Any:
    """A GeoDataFrame with a row for each point. Those in `rows` have `ways`: the seed's number,
    which `named` gives its name, or -1, values of `columns`, and positions."""
    import geopandas
    import pandas

    globe, crs, unit = metric in _c.GLOBE_METRICS, grid.crs, 1.0
    if globe:
        unit = 1.0 if crs is None else _crs.unit_degrees(_crs.base(crs, "crs"))
        crs = "OGC:CRS84" if crs is None else _crs.base(crs, "crs")
    seed, numbers = (
        np.full(points.total, -1, np.int64),
        np.full((len(columns), points.total), np.nan),
    )
    lines: list[Optional[bytes]] = [None] * points.total
    for row, (nearest, values, places) in zip(rows.tolist(), ways):
        seed[row], numbers[:, row] = nearest, values
        if places.shape[1] > 1:
            lines[row] = _lines(_cut(places), unit) if globe else _line(places)
    own = {"seed": pandas.array(named(seed), "Int64"), **dict(zip(columns, numbers))}
    own["seed"][seed < 0] = pandas.NA
    made = _table(dataclasses.replace(points, rows=None), points.total)
    made = made.rename(columns=_free_names(made.columns, own))
    for name, column in own.items():
        made[name] = column
    return geopandas.GeoDataFrame(
        made, geometry=geopandas.GeoSeries.from_wkb(lines).values, crs=crs
    )


def _cut(places: Any) -> list[Any]:
    """Parts of a line with continuous longitudes, cut at 180 degrees and within these."""
    turn = np.floor((places[0] + 180.0) / 360.0)
    parts, begin = [], places[:, :0]
    first = 0
    for last in [*np.flatnonzero(np.diff(turn)).tolist(), turn.size - 1]:
        shift, end = np.array([[360.0 * turn[last]], [0.0]]), places[:, :0]
        here = places[:, first : last + 1]
        if last + 1 < turn.size:
            (x, y), (to_x, to_y) = places[:, last], places[:, last + 1]
            border = 360.0 * max(turn[last], turn[last + 1]) - 180.0
            end = np.array([[border], [y + (border - x) / (to_x - x) * (to_y - y)]])
        part = np.concatenate([begin, here, end], axis=1)
        if np.ptp(part, axis=1).any():
            parts.append(part - shift)
        first, begin = last + 1, end
    return parts


def _line(places: Any) -> bytes:
    """Positions in two rows as WKB."""
    values: bytes = places.T.astype("<f8").tobytes()
    return struct.pack("<BII", 1, 2, places.shape[1]) + values


def _lines(parts: list[Any], unit: float) -> bytes:
    """Lines in degrees as one, in another unit, as WKB."""
    return struct.pack("<BII", 1, 5, len(parts)) + b"".join(_line(part / unit) for part in parts)
