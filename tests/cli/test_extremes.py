"""Input that programs write but people do not draw: coordinates without bounds, polygons with edges everywhere."""

import json
import resource

import numpy as np
import pytest
from osgeo import gdal

from conftest import globe, sanitized
from test_facility import GLOBE, PLANE, burnt, check_mask, make_polygons, make_raster

LON, LAT = globe(40, seed=4)


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT)
    return work


def soon():
    """A run that hangs is killed."""
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def polygon(work, name, *rings):
    geometry = {"type": "Polygon", "coordinates": rings}
    return work.write(name, json.dumps({"type": "Feature", "properties": {}, "geometry": geometry}))


def box(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]


@pytest.mark.parametrize("x", [1e20, 1e6, 1e300])
@pytest.mark.parametrize(
    "grid",
    [GLOBE, ["--crs", "EPSG:3857", "--extent", "-2e7,-2e7,2e7,2e7", "--size", "20,20"]],
    ids=["degrees", "projected"],
)
def test_mask_polygon_of_endless_longitudes(seeds, x, grid):
    for low, high in (-x, x), (0, x), (-x, 0):
        polygon(seeds, "m.geojson", box(low, -90, high, 90))
        seeds.fails(
            "--seeds",
            "s.csv",
            *grid,
            "--mask",
            "m.geojson",
            "out.tif",
            has=["--mask", "m.geojson", "turns"],
            preexec_fn=soon,
        )


def test_mask_polygon_of_several_turns(seeds):
    polygon(seeds, "m.geojson", box(-7200, -90, 7200, 20))
    check_mask(
        seeds,
        np.repeat(90 - 4 * (np.arange(45) + 0.5) < 20, 90).reshape(45, 90),
        "--mask",
        "m.geojson",
    )


def test_mask_polygon_without_bounds_in_the_plane(work):
    """Where x does not repeat, a number may be as large as it likes."""
    work.csv("p.csv", [1.0, 17.0], [1.0, 5.0], header="x,y")
    make_polygons(
        work,
        "m.shp",
        ["POLYGON ((-1e20 -1e20, 20 -1e20, 20 1e20, -1e20 1e20, -1e20 -1e20))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    work.ok("--seeds", "p.csv", *PLANE, "--mask", "m.shp", "out.tif", preexec_fn=soon)
    kept = work.read("out.tif") != -1
    assert kept[:, :20].all() and not kept[:, 20:].any()


def few_megabytes():
    soon()
    if not sanitized():
        resource.setrlimit(resource.RLIMIT_DATA, (600 << 20, 600 << 20))


def test_mask_of_a_comb(work):
    """Every row of cells crosses every edge: nothing may grow with the square of their number."""
    work.csv("p.csv", [1.0, 17.0], [1.0, 5.0], header="x,y")
    teeth = [f"{40 * i / 20000:.6f} {(0, 29.98)[i % 2]}" for i in range(20001)]
    make_polygons(
        work,
        "m.shp",
        [f"POLYGON (({', '.join(teeth)}, 40 31, 0 31, {teeth[0]}))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    work.ok("--seeds", "p.csv", "--extent", "0,0,40,30", "--size", "397,300", "out.tif")
    keep = burnt(work, "m.shp", work.open("out.tif"))
    assert 0.3 < keep.mean() < 0.7
    work.ok(
        "--seeds",
        "p.csv",
        "--extent",
        "0,0,40,30",
        "--size",
        "397,300",
        "--mask",
        "m.shp",
        "--overwrite",
        "out.tif",
        preexec_fn=few_megabytes,
    )
    assert np.array_equal(work.read("out.tif") != -1, keep)


def test_grid_of_endless_longitudes(seeds):
    """--like may be anything; from the command line it is refused too."""
    polygon(seeds, "m.geojson", box(-10, -90, 10, 90))
    for west in 1e20, -1e20, 40000.0:
        make_raster(seeds, "like.tif", np.zeros((4, 4)), (west, 40, 0, 80, 0, -40))
        seeds.fails(
            "--seeds",
            "s.csv",
            "--like",
            "like.tif",
            "--mask",
            "m.geojson",
            "out.tif",
            has="turns",
            preexec_fn=soon,
        )
        seeds.fails(
            "--seeds",
            "s.csv",
            f"--extent={west!r},-80,{west + 1e6!r},80",
            "--size",
            "20,10",
            "out.tif",
            has="turns",
            preexec_fn=soon,
        )


@pytest.mark.parametrize(
    "origin,step", [(1e25, 1e12), (-1e25, 1e12), (1e25, 1.0), (-1e100, 1e95), (0.0, 1e100)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_sum_raster_far_away(work, origin, step, turned):
    """In the plane: what is far away outside the grid; what is large has nothing in a cell, and no point if it is turned."""
    work.csv("p.csv", [1.0, 17.0], [1.0, 5.0], header="x,y")
    west = origin if origin != 0.0 else -2.5 * step
    transform = (west, step, 0.1 * step if turned else 0, -west, 0, -step)
    make_raster(work, "sum.tif", np.ones((6, 6)), transform, epsg=None)
    arguments = ["--seeds", "p.csv", *PLANE, "--stats", "t.csv", "--sum", "sum.tif", "out.tif"]
    if origin != 0.0 or turned:
        work.fails(*arguments, has="outside the grid", preexec_fn=soon)
        return
    work.ok(*arguments, preexec_fn=soon)
    table = work.path("t.csv").read_text(encoding="utf-8").splitlines()
    assert all(
        abs(float(row.split(",")[table[0].split(",").index("sum_sum")])) < 1e-90
        for row in table[1:]
    )


def test_sums_of_too_much(seeds):
    """Of another system: finite values that have no finite sum."""
    make_raster(seeds, "sum.tif", np.full((4, 4), 1.5e308), (-8e6, 4e6, 0, 8e6, 0, -4e6), epsg=3857)
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        "t.csv",
        "--sum",
        "sum.tif",
        "out.tif",
        has=["--sum", "sum.tif", "out of range"],
    )


@pytest.mark.parametrize("option", ["--sum", "--mask"])
@pytest.mark.parametrize("origin,step", [(1e25, 1e12), (-1e25, 1e12), (1e20, 1e-3), (0, 1e12)])
@pytest.mark.parametrize("turned", [False, True])
def test_raster_of_endless_longitudes(seeds, option, origin, step, turned):
    make_raster(seeds, "r.tif", np.ones((6, 6)), (origin, step, 1.0 if turned else 0, 60, 0, -20))
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--stats",
        "t.csv",
        option,
        "r.tif",
        "out.tif",
        has=[option, "r.tif"],
        preexec_fn=soon,
    )


@pytest.mark.parametrize("option", ["--sum", "--mask"])
def test_raster_without_finite_places(work, option):
    work.csv("p.csv", [1.0, 17.0], [1.0, 5.0], header="x,y")
    for transform in (
        (float("inf"), 1, 0, 0, 0, -1),
        (0, 1, 0, float("nan"), 0, -1),
        (0, float("inf"), 0, 0, 0, -1),
    ):
        make_raster(work, "r.tif", np.ones((6, 6)), transform, epsg=None)
        work.fails(
            "--seeds",
            "p.csv",
            *PLANE,
            "--stats",
            "t.csv",
            option,
            "r.tif",
            "out.tif",
            has=[option, "r.tif"],
            preexec_fn=soon,
        )


# ------------------------------------------------------------------------------------------------------ rows at the poles


@pytest.mark.parametrize("rows", [1801, 361, 181, 51, 401, 801, 901])
def test_grids_from_pole_to_pole(work, rows):
    """The first and the last row are the poles; rounding puts some of them beyond."""
    work.csv("s.csv", [0.0, 10.0, -100.0], [0.0, 50.0, -80.0])
    step = 180 / (rows - 1)
    columns = 24
    like = gdal.GetDriverByName("GTiff").Create(str(work.path("like.tif")), columns, rows)
    latitudes = np.linspace(90, -90, rows)
    down = (latitudes[-1] - latitudes[0]) / (rows - 1)  # as rioxarray has it
    like.SetGeoTransform((-7.5, 15.0, 0, latitudes[0] - down / 2, 0, down))
    like.SetProjection("EPSG:4326")
    like.GetRasterBand(1).Fill(1)
    like = None
    work.ok(
        "--seeds",
        "s.csv",
        "--like",
        "like.tif",
        "--distance",
        "d.tif",
        "--stats",
        "t.csv",
        "--azimuth",
        "a.tif",
        "o.tif",
    )
    work.ok(
        "--seeds",
        "s.csv",
        f"--extent=-7.5,{-90 - step / 2!r},352.5,{90 + step / 2!r}",
        "--res",
        f"15,{step!r}",
        "--distance",
        "e.tif",
        "p.tif",
    )
    for ids, distances in ("o.tif", "d.tif"), ("p.tif", "e.tif"):
        read = work.read(distances)
        assert read.shape == (rows, columns) and np.ptp(read[0]) < 1e-3 and np.ptp(read[-1]) < 1e-3
        assert len(np.unique(work.read(ids)[0])) == 1  # one place, one answer
    for backend in "serial", "kdtree":
        work.ok(
            "--seeds", "s.csv", "--like", "like.tif", "--backend", backend, "--overwrite", "q.tif"
        )
        assert np.array_equal(work.read("q.tif"), work.read("o.tif"))
    work.ok("--seeds-raster", "like.tif", "--by-cell", "--overwrite", "r.tif")


def test_rows_beyond_the_poles_are_refused(work):
    work.csv("s.csv", [0.0], [0.0])
    line = work.fails(
        "--seeds",
        "s.csv",
        "--extent=-180,-90,180,90.5",
        "--size",
        "36,722",
        "o.tif",
        has="latitudes of cell centers out of range [-90, 90]",
    )
    assert "to 90.375)" in line
