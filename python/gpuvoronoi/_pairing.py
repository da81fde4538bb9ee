"""Cells of a source and of a target, and the search of the nearest between them: what `regrid` and
`regrid_weights` share."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _crs, _field, _grid, _places
from ._library import Progress, context, library
from ._options import GlobeMetric
from .globe_trees import GlobeTree
from .rasters import RasterRequest

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass
class Search:
    """How the nearest cells are found: arguments of `regrid` of these names."""

    metric: GlobeMetric = "geodesic"
    ellipsoid: Optional[tuple[float, float]] = None
    max_distance: float = math.inf
    backend: str = "auto"
    device: Optional[int] = None
    workers: int = -1
    progress: Progress = None


@dataclasses.dataclass
class Pairing:
    """`start`: the cells of the source. `end`: those of the target, without positions if it is a
    grid system (`system`: its name)."""

    start: _places.Places
    end: _places.Places
    system: str
    search: Search

    def nearest(self, lon: Floats, lat: Floats) -> npt.NDArray[Any]:
        """The source's cell nearest to each of the target's, of the shape of `end`; -1 for none.
        `lon`, `lat`: the source's, NaN for cells that are left out."""
        if not np.isfinite(lon).any():
            return np.full(self.end.shape, -1)
        if self.system:
            request = self._request(lon, lat, 1)
            return np.asarray(request.squeezed(request.compute(request.names(None))[0]))
        found = self._tree(lon, lat)._nearest(
            self.end.lon,
            self.end.lat,
            self.search.max_distance,
            self.search.workers,
            self.search.progress,
        )
        return np.asarray(found.reshape(self.end.shape))

    def neighbors(self, k: int) -> tuple[npt.NDArray[Any], Floats]:
        """The `k` nearest cells of the source and the meters to them, nearest first: k x cells of
        the target; -1 and NaN for none."""
        lon, lat, count = self.start.lon, self.start.lat, math.prod(self.end.shape)
        if not np.isfinite(lon).any():
            return np.full((k, count), -1), np.full((k, count), math.nan)
        if self.system:
            request = self._request(lon, lat, k)
            numbers, meters, _ = request.compute(request.names(None), distance=np.float64)
            return numbers.reshape(k, count), meters.reshape(k, count)
        meters, numbers = self._tree(lon, lat).query(
            self.end.lon,
            self.end.lat,
            range(1, k + 1),
            self.search.max_distance,
            self.search.workers,
            progress=self.search.progress,
        )
        missing = numbers == lon.size
        return np.where(missing, -1, numbers).T, np.where(missing, math.nan, meters).T

    def _request(self, lon: Floats, lat: Floats, k: int) -> RasterRequest:
        search = self.search
        return RasterRequest(
            (lon, lat),
            cells=self.system,
            metric=search.metric,
            k=k,
            max_distance=search.max_distance,
            skip_invalid=True,
            crs=self.start.crs,
            backend=search.backend,
            device=search.device,
            workers=search.workers,
            progress=search.progress,
        )

    def _tree(self, lon: Floats, lat: Floats) -> GlobeTree:
        search, ellipsoid = self.search, self.search.ellipsoid
        if ellipsoid is None and self.start.crs is not None:
            ellipsoid = _crs.ellipsoid(self.start.crs)
        return GlobeTree(
            lon, lat, search.metric, ellipsoid, search.backend, search.device, skip_invalid=True
        )


def pairing(
    start: _places.Places, target: Any, dims: Optional[Sequence[str]], search: Search
) -> Pairing:
    """`target` and `dims` as `regrid` has them; its positions are brought into the source's
    coordinate system."""
    if isinstance(target, str):
        if search.ellipsoid is not None or dims is not None:
            raise ValueError("ellipsoid and dims go with coordinates as target")
        return Pairing(start, of_system(target, start.crs), target, search)
    end = _grid.places_of(target, "target", dims)
    if end.crs is not None and start.crs is not None and not _crs.same(end.crs, start.crs):
        end.lon, end.lat = _crs.Operation(end.crs, start.crs)(end.lon, end.lat)
    return Pairing(start, end, "", search)


def of_system(cells: str, crs: Any) -> _places.Places:
    """The cells of a grid system, without their positions."""
    made = _places.cells(cells)
    coordinates = _places.system_coordinates(made, crs)
    return _places.Places(np.empty(0), np.empty(0), made.dims, made.shape, coordinates)


def centers(cells: str, crs: Any = None) -> tuple[Floats, Floats]:
    """Longitudes and latitudes, in degrees, of the centers of the cells of a grid system, in the
    order of their ids."""
    field = _field.Field(_plan(cells, crs))
    count = field.plan.columns
    lon, lat = np.empty(count), np.empty(count)
    context().call(
        library().gv_voronoi_cell_centers,
        field.handle.address,
        0,
        0,
        count,
        1,
        lon.ctypes.data,
        lat.ctypes.data,
        count,
    )
    return lon, lat


def solid_angles(cells: str) -> Floats:
    """Steradians of the cells of a grid system: their areas on a sphere of radius 1."""
    sphere = (1.0, 0.0)
    plan = dataclasses.replace(_plan(cells, None), ellipsoid=sphere)
    assert plan.cells is not None
    plan.cells = _places.with_areas(plan.cells, sphere)
    field, area = _field.Field(plan), np.empty(plan.columns)
    context().call(
        library().gv_voronoi_cell_areas,
        field.handle.address,
        0,
        0,
        plan.columns,
        1,
        area.ctypes.data,
        plan.columns,
    )
    return area


def _plan(cells: str, crs: Any) -> _field.Plan:
    return RasterRequest((np.zeros(1), np.zeros(1)), cells=cells, crs=crs).plan
