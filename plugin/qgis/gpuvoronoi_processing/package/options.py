"""The options of a job, and what else it has: threads, progress and the report."""

import os
import threading
import time

from qgis.core import QgsProcessingException

from ..i18n import tr

REPEATED = ("--co", "--sum")
FLAGS = (
    "--boundary",
    "--by-cell",
    "--delaunay",
    "--distance-per-value",
    "--edges-only",
    "--group",
    "--no-cut",
    "--overwrite",
    "--progress",
    "--signed-distance",
    "--skip-invalid",
    "--snap-seeds",
)
WITHOUT_EFFECT = ("--overwrite", "--progress", "--device")


def label(option):
    """What dialogs call an option."""
    return {
        "--azimuth": tr("Directions to the seeds"),
        "--band": tr("Band"),
        "--boundary": tr("Use the boundaries of polygons"),
        "--crs": tr("Coordinate system of the raster"),
        "--edges": tr("Edges of lines and polygons"),
        "--extent": tr("Extent"),
        "--level": tr("Level of the cells"),
        "--like": tr("Template raster"),
        "--mask": tr("Mask"),
        "--metric": tr("Distances"),
        "--seeds": tr("Seeds"),
        "--signed-distance": tr("Negative distances within polygons"),
        "--weighting": tr("Weighting"),
        "-k": tr("Number of nearest seeds (k)"),
    }.get(option, option.lstrip("-").replace("-", " "))


class Cancelled(Exception):
    """The user cancelled."""


class Unsupported(QgsProcessingException):
    """An option that only the command has."""

    def __init__(self, option):
        super().__init__(
            tr("“{option}” is not supported by the Python package gpuvoronoi; install the gpuvoronoi command").format(
                option=label(option)
            )
        )


class Options:
    """The options of a job, which are taken one by one; what is left is unsupported."""

    def __init__(self, arguments):
        self.values, self.positional = {}, []
        words = iter(arguments)
        for word in words:
            if word == "--":
                self.positional += words
            elif not word.startswith("-"):
                self.positional.append(word)
            else:
                name, equals, value = word.partition("=")
                if not equals:
                    value = True if name in FLAGS else next(words)
                if name in REPEATED:
                    self.values.setdefault(name, []).append(value)
                else:
                    self.values[name] = value
        for name in WITHOUT_EFFECT:
            self.values.pop(name, None)

    def take(self, name, default=None):
        return self.values.pop(name, default)

    def number(self, name, default=None):
        value = self.take(name)
        return default if value is None else float(value)

    def finish(self):
        for name in self.values:
            raise Unsupported(name)


def processors():
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows, macOS
        return os.cpu_count() or 1


class Job:
    """What a job needs besides its options: threads, progress and the report."""

    def __init__(self, options, feedback, progress):
        self.feedback, self.progress = feedback, progress
        self.workers = int(options.take("--threads", -1))
        self.threads = self.workers if self.workers > 0 else processors()
        self.backend = options.take("--backend", "auto")
        self.thread = threading.get_ident()
        self.warnings = []
        self.started = time.monotonic()

    def tick(self, fraction):
        """The package calls it from any of its threads. The exception ends its work."""
        if self.feedback.isCanceled():
            raise Cancelled
        if threading.get_ident() == self.thread:
            self.progress(100.0 * fraction)

    def warn(self, code, message, count=0):
        self.warnings.append({"code": code, "count": count, "message": message})

    def report(self, **parts):
        return {**parts, "seconds": time.monotonic() - self.started, "warnings": self.warnings, "error": None}
