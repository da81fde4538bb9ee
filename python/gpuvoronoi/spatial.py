"""Voronoi diagrams with the attributes of scipy.spatial's objects."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c, _diagram
from ._library import worker_threads
from ._search import plain_array, real
from .trees import KDTree

_FAR = 1000.0  # times the extent of the points, as `gpuvoronoi diagram --delaunay` has it


class Voronoi:
    """The Voronoi diagram of points of the plane, with the attributes of ``scipy.spatial.Voronoi``.

    Parameters
    ----------
    points : array of shape (n, 2)
        Finite coordinates. Points closer to each other than 3e-8 of their extent count as one.
    furthest_site, incremental : bool
        scipy's; unsupported if True.
    qhull_options : str, optional
        scipy's; no effect.
    workers : int
        Threads; -1 for all CPUs.

    Attributes
    ----------
    points : array of shape (n, 2)
    vertices : array of shape (nvertices, 2)
        Corners of cells. Those beyond 1,000 times the extent of the points are left out: borders
        that end there are unbounded, and those that begin there are missing.
    ridge_points : integers of shape (nridges, 2)
        The points on both sides of each border.
    ridge_vertices : list of lists of two integers
        The ends of each border in `vertices`; -1, which is first, for one without end.
    regions : list of lists of integers
        The corners of each point's cell, counterclockwise; -1, once, where the cell is unbounded;
        nothing for a point at the place of one before it.
    point_region : integers of shape (n,)
        The region of each point: its own number, or that of the first point at its place.
    ridge_dict : dict
        From pairs of points to pairs of vertices.
    ndim, npoints, min_bound, max_bound, furthest_site
        As of scipy.

    Raises
    ------
    ValueError
        No points, other dimensions, coordinates that are not finite.

    Examples
    --------
    >>> import gpuvoronoi
    >>> diagram = gpuvoronoi.Voronoi([(0, 0), (4, 0), (0, 4), (4, 4), (2, 2)])
    >>> sorted(diagram.vertices.tolist())
    [[0.0, 2.0], [2.0, 0.0], [2.0, 4.0], [4.0, 2.0]]
    >>> len(diagram.regions[4]), diagram.point_region.tolist()
    (4, [0, 1, 2, 3, 4])
    """

    def __init__(
        self,
        points: Any,
        furthest_site: bool = False,
        incremental: bool = False,
        qhull_options: Optional[str] = None,
        *,
        workers: int = -1,
    ) -> None:
        for name, value in (("furthest_site", furthest_site), ("incremental", incremental)):
            if value:
                raise ValueError(f"{name}: unsupported (True); use scipy.spatial.Voronoi")
        self.points = _points(points, 2)
        self.npoints, self.ndim, self.furthest_site = len(self.points), 2, False
        self.min_bound, self.max_bound = self.points.min(axis=0), self.points.max(axis=0)
        options = _c.DiagramOptions(metric=_c.METRICS.index("euclidean"), tolerance=1.0)
        margin = _FAR * float((self.max_bound - self.min_bound).max())
        if margin > 0.0:
            box = (*(self.min_bound - margin), *(self.max_bound + margin))
            options.extent = (ctypes.c_double * 4)(*box)
        x, y = self.points.T
        with _diagram.made(x, y, options, worker_threads(workers)) as (parts, _):
            cells, ends, places = _diagram.cells(parts), _ends(parts), _places(parts)
        sides = cells["edge_seed"]
        ridges = (sides >= 0).all(axis=1)
        inside = np.ones(len(places), dtype=bool)  # not on the extent
        inside[ends[~ridges]] = False
        number = np.where(inside, np.cumsum(inside) - 1, -1)  # in `vertices`
        self.vertices = np.ascontiguousarray(places[inside])
        self.ridge_points: npt.NDArray[np.int64] = np.ascontiguousarray(sides[ridges])
        self.ridge_vertices: list[list[int]] = np.sort(number[ends[ridges]], axis=1).tolist()
        self.regions = [_without_repeats(one) for one in _regions(cells, number[ends])]
        self.point_region = cells["owner"]

    @property
    def ridge_dict(self) -> dict[tuple[int, int], list[int]]:
        """From pairs of points to pairs of vertices."""
        pairs = map(tuple, self.ridge_points.tolist())
        return dict(zip(pairs, self.ridge_vertices))  # type: ignore[arg-type]


class SphericalVoronoi:
    """The Voronoi diagram on a sphere, with the attributes of ``scipy.spatial.SphericalVoronoi``.

    For longitudes and latitudes, on the ellipsoid or the sphere, use `diagram`.

    Parameters
    ----------
    points : array of shape (n, 3)
        Points of the sphere.
    radius : float
        Of the sphere.
    center : array of shape (3,), optional
        Of the sphere; by default the origin.
    threshold : float
        Relative to the radius: points closer to each other, or farther from the sphere, are
        refused.
    workers : int
        Threads; -1 for all CPUs.

    Attributes
    ----------
    points : array of shape (n, 3)
    radius : float
    center : array of shape (3,)
    vertices : array of shape (nvertices, 3)
        Corners of cells.
    regions : list of lists of integers
        The corners of each point's cell, counterclockwise as seen from outside.

    Raises
    ------
    ValueError
        No points, other dimensions, points that are not on the sphere or at one place.

    Examples
    --------
    >>> import gpuvoronoi
    >>> octahedron = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    >>> sphere = gpuvoronoi.SphericalVoronoi(octahedron)
    >>> len(sphere.vertices), {len(region) for region in sphere.regions}
    (8, {4})
    >>> (sphere.calculate_areas() / 3.141592653589793).round(12).tolist()
    [0.666666666667, 0.666666666667, 0.666666666667, 0.666666666667, 0.666666666667, 0.666666666667]
    """

    def __init__(
        self,
        points: Any,
        radius: float = 1.0,
        center: Any = None,
        threshold: float = 1e-6,
        *,
        workers: int = -1,
    ) -> None:
        self.points = _points(points, 3)
        self.radius = real(radius, "radius", 0.0)
        self.center = np.zeros(3) if center is None else plain_array(center, "center").astype(float)
        if self.center.shape != (3,):
            raise ValueError(f"center must have the shape (3,), not {self.center.shape}")
        least = real(threshold, "threshold", -1.0) * self.radius
        around = self.points - self.center
        off = np.abs(np.sqrt((around**2).sum(axis=1)) - self.radius)
        if (off > least).any():
            row = int(off.argmax())
            raise ValueError(f"points: row {row} is not on the sphere; check radius and center")
        if least > 0.0 and KDTree(self.points).query_pairs(least):
            raise ValueError("points: two of them are at the same place")
        lon = np.degrees(np.arctan2(around[:, 1], around[:, 0]))
        lat = np.degrees(np.arctan2(around[:, 2], np.hypot(around[:, 0], around[:, 1])))
        options = _c.DiagramOptions(
            metric=_c.METRICS.index("great-circle"),
            tolerance=1.0,
            semi_major=_diagram.SPHERE,
            flattening=0.0,
        )
        with _diagram.made(lon, lat, options, worker_threads(workers)) as (parts, step):
            cells, ends, places = _diagram.cells(parts), _ends(parts), _places(parts)
            areas = _diagram.areas(parts, step)
        self._areas = areas * (self.radius / _diagram.SPHERE) ** 2
        u, v = np.radians(places).T
        unit = np.column_stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)])
        self.vertices = self.radius * unit + self.center
        self.regions = _regions(cells, ends)

    def sort_vertices_of_regions(self) -> None:
        """Nothing: `regions` are in order already."""

    def calculate_areas(self) -> npt.NDArray[np.float64]:
        """The area of each point's cell, in the square of the radius' unit."""
        return self._areas.copy()


def _points(points: Any, dim: int) -> npt.NDArray[np.float64]:
    made = plain_array(points, "points").astype(np.float64)
    if made.ndim != 2 or made.shape[1] != dim or len(made) == 0:
        raise ValueError(f"points must have the shape (n, {dim}), not {made.shape}")
    if not np.isfinite(made).all():
        row = int(np.flatnonzero(~np.isfinite(made).all(axis=1))[0])
        raise ValueError(f"points: row {row} is not finite")
    return made


def _ends(parts: _c.DiagramParts) -> npt.NDArray[np.int64]:
    """The first and last vertex of each edge."""
    made = _diagram.copied(parts.edge_vertex, ctypes.c_int64, 2 * parts.edge_count)
    return made.reshape(-1, 2)


def _places(parts: _c.DiagramParts) -> npt.NDArray[np.float64]:
    count, number = parts.vertex_count, ctypes.c_double
    axes = (parts.vertex_x, parts.vertex_y)
    return np.column_stack([_diagram.copied(one, number, count) for one in axes])


def _regions(cells: dict[str, Any], ends: npt.NDArray[np.int64]) -> list[list[int]]:
    """Of each cell the vertices where its edges begin."""
    ring, bounds = cells["ring"], cells["cell"].tolist()
    begins = ends[np.where(ring < 0, -1 - ring, ring), (ring < 0).astype(np.intp)].tolist()
    return [begins[a:b] for a, b in zip(bounds[:-1], bounds[1:])]


def _without_repeats(region: list[int]) -> list[int]:
    """An unbounded cell has one -1, whatever corners of the extent it has."""
    if -1 not in region:
        return region
    first = next((i for i, one in enumerate(region) if one >= 0 and region[i - 1] < 0), 0)
    turned = region[first:] + region[:first]
    return [one for i, one in enumerate(turned) if one >= 0 or i == 0 or turned[i - 1] >= 0]
