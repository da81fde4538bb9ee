"""
On-demand Voronoi raster: GDAL's driver computes it when the map shows it. The algorithm writes its description.
"""

import json
import os
import shutil

from osgeo import gdal
from qgis.core import (
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFileDestination,
)
from qgis.core import QgsProcessingUtils

from .. import command, driver, program, styles
from ..datasets import open_dataset
from ..i18n import tr
from ..layers import layer_file, of_the_session
from .rasters import RasterAlgorithm

ENDING = ".voronoi.json"
FILES = ("--seeds", "--mask", "--like")  # options that name one
FINER = 200  # cells for one that the program would make by itself: 98 m on the globe


class LiveVoronoi(RasterAlgorithm):
    BANDS = "BANDS"

    def name(self):
        return "livevoronoi"

    def displayName(self):
        return tr("On-demand Voronoi raster")

    def tags(self):
        return tr(
            "voronoi,on demand,on-demand,live,virtual,nearest,distance,zoom,gdal,raster,no file"
        ).split(",")

    def description(self):
        return tr(
            "<p>Adds a Voronoi raster that is computed on demand, when the map shows it: exact at every zoom, of any "
            "size, without disk space.</p><p>The output is a small description file that GDAL opens as a raster; drag "
            "it onto the map to open it again. The raster follows its seeds: after their file has changed, it shows "
            "the changes when it is next opened. Layers that are not files, and layers with a selection, a filter or "
            "edits, are copied to a file next to it.</p>"
        )

    def examples(self):
        return [
            (
                tr("The nearest city and its distance, in cells of 30 m:"),
                {
                    "INPUT": "cities.gpkg",
                    "FIELD": "city_id",
                    "RESOLUTION": 0.00027,
                    "BANDS": [0, 1],
                    "OUTPUT": "cities.voronoi.json",
                },
            )
        ]

    def resolution_help(self):
        return tr(
            "Side of the square cells. Default: 409,600 cells on the longer side (98 m on the globe)."
        )

    @staticmethod
    def bands():
        """Labels, and the words of the program."""
        return [
            (tr("Ids of the nearest seeds"), "id"),
            (tr("Distances to the seeds"), "distance"),
            (tr("Directions to the seeds"), "azimuth"),
        ]

    def kinds(self, parameters, context):
        """The program's words for the values that are wanted."""
        return [
            self.bands()[index][1]
            for index in self.parameterAsEnums(parameters, self.BANDS, context)
        ]

    def initAlgorithm(self, configuration=None):
        self.add_seeds()
        self.add_raster_id_field()
        self.add(
            QgsProcessingParameterEnum(
                self.BANDS,
                tr("Values"),
                [label for label, _ in self.bands()],
                allowMultiple=True,
                defaultValue=[0],
            ),
            tr("The values of the raster, k bands of each. On the map each kind is a layer."),
        )
        self.add_cells_and_neighbors()
        self.add_skip_invalid()
        self.add_backend()
        self.add_double()
        self.add(
            QgsProcessingParameterFileDestination(
                self.OUTPUT, tr("On-demand raster"), tr("On-demand rasters") + f" (*{ENDING})"
            ),
            tr("The description of the raster. A temporary one is deleted when QGIS ends."),
        )

    def canExecute(self):
        message = program.refusal(command_only=True) or driver.load()
        return not message, message

    def check_cells(self, name, count, feedback):
        """Any count: cells are computed when the map shows them."""

    def makes_distances(self, parameters, context):
        return "distance" in self.kinds(parameters, context)

    def distances_label(self):
        return dict(map(reversed, self.bands()))["distance"]

    def checkParameterValues(self, parameters, context):
        well, message = super().checkParameterValues(parameters, context)
        output = self.destination(parameters, self.OUTPUT, context)
        if well and output and output != "TEMPORARY_OUTPUT" and not output.endswith(ENDING):
            return False, tr("“{output}”: invalid name; on-demand rasters end in {ending}").format(
                output=output, ending=ENDING
            )
        return well, message

    def prepareAlgorithm(self, parameters, context, feedback):
        self.prepare_seeds(parameters, context, self.weight_field(parameters, context))
        self.prepare_grid(parameters, context, feedback)
        self.prepare_choice(parameters, context, feedback)
        self.output = os.path.abspath(self.parameterAsFileOutput(parameters, self.OUTPUT, context))
        self.in_use = {layer_file(layer) for layer in self.layers_in_use(parameters, context)}
        if not of_the_session(self.output):
            self.prepare_to_last(parameters, context)
        return True

    def prepare_to_last(self, parameters, context):
        """A description that outlives QGIS needs sources that do, too."""
        for source in (self.seeds, self.mask_polygons):
            if source is not None and source.file is not None and of_the_session(source.file[0]):
                source.want_copy()
        options = [*self.grid, *self.choice]
        for option, name in (("--like", self.TEMPLATE), ("--mask", self.MASK)):
            if option in options and of_the_session(options[options.index(option) + 1]):
                raise QgsProcessingException(
                    tr(
                        "“{}” is temporary or has another coordinate system than its file; save it to a file first"
                    ).format(self.label(name))
                )

    def processAlgorithm(self, parameters, context, feedback):
        problem = driver.load()
        if problem:
            raise QgsProcessingException(problem)
        layers = self.layer_options(context, feedback)
        if layers is None:
            return {}
        options = [
            *self.request_options(parameters, context),
            *self.engine_options(parameters, context),
        ]
        if self.skip_invalid:
            options.append("--skip-invalid")
        bands = self.kinds(parameters, context)
        if not self.given(parameters, self.RESOLUTION) and not self.given(
            parameters, self.TEMPLATE
        ):
            plan = self.plan([*layers, *options], bands, QgsProcessingFeedback(False))
            options.append(f"--res={plan['grid']['cell_size'][0] / FINER!r}")
        self.plan([*layers, *options], bands, feedback)
        for band in bands if bands != ["id"] else []:
            options += ["--bands", band]
        if feedback.isCanceled():
            return {}
        try:
            self.describe([*layers, *options], feedback)
        except OSError as error:
            raise QgsProcessingException(
                tr("Cannot write {file}: {reason}").format(file=self.output, reason=error.strerror)
            ) from None
        if open_dataset(self.output) is None:
            raise QgsProcessingException(
                tr("Cannot read {}").format(self.output) + f": {gdal.GetLastErrorMsg()}"
            )
        if context.project() is not None:
            self.add_layers(context, bands)
        return {self.OUTPUT: self.output}

    @staticmethod
    def plan(options, bands, feedback):
        """
        Runs the program without computing anything. It reads all inputs, so that errors are reported now, in the words
        of the dialog.
        """
        outputs = ["--", QgsProcessingUtils.generateTempFilename("id.tif")]
        for band in bands:
            if band != "id":
                outputs = [
                    f"--{band}",
                    QgsProcessingUtils.generateTempFilename(f"{band}.tif"),
                    *outputs,
                ]
        return command.run([*options, "--dry-run", *outputs], [], feedback)

    def describe(self, options, feedback):
        """
        Writes the description, with the copies that were made of layers beside it. Names of files there are relative.
        """
        folder, name = os.path.split(self.output)
        os.listdir(folder)  # is there
        before = self.copies_before()
        for index, word in enumerate(options[1:], 1):
            if options[index - 1] not in FILES:
                continue
            if of_the_session(word) and not of_the_session(self.output):
                kind = options[index - 1][2:]
                options[index] = self.free_name(f"{name[: -len(ENDING)]}.{kind}", ".fgb", before)
                shutil.move(word, os.path.join(folder, options[index]))
            elif os.path.dirname(os.path.abspath(word)) == folder:
                options[index] = os.path.basename(word)
        made = self.free_name(name[: -len(ENDING)] + ".new", ENDING, ())
        command.run([*options, "--describe", made], [], feedback, folder=folder)
        os.replace(os.path.join(folder, made), self.output)

    def copies_before(self):
        """Names that the description before this one has: what was copied for it may be replaced."""
        try:
            with open(self.output, encoding="utf-8") as file:
                old = json.load(file)
            return [old[option[2:]] for option in FILES if option[2:] in old]
        except (AttributeError, OSError, TypeError, ValueError):
            return []

    def free_name(self, stem, ending, ours):
        """An unused name in the folder of the output, or the name of a file of `ours` that no layer is read from."""
        number, name = 1, stem + ending
        path = os.path.join(os.path.dirname(self.output), name)
        while os.path.exists(path) and (name not in ours or os.path.realpath(path) in self.in_use):
            number += 1
            name = f"{stem}_{number}{ending}"
            path = os.path.join(os.path.dirname(self.output), name)
        return name

    def add_layers(self, context, bands):
        layer = self.seeds.label
        for band in bands:
            source = self.output if len(bands) == 1 else f"{self.output}|option:BANDS={band}"
            dataset = open_dataset(self.output, open_options=[f"BANDS={band}"])
            title = {
                "id": tr("Nearest of {layer}"),
                "distance": tr("Distance to {layer}"),
                "azimuth": tr("Direction to {layer}"),
            }[band]
            styles.load_live(context, source, title.format(layer=layer), band, dataset)
