"""Opens a raster as people do, with the style beside it, and a vector layer: open_in_qgis.py JOB.json (raster, vector). Prints what QGIS
makes of them, as JSON."""

import json
import os
import sys
import tempfile

os.environ["QT_QPA_PLATFORM"] = "offscreen"
scratch = tempfile.mkdtemp()
os.environ["XDG_RUNTIME_DIR"] = os.environ["QGIS_CUSTOM_CONFIG_PATH"] = scratch

from qgis.core import QgsApplication, QgsRasterLayer, QgsVectorLayer

with open(sys.argv[1]) as file:
    job = json.load(file)
application = QgsApplication([], False)
application.initQgis()
raster = QgsRasterLayer(job["raster"], "raster", "gdal")
assert raster.isValid()
renderer = raster.renderer()
facts = {"type": renderer.type(), "band": renderer.usesBands(), "classes": {}}
if renderer.type() == "paletted":
    facts["classes"] = {str(int(c.value)): [c.label, c.color.red(), c.color.green(), c.color.blue()] for c in renderer.classes()}
vector = QgsVectorLayer(job["vector"], "vector", "ogr")
assert vector.isValid()
facts["vector"] = vector.renderer().type() if vector.renderer() is not None else None
print("FACTS " + json.dumps(facts), flush=True)
os._exit(0)  # QGIS 3.22 does not always survive its own tidying up
