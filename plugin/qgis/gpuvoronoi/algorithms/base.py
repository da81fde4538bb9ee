"""What the algorithms have in common: how they present themselves, parameters that several have, running the program."""

import html
import math
import os
import re

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingOutputLayerDefinition,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsProcessingUtils,
    QgsProperty,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)

from .. import about, command, help_page, results
from .. import field_types as types
from ..i18n import tr
from ..layers import CHECK_CANCEL_EVERY, Features, Polygons, crs_text, layer_file, raster_file

LAYERS = (QgsProcessingParameterFeatureSource, QgsProcessingParameterMapLayer, QgsProcessingParameterRasterLayer)
NO_FILE = re.compile(r"memory:|[a-z]+:.*=", re.IGNORECASE)  # destinations in memory and in databases, such as ogr:dbname=…
READING = 10.0  # per cent of the bar for layers that have to be written for the program first


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm of the provider. Subclasses define name, displayName, tags, description and the parameters."""

    INPUT, FIELD, OUTPUT = "INPUT", "FIELD", "OUTPUT"
    EXTENT, RESOLUTION, CRS, TEMPLATE = "EXTENT", "RESOLUTION", "CRS", "TEMPLATE"
    MAX_DISTANCE, MASK, WEIGHTING, WEIGHT_FIELD = "MAX_DISTANCE", "MASK", "WEIGHTING", "WEIGHT_FIELD"
    DISTANCE, POLYGONS = "DISTANCE", "POLYGONS"
    METRIC, SKIP_INVALID, BACKEND, OPTIONS = "METRIC", "SKIP_INVALID", "BACKEND", "OPTIONS"
    DEVICE, EDGES, BOUNDARY, SIGNED = "DEVICE", "EDGES", "BOUNDARY", "SIGNED"
    NEIGHBORS, DOUBLE, AZIMUTH = "NEIGHBORS", "DOUBLE", "AZIMUTH"

    whole_ids = True  # of the field's values a raster is made

    def createInstance(self):
        return type(self)()

    def group(self):
        return tr("Nearest seeds")

    def groupId(self):
        return "nearest"

    def icon(self):
        return about.icon(self.name())

    def helpUrl(self):
        return help_page.url(self)

    def description(self):
        """What the algorithm is for, as HTML paragraphs."""
        raise NotImplementedError

    def examples(self):
        """Pairs of a sentence and the parameters, as a dict, that do what it says."""
        raise NotImplementedError

    def shortHelpString(self):
        parameters = "".join(
            f"<p><b>{html.escape(parameter.description())}</b><br>{html.escape(parameter.help())}</p>"
            for parameter in self.parameterDefinitions()
        )
        return self.description() + parameters

    def canExecute(self):
        try:
            command.find_program()
        except command.MissingProgram as missing:
            return False, str(missing)
        return True, ""

    # ---------------------------------------------------------------------------------------------- parameters

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
        field = QgsProcessingParameterField(
            self.FIELD, tr("Id field"), parentLayerParameterName=self.INPUT, optional=True,
            type=QgsProcessingParameterField.DataType.Any,
        )
        field.setMetadata({"widget_wrapper": {"class": "gpuvoronoi.widgets.IdField"}})
        self.add(
            field,
            tr(
                "The values of the raster: an integer field as it is, where seeds of one id have one region together; of a "
                "text field the number of the first row with that text, counted from 0, with the text in the raster's attribute "
                "table, if there are at most 65,535 seeds. Without a field: the feature ids."
            ),
        )

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

    def shape_options(self, parameters, context):
        options = ["--edges", "geodesic"] if self.parameterAsEnum(parameters, self.EDGES, context) else []
        return options + (["--boundary"] if self.parameterAsBoolean(parameters, self.BOUNDARY, context) else [])

    def signed_options(self, parameters, context):
        return ["--signed-distance"] if self.parameterAsBoolean(parameters, self.SIGNED, context) else []

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

    def metric_options(self, parameters, context):
        metric = self.metrics()[self.parameterAsEnum(parameters, self.METRIC, context)][1]
        return [] if metric is None else ["--metric", metric]

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
            self.distance_label(),
            tr("A raster of the distance from each cell to its seed: metres on the globe, else units of the map."),
            optional=True,
        )

    @staticmethod
    def distance_label():
        return tr("Distances to the seeds")

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
            self.azimuth_label(),
            tr("A raster of the direction from each cell to its seed: degrees clockwise from north."),
            optional=True,
        )

    @staticmethod
    def azimuth_label():
        return tr("Directions to the seeds")

    def neighbors_options(self, parameters, context):
        neighbours = self.parameterAsInt(parameters, self.NEIGHBORS, context)
        return ["-k", str(neighbours)] if neighbours != 1 else []

    def double_options(self, parameters, context):
        return ["--distance-type", "Float64"] if self.parameterAsBoolean(parameters, self.DOUBLE, context) else []

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
        backend.setMetadata({"widget_wrapper": {"class": "gpuvoronoi.widgets.Choice", "listing": "backends", "needs": needs}})
        self.add(
            backend,
            tr(
                "How to compute: auto, or a name that “gpuvoronoi backends” lists, such as one for the graphics card. All "
                "give the same result."
            ),
            advanced=True,
        )
        device = QgsProcessingParameterString(self.DEVICE, tr("Graphics card"), optional=True)
        device.setMetadata({"widget_wrapper": {"class": "gpuvoronoi.widgets.Choice", "listing": "devices"}})
        self.add(
            device,
            tr("Its number, as “gpuvoronoi devices” counts, for backends that compute on one. Without it: the first that can be used."),
            advanced=True,
        )

    def add_raster(self, name, label, text, optional=False):
        self.add(
            QgsProcessingParameterRasterDestination(name, label, optional=optional, createByDefault=not optional), text
        )

    # ------------------------------------------------------------------------------------------------- running

    def given(self, parameters, name):
        return parameters.get(name) not in (None, "")

    def vector_layer(self, parameters, name, context):
        """The layer of a parameter, also if only its selection is meant; None if there is none."""
        value = parameters.get(name)
        if not isinstance(value, QgsProcessingFeatureSourceDefinition):
            return self.parameterAsVectorLayer(parameters, name, context)
        source = value.source.valueAsString(context.expressionContext())[0]
        layer = QgsProcessingUtils.mapLayerFromString(source, context)
        return layer if isinstance(layer, QgsVectorLayer) else None

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        if well and self.parameterDefinition(self.WEIGHTING) is not None:
            weighted = self.parameterAsEnum(parameters, self.WEIGHTING, context) > 0
            if weighted and not self.given(parameters, self.WEIGHT_FIELD):
                return False, tr("A weighting needs the field of the weights")
        if well and self.whole_ids and self.given(parameters, self.FIELD):
            layer = self.vector_layer(parameters, self.INPUT, context)
            field = self.parameterAsString(parameters, self.FIELD, context)
            index = layer.fields().lookupField(field) if layer is not None else -1
            if index >= 0 and layer.fields()[index].type() == types.DOUBLE:
                return False, tr("“{field}” is a field of numbers with fractions: ids are whole numbers or text").format(field=field)
        if well and self.given(parameters, self.TEMPLATE):
            for other in (self.RESOLUTION, self.CRS):
                if self.given(parameters, other):
                    label = self.parameterDefinition(other).description()
                    return False, tr("“{}” comes from the template raster and cannot be given with it").format(label)
        if well:
            message = self.output_in_use(parameters, context)
        return well and not message, message

    @staticmethod
    def destination(parameters, name, context):
        """Where an output is to go, as text; None if that is not known."""
        value = parameters.get(name)
        if isinstance(value, QgsProcessingOutputLayerDefinition):
            value = value.sink
        if isinstance(value, QgsProperty):
            value = value.valueAsString(context.expressionContext())[0]
        return value if isinstance(value, str) else None

    def vector_output(self, parameters, name, context):
        """The file that the program is to make for a layer. Memory and databases get theirs by finish_vector()."""
        destination = self.destination(parameters, name, context) or ""
        if NO_FILE.match(destination):
            return QgsProcessingUtils.generateTempFilename(f"{name.lower()}.gpkg")
        return self.parameterAsOutputLayer(parameters, name, context)

    def finish_vector(self, parameters, name, context, feedback, path):
        """Where the layer is in the end; None if the user cancelled."""
        if not NO_FILE.match(self.destination(parameters, name, context) or ""):
            return path
        made = QgsVectorLayer(path, name, "ogr")
        if not made.isValid():
            raise QgsProcessingException(tr("{} cannot be read").format(path))
        keys = made.primaryKeyAttributes()
        kept = [index for index in range(made.fields().count()) if index not in keys]
        fields = QgsFields()
        for index in kept:
            fields.append(made.fields()[index])
        sink, destination = self.parameterAsSink(parameters, name, context, fields, made.wkbType(), made.crs())
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, name))
        for count, feature in enumerate(made.getFeatures()):
            if count % CHECK_CANCEL_EVERY == 0 and feedback.isCanceled():
                return None
            copy = QgsFeature(fields)
            copy.setGeometry(feature.geometry())
            copy.setAttributes([feature.attribute(index) for index in kept])
            if not sink.addFeature(copy, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(tr("The result could not be written"))
        return destination

    def output_in_use(self, parameters, context):
        """What is wrong with an output that would replace the file of a layer that is open or an input; else nothing."""
        files = {}
        for layer in self.layers_in_use(parameters, context):
            files.setdefault(layer_file(layer), layer.name())
        for definition in self.destinationParameterDefinitions():
            value = self.destination(parameters, definition.name(), context)
            if value and os.path.exists(value) and os.path.realpath(value) in files:
                return tr("“{output}”: {file} is the file of the layer “{layer}”, choose another one or remove the layer").format(
                    output=definition.description(), file=value, layer=files[os.path.realpath(value)]
                )
        return ""

    def layers_in_use(self, parameters, context):
        if context.project() is not None:
            yield from context.project().mapLayers().values()
        for definition in self.parameterDefinitions():
            if definition.isDestination() or not self.given(parameters, definition.name()):
                continue
            if isinstance(definition, QgsProcessingParameterMultipleLayers):
                yield from self.parameterAsLayerList(parameters, definition.name(), context)
            elif isinstance(definition, LAYERS):
                layer = self.vector_layer(parameters, definition.name(), context)
                layer = layer or self.parameterAsLayer(parameters, definition.name(), context)
                if layer is not None:
                    yield layer

    def prepare_seeds(self, parameters, context, *fields):
        """`fields` are those that the program needs besides the id."""
        field = self.parameterAsString(parameters, self.FIELD, context)
        self.seeds = Features(self, parameters, self.INPUT, context, [field, *fields])
        self.skip_invalid = self.parameterAsBoolean(parameters, self.SKIP_INVALID, context)

    mask_polygons = None
    skip_invalid = False
    limits = ()  # parameters that leave cells out

    def prepare_grid(self, parameters, context):
        """Looks at the layers, on the main thread: self.grid are the options of the program."""
        template = self.parameterAsRasterLayer(parameters, self.TEMPLATE, context)
        if self.given(parameters, self.TEMPLATE) and template is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.TEMPLATE))
        if template is not None:
            self.grid = self.template_grid(template, parameters, context)
            return
        crs = self.parameterAsCrs(parameters, self.CRS, context)
        self.grid = ["--crs", crs_text(crs)] if crs.isValid() else []
        extent = self.parameterAsExtent(parameters, self.EXTENT, context, crs if crs.isValid() else self.seeds.crs)
        if not extent.isNull():
            self.grid.append(extent_option(extent))
        if self.given(parameters, self.RESOLUTION):
            self.grid.append(f"--res={self.parameterAsDouble(parameters, self.RESOLUTION, context)!r}")

    def template_grid(self, template, parameters, context):
        if not self.given(parameters, self.EXTENT):
            return ["--like", raster_file(template)]
        wanted = self.parameterAsExtent(parameters, self.EXTENT, context, template.crs())
        extent, width, height = snapped(template.extent(), template.width(), template.height(), wanted)
        grid = [extent_option(extent), f"--size={width},{height}"]
        return grid + (["--crs", crs_text(template.crs())] if template.crs().isValid() else [])

    def prepare_choice(self, parameters, context, feedback):
        """What decides about the nearest besides the metric: self.choice are the options, self.mask_polygons more of them."""
        self.choice = []
        self.mask_polygons = None
        self.limits = [name for name in (self.MASK, self.MAX_DISTANCE) if self.given(parameters, name)]
        if self.given(parameters, self.MAX_DISTANCE):
            self.choice.append(f"--max-distance={self.parameterAsDouble(parameters, self.MAX_DISTANCE, context)!r}")
        mask = self.parameterAsLayer(parameters, self.MASK, context)
        if isinstance(mask, QgsRasterLayer):
            self.choice += ["--mask", raster_file(mask)]
        elif isinstance(mask, QgsVectorLayer):
            self.mask_polygons = Polygons(mask)
        elif self.given(parameters, self.MASK):
            raise QgsProcessingException(tr("The mask could not be loaded"))
        if self.parameterDefinition(self.WEIGHTING) is None:
            return
        self.warn_of_unused_weights(parameters, context, feedback)
        weighting = self.weightings()[self.parameterAsEnum(parameters, self.WEIGHTING, context)][1]
        if weighting is not None:
            self.choice += ["--weighting", weighting, "--weight-field", self.weight_field(parameters, context)]

    def warn_of_unused_weights(self, parameters, context, feedback):
        if self.given(parameters, self.WEIGHT_FIELD) and self.parameterAsEnum(parameters, self.WEIGHTING, context) == 0:
            feedback.pushWarning(
                tr("“{field}” is not used: there is no “{weighting}”").format(
                    field=self.parameterDefinition(self.WEIGHT_FIELD).description(),
                    weighting=self.parameterDefinition(self.WEIGHTING).description(),
                )
            )

    def weight_field(self, parameters, context):
        """The field, if there is a weighting."""
        if self.parameterAsEnum(parameters, self.WEIGHTING, context) == 0:
            return ""
        return self.parameterAsString(parameters, self.WEIGHT_FIELD, context)

    def common_options(self, parameters, context):
        options = [*command.threads(), "--progress", "--overwrite"]
        backend = self.parameterAsString(parameters, self.BACKEND, context)
        if backend:
            options += ["--backend", backend]
        device = self.parameterAsString(parameters, self.DEVICE, context)
        if device:
            options += ["--device", device]
        return options

    def raster_options(self, parameters, context):
        options = self.common_options(parameters, context)
        if self.skip_invalid:
            options.append("--skip-invalid")
        for option in self.parameterAsString(parameters, self.OPTIONS, context).split("|"):
            if option.strip():
                options += ["--co", option.strip()]
        return options

    def run_raster(self, options, output, others, context, feedback):
        """
        Runs the main job. `others` are options that name further files that it makes; `output`, the raster of ids, may be
        None. False if the user cancelled.
        """
        mask = []
        if self.mask_polygons is not None:
            polygons = self.mask_polygons.path(context, feedback)
            if polygons is None:
                return False
            mask = ["--mask", polygons[0]] + (["--mask-layer", polygons[1]] if polygons[1] is not None else [])
        seeds = self.seeds.arguments(
            context, feedback, self.skip_invalid, lambda percent: feedback.setProgress(percent * READING / 100.0)
        )
        if seeds is None:
            return False
        done = READING if self.seeds.file is None else 0.0
        outputs = [] if output is None else [output]
        report = command.run(
            [*seeds, *mask, *options, *(word for pair in others for word in pair), "--", *outputs],
            [*outputs, *(file for _, file in others)],
            feedback,
            lambda percent: feedback.setProgress(done + percent * (100.0 - done) / 100.0),
        )
        if report:
            self.tell_emptiness(report, dict(others), feedback)
        return bool(report)

    def tell_emptiness(self, report, others, feedback):
        """Warns if no cell has a seed, and if seeds have no polygons because they have no cells."""
        limits = [self.parameterDefinition(name).description() for name in self.limits]
        empty = [f"{said['count']:,}" for said in report["warnings"] if said["code"] == "cells-empty"]
        if empty and limits:
            feedback.pushWarning(
                tr("0 of {cells} cells have a seed. What leaves cells out: {limits}").format(
                    cells=empty[0], limits=", ".join(f"“{label}”" for label in limits)
                )
            )
        elif empty:
            feedback.pushWarning(tr("0 of {cells} cells have a seed: none of them has a place on the globe").format(cells=empty[0]))
        elif "--polygons" in others:
            seeds, polygons = report["seeds"]["used"], results.number_of_features(others["--polygons"])
            if polygons < seeds:
                feedback.pushWarning(
                    tr("{count} of {seeds} seeds have no polygon of their own: no cell is theirs, or another has their id").format(
                        count=f"{seeds - polygons:,}", seeds=f"{seeds:,}"
                    )
                )


def extent_option(extent):
    corners = (extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum())
    return "--extent=" + ",".join(repr(corner) for corner in corners)


def snapped(extent, width, height, wanted):
    """The area that covers `wanted` with cells of the grid (extent, width, height), continued on all sides."""
    cell_x, cell_y = extent.width() / width, extent.height() / height
    # An extent has lost a little on its way through text: a cell that it touches by less than this does not count.
    touch = 1e-6
    left = math.floor((wanted.xMinimum() - extent.xMinimum()) / cell_x + touch)
    right = math.ceil((wanted.xMaximum() - extent.xMinimum()) / cell_x - touch)
    top = math.floor((extent.yMaximum() - wanted.yMaximum()) / cell_y + touch)
    bottom = math.ceil((extent.yMaximum() - wanted.yMinimum()) / cell_y - touch)
    area = QgsRectangle(
        extent.xMinimum() + left * cell_x,
        extent.yMaximum() - bottom * cell_y,
        extent.xMinimum() + right * cell_x,
        extent.yMaximum() - top * cell_y,
    )
    return area, max(right - left, 1), max(bottom - top, 1)
