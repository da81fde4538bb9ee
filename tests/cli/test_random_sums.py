"""Sum rasters of random systems, pixels and slants on random grids: what each seed gets is what small parts of the pixels, each moved by
PROJ by itself, give it. A case is made again by its number. With GPUVORONOI_LONG=1 there are 400."""

import os

import numpy as np
import pytest
from osgeo import gdal, osr

from conftest import crs
from test_facility import make_raster
from test_facility_stats import column, read_table, zone

# Four of the few have low pixels that are as wide as the globe.
CASES = range(400) if os.environ.get("GPUVORONOI_LONG") == "1" else [*range(16), 152, 273, 383, 386]
SEEDS = 6
SIDE = 96  # parts of a pixel
DEGREES = ("EPSG:4326", "EPSG:4258")
GRIDS = [("EPSG:4326", (-180, -90, 180, 90), (360, 180)), ("EPSG:4326", (0, -90, 360, 90), (180, 90)),
         ("EPSG:3857", (-20037508, -20037508, 20037508, 20037508), (300, 300)), ("EPSG:3035", (1500000, 900000, 7500000, 5500000), (120, 92)),
         ("EPSG:3031", (-6e6, -6e6, 6e6, 6e6), (120, 120)), ("EPSG:4258", (-30, 30, 50, 80), (160, 100)),
         ("ESRI:54009", (-18040096, -9020048, 18040096, 9020048), (360, 180)), ("EPSG:32633", (100000, 0, 900000, 9000000), (80, 900))]
RASTERS = ["EPSG:4326", "EPSG:4258", "EPSG:4326", "EPSG:3857", "EPSG:3035", "EPSG:3031", "EPSG:32633", "EPSG:6933", "ESRI:54009", "EPSG:3413"]
MIDDLES = {"EPSG:3035": (4321000, 3210000), "EPSG:32633": (500000, 5000000)}


def in_degrees(random, width, height):
    dx = random.choice([360, 360, 180, 90, 10, 1, random.uniform(0.1, 200)])
    dy = random.choice([random.uniform(0.05, 180 / height), 180 / height, 0.5, 1])
    west = random.choice([-180, 0, -90, random.uniform(-180, 180), random.uniform(-30, 30)])
    north = max(random.choice([90, 60, random.uniform(-90 + dy * height, 90)]), -90 + dy * height)
    slant = random.uniform(-0.2, 0.2, 2) if random.random() < 0.15 else (0, 0)
    return west, dx, slant[0] * dx, north, slant[1] * dy, -dy


def in_metres(random, code, width, height):
    dx, dy = random.choice([1e4, 1e5, 1e6, 5e6, 2e7]) * random.uniform(0.3, 1, 2)
    x, y = MIDDLES.get(code, (0, 0))
    if code in ("EPSG:3857", "EPSG:6933"):
        x, y = random.uniform(-1.5e7, 1.5e7), random.uniform(-6e6, 6e6)
    slant = random.uniform(-0.5, 0.5, 2) if random.random() < 0.2 else (0, 0)
    return x + random.uniform(-1, 0.2) * dx * width, dx, slant[0] * dx, y + random.uniform(-0.2, 1) * dy * height, slant[1] * dy, -dy


def parts_of(values, g, true_areas):
    """Places of SIDE x SIDE parts of each pixel, and what each of them holds."""
    height, width = values.shape
    middles = (np.arange(SIDE) + 0.5) / SIDE
    column_, row = np.meshgrid((np.arange(width)[:, None] + middles).ravel(), (np.arange(height)[:, None] + middles).ravel())
    share = np.full((height, SIDE), 1 / SIDE)
    if true_areas:
        share = np.abs(np.diff(zone(g[3] + np.arange(height * SIDE + 1) / SIDE * g[5]))).reshape(height, SIDE)
        share /= share.sum(axis=1, keepdims=True)
    amounts = np.repeat(np.repeat(values, SIDE, axis=0), SIDE, axis=1) * share.reshape(-1, 1) / SIDE
    return g[0] + column_ * g[1] + row * g[2], g[3] + column_ * g[4] + row * g[5], amounts


def in_cells(x, y, code, grid):
    """Places in cells from the grid's upper left corner; NaN where there is none."""
    system, (west, south, east, north), (width, height) = grid
    if code != system:
        operation = osr.CoordinateTransformation(crs(code), crs(system))
        osr.DontUseExceptions()  # what has no place comes back infinite
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        places = np.array(operation.TransformPoints(np.stack([x.ravel(), y.ravel()], axis=-1).tolist()))
        gdal.PopErrorHandler()
        osr.UseExceptions()
        there = np.isfinite(places[:, :2]).all(axis=1)
        x, y = (np.where(there, places[:, i], np.nan).reshape(x.shape) for i in range(2))
    u, v = (x - west) / (east - west) * width, (north - y) / (north - south) * height
    return np.mod(u, 360 / (east - west) * width) if system in DEGREES else u, v


def seeds_at(u, v, numbers):
    """The seed of the cell at each place, -1 where there is none."""
    inside = (u >= 0) & (v >= 0) & (u < numbers.shape[1]) & (v < numbers.shape[0])
    seed = np.full(u.shape, -1)
    seed[inside] = numbers[v[inside].astype(int), u[inside].astype(int)] - 1
    return seed


def of_pieces(values, seed, u, v):
    """What may lie with another seed than it should: half of one of the pieces that a pixel of several seeds is parted into, which are a
    quarter of a cell wide."""
    height, width = values.shape
    seed, u, v = (np.moveaxis(a.reshape(height, SIDE, width, SIDE), 1, 2).reshape(height, width, -1) for a in (seed, u, v))
    cells = np.nan_to_num(np.maximum(np.ptp(u, axis=2), np.ptp(v, axis=2)), nan=np.inf)
    return (values / np.maximum(2, 8 * cells))[seed.min(axis=2) != seed.max(axis=2)].sum()


@pytest.mark.parametrize("case", CASES)
def test_sums(work, case):
    random = np.random.default_rng(case)
    grid, code = GRIDS[random.integers(len(GRIDS))], RASTERS[random.integers(len(RASTERS))]
    system, extent, size = grid
    width, height = random.integers(1, 9, 2)
    transform = [float(t) for t in (in_degrees(random, width, height) if code in DEGREES else in_metres(random, code, width, height))]
    values = random.uniform(1, 100, (height, width))
    make_raster(work, "p.tif", values, transform, epsg=code)
    lon, lat = random.uniform(-180, 180, SEEDS), np.degrees(np.arcsin(random.uniform(-1, 1, SEEDS)))
    if system in ("EPSG:3035", "EPSG:4258", "EPSG:32633"):
        lon, lat = random.uniform(-10, 35, SEEDS), random.uniform(35, 70, SEEDS)
    work.csv("s.csv", lon, lat)
    question = ["--seeds", "s.csv", "--crs", system, "--extent=" + ",".join(map(str, extent)), "--size", f"{size[0]},{size[1]}", "--metric",
                "great-circle", "--stats", "t.csv", "--no-stats-distances", "out.tif"]
    done = work.run(*question, "--sum", "p.tif")
    refused = done.returncode != 0
    if refused:
        assert done.returncode == 1 and ("does not overlap the grid" in done.stderr or "far beyond any map" in done.stderr), done.stderr
        work.ok(*question)
    true_areas = code in DEGREES and transform[2] == transform[4] == 0
    x, y, amounts = parts_of(values, transform, true_areas)
    u, v = in_cells(x, y, code, grid)
    seed = seeds_at(u, v, work.read("out.tif"))
    expected = np.bincount(seed[seed >= 0], amounts[seed >= 0], SEEDS)
    found = np.zeros(SEEDS) if refused else column(read_table(work, "t.csv"), "p_sum")
    allowed = max(0.02 * values.sum(), of_pieces(values, seed, u, v))
    assert "far beyond" in done.stderr or np.abs(found - expected).max() <= allowed, (grid, code, transform, found, expected)
