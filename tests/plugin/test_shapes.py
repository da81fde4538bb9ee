"""Lines, polygons and cells of rasters as seeds and neighbors: what the command makes of them."""

import numpy as np
import pytest
from conftest import (
    COLUMNS,
    LAND,
    SPHERE,
    WGS84,
    as_file,
    assigned,
    crs,
    gdal,
    land_in_memory,
    measured,
    memory,
    places,
    read,
    rows,
    search,
    stripes,
)
from qgis.core import (
    NULL,
    QgsCoordinateTransform,
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsProject,
    QgsVectorLayer,
)


def shapes(texts, system="EPSG:4326", rows=None, fields="id:integer,name:string"):
    """A layer in memory of geometries as texts."""
    layer = memory([], system, fields, geometry=texts[0].split(" ")[0])
    for i, text in enumerate(texts):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromWkt(text))
        feature.setAttributes(list(rows[i]) if rows else [100 + i, f"shape {i}"])
        assert layer.dataProvider().addFeatures([feature])[0]
    layer.updateExtents()
    return layer


RIVERS = [
    "LineString (-20 50, 30 45, 60 70)",
    "LineString (-70 -50, -60 0, -65 5)",
    "LineString (170 10, 179 20)",
]


@pytest.mark.parametrize("kind", ["file", "memory"])
@pytest.mark.parametrize(
    "parameters,options",
    [
        ({}, []),
        ({"EDGES": 1}, ["--edges", "geodesic"]),
        ({"BOUNDARY": True}, ["--boundary"]),
        ({"SIGNED": True, "METRIC": 2}, ["--signed-distance", "--metric", "great-circle"]),
    ],
)
def test_polygons_as_seeds(qgis, work, kind, parameters, options):
    made = qgis.run(
        "voronoiraster",
        INPUT=str(LAND) if kind == "file" else land_in_memory(),
        RESOLUTION=4,
        **parameters,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
    )
    work.command("--seeds", LAND, "--res", 4, *options, "--distance", "d.tif", "o.tif")
    fids = 0 if kind == "file" else 1
    assert np.array_equal(read(made["OUTPUT"]), read(work.path("o.tif")) + fids)
    assert np.array_equal(read(made["DISTANCE"]), read(work.path("d.tif")))
    assert (read(made["DISTANCE"]) < 0).any() == ("SIGNED" in parameters)
    assert qgis.feedback.warnings == []


BOW = "Polygon ((0 0, 20 20, 20 0, 0 20, 0 0))"


def test_invalid_polygons(qgis, work):
    qgis.run("voronoiraster", INPUT=shapes([BOW]), RESOLUTION=4, OUTPUT=work.path("out.tif"))
    assert any(text.startswith("Invalid polygons: 1.") for text in qgis.feedback.warnings)


def test_lines_as_seeds_of_the_mesh(qgis, work):
    made = qgis.run(
        "qtmvoronoi",
        INPUT=shapes(RIVERS),
        FIELD="id",
        LEVEL=4,
        EDGES=1,
        OUTPUT=work.path("out.tif"),
    )
    as_file(shapes(RIVERS), work.path("r.gpkg"))
    assert np.array_equal(
        read(made["OUTPUT"]),
        work.expected("--seeds", "r.gpkg", "--id", "id", "--level", 4, "--edges", "geodesic"),
    )


def test_statistics_of_lines(qgis, work):
    """They keep their shapes."""
    layer = shapes(RIVERS)
    out = qgis.run("facilitystatistics", INPUT=layer, FIELD="id", RESOLUTION=2, OUTPUT="memory:")[
        "OUTPUT"
    ]
    as_file(layer, work.path("r.gpkg"))
    work.command("--seeds", "r.gpkg", "--id", "id", "--res", 2, "--stats", "s.gpkg")
    assert [tuple(f[name] for name in COLUMNS) for f in out.getFeatures()] == rows(
        work.path("s.gpkg"), *COLUMNS
    )
    assert [f.geometry().asWkt() for f in out.getFeatures()] == [
        f.geometry().asWkt() for f in layer.getFeatures()
    ]


@pytest.mark.parametrize(
    "parameters,options",
    [
        ({}, []),
        ({"METRIC": 2}, ["--metric", "great-circle"]),
        ({"EDGES": 1, "MAX_DISTANCE": 5e6}, ["--edges", "geodesic", "--max-distance", "5000000"]),
    ],
)
@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:3857"])
def test_nearest_lines(qgis, work, parameters, options, system):
    """What the command finds; lines to their nearest points, as long as the distance."""
    queries = places(40, box=(-170, -70, 170, 70))
    work.csv("q.csv", [(*p, 0) for p in queries])
    rivers = shapes(RIVERS)
    as_file(rivers, work.path("r.gpkg"))
    points = memory(queries)
    if system != "EPSG:4326":  # automatic distances are geodesics there, too
        to_map = QgsCoordinateTransform(crs("EPSG:4326"), crs(system), QgsProject.instance())
        points = memory([tuple(to_map.transform(*p)) for p in queries], system)
    out = qgis.run(
        "knearest",
        INPUT=points,
        REFERENCE=rivers,
        REFERENCE_FIELD="name",
        NEIGHBORS=2,
        OUTPUT="memory:",
        **parameters,
    )["OUTPUT"]
    expected = search(work, "--reference", "r.gpkg", "--queries", "q.csv", "-k", 2, *options)
    found = [
        (f["input"], f["rank"], f["neighbour"], f["distance"])
        for f in out.getFeatures()
        if f["neighbour"] != NULL
    ]
    expected = [
        (query + 1, rank, f"shape {index}", distance)
        for query, rank, index, distance in expected
        if index >= 0
    ]
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    assert [row[3] for row in found] == pytest.approx(
        [row[3] for row in expected], rel=0 if system == "EPSG:4326" else 1e-9
    )
    river = {f["name"]: f.geometry() for f in rivers.getFeatures()}
    for feature, length in measured(out, SPHERE if parameters.get("METRIC") == 2 else WGS84):
        assert length == pytest.approx(feature["distance"], rel=1e-6)
        if "EDGES" not in parameters:
            line = feature.geometry()
            line.transform(
                QgsCoordinateTransform(out.crs(), crs("EPSG:4326"), QgsProject.instance())
            )
            end = QgsGeometry.fromPointXY(line.asMultiPolyline()[-1][-1])
            assert river[feature["neighbour"]].distance(end) < 1e-6


@pytest.mark.parametrize("boundary", [False, True])
def test_nearest_polygons_on_the_map(qgis, work, boundary):
    """In the coordinate system of the points; what the neighbors are in is brought to it."""
    square = shapes(
        [
            "Polygon ((0 0, 100 0, 100 100, 0 100, 0 0))",
            "MultiPolygon (((300 0, 400 0, 400 100, 300 0)))",
        ],
        "EPSG:32633",
    )
    inputs = memory([(50, 90), (200, 50)], "EPSG:32633")
    out = qgis.run(
        "knearest",
        INPUT=inputs,
        REFERENCE=square,
        NEIGHBORS=2,
        BOUNDARY=boundary,
        ATTRIBUTES=True,
        OUTPUT="memory:",
    )["OUTPUT"]
    made = [
        (f["input"], f["rank"], f["neighbour"], f["distance"], f["neighbour_name"])
        for f in out.getFeatures()
    ]
    assert made[0] == (1, 1, 1, 10 if boundary else 0, "shape 0") and made[2] == (
        2,
        1,
        1,
        100,
        "shape 0",
    )
    assert [f.geometry().asWkt() for f in out.getFeatures()][
        2
    ] == "MultiLineString ((200 50, 100 50))"
    moved = QgsVectorLayer(
        "MultiPolygon?crs=EPSG:4326&field=id:integer&field=name:string", "seeds", "memory"
    )
    for feature in square.getFeatures():
        geometry = feature.geometry()
        geometry.transform(
            QgsCoordinateTransform(crs("EPSG:32633"), crs("EPSG:4326"), QgsProject.instance())
        )
        feature.setGeometry(geometry)
        moved.dataProvider().addFeatures([feature])
    again = qgis.run(
        "knearest",
        INPUT=inputs,
        REFERENCE=moved,
        NEIGHBORS=2,
        BOUNDARY=boundary,
        ATTRIBUTES=True,
        OUTPUT="memory:",
    )["OUTPUT"]
    assert [row[3] for row in made] == pytest.approx(
        [f["distance"] for f in again.getFeatures()], abs=1e-5
    )


def classes(work):
    """A raster of 0, 1, 2 and 7 here and there."""
    path = work.path("classes.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, 180, 90, 2)
    made.SetGeoTransform((-180, 2, 0, 90, 0, -2))
    made.SetProjection(crs("EPSG:4326").toWkt())
    for band in (1, 2):
        values = (
            np.random.default_rng(band)
            .choice([0, 1, 2, 7], (90, 180), p=[0.97, 0.01, 0.01, 0.01])
            .astype(np.uint8)
        )
        made.GetRasterBand(band).WriteArray(values)
    made = None
    return path


@pytest.mark.parametrize(
    "parameters,options",
    [
        ({}, []),
        ({"BAND": 2, "METRIC": 2}, ["--band", 2, "--metric", "great-circle"]),
        (
            {"VALUES": " 2, 7", "MAX_DISTANCE": 2e6},
            ["--values", "2,7", "--max-distance", "2000000"],
        ),
        ({"BY_CELL": True}, ["--by-cell"]),
        ({"NEIGHBORS": 2, "DOUBLE": True}, ["-k", 2, "--distance-type", "Float64"]),
        ({"EXTENT": "0,40,0,30", "RESOLUTION": 0.5}, ["--extent", "0,0,40,30", "--res", 0.5]),
    ],
)
def test_nearest_cells(qgis, work, parameters, options):
    made = qgis.run(
        "nearestcells",
        INPUT=classes(work),
        **parameters,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
        AZIMUTH=work.path("azimuth.tif"),
    )
    work.command(
        "--seeds-raster",
        classes(work),
        *options,
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "o.tif",
    )
    for name, theirs in (("OUTPUT", "o.tif"), ("DISTANCE", "d.tif"), ("AZIMUTH", "a.tif")):
        for band in range(1, 1 + parameters.get("NEIGHBORS", 1)):
            values = read(made[name], band)
            assert np.array_equal(
                values, read(work.path(theirs), band), equal_nan=values.dtype.kind == "f"
            )


def test_nearest_cells_by_value(qgis, work):
    """A band of distances for each; without the raster of values; regions as polygons."""
    made = qgis.run(
        "nearestcells",
        INPUT=classes(work),
        PER_VALUE=True,
        DISTANCE=work.path("distance.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    assert sorted(made) == ["DISTANCE", "POLYGONS"]
    dataset = gdal.Open(made["DISTANCE"])
    assert [
        dataset.GetRasterBand(band + 1).GetDescription() for band in range(dataset.RasterCount)
    ] == [f"distance to value {value}" for value in (1, 2, 7)]
    assert sorted(rows(made["POLYGONS"], "id")) == [(1,), (2,), (7,)]
    for band, value in ((1, 1), (2, 2), (3, 7)):
        assert np.array_equal(read(made["DISTANCE"], band) == 0, read(classes(work)) == value)


def test_nearest_cells_with_assigned_crs(qgis, work):
    path = stripes(work, None)
    made = qgis.run("nearestcells", INPUT=assigned(path), VALUES="2", DISTANCE=work.path("d.tif"))
    work.command(
        "--seeds-raster", path, "--seeds-crs", "EPSG:4326", "--values", 2, "--distance", "e.tif"
    )
    assert np.array_equal(read(made["DISTANCE"]), read(work.path("e.tif")))


def test_nearest_cells_that_make_no_sense(qgis, work):
    for parameters, words in (
        ({}, "Missing result; choose at least one"),
        (
            {"PER_VALUE": True, "OUTPUT": work.path("o.tif")},
            "“Distances to each value” needs “Distances to the seeds”",
        ),
        ({"VALUES": "99", "OUTPUT": work.path("o.tif")}, "No seeds; check the selection"),
        ({"VALUES": "water", "OUTPUT": work.path("o.tif")}, "--values"),
    ):
        with pytest.raises(QgsProcessingException, match=words):
            qgis.run("nearestcells", INPUT=classes(work), **parameters)
