/* Canonical decisions about a device's open cells. See open_cells.h. */
#include "voronoi/gpu/open_cells.h"

#include <stdlib.h>
#include <string.h>

#include "cells/mesh.h"
#include "voronoi/cpu/cull.h"
#include "voronoi/rank.h"

static int compare_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static gv_status place_of(gv_context *context, const gv_voronoi *v, const gv_open_cell *cell, gv_place *out) {
  if (v->cells.grid.kind == GV_GRID_QTM) {
    gv_qtm_id triangle = 0;
    double centre[5];
    gv_qtm_from_number(v->cells.grid.level, cell->column, &triangle);
    gv_mesh_centre(triangle, &v->cells.ellipsoid, centre);
    *out = (gv_place){{centre[0], centre[1], centre[2]}, centre[3], centre[4]};
    return GV_OK;
  }
  gv_tile tile = {cell->column, cell->column + 1, cell->row, cell->row + 1};
  return gv_cells_positions(context, &v->cells, &tile, &out->vector[0], &out->vector[1], &out->vector[2], &out->lon,
                            &out->lat, NULL);
}

static void decide_cell(const gv_voronoi *v, const gv_place *place, gv_candidates *c, int64_t ranks,
                        int32_t *value) {
  int32_t found[GV_VORONOI_MAX_K];
  if (gv_asks_nearest(v) && isinf(v->max_distance)) {
    qsort(c->id, (size_t)c->count, sizeof *c->id, compare_ids);
    for (int32_t n = 0; n < c->count; n++) {
      c->x[n] = v->seeds.x[c->id[n]];
      c->y[n] = v->seeds.y[c->id[n]];
      c->z[n] = v->seeds.z[c->id[n]];
    }
    found[0] = c->id[gv_geodesic_decide(&v->geodesic, gv_seed_lonlats(&v->seeds), place->lon, place->lat,
                                        place->vector, c, NULL)];
  } else {
    gv_rank_geodesic(v, place, c->id, c->count, found);
  }
  for (int32_t k = 0; k < v->k; k++)
    value[k * ranks] = found[k] >= 0 ? v->label[found[k]] : v->nodata;
}

gv_status gv_open_cells_decide(gv_context *context, const gv_voronoi *v, const gv_open_cells *open,
                               int32_t *value) {
  int32_t longest = 0;
  for (int64_t i = 0; i < open->count; i++)
    longest = open->cell[i].count > longest ? open->cell[i].count : longest;
  gv_first_error error;
  gv_first_error_init(&error);
#pragma omp parallel num_threads(context->threads) if (open->count > 64)
  {
    double *memory = gv_allocate(&context->allocator, 3 * (int64_t)longest, sizeof *memory);
    int32_t *id = gv_allocate(&context->allocator, longest, sizeof *id);
    if (memory == NULL || id == NULL) {
      gv_first_error_set(&error, GV_ERROR_OUT_OF_MEMORY, "out of memory for open cells");
    }
    gv_candidates c = {memory, memory + longest, memory + 2 * (int64_t)longest, id, 0};
    gv_context worker;
    gv_context_for_worker(context, &worker);
#pragma omp for schedule(dynamic, 64)
    for (int64_t i = 0; i < open->count; i++) {
      if (gv_first_error_seen(&error)) continue;
      const gv_open_cell *cell = &open->cell[i];
      gv_place place;
      gv_status status = place_of(&worker, v, cell, &place);
      gv_first_error_set(&error, status, worker.message);
      if (status != GV_OK) continue;
      c.count = cell->count;
      memcpy(c.id, open->id + cell->list, (size_t)c.count * sizeof *c.id);
      decide_cell(v, &place, &c, open->count, value + i);
    }
    gv_release(&context->allocator, memory);
    gv_release(&context->allocator, id);
  }
  return gv_first_error_seen(&error) ? gv_first_error_finish(&error, context) : GV_OK;
}
