"""docs/recipes.md and README.md: their commands run as they stand there; the recipes' results are compared with the other tools and
with PROJ."""

import csv
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))
COMMAND = os.environ.get("GPUVORONOI_COMMAND", "")
pyproj = pytest.importorskip("pyproj")
gdal = pytest.importorskip("osgeo.gdal")
gdal.UseExceptions()
WGS84 = pyproj.Geod(ellps="WGS84")


def blocks(section):
    """The code blocks of a section, as pairs of language and text."""
    return code_of(SECTIONS[section])


def code_of(text):
    return re.findall(r"^```(sh|python)\n(.*?)^```", text, flags=re.M | re.S)


def rows(section):
    """The rows of a section's table of other tools: task, the other tool's command, ours."""
    return re.findall(r"^\| ([^|`]+) \| `([^|]+)` \| `([^|]+)` \|$", SECTIONS[section], flags=re.M)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of data/, in which `gpuvoronoi` and `python3` are those that are tested."""
    if not COMMAND:
        pytest.skip("the command is not built")
    for program in "gdal_translate", "ogr2ogr":
        if not shutil.which(program):
            pytest.skip("no programs of GDAL (apt-get install gdal-bin)")
    for file in (ROOT / "data").iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gpuvoronoi").symlink_to(COMMAND)
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(text):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, f"{text}\n{done.stderr}"
    return done.stdout


def run(section):
    """Runs the blocks of a section in order; returns what they print."""
    told = ""
    for language, text in blocks(section):
        if language == "sh":
            told += shell(text)
        else:
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            told += done.stdout
    return told


def raster(name):
    return gdal.Open(str(name)).ReadAsArray().astype(float)


def places():
    with open("timezones.csv", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    return np.array([float(row["lon"]) for row in read]), np.array(
        [float(row["lat"]) for row in read]
    )


def meters_to_places(x, y):
    """Geodesics of PROJ, a row for each (x, y), a column for each place."""
    lon, lat = places()
    return np.array(
        [
            WGS84.inv(np.full_like(lon, x[i]), np.full_like(lat, y[i]), lon, lat)[2]
            for i in range(len(x))
        ]
    )


def test_readme(folder):
    """Its first result and its tasks, in the order of the page."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first, tasks = re.search(
        r"^## Your first result\n(.*?)^## What it does\n(.*?)^## ", readme, flags=re.M | re.S
    ).groups()
    shutil.copy("timezones.csv", "stations.csv")
    told = shell("".join(text for language, text in code_of(first)))
    nearest, meters, random = raster("nearest.tif"), raster("meters.tif"), np.random.default_rng(2)
    row, column = random.integers(0, 720, 100), random.integers(0, 1440, 100)
    away = meters_to_places(-180 + (column + 0.5) / 4, 90 - (row + 0.5) / 4)
    assert (nearest[row, column] == away.argmin(axis=1) + 1).all()
    np.testing.assert_allclose(meters[row, column], away.min(axis=1), rtol=1e-6)
    assert float(re.search(r"STATISTICS_MAXIMUM=(.*)", told).group(1)) == pytest.approx(
        meters.max()
    )
    os.remove("nearest.tif")
    shell("python3 make_population.py land.geojson population.tif")
    shutil.copy("population.tif", "friction.tif")
    commands = re.findall(r"^\| [^`]+ \| `(gpuvoronoi [^`]+)` \|$", tasks, flags=re.M)
    assert len(commands) >= 10
    for command in commands:
        shell(command)
        assert "--stats" in command or os.path.getsize(command.split()[-1]) > 1000, command
    if importlib.util.find_spec("geopandas") and importlib.util.find_spec("xarray"):
        [(language, text)] = code_of(tasks)
        subprocess.run([sys.executable, "-c", text], check=True)


def column(table, name):
    with open(table, encoding="utf-8") as file:
        return np.array([float(row[name]) for row in csv.DictReader(file)])


def test_travel_time(folder):
    """No time is less than that of the geodesic at 60 km/h, and near their hospitals few are 2.75 % longer."""
    run("Travel time to hospitals")
    nearest, minutes = raster("nearest.tif"), raster("minutes.tif")
    row, cell = np.nonzero(nearest >= 0)
    some = np.random.default_rng(3).choice(row.size, 200, replace=False)
    row, cell = row[some], cell[some]
    away = meters_to_places(-180 + (cell + 0.5) / 2, 90 - (row + 0.5) / 2)
    direct = away[np.arange(200), nearest[row, cell].astype(int) - 1] / 1000
    assert (minutes[row, cell] > direct * (1 - 1e-6)).all()
    assert np.median(minutes[row, cell] / direct) < 1.0275
    people = [column(f"within_{limit}.csv", "people_sum").sum() for limit in (30, 60, 120)]
    assert 0 < people[0] < people[1] < people[2] < raster("population.tif").sum()
    routes = gdal.OpenEx("routes.gpkg")  # must outlive its layer
    for village in routes.GetLayer(0):
        assert village["cost"] == pytest.approx(village["length"] / 1000, rel=1e-6)
    assert (raster("from_speeds.tif") > 0).any()


def test_distance_by_sea(folder):
    """From Lisbon to Rotterdam round Brittany."""
    run("Distance by sea")
    port, meters = raster("nearest_port.tif"), raster("by_sea.tif")

    def at(lon, lat):
        return int((90 - lat) * 4), int((lon + 180) * 4)

    assert set(np.unique(port)) == {-1, 1, 2}
    direct = WGS84.inv(3.6, 52.6, -10.25, 38.75)[2]
    lisbon = meters[at(-10.25, 38.75)]
    assert port[at(-10.25, 38.75)] == 1 and 1.05 * direct < lisbon < 1.5 * direct
    assert port[at(10.25, 48.25)] == -1  # land


def test_every_section_is_run():
    shells = {
        "Distance to the coast",
        "People per hospital",
        "Travel time to hospitals",
        "Distance by sea",
        "Thiessen polygons",
        "Nearest station of each ERA5 cell",
        "Replace ArcGIS Distance Allocation",
        *GDAL_TOOLS,
    }
    assert set(SECTIONS) == shells | set(PYTHON_TOOLS)


def test_distance_to_the_coast(folder):
    told = run("Distance to the coast").split()
    assert told[0] == "858505.9375" and float(told[1]) < 1e-4
    assert np.load("meters.npy")[0, 0] == pytest.approx(858505.9375, abs=0.04)
    coarse, fine = raster("coarse.tif"), raster("fine.tif")
    np.testing.assert_allclose(fine[2::5, 2::5], coarse, rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(raster("coast.tif")[120:180, 680:740], coarse, rtol=1e-6, atol=1e-3)
    # No vertex of the coast is nearer, and some point of an edge is as near.
    ogr = pytest.importorskip("osgeo.ogr")
    source = ogr.Open("land.geojson")
    outlines = [feature.GetGeometryRef().Boundary() for feature in source.GetLayer()]
    points = []
    for line in outlines:
        line.Segmentize(0.02)
        for part in (
            [line]
            if line.GetPointCount()
            else [line.GetGeometryRef(i) for i in range(line.GetGeometryCount())]
        ):
            points += part.GetPoints()
    points = np.array(points)[:, :2]
    points = points[(abs(points[:, 0]) < 40) & (abs(points[:, 1] - 52) < 20)]
    random = np.random.default_rng(3)
    for row, column in random.integers(0, 60, (20, 2)):
        x, y = -10 + (column + 0.5) * 0.25, 60 - (row + 0.5) * 0.25
        away = WGS84.inv(
            np.full(len(points), x), np.full(len(points), y), points[:, 0], points[:, 1]
        )[2].min()
        assert (
            coarse[row, column] - 0.01 <= away <= np.hypot(coarse[row, column], 1200)
        )  # pieces are 2.2 km at most


def test_people_per_hospital(folder):
    told = run("People per hospital")
    with open("served.csv", encoding="utf-8") as file:
        served = list(csv.DictReader(file))
    nearest, people, meters = raster("nearest.tif"), raster("population.tif"), raster("meters.tif")
    random = np.random.default_rng(4)
    rows, columns = random.integers(0, 360, 200), random.integers(0, 720, 200)
    away = meters_to_places(-180 + (columns + 0.5) / 2, 90 - (rows + 0.5) / 2)
    assert (nearest[rows, columns] == away.argmin(axis=1) + 1).all()
    np.testing.assert_allclose(meters[rows, columns], away.min(axis=1), rtol=1e-6)
    for row in served:
        region = nearest == int(row["value"])
        assert float(row["people_sum"]) == pytest.approx(people[region].sum(), rel=1e-6, abs=1e-3)
        if people[region].sum() > 1:
            assert float(row["people_distance_mean"]) == pytest.approx(
                np.average(meters[region], weights=people[region]), rel=1e-5
            )
    most = sorted(served, key=lambda row: -float(row["people_sum"]))[:5]
    assert [line.split(",")[0] for line in told.splitlines()[1:]] == [row["name"] for row in most]


def test_thiessen_polygons(folder):
    geopandas = pytest.importorskip("geopandas")
    run("Thiessen polygons")
    globe = geopandas.read_file("thiessen.gpkg")
    assert globe["area_km2"].sum() == pytest.approx(510065621.724, rel=1e-9) and len(globe) == len(
        places()[0]
    )
    # On the plane against GEOS, which makes the Voronoi polygons of QGIS.
    plane = geopandas.read_file("thiessen_plane.gpkg")
    shapely = pytest.importorskip("shapely")
    ops, geometry = pytest.importorskip("shapely.ops"), pytest.importorskip("shapely.geometry")
    with open("plane_500.csv", encoding="utf-8") as file:
        points = [geometry.Point(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    extent = geometry.box(0, 0, 10000, 10000)
    theirs = [
        cell.intersection(extent)
        for cell in ops.voronoi_diagram(geometry.MultiPoint(points), envelope=extent).geoms
    ]
    tree = geopandas.GeoSeries(theirs)
    for seed, area, shape in zip(plane["seed"], plane["area"], plane.geometry):
        cell = tree[tree.contains(points[seed - 1])].iloc[0]
        assert (
            area == pytest.approx(cell.area, rel=1e-6)
            and shape.symmetric_difference(cell).area < 1e-3
        ), shapely.__version__


def test_nearest_station_of_era5(folder):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    pytest.importorskip("pandas")
    if gdal.GetDriverByName("netCDF") is None:
        pytest.skip("GDAL has no driver for NetCDF")
    lat, lon = np.arange(90, -91, -2.0), np.arange(0, 360, 2.0)
    kelvin = np.random.default_rng(5).uniform(220, 310, (3, len(lat), len(lon))).astype("float32")
    axes = {
        "time": [0, 1, 2],
        "latitude": ("latitude", lat, {"units": "degrees_north", "standard_name": "latitude"}),
        "longitude": ("longitude", lon, {"units": "degrees_east", "standard_name": "longitude"}),
    }
    xarray.Dataset({"t2m": (("time", "latitude", "longitude"), kelvin)}, coords=axes).to_netcdf(
        "era5.nc"
    )
    run("Nearest station of each ERA5 cell")
    nearest, meters = xarray.open_dataset("nearest.nc"), xarray.open_dataset("meters.nc")
    rows, columns = (
        part.ravel()
        for part in np.meshgrid(
            np.arange(0, len(lat), 9), np.arange(0, len(lon), 17), indexing="ij"
        )
    )
    away = meters_to_places(lon[columns], lat[rows])
    for i, (row, column) in enumerate(zip(rows, columns)):
        at = {"lat": lat[row], "lon": lon[column]}
        assert meters["distance"].sel(at).item() == pytest.approx(away[i].min(), rel=1e-6)
        if lat[row] not in (90, -90):  # at the poles the order of equal distances is the library's
            assert nearest["nearest"].sel(at).item() == away[i].argmin() + 1
    python = xarray.open_dataset("from_python.nc").rename(latitude="lat", longitude="lon")
    assert (python["allocation"] + 1 == nearest["nearest"].reindex_like(python)).all()
    assert (python["proximity"] == meters["distance"].reindex_like(python)).all()
    stations = xarray.open_dataset("at_stations.nc")["t2m"].to_numpy()
    x, y = places()
    observed = xarray.open_dataarray("observed.nc")
    assert (
        observed == y[xarray.open_dataset("from_python.nc")["allocation"].to_numpy().astype(int)]
    ).all()
    grid_x, grid_y = (part.ravel() for part in np.meshgrid(lon, lat))
    for i in range(0, len(x), 40):
        cell = WGS84.inv(np.full_like(grid_x, x[i]), np.full_like(grid_y, y[i]), grid_x, grid_y)[
            2
        ].argmin()
        assert (stations[:, i] == kelvin.reshape(3, -1)[:, cell]).all()


def grass(row, there):
    """Runs a command of GRASS on classes.tif and writes its map `there`."""
    text = (
        "r.in.gdal --quiet input=classes.tif output=classes; g.region raster=classes; "
        f"{there} --quiet; r.out.gdal --quiet -c -f input=there output=there.tif type=Float64 --overwrite"
    )
    shell(f"grass --tmp-location classes.tif --exec bash -euc {shlex.quote(text)}")


# Of each section: the program, how its commands are run, the share of cells that must be equal. Cells without a value are below 0.
GDAL_TOOLS = {
    "Replace gdal_proximity": ("gdal_proximity.py", lambda row, there: shell(there), 0.94),
    "Replace r.grow.distance": ("grass", grass, 0.94),
}


@pytest.mark.parametrize("section", GDAL_TOOLS)
def test_raster_tools(section, folder):
    tool, other, share = GDAL_TOOLS[section]
    run(section)
    assert len(rows(section)) >= 3
    for task, there, here in rows(section):
        shell(here)
        ours = np.nan_to_num(raster("here.tif"), nan=-1)
        assert len(np.unique(ours)) > 20, task
        if shutil.which(tool):
            other(task, there)
            theirs = np.nan_to_num(raster("there.tif"), nan=-1)
            both = (ours >= 0) & (theirs >= 0)
            assert both.mean() > 0.2 and ((ours >= 0) == (theirs >= 0)).mean() > 0.99, task
            if "value=" not in there:
                assert (ours[both] <= theirs[both] * (1 + 1e-6) + 0.01).all(), (
                    f"{task}: a distance of the other tool is less"
                )
            assert np.isclose(ours[both], theirs[both], rtol=1e-6, atol=0.01).mean() > share, task
            os.remove("there.tif")
        os.remove("here.tif")
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed: nothing to compare with")


PYTHON_TOOLS = {
    "Replace scipy cKDTree": "scipy.spatial",
    "Replace scikit-learn BallTree": "sklearn.neighbors",
    "Replace GeoPandas sjoin_nearest": "geopandas",
}


def same(theirs, ours):
    if isinstance(theirs, tuple):
        return all(same(*pair) for pair in zip(theirs, ours, strict=True))
    if hasattr(theirs, "geometry"):
        order = list(theirs.columns)
        return theirs.sort_index().equals(ours[order].sort_index())
    if isinstance(theirs, set):
        return theirs == ours
    if getattr(theirs, "dtype", None) == np.dtype(object):
        return theirs.tolist() == ours.tolist()
    return np.allclose(theirs, ours, rtol=1e-9)


@pytest.mark.parametrize("section", PYTHON_TOOLS)
def test_python_tools(section):
    pytest.importorskip(PYTHON_TOOLS[section])
    space = {}
    exec(blocks(section)[0][1], space)
    assert len(rows(section)) >= 3
    reason = None
    for task, there, here in rows(section):
        ours = eval(here, space)
        try:
            assert same(eval(there, space), ours), task
        except NotImplementedError as error:  # GeoPandas without shapely 2
            reason = str(error)
    if reason:
        pytest.skip(reason)


def test_distance_allocation(folder):
    """ArcGIS cannot be run here: our side is compared with PROJ."""
    section = "Replace ArcGIS Distance Allocation"
    run(section)
    assert len(rows(section)) == 7
    for _, _, here in rows(section):
        shell(here)
    random = np.random.default_rng(6)
    row, column = random.integers(0, 150, 150), random.integers(0, 200, 150)
    away = meters_to_places(-10 + (column + 0.5) * 0.2, 65 - (row + 0.5) * 0.2)
    well = np.arange(1, away.shape[1] + 1)
    assert (raster("nearest.tif")[row, column] == away.argmin(axis=1) + 1).all()
    np.testing.assert_allclose(raster("meters.tif")[row, column], away.min(axis=1), rtol=1e-6)
    assert ((raster("near.tif")[row, column] >= 0) == (away.min(axis=1) <= 200e3)).all()
    assert (
        raster("start.tif")[row, column] == (away + 1000.0 * (well % 7)).argmin(axis=1) + 1
    ).all()
    assert (raster("times.tif")[row, column] == (away * (1 + well % 3)).argmin(axis=1) + 1).all()
    lon, lat = places()
    found = away.argmin(axis=1)
    north = (
        WGS84.inv(-10 + (column + 0.5) * 0.2, 65 - (row + 0.5) * 0.2, lon[found], lat[found])[0]
        % 360
    )
    np.testing.assert_allclose(
        (raster("degrees.tif")[row, column] - north + 180) % 360 - 180, 0, atol=1e-3
    )
    with open("table.csv", encoding="utf-8") as file:
        assert "template_sum" in next(csv.reader(file))
