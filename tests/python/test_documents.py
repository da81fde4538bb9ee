"""Examples in docstrings run; types are right by mypy --strict."""

import doctest
import importlib
import json
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import LONG, ROOT

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


@pytest.mark.parametrize("name", ["nearest_hospitals", "distance_cube"])
def test_notebooks_run(name, tmp_path):
    """As plain code always, which is quick; by Jupyter in the long tier."""
    for needed in ("geopandas", "xarray", "dask.array"):
        pytest.importorskip(needed)
    source = ROOT / "docs" / "examples" / f"{name}.ipynb"
    code = "\n\n".join("".join(cell["source"]) for cell in json.loads(source.read_text())["cells"] if cell["cell_type"] == "code")
    exec(compile(code, str(source), "exec"), {"__name__": "notebook"})
    if LONG:
        pytest.importorskip("nbconvert")
        pytest.importorskip("ipykernel")
        subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), str(source)],
                       check=True)


def test_the_guide_s_first_map(monkeypatch):
    """The first example of docs/python.md, as it is written."""
    pytest.importorskip("xarray")
    monkeypatch.chdir(ROOT)
    code = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1].split("```")[0]
    space = {}
    exec("\n".join(line for line in code.splitlines() if ".plot" not in line and "to_netcdf" not in line), space)
    assert space["answer"]["allocation"].shape == (1080, 2160) and float(space["answer"]["proximity"].max()) > 1e6
