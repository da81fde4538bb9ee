"""The default cells of a raster, and masks of polygons, as the command has them."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import warnings
from typing import TYPE_CHECKING, Any, Optional, TypedDict

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _geometries, _grid, _seeds
from ._library import library
from ._options import Metric
from ._search import number_in, real

_LONGER_SIDE = 2048
_MOST = 2**31 - 1

if TYPE_CHECKING:
    import pyproj

Box = tuple[float, float, float, float]  # xmin, ymin, xmax, ymax


class Cells(TypedDict, total=False):
    """Arguments of the functions of rasters."""

    shape: tuple[int, int]
    transform: tuple[float, float, float, float, float, float]
    crs: pyproj.CRS


def default_grid(
    seeds: Any = None,
    *,
    crs: Any = None,
    extent: Any = None,
    resolution: Optional[float] = None,
    level: Optional[int] = None,
    shape: Optional[tuple[int, int]] = None,
) -> Cells:
    """The cells that the command computes by default, as arguments of the functions of rasters.

    Parameters
    ----------
    seeds : GeoDataFrame, GeoSeries or pair of arrays, optional
        What the default extent is around; their coordinate system is the default.
    crs : Any, optional
        The coordinate system of the cells: whatever pyproj accepts.
    extent : (float, float, float, float), optional
        xmin, ymin, xmax, ymax. Default: the globe for longitudes and latitudes, else the extent of
        the seeds and a tenth on each side.
    resolution : float, optional
        The side of a cell. Default: the longer side of the extent has 2048 cells.
    level : int, optional
        A level of the QTM mesh, which makes the default for longitudes and latitudes 2**(level + 3)
        columns.
    shape : (int, int), optional
        Rows and columns, in place of `resolution`.

    Returns
    -------
    dict
        `shape`, `transform` and, where it is known, `crs`.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.default_grid(crs="EPSG:4326", resolution=0.5)["shape"]
    (360, 720)
    """
    read = None if seeds is None else _seeds.read(seeds, skip_invalid=True, features=True)
    found = _crs.parse(crs, "crs") if crs is not None else None if read is None else read.crs
    lonlat = found is not None and _crs.is_lonlat(found)
    unit = 1.0 if found is None else _crs.unit_degrees(found)
    if extent is not None:
        xmin, ymin, xmax, ymax = _grid.corners(extent)
    elif lonlat:
        xmin, ymin, xmax, ymax = -180.0 / unit, -90.0 / unit, 180.0 / unit, 90.0 / unit
    elif read is not None:
        xmin, ymin, xmax, ymax = _around(read, found)
    else:
        raise ValueError(
            "extent is needed where there are neither seeds nor longitudes and latitudes"
        )
    width, height = xmax - xmin, ymax - ymin
    step = max(width, height) / _LONGER_SIDE
    if resolution is not None:
        step = real(resolution, "resolution", 0.0)
    elif level is not None and lonlat:
        step = math.ldexp(360.0 / unit, -(number_in(level, "level", 0, _c.QTM_MAX_GRID_LEVEL) + 3))
    sides = step, step
    if shape is not None:
        rows, columns = _grid.rows_and_columns(shape)
        sides = width / columns, height / rows
    else:
        rows = 1 if resolution is None and height < 0.5 * step else _cells(height, step)
        columns = _cells(width, step)
    made = Cells(shape=(rows, columns), transform=(xmin, sides[0], 0.0, ymax, 0.0, -sides[1]))
    if found is not None:
        made["crs"] = found
    return made


def _cells(length: float, step: float) -> int:
    """Cells along a side: a rest of half a cell or more is one more cell."""
    exact = length / step + 0.5 if step > 0.0 else math.inf
    if not exact < _MOST + 1:
        raise ValueError(f"resolution: too many cells along a side ({exact:.3g}); at most {_MOST}")
    if exact < 1.0:
        raise ValueError(
            f"resolution: the extent ({length:.10g}) is less than half a cell of {step:.10g}"
        )
    return int(exact)


def _around(seeds: _seeds.Seeds, crs: Any) -> Box:
    """The extent of seeds in the system of the cells, with a margin; it ends at the area of use if
    one is far outside."""
    if seeds.features is not None:
        seeds = dataclasses.replace(seeds, x=seeds.features.x, y=seeds.features.y)
    x, y, area = seeds.x, seeds.y, None
    if crs is not None and seeds.crs is not None and not _crs.same(seeds.crs, crs):
        x, y = _crs.Operation(seeds.crs, crs, x, y)(x, y)
        area = _area_of_use(crs)
    good = np.isfinite(x) & np.isfinite(y)
    x, y, count = x[good], y[good], x.size
    box = (float(x.min()), float(y.min()), float(x.max()), float(y.max())) if x.size else None
    outside = 0 if area is None else count - int(_in_box(area, x, y).sum())
    if box is None and outside == 0:
        raise ValueError(
            "seeds: there are none in the coordinate system of the cells; give an extent"
        )
    unit = None if crs is None else _crs.linear_unit(crs)
    extent, is_cut = _default_extent(box, area if outside > 0 else None, unit)
    if outside == 0:
        return extent
    warnings.warn(
        f"{outside} of {count} positions are outside the area of use of {_crs.name(crs)}"
        + (", at which the grid ends" if is_cut else ""),
        UserWarning,
        stacklevel=3,
    )
    return extent


def _default_extent(box: Box | None, area: Box | None, unit: float | None) -> tuple[Box, bool]:
    """By the library's rule, and whether it ends at the area of use."""
    extent, is_cut = (ctypes.c_double * 4)(), ctypes.c_int32()
    boxes = [None if one is None else (ctypes.c_double * 4)(*one) for one in (box, area)]
    status = library().gv_default_extent(*boxes, unit or 0.0, extent, ctypes.byref(is_cut))
    if status != _c.OK:
        raise ValueError("seeds: their extent is not finite")
    xmin, ymin, xmax, ymax = extent
    return (xmin, ymin, xmax, ymax), bool(is_cut.value)


def _in_box(area: Box, x: Any, y: Any) -> Any:
    return (x >= area[0]) & (x <= area[2]) & (y >= area[1]) & (y <= area[3])


def _area_of_use(crs: Any) -> Optional[Box]:
    """Of a projected system, in its own coordinates; None if it declares none."""
    area = crs.area_of_use if crs.is_projected else None
    if area is None:
        return None
    east = area.east + 360.0 if area.east < area.west else area.east
    side = np.arange(65) / 64
    x, y = np.meshgrid(
        area.west + (east - area.west) * side, area.south + (area.north - area.south) * side
    )
    x, y = _crs.Operation(_crs.base(crs, "crs"), crs)(x.ravel(), y.ravel())
    x, y = x[np.isfinite(x) & np.isfinite(y)], y[np.isfinite(x) & np.isfinite(y)]
    if x.size == 0 or x.min() == x.max() or y.min() == y.max():
        return None
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def polygon_mask(polygons: Any, grid: _grid.Grid) -> npt.NDArray[np.bool_]:
    """Which cells of a grid have their center in a polygon, by the even-odd rule of the command."""
    crs = None if polygons.crs is None else _crs.parse(polygons.crs, "mask")
    if grid.mesh:
        raise ValueError("mask: polygons are not supported for these cells; give an array")
    if (crs is None) != (grid.crs is None):
        raise ValueError("mask: the polygons or the grid have no coordinate system")
    if crs is None or _crs.same(crs, grid.crs):
        turn = 360.0 / _crs.unit_degrees(crs) if crs is not None and _crs.is_lonlat(crs) else 0.0
        return _inside(_geometries.read(polygons.geometry), grid.x(), grid.y(), turn)
    from .features import FeatureTree

    x, y = np.meshgrid(grid.x(), grid.y())
    x, y = _crs.Operation(grid.crs, crs, x, y)(x.ravel(), y.ravel())
    metric: Metric = "geodesic" if _crs.is_degrees(crs) else "euclidean"
    tree = FeatureTree(polygons.geometry, metric, skip_invalid=True)
    found = tree.query(x, y, max_distance=0.0)[1]
    return np.asarray(found < tree.n).reshape(grid.rows, grid.columns)


def _inside(arrays: _geometries.Arrays, x: Any, y: Any, turn: float) -> npt.NDArray[np.bool_]:
    """Behind each crossing of an edge the cells of a row change sides. x repeats after `turn` (0:
    never)."""
    made = np.zeros((y.size, x.size), bool)
    up = -y  # rows go south
    for part in range(len(arrays.kind)):
        first, last = arrays.vertex[arrays.ring[part]], arrays.vertex[arrays.ring[part + 1]]
        if arrays.kind[part] != _c.PART_POLYGON or first == last:
            continue
        px, py = arrays.x[first:last], arrays.y[first:last]
        rows = slice(
            int(np.searchsorted(up, -py.max())), int(np.searchsorted(up, -py.min(), side="right"))
        )
        if rows.start == rows.stop:
            continue
        turns: Any = [0.0]
        if turn:
            low, high = math.floor((x[0] - px.max()) / turn), math.ceil((x[-1] - px.min()) / turn)
            turns = turn * np.arange(low, high + 1)
        rings = arrays.vertex[arrays.ring[part] : arrays.ring[part + 1] + 1] - first
        for shift in turns:
            if px.min() + shift <= x[-1] and px.max() + shift >= x[0]:
                made[rows] |= _in_polygon(px, py, rings, x, y[rows], shift)
    return made


def _in_polygon(px: Any, py: Any, rings: Any, x: Any, y: Any, shift: float) -> Any:
    sides = np.zeros((y.size, x.size + 1), bool)
    for start, end in zip(rings[:-1], rings[1:]):
        ax, ay = px[start:end], py[start:end]
        bx, by = np.roll(ax, -1), np.roll(ay, -1)
        swap = ay > by
        x1, y1 = np.where(swap, bx, ax), np.where(swap, by, ay)
        x2, y2 = np.where(swap, ax, bx), np.where(swap, ay, by)
        for edge in np.flatnonzero(y1 != y2):
            at = np.flatnonzero((y1[edge] <= y) & (y < y2[edge]))
            crossing = x1[edge] + (y[at] - y1[edge]) * (
                (x2[edge] - x1[edge]) / (y2[edge] - y1[edge])
            )
            sides[at, np.searchsorted(x, crossing + shift)] ^= True
    return np.logical_xor.accumulate(sides, axis=1)[:, :-1]
