"""On-demand rasters: descriptions that GDAL's driver opens, made of what the user sees, and layers of them."""

import json
import os
import shutil

import numpy as np
import pytest
from conftest import (
    COMMAND,
    TIMEZONES,
    Feedback,
    as_file,
    gdal,
    loading_context,
    memory,
    places,
    read,
    stripes,
    timezones,
)
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingUtils,
    QgsProject,
    QgsRasterLayer,
    QgsSingleBandPseudoColorRenderer,
    QgsVectorLayer,
)
from test_styles import colors_as_drawn, identified, legend_in_the_tree, load


@pytest.fixture(autouse=True)
def driver(qgis):
    from gpuvoronoi_processing import driver

    if driver.beside_program() is None and not driver.is_there():
        pytest.skip("built without GDAL's driver")


def described(work, name="live.voronoi.json"):
    with open(work.path(name)) as file:
        return json.load(file)


def cells(path, *window, options=()):
    return gdal.OpenEx(path, open_options=list(options)).ReadAsArray(*window)


def test_input_and_output_are_enough(qgis, work):
    """The pixels are the command's; what is saved is small, and found from wherever it is opened."""
    work.csv("seeds.csv", [(*place, i) for i, place in enumerate(places(40))])
    made = qgis.run(
        "livevoronoi",
        INPUT=work.path("seeds.csv"),
        FIELD="id",
        OUTPUT=work.path("live.voronoi.json"),
    )
    assert made == {"OUTPUT": work.path("live.voronoi.json")}
    assert work.listing() == ["live.voronoi.json", "seeds.csv"]
    assert described(work) == {
        "seeds": "seeds.csv",
        "id": "id",
        "seeds-crs": "EPSG:4326",
        "res": 0.00087890625,
    }
    dataset = gdal.Open(made["OUTPUT"])
    assert (dataset.RasterXSize, dataset.RasterYSize) == (409600, 204800)
    expected = work.expected("--seeds", work.path("seeds.csv"), "--id", "id", "--size", "1600,800")
    assert np.array_equal(dataset.GetRasterBand(1).GetOverview(7).ReadAsArray(), expected)
    assert any(line.startswith("Raster: 409,600 × 204,800 cells") for line in qgis.feedback.infos)
    assert not any(line.startswith("Computed by") for line in qgis.feedback.infos)
    (work.directory / "else").mkdir()
    for name in work.listing()[1:]:
        shutil.move(work.path(name), work.path("else"))
    assert np.array_equal(
        gdal.Open(work.path("else/live.voronoi.json"))
        .GetRasterBand(1)
        .GetOverview(7)
        .ReadAsArray(),
        expected,
    )


def test_all_parameters(qgis, work):
    mask = memory([], geometry="Polygon")
    feature = QgsFeature(mask.fields())
    feature.setGeometry(QgsGeometry.fromWkt("Polygon ((-60 -50, 60 -50, 60 60, -50 30, -60 -50))"))
    assert mask.dataProvider().addFeatures([feature])[0]
    rows = [(i, 1 + i % 4) for i in range(30)]
    seeds = memory(places(30), fields="id:integer,w:double", rows=rows)
    qgis.run(
        "livevoronoi",
        INPUT=seeds,
        FIELD="id",
        EXTENT="-70,70,-60,70",
        RESOLUTION=0.5,
        METRIC=2,
        NEIGHBORS=2,
        MAX_DISTANCE=4000000,
        MASK=mask,
        WEIGHTING=1,
        WEIGHT_FIELD="w",
        DOUBLE=True,
        BANDS=[0, 1, 2],
        OUTPUT=work.path("live.voronoi.json"),
    )
    assert work.listing() == ["live.mask.fgb", "live.seeds.fgb", "live.voronoi.json"]
    work.command(
        "--seeds",
        "live.seeds.fgb",
        "--id",
        "id",
        "--extent=-70,-60,70,70",
        "--res",
        0.5,
        "--metric",
        "great-circle",
        "-k",
        2,
        "--max-distance",
        4000000,
        "--mask",
        "live.mask.fgb",
        "--weighting",
        "multiplicative",
        "--weight-field",
        "w",
        "--distance-type",
        "Float64",
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "id.tif",
    )
    for i, name in enumerate(("id.tif", "d.tif", "a.tif")):
        for rank in (1, 2):
            found, stored = (
                read(work.path("live.voronoi.json"), 2 * i + rank),
                read(work.path(name), rank),
            )
            assert (
                found.dtype == stored.dtype
                and np.array_equal(found, stored, equal_nan=True)
                and len(np.unique(found)) > 5
            )


@pytest.mark.parametrize("kind", ["memory", "selection", "edited", "temporary"])
def test_what_is_no_lasting_file_is_copied(qgis, work, kind):
    """Beside the description, with the ids that QGIS shows; what is in a temporary folder is gone tomorrow."""
    layer = memory(places(20))
    source = layer
    if kind != "memory":
        path = (
            QgsProcessingUtils.generateTempFilename("seeds.gpkg")
            if kind == "temporary"
            else work.path("seeds.gpkg")
        )
        layer = QgsVectorLayer(as_file(layer, path), "seeds", "ogr")
        source = layer
    if kind == "selection":
        layer.selectByIds([3, 5, 8])
        QgsProject.instance().addMapLayer(layer)
        source = QgsProcessingFeatureSourceDefinition(layer.id(), True)
    if kind == "edited":
        assert layer.startEditing() and layer.deleteFeature(7)
    qgis.run("livevoronoi", INPUT=source, RESOLUTION=1, OUTPUT=work.path("live.voronoi.json"))
    assert described(work)["seeds"] == "live.seeds.fgb"
    qgis.run("voronoiraster", INPUT=source, RESOLUTION=1, OUTPUT=work.path("out.tif"))
    assert np.array_equal(cells(work.path("live.voronoi.json")), read(work.path("out.tif")))


def test_copies_replace_their_own_kind_alone(qgis, work):
    """A copy made before for this description; not what others have put there, nor what a layer shows."""
    (work.directory / "live.seeds.fgb").write_text("mine")
    for count in (5, 6):
        qgis.run(
            "livevoronoi",
            INPUT=memory(places(count)),
            RESOLUTION=5,
            OUTPUT=work.path("live.voronoi.json"),
        )
        assert work.listing() == ["live.seeds.fgb", "live.seeds_2.fgb", "live.voronoi.json"]
        assert described(work)["seeds"] == "live.seeds_2.fgb"
        assert len(np.unique(cells(work.path("live.voronoi.json")))) == count
    assert (work.directory / "live.seeds.fgb").read_text() == "mine"
    shown = QgsVectorLayer(work.path("live.seeds_2.fgb"), "shown", "ogr")
    QgsProject.instance().addMapLayer(shown)
    shown.selectByIds([1, 2])
    qgis.run(
        "livevoronoi",
        INPUT=QgsProcessingFeatureSourceDefinition(shown.id(), True),
        RESOLUTION=5,
        OUTPUT=work.path("live.voronoi.json"),
    )
    assert described(work)["seeds"] == "live.seeds_3.fgb" and shown.featureCount() == 6


def test_temporary_live_rasters(qgis, work):
    """They and their sources end together."""
    template = QgsRasterLayer(stripes(work), "stripes")
    made = qgis.run(
        "livevoronoi",
        INPUT=memory(places(9)),
        TEMPLATE=template,
        MASK=template,
        OUTPUT="TEMPORARY_OUTPUT",
    )["OUTPUT"]
    assert (
        made.endswith(".voronoi.json")
        and cells(made).shape == (90, 180)
        and work.listing() == ["stripesTrue.tif"]
    )


def test_rasters_that_do_not_last(qgis, work):
    path = QgsProcessingUtils.generateTempFilename("template.tif")
    shutil.copy(stripes(work), path)
    for name in ("TEMPLATE", "MASK"):
        with pytest.raises(QgsProcessingException):
            qgis.run(
                "livevoronoi",
                INPUT=memory(places(9)),
                OUTPUT=work.path("live.voronoi.json"),
                **{name: QgsRasterLayer(path, "template")},
            )
        assert "is temporary or has another coordinate system" in qgis.feedback.errors[0]
    assert work.listing() == ["stripesTrue.tif"]


def test_errors_come_before_anything_is_written(qgis, work):
    with pytest.raises(QgsProcessingException) as caught:
        qgis.run(
            "livevoronoi", INPUT=memory(places(9)), METRIC=3, OUTPUT=work.path("live.voronoi.json")
        )
    assert str(caught.value).startswith("Unsupported distances here")
    with pytest.raises(
        QgsProcessingException, match="invalid name; on-demand rasters end in .voronoi.json"
    ):
        qgis.run("livevoronoi", INPUT=memory(places(9)), OUTPUT=work.path("live.json"))
    with pytest.raises(
        QgsProcessingException,
        match="“Distances in double precision” needs “Distances to the seeds”",
    ):
        qgis.run(
            "livevoronoi",
            INPUT=memory(places(9)),
            DOUBLE=True,
            OUTPUT=work.path("live.voronoi.json"),
        )
    for seeds in (memory(places(9)), str(TIMEZONES)):
        with pytest.raises(
            QgsProcessingException, match="Cannot write .*live.voronoi.json: No such file"
        ):
            qgis.run("livevoronoi", INPUT=seeds, OUTPUT=work.path("nowhere/live.voronoi.json"))
    with pytest.raises(QgsProcessingException, match="BANDS"):
        qgis.run(
            "livevoronoi", INPUT=memory(places(9)), BANDS=[], OUTPUT=work.path("live.voronoi.json")
        )
    assert work.listing() == []


def test_layers_are_styled(qgis, work):
    """A layer for each kind of value, of one description; ids look as those of a stored raster do."""
    load(
        qgis,
        "voronoiraster",
        INPUT=timezones(),
        FIELD="name",
        RESOLUTION=0.5,
        OUTPUT=work.path("out.tif"),
    )
    stored = QgsProject.instance().mapLayersByName("Nearest of Time zones")[0]
    expected = colors_as_drawn(stored, (720, 360))
    QgsProject.instance().clear()
    parameters = {
        "INPUT": str(TIMEZONES),
        "FIELD": "name",
        "RESOLUTION": 0.5,
        "BANDS": [0, 1, 2],
        "OUTPUT": work.path("live.voronoi.json"),
    }
    load_all(parameters)
    layers = {layer.name(): layer for layer in QgsProject.instance().mapLayers().values()}
    assert sorted(layers) == [
        "Direction to timezones (°)",
        "Distance to timezones (m)",
        "Nearest of timezones",
    ]
    assert all(
        layer.bandCount() == 1 and isinstance(layer.renderer(), QgsSingleBandPseudoColorRenderer)
        for layer in layers.values()
    )
    assert np.array_equal(colors_as_drawn(layers["Nearest of timezones"], (720, 360)), expected)
    ramp = layers["Distance to timezones (m)"].renderer().shader().rasterShaderFunction()
    assert ramp.minimumValue() < 20000 and 3.2e6 < ramp.maximumValue() < 3.4e6
    # Projects find them again.
    QgsProject.instance().write(work.path("p.qgs"))
    QgsProject.instance().read(work.path("p.qgs"))
    again = QgsProject.instance().mapLayersByName("Nearest of timezones")[0]
    assert again.isValid() and np.array_equal(colors_as_drawn(again, (720, 360)), expected)


def load_all(parameters):
    """Runs, and loads the resulting layers like the toolbox."""
    from processing.gui.Postprocessing import handleAlgorithmResults

    context, feedback = loading_context(), Feedback()
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:livevoronoi")
    results, well = algorithm.run(parameters, context, feedback)
    assert well, feedback.errors
    assert handleAlgorithmResults(algorithm, context, feedback, parameters=parameters)
    return results


def test_legend(qgis, work):
    """Names of few seeds, of an id field of text or a field “name”; a bar with its unit of distances and of directions."""
    layer = as_file(
        memory(
            places(5),
            fields="id:integer,name:string",
            rows=[(10 + i, f"station {i}") for i in range(5)],
        ),
        work.path("s.gpkg"),
    )
    for field in ("id", "name"):
        load_all(
            {
                "INPUT": layer,
                "FIELD": field,
                "BANDS": [0, 1, 2],
                "OUTPUT": work.path(f"{field}.voronoi.json"),
            }
        )
        shown = {
            one.name(): legend_in_the_tree(one)
            for one in QgsProject.instance().mapLayers().values()
        }
        (nearest,) = [texts for name, texts in shown.items() if name.startswith("Nearest of")]
        assert nearest[-5:] == [f"station {i}" for i in range(5)]
        bars = {
            name[:8]: one.renderer().shader().rasterShaderFunction().legendSettings().suffix()
            for one in QgsProject.instance().mapLayers().values()
            for name in [one.name()]
            if not name.startswith("Nearest")
        }
        assert bars == {"Distance": " m", "Directio": " °"} and all(
            len(texts) > 1 for texts in shown.values()
        )
        QgsProject.instance().clear()


def test_many_seeds_and_many_cells(qgis, work):
    """Neither names nor ranges compute all cells of a globe of 100 m."""
    work.csv("seeds.csv", [(*place, i) for i, place in enumerate(places(70000))])
    load_all(
        {
            "INPUT": work.path("seeds.csv"),
            "METRIC": 2,
            "BANDS": [0, 1],
            "OUTPUT": work.path("live.voronoi.json"),
        }
    )
    layer = QgsProject.instance().mapLayersByName("Nearest of seeds")[0]
    assert (
        layer.width() == 409600
        and len(layer.renderer().shader().rasterShaderFunction().colorRampItemList()) == 8192
    )
    drawn = colors_as_drawn(layer, (300, 150))
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 5000


def test_live_rasters_are_rasters(qgis, work):
    """The program takes them as templates, masks and seeds, also those of one kind of value."""
    qgis.run(
        "livevoronoi",
        INPUT=str(TIMEZONES),
        RESOLUTION=4,
        METRIC=2,
        BANDS=[0, 1],
        OUTPUT=work.path("live.voronoi.json"),
    )
    whole = QgsRasterLayer(work.path("live.voronoi.json"), "live")
    one = QgsRasterLayer(work.path("live.voronoi.json") + "|option:BANDS=distance", "distances")
    assert whole.isValid() and whole.bandCount() == 2 and one.isValid() and one.bandCount() == 1
    for layer in (whole, one):
        qgis.run(
            "voronoiraster",
            INPUT=memory(places(9)),
            TEMPLATE=layer,
            MASK=layer,
            METRIC=2,
            OUTPUT=work.path("out.tif"),
        )
        assert np.array_equal(
            read(work.path("out.tif")) >= 0,
            cells(work.path("live.voronoi.json"))[0 if layer is whole else 1] > 0,
        )
        gdal.Unlink(work.path("out.tif"))


def test_open_layers_are_not_replaced(qgis, work):
    parameters = {
        "INPUT": str(TIMEZONES),
        "RESOLUTION": 4,
        "OUTPUT": work.path("live.voronoi.json"),
    }
    qgis.run("livevoronoi", **parameters)
    qgis.run("livevoronoi", **parameters)
    layer = QgsRasterLayer(work.path("live.voronoi.json") + "|option:BANDS=distance", "distances")
    QgsProject.instance().addMapLayer(layer)
    with pytest.raises(QgsProcessingException, match="is the file of the layer “distances”"):
        qgis.run("livevoronoi", **parameters)


def test_seeds_are_followed(qgis, work):
    work.csv("seeds.csv", [(0, 0, 1), (90, 0, 2)])
    qgis.run(
        "livevoronoi",
        INPUT=work.path("seeds.csv"),
        FIELD="id",
        RESOLUTION=10,
        OUTPUT=work.path("live.voronoi.json"),
    )
    assert set(np.unique(cells(work.path("live.voronoi.json")))) == {1, 2}
    work.csv("seeds.csv", [(0, 0, 1), (90, 0, 2), (-90, 0, 3)])
    assert set(np.unique(cells(work.path("live.voronoi.json")))) == {1, 2, 3}


# ------------------------------------------------------------------------------------------------- the driver


@pytest.fixture
def without_driver():
    """As in a GDAL that has none."""
    from gpuvoronoi_processing import driver

    driver.load()
    found = gdal.GetDriverByName("VORONOI")
    found.Deregister()
    yield driver
    if gdal.GetDriverByName("VORONOI") is None:
        found.Register()


def test_driver_beside_the_program(qgis, work, without_driver, monkeypatch):
    """As it is built, and as it is installed."""
    driver = without_driver
    built = driver.beside_program()
    for folder in ("lib", "lib64", "lib/x86_64-linux-gnu"):
        program = work.directory / folder.replace("/", "_") / "bin" / "gpuvoronoi"
        (program.parents[1] / folder / "gdalplugins").mkdir(parents=True)
        program.parent.mkdir()
        shutil.copy(COMMAND, program)
        monkeypatch.setenv("GPUVORONOI_COMMAND", str(program))
        assert driver.beside_program() is None
        os.symlink(built, program.parents[1] / folder / "gdalplugins" / driver.FILE)
        assert driver.beside_program() == built
    assert not driver.is_there() and driver.load() == "" and driver.is_there()


def test_missing_driver_is_explained(qgis, work, without_driver, monkeypatch):
    driver = without_driver
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("gpuvoronoi:livevoronoi")
    program = work.directory / "gpuvoronoi"
    program.write_text(f'#!/bin/sh\nexec "{COMMAND}" "$@"\n')  # a copy would not find its library
    program.chmod(0o755)
    monkeypatch.setenv("GPUVORONOI_COMMAND", str(program))
    well, message = algorithm.canExecute()
    assert not well
    for word in (
        "driver VORONOI, which opens on-demand rasters, is missing",
        "gdal_VORONOI",
        "GDAL_DRIVER_PATH",
        gdal.VersionInfo("RELEASE_NAME"),
    ):
        assert word in message
    with pytest.raises(
        QgsProcessingException, match="driver VORONOI, which opens on-demand rasters, is missing"
    ):
        algorithm.create().run(
            {"INPUT": str(TIMEZONES), "OUTPUT": work.path("l.voronoi.json")},
            loading_context(),
            Feedback(),
            {},
            False,
        )
    (work.directory / "gdalplugins").mkdir()
    (work.directory / "gdalplugins" / driver.FILE).write_text("no library")
    assert "into QGIS's GDAL" in algorithm.canExecute()[1]
    gdal.SetConfigOption("GDAL_SKIP", "VORONOI")
    try:
        assert "disabled" in algorithm.canExecute()[1]
    finally:
        gdal.SetConfigOption("GDAL_SKIP", None)


@pytest.mark.skipif(
    Qgis.QGIS_VERSION_INT < 33000, reason="this QGIS does not read attribute tables of rasters"
)
def test_identify_shows_the_name(qgis, work):
    made = qgis.run(
        "livevoronoi", INPUT=memory(places(20)), FIELD="id", OUTPUT=work.path("live.voronoi.json")
    )
    layer = QgsRasterLayer(made["OUTPUT"], "live")
    assert identified(layer, *places(20)[3]) == {
        "Band 1: id of the nearest seed": "103",
        "Name": "seed 3",
    }
