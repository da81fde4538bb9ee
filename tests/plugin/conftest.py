"""A QGIS without windows with the plugin in it, layers to give it, and the command to compare with."""

import csv
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, "/usr/share/qgis/python/plugins")
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GPUVORONOI_COMMAND", str(ROOT / "build" / "gpuvoronoi"))
FOLDER = pathlib.Path(os.environ.get("GPUVORONOI_QGIS_FOLDER", ROOT / "build" / "plugin" / "qgis"))
LAND = ROOT / "data" / "land.geojson"
TIMEZONES = ROOT / "data" / "timezones.csv"
ALGORITHMS = [
    "voronoiraster",
    "qtmvoronoi",
    "facilitystatistics",
    "knearest",
    "nearestcells",
    "livevoronoi",
    "writenearest",
    "voronoidiagram",
    "nearestvalue",
    "cells",
    "travelcost",
    "roundbarriers",
    "withindistance",
]
COLUMNS = [
    "cells",
    "area_km2",
    "distance_mean",
    "distance_max",
    "centroid_x",
    "centroid_y",
]  # of statistics
WGS84 = (6378137.0, 6356752.314245179)  # half axes
SPHERE = ((2 * WGS84[0] + WGS84[1]) / 3,) * 2
os.environ["GPUVORONOI_COMMAND"] = COMMAND
os.environ["QGIS_PLUGINPATH"] = str(FOLDER)
sys.path.insert(0, str(FOLDER))

from osgeo import gdal, ogr  # noqa: E402
from qgis.core import (  # noqa: E402
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsDistanceArea,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

gdal.UseExceptions()
ogr.UseExceptions()


class Feedback(QgsProcessingFeedback):
    """Keeps what an algorithm says."""

    def __init__(self):
        super().__init__(False)
        self.progress, self.commands, self.infos, self.warnings, self.errors = [], [], [], [], []
        self.progressChanged.connect(self.progress.append)

    def pushCommandInfo(self, text):
        self.commands.append(text)

    def pushInfo(self, text):
        self.infos.append(text)

    def pushWarning(self, text):
        self.warnings.append(text)

    def reportError(self, text, fatalError=False):
        self.errors.append(text)


class Qgis:
    """The application, started once a process."""

    def __init__(self):
        self.application = QgsApplication([], False)
        self.application.initQgis()
        from processing.core.Processing import Processing

        Processing.initialize()
        import gpuvoronoi_processing

        self.plugin = gpuvoronoi_processing.classFactory(None)
        self.plugin.initProcessing()
        self.provider = self.plugin.provider

    def run(self, name, feedback=None, context=None, **parameters):
        """The results of an algorithm. What it raises is raised."""
        import processing

        self.feedback = feedback or Feedback()
        return processing.run(
            f"gpuvoronoi:{name}", parameters, context=context, feedback=self.feedback
        )


@pytest.fixture(scope="session")
def session():
    return Qgis()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    session.config.last_status = int(session.exitstatus)


def pytest_unconfigure(config):
    """QGIS 3.22 does not always survive its own tidying up when a failed test still holds a layer."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(getattr(config, "last_status", 1))


@pytest.fixture
def qgis(session):
    yield session
    QgsProject.instance().clear()


class Work:
    """A directory, and the command run there."""

    def __init__(self, directory):
        self.directory = directory

    def path(self, name):
        return str(self.directory / name)

    def command(self, *arguments):
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        return done

    def expected(self, *arguments):
        """The cells of the raster that the command makes of these options."""
        self.command(*arguments, "--overwrite", "expected.tif")
        return read(self.path("expected.tif"))

    def csv(self, name, rows, header="lon,lat,id"):
        text = header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        pathlib.Path(self.path(name)).write_text(text, encoding="utf-8")
        return name

    def listing(self):
        """Files; without those beside GeoTIFFs, which have the attribute tables with older GDAL."""
        return sorted(
            p.name
            for p in self.directory.iterdir()
            if not (p.name.endswith(".tif.aux.xml") and p.with_name(p.name[:-8]).exists())
        )


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path)


def read(path, band=1):
    dataset = gdal.Open(str(path))  # must outlive its band
    return dataset.GetRasterBand(band).ReadAsArray()


def has_table(path):
    dataset = gdal.Open(str(path))
    return dataset.GetRasterBand(1).GetDefaultRAT() is not None


def rows(path, *fields):
    """Values of the features of a file."""
    source = ogr.Open(str(path))  # must outlive its layer
    return [tuple(feature[field] for field in fields) for feature in source.GetLayer(0)]


def crs(text):
    made = QgsCoordinateReferenceSystem()
    made.createFromUserInput(text)
    assert made.isValid()
    return made


def memory(
    places, system="EPSG:4326", fields="id:integer,name:string", rows=None, geometry="Point"
):
    """A layer in memory, with points at `places` and attributes of `rows`."""
    layer = QgsVectorLayer(
        geometry + "?" + "&".join(f"field={field}" for field in fields.split(",") if field),
        "seeds",
        "memory",
    )
    if system is not None:
        layer.setCrs(crs(system) if isinstance(system, str) else system)
    else:
        layer.setCrs(QgsCoordinateReferenceSystem())
    features = []
    for i, (x, y) in enumerate(places):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(x, y)))
        if fields:
            feature.setAttributes(list(rows[i]) if rows else [100 + i, f"seed {i}"])
        features.append(feature)
    assert layer.dataProvider().addFeatures(features)[0]
    layer.updateExtents()
    return layer


def places(count, seed=1, box=(-180, -80, 180, 80)):
    random = np.random.default_rng(seed)
    return [
        (float(x), float(y))
        for x, y in zip(
            random.uniform(box[0], box[2], count), random.uniform(box[1], box[3], count)
        )
    ]


def timezones():
    layer = QgsVectorLayer(
        f"file://{TIMEZONES}?type=csv&xField=lon&yField=lat&crs=EPSG:4326",
        "Time zones",
        "delimitedtext",
    )
    assert layer.isValid()
    return layer


def loading_context():
    """A context in which results are to be loaded into the project."""
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    return context


def as_file(layer, path, driver="GPKG"):
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = driver
    QgsVectorFileWriter.writeAsVectorFormatV3(
        layer, path, QgsProject.instance().transformContext(), options
    )
    return path


def land_in_memory():
    copy = QgsVectorLayer("MultiPolygon?crs=EPSG:4326", "land", "memory")
    copy.dataProvider().addFeatures(list(QgsVectorLayer(str(LAND), "land", "ogr").getFeatures()))
    return copy


def stripes(work, system="EPSG:4326"):
    """A raster of 0, 1 and 2."""
    path = work.path(f"stripes{bool(system)}.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, 180, 90)
    made.SetGeoTransform((-180, 2, 0, 90, 0, -2))
    if system:
        made.SetProjection(crs(system).toWkt())
    made.GetRasterBand(1).WriteArray(
        (np.add.outer(np.arange(90), np.arange(180)) % 3).astype(np.uint8)
    )
    made = None
    return path


def assigned(path):
    """A layer of a raster without a coordinate system, to which the user gave one."""
    layer = QgsRasterLayer(path, "assigned")
    layer.setCrs(crs("EPSG:4326"))
    return layer


def search(work, *arguments):
    work.command("search", *arguments, "--overwrite", "expected.csv")
    with open(work.path("expected.csv"), newline="") as file:
        rows = csv.DictReader(file)  # feature ids, in these files from 1
        return [
            (
                int(r["query"]) - 1,
                int(r["rank"]),
                max(int(r["reference"]) - 1, -1),
                float(r["distance"]),
            )
            for r in rows
        ]


def measured(layer, axes, degrees="EPSG:4326"):
    """Features, and the lengths of their lines on the ellipsoid of these half axes."""
    measure = QgsDistanceArea()
    assert measure.setEllipsoid(*axes)
    to_degrees = QgsCoordinateTransform(layer.crs(), crs(degrees), QgsProject.instance())
    for feature in layer.getFeatures():
        line = feature.geometry()
        if line.isNull():
            continue
        assert all(len(part) > 1 for part in line.asMultiPolyline())
        line.transform(to_degrees)
        yield feature, measure.measureLength(line)
