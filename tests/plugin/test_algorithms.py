"""What the algorithms compute is what the command computes."""

import math

import numpy as np
import pytest
from conftest import (
    COLUMNS,
    LAND,
    SPHERE,
    TIMEZONES,
    WGS84,
    as_file,
    assigned,
    crs,
    gdal,
    has_table,
    land_in_memory,
    measured,
    memory,
    places,
    read,
    rows,
    search,
    stripes,
    timezones,
)
from osgeo import osr
from qgis.core import (
    NULL,
    QgsCoordinateTransform,
    QgsDistanceArea,
    QgsFeature,
    QgsGeometry,
    QgsMeshLayer,
    QgsPointXY,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
    QgsWkbTypes,
)

PLANE = (2500000, 1400000, 6600000, 5500000)
METRICS = [None, "geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"]


def test_input_and_output_are_enough(qgis, work):
    layer = timezones()
    out = qgis.run("voronoiraster", INPUT=layer, OUTPUT=work.path("out.tif"))["OUTPUT"]
    # A text layer of QGIS numbers its features by the lines of the file, and the heading is the first.
    expected = work.expected("--seeds", TIMEZONES) + 1
    assert np.array_equal(read(out), expected)
    assert sorted(set(expected.ravel())) == sorted(f.id() for f in layer.getFeatures())
    assert work.listing() == ["expected.tif", "out.tif"] and has_table(work.path("out.tif"))


def test_csv_file_as_it_is(qgis, work):
    """A table with lon and lat goes to the command, which understands it."""
    out = qgis.run(
        "voronoiraster", INPUT=str(TIMEZONES), FIELD="country", OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    assert np.array_equal(read(out), work.expected("--seeds", TIMEZONES, "--id", "country"))


@pytest.mark.parametrize("metric", range(6))
def test_metrics(qgis, work, metric):
    seeds = places(40, box=PLANE)
    work.csv("s.csv", [(x, y, 100 + i) for i, (x, y) in enumerate(seeds)], "x,y,id")
    out = qgis.run(
        "voronoiraster",
        INPUT=memory(seeds, "EPSG:3035"),
        FIELD="id",
        METRIC=metric,
        RESOLUTION=20000,
        OUTPUT=work.path("out.tif"),
    )["OUTPUT"]
    options = ["--metric", METRICS[metric]] if METRICS[metric] else []
    assert np.array_equal(
        read(out),
        work.expected(
            "--seeds", "s.csv", "--seeds-crs", "EPSG:3035", "--id", "id", "--res", 20000, *options
        ),
    )


def test_extent_cell_size_and_crs(qgis, work):
    out = qgis.run(
        "voronoiraster",
        INPUT=timezones(),
        EXTENT="2500000,6600000,1400000,5500000 [EPSG:3035]",
        RESOLUTION=10000,
        CRS=crs("EPSG:3035"),
        METRIC=1,
        OUTPUT=work.path("out.tif"),
    )["OUTPUT"]
    expected = work.expected(
        "--seeds",
        TIMEZONES,
        "--extent",
        "2500000,1400000,6600000,5500000",
        "--res",
        10000,
        "--crs",
        "EPSG:3035",
        "--metric",
        "geodesic",
    )
    assert np.array_equal(read(out), expected + 1)
    assert gdal.Open(out).GetGeoTransform() == (2500000, 10000, 0, 5500000, 0, -10000)


def test_extent_across_the_antimeridian(qgis, work):
    out = qgis.run(
        "voronoiraster",
        INPUT=timezones(),
        EXTENT="170,190,-25,-10",
        RESOLUTION=0.1,
        OUTPUT=work.path("out.tif"),
    )
    assert np.array_equal(
        read(out["OUTPUT"]),
        work.expected("--seeds", TIMEZONES, "--extent", "170,-25,190,-10", "--res", 0.1) + 1,
    )


def template(
    work, transform=(400000, 25000, 0, 900000, 0, -25000), size=(60, 40), system="EPSG:32633"
):
    path = work.path("template.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, *size)
    made.SetGeoTransform(transform)
    if system:
        made.SetProjection(crs(system).toWkt())
    made = None
    return path


@pytest.mark.parametrize(
    "transform",
    [(400000, 25000, 0, 900000, 0, -25000), (400000, 20000, 9000, 900000, 8000, -20000)],
)
def test_template(qgis, work, transform):
    path = template(work, transform)
    out = qgis.run(
        "voronoiraster", INPUT=timezones(), TEMPLATE=path, METRIC=1, OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    assert np.array_equal(
        read(out), work.expected("--seeds", TIMEZONES, "--like", path, "--metric", "geodesic") + 1
    )
    assert gdal.Open(out).GetGeoTransform() == transform


def test_template_with_assigned_crs(qgis, work):
    layer = QgsRasterLayer(template(work, system=None), "template")
    layer.setCrs(crs("EPSG:32633"))
    out = qgis.run(
        "voronoiraster", INPUT=timezones(), TEMPLATE=layer, METRIC=1, OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    expected = work.expected(
        "--seeds",
        TIMEZONES,
        "--like",
        layer.source(),
        "--crs",
        "EPSG:32633",
        "--metric",
        "geodesic",
    )
    assert np.array_equal(read(out), expected + 1)


def test_template_and_extent(qgis, work):
    """The extent grows to whole cells of the template, also beyond it."""
    path = template(work)
    out = qgis.run(
        "voronoiraster",
        INPUT=timezones(),
        TEMPLATE=path,
        EXTENT="430000,510000,310000,1010000 [EPSG:32633]",
        METRIC=1,
        OUTPUT=work.path("out.tif"),
    )["OUTPUT"]
    made = gdal.Open(out)
    assert made.GetGeoTransform() == (425000, 25000, 0, 1025000, 0, -25000)
    assert (made.RasterXSize, made.RasterYSize) == (4, 29)


@pytest.mark.parametrize("other", [{"RESOLUTION": 5}, {"CRS": "EPSG:4326"}])
def test_template_excludes(qgis, work, other):
    with pytest.raises(QgsProcessingException, match="cannot be given with a template raster"):
        qgis.run(
            "voronoiraster",
            INPUT=timezones(),
            TEMPLATE=template(work),
            OUTPUT=work.path("out.tif"),
            **other,
        )


def test_creation_options(qgis, work):
    out = qgis.run(
        "voronoiraster",
        INPUT=timezones(),
        OPTIONS="COMPRESS=LZW| BLOCKXSIZE=256",
        OUTPUT=work.path("out.tif"),
    )
    made = gdal.Open(out["OUTPUT"])
    assert made.GetMetadata("IMAGE_STRUCTURE")["COMPRESSION"] == "LZW"
    assert made.GetRasterBand(1).GetBlockSize() == [256, 512]


@pytest.mark.parametrize("metric,word", [(0, "geodesic"), (1, "great-circle")])
@pytest.mark.parametrize("snap", [False, True])
def test_qtm(qgis, work, metric, word, snap):
    results = qgis.run(
        "qtmvoronoi",
        INPUT=timezones(),
        LEVEL=4,
        METRIC=metric,
        SNAP=snap,
        OUTPUT=work.path("out.tif"),
        CELLS=work.path("cells.gpkg"),
    )
    options = ["--seeds", TIMEZONES, "--level", 4, "--metric", word, "--cells", "expected.gpkg"]
    expected = work.expected(*options, *(["--snap-seeds"] if snap else []))
    assert np.array_equal(read(results["OUTPUT"]), expected + 1)
    made, theirs = (
        rows(path, "id", "seed", "distance")
        for path in (results["CELLS"], work.path("expected.gpkg"))
    )
    assert len(made) == 2048
    assert made == [(cell, seed + 1, distance) for cell, seed, distance in theirs]


def test_qtm_on_another_grid(qgis, work):
    out = qgis.run(
        "qtmvoronoi",
        INPUT=timezones(),
        LEVEL=6,
        EXTENT="-20,40,30,70",
        RESOLUTION=0.25,
        OUTPUT=work.path("out.tif"),
    )
    expected = work.expected(
        "--seeds", TIMEZONES, "--level", 6, "--extent", "-20,30,40,70", "--res", 0.25
    )
    assert np.array_equal(read(out["OUTPUT"]), expected + 1)


@pytest.mark.parametrize("kind", ["file", "memory", "raster", "assigned"])
def test_mask(qgis, work, kind):
    layer = {
        "file": lambda: str(LAND),
        "memory": land_in_memory,
        "raster": lambda: stripes(work),
        "assigned": lambda: assigned(stripes(work, None)),
    }[kind]()
    path = LAND if kind in ("file", "memory") else stripes(work)
    out = qgis.run(
        "voronoiraster", INPUT=timezones(), MASK=layer, RESOLUTION=1, OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    expected = work.expected("--seeds", TIMEZONES, "--mask", path, "--res", 1)
    assert (expected == -1).any() and (expected != -1).any()
    assert np.array_equal(read(out), np.where(expected == -1, -1, expected + 1))


def test_raster_that_is_no_file(qgis, work):
    """Its source may hold a password, which no log, output or metadata shows."""
    path = stripes(work)
    source = (
        gdal.Translate("", path, format="VRT")
        .GetMetadata("xml:VRT")[0]
        .replace(
            "<SourceBand>",
            '<OpenOptions><OOI key="PASSWORD">geheim</OOI></OpenOptions><SourceBand>',
        )
    )
    layer = QgsRasterLayer(source, "a mask")
    assert layer.isValid() and "geheim" in layer.source()
    out = qgis.run(
        "voronoiraster", INPUT=timezones(), MASK=layer, TEMPLATE=layer, OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    expected = work.expected("--seeds", TIMEZONES, "--mask", path, "--like", path)
    assert np.array_equal(read(out), np.where(expected == -1, -1, expected + 1))
    said = qgis.feedback
    assert "a_mask.vrt" in said.commands[0]
    assert "geheim" not in " ".join(said.commands + said.warnings + said.errors)
    assert not any(b"geheim" in file.read_bytes() for file in work.directory.iterdir())


def test_several_nearest_with_distance_and_direction(qgis, work):
    results = qgis.run(
        "voronoiraster",
        INPUT=str(TIMEZONES),
        NEIGHBORS=3,
        MAX_DISTANCE=2000000,
        RESOLUTION=1,
        DOUBLE=True,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
        AZIMUTH=work.path("azimuth.tif"),
    )
    work.command(
        "--seeds",
        TIMEZONES,
        "-k",
        3,
        "--max-distance",
        2000000,
        "--res",
        1,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--azimuth",
        "a.tif",
        "o.tif",
    )
    for name, theirs in (("OUTPUT", "o.tif"), ("DISTANCE", "d.tif"), ("AZIMUTH", "a.tif")):
        for band in (1, 2, 3):
            assert np.array_equal(
                read(results[name], band), read(work.path(theirs), band), equal_nan=name != "OUTPUT"
            )
    assert (
        read(results["DISTANCE"]).dtype == np.float64
        and np.nanmax(read(results["DISTANCE"], 3)) <= 2000000
    )


@pytest.mark.parametrize("weighting,word", [(1, "multiplicative"), (2, "additive"), (3, "power")])
@pytest.mark.parametrize("kind", ["file", "memory"])
def test_weights(qgis, work, weighting, word, kind):
    seeds = places(40, box=PLANE)
    weights = [1.0 + i % 7 for i in range(40)]
    work.csv(
        "s.csv", [(x, y, i, w) for i, ((x, y), w) in enumerate(zip(seeds, weights))], "x,y,id,w"
    )
    layer = memory(seeds, "EPSG:3035", "id:integer,w:double", list(zip(range(40), weights)))
    if kind == "file":
        layer = as_file(layer, work.path("s.gpkg"))
    out = qgis.run(
        "voronoiraster",
        INPUT=layer,
        FIELD="id",
        WEIGHTING=weighting,
        WEIGHT_FIELD="w",
        RESOLUTION=20000,
        EXTENT="2500000,6600000,1400000,5500000",
        OUTPUT=work.path("out.tif"),
    )["OUTPUT"]
    expected = work.expected(
        "--seeds",
        "s.csv",
        "--seeds-crs",
        "EPSG:3035",
        "--id",
        "id",
        "--res",
        20000,
        "--weighting",
        word,
        "--weight-field",
        "w",
        "--extent",
        "2500000,1400000,6600000,5500000",
    )
    assert np.array_equal(read(out), expected)


def test_weighting_needs_a_field(qgis, work):
    with pytest.raises(QgsProcessingException, match="Missing field of the weights"):
        qgis.run("voronoiraster", INPUT=timezones(), WEIGHTING=1, OUTPUT=work.path("out.tif"))


@pytest.mark.parametrize(
    "name,option,label",
    [
        ("voronoiraster", "SIGNED", "Negative distances within polygons"),
        ("voronoiraster", "DOUBLE", "Distances in double precision"),
        ("facilitystatistics", "SIGNED", "Negative distances within polygons"),
    ],
)
def test_what_is_said_of_distances_needs_them(qgis, work, name, option, label):
    with pytest.raises(QgsProcessingException, match=f"“{label}” needs “Distances to the seeds”"):
        qgis.run(name, INPUT=timezones(), OUTPUT="TEMPORARY_OUTPUT", **{option: True})


def test_regions_as_polygons(qgis, work):
    """They have all attributes of the seeds, also those of a layer that is nowhere in a file."""
    layer = memory(
        places(20),
        fields="id:integer,text:string,number:double,day:date",
        rows=[(i, f"t{i}", i / 4, "2024-02-%02d" % (i + 1)) for i in range(20)],
    )
    results = qgis.run(
        "voronoiraster",
        INPUT=layer,
        RESOLUTION=2,
        OUTPUT=work.path("out.tif"),
        POLYGONS=work.path("regions.gpkg"),
    )
    regions = QgsVectorLayer(results["POLYGONS"], "regions", "ogr")
    assert regions.featureCount() == 20
    ids = read(results["OUTPUT"])
    for region in regions.getFeatures():
        assert (
            region["text"] == f"t{region['seed_id']}" and region["number"] == region["seed_id"] / 4
        )
        assert (
            region["day"].date().day() == region["seed_id"] + 1
        )  # FlatGeobuf has no dates without a time
        assert region.geometry().area() == pytest.approx(4 * np.count_nonzero(ids == region["id"]))


@pytest.mark.parametrize("output", ["r.gpkg", "r.shp", "r.fgb", "r.tab", "memory:"])
@pytest.mark.parametrize("field", ["id", "code", None])
def test_ids_of_regions_are_there_once(qgis, work, field, output):
    """The seeds' own `id` is another only if it is not what the ids come of."""
    work.csv(
        "seeds.csv",
        [(*place, i + 7, f"c{i}") for i, place in enumerate(places(20))],
        header="lon,lat,id,code",
    )
    output = output if output == "memory:" else work.path(output)
    made = qgis.run(
        "voronoiraster",
        INPUT=work.path("seeds.csv"),
        FIELD=field,
        RESOLUTION=5,
        OUTPUT=work.path("out.tif"),
        POLYGONS=output,
    )["POLYGONS"]
    made = QgsVectorLayer(made, "made", "ogr") if isinstance(made, str) else made
    names = [name for name in made.fields().names() if name != "fid"]
    repeated = [] if field == "id" else ["seed_id"]
    assert names == ["id", "value", "lon", "lat", *repeated, "code"]
    codes = {feature["code"]: feature["id"] for feature in made.getFeatures()}
    start = {"id": 7, "code": 0, None: 1}[field]
    assert codes == {f"c{i}": start + i for i in range(20)}


@pytest.mark.parametrize(
    "name,output,parameters",
    [("voronoiraster", "POLYGONS", {}), ("qtmvoronoi", "CELLS", {"LEVEL": 2})],
)
def test_polygons_in_memory_and_in_a_table(qgis, work, name, output, parameters):
    """A file, a layer in memory and a table of a GeoPackage beside others hold the same."""
    as_file(memory([(1, 1)]), work.path("project.gpkg"))
    table = f"ogr:dbname='{work.path('project.gpkg')}' table=\"regions\" (geom)"
    layer, made = memory(places(20)), []
    for destination in (work.path("a.gpkg"), "memory:", table):
        result = qgis.run(
            name,
            INPUT=layer,
            RESOLUTION=5,
            OUTPUT=work.path("out.tif"),
            **{output: destination},
            **parameters,
        )[output]
        result = QgsVectorLayer(result, "made", "ogr") if isinstance(result, str) else result
        assert result.isValid() and result.crs().authid() == "EPSG:4326"
        names = [field.name() for field in result.fields() if field.name() != "fid"]
        made.append(
            (names, [([f[n] for n in names], f.geometry().asWkt()) for f in result.getFeatures()])
        )
    assert len(made[0][1]) in (20, 128) and made[0] == made[1] == made[2]
    assert (
        QgsVectorLayer(
            work.path("project.gpkg") + "|layername=project", "old", "ogr"
        ).featureCount()
        == 1
    )


def test_mesh(qgis, work):
    results = qgis.run(
        "qtmvoronoi",
        INPUT=timezones(),
        LEVEL=3,
        OUTPUT=work.path("out.tif"),
        MESH=work.path("mesh.nc"),
        DISTANCE=work.path("distance.tif"),
    )
    mesh = QgsMeshLayer(results["MESH"], "mesh", "mdal")
    assert mesh.isValid() and mesh.dataProvider().faceCount() == 512
    work.command("--seeds", TIMEZONES, "--level", 3, "--distance", "d.tif", "o.tif")
    assert np.array_equal(read(results["DISTANCE"]), read(work.path("d.tif")), equal_nan=True)


# ------------------------------------------------------------------------------------- facility statistics


def people(work, system="EPSG:4326", name="people.tif"):
    path = work.path(name)
    made = gdal.GetDriverByName("GTiff").Create(path, 360, 180, 1, gdal.GDT_Float64)
    made.SetGeoTransform((-180, 1, 0, 90, 0, -1))
    if system:
        made.SetProjection(crs(system).toWkt())
    made.GetRasterBand(1).WriteArray(
        np.random.default_rng(8).integers(0, 1000, (180, 360)).astype(float)
    )
    made = None
    return path


def test_statistics(qgis, work):
    """The seeds of the layer, in its order, with the numbers of the command; those without cells too."""
    layer = memory([*places(30), places(30)[4]])
    population = QgsRasterLayer(people(work), "people 2020")
    results = qgis.run(
        "facilitystatistics",
        INPUT=layer,
        FIELD="id",
        SUMS=[population],
        TEMPLATE=population,
        OUTPUT="memory:",
        ALLOCATION=work.path("out.tif"),
        DISTANCE=work.path("distance.tif"),
    )
    work.csv("s.csv", [(x, y, 100 + i) for i, (x, y) in enumerate([*places(30), places(30)[4]])])
    work.command(
        "--seeds",
        "s.csv",
        "--id",
        "id",
        "--like",
        population.source(),
        "--stats",
        "s.gpkg",
        "--sum",
        f"people_2020={population.source()}",
        "--distance",
        "d.tif",
        "o.tif",
    )
    columns = [*COLUMNS, "people_2020_sum", "people_2020_distance_mean"]
    out = results["OUTPUT"]
    assert [field.name() for field in out.fields()] == ["id", "name", "value", *columns]
    assert all(f["value"] == f["id"] for f in out.getFeatures())
    made = [
        (f["id"], *(None if f[c] == NULL else f[c] for c in columns)) for f in out.getFeatures()
    ]
    assert made == rows(work.path("s.gpkg"), "id", *columns)
    assert made[30][1] == 0 and made[4][1] > 0
    assert sum(row[7] for row in made) == pytest.approx(read(population.source()).sum(), rel=1e-12)
    assert [f.geometry().asPoint() for f in out.getFeatures()] == [
        f.geometry().asPoint() for f in layer.getFeatures()
    ]
    assert np.array_equal(read(results["ALLOCATION"]), read(work.path("o.tif")))
    assert np.array_equal(read(results["DISTANCE"]), read(work.path("d.tif")))


def test_statistics_input_and_output_are_enough(qgis, work):
    out = qgis.run("facilitystatistics", INPUT=timezones(), OUTPUT=work.path("s.gpkg"))["OUTPUT"]
    assert work.listing() == ["s.gpkg"]
    work.command("--seeds", TIMEZONES, "--stats", "theirs.gpkg", "o.tif")
    assert rows(out, "name", *COLUMNS) == rows(work.path("theirs.gpkg"), "name", *COLUMNS)


@pytest.mark.parametrize("kind", ["csv", "text", "big", "feature ids", "left out"])
def test_statistics_join_the_raster(qgis, work, kind):
    """By the value of its cells, whatever the ids are."""
    seeds = places(30)
    field = None if kind in ("feature ids", "left out") else "id"
    if kind == "csv":
        work.csv("s.csv", [(*place, 100 + i) for i, place in enumerate(seeds)])
        layer = work.path("s.csv")
    else:
        of_kind = "id:string" if kind == "text" else "id:long"
        layer = memory(
            seeds,
            fields=of_kind,
            rows=[(f"t{i}" if kind == "text" else 2**40 + i,) for i in range(30)],
        )
    if kind == "left out":
        layer.dataProvider().changeGeometryValues({3: QgsGeometry()})
    results = qgis.run(
        "facilitystatistics",
        INPUT=layer,
        FIELD=field,
        RESOLUTION=2,
        SKIP_INVALID=True,
        OUTPUT="memory:",
        ALLOCATION=work.path("out.tif"),
    )
    values, counts = np.unique(read(results["ALLOCATION"]), return_counts=True)
    made = {
        f["value"]: f["cells"]
        for f in results["OUTPUT"].getFeatures()
        if f["cells"] != NULL and f["cells"] > 0
    }
    assert made == dict(zip(values.tolist(), counts.tolist()))


@pytest.mark.parametrize("repeated", [False, True])
def test_regions_of_the_statistics(qgis, work, repeated):
    """Each with the numbers of its seeds, which for those of one id are taken together."""
    layer = memory(places(30), rows=[(i % 6 if repeated else i, f"s{i}") for i in range(30)])
    population = QgsRasterLayer(people(work), "people")
    results = qgis.run(
        "facilitystatistics",
        INPUT=layer,
        FIELD="id",
        SUMS=[population],
        TEMPLATE=population,
        OUTPUT="memory:",
        POLYGONS="memory:",
        ALLOCATION=work.path("out.tif"),
        DISTANCE=work.path("d.tif"),
        SKIP_INVALID=True,
    )
    regions, ids, counts = (
        results["POLYGONS"],
        read(results["ALLOCATION"]),
        read(population.source()),
    )
    assert regions.fields().names() == results["OUTPUT"].fields().names()
    assert regions.featureCount() == len(np.unique(ids)) == (6 if repeated else 30)
    distances = read(results["DISTANCE"]).astype(float)
    for region in regions.getFeatures():
        inside = ids == region["value"]
        assert region["cells"] == inside.sum() == pytest.approx(region.geometry().area())
        assert region["people_sum"] == pytest.approx(counts[inside].sum(), rel=1e-9)
        assert region["people_distance_mean"] == pytest.approx(
            np.average(distances[inside], weights=counts[inside]), rel=1e-6
        )
        assert region["distance_max"] == pytest.approx(distances[inside].max(), rel=1e-6)
        assert (
            region["name"] == f"s{region['value']}" and (region["centroid_x"] == NULL) == repeated
        )


@pytest.mark.parametrize("group", [False, True])
def test_equal_texts_are_one_region(qgis, work, group):
    """As equal integers are."""
    layer = memory(places(30), fields="id:string", rows=[(f"t{i % 6}",) for i in range(30)])
    results = qgis.run(
        "facilitystatistics",
        INPUT=layer,
        FIELD="id",
        RESOLUTION=2,
        GROUP=group,
        OUTPUT="memory:",
        POLYGONS="memory:",
        ALLOCATION=work.path("out.tif"),
    )
    values, counts = np.unique(read(results["ALLOCATION"]), return_counts=True)
    assert values.tolist() == list(range(6))
    assert {f["value"]: (f["id"], f["cells"]) for f in results["POLYGONS"].getFeatures()} == {
        value: (f"t{value}", count) for value, count in zip(values.tolist(), counts.tolist())
    }
    found = [(f["value"], f["cells"]) for f in results["OUTPUT"].getFeatures()]
    assert len(found) == (6 if group else 30)
    assert [
        sum(cells for one, cells in found if one == value) for value in range(6)
    ] == counts.tolist()


def test_statistics_without_a_coordinate_system(qgis, work):
    """No kilometers without a unit."""
    layer = memory([(2, 2), (8, 5), (5, 9)], None)
    out = qgis.run(
        "facilitystatistics", INPUT=layer, EXTENT="0,10,0,10", RESOLUTION=1, OUTPUT="memory:"
    )["OUTPUT"]
    assert out.fields().names() == ["id", "name", "value", "cells", "area", *COLUMNS[2:]]
    assert (
        sum(f["area"] for f in out.getFeatures())
        == sum(f["cells"] for f in out.getFeatures())
        == 100
    )


def test_statistics_of_multipoints_and_useless_features(qgis, work):
    """A row for each point, an empty one for a feature that was left out, and attributes of any name."""
    layer = memory([], fields="row:integer,cells:string,id:integer", geometry="MultiPoint")
    for i, points in enumerate([[(0, 0), (90, 0)], [], [(180, 0)]]):
        feature = QgsFeature(layer.fields())
        if points:
            feature.setGeometry(
                QgsGeometry.fromMultiPointXY([QgsPointXY(*place) for place in points])
            )
        feature.setAttributes([7, f"cell {i}", i])
        layer.dataProvider().addFeatures([feature])
    out = qgis.run(
        "facilitystatistics", INPUT=layer, SKIP_INVALID=True, RESOLUTION=10, OUTPUT="memory:"
    )["OUTPUT"]
    assert out.fields().names() == ["row", "cells", "id", "value", "cells_2", *COLUMNS[1:]]
    made = [
        (f["row"], f["cells"], f["id"], f["cells_2"], f.geometry().asWkt())
        for f in out.getFeatures()
    ]
    assert made == [
        (7, "cell 0", 0, 14 * 18, "Point (0 0)"),
        (7, "cell 0", 0, 9 * 18, "Point (90 0)"),
        (7, "cell 1", 1, NULL, ""),
        (7, "cell 2", 2, 13 * 18, "Point (180 0)"),
    ]


def test_statistics_of_multipoints_into_a_geopackage(qgis, work):
    """Both have a key called fid, which does not identify the rows."""
    layer = memory([], fields="id:integer", geometry="MultiPoint")
    for i, points in enumerate([[(0, 0), (90, 0)], [(180, 0)]]):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromMultiPointXY([QgsPointXY(*place) for place in points]))
        feature.setAttributes([i])
        layer.dataProvider().addFeatures([feature])
    source = as_file(layer, work.path("s.gpkg"))
    out = qgis.run("facilitystatistics", INPUT=source, RESOLUTION=10, OUTPUT=work.path("out.gpkg"))[
        "OUTPUT"
    ]
    assert rows(out, "id", "cells") == [(0, 14 * 18), (0, 9 * 18), (1, 13 * 18)]


def test_statistics_with_assigned_crs(qgis, work):
    """A raster without a coordinate system of its own, which the user gave one; two rasters of one name."""
    layers = [QgsRasterLayer(people(work, None, name), "people") for name in ("a.tif", "b.tif")]
    for layer in layers:
        layer.setCrs(crs("EPSG:4326"))
    out = qgis.run(
        "facilitystatistics", INPUT=timezones(), SUMS=layers, RESOLUTION=2, OUTPUT="memory:"
    )["OUTPUT"]
    for name in ("people_sum", "people_2_sum"):
        assert sum(f[name] for f in out.getFeatures()) == pytest.approx(
            read(layers[0].source()).sum(), rel=1e-6
        )


@pytest.mark.parametrize("kind", ["points", "multipoints"])
def test_statistics_of_groups(qgis, work, kind):
    """A row for each id, with the numbers of the command and the place of the first seed; also as regions."""
    if kind == "points":
        layer = memory(places(30), rows=[(i % 6, f"s{i}") for i in range(30)])
    else:
        layer = memory([], geometry="MultiPoint")
        for i in range(6):
            feature = QgsFeature(layer.fields())
            feature.setGeometry(
                QgsGeometry.fromMultiPointXY([QgsPointXY(*place) for place in places(30)[i::6]])
            )
            feature.setAttributes([i, f"s{i}"])
            layer.dataProvider().addFeatures([feature])
    population = QgsRasterLayer(people(work), "people")
    results = qgis.run(
        "facilitystatistics",
        INPUT=layer,
        FIELD="id",
        SUMS=[population],
        TEMPLATE=population,
        GROUP=True,
        OUTPUT="memory:",
        POLYGONS="memory:",
    )
    work.csv("s.csv", [(x, y, i % 6) for i, (x, y) in enumerate(places(30))])
    work.command(
        "--seeds",
        "s.csv",
        "--id",
        "id",
        "--like",
        population.source(),
        "--stats",
        "s.gpkg",
        "--group",
        "--sum",
        f"people={population.source()}",
    )
    names = ["seeds", *COLUMNS, "people_sum", "people_distance_mean"]
    expected = {row[0]: row[1:] for row in rows(work.path("s.gpkg"), "id", *names)}
    for out in (results["OUTPUT"], results["POLYGONS"]):
        made = {f["value"]: tuple(f[name] for name in names) for f in out.getFeatures()}
        assert made.keys() == expected.keys() == set(range(6))
        for value, row in made.items():
            assert row == pytest.approx(expected[value], rel=1e-9)
            assert row[0] == 5
    assert [(f["name"], f.geometry().asPoint()) for f in results["OUTPUT"].getFeatures()] == [
        (f"s{i}", QgsPointXY(*places(30)[i])) for i in range(6)
    ]


def test_nearest_neighbors_on_the_globe(qgis, work):
    queries, reference = places(50, seed=2), places(300, seed=3)
    work.csv("q.csv", [(*p, 0) for p in queries])
    work.csv("r.csv", [(*p, 0) for p in reference])
    out = qgis.run(
        "knearest",
        INPUT=memory(queries),
        FIELD="name",
        REFERENCE=memory(reference),
        NEIGHBORS=4,
        OUTPUT="memory:",
    )["OUTPUT"]
    assert [field.name() for field in out.fields()] == ["input", "rank", "neighbour", "distance"]
    found = [(f["input"], f["rank"], f["neighbour"], f["distance"]) for f in out.getFeatures()]
    expected = search(work, "--reference", "r.csv", "--queries", "q.csv", "-k", 4)
    assert found == [
        (f"seed {query}", rank, index + 1, distance) for query, rank, index, distance in expected
    ]


def test_nearest_neighbors_on_the_map(qgis, work):
    queries, reference = (
        places(20, seed=2, box=(0, 0, 1000, 500)),
        places(30, seed=3, box=(0, 0, 1000, 500)),
    )
    for metric, distance in (
        (0, np.hypot),
        (3, np.hypot),
        (4, lambda x, y: x + y),
        (5, np.maximum),
    ):
        out = qgis.run(
            "knearest",
            INPUT=memory(queries, "EPSG:32633"),
            REFERENCE=memory(reference, "EPSG:32633"),
            NEIGHBORS=3,
            METRIC=metric,
            OUTPUT="memory:",
        )["OUTPUT"]
        found = [(f["input"], f["rank"], f["neighbour"], f["distance"]) for f in out.getFeatures()]
        difference = np.abs(np.array(queries)[:, None, :] - np.array(reference)[None, :, :])
        matrix = distance(difference[..., 0], difference[..., 1])
        order = np.argsort(matrix, axis=1, kind="stable")[:, :3]
        assert [row[:3] for row in found] == [
            (q + 1, r + 1, order[q, r] + 1) for q in range(20) for r in range(3)
        ]
        assert np.allclose(
            [row[3] for row in found], np.take_along_axis(matrix, order, axis=1).ravel(), rtol=1e-14
        )


def test_nearest_neighbors_without_a_second_layer(qgis, work):
    """The other points of the same layer; also with ids that repeat."""
    places_ = [(0, 0), (0, 1), (0, 3)]
    out = qgis.run(
        "knearest",
        INPUT=memory(places_, rows=[(7, "a"), (7, "b"), (8, "c")]),
        FIELD="id",
        NEIGHBORS=5,
        GEOMETRY=0,
        OUTPUT="memory:",
    )["OUTPUT"]
    assert out.wkbType() == QgsWkbTypes.Type.NoGeometry
    assert [(f["input"], f["rank"], f["neighbour"]) for f in out.getFeatures()] == [
        (7, 1, 7),
        (7, 2, 8),
        (7, 1, 7),
        (7, 2, 8),
        (8, 1, 7),
        (8, 2, 7),
    ]


def test_attributes_of_both_layers(qgis, work):
    """Also into a GeoPackage, where they may repeat its key; a point without neighbors has empty fields."""
    points = as_file(
        memory([(0, 0), (100, 0)], "EPSG:32633", rows=[(7, "a"), (8, "b")]), work.path("p.gpkg")
    )
    stations = memory(
        [(0, 10), (0, 11)], "EPSG:32633", "name:string,rank:integer", [("x", 3), ("y", 4)]
    )
    out = qgis.run(
        "knearest",
        INPUT=points,
        REFERENCE=stations,
        NEIGHBORS=2,
        MAX_DISTANCE=20,
        ATTRIBUTES=True,
        OUTPUT=work.path("out.gpkg"),
    )["OUTPUT"]
    names = [
        "input",
        "rank",
        "neighbour",
        "distance",
        "id",
        "name",
        "neighbour_name",
        "neighbour_rank",
    ]
    assert rows(out, *names) == [
        (1, 1, 1, 10, 7, "a", "x", 3),
        (1, 2, 2, 11, 7, "a", "y", 4),
        (2, None, None, None, 8, "b", None, None),
    ]


@pytest.mark.parametrize("kind", ["layer", "selection", "multipoints"])
def test_no_feature_is_its_own_neighbor(qgis, work, kind):
    places_ = [(0, 0), (0, 1), (0, 3), (0, 7)]
    layer = memory(places_, "EPSG:32633")
    expected = [
        (1, 1, 2),
        (1, 2, 3),
        (2, 1, 1),
        (2, 2, 3),
        (3, 1, 2),
        (3, 2, 1),
        (4, 1, 3),
        (4, 2, 2),
    ]
    reference = layer
    if kind == "multipoints":
        layer = reference = memory([], "EPSG:32633", geometry="MultiPoint")
        for part in (places_[:2], places_[2:3], places_[3:]):
            feature = QgsFeature(layer.fields())
            feature.setGeometry(
                QgsGeometry.fromMultiPointXY([QgsPointXY(*place) for place in part])
            )
            layer.dataProvider().addFeatures([feature])
        expected = [
            (1, 1, 2),
            (1, 2, 3),
            (1, 1, 2),
            (1, 2, 3),
            (2, 1, 1),
            (2, 2, 1),
            (3, 1, 2),
            (3, 2, 1),
        ]
    if kind == "selection":
        QgsProject.instance().addMapLayer(layer)
        layer.selectByIds([2, 4])
        reference = QgsProcessingFeatureSourceDefinition(layer.id(), True)
        expected = [(1, 1, 2), (1, 2, 4), (2, 1, 4), (3, 1, 2), (3, 2, 4), (4, 1, 2)]
    out = qgis.run(
        "knearest",
        INPUT=layer,
        REFERENCE=reference,
        NEIGHBORS=2,
        EXCLUDE_SELF=True,
        OUTPUT="memory:",
    )["OUTPUT"]
    assert [(f["input"], f["rank"], f["neighbour"]) for f in out.getFeatures()] == expected
    with pytest.raises(QgsProcessingException, match="requires that both layers are the same"):
        qgis.run(
            "knearest",
            INPUT=layer,
            REFERENCE=as_file(memory(places_), work.path("o.gpkg")),
            EXCLUDE_SELF=True,
            OUTPUT="memory:",
        )


def test_nearest_neighbors_within_a_distance(qgis, work):
    """The bound is inclusive, and a point without neighbors keeps a row."""
    out = qgis.run(
        "knearest",
        INPUT=memory([(0, 0), (100, 0)], "EPSG:32633"),
        REFERENCE=memory([(0, 10), (0, 11)], "EPSG:32633"),
        NEIGHBORS=2,
        MAX_DISTANCE=10,
        OUTPUT="memory:",
    )["OUTPUT"]
    first, second = out.getFeatures()
    assert (first["input"], first["rank"], first["neighbour"], first["distance"]) == (1, 1, 1, 10)
    assert [second[name] for name in ("input", "rank", "neighbour", "distance")] == [
        2,
        NULL,
        NULL,
        NULL,
    ]
    assert second.geometry().isNull()
    assert (
        "Points without a neighbor: 1 of 2" in qgis.feedback.infos and qgis.feedback.warnings == []
    )
    qgis.run(
        "knearest",
        INPUT=memory([(0, 0), (100, 0)], "EPSG:32633"),
        MAX_DISTANCE=10,
        OUTPUT="memory:",
    )
    assert qgis.feedback.warnings == [
        "0 of 2 points have a neighbor; limited by “Maximum distance (meters on the globe, map units on the map)”"
    ]


def test_distances_of_maps_of_the_world(qgis, work):
    """Straight lines on such a map are not distances: geodesics by default, and a warning if they are requested."""
    layers = {
        "INPUT": memory([(0, 8000000)], "EPSG:3857"),
        "REFERENCE": memory([(100000, 8000000)], "EPSG:3857"),
    }
    found = next(qgis.run("knearest", OUTPUT="memory:", **layers)["OUTPUT"].getFeatures())
    assert 40000 < found["distance"] < 60000
    assert (
        qgis.feedback.infos[0]
        == "Distances: geodesic, default for projected CRSs of the whole world"
        and not qgis.feedback.warnings
    )
    found = next(qgis.run("knearest", METRIC=3, OUTPUT="memory:", **layers)["OUTPUT"].getFeatures())
    assert found["distance"] == 100000
    assert qgis.feedback.infos[0] == "Distances: euclidean, requested"
    assert any("are not those on the ground" in text for text in qgis.feedback.warnings)
    layers = {name: memory([(4e6, 3e6)], "EPSG:3035") for name in layers}
    qgis.run("knearest", OUTPUT="memory:", **layers)
    assert qgis.feedback.infos[0] == "Distances: euclidean, default for projected CRSs"


def test_lines_and_points(qgis, work):
    """Geodesic lines are cut at the antimeridian; their length is the distance."""
    layers = {"INPUT": memory([(179, 10)]), "REFERENCE": memory([(-178, 12)])}
    feature = next(qgis.run("knearest", OUTPUT="memory:", **layers)["OUTPUT"].getFeatures())
    line = feature.geometry()
    assert line.constGet().numGeometries() == 2 and line.boundingBox().width() > 350
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs("EPSG:4326"), QgsProject.instance().transformContext())
    measure.setEllipsoid("EPSG:7030")
    assert measure.measureLength(line) == pytest.approx(feature["distance"], rel=1e-6)
    point = next(
        qgis.run("knearest", GEOMETRY=1, OUTPUT="memory:", **layers)["OUTPUT"].getFeatures()
    ).geometry()
    assert point.equals(QgsGeometry.fromWkt("Point (179 10)"))


GRS80 = (6378137.0, 6356752.314140356)


def pairs(crossing):
    """Pairs 1 m to 20,000 km apart; on and beyond ±180°, at the poles."""
    random = np.random.default_rng(4)
    measure = QgsDistanceArea()
    measure.setEllipsoid(*WGS84)
    for distance in np.geomspace(1, 2e7, 30):
        for azimuth in random.uniform(0, 2 * np.pi, 3):
            longitude = (
                random.choice([-180, 180, 179.999, 187, 200, -179.9])
                if crossing
                else random.uniform(-180, 180)
            )
            latitude = (
                np.degrees(np.arcsin(random.uniform(-1, 1)))
                if random.random() < 0.9
                else random.choice([-90, 0, 89.9999])
            )
            start = QgsPointXY(longitude, latitude)
            end = measure.computeSpheroidProject(start, distance, azimuth)
            longitude = end.x() + 360 if crossing and -180 <= end.x() < -170 else end.x()
            yield (start.x(), start.y()), (longitude, end.y())


@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("metric", [1, 2])
def test_lines_are_as_long_as_the_distance(qgis, work, crossing, metric):
    starts, ends = zip(*pairs(crossing))
    out = qgis.run(
        "knearest",
        INPUT=memory(starts),
        REFERENCE=memory(ends),
        NEIGHBORS=len(ends),
        METRIC=metric,
        OUTPUT="memory:",
    )["OUTPUT"]
    short = 0
    for feature, length in measured(out, SPHERE if metric == 2 else WGS84):
        names = feature["input"], feature["neighbour"]
        assert length == pytest.approx(feature["distance"], rel=1e-6), names
        parts = feature.geometry().asMultiPolyline()
        start, end = starts[names[0] - 1], ends[names[1] - 1]
        assert tuple(parts[0][0]) == start or abs(start[0]) == 180, names
        assert (
            math.remainder(parts[-1][-1].x() - end[0], 360) == pytest.approx(0, abs=1e-9)
            and len(parts) <= 2
        ), names
        if max(abs(start[0]), abs(end[0])) <= 180:
            assert all(abs(vertex.x()) <= 180 for part in parts for vertex in part), names
        # No part goes across the map: only at a pole are there long steps.
        assert all(
            abs(a.x() - b.x()) <= 45 or abs(a.y()) == abs(b.y()) == 90
            for part in parts
            for a, b in zip(part, part[1:])
        ), names
        if feature["distance"] < 100000 and abs(parts[0][0].y()) < 80:
            short += 1
            assert sum(map(len, parts)) == 2 * len(parts), names  # a straight segment, or two
    assert out.featureCount() == len(starts) ** 2 and short > len(starts) / 2


@pytest.mark.parametrize(
    "start,end,parts",
    [
        (190, 195, [[190, 195]]),
        (170, 190, [[170, 190]]),
        (-170, -185, [[-170, -185]]),
        (550, 545, [[550, 545]]),
        (170, -170, [[170, 180], [-180, -170]]),
        (-170, 170, [[-170, -180], [180, 170]]),
        (5, 355, [[5, 0], [360, 355]]),
        (355, 5, [[355, 360], [0, 5]]),
        (0, 355, [[360, 355]]),
        (355, 0, [[355, 360]]),
        (190, -165, [[190, 195]]),
        (-170, 185, [[-170, -175]]),
        (370, 5, [[370, 365]]),  # on other turns, without an edge between them
    ],
)
@pytest.mark.parametrize("kind", ["Point", "LineString", "Polygon"])
def test_lines_lie_where_their_points_lie(qgis, work, start, end, parts, kind):
    """Also beyond ±180°."""
    side = math.copysign(1, math.remainder(end - start, 360))
    shape = {
        "Point": f"Point ({end} 0)",
        "LineString": f"LineString ({end} -2, {end} 2)",
        "Polygon": f"Polygon (({end} -2, {end + side} -2, {end + side} 2, {end} 2, {end} -2))",
    }[kind]
    reference = memory([], geometry=kind)
    feature = QgsFeature(reference.fields())
    feature.setGeometry(QgsGeometry.fromWkt(shape))
    assert reference.dataProvider().addFeatures([feature])[0]
    out = qgis.run(
        "knearest", INPUT=memory([(start, 0)]), REFERENCE=reference, METRIC=1, OUTPUT="memory:"
    )["OUTPUT"]
    (feature,) = out.getFeatures()
    made = [[part[0].x(), part[-1].x()] for part in feature.geometry().asMultiPolyline()]
    assert [x for part in made for x in part] == pytest.approx(
        [x for part in parts for x in part], abs=1e-9
    )
    for _, length in measured(out, WGS84):
        assert length == pytest.approx(feature["distance"], rel=1e-6)


@pytest.mark.parametrize("west", [-180, 0, 170])
def test_lines_that_are_drawn_faster_are_the_same(qgis, monkeypatch, west):
    """Vertex by vertex, wherever they are, cut or not; those that need more care are found."""
    from gpuvoronoi_processing.geodesics import Geodesics

    random, drawn, careful = np.random.default_rng(3), Geodesics(*WGS84), Geodesics.line
    with_care, parts = [], 0
    monkeypatch.setattr(
        Geodesics, "line", lambda self, *ends: with_care.append(ends) or careful(self, *ends)
    )
    for reach in (0.5, 10, 100, 179):
        x, y = random.uniform(west, west + 360, 200), random.uniform(-90, 90, 200)
        ends = (
            west + (x - west + random.uniform(-reach, reach, 200)) % 360,
            np.clip(y + random.uniform(-reach, reach, 200), -90, 90),
        )
        for a, b in zip(zip(x, y), zip(*ends)):
            start, end = QgsPointXY(*a), QgsPointXY(*b)
            made, expected = (
                drawn.geometry(start, end).asMultiPolyline(),
                careful(drawn, start, end),
            )
            assert [len(part) for part in made] == [len(part) for part in expected], (start, end)
            vertices = [
                [p for part in line for v in part for p in (v.x(), v.y())]
                for line in (made, expected)
            ]
            assert np.allclose(*vertices, rtol=0, atol=1e-10), (start, end)
            assert made[0][0] == start or abs(a[0]) == 180
            parts += len(made)
    assert parts == 800 + (49 if west != 170 else 0) and len(with_care) < 250


def test_lines_over_a_pole(qgis, work):
    """On the map they end at its edge, and go on from there."""
    out = qgis.run(
        "knearest", INPUT=memory([(10, 89)]), REFERENCE=memory([(-170, 89.5)]), OUTPUT="memory:"
    )["OUTPUT"]
    (part,) = next(out.getFeatures()).geometry().asMultiPolyline()
    vertices = [(p.x(), p.y()) for p in part]
    assert (
        vertices[0] == (10, 89)
        and vertices[-1] == (-170, 89.5)
        and {x for x, _ in vertices} == {10, -170}
    )
    assert vertices.index((-170, 90)) == vertices.index((10, 90)) + 1


@pytest.mark.parametrize(
    "system,box",
    [
        ("EPSG:32633", (300000, 4000000, 700000, 7000000)),
        ("EPSG:3857", (-2e7, -1e7, 2e7, 1e7)),
        ("EPSG:3035", PLANE),
    ],
)
def test_lines_of_projected_layers_are_as_long_as_the_distance(qgis, work, system, box):
    random = np.random.default_rng(5)
    wanted = [1e9, 100000, 1000, 1]
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    reference = [
        (x + step * np.cos(a), y + step * np.sin(a))
        for step in wanted[1:]
        for a in random.uniform(0, 7, 5)
    ]
    out = qgis.run(
        "knearest",
        INPUT=memory([(x, y)], system),
        REFERENCE=memory(reference + places(20, box=box), system),
        NEIGHBORS=50,
        METRIC=1,
        OUTPUT="memory:",
    )["OUTPUT"]
    made = measured(out, GRS80, "EPSG:4258") if system == "EPSG:3035" else measured(out, WGS84)
    for feature, length in made:
        assert length == pytest.approx(feature["distance"], rel=1e-6)


def test_geodesics_of_projected_layers(qgis, work):
    """Measured on the datum of the layer: a British grid stands on Airy's ellipsoid."""
    ends = [(400000, 300000), (500000, 600000)]
    out = qgis.run(
        "knearest",
        INPUT=memory(ends[:1], "EPSG:27700"),
        REFERENCE=memory(ends[1:], "EPSG:27700"),
        METRIC=1,
        OUTPUT="memory:",
    )["OUTPUT"]
    to_degrees = QgsCoordinateTransform(crs("EPSG:27700"), crs("EPSG:4277"), QgsProject.instance())
    (x1, y1), (x2, y2) = (to_degrees.transform(*end) for end in ends)
    airy = osr.SpatialReference()
    airy.ImportFromEPSG(4277)
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs("EPSG:4277"), QgsProject.instance().transformContext())
    measure.setEllipsoid(f"PARAMETER:{airy.GetSemiMajor()!r}:{airy.GetSemiMinor()!r}")
    feature = next(out.getFeatures())
    assert feature["distance"] == pytest.approx(
        measure.measureLine(QgsPointXY(x1, y1), QgsPointXY(x2, y2)), abs=1e-3
    )
    ends_of_line = feature.geometry().asMultiPolyline()[0]
    assert ends_of_line[0].x() == pytest.approx(400000, abs=1e-3) and ends_of_line[
        -1
    ].y() == pytest.approx(600000, abs=1e-3)


def test_degrees_are_no_lengths(qgis, work):
    with pytest.raises(
        QgsProcessingException, match="Distances on the map are not supported for degrees"
    ):
        qgis.run("knearest", INPUT=memory([(0, 0)]), METRIC=3, OUTPUT="memory:")
