"""
Installation of the program: the instructions that the plugin shows, and a search in folders outside the PATH. QGIS has
another PATH than a shell if it was not started from one.
"""

import functools
import glob
import html
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess  # nosec B404 # lists of arguments, no shell
import sys
import sysconfig

from processing.core.ProcessingConfig import ProcessingConfig

from . import command, engine, package
from .about import is_old, metadata, required_version
from .i18n import tr

LINK = "gpuvoronoi:program"  # what opens the dialog where there is one
offered = False  # whether there is one
STARTING = 20.0  # seconds
FOLDERS = {
    "win32": ("{prefix}", "{prefix}/../bin", "{prefix}/../../bin", "C:/OSGeo4W/bin"),
    "posix": (
        "{prefix}/bin",
        "/usr/local/bin",
        "/usr/bin",
        "/opt/homebrew/bin",
        "/opt/local/bin",
        "/opt/gpuvoronoi*/bin",
        "~/.local/bin",
        "~/bin",
        "~/*conda*/bin",
        "~/*conda*/envs/*/bin",
        "~/*forge*/bin",
        "~/*forge*/envs/*/bin",
        "~/gpuvoronoi*/build/*",
        "~/*/gpuvoronoi*/build/*",
    ),
}


def why_missing(command_only=False):
    """Nothing if the command, or the Python package, can be used."""
    try:
        found = engine.find()
        if command_only:
            command.find_program()
    except command.MissingProgram as missing:
        return (
            str(missing)
            if command_only or not package.version()
            else f"{missing} {package.why_missing()}"
        )
    return why_too_old(command.find_program()) if found is command else ""


def why_too_old(path):
    """Nothing if a command is as new as the plugin requires; why it is none if it has no version."""
    try:
        found = _known_version(path, os.path.getmtime(path))
    except OSError:
        return ""
    if not found:
        return tr("“{}” is not the gpuvoronoi command, or cannot be started.").format(path)
    if not is_old(found):
        return ""
    return tr(
        "The gpuvoronoi command {path} has version {version}, which is too old; {required} is required."
    ).format(path=path, version=found, required=required_version())


@functools.lru_cache(maxsize=8)
def _known_version(path, changed):
    """`changed` is when the program was."""
    return version(path)


def refusal(command_only=False):
    """Why algorithms cannot run, nothing if they can. QGIS shows it in a window of its own, which follows links."""
    reason = why_missing(command_only)
    if not reason or not offered:
        return reason
    link = tr("Install or search for the command…")
    return f'<p>{html.escape(reason)}</p><p><a href="{LINK}">{link}</a></p>'


def folders():
    """Where it may be, those of QGIS's own environment first."""
    found = []
    for pattern in FOLDERS["win32" if sys.platform == "win32" else "posix"]:
        place = os.path.expanduser(pattern.format(prefix=glob.escape(sys.prefix)))
        found += sorted(filter(os.path.isdir, glob.glob(place)))
    return list(dict.fromkeys(os.path.normpath(folder) for folder in found))


def version(path):
    """What the program says of itself; nothing if it is another one."""
    options = {} if os.name == "posix" else {"creationflags": subprocess.CREATE_NO_WINDOW}
    try:
        done = subprocess.run(  # nosec B603 # what the user looks for
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=STARTING,
            **options,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    said = re.match(r"gpuvoronoi (\d[\w.+~-]*)", done.stdout.decode("utf-8", "replace"))
    return said.group(1) if said is not None and done.returncode == 0 else ""


def look():
    """The first program that is one, and its version; a pair of nothing if there is none."""
    for folder in folders():
        path = command.program_at(os.path.join(folder, "gpuvoronoi"))
        its_version = version(path) if path is not None else ""
        if its_version and not is_old(its_version):
            return path, its_version
    return "", ""


def what_computes():
    """For the user, where something can."""
    if engine.find() is command:
        return tr("The command is installed: the algorithms can be used.")
    return tr(
        "The Python package gpuvoronoi, version {version}, computes: the algorithms can be used."
    ).format(version=package.version())


def use(path):
    """From now on this one, also when QGIS is started again."""
    ProcessingConfig.setSettingValue(command.SETTING, path)


def pip_line():
    """
    The line that installs the Python package from the file of its wheel into the Python of this QGIS. It keeps the
    major version of numpy, for which QGIS's GDAL is built, and takes the system's packages where it has some.
    """
    if sys.platform == "win32":
        python = '"' + os.path.join(sys.prefix, "python.exe") + '"'
    else:
        python = shlex.quote(os.path.join(sys.prefix, "bin", "python3"))
    managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
    options = "--user --break-system-packages" if managed else "--user"
    try:
        numpy = f' "numpy<{int(importlib.metadata.version("numpy").partition(".")[0]) + 1}"'
    except (ImportError, ValueError):
        numpy = ""
    system = sys.platform.startswith("linux") and shutil.which("apt") is not None
    before, others = (
        ("sudo apt install python3-geopandas && ", "") if system else ("", " geopandas")
    )
    wheel = f"gpuvoronoi-{metadata('version').replace('-', '')}-*.whl"
    return f"{before}{python} -m pip install {options} {wheel}{others}{numpy}"


def how_to_install():
    """HTML, for this system."""
    built = (
        "cmake --preset release\ncmake --build --preset release\nsudo cmake --install build/release"
    )
    if sys.platform == "win32":
        place = tr("In the OSGeo4W Shell, from the start menu")
        text = tr(
            "<p>The gpuvoronoi command is not available for Windows yet. It runs in the Windows Subsystem for "
            "Linux.</p>"
        )
    elif sys.platform == "darwin":
        place = tr("In a terminal")
        text = tr(
            "<p>The command, which is untried on macOS, is built from its sources, with the libraries of Homebrew:</p>"
            "<pre>{commands}</pre><p>A QGIS that was not started from a terminal has another PATH: then search for the "
            "command here.</p>"
        ).format(commands=f"brew install cmake ninja pkg-config gdal proj\n{built}")
    else:
        place = tr("In a terminal")
        packages = "sudo apt install ./gpuvoronoi_*.deb ./libgpuvoronoi1_*.deb \\\n    ./gdal-plugin-voronoi_*.deb"
        text = tr(
            "<p>On Debian, Ubuntu and their relatives, the command is in the packages of a release:</p>"
            "<pre>{packages}</pre><p>Elsewhere it is built from its sources:</p><pre>{commands}</pre>"
            "<p>It is then found without a setting.</p>"
        ).format(packages=packages, commands=built)
    pip = tr(
        "<p>Without the command, the algorithms compute with the Python package gpuvoronoi, if it is installed in the "
        "Python of QGIS. {place}:</p><pre>{line}</pre><p>Then start QGIS again. On-demand rasters, some options and "
        "graphics cards need the command.</p>"
    ).format(place=place, line=html.escape(pip_line()))
    homepage = metadata("homepage")
    return pip + text + (f'<p><a href="{homepage}">{homepage}</a></p>' if homepage else "")
