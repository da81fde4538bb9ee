"""Searches by radius: scipy's, pyproj's, scikit-learn's and shapely's answers."""

import inspect
import math
import pickle

import numpy as np
import pytest
from conftest import globe

from gpuvoronoi import FeatureTree, GlobeTree, KDTree, _radius

scipy_spatial = pytest.importorskip("scipy.spatial")
WGS84_RADIUS = (2 * 6378137.0 + 6378137.0 * (1 - 1 / 298.257223563)) / 3


@pytest.fixture(params=["points", "lattice"])
def trees(request, random):
    """Ours and scipy's, and another pair; the lattice has many points at one distance, and in one place."""
    if request.param == "points":
        data, other = random.random((400, 3)), random.random((300, 3))
    else:
        data, other = (random.integers(0, 6, (count, 3)).astype(float) for count in (400, 300))
    return KDTree(data), scipy_spatial.cKDTree(data), KDTree(other), scipy_spatial.cKDTree(other)


RADII = {
    "points": (0.0, 0.1, 0.3, 5.0),
    "lattice": (0.0, 1.0, 2.0, 3.0),
}  # squares of the second row are exact: scipy compares squares


@pytest.fixture
def wanted(request, trees):
    return RADII["lattice" if float(trees[0].data[0, 0]).is_integer() else "points"]


@pytest.mark.parametrize(
    "name",
    [
        "query_ball_point",
        "query_ball_tree",
        "query_pairs",
        "count_neighbors",
        "sparse_distance_matrix",
    ],
)
def test_signatures_are_scipy_s(name):
    theirs, ours = (
        list(inspect.signature(getattr(kind, name)).parameters.values())
        for kind in (scipy_spatial.KDTree, KDTree)
    )
    assert [one.name for one in ours] == [one.name for one in theirs]
    assert all(a.default == b.default or a.name == "p" for a, b in zip(ours, theirs))


def test_the_constructor_is_scipy_s(random):
    data = random.random((50, 2))
    theirs, ours = (
        list(inspect.signature(kind).parameters.values()) for kind in (scipy_spatial.KDTree, KDTree)
    )
    assert [(one.name, one.default) for one in ours[: len(theirs)]] == [
        (one.name, one.default) for one in theirs
    ]
    assert KDTree(data, 16, True, False, True, None).query(data[3]) == (0.0, 3)
    with pytest.raises(ValueError, match="leafsize must be"):
        KDTree(data, 0)


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_query_ball_point(trees, wanted, p):
    ours, theirs, other, _ = trees
    for r in wanted:
        for x in (other.data, other.data[7], other.data.reshape(20, 15, 3), other.data[:0]):
            found, expected = (
                ours.query_ball_point(x, r, p, return_sorted=True),
                theirs.query_ball_point(x, r, p, return_sorted=True),
            )
            assert type(found) is type(expected) and np.shape(found) == np.shape(expected)
            if np.ndim(x) == 1:
                assert found == expected
            else:
                assert found.dtype == object and found.ravel().tolist() == expected.ravel().tolist()
            lengths, counts = (
                ours.query_ball_point(x, r, p, return_length=True),
                theirs.query_ball_point(x, r, p, return_length=True),
            )
            assert np.array_equal(lengths, counts) and np.shape(lengths) == np.shape(counts)
    radii = np.random.default_rng(3).choice(wanted, len(other.data))
    assert (
        ours.query_ball_point(other.data, radii, p).tolist()
        == theirs.query_ball_point(other.data, radii, p).tolist()
    )
    assert ours.query_ball_point(
        other.data[:2, np.newaxis], radii[:6].reshape(1, 6)[:, :1], p
    ).shape == (2, 1)


def test_nearest_first_unless_sorted(trees, wanted):
    ours, _, other, _ = trees
    for row, found in zip(
        other.data, ours.query_ball_point(other.data, wanted[2], return_sorted=False)
    ):
        d, i = ours.query(row, max(len(found), 1))
        assert found == np.atleast_1d(i)[: len(found)].tolist()
        assert ours.query_ball_point(row, wanted[2]) == found
    assert (
        ours.query_ball_point(other.data, wanted[2], workers=-1).tolist()
        == ours.query_ball_point(other.data, wanted[2]).tolist()
    )


@pytest.mark.parametrize("backend", ["serial", "openmp", "kdtree", "octree"])
def test_backends(random, backend):
    data = random.random((2000, 2)).astype(np.float32)
    expected = scipy_spatial.cKDTree(data.astype(float)).query_ball_point(data.astype(float), 0.05)
    assert KDTree(data, backend=backend).query_ball_point(data, 0.05).tolist() == expected.tolist()


def test_the_radius_is_inclusive_by_the_distance(random):
    """What query says of the distance decides, to the last bit."""
    data = random.random((100, 3))
    tree = KDTree(data)
    d, i = tree.query(data, 20)
    for row in range(100):
        assert tree.query_ball_point(data[row], d[row, 19], return_length=True) == 20
        assert (
            tree.query_ball_point(data[row], np.nextafter(d[row, 19], 0), return_length=True) == 19
        )
    assert tree.query_ball_point([9.0] * 3, math.inf, return_length=True) == 100


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_trees_in_trees(trees, wanted, p):
    ours, theirs, other, their_other = trees
    for r in wanted[:3]:
        assert ours.query_ball_tree(other, r, p) == [
            sorted(one) for one in theirs.query_ball_tree(their_other, r, p)
        ]
        assert ours.query_pairs(r, p) == theirs.query_pairs(r, p)
        pairs = ours.query_pairs(r, p, output_type="ndarray")
        assert pairs.dtype == np.intp and pairs.tolist() == sorted(
            theirs.query_pairs(r, p, output_type="ndarray").tolist()
        )
        expected = theirs.sparse_distance_matrix(their_other, r, p, output_type="dict")
        found = ours.sparse_distance_matrix(other, r, p, output_type="dict")
        assert found.keys() == expected.keys()
        np.testing.assert_allclose(
            [found[key] for key in expected], list(expected.values()), rtol=1e-13
        )
        table = ours.sparse_distance_matrix(other, r, p, output_type="ndarray")
        assert (
            table.dtype
            == theirs.sparse_distance_matrix(their_other, r, p, output_type="ndarray").dtype
        )
        assert (
            dict(zip(zip(table["i"].tolist(), table["j"].tolist()), table["v"].tolist())) == found
        )
        for kind in ("coo_matrix", "dok_matrix", "coo_array", "dok_array"):
            matrix = ours.sparse_distance_matrix(other, r, p, output_type=kind)
            assert matrix.shape == (ours.n, other.n) and type(matrix).__name__ == kind
            np.testing.assert_allclose(
                matrix.toarray(),
                theirs.sparse_distance_matrix(
                    their_other, r, p, output_type=kind.replace("array", "matrix")
                ).toarray(),
                rtol=1e-13,
            )


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_count_neighbors(trees, wanted, p, random):
    ours, theirs, other, their_other = trees
    a, b = random.random(ours.n), random.random(other.n)
    many = [*np.repeat(wanted, 3), 40.0]
    for cumulative in (True, False):
        for r in (wanted[2], list(wanted), many):
            if np.ndim(r) == 0 and not cumulative:
                continue
            found, expected = (
                one.count_neighbors(two, r, p, cumulative=cumulative)
                for one, two in ((ours, other), (theirs, their_other))
            )
            assert (
                np.array_equal(found, expected)
                and np.asarray(found).dtype == np.asarray(expected).dtype
            )
            for weights in ((a, b), (a, None), (None, b)):
                np.testing.assert_allclose(
                    ours.count_neighbors(other, r, p, weights, cumulative),
                    theirs.count_neighbors(their_other, r, p, weights, cumulative),
                    rtol=1e-12,
                    atol=1e-9,
                )
        np.testing.assert_allclose(
            ours.count_neighbors(ours, list(wanted), p, a, cumulative),
            theirs.count_neighbors(theirs, list(wanted), p, a, cumulative),
            rtol=1e-12,
            atol=1e-9,
        )
    assert ours.count_neighbors(other, []).shape == (0,)
    assert ours.count_neighbors(other, [-1.0, 40.0]).tolist() == [
        0,
        120_000,
    ]  # scipy squares a radius below 0


def test_many_pairs_are_counted_in_parts(random, monkeypatch):
    from gpuvoronoi import _radius

    data, radii = random.random((500, 2)), np.linspace(0, 1.5, 30)
    expected = scipy_spatial.cKDTree(data).count_neighbors(scipy_spatial.cKDTree(data), radii)
    for most in (1, 700, 1 << 22):
        monkeypatch.setattr(_radius, "_PAIRS_AT_ONCE", most)
        assert np.array_equal(KDTree(data).count_neighbors(KDTree(data), radii), expected)


def test_skip_invalid(random):
    data, queries = random.random((60, 2)), random.random((40, 2))
    bad, gone = [0, 7, 59], [3, 39]
    good, weights = np.setdiff1d(np.arange(60), bad), random.random(60)
    data[bad], queries[gone, 1] = np.nan, np.inf
    tree, plain = KDTree(data, skip_invalid=True), scipy_spatial.cKDTree(data[good])
    asked = np.delete(queries, gone, axis=0)
    radii = random.random(40) * 0.3
    expected = [
        [int(good[i]) for i in one] for one in plain.query_ball_point(asked, np.delete(radii, gone))
    ]
    found = tree.query_ball_point(queries, radii)
    assert found[3] == found[39] == [] and np.delete(found, gone).tolist() == expected
    assert tree.query_ball_point(queries, radii, return_length=True).tolist() == [
        len(one) for one in found
    ]
    assert tree.query_ball_point(queries[3], 1.0) == []
    assert tree.query_pairs(0.2) == {
        (int(good[i]), int(good[j])) for i, j in plain.query_pairs(0.2)
    }
    lists = tree.query_ball_tree(tree, 0.2)
    assert (
        len(lists) == 60
        and lists[7] == []
        and lists[good[0]] == [int(good[i]) for i in sorted(plain.query_ball_tree(plain, 0.2)[0])]
    )
    np.testing.assert_allclose(
        tree.count_neighbors(tree, 0.2, weights=weights),
        plain.count_neighbors(plain, 0.2, weights=weights[good]),
    )
    matrix = tree.sparse_distance_matrix(tree, 0.2, output_type="coo_matrix")
    assert matrix.shape == (60, 60) and not np.isin(matrix.row, bad).any()
    np.testing.assert_allclose(
        matrix.toarray()[np.ix_(good, good)], plain.sparse_distance_matrix(plain, 0.2).toarray()
    )


def test_no_data():
    empty, one = KDTree(np.empty((0, 2))), KDTree([[0.0, 0.0]])
    assert (
        empty.query_ball_point([0.0, 0.0], 1.0) == []
        and empty.query_pairs(1.0) == set()
        and empty.query_pairs(1.0, output_type="ndarray").shape == (0, 2)
    )
    assert (
        empty.query_ball_tree(one, 1.0) == []
        and one.query_ball_tree(empty, 1.0) == [[]]
        and one.count_neighbors(empty, 1.0) == 0
    )
    assert one.sparse_distance_matrix(empty, 1.0).shape == (1, 0)


def test_length_and_repr(random):
    data, places = random.random((7, 2)), globe(random, 7)
    for tree in (
        KDTree(data),
        GlobeTree(*places),
        FeatureTree([{"type": "Point", "coordinates": (1.0, 2.0)}] * 7),
    ):
        assert (
            len(tree) == 7
            and f"{type(tree).__name__}(n=7" in repr(tree)
            and repr(tree) == repr(pickle.loads(pickle.dumps(tree)))
        )


class OnGpu:
    __cuda_array_interface__ = {"typestr": "<f8", "shape": (2, 3), "data": (0, False), "version": 3}


@pytest.mark.parametrize(
    "name, arguments, error, words",
    [
        ("query_ball_point", ([1.0, 2.0], 1.0), ValueError, "x must have a last dimension of 3"),
        ("query_ball_point", (np.eye(3), [1.0, 2.0]), ValueError, "r has the shape"),
        ("query_ball_point", (np.eye(3), -1.0), ValueError, "r must"),
        ("query_ball_point", (np.eye(3), [1.0, np.nan, 1.0]), ValueError, "r must"),
        ("query_ball_point", (np.eye(3), "far"), TypeError, "r must"),
        ("query_ball_point", (np.full((2, 3), np.inf), 1.0), ValueError, "x: "),
        ("query_ball_point", (np.eye(3), 1.0, 0.5), ValueError, "p must be a number >= 1"),
        ("query_ball_point", (np.eye(3), 1.0, 2, -1), ValueError, "eps must"),
        ("query_ball_point", (np.eye(3), 1.0, 2, 0, 0), ValueError, "workers must"),
        ("query_ball_point", (OnGpu(), 1.0), TypeError, "x is an array on a GPU"),
        ("query_ball_tree", (np.eye(3), 1.0), TypeError, "other must be a gpuvoronoi.KDTree"),
        ("query_ball_tree", (KDTree(np.eye(2)), 1.0), ValueError, "other must have 3 dimensions"),
        ("query_pairs", (-1.0,), ValueError, "r must"),
        ("query_pairs", (1.0, 2, 0, "list"), ValueError, "output_type must"),
        ("count_neighbors", (KDTree(np.eye(3)), [[1.0]]), ValueError, "r must"),
        ("count_neighbors", (KDTree(np.eye(3)), np.nan), ValueError, "r must"),
        (
            "count_neighbors",
            (KDTree(np.eye(3)), [1.0, 0.5], 2, None, False),
            ValueError,
            "r must not decrease",
        ),
        (
            "count_neighbors",
            (KDTree(np.eye(3)), 1.0, 2, [1.0, 1.0, 1.0]),
            ValueError,
            "weights must be a tuple",
        ),
        (
            "count_neighbors",
            (KDTree(np.eye(3)), 1.0, 2, ([1.0], None)),
            ValueError,
            "weights must have the shape",
        ),
        (
            "count_neighbors",
            (KDTree(np.eye(3)), 1.0, 2, (None, None, None)),
            ValueError,
            "weights must be an array or a tuple of two",
        ),
        (
            "sparse_distance_matrix",
            (KDTree(np.eye(3)), 1.0, 2, "csr_matrix"),
            ValueError,
            "output_type must",
        ),
        ("sparse_distance_matrix", (KDTree(np.eye(3)), -1.0), ValueError, "max_distance must"),
    ],
)
def test_bad_arguments_are_named(name, arguments, error, words):
    with pytest.raises(error, match=words):
        getattr(KDTree(np.eye(3)), name)(*arguments)


@pytest.mark.parametrize("ellipsoid", [None, (3396190.0, 0.005886)])
def test_globe_against_geod(random, ellipsoid):
    geod = pytest.importorskip("pyproj").Geod
    a, f = ellipsoid or (6378137.0, 1 / 298.257223563)
    seeds, queries = globe(random, 300), globe(random, 80)
    radii = random.uniform(0, math.pi * a, 80)
    meters = np.array(
        [geod(a=a, f=f).inv(np.full(300, x), np.full(300, y), *seeds)[2] for x, y in zip(*queries)]
    )
    tree = GlobeTree(*seeds, ellipsoid=ellipsoid)
    indices, distances = tree.query_radius(*queries, radii, return_distance=True)
    for row in range(80):
        order = np.argsort(meters[row], kind="stable")
        order = order[meters[row][order] <= radii[row]]
        assert indices[row].tolist() == order.tolist()
        np.testing.assert_allclose(distances[row], meters[row][order], rtol=0, atol=1e-6)
        one = tree.query_radius(queries[0][row], queries[1][row], radii[row])
        assert (
            isinstance(one, np.ndarray) and one.dtype == np.intp and one.tolist() == order.tolist()
        )
    assert tree.query_radius(*queries, radii, count_only=True).tolist() == [
        len(one) for one in indices
    ]
    assert [one.tolist() for one in tree.query_radius(*queries, radii, sort_results=False)] == [
        sorted(one.tolist()) for one in indices
    ]
    assert (
        tree.query_radius(queries[0][0], queries[1][0], 1e6, count_only=True)
        == (meters[0] <= 1e6).sum()
    )
    assert tree.query_radius(queries[0].reshape(4, 20), queries[1].reshape(4, 20), 1e6).shape == (
        4,
        20,
    )


def test_globe_against_haversine(random):
    neighbors = pytest.importorskip("sklearn.neighbors")
    seeds, queries = globe(random, 500), globe(random, 200)
    theirs = neighbors.BallTree(np.radians(np.column_stack(seeds[::-1])), metric="haversine")
    expected, at = theirs.query_radius(
        np.radians(np.column_stack(queries[::-1])),
        2e6 / WGS84_RADIUS,
        return_distance=True,
        sort_results=True,
    )
    indices, meters = GlobeTree(*seeds, metric="great-circle").query_radius(
        *queries, 2e6, return_distance=True
    )
    for row in range(200):
        assert indices[row].tolist() == expected[row].tolist()
        np.testing.assert_allclose(meters[row], at[row] * WGS84_RADIUS, rtol=1e-9, atol=1e-3)


def test_globe_skip_invalid():
    tree = GlobeTree([0.0, np.nan, 1.0], [0.0, 0.0, 0.0], skip_invalid=True)
    indices, meters = tree.query_radius([0.0, 0.0], [0.0, 91.0], [2e5, 1e9], return_distance=True)
    assert [one.tolist() for one in indices] == [[0, 2], []] and meters[0][0] == 0.0
    with pytest.raises(ValueError, match="return_distance and count_only"):
        tree.query_radius(0.0, 0.0, 1.0, True, True)
    with pytest.raises(ValueError, match="r must"):
        tree.query_radius(0.0, 0.0, -1.0)


def test_features_against_shapely(random):
    shapely = pytest.importorskip("shapely")
    if int(shapely.__version__.split(".")[0]) < 2:
        pytest.skip("shapely 1")
    centers = random.uniform(0, 100, (200, 2))
    shapes = [
        shapely.Point(x, y).buffer(random.uniform(0, 8), 4)
        if i % 2
        else shapely.LineString([(x, y), (x + 9, y + 3), (x + 5, y - 5)])
        for i, (x, y) in enumerate(centers)
    ]
    x, y = random.uniform(0, 100, (2, 60))
    tree = FeatureTree(shapes, metric="euclidean")
    indices, distances = tree.query_radius(x, y, 15.0, return_distance=True)
    for row in range(60):
        expected = shapely.distance(shapes, shapely.Point(x[row], y[row]))
        assert sorted(indices[row].tolist()) == np.flatnonzero(expected <= 15.0).tolist()
        np.testing.assert_allclose(distances[row], expected[indices[row]], rtol=1e-12, atol=1e-12)
        assert (np.diff(distances[row]) >= 0).all()
    assert tree.query_radius(x, y, 15.0, count_only=True).tolist() == [len(one) for one in indices]


def test_features_on_the_globe(random):
    """As all neighbors that are ranked."""
    lon, lat = globe(random, 60)
    lines = [
        {"type": "LineString", "coordinates": [(x, y), (x + 3, y * 0.95)]} for x, y in zip(lon, lat)
    ]
    tree = FeatureTree(lines)
    x, y = globe(random, 50)
    d, i = tree.query(x, y, k=60)
    indices, meters = tree.query_radius(x, y, d[:, 25], return_distance=True)
    for row in range(50):
        assert np.array_equal(indices[row], i[row, :26]) and np.array_equal(
            meters[row], d[row, :26]
        )


def test_globe_trees_of_nothing():
    tree = GlobeTree([], [])
    assert tree.query_radius(0.0, 0.0, 1.0).tolist() == [] and tree.query_radius(
        [0.0, 1.0], 0.0, 1.0, count_only=True
    ).tolist() == [0, 0]


def test_lists_of_more_queries_than_are_made_at_once(random, monkeypatch):
    monkeypatch.setattr(_radius, "_LISTS_AT_ONCE", 7)
    data = random.random((100, 2))
    expected = scipy_spatial.cKDTree(data).query_ball_point(data, 0.2).tolist()
    assert [sorted(one) for one in expected] == KDTree(data).query_ball_point(data, 0.2).tolist()
