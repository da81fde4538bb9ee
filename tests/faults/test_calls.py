"""
One call after the other fails: of the system (files, memory, threads), from any caller, in runs of the command with every kind of
output. Whatever fails: exit status 0 and all outputs as they are without, or 1 and one line; then all files are what they were.
"""

import concurrent.futures
import errno
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import threading
import time

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from object_store import Store

gdal.UseExceptions()
ogr.UseExceptions()

LONG = os.environ.get("GPUVORONOI_LONG") == "1"
COMMAND = os.environ["GPUVORONOI_COMMAND"]
SHIM = os.environ["GPUVORONOI_FAULTS_SHIM"]
MOST = 2000  # of the calls of a kind one after the other; beyond that, as many at random
SAMPLE = int(os.environ.get("GPUVORONOI_FAULTS", "12"))  # faults in a run of the short tests
SECONDS = 10  # of a run; more where one without faults takes long
DISK_FULL = -1  # half a call, then ENOSPC (faults_shim.c); of reads, half a read

GROUPS = "open read write truncate sync close rename mkdir unlink map memory thread".split()
ERRORS = {
    "open": [errno.EMFILE, errno.EIO, errno.EINTR],
    "read": [errno.EIO, errno.EINTR, DISK_FULL],
    "write": [errno.EIO, errno.EINTR, DISK_FULL],
    "truncate": [errno.EIO, errno.EINTR],
    "sync": [errno.EIO, errno.EINTR],
    "close": [errno.EIO, errno.EINTR],
    "rename": [errno.EIO],
    "mkdir": [errno.ENOSPC],
    "unlink": [errno.EIO],
    "map": [errno.ENOMEM],
    "memory": [errno.ENOMEM],
    "thread": [errno.EAGAIN],
}
# Without these a temporary directory cannot be taken away; the next run does that.
CLEANING = {"unlink", "open"}

# What GDAL's drivers pass over: the group of the call, and the file's ending (docs/reliability.md).
IGNORED = {
    (group, ending)
    for group in ("write", "truncate", "close")
    for ending in (".hdr", ".prj", ".cpg", ".geojson", ".csv")
}
IGNORED |= {
    ("memory", ending) for ending in (".xml", ".geojson", ".csv", ".qml", ".nc", ".gpkg")
} | {("open", ".prj"), ("read", ".hdr")}

# Metadata that GDAL may leave out: readers assume the same.
AREA = {"AREA_OR_POINT": "Area", "NC_GLOBAL#GDAL_AREA_OR_POINT": "Area"}

GLOBE = [
    "--seeds",
    "s.csv",
    "--metric",
    "great-circle",
    "--size",
    "60,30",
    "--threads",
    "2",
    "--overwrite",
]
# Options, and which of the resulting files exist before.
RUNS = {
    "raster": ([*GLOBE, "r.tif"], ["r.tif", "r.tif.ovr"]),
    "ids": (
        [
            "--seeds",
            "i.csv",
            "--id",
            "number",
            "--size",
            "60,30",
            "--threads",
            "2",
            "--overwrite",
            "r.tif",
        ],
        ["r.tif"],
    ),
    "rasters": (
        [
            "--seeds",
            "s.gpkg",
            "--id",
            "name",
            "-k",
            "2",
            "--size",
            "600,300",
            "--threads",
            "2",
            "--overwrite",
            "--distance",
            "d.tif",
            "--azimuth",
            "a.tif",
            "r.tif",
        ],
        ["d.tif", "r.tif.aux.xml"],
    ),
    "driver": ([*GLOBE, "--of", "ENVI", "--stats", "t.shp", "r.bin"], ["r.bin", "t.dbf"]),
    "netcdf": ([*GLOBE, "r.nc"], ["r.nc"]),
    "copied": ([*GLOBE, "--of", "COG", "--distance", "d.tif", "r.tif"], ["r.tif"]),
    "table": (
        [*GLOBE, "--mask", "m.geojson", "--sum", "people=p.tif", "--stats", "t.csv", "r.tif"],
        ["t.csv"],
    ),
    "projected": (
        [
            *GLOBE,
            "--crs",
            "EPSG:3857",
            "--extent=-2e7,-2e7,2e7,2e7",
            "--sum",
            "people=p.tif",
            "--stats",
            "t.csv",
            "r.tif",
        ],
        ["t.csv"],
    ),
    "container": ([*GLOBE, "--stats", "c.gpkg", "--polygons", "c.gpkg", "r.tif"], []),
    "raster table": (
        [
            "--seeds",
            "s.gpkg",
            "--size",
            "60,30",
            "--threads",
            "2",
            "--overwrite",
            "--ot",
            "UInt16",
            "--stats",
            "c.gpkg",
            "c.gpkg",
        ],
        [],
    ),
    "polygons": (
        [*GLOBE, "--no-style", "--polygons", "g.geojson", "r.tif"],
        ["g.geojson", "r.tif"],
    ),
    "mesh": (
        ["--seeds", "s.csv", "--level", "2", "--overwrite", "--cells", "c.csv", "--mesh", "m.nc"],
        ["c.csv"],
    ),
    "cells": (
        ["--seeds", "s.csv", "--cells-of", "healpix:1,ring", "--overwrite", "--cells", "c.nc"],
        ["c.nc"],
    ),
    "masked cells": (
        [
            "--seeds",
            "s.csv",
            "--cells-of",
            "s2:1",
            "--mask",
            "m.geojson",
            "--overwrite",
            "--cells",
            "c.csv",
            "--stats",
            "t.csv",
        ],
        ["t.csv"],
    ),
    "places": (["--seeds", "s.csv", "--cells-of", "s.gpkg", "--overwrite", "--cells", "c.csv"], []),
    "features": (
        [
            "--seeds",
            "m.geojson",
            "--edges",
            "geodesic",
            "--like",
            "p.tif",
            "--overwrite",
            "--sync",
            "always",
            "r.tif",
        ],
        [],
    ),
    "arrays": (
        [
            "search",
            "--reference",
            "q.npy",
            "--queries",
            "q.npy",
            "--threads",
            "2",
            "--overwrite",
            "--distances",
            "d.npy",
            "o.npy",
        ],
        ["d.npy", "o.npy"],
    ),
    "points": (
        [
            "search",
            "--reference",
            "s.gpkg",
            "--queries",
            "s.csv",
            "-k",
            "2",
            "--overwrite",
            "o.csv",
        ],
        ["o.csv"],
    ),
    "text": (
        ["search", "--reference", "t.txt", "--max-distance", "60", "--overwrite", "o.csv"],
        ["o.csv"],
    ),
    "diagram": (
        ["diagram", "--seeds", "s.csv", "--threads", "2", "--overwrite", "d.gpkg"],
        ["d.gpkg"],
    ),
    "lines": (
        ["diagram", "--seeds", "s.csv", "--threads", "2", "--overwrite", "--delaunay", "d.fgb"],
        ["d.fgb"],
    ),
    "shapes": (
        ["diagram", "--seeds", "s.csv", "--threads", "2", "--overwrite", "--edges-only", "d.shp"],
        ["d.dbf"],
    ),
    "radius": (
        ["search", "--reference", "s.csv", "--radius", "2000km", "--overwrite", "o.fgb"],
        ["o.fgb"],
    ),
    "description": (
        ["--config", "c.json", "--size", "20,10", "--overwrite", "--describe", "d.json"],
        ["d.json"],
    ),
    "cost": (
        [
            "--seeds",
            "s.csv",
            "--cost",
            "p.tif",
            "--threads",
            "2",
            "--overwrite",
            "--ways",
            "w.gpkg",
            "--from",
            "s.gpkg",
            "r.tif",
        ],
        ["r.tif"],
    ),
    "barriers": ([*GLOBE, "--barriers", "m.geojson", "r.tif"], ["r.tif"]),
    "cloud": (
        [*GLOBE, "--no-style", "--stats", "/vsis3/b/t.csv", "/vsis3/b/r.tif"],
        ["b/r.tif", "b/r.tif.aux.xml"],
    ),
    "qtm": (["qtm", "encode", "--level", "9"], []),
}


def make_inputs(folder):
    generator = np.random.default_rng(3)
    lon, lat = generator.uniform(-180, 180, 30), generator.uniform(-85, 85, 30)
    rows = [f"{a:.4f},{b:.4f}" for a, b in zip(lon, lat)]
    (folder / "s.csv").write_text("\n".join(["lon,lat", *rows, ""]))
    (folder / "i.csv").write_text(
        "\n".join(["lon,lat,number", *(f"{row},{7 * i}" for i, row in enumerate(rows)), ""])
    )
    (folder / "t.txt").write_text("\n".join(["x y", *(row.replace(",", " ") for row in rows), ""]))
    (folder / "c.json").write_text('{"seeds": "s.csv", "metric": "great-circle"}')
    (folder / "places").write_text("\n".join([*rows, ""]))
    np.save(folder / "q.npy", generator.random((200, 3)))
    (folder / "m.geojson").write_text(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": '
        '{"type": "Polygon", "coordinates": [[[-90, -50], [100, -40], [20, 70], [-90, -50]]]}}]}'
    )
    system = osr.SpatialReference()
    system.ImportFromEPSG(4326)
    system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    people = gdal.GetDriverByName("GTiff").Create(
        str(folder / "p.tif"), 36, 18, 1, gdal.GDT_Float32
    )
    people.SetGeoTransform((-180, 10, 0, 90, 0, -10))
    people.SetSpatialRef(system)
    people.GetRasterBand(1).WriteArray(generator.random((18, 36)))
    people = None
    for name in ["s.gpkg", "c.gpkg"]:
        source = ogr.GetDriverByName("GPKG").CreateDataSource(str(folder / name))
        layer = source.CreateLayer("mine", system, ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        for i, (a, b) in enumerate(zip(lon, lat)):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({a} {b})"))
            feature.SetField("name", f"place {i}")
            layer.CreateFeature(feature)
        layer = source = None


def listing(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
        for p in folder.rglob("*")
    }


def is_same_system(one, other):
    """Perhaps in other words, or in the side file alone, where PROJ's database could not be read once."""
    return (
        not one
        or not other
        or osr.SpatialReference(wkt=one).ExportToProj4()
        == osr.SpatialReference(wkt=other).ExportToProj4()
    )


def without_system(data):
    """A side file, if there is one, without what it says of the system, of ENVI's own words, and of names alone that TIFFs have too."""
    names = rb"<PAMRasterBand [^>]*>\s*<Description>[^<]*</Description>\s*</PAMRasterBand>"
    return re.sub(
        rb"<SRS.*?</SRS>|<MDI[^\n]*|</?PAMDataset>|" + names + rb"|\s", b"", data or b"", flags=re.S
    )


def without_marks(data):
    """A .dbf without what ends its head and its rows."""
    at = int.from_bytes(data[8:10], "little") - 1
    return data[:at] + data[at + 1 :].removesuffix(b"\x1a")


def is_same(name, one, other, group=None):
    """Byte by byte, or what is in it: where GDAL takes another way, a TIFF has its parts in another order, a NetCDF raster lacks an
    attribute, and a GeoPackage lacks a count of its rows. `group`: of the failed calls of other libraries; some consequences are accepted."""
    if group == "read" and name.endswith(".aux.xml"):
        return without_system(one) == without_system(other)
    if one is None or other is None or one == other:
        return one == other
    if group == "write" and name.endswith(".dbf"):
        return without_marks(one) == without_marks(other)
    if not name.endswith((".tif", ".gpkg")) and not (group == "read" and name == "r.nc"):
        return False
    contents, systems = [], []
    for data in (one, other):
        path = f"/vsimem/{threading.get_ident()}/{name}"
        gdal.FileFromMemBuffer(path, data)
        opened = gdal.OpenEx(path)
        if not name.endswith(".gpkg"):
            systems.append(opened.GetProjection())
            contents.append(
                (
                    opened.ReadAsArray().tobytes(),
                    opened.GetGeoTransform(),
                    opened.RasterCount,
                    None if group == "memory" else {**AREA, **opened.GetMetadata()},
                )
            )
        else:
            layers = [opened.GetLayer(i) for i in range(opened.GetLayerCount())]
            contents.append(
                [
                    (layer.GetName(), [feature.ExportToJson() for feature in layer])
                    for layer in layers
                ]
                + [opened.ReadAsArray().tobytes() if opened.RasterCount > 0 else b""]
            )
        opened = None
        gdal.Unlink(path)
    right = (
        not systems
        or systems[0] == systems[1]
        or group == "memory"
        or group == "read"
        and is_same_system(*systems)
    )
    return right and contents[0] == contents[1]


class State:
    """What the shim has counted."""

    def __init__(self, path):
        *counts, self.failed, self.own, kind = struct.unpack(
            f"{2 * len(GROUPS)}q3i", path.read_bytes()[: 16 * len(GROUPS) + 12]
        )
        self.retried, self.loses = bool(kind & 1), bool(kind & 2)
        self.calls = {
            "all": dict(zip(GROUPS, counts)),
            "own": dict(zip(GROUPS, counts[len(GROUPS) :])),
        }


class Bucket(Store):
    """A bucket of cloud storage. Before and after a run its objects are the files of a folder; unfinished uploads become files, too."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.objects = {f"/b/{file.name}": file.read_bytes() for file in folder.iterdir()}

    def close(self):
        self.shutdown()
        self.server_close()
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for key, data in self.objects.items():
            (self.folder / key.removeprefix("/b/")).write_bytes(data)
        for upload, parts in self.uploads.items():
            (self.folder / upload).write_bytes(b"".join(parts))


class Faults:
    """A run of the command, what it has to give, and what fails in it."""

    def __init__(self, scratch, name):
        self.scratch, self.name = scratch, name
        self.arguments, old = RUNS[name]
        self.before = scratch / "before"
        self.before.mkdir()
        make_inputs(self.before)
        for file in old:
            (self.before / file).parent.mkdir(exist_ok=True)
            (self.before / file).write_text("precious " + file)
        self.files = listing(self.before)
        folder, self.limit, began = self.folder("reference"), 60, time.monotonic()
        done, self.state = self.run(folder, "")
        self.limit = max(SECONDS, 20 * (time.monotonic() - began))
        assert done.returncode == 0, done.stderr
        seen = self.state.calls["all"]
        assert min(seen[group] for group in ["read", "write", "close", "memory"]) > 0, seen
        self.right = (listing(folder), done.stdout)
        again = self.folder("again")
        assert (listing(again), self.run(again, "")[0].stdout)[1] == self.right[1] and listing(
            again
        ) == self.right[0]

    def folder(self, name):
        return pathlib.Path(shutil.copytree(self.before, self.scratch / name))

    def run(self, folder, fault, shim=True):
        state = folder.with_suffix(".state")
        store = Bucket(folder / "b") if (folder / "b").is_dir() else None
        environment = {
            **os.environ,
            **(store.environment() if store else {}),
            "FAULTS": fault,
            "FAULTS_STATE": str(state),
            "OGR_CURRENT_DATE": "2026-01-01T00:00:00.000Z",
            "PROJ_NETWORK": "OFF",
        }
        if shim:
            environment["LD_PRELOAD"] = SHIM
        try:
            with open(self.before / "places", "rb") as places:
                done = subprocess.run(
                    [COMMAND, *self.arguments],
                    cwd=folder,
                    env=environment,
                    stdin=places,
                    capture_output=True,
                    text=True,
                    timeout=self.limit,
                )
        finally:
            if store:
                store.close()
        return done, State(state)

    def all(self):
        """Faults: every call of every group, and of memory also that of others."""
        for group in GROUPS:
            for whose in ["own", "all"] if group == "memory" else ["all"]:
                count = self.state.calls[whose][group]
                numbers = range(1, count + 1)
                if count > MOST:
                    numbers = random.Random(5).sample(
                        numbers, MOST if whose == "own" or not LONG else 500
                    )
                for number in numbers:
                    for error in ERRORS[group]:
                        yield group, number, error, whose

    def sample(self):
        """As many of each group."""
        generator, by_group = random.Random(11), {}
        for fault in self.all():
            by_group.setdefault((fault[0], fault[3]), []).append(fault)
        for faults in by_group.values():
            generator.shuffle(faults)
        turns = [
            fault
            for turn in range(SAMPLE)
            for faults in by_group.values()
            for fault in faults[turn : turn + 1]
        ]
        return turns[:SAMPLE]

    def try_one(self, number, fault):
        """What is wrong about it, or None."""
        group = fault[0]
        folder = self.folder(str(number))
        try:
            return self.judge(folder, fault, *self.run(folder, " ".join(map(str, fault))))
        except subprocess.TimeoutExpired:
            if group == "thread" and not State(folder.with_suffix(".state")).own:
                return None  # GDAL waits for ever for a thread that it is refused: the command asks first how many there are
            return f"{fault}: not done after {self.limit:.0f} s"
        finally:
            shutil.rmtree(folder)
            folder.with_suffix(".state").unlink(missing_ok=True)

    def judge(self, folder, fault, done, state):
        group, _, error, whose = fault

        def wrong(what):
            return f"{fault}: {what}; exit status {done.returncode}, {done.stderr!r}"

        found = listing(folder)
        left = [name for name in found if pathlib.Path(name).parts[0].startswith(".")]
        # The process may end where others find no memory, or HDF5 cannot close a file.
        foreign = whose == "all" and group == "memory"
        may_end = foreign or (group == "close" and self.name in ("mesh", "cells") and not state.own)
        # netCDF does where HDF5 cannot clear the mark of an open file in the head of a complete one.
        complete = [
            name
            for name in left
            if name.endswith(".nc")
            and found[name][48:] == self.right[0][pathlib.Path(name).name][48:]
        ]
        may_end = may_end or (
            group == "write"
            and not state.own
            and done.returncode == -signal.SIGSEGV
            and complete != []
        )
        # libtiff does where it cannot read back the directory of a file that it closes.
        may_end = may_end or (
            group == "read" and not state.own and done.returncode == -signal.SIGSEGV
        )
        if left and done.returncode == 0 and state.own and "cannot be removed" not in done.stderr:
            return wrong(f"what is left is not reported: {left}")
        if left and (group in CLEANING or may_end):
            self.run(folder, "", shim=False)
            after = listing(folder)
            if set(after) != set(self.right[0]):
                return wrong(
                    f"the next run does not mend it, {sorted(set(after) ^ set(self.right[0]))}"
                )
            found = {name: data for name, data in found.items() if name not in left}
        elif left:
            return wrong(f"left are {left}")
        if done.returncode == 0:
            passed = None if state.own else group
            names = [
                name
                for name in sorted({*found, *self.right[0]})
                if not is_same(name, found.get(name), self.right[0].get(name), passed)
            ]
            if not state.own:
                names = [
                    name for name in names if (group, pathlib.Path(name).suffix) not in IGNORED
                ]
            if names or done.stdout != self.right[1]:
                return wrong(f"other answers: {names}")
            if state.own and state.loses and error != errno.EINTR:
                return wrong("what was lost is not told")
            return None
        ended = done.returncode < 0 or "GDAL: fatal error" in done.stderr
        if found != self.files and not (
            may_end and ended and found == self.right[0]
        ):  # after the last move
            names = {
                name
                for name in {*found, *self.files}
                if found.get(name, b"-") != self.files.get(name, b"-")
            }
            return wrong(f"not as it was: {sorted(names)}")
        if may_end and done.returncode != 1:
            return (
                None
                if done.returncode in (-signal.SIGABRT, -signal.SIGSEGV, 127, 255)
                else wrong("no way to end")
            )
        if done.returncode != 1:
            return wrong("neither 0 nor 1")
        if state.own and state.retried and error == errno.EINTR:
            return wrong("interrupted, but not tried again")
        lines = done.stderr.splitlines()
        if foreign and lines:
            lines = lines[-1:]  # GDAL has words of its own
        if len(lines) != 1 or not lines[0].startswith("gpuvoronoi: error: ") or len(lines[0]) < 30:
            return wrong("not one line")
        return None


@pytest.mark.parametrize("name", RUNS)
def test_every_call_fails_once(tmp_path, name):
    began = time.monotonic()
    faults = Faults(tmp_path, name)
    chosen = list(faults.all()) if LONG else faults.sample()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [
            wrong
            for wrong in pool.map(faults.try_one, range(len(chosen)), chosen)
            if wrong is not None
        ]
    counts = {
        (group, whose): sum(1 for fault in chosen if fault[0] == group and fault[3] == whose)
        for group, _, _, whose in chosen
    }
    tried = ", ".join(
        f"{group}{' of all' if group == 'memory' and whose == 'all' else ''} {n}"
        for (group, whose), n in counts.items()
    )
    print(f"\n{name}: {len(chosen)} faults in {time.monotonic() - began:.0f} s: {tried}")
    assert not found, f"{len(found)} of {len(chosen)}:\n" + "\n".join(found[:200])


@pytest.mark.parametrize("name, most", [("lines", 12), ("shapes", 12)])
def test_lost_writes_of_vector_files(tmp_path, name, most):
    """Drivers that ignore failed writes, also of files of their own: the file is read back."""
    faults = Faults(tmp_path, name)
    chosen = [fault for fault in faults.all() if fault[0] == "write"]
    chosen = chosen if LONG else random.Random(3).sample(chosen, min(most, len(chosen)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [
            wrong
            for wrong in pool.map(faults.try_one, range(len(chosen)), chosen)
            if wrong is not None
        ]
    assert not found, f"{len(found)} of {len(chosen)}:\n" + "\n".join(found[:200])
