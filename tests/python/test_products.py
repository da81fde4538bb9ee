"""KDTree(metric="cosine") and KDTree(metric="inner_product")."""

import math
import pickle

import numpy as np
import pytest

from gpuvoronoi import KDTree

BACKENDS = ["auto", "serial", "openmp"]


@pytest.mark.parametrize(
    "dim, dtype", [(2, np.float64), (3, np.float32), (64, np.float32), (300, np.float64)]
)
def test_cosine_against_scikit_learn(random, dim, dtype):
    neighbors = pytest.importorskip("sklearn.neighbors")
    data, queries = (
        random.normal(size=(3000, dim)).astype(dtype),
        random.normal(size=(200, dim)).astype(dtype),
    )
    data[7] = 0
    theirs = (
        neighbors.NearestNeighbors(metric="cosine", algorithm="brute")
        .fit(data.astype(float))
        .kneighbors(queries.astype(float), 12)
    )
    for backend in BACKENDS:
        distances, indices = KDTree(data, metric="cosine", backend=backend).query(queries, 12)
        np.testing.assert_allclose(distances, theirs[0], rtol=0, atol=1e-15)
        assert np.mean(indices == theirs[1]) > 0.999
    assert KDTree(data, metric="cosine").query(np.zeros(dim)) == (1.0, 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_inner_product(random, backend):
    data, queries = (
        random.integers(-9, 9, (2000, 6)).astype(float),
        random.integers(-9, 9, (150, 6)).astype(float),
    )
    products = queries @ data.T
    order = np.argsort(-products, axis=1, kind="stable")[:, :40]
    tree = KDTree(data, metric="inner_product", backend=backend)
    distances, indices = tree.query(queries, 40)
    assert np.array_equal(indices, order) and np.array_equal(
        distances, -np.take_along_axis(products, order, 1)
    )
    bound = -float(products[0].max())
    assert tree.query(queries[0], 3, distance_upper_bound=bound)[1].tolist() == [2000] * 3
    assert (
        tree.query(queries[0], 3, distance_upper_bound=np.nextafter(bound, 0))[1][0] == order[0, 0]
    )
    own = KDTree(data[:50], metric="inner_product", backend=backend).query(
        data[:50], exclude_self=True
    )[1]
    gram = data[:50] @ data[:50].T
    np.fill_diagonal(gram, -np.inf)
    assert np.array_equal(own, np.argmax(gram, axis=1))


def test_other_methods_of_trees(random):
    data = random.normal(size=(200, 3))
    tree = pickle.loads(pickle.dumps(KDTree(data, metric="cosine")))
    unit = data / np.linalg.norm(data, axis=1, keepdims=True)
    distances = 1 - unit @ unit.T
    assert tree.query_ball_point(data[3], 0.1, return_length=True) == np.count_nonzero(
        distances[3] <= 0.1
    )
    assert len(tree.query_pairs(0.05)) == np.count_nonzero(np.triu(distances <= 0.05, 1))


@pytest.mark.parametrize("metric", ["cosine", "inner_product"])
def test_errors(metric):
    data = np.eye(3)
    with pytest.raises(ValueError, match="p is not supported with metric"):
        KDTree(data, metric=metric).query(data, p=2)
    with pytest.raises(Exception, match="serial, openmp, cuda-register"):
        KDTree(data, metric=metric, backend="kdtree")
    with pytest.raises(Exception, match="periodic boxes are not supported for products"):
        KDTree(data, metric=metric, boxsize=2)
    if metric == "inner_product":
        with pytest.raises(Exception, match="searches by radius are not supported"):
            KDTree(data, metric=metric).query_ball_point(data, 1.0)
    with pytest.raises(ValueError, match="distance_upper_bound must be a number"):
        KDTree(data, metric=metric).query(data, distance_upper_bound=math.nan)
