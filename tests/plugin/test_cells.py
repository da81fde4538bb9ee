"""Nearest seed of cells: HEALPix, S2 and H3, compared with the command's own tables."""

import csv

import pytest
from conftest import LAND, as_file, land_in_memory, memory, places, rows
from qgis.core import (
    NULL,
    QgsApplication,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingContext,
    QgsProcessingException,
    QgsVectorLayer,
    QgsWkbTypes,
)

FIELDS = "id:integer,name:string,w:double"
ROWS = [(100 + i, f"seed {i}", 1.5 + i % 7) for i in range(60)]


def points():
    return memory(places(60), fields=FIELDS, rows=ROWS)


def table(work, cells, *options):
    """What the command writes for the same points, numbered from 0."""
    work.csv("s.csv", [(x, y, *row) for (x, y), row in zip(places(60), ROWS)], "lon,lat,id,name,w")
    work.command(
        "--seeds", "s.csv", "--cells-of", cells, "--cells", "expected.csv", "--overwrite", *options
    )
    with open(work.path("expected.csv"), newline="") as file:
        return list(csv.DictReader(file))


def features(layer):
    """Rows as the command's CSV has them: text; nothing of an empty value."""
    layer = QgsVectorLayer(layer, "made", "ogr") if isinstance(layer, str) else layer
    assert layer.isValid()
    names = [name for name in layer.fields().names() if name != "fid"]
    return [
        {name: None if f[name] == NULL else f[name] for name in names} for f in layer.getFeatures()
    ], layer


def same(made, expected):
    assert len(made) == len(expected) > 0
    assert list(made[0]) == list(expected[0])
    for one, other in zip(made, expected):
        for name, text in other.items():
            if name in ("cell", "token"):
                assert str(one[name]) == text
            else:
                assert one[name] == (
                    pytest.approx(float(text), rel=1e-12, abs=1e-12) if text else None
                ), (name, one, other)


@pytest.mark.parametrize(
    "system,level,cells,parameters,options",
    [
        (0, 3, "healpix:3", {}, []),
        (
            1,
            2,
            "healpix:2,ring",
            {"METRIC": 1, "NEIGHBORS": 3},
            ["--metric", "great-circle", "-k", 3],
        ),
        (2, 3, "s2:3", {"MAX_DISTANCE": 2000000}, ["--max-distance", 2000000]),
        (
            2,
            2,
            "s2:2,authalic",
            {"AUTHALIC": True, "WEIGHTING": 2, "WEIGHT_FIELD": "w"},
            ["--weighting", "additive", "--weight-field", "w"],
        ),
        (0, 3, "healpix:3", {"MASK": str(LAND)}, ["--mask", LAND]),
        (0, 3, "healpix:3", {"MASK": land_in_memory}, ["--mask", LAND]),
    ],
)
@pytest.mark.parametrize("output", ["out.gpkg", "memory:"])
def test_cells(qgis, work, system, level, cells, parameters, options, output):
    """The same rows, in their order, at the centers."""
    parameters = {name: value() if callable(value) else value for name, value in parameters.items()}
    out = qgis.run(
        "cells",
        INPUT=points(),
        FIELD="id",
        SYSTEM=system,
        LEVEL=level,
        GEOMETRY=1,
        OUTPUT=output if output == "memory:" else work.path(output),
        **parameters,
    )["OUTPUT"]
    made, layer = features(out)
    same(made, table(work, cells, "--id", "id", *options))
    assert layer.wkbType() == QgsWkbTypes.Type.Point and layer.crs().authid() == "EPSG:4326"
    assert all(
        (f.geometry().asPoint().x(), f.geometry().asPoint().y()) == (f["lon"], f["lat"])
        for f in layer.getFeatures()
    )
    assert len(made) < 768 or "MASK" not in parameters
    assert any(text.startswith("Cells: ") for text in qgis.feedback.infos)


@pytest.mark.parametrize("field", ["name", "id", None])
@pytest.mark.parametrize("limited", [False, True])
def test_attributes_of_the_seeds(qgis, work, field, limited):
    more = {"MAX_DISTANCE": 1500000} if limited else {}
    out = qgis.run(
        "cells",
        INPUT=points(),
        LEVEL=2,
        NEIGHBORS=2,
        ATTRIBUTES=True,
        OUTPUT=work.path("out.gpkg"),
        **({} if field is None else {"FIELD": field}),
        **more,
    )["OUTPUT"]
    made, _ = features(out)
    expected = table(
        work, "healpix:2", "--id", "id", "-k", 2, *(["--max-distance", 1500000] if limited else [])
    )
    assert [row["cell"] for row in made] == [int(row["cell"]) for row in expected]
    assert any(row["seed"] == "" for row in expected) == limited
    of = {"name": lambda i: f"seed {i - 100}", "id": lambda i: i, None: lambda i: i - 99}[field]
    for one, other in zip(made, expected):
        for name in ("seed", "seed_2"):
            assert one[name] == (None if other[name] == "" else of(int(other[name])))
        attributes = [None] * 3 if other["seed"] == "" else list(ROWS[int(other["seed"]) - 100])
        assert [one[name] for name in ("seed_id", "seed_name", "seed_w")] == attributes


def test_text_ids(qgis, work):
    """Without attributes, too; seeds with the same text are one."""
    layer = memory([(0, 0), (90, 0), (180, 0)], rows=[(1, "a"), (2, "b"), (3, "a")])
    made, _ = features(
        qgis.run("cells", INPUT=layer, FIELD="name", LEVEL=1, SYSTEM=2, OUTPUT="memory:")["OUTPUT"]
    )
    work.csv("t.csv", [(0, 0, 0), (90, 0, 1), (180, 0, 0)])
    work.command("--seeds", "t.csv", "--id", "id", "--cells-of", "s2:1", "--cells", "t.gpkg")
    assert [row["seed"] for row in made] == [
        "ab"[seed] for (seed,) in rows(work.path("t.gpkg"), "seed")
    ]
    assert "seed_name" not in made[0]


def test_files_and_shapes(qgis, work):
    """The layer's own file is read, polygons are seeds, and other formats of tables may be chosen."""
    land = as_file(land_in_memory(), work.path("land.gpkg"))
    out = qgis.run("cells", INPUT=land, LEVEL=2, BOUNDARY=True, OUTPUT=work.path("out.csv"))[
        "OUTPUT"
    ]
    work.command(
        "--seeds", land, "--cells-of", "healpix:2", "--boundary", "--cells", "expected.csv"
    )
    assert open(out).read() == open(work.path("expected.csv")).read()
    assert any(str(land) in text for text in qgis.feedback.commands)


@pytest.mark.parametrize("output", ["out.gpkg", "memory:"])
@pytest.mark.parametrize("field", ["id", "name"])
def test_polygons(qgis, work, output, field):
    """By default: one cell beside the other, each with its center."""
    out = qgis.run(
        "cells",
        INPUT=points(),
        FIELD=field,
        SYSTEM=2,
        LEVEL=2,
        OUTPUT=output if output == "memory:" else work.path(output),
    )["OUTPUT"]
    made, layer = features(out)
    assert [row["cell"] for row in made] == [int(r["cell"]) for r in table(work, "s2:2")]
    assert layer.wkbType() == QgsWkbTypes.Type.MultiPolygon
    cells = [f.geometry() for f in layer.getFeatures()]
    centers = [QgsGeometry.fromPointXY(QgsPointXY(row["lon"], row["lat"])) for row in made]
    inside = [[cell.contains(center) for center in centers] for cell in cells]
    assert inside == [[one is other for other in cells] for one in cells]
    assert sum(cell.area() for cell in cells) == pytest.approx(360 * 180, rel=1e-9)


def test_more_polygons_than_a_map_shows(qgis, work):
    given = {"INPUT": memory([(0, 0)]), "LEVEL": 10, "OUTPUT": work.path("out.gpkg")}
    made = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:cells")
    well, message = made.checkParameterValues(given, QgsProcessingContext())
    assert not well and "12,582,912 polygons" in message and "2,100,000" in message
    for more in ({"GEOMETRY": 1}, {"OUTPUT": work.path("out.csv")}, {"LEVEL": 8}):
        assert made.checkParameterValues({**given, **more}, QgsProcessingContext())[0]


def test_h3(qgis, work):
    """The command has H3 or gives the reason."""
    try:
        out = qgis.run("cells", INPUT=points(), FIELD="id", SYSTEM=3, LEVEL=1, OUTPUT="memory:")[
            "OUTPUT"
        ]
    except QgsProcessingException as error:
        assert "--cells-of: h3:1 is not supported by this build" in str(error)
    else:
        same(features(out)[0], table(work, "h3:1", "--id", "id"))
    with pytest.raises(QgsProcessingException, match="H3 has levels 0 to 15"):
        qgis.run("cells", INPUT=points(), SYSTEM=3, LEVEL=16, OUTPUT="memory:")
