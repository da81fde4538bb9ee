"""Processes with limits: fewer threads and files are slower, but results are the same."""

import gzip
import json
import resource
import zipfile

import numpy as np
import pytest
from osgeo import gdal

from conftest import build_shim, crs, globe, peak, sanitized
from test_facility import make_raster

LON, LAT = globe(400, seed=4)


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT)
    return work


def limited(**limits):
    """For preexec_fn: e.g. NOFILE=256."""
    if sanitized() and limits.keys() & {"AS", "DATA"}:
        pytest.skip("a sanitizer needs memory of its own")

    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return limit


# Threads.


def test_address_space_for_few_threads(seeds):
    """Each of 400 threads would have a stack and an arena of its own."""
    np.save(seeds.path("r.npy"), np.random.default_rng(1).normal(size=(200000, 3)))
    seeds.ok("search", "--reference", "r.npy", "--threads", "2", "-k", "3", "o.npy")
    few = limited(AS=1500000 << 10)
    seeds.ok(
        "search", "--reference", "r.npy", "--threads", "400", "-k", "3", "few.npy", preexec_fn=few
    )
    assert seeds.path("few.npy").read_bytes() == seeds.path("o.npy").read_bytes()
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "2000,1000",
        "--threads",
        "2",
        "--no-style",
        "--co",
        "NUM_THREADS=1",
        "a.tif",
    )
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "2000,1000",
        "--threads",
        "400",
        "--no-style",
        "--co",
        "NUM_THREADS=1",
        "b.tif",
        preexec_fn=few,
    )
    assert seeds.path("a.tif").read_bytes() == seeds.path("b.tif").read_bytes()


@pytest.mark.parametrize("given", [1, 2, 5])
def test_threads_that_are_not_given(seeds, tmp_path_factory, given):
    """One takes signals; what the others would have done the first does."""
    shim = build_shim(tmp_path_factory.mktemp("shim"), "threads")
    make_raster(seeds, "p.tif", np.ones((90, 180)), (-180, 2, 0, 90, 0, -2))
    arguments = ["--seeds", "s.csv", "--size", "2000,1000", "--threads", "40", "--sum", "p.tif"]
    seeds.ok(*arguments, "--stats", "a.csv", "a.tif")
    seeds.ok(*arguments, "--stats", "b.csv", "b.tif", env={**shim, "THREADS": str(given)})
    assert seeds.path("a.csv").read_bytes() == seeds.path("b.csv").read_bytes()
    assert np.array_equal(seeds.read("a.tif"), seeds.read("b.tif"))
    np.save(seeds.path("r.npy"), np.random.default_rng(1).normal(size=(30000, 3)))
    seeds.ok("search", "--reference", "r.npy", "--threads", "2", "a.npy")
    seeds.ok(
        "search",
        "--reference",
        "r.npy",
        "--threads",
        "40",
        "b.npy",
        env={**shim, "THREADS": str(given)},
    )
    assert seeds.path("a.npy").read_bytes() == seeds.path("b.npy").read_bytes()


def test_no_thread_at_all(seeds, tmp_path_factory):
    """Signals would not be taken, and outputs might be left half in place."""
    shim = {**build_shim(tmp_path_factory.mktemp("shim"), "threads"), "THREADS": "0"}
    np.save(seeds.path("r.npy"), np.ones((4, 2)))
    seeds.write("out.tif", "precious")
    seeds.fails(
        "--seeds", "s.csv", "--size", "20,10", "--overwrite", "out.tif", env=shim, has="thread"
    )
    seeds.fails("search", "--reference", "r.npy", "o.npy", env=shim, has="thread")


# Files.


@pytest.mark.parametrize("rasters", [1, 16])
def test_few_files_for_many_rasters(seeds, rasters):
    random = np.random.default_rng(3)
    sums = []
    for i in range(rasters):
        make_raster(
            seeds,
            f"p{i}.tif",
            random.integers(0, 9, (90, 180)).astype(float),
            (-180, 2, 0, 90, 0, -2),
        )
        sums += ["--sum", f"p{i}.tif"]
    make_raster(
        seeds, "m.tif", random.integers(0, 2, (90, 180)).astype(float), (-180, 2, 0, 90, 0, -2)
    )
    arguments = ["--seeds", "s.csv", "--size", "90,45", "--mask", "m.tif", *sums]
    seeds.ok(*arguments, "--threads", "2", "--stats", "a.csv", "a.tif")
    for metric in [], ["--crs", "EPSG:3857", "--metric", "geodesic"]:
        seeds.ok(*arguments, *metric, "--threads", "2", "--stats", "a.csv", "--overwrite", "a.tif")
        seeds.ok(
            *arguments,
            *metric,
            "--threads",
            "64",
            "--stats",
            "b.csv",
            "--overwrite",
            "b.tif",
            preexec_fn=limited(NOFILE=256),
        )
        assert seeds.path("a.csv").read_bytes() == seeds.path("b.csv").read_bytes()
        assert np.array_equal(seeds.read("a.tif"), seeds.read("b.tif"))


# Memory.


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "4", "--distance", "d{}.tif", "--azimuth", "a{}.tif"],
        ["--mask", "m.tif"],
        ["--sum", "m.tif", "--stats", "t{}.csv"],
    ],
    ids=["ranks", "mask", "sum"],
)
def test_memory_of_many_threads(seeds, options):
    """--memory, and what is there without blocks: libraries, GDAL's cache, the seeds."""
    values = np.random.default_rng(3).integers(0, 2, (4000, 8000)).astype(np.uint8)
    make_raster(
        seeds,
        "m.tif",
        values,
        (-180, 0.045, 0, 90, 0, -0.045),
        kind=gdal.GDT_Byte,
        options=["TILED=YES"],
    )
    arguments = [
        "--seeds",
        "s.csv",
        "--size",
        "4000,2000",
        "--metric",
        "great-circle",
        "--threads",
        "64",
        "--no-style",
    ]
    found = {}
    for memory in "40M", "4G":
        found[memory] = peak(
            seeds,
            *arguments,
            *[o.format(memory) for o in options],
            "--memory",
            memory,
            f"{memory}.tif",
        )
    assert found["40M"] < 40 + 200, found
    assert "--mask" in options or found["4G"] > 40 + 200, found  # else the test is invalid
    for pattern in [name for name in options if "{}" in name]:
        assert (
            seeds.path(pattern.format("40M")).read_bytes()
            == seeds.path(pattern.format("4G")).read_bytes()
        )
    assert np.array_equal(seeds.read("40M.tif"), seeds.read("4G.tif"))


@pytest.mark.parametrize("size", ["1", "0", "-1G", "x", "5X", "1e30", "4GG", ""])
def test_no_size_of_memory(seeds, size):
    seeds.fails("--seeds", "s.csv", f"--memory={size}", "out.tif", status=2, has="--memory")


def test_little_address_space(seeds):
    """What the default is made of, the machine's memory, a container or batch job may have less of; a limit of the process ends in
    one line, or not at all."""
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "3000,1500",
        "--threads",
        "64",
        "--memory",
        "50M",
        "out.tif",
        preexec_fn=limited(DATA=700 << 20),
    )


# Small files that stand for much data.


def zarr(folder, arrays):
    """Arrays of one value, without data: name, shape, the value, attributes."""
    for name, shape, value, attributes in arrays:
        (folder / name).mkdir(parents=True)
        about = {"zarr_format": 2, "shape": shape, "chunks": [min(1000, n) for n in shape]}
        about |= {"dtype": "<f8", "order": "C", "compressor": None, "fill_value": value}
        (folder / name / ".zarray").write_text(json.dumps({**about, "filters": None}))
        (folder / name / ".zattrs").write_text(json.dumps(attributes))
    (folder / ".zgroup").write_text('{"zarr_format": 2}')


def mesh(folder, nodes, faces):
    role = {"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "x y"}
    corners = {"cf_role": "face_node_connectivity", "_ARRAY_DIMENSIONS": ["face", "three"]}
    zarr(
        folder,
        [
            ("mesh", [], 0, {**role, "face_node_connectivity": "corners", "_ARRAY_DIMENSIONS": []}),
            ("x", [nodes], 1, {"standard_name": "longitude", "_ARRAY_DIMENSIONS": ["node"]}),
            ("y", [nodes], 2, {"standard_name": "latitude", "_ARRAY_DIMENSIONS": ["node"]}),
            ("corners", [faces, 3], 0, corners),
        ],
    )


def small_inputs(seeds):
    """Files of some kB with 2 to 200 million values."""
    row = b"1.5,2\n"
    seeds.path("z.csv.gz").write_bytes(gzip.compress(b"lon,lat\n" + row * 400000, 9))
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4000000, 2), }".ljust(117) + "\n"
    with zipfile.ZipFile(seeds.path("z.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + bytes(8000000))
    places = [
        (name, [200000000], 0.5, {"standard_name": standard, "_ARRAY_DIMENSIONS": ["c"]})
        for name, standard in (("a", "longitude"), ("b", "latitude"))
    ]
    zarr(seeds.path("z.zarr"), places)
    mesh(seeds.path("faces.zarr"), 4, 200000000)
    mesh(seeds.path("nodes.zarr"), 200000000, 4)
    ring = [[i % 90, i % 7] for i in range(300000)]
    area = json.dumps({"type": "Polygon", "coordinates": [ring + ring[:1]]})
    seeds.path("area.geojson.gz").write_bytes(gzip.compress(area.encode()))
    for name, size, options in (
        ("flat", (2000, 2000), ["TILED=YES"]),
        ("block", (4096, 4096), ["TILED=YES", "BLOCKXSIZE=4096", "BLOCKYSIZE=4096"]),
    ):
        path = str(seeds.path(f"{name}.tif"))
        raster = gdal.GetDriverByName("GTiff").Create(
            path, *size, 1, gdal.GDT_Byte, ["COMPRESS=DEFLATE", *options]
        )
        raster.SetGeoTransform((0, 0.004, 0, 10, 0, -0.004))
        raster.SetSpatialRef(crs(4326))
        raster.GetRasterBand(1).Fill(1)
        raster = None
    wall = [[i % 90, i % 7] for i in range(100000)]
    seeds.path("wall.geojson").write_text(json.dumps({"type": "LineString", "coordinates": wall}))
    line = [[1e5 * i, 1e7 if i % 2 else -1e7] for i in range(40)]
    seeds.path("long.geojson").write_text(json.dumps({"type": "LineString", "coordinates": line}))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seeds", "z.csv.gz", "--size", "4,2", "out.tif"],
        ["diagram", "--seeds", "z.csv.gz", "out.gpkg"],
        ["search", "--reference", "z.csv.gz", "out.npy"],
        ["search", "--reference", "s.csv", "--queries", "z.csv.gz", "out.npy"],
        ["search", "--reference", "z.csv.gz", "--columns", "lon,lat", "out.npy"],
        ["search", "--reference", "z.npz", "out.npy"],
        ["search", "--reference", "s.csv", "--columns", "1,2", "--queries", "z.npz", "out.npy"],
        ["--seeds", "s.csv", "--cells-of", "z.zarr", "--cells", "out.csv"],
        ["--seeds", "s.csv", "--cells-of", "faces.zarr", "--cells", "out.csv"],
        ["--seeds", "s.csv", "--cells-of", "nodes.zarr", "--cells", "out.csv"],
        ["--seeds", "s.csv", "--size", "4,2", "--mask", "/vsigzip/area.geojson.gz", "out.tif"],
        ["search", "--reference-raster", "flat.tif", "--queries", "s.csv", "out.npy"],
        ["--seeds-raster", "flat.tif", "--by-cell", "-k", "2", "out.tif"],
        ["--seeds-raster", "block.tif", "out.tif"],
        ["--seeds", "s.csv", "--barriers", "wall.geojson", "--res", "30", "out.tif"],
        [
            "--seeds",
            "s.csv",
            "--extent",
            "0,0,8,8",
            "--size",
            "4,4",
            "--mask",
            "block.tif",
            "out.tif",
        ],
        [
            "--seeds",
            "s.csv",
            "--extent",
            "0,0,8,8",
            "--size",
            "4,4",
            "--sum",
            "block.tif",
            "--stats",
            "out.csv",
        ],
        [
            "--seeds",
            "long.geojson",
            "--seeds-crs",
            "EPSG:3857",
            "--crs",
            "EPSG:4326",
            "--size",
            "4,2",
            "out.tif",
        ],
    ],
    ids=lambda arguments: " ".join(arguments[:4]),
)
def test_inputs_larger_than_memory(seeds, arguments):
    small_inputs(seeds)
    message = seeds.fails(*arguments, "--memory", "4M", has=["GB of memory", "increase --memory"])
    assert any(name in message for name in arguments), message


@pytest.mark.parametrize("size", ["2000000,3", "3,2000000"])
@pytest.mark.parametrize(
    "outputs", [["--dry-run", "o.tif"], ["o.tif"], ["--stats", "t.csv"]], ids=str
)
def test_tables_of_columns_and_rows(seeds, size, outputs):
    """They need 208 MB; those of a plane 16 MB."""
    grid = ["--seeds", "s.csv", "--size", size, "--memory", "64M"]
    sizes = [size.replace(",", " x "), "0.21 GB", "0.07 GB", "increase --memory"]
    message = seeds.fails(*grid, *outputs, has=sizes)
    assert not seeds.path("o.tif").exists() and not seeds.path("t.csv").exists(), message
    seeds.ok(*grid, "--crs", "EPSG:3857", "--metric", "euclidean", "--dry-run", "o.tif")
    seeds.ok(*grid[:-1], "256M", "--dry-run", "o.tif")


def test_memory_for_large_files(seeds):
    """The data of a file that is as large as they are need no --memory; others do if it is given."""
    count = 100000
    seeds.csv("large.csv", *globe(count, seed=2))
    seeds.ok("search", "--reference", "large.csv", "--memory", "1M", "out.npy")
    small_inputs(seeds)
    seeds.ok("--seeds-raster", "flat.tif", "--memory", "4M", "flat-out.tif")


@pytest.mark.skipif(sanitized(), reason="a sanitizer keeps what is freed")
@pytest.mark.parametrize("options", [["--radius", "2000km"], ["-k", "1024"]], ids=["radius", "k"])
def test_memory_of_tables_of_neighbors(seeds, options):
    """Rows are written in parts: all of them would take 16 bytes each, and GDAL's index of FlatGeobuf 100."""
    random = np.random.default_rng(4)
    seeds.csv("near.csv", random.uniform(1, 2, 1500), random.uniform(1, 2, 1500))
    found = peak(seeds, "search", "--reference", "near.csv", *options, "--memory", "32M", "o.fgb")
    assert found < 200, found


def test_tables_of_neighbors_in_parts(seeds):
    """The same rows, however many are searched at once."""
    random = np.random.default_rng(4)
    seeds.csv("near.csv", random.uniform(1, 2, 300), random.uniform(1, 2, 300))
    for memory in "1M", "1G":
        seeds.ok(
            "search",
            "--reference",
            "near.csv",
            "--radius",
            "300km",
            "--id",
            "lat",
            "--memory",
            memory,
            f"{memory}.csv",
        )
    assert seeds.path("1M.csv").read_bytes() == seeds.path("1G.csv").read_bytes()
    assert len(seeds.path("1M.csv").read_text().splitlines()) == 300 * 299 + 1
