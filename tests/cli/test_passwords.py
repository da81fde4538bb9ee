"""Passwords in connection strings are in no message and in no file (tests/io/source_name.c has the many forms)."""

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
SOURCES = ["PG:host=127.0.0.1 port=1 dbname=d user=u password=geheim connect_timeout=2",
           "PG:host=127.0.0.1 port=1 password='geheim",
           "PG:host=127.0.0.1 port=1 password=not geheim",
           "PG:postgresql://u:geheim@127.0.0.1:1/d",
           "postgresql://u:geheim@127.0.0.1:1/d?password=geheim",
           "/vsicurl/http://u:geheim@127.0.0.1:1/a.gpkg?token=geheim&sig=geheim",
           "http://127.0.0.1:1/a.geojson?token=geheim",
           "WFS:http://u:geheim@127.0.0.1:1/wfs",
           "MYSQL:d,host=127.0.0.1,port=1,password=geheim,user=u",
           "ODBC:u/geheim@nowhere",
           VECTOR.replace("s.csv", "PG:host=127.0.0.1 port=1 password=geheim")]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", [-100.0, 10.0, 120.0], [40.0, 50.0, -30.0])
    raster = gdal.GetDriverByName("GTiff").Create(str(work.path("m.tif")), 4, 2)
    raster.SetGeoTransform((-180, 90, 0, 90, 0, -90))
    raster.SetSpatialRef(crs(4326))
    raster.GetRasterBand(1).Fill(1)
    return work


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("arguments", [
    ["--seeds", "SOURCE", "out.tif"],
    ["--seeds", "s.csv", "--like", "SOURCE", "out.tif"],
    ["--seeds", "s.csv", "--mask", "SOURCE", "out.tif"],
    ["--seeds", "s.csv", "--stats", "out.csv", "--sum", "a=SOURCE", "out.tif"],
    ["--seeds", "s.csv", "--stats", "out.csv", "--sum", "SOURCE", "out.tif"],
    ["search", "SOURCE", "out.csv"],
    ["search", "SOURCE", "--layer", "a", "out.csv"],
    ["search", "s.csv", "--layer", "s", "--queries", "SOURCE", "--query-layer", "a", "out.csv"],
    ["bench", "raster", "--seed-file", "SOURCE", "--suite", "engine"],
    # wrong usage
    ["--seeds", "s.csv", "SOURCE", "out.tif"],
    ["--seeds", "s.csv", "--res", "SOURCE", "out.tif"],
    ["bench", "raster", "SOURCE"],
    ["qtm", "SOURCE"],
])
def test_errors(seeds, arguments, source):
    done = seeds.run(*(argument.replace("SOURCE", source) for argument in arguments))
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("gpuvoronoi: error: ")
    assert SECRET not in done.stderr + done.stdout


def test_the_rest_is_told(seeds):
    seeds.fails("--seeds", SOURCES[0], "out.tif", has="PG:host=127.0.0.1 port=1 dbname=d user=u password=*** connect_timeout=2")


def test_source_of_a_file(seeds):
    """GDAL tells of what a VRT refers to."""
    seeds.write("v.vrt", VECTOR.replace("s.csv", SOURCES[0]))
    assert SECRET not in seeds.fails("--seeds", "v.vrt", "out.tif")


def test_debug_messages(seeds):
    done = seeds.run("--seeds", SOURCES[5], "out.tif", env={**os.environ, "CPL_DEBUG": "ON"})
    assert done.returncode == 1 and "127.0.0.1" in done.stderr and SECRET not in done.stderr


def test_metadata(seeds):
    seeds.ok("--seeds", VECTOR, "--mask", RASTER, "--size", "36,18", "--stats", "t.csv", "out.tif")
    metadata = gdal.Open(str(seeds.path("out.tif"))).GetMetadata()
    assert 'key="PASSWORD">***<' in metadata["GPUVORONOI_SEEDS"]
    assert 'key="PASSWORD">***<' in metadata["GPUVORONOI_MASK"]
    for name, data in seeds.listing().items():
        assert SECRET.encode() not in (data or b""), name


def test_files_are_no_connections(seeds):
    name = "my password=1 token=2.csv"
    seeds.path("s.csv").rename(seeds.path(name))
    seeds.path("m.tif").rename(seeds.path("PG:password=x.tif"))
    seeds.ok("--seeds", name, "--mask", "PG:password=x.tif", "--size", "36,18", "out.tif")
    metadata = gdal.Open(str(seeds.path("out.tif"))).GetMetadata()
    assert metadata["GPUVORONOI_SEEDS"] == name
    assert metadata["GPUVORONOI_MASK"] == "PG:password=x.tif"
    seeds.fails("--seeds", name, "--layer", "a", "x.tif", has=name)
    seeds.fails("--seeds", name, "no/my password=1.tif", has="no/my password=1.tif")
    seeds.fails("--seeds", "not password=1.csv", "x.tif", has="not password=1.csv")
