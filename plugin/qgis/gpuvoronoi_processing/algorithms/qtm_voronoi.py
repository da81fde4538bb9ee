"""QTM Voronoi: the nearest seeds of the triangles of a level of the quaternary triangular mesh."""

from qgis.core import (
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterNumber,
)

from .. import styles
from ..i18n import tr
from .rasters import RasterAlgorithm


class QtmVoronoi(RasterAlgorithm):
    LEVEL, SNAP, CELLS, MESH = "LEVEL", "SNAP", "CELLS", "MESH"
    metrics = staticmethod(RasterAlgorithm.metrics_of_the_globe)

    def name(self):
        return "qtmvoronoi"

    def displayName(self):
        return tr("QTM Voronoi")

    def tags(self):
        return tr("voronoi,qtm,triangle,mesh,dggs,discrete global grid,sphere,nearest").split(",")

    def description(self):
        return tr(
            "<p>Finds the nearest seed for the center of every triangle of a level of Dutton's quaternary triangular "
            "mesh. The mesh divides the globe into 8 · 4<sup>level</sup> triangles of similar size.</p><p>The "
            "raster shows the triangles: each cell has the id of the triangle that contains the center of the cell.</p>"
        )

    def extent_help(self):
        return tr(
            "The area of the raster. Default: the whole globe for longitudes and latitudes, in other coordinate "
            "systems the extent of the seeds and 10 % on each side."
        )

    def resolution_help(self):
        return tr(
            "Side of the square cells. Default: 360° / 2^(level + 3) for longitudes and latitudes, in other coordinate "
            "systems 2,048 cells on the longer side."
        )

    def examples(self):
        return [
            (
                tr(
                    "The nearest city for every triangle of level 9, and the triangles as polygons:"
                ),
                {
                    "INPUT": "cities.gpkg",
                    "FIELD": "city_id",
                    "LEVEL": 9,
                    "OUTPUT": "nearest.tif",
                    "CELLS": "triangles.gpkg",
                },
            )
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_raster_id_field()
        self.add(
            QgsProcessingParameterNumber(
                self.LEVEL,
                tr("Level of the mesh"),
                QgsProcessingParameterNumber.Type.Integer,
                7,
                minValue=0,
                maxValue=20,
            ),
            tr(
                "0 to 20. A level has 8 · 4^level triangles: 7 has 131,072 of about 80 km, 9 has 2,097,152 of about 20 "
                "km."
            ),
        )
        self.add_metric(
            self.metrics(),
            tr("How the distance from the center of a triangle to a seed is measured."),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.SNAP, tr("Move seeds to the centers of their triangles"), defaultValue=False
            ),
            tr(
                "Uses the center of the triangle that contains a point instead of the point, as in the published "
                "algorithm."
            ),
            advanced=True,
        )
        self.add_grid()
        for name in (self.EXTENT, self.RESOLUTION, self.CRS, self.TEMPLATE):
            parameter = self.parameterDefinition(name)
            parameter.setFlags(parameter.flags() | parameter.Flag.FlagAdvanced)
        self.add_shapes()
        self.add_advanced()
        self.add_raster(
            self.OUTPUT,
            tr("Nearest seeds"),
            tr("The raster of ids. Default: the globe in 2^(level + 3) × 2^(level + 2) cells."),
        )
        self.add_distance()
        self.add_polygons(
            self.CELLS,
            tr("Triangles"),
            tr(
                "The triangles as polygons, with id and id64 (their ids in the mesh), lon and lat (center, degrees), "
                "seed (id of the nearest), distance (meters) and area_km2."
            ),
        )
        self.add(
            QgsProcessingParameterFileDestination(
                self.MESH,
                tr("Mesh"),
                tr("UGRID mesh") + " (*.nc)",
                optional=True,
                createByDefault=False,
            ),
            tr("The triangles as a UGRID mesh, which QGIS opens as a mesh layer, up to level 13."),
        )

    def sized_by(self):
        return self.LEVEL if not self.grid else self.RESOLUTION

    def level_options(self, parameters, context):
        return ["--level", str(self.parameterAsInt(parameters, self.LEVEL, context))]

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context)
        if self.given(parameters, self.CELLS):
            triangles = 8 * 4 ** self.parameterAsInt(parameters, self.LEVEL, context)
            self.confirm_size(self.LEVEL, feedback, rows=triangles)
        self.prepare_grid(parameters, context, feedback)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        level = self.parameterAsInt(parameters, self.LEVEL, context)
        options = [
            *self.request_options(parameters, context),
            *self.level_options(parameters, context),
        ]
        if self.parameterAsBoolean(parameters, self.SNAP, context):
            options.append("--snap-seeds")
        outputs = [(self.DISTANCE, "--distance"), (self.CELLS, "--cells"), (self.MESH, "--mesh")]
        results = self.make(parameters, context, feedback, options, outputs)
        if results is None:
            return {}
        layer, raster = self.seeds.label, results[self.OUTPUT]
        self.paint(
            context,
            results,
            tr("Nearest of {layer}, QTM level {level}").format(layer=layer, level=level),
        )
        if self.CELLS in results:
            title = tr("Triangles by the nearest of {layer}, QTM level {level}").format(
                layer=layer, level=level
            )
            styles.regions(
                context, results[self.CELLS], self.label(self.CELLS), title, raster, "seed"
            )
        if self.MESH in results and context.project() is not None:
            title = tr("Mesh of the nearest of {layer}, QTM level {level}").format(
                layer=layer, level=level
            )
            styles.load_mesh(context, results[self.MESH], title, raster)
        return results
