"""Tables: what each seed's region amounts to, and the nearest rows of another table."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_void_p
from typing import Any, Mapping, NoReturn, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _field, _seeds
from ._library import Context, Handle, Progress, context, library
from ._search import number_in, plain_array, real
from .rasters import Question, _documented
from .trees import GlobeTree, KDTree


@_documented
def statistics(seeds: Any, *, sums: Optional[Mapping[str, Any]] = None, distances: bool = True, ids: Any = None,
               **arguments: Any) -> Any:
    """What each seed's region amounts to: cells, area, distances, centroid, and sums of rasters of counts.

    Parameters
    ----------
    ARGUMENTS
    sums : mapping of str to array_like of the grid's shape, optional
        Counts a cell (people, say); NaN counts as 0.
    distances : bool
        Whether to compute the columns of distances, which takes longer.
    ids : array_like or str, optional
        A column `id`.

    Returns
    -------
    pandas.DataFrame
        A row a seed, with the seeds' index, and the columns of the command's ``--stats``: `cells`, `area_km2` (`area` without a
        unit), `distance_mean`, `distance_max`, `centroid_x`, `centroid_y`, and for each of `sums` `NAME_sum` and
        `NAME_distance_mean`. Of seeds at one place the first has the cells. With `k` it is about the nearest seed. Sums
        have the same bits whatever the threads.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.statistics(([0.0, 90.0], [0.0, 0.0]), shape=(18, 36))["cells"].tolist()
    [342, 306]
    """
    import pandas

    question = Question(seeds, **arguments)
    if question.cells is not None:
        raise TypeError("seeds: cells of a raster as seeds have no statistics in this version; the command's --stats has them")
    if question.grid.chunks is not None and hasattr(question.mask, "dask"):
        question.mask = question.mask.compute()
    plan, mask = question.plan, question.mask
    plan.block = (1, _field._MESH_BLOCK) if question.grid.mesh else (_field._BLOCK, _field._BLOCK)
    names = list(sums or {})
    quantities = [_quantity(plain_array((sums or {})[name], f"sums[{name!r}]"), name, question) for name in names]
    field = _field.Field(plan, question.workers)
    table = _Table(field, quantities, distances)

    def work(used: Context, where: tuple[int, int, _field.Window]) -> None:
        column, row, full = where
        answers = _field.Answers.empty(plan.k, full, _field.Names(), np.float64 if distances else None, False)
        field.one(used, full, where, answers, mask=plan.window.cut(mask, full))
        table.add(used, column, row, full, answers)

    field.each(plan.window, work, question.workers, question.progress)
    seeds = question.seeds
    index = None if seeds.frame is None else seeds.frame.index
    if seeds.rows is not None:
        index = seeds.rows if index is None else index[seeds.rows]
    return pandas.DataFrame(_columns(question, table, names, distances, ids), index=index)


def _quantity(values: npt.NDArray[Any], name: str, question: Question) -> npt.NDArray[np.float64]:
    if values.shape != question.grid.shape:
        raise ValueError(f"sums[{name!r}] must have the grid's shape {question.grid.shape}, not {values.shape}")
    made = np.array(values, dtype=np.float64, order="C").reshape(question.grid.rows, question.grid.columns)
    made[np.isnan(made)] = 0.0
    if np.isinf(made).any():
        raise ValueError(f"sums[{name!r}] has infinite values")
    return made


class _Table:
    """A ``gv_statistics``, and what is laid into it."""

    def __init__(self, field: _field.Field, quantities: list[npt.NDArray[np.float64]], distances: bool) -> None:
        c = library()
        self.field, self.quantities = field, quantities
        bounds = np.array([max(float(np.abs(q).max()), 1e-300) for q in quantities])
        options = _c.StatisticsOptions(distances=int(distances), sums=len(quantities), bound=bounds.ctypes.data)
        made, used = c_void_p(), context()
        used.call(c.gv_statistics_create, field.handle.address, byref(options), byref(made), argument="sums")
        self.handle = Handle(made.value, c.gv_statistics_destroy, used)

    def __reduce__(self) -> NoReturn:
        self.handle.__reduce__()

    def add(self, used: Context, column: int, row: int, full: _field.Window, answers: _field.Answers) -> None:
        rows, columns = full.shape
        assert answers.numbers is not None
        inside = [self.field.plan.window.of(quantity, full) for quantity in self.quantities]
        parts = (_c.Quantity * max(len(inside), 1))(*[_c.Quantity(value=part.ctypes.data, stride=part.strides[0] // 8) for part in inside])
        block = _c.StatisticsCells(
            column=full.column0, row=full.row0, columns=columns, rows=rows, seed=answers.numbers.ctypes.data, stride=columns,
            distance=None if answers.distance is None else answers.distance.ctypes.data, distance_stride=columns,
            quantity=ctypes.addressof(parts) if self.quantities else None)
        used.call(library().gv_statistics_add, self.handle.address, byref(block), argument="sums")

    def rows(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Of each seed the numbers, and of each seed and quantity the sum and the mean distance."""
        count = self.field.plan.x.size
        kind = np.dtype([(name, "f8" if field is ctypes.c_double else "i8") for name, field in _c.SeedStatistics._fields_])
        found, sums = np.zeros(count, dtype=kind), np.empty((count, len(self.quantities), 2))
        found["struct_size"] = kind.itemsize
        get, get_sum, used = library().gv_statistics_get, library().gv_statistics_get_sum, context()
        first, of_sum = found.ctypes.data, sums.ctypes.data
        for seed in range(count):
            used.call(get, self.handle.address, seed, first + kind.itemsize * seed)
            for i in range(len(self.quantities)):
                at = of_sum + 16 * (seed * len(self.quantities) + i)
                used.call(get_sum, self.handle.address, seed, i, at, at + 8)
        return found, sums


def _columns(question: Question, table: _Table, names: list[str], distances: bool, ids: Any) -> dict[str, Any]:
    found, sums = table.rows()
    plane = table.field.plan.kind in (_c.GRID_PLANE, _c.GRID_PROJECTED)
    crs = question.grid.crs
    unit = None if crs is None else _crs.linear_unit(crs)
    scale, area = (1e-6, "area_km2") if not plane else (1.0, "area") if unit is None else (unit**2 * 1e-6, "area_km2")
    made: dict[str, Any] = {} if ids is None else {"id": _seeds.column(ids, question.seeds, "ids")}
    made["cells"], made[area] = found["cells"], found["area"] * scale
    for name in ("distance_mean", "distance_max") if distances else ():
        made[name] = found[name]
    made["centroid_x"], made["centroid_y"] = found["centroid_x"], found["centroid_y"]
    for i, name in enumerate(names):
        made[f"{name}_sum"] = sums[:, i, 0]
        if distances:
            made[f"{name}_distance_mean"] = sums[:, i, 1]
    return made


def sjoin_nearest(left_df: Any, right_df: Any, how: str = "inner", max_distance: Optional[float] = None,
                  lsuffix: str = "left", rsuffix: str = "right", distance_col: Optional[str] = None, *, k: int = 1,
                  metric: Optional[str] = None, workers: int = -1, progress: Progress = None) -> Any:
    """The `k` nearest rows of another table of points: :func:`geopandas.sjoin_nearest` in true metres.

    Parameters
    ----------
    left_df, right_df : GeoDataFrame
        Points, in one coordinate system. In a geographic one distances are geodesics on its ellipsoid, right across
        the antimeridian and at the poles; on a map they are straight lines.
    how : {"inner", "left", "right"}
        "inner": the rows of `left_df` that have a neighbour; "left": all of them; "right": all rows of `right_df`, each
        with its nearest rows of `left_df`.
    max_distance : float, optional
        Rows farther away are no neighbours; inclusive; metres, or the map's unit.
    lsuffix, rsuffix : str
        For columns that both tables have, and for the column of the other table's index, `index_right` (`index_left`).
    distance_col : str, optional
        The name of a column for distances.
    k : int
        How many neighbours, nearest first.
    metric : {"geodesic", "great-circle", "euclidean", "manhattan", "chebyshev"}, optional
        By default geodesic in geographic systems, euclidean on maps and without a system.
    workers, progress
        As of :meth:`KDTree.query`.

    Returns
    -------
    GeoDataFrame

    Notes
    -----
    Rows without a geometry, with an empty one or with coordinates that are not finite have no neighbour and are none.
    Of rows at the same distance GeoPandas returns all; here the first `k` of the other table's order are returned.
    """
    for frame, name in ((left_df, "left_df"), (right_df, "right_df")):
        if not hasattr(frame, "geometry") or not hasattr(frame, "columns"):
            raise TypeError(f"{name} must be a GeoDataFrame, not {type(frame).__name__}")
    if how not in ("inner", "left", "right"):
        raise ValueError(f"how must be inner, left or right, not {how!r}")
    count = number_in(k, "k", 1, _c.SEARCH_MAX_K)
    limit = math.inf if max_distance is None else real(max_distance, "max_distance", 0.0)
    left, right = _seeds.usable(left_df, "left_df"), _seeds.usable(right_df, "right_df")
    if (left.crs is None) != (right.crs is None) or (left.crs is not None and not _crs.same(left.crs, right.crs)):
        said = ["no coordinate system" if s.crs is None else _crs.name(s.crs) for s in (left, right)]
        raise ValueError(f"right_df is in {said[1]}, left_df in {said[0]}: use to_crs() to bring them together")
    asking, asked = (right, left) if how == "right" else (left, right)
    distance = np.full((asking.total, count), math.inf)
    index = np.full((asking.total, count), asked.total)
    if asking.rows is not None and asked.rows is not None and asking.x.size and asked.x.size:
        distance[asking.rows], near = _nearest(asking, asked, count, limit, metric, workers, progress)
        index[asking.rows] = np.append(asked.rows, asked.total)[near]
    return _joined(asking.frame, asked.frame, distance, index, how, (lsuffix, rsuffix), distance_col)


def _nearest(asking: _seeds.Seeds, asked: _seeds.Seeds, k: int, limit: float, metric: Optional[str], workers: int,
             progress: Progress) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    geographic = asking.crs is not None and asking.crs.is_geographic
    meant = metric if metric is not None else "geodesic" if geographic else "euclidean"
    if meant not in _c.METRICS:
        raise ValueError(f"metric must be one of {', '.join(_c.METRICS)}, not {metric!r}")
    if (meant in _c.GLOBE_METRICS) != geographic:
        where = "no coordinate system" if asking.crs is None else _crs.name(asking.crs)
        raise ValueError(f"metric: {meant} makes no sense in {where}; use to_crs() first")
    if geographic:
        _crs.base(asking.crs, "left_df")
        tree = GlobeTree(asked.x, asked.y, meant, _crs.ellipsoid(asking.crs))
        d, i = tree.query(asking.x, asking.y, range(1, k + 1), limit, workers, progress=progress)
        return d, i
    bound = math.inf if math.isinf(limit) else float(np.nextafter(limit, math.inf))  # scipy's bound is strict
    d, i = KDTree(np.column_stack([asked.x, asked.y]), meant).query(
        np.column_stack([asking.x, asking.y]), range(1, k + 1), distance_upper_bound=bound, workers=workers, progress=progress)
    return d, i


def _joined(asking: Any, asked: Any, distance: npt.NDArray[np.float64], index: npt.NDArray[np.intp], how: str,
            suffixes: tuple[str, str], distance_col: Optional[str]) -> Any:
    """The rows of `asking`, each as often as it has neighbours, beside those of `asked`."""
    found = index < len(asked)
    if how != "inner":
        found[:, 0] = True  # rows without a neighbour stay, with nothing beside them
    rows = np.nonzero(found)[0]
    other = np.where(index[found] < len(asked), index[found], -1)
    own, foreign = suffixes if how != "right" else suffixes[::-1]
    # take() by pandas' own rule for -1: a row of missing values.
    beside = asked.drop(columns=asked.geometry.name)
    beside.insert(0, f"index_{foreign}", asked.index)
    places = beside.reset_index(drop=True).reindex(np.where(other < 0, len(asked), other))
    made = asking.iloc[rows]
    clash = [name for name in made.columns if name in places.columns and name != made.geometry.name]
    made = made.rename(columns={name: f"{name}_{own}" for name in clash})
    places = places.rename(columns={name: f"{name}_{foreign}" for name in clash}).set_axis(made.index, axis=0)
    for name in places.columns:
        if name in made.columns:
            raise ValueError(f"left_df, right_df: both would have a column {name!r}; rename it first")
        made[name] = places[name]
    if how == "right":
        made = made[[*places.columns, *made.columns[:-len(places.columns)]]]
    if distance_col is not None:
        made[distance_col] = np.where(other < 0, np.nan, distance[found])
    return made
