"""Passwords in connection strings are in no message and in no file (tests/io/source_name.c has the many forms)."""

import json
import os

import pytest
from osgeo import gdal

from conftest import crs

SECRET = "geheim"
VECTOR = """<OGRVRTDataSource><OGRVRTLayer name="s"><SrcDataSource relativeToVRT="0">s.csv</SrcDataSource>
<OpenOptions><OOI key="PASSWORD">geheim</OOI></OpenOptions><GeometryType>wkbPoint</GeometryType><LayerSRS>EPSG:4326</LayerSRS>
<GeometryField encoding="PointFromColumns" x="lon" y="lat"/></OGRVRTLayer></OGRVRTDataSource>"""
RASTER = """<VRTDataset rasterXSize="4" rasterYSize="2"><SRS>EPSG:4326</SRS><GeoTransform>-180,90,0,90,0,-90</GeoTransform>
<VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename>m.tif</SourceFilename>
<OpenOptions><OOI key="PASSWORD">geheim</OOI></OpenOptions></SimpleSource></VRTRasterBand></VRTDataset>"""
SOURCES = [
    "PG:host=127.0.0.1 port=1 dbname=d user=u password=geheim connect_timeout=2",
    "PG:host=127.0.0.1 port=1 password='geheim",
    "PG:host=127.0.0.1 port=1 password=not geheim",
    "PG:postgresql://u:geheim@127.0.0.1:1/d",
    "postgresql://u:geheim@127.0.0.1:1/d?password=geheim",
    "/vsicurl/http://u:geheim@127.0.0.1:1/a.gpkg?token=geheim&sig=geheim",
    "http://127.0.0.1:1/a.geojson?token=geheim",
    "WFS:http://u:geheim@127.0.0.1:1/wfs",
    "MYSQL:d,host=127.0.0.1,port=1,password=geheim,user=u",
    "ODBC:u/geheim@nowhere",
    VECTOR.replace("s.csv", "PG:host=127.0.0.1 port=1 password=geheim"),
]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", [-100.0, 10.0, 120.0], [40.0, 50.0, -30.0])
    raster = gdal.GetDriverByName("GTiff").Create(str(work.path("m.tif")), 4, 2)
    raster.SetGeoTransform((-180, 90, 0, 90, 0, -90))
    raster.SetSpatialRef(crs(4326))
    raster.GetRasterBand(1).Fill(1)
    return work


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--seeds", "SOURCE", "out.tif"],
        ["--seeds", "s.csv", "--like", "SOURCE", "out.tif"],
        ["--seeds", "s.csv", "--mask", "SOURCE", "out.tif"],
        ["--seeds", "s.csv", "--stats", "out.csv", "--sum", "a=SOURCE", "out.tif"],
        ["--seeds", "s.csv", "--stats", "out.csv", "--sum", "SOURCE", "out.tif"],
        ["search", "SOURCE", "out.csv"],
        ["search", "SOURCE", "--layer", "a", "out.csv"],
        ["search", "s.csv", "--layer", "s", "--queries", "SOURCE", "--query-layer", "a", "out.csv"],
        # wrong usage
        ["--seeds", "s.csv", "SOURCE", "out.tif"],
        ["--seeds", "s.csv", "--res", "SOURCE", "out.tif"],
        ["qtm", "SOURCE"],
    ],
)
def test_errors(seeds, arguments, source):
    done = seeds.run(*(argument.replace("SOURCE", source) for argument in arguments))
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("gpuvoronoi: error: ")
    assert SECRET not in done.stderr + done.stdout


def test_the_driver_is_named(seeds):
    assert (
        "host="
        not in seeds.fails("--seeds", SOURCES[0], "out.tif", has="cannot read PG:***").split(
            "PG:***"
        )[0]
    )


def test_source_of_a_file(seeds):
    """GDAL's messages name the sources of a VRT."""
    seeds.write("v.vrt", VECTOR.replace("s.csv", SOURCES[0]))
    assert SECRET not in seeds.fails("--seeds", "v.vrt", "out.tif")


def test_debug_messages(seeds):
    done = seeds.run("--seeds", SOURCES[5], "out.tif", env={**os.environ, "CPL_DEBUG": "ON"})
    assert done.returncode == 1 and "***" in done.stderr and SECRET not in done.stderr


def test_metadata(seeds):
    seeds.ok("--seeds", VECTOR, "--mask", RASTER, "--size", "36,18", "--stats", "t.csv", "out.tif")
    metadata = gdal.Open(str(seeds.path("out.tif"))).GetMetadata()
    assert metadata["GPUVORONOI_SEEDS"] == "***" and metadata["GPUVORONOI_MASK"] == "***"
    for name, data in seeds.listing().items():
        assert SECRET.encode() not in (data or b""), name


def test_files_whose_names_look_like_connections(seeds):
    """They are read; names with '=' or '@' are not shown. Names of outputs are."""
    name = "my password=1 token=2.csv"
    seeds.path("s.csv").rename(seeds.path(name))
    seeds.path("m.tif").rename(seeds.path("PG:password=x.tif"))
    seeds.ok("--seeds", name, "--mask", "PG:password=x.tif", "--size", "36,18", "out.tif")
    metadata = gdal.Open(str(seeds.path("out.tif"))).GetMetadata()
    assert metadata["GPUVORONOI_SEEDS"] == "***" and metadata["GPUVORONOI_MASK"] == "PG:***"
    seeds.fails("--seeds", name, "no/a=b@c.tif", has="no/a=b@c.tif")
    seeds.fails("--seeds", "not there.csv", "x.tif", has="not there.csv")


# --------------------------------------------------------------------------------------------------------- open options


OPTIONS = [
    "PASSWORD=geheim",
    "TOKEN=geheim",
    "API_KEY=geheim",
    "AUTH=geheim",
    "USERPWD=u:geheim",
    "HEADERS=Authorization: Bearer geheim",
    "URL=https://u:geheim@h/",
    "ANY=geheim",
    "TABLE=a?x=geheim",
]
INPUTS = {
    "--oo": ["--seeds", "s.csv"],
    "--like-oo": ["--seeds", "s.csv", "--like", "m.tif"],
    "--mask-oo": ["--seeds", "s.csv", "--mask", "m.tif"],
    "--extent-oo": ["--seeds", "s.csv", "--extent-of", "m.tif"],
    "--sum-oo": ["--seeds", "s.csv", "--stats", "t.csv", "--sum", "a=m.tif"],
}
HARMLESS = ["X_POSSIBLE_NAMES=lon", "AUTODETECT_TYPE=YES", "NUM_THREADS=2", "PAGE_SIZE=500"]


def nowhere(work, done):
    assert SECRET not in done.stdout + done.stderr, done.stderr
    for path in work.directory.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def each(option, values):
    """The option once for each value."""
    return [word for value in values for word in (option, value)]


@pytest.mark.parametrize("option", INPUTS)
def test_secrets_in_open_options(seeds, option):
    size = [] if option == "--like-oo" else ["--size", "16,8"]
    question = [*INPUTS[option], *size, *each(option, OPTIONS)]
    done = seeds.run(*question, "--describe", "d.voronoi.json")
    assert done.returncode == 0 and "password" in done.stderr, done.stderr
    assert json.loads(seeds.path("d.voronoi.json").read_text())
    assert seeds.path("d.voronoi.json").read_text().count("=***") == len(OPTIONS)
    nowhere(seeds, done)
    for more in (
        ["o.tif"],
        ["--dry-run", "--json", "x.tif"],
        ["--part", "1/1", "p.tif"],
        ["--no-such-option", "x.tif"],
        ["--where", "x", "x.tif"],
    ):
        nowhere(seeds, seeds.run(*question, *more))
    done = seeds.run("--config", "d.voronoi.json", "c.tif")  # not with "***" in its place
    assert done.returncode == 2 and f"use {option} on the command line" in done.stderr
    nowhere(seeds, done)
    assert (
        seeds.run(
            "--config", "d.voronoi.json", *each(option, OPTIONS), "--overwrite", "c.tif"
        ).returncode
        == 0
    )


@pytest.mark.parametrize("secret", OPTIONS)
def test_each_secret_is_found_without_others(seeds, secret):
    done = seeds.run(
        "--seeds", "s.csv", "--size", "16,8", "--oo", secret, "--describe", "d.voronoi.json"
    )
    assert done.returncode == 0 and "password" in done.stderr, done.stderr
    assert "=***" in seeds.path("d.voronoi.json").read_text()
    nowhere(seeds, done)


@pytest.mark.parametrize("option", ["--oo", "--query-oo"])
def test_secrets_in_open_options_of_a_search(seeds, option):
    for more in (
        ["o.npy"],
        ["--json", "j.npy"],
        ["--k", "x", "p.npy"],
        ["--queries", "gone.csv", "q.npy"],
    ):
        nowhere(
            seeds,
            seeds.run(
                "search",
                "--reference",
                "s.csv",
                "--queries",
                "s.csv",
                *each(option, OPTIONS),
                *more,
            ),
        )


@pytest.mark.parametrize("option", INPUTS)
def test_harmless_open_options_are_described(seeds, option):
    done = seeds.run(*INPUTS[option], *each(option, HARMLESS), "--describe", "d.voronoi.json")
    assert done.returncode == 0 and "password" not in done.stderr
    text = seeds.path("d.voronoi.json").read_text()
    assert all(one in text for one in HARMLESS)


def test_merging_parts_of_a_source_with_a_password(seeds):
    seeds.ok("--seeds", "s.csv", "--size", "16,8", "--oo", "PASSWORD=geheim", "o.tif")
    seeds.run(
        "--seeds", "s.csv", "--size", "16,8", "--oo", "PASSWORD=geheim", "--part", "1/1", "p.tif"
    )
    seeds.fails("merge", "q.tif", "p.tif", has="use --oo on the command line")
    done = seeds.run("merge", "--oo", "PASSWORD=geheim", "q.tif", "p.tif")
    assert (
        done.returncode == 0
        and seeds.path("q.tif").read_bytes() == seeds.path("o.tif").read_bytes()
    )
    nowhere(seeds, done)


@pytest.mark.parametrize(
    "arguments", [["--config", "URL"], ["merge", "o.tif", "URL"], ["--seeds", "URL", "o.tif"]]
)
@pytest.mark.parametrize("debug", [{}, {"CPL_DEBUG": "ON"}])
def test_values_of_unknown_query_keys(seeds, arguments, debug):
    url = "/vsicurl/http://127.0.0.1:9/x.json?unknown=geheim77"
    done = seeds.run(
        *[url if one == "URL" else one for one in arguments], env={**os.environ, **debug}
    )
    assert done.returncode == 1 and "geheim77" not in done.stderr + done.stdout
