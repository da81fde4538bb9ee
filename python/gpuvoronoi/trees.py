"""Nearest neighbors of points of k dimensions."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
import threading
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _c, _device_arrays, _radius, _search
from ._library import Handle, Progress, device_number, library, worker_threads
from ._options import TreeMetric
from ._search import Nearest, Neighbors, OneNearest, SupportsArray

_NORMS = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}
_POWER, _MOST_POWER = "minkowski ", 1 << 20  # a norm's name ends with its power
_PRODUCTS = ("cosine", "inner_product")
_MEASURES = ("euclidean", "manhattan", "chebyshev", *_PRODUCTS)
_BUILT_LARGE = 200_000


class KDTree(_search.Fixed):
    """Exact nearest neighbors in k dimensions, with the signature of `scipy.spatial.KDTree`.

    Parameters
    ----------
    data : array_like, shape (n, m)
        The points, float32 or float64 (others become float64). They are copied: later changes of
        the array do not count. Arrays on a GPU (CuPy, torch) stay there and are searched there.
    leafsize, compact_nodes, copy_data, balanced_tree
        scipy's; accepted, of no influence on results.
    boxsize : float or array_like, shape (m,), optional
        Lengths of a periodic box; 0 for a dimension that is not periodic. Points lie in [0,
        boxsize), queries are moved into the box. GPUs are not used.
    metric : {"euclidean", "manhattan", "chebyshev", "cosine", "inner_product"}
        What is measured by methods that are not given `p`. "cosine" is 1 - cosine of the angle
        between vectors, "inner_product" the negative inner product, so that the largest comes
        first; both without `p`.
    backend : str
        A name that ``python -m gpuvoronoi`` lists, or "auto". All give the same results.
    device : int, optional
        The GPU for backends that use one; the first usable one by default.
    skip_invalid : bool
        Points with a coordinate that is missing or not finite are not neighbors, and queries with
        one have none, where both are errors otherwise. The other points keep their indices. Not for
        arrays on a GPU.

    Attributes
    ----------
    data : ndarray, shape (n, m)
        Read-only.
    n, m : int
    mins, maxes : ndarray, shape (m,)

    Notes
    -----
    Of points at the same distance the lowest index comes first; scipy leaves their order open. What
    counts is the distance before its last step is rounded: of Euclidean ones the square, of
    Minkowski ones the power, so of points with equal returned distances a later one may come first.
    Distances are computed in float64. Any number of threads may query one tree. A tree may be
    pickled; it is built again when it is loaded.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuvoronoi import KDTree
    >>> tree = KDTree([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0]])
    >>> tree.query([0.0, 1.0])
    (1.0, 0)
    >>> distances, indices = tree.query([[3.0, 3.0], [9.0, 0.0]], k=2)
    >>> indices
    array([[1, 0],
           [2, 1]])
    """

    def __init__(
        self,
        data: npt.ArrayLike,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Optional[npt.ArrayLike] = None,
        *,
        metric: TreeMetric = "euclidean",
        backend: str = "auto",
        device: Optional[int] = None,
        skip_invalid: bool = False,
    ) -> None:
        if isinstance(leafsize, str):
            raise TypeError(
                f"leafsize must be an integer, not {leafsize!r} (give metric by its name)"
            )
        _search.number_in(leafsize, "leafsize", 1, 1 << 62)
        if not isinstance(metric, str):
            raise TypeError(f"metric must be a string, not {type(metric).__name__}")
        if metric not in _MEASURES:
            globe = ": use gpuvoronoi.GlobeTree" if metric in _c.GLOBE_METRICS else ""
            raise ValueError(f"metric must be one of {', '.join(_MEASURES)}, not {metric!r}{globe}")
        points = _coordinates(data, "data")
        if points.ndim != 2 or not 1 <= points.shape[1] <= _c.MAX_DIM:
            raise ValueError(
                f"data must have the shape (n, m), with m from 1 to {_c.MAX_DIM}, not "
                f"{points.shape}"
            )
        # A tree searches one state of its data: other metrics are built later from the same values.
        self._skip, self._rows = bool(skip_invalid), None
        if isinstance(points, _device_arrays.DeviceArray):
            self._no_skipping("data")
            points = _device_arrays.copied(points)
            self.data: Any = points.owner
        else:
            points = points.copy() if np.may_share_memory(points, data) else points
            points.setflags(write=False)
            self.data = points
            self._rows = _search.usable(points.T, self._skip)
        self._given = points if self._rows is None else points[self._rows]
        self.n, self.m = map(int, points.shape)
        self._searched = self.n if self._rows is None else self._rows.size
        self.metric, self.backend, self.device = metric, backend, device
        self.leafsize, self.boxsize = leafsize, None if boxsize is None else self._box(boxsize)
        self._backend, self._device = _search.backend_name(backend), device_number(device)
        self._lock = threading.Lock()
        self._built: dict[str, Handle] = {}
        if self._searched > 0:
            self._index(metric)

    def _no_skipping(self, argument: str) -> None:
        if self._skip:
            raise TypeError(
                f"{argument}: skip_invalid is not supported for arrays on a GPU; leave such points "
                "out before"
            )

    def _box(self, boxsize: npt.ArrayLike) -> _search.Floats:
        array = _search.plain_array(boxsize, "boxsize").astype(np.float64)
        if array.ndim > 1 or array.shape not in ((), (1,), (self.m,)):
            raise ValueError(
                f"boxsize must be a number or {self.m} numbers, not of shape {array.shape}"
            )
        lengths = np.ascontiguousarray(np.broadcast_to(array, (self.m,)))
        if not (np.isfinite(lengths) & (lengths >= 0)).all():
            raise ValueError(f"boxsize must be finite numbers >= 0, not {lengths.tolist()}")
        if isinstance(self._given, _device_arrays.DeviceArray):
            raise TypeError(
                "boxsize is not supported for arrays on a GPU: copy data to the host first, e.g. "
                "by cupy.asnumpy"
            )
        periodic = lengths > 0
        outside = ((self._given < 0) | (self._given >= lengths))[:, periodic].any(axis=1)
        if outside.any():
            raise ValueError(
                f"data[{int(outside.argmax())}] is outside the periodic box; points must be in [0, "
                "boxsize)"
            )
        lengths.setflags(write=False)
        return lengths

    def _index(self, metric: str) -> Handle:
        with self._lock:
            if metric not in self._built:
                c, address = library(), c_void_p()
                name, _, power = metric.partition(" ")
                for other in [one for one in self._built if power and one.startswith(_POWER)]:
                    del self._built[other]  # of these the last is kept
                options = _c.IndexOptions(
                    backend=self._backend,
                    metric=_c.POINT_METRICS.index(name.replace("_", "-")),
                    power=float(power or 2.0),
                    periods=None if self.boxsize is None else self.boxsize.ctypes.data,
                )
                large = self.n > _BUILT_LARGE
                if isinstance(self._given, _device_arrays.DeviceArray):
                    large = False  # milliseconds: this thread's context has its buffers on the GPU
                    points = _device_arrays.take(self.data, "data")
                    there = _c.ArrayOptions(memory=_c.MEMORY_CUDA, stream=points.stream)
                    rows, options.array_options = points.rows(self.m), ctypes.addressof(there)
                else:
                    rows = _points(self._given)
                self._built[metric] = _search.made(
                    c.gv_index_build,
                    c.gv_index_destroy,
                    rows,
                    options,
                    address,
                    threads=0,
                    device=self._device,
                    large=large,
                    argument="data",
                )
            return self._built[metric]

    @property
    def maxes(self) -> npt.NDArray[Any]:
        return np.asarray(
            np.amax(self.data if self._rows is None else self._given, axis=0)
            if self._searched
            else np.zeros(self.m)
        )

    @property
    def mins(self) -> npt.NDArray[Any]:
        return np.asarray(
            np.amin(self.data if self._rows is None else self._given, axis=0)
            if self._searched
            else np.zeros(self.m)
        )

    @overload
    def query(
        self,
        x: Union[npt.NDArray[Any], Sequence[Sequence[float]], SupportsArray],
        k: Neighbors = ...,
        eps: float = ...,
        p: Optional[float] = ...,
        distance_upper_bound: float = ...,
        workers: int = ...,
        *,
        exclude_self: bool = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> Nearest: ...

    @overload
    def query(
        self,
        x: Sequence[float],
        k: Neighbors = ...,
        eps: float = ...,
        p: Optional[float] = ...,
        distance_upper_bound: float = ...,
        workers: int = ...,
        *,
        exclude_self: bool = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> OneNearest: ...

    def query(
        self,
        x: npt.ArrayLike,
        k: Neighbors = 1,
        eps: float = 0,
        p: Optional[float] = None,
        distance_upper_bound: float = math.inf,
        workers: int = 1,
        *,
        exclude_self: bool = False,
        mask: Optional[npt.ArrayLike] = None,
        progress: Progress = None,
    ) -> OneNearest:
        """The nearest points of each of `x`.

        Parameters
        ----------
        x : array_like, last dimension m
            The query points. An array on a GPU (CuPy, torch) is supported by GPU backends; `d` and
            `i` are then arrays on the GPU, too.
        k : int or sequence of int
            How many neighbors, on a GPU up to 1024; or which ones, counted from 1.
        eps : float
            scipy's permission to approximate. Results are exact anyway.
        p : float, optional
            The norm, as scipy counts them, 1 to 2^20 or inf; that of the tree's `metric` by
            default. Others than 1, 2 and inf are for CPUs.
        distance_upper_bound : float
            Only points with a distance `d` less than this count. (scipy compares squares, which may
            differ in the last bit.)
        workers : int
            Threads; -1 for as many as there are CPUs.
        exclude_self : bool
            `x` are the tree's points, in their order: none of them is its own neighbor; others in
            its place are. Not for arrays on a GPU.
        mask : array_like, optional
            Of the shape of the queries: those where it is 0, False or NaN have no neighbor,
            whatever their coordinates.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        d : float or ndarray of float64
            Distances; the shape is that of `x` without its last axis, with an axis of `k` unless
            `k` is 1. inf where there are fewer neighbors.
        i : int or ndarray of intp
            Indices into `data`; `n` where there are fewer neighbors.

        Examples
        --------
        >>> from gpuvoronoi import KDTree
        >>> KDTree([[0.0], [1.0], [5.0]]).query([[0.9]], k=[1, 3], distance_upper_bound=2.0)
        (array([[0.1, inf]]), array([[1, 3]]))
        """
        queries = self._queries(x)
        _search.real(eps, "eps", 0.0)
        metric = self._metric(p)
        least = -math.inf if metric == "inner_product" else 0.0
        bound = _search.real(distance_upper_bound, "distance_upper_bound", least)
        threads = worker_threads(workers)
        most, columns = _search.wanted(k, _c.MAX_K_CPU - bool(exclude_self))
        shape = queries.shape[:-1]
        index = self._index(metric) if self._searched > 0 and bound > least else None
        if isinstance(queries, _device_arrays.DeviceArray):
            self._no_skipping("x")
            if mask is not None:
                raise TypeError(
                    "x: mask is not supported for arrays on a GPU; leave such queries out"
                )
            if exclude_self:
                raise TypeError("x: exclude_self is not supported for arrays on a GPU; use k + 1")
            return _search.shaped(
                *_device_arrays.search(
                    index,
                    queries,
                    self.m,
                    most,
                    _search.strictly_below(bound),
                    self.n,
                    threads,
                    self._device,
                ),
                shape,
                k,
                columns,
            )
        flat = queries.reshape(-1, self.m)
        count, usable_rows = (
            len(flat),
            _search.usable(flat.T, self._skip, mask=_search.mask_of(mask, shape, self.n)),
        )
        flat = flat if usable_rows is None else flat[usable_rows]
        if exclude_self:
            _search.queries_are_points(count, self.n)
        distances, indices = _search.search(
            index,
            lambda first, end: _points(flat[first:end]),
            len(flat),
            most + bool(exclude_self),
            _search.strictly_below(bound),
            self._searched,
            float(self._searched * self.m),
            threads,
            self._device,
            progress,
            "x",
        )
        result = _search.spread(distances, indices, self._rows, self.n, usable_rows, count)
        return _search.shaped(
            *(_search.without_self(*result) if exclude_self else result), shape, k, columns
        )

    def _queries(self, x: npt.ArrayLike) -> Any:
        queries = _coordinates(x, "x")
        if queries.ndim == 0 or queries.shape[-1] != self.m:
            raise ValueError(
                f"x must have a last dimension of {self.m}, not the shape {queries.shape}"
            )
        return queries

    def _metric(self, p: Optional[float]) -> str:
        if p is not None and self.metric in _PRODUCTS:
            raise ValueError(f"p is not supported with metric={self.metric!r}: leave it out")
        if p is None:
            return self.metric
        norm = _search.real(p, "p", 1.0)
        if norm > _MOST_POWER and norm != math.inf:
            raise ValueError(f"p must be from 1 to {_MOST_POWER}, or inf, not {p}")
        return _NORMS.get(norm) or f"{_POWER}{norm!r}"

    def _queries_of(
        self, points: npt.NDArray[Any], metric: str, threads: int, argument: str
    ) -> _radius.Queries:
        index = self._index(metric) if self._searched > 0 else None
        return _radius.Queries(
            index,
            lambda first, end: _points(points[first:end]),
            len(points),
            self._searched,
            threads,
            self._device,
            argument,
        )

    def _own(self) -> npt.NDArray[Any]:
        """The tree's usable points, as queries of another."""
        if isinstance(self._given, _device_arrays.DeviceArray):
            raise TypeError(
                "data is an array on a GPU: copy it to the host first, e.g. by cupy.asnumpy, for "
                "searches of trees in trees"
            )
        return np.asarray(self._given)

    def _other(self, other: Any) -> KDTree:
        if not isinstance(other, KDTree):
            raise TypeError(f"other must be a gpuvoronoi.KDTree, not {type(other).__name__}")
        if other.m != self.m:
            raise ValueError(f"other must have {self.m} dimensions, not {other.m}")
        return other

    def query_ball_point(
        self,
        x: npt.ArrayLike,
        r: npt.ArrayLike,
        p: Optional[float] = None,
        eps: float = 0,
        workers: int = 1,
        return_sorted: Optional[bool] = None,
        return_length: bool = False,
    ) -> Union[list[int], npt.NDArray[np.object_], int, npt.NDArray[np.intp]]:
        """The points within a distance of each of `x`.

        Parameters
        ----------
        x : array_like, last dimension m
            The query points, on the host.
        r : float or array_like
            Radii, of a shape that broadcasts to that of `x` without its last axis. Inclusive, by
            the distance that `query` gives. (scipy compares squares, which may differ in the last
            bits.)
        p, eps, workers
            As of `query`.
        return_sorted : bool, optional
            True: each list is in the order of indices. False: nearest first, of distances that are
            equal before the root the lowest index. None: True for several places, False for one.
        return_length : bool
            The numbers of points instead of lists.

        Returns
        -------
        list or ndarray of object
            Of one place a list of indices, else an array of lists; with `return_length` an int or
            an array of ints.

        Examples
        --------
        >>> from gpuvoronoi import KDTree
        >>> tree = KDTree([[0.0], [1.0], [5.0]])
        >>> tree.query_ball_point([0.6], 1.0)
        [1, 0]
        >>> tree.query_ball_point([[0.6], [3.0]], [1.0, 2.0]).tolist()
        [[0, 1], [1, 2]]
        """
        queries = self._queries(x)
        if isinstance(queries, _device_arrays.DeviceArray):
            raise TypeError(
                "x is an array on a GPU, which only query takes: copy it to the host first, e.g. "
                "by cupy.asnumpy"
            )
        shape = queries.shape[:-1]
        radius = _radius.radii(r, "r", shape)
        _search.real(eps, "eps", 0.0)
        metric, threads = self._metric(p), worker_threads(workers)
        flat = queries.reshape(-1, self.m)
        count, usable_rows = len(flat), _search.usable(flat.T, self._skip)
        flat = flat if usable_rows is None else flat[usable_rows]
        batch, radius = (
            self._queries_of(flat, metric, threads, "x"),
            _radius.places(radius, usable_rows),
        )
        if return_length:
            found = _radius.spread(
                _radius.Found(_radius.count(batch, radius), np.empty(0, np.intp), np.empty(0)),
                None,
                usable_rows,
                count,
            )
            lengths = np.diff(found.offsets).astype(np.intp).reshape(shape)
            return int(lengths) if shape == () else lengths
        by_number = shape != () if return_sorted is None else bool(return_sorted)
        found = _radius.spread(
            _radius.search(batch, radius, by_number=by_number), self._rows, usable_rows, count
        )
        return _radius.lists(found, shape, self.n)

    def _within(
        self,
        points: npt.NDArray[Any],
        radius: Any,
        own: bool,
        distances: bool,
        workers: int,
        p: Optional[float] = None,
    ) -> _radius.Found:
        """The points within a radius (of each) of others, or (own) of each of its own among the
        others; nearest first."""
        batch = self._queries_of(points, self._metric(p), worker_threads(workers), "X")
        if own:
            batch = dataclasses.replace(batch, points=None)
        return _radius.search(batch, radius, distances=distances, exclude_self=own)

    def _found_in(
        self, other: KDTree, r: float, p: Optional[float], eps: float, name: str, distances: bool
    ) -> _radius.Found:
        """The points of another tree within r of each of this one's."""
        radius = _search.real(r, name, 0.0)
        _search.real(eps, "eps", 0.0)
        own = self._own()
        found = _radius.search(
            other._queries_of(own, self._metric(p), 0, "data"),
            radius,
            by_number=True,
            distances=distances,
        )
        return _radius.spread(found, other._rows, self._rows, self.n)

    def query_ball_tree(
        self, other: KDTree, r: float, p: Optional[float] = None, eps: float = 0
    ) -> list[list[int]]:
        """The points of another tree within a distance of each of this tree's.

        Parameters
        ----------
        other : KDTree
        r : float
            Inclusive.
        p, eps
            As of `query`.

        Returns
        -------
        list of list of int
            For each point of this tree indices of `other`, ascending.
        """
        found = self._found_in(self._other(other), r, p, eps, "r", False)
        return cast("list[list[int]]", list(_radius.lists(found, (self.n,), other.n)))

    def query_pairs(
        self, r: float, p: Optional[float] = None, eps: float = 0, output_type: str = "set"
    ) -> Union[set[tuple[int, int]], npt.NDArray[np.intp]]:
        """The pairs of points of the tree within a distance of each other.

        Parameters
        ----------
        r : float
            Inclusive.
        p, eps
            As of `query`.
        output_type : {"set", "ndarray"}

        Returns
        -------
        set of (int, int) or ndarray of intp, shape (pairs, 2)
            Pairs (i, j) with i < j; the array is in this order.

        Examples
        --------
        >>> from gpuvoronoi import KDTree
        >>> KDTree([[0.0], [1.0], [5.0]]).query_pairs(1.0)
        {(0, 1)}
        """
        if output_type not in ("set", "ndarray"):
            raise ValueError(f"output_type must be set or ndarray, not {output_type!r}")
        radius, metric = _search.real(r, "r", 0.0), self._metric(p)
        _search.real(eps, "eps", 0.0)
        index = self._index(metric) if self._searched > 0 else None
        batch = _radius.Queries(
            index, None, self._searched, self._searched, 0, self._device, "data"
        )
        pairs = _radius.pairs(batch, radius)
        pairs = pairs if self._rows is None else self._rows[pairs]
        return pairs if output_type == "ndarray" else _radius.as_set(pairs)

    def count_neighbors(
        self,
        other: KDTree,
        r: npt.ArrayLike,
        p: Optional[float] = None,
        weights: Any = None,
        cumulative: bool = True,
    ) -> _radius.Counts:
        """How many pairs of a point of this tree and one of another are within a distance of each
        other.

        Parameters
        ----------
        other : KDTree
            The other tree, or this one.
        r : float or sequence of float
            Radii, inclusive; below 0 there are no pairs.
        p
            As of `query`.
        weights : array_like or (array_like, array_like), optional
            A weight for each point of this tree and of `other`, either of which may be None:
            products of weights are added up instead. One array stands for both if they are the same
            tree.
        cumulative : bool
            False: for each radius but the first the pairs between the one before, exclusive, and
            this one. Radii must not decrease then.

        Returns
        -------
        int, float or ndarray
            Of intp, of float64 with weights. Time grows with the number of pairs.
        """
        given = self._other(other)
        if weights is None or isinstance(weights, tuple):
            pair = (None, None) if weights is None else weights
        elif given is self:
            pair = (weights, weights)
        else:
            raise ValueError(
                "weights must be a tuple of two, for this tree and for other, as they are "
                "different trees"
            )
        if len(pair) != 2:
            raise ValueError(f"weights must be an array or a tuple of two, not of {len(pair)}")
        of = (_weights(pair[0], self), _weights(pair[1], given))
        return _radius.pair_counts(
            given._queries_of(self._own(), self._metric(p), 0, "data"), r, of, bool(cumulative)
        )

    def sparse_distance_matrix(
        self,
        other: KDTree,
        max_distance: float,
        p: Optional[float] = None,
        output_type: str = "dok_matrix",
    ) -> _radius.Sparse:
        """Distances from this tree's points to those of another, as far as they are within a
        distance.

        Parameters
        ----------
        other : KDTree
        max_distance : float
            Inclusive.
        p
            As of `query`.
        output_type : {"dok_matrix", "coo_matrix", "dok_array", "coo_array", "dict", "ndarray"}
            "ndarray": records of i, j and v, in the order of (i, j). The first four are scipy's and
            need it.

        Returns
        -------
        dok_matrix, coo_matrix, dok_array, coo_array, dict or ndarray
            Distances of 0 are entries too.
        """
        if output_type not in _radius.SPARSE:
            raise ValueError(
                f"output_type must be one of {', '.join(_radius.SPARSE)}, not {output_type!r}"
            )
        given = self._other(other)
        found = self._found_in(given, max_distance, p, 0, "max_distance", True)
        return _radius.sparse(found, (self.n, given.n), output_type)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        box = "" if self.boxsize is None else f", boxsize={self.boxsize.tolist()}"
        return (
            f"KDTree(n={self.n}, m={self.m}, metric={self.metric!r}, backend={self.backend!r}{box})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        made = functools.partial(
            type(self),
            metric=self.metric,
            backend=self.backend,
            device=self.device,
            boxsize=self.boxsize,
            skip_invalid=self._skip,
        )
        return made, (self.data, self.leafsize)

    if not TYPE_CHECKING:  # type checkers report unknown attributes themselves

        def __getattr__(self, name: str) -> Any:
            if name in ("tree", "size", "innernode", "leafnode", "node", "indices"):
                raise AttributeError(
                    f"gpuvoronoi.KDTree has no {name}: its nodes are not accessible; len() of it "
                    "is the number of "
                    "points, scipy.spatial.KDTree has nodes"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _weights(weights: Any, tree: KDTree) -> Optional[_search.Floats]:
    """Of the points that are searched."""
    if weights is None:
        return None
    array = _search.plain_array(weights, "weights").astype(np.float64)
    if array.shape != (tree.n,):
        raise ValueError(f"weights must have the shape ({tree.n},), not {array.shape}")
    return array if tree._rows is None else array[tree._rows]


def _coordinates(value: Any, name: str) -> Any:
    return (
        _device_arrays.take(value, name)
        if _device_arrays.found(value)
        else _search.as_coordinates(value, name)
    )


def _points(array: npt.NDArray[Any]) -> _c.Points:
    kind = _c.FLOAT32 if array.dtype == np.float32 else _c.FLOAT64
    return _c.Points(data=array.ctypes.data, count=array.shape[0], dim=array.shape[1], dtype=kind)
