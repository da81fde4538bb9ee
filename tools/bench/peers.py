#!/usr/bin/env python3
"""Search speed beside other packages, on this machine, in one run: best of a few runs of each.

    peers.py COMMAND [--points N]

COMMAND is the gpuvoronoi program. Packages that are not installed (scipy, scikit-learn, pykdtree, pynanoflann) are left
out. The library is called through ctypes, the packages through Python, all on the same arrays in memory; the last line
times whole processes of the command, files in and out, against scipy in a Python that is already running.
"""

import argparse
import ctypes
import os
import subprocess
import tempfile
import time

import numpy as np


class Points(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("dim", ctypes.c_int32),
        ("dtype", ctypes.c_int),
    ]


class IndexOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("backend", ctypes.c_char_p),
        ("metric", ctypes.c_int),
        ("expected_k", ctypes.c_int32),
        ("expected_queries", ctypes.c_int64),
    ]


class SearchOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("k", ctypes.c_int32),
        ("max_distance", ctypes.c_double),
        ("exclude_self", ctypes.c_int),
    ]


def as_points(array):
    return Points(array.ctypes.data, array.shape[0], array.shape[1], 1)


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        assert self.library.gv_context_create(None, ctypes.byref(self.context)) == 0

    def build(self, reference, backend):
        index, points = ctypes.c_void_p(), as_points(reference)
        options = IndexOptions(ctypes.sizeof(IndexOptions), backend.encode(), 0, 0, 0)
        assert (
            self.library.gv_index_build(
                self.context, ctypes.byref(points), ctypes.byref(options), ctypes.byref(index)
            )
            == 0
        )
        return index

    def search(self, index, queries, k):
        indices, distances = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
        points = as_points(queries)
        options = SearchOptions(ctypes.sizeof(SearchOptions), k, np.inf, 0)
        assert (
            self.library.gv_index_search(
                self.context,
                index,
                ctypes.byref(points),
                ctypes.byref(options),
                ctypes.c_void_p(indices.ctypes.data),
                ctypes.c_void_p(distances.ctypes.data),
            )
            == 0
        )
        return indices

    def destroy(self, index):
        self.library.gv_index_destroy(index)


def best(function, runs=3):
    least, result = np.inf, None
    for _ in range(runs):
        start = time.perf_counter()
        result = function()
        least = min(least, time.perf_counter() - start)
    return least, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--library", required=True, help="libgpuvoronoi.so")
    parser.add_argument("--points", type=int, default=1000000)
    arguments = parser.parse_args()
    ours = Library(arguments.library)
    random = np.random.default_rng(1)
    n = arguments.points
    reference, queries = random.random((n, 3)), random.random((n, 3))
    print(f"d = 3, {n} uniform points and queries: seconds (best of 3)")
    print(f"{'':24} {'build':>8} {'k = 1':>8} {'k = 20':>8}")

    def row(name, build, one, twenty):
        print(f"{name:24} {build:8.3f} {one:8.3f} {twenty:8.3f}", flush=True)

    result = None
    for backend in ["kdtree", "octree"]:
        build, index = best(lambda: ours.build(reference, backend))
        one, result = best(lambda: ours.search(index, queries, 1))
        row(f"gpuvoronoi {backend}", build, one, best(lambda: ours.search(index, queries, 20))[0])
        ours.destroy(index)
    try:
        from scipy.spatial import cKDTree

        build, tree = best(lambda: cKDTree(reference), 2)
        one, found = best(lambda: tree.query(queries, workers=-1), 2)
        row(
            "scipy cKDTree, all cores",
            build,
            one,
            best(lambda: tree.query(queries, k=20, workers=-1), 1)[0],
        )
        assert (found[1] == result[:, 0]).all()
    except ImportError:
        pass
    try:
        from pykdtree.kdtree import KDTree

        build, tree = best(lambda: KDTree(reference), 2)
        row(
            "pykdtree",
            build,
            best(lambda: tree.query(queries, k=1), 2)[0],
            best(lambda: tree.query(queries, k=20), 1)[0],
        )
    except ImportError:
        pass
    try:
        import pynanoflann

        tree = pynanoflann.KDTree(leaf_size=10)
        build, _ = best(lambda: tree.fit(reference), 2)
        row(
            "nanoflann (pynanoflann)",
            build,
            best(lambda: tree.kneighbors(queries, n_neighbors=1, n_jobs=os.cpu_count()), 2)[0],
            best(lambda: tree.kneighbors(queries, n_neighbors=20, n_jobs=os.cpu_count()), 1)[0],
        )
    except ImportError:
        pass

    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("r.npy", "q.npy", "out.npy")]
        np.save(names[0], reference)
        np.save(names[1], queries)
        call = [
            arguments.command,
            "search",
            "--reference",
            names[0],
            "--queries",
            names[1],
            "--overwrite",
            names[2],
        ]
        print(
            f"\nwhole command, .npy in and out: {best(lambda: subprocess.run(call, check=True))[0]:.3f}"
        )
        assert (np.load(names[2]) == result).all()

    reference, queries = random.random((1048576, 16)), random.random((1024, 16))
    index = ours.build(reference, "openmp")
    seconds, result = best(lambda: ours.search(index, queries, 1))
    print(f"\nd = 16, 1024 queries, 1048576 points: openmp {seconds:.3f}")
    try:
        from sklearn.metrics import pairwise_distances_argmin

        seconds, found = best(lambda: pairwise_distances_argmin(queries, reference), 2)
        print(f"scikit-learn pairwise_distances_argmin {seconds:.3f}")
        assert (found == result[:, 0]).all()
    except ImportError:
        pass

    print(
        "\nawkward sets, kdtree, 20000 points and queries, d = 3: milliseconds build, k = 1, k = 20"
    )
    line = np.repeat(random.random((20000, 1)), 3, axis=1)
    for name, points in [
        ("uniform", random.random((20000, 3))),
        ("one place", np.full((20000, 3), 0.5)),
        ("a line", line),
    ]:
        build, index = best(lambda: ours.build(points, "kdtree"), 7)
        times = [build] + [best(lambda: ours.search(index, points, k), 7)[0] for k in (1, 20)]
        print(f"{name:12}", *[f"{1e3 * t:8.2f}" for t in times])
        ours.destroy(index)


if __name__ == "__main__":
    main()
