"""`gdal raster voronoi`, the driver's algorithm, for GDAL 3.11 and later: the files of the command, byte for byte."""

import json
import os
import subprocess

import numpy as np
import pytest
from osgeo import gdal

from cli.conftest import COMMAND, ROOT

if int(gdal.VersionInfo()) < 3110000:
    pytest.skip(
        f"GDAL {gdal.VersionInfo('RELEASE_NAME')} has no algorithms; 3.11 is needed",
        allow_module_level=True,
    )


def algorithm(work, *arguments):
    return subprocess.run(
        ["gdal", "raster", "voronoi", "--quiet", *map(str, arguments)],
        cwd=work.directory,
        capture_output=True,
        text=True,
        timeout=240,
    )


def ok(work, *arguments):
    done = algorithm(work, *arguments)
    assert done.returncode == 0, done.stderr
    work.no_leftovers()
    return done


def fails(work, *arguments, has):
    before = work.listing()
    done = algorithm(work, *arguments)
    assert done.returncode != 0 and has in done.stderr, done.stderr
    assert work.listing() == before
    return done.stderr


@pytest.mark.parametrize(
    "arguments, command, outputs",
    [
        (
            ["globe.csv", "o.tif", "--size", "360,180"],
            ["--seeds", "globe.csv", "--size", "360,180"],
            [],
        ),
        (
            [
                "-i",
                "globe.csv",
                "-o",
                "o.tif",
                "--resolution",
                "1",
                "--bbox=-30,20,60,65",
                "--output-nodata=-7",
                "--id",
                "name",
                "--distance",
                "d.tif",
                "--stats",
                "s.csv",
            ],
            [
                "--seeds",
                "globe.csv",
                "--res",
                "1",
                "--extent=-30,20,60,65",
                "--nodata=-7",
                "--id",
                "name",
                "--distance",
                "d.tif",
                "--stats",
                "s.csv",
            ],
            ["d.tif", "s.csv"],
        ),
        (
            [
                "globe.csv",
                "o.tif",
                "--res",
                "50km,100km",
                "--crs",
                "EPSG:3035",
                "--metric",
                "geodesic",
                "--k",
                "3",
                "--azimuth",
                "a.tif",
                "--ot",
                "Int64",
            ],
            [
                "--seeds",
                "globe.csv",
                "--res",
                "50km,100km",
                "--crs",
                "EPSG:3035",
                "--metric",
                "geodesic",
                "--k",
                "3",
                "--azimuth",
                "a.tif",
                "--ot",
                "Int64",
            ],
            ["a.tif"],
        ),
        (
            [
                "layers.gpkg",
                "o.tif",
                "-l",
                "places",
                "--where",
                "kind = 'a'",
                "--like",
                "like.tif",
                "--co",
                "COMPRESS=ZSTD",
                "--co",
                "TILED=YES",
                "--nodata",
                "-7",
            ],
            [
                "--seeds",
                "layers.gpkg",
                "--layer",
                "places",
                "--where",
                "kind = 'a'",
                "--like",
                "like.tif",
                "--co",
                "COMPRESS=ZSTD",
                "--co",
                "TILED=YES",
                "--nodata",
                "-7",
            ],
            [],
        ),
        (
            ["classes.tif", "o.tif", "--distance", "d.tif", "--max-distance", "100km"],
            ["--seeds-raster", "classes.tif", "--distance", "d.tif", "--max-distance", "100km"],
            ["d.tif"],
        ),
        (
            [
                "globe.csv",
                "o.tif",
                "--cost",
                "friction.tif",
                "--cost-moves",
                "32",
                "--stats",
                "s.csv",
            ],
            [
                "--seeds",
                "globe.csv",
                "--cost",
                "friction.tif",
                "--cost-moves",
                "32",
                "--stats",
                "s.csv",
            ],
            ["s.csv"],
        ),
        (
            ["classes.tif", "o.tif", "--values", "1,3", "--by-cell"],
            ["--seeds-raster", "classes.tif", "--values", "1,3", "--by-cell"],
            [],
        ),
        (
            ["shapes.geojson", "o.tif", "--size", "90,45", "--mask", "land.gpkg", "-f", "COG"],
            ["--seeds", "shapes.geojson", "--size", "90,45", "--mask", "land.gpkg", "--of", "COG"],
            [],
        ),
    ],
)
def test_files_of_the_command(sources, arguments, command, outputs):
    ok(sources, *arguments)
    expected = {name: sources.path(name).read_bytes() for name in ["o.tif", *outputs]}
    sources.ok(*command, "--overwrite", "o.tif")
    for name, content in expected.items():
        assert sources.path(name).read_bytes() == content, name


def test_only_other_outputs(sources):
    ok(sources, "globe.csv", "--size", "90,45", "--stats", "s.csv")
    assert len(sources.path("s.csv").read_text().splitlines()) == 301


def test_nearest_of_the_plane(work):
    """Against all distances, in NumPy."""
    random = np.random.default_rng(5)
    x, y = random.uniform(0, 100, 40), random.uniform(0, 80, 40)
    work.csv("p.csv", x, y, header="x,y")
    ok(
        work,
        "p.csv",
        "o.tif",
        "--bbox",
        "0,0,100,80",
        "--res",
        "1",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
    )
    x, y = np.loadtxt(work.path("p.csv"), delimiter=",", skiprows=1, usecols=(0, 1)).T
    across, down = np.meshgrid(np.arange(100) + 0.5, 80 - (np.arange(80) + 0.5))
    all_of_them = np.hypot(across[..., None] - x, down[..., None] - y)
    assert (work.read("o.tif") == all_of_them.argmin(axis=2) + 1).all()
    assert np.allclose(work.read("d.tif"), all_of_them.min(axis=2), rtol=1e-12)


def test_overwrite(sources):
    ok(sources, "globe.csv", "o.tif", "--size", "36,18")
    fails(sources, "globe.csv", "o.tif", "--size", "18,9", has="--overwrite")
    ok(sources, "globe.csv", "o.tif", "--size", "18,9", "--overwrite")
    assert sources.read("o.tif").shape == (9, 18)


@pytest.mark.parametrize(
    "arguments, has",
    [
        (["globe.csv"], "missing output"),
        (["none.csv", "o.tif"], "none.csv"),
        (["globe.csv", "o.tif", "--res", "x"], "--res: invalid value (x)"),
        (["globe.csv", "o.tif", "--size", "1,2,3"], "--size: invalid value (1,2,3)"),
        (["globe.csv", "o.tif", "--metric", "taxi"], "taxi"),
        (["globe.csv", "o.tif", "--k", "65"], "65"),
        (["globe.csv", "o.tif", "--no-such-option"], "no-such-option"),
        (["globe.csv", "o.tif", "--size", "9,9", "--like", "like.tif"], "two grid definitions"),
        (["globe.csv", "o.tif", "--by-cell"], "globe.csv"),
        (["globe.csv", "o.tif", "--stats", "no/such/folder.csv"], "no/such"),
        ([], "INPUT"),
    ],
)
def test_errors(sources, arguments, has):
    fails(sources, *arguments, has=has)


def test_inputs_stay(sources):
    before = sources.path("like.tif").read_bytes()
    fails(sources, "globe.csv", "like.tif", "--like", "like.tif", "--overwrite", has="like.tif")
    assert sources.path("like.tif").read_bytes() == before


def test_help():
    """The algorithm is listed, and has every option of descriptions of runs."""
    listed = subprocess.run(
        ["gdal", "raster", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "voronoi" in listed
    schema = json.loads((ROOT / "docs" / "voronoi.schema.json").read_text())["properties"]
    options = {*schema, *schema["outputs"]["properties"]} - {
        "$schema",
        "outputs",
        "bands",
        "raster",
        "seeds-raster",
    }
    algorithm = gdal.Algorithm("raster", "voronoi")
    assert len(options) > 50 and [name for name in options if algorithm.GetArg(name) is None] == []


def test_from_python(sources, monkeypatch):
    """Typed values, the dataset as a result, progress."""
    monkeypatch.chdir(sources.directory)
    seen = []
    with gdal.Run(
        "raster",
        "voronoi",
        input="globe.csv",
        output="o.tif",
        size=[90, 45],
        k=2,
        bbox=[-30, 20, 60, 65],
        distance="d.tif",
        overwrite=True,
        progress=lambda fraction, text, data: seen.append(fraction) or 1,
    ) as run:
        values = run.Output().ReadAsArray()
    assert values.shape == (2, 45, 90) and seen == sorted(seen) and seen[-1] == 1
    sources.ok(
        "--seeds", "globe.csv", "--size", "90,45", "-k", "2", "--extent=-30,20,60,65", "c.tif"
    )
    assert (values == sources.open("c.tif").ReadAsArray()).all()
    with pytest.raises(RuntimeError, match="cancelled|interrupt"):
        gdal.Run(
            "raster",
            "voronoi",
            input="globe.csv",
            output="p.tif",
            size=[900, 450],
            progress=lambda fraction, text, data: 0,
        )
    assert not os.path.exists("p.tif")
    sources.no_leftovers()


def test_step_of_a_pipeline(sources):
    """The command, by GDAL's step for other programs (docs/gdal.md)."""
    if int(gdal.VersionInfo()) < 3130000:
        pytest.skip(
            f"GDAL {gdal.VersionInfo('RELEASE_NAME')} has no step 'external'; 3.13 is needed"
        )
    step = ["external", "--output-format", "GTiff"]
    command = f"{COMMAND} --layer places --quiet --seeds <INPUT> --res 1 <OUTPUT>"
    subprocess.run(
        ["gdal", "pipeline", "read", "layers.gpkg", "!", *step, "--command", command]
        + ["!", "write", "o.tif"],
        cwd=sources.directory,
        env={**os.environ, "GDAL_ENABLE_EXTERNAL": "YES"},
        check=True,
        timeout=240,
    )
    sources.ok("--seeds", "layers.gpkg", "--layer", "places", "--res", "1", "c.tif")
    assert np.array_equal(sources.read("o.tif"), sources.read("c.tif"))


def test_passwords(sources):
    """Messages do not show what sources hide."""
    assert "sesame" not in fails(
        sources, "PG:host=nowhere.invalid password=sesame", "o.tif", has="PG:"
    )
