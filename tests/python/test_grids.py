"""What the command does by default: its cells, its value of cells without a seed, its masks of polygons."""

import numpy as np
import pytest

import gpuvoronoi

geopandas = pytest.importorskip("geopandas")
shapely = pytest.importorskip("shapely.geometry")


def test_cells_around_seeds():
    made = gpuvoronoi.default_grid(([10.0, 20.0], [0.0, 5.0]))
    assert made == {
        "shape": (1024, 2048),
        "transform": (9.0, 12.0 / 2048, 0.0, 5.5, 0.0, -12.0 / 2048),
    }
    assert gpuvoronoi.default_grid(([3.0], [4.0]), resolution=0.25)["shape"] == (4, 4)
    made = gpuvoronoi.default_grid(extent=(0, 0, 6, 4), shape=(2, 3))
    assert made == {"shape": (2, 3), "transform": (0.0, 2.0, 0.0, 4.0, 0.0, -2.0)}
    seeds = geopandas.GeoSeries([shapely.LineString([(4e6, 3e6), (4.1e6, 3e6)])], crs="EPSG:3035")
    made = gpuvoronoi.default_grid(seeds, resolution=10000)
    assert made["shape"] == (2, 12) and made["crs"].to_epsg() == 3035


def test_cells_of_the_globe():
    made = gpuvoronoi.default_grid(crs="EPSG:4326", level=4)
    assert made["shape"] == (64, 128) and made["transform"] == (
        -180.0,
        2.8125,
        0.0,
        90.0,
        0.0,
        -2.8125,
    )
    assert gpuvoronoi.allocation(([0.0], [0.0]), **made).shape == (64, 128)
    assert gpuvoronoi.default_grid(crs="EPSG:4326", extent=(0, 0, 1, 1), resolution=0.3)[
        "shape"
    ] == (3, 3)


def test_cells_in_another_system():
    seeds = geopandas.GeoSeries([shapely.Point(10, 50), shapely.Point(12, 52)], crs="EPSG:4326")
    made = gpuvoronoi.default_grid(seeds, crs="EPSG:32632", resolution=10000)
    x, y = made["transform"][0], made["transform"][3]
    assert 540000 < x < 572000 and 5761000 < y < 5790000
    far = geopandas.GeoSeries([shapely.Point(10, 50), shapely.Point(170, 5)], crs="EPSG:4326")
    with pytest.warns(UserWarning, match="1 of 2 positions are outside the area of use"):
        made = gpuvoronoi.default_grid(far, crs="EPSG:32632", resolution=100000)
    assert 40 < made["shape"][0] < 80  # to the end of the area of use


@pytest.mark.parametrize(
    "arguments,words",
    [
        ({"extent": (0, 0, 1, 1), "resolution": 3}, "less than half a cell"),
        ({"extent": (0, 0, 1e9, 1), "resolution": 0.01}, "too many cells"),
        ({"extent": (1, 0, 0, 1)}, "xmin < xmax"),
        ({}, "extent is needed"),
    ],
)
def test_cells_that_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        gpuvoronoi.default_grid(**arguments)


@pytest.mark.parametrize(
    "ids,dtype,expected",
    [
        ([1, 2], None, ("int32", -1)),
        ([-1, 2], None, ("int32", -(2**31))),
        ([2**40], None, ("int64", -1)),
        ([0, 5], "uint8", ("uint8", 255)),
        ([255], "uint8", ("uint8", 0)),
        ([], None, ("int32", -1)),
        ([-1], "int16", ("int16", -32768)),
    ],
)
def test_no_seed(ids, dtype, expected):
    assert gpuvoronoi.no_seed(ids, dtype) == expected


def test_ids_that_leave_nothing():
    for ids, dtype in (([0, 255], "uint8"), ([-1, -(2**31)], None), ([300], "uint8")):
        with pytest.raises(ValueError, match="ids"):
            gpuvoronoi.no_seed(ids, dtype)
    with pytest.raises(TypeError, match="integers"):
        gpuvoronoi.no_seed([1], "float32")


def masked(polygons, system="EPSG:4326", **arguments):
    frame = geopandas.GeoDataFrame(geometry=polygons, crs=system)
    arguments = {"shape": (6, 6), "extent": (0, 0, 6, 6), "crs": "EPSG:4326", **arguments}
    return gpuvoronoi.allocation(([1.0], [1.0]), mask=frame, **arguments) == 0


def test_masks_of_polygons():
    """A center on an edge counts on the left and at the bottom. Holes are outside, overlaps inside."""
    made = masked([shapely.box(0.5, 0.5, 2.5, 3.5), shapely.box(1, 1, 2, 2)])
    expected = np.zeros((6, 6), bool)
    expected[3:6, 0:2] = True
    assert np.array_equal(made, expected)
    ring = shapely.Polygon(
        shapely.box(0, 0, 6, 6).exterior.coords, [shapely.box(2, 2, 4, 4).exterior.coords]
    )
    assert masked([ring]).sum() == 32
    assert masked([shapely.box(360, 0, 363, 6)]).sum() == 18  # a turn away
    assert masked([shapely.box(0, 0, 333958.47, 1e6)], "EPSG:3857").sum() == 18
    assert masked([shapely.box(0, 0, 3, 6)], None, crs=None, metric="euclidean").sum() == 18
    with pytest.raises(ValueError, match="coordinate system"):
        masked([shapely.box(0, 0, 3, 6)], None)
