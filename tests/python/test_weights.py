"""regrid_weights: applied to fields by hand, the weights give what regrid gives; inverse distances as scipy and formulas give them."""

import os
import subprocess

import numpy as np
import pytest
from conftest import PATIENCE, globe

from gpuvoronoi import GlobeTree, regrid, regrid_weights

xarray = pytest.importorskip("xarray")
sparse = pytest.importorskip("scipy.sparse")


def axes(rows=18, columns=36):
    lat, lon = (np.arange(rows) + 0.5) * 180 / rows - 90, (np.arange(columns) + 0.5) * 360 / columns
    return xarray.Dataset(coords={"lat": ("lat", lat[::-1]), "lon": ("lon", lon)})


def swath(random):
    lon, lat = globe(random, 60)
    lon[7], lat[9] = np.nan, np.nan  # cells without a position
    at = {"lon": (("y", "x"), lon.reshape(6, 10)), "lat": (("y", "x"), lat.reshape(6, 10))}
    return xarray.Dataset(coords=at)


def matrix(weights):
    """As users apply weight files, by the names and numbers of ESMF."""
    shape = weights.sizes["n_b"], weights.sizes["n_a"]
    at = weights.row.values - 1, weights.col.values - 1
    return sparse.coo_matrix((weights.S.values, at), shape).tocsr()


def applied(weights, field):
    made = matrix(weights) @ np.asarray(field).ravel()
    made[weights.frac_b.values == 0] = np.nan
    return made.reshape(weights.dst_grid_dims.values[::-1])


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
@pytest.mark.parametrize("limit", [np.inf, 900e3])
def test_equal_to_regrid(random, metric, limit, tmp_path):
    """Both ways, also for grid systems; read back from a file."""
    kinds = [axes(), swath(random), "healpix:2", "s2:1"]
    options = {"metric": metric, "max_distance": limit}
    for i, source in enumerate(kinds[:2]):
        dims = ("lat", "lon") if i == 0 else ("y", "x")
        shape = tuple(source.sizes[name] for name in dims)
        field = source.assign(t=(dims, random.normal(size=shape))).t
        for target in kinds:
            made = regrid_weights(source, target, **options)
            assert made.src_grid_dims.values.tolist() == list(shape[::-1])
            expected = regrid(field, target, **options).values
            assert np.array_equal(applied(made, field), expected, equal_nan=True)
            assert np.isnan(expected).any() == (made.frac_b.values == 0).any()
            assert np.array_equal(
                regrid_weights(target, source, **options).dst_grid_dims, made.src_grid_dims
            )
    pytest.importorskip("netCDF4")
    made.to_netcdf(tmp_path / "weights.nc")
    with xarray.open_dataset(tmp_path / "weights.nc") as file:
        assert file.row.dtype == np.int32 and file.row.dims == ("n_s",)
        assert np.array_equal(applied(file, field), expected, equal_nan=True)


def test_inverse_distances(random):
    source, target = globe(random, 50), globe(random, 40)
    target[0][3], target[1][3] = source[0][20], source[1][20]  # a distance of 0
    made = regrid_weights(source, target, k=4, power=1.5)
    meters, numbers = GlobeTree(*source).query(*target, range(1, 5))
    with np.errstate(divide="ignore"):
        shares = meters**-1.5
    shares[3] = [1, 0, 0, 0]
    dense = np.zeros((40, 50))
    np.put_along_axis(dense, numbers, shares / shares.sum(axis=1, keepdims=True), axis=1)
    assert np.allclose(matrix(made).toarray(), dense, rtol=1e-14)
    assert np.array_equal(made.row, np.repeat(np.arange(1, 41), 4))
    assert np.array_equal(made.col.values.reshape(40, 4), numbers + 1)
    near = regrid_weights(source, target, k=4, max_distance=700e3)
    counts = np.bincount(near.row.values - 1, minlength=40)
    assert np.array_equal(counts, (meters <= 700e3).sum(axis=1)) and (counts == 0).any()
    assert np.allclose(matrix(near).sum(axis=1).ravel(), counts > 0)
    one = regrid_weights(source, "healpix:1", k=2)
    first = one.col.values.reshape(-1, 2)[:, 0]
    assert np.array_equal(first, regrid_weights(source, "healpix:1").col)


def test_far_and_equal_places():
    """No power overflows, and places at one position share the weight."""
    made = regrid_weights(([0, 0, 50], [0, 0, 0]), ([0, 20], [0, 0]), k=3, power=200.0)
    assert np.allclose(made.S.values.reshape(2, 3), [[0.5, 0.5, 0], [0.5, 0.5, 0]])


def test_cells(random):
    made = regrid_weights(axes(), swath(random))
    assert np.isclose(made.area_a.sum(), 4 * np.pi, rtol=1e-12) and made.area_b.sum() == 0
    assert np.isclose(made.area_a[0], np.radians(10) * (1 - np.sin(np.radians(80))))
    assert (made.mask_b == 0).sum() == 2 and made.yc_a[0] == 85 and made.xc_a[1] == 15
    system = regrid_weights("healpix:2", "s2:2")
    assert np.allclose(system.area_a, 4 * np.pi / 192, rtol=1e-14)
    assert np.isclose(system.area_b.sum(), 4 * np.pi, rtol=1e-12)
    assert system.src_grid_dims.values.tolist() == [192]


def command(folder, *arguments):
    """The arrays of a file of the command."""
    gdal = pytest.importorskip("osgeo.gdal")
    if not os.environ.get("GPUVORONOI_COMMAND"):
        pytest.skip("the command is not built")
    gdal.UseExceptions()
    subprocess.run(
        [os.environ["GPUVORONOI_COMMAND"], "weights", *arguments, "w.nc"],
        cwd=folder,
        check=True,
        timeout=PATIENCE,
    )
    group = gdal.OpenEx(str(folder / "w.nc"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    return {name: group.OpenMDArray(name).ReadAsArray() for name in group.GetMDArrayNames()}


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("back", [False, True])
def test_command_writes_the_same_bytes(tmp_path, k, back):
    """Of a raster and a grid system, both ways: every array, its order and its type."""
    gdal = pytest.importorskip("osgeo.gdal")
    field = axes().assign(t=(("lat", "lon"), np.zeros((18, 36))))
    made = gdal.GetDriverByName("GTiff").Create(str(tmp_path / "field.tif"), 36, 18)
    made.SetGeoTransform((0, 10, 0, 90, 0, -10))
    made.SetProjection("EPSG:4326")
    made = None
    sides = [(field.t, "field.tif"), ("healpix:3", "healpix:3")]
    (source, first), (target, second) = sides[::-1] if back else sides
    limit = {"max_distance": 800e3, "power": 1.5} if k > 1 else {}
    options = ["--max-distance", "800km", "--power", "1.5", "-k", str(k)] if k > 1 else []
    written = command(tmp_path, "--source", first, "--target", second, *options)
    for name, array in regrid_weights(source, target, k=k, **limit).variables.items():
        if name.startswith("xc"):  # from 180 west, and from 0
            assert np.array_equal(written[name] % 360, array.values % 360), name
        elif name == "S" and back:  # distances of a tree have other last bits
            assert np.allclose(written[name], array.values, rtol=1e-12, atol=0)
        else:
            assert written[name].dtype == array.dtype, name
            assert written[name].tobytes() == array.values.tobytes(), name


@pytest.mark.parametrize(
    "more, words",
    [
        ({"k": 0}, "k must be from 1 to 64"),
        ({"power": -1.0}, "power must be"),
        ({"target": "healpix:1", "dims": ("a",)}, "ellipsoid and dims go with coordinates"),
        ({"source": "isea:3"}, "cells must be"),
    ],
)
def test_errors(more, words):
    with pytest.raises(ValueError, match=words):
        regrid_weights(**{"source": ([0.0], [0.0]), "target": ([1.0], [0.0]), **more})
