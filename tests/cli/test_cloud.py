"""Outputs in cloud storage, with a local server of S3 (moto): complete or not there, and nothing that was there is lost."""

import os
import shutil
import signal
import subprocess
import time
import urllib.request

import pytest
from osgeo import gdal

from conftest import COMMAND, globe

SERVER = shutil.which("moto_server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="moto (PyPI: moto[server]) is not installed")
BUCKET = "/vsis3/rasters/"


@pytest.fixture(scope="module")
def address():
    server = subprocess.Popen(
        [SERVER, "-H", "127.0.0.1", "-p", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    found = None
    for line in server.stdout:
        if "Running on http" in line:
            found = line.split("http://")[1].split()[0]
            break
    assert found, "the server did not start"
    yield found
    server.send_signal(signal.SIGINT)
    server.wait(timeout=30)


@pytest.fixture
def cloud(work, address, monkeypatch):
    """An empty bucket; the command and GDAL here have its address."""
    for name, value in {
        "AWS_S3_ENDPOINT": address,
        "AWS_HTTPS": "NO",
        "AWS_VIRTUAL_HOSTING": "FALSE",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
        gdal.SetConfigOption(name, value)
    urllib.request.urlopen(
        urllib.request.Request(f"http://{address}/moto-api/reset", method="POST")
    )
    urllib.request.urlopen(urllib.request.Request(f"http://{address}/rasters", method="PUT"))
    gdal.VSICurlClearCache()
    work.csv("s.csv", *globe(30, seed=3))
    return work


def objects():
    gdal.VSICurlClearCache()
    return sorted(gdal.ReadDirRecursive(BUCKET) or [])


def content(name):
    gdal.VSICurlClearCache()
    file = gdal.VSIFOpenL(BUCKET + name, "rb")
    gdal.VSIFSeekL(file, 0, 2)
    size = gdal.VSIFTellL(file)
    gdal.VSIFSeekL(file, 0, 0)
    read = gdal.VSIFReadL(1, size, file)
    gdal.VSIFCloseL(file)
    return bytes(read)


def put(name, data):
    file = gdal.VSIFOpenL(BUCKET + name, "wb")
    gdal.VSIFWriteL(data, 1, len(data), file)
    assert gdal.VSIFCloseL(file) == 0
    gdal.VSICurlClearCache()


RUN = ["--seeds", "s.csv", "--size", "60,30"]


@pytest.mark.parametrize(
    "options, name", [([], "a.tif"), (["--of", "COG"], "cog.tif"), (["--of", "ENVI"], "a.img")]
)
def test_same_objects_as_files(cloud, options, name):
    """Objects have the bytes of the files that a run on a disk makes, side files and tables included."""
    others = ["--distance", "{}d.tif", "--stats", "{}t.csv", "--polygons", "{}p.gpkg"]
    cloud.path("local").mkdir()
    cloud.ok(*RUN, *options, *[o.format("local/") for o in others], f"local/{name}")
    cloud.ok(
        *RUN, *options, *[o.format(BUCKET + "deep/er/") for o in others], BUCKET + "deep/er/" + name
    )
    files = sorted(p.name for p in cloud.path("local").iterdir())
    assert objects() == sorted(["deep/", "deep/er/"] + ["deep/er/" + file for file in files]) or [
        o for o in objects() if not o.endswith("/")
    ] == ["deep/er/" + file for file in files]
    for file in files:
        if not file.endswith(".gpkg"):  # which has the time of its writing
            assert content("deep/er/" + file) == cloud.path("local/" + file).read_bytes(), file
    assert sorted(p.name for p in cloud.directory.iterdir()) == ["local", "s.csv"]


def test_replaced_only_on_request(cloud):
    put("a.tif", b"old")
    put("a.tif.aux.xml", b"old side file")
    put("a.qml", b"a style of the user's")
    before = {name: content(name) for name in objects()}
    cloud.fails(*RUN, BUCKET + "a.tif", has="exists; use --overwrite to replace it")
    assert {name: content(name) for name in objects()} == before
    cloud.ok(*RUN, "--no-style", "--overwrite", BUCKET + "a.tif")
    assert objects() == ["a.qml", "a.tif"]
    assert content("a.qml") == before["a.qml"]
    cloud.ok(*RUN, "--no-style", "b.tif")
    assert content("a.tif") == cloud.path("b.tif").read_bytes()


def test_inputs_are_not_replaced(cloud):
    put("s.csv", cloud.path("s.csv").read_bytes())
    before = content("s.csv")
    cloud.fails(
        "--seeds",
        BUCKET + "s.csv",
        "--size",
        "60,30",
        "--overwrite",
        "--stats",
        BUCKET + "s.csv",
        "out.tif",
        has="input",
    )
    assert content("s.csv") == before and objects() == ["s.csv"]


def test_side_files_of_two_outputs(cloud):
    """t.shp and t.dbf are files of one data set."""
    cloud.fails(
        *RUN,
        "--polygons",
        BUCKET + "t.shp",
        "--stats",
        BUCKET + "t.dbf",
        "out.tif",
        has=["t.shp", "another output"],
    )
    assert objects() == []


def test_layers_are_not_added(cloud):
    cloud.ok(*RUN, "--polygons", "p.gpkg", "a.tif")
    put("p.gpkg", cloud.path("p.gpkg").read_bytes())
    before = content("p.gpkg")
    for more in [], ["--overwrite"]:
        cloud.fails(
            *RUN,
            *more,
            "--polygons",
            BUCKET + "p.gpkg",
            "--stats",
            BUCKET + "t.csv",
            "out.tif",
            has="p.gpkg",
        )
    assert content("p.gpkg") == before and objects() == ["p.gpkg"]


def test_all_or_none(cloud):
    """The second output has no bucket: the first, which is copied before, is removed again, and no file appears."""
    cloud.fails(
        *RUN, "--distance", BUCKET + "d.tif", "/vsis3/missing/a.tif", has="/vsis3/missing/a."
    )
    assert objects() == []
    cloud.fails(*RUN, "--distance", "d.tif", "/vsis3/missing/a.tif", has="/vsis3/missing/a.")
    assert objects() == []


def test_without_keys(cloud, monkeypatch):
    for name in "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY":
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("CPL_AWS_AUTODETECT_EC2", "NO")
    cloud.fails(*RUN, BUCKET + "a.tif", has="AWS_SECRET_ACCESS_KEY")


def test_killed_by_a_signal(cloud):
    """Nothing is there after an interrupt, neither an object nor a temporary directory."""
    cloud.path("tmp").mkdir()
    run = subprocess.Popen(
        [COMMAND, "--seeds", "s.csv", "--size", "20000,10000", BUCKET + "big.tif"],
        cwd=cloud.directory,
        env={**os.environ, "CPL_TMPDIR": str(cloud.path("tmp"))},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(cloud.path("tmp").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) != 0, run.stderr.read()
    assert objects() == [] and list(cloud.path("tmp").iterdir()) == []
