"""Sum rasters of random systems, pixels and slants on random grids: each seed gets exactly what docs/facility.md defines, computed here
point by point. A case is made again by its number. With GPUVORONOI_LONG=1 there are 400."""

import math
import os

import numpy as np
import pytest
from osgeo import gdal, osr

from conftest import crs
from test_facility import make_raster
from test_facility_stats import column, read_table

# Four of the few have low pixels that are as wide as the globe. From 1000 on rasters are in the grid's system.
CASES = (
    [*range(400), *range(1000, 1100)]
    if os.environ.get("GPUVORONOI_LONG") == "1"
    else [*range(16), 152, 273, 383, 386, *range(1000, 1012)]
)
SEEDS = 6
POINTS_A_CELL, MOST_POINTS = 2, 64
DEGREES = ("EPSG:4326", "EPSG:4258")
GRIDS = [
    ("EPSG:4326", (-180, -90, 180, 90), (360, 180)),
    ("EPSG:4326", (0, -90, 360, 90), (180, 90)),
    ("EPSG:3857", (-20037508, -20037508, 20037508, 20037508), (300, 300)),
    ("EPSG:3035", (1500000, 900000, 7500000, 5500000), (120, 92)),
    ("EPSG:3031", (-6e6, -6e6, 6e6, 6e6), (120, 120)),
    ("EPSG:4258", (-30, 30, 50, 80), (160, 100)),
    ("ESRI:54009", (-18040096, -9020048, 18040096, 9020048), (360, 180)),
    ("EPSG:32633", (100000, 0, 900000, 9000000), (80, 900)),
]
RASTERS = [
    "EPSG:4326",
    "EPSG:4258",
    "EPSG:4326",
    "EPSG:3857",
    "EPSG:3035",
    "EPSG:3031",
    "EPSG:32633",
    "EPSG:6933",
    "ESRI:54009",
    "EPSG:3413",
]
MIDDLES = {"EPSG:3035": (4321000, 3210000), "EPSG:32633": (500000, 5000000)}


def in_degrees(random, width, height):
    dx = random.choice([360, 360, 180, 90, 10, 1, random.uniform(0.1, 200)])
    dy = random.choice([random.uniform(0.05, 180 / height), 180 / height, 0.5, 1])
    west = random.choice([-180, 0, -90, random.uniform(-180, 180), random.uniform(-30, 30)])
    north = max(random.choice([90, 60, random.uniform(-90 + dy * height, 90)]), -90 + dy * height)
    slant = random.uniform(-0.2, 0.2, 2) if random.random() < 0.15 else (0, 0)
    return west, dx, slant[0] * dx, north, slant[1] * dy, -dy


def in_meters(random, code, width, height):
    dx, dy = random.choice([1e4, 1e5, 1e6, 5e6, 2e7]) * random.uniform(0.3, 1, 2)
    x, y = MIDDLES.get(code, (0, 0))
    if code in ("EPSG:3857", "EPSG:6933"):
        x, y = random.uniform(-1.5e7, 1.5e7), random.uniform(-6e6, 6e6)
    slant = random.uniform(-0.5, 0.5, 2) if random.random() < 0.2 else (0, 0)
    return (
        x + random.uniform(-1, 0.2) * dx * width,
        dx,
        slant[0] * dx,
        y + random.uniform(-0.2, 1) * dy * height,
        slant[1] * dy,
        -dy,
    )


def meters(code):
    """In a unit of the system, on the equator."""
    return math.radians(6378137) if code in DEGREES else crs(code).GetLinearUnits()


def points_a_side(transform, code, grid):
    system, (west, south, east, north), (width, height) = grid
    pixel = max(
        math.hypot(transform[1], transform[4]), math.hypot(transform[2], transform[5])
    ) * meters(code)
    cell = min((east - west) / width, (north - south) / height) * meters(system)
    return min(max(math.ceil(POINTS_A_CELL * pixel / cell), 1), MOST_POINTS)


def squared_eccentricity(system):
    f = 1 / system.GetInvFlattening()
    return f * (2 - f)


def zone(latitude, e2):
    """Proportional to the area from the equator to a latitude in degrees."""
    e, s = math.sqrt(e2), math.sin(latitude * (math.pi / 180))
    return 0.5 * (s / (1 - e2 * s * s) + math.atanh(e * s) / e)


def area_above(top, height, fraction, e2):
    """The part of the area of a row of pixels above a fraction of its height; e2 None: on a map."""
    if e2 is None or fraction >= 1:
        return fraction
    bottom = top + height
    a, b, c = (
        zone(min(max(v, -90), 90), e2) for v in (top, top + fraction * (bottom - top), bottom)
    )
    return (b - a) / (c - a) if c != a else fraction


def shared(units, n):
    """Integers that are shared among n points, the first i of which have trunc(i units / n)."""
    upto = [int(math.copysign(abs(units) * i // n, units)) for i in range(n + 1)]
    return [b - a for a, b in zip(upto, upto[1:])]


def points_of(values, g, n, e2):
    """Places of all points, their terms as integers, and the unit of these."""
    height, width = values.shape
    unit = 2.0 ** (math.frexp(np.abs(values).sum())[1] - 52)
    middles = (np.arange(n) + 0.5) / n
    u, v = np.meshgrid(
        (np.arange(width)[:, None] + middles).ravel(),
        (np.arange(height)[:, None] + middles).ravel(),
    )
    terms = np.zeros((height * n, width * n), np.int64)
    for row in range(height):
        above = [area_above(g[3] + row * g[5], g[5], j / n, e2) for j in range(n + 1)]
        for c in range(width):
            upto = [int(round(values[row, c] / unit) * a) for a in above]
            for j in range(n):
                terms[row * n + j, c * n : (c + 1) * n] = shared(upto[j + 1] - upto[j], n)
    return g[0] + u * g[1] + v * g[2], g[3] + u * g[4] + v * g[5], terms, unit


def overlaps(pixels, cells, period):
    """The part of each pixel (columns) in each cell (rows), both as edges, of pixels that come again after a period."""
    low, high = (f(pixels[:-1], pixels[1:]) for f in (np.minimum, np.maximum))
    left, right = (f(cells[:-1], cells[1:])[:, None] for f in (np.minimum, np.maximum))
    inside = sum(
        np.clip(np.minimum(high + k * period, right) - np.maximum(low + k * period, left), 0, None)
        for k in (range(-12, 13) if period else [0])
    )
    return inside / (high - low)


def by_area(values, g, cells, shape, e2):
    """What each cell gets of pixels in its own system."""

    def edges(transform, axis, count):
        return transform[3 * axis] + transform[5 if axis else 1] * np.arange(count + 1)

    x = overlaps(edges(g, 0, values.shape[1]), edges(cells, 0, shape[1]), 360 if e2 else 0)
    rows, lines = edges(g, 1, values.shape[0]), edges(cells, 1, shape[0])
    if e2:
        rows, lines = (np.array([zone(min(max(v, -90), 90), e2) for v in e]) for e in (rows, lines))
    return overlaps(rows, lines, 0) @ values @ x.T


def settle(u, limit):
    """What rounding has put beyond an edge lies inside."""
    u = np.where((u < 0) & (u >= -1e-7), 0, u)
    return np.where((u >= limit) & (u <= limit + 1e-7), limit - 0.5, u)


def in_cells(x, y, code, grid, transform):
    """Places in cells from the grid's upper left corner; NaN where there is none."""
    system = grid[0]
    if code != system:
        operation = osr.CoordinateTransformation(crs(code), crs(system))
        osr.DontUseExceptions()  # what has no place comes back infinite
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        places = np.array(
            operation.TransformPoints(np.stack([x.ravel(), y.ravel()], axis=-1).tolist())
        )
        gdal.PopErrorHandler()
        osr.UseExceptions()
        there = np.isfinite(places[:, :2]).all(axis=1)
        x, y = (np.where(there, places[:, i], np.nan).reshape(x.shape) for i in range(2))
    inverse = gdal.InvGeoTransform(transform)
    u, v = (
        inverse[0] + x * inverse[1] + y * inverse[2],
        inverse[3] + x * inverse[4] + y * inverse[5],
    )
    if system in DEGREES:
        period = round(360 / transform[1], 6)
        u -= period * np.floor(u / period)
    return settle(u, grid[2][0]), settle(v, grid[2][1])


@pytest.mark.parametrize("case", CASES)
def test_sums(work, case):
    random = np.random.default_rng(case)
    grid, code = GRIDS[random.integers(len(GRIDS))], RASTERS[random.integers(len(RASTERS))]
    system, extent, size = grid
    code = code if case < 1000 else system
    width, height = random.integers(1, 9, 2)
    transform = [
        float(t)
        for t in (
            in_degrees(random, width, height)
            if code in DEGREES
            else in_meters(random, code, width, height)
        )
    ]
    values = random.uniform(1, 100, (height, width))
    make_raster(work, "p.tif", values, transform, epsg=code)
    lon, lat = random.uniform(-180, 180, SEEDS), np.degrees(np.arcsin(random.uniform(-1, 1, SEEDS)))
    if system in ("EPSG:3035", "EPSG:4258", "EPSG:32633"):
        lon, lat = random.uniform(-10, 35, SEEDS), random.uniform(35, 70, SEEDS)
    work.csv("s.csv", lon, lat)
    question = [
        "--seeds",
        "s.csv",
        "--crs",
        system,
        "--extent=" + ",".join(map(str, extent)),
        "--size",
        f"{size[0]},{size[1]}",
        "--metric",
        "great-circle",
        "--stats",
        "t.csv",
        "--no-stats-distances",
        "out.tif",
    ]
    done = work.run(*question, "--sum", "p.tif")
    refused = done.returncode != 0
    if refused:
        assert done.returncode == 1 and "outside the grid" in done.stderr, done.stderr
        work.ok(*question)
    out = work.open("out.tif")
    e2 = squared_eccentricity(work.open("p.tif").GetSpatialRef()) if code in DEGREES else None
    numbers, upright = out.ReadAsArray(), transform[2] == transform[4] == 0
    found = column(read_table(work, "t.csv"), "p_sum") if not refused else np.zeros(SEEDS)
    if code == system and upright:
        amounts = by_area(values, transform, out.GetGeoTransform(), numbers.shape, e2)
        expected = [amounts[numbers == i + 1].sum() for i in range(SEEDS)]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * values.sum()), (
            grid,
            code,
            transform,
        )
        return
    n = points_a_side(transform, code, grid)
    x, y, terms, unit = points_of(values, transform, n, e2 if upright else None)
    u, v = in_cells(x, y, code, grid, out.GetGeoTransform())
    inside = (u >= 0) & (v >= 0) & (u < size[0]) & (v < size[1])
    seed = np.where(
        inside, numbers[np.where(inside, v, 0).astype(int), np.where(inside, u, 0).astype(int)], 0
    )
    expected = [int(terms[seed == i + 1].sum()) for i in range(SEEDS)]
    assert found.tolist() == [float(f"{e * unit:.15g}") for e in expected], (
        grid,
        code,
        transform,
        n,
    )
    total, outside = int(terms.sum()), int(terms[~inside].sum())
    assert total == sum(round(v / unit) for v in values.ravel().tolist())
    reported = (
        f"--sum p: {outside * unit:.10g} of its total of {total * unit:.10g} is outside the grid"
    )
    assert refused or (reported in done.stderr) == (outside * unit > 1e-9 * 2**53 * unit), (
        reported,
        done.stderr,
    )
