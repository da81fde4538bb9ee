"""How results look when they are loaded."""

import numpy as np
from conftest import gdal, loading_context, memory, places, read, timezones
from qgis.core import (
    QgsColorRampShader,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsPalettedRasterRenderer,
    QgsProject,
    QgsRasterLayer,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtCore import QSize


def load(qgis, name, output="OUTPUT", **parameters):
    """Runs, and loads an output as the toolbox does."""
    from processing.gui.Postprocessing import handleAlgorithmResults
    from qgis.core import QgsApplication

    context = loading_context()
    algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"gpuvoronoi:{name}")
    from conftest import Feedback
    from qgis.core import QgsProcessingOutputLayerDefinition

    for key, value in parameters.items():
        if isinstance(value, str) and value.endswith(".tif"):
            parameters[key] = QgsProcessingOutputLayerDefinition(value, QgsProject.instance())
    feedback = Feedback()
    results, well = algorithm.run(parameters, context, feedback)
    assert well, feedback.errors
    assert handleAlgorithmResults(algorithm, context, feedback, False, parameters)
    return next(layer for layer in QgsProject.instance().mapLayers().values() if layer.source() == results[output])


def legend(layer):
    from qgis.core import QgsLayerTreeLayer, QgsMapLayerLegend

    node = QgsLayerTreeLayer(layer)
    return QgsMapLayerLegend.defaultRasterLegend(layer).createLayerTreeModelLegendNodes(node)


def colours_as_drawn(layer, size):
    """The layer drawn with one pixel a cell: size[1] x size[0] x 3."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setExtent(layer.extent())
    settings.setOutputSize(QSize(*size))
    settings.setFlag(QgsMapSettings.Flag.Antialiasing, False)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage().convertToFormat(job.renderedImage().Format.Format_RGB32)
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bits, np.uint8).reshape(size[1], size[0], 4)[..., 2::-1].astype(int)


def check_drawn(layer, path):
    """Every cell has the colour of the attribute table, and regions that touch differ plainly."""
    ids = read(path)
    table = gdal.Open(path)
    band = table.GetRasterBand(1)
    rat = band.GetDefaultRAT()
    columns = [rat.GetColOfUsage(usage) for usage in (gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)]
    colours = {rat.GetValueAsInt(row, 0): [rat.GetValueAsInt(row, c) for c in columns] for row in range(rat.GetRowCount())}
    drawn = colours_as_drawn(layer, ids.shape[::-1])
    wanted = np.array([[colours[value] for value in row] for row in ids.tolist()])
    assert np.abs(drawn - wanted).max() <= 1
    edges = ids[:, 1:] != ids[:, :-1]
    difference = np.abs(drawn[:, 1:] - drawn[:, :-1]).sum(axis=2)[edges]
    assert difference.min() > 20


def test_few_seeds_have_a_legend(qgis, work):
    layer = load(qgis, "voronoiraster", INPUT=memory(places(12)), FIELD="name", RESOLUTION=2, OUTPUT=work.path("out.tif"))
    assert layer.name() == "Nearest of seeds"
    assert isinstance(layer.renderer(), QgsPalettedRasterRenderer)
    assert [c.label for c in layer.renderer().classes()] == [f"seed {i}" for i in range(12)]
    assert len(legend(layer)) <= 14
    check_drawn(layer, work.path("out.tif"))


def test_many_seeds_have_a_short_legend(qgis, work):
    layer = load(qgis, "voronoiraster", INPUT=timezones(), RESOLUTION=1, OUTPUT=work.path("out.tif"))
    assert layer.name() == "Nearest of Time zones"
    assert isinstance(layer.renderer(), QgsSingleBandPseudoColorRenderer)
    assert len(layer.renderer().shader().rasterShaderFunction().colorRampItemList()) == 418
    assert len(legend(layer)) <= 3
    check_drawn(layer, work.path("out.tif"))


def test_ids_far_apart(qgis, work):
    """Ids of 64 bits keep their own colours."""
    rows = [(2**40 + 7 * i, f"seed {i}") for i in range(50)]
    layer = load(qgis, "voronoiraster", INPUT=memory(places(50), fields="id:long,name:string", rows=rows), FIELD="id", RESOLUTION=2,
                 OUTPUT=work.path("out.tif"))
    items = layer.renderer().shader().rasterShaderFunction().colorRampItemList()
    assert [item.value for item in items] == [row[0] for row in rows]


def test_more_seeds_than_the_table_holds(qgis, work):
    layer = load(qgis, "voronoiraster", INPUT=memory(places(66000)), RESOLUTION=0.5, METRIC=2, OUTPUT=work.path("out.tif"))
    shader = layer.renderer().shader().rasterShaderFunction()
    assert shader.colorRampType() == QgsColorRampShader.Type.Interpolated
    assert len(shader.colorRampItemList()) == 65536 and len(legend(layer)) <= 3
    drawn = colours_as_drawn(layer, (720, 360))
    ids = read(work.path("out.tif"))
    edges = ids[:, 1:] != ids[:, :-1]
    assert np.mean(np.abs(drawn[:, 1:] - drawn[:, :-1]).sum(axis=2)[edges] > 20) > 0.97


def test_mesh_raster_is_styled(qgis, work):
    layer = load(qgis, "qtmvoronoi", INPUT=timezones(), LEVEL=5, OUTPUT=work.path("out.tif"))
    assert layer.name() == "Nearest of Time zones, QTM level 5"
    check_drawn(layer, work.path("out.tif"))


def test_results_that_are_not_loaded(qgis, work):
    qgis.run("voronoiraster", INPUT=timezones(), RESOLUTION=2, OUTPUT=work.path("out.tif"))
    assert QgsProject.instance().mapLayers() == {}
    assert QgsRasterLayer(work.path("out.tif")).isValid()
