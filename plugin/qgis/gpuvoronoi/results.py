"""Looking into what the program made."""

import struct

from osgeo import gdal

from .layers import open_dataset

CELLS_AT_ONCE = 1 << 20


def number_of_cells(path):
    dataset = open_dataset(path)
    return dataset.RasterXSize * dataset.RasterYSize if dataset is not None else 0


def is_empty(path):
    """Whether no cell of a raster has a value. It is read until there is one."""
    dataset = open_dataset(path)
    band = dataset.GetRasterBand(1) if dataset is not None else None
    if band is None or band.GetNoDataValue() is None:
        return False
    width, height = band.XSize, band.YSize
    rows = max(1, CELLS_AT_ONCE // width)
    nothing = struct.pack("d", band.GetNoDataValue()) * (width * rows)
    for top in range(0, height, rows):
        count = min(rows, height - top)
        values = band.ReadRaster(0, top, width, count, buf_type=gdal.GDT_Float64)
        if values is None or bytes(values) != nothing[: 8 * width * count]:
            return False
    return True


def number_of_seeds(path):
    """How many seeds the raster was made of."""
    dataset = open_dataset(path)
    return int(dataset.GetMetadataItem("GPUVORONOI_SEED_COUNT") or 0) if dataset is not None else 0


def number_of_features(path):
    dataset = open_dataset(path, gdal.OF_VECTOR)
    return dataset.GetLayer(0).GetFeatureCount() if dataset is not None else 0
