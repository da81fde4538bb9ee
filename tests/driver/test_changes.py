"""Files that change, and datasets that come and go."""

import json
import os
import subprocess
import sys

import numpy as np
from osgeo import gdal

from conftest import alike, live, text


def write(work, name, x):
    work.csv(name, x, [0.0] * len(x))


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
    before = live(sources, **question).ReadAsArray(0, 0, 100, 100)
    mask = gdal.Open(str(sources.path("classes.tif")), gdal.GA_Update)
    mask.GetRasterBand(1).Fill(1)
    mask = None
    after = live(sources, **question).ReadAsArray(0, 0, 100, 100)
    assert (before == -1).any() and not alike(before, after) and (after != -1).all()


def test_changes_in_a_database(sources):
    """Those that stand in its log so far, too."""
    name = str(sources.path("layers.gpkg"))
    writer = gdal.OpenEx(name, gdal.OF_VECTOR | gdal.OF_UPDATE)
    writer.ExecuteSQL("PRAGMA journal_mode = WAL")
    count = live(sources, seeds="layers.gpkg", size=[20, 10]).GetMetadataItem(
        "GPUVORONOI_SEED_COUNT"
    )
    writer.ExecuteSQL("DELETE FROM places WHERE fid > 100")
    again = live(sources, seeds="layers.gpkg", size=[20, 10]).GetMetadataItem(
        "GPUVORONOI_SEED_COUNT"
    )
    assert (count, again) == ("300", "100")


def test_seeds_that_change_between_opening_and_reading(work):
    """The first value is that of the seeds as they are then, if the raster is still what it was said to be."""
    write(work, "s.csv", [-90, 90])
    dataset = live(work, seeds="s.csv", size=[40, 20])
    write(work, "s.csv", [-90, 0, 90])
    assert set(np.unique(dataset.ReadAsArray())) == {1, 2, 3}
    work.csv("g.csv", [1, 2], [3, 4], no=[1, 2])
    dataset = live(
        work, seeds="g.csv", id="no", size=[40, 20]
    )  # of which the whole column was looked at
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
    done = subprocess.run(
        [sys.executable, "-c", RESIDENT + script, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_thousand_openings(sources):
    """Memory does not grow, nor do files stay open (in the short tier: two hundred)."""
    times = 1000 if os.environ.get("GPUVORONOI_LONG") else 200
    script = (
        f"use(60); times = {times}"
        + """
import os
before, files = resident(), len(os.listdir("/proc/self/fd"))
use(times)
print(resident() - before, len(os.listdir("/proc/self/fd")) - files)
"""
    )
    grown, files = map(
        int, run(script, text(sources, seeds="globe.csv", mask="land.gpkg", size=[257, 20]))
    )
    assert grown < 4000 and files == 0


def test_blocks_are_kept_within_the_cache(sources):
    """Those that were used longest ago give way: 138 MB of distances go through a cache of 8 MB."""
    script = """
gdal.SetCacheMax(8 << 20)
dataset = gdal.Open(sys.argv[1])
dataset.ReadAsArray(0, 0, 6000, 250)
before = resident()
for y in range(0, 5750, 250):
    dataset.ReadAsArray(0, y, 6000, 250)
print(resident() - before)
"""
    (grown,) = map(
        int, run(script, text(sources, seeds="globe.csv", bands=["distance"], size=[6000, 5750]))
    )
    assert grown < 40000


def test_each_opening_reads(work):
    """Also a file that looks the same, while another dataset of it is open."""
    write(work, "s.csv", [-90, 90])
    stamp = os.stat(work.path("s.csv"))
    first = live(work, seeds="s.csv", size=[40, 20], bands=["distance"])
    old = first.ReadAsArray()
    data = work.path("s.csv").read_bytes().replace(b"90.0,0.0", b"90.0,1.0")
    work.path("s.csv").write_bytes(data)
    os.utime(work.path("s.csv"), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert os.stat(work.path("s.csv")).st_size == stamp.st_size
    work.ok("--seeds", "s.csv", "--size", "40,20", "--distance", "d.tif")
    found = gdal.Open(text(work, seeds="s.csv", size=[40, 20], bands=["distance"])).ReadAsArray()
    assert (
        alike(found, work.read("d.tif"))
        and not alike(found, old)
        and alike(first.ReadAsArray(), old)
    )


def test_just_written(work):
    """Files that change faster than the resolution of their times."""
    source = "/vsimem/driver.geojson"
    opened = []
    for x in (10, 20):
        gdal.FileFromMemBuffer(
            source, json.dumps({"type": "Point", "coordinates": [x, 0]}).encode()
        )
        opened.append(
            gdal.Open(
                "VORONOI:"
                + json.dumps(
                    {
                        "seeds": source,
                        "bands": ["distance"],
                        "size": [36, 18],
                        "extent": [0, -90, 360, 90],
                    }
                )
            )
        )
    assert [
        np.argmin(dataset.ReadAsArray()[9]) // 1 in (x // 10 - 1, x // 10)
        for dataset, x in zip(opened, (10, 20))
    ] == [True, True]
    assert not alike(opened[0].ReadAsArray(), opened[1].ReadAsArray())
    gdal.Unlink(source)


def test_seeds_of_no_file(work):
    inline = json.dumps({"type": "Point", "coordinates": [5, 5]})
    assert (
        gdal.Open("VORONOI:" + json.dumps({"seeds": inline, "size": [36, 18]})).ReadAsArray() == 0
    ).all()
