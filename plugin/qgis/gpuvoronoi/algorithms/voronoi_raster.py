"""Voronoi raster: every cell of a raster gets the id of its nearest seed."""

from ..i18n import tr
from ..styles import style_allocation
from .base import Algorithm


class VoronoiRaster(Algorithm):
    def name(self):
        return "voronoiraster"

    def displayName(self):
        return tr("Voronoi raster")

    def tags(self):
        return tr("voronoi,thiessen,allocation,nearest,proximity,service area,geodesic,great circle,raster").split(",")

    def description(self):
        return tr(
            "<p>Gives every cell of a raster the id of its nearest seed: an allocation, or Voronoi, raster.</p>"
            "<p>The answer is exact. Distances are measured on the ellipsoid, on the sphere or on the map, right across "
            "±180° and the poles; of equally near seeds the first one gets the cell.</p>"
        )

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_grid()
        self.add_metric(
            self.metrics(),
            tr(
                "Geodesics and great circles work on projected rasters too, through the inverse projection. The others are "
                "measured on the map and need a projected coordinate system, or none."
            ),
        )
        self.add_advanced()
        self.add_raster(
            self.OUTPUT,
            self.output_label(),
            tr("The raster of ids; −1 where there is none (the type's lowest integer if −1 is an id)."),
        )

    @staticmethod
    def output_label():
        return tr("Nearest seeds")

    @staticmethod
    def metrics():
        return [
            (tr("Automatic: geodesics for longitudes and latitudes, else straight lines on the map"), None),
            (tr("Geodesics on the ellipsoid"), "geodesic"),
            (tr("Great circles on the sphere"), "great-circle"),
            (tr("Straight lines on the map"), "euclidean"),
            (tr("Manhattan: |Δx| + |Δy| on the map"), "manhattan"),
            (tr("Chebyshev: max(|Δx|, |Δy|) on the map"), "chebyshev"),
        ]

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context)
        self.prepare_grid(parameters, context)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        output = self.parameterAsOutputLayer(parameters, self.OUTPUT, context)
        metric = self.metrics()[self.parameterAsEnum(parameters, self.METRIC, context)][1]
        options = self.grid + self.raster_options(parameters, context)
        if metric is not None:
            options += ["--metric", metric]
        if not self.run_raster(options, output, [], context, feedback):
            return {}
        style_allocation(
            context, output, self.output_label(), tr("Nearest of {layer}").format(layer=self.seeds.label)
        )
        return {self.OUTPUT: output}
