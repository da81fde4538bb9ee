"""Opens a raster as people do, with the style beside it, and a vector layer: open_in_qgis.py JOB.json (raster, vector). Prints what QGIS
makes of them, as JSON."""

import qgis_script
from qgis.core import QgsRasterLayer, QgsVectorLayer

application, job = qgis_script.start()
raster = QgsRasterLayer(job["raster"], "raster", "gdal")
assert raster.isValid()
renderer = raster.renderer()
facts = {"type": renderer.type(), "band": renderer.usesBands(), "classes": {}}
if renderer.type() == "paletted":
    facts["classes"] = {
        str(int(c.value)): [c.label, c.color.red(), c.color.green(), c.color.blue()]
        for c in renderer.classes()
    }
vector = QgsVectorLayer(job["vector"], "vector", "ogr")
assert vector.isValid()
facts["vector"] = vector.renderer().type() if vector.renderer() is not None else None
qgis_script.end(facts)
