"""Nearest by travel cost, against the command and itself."""

import csv
import inspect
import os
import re
import subprocess

import gpuvoronoi
import numpy as np
import pytest

FRICTION = np.random.default_rng(3).lognormal(0, 1, (40, 50))
FRICTION[10:30, 25] = np.nan
X, Y = np.array([3.5, 48.2, 70.0]), np.array([5.5, 30.1, 3.0])
OPTIONS = {"extent": (0, 0, 50, 40), "metric": "euclidean"}


def test_as_the_command(tmp_path):
    """An array has the numbers of the command's rasters."""
    gdal = pytest.importorskip("osgeo.gdal")
    made = gdal.GetDriverByName("GTiff").Create(
        str(tmp_path / "f.tif"), 50, 40, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform((0, 1, 0, 40, 0, -1))
    made.GetRasterBand(1).WriteArray(FRICTION)
    made = None
    with open(tmp_path / "s.csv", "w") as file:
        csv.writer(file).writerows([("x", "y"), *zip(X, Y)])
    subprocess.run(
        [
            os.environ["GPUVORONOI_COMMAND"],
            "--seeds",
            "s.csv",
            "--cost",
            "f.tif",
            "--cost-moves",
            "16",
            "--distance",
            "d.tif",
            "--distance-type",
            "Float64",
            "o.tif",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    expected, ids = (gdal.Open(str(tmp_path / name)).ReadAsArray() for name in ("d.tif", "o.tif"))
    for backend in ("auto", "serial", "tile"):
        found = gpuvoronoi.cost_distance(FRICTION, (X, Y), moves=16, backend=backend, **OPTIONS)
        assert np.array_equal(found, expected, equal_nan=True) and found.dtype == np.float64
        seeds = gpuvoronoi.cost_allocation(FRICTION, (X, Y), moves=16, backend=backend, **OPTIONS)
        assert np.array_equal(np.where(seeds >= 0, seeds + 1, -1), ids) and seeds.dtype == np.int32


def test_kinds_of_friction():
    """Masked, integer and non-contiguous arrays; a limit of the cost."""
    expected = gpuvoronoi.cost_distance(FRICTION, (X, Y), **OPTIONS)
    masked = np.ma.MaskedArray(np.nan_to_num(FRICTION, nan=7.0), np.isnan(FRICTION))
    assert np.array_equal(
        gpuvoronoi.cost_distance(masked, (X, Y), **OPTIONS), expected, equal_nan=True
    )
    wide = np.repeat(FRICTION, 2, axis=1)[:, ::2]
    assert np.array_equal(
        gpuvoronoi.cost_distance(wide, (X, Y), **OPTIONS), expected, equal_nan=True
    )
    near = gpuvoronoi.cost_allocation(FRICTION, (X, Y), max_cost=10, **OPTIONS)
    assert np.array_equal(near >= 0, expected <= 10) and 0 < (near >= 0).sum() < near.size
    ones = gpuvoronoi.cost_distance(
        np.ones((3, 4), np.uint8), ([0.5], [2.5]), extent=(0, 0, 4, 3), metric="euclidean"
    )
    assert ones[0].tolist() == [0, 1, 2, 3]


def test_dataarray():
    """Coordinates, order of dimensions, fill values and the accessor."""
    xarray = pytest.importorskip("xarray")
    import gpuvoronoi.xarray  # noqa: F401

    lat, lon = 60 - np.arange(40), np.arange(50.0)
    friction = xarray.DataArray(
        np.nan_to_num(FRICTION, nan=-9.0),
        dims=("lat", "lon"),
        coords={"lat": lat, "lon": lon},
        attrs={"_FillValue": 2.5},
    )
    friction[3, 3] = 2.5
    found = gpuvoronoi.cost_distance(friction, ([3.0, 48.2], [55.0, 30.1]))
    assert (
        found.dims == ("lat", "lon")
        and found.attrs["metric"] == "geodesic"
        and np.isnan(found[3, 3])
        and np.isfinite(found[3, 4])
    )
    turned = friction.T.gpuvoronoi.cost_distance(([3.0, 48.2], [55.0, 30.1]))
    assert turned.dims == ("lon", "lat") and np.array_equal(turned.T, found, equal_nan=True)
    seeds = friction.gpuvoronoi.cost_allocation(([3.0, 48.2], [55.0, 30.1]))
    assert (
        seeds.attrs["_FillValue"] == -1
        and seeds.dtype == np.int32
        and set(np.unique(seeds)) == {-1, 0, 1}
    )
    dask = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="Dask array"):
        gpuvoronoi.cost_distance(
            friction.copy(data=dask.from_array(friction.values)), ([3.0], [55.0])
        )


def test_raster_seeds():
    """Cells of a raster start at no cost, and the result has their values; as polygons of the same cells."""
    towns = np.zeros(FRICTION.shape, np.int16)
    towns[3:6, 4:9], towns[30, 40:45] = 70, 5
    found = gpuvoronoi.cost_allocation(FRICTION, towns, target_values=[5, 70], **OPTIONS)
    cost = gpuvoronoi.cost_distance(FRICTION, towns, target_values=[5, 70], **OPTIONS)
    assert (
        set(np.unique(found)) == {-1, 5, 70}
        and np.array_equal(cost == 0, towns > 0)
        and np.array_equal(found[towns > 0], towns[towns > 0])
    )
    geopandas, geometry = pytest.importorskip("geopandas"), pytest.importorskip("shapely.geometry")
    frame = geopandas.GeoSeries([geometry.box(4, 34, 9, 37), geometry.box(40, 9, 45, 10)])
    assert np.array_equal(
        gpuvoronoi.cost_distance(FRICTION, frame, **OPTIONS), cost, equal_nan=True
    )
    only = gpuvoronoi.cost_allocation(FRICTION, towns, target_values=[5], **OPTIONS)
    assert set(np.unique(only)) == {-1, 5}
    xarray = pytest.importorskip("xarray")
    coordinates = {"y": 39.5 - np.arange(40), "x": 0.5 + np.arange(50)}
    labeled = [
        xarray.DataArray(one, dims=("y", "x"), coords=coordinates) for one in (FRICTION, towns)
    ]
    assert np.array_equal(gpuvoronoi.cost_allocation(*labeled, metric="euclidean"), found)
    with pytest.raises(ValueError, match="not those of friction"):
        gpuvoronoi.cost_allocation(labeled[0], labeled[1][1:], metric="euclidean")
    with pytest.raises(TypeError, match="not a raster"):
        gpuvoronoi.cost_allocation(FRICTION, (X, Y), target_values=[5], **OPTIONS)


def test_gpu():
    """The backend can be required by name: it computes, or the reason is one line."""
    try:
        found = gpuvoronoi.cost_distance(FRICTION, (X, Y), backend="cuda-tile", **OPTIONS)
    except RuntimeError as error:
        pytest.skip(str(error))
    assert np.array_equal(
        found, gpuvoronoi.cost_distance(FRICTION, (X, Y), **OPTIONS), equal_nan=True
    )


def test_lines():
    """Geometries start in all cells that they touch, at no cost."""
    geopandas = pytest.importorskip("geopandas")
    geometry = pytest.importorskip("shapely.geometry")
    frame = geopandas.GeoSeries(
        [geometry.LineString([(2.5, 20.5), (7.5, 20.5)]), geometry.Point(40.5, 10.5)]
    )
    found = gpuvoronoi.cost_distance(FRICTION, frame, **OPTIONS)
    assert np.argwhere(found == 0).tolist() == [[19, c] for c in range(2, 8)] + [[29, 40]]


@pytest.mark.parametrize(
    "more, has",
    [
        ({"moves": 12}, "moves must be"),
        (
            {"backend": "brute"},
            r"unsupported backend \(brute\); use one of auto, serial, tile, cuda-tile",
        ),
        ({"metric": "manhattan"}, "unsupported grid and metric"),
        ({"metric": "chess"}, "metric must be"),
        ({"max_cost": -1}, "max_cost"),
        ({"metric": None}, "metric"),
    ],
)
def test_bad_arguments(more, has):
    with pytest.raises(ValueError, match=has):
        gpuvoronoi.cost_distance(FRICTION, (X, Y), **{**OPTIONS, **more})


@pytest.mark.parametrize("name", ["cost_allocation", "cost_distance", "cost_ways"])
def test_signatures(name):
    """All arguments are named in signatures and documentation, also of the accessor."""
    function = getattr(gpuvoronoi, name)
    parameters = inspect.signature(function).parameters
    assert {"friction", "moves", "target_values"} < set(parameters)
    documented = re.findall(
        r"^(\w+(?:, \w+)*) : |^(x, y|seeds_crs, .*)$",
        inspect.getdoc(function).split("Returns")[0],
        re.M,
    )
    words = {word for pair in documented for part in pair for word in part.split(", ")} - {""}
    assert set(parameters) == words
    with pytest.raises(TypeError, match=f"{name}.* unexpected keyword argument 'movs'"):
        function(FRICTION, (X, Y), *[(X, Y)] * (name == "cost_ways"), movs=8)
    accessor = pytest.importorskip("gpuvoronoi.xarray").Accessor
    assert set(inspect.signature(getattr(accessor, name)).parameters) - {"self"} == set(
        parameters
    ) - {"friction"}


def test_bad_friction():
    with pytest.raises(ValueError, match="two dimensions"):
        gpuvoronoi.cost_distance(FRICTION[0], (X, Y), metric="euclidean")
    with pytest.raises(ValueError, match="exceed the range"):
        gpuvoronoi.cost_distance(
            np.full((3, 9), 1e308), ([0.5], [0.5]), extent=(0, 0, 9, 3), metric="euclidean"
        )


def test_ways_as_the_command(tmp_path):
    """Rows of points with their columns, and lines; points in a barrier, outside, and without geometry have none."""
    geopandas = pytest.importorskip("geopandas")
    ogr, gdal = pytest.importorskip("osgeo.ogr"), pytest.importorskip("osgeo.gdal")
    made = gdal.GetDriverByName("GTiff").Create(
        str(tmp_path / "f.tif"), 50, 40, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform((0, 1, 0, 40, 0, -1))
    made.GetRasterBand(1).WriteArray(FRICTION)
    made = None
    at = [(20.2, 11.3), (25.5, 20.5), (49.9, 39.9), (-3.0, 5.0), (45.1, 2.2)]
    for name, rows in ("s.csv", zip(X, Y)), ("p.csv", at):
        with open(tmp_path / name, "w") as file:
            csv.writer(file).writerows([("x", "y"), *rows])
    subprocess.run(
        [
            os.environ["GPUVORONOI_COMMAND"],
            *("--seeds", "s.csv", "--cost", "f.tif", "--from", "p.csv", "--ways", "w.gpkg"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    points = geopandas.GeoDataFrame(
        {"seed": list("abcde"), "n": range(5)},
        geometry=geopandas.points_from_xy(*zip(*at)),
        index=list("vwxyz"),
    )
    found = gpuvoronoi.cost_ways(FRICTION, (X, Y), points, **OPTIONS)
    assert list(found.columns) == ["seed_seed", "n", "seed", "cost", "length", "geometry"]
    assert list(found.index) == list("vwxyz") and list(found["seed_seed"]) == list("abcde")
    assert list(found["seed"].isna()) == [False, True, False, True, False]
    table = ogr.Open(str(tmp_path / "w.gpkg"))
    for theirs, (_, ours) in zip(table.GetLayer(0), found.iterrows()):
        line = theirs.GetGeometryRef()
        assert (line is None) == (ours.geometry is None)
        if line is None:
            assert np.isnan(ours["cost"]) and np.isnan(ours["length"])
            continue
        assert list(ours.geometry.coords) == [point[:2] for point in line.GetPoints()]
        assert (theirs["seed"], theirs["cost"], theirs["length"]) == (
            ours["seed"] + 1,
            ours["cost"],
            ours["length"],
        )
    geometry = pytest.importorskip("shapely.geometry")
    points.loc["v", "geometry"] = geometry.Point()
    again = gpuvoronoi.cost_ways(FRICTION, (X, Y), points, **OPTIONS)
    assert again.geometry["v"] is None and again.geometry["z"].equals(found.geometry["z"])


def test_ways_on_the_globe():
    """Cut at 180 degrees, in both directions and where a way meets it in a vertex; with raster seeds and the accessor."""
    pytest.importorskip("geopandas")
    xarray = pytest.importorskip("xarray")
    import gpuvoronoi.xarray  # noqa: F401

    friction = xarray.DataArray(
        np.ones((36, 72)),
        dims=("lat", "lon"),
        coords={"lat": 87.5 - 5 * np.arange(36), "lon": -177.5 + 5 * np.arange(72)},
    )
    points = ([172.5, 532.5, -150.0], [2.5, 2.5, 2.5])
    found = friction.gpuvoronoi.cost_ways(([-171.0], [12.0]), points)
    assert found.crs.equals("OGC:CRS84")
    for line in found.geometry[:2]:
        one, other = line.geoms
        assert one.coords[0] == (172.5, 2.5) and one.coords[-1][0] == 180
        assert other.coords[0][0] == -180 and other.coords[-1] == (-171, 12)
        assert one.coords[-1][1] == other.coords[0][1]
    assert len(found.geometry[2].geoms) == 1
    east = friction.gpuvoronoi.cost_ways(([171.0], [12.0]), ([-172.5], [2.5])).geometry[0]
    assert [line.coords[0][0] for line in east.geoms] == [-172.5, 180.0]
    meet = friction.gpuvoronoi.cost_ways(([-180.0], [2.5]), ([172.5], [2.5])).geometry[0]
    assert [list(line.coords) for line in meet.geoms] == [[(172.5, 2.5), (177.5, 2.5), (180, 2.5)]]
    towns = xarray.zeros_like(friction, dtype=np.int32)
    towns[17, 3:5] = 40
    own = gpuvoronoi.cost_ways(friction, towns, ([-160.0, -170.0], [2.5, 2.5]))
    assert list(own["seed"]) == [40, 40] and own.geometry[0] is None and own["cost"][0] == 0
    assert own.geometry[1].geoms[0].coords[-1] == (-162.5, 2.5)


def test_units_of_longitudes():
    """A system in grads from Paris has the costs of the same cells in degrees, and ways in its own unit."""
    pytest.importorskip("geopandas")
    pytest.importorskip("pyproj")
    towns = np.zeros((20, 20), np.int32)
    towns[12, 5] = 7
    friction = np.random.default_rng(6).lognormal(0, 1, towns.shape)
    grads = {"extent": (0, 50, 2, 52), "crs": "EPSG:4807", "metric": "geodesic"}
    degrees = {"extent": (0, 45, 1.8, 46.8), "crs": "EPSG:4275", "metric": "geodesic"}
    pairs = [
        [
            gpuvoronoi.cost_distance(friction, towns, target_values=[7], **one)
            for one in (grads, degrees)
        ],
        [
            gpuvoronoi.cost_distance(friction, place, **one)
            for place, one in ((([1.12], [51.12]), grads), (([1.008], [46.008]), degrees))
        ],
    ]
    for one, other in pairs:
        assert np.allclose(one, other, rtol=1e-9, atol=1e-6)
    way = gpuvoronoi.cost_ways(friction, ([1.12], [51.12]), ([0.05], [50.05]), **grads)
    assert way.crs.equals("EPSG:4807")
    (line,) = way.geometry[0].geoms
    assert np.allclose([line.coords[0], line.coords[-1]], [(0.05, 50.05), (1.12, 51.12)])
