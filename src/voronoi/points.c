/*
 * Any backend that searches points as an engine for grids: cells become query points, block by block.
 *
 * On the plane and the sphere the exact distance of a grid is the backend's own (squared chords are squared
 * euclidean distances of unit vectors), so its result is used directly. For geodesics the backend finds the
 * seeds nearest by chord, in growing numbers until one is too far to matter; exact distances are computed for
 * these. `serial` calls geod_inverse for every seed; it is the reference for the others. Weighted distances
 * are not supported by the backends: every seed is compared. Backends for grids only use this file if
 * distances cannot be squared (voronoi.c).
 */
#include <string.h>

#include "cells/parts.h"
#include "search/backend.h"
#include "voronoi/engine.h"
#include "voronoi/k_nearest.h"
#include "voronoi/widen.h"

enum {
  BATCH = 16384,              /* cells searched at once by a CPU, */
  DEVICE_BATCH = 1 << 18,     /* and by a device, where every search costs tens of microseconds, */
  DEVICE_NEIGHBORS = 1 << 20, /* maximum number of neighbors requested at once */
  SPARE = 1,                  /* geodesic: additional neighbors by chord at first */
  LARGEST_REQUEST = 512
};

static bool compares_all(const gv_voronoi *v) {
  return v->weigher.weighting != GV_UNWEIGHTED || (v->cells.metric == GV_GEODESIC && v->backend->exhaustive);
}

static gv_status points_create(gv_context *context, gv_voronoi *v, void **state) {
  *state = NULL;
  if (compares_all(v)) return GV_OK;
  int dim = v->cells.dim;
  double *data = gv_allocate(&context->allocator, (int64_t)v->seeds.count * dim, sizeof *data);
  if (data == NULL) return gv_fail_memory(context, "the seeds");
  for (int32_t i = 0; i < v->seeds.count; i++) {
    data[(int64_t)i * dim] = v->seeds.x[i];
    data[(int64_t)i * dim + 1] = v->seeds.y[i];
    if (dim == 3) data[(int64_t)i * dim + 2] = v->seeds.z[i];
  }
  gv_points points = gv_points_rows(data, v->seeds.count, dim, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = v->backend->name;
  options.metric = dim == 3 ? GV_EUCLIDEAN : v->cells.metric;
  gv_context quiet;
  gv_context_without_progress(context, &quiet);
  gv_status status = gv_point_index_build(&quiet, &points, &options, (gv_point_index **)state);
  status = gv_take_error(context, status, &quiet);
  gv_release(&context->allocator, data);
  return status;
}

static void points_destroy(const gv_voronoi *v, void *state) {
  (void)v;
  gv_point_index_destroy(state);
}

/* One block at work. */
typedef struct points_search {
  const gv_voronoi *v;
  const gv_point_index *index;
  const gv_labels *block;
  int64_t columns;
  int32_t requested;             /* neighbors requested from the backend */
  double limit;                  /* and their largest exact distance */
  double *x, *y, *z, *lon, *lat; /* of the whole block; lon, lat NULL on the plane */
  double *query;                 /* batch x dim */
  int32_t *cell;                 /* batch: which cell of the block a query is */
  int64_t *found;                /* batch x requested */
  double *canonical;
} points_search;

static void write_cell(const points_search *j, int64_t cell, const int32_t *found) {
  const gv_voronoi *v = j->v;
  int32_t *out = j->block->out + cell / j->columns * j->block->stride + cell % j->columns;
  for (int32_t band = 0; band < v->k; band++)
    out[band * j->block->band_stride] = found[band] >= 0 ? v->label[found[band]] : v->nodata;
}

static gv_cell_place grid_points_place_of(const points_search *j, int64_t cell) {
  gv_cell_place place = {{j->x[cell], j->y[cell], j->z != NULL ? j->z[cell] : 0.0}, 0.0, 0.0};
  if (j->lon != NULL) {
    place.lon = j->lon[cell];
    place.lat = j->lat[cell];
  }
  return place;
}

/* The exact result for query `number` of a batch. */
static gv_status k_nearest_geodesic(gv_context *context, const void *user, int64_t number,
                                    const gv_neighbors *near) {
  const points_search *j = user;
  const gv_voronoi *v = j->v;
  gv_cell_place place = grid_points_place_of(j, j->cell[number]);
  int32_t seed[LARGEST_REQUEST], nearest[GV_VORONOI_MAX_K];
  (void)context;
  if (near->count < 0) { /* so many within the slack: any of them */
    gv_k_nearest_geodesic(v, &place, NULL, v->seeds.count, nearest);
  } else if (near->count <= v->k && !isfinite(v->max_distance) &&
             gv_chords_decide(&v->geodesic, near->chord2, near->count)) { /* only the order is needed */
    for (int32_t i = 0; i < v->k; i++)
      nearest[i] = i < near->count ? (int32_t)near->found[i] : -1;
  } else {
    for (int32_t i = 0; i < near->count; i++)
      seed[i] = (int32_t)near->found[i];
    gv_k_nearest_geodesic(v, &place, seed, near->count, nearest);
  }
  write_cell(j, j->cell[number], nearest);
  return GV_OK;
}

static gv_status search_batch(gv_context *context, const points_search *j, int32_t n) {
  const gv_voronoi *v = j->v;
  gv_query query = {j->query, n, j->requested, j->limit, -1, NULL, NULL};
  gv_status status = gv_index_search_canonical(context, j->index, &query, j->found, j->canonical);
  if (status == GV_OK && v->cells.metric == GV_GEODESIC) {
    gv_widening widening = {&v->geodesic, j->index, v->k, LARGEST_REQUEST, k_nearest_geodesic, j};
    return gv_widen(context, &widening, &query, j->found, j->canonical);
  }
  for (int32_t q = 0; q < n && status == GV_OK; q++) {
    int32_t nearest[GV_VORONOI_MAX_K];
    for (int32_t i = 0; i < v->k; i++)
      nearest[i] = (int32_t)j->found[(int64_t)q * j->requested + i];
    write_cell(j, j->cell[q], nearest);
  }
  return status;
}

static gv_status points_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                              const gv_labels *block, int *uniform) {
  (void)uniform;
  int64_t columns = tile->c1 - tile->c0, cells = columns * (tile->r1 - tile->r0);
  int dim = v->cells.dim;
  bool globe = dim == 3, geodesic = v->cells.metric == GV_GEODESIC;
  points_search j = {
      .v = v, .index = state, .block = block, .columns = columns, .requested = v->k, .limit = v->limit};
  if (geodesic) {
    /* No chord is longer than its geodesic; room for rounding. */
    double chord = v->max_distance / v->cells.ellipsoid.semi_major * (1.0 + 1e-12) + 1e-12;
    j.requested = v->k + SPARE;
    j.limit = chord * chord;
  }
  gv_status status = GV_OK;
  int64_t at_once = BATCH;
  if (v->backend->device) {
    at_once = DEVICE_NEIGHBORS / j.requested < DEVICE_BATCH ? DEVICE_NEIGHBORS / j.requested : DEVICE_BATCH;
  }
  if (at_once > cells) at_once = cells;
  double *positions = gv_allocate(&context->allocator, cells * (globe ? 5 : 2), sizeof(double));
  double *batch = gv_allocate(&context->allocator, at_once * (dim + j.requested), sizeof(double));
  j.found = gv_allocate(&context->allocator, at_once * j.requested, sizeof *j.found);
  j.cell = gv_allocate(&context->allocator, at_once, sizeof *j.cell);
  if (positions == NULL || batch == NULL || j.found == NULL || j.cell == NULL) {
    status = gv_fail_memory(context, "a block's positions");
    goto done;
  }
  j.x = positions;
  j.y = positions + cells;
  if (globe) {
    j.z = positions + 2 * cells;
    j.lon = positions + 3 * cells;
    j.lat = positions + 4 * cells;
  }
  j.query = batch;
  j.canonical = batch + at_once * dim;
  status = gv_grid_is_mesh(&v->cells.grid) && !geodesic
               ? gv_cells_positions(context, &v->cells, tile, j.x, j.y, j.z, NULL, NULL, NULL)
               : gv_cells_positions(context, &v->cells, tile, j.x, j.y, j.z, j.lon, j.lat, NULL);
  if (!geodesic) j.lon = j.lat = NULL;

  int32_t none[GV_VORONOI_MAX_K], nearest[GV_VORONOI_MAX_K], n = 0;
  for (int32_t i = 0; i < v->k; i++)
    none[i] = -1;
  for (int64_t i = 0; i < cells && status == GV_OK; i++) {
    bool masked = block->mask != NULL && block->mask[i / columns * block->mask_stride + i % columns] == 0;
    if (masked || isnan(j.x[i])) {
      write_cell(&j, i, none);
    } else if (compares_all(v)) {
      gv_cell_place place = grid_points_place_of(&j, i);
      gv_k_nearest_all(v, &place, nearest);
      write_cell(&j, i, nearest);
    } else {
      j.cell[n] = (int32_t)i;
      j.query[(int64_t)n * dim] = j.x[i];
      j.query[(int64_t)n * dim + 1] = j.y[i];
      if (globe) j.query[(int64_t)n * dim + 2] = j.z[i];
      n++;
    }
    if (n == at_once || (n > 0 && i == cells - 1)) {
      status = search_batch(context, &j, n);
      n = 0;
    }
  }
done:
  gv_release(&context->allocator, positions);
  gv_release(&context->allocator, batch);
  gv_release(&context->allocator, j.found);
  gv_release(&context->allocator, j.cell);
  return status;
}

const gv_engine gv_engine_points = {points_create, points_block, points_destroy, NULL, NULL};
