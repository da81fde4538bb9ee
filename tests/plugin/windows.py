"""
Runs inside QGIS's desktop (qgis.bin --code windows.py): goes through the scenes of test_windows.py, one after another,
writes what it found to $GPUVORONOI_WORK/report.json and pictures to $GPUVORONOI_PICTURES. Each scene is a generator; what it
yields is a condition to wait for, while events are handled.
"""

import gc
import json
import os
import pathlib
import shutil
import subprocess
import time
import traceback

import processing
from osgeo import gdal
from processing.core.ProcessingConfig import ProcessingConfig
from processing.gui.AlgorithmDialog import AlgorithmDialog
from processing.gui.MessageDialog import MessageDialog
from processing.modeler.ModelerParametersDialog import ModelerParametersDialog
from qgis.core import (
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingModelAlgorithm,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from qgis.PyQt.QtGui import QColor, QDragEnterEvent, QDropEvent
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import (
    QApplication,
    QComboBox,
    QDockWidget,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)
from qgis.utils import iface, loadPlugin, plugins, startPlugin, updateAvailablePlugins

ROOT = os.environ["GPUVORONOI_ROOT"]
WORK = pathlib.Path(os.environ["GPUVORONOI_WORK"])
PICTURES = pathlib.Path(os.environ["GPUVORONOI_PICTURES"])
ALGORITHMS = [
    "voronoiraster",
    "qtmvoronoi",
    "facilitystatistics",
    "knearest",
    "nearestcells",
    "livevoronoi",
    "writenearest",
    "voronoidiagram",
    "nearestvalue",
    "cells",
    "travelcost",
    "roundbarriers",
    "withindistance",
]
IMPORT = shutil.which("import")  # of ImageMagick
PATIENCE = 120  # seconds for one condition
TOO_LONG = 780  # seconds for all

facts = {}


def wait(condition):
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > PATIENCE:
            raise TimeoutError("a condition did not come true")
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        time.sleep(0.01)


def settle(seconds=0.7):
    end = time.monotonic() + seconds
    wait(lambda: time.monotonic() > end)


def picture(name, widget=None):
    """The screen, or the part of it where a widget is, in few enough colors to be small."""
    settle()
    file = PICTURES / f"{name}.png"
    crop = []
    if widget is not None:
        frame = widget.frameGeometry()
        crop = ["-crop", f"{frame.width()}x{frame.height()}+{frame.x()}+{frame.y()}", "+repage"]
    subprocess.run(
        [IMPORT, "-window", "root", *crop, "-strip", "+dither", "-colors", "200", f"PNG8:{file}"],
        check=True,
    )


def open_dialog(name, parameters):
    dialog = processing.createAlgorithmDialog(f"gpuvoronoi:{name}", parameters)
    dialog.show()
    dialog.resize(1000, 800)
    dialog.move(10, 10)
    dialog.raise_()
    settle()
    return dialog


def close(dialog):
    dialog.close()
    dialog.deleteLater()
    settle(0.2)


def seeds():
    layer = QgsVectorLayer(
        f"file://{ROOT}/data/timezones.csv?type=csv&xField=lon&yField=lat&crs=EPSG:4326",
        "Time zone places",
        "delimitedtext",
    )
    QgsProject.instance().addMapLayer(layer)
    return layer


def scene_toolbox(layer):
    provider = QgsApplication.processingRegistry().providerById("gpuvoronoi")
    facts["toolbox"] = sorted((a.displayName() for a in provider.algorithms()), key=str.lower)


def scene_dialogs(layer):
    facts["dialogs"] = {}
    gdal.Rasterize(
        str(WORK / "land.tif"),
        f"{ROOT}/data/land.geojson",
        burnValues=[1],
        outputType=gdal.GDT_Byte,
        xRes=1,
        yRes=1,
    )
    cells = QgsRasterLayer(str(WORK / "land.tif"), "Land mask")
    QgsProject.instance().addMapLayer(cells)
    for name in ALGORITHMS:
        given = {
            "nearestcells": {"INPUT": cells},
            "knearest": {"INPUT": layer, "REFERENCE": layer},
            "withindistance": {"INPUT": layer, "REFERENCE": layer},
            "writenearest": {"INPUT": layer, "REFERENCE": layer},
        }.get(name, {"INPUT": layer})
        dialog = open_dialog(name, given)
        facts["dialogs"][name] = {
            "shown": dialog.isVisible(),
            "widgets": len([w for w in dialog.mainWidget().findChildren(QWidget) if w.isVisible()]),
        }
        has_backends = dialog.mainWidget().findChild(QComboBox, "gpuvoronoi_backends") is not None
        for listing in ("backends", "devices") if has_backends else ():
            box = dialog.mainWidget().findChild(QComboBox, f"gpuvoronoi_{listing}")
            rows = [
                (box.itemData(row), box.itemText(row), box.model().item(row).isEnabled())
                for row in range(box.count())
            ]
            facts["dialogs"][name][listing] = rows
        chosen = []
        for backend in ("", "serial", "auto", "@an_expression") if has_backends else ():
            dialog.setParameters({**given, "BACKEND": backend})
            box = dialog.mainWidget().findChild(QComboBox, "gpuvoronoi_backends")
            chosen.append(
                (box.currentText(), dialog.mainWidget().createProcessingParameters().get("BACKEND"))
            )
        facts["dialogs"][name]["chosen"] = chosen
        picture(f"qgis-dialog-{name}", dialog)
        close(dialog)
    QgsProject.instance().removeMapLayer(cells.id())


def scene_id_fields(layer):
    """Those of the layer that is chosen, whatever it is chosen by."""
    other = QgsVectorLayer(
        "Point?crs=EPSG:4326&field=a:integer&field=b:double&field=c:string&field=d:long&field=e:date",
        "Other",
        "memory",
    )
    QgsProject.instance().addMapLayer(other)
    dialog = open_dialog("voronoiraster", {"INPUT": layer, "FIELD": "name"})
    box = dialog.mainWidget().findChild(QComboBox, "gpuvoronoi_id_field")

    def state():
        fields = [box.itemText(row) for row in range(box.count())]
        return [
            field for field in fields if field
        ], dialog.mainWidget().createProcessingParameters().get("FIELD")

    facts["id_fields"] = [state()]
    for given in (
        other,
        f"{ROOT}/tests/plugin/seeds.geojson",
        QgsProcessingFeatureSourceDefinition(other.id(), True),
    ):
        dialog.setParameters({"INPUT": given})
        facts["id_fields"].append(state())
    dialog.setParameters({"INPUT": other, "FIELD": "d"})
    facts["id_fields"].append(state())
    close(dialog)
    QgsProject.instance().removeMapLayer(other.id())
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:voronoiraster")
    dialog = ModelerParametersDialog(algorithm, QgsProcessingModelAlgorithm())
    dialog.show()
    settle()
    facts["modeler"] = [
        type(widget).__name__
        for widget in dialog.findChildren(QWidget)
        if "Modeler" in type(widget).__name__
    ]
    close(dialog)


def show_map(order, name, area=(-180, -90, 180, 90)):
    """A picture of the main window with these layers from top to bottom."""
    root = QgsProject.instance().layerTreeRoot()
    for made in root.findLayers():
        made.setItemVisibilityChecked(made.layer() in order)
        made.setExpanded(made.layer() is order[-1])
    root.setHasCustomLayerOrder(True)
    root.setCustomLayerOrder(
        order
        + [layer for layer in QgsProject.instance().mapLayers().values() if layer not in order]
    )
    iface.mapCanvas().setExtent(QgsRectangle(*area))
    iface.mapCanvas().refresh()
    iface.messageBar().clearWidgets()
    settle()
    wait(lambda: not iface.mapCanvas().isDrawing())
    picture(name, iface.mainWindow())


def scene_run(layer):
    ProcessingConfig.setSettingValue(ProcessingConfig.KEEP_DIALOG_OPEN, True)
    dialog = open_dialog(
        "voronoiraster", {"INPUT": layer, "FIELD": "name", "DISTANCE": "TEMPORARY_OUTPUT"}
    )
    finished = []
    dialog.algorithmFinished.connect(lambda well, results: finished.append(well))
    dialog.runAlgorithm()
    wait(lambda: finished)
    settle()
    made = {
        other.name(): other
        for other in QgsProject.instance().mapLayers().values()
        if other != layer
    }
    facts["run"] = {
        "finished": finished == [True],
        "layers": sorted(made),
        "progress": dialog.progressBar().value() if hasattr(dialog, "progressBar") else 100,
    }
    root = QgsProject.instance().layerTreeRoot()
    facts["run"]["legends"] = {
        name: len(
            iface.layerTreeView().layerTreeModel().layerLegendNodes(root.findLayer(other.id()))
        )
        for name, other in made.items()
    }
    picture("qgis-log", dialog)
    close(dialog)
    window = iface.mainWindow()
    window.resize(1500, 900)
    window.move(0, 0)
    for dock in window.findChildren(QDockWidget):
        if dock.objectName() == "Browser":
            dock.hide()
        if dock.objectName() == "ProcessingToolbox":
            dock.show()
            dock.findChild(QLineEdit).setText("gpuvoronoi")
    layer.renderer().symbol().setSize(1.2)
    layer.renderer().symbol().setColor(QColor("#202020"))
    show_map([layer, made["Nearest of Time zone places"]], "qgis-map")
    show_map([layer, made["Distance to Time zone places (m)"]], "qgis-distance")


def scene_shapes(layer):
    """Distances to the coast, and the ways to it."""
    land = QgsVectorLayer(f"{ROOT}/data/land.geojson", "Land", "ogr")
    QgsProject.instance().addMapLayer(land)
    processing.runAndLoadResults(
        "gpuvoronoi:voronoiraster",
        {
            "INPUT": land,
            "SIGNED": True,
            "METRIC": 2,
            "RESOLUTION": 0.25,
            "OUTPUT": "TEMPORARY_OUTPUT",
            "DISTANCE": "TEMPORARY_OUTPUT",
        },
    )
    processing.runAndLoadResults(
        "gpuvoronoi:knearest",
        {"INPUT": layer, "REFERENCE": land, "BOUNDARY": True, "OUTPUT": "TEMPORARY_OUTPUT"},
    )
    made = {other.name(): other for other in QgsProject.instance().mapLayers().values()}
    coast, ways = made["Distance to Land (m)"], made["Time zone places and their nearest"]
    ramp = coast.renderer().shader().rasterShaderFunction()
    facts["shapes"] = {
        "range": [ramp.minimumValue(), ramp.maximumValue()],
        "ways": ways.featureCount(),
    }
    show_map([layer, ways, coast], "qgis-coast", (-30, 0, 90, 75))


def scene_cells(layer):
    """Cells as polygons with borders."""
    processing.runAndLoadResults(
        "gpuvoronoi:cells",
        {"INPUT": layer, "SYSTEM": 2, "LEVEL": 5, "FIELD": "name", "OUTPUT": "TEMPORARY_OUTPUT"},
    )
    (cells,) = [
        other
        for other in QgsProject.instance().mapLayers().values()
        if other.name().endswith("S2 level 5")
    ]
    facts["cells"] = [cells.featureCount(), cells.geometryType() == 2]
    show_map([layer, cells], "qgis-cells", (-60, 0, 60, 75))


def scene_confirm(layer):
    """A large result needs a confirmation; here it is refused."""
    from gpuvoronoi_processing import sizes

    many, sizes.MANY_CELLS = sizes.MANY_CELLS, 1000
    texts, timer = [], QTimer()

    def refuse():
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            texts.append(box.text())
            picture("qgis-confirm", box)
            box.button(QMessageBox.StandardButton.No).click()

    timer.timeout.connect(refuse)
    timer.start(500)
    try:
        processing.run(
            "gpuvoronoi:voronoiraster",
            {"INPUT": layer, "RESOLUTION": 1, "OUTPUT": "TEMPORARY_OUTPUT"},
        )
    except QgsProcessingException as error:
        facts["confirm"] = [texts, str(error)]
    finally:
        sizes.MANY_CELLS = many
        timer.stop()


def scene_live(layer):
    """An on-demand raster by the algorithm, and one that is dropped onto the map."""
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:livevoronoi")
    if not algorithm.canExecute()[0]:
        return  # built without GDAL's driver
    output = WORK / "places.voronoi.json"
    processing.runAndLoadResults(
        "gpuvoronoi:livevoronoi",
        {"INPUT": layer, "FIELD": "name", "BANDS": [0, 1], "OUTPUT": str(output)},
    )
    live = [
        other
        for other in QgsProject.instance().mapLayers().values()
        if "voronoi.json" in other.source()
    ]
    facts["live"] = {"layers": sorted(made.name() for made in live), "width": live[0].width()}
    show_map(
        [layer, next(made for made in live if made.name().startswith("Nearest"))],
        "qgis-live",
        (-12, 36, 36, 60),
    )
    shutil.copy(output, WORK / "dropped.voronoi.json")
    urls = QMimeData()
    urls.setUrls([QUrl.fromLocalFile(str(WORK / "dropped.voronoi.json"))])
    window = iface.mainWindow()
    place, pressed = (
        QPoint(window.width() // 2, window.height() // 2),
        (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
    )
    QApplication.sendEvent(window, QDragEnterEvent(place, Qt.DropAction.CopyAction, urls, *pressed))
    QApplication.sendEvent(
        window, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, urls, *pressed)
    )
    wait(
        lambda: [
            other
            for other in QgsProject.instance().mapLayers().values()
            if "dropped" in other.source()
        ]
    )
    (dropped,) = [
        other for other in QgsProject.instance().mapLayers().values() if "dropped" in other.source()
    ]
    facts["live"]["dropped"] = [
        type(dropped).__name__,
        dropped.isValid(),
        dropped.width(),
        dropped.bandCount(),
    ]
    QgsProject.instance().removeMapLayers([made.id() for made in (*live, dropped)])


def scene_in_place(layer):
    """The dialog of the toolbox with its pencil pressed: the fields of the layer are offered, and written into."""
    points = QgsVectorLayer(
        "Point?crs=EPSG:4326&field=near:string&field=far:double", "Edited", "memory"
    )
    for place in ("13.4 52.5", "2.3 48.9"):
        feature = QgsFeature(points.fields())
        feature.setGeometry(QgsGeometry.fromWkt(f"Point ({place})"))
        points.dataProvider().addFeatures([feature])
    QgsProject.instance().addMapLayer(points)
    iface.setActiveLayer(points)
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:writenearest")
    dialog = AlgorithmDialog(algorithm, True, iface.mainWindow())
    dialog.show()
    settle()
    dialog.setParameters(
        {"REFERENCE": layer, "REFERENCE_FIELD": "name", "ID_FIELD": "near", "DISTANCE_FIELD": "far"}
    )
    facts["in_place"] = {
        "chosen": [box.currentText() for box in dialog.mainWidget().findChildren(QComboBox)]
    }
    picture("qgis-in-place", dialog)
    dialog.runAlgorithm()
    wait(lambda: points.isEditable() and all(feature["near"] for feature in points.getFeatures()))
    facts["in_place"]["near"] = [feature["near"] for feature in points.getFeatures()]
    facts["in_place"]["far"] = [round(feature["far"]) for feature in points.getFeatures()]
    points.rollBack()
    close(dialog)
    QgsProject.instance().removeMapLayer(points.id())


def scene_error(layer):
    dialog = open_dialog("voronoiraster", {"INPUT": layer, "METRIC": 3})
    finished = []
    dialog.algorithmFinished.connect(lambda well, results: finished.append(well))
    dialog.runAlgorithm()
    settle()
    wait(lambda: not dialog.cancelButton().isEnabled())
    text = dialog.findChild(QWidget, "txtLog")
    facts["error_text"] = text.toPlainText()
    close(dialog)


def scene_cancel(layer):
    out = WORK / "cancelled" / "out.tif"
    out.parent.mkdir()
    dialog = open_dialog(
        "voronoiraster",
        {"INPUT": layer, "METRIC": 2, "RESOLUTION": 0.006, "BACKEND": "serial", "OUTPUT": str(out)},
    )
    dialog.runAlgorithm()
    wait(lambda: list(out.parent.glob(".out.tmp-*")))
    (pid,) = [
        int(pid)
        for thread in pathlib.Path("/proc/self/task").iterdir()
        for pid in (thread / "children").read_text().split()
        if b"gpuvoronoi" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    ]
    settle(0.3)
    pressed = time.monotonic()
    dialog.cancelButton().click()
    wait(lambda: not dialog.cancelButton().isEnabled())

    def alive():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    wait(lambda: not alive())
    facts["cancel"] = {
        "seconds": time.monotonic() - pressed,
        "left": [p.name for p in out.parent.iterdir()],
        "alive": int(alive()),
    }
    close(dialog)


def scene_batch(layer):
    from processing.gui.BatchAlgorithmDialog import BatchAlgorithmDialog

    folder = WORK / "batch"
    folder.mkdir()
    rows = [
        {
            "PARAMETERS": {"INPUT": layer.id(), "LEVEL": level, "METRIC": 1},
            "OUTPUTS": {"OUTPUT": str(folder / f"level{level}.tif")},
        }
        for level in (2, 3, 4)
    ]
    described = WORK / "batch.json"
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:qtmvoronoi")
    dialog = BatchAlgorithmDialog(algorithm, iface.mainWindow())
    dialog.show()
    dialog.resize(1200, 500)
    dialog.move(10, 10)
    panel = dialog.mainWidget()
    if hasattr(panel, "CURRENT_FORMAT"):  # QGIS 3.40
        described.write_text(json.dumps({"format": panel.CURRENT_FORMAT, "rows": rows}))
    else:
        for row in rows:
            row["PARAMETERS"] = {name: repr(value) for name, value in row["PARAMETERS"].items()}
        described.write_text(json.dumps(rows))
    asked = QFileDialog.getOpenFileName
    QFileDialog.getOpenFileName = staticmethod(lambda *arguments, **more: (str(described), ""))
    try:
        panel.load()
    finally:
        QFileDialog.getOpenFileName = asked
    picture("qgis-batch", dialog)
    panel.checkLoadLayersOnCompletion.setChecked(False)
    dialog.runAlgorithm()
    wait(lambda: len(list(folder.glob("*.tif"))) == 3 and not dialog.cancelButton().isEnabled())
    made = sorted(folder.glob("*.tif"))
    facts["batch"] = {
        "rows": panel.batchRowCount(),
        "made": [p.name for p in made],
        "sizes": [gdal.Open(str(p)).RasterXSize for p in made],
    }
    close(dialog)


def scene_missing(layer):
    """QGIS's own window, modal, about an algorithm that cannot run, and what its link leads to."""
    from gpuvoronoi_processing import program

    command, folders, path = (
        os.environ.pop("GPUVORONOI_COMMAND"),
        program.FOLDERS,
        os.environ["PATH"],
    )
    os.environ["PATH"] = "/nowhere"
    program.FOLDERS = {"posix": (str(WORK),), "win32": ()}
    try:
        algorithm = QgsApplication.processingRegistry().createAlgorithmById(
            "gpuvoronoi:voronoiraster"
        )
        facts["missing"] = {"message": algorithm.canExecute()[1]}
        window = MessageDialog()
        window.setMessage(facts["missing"]["message"])
        window.setModal(True)
        window.show()
        settle()
        window.openLink(QUrl("gpuvoronoi:program"))
        settle()
        dialog = iface.mainWindow().findChild(QWidget, "gpuvoronoi_program")
        facts["missing"]["in_front"] = QApplication.activeModalWidget() is dialog
        picture("qgis-program", dialog)
        facts["missing"]["pressed"] = [
            press(dialog, "Search"),
            press(dialog, "Choose the file", shown=str(WORK / "nothing")),
        ]
        program.FOLDERS = {"posix": (os.path.dirname(command),), "win32": ()}
        facts["missing"]["pressed"].append(press(dialog, "Search"))
        facts["missing"]["setting"] = ProcessingConfig.getSetting("GPUVORONOI_PROGRAM")
        press(dialog, "Close")
        window.openLink(QUrl("gpuvoronoi:program"))
        window.openLink(QUrl("gpuvoronoi:program"))
        again = [
            found
            for found in iface.mainWindow().findChildren(QWidget, "gpuvoronoi_program")
            if found.isVisible()
        ]
        facts["missing"]["again"] = [
            press(found, "Search") for found in again if found is not dialog
        ]
        press(again[0], "Close")
    finally:
        os.environ["PATH"] = path
        os.environ["GPUVORONOI_COMMAND"] = command
        program.FOLDERS = folders
        ProcessingConfig.setSettingValue("GPUVORONOI_PROGRAM", "")
    close(window)


def press(dialog, words, shown=""):
    """Presses a button of the dialog about the program, by the mouse. What the dialog says then."""
    (button,) = [
        button
        for button in dialog.findChildren(QPushButton)
        if words in button.text().replace("&", "")
    ]
    asked = QFileDialog.getOpenFileName
    QFileDialog.getOpenFileName = staticmethod(lambda *arguments: (shown, ""))
    try:
        gc.collect()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    finally:
        QFileDialog.getOpenFileName = asked
    text = dialog.findChild(QLabel, "gpuvoronoi_state").text()
    settle()
    return text


def give_up():
    """An open message box keeps its own event loop; only this ends it."""
    shown = [
        widget.windowTitle() for widget in QApplication.topLevelWidgets() if widget.isVisible()
    ]
    facts["error"] = f"no end in sight; windows: {shown}; done: {sorted(facts)}"
    (WORK / "report.json").write_text(json.dumps(facts))
    os._exit(1)


def main():
    try:
        updateAvailablePlugins()
        if "gpuvoronoi_processing" not in plugins:
            assert loadPlugin("gpuvoronoi_processing") and startPlugin("gpuvoronoi_processing")
        layer = seeds()
        window = iface.mainWindow()
        panel = window.findChild(QDockWidget, "Layers")
        window.resizeDocks([panel], [400], Qt.Orientation.Horizontal)
        QTimer.singleShot(TOO_LONG * 1000, give_up)
        for scene in (
            scene_toolbox,
            scene_dialogs,
            scene_id_fields,
            scene_run,
            scene_shapes,
            scene_cells,
            scene_confirm,
            scene_live,
            scene_in_place,
            scene_error,
            scene_cancel,
            scene_batch,
            scene_missing,
        ):
            scene(layer)
    except BaseException:
        facts["error"] = traceback.format_exc()
    (WORK / "report.json").write_text(json.dumps(facts))
    os._exit(
        0
    )  # the project is not to be saved, and QGIS 3.22 does not always survive its own tidying up


QTimer.singleShot(1000, main)
