"""The nearest seeds of a grid, computed on request: for the whole grid, or for windows as a
scheduler requests them.

A `Plan` is the request as plain data, which can be sent to another process. A `Field` is the
library's object made of it; each process keeps the last few.
"""

from __future__ import annotations

import collections
import ctypes
import dataclasses
import hashlib
import threading
from ctypes import byref, c_void_p
from typing import Any, Callable, Iterator, NoReturn, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _geometries, _places
from ._grid import Grid
from ._library import (
    Bar,
    Context,
    Handle,
    Progress,
    Stop,
    context,
    interruptible,
    library,
    on_a_thread,
    cpu_count,
    run,
)

Numbers = npt.NDArray[np.int32]
Own = Union[Numbers, "Callable[[Window], Numbers]", None]  # of a window, or what makes those of any
_BLOCK = 512
_MESH_BLOCK = 4**8
_LARGE_CELLS = 1 << 17
_KEPT = 4


@dataclasses.dataclass(frozen=True)
class Window:
    """Rows and columns of a grid: from the first up to but without the last."""

    row0: int
    row1: int
    column0: int
    column1: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.row1 - self.row0, self.column1 - self.column0

    def holds(self, other: Window) -> bool:
        return (
            self.row0 <= other.row0
            and other.row1 <= self.row1
            and self.column0 <= other.column0
            and other.column1 <= self.column1
        )

    def meet(self, other: Window) -> Window:
        return Window(
            max(self.row0, other.row0),
            min(self.row1, other.row1),
            max(self.column0, other.column0),
            min(self.column1, other.column1),
        )

    def of(self, array: npt.NDArray[Any], part: Window) -> npt.NDArray[Any]:
        """The part of an array for this window in its last two axes."""
        return array[
            ...,
            part.row0 - self.row0 : part.row1 - self.row0,
            part.column0 - self.column0 : part.column1 - self.column0,
        ]

    def cut(
        self, array: Optional[npt.NDArray[Any]], other: Window, fill: int = 0
    ) -> Optional[npt.NDArray[Any]]:
        """What an array of this window is on another: a part of it, or a copy with `fill` where
        this window has no cells."""
        if array is None or self.holds(other):
            return None if array is None else self.of(array, other)
        made, part = np.full((*array.shape[:-2], *other.shape), fill, array.dtype), self.meet(other)
        other.of(made, part)[...] = self.of(array, part)
        return made


@dataclasses.dataclass(frozen=True, eq=False)
class Names:
    """What is written for seeds: `value[group[i]]` for seed i, `nodata` for none. Without arrays,
    numbers stand for themselves."""

    dtype: Any = np.int32
    nodata: int = -1
    value: Optional[npt.NDArray[np.int64]] = None
    group: Optional[npt.NDArray[np.int32]] = None


@dataclasses.dataclass
class Features:
    """Lines and polygons as seeds, where the grid's metric wants them."""

    arrays: _geometries.Arrays
    edges: str
    boundary: bool

    def struct(self) -> _c.Features:
        part, kind, ring, vertex, x, y = self.arrays
        return _c.Features(
            count=len(part) - 1,
            part=part.ctypes.data,
            kind=kind.ctypes.data,
            ring=ring.ctypes.data,
            vertex=vertex.ctypes.data,
            x=x.ctypes.data,
            y=y.ctypes.data,
            edges=_geometries.EDGES.index(self.edges),
            boundary=int(self.boundary),
        )


@dataclasses.dataclass
class Plan:
    """All that results depend on."""

    kind: int
    rows: int
    columns: int
    transform: tuple[float, float, float, float, float, float]
    ellipsoid: tuple[float, float]
    inverse: Optional[_crs.Inverse]
    level: int
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    metric: str
    k: int
    max_distance: float
    weighting: str
    weights: Optional[npt.NDArray[np.float64]]
    backend: str
    device: int
    block: tuple[int, int]
    cells: Optional[_places.Cells] = None
    features: Optional[Features] = None

    @property
    def window(self) -> Window:
        return Window(0, self.rows, 0, self.columns)

    def token(self) -> str:
        """The same for the same request."""
        digest = hashlib.sha256()
        inverse = (
            None
            if self.inverse is None
            else (self.inverse.operation.definition, self.inverse.tolerance)
        )
        for part in (
            self.kind,
            self.rows,
            self.columns,
            self.transform,
            self.ellipsoid,
            inverse,
            self.level,
            self.metric,
            self.k,
            self.max_distance,
            self.weighting,
            self.backend,
            self.device,
            self.block,
            None
            if self.cells is None
            else (self.cells.system, self.cells.level, self.cells.ring, self.cells.authalic),
            None if self.features is None else (self.features.edges, self.features.boundary),
        ):
            digest.update(repr(part).encode() + b"\0")
        places = (None, None) if self.cells is None else (self.cells.lon, self.cells.lat)
        features: tuple[Any, ...] = () if self.features is None else self.features.arrays
        for array in (self.x, self.y, self.weights, *places, *features):
            digest.update(b"" if array is None else array.tobytes())
        return digest.hexdigest()


def plan(
    grid: Grid,
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    metric: str,
    *,
    k: int,
    max_distance: float,
    weighting: str,
    weights: Optional[npt.NDArray[np.float64]],
    backend: str,
    device: int,
) -> Plan:
    ellipsoid, inverse, kind, transform = (0.0, 0.0), None, _c.GRID_PLANE, grid.transform
    if metric in _c.GLOBE_METRICS:
        kind = (
            _c.GRID_LONLAT
            if not grid.mesh
            else _c.GRID_QTM
            if grid.cells is None
            else grid.cells.kind
        )
        if grid.crs is not None:
            ellipsoid = _crs.ellipsoid(grid.crs)
            if not grid.mesh and (grid.east or not _crs.is_lonlat(grid.crs)):
                kind, inverse = (
                    _c.GRID_PROJECTED,
                    _crs.Inverse(grid.crs, grid.lattice(), grid.cell, grid.east),
                )
            elif not grid.mesh:
                a, b, c, d, e, f = (number * _crs.unit_degrees(grid.crs) for number in transform)
                transform = (a, b, c, d, e, f)
            else:
                _crs.base(grid.crs, "crs")
        if kind == _c.GRID_LONLAT and (grid.transform[2] or grid.transform[4]):
            raise ValueError(
                "like: rotated grids of longitudes and latitudes are not supported by this version"
            )
    if grid.mesh:
        block = (1, _MESH_BLOCK)
    elif grid.chunks is not None:
        block = (_even(grid.chunks[0]), _even(grid.chunks[1]))
    else:
        # A block is what Ctrl-C waits for.
        side = _BLOCK if k == 1 else _BLOCK // 2 if k <= 4 else _BLOCK // 4
        block = (side, side)
    return Plan(
        kind,
        grid.rows,
        grid.columns,
        transform,
        ellipsoid,
        inverse,
        grid.level,
        np.ascontiguousarray(x),
        np.ascontiguousarray(y),
        metric,
        k,
        max_distance,
        weighting,
        weights,
        backend,
        device,
        block,
        grid.cells,
    )


def _even(chunks: tuple[int, ...]) -> int:
    """A size of blocks of which chunks are whole numbers, if they allow it."""
    size = chunks[0]
    if all(n == size for n in chunks[:-1]):
        for parts in range(-(-size // _BLOCK), 2 * -(-size // _BLOCK) + 1):
            if size % parts == 0:
                return size // parts
    return _BLOCK // 2


class Field:
    """A ``gv_voronoi``. Any number of threads may ask it."""

    def __init__(self, plan: Plan, workers: int = 0) -> None:
        self.plan = plan
        c = library()
        if plan.kind >= _c.GRID_QTM:  # one row of cells
            self.block = (1, _MESH_BLOCK)
        else:
            self.block = plan.block
        self._grid = _c.Grid(
            kind=plan.kind,
            width=plan.columns,
            height=plan.rows,
            geotransform=(ctypes.c_double * 6)(*plan.transform),
            semi_major=plan.ellipsoid[0],
            flattening=plan.ellipsoid[1],
            level=plan.level,
        )
        if plan.cells is not None and plan.cells.kind != _c.GRID_POINTS:
            self._grid.order, self._grid.ring, self._grid.authalic = (
                plan.cells.level,
                plan.cells.ring,
                plan.cells.authalic,
            )
        elif plan.cells is not None:
            assert plan.cells.lon is not None and plan.cells.lat is not None
            self._grid.longitude, self._grid.latitude = (
                plan.cells.lon.ctypes.data,
                plan.cells.lat.ctypes.data,
            )  # kept by the plan
            self._grid.area = None if plan.cells.area is None else plan.cells.area.ctypes.data
        self._raised: list[BaseException] = []
        if plan.inverse is not None:
            self._inverse = _c.Inverse(self._invert)  # must live as long as the library's object
            self._grid.inverse = self._inverse
        seeds = _c.Points(
            x=plan.x.ctypes.data, y=plan.y.ctypes.data, count=plan.x.size, dim=2, dtype=_c.FLOAT64
        )
        options = _c.VoronoiOptions(
            backend=plan.backend.encode(),
            metric=_c.METRICS.index(plan.metric),
            block_width=self.block[1],
            block_height=self.block[0],
            nodata=-1,
            k=plan.k,
            max_distance=plan.max_distance,
            weighting=_c.WEIGHTINGS.index(plan.weighting),
            weights=None if plan.weights is None else plan.weights.ctypes.data,
        )
        features = None if plan.features is None else plan.features.struct()
        if features is not None:
            options.features = ctypes.addressof(features)
        made = c_void_p()
        used = run(
            c.gv_voronoi_create,
            byref(self._grid),
            None if features is not None else byref(seeds),
            byref(options),
            byref(made),
            threads=1 if plan.inverse is not None else workers,
            device=plan.device,
            large=plan.x.size > _LARGE_CELLS or plan.rows + plan.columns > 1 << 20,
            argument="seeds",
        )
        self.handle = Handle(made.value, c.gv_voronoi_destroy, used)

    def __reduce__(self) -> NoReturn:
        self.handle.__reduce__()

    @property
    def backend(self) -> str:
        return str(library().gv_voronoi_backend(self.handle.address).decode())

    def _invert(self, x: Any, y: Any, count: int, user: Any) -> int:
        """The library's inverse projection, on the thread that requests the block, a Python
        thread."""
        try:
            assert self.plan.inverse is not None
            a, b = np.ctypeslib.as_array(x, (count,)), np.ctypeslib.as_array(y, (count,))
            a[:], b[:] = self.plan.inverse(a.copy(), b.copy())
            return 0
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            self._raised.append(error)
            return 1

    def blocks(self, window: Window) -> Iterator[tuple[int, int, Window]]:
        """The blocks that a window meets: column, row, and where they lie in the grid."""
        height, width = self.block
        for row in range(window.row0 // height, -(-window.row1 // height)):
            for column in range(window.column0 // width, -(-window.column1 // width)):
                yield (
                    column,
                    row,
                    Window(
                        row * height,
                        min((row + 1) * height, self.plan.rows),
                        column * width,
                        min((column + 1) * width, self.plan.columns),
                    ),
                )

    def _call(self, used: Context, function: Any, struct: Any) -> None:
        try:
            used.call(function, self.handle.address, byref(struct))
        except RuntimeError as error:
            if self._raised:
                raise self._raised.pop() from error
            raise

    def one(
        self,
        used: Context,
        window: Window,
        where: tuple[int, int, Window],
        results: Results,
        names: Names = Names(),
        mask: Optional[npt.NDArray[Any]] = None,
        own: Own = None,
        numbers: Optional[Numbers] = None,
    ) -> None:
        """One block's part of a window. `numbers`: those of the seeds, if they are known; `own`:
        groups of cells that are seeds."""
        full = where[2]
        if mask is None and not window.holds(full):
            mask = np.ones(window.shape, np.uint8)
        mask, numbers = mask_bytes(window.cut(mask, full)), window.cut(numbers, full, -1)
        own = own(full) if callable(own) else window.cut(own, full, -1)
        found = [window.cut(a, full) for a in results.arrays()]
        values, distance, azimuth = found
        like = next(a for a in found if a is not None)
        self._call(
            used,
            library().gv_voronoi_compute,
            _c.CellResults(
                column=full.column0,
                row=full.row0,
                columns=full.shape[1],
                rows=full.shape[0],
                mask=_address(mask),
                mask_stride=_stride(mask, -2),
                seed=_address(numbers),
                seed_stride=_stride(numbers, -2),
                seed_band_stride=_stride(numbers, 0),
                cell_group=_address(own),
                cell_group_stride=_stride(own, -2),
                group=_address(names.group),
                value=_address(names.value),
                nodata=names.nodata,
                value_type=_c.DTYPES.index(np.dtype(names.dtype).name),
                out=_address(values),
                distance_type=_c.FLOAT32
                if distance is None
                else _c.DTYPES.index(distance.dtype.name),
                distance=_address(distance),
                azimuth=_address(azimuth),
                stride=_stride(like, -2),
                band_stride=_stride(like, 0),
            ),
        )
        for to, made in zip(results.arrays(), found) if not window.holds(full) else ():
            if to is not None and made is not None:
                part = window.meet(full)
                window.of(to, part)[...] = full.of(made, part)

    def each(
        self,
        window: Window,
        work: Callable[[Context, tuple[int, int, Window]], None],
        workers: int,
        progress: Progress = None,
    ) -> None:
        """Calls `work` for every block of a window, by threads of Python's; Ctrl-C stops it after
        the blocks at hand."""
        blocks = list(self.blocks(window))
        threads = min(workers or cpu_count(), len(blocks))
        small = (
            window.shape[0] * window.shape[1] <= _LARGE_CELLS
            and self.plan.k * self.plan.x.size <= _LARGE_CELLS
        )
        if (threads == 1 or small) and progress in (False, None) and (small or not interruptible()):
            for where in blocks:
                work(context(1, self.plan.device), where)
            return
        with Bar(progress) as bar:
            stop, lock = Stop(), threading.Lock()
            go_on, left, done = stop.reporting(bar.report), iter(blocks), [0]

            def loop() -> None:
                used = context(1, self.plan.device)
                while not stop.set:
                    with lock:
                        where = next(left, None)
                    if where is None:
                        return
                    try:
                        work(used, where)
                    except BaseException:
                        stop.set = True
                        raise
                    with lock:
                        done[0] += 1
                        go_on(done[0] / len(blocks))

            def all_of_them() -> None:
                import concurrent.futures

                with concurrent.futures.ThreadPoolExecutor(threads, "gpuvoronoi") as pool:
                    for future in [pool.submit(loop) for _ in range(threads)]:
                        future.result()

            if interruptible():
                on_a_thread(all_of_them, stop)
            else:
                all_of_them()
            if stop.error is not None:
                raise stop.error

    def result(
        self,
        window: Window,
        names: Optional[Names] = Names(),
        *,
        distance: Any = None,
        azimuth: bool = False,
        mask: Optional[npt.NDArray[Any]] = None,
        own: Own = None,
        numbers: Optional[Numbers] = None,
        workers: int = 0,
        progress: Progress = None,
    ) -> Results:
        """Seeds by `names`, distances of the dtype `distance` and azimuths of a window's cells; see
        `one`."""
        results = Results.empty(self.plan.k, window, names, distance, azimuth)
        whole = (
            window == self.plan.window
            and mask is None
            and own is None
            and numbers is None
            and self.plan.inverse is None
        )
        if whole and distance is None and not azimuth and names is not None and names.value is None:
            assert results.numbers is not None
            with Bar(progress) as bar:
                labels = _c.Labels(out=results.numbers.ctypes.data, stride=self.plan.columns)
                run(
                    library().gv_voronoi_fill,
                    self.handle.address,
                    byref(labels),
                    None,
                    threads=workers,
                    device=self.plan.device,
                    large=results.numbers.size > _LARGE_CELLS,
                    progress=bar.report,
                )
        elif any(a is not None for a in results.arrays()):
            self.each(
                window,
                lambda used, where: self.one(
                    used, window, where, results, names or Names(), mask, own, numbers
                ),
                workers,
                progress,
            )
        return results


@dataclasses.dataclass
class Results:
    """What is wanted of a window's cells: arrays of k x rows x columns."""

    numbers: Optional[npt.NDArray[Any]]  # or what names make of them
    distance: Optional[npt.NDArray[Any]]
    azimuth: Optional[npt.NDArray[np.float32]]

    @classmethod
    def empty(
        cls, k: int, window: Window, names: Optional[Names], distance: Any, azimuth: bool
    ) -> Results:
        shape = (k, *window.shape)
        return cls(
            None if names is None else np.empty(shape, names.dtype),
            None if distance is None else np.empty(shape, distance),
            np.empty(shape, np.float32) if azimuth else None,
        )

    def arrays(
        self,
    ) -> tuple[
        Optional[npt.NDArray[Any]], Optional[npt.NDArray[Any]], Optional[npt.NDArray[np.float32]]
    ]:
        return self.numbers, self.distance, self.azimuth


def mask_bytes(mask: Optional[npt.NDArray[Any]]) -> Optional[npt.NDArray[np.uint8]]:
    """0 where a cell is left out: those that are 0 or NaN. Masks of bytes are not copied if their
    rows are contiguous."""
    if mask is None:
        return None
    if mask.dtype.itemsize == 1:
        dense = mask.strides[-1] == 1 and mask.strides[-2] >= mask.shape[-1]
        return (mask if dense else np.ascontiguousarray(mask)).view(np.uint8)
    counts = mask != 0
    if mask.dtype.kind == "f":
        counts &= mask == mask
    return np.ascontiguousarray(counts).view(np.uint8)


def _address(array: Optional[npt.NDArray[Any]]) -> Optional[int]:
    return None if array is None else array.ctypes.data


def _stride(array: Optional[npt.NDArray[Any]], axis: int) -> int:
    """In values; numpy's is arbitrary where an axis has one entry."""
    return 0 if array is None else max(array.strides[axis] // array.itemsize, array.shape[-1])


_fields: collections.OrderedDict[str, Field] = collections.OrderedDict()
_fields_lock = threading.Lock()


def kept(plan: Plan, token: str) -> Field:
    """The field of a plan: made once in a process, and kept until a few others were requested."""
    with _fields_lock:
        if token in _fields:
            _fields.move_to_end(token)
            return _fields[token]
        made = _fields[token] = Field(plan, 1)
        while len(_fields) > _KEPT:
            _fields.popitem(last=False)
        return made
