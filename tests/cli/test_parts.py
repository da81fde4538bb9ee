"""Parts of a raster (--part), and what `gpuvoronoi merge` makes of them: the bytes of one run, side files included."""

import json
import math
import os
import resource
import shutil
import struct

import numpy as np
import pytest
from conftest import Work, globe
from part_forging import forge
from osgeo import gdal, ogr

LONG = bool(os.environ.get("GPUVORONOI_LONG"))


def seeds(work, n=60):
    x, y = globe(n)
    return work.csv(
        "seeds.csv",
        x,
        y,
        name=[f"s{i}" for i in range(n)],
        w=[f"{1 + i % 7 / 3:.3f}" for i in range(n)],
    )


def multipoints(work):
    """Several seeds of one feature, and so of one id."""
    source = ogr.GetDriverByName("GeoJSON").CreateDataSource(str(work.path("many.geojson")))
    layer = source.CreateLayer("many", geom_type=ogr.wkbMultiPoint)
    x, y = globe(80, seed=4)
    for i in range(20):
        feature = ogr.Feature(layer.GetLayerDefn())
        points = ",".join(f"({a} {b})" for a, b in zip(x[4 * i : 4 * i + 4], y[4 * i : 4 * i + 4]))
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"MULTIPOINT ({points})"))
        layer.CreateFeature(feature)
    source = None
    return "many.geojson"


def shapes(work):
    source = ogr.GetDriverByName("GeoJSON").CreateDataSource(str(work.path("shapes.geojson")))
    layer = source.CreateLayer("shapes")
    for text in (
        "LINESTRING (-100 50, 20 10, 30 -40)",
        "POLYGON ((0 0, 40 0, 40 30, 0 30, 0 0))",
        "POINT (-60 -60)",
    ):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        layer.CreateFeature(feature)
    source = None
    return "shapes.geojson"


def values(work, name, size=(70, 40), most=5, seed=2):
    made = gdal.GetDriverByName("GTiff").Create(str(work.path(name)), *size, 1, gdal.GDT_Int32)
    made.SetGeoTransform((-180, 360 / size[0], 0, 90, 0, -180 / size[1]))
    made.SetProjection("EPSG:4326")
    made.GetRasterBand(1).WriteArray(
        np.random.default_rng(seed).integers(0, most, (size[1], size[0]))
    )
    made = None
    return name


SMALL = ["--size", "500,390", "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=64"]  # 8 x 7 tiles

# Options, outputs, and OUT.
CASES = {
    "all": lambda w: (
        ["--seeds", seeds(w), *SMALL, "-k", "2"],
        {
            "--distance": "d.tif",
            "--azimuth": "a.tif",
            "--stats": "t.csv",
            "--polygons": "p.geojson",
        },
        "o.tif",
    ),
    "mask": lambda w: (
        [
            "--seeds",
            seeds(w),
            *SMALL,
            "--mask",
            values(w, "mask.tif", most=2),
            "--max-distance",
            "2000km",
            "--sum",
            "people=" + values(w, "people.tif", seed=5),
            "--sum",
            values(w, "cows.tif", (33, 71), 900),
        ],
        {"--stats": "t.gpkg"},
        "o.tif",
    ),
    "sum of another system": lambda w: (
        [
            "--seeds",
            seeds(w),
            *SMALL,
            "--crs",
            "EPSG:3857",
            "--extent=-2e7,-2e7,2e7,2e7",
            "--metric",
            "great-circle",
            "--sum",
            values(w, "people.tif", seed=5),
        ],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "cog": lambda w: (
        ["--seeds", seeds(w), "--size", "1100,1200", "--of", "COG"],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "same ids": lambda w: (
        ["--seeds", multipoints(w), *SMALL],
        {"--distance": "d.tif", "--stats": "t.csv"},
        "o.tif",
    ),
    "one tile high": lambda w: (["--seeds", seeds(w), "--size", "300,200"], {}, "o.tif"),
    "group": lambda w: (
        ["--seeds", multipoints(w), *SMALL, "--group"],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "weights": lambda w: (
        [
            "--seeds",
            seeds(w),
            *SMALL,
            "--weighting",
            "additive",
            "--weight-field",
            "w",
            "--metric",
            "great-circle",
        ],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "shapes": lambda w: (
        [
            "--seeds",
            shapes(w),
            *SMALL,
            "--signed-distance",
            "--distance-unit",
            "km",
            "--distance-type",
            "Float64",
        ],
        {"--distance": "d.tif", "--stats": "t.csv"},
        "o.tif",
    ),
    "cells": lambda w: (
        ["--seeds-raster", values(w, "r.tif"), "--values", "3,4", *SMALL[2:], "--size", "490,400"],
        {"--distance": "d.tif", "--stats": "t.csv", "--polygons": "p.geojson"},
        "o.tif",
    ),
    "by cell": lambda w: (
        ["--seeds-raster", values(w, "r.tif", (300, 260), 90), "--by-cell"],
        {"--azimuth": "a.tif"},
        "o.tif",
    ),
    "per value": lambda w: (
        [
            "--seeds-raster",
            values(w, "r.tif", (200, 200), 5),
            "--distance-per-value",
            "--co",
            "BLOCKXSIZE=64",
            "--co",
            "BLOCKYSIZE=64",
        ],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "level": lambda w: (
        ["--seeds", seeds(w), "--level", "5", *SMALL],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "plane": lambda w: (
        [
            "--seeds",
            seeds(w),
            "--crs",
            "EPSG:3035",
            "--extent",
            "2500000,1400000,7500000,5500000",
            *SMALL,
        ],
        {"--distance": "d.tif", "--stats": "t.csv"},
        "o.tif",
    ),
    "bytes": lambda w: (
        ["--seeds", seeds(w), *SMALL, "--ot", "Byte"],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "picture": lambda w: (
        ["--seeds", seeds(w), "--size", "700,1100", "--ot", "Byte", "--of", "PNG"],
        {},
        "o.png",
    ),
    "rows": lambda w: (["--seeds", seeds(w), "--size", "700,1100", "--of", "ENVI"], {}, "o.dat"),
    "tiles of 64": lambda w: (
        ["--seeds", multipoints(w), "--size", "700,1100", "--of", "HFA"],
        {},
        "o.img",
    ),
    "strips": lambda w: (
        ["--seeds", seeds(w), "--size", "700,1100", "--co", "TILED=NO", "--co", "COMPRESS=LZW"],
        {},
        "o.tif",
    ),
    "bytes reversed": lambda w: (
        [
            "--seeds",
            seeds(w),
            *SMALL,
            "--co",
            "COMPRESS=DEFLATE",
            "--co",
            "PREDICTOR=2",
            "--co",
            "ZLEVEL=9",
            "--co",
            "ENDIANNESS=BIG",
        ],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "plain": lambda w: (["--seeds", seeds(w), *SMALL, "--co", "COMPRESS=NONE"], {}, "o.tif"),
    "lossy": lambda w: (
        ["--seeds", seeds(w), *SMALL, "--co", "COMPRESS=LERC", "--co", "MAX_Z_ERROR=0"],
        {"--distance": "d.tif"},
        "o.tif",
    ),
    "attribute": lambda w: (
        ["--seeds", seeds(w), *SMALL, "--attribute", "w", "--max-distance", "3000km"],
        {"--stats": "t.csv"},
        "o.tif",
    ),
    "columns": lambda w: (
        ["--seeds", seeds(w), *SMALL, "-k", "3", "--no-style", "--co", "INTERLEAVE=PIXEL"],
        {},
        "o.tif",
    ),
}
SAMPLE = {
    "all": (3,),
    "mask": (2,),
    "same ids": (4,),
    "cells": (2,),
    "rows": (2,),
    "attribute": (2,),
}


def files(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def outputs_in(folder, outputs):
    return [word for option, name in outputs.items() for word in (option, f"{folder}/{name}")]


def part_run(work, question, outputs, number, of):
    name = f"parts/{number}.tif"
    work.ok(*question, *outputs_in("two", outputs), "--part", f"{number}/{of}", name)
    return name


@pytest.mark.parametrize(
    "case,n", [(c, n) for c in CASES for n in ((1, 2, 3, 4, 7) if LONG else SAMPLE.get(c, ()))]
)
def test_bytes_of_one_run(work, case, n):
    question, outputs, out = CASES[case](work)
    for folder in ("one", "two", "parts"):
        work.path(folder).mkdir()
    one = work.ok(*question, *outputs_in("one", outputs), f"one/{out}")
    blocks = work.run(
        *question, *outputs_in("two", outputs), "--part", f"{n}/{n}", "parts/last.tif"
    )
    if blocks.returncode != 0 and "too many parts" in blocks.stderr:
        pytest.skip("fewer rows of tiles than parts")
    assert blocks.returncode == 0, blocks.stderr
    work.path("parts/last.tif").unlink()
    parts = [part_run(work, question, outputs, i, n) for i in range(1, n + 1)]
    assert sorted(p.name for p in work.path("parts").iterdir()) == sorted(
        p.split("/")[1] for p in parts
    )
    assert files(work.path("two")) == {}
    two = work.ok("merge", *outputs_in("two", outputs), f"two/{out}", *parts[::-1])
    a, b = files(work.path("one")), files(work.path("two"))
    assert sorted(a) == sorted(b)
    for name in a:
        if name.endswith(".gpkg"):  # which have times in them
            assert rows(work.path("one") / name) == rows(work.path("two") / name)
        else:
            assert a[name] == b[name], name
    assert two.stderr == one.stderr  # warnings
    assert [line for line in two.summary.splitlines() if "cells:" in line] == [
        line for line in one.summary.splitlines() if "cells:" in line
    ]


def rows(path):
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)  # must outlive its layer
    return [f.ExportToJson() for f in source.GetLayer(0)]


QUESTION = ["--seeds", "seeds.csv", *SMALL, "-k", "2", "--stats", "t.csv", "--distance", "d.tif"]
THREE = ["p1.tif", "p2.tif", "p3.tif"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three parts of one run, and what that makes."""
    work = Work(tmp_path_factory.mktemp("parts"))
    seeds(work)
    for i, part in enumerate(THREE, 1):
        work.ok(*QUESTION, "--part", f"{i}/3", part)
    work.ok(*QUESTION, "--polygons", "p.geojson", "whole.tif")
    return work


@pytest.fixture
def three(made, work):
    for name in ("seeds.csv", *THREE):
        shutil.copy(made.path(name), work.path(name))
    return THREE


def test_parts_are_rasters_of_their_rows(made):
    whole = gdal.Open(str(made.path("whole.tif")))
    first = 0
    for part in THREE:
        raster = gdal.Open(str(made.path(part)))
        assert raster.GetGeoTransform()[3] == pytest.approx(
            whole.GetGeoTransform()[3] + first * whole.GetGeoTransform()[5]
        )
        assert np.array_equal(
            raster.ReadAsArray(), whole.ReadAsArray(0, first, 500, raster.RasterYSize)
        )
        first += raster.RasterYSize
    assert first == 390


def test_what_is_not_complete_is_named(work, three):
    a = three
    work.fails("merge", "o.tif", a[0], a[2], has="part 2 of 3: missing")
    work.fails("merge", "o.tif", a[1], has="part 1 of 3: missing")
    work.fails("merge", "o.tif", *a[:2], has="part 3 of 3: missing")
    work.fails("merge", "o.tif", *a, a[1], has=["part 2 of 3: given twice", "p2.tif"])
    work.fails("merge", "o.tif", *a, "p4.tif", has=["p4.tif", "No such file"])
    work.fails("merge", "o.tif", *a, ".", has="not a regular file")
    work.fails("merge", "o.tif", *a, "seeds.csv", has="seeds.csv: invalid or truncated part file")
    work.fails("merge", "o.tif", status=2, has="missing OUT and parts")
    work.fails("merge", a[2], *a, "--overwrite", has="p3.tif is an input, too")


def test_parts_of_other_runs_are_named(work, three):
    a, question = three, QUESTION
    shutil.copy(work.path("seeds.csv"), work.path("kept.csv"))
    work.ok(*question, "--metric", "great-circle", "--part", "2/3", "b2.tif")
    work.fails(
        "merge",
        "o.tif",
        a[0],
        "b2.tif",
        a[2],
        has="b2.tif: belongs to another run than p1.tif: --metric is great-circle, not not given",
    )
    work.ok(*question, "--part", "2/4", "c2.tif")
    work.fails(
        "merge",
        "o.tif",
        a[0],
        "c2.tif",
        a[2],
        has=["c2.tif: belongs to another run than p1.tif", "numbers of parts"],
    )
    work.ok(*question[:-2], "--part", "2/3", "d2.tif")
    work.fails(
        "merge", "o.tif", a[0], "d2.tif", a[2], has=["d2.tif", "a raster is missing in one of them"]
    )
    with open(work.path("seeds.csv"), "a") as more:
        more.write("12.5,7.25,new,1\n")
    work.ok(*question, "--part", "2/3", "e2.tif")
    work.fails(
        "merge",
        "o.tif",
        a[0],
        "e2.tif",
        a[2],
        has=["e2.tif: belongs to another run than p1.tif", "different seeds"],
    )
    work.fails("merge", "o.tif", *a, has="p1.tif: computed with other seeds than seeds.csv has now")
    work.ok("merge", "o.tif", *a, "--seeds", "kept.csv")
    work.ok("--seeds", "seeds.csv", *SMALL, "--part", "1/1", "f.tif")
    work.fails("merge", "q.tif", "f.tif", "--stats", "u.csv", has="parts: missing statistics")
    work.fails("merge", "q.tif", "f.tif", "--azimuth", "u.tif", has="parts: missing azimuths")


def test_damage_is_named(work, three):
    a = three
    good = work.path("p2.tif").read_bytes()
    step = len(good) // (200 if LONG else 4)
    for at in [*range(0, len(good), step), len(good) - 1, len(good) - 30, len(good) - 200]:
        work.path("p2.tif").write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        work.fails("merge", "o.tif", *a, has="p2.tif: ")
    for length in (0, 5000, len(good) - 1):
        work.path("p2.tif").write_bytes(good[:length])
        work.fails("merge", "o.tif", *a, has="p2.tif: invalid or truncated part file")
    work.path("p2.tif").write_bytes(good)
    work.ok("merge", "o.tif", *a)


def test_parts_that_cannot_be(work):
    question = ["--seeds", seeds(work), *SMALL]
    work.fails(
        *question,
        "--part",
        "1/8",
        "p.tif",
        has="--part 1/8: too many parts; the raster has 7 rows of blocks",
    )
    for text in ("0/3", "4/3", "3", "a/b", "1/", "/2", "1/2x", "-1/2", "1/9999999999999", " 1/2"):
        work.fails(*question, "--part", text, "p.tif", status=2, has="expected I/N")
    work.fails(*question, "--part", "1/2", "--stats", "t.csv", status=2, has="--part: missing OUT")
    work.fails(
        "--seeds",
        "seeds.csv",
        "--level",
        "3",
        "--cells",
        "c.csv",
        "--part",
        "1/2",
        "p.tif",
        status=2,
        has="--part: unsupported with --cells",
    )
    work.fails(
        "--seeds",
        "-",
        "--part",
        "1/2",
        "p.tif",
        input="lon,lat\n1,2\n",
        status=2,
        has="write them to a file",
    )
    work.ok(*question, "--part", "1/2", "p.tif")
    work.fails(*question, "--part", "1/2", "p.tif", has="exists; use --overwrite to replace it")


def test_other_outputs_than_the_parts_named(work, three, made):
    work.ok(
        "merge",
        "o.tif",
        *three,
        "--stats",
        "u.csv",
        "--distance",
        "e.tif",
        "--polygons",
        "p.geojson",
    )
    for name, one in (
        ("o.tif", "whole.tif"),
        ("u.csv", "t.csv"),
        ("e.tif", "d.tif"),
        ("p.geojson", "p.geojson"),
    ):
        assert work.path(name).read_bytes() == made.path(one).read_bytes(), name
    assert not work.path("t.csv").exists() and not work.path("d.tif").exists()


def test_folders_may_move_together(work, three):
    """Names of files are resolved against the part's directory, as in descriptions."""
    moved = work.path("moved")
    moved.mkdir()
    for p in list(work.directory.iterdir()):
        if p != moved:
            p.rename(moved / p.name)
    work.ok("merge", "moved/o.tif", *[f"moved/p{i}.tif" for i in (1, 2, 3)])
    assert sorted(p.name for p in moved.iterdir() if p.name[0] in "dot") == [
        "o.qml",
        "o.tif",
        "o.tif.aux.xml",
    ]


# ------------------------------------------------------------------------------------------------------- forged parts


def test_a_part_decides_no_file_that_is_written(work, three, made):
    """Paths and --overwrite in a part file are a stranger's: only what the command line names is written."""
    notes = work.path("home")
    notes.mkdir()
    for name in "notes.csv", "map.tif", "lines.geojson":
        (notes / name).write_text("precious")

    def evil(description):
        run = json.loads(description["run"])
        run["outputs"].update(
            {
                "stats": str(notes / "notes.csv"),
                "distance": str(notes / "map.tif"),
                "azimuth": str(notes / "map.tif"),
                "polygons": str(notes / "lines.geojson"),
                "overwrite": True,
            }
        )
        return {**description, "run": json.dumps(run)}

    for part in three:
        forge(work.path(part), evil)
    before = work.listing()
    done = work.run("merge", "o.tif", *three)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if "are not written; use" in line)
    for option in "--stats", "--distance", "--azimuth", "--polygons":
        assert f"{option} FILE" in line
    after = {
        name: data
        for name, data in work.listing().items()
        if name not in ("o.tif", "o.tif.aux.xml", "o.qml")
    }
    assert after == before and sorted(p.name for p in notes.iterdir()) == [
        "lines.geojson",
        "map.tif",
        "notes.csv",
    ]
    assert all(p.read_text() == "precious" for p in notes.iterdir())
    work.fails("merge", "o.tif", *three, has="exists; use --overwrite to replace it", output=None)
    work.fails("merge", "--stats", "home/notes.csv", "p.tif", *three, has="notes.csv exists")


UNSAFE = [
    ("outputs", "co", "IMAGE_FILENAME=notes.csv"),
    ("outputs", "co", "image_extension=csv"),
    ("outputs", "co", "TFW=/tmp/x"),
    ("outputs", "co", "DATANAME=notes.csv"),
    ("outputs", "co", "UNKNOWN=1"),
    ("outputs", "co", "TABLE=a/b"),
    ("outputs", "co", "EXTENT=x"),
    (None, "oo", "PRELUDE_STATEMENTS=VACUUM INTO 'notes.db'"),
    (None, "oo", "WRITE_GFS=YES"),
    (None, "oo", "REFRESH_CACHE=YES"),
    (None, "mask-oo", "CONFIG_FILE=notes.csv"),
    (None, "like-oo", "GFS_TEMPLATE=notes.csv"),
    ("outputs", "sum-oo", "ROOT_PATH=/tmp"),
]


@pytest.mark.parametrize("place, option, value", UNSAFE, ids=[value for _, _, value in UNSAFE])
def test_driver_options_of_a_part_name_no_files(work, three, place, option, value):
    def evil(description):
        run = json.loads(description["run"])
        (run[place] if place else run)[option] = [value]
        return {**description, "run": json.dumps(run)}

    work.write("notes.csv", "precious")
    for part in three:
        forge(work.path(part), evil)
    words = [f'unsupported value of "{option}" in a part file', value.split("=")[0], f"--{option}"]
    stats = ["--stats", "u.csv"] if option == "sum-oo" else []
    work.fails("merge", *stats, "o.tif", *three, has=words)


def described(work, sql):
    return (
        f'<OGRVRTDataSource><OGRVRTLayer name="x"><SrcDataSource>{work.path("seeds.gpkg")}</SrcDataSource>'
        f"<SrcSQL>{sql}</SrcSQL></OGRVRTLayer></OGRVRTDataSource>"
    )


def database(work):
    """Seeds in a database, and the text of a source that copies it to notes.db when it is opened."""
    if not work.path("seeds.gpkg").exists():
        work.points("seeds.gpkg", "GPKG", [1.0], [1.0])
    return described(work, f"VACUUM INTO '{work.path('notes.db')}'")


UNSAFE_SOURCES = {
    "text": database,
    "file": lambda work: work.write("deep.vrt", database(work)),
    "server": lambda work: "PG:host=example.invalid dbname=x",
    "url": lambda work: "https://example.invalid/x.csv",
    "pipe": lambda work: os.mkfifo(work.path("pipe")) or "pipe",
    "device": lambda work: "/dev/zero",
    "packed pipe": lambda work: os.mkfifo(work.path("pipe")) or f"/vsigzip/{work.path('pipe')}",
    "standard input": lambda work: "/vsistdin/",
    "packed standard input": lambda work: "/vsigzip//vsistdin/",
}


@pytest.mark.parametrize("option", ["seeds", "seeds-raster", "like", "extent-of"])
@pytest.mark.parametrize("kind", UNSAFE_SOURCES)
def test_sources_of_a_part_are_files_that_are_read(work, three, option, kind):
    """No text or file that is run as SQL, no server, and nothing that is waited for."""
    source = UNSAFE_SOURCES[kind](work)

    def evil(description):
        run = json.loads(description["run"])
        run[option] = source
        return {**description, "run": json.dumps(run)}

    for part in three:
        forge(work.path(part), evil)
    work.fails(
        "merge",
        "o.tif",
        *three,
        has=[f'unsupported source "{option}" in a part file', f"--{option} on the command line"],
    )


@pytest.mark.parametrize("option", ["mask", "sum"])
@pytest.mark.parametrize("kind", ["text", "pipe", "device"])
def test_what_parts_have_is_not_opened(work, three, made, option, kind):
    """Masks and counts are not read again, also not to list the files that no output may replace."""
    source = UNSAFE_SOURCES[kind](work)

    def evil(description):
        run = json.loads(description["run"])
        if option == "sum":
            run["outputs"]["sum"] = ["n=" + source]
        else:
            run["mask"] = source
        return {**description, "run": json.dumps(run)}

    for part in three:
        forge(work.path(part), evil)
    work.write("o.tif", "old")
    if option == "sum":  # these parts have no sums
        work.fails("merge", "--overwrite", "--stats", "u.csv", "o.tif", *three, has="quantity 0")
    else:
        work.ok("merge", "--overwrite", "o.tif", *three)
        assert np.array_equal(work.read("o.tif"), made.read("whole.tif"))
    assert not work.path("notes.db").exists()


def test_masks_and_sums_of_parts_are_not_replaced(work):
    """Nor are they, though they are not opened."""
    work.csv("seeds.csv", [1, 20], [1, 20])
    values(work, "mask.tif", most=1)
    work.ok(
        "--seeds", "seeds.csv", "--size", "40,20", "--mask", "mask.tif", "--part", "1/1", "p.tif"
    )
    work.fails("merge", "--overwrite", "mask.tif", "p.tif", has="mask.tif is an input, too")


@pytest.mark.parametrize("option", ["crs", "seeds-crs"])
def test_coordinate_systems_of_a_part_are_not_waited_for(work, three, option):
    os.mkfifo(work.path("pipe"))

    def evil(description):
        return {
            **description,
            "run": json.dumps({**json.loads(description["run"]), option: str(work.path("pipe"))}),
        }

    forge(work.path(three[0]), evil)
    work.fails("merge", "o.tif", *three, has=f'unsupported value of "{option}" in a part file')


def test_described_seeds_count_from_the_command_line(work, three, made):
    """Parts of seeds that a .vrt describes are merged where the command line names it."""
    work.write(
        "v.vrt",
        '<OGRVRTDataSource><OGRVRTLayer name="seeds"><SrcDataSource relativeToVRT="1">seeds.csv</SrcDataSource>'
        "</OGRVRTLayer></OGRVRTDataSource>",
    )
    work.ok("--seeds", "v.vrt", "--size", "100,50", "--part", "1/1", "v.part.tif")
    work.ok("--seeds", "v.vrt", "--size", "100,50", "v.tif")
    work.fails("merge", "o.tif", "v.part.tif", has='unsupported source "seeds"')
    work.ok("merge", "--seeds", "v.vrt", "o.tif", "v.part.tif")
    assert work.path("o.tif").read_bytes() == work.path("v.tif").read_bytes()


def test_unsafe_values_count_from_the_command_line(work, three, made):
    def evil(description):
        run = json.loads(description["run"])
        run["outputs"]["co"] = ["IMAGE_FILENAME=notes.csv"]
        return {**description, "run": json.dumps(run)}

    for part in three:
        forge(work.path(part), evil)
    work.ok("merge", "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=64", "o.tif", *three)
    assert work.path("o.tif").read_bytes() == made.path("whole.tif").read_bytes()


@pytest.mark.parametrize("size", [[499, 390], [501, 390], [500, 391]])
def test_parts_of_other_sizes(work, three, size):
    """The first part has the run's size and grid, another the same grid's fingerprint only."""
    forge(work.path(three[1]), lambda description: {**description, "size": size})
    work.fails("merge", "o.tif", *three, has=["p2.tif", "different grids"])


def test_tiles_of_another_size_are_not_copied(work, three):
    """The description says the output's tiles, the GeoTIFF has others."""
    work.ok(
        "--seeds",
        "seeds.csv",
        "--size",
        "500,390",
        "--co",
        "BLOCKXSIZE=128",
        "--co",
        "BLOCKYSIZE=128",
        "--part",
        "1/1",
        "other.tif",
    )

    def evil(description):
        run = json.loads(description["run"])
        run["outputs"]["co"] = ["BLOCKXSIZE=64", "BLOCKYSIZE=64"]
        ids = [o.replace("SIZE=128", "SIZE=64") for o in description["ids"]]
        assert ids != description["ids"]
        return {**description, "ids": ids, "run": json.dumps(run)}

    forge(work.path("other.tif"), evil)
    work.fails("merge", "o.tif", "other.tif", has="the rasters differ")


def test_what_a_part_had_is_written_where_merge_says(work, three, made):
    work.ok("merge", "--stats", "u.csv", "--distance", "e.tif", "o.tif", *three)
    for name, one in (("o.tif", "whole.tif"), ("u.csv", "t.csv"), ("e.tif", "d.tif")):
        assert work.path(name).read_bytes() == made.path(one).read_bytes()
    assert not work.path("t.csv").exists() and not work.path("d.tif").exists()


def test_parts_that_are_no_regular_files(work, three):
    os.mkfifo(work.path("pipe"))
    for name in "pipe", "/dev/zero", "/dev/null", str(work.directory):
        work.fails("merge", "o.tif", name, *three[1:], has="not a regular file")


BROKEN = {
    "run": [[], {}, 7, None, "x", ["{}"]],
    "format": [[], "2", 1, 2.5, [2, 2]],
    "part": [[0, 3], [4, 3], [1], [2**40, 2**40], [1, 10**7]],
    "size": [[0, 390], [500, -1], [2**40, 390]],
    "rows": [[-1, 64, 64], [64, 64, 64], [0, 2**40, 64], [0, 64, 0], [0, 64.5, 64]],
    "empty": [-1, 2**62, "7"],
    "at": [[-1, 0, 0], [2**62, 0, 0], [0, 2**63 - 1, 0]],
    "bytes": [[0, 0, 0], [-5, 0, 0], [2**62, 0, 0]],
    "records": [
        [-1, 0, 100],
        [2**62, 0, 100],
        [10, 2**62, 100],
        [10, 0, 0],
        [10, 0, 2**40],
        [2**55, 0, 256],
    ],
    "content": [0, 1, -1],
    "fingerprint": [[], 5, "zz", "0" * 17],
    "grid": ["", 1],
    "ids": [[1, 2], [None]],
    "sums": [["1"], ["nan"] * 3, ["1e999"] * 3, [1, 2, 3]],
}


@pytest.mark.parametrize("member", BROKEN)
def test_members_of_parts_that_cannot_be(work, three, member):
    good = work.path(three[0]).read_bytes()
    before = {name: data for name, data in work.listing().items() if name != three[0]}
    for value in [*BROKEN[member], ...]:

        def broken(description):
            changed = {**description, member: value}
            if value is ...:
                del changed[member]
            return changed

        work.path(three[0]).write_bytes(good)
        forge(work.path(three[0]), broken)
        done = work.run("merge", "o.tif", "--stats", "u.csv", *three)
        if value is ... and member in ("ids", "sums"):
            continue  # what is missing is none
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, (member, value, done)
        assert {
            name: data for name, data in work.listing().items() if name != three[0]
        } == before, (member, value)


@pytest.mark.parametrize("twice", ["part", "run", "ids", "of the run"])
def test_members_that_are_given_twice(work, three, twice):
    """Readers differ in which of the two counts."""

    def broken(description):
        if twice == "of the run":
            return {**description, "run": description["run"].replace("{", '{"k": 1, "k": 1,', 1)}
        return json.dumps(description)[:-1] + f', "{twice}": {json.dumps(description[twice])}}}'

    forge(work.path(three[0]), broken)
    work.fails("merge", "o.tif", *three, has="a member is given twice")


def test_sums_that_overflow_are_an_error(work, three):
    """The records are not those of any cells: 2^127 - 1 in each of the wide numbers, in two parts."""
    for part in three[:2]:
        forge(
            work.path(part),
            lambda description: description,
            records=lambda seed, record: seed + (b"\xff" * 15 + b"\x7f") * 5 + record[80:],
        )
    work.fails("merge", "o.tif", "--stats", "u.csv", *three, has=[": damaged", "invalid"])


@pytest.mark.parametrize(
    "at, value",
    [
        (80, struct.pack("<q", 2**62)),
        (80, struct.pack("<q", -1)),
        (0, b"\xff" * 15 + b"\x3f"),
        (64, b"\xff" * 16),
        *((88, struct.pack("<d", far)) for far in (math.inf, math.nan, 1e300, -1.0)),
    ],
)
def test_sums_of_no_cells_of_the_grid(work, three, at, value):
    forge(
        work.path(three[0]),
        lambda description: description,
        records=lambda seed, record: seed + record[:at] + value + record[at + len(value) :],
    )
    work.fails("merge", "o.tif", "--stats", "u.csv", *three, has=["p1.tif: damaged", "invalid"])


def test_tiles_beyond_the_raster_are_an_error(work, three):
    """The offset of a tile leads out of the GeoTIFF, into what is behind it in the file."""
    forge(
        work.path(three[0]),
        lambda description: {
            **description,
            "bytes": [description["bytes"][0] // 2, *description["bytes"][1:]],
        },
    )
    done = work.run("merge", "--no-style", "o.tif", *three)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "p1.tif" in done.stderr
    work.no_leftovers()


def test_virtual_rasters(work, three, made):
    """A VRT has the whole's values and names, is made without reading cells, and moves with its parts."""
    folder = work.path("elsewhere")
    folder.mkdir()
    work.ok(
        "merge",
        "v.vrt",
        *three,
        "--stats",
        "u.csv",
        "--distance",
        "d.vrt",
        "--polygons",
        "p.geojson",
    )
    assert made.path("t.csv").read_bytes() == work.path("u.csv").read_bytes()
    assert made.path("p.geojson").read_bytes() == work.path("p.geojson").read_bytes()
    for name in ("v.vrt", *three):
        shutil.copy(work.path(name), folder)
    for virtual, raster in (("elsewhere/v.vrt", "whole.tif"), ("d.vrt", "d.tif")):
        a, b = gdal.Open(str(work.path(virtual))), gdal.Open(str(made.path(raster)))
        assert np.array_equal(a.ReadAsArray(), b.ReadAsArray(), equal_nan=True)
        assert a.GetGeoTransform() == b.GetGeoTransform() and a.GetSpatialRef().IsSame(
            b.GetSpatialRef()
        )
        assert a.GetMetadata() == b.GetMetadata()
        for i in (1, 2):
            p, q = a.GetRasterBand(i), b.GetRasterBand(i)
            assert (p.DataType, p.GetDescription(), p.GetUnitType(), p.GetMaskFlags()) == (
                q.DataType,
                q.GetDescription(),
                q.GetUnitType(),
                q.GetMaskFlags(),
            )
            assert repr(p.GetNoDataValue()) == repr(q.GetNoDataValue())
    work.fails("merge", "v.vrt", *three, has="exists; use --overwrite to replace it")
    good = work.path("p2.tif").read_bytes()  # what is not read is not looked at; what is is
    work.path("p2.tif").write_bytes(good[:900] + b"\0\0\0\0" + good[904:])
    work.ok("merge", "w.vrt", *three, "--distance", "w2.vrt", "--stats", "w.csv")
    assert made.path("t.csv").read_bytes() == work.path("w.csv").read_bytes()


def test_wide_ids_in_virtual_rasters(work):
    x, y = globe(20)
    work.csv("wide.csv", x, y, code=[2**60 + i for i in range(20)])
    question = ["--seeds", "wide.csv", "--id", "code", *SMALL]
    parts = [f"q{i}.tif" for i in (1, 2)]
    for i, part in enumerate(parts, 1):
        work.ok(*question, "--part", f"{i}/2", part)
    work.ok(*question, "one.tif")
    work.ok("merge", "two.tif", *parts)
    work.ok("merge", "o.vrt", *parts)
    assert work.path("one.tif").read_bytes() == work.path("two.tif").read_bytes()
    assert np.array_equal(work.read("o.vrt"), work.read("one.tif"))


def test_disk_that_is_full(work, three):
    """A file that cannot grow leaves no part, and no merged file."""

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    work.fails(
        "--seeds",
        "seeds.csv",
        *SMALL,
        "--distance",
        "d.tif",
        "--part",
        "1/3",
        "q.tif",
        preexec_fn=small,
    )
    work.fails("merge", "o.tif", *three, preexec_fn=small)
