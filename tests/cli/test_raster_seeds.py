"""Cells of rasters as seeds, against brute force over all cells, scipy's distance transform, gdal_proximity and GRASS."""

import csv
import os
import shutil
import subprocess

import numpy as np
import pytest
from osgeo import gdal, ogr
from scipy.ndimage import distance_transform_edt, gaussian_filter

from conftest import WGS84, Geodesic, centers, crs, unit_vectors

RADIUS = (2 * WGS84[0] + WGS84[0] * (1 - WGS84[1])) / 3
PLANE = (500000, 30, 0, 6000000, 0, -30)


def blobs(width, height, wrap=False, seed=1, levels=(0.02, 0.06, 0.1)):
    """Values 0 (no seed) to 3, in patches."""
    noise = np.random.default_rng(seed).normal(size=(height, width))
    smooth = gaussian_filter(noise, 2, mode=["nearest", "wrap" if wrap else "nearest"])
    return np.digitize(smooth, levels).astype(np.int32)


def put(work, name, values, transform, epsg=None, kind=gdal.GDT_Int32, nodata=None, bands=1):
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path(name)), values.shape[1], values.shape[0], bands, kind
    )
    made.SetGeoTransform(transform)
    if epsg is not None:
        made.SetSpatialRef(crs(epsg))
    band = made.GetRasterBand(bands)
    if nodata is not None:
        band.SetNoDataValue(nodata)
    band.WriteArray(values)
    made = band = None
    return name


def flat(metric):
    def distance(x, y, sx, sy):
        dx, dy = x[:, None] - sx, y[:, None] - sy
        if metric == "euclidean":
            return np.sqrt(dx * dx + dy * dy)
        return abs(dx) + abs(dy) if metric == "manhattan" else np.maximum(abs(dx), abs(dy))

    return distance


def great_circle(x, y, sx, sy):
    chord = np.linalg.norm(unit_vectors(x, y)[:, None] - unit_vectors(sx, sy), axis=-1)
    return 2 * RADIUS * np.arcsin(np.minimum(chord / 2, 1))


def by_value(values, raster, queries, distance, counts=None):
    """The values, and cells x values the least distances; for the cells' centers of two datasets."""
    counts = values != 0 if counts is None else counts
    x, y = (c.ravel() for c in centers(queries))
    sx, sy = (c.ravel() for c in centers(raster))
    found = np.unique(values[counts])
    least = np.empty((x.size, found.size))
    for i, value in enumerate(found):
        of = (counts & (values == value)).ravel()
        for at in range(0, x.size, 500):
            least[at : at + 500, i] = distance(
                x[at : at + 500], y[at : at + 500], sx[of], sy[of]
            ).min(axis=1)
    return found, least


def check(work, found, least, out="out.tif", distance=None, tolerance=1e-9):
    """Nearest values, except where two are as near but for rounding; distances."""
    got, best = work.read(out).ravel(), least.min(axis=1)
    mine = least[np.arange(best.size), np.searchsorted(found, got)]
    assert np.isin(got, found).all()
    assert np.all(mine <= best + tolerance * (1 + best))
    clear = (
        np.partition(least, 1, axis=1)[:, 1] > best * (1 + 1e-9) + 1e-6
        if found.size > 1
        else best >= 0
    )
    assert np.array_equal(got[clear], found[least.argmin(axis=1)][clear])
    if distance is not None:
        assert np.allclose(work.read(distance).ravel(), best, rtol=1e-9, atol=1e-6)


# -------------------------------------------------------------------------------------------------------- the plane


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize(
    "transform",
    [PLANE, (0, 1, 0, 0, 0, 1), (7, -2, 0, 3, 0, -0.25), (100, 4, 3, 50, 3, -4)],
    ids=["usual", "south-up", "mirrored", "rotated"],
)
def test_own_grid_of_a_plane(work, metric, transform):
    values = blobs(48, 40)
    put(work, "r.tif", values, transform, 32633)
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--metric",
        metric,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    raster = work.open("r.tif")
    found, least = by_value(values, raster, raster, flat(metric))
    check(work, found, least, distance="d.tif")
    assert work.open("out.tif").GetGeoTransform() == raster.GetGeoTransform()
    if (
        metric == "euclidean" or transform[2] == 0
    ):  # ties, where arithmetic is exact, go to the lowest value
        assert np.array_equal(
            work.read("out.tif").ravel(), found[np.round(least, 6).argmin(axis=1)]
        )


def test_scipys_distances(work):
    values = blobs(400, 300, seed=5)
    put(work, "r.tif", values, (0, 30, 0, 0, 0, -20), 32633)
    work.ok(
        "--seeds-raster", "r.tif", "--distance", "d.tif", "--distance-type", "Float64", "out.tif"
    )
    truth, (row, column) = distance_transform_edt(
        values == 0, sampling=(20, 30), return_indices=True
    )
    assert np.allclose(work.read("d.tif"), truth, rtol=1e-14)
    got = work.read("out.tif")
    assert (got == values[row, column]).mean() > 0.97  # scipy's ties go anywhere
    assert np.array_equal(got[values != 0], values[values != 0])


def test_blocks_of_one_value(work):
    """Some are all one class, some have no seed; results are the same for all other options."""
    y, x = np.indices((575, 650))  # 3 x 3 blocks
    values = (3 * (np.hypot(x - 150, y - 100) < 75) + 5 * (x > 250) * (y < 300)).astype(np.int32)
    mask = (y > 40).astype(np.int32)
    put(work, "r.tif", values, (0, 30, 0, 0, 0, -20), 32633)
    put(work, "m.tif", mask, (0, 30, 0, 0, 0, -20), 32633)
    truth = distance_transform_edt(values == 0, sampling=(20, 30))
    work.ok("--seeds-raster", "r.tif", "out.tif")
    out = work.read("out.tif")
    assert np.array_equal(out[values != 0], values[values != 0])
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--distance",
        "d.tif",
        "--distance-unit",
        "km",
        "--azimuth",
        "a.tif",
        "o.tif",
    )
    assert np.array_equal(work.read("o.tif"), out)
    assert np.allclose(work.read("d.tif"), truth / 1000, rtol=1e-6)
    assert (work.read("a.tif")[values != 0] == 0).all() and (
        work.read("a.tif")[values == 0] != 0
    ).any()
    work.ok("--seeds-raster", "r.tif", "--distance", "m_d.tif", "--mask", "m.tif", "m_o.tif")
    assert np.array_equal(work.read("m_o.tif"), np.where(mask == 1, out, -1))
    assert np.allclose(
        work.read("m_d.tif"), np.where(mask == 1, truth, np.nan), rtol=1e-6, equal_nan=True
    )
    work.ok("--seeds-raster", "r.tif", "--ot", "Byte", "--stats", "s.csv", "byte.tif")
    assert np.array_equal(work.read("byte.tif"), out)
    rows = list(csv.DictReader(work.path("s.csv").read_text().splitlines()))
    assert [int(row["cells"]) for row in rows] == [(out == v).sum() for v in (3, 5)]
    assert np.allclose(
        [float(row["distance_mean"]) for row in rows], [truth[out == v].mean() for v in (3, 5)]
    )
    work.ok("--seeds-raster", "r.tif", "-k", "2", "two.tif")
    assert np.array_equal(work.read("two.tif"), [out, 8 - out])
    work.ok("--seeds-raster", "r.tif", "--by-cell", "cells.tif")
    cells = work.read("cells.tif")
    assert np.array_equal(cells[values != 0], np.flatnonzero(values))
    assert np.allclose(np.hypot(20 * (cells // 650 - y), 30 * (cells % 650 - x)), truth)


def test_gdal_proximity(work):
    values = np.zeros((60, 80), np.int32)
    values[30, 40], values[5, 5] = 1, 1
    put(work, "r.tif", values, (0, 10, 0, 0, 0, -10), 32633)
    work.ok("--seeds-raster", "r.tif", "--distance", "d.tif", "out.tif")
    proximity = gdal.GetDriverByName("MEM").Create("", 80, 60, 1, gdal.GDT_Float32)
    gdal.ComputeProximity(
        work.open("r.tif").GetRasterBand(1), proximity.GetRasterBand(1), ["DISTUNITS=GEO"]
    )
    assert np.allclose(proximity.ReadAsArray(), work.read("d.tif"), rtol=1e-6)


@pytest.mark.skipif(shutil.which("grass") is None, reason="GRASS is not installed")
def test_grass(work):
    """r.grow.distance hands the nearest cell on from neighbor to neighbor: hardly ever too far on a projected grid."""
    values = blobs(200, 150, seed=4)
    put(work, "r.tif", values, PLANE, 32633)
    work.ok(
        "--seeds-raster", "r.tif", "--distance", "d.tif", "--distance-type", "Float64", "out.tif"
    )
    script = work.path("grow.sh")
    script.write_text("""set -e
r.in.gdal -o --quiet input=r.tif output=raw
g.region raster=raw
r.null --quiet map=raw setnull=0
r.grow.distance --quiet input=raw distance=meters value=nearest
r.out.gdal -f --quiet input=meters output=meters.tif format=GTiff type=Float64
r.out.gdal -f -c --quiet input=nearest output=nearest.tif format=GTiff type=Int32
""")
    home = {**os.environ, "HOME": str(work.path("."))}
    ran = subprocess.run(
        ["grass", "--tmp-location", "XY", "--exec", "bash", "grow.sh"],
        cwd=work.path("."),
        env=home,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert ran.returncode == 0, ran.stdout
    ours, theirs = work.read("d.tif"), work.read("meters.tif")
    assert (ours <= theirs + 1e-6).all()
    same = np.isclose(ours, theirs, rtol=1e-12)
    assert same.mean() > 0.999
    assert (work.read("out.tif") == work.read("nearest.tif"))[
        same
    ].mean() > 0.95  # its ties go anywhere


# -------------------------------------------------------------------------------------------------------- the globe

WORLDS = {
    "world": (72, 36, (-180, 5, 0, 90, 0, -5)),
    "odd": (72, 37, (0, 5, 0, -92.5, 0, 5)),
    "across": (40, 30, (170, 0.5, 0, 8, 0, -0.5)),
    "pole": (60, 20, (-30, 1, 0, 90, 0, -0.25)),
}


@pytest.mark.parametrize("name", WORLDS)
def test_own_grid_of_a_globe(work, name):
    width, height, transform = WORLDS[name]
    values = blobs(width, height, wrap=width * transform[1] == 360)
    put(work, "r.tif", values, transform, 4326)
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--metric",
        "great-circle",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    raster = work.open("r.tif")
    check(work, *by_value(values, raster, raster, great_circle), distance="d.tif")
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--distance",
        "g.tif",
        "--distance-type",
        "Float64",
        "geodesic.tif",
    )
    got, distance, geodesic = work.read("geodesic.tif"), work.read("g.tif"), Geodesic(*WGS84)
    lon, lat = centers(raster)
    for cell in np.random.default_rng(3).integers(0, values.size, 12):
        least = {
            v: min(
                geodesic.distance(lon.flat[cell], lat.flat[cell], a, b)
                for a, b in zip(lon[values == v], lat[values == v])
            )
            for v in np.unique(values[values != 0])
        }
        assert got.flat[cell] == min(least, key=lambda v: (round(least[v], 6), v))
        assert abs(distance.flat[cell] - least[got.flat[cell]]) < 1e-6


@pytest.mark.parametrize(
    "grid",
    [
        ["--res", "7"],
        ["--extent", "-200,-90,160,90", "--size", "30,17"],
        ["--level", "3"],
        ["--crs", "EPSG:3857", "--extent", "-1e7,-1e7,1e7,1e7", "--size", "30,30"],
    ],
    ids=["coarse", "turned", "mesh", "projected"],
)
def test_other_grids_on_the_globe(work, grid):
    values = blobs(72, 36, wrap=True)
    put(work, "r.tif", values, WORLDS["world"][2], 4326)
    work.ok("--seeds-raster", "r.tif", "--metric", "great-circle", *grid, "out.tif")
    if "--level" in grid or "--crs" in grid:  # as points would
        lon, lat = centers(work.open("r.tif"))
        order = np.lexsort((np.arange(values.size), values.ravel()))
        order = order[values.ravel()[order] != 0]
        work.csv("p.csv", lon.ravel()[order], lat.ravel()[order], value=values.ravel()[order])
        work.ok(
            "--seeds", "p.csv", "--id", "value", "--metric", "great-circle", *grid, "points.tif"
        )
        assert np.array_equal(work.read("out.tif"), work.read("points.tif"))
        return
    check(work, *by_value(values, work.open("r.tif"), work.open("out.tif"), great_circle))


def test_triangles(work):
    values = blobs(72, 36, wrap=True)
    put(work, "r.tif", values, WORLDS["world"][2], 4326)
    work.ok(
        "--seeds-raster", "r.tif", "--level", "2", "--cells", "t.csv", "--stats", "s.csv", "out.tif"
    )
    seeds = [
        int(row["seed"]) for row in csv.DictReader(work.path("t.csv").read_text().splitlines())
    ]
    assert len(seeds) == 128 and set(seeds) == set(np.unique(work.read("out.tif")))
    cells = [
        int(row["cells"]) for row in csv.DictReader(work.path("s.csv").read_text().splitlines())
    ]
    assert sum(cells) == work.read("out.tif").size


def test_other_grids_on_the_plane(work):
    values = blobs(60, 50)
    put(work, "r.tif", values, PLANE, 32633)
    for i, grid in enumerate(
        [
            ["--res", "100"],
            ["--extent", "500100,5998600,500900,5999500", "--res", "13"],
            ["--crs", "EPSG:32632", "--res", "90"],
        ]
    ):
        work.ok(
            "--seeds-raster",
            "r.tif",
            *grid,
            f"{i}.tif",
            "--distance",
            f"d{i}.tif",
            "--distance-type",
            "Float64",
        )
        if i < 2:
            found, least = by_value(
                values, work.open("r.tif"), work.open(f"{i}.tif"), flat("euclidean")
            )
            check(work, found, least, f"{i}.tif", f"d{i}.tif")
    assert work.open("2.tif").GetSpatialRef().IsSame(crs(32632))


# ----------------------------------------------------------------------------------------------------- which, how many


def test_cell_numbers(work):
    values = blobs(48, 40)
    put(work, "r.tif", values, PLANE, 32633)
    work.ok("--seeds-raster", "r.tif", "--by-cell", "--distance", "d.tif", "out.tif")
    work.ok("--seeds-raster", "r.tif", "--by-cell", "-k", "3", "--stats", "s.csv", "ranks.tif")
    raster = work.open("out.tif")
    assert raster.GetRasterBand(1).DataType == gdal.GDT_Int64
    x, y = (c.ravel() for c in centers(raster))
    numbers = np.flatnonzero(values)
    order = flat("euclidean")(x, y, x[numbers], y[numbers]).argsort(axis=1, kind="stable")
    assert np.array_equal(raster.ReadAsArray().ravel(), numbers[order[:, 0]])
    ranks = work.read("ranks.tif")
    for k in range(3):
        assert np.array_equal(ranks[k].ravel(), numbers[order[:, k]])
    rows = [line.split(",") for line in work.path("s.csv").read_text().splitlines()[1:]]
    assert len(rows) == numbers.size and sum(int(r[3].strip('"')) for r in rows) == values.size


def test_ranks_are_distinct_values(work):
    values = blobs(48, 40)
    put(work, "r.tif", values, PLANE, 32633)
    work.ok(
        "--seeds-raster",
        "r.tif",
        "-k",
        "4",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--stats",
        "s.csv",
        "out.tif",
    )
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--distance",
        "each.tif",
        "--distance-per-value",
        "--distance-type",
        "Float64",
        "o.tif",
    )
    raster = work.open("r.tif")
    found, least = by_value(values, raster, raster, flat("euclidean"))
    order = np.round(least, 6).argsort(axis=1, kind="stable")
    out, distance, each = work.read("out.tif"), work.read("d.tif"), work.open("each.tif")
    for k in range(3):
        assert np.array_equal(out[k].ravel(), found[order[:, k]])
        assert np.allclose(
            distance[k].ravel(), np.take_along_axis(least, order[:, k : k + 1], 1)[:, 0]
        )
        assert np.allclose(each.GetRasterBand(k + 1).ReadAsArray().ravel(), least[:, k])
        assert each.GetRasterBand(k + 1).GetDescription() == f"distance to value {found[k]}"
    assert (out[3] == -1).all() and each.RasterCount == 3
    assert np.array_equal(work.read("o.tif"), out[0])


def test_ranks_on_the_globe(work):
    values = blobs(72, 36, wrap=True)
    put(work, "r.tif", values, WORLDS["world"][2], 4326)
    work.ok(
        "--seeds-raster",
        "r.tif",
        "-k",
        "2",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    work.ok(
        "--seeds-raster",
        "r.tif",
        "--distance",
        "each.tif",
        "--distance-per-value",
        "--distance-type",
        "Float64",
        "o.tif",
    )
    out, distance, each = work.read("out.tif"), work.read("d.tif"), work.read("each.tif")
    assert np.array_equal(out[0], work.read("o.tif"))
    assert np.allclose(np.sort(each, axis=0)[:2], distance, rtol=1e-12, atol=1e-6)
    assert (out[0] != out[1]).all() and np.array_equal(out[0][values != 0], values[values != 0])


@pytest.mark.parametrize(
    "metric,limit",
    [
        ("euclidean", np.inf),
        ("euclidean", 150),
        ("manhattan", 200),
        ("chebyshev", np.inf),
        ("great-circle", np.inf),
        ("great-circle", 900e3),
    ],
)
def test_ranks_among_many_values(work, metric, limit):
    """Many values lie among each other; each has several cells."""
    generator = np.random.default_rng(3)
    values = np.where(
        generator.random((24, 30)) < 0.6, generator.integers(1, 200, (24, 30)), 0
    ).astype(np.int32)
    globe = metric == "great-circle"
    put(
        work,
        "r.tif",
        values,
        (-180, 12, 0, 90, 0, -7.5) if globe else PLANE,
        4326 if globe else 32633,
    )
    limits = [] if np.isinf(limit) else ["--max-distance", limit]
    command = [
        "--seeds-raster",
        "r.tif",
        "--metric",
        metric,
        "-k",
        "5",
        *limits,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
    ]
    for options in [], ["--size", "17,13"]:
        work.ok(*command, *options, "--overwrite", "out.tif")
        found, least = by_value(
            values,
            work.open("r.tif"),
            work.open("out.tif"),
            great_circle if globe else flat(metric),
        )
        ids, distances = work.read("out.tif").reshape(5, -1).T, work.read("d.tif").reshape(5, -1).T
        nearest = np.sort(least, axis=1)[:, :5]
        sure = abs(nearest - limit) > 1e-6
        nearest[nearest > limit] = np.nan
        assert np.allclose(
            np.where(sure, distances, 0),
            np.where(sure, nearest, 0),
            rtol=1e-9,
            atol=1e-3 if globe else 1e-6,
            equal_nan=True,
        )
        there = ids >= 0
        assert np.array_equal(there, ~np.isnan(distances)) and np.isin(ids[there], found).all()
        mine = np.take_along_axis(
            least, np.searchsorted(found, np.where(there, ids, found[0])), axis=1
        )
        assert np.allclose(mine[there], distances[there], rtol=1e-9, atol=1e-3 if globe else 1e-6)
        for a in range(5):
            assert not (there[:, a] & (ids[:, :a] == ids[:, a : a + 1]).any(axis=1)).any()
            if a > 0 and not globe:  # equal distances go to the lowest value
                assert (ids[:, a] > ids[:, a - 1])[(distances[:, a] == distances[:, a - 1])].all()
        answers = work.path("out.tif").read_bytes(), work.path("d.tif").read_bytes()
        work.ok(*command, *options, "--backend", "serial", "--overwrite", "out.tif")
        assert answers == (work.path("out.tif").read_bytes(), work.path("d.tif").read_bytes())


def test_distances_of_many_values(work):
    """A band a value, each TIFF tile written once."""
    values = np.where(
        np.random.default_rng(4).random((200, 200)) < 0.02,
        np.random.default_rng(5).integers(1, 301, (200, 200)),
        0,
    )
    put(work, "r.tif", values.astype(np.int32), PLANE, 32633)
    work.ok("--seeds-raster", "r.tif", "--distance-per-value", "--distance", "d.tif", "out.tif")
    out, found = work.open("d.tif"), np.unique(values[values != 0])
    assert out.RasterCount == found.size > 200
    for band in 1, 77, found.size:
        truth = distance_transform_edt(values != found[band - 1], sampling=30)
        assert np.allclose(out.GetRasterBand(band).ReadAsArray(), truth, rtol=1e-6)
    band = out.GetRasterBand(1)
    across, down = (-(-200 // size) for size in band.GetBlockSize())
    written = sum(
        int(out.GetRasterBand(b + 1).GetMetadataItem(f"BLOCK_SIZE_{x}_{y}", "TIFF"))
        for b in range(found.size)
        for x in range(across)
        for y in range(down)
    )
    assert work.path("d.tif").stat().st_size < 1.1 * written


@pytest.mark.parametrize("limit", ["0", "60", "100"])
def test_limits_and_masks(work, limit):
    values = blobs(48, 40)
    put(work, "r.tif", values, PLANE, 32633)
    mask = (np.indices(values.shape).sum(axis=0) % 5 != 0).astype(np.int32)
    put(work, "m.tif", mask, PLANE, 32633)
    raster = work.open("r.tif")
    found, least = by_value(values, raster, raster, flat("euclidean"))
    expected = np.where(
        least.min(axis=1) <= float(limit), found[np.round(least, 6).argmin(axis=1)], -1
    ).reshape(values.shape)
    for k in "1", "2":
        work.ok("--seeds-raster", "r.tif", "-k", k, "--max-distance", limit, f"{k}.tif")
        work.ok(
            "--seeds-raster",
            "r.tif",
            "-k",
            k,
            "--max-distance",
            limit,
            "--mask",
            "m.tif",
            f"m{k}.tif",
        )
        first = work.read(f"{k}.tif"), work.read(f"m{k}.tif")
        first = first if k == "1" else tuple(f[0] for f in first)
        assert np.array_equal(first[0], expected)
        assert np.array_equal(first[1], np.where(mask != 0, expected, -1))


def test_statistics_and_polygons(work):
    values = blobs(48, 40)
    put(work, "r.tif", values, PLANE, 32633)
    put(work, "people.tif", np.arange(values.size).reshape(values.shape), PLANE, 32633)
    for options in [], ["-k", "2"]:
        work.ok(
            "--seeds-raster",
            "r.tif",
            *options,
            "--stats",
            "s.csv",
            "--sum",
            "people.tif",
            "--polygons",
            "p.gpkg",
            "--distance",
            "d.tif",
            "--overwrite",
            "out.tif",
        )
        out, distance = work.read("out.tif"), work.read("d.tif")
        out, distance = (out, distance) if not options else (out[0], distance[0])
        table = gdal.OpenEx(str(work.path("s.csv")), gdal.OF_VECTOR)
        rows = {int(f["id"]): f for f in table.GetLayer(0)}
        assert sorted(rows) == [1, 2, 3]
        for value, row in rows.items():
            mine = out == value
            assert int(row["cells"]) == mine.sum()
            assert (
                float(row["people_sum"]) == np.arange(values.size).reshape(values.shape)[mine].sum()
            )
            assert np.isclose(float(row["distance_mean"]), distance[mine].mean(), rtol=1e-6)
        polygons = ogr.Open(str(work.path("p.gpkg")))
        areas = {f["id"]: f.GetGeometryRef().GetArea() for f in polygons.GetLayer(0)}
        assert areas == {v: 900.0 * (out == v).sum() for v in (1, 2, 3)}
        rows = table = polygons = None


def test_azimuths(work):
    values = np.zeros((21, 21), np.int32)
    values[10, 10] = 4
    put(work, "r.tif", values, PLANE, 32633)
    work.ok("--seeds-raster", "r.tif", "--azimuth", "a.tif", "out.tif")
    a = work.read("a.tif")
    assert (a[0, 10], a[20, 10], a[10, 0], a[10, 20], a[10, 10], a[20, 0]) == (
        180,
        0,
        90,
        270,
        0,
        45,
    )


# ------------------------------------------------------------------------------------------------- kinds of rasters


def test_values_and_bands(work):
    values = blobs(30, 20)
    put(work, "r.tif", values, PLANE, 32633, bands=3)
    work.ok("--seeds-raster", "r.tif", "--band", "3", "--values", "3,0,17", "out.tif")
    raster = work.open("r.tif")
    found, least = by_value(
        values, raster, raster, flat("euclidean"), (values == 0) | (values == 3)
    )
    assert np.array_equal(work.read("out.tif").ravel(), found[np.round(least, 6).argmin(axis=1)])


@pytest.mark.parametrize(
    "kind", [gdal.GDT_Byte, gdal.GDT_Int16, gdal.GDT_Float32, gdal.GDT_Int64, gdal.GDT_Float64]
)
def test_nodata_is_no_seed(work, kind):
    values = blobs(30, 20)
    put(work, "r.tif", values, PLANE, 32633, kind, nodata=2)
    work.ok("--seeds-raster", "r.tif", "out.tif")
    raster = work.open("r.tif")
    found, least = by_value(
        values, raster, raster, flat("euclidean"), (values == 1) | (values == 3)
    )
    assert np.array_equal(work.read("out.tif").ravel(), found[np.round(least, 6).argmin(axis=1)])


def test_masked_cells_are_no_seeds(work):
    values = blobs(30, 20)
    put(work, "r.tif", values, PLANE, 32633)
    raster = gdal.Open(str(work.path("r.tif")), gdal.GA_Update)
    raster.CreateMaskBand(gdal.GMF_PER_DATASET)
    raster.GetRasterBand(1).GetMaskBand().WriteArray(np.where(values == 1, 0, 255).astype(np.uint8))
    raster = None
    work.ok("--seeds-raster", "r.tif", "out.tif")
    raster = work.open("r.tif")
    found, least = by_value(values, raster, raster, flat("euclidean"), values > 1)
    assert np.array_equal(work.read("out.tif").ravel(), found[np.round(least, 6).argmin(axis=1)])


def test_one_class_and_one_cell(work):
    put(work, "all.tif", np.full((20, 30), 7), PLANE, 32633)
    work.ok("--seeds-raster", "all.tif", "--distance", "d.tif", "out.tif")
    assert (work.read("out.tif") == 7).all() and (work.read("d.tif") == 0).all()
    one = np.zeros((20, 30), np.int32)
    one[3, 4] = -5
    put(work, "one.tif", one, PLANE, 32633)
    work.ok("--seeds-raster", "one.tif", "one_out.tif")
    assert (work.read("one_out.tif") == -5).all()


def test_many_classes(work):
    values = np.arange(65536).reshape(256, 256)
    put(work, "r.tif", values, PLANE, 32633)
    work.ok("--seeds-raster", "r.tif", "--stats", "s.csv", "out.tif")
    assert (
        np.array_equal(work.read("out.tif").ravel()[1:], values.ravel()[1:])
        and work.read("out.tif")[0, 0] == 1
    )
    assert len(work.path("s.csv").read_text().splitlines()) == 65536
    assert len(next(iter(work.table("out.tif").values()))) == 65535


def test_wide_values(work):
    values = np.where(blobs(20, 20) > 1, 2**40 + 1, 0)
    put(work, "r.tif", values, PLANE, 32633, gdal.GDT_Int64)
    work.ok("--seeds-raster", "r.tif", "out.tif")
    assert (work.read("out.tif") == 2**40 + 1).all()


def test_backends_and_threads_agree(work):
    values = blobs(72, 36, wrap=True)
    put(work, "r.tif", values, WORLDS["world"][2], 4326)
    outputs = []
    for i, options in enumerate(
        [["--backend", "serial"], ["--backend", "tile"], ["--backend", "kdtree", "--threads", "1"]]
    ):
        work.ok(
            "--seeds-raster",
            "r.tif",
            "--metric",
            "great-circle",
            *options,
            "--distance",
            f"d{i}.tif",
            f"{i}.tif",
        )
        outputs.append((work.read(f"{i}.tif").tobytes(), work.read(f"d{i}.tif").tobytes()))
    assert len(set(outputs)) == 1


def test_description(work):
    put(work, "r.tif", blobs(30, 20), PLANE, 32633)
    work.ok("--seeds-raster", "r.tif", "out.tif")
    items = work.open("out.tif").GetMetadata()
    assert (
        items["GPUVORONOI_SEEDS"] == "r.tif"
        and items["GPUVORONOI_SEED_COUNT"] == "3"
        and items["GPUVORONOI_ID"] == "cell value"
    )


@pytest.mark.parametrize("kind", ["Byte", "UInt16", "UInt32", "Int64"])
def test_types_of_values(work, kind):
    put(work, "r.tif", blobs(30, 20), PLANE, 32633)
    limit = ["--max-distance", "15"]
    work.ok("--seeds-raster", "r.tif", *limit, "plain.tif")
    work.ok("--seeds-raster", "r.tif", *limit, "--ot", kind, "--distance", "d.tif", "out.tif")
    plain, out = work.read("plain.tif"), work.open("out.tif")
    assert gdal.GetDataTypeName(out.GetRasterBand(1).DataType) == kind
    nodata = {"Byte": 255, "UInt16": 65535, "UInt32": 2**32 - 1}.get(kind, -1)
    assert np.array_equal(np.where(plain == -1, nodata, plain), out.ReadAsArray())


@pytest.mark.parametrize("kind", [gdal.GDT_Byte, gdal.GDT_Int16, gdal.GDT_UInt32, gdal.GDT_Float32])
def test_values_that_no_cell_has(work, kind):
    """Values that the raster's type cannot hold match no cell, and cells that are not chosen may hold any number."""
    values = blobs(30, 20).astype(float)
    put(work, "plain.tif", values, PLANE, 32633)
    if kind == gdal.GDT_Float32:
        values[values == 2] = 2.5
        values[:2, 0] = np.nan, np.inf
        put(work, "plain.tif", np.where(np.isin(values, (1, 3)), values, 0), PLANE, 32633)
    put(work, "r.tif", values, PLANE, 32633, kind)
    work.ok("--seeds-raster", "plain.tif", "--values", "1,3", "plain_out.tif")
    work.ok("--seeds-raster", "r.tif", "--values", "1,3,257,65537,-253,4294967297", "out.tif")
    assert np.array_equal(work.read("out.tif"), work.read("plain_out.tif"))


# ------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    "arguments,has,status",
    [
        (
            ["--seeds-raster", "r.tif", "--band", "2"],
            "--band: r.tif has 1 band, none is number 2",
            1,
        ),
        (["--seeds-raster", "r.tif", "--values", "9"], "missing cells with these values", 1),
        (["--seeds-raster", "none.tif"], "missing cells that are not nodata, masked or 0", 1),
        (["--seeds-raster", "missing.tif"], "cannot read missing.tif as a raster", 1),
        (
            ["--seeds-raster", "floats.tif"],
            "floats.tif: row 3, column 4: unsupported value (1.5); expected integers",
            1,
        ),
        (["--seeds-raster", "bare.tif", "--metric", "geodesic"], "missing coordinate system", 1),
        (
            ["--seeds-raster", "bare.tif", "--crs", "EPSG:32633", "--res", "10"],
            "missing coordinate system",
            1,
        ),
        (
            ["--seeds-raster", "r.tif", "--by-cell", "--nodata", "77"],
            "--nodata: may be the number of a cell (77)",
            1,
        ),
        (
            ["--seeds-raster", "r.tif", "--by-cell", "--ot", "Byte"],
            "--ot Byte: unsupported for numbers of cells",
            1,
        ),
        (["--seeds-raster", "r.tif", "--x", "a", "--y", "b"], "--x: missing --seeds", 2),
        (["--seeds-raster", "r.tif", "--values", "1,x"], "expected integers", 2),
        (["--seeds-raster", "r.tif", "--seeds", "p.csv"], "unsupported together", 2),
        (["--seeds-raster", "r.tif", "--where", "a"], "--where: missing --seeds", 2),
        (
            ["--seeds-raster", "r.tif", "--distance-per-value"],
            "--distance-per-value: missing --distance",
            2,
        ),
        (["--seeds", "p.csv", "--by-cell"], "--by-cell: missing --seeds-raster", 2),
    ],
)
def test_what_makes_no_sense(work, arguments, has, status):
    values = blobs(30, 20)
    put(work, "r.tif", values, PLANE, 32633)
    put(work, "bare.tif", values, PLANE)
    put(work, "none.tif", values * 0, PLANE, 32633)
    floats = values.astype(float)
    floats[3, 4] = 1.5
    put(work, "floats.tif", floats, PLANE, 32633, gdal.GDT_Float32)
    work.csv("p.csv", [1], [2])
    work.fails(*arguments, "out.tif", status=status, has=has)


def test_the_raster_is_not_replaced(work):
    put(work, "r.tif", blobs(30, 20), PLANE, 32633)
    work.fails(
        "--seeds-raster", "r.tif", "--overwrite", "r.tif", has="is an input, too", output="r.tif"
    )
