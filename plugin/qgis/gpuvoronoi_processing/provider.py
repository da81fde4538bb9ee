"""The provider: the list of algorithms, and the setting with the path of the command."""

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsProcessingProvider

from .about import icon, metadata
from .algorithms import ALGORITHMS
from .command import SETTING, VARIABLE
from .i18n import tr


class GpuvoronoiProvider(QgsProcessingProvider):
    def id(self):
        return "gpuvoronoi"

    def name(self):
        return "gpuvoronoi"

    def longName(self):
        return tr("gpuvoronoi: exact nearest neighbors and Voronoi diagrams")

    def icon(self):
        return icon("gpuvoronoi")

    def versionInfo(self):
        return metadata("version")

    def load(self):
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        ProcessingConfig.addSetting(
            Setting(
                self.name(),
                SETTING,
                tr(
                    "The gpuvoronoi command (empty: the environment variable {}, then the PATH)"
                ).format(VARIABLE),
                "",
                valuetype=Setting.FILE,
            )
        )
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        ProcessingConfig.removeSetting(SETTING)

    def loadAlgorithms(self):
        for algorithm in ALGORITHMS:
            self.addAlgorithm(algorithm())
