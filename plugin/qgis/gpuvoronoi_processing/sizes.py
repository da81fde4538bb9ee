"""Large results: the log has the number of cells or rows beforehand, and in a window the user confirms it."""

from qgis.core import QgsProcessingException
from qgis.PyQt.QtCore import QCoreApplication, QThread
from qgis.utils import iface

from .i18n import tr

MANY_CELLS, MANY_ROWS = 2 * 10**9, 10**8  # minutes, and gigabytes


def has_windows():
    """Whether there is a window, and the thread is the one of windows."""
    return iface is not None and QThread.currentThread() == QCoreApplication.instance().thread()


def is_wanted(text):
    """What the user says."""
    from .widgets import is_confirmed

    return is_confirmed(iface.mainWindow(), f"{text}\n\n{tr('Compute all of them?')}")


def confirm(text, feedback):
    """Of the user, where that is possible; raises QgsProcessingException if the result is not wanted."""
    feedback.pushWarning(text)
    if has_windows() and not is_wanted(text):
        raise QgsProcessingException(tr("Not started: {}").format(text))
