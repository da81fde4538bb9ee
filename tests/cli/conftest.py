"""Running the command, making seeds, and oracles that are independent of the command's code."""

import ctypes
import ctypes.util
import os
import pathlib
import re
import subprocess
import time

import forked_command
import numpy as np
import pytest
from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()
osr.UseExceptions()
if int(np.__version__.split(".")[0]) >= 2:
    np.set_printoptions(legacy="1.25")  # repr of a number is the number, as in coordinates of WKT

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GPUVORONOI_COMMAND", str(ROOT / "build" / "gpuvoronoi"))
DATA = pathlib.Path(os.environ.get("GPUVORONOI_TEST_DATA", ROOT.parent / "shared" / "data"))


def sanitized():
    """Whether the command has a sanitizer, which keeps memory of its own."""
    content = pathlib.Path(COMMAND).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


def real_data(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"real data set {name} is not here")
    return path


PATIENCE = float(os.environ.get("GPUVORONOI_PATIENCE", 240))  # seconds of one run
SUMMARY = re.compile(
    "gpuvoronoi: (note|metric|grid|cells|seeds|backend|output|references|queries|neighbors|source|target|weights): "
)


class Work:
    """A directory to work in and the command run there."""

    def __init__(self, directory):
        self.directory = directory
        self.opened = []

    def path(self, name):
        return self.directory / name

    def run(self, *arguments, **options):
        done = forked_command.run(
            [COMMAND, *map(str, arguments)], cwd=self.directory, timeout=PATIENCE, **options
        )
        lines = done.stderr.splitlines(keepends=True)
        done.summary = "".join(line for line in lines if SUMMARY.match(line))
        done.stderr = "".join(
            line for line in lines if not SUMMARY.match(line)
        )  # what people should worry about
        return done

    def ok(self, *arguments, **options):
        done = self.run(*arguments, **options)
        assert done.returncode == 0, done.stderr
        self.no_leftovers()
        return done

    def fails(self, *arguments, status=1, has=(), output="out.tif", **options):
        """The command must fail with one line that has the given words, and leave no output."""
        before = self.listing()
        done = self.run(*arguments, **options)
        assert done.returncode == status, (done.returncode, done.stderr)
        lines = done.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith("gpuvoronoi: error: "), done.stderr
        assert done.stdout == ""
        for word in [has] if isinstance(has, str) else has:
            assert word in lines[0], lines[0]
        assert self.listing() == before
        return lines[0]

    def listing(self):
        return {
            str(p.relative_to(self.directory)): p.read_bytes() if p.is_file() else None
            for p in self.directory.rglob("*")
        }

    def no_leftovers(self):
        left = [str(p) for p in self.directory.iterdir() if ".tmp-" in p.name]
        assert left == []

    def write(self, name, text):
        self.path(name).write_text(text, encoding="utf-8")
        return name

    def csv(self, name, x, y, /, header="lon,lat", **columns):
        names = ",".join([header, *columns])
        rows = [
            ",".join([repr(float(a)), repr(float(b)), *(str(c[i]) for c in columns.values())])
            for i, (a, b) in enumerate(zip(x, y))
        ]
        return self.write(name, names + "\n" + "\n".join(rows) + "\n")

    def points(
        self,
        name,
        driver,
        x,
        y,
        epsg=4326,
        layer="seeds",
        fields=(),
        rows=(),
        geometry=ogr.wkbPoint,
    ):
        source = ogr.GetDriverByName(driver).CreateDataSource(str(self.path(name)))
        made = source.CreateLayer(layer, crs(epsg), geometry)
        for field in fields:
            made.CreateField(ogr.FieldDefn(*field))
        for i, (a, b) in enumerate(zip(x, y)):
            feature = ogr.Feature(made.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({float(a)!r} {float(b)!r})"))
            for k, field in enumerate(fields):
                feature.SetField(field[0], rows[i][k])
            made.CreateFeature(feature)
        source = None
        return name

    def raster(self, name, transform, size, epsg=None):
        made = gdal.GetDriverByName("GTiff").Create(str(self.path(name)), *size, 1)
        made.SetGeoTransform(transform)
        if epsg is not None:
            made.SetSpatialRef(crs(epsg))
        made = None
        return name

    def read(self, name):
        return gdal.Open(str(self.path(name))).ReadAsArray()

    def open(self, name):
        self.opened.append(
            gdal.Open(str(self.path(name)))
        )  # bands and tables do not keep their dataset alive
        return self.opened[-1]

    def table(self, name):
        """The attribute table as {usage: column of values}."""
        table = self.open(name).GetRasterBand(1).GetDefaultRAT()
        if table is None:
            return None
        read = {
            gdal.GFT_Integer: table.GetValueAsInt,
            gdal.GFT_Real: table.GetValueAsDouble,
            gdal.GFT_String: table.GetValueAsString,
        }
        return {
            table.GetUsageOfCol(c): [
                read[table.GetTypeOfCol(c)](r, c) for r in range(table.GetRowCount())
            ]
            for c in range(table.GetColumnCount())
        }


def peak(work, *arguments):
    """Megabytes that a run that goes well has held at most."""
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=work.directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    most = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            continue
        found = re.search(r"VmHWM:\s*(\d+) kB", status)
        most = max(most, int(found[1]) // 1024 if found else 0)
        time.sleep(0.005)
    assert process.returncode == 0, process.stderr.read()
    return most


def build_shim(folder, name):
    """A library for LD_PRELOAD, of <name>_shim.c beside this file, and what the environment needs for it."""
    library = folder / f"{name}.so"
    source = pathlib.Path(__file__).with_name(f"{name}_shim.c")
    done = subprocess.run(
        ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source, "-ldl"],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        pytest.skip("no C compiler: " + done.stderr)
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
    }


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path)


def crs(code):
    made = osr.SpatialReference()
    made.SetFromUserInput(code if isinstance(code, str) else f"EPSG:{code}")
    made.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return made


def centers(dataset):
    """Coordinates of all cell centers, by the definition."""
    g = dataset.GetGeoTransform()
    column, row = np.meshgrid(
        np.arange(dataset.RasterXSize) + 0.5, np.arange(dataset.RasterYSize) + 0.5
    )
    return (g[0] + column * g[1]) + row * g[2], (g[3] + column * g[4]) + row * g[5]


def planar(metric, x, y, sx, sy):
    """Numbers of the nearest seeds by the canonical planar distances; ties to the lowest number."""
    best = np.full(x.shape, np.inf)
    winner = np.full(x.shape, -1)
    for i, (a, b) in enumerate(zip(sx, sy)):
        dx, dy = x - a, y - b
        distance = {
            "euclidean": lambda: dx * dx + dy * dy,
            "manhattan": lambda: abs(dx) + abs(dy),
            "chebyshev": lambda: np.maximum(abs(dx), abs(dy)),
        }[metric]()
        closer = distance < best
        best[closer] = distance[closer]
        winner[closer] = i
    return winner


def unit_vectors(lon, lat):
    lon, lat = np.radians(np.asarray(lon, float)), np.radians(np.asarray(lat, float))
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def check_great_circle(numbers, lon, lat, seed_lon, seed_lat):
    """Every cell's seed must be as near as scipy's KD-tree says the nearest is."""
    from scipy.spatial import cKDTree

    seeds = unit_vectors(seed_lon, seed_lat)
    cells = unit_vectors(lon, lat)
    best, winner = cKDTree(seeds).query(cells)
    mine = np.linalg.norm(cells - seeds[numbers], axis=-1)
    assert np.all(mine <= best + 1e-14 + 1e-12 * best)
    assert np.mean(winner == numbers) > 0.999 or len(seeds) < 3


def positions(path, **options):
    """Feature ids and points of a source's only layer, as OGR reads them, in its order."""
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR, **options)  # must outlive its layer
    layer = source.GetLayer(0)
    read = [(f.GetFID(), f.GetGeometryRef().GetX(), f.GetGeometryRef().GetY(), f) for f in layer]
    return [r[0] for r in read], [r[1] for r in read], [r[2] for r in read]


class Geodesic:
    """PROJ's geod_inverse, straight from its library."""

    def __init__(self, a, f):
        self.library = ctypes.CDLL(ctypes.util.find_library("proj"))
        self.geodesic = ctypes.create_string_buffer(4096)
        self.library.geod_init(self.geodesic, ctypes.c_double(a), ctypes.c_double(f))

    def distance(self, lon1, lat1, lon2, lat2):
        s12 = ctypes.c_double()
        self.library.geod_inverse(
            self.geodesic,
            ctypes.c_double(lat1),
            ctypes.c_double(lon1),
            ctypes.c_double(lat2),
            ctypes.c_double(lon2),
            ctypes.byref(s12),
            None,
            None,
        )
        return s12.value


WGS84 = (6378137.0, 1 / 298.257223563)


def check_geodesic(numbers, lon, lat, seed_lon, seed_lat, ellipsoid=WGS84, samples=60, seed=7):
    """Sampled cells against geod_inverse to every seed; ties to the lowest number."""
    geodesic = Geodesic(*ellipsoid)
    flat = numbers.ravel()
    for cell in np.random.default_rng(seed).integers(0, flat.size, samples):
        distances = [
            geodesic.distance(lon.ravel()[cell], lat.ravel()[cell], a, b)
            for a, b in zip(seed_lon, seed_lat)
        ]
        assert distances[flat[cell]] == min(distances), cell


def globe(n, seed=1):
    random = np.random.default_rng(seed)
    return random.uniform(-180, 180, n), np.degrees(np.arcsin(random.uniform(-1, 1, n)))
