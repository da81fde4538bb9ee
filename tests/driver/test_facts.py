"""What is said of a raster: by its headers, by its seeds; and which names are the driver's."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import live, text


def test_registered():
    driver = gdal.GetDriverByName("VORONOI")
    assert (
        driver.GetMetadataItem("DCAP_RASTER") == "YES"
        and driver.GetMetadataItem("DCAP_VECTOR") is None
    )
    assert (
        driver.GetMetadataItem("DCAP_CREATE") is None
        and driver.GetMetadataItem("DMD_EXTENSIONS") == "voronoi.json"
    )
    assert driver.GetMetadataItem("DMD_CONNECTION_PREFIX") == "VORONOI:"
    listed = driver.GetMetadataItem("DMD_OPENOPTIONLIST")
    for name in ("METRIC", "MAX_DISTANCE", "SEEDS_CRS", "BANDS", "K", "BY_CELL"):
        assert f'name="{name}"' in listed
    assert 'name="OVERWRITE"' not in listed and 'name="CO"' not in listed
    assert gdal.ParseXMLString(listed) is not None
    assert (
        "<Value>great-circle</Value>" in listed
        and 'type="string-select"' in listed
        and 'type="boolean"' in listed
    )


def test_identify_foreign(sources):
    """Files that are not the driver's are recognized by their names."""

    def is_ours(name):
        found = gdal.IdentifyDriverEx(str(name), gdal.OF_RASTER)
        return found is not None and found.ShortName == "VORONOI"

    sources.write("a.json", '{"seeds": "globe.csv"}')
    sources.write("voronoi.json", '{"seeds": "globe.csv"}')
    sources.write("big.json", "[" + "1," * 10**6 + "1]")
    for name in (
        "a.json",
        "voronoi.json",
        "globe.csv",
        "classes.tif",
        "shapes.geojson",
        "layers.gpkg",
        "big.json",
        "nothing.tif",
    ):
        assert not is_ours(sources.path(name)), name
    assert not is_ours("VORONO:x") and not is_ours("") and not is_ours("voronoi")
    assert (
        is_ours("VORONOI:x")
        and is_ours("voronoi:{}")
        and is_ours(sources.path("none.voronoi.json"))
    )
    begun = time.process_time()
    for _ in range(1000):
        is_ours("VORONOI:x")
    assert time.process_time() - begun < 5


def test_attributes(sources):
    """The type of an attribute is that of its values: reals, and integers of 64 bits."""
    sources.write("a.csv", "lon,lat,real,large\n0,0,1.5,5000000000\n90,20,2.25,7\n")
    for field, kind, values in (
        ("real", gdal.GDT_Float64, {1.5, 2.25}),
        ("large", gdal.GDT_Int64, {5000000000, 7}),
    ):
        made = gdal.Open(
            "VORONOI:"
            + json.dumps({"seeds": str(sources.path("a.csv")), "attribute": field, "res": 10})
        )
        assert made.GetRasterBand(1).DataType == kind and set(made.ReadAsArray().ravel()) == values


def test_three_names(sources):
    """Seeds, JSON, and a file: the same raster."""
    sources.write("s.voronoi.json", json.dumps({"seeds": "globe.csv"}))
    (sources.path("sub")).mkdir()
    sources.write(
        "sub/up.voronoi.json",
        json.dumps({"seeds": "../globe.csv", "outputs": {"raster": "x.tif", "anything": {}}}),
    )
    seeds = str(sources.path("globe.csv"))
    expected = gdal.Open("VORONOI:" + seeds).ReadAsArray()
    assert expected.shape == (1024, 2048)
    for name in (
        "voronoi:" + seeds,
        "VORONOI:" + json.dumps({"seeds": seeds}),
        str(sources.path("s.voronoi.json")),
        "VORONOI:" + str(sources.path("s.voronoi.json")),
        str(sources.path("sub/up.voronoi.json")),
    ):
        assert np.array_equal(gdal.Open(name).ReadAsArray(0, 0, 2048, 16), expected[:16]), name


def test_relative_names_last(sources, monkeypatch):
    """Names are those of the directory where it was opened."""
    monkeypatch.chdir(sources.directory)
    dataset, other = (
        gdal.Open("VORONOI:globe.csv"),
        gdal.Open('VORONOI:{"seeds": "globe.csv", "mask": "land.gpkg"}'),
    )
    monkeypatch.chdir("/")
    assert dataset.ReadAsArray(0, 0, 5, 5).shape == other.ReadAsArray(0, 0, 5, 5).shape
    assert dataset.GetMetadataItem("GPUVORONOI_SEEDS") == "globe.csv"


def test_described_by_the_command(sources):
    sources.ok(
        "--seeds",
        "globe.csv",
        "--size",
        "300,150",
        "--bands",
        "id,distance",
        "--distance-type",
        "Float64",
        "--describe",
        "d.voronoi.json",
    )
    written = json.loads(sources.path("d.voronoi.json").read_text())
    assert written["bands"] == ["id,distance"]
    dataset = gdal.Open(str(sources.path("d.voronoi.json")))
    assert [dataset.GetRasterBand(i).DataType for i in (1, 2)] == [gdal.GDT_Int32, gdal.GDT_Float64]
    sources.ok("--config", "d.voronoi.json", "out.tif")
    assert np.array_equal(sources.read("out.tif"), dataset.GetRasterBand(1).ReadAsArray())
    sources.fails(
        "--seeds",
        "globe.csv",
        "--bands",
        "id,shape",
        "out2.tif",
        status=2,
        has=["--bands", "id, distance, azimuth"],
    )


def test_outputs_are_ignored(sources):
    """What a run needs files for does not keep the same description from being opened."""
    question = {
        "distance-type": "Float64",
        "signed-distance": True,
        "distance-unit": "km",
        "outputs": {"distance": "d.tif"},
    }
    dataset = live(sources, seeds="globe.csv", **question)
    assert dataset.RasterCount == 1
    dataset = live(sources, seeds="globe.csv", bands=["distance"], **question)
    assert (
        dataset.GetRasterBand(1).DataType == gdal.GDT_Float64
        and dataset.GetRasterBand(1).GetUnitType() == "km"
    )


def test_open_options(sources):
    name = "VORONOI:" + str(sources.path("globe.csv"))

    def opened(*options, of=name):
        return gdal.OpenEx(of, gdal.OF_RASTER, open_options=list(options))

    assert opened("METRIC=great-circle").GetMetadataItem("GPUVORONOI_METRIC") == "great-circle"
    three = opened("K=3", "BANDS=id,distance", "SIZE=90,45", "MAX_DISTANCE=1000km", "NODATA=-5")
    assert (
        three.RasterCount == 6
        and three.RasterXSize == 90
        and three.GetRasterBand(2).GetNoDataValue() == -5
    )
    assert opened("EXTENT=0,0,10,10", "RES=0.5").RasterXSize == 20
    assert opened("LIKE=" + str(sources.path("like.tif"))).RasterXSize == 500
    written = text(sources, seeds="globe.csv", size=[90, 45], metric="great-circle")
    assert opened("RES=1", of=written).RasterXSize == 360  # in place of the size
    assert opened("METRIC=geodesic", of=written).GetMetadataItem("GPUVORONOI_METRIC") == "geodesic"
    polygons = text(sources, seeds="shapes.geojson", size=[90, 45], boundary=True)
    with_lines, whole = opened(of=polygons), opened("BOUNDARY=NO", of=polygons)
    assert not np.array_equal(with_lines.ReadAsArray(), whole.ReadAsArray())
    csv = opened("OO=SEPARATOR=COMMA", "X=lon", "Y=lat", of=name)
    assert csv.RasterXSize == 2048
    with pytest.raises(RuntimeError, match="--metric: invalid value .taxi.; expected one of"):
        opened("METRIC=taxi")
    with pytest.raises(RuntimeError, match="no such file|cannot read"):
        opened("MASK=/nothing/here.tif")


def test_ids_and_their_table(sources):
    """The command's table, where the raster is one block; the same ids and names where it is not."""
    sources.ok("--seeds", "globe.csv", "--id", "name", "--size", "250,125", "id.tif")
    expected = sources.table("id.tif")
    dataset = live(sources, seeds="globe.csv", id="name", size=[250, 125])
    table = dataset.GetRasterBand(1).GetDefaultRAT()

    def column(of, usage):
        at = of.GetColOfUsage(usage)
        return [of.GetValueAsString(i, at) for i in range(of.GetRowCount())]

    for usage, values in expected.items():
        assert column(table, usage) == list(map(str, values)), usage
    assert (
        dataset.GetRasterBand(1).GetMinimum() == 0 and dataset.GetRasterBand(1).GetMaximum() == 299
    )
    large = live(sources, seeds="globe.csv", id="name", res=0.001)
    of_large = large.GetRasterBand(1).GetDefaultRAT()
    assert column(of_large, gdal.GFU_Name) == column(table, gdal.GFU_Name)
    # Neighbors differ.
    colors = np.array(
        [
            [int(v) for v in column(of_large, usage)]
            for usage in (gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)
        ]
    ).T
    small = large.ReadAsArray(
        0, 0, large.RasterXSize, large.RasterYSize, buf_xsize=400, buf_ysize=200
    )
    touching = small[:, 1:] != small[:, :-1]
    same = np.all(colors[small[:, 1:][touching]] == colors[small[:, :-1][touching]], axis=1)
    assert same.mean() < 0.01
    for other in (
        live(sources, seeds="globe.csv", k=2).GetRasterBand(2),
        live(sources, seeds="globe.csv", bands=["distance"]).GetRasterBand(1),
    ):
        assert other.GetDefaultRAT() is None


def test_no_table_of_very_many(work):
    random = np.random.default_rng(1)
    work.csv("many.csv", random.uniform(-180, 180, 66000), random.uniform(-80, 80, 66000))
    dataset = live(work, seeds="many.csv", size=[64, 32])
    assert (
        dataset.GetRasterBand(1).GetDefaultRAT() is None
        and dataset.GetRasterBand(1).GetMaximum() == 66000
    )


def test_ids_that_decide(work):
    """Types and nodata follow the ids, wherever they are known from."""

    def kind(**question):
        band = live(work, size=[40, 20], **question).GetRasterBand(1)
        return gdal.GetDataTypeName(band.DataType), band.GetNoDataValue()

    work.csv("a.csv", [0, 50], [0, 10], no=[-1, 5], wide=[5 * 10**9, 7], low=[-1, -(2**31)])
    assert kind(seeds="a.csv") == ("Int32", -1)
    assert kind(seeds="a.csv", id="no") == ("Int32", -(2**31))
    assert kind(seeds="a.csv", id="wide")[0] == "Int64"
    assert kind(seeds="a.csv", id="no", nodata=77) == ("Int32", 77)
    for driver, name in (
        ("GPKG", "a.gpkg"),
        ("ESRI Shapefile", "a.shp"),
        ("GeoJSON", "a.geojson"),
        ("FlatGeobuf", "a.fgb"),
    ):
        work.points(
            name, driver, [0, 50], [0, 10], fields=[("no", ogr.OFTInteger)], rows=[(-1,), (5,)]
        )
        assert kind(seeds=name) == ("Int32", -1), name
        assert kind(seeds=name, id="no") == ("Int32", -(2**31)), name
    gdal.OpenEx(str(work.path("a.gpkg")), gdal.OF_VECTOR | gdal.OF_UPDATE).ExecuteSQL(
        "UPDATE seeds SET fid = 9999999999 WHERE fid = 2"
    )
    assert kind(seeds="a.gpkg")[0] == "Int64"
    assert kind(seeds="a.gpkg", where="fid < 100")[0] == "Int32"
    with pytest.raises(RuntimeError, match="both -1 and the lowest integer are ids"):
        live(work, seeds="a.csv", id="low", size=[40, 20]).ReadAsArray()


def test_statistics(sources):
    dataset = live(sources, seeds="globe.csv", res=0.01, bands=["id", "distance"])
    assert (
        dataset.GetRasterBand(1).GetMinimum() == 1 and dataset.GetRasterBand(1).GetMaximum() == 300
    )
    low, high, mean, _ = dataset.GetRasterBand(2).GetStatistics(True, True)
    assert 0 <= low < mean < high < 2e7
    assert np.isnan(dataset.GetRasterBand(2).GetNoDataValue())
    assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_NODATA
    assert not list(sources.directory.glob("*.aux.xml"))


def test_json_of_gdalinfo(sources):
    done = subprocess.run(
        [
            "gdalinfo",
            "-json",
            "-checksum",
            text(sources, seeds="globe.csv", size=[600, 300], bands=["id", "azimuth"]),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    said = json.loads(done.stdout)
    assert said["driverShortName"] == "VORONOI" and said["size"] == [600, 300]
    assert [b["type"] for b in said["bands"]] == ["Int32", "Float32"]
    assert [o["size"] for o in said["bands"][0]["overviews"]] == [[300, 150], [150, 75]]
    assert (
        said["bands"][0]["description"] == "id of the nearest seed"
        and said["bands"][1]["unit"] == "degree"
    )
    sources.ok("--seeds", "globe.csv", "--size", "600,300", "id.tif")
    assert said["bands"][0]["checksum"] == sources.open("id.tif").GetRasterBand(1).Checksum()


def test_writing_is_refused(sources):
    with pytest.raises(RuntimeError, match="writing is unsupported"):
        gdal.Open(text(sources, seeds="globe.csv"), gdal.GA_Update)
    band = live(sources, seeds="globe.csv").GetRasterBand(1)
    with pytest.raises(RuntimeError):
        band.WriteRaster(0, 0, 1, 1, b"0000")


def test_opening_reads_headers_only(work, tmp_path):
    """An invalid seed is an error of reading a value, not of opening."""
    work.csv("bad.csv", [1, 2, 3], [1, 2, 95])
    dataset = live(work, seeds="bad.csv")
    assert dataset.RasterXSize == 2048 and dataset.GetRasterBand(1).DataType == gdal.GDT_Int32
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"latitude out of range .* \(95\)"):
            dataset.ReadAsArray(0, 0, 1, 1)
    # A grid that depends on the seeds is found with them.
    work.csv("plane.csv", [1, 2, 3], [1, 2, "nan"], header="x,y")
    with pytest.raises(RuntimeError, match="plane.csv|row 3|not finite"):
        live(work, seeds="plane.csv")


def test_opening_without_a_display(sources):
    """Nothing is printed by opening and reading."""
    script = (
        "from osgeo import gdal; import sys; gdal.UseExceptions(); d = gdal.Open(sys.argv[1]); d.ReadAsArray(0, 0, 300, 300); "
        "d.GetRasterBand(1).GetDefaultRAT()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, text(sources, seeds="globe.csv")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_files_that_are_read_are_listed_and_stay(sources):
    """As of a VRT: the description and what it names. Who deletes, moves or copies the raster does so with the description alone."""
    sources.write(
        "s.voronoi.json",
        json.dumps({"seeds": "globe.csv", "mask": "shapes.geojson", "like": "classes.tif"}),
    )
    path, moved = str(sources.path("s.voronoi.json")), str(sources.path("t.voronoi.json"))
    names = {"s.voronoi.json", "globe.csv", "shapes.geojson", "classes.tif"}
    assert {str(sources.path(name)) for name in names} <= set(gdal.Open(path).GetFileList())
    driver = gdal.GetDriverByName("VORONOI")
    assert (
        driver.CopyFiles(moved, path) == 0
        and driver.Delete(path) == 0
        and driver.Rename(path, moved) == 0
    )
    assert (
        all(sources.path(name).exists() for name in names)
        and not sources.path("t.voronoi.json").exists()
    )
    assert driver.Delete(path) == 0
    assert all(sources.path(name).exists() for name in names - {"s.voronoi.json"})
