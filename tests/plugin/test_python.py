"""Without the command the Python package computes: the same pixels, rows and polygons, from the same parameters."""

import pathlib
import shutil
import sys
import sysconfig
import types

import numpy as np
import pytest
from conftest import ROOT, gdal, land_in_memory, memory, ogr, places, stripes, timezones
from qgis.core import QgsFeature, QgsGeometry, QgsProcessingException, QgsRasterLayer

pytest.importorskip("geopandas")  # with pandas and pyproj
PLANE = (2500000, 1400000, 6600000, 5500000)
ROWS = [[100 + i, f"seed {i}", 1.5 + i % 7] for i in range(60)]
FIELDS = "id:integer,name:string,w:double"


@pytest.fixture
def without_command(qgis, monkeypatch):
    """A function that takes the command away, so that what ran before had it."""
    monkeypatch.syspath_prepend(str(ROOT / "python"))

    def remove():
        from gpuvoronoi_processing import engine, package

        monkeypatch.delenv("GPUVORONOI_COMMAND")
        monkeypatch.setenv("PATH", "/nowhere")
        assert engine.find() is package

    return remove


def both(qgis, work, remove, name, outputs, **parameters):
    """The results of an algorithm by the command, and by the package."""
    made = []
    for number, step in enumerate((lambda: None, remove)):
        step()
        paths = {key: work.path(f"{number}_{file}") for key, file in outputs.items()}
        qgis.run(name, **parameters, **paths)
        assert any("by the Python package" in text for text in qgis.feedback.infos) == (number == 1)
        assert (qgis.feedback.commands == []) == (number == 1)
        made.append(paths)
    return made


def same_rasters(first, second):
    one, other = gdal.Open(first), gdal.Open(second)
    assert one.GetGeoTransform() == other.GetGeoTransform()
    assert (one.RasterXSize, one.RasterYSize, one.RasterCount) == (
        other.RasterXSize,
        other.RasterYSize,
        other.RasterCount,
    )
    assert bool(one.GetSpatialRef()) == bool(other.GetSpatialRef())
    assert one.GetSpatialRef() is None or one.GetSpatialRef().IsSame(other.GetSpatialRef())
    for band in range(1, one.RasterCount + 1):
        a, b = one.GetRasterBand(band), other.GetRasterBand(band)
        assert (a.DataType, a.GetUnitType(), a.GetDescription()) == (
            b.DataType,
            b.GetUnitType(),
            b.GetDescription(),
        )
        assert np.array_equal([a.GetNoDataValue()], [b.GetNoDataValue()], equal_nan=True)
        x, y = a.ReadAsArray(), b.ReadAsArray()
        assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
    return one


def points(system="EPSG:4326", box=(-180, -80, 180, 80)):
    return memory(places(60, box=box), system, FIELDS, ROWS)


RASTERS = {"OUTPUT": "out.tif", "DISTANCE": "distance.tif", "AZIMUTH": "azimuth.tif"}


@pytest.mark.parametrize(
    "layer,parameters",
    [
        (points, {"FIELD": "id", "RESOLUTION": 2}),
        (
            points,
            {
                "FIELD": "name",
                "RESOLUTION": 3,
                "METRIC": 2,
                "NEIGHBORS": 3,
                "MAX_DISTANCE": 3000000,
            },
        ),
        (points, {"RESOLUTION": 0.7, "EXTENT": "170,190,-25,-10", "DOUBLE": True}),
        (
            points,
            {
                "RESOLUTION": 20000,
                "EXTENT": "2500000,6600000,1400000,5500000 [EPSG:3035]",
                "CRS": "EPSG:3035",
                "METRIC": 1,
            },
        ),
        (
            points,
            {
                "RESOLUTION": 50000,
                "EXTENT": "2500000,6600000,1400000,5500000 [EPSG:3035]",
                "CRS": "EPSG:3035",
            },
        ),
        (lambda: points("EPSG:3035", PLANE), {"FIELD": "id"}),
        (lambda: points("EPSG:3035", PLANE), {"RESOLUTION": 30000, "METRIC": 4}),
        (
            lambda: points("EPSG:3035", PLANE),
            {"RESOLUTION": 30000, "METRIC": 5, "WEIGHTING": 1, "WEIGHT_FIELD": "w"},
        ),
        (lambda: points("EPSG:3035", PLANE), {"RESOLUTION": 60000, "METRIC": 1}),
        (lambda: points("EPSG:3857", (-9e6, -5e6, 9e6, 5e6)), {"RESOLUTION": 300000}),
        (lambda: points("EPSG:4230"), {"RESOLUTION": 5}),
        (lambda: points(None, (0, 0, 50, 50)), {"RESOLUTION": 1}),
        (lambda: memory([(3, 4)], "EPSG:32633"), {}),
    ],
)
def test_rasters(qgis, work, without_command, layer, parameters):
    first, second = both(
        qgis, work, without_command, "voronoiraster", RASTERS, INPUT=layer(), **parameters
    )
    for name in RASTERS:
        same_rasters(first[name], second[name])


@pytest.mark.parametrize(
    "parameters", [{}, {"METRIC": 2, "BOUNDARY": True}, {"EDGES": 1, "NEIGHBORS": 2}]
)
def test_polygons_as_seeds(qgis, work, without_command, parameters):
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "o.tif", "DISTANCE": "d.tif"},
        INPUT=land_in_memory(),
        RESOLUTION=8,
        **parameters,
    )
    same_rasters(first["OUTPUT"], second["OUTPUT"])
    same_rasters(first["DISTANCE"], second["DISTANCE"])


def with_attributes(system, shapes, fields, rows, kind="Polygon"):
    layer = memory([], system, fields, geometry=kind)
    for shape, row in zip(shapes, rows):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromWkt(shape))
        feature.setAttributes(row)
        assert layer.dataProvider().addFeatures([feature])[0]
    return layer


SQUARES = [
    "Polygon((0 0,20 0,20 20,0 20,0 0))",
    "Polygon((40 10,60 10,60 30,40 30,40 10),(45 15,50 15,50 20,45 15))",
    "Polygon((-150 -50,-120 -50,-120 -20,-150 -50))",
]


def squares():
    return with_attributes(
        "EPSG:4326", SQUARES, "name:string,w:double", [["one", 1.0], ["", 2.5], ["two", 0.5]]
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"FIELD": "name", "RESOLUTION": 5},
        {"RESOLUTION": 5, "METRIC": 2, "WEIGHTING": 1, "WEIGHT_FIELD": "w"},
    ],
)
def test_weights_and_directions_of_polygons(qgis, work, without_command, parameters):
    """And text ids, of which one is empty."""
    outputs = (
        RASTERS
        if "WEIGHTING" not in parameters
        else {"OUTPUT": "out.tif", "DISTANCE": "distance.tif"}
    )
    first, second = both(
        qgis, work, without_command, "voronoiraster", outputs, INPUT=squares(), **parameters
    )
    for name in outputs:
        same_rasters(first[name], second[name])


@pytest.mark.parametrize("system,metric", [("EPSG:4326", 3), ("EPSG:3857", 1)])
def test_polygons_in_another_system_need_the_command(qgis, work, without_command, system, metric):
    """Their edges get vertices between the corners; on the globe so do those of maps."""
    layer = with_attributes(system, SQUARES[:1], "name:string,w:double", [["one", 1.0]])
    without_command()
    with pytest.raises(
        QgsProcessingException, match="Lines and polygons in another coordinate system"
    ):
        qgis.run(
            "voronoiraster",
            INPUT=layer,
            EXTENT="0,9,0,9 [EPSG:3857]",
            RESOLUTION=1,
            CRS="EPSG:3857",
            METRIC=metric,
            OUTPUT=work.path("out.tif"),
        )


def points_of_two():
    """Several points a feature, one far from the others; text ids, one of them twice, one empty."""
    return with_attributes(
        "+proj=longlat +R=6371000",
        [
            "MultiPoint((0 0),(2 2),(100 -30))",
            "MultiPoint((50 50))",
            "MultiPoint((-90 10))",
            "MultiPoint((20 60))",
        ],
        "code:string,name:string",
        [["b", "B"], ["a", "A"], ["", "?"], ["b", "B again"]],
        "MultiPoint",
    )


@pytest.mark.parametrize(
    "parameters", [{}, {"NEIGHBORS": 2}, {"FIELD": "code"}, {"FIELD": "name", "METRIC": 2}]
)
def test_multipoints_on_a_sphere(qgis, work, without_command, parameters):
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {**RASTERS, "POLYGONS": "p.gpkg"},
        INPUT=points_of_two(),
        RESOLUTION=6,
        **parameters,
    )
    for name in RASTERS:
        same_rasters(first[name], second[name])
    same_regions(first, second)
    from gpuvoronoi_processing import styles

    one, other = (
        [row[:2] for row in styles.attribute_table(made["OUTPUT"])] for made in (first, second)
    )
    assert one == other


@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:3857"])
def test_masks_with_edges_on_centers(qgis, work, without_command, system):
    """Which of two cells that an edge goes through counts is a rule; turns of the globe; the mask's own system."""
    shapes = [
        "Polygon((-5 -5,5 -5,5 5,-5 5,-5 -5))",
        "Polygon((170 10,200 10,200 35,170 35,170 10),(175 15,180 15,180 25,175 15))",
    ]
    if system == "EPSG:3857":
        shapes = [
            "Polygon((-500000 -500000,510000 -500000,510000 5100000,-500000 5000000,-500000 -500000))"
        ]
    mask = with_attributes(system, shapes, "name:string", [[""], [""]])
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif"},
        INPUT=points(),
        EXTENT="-182.5,182.5,-92.5,92.5",
        RESOLUTION=5,
        MASK=mask,
    )
    assert (same_rasters(first["OUTPUT"], second["OUTPUT"]).ReadAsArray() != -1).any()


@pytest.mark.parametrize("empty", [[None, "a", 1.0], [2, "b", None]])
def test_empty_values(qgis, work, without_command, empty):
    """They are named, or left out."""
    layer = memory(
        [(0, 0), (9, 9), (50, 5)],
        "EPSG:3035",
        "id:integer,name:string,w:double",
        [[7, "c", 2.0], empty, [9, "d", 3.0]],
    )
    parameters = {
        "INPUT": layer,
        "FIELD": "id",
        "RESOLUTION": 1,
        "WEIGHTING": 1,
        "WEIGHT_FIELD": "w",
    }
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif"},
        SKIP_INVALID=True,
        **parameters,
    )
    same_rasters(first["OUTPUT"], second["OUTPUT"])
    with pytest.raises(QgsProcessingException) as error:
        qgis.run("voronoiraster", OUTPUT=work.path("o.tif"), **parameters)
    assert ("“id”" if empty[0] is None else "“w”") in str(error.value) and "Traceback" not in str(
        error.value
    )


@pytest.mark.parametrize("mask", ["polygons", "raster"])
def test_masks_and_templates(qgis, work, without_command, mask):
    path = stripes(work)
    chosen = QgsRasterLayer(path, "mask") if mask == "raster" else land_in_memory()
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif"},
        INPUT=timezones(),
        TEMPLATE=path,
        MASK=chosen,
    )
    made = same_rasters(first["OUTPUT"], second["OUTPUT"])
    assert (made.GetRasterBand(1).ReadAsArray() == -1).any()


def test_names_and_colors(qgis, work, without_command):
    """An attribute table with the same names; colors may differ."""
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif"},
        INPUT=points(),
        FIELD="id",
        RESOLUTION=10,
    )
    from gpuvoronoi_processing import styles

    tables = [
        {value: name for value, name, _ in styles.attribute_table(made["OUTPUT"])}
        for made in (first, second)
    ]
    assert tables[0].items() <= tables[1].items() and tables[1][101] == "seed 1"
    assert len({color.name() for _, _, color in styles.attribute_table(second["OUTPUT"])}) > 5


def features(path, order):
    source = ogr.Open(str(path))
    made = []
    for feature in source.GetLayer(0):
        shape = feature.GetGeometryRef()
        made.append(
            (
                {key: value for key, value in feature.items().items()},
                None if shape is None else shape.ExportToWkt(),
            )
        )
    return sorted(made, key=lambda row: str(row[0][order]))


def same_regions(first, second):
    one, other = features(first["POLYGONS"], "value"), features(second["POLYGONS"], "value")
    assert [row for row, _ in one] == [row for row, _ in other]
    for (_, a), (_, b) in zip(one, other):
        assert ogr.CreateGeometryFromWkt(a).Equals(ogr.CreateGeometryFromWkt(b))


def test_regions(qgis, work, without_command):
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif", "POLYGONS": "p.gpkg"},
        INPUT=points(),
        FIELD="id",
        RESOLUTION=4,
    )
    same_regions(first, second)


@pytest.mark.parametrize(
    "system,box,parameters",
    [
        ("EPSG:4326", (-180, -80, 180, 80), {"RESOLUTION": 4}),
        ("EPSG:3035", PLANE, {"RESOLUTION": 50000, "METRIC": 3}),
        (None, (0, 0, 50, 50), {"RESOLUTION": 1}),
    ],
)
def test_statistics(qgis, work, without_command, system, box, parameters):
    first, second = both(
        qgis,
        work,
        without_command,
        "facilitystatistics",
        {"OUTPUT": "out.gpkg", "ALLOCATION": "a.tif"},
        INPUT=points(system, box),
        FIELD="id",
        **parameters,
    )
    same_rasters(first["ALLOCATION"], second["ALLOCATION"])
    one, other = features(first["OUTPUT"], "id"), features(second["OUTPUT"], "id")
    assert one == other and len(one) == 60


def test_statistics_of_polygons(qgis, work, without_command):
    first, second = both(
        qgis,
        work,
        without_command,
        "facilitystatistics",
        {"OUTPUT": "out.gpkg"},
        INPUT=squares(),
        FIELD="name",
        RESOLUTION=5,
    )
    one, other = features(first["OUTPUT"], "name"), features(second["OUTPUT"], "name")
    assert one == other and len(one) == 3


@pytest.mark.parametrize("fraction", [0.0, 1 / 3])
def test_sums(qgis, work, without_command, fraction):
    """Of a raster that is the template, too. Sums of whole numbers are whole."""
    path = stripes(work)
    if fraction:
        counts = gdal.Open(path).ReadAsArray() + np.linspace(0.0, fraction, 180)
        path = work.path("parts.tif")
        made = gdal.Translate(path, work.path("stripesTrue.tif"), outputType=gdal.GDT_Float64)
        made.GetRasterBand(1).WriteArray(counts)
        made = None
    first, second = both(
        qgis,
        work,
        without_command,
        "facilitystatistics",
        {"OUTPUT": "out.gpkg"},
        INPUT=points(),
        SUMS=[path],
        TEMPLATE=path,
    )
    one, other = features(first["OUTPUT"], "id"), features(second["OUTPUT"], "id")
    assert one == other and len(one) == 60
    sums = [row[f"{pathlib.Path(path).stem}_sum"] for row, _ in one]
    assert sum(sums) == pytest.approx(gdal.Open(path).ReadAsArray().sum(), rel=1e-14)
    assert fraction or all(made == int(made) for made in sums)


@pytest.mark.parametrize(
    "parameters", [{}, {"VALUES": "2", "METRIC": 2}, {"MAX_DISTANCE": 250000, "VALUES": "1"}]
)
def test_nearest_cells(qgis, work, without_command, parameters):
    first, second = both(
        qgis,
        work,
        without_command,
        "nearestcells",
        {"OUTPUT": "o.tif", "DISTANCE": "d.tif", "AZIMUTH": "a.tif"},
        INPUT=stripes(work),
        **parameters,
    )
    for name in ("DISTANCE", "AZIMUTH", "OUTPUT"):
        same_rasters(first[name], second[name])


@pytest.mark.parametrize("field", ["w", "id"])
def test_nearest_value(qgis, work, without_command, field):
    first, second = both(
        qgis,
        work,
        without_command,
        "nearestvalue",
        {"OUTPUT": "out.tif"},
        INPUT=points(),
        VALUE_FIELD=field,
        RESOLUTION=4,
        MAX_DISTANCE=2000000,
        NEIGHBORS=2,
    )
    same_rasters(first["OUTPUT"], second["OUTPUT"])


def test_mesh(qgis, work, without_command):
    first, second = both(
        qgis,
        work,
        without_command,
        "qtmvoronoi",
        {"OUTPUT": "o.tif", "DISTANCE": "d.tif"},
        INPUT=points(),
        LEVEL=4,
    )
    same_rasters(first["OUTPUT"], second["OUTPUT"])
    same_rasters(first["DISTANCE"], second["DISTANCE"])


def test_cells_need_the_command(qgis, without_command):
    without_command()
    well, message = algorithm("cells").canExecute()
    assert not well and "command was not found" in message


@pytest.mark.parametrize(
    "queries,reference,parameters",
    [
        (lambda: points(), lambda: memory(places(80, seed=4)), {"NEIGHBORS": 3}),
        (lambda: points(), None, {"METRIC": 2, "NEIGHBORS": 2, "MAX_DISTANCE": 2000000}),
        (
            lambda: points("EPSG:3035", PLANE),
            lambda: memory(places(80, seed=4, box=PLANE), "EPSG:3035"),
            {"NEIGHBORS": 4, "METRIC": 3},
        ),
        (
            lambda: points("EPSG:3035", PLANE),
            lambda: memory(places(80, seed=4, box=PLANE), "EPSG:3035"),
            {"METRIC": 4, "MAX_DISTANCE": 300000},
        ),
        (
            lambda: points("EPSG:3035", PLANE),
            lambda: memory(places(80, seed=4, box=PLANE), "EPSG:3035"),
            {"METRIC": 1},
        ),
        (lambda: points(), land_in_memory, {"NEIGHBORS": 2}),
        (lambda: points(), land_in_memory, {"METRIC": 2, "BOUNDARY": True}),
    ],
)
def test_nearest_neighbors(qgis, work, without_command, queries, reference, parameters):
    if reference is not None:
        parameters = {**parameters, "REFERENCE": reference()}
    first, second = both(
        qgis,
        work,
        without_command,
        "knearest",
        {"OUTPUT": "out.gpkg"},
        INPUT=queries(),
        ATTRIBUTES=True,
        **parameters,
    )
    assert features(first["OUTPUT"], "input") == features(second["OUTPUT"], "input")


def test_expressions(qgis, without_command):
    from qgis.core import QgsExpression, QgsExpressionContext, QgsExpressionContextUtils, QgsProject

    without_command()
    layer, stations = points(), memory([(0, 0), (10, 10)])
    stations.setName("stations")
    QgsProject.instance().addMapLayers([layer, stations])
    context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    context.setFeature(next(layer.getFeatures()))
    assert QgsExpression("nearest_distance('stations', 1)").evaluate(context) > 0


@pytest.mark.parametrize(
    "system,box,parameters",
    [
        ("EPSG:4326", (-180, -80, 180, 80), {"TOLERANCE": 1000}),
        ("EPSG:4326", (-180, -80, 180, 80), {"METRIC": 2, "WHOLE": True, "TOLERANCE": 1000}),
        ("EPSG:3035", PLANE, {"METRIC": 3}),
    ],
)
def test_diagrams(qgis, work, without_command, system, box, parameters):
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoidiagram",
        {"OUTPUT": "out.gpkg"},
        INPUT=points(system, box),
        FIELD="id",
        **parameters,
    )
    one, other = features(first["OUTPUT"], "seed"), features(second["OUTPUT"], "seed")
    assert len(one) == len(other) == 60
    for (row, shape), (same, alike) in zip(one, other):
        assert shape == alike
        assert {**row, "neighbours": None} == {**same, "neighbours": None}
        assert sorted(row["neighbours"].split()) == sorted(same["neighbours"].split())


@pytest.mark.parametrize(
    "name,parameters,option",
    [
        (
            "voronoiraster",
            {"INPUT": "land", "SIGNED": True, "RESOLUTION": 10, "DISTANCE": "d.tif"},
            "Negative distances within polygons",
        ),
        ("voronoidiagram", {"KIND": 2}, "Result"),
        ("voronoidiagram", {"CRS": "EPSG:3857"}, "Coordinate system of the result"),
        ("facilitystatistics", {"GROUP": True, "RESOLUTION": 10}, "Group seeds by id"),
        (
            "nearestcells",
            {"INPUT": "stripes", "BY_CELL": True, "DISTANCE": "d.tif"},
            "Cell numbers instead of values",
        ),
        (
            "nearestcells",
            {"INPUT": "stripes", "NEIGHBORS": 2, "DISTANCE": "d.tif"},
            r"Number of nearest seeds \(k\)",
        ),
    ],
)
def test_what_only_the_command_has(qgis, work, without_command, name, parameters, option):
    """Names the parameter, and leaves no output."""
    without_command()
    given = {"land": land_in_memory, "stripes": lambda: stripes(work)}
    layer = given[parameters["INPUT"]]() if "INPUT" in parameters else points()
    output = {"DISTANCE": work.path("d.tif")} if "DISTANCE" in parameters else {}
    output["OUTPUT"] = work.path(
        "out.gpkg" if name in ("voronoidiagram", "facilitystatistics") else "out.tif"
    )
    with pytest.raises(
        QgsProcessingException, match=f"“{option}” is not supported by the Python package"
    ):
        qgis.run(name, **{**parameters, "INPUT": layer, **output})
    assert not {"d.tif", "out.tif", "out.gpkg"} & set(work.listing())


def test_cancel(qgis, work, without_command):
    from conftest import Feedback

    without_command()
    feedback = Feedback()
    feedback.cancel()
    assert (
        qgis.run(
            "voronoiraster",
            feedback=feedback,
            INPUT=points(),
            RESOLUTION=0.1,
            OUTPUT=work.path("out.tif"),
        )
        == {}
    )
    assert work.listing() == []


def test_errors_of_the_package(qgis, work, without_command):
    without_command()
    with pytest.raises(QgsProcessingException, match="Unsupported distances here"):
        qgis.run("voronoiraster", INPUT=points(), METRIC=3, OUTPUT=work.path("out.tif"))


def algorithm(name):
    from qgis.core import QgsApplication

    return QgsApplication.processingRegistry().createAlgorithmById(f"gpuvoronoi:{name}")


def test_algorithms_can_be_opened(qgis, without_command):
    """All but the one that needs GDAL's driver, which comes with the command."""
    without_command()
    assert algorithm("voronoiraster").canExecute() == (True, "")
    assert "command was not found" in algorithm("livevoronoi").canExecute()[1]


@pytest.mark.parametrize(
    "version,words",
    [("0.0.9", "version 0.0.9, which is too old; 1.0 is required"), (None, "was not found")],
)
def test_packages_that_cannot_be_used(qgis, monkeypatch, version, words):
    """Too old, or not one at all."""
    package = types.ModuleType("gpuvoronoi")
    package.__spec__ = pathlib  # find_spec() wants one
    if version:
        package.__version__ = version
    monkeypatch.setitem(sys.modules, "gpuvoronoi", package)
    monkeypatch.delenv("GPUVORONOI_COMMAND")
    monkeypatch.setenv("PATH", "/nowhere")
    well, message = algorithm("voronoiraster").canExecute()
    assert not well and words in message


def test_a_wrong_path_is_an_error(qgis, monkeypatch, without_command):
    """It is not silently replaced by the package."""
    without_command()
    monkeypatch.setenv("GPUVORONOI_COMMAND", "/nowhere/gpuvoronoi")
    well, message = algorithm("voronoiraster").canExecute()
    assert not well and "has the path “/nowhere/gpuvoronoi”" in message


def test_commands_that_are_too_old(qgis, monkeypatch, work):
    program = pathlib.Path(work.path("gpuvoronoi"))
    program.write_text("#!/bin/sh\necho gpuvoronoi 0.0.4\n")
    program.chmod(0o755)
    monkeypatch.setenv("GPUVORONOI_COMMAND", str(program))
    well, message = algorithm("voronoiraster").canExecute()
    assert not well and f"{program} has version 0.0.4, which is too old; 1.0 is required" in message


@pytest.mark.parametrize(
    "system,python",
    [("linux", "{}/bin/python3"), ("darwin", "{}/bin/python3"), ("win32", '"{}/python.exe"')],
)
def test_line_of_pip(qgis, monkeypatch, tmp_path, system, python):
    """Of QGIS's own Python, on each system; also where the system manages it."""
    from gpuvoronoi_processing import program

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    expected = (
        python.format(sys.prefix)
        + ' -m pip install --user gpuvoronoi-1.0.0rc1-*.whl geopandas "numpy<'
    )
    assert program.pip_line().startswith(expected) and program.pip_line().endswith(
        f'<{int(np.__version__.split(".")[0]) + 1}"'
    )
    assert "gpuvoronoi-1.0.0rc1-*.whl" in program.how_to_install()
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert program.pip_line().startswith("sudo apt install python3-geopandas && ") == (
        system == "linux"
    )
    assert ("whl geopandas" not in program.pip_line()) == (system == "linux")
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    assert " --user --break-system-packages " in program.pip_line()


def test_ids_of_64_bits(qgis, work, without_command):
    layer = memory(
        [(10, 50), (60, 0), (-60, 0)], "EPSG:4326", "osm:long", [[5000000000], [-1], [7]]
    )
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "out.tif"},
        INPUT=layer,
        FIELD="osm",
        RESOLUTION=5,
    )
    made = same_rasters(first["OUTPUT"], second["OUTPUT"])
    assert set(np.unique(made.ReadAsArray())) == {5000000000, -1, 7}


def test_boundaries_with_geodesic_edges(qgis, work, without_command):
    """Cuts along 180 degrees and at a pole do not count."""
    ring = "-180 -90,-180 -70,-90 -72,0 -70,90 -72,180 -70,180 -90,-180 -90"
    layer, feature = memory([], "EPSG:4326", geometry="Polygon"), QgsFeature()
    feature.setGeometry(QgsGeometry.fromWkt(f"Polygon(({ring}))"))
    assert layer.dataProvider().addFeatures([feature])[0]
    first, second = both(
        qgis,
        work,
        without_command,
        "voronoiraster",
        {"OUTPUT": "o.tif", "DISTANCE": "d.tif"},
        INPUT=layer,
        RESOLUTION=6,
        BOUNDARY=True,
        EDGES=1,
    )
    same_rasters(first["DISTANCE"], second["DISTANCE"])


def test_diagram_of_web_mercator(qgis, work, without_command):
    layer = memory([(1e6, 6e6), (6e6, 0)], "EPSG:3857")
    first, second = both(
        qgis, work, without_command, "voronoidiagram", {"OUTPUT": "out.gpkg"}, INPUT=layer
    )
    one, other = (ogr.Open(made["OUTPUT"]) for made in (first, second))
    assert one.GetLayer(0).GetFeatureCount() == other.GetLayer(0).GetFeatureCount() == 2
    assert (
        one.GetLayer(0).GetSpatialRef().IsProjected()
    )  # the layer's; the package writes longitudes and latitudes
    assert other.GetLayer(0).GetSpatialRef().IsGeographic()


def test_threads_are_counted(qgis, work, without_command):
    without_command()
    qgis.run("voronoiraster", INPUT=points(), RESOLUTION=20, OUTPUT=work.path("out.tif"))
    assert any("threads" in text for text in qgis.feedback.infos) and not any(
        "-1 threads" in text for text in qgis.feedback.infos
    )


def test_negative_counts_are_reported(qgis, work, without_command):
    path = work.path("people.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, 36, 18, 1, gdal.GDT_Float32)
    made.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    made.SetProjection(points().crs().toWkt())
    values = np.full((18, 36), 10.0)
    values[:2] = -99999
    made.GetRasterBand(1).WriteArray(values)
    made = None
    for step in (lambda: None, without_command):
        step()
        qgis.run(
            "facilitystatistics",
            INPUT=points(),
            SUMS=[path],
            TEMPLATE=path,
            OUTPUT=work.path("out.gpkg"),
        )
        assert any("72 cells with negative values" in text for text in qgis.feedback.warnings)


def test_refusals_are_plain_words(qgis, work, without_command):
    without_command()
    with pytest.raises(QgsProcessingException) as error:
        qgis.run(
            "voronoiraster",
            INPUT=land_in_memory(),
            SIGNED=True,
            RESOLUTION=8,
            DISTANCE=work.path("d.tif"),
            OUTPUT=work.path("o.tif"),
        )
    assert "Negative distances within polygons" in str(error.value)
    assert "Traceback" not in str(error.value) and "--" not in str(error.value)
