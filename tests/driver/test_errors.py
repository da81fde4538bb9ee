"""Descriptions that are none: an error at opening, never a crash."""

import json
import random

import pytest
from osgeo import gdal, ogr, osr

from conftest import live, text

BAD = [
    "",
    "{",
    "}",
    "[]",
    "null",
    "1",
    '"x"',
    "{}",
    "{}{}",
    "{} x",
    '{"seeds"}',
    '{"seeds":}',
    '{"seeds": null}',
    '{"seeds": 5}',
    '{"seeds": true}',
    '{"seeds": []}',
    '{"seeds": {}}',
    '{"seeds": ""}',
    '{"seeds": "/nothing/there.csv"}',
    '{"seeds": "S", "seed": 1}',
    '{"seeds": "S", "metric": "taxi"}',
    '{"seeds": "S", "metric": 1}',
    '{"seeds": "S", "metric": null}',
    '{"seeds": "S", "k": 0}',
    '{"seeds": "S", "k": 65}',
    '{"seeds": "S", "k": 1.5}',
    '{"seeds": "S", "k": "2"}',
    '{"seeds": "S", "k": -1e99}',
    '{"seeds": "S", "size": []}',
    '{"seeds": "S", "size": [1]}',
    '{"seeds": "S", "size": [0, 0]}',
    '{"seeds": "S", "size": [-5, 5]}',
    '{"seeds": "S", "size": [1, 2, 3]}',
    '{"seeds": "S", "size": [1e3, 5]}',
    '{"seeds": "S", "size": [2147483647, 2147483647]}',
    '{"seeds": "S", "size": [99999999999999999999, 1]}',
    '{"seeds": "S", "size": [2147483648, 1]}',
    '{"seeds": "S", "size": ["a", "b"]}',
    '{"seeds": "S", "size": [[1, 2]]}',
    '{"seeds": "S", "res": 0}',
    '{"seeds": "S", "res": -1}',
    '{"seeds": "S", "res": 1e-300}',
    '{"seeds": "S", "res": "1 parsec"}',
    '{"seeds": "S", "extent": [1, 2, 3]}',
    '{"seeds": "S", "extent": [5, 5, 1, 1]}',
    '{"seeds": "S", "extent": [0, 0, 1e400, 1]}',
    '{"seeds": "S", "extent": [0, 80, 10, 100], "res": 1}',
    '{"seeds": "S", "crs": "EPSG:1"}',
    '{"seeds": "S", "crs": 4326}',
    '{"seeds": "S", "like": "/nothing/there.tif"}',
    '{"seeds": "S", "like": "S", "res": 1}',
    '{"seeds": "S", "mask": "/nothing/there.tif"}',
    '{"seeds": "S", "level": 21}',
    '{"seeds": "S", "level": 3, "metric": "euclidean"}',
    '{"seeds": "S", "layer": "none"}',
    '{"seeds": "S", "id": "none"}',
    '{"seeds": "S", "cells-of": "healpix:3"}',
    '{"seeds": "S", "weighting": "additive"}',
    '{"seeds": "S", "weight-field": "lon"}',
    '{"seeds": "S", "max-distance": -1}',
    '{"seeds": "S", "max-distance": "far"}',
    '{"seeds": "S", "bands": "id"}',
    '{"seeds": "S", "bands": ["height"]}',
    '{"seeds": "S", "bands": ["id", "id"]}',
    '{"seeds": "S", "bands": [1]}',
    '{"seeds": "S", "by-cell": true}',
    '{"seeds": "S", "by-cell": 1}',
    '{"seeds": "S", "seeds-raster": "S"}',
    '{"seeds-raster": "S"}',
    '{"seeds": "S", "backend": "abacus"}',
    '{"seeds": "S", "threads": 0}',
    '{"seeds": "S", "threads": 99999}',
    '{"seeds": "S", "memory": "1"}',
    '{"seeds": "S", "device": -2}',
    '{"seeds": "S", "outputs": 5}',
    '{"seeds": "S", "outputs": []}',
    '{"seeds": "S", "raster": "x.tif"}',
    '{"seeds": "S", "quiet": true}',
    '{"seeds": "S", "where": "no ("}',
    '{"seeds": "S", "x": "lon"}',
    '{"seeds": "S", "nodata": 1e99}',
    '{"seeds": "' + "x" * 100000 + '"}',
    '{"a":' * 50 + "1" + "}" * 50,
    '{"seeds": "S", "values": [1, "x"]}',
    '{"seeds": "S", "edges": "wavy"}',
]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", [1, 50, -70], [10, -20, 40])
    return str(work.path("s.csv"))


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_descriptions(work, seeds, number):
    """The same from memory and from a file; GDAL's error handler gets one line."""
    bad = BAD[number].replace('"S"', json.dumps(seeds))
    work.write("bad.voronoi.json", bad)
    for name in ("VORONOI:" + bad, str(work.path("bad.voronoi.json"))):
        with pytest.raises(RuntimeError) as error:
            dataset = gdal.Open(name)
            assert '"backend"' in bad or '"where"' in bad, bad  # errors of computing
            dataset.ReadAsArray(0, 0, 1, 1)
        assert "\n" not in str(error.value) and str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"oo": ["PRELUDE_STATEMENTS=VACUUM INTO 'made.db'"]},
        {"mask-oo": ["WRITE_GFS=YES"]},
        {"mask": "/dev/zero"},
    ],
)
def test_descriptions_that_write_or_wait(work, seeds, options):
    """A description is opened as data: options by which a driver writes, and devices, are an error."""
    bad = json.dumps({"seeds": seeds, "size": [8, 4], **options})
    work.write("bad.voronoi.json", bad)
    for name in ("VORONOI:" + bad, str(work.path("bad.voronoi.json"))):
        with pytest.raises(RuntimeError, match="in a description"):
            gdal.Open(name)


def test_bytes_at_random(work, seeds):
    """Mutations of a description: opened or refused."""
    dice = random.Random(9)
    good = json.dumps(
        {
            "seeds": seeds,
            "size": [40, 20],
            "k": 2,
            "max-distance": "5000km",
            "bands": ["id", "distance"],
        }
    ).encode()
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(bad))
            bad[at : at + dice.choice((0, 1, 1, 5))] = bytes(
                dice.choices(b'{}[]",:0123456789e-. \x00\xffabc', k=dice.randrange(3))
            )
        work.path("m.voronoi.json").write_bytes(bad)
        try:
            gdal.Open(str(work.path("m.voronoi.json"))).ReadAsArray(0, 0, 3, 3)
        except RuntimeError as error:
            assert str(error)


def test_messages_are_the_commands(work, seeds):
    for option, value in (
        ("metric", "taxi"),
        ("size", "0,0"),
        ("crs", "EPSG:1"),
        ("id", "none"),
        ("res", "-1"),
    ):
        said = (
            work.run("--seeds", seeds, f"--{option}", value, "out.tif")
            .stderr.strip()
            .removeprefix("gpuvoronoi: error: ")
        )
        with pytest.raises(RuntimeError) as error:
            gdal.OpenEx("VORONOI:" + seeds, open_options=[f"{option}={value}"])
        assert str(error.value) == said


NESTED = "unsupported on-demand raster as a source of another one; write it to a file first"


@pytest.fixture
def nested(work, seeds):
    """Writes descriptions; `nested.fails`: they are refused when they are opened, with the name of the source."""

    def write(name, **question):
        work.write(
            name + ".voronoi.json", json.dumps({"seeds": seeds, "size": [300, 150], **question})
        )
        return str(work.path(name + ".voronoi.json"))

    def fails(name, source):
        with pytest.raises(RuntimeError) as error:
            gdal.Open(name)
        assert str(error.value).endswith(f"{source}: {NESTED}"), error.value

    write.fails = fails
    return write


def test_made_of_one_another(work, seeds, nested):
    """Whatever the source is for."""
    inner = nested("inner", size=[90, 45])
    for name, question in (
        ("mask", dict(mask=inner)),
        ("like", dict(like=inner)),
        ("extent", {"extent-of": inner}),
    ):
        work.write(name + ".voronoi.json", json.dumps({"seeds": seeds, **question}))
        nested.fails(str(work.path(name + ".voronoi.json")), inner)
    for question in (dict(seeds=inner), {"seeds-raster": inner}):
        nested.fails("VORONOI:" + json.dumps(question), inner)
    inline = "VORONOI:" + json.dumps({"seeds": seeds})
    nested.fails("VORONOI:" + json.dumps({"seeds": seeds, "mask": inline}), "VORONOI:***")
    with pytest.raises(RuntimeError, match=NESTED):
        gdal.OpenEx(inner, open_options=["MASK=" + inner])


def test_made_of_themselves(work, seeds, nested):
    nested.fails(nested("mask", mask="mask.voronoi.json"), work.path("mask.voronoi.json"))
    nested("a", mask="b.voronoi.json")
    nested("b", mask="a.voronoi.json")
    nested.fails(str(work.path("a.voronoi.json")), work.path("b.voronoi.json"))


def test_made_of_virtual_rasters(work, seeds, nested):
    """By way of VRT files, of VRT files of VRT files, and of VRT files that lead back to where they began."""
    inner = nested("inner")
    gdal.Translate(str(work.path("v.vrt")), inner)
    gdal.BuildVRT(str(work.path("vv.vrt")), str(work.path("v.vrt"))).FlushCache()
    nested.fails(nested("first", mask="v.vrt"), inner)
    nested.fails(nested("second", mask="vv.vrt"), inner)
    nested("inner", mask="vv.vrt")
    nested.fails(inner, inner)
    # Other rasters of VRT files are sources.
    work.ok("--seeds", seeds, "--size", "300,150", "--max-distance", "3000km", "stored.tif")
    gdal.BuildVRT(str(work.path("stored.vrt")), str(work.path("stored.tif"))).FlushCache()
    outer = gdal.Open(nested("outer", mask="stored.vrt"))
    work.ok("--seeds", seeds, "--size", "300,150", "--mask", "stored.tif", "outer.tif")
    assert (outer.ReadAsArray() == work.read("outer.tif")).all() and (
        outer.ReadAsArray() == -1
    ).any()
    assert str(work.path("stored.tif")) in outer.GetFileList()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shared", [0, 1])
def test_made_of_descriptions_in_virtual_rasters(work, seeds, nested, threads, shared):
    """GDAL does not list those that are not files: reading reports the error, wherever the path ends, also in itself."""
    description = json.dumps(
        {"seeds": seeds, "size": [300, 150], "mask": str(work.path("v.vrt")), "threads": threads}
    )
    work.write(
        "v.vrt",
        f"""<VRTDataset rasterXSize="300" rasterYSize="150"><SRS>EPSG:4326</SRS>
        <GeoTransform>-180, 1.2, 0, 90, 0, -1.2</GeoTransform><VRTRasterBand dataType="Int32" band="1"><SimpleSource>
        <SourceFilename shared="{shared}">VORONOI:{description.replace('"', "&quot;")}</SourceFilename><SourceBand>1</SourceBand>
        <SrcRect xOff="0" yOff="0" xSize="300" ySize="150"/><DstRect xOff="0" yOff="0" xSize="300" ySize="150"/>
        </SimpleSource></VRTRasterBand></VRTDataset>""",
    )
    with pytest.raises(RuntimeError, match="(v.vrt: VORONOI|VORONOI:.*v.vrt.*): " + NESTED):
        gdal.Open("VORONOI:" + description).ReadAsArray()
    with pytest.raises(
        RuntimeError, match="cannot read .*v.vrt|" + NESTED
    ):  # GDAL's pool of datasets may report the reason the first time only
        gdal.OpenShared("VORONOI:" + description).ReadAsArray()


def test_the_command_takes_them(work, seeds, nested):
    """Runs of the command have them as sources."""
    nested("inner", size=[90, 45], **{"max-distance": "3000km"})
    work.ok("--config", "inner.voronoi.json", "inner.tif")
    for mask in ("inner.tif", "inner.voronoi.json"):
        work.ok("--seeds", seeds, "--size", "360,180", "--mask", mask, mask + ".out.tif")
    found = work.read("inner.voronoi.json.out.tif")
    assert (
        (found == work.read("inner.tif.out.tif")).all()
        and (found == -1).any()
        and (found != -1).any()
    )


def test_errors_of_blocks(work, seeds):
    """A mask that cannot be read is an error of reading, with the mask's name; other windows may succeed."""
    mask = gdal.GetDriverByName("GTiff").Create(
        str(work.path("m.tif")), 512, 256, 1, gdal.GDT_Byte, ["COMPRESS=DEFLATE", "TILED=YES"]
    )
    mask.SetGeoTransform((-180, 360 / 512, 0, 90, 0, -180 / 256))
    mask.SetProjection("EPSG:4326")
    mask.GetRasterBand(1).WriteArray(
        (__import__("numpy").random.default_rng(1).random((256, 512)) * 9).astype("uint8")
    )
    mask = None
    whole = work.path("m.tif").read_bytes()
    work.path("m.tif").write_bytes(whole[: len(whole) // 2])
    dataset = live(work, seeds=seeds, size=[2048, 1024], mask="m.tif")
    with pytest.raises(RuntimeError, match="m.tif"):
        dataset.ReadAsArray()
    with pytest.raises(RuntimeError, match="m.tif"):
        dataset.ReadAsArray()


def test_without_exceptions(work, seeds):
    """As C programs see it: NULL, and the last error's text; nothing stays behind of errors on the way to a raster."""
    for module in (osr, ogr, gdal):
        module.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    try:
        assert gdal.Open('VORONOI:{"seeds": 5}') is None
        assert 'the description: "seeds": invalid type; expected text' in gdal.GetLastErrorMsg()
        gdal.ErrorReset()
        assert gdal.Open("VORONOI:" + seeds).ReadAsArray(0, 0, 2, 2) is not None
        assert gdal.GetLastErrorMsg() == ""
        work.csv("bad.csv", [1, 2], [3, 99])
        assert gdal.Open(text(work, seeds="bad.csv")).ReadAsArray(0, 0, 2, 2) is None
        assert "latitude out of range [-90, 90] (99)" in gdal.GetLastErrorMsg()
    finally:
        gdal.PopErrorHandler()
        for module in (gdal, ogr, osr):
            module.UseExceptions()


def test_warnings(work):
    """Seeds that are left out are reported once, by GDAL's handler."""
    work.csv("bad.csv", [1, 2, 3], [3, 99, 5])
    heard = []
    gdal.PushErrorHandler(lambda level, number, message: heard.append((level, message)))
    try:
        dataset = live(work, seeds="bad.csv", **{"skip-invalid": True})
        dataset.ReadAsArray(0, 0, 2, 2)
        dataset.ReadAsArray(0, 0, 2, 2)
    finally:
        gdal.PopErrorHandler()
    assert [level for level, _ in heard] == [
        gdal.CE_Warning
    ] and "1 seeds skipped, 2 used" in heard[0][1], heard


def test_settings_of_the_host_program_stay(sources):
    """Deprecated codes are taken as they are written, in the driver's calls alone."""
    sources.csv("norway.csv", [12.3, 11.9], [64.2, 63.8])
    sources.write(
        "d.voronoi.json", json.dumps({"seeds": "norway.csv", "crs": "EPSG:4862", "size": [8, 8]})
    )
    raster = gdal.Open(str(sources.path("d.voronoi.json")))
    raster.ReadAsArray()
    assert gdal.GetConfigOption("OSR_USE_NON_DEPRECATED") is None
    system = osr.SpatialReference()
    system.ImportFromEPSG(4862)
    assert (
        system.GetAuthorityCode(None) == "5112"
        and raster.GetSpatialRef().GetAuthorityCode(None) == "4862"
    )
