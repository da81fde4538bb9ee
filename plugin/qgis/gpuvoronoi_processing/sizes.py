"""Large results: how many cells or rows there will be is told beforehand, and in a window the user is asked."""

from qgis.core import QgsProcessingException
from qgis.PyQt.QtCore import QCoreApplication, QThread
from qgis.PyQt.QtWidgets import QMessageBox
from qgis.utils import iface

from .i18n import tr

MANY_CELLS, MANY_ROWS = 2 * 10**9, 10**8  # minutes, and gigabytes


def can_ask():
    """Whether there is a window, and the thread is the one of windows."""
    return iface is not None and QThread.currentThread() == QCoreApplication.instance().thread()


def is_wanted(text):
    """Asks the user."""
    buttons = QMessageBox.StandardButton
    answer = QMessageBox.question(
        iface.mainWindow(),
        "gpuvoronoi",
        f"{text}\n\n{tr('Compute all of them?')}",
        buttons.Yes | buttons.No,
    )
    return answer == buttons.Yes


def confirm(text, feedback):
    """Asks where that is possible; raises QgsProcessingException if the result is not wanted. The log has the text."""
    feedback.pushWarning(text)
    if can_ask() and not is_wanted(text):
        raise QgsProcessingException(tr("Not started: {}").format(text))
