"""cells=: cells of HEALPix, S2, H3 and places of any shape ask. Oracles: centers of healpy, s2sphere, h3; a tree of scipy, PROJ's geodesics."""

import sys

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
    assert np.array_equal(
        allocation(seeds, cells=cells, metric="great-circle", k=2, backend=backend), number.T
    )
    found = proximity(seeds, cells=cells, metric="great-circle", dtype="float64", backend=backend)
    assert found.shape == (12 * 4**level,) and np.allclose(found, away[:, 0], rtol=0, atol=1e-3)
    assert np.array_equal(
        nearest_value(seeds, np.arange(60) * 2, cells=cells, metric="great-circle"),
        2 * number[:, 0],
    )


def s2(level):
    s2sphere = pytest.importorskip("s2sphere")
    count, shift = 6 * 4**level, 2 * (30 - level)
    cells = [s2sphere.CellId((2 * i + 1) << shift) for i in range(count)]
    places = np.array(
        [(cell.to_lat_lng().lng().degrees, cell.to_lat_lng().lat().degrees) for cell in cells]
    ).T
    return (
        [cell.id() for cell in cells],
        *places,
        np.array([s2sphere.Cell(cell).exact_area() for cell in cells]),
    )


def h3(resolution):
    h3 = pytest.importorskip("h3")
    cells = sorted(
        h3.str_to_int(cell)
        for base in h3.get_res0_cells()
        for cell in h3.cell_to_children(base, resolution)
    )
    names = [h3.int_to_str(cell) for cell in cells]
    lat, lon = np.array([h3.cell_to_latlng(name) for name in names]).T
    return cells, lon, lat, np.array([h3.cell_area(name, "rads^2") for name in names])


@pytest.mark.parametrize("system,level", [(s2, 0), (s2, 4), (h3, 0), (h3, 2)])
@pytest.mark.parametrize("backend", ["auto", "serial", "kdtree"])
def test_s2_and_h3(random, system, level, backend):
    seeds = globe(random, 60)
    ids, lon, lat, _ = system(level)
    away, number = nearest(seeds, lon, lat, 2)
    cells = f"{system.__name__}:{level}"
    assert np.array_equal(
        allocation(seeds, cells=cells, metric="great-circle", k=2, backend=backend), number.T
    )
    found = proximity(seeds, cells=cells, metric="great-circle", dtype="float64", backend=backend)
    assert np.allclose(found, away[:, 0], rtol=0, atol=1e-3)


@pytest.mark.parametrize("system,level", [(s2, 3), (h3, 1)])
def test_s2_and_h3_are_labeled(random, system, level):
    pytest.importorskip("xarray")
    name, ids = system.__name__, system(level)[0]
    made = voronoi(globe(random, 20), cells=f"{name}:{level}")
    assert made.allocation.dims == ("cells",) and made.cell_ids.attrs == {
        "grid_name": name,
        "level": level,
    }
    assert made.cell_ids.dtype == np.uint64 and made.cell_ids.values.tolist() == ids
    if name == "h3":
        xdggs = pytest.importorskip("xdggs")
        centers = xdggs.decode(made).dggs.cell_centers()
        assert np.allclose(centers.latitude, system(level)[2], rtol=0, atol=1e-9)


@pytest.mark.parametrize("system,level", [(s2, 3), (h3, 1)])
def test_statistics_of_s2_and_h3(random, system, level):
    """Areas are solid angles times the ellipsoid's area by solid angle at the center."""
    pytest.importorskip("pandas")
    seeds, cells = globe(random, 25), f"{system.__name__}:{level}"
    _, _, lat, solid = system(level)
    numbers, square = allocation(seeds, cells=cells), (2 - 1 / 298.257223563) / 298.257223563
    area = solid * 6378.137**2 * (1 - square) / (1 - square * np.sin(np.radians(lat)) ** 2) ** 2
    table, away = statistics(seeds, cells=cells), proximity(seeds, cells=cells, dtype="float64")
    own = np.bincount(numbers, area, minlength=25)
    assert np.array_equal(table["cells"], np.bincount(numbers, minlength=25))
    assert (
        np.allclose(table["area_km2"], own, rtol=1e-9) and abs(own.sum() / 510065621.724 - 1) < 2e-3
    )
    assert np.allclose(
        table["distance_mean"], np.bincount(numbers, area * away, minlength=25) / own, rtol=1e-9
    )


def test_statistics_of_places(random):
    """Without areas all places count the same."""
    pytest.importorskip("pandas")
    seeds, places = globe(random, 12), globe(random, 500)
    table, numbers = statistics(seeds, cells=places), allocation(seeds, cells=places)
    away = proximity(seeds, cells=places, dtype="float64")
    assert "area_km2" not in table and np.array_equal(
        table["cells"], np.bincount(numbers, minlength=12)
    )
    assert np.allclose(
        table["distance_mean"], np.bincount(numbers, away, minlength=12) / table["cells"], rtol=1e-9
    )
    assert np.allclose(table["distance_max"], [away[numbers == i].max() for i in range(12)])
    mean = np.stack([unit(*places)[numbers == i].sum(0) for i in range(12)])
    assert np.allclose(
        table["centroid_y"],
        np.degrees(np.arcsin(mean[:, 2] / np.linalg.norm(mean, axis=1))),
        atol=1e-6,
    )


def test_healpix_is_labeled(random):
    pytest.importorskip("xarray")
    made = voronoi(globe(random, 20), cells="healpix:2,ring")
    assert made.allocation.dims == ("cells",) and made.cell_ids.attrs == {
        "grid_name": "healpix",
        "level": 2,
        "indexing_scheme": "ring",
    }
    assert made.proximity.attrs["metric"] == "geodesic"


def test_places_of_any_shape(random):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    seeds = globe(random, 40)
    lon, lat = random.uniform(-180, 180, (7, 11)), random.uniform(-90, 90, (7, 11))
    lon[2, 3] = np.nan
    azimuth, _, away = geod.inv(
        *np.broadcast_arrays(np.nan_to_num(lon)[..., None], lat[..., None], *seeds)
    )
    number = np.where(np.isnan(lon), -1, away.argmin(-1))
    found = voronoi(seeds, cells=(lon, lat), dtype="float64")
    assert np.array_equal(found["allocation"], number) and found["allocation"].dims == ("y", "x")
    assert np.allclose(
        found["proximity"],
        np.where(number < 0, np.nan, away.min(-1)),
        rtol=0,
        atol=1e-6,
        equal_nan=True,
    )
    turned = np.take_along_axis(azimuth, away.argmin(-1)[..., None], -1)[..., 0]
    differ = (direction(seeds, cells=(lon, lat)) - turned + 180) % 360 - 180
    assert np.nanmax(np.abs(differ)) < 1e-3 and np.isnan(differ).sum() == 1
    masked = allocation(seeds, cells=(lon, lat), mask=lat > 0, max_distance=3e6)
    assert np.array_equal(masked, np.where((lat > 0) & (away.min(-1) <= 3e6), number, -1))


def test_xarray_objects_as_cells(random):
    xarray = pytest.importorskip("xarray")
    seeds, places = globe(random, 30), globe(random, 90)
    mesh = xarray.Dataset(
        {"depth": ("ncells", random.normal(size=90))},
        {
            "clon": (
                "ncells",
                np.radians(places[0]),
                {"units": "radian", "standard_name": "longitude"},
            ),
            "clat": (
                "ncells",
                np.radians(places[1]),
                {"units": "radian", "standard_name": "latitude"},
            ),
        },
    )
    found = allocation(seeds, cells=mesh, metric="great-circle")
    assert found.dims == ("ncells",) and "clon" in found.coords
    assert np.array_equal(found, nearest(seeds, *places)[1])


def test_regrid_to_healpix(random):
    healpy = pytest.importorskip("healpy")
    xarray = pytest.importorskip("xarray")
    from gpuvoronoi import regrid

    lon, lat = globe(random, 400)
    lon[50] = np.nan
    source = xarray.DataArray(
        random.normal(size=(2, 400)),
        dims=("time", "cell"),
        coords={"lon": ("cell", lon), "lat": ("cell", lat)},
    )
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


def test_h3_is_optional(random, monkeypatch):
    monkeypatch.setitem(sys.modules, "h3.api.numpy_int", None)
    with pytest.raises(ImportError, match="pip install h3"):
        allocation(globe(random, 5), cells="h3:1")


def test_refusals(random):
    seeds = globe(random, 5)
    for cells, words in (
        ("healpix:19", "0 to 18"),
        ("healpix:x", "healpix:LEVEL"),
        ("qtm:3", "healpix:LEVEL"),
        ("s2:19", "0 to 18"),
        ("s2:3,ring", "s2:LEVEL"),
        ("h3:16", "0 to 15"),
        (([1.0], [2.0, 3.0]), "one shape"),
        (([], []), "none"),
    ):
        with pytest.raises(ValueError, match=words):
            allocation(seeds, cells=cells)
    with pytest.raises(ValueError, match="stands alone"):
        allocation(seeds, cells="healpix:2", level=3)
    with pytest.raises(ValueError, match="great-circle"):
        allocation(seeds, cells="healpix:2", metric="euclidean")


@pytest.mark.parametrize("width", [1e-9, 1e-4, 1.0, 60.0])
def test_unordered_places_of_any_extent(random, width):
    """Around a corner of S2's cube, so that places that are near each other are far apart along the curve that blocks are sorted along."""
    places = (
        45 + width * random.uniform(-1, 1, 3000),
        np.degrees(np.arcsin(3**-0.5)) + 0.8 * width * random.uniform(-1, 1, 3000),
    )
    seeds = places[0][::7], places[1][::7]
    for metric in ("geodesic", "great-circle"):
        found = [
            allocation(seeds, cells=places, metric=metric, backend=backend)
            for backend in ("tile", "serial")
        ]
        assert np.array_equal(*found) and len(np.unique(found[0])) > 1
