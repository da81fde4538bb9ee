"""Lines of the cheapest ways (--ways): their moves add up to the costs of the raster, bit by bit."""

import json
import os

import numpy as np
import pytest
from osgeo import gdal
from pyproj import Geod

from test_cost import GLOBE, PLANE, course, directions, friction_raster, starts, uniform

WGS84 = Geod(ellps="WGS84")
COST = ("--seeds", "s.csv", "--cost", "f.tif", "--from", "p.csv")
UTM = ("--seeds-crs", "EPSG:32632", "--from-crs", "EPSG:32632")


def rows(work, name):
    """Of a table: fields and geometries as lists of parts."""
    found = []
    table = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    for feature in table.GetLayer(0):
        line = feature.GetGeometryRef()
        parts = (
            [] if line is None else [line.GetGeometryRef(i) for i in range(line.GetGeometryCount())]
        )
        parts = parts or ([] if line is None else [line])
        found.append((feature.items(), [np.array(part.GetPoints())[:, :2] for part in parts]))
    return found


def move_cost(friction, transform, one, other):
    """By the formulas of the definition, in its order; cells are (row, column)."""
    rows_, columns = other[0] - one[0], other[1] - one[1]
    assert (columns, rows_) in directions(32)
    shares, corners = course(columns, rows_)
    f = [friction[one[0] + row, one[1] + column] for column, row in shares]
    for cells in corners:
        assert not all(np.isnan(friction[one[0] + row, one[1] + column]) for column, row in cells)
    length = np.hypot(columns * transform[1], rows_ * transform[5])
    if len(f) == 2:
        return length / 2 * (f[0] + f[1])
    if len(f) == 4 and abs(columns) + abs(rows_) == 3:
        return length / 4 * ((f[0] + f[3]) + (f[1] + f[2]))
    if len(f) == 4:
        return length / 6 * ((f[0] + f[3]) + 2 * (f[1] + f[2]))
    return length / 12 * ((2 * (f[0] + f[5]) + (f[1] + f[4])) + 3 * (f[2] + f[3]))


@pytest.mark.parametrize("moves", [8, 32])
def test_ways_add_up(work, moves):
    random = np.random.default_rng(moves)
    friction = random.lognormal(0, 1, (40, 50))
    friction[random.random(friction.shape) < 0.3] = np.nan
    friction[10:30, 10:30] = 0.0  # ways cross it without cost
    x = PLANE[0] + random.random(6) * 5000
    y = PLANE[3] - np.array([1, 2, 3, 33, 36, 39]) * 100.0 - 30.0
    work.csv("s.csv", x, y, header="x,y")
    friction_raster(work, "f.tif", np.where(np.isnan(friction), -1, friction), PLANE, 32632)
    px, py = PLANE[0] + random.random(60) * 5000, PLANE[3] - random.random(60) * 4000
    work.csv("p.csv", px, py, header="x,y")
    system = (*UTM, "--cost-moves", moves)
    raster = ("--distance", "d.tif", "--distance-type", "Float64", "out.tif")
    work.ok(*COST, *system, "--ways", "w.gpkg", *raster)
    cost, ids, found = work.read("d.tif"), work.read("out.tif"), rows(work, "w.gpkg")
    assert len(found) == 60
    reached = 0
    for i, (row, parts) in enumerate(found):
        at = int((PLANE[3] - py[i]) / 100), int((px[i] - PLANE[0]) / 100)
        if ids[at] < 0:
            assert (
                row["seed"] is None and row["cost"] is None and row["length"] is None and not parts
            )
            continue
        reached += 1
        line = parts[0]
        cells = [(int((PLANE[3] - b) / 100), int((a - PLANE[0]) / 100)) for a, b in line[:-1]]
        assert cells[0] == at and row["seed"] == ids[at] and row["cost"] == cost[at]
        for one, other in zip(cells, cells[1:]):
            assert cost[one] == cost[other] + move_cost(friction, PLANE, one, other)
        seed = x[ids[at] - 1], y[ids[at] - 1]
        assert tuple(line[-1]) == seed
        first = dict(starts(friction, PLANE, *seed, False))[cells[-1][0] * 50 + cells[-1][1]]
        assert cost[cells[-1]] == pytest.approx(first, rel=1e-12)
        legs = np.hypot(*np.diff(line, axis=0).T)
        assert row["length"] == pytest.approx(legs.sum(), rel=1e-12)
    assert 20 < reached < 60


def test_ways_across_the_seam(work):
    friction_raster(work, "f.tif", np.ones((36, 72)), GLOBE, 4326)
    work.csv("s.csv", [-171.0], [12.0], header="lon,lat")
    work.csv("p.csv", [172.5, 532.5, -150.0], [2.5, 2.5, 2.5], header="lon,lat")
    work.ok(*COST, "--ways", "w.geojson")
    found = rows(work, "w.geojson")
    for row, parts in found[:2]:
        assert len(parts) == 2 and row["cost"] == pytest.approx(row["length"], rel=1e-12)
        assert parts[0][0].tolist() == [172.5, 2.5] and parts[0][-1][0] == 180
        assert parts[1][0][0] == -180 and parts[1][-1].tolist() == [-171, 12]
        length = sum(WGS84.line_length(*part.T) for part in parts)
        assert row["length"] == pytest.approx(length, rel=1e-6)
    assert len(found[2][1]) == 1
    assert found[2][1][0][:, 0].max() < -140


def test_formats_and_points_without_a_way(work):
    """Points in closed cells and outside, attributes of points, and several formats; the outputs are those of one run."""
    friction = np.ones((20, 30))
    friction[5:8, 5:8] = -1
    friction[6, 6] = 1
    friction_raster(work, "f.tif", friction, PLANE, 32632)
    work.write("s.csv", "x,y,name\n502450,5298050,b\n")
    work.write(
        "p.csv",
        "x,y,name,seed\n500150,5299850,a,7\n500650,5299350,b,8\n500550,5299450,c,9\n499000,5299000,d,10\n",
    )
    options = (*COST, *UTM)
    for name in "w.csv", "w.geojson", "w.shp":
        work.ok(*options, "--ways", name)
        found = rows(work, name)
        assert [row["name"] for row, _ in found] == ["a", "b", "c", "d"]
        seeds = [row["seed"] if row["seed"] not in (None, "") else None for row, _ in found]
        assert [seeds[0] and int(seeds[0]), *seeds[1:]] == [1, None, None, None]
        assert [len(parts) for _, parts in found] == [1, 0, 0, 0]
        if name != "w.shp":
            assert [str(row["seed_seed"]) for row, _ in found] == ["7", "8", "9", "10"]
        assert found[0][1][0][-1].tolist() == [502450, 5298050]
    work.fails(*options, "--ways", "w.csv", has="--overwrite")
    work.ok(*options, "--ways", "s.gpkg", "--stats", "s.gpkg", "--polygons", "s.gpkg")
    assert gdal.OpenEx(str(work.path("s.gpkg"))).GetLayerCount() == 3
    work.fails(*options, "--ways", "w.xlsx", has="does not support geometries")
    assert not work.path("w.xlsx").exists()


def test_flatgeobuf(work):
    """It has no rows without a geometry: these are an error, of neighbors too."""
    uniform(work)
    work.write("s.csv", "x,y\n502450,5298050\n")
    work.write("p.csv", "x,y\n500150,5299850\n499000,5299000\n")
    line = "w.fgb: FlatGeobuf does not support rows without a geometry (row 2); use .gpkg"
    work.fails(*COST, *UTM, "--ways", "w.fgb", has=line.replace("w.fgb", "--ways"))
    work.ok(*COST, *UTM, "--ways", "w.gpkg")
    work.write("p.csv", "x,y\n500150,5299850\n500250,5299850\n")
    work.ok(*COST, *UTM, "--ways", "w.fgb")
    assert len(rows(work, "w.fgb")) == 2
    for name, (x, y) in {"a": (0, 0), "b": (9, 9)}.items():
        point = {"type": "Point", "coordinates": [x, y]}
        work.write(f"{name}.geojson", json.dumps(point))
    near = ("search", "--reference", "a.geojson", "--queries", "b.geojson", "--max-distance", "1")
    work.fails(*near, "--lines", "n.fgb", has="does not support rows without a geometry (row 1)")
    assert not work.path("n.fgb").exists()


def test_ends(work):
    """A way to a seed in a center has that position once."""
    uniform(work)
    work.write("s.csv", "x,y\n500150,5299850\n")
    work.write("p.csv", "x,y\n500350,5299850\n500150,5299850\n")
    work.ok(*COST, *UTM, "--ways", "w.gpkg")
    (_, (line,)), (own, none) = rows(work, "w.gpkg")
    assert line.tolist() == [[500350, 5299850], [500250, 5299850], [500150, 5299850]]
    assert own["cost"] == own["length"] == 0 and none == []


def test_plateaus_beyond_the_memory(work):
    """A way over cells without cost, as in memory; the raster and what the way needs are in temporary files."""
    friction = np.zeros((700, 900), np.float32)
    friction[:, :3] = 1
    friction[60::120, 40:] = friction[120::120, :-40] = -1  # a maze
    friction_raster(work, "f.tif", friction, PLANE, 32632, kind=gdal.GDT_Float32)
    work.write("s.csv", f"x,y\n{PLANE[0] + 50},{PLANE[3] - 50}\n")
    work.write("p.csv", f"x,y\n{PLANE[0] + 89950},{PLANE[3] - 69950}\n")
    work.ok(*COST, *UTM, "--ways", "w.gpkg")
    (work.path("t")).mkdir()
    folder = dict(os.environ, CPL_TMPDIR=str(work.path("t")))
    work.ok(*COST, *UTM, "--memory", "8M", "--ways", "v.gpkg", env=folder)
    (one, line), (other, same) = rows(work, "w.gpkg") + rows(work, "v.gpkg")
    assert len(line[0]) > 1000 and np.array_equal(line[0], same[0]) and one == other
    assert not list(work.path("t").iterdir())


def test_towns(work):
    """Ways end at the first cell of a polygon, and a point in it has no line."""
    uniform(work)
    work.write(
        "s.geojson",
        '{"type": "Polygon", "coordinates": [[[500000, 5299000], [500500, 5299000], [500500, 5298500], '
        "[500000, 5298500], [500000, 5299000]]]}",
    )
    work.write("p.csv", "x,y\n500950,5298750\n500250,5298750\n")
    work.ok("--seeds", "s.geojson", *UTM, *COST[2:], "--ways", "w.gpkg")
    (one, line), (own, none) = rows(work, "w.gpkg")
    assert line[0][-1].tolist() == [500450, 5298750] and one["cost"] == 500
    assert own["cost"] == own["length"] == 0 and none == []


@pytest.mark.parametrize(
    "options, status, has",
    [
        (["--ways", "w.gpkg"], 2, "--from"),
        (["--from", "p.csv", "out.tif"], 2, "--ways"),
        (["--ways-layer", "w", "out.tif"], 2, "--ways"),
        (["--from", "none.csv", "--ways", "w.gpkg"], 1, "--from: "),
        (["--from", "l.geojson", "--ways", "w.gpkg"], 1, "--from: row 1"),
        (["--from", "p.csv", "--ways", "p.csv", "--overwrite"], 1, "is an input"),
    ],
)
def test_refused(work, options, status, has):
    uniform(work)
    work.write("s.csv", "x,y\n502450,5298050\n")
    work.write("p.csv", "x,y\n500150,5299850\n")
    work.write(
        "l.geojson", json.dumps({"type": "LineString", "coordinates": [[5e5, 5e6], [6e5, 6e6]]})
    )
    known = ("--seeds", "s.csv", "--seeds-crs", "EPSG:32632", "--cost", "f.tif")
    work.fails(*known, *options, status=status, has=has)
    assert not work.path("w.gpkg").exists()
