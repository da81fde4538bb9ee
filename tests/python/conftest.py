"""What the tests of the Python package share. GPUVORONOI_LIBRARY names the library that is tested."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = bool(os.environ.get("GPUVORONOI_LONG"))
USUAL_PATIENCE = 240  # seconds of one run
PATIENCE = float(
    os.environ.get("GPUVORONOI_PATIENCE", USUAL_PATIENCE)
)  # longer where programs count what they run


def python(code, *, timeout=60, **environment):
    """A fresh Python that runs `code`."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )


@pytest.fixture
def random():
    return np.random.default_rng(11)


def globe(random, count):
    """Places spread evenly over the sphere."""
    return random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))


def frames(random, crs="EPSG:3035"):
    geopandas = pytest.importorskip("geopandas")

    def frame(count, **columns):
        places = geopandas.points_from_xy(random.random(count) * 1e6, random.random(count) * 1e6)
        return geopandas.GeoDataFrame(columns, geometry=places, crs=crs)

    left = frame(50, name=list("abcde") * 10, v=np.arange(50))
    left.index = np.arange(100, 150)
    return left, frame(30, name=list("xyz") * 10, w=np.arange(30) * 1.5)


def with_holes(frame):
    """Rows without a place: no geometry, an empty one, coordinates that are none."""
    from shapely.geometry import Point

    frame, rows = frame.copy(), [0, 4, 7, len(frame) - 1]
    geometry = list(frame.geometry)
    for row, what in zip(rows, (None, Point(), Point(float("nan"), float("nan")), None)):
        geometry[row] = what
    frame["geometry"] = type(frame.geometry)(geometry, index=frame.index, crs=frame.crs)
    return frame, rows


def command():
    """The gpuvoronoi command; skips the test where it is not built."""
    found = os.environ.get("GPUVORONOI_COMMAND")
    if not found:
        pytest.skip("the gpuvoronoi command is not built")
    return found


# Interrupts CALL after a second, and prints the processor time that it went on for, by all threads, and the threads left.
INTERRUPTED = """
import os, signal, threading, time
import numpy as np, gpuvoronoi
random, at = np.random.default_rng(1), []

def interrupt(*_):
    at.append(time.process_time())
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
PREPARE
try:
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    CALL
except KeyboardInterrupt:
    print((time.process_time() - at[0]), threading.active_count())
"""


def check_interrupted(prepare, call):
    """A call stops within half a second of each processor's time (not of the clock's: tests run on busy machines)."""
    done = python(INTERRUPTED.replace("PREPARE", prepare).replace("CALL", call), timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    late, threads = done.stdout.split()
    assert float(late) < 0.5 * os.cpu_count() * PATIENCE / USUAL_PATIENCE and threads == "1"
