"""If the program is missing, the plugin shows how to install it; the program is found where it is installed."""

import os
import pathlib
import re
import stat
import sys

import pytest
from conftest import ALGORITHMS, COMMAND
from qgis.core import QgsApplication, QgsSettings
from qgis.gui import QgsMessageBar
from qgis.PyQt.QtCore import QCoreApplication, QEvent, QUrl
from qgis.PyQt.QtGui import QDesktopServices
from qgis.PyQt.QtWidgets import QFileDialog, QLabel, QMainWindow, QPushButton, QTextBrowser


class Iface:
    """As much of QGIS's window as the plugin looks at."""

    def __init__(self):
        self.window = QMainWindow()
        self.bar = QgsMessageBar(self.window)

    def mainWindow(self):
        return self.window

    def messageBar(self):
        return self.bar


@pytest.fixture
def nowhere(qgis, monkeypatch):
    """No program in all the places where it is looked for, and no Python package."""
    from gpuvoronoi_processing import package, program
    from gpuvoronoi_processing.command import SETTING
    from processing.core.ProcessingConfig import ProcessingConfig

    monkeypatch.delenv("GPUVORONOI_COMMAND")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(package, "version", lambda: "")
    monkeypatch.setattr(program, "FOLDERS", {"posix": (), "win32": ()})
    yield monkeypatch
    ProcessingConfig.setSettingValue(SETTING, "")


@pytest.fixture
def desktop(qgis):
    """The plugin started in a QGIS with windows: a function that starts it, so that a test can prepare the state before."""
    from gpuvoronoi_processing.offer import SHOWN

    import gpuvoronoi_processing

    qgis.plugin.unload()
    QgsSettings().remove(SHOWN)
    started = []

    def start():
        while started:
            started.pop().unload()
        started.append(gpuvoronoi_processing.classFactory(Iface()))
        started[0].initGui()
        started[0].iface.plugin = started[0]
        return started[0].iface

    yield start
    for plugin in started:
        plugin.unload()
    QgsSettings().remove(SHOWN)
    qgis.plugin = gpuvoronoi_processing.classFactory(None)
    qgis.plugin.initProcessing()


def executable(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def deleted():
    """Objects that Qt should delete later are deleted."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()


def algorithm(name="voronoiraster"):
    return QgsApplication.processingRegistry().createAlgorithmById(f"gpuvoronoi:{name}")


def dialogs(iface):
    from gpuvoronoi_processing.offer import ProgramDialog

    deleted()
    return [dialog for dialog in iface.window.findChildren(ProgramDialog) if dialog.isVisible()]


def said(dialog):
    return dialog.findChild(QLabel, "gpuvoronoi_state").text()


def press(widget, words):
    (button,) = [button for button in widget.findChildren(QPushButton) if words in button.text()]
    button.click()


def test_first_start_tells(nowhere, desktop):
    """Once; and again when the program has been there meanwhile."""
    iface = desktop()
    assert "not installed" in iface.bar.currentItem().text()
    assert desktop().bar.currentItem() is None
    nowhere.setenv("GPUVORONOI_COMMAND", COMMAND)
    assert desktop().bar.currentItem() is None
    nowhere.delenv("GPUVORONOI_COMMAND")
    iface = desktop()
    press(iface.bar, "Install or search")
    (dialog,) = dialogs(iface)
    assert iface.bar.currentItem() is None and dialog.isModal()
    dialog.close()
    assert dialogs(iface) == []


def test_message_can_be_closed(nowhere, desktop):
    iface = desktop()
    iface.bar.clearWidgets()
    deleted()
    QDesktopServices.openUrl(QUrl("gpuvoronoi:program"))
    assert len(dialogs(iface)) == 1


def test_no_message_where_the_program_is(qgis, desktop):
    assert desktop().bar.currentItem() is None and algorithm().canExecute() == (True, "")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_refused_algorithms_lead_there(nowhere, desktop, name):
    """QGIS's own window shows the reason as HTML and opens what is clicked on."""
    iface = desktop()
    well, message = algorithm(name).canExecute()
    assert not well and "GPUVORONOI_COMMAND" in message
    (link,) = re.findall(r'<a href="([^"]*)">', message)
    from processing.gui.MessageDialog import MessageDialog

    window = MessageDialog()
    window.setMessage(message)
    window.openLink(QUrl(link))
    (dialog,) = dialogs(iface)
    assert "was not found" in said(dialog)


def test_scripts_get_plain_words(nowhere, desktop):
    """Where there are no windows there is no link."""
    desktop()
    assert "<" in algorithm().canExecute()[1]
    nowhere.undo()
    nowhere.delenv("GPUVORONOI_COMMAND")
    nowhere.setenv("PATH", "/nowhere")
    from gpuvoronoi_processing import package, program

    nowhere.setattr(package, "version", lambda: "")
    nowhere.setattr(program, "offered", False)
    assert "<" not in algorithm().canExecute()[1]


@pytest.mark.parametrize(
    "system,words",
    [
        (
            "linux",
            [
                "sudo apt install ./gpuvoronoi_",
                "cmake --preset release",
                "cmake --install build/release",
            ],
        ),
        ("darwin", ["brew install", "gdal proj", "cmake --preset release", "PATH"]),
        (
            "win32",
            [
                "The gpuvoronoi command is not available for Windows yet",
                "Windows Subsystem for Linux",
            ],
        ),
    ],
)
def test_dialog_explains(nowhere, desktop, system, words):
    """What people of this system do, and nothing of the others'."""
    nowhere.setattr(sys, "platform", system)
    iface = desktop()
    press(iface.bar, "Install or search")
    (dialog,) = dialogs(iface)
    shown = dialog.findChild(QTextBrowser).toPlainText()
    for word in words:
        assert word in shown, (word, shown)
    assert (
        "{" not in shown
        and ("brew" in shown) == (system == "darwin")
        and ("Subsystem" in shown) == (system == "win32")
    )


def test_looking_for_it(nowhere, desktop, work):
    """The first valid program: files that are not programs, only have its name, or fail are skipped."""
    from gpuvoronoi_processing import command, program

    plain = pathlib.Path(work.path("plain/gpuvoronoi"))
    plain.parent.mkdir()
    plain.write_text("no program")
    executable(work.path("other/gpuvoronoi"), "echo something else 1.0\n")
    executable(work.path("failing/gpuvoronoi"), "echo gpuvoronoi 0.1.0\nexit 1\n")
    right = executable(work.path("right/gpuvoronoi"), f"exec '{COMMAND}' \"$@\"\n")
    iface = desktop()
    press(iface.bar, "Install or search")
    (dialog,) = dialogs(iface)
    nowhere.setattr(program, "FOLDERS", {"posix": (work.path("[a-q]*"),), "win32": ()})
    press(dialog, "Search")
    assert "Not found in these folders" in said(dialog) and work.path("failing") in said(dialog)
    assert not algorithm().canExecute()[0]
    nowhere.setattr(
        program, "FOLDERS", {"posix": (work.path("nothing"), work.path("*")), "win32": ()}
    )
    press(dialog, "Search")
    assert said(dialog) == f"Found: {right}, version 1.0.0-rc1. The algorithms can be used now."
    assert command.find_program() == right and algorithm().canExecute() == (True, "")
    assert desktop().bar.currentItem() is None


def test_usual_places(qgis, monkeypatch, work):
    """Of QGIS's own environment first, then of the system, of Homebrew and conda, and of builds."""
    from gpuvoronoi_processing import program

    monkeypatch.setenv("HOME", str(work.directory))
    for folder in (
        ".local/bin",
        "miniconda3/envs/gis/bin",
        "gpuvoronoi/build/release",
        "src/gpuvoronoi-0.1.0/build/release",
    ):
        pathlib.Path(work.path(folder)).mkdir(parents=True)
    found = program.folders()
    assert (
        os.path.normpath(sys.prefix + "/bin") == found[0]
        and "/usr/bin" in found
        and len(set(found)) == len(found)
    )
    for folder in (
        ".local/bin",
        "miniconda3/envs/gis/bin",
        "gpuvoronoi/build/release",
        "src/gpuvoronoi-0.1.0/build/release",
    ):
        assert work.path(folder) in found


def test_showing_where_it_is(nowhere, desktop, work):
    from gpuvoronoi_processing import command

    iface = desktop()
    press(iface.bar, "Install or search")
    (dialog,) = dialogs(iface)
    other = executable(work.path("other <b>"), "echo something else\n")
    right = executable(work.path("program"), f"exec '{COMMAND}' \"$@\"\n")
    before = said(dialog)
    for chosen, words in (
        ("", before),
        (other, "“{}” is not the gpuvoronoi command, or cannot be started."),
        (right, "Found: {}, version 1.0.0-rc1."),
    ):
        nowhere.setattr(
            QFileDialog,
            "getOpenFileName",
            staticmethod(lambda *arguments, chosen=chosen: (chosen, "")),
        )
        press(dialog, "Choose the file")
        assert words.format(chosen.replace("<", "&lt;").replace(">", "&gt;")) in said(dialog)
    assert command.find_program() == right


def test_a_place_that_is_wrong_is_replaced(nowhere, desktop, work):
    """A setting of a program that is gone."""
    from gpuvoronoi_processing import command, program
    from processing.core.ProcessingConfig import ProcessingConfig

    right = executable(work.path("bin/gpuvoronoi"), f"exec '{COMMAND}' \"$@\"\n")
    iface = desktop()
    gone = executable(work.path("gone"), "")
    ProcessingConfig.setSettingValue(command.SETTING, gone)
    os.remove(gone)
    QDesktopServices.openUrl(QUrl("gpuvoronoi:program"))
    (dialog,) = dialogs(iface)
    assert gone in said(dialog)
    nowhere.setattr(program, "FOLDERS", {"posix": (work.path("bin"),), "win32": ()})
    press(dialog, "Search")
    assert command.find_program() == right


def test_nothing_is_left_behind(nowhere, desktop):
    """The message disappears with the plugin, and its links are disconnected."""
    from gpuvoronoi_processing import program

    iface = desktop()
    assert program.offered and iface.bar.currentItem() is not None
    iface.plugin.unload()
    deleted()
    assert iface.bar.currentItem() is None
    assert not QDesktopServices.openUrl(QUrl(program.LINK)) and dialogs(iface) == []
    assert not program.offered
