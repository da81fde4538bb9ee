"""Drivers that create: no file names a temporary directory, and ids are those requested. With GPUVORONOI_LONG=1 all of
them, else some that did."""

import json
import os

import numpy as np
import pytest
import test_zarr
from osgeo import gdal

from conftest import globe

LON, LAT = globe(40, seed=3)
GRID = ["--metric", "great-circle", "--extent", "-60,-40,60,80", "--size", "128,128"]
IDS = {
    "Byte": [(7 * i) % 255 for i in range(40)],
    "Int16": [(37 * i) % 32000 for i in range(40)],
    "UInt16": [(1637 * i) % 65535 for i in range(40)],
    "Int32": [1_400_000_007 + 18_000_000 * i for i in range(40)],
    "Int64": [10**15 + 7 * i for i in range(40)],
}

LONG = os.environ.get("GPUVORONOI_LONG") == "1"
SOME = {
    "DCAP_RASTER": {
        "HF2": "Int16",
        "PCIDSK": "UInt16",
        "HDF4Image": "Int32",
        "Rasterlite": "Int32",
        "ILWIS": "Int32",
        "GRIB": "Int32",
        "XYZ": "Int64",
        "netCDF": "Int64",
        "ENVI": "Byte",
        "GPKG": "Byte",
    },
    "DCAP_VECTOR": {"PCIDSK": None, "netCDF": None, "MapInfo File": None},
}


def drivers(role, kind=None):
    """With the first ending of each."""
    for i in range(gdal.GetDriverCount()):
        driver = gdal.GetDriver(i)
        if not LONG and SOME[role].get(driver.ShortName, "") != kind:
            continue
        items = driver.GetMetadata()
        if items.get(role) != "YES" or "YES" not in (
            items.get("DCAP_CREATE"),
            items.get("DCAP_CREATECOPY"),
        ):
            continue
        yield (
            driver.ShortName,
            [one for one in (items.get("DMD_EXTENSIONS") or "dat").split() if "." not in one],
        )


def tells_the_place(folder):
    return [
        str(file) for file in folder.rglob("*") if file.is_file() and b".tmp-" in file.read_bytes()
    ]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, **IDS, name=[f"n {i}" for i in range(40)])
    return work


@pytest.mark.parametrize("kind", IDS)
def test_rasters(seeds, kind):
    ids = ["--seeds", "s.csv", *GRID, "--id", kind, "--ot", kind]
    seeds.ok(*ids, "--no-style", "expected.tif")
    expected, made = seeds.read("expected.tif"), []
    for name, endings in drivers("DCAP_RASTER", kind):
        folder = seeds.path(f"{name}-{kind}")
        folder.mkdir()
        out = folder / f"o.{(endings or ['dat'])[0]}"
        done = seeds.run(*ids, "--of", name, out)
        assert done.returncode in (0, 1) and (done.returncode == 0) == (done.summary != ""), (
            name,
            done.stderr,
        )
        assert list(folder.glob(".*tmp-*")) == [] and tells_the_place(folder) == []
        if done.returncode == 1:
            assert list(folder.iterdir()) == [] and len(done.stderr.splitlines()) == 1, (
                name,
                done.stderr,
            )
            continue
        made.append(name)
        if name in ("XPM", "KMLSUPEROVERLAY"):  # of which GDAL reads colors
            continue
        values = seeds.open(out).GetRasterBand(1).ReadAsArray()
        assert np.array_equal(values.astype(expected.dtype), expected), name
    assert made or not LONG


@pytest.mark.parametrize("option", ["--stats", "--polygons", "search"])
def test_tables(seeds, option):
    made = set()
    ids = ["--seeds", "s.csv", *GRID, "--id", "Int16"]
    for name, endings in drivers("DCAP_VECTOR"):
        for ending in endings:
            folder = seeds.path(f"{name}-{ending}-{option}")
            folder.mkdir()
            out = folder / f"o.{ending}"
            done = seeds.run(
                *(
                    ["search", "--reference", "s.csv", "--keep", "name", out]
                    if option == "search"
                    else [*ids, option, out]
                )
            )
            assert done.returncode in (0, 1, 2), (ending, done.stderr)
            assert list(folder.glob(".*tmp-*")) == [] and tells_the_place(folder) == [], ending
            made |= {ending} if done.returncode == 0 else set()
    assert not LONG or {"gpkg", "csv", "geojson", "fgb", "shp", "gml", "sqlite"} <= made


def array(path, name):
    opened = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    found = opened.GetRootGroup().OpenMDArray(name)
    attributes = {one.GetName(): one.Read() for one in found.GetAttributes()}
    return attributes, found.GetUnit(), found.GetDataType().GetNumericDataType()


def consolidated(work, axis, number):
    """Attributes of an axis and of the ids in the metadata of the whole."""
    path = work.path("o.zarr")
    if test_zarr.version_of(path) == 2:
        kept = json.loads((path / ".zmetadata").read_text())["metadata"]
        return kept[f"{axis}/.zattrs"], kept[f"nearest{number}/.zattrs"]
    kept = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
    return kept[axis]["attributes"], kept[f"nearest{number}"]["attributes"]


@pytest.mark.parametrize(
    "kind,ending,k",
    [
        ("Int16", "nc", 1),
        ("Int32", "nc", 2),
        ("Int64", "nc", 1),
        ("Int16", "zarr", 2),
        ("Int32", "zarr", 1),
    ],
)
def test_variables(seeds, kind, ending, k):
    if gdal.GetDriverByName("netCDF" if ending == "nc" else "Zarr") is None:
        pytest.skip(f"GDAL writes no .{ending} here")
    seeds.ok(
        "--seeds",
        "s.csv",
        *GRID,
        "--id",
        kind,
        "--ot",
        kind,
        "-k",
        k,
        *(["--of", "Zarr"] if ending == "zarr" else []),
        "--distance",
        f"d.{ending}",
        "--azimuth",
        f"a.{ending}",
        f"o.{ending}",
    )
    number = "" if k == 1 else "_2" if ending == "nc" else "_band2"
    rank = "the nearest" if k == 1 else "the 2nd nearest"
    attributes, unit, _ = array(seeds.path(f"o.{ending}"), "nearest" + number)
    assert attributes["long_name"] == f"id of {rank} seed"
    if kind == "Int32" or (ending == "zarr" and kind == "Int16"):
        cells = (
            gdal.OpenEx(str(seeds.path(f"o.{ending}")), gdal.OF_MULTIDIM_RASTER)
            .GetRootGroup()
            .OpenMDArray("nearest" + number)
            .ReadAsArray()
        )
        values = np.unique(cells) if k == 1 else IDS[kind]  # those that have cells; of bands all
        assert sorted(attributes["flag_values"]) == sorted(values) and set(values) <= set(IDS[kind])
        meanings = dict(zip(attributes["flag_values"], attributes["flag_meanings"].split(" ")))
        assert meanings == {value: f"n_{i}" for i, value in enumerate(IDS[kind]) if value in values}
    else:
        assert "flag_values" not in attributes
    for name, what, wanted in ("d", "distance", "metre"), ("a", "azimuth", "degree"):
        attributes, unit, _ = array(seeds.path(f"{name}.{ending}"), what + number)
        assert attributes["long_name"] == f"{what} to {rank} seed" and unit == wanted
        assert "flag_values" not in attributes
    axes = ("lon", "lat") if ending == "nc" else ("X", "Y")
    for axis, name, wanted in zip(
        axes, ("longitude", "latitude"), ("degrees_east", "degrees_north")
    ):
        if ending == "nc":
            attributes, unit, _ = array(seeds.path("o.nc"), axis)
        else:  # GDAL makes other things of them
            root, (kept, of_nearest) = seeds.path("o.zarr"), consolidated(seeds, axis, number)
            attributes = test_zarr.attributes(root / axis)
            unit = attributes["units"]
            assert kept["standard_name"] == name and attributes["axis"] == axis
            assert of_nearest["long_name"] == f"id of {rank} seed"
        assert attributes["standard_name"] == name and unit == wanted


def test_flags_are_few_and_named(work):
    for count, named in (256, True), (257, False):
        work.csv(
            "s.csv",
            *globe(count, seed=1),
            name=["Wörth am Main" if i == 3 else "" if i == 4 else f"p{i}" for i in range(count)],
        )
        work.ok(
            "--seeds",
            "s.csv",
            "--metric",
            "great-circle",
            "--size",
            "720,360",
            "--overwrite",
            "o.nc",
        )
        attributes, _, kind = array(work.path("o.nc"), "nearest")
        assert ("flag_meanings" in attributes) == named
        if named:
            words = attributes["flag_meanings"].split(" ")
            assert len(words) == len(attributes["flag_values"]) == 256 and words[3:5] == [
                "W_rth_am_Main",
                "5",
            ]
    work.csv("s.csv", *globe(20, seed=1))
    work.ok("--seeds", "s.csv", *GRID, "--overwrite", "o.nc")
    assert "flag_values" not in array(work.path("o.nc"), "nearest")[0]
