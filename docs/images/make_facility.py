#!/usr/bin/env python3
"""Draw facility-distance.png or facility-served.png for docs/facility.md.

    make_facility.py distance DISTANCE.tif PICTURE.png LONGEST_KM [WIDTH]
    make_facility.py served ALLOCATION.tif TABLE.csv PICTURE.png [WIDTH]

The first darkens with distance up to LONGEST_KM; the second colors each region by the logarithm of `people_sum`. Needs
numpy and GDAL.
"""

import csv
import sys

import numpy
from osgeo import gdal

gdal.UseExceptions()
PALE, DARK, NONE = (
    numpy.array([255, 247, 188.0]),
    numpy.array([102, 20, 70.0]),
    numpy.array([214, 224, 234.0]),
)


def paint(share, known, path):
    middle = numpy.array([236, 112, 20.0])
    t = numpy.clip(numpy.nan_to_num(share), 0, 1)[..., None]
    image = numpy.where(
        t < 0.5, PALE + (middle - PALE) * 2 * t, middle + (DARK - middle) * (2 * t - 1)
    )
    image = numpy.where(known[..., None], image, NONE).round().astype(numpy.uint8)
    memory = gdal.GetDriverByName("MEM").Create(
        "", image.shape[1], image.shape[0], 3, gdal.GDT_Byte
    )
    for b in range(3):
        memory.GetRasterBand(b + 1).WriteArray(image[..., b])
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
    gdal.GetDriverByName("PNG").CreateCopy(path, memory, options=["ZLEVEL=9"])


def read(path, width):
    source = gdal.Open(path)
    return source.GetRasterBand(1).ReadAsArray(
        buf_xsize=width, buf_ysize=round(width * source.RasterYSize / source.RasterXSize)
    )


def main():
    if sys.argv[1] == "distance":
        km = read(sys.argv[2], int(sys.argv[5]) if len(sys.argv) > 5 else 1000) / 1000
        paint(km / float(sys.argv[4]), numpy.isfinite(km), sys.argv[3])
        return
    ids = read(sys.argv[2], int(sys.argv[5]) if len(sys.argv) > 5 else 1000)
    with open(sys.argv[3], newline="", encoding="utf-8") as file:
        people = {int(r["id"]): float(r["people_sum"] or 0) for r in csv.DictReader(file)}
    known, index = numpy.unique(ids, return_inverse=True)
    logarithm = numpy.log10(numpy.maximum([people.get(int(i), 0) for i in known], 1))
    share = (logarithm[index].reshape(ids.shape) - 4.5) / (8.3 - 4.5)
    border = numpy.zeros(ids.shape, bool)
    border[:, 1:] |= ids[:, 1:] != ids[:, :-1]
    border[1:] |= ids[1:] != ids[:-1]
    paint(numpy.where(border, 1.0, share), ids >= 0, sys.argv[4])


if __name__ == "__main__":
    main()
