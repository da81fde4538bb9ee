"""End to end without a Python session of ours: qgis_process, a script, a model, both with the plugin as it is packed."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ALGORITHMS, ROOT, TIMEZONES, as_file, memory, places, read, rows

HERE = pathlib.Path(__file__).parent
# The wrapper of that name in Debian 12 does not work.
PROGRAM = shutil.which("qgis_process.bin") or shutil.which("qgis_process")


def qgis_process(*arguments, status=0, **environment):
    if PROGRAM is None:
        pytest.skip("no qgis_process here")
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, **environment},
    )
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr if status else done.stdout


@pytest.fixture(scope="module")
def enabled():
    qgis_process("plugins", "enable", "gpuvoronoi_processing")


def test_plugins(enabled):
    assert "* gpuvoronoi_processing" in qgis_process("plugins")


def test_list_and_help(enabled):
    listed = qgis_process("list")
    for name in ALGORITHMS:
        assert f"gpuvoronoi:{name}\t" in listed
        shown = qgis_process("help", f"gpuvoronoi:{name}")
        assert "INPUT: " in shown and "OUTPUT: " in shown


def test_run(enabled, work):
    shown = qgis_process(
        "run",
        "gpuvoronoi:voronoiraster",
        "--",
        f"INPUT={TIMEZONES}",
        f"OUTPUT={work.path('out.tif')}",
        "METRIC=2",
        "RESOLUTION=0.5",
    )
    assert "--metric great-circle" in shown and "100 - done" in shown.replace("\n", "")
    expected = work.expected("--seeds", TIMEZONES, "--metric", "great-circle", "--res", 0.5)
    assert np.array_equal(read(work.path("out.tif")), expected)


def test_run_with_json(enabled, work):
    work.csv("a.csv", [(0, 0, 5), (10, 0, 6)])
    made = json.loads(
        qgis_process(
            "--json",
            "run",
            "gpuvoronoi:qtmvoronoi",
            "--",
            f"INPUT={work.path('a.csv')}",
            "LEVEL=3",
            f"OUTPUT={work.path('out.tif')}",
            f"CELLS={work.path('cells.gpkg')}",
        )
    )
    assert made["results"] == {"OUTPUT": work.path("out.tif"), "CELLS": work.path("cells.gpkg")}
    assert made["provider_details"]["version"] == "1.0.0-rc1"


def test_errors(enabled, work):
    shown = qgis_process(
        "run",
        "gpuvoronoi:voronoiraster",
        "--",
        f"INPUT={TIMEZONES}",
        "METRIC=3",
        f"OUTPUT={work.path('out.tif')}",
        status=1,
    )
    assert "gpuvoronoi: error: --metric euclidean: unsupported" in shown
    shown = qgis_process(
        "run",
        "gpuvoronoi:voronoiraster",
        "--",
        f"INPUT={TIMEZONES}",
        f"OUTPUT={work.path('out.tif')}",
        status=1,
        GPUVORONOI_COMMAND="/nowhere",
    )
    assert "GPUVORONOI_COMMAND has the path “/nowhere”" in shown
    assert work.listing() == []


def test_german(enabled, work):
    """The packed translation, chosen by the user's profile."""
    profile = pathlib.Path(os.environ["QGIS_CUSTOM_CONFIG_PATH"])
    settings = next(profile.rglob("QGIS3.ini"))
    before = settings.read_text()
    qm = (
        pathlib.Path(os.environ["QGIS_PLUGINPATH"])
        / "gpuvoronoi_processing"
        / "i18n"
        / "gpuvoronoi_de.qm"
    )
    if not qm.exists():
        pytest.skip("built without lrelease")
    try:
        settings.write_text(before + "\n[locale]\nuserLocale=de\noverrideFlag=true\n")
        shown = qgis_process("help", "gpuvoronoi:voronoiraster")
        assert "Voronoi-Raster (gpuvoronoi:voronoiraster)" in shown and "INPUT: Objekte" in shown
    finally:
        settings.write_text(before)


def test_script(work):
    """processing.run in a script of one's own."""
    done = subprocess.run(
        [sys.executable, HERE / "script.py", TIMEZONES, work.path("out.tif")],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "418 seeds, 418 regions\n"
    assert np.array_equal(
        read(work.path("out.tif")), work.expected("--seeds", TIMEZONES, "--res", 0.25)
    )


def test_model(enabled, work):
    """A model that chains two of the algorithms with one of QGIS's own."""
    qgis_process(
        "run",
        HERE / "nearest.model3",
        "--",
        f"seeds={HERE / 'seeds.geojson'}",
        "cell=2",
        f"voronoi:allocation={work.path('out.tif')}",
        f"near:distances={work.path('distances.gpkg')}",
    )
    expected = work.expected("--seeds", HERE / "seeds.geojson", "--id", "id", "--res", 2)
    assert np.array_equal(read(work.path("out.tif")), expected)
    assert rows(work.path("distances.gpkg"), "input", "neighbour") == [
        (1, 2),
        (2, 1),
        (3, 2),
        (4, 3),
    ]


def page_blocks(language):
    page = (ROOT / "docs" / "qgis.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_commands_of_the_page(enabled, work, monkeypatch, qgis):
    """docs/qgis.md: the lines of qgis_process, as they stand there; the first fails where it is enabled already."""
    qgis_process("plugins", "disable", "gpuvoronoi_processing")
    monkeypatch.chdir(work.directory)
    as_file(memory(places(7)), work.path("schools.gpkg"))
    as_file(memory(places(9, seed=2)), work.path("stations.gpkg"))
    (block,) = [one for one in page_blocks("sh") if "qgis_process" in one]
    for line in block.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "qgis_process"
        qgis_process(*arguments)
    assert len(rows(work.path("nearest.gpkg"), "rank")) == 21


def test_python_of_the_page(qgis, work, monkeypatch):
    """docs/qgis.md: processing.run."""
    import processing

    monkeypatch.chdir(work.directory)
    layer = memory(places(9), fields="city_id:integer,name:string")
    as_file(layer, work.path("cities.gpkg"))
    (block,) = page_blocks("python")
    space = {"processing": processing}
    exec(block, space)
    made = read(space["result"]["OUTPUT"])
    options = ["--seeds", "cities.gpkg", "--id", "city_id", "--res", 0.1]
    assert np.array_equal(made, work.expected(*options, "--metric", "geodesic"))
