"""The attributes of the seeds in results: under which names, and with which values."""

import json

import pytest
from conftest import memory, places, read
from qgis.core import NULL, QgsVectorLayer
from qgis.PyQt.QtCore import QByteArray, QDate, QDateTime, QTime


@pytest.mark.parametrize("output", ["memory:", "out.gpkg", "out.shp"])
@pytest.mark.parametrize(
    "fields",
    [
        ["value"],
        ["VALUE"],
        ["Value", "seed_value"],
        ["seed_value", "value"],
        ["value", "seed_value", "seed_value_"],
        ["id", "value", "distance", "area_km2", "cells"],
        ["ID", "VALUE", "Area_km2", "value_2"],
        ["values_of_beds", "value"],
    ],
)
def test_statistics_and_regions_join_by_value(qgis, work, fields, output):
    """Whatever the fields of the seeds are called; these keep their values."""
    seeds = memory(
        places(6),
        fields=",".join(f"{name}:integer" for name in fields),
        rows=[[100 * i + column for column in range(len(fields))] for i in range(6)],
    )
    output = output if output == "memory:" else work.path(output)
    made = qgis.run(
        "facilitystatistics",
        INPUT=seeds,
        RESOLUTION=10,
        OUTPUT=output,
        POLYGONS="memory:",
        ALLOCATION=work.path("a.tif"),
    )
    statistics = made["OUTPUT"] if output == "memory:" else QgsVectorLayer(output, "s", "ogr")
    regions = QgsVectorLayer(
        qgis.run(
            "voronoiraster",
            INPUT=seeds,
            RESOLUTION=10,
            OUTPUT=work.path("v.tif"),
            POLYGONS=work.path("regions.gpkg"),
        )["POLYGONS"],
        "r",
        "ogr",
    )
    expected = set(read(work.path("a.tif")).ravel().tolist())
    for layer in (statistics, made["POLYGONS"], regions):
        names = [name.lower() for name in layer.fields().names()]
        assert names.count("value") == 1 and len(set(names)) == len(names), names
        assert {feature["value"] for feature in layer.getFeatures()} == expected
    kept = [name for name in statistics.fields().names() if name != "fid"][: len(fields)]
    rows = {
        feature["value"]: [feature[name] for name in kept] for feature in statistics.getFeatures()
    }
    assert rows == {i + 1: [100 * i + column for column in range(len(fields))] for i in range(6)}
    for name in fields:  # in the regions as in the statistics
        column = fields.index(name)
        same = [
            other
            for other in regions.fields().names()
            if [feature[other] for feature in regions.getFeatures()]
            == [100 * (f["value"] - 1) + column for f in regions.getFeatures()]
        ]
        assert len(same) == 1 and (
            name.lower() != "value" or same[0] == kept[column] or output.endswith(".shp")
        ), (same, kept)


@pytest.mark.parametrize("name", ["knearest", "withindistance", "facilitystatistics"])
@pytest.mark.parametrize("kind", ["string", "double", "integer"])
def test_fields_with_the_name_of_the_key(qgis, work, name, kind):
    """In a GeoPackage; whole numbers in such a field are replaced by the key, as in QGIS."""
    value = {"string": lambda i: f"f{i}", "double": lambda i: i + 0.5, "integer": lambda i: i}[kind]
    layer = memory(places(4), fields=f"fid:{kind}", rows=[[value(i)] for i in range(4)])
    more = {
        "knearest": {"ATTRIBUTES": True},
        "withindistance": {"ATTRIBUTES": True, "RADIUS": 3e7, "GEOMETRY": 0},
        "facilitystatistics": {"RESOLUTION": 30},
    }[name]
    out = qgis.run(name, INPUT=layer, OUTPUT=work.path("out.gpkg"), **more)["OUTPUT"]
    made = QgsVectorLayer(out, "made", "ogr")
    if kind != "integer":
        values = {feature["fid_2"] for feature in made.getFeatures()}
        assert values == {value(i) for i in range(4)}
    assert made.featureCount() == (12 if name == "withindistance" else 4)


VALUES = [
    ("time", QTime(10, 30), "10:30:00"),
    ("time", QTime(10, 30, 1, 250), "10:30:01.250"),
    ("int[]", [1, 2], "[1, 2]"),
    ("double[]", [0.5, 2.0], "[0.5, 2.0]"),
    ("string[]", ["a", 'b"ü'], '["a", "b\\"ü"]'),
    ("string[]", [], "[]"),
    ("boolean", True, True),
    ("date", QDate(2024, 2, 3), QDateTime(QDate(2024, 2, 3), QTime(0, 0))),
    ("binary", QByteArray(b"\0\xff"), QByteArray(b"\0\xff")),
    (
        "datetime",
        QDateTime(QDate(2024, 2, 3), QTime(4, 5, 6)),
        QDateTime(QDate(2024, 2, 3), QTime(4, 5, 6)),
    ),
]


@pytest.mark.parametrize("kind,value,expected", VALUES)
def test_attributes_of_any_type(qgis, work, kind, value, expected):
    """Values of the field's type, or text after ISO 8601 and JSON; empty ones stay empty."""
    seeds = memory([(0, 0), (90, 0)], fields=f"a:{kind}", rows=[[value], [NULL]])
    regions = qgis.run(
        "voronoiraster",
        INPUT=seeds,
        RESOLUTION=10,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("r.gpkg"),
    )["POLYGONS"]
    made = {
        feature["id"]: feature["a"] for feature in QgsVectorLayer(regions, "r", "ogr").getFeatures()
    }
    assert made[1] == expected and type(made[1]) is type(expected)
    assert made[2] in (NULL, None) or (kind == "binary" and made[2].isEmpty())


def test_values_as_text(qgis):
    """Maps, as databases have them, and what lists and maps hold."""
    from gpuvoronoi_processing.field_types import as_text

    value = {
        "k": [1, NULL, True, {"d": 0.5}],
        "day": QDate(2024, 2, 3),
        "at": QTime(1, 2, 3),
        "b": QByteArray(b"\0\xff"),
        "n": float("nan"),
    }
    assert json.loads(as_text(value)) == {
        "k": [1, None, True, {"d": 0.5}],
        "day": "2024-02-03",
        "at": "01:02:03",
        "b": "00FF",
        "n": None,
    }
    assert (
        as_text(NULL) is None and as_text("x") == "x" and as_text(QDate(2024, 2, 3)) == "2024-02-03"
    )
    assert (
        as_text(QDateTime(QDate(2024, 2, 3), QTime(4, 5, 6))) == "2024-02-03T04:05:06"
        and as_text(7) == "7"
    )
