"""The estimator: scikit-learn's checks of estimators, and its answers."""

import math
import pickle

import numpy as np
import pytest

neighbors = pytest.importorskip("sklearn.neighbors")
from sklearn.base import clone  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from gpuvoronoi.sklearn import KNeighborsTransformer, NearestNeighbors, RadiusNeighborsTransformer  # noqa: E402


def checks_of(estimator):
    if hasattr(estimator_checks, "estimator_checks_generator"):  # since 1.6
        return estimator_checks.estimator_checks_generator(estimator)
    return estimator_checks.check_estimator(estimator, generate_only=True)


CHECKS = [
    check
    for one in (NearestNeighbors(), KNeighborsTransformer(), RadiusNeighborsTransformer())
    for check in checks_of(one)
]
# Of scikit-learn's checks those that fail, with the reason.
EXPECTED = {}


def name_of(check):
    return check.func.__name__


def test_there_are_checks():
    assert len(CHECKS) > 20 and set(EXPECTED) <= {name_of(check) for _, check in CHECKS}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator, check",
    CHECKS,
    ids=[f"{type(one).__name__}-{name_of(check)}" for one, check in CHECKS],
)
def test_check_estimator(estimator, check):
    if name_of(check) in EXPECTED:
        with pytest.raises(Exception, match=EXPECTED[name_of(check)]):
            check(estimator)
    else:
        check(estimator)


@pytest.fixture(params=["euclidean", "manhattan", "chebyshev"])
def models(request, random):
    data, queries = random.random((300, 3)), random.random((80, 3))
    return (
        NearestNeighbors(4, radius=0.2, metric=request.param, n_jobs=2).fit(data),
        neighbors.NearestNeighbors(
            n_neighbors=4, radius=0.2, metric=request.param, algorithm="brute"
        ).fit(data),
        queries,
    )


@pytest.mark.parametrize("given", [True, False])
def test_neighbors(models, given):
    ours, theirs, queries = models
    x = queries if given else None
    for k in (None, 1, 7):
        found, expected = ours.kneighbors(x, k), theirs.kneighbors(x, k)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-6, atol=1e-7)
        assert np.array_equal(ours.kneighbors(x, k, return_distance=False), found[1])
        for mode in ("connectivity", "distance"):
            np.testing.assert_allclose(
                ours.kneighbors_graph(x, k, mode).toarray(),
                theirs.kneighbors_graph(x, k, mode).toarray(),
                rtol=1e-6,
                atol=1e-7,
            )


@pytest.mark.parametrize("given", [True, False])
def test_radius(models, given):
    ours, theirs, queries = models
    x = queries if given else None
    for radius in (None, 0.0, 0.4):
        found, expected = (
            ours.radius_neighbors(x, radius),
            theirs.radius_neighbors(x, radius, sort_results=True),
        )
        for row in range(len(expected[0])):
            assert found[1][row].tolist() == expected[1][row].tolist()
            np.testing.assert_allclose(found[0][row], expected[0][row], rtol=1e-6, atol=1e-7)
        assert [
            one.tolist() for one in ours.radius_neighbors(x, radius, return_distance=False)
        ] == [one.tolist() for one in found[1]]
        for mode in ("connectivity", "distance"):
            graph = ours.radius_neighbors_graph(x, radius, mode)
            np.testing.assert_allclose(
                graph.toarray(),
                theirs.radius_neighbors_graph(x, radius, mode).toarray(),
                rtol=1e-6,
                atol=1e-7,
            )


def test_a_point_is_no_neighbor_of_its_own_but_those_in_its_place_are():
    data = np.zeros((6, 2))
    data[5] = 1.0
    model = NearestNeighbors(2).fit(data)
    assert model.kneighbors()[1].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1], [0, 1]]
    assert [one.tolist() for one in model.radius_neighbors(radius=0.0)[1]] == [
        [j for j in range(5) if j != i] for i in range(5)
    ] + [[]]


def test_clone_and_pickle(random):
    data = random.random((40, 2))
    model = NearestNeighbors(3, metric="manhattan").fit(data)
    assert clone(model).get_params() == model.get_params()
    assert np.array_equal(
        pickle.loads(pickle.dumps(model)).kneighbors(data)[1], model.kneighbors(data)[1]
    )


@pytest.mark.parametrize(
    "call, error, words",
    [
        (
            lambda m: m.kneighbors(n_neighbors=10),
            ValueError,
            "Expected n_neighbors from 1 to n_samples_fit = 9, got 10",
        ),
        (lambda m: m.kneighbors(np.eye(2), 11), ValueError, "n_samples_fit = 10, got 11"),
        (lambda m: m.kneighbors(np.eye(2), 0), ValueError, "got 0"),
        (lambda m: m.kneighbors(np.eye(2), 2.5), TypeError, "n_neighbors does not take"),
        (lambda m: m.kneighbors(np.eye(3)), ValueError, "features"),
        (lambda m: m.radius_neighbors(np.eye(2), -1.0), ValueError, "radius must"),
        (lambda m: m.radius_neighbors(np.eye(2), math.nan), ValueError, "radius must"),
        (lambda m: m.kneighbors_graph(np.eye(2), 2, "both"), ValueError, "mode must be"),
    ],
)
def test_errors(random, call, error, words):
    with pytest.raises(error, match=words):
        call(NearestNeighbors().fit(random.random((10, 2))))


@pytest.mark.parametrize("p", [1, 1.5, 3, 4.25])
def test_powers(random, p):
    data, queries = random.random((300, 3)), random.random((80, 3))
    ours = NearestNeighbors(n_neighbors=6, radius=0.2, metric="minkowski", p=p).fit(data)
    theirs = neighbors.NearestNeighbors(n_neighbors=6, radius=0.2, metric="minkowski", p=p).fit(
        data
    )
    for given in (queries, None):
        for a, b in zip(ours.kneighbors(given), theirs.kneighbors(given)):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    a, b = ours.radius_neighbors(queries), theirs.radius_neighbors(queries, sort_results=True)
    assert all(np.array_equal(x, y) for x, y in zip(a[1], b[1]))
    assert clone(ours).fit(data).p == p
    with pytest.raises(ValueError, match="p must be a number >= 1"):
        NearestNeighbors(metric="minkowski", p=0.5).fit(data)


def test_products(random):
    data, queries = random.normal(size=(300, 8)), random.normal(size=(80, 8))
    theirs = (
        neighbors.NearestNeighbors(metric="cosine", algorithm="brute").fit(data).kneighbors(queries)
    )
    ours = NearestNeighbors(metric="cosine").fit(data).kneighbors(queries)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-14)
    assert np.array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("given", [True, False])
def test_haversine(random, given):
    """Latitudes and longitudes in radians, as BallTree has them."""

    def places(n):
        return np.column_stack(
            [np.arcsin(random.uniform(-1, 1, n)), random.uniform(-np.pi, np.pi, n)]
        )

    data, queries = places(200), places(50) if given else None
    ours = NearestNeighbors(3, radius=0.3, metric="haversine").fit(data)
    theirs = neighbors.NearestNeighbors(
        n_neighbors=3, radius=0.3, metric="haversine", algorithm="ball_tree"
    ).fit(data)
    found, expected = ours.kneighbors(queries), theirs.kneighbors(queries)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[0], expected[0], atol=1e-12)
    found, expected = (
        ours.radius_neighbors(queries),
        theirs.radius_neighbors(queries, sort_results=True),
    )
    assert [one.tolist() for one in found[1]] == [one.tolist() for one in expected[1]]
    with pytest.raises(ValueError, match="two features"):
        NearestNeighbors(metric="haversine").fit(np.zeros((3, 3)))


def test_radius_by_row(random):
    data, queries = random.random((300, 2)), random.random((40, 2))
    radius = random.uniform(0, 0.2, 40)
    model = NearestNeighbors().fit(data)
    for i, found in enumerate(model.radius_neighbors(queries, radius, return_distance=False)):
        assert (
            found.tolist()
            == model.radius_neighbors(queries[i : i + 1], radius[i], return_distance=False)[
                0
            ].tolist()
        )
    with pytest.raises(ValueError, match="broadcast"):
        model.radius_neighbors(queries, radius[:7])


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("metric", ["l1", "l2", "cityblock", "infinity", "minkowski"])
def test_transformers(random, mode, metric):
    data, queries = random.random((100, 3)), random.random((20, 3))
    theirs = {"infinity": "chebyshev"}.get(metric, metric)
    power = {"metric_params": {"p": 3}} if metric == "minkowski" else {}
    as_theirs = {"p": 3} if metric == "minkowski" else {}
    for ours, other, how in (
        (KNeighborsTransformer, neighbors.KNeighborsTransformer, {"n_neighbors": 4}),
        (RadiusNeighborsTransformer, neighbors.RadiusNeighborsTransformer, {"radius": 0.3}),
    ):
        model = ours(mode=mode, metric=metric, **how, **power)
        expected = other(mode=mode, metric=theirs, **how, **as_theirs)
        np.testing.assert_allclose(
            model.fit_transform(data).toarray(), expected.fit_transform(data).toarray(), atol=1e-12
        )
        np.testing.assert_allclose(
            model.transform(queries).toarray(), expected.transform(queries).toarray(), atol=1e-12
        )


def test_pipelines(random):
    from sklearn.cluster import DBSCAN
    from sklearn.manifold import Isomap
    from sklearn.pipeline import make_pipeline

    data = np.concatenate([random.normal(c, 0.05, (60, 2)) for c in ((0, 0), (1, 0), (0, 1))])
    model = make_pipeline(
        RadiusNeighborsTransformer(radius=0.2), DBSCAN(eps=0.2, metric="precomputed")
    )
    assert np.array_equal(model.fit_predict(data), DBSCAN(eps=0.2).fit_predict(data))
    ring = np.column_stack([np.cos(np.arange(60) * 0.05), np.sin(np.arange(60) * 0.05)])
    flat = make_pipeline(
        KNeighborsTransformer(n_neighbors=5),
        Isomap(n_neighbors=5, n_components=1, metric="precomputed"),
    ).fit_transform(ring)
    np.testing.assert_allclose(
        np.abs(flat), np.abs(Isomap(n_neighbors=5, n_components=1).fit_transform(ring)), atol=1e-6
    )


def test_what_is_refused(random):
    for how, text in (
        ({"algorithm": "lsh"}, "algorithm must be"),
        ({"metric_params": {"w": [1]}}, "unsupported parameter 'w'"),
        ({"metric": "canberra"}, "metric"),
    ):
        with pytest.raises(ValueError, match=text):
            NearestNeighbors(**how).fit(random.random((5, 2)))
    with pytest.raises(ValueError, match="mode must be"):
        KNeighborsTransformer(mode="none").fit(random.random((9, 2)))
