"""Runs a job of the command by the package: reads its options, and reports as the command does."""

import warnings

from qgis.core import QgsProcessingException

from .. import messages
from ..i18n import tr
from . import diagrams, rasters, searches
from .options import Cancelled, Job, Options

# The package's errors begin with an argument of its functions: what the command's errors of this kind are called.
CODES = {"metric": "metric-refused", "resolution": "grid-too-large", "ids": "unsupported",
         "seeds: row": "seed-unusable", "seeds have no coordinate": "crs-missing",
         "mask: the polygons or": "crs-missing"}


def run(arguments, outputs, feedback, progress):
    """As engine.run()."""
    kinds = {"diagram": diagrams.run, "search": searches.run}
    kind = kinds.get(arguments[0])
    options = Options(arguments[1:] if kind else arguments)
    feedback.pushInfo(tr("Computed by the Python package gpuvoronoi"))
    try:
        job = Job(options, feedback, progress)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            report = (kind or rasters.run)(options, job)
        for one in said:
            if "gpuvoronoi" in one.filename:
                job.warn("package", str(one.message))
    except Cancelled:
        return None
    except MemoryError:
        raise QgsProcessingException(tr("Out of memory; a coarser raster needs less")) from None
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        code = next((code for start, code in CODES.items() if str(error).startswith(start)), None)
        raise QgsProcessingException(messages.of_package(code, error)) from error
    if feedback.isCanceled():
        return None
    for line in messages.warnings(report):
        feedback.pushWarning(line)
    for line in messages.summary(report):
        feedback.pushInfo(line)
    return report
