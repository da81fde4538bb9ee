"""gpuvoronoi.duckdb: its table functions have the results of the trees, in SQL, from tables, views and Parquet files."""

import numpy as np
import pytest
from conftest import globe

import gpuvoronoi

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def base(random):
    """Tables of 300 points and 5,000 queries, more than DuckDB has in one batch."""
    from gpuvoronoi.duckdb import register

    connection = duckdb.connect()
    register(connection)
    for name, count in (("points", 300), ("queries", 5000)):
        lon, lat = globe(random, count)
        table = {"number": np.arange(count) * 7, "lon": lon, "lat": lat}
        connection.register("given", pyarrow_table(table))
        connection.execute(f"CREATE TABLE {name} AS FROM given")
    return connection


def pyarrow_table(columns):
    import pyarrow

    return pyarrow.table(columns)


def columns_of(connection, text):
    return connection.execute(text).fetchnumpy()


def tree_of(connection, **options):
    points = columns_of(connection, "FROM points")
    return gpuvoronoi.GlobeTree(points["lon"], points["lat"], **options)


def test_nearest(base, tmp_path):
    queries = columns_of(base, "FROM queries")
    meters, rows = tree_of(base).query(queries["lon"], queries["lat"], [1, 2, 3])
    base.execute(f"COPY queries TO '{tmp_path}/queries.parquet'")
    base.execute(f"CREATE VIEW stored AS FROM '{tmp_path}/queries.parquet'")
    for name in ("queries", "stored"):
        found = columns_of(base, f"FROM nearest('{name}', 'points', k := 3) ORDER BY number, rank")
        assert list(found) == [
            *("number", "lon", "lat", "rank", "distance"),
            *("reference_number", "reference_lon", "reference_lat"),
        ]
        assert np.array_equal(found["distance"].reshape(-1, 3), meters)
        assert np.array_equal(found["reference_number"].reshape(-1, 3), 7 * rows)
        assert np.array_equal(found["rank"].reshape(-1, 3), np.tile([1, 2, 3], (5000, 1)))


def test_within_and_limit(base):
    queries = columns_of(base, "FROM queries")
    rows = tree_of(base).query_radius(queries["lon"], queries["lat"], 900e3)
    found = columns_of(base, "FROM within('queries', 'points', 900e3) ORDER BY number, rank")
    assert np.array_equal(found["reference_number"], 7 * np.concatenate(rows))
    counts = np.bincount(found["number"] // 7, minlength=5000)
    assert np.array_equal(counts, [one.size for one in rows]) and (counts == 0).any()
    limited = columns_of(base, "FROM nearest('queries', 'points', k := 300, max_distance := 900e3)")
    assert limited["rank"].size == found["rank"].size


def test_rows_without_a_position(base):
    base.execute("INSERT INTO points VALUES (-1, NULL, 3), (-2, 'nan', 0), (-3, 400, 95)")
    base.execute("INSERT INTO queries VALUES (-1, NULL, 3), (-2, 'nan', 0)")
    found = columns_of(base, "FROM nearest('queries', 'points')")
    assert found["number"].min() == 0 and found["reference_number"].min() == 0
    assert found["number"].size == 5000


def test_metric(base):
    from gpuvoronoi.duckdb import register

    register(base, "great-circle")
    queries = columns_of(base, "FROM queries")
    meters, _ = tree_of(base, metric="great-circle").query(queries["lon"], queries["lat"])
    found = columns_of(base, "FROM nearest('queries', 'points') ORDER BY number")
    assert np.array_equal(found["distance"], meters)
    with pytest.raises(ValueError, match="metric must be"):
        register(base, "euclidean")


def test_features(base):
    shapely = pytest.importorskip("shapely")
    points = columns_of(base, "FROM points")
    shapes = shapely.buffer(shapely.points(points["lon"], points["lat"]), 0.5)
    there = np.abs(points["lat"]) < 89
    table = {"number": points["number"][there], "wkb": shapely.to_wkb(shapes[there])}
    base.register("shapes", pyarrow_table(table))
    queries = columns_of(base, "FROM queries")
    tree = gpuvoronoi.FeatureTree(list(shapes[there]))
    meters, rows = tree.query(queries["lon"], queries["lat"], [1, 2])
    found = columns_of(
        base, "FROM nearest_features('queries', 'shapes', k := 2) ORDER BY number, rank"
    )
    assert np.array_equal(found["distance"].reshape(-1, 2), meters)
    assert np.array_equal(found["reference_number"].reshape(-1, 2), table["number"][rows])
    near = columns_of(base, "FROM within_features('queries', 'shapes', 400e3)")
    assert near["distance"].max() <= 400e3 and near["rank"].size > 0
