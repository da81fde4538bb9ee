"""script.py SEEDS OUT.tif: how a script uses the algorithms; the one in docs/qgis.md."""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, "/usr/share/qgis/python/plugins")
sys.path.insert(0, os.environ["QGIS_PLUGINPATH"])

from osgeo import gdal
from qgis.core import QgsApplication

application = QgsApplication([], False)
application.initQgis()
from processing.core.Processing import Processing

Processing.initialize()
import gpuvoronoi_processing
import processing

plugin = gpuvoronoi_processing.classFactory(None)
plugin.initProcessing()

result = processing.run(
    "gpuvoronoi:voronoiraster", {"INPUT": sys.argv[1], "RESOLUTION": 0.25, "OUTPUT": sys.argv[2]}
)
dataset = gdal.Open(result["OUTPUT"])
regions = dataset.GetRasterBand(1).GetDefaultRAT().GetRowCount()
print(f"{dataset.GetMetadataItem('GPUVORONOI_SEED_COUNT')} seeds, {regions} regions")

dataset = None  # GDAL ends with QGIS
application.exitQgis()
