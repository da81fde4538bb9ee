"""GDAL datasets, without the rest of the plugin: opened, read, and written where the command does not write them."""

import os

from osgeo import gdal, ogr, osr
from qgis.core import QgsRasterFileWriter, QgsVectorFileWriter

from .i18n import tr

RESERVED = (
    "fid",
    "ogc_fid",
    "geom",
    "geometry",
    "wkt",
)  # names of fields that files have themselves
RASTER_OPTIONS = {"GTiff": {"COMPRESS": "DEFLATE", "TILED": "YES"}}


def open_dataset(path, flags=gdal.OF_RASTER, open_options=()):
    """A GDAL dataset, or None: other code of the process decides whether GDAL raises exceptions."""
    try:
        return gdal.OpenEx(path, flags, open_options=list(open_options))
    except RuntimeError:
        return None


def opened(path, flags=gdal.OF_RASTER):
    dataset = open_dataset(path, flags)
    if dataset is None:
        raise OSError(tr("Cannot read {}").format(path))
    return dataset


def check_written(path, well):
    """After a call into GDAL that writes."""
    if not well:
        raise OSError(
            tr("Cannot write {file}: {reason}").format(file=path, reason=gdal.GetLastErrorMsg())
        )


def number_of_features(path):
    dataset = open_dataset(path, gdal.OF_VECTOR)
    return dataset.GetLayer(0).GetFeatureCount() if dataset is not None else 0


def reference_of(text):
    """A coordinate system with longitudes before latitudes; None of nothing."""
    if not text:
        return None
    reference = osr.SpatialReference()
    if reference.SetFromUserInput(text) != ogr.OGRERR_NONE:
        raise ValueError(tr("Unknown coordinate system"))
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def wkt(reference):
    """A coordinate system as pyproj accepts it; None of none."""
    return None if reference is None else reference.ExportToWkt(["FORMAT=WKT2_2019"])


def write_layer(path, name, reference, kind, first, rows, frame=None):
    """
    Makes a layer of `rows`: values of the fields `first`, pairs of a name and a type, then the place of a row in
    `frame`, which has the next fields (renamed as the command does where a name is taken), or None, and a geometry, of
    OGR or as WKB.
    """
    driver = ogr.GetDriverByName(QgsVectorFileWriter.driverForExtension(os.path.splitext(path)[1]))
    if driver is None:
        raise ValueError(
            tr("Unsupported file format for this result; choose another, for example .tif or .gpkg")
        )
    if os.path.exists(path):
        driver.DeleteDataSource(path)
    dataset = driver.CreateDataSource(path)
    layer = dataset.CreateLayer(name, reference, kind) if dataset is not None else None
    check_written(path, layer is not None)
    kinds = {} if frame is None else frame.attrs["types"]
    taken = set(RESERVED)
    for field, field_type in (*first, *kinds.items()):
        field = f"seed_{field}" if field.lower() in taken else field
        while field.lower() in taken:
            field += "_"
        taken.add(field.lower())
        check_written(path, layer.CreateField(ogr.FieldDefn(field, field_type)) == ogr.OGRERR_NONE)
    own = [frame[field].to_numpy() for field in kinds]
    layer.StartTransaction()
    count = 0
    for count, (values, row, geometry) in enumerate(rows, 1):
        feature = ogr.Feature(layer.GetLayerDefn())
        values = [*values, *([] if row is None else [column[row] for column in own])]
        for index, value in enumerate(values):
            if (
                value is not None
                and value == value
                and not isinstance(value, (list, bytes, bytearray))
            ):
                feature.SetField(index, value)
        feature.SetGeometry(
            ogr.CreateGeometryFromWkb(geometry) if isinstance(geometry, bytes) else geometry
        )
        check_written(path, layer.CreateFeature(feature) == ogr.OGRERR_NONE)
    check_written(path, layer.CommitTransaction() == ogr.OGRERR_NONE)
    gdal.ErrorReset()
    feature = layer = dataset = None  # closes the file
    check_written(path, gdal.GetLastErrorType() < gdal.CE_Failure)
    check_written(path, number_of_features(path) == count)  # GeoJSON's driver reports no full disk


def write_raster(path, made, bands, nodata, unit, title, table, creation):
    """
    Fills a raster in memory and copies it to a file. `nodata` is an integer if the bands are: those of 64 bits accept
    no other. `table` is the attribute table of the first, `creation` are options of GDAL, NAME=VALUE.
    """
    for number, values in enumerate(bands, 1):
        band = made.GetRasterBand(number)
        band.SetNoDataValue(nodata)
        band.SetUnitType(unit)
        ending = {1: "st", 2: "nd", 3: "rd"}.get(
            number % 10 if number % 100 not in (11, 12, 13) else 0, "th"
        )
        band.SetDescription(
            f"{title} the {'' if number == 1 else f'{number}{ending} '}nearest seed"
        )
        band.WriteArray(values)
    if table is not None:
        made.GetRasterBand(1).SetDefaultRAT(table)
    name = QgsRasterFileWriter.driverForExtension(os.path.splitext(path)[1][1:])
    driver = gdal.GetDriverByName(name) if name else None
    if driver is None:
        raise ValueError(
            tr("Unsupported file format for this result; choose another, for example .tif or .gpkg")
        )
    options = {**RASTER_OPTIONS.get(name, {}), **dict(option.split("=", 1) for option in creation)}
    copy = driver.CreateCopy(path, made, 0, [f"{key}={value}" for key, value in options.items()])
    check_written(path, copy is not None)
    gdal.ErrorReset()
    copy = None  # closes the file
    check_written(path, gdal.GetLastErrorType() < gdal.CE_Failure)


def attribute_table(names, colors):
    """Of names of values, with colors by value."""
    table, low, high = gdal.RasterAttributeTable(), min(names, default=0), max(names, default=0)
    exact = gdal.GFT_Real if -(2**53) <= low and high <= 2**53 else gdal.GFT_String
    table.CreateColumn(
        "value", gdal.GFT_Integer if -(2**31) <= low and high < 2**31 else exact, gdal.GFU_MinMax
    )
    table.CreateColumn("name", gdal.GFT_String, gdal.GFU_Name)
    for color, usage in (("red", gdal.GFU_Red), ("green", gdal.GFU_Green), ("blue", gdal.GFU_Blue)):
        table.CreateColumn(color, gdal.GFT_Integer, usage)
    table.SetRowCount(len(names))
    for row, (value, _, color) in enumerate(colors):
        for column, text in enumerate(
            (value, names[value], color.red(), color.green(), color.blue())
        ):
            table.SetValueAsString(row, column, str(text))
    return table


def in_memory(columns, rows, transform, reference, bands, kind):
    made = gdal.GetDriverByName("MEM").Create("", columns, rows, bands, kind)
    made.SetGeoTransform(transform)
    if reference is not None:
        made.SetSpatialRef(reference)
    return made


def regions(made, numbers, counts):
    """The cells of each number, where they count, as multipolygons; `made` is a raster in memory of two bands."""
    made.GetRasterBand(1).WriteArray(numbers)
    made.GetRasterBand(2).WriteArray(counts)
    driver = gdal.GetDriverByName("MEM")
    if driver.GetMetadataItem(gdal.DCAP_VECTOR) is None:  # GDAL warns of the other one since 3.11
        driver = gdal.GetDriverByName("Memory")
    holder = driver.Create("", 0, 0, 0, gdal.GDT_Unknown)  # outlives its layer
    traced = holder.CreateLayer("traced", made.GetSpatialRef(), ogr.wkbPolygon)
    traced.CreateField(ogr.FieldDefn("number", ogr.OFTInteger))
    gdal.Polygonize(made.GetRasterBand(1), made.GetRasterBand(2), traced, 0)
    found = {}
    for feature in traced:
        shape = found.setdefault(feature.GetField(0), ogr.Geometry(ogr.wkbMultiPolygon))
        shape.AddGeometry(feature.GetGeometryRef())
    return found


def sampled(dataset, made, counts):
    """What a raster has at the centers of the cells of another in memory, of `counts` in place of its values."""
    held = gdal.GetDriverByName("MEM").CreateCopy("", dataset)
    held.GetRasterBand(1).DeleteNoDataValue()
    held.GetRasterBand(1).WriteArray(counts)
    gdal.Warp(made, held, resampleAlg="near", errorThreshold=0.0)
    return made.ReadAsArray()


def unit_of(reference):
    """The unit of a coordinate system as in reports of the command; "" of none."""
    if reference is None or reference.IsGeographic():
        return "" if reference is None else "degree"
    name = reference.GetLinearUnitsName()
    return "metre" if name.lower() in ("metre", "meter", "metres", "meters", "m") else name


def described(reference):
    """As in reports of the command: name and code."""
    code = reference.GetAuthorityCode(None) if reference is not None else None
    name = "" if reference is None else reference.GetName()
    return name + (f" ({reference.GetAuthorityName(None)}:{code})" if code else "")


def cells(dataset, number=1):
    """The values of a band, and which of them are not empty."""
    band = dataset.GetRasterBand(number)
    values = band.ReadAsArray()
    return values, (band.GetMaskBand().ReadAsArray() != 0) & (values == values)
