#!/usr/bin/env python3
"""The Markdown tables of docs/benchmarks-search.md, from `gpuvoronoi-bench search --json`.

tables.py FILE... > tables.md
"""

import json
import sys


def label(row):
    """ "b: d 3, 1 x 2, k 1, uniform" without the suite; suite d alone has data of two kinds."""
    suite, _, case = row["group"].partition(": ")
    before, _, after = case.partition(", k ")
    return case if suite == "d" else f"{before}, k {after.split(',')[0]}"


def cell(row):
    if row is None:
        return "−"
    search, build = 1e3 * row["seconds"], 1e3 * row["build"]
    return (
        f"{1e3 * row['device']:.3g} · " if "device" in row else ""
    ) + f"{search:.3g} ({build:.3g})"


def print_suite(suite, rows):
    cases = list(dict.fromkeys(map(label, rows)))
    backends = list(dict.fromkeys(row["case"] for row in rows))
    found = {(label(row), row["case"]): row for row in rows}
    on_device = "On the device · search" if any("device" in row for row in rows) else "Search"
    print(
        f"### Suite {suite}\n\n{on_device} in ms, median of the runs (build in ms); − was left out.\n"
    )
    # More backends than fit side by side go into rows.
    turned = len(backends) > len(cases)
    down, across = (backends, cases) if turned else (cases, backends)
    print(
        f"| {'backend' if turned else 'case'} | "
        + " | ".join(across)
        + " |\n|---|"
        + "---|" * len(across)
    )
    for first in down:
        print(
            f"| {first} | "
            + " | ".join(
                cell(found.get((second, first) if turned else (first, second))) for second in across
            )
            + " |"
        )
    print()


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    rows = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            rows += [row for row in map(json.loads, file) if "seconds" in row]
    for suite in sorted({row["group"][0] for row in rows}):
        print_suite(suite, [row for row in rows if row["group"][0] == suite])


if __name__ == "__main__":
    main()
