#!/usr/bin/env python3
"""Draw docs/images/qtm.png: the mesh on a globe, at another level in each octant. Needs numpy and matplotlib.

python3 make_qtm.py GPUVORONOI LAND.geojson qtm.png
"""

import json
import subprocess
import sys

import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

LEVELS = {1: 3, 2: 4, 4: 5, 5: 2, 3: 5, 6: 5, 8: 4, 7: 5}
EYE = (40.0, 32.0)  # longitude, latitude above which the eye is
COLORS = {"0": "#f4d58d", "1": "#8fb8de", "2": "#9bc59d", "3": "#e8998d"}


def corners(program, ids):
    """id -> its three corners in degrees."""
    output = subprocess.run(
        [program, "qtm", "info"], input="\n".join(ids), capture_output=True, text=True, check=True
    )
    found, current = {}, None
    for line in output.stdout.splitlines():
        key, _, value = line.partition(": ")
        if key == "id":
            current = found.setdefault(value, [])
        elif key.startswith("corner"):
            current.append(tuple(map(float, value.split())))
    return found


def project(lon, lat):
    """Orthographic x, y and the height towards the eye."""
    lon, lat = numpy.radians(numpy.asarray(lon) - EYE[0]), numpy.radians(lat)
    eye = numpy.radians(EYE[1])
    x = numpy.cos(lat) * numpy.sin(lon)
    y = numpy.cos(eye) * numpy.sin(lat) - numpy.sin(eye) * numpy.cos(lat) * numpy.cos(lon)
    z = numpy.sin(eye) * numpy.sin(lat) + numpy.cos(eye) * numpy.cos(lat) * numpy.cos(lon)
    return x, y, z


def outline(triangle, west):
    """The triangle's edges, straight in the ZOT plane, as many short pieces."""
    places = []
    for lon, lat in triangle:
        colatitude = 1 - abs(lat) / 90
        across = (lon - west) / 90
        places.append((colatitude * (1 - across), colatitude * across))
    sign = -1 if min(lat for _, lat in triangle) < 0 else 1
    lon, lat = [], []
    for (x0, y0), (x1, y1) in zip(places, places[1:] + places[:1]):
        for t in numpy.linspace(0, 1, 12, endpoint=False):
            x, y = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
            lon.append(west + (90 * y / (x + y) if x + y > 0 else 45))
            lat.append(sign * 90 * (1 - x - y))
    return lon, lat


def main():
    program, land, picture = sys.argv[1:4]
    ids = []
    for octant, level in LEVELS.items():
        names = [str(octant)]
        for _ in range(level):
            names = [name + digit for name in names for digit in "0123"]
        ids += names
    figure, axes = pyplot.subplots(figsize=(7, 7), dpi=90)
    shapes, colors = [], []
    for name, triangle in corners(program, ids).items():
        west = {1: 0, 2: 90, 3: -180, 0: -90}[int(name[0]) % 4]
        x, y, z = project(*outline(triangle, west))
        if (z > -0.02).all():
            shapes.append(numpy.column_stack([x, y]))
            colors.append(COLORS[name[-1]] if len(name) > 1 else "#dddddd")
    axes.add_collection(
        PolyCollection(shapes, facecolors=colors, edgecolors="#30343c", linewidths=0.7)
    )
    with open(land, encoding="utf-8") as source:
        for feature in json.load(source)["features"]:
            for ring in feature["geometry"]["coordinates"]:
                lon, lat = numpy.array(ring).T
                x, y, z = project(lon, lat)
                x[z < 0] = numpy.nan
                axes.plot(x, y, color="#1c2733", linewidth=1.3)
    axes.add_patch(pyplot.Circle((0, 0), 1, fill=False, color="#30343c", linewidth=1.5))
    axes.set(xlim=(-1.02, 1.02), ylim=(-1.02, 1.02), aspect="equal")
    axes.axis("off")
    figure.savefig(picture, bbox_inches="tight", pad_inches=0.05)


if __name__ == "__main__":
    main()
