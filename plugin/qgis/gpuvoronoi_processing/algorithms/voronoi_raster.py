"""Voronoi raster: every cell of a raster gets the id of its nearest seed."""

from ..i18n import tr
from .rasters import RasterAlgorithm


class VoronoiRaster(RasterAlgorithm):
    def name(self):
        return "voronoiraster"

    def displayName(self):
        return tr("Voronoi raster")

    def tags(self):
        return tr(
            "voronoi,thiessen,euclidean allocation,distance allocation,distance to coast,nearest,proximity,service "
            "area,geodesic,great circle,raster"
        ).split(",")

    def description(self):
        return tr(
            "<p>Writes the id of the nearest seed into every cell of a raster: a Voronoi raster, also known as "
            "Euclidean or distance allocation.</p><p>The result is exact. Distances are measured on the ellipsoid, on "
            "the sphere or on the map, across ±180° and the poles. At equal distances the first seed "
            "counts.</p><p>Further results are the distance and the direction from each cell to its seed, and the "
            "regions as polygons.</p>"
        )

    def examples(self):
        return [
            (
                tr("The nearest city for every tenth of a degree, with distances:"),
                {
                    "INPUT": "cities.gpkg",
                    "FIELD": "city_id",
                    "RESOLUTION": 0.1,
                    "OUTPUT": "nearest.tif",
                    "DISTANCE": "distance.tif",
                },
            ),
            (
                tr("The three nearest shops at most 50 km away, on the cells of another raster:"),
                {
                    "INPUT": "shops.gpkg",
                    "TEMPLATE": "land_use.tif",
                    "NEIGHBORS": 3,
                    "MAX_DISTANCE": 50000,
                    "OUTPUT": "shops.tif",
                },
            ),
            (
                tr("The distance to the coast, negative on land, from a layer of countries:"),
                {
                    "INPUT": "countries.gpkg",
                    "RESOLUTION": 0.25,
                    "SIGNED": True,
                    "OUTPUT": "nearest.tif",
                    "DISTANCE": "coast.tif",
                },
            ),
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_raster_id_field()
        self.add_cells_and_neighbors()
        self.add_advanced()
        self.add_double()
        self.add_raster(
            self.OUTPUT,
            tr("Nearest seeds"),
            tr(
                "The raster of ids; −1 where no seed counts (the lowest integer of the type if −1 is an id)."
            ),
        )
        self.add_distance()
        self.add_azimuth()
        self.add_polygons(
            self.POLYGONS,
            tr("Regions"),
            tr(
                "The regions as polygons, with the attributes of their seeds. With k above 1: those of the nearest."
            ),
        )

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context, self.weight_field(parameters, context))
        self.prepare_grid(parameters, context, feedback)
        self.prepare_choice(parameters, context, feedback)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        if self.given(parameters, self.POLYGONS):
            self.seeds.want_all_fields()
        outputs = [
            (self.DISTANCE, "--distance"),
            (self.AZIMUTH, "--azimuth"),
            (self.POLYGONS, "--polygons"),
        ]
        results = self.make(
            parameters, context, feedback, self.request_options(parameters, context), outputs
        )
        if results is None:
            return {}
        self.paint(context, results)
        return results
