"""Nearest round barriers: every cell of a raster gets the facility with the shortest way round lines and polygons."""

from qgis.core import QgsProcessing, QgsProcessingException, QgsProcessingParameterFeatureSource

from ..i18n import tr
from ..layers import Polygons
from .travel_cost import TravelCost


class RoundBarriers(TravelCost):
    BARRIERS = "BARRIERS"

    def name(self):
        return "roundbarriers"

    def displayName(self):
        return tr("Nearest round barriers")

    def tags(self):
        return tr(
            "barriers,obstacles,rivers,coast,distance by sea,shortest path,visibility,distance allocation,nearest "
            "facility,service area"
        ).split(",")

    def description(self):
        return tr(
            "<p>Finds, for each cell, the facility with the shortest way that does not cross lines, such as rivers and "
            "fences, and does not enter polygons, such as lakes, land or exclusion zones.</p><p>The result is exact: a "
            "way is a chain of straight legs (on the globe of geodesics) that turn at vertices of the barriers, not a "
            "chain of cells. A bridge is a gap in the line of its river.</p><p>Cells inside polygons and those that no "
            "way reaches are empty.</p>"
        )

    def examples(self):
        return [
            (
                tr("Distance by sea from ports, and the ways of ships to them:"),
                {
                    "INPUT": "ports.gpkg",
                    "BARRIERS": "land.gpkg",
                    "RESOLUTION": 0.25,
                    "DISTANCE": "by_sea.tif",
                    "FROM": "ships.gpkg",
                    "WAYS": "ways.gpkg",
                },
            )
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add(
            QgsProcessingParameterFeatureSource(
                self.BARRIERS,
                tr("Barriers"),
                [
                    QgsProcessing.SourceType.TypeVectorLine,
                    QgsProcessing.SourceType.TypeVectorPolygon,
                ],
            ),
            tr(
                "Lines that ways do not cross, and polygons that they do not enter; ways may touch and follow both. In "
                "any coordinate system. Facilities inside polygons are left out."
            ),
        )
        self.add_raster_id_field()
        self.add_grid()
        self.add_raster_metric()
        self.add_limits()
        self.add_sums()
        self.add_from(tr("For the shortest ways: where they begin."))
        self.add_skip_invalid()
        self.add_options()
        self.add_double()
        self.add_raster(
            self.OUTPUT,
            tr("Nearest facilities"),
            tr("The raster of ids; −1 where no facility can be reached."),
            optional=True,
        )
        self.add_raster(
            self.DISTANCE,
            tr("Lengths of the ways"),
            tr("A raster of the length of the shortest way from each cell to a facility."),
            optional=True,
            by_default=True,
        )
        self.add_raster(
            self.AZIMUTH,
            tr("Directions of the first legs"),
            tr(
                "A raster of the direction in which the way leaves each cell: degrees clockwise from north."
            ),
            optional=True,
        )
        self.add_layer(
            self.STATISTICS,
            tr("Statistics"),
            QgsProcessing.SourceType.TypeVectorAnyGeometry,
            tr(
                "The facilities with their attributes, cells, area, mean and maximum of the length, and sums of the "
                "rasters of counts."
            ),
        )
        self.add_areas()
        self.add_layer(
            self.WAYS,
            tr("Shortest ways"),
            QgsProcessing.SourceType.TypeVectorLine,
            tr(
                "A line from each of the points to its facility, with the attributes of the point, the id of the "
                "facility (seed) and the length. Points that cannot reach one have no line."
            ),
        )

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context)
        layer = self.vector_layer(parameters, self.BARRIERS, context)
        if layer is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.BARRIERS))
        self.barriers = Polygons(layer, parameters[self.BARRIERS], context)
        self.prepare_grid(parameters, context, feedback)
        self.prepare_ways(parameters, context, feedback)
        return True

    def layer_options(self, context, feedback):
        options = super().layer_options(context, feedback)
        place = None if options is None else self.barriers.path(context, feedback)
        if place is None:
            return None
        path, layer = place
        return [*options, "--barriers", path] + (
            [] if layer is None else ["--barriers-layer", layer]
        )

    def distance_title(self, layer):
        return tr("Ways round barriers to {layer}").format(layer=layer)
