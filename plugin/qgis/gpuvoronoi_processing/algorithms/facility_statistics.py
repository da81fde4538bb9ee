"""Nearest facility statistics: what each seed's region holds, as a layer of the seeds."""

import re

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingUtils,
    QgsVectorLayer,
    QgsWkbTypes,
)

from .. import field_types as types
from .. import styles
from ..i18n import tr
from ..layers import CHECK_CANCEL_EVERY, raster_file
from .rasters import RasterAlgorithm

COLUMNS = ["cells", "area_km2", "distance_mean", "distance_max", "centroid_x", "centroid_y"]
SEEDS = "seeds"  # how many an id has
VALUE = "value"  # of the raster, in tables and regions
LONGEST_NAME = 40


class FacilityStatistics(RasterAlgorithm):
    SUMS, GROUP = "SUMS", "GROUP"
    RASTER = ALLOCATION = "ALLOCATION"

    def name(self):
        return "facilitystatistics"

    def displayName(self):
        return tr("Nearest facility statistics")

    def tags(self):
        return tr(
            "nearest facility,service area,catchment,accessibility,population,zonal,nearest,voronoi,distance"
        ).split(",")

    def description(self):
        return tr(
            "<p>Which facility serves each place, how far is it, and how much land and how many people does each one "
            "serve? Every cell of a raster belongs to its nearest seed. The result is the layer of seeds with these "
            "fields:</p><ul><li><i>value</i>: the value of the region in the raster of nearest seeds, by which both "
            "join</li><li><i>cells</i>, <i>area_km2</i>: number of cells and true area of the region (<i>area</i>, in "
            "map units, without a coordinate system)</li><li><i>distance_mean</i>, <i>distance_max</i>: mean over the "
            "area and maximum, in meters on the globe, else in map units</li><li><i>centroid_x</i>, <i>centroid_y</i>: "
            "the centroid of the region</li><li><i>NAME_sum</i>, <i>NAME_distance_mean</i>: for each raster of counts, "
            "its sum over the region, such as people, and their mean distance</li></ul><p>Seeds without cells have a "
            "row too. Optionally there is one row for each id, with the number of its <i>seeds</i>. For exact counts, "
            "use the raster of people as the template.</p>"
        )

    def examples(self):
        return [
            (
                tr("How many people each hospital serves, and their distance:"),
                {
                    "INPUT": "hospitals.gpkg",
                    "SUMS": ["people.tif"],
                    "TEMPLATE": "people.tif",
                    "OUTPUT": "hospitals_served.gpkg",
                },
            )
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_raster_id_field()
        self.add(
            QgsProcessingParameterMultipleLayers(
                self.SUMS,
                tr("Rasters of counts"),
                QgsProcessing.SourceType.TypeRaster,
                optional=True,
            ),
            tr(
                "Rasters with values to add up, such as people per cell. Other grids and coordinate systems are "
                "converted to the cells of the result; sums are preserved. The fields are named after the layers."
            ),
        )
        self.add_grid()
        self.add_raster_metric()
        self.add(
            QgsProcessingParameterBoolean(self.GROUP, tr("Group seeds by id"), defaultValue=False),
            tr(
                "One row for each id instead of one for each seed: the number of its seeds, the attributes of the "
                "first, and the statistics of all together."
            ),
        )
        self.add_choice()
        self.add_shapes()
        self.add_signed()
        self.add_advanced()
        self.add(
            QgsProcessingParameterFeatureSink(
                self.OUTPUT, tr("Statistics"), QgsProcessing.SourceType.TypeVectorAnyGeometry
            ),
            tr("The seeds with their attributes and the statistics of their regions."),
        )
        self.add_raster(
            self.ALLOCATION,
            tr("Nearest seeds"),
            tr("The raster of the ids of the nearest seeds."),
            optional=True,
        )
        self.add_distance()
        regions = QgsProcessingParameterFeatureSink(
            self.POLYGONS,
            tr("Regions"),
            QgsProcessing.SourceType.TypeVectorPolygon,
            optional=True,
            createByDefault=False,
        )
        self.add(
            regions,
            tr(
                "The regions as polygons with their statistics, colored by the first raster of counts, or by area. "
                "Seeds with the same id share a region, with the attributes of the first."
            ),
        )

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context, self.weight_field(parameters, context))
        self.prepare_grid(parameters, context, feedback)
        self.prepare_choice(parameters, context, feedback)
        layers = self.parameterAsLayerList(parameters, self.SUMS, context)
        self.sums = dict(
            zip(field_names(layer.name() for layer in layers), map(raster_file, layers))
        )
        return True

    def processAlgorithm(self, parameters, context, feedback):
        row = self.seeds.want_rows()
        known = self.seeds.source.fields()
        table = QgsProcessingUtils.generateTempFilename("statistics.gpkg")

        options = self.request_options(parameters, context)
        group = self.parameterAsBoolean(parameters, self.GROUP, context)
        if group:
            options.append("--group")
        for name, path in self.sums.items():
            options += ["--sum", f"{name}={path}"]
        more = [("--stats", table)]
        polygons = (
            QgsProcessingUtils.generateTempFilename("regions.gpkg")
            if self.given(parameters, self.POLYGONS)
            else None
        )
        if polygons:
            more.append(("--polygons", polygons))
        rasters = self.make(
            parameters, context, feedback, options, [(self.DISTANCE, "--distance")], more
        )
        if rasters is None:
            return {}

        statistics = QgsVectorLayer(table, "statistics", "ogr")
        if not statistics.isValid():
            raise QgsProcessingException(tr("Cannot read {}").format(table))
        # Without a unit of length there are no kilometers.
        columns = ([SEEDS] if group else []) + [
            name if statistics.fields().indexOf(name) >= 0 else "area" for name in COLUMNS
        ]
        columns += [f"{name}_{column}" for name in self.sums for column in ("sum", "distance_mean")]
        fields = QgsFields()
        fields.append(QgsField(VALUE, types.LONG))
        for column in columns:
            fields.append(statistics.fields().field(column))
        columns.insert(0, VALUE)
        statistics_count = fields.count()
        shown = known.count() + columns.index(
            f"{next(iter(self.sums))}_sum"
            if self.sums
            else "area"
            if "area" in columns
            else "area_km2"
        )
        fields = QgsProcessingUtils.combineFields(seed_fields(known), fields)
        geometry_type = self.seeds.source.wkbType()
        if QgsWkbTypes.geometryType(geometry_type) == QgsWkbTypes.GeometryType.PointGeometry:
            geometry_type = QgsWkbTypes.singleType(geometry_type)
        sink, destination = self.parameterAsSink(
            parameters,
            self.OUTPUT,
            context,
            fields,
            geometry_type,
            self.seeds.crs,
            # Rows of a multipoint repeat its attributes, also those of a GeoPackage's key.
            QgsFeatureSink.SinkFlag.RegeneratePrimaryKey,
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        regions = Regions(known.count(), statistics_count)
        joined = join_groups if group else join
        for count, (feature, geometry, values) in enumerate(
            joined(self.seeds, statistics, row, columns)
        ):
            if count % CHECK_CANCEL_EVERY == 0 and feedback.isCanceled():
                return {}
            made = QgsFeature(fields)
            made.setGeometry(geometry)
            made.setAttributes(feature.attributes() + values)
            if polygons:
                regions.add(made.attributes())
            if not sink.addFeature(made, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(tr("Cannot write the result"))

        results = {self.OUTPUT: destination, **rasters}
        if polygons:
            results[self.POLYGONS] = self.write_regions(
                parameters, context, feedback, polygons, regions, fields, shown
            )
            if results[self.POLYGONS] is None:
                return {}
        styles.seeds(
            context,
            destination,
            self.label(self.OUTPUT),
            tr("Statistics of {layer}").format(layer=self.seeds.label),
        )
        self.paint(context, rasters)
        return results

    def write_regions(self, parameters, context, feedback, path, regions, fields, shown):
        """
        Where the polygons with their statistics are, colored by the field at `shown`; None if the user cancelled.
        """
        layer = QgsVectorLayer(path, "regions", "ogr")
        if not layer.isValid():
            raise QgsProcessingException(tr("Cannot read {}").format(path))
        sink, destination = self.parameterAsSink(
            parameters,
            self.POLYGONS,
            context,
            fields,
            layer.wkbType(),
            layer.crs(),
            QgsFeatureSink.SinkFlag.RegeneratePrimaryKey,
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.POLYGONS))
        for count, region in enumerate(layer.getFeatures()):
            if count % CHECK_CANCEL_EVERY == 0 and feedback.isCanceled():
                return None
            made = QgsFeature(fields)
            made.setGeometry(region.geometry())
            made.setAttributes(regions.attributes(region[VALUE]))
            if not sink.addFeature(made, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(tr("Cannot write the result"))
        field = fields[shown].name()
        name = tr("Regions of {layer} by {field}").format(layer=self.seeds.label, field=field)
        styles.graduated(context, destination, self.label(self.POLYGONS), name, field)
        return destination


class Regions:
    """The attributes of regions: those of the first seed of an id, with the statistics of all seeds that have it."""

    def __init__(self, first, count):
        """`first` is the place of the statistics among the attributes, `count` their number."""
        self.first = first
        self.count = count
        self.found = {}

    def add(self, attributes):
        value = attributes[self.first]
        if not types.is_empty(value):
            self.found.setdefault(value, []).append(
                [None if types.is_empty(a) else a for a in attributes]
            )

    def attributes(self, value):
        seeds = self.found[value]
        if len(seeds) == 1:
            return seeds[0]
        made = list(seeds[0])
        cells, area, mean, farthest, x, y, *sums = range(self.first + 1, self.first + self.count)
        for column in [cells, area, *sums[::2]]:
            made[column] = sum(seed[column] or 0 for seed in seeds)
        for column, weight in [(mean, area), *zip(sums[1::2], sums[::2])]:
            known = [seed for seed in seeds if seed[column] is not None]
            total = sum(seed[weight] for seed in known)
            made[column] = (
                sum(seed[column] * seed[weight] for seed in known) / total if total else None
            )
        made[farthest] = max(
            (seed[farthest] for seed in seeds if seed[farthest] is not None), default=None
        )
        made[x] = made[y] = None
        return made


def seed_fields(known):
    """
    The fields of the seeds. A field with the name of the column by which tables and rasters join is renamed to
    seed_NAME, as in regions.
    """
    taken, fields = {VALUE}, QgsFields()
    for field in known:
        name = field.name()
        if name.lower() in taken:
            name = f"seed_{name}"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        made = QgsField(field)
        made.setName(name)
        fields.append(made)
    return fields


def field_names(layers):
    """Names for fields, of letters, digits and _, each once, from the names of layers."""
    names = []
    for layer in layers:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", layer).strip("_")[:LONGEST_NAME] or "raster"
        name, number = plain, 1
        while name.lower() in (other.lower() for other in names):
            number += 1
            name = f"{plain}_{number}"
        names.append(name)
    return names


def join(seeds, statistics, row, columns):
    """
    Triples of a seed's feature, a point and its statistics. The table has a row for each point in the order of the
    seeds, with the number of the feature; the rows of a feature follow each other. A feature that was left out has no
    row.
    """
    table = statistics.getFeatures()
    found = next(table, None)
    for number, feature in enumerate(seeds.features()):
        if found is None or found[row] != number:
            yield feature, QgsGeometry(), [None] * len(columns)
            continue
        while found is not None and found[row] == number:
            yield feature, place(feature, found), [found[column] for column in columns]
            found = next(table, None)


def join_groups(seeds, statistics, row, columns):
    """The same for a table with a row for each id, with the number of the feature of its first seed."""
    table = {found[row]: found for found in statistics.getFeatures()}
    for number, feature in enumerate(seeds.features()):
        if number in table:
            yield (
                feature,
                place(feature, table[number]),
                [table[number][column] for column in columns],
            )


def place(feature, found):
    """The geometry of a row: that of the feature, or its point if there are several."""
    geometry = feature.geometry()
    points = geometry.type() == QgsWkbTypes.GeometryType.PointGeometry
    return found.geometry() if points and geometry.isMultipart() else geometry
