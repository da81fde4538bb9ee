"""Joins: the nearest rows of another table, in the rows, columns and names of GeoPandas 1."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from . import _c, _crs, _geometries, _seeds
from ._packages import package
from ._library import Progress, worker_threads
from ._options import Edges, Metric
from ._search import Floats, Indices, number_in, real
from .features import FeatureTree
from .globe_trees import GlobeTree
from .trees import KDTree

if TYPE_CHECKING:
    import geopandas

Query = Callable[
    [Indices, int, bool], tuple[Floats, Indices]
]  # rows that search, how many neighbors, whether only those at 0: distances and numbers
Searcher = Callable[
    [int, int], Query
]  # among some of what is searched, from the first up to but without the last
_MOST_AT_ONCE = 1 << 24  # distances in memory at once
_MEETING = 256  # neighbors at distance 0 that are requested after some were found


def sjoin_nearest(
    left_df: Any,
    right_df: Any,
    how: str = "inner",
    max_distance: Optional[float] = None,
    lsuffix: str = "left",
    rsuffix: str = "right",
    distance_col: Optional[str] = None,
    exclusive: bool = False,
    *,
    k: int = 1,
    ties: str = "all",
    metric: Optional[Metric] = None,
    edges: Edges = "straight",
    workers: int = -1,
    progress: Progress = None,
) -> geopandas.GeoDataFrame:
    """The nearest rows of another table: `geopandas.sjoin_nearest` in true meters.

    Parameters
    ----------
    left_df, right_df : GeoDataFrame
        Points, lines and polygons, in one coordinate system. In a geographic one distances are
        geodesics on its ellipsoid, right across the antimeridian and at the poles; on a map they
        are straight lines. Geometries that meet are at distance 0.
    how : {"inner", "left", "right"}
        "inner": the rows of `left_df` that have a neighbor; "left": all of them; "right": all rows
        of `right_df`, each with its nearest rows of `left_df`.
    max_distance : float, optional
        Rows farther away are not neighbors; inclusive; meters, or the map's unit.
    lsuffix, rsuffix : str
        For columns that both tables have, and for the column of the other table's index,
        `index_right` (`index_left`), where the index has no name. A MultiIndex makes a column a
        level (`index_right0`, ...).
    distance_col : str, optional
        The name of a column for distances.
    exclusive : bool
        Whether rows at distance 0 are excluded.
    k : int
        How many neighbors, nearest first.
    ties : {"all", "first"}
        Of rows as far away as the `k`-th neighbor: "all", as GeoPandas, or only the first in the
        other table's order (of equal distances before they are rounded), so that there are `k` at
        most.
    metric : {"geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"}, optional
        By default geodesic in geographic systems, euclidean on maps and without a system.
    edges : {"straight", "geodesic"}
        As of `FeatureTree`. In geographic systems "geodesic" is required if both tables have lines
        or polygons.
    workers, progress
        As of `KDTree.query`.

    Returns
    -------
    GeoDataFrame
        Neighbors at one distance are in the other table's order.

    Notes
    -----
    Rows without a geometry, with an empty one or with coordinates that are not finite have no
    neighbor and are none.
    """
    for frame, name in ((left_df, "left_df"), (right_df, "right_df")):
        if not hasattr(frame, "geometry") or not hasattr(frame, "columns"):
            raise TypeError(f"{name} must be a GeoDataFrame, not {type(frame).__name__}")
    if how not in ("inner", "left", "right"):
        raise ValueError(f"`how` was {how!r}; expected inner, left or right")
    if ties not in ("all", "first"):
        raise ValueError(f"ties must be all or first, not {ties!r}")
    count = number_in(k, "k", 1, _c.MAX_K)
    limit = math.inf if max_distance is None else real(max_distance, "max_distance", 0.0)
    if edges not in _geometries.EDGES:
        raise ValueError(f"edges must be straight or geodesic, not {edges!r}")
    left, right = _usable(left_df, "left_df"), _usable(right_df, "right_df")
    check_system((left.crs, right.crs), ("left_df", "right_df"), "use to_crs()")
    if left.crs is not None and left.crs.is_geographic:
        if left.crs.is_derived and edges == "straight" and (_has_edges(left) or _has_edges(right)):
            raise ValueError(
                f"edges: straight edges are not supported in {_crs.name(left.crs)}; use "
                "edges='geodesic', or to_crs() first"
            )
        left, right = _seeds.on_globe(left, "left_df"), _seeds.on_globe(right, "right_df")
    queries, references = (right, left) if how == "right" else (left, right)
    search = _searcher(queries, references, metric, edges, limit, workers, progress)
    row, other, distance = _neighbors(queries, references, search, count, ties, exclusive)
    if how != "inner":  # rows without a neighbor stay, with nothing beside them
        alone = np.setdiff1d(np.arange(queries.total), row)
        at = np.searchsorted(row, alone)
        row, other, distance = (
            np.insert(row, at, alone),
            np.insert(other, at, -1),
            np.insert(distance, at, math.nan),
        )
    made = _joined(
        (left_df, right_df),
        (other, row) if how == "right" else (row, other),
        how == "right",
        (lsuffix, rsuffix),
    )
    if distance_col is not None:
        made[distance_col] = distance
    return made


def check_system(crs: tuple[Any, Any], names: tuple[str, str], remedy: str) -> None:
    """Raise ValueError if two tables are not in one coordinate system."""
    if (crs[0] is None) != (crs[1] is None) or not (crs[0] is None or _crs.same(*crs)):
        said = ["no coordinate system" if one is None else _crs.name(one) for one in crs]
        raise ValueError(
            f"{names[1]} is in {said[1]}, {names[0]} in {said[0]}: {remedy} to bring them together"
        )


def metric_of(metric: Optional[Metric], crs: Any, geographic: bool) -> Any:
    """The metric that is meant for points in a coordinate system, or in none."""
    meant = metric if metric is not None else "geodesic" if geographic else "euclidean"
    if meant not in _c.METRICS:
        raise ValueError(f"metric must be one of {', '.join(_c.METRICS)}, not {metric!r}")
    if (meant in _c.GLOBE_METRICS) != geographic:
        where = "no coordinate system" if crs is None else _crs.name(crs)
        raise ValueError(f"metric: {meant} is not supported for {where}; use to_crs() first")
    return meant


def _usable(frame: Any, name: str) -> _seeds.Seeds:
    """The rows that have a place."""
    if not _seeds.has_features(frame):
        return _seeds.usable(frame, name)
    made = _seeds.of_features(frame, name, True)
    assert made.features is not None
    rows = np.flatnonzero(np.diff(made.features.part))
    return _seeds.Seeds(
        made.x[rows], made.y[rows], made.crs, frame, rows, len(frame), made.features.rows(rows)
    )


def _searcher(
    queries: _seeds.Seeds,
    references: _seeds.Seeds,
    metric: Optional[Metric],
    edges: Edges,
    limit: float,
    workers: int,
    progress: Progress,
) -> Callable[[_seeds.Seeds], Searcher]:
    """What makes searches of rows, by the metric that is meant."""
    geographic = queries.crs is not None and queries.crs.is_geographic
    meant = metric_of(metric, queries.crs, geographic)
    if geographic and edges == "straight" and _has_edges(queries) and _has_edges(references):
        raise ValueError(
            "edges: straight edges are not supported for lines and polygons of both tables in a "
            "geographic system; use "
            "edges='geodesic', or to_crs() to a map"
        )
    if not geographic and edges != "straight":
        raise ValueError("edges: geodesic edges are not supported on a map; use straight edges")
    bound = (
        math.inf if math.isinf(limit) else float(np.nextafter(limit, math.inf))
    )  # scipy's bound is strict
    ellipsoid = _crs.ellipsoid(queries.crs) if geographic else None
    x, y = queries.x, queries.y
    threads = worker_threads(workers)

    def of_features(arrays: _geometries.Arrays) -> Query:
        tree = FeatureTree._of(arrays, meant, edges, ellipsoid, threads)
        if queries.features is None:
            return lambda rows, k, meeting: _two(
                tree.query(
                    x[rows],
                    y[rows],
                    range(1, k + 1),
                    0.0 if meeting else limit,
                    workers,
                    progress=progress,
                )
            )
        own = queries.features
        return lambda rows, k, meeting: tree._query_arrays(
            own.rows(rows), k, 0.0 if meeting else limit, threads, progress
        )

    def of(references: _seeds.Seeds) -> Searcher:
        def some(first: int, end: int) -> Query:
            if references.features is not None:
                return of_features(references.features.rows(np.arange(first, end)))
            if queries.features is not None:
                return of_features(
                    _geometries.of_points(references.x[first:end], references.y[first:end])
                )
            if geographic:
                globe = GlobeTree(
                    references.x[first:end], references.y[first:end], meant, ellipsoid
                )
                return lambda rows, k, meeting: globe.query(
                    x[rows], y[rows], range(1, k + 1), limit, workers, progress=progress
                )
            plane = KDTree(
                np.column_stack([references.x[first:end], references.y[first:end]]), metric=meant
            )
            return lambda rows, k, meeting: plane.query(
                np.column_stack([x[rows], y[rows]]),
                range(1, k + 1),
                distance_upper_bound=bound,
                workers=workers,
                progress=progress,
            )

        return some

    return of


def _has_edges(seeds: _seeds.Seeds) -> bool:
    return seeds.features is not None and bool(seeds.features.kind.any())


def _two(found: tuple[Any, ...]) -> tuple[Floats, Indices]:
    return found[0], found[1]


def _neighbors(
    queries: _seeds.Seeds,
    references: _seeds.Seeds,
    searcher: Callable[[_seeds.Seeds], Searcher],
    k: int,
    ties: str,
    exclusive: bool,
) -> tuple[Indices, Indices, Floats]:
    """Rows, their neighbors' rows, and how far those are: by row, then by distance, then by
    neighbor.

    Rows of `references` at one place are searched as one place, so that the search has few ties."""
    of_points = references.features is None
    keys = references.x + 1j * references.y if of_points else np.arange(references.x.size)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    size = np.bincount(place.ravel(), minlength=first.size)
    members, start = np.argsort(place.ravel(), kind="stable"), np.cumsum(size) - size
    order = np.argsort(first)  # of places at one distance the one of the lowest row comes first
    places = (
        references
        if not of_points
        else _seeds.Seeds(references.x[first[order]], references.y[first[order]], references.crs)
    )
    points_among_features = not of_points and queries.features is None
    count, most, of = (
        places.x.size,
        _c.VORONOI_MAX_K if points_among_features else _c.MAX_K,
        searcher(places),
    )
    row, found, distance = _places(
        of(0, count), _in_parts(of, count, most), queries, count, most, k, ties == "all", exclusive
    )
    found = order[found]
    pair = np.repeat(np.arange(row.size), size[found])
    within = np.arange(pair.size) - np.repeat(np.cumsum(size[found]) - size[found], size[found])
    row, distance, other = row[pair], distance[pair], members[start[found][pair] + within]
    by = np.lexsort((other, distance, row))
    row, distance, other = row[by], distance[by], other[by]
    head = np.searchsorted(row, row)  # of each pair the first one of its row
    if ties == "first":
        keep = np.arange(row.size) - head < k
    else:
        keep = (
            distance <= distance[np.minimum(head + k, np.searchsorted(row, row, side="right")) - 1]
        )
    assert queries.rows is not None and references.rows is not None
    return queries.rows[row[keep]], references.rows[other[keep]], distance[keep]


def _places(
    search: Query,
    search_all: Query,
    queries: _seeds.Seeds,
    count: int,
    most: int,
    k: int,
    ties: bool,
    exclusive: bool,
) -> tuple[Indices, Indices, Floats]:
    """The `k` nearest of `count` places and all that are as far as the last of them, by row.
    Neighbors are requested until a farther one, or none, is found."""
    made: list[tuple[Indices, Indices, Floats]] = [
        (np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
    ]
    waiting = [(np.arange(queries.x.size), min(k + exclusive + ties, most), False)]
    while waiting and queries.x.size and count:
        part, wanted, meeting = waiting.pop()
        wanted = min(wanted, count)
        step = max(1, _MOST_AT_ONCE // wanted)
        left: list[list[Indices]] = [[], []]  # rows that are not decided; those with neighbors at 0
        for at in range(0, part.size, step):
            some = part[at : at + step]
            distance, found = (search if wanted <= most else search_all)(some, wanted, meeting)
            counts = np.isfinite(distance) & ((distance > 0) | (not exclusive))
            last = np.where(
                counts.sum(axis=1) < k,
                math.inf,
                np.sort(np.where(counts, distance, math.inf))[:, min(k, wanted) - 1],
            )
            done = (
                (wanted == count)
                | np.isinf(distance[:, -1])
                | (distance[:, -1] > last if ties else np.isfinite(last))
            )
            line, column = np.nonzero(counts & (distance <= last[:, None]) & done[:, None])
            made.append((some[line], found[line, column], distance[line, column]))
            left[0].append(some[~done & (last > 0)])
            left[1].append(some[~done & (last == 0)])
        more = count if wanted == most else min(4 * wanted, most)
        at_zero = min(_MEETING, most) if wanted < min(_MEETING, most) else more
        waiting += [
            (np.concatenate(left[0]), more, False),
            (np.concatenate(left[1]), at_zero, True),
        ]
        waiting = [one for one in waiting if one[0].size]
    row, place, far = (np.concatenate(parts) for parts in zip(*made))
    return row, place, far


def _in_parts(searcher: Searcher, count: int, most: int) -> Query:
    """All places by their distance: more than the library finds at once."""
    trees: list[Query] = []

    def search(rows: Indices, wanted: int, meeting: bool) -> tuple[Floats, Indices]:
        starts = range(0, count, most)
        trees.extend(searcher(at, min(at + most, count)) for at in starts[len(trees) :])
        found = [tree(rows, min(most, count - at), meeting) for at, tree in zip(starts, trees)]
        distance, index = (
            np.hstack([d for d, _ in found]),
            np.hstack([i + at for at, (_, i) in zip(starts, found)]),
        )
        order = np.argsort(distance, axis=1, kind="stable")
        return np.take_along_axis(distance, order, 1), np.take_along_axis(index, order, 1)

    return search


def _joined(
    frames: tuple[Any, Any], rows: tuple[Indices, Indices], right: bool, suffixes: tuple[str, str]
) -> Any:
    """Rows of both tables (-1: none) side by side: the index and the geometry are those of one of
    them, the other's index is columns."""
    pandas = package("pandas", "sjoin_nearest")

    own = int(right)
    geometry = frames[own].geometry.name
    sides = [
        frame if i == own else frame.drop(columns=frame.geometry.name)
        for i, frame in enumerate(frames)
    ]
    names = [_names(sides[i], sides[1 - i], suffixes[i]) for i in (0, 1)]
    common = set(names[0]).intersection(names[1])
    if common and not any(suffixes):
        raise ValueError(
            f"lsuffix, rsuffix: both tables have a column {min(map(str, common))!r}; give one of "
            "them a suffix"
        )
    index = frames[own].index.take(rows[own])
    parts = []
    for i, (side, suffix) in enumerate(zip(sides, suffixes)):
        new = [
            f"{name}_{suffix}"
            if name in common and suffix is not None and (i != own or name != geometry)
            else name
            for name in names[i]
        ]
        twice = [
            name for j, name in enumerate(new) if new.count(name) > names[i].count(names[i][j])
        ]
        if twice:
            warnings.warn(
                f"lsuffix, rsuffix: two columns of the result are {twice[0]!r}",
                UserWarning,
                stacklevel=3,
            )
        levels = side.index.nlevels
        if i == own:
            part = side.take(rows[i])
            index = index.set_names(
                [name if label is not None else None for name, label in zip(new, side.index.names)]
            )
            new = new[levels:]
        else:
            part = side.reset_index().reindex(
                np.where(rows[i] < 0, len(side), rows[i])
            )  # rows past the end are missing values
        part.columns = pandas.Index(new)
        parts.append(part.set_axis(pandas.RangeIndex(len(part)), axis=0))
    made = pandas.concat(parts, axis=1)
    made.index = index
    return type(frames[own])(made, geometry=geometry)


def _names(side: Any, other: Any, suffix: str) -> list[Any]:
    """Of the columns, those of the index first."""
    many = side.index.nlevels > 1
    names = [
        f"index_{suffix}{i if many else ''}" if name is None else name
        for i, name in enumerate(side.index.names)
    ]
    for name, label in zip(names, side.index.names):
        if label is None and (name in side.columns or name in other.columns):
            raise ValueError(
                f"left_df, right_df: {name!r} cannot be a column of both the tables and the "
                "result; rename it first"
            )
    return [*names, *side.columns]
