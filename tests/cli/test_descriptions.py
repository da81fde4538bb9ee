"""Runs described as JSON: written from command lines, run, overridden; and files that are none."""

import json
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from osgeo import gdal

from conftest import COMMAND, ROOT, globe

LON, LAT = globe(80, seed=5)
SCHEMA = ROOT / "docs" / "voronoi.schema.json"


@pytest.fixture
def seeds(work):
    work.csv(
        "s.csv",
        LON,
        LAT,
        weight=[1 + i % 3 for i in range(80)],
        kind=["a" if i % 2 else "b" for i in range(80)],
    )
    work.raster("like.tif", (-180, 4, 0, 90, 0, -3), (90, 60), epsg=4326)
    people = gdal.GetDriverByName("GTiff").CreateCopy(
        str(work.path("people.tif")), gdal.Open(str(work.path("like.tif")))
    )
    people.GetRasterBand(1).Fill(2)
    people = None
    return work


def check_schema(description):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(description)


QUESTIONS = [
    ["--size", "90,60", "out.tif"],
    ["--res", "2", "--metric", "great-circle", "-k", "3", "out.tif"],
    [
        "--res",
        "3,1.5",
        "--extent=-20,30,50,70",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--distance-unit",
        "km",
        "out.tif",
    ],
    ["--like", "like.tif", "--mask", "like.tif", "--nodata", "-7", "out.tif"],
    [
        "--like",
        "like.tif",
        "--stats",
        "t.csv",
        "--sum",
        "people.tif",
        "--sum",
        "again=people.tif",
        "--no-stats-distances",
    ],
    [
        "--like",
        "like.tif",
        "--weighting",
        "multiplicative",
        "--weight-field",
        "weight",
        "--where",
        "kind = 'a'",
        "out.tif",
    ],
    ["--level", "4", "--snap-seeds", "--cells", "c.csv", "out.tif"],
    [
        "--size",
        "90,60",
        "--max-distance",
        "1500km",
        "--co",
        "COMPRESS=NONE",
        "--co",
        "TILED=NO",
        "--no-style",
        "--azimuth",
        "a.tif",
        "out.tif",
    ],
    [
        "--size",
        "90,60",
        "--max-distance",
        "1500000",
        "--threads",
        "1",
        "--backend",
        "serial",
        "--memory",
        "64M",
        "--sync",
        "never",
        "out.tif",
    ],
    [
        "--size",
        "90,60",
        "--x",
        "lat",
        "--y",
        "lon",
        "--oo",
        "EMPTY_STRING_AS_NULL=YES",
        "--oo",
        "KEEP_GEOM_COLUMNS=NO",
        "--ot",
        "Byte",
        "out.tif",
    ],
    [
        "--extent-of",
        "like.tif",
        "--size",
        "45,30",
        "--polygons",
        "p.geojson",
        "--skip-invalid",
        "--seeds-crs",
        "EPSG:4326",
    ],
]


def outputs_of(work, before):
    return {name: contents for name, contents in work.listing().items() if name not in before}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question))
@pytest.mark.parametrize("place", ["run.voronoi.json", "sub/dir/run.voronoi.json"])
def test_there_and_back(seeds, question, place):
    (seeds.directory / "sub" / "dir").mkdir(parents=True)
    before = seeds.listing()
    seeds.ok("--seeds", "s.csv", *question)
    expected = outputs_of(seeds, before)
    for name in expected:
        seeds.path(name).unlink()
    done = seeds.ok("--seeds", "s.csv", *question, "--describe", place)
    assert (
        outputs_of(seeds, before).keys() == {place}
        and done.stderr + done.stdout + done.summary == ""
    )
    description = json.loads(seeds.path(place).read_text())
    check_schema(description)
    before = seeds.listing()
    seeds.ok("--config", place)
    assert outputs_of(seeds, before) == expected
    # Also in another directory: names are resolved against the description's.
    for name in expected:
        seeds.path(name).unlink()
    moved = subprocess.run(
        [COMMAND, "--quiet", "--config", seeds.path(place)], cwd="/", capture_output=True, text=True
    )
    assert moved.returncode == 0, moved.stderr
    assert outputs_of(seeds, before).keys() == expected.keys()
    # A description of a description is the same.
    seeds.ok("--config", place, "--describe", "again.json")
    if place == "run.voronoi.json":
        assert json.loads(seeds.path("again.json").read_text()) == description


def test_what_it_looks_like(seeds):
    seeds.ok(
        "--seeds",
        "s.csv",
        "--res",
        "0.5,.25",
        "--max-distance",
        "100km",
        "-k",
        "+2",
        "--extent",
        "0,0,10,10",
        "--sum",
        "p=people.tif",
        "--stats",
        "t.csv",
        "--nodata",
        "0",
        "--overwrite",
        "--quiet",
        "--json",
        "--describe",
        "d.json",
        "out.tif",
    )
    assert json.loads(seeds.path("d.json").read_text()) == {
        "seeds": "s.csv",
        "res": "0.5,.25",
        "max-distance": "100km",
        "k": 2,
        "extent": [0, 0, 10, 10],
        "nodata": 0,
        "outputs": {
            "raster": "out.tif",
            "stats": "t.csv",
            "sum": ["p=people.tif"],
            "overwrite": True,
        },
    }


def test_standard_input(seeds):
    """It is read by the run, not by what describes it."""
    before = seeds.listing()
    seeds.ok("--seeds", "-", "--size", "90,60", "out.tif", input=seeds.path("s.csv").read_text())
    expected = outputs_of(seeds, before)
    for name in expected:
        seeds.path(name).unlink()
    for place in "d.json", "sub/d.json":
        seeds.path("sub").mkdir(exist_ok=True)
        seeds.ok(
            "--seeds",
            "-",
            "--size",
            "90,60",
            "--describe",
            place,
            "out.tif",
            stdin=subprocess.DEVNULL,
        )
        assert json.loads(seeds.path(place).read_text())["seeds"] == "-"
    before = seeds.listing()
    seeds.ok("--config", "d.json", input=seeds.path("s.csv").read_text())
    assert outputs_of(seeds, before) == expected
    error = json.loads(
        seeds.run("--config", "d.json", "--overwrite", "--json", stdin=subprocess.DEVNULL).stdout
    )["error"]
    assert "standard input: empty" in error["message"]
    seeds.ok("--config", "d.json", "--overwrite", "--seeds", "s.csv", stdin=subprocess.DEVNULL)


def test_cells_as_seeds(seeds):
    cover = np.zeros((60, 90), "uint8")
    cover[::7, ::5], cover[3::11, 2::9], cover[1, 1] = 3, 8, 200
    seeds.raster("cover.tif", (-180, 4, 0, 90, 0, -3), (90, 60), epsg=4326)
    made = gdal.Open(str(seeds.path("cover.tif")), gdal.GA_Update)
    made.GetRasterBand(1).WriteArray(cover)
    made = None
    question = [
        "--seeds-raster",
        "cover.tif",
        "--values",
        "8,3",
        "--distance",
        "d.tif",
        "--distance-per-value",
    ]
    before = seeds.listing()
    seeds.ok(*question, "out.tif")
    expected = outputs_of(seeds, before)
    assert seeds.open("d.tif").RasterCount == 2
    seeds.ok(*question, "--describe", "d.json", "out.tif")
    description = json.loads(seeds.path("d.json").read_text())
    assert description == {
        "seeds-raster": "cover.tif",
        "values": [8, 3],
        "distance-per-value": True,
        "outputs": {"raster": "out.tif", "distance": "d.tif"},
    }
    check_schema(description)
    plan = json.loads(seeds.ok("--config", "d.json", "--overwrite", "--dry-run", "--json").stdout)
    assert [one["values"] for one in plan["outputs"]] == [90 * 60, 2 * 90 * 60] and plan["seeds"][
        "used"
    ] == 2
    seeds.ok("--config", "d.json", "--overwrite")
    assert {
        name: contents for name, contents in outputs_of(seeds, before).items() if name != "d.json"
    } == expected
    seeds.fails(
        "--config", "d.json", "--seeds", "s.csv", status=2, has="--values: missing --seeds-raster"
    )
    seeds.fails(
        *question,
        "--seeds",
        "s.csv",
        "out.tif",
        status=2,
        has="--seeds and --seeds-raster: unsupported together",
    )
    seeds.fails(
        *question,
        "--stats",
        "t.csv",
        "--group",
        "out.tif",
        status=2,
        has="--group: missing --seeds",
    )
    seeds.ok("--seeds-raster", "cover.tif", "--describe", "plain.json", "points.tif")
    seeds.ok("--config", "plain.json", "--seeds", "s.csv", "--size", "36,18")
    assert seeds.open("points.tif").GetMetadataItem("GPUVORONOI_SEEDS") == "s.csv"
    # Each output by itself, and what each cell is.
    seeds.ok("--seeds-raster", "cover.tif", "--by-cell", "--stats", "cells.csv")
    seeds.ok("--seeds-raster", "cover.tif", "--by-cell", "--distance", "alone.tif")
    summary = json.loads(
        seeds.ok("--seeds-raster", "cover.tif", "--by-cell", "--json", "by_cell.tif").stdout
    )
    assert (
        summary["seeds"]["used"]
        == np.count_nonzero(cover)
        == len(seeds.path("cells.csv").read_text().splitlines()) - 1
    )


def test_options_override(seeds):
    seeds.ok(
        "--seeds",
        "s.csv",
        "--res",
        "10",
        "--metric",
        "great-circle",
        "--co",
        "COMPRESS=NONE",
        "--describe",
        "d.json",
        "out.tif",
    )
    seeds.ok(
        "--config",
        "d.json",
        "--size",
        "36,30",
        "-k",
        "2",
        "--metric",
        "geodesic",
        "--co",
        "TILED=NO",
        "other.tif",
    )
    made = seeds.open("other.tif")
    assert (made.RasterXSize, made.RasterYSize, made.RasterCount) == (36, 30, 2) and not seeds.path(
        "out.tif"
    ).exists()
    assert made.GetMetadataItem("GPUVORONOI_METRIC") == "geodesic"
    assert (
        made.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") == "ZSTD"
        and made.GetRasterBand(1).GetBlockSize()[0] == 36
    )
    seeds.ok("--like", "like.tif", "--config", "d.json", "like_it.tif")
    assert seeds.open("like_it.tif").RasterXSize == 90
    seeds.ok("--config", "d.json", "--distance", "d.tif")
    assert seeds.path("out.tif").exists() and seeds.path("d.tif").exists()


def test_an_existing_description_stays(seeds):
    seeds.write("d.json", "mine")
    seeds.fails(
        "--seeds",
        "s.csv",
        "--describe",
        "d.json",
        has="d.json exists; use --overwrite to replace it",
    )
    seeds.ok("--seeds", "s.csv", "--describe", "d.json", "--overwrite")
    seeds.fails("--seeds", "s.csv", "--describe", "gone/d.json", has="gone")
    seeds.fails("--describe", "new.json", status=2, has="missing --seeds")
    seeds.fails("--config", "d.json", status=2, has="missing output")
    seeds.fails("--config", "gone.json", has="gone.json")
    seeds.path("folder").mkdir()
    seeds.fails("--config", "folder", has="description folder: cannot read")


def test_passwords(seeds):
    secret = "PG:host=127.0.0.1 port=9 dbname=d password=geheim7 user=u"
    done = seeds.ok("--seeds", secret, "--layer", "t", "--describe", "d.json", "--json", "out.tif")
    assert [one["code"] for one in json.loads(done.stdout)["warnings"]] == ["secret-left-out"]
    assert "geheim7" not in seeds.path("d.json").read_text() + done.stdout
    description = json.loads(seeds.path("d.json").read_text())
    assert description["seeds"] == "PG:***"
    seeds.fails(
        "--config",
        "d.json",
        status=2,
        has=['d.json: the password of "seeds" is left out', "--seeds"],
    )
    seeds.ok("--config", "d.json", "--seeds", "s.csv", "--size", "9,9", "--layer", "s")
    assert seeds.path("out.tif").exists()
    seeds.write(
        "p.json",
        '{"seeds": "PG:host=127.0.0.1 port=9 dbname=d password=geheim8", "outputs": {"raster": "new.tif"}}',
    )
    line = seeds.fails("--config", "p.json")
    assert "geheim8" not in line


BAD = {
    "empty": "",
    "blank": "  \n",
    "word": "seeds",
    "number": "3",
    "text": '"s.csv"',
    "array": '["s.csv"]',
    "null": "null",
    "open": '{"seeds": "s.csv"',
    "open text": '{"seeds": "s.csv}',
    "comma": '{"seeds": "s.csv" "k": 2}',
    "colon": '{"seeds" "s.csv"}',
    "behind": '{"seeds": "s.csv"} {}',
    "twice": "{}{}",
    "closed twice": '{"seeds": "s.csv"}}',
    "zero": '{"seeds": "s.csv"\0}',
    "no UTF-8": b'{"seeds": "s\xff.csv"}',
    "bare key": "{seeds: 1}",
    "half a word": '{"boundary": tru}',
    "nested": "[" * 100000,
    "nested objects": '{"a":' * 100000,
    "nested value": '{"seeds": ' + "[" * 50 + "]" * 50 + "}",
    "unknown": '{"sedes": "s.csv"}',
    "unknown output": '{"seeds": "s.csv", "outputs": {"rester": "o.tif"}}',
    "empty key": '{"": 1}',
    "long key": '{"' + "x" * 100000 + '": 1}',
    "odd key": '{"a\\n\\u0001b": 1}',
    "quiet": '{"quiet": true}',
    "help": '{"help": true}',
    "config": '{"config": "bad.json"}',
    "describe": '{"describe": "x.json"}',
    "dry-run": '{"dry-run": true}',
    "heading": '{"Seeds": 1}',
    "output beside": '{"stats": "t.csv"}',
    "question within": '{"outputs": {"k": 2}}',
    "raster beside": '{"raster": "o.tif"}',
    "outputs text": '{"outputs": "o.tif"}',
    "outputs array": '{"outputs": []}',
    "outputs null": '{"outputs": null}',
    "outputs in outputs": '{"outputs": {"outputs": {}}}',
    "seeds number": '{"seeds": 3}',
    "seeds null": '{"seeds": null}',
    "seeds array": '{"seeds": ["s.csv"]}',
    "seeds object": '{"seeds": {}}',
    "k text": '{"seeds": "s.csv", "k": "2"}',
    "k real": '{"seeds": "s.csv", "k": 2.5}',
    "k large": '{"seeds": "s.csv", "k": 65}',
    "k exponent": '{"seeds": "s.csv", "k": 1e1}',
    "k array": '{"seeds": "s.csv", "k": [2]}',
    "k boolean": '{"seeds": "s.csv", "k": true}',
    "k 2^64": '{"seeds": "s.csv", "k": 18446744073709551617}',
    "flag text": '{"boundary": "yes"}',
    "flag number": '{"boundary": 1}',
    "choice": '{"seeds": "s.csv", "metric": "manhatten"}',
    "choice number": '{"metric": 1}',
    "size three": '{"seeds": "s.csv", "size": [1, 2, 3]}',
    "size one": '{"seeds": "s.csv", "size": [1]}',
    "size none": '{"size": []}',
    "size texts": '{"size": ["1", "2"]}',
    "size absurd": '{"seeds": "s.csv", "size": [1e300, 1e300], "outputs": {"raster": "o.tif"}}',
    "size 2^63": '{"seeds": "s.csv", "size": [9223372036854775807, 9223372036854775807], "outputs": {"raster": "o.tif"}}',
    "size negative": '{"seeds": "s.csv", "size": [-1, 5], "outputs": {"raster": "o.tif"}}',
    "extent nested": '{"extent": [[0, 0], [1, 1]]}',
    "res zero": '{"seeds": "s.csv", "res": 0, "outputs": {"raster": "o.tif"}}',
    "distance negative": '{"seeds": "s.csv", "max-distance": -1}',
    "memory": '{"seeds": "s.csv", "memory": 1}',
    "co text": '{"seeds": "s.csv", "outputs": {"raster": "o.tif", "co": "TILED=NO"}}',
    "co numbers": '{"outputs": {"co": [1]}}',
    "co shape": '{"seeds": "s.csv", "outputs": {"raster": "o.tif", "co": ["TILED"]}}',
    "many sums": json.dumps(
        {"seeds": "s.csv", "outputs": {"stats": "t.csv", "sum": [f"a{i}=s.csv" for i in range(70)]}}
    ),
    "many items": json.dumps({"outputs": {"co": ["A=B"] * 5000}}),
    "schema number": '{"$schema": 1}',
    "no seeds": '{"outputs": {"raster": "o.tif"}}',
    "escaped NUL": '{"seeds": "s.csv\\u0000.gz", "outputs": {"raster": "o.tif"}}',
    "itself": '{"seeds": "bad.json", "outputs": {"raster": "o.tif"}}',
    "like itself": '{"seeds": "s.csv", "like": "bad.json", "outputs": {"raster": "o.tif"}}',
    "mask itself": '{"seeds": "s.csv", "mask": "bad.json", "outputs": {"raster": "o.tif"}}',
    "rules": '{"seeds": "s.csv", "weighting": "additive", "outputs": {"raster": "o.tif"}}',
}


@pytest.mark.parametrize("name", BAD)
def test_bad_json(seeds, name):
    seeds.path("bad.json").write_bytes(
        BAD[name] if isinstance(BAD[name], bytes) else BAD[name].encode()
    )
    before = seeds.listing()
    done = seeds.run("--config", "bad.json")
    lines = done.stderr.splitlines()
    assert (
        done.returncode in (1, 2)
        and len(lines) == 1
        and lines[0].startswith("gpuvoronoi: error: ")
        and len(lines[0]) < 700
    ), done.stderr
    assert seeds.listing() == before


def test_escapes_that_are_no_nul(seeds):
    """A backslash before u0000 is a name's."""
    seeds.write("bad.json", r'{"seeds": "a\\\u0000.csv", "outputs": {"raster": "o.tif"}}')
    seeds.fails("--config", "bad.json", has="invalid character")
    seeds.write("bad.json", r'{"seeds": "a\\u0000.csv", "outputs": {"raster": "o.tif"}}')
    seeds.fails("--config", "bad.json", has="no such file")


def test_bad_keys_are_named(seeds):
    seeds.write("d.json", '{"seeds": "s.csv", "ressolution": 3}')
    seeds.fails("--config", "d.json", has='d.json: unknown key "ressolution"')
    for key in "quiet", "config", "Seeds":
        seeds.write("d.json", f'{{"seeds": "s.csv", "{key}": true}}')
        seeds.fails("--config", "d.json", has=f'd.json: unknown key "{key}"')
    seeds.write("d.json", '{"seeds": "s.csv", "stats": "t.csv"}')
    seeds.fails(
        "--config", "d.json", has='d.json: "stats": invalid place; it belongs into "outputs"'
    )
    seeds.write("d.json", '{"seeds": "s.csv", "k": "3"}')
    seeds.fails("--config", "d.json", has='d.json: "k": invalid type; expected a number')
    seeds.write("d.json", '{"seeds": "s.csv", "size": "a"}')
    seeds.fails("--config", "d.json", status=2, has=["d.json: --size", "(a)"])


@pytest.mark.parametrize("seed", range(6))
def test_damaged_json(seeds, seed):
    """A byte more, less or another: it runs or it says in one line why not."""
    chance = random.Random(seed)
    text = bytearray(
        json.dumps(
            {
                "seeds": "s.csv",
                "size": [20, 10],
                "k": 2,
                "metric": "great-circle",
                "outputs": {"raster": "o.tif", "overwrite": True},
            }
        ).encode()
    )
    for _ in range(40):
        damaged = bytearray(text)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randint(0, 2)] = bytes(
                chance.choices(
                    b'{}[]":,\\0123456789eE.-truefalsn\x00\xff\n ', k=chance.randint(0, 2)
                )
            )
        seeds.path("d.json").write_bytes(damaged)
        done = seeds.run("--config", "d.json", "--quiet")
        assert done.returncode in (0, 1, 2) and done.stderr.count("\n") == (done.returncode != 0), (
            damaged,
            done.stderr,
        )


# ------------------------------------------------------------------------------------------- of an unknown source


@pytest.mark.parametrize("option", ["raster", "distance", "azimuth", "stats", "polygons"])
def test_existing_files_stay(seeds, option):
    """Only --overwrite on the command line replaces a file that a description names, or adds a layer to it."""
    (seeds.directory / "sub").mkdir()
    name = {"stats": "notes.csv", "polygons": "notes.gpkg"}.get(option, "notes.tif")
    if option == "polygons":
        seeds.points(name, "GPKG", [1], [2], layer="mine")
    else:
        seeds.write(name, "notes")
    description = {
        "seeds": "../s.csv",
        "size": [20, 10],
        "outputs": {option: "../" + name, "overwrite": True},
    }
    seeds.write("sub/d.voronoi.json", json.dumps(description))
    seeds.fails("--config", "sub/d.voronoi.json", has=[f"{name} exists", "use --overwrite"])
    seeds.fails(
        "--config", "sub/d.voronoi.json", "--describe", "s.csv", has="s.csv exists; use --overwrite"
    )
    seeds.ok("--config", "sub/d.voronoi.json", "--overwrite")


def test_a_broken_link_stays(seeds):
    seeds.path("t.csv").symlink_to(seeds.path("planted.csv"))
    seeds.write(
        "d.voronoi.json",
        json.dumps(
            {"seeds": "s.csv", "size": [20, 10], "outputs": {"stats": "t.csv", "overwrite": True}}
        ),
    )
    seeds.fails("--config", "d.voronoi.json", has="t.csv exists")


@pytest.mark.parametrize(
    "place, option, value",
    [
        ("outputs", "co", "IMAGE_FILENAME=notes.csv"),
        ("outputs", "sum-oo", "ROOT_PATH=/tmp"),
        (None, "oo", "PRELUDE_STATEMENTS=VACUUM INTO 'notes.db'"),
        (None, "oo", "WRITE_GFS=YES"),
        (None, "mask-oo", "CONFIG_FILE=notes.csv"),
    ],
)
def test_driver_options_name_no_files(seeds, place, option, value):
    description = {
        "seeds": "s.csv",
        "size": [20, 10],
        "mask": "like.tif",
        "outputs": {"raster": "o.tif"},
    }
    (description if place is None else description[place])[option] = [value]
    seeds.write("d.voronoi.json", json.dumps(description))
    key = value.split("=")[0]
    seeds.fails(
        "--config",
        "d.voronoi.json",
        has=[f'"{option}" in a description ({key}', f"use --{option} on the command line"],
    )


@pytest.mark.parametrize("option", ["seeds", "mask", "like", "sum"])
def test_pipes_are_not_opened(seeds, option):
    os.mkfifo(seeds.path("pipe"))
    description = {"seeds": "s.csv", "size": [20, 10], "outputs": {"stats": "t.csv"}}
    (description["outputs"] if option == "sum" else description)[option] = (
        ["pipe"] if option == "sum" else "pipe"
    )
    seeds.write("d.voronoi.json", json.dumps(description))
    before = seeds.listing()
    done = seeds.run("--config", "d.voronoi.json", stdin=subprocess.DEVNULL)
    assert (
        done.returncode == 1
        and f'unsupported source "{option}"' in done.stderr
        and seeds.listing() == before
    )


def test_schema_is_that_of_the_table():
    program = Path(COMMAND).parent / "src" / "cli" / "gpuvoronoi_schema"
    if not program.exists():
        pytest.skip("gpuvoronoi_schema is not built")
    made = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert SCHEMA.read_text() == made, f"{program} >docs/voronoi.schema.json makes it anew"


@pytest.mark.parametrize(
    "name",
    [
        "unknown",
        "unknown output",
        "output beside",
        "question within",
        "outputs text",
        "seeds number",
        "k text",
        "k real",
        "k large",
        "flag text",
        "choice",
        "size three",
        "size none",
        "co text",
        "co numbers",
        "schema number",
        "no seeds",
        "nested value",
        "quiet",
    ],
)
def test_schema_refuses_too(name):
    jsonschema = pytest.importorskip("jsonschema")
    with pytest.raises(jsonschema.ValidationError):
        check_schema(json.loads(BAD[name]))


# ------------------------------------------------------------------------------------------------------ dry runs


def test_dry_run(seeds):
    before = seeds.listing()
    arguments = [
        "--seeds",
        "s.csv",
        "--like",
        "like.tif",
        "-k",
        "2",
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--azimuth",
        "a.tif",
        "--stats",
        "t.csv",
        "--polygons",
        "p.gpkg",
        "out.tif",
    ]
    report = json.loads(seeds.ok(*arguments, "--dry-run", "--json").stdout)
    assert seeds.listing() == before
    assert (
        report["metric"]["name"] == "geodesic"
        and report["backend"]["name"] == "tile"
        and report["grid"]["width"] == 90
    )
    assert report["cells"] == {"count": 5400, "without_seed": None} and report["memory"] > 1e6
    assert [
        (one["option"], one.get("values", one.get("rows")), one["bytes"])
        for one in report["outputs"]
    ] == [
        ("OUT", 10800, 43200),
        ("--distance", 10800, 86400),
        ("--azimuth", 10800, 43200),
        ("--stats", 80, None),
        ("--polygons", 80, None),
    ]
    lines = seeds.ok(*arguments, "--dry-run").summary
    assert (
        "output: OUT out.tif, 10800 values of Int32, 43200 bytes without compression" in lines
        and "nothing was written" in lines
    )
    assert seeds.listing() == before
    seeds.ok(*arguments)
    assert seeds.path("out.tif").exists()


def test_dry_run_of_much(seeds):
    report = json.loads(
        seeds.ok(
            "--seeds", "s.csv", "--size", "4000000,2000000", "--dry-run", "--json", "out.tif"
        ).stdout
    )
    assert report["outputs"][0]["bytes"] == 32 * 10**12
    report = json.loads(
        seeds.ok(
            "--seeds", "s.csv", "--level", "10", "--cells", "c.gpkg", "--dry-run", "--json"
        ).stdout
    )
    assert report["outputs"][0] == {
        "option": "--cells",
        "path": "c.gpkg",
        "rows": 8 * 4**10,
        "bytes": None,
    }


def test_dry_run_finds_errors(seeds):
    seeds.fails(
        "--seeds",
        "s.csv",
        "--metric",
        "euclidean",
        "--dry-run",
        "out.tif",
        has="--metric euclidean",
    )
    seeds.fails("--seeds", "s.csv", "--mask", "gone.tif", "--dry-run", "out.tif", has="gone.tif")
    seeds.fails("--seeds", "s.csv", "--dry-run", "like.tif", has="like.tif exists")
    seeds.fails("--seeds", "s.csv", "--backend", "warp", "--dry-run", "out.tif", has="warp")
