"""Loading the library, and calling it: contexts, errors, interruption, forked processes.

ctypes lets go of the GIL during every call. A call that may take long runs on a thread made for it
while the caller waits, so that Ctrl-C reaches the caller at once; the progress callback cancels the
library's call.

Fork: the library's threads do not live on in a child process, which begins with none and makes its
own. A process may fork before or after any call, but not while another of its threads is in one.
CUDA does not survive a fork: after a parent has used a GPU, the child must use a CPU backend.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import sys
import threading
import weakref
from ctypes import byref, c_void_p
from typing import Any, Callable, NoReturn, Optional, Union

from . import _c
from ._packages import package

__version__ = "1.0.0-rc1"
VARIABLE = "GPUVORONOI_LIBRARY"

ProgressFunction = Callable[[float], Any]
Progress = Union[bool, ProgressFunction, None]

_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def path() -> str:
    """Where the library is loaded from: $GPUVORONOI_LIBRARY, else the package's own folder, else
    where the system has it."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    name = {"darwin": "libgpuvoronoi.dylib", "win32": "gpuvoronoi.dll"}.get(
        sys.platform, "libgpuvoronoi.so"
    )
    own = pathlib.Path(__file__).resolve().parent / name
    if own.exists() or not name.endswith(".so"):
        return str(own)
    return f"{name}.{__version__.split('.')[0]}"  # a distribution's, by its SONAME


def library() -> ctypes.CDLL:
    """The library, loaded at its first use."""
    return _loaded if _loaded is not None else _load()


def _load() -> ctypes.CDLL:
    global _loaded
    with _lock:
        if _loaded is not None:
            return _loaded
        where = path()
        try:
            found = ctypes.CDLL(where)
        except OSError as error:
            raise ImportError(
                f"the gpuvoronoi library cannot be loaded: {error}. Install the package with `pip "
                "install .`, or set "
                f"{VARIABLE} to the path of libgpuvoronoi.so"
            ) from error
        for name, (result, arguments) in _c.FUNCTIONS.items():
            try:
                function = getattr(found, name)
            except AttributeError as error:
                raise ImportError(
                    f"{where}: not a gpuvoronoi library of this version; missing function {name}"
                ) from error
            function.restype = result
            function.argtypes = arguments
        version = found.gv_version().decode()
        if version.split(".")[:2] != __version__.split(".")[:2]:
            raise ImportError(
                f"the gpuvoronoi library {where} is version {version}, the Python package "
                f"{__version__}"
            )
        _loaded = found
        return found


_EXCEPTIONS: dict[int, type[Exception]] = {
    _c.INVALID_ARGUMENT: ValueError,
    _c.UNKNOWN_BACKEND: ValueError,
    _c.UNSUPPORTED: ValueError,
    _c.OUT_OF_MEMORY: MemoryError,
    _c.IO: OSError,
}


def exception(status: int, message: str, argument: str = "") -> Exception:
    """What a status is raised as."""
    if status == _c.UNKNOWN_BACKEND or (status == _c.UNSUPPORTED and message.startswith("backend")):
        argument = "backend"
    text = message or library().gv_status_message(status).decode()
    named = argument if status in (_c.INVALID_ARGUMENT, _c.UNKNOWN_BACKEND, _c.UNSUPPORTED) else ""
    if text.startswith(f"{named}: "):
        named = ""
    return _EXCEPTIONS.get(status, RuntimeError)(f"{named}: {text}" if named else text)


class Context:
    """A ``gv_context``: belongs to one thread at a time."""

    def __init__(
        self, threads: int = 1, device: int = -1, progress: Optional[Callable[[float], bool]] = None
    ) -> None:
        self._destroy = library().gv_context_destroy
        self.address: Optional[int] = None
        options = _c.ContextOptions(threads=threads, device=device)
        if progress is not None:
            self._callback = _c.Progress(
                lambda fraction, user, report=progress: int(report(fraction))
            )
            options.progress = self._callback
        made = c_void_p()
        status = library().gv_context_create(byref(options), byref(made))
        if status:
            raise exception(status, "")
        self.address = made.value

    def __del__(self) -> None:
        if getattr(self, "address", None) is not None:
            self._destroy(self.address)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a gpuvoronoi context belongs to its process: it cannot be pickled or copied"
        )

    def call(self, function: Any, *arguments: Any, argument: str = "") -> None:
        """Calls a function that takes a context, and raises its error; `argument` names the
        argument that may have caused it."""
        status = function(self.address, *arguments)
        if status:
            raise exception(
                status,
                library().gv_context_message(self.address).decode("utf-8", "replace"),
                argument,
            )


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.made: dict[tuple[int, int], Context] = {}


_contexts = _Contexts()


def context(threads: int = 1, device: int = -1) -> Context:
    """This thread's context for short calls."""
    found = _contexts.made.get((threads, device))
    if found is None:
        found = _contexts.made[threads, device] = Context(threads, device)
    return found


class Stop:
    """Whether the work that several threads share is to be stopped, and what the user's progress
    function raised."""

    def __init__(self) -> None:
        self.set = False
        self.error: Optional[BaseException] = None

    def reporting(self, progress: Optional[ProgressFunction]) -> Callable[[float], bool]:
        """A progress callback: False when the work is to stop."""

        def go_on(fraction: float) -> bool:
            if progress is not None and not self.set:
                try:
                    progress(fraction)
                except BaseException as error:  # noqa: BLE001 - raised again later
                    self.error, self.set = error, True
            return not self.set

        return go_on


def on_a_thread(work: Callable[[], None], stop: Stop) -> None:
    """Runs `work` on a thread of its own. If the caller is interrupted, sets `stop`, waits for the
    end and raises."""
    raised: list[BaseException] = []
    done = threading.Event()

    def body() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            raised.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=body, name="gpuvoronoi", daemon=True)
    thread.start()
    try:
        while not done.wait(0.2):  # a signal that the other thread takes does not end a wait
            pass
    except BaseException:
        stop.set = True
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        thread.join()
        raise
    thread.join()
    if raised:
        raise raised[0]


def interruptible() -> bool:
    """True where Ctrl-C would raise KeyboardInterrupt: only there is anything gained by waiting for
    another thread."""
    return threading.current_thread() is threading.main_thread()


def run(
    function: Any,
    *arguments: Any,
    threads: int,
    device: int = -1,
    large: bool = False,
    progress: Optional[ProgressFunction] = None,
    argument: str = "",
) -> Context:
    """Calls `function(context, *arguments)`, and returns that context, which must live as long as
    what was made with it.

    `large`: the call may take long enough to want to interrupt it.
    """
    helper = large and interruptible()
    if not helper and progress is None:
        used = context(threads, device)
        used.call(function, *arguments, argument=argument)
        return used
    stop = Stop()
    own = Context(threads, device, stop.reporting(progress))

    def call() -> None:
        own.call(function, *arguments, argument=argument)

    try:
        if helper:
            on_a_thread(call, stop)
        else:
            call()
    except RuntimeError:
        if stop.error is not None:
            raise stop.error from None
        raise
    return own


class Handle:
    """An object of the library, destroyed with this one, before the context that it was made
    with."""

    def __init__(self, address: Optional[int], destroy: Any, made_with: Context) -> None:
        self.address = address
        weakref.finalize(self, _destroy, destroy, address, made_with).atexit = False

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an object of the gpuvoronoi library belongs to its process: it cannot be pickled or "
            "copied"
        )


def _destroy(destroy: Any, address: Optional[int], made_with: Context) -> None:
    destroy(address)


def worker_threads(workers: int, argument: str = "workers") -> int:
    """scipy's `workers` as the library's number of threads: -1 is 0, all CPUs."""
    if isinstance(workers, bool) or not hasattr(type(workers), "__index__"):
        raise TypeError(f"{argument} must be an integer, not {type(workers).__name__}")
    count = workers.__index__()
    if count == -1:
        return 0
    if not 1 <= count <= 4096:
        raise ValueError(f"{argument} must be -1 or from 1 to 4096, not {count}")
    return count


def cpu_count() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def device_number(device: Optional[int]) -> int:
    """`device=` as the library takes it."""
    if device is None:
        return -1
    if isinstance(device, bool) or not hasattr(type(device), "__index__"):
        raise TypeError(f"device must be an integer or None, not {type(device).__name__}")
    number = device.__index__()
    if not 0 <= number < 4096:
        raise ValueError(f"device must be from 0 to 4095 or None, not {number}")
    return number


class Bar:
    """Progress as the user wants it: nothing, a bar by tqdm, or a function of the fraction done."""

    def __init__(self, progress: Progress) -> None:
        self._tqdm: Any = None
        self.report: Optional[ProgressFunction] = None
        if progress is True:
            tqdm = package("tqdm.auto", "progress=True", ", or give a function").tqdm
            self._tqdm = tqdm(total=100, unit="%", desc="gpuvoronoi")
            self.report = self._show
        elif callable(progress):
            self.report = progress
        elif progress not in (False, None):
            raise TypeError(
                f"progress must be True, False or a function, not {type(progress).__name__}"
            )

    def _show(self, fraction: float) -> None:
        self._tqdm.update(round(100 * fraction) - self._tqdm.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._tqdm is not None:
            self._tqdm.close()
