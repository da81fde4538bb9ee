#!/usr/bin/env python3
"""The Python package beside other packages, on this machine: prints the tables of docs/python.md and docs/gdal.md.

    GPUVORONOI_LIBRARY=build/src/libgpuvoronoi.so PYTHONPATH=python tools/bench/python_peers.py [GROUP ...]

Groups: calls, points, rasters, features, search, driver (default: all). Packages that are not installed (scipy, scikit-learn, xarray-spatial,
shapely, faiss, CuPy, GDAL) are left out. The two sides of a row run in turn, and the least of several times counts, as other programs
may be running. "driver" needs GDAL_DRIVER_PATH with the driver VORONOI.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import gpuvoronoi

ROWS, COLUMNS = 2160, 4320
CALLS, BURSTS = 300, 60  # of calls of microseconds


def seconds(task, clock=time.perf_counter, count=1):
    begun = clock()
    for _ in range(count):
        task()
    return (clock() - begun) / count


def head(title, *columns):
    print(f"\n| {title} | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns), flush=True)


def compared(name, ours, theirs=None, repeats=9, clock=time.perf_counter, them="", patience=20):
    """A row: our time, and another's if there is one, with the ratio of the two. The other is not run for longer than some seconds."""
    mine, other = [], []
    ours()
    for _ in range(repeats):
        mine.append(seconds(ours, clock))
        if theirs is not None and sum(other) < patience:
            other.append(seconds(theirs, clock))
    beside = (
        f"{them} {1e3 * min(other):.3g} ms | {min(other) / min(mine):.3g}" if other else "− | −"
    )
    print(f"| {name} | {1e3 * min(mine):.3g} ms | {beside} |", flush=True)


def globe(random, count):
    return random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))


def calls(random):
    from scipy.spatial import cKDTree

    places = random.random((100, 3))
    ours, theirs, one = gpuvoronoi.KDTree(places), cKDTree(places), random.random(3)
    on_globe = gpuvoronoi.GlobeTree(*globe(random, 100))
    head("call", "microseconds")
    for name, task in (
        ("`KDTree.query` of one point", lambda: ours.query(one)),
        ("scipy's `cKDTree.query` of it", lambda: theirs.query(one)),
        ("`GlobeTree.query` of one point", lambda: on_globe.query(13.4, 52.5, workers=1)),
    ):
        print(f"| {name} | {min(seconds(task, count=CALLS) for _ in range(BURSTS)) * 1e6:.0f} |")
    code = "import numpy, time; begun = time.process_time(); import gpuvoronoi; print((time.process_time() - begun) * 1000)"
    taken = min(
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(3)
    )
    print(f"| `import gpuvoronoi`, beyond numpy | {1e3 * taken:,.0f} |", flush=True)


def points(random):
    from scipy.spatial import cKDTree

    head("points, building included, processor time", "gpuvoronoi", "the other", "ratio")
    places, queries = random.random((1_000_000, 3)), random.random((1_000_000, 3))
    compared(
        "10⁶ of 10⁶ points in 3-D",
        lambda: gpuvoronoi.KDTree(places).query(queries, workers=-1),
        lambda: cKDTree(places).query(queries, workers=-1),
        3,
        time.process_time,
        "scipy",
    )
    near = random.random((100_000, 3))
    tree, other, radius = (
        gpuvoronoi.KDTree(near),
        cKDTree(near),
        (50 / len(near) * 3 / 4 / np.pi) ** (1 / 3),
    )
    for name, options in (
        ("points within a radius of 10⁵ points in 3-D, some 50 of each", {}),
        ("their numbers alone (`return_length=True`)", {"return_length": True}),
    ):
        compared(
            name,
            lambda: tree.query_ball_point(near, radius, **options),
            lambda: other.query_ball_point(near, radius, **options),
            3,
            time.process_time,
            "scipy",
        )
    for neighbors in (50, 10):
        radius = (neighbors / len(near) * 3 / 4 / np.pi) ** (1 / 3)
        compared(
            f"pairs of 10⁵ points in 3-D, some {neighbors} within the radius of each",
            lambda: tree.query_pairs(radius, output_type="ndarray"),
            lambda: other.query_pairs(radius, output_type="ndarray"),
            5,
            time.process_time,
            "scipy",
        )
    from sklearn.neighbors import BallTree

    (lon, lat), (x, y) = globe(random, 100_000), globe(random, 1_000_000)
    radians = np.radians(np.column_stack([lat, lon])), np.radians(np.column_stack([y, x]))
    compared(
        "10⁶ of 10⁵ places on the globe",
        lambda: gpuvoronoi.GlobeTree(lon, lat).query(x, y),
        lambda: BallTree(radians[0], metric="haversine").query(radians[1]),
        3,
        time.process_time,
        "scikit-learn",
        1,
    )


def rasters(random):
    import xarray

    cells = np.zeros((ROWS, COLUMNS))
    cells.flat[random.choice(cells.size, 1000, replace=False)] = np.arange(1, 1001)
    classes = np.add.outer(np.arange(ROWS) // 97, np.arange(COLUMNS) // 113) % 4
    at = {
        "y": 90 - (np.arange(ROWS) + 0.5) * (180 / ROWS),
        "x": -180 + (np.arange(COLUMNS) + 0.5) * (360 / COLUMNS),
    }
    of, patches = (
        xarray.DataArray(values, at, ("y", "x")) for values in (cells, classes.astype(np.uint8))
    )
    places = globe(random, 1000)
    head(f"{ROWS:,} × {COLUMNS:,} cells of the globe", "gpuvoronoi", "the other", "ratio")
    try:
        import xrspatial
    except ImportError:
        xrspatial = None
    for metric, theirs in (("great-circle", "GREAT_CIRCLE"), ("euclidean", "EUCLIDEAN")):
        peer = (
            None
            if xrspatial is None
            else lambda: xrspatial.allocation(of, distance_metric=theirs).data
        )
        compared(
            f"`allocation(DataArray)`, 1,000 of its float64 cells are seeds, {metric}",
            lambda: gpuvoronoi.allocation(of, metric=metric),
            peer,
            them="xarray-spatial",
            patience=1,
        )
        on_gpu(of, metric, theirs, xrspatial)
    for name, task in (
        (
            "the same cells, all three results of `voronoi`, great-circle",
            lambda: gpuvoronoi.voronoi(of, metric="great-circle"),
        ),
        (
            "a quarter of the uint8 cells are seeds, in patches, all three results",
            lambda: gpuvoronoi.voronoi(patches, target_values=[1], metric="great-circle"),
        ),
        (
            "`voronoi`, all three results, 1,000 places, geodesic",
            lambda: gpuvoronoi.voronoi(places, like=of),
        ),
    ):
        compared(name, task)


def on_gpu(of, metric, theirs, xrspatial):
    try:
        import cupy

        there = of.copy(data=cupy.asarray(of.data))
    except Exception:  # CuPy's own: there is no GPU
        return

    def done(result):
        cupy.cuda.Device().synchronize()
        return result

    peer = (
        None
        if xrspatial is None
        else lambda: done(xrspatial.allocation(there, distance_metric=theirs).data)
    )
    compared(
        f"the same, {metric}, arrays of CuPy in and out",
        lambda: done(gpuvoronoi.allocation(there, metric=metric)),
        peer,
        them="xarray-spatial",
    )


def features(random):
    import shapely

    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    shape = (
        0.02
        * np.column_stack([np.cos(angles), np.sin(angles)])
        * (1 + 0.3 * np.sin(5 * angles))[:, None]
    )
    centers = np.column_stack([random.uniform(-170, 170, 20_000), random.uniform(-80, 80, 20_000)])
    from shapely.geometry import Polygon

    polygons = np.empty(len(centers), object)
    polygons[:] = [Polygon(center + shape) for center in centers]
    head("20,000 polygons of 49 vertices", "gpuvoronoi", "the other", "ratio")
    reading = (
        (lambda: shapely.to_ragged_array(polygons)) if hasattr(shapely, "to_ragged_array") else None
    )
    for metric in ("geodesic", "euclidean"):
        compared(
            f"`FeatureTree`, {metric}, reading included",
            lambda: gpuvoronoi.FeatureTree(polygons, metric),
            reading,
            them="`shapely.to_ragged_array`, no tree",
        )


def search(random):
    import faiss

    faiss.omp_set_num_threads(len(os.sched_getaffinity(0)))
    head("float32 points, brute force, searching alone", "gpuvoronoi", "the other", "ratio")
    for dim, queries, count, k in (
        (960, 1000, 100_000, 100),
        (128, 2000, 200_000, 100),
        (128, 2000, 200_000, 1),
    ):
        x, q = (random.random((n, dim), dtype=np.float32) for n in (count, queries))
        theirs, ours = faiss.IndexFlatL2(dim), gpuvoronoi.KDTree(x, backend="openmp")
        theirs.add(x)
        compared(
            f"{queries:,} of {count:,} in {dim} dimensions, k = {k}",
            lambda: ours.query(q, k=k, workers=-1),
            lambda: theirs.search(q, k),
            5,
            them="FAISS `IndexFlatL2`",
        )


def driver(random):
    from osgeo import gdal, ogr, osr

    gdal.UseExceptions()
    if gdal.GetDriverByName("VORONOI") is None:
        raise ImportError("the driver VORONOI: set GDAL_DRIVER_PATH")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/seeds.gpkg"
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(4326)
        layer_of = ogr.GetDriverByName("GPKG").CreateDataSource(path)
        layer = layer_of.CreateLayer("seeds", reference, ogr.wkbPoint)
        layer.StartTransaction()
        for lon, lat in zip(*globe(random, 100_000)):
            feature, place = ogr.Feature(layer.GetLayerDefn()), ogr.Geometry(ogr.wkbPoint)
            place.AddPoint_2D(lon, lat)
            feature.SetGeometry(place)
            layer.CreateFeature(feature)
        layer.CommitTransaction()
        layer = layer_of = None
        options = ["SIZE=400000,200000", "EXTENT=-180,-90,180,90", "METRIC=geodesic"]

        def opened():
            return gdal.OpenEx(f"VORONOI:{path}", open_options=options)

        def counted():
            source = ogr.Open(path)  # a layer does not keep it
            return sum(1 for _ in source.GetLayer(0))

        head(
            "100,000 seeds of a GeoPackage, 400,000 × 200,000 cells",
            "the driver",
            "the other",
            "ratio",
        )
        compared("opening", opened)
        compared(
            "and the first 1024 × 1024 cells",
            lambda: opened().ReadRaster(0, 0, 1024, 1024),
            counted,
            them="OGR from Python, reading the seeds",
        )
        compared(
            "and the whole globe on 1024 × 512 cells",
            lambda: opened().ReadRaster(0, 0, 400000, 200000, 1024, 512),
        )


if __name__ == "__main__":
    groups = (calls, points, rasters, features, search, driver)
    for group in groups:
        if len(sys.argv) > 1 and group.__name__ not in sys.argv[1:]:
            continue
        try:
            group(np.random.default_rng(1))
        except ImportError as error:
            print(f"\n{group.__name__}: left out: {error}", flush=True)
