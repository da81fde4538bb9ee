"""Nearest value rasters: the values of a field at the pixels of the nearest seeds, which another algorithm has found."""

import numpy as np
import pytest
from conftest import TIMEZONES, gdal, loading_context, memory, places, read, timezones
from qgis.core import (
    QgsProcessingException,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRasterLayer,
)

SEEDS = places(40)
ROWS = [[i, 0.25 + i / 3, 1000 - 7 * i] for i in range(40)]


def stations():
    return memory(SEEDS, fields="id:integer,temperature:double,people:integer", rows=ROWS)


@pytest.mark.parametrize(
    "field,column,kind", [("temperature", 1, gdal.GDT_Float64), ("people", 2, gdal.GDT_Int32)]
)
def test_values_of_the_nearest(qgis, work, field, column, kind):
    layer = stations()
    ids = read(
        qgis.run(
            "voronoiraster", INPUT=layer, FIELD="id", RESOLUTION=1, OUTPUT=work.path("ids.tif")
        )["OUTPUT"]
    )
    out = qgis.run(
        "nearestvalue", INPUT=layer, VALUE_FIELD=field, RESOLUTION=1, OUTPUT=work.path("out.tif")
    )["OUTPUT"]
    assert np.array_equal(read(out), np.array([row[column] for row in ROWS])[ids])
    assert gdal.Open(out).GetRasterBand(1).DataType == kind


def test_file_bands_and_limits(qgis, work):
    out = qgis.run(
        "nearestvalue",
        INPUT=str(TIMEZONES),
        VALUE_FIELD="lat",
        RESOLUTION=2,
        NEIGHBORS=3,
        MAX_DISTANCE=500000,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("far.tif"),
        AZIMUTH=work.path("way.tif"),
    )
    work.command(
        "--seeds",
        TIMEZONES,
        "--attribute",
        "lat",
        "--res",
        2,
        "-k",
        3,
        "--max-distance",
        500000,
        "--distance",
        "e_far.tif",
        "--azimuth",
        "e_way.tif",
        "expected.tif",
    )
    for found, expected in (
        ("OUTPUT", "expected.tif"),
        ("DISTANCE", "e_far.tif"),
        ("AZIMUTH", "e_way.tif"),
    ):
        for band in (1, 2, 3):
            assert np.array_equal(
                read(out[found], band), read(work.path(expected), band), equal_nan=True
            )
    assert np.isnan(read(out["OUTPUT"])).any()


@pytest.mark.parametrize("number,name", [(1, "Byte"), (4, "Int32"), (7, "Float32"), (8, "Float64")])
def test_types(qgis, work, number, name):
    layer = memory(SEEDS[:3], fields="v:integer", rows=[[3], [4], [5]])
    out = qgis.run(
        "nearestvalue",
        INPUT=layer,
        VALUE_FIELD="v",
        RESOLUTION=10,
        TYPE=number,
        OUTPUT=work.path("out.tif"),
    )["OUTPUT"]
    assert gdal.GetDataTypeName(gdal.Open(out).GetRasterBand(1).DataType) == name
    assert set(np.unique(read(out))) == {3, 4, 5}


def test_type_that_does_not_hold_the_values(qgis, work):
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error"):
        qgis.run(
            "nearestvalue",
            INPUT=stations(),
            VALUE_FIELD="people",
            RESOLUTION=10,
            TYPE=1,
            OUTPUT=work.path("out.tif"),
        )


def test_text_is_refused(qgis, work):
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error: --attribute"):
        qgis.run("nearestvalue", INPUT=timezones(), VALUE_FIELD="name", OUTPUT=work.path("out.tif"))


def test_empty_values(qgis, work):
    layer = memory(SEEDS[:3], fields="v:double", rows=[[1.5], [None], [2.5]])
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error"):
        qgis.run(
            "nearestvalue", INPUT=layer, VALUE_FIELD="v", RESOLUTION=10, OUTPUT=work.path("out.tif")
        )
    out = qgis.run(
        "nearestvalue",
        INPUT=layer,
        VALUE_FIELD="v",
        RESOLUTION=10,
        SKIP_INVALID=True,
        OUTPUT=work.path("out.tif"),
    )
    assert set(np.unique(read(out["OUTPUT"]))) == {1.5, 2.5}


def test_loaded_as_a_ramp(qgis, work):
    context = loading_context()
    sink = QgsProcessingOutputLayerDefinition(work.path("out.tif"), QgsProject.instance())
    path = qgis.run(
        "nearestvalue",
        context=context,
        INPUT=stations(),
        VALUE_FIELD="temperature",
        RESOLUTION=5,
        OUTPUT=sink,
    )["OUTPUT"]
    details = context.layerToLoadOnCompletionDetails(path)
    layer = QgsRasterLayer(path, details.name)
    details.postProcessor().postProcessLayer(layer, context, None)
    assert layer.name() == "temperature of the nearest of seeds"
    shown = layer.renderer().shader().rasterShaderFunction()
    assert (shown.minimumValue(), shown.maximumValue()) == (
        np.nanmin(read(path)),
        np.nanmax(read(path)),
    )
