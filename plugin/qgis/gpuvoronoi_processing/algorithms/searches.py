"""What algorithms have in common that search for the nearest features of a layer."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
)

from .. import messages
from ..geodesics import GLOBE
from ..i18n import tr
from ..searched import automatic_metric
from .base import Common


class Searches(Common):
    REFERENCE, REFERENCE_FIELD = "REFERENCE", "REFERENCE_FIELD"

    whole_ids = False

    def add_points(self, text):
        points = [QgsProcessing.SourceType.TypeVectorPoint]
        self.add(QgsProcessingParameterFeatureSource(self.INPUT, tr("Points"), points), text)

    def add_neighbors(self):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.REFERENCE,
                tr("Neighbors"),
                [QgsProcessing.SourceType.TypeVectorAnyGeometry],
                optional=True,
            ),
            tr(
                "The points, lines or polygons to search. Lines and polygons are at the distance of their closest "
                "point (0 within a polygon). Without a layer: the same points; a point is not its own neighbor."
            ),
        )
        self.add(
            QgsProcessingParameterField(
                self.REFERENCE_FIELD,
                tr("Id field of the neighbors"),
                parentLayerParameterName=self.REFERENCE,
                optional=True,
                type=QgsProcessingParameterField.DataType.Any,
            ),
            tr("The id of a neighbor in the result. Without a field: the feature id."),
        )

    def add_search_metric(self):
        """How distances are measured."""
        self.add_metric(
            self.metrics(),
            tr(
                "Geodesics and great circles are in meters. The others are measured in the coordinate system of the "
                "points, in its units; vertices of lines and polygons are transformed to it."
            ),
        )

    def add_reach(self):
        """How distances are measured, and which count."""
        self.add_search_metric()
        self.add(
            QgsProcessingParameterNumber(
                self.MAX_DISTANCE,
                tr("Maximum distance (meters on the globe, map units on the map)"),
                QgsProcessingParameterNumber.Type.Double,
                None,
                optional=True,
                minValue=0.0,
            ),
            tr("Neighbors farther away do not count; neighbors at exactly this distance do."),
        )

    def chosen_metric(self, parameters, context, feedback, points, reference):
        """The program's name of the metric, which is logged. `reference` may be None."""
        metric, reason = (
            self.metrics()[self.parameterAsEnum(parameters, self.METRIC, context)][1],
            messages.REQUESTED,
        )
        if metric is None:
            metric, reason = automatic_metric(points.crs)
        feedback.pushInfo(
            tr("Distances: {metric}, {reason}").format(
                metric=messages.metric(metric), reason=messages.reason(reason)
            )
        )
        if metric not in GLOBE and points.crs.isGeographic():
            raise QgsProcessingException(
                tr(
                    "Distances on the map are not supported for degrees; use points in a projected coordinate system"
                )
            )
        if metric in GLOBE and not all(
            layer.crs.isValid() for layer in (points, reference) if layer is not None
        ):
            raise QgsProcessingException(
                tr("Distances on the globe need layers with a coordinate system")
            )
        return metric

    def search_options(self, parameters, context):
        """The program's options besides the metric and k."""
        options = self.shape_options(parameters, context)
        if self.given(parameters, self.MAX_DISTANCE):
            options.append(
                f"--max-distance={self.parameterAsDouble(parameters, self.MAX_DISTANCE, context)!r}"
            )
        return options
