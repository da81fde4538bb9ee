"""Grids that are not evenly spaced as `like`, and rasters of seeds with times and levels."""

import numpy as np
import pytest

from gpuvoronoi import GlobeTree, allocation, direction, proximity, statistics, voronoi

xarray = pytest.importorskip("xarray")


def seeds(random, n=40):
    return random.uniform(-180, 180, n), random.uniform(-80, 80, n)


def expected(places, lon, lat):
    meters, number = GlobeTree(*places).query(lon, lat)
    bad = ~np.isfinite(lon) if np.ndim(lon) else np.zeros((), bool)
    return np.where(bad, -1, number), np.where(bad, np.nan, meters)


def gaussian(n=16):
    return np.degrees(np.arcsin(np.polynomial.legendre.leggauss(n)[0]))[::-1]


def check(like, places, lon, lat, **more):
    number, meters = expected(places, np.where(np.isfinite(lon), lon, 0.0), lat)
    number, meters = (
        np.where(np.isfinite(lon), number, -1),
        np.where(np.isfinite(lon), meters, np.nan),
    )
    found = voronoi(places, like=like, dtype="float64", **more)
    assert np.array_equal(found["allocation"].values, number)
    np.testing.assert_allclose(found["proximity"].values, meters, rtol=0, atol=1e-6)
    assert found["allocation"].dims == like.dims
    return found


def test_gaussian(random):
    lat, lon = gaussian(), np.arange(24) * 15.0
    like = xarray.DataArray(
        np.zeros((16, 24)), dims=("lat", "lon"), coords={"lat": lat, "lon": lon}
    )
    x, y = np.meshgrid(lon, lat)
    found = check(like, seeds(random), x, y)
    assert np.array_equal(found["lat"].values, lat) and np.array_equal(found["lon"].values, lon)
    mask = random.random((16, 24)) < 0.5
    masked = allocation(seeds(random), like=like, mask=mask)
    assert (masked.values[~mask] == -1).all() and (masked.values[mask] >= 0).all()
    assert statistics(seeds(random), like=like)["cells"].sum() == 16 * 24


def test_curvilinear_with_land(random):
    a, b = np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 15))
    lon, lat = 10 + 30 * a + 8 * b, 40 + 20 * b - 5 * a
    lon[3:6, 4:9] = lat[3:6, 4:9] = np.nan
    like = xarray.DataArray(
        np.zeros((15, 20)),
        dims=("eta", "xi"),
        coords={"lon": (("eta", "xi"), lon), "lat": (("eta", "xi"), lat)},
    )
    check(like, seeds(random), lon, np.nan_to_num(lat))
    named = like.rename(eta="y", xi="x", lon="nav_lon", lat="nav_lat")
    places = seeds(random)
    assert allocation(places, like=named).identical(allocation(places, cells=named))


@pytest.mark.parametrize("shape", [(1, 30), (12, 1), (1, 1)])
def test_a_single_row_or_column(random, shape):
    lat, lon = np.linspace(60, 50, shape[0]), np.linspace(-20, 20, shape[1])
    like = xarray.DataArray(np.zeros(shape), dims=("lat", "lon"), coords={"lat": lat, "lon": lon})
    x, y = np.meshgrid(lon, lat)
    check(like, seeds(random), x, y)


def test_what_is_no_grid(random):
    uneven = xarray.DataArray(
        np.zeros((2, 3)), coords={"y": [1.0, 0.0], "x": [0.0, 1.0, 3.0]}, dims=("y", "x")
    )
    with pytest.raises(ValueError, match="coordinate 'x' is not evenly spaced"):
        allocation(seeds(random), like=uneven)
    globe = uneven.rename(y="lat", x="lon")
    assert allocation(seeds(random), like=globe).shape == (2, 3)
    with pytest.raises(ValueError, match="not evenly spaced"):
        allocation(seeds(random), like=globe, level=3)
    with pytest.raises(ValueError, match="metric: euclidean is not supported with cells"):
        allocation(seeds(random), like=globe, metric="euclidean")
    with pytest.raises(ValueError, match="seeds: the coordinate 'x' is not evenly spaced"):
        allocation(uneven)


def check_seeds(raster, lon, lat, **more):
    """A raster of seeds as its cells' places, in ascending order of values and then of cells."""
    values = raster.values.ravel()
    chosen = np.flatnonzero((values != 0) & np.isfinite(np.ravel(lon)))
    order = chosen[np.argsort(values[chosen], kind="stable")]
    places = np.ravel(lon)[order], np.ravel(lat)[order]
    like = more.pop("like", raster)
    found = voronoi(raster, like=None if like is raster else like, dtype="float64", **more)
    expected = voronoi(places, like=like, dtype="float64", **more)
    assert np.array_equal(
        found["allocation"],
        np.where(expected["allocation"] < 0, -1, values[order][expected["allocation"]]),
    )
    for name in ("proximity", "direction"):
        assert np.array_equal(found[name], expected[name], equal_nan=True)
    assert found["allocation"].dims == like.dims


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_seeds(random, metric):
    """Gaussian latitudes, one row, curvilinear grids and meshes as rasters of seeds."""
    lat, lon = gaussian(), np.arange(24) * 15.0
    x, y = np.meshgrid(lon, lat)
    values = random.integers(0, 4, (16, 24)) * (random.random((16, 24)) < 0.2)
    check_seeds(
        xarray.DataArray(values, dims=("lat", "lon"), coords={"lat": lat, "lon": lon}),
        x,
        y,
        metric=metric,
    )
    row = xarray.DataArray(values[7:8], dims=("lat", "lon"), coords={"lat": lat[7:8], "lon": lon})
    check_seeds(row, x[7:8], y[7:8], metric=metric)
    even = xarray.DataArray(
        np.zeros((18, 36)),
        dims=("lat", "lon"),
        coords={"lat": 85.0 - 10 * np.arange(18), "lon": 5.0 + 10 * np.arange(36)},
    )
    check_seeds(row, x[7:8], y[7:8], metric=metric, like=even)
    lost = x.copy()
    lost[3, 4:9] = np.nan
    check_seeds(
        xarray.DataArray(
            values,
            dims=("eta", "xi"),
            coords={"lon": (("eta", "xi"), lost), "lat": (("eta", "xi"), y)},
        ),
        lost,
        y,
        metric=metric,
    )
    mesh = {"lon": ("cell", x.ravel()), "lat": ("cell", y.ravel())}
    check_seeds(xarray.DataArray(values.ravel(), dims="cell", coords=mesh), x, y, metric=metric)
    nothing = xarray.DataArray(values * 0, dims=("lat", "lon"), coords={"lat": lat, "lon": lon})
    assert (allocation(nothing, metric=metric) == -1).all()


def test_other_cells_of_a_raster_of_seeds(random):
    values = random.integers(0, 4, (18, 36)) * (random.random((18, 36)) < 0.1)
    even = xarray.DataArray(
        values,
        dims=("lat", "lon"),
        coords={"lat": 85.0 - 10 * np.arange(18), "lon": 5.0 + 10 * np.arange(36)},
    )
    order = np.argsort(values, axis=None, kind="stable")[np.sum(values == 0) :]
    places = (
        np.meshgrid(even.lon, even.lat)[0].ravel()[order],
        np.meshgrid(even.lon, even.lat)[1].ravel()[order],
    )
    for cells in ("healpix:2", "s2:2", seeds(random)):
        assert np.array_equal(
            allocation(even, cells=cells), values.ravel()[order][allocation(places, cells=cells)]
        )


def test_times_and_levels(random):
    values = random.integers(0, 3, (2, 3, 12, 18)) * random.integers(0, 2, (2, 3, 12, 18))
    raster = xarray.DataArray(
        values,
        dims=("time", "level", "y", "x"),
        coords={"time": [10, 20], "y": np.arange(12)[::-1] + 0.5, "x": np.arange(18) + 0.5},
        attrs={"units": "class"},
    )
    for function in (allocation, proximity, direction):
        whole = function(raster, metric="euclidean")
        assert whole.dims == raster.dims and whole["time"].values.tolist() == [10, 20]
        for t in range(2):
            for z in range(3):
                one = function(raster[t, z], metric="euclidean")
                assert np.array_equal(
                    whole.values[t, z], one.values, equal_nan=one.dtype.kind == "f"
                )
                assert str(whole.attrs) == str(one.attrs)
    both = voronoi(raster, metric="euclidean")
    assert both["direction"].dims == raster.dims and both["allocation"].equals(
        allocation(raster, metric="euclidean")
    )
    turned = allocation(raster.transpose("y", "level", "x", "time"), metric="euclidean")
    assert np.array_equal(turned.transpose(*raster.dims).values, both["allocation"].values)
    assert allocation(raster, metric="euclidean", shape=None, like=raster[0, 0]).dims == raster.dims
    with pytest.raises(ValueError, match="dimension 'time' is empty"):
        allocation(raster[:0], metric="euclidean")
