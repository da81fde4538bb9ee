"""The tree that xarray's NDPointIndex searches."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from ._search import real
from .globe_trees import GlobeTree

_ORDERS = ("lon-lat", "lat-lon")


class GlobeTreeAdapter:
    """A `GlobeTree` as a tree of ``xarray.indexes.NDPointIndex`` (xarray 2025.7 and later).

    The coordinates are longitude and latitude, or with the option ``order="lat-lon"`` latitude and
    longitude. With the option ``tolerance=METERS`` selections farther from all points raise a
    KeyError, as those of pandas; NDPointIndex itself does not support `tolerance` of `sel`. Other
    options go to `GlobeTree`.

    ``dataset.set_xindex(("lon", "lat"), NDPointIndex, tree_adapter_cls=GlobeTreeAdapter)``
    """

    def __init__(
        self, points: npt.NDArray[Any], *, options: Optional[Mapping[str, Any]] = None
    ) -> None:
        try:
            from xarray.indexes.nd_point_index import TreeAdapter

            TreeAdapter.register(GlobeTreeAdapter)  # xarray asks isinstance()
        except ImportError:
            pass
        given = dict(options or {})
        order, tolerance = given.pop("order", _ORDERS[0]), given.pop("tolerance", None)
        if order not in _ORDERS:
            raise ValueError(f"order must be {' or '.join(_ORDERS)}, not {order!r}")
        self._lon = _ORDERS.index(order)  # its column
        self._tolerance = math.inf if tolerance is None else real(tolerance, "tolerance", 0.0)
        self._tree = GlobeTree(points[:, self._lon], points[:, 1 - self._lon], **given)

    def query(self, points: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        lon, lat = points[:, self._lon], points[:, 1 - self._lon]
        meters, indices = (
            np.atleast_1d(one) for one in self._tree.query(lon, lat, max_distance=self._tolerance)
        )
        none = np.flatnonzero(indices == self._tree.n)
        if none.size:
            where = f"longitude {lon[none[0]]:.10g}, latitude {lat[none[0]]:.10g}"
            raise KeyError(f"{where}: no point within {self._tolerance:.10g} m; raise tolerance")
        return meters, indices

    def equals(self, other: Union[GlobeTreeAdapter, Any]) -> bool:
        return (
            isinstance(other, GlobeTreeAdapter)
            and (self._lon, self._tolerance) == (other._lon, other._tolerance)
            and self._tree.metric == other._tree.metric
            and self._tree.ellipsoid == other._tree.ellipsoid
            and np.array_equal(self._tree.lon, other._tree.lon)
            and np.array_equal(self._tree.lat, other._tree.lat)
        )
