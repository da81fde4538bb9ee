#!/usr/bin/env python3
"""k nearest neighbors of all points of a set on one GPU, arrays of the device in and out, beside jz-tree if it is installed.

usage: gpu_peers.py [RUNS]      GPUVORONOI_LIBRARY: the library. Needs CuPy; jz-tree needs JAX.

Prints the least milliseconds of RUNS (default 5) for building and searching together. Indices are compared with jz-tree's, which
computes in float32: the part of equal numbers is printed.
"""

import sys
import time

import cupy
import numpy as np

import gpuvoronoi

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def least_ms(run):
    seconds = []
    for _ in range(RUNS + 1):  # the first is not counted
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        result = run()
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    return 1e3 * min(seconds[1:]), result


def ours(points, k):
    return gpuvoronoi.KDTree(points).query(points, k)[1]


def peer(points, k):
    """A function that runs jz-tree on the same points, or None."""
    try:
        import jax.numpy as jnp
        from jztree.knn import knn
    except ImportError as error:
        print(f"jz-tree: {error}")
        return None
    copy = jnp.asarray(cupy.asnumpy(points), dtype=jnp.float32)
    return lambda: [a.block_until_ready() for a in knn.jit(copy, k=k)][1]


def point_sets(count):
    """float32 values, so that both see the same points: uniform ones, and 100 normal distributions of several widths."""
    random = np.random.default_rng(1)
    yield "uniform", random.random((count, 3), dtype=np.float32)
    centers, widths, which = (
        random.random((100, 3)),
        random.uniform(0.001, 0.05, 100),
        random.integers(0, 100, count),
    )
    yield (
        "clusters",
        (centers[which] + random.standard_normal((count, 3)) * widths[which, None]).astype(
            np.float32
        ),
    )


print("| points | k | gpuvoronoi ms | jz-tree ms | equal |")
print("|---|---|---|---|---|")
for count in (1_000_000, 10_000_000):
    for name, values in point_sets(count):
        points = cupy.asarray(values.astype(np.float64))
        for k in (1, 8, 32, 33, 64, 128, 256):
            ms, found = least_ms(lambda: ours(points, k))
            run = peer(points, k) if k <= 64 else None
            theirs, equal = "", ""
            if run is not None:
                their_ms, indices = least_ms(run)
                theirs = f"{their_ms:.1f}"
                equal = f"{np.mean(np.asarray(indices)[:100_000].reshape(-1) == cupy.asnumpy(found[:100_000]).reshape(-1)):.6f}"
            print(f"| {count:,} {name} | {k} | {ms:.1f} | {theirs} | {equal} |", flush=True)
            del found
