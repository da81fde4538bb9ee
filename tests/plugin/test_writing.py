"""Nearest neighbors written into fields: of a copy, and of the layer itself."""

import pytest
from conftest import Feedback, as_file, memory, places, search
from qgis.core import (
    NULL,
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QDate, QTime

FIELDS_NAMES = ["id", "name", "near", "text", "far"]
FIELDS = "id:integer,name:string,near:integer,text:string,far:double"


def points(count=12, seed=1, **more):
    return memory(
        places(count, seed=seed),
        fields=FIELDS,
        rows=[(100 + i, f"seed {i}", None, None, None) for i in range(count)],
        **more,
    )


def stations(work):
    """A layer, and as a file for the command."""
    made = [(*place, 500 + i, f"st {i}") for i, place in enumerate(places(30, seed=2))]
    work.csv("stations.csv", made, header="lon,lat,number,name")
    return QgsVectorLayer(
        as_file(
            memory(
                [row[:2] for row in made],
                fields="number:integer,name:string",
                rows=[row[2:] for row in made],
            ),
            work.path("stations.gpkg"),
        ),
        "stations",
        "ogr",
    )


def expected(work, layer, count):
    """(index, distance) of the count-th nearest station of each point."""
    work.csv(
        "points.csv",
        [(f.geometry().asPoint().x(), f.geometry().asPoint().y()) for f in layer.getFeatures()],
        header="lon,lat",
    )
    found = search(
        work,
        "--reference",
        "stations.csv",
        "--queries",
        "points.csv",
        "-k",
        count,
        "--metric",
        "geodesic",
    )
    return [(index, distance) for _, rank, index, distance in found if rank == count]


@pytest.mark.parametrize("rank", [1, 3])
def test_into_a_copy(qgis, work, rank):
    layer = points()
    made = qgis.run(
        "writenearest",
        INPUT=layer,
        REFERENCE=stations(work),
        REFERENCE_FIELD="number",
        RANK=rank,
        ID_FIELD="near",
        DISTANCE_FIELD="far",
        OUTPUT="memory:",
    )["OUTPUT"]
    wanted = expected(work, layer, rank)
    assert made.fields().names() == layer.fields().names()
    assert [feature["near"] for feature in made.getFeatures()] == [
        500 + index for index, _ in wanted
    ]
    assert [feature["far"] for feature in made.getFeatures()] == pytest.approx(
        [distance for _, distance in wanted], rel=1e-12
    )
    assert [feature["name"] for feature in made.getFeatures()] == [f"seed {i}" for i in range(12)]
    assert all(feature["near"] == NULL for feature in layer.getFeatures())


def test_ids_of_any_kind(qgis, work):
    """Feature ids without a field; text into text; whole numbers into text, too."""
    layer, others = points(), stations(work)
    index = [index for index, _ in expected(work, layer, 1)]
    for field, column, wanted in (
        ("", "near", [i + 1 for i in index]),
        ("name", "text", [f"st {i}" for i in index]),
        ("number", "text", [str(500 + i) for i in index]),
    ):
        made = qgis.run(
            "writenearest",
            INPUT=layer,
            REFERENCE=others,
            REFERENCE_FIELD=field,
            ID_FIELD=column,
            OUTPUT="memory:",
        )["OUTPUT"]
        assert [feature[column] for feature in made.getFeatures()] == wanted


def test_without_a_neighbor(qgis, work):
    """Beyond the limit, and without geometry: empty, also where there was something before."""
    layer = memory(
        [(0, 0), (50, 0)], fields=FIELDS, rows=[(1, "a", 7, "x", 1.0), (2, "b", 7, "x", 1.0)]
    )
    lost = QgsFeature(layer.fields())
    lost.setAttributes([3, "c", 7, "x", 1.0])
    assert layer.dataProvider().addFeatures([lost])[0]
    made = qgis.run(
        "writenearest",
        INPUT=layer,
        REFERENCE=memory([(0.1, 0)]),
        MAX_DISTANCE=100000,
        ID_FIELD="near",
        DISTANCE_FIELD="far",
        OUTPUT="memory:",
    )["OUTPUT"]
    values = [(feature["near"], feature["far"]) for feature in made.getFeatures()]
    assert (
        values[0][0] == 1
        and values[0][1] == pytest.approx(11131.949, abs=0.01)
        and values[1:] == [(NULL, NULL)] * 2
    )


@pytest.mark.parametrize(
    "given,names",
    [
        ({}, ["nearest_id", "nearest_distance"]),
        ({"ID_FIELD": "station", "DISTANCE_FIELD": "meters"}, ["station", "meters"]),
        ({"DISTANCE_FIELD": "meters"}, ["meters"]),
        ({"ID_FIELD": "near", "DISTANCE_FIELD": "meters"}, ["meters"]),
    ],
)
def test_missing_fields_are_added(qgis, work, given, names):
    """With the type of the ids; fields that are there are used."""
    layer, others = points(), stations(work)
    made = qgis.run(
        "writenearest",
        INPUT=layer,
        REFERENCE=others,
        REFERENCE_FIELD="name" if "near" not in given.values() else "number",
        OUTPUT="memory:",
        **given,
    )["OUTPUT"]
    wanted = expected(work, layer, 1)
    assert (
        made.fields().names() == [*layer.fields().names(), *names]
        and layer.fields().names() == FIELDS_NAMES
    )
    column = given.get("ID_FIELD", None if given else "nearest_id")
    if column is not None:
        ids = [500 + i if column == "near" else f"st {i}" for i, _ in wanted]
        assert [feature[column] for feature in made.getFeatures()] == ids
    far = given.get("DISTANCE_FIELD", "nearest_distance")
    assert [feature[far] for feature in made.getFeatures()] == pytest.approx(
        [distance for _, distance in wanted], rel=1e-12
    )
    assert [feature["name"] for feature in made.getFeatures()] == [f"seed {i}" for i in range(12)]


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_missing_fields_in_place(qgis, work, kind):
    """One step undoes the fields and the values; other features have empty values."""
    layer = (
        QgsVectorLayer(as_file(points(), work.path("points.gpkg")), "points", "ogr")
        if kind == "file"
        else points()
    )
    before = layer.fields().names()
    layer.selectByIds([feature.id() for feature in layer.getFeatures()][:5])
    in_place(layer, REFERENCE=stations(work), REFERENCE_FIELD="number", ID_FIELD="station")
    assert layer.fields().names() == [*before, "station"]
    wanted = expected(work, layer, 1)
    found = [feature["station"] for feature in layer.getFeatures()]
    assert found[:5] == [500 + index for index, _ in wanted[:5]] and set(found[5:]) <= {None, NULL}
    assert layer.undoStack().count() == 1
    layer.undoStack().undo()
    assert layer.fields().names() == before and layer.rollBack()


def test_fields_that_cannot_be_added(qgis, work):
    """A layer in a format without new fields."""
    layer = QgsVectorLayer(as_file(points(), work.path("points.gpkg")), "points", "ogr")
    from gpuvoronoi_processing.algorithms import WriteNearest

    class Fixed(QgsVectorLayer):
        def addAttribute(self, field):
            return False

    fixed = Fixed(layer.source(), "points", "ogr")
    algorithm = WriteNearest()
    algorithm.initAlgorithm({"IN_PLACE": True})
    algorithm.own = True
    with pytest.raises(QgsProcessingException, match="points: cannot add the field “station”"):
        algorithm.make_fields(fixed, {"ID_FIELD": "station"}, fixed.fields())


def in_place(layer, **parameters):
    """As the toolbox does it with its pencil pressed."""
    from processing.gui.AlgorithmExecutor import execute_in_place_run

    QgsProject.instance().addMapLayer(layer, False)
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:writenearest")
    assert algorithm.supportInPlaceEdit(layer)
    well, _ = execute_in_place_run(
        algorithm, {"INPUT": layer, **parameters}, context, Feedback(), raise_exceptions=True
    )
    assert well


def test_in_place(qgis, work):
    """The layer is being edited then: nothing is saved, one step undoes it."""
    layer = QgsVectorLayer(as_file(points(), work.path("points.gpkg")), "points", "ogr")
    in_place(
        layer,
        REFERENCE=stations(work),
        REFERENCE_FIELD="number",
        ID_FIELD="near",
        DISTANCE_FIELD="far",
    )
    wanted = expected(work, layer, 1)
    assert layer.isEditable() and [feature["near"] for feature in layer.getFeatures()] == [
        500 + index for index, _ in wanted
    ]
    assert [feature["far"] for feature in layer.getFeatures()] == pytest.approx(
        [distance for _, distance in wanted]
    )
    assert layer.undoStack().count() == 1
    layer.undoStack().undo()
    assert all(feature["near"] == NULL for feature in layer.getFeatures())
    assert layer.rollBack()


def test_in_place_of_a_selection(qgis, work):
    """Its neighbors are those of the whole layer, as it is edited; other features are unchanged."""
    layer = memory(
        [(0, 0), (1, 0), (3, 0), (10, 0)],
        fields=FIELDS,
        rows=[(i, "", None, None, None) for i in range(4)],
    )
    ids = [feature.id() for feature in layer.getFeatures()]
    assert layer.startEditing() and layer.changeGeometry(
        ids[1], QgsGeometry.fromWkt("Point (-4 0)")
    )
    layer.selectByIds([ids[0], ids[3]])
    in_place(layer, ID_FIELD="near", DISTANCE_FIELD="far")
    assert [feature["near"] for feature in layer.getFeatures()] == [ids[2], NULL, NULL, ids[2]]
    assert layer.rollBack()


def test_lines_cannot_be_edited(qgis, work):
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:writenearest")
    assert not algorithm.supportInPlaceEdit(memory([], geometry="LineString"))


@pytest.mark.parametrize(
    "kind,value,text",
    [
        ("time", QTime(10, 30), "10:30:00"),
        ("date", QDate(2024, 2, 3), "2024-02-03"),
        ("int[]", [1, 2], "[1, 2]"),
        ("string", "a", "a"),
    ],
)
def test_ids_as_text(qgis, work, kind, value, text):
    """Of any type, written into a field of text."""
    reference = memory([(0, 0)], fields=f"key:{kind}", rows=[[value]])
    points = memory([(1, 1)], fields="near:string", rows=[[NULL]])
    out = qgis.run(
        "writenearest",
        INPUT=points,
        REFERENCE=reference,
        REFERENCE_FIELD="key",
        ID_FIELD="near",
        OUTPUT="memory:",
    )["OUTPUT"]
    assert [feature["near"] for feature in out.getFeatures()] == [text]


@pytest.mark.parametrize(
    "parameters,said",
    [
        ({"REFERENCE_FIELD": "name", "ID_FIELD": "near"}, "near"),
        ({"REFERENCE_FIELD": "number", "ID_FIELD": "far", "DISTANCE_FIELD": "far"}, "far"),
        ({"REFERENCE_FIELD": "number", "ID_FIELD": "new", "DISTANCE_FIELD": "new"}, "new"),
        ({"REFERENCE_FIELD": "large", "ID_FIELD": "near"}, "near"),
    ],
)
def test_fields_that_cannot_hold_the_values(qgis, parameters, said):
    """An error, no features are lost."""
    others = memory(
        [(0, 0), (50, 0)],
        fields="name:string,number:integer,large:long",
        rows=[("a", 1, 5000000000), ("b", 2, 6000000000)],
    )
    with pytest.raises(QgsProcessingException) as error:
        qgis.run("writenearest", INPUT=points(), REFERENCE=others, OUTPUT="memory:", **parameters)
    assert said in " ".join([str(error.value), *qgis.feedback.errors])


def test_names_of_new_fields_can_be_typed(qgis):
    """In the dialog, where fields of the layer are offered too."""
    from processing.gui.wrappers import WidgetWrapperFactory
    from qgis.PyQt.QtWidgets import QDialog

    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:writenearest")
    dialog, layer = QDialog(), points()

    class Parent:
        def parameterValue(self):
            return layer

    for name, offered in (("ID_FIELD", FIELDS_NAMES), ("DISTANCE_FIELD", ["id", "near", "far"])):
        made = WidgetWrapperFactory.create_wrapper(algorithm.parameterDefinition(name), dialog)
        made.follow(Parent())
        box = made.widget
        assert [box.itemText(row) for row in range(box.count())] == ["", *offered]
        assert made.value() is None
        box.setEditText("meters")
        made.follow(Parent())
        assert made.value() == "meters"
        made.setValue("near")
        assert made.value() == "near" and box.currentField() == "near"
        made.setValue(None)
        assert made.value() is None
