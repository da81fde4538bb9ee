"""Trees of gpuvoronoi with the interfaces of other packages', put in their place. Each function returns the package's version."""

import numpy as np

import gpuvoronoi


class KDTree(gpuvoronoi.KDTree):
    """As it is, with a name for scipy's tests."""


class cKDTree(gpuvoronoi.KDTree):
    """Likewise."""


def scipy_kdtree():
    """scipy.spatial.KDTree and cKDTree."""
    import scipy.spatial

    scipy.spatial.KDTree, scipy.spatial.cKDTree = KDTree, cKDTree
    return scipy.__version__


class SklearnTree(gpuvoronoi.KDTree):
    """Of sklearn: k is an axis always, more neighbors than points are an error."""

    NORMS = {
        "euclidean": 2,
        "l2": 2,
        "manhattan": 1,
        "l1": 1,
        "cityblock": 1,
        "chebyshev": np.inf,
        "infinity": np.inf,
    }
    valid_metrics = []  # set below

    def __init__(self, X, leaf_size=40, metric="minkowski", p=2, **options):
        from sklearn.utils import check_array

        self.norm = self.NORMS.get(metric, p)
        super().__init__(check_array(X), leafsize=leaf_size)

    def query(
        self, X, k=1, return_distance=True, dualtree=False, breadth_first=False, sort_results=True
    ):
        from sklearn.utils import check_array

        if k > self.n:
            raise ValueError("k must be less than or equal to the number of training points")
        distances, indices = super().query(check_array(X), k=list(range(1, k + 1)), p=self.norm)
        return (distances, indices) if return_distance else indices

    def query_radius(self, X, r, return_distance=False, count_only=False, sort_results=False):
        from sklearn.utils import check_array

        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True")
        if return_distance and count_only:
            raise ValueError("cannot use both return_distance and count_only")
        X = check_array(X)
        r = np.broadcast_to(np.asarray(r, float), len(X))
        if count_only:
            return self.query_ball_point(X, r, self.norm, return_length=True)
        answer = np.empty((2, len(X)), dtype=object)
        for row, (x, found) in enumerate(
            zip(X, self.query_ball_point(X, r, self.norm, return_sorted=False))
        ):
            distances = gpuvoronoi.KDTree.query(
                self, x, list(range(1, max(len(found), 1) + 1)), p=self.norm
            )[0][: len(found)]
            order = np.arange(len(found)) if sort_results else np.argsort(found)
            answer[0, row], answer[1, row] = np.array(found, dtype=np.intp)[order], distances[order]
        return tuple(answer) if return_distance else answer[0]

    def __reduce__(self):
        return type(self), (np.asarray(self.data), self.leafsize, "minkowski", self.norm)


def sklearn_neighbors():
    """sklearn.neighbors' KDTree, and that of its estimators."""
    import sklearn.neighbors._base
    import sklearn.neighbors._kd_tree

    SklearnTree.valid_metrics = sklearn.neighbors._kd_tree.KDTree.valid_metrics
    for module in (sklearn.neighbors._kd_tree, sklearn.neighbors._base, sklearn.neighbors):
        module.KDTree = SklearnTree
    return sklearn.__version__


def pyresample_kd_tree():
    """pykdtree's KDTree in pyresample: float32 or float64, masks of points that do not count."""
    import pyresample.bilinear._base
    import pyresample.bilinear._numpy_resampler
    import pyresample.future.resamplers.nearest
    import pyresample.kd_tree

    class MaskedTree(gpuvoronoi.KDTree):
        def query(
            self, query_pts, k=1, eps=0, distance_upper_bound=None, sqr_dists=False, mask=None
        ):
            counts = np.ones(self.n, bool) if mask is None else ~np.asarray(mask, bool)
            tree = self if counts.all() else gpuvoronoi.KDTree(np.asarray(self.data)[counts])
            bound = np.inf if distance_upper_bound is None else distance_upper_bound
            distances, indices = gpuvoronoi.KDTree.query(
                tree, query_pts, k=k, distance_upper_bound=bound
            )
            indices = np.append(np.flatnonzero(counts), self.n)[indices].astype(np.uint32)
            return (distances**2 if sqr_dists else distances), indices

    for module in (
        pyresample.kd_tree,
        pyresample.future.resamplers.nearest,
        pyresample.bilinear._base,
        pyresample.bilinear._numpy_resampler,
    ):
        module.KDTree = MaskedTree
    return pyresample.__version__


ADAPTERS = {
    function.__name__: function
    for function in (scipy_kdtree, sklearn_neighbors, pyresample_kd_tree)
}
