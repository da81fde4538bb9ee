"""Arrays in all the files that hold some: orders, halves, archives, benchmark formats, compressed text; rows that are left out; outputs."""

import gzip
import os
import struct
import subprocess
import threading

import numpy as np
import pytest
from osgeo import gdal

from conftest import COMMAND, brute

gdal.UseExceptions()
RANDOM = np.random.default_rng(10)
POINTS, QUERIES = (
    RANDOM.random((700, 5)).astype(np.float32),
    RANDOM.random((40, 5)).astype(np.float32),
)


def check(runner, name, *arguments, reference=POINTS, queries=QUERIES, k=3):
    got = runner.search(
        "--reference", name, *arguments, "--queries", runner.save("q.npy", queries), "-k", k
    )
    expected = brute(reference, queries, k)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8", "<f2", "<i2", "|u1"])
def test_fortran_order(runner, dtype):
    points = (POINTS * 200).astype(dtype)
    check(runner, runner.save("r.npy", np.asfortranarray(points)), reference=points)
    # As a reference set dealt to threads in pieces, and searched against itself.
    large = np.asfortranarray(RANDOM.random((40_000, 30)).astype("f4"))
    check(
        runner,
        runner.save("l.npy", large),
        reference=large,
        queries=np.ascontiguousarray(large[100:103]),
    )


@pytest.mark.parametrize("order", "<>")
def test_halves(runner, order):
    """All of them, below the normal numbers too."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)][:, None]
    check(
        runner,
        runner.save("h.npy", halves.astype(order + "f2")),
        reference=halves,
        queries=halves[::997],
        k=1,
    )
    bad = POINTS.astype("f2")
    bad[7, 2] = np.inf
    assert "row 7 (from 0), column 2 is not finite" in runner.run(
        "--reference", runner.save("b.npy", bad), runner.path("o.npy"), status=1
    )


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(runner, save):
    save(runner.path("one.npz"), POINTS)
    check(runner, runner.path("one.npz"))
    save(runner.path("two.npz"), a=POINTS, b=np.asfortranarray(POINTS[:90]))
    check(runner, runner.path("two.npz"), "--layer", "b", reference=POINTS[:90])
    for more, words in (
        ([], "2 arrays; choose one with --layer or --query-layer: a, b"),
        (["--layer", "c"], "unknown array (c); it has: a, b"),
    ):
        assert words in runner.run(
            "--reference", runner.path("two.npz"), *more, runner.path("o.npy"), status=1
        )
    save(runner.path("both.npz"), train=POINTS, test=QUERIES)
    got = runner.search(
        "--reference", runner.path("both.npz"), "--queries", runner.path("both.npz"), "-k", 2
    )
    np.testing.assert_array_equal(got[0], brute(POINTS, QUERIES, 2)[0])
    runner.text("no.npz", "this is no archive")
    assert "invalid .npz file" in runner.run(
        "--reference", runner.path("no.npz"), runner.path("o.npy"), status=1
    )


@pytest.mark.parametrize(
    "ending,dtype", [("fbin", "<f4"), ("u8bin", "u1"), ("i8bin", "i1"), ("ibin", "<i4")]
)
def test_bins(runner, ending, dtype):
    points = (POINTS * 100 - (50 if dtype != "u1" else 0)).astype(dtype)
    name = runner.path("r." + ending)
    content = struct.pack("<ii", *points.shape) + points.tobytes()
    for bad, words in (
        (content[:-1], "truncated"),
        (content + b"x", "truncated"),
        (content[:7], "empty or truncated"),
        (struct.pack("<ii", 3, 0), "number of columns out of range (0)"),
    ):
        with open(name, "wb") as file:
            file.write(bad)
        assert words in runner.run("--reference", name, runner.path("o.npy"), status=1)
    with open(name, "wb") as file:
        file.write(content)
    check(runner, name, reference=points, queries=points[::50])


def hdf5(path, **arrays):
    """A file as those of ann-benchmarks; netCDF-4 is HDF5."""
    root = gdal.GetDriverByName("netCDF").CreateMultiDimensional(path + ".nc").GetRootGroup()
    for name, array in arrays.items():
        sizes = [
            root.CreateDimension(f"{name}_{i}", None, None, n) for i, n in enumerate(array.shape)
        ]
        kind = {"float32": gdal.GDT_Float32, "float64": gdal.GDT_Float64, "int32": gdal.GDT_Int32}[
            array.dtype.name
        ]
        root.CreateMDArray(name, sizes, gdal.ExtendedDataType.Create(kind)).Write(
            np.ascontiguousarray(array)
        )
    del root, sizes
    os.rename(path + ".nc", path)
    return path


@pytest.mark.skipif(
    gdal.GetDriverByName("HDF5") is None, reason="GDAL's driver HDF5 is not installed"
)
def test_hdf5(runner):
    truth = brute(POINTS, QUERIES, 4)
    name = hdf5(
        runner.path("a.hdf5"),
        train=POINTS,
        test=QUERIES,
        neighbors=truth[0].astype(np.int32),
        distances=truth[1].astype(np.float32),
    )
    got = runner.search("--reference", name, "--queries", name, "-k", 4)
    np.testing.assert_array_equal(got[0], truth[0])
    np.testing.assert_array_equal(got[1], truth[1])
    check(runner, name, "--layer", "test", reference=QUERIES, queries=POINTS[:20])
    check(
        runner,
        hdf5(runner.path("b.h5"), train=POINTS.astype(np.float64) / 3),
        reference=POINTS.astype(np.float64) / 3,
    )
    assert "unknown array (nope)" in runner.run(
        "--reference", name, "--layer", "nope", runner.path("o.npy"), status=1
    )
    runner.text("no.hdf5", "no such thing")
    assert "cannot read with GDAL's driver HDF5" in runner.run(
        "--reference", runner.path("no.hdf5"), runner.path("o.npy"), status=1
    )


def test_pipes(runner):
    os.mkfifo(runner.path("p.npy"))
    content = open(runner.save("r.npy", POINTS), "rb").read()

    def feed():
        with open(runner.path("p.npy"), "wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=feed)
    writer.start()
    check(runner, runner.path("p.npy"))
    writer.join()


def text_of(array, heading=""):
    return heading + "".join(",".join(repr(float(x)) for x in row) + "\n" for row in array)


def test_compressed_text(runner):
    with gzip.open(runner.path("r.csv.gz"), "wt") as file:
        file.write(text_of(POINTS, "id,a,b,c,d\n"))
    check(runner, runner.path("r.csv.gz"), "--columns", "1,2,3,4,5")
    lonlat = POINTS[:, :2] * 50
    with gzip.open(runner.path("l.csv.gz"), "wt") as file:
        file.write(text_of(lonlat, "lon,lat\n"))
    got = runner.search("--reference", runner.path("l.csv.gz"), "-k", 2)
    plain = runner.search(
        "--reference", runner.text("l.csv", text_of(lonlat, "lon,lat\n")), "-k", 2
    )
    np.testing.assert_array_equal(got[1], plain[1])
    assert plain[1].max() > 1000  # meters
    assert sorted(os.listdir(runner.folder)) == [
        "distances.npy",
        "l.csv",
        "l.csv.gz",
        "out.npy",
        "q.npy",
        "r.csv.gz",
    ]  # GDAL's .properties


@pytest.mark.parametrize("encoding,mark", [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")])
def test_utf_16(runner, encoding, mark):
    with open(runner.path("r.csv"), "wb") as file:
        file.write(mark + text_of(POINTS, "größe,b,c,d,\U0001f34f\r\n").encode(encoding))
    check(runner, runner.path("r.csv"), "--columns", "größe,2,3,4,\U0001f34f")


@pytest.mark.parametrize("save", ["npy", "fortran", "half", "fvecs", "csv"])
def test_rows_that_are_left_out(runner, save):
    points = POINTS.astype("f2").astype("f4")
    bad = points.copy()
    rows = [0, 3, 4, 255, 256, 257, 500, 699]
    bad[rows, [i % 5 for i in range(8)]] = [np.nan, np.inf] * 4
    good = np.delete(points, rows, axis=0)
    name = runner.path("r." + {"fvecs": "fvecs", "csv": "csv"}.get(save, "npy"))
    if save == "csv":
        runner.text("r.csv", text_of(bad) + "1,2,x,4,5\n1,2,3,4\n")
    elif save == "fvecs":
        with open(name, "wb") as file:
            file.write(b"".join(struct.pack("<i", 5) + row.tobytes() for row in bad))
    else:
        runner.save(
            "r.npy",
            np.asfortranarray(bad)
            if save == "fortran"
            else bad.astype("f2")
            if save == "half"
            else bad,
        )
    assert "not finite" in runner.run("--reference", name, runner.path("o.npy"), status=1)
    count = 10 if save == "csv" else 8
    done = subprocess.run(
        [
            COMMAND,
            "search",
            "--reference",
            name,
            "--skip-invalid",
            "--queries",
            runner.save("q.npy", QUERIES),
            "-k",
            "3",
            "--distances",
            runner.path("d.npy"),
            runner.path("o.npy"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = brute(good, QUERIES, 3)
    np.testing.assert_array_equal(np.load(runner.path("o.npy")), expected[0])
    np.testing.assert_array_equal(np.load(runner.path("d.npy")), expected[1])
    first = (
        "line 1: field 1 is not finite"
        if save == "csv"
        else "row 0 (from 0), column 0 is not finite"
    )
    assert (
        f"gpuvoronoi: warning: {name}: {count} points skipped, 692 used; the first skipped: {name}: {first}\n"
        in done.stderr
    )
    assert f"references: 692 used, {count} left out" in done.stderr
    # Among themselves, and as queries.
    done = subprocess.run(
        [
            COMMAND,
            "search",
            "--quiet",
            "--reference",
            name,
            "--skip-invalid",
            "-k",
            "2",
            "--overwrite",
            runner.path("o.npy"),
        ],
        capture_output=True,
        text=True,
    )
    np.testing.assert_array_equal(
        np.load(runner.path("o.npy")), brute(good, good, 2, exclude_self=True)[0]
    )
    done = subprocess.run(
        [
            COMMAND,
            "search",
            "--quiet",
            "--reference",
            runner.save("g.npy", points),
            "--queries",
            name,
            "--skip-invalid",
            "--overwrite",
            runner.path("o.npy"),
        ],
        capture_output=True,
        text=True,
    )
    np.testing.assert_array_equal(np.load(runner.path("o.npy")), brute(points, good, 1)[0])


def test_a_damaged_file_is_not_left_out(runner):
    with open(runner.path("r.fvecs"), "wb") as file:
        file.write(struct.pack("<i2f", 2, 1, 2) + struct.pack("<i2f", 3, 1, 2))
    assert "expected 2 values" in runner.run(
        "--reference", runner.path("r.fvecs"), "--skip-invalid", runner.path("o.npy"), status=1
    )
    runner.save("n.npy", np.full((5, 2), np.nan))
    assert "missing points" in runner.run(
        "--reference", runner.path("n.npy"), "--skip-invalid", runner.path("o.npy"), status=1
    )


def test_ivecs(runner):
    runner.run(
        "--reference",
        runner.save("r.npy", POINTS),
        "--queries",
        runner.save("q.npy", QUERIES),
        "-k",
        4,
        "--max-distance",
        0.2,
        runner.path("o.ivecs"),
    )
    rows = np.fromfile(runner.path("o.ivecs"), "<i4").reshape(40, 5)
    assert (rows[:, 0] == 4).all()
    np.testing.assert_array_equal(rows[:, 1:], brute(POINTS, QUERIES, 4, max_distance=0.2)[0])
    assert (rows == -1).any()
    # What was found is read as points are.
    check(runner, runner.path("o.ivecs"), reference=rows[:, 1:], queries=rows[:5, 1:])


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_standard_output(runner, out):
    arguments = [
        "--reference",
        runner.save("r.npy", POINTS),
        "--queries",
        runner.save("q.npy", QUERIES),
        "-k",
        2,
    ]
    runner.run(*arguments, runner.path("o.csv"))
    assert runner.run(*arguments, "--quiet", out) == open(runner.path("o.csv")).read()
    assert not os.path.exists(runner.path("-"))
    for more, words in (
        (["--json"], "on standard output; use a file"),
        (["--lines"], "unsupported for arrays"),
    ):
        done = subprocess.run(
            [COMMAND, "search", *map(str, arguments), *more, out], capture_output=True, text=True
        )
        assert done.returncode == 2 and words in done.stderr + done.stdout
    # Nothing comes where the search fails.
    bad = POINTS.copy()
    bad[5, 1] = np.nan
    assert runner.run(
        "--reference", runner.path("r.npy"), "--queries", runner.save("b.npy", bad), out, status=1
    ).endswith("column 1 is not finite")
