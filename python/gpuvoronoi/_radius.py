"""Searches by radius: the neighbors of many queries as offsets and flat arrays, and the forms in
which scipy and scikit-learn give them."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Optional, Union, cast

import numpy as np
import numpy.typing as npt

from . import _c, _search
from ._packages import package
from ._library import Handle, library, run
from ._search import Floats, Indices

if TYPE_CHECKING:
    import scipy.sparse

# Results, as they are documented where they are returned.
IndexArray = Union[npt.NDArray[np.intp], npt.NDArray[np.object_]]
DistanceArray = Union[npt.NDArray[np.float64], npt.NDArray[np.object_]]
Within = Union[int, npt.NDArray[np.intp], npt.NDArray[np.object_], tuple[IndexArray, DistanceArray]]
Counts = Union[int, float, npt.NDArray[np.intp], npt.NDArray[np.float64]]
Sparse = Union[
    dict[tuple[int, int], float],
    npt.NDArray[np.void],
    "scipy.sparse.coo_matrix",
    "scipy.sparse.dok_matrix",
    "scipy.sparse.coo_array",
    "scipy.sparse.dok_array",
]

_PAIRS_AT_ONCE = 1 << 22
_LISTS_AT_ONCE = 1 << 12
_COUNTED = 55  # neighbors that are found in the time in which those of a query are counted
_LARGE_QUERIES = 20_000


@dataclasses.dataclass(frozen=True)
class Queries:
    """A search: its index and queries; `points` makes the C struct of some of them; None: the
    index's own points."""

    handle: Optional[Handle]
    points: Optional[Callable[[int, int], Any]]
    queries: int
    searched: int  # the index's points
    threads: int
    device: int
    argument: str


class Found(NamedTuple):
    """Query i has indices[offsets[i]:offsets[i + 1]]."""

    offsets: npt.NDArray[np.int64]
    indices: Indices
    distances: Floats


def radii(value: Any, name: str, shape: tuple[int, ...]) -> Any:
    """A float, or an array of one radius for each query."""
    if np.ndim(value) == 0:
        return _search.real(value, name, 0.0)
    array = _search.plain_array(value, name).astype(np.float64)
    try:
        array = np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"{name} has the shape {array.shape}, which does not broadcast to that of the queries, "
            f"{shape}"
        ) from None
    if not (array >= 0).all():
        raise ValueError(f"{name} must be numbers >= 0")
    return np.ascontiguousarray(array).reshape(-1)


def _call(
    batch: Queries, options: Any, first: int, end: int, offsets: Any, indices: Any, distances: Any
) -> None:
    assert batch.handle is not None
    points = None if batch.points is None else byref(batch.points(first, end))
    large = (
        batch.queries > _LARGE_QUERIES or float(batch.queries) * batch.searched > _search.LARGE_WORK
    )
    run(
        library().gv_index_search_radius,
        batch.handle.address,
        points,
        byref(options),
        offsets.ctypes.data + 8 * first,
        None if indices is None else indices.ctypes.data,
        None if distances is None else distances.ctypes.data,
        threads=batch.threads,
        device=batch.device,
        large=large,
        argument=batch.argument,
    )


def _options(radius: Any, first: int, by_number: bool, exclude_self: bool = False) -> Any:
    options = _c.RadiusOptions(by_number=int(by_number), exclude_self=int(exclude_self))
    if isinstance(radius, float):
        options.radius = radius
    else:
        options.radii = radius.ctypes.data + 8 * first
    return options


def count(batch: Queries, radius: Any, exclude_self: bool = False) -> npt.NDArray[np.int64]:
    """Offsets of the neighbors of all queries."""
    offsets = np.zeros(batch.queries + 1, dtype=np.int64)
    if batch.handle is not None and batch.queries > 0:
        _call(
            batch, _options(radius, 0, False, exclude_self), 0, batch.queries, offsets, None, None
        )
    return offsets


def pairs(batch: Queries, radius: float) -> npt.NDArray[np.intp]:
    """Pairs of the index's own points in their order, of shape (pairs, 2)."""
    offsets = np.zeros(batch.queries + 1, dtype=np.int64)
    options, large = _c.RadiusOptions(radius=radius), batch.queries > _LARGE_QUERIES

    def call(found: Any) -> None:
        assert batch.handle is not None
        run(
            library().gv_index_search_pairs,
            batch.handle.address,
            byref(options),
            offsets.ctypes.data,
            found,
            threads=batch.threads,
            device=batch.device,
            large=large,
            argument=batch.argument,
        )

    if batch.handle is not None:
        call(None)
    found = np.empty((offsets[-1], 2), dtype=np.int64)
    if offsets[-1] > 0:
        call(found.ctypes.data)
    return found.astype(np.intp, copy=False)


def search(
    batch: Queries,
    radius: Any,
    *,
    by_number: bool = False,
    indices: bool = True,
    distances: bool = False,
    exclude_self: bool = False,
) -> Found:
    """The neighbors of all queries, nearest first or by number."""
    offsets = count(batch, radius, exclude_self)
    found = np.empty(offsets[-1] if indices else 0, dtype=np.int64)
    values = np.empty(offsets[-1] if distances else 0, dtype=np.float64)
    if offsets[-1] > 0:
        _call(
            batch,
            _options(radius, 0, by_number, exclude_self),
            0,
            batch.queries,
            offsets,
            found if indices else None,
            values if distances else None,
        )
    return Found(offsets, found.astype(np.intp, copy=False), values)


def _part_of(batch: Queries, first: int, end: int) -> Callable[[int, int], Any]:
    def part(_first: int, _end: int) -> Any:
        assert batch.points is not None
        return batch.points(first, end)

    return part


def _in_parts(batch: Queries, radius: float, offsets: Any, pairs: bool) -> Iterator[Any]:
    """The neighbors that `count` counted, some million pairs at a time: the queries' numbers, those
    of the neighbors (None without `pairs`), and distances. Only for queries that are given."""
    first = 0
    while first < batch.queries:
        end = max(
            int(np.searchsorted(offsets, offsets[first] + _PAIRS_AT_ONCE, side="right")) - 1,
            first + 1,
        )
        part = offsets[first : end + 1] - offsets[first]
        found = np.empty(part[-1], dtype=np.int64) if pairs else None
        values = np.empty(part[-1], dtype=np.float64)
        if part[-1] > 0:
            some = dataclasses.replace(batch, points=_part_of(batch, first, end))
            _call(some, _options(radius, 0, False), 0, end - first, part, found, values)
        yield (np.repeat(np.arange(first, end), np.diff(part)) if pairs else None, found, values)
        first = end


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Python's collector would look at all lists again and again while many are made, which takes
    longer than making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def as_set(pairs: npt.NDArray[np.intp]) -> set[tuple[int, int]]:
    with _no_collection():
        return set(zip(pairs[:, 0].tolist(), pairs[:, 1].tolist()))


def lists(
    found: Found, shape: tuple[int, ...], n: int
) -> Union[list[int], npt.NDArray[np.object_]]:
    """scipy's form: a list of indices, which are below n, of each query; of a single query the
    list."""
    if shape == ():
        return cast("list[int]", found.indices.tolist())
    # Where numbers come several times, lists share Python's objects.
    flat = np.arange(n).astype(object)[found.indices] if found.indices.size > n else found.indices
    ends = found.offsets.tolist()
    result = np.empty(len(ends) - 1, dtype=object)
    with _no_collection():
        for first in range(0, len(ends) - 1, _LISTS_AT_ONCE):
            last = min(first + _LISTS_AT_ONCE, len(ends) - 1)
            start, some = ends[first], flat[ends[first] : ends[last]].tolist()
            for i in range(first, last):
                result[i] = some[ends[i] - start : ends[i + 1] - start]
    return result.reshape(shape)


def arrays(found: Found, values: Any, shape: tuple[int, ...]) -> Any:
    """scikit-learn's form: an array of each query; of a single query the array."""
    if shape == ():
        return values
    ends = found.offsets.tolist()
    result = np.empty(len(ends) - 1, dtype=object)
    for i in range(len(ends) - 1):
        result[i] = values[ends[i] : ends[i + 1]]
    return result.reshape(shape)


def spread(
    found: Found, rows: Optional[Indices], usable_rows: Optional[Indices], queries: int
) -> Found:
    """What the queries `usable_rows` of `queries` found among the references `rows` (None: all of
    them), for all queries."""
    offsets, indices, distances = found
    if rows is not None:
        indices = rows[indices] if indices.size else indices
    if usable_rows is not None:
        counts = np.zeros(queries, dtype=np.int64)
        counts[usable_rows] = np.diff(offsets)
        offsets = np.concatenate([[0], np.cumsum(counts)])
    return Found(offsets, indices, distances)


def pair_counts(batch: Queries, radius: Any, weights: tuple[Any, Any], cumulative: bool) -> Counts:
    """scipy's count_neighbors: for each radius how many pairs are within it, or the sum of the
    products of their weights."""
    single = np.ndim(radius) == 0
    array = np.atleast_1d(_search.plain_array(radius, "r").astype(np.float64))
    if array.ndim != 1 or np.isnan(array).any():
        raise ValueError("r must be a number or a sequence of numbers, without NaN")
    if not cumulative and (np.diff(array) < 0).any():
        raise ValueError("r must not decrease if cumulative is False")
    wanted = np.unique(array[array >= 0])
    weighted = weights[0] is not None or weights[1] is not None
    totals = np.zeros(
        wanted.size + 1, dtype=np.float64 if weighted else np.int64
    )  # the first: radii below 0
    if batch.handle is not None and batch.queries > 0 and wanted.size > 0:
        offsets = count(batch, float(wanted[-1]))
        if not weighted and (wanted.size - 1) * _COUNTED * batch.queries <= offsets[-1]:
            totals[1:] = [*(count(batch, float(one))[-1] for one in wanted[:-1]), offsets[-1]]
        else:
            bins: Any = np.zeros(wanted.size, dtype=totals.dtype)
            for queries, indices, distances in _in_parts(
                batch, float(wanted[-1]), offsets, weighted
            ):
                of = None
                if weighted:
                    of = np.ones(queries.size) if weights[0] is None else weights[0][queries]
                    of = of if weights[1] is None else of * weights[1][indices]
                bins += np.bincount(np.searchsorted(wanted, distances), of, wanted.size).astype(
                    bins.dtype
                )
            totals[1:] = np.cumsum(bins)
    result = totals[np.searchsorted(wanted, array, side="right")]
    if not cumulative:
        result = np.diff(result, prepend=result.dtype.type(0))
    result = result if weighted else result.astype(np.intp)
    return cast(Counts, result[0] if single else result)


def sparse(found: Found, shape: tuple[int, int], output_type: str) -> Sparse:
    """Distances of pairs in one of scipy's forms."""
    rows = np.repeat(np.arange(found.offsets.size - 1, dtype=np.intp), np.diff(found.offsets))
    if output_type == "dict":
        return dict(zip(zip(rows.tolist(), found.indices.tolist()), found.distances.tolist()))
    if output_type == "ndarray":
        table = np.empty(
            rows.size,
            dtype=np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True),
        )
        table["i"], table["j"], table["v"] = rows, found.indices, found.distances
        return table
    sparse = package("scipy.sparse", f"output_type {output_type!r}", ", or use 'dict' or 'ndarray'")
    made = "coo_matrix" if output_type.endswith("matrix") else "coo_array"
    matrix = getattr(sparse, made)((found.distances, (rows, found.indices)), shape=shape)
    return matrix if output_type == made else matrix.todok()


SPARSE = ("dict", "ndarray", "coo_matrix", "dok_matrix", "coo_array", "dok_array")


def places(radius: Any, usable_rows: Optional[Indices]) -> Any:
    """Radii of the queries that are searched."""
    return (
        radius
        if usable_rows is None or isinstance(radius, float)
        else np.ascontiguousarray(radius[usable_rows])
    )
