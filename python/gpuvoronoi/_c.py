"""The library's C interface: its structs with their defaults, its constants, its functions' types.

Written by python/make_binding.py from the headers in include/gpuvoronoi: do not edit.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from math import inf
from typing import Any, ClassVar

HANDLE = c_void_p  # contexts, indexes, ... and every pointer: ctypes takes byref(), an address or None


class Structure(ctypes.Structure):
    """A struct that begins with its own size and has the defaults of its gv_..._init."""

    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, **values: Any) -> None:
        super().__init__(ctypes.sizeof(self), **{**self.defaults, **values})


OK = 0
INVALID_ARGUMENT = 1
OUT_OF_MEMORY = 2
UNKNOWN_BACKEND = 3
UNSUPPORTED = 4
UNAVAILABLE = 5
CANCELLED = 6
PROJECTION = 7
IO = 8
DEVICE = 9
INTERNAL = 10

EUCLIDEAN = 0
MANHATTAN = 1
CHEBYSHEV = 2
GREAT_CIRCLE = 3
GEODESIC = 4
COSINE = 5
INNER_PRODUCT = 6
MINKOWSKI = 7

LIMIT_DIM = 0
LIMIT_K = 1
LIMIT_K_CPU = 2
LIMIT_K_FEATURES = 3
LIMIT_K_GRID = 4
LIMIT_SEEDS = 5
LIMIT_DIAGRAM_SEEDS = 6
LIMIT_SUMS = 7
LIMIT_QTM_LEVEL = 8
LIMIT_QTM_GRID_LEVEL = 9
LIMIT_HEALPIX_ORDER = 10
LIMIT_S2_LEVEL = 11

FLOAT32 = 0
FLOAT64 = 1
INT8 = 2
INT16 = 3
INT32 = 4
INT64 = 5
UINT8 = 6
UINT16 = 7
UINT32 = 8
UINT64 = 9

INDEX_POINTS = 0
INDEX_GLOBE = 1
INDEX_FEATURES = 2
INDEX_RASTER_SEEDS = 3

GRID_PLANE = 0
GRID_LONLAT = 1
GRID_PROJECTED = 2
GRID_QTM = 3
GRID_HEALPIX = 4
GRID_POINTS = 5
GRID_S2 = 6

UNWEIGHTED = 0
MULTIPLICATIVE = 1
ADDITIVE = 2
POWER = 3

EDGES_STRAIGHT = 0
EDGES_GEODESIC = 1

PART_POINTS = 0
PART_LINE = 1
PART_POLYGON = 2

CRS_NONE = 0
CRS_GEOGRAPHIC = 1
CRS_PROJECTED = 2
CRS_OTHER = 3

MEMORY_HOST = 0
MEMORY_CUDA = 1

POINT_METRICS = ("euclidean", "manhattan", "chebyshev", "great-circle", "geodesic", "cosine", "inner-product", "minkowski")
METRICS = POINT_METRICS[:COSINE]
GLOBE_METRICS = METRICS[GREAT_CIRCLE:]
WEIGHTINGS = ("unweighted", "multiplicative", "additive", "power")
DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

QTM_NONE = -1
QTM_MAX_GRID_LEVEL = 20
HEALPIX_MAX_ORDER = 18
S2_MAX_LEVEL = 18
QTM_MAX_LEVEL = 29
QTM_STRING_SIZE = 31
MAX_DIM = 4096
MAX_K = 1024
MAX_K_CPU = 16777216
VORONOI_MAX_K = 64
MAX_SUMS = 1024

STATISTICS_COLUMNS = ("seeds", "cells", "area_km2", "distance_mean", "distance_max", "centroid_x", "centroid_y")

Progress = CFUNCTYPE(c_int, c_double, c_void_p)
Inverse = CFUNCTYPE(c_int, POINTER(c_double), POINTER(c_double), c_int64, c_void_p)


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int), ("progress", Progress),
                ("progress_user", c_void_p), ("allocate", c_void_p), ("release", c_void_p),
                ("allocate_user", c_void_p), ("device", c_int)]
    defaults = {"device": -1}


class BackendInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p),
                ("searches_points", c_int), ("weighted_grids", c_int), ("available", c_int),
                ("reason", c_char_p), ("gpu", c_int), ("searches_radius", c_int), ("list_grids", c_int),
                ("feature_grids", c_int), ("travel_cost", c_int)]


class DeviceInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char * 256), ("pci", c_char * 32),
                ("compute_major", c_int), ("compute_minor", c_int), ("multiprocessors", c_int),
                ("clock_mhz", c_int), ("memory_bytes", c_int64), ("free_memory_bytes", c_int64),
                ("l2_bytes", c_int64), ("shared_block_bytes", c_int64), ("usable", c_int),
                ("reason", c_char * 256)]


class Points(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("count", c_int64), ("dim", c_int32),
                ("dtype", c_int), ("x", c_void_p), ("y", c_void_p)]


class IndexOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int),
                ("semi_major", c_double), ("flattening", c_double), ("expected_k", c_int32),
                ("expected_queries", c_int64), ("array_options", c_void_p), ("periods", c_void_p),
                ("power", c_double)]
    defaults = {"power": 2.0}


class SearchOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("k", c_int32), ("max_distance", c_double),
                ("exclude_self", c_int), ("nearest", c_void_p), ("array_options", c_void_p)]
    defaults = {"k": 1, "max_distance": inf}


class RadiusOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("radius", c_double), ("radii", c_void_p),
                ("exclude_self", c_int), ("by_number", c_int)]


class Grid(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("width", c_int64), ("height", c_int64),
                ("geotransform", c_double * 6), ("semi_major", c_double), ("flattening", c_double),
                ("inverse", Inverse), ("inverse_user", c_void_p), ("level", c_int), ("order", c_int),
                ("ring", c_int), ("authalic", c_int), ("longitude", c_void_p), ("latitude", c_void_p),
                ("area", c_void_p)]
    defaults = {"geotransform": (0, 1, 0, 0, 0, 1), "level": -1}


class VoronoiOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int),
                ("block_width", c_int32), ("block_height", c_int32), ("labels", c_void_p),
                ("nodata", c_int32), ("k", c_int32), ("max_distance", c_double), ("weighting", c_int),
                ("weights", c_void_p), ("features", c_void_p)]
    defaults = {"nodata": -1, "k": 1, "max_distance": inf}


class Labels(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("columns", c_int64),
                ("rows", c_int64), ("mask", c_void_p), ("mask_stride", c_int64), ("out", c_void_p),
                ("stride", c_int64), ("band_stride", c_int64), ("array_options", c_void_p)]


class Measure(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("columns", c_int64),
                ("rows", c_int64), ("bands", c_int32), ("seed", c_void_p), ("stride", c_int64),
                ("band_stride", c_int64), ("type", c_int), ("distance", c_void_p),
                ("azimuth", c_void_p), ("out_stride", c_int64), ("out_band_stride", c_int64),
                ("signed_distance", c_int), ("array_options", c_void_p)]
    defaults = {"bands": 1}


class StatisticsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("distances", c_int), ("sums", c_int32), ("bound", c_void_p),
                ("group", c_void_p), ("groups", c_int32)]


class Quantity(Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int), ("value", c_void_p), ("stride", c_int64),
                ("first", c_void_p), ("count", c_int32), ("first_row", c_void_p), ("rows", c_int32)]
    defaults = {"type": 1}


class StatisticsCells(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("columns", c_int64),
                ("rows", c_int64), ("seed", c_void_p), ("stride", c_int64), ("distance", c_void_p),
                ("distance_stride", c_int64), ("quantity", c_void_p), ("uniform", c_int),
                ("array_options", c_void_p)]


class SeedStatistics(Structure):
    _fields_ = [("struct_size", c_size_t), ("cells", c_int64), ("area", c_double),
                ("distance_mean", c_double), ("distance_max", c_double), ("centroid_x", c_double),
                ("centroid_y", c_double)]


class Features(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_int64), ("part", c_void_p), ("kind", c_void_p),
                ("ring", c_void_p), ("vertex", c_void_p), ("x", c_void_p), ("y", c_void_p),
                ("edges", c_int), ("boundary", c_int), ("cut", c_void_p)]


class RasterSeedsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("metric", c_int), ("query_grid", c_void_p),
                ("by_cell", c_int), ("keep_all", c_int)]


class RasterArray(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("type", c_int), ("rows", c_int64),
                ("row_stride", c_int64), ("column_stride", c_int64), ("mask", c_void_p),
                ("mask_row_stride", c_int64), ("mask_column_stride", c_int64),
                ("mask_is_inverted", c_int), ("included", c_void_p), ("included_count", c_int64),
                ("excluded", c_void_p), ("excluded_count", c_int64), ("is_byte_swapped", c_int)]
    defaults = {"type": 5}


class RasterSpans(Structure):
    _fields_ = [("struct_size", c_size_t), ("rows", c_int64), ("first", c_void_p), ("start", c_void_p),
                ("value", c_void_p), ("is_seed", c_void_p)]


class RasterSeedList(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_int64), ("x", c_void_p), ("y", c_void_p),
                ("cell", c_void_p), ("group", c_void_p), ("cells", c_int64), ("groups", c_int64),
                ("value", c_void_p), ("first", c_void_p), ("queries_are_cells", c_int)]


class CellResults(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("columns", c_int64),
                ("rows", c_int64), ("mask", c_void_p), ("mask_stride", c_int64), ("seed", c_void_p),
                ("seed_stride", c_int64), ("seed_band_stride", c_int64), ("cell_group", c_void_p),
                ("cell_group_stride", c_int64), ("group", c_void_p), ("value", c_void_p),
                ("nodata", c_int64), ("value_type", c_int), ("out", c_void_p), ("distance_type", c_int),
                ("distance", c_void_p), ("azimuth", c_void_p), ("stride", c_int64),
                ("band_stride", c_int64)]
    defaults = {"nodata": -1, "value_type": 4}


class DiagramOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("metric", c_int), ("semi_major", c_double),
                ("flattening", c_double), ("extent", c_double * 4), ("tolerance", c_double)]
    defaults = {"extent": (0.0, 0.0, 0.0, 0.0), "tolerance": 1.0}


class DiagramParts(Structure):
    _fields_ = [("struct_size", c_size_t), ("seed_count", c_int64), ("place_count", c_int64),
                ("vertex_count", c_int64), ("edge_count", c_int64), ("unverified", c_int64),
                ("owner", c_void_p), ("vertex_x", c_void_p), ("vertex_y", c_void_p),
                ("edge_vertex", c_void_p), ("edge_seed", c_void_p), ("line", c_void_p),
                ("line_x", c_void_p), ("line_y", c_void_p), ("cell", c_void_p), ("ring", c_void_p)]


class DiagramRings(Structure):
    _fields_ = [("struct_size", c_size_t), ("cell_count", c_int64), ("polygon_count", c_int64),
                ("point_count", c_int64), ("polygon", c_void_p), ("point", c_void_p), ("x", c_void_p),
                ("y", c_void_p)]


class CrsFacts(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("proj", c_char_p), ("west", c_double),
                ("east", c_double)]


class ArrowBlock(Structure):
    _fields_ = [("free", c_void_p), ("released", c_int64)]


class CostOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("moves", c_int32),
                ("max_cost", c_double), ("folder", c_char_p), ("resident", c_double)]
    defaults = {"backend": "auto", "moves": 16, "max_cost": inf, "resident": 536870912.0}


class CostSeeds(Structure):
    _fields_ = [("struct_size", c_size_t), ("x", c_void_p), ("y", c_void_p), ("count", c_int64),
                ("at_cells", c_int), ("features", c_void_p)]


class CostCells(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("columns", c_int64),
                ("rows", c_int64), ("stride", c_int64), ("seed", c_void_p), ("cost", c_void_p),
                ("azimuth", c_void_p)]


class CostWay(Structure):
    _fields_ = [("struct_size", c_size_t), ("x", c_double), ("y", c_double), ("room", c_int64),
                ("way_x", c_void_p), ("way_y", c_void_p), ("count", c_void_p), ("seed", c_void_p),
                ("cost", c_void_p), ("length", c_void_p)]


class BarriersOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("metric", c_int), ("max_distance", c_double),
                ("semi_major", c_double), ("flattening", c_double)]
    defaults = {"max_distance": inf}


class BarrierPlaces(Structure):
    _fields_ = [("struct_size", c_size_t), ("x", c_void_p), ("y", c_void_p), ("count", c_int64),
                ("seed", c_void_p), ("distance", c_void_p), ("azimuth", c_void_p)]


class BarrierWay(Structure):
    _fields_ = [("struct_size", c_size_t), ("x", c_double), ("y", c_double), ("room", c_int64),
                ("way_x", c_void_p), ("way_y", c_void_p), ("count", c_void_p), ("seed", c_void_p),
                ("distance", c_void_p)]


class ArrayOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("memory", c_int), ("stream", c_void_p)]


class Communicator(Structure):
    _fields_ = [("struct_size", c_size_t), ("rank", c_int), ("ranks", c_int), ("user", c_void_p),
                ("allreduce_max", c_void_p), ("allgatherv", c_void_p), ("alltoallv", c_void_p)]
    defaults = {"ranks": 1}


class PointSource(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_int64), ("dim", c_int32), ("dtype", c_int),
                ("read", c_void_p), ("user", c_void_p)]
    defaults = {"dtype": 1}


# Each function: what it returns, and its arguments.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "gv_status_message": (c_char_p, [c_int]),
    "gv_version": (c_char_p, []),
    "gv_version_number": (c_int, []),
    "gv_metric_name": (c_char_p, [c_int]),
    "gv_limits": (c_int, [c_int, HANDLE, HANDLE]),
    "gv_knn": (c_int, [HANDLE, c_int64, HANDLE, c_int64, c_int32, c_int32, HANDLE, HANDLE]),
    "gv_knn_message": (c_int, [HANDLE, c_int64, HANDLE, c_int64, c_int32, c_int32, HANDLE, HANDLE, HANDLE, c_size_t]),
    "gv_geodesic_knn": (c_int, [HANDLE, HANDLE, c_int64, HANDLE, HANDLE, c_int64, c_int32, HANDLE, HANDLE]),
    "gv_geodesic_knn_message": (c_int, [HANDLE, HANDLE, c_int64, HANDLE, HANDLE, c_int64, c_int32, HANDLE, HANDLE, HANDLE, c_size_t]),
    "gv_nearest_grid": (c_int, [HANDLE, HANDLE, c_int64, c_int, HANDLE, c_int64, c_int64, HANDLE, HANDLE]),
    "gv_nearest_grid_message": (c_int, [HANDLE, HANDLE, c_int64, c_int, HANDLE, c_int64, c_int64, HANDLE, HANDLE, HANDLE, c_size_t]),
    "gv_context_create": (c_int, [HANDLE, HANDLE]),
    "gv_context_destroy": (None, [HANDLE]),
    "gv_context_message": (c_char_p, [HANDLE]),
    "gv_context_threads": (c_int, [HANDLE]),
    "gv_backend_count": (c_int, []),
    "gv_backend_get": (c_int, [c_int, HANDLE]),
    "gv_backend_supports": (c_int, [c_int, c_int, c_int, c_int32, HANDLE, HANDLE]),
    "gv_device_count": (c_int, [HANDLE, HANDLE]),
    "gv_device_get": (c_int, [HANDLE, c_int, HANDLE]),
    "gv_index_build": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_index_destroy": (None, [HANDLE]),
    "gv_index_get_kind": (c_int, [HANDLE]),
    "gv_index_count": (c_int64, [HANDLE]),
    "gv_index_dim": (c_int32, [HANDLE]),
    "gv_index_backend": (c_char_p, [HANDLE]),
    "gv_index_search": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_index_search_radius": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_index_search_pairs": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_destroy": (None, [HANDLE]),
    "gv_voronoi_backend": (c_char_p, [HANDLE]),
    "gv_voronoi_block_size": (None, [HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_fill": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_measure": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_cell_centers": (c_int, [HANDLE, HANDLE, c_int64, c_int64, c_int64, c_int64, HANDLE, HANDLE, c_int64]),
    "gv_voronoi_cell_areas": (c_int, [HANDLE, HANDLE, c_int64, c_int64, c_int64, c_int64, HANDLE, c_int64]),
    "gv_statistics_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_statistics_destroy": (None, [HANDLE]),
    "gv_statistics_add": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_statistics_get": (c_int, [HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_statistics_get_sum": (c_int, [HANDLE, HANDLE, c_int64, c_int32, HANDLE, HANDLE]),
    "gv_statistics_get_range": (c_int, [HANDLE, HANDLE, c_int64, c_int64, HANDLE]),
    "gv_statistics_get_sum_range": (c_int, [HANDLE, HANDLE, c_int64, c_int64, c_int32, HANDLE, HANDLE]),
    "gv_index_build_features": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_index_search_features": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_raster_seeds_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_raster_seeds_destroy": (None, [HANDLE]),
    "gv_raster_seeds_add_array": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_raster_seeds_add_spans": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_raster_seeds_finish": (c_int, [HANDLE, HANDLE]),
    "gv_raster_seeds_get": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_raster_seeds_groups": (c_int, [HANDLE, HANDLE, c_int64, c_int64, c_int64, c_int64, HANDLE, c_int64]),
    "gv_raster_seeds_is_uniform": (c_int, [HANDLE, c_int64, c_int64, c_int64, c_int64, HANDLE]),
    "gv_index_build_raster_seeds": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_voronoi_compute": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_diagram_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_diagram_destroy": (None, [HANDLE]),
    "gv_diagram_get": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_diagram_areas": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_diagram_polygons_create": (c_int, [HANDLE, HANDLE, c_int, HANDLE]),
    "gv_diagram_polygons_get": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_diagram_polygons_destroy": (None, [HANDLE]),
    "gv_qtm_from_lonlat": (c_int, [c_int, c_double, c_double, HANDLE]),
    "gv_qtm_from_lonlat_array": (c_int, [c_int, HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_qtm_centers": (c_int, [c_int, c_int64, c_int64, HANDLE, HANDLE]),
    "gv_qtm_center_array": (c_int, [HANDLE, c_int64, HANDLE, HANDLE]),
    "gv_qtm_corner_array": (c_int, [HANDLE, c_int64, HANDLE, HANDLE]),
    "gv_qtm_neighbor_array": (c_int, [HANDLE, c_int64, HANDLE]),
    "gv_qtm_area_array": (c_int, [HANDLE, c_int64, HANDLE]),
    "gv_qtm_is_valid": (c_int, [c_int64]),
    "gv_qtm_level": (c_int, [c_int64]),
    "gv_qtm_octant": (c_int, [c_int64]),
    "gv_qtm_to_string": (c_int, [c_int64, HANDLE, c_size_t]),
    "gv_qtm_from_string": (c_int, [c_char_p, HANDLE]),
    "gv_qtm_count": (c_int64, [c_int]),
    "gv_qtm_from_number": (c_int, [c_int, c_int64, HANDLE]),
    "gv_qtm_number": (c_int64, [c_int64]),
    "gv_qtm_ancestor": (c_int, [c_int64, c_int, HANDLE]),
    "gv_qtm_parent": (c_int, [c_int64, HANDLE]),
    "gv_qtm_children": (c_int, [c_int64, HANDLE]),
    "gv_qtm_corners": (c_int, [c_int64, HANDLE, HANDLE, HANDLE]),
    "gv_qtm_neighbors": (c_int, [c_int64, HANDLE]),
    "gv_qtm_center_vector": (c_int, [c_int64, HANDLE]),
    "gv_qtm_center": (c_int, [c_int64, HANDLE, HANDLE]),
    "gv_qtm_area": (c_double, [c_int64]),
    "gv_healpix_count": (c_int64, [c_int]),
    "gv_healpix_center": (c_int, [c_int, c_int64, HANDLE, HANDLE]),
    "gv_healpix_from_lonlat": (c_int, [c_int, c_double, c_double, HANDLE]),
    "gv_healpix_centers": (c_int, [c_int, c_int64, c_int64, HANDLE, HANDLE]),
    "gv_healpix_from_lonlat_array": (c_int, [c_int, HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_healpix_to_ring": (c_int64, [c_int, c_int64]),
    "gv_healpix_from_ring": (c_int64, [c_int, c_int64]),
    "gv_s2_count": (c_int64, [c_int]),
    "gv_s2_id": (c_uint64, [c_int, c_int64]),
    "gv_s2_center": (c_int, [c_int, c_int64, HANDLE, HANDLE]),
    "gv_s2_from_lonlat": (c_int, [c_int, c_double, c_double, HANDLE]),
    "gv_s2_centers": (c_int, [c_int, c_int64, c_int64, HANDLE, HANDLE]),
    "gv_s2_from_lonlat_array": (c_int, [c_int, HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_default_metric": (c_int, [HANDLE, HANDLE]),
    "gv_default_extent": (c_int, [HANDLE, HANDLE, c_double, HANDLE, HANDLE]),
    "gv_arrow_release_schema": (None, [HANDLE]),
    "gv_arrow_release_array": (None, [HANDLE]),
    "gv_arrow_release_stream": (None, [HANDLE]),
    "gv_inverse_distance_weights": (c_int, [HANDLE, HANDLE, c_int64, c_int32, c_double, HANDLE]),
    "gv_axis_cell_areas": (c_int, [HANDLE, HANDLE, c_int64, HANDLE, c_int64, HANDLE, HANDLE]),
    "gv_ring_areas": (c_int, [HANDLE, c_double, c_double, HANDLE, HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_cost_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_cost_destroy": (None, [HANDLE]),
    "gv_cost_backend": (c_char_p, [HANDLE]),
    "gv_cost_set_rows": (c_int, [HANDLE, HANDLE, c_int64, c_int64, HANDLE, c_int64]),
    "gv_cost_solve": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_cost_get": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_cost_get_way": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_barriers_create": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_barriers_destroy": (None, [HANDLE]),
    "gv_barriers_solve": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_barriers_get": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_barriers_get_way": (c_int, [HANDLE, HANDLE, HANDLE]),
    "gv_backend_number_of": (c_int, [c_char_p]),
    "gv_voronoi_part": (c_int, [HANDLE, HANDLE, c_int32, c_int32, HANDLE]),
    "gv_statistics_sums_size": (c_size_t, [HANDLE]),
    "gv_statistics_get_sums": (c_int, [HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_statistics_add_sums": (c_int, [HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_index_search_part": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, c_int64, c_int64, HANDLE, HANDLE]),
    "gv_neighbors_join": (c_int, [HANDLE, HANDLE, HANDLE, c_int32, c_int64, c_int32, HANDLE, HANDLE]),
    "gv_index_distances": (c_int, [HANDLE, HANDLE, c_int64, HANDLE]),
    "gv_index_search_distributed": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "gv_index_build_from": (c_int, [HANDLE, HANDLE, HANDLE, HANDLE]),
}
