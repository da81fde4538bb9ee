"""to_zarr: the convention's attributes, both versions of Zarr, what xarray and xdggs read."""

import json

import numpy as np
import pytest
from conftest import globe

import gpuvoronoi

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
VERSIONS = [2, 3] if int(zarr.__version__.split(".")[0]) >= 3 else [2]


def found(cells, **options):
    return gpuvoronoi.voronoi(globe(np.random.default_rng(5), 40), cells=cells, **options)


def attributes(path, version):
    if version == 2:
        return json.loads((path / ".zattrs").read_text())
    return json.loads((path / "zarr.json").read_text())["attributes"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("cells", ["healpix:3", "healpix:3,ring", "healpix:3,authalic", "s2:3"])
def test_what_is_written(tmp_path, version, cells):
    made = found(cells)
    gpuvoronoi.to_zarr(made, tmp_path / "a.zarr", zarr_format=version)
    group = attributes(tmp_path / "a.zarr", version)
    assert [one["name"] for one in group["zarr_conventions"]] == ["dggs"]
    name, _, rest = cells.partition(":")
    grid = group["dggs"]
    assert (grid["name"], grid["refinement_level"]) == (name, 3)
    assert (grid["spatial_dimension"], grid["coordinate"]) == ("cells", "cell_ids")
    assert grid["compression"] == "none"
    assert grid.get("indexing_scheme") == (
        None if name == "s2" else "ring" if "ring" in rest else "nested"
    )
    ellipsoid = {"name": "WGS84", "semimajor_axis": 6378137, "inverse_flattening": 298.257223563}
    assert grid.get("ellipsoid") == (ellipsoid if "authalic" in rest else None)
    with xarray.open_zarr(tmp_path / "a.zarr") as opened:
        assert np.array_equal(opened.cell_ids, made.cell_ids)
        assert np.array_equal(opened.proximity, made.proximity)
        assert opened.proximity.encoding["chunks"] == (made.cell_ids.size,)
    with pytest.raises(Exception, match="a.zarr|exist|contains"):
        gpuvoronoi.to_zarr(made, tmp_path / "a.zarr", zarr_format=version)
    gpuvoronoi.to_zarr(made[["proximity"]], tmp_path / "a.zarr", zarr_format=version, mode="w")
    with xarray.open_zarr(tmp_path / "a.zarr") as opened:
        assert set(opened.data_vars) == {"proximity"}


def test_chunks_are_those_of_a_parent(tmp_path):
    gpuvoronoi.to_zarr(found("healpix:7"), tmp_path / "a.zarr", zarr_format=VERSIONS[-1])
    with xarray.open_zarr(tmp_path / "a.zarr") as opened:
        assert opened.proximity.encoding["chunks"] == (4**8,)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("cells", ["healpix:3", "healpix:3,authalic"])
def test_xdggs_decodes(tmp_path, version, cells):
    xdggs = pytest.importorskip("xdggs")
    if not hasattr(xdggs, "conventions"):
        pytest.skip("this xdggs has no conventions")
    made = found(cells)
    gpuvoronoi.to_zarr(made, tmp_path / "a.zarr", zarr_format=version)
    with xarray.open_zarr(tmp_path / "a.zarr") as opened:
        decoded = xdggs.decode(opened, convention="zarr", name="cell_ids")
        assert decoded.dggs.grid_info.level == 3
        centers = decoded.dggs.cell_centers()
        lon, lat = gpuvoronoi._pairing.centers(cells)
        assert np.allclose(centers.latitude, lat, atol=1e-6)
        assert np.allclose((centers.longitude - lon + 180) % 360, 180, atol=1e-6)


def test_errors(tmp_path):
    if VERSIONS == [2]:
        with pytest.raises(ImportError, match="needs zarr 3"):
            gpuvoronoi.to_zarr(found("healpix:0"), tmp_path / "a.zarr")
    with pytest.raises(ValueError, match="no coordinate cell_ids"):
        gpuvoronoi.to_zarr(
            gpuvoronoi.voronoi(([0.0], [0.0]), shape=(2, 4)), tmp_path / "a.zarr", zarr_format=2
        )
