#!/usr/bin/env python3
"""Random questions: every engine gives the bytes of `serial`, and those are what numpy, scipy and PROJ say.

    differential.py LIBGPUVORONOI.so [--first N] [--cases N] [--ways N]

Case N is the same on every machine, so a failure is repeated with --first N --cases 1. Each case is run in --ways random
ways (backend, instruction set, threads, size of blocks) of those that this machine has. Exit status: 0, or 1 and a line a
failure.
"""

import argparse
import collections
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
import cases
import library
import oracle

SETS = ("baseline", "avx2", "avx512")  # one that the processor lacks is the best it has


def ask(lib, case, backend, simd, threads, block):
    os.environ["GPUVORONOI_SIMD"] = simd
    common = dict(backend=backend, metric=case.metric, k=case.k, limit=case.limit, threads=threads)
    if case.grid is not None:
        return lib.allocate(
            case.grid,
            case.seeds,
            weighting=case.weighting,
            weights=case.weights,
            mask=case.mask,
            block=block,
            measured=case.measured,
            **common,
        )
    search = lib.search_globe if case.metric in cases.GLOBE_METRICS else lib.search
    return search(case.seeds, case.queries, exclude_self=case.exclude_self, **common)


def same(a, b):
    return all((x is None and y is None) or x.tobytes() == y.tobytes() for x, y in zip(a, b))


def run(lib, number, ways, count):
    """What is wrong about a case, or None."""
    case = cases.make(number)
    rng = np.random.default_rng([number, 1])
    try:
        expected = ask(lib, case, "serial", "avx512", 1, (0, 0))
    except library.Failed as failure:
        return f"{case}: serial: {failure}"
    check = oracle.check_search if case.grid is None else oracle.check_grid
    wrong = check(case, *expected[:2], rng)
    if wrong:
        return f"{case}: serial: {wrong}"
    usable = [
        name
        for name, searches, allocates in lib.backends
        if (allocates if case.grid is not None else searches)
    ]
    for _ in range(ways):
        backend, simd = str(rng.choice(usable + ["auto"])), str(rng.choice(SETS))
        threads, block = (
            int(rng.integers(1, 4)),
            tuple(int(n) for n in rng.choice([0, 1, 5, 16, 33, 64], 2)),
        )
        try:
            got = ask(lib, case, backend, simd, threads, block)
        except library.Failed as failure:
            if failure.status == library.UNSUPPORTED:
                count["refused"] += 1
                continue
            return f"{case}: {backend} {simd}, {threads} threads, blocks {block}: {failure}"
        count[backend] += 1
        if not same(expected, got):
            return f"{case}: {backend} {simd}, {threads} threads, blocks {block}: not the bytes of serial"
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--ways", type=int, default=4)
    asked = parser.parse_args()
    lib, count, failures = library.Library(asked.library), collections.Counter(), 0
    for number in range(asked.first, asked.first + asked.cases):
        wrong = run(lib, number, asked.ways, count)
        if wrong:
            print(wrong, flush=True)
            failures += 1
    print(
        f"{asked.cases} cases, {failures} failures; ways: "
        + ", ".join(f"{n} {name}" for name, n in sorted(count.items()))
    )
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
