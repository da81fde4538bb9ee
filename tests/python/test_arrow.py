"""search_batches: the rows of the trees' own queries, whatever the batches."""

import struct

import numpy as np
import pytest

from gpuvoronoi import FeatureTree, GlobeTree, KDTree

pyarrow = pytest.importorskip("pyarrow")

from gpuvoronoi import arrow  # noqa: E402
from gpuvoronoi.arrow import search_batches  # noqa: E402


def trips(random, n=1000):
    lon, lat = random.uniform(-180, 180, n), random.uniform(-90, 90, n)
    return pyarrow.table(
        {"trip": np.arange(n) * 3, "lon": lon, "lat": lat, "name": [f"t{i}" for i in range(n)]}
    )


@pytest.mark.parametrize("k, size, at_once", [(1, 1000, 1 << 22), (5, 77, 1 << 22), (5, 400, 64)])
@pytest.mark.parametrize("kind", ["globe", "plane", "features"])
def test_as_the_query(random, monkeypatch, k, size, at_once, kind):
    monkeypatch.setattr(arrow, "_VALUES_AT_ONCE", at_once)
    table, x, y = trips(random), random.uniform(-180, 180, 60), random.uniform(-90, 90, 60)
    lon, lat = table["lon"].to_numpy(), table["lat"].to_numpy()
    if kind == "plane":
        tree = KDTree(np.column_stack([x, y]))
        distances, numbers = tree.query(np.column_stack([lon, lat]), [*range(1, k + 1)])
    else:
        tree = (
            GlobeTree(x, y)
            if kind == "globe"
            else FeatureTree([{"type": "Point", "coordinates": [a, b]} for a, b in zip(x, y)])
        )
        distances, numbers = tree.query(lon, lat, [*range(1, k + 1)])
    found = pyarrow.Table.from_batches(
        search_batches(tree, table.to_batches(max_chunksize=size), k=k)
    )
    assert found.schema.names == ["trip", "lon", "lat", "name", "reference", "rank", "distance"]
    assert np.array_equal(
        found["trip"].to_numpy().reshape(-1, k), np.repeat(np.arange(1000)[:, None] * 3, k, axis=1)
    )
    assert np.array_equal(found["reference"].to_numpy().reshape(-1, k), numbers)
    assert np.array_equal(found["distance"].to_numpy().reshape(-1, k), distances)
    assert np.array_equal(
        found["rank"].to_numpy().reshape(-1, k), np.tile(np.arange(1, k + 1), (1000, 1))
    )


def test_limits_nulls_and_ids():
    tree = GlobeTree([0.0, 10.0], [0.0, 0.0])
    table = pyarrow.table(
        {"lon": [1.0, None, 100.0, float("nan"), 9.0, 0.0], "lat": [0.0, 0.0, 0.0, 0.0, 0.0, 91.0]}
    )
    inner = pyarrow.Table.from_batches(
        search_batches(tree, table, max_distance=200e3, ids=pyarrow.chunked_array([["a"], ["b"]]))
    )
    assert inner["lon"].to_pylist() == [1.0, 9.0] and inner["reference"].to_pylist() == ["a", "b"]
    left = pyarrow.Table.from_batches(
        search_batches(tree, table, k=2, max_distance=200e3, how="left")
    )
    assert (
        left["reference"].to_pylist() == [0, None, None, None, 1, None]
        and left["distance"].null_count == 4
    )
    exact = KDTree([[0.0], [2.0]])
    assert pyarrow.Table.from_batches(
        search_batches(exact, pyarrow.table({"x": [1.0]}), "x", k=2, max_distance=1.0)
    )["reference"].to_pylist() == [0, 1]
    assert [batch.num_rows for batch in search_batches(tree, table.slice(0, 0))] in ([], [0])


def test_points_of_geoparquet_and_geoarrow(random):
    table, tree = trips(random, 50), GlobeTree([0.0, 90.0], [0.0, 10.0])
    expected = pyarrow.Table.from_batches(search_batches(tree, table))["reference"]
    lon, lat = table["lon"].to_pylist(), table["lat"].to_pylist()
    binary = pyarrow.array([struct.pack("<BIdd", 1, 1, a, b) for a, b in zip(lon, lat)] + [None])
    structs = pyarrow.array([{"x": a, "y": b} for a, b in zip(lon, lat)])
    assert pyarrow.Table.from_batches(
        search_batches(tree, pyarrow.table({"geometry": binary}), "geometry")
    )["reference"].equals(expected)
    assert pyarrow.Table.from_batches(
        search_batches(tree, pyarrow.table({"geometry": structs}), "geometry")
    )["reference"].equals(expected)


def test_one_batch_at_a_time(random):
    """A reader's batches are taken when they are due."""
    table, given = trips(random, 100), []

    def batches():
        for batch in table.to_batches(max_chunksize=10):
            given.append(batch.num_rows)
            yield batch

    answers = search_batches(GlobeTree([0.0], [0.0]), batches())
    assert given == [] and next(answers).num_rows == 10 and given == [10]
    reader = pyarrow.RecordBatchReader.from_batches(
        table.schema, table.to_batches(max_chunksize=10)
    )
    assert sum(one.num_rows for one in search_batches(GlobeTree([0.0], [0.0]), reader)) == 100


@pytest.mark.parametrize(
    "more, error, words",
    [
        ({"columns": ["lon", "nowhere"]}, ValueError, "batches has no column 'nowhere', only trip"),
        (
            {"columns": ["lon", "name"]},
            TypeError,
            "'name' must be numbers, not of Arrow's type 'U'",
        ),
        ({"columns": "name"}, TypeError, "must be points as well-known binary"),
        (
            {"columns": ["lon", "lat", "trip"]},
            ValueError,
            "columns must be 2 columns of coordinates, or one of points, not 3",
        ),
        ({"how": "outer"}, ValueError, "how must be inner or left"),
        ({"k": 0}, ValueError, "k must be from 1"),
        ({"ids": [1, 2, 3]}, ValueError, "ids must have one value for each of the tree's 1 rows"),
        (
            {"batches": [1]},
            TypeError,
            "batches must have __arrow_c_array__ or __arrow_c_stream__, not int",
        ),
        ({"tree": 3}, TypeError, "tree must be a KDTree"),
    ],
)
def test_errors(random, more, error, words):
    with pytest.raises(error, match=words):
        list(
            search_batches(**{"tree": GlobeTree([0.0], [0.0]), "batches": trips(random, 5), **more})
        )
    with pytest.raises(ValueError, match="a column 'rank' is that of the result"):
        list(
            search_batches(
                GlobeTree([0.0], [0.0]),
                trips(random, 5).append_column("rank", pyarrow.array([1] * 5)),
            )
        )
