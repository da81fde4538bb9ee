"""What QGIS makes of the triangles: of --mesh through MDAL, of --cells through GEOS."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from osgeo import gdal

from conftest import globe

SCRIPTS = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def qgis():
    """Runs a script in a Python that has QGIS; a crash of QGIS is a failure of the test, not of all tests."""
    probe = subprocess.run(
        [sys.executable, "-c", "import qgis.core"], capture_output=True, text=True
    )
    if probe.returncode != 0:
        pytest.skip("no QGIS here (Debian: qgis python3-qgis qgis-providers)")

    def run(script, job, directory):
        file = directory / "job.json"
        file.write_text(json.dumps(job))
        done = subprocess.run(
            [sys.executable, str(SCRIPTS / script), str(file)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        facts = [line for line in done.stdout.splitlines() if line.startswith("FACTS ")]
        assert done.returncode == 0 and facts, done.stderr
        return json.loads(facts[0][6:])

    return run


def distinct_colors(n):
    random = np.random.default_rng(5)
    codes = random.permutation(2**18)[:n]
    return {
        str(i + 1): [int(c >> 12) * 4, int(c >> 6 & 63) * 4, int(c & 63) * 4]
        for i, c in enumerate(codes)
    }


@pytest.mark.parametrize("level", [0, 3, 6])
def test_mesh_layer(work, qgis, level):
    lon, lat = globe(60, seed=8)
    work.csv("s.csv", lon, lat)
    work.ok(
        "--seeds",
        "s.csv",
        "--level",
        level,
        "--metric",
        "great-circle",
        "--size",
        "1440,720",
        "--mesh",
        "m.nc",
        "out.tif",
    )
    colors = distinct_colors(60)
    facts = qgis(
        "draw_in_qgis.py",
        {
            "mesh": str(work.path("m.nc")),
            "dataset": "seed",
            "colors": colors,
            "size": [1440, 720],
            "extent": [-180, -90, 180, 90],
            "crs": "EPSG:4326",
            "png": str(work.path("m.png")),
        },
        work.directory,
    )
    n = 2**level
    assert facts["valid"] and facts["drawn"] and facts["crs"] == "EPSG:4326"
    assert (facts["vertices"], facts["faces"]) == (4 * n * n + 2 * n + 7, 8 * n * n)
    groups = facts["groups"]
    assert set(groups) == {"seed", "distance", "area"} and all(
        g["on_faces"] for g in groups.values()
    )
    assert groups["distance"]["units"] == "m" and groups["area"]["units"] == "m2"
    assert 1 <= groups["seed"]["minimum"] <= groups["seed"]["maximum"] <= 60
    assert 0 < groups["distance"]["maximum"] < 2.1e7

    drawn = gdal.Open(str(work.path("m.png"))).ReadAsArray()[:3].astype(int)
    table = {tuple(color): int(value) for value, color in colors.items()}
    table[255, 255, 255] = 0
    values = np.array([[table.get(tuple(p), -1) for p in row] for row in drawn.transpose(1, 2, 0)])
    expected = work.read("out.tif")
    # Next to a pole a triangle of the map cannot cover what the triangle on the globe does.
    away = slice(720 // (2 * n), 720 - 720 // (2 * n)) if level > 0 else slice(0, 0)
    assert np.mean(values[away] == expected[away]) > 0.97 or level == 0
    # Nothing is drawn that is not there: no face reaches across the map, into the answers of others.
    assert np.mean((values == expected) | (values == 0)) > 0.97
    assert np.mean(values == 0) < 0.52 / n + 0.001


def test_triangles_are_valid(work, qgis):
    work.csv("s.csv", *globe(60, seed=8))
    for level in 0, 1, 5:
        name = f"c{level}.gpkg"
        work.ok("--seeds", "s.csv", "--level", level, "--cells", name)
        facts = qgis("check_in_qgis.py", {"layer": str(work.path(name))}, work.directory)
        assert facts["features"] == 8 * 4**level
        assert facts["invalid"] == [] and facts["invalid_geos"] == []
        assert facts["outside"] == [] and facts["area"] == pytest.approx(360 * 180, rel=1e-9)


@pytest.mark.parametrize(
    "options", [[], ["--k", "3"], ["--ot", "Byte"], ["--id", "far"], ["--of", "COG"]]
)
def test_rasters_are_colored(work, qgis, options):
    """A raster opens in the colors and with the names of its attribute table; polygons of its name open as ever."""
    lon, lat = globe(20, seed=3)
    work.csv(
        "s.csv",
        lon,
        lat,
        name=[f'<"{i}" & ä>' for i in range(20)],
        far=[5 * 10**9 + i for i in range(20)],
    )
    work.ok("--seeds", "s.csv", "--size", "80,40", *options, "--polygons", "out.gpkg", "out.tif")
    facts = qgis(
        "open_in_qgis.py",
        {"raster": str(work.path("out.tif")), "vector": str(work.path("out.gpkg"))},
        work.directory,
    )
    table = work.table("out.tif")
    assert (
        facts["type"] == "paletted" and facts["band"] == [1] and facts["vector"] == "singleSymbol"
    )
    rows = zip(
        table[gdal.GFU_MinMax],
        table[gdal.GFU_Name],
        table[gdal.GFU_Red],
        table[gdal.GFU_Green],
        table[gdal.GFU_Blue],
    )
    if "far" in options:
        assert len(facts["classes"]) >= 1  # QGIS 3.22 has no wider integers than 32 bits
        return
    for value, *row in rows:
        assert facts["classes"][str(int(value))] == row
