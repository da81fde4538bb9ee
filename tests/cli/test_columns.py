"""Which columns are positions, open options, the standard input, and the types of columns in tables."""

import subprocess

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import COMMAND, globe

LON, LAT = globe(30, seed=9)
GRID = ["--size", "60,30"]


def rows_of(work, name):
    source = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    layer = source.GetLayer(0)
    definition = layer.GetLayerDefn()
    kinds = {
        definition.GetFieldDefn(i).GetName(): definition.GetFieldDefn(i).GetTypeName()
        for i in range(definition.GetFieldCount())
    }
    return kinds, [f.items() for f in layer]


def test_named_columns(work):
    work.csv("s.csv", LON, LAT)
    work.csv("t.csv", LON, LAT, header="east,north")
    work.ok("--seeds", "s.csv", *GRID, "a.tif")
    work.ok(
        "--seeds",
        "t.csv",
        "--x",
        "east",
        "--y",
        "north",
        "--seeds-crs",
        "EPSG:4326",
        *GRID,
        "b.tif",
    )
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))
    work.ok("--seeds", "s.csv", "--x", "lon", "--y", "lat", *GRID, "c.tif")
    assert np.array_equal(work.read("a.tif"), work.read("c.tif"))
    work.fails("--seeds", "t.csv", *GRID, "d.tif", has=["east, north", "-x", "-y"])
    work.fails(
        "--seeds",
        "t.csv",
        "--x",
        "west",
        "--y",
        "north",
        "d.tif",
        has=["--x", "(west)", "east, north"],
    )
    work.fails("--seeds", "t.csv", "--x", "east", "d.tif", status=2, has="--x: missing --y")


def test_columns_in_place_of_geometries(work):
    fields = [("cx", ogr.OFTReal), ("cy", ogr.OFTString)]
    work.points(
        "s.gpkg",
        "GPKG",
        [0] * 30,
        [0] * 30,
        fields=[fields[0], ("cy", ogr.OFTReal)],
        rows=list(zip(LON, LAT)),
    )
    work.csv("s.csv", LON, LAT)
    work.ok("--seeds", "s.csv", *GRID, "a.tif")
    work.ok(
        "--seeds", "s.gpkg", "--x", "cx", "--y", "cy", "--seeds-crs", "EPSG:4326", *GRID, "b.tif"
    )
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))


def test_open_options(work):
    work.write("s.csv", "east;north;a\n1;2;x\n5;6;y\n")
    work.ok(
        "--seeds",
        "s.csv",
        "-oo",
        "X_POSSIBLE_NAMES=east",
        "-oo",
        "Y_POSSIBLE_NAMES=north",
        *GRID,
        "a.tif",
    )
    assert set(work.read("a.tif").flatten()) == {1, 2}


@pytest.mark.parametrize("name", ["-", "/vsistdin/"])
@pytest.mark.parametrize("driver", ["csv", "GeoJSON"])
def test_standard_input(work, name, driver):
    work.csv("s.csv", LON, LAT, name=[f"n{i}" for i in range(30)])
    if driver == "GeoJSON":
        work.points("s.json", "GeoJSON", LON, LAT)
    file = work.path("s.csv" if driver == "csv" else "s.json")
    work.ok("--seeds", file.name, *GRID, "a.tif")
    done = subprocess.run(
        [COMMAND, "--seeds", name, *GRID, "--stats", "t.csv", "b.tif"],
        cwd=work.directory,
        input=file.read_bytes(),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert np.array_equal(work.read("a.tif"), work.read("b.tif"))
    assert len(work.path("t.csv").read_text().splitlines()) == 31
    done = subprocess.run(
        [COMMAND, "search", "--reference", name, "found.npy"],
        cwd=work.directory,
        input=file.read_bytes(),
        capture_output=True,
    )
    assert done.returncode == 0 and np.load(work.path("found.npy")).shape == (30, 1)
    work.fails("--seeds", name, *GRID, "c.tif", has="standard input: empty", input="")
    work.fails(
        "search",
        "--reference",
        name,
        "--queries",
        name,
        "c.npy",
        status=2,
        has="used for two inputs",
        input="lon,lat\n1,2\n",
    )


@pytest.mark.parametrize("role", ["--reference", "--queries"])
def test_array_from_standard_input(work, role):
    """A .npy file has the same answers by its name and by the standard input."""
    generator = np.random.default_rng(4)
    files = {"--reference": work.path("r.npy"), "--queries": work.path("q.npy")}
    np.save(files["--reference"], generator.random((200, 3)))
    np.save(files["--queries"], generator.random((50, 3)).astype("float32"))
    names = {option: file.name for option, file in files.items()}
    options = [word for pair in names.items() for word in pair]
    work.ok("search", *options, "-k", "3", "--distances", "d.npy", "a.npy")
    options[options.index(role) + 1] = "-"
    done = subprocess.run(
        [COMMAND, "search", *options, "-k", "3", "--distances", "e.npy", "b.npy"],
        cwd=work.directory,
        input=files[role].read_bytes(),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(work.path("a.npy")), np.load(work.path("b.npy")))
    assert np.array_equal(np.load(work.path("d.npy")), np.load(work.path("e.npy")))
    done = subprocess.run(
        [COMMAND, "search", *options, "c.npy"],
        cwd=work.directory,
        input=files[role].read_bytes()[:200],
        capture_output=True,
        text=False,
    )
    assert done.returncode == 1 and b"truncated" in done.stderr


TEXT = (
    "lon,lat,whole,code,real,mixed,exact,empty,huge,sign\n"
    "1,2,5,01067,1.5,a,0.1,,99999999999999999999,-3\n"
    "5,6,,0044,2e3,7,13.404953999999999,,1,4\n"
)


@pytest.mark.parametrize("name", ["t.gpkg", "t.csv", "t.geojson"])
def test_types_of_csv_columns(work, name):
    work.write("s.csv", TEXT)
    for option in "--stats", "--polygons":
        out = option[2:] + name
        work.ok("--seeds", "s.csv", *GRID, option, out, "--overwrite", "a.tif")
        if name == "t.csv":
            text = work.path(out).read_text()
            assert (
                ",01067," in text
                and ",5," in text
                and "13.404953999999999" in text
                and ",1.5," in text
            )
            continue
        kinds, rows = rows_of(work, out)
        exact = name == "t.gpkg"
        assert {
            k: kinds[k] for k in ("id", "lon", "code", "real", "mixed", "exact", "empty", "huge")
        } == {
            "id": kinds["id"],
            "lon": kinds["id"],
            "code": "String",
            "real": "Real",
            "mixed": "String",
            "exact": "Real" if exact else "String",
            "empty": "String",
            "huge": "String",
        }
        assert kinds["whole"] in ("Integer64", "Integer") and kinds["sign"] in (
            "Integer64",
            "Integer",
        )
        assert [r["whole"] for r in rows] == [5, None] and [r["sign"] for r in rows] == [-3, 4]
        assert [r["code"] for r in rows] == ["01067", "0044"] and [r["real"] for r in rows] == [
            1.5,
            2000,
        ]
        assert [r["exact"] for r in rows] == (
            [0.1, 13.404953999999999] if exact else ["0.1", "13.404953999999999"]
        )
        assert [r["mixed"] for r in rows] == ["a", "7"]


def test_decimal_commas(work):
    work.write("s.csv", "x;y;w\n1;2;1,5\n5;6;2,25\n")
    work.ok("--seeds", "s.csv", *GRID, "--stats", "t.gpkg", "a.tif")
    kinds, rows = rows_of(work, "t.gpkg")
    assert kinds["w"] == "Real" and [r["w"] for r in rows] == [1.5, 2.25]


def test_heights(work):
    work.csv("r.csv", [0, 0, 9], [0, 0, 9], header="x,y", h=[0, 10, 0])
    work.csv("q.csv", [0, 0], [0, 0], header="x,y", h=[1, 8])
    work.ok(
        "search",
        "--reference",
        "r.csv",
        "--x",
        "x",
        "--y",
        "y",
        "--z",
        "h",
        "--queries",
        "q.csv",
        "--query-x",
        "x",
        "--query-y",
        "y",
        "--query-z",
        "h",
        "a.npy",
    )
    assert np.load(work.path("a.npy")).tolist() == [[0], [1]]
    work.csv("g.csv", LON, LAT, h=[1] * 30)
    work.fails(
        "search",
        "--reference",
        "g.csv",
        "--x",
        "lon",
        "--y",
        "lat",
        "--z",
        "h",
        "b.npy",
        has=["--z: unsupported"],
    )


def test_search_takes_some(work):
    work.csv("r.csv", [0, 5, 9], [0, 5, 9], header="lon,lat", kind=["a", "b", "a"])
    work.write("q.csv", "lon,lat\n6,6\n,1\n1,1\n")
    done = work.ok(
        "search",
        "--reference",
        "r.csv",
        "--where",
        "kind = 'a'",
        "--queries",
        "q.csv",
        "--skip-invalid",
        "a.npy",
    )
    assert np.load(work.path("a.npy")).tolist() == [[1], [0]]
    assert "1 points skipped, 2 used" in done.stderr
