"""Table functions for DuckDB: the nearest rows of another table, and all within a distance,
measured on the globe."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import OrderedDict
from typing import Any, Optional, Union

import numpy as np

from . import _c
from ._options import GlobeMetric
from ._packages import package
from .features import FeatureTree
from .globe_trees import GlobeTree

Tree = Union[GlobeTree, FeatureTree]

_KEPT = 8  # trees of the last queries
_FOUND = "STRUCT(row BIGINT, rank INTEGER, distance DOUBLE)[]"
# The rows of the second table have numbers; a tree of all of them is made once; its neighbors are
# joined by number.
_MACRO = """
CREATE OR REPLACE TEMP MACRO {name}(queries, {table}, {parameters}) AS TABLE
WITH gv_rows AS MATERIALIZED (
  SELECT row_number() OVER () - 1 AS gv_row, * FROM query_table({table})),
gv_trees AS MATERIALIZED (SELECT {make} AS gv_tree FROM gv_rows),
gv_found AS (
  SELECT q.*, unnest(gpuvoronoi_search(
    gv_tree, q.lon, q.lat, ({k})::INTEGER, ({limit})::DOUBLE)) AS gv_neighbor
  FROM query_table(queries) q, gv_trees)
SELECT gv_found.* EXCLUDE (gv_neighbor), gv_neighbor.rank AS rank, gv_neighbor.distance AS distance,
  COLUMNS(gv_rows.* EXCLUDE (gv_row)) AS "reference_\\0"
FROM gv_found JOIN gv_rows ON gv_neighbor.row = gv_row
"""
_POINTS = "gpuvoronoi_points(list(lon ORDER BY gv_row), list(lat ORDER BY gv_row))"
_FEATURES = "gpuvoronoi_features(list(wkb ORDER BY gv_row))"


class _Trees:
    """The trees of the last queries, by number."""

    def __init__(self, metric: GlobeMetric, ellipsoid: Optional[tuple[float, float]]) -> None:
        self.metric, self.ellipsoid = metric, ellipsoid
        self._made: OrderedDict[int, Tree] = OrderedDict()
        self._lock, self._numbers = threading.Lock(), itertools.count(1)

    def add(self, tree: Tree) -> int:
        with self._lock:
            number = next(self._numbers)
            self._made[number] = tree
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return number

    def get(self, number: int) -> Tree:
        with self._lock:
            return self._made[number]


def register(
    connection: Any,
    metric: GlobeMetric = "geodesic",
    ellipsoid: Optional[tuple[float, float]] = None,
    workers: int = 1,
) -> None:
    """Register table functions in a connection of DuckDB; needs pyarrow.

    ``nearest(queries, points, k := 1, max_distance := 'inf')`` and
    ``within(queries, points, distance)`` take the names of two tables or views with the columns
    `lon` and `lat`, in degrees. ``nearest_features(queries, features, …)`` and
    ``within_features(queries, features, distance)`` search points, lines and polygons in a column
    `wkb`, as `ST_AsWKB` makes it.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        The functions are those of this connection, and of its temporary schema.
    metric, ellipsoid
        As of `GlobeTree`.
    workers : int
        Threads of each call. DuckDB calls from all of its own threads.

    Notes
    -----
    Results have the columns of `queries`, `rank` (from 1), `distance` in meters, and the columns of
    the other table as ``reference_NAME``. Rows without a position have no neighbor. The other table
    is held in memory, queries are not.

    Examples
    --------
    >>> import duckdb, gpuvoronoi.duckdb  # doctest: +SKIP
    >>> connection = duckdb.connect()  # doctest: +SKIP
    >>> gpuvoronoi.duckdb.register(connection)  # doctest: +SKIP
    >>> connection.sql("CREATE VIEW zones AS FROM 'timezones.csv'")  # doctest: +SKIP
    >>> connection.sql(  # doctest: +SKIP
    ...     "CREATE VIEW ships AS SELECT 'a' AS ship, 4.9 AS lon, 52.4 AS lat")
    >>> connection.sql(  # doctest: +SKIP
    ...     "SELECT ship, reference_name, rank FROM nearest('ships', 'zones', k := 3)").fetchall()
    [('a', 'Europe/Amsterdam', 1), ('a', 'Europe/Brussels', 2), ('a', 'Europe/Luxembourg', 3)]
    """
    pyarrow = package("pyarrow", "gpuvoronoi.duckdb.register")
    duckdb = package("duckdb", "gpuvoronoi.duckdb.register")
    if metric not in _c.GLOBE_METRICS:
        raise ValueError(f"metric must be one of {', '.join(_c.GLOBE_METRICS)}, not {metric!r}")
    trees = _Trees(metric, ellipsoid)

    def numbers(column: Any) -> Any:
        return column.to_numpy(zero_copy_only=False)

    def values(lists: Any) -> Any:
        return (
            lists.combine_chunks().flatten()
            if hasattr(lists, "combine_chunks")
            else lists.flatten()
        )

    def points(lon: Any, lat: Any) -> Any:
        x, y = (np.asarray(numbers(values(column)), dtype=float) for column in (lon, lat))
        tree = GlobeTree(x, y, metric, ellipsoid, skip_invalid=True)
        return pyarrow.array([trees.add(tree)])

    def features(wkb: Any) -> Any:
        shapes = values(wkb).to_pylist()
        tree = FeatureTree(shapes, metric, ellipsoid=ellipsoid, skip_invalid=True)
        return pyarrow.array([trees.add(tree)])

    def search(tree: Any, lon: Any, lat: Any, k: Any, limit: Any) -> Any:
        used = trees.get(tree[0].as_py())
        x, y = np.asarray(lon, dtype=float), np.asarray(lat, dtype=float)
        rows, meters, counts = _found(used, x, y, k[0].as_py(), limit[0].as_py(), workers)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        ranks = np.arange(rows.size) - np.repeat(offsets[:-1], counts) + 1
        made = pyarrow.StructArray.from_arrays(
            [pyarrow.array(rows), pyarrow.array(ranks.astype(np.int32)), pyarrow.array(meters)],
            ["row", "rank", "distance"],
        )
        return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), made)

    declared: tuple[tuple[str, Any, list[str], str], ...] = (
        ("gpuvoronoi_points", points, ["DOUBLE[]", "DOUBLE[]"], "BIGINT"),
        ("gpuvoronoi_features", features, ["BLOB[]"], "BIGINT"),
        ("gpuvoronoi_search", search, ["BIGINT", "DOUBLE", "DOUBLE", "INTEGER", "DOUBLE"], _FOUND),
    )
    for name, function, arguments, result in declared:
        with contextlib.suppress(duckdb.Error):  # unless it is registered for the first time
            connection.remove_function(name)
        connection.create_function(
            name, function, arguments, result, type="arrow", side_effects=True
        )
    for suffix, table, make in (("", "points", _POINTS), ("_features", "features", _FEATURES)):
        nearest = {"parameters": "k := 1, max_distance := 'inf'", "k": "k", "limit": "max_distance"}
        within = {"parameters": "distance", "k": "0", "limit": "distance"}
        for name, more in (("nearest", nearest), ("within", within)):
            connection.execute(_MACRO.format(name=name + suffix, table=table, make=make, **more))


def _found(tree: Tree, x: Any, y: Any, k: int, limit: float, workers: int) -> tuple[Any, Any, Any]:
    """Numbers, meters, and how many of each query; `k` 0: all within the limit."""
    if k == 0:
        lists: Any = tree.query_radius(x, y, limit, return_distance=True, workers=workers)
        found, meters = lists
        counts = np.array([one.size for one in found], dtype=np.int64)
        rows = np.concatenate([*found, np.empty(0, np.int64)]).astype(np.int64)
        return rows, np.concatenate([*meters, np.empty(0)]), counts
    meters, found = tree.query(x, y, range(1, k + 1), limit, workers)
    there = np.isfinite(meters)
    return found[there].astype(np.int64), meters[there], there.sum(axis=1)
