"""Write nearest neighbours into fields: also "in place", into the layer that is being edited."""

from qgis.core import (
    NULL,
    QgsFeatureSink,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingFeatureBasedAlgorithm,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
)

from .. import field_types as types
from ..i18n import tr
from ..layers import Features
from ..searched import MOST_NEIGHBORS, LayerFeatures, kth_nearest
from .searches import Searches


class WriteNearest(Searches, QgsProcessingFeatureBasedAlgorithm):
    RANK, ID_FIELD, DISTANCE_FIELD = "RANK", "ID_FIELD", "DISTANCE_FIELD"

    def name(self):
        return "writenearest"

    def displayName(self):
        return tr("Write nearest neighbours into fields")

    def tags(self):
        return tr("nearest,neighbour,neighbor,distance,field,attribute,edit,in place,update").split(",")

    def description(self):
        return tr(
            "<p>Writes the id of the nearest feature of another layer, and the distance to it, into fields of every "
            "point. Points without such a neighbour get empty values.</p><p>With <i>Edit features in place</i>, the "
            "pencil of the toolbox, it changes the layer itself: the selected features, or all if none is selected. "
            "The changes can be undone until they are saved.</p>"
        )

    def examples(self):
        return [
            (tr("The number of the nearest station, and the distance to it, for every school:"),
             {"INPUT": "schools.gpkg", "REFERENCE": "stations.gpkg", "REFERENCE_FIELD": "number", "ID_FIELD": "station",
              "DISTANCE_FIELD": "metres", "OUTPUT": "schools_with_stations.gpkg"}),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_points(tr("The points to find neighbours for. Of a multipoint the nearest point counts."))
        self.add_neighbours()
        self.add(
            QgsProcessingParameterNumber(
                self.RANK, tr(
                    "Which neighbour (1: the nearest)"
                ), QgsProcessingParameterNumber.Type.Integer, 1, minValue=1,
                maxValue=MOST_NEIGHBORS,
            ),
            tr("2 is the second nearest, and so on to 1,024."),
        )
        self.add_reach()
        for name, label, kind, words in (
            (self.ID_FIELD, tr("Field for the neighbour's id"), QgsProcessingParameterField.DataType.Any,
             tr("A field of the points that takes ids: of whole numbers, or of text.")),
            (self.DISTANCE_FIELD, tr("Field for the distance"), QgsProcessingParameterField.DataType.Numeric,
             tr("A field of the points that takes distances: metres on the globe, else units of the map.")),
        ):
            self.add(
                QgsProcessingParameterField(name, label, parentLayerParameterName=self.INPUT, optional=True, type=kind),
                words,
            )
        self.add_shapes()
        self.add_backend("searches_points")
        self.add(
            QgsProcessingParameterFeatureSink(self.OUTPUT, tr("Points with their nearest")),
            tr("The points, with values in both fields."),
        )

    def outputName(self):
        return tr("Points with their nearest")

    def inputLayerTypes(self):
        return [QgsProcessing.SourceType.TypeVectorPoint]

    def outputCrs(self, crs):
        return crs if crs.isValid() else self.points.crs

    def sinkFlags(self):
        return QgsFeatureSink.SinkFlag.RegeneratePrimaryKey

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        if well and not self.given(parameters, self.ID_FIELD) and not self.given(parameters, self.DISTANCE_FIELD):
            return False, tr("Missing field to write into; choose one")
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        self.points = Features(self, parameters, self.INPUT, context, [""])
        layer = self.vector_layer(parameters, self.INPUT, context)
        self.own = not self.given(parameters, self.REFERENCE)
        if not self.own:
            field = self.parameterAsString(parameters, self.REFERENCE_FIELD, context)
            self.reference = Features(self, parameters, self.REFERENCE, context, [field])
        elif layer is not None:
            self.reference = LayerFeatures(layer)  # all of it, if only a selection is to be written
        else:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.REFERENCE))
        self.rank = self.parameterAsInt(parameters, self.RANK, context)
        self.metric = self.chosen_metric(parameters, context, feedback, self.points, self.reference)
        self.options = [*self.engine_options(parameters, context), *self.search_options(parameters, context)]
        known, self.fields = self.points.source.fields(), []
        for name in (self.ID_FIELD, self.DISTANCE_FIELD):
            field = self.parameterAsString(parameters, name, context)
            index = known.lookupField(field) if field else -1
            if field and index < 0:
                raise self.points.unknown(field)
            self.fields.append((index, known[index].type() == types.STRING if field else False))
        self.found = None
        return True

    def processFeature(self, feature, context, feedback):
        if self.found is None:
            self.found = kth_nearest(
                self.points, self.reference, self.rank, self.metric, context, feedback, self.own, self.options
            )
        if self.found is None:
            return [feature]  # the user cancelled
        _, *values = self.found.get(feature.id(), (None, NULL, NULL))
        for (index, text), value in zip(self.fields, values):
            if index >= 0:
                feature.setAttribute(index, types.as_text(value) if text else value)
        return [feature]
