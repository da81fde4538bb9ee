#!/usr/bin/env python3
"""Chart of the speed-up of cuda-multigpu over one GPU, from `gpuvoronoi bench search --csv FILE` with 1, 2, 4 ... GPUs.

    plot_scaling.py 1=one.csv 2=two.csv 4=four.csv --chart docs/images/search-gpu-scaling.svg
"""
import argparse
import csv

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", metavar="GPUS=FILE")
    parser.add_argument("--chart", required=True)
    arguments = parser.parse_args()
    seconds = {}  # case -> GPUs -> seconds
    for item in arguments.files:
        gpus, name = item.split("=", 1)
        with open(name) as f:
            for row in csv.DictReader(f):
                if row["backend"] != "cuda-multigpu":
                    continue
                case = f"d {row['dim']}, {row['queries']} × {row['references']}, k {row['k']}"
                seconds.setdefault(case, {})[int(gpus)] = float(row["search_median_s"])
    plt.rcParams["svg.hashsalt"] = "gpuvoronoi"
    figure, axes = plt.subplots(figsize=(7, 4.5))
    most = max(max(times) for times in seconds.values())
    axes.plot([1, most], [1, most], color="grey", linestyle=":", label="as many times as GPUs")
    for case, times in seconds.items():
        counts = sorted(times)
        axes.plot(counts, [times[counts[0]] / times[count] for count in counts], marker="o", label=case)
    axes.set_xlabel("GPUs")
    axes.set_xticks(sorted({count for times in seconds.values() for count in times}))
    axes.set_ylabel("speed-up of the whole search, copies included")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.chart, metadata={"Date": None})


if __name__ == "__main__":
    main()
