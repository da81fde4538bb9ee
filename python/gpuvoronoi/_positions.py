"""Pairs of coordinates: what the trees of places and those of features share."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _radius, _search
from ._library import worker_threads


def found_within(
    tree: Any,
    x: _search.Floats,
    y: _search.Floats,
    shape: tuple[int, ...],
    r: npt.ArrayLike,
    return_distance: bool,
    count_only: bool,
    sort_results: bool,
    workers: int,
    rows: Optional[_search.Indices],
    searched: int,
    device: int,
    globe: bool,
    argument: str,
) -> _radius.Within:
    """query_radius of trees over pairs of coordinates."""
    radius, threads = _radius.radii(r, "r", shape), worker_threads(workers)
    if return_distance and count_only:
        raise ValueError("return_distance and count_only cannot both be True")
    count, usable_rows = x.size, _search.usable((x, y), tree._skip, globe)
    x, y = (x, y) if usable_rows is None else (x[usable_rows], y[usable_rows])
    radius = _radius.places(radius, usable_rows)
    batch = _radius.Queries(
        tree._index,
        lambda first, end: points(x[first:end], y[first:end]),
        x.size,
        searched,
        threads,
        device,
        argument,
    )
    if count_only:
        nothing = _radius.Found(_radius.count(batch, radius), np.empty(0, np.intp), np.empty(0))
        lengths = (
            np.diff(_radius.spread(nothing, None, usable_rows, count).offsets)
            .astype(np.intp)
            .reshape(shape)
        )
        return int(lengths) if shape == () else lengths
    found = _radius.spread(
        _radius.search(batch, radius, by_number=not sort_results, distances=return_distance),
        rows,
        usable_rows,
        count,
    )
    indices = _radius.arrays(found, found.indices, shape)
    return (indices, _radius.arrays(found, found.distances, shape)) if return_distance else indices


def pairs(
    lon: npt.ArrayLike, lat: npt.ArrayLike, x_name: str = "lon", y_name: str = "lat"
) -> tuple[_search.Floats, _search.Floats, tuple[int, ...]]:
    x, y = _search.as_degrees(lon, x_name), _search.as_degrees(lat, y_name)
    if x.shape != y.shape:
        try:
            x, y = np.broadcast_arrays(x, y)
        except ValueError:
            raise ValueError(
                f"{x_name} and {y_name} have different shapes, {x.shape} and {y.shape}"
            ) from None
    return np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(y).reshape(-1), x.shape


def points(x: _search.Floats, y: _search.Floats) -> _c.Points:
    return _c.Points(x=x.ctypes.data, y=y.ctypes.data, count=x.size, dim=2, dtype=_c.FLOAT64)
