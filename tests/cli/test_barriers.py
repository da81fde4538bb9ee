"""Shortest ways round barriers (--barriers) against a visibility graph made by shapely, and known lengths."""

import csv

import numpy as np
import pytest
from osgeo import gdal, ogr, osr
from scipy.sparse.csgraph import dijkstra

pyproj = pytest.importorskip("pyproj")
shapely = pytest.importorskip("shapely")
from shapely import affinity  # noqa: E402
from shapely.geometry import LineString, Point, Polygon, box  # noqa: E402
from shapely.ops import unary_union  # noqa: E402
from shapely.prepared import prep  # noqa: E402

from conftest import crs, sanitized  # noqa: E402

GRID = ("--extent", "0,0,40,40", "--res", "1")


def layer(work, name, *wkt, epsg=None):
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path(name)))
    of = made.CreateLayer("barriers", crs(epsg) if epsg else None)
    for text in wkt:
        feature = ogr.Feature(of.GetLayerDefn())
        if text:
            feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        of.CreateFeature(feature)
    made = of = None


def lengths(polygons, seeds, cells):
    """Least lengths by a graph of all vertices: legs do not enter an inside. NaN: inside, or not reached."""
    inside = unary_union(polygons)
    prepared = prep(inside)
    nodes = [tuple(s) for s in seeds if not prepared.contains(Point(s))]
    count = len(nodes)
    nodes += sorted({xy for p in polygons for xy in p.exterior.coords})

    def leg(a, b):
        """The length of a leg; infinite if it is not free."""
        if a == b:
            return 0.0
        line = LineString([a, b])
        return (
            np.inf if prepared.intersects(line) and line.relate(inside)[0] != "F" else line.length
        )

    graph = np.array([[leg(a, b) for b in nodes] for a in nodes])
    to_nodes = dijkstra(np.where(np.isinf(graph), 0, graph), indices=range(count)).min(axis=0)
    least = np.array(
        [min(d + leg(node, tuple(cell)) for d, node in zip(to_nodes, nodes)) for cell in cells]
    )
    least[np.array([prepared.contains(Point(cell)) for cell in cells]) | np.isinf(least)] = np.nan
    return least


def star(generator, x, y):
    angles = (
        np.sort(generator.uniform(0, 2 * np.pi, 7))
        if generator.random() < 0.5
        else np.arange(7) * 0.9
    )
    radius = generator.uniform(1.2, 4.5, 7)
    return Polygon(np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)]))


def rectangles(generator, x, y):
    """With vertices and edges on centers of cells, and corners on one line."""
    a, b, c, d = generator.integers(1, 4, 4)
    return Polygon(
        [
            (x - a + 0.5, y - 3.5),
            (x + 3.5, y - 3.5),
            (x + 3.5, y + b + 0.5),
            (x + 2.5, y + b + 0.5),
            (x + 2.5, y - 2.5),
            (x - a + 0.5, y - 2.5 + (d - 1)),
        ]
    )


@pytest.mark.parametrize("shape", [star, rectangles])
def test_visibility_graph(work, shape):
    generator = np.random.default_rng(5)
    polygons = [
        p
        for y in (6, 16, 26, 35)
        for x in (5, 15, 25, 35)
        if (p := shape(generator, x, y)).is_valid
    ]
    assert len(polygons) > 9
    seeds = np.floor(generator.uniform(0, 40, (4, 2))) + 0.5
    layer(work, "b.gpkg", *(p.wkt for p in polygons))
    work.csv("s.csv", *seeds.T, header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        "--barriers",
        "b.gpkg",
        *GRID,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    y, x = np.mgrid[39.5:-0.5:-1, 0.5:40]
    found, ids = work.read("d.tif"), work.read("out.tif")
    some = generator.choice(1600, 150, replace=False)
    expected = lengths(polygons, seeds, np.column_stack([x.ravel(), y.ravel()])[some])
    np.testing.assert_allclose(found.ravel()[some], expected, rtol=1e-9)
    assert np.isnan(found).sum() > 20 and ((ids == -1) == np.isnan(found)).all()
    work.ok(
        "--seeds",
        "s.csv",
        "--barriers",
        "b.gpkg",
        *GRID,
        "--distance",
        "one.tif",
        "--distance-type",
        "Float64",
        "--threads",
        "1",
        "one_out.tif",
    )
    assert (
        work.read("one.tif").tobytes() == found.tobytes()
        and work.read("one_out.tif").tobytes() == ids.tobytes()
    )


def test_outputs(work):
    """A wall and a polygon with a hole: ids, lengths, azimuths, tables, sums, limits and masks."""
    layer(
        work,
        "b.gpkg",
        "LINESTRING(10 -1,10 30)",
        "POLYGON((20 5,36 5,36 15,20 15,20 5),(22 7,34 7,34 13,22 13,22 7))",
        epsg=32632,
    )
    work.write("s.csv", "x,y\n5.5,10.5\n21,6\n30.5,25.5\n")
    options = ("--seeds", "s.csv", "--seeds-crs", "EPSG:32632", "--barriers", "b.gpkg", *GRID)
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("people.tif")), 40, 40, 1, gdal.GDT_Float32
    )
    made.SetGeoTransform((0, 1, 0, 40, 0, -1))
    made.SetProjection(crs(32632).ExportToWkt())
    made.GetRasterBand(1).WriteArray(np.full((40, 40), 2.0))
    made = None
    done = work.ok(
        *options,
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "--stats",
        "t.csv",
        "--sum",
        "people=people.tif",
        "--polygons",
        "p.gpkg",
        "out.tif",
    )
    assert "1 of 3 seeds are inside polygons of b.gpkg" in done.stderr
    assert "seeds: 2 used, 1 left out, 0 without a cell" in done.summary
    assert "seeds without a cell" not in done.stderr
    ids, distance, azimuth = work.read("out.tif"), work.read("d.tif"), work.read("a.tif")
    assert (ids[25:35, 20:36] == -1).all() and (
        ids == -1
    ).sum() == 160  # with the hole, which has no seed
    assert np.isnan(distance[ids == -1]).all() and np.isnan(azimuth[ids == -1]).all()
    assert ids[29, 9] == 1 and ids[29, 12] == 3
    assert ids[0, 0] == 1 and azimuth[29, 12] == pytest.approx(
        np.degrees(np.arctan2(18, 15)), abs=1e-4
    )
    assert distance[29, 10] == pytest.approx(
        np.hypot(4.5, 11.5) + np.hypot(0.5, 11.5), rel=1e-6
    )  # round the lower end
    with open(work.path("t.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    for row in rows:
        assert int(row["cells"]) == (ids == int(row["id"])).sum() and float(
            row["people_sum"] or 0
        ) == 2 * int(row["cells"])
    work.ok(*options, "--max-distance", "8", "near.tif")
    assert np.array_equal(work.read("near.tif"), np.where(distance <= 8, ids, -1))
    layer(work, "m.gpkg", "POLYGON((0 0,7 0,7 40,0 40,0 0))", epsg=32632)
    work.ok(*options, "--mask", "m.gpkg", "masked.tif")
    assert (
        np.array_equal(work.read("masked.tif")[:, :7], ids[:, :7])
        and (work.read("masked.tif")[:, 7:] == -1).all()
    )
    assert work.open("out.tif").GetMetadataItem("GPUVORONOI_BARRIERS") == "b.gpkg"


def ways(work, name):
    """Vertices of the lines, and rows, without their geometries."""
    source = ogr.Open(str(work.path(name)))
    found = []
    for feature in source.GetLayer():
        line = feature.GetGeometryRef()
        parts = [line.GetGeometryRef(i) for i in range(line.GetGeometryCount())] if line else []
        points = [part.GetPoints() for part in parts or ([line] if line else [])]
        found.append((points, feature.GetField("seed"), feature.GetField("length")))
    return found


def test_ways(work):
    """Round the end of a wall; to a seed at the point; none from within a polygon; over 180 degrees; without barriers."""
    block = "POLYGON((20 5,30 5,30 15,20 15,20 5))"
    layer(work, "b.gpkg", "LINESTRING(10 0,10 30)", block, epsg=32632)
    work.write("s.csv", "x,y\n5,5\n39,39\n")
    work.write("p.csv", "x,y,name\n11,26,a\n39,39,b\n25,10,c\n")
    crs_of = ("--seeds-crs", "EPSG:32632", "--from-crs", "EPSG:32632")
    options = ("--seeds", "s.csv", "--from", "p.csv", *crs_of, *GRID)
    work.ok(*options, "--barriers", "b.gpkg", "--ways", "w.gpkg")
    (line, seed, length), own, none = ways(work, "w.gpkg")
    assert line == [[(11, 26), (10, 30), (5, 5)]] and seed == 1
    assert length == pytest.approx(np.hypot(1, 4) + np.hypot(5, 25))
    assert own == ([], 2, 0.0) and none == ([], None, None)
    layer(work, "none.gpkg")
    work.ok(*options, "--barriers", "none.gpkg", "--ways", "n.gpkg")
    assert ways(work, "n.gpkg")[0] == ([[(11, 26), (5, 5)]], 1, pytest.approx(np.hypot(6, 21)))
    layer(work, "seam.gpkg", "LINESTRING(180 -20,180 20)", epsg=4326)
    work.csv("lonlat.csv", [170.0], [1.0])
    work.csv("from.csv", [-170.0], [5.0])
    globe = ("--seeds", "lonlat.csv", "--from", "from.csv", "--extent=150,-40,210,40", "--res", "4")
    work.ok(*globe, "--barriers", "seam.gpkg", "--metric", "geodesic", "--ways", "g.gpkg")
    ((parts, seed, length),) = ways(work, "g.gpkg")
    expected = geodesics(-170, 5, (180, 20)) + geodesics(180, 20, (170, 1))
    assert seed == 1 and length == pytest.approx(expected, rel=1e-12)
    assert any(np.allclose(np.abs(p), (180, 20)) for part in parts for p in part)
    work.fails(*options, "--ways", "no.gpkg", status=2, has="--ways: missing --cost or --barriers")


def test_below_travel_cost(work):
    """No way is longer than the cheapest one by 32 moves over cells that no polygon enters, and most are not much shorter."""
    generator = np.random.default_rng(3)
    polygons = [star(generator, x, y) for y in (8, 20, 32) for x in (8, 20, 32)]
    layer(work, "b.gpkg", *(p.wkt for p in polygons if p.is_valid))
    inside = prep(unary_union([p for p in polygons if p.is_valid]))
    cells = [[box(x, y, x + 1, y + 1) for x in range(40)] for y in range(39, -1, -1)]
    friction = np.array(
        [[-1.0 if inside.intersects(cell) else 1.0 for cell in row] for row in cells]
    )
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("f.tif")), 40, 40, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform((0, 1, 0, 40, 0, -1))
    made.GetRasterBand(1).WriteArray(friction)
    made = None
    work.csv("s.csv", [2.5, 38.5], [14.5, 26.5], header="x,y")
    options = ("--seeds", "s.csv", "--distance-type", "Float64")
    work.ok(*options, "--barriers", "b.gpkg", *GRID, "--distance", "way.tif", "way_out.tif")
    work.ok(
        *options, "--cost", "f.tif", "--cost-moves", "32", "--distance", "cost.tif", "cost_out.tif"
    )
    way, cost = work.read("way.tif"), work.read("cost.tif")
    both = ~np.isnan(cost)
    assert both.sum() > 1000 and (way[both] <= cost[both] * (1 + 1e-12)).all()
    assert np.median(cost[both] / np.maximum(way[both], 1)) < 1.02


def test_no_barriers(work):
    layer(work, "none.gpkg", None, "POLYGON EMPTY")
    work.csv("s.csv", [3.5, 30.2], [4.5, 20.1], header="x,y")
    work.ok("--seeds", "s.csv", *GRID, "--distance", "d.tif", "out.tif")
    work.ok(
        "--seeds", "s.csv", "--barriers", "none.gpkg", *GRID, "--distance", "d2.tif", "out2.tif"
    )
    for a, b in (("out.tif", "out2.tif"), ("d.tif", "d2.tif")):
        assert work.path(a).read_bytes() == work.path(b).read_bytes()
    layer(work, "empty.gpkg")
    work.ok("--seeds", "s.csv", "--barriers", "empty.gpkg", *GRID, "out4.tif")
    assert work.path("out4.tif").read_bytes() == work.path("out.tif").read_bytes()
    # Barriers that are in no leg's way change no value.
    layer(work, "far.gpkg", "LINESTRING(100 100,101 101)")
    work.ok("--seeds", "s.csv", "--barriers", "far.gpkg", *GRID, "--distance", "d3.tif", "out3.tif")
    assert np.array_equal(work.read("out.tif"), work.read("out3.tif")) and np.array_equal(
        work.read("d.tif"), work.read("d3.tif")
    )


def arcs(lon, lat, to):
    a, b, c, d = (np.radians(v) for v in (lon, lat, *to))
    root = np.sin((d - b) / 2) ** 2 + np.cos(b) * np.cos(d) * np.sin((c - a) / 2) ** 2
    return 2 * (2 * 6378137.0 + 6356752.314245179) / 3 * np.arcsin(np.sqrt(np.minimum(root, 1)))


def geodesics(lon, lat, to):
    shape = np.broadcast(lon, lat, *to).shape
    given = [np.broadcast_to(v, shape).ravel() for v in (lon, lat, *to)]
    return np.reshape(pyproj.Geod(ellps="WGS84").inv(*given)[2], shape)


@pytest.mark.parametrize("metric, length", [("great-circle", arcs), ("geodesic", geodesics)])
def test_globe(work, metric, length):
    """A wall along the antimeridian, written on both sides of it; its coordinate system is another one."""
    layer(work, "wall.gpkg", "LINESTRING(180 -20,180 20)", epsg=4326)
    layer(work, "far.gpkg", "LINESTRING(0 80,0 80.5)", epsg=4326)
    work.csv("s.csv", [170.0], [1.0])
    options = (
        "--seeds",
        "s.csv",
        "--metric",
        metric,
        "--extent=150,-40,210,40",
        "--res",
        "4",
        "--distance-type",
        "Float64",
    )
    work.ok(
        *options, "--barriers", "wall.gpkg", "--distance", "d.tif", "--azimuth", "a.tif", "out.tif"
    )
    lon, lat = np.meshgrid(np.arange(152, 210, 4.0), np.arange(38, -40, -4.0))
    crosses = lon > 180
    through = length(170, 1, (lon, lat))
    with np.errstate(
        divide="ignore"
    ):  # the latitude at which the direct arc crosses the antimeridian; geodesics are within 0.2 degrees
        at = np.degrees(
            np.arctan(
                (
                    np.tan(np.radians(1)) * np.sin(np.radians(lon - 180))
                    + np.tan(np.radians(lat)) * np.sin(np.radians(10))
                )
                / np.sin(np.radians(lon - 170))
            )
        )
    blocked = crosses & (np.abs(at) < 20)
    ways = np.minimum(
        *(length(170, 1, (180, end)) + length(180, end, (lon, lat)) for end in (20, -20))
    )
    expected = np.where(blocked, ways, through)
    assert 20 < blocked.sum() < blocked.size / 2
    assert (np.abs(np.abs(at[crosses]) - 20) > 0.2).all()
    assert np.allclose(work.read("d.tif"), expected, rtol=1e-12, atol=1e-6)
    azimuth = work.read("a.tif")
    assert (
        270 < azimuth[9, 10] < 360 or 180 < azimuth[9, 10] < 270
    )  # to an end of the wall, to the west
    # The same in another system, and barriers in no leg's way.
    work.ok(
        *options,
        "--barriers",
        "far.gpkg",
        "--distance",
        "far.tif",
        "--azimuth",
        "fa.tif",
        "out2.tif",
    )
    work.ok(*options, "--distance", "plain.tif", "--azimuth", "pa.tif", "out3.tif")
    assert np.array_equal(work.read("far.tif"), work.read("plain.tif")) and np.array_equal(
        work.read("fa.tif"), work.read("pa.tif")
    )
    layer(
        work,
        "map.gpkg",
        "LINESTRING(20037508.342789244 -2273030.926987689,20037508.342789244 2273030.926987689)",
        epsg=3857,
    )
    work.ok(*options, "--barriers", "map.gpkg", "--distance", "m.tif", "out4.tif")
    assert np.allclose(work.read("m.tif"), expected, atol=0.01)


def test_globe_by_edges(work):
    """A polygon round a pole, as maps write it, and a wall between two points, straight in degrees or a great circle."""
    layer(work, "cap.gpkg", "POLYGON((-180 -90,180 -90,180 -60,-180 -60,-180 -90))", epsg=4326)
    work.csv("s.csv", [0.0], [-50.0])
    options = (
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--extent=-180,-90,180,90",
        "--res",
        "20",
        "--distance-type",
        "Float64",
    )
    work.ok(*options, "--barriers", "cap.gpkg", "--distance", "d.tif", "out.tif")
    found = work.read("d.tif")
    assert np.isnan(found[-2:]).sum() == 18 and np.isnan(found).sum() == 18
    direct = arcs(0, -50, np.meshgrid(np.arange(-170, 180, 20.0), np.arange(80, -90, -20.0)))
    assert (
        (found[:7] >= direct[:7] - 1e-6).all()
        and found[6, 0] > direct[6, 0] + 1e6
        and np.allclose(found[0], direct[0])
    )
    layer(work, "wall.gpkg", "LINESTRING(-60 60,60 60)", epsg=4326)
    work.csv("s.csv", [0.0], [70.0])
    for edges, blocked in (
        ("straight", True),
        ("geodesic", False),
    ):  # the great circle passes at 73.9 degrees
        work.ok(
            *options,
            "--barriers",
            "wall.gpkg",
            "--edges",
            edges,
            "--distance",
            f"{edges}.tif",
            f"{edges}_out.tif",
        )
        wall = work.read(f"{edges}.tif")[2, 9] > arcs(0, 70, (10, 40)) + 1
        assert wall == blocked


def test_other_system(work):
    """Barriers are carried over to the grid's system."""
    wall = LineString([(500020, 5300000), (500020, 5300039)])
    to_degrees = osr.CoordinateTransformation(crs(32632), crs(4326))
    placed = [to_degrees.TransformPoint(*p)[:2] for p in wall.coords]
    layer(work, "degrees.gpkg", LineString(placed).wkt, epsg=4326)
    layer(work, "meters.gpkg", wall.wkt, epsg=32632)
    work.write("s.csv", "x,y\n500010,5300010\n")
    grid = (
        "--extent",
        "500000,5300000,500040,5300040",
        "--res",
        "2",
        "--seeds-crs",
        "EPSG:32632",
        "--seeds",
        "s.csv",
        "--distance-type",
        "Float64",
    )
    work.ok(*grid, "--barriers", "degrees.gpkg", "--distance", "d.tif", "out.tif")
    work.ok(*grid, "--barriers", "meters.gpkg", "--distance", "m.tif", "out2.tif")
    np.testing.assert_allclose(work.read("d.tif"), work.read("m.tif"), atol=2e-3)
    assert work.read("m.tif")[10, 19] > 40


def test_many_vertices(work):
    """A lake with 10^5 vertices, and an island with a seed that reaches no other cell."""
    angles = np.linspace(0, 2 * np.pi, 100001)[:-1]
    ring = np.column_stack([20 + 15 * np.cos(angles), 20 + 15 * np.sin(angles)])
    lake = Polygon(ring, [affinity.scale(Polygon(ring), 0.3, 0.3).exterior.coords])
    layer(work, "lake.gpkg", lake.wkt)
    work.csv("s.csv", [1.5, 20.5], [20.5, 20.5], header="x,y")
    work.ok("--seeds", "s.csv", "--barriers", "lake.gpkg", *GRID, "--distance", "d.tif", "out.tif")
    ids, distance = work.read("out.tif"), work.read("d.tif")
    assert (ids[18:22, 18:22] == 2).all() and (ids == 2).sum() == pytest.approx(
        np.pi * 4.5**2, abs=6
    )
    # Along two tangents and the arc between them, over the upper half: the cell's center is half a cell above the middle.
    tangent, far = np.hypot(18.5, 0.5), np.hypot(18.5, 0.5)
    between = np.pi - 2 * np.arctan2(0.5, 18.5)
    arc = between - np.arccos(15 / tangent) - np.arccos(15 / far)
    assert distance[19, 38] == pytest.approx(
        np.sqrt(tangent**2 - 225) + 15 * arc + np.sqrt(far**2 - 225), rel=1e-6
    )


def test_even_odd_and_enclosed(work):
    """A polygon that intersects itself is repaired by the even-odd rule; a fence round all seeds ends their cells."""
    layer(
        work,
        "bow.gpkg",
        "POLYGON((10 10,30 30,30 10,10 30,10 10))",
        "LINESTRING(2 2,38 2,38 38,2 38,2 2)",
    )
    work.csv("s.csv", [20.5], [35.5], header="x,y")
    work.ok("--seeds", "s.csv", "--barriers", "bow.gpkg", *GRID, "--distance", "d.tif", "out.tif")
    ids, distance = work.read("out.tif"), work.read("d.tif")
    assert (
        (ids[:2] == -1).all()
        and (ids[:, 38:] == -1).all()
        and ids[20, 12] == -1
        and ids[20, 27] == -1
    )
    assert ids[27, 20] == 1 and distance[27, 20] > 30 and distance[5, 20] == 1


@pytest.mark.parametrize(
    "options, has",
    [
        (("-k", "2"), "-k is unsupported with barriers"),
        (("--cost", "f.tif"), "--cost is unsupported with barriers"),
        (("--level", "3"), "--level is unsupported with barriers"),
        (("--metric", "manhattan"), "unsupported metric (manhattan)"),
        (("--backend", "serial"), "--backend is unsupported with barriers"),
        (("--barriers", "points.gpkg"), "unsupported geometry (points)"),
        (("--barriers", "missing.gpkg"), "missing.gpkg"),
        (("--seeds", "b.gpkg"), "unsupported seeds"),
    ],
)
def test_refused(work, options, has):
    layer(work, "b.gpkg", "LINESTRING(10 0,10 30)")
    layer(work, "points.gpkg", "POINT(10 0)")
    work.csv("s.csv", [3.5], [4.5], header="x,y")
    given = {"--seeds": "s.csv", "--barriers": "b.gpkg", **dict([options])}
    status = 2 if options[0] in ("-k", "--cost", "--level", "--backend") else 1
    done = work.run(*(one for pair in given.items() for one in pair), *GRID, "out.tif")
    assert done.returncode == status and has in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )
    assert not work.path("out.tif").exists()


def test_skipped_inputs_are_reported(work):
    """--skip-invalid is not silent for what is not a seed."""
    layer(work, "b.gpkg", "LINESTRING (3 0, 3 95)", "LINESTRING (4 0, 4 9)", epsg=4326)
    work.csv("s.csv", [1, 7], [2, 5])
    work.write("p.csv", "lon,lat\n1,2\nx,3\n")
    work.raster("f.tif", (0, 1, 0, 10, 0, -1), (10, 10), 4326)
    globe = ("--seeds", "s.csv", "--skip-invalid")
    for option, items, arguments in (
        ("--barriers", "lines or polygons", ["--size", "9,9", "--barriers", "b.gpkg", "o.tif"]),
        ("--from", "points", ["--cost", "f.tif", "--ways", "w.csv", "--from", "p.csv", "c.tif"]),
        ("--cells-of", "points", ["--cells-of", "p.csv", "--cells", "p2.csv"]),
    ):
        done = work.ok(*globe, "--metric", "great-circle", *arguments)
        assert (
            f"warning: {option}: 1 {items} skipped, 1 used; the first skipped: row " in done.stderr
        )


def test_all_seeds_inside(work):
    layer(work, "b.gpkg", box(0, 0, 10, 10).wkt)
    work.csv("s.csv", [3.5], [4.5], header="x,y")
    work.fails(
        "--seeds",
        "s.csv",
        "--barriers",
        "b.gpkg",
        *GRID,
        "out.tif",
        has="all seeds are inside polygons of b.gpkg",
    )


def matrix(work, places, barriers, metric):
    """The length from each place, as the only seed, to all of them."""
    epsg = None if metric == "euclidean" else 4326
    points = [f"POINT({x!r} {y!r})" for x, y in np.asarray(places, float).tolist()]
    layer(work, "to.gpkg", *points, epsg=epsg)
    rows = []
    for point in points:
        layer(work, "from.gpkg", point, epsg=epsg)
        given = ("--reference", "from.gpkg", "--queries", "to.gpkg", "--barriers", barriers)
        work.ok("search", *given, "--metric", metric, "--overwrite", "out.csv")
        with open(work.path("out.csv"), newline="") as file:
            rows.append([float(row["distance"] or "nan") for row in csv.DictReader(file)])
    return np.array(rows)


@pytest.mark.parametrize("metric, tolerance", [("euclidean", 1e-14), ("geodesic", 1e-13)])
def test_exchanged(work, metric, tolerance):
    """A way and the way back have the same length."""
    generator = np.random.default_rng(8)
    stars = [star(generator, x, y) for y in (6, 16, 26) for x in (6, 16, 26, 36)]
    layer(work, "b.gpkg", *(p.wkt for p in stars), epsg=None if metric == "euclidean" else 4326)
    inside = prep(unary_union([p for p in stars if p.is_valid]).buffer(0.5))
    places = [p for p in generator.uniform(0, 40, (16, 2)) if not inside.contains(Point(p))]
    assert len(places) > 6
    found = matrix(work, places, "b.gpkg", metric)
    direct = np.hypot(*(np.array(places)[:, None] - np.array(places)).T)
    assert np.isfinite(found).all() and np.allclose(found, found.T, rtol=tolerance, atol=0)
    assert metric != "euclidean" or (found > direct.T * 1.0001).sum() > 10


@pytest.mark.parametrize("metric, length", [("great-circle", arcs), ("geodesic", geodesics)])
def test_antipodes(work, metric, length):
    """Of the legs between antipodes one counts. Where it is closed the way is longer, and the same from both ends."""
    cap = "POLYGON((-180 {0},180 {0},180 {1},-180 {1},-180 {0}))"
    layer(work, "north.gpkg", cap.format(60, 90), epsg=4326)
    layer(work, "both.gpkg", cap.format(60, 90), cap.format(-90, -60), epsg=4326)
    places = [(0.0, 0.0), (180.0, 0.0), (179.7, 0.2), (-90.0, 10.0), (90.0, -10.0)]
    lon, lat = np.transpose(places)
    direct = length(lon[:, None], lat[:, None], (lon[None], lat[None]))
    north = matrix(work, places, "north.gpkg", metric)
    assert north[0, 1] == pytest.approx(direct[0, 1], rel=1e-3)
    both = matrix(work, places, "both.gpkg", metric)
    for found in (north, both):
        assert np.allclose(found, found.T, rtol=1e-12, atol=1e-6)
        assert (found >= direct * (1 - 1e-12)).all() and found.max() < 1.2 * direct.max()
    assert (both >= north * (1 - 1e-12)).all()
    if metric == "geodesic":  # on an ellipsoid both of the shortest ways pass a pole
        assert both[0, 1] > direct[0, 1] * 1.0004


def test_no_slit(work):
    """Polygons that share an edge are one wall, also where one has vertices that the other lacks, or coordinates of other digits."""
    third = 40 / 3
    layer(
        work,
        "b.gpkg",
        f"POLYGON((5 18,{third!r} 18,{third!r} 22,5 22,5 18))",
        f"POLYGON(({third!r} 22,{third * (1 + 1e-13)!r} 20,{third!r} 19,{third!r} 18,25 18,25 22,{third!r} 22))",
        "POLYGON((25 22,35 22,35 18,25 18,25 19.1,25 20.7,25 22))",
    )
    layer(work, "one.gpkg", "POLYGON((5 18,35 18,35 22,5 22,5 18))")
    work.csv("s.csv", [20.5, 13.25], [10.5, 17.5], header="x,y")
    options = ("--seeds", "s.csv", *GRID, "--distance-type", "Float64")
    work.ok(*options, "--barriers", "b.gpkg", "--distance", "d.tif", "out.tif")
    work.ok(*options, "--barriers", "one.gpkg", "--distance", "e.tif", "out2.tif")
    found, expected = work.read("d.tif"), work.read("e.tif")
    assert np.isnan(found).sum() == 120 and found[0, 20] > 30
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_enclosed_on_the_globe(work):
    """A fence round a pole and across 180 degrees, with all seeds inside."""
    layer(work, "fence.gpkg", "LINESTRING(-180 50,-60 50,60 50,180 50)", epsg=4326)
    work.csv("s.csv", [178.0, -20.0], [70.0, 60.0])
    for metric in "great-circle", "geodesic":
        options = ("--metric", metric, "--extent=-180,-90,180,90", "--res", "10", "--overwrite")
        work.ok("--seeds", "s.csv", "--barriers", "fence.gpkg", *options, "out.tif")
        ids = work.read("out.tif")
        assert (ids[:4] > 0).all() and (ids[4:] == -1).all() and set(ids[:4].flat) == {1, 2}


@pytest.mark.skipif(sanitized(), reason="a sanitizer makes it too slow")
def test_many_long_lines(work):
    """8,000 lines of 1,000 km that cross each other: it ends, and no way is shorter than the geodesic."""
    generator = np.random.default_rng(4)
    lon, lat = generator.uniform(-170, 170, 8000), generator.uniform(-60, 60, 8000)
    angle = generator.uniform(0, 2 * np.pi, 8000)
    across, up = 4.5 * np.cos(angle) / np.cos(np.radians(lat)), 4.5 * np.sin(angle)
    ends = zip(lon - across, lat - up, lon + across, lat + up)
    layer(work, "b.gpkg", *(f"LINESTRING({a} {b},{c} {d})" for a, b, c, d in ends), epsg=4326)
    seeds = np.array([[0.0, 85.0], [90.0, -85.0]])
    work.csv("s.csv", *seeds.T)
    options = ("--metric", "geodesic", "--extent=-180,-90,180,90", "--res", "10")
    work.ok("--seeds", "s.csv", "--barriers", "b.gpkg", *options, "--distance", "d.tif", "out.tif")
    x, y = np.meshgrid(np.arange(-175, 180, 10.0), np.arange(85, -90, -10.0))
    direct = np.min([geodesics(x, y, tuple(seed)) for seed in seeds], axis=0)
    found = work.read("d.tif")
    reached = np.isfinite(found)
    assert reached[[0, 1, -2, -1]].all() and 100 < reached.sum() < reached.size
    assert (found[reached] >= direct[reached] * (1 - 1e-6)).all()
