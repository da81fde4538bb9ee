"""
The Python package gpuvoronoi, which computes the same values where the command is missing, from the command's options.
numpy and the package are imported when they are needed.
"""

import importlib.util

from ..about import is_old, required_version
from ..i18n import tr

NAME = "gpuvoronoi"


def version():
    """The version of the package; nothing if it cannot be imported."""
    if importlib.util.find_spec(NAME) is None:
        return ""
    try:
        return str(importlib.import_module(NAME).__version__)
    except (AttributeError, ImportError, OSError):
        return ""


def why_missing():
    """Why the package cannot be used; nothing if it can."""
    found = version()
    if not found:
        return tr("The Python package gpuvoronoi is not installed.")
    return (
        ""
        if not is_old(found)
        else tr(
            "The Python package gpuvoronoi has version {version}, which is too old; {required} is required."
        ).format(version=found, required=required_version())
    )


def run(arguments, outputs, feedback, progress, events, folder):
    """As engine.run(). `events` are never handled, and `folder` has no effect."""
    from .jobs import run as run_job

    return run_job(arguments, outputs, feedback, progress)


def default_metric(crs):
    return importlib.import_module(NAME).default_metric(crs)


def planned_grid(options, seeds, crs):
    from .rasters import planned_grid as planned

    return planned(options, seeds, crs)


def backends(needs):
    return []  # only the automatic choice


devices = backends
