"""The tree that xarray's NDPointIndex searches."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from .globe_trees import GlobeTree


class GlobeTreeAdapter:
    """A :class:`GlobeTree` as a tree of ``xarray.indexes.NDPointIndex`` (xarray 2025.7 and later).

    The coordinates are longitude and latitude, in this order; options go to :class:`GlobeTree`.

    ``dataset.set_xindex(("lon", "lat"), xarray.indexes.NDPointIndex, tree_adapter_cls=gpuvoronoi.GlobeTreeAdapter)``
    """

    def __init__(
        self, points: npt.NDArray[Any], *, options: Optional[Mapping[str, Any]] = None
    ) -> None:
        try:
            from xarray.indexes.nd_point_index import TreeAdapter

            TreeAdapter.register(GlobeTreeAdapter)  # xarray asks isinstance()
        except ImportError:
            pass
        self._tree = GlobeTree(points[:, 0], points[:, 1], **dict(options or {}))

    def query(self, points: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        meters, indices = self._tree.query(points[:, 0], points[:, 1])
        return np.atleast_1d(meters), np.atleast_1d(indices)

    def equals(self, other: Union[GlobeTreeAdapter, Any]) -> bool:
        return (
            isinstance(other, GlobeTreeAdapter)
            and self._tree.metric == other._tree.metric
            and self._tree.ellipsoid == other._tree.ellipsoid
            and np.array_equal(self._tree.lon, other._tree.lon)
            and np.array_equal(self._tree.lat, other._tree.lat)
        )
