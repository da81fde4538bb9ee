"""What the tests of the Python package share. GPUVORONOI_LIBRARY names the library that is tested."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = bool(os.environ.get("GPUVORONOI_LONG"))


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
