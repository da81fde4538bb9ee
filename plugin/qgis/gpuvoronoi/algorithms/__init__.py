"""The algorithms of the provider, in the order in which they were made."""

from .facility_statistics import FacilityStatistics
from .k_nearest import KNearest
from .nearest_cells import NearestCells
from .qtm_voronoi import QtmVoronoi
from .voronoi_raster import VoronoiRaster

ALGORITHMS = [VoronoiRaster, QtmVoronoi, FacilityStatistics, KNearest, NearestCells]
