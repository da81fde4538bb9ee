"""Looking into what the program made, and after it."""

import array
import csv
import itertools
import json
import os
import struct
import sys

from osgeo import gdal, ogr

from .datasets import check_written, number_of_features, open_dataset

DROPPING = ("GPKG", "SQLite", "ESRI Shapefile")  # formats that let go of a field in place
COPIED = ("GeoJSON", "FlatGeobuf", "CSV")  # formats that are written anew without it
CHANGEABLE = (".gpkg", ".sqlite", ".shp", ".geojson", ".json", ".fgb", ".csv")  # endings of both


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


def leave_out_repeated_id(path, field, others):
    """
    Regions have ids as `id`, and the seeds' attributes beside that. Where the ids come of a field of the same name this
    is there again, as `seed_id`; `others` are the names of the seeds' fields.
    """
    again = f"seed_{field}".lower()
    if field.lower() != "id" or again in (other.lower() for other in others):
        return
    dataset = open_dataset(path, gdal.OF_VECTOR)
    if dataset is None:
        return
    definition = dataset.GetLayer(0).GetLayerDefn()
    index = definition.GetFieldIndex(again)
    if index < 0 or definition.GetFieldDefn(index).GetType() not in (
        ogr.OFTInteger,
        ogr.OFTInteger64,
    ):
        return  # a text has another number
    leave_out_field(path, again)


def leave_out_field(path, name):
    """Deletes a field from a file, in place or by writing it anew."""
    driver = gdal.IdentifyDriverEx(path, gdal.OF_VECTOR)
    if driver is not None and driver.ShortName in COPIED:
        write_without(path, name, driver.ShortName)
        return
    dataset = (
        open_dataset(path, gdal.OF_VECTOR | gdal.OF_UPDATE)
        if driver is not None and driver.ShortName in DROPPING
        else None
    )
    index = dataset.GetLayer(0).GetLayerDefn().GetFieldIndex(name) if dataset is not None else -1
    if index >= 0:
        check_written(path, dataset.GetLayer(0).DeleteField(index) == ogr.OGRERR_NONE)


def write_without(path, name, driver):
    """Writes a file anew without a field."""
    stem, ending = os.path.splitext(path)
    new = f"{stem}.new{ending}"
    if driver == "FlatGeobuf":
        dataset = open_dataset(path, gdal.OF_VECTOR)
        definition = dataset.GetLayer(0).GetLayerDefn()
        fields = [
            definition.GetFieldDefn(index).GetName() for index in range(definition.GetFieldCount())
        ]
        fields = [field for field in fields if field != name]
        name, definition = definition.GetName(), None
        gdal.VectorTranslate(new, dataset, format=driver, selectFields=fields, layerName=name)
        dataset = None  # closes the file, which is replaced
        check_written(new, number_of_features(new) == number_of_features(path))
    elif driver == "CSV":
        csv.field_size_limit(2**31 - 1)  # polygons are long
        with (
            open(path, newline="", encoding="utf-8") as old,
            open(new, "w", newline="", encoding="utf-8") as file,
        ):
            rows = csv.reader(old)
            heading = next(rows)
            kept = [index for index, field in enumerate(heading) if field != name]
            csv.writer(file, lineterminator="\n").writerows(
                [row[index] for index in kept] for row in itertools.chain([heading], rows)
            )
    else:
        with open(path, encoding="utf-8") as old, open(new, "w", encoding="utf-8") as file:
            content = json.load(old)
            for feature in content["features"]:
                feature["properties"].pop(name, None)
            json.dump(content, file, ensure_ascii=False)
    if os.path.exists(new):
        os.replace(new, path)
