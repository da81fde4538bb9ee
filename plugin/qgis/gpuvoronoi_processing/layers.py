"""
Layers of QGIS as inputs of the program.

The program reads the file of a layer if it holds just what the user sees. All other layers (in memory, from a
database, with a selection or a filter, being edited, in another coordinate system than the file's) are written, feature
by feature in their order, to a temporary FlatGeobuf with the ids. FlatGeobuf has no feature ids of its own that
could clash. It must not make a spatial index, because that would sort the features, and of equally near seeds the
first one counts; and its driver drops features without geometry silently, so they are dealt with here.
"""

import os
import re

from osgeo import gdal, osr
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsProcessingException,
    QgsProcessingFeatureSource,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingUtils,
    QgsProviderRegistry,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsWkbTypes,
)

from . import engine
from . import field_types as types
from .datasets import open_dataset
from .i18n import tr

CHECK_CANCEL_EVERY = 1000


def crs_text(crs):
    """
    A coordinate system in words that the program understands. A user-defined one's own code means nothing outside.
    """
    if re.match(r"(EPSG|ESRI|IGNF|OGC|IAU_2015):", crs.authid()):
        return crs.authid()
    return crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED_GDAL)


def spatial_reference(crs):
    reference = osr.SpatialReference()
    reference.ImportFromWkt(crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED_GDAL))
    return reference


def half_axes(crs):
    """The half axes of the ellipsoid that a coordinate system stands on, in meters."""
    reference = spatial_reference(crs)
    return reference.GetSemiMajor(), reference.GetSemiMinor()


def geographic_crs(crs):
    """The longitudes and latitudes that a projected coordinate system stands on: no change of datum lies between."""
    reference = spatial_reference(crs)
    return QgsCoordinateReferenceSystem.fromWkt(
        reference.CloneGeogCS().ExportToWkt(["FORMAT=WKT2_2019"])
    )


def layer_crs(layer):
    """
    The coordinate system of a layer. To layers of geometry collections QGIS gives none: they have that of their data.
    """
    crs = layer.crs()
    return crs if crs.isValid() or layer.isSpatial() else layer.dataProvider().crs()


def warn_of_missing_crs(layer, crs, feedback):
    if not crs.isValid():
        feedback.pushWarning(
            tr(
                "{layer}: missing coordinate system; distances are straight lines in units of the coordinates"
            ).format(layer=layer)
        )


def own_file(layer, value, fields):
    """
    Path and layer name for the program if the file shows the same features as the layer; else None. `value` is what the
    parameter was given, `fields` the fields that the program has to read.
    """
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        # filterExpression came with QGIS 3.32
        if (
            value.selectedFeaturesOnly
            or value.featureLimit >= 0
            or getattr(value, "filterExpression", "")
        ):
            return None
    elif not isinstance(value, str) and value is not layer:
        return None
    if layer is None or layer.providerType() != "ogr" or layer.subsetString() or layer.isEditable():
        return None
    if layer_crs(layer) != layer.dataProvider().crs():
        return None
    for field in fields:
        index = layer.fields().lookupField(field)
        if index < 0 or layer.fields().fieldOrigin(index) != QgsFields.FieldOrigin.OriginProvider:
            return None  # a joined or computed field
    path, *options = layer.source().split("|")
    names = [option.partition("=")[2] for option in options if option.startswith("layername=")]
    if len(names) != len(options) or len(names) > 1 or not os.path.exists(path):
        return None
    return path, names[0] if names else None


# Columns in which the program finds positions, in its order, and their coordinate system.
POSITIONS = (
    (("lon", "longitude", "lng", "long"), ("lat", "latitude"), "EPSG:4326"),
    (("x",), ("y",), None),
)


def table_with_positions(path, name):
    """
    A layer of the points of a text file with columns of positions that the program reads; else None. In QGIS such a
    file is a table without geometries.
    """
    table = QgsVectorLayer(path, name, "ogr")
    if table.dataProvider().storageType() != "CSV":
        return None
    known = [field.name().lower() for field in table.fields()]
    for *axes, system in POSITIONS:
        columns = [next((column for column in names if column in known), None) for names in axes]
        if None not in columns:
            options = [f"{axis}_POSSIBLE_NAMES={column}" for axis, column in zip("XY", columns)]
            source = "|option:".join(
                [path, *options, "KEEP_GEOM_COLUMNS=YES", "AUTODETECT_TYPE=YES"]
            )
            options = QgsVectorLayer.LayerOptions()
            options.skipCrsValidation = (
                True  # no system is none, not the one that QGIS takes by default
            )
            points = QgsVectorLayer(source, name, "ogr", options)
            points.setCrs(
                QgsCoordinateReferenceSystem(system) if system else QgsCoordinateReferenceSystem()
            )
            return points
    return None


def layer_file(layer):
    """Path of the file that a layer is read from; None if there is none."""
    path = (
        QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path")
    )
    return os.path.realpath(path) if path and os.path.exists(path) else None


STORABLE = (
    types.BOOL,
    types.INT,
    types.LONG,
    types.DOUBLE,
    types.STRING,
    types.DATE,
    types.DATE_TIME,
    types.BINARY,
)


def storable(field):
    """A field like this one, or of text where FlatGeobuf has no such type."""
    if field.type() in STORABLE:
        return QgsField(field.name(), field.type(), field.typeName())
    return QgsField(field.name(), types.STRING)


def stored(value, field):
    return value if field.type() in STORABLE else types.as_text(value)


def no_points(layer):
    return QgsProcessingException(
        tr("{layer}: missing geometries; expected points, lines or polygons").format(layer=layer)
    )


def lines_or_polygons(geometry_type):
    """Whether geometries are lines or polygons. Of a mixed layer only the features have this information."""
    return geometry_type in (
        QgsWkbTypes.GeometryType.LineGeometry,
        QgsWkbTypes.GeometryType.PolygonGeometry,
    )


def has_lines_or_polygons(geometry):
    """The same of the parts of a geometry collection."""
    if geometry.type() != QgsWkbTypes.GeometryType.UnknownGeometry:
        return lines_or_polygons(geometry.type())
    return any(has_lines_or_polygons(part) for part in geometry.asGeometryCollection())


def no_lines_or_polygons(layer):
    return tr("{layer}: lines and polygons are not supported; expected points").format(layer=layer)


def plain_name(name):
    """A layer's name as a file name: it shows in messages and in the metadata of the raster."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "seeds"


class TemporaryFile:
    """
    A FlatGeobuf that is written in the order of the features, which all have geometries. It takes any: what QGIS says
    of a layer holds for its first feature, and single and multiple ones are mixed.
    """

    def __init__(self, name, fields, crs, context):
        self.path = QgsProcessingUtils.generateTempFilename(plain_name(name) + ".fgb")
        self.count = 0
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = "FlatGeobuf"
        options.layerOptions = ["SPATIAL_INDEX=NO"]
        self.writer = QgsVectorFileWriter.create(
            self.path, fields, QgsWkbTypes.Type.Unknown, crs, context.transformContext(), options
        )
        self.check(
            self.writer.hasError() == QgsVectorFileWriter.WriterError.NoError,
            self.writer.errorMessage(),
        )

    @staticmethod
    def check(well, reason):
        if not well:
            raise QgsProcessingException(tr("Cannot write the features: {}").format(reason))

    def add(self, feature):
        self.check(
            self.writer.addFeature(feature, QgsFeatureSink.Flag.FastInsert),
            self.writer.errorMessage(),
        )
        self.count += 1

    def close(self):
        self.check(self.writer.flushBuffer(), self.writer.errorMessage())
        self.writer = None  # closes the file
        if self.count == 0:
            return  # such a file cannot be read
        dataset = open_dataset(self.path, gdal.OF_VECTOR)
        count = dataset.GetLayer(0).GetFeatureCount() if dataset is not None else 0
        self.check(count == self.count, tr("{} of {} were written").format(count, self.count))


class Unusable:
    """Counts features that cannot be used; the first is an error, unless they are to be left out."""

    def __init__(self, layer, skip):
        self.layer = layer
        self.skip = skip
        self.count = 0

    def add(self, feature):
        if not self.skip:
            raise QgsProcessingException(
                tr(
                    "{layer}: invalid coordinates of feature {id}; correct them, or check “Leave out points without "
                    "usable coordinates”"
                ).format(layer=self.layer, id=feature.id())
            )
        self.count += 1

    def report(self, feedback):
        if self.count:
            feedback.pushWarning(
                tr("{layer}: {count} features with invalid coordinates are left out").format(
                    layer=self.layer, count=self.count
                )
            )


class Unreachable:
    """
    Counts features outside the area of a coordinate system. They have no distance there and are never neighbors.
    """

    def __init__(self, layer, crs):
        self.layer = layer
        self.crs = crs
        self.count, self.first = 0, None

    def add(self, feature):
        if self.count == 0:
            self.first = feature.id()
        self.count += 1

    def report(self, feedback):
        if self.count:
            feedback.pushWarning(
                tr(
                    "{layer}: {count} features outside the area of {crs} are left out; the first is feature {id}"
                ).format(
                    layer=self.layer,
                    count=self.count,
                    crs=self.crs.userFriendlyIdentifier(),
                    id=self.first,
                )
            )


class Features:
    """The points, lines or polygons of a parameter, made ready for the program."""

    def __init__(self, algorithm, parameters, name, context, fields):
        """To be called on the main thread. `fields` are names, empty ones do not count; the first is the id's."""
        self.fields = list(dict.fromkeys(field for field in fields if field))
        self.id_field = fields[0]
        layer = algorithm.parameterAsVectorLayer(parameters, name, context)
        self.file = own_file(layer, parameters.get(name), self.fields)
        if self.file is not None and not layer.isSpatial():
            table = table_with_positions(self.file[0], layer.name())
            if table is not None:
                context.temporaryLayerStore().addMapLayer(table)
                parameters = {**parameters, name: table}
        self.source = algorithm.parameterAsSource(parameters, name, context)
        if self.source is None:
            raise QgsProcessingException(algorithm.invalidSourceError(parameters, name))
        self.crs = self.source.sourceCrs()
        layer = algorithm.vector_layer(parameters, name, context)
        if not self.crs.isValid() and layer is not None:
            self.crs = layer_crs(layer)
        self.name = self.source.sourceName()
        self.label = self.name if layer is None else layer.name()
        self.all_fields = False
        self.row_field = None
        self.rows_are_ids = False
        self.added_id = ""  # the field of ids that a copy has and the layer has not
        self.with_ids = True  # a copy has them

    def want_all_fields(self):
        """The program is to see all attributes, because its output repeats them."""
        self.all_fields = True

    def want_copy(self):
        """The program is to see a copy, also of what it could read itself."""
        self.file = None

    def want_rows(self):
        """The program is to see the number of the feature in the source, in the field that is returned."""
        self.want_copy()
        self.row_field = self.free_name("row")
        return self.row_field

    def want_rows_as_ids(self):
        """The program is to see the number of the feature in the source as its id."""
        self.want_rows()
        self.rows_are_ids = True

    def arguments(self, context, feedback, skip_invalid, progress):
        """The program's options for these features as seeds; None if the user cancelled."""
        path, layer = self.place(context, feedback, skip_invalid, progress)
        if path is None:
            return None
        arguments = ["--seeds", path] + ([] if layer is None else ["--layer", layer])
        field = self.id_field or self.added_id
        if self.rows_are_ids:
            field = self.row_field
        if field:
            arguments += ["--id", field]
        return arguments + (["--seeds-crs", crs_text(self.crs)] if self.crs.isValid() else [])

    def points(self, context, feedback, skip_invalid):
        """The program's options for these features as points of --from; None if the user cancelled."""
        self.with_ids = False
        path, layer = self.place(context, feedback, skip_invalid, lambda percent: None)
        if path is None:
            return None
        arguments = ["--from", path] + ([] if layer is None else ["--from-layer", layer])
        return arguments + (["--from-crs", crs_text(self.crs)] if self.crs.isValid() else [])

    def place(self, context, feedback, skip_invalid, progress):
        """File and layer (or None) for the program; None and None if the user cancelled."""
        if (
            self.source.wkbType() != QgsWkbTypes.Type.NoGeometry
        ):  # of other tables the program finds out
            warn_of_missing_crs(self.name, self.crs, feedback)
        if self.file is not None and not engine.needs_copies():
            return self.file
        return self.write(context, feedback, skip_invalid, progress), None

    def id_index(self):
        """Index of the id field; -1 if the feature ids are the ids."""
        if not self.id_field:
            return -1
        index = self.source.fields().lookupField(self.id_field)
        if index < 0:
            raise self.unknown(self.id_field)
        return index

    def id_column(self, name):
        """A field under this name that can hold the ids."""
        index = self.id_index()
        if index < 0:
            return QgsField(name, types.LONG)
        column = QgsField(self.source.fields()[index])
        column.setName(name)
        return column

    def unknown(self, field):
        return QgsProcessingException(
            tr("{layer}: unknown field “{field}”").format(layer=self.name, field=field)
        )

    def free_name(self, name):
        while self.source.fields().lookupField(name) >= 0:
            name += "_"
        return name

    def columns(self):
        """The fields to write: the requested ones, and a name for the raster's attribute table."""
        known = self.source.fields()
        for field in self.fields:
            if known.lookupField(field) < 0:
                raise self.unknown(field)
        if self.all_fields:
            return [field.name() for field in known]
        names = [field.name() for field in known if field.name().lower() == "name"]
        return list(
            dict.fromkeys(
                [known[known.lookupField(field)].name() for field in self.fields] + names[:1]
            )
        )

    def features(self, request=None):
        if self.source.wkbType() == QgsWkbTypes.Type.NoGeometry:
            raise no_points(self.name)
        if request is None:
            request = QgsFeatureRequest()
        return self.source.getFeatures(
            request, QgsProcessingFeatureSource.Flag.FlagSkipGeometryValidityChecks
        )

    def write(self, context, feedback, skip_invalid, progress):
        known, columns = self.source.fields(), self.columns()
        indices = [known.lookupField(column) for column in columns]
        fields = QgsFields()
        numbered = self.with_ids and not self.id_field
        if numbered:
            self.added_id = self.free_name("id")
            fields.append(QgsField(self.added_id, types.LONG))
        if self.row_field:
            fields.append(QgsField(self.row_field, types.LONG))
        for index in indices:
            fields.append(storable(known[index]))
        file = TemporaryFile(self.name, fields, self.crs, context)
        unusable = Unusable(self.name, skip_invalid)
        total = max(self.source.featureCount(), 1)
        request = QgsFeatureRequest().setSubsetOfAttributes(indices)
        for count, feature in enumerate(self.features(request)):
            if count % CHECK_CANCEL_EVERY == 0:
                if feedback.isCanceled():
                    return None
                progress(100.0 * count / total)
            if feature.geometry().isEmpty():  # none at all, too
                unusable.add(feature)
                continue
            copy = QgsFeature(fields)
            copy.setGeometry(feature.geometry())
            numbers = ([feature.id()] if numbered else []) + ([count] if self.row_field else [])
            values = [stored(feature.attribute(index), known[index]) for index in indices]
            copy.setAttributes(numbers + values)
            file.add(copy)
        file.close()
        unusable.report(feedback)
        if file.count == 0:
            raise no_points(self.name)
        return file.path


def of_the_session(path):
    """Whether a file is gone when QGIS ends."""
    folder = os.path.realpath(QgsProcessingUtils.tempFolder())
    return os.path.realpath(path).startswith(folder + os.sep)


def raster_file(layer):
    """
    A file by which GDAL opens a raster layer, in the layer's coordinate system, which may not be that of its source.
    Other sources become a temporary file, because logs show command lines, and connections may have passwords.
    """
    if layer.providerType() != "gdal":
        raise QgsProcessingException(
            tr("{}: unsupported raster; expected one that GDAL reads").format(layer.name())
        )
    own_crs = layer.crs() == layer.dataProvider().crs()
    if own_crs and os.path.exists(layer.source()):
        return layer.source()
    path = QgsProcessingUtils.generateTempFilename(plain_name(layer.name()) + ".vrt")
    source, *options = layer.source().split("|option:")
    dataset = open_dataset(source, open_options=options)
    try:
        made = dataset and gdal.Translate(
            path, dataset, format="VRT", outputSRS=None if own_crs else crs_text(layer.crs())
        )
    except RuntimeError:  # its text may have the source
        made = None
    if made is None:
        raise QgsProcessingException(tr("Cannot read {}").format(layer.name()))
    return path


class RasterCells:
    """The cells of a raster, which the program can take as seeds as it can Features."""

    def __init__(self, layer, options):
        """To be called on the main thread. `options` are those of the program that choose the cells."""
        self.crs = layer.crs()
        self.label = layer.name()
        self.file = raster_file(layer)
        self.options = options

    def arguments(self, context, feedback, skip_invalid, progress):
        warn_of_missing_crs(self.label, self.crs, feedback)
        return ["--seeds-raster", self.file, *self.options]


class Polygons:
    """The polygons or lines of a layer, made ready for the program."""

    def __init__(self, layer, value, context):
        """To be called on the main thread. `value` is the parameter's: the layer, or which of its features count."""
        self.name = layer.name()
        self.crs = layer_crs(layer)
        self.file = own_file(layer, value, [])
        self.source = QgsProcessingUtils.variantToSource(value, context)

    def want_copy(self):
        self.file = None

    def path(self, context, feedback):
        """File and layer; None if the user cancelled."""
        if self.file is not None:
            return self.file
        file = TemporaryFile(self.name, QgsFields(), self.crs, context)
        request = QgsFeatureRequest().setSubsetOfAttributes([])
        unchecked = QgsProcessingFeatureSource.Flag.FlagSkipGeometryValidityChecks
        for count, feature in enumerate(self.source.getFeatures(request, unchecked)):
            if count % CHECK_CANCEL_EVERY == 0 and feedback.isCanceled():
                return None
            if not feature.geometry().isEmpty():
                file.add(feature)
        file.close()
        if file.count == 0:
            raise QgsProcessingException(tr("{layer}: missing polygons").format(layer=self.name))
        return file.path, None
