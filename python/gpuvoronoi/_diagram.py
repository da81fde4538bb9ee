"""The library's Voronoi diagrams as numpy arrays."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, c_void_p
from typing import Any, Callable, Iterator

import numpy as np
import numpy.typing as npt

from . import _c
from ._library import Context, Progress, library, run

SPHERE = 6371000.0  # meters: the radius with which spheres of any radius are computed
_LARGE = 8  # seeds on one geodesic need much longer than others
Floats = npt.NDArray[np.float64]
Step = Callable[..., Context]


@contextlib.contextmanager
def made(
    x: Floats, y: Floats, options: _c.DiagramOptions, threads: int, progress: Progress = None
) -> Iterator[tuple[_c.DiagramParts, Step]]:
    """The parts of a diagram, and a function that calls others of the library with the diagram.

    `step(first, last, function, *arguments)`: progress is between `first` and `last` meanwhile.
    """
    x, y = np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64)
    points = _c.Points(count=x.size, dim=2, dtype=_c.FLOAT64, x=x.ctypes.data, y=y.ctypes.data)
    handle, parts = c_void_p(), _c.DiagramParts()

    def call(first: float, last: float, function: Any, *arguments: Any) -> Context:
        shown = (
            (lambda share: progress(first + share * (last - first))) if callable(progress) else None
        )
        return run(
            function,
            *arguments,
            threads=threads,
            large=x.size > _LARGE,
            progress=shown,
            argument="seeds",
        )

    def step(first: float, last: float, function: Any, *arguments: Any) -> Context:
        return call(first, last, function, handle, *arguments)

    used = call(0.0, 0.7, library().gv_diagram_create, byref(points), byref(options), byref(handle))
    try:
        used.call(library().gv_diagram_get, handle, byref(parts))
        yield parts, step
    finally:
        library().gv_diagram_destroy(handle)


def copied(address: Any, kind: Any, count: int) -> npt.NDArray[Any]:
    """A copy of an array of the library's."""
    if count == 0:
        return np.empty(0, np.dtype(kind))
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (count,)).copy()


def cells(parts: _c.DiagramParts) -> dict[str, npt.NDArray[np.int64]]:
    """`owner`, `cell`, `ring` and `edge_seed` (pairs) of `gv_diagram_parts`."""
    count, integer = parts.seed_count, ctypes.c_int64
    cell = copied(parts.cell, integer, count + 1)
    return {
        "cell": cell,
        "owner": copied(parts.owner, integer, count),
        "edge_seed": copied(parts.edge_seed, integer, 2 * parts.edge_count).reshape(-1, 2),
        "ring": copied(parts.ring, integer, int(cell[-1])),
    }


def areas(parts: _c.DiagramParts, step: Step) -> Floats:
    area = np.empty(parts.seed_count)
    step(0.7, 0.9, library().gv_diagram_areas, area.ctypes.data)
    return area
