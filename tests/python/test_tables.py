"""statistics as the command's --stats; sjoin_nearest as GeoPandas'."""

import subprocess

import numpy as np
import pytest
from conftest import command, globe

from gpuvoronoi import allocation, proximity, sjoin_nearest, statistics

pandas = pytest.importorskip("pandas")


def test_by_definition(random):
    seeds = random.uniform(0, 60, 20), random.uniform(0, 40, 20)
    grid = {"shape": (400, 600), "extent": (0, 0, 60, 40), "metric": "euclidean", "max_distance": 9.0}
    people, mask = random.random((400, 600)), random.random((400, 600)) < 0.9
    people[::7] = np.nan
    table = statistics(seeds, sums={"people": people}, mask=mask, ids=np.arange(20) + 100, **grid)
    assert list(table) == ["id", "cells", "area", "distance_mean", "distance_max", "centroid_x", "centroid_y", "people_sum",
                           "people_distance_mean"]
    numbers, d = allocation(seeds, mask=mask, **grid), proximity(seeds, mask=mask, dtype="float64", **grid)
    for seed in range(20):
        inside, counts = numbers == seed, np.nan_to_num(people)
        assert table["cells"][seed] == inside.sum()
        if inside.any():
            np.testing.assert_allclose(table["area"][seed], inside.sum() * 0.01, rtol=1e-9)
            np.testing.assert_allclose(table["distance_mean"][seed], d[inside].mean(), rtol=1e-9)
            np.testing.assert_allclose(table["distance_max"][seed], d[inside].max(), rtol=1e-9)
            np.testing.assert_allclose(table["people_sum"][seed], counts[inside].sum(), rtol=1e-9)
            np.testing.assert_allclose(table["people_distance_mean"][seed], np.average(d[inside], weights=counts[inside]), rtol=1e-9)
    same = statistics(seeds, sums={"people": people}, mask=mask, ids=np.arange(20) + 100, workers=1, **grid)
    pandas.testing.assert_frame_equal(table, same, check_exact=True)
    assert "distance_mean" not in statistics(seeds, distances=False, **grid)


@pytest.mark.parametrize("more", [["--size", "360,180"], ["--size", "360,180", "--level", "6"]])
def test_as_the_command(random, tmp_path, more):
    lon, lat = globe(random, 50)
    (tmp_path / "seeds.csv").write_text("lon,lat\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(lon.tolist(), lat.tolist())))
    subprocess.run([command(), "--seeds", "seeds.csv", "--quiet", "--stats", "t.csv", *more, "o.tif"], cwd=tmp_path, check=True)
    theirs = pandas.read_csv(tmp_path / "t.csv")
    ours = statistics((lon, lat), shape=(180, 360), level=6 if "--level" in more else None)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-14, err_msg=name)


@pytest.mark.parametrize("sums, words", [({"a": np.zeros((3, 3))}, "the grid's shape"), ({"a": np.full((2, 2), np.inf)}, "infinite")])
def test_bad_sums(sums, words):
    with pytest.raises(ValueError, match=r"sums\['a'\] .*" + words):
        statistics(([0.0], [0.0]), shape=(2, 2), sums=sums)


def frames(random, crs="EPSG:3035"):
    geopandas = pytest.importorskip("geopandas")

    def frame(count, **columns):
        places = geopandas.points_from_xy(random.random(count) * 1e6, random.random(count) * 1e6)
        return geopandas.GeoDataFrame(columns, geometry=places, crs=crs)

    left = frame(50, name=list("abcde") * 10, v=np.arange(50))
    left.index = np.arange(100, 150)
    return left, frame(30, name=list("xyz") * 10, w=np.arange(30) * 1.5)


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
    pandas.testing.assert_frame_equal(pandas.DataFrame(ours).sort_values(order), pandas.DataFrame(theirs).sort_values(order),
                                      check_dtype=False)


def test_neighbours_by_definition(random):
    left, right = frames(random)
    d = np.hypot(np.asarray(left.geometry.x)[:, None] - np.asarray(right.geometry.x),
                 np.asarray(left.geometry.y)[:, None] - np.asarray(right.geometry.y))
    order = np.argsort(d, axis=1, kind="stable")
    joined = sjoin_nearest(left, right, k=3, distance_col="far", max_distance=90_000)
    expected = [(left.index[i], right.index[j]) for i in range(50) for j in order[i, :3] if d[i, j] <= 90_000]
    assert list(zip(joined.index, joined["index_right"])) == expected
    np.testing.assert_allclose(joined["far"], [d[i - 100, j] for i, j in expected], rtol=1e-14)
    assert list(joined) == ["name_left", "v", "geometry", "index_right", "name_right", "w", "far"]
    kept = sjoin_nearest(left, right, how="left", k=2, max_distance=10_000)
    assert set(kept.index) == set(left.index) and kept["w"].isna().any()
    assert sjoin_nearest(left, right, max_distance=0).empty


def test_true_metres_across_the_antimeridian():
    geopandas = pytest.importorskip("geopandas")
    places = geopandas.points_from_xy
    fiji = geopandas.GeoDataFrame({"a": [1]}, geometry=places([179.9], [-17.0]), crs="EPSG:4326")
    others = geopandas.GeoDataFrame({"b": [1, 2]}, geometry=places([170.0, -179.9], [-17.0, -17.0]), crs="EPSG:4326")
    joined = sjoin_nearest(fiji, others, distance_col="metres")
    assert joined["b"].tolist() == [2] and 21_000 < joined["metres"].item() < 21_500


def test_bad_joins(random):
    left, right = frames(random)
    for call, error, words in [
            (lambda: sjoin_nearest(left, right.to_crs(4326)), ValueError, "right_df is in WGS 84"),
            (lambda: sjoin_nearest(left, right.geometry), TypeError, "right_df must be a GeoDataFrame"),
            (lambda: sjoin_nearest(left, right, how="outer"), ValueError, "how must"),
            (lambda: sjoin_nearest(left, right, k=0), ValueError, "k must"),
            (lambda: sjoin_nearest(left, right, max_distance=-1), ValueError, "max_distance"),
            (lambda: sjoin_nearest(left, right, metric="geodesic"), ValueError, "metric: geodesic makes no sense"),
            (lambda: sjoin_nearest(left, right.set_geometry(right.buffer(1))), ValueError, "right_df: row 0 is a Polygon")]:
        with pytest.raises(error, match=words):
            call()


def with_holes(frame):
    """Rows without a place: no geometry, an empty one, coordinates that are none."""
    from shapely.geometry import Point

    frame, rows = frame.copy(), [0, 4, 7, len(frame) - 1]
    geometry = list(frame.geometry)
    for row, what in zip(rows, (None, Point(), Point(float("nan"), float("nan")), None)):
        geometry[row] = what
    frame["geometry"] = type(frame.geometry)(geometry, index=frame.index, crs=frame.crs)
    return frame, rows


@pytest.mark.parametrize("crs", ["EPSG:3035", None])
@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_rows_without_a_place_have_no_neighbour(random, how, crs):
    left, right = frames(random, crs)
    (left_holes, left_rows), (right_holes, right_rows) = with_holes(left), with_holes(right)
    joined = sjoin_nearest(left_holes, right_holes, how=how, k=2, distance_col="d")
    asking, asked = (right, left) if how == "right" else (left, right)
    holes, gone = (right_rows, left_rows) if how == "right" else (left_rows, right_rows)
    # As if they were not there; where all rows stay, they do with nothing beside them.
    expected = sjoin_nearest(left.drop(left.index[left_rows]), right.drop(right.index[right_rows]), how=how, k=2, distance_col="d")
    if how == "inner":
        assert list(joined.index) == list(expected.index) and joined["w"].tolist() == expected["w"].tolist()
        np.testing.assert_array_equal(joined["d"], expected["d"])
        return
    alone = joined[joined["d"].isna()]
    assert list(alone.index) == list(asking.index[holes]) and alone["v" if how == "right" else "w"].isna().all()
    rest = joined.dropna(subset=["d"])
    assert list(rest.index) == list(expected.index) and list(joined) == list(expected)
    np.testing.assert_array_equal(rest["d"], expected["d"])
    assert set(rest["index_left" if how == "right" else "index_right"]).isdisjoint(asked.index[gone])


def test_no_row_has_a_place(random):
    left, right = frames(random)
    nowhere = right.copy()
    nowhere["geometry"] = type(right.geometry)([None] * len(right), crs=right.crs)
    assert sjoin_nearest(left, nowhere).empty and sjoin_nearest(nowhere, left).empty
    kept = sjoin_nearest(left, nowhere, how="left", distance_col="d")
    assert list(kept.index) == list(left.index) and kept["d"].isna().all()


def test_skip_invalid(random):
    """Seeds that are left out keep their numbers for themselves: those of the others are their rows."""
    left, _ = frames(random)
    holes, rows = with_holes(left)
    good = np.setdiff1d(np.arange(50), rows)
    grid = {"shape": (60, 80), "extent": (0, 0, 1e6, 1e6), "metric": "euclidean", "crs": "EPSG:3035"}
    for function in (allocation, proximity, statistics):
        with pytest.raises(ValueError, match="row 0 is a geometry that is missing or empty"):
            function(holes, **grid)
    plain = left.iloc[good]
    np.testing.assert_array_equal(allocation(holes, skip_invalid=True, **grid), good[allocation(plain, **grid)])
    np.testing.assert_array_equal(allocation(holes, ids="v", skip_invalid=True, **grid), good[allocation(plain, **grid)])
    np.testing.assert_array_equal(proximity(holes, skip_invalid=True, **grid), proximity(plain, **grid))
    weights = random.random(50) + 0.5
    np.testing.assert_array_equal(allocation(holes, weights=weights, skip_invalid=True, **grid), good[allocation(plain, weights=weights[good], **grid)])
    pandas.testing.assert_frame_equal(statistics(holes, ids="v", skip_invalid=True, **grid), statistics(plain, ids="v", **grid))
    x, y = np.array(left.geometry.x), np.array(left.geometry.y)
    x[rows[0]], y[rows[1:]] = np.nan, np.inf
    np.testing.assert_array_equal(allocation((x, y), skip_invalid=True, **{**grid, "crs": None}), good[allocation(plain, **grid)])
    assert list(statistics((x, y), skip_invalid=True, **{**grid, "crs": None}).index) == good.tolist()
    with pytest.raises(ValueError, match="one value for each of 50 seeds"):
        allocation(holes, ids=np.arange(46), skip_invalid=True, **grid)
    with pytest.raises(ValueError, match="seeds: there are none"):
        allocation(([np.nan], [0.0]), skip_invalid=True, **{**grid, "crs": None})
