"""Each output alone: OUT may be left out, and what is written is what it is with OUT."""

import itertools
import json
import subprocess

import numpy as np
import pytest
from osgeo import gdal

from conftest import COMMAND, crs, globe

LON, LAT = globe(300, seed=11)
GRID = ["--seeds", "s.csv", "--size", "700,350", "--metric", "great-circle"]
OUTPUTS = {
    "--stats": "t.csv",
    "--distance": "d.tif",
    "--azimuth": "a.tif",
    "--polygons": "p.geojson",
}


@pytest.fixture
def seeds(work):
    work.csv(
        "s.csv",
        LON,
        LAT,
        number=[7 * i % 290 for i in range(300)],
        wide=[10**12 + i for i in range(300)],
    )
    return work


def contents(work, names):
    """Rasters by their pixels, as tiles may have another size, all else by bytes."""
    return [
        work.read(name) if name.endswith(".tif") else work.path(name).read_bytes() for name in names
    ]


def same(a, b):
    return all(
        np.array_equal(x, y, equal_nan=True) if isinstance(x, np.ndarray) else x == y
        for x, y in zip(a, b)
    )


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-k", "3"],
        ["--id", "number"],
        ["--id", "wide"],
        ["--max-distance", "1000km"],
        ["--mask", "m.tif"],
        ["--no-stats-distances"],
        ["--threads", "1"],
    ],
    ids=lambda options: " ".join(options),
)
def test_as_with_out(seeds, options):
    mask = gdal.GetDriverByName("GTiff").Create(str(seeds.path("m.tif")), 36, 18)
    mask.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    mask.SetSpatialRef(crs(4326))
    mask.GetRasterBand(1).WriteArray(np.random.default_rng(2).integers(0, 2, (18, 36)))
    mask = None
    for count in [1, 2, 4] if not options else [1, 4]:
        for chosen in itertools.combinations(OUTPUTS, count):
            if "--no-stats-distances" in options and "--stats" not in chosen:
                continue
            names = [OUTPUTS[one] for one in chosen]
            asked = [word for one in chosen for word in (one, OUTPUTS[one])]
            seeds.ok(*GRID, *options, *asked, "--overwrite", "out.tif")
            expected = contents(seeds, names)
            seeds.path("out.tif").unlink()
            for name in names:
                seeds.path(name).unlink()
            before = set(seeds.listing())
            seeds.ok(*GRID, *options, *asked)
            assert set(seeds.listing()) - before == set(names)
            assert same(contents(seeds, names), expected), chosen


def test_made_on_a_device(seeds):
    """With --stats alone nothing but the table comes from there: the same one."""
    devices = json.loads(
        subprocess.run(
            [COMMAND, "devices", "--json"], capture_output=True, text=True, timeout=120
        ).stdout
    )["devices"]
    if not any(device["usable"] for device in devices):
        pytest.skip("no CUDA device")
    grids = [
        ["--size", "700,350"],
        ["--size", "3000,1500", "--extent", "-20,30,40,60"],
        ["--level", "6"],
    ]
    for grid, metric, more in itertools.product(
        grids, ["great-circle", "geodesic"], [[], ["--no-stats-distances"], ["--group"]]
    ):
        asked = [
            "--seeds",
            "s.csv",
            *grid,
            "--metric",
            metric,
            *more,
            "--id",
            "number",
            "--overwrite",
            "--stats",
            "t.csv",
        ]
        tables = []
        for backend in ("tile", "cuda-tile", "auto"):
            done = seeds.ok(*asked, "--backend", backend)
            assert backend == "auto" or f"backend: {backend}" in done.stderr
            tables.append(seeds.path("t.csv").read_bytes())
        assert tables[0] == tables[1] == tables[2], (grid, metric, more)


def test_triangles_and_a_table(work):
    work.csv("s.csv", LON[:20], LAT[:20])
    mesh = ["--seeds", "s.csv", "--level", "4", "--stats", "t.csv", "--cells", "c.csv"]
    work.ok(*mesh, "out.tif")
    expected = contents(work, ["t.csv", "c.csv"])
    work.ok(*mesh, "--overwrite")
    assert same(contents(work, ["t.csv", "c.csv"]), expected)


def test_nothing_is_asked_for(seeds):
    seeds.fails(*GRID, status=2, has=["missing output", "OUT", "--stats"])
    seeds.fails(*GRID, "--sum", "p.tif", status=2, has="--sum: missing --stats")
    seeds.fails(*GRID, "--ot", "Byte", "--stats", "t.csv", status=2, has="--ot: missing OUT")


def test_errors_leave_nothing(seeds):
    seeds.write("t.csv", "mine")
    seeds.fails(*GRID, "--stats", "t.csv", has=["t.csv exists"])
    seeds.fails(*GRID, "--polygons", "nowhere/p.gpkg", has="nowhere/p.gpkg")
    seeds.write(
        "p.gpkg.cells.tif", "mine too"
    )  # where the raster would be that polygons are traced in
    seeds.ok(*GRID, "--polygons", "p.gpkg")
    assert seeds.path("p.gpkg.cells.tif").read_text() == "mine too"
