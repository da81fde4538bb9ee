"""Threads, forks, and cancelling."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from osgeo import gdal

from conftest import alike, live, text

QUESTION = dict(seeds="globe.csv", size=[1500, 700], k=2, bands=["id", "distance"])


def together(work, count):
    """Runs work(number) in so many threads at once; gives what they return."""
    results, errors, gate = [None] * count, [], threading.Barrier(count)

    def run(number):
        try:
            gate.wait()
            results[number] = work(number)
        except BaseException as error:  # reported by the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    return results


def test_datasets_of_their_own(sources):
    """As QGIS renders: each thread opens the same raster, at the same moment, and reads parts and overviews of it."""
    expected = live(sources, **QUESTION, threads=1)
    sums = [expected.GetRasterBand(i).Checksum() for i in (1, 2, 4)]
    small = expected.GetRasterBand(1).GetOverview(1).ReadAsArray()
    name = text(sources, **QUESTION)

    def work(number):
        dataset = gdal.Open(name)
        if number % 2:
            overview = dataset.GetRasterBand(1).GetOverview(1).ReadAsArray()
        found = [dataset.GetRasterBand(i).Checksum() for i in (1, 2, 4)]
        if number % 2 == 0:
            overview = dataset.GetRasterBand(1).GetOverview(1).ReadAsArray()
        return (
            found == sums
            and alike(overview, small)
            and dataset.GetRasterBand(1).GetDefaultRAT().GetRowCount() == 300
        )

    assert all(together(work, 8))


def test_one_dataset_after_the_other(sources):
    """A dataset that one thread has opened and read is read and closed by others, one at a time."""
    whole = live(sources, **QUESTION, threads=1).ReadAsArray()
    dataset = [gdal.Open(text(sources, **QUESTION))]

    def work(number):
        x, y = 100 * number, 40 * number
        return alike(
            dataset[0].ReadAsArray(x, y, 500, 300),
            np.ascontiguousarray(whole[:, y : y + 300, x : x + 500]),
        )

    for number in range(4):
        assert all(together(lambda _: work(number), 1))
    together(lambda _: dataset.clear(), 1)


def test_errors_of_others(sources):
    """Each thread has its own messages: what fails in one is nothing to the others."""
    sources.write("bad.gpkg", "no database")

    def work(number):
        for i in range(25):
            if number % 2:
                with pytest.raises(RuntimeError, match="bad.gpkg"):
                    gdal.Open(text(sources, seeds="bad.gpkg"))
                with pytest.raises(RuntimeError, match=rf"unknown field \(none{number}\)"):
                    gdal.Open(text(sources, seeds="globe.csv", id=f"none{number}"))
            else:
                dataset = gdal.Open(
                    text(
                        sources,
                        seeds="layers.gpkg",
                        mask="land.gpkg",
                        size=[20 + 30 * number + i, 10],
                    )
                )
                assert dataset.ReadAsArray().shape == (10, 20 + 30 * number + i)
        return True

    assert all(together(work, 6))


@pytest.mark.parametrize("before", ["opened", "read"])
def test_fork(sources, before):
    """A child reads what its parent has opened; each has threads of its own."""
    script = """
import os, sys
from osgeo import gdal
gdal.UseExceptions()
dataset = gdal.Open(sys.argv[1])
if sys.argv[2] == "read":
    dataset.ReadAsArray(0, 0, 300, 300)
children = []
for i in range(3):
    child = os.fork()
    if child == 0:
        os._exit(dataset.GetRasterBand(1).Checksum() % 251)
    children.append(child)
codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
print(codes == {dataset.GetRasterBand(1).Checksum() % 251})
"""
    done = subprocess.run(
        [sys.executable, "-c", script, text(sources, **QUESTION), before],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stdout == "True\n", done.stderr


def test_progress_stops_it(sources):
    """After cancelling, progress is not called again and no more blocks are computed; the next reading is complete."""
    expected = live(sources, **QUESTION, threads=3).ReadAsArray()
    asked = []

    def stop(fraction, message, data):
        asked.append(fraction)
        return 0

    for threads in (1, 2):
        dataset = live(sources, **QUESTION, threads=threads)
        for read in (dataset, dataset.GetRasterBand(1)):
            asked.clear()
            with pytest.raises(RuntimeError, match="cancelled"):
                read.ReadAsArray(callback=stop)
            assert len(asked) == 1 and (threads > 1 or asked == [1 / 18])
        told = []
        again = dataset.ReadAsArray(
            callback=lambda fraction, message, data: told.append(fraction) or 1
        )
        assert told == sorted(told) and told[-1] == 1
        assert alike(again, expected)


@pytest.mark.parametrize("threads", ["1", "4"])
def test_warping_in_threads(sources, threads):
    """gdalwarp -multi: what is warped is what is warped from the command's file."""
    sources.ok("--seeds", "globe.csv", "--size", "1500,700", "id.tif")
    made = []
    for name, source in (
        ("a.tif", str(sources.path("id.tif"))),
        ("b.tif", text(sources, seeds="globe.csv", size=[1500, 700])),
    ):
        done = subprocess.run(
            [
                "gdalwarp",
                "-q",
                "-multi",
                "-wo",
                f"NUM_THREADS={threads}",
                "-t_srs",
                "EPSG:3035",
                "-te",
                "2500000",
                "1400000",
                "7400000",
                "5500000",
                "-tr",
                "10000",
                "10000",
                source,
                str(sources.path(name)),
            ],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        made.append(sources.read(name))
    assert alike(*made) and len(np.unique(made[0])) > 20
