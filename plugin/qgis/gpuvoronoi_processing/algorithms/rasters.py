"""Algorithms that make rasters: what they ask the program for, and what becomes of its answers."""

import math

from qgis.core import (
    QgsProcessingException,
    QgsProcessingParameterVectorDestination,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)

from .. import engine, results, styles
from ..i18n import number_text, tr
from ..layers import Features, crs_text, raster_file
from .seeds import READING, SeedsAlgorithm


class RasterAlgorithm(SeedsAlgorithm):
    RASTER = SeedsAlgorithm.OUTPUT  # the parameter of the raster of ids

    of_distances = (SeedsAlgorithm.SIGNED, SeedsAlgorithm.DOUBLE)  # what is said of distances alone

    command_only = ("SIGNED", "GROUP", "BY_CELL", "PER_VALUE", "SNAP", "CELLS", "MESH")

    of_seeds = (SeedsAlgorithm.POLYGONS,)

    choice = ()
    limits = ()  # parameters that leave cells out

    def makes_distances(self, parameters, context):
        return self.given(parameters, self.DISTANCE)

    def distances_label(self):
        """What the dialog calls them."""
        return self.label(self.DISTANCE)

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        if well and not self.makes_distances(parameters, context):
            for option in self.of_distances:
                if self.has(option) and self.parameterAsBoolean(parameters, option, context):
                    return False, tr("“{option}” needs “{output}”").format(
                        option=self.label(option), output=self.distances_label()
                    )
        return well, message

    def prepare_grid(self, parameters, context, feedback):
        """Looks at the layers, on the main thread: self.grid are the options of the program."""
        template = self.parameterAsRasterLayer(parameters, self.TEMPLATE, context)
        if self.given(parameters, self.TEMPLATE) and template is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.TEMPLATE))
        if template is not None:
            self.grid = self.template_grid(template, parameters, context, feedback)
            return
        crs = self.parameterAsCrs(parameters, self.CRS, context)
        self.grid = ["--crs", crs_text(crs)] if crs.isValid() else []
        extent = self.parameterAsExtent(
            parameters, self.EXTENT, context, crs if crs.isValid() else self.seeds.crs
        )
        if not extent.isNull():
            self.grid.append(extent_option(extent))
        if self.given(parameters, self.RESOLUTION):
            side = self.parameterAsDouble(parameters, self.RESOLUTION, context)
            self.grid.append(f"--res={side!r}")
        self.check_cells(self.sized_by(), self.planned_cells(parameters, context), feedback)

    def sized_by(self):
        """The parameter that decides how many cells there are."""
        return self.RESOLUTION

    def level_options(self, parameters, context):
        """The program's options for a grid by level."""
        return []

    def planned_cells(self, parameters, context):
        """About how many cells the program will make; 0 if it does not say, or decides about their size itself."""
        levels = self.level_options(parameters, context)
        given = self.given(parameters, self.RESOLUTION)
        side = self.parameterAsDouble(parameters, self.RESOLUTION, context) if given else 0.0
        if not levels and side <= 0.0:
            return 0
        # The extent is that of the program's own number of cells, so that fine ones need no memory here.
        options = [*levels, *(word for word in self.grid if not word.startswith("--res"))]
        if isinstance(self.seeds, Features):
            box = self.seeds.source.sourceExtent()
        else:
            box = self.parameterAsExtent(parameters, self.INPUT, context, self.seeds.crs)
            if not any("--extent" in word for word in self.grid):
                options += ["--extent-of", self.seeds.file]
        if box.isNull() or not box.isFinite():  # of tables without geometries
            return 0
        crs = crs_text(self.seeds.crs) if self.seeds.crs.isValid() else ""
        columns, rows, width, height = engine.planned_grid(options, corners(box), crs) or (0,) * 4
        cells = columns * rows * (width / side * (height / side) if side > 0.0 else 1)
        return round(cells) if math.isfinite(cells) else 0

    def check_cells(self, name, count, feedback):
        self.confirm_size(name, feedback, cells=count)

    def template_grid(self, template, parameters, context, feedback):
        if not self.given(parameters, self.EXTENT):
            self.check_cells(self.TEMPLATE, template.width() * template.height(), feedback)
            return ["--like", raster_file(template)]
        wanted = self.parameterAsExtent(parameters, self.EXTENT, context, template.crs())
        extent, width, height = snapped(
            template.extent(), template.width(), template.height(), wanted
        )
        self.check_cells(self.TEMPLATE, width * height, feedback)
        grid = [extent_option(extent), f"--size={width},{height}"]
        return grid + (["--crs", crs_text(template.crs())] if template.crs().isValid() else [])

    def prepare_choice(self, parameters, context, feedback):
        """
        What decides about the nearest besides the metric: self.choice are the options, self.mask_polygons more of them.
        """
        self.choice = []
        self.mask_polygons = None
        self.limits = [
            name for name in (self.MASK, self.MAX_DISTANCE) if self.given(parameters, name)
        ]
        if self.given(parameters, self.MAX_DISTANCE):
            self.choice.append(
                f"--max-distance={self.parameterAsDouble(parameters, self.MAX_DISTANCE, context)!r}"
            )
        mask = self.parameterAsLayer(parameters, self.MASK, context)
        if isinstance(mask, QgsRasterLayer):
            self.choice += ["--mask", raster_file(mask)]
        elif isinstance(mask, QgsVectorLayer):
            self.mask_polygons = self.mask_features(mask, parameters, context)
        elif self.given(parameters, self.MASK):
            raise QgsProcessingException(tr("Cannot open the mask"))
        if not self.has(self.WEIGHTING):
            return
        self.warn_of_unused_weights(parameters, context, feedback)
        weighting = self.weightings()[self.parameterAsEnum(parameters, self.WEIGHTING, context)][1]
        if weighting is not None:
            self.choice += [
                "--weighting",
                weighting,
                "--weight-field",
                self.weight_field(parameters, context),
            ]

    def warn_of_unused_weights(self, parameters, context, feedback):
        if (
            self.given(parameters, self.WEIGHT_FIELD)
            and self.parameterAsEnum(parameters, self.WEIGHTING, context) == 0
        ):
            feedback.pushWarning(
                tr("“{field}” has no effect without “{weighting}”").format(
                    field=self.label(self.WEIGHT_FIELD), weighting=self.label(self.WEIGHTING)
                )
            )

    def weight_field(self, parameters, context):
        """The field, if there is a weighting."""
        if self.parameterAsEnum(parameters, self.WEIGHTING, context) == 0:
            return ""
        return self.parameterAsString(parameters, self.WEIGHT_FIELD, context)

    def request_options(self, parameters, context):
        """The program's options for the grid, the metric and the choice of seeds, from the algorithm's parameters."""
        metric = self.metrics()[self.parameterAsEnum(parameters, self.METRIC, context)][1]
        options = [*self.grid, *self.choice] + ([] if metric is None else ["--metric", metric])
        if self.has(self.EDGES):
            options += self.shape_options(parameters, context)
        if self.has(self.SIGNED) and self.parameterAsBoolean(parameters, self.SIGNED, context):
            options.append("--signed-distance")
        if self.has(self.DOUBLE) and self.parameterAsBoolean(parameters, self.DOUBLE, context):
            options += ["--distance-type", "Float64"]
        neighbors = (
            self.parameterAsInt(parameters, self.NEIGHBORS, context)
            if self.has(self.NEIGHBORS)
            else 1
        )
        return options + (["-k", str(neighbors)] if neighbors != 1 else [])

    def make(self, parameters, context, feedback, options, outputs, more=()):
        """
        Runs the program for those results that are wanted of the raster of ids and of `outputs`, pairs of a parameter
        and its option; `more` are options that name further files that it makes. The results; None if the user
        cancelled.
        """
        raster = self.parameterAsOutputLayer(parameters, self.RASTER, context) or None
        made, others = ({} if raster is None else {self.RASTER: raster}), list(more)
        for name, option in outputs:
            path = self.output_file(parameters, name, context)
            if path:
                made[name] = path
                others.append((option, path))
        if not self.run_raster(
            [*options, *self.raster_options(parameters, context)], raster, others, context, feedback
        ):
            return None
        for name in self.of_seeds if self.has(self.FIELD) else ():
            if name in made:
                self.leave_out_ids(made[name])
        for name in made:
            if isinstance(self.parameterDefinition(name), QgsProcessingParameterVectorDestination):
                made[name] = self.finish_vector(parameters, name, context, feedback, made[name])
                if made[name] is None:
                    return None
        return made

    def leave_out_ids(self, path):
        """Deletes fields that repeat the ids of the seeds from a layer that has them as `id`."""
        results.leave_out_repeated_id(path, self.seeds.id_field, self.seeds.source.fields().names())
        if self.seeds.added_id:
            taken = self.seeds.added_id.lower() in ("id", "value")
            results.leave_out_field(path, f"{'seed_' if taken else ''}{self.seeds.added_id}")

    def distance_title(self, layer):
        return tr("Distance to {layer}").format(layer=layer)

    def paint(self, context, results, title=None):
        """Names and colors results of the kinds that several algorithms have."""
        layer, raster = self.seeds.label, results.get(self.RASTER)
        if raster is not None:
            styles.allocation(
                context,
                raster,
                self.label(self.RASTER),
                title or tr("Nearest of {layer}").format(layer=layer),
            )
        if self.DISTANCE in results:
            title = self.distance_title(layer)
            styles.distance(context, results[self.DISTANCE], self.label(self.DISTANCE), title)
        if self.AZIMUTH in results:
            title = tr("Direction to {layer}").format(layer=layer)
            styles.azimuth(context, results[self.AZIMUTH], self.label(self.AZIMUTH), title)
        if self.POLYGONS in results:
            title = tr("Regions of {layer}").format(layer=layer)
            styles.regions(
                context, results[self.POLYGONS], self.label(self.POLYGONS), title, raster, "value"
            )

    def raster_options(self, parameters, context):
        options = self.common_options(parameters, context)
        if self.skip_invalid:
            options.append("--skip-invalid")
        for option in self.parameterAsString(parameters, self.OPTIONS, context).split("|"):
            if option.strip():
                options += ["--co", option.strip()]
        return options

    def run_raster(self, options, output, others, context, feedback):
        """
        Runs the main job. `others` are options that name further files that it makes; `output`, the raster of ids, may
        be None. False if the user cancelled.
        """
        layers = self.layer_options(context, feedback)
        if layers is None:
            return False
        done = READING if self.seeds.file is None else 0.0
        outputs = [] if output is None else [output]
        report = engine.run(
            [*layers, *options, *(word for pair in others for word in pair), "--", *outputs],
            [*outputs, *(file for _, file in others)],
            feedback,
            lambda percent: feedback.setProgress(done + percent * (100.0 - done) / 100.0),
        )
        if report:
            self.report_emptiness(report, dict(others), feedback)
        return bool(report)

    def report_emptiness(self, report, others, feedback):
        """Warns if no cell has a seed, and if seeds have no polygons because they have no cells."""
        limits = [self.label(name) for name in self.limits]
        empty = [
            number_text(said["count"])
            for said in report["warnings"]
            if said["code"] == "cells-empty"
        ]
        if empty and limits:
            feedback.pushWarning(
                tr("0 of {cells} cells have a seed; limited by {limits}").format(
                    cells=empty[0], limits=", ".join(f"“{label}”" for label in limits)
                )
            )
        elif empty:
            feedback.pushWarning(
                tr("0 of {cells} cells have a seed; all are outside the globe").format(
                    cells=empty[0]
                )
            )
        elif "--polygons" in others:
            seeds, polygons = (
                report["seeds"]["used"],
                results.number_of_features(others["--polygons"]),
            )
            if polygons < seeds:
                feedback.pushWarning(
                    tr(
                        "{count} of {seeds} seeds have no polygon of their own: they have no cell, or share their id"
                    ).format(count=number_text(seeds - polygons), seeds=number_text(seeds))
                )


def corners(box):
    """The corners of a rectangle as pairs of coordinates."""
    return tuple(
        (x, y) for x in (box.xMinimum(), box.xMaximum()) for y in (box.yMinimum(), box.yMaximum())
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
