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
    MAX_DISTANCE, MASK, WEIGHTING, WEIGHT_FIELD = (
        "MAX_DISTANCE",
        "MASK",
        "WEIGHTING",
        "WEIGHT_FIELD",
    )
    DISTANCE, POLYGONS = "DISTANCE", "POLYGONS"
    METRIC, SKIP_INVALID, BACKEND, OPTIONS = "METRIC", "SKIP_INVALID", "BACKEND", "OPTIONS"
    MASK_SELECTED = "MASK_SELECTED"
    DEVICE, EDGES, BOUNDARY, SIGNED = "DEVICE", "EDGES", "BOUNDARY", "SIGNED"
    NEIGHBORS, DOUBLE, AZIMUTH = "NEIGHBORS", "DOUBLE", "AZIMUTH"

    def add(self, parameter, text, advanced=False):
        parameter.setHelp(text)
        if advanced:
            parameter.setFlags(
                parameter.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced
            )
        self.addParameter(parameter)

    def add_number(self, parameter, text, advanced=False):
        """A number with a default, which dialogs show in two decimals."""
        parameter.setMetadata({"widget_wrapper": {"decimals": 2}})
        self.add(parameter, text, advanced)

    def add_seeds(self):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.INPUT, tr("Seeds"), [QgsProcessing.SourceType.TypeVectorAnyGeometry]
            ),
            tr(
                "The points, lines or polygons to search. Each point of a multipoint is a seed with the id of the "
                "feature; each line or polygon is one seed, at the distance of its closest point (0 within a polygon). "
                "Of seeds at the same place the first counts."
            ),
        )

    def add_raster_id_field(self):
        self.add_id_field(
            tr(
                "The values of the raster. Integer field: its values; seeds with the same id share a region. Text "
                "field: the number of the first row with that text, from 0; the raster's attribute table has the texts "
                "of up to 65,535 seeds. Default: the feature ids."
            )
        )

    def add_id_field(self, text):
        field = QgsProcessingParameterField(
            self.FIELD,
            tr("Id field"),
            parentLayerParameterName=self.INPUT,
            optional=True,
            type=QgsProcessingParameterField.DataType.Any,
        )
        field.setMetadata({"widget_wrapper": {"class": "gpuvoronoi_processing.widgets.Field"}})
        self.add(field, text)

    def add_shapes(self):
        self.add(
            QgsProcessingParameterEnum(
                self.EDGES,
                tr("Edges of lines and polygons"),
                [
                    tr("Straight in their own coordinates"),
                    tr("Geodesics: the shorter way on the ellipsoid"),
                ],
                defaultValue=0,
            ),
            tr("The line from one vertex to the next. Geodesics are for distances on the globe."),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.BOUNDARY, tr("Use the boundaries of polygons"), defaultValue=False
            ),
            tr("Within a polygon, too, the distance is that to its boundary."),
            advanced=True,
        )

    def add_signed(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.SIGNED, tr("Negative distances within polygons"), defaultValue=False
            ),
            tr("In the raster of distances: minus the distance to the boundary within a polygon."),
            advanced=True,
        )

    def add_grid(self):
        self.add(
            QgsProcessingParameterExtent(self.EXTENT, tr("Extent"), optional=True),
            self.extent_help(),
        )
        self.add(
            QgsProcessingParameterNumber(
                self.RESOLUTION,
                tr("Cell size (units of the raster's coordinate system)"),
                QgsProcessingParameterNumber.Type.Double,
                None,
                optional=True,
                minValue=0.0,
            ),
            self.resolution_help(),
        )
        self.add(
            QgsProcessingParameterCrs(
                self.CRS, tr("Coordinate system of the raster"), optional=True
            ),
            tr("Default: that of the seeds."),
        )
        self.add(
            QgsProcessingParameterRasterLayer(self.TEMPLATE, tr("Template raster"), optional=True),
            tr(
                "The result has the cells and the coordinate system of this raster. With an extent: that area, in "
                "cells that continue the template."
            ),
        )

    def extent_help(self):
        return tr(
            "The area of the raster. Default: the whole globe for longitudes and latitudes, else the extent of the "
            "seeds and 10 % on each side. Longitudes may go beyond 180°."
        )

    def resolution_help(self):
        return tr("Side of the square cells. Default: 2,048 cells on the longer side.")

    def add_metric(self, metrics, text):
        """`metrics` are pairs of a label and the program's word, which may be None for its own choice."""
        self.add(
            QgsProcessingParameterEnum(
                self.METRIC, tr("Distances"), [label for label, _ in metrics], defaultValue=0
            ),
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
    def metrics_of_the_globe():
        """Those for cells that are not a raster's."""
        return [
            (tr("Geodesics on the ellipsoid"), "geodesic"),
            (tr("Great circles on the sphere"), "great-circle"),
        ]

    @staticmethod
    def weightings():
        return [
            (tr("None: the distance d"), None),
            (tr("Multiplicative: d / w"), "multiplicative"),
            (tr("Additive: d + w"), "additive"),
            (tr("Power: d² − w"), "power"),
        ]

    def add_cells_and_neighbors(self):
        """The grid, the metric and which seeds count, of algorithms that make rasters."""
        self.add_grid()
        self.add_raster_metric()
        self.add_neighbors()
        self.add_choice()
        self.add_shapes()
        self.add_signed()

    def add_raster_metric(self):
        self.add_metric(
            self.metrics(),
            tr(
                "Geodesics and great circles are also for projected rasters, by the inverse projection. The others are "
                "measured on the map and need a projected coordinate system, or none."
            ),
        )

    def add_choice(self):
        """Parameters of prepare_choice."""
        self.add_limits()
        self.add_weights()

    def add_limits(self, label=None, help_text=None):
        self.add(
            QgsProcessingParameterNumber(
                self.MAX_DISTANCE,
                label or tr("Maximum distance (meters on the globe, map units on the map)"),
                QgsProcessingParameterNumber.Type.Double,
                None,
                optional=True,
                minValue=0.0,
            ),
            help_text
            or tr(
                "Seeds farther away do not count; seeds at exactly this distance do. Cells without a seed are empty."
            ),
        )
        self.add(
            QgsProcessingParameterMapLayer(
                self.MASK,
                tr("Mask"),
                optional=True,
                types=[
                    QgsProcessing.SourceType.TypeRaster,
                    QgsProcessing.SourceType.TypeVectorPolygon,
                ],
            ),
            tr(
                "Cells outside are empty. Polygons, or a raster with empty cells or zeros outside; in any coordinate "
                "system."
            ),
        )
        self.add_mask_selected()

    def add_mask_selected(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.MASK_SELECTED, tr("Selected features of the mask only"), defaultValue=False
            ),
            tr("Of a mask of polygons."),
            advanced=True,
        )

    def add_weights(self):
        self.add(
            QgsProcessingParameterEnum(
                self.WEIGHTING,
                tr("Weighting"),
                [label for label, _ in self.weightings()],
                defaultValue=0,
            ),
            tr(
                "The value that is compared instead of the distance d, for the weight w of a seed: d / w (w > 0), d + "
                "w (w in units of distance), or d² − w (not for geodesics). Distances in the results are unweighted."
            ),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterField(
                self.WEIGHT_FIELD,
                tr("Field of the weights"),
                parentLayerParameterName=self.INPUT,
                optional=True,
                type=QgsProcessingParameterField.DataType.Numeric,
            ),
            tr("The weights w of the seeds."),
            advanced=True,
        )

    def add_distance(self):
        self.add_raster(
            self.DISTANCE,
            tr("Distances to the seeds"),
            tr(
                "A raster of the distance from each cell to its seed: meters on the globe, else map units."
            ),
            optional=True,
        )

    def add_neighbors(self, help_text=None):
        self.add(
            QgsProcessingParameterNumber(
                self.NEIGHBORS,
                tr("Number of nearest seeds (k)"),
                QgsProcessingParameterNumber.Type.Integer,
                1,
                minValue=1,
                maxValue=64,
            ),
            help_text
            or tr(
                "Bands 1 to k of the results have the nearest, second nearest, ... k-th nearest seed."
            ),
        )

    def add_double(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.DOUBLE, tr("Distances in double precision"), defaultValue=False
            ),
            tr("Writes distances as Float64 instead of Float32."),
            advanced=True,
        )

    def add_azimuth(self):
        self.add_raster(
            self.AZIMUTH,
            tr("Directions to the seeds"),
            tr(
                "A raster of the direction from each cell to its seed: degrees clockwise from north."
            ),
            optional=True,
        )

    def add_skip_invalid(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.SKIP_INVALID,
                tr("Leave out points without usable coordinates"),
                defaultValue=False,
            ),
            tr(
                "Leaves out and counts points without geometry, with infinite coordinates or with a latitude beyond "
                "90°, and seeds with an empty id or value. Otherwise they are errors."
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
            tr(
                "Options of the raster's format, NAME=VALUE, separated by |, for example COMPRESS=DEFLATE|BIGTIFF=YES."
            ),
            advanced=True,
        )

    def add_backend(self, needs=""):
        backend = QgsProcessingParameterString(
            self.BACKEND, tr("Backend"), defaultValue="auto", optional=True
        )
        backend.setMetadata(
            {
                "widget_wrapper": {
                    "class": "gpuvoronoi_processing.widgets.Choice",
                    "listing": "backends",
                    "needs": needs,
                }
            }
        )
        self.add(
            backend,
            tr(
                "The computing method: auto, or a name that “gpuvoronoi backends” lists, for example one for graphics "
                "cards. The result does not depend on it."
            ),
            advanced=True,
        )
        device = QgsProcessingParameterString(self.DEVICE, tr("Graphics card"), optional=True)
        device.setMetadata(
            {
                "widget_wrapper": {
                    "class": "gpuvoronoi_processing.widgets.Choice",
                    "listing": "devices",
                }
            }
        )
        self.add(
            device,
            tr(
                "The number in “gpuvoronoi devices”, for backends that use a graphics card. Default: the first usable "
                "one."
            ),
            advanced=True,
        )

    def add_polygons(self, name, label, text):
        self.add_layer(name, label, QgsProcessing.SourceType.TypeVectorPolygon, text)

    def add_layer(self, name, label, kind, text):
        """A layer that the program makes."""
        self.add(
            QgsProcessingParameterVectorDestination(
                name, label, kind, optional=True, createByDefault=False
            ),
            text,
        )

    def add_raster(self, name, label, text, optional=False, by_default=None):
        """`by_default`: whether dialogs have it checked; None: if it is not optional."""
        self.add(
            QgsProcessingParameterRasterDestination(
                name,
                label,
                optional=optional,
                createByDefault=not optional if by_default is None else by_default,
            ),
            text,
        )
