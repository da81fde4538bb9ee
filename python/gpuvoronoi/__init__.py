"""Exact nearest seeds: neighbours of points and Voronoi rasters on plane, sphere and ellipsoid.

:class:`KDTree` and :class:`GlobeTree` find neighbours of points, :class:`FeatureTree` nearest lines and polygons;
:func:`allocation`, :func:`proximity`, :func:`direction` and :func:`voronoi` answer for every cell of a raster; :func:`nearest_value`
and :func:`regrid` give the values of the nearest seeds or cells; :func:`statistics` and :func:`sjoin_nearest`
make tables; :func:`diagram` makes Voronoi polygons; :mod:`gpuvoronoi.qtm` is Dutton's triangular mesh.
"""

from . import qtm
from ._library import __version__
from .diagrams import diagram
from .features import FeatureTree
from .joins import sjoin_nearest
from .parquet import to_parquet
from .rasters import allocation, direction, proximity, voronoi
from .tables import statistics
from .trees import GlobeTree, GlobeTreeAdapter, KDTree
from .values import nearest_value, regrid

__all__ = ["FeatureTree", "GlobeTree", "GlobeTreeAdapter", "KDTree", "__version__", "allocation", "diagram", "direction", "nearest_value",
           "proximity", "qtm", "regrid", "sjoin_nearest", "statistics", "to_parquet",
           "voronoi"]
