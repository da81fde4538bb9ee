"""Tables and polygons by the package: statistics of the seeds, regions of a raster."""

import os

import numpy as np
from osgeo import gdal, ogr

from ..datasets import open_dataset
from ..i18n import tr
from . import grids
from .options import Unsupported
from .sources import same, wkt

KINDS = {"i": ogr.OFTInteger64, "u": ogr.OFTInteger64, "f": ogr.OFTReal}


class Wishes:
    """What a table of statistics has besides its columns."""

    def __init__(self, options):
        if options.take("--group", False):
            raise Unsupported("--group")
        self.sums = dict(text.partition("=")[::2] for text in options.take("--sum", []))


class Writer:
    """A layer of a file of its own. Fields are those of seeds, renamed where a name is taken, and further ones."""

    def __init__(self, path, name, crs, kind, first, places=None):
        from qgis.core import QgsVectorFileWriter

        driver = ogr.GetDriverByName(QgsVectorFileWriter.driverForExtension(os.path.splitext(path)[1]))
        if driver is None:
            raise ValueError(tr("Unsupported file format for this result; choose another, for example .tif or .gpkg"))
        if os.path.exists(path):
            driver.DeleteDataSource(path)
        self.dataset = driver.CreateDataSource(path)
        if self.dataset is None:
            raise OSError(tr("Cannot write {file}: {reason}").format(file=path, reason=gdal.GetLastErrorMsg()))
        self.layer = self.dataset.CreateLayer(name, crs, kind)
        self.places, self.columns = places, []
        taken = set()
        for field, field_type in first:
            self.add(field, field_type, taken)
        for field, field_type in zip(places.names, places.types) if places is not None else ():
            self.columns.append((self.add(field, field_type, taken), field))
        self.layer.StartTransaction()

    def add(self, name, kind, taken):
        while name.lower() in taken:
            name = f"seed_{name}"
        taken.add(name.lower())
        self.layer.CreateField(ogr.FieldDefn(name, kind))
        return self.layer.GetLayerDefn().GetFieldCount() - 1

    def write(self, values, row, geometry):
        """`values` are those of the further fields, `row` is that of the seed."""
        feature = ogr.Feature(self.layer.GetLayerDefn())
        for index, value in enumerate(values):
            if value is not None and value == value:
                feature.SetField(index, value)
        for index, field in self.columns:
            value = self.places.columns[field][row]
            if isinstance(value, (list, bytes, bytearray)):
                continue
            if value is not None:
                feature.SetField(index, value)
        feature.SetGeometry(geometry)
        self.layer.CreateFeature(feature)

    def close(self):
        self.layer.CommitTransaction()
        self.layer = self.dataset = None


def write_regions(path, grid, values, question):
    """
    The regions of the first band as multipolygons, along the edges of the cells, with the attributes of their seeds.
    """
    bands = values.bands[:1]
    driver = gdal.GetDriverByName("MEM")
    memory = driver.Create("", grid.columns, grid.rows, 2, gdal.GDT_Int32)
    memory.SetGeoTransform(grid.transform)
    present, numbers = np.unique(bands[0], return_inverse=True)
    memory.GetRasterBand(1).WriteArray(numbers.reshape(bands[0].shape).astype(np.int32))
    memory.GetRasterBand(2).WriteArray((bands[0] != values.nodata).astype(np.int32))
    if driver.GetMetadataItem(gdal.DCAP_VECTOR) is None:  # GDAL warns of the other one since 3.11
        driver = gdal.GetDriverByName("Memory")
    holder = driver.Create("", 0, 0, 0, gdal.GDT_Unknown)  # outlives its layer
    traced = holder.CreateLayer("traced", grid.crs, ogr.wkbPolygon)
    traced.CreateField(ogr.FieldDefn("number", ogr.OFTInteger))
    gdal.Polygonize(memory.GetRasterBand(1), memory.GetRasterBand(2), traced, 0)
    regions = {}
    for feature in traced:
        region = regions.setdefault(int(present[feature.GetField(0)]), ogr.Geometry(ogr.wkbMultiPolygon))
        region.AddGeometry(feature.GetGeometryRef())
    places = getattr(question, "places", None)
    first, texts = {}, {}
    if places is not None:
        numbers, texts = question.ids()
        for seed, number in enumerate(numbers.tolist()):
            first.setdefault(number, int(places.rows_of_seeds()[seed]))
    kind = ogr.OFTString if texts else ogr.OFTInteger64
    writer = Writer(path, "regions", grid.crs, ogr.wkbMultiPolygon, [("id", kind), ("value", ogr.OFTInteger64)], places)
    for value in sorted(regions):
        writer.write([texts.get(value, value), value], first.get(value), regions[value])
    writer.close()


def sum_of(name, path, grid, job):
    """The values of a raster with the same cells; empty ones are 0."""
    other, dataset = grids.of_template(path), open_dataset(path)
    alike = (other.columns, other.rows, other.transform) == (grid.columns, grid.rows, grid.transform)
    if not alike or not (other.crs is None or same(other.crs, grid.crs)):
        raise ValueError(
            tr(
                "“{name}”: another grid than the result is not supported by the Python package; use it as the template "
                "raster"
            ).format(name=name)
        )
    values = dataset.GetRasterBand(1).ReadAsArray().astype(float)
    if np.any((values < 0) & (dataset.GetRasterBand(1).GetMaskBand().ReadAsArray() != 0)):
        job.warn("sum-negative", f"--sum {name}: negative values")
    return np.where(dataset.GetRasterBand(1).GetMaskBand().ReadAsArray() != 0, values, 0.0)


def write_statistics(path, wishes, question, values, job):
    """A row for each seed."""
    import gpuvoronoi

    places, grid = question.places, question.grid
    if places.shapes is not None:
        raise Unsupported("--stats")
    sums = {name: sum_of(name, raster, grid, job) for name, raster in wishes.sums.items()}
    arguments = question.arguments()
    if grid.crs is not None and grid.crs.IsProjected():
        arguments["crs"] = wkt(grid.crs)  # for the unit of areas
    table = gpuvoronoi.statistics((places.x, places.y), sums=sums, **arguments, **question.weights)
    numbers, texts = question.ids()
    columns = [(name, KINDS[table[name].dtype.kind]) for name in table.columns]
    kind = ogr.OFTString if texts else ogr.OFTInteger64
    writer = Writer(
        path, "statistics", places.crs, ogr.wkbPoint, [("id", kind), ("value", ogr.OFTInteger64), *columns], places
    )
    rows = [table[name].tolist() for name in table.columns]
    for seed, number in enumerate(numbers.tolist()):
        job.tick(1.0)
        point = ogr.Geometry(ogr.wkbPoint)
        point.SetPoint_2D(0, float(places.x[seed]), float(places.y[seed]))
        writer.write(
            [texts.get(number, number), number, *(column[seed] for column in rows)], int(places.row[seed]), point
        )
    writer.close()
