"""Nearest value raster: every cell of a raster gets a number of its nearest seed."""

from qgis.core import QgsProcessingParameterEnum, QgsProcessingParameterField

from .. import styles
from ..i18n import tr
from .rasters import RasterAlgorithm


class NearestValue(RasterAlgorithm):
    VALUE_FIELD, TYPE = "VALUE_FIELD", "TYPE"
    TYPES = (
        "Byte",
        "Int16",
        "UInt16",
        "Int32",
        "UInt32",
        "Int64",
        "Float32",
        "Float64",
    )  # after the automatic one

    def name(self):
        return "nearestvalue"

    def displayName(self):
        return tr("Nearest value raster")

    def tags(self):
        return tr(
            "nearest neighbor interpolation,gridding,value,attribute,resampling,regridding,voronoi,thiessen,stations,"
            "geodesic,raster"
        ).split(",")

    def description(self):
        return tr(
            "<p>Writes a number of the nearest seed into every cell of a raster: the value of a field, for example the "
            "temperature of the nearest station.</p><p>The result is exact. Distances are measured on the ellipsoid, "
            "on the sphere or on the map, across ±180° and the poles. At equal distances the first seed counts.</p>"
        )

    def examples(self):
        return [
            (
                tr("The temperature of the nearest station, at most 200 km away:"),
                {
                    "INPUT": "stations.gpkg",
                    "VALUE_FIELD": "temperature",
                    "RESOLUTION": 0.1,
                    "MAX_DISTANCE": 200000,
                    "OUTPUT": "temperature.tif",
                },
            )
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add(
            QgsProcessingParameterField(
                self.VALUE_FIELD,
                tr("Field of the values"),
                parentLayerParameterName=self.INPUT,
                type=QgsProcessingParameterField.DataType.Numeric,
            ),
            tr(
                "A field of numbers of the seeds. An empty value is an error, unless such seeds are left out."
            ),
        )
        self.add_cells_and_neighbors()
        self.add_advanced()
        self.add_double()
        self.add(
            QgsProcessingParameterEnum(
                self.TYPE, tr("Data type"), [tr("Automatic"), *self.TYPES], defaultValue=0
            ),
            tr(
                "The type of the raster. Automatic: Int32 or Int64 for whole numbers, Float64 or Float32 for others. A "
                "type of whole numbers has to hold every value."
            ),
            advanced=True,
        )
        self.add_raster(
            self.OUTPUT,
            tr("Nearest values"),
            tr(
                "The raster of the values. Cells without a seed are empty: NaN in real types, else −1 or another value "
                "that does not occur."
            ),
        )
        self.add_distance()
        self.add_azimuth()

    def prepareAlgorithm(self, parameters, context, feedback):
        self.value_field = self.parameterAsString(parameters, self.VALUE_FIELD, context)
        self.prepare_seeds(
            parameters, context, self.value_field, self.weight_field(parameters, context)
        )
        self.prepare_grid(parameters, context, feedback)
        self.prepare_choice(parameters, context, feedback)
        return True

    def processAlgorithm(self, parameters, context, feedback):
        options = [*self.request_options(parameters, context), "--attribute", self.value_field]
        kind = self.parameterAsEnum(parameters, self.TYPE, context)
        if kind:
            options += ["--ot", self.TYPES[kind - 1]]
        outputs = [(self.DISTANCE, "--distance"), (self.AZIMUTH, "--azimuth")]
        results = self.make(parameters, context, feedback, options, outputs)
        if results is None:
            return {}
        title = tr("{field} of the nearest of {layer}").format(
            field=self.value_field, layer=self.seeds.label
        )
        self.paint(context, {name: path for name, path in results.items() if name != self.OUTPUT})
        styles.values(context, results[self.OUTPUT], self.label(self.OUTPUT), title)
        return results
