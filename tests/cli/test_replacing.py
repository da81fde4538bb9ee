"""Where outputs end up, and what they may take the place of."""

import os

import pytest
from osgeo import ogr

from conftest import globe

LON, LAT = globe(40, seed=4)
SIZE = ["--metric", "great-circle", "--size", "20,10"]
LONGEST = 1900


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


# ----------------------------------------------------------------------------------------------------- long names


def long_path(work, length, name):
    """Directories within each other, so that the path of `name` in the innermost has so many bytes."""
    path = str(work.directory)
    while (left := length - len(path) - len(name) - 2) > 0:
        path += "/" + "d" * (min(200, left) - (left == 201))
    path += "/" + name
    assert len(path) == length, (len(path), length)
    # makedirs, from where the working directory's limits play no part
    at = os.open("/", os.O_RDONLY)
    for part in path.split("/")[1:-1]:
        try:
            os.mkdir(part, dir_fd=at)
        except FileExistsError:
            pass
        inner = os.open(part, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    return path


@pytest.mark.parametrize("name,options", [("out.tif", []), ("out.tif", ["--of", "ENVI"]), ("out.asc", []),
                                          ("t.csv", ["--stats"]), ("t.shp", ["--polygons"])])
def test_long_paths_are_written_to_or_refused(seeds, name, options):
    """GDAL's functions for names have 2,048 bytes; what was too long became a name in the current directory."""
    seeds.write(name, "something precious")
    before = seeds.listing()
    for length in 1000, LONGEST, LONGEST + 1, 2030, 2047, 2048, 2060, 3000:
        path = long_path(seeds, length, name)
        output = [*options, path, "r.tif"] if options and options[0] in ("--stats", "--polygons") else [*options, path]
        if length <= LONGEST:
            assert seeds.run("--seeds", "s.csv", *SIZE, *output).returncode == 0
            assert os.path.exists(path)
            again = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert again.returncode == 1 and "exists; --overwrite replaces it" in again.stderr
            assert [n for n in os.listdir(os.path.dirname(path)) if ".tmp-" in n] == []
        else:
            done = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert done.returncode == 1 and f"has {length} bytes" in done.stderr, done.stderr
            assert len(done.stderr.splitlines()) == 1
            assert not os.path.exists(path)
        for made in "r.tif", "r.tif.aux.xml":
            seeds.path(made).unlink(missing_ok=True)
        assert {n: b for n, b in seeds.listing().items() if not n.startswith("d")} == before


def test_names_as_long_as_a_file_system_has(seeds):
    name = "ü" * 100 + "n" * 51 + ".tif"
    assert len(name.encode()) == 255
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", name)
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", "--overwrite", name)
    assert seeds.open(name).ReadAsArray().shape == (10, 20)
    seeds.fails("--seeds", "s.csv", *SIZE, "--no-style", "n" + name, has="ame too long")
    # Side files have longer names: the raster is written, and what is missing is said.
    done = seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", name)
    assert "aux.xml" in done.stderr or "auxiliary" in done.stderr


# ------------------------------------------------------------------------------------------- what must not be replaced


def table_of_places(work, name):
    """A .dbf without a .shp, with places in columns."""
    source = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(work.path(name)))
    layer = source.CreateLayer("t", None, ogr.wkbNone)
    for field in "lon", "lat":
        layer.CreateField(ogr.FieldDefn(field, ogr.OFTReal))
    for lon, lat in zip(LON, LAT):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("lon", float(lon))
        feature.SetField("lat", float(lat))
        layer.CreateFeature(feature)
    feature = layer = source = None


@pytest.mark.parametrize("option", ["--polygons", "--stats", "--cells"])
def test_side_files_replace_no_input(seeds, option):
    """t.dbf is an input, t.shp is not there, and t.shp brings a t.dbf."""
    table_of_places(seeds, "t.dbf")
    grid = ["--level", "3"] if option == "--cells" else SIZE
    seeds.fails("--seeds", "t.dbf", *grid, option, "t.shp", "--overwrite", "r.tif", has=["t.shp: its file t.dbf", "input"])
    seeds.ok("--seeds", "t.dbf", *grid, option, "u.shp", "--overwrite", "r.tif")


def test_side_files_replace_no_file_of_an_input(seeds):
    seeds.points("t.shp", "ESRI Shapefile", LON, LAT)
    seeds.write("t.vrt", '<OGRVRTDataSource><OGRVRTLayer name="t"><SrcDataSource relativeToVRT="1">t.shp</SrcDataSource>'
                '</OGRVRTLayer></OGRVRTDataSource>')
    seeds.fails("--seeds", "t.vrt", *SIZE, "--of", "ENVI", "--overwrite", "t.dbf", has=["t.dbf", "input"])
    seeds.raster("m.hdr", (-180, 18, 0, 90, 0, -18), (20, 10), 4326)
    for option in "--mask", "--like", "--sum":
        extra = ["--stats", "o.csv"] if option == "--sum" else []
        line = seeds.fails("--seeds", "s.csv", option, "m.hdr", *extra, *(SIZE if option != "--like" else []), "--of", "ENVI",
                           "--overwrite", "m.bin", has=["m.bin: its file m.hdr", "input"])
        assert "m.hdr, a file of an input" in line


@pytest.mark.parametrize("suffix", [".aux.xml", ".ovr", ".msk", ".msk.ovr"])
def test_no_input_goes_as_a_stale_side_file(seeds, suffix):
    seeds.raster("out.tif" + suffix, (-180, 18, 0, 90, 0, -18), (20, 10), 4326)
    mask = ["--mask", "out.tif" + suffix]
    for overwrite in [], ["--overwrite"]:
        seeds.fails("--seeds", "s.csv", *SIZE, *mask, "--no-style", *overwrite, "out.tif", has=["out.tif" + suffix, "input"])
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", "--overwrite", "out.tif")
    assert not seeds.path("out.tif" + suffix).exists()


def test_links(seeds):
    """A link is there, even if it leads nowhere."""
    seeds.path("out.tif").symlink_to("nowhere/precious.tif")
    seeds.fails("--seeds", "s.csv", *SIZE, "out.tif", has=["exists", "--overwrite"])
    assert os.readlink(seeds.path("out.tif")) == "nowhere/precious.tif"
    seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", "out.tif")
    assert not seeds.path("out.tif").is_symlink() and seeds.read("out.tif").shape == (10, 20)
    seeds.path("t.dbf").symlink_to("nowhere.dbf")
    seeds.fails("--seeds", "s.csv", *SIZE, "--stats", "t.shp", "r.tif", has=["t.dbf", "--overwrite"])
    assert seeds.path("t.dbf").is_symlink()
    seeds.path("out.tif.ovr").mkdir()
    seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", "out.tif")
    assert seeds.path("out.tif.ovr").is_dir()
