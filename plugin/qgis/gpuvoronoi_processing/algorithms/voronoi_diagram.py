"""Voronoi diagram: the cells of points as polygons, their borders, or the Delaunay triangulation."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
    QgsProcessingParameterVectorDestination,
)

from .. import engine, results, styles
from ..i18n import tr
from ..layers import Polygons, crs_text, lines_or_polygons
from .rasters import extent_option
from .seeds import READING, SeedsAlgorithm


class VoronoiDiagram(SeedsAlgorithm):
    command_only = ("KIND", "MASK", "CRS", "GROUP")

    KIND, TOLERANCE, WHOLE, GROUP = "KIND", "TOLERANCE", "WHOLE", "GROUP"
    POLYGON_KIND = 0
    of_seeds = (SeedsAlgorithm.OUTPUT,)

    def name(self):
        return "voronoidiagram"

    def displayName(self):
        return tr("Voronoi diagram (polygons)")

    def tags(self):
        return tr(
            "voronoi,thiessen,dirichlet,polygons,delaunay,triangulation,tessellation,nearest,service area,catchment,"
            "geodesic,great circle,globe"
        ).split(",")

    def description(self):
        return tr(
            "<p>Computes the Voronoi diagram of points. The polygon of a point has its attributes and contains all "
            "places that are nearest to this point.</p><p>Distances are geodesics on the ellipsoid, great circles, or "
            "straight lines on the map. On the globe the polygons cover it exactly once, across ±180° and the poles; "
            "lines are as close to the exact borders as the tolerance requires.</p><p>The polygons have the fields "
            "<i>seed</i> (id of the point), <i>area_km2</i> (<i>area</i> without a coordinate system; of the "
            "polygon, as an extent or a mask cuts it), <i>neighbours</i> (ids of the polygons with a common "
            "border) and <i>others</i> (ids of further points at the same place, which have no polygon).</p>"
        )

    def examples(self):
        return [
            (
                tr("The area that is nearest to each airport, as polygons:"),
                {"INPUT": "airports.gpkg", "OUTPUT": "cells.gpkg"},
            ),
            (
                tr("The same within a country, to 100 m:"),
                {
                    "INPUT": "stations.gpkg",
                    "TOLERANCE": 100,
                    "MASK": "country.gpkg",
                    "OUTPUT": "cells.gpkg",
                },
            ),
            (
                tr("The Delaunay triangulation as lines:"),
                {"INPUT": "wells.gpkg", "KIND": 2, "OUTPUT": "triangles.gpkg"},
            ),
        ]

    @staticmethod
    def metrics():
        return SeedsAlgorithm.metrics()[:4]

    @staticmethod
    def kinds():
        """Labels, and the options of the program."""
        return [
            (tr("Polygons"), []),
            (tr("Borders as lines, with the points on both sides"), ["--edges-only"]),
            (tr("Delaunay triangulation: lines between neighbors"), ["--delaunay"]),
        ]

    def initAlgorithm(self, configuration=None):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.INPUT, tr("Points"), [QgsProcessing.SourceType.TypeVectorPoint]
            ),
            tr(
                "Each point of a multipoint has a polygon. For lines and polygons, and for weights, use “Voronoi "
                "raster” with its result “Regions”."
            ),
        )
        self.add_id_field(
            tr(
                "The id of a point in the result: whole numbers or text. Without a field: the feature id."
            )
        )
        self.add(
            QgsProcessingParameterEnum(
                self.KIND,
                tr("Result"),
                [label for label, _ in self.kinds()],
                defaultValue=self.POLYGON_KIND,
            ),
            tr("Lines have the ids of the points on both sides as fields “left” and “right”."),
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.GROUP, tr("One polygon for all points with the same id"), defaultValue=False
            ),
            tr(
                "The id is the owner of the points. Borders as lines are those between owners, one feature for each "
                "pair."
            ),
        )
        self.add_metric(
            self.metrics(),
            tr(
                "Straight lines are measured on the map of the result and need a projected coordinate system, or none."
            ),
        )
        self.add(
            QgsProcessingParameterExtent(self.EXTENT, tr("Extent"), optional=True),
            tr(
                "Cuts the diagram. Default: the whole globe, on the map the extent of the points and 10 % on each side."
            ),
        )
        self.add(
            QgsProcessingParameterFeatureSource(
                self.MASK, tr("Mask"), [QgsProcessing.SourceType.TypeVectorPolygon], optional=True
            ),
            tr("Polygons that cut the diagram, in any coordinate system."),
        )
        self.add(
            QgsProcessingParameterCrs(
                self.CRS, tr("Coordinate system of the result"), optional=True
            ),
            tr("Default: that of the points."),
        )
        self.add_number(
            QgsProcessingParameterNumber(
                self.TOLERANCE,
                tr("Tolerance (meters)"),
                QgsProcessingParameterNumber.Type.Double,
                1.0,
                minValue=0.01,
            ),
            tr(
                "On the globe: how far lines may be from the exact borders. A larger one gives fewer vertices."
            ),
            advanced=True,
        )
        self.add(
            QgsProcessingParameterBoolean(
                self.WHOLE, tr("Do not cut at ±180°"), defaultValue=False
            ),
            tr(
                "Leaves polygons whole at ±180° and open at the poles: for polar coordinate systems and for globes."
            ),
            advanced=True,
        )
        self.add_skip_invalid()
        self.add(
            QgsProcessingParameterVectorDestination(
                self.OUTPUT, tr("Voronoi diagram"), QgsProcessing.SourceType.TypeVectorAnyGeometry
            ),
            tr("The polygons, each with the attributes of its point; or the lines."),
        )

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        layer = self.vector_layer(parameters, self.INPUT, context) if well else None
        if layer is not None and lines_or_polygons(layer.geometryType()):
            return False, tr(
                "{layer}: unsupported geometries; use “Voronoi raster” with “Regions” for lines and polygons"
            ).format(layer=layer.name())
        if well and self.parameterAsBoolean(parameters, self.GROUP, context):
            if not self.given(parameters, self.FIELD):
                return False, tr(
                    "One polygon for all points with the same id: missing field of ids"
                )
            if self.parameterAsEnum(parameters, self.KIND, context) == len(self.kinds()) - 1:
                return False, tr(
                    "One polygon for all points with the same id: unsupported for the Delaunay triangulation"
                )
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context)
        kind = self.parameterAsEnum(parameters, self.KIND, context)
        if kind == self.POLYGON_KIND:
            self.seeds.want_all_fields()
        metric = self.metrics()[self.parameterAsEnum(parameters, self.METRIC, context)][1]
        self.options = [*self.kinds()[kind][1], *([] if metric is None else ["--metric", metric])]
        crs = self.parameterAsCrs(parameters, self.CRS, context)
        if crs.isValid():
            self.options += ["--crs", crs_text(crs)]
        extent = self.parameterAsExtent(
            parameters, self.EXTENT, context, crs if crs.isValid() else self.seeds.crs
        )
        if not extent.isNull():
            self.options.append(extent_option(extent))
        mask = self.vector_layer(parameters, self.MASK, context)
        if mask is not None:
            self.mask_polygons = Polygons(mask, parameters[self.MASK], context)
        elif self.given(parameters, self.MASK):
            raise QgsProcessingException(tr("Cannot open the mask"))
        self.options.append(
            f"--tolerance={self.parameterAsDouble(parameters, self.TOLERANCE, context)!r}"
        )
        if self.parameterAsBoolean(parameters, self.WHOLE, context):
            self.options.append("--no-cut")
        if self.skip_invalid:
            self.options.append("--skip-invalid")
        return True

    def processAlgorithm(self, parameters, context, feedback):
        path = self.output_file(parameters, self.OUTPUT, context)
        layers = self.layer_options(context, feedback)
        if layers is None:
            return {}
        done = READING if self.seeds.file is None else 0.0
        if self.parameterAsBoolean(parameters, self.GROUP, context) and "--id" in layers:
            layers[layers.index("--id")] = "--group"
        options = [
            *layers,
            *self.options,
            *engine.threads(),
            "--progress",
            "--overwrite",
            "--",
            path,
        ]
        report = engine.run(
            ["diagram", *options],
            [path],
            feedback,
            lambda percent: feedback.setProgress(done + percent * (100.0 - done) / 100.0),
        )
        if not report:
            return {}
        kind = self.parameterAsEnum(parameters, self.KIND, context)
        if kind == self.POLYGON_KIND and self.seeds.added_id:
            results.leave_out_field(path, self.seeds.added_id)
        output = self.finish_vector(parameters, self.OUTPUT, context, feedback, path)
        if output is None:
            return {}
        self.paint(context, output, kind)
        return {self.OUTPUT: output}

    def paint(self, context, output, kind):
        title = [
            tr("Voronoi cells of {layer}"),
            tr("Voronoi borders of {layer}"),
            tr("Delaunay triangulation of {layer}"),
        ][kind]
        title, label = title.format(layer=self.seeds.label), self.label(self.OUTPUT)
        if kind == self.POLYGON_KIND:
            styles.cells(context, output, label, title)
        else:
            styles.rename(context, output, label, title)
