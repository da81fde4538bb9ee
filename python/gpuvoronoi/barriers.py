"""The shortest ways round barriers from points, as lines (``include/gpuvoronoi/barriers.h``)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

from . import _barriers, _seeds, _ways
from ._options import Edges, Metric
from .rasters import RasterRequest

if TYPE_CHECKING:
    import geopandas


def barrier_ways(
    seeds: Any,
    points: Any,
    barriers: Any,
    *,
    metric: Optional[Metric] = None,
    max_distance: float = math.inf,
    edges: Edges = "straight",
    seeds_crs: Any = None,
    skip_invalid: bool = False,
    workers: int = -1,
) -> geopandas.GeoDataFrame:
    """The shortest ways round barriers from points to their nearest seeds, as lines.

    It needs geopandas.

    Parameters
    ----------
    seeds, seeds_crs, skip_invalid, workers
        As for `allocation`; points.
    points : GeoDataFrame, GeoSeries, tuple of two arrays (x, y), list of pairs or array (n, 2)
        Where ways begin. Without a coordinate system they are in that of the seeds.
    barriers : GeoDataFrame or GeoSeries
        Lines, which ways do not cross, and polygons, which they do not enter.
    metric : {"geodesic", "great-circle", "euclidean"}, optional
        By default geodesic for longitudes and latitudes, euclidean on maps; required without a
        coordinate system.
    max_distance : float
        Points with a longer way have none.
    edges : {"straight", "geodesic"}
        Those of barriers on the globe.

    Returns
    -------
    GeoDataFrame
        The rows and columns of the points (`seed_NAME` if this function has a column of that name)
        with lines as geometry, in the coordinate system of the seeds, and `seed` (as in
        `allocation`) and `length` (meters, on a map its unit). Points within polygons and those
        that no way reaches have a row without line and values. Lines across 180 degrees are cut
        there.

    Examples
    --------
    >>> import geopandas, gpuvoronoi
    >>> river = geopandas.GeoSeries.from_wkt(["LINESTRING (10 -9, 10 30)"])
    >>> ways = gpuvoronoi.barrier_ways(([5.0], [5.0]), ([15.0], [25.0]), river, metric="euclidean")
    >>> [(float(x), float(y)) for x, y in ways.geometry[0].coords]
    [(15.0, 25.0), (10.0, 30.0), (5.0, 5.0)]
    """
    request = RasterRequest(
        seeds,
        shape=(1, 1),
        extent=(0.0, 0.0, 1.0, 1.0),
        metric=metric,
        max_distance=max_distance,
        edges=edges,
        seeds_crs=seeds_crs,
        skip_invalid=skip_invalid,
        workers=workers,
        barriers=barriers,
    )
    read = _seeds.usable(points, "points")
    placed, x, y = _seeds.placed(request.grid, read, request.metric)
    assert placed.rows is not None
    solved = _barriers.Solved(request, request.barriers, False)
    names = request.names(None)
    return _ways.table(
        read,
        placed.rows,
        (solved.way(*place) for place in zip(x.tolist(), y.tolist())),
        lambda numbers: _barriers.named(numbers, names),
        ("length",),
        request.grid,
        request.metric,
    )
