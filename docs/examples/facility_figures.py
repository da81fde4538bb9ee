#!/usr/bin/env python3
"""Figures from a table of `gpuvoronoi --stats` and its rasters, and what planar tools make of the same points.

    facility_figures.py ALLOCATION.tif TABLE.csv POPULATION.tif

The sum of the population in the table is called `people`. The comparison is scipy's KD-tree on degrees as if they were
kilometers; people of a pixel are put to the cells by the even share that they have in the table. Needs numpy, scipy, GDAL.
"""

import csv
import sys

import numpy
from osgeo import gdal
from scipy.spatial import cKDTree


def main():
    allocation, table, population = sys.argv[1:4]
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    people = numpy.array([float(r["people_sum"] or 0) for r in rows])
    print(f"people served: {people.sum():,.0f} by {(people > 0).sum()} of {len(rows)} facilities")
    if "people_distance_mean" in rows[0]:
        mean = numpy.array([float(r["people_distance_mean"] or 0) for r in rows])
        print(f"mean distance of a person: {(people * mean).sum() / people.sum() / 1000:.1f} km")
    for rank, i in enumerate(numpy.argsort(-people)[:5]):
        print(
            f"  {rank + 1}. {rows[i]['name']}: {people[i]:,.0f} people, {float(rows[i]['area_km2']):,.0f} km2"
        )

    raster = gdal.Open(allocation)
    ids, g = raster.GetRasterBand(1).ReadAsArray(), raster.GetGeoTransform()
    x = g[0] + (numpy.arange(raster.RasterXSize) + 0.5) * g[1]
    y = g[3] + (numpy.arange(raster.RasterYSize) + 0.5) * g[5]
    cells = numpy.stack(numpy.meshgrid(x, y), axis=-1)
    seeds = numpy.array([[float(r["lon"]), float(r["lat"])] for r in rows])
    numbers = numpy.array([int(r["id"]) for r in rows])
    planar = numbers[cKDTree(seeds).query(cells, workers=-1)[1]]
    source = gdal.Open(population)
    s, counts = source.GetGeoTransform(), source.ReadAsArray().astype(float)
    nodata = source.GetRasterBand(1).GetNoDataValue()
    counts[counts == nodata] = 0
    column, row = ((x - s[0]) / s[1]).astype(int), ((y - s[3]) / s[5]).astype(int)
    share = (
        counts[row][:, column]
        / numpy.bincount(column)[column][None]
        / numpy.bincount(row)[row][:, None]
    )
    area = numpy.broadcast_to(numpy.cos(numpy.radians(y))[:, None], ids.shape)
    here = ids >= 0
    wrong = here & (planar != ids)
    print(
        f"nearest in degrees: wrong for {wrong.sum() / here.sum():.1%} of the cells, "
        f"{area[wrong].sum() / area[here].sum():.1%} of the area, {share[wrong].sum() / share[here].sum():.1%} of the people"
    )


if __name__ == "__main__":
    main()
