"""The program is found, shows progress, reports errors, and can be cancelled."""

import importlib.machinery
import os
import pathlib
import re
import stat
import sys
import threading
import time

import pytest
from conftest import ALGORITHMS, COMMAND, Feedback, has_table, memory, places, read, rows, timezones
from osgeo import gdal, osr
from qgis.core import (
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QTimer, QUrl

BIG = {"RESOLUTION": 0.004, "METRIC": 2, "BACKEND": "serial"}


@pytest.fixture
def setting(qgis):
    """Sets the Processing setting; it is empty again afterwards."""
    from gpuvoronoi_processing.command import SETTING
    from processing.core.ProcessingConfig import ProcessingConfig

    yield lambda path: ProcessingConfig.setSettingValue(SETTING, path)
    ProcessingConfig.setSettingValue(SETTING, "")


def script(work, name, text):
    path = pathlib.Path(work.path(name))
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def algorithm(name="voronoiraster"):
    return QgsApplication.processingRegistry().createAlgorithmById(f"gpuvoronoi:{name}")


# ------------------------------------------------------------------------------------------------- finding


def test_setting_before_variable_before_path(qgis, work, setting, monkeypatch):
    from gpuvoronoi_processing.command import find_program

    folder = work.directory / "bin"
    folder.mkdir()
    on_path = script(work, "bin/gpuvoronoi", "")
    monkeypatch.setenv("PATH", str(folder))
    assert find_program() == COMMAND
    monkeypatch.delenv("GPUVORONOI_COMMAND")
    assert find_program() == on_path
    chosen = script(work, "chosen", "")
    setting(chosen)
    monkeypatch.setenv("GPUVORONOI_COMMAND", COMMAND)
    assert find_program() == chosen


@pytest.mark.parametrize("path", ["", ".", "/nowhere:"])
def test_programs_in_the_current_folder_are_not_run(qgis, work, setting, monkeypatch, path):
    """Programs in a folder of another user must not be run when the folder is opened."""
    from gpuvoronoi_processing.command import MissingProgram, find_program

    script(work, "gpuvoronoi", "")
    monkeypatch.chdir(work.directory)
    monkeypatch.setenv("PATH", path)
    monkeypatch.delenv("GPUVORONOI_COMMAND")
    for chosen in ("", "gpuvoronoi"):
        setting(chosen)
        with pytest.raises(MissingProgram):
            find_program()


def test_windows_does_not_look_in_the_current_folder(qgis, work, monkeypatch):
    from gpuvoronoi_processing.command import MissingProgram, find_program

    script(work, "gpuvoronoi.exe", "")
    folder = work.directory / "bin"
    folder.mkdir()
    monkeypatch.chdir(work.directory)
    monkeypatch.setattr(sys, "platform", "win32")  # shutil looks there first then
    monkeypatch.setenv("PATHEXT", ".com" + os.pathsep + ".exe")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("GPUVORONOI_COMMAND")
    with pytest.raises(MissingProgram):
        find_program()
    on_path = script(work, "bin/gpuvoronoi.exe", "")
    assert find_program() == on_path


def test_missing_program_is_explained(qgis, monkeypatch):
    from gpuvoronoi_processing import package

    monkeypatch.setattr(package, "version", lambda: "")
    monkeypatch.delenv("GPUVORONOI_COMMAND")
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ALGORITHMS:
        well, message = algorithm(name).canExecute()
        assert not well
        for word in ("not found", "Settings", "Processing", "GPUVORONOI_COMMAND", "PATH"):
            assert word in message
    with pytest.raises(QgsProcessingException, match="GPUVORONOI_COMMAND"):
        qgis.run("voronoiraster", INPUT=timezones(), OUTPUT="TEMPORARY_OUTPUT")


def test_wrong_places_are_named(qgis, work, setting, monkeypatch):
    assert algorithm().canExecute() == (True, "")
    monkeypatch.setenv("GPUVORONOI_COMMAND", "/nowhere/gpuvoronoi")
    assert "GPUVORONOI_COMMAND has the path “/nowhere/gpuvoronoi”" in algorithm().canExecute()[1]
    plain = work.directory / "plain"
    plain.write_text("no program")
    setting(str(plain))
    assert f"setting of gpuvoronoi has the path “{plain}”" in algorithm().canExecute()[1]


def test_provider(qgis):
    provider = QgsApplication.processingRegistry().providerById("gpuvoronoi")
    assert (
        provider.name() == "gpuvoronoi"
        and provider.versionInfo() == "1.0.0-rc1"
        and not provider.icon().isNull()
    )
    for made in provider.algorithms():
        assert (
            made.displayName()
            and made.group()
            and made.tags()
            and made.shortHelpString()
            and made.helpUrl()
        )
        assert not made.icon().isNull() and made.icon().availableSizes() is not None
        for parameter in made.parameterDefinitions():
            assert parameter.help(), (made.name(), parameter.name())
            assert parameter.name() == parameter.name().upper() and parameter.description()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_help_is_in_the_plugin(qgis, name):
    """A page of its own for each algorithm, that needs no web."""
    made = algorithm(name)
    url = QUrl(made.helpUrl())
    assert url.isLocalFile()
    page = pathlib.Path(url.toLocalFile()).read_text(encoding="utf-8")
    assert f"<h1>{made.displayName()}</h1>" in page and "http" not in page
    for parameter in made.parameterDefinitions():
        assert f"<code>{parameter.name()}</code>" in page
    for words, parameters in made.examples():
        assert words in page
        assert all(made.parameterDefinition(key) is not None for key in parameters)
        assert all(
            definition.name() in parameters
            for definition in made.parameterDefinitions()
            if not definition.flags() & definition.Flag.FlagOptional
            and definition.defaultValue() is None
        )


def test_help_tells_the_defaults(qgis, work):
    """Those of the mesh are not those of other rasters."""
    made = algorithm("qtmvoronoi")
    assert "360° / 2^(level + 3)" in made.parameterDefinition("RESOLUTION").help()
    assert "2^(level + 3) × 2^(level + 2)" in made.parameterDefinition("OUTPUT").help()
    layer = timezones()
    for level, parameters, shape in [
        (4, {}, (64, 128)),
        (4, {"EXTENT": "0,45,0,45"}, (16, 16)),
        (4, {"CRS": "EPSG:3035"}, (1741, 2048)),
    ]:
        assert (
            read(
                qgis.run(
                    "qtmvoronoi",
                    INPUT=layer,
                    LEVEL=level,
                    OUTPUT=work.path("out.tif"),
                    **parameters,
                )["OUTPUT"]
            ).shape
            == shape
        )
    assert (
        "With k above 1: those of the nearest" in algorithm().parameterDefinition("POLYGONS").help()
    )
    out = qgis.run(
        "voronoiraster",
        INPUT=layer,
        NEIGHBORS=2,
        RESOLUTION=10,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("p.gpkg"),
    )
    assert {row[0] for row in rows(out["POLYGONS"], "id")} == set(
        read(out["OUTPUT"]).ravel().tolist()
    )


def test_the_python_package_keeps_its_name(qgis):
    """Inside QGIS `import gpuvoronoi` finds the Python package, if there is one, and never the plugin."""
    find = importlib.machinery.PathFinder.find_spec
    assert find("gpuvoronoi_processing", [os.environ["QGIS_PLUGINPATH"]]) is not None
    assert find("gpuvoronoi", [os.environ["QGIS_PLUGINPATH"]]) is None
    assert qgis.plugin.__module__ == "gpuvoronoi_processing.plugin"


def test_plugin_comes_and_goes(qgis):
    import gpuvoronoi_processing
    from processing.core.ProcessingConfig import ProcessingConfig

    registry = QgsApplication.processingRegistry()
    qgis.plugin.unload()
    assert (
        registry.providerById("gpuvoronoi") is None
        and "GPUVORONOI_PROGRAM" not in ProcessingConfig.settings
    )
    qgis.plugin = gpuvoronoi_processing.classFactory(None)
    qgis.plugin.initGui()
    assert (
        registry.providerById("gpuvoronoi") is not None
        and "GPUVORONOI_PROGRAM" in ProcessingConfig.settings
    )


# ---------------------------------------------------------------------------------------- progress, messages


# A program that goes on with its bar when what it said so far has arrived.
PATIENT = """
for step in 0 25 50 75; do
  echo -n "$step..." >&2
  while [ ! -e '{folder}'/$step ]; do sleep 0.02; done
done
arguments=()
for argument; do [ "$argument" = --progress ] || arguments+=("$argument"); done
exec '{command}' "${{arguments[@]}}"
"""


@pytest.mark.parametrize(
    "name,parameters,first,last",
    [
        ("voronoiraster", {"RESOLUTION": 5}, 10, 100),
        ("knearest", {"NEIGHBORS": 3, "METRIC": 3}, 20, 70),
    ],
)
def test_progress_moves(qgis, work, setting, name, parameters, first, last):
    setting(script(work, "program", PATIENT.format(folder=work.directory, command=COMMAND)))
    feedback = Feedback()

    def arrived(value):
        for step in (0, 25, 50, 75):
            if value >= first + (last - first) * step / 100.0:
                (work.directory / str(step)).touch()

    feedback.progressChanged.connect(arrived)
    output = work.path("out.tif") if name == "voronoiraster" else "memory:"
    qgis.run(name, feedback, INPUT=memory(places(50), "EPSG:3857"), OUTPUT=output, **parameters)
    assert feedback.progress == sorted(feedback.progress)
    for step in (25, 50, 75):
        assert any(
            abs(value - first - (last - first) * step / 100.0) < 8 for value in feedback.progress
        )


def test_events_wait_if_they_have_to(qgis, work, setting):
    """Expressions run the program while QGIS draws, and edits while a layer is changed: nothing else is called before it ends."""
    from gpuvoronoi_processing import command

    answer = """echo '{"error": null, "warnings": []}'"""
    setting(script(work, "deaf", f"sleep 0.5; {answer}"))
    called = work.directory / "called"
    QTimer.singleShot(0, lambda: called.touch())
    assert command.run(["--seeds", "-"], [], Feedback(), events=False)
    assert not called.exists()
    setting(script(work, "waiting", f"while [ ! -e '{called}' ]; do sleep 0.02; done; {answer}"))
    assert command.run(["--seeds", "-"], [], Feedback())


def test_program_tells_its_progress(qgis, work):
    qgis.run("voronoiraster", INPUT=memory(places(50)), RESOLUTION=2, OUTPUT=work.path("out.tif"))
    assert (
        qgis.feedback.progress == sorted(qgis.feedback.progress)
        and qgis.feedback.progress[-1] == 100
    )


def test_messages_of_the_program_pass(qgis, work):
    with pytest.raises(QgsProcessingException) as caught:
        qgis.run("voronoiraster", INPUT=timezones(), METRIC=3, OUTPUT=work.path("out.tif"))
    assert "gpuvoronoi: error: --metric euclidean: unsupported for WGS 84 (EPSG:4326)" in str(
        caught.value
    )
    assert str(caught.value).startswith(
        "Unsupported distances here; choose others under “Distances”"
    )
    with pytest.raises(
        QgsProcessingException,
        match="Unknown backend; choose another.*\ngpuvoronoi: error: .*nonsense",
    ):
        qgis.run(
            "voronoiraster", INPUT=timezones(), BACKEND="nonsense", OUTPUT=work.path("out.tif")
        )
    with pytest.raises(
        QgsProcessingException,
        match="Unknown backend; choose another.*\ngpuvoronoi: error: .*nonsense",
    ):
        qgis.run("knearest", INPUT=timezones(), BACKEND="nonsense", OUTPUT="memory:")
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error: .*no/such"):
        qgis.run("voronoiraster", INPUT=timezones(), OUTPUT=work.path("no/such/folder/out.tif"))
    assert work.listing() == []


def test_warnings_of_the_program_pass(qgis, work):
    work.csv("s.csv", [(0, 0, 1), (5, 95, 2)])
    qgis.run(
        "voronoiraster", INPUT=work.path("s.csv"), SKIP_INVALID=True, OUTPUT=work.path("out.tif")
    )
    assert len(qgis.feedback.warnings) == 1
    assert qgis.feedback.warnings[0].startswith(
        "Seeds left out for empty or invalid values or coordinates: 1. (gpuvoronoi: warning: 1 seeds skipped"
    )


def test_summary_is_in_the_log(qgis, work):
    """What "automatic" came to."""
    qgis.run(
        "voronoiraster",
        INPUT=memory([(1, 2), (3, 4), (1, 2)]),
        RESOLUTION=1,
        EXTENT="0,20,0,10",
        OUTPUT=work.path("out.tif"),
    )
    said = qgis.feedback.infos
    assert "Distances: geodesic, default for longitudes and latitudes" in said
    assert "Raster: 20 × 10 cells of 1 × 1 degree, WGS 84 (EPSG:4326)" in said
    assert (
        "Cells without a seed: 0 of 200" in said
        and "Seeds: 3 used, 0 left out" in said
        and "Seeds without a cell: 1" in said
    )
    assert (
        any(line.startswith("Computed by tile, ") for line in said) and qgis.feedback.warnings == []
    )
    qgis.run("knearest", INPUT=memory(places(7)), REFERENCE=memory(places(9)), OUTPUT="memory:")
    said = qgis.feedback.infos
    assert "Searched for 7 points among 9, WGS 84 (EPSG:4326)" in said and any(
        line.startswith("Computed by ") for line in said
    )
    assert qgis.feedback.warnings == []


def test_errors_of_the_program_in_the_words_of_the_dialog(qgis, work):
    wide = "-179,179,0,0.0000004 [EPSG:4326]"  # of few rows
    for arguments, words in (
        ({"RESOLUTION": 1e-7, "EXTENT": wide}, "Too many cells in the raster"),
        ({"RESOLUTION": 1e6}, "Cells larger than the area"),
        ({"OUTPUT": work.path("out.nope")}, "Unsupported file format for this result"),
    ):
        with pytest.raises(QgsProcessingException) as caught:
            qgis.run(
                "voronoiraster",
                **{"INPUT": timezones(), "OUTPUT": work.path("out.tif"), **arguments},
            )
        assert str(caught.value).startswith(words) and "gpuvoronoi: error: " in str(caught.value)


def test_all_codes_are_worded():
    """Each code that the program has (a test of its own compares its documentation), and none that it has not."""
    from gpuvoronoi_processing import messages

    documented = (pathlib.Path(__file__).parents[2] / "docs" / "messages.md").read_text(
        encoding="utf-8"
    )
    errors, warnings = (
        set(re.findall(r"^\| `([a-z-]+)` \|", part, re.MULTILINE))
        for part in documented.partition("| code of an error | meaning |")[2]
        .partition("## Statuses")[0]
        .split("| code of a warning | meaning |")
    )
    assert len(errors) > 20 and len(warnings) > 14
    assert messages._errors().keys() == errors - messages.OWN_WORDS
    assert (
        messages._warnings().keys()
        == warnings - messages.OWN_WORDS - messages.REPORTED_BY_ALGORITHMS
    )
    assert messages.OWN_WORDS | messages.REPORTED_BY_ALGORITHMS <= errors | warnings


def test_reasons_of_the_program_are_known():
    """The reasons of the program for its metric."""
    from gpuvoronoi_processing import messages

    source = pathlib.Path(__file__).parents[2] / "src"
    said = {
        reason
        for path in [*source.glob("io/**/*.c"), source / "core" / "default_metric.c"]
        for reason in re.findall(
            r'"(default (?:for|without) [A-Za-z ]+|as requested)"', path.read_text(encoding="utf-8")
        )
    }
    assert len(said) >= 6
    assert said == messages.reasons().keys()


@pytest.mark.parametrize("name", ["voronoiraster", "facilitystatistics"])
def test_emptiness_is_told(qgis, work, name):
    """A mask elsewhere than the raster, a distance in the wrong unit."""
    mask = memory([], geometry="Polygon")
    feature = QgsFeature(mask.fields())
    feature.setGeometry(QgsGeometry.fromWkt("Polygon ((150 -50, 160 -50, 160 -40, 150 -50))"))
    assert mask.dataProvider().addFeatures([feature])[0]
    common = {
        "INPUT": memory([(0.2, 0.3), (5, 5)]),
        "EXTENT": "0,20,0,10",
        "RESOLUTION": 1,
        "OUTPUT": "TEMPORARY_OUTPUT",
    }
    farthest = "Maximum distance (meters on the globe, map units on the map)"
    for limits, labels in [
        ({"MASK": mask}, "“Mask”"),
        ({"MAX_DISTANCE": 1}, f"“{farthest}”"),
        ({"MASK": mask, "MAX_DISTANCE": 1}, f"“Mask”, “{farthest}”"),
    ]:
        qgis.run(name, **common, **limits)
        assert qgis.feedback.warnings == [f"0 of 200 cells have a seed; limited by {labels}"]
    qgis.run(name, **common, MAX_DISTANCE=100000)
    assert qgis.feedback.warnings == []
    if name == "voronoiraster":
        qgis.run(
            name,
            **{**common, "INPUT": memory([(5, 5), (5, 5), (5.1, 5.1), (15, 5)])},
            POLYGONS=work.path("p.gpkg"),
        )
        assert qgis.feedback.warnings == [
            "1 of 4 seeds have no polygon of their own: they have no cell, or share their id"
        ]


def test_device(qgis, work, setting):
    """It goes to the program as it is."""
    said = work.path("said")
    setting(script(work, "program", f"echo \"$@\" > '{said}'; exit 1"))
    with pytest.raises(QgsProcessingException):
        qgis.run(
            "voronoiraster",
            INPUT=timezones(),
            BACKEND="cuda-tile",
            DEVICE="1",
            OUTPUT=work.path("out.tif"),
        )
    assert "--backend cuda-tile --device 1 " in pathlib.Path(said).read_text()


def test_weights_without_a_weighting(qgis, work):
    layer = memory(places(5), fields="id:integer,w:double", rows=[(i, 1 + i) for i in range(5)])
    qgis.run(
        "voronoiraster", INPUT=layer, WEIGHT_FIELD="w", RESOLUTION=10, OUTPUT=work.path("out.tif")
    )
    assert qgis.feedback.warnings == ["“Field of the weights” has no effect without “Weighting”"]


@pytest.mark.parametrize(
    "text,words",
    [
        (
            "echo 'gpuvoronoi: error: höchst ärgerlich' >&2; exit 1",
            "gpuvoronoi: error: höchst ärgerlich",
        ),
        ("exit 3", "ended with status 3 and no message"),
        ("kill -9 $$", "ended with status -9 and no message"),
        ("exit 0", "made no file"),
    ],
)
def test_programs_that_misbehave(qgis, work, setting, text, words):
    setting(script(work, "program", text))
    with pytest.raises(QgsProcessingException, match=words):
        qgis.run("voronoiraster", INPUT=timezones(), OUTPUT=work.path("out.tif"))


def test_much_text_does_not_block(qgis, work, setting):
    """Both pipes are read while the program runs."""
    setting(
        script(
            work,
            "program",
            "head -c 300000 /dev/zero | tr '\\0' x >&2; head -c 300000 /dev/zero | tr '\\0' .; exit 1",
        )
    )
    with pytest.raises(QgsProcessingException, match="xxx"):
        qgis.run("voronoiraster", INPUT=timezones(), OUTPUT=work.path("out.tif"))


def test_names_that_a_shell_would_trip_over(qgis, work):
    name = "a b; touch c $(d) 'é' -x.tif"
    layer = memory(places(5))
    layer.setName("$(touch e); -rf ../..")
    qgis.run("voronoiraster", INPUT=layer, OUTPUT=work.path(name))
    assert work.listing() == [name[:-3] + "qml", name] and has_table(work.path(name))


# ------------------------------------------------------------------------------------------------- cancelling


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def cancel_when(feedback, ready):
    """Cancels from another thread once ready() is true; [time of it]."""
    pressed = []

    def watch():
        while not ready():
            time.sleep(0.01)
        time.sleep(0.2)
        pressed.append(time.monotonic())
        feedback.cancel()

    threading.Thread(target=watch, daemon=True).start()
    return pressed


@pytest.mark.parametrize(
    "name,parameters",
    [("voronoiraster", BIG), ("qtmvoronoi", {"LEVEL": 13, "METRIC": 1, "BACKEND": "serial"})],
)
def test_cancel(qgis, work, name, parameters):
    out = pathlib.Path(work.path("out.tif"))
    out.write_text("something precious")
    feedback = Feedback()
    pressed = cancel_when(feedback, lambda: list(work.directory.glob(".out.tmp-*")))
    qgis.run(name, feedback, INPUT=memory(places(2000)), OUTPUT=str(out), **parameters)
    # One second is what is promised on an idle machine; this one may be busy.
    assert time.monotonic() - pressed[0] < 5
    assert work.listing() == ["out.tif"] and out.read_text() == "something precious"


@pytest.mark.parametrize("closed", ["", "exec >/dev/null 2>&1"])
@pytest.mark.parametrize("how", ["cancel", "quit"])
def test_a_program_that_does_not_listen(qgis, work, setting, how, closed):
    """
    It is killed, with its children, by Cancel and when QGIS closes, also where it has closed what it writes to, before its
    files. Its unfinished files are left for the next run of the program, which removes unused ones.
    """
    from gpuvoronoi_processing import command

    setting(
        script(
            work,
            "program",
            f"""
trap '' TERM
{closed}
sleep 600 &
mkdir "$(dirname "$0")/.out.tmp-begun"
echo $$ $! > "$(dirname "$0")/pid"
while :; do sleep 0.1; done
""",
        )
    )
    feedback = Feedback()
    feedback.cancel = feedback.cancel if how == "cancel" else command.stop_all
    pid = work.directory / "pid"
    pressed = cancel_when(feedback, pid.exists)
    if how == "cancel":
        qgis.run("voronoiraster", feedback, INPUT=timezones(), OUTPUT=work.path("out.tif"))
    else:
        with pytest.raises(QgsProcessingException, match="ended with status -9"):
            qgis.run("voronoiraster", feedback, INPUT=timezones(), OUTPUT=work.path("out.tif"))
    assert time.monotonic() - pressed[0] < 5
    while any(map(is_running, pid.read_text().split())):
        assert time.monotonic() - pressed[0] < 5
        time.sleep(0.05)
    assert work.listing() == [".out.tmp-begun", "pid", "program"]


def test_cancel_while_layers_are_written(qgis, work):
    feedback = Feedback()
    feedback.progressChanged.connect(lambda value: feedback.cancel() if value > 0 else None)
    qgis.run("voronoiraster", feedback, INPUT=memory(places(5000)), OUTPUT=work.path("out.tif"))
    assert feedback.commands == [] and work.listing() == []


def test_cancel_the_search(qgis, work):
    feedback = Feedback()
    feedback.progressChanged.connect(lambda value: feedback.cancel() if value > 20 else None)
    out = work.path("out.gpkg")
    qgis.run(
        "knearest",
        feedback,
        INPUT=memory(places(20000)),
        NEIGHBORS=50,
        BACKEND="serial",
        OUTPUT=out,
    )
    assert not os.path.exists(out) or rows(out) == []


def test_old_output_is_replaced(qgis, work):
    for seeds in (places(5), places(50)):
        out = qgis.run(
            "voronoiraster", INPUT=memory(seeds), RESOLUTION=1, OUTPUT=work.path("out.tif")
        )["OUTPUT"]
    assert len(set(read(out).ravel())) > 5


@pytest.mark.parametrize(
    "layer,parameters",
    [
        ("a.gpkg", {"INPUT": "memory", "OUTPUT": "out.tif", "POLYGONS": "a.gpkg"}),
        ("a.tif", {"INPUT": "memory", "OUTPUT": "a.tif"}),
        ("a.tif", {"INPUT": "memory", "OUTPUT": "out.tif", "DISTANCE": "link.tif"}),
        (None, {"INPUT": "a.gpkg", "OUTPUT": "out.tif", "POLYGONS": "a.gpkg"}),
        (None, {"INPUT": "memory", "OUTPUT": "a.tif", "TEMPLATE": "a.tif"}),
        (None, {"INPUT": "memory", "OUTPUT": "a.tif", "MASK": "a.tif"}),
    ],
)
def test_files_of_layers_are_not_replaced(qgis, work, layer, parameters):
    """Neither of layers that are open nor of inputs."""
    vector = memory(places(5))
    options = QgsVectorFileWriter.SaveVectorOptions()
    QgsVectorFileWriter.writeAsVectorFormatV3(
        vector, work.path("a.gpkg"), QgsProject.instance().transformContext(), options
    )
    work.csv("s.csv", [(0, 0, 1), (5, 5, 2)])
    work.command("--seeds", "s.csv", "--res", 10, "a.tif")
    os.symlink("a.tif", work.path("link.tif"))
    if layer is not None:
        kind = QgsRasterLayer if layer.endswith(".tif") else QgsVectorLayer
        QgsProject.instance().addMapLayer(kind(work.path(layer), "Precious"))
    before = work.listing()
    content = (
        pathlib.Path(work.path("a.tif")).read_bytes(),
        pathlib.Path(work.path("a.gpkg")).read_bytes(),
    )
    parameters = {
        name: vector if value == "memory" else work.path(value)
        for name, value in parameters.items()
    }
    with pytest.raises(
        QgsProcessingException, match="is the file of the layer “" + ("Precious" if layer else "a")
    ):
        qgis.run("voronoiraster", **parameters)
    assert before == [name for name in work.listing() if not name.endswith(("-wal", "-shm"))]
    assert content == (
        pathlib.Path(work.path("a.tif")).read_bytes(),
        pathlib.Path(work.path("a.gpkg")).read_bytes(),
    )


def test_nearest_neighbors_do_not_replace_their_points(qgis, work):
    layer = memory(places(5))
    options = QgsVectorFileWriter.SaveVectorOptions()
    QgsVectorFileWriter.writeAsVectorFormatV3(
        layer, work.path("a.gpkg"), QgsProject.instance().transformContext(), options
    )
    with pytest.raises(QgsProcessingException, match="is the file of the layer “"):
        qgis.run("knearest", INPUT=layer, REFERENCE=work.path("a.gpkg"), OUTPUT=work.path("a.gpkg"))
    assert len(rows(work.path("a.gpkg"))) == 5


def test_numbers_as_the_language_writes_them(qgis, monkeypatch):
    from gpuvoronoi_processing import i18n

    for language, count, size in (("de", "1.234.567", "0,25"), ("C", "1,234,567", "0.25")):
        monkeypatch.setattr(i18n, "language", lambda language=language: language)
        assert i18n.number_text(1234567) == count
        assert i18n.number_text(0.25, "g", 9) == size


@pytest.fixture
def huge(work):
    """A raster of 200,000 x 200,000 cells that takes no space."""
    path = work.path("huge.vrt")
    made = gdal.GetDriverByName("VRT").Create(path, 200000, 200000, 1, gdal.GDT_Byte)
    made.SetGeoTransform((0, 0.0001, 0, 20, 0, -0.0001))
    made.SetSpatialRef(reference())
    made = None
    return path


def reference():
    made = osr.SpatialReference()
    made.ImportFromEPSG(4326)
    made.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return made


@pytest.mark.parametrize(
    "name,parameters,words",
    [
        ("voronoiraster", {"RESOLUTION": 1e-5}, "648,000,000,000,000 cells"),
        ("voronoiraster", {"TEMPLATE": "huge"}, "“Template raster”: about 40,000,000,000 cells"),
        (
            "facilitystatistics",
            {"TEMPLATE": "huge", "EXTENT": "0,200,0,200 [EPSG:4326]"},
            "4,000,000,000,000 cells",
        ),
        ("nearestcells", {"INPUT": "huge"}, "“Raster”: about 40,000,000,000 cells"),
        ("travelcost", {"COST": "huge"}, "“Friction”: about 40,000,000,000 cells"),
        ("qtmvoronoi", {"LEVEL": 16}, "“Level of the mesh”: about 137,438,953,472 cells"),
        ("qtmvoronoi", {"LEVEL": 14, "CELLS": "c.gpkg"}, "2,147,483,648 rows"),
        ("cells", {"LEVEL": 18, "GEOMETRY": 1}, "824,633,720,832 cells"),
        ("cells", {"LEVEL": 14, "GEOMETRY": 1}, "3,221,225,472 cells"),
        ("knearest", {"NEIGHBORS": 700}, "1,400 rows"),
    ],
)
def test_many_cells_or_rows(qgis, work, huge, monkeypatch, name, parameters, words):
    """A window needs a confirmation before anything is computed, with their number."""
    asked = []
    monkeypatch.setattr("gpuvoronoi_processing.sizes.MANY_ROWS", 1000)
    monkeypatch.setattr("gpuvoronoi_processing.sizes.has_windows", lambda: True)
    monkeypatch.setattr("gpuvoronoi_processing.sizes.is_wanted", asked.append)
    given = {"INPUT": memory([(0, 0), (1, 1)]), "OUTPUT": work.path("out.tif")}
    given.update({key: huge if value == "huge" else value for key, value in parameters.items()})
    with pytest.raises(QgsProcessingException) as error:
        qgis.run(name, **given)
    assert words in asked[0] and words in qgis.feedback.warnings[0]
    assert words in " ".join([str(error.value), *qgis.feedback.errors])
    assert qgis.feedback.commands == []


@pytest.mark.parametrize("wanted", [None, True])
def test_many_cells_are_computed_if_they_are_wanted(qgis, work, monkeypatch, wanted):
    """Without a window they are computed; the log has the number."""
    monkeypatch.setattr("gpuvoronoi_processing.sizes.MANY_CELLS", 1000)
    monkeypatch.setattr("gpuvoronoi_processing.sizes.is_wanted", lambda text: wanted)
    if wanted:
        monkeypatch.setattr("gpuvoronoi_processing.sizes.has_windows", lambda: True)
    out = work.path("out.tif")
    seeds = memory([(100, 100), (1000, 400)], "EPSG:32633")
    qgis.run("voronoiraster", INPUT=seeds, RESOLUTION=10, OUTPUT=out)
    made, (said,) = gdal.Open(out), qgis.feedback.warnings
    count = re.fullmatch(r"“Cell size .*”: about ([\d,]+) cells to compute", said)[1]
    assert int(count.replace(",", "")) == pytest.approx(made.RasterXSize * made.RasterYSize, 0.02)
    qgis.run("voronoiraster", INPUT=seeds, RESOLUTION=100, OUTPUT=out)
    assert qgis.feedback.warnings == []


def test_small_parts_of_the_globe(qgis, work):
    """Fine cells of a small area, or of a small raster."""
    seeds = memory([(0, 0), (1, 1)])
    area = "0,0.001,0,0.001 [EPSG:4326]"
    qgis.run("voronoiraster", INPUT=seeds, RESOLUTION=1e-5, EXTENT=area, OUTPUT=work.path("a.tif"))
    path = work.path("small.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, 20, 20, 1, gdal.GDT_Byte)
    made.SetGeoTransform((0, 1e-5, 0, 2e-4, 0, -1e-5))
    made.SetSpatialRef(reference())
    made.GetRasterBand(1).WriteRaster(3, 3, 1, 1, b"\1")
    made = None
    qgis.run("nearestcells", INPUT=path, RESOLUTION=5e-6, OUTPUT=work.path("b.tif"))
    assert gdal.Open(work.path("b.tif")).RasterXSize == 40
