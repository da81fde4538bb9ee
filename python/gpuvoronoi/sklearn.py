"""Estimators for scikit-learn: `NearestNeighbors`, `KNeighborsTransformer`,
`RadiusNeighborsTransformer`.

Importing this module needs scikit-learn."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _radius
from ._options import with_text
from ._search import Indices, Nearest
from .globe_trees import GlobeTree
from .trees import KDTree

try:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError(
        "gpuvoronoi.sklearn needs scikit-learn: `pip install scikit-learn`"
    ) from error

Lists = npt.NDArray[np.object_]  # an array of each query

_ALIASES = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan", "infinity": "chebyshev"}
_ALGORITHMS = ("auto", "ball_tree", "kd_tree", "brute")
_PARAMETERS = """n_neighbors : int
        How many neighbors `kneighbors` finds by default.
    radius : float
        The default of `radius_neighbors`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
    leaf_size : int
        Accepted for scikit-learn's sake; the neighbors are exact and the same whatever they are.
    metric : str
        "euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "inner_product" or
        "haversine", or other names of these: "l2", "l1", "cityblock", "infinity". With "haversine"
        the two features are latitude and longitude in radians, and distances are angles in radians
        (on the sphere; `gpuvoronoi.GlobeTree` has geodesics).
    p : float
        The power of "minkowski", from 1.
    metric_params : dict, optional
        `{"p": power}` of "minkowski"; other parameters are refused.
    n_jobs : int, optional
        Threads; None for one, -1 for as many as there are CPUs.
    backend : str
        As of `gpuvoronoi.KDTree`."""


class NearestNeighbors(BaseEstimator):  # type: ignore[misc]
    """Exact nearest neighbors, with the methods of `sklearn.neighbors.NearestNeighbors`.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    n_features_in_, n_samples_fit_ : int
    tree_ : KDTree or GlobeTree

    Notes
    -----
    Neighbors at the same distance, before the root is rounded, come in the order of their indices,
    and lists within a radius nearest first.

    Examples
    --------
    >>> from gpuvoronoi.sklearn import NearestNeighbors
    >>> model = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [5.0]])
    >>> model.kneighbors([[0.9]], return_distance=False)
    array([[1, 0]])
    >>> model.kneighbors_graph(mode="distance").toarray()
    array([[0., 1., 5.],
           [1., 0., 4.],
           [5., 4., 0.]])
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: str = "euclidean",
        p: float = 2.0,
        metric_params: Optional[Mapping[str, Any]] = None,
        n_jobs: Optional[int] = None,
        backend: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.backend = backend

    def _checked(self, X: Any, reset: bool) -> npt.NDArray[Any]:
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            return np.asarray(
                self._validate_data(X, reset=reset, dtype=[np.float64, np.float32], order="C")
            )
        return np.asarray(
            validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], order="C")
        )

    def fit(self, X: npt.ArrayLike, y: Any = None) -> NearestNeighbors:
        """Builds the tree; `y` is ignored."""
        if self.algorithm not in _ALGORITHMS:
            raise ValueError(
                f"algorithm must be one of {', '.join(_ALGORITHMS)}, not {self.algorithm!r}"
            )
        others = set(self.metric_params or {}) - ({"p"} if self.metric == "minkowski" else set())
        if others:
            raise ValueError(
                f"metric_params: unsupported parameter {sorted(others)[0]!r} of the metric "
                f"{self.metric!r}"
            )
        points = self._checked(X, True)
        self.n_samples_fit_ = points.shape[0]
        if self.metric == "haversine":
            self.tree_: Union[KDTree, GlobeTree] = GlobeTree(
                *_degrees(points), "great-circle", (1.0, 0.0), self.backend
            )
            return self
        metric: Any = _ALIASES.get(self.metric, self.metric)
        tree = KDTree(
            points, metric="euclidean" if metric == "minkowski" else metric, backend=self.backend
        )
        tree._metric(self._power())  # refuses others
        self.tree_ = tree
        return self

    def _power(self) -> Optional[float]:
        return (self.metric_params or {}).get("p", self.p) if self.metric == "minkowski" else None

    def _workers(self) -> int:
        return 1 if self.n_jobs is None else self.n_jobs

    @overload
    def kneighbors(
        self,
        X: Optional[npt.ArrayLike] = ...,
        n_neighbors: Optional[int] = ...,
        return_distance: Literal[True] = ...,
    ) -> Nearest: ...
    @overload
    def kneighbors(
        self,
        X: Optional[npt.ArrayLike] = ...,
        n_neighbors: Optional[int] = ...,
        *,
        return_distance: Literal[False],
    ) -> Indices: ...
    def kneighbors(
        self,
        X: Optional[npt.ArrayLike] = None,
        n_neighbors: Optional[int] = None,
        return_distance: bool = True,
    ) -> Union[Nearest, Indices]:
        """The nearest points of each row of `X`, or of each point among the others.

        Parameters
        ----------
        X : array_like, shape (queries, features), optional
        n_neighbors : int, optional
        return_distance : bool

        Returns
        -------
        distances : ndarray of float64, shape (queries, n_neighbors)
            With `return_distance`.
        indices : ndarray of intp, shape (queries, n_neighbors)
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or not hasattr(type(k), "__index__"):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        most = self.n_samples_fit_ - (X is None)
        if not 1 <= k <= most:
            raise ValueError(f"Expected n_neighbors from 1 to n_samples_fit = {most}, got {k}")
        ranks, tree = list(range(1, int(k) + 1)), self.tree_
        if isinstance(tree, GlobeTree):
            lon, lat = (tree.lon, tree.lat) if X is None else _degrees(self._checked(X, False))
            distances, indices = tree.query(
                lon, lat, ranks, workers=self._workers(), exclude_self=X is None
            )
        else:
            queries = np.asarray(tree.data) if X is None else self._checked(X, False)
            distances, indices = tree.query(
                queries, ranks, p=self._power(), workers=self._workers(), exclude_self=X is None
            )
        return (distances, indices) if return_distance else indices

    def _within(self, X: Optional[npt.ArrayLike], radius: Any, distances: bool) -> _radius.Found:
        check_is_fitted(self)
        own, tree = X is None, self.tree_
        given = self.radius if radius is None else radius
        if isinstance(tree, GlobeTree):
            lon, lat = (tree.lon, tree.lat) if own else _degrees(self._checked(X, False))
            return tree._within(
                lon, lat, _radius.radii(given, "radius", lon.shape), own, distances, self._workers()
            )
        queries = np.asarray(tree.data) if own else self._checked(X, False)
        return tree._within(
            queries,
            _radius.radii(given, "radius", queries.shape[:1]),
            own,
            distances,
            self._workers(),
            self._power(),
        )

    @overload
    def radius_neighbors(
        self,
        X: Optional[npt.ArrayLike] = ...,
        radius: Any = ...,
        return_distance: Literal[True] = ...,
        sort_results: bool = ...,
    ) -> tuple[Lists, Lists]: ...
    @overload
    def radius_neighbors(
        self,
        X: Optional[npt.ArrayLike] = ...,
        radius: Any = ...,
        *,
        return_distance: Literal[False],
        sort_results: bool = ...,
    ) -> Lists: ...
    def radius_neighbors(
        self,
        X: Optional[npt.ArrayLike] = None,
        radius: Any = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Union[Lists, tuple[Lists, Lists]]:
        """The points within a radius, inclusive, of each row of `X`, or of each point among the
        others.

        Parameters
        ----------
        X : array_like, shape (queries, features), optional
        radius : float or array_like, optional
            One for all rows, or one for each.
        return_distance : bool
        sort_results : bool
            Accepted; neighbors are sorted by distance anyway.

        Returns
        -------
        distances : ndarray of object
            With `return_distance`: an array of each query.
        indices : ndarray of object
        """
        found = self._within(X, radius, return_distance)
        shape = (found.offsets.size - 1,)
        indices = _radius.arrays(found, found.indices, shape)
        return (
            (_radius.arrays(found, found.distances, shape), indices) if return_distance else indices
        )

    def kneighbors_graph(
        self,
        X: Optional[npt.ArrayLike] = None,
        n_neighbors: Optional[int] = None,
        mode: str = "connectivity",
    ) -> csr_matrix:
        """`kneighbors` as a sparse matrix of ones ("connectivity") or of distances ("distance")."""
        distances, indices = self.kneighbors(X, n_neighbors)
        offsets = np.arange(0, indices.size + 1, indices.shape[1])
        return self._graph(_radius.Found(offsets, indices.reshape(-1), distances.reshape(-1)), mode)

    def radius_neighbors_graph(
        self, X: Optional[npt.ArrayLike] = None, radius: Any = None, mode: str = "connectivity"
    ) -> csr_matrix:
        """`radius_neighbors` as a sparse matrix of ones ("connectivity") or of distances
        ("distance")."""
        return self._graph(self._within(X, radius, True), mode)

    def _graph(self, found: _radius.Found, mode: str) -> csr_matrix:
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode must be connectivity or distance, not {mode!r}")
        values = found.distances if mode == "distance" else np.ones(found.indices.size)
        return csr_matrix(
            (values, found.indices, found.offsets),
            shape=(found.offsets.size - 1, self.n_samples_fit_),
        )


def _degrees(points: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Longitudes and latitudes of rows of latitude and longitude in radians."""
    if points.shape[1] != 2:
        raise ValueError(
            "haversine takes two features, latitude and longitude in radians, not "
            f"{points.shape[1]}"
        )
    return np.degrees(points[:, 1].astype(np.float64)), np.degrees(points[:, 0].astype(np.float64))


class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NearestNeighbors):  # type: ignore[misc]
    """What both transformers share."""

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int = 5,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: str = "euclidean",
        p: float = 2.0,
        metric_params: Optional[Mapping[str, Any]] = None,
        n_jobs: Optional[int] = None,
        backend: str = "auto",
    ) -> None:
        super().__init__(
            n_neighbors,
            radius=radius,
            algorithm=algorithm,
            leaf_size=leaf_size,
            metric=metric,
            p=p,
            metric_params=metric_params,
            n_jobs=n_jobs,
            backend=backend,
        )
        self.mode = mode

    def fit(self, X: npt.ArrayLike, y: Any = None) -> _Transformer:
        """Builds the tree; `y` is ignored."""
        if self.mode not in ("connectivity", "distance"):
            raise ValueError(f"mode must be connectivity or distance, not {self.mode!r}")
        super().fit(X)
        self._n_features_out = self.n_samples_fit_
        return self

    def fit_transform(self, X: npt.ArrayLike, y: Any = None) -> csr_matrix:
        """The graph of the points that are fitted; each is its own neighbor."""
        return self.fit(X).transform(X)


class KNeighborsTransformer(_Transformer):
    """The graph of the nearest neighbors, for pipelines of DBSCAN, TSNE, Isomap and others, as
    `sklearn.neighbors.KNeighborsTransformer`.

    Parameters
    ----------
    mode : {"distance", "connectivity"}
        What the graph holds. With "distance" it has one neighbor more than `n_neighbors`, as each
        point is its own.
    PARAMETERS

    Examples
    --------
    >>> from gpuvoronoi.sklearn import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [5.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 4., 0.]])
    """

    def transform(self, X: npt.ArrayLike) -> csr_matrix:
        """The nearest points that were fitted, of each row of `X`: a sparse matrix, the row's
        nearest first."""
        check_is_fitted(self)
        return self.kneighbors_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)


class RadiusNeighborsTransformer(_Transformer):
    """The graph of the neighbors within a radius, as
    `sklearn.neighbors.RadiusNeighborsTransformer`.

    Parameters
    ----------
    mode : {"distance", "connectivity"}
        What the graph holds.
    PARAMETERS
    """

    def transform(self, X: npt.ArrayLike) -> csr_matrix:
        """The points that were fitted within the radius of each row of `X`: a sparse matrix, the
        row's nearest first."""
        return self.radius_neighbors_graph(X, None, self.mode)


for _one in (NearestNeighbors, KNeighborsTransformer, RadiusNeighborsTransformer):
    _one.__doc__ = with_text(_one.__doc__, "PARAMETERS", _PARAMETERS)
