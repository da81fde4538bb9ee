"""Voronoi diagrams: what the command makes, with the polygons of the nearest points by a measure of QGIS's own."""

import pytest
from conftest import (
    TIMEZONES,
    as_file,
    crs,
    land_in_memory,
    loading_context,
    memory,
    ogr,
    places,
    rows,
    timezones,
)
from qgis.core import (
    QgsDistanceArea,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingException,
    QgsProject,
    QgsVectorLayer,
)

FIELDS = ["seed", "area_km2", "neighbours", "others"]


def wkb(path):
    source = ogr.Open(str(path))
    return [bytes(feature.GetGeometryRef().ExportToWkb()) for feature in source.GetLayer(0)]


def names(path):
    source = ogr.Open(str(path))
    definition = source.GetLayer(0).GetLayerDefn()
    return [definition.GetFieldDefn(index).GetName() for index in range(definition.GetFieldCount())]


def measure_area(geometry):
    measure = QgsDistanceArea()
    measure.setEllipsoid("EPSG:7030")
    return measure.measureArea(geometry)


def made(layer, context, name="qgis"):
    """The layer that QGIS would load, painted as it would be."""
    details = context.layerToLoadOnCompletionDetails(layer)
    loaded = QgsVectorLayer(layer, details.name, "ogr")
    QgsProject.instance().addMapLayer(loaded)
    details.postProcessor().postProcessLayer(loaded, context, None)
    return loaded


def test_polygons_are_those_of_the_nearest_points(qgis, work):
    """By distances of QGIS's own, of points that are not within meters of a border."""
    layer = timezones()
    out = qgis.run("voronoidiagram", INPUT=layer, FIELD="name", OUTPUT=work.path("out.gpkg"))[
        "OUTPUT"
    ]
    assert names(out) == [*FIELDS, "lon", "lat", "name", "country"]
    cells = [
        (feature["seed"], feature.geometry())
        for feature in QgsVectorLayer(out, "cells", "ogr").getFeatures()
    ]
    assert len(cells) == 418 and sum(row[0] for row in rows(out, "area_km2")) == pytest.approx(
        510065621.7, rel=1e-6
    )
    measure, checked = QgsDistanceArea(), 0
    measure.setEllipsoid("EPSG:7030")
    seeds = [(feature["name"], feature.geometry().asPoint()) for feature in layer.getFeatures()]
    for x, y in places(60, seed=5):
        point = QgsPointXY(x, y)
        (first, nearest), (second, _) = sorted(
            (measure.measureLine(point, seed), name) for name, seed in seeds
        )[:2]
        if second - first > 10:
            assert [
                name for name, cell in cells if cell.contains(QgsGeometry.fromPointXY(point))
            ] == [nearest]
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("kind,option", [(0, []), (1, ["--edges-only"]), (2, ["--delaunay"])])
def test_kinds(qgis, work, kind, option):
    out = qgis.run(
        "voronoidiagram",
        INPUT=str(TIMEZONES),
        FIELD="name",
        KIND=kind,
        OUTPUT=work.path("out.gpkg"),
    )["OUTPUT"]
    work.command("diagram", "--seeds", TIMEZONES, "--id", "name", *option, "expected.gpkg")
    assert wkb(out) == wkb(work.path("expected.gpkg"))
    fields = names(out)
    assert (fields[:4] == FIELDS) if kind == 0 else (fields == ["left", "right"])
    assert rows(out, *fields) == rows(work.path("expected.gpkg"), *fields)


@pytest.mark.parametrize(
    "parameters,options",
    [
        ({"METRIC": 2, "TOLERANCE": 5000}, ["--metric", "great-circle", "--tolerance", 5000]),
        (
            {
                "METRIC": 1,
                "CRS": "EPSG:3031",
                "WHOLE": True,
                "EXTENT": "-4000000,4000000,-4000000,4000000 [EPSG:3031]",
                "TOLERANCE": 1000,
            },
            [
                "--metric",
                "geodesic",
                "--crs",
                "EPSG:3031",
                "--no-cut",
                "--extent=-4000000,-4000000,4000000,4000000",
                "--tolerance",
                1000,
            ],
        ),
        (
            {
                "METRIC": 3,
                "CRS": "EPSG:3035",
                "EXTENT": "2500000,6600000,1400000,5500000 [EPSG:3035]",
            },
            [
                "--metric",
                "euclidean",
                "--crs",
                "EPSG:3035",
                "--extent=2500000,1400000,6600000,5500000",
            ],
        ),
    ],
)
def test_options(qgis, work, parameters, options):
    out = qgis.run("voronoidiagram", INPUT=timezones(), OUTPUT=work.path("out.gpkg"), **parameters)[
        "OUTPUT"
    ]
    work.command("diagram", "--seeds", TIMEZONES, *options, "expected.gpkg")
    assert wkb(out) == wkb(work.path("expected.gpkg"))


@pytest.mark.parametrize("kind,option", [(0, []), (1, ["--edges-only"])])
def test_groups(qgis, work, kind, option):
    out = qgis.run(
        "voronoidiagram",
        INPUT=str(TIMEZONES),
        FIELD="country",
        GROUP=True,
        KIND=kind,
        TOLERANCE=1000,
        OUTPUT=work.path("out.gpkg"),
    )["OUTPUT"]
    work.command(
        "diagram",
        "--seeds",
        TIMEZONES,
        "--group",
        "country",
        *option,
        "--tolerance",
        1000,
        "expected.gpkg",
    )
    assert wkb(out) == wkb(work.path("expected.gpkg")) and names(out) == names(
        work.path("expected.gpkg")
    )


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_mask(qgis, work, kind):
    land = land_in_memory()
    path = as_file(land, work.path("land.gpkg"))
    out = qgis.run(
        "voronoidiagram",
        INPUT=timezones(),
        TOLERANCE=10000,
        MASK=path if kind == "file" else land,
        OUTPUT=work.path("out.gpkg"),
    )["OUTPUT"]
    work.command(
        "diagram",
        "--seeds",
        TIMEZONES,
        "--tolerance",
        10000,
        "--mask",
        "land.gpkg",
        "expected.gpkg",
    )
    assert wkb(out) == wkb(work.path("expected.gpkg"))
    assert (
        sum(
            measure_area(feature.geometry())
            for feature in QgsVectorLayer(out, "cells", "ogr").getFeatures()
        )
        < 160e12
    )


@pytest.mark.parametrize("output", ["out.gpkg", "memory:"])
def test_layers_without_a_file(qgis, work, output):
    """Ids are feature ids, attributes those of the layer and no more; points at one place share a polygon."""
    layer = memory([(5, 5), (10, 5), (5, 5), (20, 30)])
    context = loading_context()
    out = qgis.run(
        "voronoidiagram",
        context=context,
        INPUT=layer,
        METRIC=3,
        CRS="EPSG:3857",
        OUTPUT=output if output == "memory:" else work.path(output),
    )
    found = out["OUTPUT"] if output == "memory:" else QgsVectorLayer(out["OUTPUT"], "cells", "ogr")
    assert [field.name() for field in found.fields() if field.name() != "fid"] == [
        *FIELDS,
        "id",
        "name",
    ]
    ids = {feature["id"]: feature.id() for feature in layer.getFeatures()}
    assert {(feature["seed"], feature["id"]) for feature in found.getFeatures()} == {
        (ids[i], i) for i in (100, 101, 103)
    }
    assert [feature["others"] for feature in found.getFeatures() if feature["id"] == 100] == [
        str(ids[102])
    ]


def test_loaded_layers_have_names_and_colors(qgis, work):
    context = loading_context()
    out = work.path("out.gpkg")
    qgis.run("voronoidiagram", context=context, INPUT=timezones(), OUTPUT=out)  # not to be loaded
    from qgis.core import QgsProcessingOutputLayerDefinition

    sink = QgsProcessingOutputLayerDefinition(work.path("loaded.gpkg"), QgsProject.instance())
    path = qgis.run(
        "voronoidiagram", context=context, INPUT=timezones(), TOLERANCE=10000, OUTPUT=sink
    )["OUTPUT"]
    layer = made(path, context)
    assert layer.name() == "Voronoi cells of Time zones" and layer.displayExpression() == '"name"'
    color = layer.renderer().symbol().symbolLayer(0).dataDefinedProperties().property(3)
    assert "color_hsv" in color.expressionString()


def test_lines_and_polygons_are_refused(qgis, work):
    with pytest.raises(QgsProcessingException, match="use “Voronoi raster”"):
        qgis.run("voronoidiagram", INPUT=land_in_memory(), OUTPUT=work.path("out.gpkg"))


def test_messages(qgis, work):
    """What is left out is counted; seeds on one meridian are certain, and nothing is said of datum grids."""
    layer = memory([(7, 45), (7, 45.1), (7, 45.3), (7, 45.4)])
    layer.dataProvider().addFeatures([QgsFeature(layer.fields())])
    with pytest.raises(QgsProcessingException, match="invalid coordinates of feature"):
        qgis.run("voronoidiagram", INPUT=layer, OUTPUT=work.path("out.gpkg"))
    qgis.run("voronoidiagram", INPUT=layer, SKIP_INVALID=True, OUTPUT=work.path("out.gpkg"))
    assert "Seeds: 4 used, 0 left out" in qgis.feedback.infos
    assert any(text.startswith("Diagram: 4 places, ") for text in qgis.feedback.infos)
    assert not any("datum grid" in text for text in qgis.feedback.warnings)
    assert not any("are not verified" in text for text in qgis.feedback.warnings)


def test_degrees_are_no_lengths(qgis, work):
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error"):
        qgis.run("voronoidiagram", INPUT=timezones(), METRIC=3, OUTPUT=work.path("out.gpkg"))


def test_crs_of_the_user(qgis, work):
    system = crs("+proj=laea +lat_0=45 +lon_0=10 +datum=WGS84")
    out = qgis.run(
        "voronoidiagram",
        INPUT=timezones(),
        CRS=system,
        METRIC=1,
        TOLERANCE=10000,
        EXTENT="0,20,40,50 [EPSG:4326]",
        OUTPUT=work.path("out.gpkg"),
    )["OUTPUT"]
    layer = QgsVectorLayer(out, "cells", "ogr")
    assert (
        layer.crs().isValid() and not layer.crs().isGeographic() and 10 < layer.featureCount() < 100
    )


@pytest.mark.parametrize("ending", ["gpkg", "geojson", "fgb", "csv", "shp", "gml", "kml", "tab"])
def test_the_id_of_a_copy_is_not_there(qgis, work, ending):
    """A layer in memory is written for the program with ids that it has not."""
    layer = memory(
        places(9),
        fields="name:string,w:double",
        rows=[[f"n{i}, \u00fc", i + 0.1] for i in range(9)],
    )
    path = work.path(f"out.{ending}")
    qgis.run("voronoidiagram", INPUT=layer, OUTPUT=path)
    made = QgsVectorLayer(path, "made", "ogr")
    # GeoJSON has no columns without values; KML has columns of its own, and no two names that differ by case.
    own = ("fid", "gml_id", "WKT", "others")
    if ending == "kml":
        assert "seed_id" not in made.fields().names() and made.featureCount() == 9
        if "id" in made.fields().names():  # newer versions of LIBKML have one of their own
            assert {str(one["id"]) for one in made.getFeatures()}.isdisjoint("123456789")
        return
    names = [name for name in made.fields().names() if name not in own]
    assert names == ["seed", "area_km2", "neighbours", "name", "w"]
    assert {feature["name"]: float(feature["w"]) for feature in made.getFeatures()} == {
        f"n{i}, \u00fc": i + 0.1 for i in range(9)
    }
    regions = qgis.run(
        "voronoiraster",
        INPUT=layer,
        RESOLUTION=10,
        OUTPUT=work.path("o.tif"),
        POLYGONS=work.path(f"r.{ending}"),
    )["POLYGONS"]
    names = QgsVectorLayer(regions, "made", "ogr").fields().names()
    assert [name for name in names if name not in own] == ["id", "value", "name", "w"]
