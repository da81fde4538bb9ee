"""The algorithms of the provider, in the order in which they were made."""

from .k_nearest import KNearest
from .qtm_voronoi import QtmVoronoi
from .voronoi_raster import VoronoiRaster

ALGORITHMS = [VoronoiRaster, QtmVoronoi, KNearest]
