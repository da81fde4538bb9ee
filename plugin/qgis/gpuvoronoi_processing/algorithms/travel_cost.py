"""Nearest facility by travel cost: every cell of a raster of friction gets the facility with the cheapest way to it."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterBand,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterRasterLayer,
)

from .. import program, styles
from ..i18n import tr
from ..layers import Features, raster_file
from .facility_statistics import field_names
from .rasters import RasterAlgorithm


class TravelCost(RasterAlgorithm):
    COST, BAND, MOVES, SUMS = "COST", "BAND", "MOVES", "SUMS"
    FROM, WAYS, STATISTICS = "FROM", "WAYS", "STATISTICS"
    of_seeds = (*RasterAlgorithm.of_seeds, STATISTICS)

    OUTPUTS = (
        ("DISTANCE", "--distance"),
        ("AZIMUTH", "--azimuth"),
        ("STATISTICS", "--stats"),
        ("POLYGONS", "--polygons"),
        ("WAYS", "--ways"),
    )

    def name(self):
        return "travelcost"

    def displayName(self):
        return tr("Nearest facility by travel cost")

    def tags(self):
        return tr(
            "cost distance,cost allocation,travel time,friction,accessibility,service area,catchment,least cost path,"
            "hospital,nearest facility,r.cost"
        ).split(",")

    def description(self):
        return tr(
            "<p>Finds, for each cell of a raster of friction, the facility with the cheapest way to it, and the cost "
            "of that way: travel time, distance by sea, effort.</p><p>The friction of a cell is the cost of one meter "
            "in it (without a unit of length: of one map unit). With minutes per meter the costs are minutes. Empty "
            "and negative cells are barriers.</p><p>A way moves straight from center to center of cells, on the "
            "ellipsoid, the sphere or the map, also across ±180°. On uniform friction, ways with 8, 16 and 32 "
            "directions are too long by up to 8.24 %, 2.75 % and 1.31 %.</p>"
        )

    def examples(self):
        return [
            (
                tr(
                    "Minutes to the nearest hospital, and the people that each serves within an hour:"
                ),
                {
                    "INPUT": "hospitals.gpkg",
                    "COST": "friction.tif",
                    "MAX_DISTANCE": 60,
                    "SUMS": ["people.tif"],
                    "OUTPUT": "nearest.tif",
                    "DISTANCE": "minutes.tif",
                    "STATISTICS": "served.gpkg",
                },
            ),
            (
                tr("The quickest ways from villages to their hospitals:"),
                {
                    "INPUT": "hospitals.gpkg",
                    "COST": "friction.tif",
                    "FROM": "villages.gpkg",
                    "WAYS": "routes.gpkg",
                },
            ),
        ]

    @staticmethod
    def metrics():
        return RasterAlgorithm.metrics()[:4]

    @staticmethod
    def moves():
        return [
            (tr("16 directions"), "16"),
            (tr("8 directions: faster"), "8"),
            (tr("32 directions: more accurate"), "32"),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add(
            QgsProcessingParameterRasterLayer(self.COST, tr("Friction")),
            tr(
                "The cost of one meter in each cell, at least 0; empty and negative cells are barriers. The results "
                "have its cells."
            ),
        )
        self.add(
            QgsProcessingParameterBand(
                self.BAND, tr("Band of the friction"), 1, self.COST, optional=True
            ),
            tr("Scale and offset of the band are applied."),
            advanced=True,
        )
        self.add_raster_id_field()
        self.add(
            QgsProcessingParameterEnum(
                self.MOVES,
                tr("Directions of moves"),
                [label for label, _ in self.moves()],
                defaultValue=0,
            ),
            tr("In how many directions a way may leave a cell. More make ways straighter."),
        )
        self.add_metric(
            self.metrics(),
            tr(
                "The lengths of moves. Geodesics and great circles need a raster of longitudes and latitudes, straight "
                "lines a projected one."
            ),
        )
        self.add_limits(
            tr("Maximum cost"),
            tr(
                "Facilities that cost more do not count; those of exactly this cost do. Cells without a facility are "
                "empty."
            ),
        )
        self.add_sums()
        self.add_from(tr("For the cheapest ways: where they begin."))
        self.add_skip_invalid()
        self.add_backend("travel_cost")
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
            tr("Travel costs"),
            tr("A raster of the cost of the cheapest way from each cell to a facility."),
            optional=True,
            by_default=True,
        )
        self.add_raster(
            self.AZIMUTH,
            tr("Directions of the first moves"),
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
                "The facilities with their attributes, cells, area, mean and maximum of the cost, and sums of the "
                "rasters of counts."
            ),
        )
        self.add_areas()
        self.add_layer(
            self.WAYS,
            tr("Cheapest ways"),
            QgsProcessing.SourceType.TypeVectorLine,
            tr(
                "A line from each of the points to its facility, with the attributes of the point, and the id of the "
                "facility (seed), cost and length. Points that cannot reach one have no line."
            ),
        )

    def add_sums(self):
        self.add(
            QgsProcessingParameterMultipleLayers(
                self.SUMS,
                tr("Rasters of counts"),
                QgsProcessing.SourceType.TypeRaster,
                optional=True,
            ),
            tr(
                "For the statistics: rasters with values to add up, such as people per cell. The fields are named "
                "after the layers."
            ),
        )

    def add_from(self, text):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.FROM,
                tr("Points to begin ways from"),
                [QgsProcessing.SourceType.TypeVectorPoint],
                optional=True,
            ),
            text,
        )

    def add_areas(self):
        self.add_polygons(
            self.POLYGONS,
            tr("Service areas"),
            tr("The cells of each facility as polygons, with its attributes."),
        )

    def canExecute(self):
        message = program.refusal(command_only=True)
        return not message, message

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        wanted = [name for name, _ in self.OUTPUTS] + [self.OUTPUT]
        if well and not any(self.given(parameters, name) for name in wanted):
            return False, tr("Missing result; choose at least one")
        needs = (self.WAYS, self.FROM), (self.FROM, self.WAYS), (self.SUMS, self.STATISTICS)
        for option, output in needs if well else ():
            if parameters.get(option) and not self.given(parameters, output):
                return False, tr("“{option}” needs “{output}”").format(
                    option=self.label(option), output=self.label(output)
                )
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context)
        friction = self.parameterAsRasterLayer(parameters, self.COST, context)
        if friction is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.COST))
        self.check_cells(self.COST, friction.width() * friction.height(), feedback)
        moves = self.moves()[self.parameterAsEnum(parameters, self.MOVES, context)][1]
        self.grid = ["--cost", raster_file(friction), "--cost-moves", moves]
        if self.given(parameters, self.BAND):
            self.grid += ["--cost-band", str(self.parameterAsInt(parameters, self.BAND, context))]
        self.prepare_ways(parameters, context, feedback)
        return True

    def prepare_ways(self, parameters, context, feedback):
        """Limits, sums, and the points of ways."""
        self.prepare_choice(parameters, context, feedback)
        layers = self.parameterAsLayerList(parameters, self.SUMS, context)
        for name, layer in zip(field_names(layer.name() for layer in layers), layers):
            self.choice += ["--sum", f"{name}={raster_file(layer)}"]
        self.points = None
        if self.given(parameters, self.FROM):
            self.points = Features(self, parameters, self.FROM, context, [""])
            self.points.want_all_fields()

    def layer_options(self, context, feedback):
        seeds = super().layer_options(context, feedback)
        if seeds is None or self.points is None:
            return seeds
        points = self.points.points(context, feedback, self.skip_invalid)
        return None if points is None else [*seeds, *points]

    def distance_title(self, layer):
        return tr("Travel cost to {layer}").format(layer=layer)

    def processAlgorithm(self, parameters, context, feedback):
        if any(self.given(parameters, name) for name in self.of_seeds):
            self.seeds.want_all_fields()
        options = self.request_options(parameters, context)
        results = self.make(parameters, context, feedback, options, self.OUTPUTS)
        if results is None:
            return {}
        self.paint(context, results)
        if self.STATISTICS in results:
            title = tr("Statistics of {layer}").format(layer=self.seeds.label)
            styles.rename(context, results[self.STATISTICS], self.label(self.STATISTICS), title)
        if self.WAYS in results:
            title = tr("Ways to {layer}").format(layer=self.seeds.label)
            styles.rename(context, results[self.WAYS], self.label(self.WAYS), title)
            styles.spider(context, results[self.WAYS], 1)
        return results
