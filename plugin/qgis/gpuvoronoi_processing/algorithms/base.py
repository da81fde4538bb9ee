"""
What the algorithms have in common: how they present themselves, what is wrong with parameters, layers that they make.
"""

import functools
import html
import os
import re

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingOutputLayerDefinition,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterRasterLayer,
    QgsProcessingUtils,
    QgsProperty,
    QgsVectorLayer,
)

from .. import about, engine, help_page, messages, program, results, sizes
from .. import field_types as types
from ..i18n import number_text, tr
from ..layers import CHECK_CANCEL_EVERY, layer_file
from .parameters import Parameters

LAYERS = (
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterRasterLayer,
)
NO_FILE = re.compile(
    r"memory:|[a-z]+:.*=", re.IGNORECASE
)  # destinations in memory and in databases, such as ogr:dbname=…


def plain_errors(function):
    """QGIS shows QgsProcessingException itself as its text, and classes that are derived from it as tracebacks."""

    @functools.wraps(function)
    def run(*arguments):
        try:
            return function(*arguments)
        except QgsProcessingException as error:
            if type(error) is QgsProcessingException:
                raise
            raise QgsProcessingException(str(error)) from None

    return run


class Common(Parameters):
    """What makes a QgsProcessingAlgorithm of any kind one of the provider's."""

    command_only = ()  # parameters that the Python package does not have
    of_seeds = ()  # results with the attributes of the seeds, of which fields may be left out
    whole_ids = True  # of the field's values a raster is made

    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        for name in ("prepareAlgorithm", "processAlgorithm", "processFeature"):
            if name in cls.__dict__:
                setattr(cls, name, plain_errors(cls.__dict__[name]))

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
        refusal = program.refusal()
        return not refusal, refusal

    def has(self, name):
        """Whether the algorithm has a parameter of this name."""
        return self.parameterDefinition(name) is not None

    def label(self, name):
        """What the dialog calls a parameter."""
        return self.parameterDefinition(name).description()

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
        for name in self.command_only if well and engine.needs_copies() else ():
            if not self.has(name):
                continue
            definition = self.parameterDefinition(name)
            if self.given(parameters, name) and parameters[name] != definition.defaultValue():
                return False, messages.command_only(definition.description())
        if well and self.has(self.WEIGHTING):
            weighted = self.parameterAsEnum(parameters, self.WEIGHTING, context) > 0
            if weighted and not self.given(parameters, self.WEIGHT_FIELD):
                return False, tr("Missing field of the weights; a weighting needs it")
        if well and self.whole_ids and self.given(parameters, self.FIELD):
            layer = self.vector_layer(parameters, self.INPUT, context)
            field = self.parameterAsString(parameters, self.FIELD, context)
            index = layer.fields().lookupField(field) if layer is not None else -1
            if index >= 0 and layer.fields()[index].type() == types.DOUBLE:
                return False, tr(
                    "“{field}” is a field of real numbers; ids are whole numbers or text"
                ).format(field=field)
        if well and self.given(parameters, self.TEMPLATE):
            for other in (self.RESOLUTION, self.CRS):
                if self.given(parameters, other):
                    return False, tr(
                        "“{}” cannot be given with a template raster, which already has it"
                    ).format(self.label(other))
        if well:
            message = self.output_in_use(parameters, context)
        return well and not message, message

    def confirm_size(self, name, feedback, cells=0, rows=0):
        """Reports a large result by the parameter that decides how large it is; in a window it needs a confirmation."""
        text = ""
        if cells > sizes.MANY_CELLS:
            text = tr("“{parameter}”: about {count} cells to compute").format(
                parameter=self.label(name), count=number_text(cells)
            )
        elif rows > sizes.MANY_ROWS:
            text = tr("“{parameter}”: the result will have {count} rows").format(
                parameter=self.label(name), count=number_text(rows)
            )
        if text:
            sizes.confirm(text, feedback)

    @staticmethod
    def destination(parameters, name, context):
        """Where an output is to go, as text; None if that is not known."""
        value = parameters.get(name)
        if isinstance(value, QgsProcessingOutputLayerDefinition):
            value = value.sink
        if isinstance(value, QgsProperty):
            value = value.valueAsString(context.expressionContext())[0]
        return value if isinstance(value, str) else None

    def is_copied(self, parameters, name, context):
        """Whether a layer is made as another file and copied: for memory, databases, and formats that keep fields."""
        destination = self.destination(parameters, name, context) or ""
        ending = os.path.splitext(destination)[1].lower()
        keeps = ending not in ("", *results.CHANGEABLE)
        return bool(NO_FILE.match(destination)) or (keeps and self.loses_fields(name))

    def loses_fields(self, name):
        """Whether the program makes fields of a layer that do not stay."""
        return False

    def vector_output(self, parameters, name, context):
        """The file that the program is to make for a layer. Some layers get theirs by finish_vector()."""
        if self.is_copied(parameters, name, context):
            return QgsProcessingUtils.generateTempFilename(f"{name.lower()}.gpkg")
        return self.parameterAsOutputLayer(parameters, name, context)

    def finish_vector(self, parameters, name, context, feedback, path):
        """Where the layer is in the end; None if the user cancelled."""
        if not self.is_copied(parameters, name, context):
            return path
        return self.copy_vector(parameters, name, context, feedback, path)

    def parameterAsSink(self, parameters, name, context, fields, *more):
        """In a GeoPackage `fid` is the key: other than whole numbers of such a field are in `fid_2`."""
        if (self.destination(parameters, name, context) or "").lower().endswith(".gpkg"):
            fields = types.renamed(fields, "fid", (types.INT, types.LONG))
        return super().parameterAsSink(parameters, name, context, fields, *more)

    def copy_vector(
        self, parameters, name, context, feedback, path, change=lambda fields: (fields, list)
    ):
        """
        Copies a layer that the program made to where it is to be in the end. `change` returns the fields of the copy
        and a function from attributes to its attributes. None if the user cancelled.
        """
        made = QgsVectorLayer(path, name, "ogr")
        if not made.isValid():
            raise QgsProcessingException(tr("Cannot read {}").format(path))
        keys = made.primaryKeyAttributes()
        kept = [index for index in range(made.fields().count()) if index not in keys]
        fields = QgsFields()
        for index in kept:
            fields.append(made.fields()[index])
        fields, changed = change(fields)
        sink, destination = self.parameterAsSink(
            parameters, name, context, fields, made.wkbType(), made.crs()
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, name))
        for count, feature in enumerate(made.getFeatures()):
            if count % CHECK_CANCEL_EVERY == 0 and feedback.isCanceled():
                return None
            copy = QgsFeature(fields)
            copy.setGeometry(feature.geometry())
            copy.setAttributes(changed([feature.attribute(index) for index in kept]))
            if not sink.addFeature(copy, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(tr("Cannot write the result"))
        return destination

    def output_in_use(self, parameters, context):
        """
        What is wrong with an output that would replace the file of a layer that is open or an input; else nothing.
        """
        files = {}
        for layer in self.layers_in_use(parameters, context):
            files.setdefault(layer_file(layer), layer.name())
        for definition in self.destinationParameterDefinitions():
            value = self.destination(parameters, definition.name(), context)
            if value and os.path.exists(value) and os.path.realpath(value) in files:
                return tr(
                    "“{output}”: {file} is the file of the layer “{layer}”; choose another one or remove the layer"
                ).format(
                    output=definition.description(),
                    file=value,
                    layer=files[os.path.realpath(value)],
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

    def shape_options(self, parameters, context):
        options = (
            ["--edges", "geodesic"] if self.parameterAsEnum(parameters, self.EDGES, context) else []
        )
        return options + (
            ["--boundary"] if self.parameterAsBoolean(parameters, self.BOUNDARY, context) else []
        )

    def engine_options(self, parameters, context):
        """By what the program is to compute."""
        options = engine.threads()
        backend = self.parameterAsString(parameters, self.BACKEND, context)
        if backend and backend != "auto":
            options += ["--backend", backend]
        device = self.parameterAsString(parameters, self.DEVICE, context)
        if device:
            options += ["--device", device]
        return options

    def common_options(self, parameters, context):
        return [*self.engine_options(parameters, context), "--progress", "--overwrite"]


class Algorithm(Common, QgsProcessingAlgorithm):
    """
    An algorithm of the provider. Subclasses define name, displayName, tags, description, examples and the parameters.
    """
