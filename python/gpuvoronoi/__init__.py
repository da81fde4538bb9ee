"""Exact nearest seeds: neighbors of points and Voronoi rasters on plane, sphere and ellipsoid.

`KDTree` and `GlobeTree` find neighbors of points, `FeatureTree` nearest lines and polygons;
`allocation`, `proximity`, `direction` and `voronoi` answer for every cell of a raster;
`cost_allocation`, `cost_distance` and `cost_ways` find the nearest by travel cost, `barrier_ways`
the shortest ways round barriers; `nearest_value` and `regrid` give the values of the nearest seeds
or cells, `regrid_weights` weight files; `statistics` and `sjoin_nearest` make tables; `diagram`
makes Voronoi polygons, `Voronoi` and `SphericalVoronoi` have corners and regions as scipy's;
`default_metric` and `ellipsoid_of` describe coordinate systems; `default_grid` and `no_seed` have
the command's defaults for rasters; `gpuvoronoi.qtm` is Dutton's triangular mesh.
"""

import importlib
from typing import Any

from . import qtm
from ._library import __version__
from ._point_index import GlobeTreeAdapter
from .barriers import barrier_ways
from .costs import cost_allocation, cost_distance, cost_ways
from .diagrams import diagram
from .features import FeatureTree
from .grids import default_grid
from .joins import sjoin_nearest
from .parquet import to_parquet
from .rasters import allocation, direction, no_seed, proximity, voronoi
from .spatial import SphericalVoronoi, Voronoi
from .systems import default_metric, ellipsoid_of
from .tables import statistics
from .globe_trees import GlobeTree
from .trees import KDTree
from .values import nearest_value, regrid
from .weights import regrid_weights
from .zarr import to_zarr

__all__ = [
    "FeatureTree",
    "GlobeTree",
    "GlobeTreeAdapter",
    "KDTree",
    "SphericalVoronoi",
    "Voronoi",
    "__version__",
    "allocation",
    "barrier_ways",
    "cost_allocation",
    "cost_distance",
    "cost_ways",
    "default_grid",
    "default_metric",
    "diagram",
    "direction",
    "ellipsoid_of",
    "nearest_value",
    "no_seed",
    "proximity",
    "qtm",
    "regrid",
    "regrid_weights",
    "sjoin_nearest",
    "statistics",
    "to_parquet",
    "to_zarr",
    "voronoi",
]

_LAZY = ("arrow", "duckdb", "sklearn", "xarray")  # modules that need other packages


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
