"""The windows of program.py: a message at the first start without the program, and a dialog that helps to get it."""

import html

from qgis.core import Qgis, QgsSettings
from qgis.PyQt.QtCore import QObject, Qt, QUrl, pyqtSlot
from qgis.PyQt.QtGui import QDesktopServices, QGuiApplication
from qgis.PyQt.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
)

from . import about, program
from .i18n import tr

SHOWN = "gpuvoronoi/told_that_the_program_is_missing"


class ProgramDialog(QDialog):
    """Shows how to install the program, searches for it, or lets the user choose its file."""

    def __init__(self, parent=None):
        super().__init__(parent)
        self.setObjectName("gpuvoronoi_program")
        self.setWindowTitle(tr("The gpuvoronoi command"))
        self.setWindowIcon(about.icon("gpuvoronoi"))
        self.resize(680, 460)
        text = QTextBrowser()
        text.setOpenExternalLinks(True)
        text.setHtml(
            tr("<p>The algorithms run the gpuvoronoi command, which is not part of QGIS.</p>")
            + program.how_to_install()
        )
        self.state = QLabel()
        self.state.setObjectName("gpuvoronoi_state")
        self.state.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        look = buttons.addButton(tr("Search"), QDialogButtonBox.ButtonRole.ActionRole)
        look.clicked.connect(self.look)
        copy = buttons.addButton(
            tr("Copy the line for pip"), QDialogButtonBox.ButtonRole.ActionRole
        )
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(program.pip_line()))
        choose = buttons.addButton(tr("Choose the file…"), QDialogButtonBox.ButtonRole.ActionRole)
        choose.clicked.connect(self.choose)
        layout = QVBoxLayout(self)
        for widget in (text, self.state, buttons):
            layout.addWidget(widget)
        self.show_text(program.why_missing() or program.what_computes())

    def show_text(self, text):
        self.state.setText(html.escape(text))

    def take(self, path, version):
        program.use(path)
        self.show_text(
            tr("Found: {path}, version {version}. The algorithms can be used now.").format(
                path=path, version=version
            )
        )

    def look(self):
        path, version = program.look()
        if path:
            self.take(path, version)
        else:
            self.show_text(
                tr("Not found in these folders: {}").format(", ".join(program.folders()))
            )

    def choose(self):
        path, _ = QFileDialog.getOpenFileName(self, tr("The gpuvoronoi command"))
        if not path:
            return
        version = program.version(path)
        if version and program.why_too_old(path):
            self.show_text(program.why_too_old(path))
        elif version:
            self.take(path, version)
        else:
            self.show_text(
                tr("“{}” is not the gpuvoronoi command, or cannot be started.").format(path)
            )


class Offer(QObject):
    """The dialog, reachable by a message at the first start without the program, and from what algorithms say then."""

    def __init__(self, iface):
        super().__init__()
        self.iface = iface
        self.message = None
        self.dialog = None
        QDesktopServices.setUrlHandler(program.LINK.partition(":")[0], self.open_link)
        program.offered = True
        self.greet()

    def greet(self):
        """Once, until the program has been there and is gone again."""
        settings = QgsSettings()
        if not program.why_missing():
            settings.remove(SHOWN)
        elif not settings.value(SHOWN, False, type=bool):
            settings.setValue(SHOWN, True)
            bar = self.iface.messageBar()
            self.message = bar.createMessage(
                "gpuvoronoi",
                tr("The gpuvoronoi command, which the algorithms run, is not installed."),
            )
            self.message.destroyed.connect(self.forget)  # it may be closed, too
            button = QPushButton(tr("Install or search…"))
            button.setObjectName("gpuvoronoi_offer")
            button.clicked.connect(self.open)
            self.message.layout().addWidget(button)
            bar.pushWidget(self.message, Qgis.MessageLevel.Warning)

    def forget(self, *_):
        self.message = None

    def take_back(self):
        if self.message is not None:
            self.iface.messageBar().popWidget(self.message)

    @pyqtSlot(QUrl)
    def open_link(self, url):
        self.open()

    def open(self, *_):
        """In front of QGIS's window about the algorithm, which waits for an answer of its own."""
        self.take_back()
        if self.dialog is None:
            # Without this reference the Python part of the dialog is deleted with the wrapper of QGIS's window, and its
            # slots with it.
            self.dialog = ProgramDialog(self.iface.mainWindow())
            self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.dialog.setModal(True)
            self.dialog.finished.connect(self.close)
        self.dialog.show()
        self.dialog.raise_()

    def close(self, *_):
        """Releases the dialog, which Qt deletes when it is closed."""
        self.dialog = None

    def remove(self):
        if self.dialog is not None:
            self.dialog.close()
        program.offered = False
        QDesktopServices.unsetUrlHandler(program.LINK.partition(":")[0])
        self.take_back()
