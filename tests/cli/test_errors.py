"""What bad input gets: one line, the right status, no output, and whatever was there before untouched."""

import json
import os
import resource
import subprocess

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import COMMAND, build_shim

LON, LAT = [-100.0, 10.0, 120.0], [40.0, 50.0, -30.0]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, no=[1, 2, 3], real=[1.5, 2, 3])
    return work


# Wrong usage: status 2.


@pytest.mark.parametrize(
    "arguments,has",
    [
        ([], "missing command or options"),
        (["out.tif"], "--seeds"),
        (["--seeds", "s.csv"], "output"),
        (["--seeds", "s.csv", "a.tif", "b.tif"], "b.tif"),
        (["--seeds", "s.csv", "--frobnicate", "out.tif"], "--frobnicate"),
        (["--seeds", "s.csv", "--over", "out.tif"], "--over"),
        (["--seeds", "s.csv", "--overwrite=1", "out.tif"], "unexpected value"),
        (["--seeds", "s.csv", "out.tif", "--res"], "missing value"),
        (["--seeds", "s.csv", "--res", "a", "out.tif"], "--res"),
        (["--seeds", "s.csv", "--res", "1,2,3", "out.tif"], "--res"),
        (["--seeds", "s.csv", "--size", "10", "out.tif"], "--size"),
        (["--seeds", "s.csv", "--size", "1.5,2", "out.tif"], "--size"),
        (["--seeds", "s.csv", "--size", "99999999999999999999,2", "out.tif"], "--size"),
        (["--seeds", "s.csv", "--extent", "0,0,1", "out.tif"], "--extent"),
        (["--seeds", "s.csv", "--metric", "euclid", "out.tif"], "--metric"),
        (["--seeds", "s.csv", "--threads", "0", "out.tif"], "--threads"),
        (["--seeds", "s.csv", "--nodata", "x", "out.tif"], "--nodata"),
        (["--seeds", "s.csv", "--co", "COMPRESS", "out.tif"], ["--co", "NAME=VALUE"]),
        (["--seeds", "s.csv", "--oo", "=x", "out.tif"], ["--oo", "NAME=VALUE"]),
        (["--seeds", "s.csv", "--res", "1", "--size", "5,5", "out.tif"], "two grid definitions"),
        (
            ["--seeds", "s.csv", "--like", "like.tif", "--size", "5,5", "out.tif"],
            "two grid definitions",
        ),
        (
            ["--seeds", "s.csv", "--like", "like.tif", "--res", "5", "out.tif"],
            "two grid definitions",
        ),
        (
            ["--seeds", "s.csv", "--like", "like.tif", "--extent", "0,0,5,5", "out.tif"],
            "two grid definitions",
        ),
        (["backends", "x"], "backends"),
    ],
)
def test_usage(seeds, arguments, has):
    seeds.fails(*arguments, status=2, has=has)


# Errors: status 1.


@pytest.mark.parametrize(
    "arguments,has",
    [
        (["--seeds", "missing.csv"], "missing.csv"),
        (["--seeds", "."], "."),
        (["--seeds", "text.txt"], "text.txt"),
        (["--seeds", "s.csv", "--layer", "nope"], ["nope", "s"]),
        (["--seeds", "s.csv", "--id", "nope"], ["nope", "no, real"]),
        (["--seeds", "s.csv", "--id", "real"], ["real", "integers"]),
        (["--seeds", "s.csv", "--where", "no > 100"], "--where selects none"),
        (["--seeds", "s.csv", "--where", "nope = 1"], ["--where", "nope"]),
        (["--seeds", "s.csv", "--where", "no >"], "--where"),
        (["--seeds", "empty.csv"], "empty"),
        (["--seeds", "nothing.csv"], ["lon", "x and y"]),
        (["--seeds", "nan.csv"], "row 2"),
        (["--seeds", "inf.csv"], "row 2"),
        (["--seeds", "text.csv"], ["row 2", "abc"]),
        (["--seeds", "blank.csv"], ["row 2", "empty"]),
        (["--seeds", "lat.csv"], ["row 2", "91"]),
        (["--seeds", "lat.csv", "--metric", "great-circle"], ["row 2", "91"]),
        (
            [
                "--seeds",
                "poly.geojson",
                "--crs",
                "EPSG:3857",
                "--metric",
                "euclidean",
                "--edges",
                "geodesic",
            ],
            "--edges geodesic",
        ),
        (["--seeds", "null.geojson"], "no geometry"),
        (["--seeds", "s.csv", "--seeds-crs", "EPSG:999999"], ["--seeds-crs", "999999"]),
        (["--seeds", "s.csv", "--crs", "nonsense"], ["--crs", "nonsense"]),
        (["--seeds", "s.csv", "--seeds-crs", "EPSG:32633"], "degrees"),
        (["--seeds", "xy.csv", "--metric", "geodesic"], ["geodesic", "--seeds-crs"]),
        (["--seeds", "xy.csv", "--metric", "great-circle"], ["great-circle", "--seeds-crs"]),
        (["--seeds", "xy.csv", "--crs", "EPSG:32633"], "--seeds-crs"),
        (
            [
                "--seeds",
                "xy.csv",
                "--seeds-crs",
                'LOCAL_CS["site",UNIT["metre",1]]',
                "--metric",
                "geodesic",
            ],
            "site",
        ),
        (["--seeds", "s.csv", "--crs", "EPSG:4978"], "geocentric"),
        (["--seeds", "s.csv", "--size", "0,5"], "--size"),
        (["--seeds", "s.csv", "--size", "5,-5"], "--size"),
        (["--seeds", "s.csv", "--size", "3000000000,5"], "--size"),
        (["--seeds", "s.csv", "--res", "0"], "--res"),
        (["--seeds", "s.csv", "--res", "-1"], "--res"),
        (["--seeds", "s.csv", "--res", "1,0"], "--res"),
        (["--seeds", "s.csv", "--res", "nan"], "--res"),
        (["--seeds", "s.csv", "--res", "1e-9"], ["--res", "2147483647"]),
        (["--seeds", "s.csv", "--res", "1000"], ["--res", "half a cell"]),
        (["--seeds", "s.csv", "--extent", "10,0,-10,5"], ["--extent", "360"]),
        (["--seeds", "s.csv", "--extent", "0,5,10,5"], "--extent"),
        (["--seeds", "s.csv", "--extent", "0,nan,10,5"], "--extent"),
        (["--seeds", "s.csv", "--extent", "0,80,10,100", "--res", "1"], "latitudes"),
        (["--seeds", "s.csv", "--like", "like.tif", "--crs", "EPSG:3857"], "two grid definitions"),
        (["--seeds", "s.csv", "--like", "missing.tif"], ["--like", "missing.tif"]),
        (["--seeds", "s.csv", "--of", "NOPE"], ["--of", "NOPE"]),
        (["--seeds", "s.csv", "--of", "GeoJSON"], ["--of", "GeoJSON"]),
        (["--seeds", "s.csv", "--co", "FOO=BAR"], ["--co", "FOO"]),
        (["--seeds", "s.csv", "--co", "COMPRESS=FOO"], ["--co", "FOO"]),
        (
            ["--seeds", "s.csv", "--of", "COG", "--co", "RESAMPLING=AVERAGE"],
            ["RESAMPLING=AVERAGE", "NEAREST"],
        ),
        (["--seeds", "s.csv", "--of", "COG", "--co", "overview_resampling=cubic"], "NEAREST"),
        (["--seeds", "s.csv", "--of", "PNG"], ["Int32", "PNG"]),
        (["--seeds", "s.csv", "--backend", "nope"], "nope"),
        (["--seeds", "s.csv", "--nodata", "2"], ["--nodata", "seed"]),
        (["--seeds", "s.csv", "--nodata", "3000000000"], ["--nodata", "Int32"]),
        (["--seeds", "multi.gpkg"], ["--layer", "a, b"]),
        (["--seeds", "poly.geojson", "--level", "2", "--snap-seeds"], "--snap-seeds"),
        (["--seeds", "allbad.csv", "--skip-invalid"], "seeds: missing; 2 were skipped"),
    ],
)
def test_errors(seeds, arguments, has):
    work = seeds
    work.write("text.txt", "no vector source\n")
    work.write("empty.csv", "lon,lat\n")
    work.write("nothing.csv", "a,b\n1,2\n")
    for name, bad in dict(nan="nan,5", inf="5,inf", text="5,abc", blank=",5", lat="5,91").items():
        work.write(f"{name}.csv", f"lon,lat\n0,0\n{bad}\n1,1\n")
    work.write("allbad.csv", "lon,lat\n,0\nx,0\n")
    work.write("xy.csv", "x,y\n0,0\n10,10\n")
    work.write(
        "poly.geojson",
        '{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":'
        "[[[0,0],[1,0],[1,1],[0,0]]]}}",
    )
    work.write(
        "null.geojson",
        '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":'
        'null},{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,1]'
        "}}]}",
    )
    work.raster("like.tif", (0, 1, 0, 10, 0, -1), (10, 10), 4326)
    if "multi.gpkg" in arguments:
        source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("multi.gpkg")))
        source.CreateLayer("a", geom_type=ogr.wkbPoint)
        source.CreateLayer("b", geom_type=ogr.wkbPoint)
        source = None
    work.fails(*arguments, "out.tif", has=has)
    work.write("out.tif", "something precious")  # and what was there before stays, to the byte
    work.fails(*arguments, "--overwrite", "out.tif", has=has)


def test_ids_of_a_type_that_can_be_no_id(work):
    work.points(
        "s.gpkg",
        "GPKG",
        LON,
        LAT,
        fields=[("when", ogr.OFTDate), ("size", ogr.OFTReal)],
        rows=[("2024/01/01", 1.0)] * 3,
    )
    work.fails("--seeds", "s.gpkg", "--id", "when", "out.tif", has=["when", "Date"])
    work.fails("--seeds", "s.gpkg", "--id", "size", "out.tif", has=["size", "Real"])


def test_missing_id_names_the_row(work):
    work.csv("s.csv", LON, LAT, no=[1, "", 3])
    work.fails("--seeds", "s.csv", "--id", "no", "out.tif", has=["row 2", "no"])


def test_seed_without_a_place_in_the_grid(work):
    """The gnomonic projection shows one hemisphere; on the globe the same seed is valid."""
    work.csv("s.csv", [0, 0], [80, -80])
    crs = ["--crs", "+proj=gnom +lat_0=90 +datum=WGS84"]
    work.fails("--seeds", "s.csv", *crs, "out.tif", has="row 2")
    work.ok("--seeds", "s.csv", *crs, "--metric", "great-circle", "--size", "20,10", "out.tif")


def test_existing_output_needs_overwrite(seeds):
    seeds.write("out.tif", "something precious")
    seeds.fails("--seeds", "s.csv", "out.tif", has=["exists", "--overwrite"])
    seeds.ok("--seeds", "s.csv", "--size", "20,10", "--overwrite", "out.tif")
    assert seeds.read("out.tif").shape == (10, 20)


def test_overwriting_drops_stale_side_files(seeds):
    seeds.ok("--seeds", "s.csv", "--size", "20,10", "out.tif")
    seeds.write("out.tif.ovr", "old overviews")
    assert seeds.path("out.tif.aux.xml").exists()
    seeds.ok("--seeds", "s.csv", "--size", "20,10", "--no-style", "--overwrite", "out.tif")
    assert not seeds.path("out.tif.aux.xml").exists() and not seeds.path("out.tif.ovr").exists()


def test_output_is_an_input(seeds):
    seeds.fails("--seeds", "s.csv", "--overwrite", "s.csv", "--of", "GTiff", has="input")
    seeds.raster("like.tif", (0, 1, 0, 10, 0, -1), (10, 10), 4326)
    seeds.fails("--seeds", "s.csv", "--like", "like.tif", "--overwrite", "./like.tif", has="input")


def test_output_is_a_file_of_an_input(seeds):
    """Formats of several files: each of them is the input, not only the one that is named."""
    seeds.points("t.shp", "ESRI Shapefile", LON, LAT)
    seeds.raster("p.tif", (0, 1, 0, 10, 0, -1), (10, 10), 4326)
    gdal.Translate(str(seeds.path("e.bin")), str(seeds.path("p.tif")), format="ENVI")
    gdal.BuildVRT(str(seeds.path("p.vrt")), [str(seeds.path("p.tif"))]).FlushCache()
    before = {path: path.read_bytes() for path in seeds.directory.iterdir()}
    grid = ["--size", "20,10", "--overwrite"]
    seeds.fails(
        "--seeds", "t.shp", *grid, "--stats", "t.dbf", "out.tif", has=["--stats: t.dbf", "input"]
    )
    seeds.fails("--seeds", "t.shp", *grid, "--of", "GTiff", "./t.shx", has=["./t.shx", "input"])
    seeds.fails(
        "--seeds",
        "s.csv",
        "--mask",
        "t.shp",
        *grid,
        "--polygons",
        "t.dbf",
        "out.tif",
        has="--polygons",
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        *grid,
        "--stats",
        "o.csv",
        "--sum",
        "p.vrt",
        "p.tif",
        has=["p.tif", "input"],
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--like",
        "e.bin",
        "--overwrite",
        "--of",
        "GTiff",
        "e.hdr",
        has=["e.hdr", "input"],
    )
    assert before == {path: path.read_bytes() for path in seeds.directory.iterdir()}
    seeds.ok("--seeds", "t.shp", *grid, "--stats", "other.dbf", "out.tif")
    seeds.ok("--seeds", "t.shp", *grid, "--stats", "other.dbf", "out.tif")


def test_output_directory(seeds):
    seeds.fails("--seeds", "s.csv", "no/such/out.tif", has="no/such")
    seeds.path("dir.tif").mkdir()
    seeds.fails("--seeds", "s.csv", "--overwrite", "dir.tif", has="directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_output_directory_without_permission(seeds):
    seeds.path("locked").mkdir(mode=0o555)
    seeds.fails("--seeds", "s.csv", "locked/out.tif", has="locked")


def test_unknown_extension(seeds):
    seeds.fails("--seeds", "s.csv", "out.nope", has="--of")
    seeds.fails("--seeds", "s.csv", "out", has="--of")
    seeds.ok("--seeds", "s.csv", "--size", "20,10", "--of", "GTiff", "out")


@pytest.mark.parametrize(
    "options",
    [
        ["--co", "COMPRESS=NONE"],
        ["--co", "COMPRESS=NONE", "--co", "TILED=NO"],
        ["--of", "COG", "--co", "COMPRESS=NONE"],
        ["--of", "ENVI"],
    ],
)
@pytest.mark.parametrize("kilobytes", [40, 700])
def test_full_disk(seeds, options, kilobytes):
    """A limit on file sizes stands for a disk that fills up, early and late in a file of about 800 kB."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))

    arguments = ["--seeds", "s.csv", "--size", "600,340", *options, "--overwrite", "out.tif"]
    if "COG" in options:
        arguments[3] = "600,1200"  # the copy outgrows the limit, its compressed source does not
    seeds.write("out.tif", "something precious")
    seeds.fails(*arguments, has="cannot write", preexec_fn=limit)
    seeds.ok(*arguments)


def test_mask_cut_off(seeds):
    """What cannot be read while blocks are written is named, not the output."""
    mask = gdal.GetDriverByName("GTiff").Create(
        str(seeds.path("m.tif")), 600, 340, 1, gdal.GDT_Byte
    )
    mask.SetGeoTransform([-180, 0.6, 0, 90, 0, -0.5])
    mask.SetProjection("EPSG:4326")
    mask.GetRasterBand(1).WriteArray(np.ones((340, 600), np.uint8))
    mask = None
    whole = seeds.path("m.tif").read_bytes()
    seeds.path("m.tif").write_bytes(whole[: len(whole) // 2])
    line = seeds.fails(
        "--seeds",
        "s.csv",
        "--size",
        "600,340",
        "--mask",
        "m.tif",
        "out.tif",
        has="--mask: cannot read m.tif: ",
    )
    assert "out.tif" not in line


@pytest.mark.parametrize("extension", ["geojson", "geojsonl", "gml", "fgb", "csv", "gpkg", "shp"])
@pytest.mark.parametrize("option", ["--stats", "--polygons", "--cells"])
def test_full_disk_for_features(work, option, extension):
    """Not every driver of OGR notices that what it writes gets lost, least of all at the end of the file."""
    random = np.random.default_rng(5)
    work.csv("s.csv", random.uniform(-180, 180, 1500), random.uniform(-90, 90, 1500))
    name = f"t.{extension}"
    arguments = [
        "--seeds",
        "s.csv",
        "--size",
        "90,45",
        "--metric",
        "great-circle",
        "--level",
        "4",
        "--overwrite",
        option,
        name,
        "out.tif",
    ]
    work.ok(*arguments)
    size, whole = work.path(name).stat().st_size, work.path(name).read_bytes()
    work.ok(*arguments)
    for limit in size - 1, size - 1000, size // 2:
        line = work.fails(
            *arguments,
            has="cannot write",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        assert (
            name in line or "out.tif.aux.xml" in line or "out.qml" in line
        )  # which have the names of all seeds
    if extension not in ("gpkg", "gml"):  # which hold the time
        assert work.path(name).read_bytes() == whole


def test_full_file_system(seeds):
    """The real thing, where mounting is allowed."""
    disk = seeds.path("disk")
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        for options in (["--co", "COMPRESS=NONE"], ["--of", "COG", "--co", "COMPRESS=NONE"]):
            done = seeds.run("--seeds", "s.csv", "--size", "600,600", *options, "disk/out.tif")
            assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
            assert list(disk.iterdir()) == []
        seeds.csv("many.csv", np.linspace(-180, 180, 3000), np.linspace(-90, 90, 3000))
        for name in "t.geojson", "t.gml", "t.fgb":
            seeds.fails(
                "--seeds",
                "many.csv",
                "--size",
                "90,45",
                "--stats",
                f"disk/{name}",
                "out.tif",
                has=[f"cannot write disk/{name}"],
            )
            assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize(
    "size, name, has", [("40k", "t.gpkg", "full"), ("4k", "t.shp", "free space on its disk")]
)
def test_full_file_system_from_the_start(seeds, size, name, has):
    """GDAL goes on after what it could not create, and reports what it then does not find."""
    disk = seeds.path("disk")
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        for command in (["search", "--reference"], ["diagram", "--seeds"]):
            line = seeds.fails(*command, "s.csv", f"disk/{name}", has=[f"disk/{name}", has])
            assert "no such table" not in line
            assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_fatal_errors_of_gdal(seeds, tmp_path_factory):
    """GDAL ends the process itself when out of memory: the reason is printed, and temporary files are removed."""
    shim = build_shim(tmp_path_factory.mktemp("shim"), "fatal")
    arguments = [
        "--seeds",
        "s.csv",
        "--size",
        "60,30",
        "--distance",
        "d.tif",
        "--overwrite",
        "out.tif",
    ]
    seeds.write("out.tif", "something precious")
    for number in 1, 2:
        seeds.fails(
            *arguments,
            env={**shim, "FATAL": str(number)},
            has="GDAL: fatal error: CPLMalloc(): Out of memory allocating",
        )
    seeds.ok(*arguments, env={**shim, "FATAL": "100"})


def test_blocks_too_large_for_the_library(seeds):
    """Tiles of 16384 x 1024 cells are too large for blocks; they are filled from rows of cells."""
    grid = ["--seeds", "s.csv", "--size", "16500,1030"]
    tiles = ["--co", "TILED=YES", "--co", "BLOCKXSIZE=16384", "--co", "BLOCKYSIZE=1024"]
    seeds.ok(*grid, *tiles, "--metric", "great-circle", "out.tif")
    seeds.ok(*grid, "--metric", "great-circle", "plain.tif")
    assert seeds.open("out.tif").GetRasterBand(1).GetBlockSize() == [16384, 1024]
    assert np.array_equal(seeds.read("out.tif"), seeds.read("plain.tif"))


def test_help_and_version(work):
    assert "--skip-invalid" in work.ok("--help").stdout
    assert work.ok("--version").stdout.startswith("gpuvoronoi 1.")
    assert "serial" in work.ok("backends").stdout
    assert subprocess.run([COMMAND, "--seeds", "x", "--help"], capture_output=True).returncode == 0


def test_backends_matrix(work):
    """Every box says yes or has a letter, and every letter is explained."""
    lines = work.ok("backends", "--matrix").stdout.splitlines()
    rows = {line.split()[0]: line.split() for line in lines[3:]}
    assert rows["serial"][1:21] == ["4096"] + ["yes"] * 19
    letters = {word for row in rows.values() for before, word in zip(row, row[1:]) if before == "-"}
    assert letters <= {name for name in rows if len(name) == 1}
    work.fails("backends", "--matrix", "--json", status=2)


def test_what_backends_refuse_is_said(work):
    """Weights, metrics and dimensions: in the matrix, in JSON, in --help-all, and as the command then does."""
    lines = work.ok("backends", "--matrix").stdout.splitlines()
    weights = lines[2].index("weights")
    rows = {line.split()[0]: line for line in lines[3:]}
    listed = {row["name"]: row for row in json.loads(work.ok("backends", "--json").stdout)}
    grids, points = (
        " ".join(work.ok(*command, "--help-all").stdout.split()) for command in ([], ["search"])
    )
    weighted = [name for name, row in listed.items() if row["weighted_grids"]]
    assert set(listed) == {name for name in rows if len(name) > 1}
    assert (
        f"with --weighting only: {', '.join(weighted)}; not manhattan: cuda-cublas, cuda-tensor; not chebyshev: cuda-cublas, cuda-tensor"
        in grids
    )
    assert (
        "; not manhattan: cuda-cublas, cuda-tensor; not chebyshev: cuda-cublas, cuda-tensor; up to 3 dimensions: octree, cuda-octree; "
        "up to 128 dimensions: cuda-kdtree" in points
    )
    work.csv("w.csv", [1, 2, 3], [1, 2, 3], header="x,y", w=[1, 2, 3])
    for name, row in listed.items():
        letter = rows[name][weights:].split()
        assert (letter[0] == "yes") == row["weighted_grids"]
        if letter[0] != "yes":
            assert rows[letter[1]].split(None, 1)[1] == "supports only grids without weights"
        assert list(row["refused_metrics"]) == (
            ["manhattan", "chebyshev"] if name in ("cuda-cublas", "cuda-tensor") else []
        )
        assert str(row["max_dim"]) == rows[name].split()[1]
        if row["available"]:
            done = work.run(
                "--seeds",
                "w.csv",
                "--size",
                "9,9",
                "--weighting",
                "additive",
                "--weight-field",
                "w",
                "--backend",
                name,
                "--overwrite",
                "out.tif",
            )
            assert (done.returncode == 0) == row["weighted_grids"], done.stderr
