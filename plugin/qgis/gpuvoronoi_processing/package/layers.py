"""Layers as GeoDataFrames: read from the temporary files of the plugin."""

import geopandas
import numpy as np
from osgeo import gdal

from ..datasets import opened, reference_of, wkt


def read(path, layer=None, crs=None):
    """
    A GeoDataFrame of the features of a layer; its index has their numbers, `attrs` the types of its fields and the
    coordinate system of GDAL. If there are only points, each point of a feature is a row.
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
        shapes.append(
            bytes((shape.GetLinearGeometry() if shape.HasCurveGeometry() else shape).ExportToWkb())
        )
    reference = reference_of(crs or wkt(source.GetSpatialRef()))
    frame = geopandas.GeoDataFrame(
        {
            field.GetName(): np.array([*column, None], object)[:-1]
            for field, column in zip(fields, columns)
        },
        geometry=geopandas.GeoSeries.from_wkb(shapes, crs=wkt(reference)).values,
    )
    parts = frame
    while parts.geom_type.isin(("MultiPoint", "GeometryCollection")).any():
        parts = parts.explode(index_parts=False)
        parts = parts[~parts.is_empty]
    frame = parts if (parts.geom_type == "Point").all() else frame
    frame.attrs = {
        "types": {field.GetName(): field.GetType() for field in fields},
        "crs": reference,
    }
    return frame
