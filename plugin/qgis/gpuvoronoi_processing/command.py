"""
Running the gpuvoronoi program.

QgsBlockingProcess hands on no progress when it runs on the main thread (scripts, qgis_process), so the program is
started with subprocess: two threads read what it writes, the calling thread looks ten times a second whether there is
progress to show or a wish to stop.
"""

import functools
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess  # nosec B404 # lists of arguments, no shell
import sys
import threading
import time

from processing.core.ProcessingConfig import ProcessingConfig
from qgis.core import QgsProcessingException
from qgis.PyQt.QtCore import QCoreApplication, QThread

from . import messages
from .i18n import tr

SETTING = "GPUVORONOI_PROGRAM"
VARIABLE = "GPUVORONOI_COMMAND"
running = set()
environment = {}  # added to QGIS's environment where an input may be an on-demand raster
MAY_BE_LIVE = (".voronoi.json", ".vrt")
POLL = 0.1  # seconds
LISTING = 20.0  # seconds for what the program can compute with: CUDA takes a while to start

# The first SIGTERM asks the program to stop and clean up, the second not to wait for its threads.
INSIST_AFTER = 0.3
KILL_AFTER = 0.8


class MissingProgram(QgsProcessingException):
    """The program is not on the PATH."""


class WrongPath(MissingProgram):
    """The setting or the environment variable has a path without a program."""


def program_at(path):
    """
    A program with a folder as it is, a bare name on the PATH: in its absolute folders, never in the one that happens to
    be the current one, in which Windows (and an empty entry of the PATH) would look first.
    """
    folders = [
        folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)
    ]
    endings = os.environ.get("PATHEXT", ".EXE").split(os.pathsep) if sys.platform == "win32" else []
    for folder in [""] if os.path.dirname(path) else folders:
        for ending in (*endings, ""):
            found = shutil.which(os.path.join(folder, path + ending))
            if found is not None:
                return found
    return None


def find_program():
    """Path of the program: the Processing setting, else the environment variable, else what the PATH has."""
    for path, where in (
        (ProcessingConfig.getSetting(SETTING), tr("The Processing setting of gpuvoronoi")),
        (os.environ.get(VARIABLE), tr("The environment variable {}").format(VARIABLE)),
    ):
        if path:
            found = program_at(path)
            if found is None:
                raise WrongPath(
                    tr("{where} has the path “{path}”, which is not a program.").format(
                        where=where, path=path
                    )
                )
            return found
    found = program_at("gpuvoronoi")
    if found is None:
        raise MissingProgram(
            tr(
                "The gpuvoronoi command was not found. Install it, then set its path under Settings ▸ Options ▸ "
                "Processing ▸ Providers ▸ gpuvoronoi or in the environment variable {}, or add its folder to the PATH."
            ).format(VARIABLE)
        )
    return found


def program_state():
    """
    The program and when it changed, or why it is missing: while this stays the same, a failed run would fail again.
    """
    try:
        program = find_program()
        return program, os.path.getmtime(program)
    except (MissingProgram, OSError) as error:
        return str(error), None


class Bar:
    """Reads GDAL's progress bar ("0...10...20...") as it grows: a number is per cent, a dot two and a half more."""

    def __init__(self):
        self.percent = 0.0
        self.digits = ""

    def read(self, text):
        for letter in text:
            if letter.isdigit():
                self.digits += letter
                self.percent = float(self.digits)
            else:
                self.digits = ""
                if letter == ".":
                    self.percent += 2.5
        return min(self.percent, 100.0)


def _pump(stream, name, events):
    for data in iter(lambda: stream.read1(4096), b""):
        events.put((name, data))
    events.put((name, None))


def _signal(process, number):
    try:
        if os.name == "posix":
            os.killpg(process.pid, number)  # its own session: whatever it started goes with it
        else:
            process.terminate()
    except ProcessLookupError:
        pass


def _stop(process):
    """
    Ends the program, in less than a second. What it leaves if it is killed, the next run for the same output removes.
    """
    started = time.monotonic()
    _signal(process, signal.SIGTERM)
    insisted = False
    while process.poll() is None:
        waited = time.monotonic() - started
        if waited > KILL_AFTER:
            process.kill() if os.name != "posix" else _signal(process, signal.SIGKILL)
            process.wait()
        elif waited > INSIST_AFTER and not insisted:
            insisted = True
            _signal(process, signal.SIGTERM)
        else:
            time.sleep(0.02)


def stop_all():
    """Ends all programs that are running: QGIS closes."""
    for process in list(running):
        _stop(process)


def _report(text):
    """The object that the program ends with; None if it has not come so far."""
    try:
        report = json.loads(text)
        return report if isinstance(report, dict) and "error" in report else None
    except ValueError:
        return None


def run(arguments, outputs, feedback, progress=lambda percent: None, events=True, folder=None):
    """
    Runs the program, the main job, a search or a diagram, with these arguments. `outputs` are the files it has to make.
    Its report when it has made them, None when the user cancelled: then nothing of them is left. Raises
    QgsProcessingException with the program's own words. `events` of the windows are handled meanwhile, unless who calls
    must not be called again before it ends. `folder` is where it runs.
    """
    program = find_program()
    job = [arguments[0]] if arguments[0] in ("diagram", "search") else []
    arguments = [program, *job, "--json", *arguments[len(job) :]]
    feedback.pushCommandInfo(shlex.join(arguments))
    options = (
        {"start_new_session": True}
        if os.name == "posix"
        else {"creationflags": subprocess.CREATE_NO_WINDOW}
    )
    # A folder of drivers takes the place of GDAL's own.
    more = environment if any(argument.endswith(MAY_BE_LIVE) for argument in arguments) else {}
    try:
        process = subprocess.Popen(  # nosec B603 # the program that the user has named
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **more},
            **options,
        )
    except OSError as error:
        raise QgsProcessingException(
            tr("Cannot start {program}: {reason}").format(program=program, reason=error.strerror)
        ) from None

    running.add(process)
    received = queue.Queue()
    readers = [
        threading.Thread(target=_pump, args=(stream, name, received), daemon=True)
        for stream, name in ((process.stdout, "out"), (process.stderr, "err"))
    ]
    for reader in readers:
        reader.start()
    bar, read, reading = Bar(), {"out": b"", "err": b""}, len(readers)
    try:
        while reading:
            if feedback.isCanceled():
                _stop(process)
                return None
            try:
                name, data = received.get(timeout=POLL)
            except queue.Empty:
                if events and QThread.currentThread() == QCoreApplication.instance().thread():
                    QCoreApplication.processEvents()  # batches run on the main thread: let Cancel be pressed
                continue
            if data is None:
                reading -= 1
            else:
                read[name] += data
                if name == "err":
                    progress(bar.read(data.decode("utf-8", "replace")))
        while process.poll() is None:  # it may have closed what it writes to before its files
            if feedback.isCanceled():
                _stop(process)
                return None
            time.sleep(POLL)
        status = process.returncode
    except BaseException:
        _stop(process)
        raise
    finally:
        running.discard(process)
        for reader in readers:
            reader.join()
        process.stdout.close()
        process.stderr.close()

    text, report = read["err"].decode("utf-8", "replace").strip(), _report(read["out"])
    if report is not None and report["error"] is not None:
        raise QgsProcessingException(messages.error(report))
    if status != 0:
        raise QgsProcessingException(
            text
            or tr("{program} ended with status {status} and no message").format(
                program=program, status=status
            )
        )
    if report is not None:
        messages.show(report, feedback)
    for output in outputs:
        if not os.path.exists(output):
            raise QgsProcessingException(
                tr("{program} made no file {file}").format(program=program, file=output)
            )
    if report is None:
        raise QgsProcessingException(tr("{program} wrote no report").format(program=program))
    return report


@functools.lru_cache(maxsize=8)
def _listed(program, changed, what):
    """What the program lists, as JSON; None if it cannot. `changed` is when the program was."""
    options = {} if os.name == "posix" else {"creationflags": subprocess.CREATE_NO_WINDOW}
    try:
        done = subprocess.run(  # nosec B603 # the same program
            [program, what, "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LISTING,
            **options,
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


@functools.lru_cache(maxsize=64)
def _planned(program, changed, options, seeds, crs):
    """
    What the program would report of a raster: its options, and seeds in a coordinate system (or ""). {} if it cannot
    make one.
    """
    window = {} if os.name == "posix" else {"creationflags": subprocess.CREATE_NO_WINDOW}
    system = ["--seeds-crs", crs] if crs else []
    command = [program, "--seeds", "-", *system, *options, "--dry-run", "--json", "map.tif"]
    rows = "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in seeds)
    try:
        done = subprocess.run(  # nosec B603 # the same program
            command,
            input=rows.encode(),
            capture_output=True,
            timeout=LISTING,
            env={**os.environ, **environment},
            **window,
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}


def planned(options, seeds, crs):
    program = find_program()
    try:
        return _planned(program, os.path.getmtime(program), tuple(options), seeds, crs)
    except OSError:
        return {}


def planned_grid(options, seeds, crs):
    grid = planned(options, seeds, crs).get("grid")
    return grid and (grid["width"], grid["height"], *grid["cell_size"])


def default_metric(crs):
    """Name of the distances that the program takes for a map in a coordinate system, and why. Raises MissingProgram."""
    options = ("--extent", "0,0,1,1", "--size", "1,1")
    metric = planned(options, ((0.0, 0.0),), crs).get("metric")
    return (
        (metric["name"], metric["reason"])
        if metric is not None
        else ("euclidean", "default for projected CRSs")
    )


def listed(what):
    try:
        program = find_program()
        return _listed(program, os.path.getmtime(program), what)
    except (MissingProgram, OSError):
        return None


def backends(needs):
    """
    Triples of a backend's name, a label and why it cannot run (empty if it can); those that can do what is needed.
    """
    return [
        (
            backend["name"],
            f"{backend['name']} ({backend['summary']})",
            "" if backend["available"] else backend["reason"],
        )
        for backend in listed("backends") or []
        if not needs or backend[needs]
    ]


def devices(needs):
    """The same of the graphics cards; one with a reason alone if there are none."""
    found = listed("devices") or {"reason": "", "devices": []}
    cards = [
        (
            str(device["number"]),
            f"{device['number']} ({device['name']})",
            "" if device["usable"] else device["reason"],
        )
        for device in found["devices"]
    ]
    return cards or ([("", tr("no graphics card"), found["reason"])] if found["reason"] else [])
