"""nearest_value and regrid: values of the nearest seeds and cells, by a tree of scipy over unit vectors, and as cdo has them."""

import shutil
import subprocess

import numpy as np
import pytest
from conftest import globe

from gpuvoronoi import allocation, nearest_value, regrid

xarray = pytest.importorskip("xarray")
spatial = pytest.importorskip("scipy.spatial")
PLANE = {"shape": (40, 60), "extent": (0, 0, 600, 400), "metric": "euclidean"}


def unit(lon, lat):
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)


def nearest(source, target):
    """Numbers of the nearest of `source` (lon, lat), and radians."""
    chord, number = spatial.cKDTree(unit(*map(np.ravel, source))).query(
        unit(*map(np.ravel, target))
    )
    return number, 2 * np.arcsin(np.minimum(chord / 2, 1))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "u1", "i8", "M8[s]"])
def test_values_of_seeds(random, dtype):
    seeds = random.uniform(0, 600, 25), random.uniform(0, 400, 25)
    values = random.integers(0, 200, 25).astype(dtype)
    for extra in ({}, {"k": 3}, {"max_distance": 60.0}):
        numbers = allocation(seeds, **PLANE, **extra)
        found = nearest_value(seeds, values, **PLANE, **extra)
        fill = {"f": np.nan, "M": np.datetime64("NaT"), "i": np.iinfo("i8").min, "u": 255}[dtype[0]]
        if dtype[0] == "i":
            fill = np.iinfo(dtype).min
        expected = np.where(numbers < 0, np.asarray(fill).astype(dtype), values[numbers])
        assert found.dtype == values.dtype and np.array_equal(
            found, expected, equal_nan=dtype[0] in "fM"
        )
        assert extra != {"max_distance": 60.0} or (numbers < 0).any()


def test_several_and_times(random):
    seeds = random.uniform(0, 600, 25), random.uniform(0, 400, 25)
    a, b = random.normal(size=(4, 3, 25)), random.integers(0, 9, 25)
    numbers = allocation(seeds, **PLANE)
    found = nearest_value(seeds, {"a": a, "b": b}, **PLANE)
    assert (
        list(found) == ["a", "b"]
        and np.array_equal(found["a"], a[..., numbers])
        and np.array_equal(found["b"], b[numbers])
    )
    far = nearest_value(seeds, b, max_distance=1e-9, fill=-7, **PLANE)
    assert (far == -7).all()


@pytest.mark.parametrize("chunks", [None, (30, 50)])
def test_like(random, chunks):
    like = xarray.DataArray(
        np.zeros((60, 120)),
        dims=("lat", "lon"),
        coords={"lat": 88.5 - 3 * np.arange(60), "lon": -178.5 + 3 * np.arange(120)},
    )
    if chunks:
        pytest.importorskip("dask")
        like = like.chunk(dict(zip(("lat", "lon"), chunks)))
    seeds = globe(random, 50)
    level = xarray.DataArray(
        random.normal(size=(5, 50)), dims=("time", "station"), coords={"time": [3, 1, 4, 1, 5]}
    )
    made = nearest_value(seeds, {"level": level, "code": np.arange(50)}, like=like, k=2)
    assert made.level.dims == ("time", "rank", "lat", "lon") and made.code.dims == (
        "rank",
        "lat",
        "lon",
    )
    assert (
        (made.level.chunks is not None) == bool(chunks)
        and np.array_equal(made.lon, like.lon)
        and made.time.values.tolist() == [3, 1, 4, 1, 5]
    )
    numbers = np.asarray(allocation(seeds, like=like, k=2))
    assert np.array_equal(made.level, level.values[..., numbers]) and np.array_equal(
        made.code, numbers
    )
    assert nearest_value(seeds, np.arange(50), like=like).name == "value"


def test_columns(random):
    geopandas = pytest.importorskip("geopandas")
    x, y = random.uniform(0, 600, 25), random.uniform(0, 400, 25)
    frame = geopandas.GeoDataFrame(
        {"v": random.normal(size=25), "text": ["a"] * 25}, geometry=geopandas.points_from_xy(x, y)
    )
    assert np.array_equal(
        nearest_value(frame, "v", **PLANE), frame.v.to_numpy()[allocation((x, y), **PLANE)]
    )
    with pytest.raises(TypeError, match="numbers"):
        nearest_value(frame, "text", **PLANE)
    with pytest.raises(ValueError, match="no column"):
        nearest_value(frame, "none", **PLANE)
    frame.loc[3, "geometry"] = None
    kept = np.arange(25) != 3
    assert np.array_equal(
        nearest_value(frame, "v", skip_invalid=True, **PLANE),
        frame.v.to_numpy()[kept][allocation((x[kept], y[kept]), **PLANE)],
    )


def test_refusals(random):
    seeds = [0.0, 1.0], [0.0, 1.0]
    with pytest.raises(ValueError, match="last dimension"):
        nearest_value(seeds, [1, 2, 3], **PLANE)
    with pytest.raises(ValueError, match="fill"):
        nearest_value(seeds, np.array([1, 2], "u1"), fill=-1, **PLANE)
    with pytest.raises(ValueError, match="allocation"):
        nearest_value(np.eye(5), [1, 2], target_values=[1], extent=(0, 0, 5, 5), metric="euclidean")
    with pytest.raises(TypeError, match="xarray"):
        regrid([1, 2], seeds)
    with pytest.raises(ValueError, match="longitude"):
        regrid(xarray.DataArray([1.0, 2.0], dims="cell"), seeds)


def axes(lon, lat):
    return {
        "lon": ("lon", lon, {"units": "degrees_east"}),
        "lat": ("lat", lat, {"units": "degrees_north"}),
    }


def curvilinear(random, rows, columns):
    j, i = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    return 40 * i + 9 * j + 10.0123, 35 * j + 5 * i * i + 20.0417


def test_regrid_any_to_any(random):
    lon, lat = -175.0 + 10 * np.arange(36), 85.0 - 10 * np.arange(18)
    grid = xarray.DataArray(
        random.normal(size=(3, 18, 36)),
        dims=("time", "lat", "lon"),
        coords={**axes(lon, lat), "time": [1, 2, 3]},
    )
    grid_places = tuple(reversed(np.meshgrid(lat, lon, indexing="ij")))
    swath_places = curvilinear(random, 25, 30)
    swath = xarray.DataArray(
        random.normal(size=(25, 30)),
        dims=("y", "x"),
        coords={"XLONG": (("y", "x"), swath_places[0]), "XLAT": (("y", "x"), swath_places[1])},
    )
    mesh_places = globe(random, 700)
    mesh = xarray.Dataset(
        {"t": (("time", "ncells"), random.normal(size=(2, 700))), "n": ("other", [1])},
        {
            "clon": (
                "ncells",
                np.radians(mesh_places[0]),
                {"units": "radian", "standard_name": "longitude"},
            ),
            "clat": (
                "ncells",
                np.radians(mesh_places[1]),
                {"units": "radian", "standard_name": "latitude"},
            ),
        },
    )
    kinds = [(grid, grid_places), (swath, swath_places), (mesh, mesh_places)]
    for source, source_places in kinds:
        for target, places in [*kinds, (globe(random, 200), None)]:
            places = target if places is None else places
            made = regrid(source, target, metric="great-circle")
            values = source.t if source is mesh else source
            found = made.t if source is mesh else made
            lead = 0 if source is swath else 1
            number, _ = nearest(source_places, places)
            flat = values.values.reshape(*values.shape[:lead], -1)
            assert np.array_equal(found.values.reshape(*values.shape[:lead], -1), flat[..., number])
            assert found.dims[lead:] == (
                getattr(target, "t", target).dims[-np.ndim(places[0]) :]
                if hasattr(target, "dims")
                else ("cell",)
            )
    kept = regrid(mesh, swath)
    assert kept.n.dims == ("other",) and "XLAT" in kept.coords and "clat" not in kept.coords
    assert regrid(grid, swath).time.equals(grid.time)


def test_cells_without_a_place_and_the_limit(random):
    lon, lat = globe(random, 300)
    source = xarray.DataArray(
        np.arange(300),
        dims="cell",
        coords={"lon": ("cell", lon.copy()), "lat": ("cell", lat.copy())},
        name="code",
    )
    source.lon.values[:100] = np.nan
    target = globe(random, 500)
    target[0][7] = np.nan
    made = regrid(source, target, metric="great-circle", max_distance=5e5)
    number, arc = nearest((lon[100:], lat[100:]), [np.nan_to_num(t) for t in target])
    there = arc * 6371008.7714 <= 5e5
    there[7] = False
    assert 0 < there.sum() < 499 and made.name == "code" and made.dtype == source.dtype
    assert np.array_equal(made, np.where(there, number + 100, np.iinfo(int).min))


def test_the_limit_of_geodesics(random):
    """No distances are computed where chords decide, so the limit is tested on both sides of distances that PROJ has."""
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    lon, lat = globe(random, 200)
    source = xarray.DataArray(
        np.arange(200.0), dims="cell", coords={"lon": ("cell", lon), "lat": ("cell", lat)}
    )
    target = globe(random, 300)
    i, j = np.meshgrid(np.arange(300), np.arange(200), indexing="ij")
    meters = geod.inv(target[0][i], target[1][i], lon[j], lat[j])[2]
    least, number = meters.min(1), meters.argmin(1).astype(float)
    assert np.array_equal(regrid(source, target), number)
    for at in np.sort(least)[[0, 40, 150, 260, 299]]:
        for limit in (at * (1 - 1e-12), at * (1 + 1e-12)):
            assert np.array_equal(
                regrid(source, target, max_distance=limit),
                np.where(least <= limit, number, np.nan),
                equal_nan=True,
            )


def test_values_are_taken_lazily(random):
    da = pytest.importorskip("dask.array")
    calls = []

    data = da.concatenate(
        [da.from_delayed(_delayed(calls, i), (1, 10, 20), float) for i in range(6)]
    ).rechunk({1: 5})
    source = xarray.DataArray(
        data,
        dims=("time", "lat", "lon"),
        coords=axes(-171 + 18 * np.arange(20), 81 - 18 * np.arange(10)),
    )
    made = regrid(source, globe(random, 90))
    assert calls == [] and made.chunks[0] == (1,) * 6
    assert (made.isel(time=4).values == 4).all() and calls == [4]
    assert np.array_equal(made.values, np.repeat(np.arange(6.0)[:, None], 90, 1))


def _delayed(calls, number):
    import dask

    def load():
        calls.append(number)
        return np.full((1, 10, 20), float(number))

    return dask.delayed(load)()


def test_as_cdo_has_it(random, tmp_path):
    """cdo remapnn: nearest by great circle. Where values differ the distances must be equal but for rounding."""
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    pytest.importorskip("netCDF4")
    source = xarray.Dataset(
        {"v": (("lat", "lon"), np.arange(72 * 36, dtype=float).reshape(36, 72))},
        axes(2.5 + 5 * np.arange(72), -87.5 + 5 * np.arange(36)),
    )
    source.to_netcdf(tmp_path / "in.nc", format="NETCDF3_CLASSIC")
    (tmp_path / "grid").write_text(
        "gridtype = lonlat\nxsize = 97\nysize = 61\nxfirst = -170.3\nxinc = 3.51\nyfirst = -84.1\nyinc = 2.77\n"
    )
    subprocess.run(
        ["cdo", "-s", f"remapnn,{tmp_path / 'grid'}", tmp_path / "in.nc", tmp_path / "out.nc"],
        check=True,
        timeout=60,
    )
    theirs = xarray.open_dataset(tmp_path / "out.nc")
    ours = regrid(source, theirs, metric="great-circle")
    assert ours.v.shape == (61, 97) and ours.v.dims == ("lat", "lon")
    lat, lon = np.meshgrid(theirs.lat, theirs.lon, indexing="ij")
    places = [np.ravel(a) for a in reversed(np.meshgrid(source.lat, source.lon, indexing="ij"))]

    def away(numbers):
        return np.linalg.norm(
            unit(lon, lat) - unit(places[0][numbers], places[1][numbers]), axis=-1
        )

    differ = ours.v.values != theirs.v.values
    assert differ.mean() < 0.01
    assert np.all(
        np.abs(away(ours.v.values.astype(int)) - away(theirs.v.values.astype(int)))[differ] < 1e-7
    )


@pytest.mark.parametrize("units", [None, "rads", "degrees"])
def test_positions_of_mpas(random, units):
    """Radians by convention; positions of vertices and edges are there too."""
    lon, lat = globe(random, 300)
    turned = (lambda values: values) if units == "degrees" else np.radians
    attributes = {} if units is None else {"units": units}
    mesh = xarray.Dataset({"t": ("nCells", np.arange(300.0))})
    for of in ("Cell", "Vertex", "Edge"):
        dim = {"Vertex": "nVertices"}.get(of, f"n{of}s")
        mesh[f"lon{of}"], mesh[f"lat{of}"] = (
            (dim, turned(lon), attributes),
            (dim, turned(lat), attributes),
        )
    places = np.array([10.0, 200.0]), np.array([50.0, -30.0])
    number, _ = nearest((lon, lat), places)
    assert regrid(mesh, places).t.values.tolist() == number.tolist()
    vertices = xarray.DataArray(
        np.arange(300.0),
        dims="nVertices",
        coords={name: mesh[name] for name in ("lonVertex", "latVertex")},
    )
    assert regrid(vertices, places).values.tolist() == number.tolist()
    if units is None:
        with pytest.raises(ValueError, match="lonCell: missing units"):
            regrid(mesh.assign(lonCell=("nCells", lon)), places)


def test_a_raster_by_its_coordinate_system(random):
    """x, y and spatial_ref, as rioxarray writes them: on maps and in another datum than the source's."""
    pyproj = pytest.importorskip("pyproj")

    def raster(code, x, y):
        values = np.arange(float(x.size * y.size)).reshape(y.size, x.size)
        return xarray.DataArray(
            values,
            dims=("y", "x"),
            attrs={"grid_mapping": "spatial_ref"},
            coords={"x": x, "y": y, "spatial_ref": ((), 0, pyproj.CRS(code).to_cf())},
        )

    source = raster("EPSG:32633", 400e3 + 10e3 * np.arange(20), 5600e3 - 10e3 * np.arange(15))
    lon, lat = pyproj.Transformer.from_crs(32633, 4326, always_xy=True).transform(
        *np.meshgrid(source.x, source.y)
    )
    places = random.uniform(14, 16, 40), random.uniform(49.5, 50.4, 40)
    assert np.array_equal(
        regrid(source, places, metric="great-circle"), nearest((lon, lat), places)[0]
    )
    target = raster("EPSG:3035", 4500e3 + 15e3 * np.arange(8), 3000e3 - 15e3 * np.arange(6))
    ends = pyproj.Transformer.from_crs(3035, 4326, always_xy=True).transform(
        *np.meshgrid(target.x, target.y)
    )
    made = regrid(source, target, metric="great-circle")
    assert np.array_equal(made.values.ravel(), nearest((lon, lat), ends)[0])
    assert (
        made.attrs["grid_mapping"] == "spatial_ref"
        and made.spatial_ref.attrs == target.spatial_ref.attrs
    )
    assert made.x.equals(target.x) and made.y.equals(target.y)
    degrees = raster("EPSG:4326", np.arange(5.0), np.arange(3.0, -1, -1))
    assert regrid(degrees, ([1.1], [2.1])).values.tolist() == [6.0]
    with pytest.raises(ValueError, match="longitude"):
        regrid(degrees.drop_vars("spatial_ref"), ([1.1], [2.1]))


@pytest.mark.parametrize("target", ["places", "healpix:1"])
def test_nearest_valid(random, target):
    lon, lat = np.meshgrid(np.arange(0, 360, 20.0), np.arange(-80, 81, 20.0))
    values = random.normal(size=(4, *lon.shape))
    values[1, 2:5], values[2, :, 3], values[3] = np.nan, np.nan, np.nan
    source = xarray.DataArray(
        values, dims=("time", "lat", "lon"), coords={"lat": lat[:, 0], "lon": lon[0]}
    )
    places = (random.uniform(0, 360, 30), random.uniform(-80, 80, 30))
    made = regrid(
        source, places if target == "places" else target, metric="great-circle", nearest_valid=True
    )
    if target != "places":
        assert np.isfinite(made[:3]).all() and np.isnan(made[3]).all()
        return
    for time in range(3):
        there = np.isfinite(values[time])
        expected = values[time][there][nearest((lon[there], lat[there]), places)[0]]
        assert np.array_equal(made[time], expected)
    assert np.isnan(made[3]).all()
    assert np.isnan(regrid(source, places)[1]).any()


def test_bools_and_chunks(random):
    lon, lat = np.arange(0, 360, 10.0), np.arange(-85, 86, 10.0)
    source = xarray.DataArray(
        random.normal(size=(24, lat.size, lon.size)),
        dims=("time", "lat", "lon"),
        coords={"lat": lat, "lon": lon},
    )
    places = random.uniform(0, 360, 9), random.uniform(-80, 80, 9)
    plain = regrid(source, places)
    land = regrid(source > 0, places)
    assert land.dtype == bool and np.array_equal(land, plain > 0)
    assert not regrid(source < np.inf, ([5.0], [0.0]), max_distance=1.0).any()
    pytest.importorskip("dask")
    chunked = regrid(source.chunk({"time": 10, "lat": 4, "lon": 5}), places)
    assert chunked.chunks[0] == (10, 10, 4) and chunked.identical(chunked.copy(data=plain.values))


def test_uxarray(random):
    """Its classes where it is installed; otherwise one with the same attributes."""
    lon, lat = random.uniform(0, 360, 20), random.uniform(-80, 80, 20)

    class Mesh:
        face_lon, face_lat = (
            xarray.DataArray(lon, dims="n_face"),
            xarray.DataArray(lat, dims="n_face"),
        )
        node_lon, node_lat = (
            face_lon[:12].rename(n_face="n_node"),
            face_lat[:12].rename(n_face="n_node"),
        )

    class OnMesh(xarray.DataArray):
        __slots__ = ()
        uxgrid = Mesh

    places = random.uniform(0, 360, 7), random.uniform(-80, 80, 7)
    assert np.array_equal(
        regrid(OnMesh(np.arange(20.0), dims="n_face"), places), nearest((lon, lat), places)[0]
    )
    assert np.array_equal(
        regrid(OnMesh(np.arange(12.0), dims="n_node"), places),
        nearest((lon[:12], lat[:12]), places)[0],
    )
    source = xarray.DataArray(
        np.arange(7.0), dims="cell", coords={"lon": ("cell", places[0]), "lat": ("cell", places[1])}
    )
    assert np.array_equal(regrid(source, Mesh()), nearest(places, (lon, lat))[0])
    with pytest.raises(ValueError, match="faces, nodes or edges"):
        regrid(OnMesh(np.arange(20.0), dims="other"), places)
