"""Rasters without a file, and what the command makes of the same arguments."""

import json

import numpy as np
import pytest
from osgeo import gdal, ogr

from cli.conftest import Work, crs, globe, work  # noqa: F401 (fixtures and helpers of the command's tests)

gdal.UseExceptions()


@pytest.fixture(autouse=True, scope="session")
def driver():
    if gdal.GetDriverByName("VORONOI") is None:
        pytest.fail(
            "GDAL has no driver VORONOI: GDAL_DRIVER_PATH is to name the folder of gdal_VORONOI.so"
        )


def text(work, **question):
    """A description as GDAL takes it in place of a file name, with the sources of `work`."""
    for name in ("seeds", "seeds-raster", "like", "mask", "extent-of", "cost"):
        if name in question:
            question[name] = str(work.path(question[name]))
    return "VORONOI:" + json.dumps(question)


def live(work, **question):
    work.opened.append(gdal.Open(text(work, **question)))  # bands do not keep their dataset alive
    return work.opened[-1]


def options(question):
    """The command's options for a description."""
    for name, value in question.items():
        if value is True:
            yield f"--{name}" if len(name) > 1 else f"-{name}"
        elif name == "oo":
            for one in value:
                yield from ("--oo", one)
        elif name not in ("bands", "memory"):
            yield f"--{name}" if len(name) > 1 else f"-{name}"
            yield ",".join(map(str, value)) if isinstance(value, list) else str(value)


def bands(dataset, numbers=None):
    return [
        dataset.GetRasterBand(i).ReadAsArray() for i in numbers or range(1, dataset.RasterCount + 1)
    ]


def alike(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture
def sources(work):
    """Seeds, masks and templates of every kind in work's directory."""
    lon, lat = globe(300, seed=11)
    random = np.random.default_rng(12)
    work.csv(
        "globe.csv",
        lon,
        lat,
        name=[f"p{i}" for i in range(300)],
        w=random.integers(1, 9, 300),
        no=np.arange(300) * 7 - 1,
    )
    x, y = random.uniform(0, 1000, 200), random.uniform(0, 700, 200)
    work.csv("plane.csv", x, y, header="x,y")
    work.points(
        "layers.gpkg",
        "GPKG",
        lon,
        lat,
        layer="places",
        fields=[("big", ogr.OFTInteger64), ("kind", ogr.OFTString)],
        rows=[(i + 10**10, "ab"[i % 2]) for i in range(300)],
    )
    shapes = ogr.GetDriverByName("GeoJSON").CreateDataSource(str(work.path("shapes.geojson")))
    layer = shapes.CreateLayer("shapes", crs(4326), ogr.wkbUnknown)
    for i, wkt in enumerate(
        [
            "LINESTRING (-100 -50, 20 60)",
            "POLYGON ((100 -40, 150 -40, 140 20, 100 -40))",
            "POINT (0 0)",
            "POLYGON ((-60 10, -20 10, -30 70, -60 10))",
        ]
    ):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        layer.CreateFeature(feature)
    shapes = layer = None
    land = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("land.gpkg")))
    layer = land.CreateLayer("land", crs(4326), ogr.wkbPolygon)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(
        ogr.CreateGeometryFromWkt("POLYGON ((-120 -60, 100 -50, 130 70, -40 80, -120 -60))")
    )
    layer.CreateFeature(feature)
    land = layer = None
    classes = gdal.GetDriverByName("GTiff").Create(
        str(work.path("classes.tif")), 300, 200, 1, gdal.GDT_Byte
    )
    classes.SetGeoTransform((-30, 0.2, 0, 60, 0, -0.2))
    classes.SetSpatialRef(crs(4326))
    cells = np.where(random.random((200, 300)) < 0.01, random.integers(1, 6, (200, 300)), 0).astype(
        np.uint8
    )
    classes.GetRasterBand(1).WriteArray(cells)
    classes = None
    friction = gdal.GetDriverByName("GTiff").Create(
        str(work.path("friction.tif")), 300, 270, 1, gdal.GDT_Float32
    )
    friction.SetGeoTransform((-30, 0.2, 0, 60, 0, -0.2))
    friction.SetSpatialRef(crs(4326))
    costs = random.lognormal(0, 1, (270, 300))
    friction.GetRasterBand(1).WriteArray(np.where(random.random(costs.shape) < 0.1, -1, costs))
    friction = None
    work.raster("like.tif", (-20, 0.1, 0.02, 55, -0.01, -0.1), (500, 400), epsg=4326)
    return work
