"""Travel costs (--cost) against scipy's Dijkstra on the same graph, and PROJ's geodesics."""

import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from osgeo import gdal, ogr
from pyproj import Geod
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from conftest import COMMAND, crs, peak, sanitized

PIECES = 24  # all crossings of a move with the grid's lines are at multiples of 1/24 of it
WGS84 = Geod(ellps="WGS84")


def directions(moves):
    """The offsets of all moves."""
    kinds = [(1, 0), (1, 1)] + [(2, 1)] * (moves >= 16) + [(3, 1), (3, 2)] * (moves >= 32)
    return {
        (s * a, t * b)
        for p, q in kinds
        for a, b in ((p, q), (q, p))
        for s in (1, -1)
        for t in (1, -1)
    }


def course(columns, rows):
    """Cells of a move with their shares, and for each corner that it passes the two other cells."""
    shares = {}
    for i in range(PIECES):
        t = (i + 0.5) / PIECES
        cell = int(np.floor(0.5 + columns * t)), int(np.floor(0.5 + rows * t))
        shares[cell] = shares.get(cell, 0.0) + 1.0 / PIECES
    corners = []
    for i in range(1, PIECES):
        x, y = 0.5 + columns * i / PIECES, 0.5 + rows * i / PIECES
        if abs(x - round(x)) < 1e-9 and abs(y - round(y)) < 1e-9:
            around = [(round(x) - a, round(y) - b) for a in (0, 1) for b in (0, 1)]
            corners.append([cell for cell in around if cell not in shares])
    return shares, corners


def graph(friction, transform, moves, globe):
    """Rows, columns and costs of all moves."""
    height, width = friction.shape
    row, column = np.mgrid[:height, :width]

    def at(columns, rows):
        r, c = row + rows, column + columns
        c = c % width if globe else c
        inside = (r >= 0) & (r < height) & (c >= 0) & (c < width)
        found = np.full(friction.shape, np.nan)
        found[inside] = friction[r[inside], c[inside]]
        return found

    for columns, rows in directions(moves):
        shares, corners = course(columns, rows)
        mean = sum(share * at(*cell) for cell, share in shares.items())
        for cells in corners:
            mean[np.all([np.isnan(at(*cell)) for cell in cells], axis=0)] = np.nan
        if globe:
            lat = transform[3] + (np.arange(height) + 0.5) * transform[5]
            to = np.clip(lat + rows * transform[5], -90, 90)
            zero = np.zeros(height)
            cost = mean * WGS84.inv(zero, lat, zero + columns * transform[1], to)[2][:, None]
        else:
            cost = mean * np.hypot(columns * transform[1], rows * transform[5])
        exists = ~np.isnan(cost)
        to = (row + rows) * width + ((column + columns) % width if globe else column + columns)
        yield (row * width + column)[exists], to[exists], cost[exists]


def starts(friction, transform, x, y, globe):
    """The same from a seed to the nine cells around it: cells, costs."""
    height, width = friction.shape
    u, v = (x - transform[0]) / transform[1], (y - transform[3]) / transform[5]
    for i in range(9):
        column, row = int(u) + i % 3 - 1, int(v) + i // 3 - 1
        cx, cy = column + 0.5, row + 0.5
        cuts = {0.0, 1.0}
        for a, b in ((u, cx), (v, cy)):
            cuts |= {
                (k - a) / (b - a)
                for k in range(int(min(a, b)), int(max(a, b)) + 2)
                if a != b and min(a, b) < k < max(a, b)
            }
        mean = 0.0
        for a, b in zip(sorted(cuts), sorted(cuts)[1:]):
            t = 0.5 * (a + b)
            c, r = int(np.floor(u + t * (cx - u))), int(np.floor(v + t * (cy - v)))
            c = c % width if globe else c
            mean += (b - a) * (friction[r, c] if 0 <= r < height and 0 <= c < width else np.nan)
        center = transform[0] + cx * transform[1], transform[3] + cy * transform[5]
        length = WGS84.inv(x, y, *center)[2] if globe else np.hypot(x - center[0], y - center[1])
        column = column % width if globe else column
        if 0 <= column < width and 0 <= row < height and not np.isnan(mean):
            yield row * width + column, mean * length


def oracle(friction, transform, moves, seeds, globe):
    """Costs from each seed: seed, row, column. Seeds in barriers reach nothing."""
    height, width = friction.shape
    cells = height * width
    parts = list(graph(friction, transform, moves, globe))
    for i, (x, y) in enumerate(seeds):
        u, v = int((x - transform[0]) / transform[1]), int((y - transform[3]) / transform[5])
        if np.isnan(friction[v, u]):
            continue
        at, cost = zip(*starts(friction, transform, x, y, globe))
        parts.append((np.full(len(at), cells + i), np.array(at), np.array(cost)))
    start, end, cost = (np.concatenate(column) for column in zip(*parts))
    matrix = coo_matrix(
        (np.maximum(cost, 1e-300), (start, end)), shape=(cells + len(seeds),) * 2
    ).tocsr()
    return dijkstra(matrix, indices=range(cells, cells + len(seeds)))[:, :cells].reshape(
        -1, height, width
    )


def friction_raster(work, name, values, transform, epsg=None, nodata=None, kind=gdal.GDT_Float64):
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path(name)), values.shape[1], values.shape[0], 1, kind
    )
    made.SetGeoTransform(transform)
    if epsg:
        made.SetSpatialRef(crs(epsg))
    band = made.GetRasterBand(1)
    if nodata is not None:
        band.SetNoDataValue(nodata)
    band.WriteArray(values)
    made = band = None
    return name


PLANE, GLOBE = (500000, 100, 0, 5300000, 0, -100), (-180, 5, 0, 90, 0, -5)


@pytest.mark.parametrize(
    "moves, globe", [(8, False), (16, False), (32, False), (16, True), (32, True)]
)
def test_scipy(work, moves, globe):
    random = np.random.default_rng(moves + globe)
    transform, shape = (GLOBE, (36, 72)) if globe else (PLANE, (60, 80))
    friction = random.lognormal(0, 1, shape)
    friction[random.random(shape) < 0.25] = np.nan
    friction[random.random(shape) < 0.05] = 0.0
    x = transform[0] + random.random(12) * shape[1] * transform[1]
    y = transform[3] + random.random(12) * shape[0] * transform[5]
    friction_raster(
        work,
        "f.tif",
        np.where(np.isnan(friction), -9999, friction),
        transform,
        4326 if globe else 32632,
        -9999,
    )
    work.csv("s.csv", x, y, header="lon,lat" if globe else "x,y")
    system = [] if globe else ["--seeds-crs", "EPSG:32632"]
    work.ok(
        "--seeds",
        "s.csv",
        *system,
        "--cost",
        "f.tif",
        "--cost-moves",
        moves,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    each = oracle(friction, transform, moves, list(zip(x, y)), globe)
    best, cost, ids = each.min(0), work.read("d.tif"), work.read("out.tif")
    reached = np.isfinite(best)
    assert 100 < reached.sum() < reached.size
    assert np.array_equal(reached, np.isfinite(cost)) and np.array_equal(reached, ids >= 0)
    assert np.allclose(cost[reached], best[reached], rtol=1e-12, atol=1e-9)
    own = np.take_along_axis(each, np.maximum(ids - 1, 0)[None], 0)[0]
    assert np.allclose(own[reached], best[reached], rtol=1e-12, atol=1e-9)


def open_country(work):
    """Friction without barriers, and two seeds in centers of cells: there other programs have the same definition."""
    friction = np.random.default_rng(4).lognormal(0, 1, (30, 40))
    friction_raster(work, "f.tif", friction, (0, 1, 0, 30, 0, -1))
    work.csv("s.csv", [5.5, 31.5], [20.5, 3.5], header="x,y")
    return friction


def costs_of(work, moves):
    work.ok(
        "--seeds",
        "s.csv",
        "--cost",
        "f.tif",
        "--cost-moves",
        moves,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--overwrite",
        "o.tif",
    )
    return work.read("d.tif")


GRASS = """r.in.gdal -o --q input=f.tif output=f; g.region raster=f
r.cost --q input=f output=c8 start_coordinates=5.5,20.5,31.5,3.5; r.cost -k --q input=f output=c16 start_coordinates=5.5,20.5,31.5,3.5
for i in c8 c16; do r.out.bin --q -f input=$i output=$i.bin bytes=8 order=little; done
"""


@pytest.mark.skipif(shutil.which("grass") is None, reason="GRASS is not installed")
def test_grass(work):
    """r.cost with 8 moves, and with the knight's moves of -k."""
    open_country(work)
    work.write("job.sh", GRASS)
    for arguments in (["-c", "XY", "-e", "place"], ["place/PERMANENT", "--exec", "bash", "job.sh"]):
        subprocess.run(["grass", *arguments], cwd=work.directory, capture_output=True, check=True)
    for moves in 8, 16:
        theirs = np.fromfile(work.path(f"c{moves}.bin"), "<f8").reshape(30, 40)
        assert np.allclose(costs_of(work, moves), theirs, rtol=1e-14, atol=0)


def test_skimage(work):
    """MCP_Geometric has the 8 moves."""
    graph = pytest.importorskip("skimage.graph")
    theirs = graph.MCP_Geometric(open_country(work)).find_costs([(9, 5), (26, 31)])[0]
    assert np.allclose(costs_of(work, 8), theirs, rtol=1e-14, atol=0)


def uniform(work, name="f.tif", shape=(20, 30), **more):
    return friction_raster(work, name, np.ones(shape), PLANE, 32632, **more)


SEEDS = "x,y,name\n500550,5299450,a\n502450,5298050,b\n"


def test_outputs(work):
    """Statistics, sums, masks, attributes, polygons and limits are those of costs."""
    uniform(work)
    work.write("s.csv", SEEDS)
    options = ("--seeds", "s.csv", "--seeds-crs", "EPSG:32632", "--cost", "f.tif")
    friction_raster(work, "people.tif", np.full((20, 30), 2.0), PLANE, 32632)
    friction_raster(work, "mask.tif", np.tile([1.0, 0.0], (20, 15)), PLANE, 32632)
    work.ok(
        *options,
        "--distance",
        "d.tif",
        "--stats",
        "s.gpkg",
        "--sum",
        "people=people.tif",
        "--polygons",
        "p.gpkg",
        "out.tif",
    )
    ids, cost = work.read("out.tif"), work.read("d.tif").astype(float)
    table = gdal.OpenEx(str(work.path("s.gpkg")))
    rows = {f["id"]: f for f in table.GetLayer(0)}
    assert sorted(rows) == [1, 2]
    for i, row in rows.items():
        assert row["cells"] == (ids == i).sum() and row["people_sum"] == 2 * row["cells"]
        assert row["distance_max"] == pytest.approx(cost[ids == i].max(), rel=1e-6)
        assert row["distance_mean"] == pytest.approx(cost[ids == i].mean(), rel=1e-6)
    out = work.open("out.tif")
    assert (
        out.GetMetadataItem("GPUVORONOI_COST") == "f.tif"
        and out.GetMetadataItem("GPUVORONOI_COST_MOVES") == "16"
        and out.GetMetadataItem("GPUVORONOI_COST_UNIT").startswith("unit of the friction times m")
    )
    work.ok(*options, "--backend", "serial", "--distance", "serial_d.tif", "serial.tif")
    assert work.path("serial_d.tif").read_bytes() == work.path("d.tif").read_bytes()
    assert np.array_equal(work.read("serial.tif"), ids)
    work.ok(*options, "--max-distance", "800", "near.tif")
    assert np.array_equal(work.read("near.tif"), np.where(cost <= 800, ids, -1))
    work.ok(*options, "--mask", "mask.tif", "masked.tif")
    assert (
        np.array_equal(work.read("masked.tif")[:, ::2], ids[:, ::2])
        and (work.read("masked.tif")[:, 1::2] == -1).all()
    )
    work.ok(*options, "--id", "name", "--stats", "only.csv")
    assert work.path("only.csv").read_text().count("\n") == 3


def test_stored_values(work):
    """Scales, offsets, bands, masks and NaN of the raster of friction."""
    values = np.array([[4, 8, 255, 4], [4, 8, 4, 4]])
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("f.tif")), 4, 2, 2, gdal.GDT_Byte)
    made.SetGeoTransform((0, 1, 0, 2, 0, -1))
    band = made.GetRasterBand(2)
    band.SetScale(0.5)
    band.SetOffset(-1)
    band.SetNoDataValue(255)
    band.WriteArray(values)
    made = band = None
    work.csv("s.csv", [0.5], [1.5], header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        "--cost",
        "f.tif",
        "--cost-band",
        "2",
        "--cost-moves",
        "8",
        "--distance",
        "d.tif",
        "out.tif",
    )
    assert work.read("out.tif")[0].tolist() == [1, 1, -1, 1]
    assert work.read("d.tif")[0, 1] == 2.0  # half of 1 and of 3
    friction_raster(work, "nan.tif", np.array([[1.0, np.nan, 1.0]]), (0, 1, 0, 1, 0, -1))
    work.csv("t.csv", [0.5], [0.5], header="x,y")
    work.ok("--seeds", "t.csv", "--cost", "nan.tif", "nan_out.tif")
    assert work.read("nan_out.tif")[0].tolist() == [1, -1, -1]


def test_seeds_in_barriers_are_left_out(work):
    friction = np.ones((20, 30))
    friction[:10, :10] = -1
    friction_raster(work, "f.tif", friction, PLANE, 32632)
    work.write("s.csv", SEEDS)
    options = ("--seeds", "s.csv", "--seeds-crs", "EPSG:32632", "--cost")
    assert (
        "1 of 2 seeds are in barriers or outside of f.tif"
        in work.ok(*options, "f.tif", "out.tif").stderr
    )
    assert set(np.unique(work.read("out.tif"))) == {-1, 2}
    friction_raster(work, "closed.tif", friction * 0 - 1, PLANE, 32632)
    work.fails(*options, "closed.tif", "no.tif", has="all cells of closed.tif are barriers")
    away = (PLANE[0] + 9000, *PLANE[1:])
    friction_raster(work, "away.tif", friction, away, 32632)
    work.fails(*options, "away.tif", "no.tif", has="all seeds are outside of away.tif")
    friction[19, 24] = -1
    friction_raster(work, "few.tif", friction, PLANE, 32632)
    work.fails(*options, "few.tif", "no.tif", has="all seeds are in barriers or outside of few.tif")
    shapes(work, "far.gpkg", "LINESTRING (100 100,200 300)")
    far = ("--seeds", "far.gpkg", "--cost")
    work.fails(*far, "f.tif", "no.tif", has="all seeds are outside of f.tif")
    band = np.ones((4, 10))
    friction_raster(work, "globe.tif", band, (170, 2, 0, 4, 0, -2), 4326)
    work.csv("west.csv", [-175.0], [0.5])
    work.ok("--seeds", "west.csv", "--cost", "globe.tif", "west.tif")
    work.csv("east.csv", [10.0], [0.5])
    work.fails(
        "--seeds", "east.csv", "--cost", "globe.tif", "no.tif", has="all seeds are outside of globe"
    )


@pytest.mark.parametrize(
    "options, status, has",
    [
        (["-k", "2"], 2, "-k is unsupported"),
        (["--res", "10"], 2, "--res is unsupported"),
        (["--edges", "geodesic"], 2, "--edges is unsupported"),
        (["--metric", "manhattan"], 2, "manhattan is unsupported"),
        (["--max-distance", "3km"], 2, "a unit of --max-distance"),
        (["--part", "1/2"], 2, "--part is unsupported"),
        (["--metric", "geodesic"], 1, "use --metric euclidean"),
        (["--cost-band", "2"], 1, "band 2 does not exist"),
        (["--backend", "openmp"], 1, "unsupported backend (openmp)"),
    ],
)
def test_refused(work, options, status, has):
    friction_raster(work, "f.tif", np.ones((400, 400)), PLANE, 32632)
    work.write("s.csv", SEEDS)
    work.fails(
        "--seeds",
        "s.csv",
        "--seeds-crs",
        "EPSG:32632",
        "--cost",
        "f.tif",
        *options,
        "out.tif",
        status=status,
        has=has,
    )


def test_memory(work):
    """Rasters that do not fit into --memory are kept in a temporary file, of which nothing is left."""
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("f.tif")), 900, 700, 1, gdal.GDT_Byte, ["COMPRESS=DEFLATE"]
    )
    made.SetGeoTransform((0, 1, 0, 0, 0, -1))
    made.GetRasterBand(1).WriteArray(1 + np.add.outer(np.arange(700), np.arange(900)) // 400)
    made = None
    work.csv("s.csv", [0.5, 700.2, 650.5], [-1.5, -300.1, -650.5], header="x,y")
    options = (
        "--seeds",
        "s.csv",
        "--cost",
        "f.tif",
        "--cost-moves",
        "8",
        "--azimuth",
        "a.tif",
        "--distance",
    )
    work.path("t").mkdir()
    folder = dict(os.environ, CPL_TMPDIR=str(work.path("t")))
    work.ok(*options, "d.tif", "o.tif")
    work.ok(*options, "e.tif", "--memory", "8M", "--overwrite", "p.tif", env=folder)
    assert np.array_equal(work.read("o.tif"), work.read("p.tif")) and np.array_equal(
        work.read("d.tif"), work.read("e.tif")
    )
    assert not list(work.path("t").iterdir())
    missing = dict(os.environ, CPL_TMPDIR=str(work.path("missing")))
    work.fails(
        *options,
        "f2.tif",
        "--memory",
        "8M",
        "--overwrite",
        "q.tif",
        env=missing,
        has="cannot write a temporary file of 0.01 GB",
    )
    work.fails(
        "--backend",
        "serial",
        *options,
        "f2.tif",
        "--memory",
        "8M",
        "--overwrite",
        "q.tif",
        has="increase --memory",
    )


def test_memory_of_areas(work):
    """The cells that polygons start in need memory of their own."""
    friction_raster(work, "f.tif", np.ones((1000, 1800), np.float32), PLANE, 32632)
    width, height = 1800 * PLANE[1], 1000 * PLANE[5]
    for part, share in (("half", 0.5), ("all", 1.0)):
        x, y = PLANE[0] + share * width, PLANE[3] + height
        work.write(
            f"{part}.csv",
            f'id,wkt\n1,"POLYGON (({PLANE[0]} {PLANE[3]},{x} {PLANE[3]},{x} {y},{PLANE[0]} {y},{PLANE[0]} {PLANE[3]}))"\n',
        )
    options = ("--seeds-crs", "EPSG:32632", "--cost", "f.tif", "--cost-moves", "8", "--quiet")
    work.ok("--seeds", "half.csv", *options, "--memory", "60M", "o.tif")
    work.ok("--seeds", "half.csv", *options, "p.tif")
    assert np.array_equal(work.read("o.tif"), work.read("p.tif"))
    work.fails(
        "--seeds",
        "all.csv",
        *options,
        "--memory",
        "40M",
        "q.tif",
        has="the seeds start in more than 655360 cells, too many for the memory allowed; increase --memory",
    )


@pytest.mark.skipif(sanitized(), reason="a sanitizer keeps what is freed")
def test_memory_of_the_process(work):
    """--memory limits cells also where the file of friction is large enough to be allowed more as an input."""
    friction_raster(
        work, "f.tif", np.ones((3000, 4000), np.float32), PLANE, 32632, kind=gdal.GDT_Float32
    )
    work.write("s.csv", SEEDS)
    options = (
        "--seeds",
        "s.csv",
        "--seeds-crs",
        "EPSG:32632",
        "--cost",
        "f.tif",
        "--cost-moves",
        "8",
        "--overwrite",
        "--quiet",
    )
    inside, beyond = (peak(work, *options, "--memory", limit, "o.tif") for limit in ("1G", "16M"))
    assert inside - beyond > 100  # 28 bytes of 12 million cells against a part of 16 MiB


def processor_time(process):
    """Seconds."""
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc")
def test_interrupt(work):
    """In a search out of core: it stops soon, and nothing is left."""
    (folder := work.path("t")).mkdir()
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("f.tif")), 5000, 4000, 1, gdal.GDT_Byte, ["COMPRESS=DEFLATE"]
    )
    made.SetGeoTransform((0, 1, 0, 0, 0, -1))
    made.GetRasterBand(1).Fill(1)
    made = None
    work.csv("s.csv", [0.5], [-1.5], header="x,y")
    before = sorted(p.name for p in work.directory.iterdir())
    process = subprocess.Popen(
        [COMMAND, "--seeds", "s.csv", "--cost", "f.tif", "--memory", "16M", "o.tif"],
        cwd=work.directory,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, CPL_TMPDIR=str(folder)),
    )
    while processor_time(process) < 1.5 and process.poll() is None:  # after the friction is read
        time.sleep(0.01)
    used = processor_time(process)
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert usage.ru_utime + usage.ru_stime - used < 0.5
    assert not list(folder.iterdir()) and sorted(p.name for p in work.directory.iterdir()) == before


def test_full_disk(work):
    """Of the temporary file: all of its space is taken before it is used."""
    (disk := work.path("disk")).mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("mounting is not allowed here")
    try:
        friction_raster(work, "f.tif", np.ones((700, 900)), (0, 1, 0, 0, 0, -1))
        work.csv("s.csv", [0.5], [-1.5], header="x,y")
        line = work.fails(
            "--seeds",
            "s.csv",
            "--cost",
            "f.tif",
            "--memory",
            "8M",
            "o.tif",
            env=dict(os.environ, CPL_TMPDIR=str(disk)),
            has="cannot write a temporary file of 0.01 GB: No space left on device; use another folder",
        )
        assert str(disk) in line and not list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def shapes(work, name, *wkt):
    made = gdal.GetDriverByName("GPKG").Create(str(work.path(name)), 0, 0, 0, gdal.GDT_Unknown)
    layer = made.CreateLayer("s", crs(32632), ogr.wkbUnknown)
    for text in wkt:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        layer.CreateFeature(feature)
    made = None
    return name


def touched(geometry, shape):
    """Cells with their interior on a geometry."""
    found = np.zeros(shape, bool)
    for row, column in np.ndindex(shape):
        x, y = PLANE[0] + 100 * column, PLANE[3] - 100 * row
        cell = ogr.CreateGeometryFromWkt(
            f"POLYGON (({x} {y},{x + 100} {y},{x + 100} {y - 100},{x} {y - 100},{x} {y}))"
        )
        part = geometry.Intersection(cell) if geometry.Intersects(cell) else None
        found[row, column] = part is not None and (
            part.Length() > 1e-6 if geometry.GetDimension() == 1 else part.Area() > 1e-6
        )
    return found


def test_lines_and_polygons(work):
    """They begin at cost 0 in each cell that they touch or contain; cells of several have the first one."""
    wkt = [
        "LINESTRING (499800 5299951,501437 5298512,501437 5297000,502987 5299123)",
        "POLYGON ((501013 5299913,502511 5299611,502011 5298113,500407 5298531,501013 5299913),"
        "(501513 5299213,501911 5299211,501811 5298713,501513 5299213))",
        "MULTIPOLYGON (((502300 5298600,502700 5298600,502700 5298200,502300 5298200,502300 5298600)))",
    ]  # whole cells
    friction = np.ones((20, 30))
    friction[0, 3] = friction[6, 12] = -1
    friction_raster(work, "f.tif", friction, PLANE, 32632)
    in_barriers = "POLYGON ((500310 5299990,500390 5299990,500390 5299910,500310 5299990))"
    shapes(work, "s.gpkg", *wkt, "POINT (400000 5299000)", in_barriers)
    run = work.ok(
        "--seeds",
        "s.gpkg",
        "--cost",
        "f.tif",
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "out.tif",
    )
    assert "2 of 5 seeds are in barriers" in run.stderr
    assert "seeds: 3 used, 2 left out, 0 without a cell" in run.summary
    expected = np.full((20, 30), -1)
    for i in (3, 2, 1):
        expected[touched(ogr.CreateGeometryFromWkt(wkt[i - 1]), (20, 30))] = i
    expected[friction < 0] = -1
    ids, cost, azimuth = work.read("out.tif"), work.read("d.tif"), work.read("a.tif")
    assert np.array_equal(np.where(cost == 0, ids, -1), expected)
    assert np.array_equal(np.isnan(azimuth), (cost == 0) | (ids < 0))


def test_raster_seeds(work):
    """Cells of a raster begin at cost 0, as a polygon of the same cells does."""
    friction_raster(work, "f.tif", np.random.default_rng(5).lognormal(0, 1, (20, 30)), PLANE, 32632)
    seeds = np.zeros((20, 30), np.int32)
    seeds[4:8, 23:27], seeds[12:19, 2:9], seeds[0, 0] = 7, 4, 4
    friction_raster(work, "s.tif", seeds, PLANE, 32632, kind=gdal.GDT_Int32)
    shapes(
        work,
        "s.gpkg",
        "POLYGON ((502300 5299600,502700 5299600,502700 5299200,502300 5299200,502300 5299600))",
        "MULTIPOLYGON (((500200 5298800,500900 5298800,500900 5298100,500200 5298100,500200 5298800)),"
        "((500000 5300000,500100 5300000,500100 5299900,500000 5299900,500000 5300000)))",
    )
    work.ok(
        "--seeds-raster",
        "s.tif",
        "--cost",
        "f.tif",
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "--stats",
        "s.csv",
        "out.tif",
    )
    work.ok(
        "--seeds",
        "s.gpkg",
        "--cost",
        "f.tif",
        "--distance",
        "e.tif",
        "--azimuth",
        "b.tif",
        "other.tif",
    )
    assert np.array_equal(work.read("out.tif"), np.where(work.read("other.tif") == 1, 7, 4))
    assert np.array_equal(work.read("d.tif"), work.read("e.tif"))
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"), equal_nan=True)
    assert work.path("s.csv").read_text().count("\n") == 3
    work.ok(
        "--seeds-raster",
        "s.tif",
        "--cost",
        "f.tif",
        "--by-cell",
        "--distance",
        "c.tif",
        "cells.tif",
    )
    assert np.array_equal(work.read("c.tif"), work.read("e.tif"))
    own = np.arange(600).reshape(20, 30)
    assert np.array_equal(work.read("cells.tif")[seeds > 0], own[seeds > 0])
    friction_raster(work, "small.tif", seeds[:5], PLANE, 32632, kind=gdal.GDT_Int32)
    work.fails(
        "--seeds-raster",
        "small.tif",
        "--cost",
        "f.tif",
        "no.tif",
        has="its cells are not those of --cost",
    )


def test_azimuth(work):
    """The first move leads to a cell from which the rest costs as much less, or to the seed."""
    uniform(work)
    work.write("s.csv", "x,y\n501550,5298950\n")
    work.ok(
        "--seeds",
        "s.csv",
        "--seeds-crs",
        "EPSG:32632",
        "--cost",
        "f.tif",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--azimuth",
        "a.tif",
        "out.tif",
    )
    cost, azimuth = work.read("d.tif"), work.read("a.tif")
    row, column = np.mgrid[:20, :30]
    bearing = np.degrees(np.arctan2(15 - column, row - 10)) % 360
    off = np.abs((azimuth - bearing + 180) % 360 - 180)
    away = (row != 10) | (column != 15)
    assert (
        off[away].max() < 27
        and off[away & ((row == 10) | (column == 15) | (abs(row - 10) == abs(column - 15)))].max()
        < 1e-3
    )
    at = {round(float(np.degrees(np.arctan2(a, -b)) % 360), 3): (a, b) for a, b in directions(32)}
    for r, c in zip(row[away], column[away]):
        a, b = at[round(float(azimuth[r, c]), 3)]
        assert cost[r + b, c + a] + 100 * np.hypot(a, b) == pytest.approx(cost[r, c])


def test_globe_azimuth_and_lines(work):
    """Across the seam, and of lines that are written some turns away."""
    friction_raster(work, "f.tif", np.ones((36, 72)), GLOBE, 4326)
    work.csv("s.csv", [177.5], [2.5], header="lon,lat")
    work.ok("--seeds", "s.csv", "--cost", "f.tif", "--azimuth", "a.tif", "out.tif")
    azimuth = work.read("a.tif")
    assert azimuth[17, 0] == pytest.approx(270, abs=0.2) and azimuth[17, 70] == pytest.approx(
        90, abs=0.2
    )
    assert azimuth[20, 71] == pytest.approx(0, abs=1e-3) and azimuth[10, 71] == pytest.approx(
        180, abs=1e-3
    )
    work.write("l.geojson", '{"type": "LineString", "coordinates": [[171, 2], [189, 2]]}')
    work.ok(
        "--seeds", "l.geojson", "--cost", "f.tif", "--distance", "d.tif", "--overwrite", "out.tif"
    )
    zero = np.argwhere(work.read("d.tif") == 0)
    assert zero.tolist() == [[17, 0], [17, 1], [17, 70], [17, 71]]


def test_overflow(work):
    friction_raster(work, "f.tif", np.full((2, 30), 1e307), PLANE, 32632)
    work.write("s.csv", "x,y\n500050,5299950\n")
    options = ("--seeds", "s.csv", "--seeds-crs", "EPSG:32632", "--cost", "f.tif")
    work.fails(*options, "out.tif", has="scale the friction")
    friction_raster(work, "f.tif", np.full((2, 30), 1e36), PLANE, 32632)
    work.fails(
        *options,
        "--distance",
        "d.tif",
        "out.tif",
        has="costs exceed the range of Float32; use --distance-type Float64",
    )
    assert not work.path("d.tif").exists()
    work.ok(*options, "--distance", "d.tif", "--distance-type", "Float64", "out.tif")
    assert work.read("d.tif").max() == pytest.approx(2.9e39, rel=0.01)


def test_not_a_raster(work):
    work.write("s.csv", "x,y\n1,2\n")
    work.fails(
        "--seeds",
        "s.csv",
        "--cost",
        "s.csv",
        "out.tif",
        has="--cost: cannot read s.csv as a raster",
    )
