"""KDTree: scipy's behavior, and scipy's answers."""

import inspect
import math
import pickle

import numpy as np
import pytest

from gpuvoronoi import KDTree

scipy_spatial = pytest.importorskip("scipy.spatial")


def test_powers_that_a_double_does_not_hold(random):
    points = random.random((50, 2))
    assert KDTree(points).query(points[:3], k=2, p=20)[0][:, 1].min() > 0
    for power, scale in ((64, 1e6), (100, 1e-4), (2.0**20, 1.0)):
        tree = KDTree(points * scale)
        assert tree.query(points[:1] * scale, p=power)[0].tolist() == [0]
        with pytest.raises(ValueError, match="distance out of range"):
            tree.query(points[:3] * scale, k=2, p=power)
        with pytest.raises(ValueError, match="maximum distance: out of range"):
            tree.query_ball_point(points[:3] * scale, scale * (0.1 if scale <= 1 else 1.0), p=power)


def same(ours, theirs, data, queries, p=2.0):
    """Equal distances to rounding; indices that lie at those distances."""
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-13, atol=0)
    assert np.shape(ours[1]) == np.shape(theirs[1])
    i, n = np.asarray(ours[1]), len(data)
    assert np.array_equal(i == n, np.asarray(theirs[1]) == n)
    near = np.take(np.vstack([data, np.full(data.shape[1], np.nan)]).astype(float), i, axis=0)
    x = np.asarray(queries, dtype=float)
    x = x[..., np.newaxis, :] if near.ndim > x.ndim else x
    distances = np.linalg.norm(near - x, ord=p, axis=-1)
    np.testing.assert_allclose(np.where(i == n, np.inf, distances), theirs[0], rtol=1e-12)


def test_signature_is_scipy_s():
    theirs = list(inspect.signature(scipy_spatial.KDTree.query).parameters.values())
    ours = list(inspect.signature(KDTree.query).parameters.values())[: len(theirs)]
    assert [a.name for a in ours] == [b.name for b in theirs]
    for a, b in zip(ours, theirs):
        assert a.default == b.default or (
            a.name == "p" and a.default is None
        )  # None: the tree's own metric, by default 2


@pytest.mark.parametrize("p, metric", [(1, "manhattan"), (2, "euclidean"), (math.inf, "chebyshev")])
@pytest.mark.parametrize("dim", [1, 2, 3, 5, 16])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_against_scipy(random, p, metric, dim, dtype):
    data, queries = (
        random.normal(size=(700, dim)).astype(dtype),
        random.normal(size=(4, 25, dim)).astype(dtype),
    )
    theirs = scipy_spatial.cKDTree(data)
    for ours in (KDTree(data), KDTree(data, metric=metric)):
        for k in (1, 2, [1], [3, 1], 700, 705):
            same(ours.query(queries, k=k, p=p), theirs.query(queries, k=k, p=p), data, queries, p)
    assert np.array_equal(
        KDTree(data, metric=metric).query(queries, 3)[1], KDTree(data).query(queries, 3, p=p)[1]
    )


@pytest.mark.parametrize("p", [1.1, 1.5, 3, 7.25, 40])
@pytest.mark.parametrize("dim, box", [(1, None), (3, None), (3, 4.0), (16, None)])
def test_any_power(random, p, dim, box):
    data, queries = 4 * random.random((600, dim)), 4 * random.random((80, dim))
    theirs = scipy_spatial.cKDTree(data, boxsize=box)
    answers = []
    for backend in ("serial", "openmp", "kdtree"):
        ours = KDTree(data, boxsize=box, backend=backend)
        found = ours.query(queries, 8, p=p)
        np.testing.assert_allclose(found[0], theirs.query(queries, 8, p=p)[0], rtol=1e-13)
        assert np.array_equal(found[1], theirs.query(queries, 8, p=p)[1])
        within = ours.query_ball_point(queries, 0.7, p=p).tolist()
        assert within == theirs.query_ball_point(queries, 0.7, p=p, return_sorted=True).tolist()
        answers.append((found[0].tobytes(), found[1].tobytes(), ours.query_pairs(0.3, p=p)))
    assert answers[0] == answers[1] == answers[2] and answers[0][2] == theirs.query_pairs(0.3, p=p)


def test_one_tree_of_other_powers_is_kept():
    tree = KDTree(np.random.default_rng(1).random((50, 2)))
    for p in (3, 4, 5, 1, np.inf):
        tree.query([0.5, 0.5], p=p)
    assert sorted(tree._built) == ["chebyshev", "euclidean", "manhattan", "minkowski 5.0"]


@pytest.mark.parametrize("k", [1, 2, 5, [1], [2], [1, 3], np.int64(2), np.array([2, 4])])
@pytest.mark.parametrize("shape", [(3,), (0, 3), (1, 3), (7, 3), (2, 5, 3), (2, 0, 3)])
def test_shapes_are_scipy_s(random, k, shape):
    data = random.random((4, 3))
    queries = random.random(shape)
    ours, theirs = KDTree(data).query(queries, k), scipy_spatial.KDTree(data).query(queries, k)
    for a, b in zip(ours, theirs):
        assert np.shape(a) == np.shape(b) and isinstance(a, np.ndarray) == isinstance(b, np.ndarray)
    assert np.asarray(ours[1]).dtype == np.intp and np.asarray(ours[0]).dtype == np.float64


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_the_bound_is_strict(p):
    data = np.array([[0.0], [1.0], [2.0]])
    assert KDTree(data).query([0.0], 3, 0, p, 1.0)[1].tolist() == [0, 3, 3]
    assert KDTree(data).query([0.0], 3, 0, p, np.nextafter(1.0, 2))[1].tolist() == [0, 1, 3]
    assert KDTree(data).query([0.0], 3, 0, p, 0.0)[0].tolist() == [np.inf] * 3
    assert KDTree(data).query([0.0], distance_upper_bound=0) == (math.inf, 3)


def test_the_bound_against_scipy(random):
    data, queries = (
        random.integers(0, 9, (300, 2)).astype(float),
        random.integers(0, 9, (200, 2)).astype(float),
    )
    for bound in (0.5, 1.0, 1.25, 2.0, 3.0):  # with exact squares: scipy compares squares
        same(
            KDTree(data).query(queries, 20, distance_upper_bound=bound),
            scipy_spatial.cKDTree(data).query(queries, 20, distance_upper_bound=bound),
            data,
            queries,
        )


def test_ties_go_to_the_lowest_index():
    data = np.zeros((5, 2))
    assert KDTree(data).query([1.0, 1.0], 5)[1].tolist() == [0, 1, 2, 3, 4]


def test_no_data():
    d, i = KDTree(np.empty((0, 3))).query(np.zeros((2, 3)), 2)
    assert np.isinf(d).all() and (i == 0).all()


def test_other_dtypes_and_layouts(random):
    data = random.integers(-100, 100, (300, 3))
    queries = random.integers(-100, 100, (50, 3))
    expected = KDTree(data.astype(float)).query(queries.astype(float), 4)
    for kind in (np.int8, np.int16, np.int64, np.float32, np.float16, ">f8", ">f4"):
        found = KDTree(data.astype(kind)).query(queries.astype(kind), 4)
        assert np.array_equal(found[0], expected[0]) and np.array_equal(found[1], expected[1]), kind
    for layout in (
        np.asfortranarray(data.astype(float)),
        np.repeat(data.astype(float), 2, axis=0)[::2],
        data.astype(float).tolist(),
        np.ma.masked_array(data.astype(float)),
    ):
        assert np.array_equal(KDTree(layout).query(queries[:, ::-1][:, ::-1], 4)[1], expected[1])


def test_a_tree_answers_from_one_state_of_its_data(random):
    """Metrics requested later are built from the original values, also if the array has changed."""
    for kind in (np.float32, np.float64, np.int64):
        data = (100 * random.random((50, 3))).astype(kind)
        query, expected = (
            data[7] + 0.25,
            {
                p: KDTree(data.copy(), backend="serial").query(data[7] + 0.25, p=p)
                for p in (1, 2, np.inf)
            },
        )
        for backend in ("serial", "openmp", "kdtree"):
            changed = data.copy()
            tree = KDTree(changed, backend=backend)
            changed[:] = 0
            assert {p: tree.query(query, p=p) for p in (1, 2, np.inf)} == expected
            assert not tree.data.flags.writeable and np.array_equal(tree.data, data)
            assert pickle.loads(pickle.dumps(tree)).query(query) == expected[2]
    view = np.asfortranarray(random.random((9, 2)))
    assert KDTree(view).query(view[3])[1] == 3 and KDTree(view[::2]).query(view[4])[1] == 2


def test_attributes_and_pickle(random):
    data = random.random((100, 3))
    ours, theirs = KDTree(data, leafsize=16), scipy_spatial.KDTree(data, leafsize=16)
    assert (ours.n, ours.m, ours.leafsize) == (theirs.n, theirs.m, theirs.leafsize)
    assert np.array_equal(ours.maxes, theirs.maxes) and np.array_equal(ours.mins, theirs.mins)
    again = pickle.loads(pickle.dumps(KDTree(data, metric="manhattan", backend="serial")))
    assert again.metric == "manhattan" and again.query(data[7]) == (0.0, 7)


def test_hundreds_of_neighbors(random):
    data = random.random((3000, 2))
    same(
        KDTree(data).query(data[:5], 1024),
        scipy_spatial.cKDTree(data).query(data[:5], 1024),
        data,
        data[:5],
    )


@pytest.mark.parametrize("backend", ["serial", "openmp", "kdtree", "octree", "auto"])
def test_thousands_of_neighbors(random, backend):
    data = np.vstack([random.random((2500, 2)), np.round(4 * random.random((2500, 2))) / 4])
    expected = scipy_spatial.cKDTree(data).query(data[:5], 4500)
    d, i = KDTree(data, backend=backend).query(data[:5], 4500)
    np.testing.assert_allclose(d, expected[0], rtol=1e-13)
    for row in range(5):
        assert list(zip(d[row], i[row])) == sorted(zip(d[row], i[row])) and len(set(i[row])) == 4500
    assert KDTree(data, backend=backend).query(data[0], [1500, 5001])[1].tolist()[1] == 5000


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ({"x": [[1.0, 2.0]]}, ValueError, "x must have a last dimension of 3"),
        ({"x": 1.0}, ValueError, "x must have"),
        ({"x": [["a", "b", "c"]]}, TypeError, "x must be an array of real numbers"),
        ({"x": [[1, 2, 3j]]}, TypeError, "x must be"),
        ({"x": [[1.0, 2.0, 3.0], [1.0]]}, ValueError, "x"),
        ({"x": [0.0, math.nan, 0.0]}, ValueError, "x: "),
        ({"x": [0.0, math.inf, 0.0]}, ValueError, "x: "),
        ({"x": np.ma.masked_equal([[1.0, 2.0, 3.0]], 2.0)}, ValueError, "x: .*masked"),
        ({"x": [0.0] * 3, "k": 0}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": 1 << 25}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": 1 << 70}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": 1.5}, TypeError, "k must"),
        ({"x": [0.0] * 3, "k": True}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": []}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": [0]}, ValueError, "k must"),
        ({"x": [0.0] * 3, "k": [[1]]}, ValueError, "k must"),
        ({"x": [0.0] * 3, "p": 0.5}, ValueError, "p must be a number >= 1"),
        ({"x": [0.0] * 3, "p": 1e9}, ValueError, "p must be from 1 to 1048576, or inf"),
        ({"x": [0.0] * 3, "p": "two"}, TypeError, "p must"),
        ({"x": [0.0] * 3, "eps": -1}, ValueError, "eps must"),
        (
            {"x": [0.0] * 3, "distance_upper_bound": math.nan},
            ValueError,
            "distance_upper_bound must",
        ),
        ({"x": [0.0] * 3, "distance_upper_bound": -1}, ValueError, "distance_upper_bound must"),
        ({"x": [0.0] * 3, "workers": 0}, ValueError, "workers must"),
        ({"x": [0.0] * 3, "workers": 1.0}, TypeError, "workers must"),
    ],
)
def test_bad_queries_name_the_argument(arguments, error, words):
    with pytest.raises(error, match=words.replace("[", r"\[")):
        KDTree(np.eye(3)).query(**arguments)


@pytest.mark.parametrize(
    "data, more, error, words",
    [
        ([1.0, 2.0], {}, ValueError, "data must have the shape"),
        (np.zeros((2, 0)), {}, ValueError, "data must have the shape"),
        (np.zeros((2, 4097)), {}, ValueError, "data must have the shape"),
        (np.zeros((2, 2, 2)), {}, ValueError, "data must have the shape"),
        ([[0.0, math.nan]], {}, ValueError, "data: "),
        ([[object()]], {}, TypeError, "data must"),
        ([["1"]], {}, TypeError, "data must"),
        (np.zeros((1, 1), dtype="M8[s]"), {}, TypeError, "data must"),
        (np.zeros((2, 2)), {"metric": "hamming"}, ValueError, "metric must"),
        (np.zeros((2, 2)), {"metric": "geodesic"}, ValueError, "GlobeTree"),
        (np.zeros((2, 2)), {"metric": 16}, TypeError, "metric must"),
        (np.zeros((2, 2)), {"leafsize": "manhattan"}, TypeError, "metric by its name"),
        (np.zeros((2, 2)), {"leafsize": 0}, ValueError, "leafsize must"),
        (np.ones((2, 2)), {"boxsize": 1.0}, ValueError, "boxsize"),
    ],
)
def test_bad_data_names_the_argument(data, more, error, words):
    with pytest.raises(error, match=words):
        KDTree(data, **more)


def test_what_is_missing_says_so():
    tree = KDTree(np.eye(3))
    for name in ("tree", "innernode", "leafnode"):
        with pytest.raises(AttributeError, match=f"no {name}: its nodes are not accessible; len"):
            getattr(tree, name)
    with pytest.raises(AttributeError, match="nonsense"):
        tree.nonsense


def test_shapes_and_dtypes_at_random():
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as hnp

    kinds = st.sampled_from([np.float64, np.float32, np.int32, np.uint8, np.bool_])

    @hypothesis.settings(max_examples=150, deadline=None, database=None)
    @hypothesis.given(st.data())
    def check(draw):
        dim, count = draw.draw(st.integers(1, 5)), draw.draw(st.integers(1, 30))
        numbers = {
            "f": st.floats(-1000, 1000, width=32),
            "i": st.integers(-1000, 1000),
            "u": st.integers(0, 200),
            "b": st.booleans(),
        }

        def array(shape):
            kind = draw.draw(kinds)
            return draw.draw(hnp.arrays(kind, shape, elements=numbers[np.dtype(kind).kind]))

        data = array((count, dim))
        queries = array(
            (*draw.draw(hnp.array_shapes(min_dims=0, max_dims=3, max_side=4, min_side=0)), dim)
        )
        k = draw.draw(
            st.one_of(st.integers(1, 33), st.lists(st.integers(1, 33), min_size=1, max_size=4))
        )
        p = draw.draw(st.sampled_from([1, 2, math.inf]))
        ours = KDTree(data).query(queries, k, p=p)
        theirs = scipy_spatial.cKDTree(data.astype(float)).query(queries.astype(float), k, p=p)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12, atol=1e-150)
        assert np.shape(ours[1]) == np.shape(theirs[1])

    check()


def test_skip_invalid(random):
    """Invalid points are not neighbors and have none; the others keep their indices."""
    data, queries = random.random((60, 3)), random.random((40, 3))
    bad, gone = [0, 7, 8, 59], [3, 39]
    good = np.setdiff1d(np.arange(60), bad)
    data[bad, [0, 1, 2, 0]], queries[gone, [2, 0]] = (
        [np.nan, np.inf, -np.inf, np.nan],
        [np.nan, np.inf],
    )
    for given, asked in (
        (data, queries),
        (data.astype(object), queries),
        (data.astype(np.float32), queries),
    ):
        with pytest.raises(ValueError, match="data: .*not finite"):
            KDTree(given)
        tree, plain = KDTree(given, skip_invalid=True), KDTree(given[good])
        assert (
            tree.n == 60
            and tree.maxes.tolist() == plain.maxes.tolist()
            and tree.mins.tolist() == plain.mins.tolist()
        )
        for tree in (tree, pickle.loads(pickle.dumps(tree))):
            for arguments in ({"k": 3}, {"k": [2], "p": 1}, {"distance_upper_bound": 0.2, "k": 60}):
                d, i = tree.query(asked, **arguments)
                there, index = plain.query(np.nan_to_num(asked), **arguments)
                there[gone], index[gone] = np.inf, plain.n
                np.testing.assert_array_equal(d, there)
                np.testing.assert_array_equal(i, np.append(good, 60)[index])
    with pytest.raises(ValueError, match="x: .*not finite"):
        KDTree(data[good]).query(queries)
    assert KDTree([[None, 1.0]], skip_invalid=True).query([0.0, 0.0]) == (np.inf, 1)
    assert tree.query([np.nan, 0, 0]) == (np.inf, 60)


def test_skip_invalid_is_not_for_arrays_on_a_gpu():
    class OnGpu:
        __cuda_array_interface__ = {
            "typestr": "<f8",
            "shape": (2, 3),
            "data": (0, False),
            "version": 3,
        }

    for call in (
        lambda: KDTree(OnGpu(), skip_invalid=True),
        lambda: KDTree(np.zeros((2, 3)), skip_invalid=True).query(OnGpu()),
    ):
        with pytest.raises(TypeError, match="skip_invalid is not supported for arrays on a GPU"):
            call()


def test_exclude_self(random):
    """As all others, also among points in one place, and with rows that are left out."""
    data = np.vstack([random.random((50, 2)), np.zeros((30, 2)), random.random((20, 2))])
    tree = KDTree(data)
    d, i = tree.query(data, 100)
    for k in (1, 5, [1, 3], 99, 120):
        found = tree.query(data, k, exclude_self=True)
        columns = np.asarray(k) - 1 if np.ndim(k) else np.arange(k)
        for row in range(100):
            others = (
                np.append(i[row][i[row] != row], [100] * 30),
                np.append(d[row][i[row] != row], [np.inf] * 30),
            )
            assert np.array_equal(
                np.atleast_1d(found[1][row]), others[0][columns]
            ) and np.array_equal(np.atleast_1d(found[0][row]), others[1][columns])
    near = tree.query(data, 99, distance_upper_bound=0.1, exclude_self=True)
    assert (near[0] < 0.1).sum() == (d < 0.1).sum() - 100 and not (
        near[1] == np.arange(100)[:, None]
    ).any()
    assert tree.query(data.reshape(10, 10, 2), exclude_self=True)[0].shape == (10, 10)
    data[[3, 60]] = np.nan
    some, plain = (
        KDTree(data, skip_invalid=True).query(data, 2, exclude_self=True),
        KDTree(np.delete(data, [3, 60], axis=0)),
    )
    good = np.delete(np.arange(100), [3, 60])
    assert (some[1][[3, 60]] == 100).all() and np.array_equal(
        some[1][good], good[plain.query(plain.data, 2, exclude_self=True)[1]]
    )
    with pytest.raises(ValueError, match="exclude_self needs the tree's own 100 points"):
        tree.query(data[:7], exclude_self=True)
