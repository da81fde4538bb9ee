"""Voronoi diagrams as tables of polygons."""

from __future__ import annotations

import ctypes
import math
import struct
import warnings
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _crs, _diagram, _diagram_mask, _seeds
from ._packages import package
from ._library import Progress, ProgressFunction, library, worker_threads
from ._search import real

if TYPE_CHECKING:
    import geopandas


def diagram(
    seeds: Any,
    *,
    metric: Optional[str] = None,
    seeds_crs: Any = None,
    extent: Any = None,
    mask: Any = None,
    tolerance: float = 1.0,
    cut: bool = True,
    group: Optional[str] = None,
    radius: Optional[float] = None,
    skip_invalid: bool = False,
    workers: int = -1,
    progress: Optional[ProgressFunction] = None,
) -> geopandas.GeoDataFrame:
    """The Voronoi diagram of points as polygons: exact on the ellipsoid, the sphere and the plane.

    Parameters
    ----------
    seeds : GeoDataFrame, GeoSeries, tuple of two arrays (x, y), list of pairs or array (n, 2)
        Without a coordinate system they are longitudes and latitudes, unless `metric` is
        "euclidean". Each point of a MultiPoint is a seed with a row of its own, as
        `GeoDataFrame.explode` makes them.
    metric : {"geodesic", "great-circle", "euclidean"}, optional
        By default that of `default_metric`: geodesic for longitudes and latitudes and on projected
        CRSs of the whole world, euclidean on other maps. On the globe, polygons of seeds on a map
        have the longitudes and latitudes that it is based on.
    seeds_crs : Any, optional
        The seeds' coordinate system, if they have none.
    extent : (xmin, ymin, xmax, ymax), optional
        Of the plane: cells are cut there (default: a tenth of the longer side around the seeds).
    mask : GeoDataFrame, GeoSeries, geometry, well-known binary or a list of these, optional
        Polygons (of shapely, GeoJSON or with ``__geo_interface__``) in the coordinates of the
        result: cells are cut there, by shapely, with the rules of the command's ``--mask``.
        Longitudes may exceed 180; invalid polygons follow the even-odd rule. A mask with another
        coordinate system is refused. Areas are those of what is left, of lines that are straight in
        the result's coordinates; `neighbours` are those of the whole cells, and cells outside are
        empty.
    tolerance : float
        On the globe: how far in meters polygons may be from the true borders.
    cut : bool
        On the globe: whether polygons are cut at 180 degrees and closed along the poles. With
        `mask` they always are.
    group : str, optional
        Column of the seeds: those with the same value have one polygon. The result has a row for
        each value, which is its index, in the order of the first seeds, with the columns of the
        first seed and `seeds`, the number of seeds.
    radius : float, optional
        With "great-circle": areas are those of a sphere of this radius, not of the ellipsoid, in
        its unit, in a column `area`; 1 for steradians. `tolerance` is that of a sphere as large as
        the Earth.
    skip_invalid : bool
        Whether rows without usable coordinates are left out instead of raising.
    workers, progress
        As of `KDTree.query`.

    Returns
    -------
    GeoDataFrame
        The seeds' rows and columns (`seed_NAME` if this function has a column of that name) with
        polygons as geometry, and `area_km2` (`area` without a unit of length), `neighbours` (tuples
        of the index's labels), `others` (labels of seeds at the same place, which have an empty
        polygon).

    Examples
    --------
    >>> import gpuvoronoi
    >>> cells = gpuvoronoi.diagram(([0.0, 120.0, -120.0], [0.0, 0.0, 0.0]))
    >>> cells["neighbours"].tolist()
    [(1, 2), (0, 2), (0, 1)]
    """
    geopandas = package("geopandas", "diagram")

    read = _seeds.read(_of_points(seeds), seeds_crs, skip_invalid)
    if read.x.size == 0:
        raise ValueError("seeds: there are none")
    owners = None if group is None else _owners(read, group)
    meant = _metric_of(metric, read)
    globe = meant in _c.GLOBE_METRICS
    if radius is not None and meant != "great-circle":
        raise ValueError(f"radius: unsupported with metric {meant}; it is that of a sphere")
    if globe:
        read = _seeds.on_globe(read, "seeds")
    if group is not None and globe and not cut and mask is None:
        raise ValueError("group: polygons that are not cut cannot be united; use cut=True")
    options = _options(meant, read, extent, tolerance, radius)
    crs = _crs.parse("OGC:CRS84", "mask") if read.crs is None and globe else read.crs
    window = None if mask is None else _diagram_mask.read(mask, crs, globe)
    made, unverified = _make(
        read, options, cut or window is not None, worker_threads(workers), progress
    )
    if unverified:
        warnings.warn(
            f"{unverified} corners or borders of cells are not verified; they are near the "
            "antipodes of the seeds, with errors of up to 250 km",
            UserWarning,
            stacklevel=2,
        )
    unit = _crs.unit_degrees(crs) if globe else 1.0
    made["x"], made["y"] = made["x"] / unit, made["y"] / unit
    table = _table(read, made["area"].size)
    name, scale = _area_column(read, globe, radius)
    polygons = _polygons(made)
    near, others = _numbers(made)
    own: dict[str, Any] = {name: made["area"] * scale}
    if owners is not None:
        table, polygons, own, near, others = _dissolved(
            table, group, owners, polygons, own, near, others
        )
    if window is not None:
        ellipsoid = (options.semi_major, options.flattening) if globe else None
        polygons, area = _diagram_mask.cut(polygons, window, ellipsoid, unit)
        own[name] = area * scale
    labels = list(table.index)
    own["neighbours"], own["others"] = (
        [tuple(labels[i] for i in some) for some in lists] for lists in (near, others)
    )
    table = table.rename(columns=_free_names(table.columns, own))
    for name, column in own.items():
        table[name] = column
    return geopandas.GeoDataFrame(table, geometry=polygons, crs=crs)


def _options(
    metric: str, seeds: _seeds.Seeds, extent: Any, tolerance: float, radius: Optional[float]
) -> _c.DiagramOptions:
    options = _c.DiagramOptions(
        metric=_c.METRICS.index(metric), tolerance=real(tolerance, "tolerance")
    )
    globe = metric in _c.GLOBE_METRICS
    if radius is not None:
        options.semi_major, options.flattening = _diagram.SPHERE, 0.0
    elif globe:
        crs = seeds.crs if seeds.crs is not None else _crs.parse("OGC:CRS84", "seeds")
        options.semi_major, options.flattening = _crs.ellipsoid(crs)
    if extent is not None:
        if globe:
            raise ValueError("extent: unsupported on the globe; use mask=shapely.box(*extent)")
        values = [real(value, "extent", -math.inf) for value in extent]
        if len(values) != 4:
            raise ValueError("extent must be (xmin, ymin, xmax, ymax)")
        options.extent = (ctypes.c_double * 4)(*values)
    return options


def _area_column(seeds: _seeds.Seeds, globe: bool, radius: Optional[float]) -> tuple[str, float]:
    """The name of the column of areas, and its unit: how much of it the library's is."""
    if radius is not None:
        return "area", (real(radius, "radius", 0.0) / _diagram.SPHERE) ** 2
    if globe:
        return "area_km2", 1e-6
    meter = None if seeds.crs is None else _crs.linear_unit(seeds.crs)
    return ("area_km2", 1e-6 * meter**2) if meter else ("area", 1.0)


def _of_points(seeds: Any) -> Any:
    """GeoPandas' multipoints as points; lines and polygons are refused."""
    kinds = getattr(seeds, "geom_type", None)
    if kinds is None:
        return seeds
    kinds = np.asarray(kinds, dtype=object)
    known = (None, "Point", "MultiPoint")
    others = [row for row, kind in enumerate(kinds) if kind not in known and kind == kind]
    if others:
        raise ValueError(
            f"seeds: row {others[0]} is a {kinds[others[0]]}; lines and polygons are unsupported "
            "as seeds of a diagram; use those of a raster, allocation()"
        )
    return seeds.explode(index_parts=False) if (kinds == "MultiPoint").any() else seeds


def _metric_of(metric: Optional[str], seeds: _seeds.Seeds) -> str:
    default = "geodesic" if seeds.crs is None else _crs.default_metric(seeds.crs)[0]
    meant = metric if metric is not None else default
    if meant not in _c.METRICS:
        raise ValueError(f"metric must be one of {', '.join(_c.METRICS)}, not {metric!r}")
    if meant not in _c.GLOBE_METRICS and seeds.crs is not None and seeds.crs.is_geographic:
        raise ValueError(
            f"metric: {meant} is not supported for {_crs.name(seeds.crs)}, where degrees are not "
            "lengths; use to_crs() first"
        )
    if meant in _c.GLOBE_METRICS and default == "euclidean":
        raise ValueError(
            f"metric: {meant} is not supported for {_crs.name(seeds.crs)}; use to_crs() first"
        )
    return meant


def _make(
    seeds: _seeds.Seeds, options: _c.DiagramOptions, cut: bool, threads: int, progress: Progress
) -> tuple[dict[str, npt.NDArray[Any]], int]:
    """The arrays of a diagram and of its polygons, and how many corners and borders are not
    verified."""
    polygons, rings = c_void_p(), _c.DiagramRings()
    copied, integer, number = _diagram.copied, ctypes.c_int64, ctypes.c_double
    with _diagram.made(seeds.x, seeds.y, options, threads, progress) as (parts, step):
        arrays: dict[str, npt.NDArray[Any]] = {"area": _diagram.areas(parts, step)}
        try:
            used = step(0.9, 1.0, library().gv_diagram_polygons_create, int(cut), byref(polygons))
            used.call(library().gv_diagram_polygons_get, polygons, byref(rings))
            arrays.update(
                _diagram.cells(parts),
                polygon=copied(rings.polygon, integer, parts.seed_count + 1),
                point=copied(rings.point, integer, rings.polygon_count + 1),
                x=copied(rings.x, number, rings.point_count),
                y=copied(rings.y, number, rings.point_count),
            )
        finally:
            library().gv_diagram_polygons_destroy(polygons)
        return arrays, parts.unverified


def _table(seeds: _seeds.Seeds, count: int) -> Any:
    """The rows and columns of `count` seeds, without geometries."""
    import pandas

    frame = seeds.frame
    if frame is None:
        return pandas.DataFrame(index=pandas.RangeIndex(count))
    if not hasattr(frame, "columns"):  # a GeoSeries
        table = pandas.DataFrame(index=frame.index)
    else:
        table = pandas.DataFrame(frame.drop(columns=frame.geometry.name))
    return table if seeds.rows is None else table.iloc[seeds.rows]


def _free_names(columns: Any, own: Any) -> dict[Any, str]:
    """New names of columns that have a taken name, in their order, as the command makes them
    (gv_field_name)."""
    taken, names = {name.lower() for name in [*own, "geometry"]}, {}
    for column in dict.fromkeys(one for one in columns if isinstance(one, str)):
        name = "seed_" + column if column.lower() in taken else column
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        if name != column:
            names[column] = name
    return names


def _numbers(made: dict[str, npt.NDArray[Any]]) -> tuple[list[list[int]], list[list[int]]]:
    """Of each seed the numbers of its neighbors and of other seeds at its place."""
    ring, cell, owner = made["ring"], made["cell"], made["owner"]
    edge = np.where(ring < 0, -1 - ring, ring)
    beside = made["edge_seed"][edge, (ring >= 0).astype(np.intp)] if ring.size else ring
    neighbors = [
        [i for i in np.unique(beside[a:b]).tolist() if i >= 0] for a, b in zip(cell[:-1], cell[1:])
    ]
    others: list[list[int]] = [[] for _ in range(owner.size)]
    for i in np.flatnonzero(owner != np.arange(owner.size)).tolist():
        others[owner[i]].append(i)
    return neighbors, others


def _owners(seeds: _seeds.Seeds, group: str) -> npt.NDArray[Any]:
    """The group of each seed, numbered in the order of their first seeds."""
    import pandas

    if (
        seeds.frame is None
        or not hasattr(seeds.frame, "columns")
        or group not in seeds.frame.columns
    ):
        raise ValueError(f"group: unknown column ({group!r})")
    values = seeds.frame[group] if seeds.rows is None else seeds.frame[group].iloc[seeds.rows]
    codes = pandas.factorize(values)[0]
    if (codes < 0).any():
        raise ValueError(
            f"group: missing values in column {group!r}; fill them or leave out their rows"
        )
    return np.asarray(codes)


def _dissolved(
    table: Any,
    group: Any,
    owners: npt.NDArray[Any],
    polygons: Any,
    own: dict[str, Any],
    *lists: list[list[int]],
) -> tuple[Any, ...]:
    """A row for each group: its polygon, sums, and the groups that are in the lists of its
    seeds."""
    import geopandas
    from shapely.geometry import MultiPolygon
    from shapely.ops import unary_union

    order = np.argsort(owners, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(owners[order])) + 1)
    united = [unary_union([polygons[i] for i in some]) for some in members]
    shapes = [
        MultiPolygon([shape]) if shape.geom_type == "Polygon" and not shape.is_empty else shape
        for shape in united
    ]
    sums = {
        name: np.array([values[some].sum() for some in members]) for name, values in own.items()
    }
    listed = [
        [
            sorted({int(owners[j]) for i in some for j in each[i]} - {code})
            for code, some in enumerate(members)
        ]
        for each in lists
    ]
    rows = table.iloc[[some[0] for some in members]].set_index(group)
    return (
        rows,
        geopandas.GeoSeries(shapes).values,
        {"seeds": [len(some) for some in members], **sums},
        *listed,
    )


def _polygons(made: dict[str, npt.NDArray[Any]]) -> Any:
    """Multipolygons, some of them empty, by way of WKB, which every version of shapely reads."""
    import geopandas

    places = np.column_stack([made["x"], made["y"]]).astype("<f8")
    point, first = made["point"].tolist(), made["polygon"].tolist()
    shapes = []
    for begin, end in zip(first[:-1], first[1:]):
        pieces = [struct.pack("<BII", 1, 6, end - begin)]
        for i in range(begin, end):
            pieces += [
                struct.pack("<BIII", 1, 3, 1, point[i + 1] - point[i]),
                places[point[i] : point[i + 1]].tobytes(),
            ]
        shapes.append(b"".join(pieces))
    return geopandas.GeoSeries.from_wkb(shapes).values
