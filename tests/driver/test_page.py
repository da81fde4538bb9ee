"""docs/gdal.md: its blocks run as they stand there, as far as this GDAL and this machine have the programs."""

import os
import re
import shutil
import subprocess

import pytest
from osgeo import gdal

from cli.conftest import COMMAND, ROOT

PAGE = (ROOT / "docs" / "gdal.md").read_text(encoding="utf-8")
ALGORITHMS = int(gdal.VersionInfo()) >= 3110000


def blocks(language):
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found


def lines(block):
    """Its commands, without comments and what continues on the next line."""
    for line in block.replace("\\\n", " ").splitlines():
        if line and not line.startswith("#"):
            yield line


@pytest.fixture
def shell(work):
    """Runs lines of the page where the data are, with the command on the path."""
    shutil.copy(ROOT / "data" / "timezones.csv", work.directory)
    programs = work.path("programs")
    programs.mkdir()
    (programs / "gpuvoronoi").symlink_to(COMMAND)

    def run(line):
        path = f"{programs}:/usr/bin:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=work.directory,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout

    return run


def described(shell, resolution=None):
    """The page's description of zones; with a resolution, so many times fewer cells."""
    (block,) = [one for one in blocks("sh") if "--describe zones.voronoi.json" in one]
    describe, show = lines(block)
    shell(describe)
    if resolution is not None:
        shell(f"gpuvoronoi --config zones.voronoi.json --res {resolution} --describe coarse.json")
        shell("mv coarse.json zones.voronoi.json")
    return block, show


def test_a_description_is_shown_as_on_the_page(shell):
    block, show = described(shell)
    printed = [line[2:] for line in block.splitlines() if line.startswith("# ")]
    assert [line.rstrip() for line in shell(show).splitlines()] == printed


def test_commands(shell, work):
    """All others. The raster that is copied to a file has a thousandth of the cells."""
    described(shell, 0.5)
    run = 0
    for line in (line for block in blocks("sh") for line in lines(block)):
        program = line.split()[0]
        if program in ("cd", "cmake", "export", "gpuvoronoi") or "build/release" in line:
            continue
        if program == "gdal" or "gdal pipeline" in line:
            continue  # test_algorithm.py
        if shutil.which(program) is None:
            assert program == "rio"
            continue
        shell(line)
        run += 1
    assert run >= 9
    assert work.open("part.tif").RasterXSize == 1111 and work.open("small.tif").RasterXSize == 800
    assert work.open("zones.tif").RasterXSize == 720


@pytest.mark.skipif(not ALGORITHMS, reason="GDAL 3.11 has the program gdal")
def test_commands_of_the_program_gdal(shell, work):
    shell("gpuvoronoi --seeds timezones.csv --size 90,45 --ot Byte landcover.tif")
    (block,) = [one for one in blocks("sh") if "gdal raster voronoi --help" in one]
    for line in lines(block):
        if not line.startswith("export"):
            shell(line)
    assert work.open("zones.tif").RasterXSize == 3600


def test_python(shell, work, monkeypatch):
    monkeypatch.chdir(work.directory)
    described(shell, 0.5)
    by_algorithm, by_xarray = blocks("python")
    if ALGORITHMS:
        space = {}
        exec(by_algorithm, space)
        assert space["zones"].shape == (2, 1800, 3600)
    pytest.importorskip("rioxarray")
    space = {}
    exec(by_xarray, space)
    assert space["distance"].dtype == "float32" and space["distance"].shape == (1, 360, 720)
