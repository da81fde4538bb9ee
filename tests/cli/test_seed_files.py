"""CSV files that GDAL does not read as they are: gzip, UTF-16, a column of WKT alone."""

import gzip

import numpy as np
import pytest

GRID = ["--extent", "0,40,30,60", "--size", "30,20"]
TABLE = "name,lon,lat\r\nGrün,13.4,52.5\r\nпарк,2.35,48.9\r\n\U0001f34f,21.0,52.2\r\n"


def written(work, *arguments):
    """What the file's seeds make, with their names."""
    work.ok(*arguments, *GRID, "--stats", "t.csv", "--overwrite", "o.tif")
    return work.read("o.tif").copy(), work.path("t.csv").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "gzip"])
def test_the_same_as_plain_text(work, encoding):
    work.path("p").mkdir()
    work.path("p/s.csv").write_bytes(TABLE.encode())
    expected = written(work, "--seeds", "p/s.csv")
    if encoding == "gzip":
        name = "s.csv.gz"
        with gzip.open(work.path(name), "wb") as file:
            file.write(TABLE.encode())
    else:
        name = "s.csv"
        work.path(name).write_bytes(
            ("\ufeff" if encoding == "utf-16-be" else "").encode(encoding) + TABLE.encode(encoding)
        )
    before = sorted(path.name for path in work.directory.iterdir())
    found = written(work, "--seeds", name)
    assert np.array_equal(found[0], expected[0]) and found[1] == expected[1]
    assert (
        sorted(path.name for path in work.directory.iterdir()) == before
    )  # GDAL writes NAME.gz.properties
    work.ok("--seeds", name, "--where", "lon > 10", *GRID, "--overwrite", "o.tif")
    assert sorted(np.unique(work.read("o.tif"))) == [1, 3]


@pytest.mark.parametrize("heading", ["WKT", '"WKT"', "wkt", "\ufeffWKT", "_WKT", "WKT\r"])
def test_wkt_alone(work, heading):
    work.write(
        "w.csv",
        f'{heading}\nPOINT (5 45)\n"LINESTRING (20 50, 25 55)"\nPOLYGON ((10 41, 12 41, 12 43, 10 41))\n',
    )
    work.write(
        "two.csv",
        'WKT,a\n"POINT (5 45)",1\n"LINESTRING (20 50, 25 55)",2\n"POLYGON ((10 41, 12 41, 12 43, 10 41))",3\n',
    )
    work.ok("--seeds", "w.csv", "--seeds-crs", "EPSG:4326", *GRID, "--distance", "d.tif", "o.tif")
    work.ok(
        "--seeds",
        "two.csv",
        "--seeds-crs",
        "EPSG:4326",
        *GRID,
        "--distance",
        "e.tif",
        "--overwrite",
        "o2.tif",
    )
    assert np.array_equal(work.read("o.tif"), work.read("o2.tif")) and np.array_equal(
        work.read("d.tif"), work.read("e.tif")
    )
    assert sorted(np.unique(work.read("o.tif"))) == [1, 2, 3]
    work.write("q.csv", "WKT\nPOINT (6 45)\n")
    work.ok("search", "--reference", "w.csv", "--queries", "q.csv", "--distances", "d.npy", "i.npy")
    assert np.load(work.path("d.npy")).tolist() == [[1.0]]


def test_other_single_columns_are_no_layers(work):
    work.write("w.csv", "WKTS\nPOINT (5 45)\n")
    work.fails("--seeds", "w.csv", "out.tif", has="cannot read w.csv")
    work.write("g.csv.gz", "this is not compressed")
    work.fails("--seeds", "g.csv.gz", "out.tif", has="g.csv.gz")
