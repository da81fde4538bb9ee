"""Cells of a raster as the reference set."""

import numpy as np
import pytest
from osgeo import gdal

from conftest import crs


@pytest.fixture
def land(work):
    values = (np.random.default_rng(1).random((20, 30)) < 0.3).astype(np.int32) * 4
    values[0, :3] = 2
    for name, epsg, transform in (
        ("plane.tif", 32633, (100, 10, 0, 500, 0, -10)),
        ("globe.tif", 4326, (-180, 12, 0, 90, 0, -9)),
    ):
        made = gdal.GetDriverByName("GTiff").Create(str(work.path(name)), 30, 20, 1, gdal.GDT_Int32)
        made.SetSpatialRef(crs(epsg))
        made.SetGeoTransform(transform)
        made.GetRasterBand(1).WriteArray(values)
        made = None
    work.values = values
    return work


def test_numbers_are_cells(land):
    random = np.random.default_rng(2)
    queries = np.column_stack([random.uniform(100, 400, 50), random.uniform(300, 500, 50)])
    np.save(land.path("q.npy"), queries)
    for options, counts in ([], land.values > 0), (["--values", "2"], land.values == 2):
        land.ok(
            "search",
            "--reference-raster",
            "plane.tif",
            *options,
            "--queries",
            "q.npy",
            "-k",
            "3",
            "--distances",
            "d.npy",
            "--overwrite",
            "out.npy",
        )
        cells = np.flatnonzero(counts)
        x, y = 100 + (cells % 30 + 0.5) * 10, 500 - (cells // 30 + 0.5) * 10
        distance = np.hypot(queries[:, :1] - x, queries[:, 1:] - y)
        order = np.argsort(distance, axis=1, kind="stable")[:, :3]
        assert np.array_equal(np.load(land.path("out.npy")), cells[order])
        assert np.allclose(np.load(land.path("d.npy")), np.take_along_axis(distance, order, 1))


def test_on_the_globe(land):
    land.csv("q.csv", [-174.0, 6.0], [85.5, -4.5])
    land.ok("search", "--reference-raster", "globe.tif", "--queries", "q.csv", "out.csv")
    rows = [line.split(",") for line in land.path("out.csv").read_text().splitlines()[1:]]
    assert rows[0][2] == "0" and float(rows[0][3]) == 0
    assert land.values.flat[int(rows[1][2])] > 0


@pytest.mark.parametrize(
    "arguments,has,status",
    [
        (["--reference-raster", "plane.tif", "--band", "4"], "has 1 band", 1),
        (
            ["--reference-raster", "plane.tif", "--values", "5"],
            "missing cells with these values",
            1,
        ),
        (["--reference-raster", "plane.tif", "--reference", "q.csv"], "unsupported together", 2),
        (["--reference", "q.csv", "--values", "5"], "--values: missing --reference-raster", 2),
    ],
)
def test_what_makes_no_sense(land, arguments, has, status):
    land.csv("q.csv", [-174.0, 6.0], [85.5, -4.5])
    land.fails("search", *arguments, "out.npy", status=status, has=has)
