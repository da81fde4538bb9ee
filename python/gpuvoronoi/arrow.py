"""Searches over Arrow record batches, in memory that does not grow with their number: `search_batches`. Importing this module needs pyarrow."""

from __future__ import annotations

import math
from typing import Any, Iterable, Iterator, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._packages import package
from ._library import worker_threads
from ._search import number_in, real
from .features import FeatureTree
from .globe_trees import GlobeTree
from .trees import KDTree

pyarrow = package("pyarrow", "gpuvoronoi.arrow")

__all__ = ["search_batches"]

_VALUES_AT_ONCE = 1 << 22  # distances of a part of a batch
_OWN = ("reference", "rank", "distance")
_POINT_BYTES = 21  # of well-known binary: the order of bytes, the type, x, y


def search_batches(
    tree: Union[KDTree, GlobeTree, FeatureTree],
    batches: Any,
    columns: Union[str, Sequence[str]] = ("lon", "lat"),
    *,
    k: int = 1,
    max_distance: float = math.inf,
    how: str = "inner",
    ids: Any = None,
    workers: int = -1,
) -> Iterator[Any]:
    """The nearest neighbors of the rows of record batches, batch by batch.

    Parameters
    ----------
    tree : GlobeTree, FeatureTree or KDTree
        What is searched.
    batches : iterable of pyarrow.RecordBatch
        The queries: also a `pyarrow.RecordBatchReader`, `pyarrow.Table` or `pyarrow.dataset.Scanner`, or what `ParquetFile.iter_batches` returns. One batch
        is in memory at a time.
    columns : str or sequence of str
        The columns of coordinates; or one column of points as well-known binary (GeoParquet) or as structs of x and y (GeoArrow).
    k : int
        How many neighbors of each row.
    max_distance : float
        Inclusive, in the tree's unit.
    how : {"inner", "left"}
        Rows without a neighbor are left out, or stay with nulls.
    ids : array_like or pyarrow.Array, optional
        What stands for each row of the tree in place of its number.
    workers : int
        Threads; -1 for as many as there are CPUs.

    Yields
    ------
    pyarrow.RecordBatch
        The columns of the batch, a row for each neighbor, nearest first, and `reference`, `rank` (from 1) and `distance`. Rows with coordinates that are null
        or not finite have no neighbor.

    Examples
    --------
    >>> import pyarrow
    >>> import gpuvoronoi
    >>> from gpuvoronoi.arrow import search_batches
    >>> places = gpuvoronoi.GlobeTree([13.4, -0.1, 2.35], [52.5, 51.5, 48.85])  # Berlin, London, Paris
    >>> trips = pyarrow.table({"trip": [7, 8], "lon": [4.9, None], "lat": [52.4, 50.0]})
    >>> found = pyarrow.Table.from_batches(search_batches(places, trips, k=2, ids=["Berlin", "London", "Paris"]))
    >>> found.select(["trip", "reference", "rank"]).to_pylist()
    [{'trip': 7, 'reference': 'London', 'rank': 1}, {'trip': 7, 'reference': 'Paris', 'rank': 2}]
    """
    if not isinstance(tree, (KDTree, GlobeTree, FeatureTree)):
        raise TypeError(
            f"tree must be a KDTree, GlobeTree or FeatureTree, not {type(tree).__name__}"
        )
    if how not in ("inner", "left"):
        raise ValueError(f"how must be inner or left, not {how!r}")
    count, limit = number_in(k, "k", 1, 1024), real(max_distance, "max_distance", 0.0)
    worker_threads(workers)
    names = [columns] if isinstance(columns, str) else list(columns)
    wanted = tree.m if isinstance(tree, KDTree) else 2
    if len(names) not in (1, wanted):
        raise ValueError(
            f"columns must be {wanted} columns of coordinates, or one of points, not {len(names)}"
        )
    values = (
        None
        if ids is None
        else ids
        if isinstance(ids, (pyarrow.Array, pyarrow.ChunkedArray))
        else pyarrow.array(ids)
    )
    if values is not None and len(values) != tree.n:
        raise ValueError(
            f"ids must have one value for each of the tree's {tree.n} rows, not {len(values)}"
        )
    return _results(
        tree, _batches_of(batches), names, wanted, count, limit, how == "left", values, workers
    )


def _batches_of(given: Any) -> Iterable[Any]:
    for method in ("to_batches", "iter_batches"):
        if hasattr(given, method):
            return getattr(given, method)()  # type: ignore[no-any-return]
    if isinstance(given, pyarrow.RecordBatch):
        return [given]
    return given  # type: ignore[no-any-return]


def _results(
    tree: Any,
    batches: Iterable[Any],
    names: list[str],
    dim: int,
    k: int,
    limit: float,
    left: bool,
    ids: Any,
    workers: int,
) -> Iterator[Any]:
    for batch in batches:
        if not isinstance(batch, pyarrow.RecordBatch):
            raise TypeError(f"batches must be pyarrow.RecordBatch, not {type(batch).__name__}")
        taken = [name for name in _OWN if name in batch.schema.names]
        if taken:
            raise ValueError(
                f"batches: a column {taken[0]!r} is that of the result; rename it first"
            )
        for name in names:
            if name not in batch.schema.names:
                raise ValueError(
                    f"columns: the batches have no column {name!r}, only {', '.join(batch.schema.names)}"
                )
        step = max(1, _VALUES_AT_ONCE // k)
        for first in range(0, max(batch.num_rows, 1), step):
            yield _result(tree, batch.slice(first, step), names, dim, k, limit, left, ids, workers)


def _result(
    tree: Any,
    batch: Any,
    names: list[str],
    dim: int,
    k: int,
    limit: float,
    left: bool,
    ids: Any,
    workers: int,
) -> Any:
    places = _places(batch, names, dim)
    good = np.isfinite(places).all(axis=1)
    if not isinstance(tree, KDTree) and getattr(tree, "metric", "") in ("geodesic", "great-circle"):
        good &= np.abs(places[:, 1]) <= 90.0
    ranks = list(range(1, k + 1))
    numbers, distances = np.full((len(places), k), tree.n), np.full((len(places), k), math.inf)
    if good.any():
        queries = np.ascontiguousarray(places[good])
        if isinstance(tree, KDTree):
            bound = (
                limit if math.isinf(limit) else float(np.nextafter(limit, math.inf))
            )  # scipy's is strict
            found = tree.query(queries, ranks, distance_upper_bound=bound, workers=workers)
        else:
            found = tree.query(queries[:, 0], queries[:, 1], ranks, limit, workers)
        distances[good], numbers[good] = found[0], found[1]
    there = numbers < tree.n
    kept = there.copy()
    if left:
        kept[:, 0] = True
    rows, columns = np.nonzero(kept)
    missing = ~there[rows, columns]
    made = batch.take(pyarrow.array(rows))
    reference = pyarrow.array(np.where(missing, 0, numbers[rows, columns]), mask=missing)
    added = [
        reference if ids is None else ids.take(reference),
        pyarrow.array((columns + 1).astype(np.int32), mask=missing),
        pyarrow.array(distances[rows, columns], mask=missing),
    ]
    added = [
        one.combine_chunks() if isinstance(one, pyarrow.ChunkedArray) else one for one in added
    ]
    return pyarrow.RecordBatch.from_arrays(
        [*made.columns, *added], names=[*made.schema.names, *_OWN]
    )


def _places(batch: Any, names: list[str], dim: int) -> npt.NDArray[np.float64]:
    """Coordinates, NaN where one is null."""
    arrays = [batch.column(batch.schema.get_field_index(name)) for name in names]
    if (
        len(arrays) == 1
        and dim > 1
        or pyarrow.types.is_struct(arrays[0].type)
        or pyarrow.types.is_binary(arrays[0].type)
    ):
        arrays = _of_points(arrays[0], names[0], dim)
    made = np.full((batch.num_rows, dim), np.nan)
    for i, (array, name) in enumerate(zip(arrays, [*names, *names[-1:] * dim])):
        try:
            floats = array.cast(pyarrow.float64())
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            raise TypeError(f"columns: {name!r} must be numbers, not {array.type}") from None
        made[:, i] = floats.to_numpy(zero_copy_only=False)
    return made


def _of_points(array: Any, name: str, dim: int) -> list[Any]:
    """x and y of a column of points."""
    if pyarrow.types.is_struct(array.type) and {"x", "y"} <= {
        array.type.field(i).name for i in range(array.type.num_fields)
    }:
        fields = [array.type.field(i).name for i in range(array.type.num_fields)]
        return [array.flatten()[fields.index(axis)] for axis in "xy"]
    if (
        not (pyarrow.types.is_binary(array.type) or pyarrow.types.is_large_binary(array.type))
        or dim != 2
    ):
        raise TypeError(
            f"columns: {name!r} must be points as well-known binary or structs of x and y, not {array.type}"
        )
    valid = np.asarray(array.is_valid())
    rows = array.filter(pyarrow.array(valid)).to_pylist()
    points = np.full((len(array), 2), np.nan)
    if any(len(row) != _POINT_BYTES or row[0] != 1 for row in rows):
        raise ValueError(
            f"columns: {name!r} must be points of two dimensions in little-endian well-known binary"
        )
    binary = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, _POINT_BYTES)
    if (binary[:, 1:5].copy().view(np.uint32) != 1).any():
        raise ValueError(f"columns: {name!r} must be points, not other geometries")
    points[valid] = binary[:, 5:].copy().view(np.float64)
    return [pyarrow.array(points[:, 0]), pyarrow.array(points[:, 1])]
