"""mask= of queries: those that do not count have no neighbor, whatever their coordinates."""

import numpy as np
import pytest

from gpuvoronoi import FeatureTree, GlobeTree, KDTree


def trees(random):
    x, y = random.uniform(-180, 180, 40), random.uniform(-80, 80, 40)
    shapes = [{"type": "LineString", "coordinates": [(a, b), (a + 1, b + 2)]} for a, b in zip(x, y)]
    plane = KDTree(np.column_stack([x, y]))
    return {
        "globe": (lambda a, b, **more: GlobeTree(x, y).query(a, b, **more), 40),
        "features": (lambda a, b, **more: FeatureTree(shapes).query(a, b, **more), 40),
        "plane": (lambda a, b, **more: plane.query(np.stack([a, b], axis=-1), **more), 40),
    }


@pytest.mark.parametrize("kind", ["globe", "features", "plane"])
@pytest.mark.parametrize("k", [1, 3])
def test_land_has_no_neighbor(random, kind, k):
    query, n = trees(random)[kind]
    lon, lat = random.uniform(-180, 180, (6, 8)), random.uniform(-80, 80, (6, 8))
    sea = random.random((6, 8)) < 0.6
    d, i = query(lon, lat, k=k)
    lon[~sea] = lat[~sea] = np.nan
    for mask in (sea, sea.astype(int) * 3, np.where(sea, 1.0, np.nan), sea.tolist()):
        far, number = query(lon, lat, k=k, mask=mask)
        assert np.array_equal(far[sea], d[sea]) and np.array_equal(number[sea], i[sea])
        assert np.isinf(far[~sea]).all() and (number[~sea] == n).all()
    with pytest.raises(ValueError, match="finite|out of range"):
        query(lon, lat, k=k)
    with pytest.raises(
        ValueError, match=r"mask must have the shape of the queries \(6, 8\), not \(8,\)"
    ):
        query(lon, lat, k=k, mask=sea[0])
    far, number = query(lon, lat, k=k, mask=np.zeros((6, 8)))
    assert np.isinf(far).all() and (number == n).all()


def test_skip_invalid_and_itself(random):
    data = random.random((20, 2))
    data[4] = np.nan
    tree, mask = KDTree(data, skip_invalid=True), np.arange(20) % 3 != 0
    d, i = tree.query(data, exclude_self=True)
    far, number = tree.query(data, exclude_self=True, mask=mask)
    assert (
        np.array_equal(number[mask], i[mask])
        and (number[~mask] == 20).all()
        and number[4] == 20
        and np.array_equal(far[mask], d[mask])
    )
    assert tree.query(data[0], mask=True) == tree.query(data[0]) and tree.query(
        data[4] * 0, mask=False
    ) == (np.inf, 20)
