"""What datasets of one process share, and when files have changed."""

import json
import os
import subprocess
import sys

import numpy as np
from osgeo import gdal

from conftest import alike, live, text


def settle(work, name):
    """A time of its own, long ago: what has just been written is not trusted to stay as it is."""
    settle.time = getattr(settle, "time", 10**9) + 1
    os.utime(work.path(name), (settle.time, settle.time))


def write(work, name, x):
    work.csv(name, x, [0.0] * len(x))
    settle(work, name)


def test_changes_are_noticed_at_the_next_opening(work):
    write(work, "s.csv", [-90, 90])
    first = live(work, seeds="s.csv", size=[40, 20])
    old = first.ReadAsArray()
    write(work, "s.csv", [-90, 0, 90])
    second = live(work, seeds="s.csv", size=[40, 20])
    new = second.ReadAsArray()
    assert set(np.unique(old)) == {1, 2} and set(np.unique(new)) == {1, 2, 3}
    assert alike(first.ReadAsArray(), old)  # as it was opened
    assert alike(live(work, seeds="s.csv", size=[40, 20]).ReadAsArray(), new)


def test_changes_of_other_sources(sources):
    question = dict(seeds="globe.csv", like="like.tif", mask="classes.tif")
    for name in question.values():
        settle(sources, name)
    before = live(sources, **question).ReadAsArray(0, 0, 100, 100)
    mask = gdal.Open(str(sources.path("classes.tif")), gdal.GA_Update)
    mask.GetRasterBand(1).Fill(1)
    mask = None
    settle(sources, "classes.tif")
    after = live(sources, **question).ReadAsArray(0, 0, 100, 100)
    assert (before == -1).any() and not alike(before, after) and (after != -1).all()


def test_changes_in_a_database(sources):
    """Those that stand in its log so far, too."""
    name = str(sources.path("layers.gpkg"))
    writer = gdal.OpenEx(name, gdal.OF_VECTOR | gdal.OF_UPDATE)
    writer.ExecuteSQL("PRAGMA journal_mode = WAL")
    settle(sources, "layers.gpkg")
    count = live(sources, seeds="layers.gpkg", size=[20, 10]).GetMetadataItem("GPUVORONOI_SEED_COUNT")
    writer.ExecuteSQL("DELETE FROM places WHERE fid > 100")
    settle(sources, "layers.gpkg-wal")
    again = live(sources, seeds="layers.gpkg", size=[20, 10]).GetMetadataItem("GPUVORONOI_SEED_COUNT")
    assert (count, again) == ("300", "100")


def test_seeds_that_change_between_opening_and_reading(work):
    """The first value is that of the seeds as they are then, if the raster is still what it was said to be."""
    write(work, "s.csv", [-90, 90])
    dataset = live(work, seeds="s.csv", size=[40, 20])
    write(work, "s.csv", [-90, 0, 90])
    assert set(np.unique(dataset.ReadAsArray())) == {1, 2, 3}
    work.csv("g.csv", [1, 2], [3, 4], no=[1, 2])
    dataset = live(work, seeds="g.csv", id="no", size=[40, 20])  # of which the whole column was looked at
    again = live(work, seeds="g.csv", id="no", size=[40, 20])
    assert alike(dataset.ReadAsArray(), again.ReadAsArray())


RESIDENT = """
import resource
from osgeo import gdal
gdal.UseExceptions()
import sys

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])

def use(times):
    for i in range(times):
        dataset = gdal.Open(sys.argv[1])
        dataset.ReadAsArray(0, 0, 30, 20)
        if i % 20 == 0:
            dataset.GetRasterBand(1).GetDefaultRAT()
            dataset.GetRasterBand(1).GetOverview(0).ReadAsArray(0, 0, 10, 10)
        dataset = None
"""


def run(script, *arguments):
    done = subprocess.run([sys.executable, "-c", RESIDENT + script, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_thousand_openings(sources):
    """Memory does not grow, nor do files stay open (in the short tier: two hundred)."""
    times = 1000 if os.environ.get("GPUVORONOI_LONG") else 200
    script = f"use(60); times = {times}" + """
import os
before, files = resident(), len(os.listdir("/proc/self/fd"))
use(times)
print(resident() - before, len(os.listdir("/proc/self/fd")) - files)
"""
    grown, files = map(int, run(script, text(sources, seeds="globe.csv", mask="land.gpkg", size=[257, 20])))
    assert grown < 4000 and files == 0


def test_seeds_are_read_once(work):
    """Datasets of one source share them: what many open takes the memory of one."""
    random = np.random.default_rng(2)
    work.csv("many.csv", random.uniform(-180, 180, 50000), random.uniform(-80, 80, 50000))
    settle(work, "many.csv")
    script = """
first = gdal.Open(sys.argv[1])
first.ReadAsArray(0, 0, 9, 9)
one = resident()
more = [gdal.Open(sys.argv[1]) for _ in range(40)]
for dataset in more:
    dataset.ReadAsArray(0, 0, 9, 9)
print(resident() - one)
"""
    grown, = map(int, run(script, text(work, seeds="many.csv", size=[300, 150])))
    assert grown < 40000  # 40 lists of them have 100,000 and more


def test_given_back_with_the_last(work):
    """After all are closed a file that looks the same is read again."""
    write(work, "s.csv", [-90, 90])
    stamp = os.stat(work.path("s.csv"))
    assert set(np.unique(gdal.Open(text(work, seeds="s.csv", size=[40, 20])).ReadAsArray())) == {1, 2}
    data = work.path("s.csv").read_bytes().replace(b"90.0,0.0", b"90.0,1.0")
    work.path("s.csv").write_bytes(data)
    os.utime(work.path("s.csv"), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert os.stat(work.path("s.csv")).st_size == stamp.st_size
    work.ok("--seeds", "s.csv", "--size", "40,20", "--distance", "d.tif")
    found = gdal.Open(text(work, seeds="s.csv", size=[40, 20], bands=["distance"])).ReadAsArray()
    assert alike(found, work.read("d.tif"))


def test_just_written(work):
    """Files that change faster than their times tell."""
    source = "/vsimem/driver.geojson"
    opened = []
    for x in (10, 20):
        gdal.FileFromMemBuffer(source, json.dumps({"type": "Point", "coordinates": [x, 0]}).encode())
        opened.append(gdal.Open("VORONOI:" + json.dumps({"seeds": source, "bands": ["distance"], "size": [36, 18], "extent": [0, -90, 360, 90]})))
    assert [np.argmin(dataset.ReadAsArray()[9]) // 1 in (x // 10 - 1, x // 10) for dataset, x in zip(opened, (10, 20))] == [True, True]
    assert not alike(opened[0].ReadAsArray(), opened[1].ReadAsArray())
    gdal.Unlink(source)


def test_seeds_of_no_file(work):
    inline = json.dumps({"type": "Point", "coordinates": [5, 5]})
    assert (gdal.Open("VORONOI:" + json.dumps({"seeds": inline, "size": [36, 18]})).ReadAsArray() == 0).all()
