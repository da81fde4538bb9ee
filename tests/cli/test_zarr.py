"""Zarr: cells and rasters in both versions, the attributes of conventions, and directories that are replaced."""

import json
import os
import shutil

import numpy as np
import pytest
from conftest import globe
from osgeo import gdal, osr
from test_cells_of import make_mask, variables

pytestmark = pytest.mark.skipif(gdal.GetDriverByName("Zarr") is None, reason="GDAL has no Zarr")
NEW = int(gdal.VersionInfo()) >= 3130000  # older ones write what zarr cannot read
VERSIONS = [pytest.param(3, marks=pytest.mark.skipif(not NEW, reason="Zarr 3 needs GDAL 3.13")), 2]
CELLS = ["--cells-of", "healpix:2", "--cells"]
GRID = ["--size", "36,18"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", *globe(30, seed=7), code=range(-1, 29), name=[f"n{i}" for i in range(30)])
    return work


def version_of(path):
    return 3 if (path / "zarr.json").exists() else 2


def attributes(path):
    """Of a group or an array."""
    if version_of(path) == 2:
        return json.loads((path / ".zattrs").read_text())
    return json.loads((path / "zarr.json").read_text())["attributes"]


def asked(version):
    return [] if version == (3 if NEW else 2) else ["--co", f"FORMAT=ZARR_V{version}"]


def opened(work, name):
    xarray = pytest.importorskip("xarray")
    zarr = pytest.importorskip("zarr")
    if version_of(work.path(name)) == 3 and zarr.__version__ < "3":
        pytest.skip("Zarr 3 needs zarr 3")
    return xarray.open_zarr(work.path(name))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["healpix:5,ring", "s2:2"])
def test_cells(seeds, name, version):
    """Holds what NetCDF holds."""
    mask, _ = make_mask(seeds, "polygons")
    run = ["--seeds", "s.csv", "--cells-of", name, "--mask", mask, "--attribute", "code", "-k", "2"]
    seeds.ok(*run, "--cells", "o.nc")
    seeds.ok(*run, *asked(version), "--cells", "o.zarr")
    assert version_of(seeds.path("o.zarr")) == version
    (netcdf, _, _), (zarr, found, _) = variables(seeds, "o.nc"), variables(seeds, "o.zarr")
    mapping = "healpix" if name.startswith("healpix") else "crs"
    assert set(zarr) == set(netcdf)
    for key, values in netcdf.items():
        same = np.array_equal(zarr[key], values, equal_nan=values.dtype.kind == "f")
        assert same and zarr[key].dtype == values.dtype
        if not key.startswith(("cell_ids", "lon", "lat")):
            assert found[key]["grid_mapping"] == mapping
            assert found[key]["coordinates"] == "cell_ids lat lon"
    assert found["cell_ids"]["grid_name"] == name.split(":")[0]
    assert found[mapping]["grid_mapping_name"] == (
        "healpix" if mapping == "healpix" else "latitude_longitude"
    )
    made = opened(seeds, "o.zarr")
    assert set(made.coords) == {"cell_ids", "lon", "lat"} and mapping in made.data_vars
    assert np.array_equal(made.distance, netcdf["distance"], equal_nan=True)
    assert made.cell_ids.dtype == netcdf["cell_ids"].dtype


@pytest.mark.parametrize("version", VERSIONS)
def test_missing_values(seeds, version):
    """xarray takes cells without a seed for missing, in both versions; ids of cells are none."""
    run = ["--seeds", "s.csv", *CELLS, "o.zarr", "--max-distance", "800km"]
    seeds.ok(*run, *asked(version))
    seed = variables(seeds, "o.zarr")[0]["seed"]
    assert 0 < (seed == -1).sum() < seed.size
    made = opened(seeds, "o.zarr")
    assert np.array_equal(np.isnan(made.seed), seed == -1)
    assert np.array_equal(made.seed.fillna(-1), seed) and made.cell_ids.dtype == np.int64


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["healpix:3", "healpix:3,ring", "healpix:3,authalic", "s2:2"])
def test_convention_of_grid_systems(seeds, name, version):
    seeds.ok("--seeds", "s.csv", "--cells-of", name, *asked(version), "--cells", "o.zarr")
    group = attributes(seeds.path("o.zarr"))
    assert [one["name"] for one in group["zarr_conventions"]] == ["dggs"]
    system, _, rest = name.partition(":")
    expected = {
        "name": system,
        "refinement_level": int(rest[0]),
        "spatial_dimension": "cells",
        "coordinate": "cell_ids",
        "compression": "none",
    }
    if system == "healpix":
        expected["indexing_scheme"] = "ring" if "ring" in rest else "nested"
    if "authalic" in rest:
        expected["ellipsoid"] = {
            "name": "WGS84",
            "semimajor_axis": 6378137,
            "inverse_flattening": 298.257223563,
        }
    assert group["dggs"] == expected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["healpix:3", "healpix:3,ring", "healpix:3,authalic"])
def test_xdggs(seeds, name, version):
    """By the convention of Zarr and by CF's."""
    xdggs = pytest.importorskip("xdggs")
    seeds.ok("--seeds", "s.csv", "--cells-of", name, *asked(version), "--cells", "o.zarr")
    made = opened(seeds, "o.zarr")
    for convention in "zarr", "cf":
        decoded = xdggs.decode(made, convention=convention, name="cell_ids")
        assert decoded.dggs.grid_info.level == 3
        if convention == "zarr":
            centers = decoded.dggs.cell_centers()
            assert np.allclose(centers.latitude, made.lat, atol=1e-6)
            assert np.allclose((centers.longitude - made.lon + 180) % 360, 180, atol=1e-6)


def test_chunks_of_parents(seeds):
    """A chunk has the cells of a parent eight levels up."""
    seeds.ok("--seeds", "s.csv", "--cells-of", "healpix:7", "--cells", "o.zarr")
    array = gdal.OpenEx(str(seeds.path("o.zarr")), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert array.OpenMDArray("seed").GetBlockSize() == [4**8]


def means_the_same(a, b):
    return a.IsSame(b, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:3035", "+proj=laea +lat_0=10"])
def test_conventions_of_rasters(seeds, system, version):
    """The place of the cells, and the coordinate system: a code, or a text that means it."""
    extent = "-30,20,60,65" if system == "EPSG:4326" else "2500000,1500000,6000000,4000000"
    grid = ["--crs", system, "--extent=" + extent, "--size", "50,40", "-k", "2"]
    run = ["--seeds", "s.csv", *grid, *asked(version), "--of", "Zarr", "--distance", "d.zarr"]
    seeds.ok(*run, "o.zarr")
    seeds.ok("--seeds", "s.csv", *grid, "o.tif")
    tif = seeds.open("o.tif")
    g = tif.GetGeoTransform()
    for array in "o.zarr/nearest_band1", "o.zarr/nearest_band2", "d.zarr/distance_band1":
        found = attributes(seeds.path(array))
        assert {one["uuid"] for one in found["zarr_conventions"]} == {
            "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
            "f17cb550-5864-4468-aeb7-f3180cfb622f",
        }
        assert found["spatial:dimensions"] == ["Y", "X"]
        assert found["spatial:transform"] == pytest.approx([g[1], 0, g[0], 0, g[5], g[3]])
        left, bottom, right, top = map(float, extent.split(","))
        assert found["spatial:bbox"] == pytest.approx([left, bottom, right, top])
        assert found["spatial:registration"] == "pixel"
        assert ("proj:code" in found) != ("proj:wkt2" in found)
        assert found.get("proj:code", system) == system
        if "proj:wkt2" in found:
            assert means_the_same(tif.GetSpatialRef(), osr.SpatialReference(found["proj:wkt2"]))
    read = gdal.Open(f'ZARR:"{seeds.path("o.zarr")}":/nearest_band2')
    assert read.GetGeoTransform() == pytest.approx(g)
    assert means_the_same(read.GetSpatialRef(), tif.GetSpatialRef())
    assert np.array_equal(read.ReadAsArray(), tif.GetRasterBand(2).ReadAsArray())


@pytest.mark.parametrize("version", VERSIONS)
def test_missing_cells_of_rasters(seeds, version):
    limit = ["--max-distance", "800km"]
    seeds.ok("--seeds", "s.csv", *GRID, *limit, "--of", "Zarr", *asked(version), "o.zarr")
    seeds.ok("--seeds", "s.csv", *GRID, *limit, "o.tif")
    nearest = seeds.read("o.tif")
    assert 0 < (nearest == -1).sum() < nearest.size
    assert np.array_equal(opened(seeds, "o.zarr").nearest.fillna(-1), nearest)


# ------------------------------------------------------------------------------------------------------- --overwrite


@pytest.mark.parametrize("version", VERSIONS)
def test_replaced(seeds, version):
    """As files are: with --overwrite only, as a whole, with the directory's mode."""
    old = seeds.path("o.zarr")
    seeds.ok("--seeds", "s.csv", *CELLS, "o.zarr", "-k", "2", *asked(version))
    os.chmod(old, 0o700)
    before = sorted(old.rglob("*"))
    seeds.fails("--seeds", "s.csv", *CELLS, "o.zarr", has=["o.zarr exists", "--overwrite"])
    assert sorted(old.rglob("*")) == before
    seeds.ok("--seeds", "s.csv", *CELLS, "o.zarr", "--overwrite")
    assert not (old / "seed_2").exists() and (old / "seed").exists()
    assert old.stat().st_mode & 0o777 == 0o700
    seeds.no_leftovers()
    # A raster in place of cells, cells in place of a raster.
    seeds.ok("--seeds", "s.csv", *GRID, "--of", "Zarr", *asked(version), "o.zarr", "--overwrite")
    assert (old / "nearest").exists() and not (old / "seed").exists()
    seeds.ok("--seeds", "s.csv", *CELLS, "o.zarr", "--overwrite")
    assert variables(seeds, "o.zarr")[0]["seed"].size == 12 * 4**2
    seeds.no_leftovers()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: (path / "notes.txt").write_text("mine"),
        lambda path: (path / "seed" / "notes.txt").write_text("mine"),
        lambda path: (path / "mine").symlink_to("/etc"),
        lambda path: (path / "seed" / "own").mkdir(),
        lambda path: [shutil.rmtree(path), path.mkdir()],
        lambda path: [shutil.rmtree(path), path.mkdir(), (path / "notes.txt").write_text("mine")],
        lambda path: [
            (path / name).write_text((path / name).read_text().replace("gpuvoronoi ", "others "))
            for name in (".zattrs", "zarr.json")
            if (path / name).exists()
        ],
    ],
    ids=["file", "file-in-array", "link", "directory", "empty", "other", "other-source"],
)
def test_directories_that_stay(seeds, spoil):
    path = seeds.path("o.zarr")
    seeds.ok("--seeds", "s.csv", *CELLS, "o.zarr")
    spoil(path)
    before = {p: p.is_file() and p.read_bytes() for p in path.rglob("*")}
    for run in [*CELLS, "o.zarr"], [*GRID, "--of", "Zarr", "o.zarr"]:
        seeds.fails(
            *["--seeds", "s.csv", "--overwrite", *run], has=["o.zarr is a directory", "delete it"]
        )
        assert {p: p.is_file() and p.read_bytes() for p in path.rglob("*")} == before
    seeds.no_leftovers()


def test_files_and_directories(seeds):
    """A file replaces no directory."""
    seeds.ok("--seeds", "s.csv", *CELLS, "o.zarr")
    seeds.fails(
        *["--seeds", "s.csv", *GRID, "--of", "GTiff", "--overwrite", "o.zarr"],
        has="o.zarr is a directory",
    )
    assert variables(seeds, "o.zarr")[0]["seed"].size == 12 * 4**2
    seeds.write("f.zarr", "text")
    seeds.fails("--seeds", "s.csv", *CELLS, "f.zarr", has=["f.zarr exists", "--overwrite"])
    seeds.ok("--seeds", "s.csv", *CELLS, "f.zarr", "--overwrite")
    assert seeds.path("f.zarr").is_dir() and os.access(seeds.path("f.zarr"), os.X_OK)


@pytest.mark.parametrize("how", ["{}", "./{}", 'ZARR:"{}":/nearest', "ZARR:{}:/nearest", "link"])
def test_inputs_stay(seeds, how):
    """Whatever name an input in the directory has."""
    seeds.ok("--seeds", "s.csv", *GRID, "--of", "Zarr", "o.zarr")
    seeds.path("link").symlink_to("o.zarr/nearest")
    before = sorted(seeds.path("o.zarr").rglob("*"))
    seeds.fails(
        *["--seeds-raster", how.format("o.zarr"), "--of", "Zarr", "--overwrite", "o.zarr"],
        has="an input, too",
    )
    assert sorted(seeds.path("o.zarr").rglob("*")) == before


# ----------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "arguments",
    [
        [*CELLS, "o.nc", "--co", "FORMAT=ZARR_V2"],
        [*CELLS, "o.zarr", "--co", "FORMAT=ZARR_V4"],
        [*CELLS, "o.zarr", "--co", "COMPRESS=ZSTD"],
        [*CELLS, "o.csv", "--co", "SEPARATOR=TAB"],
        [*GRID, "--of", "Zarr", "o.zarr", "--co", "FORMAT=ZARR_V4"],
    ],
)
def test_creation_options(seeds, arguments):
    status = 2 if "--cells" in arguments else 1
    seeds.fails("--seeds", "s.csv", *arguments, status=status, has=["--co", "ZARR_V2"])


@pytest.mark.skipif(NEW, reason="this GDAL writes Zarr 3")
def test_drafts_of_version_3(seeds):
    asks = ["--seeds", "s.csv", "--co", "FORMAT=ZARR_V3"]
    seeds.fails(*asks, *CELLS, "o.zarr", status=2, has=["--co", "GDAL 3.13"])
    seeds.fails(*asks, *GRID, "--of", "Zarr", "o.zarr", has=["--co", "GDAL 3.13"])
