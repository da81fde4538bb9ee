"""Searches over Arrow tables of any library (Polars, DuckDB, GeoPandas, pyarrow), without pyarrow:
`nearest`, `query`, `sjoin_nearest`.

Tables are read by the methods ``__arrow_c_stream__`` and ``__arrow_c_array__``, batch by batch, and
results have the first of these."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _arrow_c, _arrow_columns, _arrow_points, _c, _crs, _seeds, joins
from ._arrow_columns import NULLABLE, Column, Field
from ._library import worker_threads
from ._options import Edges, Metric
from ._packages import package
from ._search import number_in, real, usable
from .features import FeatureTree
from .globe_trees import GlobeTree
from .trees import KDTree

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Results", "nearest", "query", "search_batches", "sjoin_nearest"]

Tree = Union[KDTree, GlobeTree, FeatureTree]
_VALUES_AT_ONCE = 1 << 22  # distances of a part of a batch
_OWN = ("reference", "rank", "distance")


class Results:
    """A table of results with ``__arrow_c_stream__``: ``polars.DataFrame(results)``,
    ``pyarrow.table(results)``, DuckDB's ``FROM results``.

    Batches are computed when they are read. The queries are read again by each pass, if they can
    be; reading the schema alone (DuckDB) uses up nothing."""

    def __init__(self, begin: Callable[[], tuple[list[Field], Iterator[list[Column]]]]) -> None:
        self._begin = begin
        self._fields: Optional[list[Field]] = None
        self._unread: Optional[Iterator[list[Column]]] = None

    def _schema(self) -> list[Field]:
        if self._fields is None:
            self._fields, self._unread = self._begin()
        return self._fields

    def _batches(self) -> Iterator[list[Column]]:
        unread, self._unread = self._unread, None
        return self._begin()[1] if unread is None else unread

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _arrow_c.stream(self._schema, self._batches)


@dataclasses.dataclass
class _Task:
    """What is searched and what is added to the rows of the queries."""

    tree: Tree
    dim: int
    k: int
    limit: float
    left: bool
    workers: int
    crs: Any = None  # of the queries' positions, which are moved to longitudes and latitudes
    kept: list[Column] = dataclasses.field(default_factory=list)  # columns of what is searched
    names: tuple[Optional[str], ...] = (
        _OWN  # of its number, the rank and the distance; None: left out
    )

    def added(self) -> list[Field]:
        kinds = zip(self.names, ("l", "i", "g"))
        return [column.field for column in self.kept] + [Field(n, f) for n, f in kinds if n]


def nearest(
    queries: Any,
    points: Any,
    *,
    k: int = 1,
    radius: float = math.inf,
    how: str = "inner",
    ids: Optional[str] = None,
    columns: Union[None, str, Sequence[str]] = None,
    points_columns: Union[None, str, Sequence[str]] = None,
    metric: Optional[Metric] = None,
    edges: Edges = "straight",
    crs: Any = None,
    workers: int = -1,
) -> Results:
    """The nearest rows of a table for each row of another.

    Parameters
    ----------
    queries, points : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
        Tables of Polars, DuckDB, GeoPandas 1, pyarrow or others; `queries` may also be an iterable
        of record batches. `queries` has points; `points`, which is read at once, may have lines and
        polygons as well-known binary.
    k : int
        How many neighbors of each row, up to 1024 (64 of lines and polygons).
    radius : float
        Rows farther away are not neighbors; inclusive; meters, or the projected system's unit.
    how : {"inner", "left"}
        Rows without a neighbor are left out, or stay with nulls.
    ids : str, optional
        A column of `points` that stands in place of row numbers.
    columns, points_columns : str or sequence of str, optional
        The two columns of coordinates, or one of GeoArrow points or well-known binary; by default
        the only column of geometries (by the metadata of GeoArrow or GeoParquet), else `lon` and
        `lat` or `longitude` and `latitude`.
    metric : {"geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"}, optional
        By default geodesic in geographic coordinate systems and for columns named as longitudes and
        latitudes, euclidean in projected ones.
    edges : {"straight", "geodesic"}
        Of lines and polygons, as of `FeatureTree`.
    crs : optional
        The coordinate system of tables that state none.
    workers : int
        Threads; -1 for as many as there are CPUs.

    Returns
    -------
    Results
        The columns of `queries`, a row for each neighbor, nearest first, and `reference` (row of
        `points`, from 0, or `ids`), `rank` (from 1) and `distance`. Text and bytes have 64-bit
        offsets.

    Examples
    --------
    >>> import polars, gpuvoronoi.arrow  # doctest: +SKIP
    >>> ships = polars.DataFrame(  # doctest: +SKIP
    ...     {"ship": [7, 8], "lon": [4.9, 13.0], "lat": [52.4, 52.0]})
    >>> ports = polars.DataFrame(  # doctest: +SKIP
    ...     {"port": ["B", "L"], "lon": [13.4, -0.1], "lat": [52.5, 51.5]})
    >>> found = gpuvoronoi.arrow.nearest(ships, ports, ids="port")  # doctest: +SKIP
    >>> polars.DataFrame(found)["reference"].to_list()  # doctest: +SKIP
    ['L', 'B']
    """
    task, table, given = _task(
        queries, points, k, radius, how, columns, points_columns, metric, edges, crs, workers
    )
    if ids is not None:
        known = {column.field.name: column for column in table}
        if ids not in known:
            raise ValueError(f"ids: points has no column {ids!r}, only {', '.join(known)}")
        task.kept = [_named(known[ids], _OWN[0])]
        task.names = (None, *_OWN[1:])
    return Results(lambda: _begin(task, given, columns, crs))


def sjoin_nearest(
    left: Any,
    right: Any,
    how: str = "inner",
    max_distance: Optional[float] = None,
    rsuffix: str = "right",
    distance_col: Optional[str] = None,
    *,
    k: int = 1,
    left_columns: Union[None, str, Sequence[str]] = None,
    right_columns: Union[None, str, Sequence[str]] = None,
    metric: Optional[Metric] = None,
    edges: Edges = "straight",
    crs: Any = None,
    workers: int = -1,
) -> Results:
    """The columns of the nearest rows of another table beside those of each row.

    Parameters
    ----------
    left, right, how, k, metric, edges, crs, workers
        As `queries` and `points` of `nearest`, and its other parameters.
    max_distance : float, optional
        As `radius` of `nearest`.
    rsuffix : str
        Appended with an underscore to names of columns of `right` that `left` has too.
    distance_col : str, optional
        The name of a column for distances.
    left_columns, right_columns : str or sequence of str, optional
        As `columns` of `nearest`.

    Returns
    -------
    Results
        The columns of `left`, then those of `right` without its column of geometries. Of equal
        distances the first rows of `right` count, `k` at most (`gpuvoronoi.sjoin_nearest` has all).
    """
    limit = math.inf if max_distance is None else max_distance
    task, table, given = _task(
        left, right, k, limit, how, left_columns, right_columns, metric, edges, crs, workers
    )
    own = [column.field for column in table]
    chosen = _arrow_points.where(own, right_columns, "right").names
    kept = [column for column in table if len(chosen) > 1 or column.field.name not in chosen]
    task.names = (None, None, distance_col)

    def begin() -> tuple[list[Field], Iterator[list[Column]]]:
        fields, batches = _arrow_c.read(given, "left")
        taken = {field.name for field in fields}
        names = [column.field.name for column in kept]
        renamed = [f"{name}_{rsuffix}" if name in taken else name for name in names]
        named = dataclasses.replace(task, kept=[_named(*pair) for pair in zip(kept, renamed)])
        return _results(named, fields, batches, left_columns, crs)

    return Results(begin)


def query(
    tree: Tree,
    queries: Any,
    columns: Union[None, str, Sequence[str]] = None,
    *,
    k: int = 1,
    max_distance: float = math.inf,
    how: str = "inner",
    ids: Any = None,
    workers: int = -1,
) -> Results:
    """The nearest neighbors of the rows of a table in a tree that exists: one tree for many tables.

    Parameters
    ----------
    tree : GlobeTree, FeatureTree or KDTree
        What is searched. Positions of `queries` are in its coordinates, whatever their metadata
        state.
    queries, columns, k, how, workers
        As of `nearest`; a `KDTree` of m dimensions has m columns of coordinates.
    max_distance : float
        Inclusive, in the tree's unit.
    ids : array_like or Arrow array, optional
        What stands for each row of the tree in place of its number.

    Returns
    -------
    Results
        As of `nearest`.
    """
    task = _of_tree(tree, k, max_distance, how, ids, workers)
    return Results(lambda: _begin(task, queries, columns, None))


def search_batches(
    tree: Tree,
    batches: Any,
    columns: Union[str, Sequence[str]] = ("lon", "lat"),
    *,
    k: int = 1,
    max_distance: float = math.inf,
    how: str = "inner",
    ids: Any = None,
    workers: int = -1,
) -> Iterator[pyarrow.RecordBatch]:
    """`query` as an iterator of pyarrow's record batches; needs pyarrow.

    Parameters
    ----------
    tree, columns, k, max_distance, how, ids, workers
        As of `query`.
    batches : iterable of pyarrow.RecordBatch
        The queries: also a `pyarrow.RecordBatchReader`, `pyarrow.Table` or
        `pyarrow.dataset.Scanner`, or what `ParquetFile.iter_batches` returns. One batch is in
        memory at a time.

    Yields
    ------
    pyarrow.RecordBatch
        As of `query`. Rows with coordinates that are null or not finite have no neighbor.

    Examples
    --------
    >>> import pyarrow  # doctest: +SKIP
    >>> import gpuvoronoi
    >>> from gpuvoronoi.arrow import search_batches
    >>> names = ["Berlin", "London", "Paris"]
    >>> places = gpuvoronoi.GlobeTree([13.4, -0.1, 2.35], [52.5, 51.5, 48.85])
    >>> trips = pyarrow.table(  # doctest: +SKIP
    ...     {"trip": [7, 8], "lon": [4.9, None], "lat": [52.4, 50.0]})
    >>> batches = search_batches(places, trips, k=2, ids=names)  # doctest: +SKIP
    >>> found = pyarrow.Table.from_batches(batches)  # doctest: +SKIP
    >>> found.select(["trip", "reference", "rank"]).to_pylist()  # doctest: +SKIP
    [{'trip': 7, 'reference': 'London', 'rank': 1}, {'trip': 7, 'reference': 'Paris', 'rank': 2}]
    """
    pyarrow = package("pyarrow", "search_batches")
    task = _of_tree(tree, k, max_distance, how, ids, workers)

    def each() -> Iterator[Any]:
        fields, results = _begin(task, batches, columns, None, "batches")
        for made in results:
            one = Results(lambda: (fields, iter([made])))
            yield pyarrow.RecordBatchReader.from_stream(one).read_next_batch()

    return each()


def _of_tree(tree: Any, k: int, limit: float, how: str, ids: Any, workers: int) -> _Task:
    if not isinstance(tree, (KDTree, GlobeTree, FeatureTree)):
        raise TypeError(
            f"tree must be a KDTree, GlobeTree or FeatureTree, not {type(tree).__name__}"
        )
    task = _checked(tree, k, limit, how, workers)
    if ids is not None:
        column = _ids(ids)
        if column.length != tree.n:
            raise ValueError(
                f"ids must have one value for each of the tree's {tree.n} rows, not {column.length}"
            )
        task.kept, task.names = [_named(column, _OWN[0])], (None, *_OWN[1:])
    return task


def _checked(tree: Tree, k: int, limit: float, how: str, workers: int) -> _Task:
    if how not in ("inner", "left"):
        raise ValueError(f"how must be inner or left, not {how!r}")
    count, bound = number_in(k, "k", 1, 1024), real(limit, "max_distance", 0.0)
    worker_threads(workers)
    dim = tree.m if isinstance(tree, KDTree) else 2
    return _Task(tree, dim, count, bound, how == "left", workers)


def _ids(ids: Any) -> Column:
    if hasattr(ids, "__arrow_c_stream__") or hasattr(ids, "__arrow_c_array__"):
        return _whole(ids, "ids")[0]
    return _arrow_columns.of_array("ids", np.asarray(ids))


def _named(column: Column, name: str) -> Column:
    field = column.field
    return dataclasses.replace(
        column, field=dataclasses.replace(field, name=name, flags=field.flags | NULLABLE)
    )


def _whole(table: Any, argument: str) -> list[Column]:
    """All batches of a table at once, in memory of its own."""
    fields, batches = _arrow_c.read(table, argument)
    parts = [[column.take(np.arange(column.length)) for column in batch] for batch in batches]
    if not parts:
        raise ValueError(f"{argument}: missing rows")
    return [
        _arrow_columns.joined([part[i] for part in parts], field) for i, field in enumerate(fields)
    ]


def _task(
    queries: Any,
    points: Any,
    k: int,
    limit: float,
    how: str,
    columns: Any,
    points_columns: Any,
    metric: Optional[Metric],
    edges: Edges,
    crs: Any,
    workers: int,
) -> tuple[_Task, list[Column], Any]:
    """The search, the columns of `points`, and what has the queries."""
    table = _whole(_table(points), "points")
    of = _arrow_points.where([column.field for column in table], points_columns, "points")
    system = of.crs if of.crs is not None or crs is None else _crs.parse(crs, "crs")
    if system is None and not of.lonlat and metric is None:
        raise ValueError(_seeds.NO_METRIC)
    geographic = (
        system.is_geographic if system is not None else of.lonlat or metric in _c.GLOBE_METRICS
    )
    meant = joins.metric_of(metric, system, geographic)
    ellipsoid = _crs.ellipsoid(system) if geographic and system is not None else None
    known = {column.field.name: column for column in table}
    features = _arrow_points.features(known[of.names[0]])
    if features is not None:
        shapes = _seeds.Seeds(np.empty(0), np.empty(0), system, features=features)
        moved = _seeds.on_globe(shapes, "points") if geographic else shapes
        assert moved.features is not None
        tree: Tree = FeatureTree._of(moved.features, meant, edges, ellipsoid)
    else:
        at = _arrow_points.positions(known, of.names, 2)
        at = _on_globe(at, system, "points") if geographic else at
        if geographic:
            tree = GlobeTree(at[:, 0], at[:, 1], meant, ellipsoid, skip_invalid=True)
        else:
            tree = KDTree(at, metric=meant, skip_invalid=True)
    task = _checked(tree, k, limit, how, workers)
    task.crs = system
    return task, table, _table(queries)


def _table(given: Any) -> Any:
    """A GeoDataFrame as Arrow with GeoArrow's metadata, which its own stream lacks."""
    if all(hasattr(given, name) for name in ("geometry", "crs", "to_arrow")):
        return given.to_arrow(index=False)
    return given


def _on_globe(at: npt.NDArray[np.float64], crs: Any, argument: str) -> npt.NDArray[np.float64]:
    moved = _seeds.on_globe(_seeds.Seeds(at[:, 0], at[:, 1], crs), argument)
    return np.column_stack([moved.x, moved.y])


def _begin(
    task: _Task, queries: Any, columns: Any, crs: Any, argument: str = "queries"
) -> tuple[list[Field], Iterator[list[Column]]]:
    fields, batches = _arrow_c.read(queries, argument)
    return _results(task, fields, batches, columns, crs, argument)


def _results(
    task: _Task,
    fields: list[Field],
    batches: Iterator[list[Column]],
    columns: Any,
    crs: Any,
    argument: str = "queries",
) -> tuple[list[Field], Iterator[list[Column]]]:
    """The fields of the results, and their batches."""
    added = task.added()
    if not fields:
        return added, iter(())
    names = [field.name for field in fields]
    for field in added:
        if field.name in names:
            raise ValueError(
                f"{argument}: a column {field.name!r} is that of the result; rename it first"
            )
    of = _arrow_points.where(fields, columns, argument, task.dim)
    if task.crs is not None:
        own = of.crs if of.crs is not None or crs is None else _crs.parse(crs, "crs")
        joins.check_system((own, task.crs), (argument, "points"), "transform one of them")

    def made() -> Iterator[list[Column]]:
        step = max(1, _VALUES_AT_ONCE // task.k)
        for batch in batches:
            at = _arrow_points.positions(dict(zip(names, batch)), of.names, task.dim)
            for first in range(0, max(len(at), 1), step):
                yield _part(task, batch, first, at[first : first + step])

    return [*fields, *added], made()


def _part(
    task: _Task, batch: list[Column], first: int, at: npt.NDArray[np.float64]
) -> list[Column]:
    numbers, distances = _search(task, at)
    there = numbers >= 0
    kept = there.copy()
    if task.left:
        kept[:, 0] = True
    row, rank = np.nonzero(kept)
    missing, number = ~there[row, rank], numbers[row, rank]
    made = [column.take(row + first) for column in batch]
    made += [column.take(number) for column in task.kept]
    own: tuple[npt.NDArray[Any], ...] = (number, (rank + 1).astype(np.int32), distances[row, rank])
    for name, values in zip(task.names, own):
        if name is not None:
            made.append(_arrow_columns.of_array(name, values, missing))
    return made


def _search(
    task: _Task, at: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Numbers of neighbors (-1: none) and distances, positions x k. Positions that are not finite
    have none."""
    tree, ranks = task.tree, range(1, task.k + 1)
    globe = not isinstance(tree, KDTree) and getattr(tree, "metric", "") in _c.GLOBE_METRICS
    if globe and task.crs is not None:
        at = _on_globe(at, task.crs, "queries")
    rows = usable(tuple(at.T), True, globe)
    good: Any = slice(None) if rows is None else rows
    numbers = np.full((len(at), task.k), -1, np.int64)
    distances = np.full((len(at), task.k), math.inf)
    queries = np.ascontiguousarray(at[good])
    if len(queries) > 0 and tree.n > 0:
        if isinstance(tree, KDTree):
            limit = task.limit  # scipy's bound is strict
            bound = limit if math.isinf(limit) else float(np.nextafter(limit, math.inf))
            found: tuple[Any, ...] = tree.query(
                queries, ranks, distance_upper_bound=bound, workers=task.workers
            )
        else:
            found = tree.query(queries[:, 0], queries[:, 1], ranks, task.limit, task.workers)
        distances[good] = found[0]
        numbers[good] = np.where(found[1] < tree.n, found[1], -1)
    return numbers, distances
