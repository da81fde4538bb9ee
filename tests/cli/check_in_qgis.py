"""Looks at the polygons of a vector layer with QGIS's and GEOS's validity checks: check_in_qgis.py JOB.json, where the
job has the layer's file. Prints what was found, as JSON."""

import qgis_script
from qgis.core import QgsGeometry, QgsRectangle, QgsVectorLayer

application, job = qgis_script.start()
layer = QgsVectorLayer(job["layer"], "triangles", "ogr")
assert layer.isValid()
facts = {"features": 0, "invalid": [], "invalid_geos": [], "outside": [], "area": 0.0}
world = QgsRectangle(-180, -90, 180, 90)
for feature in layer.getFeatures():
    shape = feature.geometry()
    facts["features"] += 1
    facts["area"] += shape.area()
    # The check that Processing's checkvalidity makes, by either of its methods.
    if shape.validateGeometry(QgsGeometry.ValidatorQgisInternal):
        facts["invalid"].append(feature["id"])
    if shape.validateGeometry(QgsGeometry.ValidatorGeos) or not shape.isGeosValid():
        facts["invalid_geos"].append(feature["id"])
    if not world.contains(shape.boundingBox()):
        facts["outside"].append(feature["id"])
qgis_script.end(facts)
