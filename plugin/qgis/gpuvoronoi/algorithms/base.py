"""What the algorithms have in common: how they present themselves, parameters that several have, running the program."""

import html
import math

from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsRectangle,
)

from .. import about, command
from ..i18n import tr
from ..layers import Points, crs_text, raster_file, raster_has_crs

READING = 10.0  # per cent of the bar for layers that have to be written for the program first


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm of the provider. Subclasses define name, displayName, tags, description and the parameters."""

    INPUT, FIELD, OUTPUT = "INPUT", "FIELD", "OUTPUT"
    EXTENT, RESOLUTION, CRS, TEMPLATE = "EXTENT", "RESOLUTION", "CRS", "TEMPLATE"
    METRIC, SKIP_INVALID, BACKEND, OPTIONS = "METRIC", "SKIP_INVALID", "BACKEND", "OPTIONS"

    def createInstance(self):
        return type(self)()

    def group(self):
        return tr("Nearest seeds")

    def groupId(self):
        return "nearest"

    def icon(self):
        return about.icon(self.name())

    def helpUrl(self):
        return about.metadata("homepage")

    def description(self):
        """What the algorithm is for, as HTML paragraphs."""
        raise NotImplementedError

    def shortHelpString(self):
        parameters = "".join(
            f"<p><b>{html.escape(parameter.description())}</b><br>{html.escape(parameter.help())}</p>"
            for parameter in self.parameterDefinitions()
        )
        return self.description() + parameters

    def canExecute(self):
        try:
            command.find_program()
        except command.MissingProgram as missing:
            return False, str(missing)
        return True, ""

    # ---------------------------------------------------------------------------------------------- parameters

    def add(self, parameter, text, advanced=False):
        parameter.setHelp(text)
        if advanced:
            parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced)
        self.addParameter(parameter)

    def add_seeds(self):
        self.add(
            QgsProcessingParameterFeatureSource(
                self.INPUT, tr("Seeds"), [QgsProcessing.SourceType.TypeVectorPoint]
            ),
            tr(
                "The points among which the nearest is looked for. Each point of a multipoint is a seed of its own with "
                "the feature's id. Of seeds at the same place the first counts."
            ),
        )
        self.add(
            QgsProcessingParameterField(
                self.FIELD, tr("Id field"), parentLayerParameterName=self.INPUT, optional=True,
                type=QgsProcessingParameterField.DataType.Any,
            ),
            tr(
                "The values of the raster: an integer field as it is; of a text field the number of the row, counted "
                "from 0, with the text in the raster's attribute table. Without a field: the feature ids."
            ),
        )

    def add_grid(self):
        self.add(
            QgsProcessingParameterExtent(self.EXTENT, tr("Extent"), optional=True),
            tr(
                "The area of the raster. Without it: the whole globe for longitudes and latitudes, else the seeds' "
                "extent and a tenth on each side. Longitudes may go beyond 180°."
            ),
        )
        self.add(
            QgsProcessingParameterNumber(
                self.RESOLUTION, tr("Cell size (units of the raster's coordinate system)"),
                QgsProcessingParameterNumber.Type.Double, None, optional=True, minValue=0.0,
            ),
            tr("The side of the square cells. Without it: 2,048 cells on the longer side."),
        )
        self.add(
            QgsProcessingParameterCrs(self.CRS, tr("Coordinate system of the raster"), optional=True),
            tr("Without it: that of the seeds."),
        )
        self.add(
            QgsProcessingParameterRasterLayer(self.TEMPLATE, tr("Template raster"), optional=True),
            tr(
                "Gives the raster the cells of this one, in its coordinate system. With an extent: that area, in cells that "
                "continue the template's."
            ),
        )

    def add_metric(self, metrics, text):
        """`metrics` are pairs of a label and the program's word, which may be None for its own choice."""
        self.add(
            QgsProcessingParameterEnum(self.METRIC, tr("Distances"), [label for label, _ in metrics], defaultValue=0),
            text,
        )

    def add_skip_invalid(self):
        self.add(
            QgsProcessingParameterBoolean(
                self.SKIP_INVALID, tr("Leave out points without usable coordinates"), defaultValue=False
            ),
            tr(
                "Points without geometry, with infinite coordinates or a latitude beyond 90° are left out and counted, instead "
                "of being an error. So are seeds with an empty id."
            ),
            advanced=True,
        )

    def add_advanced(self):
        self.add_skip_invalid()
        self.add_backend()
        self.add(
            QgsProcessingParameterString(self.OPTIONS, tr("Creation options"), optional=True),
            tr("Options of the raster's format, NAME=VALUE, separated by |, for example COMPRESS=DEFLATE|BIGTIFF=YES."),
            advanced=True,
        )

    def add_backend(self):
        self.add(
            QgsProcessingParameterString(self.BACKEND, tr("Backend"), defaultValue="auto", optional=True),
            tr(
                "How to compute: auto, or a name that “gpuvoronoi backends” lists, such as one for the graphics card. All "
                "give the same result."
            ),
            advanced=True,
        )

    def add_raster(self, name, label, text, optional=False):
        self.add(
            QgsProcessingParameterRasterDestination(name, label, optional=optional, createByDefault=not optional), text
        )

    # ------------------------------------------------------------------------------------------------- running

    def given(self, parameters, name):
        return parameters.get(name) not in (None, "")

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        if well and self.given(parameters, self.TEMPLATE):
            for other in (self.RESOLUTION, self.CRS):
                if self.given(parameters, other):
                    label = self.parameterDefinition(other).description()
                    return False, tr("“{}” comes from the template raster and cannot be given with it").format(label)
        return well, message

    def prepare_seeds(self, parameters, context):
        field = self.parameterAsString(parameters, self.FIELD, context)
        self.seeds = Points(self, parameters, self.INPUT, context, [field])
        self.skip_invalid = self.parameterAsBoolean(parameters, self.SKIP_INVALID, context)

    def prepare_grid(self, parameters, context):
        """Looks at the layers, on the main thread: self.grid are the options of the program."""
        template = self.parameterAsRasterLayer(parameters, self.TEMPLATE, context)
        if self.given(parameters, self.TEMPLATE) and template is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.TEMPLATE))
        if template is not None:
            self.grid = self.template_grid(template, parameters, context)
            return
        crs = self.parameterAsCrs(parameters, self.CRS, context)
        self.grid = ["--crs", crs_text(crs)] if crs.isValid() else []
        extent = self.parameterAsExtent(parameters, self.EXTENT, context, crs if crs.isValid() else self.seeds.crs)
        if not extent.isNull():
            self.grid.append(extent_option(extent))
        if self.given(parameters, self.RESOLUTION):
            self.grid.append(f"--res={self.parameterAsDouble(parameters, self.RESOLUTION, context)!r}")

    def template_grid(self, template, parameters, context):
        file = raster_file(template, self.TEMPLATE)
        assigned = template.crs() != template.dataProvider().crs()
        if not self.given(parameters, self.EXTENT) and not (assigned and raster_has_crs(file)):
            return ["--like", file] + (["--crs", crs_text(template.crs())] if assigned else [])
        extent, width, height = template.extent(), template.width(), template.height()
        if self.given(parameters, self.EXTENT):
            wanted = self.parameterAsExtent(parameters, self.EXTENT, context, template.crs())
            extent, width, height = snapped(extent, width, height, wanted)
        grid = [extent_option(extent), f"--size={width},{height}"]
        return grid + (["--crs", crs_text(template.crs())] if template.crs().isValid() else [])

    def common_options(self, parameters, context):
        options = [*command.threads(), "--progress", "--overwrite"]
        backend = self.parameterAsString(parameters, self.BACKEND, context)
        if backend:
            options += ["--backend", backend]
        return options

    def raster_options(self, parameters, context):
        options = self.common_options(parameters, context)
        if self.skip_invalid:
            options.append("--skip-invalid")
        for option in self.parameterAsString(parameters, self.OPTIONS, context).split("|"):
            if option.strip():
                options += ["--co", option.strip()]
        return options

    def run_raster(self, options, output, others, context, feedback):
        """Runs the main job. `others` are the further files that it makes. False if the user cancelled."""
        seeds = self.seeds.arguments(
            context, feedback, self.skip_invalid, lambda percent: feedback.setProgress(percent * READING / 100.0)
        )
        if seeds is None:
            return False
        done = READING if self.seeds.file is None else 0.0
        return command.run(
            [*seeds, *options, "--", output],
            [output, *others],
            feedback,
            lambda percent: feedback.setProgress(done + percent * (100.0 - done) / 100.0),
        )


def extent_option(extent):
    corners = (extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum())
    return "--extent=" + ",".join(repr(corner) for corner in corners)


def snapped(extent, width, height, wanted):
    """The area that covers `wanted` with cells of the grid (extent, width, height), continued on all sides."""
    cell_x, cell_y = extent.width() / width, extent.height() / height
    # An extent has lost a little on its way through text: a cell that it touches by less than this does not count.
    touch = 1e-6
    left = math.floor((wanted.xMinimum() - extent.xMinimum()) / cell_x + touch)
    right = math.ceil((wanted.xMaximum() - extent.xMinimum()) / cell_x - touch)
    top = math.floor((extent.yMaximum() - wanted.yMaximum()) / cell_y + touch)
    bottom = math.ceil((extent.yMaximum() - wanted.yMinimum()) / cell_y - touch)
    area = QgsRectangle(
        extent.xMinimum() + left * cell_x,
        extent.yMaximum() - bottom * cell_y,
        extent.xMinimum() + right * cell_x,
        extent.yMaximum() - top * cell_y,
    )
    return area, max(right - left, 1), max(bottom - top, 1)
