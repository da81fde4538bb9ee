"""Nearest neighbours of points: :class:`KDTree` on k-dimensional data, :class:`GlobeTree` on the Earth."""

from __future__ import annotations

import functools
import math
import threading
from ctypes import c_void_p
from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _c, _device_arrays, _search
from ._library import Handle, Progress, device_number, library, worker_threads
from ._search import Neighbours

_NORMS = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}
_BUILT_LARGE = 200_000


class KDTree:
    """Exact nearest neighbours in k dimensions, with the signature of :class:`scipy.spatial.KDTree`.

    Parameters
    ----------
    data : array_like, shape (n, m)
        The points, float32 or float64 (others become float64). They are copied: later changes of the array do not count.
        Arrays on a GPU (CuPy, torch) stay there and are searched there.
    metric : {"euclidean", "manhattan", "chebyshev"}
        What `query` measures unless it is given `p`.
    backend : str
        A name that ``python -m gpuvoronoi`` lists, or "auto". All give the same answers.
    device : int, optional
        The GPU for backends that use one; the first usable one by default.
    leafsize, compact_nodes, copy_data, balanced_tree
        scipy's; accepted, of no influence on answers.
    skip_invalid : bool
        Points with a coordinate that is missing or not finite are no neighbours, and queries with one have none, where both
        are errors otherwise. The other points keep their indices. Not for arrays on a GPU.

    Attributes
    ----------
    data : ndarray, shape (n, m)
        Read-only.
    n, m : int
    mins, maxes : ndarray, shape (m,)

    Notes
    -----
    Of points at the same distance the lowest index comes first; scipy leaves their order open. Distances are computed
    in float64. Any number of threads may query one tree. A tree may be pickled; it is built again when it is loaded.

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

    def __init__(self, data: npt.ArrayLike, metric: str = "euclidean", backend: str = "auto",
                 device: Optional[int] = None, *, leafsize: int = 10, compact_nodes: bool = True,
                 copy_data: bool = False, balanced_tree: bool = True, boxsize: None = None, skip_invalid: bool = False) -> None:
        if boxsize is not None:
            raise ValueError("boxsize: periodic boundaries are not supported; use scipy.spatial.KDTree")
        if not isinstance(metric, str):
            raise TypeError(f"metric must be a string, not {type(metric).__name__} (give leafsize by its name)")
        if metric not in _NORMS.values():
            globe = ": use gpuvoronoi.GlobeTree" if metric in _c.GLOBE_METRICS else ""
            raise ValueError(f"metric must be euclidean, manhattan or chebyshev, not {metric!r}{globe}")
        points = _coordinates(data, "data")
        if points.ndim != 2 or not 1 <= points.shape[1] <= 4096:
            raise ValueError(f"data must have the shape (n, m), with m from 1 to 4096, not {points.shape}")
        # A tree answers from one state of its data: other metrics are built later from the same values.
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
        self.leafsize, self.boxsize = leafsize, boxsize
        self._backend, self._device = _search.backend_name(backend), device_number(device)
        self._lock = threading.Lock()
        self._built: dict[str, Handle] = {}
        if self._searched > 0:
            self._index(metric)

    def _no_skipping(self, argument: str) -> None:
        if self._skip:
            raise TypeError(f"{argument}: skip_invalid is not supported for arrays on a GPU; leave such points out before")

    def _index(self, metric: str) -> Handle:
        with self._lock:
            if metric not in self._built:
                c, address = library(), c_void_p()
                options = _c.IndexOptions(backend=self._backend, metric=_c.METRICS.index(metric))
                large = self.n > _BUILT_LARGE
                if isinstance(self._given, _device_arrays.DeviceArray):
                    large = False  # milliseconds: this thread's context, whose buffers on the GPU are there already
                    points = _device_arrays.take(self.data, "data")
                    rows, options.stream, options.memory = points.rows(self.m), points.stream, _c.MEMORY_CUDA
                else:
                    rows = _points(self._given)
                self._built[metric] = _search.made(
                    c.gv_index_build, c.gv_index_destroy, rows, options, address, threads=0,
                    device=self._device, large=large, argument="data")
            return self._built[metric]

    @property
    def maxes(self) -> npt.NDArray[Any]:
        return np.asarray(np.amax(self.data if self._rows is None else self._given, axis=0) if self._searched else np.zeros(self.m))

    @property
    def mins(self) -> npt.NDArray[Any]:
        return np.asarray(np.amin(self.data if self._rows is None else self._given, axis=0) if self._searched else np.zeros(self.m))

    def query(self, x: npt.ArrayLike, k: Neighbours = 1, eps: float = 0, p: Optional[float] = None,
              distance_upper_bound: float = math.inf, workers: int = 1, *, progress: Progress = None) -> tuple[Any, Any]:
        """The nearest points of each of `x`.

        Parameters
        ----------
        x : array_like, last dimension m
            The places to ask about. An array on a GPU (CuPy, torch), if the tree's backend is a GPU's: so are `d` and `i` then.
        k : int or sequence of int
            How many neighbours, up to 1024; or which ones, counted from 1.
        eps : float
            scipy's permission to answer approximately. Answers are exact anyway.
        p : {1, 2, inf}, optional
            The norm, as scipy counts them; that of the tree's `metric` by default.
        distance_upper_bound : float
            Only points whose distance `d` is less than this count. (scipy compares squares, which may differ in
            the last bit.)
        workers : int
            Threads; -1 for as many as there are processors.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        d : float or ndarray of float64
            Distances; the shape is that of `x` without its last axis, with an axis of `k` unless `k` is 1. inf where
            there are fewer neighbours.
        i : int or ndarray of intp
            Indices into `data`; `n` where there are fewer neighbours.

        Examples
        --------
        >>> from gpuvoronoi import KDTree
        >>> KDTree([[0.0], [1.0], [5.0]]).query([[0.9]], k=[1, 3], distance_upper_bound=2.0)
        (array([[0.1, inf]]), array([[1, 3]]))
        """
        queries = _coordinates(x, "x")
        if queries.ndim == 0 or queries.shape[-1] != self.m:
            raise ValueError(f"x must have a last dimension of {self.m}, not the shape {queries.shape}")
        _search.real(eps, "eps", 0.0)
        bound = _search.real(distance_upper_bound, "distance_upper_bound", 0.0)
        metric = self.metric if p is None else _NORMS.get(_search.real(p, "p"))
        if metric is None:
            raise ValueError(f"p must be 1, 2 or inf, not {p}; scipy.spatial.KDTree has other norms")
        threads = worker_threads(workers)
        most, columns = _search.wanted(k)
        shape = queries.shape[:-1]
        index = self._index(metric) if self._searched > 0 and bound > 0 else None
        if isinstance(queries, _device_arrays.DeviceArray):
            self._no_skipping("x")
            return _search.shaped(*_device_arrays.search(
                index, queries, self.m, most, _search.strictly_below(bound), self.n, threads, self._device), shape, k,
                columns)
        flat = queries.reshape(-1, self.m)
        count, asking = len(flat), _search.usable(flat.T, self._skip)
        flat = flat if asking is None else flat[asking]
        distances, indices = _search.search(
            index, lambda first, end: _points(flat[first:end]), len(flat), most,
            _search.strictly_below(bound), self._searched, float(self._searched * self.m), threads, self._device, progress, "x")
        return _search.shaped(*_search.spread(distances, indices, self._rows, self.n, asking, count), shape, k, columns)

    def __reduce__(self) -> tuple[Any, ...]:
        made = functools.partial(type(self), skip_invalid=self._skip)
        return made, (self.data, self.metric, self.backend, self.device), {"leafsize": self.leafsize}

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("query_", "count_", "sparse_")) or name in ("tree", "innernode", "leafnode", "node"):
            raise AttributeError(f"gpuvoronoi.KDTree has no {name}, only query; use scipy.spatial.KDTree for it")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _coordinates(value: Any, name: str) -> Any:
    return _device_arrays.take(value, name) if _device_arrays.found(value) else _search.as_coordinates(value, name)


def _points(array: npt.NDArray[Any]) -> _c.Points:
    kind = _c.FLOAT32 if array.dtype == np.float32 else _c.FLOAT64
    return _c.Points(data=array.ctypes.data, count=array.shape[0], dim=array.shape[1], dtype=kind)


class GlobeTree:
    """Exact nearest neighbours on the ellipsoid or the sphere.

    Parameters
    ----------
    lon, lat : array_like
        Degrees, of one shape. Longitudes wrap.
    metric : {"geodesic", "great-circle"}
        The shortest line on the ellipsoid, or the great circle on the sphere of radius (2a+b)/3.
    ellipsoid : (float, float), optional
        Semi-major axis in metres and flattening; WGS 84 by default.
    backend, device
        As of :class:`KDTree`.
    skip_invalid : bool
        Places with a coordinate that is missing or not finite, or a latitude beyond 90 degrees, are no neighbours, and
        queries with one have none, where both are errors otherwise. The other places keep their indices.

    Examples
    --------
    Fiji's airport is nearer to Samoa's than to Sydney's, across the antimeridian.

    >>> from gpuvoronoi import GlobeTree
    >>> tree = GlobeTree([-172.0, 151.2], [-13.8, -33.9])
    >>> metres, index = tree.query(177.4, -17.8)
    >>> index, round(metres / 1000)
    (0, 1219)
    """

    def __init__(self, lon: npt.ArrayLike, lat: npt.ArrayLike, metric: str = "geodesic",
                 ellipsoid: Optional[tuple[float, float]] = None, backend: str = "auto",
                 device: Optional[int] = None, skip_invalid: bool = False) -> None:
        if metric not in _c.GLOBE_METRICS:
            raise ValueError(f"metric must be geodesic or great-circle, not {metric!r}")
        self.lon, self.lat, _ = _pairs(lon, lat)
        self.n = self.lon.size
        self.metric, self.ellipsoid, self.backend, self.device = metric, ellipsoid, backend, device
        a, f = ellipsoid_numbers(ellipsoid)
        self._device = device_number(device)
        name = _search.backend_name(backend)
        self._skip, self._index = bool(skip_invalid), None
        self._rows = _search.usable((self.lon, self.lat), self._skip, True)
        x, y = (self.lon, self.lat) if self._rows is None else (self.lon[self._rows], self.lat[self._rows])
        self._searched = x.size
        if x.size > 0:
            c = library()
            options = _c.IndexOptions(backend=name, metric=_c.METRICS.index(metric), semi_major=a, flattening=f)
            self._index = _search.made(
                c.gv_index_build, c.gv_index_destroy, _seeds(x, y), options, c_void_p(),
                threads=0, device=self._device, large=self.n > _BUILT_LARGE, argument="lon, lat")

    def query(self, lon: npt.ArrayLike, lat: npt.ArrayLike, k: Neighbours = 1, max_distance: float = math.inf,
              workers: int = -1, *, progress: Progress = None) -> tuple[Any, Any]:
        """The nearest places of each position.

        Parameters
        ----------
        lon, lat : array_like
            Degrees, of shapes that broadcast.
        k : int or sequence of int
            How many neighbours, up to 1024; or which ones, counted from 1.
        max_distance : float
            Metres; places farther away do not count. Inclusive.
        workers : int
            Threads; -1 for as many as there are processors.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        metres : float or ndarray of float64
            inf where there are fewer neighbours. The shape is that of `lon`, with an axis of `k` unless `k` is 1.
        indices : int or ndarray of intp
            `n` where there are fewer neighbours.

        Examples
        --------
        >>> from gpuvoronoi import GlobeTree
        >>> GlobeTree([0.0, 10.0], [0.0, 0.0]).query([4.0, 6.0], 0.0, max_distance=500_000)[1]
        array([0, 1])
        """
        x, y, shape = _pairs(lon, lat)
        limit = _search.real(max_distance, "max_distance", 0.0)
        threads = worker_threads(workers)
        most, columns = _search.wanted(k)
        count, asking = x.size, _search.usable((x, y), self._skip, True)
        x, y = (x, y) if asking is None else (x[asking], y[asking])
        # A geodesic takes some fifty times as long as a plane distance.
        distances, indices = _search.search(
            self._index, lambda first, end: _seeds(x[first:end], y[first:end]), x.size,
            most, limit, self._searched, 50.0 * self._searched, threads, self._device, progress, "lon, lat")
        return _search.shaped(*_search.spread(distances, indices, self._rows, self.n, asking, count), shape, k, columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.lon, self.lat, self.metric, self.ellipsoid, self.backend, self.device, self._skip)


def ellipsoid_numbers(ellipsoid: Optional[tuple[float, float]]) -> tuple[float, float]:
    """Semi-major axis and flattening as the library takes them; zeros stand for WGS 84."""
    if ellipsoid is None:
        return 0.0, 0.0
    try:
        a, f = ellipsoid
    except (TypeError, ValueError):
        raise TypeError("ellipsoid must be a pair: semi-major axis in metres and flattening") from None
    if not 0 < (a := _search.real(a, "ellipsoid")) < math.inf:
        raise ValueError(f"ellipsoid: the semi-major axis must be above 0, not {a}")
    return a, _search.real(f, "ellipsoid")


def _pairs(lon: npt.ArrayLike, lat: npt.ArrayLike, x_name: str = "lon",
           y_name: str = "lat") -> tuple[_search.Floats, _search.Floats, tuple[int, ...]]:
    x, y = _search.as_degrees(lon, x_name), _search.as_degrees(lat, y_name)
    if x.shape != y.shape:
        try:
            x, y = np.broadcast_arrays(x, y)
        except ValueError:
            raise ValueError(f"{x_name} and {y_name} have different shapes, {x.shape} and {y.shape}") from None
    return np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(y).reshape(-1), x.shape


def _seeds(x: _search.Floats, y: _search.Floats) -> _c.Points:
    return _c.Points(x=x.ctypes.data, y=y.ctypes.data, count=x.size, dim=2, dtype=_c.FLOAT64)


class GlobeTreeAdapter:
    """A :class:`GlobeTree` as a tree of ``xarray.indexes.NDPointIndex`` (xarray 2025.7 and later).

    The coordinates are longitude and latitude, in this order; options go to :class:`GlobeTree`.

    ``dataset.set_xindex(("lon", "lat"), xarray.indexes.NDPointIndex, tree_adapter_cls=gpuvoronoi.GlobeTreeAdapter)``
    """

    def __init__(self, points: npt.NDArray[Any], *, options: Optional[Mapping[str, Any]] = None) -> None:
        try:
            from xarray.indexes.nd_point_index import TreeAdapter

            TreeAdapter.register(GlobeTreeAdapter)  # xarray asks isinstance()
        except ImportError:
            pass
        self._tree = GlobeTree(points[:, 0], points[:, 1], **dict(options or {}))

    def query(self, points: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        metres, indices = self._tree.query(points[:, 0], points[:, 1])
        return np.atleast_1d(metres), np.atleast_1d(indices)

    def equals(self, other: Union[GlobeTreeAdapter, Any]) -> bool:
        return (isinstance(other, GlobeTreeAdapter) and self._tree.metric == other._tree.metric
                and self._tree.ellipsoid == other._tree.ellipsoid
                and np.array_equal(self._tree.lon, other._tree.lon) and np.array_equal(self._tree.lat, other._tree.lat))
