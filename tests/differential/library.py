"""The library's C interface for Python: what the differential run needs of it, and no more."""

import ctypes
import math
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_void_p

import numpy as np

INVALID_ARGUMENT, UNSUPPORTED = 1, 4
METRICS = ("euclidean", "manhattan", "chebyshev", "great-circle", "geodesic")
WEIGHTINGS = ("unweighted", "multiplicative", "additive", "power")
PLANE, LONLAT, PROJECTED, QTM = range(4)
INVERSE = CFUNCTYPE(c_int, POINTER(c_double), POINTER(c_double), c_int64, c_void_p)


class Structure(ctypes.Structure):
    def __init__(self, **values):
        super().__init__()
        if hasattr(self, "struct_size"):
            self.struct_size = ctypes.sizeof(self)
        for name, value in values.items():
            setattr(self, name, value)


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int), ("progress", c_void_p), ("progress_user", c_void_p),
                ("allocate", c_void_p), ("release", c_void_p), ("allocate_user", c_void_p), ("device", c_int)]


class BackendInfo(Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("searches_points", c_int), ("allocates_grids", c_int),
                ("weighted_grids", c_int), ("available", c_int), ("reason", c_char_p)]


class Points(Structure):
    _fields_ = [("data", c_void_p), ("count", c_int64), ("dim", c_int32), ("dtype", c_int)]


class IndexOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("expected_k", c_int32),
                ("expected_queries", c_int64)]


class SearchOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("k", c_int32), ("max_distance", c_double), ("exclude_self", c_int)]


class Grid(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("width", c_int64), ("height", c_int64),
                ("geotransform", c_double * 6), ("semi_major", c_double), ("flattening", c_double), ("inverse", INVERSE),
                ("inverse_user", c_void_p), ("level", c_int)]


class Seeds(Structure):
    _fields_ = [("x", c_void_p), ("y", c_void_p), ("count", c_int64)]


class VoronoiOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("block_width", c_int32),
                ("block_height", c_int32), ("labels", c_void_p), ("nodata", c_int32), ("k", c_int32),
                ("max_distance", c_double), ("weighting", c_int), ("weights", c_void_p)]


class Block(Structure):
    """The header's gv_block up to the last field that is used here: what is missing at the end counts as zero."""
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("mask", c_void_p),
                ("mask_stride", c_int64), ("out", c_void_p), ("stride", c_int64), ("band_stride", c_int64)]


class GlobeOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("backend", c_char_p), ("metric", c_int), ("semi_major", c_double),
                ("flattening", c_double)]


class Measure(Structure):
    _fields_ = [("struct_size", c_size_t), ("column", c_int64), ("row", c_int64), ("bands", c_int32), ("seed", c_void_p),
                ("stride", c_int64), ("band_stride", c_int64), ("type", c_int), ("distance", c_void_p),
                ("azimuth", c_void_p), ("out_stride", c_int64), ("out_band_stride", c_int64)]


class Failed(Exception):
    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status = status


def pointer(array):
    return None if array is None else array.ctypes.data


def seeds_of(xy):
    x, y = np.ascontiguousarray(xy[:, 0]), np.ascontiguousarray(xy[:, 1])
    seeds = Seeds(x=pointer(x), y=pointer(y), count=len(x))
    seeds.keep = (x, y)
    return seeds


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name, kind in (("gv_context_message", c_char_p), ("gv_voronoi_blocks_across", c_int64),
                           ("gv_voronoi_blocks_down", c_int64), ("gv_qtm_count", c_int64)):
            getattr(self.c, name).restype = kind
        self.backends = []
        for number in range(self.c.gv_backend_count()):
            info = BackendInfo()
            assert self.c.gv_backend_get(number, byref(info)) == 0
            if info.available:
                self.backends.append((info.name.decode(), bool(info.searches_points), bool(info.allocates_grids)))

    def context(self, threads):
        context = c_void_p()
        assert self.c.gv_context_create(byref(ContextOptions(threads=threads, device=-1)), byref(context)) == 0
        return context

    def check(self, context, status):
        if status:
            raise Failed(status, self.c.gv_context_message(context).decode())

    def search(self, reference, queries, backend, metric, k, limit, exclude_self, threads):
        """Indices and distances; reference and queries (None: itself) are count x dim arrays of float32 or float64."""
        def points(a):
            return Points(data=pointer(a), count=len(a), dim=a.shape[1], dtype=int(a.dtype == np.float64))

        context, index = self.context(threads), c_void_p()
        try:
            self.check(context, self.c.gv_index_build(context, byref(points(reference)), byref(
                IndexOptions(backend=backend.encode(), metric=METRICS.index(metric), expected_k=k)), byref(index)))
            asked = reference if queries is None else queries
            return self.answers(context, self.c.gv_index_search, index, None if queries is None else byref(points(queries)),
                                len(asked), k, limit, exclude_self)
        finally:
            self.c.gv_index_destroy(index)
            self.c.gv_context_destroy(context)

    def search_globe(self, reference, queries, backend, metric, k, limit, exclude_self, threads):
        """The same for longitudes and latitudes in degrees."""
        context, index = self.context(threads), c_void_p()
        try:
            self.check(context, self.c.gv_globe_index_build(context, byref(seeds_of(reference)), byref(
                GlobeOptions(backend=backend.encode(), metric=METRICS.index(metric))), byref(index)))
            asked = reference if queries is None else queries
            seeds = None if queries is None else seeds_of(queries)
            return self.answers(context, self.c.gv_globe_index_search, index, None if queries is None else byref(seeds),
                                len(asked), k, limit, exclude_self)
        finally:
            self.c.gv_globe_index_destroy(index)
            self.c.gv_context_destroy(context)

    def answers(self, context, function, index, queries, count, k, limit, exclude_self):
        indices, distances = np.full((count, k), -7, np.int64), np.full((count, k), np.nan)
        options = SearchOptions(k=k, max_distance=limit, exclude_self=int(exclude_self))
        self.check(context, function(context, index, queries, byref(options), c_void_p(pointer(indices)),
                                     c_void_p(pointer(distances))))
        return indices, distances

    def allocate(self, grid, seeds, backend, metric, k=1, limit=math.inf, weighting="unweighted", weights=None, mask=None,
                 block=(0, 0), threads=1, measured=False):
        """Seed numbers, k x height x width, and, if wanted, distances and azimuths of that shape."""
        context, voronoi = self.context(threads), c_void_p()
        try:
            options = VoronoiOptions(backend=backend.encode(), metric=METRICS.index(metric), block_width=block[0],
                                     block_height=block[1], nodata=-1, k=k, max_distance=limit,
                                     weighting=WEIGHTINGS.index(weighting), weights=pointer(weights))
            self.check(context, self.c.gv_voronoi_create(context, byref(grid), byref(seeds_of(seeds)), byref(options),
                                                         byref(voronoi)))
            width = self.c.gv_qtm_count(grid.level) if grid.kind == QTM else grid.width
            height = 1 if grid.kind == QTM else grid.height
            out = np.full((k, height, width), -7, np.int32)
            if mask is None and not measured:
                self.check(context, self.c.gv_voronoi_compute(context, voronoi, c_void_p(pointer(out)), c_int64(width)))
                return out, None, None
            distance, azimuth = np.full(out.shape, np.nan), np.full(out.shape, np.nan, np.float32)
            across, down = self.c.gv_voronoi_blocks_across(voronoi), self.c.gv_voronoi_blocks_down(voronoi)
            columns, rows = self.block_size(width, height, grid.kind, block)
            for j in range(down):
                for i in range(across):
                    at = j * rows * width + i * columns
                    b = Block(column=i, row=j, mask=None if mask is None else pointer(mask) + at, mask_stride=width,
                              out=pointer(out) + 4 * at, stride=width, band_stride=width * height)
                    self.check(context, self.c.gv_voronoi_fill(context, voronoi, byref(b)))
                    if measured:
                        m = Measure(column=i, row=j, bands=k, seed=pointer(out) + 4 * at, stride=width,
                                    band_stride=width * height, type=1, distance=pointer(distance) + 8 * at,
                                    azimuth=pointer(azimuth) + 4 * at, out_stride=width, out_band_stride=width * height)
                        self.check(context, self.c.gv_voronoi_measure(context, voronoi, byref(m)))
            return out, distance, azimuth
        finally:
            self.c.gv_voronoi_destroy(voronoi)
            self.c.gv_context_destroy(context)

    @staticmethod
    def block_size(width, height, kind, block):
        """What the header says of block_width and block_height."""
        if kind == QTM:
            wanted = min(block[0] or 4 ** 8, 4 ** 10)
            return 4 ** int(math.log(wanted, 4) + 1e-9), 1
        return block[0] or 512, block[1] or 512
