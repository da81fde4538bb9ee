"""
The desktop: QGIS with its windows on a virtual screen (Xvfb). Dialogs open, run, cancel and run batches; what they
look like is kept as pictures, of which those in docs/images are copies.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import ALGORITHMS, COMMAND, FOLDER, ROOT

HERE = pathlib.Path(__file__).parent
PICTURES = pathlib.Path(os.environ.get("GPUVORONOI_PICTURES", ROOT / "build" / "pictures"))


def in_windows(work, script, *options):
    """Runs a script in QGIS's desktop."""
    qgis = shutil.which("qgis.bin") or shutil.which("qgis")
    for program in (qgis, "xvfb-run", "import"):
        if program is None or shutil.which(program) is None:
            pytest.skip(
                "no QGIS desktop, xvfb-run or import here (apt-get install qgis xvfb xauth imagemagick)"
            )
    PICTURES.mkdir(parents=True, exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
    environment.update(
        GPUVORONOI_WORK=str(work), GPUVORONOI_PICTURES=str(PICTURES), GPUVORONOI_ROOT=str(ROOT)
    )
    return subprocess.run(
        [
            "xvfb-run",
            "-a",
            "-s",
            "-screen 0 1600x950x24",
            qgis,
            "--noversioncheck",
            "--nologo",
            *options,
            "--code",
            script,
        ],
        env=environment,
        cwd=work,
        capture_output=True,
        text=True,
        timeout=840,
    )


@pytest.fixture(scope="module")
def desktop(tmp_path_factory):
    """What windows.py found out, {name: facts}; it goes through all scenes in one QGIS."""
    work = tmp_path_factory.mktemp("desktop")
    done = in_windows(work, HERE / "windows.py")
    report = work / "report.json"
    assert report.exists(), (done.returncode, done.stdout[-4000:], done.stderr[-4000:])
    facts = json.loads(report.read_text())
    assert "error" not in facts, facts["error"]
    assert done.returncode == 0, (done.returncode, done.stderr[-4000:])
    return facts


def picture(name):
    """A picture is there, and shows more than an empty screen."""
    path = PICTURES / f"{name}.png"
    done = subprocess.run(["identify", "-format", "%w %h %k", path], capture_output=True, text=True)
    width, height, colors = map(int, done.stdout.split())
    assert width > 300 and height > 300 and colors > 50
    return path


@pytest.mark.parametrize("name", ALGORITHMS)
def test_dialog_opens(desktop, name):
    assert desktop["dialogs"][name]["shown"]
    assert desktop["dialogs"][name]["widgets"] > 5
    picture(f"qgis-dialog-{name}")


NEEDED = {
    "knearest": "searches_points",
    "writenearest": "searches_points",
    "withindistance": "searches_points",
    "travelcost": "travel_cost",
}


@pytest.mark.parametrize(
    "name", [name for name in ALGORITHMS if name not in ("voronoidiagram", "roundbarriers")]
)
def test_backends_are_a_list(desktop, name):
    """Grayed, with the reason, where they cannot run; only those that can do what the algorithm needs."""
    facts = desktop["dialogs"][name]
    listed = json.loads(
        subprocess.run([COMMAND, "backends", "--json"], capture_output=True, check=True).stdout
    )
    needed = [made for made in listed if name not in NEEDED or made[NEEDED[name]]]
    assert [row[0] for row in facts["backends"][1:]] == [made["name"] for made in needed]
    for (_, text, enabled), made in zip(facts["backends"][1:], needed):
        assert enabled == made["available"] and made["reason"] in text
    assert len(facts["devices"]) >= 2
    assert [value for _, value in facts["chosen"]] == ["", "serial", "auto", "@an_expression"]
    assert facts["chosen"][1][0].startswith("serial (")


def test_fields_that_can_be_ids(desktop):
    """Neither fractions nor dates."""
    first, other, file, selected, given = desktop["id_fields"]
    assert "name" in first[0] and "lon" not in first[0] and first[1] == "name"
    assert other == [["a", "c", "d"], None] and selected == other
    assert file[0] == ["id", "name"] and given == [["a", "c", "d"], "d"]


def test_id_fields_in_models(desktop):
    """QGIS's own widgets, which take fields of the model too."""
    assert len(desktop["modeler"]) > 5


def test_toolbox(desktop):
    assert desktop["toolbox"] == [
        "k nearest neighbors",
        "Nearest cells of a raster",
        "Nearest facility by travel cost",
        "Nearest facility statistics",
        "Nearest round barriers",
        "Nearest seed of cells",
        "Nearest value raster",
        "On-demand Voronoi raster",
        "QTM Voronoi",
        "Voronoi diagram (polygons)",
        "Voronoi raster",
        "Within a distance",
        "Write nearest neighbors into fields",
    ]


def test_dialog_runs(desktop):
    facts = desktop["run"]
    assert facts["finished"] and facts["layers"] == [
        "Distance to Time zone places (m)",
        "Nearest of Time zone places",
    ]
    assert facts["progress"] == 100
    # None of the hundreds of colors of the seeds; QGIS 3.22 does not always take away the bar itself.
    assert facts["legends"]["Distance to Time zone places (m)"] == 2 and facts["legends"][
        "Nearest of Time zone places"
    ] in (0, 2)
    for name in ("qgis-map", "qgis-distance", "qgis-log"):
        picture(name)


def test_shapes(desktop):
    """Lines and polygons by the toolbox. No place on land is farther from a coast; a land without small islands leaves much sea."""
    low, high = desktop["shapes"]["range"]
    assert -2700000 < low < -2300000 and 4500000 < high < 5500000
    assert desktop["shapes"]["ways"] == 418
    picture("qgis-coast")


def test_live_rasters(desktop):
    """By the algorithm, and dropped onto the map."""
    if "live" not in desktop:
        pytest.skip("built without GDAL's driver")
    facts = desktop["live"]
    assert (
        facts["layers"] == ["Distance to Time zone places (m)", "Nearest of Time zone places"]
        and facts["width"] == 409600
    )
    assert facts["dropped"] == ["QgsRasterLayer", True, 409600, 2]
    picture("qgis-live")


def test_in_place(desktop):
    """Into the layer that is being edited."""
    facts = desktop["in_place"]
    assert {"name", "near", "far"} <= set(facts["chosen"])
    assert facts["near"] == ["Europe/Berlin", "Europe/Paris"] and all(
        0 < far < 20000 for far in facts["far"]
    )
    picture("qgis-in-place")


def test_dialog_shows_errors(desktop):
    assert "gpuvoronoi: error: --metric euclidean: unsupported" in desktop["error_text"]


def test_dialog_cancels(desktop):
    facts = desktop["cancel"]
    assert facts["seconds"] < 5 and facts["left"] == [] and facts["alive"] == 0


def test_batch(desktop):
    assert desktop["batch"] == {
        "rows": 3,
        "made": ["level2.tif", "level3.tif", "level4.tif"],
        "sizes": [32, 64, 128],
    }
    picture("qgis-batch")


LANGUAGE = """
import os, pathlib
from qgis.utils import loadPlugin, plugins, startPlugin, updateAvailablePlugins

updateAvailablePlugins()
if "gpuvoronoi_processing" not in plugins:
    assert loadPlugin("gpuvoronoi_processing") and startPlugin("gpuvoronoi_processing")
from gpuvoronoi_processing.i18n import tr

pathlib.Path("seeds.txt").write_text(tr("Seeds"))
os._exit(0)
"""


CLOSING = """
import os, pathlib, time
import processing
from qgis.core import QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QApplication, QMessageBox
from qgis.utils import iface, loadPlugin, plugins, startPlugin, updateAvailablePlugins

work = pathlib.Path(os.environ["GPUVORONOI_WORK"])
kept, timer = [], QTimer()

def run():
    updateAvailablePlugins()
    if "gpuvoronoi_processing" not in plugins:
        assert loadPlugin("gpuvoronoi_processing") and startPlugin("gpuvoronoi_processing")
    source = os.environ["GPUVORONOI_ROOT"] + "/data/timezones.csv?type=csv&xField=lon&yField=lat&crs=EPSG:4326"
    layer = QgsVectorLayer("file://" + source, "places", "delimitedtext")
    QgsProject.instance().addMapLayer(layer)
    dialog = processing.createAlgorithmDialog("gpuvoronoi:voronoiraster", {"INPUT": layer, "OUTPUT": str(work / "out.tif")})
    dialog.show()
    dialog.runAlgorithm()
    kept.append(dialog)
    timer.timeout.connect(close)
    timer.start(1000)

def close():
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        (work / "asked.txt").open("a").write(box.text() + os.linesep)
        chosen = [b for b in box.buttons() if b.text().replace("&", "") in ("Yes", "Discard")]
        chosen[0].click()
    elif (work / "pid").exists():
        QTimer.singleShot(0, iface.actionExit().trigger)

QTimer.singleShot(1000, run)
"""

# Computes nothing, closes what it writes to, and goes on as if its file took long to close.
WRITING = """#!/bin/bash
[[ " $* " =~ " --progress " ]] || exec '{command}' "$@"
trap '' TERM
exec >/dev/null 2>&1
sleep 600 &
echo $$ $! > '{work}/pid'
while :; do sleep 0.1; done
"""


def test_closing_qgis_ends_the_command(tmp_path, monkeypatch):
    """QGIS needs a confirmation; then nothing that the plugin has started goes on."""
    program = tmp_path / "program"
    program.write_text(WRITING.format(command=COMMAND, work=tmp_path))
    program.chmod(0o755)
    (tmp_path / "closing.py").write_text(CLOSING)
    monkeypatch.setenv("GPUVORONOI_COMMAND", str(program))
    done = in_windows(tmp_path, tmp_path / "closing.py")
    assert done.returncode == 0, (done.stdout[-4000:], done.stderr[-4000:])
    assert "Voronoi raster" in (tmp_path / "asked.txt").read_text()
    for pid in (tmp_path / "pid").read_text().split():
        path = pathlib.Path(f"/proc/{pid}/stat")
        assert not path.exists() or path.read_text().rpartition(")")[2].split()[0] == "Z"


def test_language_of_the_command_line(tmp_path):
    """QGIS uses the language of --lang, independent of its settings."""
    if not (FOLDER / "gpuvoronoi_processing" / "i18n" / "gpuvoronoi_de.qm").exists():
        pytest.skip("built without lrelease")
    (tmp_path / "language.py").write_text(LANGUAGE)
    done = in_windows(tmp_path, tmp_path / "language.py", "--lang", "de")
    assert (tmp_path / "seeds.txt").exists(), (done.stdout[-4000:], done.stderr[-4000:])
    assert (tmp_path / "seeds.txt").read_text() == "Objekte"


def test_missing_program(desktop):
    """The window that QGIS shows instead of the dialog leads to one that helps, and that can be used while the first is open."""
    facts = desktop["missing"]
    assert "GPUVORONOI_COMMAND" in facts["message"] and "gpuvoronoi:program" in facts["message"]
    assert facts["in_front"]
    looked, shown, found = facts["pressed"]
    assert (
        "Not found in these folders" in looked and "nothing” is not the gpuvoronoi command" in shown
    )
    assert found.startswith(f"Found: {COMMAND}, version ") and facts["setting"] == COMMAND
    assert facts["again"] == [found]  # closed and opened again, twice, it is one
    picture("qgis-program")


def test_cells_are_polygons(desktop):
    assert desktop["cells"] == [6 * 4**5, True]
    picture("qgis-cells")


def test_a_large_result_is_confirmed(desktop):
    (text,), error = desktop["confirm"]
    assert "about 64,800 cells" in text and "executing the algorithm" in error
