"""KDTree(boxsize=...): scipy's answers in periodic boxes."""

import math
import pickle

import numpy as np
import pytest

from gpuvoronoi import KDTree

scipy_spatial = pytest.importorskip("scipy.spatial")

BOXES = [1.0, [1.0, 2.5, 0.0], [0.0, 3.0, 0.7]]


def points_in(random, box, n):
    lengths = np.broadcast_to(box, 3)
    return random.random((n, 3)) * np.where(lengths > 0, lengths, 2.0)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("p", [1, 2, math.inf])
@pytest.mark.parametrize("backend", ["auto", "serial", "openmp", "kdtree", "octree"])
def test_against_scipy(random, box, p, backend):
    data, queries = points_in(random, box, 800), random.normal(size=(150, 3)) * 3
    ours, theirs = (
        KDTree(data, boxsize=box, backend=backend),
        scipy_spatial.cKDTree(data, boxsize=box),
    )
    for k in (1, 7, 805):
        a, b = ours.query(queries, k, p=p), theirs.query(queries, k, p=p)
        np.testing.assert_allclose(a[0], b[0], rtol=1e-12, atol=1e-14)
        assert np.array_equal(a[1], b[1])
    for r in (0.0, 0.11, 0.4):
        assert (
            ours.query_ball_point(queries, r, p).tolist()
            == theirs.query_ball_point(queries, r, p, return_sorted=True).tolist()
        )
        assert ours.query_pairs(r, p) == theirs.query_pairs(r, p)
        assert ours.count_neighbors(ours, r, p) == theirs.count_neighbors(theirs, r, p)


def test_all_backends_agree_to_the_bit(random):
    data = np.round(points_in(random, [1.0, 2.5, 0.0], 500) * 8) / 8 % [1.0, 2.5, np.inf]
    queries = np.concatenate(
        [data[:50], random.normal(size=(50, 3)) * 3, [[1.0, -2.5, 0.0], [-1e-30, 5.0, 1e9]]]
    )
    expected = KDTree(data, boxsize=[1.0, 2.5, 0.0], backend="serial").query(queries, 30)
    for backend in ("openmp", "kdtree", "octree"):
        found = KDTree(data, boxsize=[1.0, 2.5, 0.0], backend=backend).query(queries, 30)
        assert found[0].tobytes() == expected[0].tobytes() and np.array_equal(
            found[1], expected[1]
        ), backend


def test_attributes_copies_and_float32(random):
    data = points_in(random, 1.0, 100).astype(np.float32)
    tree = KDTree(data, boxsize=1)
    assert (
        tree.boxsize.tolist() == [1.0] * 3
        and not tree.boxsize.flags.writeable
        and "boxsize=[1.0, 1.0, 1.0]" in repr(tree)
    )
    again = pickle.loads(pickle.dumps(tree))
    assert (
        again.query([-0.1, 0.5, 7.3])
        == tree.query([-0.1, 0.5, 7.3])
        == KDTree(data.astype(float), boxsize=1).query([-0.1, 0.5, 7.3])
    )
    assert KDTree(data).boxsize is None
    assert (
        KDTree(data, 10, True, False, True, 1.0).query([0.999, 0.5, 0.5], exclude_self=False)[0]
        < 0.5
    )
    holes = np.where(np.arange(100)[:, np.newaxis] == 3, np.nan, data)
    assert KDTree(holes, boxsize=1, skip_invalid=True).query(data[3])[1] != 3


@pytest.mark.parametrize(
    "data, box, error, text",
    [
        (
            [[0.0, 1.0]],
            1.0,
            ValueError,
            r"data\[0\] is outside the periodic box; points must be in \[0, boxsize\)",
        ),
        ([[0.5, 0.5], [-0.1, 0.5]], 1.0, ValueError, r"data\[1\] is outside"),
        (
            [[0.5, 0.5]],
            [1.0, 1.0, 1.0],
            ValueError,
            "boxsize must be a number or 2 numbers, not of shape",
        ),
        ([[0.5, 0.5]], [[1.0, 1.0]], ValueError, "boxsize must be a number or 2 numbers"),
        ([[0.5, 0.5]], -1.0, ValueError, "boxsize must be finite numbers >= 0"),
        ([[0.5, 0.5]], [1.0, math.inf], ValueError, "boxsize must be finite numbers >= 0"),
        ([[0.5, 0.5]], "1", TypeError, "boxsize must be an array of real numbers"),
    ],
)
def test_errors(data, box, error, text):
    with pytest.raises(error, match=text):
        KDTree(data, boxsize=box)
