"""Nearest facilities round barriers: the results are those of the command."""

import numpy as np
import pytest
from conftest import as_file, has_table, memory, read, rows
from qgis.core import (
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsVectorLayer,
)

SYSTEM = "EPSG:32632"
FACILITIES = [(500550.0, 5299450.0), (502450.0, 5298050.0), (501450.0, 5298450.0)]
VILLAGES = [(501150.0, 5299850.0), (502850.0, 5298950.0)]
RIVER = "LINESTRING(501000 5301000,501000 5298500,501500 5297900)"
LAKE = "POLYGON((501300 5298300,501600 5298300,501600 5298600,501300 5298600,501300 5298300))"


def barriers(kind, *wkt):
    layer = QgsVectorLayer(f"{kind}?crs={SYSTEM}", "river", "memory")
    for text in wkt:
        feature = QgsFeature()
        feature.setGeometry(QgsGeometry.fromWkt(text))
        layer.dataProvider().addFeature(feature)
    return layer


def facilities():
    return memory(FACILITIES, SYSTEM, "name:string", [["a"], ["b"], ["c"]])


def test_as_the_command(qgis, work):
    """Of layers in memory, of which copies are passed on; and of a file, which the command reads itself."""
    river, extent = barriers("LineString", RIVER), "500000,503000,5298000,5300000 [EPSG:32632]"
    out = qgis.run(
        "roundbarriers",
        INPUT=facilities(),
        BARRIERS=river,
        EXTENT=extent,
        RESOLUTION=100,
        FROM=memory(VILLAGES, SYSTEM, "village:string", [["u"], ["v"]]),
        DOUBLE=True,
        OUTPUT=work.path("out.tif"),
        DISTANCE=work.path("way.tif"),
        AZIMUTH=work.path("leg.tif"),
        STATISTICS=work.path("stats.gpkg"),
        WAYS=work.path("ways.gpkg"),
    )
    assert not qgis.feedback.warnings
    work.csv("s.csv", FACILITIES, "x,y")
    work.csv("p.csv", VILLAGES, "x,y")
    file = as_file(river, work.path("river.gpkg"))
    expected = work.expected(
        *("--seeds", "s.csv", "--seeds-crs", SYSTEM, "--barriers", file, "--res", 100),
        *("--extent", "500000,5298000,503000,5300000", "--from", "p.csv", "--from-crs", SYSTEM),
        *("--ways", "e.gpkg", "--distance", "e_way.tif", "--distance-type", "Float64"),
        *("--azimuth", "e_leg.tif"),
    )
    assert np.array_equal(read(out["OUTPUT"]), expected) and has_table(out["OUTPUT"])
    assert np.array_equal(read(out["DISTANCE"]), read(work.path("e_way.tif")), equal_nan=True)
    assert np.array_equal(read(out["AZIMUTH"]), read(work.path("e_leg.tif")), equal_nan=True)
    assert [row[0] for row in rows(out["STATISTICS"], "name")] == ["a", "b", "c"]
    assert rows(out["WAYS"], "seed", "length") == rows(work.path("e.gpkg"), "seed", "length")
    assert rows(out["WAYS"], "village") == [("u",), ("v",)]
    again = qgis.run(
        "roundbarriers",
        INPUT=facilities(),
        BARRIERS=file,
        EXTENT=extent,
        RESOLUTION=100,
        OUTPUT=work.path("again.tif"),
    )
    assert np.array_equal(read(again["OUTPUT"]), expected)
    assert f"--barriers {file}" in qgis.feedback.commands[-1].replace("'", "")


def test_facilities_in_a_lake(qgis, work):
    """Are left out with a warning; without a result nothing runs."""
    lake = barriers("Polygon", LAKE)
    path = work.path("o.tif")
    out = qgis.run("roundbarriers", INPUT=facilities(), BARRIERS=lake, RESOLUTION=100, OUTPUT=path)
    assert set(np.unique(read(out["OUTPUT"]))) == {-1, 1, 2}
    assert any("1 of 3" in text for text in qgis.feedback.warnings)
    with pytest.raises(QgsProcessingException, match="Missing result"):
        qgis.run("roundbarriers", INPUT=facilities(), BARRIERS=lake)


RIVERS = [RIVER, "LINESTRING(500000 5298000,503000 5300000)"]


@pytest.mark.parametrize("selected", [[1], [2]])
def test_selected_barriers(qgis, work, selected):
    river = barriers("LineString", *RIVERS)
    river.selectByIds(selected)
    given = {"INPUT": facilities(), "RESOLUTION": 100, "DISTANCE": work.path("o.tif")}
    QgsProject.instance().addMapLayer(river)
    only = QgsProcessingFeatureSourceDefinition(river.id(), True)
    made = read(qgis.run("roundbarriers", BARRIERS=only, **given)["DISTANCE"])
    one = barriers("LineString", RIVERS[selected[0] - 1])
    given["DISTANCE"] = work.path("e.tif")
    expected = read(qgis.run("roundbarriers", BARRIERS=one, **given)["DISTANCE"])
    assert np.array_equal(made, expected, equal_nan=True)
    given["DISTANCE"] = work.path("a.tif")
    both = read(qgis.run("roundbarriers", BARRIERS=river, **given)["DISTANCE"])
    assert not np.array_equal(made, both, equal_nan=True)


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_selected_features_of_a_mask(qgis, work, kind):
    squares = [
        f"POLYGON(({x} 5298000,{x + 400} 5298000,{x + 400} 5300000,{x} 5300000,{x} 5298000))"
        for x in (500000, 501000, 502000)
    ]
    mask = barriers("Polygon", *squares)
    if kind == "file":
        mask = QgsVectorLayer(str(as_file(mask, work.path("m.gpkg"))), "mask", "ogr")
    QgsProject.instance().addMapLayer(mask)
    extent = "500000,503000,5298000,5300000 [EPSG:32632]"
    given = {"INPUT": facilities(), "RESOLUTION": 100, "EXTENT": extent, "MASK": mask}

    def made(name, **more):
        out = qgis.run("voronoiraster", OUTPUT=work.path(name), **given, **more)["OUTPUT"]
        return (read(out) >= 0).all(axis=0).nonzero()[0].tolist()

    mask.selectByIds([2])
    assert made("two.tif", MASK_SELECTED=True) == list(range(10, 14))
    assert made("all.tif") == [*range(4), *range(10, 14), *range(20, 24)]
    mask.selectByIds([])
    with pytest.raises(QgsProcessingException, match="missing polygons"):
        made("none.tif", MASK_SELECTED=True)


def test_selected_features_cut_a_diagram(qgis, work):
    mask = barriers("Polygon", LAKE, "POLYGON((0 0,1 0,1 1,0 0))")
    QgsProject.instance().addMapLayer(mask)
    mask.selectByIds([1])
    only = QgsProcessingFeatureSourceDefinition(mask.id(), True)
    out = qgis.run("voronoidiagram", INPUT=facilities(), MASK=only, OUTPUT="memory:")["OUTPUT"]
    area = sum(feature.geometry().area() for feature in out.getFeatures())
    assert area == pytest.approx(300 * 300)
