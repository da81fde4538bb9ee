"""Messages about inputs name the remedy, and warnings name the problem."""

import json

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import crs

LONLAT = "lon,lat,a\n3.5,50.5,1\n8.25,47.0,2\n"


def error(work, *arguments):
    return work.fails(*arguments, "out.tif").removeprefix("gpuvoronoi: error: ")


@pytest.mark.parametrize("code", [5773, 5703])
@pytest.mark.parametrize("option", ["--crs", "--seeds-crs"])
def test_vertical_systems(work, option, code):
    work.write("s.csv", LONLAT)
    line = error(work, "--seeds", "s.csv", option, f"EPSG:{code}", "--res", "1")
    assert line.startswith(f"{option}: ") and line.endswith(
        f"(EPSG:{code})); use a coordinate system of a map"
    )
    work.ok("--seeds", "s.csv", option, "EPSG:4326+5773", "--res", "1", "o.tif")  # with a map's


def layer(work, name, driver):
    made = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
    of = made.CreateLayer("a layer", crs(4326), ogr.wkbPoint)
    of.CreateField(ogr.FieldDefn("size", ogr.OFTInteger))
    for x, size in ((3.5, 1), (8.25, 7)):
        feature = ogr.Feature(of.GetLayerDefn())
        feature["size"] = size
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} 50)"))
        of.CreateFeature(feature)
    of = made = None
    return name


@pytest.mark.parametrize("name,driver", [("s.gpkg", "GPKG"), ("s.sqlite", "SQLite")])
def test_clauses_that_sqlite_refuses(work, name, driver):
    layer(work, name, driver)
    for clause, reason in (
        ("width > 5", "no such column: width"),
        ("size >", 'near ")": syntax error'),
        ("no such > 5", 'near "such": syntax error'),
        ("nope(size)", "no such function: nope"),
    ):
        assert (
            error(work, "--seeds", name, "--where", clause)
            == f"--where: invalid condition ({clause}): {reason}"
        )
    for clause in ("size > 5", "size > 5 OR size < 0", "size = 7 -- seven"):
        work.ok("--seeds", name, "--where", clause, "--res", "1", "--overwrite", "o.tif")
        assert np.unique(work.read("o.tif")).tolist() == [2]
    work.fails("--seeds", name, "--where", "size > 9", "out.tif", has="--where selects none")


def test_ground_control_points(work):
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("g.tif")), 8, 8, 1)
    made.SetGCPs(
        [gdal.GCP(x, y, 0, c, r) for x, y, c, r in ((3, 51, 0, 0), (9, 51, 8, 0), (3, 46, 0, 8))],
        crs(4326),
    )
    made = None
    work.write("s.csv", LONLAT)
    said = "g.tif: missing geotransform (it has ground control points); convert the raster with gdalwarp"
    for option, arguments in (
        ("--like", []),
        ("--mask", ["--res", "1"]),
        ("--extent-of", ["--res", "1"]),
    ):
        assert error(work, "--seeds", "s.csv", *arguments, option, "g.tif") == f"{option}: {said}"
    assert (
        error(work, "--seeds", "s.csv", "--res", "1", "--stats", "t.csv", "--sum", "p=g.tif")
        == f"--sum: {said}"
    )
    assert error(work, "--seeds-raster", "g.tif") == f"--seeds-raster: {said}"


def test_extent_of_a_table(work):
    work.write("s.csv", LONLAT)
    work.write("p.csv", "name,latitude,longitude\na,46,3\nb,51,9\n")
    work.ok("--seeds", "s.csv", "--extent-of", "p.csv", "--res", "1", "o.tif")
    assert gdal.Open(str(work.path("o.tif"))).GetGeoTransform() == (
        3,
        1,
        0,
        51,
        0,
        -1,
    ) and work.read("o.tif").shape == (5, 6)
    work.ok(
        "--seeds",
        "s.csv",
        "--extent-of",
        "p.csv",
        "--crs",
        "EPSG:3035",
        "--res",
        "50000",
        "--overwrite",
        "o.tif",
    )
    work.write("n.csv", "name,b\na,1\n")
    work.fails(
        "--seeds",
        "s.csv",
        "--extent-of",
        "n.csv",
        "out.tif",
        has="missing geometries and coordinate columns",
    )


def features(work, name, *geometries):
    work.write(
        name,
        json.dumps(
            {
                "type": "FeatureCollection",
                "features": [
                    {"type": "Feature", "properties": {}, "geometry": one} for one in geometries
                ],
            }
        ),
    )
    return name


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [500_000, 5_600_000]},
        {"type": "LineString", "coordinates": [[500_000, 5_600_000], [510_000, 5_600_000]]},
    ],
)
def test_coordinates_of_a_map_in_geojson(work, geometry):
    features(work, "m.geojson", geometry)
    line = error(work, "--seeds", "m.geojson", "--res", "1")
    assert line.endswith(
        "latitude out of range [-90, 90] (5600000); the coordinates may be those of a map: use --seeds-crs to set their system"
    )
    work.ok("--seeds", "m.geojson", "--seeds-crs", "EPSG:32632", "--res", "1000", "o.tif")
    line = work.fails(
        "search",
        "--reference",
        "m.geojson",
        "--queries",
        features(work, "q.geojson", {"type": "Point", "coordinates": [3, 50]}),
        "o.npy",
    )
    assert line.endswith("use --reference-crs to set their system")


@pytest.mark.parametrize("latitude", ["90.0000025", "-90.000000000000014", "91.5", "90.000000001"])
def test_latitudes_are_shown_as_they_are(work, latitude):
    work.write("s.csv", f"lon,lat\n3,{latitude}\n")
    line = error(work, "--seeds", "s.csv", "--res", "1")
    assert (
        f"latitude out of range [-90, 90] ({latitude}); to skip such rows, use --skip-invalid"
        in line
    )


SEAM = [
    [[170, 10], [-170, 10], [-170, -10], [170, -10], [170, 10]]
]  # across 180 degrees, as geodesic edges are written
POLE = [[[0, 80], [90, 80], [180, 80], [-90, 80], [0, 80]]]
BOW = [[[170, 10], [-170, -10], [-170, 10], [170, -10], [170, 10]]]


@pytest.mark.parametrize(
    "rings,warned",
    [(SEAM, False), (POLE, False), (BOW, True), ([[[0, 0], [9, 9], [9, 0], [0, 9], [0, 0]]], True)],
)
def test_invalid_polygons_with_geodesic_edges(work, rings, warned):
    features(
        work,
        "p.geojson",
        {"type": "Polygon", "coordinates": rings},
        {"type": "MultiPolygon", "coordinates": [rings]},
    )
    done = json.loads(
        work.run(
            "--seeds", "p.geojson", "--edges", "geodesic", "--res", "5", "--json", "o.tif"
        ).stdout
    )
    assert [w["code"] for w in done["warnings"] if w["code"] != "seeds-without-cells"] == (
        ["seeds-invalid"] if warned else []
    )


@pytest.mark.parametrize("rings,warned", [(50, True), (2500, False)])
def test_rings_within_each_other(work, rings, warned):
    """They take GEOS quadratic time, and it cannot be interrupted."""
    squares = [
        [[[-s, -s], [s, -s], [s, s], [-s, s], [-s, -s]]]
        for s in (0.01 * i for i in range(1, rings + 1))
    ]
    features(work, "n.geojson", {"type": "MultiPolygon", "coordinates": squares})
    done = json.loads(work.run("--seeds", "n.geojson", "--res", "30", "--json", "n.tif").stdout)
    assert ("seeds-invalid" in [w["code"] for w in done["warnings"]]) == warned


def test_extent_of_seeds_that_are_given_a_system(work):
    """In the system of --seeds-crs, whether the file declares another or none."""
    for name, epsg in (("none.shp", None), ("other.gpkg", 4326)):
        driver = "GPKG" if epsg else "ESRI Shapefile"
        made = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
        of = made.CreateLayer("s", crs(epsg) if epsg else None, ogr.wkbPoint)
        for x, y in ((300_000, 5_000_000), (700_000, 5_400_000)):
            feature = ogr.Feature(of.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
            of.CreateFeature(feature)
        of = made = None
        work.ok(
            "--seeds",
            name,
            "--seeds-crs",
            "EPSG:32633",
            "--extent-of",
            name,
            "--res",
            "10000",
            "--overwrite",
            "o.tif",
        )
        assert gdal.Open(str(work.path("o.tif"))).GetGeoTransform() == (
            300_000,
            10_000,
            0,
            5_400_000,
            0,
            -10_000,
        )
    line = work.fails(
        "--seeds",
        "none.shp",
        "--seeds-crs",
        "EPSG:32633",
        "--extent-of",
        work.csv("xy.csv", [0, 1], [2, 3], header="x,y"),
        "--res",
        "1",
        "out.tif",
    )
    assert "--extent-of: xy.csv: missing coordinate system" in line
