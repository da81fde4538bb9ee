"""
The plugin: it adds its provider to Processing and its functions to expressions, and removes them. It works without
windows (iface may be None).
"""

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication

from . import command, driver
from .expressions import Functions
from .i18n import install_translator
from .provider import GpuvoronoiProvider


class GpuvoronoiPlugin:
    def __init__(self, iface):
        self.iface = iface
        self.provider = None
        self.functions = None
        self.offer = None
        self.translator = install_translator()

    def initProcessing(self):
        self.provider = GpuvoronoiProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)
        self.functions = Functions()
        QCoreApplication.instance().aboutToQuit.connect(command.stop_all)
        driver.load()  # projects may have on-demand rasters

    def initGui(self):
        self.initProcessing()
        if self.iface is not None:
            from .offer import Offer

            self.offer = Offer(self.iface)

    def unload(self):
        command.stop_all()
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
        if self.functions is not None:
            self.functions.remove()
            self.functions = None
        if self.offer is not None:
            self.offer.remove()
            self.offer = None
        if self.translator is not None:
            QCoreApplication.removeTranslator(self.translator)
            self.translator = None
