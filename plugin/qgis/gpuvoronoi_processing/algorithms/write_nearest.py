"""Write nearest neighbors into fields: also "in place", into the layer that is being edited."""

from qgis.core import (
    NULL,
    QgsFeatureSink,
    QgsField,
    QgsFields,
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
    NEW_FIELDS = {ID_FIELD: "nearest_id", DISTANCE_FIELD: "nearest_distance"}  # if neither is given
    in_place, new_fields = False, ()

    def name(self):
        return "writenearest"

    def displayName(self):
        return tr("Write nearest neighbors into fields")

    def tags(self):
        return tr("nearest,neighbour,neighbor,distance,field,attribute,edit,in place,update").split(
            ","
        )

    def description(self):
        return tr(
            "<p>Writes the id of the nearest feature of another layer, and the distance to it, into fields of every "
            "point. Missing fields are added. Points without such a neighbor get empty values.</p><p>With <i>Edit "
            "features in place</i>, the pencil of the toolbox, it changes the layer itself: the selected features, or "
            "all if none is selected. The changes can be undone until they are saved.</p>"
        )

    def examples(self):
        return [
            (
                tr("The number of the nearest station, and the distance to it, for every school:"),
                {
                    "INPUT": "schools.gpkg",
                    "REFERENCE": "stations.gpkg",
                    "REFERENCE_FIELD": "number",
                    "ID_FIELD": "station",
                    "DISTANCE_FIELD": "meters",
                    "OUTPUT": "schools_with_stations.gpkg",
                },
            )
        ]

    def initAlgorithm(self, configuration=None):
        self.in_place = bool((configuration or {}).get("IN_PLACE"))
        self.add_points(
            tr("The points to find neighbors for. Of a multipoint the nearest point counts.")
        )
        self.add_neighbors()
        self.add(
            QgsProcessingParameterNumber(
                self.RANK,
                tr("Which neighbor (1: the nearest)"),
                QgsProcessingParameterNumber.Type.Integer,
                1,
                minValue=1,
                maxValue=MOST_NEIGHBORS,
            ),
            tr("2 is the second nearest, and so on to 1,024."),
        )
        self.add_reach()
        for name, label, kind, words in (
            (
                self.ID_FIELD,
                tr("Field for the neighbor's id"),
                QgsProcessingParameterField.DataType.Any,
                tr(
                    "A field of the points for ids: whole numbers, or text. A name that the points do not have is a "
                    "new field. If neither field is given, “nearest_id” and “nearest_distance” are added."
                ),
            ),
            (
                self.DISTANCE_FIELD,
                tr("Field for the distance"),
                QgsProcessingParameterField.DataType.Numeric,
                tr(
                    "A field of the points for distances: meters on the globe, else map units. A name that the points "
                    "do not have is a new field."
                ),
            ),
        ):
            field = QgsProcessingParameterField(
                name, label, parentLayerParameterName=self.INPUT, optional=True, type=kind
            )
            field.setMetadata(
                {"widget_wrapper": {"class": "gpuvoronoi_processing.widgets.Field", "typed": True}}
            )
            self.add(field, words)
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

    def outputFields(self, fields):
        made = QgsFields(fields)
        for field in self.new_fields:
            if made.lookupField(field.name()) < 0:
                made.append(field)
        return made

    def wanted_fields(self, parameters, context):
        """{parameter: name of a field}, of those that are written."""
        given = {
            name: self.parameterAsString(parameters, name, context) for name in self.NEW_FIELDS
        }
        return {name: field for name, field in given.items() if field} or self.NEW_FIELDS

    def make_fields(self, layer, wanted, known):
        """Fields for those that the points do not have; in a layer that is edited in place they are added to it."""
        self.new_fields = []
        for name, field in wanted.items():
            if known.lookupField(field) >= 0:
                continue
            made = (
                QgsField(field, types.DOUBLE)
                if name == self.DISTANCE_FIELD
                else self.id_field(field)
            )
            self.new_fields.append(made)
            if self.in_place and not layer.addAttribute(made):
                raise QgsProcessingException(
                    tr("{layer}: cannot add the field “{field}”").format(
                        layer=layer.name(), field=field
                    )
                )

    def id_field(self, name):
        """A field that can hold the ids of the neighbors."""
        if self.own:
            return QgsField(name, types.LONG)
        return self.reference.id_column(name)

    def check_fields(self, wanted, known):
        """Fields that cannot hold what is written are refused before anything is computed."""
        names = [name.lower() for name in wanted.values()]
        if len(set(names)) < len(names):
            raise QgsProcessingException(
                tr(
                    "“{field}”: one field cannot hold both the id and the distance; choose two"
                ).format(field=next(iter(wanted.values())))
            )
        numbers = (types.INT, types.LONG, types.DOUBLE)
        for name, field in wanted.items():
            index = known.lookupField(field)
            if index < 0:
                continue
            made = types.DOUBLE if name == self.DISTANCE_FIELD else self.id_field(field).type()
            has = known[index].type()
            if not (has in (types.STRING, made) or (made in numbers and has in numbers)):
                raise QgsProcessingException(
                    tr(
                        "“{field}”: a field of type {type} cannot hold these values; "
                        "choose a field of text or a new name"
                    ).format(field=field, type=known[index].typeName())
                )

    def prepareAlgorithm(self, parameters, context, feedback):
        layer = self.vector_layer(parameters, self.INPUT, context)
        self.own = not self.given(parameters, self.REFERENCE)
        if not self.own:
            field = self.parameterAsString(parameters, self.REFERENCE_FIELD, context)
            self.reference = Features(self, parameters, self.REFERENCE, context, [field])
        wanted = self.wanted_fields(parameters, context)
        if layer is not None:
            self.check_fields(wanted, layer.fields())
            self.make_fields(layer, wanted, layer.fields())
        self.points = Features(self, parameters, self.INPUT, context, [""])
        if layer is None:
            self.check_fields(wanted, self.points.source.fields())
            self.make_fields(None, wanted, self.points.source.fields())
        if self.own and layer is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.REFERENCE))
        if self.own:
            self.reference = LayerFeatures(layer)  # all of it, if only a selection is to be written
        self.rank = self.parameterAsInt(parameters, self.RANK, context)
        self.metric = self.chosen_metric(parameters, context, feedback, self.points, self.reference)
        self.options = [
            *self.engine_options(parameters, context),
            *self.search_options(parameters, context),
        ]
        fields, self.fields = self.outputFields(self.points.source.fields()), []
        for name in self.NEW_FIELDS:
            index = fields.lookupField(wanted[name]) if name in wanted else -1
            self.fields.append((index, fields[index] if index >= 0 else None))
        self.found = None
        return True

    def processFeature(self, feature, context, feedback):
        if self.found is None:
            self.found = kth_nearest(
                self.points,
                self.reference,
                self.rank,
                self.metric,
                context,
                feedback,
                self.own,
                self.options,
            )
        if self.found is None:
            return [feature]  # the user cancelled
        missing = max(index for index, _ in self.fields) + 1 - len(feature.attributes())
        if missing > 0:
            feature.setAttributes(feature.attributes() + [NULL] * missing)
        _, *values = self.found.get(feature.id(), (None, NULL, NULL))
        for (index, field), value in zip(self.fields, values):
            if index >= 0:
                feature.setAttribute(index, self.fitting(field, value))
        return [feature]

    @staticmethod
    def fitting(field, value):
        """A value as the field holds it. QGIS would leave out features with others."""
        value = types.as_text(value) if field.type() == types.STRING else value
        try:
            field.convertCompatible(value)
        except ValueError as error:
            raise QgsProcessingException(f"{field.name()}: {error}") from None
        return value
