"""Cells of a raster as seeds: by definition, as scipy's distance transform has them, and as the command writes them."""

import subprocess
import tracemalloc

import numpy as np
import pytest
from conftest import command

from gpuvoronoi import allocation, direction, proximity, statistics, voronoi


def classes(random, rows=40, columns=60):
    """0 (no seed) to 3, in patches."""
    ndimage = pytest.importorskip("scipy.ndimage")
    return np.digitize(
        ndimage.gaussian_filter(random.normal(size=(rows, columns)), 2), (0.02, 0.06, 0.1)
    )


def raster(values, x0=5.0, dx=10.0, y0=395.0, dy=-10.0, dims=("y", "x"), **more):
    xarray = pytest.importorskip("xarray")
    rows, columns = values.shape
    return xarray.DataArray(
        values,
        {dims[0]: y0 + dy * np.arange(rows), dims[1]: x0 + dx * np.arange(columns)},
        dims,
        **more,
    )


def by_definition(values, chosen):
    """The nearest value of `chosen` for each cell, the lowest of several, its distance, and the way to the first cell of it."""
    rows, columns = np.indices(values.shape)
    least = np.full(values.shape, np.inf)
    nearest, dx, dy = np.full(values.shape, -1), np.zeros(values.shape), np.zeros(values.shape)
    for value in chosen:
        r, c = np.nonzero(values == value)
        d = np.hypot(r - rows[..., None], c - columns[..., None])
        at = d.argmin(axis=-1)
        closer = d.min(axis=-1) < least
        least = np.where(closer, d.min(axis=-1), least)
        nearest = np.where(closer, value, nearest)
        dx, dy = np.where(closer, c[at] - columns, dx), np.where(closer, rows - r[at], dy)
    return nearest, 10 * least, np.degrees(np.arctan2(dx, dy)) % 360


@pytest.mark.parametrize("chosen", [(), (1, 3), (2, 77)])
def test_by_definition(random, chosen):
    values = classes(random)
    nearest, far, angle = by_definition(values, [v for v in chosen or (1, 2, 3) if v < 4])
    found = voronoi(raster(values), target_values=chosen, metric="euclidean", dtype="float64")
    assert np.array_equal(found["allocation"], nearest)
    np.testing.assert_allclose(found["proximity"], far, rtol=1e-14)
    assert np.max(np.abs((found["direction"].to_numpy() - angle + 180) % 360 - 180)) < 1e-3
    plain = {"target_values": chosen, "extent": (0, 0, 600, 400), "metric": "euclidean"}
    assert np.array_equal(allocation(values, **plain), nearest)
    np.testing.assert_allclose(proximity(values, dtype="float64", **plain), far, rtol=1e-14)
    np.testing.assert_array_equal(direction(values.astype(float), **plain), found["direction"])


def test_scipys_distances(random):
    ndimage = pytest.importorskip("scipy.ndimage")
    values = classes(random, 300, 400)
    truth = ndimage.distance_transform_edt(values != 2, sampling=(20, 30))
    found = proximity(
        raster(values, dx=30.0, dy=-20.0),
        target_values=[2],
        distance_metric="EUCLIDEAN",
        dtype="float64",
    )
    np.testing.assert_allclose(found, truth, rtol=1e-14)


def test_xarray_spatials_names(random):
    values = classes(random)
    of = raster(values, -177.0, 6.0, 78.0, -4.0, ("lat", "lon")).isel(lat=slice(0, 39))
    as_theirs = proximity(
        of, x="lon", y="lat", target_values=[1], max_distance=2e6, distance_metric="GREAT_CIRCLE"
    )
    ours = proximity(of, target_values=[1], max_distance=2e6, metric="great-circle")
    np.testing.assert_array_equal(as_theirs, ours)
    assert (
        as_theirs.dims == ("lat", "lon")
        and np.isnan(as_theirs).any()
        and (as_theirs.values[values[:39] == 1] == 0).all()
    )
    lon, lat = np.meshgrid(of.lon, of.lat)
    at = values[:39] == 1
    everywhere = proximity((lon[at], lat[at]), like=of, metric="great-circle")
    np.testing.assert_array_equal(
        proximity(of, target_values=[1], metric="great-circle"), everywhere
    )
    np.testing.assert_array_equal(
        proximity(of.T, target_values=[1], metric="great-circle"), everywhere
    )


def test_missing_cells_masks_and_types(random):
    values = classes(random)
    plain = allocation(raster(values), target_values=[1, 2], metric="euclidean")
    gaps = values.astype(np.float32)
    gaps[values == 3] = np.nan
    assert np.array_equal(allocation(raster(gaps), metric="euclidean"), plain)
    assert np.array_equal(
        allocation(raster(values, attrs={"_FillValue": 3}), metric="euclidean"), plain
    )
    mask = random.random(values.shape) < 0.5
    found = voronoi(raster(values), target_values=[1, 2], metric="euclidean", mask=mask)
    assert np.array_equal(found["allocation"], np.where(mask, plain, -1))
    assert np.array_equal(np.isnan(found["proximity"]), ~mask)
    wide = allocation(
        raster(np.where(values == 2, 2**40, values)), target_values=[2**40, 1], metric="euclidean"
    )
    assert wide.dtype == np.int64 and np.array_equal(wide == 2**40, plain == 2)
    below = allocation(
        raster(values - 2), target_values=[-1], metric="euclidean", max_distance=20.0
    )
    assert set(np.unique(below)) == {-1, -(2**31)} and below.attrs["_FillValue"] == -(2**31)
    assert (allocation(raster(values > 0), metric="euclidean") == 1).all()


TYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "longdouble",
    ">i2",
    ">u8",
    ">f4",
)


@pytest.mark.parametrize("dtype", TYPES)
def test_types_and_layouts(random, dtype):
    """The same values have the same answers, however they lie in memory."""
    values = classes(random)
    chosen = (1, 3) if dtype != "bool" else (1,)
    plain = voronoi(
        raster(values if dtype != "bool" else np.minimum(values, 1)),
        target_values=chosen,
        metric="euclidean",
    )
    held = values.astype(dtype)
    wide = np.zeros((80, 180), dtype)
    wide[::2, 1::3] = held
    for same in (
        held,
        np.asfortranarray(held),
        held[::-1, ::-1].copy()[::-1, ::-1],
        wide[::2, 1::3],
    ):
        found = voronoi(
            raster(same), target_values=np.array(chosen, dtype=float), metric="euclidean"
        )
        for name in plain:
            np.testing.assert_array_equal(found[name], plain[name])
            assert found[name].dtype == plain[name].dtype


def test_targets_that_no_cell_can_hold(random):
    values = classes(random).astype(np.uint8)
    plain = allocation(raster(values), target_values=[2], metric="euclidean")
    for targets in ([2, 258], [2.0, 2.5], [-254, 2], [2, 1e300, np.nan]):
        np.testing.assert_array_equal(
            allocation(raster(values), target_values=targets, metric="euclidean"), plain
        )
    assert (allocation(raster(values), target_values=[2.5], metric="euclidean") == -1).all()
    for fill in (3, 3.0, np.float32(3)):
        found = allocation(raster(values, attrs={"_FillValue": fill}), metric="euclidean")
        np.testing.assert_array_equal(
            found, allocation(raster(values), target_values=[1, 2], metric="euclidean")
        )
    for fill in (259, -253, 3.5, np.nan, "3"):
        np.testing.assert_array_equal(
            allocation(raster(values, attrs={"_FillValue": fill}), metric="euclidean"),
            allocation(raster(values), metric="euclidean"),
        )
    nodata = raster(
        np.where(values == 3, np.float32(-3.4e38), values).astype(np.float32),
        attrs={"_FillValue": -3.4e38},
    )
    np.testing.assert_array_equal(
        allocation(nodata, metric="euclidean"),
        allocation(raster(values), target_values=[1, 2], metric="euclidean"),
    )


def test_masked_arrays(random):
    values = classes(random)
    where = {"extent": (0, 0, 600, 400), "target_values": (), "metric": "euclidean"}
    plain = voronoi(np.where(values == 3, 0, values), **where)
    for masked in (np.ma.masked_equal(values, 3), np.ma.masked_equal(values[::-1], 3)[::-1]):
        found = voronoi(masked, **where)
        for name in plain:
            np.testing.assert_array_equal(found[name], plain[name])
    np.testing.assert_array_equal(
        allocation(np.ma.array(values), **where), allocation(values, **where)
    )
    assert (
        allocation(
            np.ma.masked_all((3, 4)), target_values=(), extent=(0, 0, 4, 3), metric="euclidean"
        )
        == -1
    ).all()


def test_no_other_array_is_as_large_as_the_answers(random):
    """Rasters are read and answers are written by the library, block by block."""
    values = np.zeros((1500, 2000))
    values.flat[random.choice(values.size, 300)] = 1 + np.arange(300)
    mask = np.ones(values.shape, bool)
    of = raster(values)
    allocation(of, metric="euclidean")
    swapped = raster(values.astype(values.dtype.newbyteorder()))
    for function, seeds, more in (
        (allocation, of, {}),
        (proximity, of, {"mask": mask}),
        (voronoi, of, {"mask": mask}),
        (direction, of, {"mask": mask.astype(float)}),
        (allocation, swapped, {}),
    ):
        tracemalloc.start()
        found = function(seeds, metric="euclidean", workers=1, **more)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < found.nbytes + 3e6, function.__name__


def test_other_grids(random):
    values = classes(random)
    other = raster(np.zeros((17, 23)), 2.0, 31.0, 410.0, -27.5)
    found = voronoi(raster(values), like=other, metric="euclidean", dtype="float64")
    x, y = np.meshgrid(other.x, other.y)
    at = [np.argwhere(values == v) for v in (1, 2, 3)]
    least = np.array(
        [
            np.hypot(5 + 10 * a[:, 1] - x[..., None], 395 - 10 * a[:, 0] - y[..., None]).min(
                axis=-1
            )
            for a in at
        ]
    )
    np.testing.assert_allclose(found["proximity"], least.min(axis=0), rtol=1e-12)
    assert np.array_equal(found["allocation"], 1 + least.argmin(axis=0))
    np.testing.assert_array_equal(
        proximity(raster(values), shape=(5, 7), extent=(0, 0, 700, 500), metric="euclidean"),
        proximity(
            values,
            target_values=(),
            extent=(0, 0, 600, 400),
            metric="euclidean",
            like=raster(np.zeros((5, 7)), 50.0, 100.0, 450.0, -100.0),
        ),
    )
    world = raster(values, -177.0, 6.0, 87.75, -4.5, ("lat", "lon"))
    triangles = allocation(world, level=3)
    assert triangles.shape == (512,) and set(np.unique(triangles)) <= {1, 2, 3}


@pytest.mark.parametrize("crs", [4326, 32633])
def test_as_the_command_writes_them(random, tmp_path, crs):
    gdal = pytest.importorskip("osgeo.gdal")
    osr = pytest.importorskip("osgeo.osr")
    pytest.importorskip("pyproj")
    program = command()
    values = classes(random)
    made = gdal.GetDriverByName("GTiff").Create(str(tmp_path / "r.tif"), 60, 40, 1, gdal.GDT_Byte)
    system = osr.SpatialReference()
    system.ImportFromEPSG(crs)
    made.SetSpatialRef(system)
    transform = (-180, 6, 0, 80, 0, -4) if crs == 4326 else (5e5, 100, 0, 6e6, 0, -100)
    made.SetGeoTransform(transform)
    made.GetRasterBand(1).WriteArray(values)
    made = None
    extent = (
        transform[0],
        transform[3] + 40 * transform[5],
        transform[0] + 60 * transform[1],
        transform[3],
    )
    for metric in ("geodesic", "great-circle") if crs == 4326 else ("euclidean", "geodesic"):
        subprocess.run(
            [
                program,
                "--seeds-raster",
                "r.tif",
                "--values",
                "1,3",
                "--metric",
                metric,
                "--distance",
                "d.tif",
                "--azimuth",
                "a.tif",
                "--overwrite",
                "o.tif",
            ],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
        found = voronoi(values, target_values=[1, 3], extent=extent, crs=crs, metric=metric)
        for name, file in (("allocation", "o.tif"), ("proximity", "d.tif"), ("direction", "a.tif")):
            theirs = gdal.Open(str(tmp_path / file)).ReadAsArray()
            np.testing.assert_array_equal(
                np.asarray(found[name]), theirs, err_msg=f"{metric} {name}"
            )


def test_dask(random):
    pytest.importorskip("dask.array")
    values = classes(random)
    whole = voronoi(raster(values), metric="euclidean", mask=values != 2)
    gaps = np.where(values != 2, 1.0, np.nan)
    lazy = voronoi(raster(values).chunk({"y": 20, "x": 32}), metric="euclidean", mask=gaps)
    for name, of in whole.items():
        assert hasattr(lazy[name].data, "dask") and lazy[name].dtype == of.dtype
        np.testing.assert_array_equal(lazy[name], of)


def test_what_makes_no_sense(random):
    values = classes(random)
    of = raster(values)
    for arguments, error, text in [
        (dict(metric="euclidean", weights=[1.0]), ValueError, "weights: cells of a raster"),
        (dict(metric="euclidean", ids=[1]), ValueError, "ids: cells of a raster"),
        (dict(metric="euclidean", target_values="ab"), ValueError, "target_values must be numbers"),
        (
            dict(metric="euclidean", distance_metric="EUCLIDEAN"),
            ValueError,
            "distance_metric is another name",
        ),
        (dict(distance_metric="MILES"), ValueError, "distance_metric must be one of"),
        (dict(metric="euclidean", x="z"), ValueError, "no dimension 'z'"),
        ({}, ValueError, "metric: required without a coordinate system"),
    ]:
        with pytest.raises(error, match=text):
            allocation(of, **arguments)
    with pytest.raises(
        ValueError, match=r"row 0, column 0: unsupported value \([0-3].5\); expected integers"
    ):
        allocation(of + 0.5, metric="euclidean")
    with pytest.raises(
        ValueError, match=r"^seeds: row 2, column 3: unsupported value \(0.1\); expected integers$"
    ):
        allocation(
            of.where((of.x != of.x[3]) | (of.y != of.y[2]), 0.1).astype(np.float32),
            metric="euclidean",
        )
    with pytest.raises(TypeError, match="unsupported type of a raster .complex"):
        allocation(of.astype(complex), metric="euclidean")
    assert allocation(of.expand_dims("time"), metric="euclidean").equals(
        allocation(of, metric="euclidean").expand_dims("time")
    )
    with pytest.raises(ValueError, match="shape: the array of seeds has one"):
        allocation(values, target_values=(), shape=(3, 3), metric="euclidean")
    with pytest.raises(TypeError, match="target_values: the seeds are not a raster"):
        allocation(([0.0], [0.0]), target_values=[1], shape=(3, 3))
    with pytest.raises(ValueError, match="ids: cells of a raster as seeds have their values"):
        statistics(of, ids=[1], metric="euclidean")


@pytest.mark.parametrize("chunked", [False, True])
def test_no_cell_is_a_seed(random, chunked):
    """A land cover without the requested class, an empty tile."""
    of = raster(classes(random))
    if chunked:
        pytest.importorskip("dask")
        of = of.chunk({of.dims[0]: 7, of.dims[1]: 9})
    for empty, targets in ((of, [9]), (of * 0, None), (of * np.nan, [1])):
        found = voronoi(empty, target_values=targets, metric="euclidean", dtype="float64")
        assert all(
            found[name].dims == of.dims and (found[name].chunks == of.chunks) for name in found
        )
        assert (found["allocation"] == -1).all() and found["allocation"].dtype == np.int32
        assert (
            np.isnan(found["proximity"]).all()
            and found["proximity"].dtype == np.float64
            and np.isnan(found["direction"]).all()
        )
    assert (
        allocation(np.zeros((4, 5)), target_values=[3], extent=(0, 0, 5, 4), metric="euclidean")
        == -1
    ).all()


def test_strides_of_single_rows():
    """numpy's stride along an axis of one entry is arbitrary."""
    odd = np.lib.stride_tricks.as_strided
    mask, cells = (
        odd(np.array([1, 0, 1, 1, 0], np.uint8), (1, 5), (1, 1)),
        odd(np.array([0.0, 0.0, 3.0, 0.0, 7.0]), (1, 5), (8, 8)),
    )
    assert mask.flags.c_contiguous
    found = allocation(cells, target_values=(), extent=(0, 0, 5, 1), metric="euclidean", mask=mask)
    assert found.tolist() == [[3, -1, 3, 3, -1]]
    found = allocation(
        ([0.5, 4.5], [0.5, 0.5]), shape=(1, 5), extent=(0, 0, 5, 1), metric="euclidean", mask=mask
    )
    assert found.tolist() == [[0, -1, 0, 1, -1]]


@pytest.mark.parametrize("grid", ["own", "other", "one value"])
def test_statistics_as_the_command_has_them(random, tmp_path, grid):
    """A row a value: cells that are seeds count, and a value that covers a whole raster has all of it."""
    pandas = pytest.importorskip("pandas")
    gdal = pytest.importorskip("osgeo.gdal")
    program = command()
    values = classes(random) if grid != "one value" else np.full((40, 60), 7)
    people = random.uniform(0, 9, values.shape)
    for name, array in (("seeds", values.astype(np.int32)), ("people", people)):
        made = gdal.GetDriverByName("GTiff").Create(
            str(tmp_path / f"{name}.tif"),
            60,
            40,
            1,
            gdal.GDT_Int32 if name == "seeds" else gdal.GDT_Float64,
        )
        made.SetGeoTransform((0, 10, 0, 400, 0, -10))
        made.GetRasterBand(1).WriteArray(array)
        made = None
    extent = (
        ["--extent", "-105,-53,605,447", "--size", "71,50"]
        if grid == "other"
        else ["--sum", "people=people.tif"]
    )
    subprocess.run(
        [
            program,
            "--seeds-raster",
            "seeds.tif",
            "--metric",
            "euclidean",
            *extent,
            "--stats",
            "t.csv",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    theirs = pandas.read_csv(tmp_path / "t.csv")
    if grid == "other":
        like = {"like": raster(np.zeros((50, 71)), -100.0, 10.0, 442.0, -10.0)}
    else:
        like = {"sums": {"people": people}}
    ours = statistics(raster(values), metric="euclidean", **like)
    assert ours["cells"].sum() == (50 * 71 if grid == "other" else 2400)
    assert list(ours.columns) == [name for name in theirs.columns if name != "id"]
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-14)
    if grid != "other":
        assert abs(ours["people_sum"].sum() - people.sum()) < 1e-9
    mask = random.random(values.shape) < 0.3
    if grid == "own":
        assert (
            statistics(raster(values), metric="euclidean", mask=mask)["cells"].sum() == mask.sum()
        )
    empty = statistics(raster(values * 0), metric="euclidean")
    assert len(empty) == 0


@pytest.mark.parametrize("metric", ["euclidean", "geodesic"])
def test_further_neighbors_are_cells(random, metric):
    values = classes(random)
    of = (
        raster(values)
        if metric == "euclidean"
        else raster(values, -170.0, 5.0, 80.0, -4.0, ("lat", "lon"))
    )
    found = voronoi(of, k=3, metric=metric, dtype="float64")
    rows, columns = np.nonzero(values)
    order = np.argsort(values[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    x, y = of[of.dims[1]].values, of[of.dims[0]].values
    points = voronoi((x[columns], y[rows]), like=of, k=3, metric=metric, dtype="float64")
    expected = values[rows, columns][points["allocation"].values]
    np.testing.assert_array_equal(found["allocation"], expected)
    np.testing.assert_array_equal(found["proximity"], points["proximity"])
    np.testing.assert_array_equal(
        found["proximity"][0], proximity(of, metric=metric, dtype="float64")
    )
    with pytest.raises(ValueError, match="k: tables of raster cells"):
        statistics(of, k=2, metric=metric)


def test_each_variable_of_a_dataset(random):
    values = classes(random)
    dataset = raster(values).to_dataset(name="zone")
    dataset["other"] = dataset["zone"].T * 2
    dataset["year"] = 2026
    for function in (allocation, proximity, direction):
        found = function(dataset, metric="euclidean")
        assert list(found.data_vars) == ["zone", "other"]
        for name in found.data_vars:
            assert found[name].equals(function(dataset[name], metric="euclidean"))
    with pytest.raises(TypeError, match="choose one of its variables"):
        voronoi(dataset, metric="euclidean")
