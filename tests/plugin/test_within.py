"""Within a distance: all pairs of points and neighbors that are near enough."""

import csv

import numpy as np
import pytest
from conftest import Feedback, as_file, land_in_memory, memory, places
from qgis.core import NULL, QgsProcessingException, QgsWkbTypes


def found(layer):
    rows = [
        [f[name] for name in ("input", "rank", "neighbour", "distance")]
        for f in layer.getFeatures()
    ]
    return [tuple(None if value == NULL else value for value in row) for row in rows]


def expected(matrix, radius, own=None):
    """Rows of a matrix of distances; `own` is the number of the neighbor that is the same as each point."""
    rows = []
    for query, line in enumerate(matrix):
        near = [i for i in np.argsort(line, kind="stable") if line[i] <= radius]
        near = near if own is None else [i for i in near if i != own[query]]
        rows += [(query + 1, rank, i + 1, line[i]) for rank, i in enumerate(near, 1)]
        rows += [] if near else [(query + 1, None, None, None)]
    return rows


def distances(points, others):
    difference = np.array(points)[:, None, :] - np.array(others)[None, :, :]
    return np.hypot(difference[..., 0], difference[..., 1])


def close(rows, others):
    assert [row[:3] for row in rows] == [row[:3] for row in others]
    assert [row[3] for row in rows] == pytest.approx([row[3] for row in others], rel=1e-14)


@pytest.mark.parametrize("radius", [0, 15, 120, 2000])
def test_on_the_map(qgis, work, radius):
    points = places(40, seed=2, box=(0, 0, 1000, 500))
    others = [*places(60, seed=3, box=(0, 0, 1000, 500)), points[7]]
    out = qgis.run(
        "withindistance",
        INPUT=memory(points, "EPSG:32633"),
        REFERENCE=memory(others, "EPSG:32633"),
        RADIUS=radius,
        OUTPUT="memory:",
    )["OUTPUT"]
    close(found(out), expected(distances(points, others), radius))
    alone = [f for f in out.getFeatures() if f["rank"] == NULL]
    assert all(f.geometry().isNull() for f in alone)
    assert out.wkbType() == QgsWkbTypes.Type.MultiLineString
    for line in out.getFeatures():
        if line["rank"] != NULL:
            assert line.geometry().length() == pytest.approx(line["distance"], abs=1e-9)
    count = len(alone)
    assert (f"Points without a neighbor: {count} of 40" in qgis.feedback.infos) == (count > 0)


def test_the_bound_is_inclusive_and_nobody_is_near(qgis, work):
    more = {"REFERENCE": memory([(0, 10), (0, 11)], "EPSG:32633"), "OUTPUT": "memory:"}
    near = memory([(0, 0), (100, 0)], "EPSG:32633")
    out = qgis.run("withindistance", INPUT=near, RADIUS=10, **more)["OUTPUT"]
    assert found(out) == [(1, 1, 1, 10), (2, None, None, None)]
    out = qgis.run("withindistance", INPUT=near, RADIUS=9.999, **more)["OUTPUT"]
    assert found(out) == [(1, None, None, None), (2, None, None, None)]
    assert qgis.feedback.warnings == [
        "0 of 2 points have a neighbor; limited by “Distance (meters on the globe, map units on the map)”"
    ]


@pytest.mark.parametrize("metric", [0, 2])
def test_on_the_globe(qgis, work, metric):
    points, others = places(50, seed=2), places(300, seed=3)
    work.csv("q.csv", [(*p, 0) for p in points])
    work.csv("r.csv", [(*p, 0) for p in others])
    out = qgis.run(
        "withindistance",
        INPUT=memory(points),
        REFERENCE=memory(others),
        METRIC=metric,
        RADIUS=900000,
        GEOMETRY=0,
        OUTPUT="memory:",
    )["OUTPUT"]
    name = "great-circle" if metric else "geodesic"
    options = ["--queries", "q.csv", "--radius", 900000, "--metric", name]
    work.command("search", "--reference", "r.csv", *options, "o.csv")
    with open(work.path("o.csv"), newline="") as file:
        rows = [
            (int(q), int(rank), int(index), float(away))
            for q, rank, index, away in list(csv.reader(file))[1:]
        ]
    assert [row for row in found(out) if row[1] is not None] == rows and len(rows) > 100
    assert {row[0] for row in found(out)} == set(range(1, 51))


def test_without_a_second_layer(qgis, work):
    """A point is not its own neighbor, but another at the same place is."""
    points = [(0, 0), (0, 1), (0, 1), (5, 5)]
    out = qgis.run(
        "withindistance", INPUT=memory(points, "EPSG:32633"), RADIUS=2, OUTPUT="memory:"
    )["OUTPUT"]
    close(found(out), expected(distances(points, points), 2, range(4)))


@pytest.mark.parametrize("field", [None, "name"])
def test_the_same_layer_twice(qgis, work, field):
    points = places(30, seed=2, box=(0, 0, 100, 100))
    layer = as_file(memory(points, "EPSG:32633"), work.path("p.gpkg"))
    more = {} if field is None else {"FIELD": field}
    out = qgis.run(
        "withindistance",
        INPUT=layer,
        REFERENCE=layer,
        EXCLUDE_SELF=True,
        RADIUS=20,
        ATTRIBUTES=True,
        OUTPUT="memory:",
        **more,
    )["OUTPUT"]
    rows = expected(distances(points, points), 20, range(30))
    name = (lambda i: i) if field is None else (lambda i: f"seed {i - 1}")
    close(found(out), [(name(row[0]), *row[1:]) for row in rows])
    assert "neighbour_name" in out.fields().names()


@pytest.mark.parametrize("geometry", [0, 1, 2])
def test_lines_and_polygons(qgis, work, geometry):
    """As the command says; no lines to them, which is said before anything is computed."""
    from qgis.core import QgsApplication, QgsProcessingContext

    points = places(30, seed=4)
    land = land_in_memory()
    given = {"INPUT": memory(points), "REFERENCE": land, "RADIUS": 300000, "GEOMETRY": geometry}
    made = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:withindistance")
    context = QgsProcessingContext()
    well, message = made.checkParameterValues({**given, "OUTPUT": "memory:"}, context)
    assert well == (geometry < 2) and ("lines to lines and polygons" in message) == (geometry == 2)
    if not well:
        with pytest.raises(QgsProcessingException, match="lines to lines and polygons"):
            qgis.run("withindistance", OUTPUT="memory:", **given)
        return
    out = qgis.run("withindistance", OUTPUT="memory:", **given)["OUTPUT"]
    work.csv("q.csv", [(*p, 0) for p in points])
    as_file(land, work.path("land.gpkg"))
    options = ["--queries", "q.csv", "--radius", 300000, "--metric", "geodesic"]
    work.command("search", "--reference", "land.gpkg", *options, "o.csv")
    with open(work.path("o.csv"), newline="") as file:
        lines = list(csv.reader(file))[1:]
    assert [tuple(map(float, row)) for row in found(out) if row[1] is not None] == [
        tuple(map(float, line)) for line in lines
    ]


def test_cancelled(qgis, work):
    feedback = Feedback()
    feedback.progressChanged.connect(lambda percent: percent >= 20 and feedback.cancel())
    points = memory(places(2000, seed=2, box=(0, 0, 100, 100)), "EPSG:32633")
    given = {"INPUT": points, "RADIUS": 100, "OUTPUT": work.path("o.gpkg")}
    assert qgis.run("withindistance", feedback=feedback, **given).get("OUTPUT") is None
