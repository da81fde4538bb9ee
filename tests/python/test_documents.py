"""Examples in docstrings run; types are right by mypy --strict."""

import doctest
import importlib
import json
import os
import pathlib
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


def guide_s_first_map(monkeypatch):
    """What the first example of docs/python.md makes, as it is written."""
    pytest.importorskip("xarray")
    monkeypatch.chdir(ROOT)
    code = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1].split("```")[0]
    space = {}
    exec("\n".join(line for line in code.splitlines() if ".plot" not in line and "to_netcdf" not in line), space)
    return space


def test_the_guide_s_first_map(monkeypatch):
    answer = guide_s_first_map(monkeypatch)["answer"]
    assert answer["allocation"].shape == (1080, 2160) and float(answer["proximity"].max()) > 1e6


@pytest.fixture
def figure(tmp_path):
    """Makes figures, and saves them where GPUVORONOI_PICTURES says; docs/images has copies."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder = pathlib.Path(os.environ.get("GPUVORONOI_PICTURES", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    made = []

    def make(name, columns, **options):
        drawn, axes = pyplot.subplots(1, columns, constrained_layout=True, **options)
        made.append((drawn, folder / f"{name}.png"))
        return axes

    yield make
    for drawn, path in made:
        drawn.savefig(path, dpi=80)
        picture = pyplot.imread(path)
        assert picture.shape[0] > 200 and len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 100, path
        pyplot.close(drawn)


def coast(axes):
    for feature in json.loads((ROOT / "data" / "land.geojson").read_text())["features"]:
        shape = feature["geometry"]
        for polygon in [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]:
            for ring in polygon:
                axes.plot(*np.transpose(ring), color="black", linewidth=0.4)


def test_picture_of_the_first_map(monkeypatch, figure):
    space = guide_s_first_map(monkeypatch)
    answer, places = space["answer"], space["places"]
    left, right = figure("python-map", 2, figsize=(13, 3.4))
    answer["allocation"][::2, ::2].copy(data=answer["allocation"][::2, ::2].data * 7 % 20).plot(ax=left, cmap="tab20", add_colorbar=False)
    left.plot(places["lon"], places["lat"], ".", color="black", markersize=2)
    (answer["proximity"][::2, ::2] / 1000).plot(ax=right, cmap="viridis_r", cbar_kwargs={"label": "km to the nearest place"})
    for axes, title in ((left, "allocation"), (right, "proximity")):
        coast(axes)
        axes.set(title=title, xlabel="", ylabel="", xlim=(-180, 180), ylim=(-90, 90))


def test_picture_of_neighbours(figure):
    """The three nearest of places right across ±180°, and how far they are."""
    pandas, geopandas = pytest.importorskip("pandas"), pytest.importorskip("geopandas")
    table = pandas.read_csv(ROOT / "data" / "timezones.csv")
    places = geopandas.GeoDataFrame(table, geometry=geopandas.points_from_xy(table.lon, table.lat), crs="EPSG:4326")
    ships = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy([-179, 179.5, -150, -120, 160, 175], [-12, -25, 10, -30, 35, -45]),
                                   crs="EPSG:4326")
    joined = gpuvoronoi.sjoin_nearest(ships, places, k=3, distance_col="metres")
    assert len(joined) == 18 and (joined.metres > 0).all()
    axes = figure("python-neighbours", 1, figsize=(9, 4.4))
    coast(axes)
    shifted = 360 + table.lon.where(table.lon < 0, table.lon - 360)
    axes.plot(shifted, table.lat, ".", color="tab:gray", markersize=4)
    for (ship, row) in joined.iterrows():
        start, end = ships.geometry[ship], places.geometry[row.index_right]
        axes.plot([start.x % 360, end.x % 360], [start.y, end.y], color="tab:blue", linewidth=1)
        axes.annotate(f"{row.metres / 1000:,.0f} km", (end.x % 360, end.y), fontsize=6)
    axes.plot(ships.geometry.x % 360, ships.geometry.y, "o", color="tab:red", markersize=5)
    axes.set(title="sjoin_nearest(ships, places, k=3)", xlim=(120, 260), ylim=(-60, 60))
