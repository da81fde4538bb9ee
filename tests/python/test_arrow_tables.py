"""nearest, query and sjoin_nearest of gpuvoronoi.arrow on tables of several libraries, and of none: of a producer and a consumer in this file."""

import json
import struct

import numpy as np
import pytest
from conftest import globe, python

from gpuvoronoi import GlobeTree, KDTree, _arrow_c, _arrow_columns
from gpuvoronoi.arrow import Results, nearest, query, sjoin_nearest

LAEA = "EPSG:3035"


class Table:
    """A table of columns of NumPy arrays, in batches."""

    def __init__(self, columns, batches=1):
        made = [
            _arrow_columns.of_array(name, np.asarray(values)) for name, values in columns.items()
        ]
        rows = np.array_split(np.arange(made[0].length), batches)
        self.parts = [[column.take(some) for column in made] for some in rows]
        self.fields = [column.field for column in made]

    def __arrow_c_stream__(self, requested_schema=None):
        return _arrow_c.stream(lambda: self.fields, lambda: iter(self.parts))


def geometries(values, extension, crs=None, **more):
    """A table with a column `geometry` of well-known binary."""
    made = Table({"row": np.arange(len(values)), **more})
    metadata = {"ARROW:extension:name": extension.encode()}
    if crs is not None:
        metadata["ARROW:extension:metadata"] = json.dumps({"crs": crs}).encode()
    data = np.frombuffer(b"".join(values), np.uint8)
    ends = np.cumsum([0, *map(len, values)]).astype(np.int64)
    field = _arrow_columns.Field("geometry", "Z", metadata)
    made.fields.append(field)
    made.parts[0].append(_arrow_columns.Column(field, len(values), None, ends, data))
    return made


def points(x, y):
    return [struct.pack("<BIdd", 1, 1, a, b) for a, b in zip(x, y)]


def rows(results):
    """Of a stream the columns as lists."""
    fields, batches = _arrow_c.read(results, "results")
    found = {field.name: [] for field in fields}
    for batch in batches:
        for column in batch:
            valid = np.ones(column.length, bool) if column.valid is None else column.valid
            if column.data is not None:
                text = column.data.tobytes()
                values = [text[a:b] for a, b in zip(column.values[:-1], column.values[1:])]
            elif column.field.format in "il":
                values = column.values.view(f"i{column.values.dtype.itemsize}").tolist()
            else:
                values = column.numbers().tolist()
            found[column.field.name] += [v if good else None for v, good in zip(values, valid)]
    return found


@pytest.mark.parametrize("batches", [1, 3])
def test_nearest(random, batches):
    lon, lat = globe(random, 40)
    ports = globe(random, 9)
    names = np.array([f"port {i}" * (i % 3) for i in range(9)])
    queries = Table({"trip": np.arange(40) * 3, "lon": lon, "lat": lat}, batches)
    found = rows(nearest(queries, Table({"longitude": ports[0], "latitude": ports[1]}), k=2))
    meters, numbers = GlobeTree(*ports).query(lon, lat, 2)
    assert list(found) == ["trip", "lon", "lat", "reference", "rank", "distance"]
    assert found["reference"] == numbers.ravel().tolist() and found["rank"] == [1, 2] * 40
    assert found["distance"] == meters.ravel().tolist()
    assert found["trip"] == np.repeat(np.arange(40) * 3, 2).tolist()
    within = nearest(
        queries,
        Table({"name": names, "lon": ports[0], "lat": ports[1]}, batches),
        ids="name",
        radius=2e6,
        how="left",
    )
    expected = [
        names[i].encode() if m <= 2e6 else None for m, i in zip(meters[:, 0], numbers[:, 0])
    ]
    one_by_one = (Table({"lon": lon[i : i + 9], "lat": lat[i : i + 9]}) for i in range(0, 40, 9))
    assert rows(query(GlobeTree(*ports), one_by_one))["reference"] == numbers[:, 0].tolist()
    for _ in range(2):  # a table can be read again
        assert rows(within)["reference"] == expected and None in expected
    joined = rows(sjoin_nearest(queries, Table({"trip": names, "lon": ports[0], "lat": ports[1]})))
    assert joined["trip_right"] == [names[i].encode() for i in numbers[:, 0]]
    tree = KDTree(np.column_stack([lon, lat, lat]))
    found = rows(query(tree, Table({"a": lon, "b": lat, "c": lat}), ["a", "b", "c"]))
    assert found["reference"] == list(range(40)) and set(found["distance"]) == {0.0}


def test_coordinate_systems(random):
    pytest.importorskip("pyproj")
    x, y = 4e6 + random.random(20) * 1e5, 3e6 + random.random(20) * 1e5
    queries = geometries(points(x, y), "geoarrow.wkb", LAEA)
    found = rows(nearest(queries, geometries(points(x[::2], y[::2]), "geoarrow.wkb", LAEA)))
    meters, numbers = KDTree(np.column_stack([x, y])[::2]).query(np.column_stack([x, y]))
    assert found["reference"] == numbers.tolist() and found["distance"] == meters.tolist()
    assert found["geometry"] == points(x, y)
    degrees = geometries(points([10.0, 3.0], [50.0, 51.0]), "ogc.wkb", "OGC:CRS84")
    with pytest.raises(RuntimeError, match="points is in WGS 84.*queries in ETRS89.*transform one"):
        rows(nearest(queries, degrees))
    plain = geometries(points([10.0, 3.0], [50.0, 51.0]), "geoarrow.wkb")
    with pytest.raises(ValueError, match="metric: required without a coordinate system"):
        nearest(plain, plain)
    assert rows(nearest(plain, degrees, crs="EPSG:4326"))["reference"] == [0, 1]
    line = struct.pack("<BIIdddd", 1, 2, 2, 0.0, 50.0, 10.0, 50.0)
    found = rows(nearest(degrees, geometries([line], "geoarrow.wkb", "OGC:CRS84")))
    assert found["distance"][0] < 1e-6 and 100e3 < found["distance"][1] < 120e3


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda t: nearest(3, t), RuntimeError, "queries must have __arrow_c_stream__"),
        (lambda t: nearest(t, t, columns="no"), RuntimeError, "queries has no column 'no'"),
        (lambda t: nearest(t, t, ids="no"), ValueError, "points has no column 'no'"),
        (lambda t: nearest(Table({"z": [1.0]}), t), RuntimeError, "no column of geometries"),
        (lambda t: nearest(t, t, how="outer"), ValueError, "how must be inner or left"),
        (
            lambda t: nearest(Table({"rank": [1], "lon": [1.0], "lat": [1.0]}), t),
            RuntimeError,
            "a column 'rank' is that of the result",
        ),
        (lambda t: query(3, t), TypeError, "tree must be a KDTree"),
    ],
)
def test_errors(make, error, words):
    with pytest.raises(error, match=words):
        rows(make(Table({"lon": [1.0, 2.0], "lat": [1.0, 2.0]})))


def test_results_may_be_left_while_an_exception_is_raised():
    """Consumers release results then, also where nothing was read; exceptions stay what they are."""
    for library in ("polars", "pyarrow"):
        pytest.importorskip(library)
    code = """
import polars, pyarrow, gpuvoronoi.arrow
table = polars.DataFrame({"lon": [1.0, 2.0], "lat": [0.0, 0.0]})
ways = (pyarrow.table, polars.DataFrame, pyarrow.RecordBatchReader.from_stream, lambda r: r.__arrow_c_stream__())
def leave(make):
    held = make(gpuvoronoi.arrow.nearest(table, table))
    raise KeyError("mine")
for make in ways * 50:
    try:
        [leave(make)]
    except KeyError as error:
        assert error.args == ("mine",)
print("done", len(gpuvoronoi._arrow_c._passes))
"""
    done = python(code)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert int(done.stdout.split()[1]) <= 50 + 1  # those of unread capsules


def test_polars(random):
    polars = pytest.importorskip("polars")
    lon, lat = globe(random, 30)
    text = [None if i % 7 == 0 else f"a text that is long {i}"[: i + 1] for i in range(30)]
    table = polars.DataFrame(
        {"lon": lon, "lat": lat, "text": text, "l": [[i] * i for i in range(30)]}
    )
    table = table.with_columns(b=polars.col("lat") > 0, day=polars.lit("2026-01-02").str.to_date())
    table = table.with_columns(
        s=polars.struct("lon", "b"), c=polars.lit("x").cast(polars.Categorical)
    )
    found = polars.DataFrame(nearest(table, table, k=2))
    assert found["reference"].to_list()[::2] == list(range(30)) and set(found["rank"]) == {1, 2}
    assert found.select(table.columns).equals(table[np.repeat(np.arange(30), 2)])


def test_duckdb(random):
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    connection = duckdb.connect()
    lon, lat = globe(random, 5000)
    trips = polars.DataFrame({"i": np.arange(5000), "lon": lon, "lat": lat})  # noqa: F841
    ships = connection.cursor().sql("from trips")
    found = nearest(ships, ships, k=2, how="left")  # noqa: F841
    rows = connection.sql("select count(*), count(distinct i) from found where rank = 2").fetchall()
    assert rows == [(5000, 5000)]


def test_geopandas():
    geopandas = pytest.importorskip("geopandas", "1.0")
    pytest.importorskip("pyarrow")
    at = geopandas.points_from_xy([13.4, -0.1], [52.5, 51.5])
    ports = geopandas.GeoDataFrame({"port": ["B", "L"]}, geometry=at, crs=4326)
    ships = ports.iloc[::-1].rename(columns={"port": "ship"})
    for crs in (4326, 3035):
        pair = ships.to_crs(crs), ports.to_crs(crs)
        found = geopandas.GeoDataFrame.from_arrow(sjoin_nearest(*pair, distance_col="far"))
        assert found.port.tolist() == ["L", "B"] and found.crs.to_epsg() == crs
        assert list(found) == ["ship", "geometry", "port", "far"] and (found.far == 0).all()


def test_errors_of_readers_arrive():
    def begin():
        raise ValueError("not today")

    with pytest.raises(RuntimeError, match="Arrow stream: not today"):
        rows(Results(begin))
