#!/usr/bin/env python3
"""Draw an allocation raster of the globe as a picture: regions in the colors of its attribute table, the sea darker
than the land, lines between regions and a dot at every seed.

    python3 draw_map.py ALLOCATION.tif SEEDS.csv LAND.geojson PICTURE.png [WIDTH]

The raster is longitude and latitude. The picture is WIDTH pixels wide (default 1600); it is drawn twice as large and
averaged down, which smooths lines and coasts. Needs python3-gdal.
"""

import sys

import numpy
from osgeo import gdal, ogr, osr

gdal.UseExceptions()

LINE = numpy.array([40, 44, 52], dtype=numpy.float32)
DOT = numpy.array([20, 20, 24], dtype=numpy.float32)
HALO = numpy.array([250, 250, 250], dtype=numpy.float32)
SEA = numpy.array([70, 100, 140], dtype=numpy.float32)


def table_colors(band):
    """value -> (red, green, blue) from the raster attribute table."""
    table = band.GetDefaultRAT()
    if table is None:
        raise SystemExit("draw_map: the raster has no attribute table")
    columns = [
        table.GetColOfUsage(u)
        for u in (gdal.GFU_MinMax, gdal.GFU_Red, gdal.GFU_Green, gdal.GFU_Blue)
    ]
    if min(columns) < 0:
        raise SystemExit("draw_map: the attribute table has no value, red, green and blue columns")
    rows = range(table.GetRowCount())
    return {
        table.GetValueAsInt(r, columns[0]): [table.GetValueAsInt(r, c) for c in columns[1:]]
        for r in rows
    }


def land_mask(path, size, extent):
    """True on land, in a raster of the given size and extent."""
    width, height = size
    target = gdal.GetDriverByName("MEM").Create("", width, height, 1, gdal.GDT_Byte)
    target.SetGeoTransform(
        (
            extent[0],
            (extent[2] - extent[0]) / width,
            0,
            extent[3],
            0,
            (extent[1] - extent[3]) / height,
        )
    )
    spatial = osr.SpatialReference()
    spatial.ImportFromEPSG(4326)
    spatial.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    target.SetProjection(spatial.ExportToWkt())
    land = ogr.Open(path)
    gdal.RasterizeLayer(target, [1], land.GetLayer(), burn_values=[1])
    return target.ReadAsArray().astype(bool)


def main():
    allocation, seeds, land, picture = sys.argv[1:5]
    width = 2 * int(sys.argv[5] if len(sys.argv) > 5 else 1600)

    raster = gdal.Open(allocation)
    transform = raster.GetGeoTransform()
    extent = (
        transform[0],
        transform[3] + raster.RasterYSize * transform[5],
        transform[0] + raster.RasterXSize * transform[1],
        transform[3],
    )
    height = 2 * round(width * (extent[3] - extent[1]) / (extent[2] - extent[0]) / 2)
    colors = table_colors(raster.GetRasterBand(1))
    values = raster.ReadAsArray(buf_xsize=width, buf_ysize=height)

    known, index = numpy.unique(values, return_inverse=True)
    palette = numpy.array([colors.get(int(v), (255, 255, 255)) for v in known], dtype=numpy.float32)
    image = palette[index.reshape(values.shape)]
    on_land = land_mask(land, (width, height), extent)
    image = numpy.where(on_land[..., None], image * 0.85 + 38, image * 0.45 + SEA * 0.55)
    coast = numpy.zeros_like(on_land)
    coast[:, 1:] |= on_land[:, 1:] != on_land[:, :-1]
    coast[1:] |= on_land[1:] != on_land[:-1]
    image[coast] = image[coast] * 0.5 + LINE * 0.5

    border = numpy.zeros(values.shape, dtype=bool)
    border[:, 1:] |= values[:, 1:] != values[:, :-1]
    border[1:] |= values[1:] != values[:-1]
    border[:, :-1] |= border[:, 1:]
    image[border] = image[border] * 0.25 + LINE * 0.75

    source = ogr.Open(seeds)
    rows, columns = numpy.mgrid[-6:7, -6:7]
    distance = rows**2 + columns**2
    layer = source.GetLayer()
    for radius, color in ((30, HALO), (14, DOT)):
        layer.ResetReading()
        for feature in layer:
            x = int((float(feature.GetField("lon")) - extent[0]) / (extent[2] - extent[0]) * width)
            y = int((extent[3] - float(feature.GetField("lat"))) / (extent[3] - extent[1]) * height)
            spot = distance <= radius
            r, c = y + rows[spot], x + columns[spot]
            inside = (r >= 0) & (r < height) & (c >= 0) & (c < width)
            image[r[inside], c[inside]] = color

    smooth = (
        image.reshape(height // 2, 2, width // 2, 2, 3)
        .mean(axis=(1, 3))
        .round()
        .clip(0, 255)
        .astype(numpy.uint8)
    )
    memory = gdal.GetDriverByName("MEM").Create("", width // 2, height // 2, 3, gdal.GDT_Byte)
    for b in range(3):
        memory.GetRasterBand(b + 1).WriteArray(smooth[..., b])
    # An empty PAM setting keeps GDAL from writing an .aux.xml beside the picture.
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
    gdal.GetDriverByName("PNG").CreateCopy(picture, memory)


if __name__ == "__main__":
    main()
