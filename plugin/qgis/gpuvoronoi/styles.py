"""
How results look when they are loaded: regions in the colours of the raster's attribute table, distances as a ramp.

Raster layers take their legend from the renderer. One entry a seed is fine for a few; for more, the same colours are
given as the points of a continuous ramp, whose legend is a single bar: ids are whole numbers, so every cell meets a
point of the ramp exactly.
"""

import collections

from osgeo import gdal
from qgis.core import (
    QgsColorRampLegendNodeSettings,
    QgsColorRampShader,
    QgsGradientColorRamp,
    QgsGradientStop,
    QgsPalettedRasterRenderer,
    QgsProcessingLayerPostProcessorInterface,
    QgsRasterBandStats,
    QgsRasterShader,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtGui import QColor

from .layers import open_dataset

LEGEND_ENTRIES = 30
SAMPLES = 1000000  # cells looked at for the range of distances

# Viridis: equal steps look equal, in grey and to the colour-blind too.
RAMP = [(0.0, "#fde725"), (0.25, "#5ec962"), (0.5, "#21918c"), (0.75, "#3b528b"), (1.0, "#440154")]

# A post-processor belongs to nobody in QGIS: it has to be kept until the result is loaded.
_kept = collections.deque(maxlen=1000)


def attribute_table(path):
    """[(value, name, colour)] of a raster's attribute table; empty if it has none."""
    dataset = open_dataset(path)
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
        colour = QColor(*(table.GetValueAsInt(row, column) for column in columns[1:]))
        rows.append((int(float(value)) if "." in value else int(value), table.GetValueAsString(row, name) if name >= 0 else "", colour))
    return rows


def scattered_colours(low, high):
    """Colours for rasters with more seeds than their table can hold: ids that follow each other get different ones."""
    count = int(min(high - low + 1, 65536))
    step = (high - low) / max(count - 1, 1)
    # Multiples of the golden ratio: neighbours in the sequence are far apart on the circle of hues.
    hues = ((0.618033988749895 * i) % 1.0 for i in range(count))
    return [(low + round(i * step), "", QColor.fromHsvF(hue, 0.35 + 0.3 * (i % 3) / 2.0, 0.95 - 0.2 * (i % 2)))
            for i, hue in enumerate(hues)]


def allocation_renderer(provider, path):
    rows = attribute_table(path)
    if not rows:
        statistics = provider.bandStatistics(1, QgsRasterBandStats.Stats.Min | QgsRasterBandStats.Stats.Max)
        rows = scattered_colours(int(statistics.minimumValue), int(statistics.maximumValue))
    if len(rows) <= LEGEND_ENTRIES:
        classes = [
            QgsPalettedRasterRenderer.Class(value, colour, name or str(value)) for value, name, colour in rows
        ]
        return QgsPalettedRasterRenderer(provider, 1, classes)
    ramp = QgsColorRampShader(rows[0][0], rows[-1][0])
    ramp.setColorRampType(QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(
        [QgsColorRampShader.ColorRampItem(value, colour, name or str(value)) for value, name, colour in rows]
    )
    return pseudo_colour(provider, ramp, "")


def distance_renderer(provider, unit):
    statistics = provider.bandStatistics(
        1, QgsRasterBandStats.Stats.Min | QgsRasterBandStats.Stats.Max, provider.extent(), SAMPLES
    )
    low, high = statistics.minimumValue, statistics.maximumValue
    colours = [(position, QColor(colour)) for position, colour in RAMP]
    gradient = QgsGradientColorRamp(
        colours[0][1], colours[-1][1], False, [QgsGradientStop(position, colour) for position, colour in colours[1:-1]]
    )
    ramp = QgsColorRampShader(low, high, gradient, QgsColorRampShader.Type.Interpolated)
    ramp.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(low + position * (high - low), colour, f"{low + position * (high - low):.6g}")
            for position, colour in colours
        ]
    )
    return pseudo_colour(provider, ramp, unit)


def pseudo_colour(provider, ramp, unit):
    settings = QgsColorRampLegendNodeSettings()
    if unit:
        settings.setSuffix(f" {unit}")
    ramp.setLegendSettings(settings)
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(ramp)
    return QgsSingleBandPseudoColorRenderer(provider, 1, shader)


class Style(QgsProcessingLayerPostProcessorInterface):
    """Gives a raster layer the renderer that `make(provider, path)` makes."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def postProcessLayer(self, layer, context, feedback):
        renderer = self.make(layer.dataProvider(), layer.source())
        if renderer is not None:
            layer.setRenderer(renderer)
            layer.triggerRepaint()


def style(context, output, default_name, name, make):
    """Styles and names a result, if it is going to be loaded. A name that the user or a model gave it stays."""
    if not context.willLoadLayerOnCompletion(output):
        return
    details = context.layerToLoadOnCompletionDetails(output)
    processor = Style(make)
    _kept.append(processor)
    details.setPostProcessor(processor)
    if details.name == default_name:
        details.name = name


def style_allocation(context, output, default_name, name):
    style(context, output, default_name, name, allocation_renderer)


def style_distance(context, output, default_name, name, unit):
    style(context, output, default_name, name, lambda provider, path: distance_renderer(provider, unit))
