"""Outputs as layers of files that hold others: what is there stays, to the last row."""

import resource
import shutil
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from osgeo import gdal, ogr

from conftest import COMMAND, crs, globe

CELLS = ["--size", "40,20", "--metric", "great-circle"]


@pytest.fixture
def seeds(work):
    lon, lat = globe(12)
    work.csv("s.csv", lon, lat, name=[f"n{i}" for i in range(12)])
    return work


def make_layer(source, name, geometry=ogr.wkbPoint, count=5, epsg=4326, first=0):
    """Features with ids other than 1, 2, 3 ..."""
    layer = source.CreateLayer(name, crs(epsg), geometry)
    layer.CreateField(ogr.FieldDefn("text", ogr.OFTString))
    layer.CreateField(ogr.FieldDefn("value", ogr.OFTReal))
    for i in range(count):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetFID(first + 10 * i + 7)
        feature["text"], feature["value"] = f"{name} {i}", i / 3
        if geometry == ogr.wkbPoint:
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({20 * i - 40} {10 * i - 20})"))
        elif geometry == ogr.wkbPolygon:
            feature.SetGeometry(
                ogr.CreateGeometryFromWkt(f"POLYGON (({i} 0, {i + 9} 0, {i + 9} 8, {i} 0))")
            )
        layer.CreateFeature(feature)


def make_raster(path, name):
    options = [f"RASTER_TABLE={name}", "APPEND_SUBDATASET=YES"]
    made = gdal.GetDriverByName("GPKG").Create(
        str(path), 300, 200, 1, gdal.GDT_Float32, options=options
    )
    made.SetGeoTransform((0, 0.1, 0, 40, 0, -0.1))
    made.SetSpatialRef(crs(4326))
    made.GetRasterBand(1).WriteArray(np.arange(60000, dtype="f4").reshape(200, 300) / 7)
    made = None


def make_geopackage(work, name="project.gpkg"):
    """Nine vector layers, a raster, styles, metadata, a relation, a table of QGIS's and a view."""
    path = work.path(name)
    source = gdal.GetDriverByName("GPKG").Create(str(path), 0, 0, 0, gdal.GDT_Unknown)
    for i in range(6):
        make_layer(source, f"points {i}", first=1000 * i)
    make_layer(source, "seeds", count=5)
    make_layer(source, "areas", ogr.wkbPolygon, epsg=3857)
    make_layer(source, "table", ogr.wkbNone)
    source.SetMetadataItem("who", "me")
    source.GetLayerByName("areas").SetMetadataItem("what", "areas")
    source = None
    make_raster(path, "heights")
    with sqlite3.connect(path) as base:
        base.executescript("""
            CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_catalog TEXT(256),
              f_table_schema TEXT(256), f_table_name TEXT(256), f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT,
              styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30), update_time DATETIME);
            INSERT INTO layer_styles (f_table_name, styleName, styleQML) VALUES ('areas', 'red', '<qgis/>'), ('seeds', 's', 'q');
            INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('layer_styles', 'attributes', 'layer_styles');
            CREATE TABLE qgis_projects (name TEXT PRIMARY KEY, metadata BLOB, content BLOB);
            INSERT INTO qgis_projects VALUES ('project', x'00ff', x'504b0304');
            CREATE VIEW both AS SELECT fid, text FROM "table";
            CREATE TABLE gpkgext_relations (id INTEGER PRIMARY KEY AUTOINCREMENT, base_table_name TEXT NOT NULL,
              base_primary_column TEXT NOT NULL DEFAULT 'id', related_table_name TEXT NOT NULL, related_primary_column TEXT NOT
              NULL DEFAULT 'id', relation_name TEXT NOT NULL, mapping_table_name TEXT NOT NULL UNIQUE);
            INSERT INTO gpkgext_relations VALUES (1, 'areas', 'fid', 'table', 'fid', 'attributes', 'mapping');""")
    base.close()
    return name


def contents(path, without=()):
    """Every table's schema and rows, those of the system included, but for what speaks of the tables named."""
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    mine = {n.lower() for n in without}
    mine |= {f"rtree_{n}_geom{s}" for n in mine for s in ("", "_node", "_rowid", "_parent")}
    found = {}
    for kind, name, table, sql in base.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master"
    ):
        if table.lower() in mine or name.lower() in mine or name == "sqlite_sequence":
            continue
        found[kind, name] = sql
        if kind == "table":
            rows = base.execute(f'SELECT * FROM "{name}"').fetchall()
            if not name.startswith("rtree_"):
                rows = [r for r in rows if not mine & {str(v).lower() for v in r}]
            found["rows", name] = sorted(map(repr, rows))
    assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert base.execute("PRAGMA foreign_key_check").fetchall() == []
    base.close()
    return found


def layers(path):
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    return {
        source.GetLayer(i).GetName(): source.GetLayer(i).GetFeatureCount()
        for i in range(source.GetLayerCount())
    }


def rows(path, name):
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    layer = source.GetLayerByName(name)
    return [
        (
            f.GetFID(),
            tuple(f[i] for i in range(f.GetFieldCount())),
            f.GetGeometryRef().ExportToWkt() if f.GetGeometryRef() else None,
        )
        for f in layer
    ]


def alone(work, option, name="alone.gpkg"):
    work.ok("--seeds", "s.csv", *CELLS, option, name, "--overwrite", "x.tif")
    return name


def srs(found):
    """Systems that new layers bring may be added to those that are there."""
    return {k: v for k, v in found.items() if k != ("rows", "gpkg_spatial_ref_sys")}, set(
        found.get(("rows", "gpkg_spatial_ref_sys"), ())
    )


def unchanged(before, after):
    (a, known), (b, now) = srs(before), srs(after)
    for key in a:
        assert b[key] == a[key], key
    assert known <= now


@pytest.mark.parametrize("option,layer", [("--stats", "statistics"), ("--polygons", "regions")])
def test_new_layer_needs_no_overwrite(seeds, option, layer):
    project = make_geopackage(seeds)
    path = seeds.path(project)
    path.chmod(0o640)
    before, names = contents(path), layers(path)
    seeds.ok("--seeds", "s.csv", *CELLS, option, project, "out.tif")
    unchanged(before, contents(path, [layer]))
    assert layers(path) == {**names, layer: 12} and path.stat().st_mode & 0o777 == 0o640
    alone(seeds, option)
    assert rows(path, layer) == rows(seeds.path("alone.gpkg"), layer)


@pytest.mark.parametrize("option,layer", [("--stats", "statistics"), ("--polygons", "regions")])
def test_overwrite_replaces_a_layer(seeds, option, layer):
    project = make_geopackage(seeds)
    path = seeds.path(project)
    before = contents(path)
    command = ["--seeds", "s.csv", *CELLS, "--no-style", option, project]
    seeds.ok(*command, "a.tif")
    seeds.fails(*command, "b.tif", has=[option, layer, project, "--overwrite"])
    first = rows(path, layer)
    for _ in range(2):
        seeds.ok(*command, "--overwrite", "a.tif")
        unchanged(before, contents(path, [layer]))
        assert rows(path, layer) == first
    seeds.ok(
        *command,
        "--where",
        "name <> 'n3'",
        f"{option}-layer",
        layer.upper(),
        "--overwrite",
        "a.tif",
    )
    unchanged(before, contents(path, [layer]))
    assert layers(path)[layer.upper()] == 11 and layer not in layers(path)


def test_overwriting_any_layer_keeps_the_others(seeds):
    """A layer with a style, an index and metadata of its own goes; everything else does not."""
    project = make_geopackage(seeds)
    path = seeds.path(project)
    before = contents(path, ["areas"])
    seeds.ok(
        "--seeds",
        "s.csv",
        *CELLS,
        "--polygons",
        project,
        "--polygons-layer",
        "areas",
        "--overwrite",
        "out.tif",
    )
    after = contents(path, ["areas"])
    for key in (
        ("rows", "gpkg_metadata"),
        ("rows", "gpkg_metadata_reference"),
        ("rows", "layer_styles"),
    ):
        assert set(after.pop(key)) <= set(before.pop(key))
    unchanged(before, after)
    assert layers(path)["areas"] == 12


def test_names_of_layers(seeds):
    project = make_geopackage(seeds)
    before = contents(seeds.path(project))
    name = 'it\'s "mine" – süß'
    seeds.ok(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        project,
        "--stats-layer",
        name,
        "--polygons",
        project,
        "--polygons-layer",
        "my regions",
        "out.tif",
    )
    assert {name, "my regions"} <= set(layers(seeds.path(project)))
    for option in "--stats", "--polygons":
        seeds.fails(
            "--seeds",
            "s.csv",
            *CELLS,
            option,
            project,
            f"{option}-layer",
            "HEIGHTS",
            "--overwrite",
            "b.tif",
            has=[option, "raster", "HEIGHTS"],
        )
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        project,
        "--stats-layer",
        "gpkg_contents",
        "b.tif",
        has=project,
    )
    unchanged(before, contents(seeds.path(project), [name, "my regions"]))


@pytest.mark.parametrize("name", ["p.gpkg", "p.sqlite", "p.xlsx", "p.ods"])
def test_layers_of_a_new_file(seeds, name):
    spreadsheet = name.endswith(("xlsx", "ods"))
    second = (
        ["--cells", "q.gpkg"]
        if spreadsheet
        else ["--polygons", name, "--cells", name, "--level", "2"]
    )
    seeds.ok("--seeds", "s.csv", *CELLS, "--level", "2", "--stats", name, *second, "out.tif")
    expected = (
        {"statistics": 12} if spreadsheet else {"triangles": 128, "statistics": 12, "regions": 12}
    )
    assert {k: v for k, v in layers(seeds.path(name)).items()} == expected or layers(
        seeds.path(name)
    )["regions"] <= 12
    seeds.ok(
        "--seeds",
        "s.csv",
        *CELLS,
        "--level",
        "2",
        "--stats",
        name,
        *second,
        "--overwrite",
        "out.tif",
    )
    assert set(layers(seeds.path(name))) == set(expected)


@pytest.mark.parametrize(
    "name,driver",
    [("p.sqlite", "SQLite"), ("p.xlsx", "XLSX"), ("p.ods", "ODS"), ("p.kml", "LIBKML")],
)
def test_other_containers(seeds, name, driver):
    found = gdal.GetDriverByName(driver)
    if found is None:
        pytest.skip(f"GDAL lacks {driver}")
    source = found.Create(str(seeds.path(name)), 0, 0, 0, gdal.GDT_Unknown)
    geometry = ogr.wkbNone if driver in ("XLSX", "ODS") else ogr.wkbPoint
    for layer in "a", "b", "c":
        make_layer(source, layer, geometry)
    source = None
    others = {n: [r[1:] for r in rows(seeds.path(name), n)] for n in "abc"}
    command = ["--seeds", "s.csv", *CELLS, "--stats", name]
    if driver != "SQLite":  # which writes all anew
        seeds.fails(*command, "out.tif", has=["--stats", name, "rewrites", "--overwrite"])
    for stats_layer in "new", "new", "b":
        seeds.ok(*command, "--stats-layer", stats_layer, "--overwrite", "out.tif")
        assert layers(seeds.path(name)) == {
            "a": 5,
            "b": 12 if stats_layer == "b" else 5,
            "c": 5,
            "new": 12,
        }
        for n in "ac" if stats_layer == "b" else "abc":
            assert [r[1:] for r in rows(seeds.path(name), n)] == others[n]


def test_a_format_that_adds_no_layers(seeds):
    """GML holds several layers and cannot get one more: what is there is not thrown away."""
    source = gdal.GetDriverByName("GML").Create(str(seeds.path("p.gml")), 0, 0, 0, gdal.GDT_Unknown)
    make_layer(source, "a")
    source = None
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--polygons",
        "p.gml",
        "--overwrite",
        "out.tif",
        has=["--polygons", "p.gml", "GML"],
    )
    for _ in range(2):
        seeds.ok("--seeds", "s.csv", *CELLS, "--polygons", "r.gml", "--overwrite", "out.tif")
    assert layers(seeds.path("r.gml")) == {"regions": 12}


@pytest.mark.parametrize("name", ["t.csv", "t.geojson", "t.fgb", "t.shp"])
def test_formats_of_one_layer(seeds, name):
    command = ["--seeds", "s.csv", *CELLS, "--stats", name, "--no-stats-distances"]
    seeds.ok(*command, "out.tif")
    seeds.fails(*command, "b.tif", has=[name, "--overwrite"])
    seeds.ok(*command, "--stats-layer", "other", "--overwrite", "out.tif")
    assert list(layers(seeds.path(name)).values()) == [12]
    seeds.fails(*command, "--overwrite", "--polygons", name, "b.tif", has=[name, "another output"])


def test_rasters_are_kept_apart(seeds):
    """GeoPackages hold neither wide ids nor NaN, and no database is replaced by a raster of another format."""
    project = make_geopackage(seeds)
    for arguments, what in (
        (["--distance", project, "out.tif"], "NaN"),
        (["--azimuth", project, "out.tif"], "NaN"),
        ([project], "Int32"),
        (["--of", "GTiff", project], "database"),
    ):
        seeds.fails("--seeds", "s.csv", *CELLS, "--overwrite", *arguments, has=[project, what])
    before = contents(seeds.path(project))
    seeds.write("project.gpkg.aux.xml", "<PAMDataset/>")
    seeds.ok("--seeds", "s.csv", *CELLS, "--stats", project, "--overwrite", "out.tif")
    unchanged(before, contents(seeds.path(project), ["statistics"]))
    assert seeds.path("project.gpkg.aux.xml").read_text() == "<PAMDataset/>"


def test_container_that_is_an_input(seeds):
    if int(gdal.VersionInfo()) >= 3130000:
        pytest.skip("this GDAL writes side files of GeoPackages with rasters that it reads")
    project = make_geopackage(seeds)
    path = seeds.path(project)
    before, less = contents(path), contents(path, ["points 1"])
    command = [
        "--seeds",
        project,
        "--layer",
        "seeds",
        "--mask",
        project,
        "--mask-layer",
        "areas",
        "--extent",
        "-60,-40,60,40",
        "--size",
        "120,80",
        "--metric",
        "great-circle",
    ]
    for overwrite in [], ["--overwrite"]:
        seeds.ok(*command, "--polygons", project, "--stats", project, *overwrite, "out.tif")
        unchanged(before, contents(path, ["statistics", "regions"]))
    assert {r[1][2] for r in rows(path, "statistics")} == {f"seeds {i}" for i in range(5)}
    for option, layer in ("--polygons", "seeds"), ("--stats", "Areas"), ("--stats", "SEEDS"):
        seeds.fails(
            *command,
            option,
            project,
            f"{option}-layer",
            layer,
            "--overwrite",
            "out.tif",
            has=[option, project, layer, "input"],
        )
    seeds.ok(
        "--seeds",
        "s.csv",
        "--like",
        f"GPKG:{project}:heights",
        "--stats",
        project,
        "--stats-layer",
        "points 1",
        "--metric",
        "great-circle",
        "--overwrite",
        "out.tif",
    )
    unchanged(less, contents(path, ["statistics", "regions", "points 1"]))
    assert layers(path)["points 1"] == 12
    seeds.write(
        "all.vrt",
        f"<OGRVRTDataSource><OGRVRTLayer name='seeds'><SrcDataSource relativeToVRT='1'>{project}</SrcDataSource>"
        "</OGRVRTLayer></OGRVRTDataSource>",
    )
    seeds.fails(
        "--seeds",
        "all.vrt",
        *CELLS,
        "--stats",
        project,
        "--stats-layer",
        "seeds",
        "--overwrite",
        "out.tif",
        has="input",
    )
    seeds.ok("--seeds", "all.vrt", *CELLS, "--stats", project, "--stats-layer", "fresh", "new.tif")


def test_only_layer_that_is_an_input(seeds):
    """Without --layer it is the only one that is read."""
    work = seeds
    work.points("one.gpkg", "GPKG", [0, 10, 20], [0, 10, 5])
    work.fails(
        "--seeds",
        "one.gpkg",
        *CELLS,
        "--stats",
        "one.gpkg",
        "--stats-layer",
        "seeds",
        "--overwrite",
        "out.tif",
        has=["seeds", "input"],
    )
    work.ok("--seeds", "one.gpkg", *CELLS, "--stats", "one.gpkg", "out.tif")
    assert layers(work.path("one.gpkg")) == {"seeds": 3, "statistics": 3}


def geopackages_without_layers(work):
    """Empty, or with rasters only; a closed one with a write-ahead log is unchanged."""
    gdal.GetDriverByName("GPKG").Create(str(work.path("empty.gpkg")), 0, 0, 0, gdal.GDT_Unknown)
    make_raster(work.path("raster.gpkg"), "heights")
    make_raster(work.path("raster.gpkg"), "more")
    make_geopackage(work, "log.gpkg")
    base = sqlite3.connect(work.path("log.gpkg"))
    base.execute("PRAGMA journal_mode = WAL")
    base.close()
    return "empty.gpkg", "raster.gpkg", "log.gpkg"


def test_geopackages_without_layers(seeds):
    for name in geopackages_without_layers(seeds):
        before = contents(seeds.path(name))
        for suffix in "-wal", "-shm":
            seeds.path(name + suffix).unlink(missing_ok=True)
        seeds.ok("--seeds", "s.csv", *CELLS, "--stats", name, f"{name}.tif")
        unchanged(before, contents(seeds.path(name), ["statistics"]))
        assert layers(seeds.path(name))["statistics"] == 12
    make_raster(seeds.path("one.gpkg"), "statistics")
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        "one.gpkg",
        "--overwrite",
        "one.tif",
        has=["raster", "statistics"],
    )
    assert gdal.Open(f"GPKG:{seeds.path('raster.gpkg')}:more").ReadAsArray()[1, 1] == np.float32(
        301 / 7
    )


def test_one_name_twice(seeds):
    make_geopackage(seeds)
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        "project.gpkg",
        "--stats-layer",
        "Same",
        "--polygons",
        "project.gpkg",
        "--polygons-layer",
        "same",
        "out.tif",
        has=["same", "--stats"],
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--stats-layer",
        "a",
        "out.tif",
        has=["--stats-layer", "--stats"],
        status=2,
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--polygons-layer",
        "a",
        "out.tif",
        has=["--polygons-layer", "--polygons"],
        status=2,
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--stats",
        "a.gpkg",
        "--stats-layer",
        "",
        "out.tif",
        has="name is empty",
        status=2,
    )


@pytest.mark.parametrize("part", [0.3, 0.999, 1.0])
def test_full_disk(seeds, part):
    """While the container is copied, and while a layer is added."""
    project = make_geopackage(seeds)
    size = int(seeds.path(project).stat().st_size * part)
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        project,
        "--polygons",
        project,
        "out.tif",
        has=f"cannot write {project}",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


def test_a_later_failure(seeds):
    """What goes wrong after the container's copy is complete leaves the container as it was."""
    project = make_geopackage(seeds)
    seeds.write("r.shp", "precious")
    seeds.path("r.dbf").mkdir()
    seeds.write("r.dbf/inside", "precious")
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--stats",
        project,
        "--polygons",
        "r.shp",
        "--overwrite",
        "out.tif",
        has="r.dbf",
    )


JOURNALS = [
    ("PRAGMA journal_mode = WAL", "SELECT 1"),  # open in QGIS
    ("PRAGMA journal_mode = WAL", "INSERT INTO \"table\" (text) VALUES ('new')"),
    ("PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE"),
    ("PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"),
]


@pytest.mark.parametrize("mode,statement", JOURNALS)
def test_another_program_at_work(seeds, mode, statement):
    project = make_geopackage(seeds)
    program = (
        f"import sqlite3\nbase = sqlite3.connect({project!r}, isolation_level=None)\nbase.execute({mode!r})\n"
        f"base.execute({statement!r})\nbase.execute('SELECT count(*) FROM seeds').fetchall()\nprint('ready', flush=True)\n"
        "input()\nif base.in_transaction: base.execute('ROLLBACK')\nbase.close()"
    )
    # In a process of its own: locks go when the process closes any handle of the file, as reading it here does.
    other = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=seeds.directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "ready\n"
    try:
        seeds.fails(
            "--seeds",
            "s.csv",
            *CELLS,
            "--stats",
            project,
            "--overwrite",
            "out.tif",
            has=[project, "open"],
        )
    finally:
        other.communicate("\n")
    seeds.ok("--seeds", "s.csv", *CELLS, "--stats", project, "out.tif")
    count = layers(seeds.path(project))
    assert count["statistics"] == 12 and count["table"] == 5 + statement.startswith("INSERT")


def test_journals_left_behind(seeds):
    """A program that ended in the middle: its changes are in the journal, and the next that opens the file takes them over."""
    project = make_geopackage(seeds)
    path = seeds.path(project)
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("INSERT INTO \"table\" (text) VALUES ('new')")
    other.commit()
    for suffix in "", "-wal":
        shutil.copy(f"{path}{suffix}", seeds.path(f"left.gpkg{suffix}"))
    other.close()
    seeds.fails(
        "--seeds", "s.csv", *CELLS, "--stats", "left.gpkg", "out.tif", has=["left.gpkg", "journal"]
    )
    with sqlite3.connect(seeds.path("left.gpkg")) as base:
        assert base.execute('SELECT count(*) FROM "table"').fetchone() == (6,)
    base.close()
    seeds.ok("--seeds", "s.csv", *CELLS, "--stats", "left.gpkg", "out.tif")
    assert layers(seeds.path("left.gpkg"))["table"] == 6
    seeds.write("left.gpkg-journal", "\0" * 512)  # done with
    seeds.ok("--seeds", "s.csv", *CELLS, "--polygons", "left.gpkg", "--overwrite", "out.tif")
    seeds.write("left.gpkg-journal", "\xd9\xd5\x05\xf9 \xa1c\xd7")
    seeds.fails(
        "--seeds",
        "s.csv",
        *CELLS,
        "--polygons",
        "left.gpkg",
        "--overwrite",
        "out.tif",
        has=["left.gpkg", "journal"],
    )


def test_changed_meanwhile(seeds):
    """By another program, after the container has been copied and before it would be replaced."""
    project = make_geopackage(seeds)
    path = seeds.path(project)
    command = [
        COMMAND,
        "--seeds",
        "s.csv",
        "--level",
        "7",
        "--size",
        "40,20",
        "--cells",
        project,
        "out.tif",
    ]
    running = subprocess.Popen(command, cwd=seeds.directory, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not [
        w for w in seeds.directory.glob(f".project.tmp-*/{project}") if w.stat().st_mode & 0o40
    ]:
        time.sleep(0.01)  # the copy gets its permissions once it is complete
    time.sleep(0.1)
    with sqlite3.connect(path) as base:
        base.execute("INSERT INTO \"table\" (text) VALUES ('new')")
    base.close()
    after, error = path.read_bytes(), running.communicate()[1]
    assert (
        running.returncode == 1 and "during this run" in error and len(error.splitlines()) == 1
    ), error
    assert path.read_bytes() == after and not seeds.path("out.tif").exists()
    seeds.no_leftovers()


def test_damaged_database(seeds):
    seeds.path("bad.gpkg").write_bytes(b"SQLite format 3\0" + bytes(range(200)) * 40)
    seeds.fails(
        "--seeds", "s.csv", *CELLS, "--stats", "bad.gpkg", "--overwrite", "out.tif", has="bad.gpkg"
    )
