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
PATIENCE = float(os.environ.get("GPUVORONOI_PATIENCE", USUAL_PATIENCE))  # longer where programs count what they run


def python(code, *, timeout=60, **environment):
    """A fresh Python that runs `code`."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **environment})


@pytest.fixture
def random():
    return np.random.default_rng(11)


def globe(random, count):
    """Places spread evenly over the sphere."""
    return random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))


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
