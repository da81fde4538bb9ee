"""Parameters that several algorithms have."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsProcessingParameterVectorDestination,
)

from ..i18n import tr


class Parameters:
    """What an algorithm adds to itself."""

    INPUT, FIELD, OUTPUT = "INPUT", "FIELD", "OUTPUT"
    EXTENT, RESOLUTION, CRS, TEMPLATE = "EXTENT", "RESOLUTION", "CRS", "TEMPLATE"
    MAX_DISTANCE, MASK, WEIGHTING, WEIGHT_FIELD = "MAX_DISTANCE", "MASK", "WEIGHTING", "WEIGHT_FIELD"
    DISTANCE, POLYGONS = "DISTANCE", "POLYGONS"
    METRIC, SKIP_INVALID, BACKEND, OPTIONS = "METRIC", "SKIP_INVALID", "BACKEND", "OPTIONS"
    DEVICE, EDGES, BOUNDARY, SIGNED = "DEVICE", "EDGES", "BOUNDARY", "SIGNED"
    NEIGHBORS, DOUBLE, AZIMUTH = "NEIGHBORS", "DOUBLE", "AZIMUTH"

    def add(self, parameter, text, advanced=False):
        parameter.setHelp(text)
        if advanced:
            parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced)
        self.addParameter(parameter)

    def add_seeds(self):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.INPUT, tr("Seeds"), [QgsProcessing.SourceType.TypeVectorAnyGeometry]
            ),
            tr(
                "The points, lines or polygons among which the nearest is looked for. Each point of a multipoint is a seed of its "
                "own with the feature's id; of lines and polygons each feature is one, at the distance of its nearest point, 0 "
                "within a polygon. Of seeds at the same place the first counts."
            ),
        )

    def add_raster_id_field(self):
        self.add_id_field(
            tr(
                "The values of the raster: an integer field as it is, where seeds of one id have one region together; of a "
                "text field the number of the first row with that text, counted from 0, with the text in the raster's attribute "
                "table, if there are at most 65,535 seeds. Without a field: the feature ids."
            )
        )

    def add_id_field(self, text):
        field = QgsProcessingParameterField(
            self.FIELD, tr("Id field"), parentLayerParameterName=self.INPUT, optional=True,
            type=QgsProcessingParameterField.DataType.Any,
        )
        field.setMetadata({"widget_wrapper": {"class": "gpuvoronoi_processing.widgets.IdField"}})
        self.add(field, text)

    def add_shapes(self):
        self.add(
            QgsProcessingParameterEnum(self.EDGES, tr("Edges of lines and polygons"), [
                tr("Straight in their own coordinates"), tr("Geodesics: the shorter way on the ellipsoid"),
            ], defaultValue=0),
            tr("What goes from one vertex to the next. Geodesics are for distances on the globe."),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterBoolean(self.BOUNDARY, tr("Polygons count as their boundaries"), defaultValue=False),
            tr("Distances within a polygon are those to its boundary, too."),
            advanced=True,
        )

    def add_signed(self):
        self.add(
            QgsProcessingParameterBoolean(self.SIGNED, tr("Negative distances within polygons"), defaultValue=False),
            tr("In the raster of distances: within a polygon minus the distance to its boundary."),
            advanced=True,
        )

    def add_grid(self):
        self.add(QgsProcessingParameterExtent(self.EXTENT, tr("Extent"), optional=True), self.extent_help())
        self.add(
            QgsProcessingParameterNumber(
                self.RESOLUTION, tr("Cell size (units of the raster's coordinate system)"),
                QgsProcessingParameterNumber.Type.Double, None, optional=True, minValue=0.0,
            ),
            self.resolution_help(),
        )
        self.add(
            QgsProcessingParameterCrs(self.CRS, tr("Coordinate system of the raster"), optional=True),
            tr("Without it: that of the seeds."),
        )
        self.add(
            QgsProcessingParameterRasterLayer(self.TEMPLATE, tr("Template raster"), optional=True),
            tr(
                "Gives the raster the cells of this one, in its coordinate system. With an extent: that area, in cells that "
                "continue the template's."
            ),
        )

    def extent_help(self):
        return tr(
            "The area of the raster. Without it: the whole globe for longitudes and latitudes, else the seeds' "
            "extent and a tenth on each side. Longitudes may go beyond 180°."
        )

    def resolution_help(self):
        return tr("The side of the square cells. Without it: 2,048 cells on the longer side.")

    def add_metric(self, metrics, text):
        """`metrics` are pairs of a label and the program's word, which may be None for its own choice."""
        self.add(
            QgsProcessingParameterEnum(self.METRIC, tr("Distances"), [label for label, _ in metrics], defaultValue=0),
            text,
        )

    @staticmethod
    def metrics():
        """Labels, and the words of the program; None leaves it the choice."""
        return [
            (tr("Automatic: straight lines on regional maps, else geodesics"), None),
            (tr("Geodesics on the ellipsoid"), "geodesic"),
            (tr("Great circles on the sphere"), "great-circle"),
            (tr("Straight lines on the map"), "euclidean"),
            (tr("Manhattan: |Δx| + |Δy| on the map"), "manhattan"),
            (tr("Chebyshev: max(|Δx|, |Δy|) on the map"), "chebyshev"),
        ]

    @staticmethod
    def weightings():
        return [
            (tr("None: the distance d"), None),
            (tr("Multiplicative: d / w"), "multiplicative"),
            (tr("Additive: d + w"), "additive"),
            (tr("Power: d² − w"), "power"),
        ]

    def add_raster_metric(self):
        self.add_metric(
            self.metrics(),
            tr(
                "Geodesics and great circles work on projected rasters too, through the inverse projection. The others are "
                "measured on the map and need a projected coordinate system, or none."
            ),
        )

    def add_choice(self):
        """Parameters of prepare_choice."""
        self.add_limits()
        self.add_weights()

    def add_limits(self):
        self.add(
            QgsProcessingParameterNumber(
                self.MAX_DISTANCE, tr("Farthest distance (metres on the globe, map units on the map)"),
                QgsProcessingParameterNumber.Type.Double, None, optional=True, minValue=0.0,
            ),
            tr("Seeds farther away than this do not count; those just as far do. Cells without a seed are empty."),
        )
        self.add(
            QgsProcessingParameterMapLayer(
                self.MASK, tr("Mask"), optional=True,
                types=[QgsProcessing.SourceType.TypeRaster, QgsProcessing.SourceType.TypeVectorPolygon],
            ),
            tr(
                "Cells outside are empty: polygons, or a raster, whose empty cells and zeros are outside. Any coordinate "
                "system will do."
            ),
        )

    def add_weights(self):
        self.add(
            QgsProcessingParameterEnum(
                self.WEIGHTING, tr("Weighting"), [label for label, _ in self.weightings()], defaultValue=0
            ),
            tr(
                "What is compared instead of the distance d, with each seed's weight w: d / w with w above 0, d + w with w in "
                "units of distance, or d² − w (not for geodesics). Distances in the results stay plain distances."
            ),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterField(
                self.WEIGHT_FIELD, tr("Field of the weights"), parentLayerParameterName=self.INPUT, optional=True,
                type=QgsProcessingParameterField.DataType.Numeric,
            ),
            tr("The seeds' weights w."),
            advanced=True,
        )

    def add_distance(self):
        self.add_raster(
            self.DISTANCE,
            tr("Distances to the seeds"),
            tr("A raster of the distance from each cell to its seed: metres on the globe, else units of the map."),
            optional=True,
        )

    def add_neighbors(self):
        self.add(
            QgsProcessingParameterNumber(
                self.NEIGHBORS, tr("Number of nearest seeds (k)"), QgsProcessingParameterNumber.Type.Integer, 1, minValue=1,
                maxValue=64,
            ),
            tr("Band 1 of the results is about the nearest seed, band 2 about the second nearest, and so on to band k."),
        )

    def add_double(self):
        self.add(
            QgsProcessingParameterBoolean(self.DOUBLE, tr("Distances in double precision"), defaultValue=False),
            tr("Writes distances as Float64 instead of Float32."),
            advanced=True,
        )

    def add_azimuth(self):
        self.add_raster(
            self.AZIMUTH,
            tr("Directions to the seeds"),
            tr("A raster of the direction from each cell to its seed: degrees clockwise from north."),
            optional=True,
        )

    def add_skip_invalid(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.SKIP_INVALID, tr("Leave out points without usable coordinates"), defaultValue=False
            ),
            tr(
                "Points without geometry, with infinite coordinates or a latitude beyond 90° are left out and counted, instead "
                "of being an error. So are seeds with an empty id."
            ),
            advanced=True,
        )

    def add_advanced(self):
        self.add_skip_invalid()
        self.add_backend()
        self.add_options()

    def add_options(self):
        self.add(
            QgsProcessingParameterString(self.OPTIONS, tr("Creation options"), optional=True),
            tr("Options of the raster's format, NAME=VALUE, separated by |, for example COMPRESS=DEFLATE|BIGTIFF=YES."),
            advanced=True,
        )

    def add_backend(self, needs="allocates_grids"):
        backend = QgsProcessingParameterString(self.BACKEND, tr("Backend"), defaultValue="auto", optional=True)
        backend.setMetadata({"widget_wrapper": {"class": "gpuvoronoi_processing.widgets.Choice", "listing": "backends", "needs": needs}})
        self.add(
            backend,
            tr(
                "How to compute: auto, or a name that “gpuvoronoi backends” lists, such as one for the graphics card. All "
                "give the same result."
            ),
            advanced=True,
        )
        device = QgsProcessingParameterString(self.DEVICE, tr("Graphics card"), optional=True)
        device.setMetadata({"widget_wrapper": {"class": "gpuvoronoi_processing.widgets.Choice", "listing": "devices"}})
        self.add(
            device,
            tr("Its number, as “gpuvoronoi devices” counts, for backends that compute on one. Without it: the first that can be used."),
            advanced=True,
        )

    def add_polygons(self, name, label, text):
        """A layer that the program makes."""
        polygons = QgsProcessingParameterVectorDestination(
            name, label, QgsProcessing.SourceType.TypeVectorPolygon, optional=True, createByDefault=False
        )
        self.add(polygons, text)

    def add_raster(self, name, label, text, optional=False):
        self.add(
            QgsProcessingParameterRasterDestination(name, label, optional=optional, createByDefault=not optional), text
        )
