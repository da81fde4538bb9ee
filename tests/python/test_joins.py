"""sjoin_nearest by its definition, and as GeoPandas'."""

import numpy as np
import pytest
from conftest import frames, with_holes

from gpuvoronoi import _c, sjoin_nearest

pandas = pytest.importorskip("pandas")
geopandas = pytest.importorskip("geopandas")


def by_geopandas(left, right, **arguments):
    """GeoPandas' answer, where the one that is installed has all of it."""
    if int(geopandas.__version__.split(".")[0]) < 1:
        pytest.skip("GeoPandas before 1.0 names the columns of an index otherwise")
    return geopandas.sjoin_nearest(left, right, **arguments)


@pytest.mark.parametrize("how", ["inner", "left", "right"])
@pytest.mark.parametrize("limit", [None, 60_000.0])
def test_as_geopandas(random, how, limit):
    left, right = frames(random)
    import geopandas

    try:
        theirs = geopandas.sjoin_nearest(left, right, how=how, max_distance=limit, distance_col="d")
    except NotImplementedError as error:
        pytest.skip(f"GeoPandas cannot: {error}")
    ours = sjoin_nearest(left, right, how=how, max_distance=limit, distance_col="d")
    assert type(ours) is type(theirs) and ours.crs == theirs.crs and list(ours) == list(theirs)
    order = ["v", "w"]
    pandas.testing.assert_frame_equal(
        pandas.DataFrame(ours).sort_values(order),
        pandas.DataFrame(theirs).sort_values(order),
        check_dtype=False,
    )


def test_neighbors_by_definition(random):
    left, right = frames(random)
    d = np.hypot(
        np.asarray(left.geometry.x)[:, None] - np.asarray(right.geometry.x),
        np.asarray(left.geometry.y)[:, None] - np.asarray(right.geometry.y),
    )
    order = np.argsort(d, axis=1, kind="stable")
    joined = sjoin_nearest(left, right, k=3, distance_col="far", max_distance=90_000)
    expected = [
        (left.index[i], right.index[j])
        for i in range(50)
        for j in order[i, :3]
        if d[i, j] <= 90_000
    ]
    assert list(zip(joined.index, joined["index_right"])) == expected
    np.testing.assert_allclose(joined["far"], [d[i - 100, j] for i, j in expected], rtol=1e-14)
    assert list(joined) == ["name_left", "v", "geometry", "index_right", "name_right", "w", "far"]
    kept = sjoin_nearest(left, right, how="left", k=2, max_distance=10_000)
    assert set(kept.index) == set(left.index) and kept["w"].isna().any()
    assert sjoin_nearest(left, right, max_distance=0).empty


def test_true_meters_across_the_antimeridian():
    geopandas = pytest.importorskip("geopandas")
    places = geopandas.points_from_xy
    fiji = geopandas.GeoDataFrame({"a": [1]}, geometry=places([179.9], [-17.0]), crs="EPSG:4326")
    others = geopandas.GeoDataFrame(
        {"b": [1, 2]}, geometry=places([170.0, -179.9], [-17.0, -17.0]), crs="EPSG:4326"
    )
    joined = sjoin_nearest(fiji, others, distance_col="meters")
    assert joined["b"].tolist() == [2] and 21_000 < joined["meters"].item() < 21_500


def buffered(frame):
    return frame.set_geometry(frame.buffer(1))


def test_bad_joins(random):
    left, right = frames(random)
    for call, error, words in [
        (lambda: sjoin_nearest(left, right.to_crs(4326)), ValueError, "right_df is in WGS 84"),
        (lambda: sjoin_nearest(left, right.geometry), TypeError, "right_df must be a GeoDataFrame"),
        (lambda: sjoin_nearest(left, right, how="outer"), ValueError, "`how` was"),
        (lambda: sjoin_nearest(left, right, k=0), ValueError, "k must"),
        (lambda: sjoin_nearest(left, right, ties="some"), ValueError, "ties must"),
        (lambda: sjoin_nearest(left, right, max_distance=-1), ValueError, "max_distance"),
        (
            lambda: sjoin_nearest(left, right, metric="geodesic"),
            ValueError,
            "metric: geodesic is not supported",
        ),
        (lambda: sjoin_nearest(left, right, edges="curved"), ValueError, "edges must be"),
        (
            lambda: sjoin_nearest(left, right, edges="geodesic"),
            ValueError,
            "edges: geodesic edges are not supported on a map",
        ),
        (
            lambda: sjoin_nearest(buffered(left).to_crs(4326), buffered(right).to_crs(4326)),
            ValueError,
            "edges: straight edges are not supported",
        ),
    ]:
        with pytest.raises(error, match=words):
            call()


@pytest.mark.parametrize("crs", ["EPSG:3035", None])
@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_rows_without_a_place_have_no_neighbor(random, how, crs):
    left, right = frames(random, crs)
    (left_holes, left_rows), (right_holes, right_rows) = with_holes(left), with_holes(right)
    joined = sjoin_nearest(left_holes, right_holes, how=how, k=2, distance_col="d")
    asking, asked = (right, left) if how == "right" else (left, right)
    holes, gone = (right_rows, left_rows) if how == "right" else (left_rows, right_rows)
    # As if they were not there; where all rows stay, they do with nothing beside them.
    expected = sjoin_nearest(
        left.drop(left.index[left_rows]),
        right.drop(right.index[right_rows]),
        how=how,
        k=2,
        distance_col="d",
    )
    if how == "inner":
        assert (
            list(joined.index) == list(expected.index)
            and joined["w"].tolist() == expected["w"].tolist()
        )
        np.testing.assert_array_equal(joined["d"], expected["d"])
        return
    alone = joined[joined["d"].isna()]
    assert (
        list(alone.index) == list(asking.index[holes])
        and alone["v" if how == "right" else "w"].isna().all()
    )
    rest = joined.dropna(subset=["d"])
    assert list(rest.index) == list(expected.index) and list(joined) == list(expected)
    np.testing.assert_array_equal(rest["d"], expected["d"])
    assert set(rest["index_left" if how == "right" else "index_right"]).isdisjoint(
        asked.index[gone]
    )


def test_no_row_has_a_place(random):
    left, right = frames(random)
    nowhere = right.copy()
    nowhere["geometry"] = type(right.geometry)([None] * len(right), crs=right.crs)
    assert sjoin_nearest(left, nowhere).empty and sjoin_nearest(nowhere, left).empty
    kept = sjoin_nearest(left, nowhere, how="left", distance_col="d")
    assert list(kept.index) == list(left.index) and kept["d"].isna().all()


def points(x, y, **columns):
    return geopandas.GeoDataFrame(columns, geometry=geopandas.points_from_xy(x, y), crs="EPSG:3857")


LEFT = points([0, 1, 1], [0, 1, 1], a=[1, 2, 3])
NAMED = points([0, 5], [0, 5], station=["x", "y"], v=[1.0, 2.0]).set_index("station")
TABLES = {
    "named": (LEFT, NAMED, ["a", "geometry", "station", "v"]),
    "levels": (LEFT, NAMED.set_index("v", append=True), ["a", "geometry", "station", "v"]),
    "levels without names": (
        LEFT,
        NAMED.set_index([[7, 8], [9, 9]]),
        ["a", "geometry", "index_right0", "index_right1", "v"],
    ),
    "twice": (
        LEFT,
        geopandas.GeoDataFrame(pandas.concat([NAMED, NAMED[["v"]]], axis=1).reset_index(drop=True)),
        ["a", "geometry", "index_right", "v", "v"],
    ),
    "twice in both": (
        geopandas.GeoDataFrame(pandas.concat([LEFT, LEFT[["a"]]], axis=1)),
        LEFT,
        ["a_left", "geometry", "a_left", "index_right", "a_right"],
    ),
    "index as a column": (
        LEFT.rename(columns={"a": "station"}),
        NAMED,
        ["station_left", "geometry", "station_right", "v"],
    ),
    "the same index": (LEFT.set_index("a"), LEFT.set_index("a"), ["geometry", "a_right"]),
    "two geometries": (
        LEFT,
        LEFT.rename_geometry("place").assign(geometry=5),
        ["a_left", "geometry", "index_right", "a_right", "geometry_right"],
    ),
}


@pytest.mark.parametrize("how", ["inner", "left", "right"])
@pytest.mark.parametrize("name", TABLES)
def test_columns(name, how):
    left, right, columns = TABLES[name]
    ours = sjoin_nearest(left, right, how=how, distance_col="d", max_distance=3)
    if how != "right":
        assert list(ours) == [*columns, "d"]
    theirs = by_geopandas(left, right, how=how, distance_col="d", max_distance=3)
    assert (
        type(ours) is type(theirs)
        and ours.crs == theirs.crs
        and ours.geometry.name == theirs.geometry.name
    )
    pandas.testing.assert_frame_equal(pandas.DataFrame(ours), pandas.DataFrame(theirs))


def test_columns_that_cannot_be(recwarn):
    with pytest.raises(ValueError, match="'index_right' cannot be a column"):
        sjoin_nearest(LEFT.rename(columns={"a": "index_right"}), LEFT)
    with pytest.raises(ValueError, match="both tables have a column 'a'"):
        sjoin_nearest(LEFT, LEFT, lsuffix="", rsuffix="")
    assert not recwarn
    with pytest.warns(UserWarning, match="two columns of the result are 'a_left'"):
        sjoin_nearest(LEFT.assign(a_left=1), LEFT)


@pytest.mark.parametrize("how", ["inner", "left", "right"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_ties_as_geopandas(random, how, exclusive):
    left, right = (points(*random.integers(0, 6, (2, 60)), **{name: range(60)}) for name in "ab")
    theirs = by_geopandas(left, right, how=how, distance_col="d", exclusive=exclusive)
    assert len(theirs) > 100
    if how != "right":
        theirs = theirs.sort_values(["a", "b"])  # theirs have no order within a row
    ours = sjoin_nearest(left, right, how=how, distance_col="d", exclusive=exclusive)
    pandas.testing.assert_frame_equal(pandas.DataFrame(ours), pandas.DataFrame(theirs))


@pytest.mark.parametrize("at_once", [2, 5, 1024])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_ties_by_definition(random, monkeypatch, metric, at_once):
    """However few the library finds at once."""
    monkeypatch.setattr(_c, "MAX_K", at_once)
    left, right = (
        points(*random.integers(0, 7, (2, 40)), a=range(40)),
        points(*random.integers(0, 7, (2, 90)), b=range(90)),
    )
    dx, dy = (
        np.abs(
            np.asarray(getattr(left.geometry, c))[:, None] - np.asarray(getattr(right.geometry, c))
        )
        for c in "xy"
    )
    d = {"euclidean": np.hypot(dx, dy), "manhattan": dx + dy, "chebyshev": np.maximum(dx, dy)}[
        metric
    ]
    for k, exclusive, limit in [(1, False, None), (1, True, None), (2, False, 1.0), (2, True, 1.0)]:
        expected = {"all": [], "first": []}
        for i in range(40):
            order = [
                j
                for j in np.argsort(d[i], kind="stable")
                if (d[i, j] > 0 or not exclusive) and d[i, j] <= (limit or 99)
            ]
            expected["first"] += [(i, j) for j in order[:k]]
            expected["all"] += [
                (i, j) for j in order if d[i, j] <= d[i, order[min(k, len(order)) - 1]]
            ]
        assert expected["all"] != expected["first"]
        for ties in expected:
            joined = sjoin_nearest(
                left,
                right,
                k=k,
                ties=ties,
                exclusive=exclusive,
                metric=metric,
                max_distance=limit,
                distance_col="d",
            )
            assert list(zip(joined["a"], joined["b"])) == expected[ties]
            np.testing.assert_allclose(
                joined["d"], [d[pair] for pair in expected[ties]], rtol=1e-15
            )


def test_ties_on_the_globe():
    """A pole is one place in all longitudes, and more rows are there than the library finds at once."""
    poles = geopandas.GeoDataFrame(
        {"b": range(1500)},
        geometry=geopandas.points_from_xy(np.linspace(-180, 180, 1500), np.full(1500, 90.0)),
        crs=4326,
    )
    near = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy([0.0], [89.0]), crs=4326)
    assert sjoin_nearest(poles.iloc[:1], poles)["b_right"].tolist() == list(range(1500))
    assert sjoin_nearest(poles.iloc[:1], poles, exclusive=True).empty
    assert sjoin_nearest(poles.iloc[:1], poles, ties="first")["b_right"].tolist() == [0]
    both = geopandas.GeoDataFrame(pandas.concat([poles, near]))
    assert sjoin_nearest(poles.iloc[:1], both, exclusive=True, distance_col="d")[
        "d"
    ].round().tolist() == [111694]


def shapes_of(random, points):
    """Lines, polygons and several points about points of a table."""
    from shapely.geometry import LineString, MultiPoint, Polygon

    made = []
    for i, p in enumerate(points.geometry):
        a, b = (random.uniform(5e4, 4e5, 2) for _ in range(2))
        made.append(
            [
                LineString([(p.x, p.y), (p.x + a[0], p.y + a[1])]),
                MultiPoint([(p.x, p.y), (p.x - b[0], p.y + b[1])]),
                Polygon([(p.x, p.y), (p.x + a[0], p.y), (p.x + a[0], p.y + a[1])]),
                p,
            ][i % 4]
        )
    return points.set_geometry(geopandas.GeoSeries(made, index=points.index, crs=points.crs))


@pytest.mark.parametrize("how", ["inner", "left", "right"])
@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("shapes", ["asked", "asking", "both"])
def test_lines_and_polygons_by_definition(random, how, ties, shapes):
    left, right = frames(random)
    if shapes == "both" or (shapes == "asked") == (how == "right"):
        left = shapes_of(random, left)
    if shapes == "both" or (shapes == "asked") == (how != "right"):
        right = shapes_of(random, right)
    asking, asked = (right, left) if how == "right" else (left, right)
    far = np.array(
        [[shape.distance(point) for shape in asked.geometry] for point in asking.geometry]
    )
    joined = sjoin_nearest(
        left, right, how=how, k=2, ties=ties, max_distance=80_000, distance_col="far"
    )
    expected = []
    for i, row in enumerate(far):
        order = [j for j in np.argsort(row, kind="stable") if row[j] <= 80_000]
        expected += [
            row[j]
            for j in order
            if (
                order.index(j) < 2
                if ties == "first"
                else row[j] <= row[order[min(1, len(order) - 1)]] * (1 + 1e-12)
            )
        ]
    np.testing.assert_allclose(joined["far"].dropna(), expected, rtol=1e-9, atol=1e-6)
    assert (far == 0).any() and (joined["far"] == 0).any()


@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_lines_and_polygons_as_geopandas(random, how):
    left, right = frames(random)
    left, right = shapes_of(random, left), shapes_of(random, right)
    left.loc[left.index[[0, 7]], "geometry"] = None
    theirs = by_geopandas(left, right, how=how, distance_col="d", max_distance=90_000)
    ours = sjoin_nearest(left, right, how=how, distance_col="d", max_distance=90_000)
    order = ["v", "w"]
    ours, theirs = (
        pandas.DataFrame(one).sort_values(order).reset_index(drop=True) for one in (ours, theirs)
    )
    pandas.testing.assert_frame_equal(ours, theirs, check_dtype=False, rtol=1e-12, atol=1e-7)
    assert (ours["d"] == 0).sum() > 30


def test_lines_search_more_than_are_found_at_once(random):
    """All of 150 lines cross the one that searches, in a cross."""
    from shapely.geometry import LineString

    right = geopandas.GeoDataFrame(
        {"w": range(150)}, geometry=[LineString([(i, -1), (i, 1)]) for i in range(150)]
    )
    left = geopandas.GeoDataFrame(
        {"v": [1, 2]}, geometry=[LineString([(-9, 0), (500, 0)]), LineString([(3, 2), (5, 2)])]
    )
    joined = sjoin_nearest(left, right, distance_col="d")
    assert joined[joined["v"] == 1]["w"].tolist() == list(range(150)) and joined[joined["v"] == 2][
        "w"
    ].tolist() == [3, 4, 5]
    assert joined["d"].tolist() == [0.0] * 150 + [1.0] * 3


def test_many_polygons_at_one_place(random):
    """More ties than the library finds at once."""
    from shapely.geometry import Point

    right = geopandas.GeoDataFrame(
        {"w": range(150)}, geometry=[Point(0, 0).buffer(2 + i) for i in range(150)]
    )
    left = geopandas.GeoDataFrame(
        {"v": [1, 2]}, geometry=geopandas.points_from_xy([0.0, 500.0], [0.0, 0.0])
    )
    joined = sjoin_nearest(left, right)
    assert joined[joined["v"] == 1]["w"].tolist() == list(range(150)) and joined[joined["v"] == 2][
        "w"
    ].tolist() == [149]
    assert sjoin_nearest(left, right, k=100, ties="first")["w"].tolist() == [
        *range(100),
        *range(149, 49, -1),
    ]
    holes = right.copy()
    holes.loc[[0, 7], "geometry"] = None
    assert sjoin_nearest(left[:1], holes)["w"].tolist() == [
        i for i in range(150) if i not in (0, 7)
    ]


def test_polygons_on_the_globe():
    from shapely.geometry import LineString, Polygon

    right = geopandas.GeoDataFrame(
        {"w": [1, 2]},
        geometry=[
            Polygon([(178, -18), (179, -18), (179, -16)]),
            LineString([(-179.5, -20), (-179.5, -10)]),
        ],
        crs=4326,
    )
    left = geopandas.GeoDataFrame(
        {"v": [1]}, geometry=geopandas.points_from_xy([179.9], [-17.0]), crs=4326
    )
    joined = sjoin_nearest(left, right, distance_col="meters")
    assert joined["w"].tolist() == [2] and 63_000 < joined["meters"].item() < 65_000
    ways = left.set_geometry([LineString([(179.9, -17), (-179.8, -17)])])
    joined = sjoin_nearest(ways, right, distance_col="meters", edges="geodesic")
    assert joined["w"].tolist() == [2] and 31_000 < joined["meters"].item() < 33_000
    assert sjoin_nearest(right, ways, distance_col="meters", edges="geodesic")["meters"].round(
        3
    ).tolist()[1] == round(joined["meters"].item(), 3)
    points = left.set_geometry(
        left.geometry.buffer(0.001).boundary
    )  # a line that searches among points: any edges
    assert sjoin_nearest(points, left, distance_col="meters")["meters"].between(100, 112).all()
