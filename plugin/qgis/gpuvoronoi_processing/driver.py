"""
GDAL's driver VORONOI, which opens on-demand rasters. GDAL loads it from its own folder of plugins or from those of
GDAL_DRIVER_PATH; otherwise the plugin searches the folders where the program was installed or built.
"""

import ctypes
import glob
import os
import re
import sys

from osgeo import gdal

from . import command
from .i18n import tr

NAME = "VORONOI"
FILE = "gdal_VORONOI" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
PLACES = (
    "../lib*/gdalplugins",
    "../lib*/*/gdalplugins",
    "gdalplugins",
    "plugin/gdal",
)  # from the program's folder


def beside_program():
    """The driver's file; None if there is none."""
    try:
        folder = glob.escape(os.path.dirname(os.path.realpath(command.find_program())))
    except command.MissingProgram:
        return None
    found = [
        path for place in PLACES for path in sorted(glob.glob(os.path.join(folder, place, FILE)))
    ]
    return os.path.realpath(found[0]) if found else None


def is_there():
    return gdal.GetDriverByName(NAME) is not None


def register(path):
    """Gives GDAL the driver; why that cannot be, if it cannot."""
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    try:
        gdal.ErrorReset()
        ctypes.CDLL(path).GDALRegister_VORONOI()
        return "" if is_there() else gdal.GetLastErrorMsg()
    except (AttributeError, OSError, RuntimeError) as error:
        return str(error)
    finally:
        gdal.PopErrorHandler()


def load():
    """Sees to it that GDAL has the driver. What is wrong if it has not, and how to mend that; nothing if it has."""
    if is_there():
        return ""
    if NAME in re.split("[ ,]+", gdal.GetConfigOption("GDAL_SKIP", "").upper()):
        return tr(
            "GDAL's driver VORONOI is disabled by GDAL_SKIP or under Settings ▸ Options ▸ GDAL."
        )
    version = gdal.VersionInfo("RELEASE_NAME")
    path = beside_program()
    if path is None:
        return tr(
            "GDAL's driver VORONOI, which opens on-demand rasters, is missing. It is built with the gpuvoronoi "
            "command, for GDAL {version}: install {file} next to the command, or start QGIS with the environment "
            "variable GDAL_DRIVER_PATH set to its folder."
        ).format(file=FILE, version=version)
    reason = register(path)
    if reason:
        return tr(
            "Cannot load the driver {path} into QGIS's GDAL {version}; build gpuvoronoi for this version. GDAL: "
            "{reason}"
        ).format(path=path, version=version, reason=reason)
    folders = [os.path.dirname(path), *filter(None, [os.environ.get("GDAL_DRIVER_PATH")])]
    command.environment["GDAL_DRIVER_PATH"] = os.pathsep.join(folders)
    return ""
