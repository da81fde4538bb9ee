"""
Nearest cells of a raster: every cell of a raster gets the class of the nearest cell that has one, and the distance.
"""

from qgis.core import (
    QgsProcessingException,
    QgsProcessingParameterBand,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
)

from ..i18n import tr
from ..layers import RasterCells
from .rasters import RasterAlgorithm


class NearestCells(RasterAlgorithm):
    BAND, VALUES, BY_CELL, PER_VALUE = "BAND", "VALUES", "BY_CELL", "PER_VALUE"
    command_only = (*RasterAlgorithm.command_only, RasterAlgorithm.NEIGHBORS)
    of_distances = (*RasterAlgorithm.of_distances, PER_VALUE)

    def name(self):
        return "nearestcells"

    def displayName(self):
        return tr("Nearest cells of a raster")

    def tags(self):
        return tr(
            "proximity,distance,euclidean allocation,distance to coast,raster,land "
            "cover,class,coast,water,nearest,geodesic,grow"
        ).split(",")

    def description(self):
        return tr(
            "<p>Finds the nearest cell of a class for each cell of a raster, and its distance. Cells that are neither "
            "empty nor 0 are seeds at their centers, for example water, forest or land.</p><p>The result is exact on "
            "the map, the sphere or the ellipsoid, across ±180° and the poles. At equal distances the lowest value "
            "counts.</p>"
        )

    def examples(self):
        return [
            (
                tr("The distance to the nearest water, class 80 of a land cover, in meters:"),
                {"INPUT": "landcover.tif", "VALUES": "80", "DISTANCE": "to_water.tif"},
            )
        ]

    def resolution_help(self):
        return tr("Side of the square cells. Default: the cells of the raster.")

    def extent_help(self):
        return tr("The area of the result. Default: the raster.")

    def initAlgorithm(self, configuration=None):
        self.add(
            QgsProcessingParameterRasterLayer(self.INPUT, tr("Raster")),
            tr("The raster with the cells to search for."),
        )
        self.add(
            QgsProcessingParameterBand(self.BAND, tr("Band"), 1, self.INPUT, optional=True),
            tr(
                "The values must be whole numbers. They are used as stored, without scale and offset."
            ),
        )
        self.add(
            QgsProcessingParameterString(
                self.VALUES, tr("Values (separated by commas)"), optional=True
            ),
            tr(
                "Only cells with these values are seeds. Default: all that are neither empty nor 0."
            ),
        )
        self.add_grid()
        self.add_raster_metric()
        self.add_neighbors()
        self.add_limits()
        self.add(
            QgsProcessingParameterBoolean(
                self.BY_CELL, tr("Cell numbers instead of values"), defaultValue=False
            ),
            tr(
                "The result has the number of the nearest cell, row by row from 0, instead of its value."
            ),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.PER_VALUE, tr("Distances to each value"), defaultValue=False
            ),
            tr(
                "The raster of distances has a band for each value, in ascending order, instead of a band for each "
                "neighbor."
            ),
            advanced=True,
        )
        self.add_backend()
        self.add_options()
        self.add_double()
        self.add_raster(
            self.OUTPUT,
            tr("Nearest values"),
            tr("The raster of the values of the nearest cells."),
            optional=True,
        )
        self.add_raster(
            self.DISTANCE,
            tr("Distances to the seeds"),
            tr(
                "A raster of the distance from each cell to the nearest seed: meters on the globe, else map units."
            ),
            optional=True,
            by_default=True,
        )
        self.add_azimuth()
        self.add_polygons(
            self.POLYGONS, tr("Regions"), tr("The regions of the values as polygons.")
        )

    OUTPUTS = (("DISTANCE", "--distance"), ("AZIMUTH", "--azimuth"), ("POLYGONS", "--polygons"))

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        if well and not any(
            self.given(parameters, name)
            for name in (self.OUTPUT, *(name for name, _ in self.OUTPUTS))
        ):
            return False, tr("Missing result; choose at least one")
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        layer = self.parameterAsRasterLayer(parameters, self.INPUT, context)
        if layer is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.INPUT))
        # All its cells are read.
        self.confirm_size(self.INPUT, feedback, cells=layer.width() * layer.height())
        options = ["--band", str(self.parameterAsInt(parameters, self.BAND, context))]
        values = self.parameterAsString(parameters, self.VALUES, context)
        if values.strip():
            options.append("--values=" + values.replace(" ", ""))
        if self.parameterAsBoolean(parameters, self.BY_CELL, context):
            options.append("--by-cell")
        self.seeds = RasterCells(layer, options)
        self.prepare_grid(parameters, context, feedback)
        self.prepare_choice(parameters, context, feedback)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        options = self.request_options(parameters, context)
        if self.parameterAsBoolean(parameters, self.PER_VALUE, context):
            options.append("--distance-per-value")
        results = self.make(parameters, context, feedback, options, self.OUTPUTS)
        if results is None:
            return {}
        self.paint(context, results)
        return results
