"""k nearest neighbors: for every point of a layer the k nearest features of another, as a table."""

from qgis.core import (
    QgsCoordinateTransform,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
    QgsProcessingUtils,
    QgsWkbTypes,
)

from .. import engine, styles
from .. import field_types as types
from ..geodesics import GLOBE, Geodesics
from ..i18n import number_text, tr
from ..layers import (
    CHECK_CANCEL_EVERY,
    Features,
    half_axes,
    lines_or_polygons,
    no_lines_or_polygons,
    no_points,
)
from ..searched import MOST_NEIGHBORS, read_rows, without_self, written
from .searches import Searches

NO_GEOMETRY, POINTS, LINES = range(3)
GEOMETRY_TYPES = (
    QgsWkbTypes.Type.NoGeometry,
    QgsWkbTypes.Type.Point,
    QgsWkbTypes.Type.MultiLineString,
)


class KNearest(Searches, QgsProcessingAlgorithm):
    GEOMETRY, ATTRIBUTES, EXCLUDE_SELF = "GEOMETRY", "ATTRIBUTES", "EXCLUDE_SELF"
    LIMIT = Searches.MAX_DISTANCE  # the parameter of how far neighbors may be

    def name(self):
        return "knearest"

    def displayName(self):
        return tr("k nearest neighbors")

    def tags(self):
        return tr("nearest,neighbour,neighbor,knn,distance matrix,hub,geodesic,points").split(",")

    def description(self):
        return tr(
            "<p>Finds, for every point of a layer, the k nearest points, lines or polygons of another layer. The "
            "result is exact; neighbors at equal distances are in the order of their layer.</p><p>The result has a "
            "row for each pair, with the fields <i>input</i> (id of the point), <i>rank</i> (1 for the nearest), "
            "<i>neighbour</i> (id of the neighbor) and <i>distance</i>. A point without a neighbor has one row, in "
            "which these are empty.</p>"
        )

    def examples(self):
        return [
            (
                tr("Lines from every school to its three nearest stations:"),
                {
                    "INPUT": "schools.gpkg",
                    "REFERENCE": "stations.gpkg",
                    "NEIGHBORS": 3,
                    "OUTPUT": "lines.gpkg",
                },
            ),
            (
                tr("The line from every house to the nearest road:"),
                {"INPUT": "houses.gpkg", "REFERENCE": "roads.gpkg", "OUTPUT": "access.gpkg"},
            ),
            (
                tr("A table of the nearest other point of the same layer, at most 1 km away:"),
                {"INPUT": "trees.gpkg", "MAX_DISTANCE": 1000, "GEOMETRY": 0, "OUTPUT": "pairs.csv"},
            ),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_points(
            tr("The points to find neighbors for. Each point of a multipoint counts separately.")
        )
        self.add(
            QgsProcessingParameterField(
                self.FIELD,
                tr("Id field of the points"),
                parentLayerParameterName=self.INPUT,
                optional=True,
                type=QgsProcessingParameterField.DataType.Any,
            ),
            tr("The id of a point in the result. Without a field: the feature id."),
        )
        self.add_neighbors()
        self.add_count()
        self.add(
            QgsProcessingParameterEnum(
                self.GEOMETRY,
                tr("Geometry of the rows"),
                [tr("None: a table"), tr("The point"), tr("A line to the neighbor")],
                defaultValue=LINES,
            ),
            self.line_help(),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.ATTRIBUTES, tr("Attributes of both layers"), defaultValue=False
            ),
            tr(
                "Adds the attributes of the point, and those of the neighbor with the prefix “neighbour_”."
            ),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.EXCLUDE_SELF, tr("No feature is its own neighbor"), defaultValue=False
            ),
            tr(
                "For two layers that are the same, or selections of it: a feature's own points are not its neighbors. "
                "Without a second layer they never are."
            ),
        )
        self.add_shapes()
        self.add_skip_invalid()
        self.add_backend("searches_points")
        self.add(
            QgsProcessingParameterFeatureSink(self.OUTPUT, self.output_label()),
            tr("A row for each point and neighbor."),
        )

    def add_count(self):
        """How many neighbors."""
        self.add(
            QgsProcessingParameterNumber(
                self.NEIGHBORS,
                tr("Number of neighbors (k)"),
                QgsProcessingParameterNumber.Type.Integer,
                1,
                minValue=1,
                maxValue=MOST_NEIGHBORS,
            ),
            tr("How many neighbors of each point: 1 to 1,024."),
        )
        self.add_reach()

    def output_label(self):
        return tr("Nearest neighbors")

    def line_help(self):
        return tr(
            "Lines are geodesics if distances are measured on the globe. They begin and end at their points and "
            "are cut at ±180° (at 0° and 360° in layers with longitudes beyond ±180°)."
        )

    def confirm_count(self, parameters, context, feedback):
        """A large result needs a confirmation."""
        count = self.parameterAsInt(parameters, self.NEIGHBORS, context)
        rows = self.points.source.featureCount() * count
        self.confirm_size(self.NEIGHBORS, feedback, rows=rows)

    def count_options(self, parameters, context, reference, others):
        """The program's options for how many neighbors and how far; `others` than the feature's own are wanted."""
        count = self.parameterAsInt(parameters, self.NEIGHBORS, context)
        count = min(count + (reference.most_rows() if others else 0), MOST_NEIGHBORS)
        return ["-k", str(count), *self.search_options(parameters, context), *reference.options()]

    def found_rows(self, rows, points, reference, others, parameters, context):
        """The program's rows as those of the result."""
        count = self.parameterAsInt(parameters, self.NEIGHBORS, context)
        reference.look_up(count)
        return without_self(rows, points, reference, count) if others else rows

    def ranks(self, parameters, context):
        """How many ranks of lines have a color of their own."""
        return self.parameterAsInt(parameters, self.NEIGHBORS, context)

    def title(self):
        return tr("{points} and their nearest").format(points=self.points.label)

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        layer = self.vector_layer(parameters, self.INPUT, context) if well else None
        if layer is not None and lines_or_polygons(layer.geometryType()):
            return False, no_lines_or_polygons(layer.name())
        if (
            well
            and self.parameterAsBoolean(parameters, self.EXCLUDE_SELF, context)
            and self.given(parameters, self.REFERENCE)
        ):
            layers = [
                self.vector_layer(parameters, name, context)
                for name in (self.INPUT, self.REFERENCE)
            ]
            if None in layers or layers[0].source() != layers[1].source():
                label = self.label(self.EXCLUDE_SELF)
                return False, tr("“{}” requires that both layers are the same").format(label)
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        self.points = self.read_points(parameters, self.INPUT, self.FIELD, context)
        self.reference = None
        if self.given(parameters, self.REFERENCE):
            self.reference = self.read_points(
                parameters, self.REFERENCE, self.REFERENCE_FIELD, context
            )
        self.confirm_count(parameters, context, feedback)
        return True

    def read_points(self, parameters, name, field, context):
        return Features(
            self, parameters, name, context, [self.parameterAsString(parameters, field, context)]
        )

    def processAlgorithm(self, parameters, context, feedback):
        metric = self.chosen_metric(parameters, context, feedback, self.points, self.reference)
        globe = metric in GLOBE
        geometry = self.parameterAsEnum(parameters, self.GEOMETRY, context)

        skip_invalid = self.parameterAsBoolean(parameters, self.SKIP_INVALID, context)
        self.attributes = self.parameterAsBoolean(parameters, self.ATTRIBUTES, context)
        both = written(
            self.points, self.reference, metric, context, self.attributes, feedback, skip_invalid
        )
        if both is None:
            return {}
        points, reference = both

        sink, destination = self.parameterAsSink(
            parameters,
            self.OUTPUT,
            context,
            self.output_fields(),
            GEOMETRY_TYPES[geometry],
            self.points.crs,
            QgsFeatureSink.SinkFlag.RegeneratePrimaryKey,  # which may be among the attributes
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))

        found = QgsProcessingUtils.generateTempFilename("neighbors.csv")
        options = [
            "search",
            "--reference",
            reference.path,
            "--metric",
            metric,
            *self.common_options(parameters, context),
        ]
        others = reference is not points and self.parameterAsBoolean(
            parameters, self.EXCLUDE_SELF, context
        )
        if reference is not points:
            options += ["--queries", points.path]
        options += self.count_options(parameters, context, reference, others)
        if points.ids:
            if not reference.ids:
                raise no_points(self.reference.name)
            searched = engine.run(
                [*options, "--", found],
                [found],
                feedback,
                lambda percent: feedback.setProgress(20.0 + 0.5 * percent),
            )
            if not searched:
                return {}
            if globe:
                drawing = GeodesicDrawing(points, reference, self.points.crs, metric)
            else:
                drawing = Drawing(points, reference, self.points.crs)
            draw = {NO_GEOMETRY: None, POINTS: drawing.point, LINES: drawing.line}[geometry]
            rows = self.found_rows(read_rows(found), points, reference, others, parameters, context)
            alone = self.fill(sink, rows, points, reference, draw, feedback)
            self.report_loneliness(alone, len(points.ids), parameters, feedback)
        styles.rename(context, destination, self.label(self.OUTPUT), self.title())
        if geometry == LINES:
            styles.spider(context, destination, self.ranks(parameters, context))
        return {self.OUTPUT: destination}

    def output_fields(self):
        fields = QgsFields()
        reference = self.points if self.reference is None else self.reference
        fields.append(self.points.id_column("input"))
        fields.append(QgsField("rank", types.INT))
        fields.append(reference.id_column("neighbour"))
        fields.append(QgsField("distance", types.DOUBLE))
        if self.attributes:
            fields = QgsProcessingUtils.combineFields(fields, self.points.source.fields())
            fields = QgsProcessingUtils.combineFields(
                fields, reference.source.fields(), "neighbour_"
            )
        return fields

    def fill(self, sink, rows, points, reference, draw, feedback):
        """Turns the program's rows into features. How many points have no neighbor."""
        alone = 0
        fields = self.output_fields()
        total = len(points.ids) * 1.0
        missing = [None] * reference.points.source.fields().count()
        made = []
        for count, (query, rank, index, distance, found) in enumerate(rows):
            if count % CHECK_CANCEL_EVERY == 0:
                if feedback.isCanceled():
                    return 0
                feedback.setProgress(70.0 + 30.0 * query / total)
                self.put(sink, made)
                made = []
            if index < 0 and rank > 1:
                continue
            alone += index < 0
            feature = QgsFeature(fields)
            values = (
                [points.ids[query], None, None, None]
                if index < 0
                else [points.ids[query], rank, reference.ids[index], distance]
            )
            if self.attributes:
                values += points.attributes[query] + (
                    missing if index < 0 else reference.attributes[index]
                )
            feature.setAttributes(values)
            shape = draw(query, index, found) if draw is not None else None
            if shape is not None:
                feature.setGeometry(shape)
            made.append(feature)
        self.put(sink, made)
        return alone

    @staticmethod
    def put(sink, features):
        if features and not sink.addFeatures(features, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(tr("Cannot write the result"))

    def report_loneliness(self, alone, count, parameters, feedback):
        if alone == count and self.given(parameters, self.LIMIT):
            label = self.label(self.LIMIT)
            feedback.pushWarning(
                tr("0 of {count} points have a neighbor; limited by “{label}”").format(
                    count=number_text(count), label=label
                )
            )
        elif alone:
            feedback.pushInfo(
                tr("Points without a neighbor: {alone} of {count}").format(
                    alone=number_text(alone), count=number_text(count)
                )
            )


class Drawing:
    """Geometries of the rows, in the coordinate system of the result."""

    def __init__(self, points, reference, crs):
        self.points = points
        self.reference = reference
        self.back = None
        if points.crs.isValid() and points.crs != crs:
            self.back = QgsCoordinateTransform(points.crs, crs, points.context.transformContext())

    def finished(self, geometry):
        if self.back is not None:
            geometry.transform(self.back)
        return geometry

    def point(self, query, index, rank):
        return self.finished(
            QgsGeometry.fromPointXY(QgsPointXY(self.points.x[query], self.points.y[query]))
        )

    def ends(self, query, index, rank):
        points, reference = self.points, self.reference
        return QgsPointXY(points.x[query], points.y[query]), reference.place(query, index, rank)

    def line(self, query, index, rank):
        return (
            self.finished(QgsGeometry.fromMultiPolylineXY([list(self.ends(query, index, rank))]))
            if index >= 0
            else None
        )


class GeodesicDrawing(Drawing):
    def __init__(self, points, reference, crs, metric):
        super().__init__(points, reference, crs)
        semi_major, semi_minor = half_axes(points.crs)
        if metric == "great-circle":
            semi_major = semi_minor = (2.0 * semi_major + semi_minor) / 3.0
        self.geodesics = Geodesics(semi_major, semi_minor)

    def line(self, query, index, rank):
        if index < 0:
            return None
        return self.finished(self.geodesics.geometry(*self.ends(query, index, rank)))
