"""allocation, proximity, direction, voronoi: by definition, by others, and as the command writes them."""

import inspect
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import check_interrupted, command, globe, python

import gpuvoronoi
from gpuvoronoi import allocation, direction, proximity, voronoi

PLANE = {"shape": (40, 60), "extent": (0, 0, 600, 400), "metric": "euclidean"}


def plane_seeds(random, count=25):
    return random.uniform(0, 600, count), random.uniform(0, 400, count)


def centers():
    return np.meshgrid(5 + 10 * np.arange(60), 395 - 10 * np.arange(40))


def test_the_plane_by_definition(random):
    sx, sy = plane_seeds(random)
    x, y = centers()
    dx, dy = sx - x[..., None], sy - y[..., None]
    for metric, d in (
        ("euclidean", np.hypot(dx, dy)),
        ("manhattan", abs(dx) + abs(dy)),
        ("chebyshev", np.maximum(abs(dx), abs(dy))),
    ):
        arguments = {**PLANE, "metric": metric}
        order = np.argsort(d, axis=-1, kind="stable")
        assert np.array_equal(allocation((sx, sy), **arguments), order[..., 0])
        k3 = allocation((sx, sy), k=3, **arguments)
        assert k3.shape == (3, 40, 60) and np.array_equal(np.moveaxis(k3, 0, -1), order[..., :3])
        np.testing.assert_allclose(
            proximity((sx, sy), dtype="float64", **arguments), d.min(axis=-1), rtol=1e-14
        )
        ours = direction((sx, sy), **arguments)
        nearest = order[..., 0][..., None]
        expected = (
            np.degrees(
                np.arctan2(np.take_along_axis(dx, nearest, -1), np.take_along_axis(dy, nearest, -1))
            )[..., 0]
            % 360
        )
        assert np.max(np.abs((ours - expected + 180) % 360 - 180)) < 1e-3


def test_the_globe_by_geod(random):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    lon, lat = globe(random, 30)
    found = voronoi((lon, lat), shape=(12, 24), dtype="float64")
    x, y = np.meshgrid(-172.5 + 15 * np.arange(24), 82.5 - 15 * np.arange(12))
    azimuth, _, d = geod.inv(*np.broadcast_arrays(x[..., None], y[..., None], lon, lat))
    nearest = np.argmin(d, axis=-1)
    assert np.array_equal(found["allocation"], nearest)
    np.testing.assert_allclose(found["proximity"], d.min(axis=-1), rtol=0, atol=1e-6)
    turned = np.take_along_axis(azimuth, nearest[..., None], -1)[..., 0]
    assert np.max(np.abs((np.asarray(found["direction"]) - turned + 180) % 360 - 180)) < 1e-3


def test_mask_limit_ids_weights(random):
    seeds = plane_seeds(random)
    numbers, far = allocation(seeds, **PLANE), proximity(seeds, **PLANE, dtype="float64")
    mask = random.random((40, 60)) < 0.5
    assert np.array_equal(allocation(seeds, mask=mask, **PLANE), np.where(mask, numbers, -1))
    assert np.array_equal(
        allocation(seeds, mask=np.where(mask, 1.5, np.nan), **PLANE), np.where(mask, numbers, -1)
    )
    assert np.array_equal(np.isnan(proximity(seeds, mask=mask, **PLANE)), ~mask)
    for same in (
        np.asfortranarray(mask),
        mask[::-1, ::-1].copy()[::-1, ::-1],
        np.repeat(mask, 2, axis=1)[:, ::2],
        mask.astype("i1"),
        mask.astype(">f8"),
        mask.astype(np.float16),
        mask.astype(object),
    ):
        assert np.array_equal(allocation(seeds, mask=same, **PLANE), np.where(mask, numbers, -1))
    assert np.array_equal(
        allocation(seeds, max_distance=50, **PLANE), np.where(far <= 50, numbers, -1)
    )
    ids = random.integers(-50, 1000, 25) * 2
    named = allocation(seeds, ids=ids, **PLANE)
    assert named.dtype == np.int32 and np.array_equal(named, ids[numbers])
    large = allocation(seeds, ids=ids.astype(np.int64) << 40, mask=mask, **PLANE)
    assert large.dtype == np.int64 and np.array_equal(large, np.where(mask, ids[numbers] << 40, -1))
    taken = allocation(seeds, ids=np.arange(25) - 1, mask=mask, **PLANE)
    assert np.array_equal(taken, np.where(mask, numbers - 1, -(2**31)))
    x, y = centers()
    weights = random.uniform(1, 3, 25)
    d = np.hypot(seeds[0] - x[..., None], seeds[1] - y[..., None])
    for weighting, value in (
        ("multiplicative", d / weights),
        ("additive", d + weights),
        ("power", d * d - weights),
    ):
        assert np.array_equal(
            allocation(seeds, weights=weights, weighting=weighting, **PLANE), value.argmin(axis=-1)
        )
    assert np.array_equal(
        allocation(seeds, weights=weights, **PLANE), (d / weights).argmin(axis=-1)
    )


def test_transform_in_place_of_extent(random):
    """The cells are those of the numbers, also where no extent has just these when it is divided."""
    seeds = (random.uniform(170, 190, 30), random.uniform(-25, -10, 30))
    g = (170.0, 0.7, 0.0, -10.0, 0.0, -0.7)
    x, y = 170.0 + (np.arange(29) + 0.5) * 0.7, -10.0 + (np.arange(21) + 0.5) * -0.7
    found = voronoi(seeds, shape=(21, 29), transform=g, metric="euclidean", dtype=np.float64)
    d = np.hypot(seeds[0] - x[None, :, None], seeds[1] - y[:, None, None])
    assert np.array_equal(found["allocation"], d.argmin(axis=-1)) and np.allclose(
        found["proximity"], d.min(axis=-1), rtol=1e-15
    )
    whole = {"shape": (4, 8), "metric": "euclidean"}
    assert np.array_equal(
        allocation(seeds, transform=(-180, 45, 0, 90, 0, -45), **whole),
        allocation(seeds, extent=(-180, -90, 180, 90), **whole),
    )
    raster = np.where(random.random((4, 8)) < 0.2, 3, 0)
    assert np.array_equal(
        proximity(raster, target_values=[3], transform=(0, 2, 0, 8, 0, -2), metric="euclidean"),
        proximity(raster, target_values=[3], extent=(0, 0, 16, 8), metric="euclidean"),
    )
    for wrong in (
        (1, 2),
        (0, -1, 0, 0, 0, -1),
        (0, 1, 0, 0, 0, 1),
        (0, 1, 0.1, 0, 0, -1),
        (0, np.inf, 0, 0, 0, -1),
        (0, 1, 0, np.nan, 0, -1),
    ):
        with pytest.raises(ValueError, match="transform must be"):
            allocation(seeds, shape=(4, 8), transform=wrong, metric="euclidean")
    for more in ({"shape": (4, 8), "extent": (0, 0, 8, 4)}, {"level": 2}):
        with pytest.raises(ValueError, match="transform needs shape"):
            allocation(seeds, transform=(0, 1, 0, 4, 0, -1), **more)


def test_large_rasters_by_threads_equal_small_ones(random):
    """1100 x 1300 cells are several blocks; the answer of a part is the part of the answer."""
    seeds = globe(random, 500)
    whole = voronoi(
        seeds, shape=(1100, 1300), k=2, variables=("allocation", "proximity"), workers=3
    )
    alone = voronoi(
        seeds, shape=(1100, 1300), k=2, variables=("allocation", "proximity"), workers=1
    )
    for name in ("allocation", "proximity"):
        assert np.array_equal(whole[name], alone[name], equal_nan=True)
    assert np.array_equal(allocation(seeds, shape=(1100, 1300)), np.asarray(whole["allocation"])[0])


def test_mesh(random):
    from gpuvoronoi import qtm

    lon, lat = globe(random, 40)
    found = allocation((lon, lat), level=5, metric="great-circle")
    assert found.shape == (qtm.count(5),)
    places = qtm.centers(qtm.from_number(5, np.arange(found.size)))
    nearest = gpuvoronoi.GlobeTree(lon, lat, "great-circle").query(*places)[1]
    assert np.mean(found == nearest) > 0.999  # centers are vectors there, degrees here
    raster = allocation((lon, lat), level=5, shape=(90, 180), metric="great-circle")
    x, y = np.meshgrid(-179 + 2 * np.arange(180), 89 - 2 * np.arange(90))
    assert np.array_equal(raster, found[qtm.number(qtm.encode(x, y, 5))])


def test_xarray_in_and_out(random):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("pyproj")
    lon, lat = globe(random, 20)
    like = xarray.DataArray(
        np.zeros((3, 9, 18)),
        dims=("time", "lat", "lon"),
        coords={"lat": 80.0 - 20 * np.arange(9), "lon": -170.0 + 20 * np.arange(18)},
    )
    found = allocation((lon, lat), like=like)
    assert found.dims == ("lat", "lon") and found.name == "allocation" and found.dtype == np.int32
    assert np.array_equal(found, allocation((lon, lat), shape=(9, 18)))
    assert (
        found.lat.drop_vars("spatial_ref").equals(like.lat)
        and found.attrs["_FillValue"] == -1
        and found.attrs["grid_mapping"] == "spatial_ref"
    )
    assert (
        found.spatial_ref.attrs["grid_mapping_name"] == "latitude_longitude"
        and "WGS 84" in found.spatial_ref.attrs["crs_wkt"]
    )
    south_up = like.isel(lat=slice(None, None, -1))
    assert np.array_equal(allocation((lon, lat), like=south_up), found[::-1])
    part = voronoi(
        (lon, lat), like=found[2:7, 3:8], k=2
    )  # a cut leaves a stale GeoTransform behind
    assert set(part) == {"allocation", "proximity", "direction"} and part.allocation.dims == (
        "rank",
        "lat",
        "lon",
    )
    assert part["rank"].values.tolist() == [1, 2]
    assert (
        np.array_equal(part.allocation[0], found[2:7, 3:8]) and part.proximity.attrs["units"] == "m"
    )
    again = proximity((lon, lat), like=part, metric="great-circle")
    assert again.dims == ("lat", "lon") and again.attrs["metric"] == "great-circle"


def test_cf_and_rioxarray(random):
    pytest.importorskip("xarray")
    rioxarray = pytest.importorskip("rioxarray")
    seeds = random.uniform(2e6, 3e6, 9), random.uniform(2e6, 3e6, 9)
    made = voronoi(seeds, shape=(20, 10), extent=(2e6, 2e6, 3e6, 3e6), crs="EPSG:3035")
    assert rioxarray and made.rio.crs.to_epsg() == 3035 and made.allocation.rio.nodata == -1
    assert tuple(made.rio.transform())[:6] == (1e5, 0.0, 2e6, 0.0, -5e4, 3e6)
    assert made.allocation.attrs["metric"] == "euclidean" and made.proximity.attrs["units"] == "m"
    again = allocation(seeds, like=made)
    assert again.equals(made.allocation)
    geodesic = proximity(seeds, like=made, metric="geodesic")
    assert abs(geodesic / made.proximity - 1).max() < 0.1 and not np.array_equal(
        geodesic, made.proximity
    )


def test_files_keep_everything(random, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4") if "netCDF4" in sys.modules else pytest.importorskip("scipy.io")
    made = voronoi(globe(random, 9), shape=(6, 12), max_distance=3e6)
    made.to_netcdf(tmp_path / "v.nc")
    with xarray.open_dataset(tmp_path / "v.nc", mask_and_scale=False) as again:
        assert (
            np.array_equal(again.allocation, made.allocation)
            and again.allocation.attrs["_FillValue"] == -1
        )


def test_geopandas_seeds_are_reprojected(random):
    geopandas = pytest.importorskip("geopandas")
    lon, lat = random.uniform(0, 20, 40), random.uniform(40, 60, 40)
    frame = geopandas.GeoDataFrame(
        {"id": np.arange(40) * 7, "w": random.uniform(1, 2, 40)},
        geometry=geopandas.points_from_xy(lon, lat),
        crs="EPSG:4326",
    )
    grid = {"shape": (50, 50), "extent": (3.5e6, 2e6, 4.5e6, 3e6), "crs": "EPSG:3035"}
    plain = allocation((lon, lat), seeds_crs="EPSG:4326", metric="geodesic", **grid)
    for seeds in (frame, frame.geometry, frame.to_crs("EPSG:3857")):
        assert np.array_equal(allocation(seeds, metric="geodesic", **grid), plain)
    on_map = frame.to_crs("EPSG:3035")
    assert np.array_equal(
        allocation(frame, **grid), allocation((on_map.geometry.x, on_map.geometry.y), **grid)
    )
    assert np.array_equal(allocation(frame, ids="id", metric="geodesic", **grid), plain * 7)
    assert np.array_equal(
        allocation(frame, weights="w", **grid), allocation(frame, weights=frame["w"], **grid)
    )
    assert np.array_equal(allocation(frame, shape=(20, 20)), allocation((lon, lat), shape=(20, 20)))


@pytest.mark.parametrize(
    "crs, extent, metric",
    [
        ("EPSG:4326", (-10, 35, 30, 70), "geodesic"),
        ("EPSG:4267", (-10, 35, 30, 70), "great-circle"),
        ("EPSG:3035", (2e6, 1e6, 7e6, 6e6), "geodesic"),
        ("EPSG:3035", (2e6, 1e6, 7e6, 6e6), "euclidean"),
        ("EPSG:32632", (-2e6, 4e6, 3e6, 8e6), "great-circle"),
        ("EPSG:2263", (0, 0, 3e6, 3e6), "geodesic"),
        ("+proj=moll", (-18e6, -9e6, 18e6, 9e6), "geodesic"),
        ("+proj=sinu", (-2e7, -9e6, 2e7, 9e6), "geodesic"),
    ],
)
def test_values_are_the_command_s(random, tmp_path, crs, extent, metric):
    gdal = pytest.importorskip("osgeo.gdal")
    pytest.importorskip("pyproj")
    lon, lat = random.uniform(-10, 30, 200), random.uniform(35, 70, 200)
    rows = "\n".join(f"{a!r},{b!r}" for a, b in zip(lon.tolist(), lat.tolist()))
    (tmp_path / "seeds.csv").write_text("lon,lat\n" + rows + "\n")
    subprocess.run(
        [
            command(),
            "--seeds",
            "seeds.csv",
            "--crs",
            crs,
            "--extent=" + ",".join(map(str, extent)),
            "--size",
            "203,155",
            "--metric",
            metric,
            "-k",
            "2",
            "--distance",
            "d.tif",
            "--distance-type",
            "Float64",
            "--azimuth",
            "a.tif",
            "--quiet",
            "o.tif",
        ],
        cwd=tmp_path,
        check=True,
    )
    found = voronoi(
        (lon, lat),
        shape=(155, 203),
        extent=extent,
        crs=crs,
        seeds_crs="EPSG:4326",
        metric=metric,
        k=2,
        dtype="float64",
        ids=np.arange(1, 201),
    )
    for name, file in (("allocation", "o.tif"), ("proximity", "d.tif"), ("direction", "a.tif")):
        made = gdal.Open(str(tmp_path / file)).ReadAsArray()
        if one_proj():
            assert np.array_equal(found[name], made, equal_nan=name != "allocation"), name
        elif name == "proximity":  # 1.3 mm between PROJ 9.6 and 9.8 (laea)
            assert np.allclose(found[name], made, rtol=0, atol=0.01, equal_nan=True)


def one_proj():
    """Whether GDAL and pyproj have the same PROJ; pyproj's wheels have their own."""
    import pyproj
    from osgeo import osr

    parts = osr.GetPROJVersionMajor(), osr.GetPROJVersionMinor(), osr.GetPROJVersionMicro()
    return ".".join(map(str, parts)) == pyproj.proj_version_str


def test_an_error_of_the_inverse_projection_is_raised(random, monkeypatch):
    pytest.importorskip("pyproj")
    from gpuvoronoi import _crs

    def broken(self, x, y):
        if x.size != 33 * 33:
            raise ZeroDivisionError("no way back")
        return x * 0, y * 0

    monkeypatch.setattr(_crs.Inverse, "__call__", broken)
    with pytest.raises(ZeroDivisionError, match="no way back"):
        allocation(
            ([3e6], [3e6]),
            shape=(20, 20),
            extent=(2e6, 2e6, 4e6, 4e6),
            crs="EPSG:3035",
            metric="geodesic",
        )


def test_ctrl_c_stops_a_long_raster():
    check_interrupted(
        "seeds = random.uniform(-180, 180, 20000), random.uniform(-90, 90, 20000)",
        "gpuvoronoi.voronoi(seeds, shape=(9000, 18000), k=3)",
    )


def test_without_xarray_it_is_numpy():
    done = python("""
import sys
sys.modules["xarray"] = sys.modules["pyproj"] = None
import numpy, gpuvoronoi
found = gpuvoronoi.voronoi(([0.0], [0.0]), shape=(2, 2))
assert type(found) is dict and type(found["direction"]) is numpy.ndarray
try:
    gpuvoronoi.allocation(([0.0], [0.0]), shape=(2, 2), crs="EPSG:4326")
except ImportError as error:
    assert "crs" in str(error) and "pyproj" in str(error)
else:
    raise AssertionError
""")
    assert done.returncode == 0, done.stderr


ONE = ([0.5], [0.5])


@pytest.mark.parametrize(
    "seeds, more, error, words",
    [
        (ONE, {}, ValueError, "no grid given"),
        (ONE, {"shape": (2,)}, TypeError, "shape"),
        (ONE, {"shape": (0, 2)}, ValueError, "shape"),
        (ONE, {"shape": (2, 2), "extent": (0, 0, 0, 1)}, ValueError, "extent"),
        (ONE, {"shape": (2, 2), "extent": (0, 0, 1)}, TypeError, "extent"),
        (
            ONE,
            {"shape": (2, 2), "extent": (0, 0, 1, 1)},
            ValueError,
            "metric: required without a coordinate system",
        ),
        (ONE, {"shape": (2, 2), "metric": "taxi"}, ValueError, "metric must"),
        (ONE, {"shape": (2, 2), "k": 65}, ValueError, "k must"),
        (ONE, {"shape": (2, 2), "max_distance": math.nan}, ValueError, "max_distance"),
        (ONE, {"shape": (2, 2), "mask": np.ones((2, 3))}, ValueError, "mask must"),
        (ONE, {"shape": (2, 2), "weights": [1.0, 2.0]}, ValueError, "weights must"),
        (ONE, {"shape": (2, 2), "weights": [0.0]}, ValueError, "weight"),
        (ONE, {"shape": (2, 2), "weights": "w"}, ValueError, "weights: the seeds have no column"),
        (
            ONE,
            {"shape": (2, 2), "weighting": "power"},
            ValueError,
            "weighting: power needs weights",
        ),
        (ONE, {"shape": (2, 2), "weights": [1.0], "weighting": "x"}, ValueError, "weighting must"),
        (ONE, {"shape": (2, 2), "backend": "x"}, ValueError, "backend"),
        (ONE, {"shape": (2, 2), "workers": 0}, ValueError, "workers"),
        (ONE, {"level": 21}, ValueError, "level"),
        (ONE, {"like": np.zeros((2, 2))}, TypeError, "like must be"),
        (ONE, {"shape": (2, 2), "nonsense": 1}, TypeError, "nonsense"),
        (([], []), {"shape": (2, 2)}, ValueError, "seeds: there are none"),
        (([0.0], [91.0]), {"shape": (2, 2)}, ValueError, "seeds: "),
        (([0.0, 1.0], [0.0]), {"shape": (2, 2)}, ValueError, "seeds must"),
        ("seeds.csv", {"shape": (2, 2)}, TypeError, "seeds: names of files"),
        (3, {"shape": (2, 2)}, TypeError, "seeds must"),
    ],
)
def test_bad_input_names_the_argument(seeds, more, error, words):
    with pytest.raises(error, match=words):
        allocation(seeds, **more)


def test_bad_ids_and_dtypes():
    with pytest.raises(TypeError, match="ids must be integers"):
        allocation(ONE, shape=(2, 2), ids=[0.5])
    with pytest.raises(ValueError, match="ids must have one value"):
        allocation(ONE, shape=(2, 2), ids=[1, 2])
    with pytest.raises(ValueError, match="dtype must"):
        proximity(ONE, shape=(2, 2), dtype="int32")
    with pytest.raises(ValueError, match="variables must"):
        voronoi(ONE, shape=(2, 2), variables="area")


def test_bad_systems_and_templates(random):
    pytest.importorskip("pyproj")
    xarray = pytest.importorskip("xarray")
    geopandas = pytest.importorskip("geopandas")
    with pytest.raises(ValueError, match="crs: unknown coordinate system 'EPSG:x'"):
        allocation(ONE, shape=(2, 2), crs="EPSG:x")
    with pytest.raises(ValueError, match="degrees are not lengths"):
        allocation(ONE, shape=(2, 2), crs="EPSG:4326", metric="euclidean")
    frame = geopandas.GeoSeries(geopandas.points_from_xy([0], [0]))
    with pytest.raises(ValueError, match="seeds have no coordinate system"):
        allocation(frame, shape=(2, 2), crs="EPSG:4326")
    assert allocation(frame.buffer(1), shape=(2, 2)).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="seeds: row 1 has a geometry that is missing"):
        allocation(geopandas.GeoSeries([frame[0], None]), shape=(2, 2))
    uneven = xarray.DataArray(
        np.zeros((2, 3)), coords={"y": [1.0, 0.0], "x": [0.0, 1.0, 3.0]}, dims=("y", "x")
    )
    with pytest.raises(ValueError, match="coordinate 'x' is not evenly spaced"):
        allocation(ONE, like=uneven, metric="euclidean")
    with pytest.raises(ValueError, match="which of the dimensions"):
        allocation(ONE, like=uneven.rename(x="a"), metric="euclidean")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_forms_of_seeds(count):
    """A tuple has two columns; a list of pairs and an array of shape (n, 2) have a row a point, for every number of points."""
    x, y = np.arange(count) * 40.0 - 60, np.arange(count) * 9.0 - 20
    expected = gpuvoronoi.allocation((x, y), shape=(18, 36))
    points = np.column_stack([x, y])
    for seeds in (
        tuple([list(x), list(y)]),
        list(zip(x, y)),
        points.tolist(),
        points,
        np.asfortranarray(points),
        [tuple(p) for p in points],
    ):
        assert np.array_equal(gpuvoronoi.allocation(seeds, shape=(18, 36)), expected)


def test_seeds_that_are_neither_columns_nor_points():
    x, y = np.arange(3.0), np.arange(3.0)
    with pytest.raises(
        TypeError, match=r"a list of two arrays is ambiguous; give a tuple \(x, y\)"
    ):
        gpuvoronoi.allocation([x, y], shape=(18, 36))
    for seeds in ([list(x), list(y)], np.array([x, y]), [1.0, 2.0], [(1.0, 2.0, 3.0)], (x, y, x)):
        with pytest.raises((TypeError, ValueError), match="list of pairs|shape|ambiguous"):
            gpuvoronoi.allocation(seeds, shape=(18, 36))


@pytest.mark.parametrize("rows", [19, 51, 181, 201, 361, 401, 801, 901, 1801])
def test_grids_from_pole_to_pole(rows):
    xarray = pytest.importorskip("xarray")
    like = xarray.DataArray(
        np.zeros((rows, 8), "f4"),
        dims=("lat", "lon"),
        coords={"lat": np.linspace(90, -90, rows), "lon": np.arange(8) * 45.0},
    )
    found = gpuvoronoi.proximity(([0.0, 100.0], [0.0, 30.0]), like=like)
    assert np.ptp(found.values[0]) < 1e-3 and np.ptp(found.values[-1]) < 1e-3


@pytest.mark.parametrize(
    "function", [allocation, proximity, direction, voronoi, gpuvoronoi.nearest_value]
)
def test_signatures_name_what_is_documented(function):
    documented = re.findall(
        r"^    (\w+(?:, \w+)*)(?: :|$)",
        inspect.getdoc(function).replace("\n", "\n    ").split("Returns")[0],
        re.M,
    )
    documented = {name for names in documented for name in names.split(", ")} - {"Parameters"}
    assert {one for one in inspect.signature(function).parameters} == documented
    with pytest.raises(TypeError, match="nearst"):
        function(
            ([0.0], [0.0]), *([[1.0]] if function is gpuvoronoi.nearest_value else []), nearst=1
        )
