"""Within a distance: for every point of a layer all features of another that are near enough."""

from qgis.core import QgsProcessingException, QgsProcessingParameterNumber

from .. import program
from ..i18n import tr
from ..layers import lines_or_polygons
from ..searched import with_every_query, without_self
from .k_nearest import LINES, KNearest


class WithinDistance(KNearest):
    RADIUS = "RADIUS"
    LIMIT = RADIUS

    def canExecute(self):
        message = program.refusal(command_only=True)
        return not message, message

    def name(self):
        return "withindistance"

    def displayName(self):
        return tr("Within a distance")

    def tags(self):
        return tr(
            "nearest,neighbour,neighbor,radius,range,buffer,within,distance,catchment,reach,geodesic,points"
        ).split(",")

    def description(self):
        return tr(
            "<p>Finds, for every point of a layer, all points, lines or polygons of another layer that are at most a "
            "distance away. The result is exact; neighbors at equal distances are in the order of their layer.</p>"
            "<p>The result has a row for each pair, the nearest first, with the fields <i>input</i> (id of the point), "
            "<i>rank</i> (1 for the nearest), <i>neighbour</i> (id of the neighbor) and <i>distance</i>. A point "
            "without a neighbor has one row, in which these are empty.</p>"
        )

    def examples(self):
        return [
            (
                tr("Lines from every school to all bus stops within 500 m:"),
                {
                    "INPUT": "schools.gpkg",
                    "REFERENCE": "stops.gpkg",
                    "RADIUS": 500,
                    "OUTPUT": "lines.gpkg",
                },
            ),
            (
                tr("A table of the rivers and lakes within 2 km of every well:"),
                {
                    "INPUT": "wells.gpkg",
                    "REFERENCE": "waters.gpkg",
                    "RADIUS": 2000,
                    "GEOMETRY": 0,
                    "OUTPUT": "waters.csv",
                },
            ),
        ]

    def add_count(self):
        self.add_search_metric()
        self.add_number(
            QgsProcessingParameterNumber(
                self.RADIUS,
                tr("Distance (meters on the globe, map units on the map)"),
                QgsProcessingParameterNumber.Type.Double,
                1000.0,
                minValue=0.0,
            ),
            tr("All neighbors at most this far; those at exactly this distance are within it."),
        )

    def output_label(self):
        return tr("Neighbors within the distance")

    def line_help(self):
        return super().line_help() + " " + tr("To lines and polygons no lines are drawn.")

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        reference = self.vector_layer(parameters, self.REFERENCE, context) if well else None
        shapes = reference is not None and lines_or_polygons(reference.geometryType())
        if shapes and self.draws_lines(parameters, context):
            return False, self.lines_problem()
        return well, message

    def confirm_count(self, parameters, context, feedback):
        """The number of rows is known only when they are found."""

    def draws_lines(self, parameters, context):
        return self.parameterAsEnum(parameters, self.GEOMETRY, context) == LINES

    def lines_problem(self):
        return tr(
            "“{geometry}”: lines to lines and polygons are not supported; choose the point or a table"
        ).format(geometry=self.label(self.GEOMETRY))

    def count_options(self, parameters, context, reference, others):
        if reference.options() and self.draws_lines(parameters, context):
            raise QgsProcessingException(self.lines_problem())
        radius = self.parameterAsDouble(parameters, self.RADIUS, context)
        return [f"--radius={radius!r}", *self.shape_options(parameters, context)]

    def found_rows(self, rows, points, reference, others, parameters, context):
        if others:
            rows = without_self(rows, points, reference)
        return with_every_query(rows, len(points.ids))

    def ranks(self, parameters, context):
        return 1

    def title(self):
        return tr("{points} and what is near").format(points=self.points.label)
