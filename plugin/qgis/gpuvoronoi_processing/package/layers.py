"""Layers as GeoDataFrames: read from the temporary files of the plugin."""

import geopandas
import numpy as np
from osgeo import gdal

from ..datasets import opened, reference_of, wkt


def read(path, layer=None, crs=None):
    """
    A GeoDataFrame of the features of a layer; its index has their numbers, `attrs` the types of its fields and
    the WKT of the coordinate system. If there are only points, each point of a feature is a row.
    """
    dataset = opened(path, gdal.OF_VECTOR)
    source = dataset.GetLayerByName(layer) if layer else dataset.GetLayer(0)
    definition = source.GetLayerDefn()
    fields = [definition.GetFieldDefn(i) for i in range(definition.GetFieldCount())]
    columns, shapes = [[] for _ in fields], []
    for feature in source:
        for index, column in enumerate(columns):
            column.append(feature.GetField(index))
        shape = feature.GetGeometryRef()
        shape = shape.GetLinearGeometry() if shape.HasCurveGeometry() else shape
        shapes.append(bytes(shape.ExportToWkb()))
    names, reference = (
        [one.GetName() for one in fields],
        reference_of(crs or wkt(source.GetSpatialRef())),
    )
    objects = {name: np.array([*of, None], object)[:-1] for name, of in zip(names, columns)}
    geometry = geopandas.GeoSeries.from_wkb(shapes, crs=wkt(reference)).values
    frame = parts = geopandas.GeoDataFrame(objects, geometry=geometry)
    while parts.geom_type.isin(("MultiPoint", "GeometryCollection")).any():
        parts = parts.explode(index_parts=False)
        parts = parts[~parts.is_empty]
    frame = parts if (parts.geom_type == "Point").all() else frame
    types = {name: field.GetType() for name, field in zip(names, fields)}
    frame.attrs = {"types": types, "crs": wkt(reference)}  # pandas copies them, deeply
    return frame


def of_seeds(options):
    return read(options.take("--seeds"), options.take("--layer"), options.take("--seeds-crs"))


def numbers_of_text(column):
    """Ids of a column of text: the number of the first feature with the text; those without text have their own."""
    names, numbers = column.fillna(""), column.index.to_series()
    return numbers.where(names == "", numbers.groupby(names.to_numpy()).transform("first"))
