"""The functions for expressions: what k nearest finds, by one run a layer."""

import os

import pytest
from conftest import COMMAND, memory, places
from qgis.core import (
    NULL,
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingException,
    QgsProject,
    QgsRelation,
    QgsVectorLayer,
)


@pytest.fixture
def layers(qgis):
    layer, reference = memory(places(30, seed=1)), memory(places(50, seed=2))
    reference.setName("stations")
    QgsProject.instance().addMapLayers([layer, reference])
    return layer, reference


@pytest.fixture
def runs(monkeypatch):
    """The runs of the program."""
    from gpuvoronoi_processing import command

    made, run = [], command.run
    monkeypatch.setattr(
        command,
        "run",
        lambda arguments, *rest, **more: made.append(arguments) or run(arguments, *rest, **more),
    )
    return made


def values(layer, text):
    expression = QgsExpression(text)
    context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    assert expression.prepare(context), expression.parserErrorString()
    found = {}
    for feature in layer.getFeatures():
        context.setFeature(feature)
        found[feature.id()] = expression.evaluate(context)
    return found, expression.evalErrorString()


def table(qgis, layer, reference, rank):
    out = qgis.run(
        "knearest", INPUT=layer, REFERENCE=reference, NEIGHBORS=rank, GEOMETRY=0, OUTPUT="memory:"
    )["OUTPUT"]
    found = {
        f["input"]: (f["neighbour"], f["distance"]) for f in out.getFeatures() if f["rank"] == rank
    }
    return {key: value[0] for key, value in found.items()}, {
        key: value[1] for key, value in found.items()
    }


@pytest.mark.parametrize("rank", [1, 3])
def test_nearest(qgis, layers, runs, rank):
    """By name and by id, one run for both functions and all features."""
    layer, reference = layers
    ids, _ = values(layer, f"nearest_feature_id('stations', {rank})")
    distances, _ = values(layer, f"nearest_distance('{reference.id()}', {rank})")
    assert len(runs) == 1
    assert (ids, distances) == table(qgis, layer, reference, rank)


@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:3857"])
def test_nearest_line(qgis, layers, system):
    """In meters on the ground, on a map of the world too."""
    layer = memory([(0, 2), (1, 1), (9, 9)], system)
    lines = QgsVectorLayer(f"LineString?crs={system}", "lines", "memory")
    for shape in ("LineString (0 1, 5 1)", "LineString (0 0, 5 0)"):
        feature = QgsFeature(lines.fields())
        feature.setGeometry(QgsGeometry.fromWkt(shape))
        assert lines.dataProvider().addFeatures([feature])[0]
    QgsProject.instance().addMapLayers([layer, lines])
    for rank in (1, 2):
        found = (
            values(layer, f"nearest_feature_id('lines', {rank})")[0],
            values(layer, f"nearest_distance('lines', {rank})")[0],
        )
        assert found == table(qgis, layer, lines, rank)
        assert list(found[0].values()) == [rank] * 3
    assert found[1][2] == pytest.approx(
        110574.4 if system == "EPSG:4326" else 110574.4 / 111319.49, rel=1e-3
    )


def test_nearest_in_the_layer_itself(qgis, layers):
    layer, _ = layers
    layer.setName("own")
    assert values(layer, "nearest_feature_id('own', 2)")[0] == table(qgis, layer, None, 2)[0]


def test_changes_are_seen(qgis, layers, runs):
    layer, reference = layers
    values(layer, "nearest_distance('stations', 1)")
    place = layer.getFeature(1).geometry()
    assert reference.startEditing()
    assert reference.changeGeometry(7, place)
    assert values(layer, "nearest_distance('stations', 1)")[0][1] == 0
    assert values(layer, "nearest_feature_id('stations', 1)")[0][1] == 7
    reference.rollBack()
    assert values(layer, "nearest_distance('stations', 1)")[0][1] > 0
    layer.startEditing()
    layer.changeGeometry(2, QgsGeometry.fromPointXY(QgsPointXY(*places(50, seed=2)[4])))
    assert values(layer, "nearest_feature_id('stations', 1)")[0][2] == 5
    assert len(runs) == 4
    reference.setSubsetString("id > 120")
    assert min(values(layer, "nearest_feature_id('stations', 1)")[0].values()) > 21


def test_missing_values(qgis, layers):
    """A feature without geometry, fewer points than k."""
    layer, _ = layers
    layer.dataProvider().addFeatures([QgsFeature(layer.fields())])
    found = values(layer, "nearest_feature_id('stations', 1)")[0]
    assert found[31] in (None, NULL) and found[30] not in (None, NULL)
    assert set(values(layer, "nearest_feature_id('stations', 51)")[0].values()) <= {None, NULL}


@pytest.mark.parametrize(
    "text,message",
    [
        ("nearest_distance('nowhere', 1)", "Unknown layer “nowhere”"),
        ("nearest_distance('stations', 0)", "k: out of range [1, 1024]"),
        ("nearest_distance('lines', 1)", "lines: missing geometries; expected points"),
        ("nearest_distance('table', 1)", "table: missing geometries; expected points"),
    ],
)
def test_errors(qgis, layers, text, message):
    QgsProject.instance().addMapLayers(
        [
            QgsVectorLayer("LineString?crs=EPSG:4326", "lines", "memory"),
            QgsVectorLayer("None?field=a:int", "table", "memory"),
        ]
    )
    assert message in values(layers[0], text)[1]


@pytest.mark.parametrize("context", [None, QgsExpressionContext()])
@pytest.mark.parametrize("function", ["nearest_distance", "nearest_feature_id"])
def test_without_a_layer(qgis, layers, context, function):
    expression = QgsExpression(f"{function}('stations', 1)")
    found = expression.evaluate() if context is None else expression.evaluate(context)
    assert found in (None, NULL) and "Missing current layer" in expression.evalErrorString()


def test_any_error_is_the_expressions(qgis, layers, monkeypatch):
    """Of whatever kind."""
    from gpuvoronoi_processing import expressions

    def fail(*arguments, **more):
        raise OSError("no space left")

    monkeypatch.setattr(expressions, "kth_nearest", fail)
    assert "no space left" in values(layers[0], "nearest_distance('stations', 1)")[1]


@pytest.fixture
def files(monkeypatch):
    """The files that are written for the program."""
    from gpuvoronoi_processing import searched

    made, kind = [], searched.TemporaryFile
    monkeypatch.setattr(
        searched, "TemporaryFile", lambda *arguments: made.append(arguments) or kind(*arguments)
    )
    return made


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_missing_program_before_anything_is_written(qgis, layers, runs, files, monkeypatch):
    monkeypatch.setenv("GPUVORONOI_COMMAND", "/nowhere/gpuvoronoi")
    found, message = values(layers[0], "nearest_distance('stations', 1)")
    assert set(found.values()) <= {None, NULL} and "/nowhere/gpuvoronoi" in message
    assert runs == [] and files == []
    for name in ("knearest", "voronoiraster"):
        with pytest.raises(QgsProcessingException, match="/nowhere/gpuvoronoi"):
            qgis.run(name, INPUT=layers[0], OUTPUT="TEMPORARY_OUTPUT")
    assert files == []
    monkeypatch.undo()  # the program is there
    assert set(values(layers[0], "nearest_distance('stations', 1)")[0].values()).isdisjoint(
        {None, NULL}
    )


def test_failures_are_kept(qgis, layers, runs, files, monkeypatch, tmp_path):
    """For all features and both functions, until a layer or the program changes."""
    layer, reference = layers
    failing = program(tmp_path / "failing", "echo out of order >&2\nexit 1\n")
    monkeypatch.setenv("GPUVORONOI_COMMAND", failing)

    def fail(count):
        for text in ("nearest_distance('stations', 1)", "nearest_feature_id('stations', 1)"):
            assert "out of order" in values(layer, text)[1]
        assert (len(runs), len(files)) == (count, 2 * count)

    fail(1)
    layer.dataProvider().changeGeometryValues({1: QgsGeometry.fromPointXY(QgsPointXY(1, 1))})
    layer.dataChanged.emit()
    fail(2)
    reference.setSubsetString("id > 120")
    fail(3)
    other = program(tmp_path / "other", "echo out of order >&2\nexit 1\n")
    monkeypatch.setenv("GPUVORONOI_COMMAND", other)
    fail(4)
    program(tmp_path / "other", f"exec '{COMMAND}' \"$@\"\n")
    os.utime(other, (1, 1))
    assert set(values(layer, "nearest_distance('stations', 1)")[0].values()).isdisjoint(
        {None, NULL}
    )
    assert len(runs) == 5


def test_functions_come_and_go(qgis):
    import gpuvoronoi_processing

    assert QgsExpression.isFunctionName("nearest_distance")
    qgis.plugin.unload()
    assert not QgsExpression.isFunctionName("nearest_distance")
    qgis.plugin = gpuvoronoi_processing.classFactory(None)
    qgis.plugin.initProcessing()
    assert QgsExpression.isFunctionName("nearest_feature_id")


def test_aggregates_of_another_layer(qgis, layers):
    """The feature is of that layer, though the context names the layer of the whole expression."""
    layer, _ = layers
    other = memory(places(30, seed=5))
    other.setName("other")
    QgsProject.instance().addMapLayer(other)
    distances, _ = values(other, "nearest_distance('stations', 1)")
    found, error = values(layer, "aggregate('other', 'sum', nearest_distance('stations', 1))")
    assert error == "" and list(found.values()) == pytest.approx(
        [sum(distances.values())] * len(found)
    )
    found, _ = values(layer, "sum(nearest_distance('stations', 1))")
    own = sum(values(layer, "nearest_distance('stations', 1)")[0].values())
    assert list(found.values()) == pytest.approx([own] * len(found))


@pytest.mark.parametrize(
    "text",
    [
        "array_sum(overlay_nearest('other', nearest_distance('stations', 1), limit:=-1))",
        "relation_aggregate('all', 'sum', nearest_distance('stations', 1))",
    ],
)
def test_features_of_another_layer(qgis, text):
    """Functions that say nowhere that the feature is another layer's."""
    layer = memory([(0, 0)], fields="group:integer", rows=[(1,)])
    other = memory(places(30, seed=5), fields="group:integer", rows=[(1,)] * 30)
    stations = memory(places(50, seed=2))
    for one, name in ((layer, "layer"), (other, "other"), (stations, "stations")):
        one.setName(name)
    project = QgsProject.instance()
    project.addMapLayers([layer, other, stations])
    relation = QgsRelation()
    relation.setId("all")
    relation.setReferencedLayer(layer.id())
    relation.setReferencingLayer(other.id())
    relation.addFieldPair("group", "group")
    project.relationManager().addRelation(relation)
    distances, _ = values(other, "nearest_distance('stations', 1)")
    found, error = values(layer, text)
    assert error == "" and list(found.values()) == pytest.approx([sum(distances.values())])


def test_features_that_no_layer_has(qgis, layers):
    """Of the current layer, with another geometry: simplified for the map."""
    layer, _ = layers
    expression = QgsExpression("nearest_distance('stations', 1)")
    context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    feature = layer.getFeature(3)
    feature.setGeometry(QgsGeometry.fromWkt("Point (0 0)"))
    context.setFeature(feature)
    assert expression.evaluate(context) == values(layer, expression.expression())[0][3]
