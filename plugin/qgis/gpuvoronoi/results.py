"""Looking into what the program made."""

import array
import os
import struct
import sys

from osgeo import gdal

from .layers import open_dataset


def numbers(path):
    """The values of the program's .npy files of doubles, row after row."""
    with open(path, "rb") as file:
        file.seek(8)
        (header,) = struct.unpack("<H", file.read(2))
        file.seek(header, os.SEEK_CUR)
        values = array.array("d", file.read())
    if sys.byteorder == "big":
        values.byteswap()
    return values


def number_of_features(path):
    dataset = open_dataset(path, gdal.OF_VECTOR)
    return dataset.GetLayer(0).GetFeatureCount() if dataset is not None else 0
