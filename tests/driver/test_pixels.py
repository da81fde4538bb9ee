"""Pixels are those of the command, byte for byte, for any order of reading."""

import random

import numpy as np
import pytest
from osgeo import gdal

from conftest import alike, bands, live, options, text

QUESTIONS = {
    "plain": {"seeds": "globe.csv"},
    "size": {"seeds": "globe.csv", "size": [700, 350]},
    "great-circle": {"seeds": "globe.csv", "metric": "great-circle", "res": 0.9},
    "ranks": {"seeds": "globe.csv", "k": 3, "size": [400, 300], "extent": [-20, 0, 60, 60]},
    "ids": {"seeds": "globe.csv", "id": "no", "size": [500, 250]},
    "text ids": {"seeds": "globe.csv", "id": "name", "size": [500, 250]},
    "wide ids": {"seeds": "layers.gpkg", "id": "big", "size": [500, 250]},
    "where": {"seeds": "layers.gpkg", "layer": "places", "where": "kind = 'a'", "size": [500, 250]},
    "limit": {"seeds": "globe.csv", "max-distance": "900km", "size": [600, 300], "nodata": -9},
    "mask": {"seeds": "globe.csv", "mask": "land.gpkg", "size": [600, 300]},
    "raster mask": {"seeds": "globe.csv", "mask": "classes.tif", "like": "like.tif"},
    "rotated": {"seeds": "globe.csv", "like": "like.tif"},
    "weights": {
        "seeds": "globe.csv",
        "weighting": "multiplicative",
        "weight-field": "w",
        "size": [300, 150],
    },
    "plane": {"seeds": "plane.csv", "res": 1.7},
    "manhattan": {"seeds": "plane.csv", "metric": "manhattan", "size": [700, 500], "k": 2},
    "projected": {
        "seeds": "globe.csv",
        "crs": "EPSG:3857",
        "metric": "geodesic",
        "extent": [-5e6, -3e6, 6e6, 7e6],
        "size": [450, 410],
    },
    "mesh": {"seeds": "globe.csv", "level": 6},
    "snapped": {"seeds": "globe.csv", "level": 5, "snap-seeds": True, "size": [500, 250]},
    "shapes": {"seeds": "shapes.geojson", "size": [90, 45]},
    "signed": {"seeds": "shapes.geojson", "size": [90, 45], "signed-distance": True},
    "classes": {"seeds-raster": "classes.tif"},
    "values": {"seeds-raster": "classes.tif", "values": [2, 3], "k": 2},
    "by cell": {"seeds-raster": "classes.tif", "by-cell": True, "size": [200, 130]},
    "per value": {"seeds-raster": "classes.tif", "distance-per-value": True},
    "attribute": {
        "seeds": "globe.csv",
        "attribute": "w",
        "max-distance": "900km",
        "size": [300, 150],
    },
    "integer attribute": {"seeds": "globe.csv", "attribute": "no", "k": 2, "size": [300, 150]},
    "travel cost": {"seeds": "globe.csv", "cost": "friction.tif", "cost-moves": "8"},
    "limited cost": {"seeds": "globe.csv", "cost": "friction.tif", "max-distance": 900000},
    "units": {
        "seeds": "globe.csv",
        "distance-unit": "nmi",
        "distance-type": "Float64",
        "size": [400, 200],
    },
}


def by_command(work, question):
    """All bands in the order id, distance, azimuth, and the datasets."""
    names = ["id.tif", "distance.tif", "azimuth.tif"]
    work.ok(
        *options(question), "--distance", names[1], "--azimuth", names[2], "--overwrite", names[0]
    )
    opened = [work.open(name) for name in names]
    return [band for dataset in opened for band in bands(dataset)], opened


@pytest.mark.parametrize("name", QUESTIONS)
def test_as_the_command(sources, name):
    question = {
        key: str(sources.path(value))
        if key in ("seeds", "seeds-raster", "like", "mask", "cost")
        else value
        for key, value in QUESTIONS[name].items()
    }
    expected, opened = by_command(sources, question)
    dataset = live(sources, bands=["id", "distance", "azimuth"], **question)
    assert dataset.RasterCount == len(expected)
    assert dataset.GetGeoTransform() == opened[0].GetGeoTransform()
    assert (dataset.GetSpatialRef() is None) == (opened[0].GetSpatialRef() is None)
    assert dataset.GetSpatialRef() is None or dataset.GetSpatialRef().IsSame(
        opened[0].GetSpatialRef()
    )
    said = [opened[0].GetRasterBand(i + 1) for i in range(opened[0].RasterCount)]
    said += [opened[1].GetRasterBand(i + 1) for i in range(opened[1].RasterCount)]
    for number, array in enumerate(bands(dataset)):
        assert alike(array, expected[number]), number
        if number < len(said):
            band = dataset.GetRasterBand(number + 1)
            assert band.GetDescription() == said[number].GetDescription()
            assert band.GetUnitType() == said[number].GetUnitType()
            a, b = band.GetNoDataValue(), said[number].GetNoDataValue()
            assert a == b or (np.isnan(a) and np.isnan(b))
    for key, value in dataset.GetMetadata().items():
        assert opened[0].GetMetadataItem(key) == value, key


def test_ids_alone(sources):
    """If only ids are requested, they are computed in another way."""
    sources.ok("--seeds", "globe.csv", "--size", "900,450", "id.tif")
    expected = sources.read("id.tif")
    assert alike(live(sources, seeds="globe.csv", size=[900, 450]).ReadAsArray(), expected)
    some = live(sources, seeds="globe.csv", size=[900, 450], bands=["distance", "id"])
    assert alike(some.GetRasterBand(2).ReadAsArray(), expected)
    sources.ok("--seeds", "globe.csv", "--size", "900,450", "--distance", "d.tif")
    assert alike(some.GetRasterBand(1).ReadAsArray(), sources.read("d.tif"))
    alone = live(sources, seeds="globe.csv", size=[900, 450], bands=["distance"])
    assert alike(alone.ReadAsArray(), sources.read("d.tif"))


def test_any_order(sources):
    """Windows and blocks of all sizes, in any order, with any cache, are parts of one raster."""
    question = dict(seeds="globe.csv", size=[1100, 600], k=2, bands=["id", "distance"])
    whole = live(sources, **question).ReadAsArray()
    dice = random.Random(5)
    for memory in ("1M", "64M"):  # of which the first keeps no block
        dataset = live(sources, memory=memory, threads=3, **question)
        for _ in range(30):
            w, h = dice.choice([(1, 1), (1100, 1), (300, 200), (256, 256), (7, 600), (1100, 600)])
            x, y = dice.randrange(1101 - w), dice.randrange(601 - h)
            assert alike(
                dataset.ReadAsArray(x, y, w, h),
                np.ascontiguousarray(whole[:, y : y + h, x : x + w]),
            )
        for band in (1, 4):
            columns, rows = (1100 + 255) // 256, (600 + 255) // 256
            blocks = [(i, k) for i in range(columns) for k in range(rows)]
            dice.shuffle(blocks)
            for i, k in blocks:
                of = dataset.GetRasterBand(band)
                block = np.frombuffer(
                    of.ReadBlock(i, k), whole.dtype if band > 2 else np.int32
                ).reshape(256, 256)
                w, h = min(256, 1100 - 256 * i), min(256, 600 - 256 * k)
                expected = whole[band - 1, 256 * k : 256 * k + h, 256 * i : 256 * i + w].astype(
                    block.dtype
                )
                assert alike(np.ascontiguousarray(block[:h, :w]), np.ascontiguousarray(expected))


def test_row_by_row(sources):
    dataset, again = (
        live(sources, seeds="globe.csv", size=[2000, 600], memory="2M") for _ in range(2)
    )
    whole = again.ReadAsArray()
    rows = [dataset.ReadAsArray(0, y, 2000, 1) for y in range(600)]
    assert alike(np.vstack(rows), whole)


def test_other_types(sources):
    dataset = live(sources, seeds="globe.csv", size=[300, 150], bands=["id", "distance"])
    band = dataset.GetRasterBand(1)
    wide = band.ReadAsArray(buf_type=gdal.GDT_Float64)
    assert wide.dtype == np.float64 and np.array_equal(wide, band.ReadAsArray())
    raw = dataset.ReadRaster(
        10,
        20,
        50,
        30,
        buf_type=gdal.GDT_Float32,
        buf_pixel_space=8,
        buf_line_space=8 * 50,
        buf_band_space=4,
    )
    both = np.frombuffer(raw, np.float32).reshape(30, 50, 2)
    assert np.array_equal(both[..., 0], band.ReadAsArray(10, 20, 50, 30).astype(np.float32))
    assert np.array_equal(both[..., 1], dataset.GetRasterBand(2).ReadAsArray(10, 20, 50, 30))


OVERVIEWS = {
    "globe": ({"seeds": "globe.csv", "size": [1440, 720]}, [(720, 360), (360, 180), (180, 90)]),
    "odd": (
        {
            "seeds": "globe.csv",
            "size": [601, 333],
            "extent": [-30, 1.3, 28.3, 44.9],
            "distance-type": "Float64",
        },
        [(301, 167), (151, 84)],
    ),
    "plane": (
        {"seeds": "plane.csv", "size": [600, 500], "extent": [0, 0, 1000.5, 700.25], "k": 2},
        [(300, 250), (150, 125)],
    ),
    "projected": (
        {
            "seeds": "globe.csv",
            "crs": "EPSG:3857",
            "metric": "geodesic",
            "extent": [-5e6, -3e6, 6e6, 7e6],
            "size": [900, 820],
            "mask": "land.gpkg",
        },
        [(450, 410), (225, 205)],
    ),
    "shapes": (
        {"seeds": "shapes.geojson", "size": [300, 12], "extent": [-60, -3, 60, 3]},
        [(150, 6)],
    ),
    "mesh": ({"seeds": "globe.csv", "level": 5, "size": [512, 256]}, [(256, 128)]),
    "classes": (
        {"seeds-raster": "classes.tif", "extent": [-40, 10, 40, 70], "size": [800, 600]},
        [(400, 300), (200, 150)],
    ),
}


@pytest.mark.parametrize("name", OVERVIEWS)
def test_overviews(sources, name):
    """Exact answers for their own cells: the command's for that size."""
    question, sizes = OVERVIEWS[name]
    dataset = live(sources, **question, bands=["id", "distance", "azimuth"])
    k = question.get("k", 1)
    assert dataset.GetRasterBand(1).GetOverviewCount() == len(sizes)
    for number, size in enumerate(sizes):
        arguments = {
            key: str(sources.path(value)) if key in ("seeds", "seeds-raster", "mask") else value
            for key, value in question.items()
        }
        expected, opened = by_command(sources, {**arguments, "size": list(size)})
        found = [dataset.GetRasterBand(i + 1).GetOverview(number) for i in range(3 * k)]
        for i, band in enumerate(found):
            assert (band.XSize, band.YSize) == size
            assert alike(band.ReadAsArray(), expected[i])
        own = found[0].GetDataset()
        assert np.allclose(own.GetGeoTransform(), opened[0].GetGeoTransform(), rtol=1e-12)


def test_small_rasters_have_no_overviews(sources):
    assert (
        live(sources, seeds="globe.csv", size=[256, 256]).GetRasterBand(1).GetOverviewCount() == 0
    )
    assert live(sources, seeds="globe.csv", size=[257, 1]).GetRasterBand(1).GetOverviewCount() == 1


def test_travel_costs(sources):
    """They are those of the raster's own cells: there are no overviews. What fails once is not computed again."""
    question = dict(seeds="globe.csv", cost="friction.tif", bands=["id", "distance"])
    dataset = live(sources, **question)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 0
    whole = dataset.ReadAsArray()
    assert alike(dataset.ReadAsArray(7, 200, 90, 40), np.ascontiguousarray(whole[:, 200:240, 7:97]))
    small = dataset.ReadAsArray(buf_xsize=100, buf_ysize=90)
    assert np.array_equal(small[0], whole[0, 1::3, 1::3])
    sources.csv("far.csv", [100.0], [0.0])
    nowhere = live(sources, **{**question, "seeds": "far.csv"})
    for _ in range(2):
        with pytest.raises(RuntimeError, match="all seeds are (in barriers or )?outside of"):
            nowhere.ReadAsArray()


def test_resampling_goes_to_overviews(sources):
    """A window in fewer pixels is that of the overview of this size, and costs no more, however large the raster."""
    dataset = live(sources, seeds="globe.csv", size=[1440, 720], bands=["id", "distance"])
    overview = [dataset.GetRasterBand(i).GetOverview(1).ReadAsArray() for i in (1, 2)]
    assert alike(dataset.GetRasterBand(1).ReadAsArray(buf_xsize=360, buf_ysize=180), overview[0])
    both = dataset.ReadAsArray(0, 0, 1440, 720, buf_xsize=360, buf_ysize=180)
    assert np.array_equal(both[0], overview[0]) and np.array_equal(both[1], overview[1])
    part = dataset.GetRasterBand(1).ReadAsArray(400, 200, 800, 400, buf_xsize=200, buf_ysize=100)
    assert alike(part, np.ascontiguousarray(overview[0][50:150, 100:300]))
    huge = live(sources, seeds="globe.csv", res=0.0009)
    assert (huge.RasterXSize, huge.RasterYSize) == (400000, 200000)
    assert huge.ReadAsArray(0, 0, 400000, 200000, buf_xsize=100, buf_ysize=50).shape == (50, 100)
    assert huge.ReadAsArray(250000, 130000, 40, 30).shape == (30, 40)
    # Other ways of resampling and sizes in between are GDAL's, of the overviews.
    mean = dataset.GetRasterBand(2).ReadAsArray(
        buf_xsize=300, buf_ysize=150, resample_alg=gdal.GRIORA_Average
    )
    near = dataset.GetRasterBand(2).ReadAsArray(buf_xsize=300, buf_ysize=150)
    assert mean.shape == near.shape and np.nanmax(np.abs(mean - near)) < 4e5
    assert dataset.GetRasterBand(1).ReadAsArray(0, 0, 20, 10, buf_xsize=40, buf_ysize=20).shape == (
        20,
        40,
    )


def test_overview_as_a_raster(sources):
    """GDAL's own open option."""
    name = text(sources, seeds="globe.csv", size=[1440, 720])
    dataset = gdal.OpenEx(name, open_options=["OVERVIEW_LEVEL=0"])
    assert (dataset.RasterXSize, dataset.RasterYSize) == (720, 360)
    assert alike(
        dataset.ReadAsArray(), live(sources, seeds="globe.csv", size=[720, 360]).ReadAsArray()
    )
    only = gdal.OpenEx(name, open_options=["OVERVIEW_LEVEL=0 only"])
    assert only.GetRasterBand(1).GetOverviewCount() == 0
