"""GlobeTree against pyproj's Geod and scikit-learn's haversine."""

import math
import pickle

import numpy as np
import pytest
from conftest import globe

from gpuvoronoi import GlobeTree, GlobeTreeAdapter


def test_small_queries_are_cheap(random):
    """A query does not pay for the memory of a thousand: its pages would take more time than its work."""
    resource = pytest.importorskip("resource")
    tree = GlobeTree(*globe(random, 100))
    tree.query(13.4, 52.5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(1000):
        tree.query(13.4, 52.5)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 500


@pytest.mark.parametrize(
    "ellipsoid", [None, (6378206.4, 0.0033900753039287634), (3396190.0, 0.005886), (1.0, 0.0)]
)
@pytest.mark.parametrize("k", [1, 4])
def test_against_geod(random, k, ellipsoid):
    geod = pytest.importorskip("pyproj").Geod
    a, f = ellipsoid or (6378137.0, 1 / 298.257223563)
    seeds, queries = globe(random, 200), globe(random, 60)
    meters, indices = GlobeTree(*seeds, ellipsoid=ellipsoid).query(*queries, k=k)
    all_ = np.array(
        [geod(a=a, f=f).inv(np.full(200, x), np.full(200, y), *seeds)[2] for x, y in zip(*queries)]
    )
    order = np.argsort(all_, axis=1, kind="stable")[:, :k].reshape(meters.shape)
    assert np.array_equal(indices, order)
    expected = np.take_along_axis(all_, order.reshape(60, -1), axis=1).reshape(meters.shape)
    np.testing.assert_allclose(meters, expected, rtol=0, atol=2e-7 * a / 6378137)


def test_against_haversine(random):
    neighbors = pytest.importorskip("sklearn.neighbors")
    seeds, queries = globe(random, 500), globe(random, 400)
    radius = (2 * 6378137.0 + 6378137.0 * (1 - 1 / 298.257223563)) / 3
    theirs = neighbors.BallTree(np.radians(np.column_stack(seeds[::-1])), metric="haversine")
    d, i = theirs.query(np.radians(np.column_stack(queries[::-1])), k=3)
    meters, indices = GlobeTree(*seeds, metric="great-circle").query(*queries, k=3)
    assert np.array_equal(indices, i)
    np.testing.assert_allclose(meters, d * radius, rtol=1e-9, atol=1e-3)


def test_longitudes_wrap_and_poles_are_one_place():
    tree = GlobeTree([179.9, -179.0, 0.0], [0.0, 0.0, 90.0])
    assert tree.query(-179.9, 0.0)[1] == 0 and tree.query(541.0, 0.0)[1] == 1
    assert tree.query([123.0, -45.0], 90.0)[0].tolist() == [0.0, 0.0]


def test_max_distance_is_inclusive_and_missing_is_n():
    tree = GlobeTree([0.0, 10.0], [0.0, 0.0])
    meters, _ = tree.query(1.0, 0.0)
    assert tree.query(1.0, 0.0, max_distance=meters) == (meters, 0)
    assert tree.query(1.0, 0.0, max_distance=np.nextafter(meters, 0)) == (math.inf, 2)
    assert tree.query(1.0, 0.0, k=3)[1].tolist() == [0, 1, 2]
    assert GlobeTree([], []).query(1.0, 0.0) == (math.inf, 0)


def test_shapes(random):
    tree = GlobeTree(*globe(random, 20))
    assert isinstance(tree.query(1, 2)[1], int)
    assert tree.query([[1, 2], [3, 4]], 5, k=[2])[0].shape == (2, 2, 1)
    assert tree.query(np.zeros((3, 1)), np.zeros(4), k=2)[1].shape == (3, 4, 2)
    assert tree.query([], [])[0].shape == (0,)


def test_pickle(random):
    tree = GlobeTree(*globe(random, 50), metric="great-circle", ellipsoid=(6371000.0, 0.0))
    again = pickle.loads(pickle.dumps(tree))
    assert again.query(3.0, 4.0) == tree.query(3.0, 4.0)


def test_skip_invalid(random):
    """Invalid places are not neighbors and have none; the others keep their indices."""
    (lon, lat), (x, y) = globe(random, 50), globe(random, 20)
    lon[[0, 9]], lat[[9, 20, 49]] = np.nan, [np.inf, 90.5, -91.0]
    x[4], y[5] = np.nan, 100.0
    good, asking = np.setdiff1d(np.arange(50), [0, 9, 20, 49]), np.setdiff1d(np.arange(20), [4, 5])
    for metric in ("geodesic", "great-circle"):
        tree = GlobeTree(lon, lat, metric, skip_invalid=True)
        there, index = GlobeTree(lon[good], lat[good], metric).query(
            x[asking], y[asking], k=2, max_distance=3e6
        )
        for tree in (tree, pickle.loads(pickle.dumps(tree))):
            meters, indices = tree.query(x, y, k=2, max_distance=3e6)
            assert np.isinf(meters[4:6]).all() and (indices[4:6] == 50).all()
            np.testing.assert_array_equal(meters[asking], there)
            np.testing.assert_array_equal(indices[asking], np.append(good, 50)[index])
    assert GlobeTree([None], [0.0], skip_invalid=True).query([0.0, 1.0], 0.0)[1].tolist() == [1, 1]


def test_the_tree_of_an_xarray_index(random):
    lon, lat = globe(random, 30)
    tree = GlobeTreeAdapter(np.column_stack([lon, lat]), options={"metric": "great-circle"})
    meters, indices = tree.query(np.column_stack([lon[:5], lat[:5]]))
    assert indices.tolist() == [0, 1, 2, 3, 4] and meters.max() == 0
    assert tree.equals(
        GlobeTreeAdapter(np.column_stack([lon, lat]), options={"metric": "great-circle"})
    )
    assert not tree.equals(GlobeTreeAdapter(np.column_stack([lon, lat])))
    indexes = pytest.importorskip("xarray.indexes")
    if not hasattr(indexes, "NDPointIndex"):
        pytest.skip("this xarray has no NDPointIndex")
    import xarray

    data = xarray.Dataset(coords={"lon": ("place", lon), "lat": ("place", lat)})
    data = data.set_xindex(("lon", "lat"), indexes.NDPointIndex, tree_adapter_cls=GlobeTreeAdapter)
    found = data.sel(
        lon=xarray.DataArray([lon[7] + 0.001]), lat=xarray.DataArray([lat[7]]), method="nearest"
    )
    assert found.lon.item() == lon[7]


@pytest.mark.parametrize(
    "lon, lat, more, error, words",
    [
        ([0.0], [91.0], {}, ValueError, "lon, lat: "),
        ([math.nan], [0.0], {}, ValueError, "lon, lat: "),
        ([0.0, 1.0], [0.0, 1.0, 2.0], {}, ValueError, "lon and lat have different shapes"),
        ([0.0], [0.0], {"metric": "euclidean"}, ValueError, "metric must"),
        ([0.0], [0.0], {"ellipsoid": 6371000.0}, TypeError, "ellipsoid must"),
        ([0.0], [0.0], {"ellipsoid": (-1.0, 0.0)}, ValueError, "ellipsoid"),
        ([0.0], [0.0], {"ellipsoid": (math.nan, 0.0)}, ValueError, "ellipsoid"),
        (["a"], [0.0], {}, TypeError, "lon must"),
    ],
)
def test_bad_seeds_name_the_argument(lon, lat, more, error, words):
    with pytest.raises(error, match=words):
        GlobeTree(lon, lat, **more)


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        (([0.0], [95.0]), ValueError, "lon, lat: "),
        (([0.0], [0.0], 0), ValueError, "k must"),
        (([0.0], [0.0], 1, -5), ValueError, "max_distance"),
        (([0.0], [0.0], 1, 5, 0), ValueError, "workers"),
    ],
)
def test_bad_queries_name_the_argument(arguments, error, words):
    with pytest.raises(error, match=words):
        GlobeTree([0.0], [0.0]).query(*arguments)


def test_exclude_self(random):
    lon, lat = globe(random, 200)
    lon[50:60], lat[50:60] = 20.0, 30.0
    tree = GlobeTree(lon, lat)
    d, i = tree.query(lon, lat, 200)
    meters, indices = tree.query(lon, lat, 3, exclude_self=True)
    for row in range(200):
        others = i[row] != row
        assert np.array_equal(indices[row], i[row][others][:3]) and np.array_equal(
            meters[row], d[row][others][:3]
        )
    with pytest.raises(ValueError, match="exclude_self needs"):
        tree.query(0.0, 0.0, exclude_self=True)
    with pytest.raises(ValueError, match="k must be from 1 to 1023"):
        tree.query(lon, lat, 1024, exclude_self=True)


def test_order_and_tolerance_of_the_adapter(random):
    lon, lat = globe(random, 40)
    tree = GlobeTreeAdapter(np.column_stack([lat, lon]), options={"order": "lat-lon"})
    plain = GlobeTreeAdapter(np.column_stack([lon, lat]))
    assert not tree.equals(plain)
    for ours, other in zip(
        tree.query(np.array([[50.0, 10.0]])), plain.query(np.array([[10.0, 50.0]]))
    ):
        assert np.array_equal(ours, other)
    near = GlobeTreeAdapter(np.array([[10.0, 50.0]]), options={"tolerance": 120_000})
    assert near.query(np.array([[10.0, 51.0]]))[1].tolist() == [0]
    with pytest.raises(KeyError, match="longitude 10, latitude 52: no point within 120000 m"):
        near.query(np.array([[10.0, 51.0], [10.0, 52.0]]))
    with pytest.raises(ValueError, match="order must be lon-lat or lat-lon, not 'xy'"):
        GlobeTreeAdapter(np.zeros((1, 2)), options={"order": "xy"})
