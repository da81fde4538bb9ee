"""
The interface to what computes: the gpuvoronoi command, or, where it is missing, the Python package gpuvoronoi. Both
accept the options of the command and write the same values. All other modules of the plugin call this one.
"""

from qgis.core import QgsApplication

from . import command, package
from .command import MissingProgram, WrongPath


def find():
    """
    The module that computes, command or package. Raises MissingProgram if there is neither; WrongPath if the user has
    given the path of a command that is missing.
    """
    try:
        command.find_program()
    except WrongPath:
        raise
    except MissingProgram:
        if package.why_missing():
            raise
        return package
    return command


def needs_copies():
    """Whether layers have to be copied to temporary files, because what computes does not read other files."""
    try:
        return find() is package
    except MissingProgram:
        return False


def state():
    """What computes and when it changed, or why it is missing. While it is the same, a failed run would fail again."""
    try:
        return (package.NAME, package.version()) if find() is package else command.program_state()
    except MissingProgram as missing:
        return str(missing), None


def run(arguments, outputs, feedback, progress=lambda percent: None, events=True, folder=None):
    """
    Runs a job, by default that of rasters, with these arguments of the command. `outputs` are the files it has to make.
    The report of the command if it has made them. None if the user cancelled: then no output is left. Raises
    QgsProcessingException. `events` of the windows are handled meanwhile, unless the caller does not support that.
    `folder` is where the command runs.
    """
    return find().run(arguments, outputs, feedback, progress, events, folder)


def threads():
    """The number of threads of QGIS's own settings, as options; nothing if it is not limited."""
    limit = QgsApplication.maxThreads()
    return ["--threads", str(limit)] if limit > 0 else []


def default_metric(crs):
    """Name of the default distances for a coordinate system, as text, and the reason. Raises MissingProgram."""
    return find().default_metric(crs)


def planned_grid(options, seeds, crs):
    """
    Columns and rows of a raster, width and height of its cells: by options of the command for the grid, and by seeds,
    pairs of coordinates in a system, as text ("": none). None if they are unknown.
    """
    return find().planned_grid(options, seeds, crs)


def backends(needs):
    """
    Triples of a backend's name, a label and the reason why it is unavailable (empty if it is available); those with the
    ability `needs` (empty: all).
    """
    try:
        return find().backends(needs)
    except MissingProgram:
        return []


def devices(needs):
    """The same for graphics cards; one with a reason alone if there are none."""
    try:
        return find().devices(needs)
    except MissingProgram:
        return []
