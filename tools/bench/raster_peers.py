#!/usr/bin/python3
"""The engine against scipy's cKDTree on the same cells: python3 tools/bench/raster_peers.py build/gpuvoronoi-bench

The tree holds the seeds as unit vectors and is queried for the cells of every STEP-th row of the raster, all
processors; its rate is set against that of `gpuvoronoi-bench raster` for the whole raster, which runs
right after it. Both report the median of RUNS runs.
"""

import json
import subprocess
import sys
import time

import numpy as np
from scipy.spatial import cKDTree

WIDTH, HEIGHT, STEP, RUNS = 21600, 10800, 108, 3


def unit_vectors(lon, lat):
    lon, lat = np.radians(lon), np.radians(lat)
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def scipy_rate(count):
    random = np.random.default_rng(42)
    tree = cKDTree(
        unit_vectors(
            random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))
        )
    )
    rows = 90 - (np.arange(0, HEIGHT, STEP) + 0.5) * 180 / HEIGHT
    columns = -180 + (np.arange(WIDTH) + 0.5) * 360 / WIDTH
    lon, lat = np.meshgrid(columns, rows)
    cells = unit_vectors(lon.ravel(), lat.ravel())
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        tree.query(cells, workers=-1)
        seconds.append(time.perf_counter() - start)
    return len(cells) / np.median(seconds) / 1e6


def engine_rate(program, count):
    done = subprocess.run(
        [
            program,
            "raster",
            "--metric",
            "great-circle",
            "--seeds",
            str(count),
            "--runs",
            str(RUNS),
            "--size",
            f"{WIDTH},{HEIGHT}",
            "--json",
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])["M/s"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"{'seeds':>9} {'cKDTree Mcell/s':>16} {'tile Mcell/s':>13} {'ratio':>7}")
    for seeds in (1000, 10000, 100000):
        peer, ours = scipy_rate(seeds), engine_rate(sys.argv[1], seeds)
        print(f"{seeds:>9} {peer:16.2f} {ours:13.1f} {ours / peer:7.0f}")
