"""Tables: what each seed's region amounts to."""

from __future__ import annotations

import ctypes
import math
import warnings
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _device_rasters, _field, _places, _seeds
from ._packages import package
from ._library import Context, Handle, context, library
from ._search import plain_array
from .rasters import RasterRequest, _documented

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._options import RasterOptions


_CELLS, _AREA, _MEAN, _LARGEST, _X, _Y = _c.STATISTICS_COLUMNS[1:]  # the first is of groups
_COLUMNS = ("id", "area", *_c.STATISTICS_COLUMNS[1:])


@_documented
def statistics(
    seeds: Any,
    *,
    sums: Optional[Mapping[str, Any]] = None,
    distances: bool = True,
    ids: Any = None,
    keep: Any = None,
    **arguments: Unpack[RasterOptions],
) -> pandas.DataFrame:
    """What each seed's region amounts to: cells, area, distances, centroid, and sums of rasters of
    counts.

    Parameters
    ----------
    ARGUMENTS
    sums : mapping of str to array_like of the grid's shape, optional
        Counts per cell, e.g. people; NaN counts as 0.
    distances : bool
        Whether to compute the columns of distances, which takes longer.
    ids : array_like or str, optional
        A column `id`: numbers or text, one a seed, or the name of a column of the seeds' table.
    keep : str, sequence of str or True, optional
        Columns of the seeds' table that come first; True for all but the geometry.

    Returns
    -------
    pandas.DataFrame
        A row a seed, with the seeds' index, and the columns of the command's ``--stats``: `cells`,
        `area_km2` (`area` without a unit; none for places), `distance_mean`, `distance_max`,
        `centroid_x`, `centroid_y`, and for each of `sums` `NAME_sum` and `NAME_distance_mean`. Of
        seeds at one place the first has the cells. With `k` it is about the nearest seed. Sums have
        the same bits whatever the threads.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.statistics(([0.0, 90.0], [0.0, 0.0]), shape=(18, 36))["cells"].tolist()
    [342, 306]
    """
    pandas = package("pandas", "statistics")

    request = RasterRequest(seeds, **arguments)
    kept = _kept(keep, request.seeds)
    if request.cells is not None and request.k > 1:
        raise ValueError("k: tables of raster cells have the nearest only; leave k out")
    if request.cells is not None:
        return _of_values(request, sums or {}, distances, ids)
    if request.grid.chunks is not None and hasattr(request.mask, "dask"):
        request.mask = request.mask.compute()
    plan, mask = request.plan, request.mask
    if plan.cells is not None:
        plan.cells = _places.with_areas(plan.cells, plan.ellipsoid)
    plan.block = (1, _field._MESH_BLOCK) if request.grid.mesh else (_field._BLOCK, _field._BLOCK)
    names = list(sums or {})
    on_gpu = request.cupy is not None and _device_rasters.measures(plan)
    quantities = [_quantity((sums or {})[name], name, request, on_gpu) for name in names]
    field = _field.Field(plan, request.workers)
    table = _Table(field, quantities, distances)
    if request.cupy is not None and not on_gpu:
        mask = _device_rasters.copied(request.cupy, mask)

    def work(used: Context, where: tuple[int, int, _field.Window]) -> None:
        column, row, full = where
        results = _field.Results.empty(
            plan.k, full, _field.Names(), np.float64 if distances else None, False
        )
        field.one(used, full, where, results, mask=plan.window.cut(mask, full))
        table.add(used, column, row, full, results)

    if request.barriers is not None:
        numbers, lengths, _ = request.compute(
            _field.Names(), distance=np.float64 if distances else None
        )
        table.add(context(), 0, 0, plan.window, _field.Results(numbers, lengths, None))
    elif on_gpu:
        _device_rasters.add(request, field, table.handle.address, quantities)
    else:
        field.each(plan.window, work, request.workers, request.progress)
    seeds = request.seeds
    index = None if seeds.frame is None else seeds.frame.index
    if seeds.rows is not None:
        index = seeds.rows if index is None else index[seeds.rows]
    return pandas.DataFrame(
        {**kept, **_columns(request, table, names, distances, ids)}, index=index
    )


def _of_values(request: RasterRequest, sums: Mapping[str, Any], distances: bool, ids: Any) -> Any:
    """Of cells of a raster as seeds: a row for each of their values."""
    pandas = package("pandas", "statistics")

    if request.cupy is not None:
        raise TypeError("seeds: cells of a raster on a GPU have no statistics; give NumPy arrays")
    if ids is not None:
        raise ValueError("ids: cells of a raster as seeds have their values")
    cells, window = request.cells, request.plan.window
    assert cells is not None
    if request.nothing:
        return pandas.DataFrame({"value": np.empty(0, np.int64)})
    field = _field.Field(request.plan, request.workers)
    quantities = [_quantity(sums[name], name, request, False) for name in sums]
    table = _Table(field, quantities, distances, cells.group, cells.value.size)
    # Cells that are seeds themselves have the first seed of their value.
    first = np.full(cells.value.size, -1, np.int64)
    first[cells.group[::-1]] = np.arange(cells.group.size)[::-1]
    names, own = _field.Names(np.int32, -1, first, cells.group), cells.groups if cells.own else None

    def work(used: Context, where: tuple[int, int, _field.Window]) -> None:
        column, row, full = where
        results = _field.Results.empty(1, full, names, np.float64 if distances else None, False)
        field.one(used, full, where, results, names, window.cut(request.mask, full), own)
        table.add(used, column, row, full, results)

    field.each(window, work, request.workers, request.progress)
    return pandas.DataFrame(
        {"value": cells.value, **_columns(request, table, list(sums), distances, None)}
    )


def _kept(keep: Any, seeds: _seeds.Seeds) -> dict[str, Any]:
    """Columns of the seeds' table, by name."""
    if keep is None or keep is False:
        return {}
    columns = list(getattr(seeds.frame, "columns", ()))
    if not columns:
        raise ValueError("keep: the seeds have no columns; give a GeoDataFrame")
    geometry = seeds.frame.geometry.name
    names = (
        [name for name in columns if name != geometry]
        if keep is True
        else [keep]
        if isinstance(keep, str)
        else list(keep)
    )
    for name in names:
        if name not in columns or name == geometry:
            raise ValueError(f"keep: the seeds have no column {name!r}")
        if name in _COLUMNS:
            raise ValueError(
                f"keep: the table has a column {name!r} of its own; rename that of the seeds"
            )
    return {
        name: seeds.frame[name].array if seeds.rows is None else seeds.frame[name].array[seeds.rows]
        for name in names
    }


def _quantity(given: Any, name: str, request: RasterRequest, on_gpu: bool) -> Any:
    """Numbers of the grid's shape, on the GPU where its cells are; NaN as 0."""
    cupy = request.cupy
    if cupy is not None and _device_rasters.module_of(given) is not None:
        values = given.data if hasattr(given, "dims") else given
        values = values.compute() if hasattr(values, "dask") else values
        values = values if on_gpu else _device_rasters.copied(cupy, values)
    else:
        values = plain_array(given, f"sums[{name!r}]")
    if values.shape != request.grid.shape:
        raise ValueError(
            f"sums[{name!r}] must have the grid's shape {request.grid.shape}, not {values.shape}"
        )
    of = cupy if on_gpu else np
    made = of.array(values, dtype=np.float64, order="C").reshape(
        request.grid.rows, request.grid.columns
    )
    made[np.isnan(made)] = 0.0
    negative = int((made < 0.0).sum())
    if negative:
        warnings.warn(
            f"sums[{name!r}]: {negative} cells with negative values", UserWarning, stacklevel=4
        )
    if bool(np.isinf(made).any()):
        raise ValueError(f"sums[{name!r}] has infinite values")
    return made


def _power_above(size: float) -> float:
    """The least power of two that is not less, as the command's bounds, so that sums of whole
    numbers are whole."""
    fraction, exponent = math.frexp(size)
    if size == 0.0:
        return 1.0
    return size if fraction == 0.5 or exponent > 1023 else math.ldexp(1.0, exponent)


class _Table:
    """A ``gv_statistics``, of seeds or, if these have groups (numbers below `groups`), of the
    groups; and what is added to it."""

    def __init__(
        self,
        field: _field.Field,
        quantities: list[npt.NDArray[np.float64]],
        distances: bool,
        group: Optional[npt.NDArray[np.int32]] = None,
        groups: int = 0,
    ) -> None:
        c = library()
        self.field, self.quantities, self.count = (
            field,
            quantities,
            field.plan.x.size if group is None else groups,
        )
        bounds = np.array([_power_above(float(np.abs(q).max())) for q in quantities])
        options = _c.StatisticsOptions(
            distances=int(distances),
            sums=len(quantities),
            bound=bounds.ctypes.data,
            group=None if group is None else group.ctypes.data,
            groups=groups,
        )
        made, used = c_void_p(), context()
        used.call(
            c.gv_statistics_create,
            field.handle.address,
            byref(options),
            byref(made),
            argument="sums",
        )
        self.handle = Handle(made.value, c.gv_statistics_destroy, used)

    def __reduce__(self) -> NoReturn:
        self.handle.__reduce__()

    def add(
        self, used: Context, column: int, row: int, full: _field.Window, results: _field.Results
    ) -> None:
        rows, columns = full.shape
        assert results.numbers is not None
        inside = [self.field.plan.window.of(quantity, full) for quantity in self.quantities]
        parts = (_c.Quantity * max(len(inside), 1))(
            *[_c.Quantity(value=part.ctypes.data, stride=part.strides[0] // 8) for part in inside]
        )
        block = _c.StatisticsCells(
            column=full.column0,
            row=full.row0,
            columns=columns,
            rows=rows,
            seed=results.numbers.ctypes.data,
            stride=columns,
            distance=None if results.distance is None else results.distance.ctypes.data,
            distance_stride=columns,
            quantity=ctypes.addressof(parts) if self.quantities else None,
        )
        used.call(library().gv_statistics_add, self.handle.address, byref(block), argument="sums")

    def rows(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Of each seed the numbers, and of each seed and quantity the sum and the mean distance."""
        count = self.count
        kind = np.dtype(
            [
                (name, "f8" if field is ctypes.c_double else "i8")
                for name, field in _c.SeedStatistics._fields_
            ]
        )
        found, sums = np.zeros(count, dtype=kind), np.empty((count, len(self.quantities), 2))
        found["struct_size"] = kind.itemsize
        used, one = context(), np.empty((2, count))
        used.call(
            library().gv_statistics_get_range, self.handle.address, 0, count, found.ctypes.data
        )
        for i in range(len(self.quantities)):
            used.call(
                library().gv_statistics_get_sum_range,
                self.handle.address,
                0,
                count,
                i,
                one[0].ctypes.data,
                one[1].ctypes.data,
            )
            sums[:, i] = one.T
        return found, sums


def _columns(
    request: RasterRequest, table: _Table, names: list[str], distances: bool, ids: Any
) -> dict[str, Any]:
    found, sums = table.rows()
    plane = table.field.plan.kind in (_c.GRID_PLANE, _c.GRID_PROJECTED)
    crs = request.grid.crs
    unit = None if crs is None else _crs.linear_unit(crs)
    scale, area = (
        (1e-6, _AREA) if not plane else (1.0, "area") if unit is None else (unit**2 * 1e-6, _AREA)
    )
    made: dict[str, Any] = (
        {} if ids is None else {"id": _seeds.column(ids, request.seeds, "ids", text=True)}
    )
    made[_CELLS] = found["cells"]
    cells = table.field.plan.cells
    if cells is None or cells.kind != _c.GRID_POINTS or cells.area is not None:
        made[area] = found["area"] * scale
    if distances:
        made[_MEAN], made[_LARGEST] = found["distance_mean"], found["distance_max"]
    degrees = 1.0 if crs is None or plane else _crs.unit_degrees(crs)
    made[_X], made[_Y] = found["centroid_x"] / degrees, found["centroid_y"] / degrees
    for i, name in enumerate(names):
        made[f"{name}_sum"] = sums[:, i, 0]
        if distances:
            made[f"{name}_distance_mean"] = sums[:, i, 1]
    return made
