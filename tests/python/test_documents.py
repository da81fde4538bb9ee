"""Examples in docstrings run; types are right by mypy --strict."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import gpuvoronoi

MODULES = ["gpuvoronoi"] + [f"gpuvoronoi.{found.name}" for found in pkgutil.iter_modules(gpuvoronoi.__path__)]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_run(name):
    with np.printoptions(legacy=False):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_what_is_public_has_documentation():
    for name in gpuvoronoi.__all__:
        if not name.startswith("_"):
            assert getattr(gpuvoronoi, name).__doc__, name


def test_types():
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode != 0:
        pytest.skip("mypy is not installed")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=/dev/null"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
