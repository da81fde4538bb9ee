"""Nearest seed of cells: the nearest seeds of the HEALPix pixels, S2 cells or H3 cells of a level."""

import math
import re

from qgis.core import (
    QgsFields,
    QgsProcessing,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterNumber,
    QgsProcessingParameterVectorDestination,
    QgsProcessingUtils,
)

from .. import field_types as types
from .. import program, styles
from ..i18n import number_text, tr
from .rasters import RasterAlgorithm

EARTH = 5.1e14  # square meters
HIGHEST_LEVEL, HIGHEST_LEVEL_OF_H3 = 18, 15
MOST_POLYGONS = 2100000  # half a gigabyte; level 5 of H3 has 2,016,842
WITHOUT_GEOMETRY = (".csv", ".tsv", ".xlsx", ".ods")  # formats of tables


class Cells(RasterAlgorithm):
    SYSTEM, LEVEL, GEOMETRY = "SYSTEM", "LEVEL", "GEOMETRY"
    AUTHALIC, ATTRIBUTES = "AUTHALIC", "ATTRIBUTES"
    metrics = staticmethod(RasterAlgorithm.metrics_of_the_globe)

    def canExecute(self):
        message = program.refusal(command_only=True)
        return not message, message

    def name(self):
        return "cells"

    def displayName(self):
        return tr("Nearest seed of cells")

    def tags(self):
        return tr(
            "healpix,s2,h3,hexagons,dggs,discrete global grid,cells,nearest,voronoi,geodesic"
        ).split(",")

    def description(self):
        return tr(
            "<p>Finds the nearest seed for the center of every cell of a level of HEALPix, S2 or H3.</p><p>The result "
            "is a layer of the cells as polygons, or of their centers, with the fields <i>cell</i> (number or id), "
            "<i>token</i> (S2 and H3: the id in hexadecimal digits), <i>lon</i>, <i>lat</i>, <i>area_km2</i>, "
            "<i>seed</i> (id of the nearest), <i>distance</i> (meters) and <i>azimuth</i> (degrees clockwise from "
            "north), with k > 1 also <i>seed_2</i>, <i>distance_2</i> and so on. “QTM Voronoi” has triangles.</p>"
        )

    def examples(self):
        return [
            (
                tr("The nearest station of every pixel of HEALPix level 6, with its attributes:"),
                {
                    "INPUT": "stations.gpkg",
                    "SYSTEM": 0,
                    "LEVEL": 6,
                    "GEOMETRY": 0,
                    "ATTRIBUTES": True,
                    "OUTPUT": "pixels.gpkg",
                },
            ),
            (
                tr("The nearest shop of every S2 cell of level 8 in a country:"),
                {
                    "INPUT": "shops.gpkg",
                    "SYSTEM": 2,
                    "LEVEL": 8,
                    "MASK": "country.gpkg",
                    "OUTPUT": "cells.gpkg",
                },
            ),
        ]

    @staticmethod
    def systems():
        """Labels, the program's words before and after the level, and the count of cells of a level."""
        return [
            (tr("HEALPix, nested"), "healpix", "", lambda level: 12 * 4**level),
            (tr("HEALPix, ring"), "healpix", ",ring", lambda level: 12 * 4**level),
            ("S2", "s2", "", lambda level: 6 * 4**level),
            ("H3", "h3", "", lambda level: 2 + 120 * 7**level),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_id_field(tr("The id of a seed in the result. Without a field: the feature id."))
        self.add(
            QgsProcessingParameterEnum(
                self.SYSTEM, tr("Cells"), [label for label, *_ in self.systems()], defaultValue=0
            ),
            tr(
                "HEALPix: pixels of equal area on the sphere, numbered in the nested scheme or the ring scheme. S2: "
                "the cells of a cube. H3: hexagons and 12 pentagons, if the command was built with them."
            ),
        )
        self.add(
            QgsProcessingParameterNumber(
                self.LEVEL,
                tr("Level of the cells"),
                QgsProcessingParameterNumber.Type.Integer,
                5,
                minValue=0,
                maxValue=HIGHEST_LEVEL,
            ),
            tr(
                "HEALPix and S2: 0 to 18; H3: 0 to 15. A level of HEALPix has 12 · 4^level cells (5: 12,288 of about "
                "200 km), one of S2 6 · 4^level, one of H3 2 + 120 · 7^level (5: 2,016,842)."
            ),
        )
        self.add_metric(
            self.metrics(), tr("How the distance from the center of a cell to a seed is measured.")
        )
        self.add_neighbors(tr("Adds fields for the second to k-th nearest seed."))
        self.add_choice()
        self.parameterDefinition(self.MASK).setHelp(
            tr(
                "Cells with their center outside have no row. Polygons, or a raster with empty cells or zeros outside; "
                "in any coordinate system."
            )
        )
        self.add(
            QgsProcessingParameterEnum(
                self.GEOMETRY, tr("Geometry"), [tr("Polygons"), tr("Centers")], defaultValue=0
            ),
            tr(
                "Polygons are cut at ±180° and have at least 4 pieces on each side; they are for levels of at most "
                "2,100,000 cells, or with a mask. Tables without geometries have the centers in columns."
            ),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.ATTRIBUTES, tr("Attributes of the seeds"), defaultValue=False
            ),
            tr("Adds the attributes of the nearest seed with the prefix “seed_”."),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.AUTHALIC, tr("Equal areas on the ellipsoid"), defaultValue=False
            ),
            tr(
                "HEALPix and S2: uses the latitudes of these systems as authalic latitudes. By default they are "
                "geodetic latitudes, as in most data."
            ),
            advanced=True,
        )
        self.add_shapes()
        self.add_skip_invalid()
        self.add_backend()
        self.add(
            QgsProcessingParameterVectorDestination(
                self.OUTPUT, tr("Cells"), QgsProcessing.SourceType.TypeVectorAnyGeometry
            ),
            tr("The cells with their nearest seeds."),
        )

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        level = self.parameterAsInt(parameters, self.LEVEL, context)
        if well and self.system(parameters, context)[1] == "h3" and level > HIGHEST_LEVEL_OF_H3:
            return False, tr("“{}”: H3 has levels 0 to 15").format(self.label(self.LEVEL))
        if well:
            _, rows = self.size(parameters, context)
            if rows > MOST_POLYGONS and self.polygons(parameters, context):
                message = tr(
                    "“{geometry}”: a layer of {count} polygons; at most {most} are supported; choose centers, a lower "
                    "level or a mask"
                ).format(
                    geometry=self.label(self.GEOMETRY),
                    count=number_text(rows),
                    most=number_text(MOST_POLYGONS),
                )
        return well and not message, message

    def polygons(self, parameters, context):
        """Whether the cells are to be drawn; formats without geometries have no polygons."""
        destination = self.destination(parameters, self.OUTPUT, context) or ""
        wanted = self.parameterAsEnum(parameters, self.GEOMETRY, context) == 0
        return wanted and not destination.lower().endswith(WITHOUT_GEOMETRY)

    def system(self, parameters, context):
        return self.systems()[self.parameterAsEnum(parameters, self.SYSTEM, context)]

    def size(self, parameters, context):
        """The number of cells, and of rows; that of cells within a mask is unknown, 0."""
        level = self.parameterAsInt(parameters, self.LEVEL, context)
        cells = self.system(parameters, context)[3](level)
        return cells, 0 if self.given(parameters, self.MASK) else cells

    def prepareAlgorithm(self, parameters, context, feedback):
        cells, rows = self.size(parameters, context)
        self.confirm_size(self.LEVEL, feedback, cells, rows)
        self.prepare_seeds(parameters, context, self.weight_field(parameters, context))
        self.prepare_choice(parameters, context, feedback)
        self.grid = []
        return True

    def processAlgorithm(self, parameters, context, feedback):
        label, system, order, count = self.system(parameters, context)
        level = self.parameterAsInt(parameters, self.LEVEL, context)
        latitudes = (
            ",authalic" if self.parameterAsBoolean(parameters, self.AUTHALIC, context) else ""
        )
        options = [
            *self.request_options(parameters, context),
            "--cells-of",
            f"{system}:{level}{order}{latitudes}",
        ]
        if self.polygons(parameters, context):
            options.append("--cell-borders")
        options += self.common_options(parameters, context)
        if self.skip_invalid:
            options.append("--skip-invalid")

        attributes = self.parameterAsBoolean(parameters, self.ATTRIBUTES, context)
        joined = attributes or self.seeds.id_column("seed").type() == types.STRING
        if joined:
            self.seeds.want_rows_as_ids()
            path = QgsProcessingUtils.generateTempFilename("cells.gpkg")
        else:
            path = self.vector_output(parameters, self.OUTPUT, context)
        if not self.run_raster(options, None, [("--cells", path)], context, feedback):
            return {}
        if joined:
            made = self.copy_vector(
                parameters,
                self.OUTPUT,
                context,
                feedback,
                path,
                lambda fields: with_seeds(fields, self.seeds, attributes),
            )
        else:
            made = self.finish_vector(parameters, self.OUTPUT, context, feedback, path)
        if made is None:
            return {}
        title = tr("Nearest of {layer}, {system} level {level}").format(
            layer=self.seeds.label, system=label, level=level
        )
        styles.listed_cells(
            context, made, self.label(self.OUTPUT), title, math.sqrt(EARTH / count(level))
        )
        return {self.OUTPUT: made}


def with_seeds(fields, seeds, attributes):
    """
    For copy_vector(): the fields of cells, in which numbers of seeds become ids, and which get the attributes of the
    nearest seed if they are wanted.
    """
    column = seeds.id_index()
    ids, rows = [], []
    for feature in seeds.features():
        ids.append(feature.id() if column < 0 else feature.attribute(column))
        if attributes:
            rows.append(feature.attributes())
    numbers = [
        index for index, field in enumerate(fields) if re.fullmatch(r"seed(_\d+)?", field.name())
    ]
    made = QgsFields()
    for index, field in enumerate(fields):
        made.append(seeds.id_column(field.name()) if index in numbers else field)
    if attributes:
        made = QgsProcessingUtils.combineFields(made, seeds.source.fields(), "seed_")
    nothing = [None] * (made.count() - fields.count())

    def changed(values):
        nearest = values[numbers[0]]
        more = rows[nearest] if attributes and not types.is_empty(nearest) else nothing
        for index in numbers:
            if not types.is_empty(values[index]):
                values[index] = ids[values[index]]
        return values + more

    return made, changed
