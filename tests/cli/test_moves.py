"""How outputs get into place: what is waited for, in which order, and what is left where that fails."""

import os
import socket
import subprocess

import numpy as np
import pytest
from osgeo import gdal

from conftest import COMMAND, build_shim, globe

LON, LAT = globe(40, seed=4)
SIZE = ["--metric", "great-circle", "--size", "20,10"]
# Several files, of several outputs, some of them replaced, some new, and one that goes.
MAIN = [
    "--seeds",
    "s.csv",
    *SIZE,
    "--of",
    "ENVI",
    "--no-style",
    "--stats",
    "t.shp",
    "--overwrite",
    "r.bin",
]
SEARCH = ["search", "--reference", "r.npy", "--overwrite", "--distances", "d.npy", "o.npy"]
OLD = ["r.bin", "r.bin.aux.xml", "r.bin.ovr", "t.shp", "t.dbf", "d.npy"]
# What the file system can do: exchange files; give them second names; rename them.
SYSTEMS = {
    "exchange": {},
    "links": {"MOVES_NO_EXCHANGE": "1"},
    "plain": {"MOVES_NO_EXCHANGE": "1", "MOVES_NO_LINKS": "1"},
}
BACKUPS = ".gpuvoronoi-before"
TO_GRID = ["--seeds", "s.csv", *SIZE]


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    return build_shim(tmp_path_factory.mktemp("shim"), "moves")


@pytest.fixture
def old(work):
    work.csv("s.csv", LON, LAT)
    np.save(work.path("r.npy"), np.arange(12.0).reshape(6, 2))
    for name in OLD:
        work.write(name, "precious " + name)
    return work


@pytest.fixture
def watched(old, shim, tmp_path_factory):
    """Runs the command with the shim: what it did, and the calls in order."""
    log = tmp_path_factory.mktemp("log") / "log"

    def run(arguments, fail="", system="exchange", signal=""):
        log.unlink(missing_ok=True)
        environment = {
            **shim,
            "MOVES_LOG": str(log),
            "MOVES_FAIL": fail,
            "MOVES_SIGNAL": signal,
            **SYSTEMS[system],
        }
        done = old.run(*arguments, env=environment)
        lines = log.read_text().splitlines() if log.exists() else []
        lines = [
            line for line in lines if not line.endswith(".gpuvoronoi-replaced")
        ]  # backups that are not needed any more
        return done, [line.split("\t") for line in lines]

    run.work = old
    return run


def calls_of(calls, name):
    return [call for call in calls if call[0] == name]


@pytest.mark.parametrize("arguments", [MAIN, SEARCH])
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_replaces_files_is_on_the_disk_first(watched, arguments, system):
    directory = str(watched.work.directory)
    done, calls = watched(arguments, system=system)
    assert done.returncode == 0, done.stderr
    # GDAL's own calls, while files are being made, are of no interest.
    first = min(
        i
        for i, call in enumerate(calls)
        if call[0] != "fsync" and (BACKUPS in call[2] or ".tmp-" not in call[2])
    )
    before, after = calls[:first], calls[first:]
    made = {os.path.basename(call[1]) for call in before if call[0] == "fsync"}
    placed = {
        os.path.basename(call[2])
        for call in after
        if call[0] == "rename" and ".tmp-" in call[1] and ".tmp-" not in call[2]
    }
    placed |= {
        os.path.basename(call[2]) for call in after if call[0] == "link" and ".tmp-" not in call[2]
    }
    assert placed and placed <= made
    assert placed >= (
        {"r.bin", "r.hdr", "t.shp", "t.shx", "t.dbf"} if arguments is MAIN else {"o.npy", "d.npy"}
    )
    # Each change in the directory is waited for before the next.
    changes = [
        i
        for i, call in enumerate(after)
        if ".tmp-" not in call[2]
        and (call[0] == "rename" or call[0] == "link" and system != "plain")
    ]
    for i, j in zip(changes, [*changes[1:], len(after)]):
        waited = [call[1] for call in after[i + 1 : j] if call[0] == "fsync"]
        assert waited and all(name.startswith(directory) for name in waited), (after[i], waited)
    assert after[-1] == ["fsync", directory, ""]
    watched.work.no_leftovers()


@pytest.mark.parametrize("arguments", [MAIN, SEARCH])
def test_when_the_disk_is_waited_for(watched, arguments):
    def waits(*more):
        done, calls = watched([*arguments, *more])
        assert done.returncode == 0, done.stderr
        return len([call for call in calls_of(calls, "fsync") if BACKUPS not in call[1]])

    assert waits("--sync", "never") == 0
    assert waits("--sync", "auto") == waits() == waits("--sync=always") > 0
    for path in [
        *watched.work.directory.glob("[rt].[!cn]*"),
        watched.work.path("d.npy"),
        watched.work.path("o.npy"),
    ]:
        path.unlink(missing_ok=True)
    assert waits() == 0  # nothing is replaced
    for path in [
        *watched.work.directory.glob("[rt].[!cn]*"),
        watched.work.path("d.npy"),
        watched.work.path("o.npy"),
    ]:
        path.unlink(missing_ok=True)
    assert waits("--sync", "always") > 0
    watched.work.fails(*arguments, "--sync", "sometimes", status=2, has="--sync")


@pytest.mark.parametrize("arguments", [MAIN, SEARCH])
@pytest.mark.parametrize("call", ["fsync", "rename", "link"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_failure_leaves_what_was_there(watched, arguments, call, system):
    before = watched.work.listing()
    for number in range(1, 200):
        done, _ = watched(arguments, fail=f"{call} {number}", system=system)
        if done.returncode == 0:
            break
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "Input/output error" in done.stderr
        assert watched.work.listing() == before, number
    assert number > 1 or call == "link"  # without a second name a file is renamed
    assert (
        watched.work.path("o.npy" if arguments is SEARCH else "t.dbf").read_bytes()[:8]
        != b"precious"
    )


@pytest.mark.parametrize("arguments", [MAIN, SEARCH])
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_cannot_be_put_back_is_kept(watched, arguments, system):
    """From some point on all renames fail, also those that undo: the only copy of an old file is kept and reported."""
    told = False
    for number in range(1, 200):
        for name in OLD:
            watched.work.write(name, "precious " + name)
        done, calls = watched(arguments, fail=f"rename {number}+", system=system)
        if done.returncode == 0:
            break
        assert len(done.stderr.splitlines()) == 1
        contents = [
            path.read_bytes() for path in watched.work.directory.rglob("*") if path.is_file()
        ]
        for name in OLD:
            assert ("precious " + name).encode() in contents, (number, name, done.stderr)
        assert not watched.work.path("o.npy").exists() and not watched.work.path("r.hdr").exists()
        if "the previous file is now" in done.stderr:
            told = True
            kept = done.stderr.strip().split("the previous file is now ")[1].removesuffix(" now")
            assert watched.work.path(kept).read_text().startswith("precious ")
    # A single file that is exchanged is the last rename: none after it can fail.
    assert told or (system == "exchange" and arguments is SEARCH)


@pytest.mark.parametrize("arguments", [MAIN, SEARCH])
@pytest.mark.parametrize("system", SYSTEMS)
def test_signals_are_held_while_files_are_renamed(watched, arguments, system):
    """Two of them, the second of which is to end the command at once, with time for that before each rename: all files are new, and the
    exit status reports it."""
    new = (
        ["o.npy", "d.npy"] if arguments is SEARCH else ["r.bin", "r.hdr", "t.shp", "t.shx", "t.dbf"]
    )
    old = [name for name in new if name in OLD]
    for number in range(1, 30):
        for name in OLD:
            watched.work.write(name, "precious " + name)
        for name in set(new) - set(old):
            watched.work.path(name).unlink(missing_ok=True)
        done, calls = watched(arguments, system=system, signal=f"rename {number}")
        if len(calls_of(calls, "rename")) < number:
            break
        assert done.returncode == 0, done.stderr
        kept = [watched.work.path(name).read_bytes().startswith(b"precious") for name in old]
        assert not any(kept), (number, kept)
        assert all(watched.work.path(name).exists() for name in set(new) - set(old)), number
        watched.work.no_leftovers()
    assert number > 1


def name_of_lock(path):
    place = os.stat(path)
    return f"\0gpuvoronoi-{os.geteuid()}-{place.st_dev:x}-{place.st_ino:x}"


def test_places_are_locked_in_one_order(work):
    """By their numbers, whatever the order of the outputs: two runs cannot wait for each other."""
    work.csv("s.csv", *globe(30, seed=2))
    for name in "ab":
        work.path(name).mkdir()
    first, second = sorted("ab", key=lambda name: os.stat(work.path(name)).st_ino)
    for out, table in (first, second), (second, first):
        with socket.socket(socket.AF_UNIX) as lock, socket.socket(socket.AF_UNIX) as other:
            lock.bind(name_of_lock(work.path(first)))
            lock.listen(1)
            run = subprocess.Popen(
                [COMMAND, *TO_GRID, "--overwrite", "--stats", f"{table}/t.csv", f"{out}/r.tif"],
                cwd=work.directory,
            )
            with pytest.raises(subprocess.TimeoutExpired):
                run.wait(timeout=2)
            other.bind(name_of_lock(work.path(second)))
        assert run.wait(timeout=60) == 0


def test_locks_of_other_users_hold_nobody(work):
    """Any user can take the name."""
    if os.geteuid() != 0:
        pytest.skip("root only")
    work.csv("s.csv", *globe(30, seed=2))
    take = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(bytes.fromhex(sys.argv[1])); "
    take += "s.listen(9); print('taken', flush=True); time.sleep(100)"
    name = name_of_lock(work.directory).encode().hex()
    other = subprocess.Popen(
        ["/usr/bin/python3", "-c", take, name], stdout=subprocess.PIPE, text=True, user=65534
    )
    try:
        assert other.stdout.readline() == "taken\n"
        done = subprocess.run([COMMAND, *TO_GRID, "r.tif"], cwd=work.directory, timeout=30)
        assert done.returncode == 0 and other.poll() is None
    finally:
        other.kill()
        other.communicate()


@pytest.mark.parametrize(
    "arguments, names",
    [
        (
            [*TO_GRID, "--polygons", "p.gpkg", "--distance", "d.tif", "r.tif"],
            ["p.gpkg", "d.tif", "r.tif"],
        ),
        ([*TO_GRID, "--stats", "t.shp"], ["t.shp", "t.dbf"]),
        (["--seeds", "s.csv", "--cells-of", "healpix:3", "--cells", "c.csv"], ["c.csv"]),
        (["--seeds", "s.csv", "--level", "3", "--mesh", "m.nc"], ["m.nc"]),
        (["--seeds", "s.csv", "--size", "600,600", "--part", "1/2", "part.tif"], ["part.tif"]),
        (["--seeds", "s.csv", "--cost", "f.tif", "--from", "s.csv", "--ways", "w.fgb"], ["w.fgb"]),
        (["diagram", "--seeds", "s.csv", "d.gpkg"], ["d.gpkg"]),
        (["search", "--reference", "s.csv", "--distances", "d.npy", "o.npy"], ["d.npy", "o.npy"]),
        (
            ["search", "--reference", "s.csv", "--radius", "99km", "--offsets", "i.npy", "o.npy"],
            ["i.npy", "o.npy"],
        ),
        (["search", "--reference", "s.csv", "--radius", "99km", "o.fgb"], ["o.fgb"]),
    ],
    ids=lambda value: value[-1] if value[0].startswith("-") or len(value) > 3 else "",
)
def test_every_kind_of_output_takes_turns(work, arguments, names):
    """Nothing is in its place while another run moves files there; then all is complete."""
    work.csv("s.csv", *globe(30, seed=2))
    made = gdal.GetDriverByName("GTiff").Create(str(work.path("f.tif")), 36, 18)
    made.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    made.SetProjection("EPSG:4326")
    made.GetRasterBand(1).Fill(1)
    made = None
    for name in names:
        work.write(name, "precious")
    with socket.socket(socket.AF_UNIX) as lock:
        lock.bind(name_of_lock(work.directory))
        lock.listen(1)
        run = subprocess.Popen(
            [COMMAND, *arguments, "--overwrite"],
            cwd=work.directory,
            stderr=subprocess.PIPE,
            text=True,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(timeout=3)
        assert all(work.path(name).read_bytes() == b"precious" for name in names)
    error = run.communicate(timeout=60)[1]
    assert run.returncode == 0, error
    assert all(work.path(name).read_bytes() != b"precious" for name in names)
    work.no_leftovers()


def test_runs_for_the_same_outputs_take_turns(work):
    """While a run moves its files into a directory another one waits: the raster and the table are of one run."""
    work.csv("s.csv", *globe(30, seed=2))
    lock = socket.socket(socket.AF_UNIX)
    lock.bind(name_of_lock(work.directory))
    lock.listen(1)
    arguments = [COMMAND, "--quiet", "--seeds", "s.csv", "--size", "20,10", "--stats", "t.csv"]
    waiting = [
        subprocess.Popen(
            [*arguments, *more, "r.tif"], cwd=work.directory, stderr=subprocess.PIPE, text=True
        )
        for more in ([], ["--overwrite"])
    ]
    with pytest.raises(subprocess.TimeoutExpired):
        waiting[0].wait(timeout=2)
    assert not work.path("r.tif").exists() and not work.path("t.csv").exists()
    work.write("r.tif", "of another run")
    lock.close()
    first, second = (run.communicate(timeout=60)[1] for run in waiting)
    assert waiting[0].returncode == 1 and "r.tif exists; use --overwrite to replace it" in first
    assert (
        waiting[1].returncode == 0
        and second == ""
        and work.path("t.csv").exists()
        and work.read("r.tif").shape == (10, 20)
    )
    work.no_leftovers()
