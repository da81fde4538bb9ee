"""Nearest lines and polygons of points: `FeatureTree`."""

from __future__ import annotations

import math
from ctypes import c_void_p
from typing import Any, Literal, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _field, _geometries, _positions, _radius, _search
from ._library import Handle, Progress, library, worker_threads
from ._options import Edges, Metric
from ._search import Arrays, Floats, Indices, Nearest, Neighbors, OneNearest, ellipsoid_numbers

WithPoints = tuple[Union[float, Floats], Union[int, Indices], Floats]  # and the closest points

_EDGES = _geometries.EDGES
_BUILT_LARGE = 10_000  # vertices


def _restored(kind: type[FeatureTree], *state: Any) -> FeatureTree:
    tree = kind.__new__(kind)
    tree._build(*state)
    return tree


class FeatureTree(_search.Fixed):
    """Exact nearest lines and polygons on the ellipsoid, the sphere or the plane.

    Parameters
    ----------
    geometries : GeoSeries, GeoDataFrame or sequence
        Points, lines, polygons, several of them or collections: shapely's, GeoJSON's as dicts, or
        None, which is never a neighbor. In longitude and latitude for the first two metrics.
    metric : {"geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"}
        What is measured.
    edges : {"straight", "geodesic"}
        What is between two vertices: a line that is straight in the coordinates as they are
        written, or the shorter way on the globe.
    boundary : bool
        Polygons count as their rings, with nothing within.
    ellipsoid : (float, float), optional
        Semi-major axis in meters and flattening; WGS 84 by default.
    skip_invalid : bool
        Features with a coordinate that is not finite, or a latitude outside [-90, 90], are not
        neighbors, and queries with one have none, where both are errors otherwise. The other
        features keep their rows.

    Examples
    --------
    >>> from gpuvoronoi import FeatureTree
    >>> river = {"type": "LineString", "coordinates": [(10.0, 50.0), (12.0, 51.0)]}
    >>> ring = [(20.0, 50.0), (22.0, 50.0), (21.0, 51.0), (20.0, 50.0)]
    >>> lake = {"type": "Polygon", "coordinates": [ring]}
    >>> tree = FeatureTree([river, lake])
    >>> meters, feature = tree.query([11.0, 21.0], [51.0, 50.5])
    >>> meters.round(), feature
    (array([43651.,     0.]), array([0, 1]))
    """

    def __init__(
        self,
        geometries: Any,
        metric: Metric = "geodesic",
        edges: Edges = "straight",
        boundary: bool = False,
        ellipsoid: Optional[tuple[float, float]] = None,
        skip_invalid: bool = False,
    ) -> None:
        if metric not in _c.METRICS:
            raise ValueError(f"metric must be one of {', '.join(_c.METRICS)}, not {metric!r}")
        if edges not in _EDGES:
            raise ValueError(f"edges must be straight or geodesic, not {edges!r}")
        if getattr(geometries, "geometry", None) is not None:
            geometries = geometries.geometry
        crs = getattr(geometries, "crs", None)
        if (
            crs is not None
            and metric in _c.GLOBE_METRICS
            and not _crs.is_degrees(_crs.parse(crs, "geometries"))
        ):
            raise ValueError(
                f"geometries are in {_crs.name(_crs.parse(crs, 'geometries'))}, not in longitude "
                "and latitude in degrees: "
                "use to_crs(4326), or a metric of the plane"
            )
        arrays = _geometries.read(geometries)
        good = _search.usable((arrays.x, arrays.y), skip_invalid, metric in _c.GLOBE_METRICS)
        self._build(
            arrays if good is None else arrays.without_others(good),
            metric,
            edges,
            boundary,
            ellipsoid,
            bool(skip_invalid),
        )

    @classmethod
    def _of(
        cls,
        arrays: _geometries.Arrays,
        metric: Metric,
        edges: Edges,
        ellipsoid: Optional[tuple[float, float]],
        threads: int = 0,
    ) -> FeatureTree:
        return _restored(cls, arrays, metric, edges, False, ellipsoid, False, threads)

    def _build(
        self,
        arrays: _geometries.Arrays,
        metric: Metric,
        edges: Edges,
        boundary: bool,
        ellipsoid: Optional[tuple[float, float]],
        skip_invalid: bool,
        threads: int = 0,
    ) -> None:
        self._skip = skip_invalid
        self._arrays = arrays  # for pickle: the library has its own copy
        self.n, self.metric, self.edges, self.boundary, self.ellipsoid = (
            len(arrays.part) - 1,
            metric,
            edges,
            boundary,
            ellipsoid,
        )
        a, f = ellipsoid_numbers(ellipsoid)
        self._index: Optional[Handle] = None
        if self.n > 0:
            c = library()
            features = _field.Features(arrays, edges, bool(boundary)).struct()
            options = _c.IndexOptions(metric=_c.METRICS.index(metric), semi_major=a, flattening=f)
            self._index = _search.made(
                c.gv_index_build_features,
                c.gv_index_destroy,
                features,
                options,
                c_void_p(),
                threads=threads,
                device=-1,
                large=arrays.x.size > _BUILT_LARGE,
                argument="geometries",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (
            type(self),
            self._arrays,
            self.metric,
            self.edges,
            self.boundary,
            self.ellipsoid,
            self._skip,
        )

    @overload
    def query(
        self,
        x: Arrays,
        y: npt.ArrayLike,
        k: Neighbors = ...,
        max_distance: float = ...,
        workers: int = ...,
        *,
        nearest: Literal[False] = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> Nearest: ...

    @overload
    def query(
        self,
        x: float,
        y: npt.ArrayLike,
        k: Neighbors = ...,
        max_distance: float = ...,
        workers: int = ...,
        *,
        nearest: Literal[False] = ...,
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> OneNearest: ...

    @overload
    def query(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        k: Neighbors = ...,
        max_distance: float = ...,
        workers: int = ...,
        *,
        nearest: Literal[True],
        mask: Optional[npt.ArrayLike] = ...,
        progress: Progress = ...,
    ) -> WithPoints: ...

    def query(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        k: Neighbors = 1,
        max_distance: float = math.inf,
        workers: int = -1,
        *,
        nearest: bool = False,
        mask: Optional[npt.ArrayLike] = None,
        progress: Progress = None,
    ) -> Union[OneNearest, WithPoints]:
        """The nearest features of each position.

        Parameters
        ----------
        x, y : array_like
            Longitudes and latitudes in degrees, or coordinates of the plane, of shapes that
            broadcast.
        k : int or sequence of int
            How many neighbors, up to 64; or which ones, counted from 1.
        max_distance : float
            Meters on the globe; features farther away do not count. Inclusive.
        workers : int
            Threads; -1 for as many as there are CPUs.
        nearest : bool
            The nearest points too.
        mask : array_like, optional
            Of the shape of the queries: those where it is 0, False or NaN have no neighbor,
            whatever their coordinates.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        d : float or ndarray of float64
            Distances, 0 within a polygon, inf where there are fewer neighbors. The shape is that of
            `x`, with an axis of `k` unless `k` is 1.
        i : int or ndarray of intp
            Rows of the geometries; `n` where there are fewer neighbors.
        points : ndarray of float64
            With `nearest`: of that shape and an axis of two, NaN where there are fewer neighbors.

        Notes
        -----
        Of equal distances before they are rounded the lowest index comes first: on the plane
        squares, of great circles the squares of chords are compared, so a later index may come
        first where only the returned distances are equal.
        """
        px, py, shape = _positions.pairs(x, y, "x", "y")
        limit = _search.real(max_distance, "max_distance", 0.0)
        threads = worker_threads(workers)
        most, columns = _search.wanted(k)
        if most > _c.VORONOI_MAX_K:
            raise ValueError(f"k must be from 1 to {_c.VORONOI_MAX_K}, not {most}")
        count, usable_rows = (
            px.size,
            _search.usable(
                (px, py),
                self._skip,
                self.metric in _c.GLOBE_METRICS,
                _search.mask_of(mask, shape, self.n),
            ),
        )
        px, py = (px, py) if usable_rows is None else (px[usable_rows], py[usable_rows])
        points = np.full((px.size, most, 2), np.nan) if nearest else None

        distances, indices = _search.search(
            self._index,
            lambda first, end: _positions.points(px[first:end], py[first:end]),
            px.size,
            most,
            limit,
            self.n,
            1e4 * most,
            threads,
            -1,
            progress,
            "x, y",
            points,
        )
        indices[indices < 0] = self.n  # features without parts are missing too
        result = _search.shaped(
            *_search.spread(distances, indices, None, self.n, usable_rows, count), shape, k, columns
        )
        if points is None:
            return result
        if usable_rows is not None:
            found, points = points, np.full((count, most, 2), np.nan)
            points[usable_rows] = found
        points = points if columns is None else points[:, columns]
        return (*result, points.reshape(np.shape(result[1]) + (2,)))

    def query_features(
        self,
        geometries: Any,
        k: Neighbors = 1,
        max_distance: float = math.inf,
        workers: int = -1,
        *,
        progress: Progress = None,
    ) -> Nearest:
        """The nearest features of each of other geometries.

        Parameters
        ----------
        geometries : GeoSeries, GeoDataFrame or sequence
            As of `FeatureTree`; in the tree's coordinates. None and empty ones have no neighbor.
        k : int or sequence of int
            How many neighbors, up to 1024; or which ones, counted from 1.
        max_distance : float
            Meters on the globe; features farther away do not count. Inclusive.
        workers : int
            Threads; -1 for as many as there are CPUs.
        progress : bool or callable, optional
            True for a bar by tqdm, or a function that is given the fraction done.

        Returns
        -------
        d : ndarray of float64
            The least distances between the geometries, 0 where they meet; inf where there are fewer
            neighbors. With an axis of `k` unless `k` is 1.
        i : ndarray of intp
            Rows of the tree's geometries; `n` where there are fewer neighbors.

        Notes
        -----
        On the globe lines and polygons on both sides need ``edges="geodesic"``: the least distance
        of two such edges is at an end of one of them, which is not known of lines that are straight
        in longitude and latitude.

        Examples
        --------
        >>> from gpuvoronoi import FeatureTree
        >>> roads = [{"type": "LineString", "coordinates": [(0.0, 0.0), (4.0, 0.0)]}]
        >>> path = {"type": "LineString", "coordinates": [(1.0, 2.0), (1.0, 9.0)]}
        >>> FeatureTree(roads, "euclidean").query_features([path])
        (array([2.]), array([0]))
        """
        if getattr(geometries, "geometry", None) is not None:
            geometries = geometries.geometry
        arrays = _geometries.read(geometries)
        good = _search.usable((arrays.x, arrays.y), self._skip, self.metric in _c.GLOBE_METRICS)
        arrays = arrays if good is None else arrays.without_others(good)
        most, columns = _search.wanted(k)
        found = self._query_arrays(
            arrays,
            most,
            _search.real(max_distance, "max_distance", 0.0),
            worker_threads(workers),
            progress,
        )
        distances, indices = _search.shaped(*found, (len(arrays.part) - 1,), k, columns)
        return np.asarray(distances), np.asarray(indices)

    def _query_arrays(
        self, arrays: _geometries.Arrays, k: int, limit: float, threads: int, progress: Progress
    ) -> tuple[_search.Floats, _search.Indices]:
        def some(first: int, end: int) -> Any:
            whole = first == 0 and end == len(arrays.part) - 1
            part = arrays if whole else arrays.rows(np.arange(first, end))
            struct = _field.Features(part, self.edges, self.boundary).struct()
            struct.kept = part  # the struct has addresses only
            return struct

        count = len(arrays.part) - 1
        work = 1e4 * k * max(1.0, arrays.x.size / max(count, 1))
        distances, indices = _search.search(
            self._index,
            some,
            count,
            k,
            limit,
            self.n,
            work,
            threads,
            -1,
            progress,
            "geometries",
            function=library().gv_index_search_features,
        )
        indices[indices < 0] = self.n
        return distances, indices

    def query_radius(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        r: npt.ArrayLike,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = True,
        workers: int = -1,
    ) -> _radius.Within:
        """The features within a distance of each position.

        Parameters
        ----------
        x, y : array_like
            Longitudes and latitudes in degrees, or coordinates of the plane, of shapes that
            broadcast.
        r : float or array_like
            Meters on the globe, of a shape that broadcasts to that of the positions. Inclusive.
        return_distance, count_only, sort_results, workers
            As of `GlobeTree.query_radius`.

        Returns
        -------
        indices : ndarray of intp, or ndarray of object
            Rows of the geometries: of one position an array, of several an array of arrays.
        d : ndarray of float64, or ndarray of object
            With `return_distance`: the distances, 0 within a polygon.
        """
        px, py, shape = _positions.pairs(x, y, "x", "y")
        return _positions.found_within(
            self,
            px,
            py,
            shape,
            r,
            return_distance,
            count_only,
            sort_results,
            workers,
            None,
            self.n,
            -1,
            self.metric in _c.GLOBE_METRICS,
            "x, y",
        )

    def __len__(self) -> int:
        return int(self.n)

    def __repr__(self) -> str:
        return (
            f"FeatureTree(n={self.n}, metric={self.metric!r}, edges={self.edges!r}, "
            f"boundary={self.boundary!r}, ellipsoid={self.ellipsoid!r})"
        )
