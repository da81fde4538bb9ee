#!/usr/bin/env python3
"""Make an invented population raster: no census, only something that looks like one, for examples and tests.

Half-degree pixels, people a pixel (Float32), 8 thousand million in all, on land south of 72 degrees north and north of 56
south. Three thousand towns at random places on land, with sizes that fall as 1 / rank, each spread around with a scale of
a degree, over a thin even background. The same pixels on every machine with the same numpy.

    python3 make_population.py LAND.geojson population.tif
"""

import sys

import numpy
from osgeo import gdal, ogr, osr

WIDTH, HEIGHT, TOTAL, TOWNS = 720, 360, 8e9, 3000


def land_pixels(path):
    target = gdal.GetDriverByName("MEM").Create("", WIDTH, HEIGHT, 1, gdal.GDT_Byte)
    target.SetGeoTransform((-180, 360 / WIDTH, 0, 90, 0, -180 / HEIGHT))
    source = gdal.OpenEx(path)
    gdal.RasterizeLayer(target, [1], source.GetLayer(0), burn_values=[1])
    return target.ReadAsArray() != 0


def main():
    gdal.UseExceptions()
    ogr.UseExceptions()
    osr.UseExceptions()
    random = numpy.random.default_rng(2026)
    latitude = 90 - (numpy.arange(HEIGHT) + 0.5) * 180 / HEIGHT
    longitude = -180 + (numpy.arange(WIDTH) + 0.5) * 360 / WIDTH
    settled = land_pixels(sys.argv[1]) & ((latitude < 72) & (latitude > -56))[:, None]
    area = numpy.cos(numpy.radians(latitude))[:, None] * settled
    rows, columns = numpy.unravel_index(
        random.choice(area.size, TOWNS, p=(area / area.sum()).ravel()), area.shape
    )
    people = 0.02 * area / area.sum()
    sizes = 1 / (numpy.arange(TOWNS) + 10)
    for row, column, size in zip(rows, columns, 0.98 * sizes / sizes.sum()):
        top, bottom = max(row - 12, 0), min(row + 13, HEIGHT)
        across = (longitude - longitude[column] + 180) % 360 - 180
        distance2 = (latitude[top:bottom, None] - latitude[row]) ** 2 + (
            across * numpy.cos(numpy.radians(latitude[row]))
        ) ** 2
        spread = numpy.exp(-numpy.sqrt(distance2)) * area[top:bottom]
        people[top:bottom] += size * spread / spread.sum()
    made = gdal.GetDriverByName("GTiff").Create(
        sys.argv[2], WIDTH, HEIGHT, 1, gdal.GDT_Float32, ["COMPRESS=DEFLATE"]
    )
    made.SetGeoTransform((-180, 360 / WIDTH, 0, 90, 0, -180 / HEIGHT))
    spatial = osr.SpatialReference()
    spatial.ImportFromEPSG(4326)
    made.SetSpatialRef(spatial)
    made.SetDescription("an invented population")
    made.GetRasterBand(1).SetDescription("people (invented)")
    made.GetRasterBand(1).WriteArray((people * TOTAL / people.sum()).astype(numpy.float32))


if __name__ == "__main__":
    main()
