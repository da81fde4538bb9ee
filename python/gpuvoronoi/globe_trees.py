"""Nearest places on the globe, by longitude and latitude."""

from __future__ import annotations

import math
from ctypes import c_void_p
from typing import Any, Optional, overload

import numpy as np
import numpy.typing as npt

from . import _c, _positions, _radius, _search
from ._library import Progress, device_number, library, worker_threads
from ._options import GlobeMetric
from ._search import Arrays, Nearest, Neighbors, OneNearest, ellipsoid_numbers

_BUILT_LARGE = 200_000


class GlobeTree(_search.Fixed):
    """Exact nearest neighbors on the ellipsoid or the sphere.

    Parameters
    ----------
    lon, lat : array_like
        Degrees, of one shape. Longitudes wrap.
    metric : {"geodesic", "great-circle"}
        The shortest line on the ellipsoid, or the great circle on the sphere of radius (2a+b)/3.
    ellipsoid : (float, float), optional
        Semi-major axis in meters and flattening; WGS 84 by default.
    backend, device
        As of `KDTree`.
    skip_invalid : bool
        Places with a coordinate that is missing or not finite, or a latitude outside [-90, 90], are
        not neighbors, and queries with one have none, where both are errors otherwise. The other
        places keep their indices.

    Examples
    --------
    Fiji's airport is nearer to Samoa's than to Sydney's, across the antimeridian.

    >>> from gpuvoronoi import GlobeTree
    >>> tree = GlobeTree([-172.0, 151.2], [-13.8, -33.9])
    >>> meters, index = tree.query(177.4, -17.8)
    >>> index, round(meters / 1000)
    (0, 1219)
    """

    def __init__(
        self,
        lon: npt.ArrayLike,
        lat: npt.ArrayLike,
        metric: GlobeMetric = "geodesic",
        ellipsoid: Optional[tuple[float, float]] = None,
        backend: str = "auto",
        device: Optional[int] = None,
        skip_invalid: bool = False,
    ) -> None:
        if metric not in _c.GLOBE_METRICS:
            raise ValueError(f"metric must be geodesic or great-circle, not {metric!r}")
        self.lon, self.lat, _ = _positions.pairs(lon, lat)
        self.n = self.lon.size
        self.metric, self.ellipsoid, self.backend, self.device = metric, ellipsoid, backend, device
        a, f = ellipsoid_numbers(ellipsoid)
        self._device = device_number(device)
        name = _search.backend_name(backend)
        self._skip, self._index = bool(skip_invalid), None
        self._rows = _search.usable((self.lon, self.lat), self._skip, True)
        x, y = (
            (self.lon, self.lat)
            if self._rows is None
            else (self.lon[self._rows], self.lat[self._rows])
        )
        self._searched = x.size
        if x.size > 0:
            c = library()
            options = _c.IndexOptions(
                backend=name, metric=_c.METRICS.index(metric), semi_major=a, flattening=f
            )
            self._index = _search.made(
                c.gv_index_build,
                c.gv_index_destroy,
                _positions.points(x, y),
                options,
                c_void_p(),
                threads=0,
                device=self._device,
                large=self.n > _BUILT_LARGE,
                argument="lon, lat",
            )

    @overload
    def query(
        self,
        lon: Arrays,
        lat: npt.ArrayLike,
        k: Neighbors = ...,
        max_distance: float = ...,
        workers: int = ...,
        *,
        exclude_self: bool = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> Nearest: ...

    @overload
    def query(
        self,
        lon: float,
        lat: npt.ArrayLike,
        k: Neighbors = ...,
        max_distance: float = ...,
        workers: int = ...,
        *,
        exclude_self: bool = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> OneNearest: ...

    def query(
        self,
        lon: npt.ArrayLike,
        lat: npt.ArrayLike,
        k: Neighbors = 1,
        max_distance: float = math.inf,
        workers: int = -1,
        *,
        exclude_self: bool = False,
        mask: Optional[npt.ArrayLike] = None,
        progress: Progress = None,
    ) -> OneNearest:
        """The nearest places of each position.

        Parameters
        ----------
        lon, lat : array_like
            Degrees, of shapes that broadcast.
        k : int or sequence of int
            How many neighbors, up to 1024; or which ones, counted from 1.
        max_distance : float
            Meters; places farther away do not count. Inclusive.
        workers : int
            Threads; -1 for as many as there are CPUs.
        exclude_self : bool
            The positions are the tree's, in their order: none of them is its own neighbor; others
            in its place are.
        mask : array_like, optional
            Of the shape of the queries: those where it is 0, False or NaN have no neighbor,
            whatever their coordinates.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        meters : float or ndarray of float64
            inf where there are fewer neighbors. The shape is that of `lon`, with an axis of `k`
            unless `k` is 1.
        indices : int or ndarray of intp
            `n` where there are fewer neighbors.

        Notes
        -----
        Of equal distances before they are rounded the lowest index comes first: of great circles
        the squares of chords are compared, so a later index may come first where only the returned
        distances are equal.

        Examples
        --------
        >>> from gpuvoronoi import GlobeTree
        >>> GlobeTree([0.0, 10.0], [0.0, 0.0]).query([4.0, 6.0], 0.0, max_distance=500_000)[1]
        array([0, 1])
        """
        x, y, shape = _positions.pairs(lon, lat)
        limit = _search.real(max_distance, "max_distance", 0.0)
        threads = worker_threads(workers)
        most, columns = _search.wanted(k, _c.MAX_K - bool(exclude_self))
        if exclude_self:
            _search.queries_are_points(x.size, self.n)
        count, usable_rows = (
            x.size,
            _search.usable((x, y), self._skip, True, _search.mask_of(mask, shape, self.n)),
        )
        x, y = (x, y) if usable_rows is None else (x[usable_rows], y[usable_rows])
        # A geodesic takes some fifty times as long as a plane distance.
        distances, indices = _search.search(
            self._index,
            lambda first, end: _positions.points(x[first:end], y[first:end]),
            x.size,
            most + bool(exclude_self),
            limit,
            self._searched,
            50.0 * self._searched,
            threads,
            self._device,
            progress,
            "lon, lat",
        )
        result = _search.spread(distances, indices, self._rows, self.n, usable_rows, count)
        return _search.shaped(
            *(_search.without_self(*result) if exclude_self else result), shape, k, columns
        )

    def query_radius(
        self,
        lon: npt.ArrayLike,
        lat: npt.ArrayLike,
        r: npt.ArrayLike,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = True,
        workers: int = -1,
    ) -> _radius.Within:
        """The places within a distance of each position, as `sklearn.neighbors.BallTree` gives
        them.

        Parameters
        ----------
        lon, lat : array_like
            Degrees, of shapes that broadcast.
        r : float or array_like
            Meters, of a shape that broadcasts to that of the positions. Inclusive.
        return_distance : bool
            Distances too.
        count_only : bool
            The numbers of places instead.
        sort_results : bool
            Nearest first, of equal distances before they are rounded (`GlobeTree.query`) the lowest
            index; else by index.
        workers : int
            Threads; -1 for as many as there are CPUs.

        Returns
        -------
        indices : ndarray of intp, or ndarray of object
            Of one position an array of indices, of several an array of such arrays.
        meters : ndarray of float64, or ndarray of object
            With `return_distance`: the distances.

        Examples
        --------
        >>> from gpuvoronoi import GlobeTree
        >>> GlobeTree([0.0, 10.0], [0.0, 0.0]).query_radius(1.0, 0.0, 120e3)
        array([0])
        """
        x, y, shape = _positions.pairs(lon, lat)
        return _positions.found_within(
            self,
            x,
            y,
            shape,
            r,
            return_distance,
            count_only,
            sort_results,
            workers,
            self._rows,
            self._searched,
            self._device,
            True,
            "lon, lat",
        )

    def _within(
        self,
        lon: _search.Floats,
        lat: _search.Floats,
        radius: Any,
        own: bool,
        distances: bool,
        workers: int,
    ) -> _radius.Found:
        """The places within a radius (of each) of others, or (own) of each of its own among the
        others; nearest first."""
        batch = _radius.Queries(
            self._index,
            None if own else lambda first, end: _positions.points(lon[first:end], lat[first:end]),
            lon.size,
            self._searched,
            worker_threads(workers),
            self._device,
            "X",
        )
        return _radius.search(batch, radius, distances=distances, exclude_self=own)

    def _nearest(
        self,
        lon: _search.Floats,
        lat: _search.Floats,
        max_distance: float,
        workers: int,
        progress: Progress,
    ) -> _search.Indices:
        """The index of the nearest place of each of some flat positions, -1 for none. Without
        distances, for which geodesics are computed."""
        limit, threads = _search.real(max_distance, "max_distance", 0.0), worker_threads(workers)
        usable_rows = _search.usable((lon, lat), self._skip, True)
        x, y = (lon, lat) if usable_rows is None else (lon[usable_rows], lat[usable_rows])
        found = _search.search(
            self._index,
            lambda first, end: _positions.points(x[first:end], y[first:end]),
            x.size,
            1,
            limit,
            -1,
            50.0 * self._searched,
            threads,
            self._device,
            progress,
            "lon, lat",
            measured=False,
        )[1][:, 0]
        result = np.full(lon.size, -1, np.intp)
        result[slice(None) if usable_rows is None else usable_rows] = (
            found if self._rows is None else np.where(found < 0, -1, self._rows[found])
        )
        return result

    def __len__(self) -> int:
        return int(self.n)

    def __repr__(self) -> str:
        return (
            f"GlobeTree(n={self.n}, metric={self.metric!r}, ellipsoid={self.ellipsoid!r}, "
            f"backend={self.backend!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.lon,
            self.lat,
            self.metric,
            self.ellipsoid,
            self.backend,
            self.device,
            self._skip,
        )
