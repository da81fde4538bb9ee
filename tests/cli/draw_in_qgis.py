"""Opens a UGRID mesh in QGIS and draws it, without a display: draw_in_qgis.py JOB.json, run with the system's python3.

The job: mesh (file), dataset (name of what to paint by), colors ({value: [r, g, b]}), size ([w, h]), extent ([xmin,
ymin, xmax, ymax]), crs, png (file to write), edges (bool). Prints what QGIS makes of the mesh, as JSON.
"""

import qgis_script
from qgis.core import (
    QgsColorRampShader,
    QgsCoordinateReferenceSystem,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsMeshLayer,
    QgsMeshRendererScalarSettings,
    QgsRectangle,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor


def describe(layer):
    provider = layer.dataProvider()
    groups = {}
    for g in range(provider.datasetGroupCount()):
        meta = provider.datasetGroupMetadata(g)
        groups[meta.name()] = {
            "index": g,
            "minimum": meta.minimum(),
            "maximum": meta.maximum(),
            "on_faces": meta.dataType() == 0,
            "units": meta.extraOptions().get("units", ""),
        }
    return {
        "valid": layer.isValid(),
        "vertices": provider.vertexCount(),
        "faces": provider.faceCount(),
        "crs": layer.crs().authid(),
        "geographic": layer.crs().isGeographic(),
        "groups": groups,
    }


def paint(layer, group, colors, edges):
    shader = QgsColorRampShader()
    shader.setColorRampType(QgsColorRampShader.Exact)
    shader.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(float(value), QColor(*color), value)
            for value, color in colors.items()
        ]
    )
    values = [float(value) for value in colors]
    shader.setMinimumValue(min(values))
    shader.setMaximumValue(max(values))
    scalar = QgsMeshRendererScalarSettings()
    scalar.setColorRampShader(shader)
    scalar.setClassificationMinimumMaximum(min(values), max(values))
    settings = layer.rendererSettings()
    settings.setScalarSettings(group, scalar)
    settings.setActiveScalarDatasetGroup(group)
    mesh = settings.nativeMeshSettings()
    mesh.setEnabled(edges)
    mesh.setLineWidth(0.1)
    mesh.setColor(QColor(40, 40, 40))
    settings.setNativeMeshSettings(mesh)
    layer.setRendererSettings(settings)


def draw(layer, job):
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem(job["crs"]))
    settings.setExtent(QgsRectangle(*job["extent"]))
    settings.setOutputSize(QSize(*job["size"]))
    settings.setBackgroundColor(QColor(255, 255, 255))
    settings.setFlag(QgsMapSettings.Antialiasing, job.get("edges", False))
    renderer = QgsMapRendererParallelJob(settings)
    renderer.start()
    renderer.waitForFinished()
    return renderer.renderedImage().save(job["png"])


application, job = qgis_script.start()
layer = QgsMeshLayer(job["mesh"], "mesh", "mdal")
facts = describe(layer)
if facts["valid"] and "png" in job:
    paint(layer, facts["groups"][job["dataset"]]["index"], job["colors"], job.get("edges", False))
    facts["drawn"] = draw(layer, job)
qgis_script.end(facts)
