"""The library's C interface (``include/gpuvoronoi.h`` and ``gpuvoronoi_raster_seeds.h``): its structs, its numbers, its functions' types."""

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
    c_void_p,
)
from typing import Any

INVALID_ARGUMENT, OUT_OF_MEMORY, UNKNOWN_BACKEND, UNSUPPORTED, UNAVAILABLE = 1, 2, 3, 4, 5
CANCELLED, PROJECTION, IO, DEVICE, INTERNAL = 6, 7, 8, 9, 10

METRICS = ("euclidean", "manhattan", "chebyshev", "great-circle", "geodesic")
GLOBE_METRICS = METRICS[3:]
WEIGHTINGS = ("unweighted", "multiplicative", "additive", "power")
PLANE, LONLAT, PROJECTED, QTM = range(4)
DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOAT32, FLOAT64 = range(2)
MEMORY_CUDA = 1
NO_LEVEL = -1
MAX_QTM_LEVEL, MAX_GRID_LEVEL = 29, 20
MAX_SEARCH_K, MAX_VORONOI_K = 1024, 64
QTM_STRING_SIZE = 31

Progress = CFUNCTYPE(c_int, c_double, c_void_p)
Inverse = CFUNCTYPE(c_int, POINTER(c_double), POINTER(c_double), c_int64, c_void_p)


class Structure(ctypes.Structure):
    """A struct that begins with its own size. One that ends before the header's stands for zeros in the rest."""

    def __init__(self, **values: Any) -> None:
        super().__init__(ctypes.sizeof(self), **values)


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int), ("progress", Progress), ("progress_user", c_void_p),
                ("allocate", c_void_p), ("release", c_void_p), ("allocate_user", c_void_p), ("device", c_int)]


class BackendInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("searches_points", c_int), ("allocates_grids", c_int),
                ("weighted_grids", c_int), ("available", c_int), ("reason", c_char_p)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("name", c_char * 256), ("pci", c_char * 32), ("compute_major", c_int), ("compute_minor", c_int),
                ("multiprocessors", c_int), ("clock_mhz", c_int), ("memory_bytes", c_int64),
                ("free_memory_bytes", c_int64), ("l2_bytes", c_int64), ("shared_block_bytes", c_int64),
                ("usable", c_int), ("reason", c_char * 256)]


class Points(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("count", c_int64), ("dim", c_int32), ("dtype", c_int)]


class IndexOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("expected_k", c_int32),
                ("expected_queries", c_int64), ("stream", c_void_p), ("memory", c_int)]


class SearchOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("k", c_int32), ("max_distance", c_double), ("exclude_self", c_int),
                ("stream", c_void_p), ("memory", c_int)]


class Grid(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("width", c_int64), ("height", c_int64),
                ("geotransform", c_double * 6), ("semi_major", c_double), ("flattening", c_double),
                ("inverse", Inverse), ("inverse_user", c_void_p), ("level", c_int)]


class Seeds(ctypes.Structure):
    _fields_ = [("x", c_void_p), ("y", c_void_p), ("count", c_int64)]


class VoronoiOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("block_width", c_int32),
                ("block_height", c_int32), ("labels", c_void_p), ("nodata", c_int32), ("k", c_int32),
                ("max_distance", c_double), ("weighting", c_int), ("weights", c_void_p)]


class Answer(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("mask", c_void_p), ("mask_stride", c_int64),
                ("seed", c_void_p), ("seed_stride", c_int64), ("seed_band_stride", c_int64), ("own", c_void_p), ("own_stride", c_int64),
                ("group", c_void_p), ("value", c_void_p), ("nodata", c_int64), ("value_type", c_int), ("out", c_void_p),
                ("distance_type", c_int), ("distance", c_void_p), ("azimuth", c_void_p), ("stride", c_int64), ("band_stride", c_int64)]


class StatisticsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("distances", c_int), ("sums", c_int32), ("bound", c_void_p),
                ("group", c_void_p), ("groups", c_int32)]


class Quantity(ctypes.Structure):
    _fields_ = [("value", c_void_p), ("first", c_void_p), ("count", c_int32), ("stride", c_int64),
                ("first_row", c_void_p), ("rows", c_int32)]


class StatisticsBlock(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("seed", c_void_p),
                ("stride", c_int64), ("distance", c_void_p), ("distance_stride", c_int64), ("quantity", c_void_p)]


class SeedStatistics(ctypes.Structure):
    _fields_ = [("cells", c_int64), ("area", c_double), ("distance_mean", c_double), ("distance_max", c_double),
                ("centroid_x", c_double), ("centroid_y", c_double)]


class SumStatistics(ctypes.Structure):
    _fields_ = [("sum", c_double), ("distance_mean", c_double)]


class GlobeOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("semi_major", c_double),
                ("flattening", c_double)]


class RasterSeedsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("metric", c_int), ("asking", c_void_p), ("by_cell", c_int), ("keep_all", c_int)]


class RasterArray(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("type", c_int), ("rows", c_int64), ("row_stride", c_int64),
                ("column_stride", c_int64), ("mask", c_void_p), ("mask_row_stride", c_int64), ("mask_column_stride", c_int64),
                ("mask_is_inverted", c_int), ("chosen", c_void_p), ("chosen_count", c_int64), ("left_out", c_void_p),
                ("left_out_count", c_int64)]


class RasterSeedList(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_int64), ("x", c_void_p), ("y", c_void_p), ("cell", c_void_p),
                ("group", c_void_p), ("cells", c_int64), ("groups", c_int64), ("value", c_void_p), ("first", c_void_p),
                ("own", c_int)]


class Features(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_int64), ("part", c_void_p), ("kind", c_void_p), ("ring", c_void_p),
                ("vertex", c_void_p), ("x", c_void_p), ("y", c_void_p), ("edges", c_int), ("boundary", c_int), ("cut", c_void_p)]


class FeatureIndexOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("metric", c_int), ("semi_major", c_double), ("flattening", c_double)]


_HANDLE = c_void_p  # contexts, indexes, ... and every pointer: ctypes takes byref(), an address or None

# Each function: what it returns, and its arguments.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "gv_version": (c_char_p, []),
    "gv_status_name": (c_char_p, [c_int]),
    "gv_context_create": (c_int, [_HANDLE, _HANDLE]),
    "gv_context_destroy": (None, [_HANDLE]),
    "gv_context_message": (c_char_p, [_HANDLE]),
    "gv_backend_count": (c_int, []),
    "gv_backend_get": (c_int, [c_int, _HANDLE]),
    "gv_device_count": (c_int, [_HANDLE, _HANDLE]),
    "gv_device_get": (c_int, [_HANDLE, c_int, _HANDLE]),
    "gv_index_build": (c_int, [_HANDLE] * 4),
    "gv_index_destroy": (None, [_HANDLE]),
    "gv_index_backend": (c_char_p, [_HANDLE]),
    "gv_index_search": (c_int, [_HANDLE] * 6),
    "gv_globe_index_build": (c_int, [_HANDLE] * 4),
    "gv_globe_index_destroy": (None, [_HANDLE]),
    "gv_globe_index_backend": (c_char_p, [_HANDLE]),
    "gv_globe_index_search": (c_int, [_HANDLE] * 6),
    "gv_feature_index_build": (c_int, [_HANDLE] * 4),
    "gv_feature_index_destroy": (None, [_HANDLE]),
    "gv_feature_index_search": (c_int, [_HANDLE] * 7),
    "gv_voronoi_create": (c_int, [_HANDLE] * 5),
    "gv_voronoi_destroy": (None, [_HANDLE]),
    "gv_voronoi_backend": (c_char_p, [_HANDLE]),
    "gv_voronoi_compute": (c_int, [_HANDLE, _HANDLE, _HANDLE, c_int64]),
    "gv_voronoi_answer": (c_int, [_HANDLE] * 3),
    "gv_raster_seeds_create": (c_int, [_HANDLE] * 4),
    "gv_raster_seeds_destroy": (None, [_HANDLE]),
    "gv_raster_seeds_add_array": (c_int, [_HANDLE] * 3),
    "gv_raster_seeds_finish": (c_int, [_HANDLE] * 2),
    "gv_raster_seeds_get": (c_int, [_HANDLE] * 3),
    "gv_raster_seeds_groups": (c_int, [_HANDLE] * 2 + [c_int64] * 4 + [_HANDLE, c_int64]),
    "gv_statistics_create": (c_int, [_HANDLE] * 4),
    "gv_statistics_destroy": (None, [_HANDLE]),
    "gv_statistics_add": (c_int, [_HANDLE] * 3),
    "gv_statistics_get": (c_int, [_HANDLE, _HANDLE, c_int64, _HANDLE, _HANDLE]),
    "gv_qtm_from_lonlat": (c_int, [c_double, c_double, c_int, _HANDLE]),
    "gv_qtm_is_valid": (c_int, [c_int64]),
    "gv_qtm_level": (c_int, [c_int64]),
    "gv_qtm_octant": (c_int, [c_int64]),
    "gv_qtm_to_string": (c_int, [c_int64, _HANDLE, c_size_t]),
    "gv_qtm_from_string": (c_int, [c_char_p, _HANDLE]),
    "gv_qtm_count": (c_int64, [c_int]),
    "gv_qtm_from_number": (c_int, [c_int, c_int64, _HANDLE]),
    "gv_qtm_number": (c_int64, [c_int64]),
    "gv_qtm_ancestor": (c_int, [c_int64, c_int, _HANDLE]),
    "gv_qtm_children": (c_int, [c_int64, _HANDLE]),
    "gv_qtm_corners": (c_int, [c_int64, _HANDLE, _HANDLE, _HANDLE]),
    "gv_qtm_neighbors": (c_int, [c_int64, _HANDLE]),
    "gv_qtm_center": (c_int, [c_int64, _HANDLE, _HANDLE]),
    "gv_qtm_area": (c_double, [c_int64]),
}
