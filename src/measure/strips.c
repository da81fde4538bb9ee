/* Distances and azimuths on a device. Pairs that the device's series does not solve are computed here, in
 * pieces if they are many. */
#include <string.h>

#include "core/array_options.h"
#include "core/given.h"
#include "core/parallel.h"
#include "geodesic/series_numbers.h"
#include "measure/place.h"
#include "measure/strips.h"
#include "search/cuda_module.h"

gv_status gv_measure_open_pair(gv_context *context, const gv_voronoi *v, const gv_open_pair *p,
                               gv_open_result *out) {
  int32_t s = v->seeds.distinct != NULL ? v->seeds.distinct[p->seed] : p->seed;
  double lon = 0.0, lat = 0.0, vector[3], azimuth = 0.0;
  if (!gv_place_of_cell(&v->cells, p->column, p->row, &lon, &lat)) {
    gv_tile tile = {p->column, p->column + 1, p->row, p->row + 1};
    GV_TRY(
        gv_cells_positions(context, &v->cells, &tile, &vector[0], &vector[1], &vector[2], &lon, &lat, NULL));
  }
  geod_inverse(&v->geodesic.geod, lat, lon, v->seeds.lat[s], v->seeds.lon[s], &out->distance, &azimuth, NULL);
  out->azimuth = gv_reported_azimuth(azimuth);
  return GV_OK;
}

/* Pairs that PROJ computes. */
typedef struct strips_open_pairs {
  const gv_voronoi *v;
  const gv_open_pair *pair;
  gv_open_result *result;
} strips_open_pairs;

static gv_status measure_pairs(gv_worker *worker, int64_t first, int64_t end) {
  const strips_open_pairs *a = worker->user;
  for (int64_t i = first; i < end; i++)
    GV_TRY(gv_measure_open_pair(&worker->context, a->v, &a->pair[i], &a->result[i]));
  return GV_OK;
}

static gv_status measure_strips_compute(gv_device_strips *d, const gv_voronoi *v,
                                        const gv_measure_device *device, const gv_measure *m,
                                        const gv_open_pairs *open) {
  gv_context *context = &d->context;
  strips_open_pairs a = {v, open->pair,
                         gv_allocate_zeroed(&context->allocator, open->count, sizeof *a.result)};
  gv_loop loop = {context, open->count > 64 ? context->threads : 1, open->count, 64, NULL, &a};
  if (a.result == NULL) return gv_fail_memory(context, "open cells");
  gv_status status = gv_parallel_for(&loop, measure_pairs);
  if (status == GV_OK) status = device->put_results(context, d->raster, m, a.result, open->count);
  gv_release(&context->allocator, a.result);
  return status;
}

/* As many cells at once as can be open together. */
static gv_status measure_pieces(gv_device_strips *d, const gv_voronoi *v, const gv_measure_device *device,
                                const gv_measure *m, double radius) {
  int64_t most = GV_CUDA_OPEN_PAIRS / m->bands, columns = m->columns < most ? m->columns : most;
  if (columns < 1) return gv_fail(&d->context, GV_ERROR_UNSUPPORTED, "bands: too many (%d)", (int)m->bands);
  int64_t rows = most / columns, across = (m->columns + columns - 1) / columns,
          down = (m->rows + rows - 1) / rows;
  size_t size = m->type == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  gv_status status = GV_OK;
  for (int64_t i = 0; i < across * down && status == GV_OK; i++) {
    int64_t column = i % across * columns, row = i / across * rows;
    gv_measure piece = *m;
    gv_open_pairs open;
    piece.column += column;
    piece.row += row;
    piece.columns = m->columns - column < columns ? m->columns - column : columns;
    piece.rows = m->rows - row < rows ? m->rows - row : rows;
    piece.seed += row * m->stride + column;
    int64_t at = row * m->out_stride + column;
    if (m->distance != NULL) piece.distance = (char *)m->distance + (size_t)at * size;
    if (m->azimuth != NULL) piece.azimuth = m->azimuth + at;
    status = device->measure(&d->context, d->raster, &piece, radius, &open);
    if (status == GV_OK && open.count > 0) status = measure_strips_compute(d, v, device, &piece, &open);
  }
  return status;
}

gv_status gv_measure_carried(gv_device_strips *d, const gv_voronoi *v, const gv_measure *m) {
  const char *reason;
  const gv_measure_device *device = gv_cuda_module_get(&reason)->measuring;
  double radius = gv_globe_radius(&v->cells.ellipsoid);
  gv_open_pairs open;
  gv_status status = device->measure(&d->context, d->raster, m, radius, &open);
  if (status != GV_OK || open.count == 0) return status;
  return open.count <= GV_CUDA_OPEN_PAIRS ? measure_strips_compute(d, v, device, m, &open)
                                          : measure_pieces(d, v, device, m, radius);
}

static gv_status measure_strip(gv_device_strips *d, const gv_voronoi *v, void *user) {
  return gv_measure_carried(d, v, user);
}

gv_status gv_measure_on_device(gv_context *context, const gv_voronoi *v, gv_measure *m) {
  if (m->distance == NULL && m->azimuth == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "distances and azimuths: both output pointers are NULL");
  gv_device_strips *strips = gv_cuda_tile_strips(v);
  if (strips == NULL) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "measuring into device memory: unsupported for these cells or backend %s; use cuda-tile "
                   "on rasters or QTM "
                   "without weights and projections",
                   gv_voronoi_backend(v));
  }
  const void *const given[] = {m->seed, m->distance, m->azimuth};
  return gv_device_strips_run(context, strips, v, gv_stream_of(m->array_options), given, 3, measure_strip, m);
}
