"""FeatureTree against pyproj's Geod and shapely."""

import math
import pickle
import sys

import numpy as np
import pytest

from gpuvoronoi import FeatureTree, _geometries

SQUARE = {
    "type": "Polygon",
    "coordinates": [
        [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0)],
        [(1, 1), (3, 1), (3, 3), (1, 3), (1, 1)],
    ],
}
LINE = {"type": "LineString", "coordinates": [(10, 0), (10, 4)]}


def least(geod, lon, lat, a, b):
    """The least distance to a straight line, by samples that are made denser about the least three times."""
    low, high = 0.0, 1.0
    for _ in range(5):
        part = np.linspace(low, high, 401)
        x, y = a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
        meters = geod.inv(np.full(401, lon), np.full(401, lat), x, y)[2]
        at = int(np.argmin(meters))
        low, high = part[max(at - 1, 0)], part[min(at + 1, 400)]
    return meters.min()


def test_against_geod(random):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    start = np.column_stack([random.uniform(-150, 150, 12), random.uniform(-70, 70, 12)])
    end = start + random.uniform(-8, 8, (12, 2))
    lines = [
        {"type": "LineString", "coordinates": [tuple(a), tuple(b)]} for a, b in zip(start, end)
    ]
    lon, lat = random.uniform(-150, 150, 30), random.uniform(-75, 75, 30)
    meters, index, places = FeatureTree(lines).query(lon, lat, k=2, nearest=True)
    expected = np.array(
        [[least(geod, *q, a, b) for a, b in zip(start, end)] for q in zip(lon, lat)]
    )
    order = np.argsort(expected, axis=1)[:, :2]
    assert np.array_equal(index, order)
    np.testing.assert_allclose(
        meters, np.take_along_axis(expected, order, axis=1), rtol=0, atol=1e-3
    )
    there = geod.inv(
        np.repeat(lon, 2), np.repeat(lat, 2), places[..., 0].ravel(), places[..., 1].ravel()
    )[2]
    np.testing.assert_allclose(there, meters.ravel(), rtol=0, atol=1e-6)


def test_against_shapely(random):
    geometry = pytest.importorskip("shapely.geometry")
    shapes = [
        geometry.shape(SQUARE),
        geometry.shape(LINE),
        None,
        geometry.MultiPoint([(6, 6), (7, 7)]),
        geometry.Polygon(),
        geometry.GeometryCollection(
            [geometry.Point(-3, 2), geometry.MultiLineString([[(0, 9), (3, 9)], [(5, 9), (6, 8)]])]
        ),
    ]
    tree = FeatureTree(shapes, "euclidean")
    x, y = random.uniform(-5, 15, 200), random.uniform(-5, 15, 200)
    d, i = tree.query(x, y)
    all_ = np.array(
        [
            [
                math.inf if s is None or s.is_empty else s.distance(geometry.Point(*q))
                for s in shapes
            ]
            for q in zip(x, y)
        ]
    )
    np.testing.assert_allclose(d, all_.min(axis=1), rtol=0, atol=1e-12)
    assert np.array_equal(i, all_.argmin(axis=1))


def geometries_of_all_kinds():
    shape = pytest.importorskip("shapely.geometry").shape
    wkt = pytest.importorskip("shapely.wkt").loads
    texts = [
        "POINT EMPTY",
        "POINT Z (1 2 3)",
        "LINESTRING EMPTY",
        "LINEARRING (0 0, 1 0, 1 1, 0 0)",
        "MULTIPOINT EMPTY",
        "MULTIPOINT (1 2, 3 4)",
        "POLYGON Z ((0 0 5, 9 0 5, 9 9 5, 0 0 5), (2 1 5, 3 1 5, 3 2 5, 2 1 5))",
        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 9 5, 9 9, 5 5), (7 6, 8 6, 8 7, 7 6)))",
        "GEOMETRYCOLLECTION (POINT (7 8), GEOMETRYCOLLECTION (MULTILINESTRING ((0 9, 3 9), (5 9, 6 8)), POLYGON EMPTY), MULTIPOINT (1 1, 2 2))",
        "GEOMETRYCOLLECTION EMPTY",
    ]
    return [shape(SQUARE), None, *(wkt(text) for text in texts), shape(LINE)]


def test_shapely_is_read_as_geojson_is(monkeypatch):
    """By functions of whole arrays where shapely has them, by well-known binary, and by GeoJSON: the same arrays."""
    mapping = pytest.importorskip("shapely.geometry").mapping
    shapes = geometries_of_all_kinds()
    expected = _geometries.read(
        [None if s is None or s.is_empty and s.geom_type == "Point" else mapping(s) for s in shapes]
    )
    assert len(expected.kind) > 9 and list(np.unique(expected.kind)) == [0, 1, 2]
    found = [_geometries.read(shapes)]
    monkeypatch.setitem(sys.modules, "shapely", None)
    found.append(_geometries.read(shapes))
    for one in found:
        for name, values in zip(expected._fields, expected):
            assert np.array_equal(getattr(one, name), values), name
            assert (
                getattr(one, name).dtype == values.dtype and getattr(one, name).flags.c_contiguous
            )


def test_geopandas():
    geopandas = pytest.importorskip("geopandas")
    shape = pytest.importorskip("shapely.geometry").shape
    frame = geopandas.GeoDataFrame(
        {"name": ["a", "b"]}, geometry=[shape(SQUARE), shape(LINE)], crs=4326
    )
    for given in (frame, frame.geometry):
        assert FeatureTree(given).query(9.0, 2.0)[1] == 1
    with pytest.raises(ValueError, match="not in longitude and latitude"):
        FeatureTree(frame.to_crs(3857))
    assert FeatureTree(frame.to_crs(3857), "euclidean").query(1e6, 2e5)[1] == 1


def test_shapes_and_what_is_missing():
    tree = FeatureTree([SQUARE, None, LINE], "euclidean")
    assert tree.n == 3
    assert tree.query(0.5, 2.0) == (0.0, 0)
    assert tree.query(2.0, 2.0) == (1.0, 0)
    d, i, places = tree.query([[5.0, 9.0]], [[2.0, 2.0]], k=[1, 3], nearest=True)
    assert d.shape == i.shape == (1, 2, 2) and places.shape == (1, 2, 2, 2)
    assert d.tolist() == [[[1.0, math.inf], [1.0, math.inf]]] and i.tolist() == [[[0, 3], [2, 3]]]
    assert places[0, :, 0].tolist() == [[4.0, 2.0], [10.0, 2.0]] and np.isnan(places[0, :, 1]).all()
    assert FeatureTree([SQUARE], "euclidean", boundary=True).query(0.5, 2.0) == (0.5, 0)
    assert FeatureTree([SQUARE], "euclidean").query(9.0, 2.0, max_distance=4.0) == (math.inf, 1)
    assert FeatureTree([]).query(1.0, 2.0) == (math.inf, 0)
    assert FeatureTree([LINE], edges="geodesic").query(10.0, 2.0)[0] < 1e-6


@pytest.mark.parametrize("edges", ["straight", "geodesic"])
@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_cuts_are_no_boundary(edges, metric):
    """A cap around the south pole, cut along 180 degrees and the pole; then its west and east halves as two features of one set."""
    ring = [
        (-180, -90),
        (-180, -70),
        (-90, -70),
        (0, -70),
        (90, -70),
        (180, -70),
        (180, -90),
        (-180, -90),
    ]
    halves = [
        [(a, -90), (a, -70), (a + 90, -70), (a + 180, -70), (a + 180, -90), (a, -90)]
        for a in (-180, 0)
    ]
    for shapes in ([ring], halves):
        tree = FeatureTree(
            [{"type": "Polygon", "coordinates": [one]} for one in shapes],
            metric,
            edges,
            boundary=True,
        )
        whole = FeatureTree(
            [{"type": "LineString", "coordinates": [p for p in ring if p[1] == -70]}], metric, edges
        )
        lon, lat = (
            np.array([180.0, 179.0, -179.5, 0.0, 100.0]),
            np.array([-76.0, -75.0, -60.0, -90.0, -85.0]),
        )
        if len(shapes) == 2:  # halves have a true border along 0 degrees, which goes to the pole
            lon, lat = lon[:3], lat[:3]
        assert tree.query(lon, lat)[0] == pytest.approx(whole.query(lon, lat)[0], rel=1e-9)


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        (([1],), TypeError, "row 0 is not a geometry .int"),
        (([None, {"type": "Circle", "coordinates": [1, 2]}],), TypeError, "row 1 is a Circle"),
        (
            ([{"type": "Point", "coordinates": ["a", "b"]}],),
            ValueError,
            "row 0 has invalid coordinates; expected pairs",
        ),
        (([{"type": "Point", "coordinates": [math.nan, 0]}],), ValueError, "geometries"),
        (([LINE], "mercator"), ValueError, "metric must be one of"),
        (([LINE], "geodesic", "curved"), ValueError, "edges must be straight or geodesic"),
        (([LINE], "euclidean", "geodesic"), ValueError, "edges"),
    ],
)
def test_errors(arguments, error, said):
    with pytest.raises(error, match=said):
        FeatureTree(*arguments)


def test_errors_of_queries():
    tree = FeatureTree([LINE])
    with pytest.raises(ValueError, match="x and y have different shapes"):
        tree.query([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="k must be from 1 to 64"):
        tree.query(1.0, 2.0, k=65)
    with pytest.raises(ValueError, match="x, y"):
        tree.query(math.nan, 2.0)


def test_skip_invalid():
    """Features with an invalid vertex are not neighbors; the others keep their rows."""
    nan = math.nan
    holed = {
        "type": "Polygon",
        "coordinates": [SQUARE["coordinates"][0], [(1, 1), (3, 1), (nan, 3), (1, 1)]],
    }
    several = {
        "type": "MultiLineString",
        "coordinates": [[(10, 0), (10, 4)], [(0, 0), (math.inf, 1)]],
    }
    rows = [
        {"type": "Point", "coordinates": (nan, nan)},
        SQUARE,
        None,
        holed,
        LINE,
        several,
        {"type": "Point", "coordinates": []},
        {"type": "MultiPoint", "coordinates": [(0, 0), (0, 91)]},
        {"type": "LineString", "coordinates": [(20, 0), (21, 0)]},
    ]
    x, y = np.array([2.0, 10.5, 0.0, nan, 20.5, 0.0]), np.array([2.0, 2.0, 0.0, 0.0, 1.0, 95.0])
    for metric in ("geodesic", "euclidean"):
        on_globe = metric == "geodesic"
        with pytest.raises(ValueError, match="feature 0: a coordinate is not finite"):
            FeatureTree(rows, metric)
        bad = (0, 3, 5, 7) if on_globe else (0, 3, 5)  # latitude 91
        plain = FeatureTree([None if i in bad else row for i, row in enumerate(rows)], metric)
        tree = FeatureTree(rows, metric, skip_invalid=True)
        gone = np.isnan(x) | (np.abs(y) > (90 if on_globe else 999))
        for tree in (tree, pickle.loads(pickle.dumps(tree))):
            found = tree.query(x, y, k=3, nearest=True)
            expected = plain.query(
                np.nan_to_num(x), np.clip(y, -999, 90 if on_globe else 999), k=3, nearest=True
            )
            for ours, theirs, none in zip(found, expected, (math.inf, 9, nan)):
                theirs[gone] = none
                np.testing.assert_array_equal(ours, theirs)
    geometry = pytest.importorskip("shapely.geometry")
    tree = FeatureTree(
        [
            geometry.Point(nan, nan),
            geometry.Point(),
            geometry.LineString([(0, 0), (nan, 1)]),
            geometry.Point(1, 1),
        ],
        skip_invalid=True,
    )
    assert tree.query([0.0, nan], 0.0)[1].tolist() == [3, 4]


def crowd(random, count, size):
    """Points, lines, several points, and polygons with holes, some on whole numbers, so that they touch."""
    from shapely.geometry import LineString, MultiPoint, Point, Polygon

    made = []
    for i in range(count):
        center = random.uniform(0, 100, 2)
        places = center + random.uniform(-size, size, (5, 2))
        places = np.round(places) if i % 3 == 0 else places
        round_it = Point(center).buffer(size, 4)
        made.append(
            [
                Point(center),
                LineString(places),
                MultiPoint(places),
                Polygon(round_it.exterior, [Point(center).buffer(0.6 * size, 4).exterior]),
                round_it,
            ][i % 5]
        )
    return made


@pytest.mark.parametrize("size", [1, 5, 20])
def test_geometries_as_queries(random, size):
    """GEOS' distances; where geometries meet both are 0."""
    pytest.importorskip("shapely")
    asking, asked = crowd(random, 60, size), crowd(random, 50, 0.7 * size)
    tree, far = (
        FeatureTree(asked, "euclidean"),
        np.array([[a.distance(b) for b in asked] for a in asking]),
    )
    d, i = tree.query_features(asking, k=7)
    expected = np.sort(far, axis=1)[:, :7]
    np.testing.assert_allclose(d, expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(d == 0, expected == 0) and (size < 20 or (d == 0).sum() > 100)
    np.testing.assert_allclose(np.take_along_axis(far, i, axis=1), d, rtol=1e-12, atol=1e-12)
    near, which = tree.query_features(asking, k=[2], max_distance=3.0)
    assert (
        np.array_equal(np.isfinite(near[:, 0]), expected[:, 1] <= 3.0)
        and (which[np.isinf(near)] == tree.n).all()
    )
    assert np.array_equal(tree.query_features(asking[3:4])[0], d[3:4, 0]) and tree.query_features(
        []
    )[0].shape == (0,)
    d, i = tree.query_features([None, asking[0]])
    assert np.isinf(d[0]) and i[0] == tree.n and np.isfinite(d[1])


def along(geod, line, count):
    """Places on a geodesic."""
    (a, b), (c, d) = line
    azimuth, _, meters = geod.inv(a, b, c, d)
    lon, lat, _ = geod.fwd(
        np.full(count, a), np.full(count, b), np.full(count, azimuth), np.linspace(0, meters, count)
    )
    return np.asarray(lon), np.asarray(lat), meters


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_geodesics_as_queries(random, metric):
    """No pair of samples is nearer; some pair is hardly farther."""
    geod = pytest.importorskip("pyproj").Geod(
        **(
            {"ellps": "WGS84"}
            if metric == "geodesic"
            else {"a": (2 * 6378137.0 + 6356752.314245179) / 3, "f": 0}
        )
    )
    count, zeros = 161, 0
    start = np.column_stack([random.uniform(-40, 40, 16), random.uniform(-70, 70, 16)])
    lines = [[tuple(a), tuple(b)] for a, b in zip(start, start + random.uniform(-14, 14, (16, 2)))]
    asked, asking = lines[:10], lines[10:]
    d, i = FeatureTree(
        [{"type": "LineString", "coordinates": one} for one in asked], metric, edges="geodesic"
    ).query_features([{"type": "LineString", "coordinates": one} for one in asking], k=10)
    for row, line in enumerate(asking):
        x, y, length = along(geod, line, count)
        for value, other in zip(d[row], i[row]):
            there_x, there_y, other_length = along(geod, asked[other], count)
            least = np.min(
                geod.inv(
                    np.repeat(x, count),
                    np.repeat(y, count),
                    np.tile(there_x, count),
                    np.tile(there_y, count),
                )[2]
            )
            assert value - 1e-3 <= least <= value + (length + other_length) / count
            zeros += value == 0
    assert zeros > 0


def test_straight_edges_of_both_sides_are_refused_on_the_globe():
    with pytest.raises(ValueError, match="straight edges on the globe"):
        FeatureTree([LINE]).query_features([LINE])
    assert FeatureTree([LINE]).query_features([{"type": "Point", "coordinates": (10, 2)}])[0] == 0
