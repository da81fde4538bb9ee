"""How results look when they are loaded."""

import math
import os

import numpy as np
import pytest
from conftest import Feedback, gdal, loading_context, memory, places, read, timezones
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsCategorizedSymbolRenderer,
    QgsColorRampShader,
    QgsLayerTreeLayer,
    QgsLayerTreeModel,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsPalettedRasterRenderer,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRasterLayer,
    QgsSingleSymbolRenderer,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtCore import QSize


def load(qgis, name, output="OUTPUT", **parameters):
    """Runs, and loads an output as the toolbox does."""
    from processing.gui.Postprocessing import handleAlgorithmResults

    context = loading_context()
    algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"gpuvoronoi:{name}")
    for key, value in parameters.items():
        if isinstance(value, str) and algorithm.parameterDefinition(key).isDestination():
            if not value.endswith(".nc"):
                parameters[key] = QgsProcessingOutputLayerDefinition(value, QgsProject.instance())
    load.feedback = feedback = Feedback()
    results, well = algorithm.run(parameters, context, feedback)
    assert well, feedback.errors
    assert handleAlgorithmResults(algorithm, context, feedback, parameters=parameters)
    sources = {
        layer.source().split("|")[0]: layer for layer in QgsProject.instance().mapLayers().values()
    }
    return sources[results[output]]


def identified(layer, x, y):
    """What the Identify tool shows of a raster at a place."""
    from qgis.gui import QgsMapCanvas, QgsMapToolIdentify

    canvas = QgsMapCanvas()
    canvas.resize(360, 180)
    canvas.setDestinationCrs(layer.crs())
    canvas.setExtent(layer.extent())
    canvas.setLayers([layer])
    pixel = canvas.getCoordinateTransform().transform(x, y)
    tool = QgsMapToolIdentify(canvas)
    (found,) = tool.identify(
        round(pixel.x()),
        round(pixel.y()),
        [layer],
        QgsMapToolIdentify.IdentifyMode.DefaultQgsSetting,
    )
    return found.mAttributes


def legend(layer):
    node = QgsLayerTreeLayer(layer)
    return layer.legend().createLayerTreeModelLegendNodes(node)


def colors_as_drawn(layer, size):
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
    """Every cell has the color of the attribute table, and regions that touch differ plainly."""
    ids = read(path)
    table = gdal.Open(path)
    band = table.GetRasterBand(1)
    rat = band.GetDefaultRAT()
    columns = [rat.GetColOfUsage(usage) for usage in (gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)]
    colors = {
        rat.GetValueAsInt(row, 0): [rat.GetValueAsInt(row, c) for c in columns]
        for row in range(rat.GetRowCount())
    }
    if isinstance(
        layer.renderer(), QgsPalettedRasterRenderer
    ):  # a legend, in which no color repeats
        colors = {made.value: made.color.getRgb()[:3] for made in layer.renderer().classes()}
    drawn = colors_as_drawn(layer, ids.shape[::-1])
    wanted = np.array([[colors[value] for value in row] for row in ids.tolist()])
    assert np.abs(drawn - wanted).max() <= 1
    edges = ids[:, 1:] != ids[:, :-1]
    difference = np.abs(drawn[:, 1:] - drawn[:, :-1]).sum(axis=2)[edges]
    assert difference.min() > 20


def test_few_seeds_have_a_legend(qgis, work):
    layer = load(
        qgis,
        "voronoiraster",
        INPUT=memory(places(12)),
        FIELD="name",
        RESOLUTION=2,
        OUTPUT=work.path("out.tif"),
    )
    assert layer.name() == "Nearest of seeds"
    assert isinstance(layer.renderer(), QgsPalettedRasterRenderer)
    assert [c.label for c in layer.renderer().classes()] == [f"seed {i}" for i in range(12)]
    assert len(legend(layer)) <= 14
    check_drawn(layer, work.path("out.tif"))


def test_each_seed_of_a_legend_has_its_own_color(qgis, work):
    for count in (27, 30):
        layer = load(
            qgis,
            "voronoiraster",
            INPUT=memory(places(count)),
            FIELD="name",
            RESOLUTION=2,
            OUTPUT=work.path(f"{count}.tif"),
        )
        colors = [c.color.getRgb()[:3] for c in layer.renderer().classes()]
        assert len(set(colors)) == count
        assert min(math.dist(a, b) for i, a in enumerate(colors) for b in colors[:i]) > 20


class Thread:
    """The context of an algorithm in a thread of its own: gone by the time that results are loaded."""

    def __init__(self):
        self.alive, self.processor, self.name = True, None, ""

    def __getattribute__(self, name):
        assert object.__getattribute__(self, "alive"), "this context is gone"
        return object.__getattribute__(self, name)

    def willLoadLayerOnCompletion(self, output):
        return True

    def layerToLoadOnCompletionDetails(self, output):
        return self

    def setPostProcessor(self, processor):
        self.processor = processor


def test_the_context_of_the_algorithm_is_gone(qgis, work):
    """QGIS 3.40 died of it."""
    from gpuvoronoi_processing import styles

    layers = {
        "raster": ("out.tif", styles.allocation),
        "distance": ("d.tif", styles.distance),
        "azimuth": ("a.tif", styles.azimuth),
    }
    qgis.run(
        "voronoiraster",
        INPUT=timezones(),
        RESOLUTION=5,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("d.tif"),
        AZIMUTH=work.path("a.tif"),
    )
    for name, (path, paint) in layers.items():
        thread, layer = Thread(), QgsRasterLayer(work.path(path), name)
        QgsProject.instance().addMapLayer(layer)
        paint(thread, work.path(path), "a name", name)
        processor, thread.alive = thread.processor, False
        processor.postProcessLayer(layer, loading_context(), Feedback())
        assert isinstance(layer.renderer(), QgsSingleBandPseudoColorRenderer)


def test_styles_of_people_stay(qgis, work):
    """What they have put beside the output, as "Save as default style" does, is how it looks."""
    parameters = {
        "INPUT": memory(places(12)),
        "RESOLUTION": 5,
        "OUTPUT": work.path("out.tif"),
        "DISTANCE": work.path("distance.tif"),
    }
    first = load(qgis, "voronoiraster", **parameters)
    renderer = first.renderer().clone()
    renderer.setOpacity(0.25)
    first.setRenderer(renderer)
    assert first.saveNamedStyle(work.path("out.qml"))[1]
    QgsProject.instance().clear()
    del first, renderer
    again = load(qgis, "voronoiraster", **parameters)
    assert again.renderer().opacity() == 0.25
    distance = QgsProject.instance().mapLayersByName("Distance to seeds (m)")[0]
    assert (
        isinstance(distance.renderer(), QgsSingleBandPseudoColorRenderer)
        and distance.renderer().opacity() == 1
    )


def legend_in_the_tree(layer):
    """What the tree of layers shows of a layer."""
    root = QgsProject.instance().layerTreeRoot()
    model = QgsLayerTreeModel(root)  # must outlive its nodes
    return [node.data(0) for node in model.layerLegendNodes(root.findLayer(layer.id()))]


def test_no_striped_bar(qgis, work):
    """A bar of 418 colors says nothing; one of distances does."""
    layer = load(
        qgis,
        "voronoiraster",
        INPUT=timezones(),
        RESOLUTION=2,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("d.tif"),
    )
    assert legend_in_the_tree(layer) == []
    assert (
        len(
            legend_in_the_tree(
                QgsProject.instance().mapLayersByName("Distance to Time zones (m)")[0]
            )
        )
        == 2
    )
    QgsProject.instance().write(work.path("p.qgs"))
    QgsProject.instance().read(work.path("p.qgs"))
    assert (
        legend_in_the_tree(QgsProject.instance().mapLayersByName("Nearest of Time zones")[0]) == []
    )


def test_legend_of_distances_is_of_all_cells(qgis, work):
    """More cells than QGIS looks at by default."""
    layer = load(
        qgis,
        "voronoiraster",
        "DISTANCE",
        INPUT=memory([(20.03, 30.01)]),
        RESOLUTION=0.15,
        METRIC=2,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
    )
    distances = read(work.path("distance.tif"))
    assert distances.size > 2500000
    ramp = layer.renderer().shader().rasterShaderFunction()
    assert (ramp.minimumValue(), ramp.maximumValue()) == (distances.min(), distances.max())


def test_results_of_the_mesh_have_names_of_their_own(qgis, work):
    load(
        qgis,
        "qtmvoronoi",
        INPUT=timezones(),
        LEVEL=3,
        OUTPUT=work.path("out.tif"),
        CELLS=work.path("cells.gpkg"),
        MESH=work.path("mesh.nc"),
    )
    assert sorted(layer.name() for layer in QgsProject.instance().mapLayers().values()) == [
        "Mesh of the nearest of Time zones, QTM level 3",
        "Nearest of Time zones, QTM level 3",
        "Triangles by the nearest of Time zones, QTM level 3",
    ]


@pytest.mark.parametrize("count,size", [(150, 1.4), (1500, 0.7), (6000, 0.4)])
def test_points_of_statistics_do_not_hide_regions(qgis, work, count, size):
    layer = load(
        qgis,
        "facilitystatistics",
        INPUT=memory(places(count)),
        RESOLUTION=10,
        OUTPUT=work.path("s.gpkg"),
    )
    symbol = layer.renderer().symbol()
    assert symbol.size() == size and layer.name() == "Statistics of seeds"


@pytest.mark.parametrize("geometry", [0, 1])
def test_cells(qgis, work, geometry):
    """Cells, or discs as wide as they are, of the color of their seed; a legend while there are few."""
    layer = load(
        qgis,
        "cells",
        INPUT=memory(places(5)),
        FIELD="name",
        LEVEL=3,
        SYSTEM=2,
        GEOMETRY=geometry,
        ATTRIBUTES=True,
        OUTPUT=work.path("few.gpkg"),
    )
    assert (
        layer.name() == "Nearest of seeds, S2 level 3"
        and layer.displayExpression() == '"seed_name"'
    )
    categories = layer.renderer().categories()
    assert [category.label() for category in categories] == [f"seed {i}" for i in range(5)]
    assert len({category.symbol().color().name() for category in categories}) == 5
    if geometry == 1:
        assert categories[0].symbol().size() == pytest.approx(math.sqrt(5.1e14 / 384))
    out = work.path("many.gpkg")
    layer = load(qgis, "cells", INPUT=timezones(), LEVEL=5, GEOMETRY=geometry, OUTPUT=out)
    assert isinstance(layer.renderer(), QgsSingleSymbolRenderer)
    drawn = colors_as_drawn(layer, (360, 180))
    near = {
        feature["seed"]
        for feature in layer.getFeatures()
        if abs(feature["lon"]) < 170 and abs(feature["lat"]) < 60
    }
    assert len(near) > 100 and len(np.unique(drawn.reshape(-1, 3), axis=0)) > 100
    assert (drawn[30:150].reshape(-1, 3).min(axis=1) == 255).mean() < (
        0.4 if geometry == 1 else 0.01
    )  # discs leave little white


@pytest.mark.skipif(
    Qgis.QGIS_VERSION_INT < 33000, reason="this QGIS does not read attribute tables of rasters"
)
@pytest.mark.parametrize("count", [6, 60])
def test_identify_shows_the_name(qgis, work, count):
    """Painted by a list of seeds or by a ramp."""
    seeds = places(count)
    layer = load(
        qgis,
        "voronoiraster",
        INPUT=memory(seeds),
        FIELD="id",
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
    )
    assert identified(layer, *seeds[3]) == {
        "Band 1: id of the nearest seed": "103",
        "Name": "seed 3",
    }


def test_many_seeds_have_a_short_legend(qgis, work):
    layer = load(
        qgis, "voronoiraster", INPUT=timezones(), RESOLUTION=1, OUTPUT=work.path("out.tif")
    )
    assert layer.name() == "Nearest of Time zones"
    assert isinstance(layer.renderer(), QgsSingleBandPseudoColorRenderer)
    assert (
        len(layer.renderer().shader().rasterShaderFunction().colorRampItemList()) == 417
    )  # of 418 seeds one has no cell
    assert len(legend(layer)) <= 3
    check_drawn(layer, work.path("out.tif"))


def test_ids_far_apart(qgis, work):
    """Ids of 64 bits keep their own colors."""
    rows = [(2**40 + 7 * i, f"seed {i}") for i in range(50)]
    layer = load(
        qgis,
        "voronoiraster",
        INPUT=memory(places(50), fields="id:long,name:string", rows=rows),
        FIELD="id",
        RESOLUTION=2,
        OUTPUT=work.path("out.tif"),
    )
    items = layer.renderer().shader().rasterShaderFunction().colorRampItemList()
    assert [item.value for item in items] == [row[0] for row in rows]


def test_more_seeds_than_the_table_holds(qgis, work):
    """Colors all the same, a warning that there are no names, and a project that stays small."""
    count = 66000
    regions = load(
        qgis,
        "voronoiraster",
        "POLYGONS",
        INPUT=memory(places(count)),
        RESOLUTION=0.5,
        METRIC=2,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    (warning,) = [text for text in load.feedback.warnings if "colors" in text]
    assert (
        warning.startswith("The raster has no table of names and colors.")
        and "66000 seeds are more than its 65535 rows" in warning
    )
    layer = QgsProject.instance().mapLayersByName("Nearest of seeds")[0]
    shader = layer.renderer().shader().rasterShaderFunction()
    assert shader.colorRampType() == QgsColorRampShader.Type.Interpolated
    assert len(shader.colorRampItemList()) == 8192 and len(legend(layer)) <= 3
    drawn = colors_as_drawn(layer, (720, 360))
    ids = read(work.path("out.tif"))
    edges = ids[:, 1:] != ids[:, :-1]
    assert np.mean(np.abs(drawn[:, 1:] - drawn[:, :-1]).sum(axis=2)[edges] > 20) > 0.93
    # Polygons have a color made of their id.
    drawn = colors_as_drawn(regions, (720, 360))
    assert np.mean(np.abs(drawn[:, 1:] - drawn[:, :-1]).sum(axis=2)[edges] > 20) > 0.93
    assert regions.displayExpression() == '"name"'
    QgsProject.instance().write(work.path("p.qgs"))
    assert os.path.getsize(work.path("p.qgs")) < 1500000


def test_projects_stay_small(qgis, work):
    load(
        qgis,
        "voronoiraster",
        INPUT=memory(places(20000)),
        RESOLUTION=0.5,
        METRIC=2,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    QgsProject.instance().write(work.path("p.qgs"))
    assert os.path.getsize(work.path("p.qgs")) < 1500000
    assert not any("no table" in text for text in load.feedback.warnings)


def test_mesh_raster_is_styled(qgis, work):
    layer = load(qgis, "qtmvoronoi", INPUT=timezones(), LEVEL=5, OUTPUT=work.path("out.tif"))
    assert layer.name() == "Nearest of Time zones, QTM level 5"
    check_drawn(layer, work.path("out.tif"))


def test_distances_are_a_ramp_with_their_unit(qgis, work):
    layer = load(
        qgis,
        "voronoiraster",
        "DISTANCE",
        INPUT=timezones(),
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
    )
    assert layer.name() == "Distance to Time zones (m)"
    ramp = layer.renderer().shader().rasterShaderFunction()
    distances = read(work.path("distance.tif"))
    assert ramp.minimumValue() == distances.min() and ramp.maximumValue() == distances.max()
    assert ramp.legendSettings().suffix() == " m" and len(legend(layer)) <= 3
    drawn = colors_as_drawn(layer, distances.shape[::-1])
    nearest, farthest = (
        np.unravel_index(f(distances), distances.shape) for f in (np.argmin, np.argmax)
    )
    assert (
        np.abs(drawn[nearest] - [253, 231, 37]).max() <= 2
        and np.abs(drawn[farthest] - [68, 1, 84]).max() <= 2
    )


def test_distances_on_the_map_have_its_unit(qgis, work):
    seeds = memory(places(20, box=(0, 0, 1000, 1000)), "EPSG:2225")  # California, US survey feet
    layer = load(
        qgis,
        "voronoiraster",
        "DISTANCE",
        INPUT=seeds,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
    )
    assert layer.name() == "Distance to seeds (US survey foot)"


def test_directions_are_a_circle(qgis, work):
    layer = load(
        qgis,
        "voronoiraster",
        "AZIMUTH",
        INPUT=timezones(),
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
        AZIMUTH=work.path("azimuth.tif"),
    )
    assert layer.name() == "Direction to Time zones (°)"
    items = layer.renderer().shader().rasterShaderFunction().colorRampItemList()
    assert items[0].color == items[-1].color and (items[0].value, items[-1].value) == (0, 360)


def check_regions(layer, path):
    """Polygons are drawn in the colors of the raster's cells."""
    drawn = colors_as_drawn(layer, (360, 180))
    raster = colors_as_drawn(
        QgsProject.instance().mapLayersByName("Nearest of seeds")[0], (360, 180)
    )
    assert np.mean(np.abs(drawn - raster).max(axis=2) <= 1) > 0.8  # the rest are outlines


def test_regions_with_a_legend(qgis, work):
    layer = load(
        qgis,
        "voronoiraster",
        "POLYGONS",
        INPUT=memory(places(12)),
        FIELD="id",
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    assert layer.name() == "Regions of seeds" and isinstance(
        layer.renderer(), QgsCategorizedSymbolRenderer
    )
    assert [category.label() for category in layer.renderer().categories()] == [
        f"seed {i}" for i in range(12)
    ]
    check_regions(layer, work.path("out.tif"))


def test_regions_without_a_legend(qgis, work):
    layer = load(
        qgis,
        "voronoiraster",
        "POLYGONS",
        INPUT=memory(places(60)),
        FIELD="id",
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    assert isinstance(layer.renderer(), QgsSingleSymbolRenderer) and len(legend(layer)) == 1
    check_regions(layer, work.path("out.tif"))


def test_mesh_is_loaded_and_painted(qgis, work):
    layer = load(
        qgis,
        "qtmvoronoi",
        "MESH",
        INPUT=timezones(),
        LEVEL=4,
        RESOLUTION=1,
        EXTENT="-180,180,-90,90",
        OUTPUT=work.path("out.tif"),
        MESH=work.path("mesh.nc"),
    )
    assert layer.name() == "Mesh of the nearest of Time zones, QTM level 4"
    drawn = colors_as_drawn(layer, (360, 180))
    rasters = [
        other
        for other in QgsProject.instance().mapLayers().values()
        if isinstance(other, QgsRasterLayer)
    ]
    raster = colors_as_drawn(rasters[0], (360, 180))
    inside = (
        drawn.min(axis=2) < 255
    )  # on such a map triangles at the poles leave out what is beside their corner
    assert inside.mean() > 0.85
    # Edges are straight on the map, while those that the raster goes by are straight in the plane of the mesh.
    assert np.mean(np.abs(drawn - raster).max(axis=2)[inside] <= 2) > 0.9


def test_names_that_the_user_gave_stay(qgis, work):
    definition = QgsProcessingOutputLayerDefinition(work.path("out.tif"), QgsProject.instance())
    definition.destinationName = "My own"
    load(qgis, "voronoiraster", INPUT=timezones(), RESOLUTION=2, OUTPUT=definition)
    assert [layer.name() for layer in QgsProject.instance().mapLayers().values()] == ["My own"]


def test_neighbors_are_a_spider(qgis, work):
    """A line symbol a rank, the nearest above."""
    layer = load(
        qgis, "knearest", INPUT=memory(places(30)), NEIGHBORS=3, OUTPUT=work.path("k.gpkg")
    )
    assert layer.name() == "seeds and their nearest"
    renderer = layer.renderer()
    assert [category.value() for category in renderer.categories()] == [
        1,
        2,
        3,
    ] and renderer.orderByEnabled()
    assert all(category.symbol().symbolLayerCount() == 2 for category in renderer.categories())
    assert len(np.unique(colors_as_drawn(layer, (300, 200)).reshape(-1, 3), axis=0)) > 3
    for count in (1, 40):
        layer = load(
            qgis,
            "knearest",
            INPUT=memory(places(50)),
            NEIGHBORS=count,
            OUTPUT=work.path(f"k{count}.gpkg"),
        )
        assert isinstance(layer.renderer(), QgsSingleSymbolRenderer)


def test_statistics_are_named(qgis, work):
    layer = load(
        qgis, "facilitystatistics", INPUT=timezones(), RESOLUTION=2, OUTPUT=work.path("s.gpkg")
    )
    assert layer.name() == "Statistics of Time zones"


def test_regions_of_the_statistics_are_graduated(qgis, work):
    layer = load(
        qgis,
        "facilitystatistics",
        "POLYGONS",
        INPUT=timezones(),
        RESOLUTION=2,
        OUTPUT=work.path("s.gpkg"),
        POLYGONS=work.path("r.gpkg"),
    )
    assert layer.name() == "Regions of Time zones by area_km2"
    assert layer.renderer().classAttribute() == "area_km2" and len(layer.renderer().ranges()) == 5
    assert len(np.unique(colors_as_drawn(layer, (360, 180)).reshape(-1, 3), axis=0)) > 5


def test_results_that_are_not_loaded(qgis, work):
    qgis.run("voronoiraster", INPUT=timezones(), RESOLUTION=2, OUTPUT=work.path("out.tif"))
    assert QgsProject.instance().mapLayers() == {}
    assert QgsRasterLayer(work.path("out.tif")).isValid()


def test_legends_last_and_are_round(qgis, work):
    """Three significant digits; a project that is opened again has the ends of the ramp."""
    from gpuvoronoi_processing import styles

    assert [styles.shown(number) for number in (830.272217, 12112992.4, 0.00123456, 0)] == [
        "830",
        "12,100,000",
        "0.00123",
        "0",
    ]
    layer = load(
        qgis,
        "voronoiraster",
        "DISTANCE",
        INPUT=memory(places(5)),
        RESOLUTION=10,
        OUTPUT=work.path("o.tif"),
        DISTANCE=work.path("d.tif"),
    )
    ramp = layer.renderer().shader().rasterShaderFunction()
    ends = ramp.minimumValue(), ramp.maximumValue()
    assert QgsProject.instance().write(work.path("p.qgs"))
    QgsProject.instance().clear()
    assert QgsProject.instance().read(work.path("p.qgs"))
    again = [
        one.renderer().shader().rasterShaderFunction()
        for one in QgsProject.instance().mapLayers().values()
        if one.source().endswith("d.tif")
    ]
    assert [(one.minimumValue(), one.maximumValue()) for one in again] == [pytest.approx(ends)]


@pytest.mark.parametrize("count", [5, 40])
def test_few_polygons_of_a_diagram_are_in_the_legend(qgis, work, count):
    layer = load(qgis, "voronoidiagram", INPUT=memory(places(count)), OUTPUT=work.path("out.gpkg"))
    if count > 30:
        assert isinstance(layer.renderer(), QgsSingleSymbolRenderer)
        return
    labels = [category.label() for category in layer.renderer().categories()]
    assert sorted(labels) == [f"seed {i}" for i in range(count)]
    assert (
        len({category.symbol().color().name() for category in layer.renderer().categories()})
        == count
    )
