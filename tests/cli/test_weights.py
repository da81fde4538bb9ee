"""gpuvoronoi weights: files as ESMF and SCRIP describe them, read by GDAL and applied by hand, both ways. Oracles: scipy's tree, and formulas."""

import json

import numpy as np
import pytest
from conftest import globe
from osgeo import gdal
from scipy.spatial import cKDTree

SPHERE = ["--metric", "great-circle"]
ROWS, COLUMNS = 30, 60
LAT = 90 - (np.arange(ROWS) + 0.5) * 180 / ROWS
LON = (np.arange(COLUMNS) + 0.5) * 360 / COLUMNS - 180
AXES = tuple(a.ravel() for a in np.meshgrid(LON, LAT))
PLACES = globe(70, seed=5)


def unit(lon, lat):
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)


def neighbors(source, target, k=1):
    """Central angles and numbers, k columns."""
    chord, number = cKDTree(unit(*source)).query(unit(*target), k=np.arange(k) + 1)
    return 2 * np.arcsin(chord / 2), number


def read(work, name="w.nc"):
    group = gdal.OpenEx(str(work.path(name)), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    made = {n: group.OpenMDArray(n).ReadAsArray() for n in group.GetMDArrayNames()}
    made["attributes"] = {a.GetName(): a.Read() for a in group.GetAttributes()}
    return made


def dense(w):
    made = np.zeros((w["xc_b"].size, w["xc_a"].size))
    np.add.at(made, (w["row"] - 1, w["col"] - 1), w["S"])
    return made


def write_values(work, name, values):
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path(name)), values.shape[1], values.shape[0], 1, gdal.GDT_Float32
    )
    made.SetGeoTransform((-180, 360 / values.shape[1], 0, 90, 0, -180 / values.shape[0]))
    made.SetProjection("EPSG:4326")
    made.GetRasterBand(1).SetNoDataValue(-9)
    made.GetRasterBand(1).WriteArray(values)
    made = None
    return name


@pytest.fixture
def field():
    return np.random.default_rng(4).normal(size=(ROWS, COLUMNS)).astype("float32")


@pytest.mark.parametrize("threads", [1, 4])
def test_raster_to_places_and_back(work, field, threads):
    write_values(work, "field.tif", field)
    work.csv("places.csv", *PLACES)
    more = [*SPHERE, "--threads", threads]
    work.ok("weights", "--source", "field.tif", "--target", "places.csv", *more, "w.nc")
    w = read(work)
    assert w["src_grid_dims"].tolist() == [COLUMNS, ROWS] and w["dst_grid_dims"].tolist() == [70]
    assert np.allclose(w["xc_a"], AXES[0]) and np.allclose(w["yc_a"], AXES[1])
    assert np.allclose([w["xc_b"], w["yc_b"]], PLACES)
    assert np.isclose(w["area_a"].sum(), 4 * np.pi, rtol=1e-12) and not w["area_b"].any()
    assert (w["row"] == np.arange(70) + 1).all() and (w["S"] == 1).all()
    assert w["row"].dtype == np.int32 and w["mask_b"].dtype == np.int32
    expected = field.ravel()[neighbors(AXES, PLACES)[1][:, 0]]
    assert np.array_equal(dense(w) @ field.ravel(), expected)
    work.ok("weights", "--source", "places.csv", "--target", "field.tif", *more, "back.nc")
    back = read(work, "back.nc")
    assert (back["col"] - 1 == neighbors(PLACES, AXES)[1][:, 0]).all()
    assert back["dst_grid_dims"].tolist() == [COLUMNS, ROWS] and (back["frac_b"] == 1).all()


def test_inverse_distances_within_a_distance(work):
    work.csv("a.csv", *PLACES)
    work.csv("b.csv", *globe(40, seed=6))
    job = ["weights", "--source", "a.csv", "--target", "b.csv", *SPHERE, "-k", 4]
    done = work.ok(*job, "--power", 1.5, "--max-distance", "1500km", "--json", "w.nc")
    w, report = read(work), json.loads(done.stdout)
    angle, number = neighbors(PLACES, globe(40, seed=6), 4)
    shares = np.where(angle * 6371008.7714 <= 1.5e6, angle**-1.5, 0)
    total = shares.sum(axis=1, keepdims=True)
    expected = np.zeros((40, 70))
    np.put_along_axis(expected, number, shares / np.where(total > 0, total, 1), 1)
    assert np.allclose(dense(w), expected, rtol=1e-9)
    assert (w["frac_b"] == (total[:, 0] > 0)).all() and (w["frac_b"] == 0).any()
    assert (np.diff(w["row"]) >= 0).all() and w["attributes"]["power"] == 1.5
    assert report["weights"] == w["S"].size == (shares > 0).sum()
    assert report["target"] == {"cells": 40, "without_weight": int((total == 0).sum())}


def test_cells_without_values(work, field):
    """Nodata and NaN are left out, 0 is a value."""
    field[:, ::3], field[4], field[7, 2] = -9, 0, np.nan
    write_values(work, "field.tif", field)
    done = work.ok(
        "weights", "--source", "field.tif", "--target", "healpix:2", *SPHERE, "--json", "w.nc"
    )
    w, there = read(work), (field != -9) & ~np.isnan(field)
    assert (w["mask_a"].reshape(field.shape) == there).all() and there[4].any()
    assert json.loads(done.stdout)["source"] == {
        "cells": ROWS * COLUMNS,
        "left_out": int((~there).sum()),
    }
    at, centers, found = np.flatnonzero(there), (w["xc_b"], w["yc_b"]), w["col"] - 1
    angle, _ = neighbors((AXES[0][at], AXES[1][at]), centers)
    chosen = unit(AXES[0][found], AXES[1][found])
    chord = np.linalg.norm(chosen - unit(*centers), axis=1)
    assert np.allclose(2 * np.arcsin(chord / 2), angle[:, 0], atol=1e-12)
    assert there.ravel()[found].all() and np.allclose(w["area_b"], 4 * np.pi / 192)


def test_projected_raster_and_systems(work):
    """Cells outside of the projected globe have no position, and no cell has an area."""
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("map.tif")), 11, 6, 1)
    made.SetGeoTransform((-2.2e7, 4e6, 0, 1.1e7, 0, -4e6))
    made.SetProjection("ESRI:54009")  # Mollweide
    made.GetRasterBand(1).Fill(1)
    made = None
    work.ok("weights", "--source", "s2:2", "--target", "map.tif", "w.nc")
    w = read(work)
    there = w["mask_b"] == 1
    assert 0 < there.sum() < 66 and (w["frac_b"] == there).all() and not w["area_b"].any()
    assert (w["row"] == np.flatnonzero(there) + 1).all() and np.isclose(
        w["area_a"].sum(), 4 * np.pi
    )
    work.ok("weights", "--source", "map.tif", "--target", "s2:2", "back.nc")
    back = read(work, "back.nc")
    assert there[back["col"] - 1].all() and back["src_grid_dims"].tolist() == [11, 6]


def test_axes_of_netcdf(work, field):
    """Cells in the order of the file's arrays, of which GDAL writes the southern row first."""
    write_values(work, "field.tif", field)
    gdal.Translate(str(work.path("axes.nc")), str(work.path("field.tif")), format="netCDF")
    work.ok("weights", "--source", "axes.nc", "--target", "healpix:1", *SPHERE, "w.nc")
    w = read(work)
    assert w["src_grid_dims"].tolist() == [COLUMNS, ROWS] and w["yc_a"][0] == -87
    assert np.allclose(w["xc_a"][:3], LON[:3]) and (w["mask_a"] == 1).all()
    assert np.isclose(w["area_a"].sum(), 4 * np.pi, rtol=1e-12)


def test_overwrite_and_same_file(work):
    work.csv("a.csv", *PLACES)
    job = ["weights", "--source", "a.csv", "--target", "healpix:0"]
    work.ok(*job, "w.nc")
    work.fails(*job, "w.nc", has="exists")
    work.ok(*job, "--overwrite", "w.nc")
    work.fails(
        "weights", "--target", "a.csv", "--source", "s2:0", "--overwrite", "a.csv", has="input"
    )


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["--target", "healpix:1", "w.nc"], 2, "missing --source"),
        (["--source", "healpix:1", "w.nc"], 2, "missing --target"),
        (["--source", "healpix:1", "--target", "s2:1"], 2, "missing output"),
        (["--source", "healpix:1", "--target", "s2:1", "w.tif"], 1, "invalid extension"),
        (["--source", "healpix:99", "--target", "s2:1", "w.nc"], 1, "--source: invalid cells"),
        (["--source", "qtm:3", "--target", "s2:1", "w.nc"], 1, "--source: unsupported cells"),
        (["--source", "none.tif", "--target", "s2:1", "w.nc"], 1, "--source"),
        (["--source", "s2:1", "--target", "h3:15", "w.nc"], 1, "--target: h3:15"),
        (
            ["--source", "s2:1", "--target", "s2:2", "--power", "3", "w.nc"],
            2,
            "--power: missing -k",
        ),
        (["--source", "s2:1", "--target", "s2:2", "--metric", "euclidean", "w.nc"], 2, "--metric"),
        (
            ["--source", "s2:1", "--target", "healpix:2", "--max-distance", "1m", "w.nc"],
            1,
            "--max-distance: no cell",
        ),
    ],
)
def test_errors(work, arguments, status, words):
    work.fails("weights", *arguments, status=status, has=words)
