"""cells=: HEALPix pixels and places of any shape ask. Oracles: healpy's centres, a tree of scipy, PROJ's geodesics."""

import numpy as np
import pytest
from conftest import globe

from gpuvoronoi import allocation, direction, nearest_value, proximity, statistics, voronoi

spatial = pytest.importorskip("scipy.spatial")


def unit(lon, lat):
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)


def nearest(seeds, lon, lat, k=1):
    chord, number = spatial.cKDTree(unit(*seeds)).query(unit(lon, lat), k=k)
    return 2 * np.arcsin(chord / 2) * 6371008.7714, number


@pytest.mark.parametrize("scheme", ["", ",ring"])
@pytest.mark.parametrize("backend", ["auto", "serial", "kdtree"])
def test_healpix(random, scheme, backend):
    healpy = pytest.importorskip("healpy")
    seeds, level = globe(random, 60), 4
    lon, lat = healpy.pix2ang(2**level, np.arange(12 * 4**level), nest=not scheme, lonlat=True)
    away, number = nearest(seeds, lon, lat, 2)
    cells = f"healpix:{level}{scheme}"
    assert np.array_equal(allocation(seeds, cells=cells, metric="great-circle", k=2, backend=backend), number.T)
    found = proximity(seeds, cells=cells, metric="great-circle", dtype="float64", backend=backend)
    assert found.shape == (12 * 4**level,) and np.allclose(found, away[:, 0], rtol=0, atol=1e-3)
    assert np.array_equal(nearest_value(seeds, np.arange(60) * 2, cells=cells, metric="great-circle"), 2 * number[:, 0])


def test_healpix_is_labelled(random):
    pytest.importorskip("xarray")
    made = voronoi(globe(random, 20), cells="healpix:2,ring")
    assert made.allocation.dims == ("cells",) and made.cell_ids.attrs == {"grid_name": "healpix", "level": 2, "indexing_scheme": "ring"}
    assert made.proximity.attrs["metric"] == "geodesic"


def test_places_of_any_shape(random):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    seeds = globe(random, 40)
    lon, lat = random.uniform(-180, 180, (7, 11)), random.uniform(-90, 90, (7, 11))
    lon[2, 3] = np.nan
    azimuth, _, away = geod.inv(*np.broadcast_arrays(np.nan_to_num(lon)[..., None], lat[..., None], *seeds))
    number = np.where(np.isnan(lon), -1, away.argmin(-1))
    found = voronoi(seeds, cells=(lon, lat), dtype="float64")
    assert np.array_equal(found["allocation"], number) and found["allocation"].dims == ("y", "x")
    assert np.allclose(found["proximity"], np.where(number < 0, np.nan, away.min(-1)), rtol=0, atol=1e-6, equal_nan=True)
    turned = np.take_along_axis(azimuth, away.argmin(-1)[..., None], -1)[..., 0]
    differ = (direction(seeds, cells=(lon, lat)) - turned + 180) % 360 - 180
    assert np.nanmax(np.abs(differ)) < 1e-3 and np.isnan(differ).sum() == 1
    masked = allocation(seeds, cells=(lon, lat), mask=lat > 0, max_distance=3e6)
    assert np.array_equal(masked, np.where((lat > 0) & (away.min(-1) <= 3e6), number, -1))


def test_xarray_objects_as_cells(random):
    xarray = pytest.importorskip("xarray")
    seeds, places = globe(random, 30), globe(random, 90)
    mesh = xarray.Dataset({"depth": ("ncells", random.normal(size=90))}, {
        "clon": ("ncells", np.radians(places[0]), {"units": "radian", "standard_name": "longitude"}),
        "clat": ("ncells", np.radians(places[1]), {"units": "radian", "standard_name": "latitude"})})
    found = allocation(seeds, cells=mesh, metric="great-circle")
    assert found.dims == ("ncells",) and "clon" in found.coords
    assert np.array_equal(found, nearest(seeds, *places)[1])


def test_regrid_to_healpix(random):
    healpy = pytest.importorskip("healpy")
    xarray = pytest.importorskip("xarray")
    from gpuvoronoi import regrid

    lon, lat = globe(random, 400)
    lon[50] = np.nan
    source = xarray.DataArray(random.normal(size=(2, 400)), dims=("time", "cell"), coords={"lon": ("cell", lon), "lat": ("cell", lat)})
    made = regrid(source, "healpix:3,ring", metric="great-circle")
    kept = ~np.isnan(lon)
    number = nearest((lon[kept], lat[kept]), *healpy.pix2ang(8, np.arange(768), lonlat=True))[1]
    assert made.dims == ("time", "cells") and made.cell_ids.attrs["level"] == 3
    assert np.array_equal(made, source.values[:, kept][:, number])


def test_statistics_of_healpix(random):
    pytest.importorskip("pandas")
    seeds = globe(random, 25)
    table = statistics(seeds, cells="healpix:3,authalic")
    numbers = allocation(seeds, cells="healpix:3,authalic")
    assert np.array_equal(table["cells"], np.bincount(numbers, minlength=25))
    assert np.allclose(table["area_km2"], table["cells"] * 510065621.724 / 768, rtol=1e-9)


def test_refusals(random):
    seeds = globe(random, 5)
    for cells, words in (("healpix:19", "0 to 18"), ("healpix:x", "healpix:LEVEL"), ("qtm:3", "healpix:LEVEL"), ("h3:4", "h3 is not"),
                         (([1.0], [2.0, 3.0]), "one shape"), (([], []), "none")):
        with pytest.raises(ValueError, match=words):
            allocation(seeds, cells=cells)
    with pytest.raises(ValueError, match="stands alone"):
        allocation(seeds, cells="healpix:2", level=3)
    with pytest.raises(ValueError, match="great-circle"):
        allocation(seeds, cells="healpix:2", metric="euclidean")
    with pytest.raises(ValueError, match="regrid"):
        allocation(np.eye(4), cells="healpix:2", target_values=[1], extent=(0, 0, 4, 4), crs="EPSG:4326")
    with pytest.raises(ValueError, match="no areas"):
        statistics(seeds, cells=globe(random, 5))
