"""to_parquet: tables with the ids of cells, read back by pyarrow, GeoPandas and h3."""

import json
import resource

import numpy as np
import pytest
from conftest import globe

import gpuvoronoi

pytest.importorskip("xarray")


@pytest.mark.parametrize("cells", ["healpix:2,ring", "s2:2,authalic", "h3:1"])
def test_tables(random, tmp_path, cells):
    pq = pytest.importorskip("pyarrow.parquet")
    if cells.startswith("h3"):
        pytest.importorskip("h3")
    seeds = globe(random, 40)
    found = gpuvoronoi.voronoi(seeds, cells=cells, k=2, max_distance=3e6, dtype="float64")
    gpuvoronoi.to_parquet(found, tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet")
    assert (
        str(table.schema.field("cell_ids").type) == "uint64"
        and table["cell_ids"].to_numpy().tolist() == found.cell_ids.values.tolist()
    )
    assert json.loads(table.schema.metadata[b"dggs"])["grid_name"] == cells.split(":")[0]
    assert set(table.column_names) == {
        "cell_ids",
        *(f"{name}{end}" for name in found.data_vars for end in ("", "_2")),
    }
    for rank, end in enumerate(("", "_2")):
        seed, away = found.allocation.values[rank], found.proximity.values[rank]
        assert table["allocation" + end].null_count == np.sum(seed < 0) > 0
        assert np.array_equal(table["allocation" + end].to_pandas().fillna(-1), seed)
        assert (
            np.array_equal(table["proximity" + end].to_pandas(), away, equal_nan=True)
            and table["proximity" + end].null_count == np.isnan(away).sum()
        )


def test_geography(random, tmp_path):
    """GeoParquet 2.0: Parquet's own type, with the system and the edges of the metadata."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    if int(pyarrow.__version__.split(".")[0]) < 21:
        pytest.skip("this pyarrow does not write GEOGRAPHY")
    pytest.importorskip("pyproj")
    found = gpuvoronoi.voronoi(globe(random, 40), cells="healpix:2")
    gpuvoronoi.to_parquet(found, tmp_path / "t.parquet", geometry="healpix:2", geoparquet="2.0")
    file = parquet.ParquetFile(tmp_path / "t.parquet")
    assert "geometry (Geography(crs=, algorithm=spherical))" in str(file.schema)  # CRS84
    described = json.loads(file.schema_arrow.metadata[b"geo"])
    column = described["columns"]["geometry"]
    assert described["version"] == "2.0-dev" and column["edges"] == "spherical"
    assert "covering" not in column and "bbox" not in file.schema_arrow.names
    shapely = pytest.importorskip("shapely")
    at = shapely.from_wkb(file.read(["geometry"])["geometry"].to_numpy())
    lon, lat = gpuvoronoi._pairing.centers("healpix:2")
    assert np.array_equal(shapely.get_x(at), lon) and np.array_equal(shapely.get_y(at), lat)
    other = gpuvoronoi.voronoi(globe(random, 40), cells="healpix:2", crs="EPSG:4258")
    gpuvoronoi.to_parquet(other, tmp_path / "t.parquet", geometry="healpix:2", geoparquet="2.0")
    assert 'Geography(crs={"$schema"' in str(parquet.ParquetFile(tmp_path / "t.parquet").schema)


def test_geoparquet_versions(random, tmp_path):
    pytest.importorskip("pyarrow")
    found = gpuvoronoi.voronoi(globe(random, 4), cells="healpix:0")
    with pytest.raises(ValueError, match="geoparquet must be one of 1.1, 2.0"):
        gpuvoronoi.to_parquet(found, tmp_path / "t.parquet", geoparquet="3.0")


@pytest.mark.parametrize("cells", ["healpix:3", "healpix:2,ring,authalic", "s2:3", "h3:1"])
def test_geometries(random, tmp_path, cells):
    pytest.importorskip("pyarrow.parquet")
    geopandas = pytest.importorskip("geopandas")
    if cells.startswith("h3"):
        pytest.importorskip("h3")
    found = gpuvoronoi.voronoi(globe(random, 40), cells=cells).isel(cells=slice(None, None, -3))
    gpuvoronoi.to_parquet(found, tmp_path / "t.parquet", geometry=cells)
    table = geopandas.read_parquet(tmp_path / "t.parquet")
    assert table.crs.is_geographic and np.array_equal(table.cell_ids, found.cell_ids)
    assert np.array_equal(table.geometry.x, table.lon) and np.array_equal(
        table.geometry.y, table.lat
    )
    parquet = pytest.importorskip("pyarrow.parquet")
    described = json.loads(parquet.read_schema(tmp_path / "t.parquet").metadata[b"geo"])
    column = described["columns"]["geometry"]
    assert described["version"] == "1.1.0" and column["edges"] == "spherical"
    assert column["crs"]["type"] == "GeographicCRS" and len(column["bbox"]) == 4
    west = geopandas.read_parquet(tmp_path / "t.parquet", bbox=(-180, -90, 0, 0))
    assert len(west) == ((table.lon <= 0) & (table.lat <= 0)).sum() > 0
    seeds = gpuvoronoi.allocation(
        globe(np.random.default_rng(0), 5), cells=(table.lon.values, table.lat.values)
    )
    assert seeds.shape == table.lon.shape
    if cells == "healpix:3":
        healpy = pytest.importorskip("healpy")
        lon, lat = healpy.pix2ang(8, found.cell_ids.values, nest=True, lonlat=True)
        assert np.allclose((table.lon - lon + 180) % 360, 180, rtol=0, atol=1e-10) and np.allclose(
            table.lat, lat, rtol=0, atol=1e-10
        )
    elif cells == "h3:1":
        import h3

        places = np.array(
            [h3.cell_to_latlng(h3.int_to_str(int(cell))) for cell in found.cell_ids.values]
        )
        assert np.allclose(table[["lat", "lon"]], places, rtol=0, atol=1e-10)


def test_refusals(random, tmp_path):
    pytest.importorskip("pyarrow.parquet")
    found = gpuvoronoi.voronoi(globe(random, 10), cells="s2:2")
    with pytest.raises(ValueError, match="cell_ids"):
        gpuvoronoi.to_parquet(
            gpuvoronoi.voronoi(globe(random, 10), cells=globe(random, 20)), tmp_path / "t.parquet"
        )
    with pytest.raises(ValueError, match="other cells"):
        gpuvoronoi.to_parquet(found, tmp_path / "t.parquet", geometry="s2:3")
    with pytest.raises(ValueError, match="dimensions"):
        gpuvoronoi.to_parquet(found.expand_dims(time=2), tmp_path / "t.parquet")
    assert not (tmp_path / "t.parquet").exists()


def test_a_file_is_replaced_when_the_new_one_is_complete(random, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    found = gpuvoronoi.voronoi(globe(random, 40), cells="s2:3")
    path, link = tmp_path / "t.parquet", tmp_path / "link.parquet"
    path.write_bytes(b"precious")
    path.chmod(0o640)
    link.symlink_to(path.name)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(OSError):
            gpuvoronoi.to_parquet(found, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"precious"
    gpuvoronoi.to_parquet(found, link)
    assert link.is_symlink() and pq.read_table(path).num_rows == found.cell_ids.size
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.parquet", "t.parquet"]
    with pytest.raises(TypeError, match="not list"):
        gpuvoronoi.to_parquet([1], path)
