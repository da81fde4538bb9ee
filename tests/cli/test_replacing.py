"""Where outputs end up, and what they may take the place of."""

import gzip
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

import pytest
from osgeo import ogr

from conftest import COMMAND, globe

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


@pytest.mark.parametrize(
    "name,options",
    [
        ("out.tif", []),
        ("out.tif", ["--of", "ENVI"]),
        ("out.asc", []),
        ("t.csv", ["--stats"]),
        ("t.shp", ["--polygons"]),
    ],
)
def test_long_paths_are_written_to_or_refused(seeds, name, options):
    """GDAL's functions for names have 2,048 bytes; what was too long became a name in the current directory."""
    seeds.write(name, "something precious")
    before = seeds.listing()
    for length in 1000, LONGEST, LONGEST + 1, 2030, 2047, 2048, 2060, 3000:
        path = long_path(seeds, length, name)
        output = (
            [*options, path, "r.tif"]
            if options and options[0] in ("--stats", "--polygons")
            else [*options, path]
        )
        if length <= LONGEST:
            assert seeds.run("--seeds", "s.csv", *SIZE, *output).returncode == 0
            assert os.path.exists(path)
            again = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert again.returncode == 1 and "exists; use --overwrite to replace it" in again.stderr
            assert [n for n in os.listdir(os.path.dirname(path)) if ".tmp-" in n] == []
        else:
            done = seeds.run("--seeds", "s.csv", *SIZE, *output)
            assert done.returncode == 1 and f"name too long ({length} bytes" in done.stderr, (
                done.stderr
            )
            assert len(done.stderr.splitlines()) == 1
            assert not os.path.exists(path)
        for made in "r.tif", "r.tif.aux.xml", "r.qml":
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
    seeds.fails(
        "--seeds",
        "t.dbf",
        *grid,
        option,
        "t.shp",
        "--overwrite",
        "r.tif",
        has=["t.shp: file t.dbf", "input"],
    )
    seeds.ok("--seeds", "t.dbf", *grid, option, "u.shp", "--overwrite", "r.tif")


def test_side_files_replace_no_file_of_an_input(seeds):
    seeds.points("t.shp", "ESRI Shapefile", LON, LAT)
    seeds.write(
        "t.vrt",
        '<OGRVRTDataSource><OGRVRTLayer name="t"><SrcDataSource relativeToVRT="1">t.shp</SrcDataSource>'
        "</OGRVRTLayer></OGRVRTDataSource>",
    )
    seeds.fails(
        "--seeds", "t.vrt", *SIZE, "--of", "ENVI", "--overwrite", "t.dbf", has=["t.dbf", "input"]
    )
    seeds.raster("m.hdr", (-180, 18, 0, 90, 0, -18), (20, 10), 4326)
    for option in "--mask", "--like", "--sum":
        extra = ["--stats", "o.csv"] if option == "--sum" else []
        line = seeds.fails(
            "--seeds",
            "s.csv",
            option,
            "m.hdr",
            *extra,
            *(SIZE if option != "--like" else []),
            "--of",
            "ENVI",
            "--overwrite",
            "m.bin",
            has=["m.bin: file m.hdr", "input"],
        )
        assert "m.hdr, a file of an input" in line


@pytest.mark.parametrize("suffix", [".aux.xml", ".ovr", ".msk", ".msk.ovr"])
def test_no_input_goes_as_a_stale_side_file(seeds, suffix):
    seeds.raster("out.tif" + suffix, (-180, 18, 0, 90, 0, -18), (20, 10), 4326)
    mask = ["--mask", "out.tif" + suffix]
    for overwrite in [], ["--overwrite"]:
        seeds.fails(
            "--seeds",
            "s.csv",
            *SIZE,
            *mask,
            "--no-style",
            *overwrite,
            "out.tif",
            has=["out.tif" + suffix, "input"],
        )
    seeds.ok("--seeds", "s.csv", *SIZE, "--no-style", "--overwrite", "out.tif")
    assert not seeds.path("out.tif" + suffix).exists()


def test_links(seeds):
    """A link is there, even if it leads nowhere, and what it leads to is what is replaced."""
    seeds.path("out.tif").symlink_to("nowhere/precious.tif")
    seeds.fails("--seeds", "s.csv", *SIZE, "out.tif", has=["exists", "--overwrite"])
    seeds.fails(
        "--seeds",
        "s.csv",
        *SIZE,
        "--overwrite",
        "out.tif",
        has=["out.tif, which links to nowhere/precious.tif", "directory"],
    )
    assert os.readlink(seeds.path("out.tif")) == "nowhere/precious.tif"
    seeds.path("nowhere").mkdir()
    seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", "out.tif")
    assert seeds.path("out.tif").is_symlink() and seeds.read("nowhere/precious.tif").shape == (
        10,
        20,
    )
    assert os.listdir(seeds.path("nowhere")) == ["precious.tif"]
    assert (
        seeds.table("out.tif") is not None
    )  # the side file is where who opens the link looks for it
    seeds.path("circle.tif").symlink_to("circle.tif")
    seeds.fails(
        "--seeds", "s.csv", *SIZE, "--overwrite", "circle.tif", has=["circle.tif", "circle"]
    )
    seeds.path("t.dbf").symlink_to("nowhere.dbf")
    seeds.fails(
        "--seeds", "s.csv", *SIZE, "--stats", "t.shp", "r.tif", has=["t.dbf", "--overwrite"]
    )
    assert seeds.path("t.dbf").is_symlink()
    seeds.path("out.tif.ovr").mkdir()
    seeds.ok("--seeds", "s.csv", *SIZE, "--overwrite", "out.tif")
    assert seeds.path("out.tif.ovr").is_dir()


def other_disk(work):
    """A directory on another file system, removed at the end."""
    try:
        directory = tempfile.TemporaryDirectory(prefix="gpuvoronoi-", dir="/dev/shm")
    except OSError:
        pytest.skip("no /dev/shm")
    if os.stat(directory.name).st_dev == os.stat(work.directory).st_dev:
        pytest.skip("/dev/shm is on the disk of the other files")
    return directory


@pytest.mark.parametrize("far", [False, True], ids=["beside", "other disk"])
@pytest.mark.parametrize(
    "options,name",
    [
        ([], "l.tif"),
        (["--of", "ENVI"], "l.bin"),
        (["--stats", "l.shp"], "r.tif"),
        (["--polygons", "l.gpkg"], "r.tif"),
        (["--level", "3", "--cells", "l.gpkg"], None),
        (["--level", "3", "--mesh", "l.nc"], None),
    ],
)
def test_links_are_followed(seeds, options, name, far):
    """The same files in the same places as if each name were none of a link, but for the links."""
    plain, linked = seeds.path("plain"), seeds.path("linked")
    size = SIZE if name is not None else []
    for directory in plain, linked:
        directory.mkdir()
        os.symlink("../s.csv", directory / "s.csv")
    command = [
        COMMAND,
        "--seeds",
        "s.csv",
        *size,
        "--overwrite",
        *options,
        *([name] if name else []),
    ]
    for _ in range(2):
        assert subprocess.run(command, cwd=plain).returncode == 0
    made = sorted(p.name for p in plain.iterdir() if p.name.startswith("l."))
    disk = other_disk(seeds) if far else tempfile.TemporaryDirectory(dir=seeds.directory)
    with disk as store:
        links = {n: os.path.join(store, n + "-stored") for n in made}
        links.pop("l.shx", None)  # side files may be no links
        for link, target in links.items():
            os.symlink(target, linked / link)
        for _ in range(2):
            done = subprocess.run(command, cwd=linked, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        assert sorted(os.listdir(store)) == sorted(os.path.basename(t) for t in links.values())
        assert sorted(os.listdir(linked)) == sorted(os.listdir(plain))
        for n in os.listdir(plain):
            assert (linked / n).is_symlink() == (n in links or n == "s.csv")
            if n in made and not n.endswith((".gpkg", ".hdr")):  # times, and a temporary name
                assert (linked / n).read_bytes() == (plain / n).read_bytes()
        # A failure leaves the old files.
        before = {n: (linked / n).read_bytes() for n in made}
        failed = subprocess.run(
            [*command, "--nodata", "1"]
            if name
            else [*command, "--weighting", "power", "--weight-field", "lon"],
            cwd=linked,
            capture_output=True,
        )
        assert failed.returncode == 1 and before == {n: (linked / n).read_bytes() for n in made}
        assert sorted(os.listdir(linked)) == sorted(os.listdir(plain))


def test_layers_are_added_to_a_linked_file(seeds):
    seeds.path("store").mkdir()
    seeds.points("store/project.gpkg", "GPKG", [1.0], [2.0], layer="mine")
    seeds.path("p.gpkg").symlink_to("store/project.gpkg")
    seeds.ok("--seeds", "s.csv", *SIZE, "--stats", "p.gpkg", "--polygons", "p.gpkg", "r.tif")
    source = ogr.Open(str(seeds.path("store/project.gpkg")))
    assert {source.GetLayer(i).GetName() for i in range(source.GetLayerCount())} == {
        "mine",
        "statistics",
        "regions",
    }
    assert seeds.path("p.gpkg").is_symlink() and os.listdir(seeds.path("store")) == ["project.gpkg"]
    seeds.path("store/project.gpkg-wal").write_text("changes")
    seeds.fails(
        "--seeds", "s.csv", *SIZE, "--stats", "p.gpkg", "--overwrite", "r.tif", has="journal"
    )


# --------------------------------------------------------------------------------------------------------- permissions

EVERY = [
    "--seeds",
    "s.csv",
    "--distance",
    "d.tif",
    "--stats",
    "t.shp",
    "--polygons",
    "p.gpkg",
    "--level",
    "3",
    "--cells",
    "c.gpkg",
    "--mesh",
    "m.nc",
    "r.tif",
]
SEARCH = ["search", "--reference", "s.csv", "--distances", "d.npy", "o.npy"]


@pytest.mark.parametrize("command", [EVERY, SEARCH], ids=["main", "search"])
def test_modes_and_owners_stay(seeds, command):
    """0600 became 0644."""
    before = set(os.listdir(seeds.directory))
    seeds.ok(*command)
    made = sorted(set(os.listdir(seeds.directory)) - before)
    assert {oct(seeds.path(n).stat().st_mode) for n in made} == {oct(0o100666 & ~umask())}
    for mode in 0o600, 0o664, 0o640:
        for name in made:
            os.chmod(seeds.path(name), mode)
            if os.geteuid() == 0:
                os.chown(seeds.path(name), 12345, 23456)
        seeds.ok(*command, "--overwrite")
        for name in made:
            about = seeds.path(name).stat()
            assert about.st_mode & 0o7777 == mode, name
            if os.geteuid() == 0:
                assert (about.st_uid, about.st_gid) == (12345, 23456), name


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("command", [EVERY, SEARCH], ids=["main", "search"])
def test_read_only_files_stay(seeds, command):
    before = set(os.listdir(seeds.directory))
    seeds.ok(*command)
    for name in sorted(set(os.listdir(seeds.directory)) - before):
        os.chmod(seeds.path(name), 0o444)
        seeds.fails(*command, "--overwrite", has=[name, "read-only"])
        os.chmod(seeds.path(name), 0o644)
    seeds.ok(*command, "--overwrite")


def test_read_only_layers_stay(seeds):
    seeds.points("p.gpkg", "GPKG", [1.0], [2.0], layer="mine")
    os.chmod(seeds.path("p.gpkg"), 0o444)
    seeds.fails(
        "--seeds", "s.csv", *SIZE, "--stats", "p.gpkg", "r.tif", has=["p.gpkg", "read-only"]
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be anybody")
def test_another_user_replaces(seeds):
    """Who may not give files away makes them his own, and lets no other group read them."""
    with tempfile.TemporaryDirectory(prefix="gpuvoronoi-", dir="/tmp") as shared:
        os.chmod(shared, 0o777)
        shutil.copy(seeds.path("s.csv"), shared)
        out = pathlib.Path(shared, "r.tif")

        def replace():
            return subprocess.run(
                [COMMAND, "--seeds", "s.csv", *SIZE, "--no-style", "--overwrite", "r.tif"],
                cwd=shared,
                user=12345,
                group=23456,
                extra_groups=[],
                capture_output=True,
                text=True,
            )

        try:
            subprocess.run([COMMAND, "--version"], user=12345, check=True, capture_output=True)
        except (PermissionError, subprocess.CalledProcessError):
            pytest.skip("the command is not for other users")
        out.write_text("secret")
        os.chmod(out, 0o662)
        done = replace()
        assert done.returncode == 0, done.stderr
        assert (out.stat().st_uid, out.stat().st_gid, out.stat().st_mode & 0o777) == (
            12345,
            23456,
            0o622,
        )
        os.chmod(out, 0o640)
        os.chown(out, 0, 0)
        done = replace()
        assert (
            done.returncode == 1
            and "read-only" in done.stderr
            and os.listdir(shared).count("r.tif") == 1
        )


# --------------------------------------------------------------------------------------------- GDAL's virtual file systems


VIRTUAL = [
    "/vsimem/{}",
    "/vsimem/a/{}",
    "/vsizip/a.zip/{}",
    "/vsizip/{}",
    "/vsigzip/{}",
    "/vsitar/a.tar/{}",
    "/vsistdout/{}",
    "/vsistdout_redirect/{}",
    "/vsicurl/http://localhost/{}",
    "/vsisubfile/0_10,{}",
    "/vsisparse/{}",
    "/vsistdin/{}",
]


@pytest.mark.parametrize("form", VIRTUAL)
def test_virtual_outputs_are_refused(seeds, form):
    """/vsimem/a.tif was written, and gone with the process."""
    with zipfile.ZipFile(seeds.path("a.zip"), "w") as archive:
        archive.writestr("b.txt", "b")
    said = ["virtual file system", "disk"]
    seeds.fails("--seeds", "s.csv", *SIZE, "--overwrite", form.format("o.tif"), has=said)
    seeds.fails("--seeds", "s.csv", *SIZE, "--of", "GTiff", form.format("o"), has=said)
    if form not in VIRTUAL[:4]:
        return
    seeds.fails("--seeds", "s.csv", *SIZE, "--distance", form.format("o.tif"), "r.tif", has=said)
    for option, name in ("--stats", "t.csv"), ("--polygons", "t.gpkg"):
        seeds.fails("--seeds", "s.csv", *SIZE, option, form.format(name), "r.tif", has=said)
    for option, name in ("--cells", "c.gpkg"), ("--mesh", "c.nc"):
        seeds.fails("--seeds", "s.csv", "--level", 2, option, form.format(name), has=said)
    seeds.fails("search", "--reference", "s.csv", form.format("o.npy"), has=said)
    seeds.fails(
        "search", "--reference", "s.csv", "--distances", form.format("o.npy"), "o.csv", has=said
    )


@pytest.mark.parametrize(
    "form",
    [
        "/vsizip/a.zip/s.csv",
        "/vsizip/{}/a.zip/s.csv",
        "/vsigzip/s.csv.gz",
        "/vsitar/a.tar.gz/s.csv",
    ],
)
def test_virtual_inputs_are_read(seeds, form):
    with zipfile.ZipFile(seeds.path("a.zip"), "w") as archive:
        archive.write(seeds.path("s.csv"), "s.csv")
    with tarfile.open(seeds.path("a.tar.gz"), "w:gz") as archive:
        archive.add(seeds.path("s.csv"), "s.csv")
    seeds.path("s.csv.gz").write_bytes(gzip.compress(seeds.path("s.csv").read_bytes()))
    seeds.ok("--seeds", "s.csv", *SIZE, "a.tif")
    seeds.ok("--seeds", form.format(seeds.directory), *SIZE, "b.tif")
    assert (seeds.read("a.tif") == seeds.read("b.tif")).all()


def test_a_style_goes_with_its_raster(seeds):
    """Of a raster that is replaced, when it was made here and no new one is."""
    grid = ["--seeds", "s.csv", *SIZE]
    seeds.ok(*grid, "out.tif")
    assert seeds.path("out.qml").exists()
    seeds.fails(*grid, "--no-style", "out.tif", has="exists")
    seeds.ok(*grid, "--no-style", "out.png", "--ot", "Byte")  # another raster of that name
    seeds.ok(*grid, "--no-style", "--stats", "out.csv")
    seeds.ok(*grid, "--distance", "out.asc")
    seeds.ok(*grid, "--distance", "out.asc", "--overwrite")
    assert seeds.path("out.qml").exists()
    seeds.ok(*grid, "--no-style", "--overwrite", "out.tif")
    assert not seeds.path("out.qml").exists()
    seeds.write("out.qml", "<qgis/>")
    seeds.ok(*grid, "--no-style", "--overwrite", "out.tif")
    assert seeds.path("out.qml").read_text() == "<qgis/>"


# ------------------------------------------------------------------------------------------------ sticky directories


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's links need root")
@pytest.mark.parametrize(
    "options",
    [
        ["OUT"],
        ["--stats", "OUT.csv"],
        ["--stats", "OUT.gpkg"],
        ["--distance", "OUT"],
        ["--describe", "OUT.json"],
    ],
)
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("there", [True, False])
def test_links_of_other_users_in_sticky_directories(seeds, options, steps, there):
    """The command resolves links itself: what the kernel forbids, fs.protected_symlinks, it does not do either."""
    for name, mode in ("t", 0o1777), ("own", 0o700):
        seeds.path(name).mkdir()
        seeds.path(name).chmod(mode)
    name = options[-1].replace("OUT", "o" if "." in options[-1] else "o.tif")
    victim = seeds.path("own") / name
    if there:
        victim.write_text("precious")
    link = seeds.path("t") / name
    link.symlink_to(victim)
    os.lchown(link, 65534, 65534)
    if steps == 2:  # a link of root's to it
        seeds.path("t/mine").mkdir()
        link = seeds.path("t/mine") / name
        link.symlink_to("../" + name)
    done = seeds.run("--quiet", "--overwrite", "--seeds", "s.csv", *SIZE, *options[:-1], link)
    assert done.returncode == 1 and "link of another user" in done.stderr, done.stderr
    assert victim.exists() == there and (not there or victim.read_text() == "precious")
    assert len(os.listdir(seeds.path("own"))) == there
    os.lchown(seeds.path("t") / name, os.geteuid(), os.getegid())
    assert (
        seeds.run(
            "--quiet", "--overwrite", "--seeds", "s.csv", *SIZE, *options[:-1], link
        ).returncode
        == 0
    )
