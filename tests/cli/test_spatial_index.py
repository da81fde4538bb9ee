"""Spatial indexes of GeoPackages: SQLite finds no fault in them, filters find what is there, and they stay right when features change."""

import numpy as np
import pytest
from conftest import ogr

# A node holds 51 boxes.
COUNTS = [1, 2, 51, 52, 53, 2601, 2602, 6000]


def rows(source, query):
    found = source.ExecuteSQL(query)
    listed = [tuple(row[i] for i in range(row.GetFieldCount())) for row in found]
    source.ReleaseResultSet(found)
    return listed


def check(source, name):
    """Each feature has its box in the index, and nothing else is there."""
    layer = source[source.GetLayerByName(name).GetName()]
    assert rows(source, f"SELECT rtreecheck('rtree_{name}_geom') AS said") == [("ok",)]
    kept = rows(source, f'SELECT id, minx, miny, maxx, maxy FROM "rtree_{name}_geom" ORDER BY id')
    boxes = []
    layer.ResetReading()
    for feature in layer:
        west, east, south, north = feature.geometry().GetEnvelope()
        boxes.append((feature.GetFID(), west, south, east, north))
    kept, boxes = np.array(kept).reshape(-1, 5), np.array(boxes).reshape(-1, 5)
    assert (kept[:, 0] == boxes[:, 0]).all()
    assert (kept[:, 1:3] <= boxes[:, 1:3]).all() and (kept[:, 3:] >= boxes[:, 3:]).all()
    assert np.allclose(kept, boxes, rtol=1e-6, atol=1e-6)
    return boxes


def check_filters(layer, boxes, side):
    random = np.random.default_rng(5)
    for west, south in random.uniform(-side / 2, side, (25, 2)):
        east, north = west + side / 8, south + side / 8
        layer.SetSpatialFilterRect(west, south, east, north)
        wanted = (boxes[:, 1] <= east) & (boxes[:, 3] >= west)
        wanted &= (boxes[:, 2] <= north) & (boxes[:, 4] >= south)
        found = {feature.GetFID() for feature in layer}
        assert found <= set(boxes[wanted, 0].astype(int))
        rectangle = ogr.CreateGeometryFromWkt(
            f"POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"
        )
        layer.SetSpatialFilter(None)
        for number in set(boxes[wanted, 0].astype(int)) - found:
            assert not layer.GetFeature(int(number)).geometry().Intersects(rectangle)


@pytest.mark.parametrize("count", COUNTS)
def test_indexes_of_cells(work, count):
    random = np.random.default_rng(count)
    work.csv("seeds.csv", *random.uniform(0, 1000, (2, count)), header="x,y")
    work.ok("diagram", "--seeds", "seeds.csv", "cells.gpkg")
    source = ogr.Open(str(work.path("cells.gpkg")), 1)
    boxes = check(source, "cells")
    assert len(boxes) == count
    layer = source.GetLayerByName("cells")
    check_filters(layer, boxes, 1000.0)
    added = ogr.Feature(layer.GetLayerDefn())
    added.SetGeometry(
        ogr.CreateGeometryFromWkt("MULTIPOLYGON (((5000 0, 5001 0, 5001 1, 5000 0)))")
    )
    layer.CreateFeature(added)
    layer.DeleteFeature(1)
    assert len(check(source, "cells")) == count
    layer.SetSpatialFilterRect(4999, 0, 5002, 1)
    assert [feature.GetFID() for feature in layer] == [count + 1]


def test_layers_without_features_have_an_index(work):
    work.csv("seeds.csv", [1.0], [2.0], header="x,y")
    work.ok("diagram", "--seeds", "seeds.csv", "--edges-only", "edges.gpkg")
    source = ogr.Open(str(work.path("edges.gpkg")))
    assert source[0].TestCapability(ogr.OLCFastSpatialFilter)
    assert rows(source, 'SELECT count(*) FROM "rtree_edges_geom"') == [(0,)]


def test_layers_are_added_to_a_file(work):
    random = np.random.default_rng(1)
    work.csv("seeds.csv", *random.uniform(0, 1000, (2, 300)), header="x,y")
    work.ok("diagram", "--seeds", "seeds.csv", "all.gpkg")
    work.ok("diagram", "--seeds", "seeds.csv", "--delaunay", "all.gpkg")
    work.ok("diagram", "--seeds", "seeds.csv", "--overwrite", "all.gpkg")
    source = ogr.Open(str(work.path("all.gpkg")))
    assert len(check(source, "cells")) == 300
    assert len(check(source, "delaunay")) > 800


def test_boxes_that_do_not_fit_into_memory_are_left_to_gdal(work):
    random = np.random.default_rng(1)
    work.csv("seeds.csv", *random.uniform(0, 1000, (2, 9000)), header="x,y")
    grid = ["--seeds", "seeds.csv", "--size", "300,300", "--extent", "0,0,1000,1000"]
    for name, memory in (("small.gpkg", "1M"), ("large.gpkg", "1G")):
        work.ok(*grid, "--stats", name, "--memory", memory)
    small, large = (ogr.Open(str(work.path(name))) for name in ("small.gpkg", "large.gpkg"))
    name = small[0].GetName()
    assert (check(small, name) == check(large, name)).all()
