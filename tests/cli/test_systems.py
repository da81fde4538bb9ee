"""Coordinate systems: which ones are none, and in which ones straight lines on the map are distances."""

import sqlite3

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import planar
from test_facility import make_raster

X, Y = [3.0, 31.0, 12.0], [4.0, 8.0, 27.0]
GRID = ["--extent", "0,0,40,30", "--size", "40,30"]


def columns(x, y):
    """Cell centers of GRID."""
    return np.meshgrid(np.arange(40) + 0.5, 29.5 - np.arange(30))


def plain_points(work, name, code):
    """A GeoPackage that says with its srs_id that it has no coordinate system, as GDAL, QGIS and others write them."""
    work.points(name, "GPKG", X, Y, epsg='LOCAL_CS["Undefined Cartesian SRS"]')
    database = sqlite3.connect(work.path(name))
    for table in "gpkg_contents", "gpkg_geometry_columns":
        database.execute(f"UPDATE {table} SET srs_id = {code}")
    database.commit()
    database.close()
    return name


@pytest.mark.parametrize("code", [0, -1])
def test_undefined_is_none(work, code):
    """A GeoPackage's "Undefined geographic SRS" was taken for longitudes and latitudes: 2,542 km for 31 units."""
    plain_points(work, "s.gpkg", code)
    work.ok("--seeds", "s.gpkg", *GRID, "--distance", "d.tif", "out.tif")
    x, y = columns(X, Y)
    numbers = planar("euclidean", x, y, X, Y)
    assert np.array_equal(work.read("out.tif"), numbers + 1)
    assert np.allclose(
        work.read("d.tif"), np.hypot(x - np.take(X, numbers), y - np.take(Y, numbers)), rtol=1e-6
    )
    assert work.open("out.tif").GetSpatialRef() is None
    work.fails(
        "--seeds",
        "s.gpkg",
        *GRID,
        "--metric",
        "geodesic",
        "no.tif",
        has=["coordinate system", "--seeds-crs"],
    )
    work.fails(
        "--seeds",
        "s.gpkg",
        *GRID,
        "--crs",
        "EPSG:3035",
        "no.tif",
        has=["missing coordinate system", "--seeds-crs"],
    )
    work.ok("--seeds", "s.gpkg", "--seeds-crs", "EPSG:4326", "--size", "20,10", "globe.tif")


@pytest.mark.parametrize("code", [0, -1])
def test_search_takes_undefined_as_none(work, code):
    plain_points(work, "s.gpkg", code)
    work.ok("search", "--reference", "s.gpkg", "-k", "2", "near.csv")
    rows = np.genfromtxt(work.path("near.csv"), delimiter=",", names=True)
    expected = np.sort(
        [[np.hypot(a - c, b - d) for c, d in zip(X, Y)] for a, b in zip(X, Y)], axis=1
    )[:, 1:]
    assert np.allclose(rows["distance"].reshape(3, 2), expected, rtol=1e-15)


def test_own_polygons_are_a_mask(work):
    """What --polygons writes of a grid without a coordinate system is in none, and in none it masks."""
    work.csv("s.csv", X, Y, header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        *GRID,
        "--max-distance",
        9,
        "--polygons",
        "r.gpkg",
        "--stats",
        "t.gpkg",
        "out.tif",
    )
    database = sqlite3.connect(work.path("r.gpkg"))
    assert database.execute("SELECT srs_id FROM gpkg_geometry_columns").fetchall() == [(-1,)]
    database.close()
    for mask in "r.gpkg", "out.tif":
        work.ok("--seeds", "s.csv", *GRID, "--mask", mask, "--overwrite", "masked.tif")
        if mask == "r.gpkg":
            assert np.array_equal(work.read("masked.tif"), work.read("out.tif"))
    work.ok("--seeds", "t.gpkg", *GRID, "--max-distance", 9, "--id", "id", "again.tif")
    assert np.array_equal(work.read("again.tif"), work.read("out.tif"))


@pytest.mark.parametrize(
    "name",
    [
        "Undefined geographic SRS",
        "Undefined_geographic_SRS",
        "Undefined Cartesian SRS",
        "Undefined SRS",
    ],
)
def test_rasters_in_undefined_systems(work, name):
    """What GDAL made of such a GeoPackage carries the name on."""
    make_raster(work, "like.tif", np.ones((30, 40)), (0, 1, 0, 30, 0, -1), epsg=None)
    kind = (
        f'GEOGCS["{name}",DATUM["unknown",SPHEROID["unknown",6378137,298.257223563]],PRIMEM["Greenwich",0],'
        'UNIT["degree",0.0174532925199433]]'
        if "geographic" in name
        else f'LOCAL_CS["{name}",UNIT["Meter",1]]'
    )
    gdal.Translate(
        str(work.path("like.vrt")), str(work.path("like.tif")), outputSRS=kind, format="VRT"
    )
    assert name in work.open("like.vrt").GetSpatialRef().GetName()
    work.csv("s.csv", X, Y, header="x,y")
    work.ok("--seeds", "s.csv", "--like", "like.vrt", "--mask", "like.vrt", "out.tif")
    assert np.array_equal(work.read("out.tif"), planar("euclidean", *columns(X, Y), X, Y) + 1)
    assert work.open("out.tif").GetSpatialRef() is None


def test_local_systems_stay(work):
    """A site's own system is one, though it is not tied to the globe."""
    site = 'LOCAL_CS["site grid",UNIT["metre",1]]'
    work.points("s.gpkg", "GPKG", X, Y, epsg=site)
    work.ok("--seeds", "s.gpkg", *GRID, "--polygons", "r.gpkg", "out.tif")
    assert work.open("out.tif").GetSpatialRef().GetName() == "site grid"
    source = ogr.Open(str(work.path("r.gpkg")))
    assert source.GetLayer(0).GetSpatialRef().GetName() == "site grid"


# ------------------------------------------------------------------------------- systems in which nothing can be measured


UNFIT = [
    "EPSG:3857",
    "EPSG:3395",
    "EPSG:4087",
    "EPSG:32662",
    "EPSG:6933",
    "ESRI:54003",
    "EPSG:3857+5773",
    "+proj=merc +lon_0=10",
    "+proj=eqc",
    "+proj=mill",
    "+proj=patterson",
]
FIT = [
    "EPSG:3035",
    "EPSG:32633",
    "EPSG:2056",
    "EPSG:3001",
    "EPSG:3994",
    "ESRI:54009",
    "+proj=eqc +lat_ts=47",
    "+proj=merc +k=0.99",
    'LOCAL_CS["site",UNIT["metre",1]]',
]
PLACES = [5.0, 14.0, 9.0, 11.5], [44.0, 46.5, 59.0, 51.0]


@pytest.mark.parametrize("code", UNFIT + FIT)
def test_where_distances_are_geodesics(work, code):
    """Straight lines on a map of the whole world stretch towards the poles: 360 of 597 neighbors were others."""
    local = code.startswith("LOCAL")
    work.csv("s.csv", *PLACES, header="x,y" if local else "lon,lat")
    crs_options = ["--seeds-crs" if local else "--crs", code, "--size", "20,15"]
    if not local:
        crs_options += ["--extent", "0,0,400000,300000"]
    default = work.ok("--seeds", "s.csv", *crs_options, "out.tif")
    assert "metric" not in default.stderr
    metric = work.open("out.tif").GetMetadataItem("GPUVORONOI_METRIC")
    assert metric == ("geodesic" if code in UNFIT else "euclidean")
    asked = work.ok("--seeds", "s.csv", *crs_options, "--metric", "euclidean", "asked.tif")
    if code in UNFIT:
        assert (
            "gpuvoronoi: warning: --metric euclidean: distances on the map of" in asked.stderr
            and "geodesic" in asked.stderr
        )
    else:
        assert "metric" not in asked.stderr
    quiet = work.ok(
        "--seeds", "s.csv", *crs_options, "--metric", "manhattan", "--quiet", "quiet.tif"
    )
    assert quiet.stderr == ""


def test_ellipsoids_with_a_longer_polar_axis(work):
    """They are refused: no sphere or ellipsoid takes their place."""
    prolate = 'GEOGCS["x",DATUM["x",SPHEROID["x",6378137,0.5]],PRIMEM["x",0],UNIT["degree",0.0174532925199433]]'
    work.csv("s.csv", *PLACES)
    has = "unsupported ellipsoid (inverse flattening 0.5)"
    work.fails("--seeds", "s.csv", "--seeds-crs", prolate, "--size", "8,4", "o.tif", has=has)


LOCAL = 'ENGCRS["{name}",EDATUM["{datum}"],CS[Cartesian,2],AXIS["{x}",east,ORDER[1],LENGTHUNIT["metre",{unit}]],AXIS["{y}",north,ORDER[2],LENGTHUNIT["metre",{unit}]]]'


def local(name="Site grid", datum="Site", x="x", y="y", unit=1):
    return LOCAL.format(name=name, datum=datum, x=x, y=y, unit=unit)


@pytest.mark.parametrize("form", ["tif", "nc"])
def test_own_output_in_a_local_system(work, form):
    """Formats keep a local system's name, unit and directions; GeoTIFF neither its datum nor its axes' names."""
    work.points("s.gpkg", "GPKG", X, Y, epsg=local())
    grid = ["--seeds", "s.gpkg", "--extent=0,0,40,30", "--size", "40,30"]
    work.ok(*grid, "a.tif")
    name = f"a.{form}"
    if form != "tif":
        gdal.Translate(str(work.path(name)), str(work.path("a.tif")), format="netCDF")
        if gdal.Open(str(work.path(name))).GetSpatialRef() is None:
            pytest.skip("this GDAL writes no local systems to NetCDF")
    for arguments in (
        ["--like", name],
        [*grid[2:], "--mask", name],
        [*grid[2:], "--stats", "t.csv", "--sum", f"p={name}"],
        ["--extent-of", name, "--res", "1"],
    ):
        work.ok("--seeds", "s.gpkg", *arguments, "--overwrite", "b.tif")
        assert np.array_equal(work.read("b.tif"), work.read("a.tif")), arguments
    work.ok(
        "search", "--reference-raster", name, "--queries", "s.gpkg", "--distances", "d.npy", "i.npy"
    )
    assert np.load(work.path("d.npy")).max() < 1.0


@pytest.mark.parametrize("other", [local(name="Other grid"), local(unit=0.3048)])
def test_other_local_systems_stay_apart(work, other):
    work.points("s.gpkg", "GPKG", X, Y, epsg=local())
    work.points("m.gpkg", "GPKG", X, Y, epsg=other)
    work.ok("--seeds", "m.gpkg", *GRID, "m.tif")
    line = work.fails("--seeds", "s.gpkg", *GRID, "--mask", "m.tif", "out.tif")
    assert line.startswith("gpuvoronoi: error: --mask: PROJ: missing operation from ")
