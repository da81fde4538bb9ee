"""Bad input: one line that names the file, the row and the reason; no output file, no crash."""

import os
import signal
import struct
import subprocess

import numpy as np
import pytest
from conftest import COMMAND
from forked_command import wait_for_signals

GOOD = np.arange(12.0).reshape(6, 2)


def fails(runner, text, *arguments, status=1):
    before = set(os.listdir(runner.folder))
    line = runner.run(*arguments, runner.path("out.npy"), status=status)
    assert text in line, line
    assert set(os.listdir(runner.folder)) == before


def test_usage(runner):
    good = runner.save("good.npy", GOOD)
    fails(runner, "--reference", status=2)
    for k in ["0", "-3", "1025", "x", ""]:
        fails(runner, "-k", "--reference", good, "-k", k, status=2)
    fails(runner, "--metric", "--reference", good, "--metric", "l3", status=2)
    fails(runner, "--max-distance", "--reference", good, "--max-distance", "-1", status=2)
    fails(runner, "--max-distance", "--reference", good, "--max-distance", "nan", status=2)
    fails(runner, "unknown option", "--reference", good, "--frobnicate", status=2)
    fails(runner, "no-such", "--reference", good, "--backend", "no-such")
    assert "output" in runner.run("--reference", good, status=2)
    assert "unsupported table of an array" in runner.run(
        "--reference", good, runner.path("out.gpkg"), status=1
    )


def test_sources_are_named(runner):
    """The option of the file, not "seeds"."""
    paths = {"good": "lon,lat\n1,2\n", "none": "lon,lat\n", "far": "lon,lat\n1,2\n1,200\n"}
    for name, text in paths.items():
        paths[name] = runner.path(f"{name}.csv")
        with open(paths[name], "w") as file:
            file.write(text)
    for bad, text in (("none", "missing; the layer is empty"), ("far", "row 2: latitude out of")):
        fails(runner, f"error: --reference: {text}", "--reference", paths[bad])
        fails(
            runner,
            f"error: --queries: {text}",
            *("--reference", paths["good"], "--queries", paths[bad]),
        )


def test_files(runner):
    good = runner.save("good.npy", GOOD)
    fails(runner, "No such file", "--reference", runner.path("none.npy"))
    fails(runner, "no such file", "--reference", runner.path("none.gpkg"))
    fails(runner, "q.npy", "--reference", good, "--queries", runner.path("q.npy"))
    os.mkdir(runner.path("folder.npy"))
    fails(runner, "directory", "--reference", runner.path("folder.npy"))
    assert "exists" in runner.run("--reference", good, runner.save("old.npy", GOOD), status=1)
    np.testing.assert_array_equal(np.load(runner.path("old.npy")), GOOD)
    assert "input" in runner.run("--reference", good, "--overwrite", good, status=1)
    assert "no/such" in runner.run("--reference", good, runner.path("no/such/out.npy"), status=1)


def test_npy(runner):
    def bad(text, content):
        with open(runner.path("bad.npy"), "wb") as f:
            f.write(content)
        fails(runner, "bad.npy: " + text, "--reference", runner.path("bad.npy"))

    whole = open(runner.save("good.npy", GOOD), "rb").read()
    bad("invalid .npy", b"")
    bad("invalid .npy", b"hello, this is no array")
    bad("unsupported version", whole[:6] + b"\x09" + whole[7:])
    bad("truncated .npy header", whole[:60])
    for cut in (1, 8, 90):
        bad("truncated", whole[:-cut])
    bad("invalid .npy header", whole.replace(b"'shape'", b"'spahe'"))
    bad("invalid .npy header", whole.replace(b"(6, 2)", b"(6, x)"))
    bad("truncated", whole.replace(b"(6, 2)", b"(7, 2)"))
    bad("invalid .npy header", whole.replace(b"(6, 2)", b"(-6,2)"))
    for array, text in [
        (GOOD.astype(np.complex128), "type"),
        (GOOD.astype(np.longdouble), "type"),
        (GOOD.reshape(3, 2, 2), "unsupported array of more than two dimensions"),
        (np.array(3.0), "one number"),
        (np.zeros((3, 0)), "columns"),
        (np.zeros((2, 4097)), "columns"),
        (np.zeros((0, 2)), "missing points"),
        (np.zeros(3, dtype=[("x", "f8"), ("y", "f8")]), "structured"),
        (np.array([[1, 2], [3, 2**60]]), "row 1 (from 0), column 1 is an integer above"),
        (np.array([[0, 1], [2, np.nan]]), "row 1 (from 0), column 1 is not finite"),
        (np.array([[0, -np.inf]], np.float32), "row 0 (from 0), column 1 is not finite"),
    ]:
        fails(runner, text, "--reference", runner.save("bad.npy", array))
        if "points" not in text:
            fails(
                runner,
                text,
                "--reference",
                runner.path("good.npy"),
                "--queries",
                runner.path("bad.npy"),
            )
    fails(
        runner,
        "3 coordinates",
        "--reference",
        runner.path("good.npy"),
        "--queries",
        runner.save("q.npy", np.zeros((4, 3))),
    )


@pytest.mark.parametrize("backend", ["openmp", "kdtree", "auto"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8"])
def test_first_of_many_bad_values(runner, backend, dtype):
    """Whichever thread meets one first."""
    array = np.random.default_rng(5).random((50000, 40)).astype(dtype)
    for row in range(49990, 31000, -997):
        array[row, row % 40] = np.nan if row % 2 else -np.inf
    bad = runner.save("bad.npy", array)
    first = min(row for row in range(49990, 31000, -997))
    fails(
        runner,
        f"bad.npy: row {first} (from 0), column {first % 40} is not finite",
        "--reference",
        bad,
        "--queries",
        runner.save("q.npy", array[:3]),
        "--threads",
        "3",
        "--backend",
        backend,
    )


def test_outputs_replace_no_file_of_an_input(runner):
    places = runner.text("places.csv", "lon,lat\n1,2\n3,4\n")
    layer = runner.text(
        "layer.vrt",
        f"""<OGRVRTDataSource><OGRVRTLayer name="places">
<SrcDataSource>{places}</SrcDataSource><GeometryType>wkbPoint</GeometryType><LayerSRS>EPSG:4326</LayerSRS>
<GeometryField encoding="PointFromColumns" x="lon" y="lat"/></OGRVRTLayer></OGRVRTDataSource>""",
    )
    good = runner.save("good.npy", GOOD)
    before = {name: open(runner.path(name), "rb").read() for name in os.listdir(runner.folder)}
    assert "places.csv is an input" in runner.run(
        "--reference", layer, "--overwrite", places, status=1
    )
    assert "good.npy is an input" in runner.run(
        "--reference",
        layer,
        "--queries",
        good,
        "--layer",
        "places",
        "--overwrite",
        "--distances",
        good,
        runner.path("out.npy"),
        status=1,
    )
    assert "two have the same name" in runner.run(
        "--reference", good, "--distances", runner.path("./o.npy"), runner.path("o.npy"), status=1
    )
    assert before == {
        name: open(runner.path(name), "rb").read() for name in os.listdir(runner.folder)
    }


def test_links_and_files_of_others(runner):
    good, out = runner.save("good.npy", GOOD), runner.path("out.npy")
    os.symlink("nowhere", out)
    assert "exists" in runner.run("--reference", good, out, status=1)
    runner.run("--reference", good, "--overwrite", out)
    assert (
        os.path.islink(out)
        and np.load(out).shape == (6, 1)
        and np.load(runner.path("nowhere")).shape == (6, 1)
    )
    os.mkfifo(runner.path("pipe.npy"))
    assert "not a regular file" in runner.run(
        "--reference", good, "--overwrite", runner.path("pipe.npy"), status=1
    )


@pytest.mark.parametrize("columns", [1, 2, 4096])
def test_sizes_beyond_memory(runner, columns):
    """As float64 such an array has 2^64 bytes and a few, which in 64 bits are a few."""
    rows = 2**61 // columns + 1
    header = (
        f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117)
        + "\n"
    )
    for folder in [
        str(runner.folder),
        "/dev/shm",
    ]:  # most file systems have no files of that size, memory's has
        path = os.path.join(folder, f"gpuvoronoi-{os.getpid()}.npy")
        try:
            with open(path, "wb") as f:
                f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
                f.truncate(10 + len(header) + rows * columns)
            fails(runner, "GB; increase --memory", "--reference", path)
            return
        except OSError:
            continue
        finally:
            if os.path.exists(path):
                os.unlink(path)
    pytest.skip("no file system here has files of 2^61 bytes")


def test_vecs(runner):
    def bad(text, content):
        with open(runner.path("bad.fvecs"), "wb") as f:
            f.write(content)
        fails(runner, "bad.fvecs: " + text, "--reference", runner.path("bad.fvecs"))

    row = struct.pack("<i3f", 3, 1, 2, 3)
    bad("empty or truncated file", b"")
    bad("empty or truncated file", b"\x01\x00")
    bad("truncated", row + row[:-1])
    bad("row 1 (from 0): expected 3 values", row + struct.pack("<i3f", 2, 1, 2, 3))
    bad("number of columns out of range (0)", struct.pack("<i", 0))
    bad("number of columns out of range (4294967295)", struct.pack("<i", -1))
    bad("row 1 (from 0), column 2 is not finite", row + struct.pack("<i3f", 3, 1, 2, float("nan")))


@pytest.mark.parametrize(
    "content,text",
    [
        ("", "missing numbers"),
        ("a,b\n", "missing numbers"),
        (
            "a,b\nc,d\n",
            "line 2: field 1 is not a number: 'c' (column a); choose columns with --columns",
        ),
        ("1,2\n3\n", "line 2 has fewer than the 2 fields"),
        ("1,2\n3,4,5\n", "line 2 has more than the 2 fields"),
        ("1,2\n3,x\n", "line 2: field 2 is not a number"),
        ("1,2\n\n# comment\n3,\n", "line 4: field 2 is not a number"),
        ("1,2\n,4\n", "line 2: field 1 is not a number"),
        ("1,2\n3,nan\n", "line 2: field 2 is not finite"),
        ("1,2\n3,1e999\n", "line 2: field 2 is not finite"),
        ("1,2\n3,4\0\n", "line 2"),
        ("x\n" + ",".join("1" * 4097), "number of columns out of range (4097)"),
        (
            "1,5;2,5\n3,5;4,5\n",
            "line 1: ambiguous separator (comma, semicolon, tab and |",
        ),  # read as four dimensions
        ("x,m;y,m\n1;2\n", "line 1: ambiguous separator"),
        ("# two\n\n1,5\t2,5\n", "line 3: ambiguous separator"),
        ("x,y\n1,5;2,5\n", "line 2: field 2 is not a number: '5;2' (column x)"),
        ("1,2\n3;4\n", "line 2: field 1 is not a number"),
        ("1;2\n3 4;5\n", "line 2: field 1 is not a number"),
        ("x;y\n1;2\n1.000,5;2\n", "line 3: field 1 is not a number"),
        ("x;y\n1;2\n1,000,5;2\n", "line 3: field 1 is not a number"),
        ("1\t2\n3\t\t4\n", "line 2: field 2 is not a number"),
    ],
)
def test_text(runner, content, text):
    fails(runner, text, "--reference", runner.text("bad.csv", content))
    good = runner.text("good.csv", "1,2\n3,4\n")
    fails(runner, "bad.csv", "--reference", good, "--queries", runner.path("bad.csv"))


def test_globe_needs_lonlat(runner):
    fails(
        runner,
        "missing coordinate system",
        "--reference",
        runner.save("r.npy", GOOD),
        "--metric",
        "geodesic",
    )
    bad = runner.text("bad.csv", "lon,lat\n1,2\n3,95\n")
    fails(runner, "row 2", "--reference", bad)


def test_interrupt_leaves_nothing(runner):
    big = runner.save("big.npy", np.random.default_rng(1).random((300000, 32)))
    process = subprocess.Popen(
        [
            COMMAND,
            "search",
            "--reference",
            big,
            "--backend",
            "serial",
            "-k",
            "5",
            runner.path("out.npy"),
        ],
        stderr=subprocess.PIPE,
    )
    wait_for_signals(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert os.listdir(runner.folder) == ["big.npy"]
