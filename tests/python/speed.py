#!/usr/bin/python3
"""
Prints what docs/python.md says about speed: what a call costs beyond its work, and ratios to others, which run in turn with it. The
least of several times counts, as other programs may be running; ratios are of processor seconds. To be run by hand:

    GPUVORONOI_LIBRARY=... PYTHONPATH=python /usr/bin/python3 tests/python/speed.py
"""

import subprocess
import sys
import time

import numpy as np

import gpuvoronoi

REPEATS = 3
CALLS, BURSTS = 300, 60  # of calls of microseconds
RASTERS = 21


def seconds(task, clock, count=1):
    begun = clock()
    for _ in range(count):
        task()
    return (clock() - begun) / count


def compared(name, ours, theirs):
    mine, other = [], []
    for _ in range(REPEATS):
        mine.append(seconds(ours, time.process_time))
        other.append(seconds(theirs, time.process_time))
    print(f"| {name} | {min(mine):.2g} s | {min(other):.2g} s | {min(other) / min(mine):.2g} |", flush=True)


def importing():
    """Milliseconds of `import gpuvoronoi` beyond numpy."""
    code = "import numpy, time; begun = time.process_time(); import gpuvoronoi; print((time.process_time() - begun) * 1000)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(REPEATS))


def globe(random, count):
    return random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))


def overhead(random):
    from scipy.spatial import cKDTree

    places = random.random((100, 3))
    ours, theirs, one = gpuvoronoi.KDTree(places), cKDTree(places), random.random(3)
    on_globe = gpuvoronoi.GlobeTree(*globe(random, 100))
    print("| call | microseconds |\n|---|---|")
    for name, task in (("`KDTree.query` of one point", lambda: ours.query(one)), ("scipy's `cKDTree.query` of it", lambda: theirs.query(one)),
                       ("`GlobeTree.query` of one point", lambda: on_globe.query(13.4, 52.5, workers=1))):
        print(f"| {name} | {min(seconds(task, time.perf_counter, CALLS) for _ in range(BURSTS)) * 1e6:.0f} |")
    print(f"\n`import gpuvoronoi` takes {importing():.0f} ms beyond numpy.\n", flush=True)


def ratios(random):
    from scipy.spatial import cKDTree

    print("| | gpuvoronoi | the other | ratio |\n|---|---|---|---|")
    places, queries = random.random((1_000_000, 3)), random.random((1_000_000, 3))
    compared("10⁶ of 10⁶ points in 3-D, scipy's `cKDTree`, building included",
             lambda: gpuvoronoi.KDTree(places).query(queries, workers=-1), lambda: cKDTree(places).query(queries, workers=-1))
    from sklearn.neighbors import BallTree

    (lon, lat), (x, y) = globe(random, 100_000), globe(random, 1_000_000)
    radians = np.radians(np.column_stack([lat, lon])), np.radians(np.column_stack([y, x]))
    compared("10⁶ of 10⁵ places on the globe, scikit-learn's `BallTree` (haversine, a sphere)",
             lambda: gpuvoronoi.GlobeTree(lon, lat).query(x, y), lambda: BallTree(radians[0], metric="haversine").query(radians[1]))


def rasters(random):
    """Processor milliseconds of calls, all threads together."""
    import xarray

    rows, columns = 2160, 4320
    cells = np.zeros((rows, columns))
    cells.flat[random.choice(cells.size, 1000, replace=False)] = np.arange(1, 1001)
    classes = np.add.outer(np.arange(rows) // 97, np.arange(columns) // 113) % 4
    at = {"y": 90 - (np.arange(rows) + 0.5) * (180 / rows), "x": -180 + (np.arange(columns) + 0.5) * (360 / columns)}
    of, patches = (xarray.DataArray(values, at, ("y", "x")) for values in (cells, classes.astype(np.uint8)))
    places = globe(random, 1000)
    print("\n| 2,160 × 4,320 cells of the globe | processor milliseconds |\n|---|---|")
    for name, task in (
            ("`allocation(DataArray)`, 1,000 of its float64 cells are seeds, great circles", lambda: gpuvoronoi.allocation(of, metric="great-circle")),
            ("the same, euclidean", lambda: gpuvoronoi.allocation(of, metric="euclidean")),
            ("the same, all three answers of `voronoi`, great circles", lambda: gpuvoronoi.voronoi(of, metric="great-circle")),
            ("the same, a quarter of its uint8 cells are seeds, in patches",
             lambda: gpuvoronoi.voronoi(patches, target_values=[1], metric="great-circle")),
            ("`voronoi`, all three answers, 1,000 places, geodesic", lambda: gpuvoronoi.voronoi(places, like=of))):
        task()
        print(f"| {name} | {min(seconds(task, time.process_time) for _ in range(RASTERS)) * 1e3:.0f} |", flush=True)


def against_xarray_spatial(random):
    """Both are told of 1,000 cells that are seeds, in 300 x 600 cells of the globe."""
    import xarray
    from xrspatial import allocation

    cells = np.zeros((300, 600))
    cells.flat[random.choice(cells.size, 1000, replace=False)] = np.arange(1, 1001)
    lat, lon = 90 - (np.arange(300) + 0.5) * 0.6, -180 + (np.arange(600) + 0.5) * 0.6
    raster = xarray.DataArray(cells, dims=("y", "x"), coords={"y": lat, "x": lon})
    rows, columns = np.nonzero(cells)
    ids = cells[rows, columns].astype(int)

    def theirs():
        return allocation(raster, x="x", y="y", distance_metric="GREAT_CIRCLE").values

    theirs()  # compiled
    compared("allocation of 300 × 600 cells among 1,000 great-circle, xarray-spatial's `allocation`",
             lambda: gpuvoronoi.allocation((lon[columns], lat[rows]), like=raster, metric="great-circle", ids=ids), theirs)


if __name__ == "__main__":
    overhead(np.random.default_rng(1))
    ratios(np.random.default_rng(1))
    rasters(np.random.default_rng(1))
    try:
        against_xarray_spatial(np.random.default_rng(1))
    except ImportError:
        print("no xarray-spatial here")
