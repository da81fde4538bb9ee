"""The algorithms of the provider, in the order in which they were made."""

from .cells import Cells
from .facility_statistics import FacilityStatistics
from .k_nearest import KNearest
from .live_voronoi import LiveVoronoi
from .nearest_cells import NearestCells
from .nearest_value import NearestValue
from .qtm_voronoi import QtmVoronoi
from .round_barriers import RoundBarriers
from .travel_cost import TravelCost
from .voronoi_diagram import VoronoiDiagram
from .voronoi_raster import VoronoiRaster
from .within_distance import WithinDistance
from .write_nearest import WriteNearest

ALGORITHMS = [
    VoronoiRaster,
    QtmVoronoi,
    FacilityStatistics,
    KNearest,
    NearestCells,
    LiveVoronoi,
    WriteNearest,
    VoronoiDiagram,
    NearestValue,
    Cells,
    TravelCost,
    RoundBarriers,
    WithinDistance,
]
