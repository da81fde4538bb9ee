"""Layers as arrays: what the package computes with is read from the temporary files of the plugin, with their ids."""

import numpy as np
from osgeo import gdal, ogr, osr

from ..datasets import open_dataset
from ..i18n import tr

POINTS = (ogr.wkbPoint, ogr.wkbMultiPoint)


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
    """A coordinate system as the package accepts it."""
    return reference.ExportToWkt(["FORMAT=WKT2_2019"])


def same(one, other):
    """Whether two coordinate systems are the same, or both missing."""
    if one is None or other is None:
        return one is other
    return bool(one.IsSame(other, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"]))


class Places:
    """
    The features of a layer: x, y and the row of the feature for each point, or `shapes`, GeoJSON objects of features,
    if there are lines or polygons. `columns` are lists of the values of the fields, a value for each feature.
    """

    def __init__(self, path, layer=None, crs=None):
        dataset = open_dataset(path, gdal.OF_VECTOR)
        if dataset is None:
            raise OSError(tr("Cannot read {}").format(path))
        opened = dataset.GetLayerByName(layer) if layer else dataset.GetLayer(0)
        definition = opened.GetLayerDefn()
        self.names = [definition.GetFieldDefn(i).GetName() for i in range(definition.GetFieldCount())]
        self.types = [definition.GetFieldDefn(i).GetType() for i in range(definition.GetFieldCount())]
        self.columns = {name: [] for name in self.names}
        self.crs = reference_of(crs) if crs else clone(opened.GetSpatialRef())
        x, y, rows, self.shapes = [], [], [], []
        for number, feature in enumerate(opened):
            for index, name in enumerate(self.names):
                self.columns[name].append(feature.GetField(index))
            geometry = feature.GetGeometryRef()
            self.shapes.append(as_json(geometry))
            if ogr.GT_Flatten(geometry.GetGeometryType()) in POINTS:
                for place in vertices(geometry):
                    x.append(place[0])
                    y.append(place[1])
                    rows.append(number)
        points = all(shape["type"] in ("Point", "MultiPoint") for shape in self.shapes)
        self.x, self.y, self.row = np.array(x, float), np.array(y, float), np.array(rows, np.intp)
        self.count = len(self.shapes)
        if points:
            self.shapes = None

    def rows_of_seeds(self):
        """The number of the feature of each seed: of each point, or of each feature with its lines and polygons."""
        return self.row if self.shapes is None else np.arange(self.count)

    def box(self):
        """xmin, ymin, xmax, ymax of all vertices."""
        if self.shapes is None:
            x, y = self.x, self.y
        else:
            x, y = np.array([place for shape in self.shapes for place in flat(shape)], float).T
        return [float(x.min()), float(y.min()), float(x.max()), float(y.max())]

    def keep(self, good):
        """Leaves out points."""
        self.x, self.y, self.row = self.x[good], self.y[good], self.row[good]

    def field(self, name):
        if name not in self.columns:
            raise ValueError(tr("{layer}: unknown field “{field}”").format(layer="", field=name))
        return [self.columns[name][row] for row in self.rows_of_seeds()]


def clone(reference):
    if reference is None:
        return None
    made = reference.Clone()
    made.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return made


def vertices(geometry):
    if geometry.GetGeometryCount() == 0:
        return geometry.GetPoints(2) or []
    return [place for i in range(geometry.GetGeometryCount()) for place in vertices(geometry.GetGeometryRef(i))]


def as_json(geometry):
    """A geometry as GeoJSON, with all digits; curves become lines of short pieces."""
    kind = ogr.GT_Flatten(geometry.GetGeometryType())
    if ogr.GT_IsNonLinear(kind):
        geometry = geometry.GetLinearGeometry()
        kind = ogr.GT_Flatten(geometry.GetGeometryType())
    name = ogr.GeometryTypeToName(kind).replace(" ", "")
    parts = [geometry.GetGeometryRef(i) for i in range(geometry.GetGeometryCount())]
    if kind == ogr.wkbPoint:
        return {"type": "Point", "coordinates": geometry.GetPoint_2D()}
    if kind == ogr.wkbLineString:
        return {"type": "LineString", "coordinates": geometry.GetPoints(2)}
    if kind == ogr.wkbPolygon:
        return {"type": "Polygon", "coordinates": [ring.GetPoints(2) for ring in parts]}
    if kind == ogr.wkbGeometryCollection:
        return {"type": "GeometryCollection", "geometries": [as_json(part) for part in parts]}
    if kind in (ogr.wkbMultiPoint, ogr.wkbMultiLineString, ogr.wkbMultiPolygon):
        return {"type": name, "coordinates": [as_json(part)["coordinates"] for part in parts]}
    raise ValueError(tr("{layer}: missing geometries; expected points, lines or polygons").format(layer=name))


def flat(shape):
    """All positions of a GeoJSON object."""
    if "geometries" in shape:
        return [place for part in shape["geometries"] for place in flat(part)]

    def places(coordinates):
        if isinstance(coordinates[0], (int, float)):
            return [coordinates[:2]]
        return [place for part in coordinates for place in places(part)]

    return places(shape["coordinates"])
