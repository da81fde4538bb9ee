"""Seeds in all their forms: pairs of arrays, GeoDataFrames, GeoSeries."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _geometries
from ._grid import Grid
from ._search import as_degrees, plain_array

Floats = npt.NDArray[np.float64]
NO_METRIC = (
    "metric: required without a coordinate system; use metric='euclidean' for a plane, "
    "metric='geodesic' (or crs=) for longitudes "
    "and latitudes"
)


@dataclasses.dataclass
class Seeds:
    """Positions in the system `crs` (None: none is known), and the table they come from, if any.

    `rows`: which rows of `total` they are, where others were left out. `features`: lines and
    polygons, or several points a row; `x` and `y` are then used only for their number."""

    x: Floats
    y: Floats
    crs: Any = None
    frame: Any = None
    rows: Optional[npt.NDArray[np.intp]] = None
    total: int = 0
    features: Optional[_geometries.Arrays] = None


def read(seeds: Any, crs: Any = None, skip_invalid: bool = False, features: bool = False) -> Seeds:
    """`crs`: the seeds' coordinate system, if they have none of their own. `skip_invalid`: those
    without a place are left out. `features`: lines and polygons are seeds too."""
    if features and has_features(seeds):
        made = of_features(seeds, "seeds", skip_invalid)
    else:
        made = usable(seeds, "seeds") if skip_invalid else _read(seeds, "seeds")
    if crs is not None:
        given = _crs.parse(crs, "seeds_crs")
        if made.crs is not None and not _crs.same(made.crs, given):
            raise ValueError(
                f"seeds_crs: the seeds are in {_crs.name(made.crs)} already; use to_crs() to "
                "reproject them"
            )
        made.crs = given
    return made


def usable(seeds: Any, argument: str) -> Seeds:
    """Without the rows that have no geometry, an empty one, or coordinates that are not finite."""
    made = _read(seeds, argument, allow_missing=True)
    rows = np.flatnonzero(np.isfinite(made.x) & np.isfinite(made.y))
    return Seeds(made.x[rows], made.y[rows], made.crs, made.frame, rows, made.x.size)


def _read(seeds: Any, argument: str, allow_missing: bool = False) -> Seeds:
    if hasattr(seeds, "geometry") and hasattr(seeds, "crs"):
        return _of_geometries(seeds, argument, allow_missing)
    if isinstance(seeds, (str, bytes)):
        raise TypeError(
            f"{argument}: names of files are not supported by this version; give a pair of arrays "
            "(x, y), a "
            f"GeoDataFrame or a GeoSeries"
        )
    if isinstance(seeds, tuple) and len(seeds) == 2:
        a, b = as_degrees(seeds[0], f"{argument}[0]"), as_degrees(seeds[1], f"{argument}[1]")
    else:
        a, b = _of_points(seeds, argument)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"{argument} must be two arrays of one dimension and one length, not {a.shape} and "
            f"{b.shape}"
        )
    return Seeds(a, b)


def has_features(seeds: Any) -> bool:
    """Whether a row of geometries is not a point."""
    if not (hasattr(seeds, "geometry") and hasattr(seeds, "crs")):
        return False
    if _geometries.points(seeds.geometry) is not None:
        return False
    kinds = np.asarray(seeds.geometry.geom_type, dtype=object)
    missing = np.asarray(seeds.geometry.isna()) | np.asarray(seeds.geometry.is_empty)
    return bool(np.any((kinds != "Point") & ~missing))


def of_features(frame: Any, argument: str, skip_invalid: bool) -> Seeds:
    """Geometries of all kinds. Rows that are left out have no parts, and keep their numbers."""
    geometry = frame.geometry
    missing = np.flatnonzero(np.asarray(geometry.isna()) | np.asarray(geometry.is_empty))
    if missing.size and not skip_invalid:
        raise ValueError(
            f"{argument}: row {int(missing[0])} has a geometry that is missing or empty; "
            "skip_invalid=True leaves such rows out"
        )
    arrays = _geometries.read(geometry)
    if skip_invalid:
        good = np.flatnonzero(np.isfinite(arrays.x) & np.isfinite(arrays.y))
        arrays = arrays if good.size == arrays.x.size else arrays.without_others(good)
    nowhere = np.full(len(geometry), np.nan)
    return Seeds(
        nowhere,
        nowhere,
        None if frame.crs is None else _crs.parse(frame.crs, argument),
        frame,
        features=arrays,
    )


def _of_points(seeds: Any, argument: str) -> tuple[Floats, Floats]:
    """A list of pairs, or an array of shape (n, 2): a row a point, whatever their number."""
    accepted = (
        "a tuple of two arrays (x, y), a list of pairs, an array of shape (n, 2), a GeoDataFrame "
        "or a GeoSeries"
    )
    if not isinstance(seeds, (list, tuple, np.ndarray)):
        raise TypeError(f"{argument} must be {accepted}, not {type(seeds).__name__}")
    columns = (
        not isinstance(seeds, np.ndarray)
        and len(seeds) == 2
        and any(hasattr(one, "__array__") for one in seeds)
    )
    if columns:
        raise TypeError(
            f"{argument}: a list of two arrays is ambiguous; give a tuple (x, y), or an array of "
            "shape (n, 2) of points"
        )
    points = as_degrees(seeds, argument)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{argument} must be {accepted}, not of the shape {points.shape}")
    return np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])


def _of_geometries(frame: Any, argument: str, allow_missing: bool) -> Seeds:
    """Rows without a place are NaN, if they are allowed."""
    geometry, found = frame.geometry, _geometries.points(frame.geometry)
    kinds = (
        np.asarray(geometry.geom_type, dtype=object)
        if found is None
        else np.full(len(geometry), "Point")
    )
    missing = (
        np.asarray(geometry.isna()) | np.asarray(geometry.is_empty) if found is None else found[2]
    )
    bad = np.flatnonzero(
        (kinds != "Point") & ~missing if allow_missing else (kinds != "Point") | missing
    )
    if bad.size:
        row = int(bad[0])
        if missing[row]:
            raise ValueError(
                f"{argument}: row {row} has a geometry that is missing or empty; skip_invalid=True "
                "leaves such rows out"
            )
        hint = "; explode() it first" if kinds[row] == "MultiPoint" else ""
        raise ValueError(
            f"{argument}: row {row} is a {kinds[row]}; this version takes points only{hint}"
        )
    crs = None if frame.crs is None else _crs.parse(frame.crs, argument)
    if found is not None:
        return Seeds(found[0], found[1], crs, frame)
    x, y = np.full(len(missing), np.nan), np.full(len(missing), np.nan)
    there = geometry[~missing]
    x[~missing], y[~missing] = there.x, there.y
    return Seeds(x, y, crs, frame)


def column(value: Any, seeds: Seeds, argument: str, text: bool = False) -> npt.NDArray[Any]:
    """One value a seed: an array of numbers, or of anything if `text`, or the name of a column of
    the seeds' table."""
    if isinstance(value, str):
        if seeds.frame is None or value not in getattr(seeds.frame, "columns", ()):
            raise ValueError(f"{argument}: the seeds have no column {value!r}")
        value = seeds.frame[value].to_numpy()
    array = np.asarray(value) if text else plain_array(value, argument)
    count = seeds.x.size if seeds.rows is None else seeds.total
    if array.shape != (count,):
        raise ValueError(
            f"{argument} must have one value for each of {count} seeds, not the shape {array.shape}"
        )
    return array if seeds.rows is None else array[seeds.rows]


def metric_of(metric: Optional[str], grid: Grid, seeds: Seeds, argument: str = "metric") -> str:
    """The metric that is meant, checked against the grid's system."""
    crs = grid.crs
    geographic = crs is not None and crs.is_geographic
    if metric is None:
        if crs is None and not grid.mesh and not grid.lonlat_names and not _is_globe(grid):
            raise ValueError(NO_METRIC)
        if crs is None or grid.mesh or grid.level != _c.QTM_NONE:
            return "geodesic"
        return _crs.default_metric(crs)[0]
    if metric not in _c.METRICS:
        raise ValueError(f"{argument} must be one of {', '.join(_c.METRICS)}, not {metric!r}")
    if geographic and metric not in _c.GLOBE_METRICS:
        raise ValueError(
            f"{argument}: {metric} is not supported for {_crs.name(crs)}, where degrees are not "
            "lengths; use geodesic or "
            f"great-circle, or a projected crs"
        )
    if grid.level != _c.QTM_NONE and metric not in _c.GLOBE_METRICS:
        raise ValueError(
            f"{argument}: {metric} is not supported with level; use geodesic or great-circle"
        )
    if grid.cells is not None and metric not in _c.GLOBE_METRICS:
        raise ValueError(
            f"{argument}: {metric} is not supported with cells; use geodesic or great-circle"
        )
    return metric


def _is_globe(grid: Grid) -> bool:
    """The default extent, which says that longitudes and latitudes are meant."""
    g = grid.transform
    return (
        g[0] == -180.0
        and g[3] == 90.0
        and g[2] == g[4] == 0.0
        and abs(g[1] * grid.columns - 360.0) < 1e-9
    )


def on_globe(seeds: Seeds, argument: str) -> Seeds:
    """Points in the longitudes and latitudes that their system is based on, in degrees, whatever
    the unit of that system, which they have then."""
    if seeds.crs is None or _crs.is_degrees(seeds.crs):
        return seeds
    base = _crs.base(seeds.crs, argument)
    if seeds.features is not None:
        x, y = _to_globe(seeds.crs, base, 0.0, seeds.features.x, seeds.features.y)
        return dataclasses.replace(
            seeds,
            features=seeds.features._replace(x=np.ascontiguousarray(x), y=np.ascontiguousarray(y)),
            crs=base,
        )
    x, y = _to_globe(seeds.crs, base, 0.0, seeds.x, seeds.y)
    bad = np.flatnonzero(~np.isfinite(x) & np.isfinite(seeds.x))
    if bad.size:
        row = int(bad[0] if seeds.rows is None else seeds.rows[bad[0]])
        raise ValueError(f"{argument}: row {row} is outside {_crs.name(base)}")
    return dataclasses.replace(
        seeds, x=np.ascontiguousarray(x), y=np.ascontiguousarray(y), crs=base
    )


def _to_globe(source: Any, base: Any, east: float, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Positions in the geographic system `base`, in degrees, plus `east` in longitude."""
    if not (_crs.is_lonlat(base) and _crs.same(source, base)):
        return _crs.Operation(source, base, x, y, globe=True, east=east)(x, y)
    unit = _crs.unit_degrees(base)
    return (x if unit == 1.0 and east == 0.0 else x * unit + east), (y if unit == 1.0 else y * unit)


def placed(
    grid: Grid, seeds: Seeds, metric: str, skip_invalid: bool = False
) -> tuple[Seeds, Floats, Floats]:
    """The seeds of those in `rows` that have a place on the grid's map or globe, and their
    positions there."""
    if seeds.features is not None:
        vertices = Seeds(seeds.features.x, seeds.features.y, seeds.crs, seeds.frame)
        x, y = on(grid, vertices, metric, skip=skip_invalid)
        good = (
            np.isfinite(x)
            & np.isfinite(y)
            & ((metric not in _c.GLOBE_METRICS) | (np.abs(y) <= 90.0))
        )
        moved = seeds.features._replace(x=np.ascontiguousarray(x), y=np.ascontiguousarray(y))
        if skip_invalid and not good.all():
            moved = moved.without_others(np.flatnonzero(good))
        return dataclasses.replace(seeds, features=moved), seeds.x, seeds.y
    if seeds.rows is None:
        return (seeds, *on(grid, seeds, metric))
    x, y = on(grid, seeds, metric)
    good = np.isfinite(x) & np.isfinite(y)
    if metric in _c.GLOBE_METRICS:
        good &= np.abs(y) <= 90.0
    kept = dataclasses.replace(seeds, x=seeds.x[good], y=seeds.y[good], rows=seeds.rows[good])
    return kept, np.ascontiguousarray(x[good]), np.ascontiguousarray(y[good])


def on(grid: Grid, seeds: Seeds, metric: str, skip: bool = False) -> tuple[Floats, Floats]:
    """The seeds' positions where the grid's metric wants them: on its map, or on its globe in
    degrees."""
    if seeds.crs is None or grid.crs is None:
        plain = seeds.crs is None or (
            _crs.is_degrees(seeds.crs) and _crs.from_greenwich(seeds.crs)[1] == 0.0
        )
        if not plain and metric in _c.GLOBE_METRICS:
            raise ValueError(
                f"seeds are in {_crs.name(seeds.crs)}, and the grid has no coordinate system: give "
                "crs"
            )
        if seeds.frame is not None and grid.crs is not None:
            raise ValueError(
                f"seeds have no coordinate system, the grid has {_crs.name(grid.crs)}: set_crs() "
                "them first"
            )
        if grid.crs is None or metric not in _c.GLOBE_METRICS:
            return seeds.x, seeds.y
    # A pair of arrays is in the grid's own system.
    source = (
        seeds.crs if seeds.crs is not None else grid.given if grid.given is not None else grid.crs
    )
    if metric in _c.GLOBE_METRICS:
        target = grid.globe if grid.globe is not None else _crs.base(grid.crs, "crs")
        x, y = _to_globe(source, target, grid.east, seeds.x, seeds.y)
    elif _crs.same(source, grid.crs):
        return seeds.x, seeds.y
    else:
        target = grid.crs
        x, y = _crs.Operation(source, target, seeds.x, seeds.y)(seeds.x, seeds.y)
    bad = np.flatnonzero(~np.isfinite(x) & np.isfinite(seeds.x))
    if bad.size and seeds.rows is None and not skip:
        raise ValueError(f"seeds: row {int(bad[0])} is outside {_crs.name(target)}")
    return x, y
