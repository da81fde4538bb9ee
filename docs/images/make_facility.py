#!/usr/bin/env python3
"""Draw facility-distance.png or facility-served.png for docs/facility.md, with a legend of classes.

    make_facility.py distance DISTANCE.tif PICTURE.png
    make_facility.py served NEAREST.tif TABLE.csv PICTURE.png

The first colors each cell by its distance in kilometers, the second each region by the people that it serves (the column `people_sum`).
Needs python3-gdal, numpy and matplotlib.
"""

import csv
import sys

import matplotlib
import numpy
from osgeo import gdal

matplotlib.use("Agg")
from matplotlib import colors, patches, pyplot  # noqa: E402

gdal.UseExceptions()
WIDTH = 1000  # pixels
LEGEND = 0.6  # inches
KILOMETERS = [0, 10, 25, 50, 100, 150]
MILLIONS = [0, 0.1, 1, 5, 10, 25, 50, 100]
NONE = "#d6e0ea"


def read(path):
    """The first band in the picture's size, and its extent in degrees."""
    source = gdal.Open(path)
    left, width, _, top, _, height = source.GetGeoTransform()
    columns, rows = source.RasterXSize, source.RasterYSize
    values = source.GetRasterBand(1).ReadAsArray(
        buf_xsize=WIDTH, buf_ysize=round(WIDTH * rows / columns)
    )
    return values, (left, left + columns * width, top + rows * height, top)


def regions_of(nearest, table):
    """Millions of people of each cell's region, NaN without one, and where regions meet."""
    with open(table, newline="", encoding="utf-8") as file:
        people = {
            int(row["id"]): float(row["people_sum"] or 0) / 1e6 for row in csv.DictReader(file)
        }
    known, index = numpy.unique(nearest, return_inverse=True)
    millions = numpy.array([people.get(int(seed), numpy.nan) for seed in known])
    border = numpy.zeros(nearest.shape, bool)
    border[:, 1:] |= nearest[:, 1:] != nearest[:, :-1]
    border[1:] |= nearest[1:] != nearest[:-1]
    return millions[index].reshape(nearest.shape), border


def draw(values, bounds, title, extent, border, picture):
    palette = pyplot.get_cmap("YlOrRd", len(bounds))
    norm = colors.BoundaryNorm([*bounds, numpy.inf], palette.N)
    image = palette(norm(numpy.nan_to_num(values)))
    image[numpy.isnan(values)] = colors.to_rgba(NONE)
    image[border & ~numpy.isnan(values), :3] *= 0.6
    # A degree of longitude in the middle is as long as one of latitude.
    height = (
        10 * image.shape[0] / image.shape[1] / numpy.cos(numpy.radians((extent[2] + extent[3]) / 2))
    )
    figure = pyplot.figure(figsize=(10, height + LEGEND), dpi=100)
    axes = figure.add_axes((0, LEGEND / (height + LEGEND), 1, height / (height + LEGEND)))
    axes.imshow(image, extent=extent, interpolation="none", aspect="auto")
    axes.set_axis_off()
    texts = [f"{low:g} to {high:g}" for low, high in zip(bounds, bounds[1:])] + [
        f"{bounds[-1]:g} and more"
    ]
    marks = [patches.Patch(color=palette(i), label=text) for i, text in enumerate(texts)]
    figure.legend(
        handles=marks, loc="lower center", ncol=len(marks), frameon=False, title=title, fontsize=9
    )
    figure.savefig(picture)


def main(what, raster, *others):
    values, extent = read(raster)
    if what == "distance":
        draw(
            values / 1000,
            KILOMETERS,
            "kilometers to the nearest hospital",
            extent,
            numpy.zeros(values.shape, bool),
            *others,
        )
        return
    table, picture = others
    millions, border = regions_of(values, table)
    draw(
        millions,
        MILLIONS,
        "millions of people, served by the nearest place",
        extent,
        border,
        picture,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
