#!/usr/bin/env python3
"""Charts and Markdown tables from `gpuvoronoi bench search --csv FILE`.

    plot_search.py FILE... --charts FOLDER > tables.md

One SVG for each suite: search time of every backend over the cases, logarithmic.
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def label(row):
    data = "" if row["suite"] != "d" else " " + row["data"].split()[0]
    return f"d {row['dim']}, {row['queries']} × {row['references']}, k {row['k']}{data}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--charts", required=True)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.files:
        with open(name) as f:
            rows += list(csv.DictReader(f))
    plt.rcParams["svg.hashsalt"] = "gpuvoronoi"
    for suite in sorted({row["suite"] for row in rows}):
        mine = [row for row in rows if row["suite"] == suite]
        cases = list(dict.fromkeys(label(row) for row in mine))
        backends = list(dict.fromkeys(row["backend"] for row in mine))
        found = {(label(row), row["backend"]): row for row in mine}

        print(f"### Suite {suite}\n")
        print("Search in ms, median of the runs (build in ms); − was left out.\n")
        print("| case | " + " | ".join(backends) + " |")
        print("|---|" + "---|" * len(backends))
        for case in cases:
            cells = []
            for backend in backends:
                row = found.get((case, backend))
                cells.append("−" if row is None else
                             f"{1e3 * float(row['search_median_s']):.3g} ({1e3 * float(row['build_median_s']):.3g})")
            print(f"| {case} | " + " | ".join(cells) + " |")
        print(f"\n![Suite {suite}](images/search-suite-{suite}.svg)\n")

        figure, axes = plt.subplots(figsize=(9, 0.32 * len(cases) + 1.5))
        for backend in backends:
            at = [(float(found[case, backend]["search_median_s"]), i) for i, case in enumerate(cases)
                  if (case, backend) in found]
            axes.plot(*zip(*at), "o-", label=backend, markersize=4, linewidth=1)
        axes.set_xscale("log")
        axes.set_yticks(range(len(cases)), cases, fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel("search, seconds")
        axes.grid(axis="x", alpha=0.3)
        axes.legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(os.path.join(arguments.charts, f"search-suite-{suite}.svg"), metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
