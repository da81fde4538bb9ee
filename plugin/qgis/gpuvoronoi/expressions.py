"""
Functions for expressions: nearest_feature_id(layer, k) and nearest_distance(layer, k) of the current feature. The first
feature that asks makes one run for its whole layer; its answers are kept until one of the two layers changes.
"""

import threading

from qgis.core import (
    QgsExpression,
    QgsExpressionFunction,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProject,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)

from . import command
from .i18n import tr
from .layers import no_points
from .searched import MOST_NEIGHBORS, automatic_metric, read_rows, written

LAYER_CHANGES = (
    "featureAdded", "featureDeleted", "geometryChanged", "afterRollBack", "afterCommitChanges", "subsetStringChanged", "crsChanged",
    "dataChanged", "willBeDeleted",
)


class LayerFeatures:
    """The features of a layer as Searched wants them."""

    def __init__(self, layer):
        if not layer.isSpatial():
            raise no_points(layer.name())
        self.name = layer.name()
        self.crs = layer.crs()
        self.source = layer  # its fields and the number of its features
        self.reader = QgsVectorLayerFeatureSource(layer)

    def id_index(self):
        return -1

    def features(self, request):
        return self.reader.getFeatures(request)


class Answers:
    """Of layers: {feature id: (id of the k-th nearest, distance)}."""

    def __init__(self):
        self.lock = threading.RLock()
        self.known = {}
        self.watched = set()

    def get(self, layer, reference, count):
        key = layer.id(), reference.id(), count
        with self.lock:
            if key not in self.known:
                for one in (layer, reference):
                    self.watch(one)
                self.known[key] = search(layer, reference, count)
            return self.known[key]

    def watch(self, layer):
        name = layer.id()
        if name not in self.watched:
            self.watched.add(name)
            for change in LAYER_CHANGES:
                getattr(layer, change).connect(lambda *_, name=name: self.forget(name))
            layer.willBeDeleted.connect(lambda name=name: self.watched.discard(name))

    def forget(self, name):
        with self.lock:
            self.known = {key: value for key, value in self.known.items() if name not in key[:2]}


def search(layer, reference, count):
    """One run of the program."""
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback(False)
    context.setTransformContext(QgsProject.instance().transformContext())
    metric, _ = automatic_metric(layer.crs())
    others = None if reference.id() == layer.id() else LayerFeatures(reference)
    points, others = written(LayerFeatures(layer), others, metric, context, False, feedback, True)
    if not points.ids:
        return {}
    if not others.ids:
        raise no_points(reference.name())
    found = QgsProcessingUtils.generateTempFilename("nearest.csv")
    options = ["search", "--reference", others.path, "-k", str(count), "--metric", metric]
    if others is not points:
        options += ["--queries", points.path]
    command.run([*options, *command.threads(), "--", found], [found], feedback, events=False)
    nearest = {}
    for query, rank, index, distance, _ in read_rows(found):
        feature = points.features[query]
        if rank == count and index >= 0 and (feature not in nearest or distance < nearest[feature][1]):
            nearest[feature] = others.features[index], distance
    return nearest


class Nearest(QgsExpressionFunction):
    """A function of the answers: `part` is 0 for the id, 1 for the distance."""

    def __init__(self, name, part, answers, text):
        super().__init__(name, 2, "gpuvoronoi", text)
        self.part = part
        self.answers = answers

    def func(self, values, context, parent, node):
        try:
            return self.value(*values, context)
        except QgsProcessingException as error:
            parent.setEvalErrorString(str(error))
            return None

    def value(self, reference, count, context):
        layer = project_layer(context.variable("layer_id") or context.variable("layer"))
        if layer is None:
            raise QgsProcessingException(tr("There is no current layer"))
        found = project_layer(reference)
        if found is None:
            raise QgsProcessingException(tr("There is no layer “{}”").format(reference))
        if not isinstance(count, (int, float)) or not 1 <= count <= MOST_NEIGHBORS or count != int(count):
            raise QgsProcessingException(tr("k is a whole number from 1 to 1,024"))
        answer = self.answers.get(layer, found, int(count)).get(context.feature().id())
        return answer[self.part] if answer is not None else None

    def usesGeometry(self, node):
        return False

    def isStatic(self, node, parent, context):
        return False


def project_layer(value):
    """A vector layer of the project by itself, its id or its name."""
    if isinstance(value, QgsVectorLayer):
        return value
    project = QgsProject.instance()
    named = [project.mapLayer(str(value)), *project.mapLayersByName(str(value))]
    return next((layer for layer in named if isinstance(layer, QgsVectorLayer)), None)


class Functions:
    """Adds the functions to QGIS, and takes them away."""

    def __init__(self):
        answers = Answers()
        example = "<p><code>nearest_{}('stations', 1)</code></p>"
        self.functions = [
            Nearest("nearest_feature_id", 0, answers, tr(
                "<p>The feature id of the k-th nearest point, line or polygon of a layer, by its name or id. In the current layer itself a "
                "feature's own point does not count. Distances are geodesics for longitudes and latitudes and for maps of the whole "
                "world, else straight lines on the map.</p>"
            ) + example.format("feature_id")),
            Nearest("nearest_distance", 1, answers, tr(
                "<p>The distance to the k-th nearest point, line or polygon of a layer, by its name or id: metres for longitudes and "
                "latitudes and for maps of the whole world, else units of the map.</p>"
            ) + example.format("distance")),
        ]
        for function in self.functions:
            QgsExpression.registerFunction(function)

    def remove(self):
        for function in self.functions:
            QgsExpression.unregisterFunction(function.name())
