"""Seeds from layers of all kinds: no feature is lost, none gets another number."""

import numpy as np
import pytest
from conftest import crs, memory, places, read
from osgeo import ogr, osr
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)

SEEDS = places(60)


def run(qgis, work, layer, **parameters):
    parameters.setdefault("RESOLUTION", 1)
    return read(
        qgis.run("voronoiraster", INPUT=layer, OUTPUT=work.path("out.tif"), **parameters)["OUTPUT"]
    )


def expected(work, seeds, ids, *options):
    work.csv("expected.csv", [(x, y, i) for (x, y), i in zip(seeds, ids)])
    return work.expected("--seeds", "expected.csv", "--id", "id", *(options or ("--res", 1)))


def file(work, name, driver, layer="seeds", seeds=SEEDS, fields=("id",), values=None, epsg=4326):
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(epsg)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    source = ogr.GetDriverByName(driver).CreateDataSource(work.path(name))
    made = source.CreateLayer(layer, reference, ogr.wkbPoint)
    for field in fields:
        made.CreateField(ogr.FieldDefn(field, ogr.OFTInteger64))
    for i, (x, y) in enumerate(seeds):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})"))
        for field in fields:
            feature.SetField(field, values[i] if values else 1000 + i)
        made.CreateFeature(feature)
    source = None
    opened = QgsVectorLayer(
        work.path(name) + ("" if driver == "ESRI Shapefile" else f"|layername={layer}"),
        "a file",
        "ogr",
    )
    assert opened.isValid()
    return opened


def handed_over(qgis):
    """The source that the command was given."""
    words = qgis.feedback.commands[-1].split()
    return words[words.index("--seeds") + 1]


def ids(layer):
    return [feature.id() for feature in layer.getFeatures()]


@pytest.mark.parametrize(
    "name,driver", [("s.gpkg", "GPKG"), ("s.shp", "ESRI Shapefile"), ("s.geojson", "GeoJSON")]
)
@pytest.mark.parametrize("field", [None, "id"])
def test_file(qgis, work, name, driver, field):
    """A file goes to the command as it is; the feature ids are those that QGIS shows."""
    layer = file(work, name, driver, layer="seeds" if driver == "GPKG" else "s")
    made = run(qgis, work, layer, FIELD=field)
    assert handed_over(qgis) == work.path(name)
    assert np.array_equal(made, expected(work, SEEDS, range(1000, 1060) if field else ids(layer)))


def test_one_of_several_layers(qgis, work):
    file(work, "s.gpkg", "GPKG", "one")
    source = ogr.Open(work.path("s.gpkg"), 1)
    source.CopyLayer(source.GetLayer(0), "two")
    source.GetLayerByName("one").DeleteFeature(1)
    source = None
    layer = QgsVectorLayer(work.path("s.gpkg") + "|layername=two", "two", "ogr")
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS, ids(layer)))
    assert handed_over(qgis) == work.path("s.gpkg")


def test_memory(qgis, work):
    layer = memory(SEEDS)
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS, ids(layer)))
    assert np.array_equal(
        run(qgis, work, layer, FIELD="id"), expected(work, SEEDS, range(100, 160))
    )


def test_text_ids(qgis, work):
    layer = memory(SEEDS)
    assert np.array_equal(run(qgis, work, layer, FIELD="name"), expected(work, SEEDS, range(60)))


@pytest.mark.parametrize("name", ["voronoiraster", "qtmvoronoi", "facilitystatistics"])
def test_numbers_with_fractions_are_no_ids(qgis, work, name):
    layer = memory(SEEDS, fields="id:double,name:string", rows=[(i, "x") for i in range(60)])
    with pytest.raises(
        QgsProcessingException,
        match="“id” is a field of real numbers; ids are whole numbers or text",
    ):
        qgis.run(name, INPUT=layer, FIELD="id", OUTPUT="TEMPORARY_OUTPUT")
    assert qgis.run("knearest", INPUT=layer, FIELD="id", OUTPUT="TEMPORARY_OUTPUT")


def test_seeds_of_one_id_have_one_region(qgis, work):
    """As the help of the field says."""
    from qgis.core import QgsApplication

    layer = memory(
        SEEDS, fields="id:integer,name:string", rows=[(i % 7, f"s{i}") for i in range(60)]
    )
    out = qgis.run(
        "voronoiraster",
        INPUT=layer,
        FIELD="id",
        RESOLUTION=1,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("p.gpkg"),
    )
    assert sorted(
        feature["id"] for feature in QgsVectorLayer(out["POLYGONS"], "p", "ogr").getFeatures()
    ) == list(range(7))
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:voronoiraster")
    assert "seeds with the same id share a region" in algorithm.parameterDefinition("FIELD").help()


def test_big_ids(qgis, work):
    rows = [(2**40 + i, "x") for i in range(60)]
    layer = memory(SEEDS, fields="id:long,name:string", rows=rows)
    assert np.array_equal(
        run(qgis, work, layer, FIELD="id"), expected(work, SEEDS, [row[0] for row in rows])
    )


def test_repeated_fids(qgis, work):
    """A field called fid with one value for all, which a GeoPackage would not survive."""
    layer = memory(SEEDS, fields="fid:integer,id:integer", rows=[(7, i) for i in range(60)])
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS, ids(layer)))
    assert np.array_equal(run(qgis, work, layer, FIELD="id"), expected(work, SEEDS, range(60)))
    assert set(run(qgis, work, layer, FIELD="fid").ravel()) == {7}


def test_order_decides_between_equals(qgis, work):
    """Seeds at one place: the first counts, also far from the order of a spatial index."""
    seeds = [(10.0, 10.0)] * 5 + SEEDS + [SEEDS[3]] * 5
    layer = memory(seeds)
    made = run(qgis, work, layer, FIELD="id")
    assert 100 in made and not set(made.ravel()) & {101, 102, 103, 104, 165, 166, 167, 168, 169}
    assert np.array_equal(made, expected(work, seeds, range(100, 170)))


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_selection(qgis, work, kind):
    layer = memory(SEEDS) if kind == "memory" else file(work, "s.gpkg", "GPKG")
    chosen = ids(layer)[5:25]
    layer.selectByIds(chosen)
    QgsProject.instance().addMapLayer(layer)
    source = QgsProcessingFeatureSourceDefinition(layer.id(), True)
    assert np.array_equal(run(qgis, work, source), expected(work, SEEDS[5:25], chosen))
    # A selection that is not requested is ignored.
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS, ids(layer)))


def test_selection_gives_the_extent(qgis, work):
    """Without an extent the raster is as large as what is selected needs."""
    layer = memory([(0, 0), (1000, 0), (0, 500), (90000, 90000)], "EPSG:32633")
    QgsProject.instance().addMapLayer(layer)
    layer.selectByIds([1, 2, 3])
    made = run(qgis, work, QgsProcessingFeatureSourceDefinition(layer.id(), True), RESOLUTION=10)
    assert made.shape == (60, 120)


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_filter(qgis, work, kind):
    layer = memory(SEEDS) if kind == "memory" else file(work, "s.gpkg", "GPKG")
    assert layer.setSubsetString("id % 2 = 0")
    assert layer.featureCount() == 30
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS[::2], ids(layer)))


def test_layer_being_edited(qgis, work):
    """What the user sees counts, not what the file holds."""
    layer = file(work, "s.gpkg", "GPKG")
    assert layer.startEditing()
    assert layer.deleteFeature(3)
    assert layer.changeGeometry(4, QgsGeometry.fromPointXY(QgsPointXY(33, 44)))
    new = QgsFeature(layer.fields())
    new.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(-33, -44)))
    new["id"] = 5555
    assert layer.addFeature(new)
    features = list(layer.getFeatures())
    seeds = [(f.geometry().asPoint().x(), f.geometry().asPoint().y()) for f in features]
    assert np.array_equal(
        run(qgis, work, layer, FIELD="id"), expected(work, seeds, [f["id"] for f in features])
    )
    numbers = [f.id() for f in features]
    assert min(numbers) < 0  # new features have no other number yet
    assert np.array_equal(run(qgis, work, layer), expected(work, seeds, numbers))
    layer.rollBack()
    assert np.array_equal(run(qgis, work, layer), expected(work, SEEDS, range(1, 61)))


def test_joined_field(qgis, work):
    layer = file(work, "s.gpkg", "GPKG")
    other = memory(
        SEEDS, fields="id:integer,number:integer", rows=[(1000 + i, 3 * i) for i in range(60)]
    )
    QgsProject.instance().addMapLayers([layer, other])
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(other)
    join.setJoinFieldName("id")
    join.setTargetFieldName("id")
    join.setUsingMemoryCache(True)
    join.setPrefix("joined_")
    assert layer.addJoin(join)
    assert np.array_equal(
        run(qgis, work, layer, FIELD="joined_number"), expected(work, SEEDS, range(0, 180, 3))
    )


def test_multipoints(qgis, work):
    layer = memory([], geometry="MultiPoint")
    for i in range(0, 60, 3):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(
            QgsGeometry.fromMultiPointXY([QgsPointXY(*place) for place in SEEDS[i : i + 3]])
        )
        feature.setAttributes([i, ""])
        layer.dataProvider().addFeatures([feature])
    assert np.array_equal(
        run(qgis, work, layer, FIELD="id"), expected(work, SEEDS, [i - i % 3 for i in range(60)])
    )


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_other_crs(qgis, work, kind):
    """The seeds' own system differs from the raster's."""
    seeds = places(30, box=(4000000, 2500000, 4600000, 3300000))
    layer = (
        memory(seeds, "EPSG:3035")
        if kind == "memory"
        else file(work, "s.gpkg", "GPKG", seeds=seeds, epsg=3035)
    )
    made = run(qgis, work, layer, CRS="EPSG:32632", RESOLUTION=5000)
    work.csv("plane.csv", [(*place, i + 1) for i, place in enumerate(seeds)], "x,y,id")
    assert np.array_equal(
        made,
        work.expected(
            "--seeds",
            "plane.csv",
            "--seeds-crs",
            "EPSG:3035",
            "--id",
            "id",
            "--crs",
            "EPSG:32632",
            "--res",
            5000,
        ),
    )


def test_crs_that_the_user_assigned(qgis, work):
    """The layer's system counts, not that of the file."""
    seeds = places(30, box=(400000, 5000000, 800000, 5500000))
    layer = file(work, "s.gpkg", "GPKG", seeds=seeds, epsg=32632)
    layer.setCrs(crs("EPSG:32633"))
    made = run(qgis, work, layer, METRIC=1, RESOLUTION=5000)
    work.csv("plane.csv", [(*place, i + 1) for i, place in enumerate(seeds)], "x,y,id")
    assert np.array_equal(
        made,
        work.expected(
            "--seeds",
            "plane.csv",
            "--seeds-crs",
            "EPSG:32633",
            "--id",
            "id",
            "--metric",
            "geodesic",
            "--res",
            5000,
        ),
    )


PROJ = "+proj=laea +lat_0=10 +lon_0=20 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7 +units=m"


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("metric", [0, 1])
def test_user_defined_crs(qgis, work, saved, metric):
    """Only QGIS has the definition of USER:100000."""
    own = QgsCoordinateReferenceSystem()
    assert own.createFromProj(PROJ)
    if saved:
        assert own.saveAsUserCrs("our own") >= 0 and own.authid().startswith("USER:")
    seeds = places(30, box=(-500000, -500000, 500000, 500000))
    made = run(qgis, work, memory(seeds, own), METRIC=metric, RESOLUTION=10000)
    work.csv("plane.csv", [(*place, i + 1) for i, place in enumerate(seeds)], "x,y,id")
    options = [
        "--seeds",
        "plane.csv",
        "--seeds-crs",
        PROJ + " +type=crs",
        "--id",
        "id",
        "--res",
        10000,
    ]
    assert np.array_equal(
        made, work.expected(*options, *(["--metric", "geodesic"] if metric else []))
    )
    # And as the system of the raster, for seeds in degrees.
    made = run(
        qgis,
        work,
        memory(SEEDS[:20]),
        CRS=own,
        EXTENT="-500000,500000,-400000,400000",
        METRIC=1,
        RESOLUTION=10000,
    )
    assert np.array_equal(
        made,
        expected(
            work,
            SEEDS[:20],
            range(1, 21),
            "--crs",
            PROJ + " +type=crs",
            "--extent",
            "-500000,-400000,500000,400000",
            "--metric",
            "geodesic",
            "--res",
            10000,
        ),
    )


def test_no_crs(qgis, work):
    seeds = places(30, box=(0, 0, 100, 100))
    made = run(qgis, work, memory(seeds, None), METRIC=4)
    work.csv("plane.csv", [(*place, i + 1) for i, place in enumerate(seeds)], "x,y,id")
    assert np.array_equal(
        made,
        work.expected("--seeds", "plane.csv", "--id", "id", "--metric", "manhattan", "--res", 1),
    )


def without_geometry(layer):
    layer.dataProvider().addFeatures([QgsFeature(layer.fields())])
    return layer


@pytest.mark.parametrize("name", ["voronoiraster", "knearest"])
def test_missing_geometry(qgis, work, name):
    """An error that names the feature, or a count; never a silent loss."""
    layer = without_geometry(memory(SEEDS[:4]))
    with pytest.raises(QgsProcessingException, match="invalid coordinates of feature 5"):
        qgis.run(name, INPUT=layer, OUTPUT="TEMPORARY_OUTPUT")
    assert qgis.run(name, INPUT=layer, SKIP_INVALID=True, OUTPUT="TEMPORARY_OUTPUT")
    assert qgis.feedback.warnings[0] == "seeds: 1 features with invalid coordinates are left out"


SHAPES = [
    "LineString (0 0, 1 1)",
    "MultiLineString ((0 0, 1 1))",
    "Polygon ((0 0, 1 0, 1 1, 0 0))",
    "CurvePolygon ((0 0, 1 0, 1 1, 0 0))",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_and_polygons_are_seeds_and_neighbors(qgis, work, shape):
    """But they are not queries: their vertices are not points."""
    layer = memory([], geometry=shape.split(" ")[0])
    feature = QgsFeature(layer.fields())
    feature.setGeometry(QgsGeometry.fromWkt(shape))
    assert layer.dataProvider().addFeatures([feature])[0]
    made = qgis.run("voronoiraster", INPUT=layer, RESOLUTION=0.1, OUTPUT=work.path("out.tif"))
    assert set(read(made["OUTPUT"]).ravel().tolist()) == {1}
    with pytest.raises(
        QgsProcessingException,
        match="lines and polygons are not supported|queries are points or multipoints",
    ):
        qgis.run("knearest", INPUT=layer, OUTPUT="TEMPORARY_OUTPUT")
    found = qgis.run(
        "knearest", INPUT=memory([(0.5, 0), (0.5, -1)]), REFERENCE=layer, METRIC=2, OUTPUT="memory:"
    )["OUTPUT"]
    degree = 6371008.7714 * np.pi / 180
    expected = [0, degree] if "Polygon" in shape else [degree * 0.125**0.5, degree * 1.25**0.5]
    assert [f["distance"] for f in found.getFeatures()] == pytest.approx(expected, rel=1e-3)


def test_nearest_in_a_mixed_layer(qgis, work):
    """A GeoPackage with features of any type."""
    source = ogr.GetDriverByName("GPKG").CreateDataSource(work.path("mixed.gpkg"))
    made = source.CreateLayer(
        "mixed", osr.SpatialReference(crs("EPSG:4326").toWkt()), ogr.wkbUnknown
    )
    for shape in ("POINT (0 0)", "MULTIPOINT (1 1, 2 2)", "LINESTRING (5 5, 6 6)"):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(shape))
        made.CreateFeature(feature)
    source = made = None
    layer = QgsVectorLayer(work.path("mixed.gpkg"), "mixed", "ogr")
    with pytest.raises(QgsProcessingException, match="mixed: lines and polygons are not supported"):
        qgis.run("knearest", INPUT=layer, OUTPUT="memory:")
    points = memory([(5, 5), (0, 0.1)])
    out = qgis.run("knearest", INPUT=points, REFERENCE=layer, NEIGHBORS=2, OUTPUT="memory:")[
        "OUTPUT"
    ]
    assert [(f["input"], f["neighbour"]) for f in out.getFeatures()] == [
        (1, 3),
        (1, 2),
        (2, 1),
        (2, 2),
    ]
    assert set(
        read(qgis.run("voronoiraster", INPUT=layer, OUTPUT=work.path("out.tif"))["OUTPUT"])
        .ravel()
        .tolist()
    ) == {1, 2, 3}
    layer.setSubsetString("fid < 3")
    out = qgis.run("knearest", INPUT=layer, OUTPUT="memory:")["OUTPUT"]
    assert [(f["input"], f["neighbour"]) for f in out.getFeatures()] == [(1, 2), (2, 2), (2, 2)]


def test_nearest_of_a_selection(qgis, work):
    layer = memory([(0, 0), (1, 0), (2, 0), (3, 0)])
    QgsProject.instance().addMapLayer(layer)
    layer.selectByIds([1, 4])
    out = qgis.run(
        "knearest",
        INPUT=layer,
        REFERENCE=QgsProcessingFeatureSourceDefinition(layer.id(), True),
        OUTPUT="memory:",
    )
    assert [(f["input"], f["neighbour"]) for f in out["OUTPUT"].getFeatures()] == [
        (1, 1),
        (2, 1),
        (3, 4),
        (4, 4),
    ]


TABLES = {
    "lonlat.csv": "lon,lat,id\n{}",
    "longitude.csv": "id,Latitude,Longitude,x\n{}",
    "xy.csv": "x,y,id\n{}",
    "semicolons.csv": "lon;lat;id\n{}",
}


def table(work, name):
    lines = []
    for i, (x, y) in enumerate(SEEDS):
        columns = {"longitude.csv": [1000 + i, y, x, 0]}.get(name, [x, y, 1000 + i])
        lines.append((";" if "semi" in name else ",").join(map(str, columns)) + "\n")
    with open(work.path(name), "w") as out:
        out.write(TABLES[name].format("".join(lines)))
    return work.path(name)


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("loaded", [False, True])
def test_table_with_positions(qgis, work, name, loaded):
    """What the command reads, all algorithms read, by the same ids."""
    path = table(work, name)
    layer = QgsVectorLayer(path, "a table", "ogr") if loaded else path
    metric = 3 if name == "xy.csv" else 0
    raster = run(qgis, work, layer, FIELD="id", METRIC=metric)
    assert handed_over(qgis) == path
    out = qgis.run(
        "facilitystatistics", INPUT=layer, FIELD="id", METRIC=metric, RESOLUTION=1, OUTPUT="memory:"
    )["OUTPUT"]
    assert [f["cells"] for f in out.getFeatures()] == [
        np.count_nonzero(raster == 1000 + i) for i in range(60)
    ]
    assert name == "xy.csv" or out.crs().authid() == "EPSG:4326"
    assert [tuple(f.geometry().asPoint()) for f in out.getFeatures()] == SEEDS
    found = [
        qgis.run(
            "knearest",
            INPUT=source,
            REFERENCE=source,
            FIELD="id",
            NEIGHBORS=2,
            METRIC=metric,
            OUTPUT="memory:",
        )["OUTPUT"]
        for source in (
            layer,
            memory(
                SEEDS,
                None if name == "xy.csv" else "EPSG:4326",
                rows=[(1000 + i, "") for i in range(60)],
            ),
        )
    ]
    assert [f.attributes() for f in found[0].getFeatures()] == [
        f.attributes() for f in found[1].getFeatures()
    ]


def test_table_without_positions(qgis, work):
    work.csv("t.csv", [(1, 2, 3)], "a,b,c")
    for name in ("facilitystatistics", "knearest"):
        with pytest.raises(QgsProcessingException, match="t: missing geometries"):
            qgis.run(name, INPUT=work.path("t.csv"), OUTPUT="memory:")


def test_neighbors_that_the_coordinate_system_does_not_reach(qgis, work):
    """A gnomonic map does not show the other hemisphere, so points there are not neighbors."""
    points = memory([(0, -600000), (0, -1200000)], "ESRI:102034")
    out = qgis.run(
        "knearest",
        INPUT=points,
        REFERENCE=memory([(0, -80), (0, 80), (2, -60), (0, 85)]),
        NEIGHBORS=3,
        METRIC=3,
        OUTPUT="memory:",
    )["OUTPUT"]
    assert [(f["input"], f["neighbour"]) for f in out.getFeatures()] == [
        (1, 4),
        (1, 2),
        (2, 2),
        (2, 4),
    ]
    assert qgis.feedback.warnings == [
        "seeds: 2 features outside the area of ESRI:102034 - North_Pole_Gnomonic are left out; the first is feature 1"
    ]


def test_empty_layer(qgis, work):
    with pytest.raises(QgsProcessingException, match="missing geometries"):
        run(qgis, work, memory([]))


def test_unknown_field(qgis, work):
    with pytest.raises(QgsProcessingException, match="nonsense"):
        run(qgis, work, memory(SEEDS), FIELD="nonsense")


COLLECTIONS = [
    "GeometryCollection (Point (10 50), Point (100 -20))",
    "GeometryCollection (LineString (-60 0, -50 10), Point (-70 5))",
]


def collections(system="EPSG:4326"):
    layer = QgsVectorLayer(
        f"GeometryCollection?crs={system}&field=id:integer", "collections", "memory"
    )
    for number, text in enumerate(COLLECTIONS):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromWkt(text))
        feature.setAttributes([7 + number])
        assert layer.dataProvider().addFeatures([feature])[0]
    return layer


def collections_in_file(work):
    source = ogr.GetDriverByName("GPKG").CreateDataSource(work.path("c.gpkg"))
    reference = osr.SpatialReference(crs("EPSG:4326").toWkt())
    made = source.CreateLayer("c", reference, ogr.wkbGeometryCollection)
    made.CreateField(ogr.FieldDefn("id", ogr.OFTInteger))
    for number, text in enumerate(COLLECTIONS):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        feature.SetField("id", 7 + number)
        made.CreateFeature(feature)
    return QgsVectorLayer(work.path("c.gpkg"), "c", "ogr") if source else None


@pytest.mark.parametrize("kind", ["memory", "file", "selection"])
def test_geometry_collections_have_a_coordinate_system(qgis, work, kind):
    """That of their data: QGIS 3.22 gives none to such layers."""
    layer = value = collections() if kind == "memory" else collections_in_file(work)
    QgsProject.instance().addMapLayer(layer)
    if kind == "selection":
        layer.selectAll()
        value = QgsProcessingFeatureSourceDefinition(layer.id(), True)
    made = run(qgis, work, value, FIELD="id", RESOLUTION=5)
    assert qgis.feedback.warnings == [] and "Distances: geodesic" in qgis.feedback.infos[0]
    collections_in_file(work)
    assert np.array_equal(made, work.expected("--seeds", "c.gpkg", "--id", "id", "--res", 5))
    out = qgis.run("facilitystatistics", INPUT=value, FIELD="id", RESOLUTION=5, OUTPUT="memory:")[
        "OUTPUT"
    ]
    assert out.dataProvider().crs().authid() == "EPSG:4326"
    out = qgis.run(
        "knearest",
        INPUT=memory([(10, 51), (-55, 6)]),
        REFERENCE=value,
        REFERENCE_FIELD="id",
        OUTPUT="memory:",
    )["OUTPUT"]
    found = [(f["neighbour"], f["distance"]) for f in out.getFeatures()]
    assert (
        [row[0] for row in found] == [7, 8]
        and found[0][1] == pytest.approx(111260, rel=1e-3)
        and found[1][1] < 120000
    )
    expression = QgsExpression(f"nearest_distance('{layer.name()}', 1)")
    context = QgsExpressionContext(
        QgsExpressionContextUtils.globalProjectLayerScopes(points := memory([(10, 51)]))
    )
    QgsProject.instance().addMapLayer(points)
    context.setFeature(next(points.getFeatures()))
    assert expression.evaluate(context) == pytest.approx(found[0][1]), expression.evalErrorString()


def test_missing_crs_is_warned_of(qgis, work):
    layer = memory([(0, 0), (10, 10)], None)
    words = (
        "seeds: missing coordinate system; distances are straight lines in units of the coordinates"
    )
    run(qgis, work, layer)
    assert words in qgis.feedback.warnings
    qgis.run("knearest", INPUT=layer, OUTPUT="memory:")
    assert words in qgis.feedback.warnings
    run(qgis, work, memory([(0, 0), (10, 10)]))
    assert qgis.feedback.warnings == []
