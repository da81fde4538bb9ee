"""An on-demand raster in a real QGIS: as a layer, rendered by its threads at any scale."""

import json
import os
import subprocess

import pytest
from osgeo import gdal

SCRIPT = """
import sys
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor
from qgis.core import *
QgsApplication.setPrefixPath("/usr", True)
application = QgsApplication([], False)
application.initQgis()
live, stored = [QgsRasterLayer(path, "nearest") for path in sys.argv[1:3]]
assert live.isValid() and live.dataProvider().xSize() == 1500 and live.crs() == stored.crs()
layers = []
for layer in (live, stored):
    ramp = QgsColorRampShader(0, 300)
    ramp.setColorRampItemList([QgsColorRampShader.ColorRampItem(i, QColor.fromHsv(i * 7 % 360, 200, 100 + i % 150)) for i in range(301)])
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(ramp)
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))

def render(layer, extent):
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setOutputSize(QSize(400, 200))
    settings.setExtent(extent)
    return QgsMapRendererParallelJob(settings)

extents = [QgsRectangle(x, y, x + w, y + w / 2) for x, y, w in ((-48, -24, 96), (-3, 10, 48), (20, 5, 96), (100, 40, 48))]
jobs = [render(layer, extent) for extent in extents for layer in (live, stored)]
for job in jobs:
    job.start()
for job in jobs:
    job.waitForFinished()
pictures = [job.renderedImage() for job in jobs]
print([pictures[i] == pictures[i + 1] for i in range(0, len(pictures), 2)], len(pictures[0].convertToFormat(3).colorTable()) > 20)
whole = render(live, live.extent())
whole.start()
whole.waitForFinished()
whole.renderedImage().save(sys.argv[3])
stopped = render(live, live.extent())
stopped.start()
stopped.cancel()
print("errors", [str(error.message) for job in jobs + [whole] for error in job.errors()])
del jobs, job, whole, stopped, live, stored, layers, layer
application.exitQgis()
"""


def test_rendering(sources):
    """Pictures of it are those of the command's raster, where that is looked at cell by cell."""
    done = subprocess.run(["/usr/bin/python3", "-c", "import qgis.core"], capture_output=True)
    if done.returncode != 0:
        pytest.skip("no QGIS (apt-get install python3-qgis)")
    sources.write("d.voronoi.json", json.dumps({"seeds": "globe.csv", "size": [1500, 750]}))
    sources.ok("--config", "d.voronoi.json", "d.tif")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(sources.directory),
        "XDG_RUNTIME_DIR": str(sources.directory),
    }
    picture = os.environ.get("GPUVORONOI_PICTURE", str(sources.path("whole.png")))
    done = subprocess.run(
        [
            "/usr/bin/python3",
            "-c",
            SCRIPT,
            str(sources.path("d.voronoi.json")),
            str(sources.path("d.tif")),
            picture,
        ],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[True, True, True, True] True", "errors []"]
    assert gdal.Open(picture).RasterXSize == 400
