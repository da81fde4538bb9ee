"""Inputs that declare no coordinate system: units of CF conventions declare degrees, coordinates that may be degrees are warned of, and masks and
sums are taken where templates are."""

import json

import numpy as np
import pytest
from osgeo import gdal, ogr


# West, north, cell: a patch of the North Sea in longitudes and latitudes.
PATCH = (2.0, 56.0, 0.25)


def netcdf(work, name, units=("degrees_east", "degrees_north"), origin=PATCH, size=(16, 12)):
    """A CF file without a grid mapping; cells of the left column are 1, others 0."""
    values = np.zeros(size[::-1], np.int16)
    values[:, 0] = 1
    west, north, cell = origin
    group = (
        gdal.GetDriverByName("netCDF").CreateMultiDimensional(str(work.path(name))).GetRootGroup()
    )
    y = group.CreateDimension("lat", None, None, size[1])
    x = group.CreateDimension("lon", None, None, size[0])
    for dimension, first, step, unit in (
        (x, west + cell / 2, cell, units[0]),
        (y, north - cell / 2, -cell, units[1]),
    ):
        variable = group.CreateMDArray(
            dimension.GetName(), [dimension], gdal.ExtendedDataType.Create(gdal.GDT_Float64)
        )
        variable.Write(first + step * np.arange(dimension.GetSize()))
        variable.SetUnit(unit)
    group.CreateMDArray("cover", [y, x], gdal.ExtendedDataType.Create(gdal.GDT_Int16)).Write(values)
    return name


def grid_file(work, name="g.asc", origin=PATCH, size=(16, 12)):
    west, north, cell = origin
    rows = [" ".join(["1"] + ["0"] * (size[0] - 1))] * size[1]
    work.write(
        name,
        f"ncols {size[0]}\nnrows {size[1]}\nxllcorner {west}\nyllcorner {north - size[1] * cell}\ncellsize {cell}\nNODATA_value -9\n"
        + "\n".join(rows)
        + "\n",
    )
    return name


def summary(done):
    return [line for line in done.summary.splitlines() if line.startswith("gpuvoronoi: note: ")]


def warnings(done):
    """But for GDAL's of units that it does not know."""
    return [
        line
        for line in done.stderr.splitlines()
        if line.startswith("gpuvoronoi: warning: ") and not line.endswith(" dimension")
    ]


@pytest.mark.parametrize("units", [("degrees_east", "degrees_north"), ("degree_E", "degreesN")])
def test_cf_units_are_wgs_84(work, units):
    netcdf(work, "c.nc", units)
    done = work.ok("--seeds-raster", "c.nc", "--distance", "d.tif", "o.tif")
    assert summary(done) == [
        "gpuvoronoi: note: c.nc: missing coordinate system; WGS 84 is assumed, by its units degrees_east and degrees_north"
    ] and not warnings(done)
    assert "metric: geodesic" in done.summary
    # One cell east of the left column, at 55.875: a quarter of a degree of longitude on the ellipsoid.
    assert work.read("d.tif")[0, 1] == pytest.approx(15_643.0, rel=0.01)
    codes = [
        one["code"]
        for one in json.loads(
            work.run("--seeds-raster", "c.nc", "--json", "--overwrite", "o.tif").stdout
        )["warnings"]
    ]
    assert [code for code in codes if code != "gdal"] == ["crs-assumed"]
    assert work.run("--seeds-raster", "c.nc", "--quiet", "--overwrite", "o.tif").stderr == ""


def test_cf_file_in_every_place(work):
    """As a template, an extent, a mask, a sum and as points of a search, the file is in WGS 84."""
    netcdf(work, "c.nc")
    work.csv("s.csv", [2.1, 5.0], [55.0, 54.0])
    work.ok(
        "--seeds",
        "s.csv",
        "--like",
        "c.nc",
        "--mask",
        "c.nc",
        "--stats",
        "t.csv",
        "--sum",
        "p=c.nc",
        "o.tif",
    )
    assert gdal.Open(str(work.path("o.tif"))).GetSpatialRef().IsGeographic()
    assert np.count_nonzero(work.read("o.tif") == 1) == 12
    work.ok("--seeds", "s.csv", "--extent-of", "c.nc", "--res", "0.25", "--overwrite", "o.tif")
    assert work.read("o.tif").shape == (12, 16)
    work.ok(
        "search",
        "--reference-raster",
        "c.nc",
        "--queries",
        "s.csv",
        "--distances",
        "d.npy",
        "i.npy",
    )
    assert np.load(work.path("d.npy"))[0, 0] < 20_000
    # Another globe's system: the file goes there by an operation, as what declares WGS 84 does.
    work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        "EPSG:3035",
        "--extent-of",
        "c.nc",
        "--res",
        "20000",
        "--mask",
        "c.nc",
        "--overwrite",
        "o.tif",
    )


@pytest.mark.parametrize("units", [("degrees", "degrees"), ("m", "m"), ("degrees_east", "m")])
def test_other_units_declare_nothing(work, units):
    netcdf(work, "c.nc", units)
    done = work.ok("--seeds-raster", "c.nc", "o.tif")
    assert not summary(done) and "metric: euclidean" in done.summary and len(warnings(done)) == 1


def test_units_do_not_make_meters_degrees(work):
    """Longitudes and latitudes beside coordinates of a map."""
    netcdf(work, "c.nc", origin=(500_000.0, 6_000_000.0, 1000.0))
    done = work.ok("--seeds-raster", "c.nc", "o.tif")
    assert "metric: euclidean" in done.summary and not summary(done) and not warnings(done)


WORDS = "no coordinate system, but coordinates that may be degrees; distances are on the plane; for longitudes and latitudes, use "


def vector(work, name, driver, x, y):
    made = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
    layer = made.CreateLayer("entities" if driver == "DXF" else "seeds", None, ogr.wkbPoint)
    for px, py in zip(x, y):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT({px} {py})"))
        layer.CreateFeature(feature)
    layer = made = None
    return name


@pytest.mark.parametrize(
    "name,driver", [("s.shp", "ESRI Shapefile"), ("s.dxf", "DXF"), ("s.gpkg", "GPKG")]
)
def test_layers_that_may_be_in_degrees(work, name, driver):
    vector(work, name, driver, [13.4, 2.35], [52.5, 48.9])
    done = work.ok("--seeds", name, "o.tif")
    assert warnings(done) == [f"gpuvoronoi: warning: the seeds have {WORDS}--seeds-crs EPSG:4326"]
    assert (
        json.loads(work.run("--seeds", name, "--json", "--overwrite", "o.tif").stdout)["warnings"][
            0
        ]["code"]
        == "degrees-on-plane"
    )
    done = work.ok(
        "search",
        "--reference",
        name,
        "--layer",
        "entities" if driver == "DXF" else "seeds" if driver == "GPKG" else "s",
        "i.npy",
    )
    assert warnings(done) == [f"gpuvoronoi: warning: {name} has {WORDS}--reference-crs EPSG:4326"]
    mended = work.ok(
        "--seeds", name, "--seeds-crs", "EPSG:4326", "--res", "1", "--overwrite", "o.tif"
    )
    assert not warnings(mended) and "metric: geodesic" in mended.summary


def test_whole_degrees(work):
    assert (
        len(
            warnings(
                work.ok(
                    "--seeds",
                    vector(work, "s.shp", "ESRI Shapefile", [0.0, 11.0], [3.0, 7.0]),
                    "o.tif",
                )
            )
        )
        == 1
    )


def test_other_layers_are_not_warned_of(work):
    for i, (x, y) in enumerate(
        [
            ([500_000.0, 13.0], [52.0, 48.0]),
            ([13.0, 14.0], [96.0, 48.0]),
            ([0.0, 541.0], [1.0, 2.0]),
            ([0.0, 10.0], [3.0, 7.0]),
        ]
    ):
        assert not warnings(
            work.ok("--seeds", vector(work, f"s{i}.shp", "ESRI Shapefile", x, y), f"o{i}.tif")
        )
    # An undefined Cartesian system is a statement.
    work.points(
        "c.gpkg", "GPKG", [13.4, 2.35], [52.5, 48.9], epsg='LOCAL_CS["Undefined Cartesian SRS"]'
    )
    assert not warnings(work.ok("--seeds", "c.gpkg", "c.tif"))


def test_columns_by_name(work):
    work.csv("t.csv", [13.4, 2.35], [52.5, 48.9], header="long (°),breite")
    assert (
        len(warnings(work.ok("--seeds", "t.csv", "--x", "long (°)", "--y", "breite", "o.tif"))) == 1
    )
    work.csv("xy.csv", [13.4, 2.35], [52.5, 48.9], header="x,y")  # on the plane, as documented
    assert not warnings(work.ok("--seeds", "xy.csv", "--overwrite", "o.tif"))
    assert not warnings(
        work.ok("--seeds", "xy.csv", "--x", "x", "--y", "y", "--overwrite", "o.tif")
    )


def test_raster_of_seeds_without_a_system(work):
    assert len(warnings(work.ok("--seeds-raster", grid_file(work), "o.tif"))) == 1
    mended = work.ok("--seeds-raster", "g.asc", "--seeds-crs", "EPSG:4326", "--overwrite", "o.tif")
    assert not warnings(mended) and "metric: geodesic" in mended.summary


def test_masks_and_sums_are_taken_as_templates_are(work):
    grid_file(work)
    work.csv("s.csv", [2.1, 5.0], [55.0, 54.0])
    done = work.ok(
        "--seeds",
        "s.csv",
        "--like",
        "g.asc",
        "--mask",
        "g.asc",
        "--stats",
        "t.csv",
        "--sum",
        "p=g.asc",
        "o.tif",
    )
    assert summary(done) == [
        f"gpuvoronoi: note: {option}: g.asc: missing coordinate system; that of the grid is assumed: WGS 84 (EPSG:4326)"
        for option in ("--mask", "--sum")
    ]
    assert np.count_nonzero(work.read("o.tif") == 1) == 12


def test_what_is_not_in_the_grids_system_is_refused(work):
    """Meters are not degrees; and if the grid declares a system, masks must declare theirs."""
    work.csv("s.csv", [2.1, 5.0], [55.0, 54.0])
    grid_file(work, "m.asc", (500_000.0, 6_000_000.0, 1000.0))
    grid_file(work)
    advice = "; assign one in a copy: gdal_translate -a_srs, or ogr2ogr -a_srs for layers"
    for grid, name, system in (
        (["--like", "g.asc"], "m.asc", "WGS 84 (EPSG:4326)"),
        (["--res", "1"], "g.asc", "WGS 84 (EPSG:4326)"),
    ):
        line = work.fails(
            "--seeds", "s.csv", *grid, "--mask", name, "out.tif", has="missing coordinate system"
        )
        assert (
            line
            == f"gpuvoronoi: error: --mask: {name}: missing coordinate system; the grid is in {system}{advice}"
        )


def test_declared_mask_of_a_grid_without_a_system(work):
    work.csv("s.csv", [1.0, 5.0], [5.0, 4.0], header="x,y")
    work.raster("m.tif", (0, 1, 0, 10, 0, -1), (10, 10), 4326)
    line = work.fails("--seeds", "s.csv", "--mask", "m.tif", "out.tif")
    assert (
        line
        == "gpuvoronoi: error: --mask: m.tif is in WGS 84 (EPSG:4326), but the grid has no coordinate system; use --seeds-crs"
    )
