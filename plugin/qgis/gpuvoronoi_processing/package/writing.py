"""Rasters written by QGIS's own GDAL, with their names, and the ids that are their values."""

import colorsys
import os

import numpy as np
from osgeo import gdal
from qgis.core import QgsRasterFileWriter

from ..i18n import tr

TYPES = {
    "uint8": gdal.GDT_Byte,
    "int16": gdal.GDT_Int16,
    "uint16": gdal.GDT_UInt16,
    "int32": gdal.GDT_Int32,
    "uint32": gdal.GDT_UInt32,
    "float32": gdal.GDT_Float32,
    "float64": gdal.GDT_Float64,
    "int64": getattr(gdal, "GDT_Int64", None),
}
DEFAULTS = {"GTiff": {"COMPRESS": "DEFLATE", "TILED": "YES"}}
MOST_NAMES = 65535
GOLDEN = 0.618033988749895


class Values:
    """Bands of a raster, and the value of cells without a seed."""

    def __init__(self, bands, nodata, description=""):
        self.bands, self.nodata, self.description = bands, nodata, description


class Ids:
    """What the raster of nearest seeds holds: ids, or the values of a field, of a type that may be given."""

    def __init__(self, kind, attribute):
        self.kind = None if kind is None else np.dtype({"Byte": "uint8"}.get(kind, kind.lower()))
        self.attribute = attribute

    def of_numbers(self, ids, numbers):
        """Whole numbers; cells without a seed have −1, or the least number if that is an id."""
        small = ids.size == 0 or (ids.min() >= np.iinfo(np.int32).min and ids.max() <= np.iinfo(np.int32).max)
        kind = self.kind or np.dtype(np.int32 if small else np.int64)
        limits = np.iinfo(kind)
        if ids.size and (ids.min() < limits.min or ids.max() > limits.max):
            raise ValueError(tr("Unsupported by this backend or file format; choose another"))
        if limits.min == 0:
            nodata = limits.max if not np.any(ids == limits.max) else 0
        else:
            nodata = -1 if not np.any(ids == -1) else limits.min
        return Values(np.where(numbers < 0, nodata, ids[numbers]).astype(kind), nodata)

    def of_field(self, places, numbers):
        """Real numbers are NaN in cells without a seed."""
        given = places.field(self.attribute)
        if any(value is None or isinstance(value, str) for value in given):
            raise ValueError(tr("“{field}” has empty values or text; expected numbers").format(field=self.attribute))
        values, name = np.array(given), f"{self.attribute} of the nearest seed"
        if values.dtype.kind == "i" and (self.kind is None or self.kind.kind != "f"):
            made = self.of_numbers(values.astype(np.int64), numbers)
            return Values(made.bands, made.nodata, name)
        kind = self.kind or np.dtype(np.float64)
        if kind.kind != "f":
            raise ValueError(tr("Unsupported by this backend or file format; choose another"))
        return Values(np.where(numbers < 0, np.nan, values.astype(float)[numbers]).astype(kind), np.nan, name)


def write(path, grid, bands, nodata, unit, descriptions, creation, table=None):
    """Makes a raster file. `table` is its attribute table."""
    name = QgsRasterFileWriter.driverForExtension(os.path.splitext(path)[1][1:])
    driver = gdal.GetDriverByName(name) if name else None
    kind = TYPES.get(bands.dtype.name)
    if driver is None or kind is None:
        raise ValueError(tr("Unsupported file format for this result; choose another, for example .tif or .gpkg"))
    given = dict(option.split("=", 1) for option in creation)
    options = [f"{key}={value}" for key, value in {**DEFAULTS.get(name, {}), **given}.items()]
    creates = driver.GetMetadataItem("DCAP_CREATE") == "YES"
    target = driver if creates else gdal.GetDriverByName("MEM")
    made = target.Create(path if creates else "", grid.columns, grid.rows, len(bands), kind, options if creates else [])
    if made is None:
        raise OSError(tr("Cannot write {file}: {reason}").format(file=path, reason=gdal.GetLastErrorMsg()))
    made.SetGeoTransform(grid.transform)
    if grid.crs is not None:
        made.SetSpatialRef(grid.crs)
    for number, values in enumerate(bands, 1):
        band = made.GetRasterBand(number)
        # Bands of 64-bit integers accept integers only, with all digits.
        band.SetNoDataValue(int(nodata) if bands.dtype.kind in "iu" else float(nodata))
        band.SetUnitType(unit)
        band.SetDescription(descriptions(number))
        if table is not None:
            band.SetDefaultRAT(table)
        band.WriteArray(np.ascontiguousarray(values))
    if not creates and driver.CreateCopy(path, made, 0, options) is None:
        raise OSError(tr("Cannot write {file}: {reason}").format(file=path, reason=gdal.GetLastErrorMsg()))
    made.FlushCache()
    band = made = None


def numbered(text, bands):
    return lambda number: text if bands == 1 else f"{text} {number}"


def write_ids(path, grid, values, question, creation):
    names = question.names() if not values.description else {}
    text = values.description or "nearest seed"
    table = attribute_table(names) if 0 < len(names) <= MOST_NAMES else None
    write(path, grid, values.bands, values.nodata, "", numbered(text, len(values.bands)), creation, table)


def write_reals(path, grid, bands, text, unit, creation):
    write(path, grid, bands, np.nan, unit, numbered(text, len(bands)), creation)


def column_type(values):
    """The type of a column that holds whole numbers exactly, as in tables of the command."""
    low, high = min(values), max(values)
    if -(2**31) <= low and high < 2**31:
        return gdal.GFT_Integer
    return gdal.GFT_Real if -(2**53) <= low and high <= 2**53 else gdal.GFT_String


def attribute_table(names):
    """Values, names and colours; values that follow each other have different colours."""
    table = gdal.RasterAttributeTable()
    table.CreateColumn("value", column_type(names), gdal.GFU_MinMax)
    table.CreateColumn("name", gdal.GFT_String, gdal.GFU_Name)
    for colour, usage in (("red", gdal.GFU_Red), ("green", gdal.GFU_Green), ("blue", gdal.GFU_Blue)):
        table.CreateColumn(colour, gdal.GFT_Integer, usage)
    table.SetRowCount(len(names))
    for row, value in enumerate(sorted(names)):
        table.SetValueAsString(row, 0, str(value))
        table.SetValueAsString(row, 1, names[value])
        colour = colorsys.hsv_to_rgb(GOLDEN * row % 1.0, 0.35 + 0.15 * (row % 3), 0.95 - 0.2 * (row % 2))
        for column, part in enumerate(colour, 2):
            table.SetValueAsInt(row, column, round(255 * part))
    return table
