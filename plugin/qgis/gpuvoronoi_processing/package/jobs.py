"""Runs a job of the command by the package: reads its options, and reports as the command does."""

import warnings

from qgis.core import QgsProcessingException

from .. import messages
from ..i18n import tr
from . import diagrams, rasters, searches
from ..arguments import Cancelled, Job, Options


def run(arguments, outputs, feedback, progress):
    """As engine.run()."""
    kind = {"diagram": diagrams.run, "search": searches.run}.get(arguments[0])
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
        raise QgsProcessingException(messages.of_package(error)) from error
    if feedback.isCanceled():
        return None
    messages.show(report, feedback)
    return report
