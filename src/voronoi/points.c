/*
 * Any backend that searches points as an engine for grids: cells become query points, block by block.
 *
 * On the plane and the sphere the canonical distance of a grid is the backend's own (squared chords are squared
 * euclidean distances of unit vectors), so its answer is the answer. For geodesics the backend finds the seeds
 * nearest by chord, more and more of them until one is too far to matter, and those few are asked about
 * canonically. `serial` takes no such short cut: it asks geod_inverse about every seed, and is what the others are
 * compared with.
 */
#include <string.h>

#include "search/backend.h"
#include "voronoi/engine.h"

enum {
  BATCH = 16384, /* cells searched at once */
  FIRST_K = 2,
  LARGEST_K = 512
};

static bool asks_everything(const gv_voronoi *v) {
  return v->cells.metric == GV_GEODESIC && strcmp(v->backend, "serial") == 0;
}

static gv_status points_create(gv_context *context, gv_voronoi *v, void **state) {
  *state = NULL;
  if (asks_everything(v)) return GV_OK;
  int dim = v->cells.dim;
  double *data = gv_allocate(&context->allocator, (int64_t)v->seeds.count * dim, sizeof *data);
  if (data == NULL) return gv_fail_memory(context, "the seeds");
  for (int32_t i = 0; i < v->seeds.count; i++) {
    data[(int64_t)i * dim] = v->seeds.x[i];
    data[(int64_t)i * dim + 1] = v->seeds.y[i];
    if (dim == 3) data[(int64_t)i * dim + 2] = v->seeds.z[i];
  }
  gv_points points = {data, v->seeds.count, dim, GV_FLOAT64};
  gv_index_options options = GV_INDEX_OPTIONS_INIT;
  options.backend = v->backend;
  options.metric = dim == 3 ? GV_EUCLIDEAN : v->cells.metric;
  gv_context quiet = *context;
  quiet.progress = NULL;
  gv_status status = gv_index_build(&quiet, &points, &options, (gv_index **)state);
  if (status != GV_OK) memcpy(context->message, quiet.message, sizeof context->message);
  gv_release(&context->allocator, data);
  return status;
}

static void points_destroy(const gv_voronoi *v, void *state) {
  (void)v;
  gv_index_destroy(state);
}

/* Buffers of one block's work. */
typedef struct buffers {
  double *x, *y, *z, *lon, *lat; /* of the whole block; lon, lat NULL on the plane */
  double *query;                 /* BATCH x dim */
  int32_t *cell;                 /* BATCH: which cell of the block a query is */
  int64_t *found;                /* BATCH x k, or LARGEST_K */
  double *canonical;
  gv_candidates candidates; /* LARGEST_K, geodesic only; or all seeds */
} buffers;

static int32_t brute_force_geodesic(const gv_voronoi *v, double lon, double lat) {
  double best = INFINITY;
  int32_t nearest = 0;
  for (int32_t i = 0; i < v->seeds.count; i++) {
    double distance = INFINITY;
    geod_inverse(&v->geodesic.geod, lat, lon, v->seeds.lat[i], v->seeds.lon[i], &distance, NULL, NULL);
    if (distance < best) {
      best = distance;
      nearest = i;
    }
  }
  return nearest;
}

/* The canonical answer for one cell by asking for more and more neighbours by chord. */
static gv_status widen_geodesic(gv_context *context, const gv_voronoi *v, const gv_index *index, buffers *b,
                                int64_t i, int32_t *nearest) {
  double vector[3] = {b->x[i], b->y[i], b->z[i]};
  int64_t found[LARGEST_K];
  double chord2[LARGEST_K];
  for (int32_t k = 8;; k *= 8) {
    if (k > LARGEST_K) { /* so many within the slack: all of them then */
      *nearest = brute_force_geodesic(v, b->lon[i], b->lat[i]);
      return GV_OK;
    }
    gv_query query = {vector, 1, k, INFINITY, -1};
    gv_status status = gv_index_search_canonical(context, index, &query, found, chord2);
    if (status != GV_OK) return status;
    bool all = found[k - 1] < 0;
    if (!all && !(chord2[k - 1] > chord2[0] + gv_geodesic_slack(&v->geodesic, sqrt(chord2[0])))) continue;
    /* Ascending seed number: equal geodesics go to the lowest. */
    gv_candidates *c = &b->candidates;
    c->count = 0;
    for (int32_t n = 0; n < k && found[n] >= 0; n++) {
      int32_t at = c->count++, seed = (int32_t)found[n];
      for (; at > 0 && c->id[at - 1] > seed; at--)
        c->id[at] = c->id[at - 1];
      c->id[at] = seed;
    }
    for (int32_t n = 0; n < c->count; n++) {
      c->x[n] = v->seeds.x[c->id[n]];
      c->y[n] = v->seeds.y[c->id[n]];
      c->z[n] = v->seeds.z[c->id[n]];
    }
    *nearest = c->id[gv_geodesic_decide(&v->geodesic, &v->seeds, b->lon[i], b->lat[i], vector, c, NULL)];
    return GV_OK;
  }
}

static gv_status search_batch(gv_context *context, const gv_voronoi *v, const gv_index *index, buffers *b,
                              int32_t n, const gv_tile *tile, int32_t *out, int64_t stride) {
  bool geodesic = v->cells.metric == GV_GEODESIC;
  int32_t k = geodesic ? FIRST_K : 1;
  int64_t columns = tile->c1 - tile->c0;
  gv_query query = {b->query, n, k, INFINITY, -1};
  gv_status status = gv_index_search_canonical(context, index, &query, b->found, b->canonical);
  for (int32_t q = 0; q < n && status == GV_OK; q++) {
    int64_t i = b->cell[q];
    int32_t nearest = (int32_t)b->found[(int64_t)q * k];
    if (geodesic && b->found[(int64_t)q * k + 1] >= 0) {
      double first = b->canonical[(int64_t)q * k], second = b->canonical[(int64_t)q * k + 1];
      if (!(second > first + gv_geodesic_slack(&v->geodesic, sqrt(first)))) {
        status = widen_geodesic(context, v, index, b, i, &nearest);
      }
    }
    if (status == GV_OK) out[i / columns * stride + i % columns] = v->label[nearest];
  }
  return status;
}

static gv_status points_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                              int32_t *out, int64_t stride) {
  const gv_index *index = state;
  int64_t columns = tile->c1 - tile->c0, cells = columns * (tile->r1 - tile->r0);
  int dim = v->cells.dim;
  bool globe = dim == 3;
  buffers b = {0};
  gv_status status = GV_OK;
  double *positions = gv_allocate(&context->allocator, cells * (globe ? 5 : 2), sizeof(double));
  double *batch =
      gv_allocate(&context->allocator, (int64_t)BATCH * (dim + FIRST_K) + 3 * LARGEST_K, sizeof(double));
  b.found = gv_allocate(&context->allocator, (int64_t)BATCH * FIRST_K, sizeof *b.found);
  b.cell = gv_allocate(&context->allocator, BATCH + LARGEST_K, sizeof *b.cell);
  if (positions == NULL || batch == NULL || b.found == NULL || b.cell == NULL) {
    status = gv_fail_memory(context, "a block's positions");
    goto done;
  }
  b.x = positions;
  b.y = positions + cells;
  if (globe) {
    b.z = positions + 2 * cells;
    b.lon = positions + 3 * cells;
    b.lat = positions + 4 * cells;
  }
  b.query = batch;
  b.canonical = batch + (int64_t)BATCH * dim;
  b.candidates.x = b.canonical + (int64_t)BATCH * FIRST_K;
  b.candidates.y = b.candidates.x + LARGEST_K;
  b.candidates.z = b.candidates.y + LARGEST_K;
  b.candidates.id = b.cell + BATCH;
  status = v->cells.grid.kind == GV_GRID_QTM && v->cells.metric != GV_GEODESIC
               ? gv_cells_positions(context, &v->cells, tile, b.x, b.y, b.z, NULL, NULL, NULL)
               : gv_cells_positions(context, &v->cells, tile, b.x, b.y, b.z, b.lon, b.lat, NULL);

  int32_t n = 0;
  for (int64_t i = 0; i < cells && status == GV_OK; i++) {
    if (isnan(b.x[i])) {
      out[i / columns * stride + i % columns] = v->nodata;
    } else if (asks_everything(v)) {
      out[i / columns * stride + i % columns] = v->label[brute_force_geodesic(v, b.lon[i], b.lat[i])];
    } else {
      b.cell[n] = (int32_t)i;
      b.query[(int64_t)n * dim] = b.x[i];
      b.query[(int64_t)n * dim + 1] = b.y[i];
      if (globe) b.query[(int64_t)n * dim + 2] = b.z[i];
      n++;
    }
    if (n == BATCH || (n > 0 && i == cells - 1)) {
      status = search_batch(context, v, index, &b, n, tile, out, stride);
      n = 0;
    }
  }
done:
  gv_release(&context->allocator, positions);
  gv_release(&context->allocator, batch);
  gv_release(&context->allocator, b.found);
  gv_release(&context->allocator, b.cell);
  return status;
}

const gv_engine gv_engine_points = {points_create, points_block, points_destroy};
