#!/usr/bin/env python3
"""Draw by-sea.png for docs/barriers.md or on-foot.png for docs/cost.md. Needs python3-gdal, numpy and matplotlib.

    make_ways.py by-sea GPUVORONOI LAND.geojson PICTURE.png
    make_ways.py on-foot GPUVORONOI ELEVATION.tif PLACES.csv PICTURE.png

The first has the distances by sea to ports of the world. The second has the days on foot to the nearest of PLACES, from a raster of
elevations in meters that covers the globe (ETOPO 2022): 5 km an hour at sea level, slower by a tenth for each 100 m, sea is a barrier.
"""

import pathlib
import subprocess
import sys
import tempfile

import matplotlib
import numpy
from osgeo import gdal

matplotlib.use("Agg")
from matplotlib import colors, pyplot  # noqa: E402

gdal.UseExceptions()
EXTENT = (-180, 180, -90, 90)
SEA = "#d6e0ea"
PORTS = """lon,lat,port
3.5,52.1,Rotterdam
-74,40.2,New York
-46.4,-24.3,Santos
18.2,-33.9,Cape Town
57,25,Fujairah
103.9,1.1,Singapore
122.5,30.9,Shanghai
140,34.8,Tokyo
151.6,-34,Sydney
-118.4,33.5,Los Angeles
-79.7,9.5,Colón
-79.5,8.6,Panama
"""


def run(program, here, *arguments):
    """The raster that the command computes."""
    subprocess.run(
        [str(pathlib.Path(program).resolve()), *arguments, "nearest.tif"], cwd=here, check=True
    )
    return [gdal.Open(str(here / name)).ReadAsArray() for name in ("nearest.tif", "far.tif")]


def draw(nearest, far, lines, unit, points, picture):
    """Regions of one color each, paler with the distance, and lines of equal distance."""
    regions = colors.hsv_to_rgb([(0.618 * i % 1, 0.55, 0.8) for i in range(nearest.max() + 1)])
    known = numpy.isfinite(far)
    image = numpy.where(
        known[..., None], regions[numpy.where(known, nearest, 0)], colors.to_rgb(SEA)
    )
    fade = 0.7 * numpy.clip(numpy.nan_to_num(far) / lines[-1], 0, 1)[..., None]
    image = numpy.where(known[..., None], image * (1 - fade) + fade, image)
    figure = pyplot.figure(figsize=(12, 6.4), dpi=100)
    axes = figure.add_axes((0, 0.06, 1, 0.94))
    axes.imshow(image, extent=EXTENT, interpolation="none", aspect="auto")
    drawn = axes.contour(far, lines, extent=(-180, 180, 90, -90), colors="#333333", linewidths=0.5)
    axes.clabel(drawn, fontsize=6, fmt=f"%g {unit}")
    axes.plot(
        *points, "o", color="black", markersize=3, markeredgecolor="white", markeredgewidth=0.5
    )
    axes.set_axis_off()
    figure.text(
        0.5, 0.02, f"one color for each point, lines of equal distance ({unit})", ha="center"
    )
    figure.savefig(picture)


def by_sea(here, program, land, picture):
    (here / "ports.csv").write_text(PORTS, encoding="utf-8")
    land = str(pathlib.Path(land).resolve())
    nearest, far = run(
        program,
        here,
        "--seeds",
        "ports.csv",
        "--barriers",
        land,
        "--res",
        "0.5",
        "--distance",
        "far.tif",
    )
    points = numpy.array([row.split(",")[:2] for row in PORTS.splitlines()[1:]], float).T
    draw(nearest, far / 1e6, [2, 4, 6, 8, 10, 12], "thousand km", points, picture)


def on_foot(here, program, elevation, places, picture):
    source = gdal.Open(elevation)
    height = source.ReadAsArray().astype(float)
    friction = numpy.where(
        height > 0, 1 / 5000 / 24 * (1 + numpy.maximum(height, 0) / 1000), -1
    )  # days a meter
    made = gdal.GetDriverByName("GTiff").Create(
        str(here / "friction.tif"), *height.T.shape, 1, gdal.GDT_Float64
    )
    made.SetGeoTransform(source.GetGeoTransform())
    made.SetProjection(source.GetProjection())
    made.GetRasterBand(1).SetNoDataValue(-1)
    made.GetRasterBand(1).WriteArray(friction)
    made = None
    places = str(pathlib.Path(places).resolve())
    nearest, far = run(
        program, here, "--seeds", places, "--cost", "friction.tif", "--distance", "far.tif"
    )
    points = numpy.loadtxt(places, delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    draw(nearest, far, [2, 5, 10, 15, 20, 30], "days", points, picture)


def main(what, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        {"by-sea": by_sea, "on-foot": on_foot}[what](pathlib.Path(folder), *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
