"""Nearest facilities by travel cost: the results are those of the command."""

import numpy as np
import pytest
from conftest import as_file, gdal, has_table, loading_context, memory, read, rows
from qgis.core import (
    QgsProcessingException,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
)

FACILITIES = [(500550.0, 5299450.0), (502450.0, 5298050.0)]
VILLAGES = [(500150.0, 5299850.0), (501550.0, 5299950.0), (502850.0, 5298950.0)]
SYSTEM = "EPSG:32632"


def raster(work, name, values, bands=1):
    path = work.path(name)
    made = gdal.GetDriverByName("GTiff").Create(path, 30, 20, bands, gdal.GDT_Float64)
    made.SetGeoTransform((500000, 100, 0, 5300000, 0, -100))
    made.SetProjection(memory([], SYSTEM).crs().toWkt())
    made.GetRasterBand(bands).WriteArray(values)
    made = None
    return path


def friction(work, **more):
    values = np.random.default_rng(8).lognormal(0, 1, (20, 30))
    values[0:9, 15] = values[11:20, 15] = -1  # a river
    return raster(work, "f.tif", values, **more)


def facilities():
    return memory(FACILITIES, SYSTEM, "name:string,beds:integer", [["a", 3], ["b", 5]])


def villages():
    return memory(VILLAGES, SYSTEM, "village:string", [["u"], ["v"], ["w"]])


def test_as_the_command(qgis, work):
    """Of layers in memory, of which copies are passed on."""
    cost = friction(work, bands=2)
    people = raster(work, "people.tif", np.full((20, 30), 2.0))
    out = qgis.run(
        "travelcost",
        INPUT=facilities(),
        FIELD="beds",
        COST=cost,
        BAND=2,
        MOVES=2,
        MAX_DISTANCE=2500,
        SUMS=[people],
        FROM=villages(),
        DOUBLE=True,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("cost.tif"),
        AZIMUTH=work.path("way.tif"),
        STATISTICS=work.path("stats.gpkg"),
        POLYGONS=work.path("areas.gpkg"),
        WAYS=work.path("ways.gpkg"),
    )
    assert not qgis.feedback.warnings
    work.csv("s.csv", [(*FACILITIES[0], 3), (*FACILITIES[1], 5)], "x,y,id")
    work.csv("p.csv", VILLAGES, "x,y")
    expected = work.expected(
        *("--seeds", "s.csv", "--id", "id", "--seeds-crs", SYSTEM, "--cost", cost),
        *("--cost-band", 2, "--cost-moves", 32, "--max-distance", 2500),
        *("--from", "p.csv", "--from-crs", SYSTEM, "--ways", "e.gpkg"),
        *("--distance", "e_cost.tif", "--distance-type", "Float64", "--azimuth", "e_way.tif"),
    )
    assert np.array_equal(read(out["OUTPUT"]), expected) and set(np.unique(expected)) == {-1, 3, 5}
    assert np.array_equal(read(out["DISTANCE"]), read(work.path("e_cost.tif")), equal_nan=True)
    assert np.array_equal(read(out["AZIMUTH"]), read(work.path("e_way.tif")), equal_nan=True)
    assert has_table(out["OUTPUT"])
    table = rows(out["STATISTICS"], "id", "name", "beds", "cells", "people_sum")
    cells = [int((expected == id).sum()) for id in (3, 5)]
    assert table == [(3, "a", 3, cells[0], 2 * cells[0]), (5, "b", 5, cells[1], 2 * cells[1])]
    assert rows(out["POLYGONS"], "id", "name") == [(3, "a"), (5, "b")]
    mine, theirs = (
        rows(path, "seed", "cost", "length") for path in (out["WAYS"], work.path("e.gpkg"))
    )
    assert mine == theirs and None not in mine[0]
    assert rows(out["WAYS"], "village") == [("u",), ("v",), ("w",)]
    fields = QgsVectorLayer(out["WAYS"], "w", "ogr").fields().names()
    assert "seed_id" not in fields and "id_" not in fields


def test_files(qgis, work):
    """Of files, which the command reads itself; results in memory."""
    seeds = as_file(facilities(), work.path("s.gpkg"))
    points = as_file(villages(), work.path("p.gpkg"))
    out = qgis.run(
        "travelcost",
        INPUT=seeds,
        COST=friction(work),
        FROM=points,
        DISTANCE=work.path("cost.tif"),
        WAYS="memory:",
    )
    assert f"--from {points}" in qgis.feedback.commands[0].replace("'", "")
    work.command(
        *("--seeds", seeds, "--cost", "f.tif", "--from", points, "--ways", "e.gpkg"),
        *("--distance", "e_cost.tif"),
    )
    assert np.array_equal(read(out["DISTANCE"]), read(work.path("e_cost.tif")), equal_nan=True)
    found = [[f["village"], f["seed"], f["cost"]] for f in out["WAYS"].getFeatures()]
    assert found == [list(row) for row in rows(work.path("e.gpkg"), "village", "seed", "cost")]
    assert "OUTPUT" not in out and work.path("out.tif") not in work.listing()


def test_loaded(qgis, work):
    context = loading_context()

    def sink(name):
        return QgsProcessingOutputLayerDefinition(work.path(name), QgsProject.instance())

    out = qgis.run(
        "travelcost",
        context=context,
        INPUT=facilities(),
        COST=friction(work),
        FROM=villages(),
        DISTANCE=sink("cost.tif"),
        STATISTICS=sink("stats.gpkg"),
        WAYS=sink("ways.gpkg"),
    )
    names = {}
    for name, path in out.items():
        details = context.layerToLoadOnCompletionDetails(path)
        names[name] = details.name
        if name != "STATISTICS":
            kind = QgsRasterLayer if name == "DISTANCE" else QgsVectorLayer
            layer = kind(path, details.name)
            details.postProcessor().postProcessLayer(layer, context, None)
    assert names == {
        "DISTANCE": "Travel cost to seeds",
        "STATISTICS": "Statistics of seeds",
        "WAYS": "Ways to seeds",
    }


@pytest.mark.parametrize(
    "parameters, has",
    [
        ({}, "Missing result"),
        ({"WAYS": "w.gpkg"}, "“Cheapest ways” needs “Points to begin ways from”"),
        ({"SUMS": ["f.tif"], "DISTANCE": "d.tif"}, "“Rasters of counts” needs “Statistics”"),
        ({"DOUBLE": True, "OUTPUT": "o.tif"}, "needs “Travel costs”"),
    ],
)
def test_parameters_that_do_not_fit(qgis, work, parameters, has):
    friction(work)
    parameters = {
        name: [work.path(one) for one in value]
        if isinstance(value, list)
        else value
        if value is True
        else work.path(value)
        for name, value in parameters.items()
    }
    with pytest.raises(QgsProcessingException, match=has):
        qgis.run("travelcost", INPUT=facilities(), COST=work.path("f.tif"), **parameters)


def test_facilities_in_barriers(qgis, work):
    """Are left out with a warning; if all are, that is the error."""
    closed = raster(work, "closed.tif", np.full((20, 30), -1.0))
    with pytest.raises(QgsProcessingException, match="gpuvoronoi: error"):
        qgis.run("travelcost", INPUT=facilities(), COST=closed, OUTPUT=work.path("o.tif"))
    layer = memory([*FACILITIES, (501550.0, 5299550.0)], SYSTEM)
    out = qgis.run("travelcost", INPUT=layer, COST=friction(work), OUTPUT=work.path("o.tif"))
    assert set(np.unique(read(out["OUTPUT"]))) - {-1} == {1, 2}
    assert any("1" in text and "3" in text for text in qgis.feedback.warnings)
