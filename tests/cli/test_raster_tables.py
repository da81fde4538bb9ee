"""OUT as a raster of a GeoPackage that holds other layers: what is there stays, to the last row."""

import re
import resource
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from osgeo import gdal, ogr

from test_containers import (  # noqa: F401 (a fixture)
    CELLS,
    contents,
    geopackages_without_layers,
    layers,
    make_geopackage,
    make_raster,
    rows,
    seeds,
    unchanged,
)
from test_moves import shim  # noqa: F401 (a fixture)

RUN = ["--seeds", "s.csv", *CELLS, "--ot", "UInt16"]
SHARED = [
    "gpkg_extensions",
    "gpkg_metadata",
    "gpkg_metadata_reference",
]  # of which a raster adds rows that do not name it


def timeless(rows):  # noqa: F811
    """GDAL notes anew when the file's own metadata were written."""
    return {re.sub(r"'\d{4}-\d\d-\d\dT[^']*'", "", row) for row in rows}


def kept(before, after):
    """Rows of other rasters are kept in the shared tables; only those of new or replaced rasters change."""
    before = dict(before)
    for name in SHARED:
        assert timeless(before.pop(("rows", name), ())) <= timeless(after.pop(("rows", name), ()))
    unchanged(before, after)


def cells(path, table):
    return gdal.Open(f"GPKG:{path}:{table}").ReadAsArray()


def rasters(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = {
        name
        for (name,) in base.execute(
            "SELECT table_name FROM gpkg_contents WHERE data_type NOT IN ('features', 'attributes')"
        )
    }
    base.close()
    return found


@pytest.mark.parametrize(
    "kind,options",
    [
        ("UInt16", []),
        ("Int16", ["--nodata=-32768", "--max-distance", "2000km"]),
        ("Byte", []),
        ("Byte", ["-k", "3"]),
        ("Byte", ["--no-style", "--max-distance", "2000km"]),
    ],
)
def test_new_raster_needs_no_overwrite(seeds, kind, options):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    path = seeds.path(project)
    path.chmod(0o640)
    before, names = contents(path), layers(path)
    command = ["--seeds", "s.csv", *CELLS, "--ot", kind, *options]
    seeds.ok(*command, project)
    kept(before, contents(path, ["town"]))
    assert (
        layers(path) == names
        and rasters(path) == {"heights", "town"}
        and path.stat().st_mode & 0o777 == 0o640
    )
    seeds.ok(*command, "out.tif")
    assert np.array_equal(cells(path, "town"), seeds.read("out.tif"))
    made, other = gdal.Open(f"GPKG:{path}:town"), seeds.open("out.tif")
    assert made.GetGeoTransform() == pytest.approx(
        other.GetGeoTransform()
    ) and made.GetSpatialRef().IsSame(other.GetSpatialRef())
    assert made.GetRasterBand(1).GetNoDataValue() == other.GetRasterBand(1).GetNoDataValue()
    assert made.GetMetadataItem("GPUVORONOI_METRIC") == "great-circle"
    assert {p.name for p in seeds.directory.iterdir()} == {
        project,
        "s.csv",
        "out.tif",
        "out.qml",
    } - ({"out.qml"} if "--no-style" in options else set()) | {
        p.name for p in seeds.directory.glob("*.aux.xml")
    }
    assert not seeds.path(project + ".aux.xml").exists()


def test_overwrite_replaces_a_raster(seeds):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    path = seeds.path(project)
    before = contents(path)
    seeds.ok(*RUN, project)
    first = cells(path, "town")
    seeds.fails(
        *RUN, "--where", "name <> 'n3'", project, has=["OUT", "raster", "town", "--overwrite"]
    )
    seeds.ok(*RUN, "--co", "RASTER_TABLE=more", project)
    for name in "town", "TOWN":
        seeds.ok(
            *RUN, "--where", "name <> 'n3'", "--overwrite", "--co", f"RASTER_TABLE={name}", project
        )
        kept(before, contents(path, ["town", "more"]))
        assert rasters(path) == {"heights", name, "more"}
        seeds.ok(*RUN, "--where", "name <> 'n3'", "--overwrite", "out.tif")
        assert np.array_equal(cells(path, name), seeds.read("out.tif")) and not np.array_equal(
            cells(path, name), first
        )
    assert np.array_equal(cells(path, "more"), first)


def test_overwriting_any_raster_keeps_the_others(seeds):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    path = seeds.path(project)
    make_raster(path, "depths")
    before, depths = contents(path, ["heights"]), cells(path, "depths")
    seeds.ok(*RUN, "--overwrite", "--co", "RASTER_TABLE=heights", project)
    after = contents(path, ["heights"])
    for name in SHARED:
        assert len(after.pop(("rows", name))) <= len(before.pop(("rows", name))) + 1
    unchanged(before, after)
    assert rasters(path) == {"heights", "depths"} and np.array_equal(cells(path, "depths"), depths)
    assert cells(path, "heights").max() < 13


def test_names_of_rasters(seeds):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    before = contents(seeds.path(project))
    name = 'it\'s "mine" – süß'
    for _ in range(2):
        seeds.ok(*RUN, "--overwrite", "--co", f"RASTER_TABLE={name}", project)
    for taken in "areas", "POINTS 1", "layer_styles", "both", "gpkg_contents":
        seeds.fails(
            *RUN,
            "--overwrite",
            "--co",
            f"RASTER_TABLE={taken}",
            project,
            has=["OUT", project, taken, "RASTER_TABLE"],
        )
    seeds.fails(
        *RUN,
        "--stats",
        project,
        "--co",
        "RASTER_TABLE=Statistics",
        project,
        has=["statistics", "--stats", "OUT", "RASTER_TABLE"],
    )
    kept(before, contents(seeds.path(project), [name]))
    assert rasters(seeds.path(project)) == {"heights", name}


@pytest.mark.parametrize("new", [True, False])
def test_all_outputs_in_one_file(seeds, new):  # noqa: F811
    project = "fresh.gpkg" if new else make_geopackage(seeds, "town.gpkg")
    path, stem = seeds.path(project), project.removesuffix(".gpkg")
    before, names = ({}, {}) if new else (contents(path), layers(path))
    level = ["--level", "2"]
    seeds.ok(
        *RUN,
        *level,
        "--stats",
        "alone.gpkg",
        "--polygons",
        "alone.gpkg",
        "--cells",
        "alone.gpkg",
        "alone.tif",
    )
    for overwrite in [], ["--overwrite"], ["--overwrite"]:
        seeds.ok(
            *RUN,
            *level,
            "--stats",
            project,
            "--polygons",
            project,
            "--cells",
            project,
            *overwrite,
            project,
        )
        assert layers(path) == {**names, **layers(seeds.path("alone.gpkg"))}
        for layer in "statistics", "regions", "triangles":
            assert rows(path, layer) == rows(seeds.path("alone.gpkg"), layer)
        assert np.array_equal(cells(path, stem), seeds.read("alone.tif")) and rasters(path) == {
            stem
        } | ({"heights"} if not new else set())
        if not new:
            kept(before, contents(path, ["statistics", "regions", "triangles", stem]))


@pytest.mark.parametrize("options", [[], ["--nodata=-5"]])
def test_the_mark_of_int16(seeds, options):  # noqa: F811
    """GDAL would write cells without a seed as -32768, which an id may be."""
    make_geopackage(seeds, "town.gpkg")
    for name in "town.gpkg", "new.gpkg":
        seeds.fails(
            "--seeds",
            "s.csv",
            *CELLS,
            "--ot",
            "Int16",
            *options,
            "--overwrite",
            name,
            has=[name, "--nodata=-32768", "UInt16"],
        )


def test_a_raster_alone(seeds):  # noqa: F811
    """A GeoPackage of its own, which may then hold more."""
    seeds.ok(*RUN, "own.gpkg")
    seeds.fails(*RUN, "own.gpkg", has=["own", "--overwrite"])
    seeds.ok(*RUN, "--overwrite", "own.gpkg")
    seeds.ok(*RUN, "--stats", "own.gpkg", "out.tif")
    assert np.array_equal(cells(seeds.path("own.gpkg"), "own"), seeds.read("out.tif")) and layers(
        seeds.path("own.gpkg")
    ) == {"statistics": 12}


def test_parts_become_a_raster(seeds):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    before, run = contents(seeds.path(project)), [*RUN, "--size", "9,700"]
    for i in 1, 2:
        seeds.ok(*run, "--part", f"{i}/2", "--stats", project, f"part{i}.tif")
    seeds.ok("merge", "--stats", project, project, "part1.tif", "part2.tif")
    seeds.ok(*run, "out.tif")
    kept(before, contents(seeds.path(project), ["town", "statistics"]))
    assert np.array_equal(cells(seeds.path(project), "town"), seeds.read("out.tif"))


def test_container_that_is_an_input(seeds):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    path = seeds.path(project)
    before = contents(path)
    like = [
        "--seeds",
        project,
        "--layer",
        "seeds",
        "--metric",
        "great-circle",
        "--ot",
        "UInt16",
        "--overwrite",
    ]
    for inputs in (
        ["--like", f"GPKG:{project}:heights"],
        ["--like", project, "--like-oo", "TABLE=heights"],
        ["--mask", f"GPKG:{project}:heights", "--size", "9,9"],
    ):
        seeds.ok(*like, *inputs, project)
        kept(before, contents(path, ["town"]))
        seeds.fails(
            *like,
            *inputs,
            "--co",
            "RASTER_TABLE=Heights",
            project,
            has=["OUT", "raster", "Heights", "input"],
        )
    seeds.ok(*RUN, "--overwrite", project)
    seeds.fails(
        "--seeds-raster",
        f"GPKG:{project}:town",
        "--ot",
        "UInt16",
        "--overwrite",
        project,
        has=["town", "input"],
    )
    seeds.ok(
        "--seeds-raster",
        f"GPKG:{project}:town",
        "--ot",
        "UInt16",
        "--co",
        "RASTER_TABLE=next",
        project,
    )
    kept(before, contents(path, ["town", "next"]))


def test_geopackages_without_layers(seeds):  # noqa: F811
    for name in geopackages_without_layers(seeds):
        before = contents(seeds.path(name)) if name != "empty.gpkg" else {}
        for suffix in "-wal", "-shm":
            seeds.path(name + suffix).unlink(missing_ok=True)
        for _ in range(2):
            seeds.ok(*RUN, "--overwrite", name)
        kept(before, contents(seeds.path(name), [name.removesuffix(".gpkg")]))


@pytest.mark.parametrize("part", [0.3, 1.0, 1.05])
def test_full_disk(seeds, part):  # noqa: F811
    """While the container is copied, and while a raster is added."""
    project = make_geopackage(seeds, "town.gpkg")
    size = int(seeds.path(project).stat().st_size * part)
    run = [*RUN[:2], "--size", "700,350", *RUN[4:], "--stats", project, project]
    seeds.fails(
        *run,
        has=project,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


@pytest.mark.parametrize("fail", ["fsync 1", "rename 1", "rename 2", "rename 3", "rename 4"])
def test_moves_that_fail(seeds, shim, fail):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    seeds.write("t.csv", "precious")
    run = [*RUN, "--stats", "t.csv", "--overwrite", project]
    assert seeds.run(*run, env={**shim, "MOVES_FAIL": "never 1"}).returncode == 0
    seeds.write("t.csv", "precious")
    before = seeds.listing()
    done = seeds.run(*run, env={**shim, "MOVES_FAIL": fail})
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and seeds.listing() == before


def test_a_later_failure(seeds):  # noqa: F811
    """What goes wrong after the raster is complete leaves the container as it was."""
    project = make_geopackage(seeds, "town.gpkg")
    seeds.write("r.shp", "precious")
    seeds.path("r.dbf").mkdir()
    seeds.write("r.dbf/inside", "precious")
    seeds.fails(*RUN, "--polygons", "r.shp", "--overwrite", project, has="r.dbf")


@pytest.mark.parametrize(
    "mode,statement",
    [
        ("PRAGMA journal_mode = WAL", "SELECT 1"),
        ("PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE"),
    ],
)
def test_another_program_at_work(seeds, mode, statement):  # noqa: F811
    project = make_geopackage(seeds, "town.gpkg")
    program = (
        f"import sqlite3\nbase = sqlite3.connect({project!r}, isolation_level=None)\nbase.execute({mode!r})\n"
        f"base.execute({statement!r})\nbase.execute('SELECT count(*) FROM seeds').fetchall()\nprint('ready', flush=True)\n"
        "input()\nbase.close()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=seeds.directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "ready\n"
    try:
        seeds.fails(*RUN, "--overwrite", project, has=[project, "open"])
    finally:
        other.communicate("\n")
    seeds.ok(*RUN, project)


def test_other_databases(seeds):  # noqa: F811
    """Nothing of theirs is replaced by a raster, and a damaged one stays."""
    ogr.GetDriverByName("SQLite").CreateDataSource(str(seeds.path("p.sqlite"))).CreateLayer(
        "mine", None, ogr.wkbPoint
    )
    seeds.fails(*RUN, "--of", "Rasterlite", "--overwrite", "p.sqlite", has=["p.sqlite", "database"])
    seeds.path("bad.gpkg").write_bytes(b"SQLite format 3\0" + bytes(range(200)) * 40)
    seeds.fails(*RUN, "--overwrite", "bad.gpkg", has="bad.gpkg")
