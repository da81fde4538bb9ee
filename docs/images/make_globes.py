#!/usr/bin/env python3
"""Draw docs/images/globes.png: spherical Voronoi diagrams of several numbers of seeds on the QTM mesh, seen from far
away. Regions have the colors of the attribute table, paler on the sea. Needs python3-gdal.

    python3 make_globes.py GPUVORONOI LAND.geojson globes.png
"""

import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
from osgeo import gdal, ogr

gdal.UseExceptions()
ogr.UseExceptions()

COUNTS = [16, 64, 256, 1024, 4096, 16384]
LEVEL, EYE = 10, (15.0, 35.0)  # of the mesh; longitude and latitude above which the eye is
PANEL, SMOOTH, GAP, ACROSS = (
    300,
    3,
    12,
    3,
)  # pixels; a panel is drawn SMOOTH times as large and averaged


def write_seeds(path, count):
    """Fibonacci's lattice, each place moved at random by up to about half the distance of its neighbors."""
    random = numpy.random.default_rng(count)
    i = numpy.arange(count)
    z = 1 - (2 * i + 1) / count
    turn = i * math.pi * (3 - math.sqrt(5))
    ring = numpy.sqrt(1 - z * z)
    places = numpy.stack([ring * numpy.cos(turn), ring * numpy.sin(turn), z], 1)
    places += random.normal(0, 1.1 / math.sqrt(count), places.shape)
    places /= numpy.linalg.norm(places, axis=1, keepdims=True)
    lon, lat = (
        numpy.degrees(numpy.arctan2(places[:, 1], places[:, 0])),
        numpy.degrees(numpy.arcsin(places[:, 2])),
    )
    path.write_text("lon,lat\n" + "".join(f"{x:.6f},{y:.6f}\n" for x, y in zip(lon, lat)))


def colors(path):
    """Three rows of bytes, one entry a value."""
    raster = gdal.Open(str(path))  # must outlive its table
    table = raster.GetRasterBand(1).GetDefaultRAT()
    columns = [
        table.GetColOfUsage(u)
        for u in (gdal.GFU_MinMax, gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)
    ]
    value, *rgb = [table.ReadAsArray(c) for c in columns]
    found = numpy.full((value.max() + 2, 3), 255, numpy.float32)
    found[value] = numpy.stack(rgb, 1)
    return found


def land_raster(source):
    lonlat = gdal.GetDriverByName("MEM").Create("", 2880, 1440, 1, gdal.GDT_Byte)
    lonlat.SetGeoTransform([-180, 0.125, 0, 90, 0, -0.125])
    lonlat.SetProjection("EPSG:4326")
    vector = gdal.OpenEx(source)
    gdal.RasterizeLayer(lonlat, [1], vector.GetLayer(0), burn_values=[1])
    return lonlat


def places_seen(size):
    """Longitude and latitude of each pixel of an orthographic picture, and which pixels see the globe."""
    x, y = numpy.meshgrid(*[(numpy.arange(size) + 0.5) / size * 2.01 - 1.005] * 2)
    y = -y
    front = numpy.sqrt(numpy.maximum(0, 1 - x * x - y * y))
    eye = math.radians(EYE[1])
    up, out = y * math.cos(eye) + front * math.sin(eye), front * math.cos(eye) - y * math.sin(eye)
    lon = (EYE[0] + numpy.degrees(numpy.arctan2(x, out)) + 180) % 360 - 180
    return lon, numpy.degrees(numpy.arcsin(numpy.clip(up, -1, 1))), x * x + y * y < 1


def look(raster, lon, lat):
    """Values of a raster of the whole globe at these places."""
    values = raster.ReadAsArray()
    row = numpy.minimum(((90 - lat) / 180 * values.shape[0]).astype(int), values.shape[0] - 1)
    return values[
        row, numpy.minimum(((lon + 180) / 360 * values.shape[1]).astype(int), values.shape[1] - 1)
    ]


def panel(program, count, land, seen, directory):
    seeds, raster = directory / f"{count}.csv", directory / f"{count}.tif"
    write_seeds(seeds, count)
    subprocess.run(
        [program, "--seeds", seeds, "--level", str(LEVEL), raster, "--quiet"], check=True
    )
    lon, lat, globe = seen
    values = numpy.where(globe, look(gdal.Open(str(raster)), lon, lat), -1)
    picture = colors(raster)[values]
    picture[(land == 0) & (values >= 0)] *= 0.55
    picture[(land == 0) & (values >= 0)] += 0.45 * numpy.array([205, 220, 235], numpy.float32)
    edge = numpy.zeros(values.shape, bool)
    for axis in 0, 1:
        edge |= values != numpy.roll(values, 1, axis)
    if count <= 4096:
        picture[edge] = [60, 60, 66]
    return picture.reshape(PANEL, SMOOTH, PANEL, SMOOTH, 3).mean((1, 3))


def with_palette(picture, entries=200):
    """The picture in its best few colors, each pixel in the nearest: no dithering, which would not compress."""
    height, width = picture.shape[:2]
    full = gdal.GetDriverByName("MEM").Create("", width, height, 3, gdal.GDT_Byte)
    full.WriteArray(picture.transpose(2, 0, 1))
    table = gdal.ColorTable()
    gdal.ComputeMedianCutPCT(*[full.GetRasterBand(b) for b in (1, 2, 3)], entries, table)
    palette = numpy.array(
        [table.GetColorEntry(i)[:3] for i in range(table.GetCount())], numpy.float32
    )
    number = numpy.empty((height, width), numpy.uint8)
    for y in range(height):
        difference = picture[y, :, None].astype(numpy.float32) - palette
        number[y] = (difference * difference).sum(2).argmin(1)
    made = gdal.GetDriverByName("MEM").Create("", width, height, 1, gdal.GDT_Byte)
    made.GetRasterBand(1).SetColorTable(table)
    made.GetRasterBand(1).WriteArray(number)
    return made


def main(program, land_source, target):
    seen = places_seen(PANEL * SMOOTH)
    land = look(land_raster(land_source), *seen[:2])
    rows = (len(COUNTS) + ACROSS - 1) // ACROSS
    sheet = numpy.full(
        (rows * (PANEL + GAP) - GAP, ACROSS * (PANEL + GAP) - GAP, 3), 255.0, numpy.float32
    )
    with tempfile.TemporaryDirectory() as name:
        for i, count in enumerate(COUNTS):
            y, x = i // ACROSS * (PANEL + GAP), i % ACROSS * (PANEL + GAP)
            sheet[y : y + PANEL, x : x + PANEL] = panel(
                program, count, land, seen, pathlib.Path(name)
            )
    gdal.GetDriverByName("PNG").CreateCopy(
        target, with_palette(numpy.round(sheet).astype(numpy.uint8)), options=["ZLEVEL=9"]
    )
    pathlib.Path(target + ".aux.xml").unlink(missing_ok=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
