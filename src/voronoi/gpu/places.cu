/*
 * Lists of cells on a device: their positions, by the same formulas as on CPUs; lists in no order, along S2's
 * curve, which is continuous on the globe (a curve that fills a box around it is not: boxes of some spans
 * were as large as the globe); and the boxes around spans.
 */
#include <string.h>

#include "cells/healpix.h"
#include "cells/s2.h"
#include "exact/sines.h"
#include "search/cuda/tree.h"
#include "voronoi/gpu/places.cuh"
#include "voronoi/gpu/raster_state.cuh"

namespace gv {

enum { CURVE_LEVEL = 18, KEY_BITS = 3 + 2 * CURVE_LEVEL /* cells of 35 m */ };

/* Where positions are from. */
struct place_source {
  int32_t kind, level, ring, authalic;
  double series[GV_AUTHALIC_TERMS];
  double eccentricity2; /* -1 on the sphere */
  const double *longitude, *latitude;
};

/* The position of a cell by its number. */
__device__ static place place_of(const place_source &s, int64_t number) {
  gv_direction d;
  double longitude, latitude, p, z;
  if (s.kind == GV_GRID_S2) {
    d = gv_s2_direction_of(s.level, number);
  } else if (s.kind == GV_GRID_HEALPIX) {
    const gv_healpix_place at =
        s.ring ? gv_healpix_find_in_ring(s.level, number) : gv_healpix_find(s.level, number);
    gv_healpix_cell_center(ldexp(1.0, s.level), (double)at.ring, (double)at.nr, (double)at.eighth, &d.sin_lat,
                           &d.cos_lat, &longitude);
    gv_sines(longitude, &d.sin_lon, &d.cos_lon);
  } else {
    longitude = s.longitude[number];
    latitude = s.latitude[number];
    gv_take_lonlat(&longitude, &latitude);
    if (isnan(longitude)) return {CUDART_NAN, CUDART_NAN, CUDART_NAN};
    gv_sines(longitude, &d.sin_lon, &d.cos_lon);
    gv_sines(latitude, &d.sin_lat, &d.cos_lat);
  }
  if (s.authalic) gv_authalic_to_geodetic(s.series, &d.sin_lat, &d.cos_lat);
  gv_meridian_point(s.eccentricity2, d.sin_lat, d.cos_lat, &p, &z);
  return {p * d.cos_lon, p * d.sin_lon, z};
}

/* Cells without a position are the last of the curve. */
__global__ void place_keys(const __grid_constant__ place_source s, const __grid_constant__ gv_s2_curve curve,
                           int64_t count, uint64_t *keys, int32_t *numbers) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const place at = place_of(s, i);
  const double direction[3] = {at.x, at.y, at.z};
  keys[i] = isnan(at.x) ? ((uint64_t)1 << KEY_BITS) - 1
                        : (uint64_t)gv_s2_curve_number(&curve, CURVE_LEVEL, direction);
  numbers[i] = (int32_t)i;
}

__global__ void make_places(const __grid_constant__ place_source s, int64_t count, const int32_t *order,
                            double *places) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const place at = place_of(s, order != NULL ? order[i] : i);
  places[i] = at.x;
  places[count + i] = at.y;
  places[2 * count + i] = at.z;
}

/* One warp a span. */
__global__ void make_boxes(const __grid_constant__ problem p, int log, int64_t spans, place_box *out) {
  const int lane = threadIdx.x % WARP;
  const int64_t span = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP, first = span << log;
  if (span >= spans) return;
  const int64_t end = first + (1 << log) < p.width ? first + (1 << log) : p.width;
  double low[3] = {CUDART_INF, CUDART_INF, CUDART_INF}, high[3] = {-CUDART_INF, -CUDART_INF, -CUDART_INF};
  for (int64_t i = first + lane; i < end; i += WARP) {
    const place at = place_along(p, i);
    const double coordinate[3] = {at.x, at.y, at.z};
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], coordinate[d]);
      high[d] = fmax(high[d], coordinate[d]);
    }
  }
  place_box box;
  for (int d = 0; d < 3; d++) {
    box.low[d] = warp_low(low[d]);
    box.high[d] = warp_high(high[d]);
    if (!(box.low[d] <= box.high[d])) box.low[d] = box.high[d] = 0.0; /* no cell has a position */
  }
  if (lane == 0) out[span] = box;
}

__global__ void join_boxes(const place_box *from, int64_t children, place_box *out) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i >= children) return;
  place_box box = from[2 * i];
  if (2 * i + 1 < children) {
    const place_box other = from[2 * i + 1];
    for (int d = 0; d < 3; d++) {
      box.low[d] = fmin(box.low[d], other.low[d]);
      box.high[d] = fmax(box.high[d], other.high[d]);
    }
  }
  out[i] = box;
}

} // namespace gv

/* The source; the longitudes and latitudes of a list are copied. */
static gv_status places_source(gv_context *context, gv_cuda_raster *raster, gv::place_source *s) {
  const gv_cells *cells = &raster->v->cells;
  const gv_grid *grid = &cells->grid;
  const size_t bytes = (size_t)grid->width * sizeof(double);
  const gv_sphere_latitudes *latitudes = cells->s2 != NULL        ? &cells->s2->latitudes
                                         : cells->healpix != NULL ? &cells->healpix->latitudes
                                                                  : NULL;
  void *memory = NULL;
  gv_status status = GV_OK;
  memset(s, 0, sizeof *s);
  s->kind = grid->kind;
  s->level = grid->order;
  s->ring = grid->ring != 0;
  s->eccentricity2 = raster->problem.eccentricity2;
  s->authalic = latitudes != NULL && latitudes->authalic;
  if (s->authalic) memcpy(s->series, latitudes->series, sizeof s->series);
  if (grid->kind != GV_GRID_POINTS) return GV_OK;
  status = gv_cuda_reserve(context, raster->queue, SLOT_TABLES, 2 * bytes, &memory);
  if (status != GV_OK) return status;
  s->longitude = (const double *)memory;
  s->latitude = s->longitude + grid->width;
  status = gv_cuda_upload(context, raster->queue, memory, grid->longitude, bytes, "copying the points");
  if (status == GV_OK)
    status = gv_cuda_upload(context, raster->queue, (double *)memory + grid->width, grid->latitude, bytes,
                            "copying the points");
  return status;
}

/* Sorts the cells along the curve. */
static gv_status places_sort(gv_context *context, gv_cuda_raster *raster, const gv::place_source *s) {
  gv_cuda_queue *queue = raster->queue;
  const int64_t n = raster->problem.width;
  void *keys_memory = NULL, *numbers_memory = NULL;
  gv_status status =
      gv_cuda_reserve(context, queue, SLOT_WORK, 2 * (size_t)n * sizeof(uint64_t), &keys_memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_ORDER, 2 * (size_t)n * sizeof(int32_t), &numbers_memory);
  if (status != GV_OK) return status;
  uint64_t *keys[2] = {(uint64_t *)keys_memory, (uint64_t *)keys_memory + n};
  int *numbers[2] = {(int *)numbers_memory, (int *)numbers_memory + n};
  gv_s2_curve curve;
  gv_s2_curve_make(&curve);
  gv::place_keys<<<blocks_for(n, 256), 256, 0, queue->stream>>>(*s, curve, n, keys[0], numbers[0]);
  GV_CUDA_LAUNCHED(context, "sorting the places");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, keys, numbers, (int)n, gv::KEY_BITS);
  raster->problem.order = numbers[0];
done:
  return status;
}

/* The boxes of all levels. */
static gv_status places_boxes(gv_context *context, gv_cuda_raster *raster) {
  gv_cuda_queue *queue = raster->queue;
  gv::problem *p = &raster->problem;
  const int leaf = gv_cuda_places_leaf(raster->v), top = gv_cuda_top_log(raster->v);
  int64_t all = 0;
  void *memory = NULL;
  for (int log = leaf; log == leaf || log <= top; log++)
    all += ceil_shift(p->width, log);
  gv_status status =
      gv_cuda_reserve(context, queue, SLOT_BOXES, (size_t)all * sizeof(gv::place_box), &memory);
  if (status != GV_OK) return status;
  gv::place_box *at = (gv::place_box *)memory, *last = NULL;
  for (int log = leaf; log == leaf || log <= top; log++) {
    const int64_t spans = ceil_shift(p->width, log);
    p->boxes[log] = at;
    if (log == leaf) {
      gv::make_boxes<<<blocks_for(spans * gv::WARP, 256), 256, 0, queue->stream>>>(*p, log, spans, at);
    } else {
      gv::join_boxes<<<blocks_for(spans, 256), 256, 0, queue->stream>>>(last, ceil_shift(p->width, log - 1),
                                                                        at);
    }
    GV_CUDA_LAUNCHED(context, "boxes of the places");
    last = at;
    at += spans;
  }
done:
  return status;
}

gv_status gv_cuda_make_places(gv_context *context, gv_cuda_raster *raster) {
  gv_cuda_queue *queue = raster->queue;
  gv::problem *p = &raster->problem;
  gv::place_source source;
  void *memory = NULL;
  gv_status status = places_source(context, raster, &source);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_PLACES, 3 * (size_t)p->width * sizeof(double), &memory);
  if (status != GV_OK) return status;
  gv_cuda_mark_begin(queue);
  if (gv_grid_is_unordered(&raster->v->cells.grid)) status = places_sort(context, raster, &source);
  if (status != GV_OK) return status;
  gv::make_places<<<blocks_for(p->width, 256), 256, 0, queue->stream>>>(source, p->width, p->order,
                                                                        (double *)memory);
  GV_CUDA_LAUNCHED(context, "positions of the places");
  p->places = (const double *)memory;
  status = places_boxes(context, raster);
  gv_cuda_mark_end(queue);
done:
  return status;
}
