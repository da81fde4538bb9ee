"""
Installation of the program: the instructions that the plugin shows, and a search in folders outside the PATH. QGIS has
another PATH than a shell if it was not started from one.
"""

import glob
import html
import os
import re
import subprocess  # nosec B404 # lists of arguments, no shell
import sys

from processing.core.ProcessingConfig import ProcessingConfig

from . import command
from .about import metadata
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


def why_missing():
    """Nothing if the program is there."""
    try:
        command.find_program()
    except command.MissingProgram as missing:
        return str(missing)
    return ""


def refusal():
    """Why algorithms cannot run, nothing if they can. QGIS shows it in a window of its own, which follows links."""
    reason = why_missing()
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
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=STARTING, **options
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    said = re.match(r"gpuvoronoi (\d[\w.]*)", done.stdout.decode("utf-8", "replace"))
    return said.group(1) if said is not None and done.returncode == 0 else ""


def look():
    """The first program that is one, and its version; a pair of nothing if there is none."""
    for folder in folders():
        path = command.program_at(os.path.join(folder, "gpuvoronoi"))
        its_version = version(path) if path is not None else ""
        if its_version:
            return path, its_version
    return "", ""


def use(path):
    """From now on this one, also when QGIS is started again."""
    ProcessingConfig.setSettingValue(command.SETTING, path)


def how_to_install():
    """HTML, for the system that this is."""
    built = "cmake --preset release\ncmake --build --preset release\nsudo cmake --install build/release"
    if sys.platform == "win32":
        text = tr(
            "<p>The gpuvoronoi command is not available for Windows yet. It runs in the Windows Subsystem for Linux, "
            "together "
            "with a QGIS that is installed there; there it is installed as on Linux.</p>"
        )
    elif sys.platform == "darwin":
        text = tr(
            "<p>On macOS, where it has not been tried yet, the program is built from its sources, with the libraries "
            "of Homebrew:</p><pre>{commands}</pre><p>A QGIS that was not started from a terminal does not know its "
            "PATH: then look for the program here.</p>"
        ).format(commands=f"brew install cmake ninja pkg-config gdal proj\n{built}")
    else:
        text = tr(
            "<p>On Debian, Ubuntu and their relatives, with the packages of a "
            "release:</p><pre>{packages}</pre><p>Elsewhere the program is built from its "
            "sources:</p><pre>{commands}</pre><p>It is found then, and nothing has to be set.</p>"
        ).format(
            packages="sudo apt install ./gpuvoronoi_*.deb ./libgpuvoronoi0.?_*.deb \\\n    ./gdal-plugin-voronoi_*.deb",
            commands=built,
        )
    homepage = metadata("homepage")
    return text + (f"<p><a href=\"{homepage}\">{homepage}</a></p>" if homepage else "")
