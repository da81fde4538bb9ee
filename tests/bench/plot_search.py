#!/usr/bin/env python3
"""Charts and Markdown tables from `gpuvoronoi bench search --csv FILE`.

    plot_search.py FILE... --charts FOLDER [--name search-gpu] > tables.md

One SVG for each suite: search time of every backend over the cases, logarithmic; for backends on a GPU the time on the
device, without copies.
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


def seconds(row):
    """What the chart shows: the time on the device where there is one."""
    device = float(row.get("device_median_s") or 0)
    return device if device > 0 else float(row["search_median_s"])


def cell(row):
    search, build = 1e3 * float(row["search_median_s"]), 1e3 * float(row["build_median_s"])
    device = 1e3 * float(row.get("device_median_s") or 0)
    return f"{device:.3g} · {search:.3g} ({build:.3g})" if device > 0 else f"{search:.3g} ({build:.3g})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--charts", required=True)
    parser.add_argument("--name", default="search", help="of the charts: NAME-suite-a.svg")
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
        devices = any(float(row.get("device_median_s") or 0) > 0 for row in mine)
        print(("On the device · " if devices else "") +
              "search in ms, median of the runs (build in ms); − was left out.\n")
        # More backends than fit side by side go into rows.
        down, across = (backends, cases) if len(backends) > len(cases) else (cases, backends)
        print(f"| {'backend' if down is backends else 'case'} | " + " | ".join(across) + " |")
        print("|---|" + "---|" * len(across))
        for first in down:
            rows_of = [found.get((second, first) if down is backends else (first, second)) for second in across]
            print(f"| {first} | " + " | ".join("−" if row is None else cell(row) for row in rows_of) + " |")
        print(f"\n![Suite {suite}](images/{arguments.name}-suite-{suite}.svg)\n")

        figure, axes = plt.subplots(figsize=(9, 0.32 * len(cases) + 1.5))
        for backend in backends:
            at = [(seconds(found[case, backend]), i) for i, case in enumerate(cases)
                  if (case, backend) in found]
            axes.plot(*zip(*at), "o-", label=backend, markersize=4, linewidth=1)
        axes.set_xscale("log")
        axes.set_yticks(range(len(cases)), cases, fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel("search, seconds")
        axes.grid(axis="x", alpha=0.3)
        axes.legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(os.path.join(arguments.charts, f"{arguments.name}-suite-{suite}.svg"), metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
