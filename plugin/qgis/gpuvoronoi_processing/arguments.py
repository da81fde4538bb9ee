"""The options of a job, and what else it has: threads, progress and the report."""

import os
import threading
import time

from qgis.core import QgsProcessingException

from . import messages

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


class Cancelled(Exception):
    """The user cancelled."""


class Unsupported(QgsProcessingException):
    """What only the command can do."""

    def __init__(self, what):
        super().__init__(messages.command_only(what))


class Options:
    """The options of a job, which are taken one by one; what is left is unsupported."""

    def __init__(self, arguments):
        cut = arguments.index("--")
        self.values, self.positional, words = {}, arguments[cut + 1 :], iter(arguments[:cut])
        for word in words:
            name, equals, value = word.partition("=")
            value = value if equals else True if name in FLAGS else next(words)
            self.values[name] = [*self.values.get(name, []), value] if name in REPEATED else value
        for name in WITHOUT_EFFECT:
            self.values.pop(name, None)

    def take(self, name, default=None):
        return self.values.pop(name, default)

    def number(self, name, default=None):
        value = self.take(name)
        return default if value is None else float(value)

    def finish(self):
        for name in self.values:
            raise Unsupported(name.lstrip("-").replace("-", " "))


class Job:
    """What a job needs besides its options: threads, progress and the report."""

    def __init__(self, options, feedback, progress):
        self.feedback, self.progress = feedback, progress
        self.workers = int(options.take("--threads", -1))
        self.backend = options.take("--backend", "auto")
        usable = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
        self.engine = {
            "name": "gpuvoronoi",
            "threads": self.workers if self.workers > 0 else usable,
        }
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
        return {
            **parts,
            "seconds": time.monotonic() - self.started,
            "warnings": self.warnings,
            "error": None,
        }
