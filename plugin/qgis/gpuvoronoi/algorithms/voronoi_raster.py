"""Voronoi raster: every cell of a raster gets the id of its nearest seed."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterVectorDestination,
)

from .. import styles
from ..i18n import tr
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
            "<p>Further results are the distance and the direction from each cell to its seed, and the regions as "
            "polygons.</p>"
        )

    def examples(self):
        return [
            (tr("The nearest city for every tenth of a degree, with distances:"),
             {"INPUT": "cities.gpkg", "FIELD": "city_id", "RESOLUTION": 0.1, "OUTPUT": "nearest.tif", "DISTANCE": "distance.tif"}),
            (tr("The three nearest shops at most 50 km away, on the cells of another raster:"),
             {"INPUT": "shops.gpkg", "TEMPLATE": "land_use.tif", "NEIGHBORS": 3, "MAX_DISTANCE": 50000, "OUTPUT": "shops.tif"}),
            (tr("The distance to the coast, negative on land, of a layer of countries as polygons:"),
             {"INPUT": "countries.gpkg", "RESOLUTION": 0.25, "SIGNED": True, "OUTPUT": "nearest.tif", "DISTANCE": "coast.tif"}),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_grid()
        self.add_raster_metric()
        self.add_neighbors()
        self.add_choice()
        self.add_shapes()
        self.add_signed()
        self.add_advanced()
        self.add_double()
        self.add_raster(
            self.OUTPUT,
            self.output_label(),
            tr("The raster of ids; −1 where there is none (the type's lowest integer if −1 is an id)."),
        )
        self.add_distance()
        self.add_azimuth()
        polygons = QgsProcessingParameterVectorDestination(
            self.POLYGONS, self.polygons_label(), QgsProcessing.SourceType.TypeVectorPolygon, optional=True,
            createByDefault=False,
        )
        self.add(polygons, tr("The regions as polygons, with the attributes of their seeds; with k above 1 those of the nearest."))

    @staticmethod
    def output_label():
        return tr("Nearest seeds")

    @staticmethod
    def polygons_label():
        return tr("Regions")

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context, self.weight_field(parameters, context))
        self.prepare_grid(parameters, context)
        self.prepare_choice(parameters, context, feedback)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        output = self.parameterAsOutputLayer(parameters, self.OUTPUT, context)
        others = {}
        for name, option in ((self.DISTANCE, "--distance"), (self.AZIMUTH, "--azimuth"), (self.POLYGONS, "--polygons")):
            outputs = self.vector_output if name == self.POLYGONS else self.parameterAsOutputLayer
            path = outputs(parameters, name, context)
            if path:
                others[name] = (option, path)
        if self.POLYGONS in others:
            self.seeds.want_all_fields()
        options = [*self.grid, *self.choice, *self.metric_options(parameters, context)]
        options += self.shape_options(parameters, context) + self.signed_options(parameters, context)
        options += self.raster_options(parameters, context) + self.neighbors_options(parameters, context)
        options += self.double_options(parameters, context)
        if not self.run_raster(options, output, others.values(), context, feedback):
            return {}

        results = {self.OUTPUT: output, **{name: path for name, (_, path) in others.items()}}
        if self.POLYGONS in results:
            results[self.POLYGONS] = self.finish_vector(parameters, self.POLYGONS, context, feedback, results[self.POLYGONS])
            if results[self.POLYGONS] is None:
                return {}
        layer = self.seeds.label
        styles.allocation(context, output, self.output_label(), tr("Nearest of {layer}").format(layer=layer))
        if self.DISTANCE in results:
            styles.distance(context, results[self.DISTANCE], self.distance_label(), tr("Distance to {layer}").format(layer=layer))
        if self.AZIMUTH in results:
            styles.azimuth(context, results[self.AZIMUTH], self.azimuth_label(), tr("Direction to {layer}").format(layer=layer))
        if self.POLYGONS in results:
            styles.regions(context, results[self.POLYGONS], self.polygons_label(), tr("Regions of {layer}").format(layer=layer),
                           output, "value")
        return results
