"""What the output looks like to GDAL: formats, creation options, metadata, attribute table, progress."""

import re
import resource
import subprocess

import numpy as np
import pytest
from osgeo import gdal

from conftest import COMMAND, centers, check_great_circle, globe, planar

LON, LAT = globe(40, seed=4)
GRID = ["--metric", "great-circle", "--size", "900,450"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


@pytest.fixture
def expected(seeds):
    seeds.ok("--seeds", "s.csv", *GRID, "--of", "GTiff", "expected")
    return seeds.read("expected")


def test_geotiff(seeds):
    seeds.ok("--seeds", "s.csv", *GRID, "out.tif")
    out = seeds.open("out.tif")
    band = out.GetRasterBand(1)
    assert band.DataType == gdal.GDT_Int32 and out.RasterCount == 1
    assert band.GetBlockSize() == [512, 512]
    assert out.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") == "ZSTD"
    assert band.GetNoDataValue() == -1
    assert band.GetDescription() == "id of the nearest seed"
    assert out.GetMetadataItem("TIFFTAG_SOFTWARE").startswith("gpuvoronoi ")
    metadata = out.GetMetadata()
    assert metadata["GPUVORONOI_SEEDS"] == "s.csv"
    assert metadata["GPUVORONOI_SEED_COUNT"] == "40"
    assert metadata["GPUVORONOI_METRIC"] == "great-circle"
    assert re.fullmatch(r"\d+\.\d+\.\d+(-rc\d+)?", metadata["GPUVORONOI_VERSION"])
    assert sorted(p.name for p in seeds.directory.iterdir()) == [
        "out.qml",
        "out.tif",
        "out.tif.aux.xml",
        "s.csv",
    ]
    check_great_circle(out.ReadAsArray() - 1, *centers(out), LON, LAT)


def test_gdalinfo_sees_nothing_odd(seeds):
    seeds.ok("--seeds", "s.csv", *GRID, "out.tif")
    done = subprocess.run(
        ["gdalinfo", "-checksum", str(seeds.path("out.tif"))], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""
    assert 'ID["EPSG",4326]' in done.stdout and 'tableType="thematic"' in done.stdout


@pytest.mark.parametrize(
    "name,driver,options",
    [
        ("out.tif", "COG", []),
        ("out.tif", "COG", ["COMPRESS=DEFLATE"]),
        ("out.asc", "AAIGrid", []),
        ("out.img", "HFA", []),
        ("out.bin", "ENVI", []),
        ("out.nc", "netCDF", []),
        ("out.sdat", "SAGA", []),
        ("out.bil", "EHdr", []),
        ("out.vrt.tif", "GTiff", ["TILED=NO"]),
        ("out.tif", "GTiff", ["TILED=NO", "BLOCKYSIZE=7"]),
        ("out.tif", "GTiff", ["BLOCKXSIZE=128", "BLOCKYSIZE=256"]),
        ("out.tif", "GTiff", ["COMPRESS=NONE"]),
        ("out.tif", "GTiff", ["COMPRESS=LZW", "PREDICTOR=2"]),
        ("out.tif", "GTiff", ["BLOCKXSIZE=16", "BLOCKYSIZE=16"]),
        ("out.tif", "GTiff", ["COMPRESS=LZMA", "LZMA_PRESET=1"]),
        ("out.tif", "GTiff", ["COMPRESS=LERC_ZSTD"]),
        ("out.tif", "GTiff", ["SPARSE_OK=TRUE"]),
        ("out.xyz", "XYZ", []),
        ("out.kea", "KEA", []),
    ],
)
def test_formats(seeds, expected, name, driver, options):
    if gdal.GetDriverByName(driver) is None:
        pytest.skip(f"this GDAL has no {driver} driver")
    options = [f"--co={option}" for option in options]
    seeds.ok("--seeds", "s.csv", *GRID, "--of", driver, *options, name)
    out = seeds.open(name)
    assert out.GetDriver().ShortName in (driver, "GTiff")
    assert np.array_equal(out.ReadAsArray(), expected)
    assert out.GetGeoTransform() == pytest.approx((-180, 0.4, 0, 90, 0, -0.4))
    if driver not in ("XYZ", "netCDF"):
        assert out.GetRasterBand(1).GetNoDataValue() == -1
    # No file contains the name of its temporary directory, which has varying lengths.
    assert not [file.name for file in seeds.directory.iterdir() if b".tmp-" in file.read_bytes()]


def test_driver_by_extension(seeds, expected):
    seeds.ok("--seeds", "s.csv", *GRID, "out.asc")
    assert seeds.open("out.asc").GetDriver().ShortName == "AAIGrid"
    seeds.ok("--seeds", "s.csv", *GRID, "out.TIFF")
    assert seeds.open("out.TIFF").GetDriver().ShortName == "GTiff"
    assert np.array_equal(seeds.read("out.asc"), expected)


def test_cog(work):
    work.csv("s.csv", LON, LAT)
    work.ok(
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--size",
        "3000,1500",
        "--of",
        "COG",
        "out.tif",
    )
    out = work.open("out.tif")
    assert out.GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE") == "COG"
    band = out.GetRasterBand(1)
    assert band.GetOverviewCount() >= 2
    ids = set(band.ReadAsArray().ravel().tolist())
    for i in range(band.GetOverviewCount()):
        small = band.GetOverview(i).ReadAsArray()
        assert set(small.ravel().tolist()) <= ids
    assert band.GetDescription() == "id of the nearest seed"
    assert work.table("out.tif") is not None
    assert out.GetMetadataItem("GPUVORONOI_METRIC") == "great-circle"


def test_cog_in_a_tiling_scheme_keeps_ids_whole(work):
    work.csv("s.csv", LON, LAT)
    work.ok(
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--size",
        "720,360",
        "--extent",
        "-180,-80,180,80",
        "--of",
        "COG",
        "--co",
        "TILING_SCHEME=GoogleMapsCompatible",
        "out.tif",
    )
    assert set(work.read("out.tif").ravel().tolist()) <= {-1, *range(1, 41)}


def test_creation_options_replace_single_defaults(seeds):
    seeds.ok("--seeds", "s.csv", *GRID, "--co", "compress=lzw", "out.tif")
    out = seeds.open("out.tif")
    assert out.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") == "LZW"
    assert out.GetRasterBand(1).GetBlockSize() == [512, 512]
    seeds.ok(
        "--seeds",
        "s.csv",
        *GRID,
        "-co",
        "TILED=NO",
        "-co",
        "COMPRESS=NONE",
        "-of",
        "GTiff",
        "strips",
    )
    assert seeds.open("strips").GetRasterBand(1).GetBlockSize()[0] == 900
    assert seeds.open("strips").GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") is None


def test_nodata(work):
    work.csv("s.csv", [0, 50, 100], [0, 10, 20], no=[-1, 5, 6])
    grid = ["--size", "20,10"]
    work.ok("--seeds", "s.csv", "--id", "no", *grid, "a.tif")
    assert work.open("a.tif").GetRasterBand(1).GetNoDataValue() == -(2**31)
    work.ok("--seeds", "s.csv", "--id", "no", "--nodata", "-9999", *grid, "b.tif")
    assert work.open("b.tif").GetRasterBand(1).GetNoDataValue() == -9999
    work.csv("t.csv", [0, 50], [0, 10], no=[-1, -(2**31)])
    work.fails("--seeds", "t.csv", "--id", "no", *grid, "c.tif", has="--nodata")
    work.ok("--seeds", "t.csv", "--id", "no", "--nodata=0", *grid, "c.tif")


def test_nodata_is_what_cells_without_a_place_hold(work):
    work.csv("s.csv", LON, LAT, no=[10**12 + i for i in range(40)])
    for extra, nodata in (["--id", "no"], -1), (["--nodata", "0"], 0):
        work.ok(
            "--seeds",
            "s.csv",
            *extra,
            "--crs",
            "ESRI:54009",
            "--extent",
            "-18040096,-9020048,18040096,9020048",
            "--size",
            "40,20",
            "--metric",
            "great-circle",
            "--overwrite",
            "out.tif",
        )
        assert work.read("out.tif")[0, 0] == nodata


def lab_distance(a, b):
    """Contrast of two sRGB colors, roughly."""
    weights = np.array([2, 4, 3])
    return np.sqrt(((np.array(a) - np.array(b)) ** 2 * weights).sum())


@pytest.mark.parametrize("n", [6, 300, 4000])
def test_neighboring_regions_differ_in_color(work, n):
    lon, lat = globe(n, seed=n)
    work.csv("s.csv", lon, lat, name=[f"n{i}" for i in range(n)])
    work.ok("--seeds", "s.csv", "--metric", "great-circle", "--size", "1200,600", "out.tif")
    table = work.table("out.tif")
    assert table[gdal.GFU_MinMax] == list(range(1, n + 1))
    assert table[gdal.GFU_Name] == [f"n{i}" for i in range(n)]
    colors = np.stack([table[gdal.GFU_Red], table[gdal.GFU_Green], table[gdal.GFU_Blue]], 1)
    assert colors.min() >= 0 and colors.max() <= 255
    numbers = work.read("out.tif") - 1
    pairs = {
        (a, b)
        for x, y in ((numbers[:, 1:], numbers[:, :-1]), (numbers[1:], numbers[:-1]))
        for a, b in zip(x[x != y].tolist(), y[x != y].tolist())
    }
    inside = [lab_distance(colors[a], colors[b]) for a, b in pairs]
    # Regions that meet only across the edge of two blocks are not looked for: hardly any.
    assert np.mean(np.array(inside) < 40) < 0.002
    if n == 300:
        assert len({tuple(c) for c in colors.tolist()}) > 20


@pytest.mark.parametrize("options", [[], ["--id", "no"], ["-of", "COG"]])
def test_names_of_any_kind_are_in_the_table(work, options):
    names = [
        f"{name}{i}"
        for i, name in enumerate(
            ["plain", "", "Ärger & <co>", "it's", 'said "so"', "tab\there", "&amp;", "]]>"] * 8
        )
    ]
    lon, lat = globe(len(names))
    numbers = [7 * i - 200 for i in reversed(range(len(names)))]
    work.csv(
        "s.csv", lon, lat, name=['"' + name.replace('"', '""') + '"' for name in names], no=numbers
    )
    work.ok(
        "--seeds", "s.csv", "--metric", "great-circle", "--size", "300,150", *options, "out.tif"
    )
    table = work.open("out.tif").GetRasterBand(1).GetDefaultRAT()
    assert (
        [table.GetValueAsString(i, 1) for i in range(table.GetRowCount())] == names
        if not options
        else (
            sorted(table.GetValueAsString(i, 1) for i in range(table.GetRowCount()))
            == sorted(names)
        )
    )


@pytest.mark.parametrize(
    "size, has",
    [
        (10000, ["cannot write out.qml", "style"]),
        (25000, ["cannot write out.tif", "auxiliary information"]),
    ],
)
def test_side_file_that_does_not_fit_is_an_error(work, size, has):
    lon, lat = globe(250)
    work.csv("s.csv", lon, lat)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    work.fails(
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--size",
        "64,32",
        "out.tif",
        preexec_fn=limit,
        has=has,
    )
    assert not work.path("out.tif").exists() and not work.path("out.qml").exists()


def test_side_files_have_what_the_raster_has(work):
    """A row for each id that has cells, and a style for QGIS of up to 256 of them."""
    lon, lat = globe(5000)
    work.csv("s.csv", lon, lat, name=[f"n{i}" for i in range(5000)])
    grid = ["--seeds", "s.csv", "--metric", "great-circle", "--quiet", "--overwrite", "out.tif"]
    for size, styled in ("22,11", True), ("40,20", False), ("16,16", True):
        work.ok(*grid, "--size", size)
        table, ids = work.table("out.tif"), np.unique(work.read("out.tif"))
        assert table[gdal.GFU_MinMax] == ids.tolist() and table[gdal.GFU_Name] == [
            f"n{i - 1}" for i in ids
        ]
        assert (
            (len(ids) <= 256) == styled == work.path("out.qml").exists()
        )  # that of the raster before goes
        if styled:
            assert work.path("out.qml").read_text().count("<paletteEntry") == len(ids)
        sides = sum(
            work.path(name).stat().st_size
            for name in ("out.qml", "out.tif.aux.xml")
            if work.path(name).exists()
        )
        assert sides < 256 * len(ids) + 2000
    work.ok(*grid, "--size", "4,3", "-k", "2")  # the table is for the further bands too
    assert len(work.table("out.tif")[gdal.GFU_MinMax]) == 5000
    work.write(
        "m.geojson", '{"type": "Polygon", "coordinates": [[[0, 0], [1e-9, 0], [0, 1e-9], [0, 0]]]}'
    )
    work.ok(*grid, "--size", "4,3", "--mask", "m.geojson")
    assert (work.read("out.tif") == -1).all() and work.open("out.tif").GetRasterBand(
        1
    ).GetDefaultRAT() is None


def test_no_style(seeds):
    seeds.ok("--seeds", "s.csv", *GRID, "--no-style", "out.tif")
    assert not seeds.path("out.tif.aux.xml").exists()
    assert seeds.table("out.tif") is None


def test_too_many_seeds_for_a_table(work):
    for n, has in (65535, True), (65536, False):
        lon, lat = globe(n)
        work.csv("s.csv", lon, lat, name=["x"] * n)
        work.ok(
            "--seeds",
            "s.csv",
            "--size",
            "64,32",
            "--metric",
            "great-circle",
            "--overwrite",
            "out.tif",
        )
        assert work.path("out.tif.aux.xml").exists() == has


BAR = "0...10...20...30...40...50...60...70...80...90...100 - done.\n"


def test_progress(seeds):
    assert seeds.ok("--seeds", "s.csv", *GRID, "--progress", "b.tif").stderr == BAR
    assert seeds.ok("--seeds", "s.csv", *GRID, "--progress", "--of", "COG", "c.tif").stderr == BAR
    assert seeds.ok("--seeds", "s.csv", *GRID, "--progress", "--of", "ENVI", "c.bin").stderr == BAR
    done = seeds.ok("--seeds", "s.csv", *GRID, "--progress", "--quiet", "d.tif")
    assert done.stdout == done.stderr == ""


@pytest.mark.parametrize(
    "options,out,whole",
    [
        ([*GRID], "o.tif", True),
        (["--cells-of", "healpix:3", "--cells", "o.csv"], None, True),
        (["--level", "4"], "o.tif", True),
        (["diagram"], "o.gpkg", True),
        (["diagram", "--metric", "great-circle", "--edges-only"], "o.gpkg", True),
        (["search"], "o.csv", True),
        (["search", "--radius", "500km"], "o.csv", True),
        (["search"], "-", True),
        (["weights", "--source", "t.tif", "--target", "healpix:2"], "o.nc", True),
        (["merge", "o.tif", "part1", "part2"], None, True),
        (["--cost", "t.tif"], "o.tif", True),
        (["--size", "40,20", "--barriers", "wall.geojson"], "o.tif", True),
        ([*GRID, "--seeds-crs", "no such system"], "o.tif", False),
        (["diagram", "--crs", "no such system"], "o.gpkg", False),
    ],
)
def test_progress_on_a_terminal(seeds, options, out, whole):
    """The bar goes to stderr alone, from 0 to the end; whatever follows has a line of its own."""
    import os
    import pty

    try:
        master, slave = pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminal here: {error}")
    seeds.ok("--seeds", "s.csv", "--size", "90,45", "t.tif")
    seeds.write("wall.geojson", '{"type": "LineString", "coordinates": [[0, 50], [0, -50]]}')
    for number in (1, 2) if options[0] == "merge" else ():
        seeds.ok("--seeds", "s.csv", "--size", "600,600", "--part", f"{number}/2", f"part{number}")
    sources = {"diagram": ["--seeds", "s.csv"], "search": ["--reference", "s.csv"]}
    sources.update(weights=[], merge=[])
    command = options[:1] if options[0] in sources else []
    source = sources[options[0]] if command else ["--seeds", "s.csv"]
    arguments = [*command, *source, *options[len(command) :], *([out] if out else [])]
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=seeds.directory,
        stdout=subprocess.PIPE,
        stderr=slave,
        timeout=120,
    )
    os.close(slave)
    said = os.read(master, 100000).decode().replace("\r\n", "\n")
    assert b"..." not in done.stdout and done.returncode == (0 if whole else 1)
    lines = said.splitlines(keepends=True)
    assert not whole or BAR in lines
    assert all(line == BAR or line.startswith("gpuvoronoi: ") for line in lines), said


def test_relative_paths_and_odd_names(seeds):
    seeds.path("sub dir").mkdir()
    seeds.ok("--seeds", "s.csv", *GRID, "sub dir/ä b.tif")
    assert sorted(p.name for p in seeds.path("sub dir").iterdir()) == [
        "ä b.qml",
        "ä b.tif",
        "ä b.tif.aux.xml",
    ]
    seeds.ok("--seeds", "s.csv", *GRID, "--", "--out.tif")
    assert seeds.path("--out.tif").exists()


def test_many_tiles_in_order(work):
    """More tiles than the ring of buffers holds, computed by more threads than there are processors."""
    random = np.random.default_rng(9)
    x, y = random.uniform(0, 300, 200), random.uniform(0, 200, 200)
    work.csv("s.csv", x, y, header="x,y")
    for options in [], ["--co", "TILED=NO"], ["--of", "AAIGrid"]:
        work.ok(
            "--seeds",
            "s.csv",
            "--extent",
            "0,0,300,200",
            "--res",
            "0.25",
            "--threads",
            "7",
            "--co",
            "BLOCKXSIZE=64",
            "--co",
            "BLOCKYSIZE=64",
            "--overwrite",
            "a.tif",
        ) if not options else work.ok(
            "--seeds",
            "s.csv",
            "--extent",
            "0,0,300,200",
            "--res",
            "0.25",
            "--threads",
            "7",
            *options,
            "--overwrite",
            "a.tif",
        )
        out = work.open("a.tif")
        assert np.array_equal(out.ReadAsArray(), planar("euclidean", *centers(out), x, y) + 1)


def tiles(path):
    """The bytes of each tile as they lie in the file, in the file's order, and its table of tiles."""
    dataset = gdal.Open(str(path))
    data = path.read_bytes()
    found = []
    for number in range(1, dataset.RasterCount + 1):
        band = dataset.GetRasterBand(number)
        w, h = band.GetBlockSize()
        for y in range((dataset.RasterYSize + h - 1) // h):
            for x in range((dataset.RasterXSize + w - 1) // w):
                at = int(band.GetMetadataItem(f"BLOCK_OFFSET_{x}_{y}", "TIFF"))
                size = int(band.GetMetadataItem(f"BLOCK_SIZE_{x}_{y}", "TIFF"))
                found.append((at, data[at : at + size]))
    return found


@pytest.mark.parametrize(
    "options",
    [
        ["COMPRESS=NONE"],
        ["COMPRESS=ZSTD", "ZSTD_LEVEL=1"],
        ["COMPRESS=ZSTD", "ZSTD_LEVEL=9", "PREDICTOR=2"],
        ["COMPRESS=LZW"],
        ["COMPRESS=LZW", "PREDICTOR=2"],
        ["COMPRESS=DEFLATE", "ZLEVEL=1"],
        ["COMPRESS=DEFLATE", "ZLEVEL=9", "PREDICTOR=2"],
        ["COMPRESS=PACKBITS"],
        ["COMPRESS=NONE", "ENDIANNESS=BIG"],
        ["COMPRESS=LZW", "ENDIANNESS=BIG"],
        ["COMPRESS=DEFLATE", "ZLEVEL=6", "BIGTIFF=YES"],
        ["COMPRESS=NONE", "BIGTIFF=YES"],
    ],
)
@pytest.mark.parametrize("kind", ["Byte", "UInt16", "Int32", "Int64"])
def test_tiles_are_those_that_gdal_writes(work, options, kind):
    """GeoTIFF tiles are encoded past GDAL: the same values given to GDAL make the same bytes, in the same order."""
    name = options[0].split("=")[1]
    if name not in gdal.GetDriverByName("GTiff").GetMetadataItem("DMD_CREATIONOPTIONLIST"):
        pytest.skip(f"this GDAL's GeoTIFF has no {name}")
    lon, lat = globe(400, seed=6)
    work.csv(
        "s.csv",
        lon,
        lat,
        no=[
            (10**12 if kind == "Int64" else 0) + (i % 250 if kind == "Byte" else i)
            for i in range(400)
        ],
    )
    shape = ["BLOCKXSIZE=128", "BLOCKYSIZE=64"]
    given = [f"--co={option}" for option in options + shape]
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "no",
        "--ot",
        kind,
        "--size",
        "1280,640",
        "--metric",
        "great-circle",
        "--threads",
        "3",
        *given,
        "out.tif",
    )
    out = work.open("out.tif")
    values = out.ReadAsArray()
    assert gdal.GetDataTypeName(out.GetRasterBand(1).DataType) == kind
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("gdal.tif")),
        1280,
        640,
        1,
        gdal.GetDataTypeByName(kind),
        ["TILED=YES", *options, *shape],
    )
    made.GetRasterBand(1).WriteArray(values)
    made = None
    assert np.array_equal(gdal.Open(str(work.path("gdal.tif"))).ReadAsArray(), values)
    ours, theirs = tiles(work.path("out.tif")), tiles(work.path("gdal.tif"))
    assert [data for _, data in ours] == [data for _, data in theirs]
    offsets = [at for at, _ in ours]
    assert offsets == sorted(offsets)
    assert all(a + len(data) <= b for (a, data), (b, _) in zip(ours, ours[1:]))


@pytest.mark.parametrize(
    "sides",
    [
        [],
        ["BLOCKXSIZE=128", "BLOCKYSIZE=64"],
        ["BLOCKXSIZE=128"],
        ["BLOCKXSIZE=16", "BLOCKYSIZE=16"],
    ],
)
def test_rasters_of_a_run_are_those_of_runs_of_their_own(work, sides):
    """Whatever their formats, and with a raster that never gets a place: of polygons."""
    work.csv("s.csv", LON, LAT)
    common = [
        "--seeds",
        "s.csv",
        "--metric",
        "great-circle",
        "--size",
        "700,401",
        "--extent",
        "-170,-80,180,75",
    ]
    shape = [f"--co={side}" for side in sides]
    work.ok(*common, *shape, "--distance", "d.tif", "a.tif")
    for name, option in ("p.fgb", "--polygons"), ("b.tif", "--azimuth"):
        work.ok(*common, *shape, "--distance", "e.tif", option, name, "--overwrite")
        assert np.array_equal(work.read("e.tif"), work.read("d.tif"), equal_nan=True)
    work.ok(*common, "--distance", "d.bil", "c.tif")
    assert np.array_equal(work.read("d.bil"), work.read("d.tif"), equal_nan=True)
    assert np.array_equal(work.read("c.tif"), work.read("a.tif"))


def test_one_encoding_serves_all_tiles_of_a_value(work):
    """Regions larger than many tiles, in more values than are kept."""
    x = np.arange(0, 6400, 64.0)
    work.csv("s.csv", x + 32, np.full(100, 50.0), no=[i * 64 for i in range(100)], header="x,y")
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "no",
        "--extent",
        "0,0,6400,2000",
        "--res",
        "1",
        "--co",
        "BLOCKXSIZE=64",
        "--co",
        "BLOCKYSIZE=64",
        "out.tif",
    )
    values = work.read("out.tif")
    assert np.array_equal(values, np.broadcast_to(np.repeat(np.arange(100) * 64, 64), values.shape))


@pytest.mark.parametrize(
    "options,size",
    [
        ([], "1700,1101"),
        (["BLOCKSIZE=128"], "1001,777"),
        (["RESAMPLING=MODE"], "1100,600"),
        (["OVERVIEWS=NONE"], "1100,600"),
        (["OVERVIEW_COUNT=1"], "2200,1200"),
        (["OVERVIEW_RESAMPLING=MODE"], "1100,600"),
        ([], "1300,2"),
        ([], "3,1300"),
    ],
)
@pytest.mark.parametrize("extra", [[], ["-k", "3"]])
def test_cog_is_the_one_that_gdal_makes(work, options, size, extra):
    """Overviews are made by all threads past GDAL; with GDAL's own from the same cells the file is the same."""
    work.csv("s.csv", LON, LAT)
    common = ["--seeds", "s.csv", "--metric", "great-circle", "--size", size, *extra]
    work.ok(*common, "plain.tif")
    work.ok(
        *common,
        "--of",
        "COG",
        "--threads",
        "3",
        *[f"--co={option}" for option in options],
        "cog.tif",
    )
    defaults = ["COMPRESS=ZSTD", "LEVEL=1", "BIGTIFF=IF_SAFER"]
    if not any(option.startswith("RESAMPLING") for option in options):
        defaults += (
            ["OVERVIEW_RESAMPLING=NEAREST"]
            if not any("OVERVIEW_RES" in option for option in options)
            else []
        )
    gdal.Translate(
        str(work.path("gdal.tif")),
        str(work.path("plain.tif")),
        format="COG",
        creationOptions=defaults + options,
    )
    ours, theirs = work.open("cog.tif"), work.open("gdal.tif")
    assert ours.GetMetadata("IMAGE_STRUCTURE") == theirs.GetMetadata("IMAGE_STRUCTURE")
    for number in range(1, theirs.RasterCount + 1):
        a, b = ours.GetRasterBand(number), theirs.GetRasterBand(number)
        assert np.array_equal(a.ReadAsArray(), b.ReadAsArray())
        assert a.GetOverviewCount() == b.GetOverviewCount() and a.GetBlockSize() == b.GetBlockSize()
        for i in range(a.GetOverviewCount()):
            assert np.array_equal(a.GetOverview(i).ReadAsArray(), b.GetOverview(i).ReadAsArray())


@pytest.mark.parametrize("first", [2**30 + 1, 10**12 + 1])
def test_overviews_keep_large_ids(work, first):
    """GDAL 3.6 makes overviews in float32, where integers end at 2^24: not for these."""
    work.csv("s.csv", LON, LAT, no=[first + i for i in range(40)])
    work.ok(
        "--seeds",
        "s.csv",
        "--id",
        "no",
        "--metric",
        "great-circle",
        "--size",
        "1700,1101",
        "--of",
        "COG",
        "out.tif",
    )
    band = work.open("out.tif").GetRasterBand(1)
    values = band.ReadAsArray()
    assert band.GetOverviewCount() == 2
    for i in range(2):
        step = 2 ** (i + 1)
        small = band.GetOverview(i).ReadAsArray()
        whole = values[::step, ::step][: small.shape[0], : small.shape[1]]
        assert set(np.unique(small)) <= set(np.unique(values)) and np.mean(small == whole) > 0.99
