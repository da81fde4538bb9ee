#!/usr/bin/python3
"""
Compares with what QGIS users have else, on the same layers: prints a table of processor seconds (of the program itself and what
it starts), seconds, and what is made. To be run by hand, where GRASS and SAGA are installed; what is missing is left out.

    GPUVORONOI_COMMAND=... GPUVORONOI_QGIS_FOLDER=build/ci/plugin/qgis QT_QPA_PLATFORM=offscreen /usr/bin/python3 tests/plugin/peers.py [SEEDS]
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from conftest import Qgis, as_file, gdal, memory, ogr  # noqa: E402

SYSTEM, BOX = "EPSG:3035", (2600000, 1500000, 6000000, 5200000)
NEIGHBORS = 3


def shops(count, seed):
    """Points in towns of all sizes, in Europe."""
    random = np.random.default_rng(seed)
    towns = random.uniform(BOX[:2], BOX[2:], (count // 40 + 1, 2))
    places = towns[random.zipf(1.4, count) % len(towns)] + random.normal(0, 15000, (count, 2))
    return [(float(x), float(y)) for x, y in np.clip(places, BOX[:2], BOX[2:])]


def processor_seconds():
    return sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def features(path):
    source = ogr.Open(path)  # must outlive its layer
    return source.GetLayer(0).GetFeatureCount()


def measured(name, task, count):
    before, begun = processor_seconds(), time.monotonic()
    made = task()
    print(
        f"| {name} | {processor_seconds() - before:.1f} | {time.monotonic() - begun:.1f} | {count(made):,} |",
        flush=True,
    )
    return made


def run_program(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stdout[-500:]}{done.stderr[-2000:]}")


def regions(work, processing, layer, path):
    def own():
        processing.run(
            "gpuvoronoi:voronoiraster",
            {"INPUT": path, "OUTPUT": f"{work}/own.tif", "POLYGONS": f"{work}/own.gpkg"},
        )
        return f"{work}/own.gpkg"

    def qgis():
        processing.run("qgis:voronoipolygons", {"INPUT": path, "OUTPUT": f"{work}/qgis.gpkg"})
        return f"{work}/qgis.gpkg"

    def grass():
        run_program(
            "grass",
            "-c",
            SYSTEM,
            f"{work}/location",
            "--exec",
            "sh",
            "-c",
            f"v.in.ogr --q input={path} output=shops && g.region vector=shops && v.voronoi --q input=shops output=regions && "
            f"v.out.ogr --q input=regions output={work}/grass.gpkg format=GPKG type=area",
        )
        return f"{work}/grass.gpkg"

    def saga():
        shape = as_file(layer, f"{work}/shops.shp", "ESRI Shapefile")
        run_program(
            "saga_cmd",
            "-f=s",
            "shapes_points",
            "16",
            "-POINTS",
            shape,
            "-POLYGONS",
            f"{work}/saga.shp",
        )
        return f"{work}/saga.shp"

    measured("gpuvoronoi: Voronoi raster with regions", own, features)
    measured("QGIS: Voronoi polygons", qgis, features)
    if shutil.which("grass"):
        measured("GRASS: v.voronoi", grass, features)
    if shutil.which("saga_cmd"):
        measured("SAGA: Thiessen polygons", saga, features)


def rasters(work, processing, path):
    """Distances to the nearest shop, in cells of 2 km."""

    def own():
        extent = f"{BOX[0]},{BOX[2]},{BOX[1]},{BOX[3]} [{SYSTEM}]"
        processing.run(
            "gpuvoronoi:voronoiraster",
            {
                "INPUT": path,
                "EXTENT": extent,
                "RESOLUTION": 2000,
                "OUTPUT": f"{work}/a.tif",
                "DISTANCE": f"{work}/d.tif",
            },
        )
        return f"{work}/d.tif"

    def cells():
        processing.run(
            "gpuvoronoi:nearestcells", {"INPUT": f"{work}/cells.tif", "DISTANCE": f"{work}/c.tif"}
        )
        return f"{work}/c.tif"

    def proximity():
        processing.run(
            "gdal:proximity",
            {
                "INPUT": f"{work}/cells.tif",
                "BAND": 1,
                "UNITS": 0,
                "DATA_TYPE": 5,
                "OUTPUT": f"{work}/p.tif",
            },
        )
        return f"{work}/p.tif"

    def grow():
        run_program(
            "grass",
            "-c",
            f"{work}/cells.tif",
            f"{work}/cells",
            "--exec",
            "sh",
            "-c",
            f"r.in.gdal --q input={work}/cells.tif output=cells && r.null --q map=cells setnull=0 && "
            f"r.grow.distance --q input=cells distance=d && r.out.gdal --q -f input=d output={work}/g.tif type=Float32",
        )
        return f"{work}/g.tif"

    def pixels(made):
        dataset = gdal.Open(made)
        return dataset.RasterXSize * dataset.RasterYSize

    measured("gpuvoronoi: Voronoi raster with distances", own, pixels)
    gdal.Rasterize(
        f"{work}/cells.tif",
        path,
        format="GTiff",
        burnValues=[1],
        outputType=gdal.GDT_Byte,
        xRes=2000,
        yRes=2000,
        outputBounds=BOX,
        creationOptions=["COMPRESS=DEFLATE"],
    )
    measured("gpuvoronoi: Nearest cells of a raster", cells, pixels)
    measured("GDAL: Proximity", proximity, pixels)
    if shutil.which("grass"):
        measured("GRASS: r.grow.distance", grow, pixels)


def neighbors(work, processing, homes, path):
    def own(metric, name):
        processing.run(
            "gpuvoronoi:knearest",
            {
                "INPUT": homes,
                "REFERENCE": path,
                "NEIGHBORS": NEIGHBORS,
                "METRIC": metric,
                "OUTPUT": f"{work}/{name}.gpkg",
            },
        )
        return f"{work}/{name}.gpkg"

    def join():
        processing.run(
            "native:joinbynearest",
            {
                "INPUT": homes,
                "INPUT_2": path,
                "NEIGHBORS": NEIGHBORS,
                "OUTPUT": f"{work}/join.gpkg",
            },
        )
        return f"{work}/join.gpkg"

    def matrix():
        processing.run(
            "qgis:distancematrix",
            {
                "INPUT": homes,
                "INPUT_FIELD": "id",
                "TARGET": path,
                "TARGET_FIELD": "id",
                "MATRIX_TYPE": 0,
                "NEAREST_POINTS": NEIGHBORS,
                "OUTPUT": f"{work}/matrix.gpkg",
            },
        )
        return f"{work}/matrix.gpkg"

    def grass():
        run_program(
            "grass",
            "-c",
            SYSTEM,
            f"{work}/nearest",
            "--exec",
            "sh",
            "-c",
            f"v.in.ogr --q input={homes} output=homes && v.in.ogr --q input={path} output=shops && "
            f"v.distance --q from=homes to=shops upload=dist,cat column=dist,shop output=lines table=lines && "
            f"v.out.ogr --q input=lines output={work}/v.gpkg format=GPKG",
        )
        return f"{work}/v.gpkg"

    measured("gpuvoronoi: k nearest, k = 3, straight lines", lambda: own(3, "map"), features)
    measured("gpuvoronoi: k nearest, k = 3, geodesics", lambda: own(1, "globe"), features)
    measured("QGIS: Join attributes by nearest, k = 3", join, features)
    measured("QGIS: Distance matrix, k = 3", matrix, features)
    if shutil.which("grass"):
        measured("GRASS: v.distance (k = 1)", grass, features)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 44000
    application = Qgis()  # must outlive what runs
    import processing

    with tempfile.TemporaryDirectory() as work:
        layer = memory(shops(count, 1), SYSTEM)
        path = as_file(layer, f"{work}/shops.gpkg")
        homes = as_file(memory(shops(count // 2, 2), SYSTEM), f"{work}/homes.gpkg")
        print(
            f"| {count:,} shops, {count // 2:,} homes | processor seconds | seconds | features or cells |\n|---|---|---|---|"
        )
        regions(work, processing, layer, path)
        rasters(work, processing, path)
        neighbors(work, processing, homes, path)
    sys.stdout.flush()
    assert application
    os._exit(0)  # QGIS 3.22 does not always survive its own end


if __name__ == "__main__":
    main()
