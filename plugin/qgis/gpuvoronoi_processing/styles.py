"""
How results look when they are loaded: regions in the colors of the raster's attribute table, distances as a ramp.

Raster layers take their legend from the renderer. One entry a seed is fine for a few; for more, the same colors are
given as the points of a continuous ramp: ids are whole numbers, so every cell meets a point of the ramp exactly. The
bar that would be its legend is left out: of so many colors it shows stripes.
"""

import collections
import itertools
import json
import math
import os

from osgeo import gdal
from qgis.core import (
    QgsBasicNumericFormat,
    QgsCategorizedSymbolRenderer,
    QgsClassificationQuantile,
    QgsColorRampLegendNodeSettings,
    QgsColorRampShader,
    QgsFeatureRequest,
    QgsFillSymbol,
    QgsGradientColorRamp,
    QgsGradientStop,
    QgsGraduatedSymbolRenderer,
    QgsLineSymbol,
    QgsMapLayerLegendUtils,
    QgsMarkerLineSymbolLayer,
    QgsMarkerSymbol,
    QgsMapUnitScale,
    QgsMeshRendererScalarSettings,
    QgsNumericFormatContext,
    QgsPalettedRasterRenderer,
    QgsProcessingContext,
    QgsProcessingLayerPostProcessorInterface,
    QgsProcessingUtils,
    QgsProperty,
    QgsRasterShader,
    QgsRendererCategory,
    QgsSingleBandPseudoColorRenderer,
    QgsSingleSymbolRenderer,
    QgsSymbol,
    QgsSymbolLayer,
    QgsUnitTypes,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor

from . import field_types as types
from .datasets import open_dataset

CLASSES = 5
LEGEND_ENTRIES = 30
WIDEST_DISC = 7.0  # millimeters
DOTS, SMALLEST_DOT = [(200, 1.4), (5000, 0.7)], 0.4  # millimeters, by the number of seeds
MAPPED_COLORS = 2000  # in an expression
RAMP_POINTS = 8192  # in a project

# Viridis: equal steps look equal, in gray and to the color-blind too.
RAMP = [(0.0, "#fde725"), (0.25, "#5ec962"), (0.5, "#21918c"), (0.75, "#3b528b"), (1.0, "#440154")]

SPARE_COLORS = [
    QColor.fromHsvF(hue / 24.0, saturation, value)
    for hue in range(24)
    for saturation in (0.35, 0.6, 0.85)
    for value in (0.95, 0.75, 0.55)
]

# QGIS does not own post-processors: they have to be kept until the result is loaded.
_kept = collections.deque(maxlen=1000)


def attribute_table(path):
    """[(value, name, color)] of a raster's attribute table; empty if it has none."""
    return attribute_rows(open_dataset(path))


def attribute_rows(dataset):
    table = dataset.GetRasterBand(1).GetDefaultRAT() if dataset is not None else None
    if table is None:
        return []
    usages = (gdal.GFU_MinMax, gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)
    columns = [table.GetColOfUsage(usage) for usage in usages]
    if min(columns) < 0:
        return []
    name = table.GetColOfUsage(gdal.GFU_Name)
    rows = []
    for row in range(table.GetRowCount()):
        # As text: the integers of a table are 32 bits wide, ids may be 64.
        value = table.GetValueAsString(row, columns[0])
        color = QColor(*(table.GetValueAsInt(row, column) for column in columns[1:]))
        number = int(float(value)) if "." in value else int(value)
        rows.append((number, table.GetValueAsString(row, name) if name >= 0 else "", color))
    return distinct(rows) if len(rows) <= LEGEND_ENTRIES else rows


def distinct(rows):
    """
    The program's colors differ where regions touch, and repeat elsewhere. In a legend each stands for one seed: a
    color that was there before becomes the one that is farthest from all others.
    """
    taken, made = [color.getRgb()[:3] for _, _, color in rows], []
    seen = set()
    for value, name, color in rows:
        if color.name() in seen:
            color = max(
                SPARE_COLORS,
                key=lambda spare: min(math.dist(spare.getRgb()[:3], other) for other in taken),
            )
            taken.append(color.getRgb()[:3])
        seen.add(color.name())
        made.append((value, name, color))
    return made


def scattered_colors(low, high):
    """
    Colors for rasters with more seeds than a project should list: ids that are not near each other get different ones.
    Between these points they are blended, so that a project has to keep only a few.
    """
    count = int(min(high - low + 1, RAMP_POINTS))
    step = (high - low) / max(count - 1, 1)
    return colored(low + round(i * step) for i in range(count))


def colored(values):
    """[(value, name, color)]: values that follow each other have different colors."""
    # Multiples of the golden ratio: neighbors in the sequence are far apart on the circle of hues.
    hues = ((i, (0.618033988749895 * i) % 1.0) for i in itertools.count())
    return [
        (value, "", QColor.fromHsvF(hue, 0.35 + 0.3 * (i % 3) / 2.0, 0.95 - 0.2 * (i % 2)))
        for value, (i, hue) in zip(values, hues)
    ]


def hashed_color(number):
    """The color of an id, an expression, as an expression that is as short for a million seeds as for one."""
    return (
        f"color_hsv(floor((0.618033988749895 * {number} - floor(0.618033988749895 * {number})) * 360), "
        f"35 + 15 * ({number} % 3), 95 - 20 * ({number} % 2))"
    )


def ramp_items(rows):
    return [
        QgsColorRampShader.ColorRampItem(value, color, name or str(value))
        for value, name, color in rows
    ]


def allocation_renderer(provider, rows):
    if len(rows) <= LEGEND_ENTRIES:
        classes = [
            QgsPalettedRasterRenderer.Class(value, color, name or str(value))
            for value, name, color in rows
        ]
        return QgsPalettedRasterRenderer(provider, 1, classes)
    ramp = QgsColorRampShader(rows[0][0], rows[-1][0])
    ramp.setColorRampType(QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(ramp_items(rows))
    return pseudo_color(provider, ramp, "")


def id_colors(dataset, live=False):
    """
    [(value, name, color)] of a raster of ids: its attribute table, or what stands for one that is missing or too long.
    """
    rows = attribute_rows(dataset)
    return (
        rows
        if 0 < len(rows) <= RAMP_POINTS
        else scattered_colors(*map(int, value_range(dataset, live)))
    )


def value_range(dataset, live=False):
    """
    The least and the largest value of a raster; zeros if there are none. A `live` one is not computed for that: it
    knows its ids, and distances are those of an overview.
    """
    try:
        found = dataset.GetRasterBand(1).ComputeRasterMinMax(live)
    except RuntimeError:
        found = None
    return found if found is not None and None not in found else (0.0, 0.0)


def distance_renderer(provider, unit, low, high):
    colors = [(position, QColor(color)) for position, color in RAMP]
    gradient = QgsGradientColorRamp(
        colors[0][1],
        colors[-1][1],
        False,
        [QgsGradientStop(position, color) for position, color in colors[1:-1]],
    )
    ramp = QgsColorRampShader(low, high, gradient, QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(
                low + position * (high - low), color, shown(low + position * (high - low))
            )
            for position, color in colors
        ]
    )
    return pseudo_color(provider, ramp, unit)


def number_format():
    """Of legends: three significant digits, with separators of thousands."""
    made = QgsBasicNumericFormat()
    made.setRoundingType(QgsBasicNumericFormat.RoundingType.SignificantFigures)
    made.setNumberDecimalPlaces(3)
    made.setShowThousandsSeparator(True)
    return made


def shown(number):
    return number_format().formatDouble(number, QgsNumericFormatContext())


def pseudo_color(provider, ramp, unit):
    settings = QgsColorRampLegendNodeSettings()
    settings.setNumericFormat(number_format())
    if unit:
        settings.setSuffix(f" {unit}")
    ramp.setLegendSettings(settings)
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(ramp)
    renderer = QgsSingleBandPseudoColorRenderer(provider, 1, shader)
    # Projects keep these, not the ends of the ramp.
    renderer.setClassificationMin(ramp.minimumValue())
    renderer.setClassificationMax(ramp.maximumValue())
    return renderer


def azimuth_renderer(provider):
    """Directions: colors in a circle, so that 359° is next to 0°."""
    ramp = QgsColorRampShader(0.0, 360.0)
    ramp.setColorRampType(QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(
                degrees, QColor.fromHsvF(degrees / 360.0 % 1.0, 0.6, 0.95), f"{degrees:g}"
            )
            for degrees in range(0, 361, 30)
        ]
    )
    return pseudo_color(provider, ramp, "°")


def regions_renderer(layer, field, rows, base=None):
    """
    Polygons in the colors of the raster. One entry a seed in the legend while they are few; else a single symbol.
    `base` is the symbol to color, of the kind of the layer by default.
    """

    def symbol(color):
        made = QgsSymbol.defaultSymbol(layer.geometryType()) if base is None else base.clone()
        made.setColor(color)
        return made

    if 0 < len(rows) <= LEGEND_ENTRIES:
        return QgsCategorizedSymbolRenderer(
            field,
            [
                QgsRendererCategory(value, symbol(color), name or str(value))
                for value, name, color in rows
            ],
        )
    made = symbol(QColor("#cccccc"))
    if 0 < len(rows) <= MAPPED_COLORS:
        colors = json.dumps({str(value): color.name() for value, _, color in rows})
        expression = f"map_get(from_json('{colors}'), to_string(\"{field}\"))"
    else:
        expression = hashed_color(f'to_int("{field}")')
        made.symbolLayer(0).setStrokeStyle(
            Qt.PenStyle.NoPen
        )  # outlines would be all that is seen of so many
    made.symbolLayer(0).setDataDefinedProperty(
        QgsSymbolLayer.Property.PropertyFillColor, QgsProperty.fromExpression(expression)
    )
    return QgsSingleSymbolRenderer(made)


def mesh_style(layer, rows):
    """Paints the triangles by their seeds."""
    provider = layer.dataProvider()
    names = [
        provider.datasetGroupMetadata(group).name() for group in range(provider.datasetGroupCount())
    ]
    if "seed" not in names or not rows:
        return
    group = names.index("seed")
    ramp = QgsColorRampShader(rows[0][0], rows[-1][0])
    ramp.setColorRampType(QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(ramp_items(rows))
    scalar = QgsMeshRendererScalarSettings()
    # QGIS 3.44 crashes where a shader without a color ramp gets its range here.
    scalar.setClassificationMinimumMaximum(rows[0][0], rows[-1][0])
    scalar.setColorRampShader(ramp)
    settings = layer.rendererSettings()
    settings.setScalarSettings(group, scalar)
    settings.setActiveScalarDatasetGroup(group)
    layer.setRendererSettings(settings)
    layer.triggerRepaint()


class Style(QgsProcessingLayerPostProcessorInterface):
    """
    Lets `paint(layer, project)` change how a layer looks when it is loaded. The context of the algorithm is gone then:
    it was that of its thread.
    """

    def __init__(self, paint):
        super().__init__()
        self.paint = paint

    def postProcessLayer(self, layer, context, feedback):
        self.paint(layer, context.project())


def rename(context, output, default_name, name):
    """Names a result, if it is going to be loaded. A name that the user or a model gave it stays."""
    if context.willLoadLayerOnCompletion(output):
        details = context.layerToLoadOnCompletionDetails(output)
        if details.name == default_name:
            details.name = name


def style_of_people(path):
    """The style that people have put beside a file; None without one. The program's own has a mark."""
    name = os.path.splitext(path)[0] + ".qml"
    try:
        with open(name, encoding="utf-8", errors="replace") as file:
            return None if "made by gpuvoronoi" in file.read(256) else name
    except OSError:
        return None


def style(context, output, paint):
    """Lets `paint` change a result that is going to be loaded, unless people have said how it is to look."""
    if context.willLoadLayerOnCompletion(output):
        theirs = style_of_people(output)
        processor = Style(
            paint
            if theirs is None
            else lambda layer, project: layer.loadNamedStyle(theirs)[1] or paint(layer, project)
        )
        _kept.append(processor)
        context.layerToLoadOnCompletionDetails(output).setPostProcessor(processor)


def hide_legend(project, layer):
    """Leaves out a layer's legend, in the project too. The tree of layers looks when the next renderer is set."""
    node = project.layerTreeRoot().findLayer(layer.id()) if project is not None else None
    if node is not None:
        QgsMapLayerLegendUtils.setLegendNodeOrder(node, [])


def style_raster(context, output, make):
    def paint(layer, _):
        layer.setRenderer(make(layer.dataProvider()))
        layer.triggerRepaint()

    style(context, output, paint)


def paint_ids(layer, project, rows):
    renderer = allocation_renderer(layer.dataProvider(), rows)
    if not isinstance(renderer, QgsPalettedRasterRenderer):
        hide_legend(project, layer)
    layer.setRenderer(renderer)
    layer.triggerRepaint()


def allocation(context, output, default_name, name):
    rename(context, output, default_name, name)
    style(
        context,
        output,
        lambda layer, project: paint_ids(layer, project, id_colors(open_dataset(output))),
    )


def unit_of(dataset):
    unit = dataset.GetRasterBand(1).GetUnitType() if dataset is not None else ""
    return {"metre": "m", "kilometre": "km", "foot": "ft"}.get(unit, unit)


def with_unit(name, unit):
    return f"{name} ({unit})" if unit else name


def distance(context, output, default_name, name):
    dataset = open_dataset(output)
    unit = unit_of(dataset)
    rename(context, output, default_name, with_unit(name, unit))
    if dataset is not None and context.willLoadLayerOnCompletion(output):
        low, high = value_range(dataset)
        style_raster(context, output, lambda provider: distance_renderer(provider, unit, low, high))


def values(context, output, default_name, name):
    """A raster of a field's values as a ramp."""
    rename(context, output, default_name, name)
    dataset = open_dataset(output)
    if dataset is not None and context.willLoadLayerOnCompletion(output):
        low, high = value_range(dataset)
        style_raster(context, output, lambda provider: distance_renderer(provider, "", low, high))


def azimuth(context, output, default_name, name):
    rename(context, output, default_name, with_unit(name, "°"))
    style_raster(context, output, azimuth_renderer)


def regions(context, output, default_name, name, raster, field):
    """`raster`, if there is one, has the table of colors, `field` of the polygons its values."""
    rename(context, output, default_name, name)

    def paint(layer, _):
        layer.setRenderer(regions_renderer(layer, field, attribute_table(raster) if raster else []))
        name_features(layer)
        layer.triggerRepaint()

    style(context, output, paint)


def cells(context, output, default_name, name):
    """
    Polygons of a diagram, in colors by their feature ids: those that follow each other differ. A few are in the
    legend.
    """
    rename(context, output, default_name, name)

    def paint(layer, _):
        name_features(layer)
        if 0 < layer.featureCount() <= LEGEND_ENTRIES:
            field = next(
                (
                    field
                    for field in layer.fields().names()
                    if field.lower() in ("name", "seed_name")
                ),
                "seed",
            )
            names = {feature["seed"]: str(feature[field]) for feature in layer.getFeatures()}
            rows = [(seed, names[seed], color) for seed, _, color in colored(names)]
            layer.setRenderer(regions_renderer(layer, "seed", rows))
            layer.triggerRepaint()
            return
        symbol = QgsSymbol.defaultSymbol(layer.geometryType())
        if layer.featureCount() > MAPPED_COLORS:
            symbol.symbolLayer(0).setStrokeStyle(
                Qt.PenStyle.NoPen
            )  # outlines would be all that is seen of so many
        color = QgsProperty.fromExpression(hashed_color("$id"))
        symbol.symbolLayer(0).setDataDefinedProperty(
            QgsSymbolLayer.Property.PropertyFillColor, color
        )
        layer.setRenderer(QgsSingleSymbolRenderer(symbol))
        layer.triggerRepaint()

    style(context, output, paint)


def disc(width):
    """A symbol of centers of cells that are `width` meters wide."""
    symbol = QgsMarkerSymbol.createSimple({"name": "circle", "outline_style": "no"})
    symbol.setSize(width)
    symbol.setSizeUnit(QgsUnitTypes.RenderUnit.RenderMetersInMapUnits)
    scale = QgsMapUnitScale()
    scale.maxSizeMMEnabled, scale.maxSizeMM = True, WIDEST_DISC
    symbol.setSizeMapUnitScale(scale)  # in the legend they would fill it
    return symbol


def listed_cells(context, output, default_name, name, width):
    """
    Cells in a color for each `seed`, listed while these are few: polygons with thin borders, or centers as discs of a
    width in meters.
    """
    rename(context, output, default_name, name)

    def paint(layer, _):
        if layer.geometryType() == QgsWkbTypes.GeometryType.PolygonGeometry:
            symbol = QgsFillSymbol.createSimple(
                {"outline_color": "#666666", "outline_width": "0.1"}
            )
        else:
            symbol = disc(width)
        found = layer.uniqueValues(layer.fields().indexOf("seed"), MAPPED_COLORS + 1)
        rows = colored(sorted(value for value in found if not types.is_empty(value)))
        layer.setRenderer(
            regions_renderer(layer, "seed", rows if len(rows) <= MAPPED_COLORS else [], symbol)
        )
        name_features(layer)
        layer.triggerRepaint()

    style(context, output, paint)


def seeds(context, output, default_name, name):
    """Seeds above their regions: small dots, the fewer the larger; polygons without a fill."""
    rename(context, output, default_name, name)

    def paint(layer, _):
        kind, count = layer.geometryType(), layer.featureCount()
        if kind == QgsWkbTypes.GeometryType.PointGeometry:
            size = next((mm for most, mm in DOTS if count <= most), SMALLEST_DOT)
            symbol = QgsMarkerSymbol.createSimple(
                {"name": "circle", "size": str(size), "color": "#333333", "outline_style": "no"}
            )
        elif kind == QgsWkbTypes.GeometryType.PolygonGeometry:
            symbol = QgsFillSymbol.createSimple({"style": "no", "outline_width": "0.3"})
        else:
            return
        layer.setRenderer(QgsSingleSymbolRenderer(symbol))
        name_features(layer)
        layer.triggerRepaint()

    style(context, output, paint)


def name_features(layer):
    """Identify and map tips show a feature's name, if it has one."""
    for name in layer.fields().names():
        if name.lower() in ("name", "seed_name"):
            layer.setDisplayExpression(f'"{name}"')
            layer.setMapTipTemplate(f'[% "{name}" %]')


def graduated(context, output, default_name, name, field):
    """Polygons in five classes of as many features each, dark for much."""
    rename(context, output, default_name, name)

    def paint(layer, _):
        symbol = QgsSymbol.defaultSymbol(layer.geometryType())
        ramp = QgsGradientColorRamp(
            QColor(RAMP[0][1]),
            QColor(RAMP[-1][1]),
            False,
            [QgsGradientStop(position, QColor(color)) for position, color in RAMP[1:-1]],
        )
        renderer = QgsGraduatedSymbolRenderer(field)
        renderer.setSourceSymbol(symbol)
        renderer.setSourceColorRamp(ramp)
        renderer.setClassificationMethod(QgsClassificationQuantile())
        renderer.updateClasses(layer, CLASSES)
        for index, part in enumerate(renderer.ranges()):
            renderer.updateRangeLabel(
                index, f"{shown(part.lowerValue())} – {shown(part.upperValue())}"
            )
        layer.setRenderer(renderer)
        layer.triggerRepaint()

    style(context, output, paint)


def spider(context, output, count):
    """Lines that end in a dot at the neighbor, the nearest dark and above."""

    def symbol(position):
        line = QgsLineSymbol.createSimple(
            {"line_width": f"{0.45 - 0.25 * position:.2f}", "capstyle": "round"}
        )
        color = QColor.fromHsvF(0.58, 0.9 - 0.6 * position, 0.5 + 0.4 * position)
        line.setColor(color)
        end = QgsMarkerLineSymbolLayer.create({"placement": "lastvertex", "rotate": "0"})
        dot = QgsMarkerSymbol.createSimple({"name": "circle", "size": "1.4", "outline_style": "no"})
        dot.setColor(color)
        end.setSubSymbol(dot)
        line.appendSymbolLayer(end)
        return line

    def paint(layer, _):
        if 1 < count <= LEGEND_ENTRIES:
            ranks = [
                QgsRendererCategory(rank, symbol((rank - 1) / (count - 1)), str(rank))
                for rank in range(1, count + 1)
            ]
            renderer = QgsCategorizedSymbolRenderer("rank", ranks)
            renderer.setOrderBy(
                QgsFeatureRequest.OrderBy([QgsFeatureRequest.OrderByClause("rank", False)])
            )
            renderer.setOrderByEnabled(True)
        else:
            renderer = QgsSingleSymbolRenderer(symbol(0.0))
        layer.setRenderer(renderer)
        layer.triggerRepaint()

    style(context, output, paint)


def load(context, source, name, hint):
    """Loads what is a file to Processing, which would not do that by itself."""
    details = QgsProcessingContext.LayerDetails(name, context.project(), "", hint)
    details.forceName = True  # else several layers of a file have its name
    context.addLayerToLoadOnCompletion(source, details)


def load_mesh(context, path, name, raster):
    load(context, path, name, QgsProcessingUtils.LayerHint.Mesh)
    style(context, path, lambda layer, _: mesh_style(layer, attribute_table(raster)))


def load_live(context, source, name, kind, dataset):
    """A layer of an on-demand raster with values of one kind; so are those of `dataset`."""
    if kind == "id":
        load(context, source, name, QgsProcessingUtils.LayerHint.Raster)
        rows = id_colors(dataset, live=True)
        style(context, source, lambda layer, project: paint_ids(layer, project, rows))
    elif kind == "distance":
        unit, (low, high) = unit_of(dataset), value_range(dataset, live=True)
        load(context, source, with_unit(name, unit), QgsProcessingUtils.LayerHint.Raster)
        style_raster(context, source, lambda provider: distance_renderer(provider, unit, low, high))
    else:
        load(context, source, with_unit(name, "°"), QgsProcessingUtils.LayerHint.Raster)
        style_raster(context, source, azimuth_renderer)
