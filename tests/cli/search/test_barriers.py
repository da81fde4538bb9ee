"""`search --barriers` against the raster of the same barriers, and known lengths."""

import forked_command
import numpy as np
import pytest
from conftest import COMMAND
from osgeo import gdal, ogr, osr

pyproj = pytest.importorskip("pyproj")

WALL, BLOCK = "LINESTRING(10 0,10 30)", "POLYGON((20 5,30 5,30 15,20 15,20 5))"


def layer(runner, name, epsg, *wkt):
    system = osr.SpatialReference() if epsg else None
    if system:
        system.ImportFromEPSG(epsg)
        system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(runner.path(name))
    of = made.CreateLayer("barriers", system)
    for text in wkt:
        feature = ogr.Feature(of.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        of.CreateFeature(feature)
    made = of = None
    return runner.path(name)


def test_as_the_raster(runner):
    """A wall and a block with a reference in it; the queries are the centers of the raster's cells."""
    barriers = layer(runner, "b.gpkg", 32632, WALL, BLOCK)
    reference = runner.text("r.csv", "x,y\n5.5,5.5\n39,39\n25,10\n")
    y, x = (v.ravel() for v in np.mgrid[39.5:-0.5:-1, 0.5:40])
    queries = runner.text("q.csv", "x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x, y)))
    out, lengths = runner.path("o.tif"), runner.path("d.tif")
    given = ("--seeds", reference, "--seeds-crs", "EPSG:32632", "--barriers", barriers, "--quiet")
    grid = ("--extent", "0,0,40,40", "--res", "1", "--distance-type", "Float64")
    forked_command.run([COMMAND, *given, *grid, "--distance", lengths, out])
    ids, distance = (gdal.Open(name).ReadAsArray().ravel() for name in (out, lengths))
    assert set(ids) == {-1, 1, 2}
    systems = ("--reference-crs", "EPSG:32632", "--query-crs", "EPSG:32632")
    options = ("--reference", reference, "--queries", queries, *systems, "--barriers", barriers)
    found, way = runner.search(*options, "--quiet")
    found, way = found.ravel(), way.ravel()
    assert np.array_equal(found, ids) or np.array_equal(found, np.where(ids > 0, ids - 1, -1))
    assert np.array_equal(np.where(np.isinf(way), np.nan, way), distance, equal_nan=True)
    _, near = runner.search(*options, "--max-distance", "8", "--quiet")
    assert np.array_equal(near.ravel(), np.where(distance <= 8, distance, np.inf))
    done = forked_command.run([COMMAND, "search", *options, runner.path("t.csv")])
    assert "1 of 3 points of" in done.stderr and "are inside polygons of" in done.stderr
    assert "references: 2 used, 1 left out" in done.stderr
    runner.run(*options, "--quiet", "--query-keep", "*", runner.path("t.gpkg"))
    assert ogr.Open(runner.path("t.gpkg")).GetLayer().GetFeatureCount() == x.size


def test_many_queries(runner):
    """More than one batch of 65,536: each row has the result of its own query."""
    barriers = layer(runner, "b.gpkg", 32632, WALL)
    reference = runner.text("r.csv", "x,y\n5,5\n")
    x = np.arange(70_000) % 700 / 10 + 0.05
    queries = runner.text("q.csv", "x,y\n" + "".join(f"{a:.2f},40\n" for a in x))
    systems = ("--reference-crs", "EPSG:32632", "--query-crs", "EPSG:32632", "--quiet")
    both = ("--reference", reference, "--queries", queries)
    _, way = runner.search(*both, *systems, "--barriers", barriers)
    over, under = (np.hypot(5, 5 - end) + np.hypot(x - 10, 40 - end) for end in (30, 0))
    expected = np.where(x < 12, np.hypot(x - 5, 35), np.minimum(over, under))
    assert way.size == x.size and np.allclose(way.ravel(), expected, rtol=1e-12)


def test_globe(runner):
    """A wall in another system along 180 degrees; without barriers the results are those of plain distances."""
    edge, high = 20037508.342789244, 2273030.926987689
    wall = layer(runner, "w.gpkg", 3857, f"LINESTRING({edge} {-high},{edge} {high})")
    none = layer(runner, "n.gpkg", 4326)
    reference = runner.text("r.csv", "lon,lat\n170,1\n")
    queries = runner.text("q.csv", "lon,lat\n-170,3\n150,3\n")
    both = ("--reference", reference, "--queries", queries)
    found, way = runner.search(*both, "--barriers", wall)
    length = pyproj.Geod(ellps="WGS84").inv
    expected = length(170, 1, 180, 20)[2] + length(180, 20, -170, 3)[2]
    assert way.ravel() == pytest.approx([expected, length(170, 1, 150, 3)[2]], rel=1e-8)
    for metric in ("geodesic", "great-circle"):
        plain = runner.search(*both, "--metric", metric)
        without = runner.search(*both, "--metric", metric, "--barriers", none, "--quiet")
        assert np.array_equal(plain[0], without[0])
        assert np.allclose(plain[1], without[1], rtol=1e-15)


def test_skipped_barriers_are_reported(runner):
    barriers = layer(runner, "b.gpkg", 4326, "LINESTRING(3 0,3 99)", "LINESTRING(3 0,3 9)")
    points = runner.text("p.csv", "lon,lat\n1,1\n5,5\n")
    given = ("--reference", points, "--queries", points, "--barriers", barriers, "--skip-invalid")
    done = forked_command.run([COMMAND, "search", *given, runner.path("o.csv")])
    assert "warning: --barriers: 1 lines or polygons skipped, 1 used" in done.stderr
    bow = layer(runner, "x.gpkg", 4326, "POLYGON((20 0,29 9,29 0,20 9,20 0))")
    done = forked_command.run([COMMAND, "search", *given, "--barriers", bow, runner.path("x.csv")])
    assert "warning: --barriers: invalid polygons" in done.stderr


def test_refused(runner):
    barriers = layer(runner, "b.gpkg", 32632, WALL)
    reference, out = runner.text("r.csv", "x,y\n5.5,5.5\n"), runner.path("o.csv")
    array = runner.save("a.npy", np.zeros((3, 2)))
    given = ("--reference", reference, "--barriers", barriers)
    assert "--barriers: missing --queries" in runner.run(*given, out, status=2)
    given = (*given, "--queries", reference)
    for option in (("-k", "2"), ("--radius", "3"), ("--backend", "serial"), ("--lines",)):
        line = runner.run(*given, *option, runner.path("o.gpkg"), status=2)
        assert f"{option[0]} is unsupported with barriers" in line
    assert "unsupported array" in runner.run(*given, out, status=1)
    system = ("--reference-crs", "EPSG:32632")
    plain = layer(runner, "p.gpkg", None, WALL)
    aligned = (*given, *system, "--query-crs", "EPSG:32632")
    line = runner.run(*aligned, "--barriers", plain, out, status=1)
    assert "no coordinate system" in line
    line = runner.run(*given, *system, "--queries", array, out, status=1)
    assert "unsupported array" in line
    shapes = ("--reference", barriers, "--queries", reference, "--query-crs", "EPSG:32632")
    line = runner.run(*shapes, "--barriers", barriers, out, status=1)
    assert "unsupported references (lines or polygons)" in line
    line = runner.run(*aligned, "--metric", "l1", out, status=1)
    assert "unsupported metric (manhattan)" in line
