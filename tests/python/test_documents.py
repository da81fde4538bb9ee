"""Examples in docstrings run; types are right by mypy --strict."""

import ast
import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import LONG, ROOT

import gpuvoronoi

OPTIONAL = {
    "gpuvoronoi.arrow": "pyarrow",
    "gpuvoronoi.sklearn": "sklearn",
    "gpuvoronoi.xarray": "xarray",
}
MODULES = ["gpuvoronoi"] + [
    f"gpuvoronoi.{found.name}"
    for found in pkgutil.iter_modules(gpuvoronoi.__path__)
    if not found.name.startswith("lib")  # the library of an installed package
]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_run(name):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    with np.printoptions(legacy=False):
        failed, _ = doctest.testmod(
            importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
        )
    assert failed == 0


def test_what_is_public_has_documentation():
    for name in gpuvoronoi.__all__:
        if not name.startswith("_"):
            assert getattr(gpuvoronoi, name).__doc__, name


def test_types():
    if (
        subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode
        != 0
    ):
        pytest.skip("mypy is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir=/dev/null"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def meters(lon, lat, other_lon, other_lat):
    """Geodesics of PROJ on WGS 84, of all pairs that the arrays broadcast to."""
    lon, lat, other_lon, other_lat = (
        np.array(part, float) for part in np.broadcast_arrays(lon, lat, other_lon, other_lat)
    )
    return pytest.importorskip("pyproj").Geod(ellps="WGS84").inv(lon, lat, other_lon, other_lat)[2]


def check_hospitals(space):
    """Every home and hospital, every cell and hospital."""
    homes, hospitals = space["homes"], space["hospitals"]
    x, y = hospitals.geometry.x.to_numpy(), hospitals.geometry.y.to_numpy()
    away = meters(homes.geometry.x.to_numpy()[:, None], homes.geometry.y.to_numpy()[:, None], x, y)
    order = np.argsort(away, axis=1)
    nearest, first = space["nearest"], space["first"]
    assert (nearest.index.to_numpy() == np.repeat(homes.index, 3)).all()
    assert (nearest["index_right"].to_numpy().reshape(-1, 3) == order[:, :3]).all()
    np.testing.assert_allclose(
        nearest["meters"].to_numpy().reshape(-1, 3), np.sort(away, axis=1)[:, :3], rtol=0, atol=1e-6
    )
    assert (
        nearest["beds"].to_numpy() == hospitals["beds"].to_numpy()[nearest["index_right"]]
    ).all()
    assert (first["index_right"].to_numpy() == order[:, 0]).all()
    assert space["mean"] == pytest.approx(
        (away.min(axis=1) * homes["people"]).sum() / homes["people"].sum() / 1000, rel=1e-12
    )
    people = first.groupby("index_right")["people"].sum()
    assert people.to_dict() == {
        number: homes["people"][order[:, 0] == number].sum()
        for number in range(12)
        if (order[:, 0] == number).any()
    }
    # 300 rows of 0.01 degrees, 500 columns over the antimeridian; the areas of rows add up to that of their zone.
    rows, columns = -16 - (np.arange(300) + 0.5) * 0.01, 177 + (np.arange(500) + 0.5) * 0.01
    cells = np.stack([meters(columns, rows[:, None], *place) for place in zip(x, y)])
    owner, regions = cells.argmin(axis=0), space["regions"]
    assert (regions["cells"].to_numpy() == np.bincount(owner.ravel(), minlength=12)).all()

    def north_of_equator(
        degrees,
    ):  # the area from there to the equator, of one degree of longitude: Snyder 1987, 3-12
        e2 = 2 / 298.257223563 - 1 / 298.257223563**2
        sine, e = np.sin(np.radians(degrees)), np.sqrt(e2)
        return (
            6378137.0**2
            * (1 - e2)
            * (sine / (1 - e2 * sine**2) / 2 + np.arctanh(e * sine) / (2 * e))
            * np.radians(1)
        )

    of_row = (north_of_equator(rows + 0.005) - north_of_equator(rows - 0.005)) * 0.01 / 1e6
    of_cell = np.broadcast_to(of_row[:, None], owner.shape)
    areas = np.bincount(owner.ravel(), of_cell.ravel(), minlength=12)
    np.testing.assert_allclose(regions["area_km2"], areas, rtol=1e-9)
    nearest_cells = cells.min(axis=0)
    means = np.bincount(owner.ravel(), (nearest_cells * of_cell).ravel(), minlength=12) / areas
    np.testing.assert_allclose(regions["distance_mean"], means, rtol=1e-9)
    np.testing.assert_allclose(
        regions["distance_max"],
        [nearest_cells[owner == number].max() for number in range(12)],
        rtol=0,
        atol=1e-6,
    )


def check_cube(space):
    """Some cells of every year and every station."""
    cube = space["cube"].compute()
    random = np.random.default_rng(5)
    rows, columns = random.integers(0, 480, 300), random.integers(0, 800, 300)
    away = meters(
        cube.lon.to_numpy()[columns, None],
        cube.lat.to_numpy()[rows, None],
        space["lon"],
        space["lat"],
    )
    for number, year in enumerate(range(2000, 2006)):
        expected = away[:, space["begun"] <= year].min(axis=1)
        np.testing.assert_allclose(cube.to_numpy()[number, rows, columns], expected, rtol=1e-7)
    weight = np.cos(np.radians(cube.lat.to_numpy()))[:, None] * np.ones(800)
    means = [
        (slice_of_year * weight).sum() / weight.sum() / 1000
        for slice_of_year in cube.to_numpy().astype(float)
    ]
    np.testing.assert_allclose(space["mean"], means, rtol=1e-5)
    assert cube.year.to_numpy().tolist() == list(range(2000, 2006))


def returned(function):
    """The type of its result, without the types of the numbers in arrays."""
    text = ast.unparse(function.returns) if function.returns else "Any"
    return re.sub(r"(NDArray|integer|floating|dtype)\[Any\]", r"\1", text)


def test_types_of_results():
    """No public function returns Any; where signatures differ, none of them."""
    vague, seen = [], 0
    for name in MODULES:
        module = name.rpartition(".")[2]
        if module.startswith("_") or name == "gpuvoronoi":
            continue
        tree = ast.parse((ROOT / "python" / "gpuvoronoi" / f"{module}.py").read_text())
        public = {*gpuvoronoi.__all__}
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                public |= {*ast.literal_eval(node.value)}
        shown = [node for node in tree.body if getattr(node, "name", "_") in public]
        classes = [node.body for node in shown if isinstance(node, ast.ClassDef)]
        for body in [shown, *classes]:
            found = [one for one in body if isinstance(one, ast.FunctionDef)]
            found = [one for one in found if not one.name.startswith("_")]
            overloads = [one for one in found if "overload" in map(ast.unparse, one.decorator_list)]
            names = {one.name for one in overloads}
            for one in [*overloads, *(other for other in found if other.name not in names)]:
                seen += 1
                if re.search(r"\bAny\b", returned(one)):
                    vague.append(f"{module}.{one.name} -> {returned(one)}")
    assert seen > 80 and not vague, vague


@pytest.mark.parametrize(
    "name,check", [("nearest_hospitals", check_hospitals), ("distance_cube", check_cube)]
)
def test_notebooks_are_right(name, check, tmp_path):
    """As plain code always, which is quick; by Jupyter in the long tier. What they make is compared with PROJ's distances of all pairs."""
    for needed in ("geopandas", "xarray", "dask.array"):
        pytest.importorskip(needed)
    source = ROOT / "docs" / "examples" / f"{name}.ipynb"
    code = "\n\n".join(
        "".join(cell["source"])
        for cell in json.loads(source.read_text())["cells"]
        if cell["cell_type"] == "code"
    )
    space = {"__name__": "notebook"}
    exec(compile(code, str(source), "exec"), space)
    check(space)
    if LONG:
        pytest.importorskip("nbconvert")
        pytest.importorskip("ipykernel")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "nbconvert",
                "--to",
                "notebook",
                "--execute",
                "--output-dir",
                str(tmp_path),
                str(source),
            ],
            check=True,
        )


def guide_s_first_map(monkeypatch):
    """What the first example of docs/python.md makes, as it is written."""
    pytest.importorskip("xarray")
    monkeypatch.chdir(ROOT)
    code = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1].split("```")[0]
    space = {}
    exec(
        "\n".join(
            line for line in code.splitlines() if ".plot" not in line and "to_netcdf" not in line
        ),
        space,
    )
    return space


def test_the_guide_s_first_map(monkeypatch):
    space = guide_s_first_map(monkeypatch)
    answer, places = space["answer"], space["places"]
    assert answer["allocation"].shape == (1080, 2160) and float(answer["proximity"].max()) > 1e6
    random = np.random.default_rng(6)
    rows, columns = random.integers(0, 1080, 400), random.integers(0, 2160, 400)
    at = answer.isel(
        {
            answer["allocation"].dims[0]: rows.tolist(),
            answer["allocation"].dims[1]: columns.tolist(),
        }
    )
    lat, lon = (at[name].to_numpy() for name in answer["allocation"].dims)
    away = meters(lon[:, None], lat[:, None], places["lon"], places["lat"])
    assert (np.diagonal(at["allocation"].to_numpy()) == away.argmin(axis=1)).all()
    np.testing.assert_allclose(np.diagonal(at["proximity"].to_numpy()), away.min(axis=1), rtol=1e-7)


def guide_s_space(geopandas, xarray, random):
    """What the blocks of docs/python.md have from the reader."""
    lon, lat = random.uniform(0, 20, 30), random.uniform(40, 60, 30)

    def frame(count, **columns):
        at = geopandas.points_from_xy(random.uniform(0, 20, count), random.uniform(40, 60, count))
        return geopandas.GeoDataFrame(columns, geometry=at, crs="EPSG:4326")

    def lines():
        from shapely.geometry import LineString

        made = [LineString([place, (place[0] + 1, place[1])]) for place in zip(lon, lat)]
        return geopandas.GeoDataFrame(geometry=made, crs="EPSG:4326")

    def read(path):
        return (
            geopandas.read_file(ROOT / "data" / path)
            if path == "land.geojson"
            else frame(30, temperature=lon)
        )

    axes = {"lat": np.arange(59.5, 40, -1.0), "lon": np.arange(0.5, 20)}
    people = xarray.DataArray(random.random((1, 20, 20)), axes, ("band", "lat", "lon"))
    grid = (
        (("row", "column"), np.tile(axes["lon"], (20, 1))),
        (("row", "column"), np.tile(axes["lat"], (20, 1)).T),
    )
    named = [
        (values[0], values[1], {"standard_name": name})
        for name, values in zip(("longitude", "latitude"), grid)
    ]
    ocean = xarray.Dataset(
        {"heat": (("row", "column"), random.random((20, 20)))}, dict(zip(("lon", "lat"), named))
    )
    rasters = SimpleNamespace(open_rasterio=lambda path: people)
    fields = SimpleNamespace(open_mfdataset=lambda pattern, chunks: ocean, indexes=None)
    return {
        "np": np,
        "gpuvoronoi": gpuvoronoi,
        "geopandas": SimpleNamespace(read_file=read),
        "rioxarray": rasters,
        "xarray": fields,
        "lon": lon,
        "lat": lat,
        "hourly": random.random((24, 30)),
        "pressure": random.random(30),
        "data": random.random((50, 3)),
        "x": random.random((9, 3)),
        "vectors": random.random((50, 3)),
        "rivers": lines(),
        "roads": lines(),
        "homes": frame(40),
        "hospitals": frame(5),
    }


def test_blocks_of_the_guide():
    """All but those for GPUs, and calls of packages that are not here, statement by statement."""
    geopandas, xarray = pytest.importorskip("geopandas"), pytest.importorskip("xarray")
    space = guide_s_space(geopandas, xarray, np.random.default_rng(7))
    elsewhere = re.compile(r"torch|cupy|parquet_file|NDPointIndex|\.chunk\(|to_zarr|like=like")
    blocks = (ROOT / "docs" / "python.md").read_text().split("```python\n")[2:]
    run = 0
    for block in blocks:
        code = block.split("```")[0]
        for statement in ast.parse(code).body:
            text = ast.get_source_segment(code, statement)
            if not elsewhere.search(text):
                exec(text, space)
                run += 1
    assert run > 17 and (space["meters"] >= 0).all()


@pytest.mark.parametrize("page", ["barriers", "diagram"])
def test_blocks_of_other_pages(page):
    geopandas = pytest.importorskip("geopandas")
    xarray = pytest.importorskip("xarray")
    from shapely.geometry import LineString

    random = np.random.default_rng(8)
    at = geopandas.points_from_xy(random.uniform(0, 20, 9), random.uniform(40, 60, 9))
    points = geopandas.GeoDataFrame({"name": list("abcdefghi")}, geometry=at, crs="EPSG:4326")
    wall = geopandas.GeoDataFrame(geometry=[LineString([(0, 50), (15, 50)])], crs="EPSG:4326")
    read = {"barriers.gpkg": wall, "wells.gpkg": points, "airports.gpkg": points}
    axes = {"lat": np.arange(59.5, 40, -1.0), "lon": np.arange(0.5, 20)}
    template = xarray.DataArray(np.zeros((20, 20)), axes, ("lat", "lon"))
    space = {"template": template}
    (block,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "docs" / f"{page}.md").read_text(), re.M | re.S
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geopandas, "read_file", lambda path: read[path])
        exec(block, space)
    if page == "barriers":
        straight = gpuvoronoi.proximity(points, like=template)
        assert space["way"].shape == (20, 20) and (space["way"] > straight).any()
    else:
        assert list(space["cells"]["name"]) == list("abcdefghi")
        assert set(space["cells"].geom_type) <= {"Polygon", "MultiPolygon"}


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
        assert (
            picture.shape[0] > 200
            and len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 100
        ), path
        pyplot.close(drawn)


def coast(axes):
    for feature in json.loads((ROOT / "data" / "land.geojson").read_text())["features"]:
        shape = feature["geometry"]
        for polygon in (
            [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]
        ):
            for ring in polygon:
                axes.plot(*np.transpose(ring), color="black", linewidth=0.4)


def test_picture_of_the_first_map(monkeypatch, figure):
    space = guide_s_first_map(monkeypatch)
    answer, places = space["answer"], space["places"]
    left, right = figure("python-map", 2, figsize=(13, 3.4))
    answer["allocation"][::2, ::2].copy(data=answer["allocation"][::2, ::2].data * 7 % 20).plot(
        ax=left, cmap="tab20", add_colorbar=False
    )
    left.plot(places["lon"], places["lat"], ".", color="black", markersize=2)
    (answer["proximity"][::2, ::2] / 1000).plot(
        ax=right, cmap="viridis_r", cbar_kwargs={"label": "km to the nearest place"}
    )
    for axes, title in ((left, "allocation"), (right, "proximity")):
        coast(axes)
        axes.set(title=title, xlabel="", ylabel="", xlim=(-180, 180), ylim=(-90, 90))


def test_picture_of_neighbors(figure):
    """The three nearest of places right across ±180°, and how far they are."""
    pandas, geopandas = pytest.importorskip("pandas"), pytest.importorskip("geopandas")
    table = pandas.read_csv(ROOT / "data" / "timezones.csv")
    places = geopandas.GeoDataFrame(
        table, geometry=geopandas.points_from_xy(table.lon, table.lat), crs="EPSG:4326"
    )
    ships = geopandas.GeoDataFrame(
        geometry=geopandas.points_from_xy(
            [-179, 179.5, -150, -120, 160, 175], [-12, -25, 10, -30, 35, -45]
        ),
        crs="EPSG:4326",
    )
    joined = gpuvoronoi.sjoin_nearest(ships, places, k=3, distance_col="meters")
    assert len(joined) == 18 and (joined.meters > 0).all()
    axes = figure("python-neighbors", 1, figsize=(11, 6))
    coast(axes)
    shifted = 360 + table.lon.where(table.lon < 0, table.lon - 360)
    axes.plot(shifted, table.lat, ".", color="tab:gray", markersize=3)
    placed = []
    for ship, row in joined.iterrows():
        start, end = ships.geometry[ship], places.geometry[row.index_right]
        near = any(s == ship and abs(end.x - x) < 12 and abs(end.y - y) < 4 for s, x, y in placed)
        above, placed = (end.y > start.y) != near, [*placed, (ship, end.x, end.y)]
        axes.plot([start.x % 360, end.x % 360], [start.y, end.y], color="tab:blue", linewidth=1)
        axes.annotate(  # away from the ship
            f"{row.meters / 1000:,.0f} km",
            (end.x % 360, end.y),
            (4 if end.x % 360 > start.x % 360 else -4, 3 if above else -3),
            textcoords="offset points",
            ha="left" if end.x % 360 > start.x % 360 else "right",
            va="bottom" if above else "top",
            fontsize=9,
        )
    axes.plot(ships.geometry.x % 360, ships.geometry.y, "o", color="tab:red", markersize=5)
    axes.set(title="sjoin_nearest(ships, places, k=3)", xlim=(120, 260), ylim=(-60, 60))
