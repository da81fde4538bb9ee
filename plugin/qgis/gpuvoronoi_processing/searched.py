"""Layers that are searched, and what the search finds: the rows that the program sees, and those that it writes."""

import array
import collections
import csv
import itertools
import math

from qgis.core import (
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureRequest,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingException,
    QgsProcessingUtils,
    QgsVectorLayerFeatureSource,
    QgsWkbTypes,
)

from . import engine, results
from .geodesics import GLOBE, turns
from .layers import (
    CHECK_CANCEL_EVERY,
    TemporaryFile,
    Unreachable,
    Unusable,
    crs_text,
    geographic_crs,
    has_lines_or_polygons,
    layer_crs,
    lines_or_polygons,
    no_lines_or_polygons,
    no_points,
    warn_of_missing_crs,
)

MOST_NEIGHBORS = 1024
POINTS = (
    QgsWkbTypes.Type.Point,
    QgsWkbTypes.Type.PointZ,
    QgsWkbTypes.Type.PointM,
    QgsWkbTypes.Type.PointZM,
)


def automatic_metric(crs):
    """The program's choice for layers in a coordinate system, and its reason."""
    if not crs.isValid():
        return "euclidean", "default without a coordinate system"
    return engine.default_metric(crs_text(crs))


def geographic(crs):
    """The longitudes and latitudes of a coordinate system."""
    return crs if crs.isGeographic() else geographic_crs(crs)


def read_rows(path):
    """
    The program's rows: query, rank, index or -1, distance, and again the rank, by which Shapes knows the place. The
    numbers are those of the features of a TemporaryFile, from 0.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        for query, rank, index, distance in rows:
            yield int(query), int(rank), int(index), float(distance), int(rank)


def without_self(rows, points, reference, count=None):
    """The first `count` (None: all) rows of each query that are not about the query's own feature; at least one."""
    for query, found in itertools.groupby(rows, key=lambda row: row[0]):
        others = [
            row
            for row in found
            if row[2] >= 0 and reference.features[row[2]] != points.features[query]
        ][:count]
        for rank, (_, _, index, distance, found_rank) in enumerate(others, 1):
            yield query, rank, index, distance, found_rank
        if not others:
            yield query, 1, -1, math.inf, 1


def with_every_query(rows, count):
    """Rows of a search within a radius, which has none of a query without neighbors: these get a row, too."""
    following = 0
    for query, found in itertools.groupby(rows, key=lambda row: row[0]):
        yield from ((alone, 1, -1, math.inf, 1) for alone in range(following, query))
        yield from found
        following = query + 1
    yield from ((alone, 1, -1, math.inf, 1) for alone in range(following, count))


def kth_nearest(layer, reference, count, metric, context, feedback, own=False, options=()):
    """
    {feature id: (feature id, id, distance)} of the k-th nearest of another layer, of those features that have one.
    Among themselves if there is no other; `own` if the features are some of the other layer's and none is to be its
    own.
    """
    both = written(layer, reference, metric, context, False, feedback, True)
    if both is None:
        return None
    points, others = both
    if not points.ids:
        return {}
    if not others.ids:
        raise no_points(reference.name)
    found = QgsProcessingUtils.generateTempFilename("nearest.csv")
    requested = min(count + (others.most_rows() if own else 0), MOST_NEIGHBORS)
    options = [
        "search",
        "--reference",
        others.path,
        "-k",
        str(requested),
        "--metric",
        metric,
        *options,
    ]
    if others is not points:
        options += ["--queries", points.path]
    # Who asks may be drawing or editing: nothing else is to happen to the layers meanwhile.
    if not engine.run([*options, "--", found], [found], feedback, events=False):
        return None
    rows, nearest = read_rows(found), {}
    for query, rank, index, distance, _ in (
        without_self(rows, points, others, count) if own else rows
    ):
        feature = points.features[query]
        if (
            rank == count
            and index >= 0
            and (feature not in nearest or distance < nearest[feature][2])
        ):
            nearest[feature] = others.features[index], others.ids[index], distance
    return nearest


class LayerFeatures:
    """All features of a layer, as Searched wants them."""

    def __init__(self, layer):
        if layer.wkbType() == QgsWkbTypes.Type.NoGeometry:
            raise no_points(layer.name())
        self.name = layer.name()
        self.crs = layer_crs(layer)
        self.source = layer  # its fields and the number of its features
        self.reader = QgsVectorLayerFeatureSource(layer)

    def id_index(self):
        return -1

    def features(self, request):
        return self.reader.getFeatures(request)


class NoPoint(QgsProcessingException):
    """A line or a polygon, where there were to be points."""


def written(points, reference, metric, context, attributes, feedback, skip_invalid):
    """
    The rows of two layers; `reference` is None if the points are searched among themselves. What QGIS says of a layer
    holds for its first feature: a line may come later. None if the user cancelled.
    """
    engine.find()  # before anything is written for it
    shapes = reference is not None and lines_or_polygons(
        QgsWkbTypes.geometryType(reference.source.wkbType())
    )
    settings = metric in GLOBE, context, attributes, feedback, skip_invalid
    try:
        return write_both(points, reference, shapes, *settings)
    except NoPoint:
        if shapes or reference is None:
            raise
        return write_both(points, reference, True, *settings)


def write_both(points, reference, shapes, globe, context, attributes, feedback, skip_invalid):
    measured = geographic(reference.crs if shapes else points.crs) if globe else points.crs
    searched = first = Places(points, measured, context, attributes)
    if reference is not None:
        # On the globe the program follows edges as they are in their own system.
        kind, crs = (
            (Shapes, reference.crs)
            if shapes and globe
            else (Shapes if shapes else Places, measured)
        )
        searched = kind(reference, crs, context, attributes, neighbors=True)
        if not searched.write(feedback, 0.0, 10.0, skip_invalid):
            return None
    return (first, searched) if first.write(feedback, 10.0, 20.0, skip_invalid) else None


class Searched:
    """
    The features of a layer in a coordinate system, written for the program. Subclasses say by places(), usable(),
    carried() and geometry() what its rows are: places of any kind.
    """

    def __init__(self, points, crs, context, attributes, neighbors=False):
        """
        `attributes` are kept if wanted. `neighbors` are those of another layer: what the coordinate system does not
        reach is none.
        """
        self.points = points
        self.crs = crs
        self.context = context
        self.neighbors = neighbors
        self.ids, self.features = [], array.array("q")
        self.attributes = [] if attributes else None
        self.path = None

    def write(self, feedback, start, end, skip_invalid):
        """Fills the lists and writes the file. False if the user cancelled."""
        layer = self.points
        warn_of_missing_crs(layer.name, layer.crs, feedback)
        column = layer.id_index()
        transform = None
        if layer.crs.isValid() and layer.crs != self.crs:
            transform = QgsCoordinateTransform(layer.crs, self.crs, self.context.transformContext())
        file = TemporaryFile(layer.name, QgsFields(), self.crs, self.context)
        total = max(layer.source.featureCount(), 1)
        unusable, unreachable = (
            Unusable(layer.name, skip_invalid),
            Unreachable(layer.name, self.crs),
        )
        request = QgsFeatureRequest()
        if self.attributes is None:
            request.setSubsetOfAttributes([] if column < 0 else [column])
        for count, feature in enumerate(layer.features(request)):
            if count % CHECK_CANCEL_EVERY == 0:
                if feedback.isCanceled():
                    return False
                feedback.setProgress(start + (end - start) * count / total)
            places = self.places(feature)
            if not self.usable(places, layer.crs):
                unusable.add(feature)
                continue
            if transform is not None:
                places = self.carried(places, transform)
                if not self.usable(places, self.crs):
                    (unreachable if self.neighbors else unusable).add(feature)
                    continue
            for place in places:
                self.features.append(feature.id())
                if self.attributes is not None:
                    self.attributes.append(feature.attributes())
                self.ids.append(feature.id() if column < 0 else feature.attribute(column))
                copy = QgsFeature()
                copy.setGeometry(self.geometry(place))
                file.add(copy)
        file.close()
        self.path = file.path
        unusable.report(feedback)
        unreachable.report(feedback)
        return True

    def most_rows(self):
        """Of one feature."""
        return max(collections.Counter(self.features).values(), default=0)


class Places(Searched):
    """The points of a layer one after another."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.x, self.y = array.array("d"), array.array("d")

    def places(self, feature):
        geometry = feature.geometry()
        if geometry.wkbType() in POINTS:
            point = geometry.constGet()
            return [(point.x(), point.y())]
        if has_lines_or_polygons(geometry):
            raise NoPoint(no_lines_or_polygons(self.points.name))
        return [(vertex.x(), vertex.y()) for vertex in geometry.vertices()]

    @staticmethod
    def usable(places, crs):
        limit = 90.0 if crs.isGeographic() else math.inf
        for x, y in places:
            if not (math.isfinite(x) and math.isfinite(y) and abs(y) <= limit):
                return False
        return bool(places)

    @staticmethod
    def carried(places, transform):
        try:
            return [
                (point.x(), point.y()) for point in (transform.transform(x, y) for x, y in places)
            ]
        except QgsCsException:
            return []

    def geometry(self, place):
        self.x.append(place[0])
        self.y.append(place[1])
        return QgsGeometry.fromPointXY(QgsPointXY(*place))

    @staticmethod
    def options():
        return []

    def look_up(self, count):
        """To be called when the program has answered, before place()."""

    def place(self, query, index, rank):
        """The position of a neighbor."""
        return QgsPointXY(self.x[index], self.y[index])


class Shapes(Searched):
    """The features of a layer with lines or polygons, among which neighbors are looked for: each is a row."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.nearest = QgsProcessingUtils.generateTempFilename("nearest.npy")
        self.found, self.count = None, 0
        self.beyond = {}  # the middle longitudes of those that reach beyond ±180°

    @staticmethod
    def places(feature):
        return [feature.geometry()]

    @staticmethod
    def usable(places, crs):
        boxes = [shape.boundingBox() for shape in places if not shape.isEmpty()]
        limit = 90.0 if crs.isGeographic() else math.inf
        return bool(boxes) and all(
            box.isFinite() and -limit <= box.yMinimum() <= box.yMaximum() <= limit for box in boxes
        )

    @staticmethod
    def carried(places, transform):
        try:
            return [
                shape
                for shape in places
                if shape.transform(transform) == QgsGeometry.OperationResult.Success
            ]
        except QgsCsException:
            return []

    def geometry(self, place):
        box = place.boundingBox()
        if self.crs.isGeographic() and max(abs(box.xMinimum()), abs(box.xMaximum())) > 180.0:
            self.beyond[len(self.ids) - 1] = box.center().x()
        return place

    def options(self):
        return ["--nearest", self.nearest]

    def look_up(self, count):
        self.found, self.count = results.numbers(self.nearest), count

    def place(self, query, index, rank):
        """The nearest point of a neighbor, on its turn of the globe: the program's longitudes are within ±180°."""
        at = 2 * (query * self.count + rank - 1)
        x = self.found[at]
        return QgsPointXY(
            x + turns(self.beyond[index], x) if index in self.beyond else x, self.found[at + 1]
        )
