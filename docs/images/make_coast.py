#!/usr/bin/env python3
"""Draw docs/images/coast.png: how far the coast is, inland and at sea, and which river system is nearest in South America. Needs
python3-gdal, numpy, matplotlib, and gmt with gmt-gshhg-low for the rivers.

    python3 make_coast.py GPUVORONOI LAND.geojson coast.png
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib
import numpy
from osgeo import gdal

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

gdal.UseExceptions()
BOX = -82, -56, -34, 13
LINES = [-2000, -1500, -1000, -500, 500, 1000, 1500, 2000]


def river_systems(folder):
    """Lists of lines that touch each other: GMT's come in pieces. It leaves its history in the folder."""
    west, south, east, north = BOX
    text = subprocess.run(
        [
            "gmt",
            "coast",
            f"-R{west}/{east}/{south}/{north}",
            "-Dl",
            "-Ir",
            "-M",
            "--FORMAT_FLOAT_OUT=%.6f",
        ],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    ).stdout
    lines = [
        [[float(x) for x in row.split()[:2]] for row in part.split("\n")[1:] if row]
        for part in text.split(">")
    ]
    lines = [[[(x + 180) % 360 - 180, y] for x, y in line] for line in lines if len(line) > 1]
    system = list(range(len(lines)))

    def root(i):
        while system[i] != i:
            i = system[i]
        return i

    at = {}
    for i, line in enumerate(lines):
        for place in map(tuple, line):
            system[root(i)] = root(at.setdefault(place, i))
    systems = {}
    for i, line in enumerate(lines):
        systems.setdefault(root(i), []).append(line)
    return list(systems.values())


def as_layer(systems):
    return json.dumps(
        {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "properties": {},
                    "geometry": {"type": "MultiLineString", "coordinates": lines},
                }
                for lines in systems
            ],
        }
    )


def main(program, land, picture):
    land = str(pathlib.Path(land).resolve())
    with tempfile.TemporaryDirectory() as folder:
        here, systems = pathlib.Path(folder), river_systems(folder)
        (here / "rivers.geojson").write_text(as_layer(systems))

        def run(*arguments):
            subprocess.run(
                [str(pathlib.Path(program).resolve()), *map(str, arguments)], cwd=here, check=True
            )
            return [
                gdal.Open(str(here / name)).ReadAsArray()
                for name in arguments
                if str(name).endswith(".tif")
            ]

        far, _ = run(
            "--seeds",
            land,
            "--edges",
            "geodesic",
            "--size",
            "1440,720",
            "--distance",
            "km.tif",
            "--distance-unit",
            "km",
            "--signed-distance",
            "land.tif",
        )
        near, system = run(
            "--seeds",
            "rivers.geojson",
            "--mask",
            land,
            f"--extent={','.join(map(str, BOX))}",
            "--res",
            "0.05",
            "--distance",
            "river.tif",
            "--distance-unit",
            "km",
            "system.tif",
        )
    figure = pyplot.figure(figsize=(12, 4.6), dpi=100)
    axes = figure.add_axes((0.01, 0.02, 0.68, 0.9), title="kilometers to the coast")
    axes.imshow(
        far, extent=(-180, 180, -90, 90), cmap="RdBu", vmin=-2700, vmax=2700, interpolation="none"
    )
    drawn = axes.contour(far, LINES, extent=(-180, 180, 90, -90), colors="#333333", linewidths=0.5)
    axes.clabel(drawn, fontsize=6, fmt=lambda value: f"{abs(value):.0f}")
    axes.contour(far, [0], extent=(-180, 180, 90, -90), colors="black", linewidths=0.6)
    axes.set_axis_off()
    axes = figure.add_axes((0.7, 0.02, 0.29, 0.9), title="the nearest river system")
    colors = matplotlib.colormaps["tab20"]((system.astype(numpy.int64) * 7919 % 20) / 20.0)[..., :3]
    fade = numpy.clip(near / 400, 0, 1)[..., None] ** 0.7
    shown = numpy.where(
        numpy.isfinite(near)[..., None], colors * (1 - 0.8 * fade) + 0.8 * fade, 1.0
    )
    west, south, east, north = BOX
    axes.imshow(numpy.clip(shown, 0, 1), extent=(west, east, south, north), interpolation="none")
    for lines in systems:
        for line in lines:
            axes.plot(*zip(*line), color="#203864", linewidth=0.6)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    axes.set_axis_off()
    figure.savefig(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
