"""statistics as the command's --stats."""

import ast
import pathlib
import subprocess

import numpy as np
import pytest
from conftest import command, frames, globe, with_holes

from gpuvoronoi import _c, allocation, proximity, statistics

pandas = pytest.importorskip("pandas")


def test_by_definition(random):
    seeds = random.uniform(0, 60, 20), random.uniform(0, 40, 20)
    grid = {
        "shape": (400, 600),
        "extent": (0, 0, 60, 40),
        "metric": "euclidean",
        "max_distance": 9.0,
    }
    people, mask = random.random((400, 600)), random.random((400, 600)) < 0.9
    people[::7] = np.nan
    table = statistics(seeds, sums={"people": people}, mask=mask, ids=np.arange(20) + 100, **grid)
    assert list(table) == [
        "id",
        "cells",
        "area",
        "distance_mean",
        "distance_max",
        "centroid_x",
        "centroid_y",
        "people_sum",
        "people_distance_mean",
    ]
    numbers, d = (
        allocation(seeds, mask=mask, **grid),
        proximity(seeds, mask=mask, dtype="float64", **grid),
    )
    for seed in range(20):
        inside, counts = numbers == seed, np.nan_to_num(people)
        assert table["cells"][seed] == inside.sum()
        if inside.any():
            np.testing.assert_allclose(table["area"][seed], inside.sum() * 0.01, rtol=1e-9)
            np.testing.assert_allclose(table["distance_mean"][seed], d[inside].mean(), rtol=1e-9)
            np.testing.assert_allclose(table["distance_max"][seed], d[inside].max(), rtol=1e-9)
            np.testing.assert_allclose(table["people_sum"][seed], counts[inside].sum(), rtol=1e-9)
            np.testing.assert_allclose(
                table["people_distance_mean"][seed],
                np.average(d[inside], weights=counts[inside]),
                rtol=1e-9,
            )
    same = statistics(
        seeds, sums={"people": people}, mask=mask, ids=np.arange(20) + 100, workers=1, **grid
    )
    pandas.testing.assert_frame_equal(table, same, check_exact=True)
    assert "distance_mean" not in statistics(seeds, distances=False, **grid)


@pytest.mark.parametrize("more", [["--size", "360,180"], ["--size", "360,180", "--level", "6"]])
def test_as_the_command(random, tmp_path, more):
    lon, lat = globe(random, 50)
    (tmp_path / "seeds.csv").write_text(
        "lon,lat\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(lon.tolist(), lat.tolist()))
    )
    subprocess.run(
        [command(), "--seeds", "seeds.csv", "--quiet", "--stats", "t.csv", *more, "o.tif"],
        cwd=tmp_path,
        check=True,
    )
    theirs = pandas.read_csv(tmp_path / "t.csv")
    ours = statistics((lon, lat), shape=(180, 360), level=6 if "--level" in more else None)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-14, err_msg=name)


def test_sums_of_whole_numbers_are_whole(random):
    counts = random.integers(0, 5000, (90, 180))
    table = statistics(globe(random, 30), shape=(90, 180), sums={"people": counts})
    assert (table["people_sum"] == table["people_sum"].round()).all()
    assert table["people_sum"].sum() == counts.sum()


@pytest.mark.parametrize(
    "sums, words",
    [({"a": np.zeros((3, 3))}, "the grid's shape"), ({"a": np.full((2, 2), np.inf)}, "infinite")],
)
def test_bad_sums(sums, words):
    with pytest.raises(ValueError, match=r"sums\['a'\] .*" + words):
        statistics(([0.0], [0.0]), shape=(2, 2), sums=sums)


def test_skip_invalid(random):
    """Seeds that are left out keep their numbers for themselves: those of the others are their rows."""
    left, _ = frames(random)
    holes, rows = with_holes(left)
    good = np.setdiff1d(np.arange(50), rows)
    grid = {
        "shape": (60, 80),
        "extent": (0, 0, 1e6, 1e6),
        "metric": "euclidean",
        "crs": "EPSG:3035",
    }
    for function in (allocation, proximity, statistics):
        with pytest.raises(
            ValueError, match="row 0 has a geometry that is missing or empty; skip_invalid=True"
        ):
            function(holes, **grid)
    plain = left.iloc[good]
    np.testing.assert_array_equal(
        allocation(holes, skip_invalid=True, **grid), good[allocation(plain, **grid)]
    )
    np.testing.assert_array_equal(
        allocation(holes, ids="v", skip_invalid=True, **grid), good[allocation(plain, **grid)]
    )
    np.testing.assert_array_equal(
        proximity(holes, skip_invalid=True, **grid), proximity(plain, **grid)
    )
    weights = random.random(50) + 0.5
    np.testing.assert_array_equal(
        allocation(holes, weights=weights, skip_invalid=True, **grid),
        good[allocation(plain, weights=weights[good], **grid)],
    )
    pandas.testing.assert_frame_equal(
        statistics(holes, ids="v", skip_invalid=True, **grid), statistics(plain, ids="v", **grid)
    )
    x, y = np.array(left.geometry.x), np.array(left.geometry.y)
    x[rows[0]], y[rows[1:]] = np.nan, np.inf
    np.testing.assert_array_equal(
        allocation((x, y), skip_invalid=True, **{**grid, "crs": None}),
        good[allocation(plain, **grid)],
    )
    assert (
        list(statistics((x, y), skip_invalid=True, **{**grid, "crs": None}).index) == good.tolist()
    )
    with pytest.raises(ValueError, match="one value for each of 50 seeds"):
        allocation(holes, ids=np.arange(46), skip_invalid=True, **grid)
    with pytest.raises(ValueError, match="seeds: there are none"):
        allocation(([np.nan], [0.0]), skip_invalid=True, **{**grid, "crs": None})


def test_skip_invalid_without_a_place_on_the_grid():
    """A latitude beyond 90 degrees, as the command's --skip-invalid; a place that the grid's system does not reach."""
    lon, lat = np.array([0.0, 10.0, 20.0, 30.0]), np.array([95.0, 10.0, -90.5, 30.0])
    small = {"shape": (18, 36)}
    with pytest.raises(ValueError, match=r"latitude out of range .* \(95\)"):
        allocation((lon, lat), **small)
    good = allocation((lon[[1, 3]], lat[[1, 3]]), **small)
    np.testing.assert_array_equal(
        allocation((lon, lat), skip_invalid=True, **small), np.array([1, 3])[good]
    )
    assert statistics((lon, lat), skip_invalid=True, ids=np.array([5, 6, 7, 8]), **small)[
        "id"
    ].tolist() == [6, 8]
    pytest.importorskip("pyproj")
    map_ = {
        "shape": (9, 9),
        "extent": (-5e6, -5e6, 5e6, 5e6),
        "crs": "+proj=ortho +lat_0=90",
        "metric": "euclidean",
        "seeds_crs": 4326,
    }
    lat[[0, 2]] = 80.0, -80.0
    with pytest.raises(ValueError, match="row 2 is outside"):
        allocation((lon, lat), **map_)
    some = np.array([0, 1, 3])
    np.testing.assert_array_equal(
        allocation((lon, lat), skip_invalid=True, **map_),
        some[allocation((lon[some], lat[some]), **map_)],
    )
    with pytest.raises(ValueError, match="seeds: there are none"):
        allocation((lon[2:3], lat[2:3]), skip_invalid=True, **map_)


def test_the_plugin_has_the_columns():
    """It lists them without the package or the command."""
    plugin = pathlib.Path(__file__).parents[2] / "plugin" / "qgis" / "gpuvoronoi_processing"
    tree = ast.parse((plugin / "algorithms" / "facility_statistics.py").read_text())
    listed = {
        one.targets[0].id: ast.literal_eval(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign) and one.targets[0].id in ("COLUMNS", "SEEDS")
    }
    assert (listed["SEEDS"], *listed["COLUMNS"]) == _c.STATISTICS_COLUMNS
