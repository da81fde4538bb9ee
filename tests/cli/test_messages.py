"""What people read when something is wrong, or may be."""

import re
import resource
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import COMMAND, ROOT, crs, globe

LON, LAT = globe(40, seed=4)
SIZE = ["--metric", "great-circle", "--size", "20,10"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


@pytest.mark.parametrize(
    "output,has",
    [
        (["o.vrt"], ["OUT", "o.vrt", "unsupported virtual raster", ".tif"]),
        (["--of", "VRT", "o.tif"], ["unsupported virtual raster"]),
        (["--distance", "d.vrt", "o.tif"], ["--distance", "d.vrt", "unsupported virtual raster"]),
        (["o.tab"], ["not a raster format (o.tab", "MapInfo", "--stats", ".tif"]),
        (["o.geojson"], ["vector file", "GeoJSON"]),
        (["o.nope"], ["unknown raster format", "--of"]),
    ],
)
def test_formats_that_cannot_be(seeds, output, has):
    seeds.fails("--seeds", "s.csv", *SIZE, *output, has=has)


def test_jpeg_2000(seeds):
    from osgeo import gdal

    if gdal.GetDriverByName("JP2OpenJPEG") is None:
        pytest.skip("this GDAL has no JP2OpenJPEG driver")
    seeds.fails(
        "--seeds",
        "s.csv",
        *SIZE,
        "o.jp2",
        has=[
            "o.jp2",
            "need Int32",
            "JP2OpenJPEG does not support (it has: Byte Int16 UInt16)",
            "--ot",
        ],
    )


def test_integers_of_32_bits(work):
    """MapInfo's files hold no wider ones: they are written as long as they fit."""
    work.csv("s.csv", [1, 2], [1, 2], header="x,y", code=[7, 2**31 - 1])
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "code",
        "--size",
        "20,10",
        "--stats",
        "t.tab",
        "--polygons",
        "u.mif",
        "o.tif",
    )
    for name in "t.tab", "u.mif":
        table = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
        assert [f.GetField("id") for f in table.GetLayer(0)] == [7, 2**31 - 1]
    types = gdal.GetDriverByName("MapInfo File").GetMetadataItem(gdal.DMD_CREATIONFIELDDATATYPES)
    if "Integer64" in types.split():
        pytest.skip("this GDAL writes wide integers to MapInfo's files")
    work.csv("s.csv", [1, 2], [1, 2], header="x,y", code=[7, 2**31])
    work.fails(
        "--seeds",
        "s.csv",
        "--id",
        "code",
        "--size",
        "20,10",
        "--stats",
        "v.tab",
        "p.tif",
        has=[
            "--stats",
            "v.tab",
            "MapInfo",
            "does not support 64-bit integers",
            str(2**31),
            ".gpkg",
        ],
    )


def test_wide_kml(work):
    """LIBKML would take minutes for it."""
    if gdal.GetDriverByName("LIBKML") is None:
        pytest.skip("GDAL lacks LIBKML, which reads the fields")
    names = {f"c{i}": [f"v{i}_{row}" for row in range(500)] for i in range(410)}
    work.csv(
        "s.csv",
        [row % 300 - 150 for row in range(500)],
        [row / 10 - 20 for row in range(500)],
        name=list(range(500)),
        **names,
    )
    work.ok("--seeds", "s.csv", "--size", "40,20", "--stats", "t.kml", "o.tif")
    table = gdal.OpenEx(str(work.path("t.kml")))
    rows = [f for f in table.GetLayer(0)]
    assert (
        len(rows) == 500
        and rows[17].GetField("Name") == "17"
        and rows[17].GetField("c409") == "v409_17"
    )
    assert rows[17].GetGeometryRef().GetX() == 17 - 150


def test_kml_of_cells(work):
    """The same for polygons with many vertices: the older driver's elements."""
    work.csv("s.csv", [0, 100, -100, 20], [0, 20, 40, -60], header="lon,lat")
    work.ok("diagram", "--seeds", "s.csv", "--tolerance", "100000", "d.kml")
    assert (
        '<Schema name="cells" id="cells">' in work.path("d.kml").read_text()
        and "<MultiGeometry>" in work.path("d.kml").read_text()
    )


def test_kml_of_many_points(work):
    """LIBKML's time grows with the square of the rows, and it does not end when interrupted: 20 s for these."""
    work.csv("s.csv", np.arange(9000) % 300 / 10, np.arange(9000) // 300 / 10, header="lon,lat")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    work.ok("search", "--reference", "s.csv", "t.kml")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 8
    assert work.path("t.kml").read_text().count("<Placemark") == 9000


@pytest.mark.parametrize("option", ["--crs", "--seeds-crs"])
def test_bare_codes(seeds, option):
    seeds.fails(
        "--seeds",
        "s.csv",
        option,
        "3035",
        "--size",
        "20,10",
        "o.tif",
        has=[
            option,
            "ambiguous coordinate system (3035)",
            "EPSG:3035 is ETRS89-extended / LAEA Europe",
        ],
    )
    line = seeds.fails(
        "--seeds",
        "s.csv",
        option,
        "999999",
        "--size",
        "20,10",
        "o.tif",
        has=[option, "unknown", "(999999)"],
    )
    assert "EPSG:" not in line.split("PROJ")[0]


def test_masks_that_are_none(seeds):
    seeds.points("p.gpkg", "GPKG", [1.0], [2.0])
    seeds.fails(
        "--seeds",
        "s.csv",
        *SIZE,
        "--mask",
        "p.gpkg",
        "o.tif",
        has=["--mask", "p.gpkg: unsupported geometry (points)", "--max-distance"],
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        *SIZE,
        "--mask",
        "s.csv",
        "o.tif",
        has=["--mask", "s.csv: missing geometries", "polygons"],
    )


def test_missing_seeds(seeds):
    seeds.fails("o.tif", status=2, has=["missing --seeds", "gpuvoronoi --seeds points.gpkg o.tif"])
    seeds.fails("--res", "3", status=2, has="missing --seeds")


def test_bad_numbers_name_the_field(seeds):
    for header, column in ("a;b;c\n", " (column b)"), ("", ""):
        seeds.write("n.csv", header + "1;2;3\n4;five;6\n")
        seeds.fails(
            "search",
            "--reference",
            "n.csv",
            "o.npy",
            has=f"n.csv: line {2 + (header != '')}: field 2 is not a number: 'five'{column}",
        )


@pytest.mark.parametrize(
    "options",
    [
        ["--co", "COMPRESS=NONE"],
        ["--co", "COMPRESS=LZW"],
        ["--co", "COMPRESS=NONE", "--co", "TILED=NO"],
    ],
)
def test_full_disks(seeds, options):
    """A limit on the sizes of files stands for one: "scanline 4294967295" said nothing."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    line = seeds.fails(
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--size",
        "1000,500",
        *options,
        "o.tif",
        has=["o.tif", "File too large"],
        preexec_fn=limit,
    )
    assert "scanline" not in line


# ------------------------------------------------------------------------------------------------ grids between datums


def test_missing_grids(work):
    """OSTN15 is not part of PROJ: two meters are lost, without a word."""
    work.points(
        "s.gpkg", "GPKG", [400000.0, 500000.0, 300000.0], [300000.0, 200000.0, 700000.0], epsg=27700
    )
    done = work.ok(
        "--seeds", "s.gpkg", "--crs", "EPSG:4326", "--extent=-8,50,2,60", "--size", "20,20", "o.tif"
    )
    pyproj = pytest.importorskip("pyproj")
    from pyproj.transformer import TransformerGroup

    area = pyproj.transformer.AreaOfInterest(-4, 51, 0, 57)
    group = TransformerGroup("EPSG:27700", "EPSG:4326", always_xy=True, area_of_interest=area)
    if group.best_available:
        pytest.skip("the grid is installed")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    chosen, best = group.transformers[0].accuracy, group.unavailable_operations[0]
    assert (
        f"accurate to {chosen:g} m in WGS 84" in done.stderr
        and f"accurate to {best.accuracy:g} m" in done.stderr
    )
    assert best.grids[0].short_name in done.stderr and "not installed" in done.stderr
    quiet = work.ok(
        "--seeds",
        "s.gpkg",
        "--crs",
        "EPSG:4326",
        "--extent=-8,50,2,60",
        "--size",
        "20,20",
        "--quiet",
        "q.tif",
    )
    assert quiet.stderr == ""
    for extra in ["--crs", "EPSG:27700"], ["--metric", "geodesic", "--crs", "EPSG:27700"]:
        assert (
            work.ok("--seeds", "s.gpkg", *extra, "--size", "20,20", "--overwrite", "n.tif").stderr
            == ""
        )


def test_positions_outside_the_area(work):
    """ETRS89 is WGS 84 within a meter in Europe; elsewhere that is not guaranteed."""
    lon, lat = [10.0, 12.0, -70.0, 100.0, 20.0], [50.0, 51.0, 10.0, -20.0, 45.0]
    work.csv("s.csv", lon, lat)
    extent = ["--extent", "3000000,1500000,6000000,4500000", "--size", "20,20"]
    done = work.ok("--seeds", "s.csv", "--crs", "EPSG:3035", *extent, "o.tif")
    assert (
        "2 of 5 positions are outside the area of the operation from WGS 84 (EPSG:4326) to ETRS89"
        in done.stderr
    )
    assert done.stderr.splitlines()[1:] == ["gpuvoronoi: warning: seeds without a cell: 2 of 5"]
    work.csv("e.csv", lon[:2], lat[:2])
    assert work.ok("--seeds", "e.csv", "--crs", "EPSG:3035", *extent, "p.tif").stderr == ""
    work.ok("search", "--reference", "e.csv", "--queries", "s.csv", "q.npy")
    assert np.load(work.path("q.npy")).shape == (5, 1)


def test_nothing_has_a_seed(work):
    """What left no cell is named, with the number of cells, once, and not with --quiet."""
    work.csv("s.csv", [1, 2], [1, 2], header="x,y")
    mask = gdal.GetDriverByName("GTiff").Create(str(work.path("mask.tif")), 30, 20)
    mask.SetGeoTransform((10, 1, 0, 30, 0, -1))
    mask = None
    grid = ["--seeds", "s.csv", "--extent", "10,10,40,30", "--size", "30,20", "--overwrite"]
    for options, why in (
        (["--mask", "mask.tif"], "--mask excludes all cells of the grid"),
        (["--max-distance", "1"], "all seeds are farther away than --max-distance"),
        (["--mask", "mask.tif", "--max-distance", "1"], "check --mask and --max-distance"),
    ):
        for more in [], ["--stats", "t.csv"], ["--threads", "3", "-k", "2"]:
            done = work.ok(*grid, *options, *more, "o.tif")
            assert done.stderr == f"gpuvoronoi: warning: 0 of 600 cells have a seed: {why}\n"
        assert work.ok(*grid, *options, "--quiet", "o.tif").stderr == ""
    one = "gpuvoronoi: warning: seeds without a cell: 1 of 2\n"
    assert (
        work.ok(*grid, "o.tif").stderr == one
        and work.ok(*grid, "--max-distance", "50", "o.tif").stderr == one
    )


def test_seeds_without_cells(work):
    work.csv("s.csv", [1, 2, 2, 90], [1, 2, 2, 90], header="x,y")
    grid = ["--seeds", "s.csv", "--extent", "0,0,3,3", "--size", "3,3", "--overwrite"]
    done = work.ok(*grid, "--stats", "t.csv", "o.tif")
    assert done.stderr == "gpuvoronoi: warning: seeds without a cell: 2 of 4\n"
    assert work.ok(*grid, "--quiet", "--stats", "t.csv", "o.tif").stderr == ""


def test_too_many_seeds_for_a_table(work):
    count = 65536
    work.csv("s.csv", range(count), [0] * count, header="x,y")
    grid = ["--seeds", "s.csv", "--extent", "0,0,9,9", "--size", "9,9", "--overwrite"]
    done = work.ok(*grid, "o.tif")
    assert (
        done.stderr == "gpuvoronoi: warning: no attribute table with names and colors: "
        "65536 seeds are more than its 65535 rows\n"
    )
    for option in "--no-style", "--quiet":
        assert work.ok(*grid, option, "o.tif").stderr == ""


def test_page_of_messages_is_that_of_the_table():
    program = Path(COMMAND).parent / "src" / "cli" / "gpuvoronoi_messages"
    if not program.exists():
        pytest.skip("gpuvoronoi_messages is not built")
    made = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    assert page == made, f"{program} >docs/messages.md writes it again"
    enum = re.search(
        r"GV_CODE_NONE,(.*?)GV_CODES", (ROOT / "src/io/codes.h").read_text(), re.DOTALL
    )[1]
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert (
        len(rows) == len(set(row[0] for row in rows)) == len(re.findall(r"GV_CODE_\w+", enum)) > 40
    )
    assert all(text.endswith(".") for row in rows for text in row[1:]), rows


@pytest.mark.parametrize(
    "options, words, missing",
    [
        (
            ["--seeds-crs", "EPSG:4326", "--max-distance", "2deg"],
            ["--max-distance: invalid distance (2deg)", "nmi"],
            "deg,",
        ),
        (
            ["--seeds-crs", "EPSG:4326", "--attribute", "v", "--of", "GPKG"],
            ["need Float64", "--ot"],
            "none",
        ),
        (
            [
                "--seeds-crs",
                "EPSG:2056",
                "--extent",
                "2600000,1200000,2700000,1300000",
                "--of",
                "netCDF",
            ],
            ["NetCDF does not support the coordinate system (CH1903+ / LV95 (EPSG:2056))", "--crs"],
            "netcdf error",
        ),
        (
            [
                "--seeds-crs",
                "EPSG:4326",
                "--res",
                "0.5",
                "--of",
                "COG",
                "--co",
                "TILING_SCHEME=GoogleMapsCompatible",
            ],
            ["TILING_SCHEME", "--extent"],
            "webmerc",
        ),
    ],
)
def test_messages_name_a_way_out(work, options, words, missing):
    if missing == "webmerc" and int(gdal.VersionInfo()) >= 3130000:
        pytest.skip("this GDAL cuts the raster")
    work.csv(
        "s.csv",
        [2600001, 5] if "EPSG:2056" in options else [1, 5],
        [1200001, 5] if "EPSG:2056" in options else [1, 5],
        header="x,y",
        v=["0.5", "1.25"],
    )
    line = work.fails(
        "--seeds",
        "s.csv",
        *([] if "--res" in options else ["--size", "36,18"]),
        *options,
        "out.tif",
        status=2 if missing == "deg," else 1,
        has=words,
    )
    assert missing not in line


@pytest.mark.parametrize("option", ["--barriers", "--extent-of", "--cells-of"])
def test_inputs_read_like_seeds_are_named_by_their_option(work, option):
    work.csv("s.csv", [1.0, 2.0], [1.0, 2.0], header="x,y")
    work.write("bad.csv", "x,y\n1,2\n3,nan\n")
    grid = [] if option == "--extent-of" else ["--extent", "0,0,9,9"]
    grid = [] if option == "--cells-of" else [*grid, "--res", "1"]
    out = ["--cells", "o.gpkg"] if option == "--cells-of" else ["o.tif"]
    line = work.fails("--seeds", "s.csv", *grid, option, "bad.csv", *out, has=option)
    assert "seeds:" not in line


def test_complex_numbers_are_no_values(work):
    """Only their real parts were read."""
    work.csv("s.csv", [1.0, 2.0], [1.0, 2.0], header="lon,lat")
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("c.tif")), 9, 9, 1, gdal.GDT_CFloat32)
    made.SetGeoTransform((0, 1, 0, 9, 0, -1))
    made.SetProjection("EPSG:4326")
    made = None
    has = "c.tif: unsupported type: complex numbers"
    work.fails("--seeds", "s.csv", "--cost", "c.tif", "o.tif", has=f"--cost: {has}")
    grid = ["--seeds", "s.csv", "--size", "20,10"]
    work.fails(*grid, "--mask", "c.tif", "o.tif", has=f"--mask: {has}")
    work.fails(*grid, "--stats", "t.csv", "--sum", "c.tif", has=f"--sum: {has}")


def test_layers_of_barriers_that_are_none(work):
    work.csv("s.csv", [1.0, 2.0], [1.0, 2.0], header="lon,lat")
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("b.gpkg")))
    made.CreateLayer("empty", crs(4326), ogr.wkbLineString)
    table = made.CreateLayer("table", None, ogr.wkbNone)
    table.CreateFeature(ogr.Feature(table.GetLayerDefn()))
    made = table = None
    runs = (
        ["--seeds", "s.csv", "--size", "20,10"],
        ["search", "--reference", "s.csv", "--queries", "s.csv"],
    )
    for run, out in zip(runs, ("o.tif", "o.csv")):
        layer = [*run, "--barriers", "b.gpkg", "--barriers-layer"]
        done = work.ok(*layer, "empty", out)
        warning = "gpuvoronoi: warning: --barriers: b.gpkg: the layer is empty; distances are those without"
        assert done.stderr.startswith(warning), done.stderr
        line = work.fails(
            *layer, "table", "--overwrite", out, has=["--barriers", "expected lines or polygons"]
        )
        assert "-x" not in line
        work.fails(
            *layer,
            "empty",
            "--barriers-oo",
            "FOO",
            "--overwrite",
            out,
            status=2,
            has="--barriers-oo: invalid value",
        )


@pytest.mark.parametrize("option", ["seeds", "--mask", "--sum", "--extent-of", "--cost"])
def test_systems_without_an_operation_are_named_by_their_option(work, option):
    work.csv("s.csv", [1.0, 2.0], [1.0, 2.0], header="lon,lat")
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("mars.tif")), 9, 9)
    made.SetGeoTransform((0, 1, 0, 9, 0, -1))
    made.SetProjection(crs("+proj=longlat +a=3396190 +b=3376200 +no_defs").ExportToWkt())
    made = None
    grid = ["--seeds", "s.csv", "--size", "20,10", "--stats", "t.csv"]
    options = {
        "seeds": ["--seeds", "s.csv", "--like", "mars.tif", "o.tif"],
        "--cost": ["--seeds", "s.csv", "--cost", "mars.tif", "o.tif"],
        "--extent-of": ["--seeds", "s.csv", "--extent-of", "mars.tif", "--res", "1", "o.tif"],
    }
    line = work.fails(*options.get(option, [*grid, option, "mars.tif"]))
    named = "seeds" if option == "--cost" else option
    assert f"error: {named}: PROJ: missing operation from " in line, line
