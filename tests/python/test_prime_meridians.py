"""Systems with grads or another prime meridian: the same results as in degrees from Greenwich, and as those of the command."""

import csv
import subprocess

import numpy as np
import pytest
from conftest import command

import gpuvoronoi

pytest.importorskip("pyproj")
xarray = pytest.importorskip("xarray")
FERRO, PARIS = "EPSG:4805", "EPSG:4807"
EAST = -17.66666666666667
LON, LAT = np.array([12.5, -60.25, 151.0, 30.0, -120.5]), np.array([48.0, -15.5, -33.0, 4.25, 61.0])


def of_command(tmp_path, x, y, *options):
    """The lowest numbers of the nearest seeds, in the order of the cells, by the command."""
    seeds = tmp_path / "seeds.csv"
    seeds.write_text("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(x.tolist(), y.tolist())))
    subprocess.run(
        [
            command(),
            "--quiet",
            "--seeds",
            str(seeds),
            *options,
            "--cells",
            str(tmp_path / "cells.csv"),
        ],
        check=True,
    )
    with open(tmp_path / "cells.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return (
        np.array([float(row["distance"]) for row in rows]),
        np.array([[float(row["lon"]), float(row["lat"])] for row in rows]),
    )


@pytest.mark.parametrize("cells", ["healpix:2", "healpix:1,ring,authalic", "s2:2"])
def test_cells_of_grid_systems_are_counted_from_greenwich(cells, tmp_path):
    given = {"cells": cells, "variables": ("allocation", "proximity"), "dtype": np.float64}
    ferro = gpuvoronoi.voronoi((LON - EAST, LAT), crs=FERRO, **given)
    assert (
        ferro.spatial_ref.attrs["longitude_of_prime_meridian"] == 0.0
        and ferro.spatial_ref.attrs["geographic_crs_name"] == "MGI"
    )
    plain = gpuvoronoi.voronoi((LON, LAT), crs="+proj=longlat +ellps=bessel +type=crs", **given)
    assert np.array_equal(ferro.allocation, plain.allocation)
    assert np.allclose(ferro.proximity, plain.proximity, rtol=0, atol=1e-6)
    by_command, _ = of_command(tmp_path, LON - EAST, LAT, "--seeds-crs", FERRO, "--cells-of", cells)
    assert np.allclose(ferro.proximity, by_command, rtol=1e-14, atol=0)  # 15 digits


def test_triangles_are_counted_from_greenwich():
    plain = gpuvoronoi.proximity(
        (LON, LAT), level=3, crs="+proj=longlat +ellps=bessel +type=crs", dtype=np.float64
    )
    ferro = gpuvoronoi.proximity((LON - EAST, LAT), level=3, crs=FERRO, dtype=np.float64)
    assert np.allclose(plain, ferro, rtol=0, atol=1e-6)
    raster = {"shape": (16, 32), "level": 2, "dtype": np.float64}
    whole = gpuvoronoi.proximity(
        (LON, LAT),
        crs="+proj=longlat +ellps=bessel +type=crs",
        extent=(-180, -90, 180, 90),
        **raster,
    )
    turned = gpuvoronoi.proximity(
        (LON - EAST, LAT), crs=FERRO, extent=(-180 - EAST, -90, 180 - EAST, 90), **raster
    )
    assert np.allclose(whole, turned, rtol=0, atol=1e-6)


def test_places_of_a_default_system_are_counted_from_greenwich():
    geopandas = pytest.importorskip("geopandas")
    places = np.array([0.0, 90.0]), np.array([10.0, 20.0])
    seeds = geopandas.GeoSeries(geopandas.points_from_xy(LON - EAST, LAT), crs=FERRO)
    plain = gpuvoronoi.proximity(
        (LON, LAT), cells=places, crs="+proj=longlat +ellps=bessel +type=crs", dtype=np.float64
    )
    assert np.allclose(
        gpuvoronoi.proximity(seeds, cells=places, dtype=np.float64), plain, rtol=0, atol=1e-6
    )
    given = gpuvoronoi.proximity(
        seeds, cells=(places[0] - EAST, places[1]), crs=FERRO, dtype=np.float64
    )
    assert np.allclose(given, plain, rtol=0, atol=1e-6)


def test_rasters_in_grads(tmp_path):
    found = gpuvoronoi.voronoi((LON / 0.9, LAT / 0.9), shape=(10, 20), crs=PARIS, dtype=np.float64)
    plain = gpuvoronoi.voronoi(
        (LON, LAT), shape=(10, 20), crs="+proj=longlat +ellps=clrk80ign +type=crs", dtype=np.float64
    )
    assert np.array_equal(found.allocation, plain.allocation)
    assert np.allclose(found.proximity, plain.proximity, rtol=0, atol=1e-6)
    assert (
        found.x.values[0] == -190.0
        and found.x.attrs["units"] == "grad"
        and found.x.attrs["standard_name"] == "longitude"
    )
    by_command, places = of_command(
        tmp_path, LON / 0.9, LAT / 0.9, "--seeds-crs", PARIS, "--cells-of", "healpix:1"
    )
    cells = gpuvoronoi.proximity(
        (LON / 0.9, LAT / 0.9), crs=PARIS, cells="healpix:1", dtype=np.float64
    )
    assert np.allclose(cells, by_command, rtol=1e-14, atol=0)
    own = gpuvoronoi.proximity(
        (LON / 0.9, LAT / 0.9),
        crs=PARIS,
        cells=tuple((places / 0.9).T - [[2.5969213], [0.0]]),
        dtype=np.float64,
    )
    assert np.allclose(own, cells, rtol=0, atol=1e-6)


def test_raster_seeds_in_grads():
    cells = np.zeros((18, 36), np.uint8)
    cells[3, 5], cells[12, 30], cells[9, 9] = 1, 2, 3
    grads = gpuvoronoi.proximity(
        cells, target_values=[1, 2, 3], extent=(-200, -100, 200, 100), crs=PARIS, dtype=np.float64
    )
    degrees = gpuvoronoi.proximity(
        cells,
        target_values=[1, 2, 3],
        extent=(-180, -90, 180, 90),
        crs="+proj=longlat +ellps=clrk80ign +type=crs",
        dtype=np.float64,
    )
    assert np.allclose(grads, degrees, rtol=0, atol=1e-6)


def test_tables_in_grads():
    geopandas = pytest.importorskip("geopandas")

    def of(crs, unit):
        return geopandas.GeoDataFrame(
            {"n": range(5)}, geometry=geopandas.points_from_xy(LON / unit, LAT / unit), crs=crs
        )

    grads, degrees = of(PARIS, 0.9), of("+proj=longlat +ellps=clrk80ign +pm=paris +type=crs", 1.0)
    found, expected = (
        gpuvoronoi.sjoin_nearest(one, one, exclusive=True, distance_col="d")
        for one in (grads, degrees)
    )
    assert found["n_right"].tolist() == expected["n_right"].tolist() and np.allclose(
        found.d, expected.d, rtol=0, atol=1e-6
    )
    cells, plain = (
        gpuvoronoi.diagram(grads, tolerance=1e5),
        gpuvoronoi.diagram(degrees, tolerance=1e5),
    )
    assert (
        cells.crs == PARIS
        and np.allclose(cells.total_bounds, [-200, -100, 200, 100])
        and np.allclose(cells.area_km2, plain.area_km2)
    )
    with pytest.raises(ValueError, match="not in longitude and latitude in degrees"):
        gpuvoronoi.FeatureTree(grads)
    rows = gpuvoronoi.statistics(grads, shape=(10, 20))
    whole = gpuvoronoi.statistics(degrees, shape=(10, 20))
    assert np.allclose(rows.centroid_x * 0.9, whole.centroid_x) and np.allclose(
        rows.area_km2, whole.area_km2
    )


def test_seeds_of_another_meridian_need_a_system_of_the_grid():
    geopandas = pytest.importorskip("geopandas")
    seeds = geopandas.GeoSeries(geopandas.points_from_xy(LON, LAT), crs=FERRO)
    like = xarray.DataArray(
        np.zeros((2, 2)), dims=("lat", "lon"), coords={"lat": [1.0, 0.0], "lon": [0.0, 1.0]}
    )
    with pytest.raises(ValueError, match="the grid has no coordinate system: give crs"):
        gpuvoronoi.proximity(seeds, like=like, metric="geodesic")


@pytest.mark.parametrize(
    "crs,name",
    [
        (None, "WGS84"),
        ("EPSG:4258", "GRS80"),
        (FERRO, "bessel"),
        ("+proj=longlat +R=6371000 +type=crs", "sphere"),
    ],
)
def test_authalic_cells_name_their_ellipsoid(crs, name):
    found = gpuvoronoi.voronoi(
        (LON, LAT), crs=crs, cells="healpix:1,authalic", variables=("allocation",)
    )
    assert found.cell_ids.attrs["ellipsoid"] == name
    plain = gpuvoronoi.voronoi((LON, LAT), crs=crs, cells="healpix:1", variables=("allocation",))
    assert "ellipsoid" not in plain.cell_ids.attrs
    source = xarray.DataArray(
        np.arange(5), dims="station", coords={"lon": ("station", LON), "lat": ("station", LAT)}
    )
    assert gpuvoronoi.regrid(source, "healpix:1,authalic").cell_ids.attrs["ellipsoid"] == "WGS84"
