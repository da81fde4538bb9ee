"""Types of ids (--ot) and formats that hold only some of them; names of variables. GDAL reads what was written."""

import numpy as np
import pytest
from osgeo import gdal

from conftest import globe

LON, LAT = globe(200, seed=7)
GRID = ["--metric", "great-circle", "--size", "700,350"]
RANGES = {
    "Byte": (0, 255),
    "Int16": (-(2**15), 2**15 - 1),
    "UInt16": (0, 2**16 - 1),
    "Int32": (-(2**31), 2**31 - 1),
    "UInt32": (0, 2**32 - 1),
    "Int64": (-(2**63), 2**63 - 1),
}


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, code=range(1, 201))
    work.ok("--seeds", "s.csv", *GRID, "expected.tif", "--no-style")
    return work


def nodata_of(band, kind):
    return band.GetNoDataValueAsInt64() if kind == "Int64" else band.GetNoDataValue()


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["--k", "3"],
        ["--co", "TILED=NO"],
        ["--co", "COMPRESS=NONE"],
        ["--of", "COG"],
        ["--stats", "t.csv", "--distance", "d.tif"],
    ],
)
def test_values_are_those_of_int32(seeds, kind, extra):
    far = ["--max-distance", "900km"]
    seeds.ok("--seeds", "s.csv", *GRID, *far, *extra, "plain.tif")
    seeds.ok("--seeds", "s.csv", *GRID, *far, *extra, "--overwrite", "--ot", kind, "out.tif")
    plain, out = seeds.read("plain.tif"), seeds.open("out.tif")
    band = out.GetRasterBand(1)
    assert gdal.GetDataTypeName(band.DataType) == kind
    nodata = {"Byte": 255, "UInt16": 65535, "UInt32": 2**32 - 1}.get(kind, -1)
    assert nodata_of(band, kind) == nodata
    values = out.ReadAsArray().astype(object)
    assert np.array_equal(np.where(values == nodata, -1, values), plain)
    assert (plain == -1).any()


@pytest.mark.parametrize("kind", RANGES)
def test_ends_of_a_type(work, kind):
    least, most = RANGES[kind]
    work.csv("s.csv", [1, 2, 3], [1, 1, 1], header="x,y", code=[least, most, 7])
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "code",
        "--extent",
        "0,0,4,2",
        "--size",
        "8,4",
        "--ot",
        kind,
        "--nodata",
        "5",
        "--polygons",
        "p.gpkg",
        "out.tif",
    )
    out = work.open("out.tif")
    assert set(out.GetRasterBand(1).ReadAsArray().flatten().tolist()) == {least, most, 7}
    polygons = gdal.OpenEx(str(work.path("p.gpkg")))
    assert sorted(f.GetField("id") for f in polygons.GetLayer(0)) == sorted([least, most, 7])
    beyond = [("s.csv", value) for value in (least - 1, most + 1) if -(2**63) <= value < 2**63]
    for name, value in beyond:
        work.csv(name, [1, 2], [1, 1], header="x,y", code=[1, value])
        work.fails(
            "--seeds",
            name,
            "--id",
            "code",
            "--size",
            "8,4",
            "--ot",
            kind,
            "no.tif",
            has=[f"--ot {kind}", str(value), str(least), str(most)],
        )


def test_nodata_of_a_type(work):
    work.csv("s.csv", [1, 2], [1, 1], header="x,y", code=[255, 7])
    grid = ["--seeds", "s.csv", "--id", "code", "--size", "8,4", "--ot", "Byte"]
    work.ok(*grid, "out.tif")
    assert work.open("out.tif").GetRasterBand(1).GetNoDataValue() == 0
    work.fails(*grid, "--nodata", "-1", "no.tif", has=["--nodata", "-1", "Byte"])
    work.fails(*grid, "--nodata", "256", "no.tif", has=["--nodata", "256", "Byte"])
    work.fails(*grid, "--nodata", "7", "no.tif", has="id of a seed")
    work.csv("s.csv", [1, 2], [1, 1], header="x,y", code=[255, 0])
    work.fails(*grid, "no.tif", has=["255", "0", "--nodata"])
    work.fails(
        "--seeds",
        "s.csv",
        "--ot",
        "Float32",
        "no.tif",
        status=2,
        has=["--ot", "Float32", "--attribute"],
    )
    work.fails(
        "--seeds",
        "s.csv",
        "--ot",
        "CFloat32",
        "no.tif",
        status=2,
        has=["--ot", "CFloat32", "UInt16"],
    )


@pytest.mark.parametrize(
    "name,driver,kind,options",
    [
        ("out.png", "PNG", "Byte", []),
        ("out.png", "PNG", "UInt16", []),
        ("out.jp2", "JP2OpenJPEG", "UInt16", []),
        ("out.jp2", "JP2OpenJPEG", "Byte", []),
        ("out.gpkg", "GPKG", "UInt16", []),
        ("out.gpkg", "GPKG", "Byte", []),
        ("out.img", "HFA", "Byte", []),
        ("out.nc", "netCDF", "UInt16", []),
        ("out.nc", "netCDF", "Int64", []),
        ("out.nc", "netCDF", "Byte", []),
        ("out.nc", "netCDF", "UInt32", []),
        ("out.bin", "ENVI", "UInt32", []),
        ("out.rst", "RST", "Int16", []),
    ],
)
def test_formats_of_narrow_types(seeds, name, driver, kind, options):
    if gdal.GetDriverByName(driver) is None:
        pytest.skip(f"this GDAL has no {driver} driver")
    options = [f"--co={option}" for option in options]
    seeds.ok("--seeds", "s.csv", *GRID, "--of", driver, "--ot", kind, *options, name)
    out = seeds.open(name)
    assert np.array_equal(out.GetRasterBand(1).ReadAsArray(), seeds.read("expected.tif"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--of", "JPEG"],
        ["--co", "COMPRESS=JPEG"],
        ["--of", "JP2OpenJPEG", "--co", "QUALITY=10", "--co", "REVERSIBLE=NO"],
        ["--of", "GPKG", "--co", "TILE_FORMAT=JPEG"],
    ],
)
def test_no_id_is_changed_by_a_picture(seeds, arguments):
    if "JP2OpenJPEG" in arguments and gdal.GetDriverByName("JP2OpenJPEG") is None:
        pytest.skip("this GDAL has no JP2OpenJPEG driver")
    seeds.fails(
        "--seeds", "s.csv", *GRID, "--ot", "Byte", *arguments, "out.tif", has="changes values"
    )


def test_bands_are_no_colors(seeds):
    for k in 3, 4:
        seeds.ok("--seeds", "s.csv", *GRID, "--ot", "Byte", "--k", k, "--overwrite", "out.tif")
        out = seeds.open("out.tif")
        kinds = [out.GetRasterBand(b + 1).GetColorInterpretation() for b in range(k)]
        assert kinds == [gdal.GCI_GrayIndex] + [gdal.GCI_Undefined] * (k - 1)


def arrays(path):
    group = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    return {name: group.OpenMDArray(name) for name in group.GetMDArrayNames()}


@pytest.mark.parametrize("name", ["out.nc", "out.zarr"])
def test_names_of_variables(seeds, name):
    driver = "netCDF" if name == "out.nc" else "Zarr"
    if gdal.GetDriverByName(driver) is None:
        pytest.skip(f"this GDAL has no {driver} driver")
    distance, azimuth = "d" + name[3:], "a" + name[3:]
    seeds.ok(
        "--seeds",
        "s.csv",
        *GRID,
        "--of",
        driver,
        "--distance",
        distance,
        "--azimuth",
        azimuth,
        name,
    )
    for path, variable, unit in (
        (name, "nearest", ""),
        (distance, "distance", "metre"),
        (azimuth, "azimuth", "degree"),
    ):
        found = arrays(seeds.path(path))
        assert variable in found and len(found) == (4 if "crs" in found else 3), list(found)
        assert found[variable].GetUnit() == unit
        if driver == "netCDF":
            assert "the nearest seed" in found[variable].GetAttribute("long_name").Read()
    read = arrays(seeds.path(name))["nearest"]
    assert np.array_equal(
        read.ReadAsArray() if driver == "Zarr" else read.ReadAsArray()[::-1],
        seeds.read("expected.tif"),
    ) or np.array_equal(read.ReadAsArray(), seeds.read("expected.tif"))
    seeds.ok("--seeds", "s.csv", *GRID, "--of", driver, "--k", "2", "k" + name)
    names = {"netCDF": {"nearest_1", "nearest_2"}, "Zarr": {"nearest_band1", "nearest_band2"}}[
        driver
    ]
    assert names <= set(arrays(seeds.path("k" + name)))


def test_palettes(seeds):
    for name in "out.tif", "out.png":
        seeds.ok("--seeds", "s.csv", *GRID, "--ot", "Byte", name, "--overwrite")
        table, band = seeds.table("out.tif"), seeds.open(name).GetRasterBand(1)
        colors = band.GetColorTable()
        for value, *rgb in zip(
            table[gdal.GFU_MinMax], table[gdal.GFU_Red], table[gdal.GFU_Green], table[gdal.GFU_Blue]
        ):
            assert list(colors.GetColorEntry(value))[:3] == rgb
        assert np.array_equal(band.ReadAsArray(), seeds.read("expected.tif"))


def test_styles_of_people_stay(seeds):
    seeds.write("out.qml", "<qgis/>")
    seeds.ok("--seeds", "s.csv", *GRID, "out.tif")
    seeds.ok("--seeds", "s.csv", *GRID, "--overwrite", "out.tif")
    assert seeds.path("out.qml").read_text() == "<qgis/>"
    seeds.path("out.qml").unlink()
    seeds.ok("--seeds", "s.csv", *GRID, "--overwrite", "out.tif")
    assert "gpuvoronoi" in seeds.path("out.qml").read_text()
    seeds.path("out.tif").unlink()
    seeds.ok(
        "--seeds", "s.csv", "--where", "code = '3'", *GRID, "out.tif"
    )  # our table is useless without its raster
    assert seeds.path("out.qml").read_text().count("<paletteEntry") == 1
    seeds.ok("--seeds", "s.csv", *GRID, "--no-style", "other.tif")
    assert not seeds.path("other.qml").exists()
