"""The library's C interface for Python: what the differential run needs of it, and no more."""

import ctypes
import importlib.util
import math
import pathlib
from ctypes import byref, c_void_p

import numpy as np

# The binding of the Python package, which is written from the headers; nothing else of the package is loaded.
_spec = importlib.util.spec_from_file_location(
    "binding", pathlib.Path(__file__).resolve().parents[2] / "python" / "gpuvoronoi" / "_c.py"
)
c = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(c)

INVALID_ARGUMENT, UNSUPPORTED, METRICS = c.INVALID_ARGUMENT, c.UNSUPPORTED, c.METRICS
PLANE, LONLAT, PROJECTED, QTM = c.GRID_PLANE, c.GRID_LONLAT, c.GRID_PROJECTED, c.GRID_QTM
WEIGHTINGS, INVERSE, Grid = c.WEIGHTINGS, c.Inverse, c.Grid


class Failed(Exception):
    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status = status


def pointer(array):
    return None if array is None else array.ctypes.data


def seeds_of(xy):
    x, y = np.ascontiguousarray(xy[:, 0]), np.ascontiguousarray(xy[:, 1])
    seeds = c.Points(x=pointer(x), y=pointer(y), count=len(x), dim=2, dtype=c.FLOAT64)
    seeds.keep = (x, y)
    return seeds


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name, (result, arguments) in c.FUNCTIONS.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, arguments
        self.backends = []
        for number in range(self.c.gv_backend_count()):
            info = c.BackendInfo()
            assert self.c.gv_backend_get(number, byref(info)) == 0
            if info.available:
                self.backends.append((info.name.decode(), bool(info.searches_points), True))

    def context(self, threads):
        context = c_void_p()
        assert (
            self.c.gv_context_create(byref(c.ContextOptions(threads=threads)), byref(context)) == 0
        )
        return context

    def check(self, context, status):
        if status:
            raise Failed(status, self.c.gv_context_message(context).decode())

    def search(self, reference, queries, backend, metric, k, limit, exclude_self, threads):
        """Indices and distances; reference and queries (None: itself) are count x dim arrays of float32 or float64."""

        def points(a):
            return c.Points(
                data=pointer(a), count=len(a), dim=a.shape[1], dtype=int(a.dtype == np.float64)
            )

        context, index = self.context(threads), c_void_p()
        try:
            self.check(
                context,
                self.c.gv_index_build(
                    context,
                    byref(points(reference)),
                    byref(
                        c.IndexOptions(
                            backend=backend.encode(), metric=METRICS.index(metric), expected_k=k
                        )
                    ),
                    byref(index),
                ),
            )
            asked = reference if queries is None else queries
            return self.answers(
                context,
                index,
                None if queries is None else byref(points(queries)),
                len(asked),
                k,
                limit,
                exclude_self,
            )
        finally:
            self.c.gv_index_destroy(index)
            self.c.gv_context_destroy(context)

    def search_globe(self, reference, queries, backend, metric, k, limit, exclude_self, threads):
        """The same for longitudes and latitudes in degrees."""
        context, index = self.context(threads), c_void_p()
        try:
            self.check(
                context,
                self.c.gv_index_build(
                    context,
                    byref(seeds_of(reference)),
                    byref(c.IndexOptions(backend=backend.encode(), metric=METRICS.index(metric))),
                    byref(index),
                ),
            )
            asked = reference if queries is None else queries
            seeds = None if queries is None else seeds_of(queries)
            return self.answers(
                context,
                index,
                None if queries is None else byref(seeds),
                len(asked),
                k,
                limit,
                exclude_self,
            )
        finally:
            self.c.gv_index_destroy(index)
            self.c.gv_context_destroy(context)

    def answers(self, context, index, queries, count, k, limit, exclude_self):
        indices, distances = np.full((count, k), -7, np.int64), np.full((count, k), np.nan)
        options = c.SearchOptions(k=k, max_distance=limit, exclude_self=int(exclude_self))
        self.check(
            context,
            self.c.gv_index_search(
                context, index, queries, byref(options), pointer(indices), pointer(distances)
            ),
        )
        return indices, distances

    def allocate(
        self,
        grid,
        seeds,
        backend,
        metric,
        k=1,
        limit=math.inf,
        weighting="unweighted",
        weights=None,
        mask=None,
        block=(0, 0),
        threads=1,
        measured=False,
    ):
        """Seed numbers, k x height x width, and, if wanted, distances and azimuths of that shape."""
        context, voronoi = self.context(threads), c_void_p()
        try:
            options = c.VoronoiOptions(
                backend=backend.encode(),
                metric=METRICS.index(metric),
                block_width=block[0],
                block_height=block[1],
                nodata=-1,
                k=k,
                max_distance=limit,
                weighting=WEIGHTINGS.index(weighting),
                weights=pointer(weights),
            )
            self.check(
                context,
                self.c.gv_voronoi_create(
                    context, byref(grid), byref(seeds_of(seeds)), byref(options), byref(voronoi)
                ),
            )
            width = self.c.gv_qtm_count(grid.level) if grid.kind == QTM else grid.width
            height = 1 if grid.kind == QTM else grid.height
            out = np.full((k, height, width), -7, np.int32)
            if mask is None and not measured:
                self.check(
                    context,
                    self.c.gv_voronoi_fill(
                        context, voronoi, byref(c.Labels(out=pointer(out), stride=width)), None
                    ),
                )
                return out, None, None
            distance, azimuth = np.full(out.shape, np.nan), np.full(out.shape, np.nan, np.float32)
            columns, rows = self.block_size(width, height, grid.kind, block)
            for row in range(0, height, rows):
                for column in range(0, width, columns):
                    at = row * width + column
                    place = {
                        "column": column,
                        "row": row,
                        "columns": min(columns, width - column),
                        "rows": min(rows, height - row),
                    }
                    b = c.Labels(
                        **place,
                        mask=None if mask is None else pointer(mask) + at,
                        mask_stride=width,
                        out=pointer(out) + 4 * at,
                        stride=width,
                        band_stride=width * height,
                    )
                    self.check(context, self.c.gv_voronoi_fill(context, voronoi, byref(b), None))
                    if measured:
                        m = c.Measure(
                            **place,
                            bands=k,
                            seed=pointer(out) + 4 * at,
                            stride=width,
                            band_stride=width * height,
                            type=c.FLOAT64,
                            distance=pointer(distance) + 8 * at,
                            azimuth=pointer(azimuth) + 4 * at,
                            out_stride=width,
                            out_band_stride=width * height,
                        )
                        self.check(context, self.c.gv_voronoi_measure(context, voronoi, byref(m)))
            return out, distance, azimuth
        finally:
            self.c.gv_voronoi_destroy(voronoi)
            self.c.gv_context_destroy(context)

    @staticmethod
    def block_size(width, height, kind, block):
        """What the header says of block_width and block_height."""
        if kind == QTM:
            wanted = min(block[0] or 4**8, 4**10)
            return 4 ** int(math.log(wanted, 4) + 1e-9), 1
        return block[0] or 512, block[1] or 512
