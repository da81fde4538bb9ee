"""The accessor `gpuvoronoi` of xarray's objects: importing this module registers it. It needs
xarray."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

import numpy as np

from . import _options, rasters, tables
from ._library import Progress
from .costs import CostRequest, cost_allocation, cost_distance, cost_ways
from ._options import GlobeMetric
from .rasters import _documented
from .values import nearest_value, regrid

try:
    import xarray
except ImportError as error:
    raise ImportError("gpuvoronoi.xarray needs xarray: `pip install xarray`") from error

if TYPE_CHECKING:
    import geopandas
    import pandas
    from typing_extensions import Unpack

    from ._options import CostOptions, RasterOptions

__all__ = ["Accessor"]


class Accessor:
    """The functions of this package, for the cells of a DataArray or Dataset.

    Without `seeds` the cells of a DataArray, or of each variable of a Dataset, are the seeds (those
    that are not 0, NaN or `_FillValue`, unless `target_values` says otherwise) and the queries as
    well; with `seeds` its cells are the queries, as with ``like=``. Keyword arguments are those of
    the function of the same name.

    Examples
    --------
    >>> import numpy as np, xarray
    >>> import gpuvoronoi.xarray
    >>> axes = {"y": [2.5, 1.5, 0.5], "x": [0.5, 1.5, 2.5]}
    >>> raster = xarray.DataArray(np.eye(3, dtype=int), dims=("y", "x"), coords=axes)
    >>> raster.gpuvoronoi.proximity(metric="manhattan").values
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]], dtype=float32)
    >>> raster.gpuvoronoi.allocation(([0.5, 2.5], [2.5, 2.5]), metric="euclidean").values[0]
    array([0, 0, 1], dtype=int32)
    """

    def __init__(self, given: Any) -> None:
        self._given = given

    def _arguments(self, seeds: Any, options: Any) -> tuple[Any, Any]:
        if seeds is not None:
            if "like" in options:
                raise TypeError("like is the object of the accessor; leave it out")
            return seeds, {**options, "like": self._given}
        return self._given, options

    @_documented
    def allocation(
        self, seeds: Any = None, *, ids: Any = None, **options: Unpack[RasterOptions]
    ) -> xarray.DataArray:
        """`gpuvoronoi.allocation`."""
        seeds, options = self._arguments(seeds, options)
        return rasters.allocation(seeds, ids=ids, **options)

    @_documented
    def proximity(
        self, seeds: Any = None, *, dtype: Any = np.float32, **options: Unpack[RasterOptions]
    ) -> xarray.DataArray:
        """`gpuvoronoi.proximity`."""
        seeds, options = self._arguments(seeds, options)
        return rasters.proximity(seeds, dtype=dtype, **options)

    @_documented
    def direction(self, seeds: Any = None, **options: Unpack[RasterOptions]) -> xarray.DataArray:
        """`gpuvoronoi.direction`."""
        seeds, options = self._arguments(seeds, options)
        return rasters.direction(seeds, **options)

    @_documented
    def voronoi(
        self,
        seeds: Any = None,
        *,
        variables: Iterable[str] = rasters.NAMES,
        ids: Any = None,
        dtype: Any = np.float32,
        **options: Unpack[RasterOptions],
    ) -> xarray.Dataset:
        """`gpuvoronoi.voronoi`."""
        seeds, options = self._arguments(seeds, options)
        return rasters.voronoi(seeds, variables=variables, ids=ids, dtype=dtype, **options)

    @_documented
    def nearest_value(
        self, seeds: Any, value: Any, *, fill: Any = None, **options: Unpack[RasterOptions]
    ) -> Union[xarray.DataArray, xarray.Dataset]:
        """`gpuvoronoi.nearest_value` of seeds."""
        seeds, options = self._arguments(seeds, options)
        return nearest_value(seeds, value, fill=fill, **options)

    @_documented
    def statistics(
        self,
        seeds: Any,
        *,
        sums: Any = None,
        distances: bool = True,
        ids: Any = None,
        keep: Any = None,
        **options: Unpack[RasterOptions],
    ) -> pandas.DataFrame:
        """`gpuvoronoi.statistics` of seeds."""
        seeds, options = self._arguments(seeds, options)
        return tables.statistics(
            seeds, sums=sums, distances=distances, ids=ids, keep=keep, **options
        )

    @_options.documented(CostRequest, "")
    def cost_allocation(self, seeds: Any, **options: Unpack[CostOptions]) -> xarray.DataArray:
        """`gpuvoronoi.cost_allocation`, with this DataArray as the friction."""
        return cost_allocation(self._given, seeds, **options)

    @_options.documented(CostRequest, "")
    def cost_distance(self, seeds: Any, **options: Unpack[CostOptions]) -> xarray.DataArray:
        """`gpuvoronoi.cost_distance`, with this DataArray as the friction."""
        return cost_distance(self._given, seeds, **options)

    @_options.documented(CostRequest, "")
    def cost_ways(
        self, seeds: Any, points: Any, **options: Unpack[CostOptions]
    ) -> geopandas.GeoDataFrame:
        """`gpuvoronoi.cost_ways`, with this DataArray as the friction."""
        return cost_ways(self._given, seeds, points, **options)

    def regrid(
        self,
        target: Any,
        *,
        metric: GlobeMetric = "geodesic",
        ellipsoid: Optional[tuple[float, float]] = None,
        max_distance: float = math.inf,
        fill: Any = None,
        dims: Optional[Sequence[str]] = None,
        nearest_valid: bool = False,
        backend: str = "auto",
        device: Optional[int] = None,
        workers: int = -1,
        progress: Progress = None,
    ) -> Union[xarray.DataArray, xarray.Dataset]:
        """`gpuvoronoi.regrid` to other cells."""
        return regrid(
            self._given,
            target,
            metric=metric,
            ellipsoid=ellipsoid,
            max_distance=max_distance,
            fill=fill,
            dims=dims,
            nearest_valid=nearest_valid,
            backend=backend,
            device=device,
            workers=workers,
            progress=progress,
        )


xarray.register_dataarray_accessor("gpuvoronoi")(Accessor)
xarray.register_dataset_accessor("gpuvoronoi")(Accessor)
