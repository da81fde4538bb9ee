"""
Functions for expressions: nearest_feature_id(layer, k) and nearest_distance(layer, k) of the current feature. The first
feature that asks makes one run for its whole layer; its results are kept until one of the two layers changes. A failure
is kept as long, but not longer than the program and its place stay the same.
"""

import threading

from qgis.core import (
    QgsExpression,
    QgsExpressionFunction,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorLayer,
)

from . import engine
from .i18n import tr
from .searched import MOST_NEIGHBORS, LayerFeatures, automatic_metric, kth_nearest

LAYER_CHANGES = (
    "featureAdded",
    "featureDeleted",
    "geometryChanged",
    "afterRollBack",
    "afterCommitChanges",
    "subsetStringChanged",
    "crsChanged",
    "dataChanged",
    "willBeDeleted",
)


class Results:
    """Of layers: {feature id: (id of the k-th nearest, distance)}."""

    def __init__(self):
        self.lock = threading.RLock()
        self.known = {}
        self.failures = {}  # pairs of the state of the program and what went wrong
        self.watched = set()

    def get(self, layer, reference, count):
        key = layer.id(), reference.id(), count
        with self.lock:
            if key not in self.known:
                self.check_failure(key)
                for one in (layer, reference):
                    self.watch(one)
                state = engine.state()
                try:
                    self.known[key] = search(layer, reference, count)
                except Exception as error:
                    self.failures[key] = state, str(error)
                    raise
            return self.known[key]

    def check_failure(self, key):
        """Raises the failure of the same search with the same program."""
        state, message = self.failures.get(key, (None, None))
        if message is not None and state == engine.state():
            raise QgsProcessingException(message)

    def watch(self, layer):
        name = layer.id()
        if name not in self.watched:
            self.watched.add(name)
            for change in LAYER_CHANGES:
                getattr(layer, change).connect(lambda *_, name=name: self.forget(name))
            layer.willBeDeleted.connect(lambda name=name: self.watched.discard(name))

    def forget(self, name):
        with self.lock:
            for kept in (self.known, self.failures):
                for key in [key for key in kept if name in key[:2]]:
                    del kept[key]


def search(layer, reference, count):
    """One run of the program."""
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback(False)
    context.setTransformContext(QgsProject.instance().transformContext())
    points = LayerFeatures(layer)
    metric, _ = automatic_metric(points.crs)
    others = None if reference.id() == layer.id() else LayerFeatures(reference)
    found = kth_nearest(points, others, count, metric, context, feedback, options=engine.threads())
    return {feature: (neighbor, distance) for feature, (neighbor, _, distance) in found.items()}


class Nearest(QgsExpressionFunction):
    """A function of the results: `part` is 0 for the id, 1 for the distance."""

    def __init__(self, name, part, results, text):
        super().__init__(name, 2, "gpuvoronoi", text)
        self.part = part
        self.results = results

    def func(self, values, context, parent, node):
        try:
            return self.value(*values, context)
        except Exception as error:  # PyQt ends the process if any leaves a virtual function
            parent.setEvalErrorString(str(error))
            return None

    def value(self, reference, count, context):
        """`context` is None where the expression is evaluated without one."""
        layer = (
            project_layer(context.variable("layer_id") or context.variable("layer"))
            if context is not None
            else None
        )
        if layer is None:
            raise QgsProcessingException(tr("Missing current layer"))
        found = project_layer(reference)
        if found is None:
            raise QgsProcessingException(tr("Unknown layer “{}”").format(reference))
        if (
            not isinstance(count, (int, float))
            or not 1 <= count <= MOST_NEIGHBORS
            or count != int(count)
        ):
            raise QgsProcessingException(tr("k: out of range [1, 1024]"))
        feature, results = context.feature(), set()
        for one in feature_layers(context, feature, layer):
            results.add(self.results.get(one, found, int(count)).get(feature.id()))
        if len(results) != 1:
            raise QgsProcessingException(
                tr("Unknown layer of the current feature; it is in none, or in several")
            )
        result = results.pop()
        return result[self.part] if result is not None else None

    def usesGeometry(self, node):
        return True  # by which layers_of() knows a feature

    def isStatic(self, node, parent, context):
        return False


def project_layer(value):
    """A vector layer of the project by itself, its id or its name."""
    if isinstance(value, QgsVectorLayer):
        return value
    project = QgsProject.instance()
    named = [project.mapLayer(str(value)), *project.mapLayersByName(str(value))]
    return next((layer for layer in named if isinstance(layer, QgsVectorLayer)), None)


def feature_layers(context, feature, current):
    """
    The layers that the current feature may be of. Not all functions that evaluate an expression for the features of
    another layer set a variable. Without it, a feature that no layer has is the current layer's: simplified for
    the map, or not saved yet.
    """
    found = layers_of(feature, current)
    return list(found) if context.hasVariable("parent") else [next(found, current)]


def layers_of(feature, current):
    """
    The layers of the project that have a feature, the current one first if it is one of them. Within an aggregate of
    another layer features are of that, while the context names the layer of the whole expression.
    """
    names, attributes, shape = (
        feature.fields().names(),
        feature.attributes(),
        feature.geometry().asWkb(),
    )
    others = [
        layer
        for layer in QgsProject.instance().mapLayers().values()
        if isinstance(layer, QgsVectorLayer)
    ]
    for layer in sorted(others, key=lambda layer: layer.id() != current.id()):
        if layer.fields().names() == names:
            found = layer.getFeature(feature.id())
            if (
                found.isValid()
                and found.geometry().asWkb() == shape
                and len(attributes) == len(found.attributes())
            ):
                yield layer


class Functions:
    """Adds the functions to QGIS, and takes them away."""

    def __init__(self):
        results = Results()
        example = "<p><code>nearest_{}('stations', 1)</code></p>"
        self.functions = [
            Nearest(
                "nearest_feature_id",
                0,
                results,
                tr(
                    "<p>The feature id of the k-th nearest point, line or polygon of a layer, given by its name or id. "
                    "Within the current layer a feature's own point does not count. Distances are geodesics for "
                    "longitudes and latitudes and for maps of the whole world, else straight lines on the map.</p>"
                )
                + example.format("feature_id"),
            ),
            Nearest(
                "nearest_distance",
                1,
                results,
                tr(
                    "<p>The distance to the k-th nearest point, line or polygon of a layer, given by its name or id: "
                    "meters for longitudes and latitudes and for maps of the whole world, else map units.</p>"
                )
                + example.format("distance"),
            ),
        ]
        for function in self.functions:
            QgsExpression.registerFunction(function)

    def remove(self):
        for function in self.functions:
            QgsExpression.unregisterFunction(function.name())
