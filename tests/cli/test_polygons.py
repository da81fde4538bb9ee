"""Regions of an allocation as polygons (--polygons), against the raster that they are traced from."""

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import crs
from test_facility import GLOBE, make_raster, seeds  # noqa: F401 (a fixture)


def region_table(work, name):
    source = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    return {f.GetField("id"): (f.GetGeometryRef().Clone(), f.items()) for f in source.GetLayer(0)}


@pytest.mark.parametrize("name", ["r.gpkg", "r.geojson", "r.fgb", "r.shp"])
def test_polygons(seeds, name):
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "180,90",
        "--extent",
        "-180,-90,180,90",
        "--max-distance",
        2000000,
        "--polygons",
        name,
        "out.tif",
    )
    out = seeds.read("out.tif")
    regions = region_table(seeds, name)
    assert set(regions) == set(np.unique(out)) - {-1}
    for number, (shape, fields) in regions.items():
        assert shape.IsValid()
        assert shape.GetGeometryType() in (ogr.wkbMultiPolygon, ogr.wkbPolygon)
        assert shape.GetArea() == pytest.approx(4 * (out == number).sum())
        assert fields["name"] == f"place {number - 1}"
    assert (
        seeds.open("out.tif")
        .GetSpatialRef()
        .IsSame(
            gdal.OpenEx(str(seeds.path(name))).GetLayer(0).GetSpatialRef(),
            ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"],
        )
    )
    if name != "r.gpkg":
        return
    target = gdal.GetDriverByName("MEM").Create("", 180, 90, 1, gdal.GDT_Int32)
    target.SetGeoTransform((-180, 2, 0, 90, 0, -2))
    target.SetSpatialRef(crs(4326))
    target.GetRasterBand(1).Fill(-1)
    source = gdal.OpenEx(str(seeds.path(name)))
    gdal.RasterizeLayer(target, [1], source.GetLayer(0), options=["ATTRIBUTE=id"])
    assert np.array_equal(target.ReadAsArray(), out)


@pytest.mark.parametrize(
    "transform",
    [
        (0, 1, 0, 10, 0, -1),
        (0, 1, 0, 0, 0, 1),
        (10, -1, 0, 10, 0, -1),
        (0, 0.9, 0.4, 10, 0.4, -0.9),
    ],
    ids=["upright", "south-up", "mirrored", "rotated"],
)
def test_polygons_of_widest_ids(work, transform):
    """Ids that are equal as doubles."""
    ids = [2**53 + 1, 2**53, 2**63 - 1, -(2**63), 2**63 - 2, -(2**53) - 1]
    work.csv("p.csv", [2, 8, 5, 5, 1, 7], [5, 5, 1, 9, 9, 3], header="x,y", no=ids)
    make_raster(work, "like.tif", np.zeros((10, 10)), transform, epsg=None)
    work.ok(
        "--seeds", "p.csv", "--id", "no", "--like", "like.tif", "--polygons", "r.gpkg", "out.tif"
    )
    out, cell = work.read("out.tif"), abs(transform[1] * transform[5] - transform[2] * transform[4])
    regions = region_table(work, "r.gpkg")
    assert set(regions) == set(out.ravel().tolist()) and len(regions) >= 4
    for number, (shape, fields) in regions.items():
        assert int(fields["no"]) == number and shape.GetArea() == pytest.approx(
            cell * (out == number).sum()
        )


@pytest.mark.parametrize("options", [[], ["--co", "BIGTIFF=YES"]])
def test_polygons_beside_several_ranks(seeds, options):
    """Planes that were encoded in threads are read back."""
    tiles = [
        *options,
        "--co",
        "COMPRESS=LZW",
        "--co",
        "BLOCKXSIZE=32",
        "--co",
        "BLOCKYSIZE=32",
        "--threads",
        3,
    ]
    seeds.ok("--seeds", "s.csv", *GLOBE, "--polygons", "one.geojson", "one.tif")
    seeds.ok("--seeds", "s.csv", *GLOBE, "-k", 6, *tiles, "--polygons", "six.geojson", "six.tif")
    one, six = (open(seeds.path(name), "rb").read() for name in ("one.geojson", "six.geojson"))
    assert one == six


def test_polygons_need_geometries(seeds):
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--polygons",
        "r.ods",
        "out.tif",
        has=["--polygons", "does not support geometries"],
    )


def test_polygons_of_awkward_regions(work):
    """Corners that touch, holes that touch, repeated and wide ids, copies into other formats."""
    random = np.random.default_rng(9)
    x, y = random.uniform(0, 12, 60), random.uniform(0, 12, 60)
    ids = random.integers(1, 4, 60) + 10**12
    work.csv("p.csv", x, y, header="x,y", no=ids, cells=range(60))
    work.ok(
        "--seeds",
        "p.csv",
        "--extent",
        "0,0,12,12",
        "--res",
        "1",
        "--id",
        "no",
        "--metric",
        "manhattan",
        "--polygons",
        "r.gpkg",
        "out.tif",
    )
    out = work.read("out.tif")
    regions = region_table(work, "r.gpkg")
    assert set(regions) == set(np.unique(out).tolist())
    for number, (shape, fields) in regions.items():
        assert shape.IsValid() and shape.GetArea() == pytest.approx((out == number).sum())
        assert int(fields["no"]) == number and int(fields["cells"]) == list(ids).index(number)
