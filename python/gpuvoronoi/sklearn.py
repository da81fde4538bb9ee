"""An estimator for scikit-learn: :class:`NearestNeighbors`. Importing this module needs scikit-learn."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _radius
from .trees import KDTree

try:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("gpuvoronoi.sklearn needs scikit-learn: `pip install scikit-learn`") from error


class NearestNeighbors(BaseEstimator):  # type: ignore[misc]
    """Exact nearest neighbours, with the methods of :class:`sklearn.neighbors.NearestNeighbors`.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours `kneighbors` finds by default.
    radius : float
        The default of `radius_neighbors`.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "inner_product"}
    p : float
        The power of "minkowski", from 1.
    backend : str
        As of :class:`gpuvoronoi.KDTree`.
    n_jobs : int, optional
        Threads; None for one, -1 for as many as there are processors.

    Attributes
    ----------
    n_features_in_, n_samples_fit_ : int
    tree_ : KDTree

    Notes
    -----
    Neighbours at the same distance come in the order of their indices, and lists within a radius nearest first.

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

    def __init__(self, n_neighbors: int = 5, *, radius: float = 1.0, metric: str = "euclidean", p: float = 2.0, backend: str = "auto",
                 n_jobs: Optional[int] = None) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric
        self.p = p
        self.backend = backend
        self.n_jobs = n_jobs

    def _checked(self, X: Any, reset: bool) -> npt.NDArray[Any]:
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            return np.asarray(self._validate_data(X, reset=reset, dtype=[np.float64, np.float32], order="C"))
        return np.asarray(validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], order="C"))

    def fit(self, X: npt.ArrayLike, y: Any = None) -> NearestNeighbors:
        """Builds the tree; `y` is ignored."""
        points = self._checked(X, True)
        self.n_samples_fit_ = points.shape[0]
        self.tree_ = KDTree(points, metric="euclidean" if self.metric == "minkowski" else self.metric, backend=self.backend)
        self.tree_._metric(self._power())
        return self

    def _power(self) -> Optional[float]:
        return self.p if self.metric == "minkowski" else None

    def _workers(self) -> int:
        return 1 if self.n_jobs is None else self.n_jobs

    def kneighbors(self, X: Optional[npt.ArrayLike] = None, n_neighbors: Optional[int] = None, return_distance: bool = True) -> Any:
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
        queries = np.asarray(self.tree_.data) if X is None else self._checked(X, False)
        distances, indices = self.tree_.query(queries, list(range(1, int(k) + 1)), p=self._power(), workers=self._workers(),
                                               exclude_self=X is None)
        return (distances, indices) if return_distance else indices

    def _within(self, X: Optional[npt.ArrayLike], radius: Optional[float], distances: bool) -> _radius.Found:
        check_is_fitted(self)
        r = _radius.radii(self.radius if radius is None else radius, "radius", ())
        own = X is None
        queries = np.asarray(self.tree_.data) if X is None else self._checked(X, False)
        return self.tree_._within(queries, r, own, distances, self._workers(), self._power())

    def radius_neighbors(self, X: Optional[npt.ArrayLike] = None, radius: Optional[float] = None, return_distance: bool = True,
                         sort_results: bool = False) -> Any:
        """The points within a radius, inclusive, of each row of `X`, or of each point among the others.

        Parameters
        ----------
        X : array_like, shape (queries, features), optional
        radius : float, optional
        return_distance : bool
        sort_results : bool
            Accepted; neighbours are sorted by distance anyway.

        Returns
        -------
        distances : ndarray of object
            With `return_distance`: an array of each query.
        indices : ndarray of object
        """
        found = self._within(X, radius, return_distance)
        shape = (found.offsets.size - 1,)
        indices = _radius.arrays(found, found.indices, shape)
        return (_radius.arrays(found, found.distances, shape), indices) if return_distance else indices

    def kneighbors_graph(self, X: Optional[npt.ArrayLike] = None, n_neighbors: Optional[int] = None, mode: str = "connectivity") -> Any:
        """`kneighbors` as a sparse matrix of ones ("connectivity") or of distances ("distance")."""
        distances, indices = self.kneighbors(X, n_neighbors)
        offsets = np.arange(0, indices.size + 1, indices.shape[1])
        return self._graph(_radius.Found(offsets, indices.reshape(-1), distances.reshape(-1)), mode)

    def radius_neighbors_graph(self, X: Optional[npt.ArrayLike] = None, radius: Optional[float] = None, mode: str = "connectivity") -> Any:
        """`radius_neighbors` as a sparse matrix of ones ("connectivity") or of distances ("distance")."""
        return self._graph(self._within(X, radius, True), mode)

    def _graph(self, found: _radius.Found, mode: str) -> Any:
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode must be connectivity or distance, not {mode!r}")
        values = found.distances if mode == "distance" else np.ones(found.indices.size)
        return csr_matrix((values, found.indices, found.offsets), shape=(found.offsets.size - 1, self.n_samples_fit_))
