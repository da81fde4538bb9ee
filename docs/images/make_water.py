#!/usr/bin/env python3
"""Draw docs/images/water.png: where the nearest sea of the land is tropical, temperate or polar, and how far it is. Needs
python3-gdal, numpy and matplotlib.

    python3 make_water.py GPUVORONOI LAND.geojson water.png
"""

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
SIZE = 1440, 720
TROPIC, CIRCLE = 23.44, 66.56
CLASSES = {1: ("tropical", "#d1495b"), 2: ("temperate", "#3a7d44"), 3: ("polar", "#3d5a98")}
SEA = {1: "#f7dfe2", 2: "#dfeee1", 3: "#dfe5f1"}
LINES = [250, 500, 1000, 1500, 2000]


def classes_of_water(land):
    """A raster of seas by latitude, and 0 on land."""
    width, height = SIZE
    raster = gdal.GetDriverByName("MEM").Create("", width, height, 1, gdal.GDT_Byte)
    raster.SetGeoTransform((-180, 360 / width, 0, 90, 0, -180 / height))
    raster.SetProjection("OGC:CRS84")
    source = gdal.OpenEx(land)
    gdal.RasterizeLayer(raster, [1], source.GetLayer(0), burn_values=[1])
    dry = raster.ReadAsArray() != 0
    latitude = abs(90 - (numpy.arange(height) + 0.5) * 180 / height)[:, None]
    raster.GetRasterBand(1).WriteArray(
        numpy.where(dry, 0, numpy.where(latitude < TROPIC, 1, numpy.where(latitude < CIRCLE, 2, 3)))
    )
    return raster


def main(program, land, picture):
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        gdal.GetDriverByName("GTiff").CreateCopy(str(here / "water.tif"), classes_of_water(land))
        subprocess.run(
            [
                str(pathlib.Path(program).resolve()),
                "--seeds-raster",
                "water.tif",
                "--distance",
                "km.tif",
                "--distance-unit",
                "km",
                "class.tif",
            ],
            cwd=here,
            check=True,
        )
        nearest, far = (
            gdal.Open(str(here / name)).ReadAsArray() for name in ("class.tif", "km.tif")
        )
    colors = numpy.ones((*nearest.shape, 3))
    for value, (_, color) in CLASSES.items():
        dry, wet = (numpy.array(matplotlib.colors.to_rgb(c)) for c in (color, SEA[value]))
        fade = numpy.clip(far / 2500, 0, 1)[..., None] ** 0.6
        shade = numpy.where(far[..., None] > 0, dry * (1 - 0.75 * fade) + 0.75 * fade, wet)
        colors = numpy.where(nearest[..., None] == value, shade, colors)
    figure = pyplot.figure(figsize=(12, 6.5), dpi=100)
    axes = figure.add_axes((0.01, 0.07, 0.98, 0.92))
    axes.imshow(colors, extent=(-180, 180, -90, 90), interpolation="none")
    drawn = axes.contour(far, LINES, extent=(-180, 180, 90, -90), colors="#333333", linewidths=0.5)
    axes.clabel(drawn, fontsize=6, fmt="%d km")
    axes.set_axis_off()
    marks = [matplotlib.patches.Patch(color=color, label=name) for name, color in CLASSES.values()]
    figure.legend(
        handles=marks, loc="lower center", ncol=3, frameon=False, title="the nearest sea is"
    )
    figure.savefig(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
