/* Canonical decisions about a device's open cells. See open_cells.h. */
#include "voronoi/pipeline/open_cells.h"

#include <stdlib.h>
#include <string.h>

#include "cells/parts.h"
#include "core/parallel.h"
#include "voronoi/cpu/cull.h"
#include "voronoi/k_nearest.h"

static int compare_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static gv_status open_cells_place_of(gv_context *context, const gv_voronoi *v, const gv_open_cell *cell,
                                     gv_cell_place *out) {
  if (gv_grid_is_list(&v->cells.grid)) {
    double center[5];
    gv_cell_position(&v->cells, cell->column, center);
    *out = (gv_cell_place){{center[0], center[1], center[2]}, center[3], center[4]};
    return GV_OK;
  }
  gv_tile tile = {cell->column, cell->column + 1, cell->row, cell->row + 1};
  return gv_cells_positions(context, &v->cells, &tile, &out->vector[0], &out->vector[1], &out->vector[2],
                            &out->lon, &out->lat, NULL);
}

static void decide_cell(const gv_voronoi *v, const gv_cell_place *place, gv_candidates *c,
                        int64_t band_stride, int32_t *value) {
  int32_t found[GV_VORONOI_MAX_K];
  if (gv_nearest_only(v) && isinf(v->max_distance)) {
    qsort(c->id, (size_t)c->count, sizeof *c->id, compare_ids);
    for (int32_t n = 0; n < c->count; n++) {
      c->x[n] = v->seeds.x[c->id[n]];
      c->y[n] = v->seeds.y[c->id[n]];
      c->z[n] = v->seeds.z[c->id[n]];
    }
    found[0] = c->id[gv_geodesic_decide(&v->geodesic, gv_seed_lonlats(&v->seeds), place->lon, place->lat,
                                        place->vector, c, NULL)];
  } else {
    gv_k_nearest_geodesic(v, place, c->id, c->count, found);
  }
  for (int32_t k = 0; k < v->k; k++)
    value[k * band_stride] = found[k] >= 0 ? v->label[found[k]] : v->nodata;
}

/* Open cells being decided; memory of each worker for the longest list of candidates. */
typedef struct deciding {
  const gv_voronoi *v;
  const gv_open_cells *open;
  int32_t *value;
  int64_t longest;
  double *memory;
  int32_t *id;
} deciding;

static gv_status decide_some(gv_worker *worker, int64_t first, int64_t end) {
  const deciding *d = worker->user;
  double *memory = d->memory + 3 * d->longest * worker->number;
  gv_candidates c = {memory, memory + d->longest, memory + 2 * d->longest,
                     d->id + d->longest * worker->number, 0};
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    const gv_open_cell *cell = &d->open->cell[i];
    gv_cell_place place;
    status = open_cells_place_of(&worker->context, d->v, cell, &place);
    if (status != GV_OK) break;
    c.count = cell->count;
    memcpy(c.id, d->open->id + cell->list, (size_t)c.count * sizeof *c.id);
    decide_cell(d->v, &place, &c, d->open->count, d->value + i);
  }
  return status;
}

gv_status gv_open_cells_decide(gv_context *context, const gv_voronoi *v, const gv_open_cells *open,
                               int32_t *value) {
  deciding d = {v, open, value, 0, NULL, NULL};
  gv_loop loop = {context, open->count > 64 ? context->threads : 1, open->count, 64, NULL, &d};
  for (int64_t i = 0; i < open->count; i++)
    d.longest = open->cell[i].count > d.longest ? open->cell[i].count : d.longest;
  d.longest = (d.longest + 15) / 16 * 16; /* whole cache lines, so that every worker's part is its own */
  d.memory = gv_allocate(&context->allocator, 3 * d.longest * loop.threads, sizeof *d.memory);
  d.id = gv_allocate(&context->allocator, d.longest * loop.threads, sizeof *d.id);
  gv_status status = d.memory != NULL && d.id != NULL ? gv_parallel_for(&loop, decide_some)
                                                      : gv_fail_memory(context, "open cells");
  gv_release(&context->allocator, d.memory);
  gv_release(&context->allocator, d.id);
  return status;
}

gv_status gv_open_cells_deliver(gv_context *context, const gv_voronoi *v, const gv_raster_device *device,
                                gv_cuda_raster *raster, int strip, const gv_open_cells *open) {
  int64_t *at = gv_allocate(&context->allocator, open->count, sizeof *at);
  int32_t *value = gv_allocate(&context->allocator, open->count * v->k, sizeof *value);
  gv_status status = GV_OK;
  if (at == NULL || value == NULL) status = gv_fail_memory(context, "open cells");
  for (int64_t i = 0; i < open->count && status == GV_OK; i++)
    at[i] = open->cell[i].at;
  if (status == GV_OK) status = gv_open_cells_decide(context, v, open, value);
  if (status == GV_OK) status = device->patch(context, raster, strip, at, value, open->count);
  gv_release(&context->allocator, at);
  gv_release(&context->allocator, value);
  return status;
}
