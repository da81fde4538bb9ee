"""Statistics of regions: every column against numpy over the rasters; sum rasters keep their totals."""

import csv
import math
import os
import subprocess

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from conftest import COMMAND, WGS84, Geodesic, centers, crs, globe, unit_vectors
from test_facility import GLOBE, PLANE, make_polygons, make_raster

LON, LAT = globe(40, seed=4)


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


def read_table(work, name):
    if name.endswith(".csv"):
        with open(work.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    source = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    return [dict(f.items(), geometry=f.GetGeometryRef().ExportToWkt()) for f in source.GetLayer(0)]


def column(rows, name):
    return np.array([math.nan if r[name] in ("", None) else float(r[name]) for r in rows])


def zone(latitude):
    """Ellipsoidal area from the equator to a latitude, for a radian of longitude."""
    a, f = WGS84
    e2 = f * (2 - f)
    e, s = math.sqrt(e2), np.sin(np.radians(np.clip(latitude, -90, 90)))
    return a * a * (1 - e2) / 2 * (s / (1 - e2 * s * s) + np.arctanh(e * s) / e)


def cell_areas(dataset):
    g = dataset.GetGeoTransform()
    edges = g[3] + g[5] * np.arange(dataset.RasterYSize + 1)
    rows = np.abs(np.diff(zone(edges))) * math.radians(abs(g[1]))
    return np.repeat(rows[:, None], dataset.RasterXSize, axis=1)


def by_seed(numbers, values, n=40):
    inside = numbers >= 0
    return np.bincount(numbers[inside], np.broadcast_to(values, numbers.shape)[inside], n)


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
@pytest.mark.parametrize(
    "extra",
    [[], ["--max-distance", "2500000"], ["-k", "3"], ["--mask", "m.gpkg"]],
    ids=["all", "limited", "k", "masked"],
)
def test_columns_on_the_globe(seeds, metric, extra):
    make_polygons(seeds, "m.gpkg", ["POLYGON ((-100 -80, 150 -60, 120 70, -30 85, -100 -80))"])
    people = np.random.default_rng(1).uniform(0, 1000, (90, 180))
    make_raster(seeds, "people.tif", people, (-180, 2, 0, 90, 0, -2))
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "180,90",
        "--metric",
        metric,
        *extra,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--stats",
        "t.csv",
        "--sum",
        "people.tif",
        "out.tif",
    )
    out = seeds.open("out.tif")
    numbers, d = (
        out.GetRasterBand(1).ReadAsArray() - 1,
        seeds.open("d.tif").GetRasterBand(1).ReadAsArray(),
    )
    numbers[numbers < 0] = -1
    area = cell_areas(out)
    rows = read_table(seeds, "t.csv")
    assert [r["id"] for r in rows] == [str(i + 1) for i in range(40)]
    assert [r["name"] for r in rows] == [f"place {i}" for i in range(40)]
    cells = by_seed(numbers, 1)
    has = cells > 0
    assert np.array_equal(column(rows, "cells"), cells)
    assert np.allclose(column(rows, "area_km2"), by_seed(numbers, area) / 1e6, rtol=1e-10)
    with np.errstate(invalid="ignore"):
        mean = by_seed(numbers, np.nan_to_num(d) * area) / by_seed(numbers, area)
        served = by_seed(numbers, np.nan_to_num(d) * people) / by_seed(numbers, people)
    assert np.allclose(column(rows, "distance_mean"), mean, rtol=1e-10, equal_nan=True)
    farthest = [d[numbers == i].max() if has[i] else np.nan for i in range(40)]
    assert np.allclose(column(rows, "distance_max"), farthest, rtol=1e-13, equal_nan=True)
    assert np.allclose(column(rows, "people_sum"), by_seed(numbers, people), rtol=1e-12)
    assert np.allclose(column(rows, "people_distance_mean"), served, rtol=1e-10, equal_nan=True)
    vectors = unit_vectors(*centers(out)) * area[..., None]
    mean = np.stack([by_seed(numbers, vectors[..., i]) for i in range(3)], axis=-1)[has]
    got = unit_vectors(column(rows, "centroid_x")[has], column(rows, "centroid_y")[has])
    assert (
        np.linalg.norm(mean / np.linalg.norm(mean, axis=-1, keepdims=True) - got, axis=-1).max()
        < 1e-9
    )
    assert np.isnan(column(rows, "centroid_x")[~has]).all()


def test_columns_on_the_plane(work):
    random = np.random.default_rng(2)
    x, y = random.uniform(0, 40, 12), random.uniform(0, 30, 12)
    x[5], y[5] = x[4], y[4]  # a duplicate gets no cell
    work.csv("p.csv", x, y, header="x,y")
    work.ok(
        "--seeds",
        "p.csv",
        *PLANE,
        "--metric",
        "manhattan",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--stats",
        "t.csv",
        "out.tif",
    )
    rows, numbers, d = read_table(work, "t.csv"), work.read("out.tif") - 1, work.read("d.tif")
    cx, cy = centers(work.open("out.tif"))
    cells = by_seed(numbers, 1, 12)
    assert (
        cells[5] == 0
        and rows[5]["cells"] == "0"
        and rows[5]["distance_mean"] == ""
        and rows[5]["centroid_x"] == ""
    )
    has = cells > 0
    assert np.array_equal(column(rows, "cells"), cells)
    assert (
        np.allclose(column(rows, "area"), cells) and "area_km2" not in rows[0]
    )  # no unit, no kilometers
    assert np.allclose(
        column(rows, "distance_mean")[has], (by_seed(numbers, d, 12) / cells)[has], rtol=1e-12
    )
    assert np.allclose(
        column(rows, "centroid_x")[has], (by_seed(numbers, cx, 12) / cells)[has], rtol=1e-14
    )
    assert np.allclose(
        column(rows, "centroid_y")[has], (by_seed(numbers, cy, 12) / cells)[has], rtol=1e-14
    )


@pytest.mark.parametrize("code,meters", [(32633, 1.0), (2263, 1200 / 3937)])
@pytest.mark.parametrize("metric", ["euclidean", "geodesic"])
def test_areas_on_projected_grids(work, code, meters, metric):
    x0, y0 = (400000, 5000000) if code == 32633 else (900000, 200000)
    work.csv("p.csv", [x0 + 100, x0 + 900], [y0 + 100, y0 + 900], header="x,y")
    work.ok(
        "--seeds",
        "p.csv",
        "--seeds-crs",
        f"EPSG:{code}",
        "--extent",
        f"{x0},{y0},{x0 + 1000},{y0 + 1000}",
        "--res",
        "10",
        "--metric",
        metric,
        "--stats",
        "t.csv",
        "out.tif",
    )
    rows = read_table(work, "t.csv")
    cells = by_seed(work.read("out.tif") - 1, 1, 2)
    assert np.allclose(column(rows, "area_km2"), cells * (10 * meters) ** 2 / 1e6, rtol=1e-12)
    assert x0 < float(rows[0]["centroid_x"]) < x0 + 500 < float(rows[1]["centroid_x"]) < x0 + 1000


def test_centroids_across_the_antimeridian(work):
    work.csv("s.csv", [179, 0], [1, 0])
    work.ok(
        "--seeds",
        "s.csv",
        "--size",
        "360,180",
        "--max-distance",
        "1500000",
        "--stats",
        "t.csv",
        "out.tif",
    )
    first, second = read_table(work, "t.csv")
    assert abs(float(first["centroid_x"]) - 179) < 0.2 and abs(float(first["centroid_y"]) - 1) < 0.2
    assert abs(float(second["centroid_x"])) < 1e-9 and abs(float(second["centroid_y"])) < 1e-9
    work.csv("pole.csv", [77], [90])
    work.ok(
        "--seeds",
        "pole.csv",
        "--size",
        "360,180",
        "--max-distance",
        "1500000",
        "--stats",
        "u.csv",
        "pole.tif",
    )
    assert float(read_table(work, "u.csv")[0]["centroid_y"]) > 89.999
    work.ok("--seeds", "pole.csv", "--size", "360,180", "--stats", "v.csv", "all.tif")
    whole = read_table(work, "v.csv")[0]
    assert (
        whole["centroid_x"] == "" and whole["centroid_y"] == ""
    )  # the whole globe has no direction
    assert float(whole["area_km2"]) == pytest.approx(510065621.724, rel=1e-9)


def test_bytes_do_not_depend_on_how(seeds):
    """Threads, sizes of blocks, the form of the output, engines: the same table to the byte."""
    make_raster(
        seeds,
        "coarse.tif",
        np.random.default_rng(1).uniform(0, 1e6, (18, 36)),
        (-180, 10, 0, 90, 0, -10),
    )
    make_raster(
        seeds,
        "laea.tif",
        np.random.default_rng(1).uniform(0, 1e6, (30, 40)),
        (2500000, 1e5, 0, 5500000, 0, -1e5),
        epsg=3035,
    )
    command = [
        "--seeds",
        "s.csv",
        "--size",
        "731,377",
        "--stats",
        "t.csv",
        "--sum",
        "coarse.tif",
        "--sum",
        "laea.tif",
        "--overwrite",
    ]
    tables = set()
    for options in (
        ["--threads", 1],
        ["--threads", 2],
        ["--threads", 7, "--co", "TILED=NO"],
        ["--threads", 3, "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=80"],
        ["--backend", "kdtree"],
        ["--of", "AAIGrid"],
    ):
        seeds.ok(*command, *options, "out.tif")
        tables.add(seeds.path("t.csv").read_bytes())
    assert len(tables) == 1


@pytest.mark.parametrize("name", ["t.csv", "t.gpkg", "t.geojson", "t.fgb", "t.sqlite"])
def test_formats(seeds, name):
    seeds.ok("--seeds", "s.csv", *GLOBE, "--stats", "plain.csv", "--no-stats-distances", "out.tif")
    seeds.ok(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        name,
        "--no-stats-distances",
        "--overwrite",
        "out.tif",
    )
    rows, plain = read_table(seeds, name), read_table(seeds, "plain.csv")
    assert len(rows) == 40
    assert [int(r["id"]) for r in rows] == list(range(1, 41))
    assert "distance_mean" not in rows[0] and "distance_max" not in rows[0]
    for field in "id", "cells", "area_km2", "centroid_x", "centroid_y":
        assert np.allclose(column(rows, field), column(plain, field), rtol=1e-12, equal_nan=True)
    if name == "t.gpkg":
        point = ogr.CreateGeometryFromWkt(rows[3]["geometry"])
        assert (point.GetX(), point.GetY()) == pytest.approx((LON[3], LAT[3]))


@pytest.mark.parametrize("name", ["t.xlsx", "t.ods"])
def test_spreadsheets(seeds, name):
    """They are archives with names that have a meaning in paths."""
    driver = gdal.GetDriverByName(name[2:])
    if driver is None or driver.GetMetadataItem(gdal.DCAP_CREATE) is None:
        pytest.skip(f"GDAL has no driver for {name}")
    seeds.ok("--seeds", "s.csv", *GLOBE, "--stats", name, "out.tif")
    seeds.ok("--seeds", "s.csv", *GLOBE, "--stats", "t.csv", "--overwrite", "out.tif")
    layer = gdal.OpenEx(str(seeds.path(name)), gdal.OF_VECTOR)
    rows = [f.items() for f in layer.GetLayer(0)]
    assert [r["name"] for r in rows] == [f"place {i}" for i in range(40)]
    assert np.allclose(
        column(rows, "area_km2"), column(read_table(seeds, "t.csv"), "area_km2"), rtol=1e-12
    )


def test_attributes_of_a_layer(work):
    fields = [
        ("cells", ogr.OFTInteger),
        ("id", ogr.OFTString),
        ("opened", ogr.OFTDate),
        ("load", ogr.OFTReal),
    ]
    rows = [[7, "a", "2001-02-03", 1.5], [8, "b", "2011-12-13", 2.5], [9, "c", None, 3.5]]
    work.points(
        "s.gpkg",
        "GPKG",
        [400000, 500000, 600000],
        [5e6, 5e6, 5e6],
        epsg=32633,
        fields=fields,
        rows=rows,
    )
    work.ok(
        "--seeds",
        "s.gpkg",
        "--where",
        "load > 2",
        "--size",
        "20,10",
        "--stats",
        "t.gpkg",
        "--polygons",
        "r.gpkg",
        "out.tif",
    )
    table = read_table(work, "t.gpkg")
    assert [r["seed_id"] for r in table] == ["b", "c"] and [r["seed_cells"] for r in table] == [
        8,
        9,
    ]
    assert [r["opened"] for r in table] == ["2011/12/13", None] and [r["load"] for r in table] == [
        2.5,
        3.5,
    ]
    assert [r["id"] for r in table] == [2, 3] and sum(r["cells"] for r in table) == 200
    source = gdal.OpenEx(str(work.path("t.gpkg")))
    assert source.GetLayer(0).GetSpatialRef().GetAuthorityCode(None) == "32633"
    assert "500000" in table[0]["geometry"]
    assert sorted(r["seed_id"] for r in read_table(work, "r.gpkg")) == ["b", "c"]


def test_geometry_stays_in_the_seeds_system(work):
    """The grid is elsewhere; the table is the seeds' own layer with more columns."""
    work.points("s.gpkg", "GPKG", [400000, 500000], [5e6, 5e6], epsg=32633)
    work.ok(
        "--seeds",
        "s.gpkg",
        "--crs",
        "EPSG:4326",
        "--extent",
        "10,40,20,50",
        "--size",
        "20,20",
        "--stats",
        "t.gpkg",
        "out.tif",
    )
    rows = read_table(work, "t.gpkg")
    assert (
        "400000 5000000" in rows[0]["geometry"]
        and 10 < rows[0]["centroid_x"] < rows[1]["centroid_x"] < 20
    )


def test_multipoints_and_skipped_rows(work):
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("m.gpkg")))
    layer = source.CreateLayer("m", None, ogr.wkbUnknown)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for name, wkt in (
        ("a", "MULTIPOINT (1 1, 5 5, 9 9)"),
        ("b", "POINT EMPTY"),
        ("c", "POINT (12 3)"),
    ):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("name", name)
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        layer.CreateFeature(feature)
    source = None
    work.ok(
        "--seeds",
        "m.gpkg",
        "--skip-invalid",
        "--extent",
        "0,0,14,10",
        "--res",
        "1",
        "--stats",
        "t.csv",
        "out.tif",
    )
    rows = read_table(work, "t.csv")
    assert [r["name"] for r in rows] == ["a", "a", "a", "c"] and [r["id"] for r in rows] == [
        "1",
        "1",
        "1",
        "3",
    ]
    assert sum(int(r["cells"]) for r in rows) == 140 and all(int(r["cells"]) > 0 for r in rows)


def test_ids_of_all_kinds(work):
    """Ids that repeat, are wide, negative or out of order: the table is the same but for its ids."""
    lon, lat = globe(30, seed=6)
    tables = []
    for number, ids in enumerate(
        (range(30), [5] * 30, [10**12 - i for i in range(30)], [-i * 7 for i in range(30)])
    ):
        work.csv("i.csv", lon, lat, no=ids)
        for distances in [], ["--no-stats-distances"]:
            work.ok(
                "--seeds",
                "i.csv",
                "--id",
                "no",
                "--nodata",
                "-999",
                *GLOBE,
                "--stats",
                "t.csv",
                *distances,
                "--overwrite",
                "out.tif",
            )
            rows = read_table(work, "t.csv")
            assert [int(r["id"]) for r in rows] == list(ids)
            tables.append(
                [column(rows, name) for name in ("cells", "area_km2", "centroid_x", "centroid_y")]
            )
    for other in tables[1:]:
        assert np.array_equal(tables[0], other, equal_nan=True)


# ------------------------------------------------------------------------------------------------------- conservation


def total(work, name="p"):
    return column(read_table(work, "t.csv"), f"{name}_sum").sum()


SUM = ["--no-stats-distances", "--overwrite", "--stats", "t.csv"]


@pytest.mark.parametrize(
    "size,transform",
    [
        ((36, 18), (-180, 10, 0, 90, 0, -10)),
        ((2000, 900), (-180, 0.18, 0, 90, 0, -0.2)),
        ((360, 180), (0, 1, 0, 90, 0, -1)),
        ((360, 180), (-180.5, 1, 0, 90, 0, -1)),
        ((77, 31), (180, -360 / 77, 0, -90, 0, 180 / 31)),
        ((733, 391), (-180, 360 / 733, 0, 90, 0, -180 / 391)),
        ((90, 45), (-180, 4, 0, 90, 0, -4)),
    ],
    ids=["coarse", "fine", "0 to 360", "half a pixel over", "mirrored", "odd", "same"],
)
def test_totals_over_the_globe(seeds, size, transform):
    values = np.random.default_rng(3).uniform(0, 5e4, size[::-1])
    values[values < 2e4] = 0
    make_raster(seeds, "p.tif", values, transform, kind=gdal.GDT_Float32)
    exact = float(seeds.read("p.tif").astype(float).sum())
    for grid in GLOBE, ["--size", "1000,700"], ["--extent", "0,-90,360,90", "--size", "500,250"]:
        done = seeds.ok("--seeds", "s.csv", *grid, *SUM, "--sum", "p.tif", "out.tif")
        assert total(seeds) == pytest.approx(exact, rel=1e-9)
        assert done.stderr == ""


@pytest.mark.parametrize("factor", [1, 2])
def test_sums_of_whole_numbers_are_whole(seeds, factor):
    """Of the grid's own pixels, and of those that divide its cells."""
    values = np.random.default_rng(4).integers(0, 5000, (180 * factor, 360 * factor)).astype(float)
    step = 1 / factor
    make_raster(seeds, "p.tif", values, (-180, step, 0, 90, 0, -step), kind=gdal.GDT_Float32)
    seeds.ok("--seeds", "s.csv", "--size", "360,180", *SUM, "--sum", "p.tif", "out.tif")
    sums = column(read_table(seeds, "t.csv"), "p_sum")
    assert (sums == sums.round()).all() and sums.sum() == values.sum()


def test_totals_by_overlap(work):
    """A pixel over four cells and a half, by hand; areas on the plane."""
    work.csv("p.csv", [0.5, 3.5], [0.5, 0.5], header="x,y")
    make_raster(work, "p.tif", np.array([[90.0]]), (0, 4.5, 0, 2, 0, -2), epsg=None)
    work.ok(
        "--seeds", "p.csv", "--extent", "0,0,6,2", "--res", "1", *SUM, "--sum", "p.tif", "out.tif"
    )
    assert work.read("out.tif").tolist() == [[1, 1, 2, 2, 2, 2]] * 2
    assert column(read_table(work, "t.csv"), "p_sum").tolist() == pytest.approx([40, 50])


def test_true_area_shares(work):
    """A pixel from the equator to the pole: half its people live south of the parallel that halves the area."""
    work.csv("s.csv", [5, 5], [15, 45])
    make_raster(work, "p.tif", np.array([[100.0]]), (0, 10, 0, 90, 0, -90))
    work.ok(
        "--seeds",
        "s.csv",
        "--extent",
        "0,0,10,90",
        "--res",
        "10",
        *SUM,
        "--sum",
        "p.tif",
        "out.tif",
    )
    below = 100 * zone(30.0) / zone(90.0)
    assert work.read("out.tif").ravel().tolist() == [2] * 6 + [1] * 3
    assert column(read_table(work, "t.csv"), "p_sum").tolist() == pytest.approx(
        [below, 100 - below], rel=1e-12
    )


def test_nodata_scale_and_masks_of_sums(seeds):
    values = np.random.default_rng(3).uniform(1, 9, (45, 90))
    transform = (-180, 4, 0, 90, 0, -4)
    holes = values < 3
    for name, extra, exact in (
        ("nodata", dict(nodata=-7), values[~holes].sum()),
        ("mask", dict(mask=~holes * 255), values[~holes].sum()),
        ("nan", {}, values[~holes].sum()),
        ("scale", dict(scale=0.5), values.sum() / 2),
    ):
        stored = values.copy()
        if name in ("nodata", "nan"):
            stored[holes] = -7 if name == "nodata" else np.nan
        make_raster(seeds, f"{name}.tif", stored, transform, **extra)
        seeds.ok("--seeds", "s.csv", *GLOBE, *SUM, "--sum", f"p={name}.tif", "out.tif")
        assert total(seeds) == pytest.approx(exact, rel=1e-12)


def test_negative_counts(seeds):
    """Changes may be negative; the sum is one all the same, and no mean distance is made of nothing."""
    values = np.random.default_rng(3).uniform(-9, 9, (45, 90))
    make_raster(seeds, "p.tif", values, (-180, 4, 0, 90, 0, -4))
    make_raster(seeds, "q.tif", values * 0, (-180, 4, 0, 90, 0, -4))
    seeds.ok(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        "t.csv",
        "--sum",
        "p.tif",
        "--sum",
        "none=q.tif",
        "out.tif",
    )
    assert total(seeds) == pytest.approx(values.sum(), rel=1e-10)
    rows = read_table(seeds, "t.csv")
    assert {r["none_sum"] for r in rows} == {"0"} and {r["none_distance_mean"] for r in rows} == {
        ""
    }


def shared(values, pixels, cells, measure=lambda edge: edge):
    """Columns of pixels shared among cells, both by their ascending edges: differences of running sums."""
    so_far = np.vstack([np.zeros(values.shape[1]), np.cumsum(values, axis=0)])
    at = np.interp(measure(cells), measure(pixels), np.arange(len(pixels)))
    whole = np.minimum(at.astype(int), len(pixels) - 2)
    part = (at - whole)[:, None]
    return np.diff(so_far[whole] * (1 - part) + so_far[whole + 1] * part, axis=0)


TILES, STRIPS = ["TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=64", "COMPRESS=LZW"], ["BLOCKYSIZE=7"]
SMALL_CACHE = "100000"  # bytes: fewer than a raster has
LARGEST = float(np.finfo(np.float32).max)
STORED = [
    (gdal.GDT_Byte, 255, None, TILES),
    (gdal.GDT_Byte, None, None, STRIPS),
    (gdal.GDT_UInt16, 0, 0.25, TILES),
    (gdal.GDT_Int16, -1, None, STRIPS),
    (gdal.GDT_UInt32, 4294967295, None, TILES),
    (gdal.GDT_Int32, 7, None, TILES),
    (gdal.GDT_Float32, None, None, TILES),
    (gdal.GDT_Float32, -9999, None, TILES),
    (gdal.GDT_Float32, -9999, None, STRIPS),
    (gdal.GDT_Float32, 50, None, TILES),
    (gdal.GDT_Float32, 0, None, TILES),
    (gdal.GDT_Float32, -LARGEST, None, TILES),
    (gdal.GDT_Float32, math.nan, None, TILES),
    (gdal.GDT_Float32, math.inf, None, TILES),
    (gdal.GDT_Float64, -9999, 2.0, TILES),
    (gdal.GDT_Float64, 1e-3, None, STRIPS),
    (gdal.GDT_Float64, -1.7e308, None, TILES),
]


@pytest.mark.parametrize("kind,nodata,scale,options", STORED)
def test_sums_of_everything_that_files_hold(seeds, kind, nodata, scale, options):
    """Against differences of running sums, where the pixels are those that GDAL calls valid, also next to nodata; and the same bytes
    whatever GDAL keeps in memory."""
    random = np.random.default_rng(12)
    values = np.floor(random.uniform(0, 100, (307, 503)))
    values[random.uniform(0, 1, values.shape) < 0.3] = 0
    values[50:200, 100:400] = 0  # whole blocks of cells in which nothing is
    if nodata is not None:
        values[random.uniform(0, 1, values.shape) < 0.01] = nodata
    if nodata is not None and kind in (gdal.GDT_Float32, gdal.GDT_Float64) and abs(nodata) < 1e300:
        real = np.float32 if kind == gdal.GDT_Float32 else np.float64
        values[3, 5:8] = [
            np.nextafter(real(nodata), real(0)),
            real(nodata) * real(1 - 1e-6),
            real(nodata) * real(0.5),
        ]
    make_raster(
        seeds,
        "p.tif",
        values,
        (-180, 360 / 503, 0, 90, 0, -180 / 307),
        kind=kind,
        nodata=nodata,
        scale=scale,
        options=options,
    )
    band = seeds.open("p.tif").GetRasterBand(1)
    stored, valid = band.ReadAsArray().astype(float), band.GetMaskBand().ReadAsArray() != 0
    pixels = np.where(valid & ~np.isnan(stored), stored * (scale or 1), 0)
    tables = set()
    for cache, threads in ("", 2), (SMALL_CACHE, 3), ("0", 1), (SMALL_CACHE, 1):
        given = dict(os.environ, GDAL_CACHEMAX=cache) if cache else None
        seeds.ok(
            "--seeds",
            "s.csv",
            "--size",
            "749,367",
            "--metric",
            "great-circle",
            *SUM,
            "--sum",
            "p.tif",
            "--threads",
            threads,
            "out.tif",
            env=given,
        )
        tables.add(seeds.path("t.csv").read_bytes())
    assert len(tables) == 1
    numbers = seeds.read("out.tif") - 1
    exact, size = [
        by_seed(
            numbers,
            shared(
                shared(p.T, np.linspace(-180, 180, 504), np.linspace(-180, 180, 750)).T[::-1],
                np.linspace(-90, 90, 308),
                np.linspace(-90, 90, 368),
                zone,
            )[::-1],
        )
        for p in (pixels, np.abs(pixels))
    ]
    assert np.all(np.abs(column(read_table(seeds, "t.csv"), "p_sum") - exact) <= 1e-10 * size)


def test_points_of_pixels_in_small_caches(seeds):
    """A raster in another system, empty in part: the same bytes whatever GDAL keeps in memory and however small blocks are, and
    nothing is lost."""
    values = np.random.default_rng(13).uniform(0, 100, (450, 400))
    values[100:350, 50:250] = 0
    values[::3, 250:300] = 0
    make_raster(
        seeds,
        "p.tif",
        values,
        (2600000, 8000, 0, 5400000, 0, -8000),
        epsg=3035,
        kind=gdal.GDT_Float32,
        options=TILES,
    )
    tables = set()
    small = ["--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=64"]
    for cache, threads, blocks in ("", 2, []), (SMALL_CACHE, 3, []), ("0", 1, []), ("", 2, small):
        given = dict(os.environ, GDAL_CACHEMAX=cache) if cache else None
        seeds.ok(
            "--seeds",
            "s.csv",
            "--size",
            "749,367",
            "--metric",
            "great-circle",
            *SUM,
            "--sum",
            "p.tif",
            "--threads",
            threads,
            *blocks,
            "out.tif",
            env=given,
        )
        tables.add(seeds.path("t.csv").read_bytes())
    assert len(tables) == 1
    assert total(seeds) == pytest.approx(float(seeds.read("p.tif").astype(float).sum()), rel=1e-9)


def test_infinite_pixels_are_found_in_tiles(seeds):
    values = np.ones((300, 500))
    values[211, 317] = math.inf
    make_raster(
        seeds, "p.tif", values, (-180, 0.72, 0, 90, 0, -0.6), kind=gdal.GDT_Float32, options=TILES
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        "t.csv",
        "--sum",
        "p.tif",
        "out.tif",
        has=["--sum", "p.tif", "(317, 211)", "infinite"],
    )


def test_tiles_that_cannot_be_read(seeds):
    make_raster(
        seeds,
        "p.tif",
        np.random.default_rng(3).uniform(0, 9, (300, 500)),
        (-180, 0.72, 0, 90, 0, -0.6),
        options=TILES,
    )
    whole = seeds.path("p.tif").read_bytes()
    seeds.path("p.tif").write_bytes(whole[: len(whole) * 2 // 3])
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        "t.csv",
        "--sum",
        "p.tif",
        "out.tif",
        has=["--sum", "p.tif"],
    )


def test_tables_by_parts(work):
    """CSV is written by several threads at once: the same bytes as by one, rows in their order, attributes as they were."""
    random = np.random.default_rng(9)
    n = 5000
    lon, lat = globe(n, seed=9)
    names = [
        ("plain", '"with, comma"', '"say ""so"""', "12.50", " space ", "")[i]
        for i in random.integers(0, 6, n)
    ]
    work.csv("s.csv", lon, lat, **{'"a, name"': names})
    features = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("m.gpkg")))
    layer = features.CreateLayer("m", crs(4326), ogr.wkbUnknown)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for i, first in enumerate(
        (0, 700, 3900, 4000)
    ):  # the second has more points than a part has rows
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("name", f"feature {i}")
        last = (700, 3900, 4000, n)[i]
        feature.SetGeometry(
            ogr.CreateGeometryFromWkt(
                "MULTIPOINT ("
                + ",".join(
                    f"{a!r} {b!r}"
                    for a, b in zip(lon[first:last].tolist(), lat[first:last].tolist())
                )
                + ")"
            )
        )
        layer.CreateFeature(feature)
    features = layer = None
    for source in "s.csv", "m.gpkg":
        tables = []
        for threads in 1, 2, 5:
            work.ok(
                "--seeds",
                source,
                "--metric",
                "great-circle",
                *GLOBE,
                *SUM,
                "--threads",
                threads,
                "out.tif",
            )
            tables.append(work.path("t.csv").read_bytes())
        assert tables[0] == tables[1] == tables[2]
    rows = read_table(work, "t.csv")
    assert [r["name"] for r in rows] == [
        f"feature {i}" for i, count in enumerate((700, 3200, 100, 1000)) for _ in range(count)
    ]
    work.ok("--seeds", "s.csv", "--metric", "great-circle", *GLOBE, *SUM, "out.tif")
    rows = read_table(work, "t.csv")
    assert [r["a, name"] for r in rows] == [(next(csv.reader([name])) or [""])[0] for name in names]
    assert [r["id"] for r in rows] == [str(i + 1) for i in range(n)]
    assert np.array_equal(column(rows, "cells"), by_seed(work.read("out.tif") - 1, 1, n))


def test_outside_is_told(seeds):
    values = np.ones((180, 360))
    make_raster(seeds, "p.tif", values, (-180, 1, 0, 90, 0, -1))
    done = seeds.ok(
        "--seeds",
        "s.csv",
        "--extent",
        "0,0,20.5,10",
        "--res",
        "0.5",
        *SUM,
        "--sum",
        "p.tif",
        "out.tif",
    )
    assert total(seeds) == pytest.approx(205, rel=1e-9)
    assert done.stderr.startswith(
        "gpuvoronoi: warning: --sum p: 64595 of its total of 64800 is outside"
    )


@pytest.mark.parametrize(
    "code,size,transform",
    [
        (4326, (360, 180), (-180, 1, 0, 90, 0, -1)),
        (4326, (360, 180), (0, 1, 0, 90, 0, -1)),
        (3857, (400, 400), (-20037508.34, 100187.5417, 0, 20037508.34, 0, -100187.5417)),
        (4326, (4, 2), (-180, 90, 0, 90, 0, -90)),  # a pixel over all of the grid
        (3857, (4, 4), (-20037508.34, 10018754.17, 0, 20037508.34, 0, -10018754.17)),
    ],
    ids=["same", "same, 0 to 360", "another", "same, coarse", "another, coarse"],
)
@pytest.mark.parametrize(
    "grid",
    [
        ["--extent=-40,0,-20.5,10", "--res", "0.5"],
        ["--crs", "EPSG:32624", "--extent", "300000,1000,700000,900000", "--res", "50000"],
    ],
    ids=["degrees", "projected"],
)
def test_nothing_where_the_grid_is(seeds, grid, code, size, transform):
    """A raster that covers the grid with pixels of 0 does overlap it, in whichever system."""
    values = np.zeros(size[::-1])
    values[0, 0] = values[-1, -1] = 5.0
    make_raster(seeds, "p.tif", values, transform, epsg=code)
    done = seeds.ok(
        "--seeds", "s.csv", "--metric", "great-circle", *grid, *SUM, "--sum", "p.tif", "out.tif"
    )
    assert total(seeds) == 0
    assert done.stderr.startswith("gpuvoronoi: warning: --sum p: 10 of its total of 10 is outside")


PROJECTED = [
    (3035, (30, 25), (2600000, 150000, 0, 5400000, 0, -150000)),  # coarse
    (3035, (400, 300), (2600000, 10000, 0, 5400000, 0, -12000)),  # fine
    (3857, (40, 40), (-20037508.34, 1001875.417, 0, 20037508.34, 0, -1001875.417)),
    (3031, (60, 60), (-3e6, 1e5, 0, 3e6, 0, -1e5)),  # the pole in its middle
    (
        "+proj=laea +lat_0=10 +lon_0=180 +datum=WGS84",
        (50, 40),
        (-5e6, 2e5, 0, 4e6, 0, -2e5),
    ),  # over 180
    (3031, (61, 61), (-3.05e6, 1e5, 0, 3.05e6, 0, -1e5)),  # 180 through the middle of pixels
    (3413, (61, 61), (-3.05e6, 1e5, 0, 3.05e6, 0, -1e5)),
]


@pytest.mark.parametrize(
    "code,size,transform",
    PROJECTED,
    ids=["coarse", "fine", "mercator", "pole", "antimeridian", "on 180", "on 180, diagonally"],
)
@pytest.mark.parametrize(
    "grid",
    [["--size", "90,45"], ["--size", "180,90"], ["--size", "900,450"]],
    ids=["coarse cells", "cells", "fine cells"],
)
def test_totals_from_another_system(seeds, code, size, transform, grid):
    values = np.random.default_rng(3).integers(0, 3, size[::-1]) * 1000.0
    make_raster(seeds, "p.tif", values, transform, epsg=code)
    done = seeds.ok("--seeds", "s.csv", *grid, *SUM, "--sum", "p.tif", "out.tif")
    assert total(seeds) == pytest.approx(values.sum(), rel=1e-9)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "code,turn,top",
    [(4258, 360, 90), (3857, 2 * 20037508.342789244, 20037508.342789244), (4326, 360, 90)],
    ids=["degrees", "meters", "slanted"],
)
@pytest.mark.parametrize("turns", [1, 3])
def test_pixels_around_the_globe(seeds, code, turn, top, turns):
    """A pixel may be as wide as the globe, its corners in one place: what it holds lies all around."""
    slant = 1e-9 if code == 4326 else 0
    values = np.random.default_rng(5).uniform(0, 100, (60, 1))
    make_raster(
        seeds, "p.tif", values, (-turn / 2, turns * turn, slant, top, slant, -top / 30), epsg=code
    )
    make_raster(
        seeds,
        "q.tif",
        np.repeat(values / 16, 16, axis=1),
        (-turn / 2, turn / 16, slant, top, slant, -top / 30),
        epsg=code,
    )
    seeds.ok("--seeds", "s.csv", *GLOBE, *SUM, "--sum", "p.tif", "--sum", "q.tif", "out.tif")
    rows = read_table(seeds, "t.csv")
    assert column(rows, "q_sum").min() > 0
    # Cells are coarse, and 64 points a pixel's side are few around the globe.
    assert column(rows, "p_sum") == pytest.approx(
        column(rows, "q_sum"), rel=0.1, abs=1e-3 * values.sum()
    )
    assert total(seeds) == pytest.approx(values.sum(), rel=1e-6)


def test_pixels_around_a_map(seeds):
    """The same where the grid's coordinates do not come round: from 0 to 360 degrees onto a map of -180 to 180."""
    values = np.random.default_rng(5).uniform(0, 100, (160, 1))
    make_raster(seeds, "p.tif", values, (0, 360, 0, 80, 0, -1))
    make_raster(seeds, "q.tif", np.repeat(values / 360, 360, axis=1), (0, 1, 0, 80, 0, -1))
    seeds.ok(
        "--seeds",
        "s.csv",
        "--crs",
        "EPSG:3857",
        "--extent=-20037508,-20037508,20037508,20037508",
        "--size",
        "500,500",
        *SUM,
        "--sum",
        "p.tif",
        "--sum",
        "q.tif",
        "out.tif",
    )
    rows = read_table(seeds, "t.csv")
    assert column(rows, "p_sum") == pytest.approx(column(rows, "q_sum"), rel=0.1)
    assert total(seeds) == pytest.approx(values.sum(), rel=1e-3)


def test_totals_onto_a_projected_grid(seeds):
    """Degrees onto a map that covers part of the globe: inside and outside make the whole."""
    values = np.random.default_rng(3).integers(0, 3, (180, 360)) * 1000.0
    make_raster(seeds, "p.tif", values, (-180, 1, 0, 90, 0, -1))
    for options in (
        ["--crs", "EPSG:3035", "--extent", "2500000,1500000,7000000,5500000", "--res", "50000"],
        [
            "--crs",
            "ESRI:54009",
            "--size",
            "300,150",
            "--extent",
            "-18040096,-9020048,18040096,9020048",
        ],
        ["--crs", "EPSG:3031", "--extent", "-3000000,-3000000,3000000,3000000", "--res", "25000"],
    ):
        done = seeds.ok(
            "--seeds",
            "s.csv",
            "--metric",
            "great-circle",
            *options,
            *SUM,
            "--sum",
            "p.tif",
            "out.tif",
        )
        inside, numbers = total(seeds), seeds.read("out.tif")
        if "ESRI:54009" in options:
            # Mollweide: a few parts at its edge are in cells with centers that have no place.
            assert done.stderr == "" and inside == pytest.approx(values.sum(), rel=0.01)
            continue
        told = float(done.stderr.split("--sum p: ")[1].split()[0])
        assert inside + told == pytest.approx(values.sum(), rel=1e-9)
        # As many as an even spread of parts of pixels, transformed one by one, puts there.
        assert np.all(numbers > 0)


def test_shares_from_another_system(work):
    """Fine counts in UTM on a grid in degrees: each region has what a count of pixel centers gives."""
    random = np.random.default_rng(5)
    lon, lat = random.uniform(14, 16, 6), random.uniform(44, 46, 6)
    work.csv("s.csv", lon, lat)
    values = random.uniform(0, 10, (300, 300))
    transform = (400000, 700, 0, 5150000, 0, -700)
    make_raster(work, "p.tif", values, transform, epsg=32633)
    work.ok(
        "--seeds",
        "s.csv",
        "--extent",
        "13,43,18,48",
        "--res",
        "0.02",
        *SUM,
        "--sum",
        "p.tif",
        "out.tif",
    )
    rows, numbers = read_table(work, "t.csv"), work.read("out.tif") - 1
    x, y = np.meshgrid(
        400000 + 700 * (np.arange(300) + 0.5), 5150000 - 700 * (np.arange(300) + 0.5)
    )
    there = osr.CoordinateTransformation(crs(32633), crs(4326))
    moved = np.array(there.TransformPoints(np.stack([x.ravel(), y.ravel()], axis=-1).tolist()))
    seed = numbers[((48 - moved[:, 1]) / 0.02).astype(int), ((moved[:, 0] - 13) / 0.02).astype(int)]
    assert column(rows, "p_sum") == pytest.approx(np.bincount(seed, values.ravel(), 6), rel=0.005)
    assert total(work) == pytest.approx(values.sum(), rel=1e-12)


def test_rotated_grids(work):
    work.csv("p.csv", [5, 25], [5, 5], header="x,y")
    values = np.random.default_rng(3).uniform(0, 10, (20, 30))
    make_raster(work, "like.tif", np.zeros((60, 60)), (-20, 0.8, 0.5, 20, 0.5, -0.8), epsg=None)
    make_raster(work, "p.tif", values, (0, 0.5, 0, 10, 0, -0.5), epsg=None)
    make_raster(work, "turned.tif", values, (5, 0.3, 0.1, 5, 0.1, -0.3), epsg=None)
    work.ok(
        "--seeds",
        "p.csv",
        "--like",
        "like.tif",
        *SUM,
        "--sum",
        "p.tif",
        "--sum",
        "turned.tif",
        "out.tif",
    )
    assert total(work) == pytest.approx(values.sum(), rel=1e-12)
    assert total(work, "turned") == pytest.approx(values.sum(), rel=1e-12)


def test_points_on_the_edge_of_the_grid(work):
    """A raster rotated by 90 degrees with outer points on all four edges: they count."""
    work.csv("p.csv", [1, 3], [1, 3], header="x,y")
    values = np.arange(16.0).reshape(4, 4)
    make_raster(work, "p.tif", values, (0, 0, 1, 0, 1, 0), epsg=None)
    done = work.ok(
        "--seeds",
        "p.csv",
        "--extent",
        "0.25,0.25,3.75,3.75",
        "--res",
        "1.75",
        *SUM,
        "--sum",
        "p.tif",
        "out.tif",
    )
    assert total(work) == 120 and done.stderr == ""


def test_rotated_degrees_are_refused(work):
    work.csv("s.csv", [5, 25], [5, 5])
    make_raster(work, "like.tif", np.zeros((20, 20)), (0, 1, 0.5, 20, 0.5, -1))
    work.fails(
        "--seeds",
        "s.csv",
        "--like",
        "like.tif",
        "--stats",
        "t.csv",
        "out.tif",
        has=["--stats", "rotated"],
    )
    work.ok("--seeds", "s.csv", "--like", "like.tif", "--distance", "d.tif", "out.tif")


def test_memory_stays_bounded(work):
    """A large sum raster, read twice, leaves most of the memory alone."""
    work.csv("s.csv", LON, LAT)
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("p.tif")), 16000, 8000, 1, gdal.GDT_Float64, ["TILED=YES", "SPARSE_OK=TRUE"]
    )
    made.SetGeoTransform((-180, 360 / 16000, 0, 90, 0, -180 / 8000))
    made.SetSpatialRef(crs(4326))
    made = None
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [
            "/usr/bin/python3",
            "-c",
            script,
            COMMAND,
            "--seeds",
            "s.csv",
            *GLOBE,
            *SUM,
            "--sum",
            "p.tif",
            "--threads",
            "2",
            "out.tif",
        ],
        cwd=work.directory,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 600 * 1024


def test_repeated_globe(work):
    """A grid that goes around the globe one and a half times does not count people twice."""
    work.csv("s.csv", LON, LAT)
    values = np.random.default_rng(3).uniform(0, 10, (18, 36))
    make_raster(work, "p.tif", values, (-180, 10, 0, 90, 0, -10))
    work.ok(
        "--seeds",
        "s.csv",
        "--extent",
        "-180,-90,360,90",
        "--res",
        "5",
        *SUM,
        "--sum",
        "p.tif",
        "out.tif",
    )
    assert total(work) == pytest.approx(values.sum(), rel=1e-12)


def test_masked_people_are_nobodys(seeds):
    values = np.ones((45, 90))
    make_raster(seeds, "p.tif", values, (-180, 4, 0, 90, 0, -4))
    keep = np.zeros((45, 90))
    keep[10:20, 30:60] = 1
    make_raster(seeds, "m.tif", keep, (-180, 4, 0, 90, 0, -4))
    seeds.ok("--seeds", "s.csv", *GLOBE, *SUM, "--sum", "p.tif", "--mask", "m.tif", "out.tif")
    assert total(seeds) == pytest.approx(300)


def test_distances_of_served_people(seeds):
    """One person in one place: the mean distance is that place's."""
    values = np.zeros((45, 90))
    values[11, 33] = 1
    make_raster(seeds, "p.tif", values, (-180, 4, 0, 90, 0, -4))
    seeds.ok("--seeds", "s.csv", *GLOBE, "--stats", "t.csv", "--sum", "p.tif", "out.tif")
    rows, geodesic = read_table(seeds, "t.csv"), Geodesic(*WGS84)
    served = [r for r in rows if r["p_sum"] != "0"]
    assert len(served) == 1
    i = int(served[0]["id"]) - 1
    exact = geodesic.distance(-180 + 33.5 * 4, 90 - 11.5 * 4, LON[i], LAT[i])
    assert float(served[0]["p_distance_mean"]) == pytest.approx(exact, rel=1e-10)
