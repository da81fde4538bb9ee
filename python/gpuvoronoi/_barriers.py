"""The nearest seeds by the shortest ways round barriers (``include/gpuvoronoi/barriers.h``)."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from typing import Any, Optional

import numpy as np

from . import _c, _field, _geometries, _grid, _seeds, _ways
from ._library import Bar, Handle, library, run

_LARGE = 1 << 12  # vertices, or cells / 16, from which calls take long enough to be interrupted


def read(
    barriers: Any, grid: _grid.Grid, metric: str, skip_invalid: bool
) -> Optional[_geometries.Arrays]:
    """Lines and polygons in the grid's coordinates; None: there are none."""
    if not (hasattr(barriers, "geometry") and hasattr(barriers, "crs")):
        raise TypeError(
            "barriers must be a GeoDataFrame or a GeoSeries of lines and polygons, not "
            f"{type(barriers).__name__}"
        )
    if metric not in ("euclidean", "great-circle", "geodesic"):
        raise ValueError(f"barriers: metric {metric} is not supported; use euclidean")
    if len(barriers) == 0:
        return None
    found = _seeds.read(barriers, None, skip_invalid, features=True)
    if found.features is None:
        raise ValueError("barriers: points are not supported; use lines and polygons")
    return _seeds.placed(grid, found, metric, skip_invalid)[0].features


def check(request: Any) -> None:
    """That a `rasters.RasterRequest` has nothing that ways round barriers lack."""
    plan = request.plan
    lacks = {
        "k": request.k > 1,
        "weights": plan.weights is not None,
        "lines and polygons as seeds": plan.features is not None,
        "cells of a raster as seeds": request.cells is not None,
        "a chunked grid": request.grid.chunks is not None,
        "arrays on a device": request.cupy is not None,
        "cells other than those of an evenly spaced raster in the grid's own coordinates": plan.kind
        not in (_c.GRID_PLANE, _c.GRID_LONLAT),
        "backends": plan.backend not in ("auto", "tile"),
    }
    for name, given in lacks.items():
        if given:
            raise ValueError(f"barriers: {name} are not supported with barriers")


class Solved:
    """Barriers with the shortest ways from a request's seeds."""

    def __init__(self, request: Any, barriers: Optional[_geometries.Arrays], large: bool) -> None:
        plan = request.plan
        options = _c.BarriersOptions(
            metric=_c.METRICS.index(plan.metric),
            max_distance=plan.max_distance,
            semi_major=plan.ellipsoid[0],
            flattening=plan.ellipsoid[1],
        )
        features = (
            None
            if barriers is None
            else byref(_field.Features(barriers, request.edges, False).struct())
        )
        made, self.threads = c_void_p(), request.workers
        self.large = large or (barriers is not None and barriers.x.size > _LARGE)
        self.used = run(
            library().gv_barriers_create,
            features,
            byref(options),
            byref(made),
            threads=self.threads,
            argument="barriers",
        )
        self.handle = Handle(made.value, library().gv_barriers_destroy, self.used)
        run(
            library().gv_barriers_solve,
            self.handle.address,
            plan.x.ctypes.data,
            plan.y.ctypes.data,
            ctypes.c_int64(plan.x.size),
            None,
            threads=self.threads,
            large=self.large,
            argument="seeds",
        )

    def get(self, places: _c.BarrierPlaces, bar: Bar) -> None:
        run(
            library().gv_barriers_get,
            self.handle.address,
            byref(places),
            threads=self.threads,
            large=self.large,
            progress=bar.report,
            argument="barriers",
        )

    def way(self, x: float, y: float) -> tuple[int, tuple[float], Any]:
        """Of a point: the seed's position in the list or -1, the length, and the positions in two
        rows."""
        count, seed, length = ctypes.c_int64(), ctypes.c_int32(), ctypes.c_double()

        def write(places: Any) -> int:
            request = _c.BarrierWay(x=x, y=y, room=places.shape[1])
            request.way_x, request.way_y = (row.ctypes.data for row in places)
            request.count, request.seed = ctypes.addressof(count), ctypes.addressof(seed)
            request.distance = ctypes.addressof(length)
            self.used.call(library().gv_barriers_get_way, self.handle.address, byref(request))
            return count.value

        places = _ways.positions(write)
        return seed.value, (length.value,), places


def named(numbers: Any, names: _field.Names) -> Any:
    """What `names` makes of numbers of seeds."""
    if names.value is None:
        return numbers
    found = np.where(numbers >= 0, names.value[np.maximum(numbers, 0)], names.nodata)
    return found.astype(names.dtype)


def compute(
    request: Any,
    barriers: _geometries.Arrays,
    names: Optional[_field.Names],
    distance: Any,
    azimuth: bool,
) -> tuple[Any, Any, Any]:
    """As RasterRequest.compute."""
    plan, shape = request.plan, (request.plan.rows, request.plan.columns)
    g, column, row = plan.transform, np.arange(shape[1]) + 0.5, np.arange(shape[0])[:, None] + 0.5
    x, y = (
        np.array(np.broadcast_to((g[i] + column * g[i + 1]) + row * g[i + 2], shape), order="C")
        for i in (0, 3)
    )
    if request.mask is not None:
        x[~np.nan_to_num(np.asarray(request.mask)).astype(bool)] = np.nan
    numbers, lengths = np.empty(shape, np.int32), np.empty(shape, np.float64)
    directions = np.empty(shape, np.float32) if azimuth else None
    places = _c.BarrierPlaces(
        x=x.ctypes.data,
        y=y.ctypes.data,
        count=x.size,
        seed=numbers.ctypes.data,
        distance=lengths.ctypes.data,
        azimuth=None if directions is None else directions.ctypes.data,
    )
    solved = Solved(request, barriers, x.size > 16 * _LARGE)
    with Bar(request.progress) as bar:
        solved.get(places, bar)
    return (
        None if names is None else named(numbers, names)[None],
        None if distance is None else lengths.astype(distance)[None],
        None if directions is None else directions[None],
    )
