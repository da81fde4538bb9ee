"""
What algorithms with a layer of seeds have in common: they pass the seeds and a mask of polygons to the program.
"""

from qgis.core import (
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterVectorDestination,
)

from .. import engine
from ..layers import Features, Polygons
from .base import Algorithm

READING = 10.0  # per cent of the bar for layers that have to be written for the program first


class SeedsAlgorithm(Algorithm):
    mask_polygons = None
    skip_invalid = False

    def prepare_seeds(self, parameters, context, *fields):
        """`fields` are those that the program needs besides the id."""
        field = (
            self.parameterAsString(parameters, self.FIELD, context) if self.has(self.FIELD) else ""
        )
        self.seeds = Features(self, parameters, self.INPUT, context, [field, *fields])
        self.skip_invalid = self.parameterAsBoolean(parameters, self.SKIP_INVALID, context)

    def loses_fields(self, name):
        if name not in self.of_seeds or not isinstance(self.seeds, Features):
            return False
        copied = self.seeds.file is None or engine.needs_copies()
        return copied if not self.seeds.id_field else self.seeds.id_field.lower() == "id"

    def output_file(self, parameters, name, context):
        """The file that the program is to make for a result; nothing if that is not wanted."""
        definition = self.parameterDefinition(name)
        if not self.given(parameters, name):
            return ""
        if isinstance(definition, QgsProcessingParameterFileDestination):
            return self.parameterAsFileOutput(parameters, name, context)
        if isinstance(definition, QgsProcessingParameterVectorDestination):
            return self.vector_output(parameters, name, context)
        return self.parameterAsOutputLayer(parameters, name, context)

    def mask_features(self, layer, parameters, context):
        """The polygons of a mask, or those that are selected."""
        selected = self.parameterAsBoolean(parameters, self.MASK_SELECTED, context)
        value = QgsProcessingFeatureSourceDefinition(layer.id(), True) if selected else layer
        return Polygons(layer, value, context)

    def layer_options(self, context, feedback):
        """The program's options for the seeds and the mask; None if the user cancelled."""
        engine.find()  # before anything is written for it
        mask = []
        if self.mask_polygons is not None:
            polygons = self.mask_polygons.path(context, feedback)
            if polygons is None:
                return None
            mask = ["--mask", polygons[0]] + (
                ["--mask-layer", polygons[1]] if polygons[1] is not None else []
            )
        seeds = self.seeds.arguments(
            context,
            feedback,
            self.skip_invalid,
            lambda percent: feedback.setProgress(percent * READING / 100.0),
        )
        return None if seeds is None else [*seeds, *mask]
