/* Inputs of statistics: random seeds and quantities on grids of every kind, block by block. */
#ifndef GV_TEST_WORLD_H
#define GV_TEST_WORLD_H

#include "cmocka_test.h"
#include "grid_fill.h"
#include "statistics_of.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "exact/globe.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

__extension__ typedef __int128 wide;

enum { SEEDS = 23, SUMS = 2, W = 210, H = 97, COARSE = 10 };

static const double pi = 3.14159265358979323846;

static uint64_t random_state = 11;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

/* A grid with its seeds and quantities: the first a value a cell, the second one a span of COARSE columns. */
typedef struct world {
  gv_grid grid;
  gv_metric metric;
  double x[SEEDS], y[SEEDS];
  int64_t width, height;
  double *fine;   /* width x height */
  double *coarse; /* ceil(width / COARSE) a row */
} world;

static int64_t spans_of(const world *w) {
  return (w->width + COARSE - 1) / COARSE;
}

static void make_world(world *w, gv_grid_kind kind, gv_metric metric) {
  memset(w, 0, sizeof *w);
  gv_grid_init(&w->grid);
  w->grid.kind = kind;
  w->metric = metric;
  w->width = w->grid.width = W;
  w->height = w->grid.height = H;
  double lonlat[6] = {-175.5, 360.0 / W, 0.0, 90.0, 0.0, -180.0 / H}, plane[6] = {100, 2, 0.5, 900, 0.25, -3};
  memcpy(w->grid.geotransform, kind == GV_GRID_PLANE ? plane : lonlat, sizeof lonlat);
  if (kind == GV_GRID_QTM) {
    w->grid.level = 5;
    w->width = gv_qtm_count(5);
    w->height = 1;
  }
  for (int i = 0; i < SEEDS; i++) {
    w->x[i] = kind == GV_GRID_PLANE ? 600.0 * uniform() : 360.0 * uniform() - 180.0;
    w->y[i] = kind == GV_GRID_PLANE ? 1000.0 * uniform() : asin(2.0 * uniform() - 1.0) * 180.0 / pi;
  }
  w->x[7] = w->x[6]; /* the second of two seeds at one place has no cells */
  w->y[7] = w->y[6];
  w->fine = malloc((size_t)(w->width * w->height) * sizeof *w->fine);
  w->coarse = malloc((size_t)(spans_of(w) * w->height) * sizeof *w->coarse);
  assert_non_null(w->fine);
  assert_non_null(w->coarse);
  for (int64_t i = 0; i < w->width * w->height; i++)
    w->fine[i] = uniform() < 0.3 ? 0.0 : 1000.0 * uniform() - 100.0;
  for (int64_t i = 0; i < spans_of(w) * w->height; i++)
    w->coarse[i] = 1e-3 * uniform();
}

/* The cells of the block in the corner. */
static inline gv_statistics_cells block_of(const gv_voronoi *voronoi, const int32_t *seed,
                                           const double *distance, int64_t stride) {
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  AT_BLOCK(block, voronoi, 0, 0);
  block.seed = seed;
  block.distance = distance;
  block.stride = block.distance_stride = stride;
  return block;
}

static void free_world(world *w) {
  free(w->fine);
  free(w->coarse);
}

static gv_context *new_context(void) {
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 2;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  return context;
}

static gv_voronoi *new_voronoi(gv_context *context, const world *w, int32_t block) {
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(w->x, w->y, SEEDS);
  gv_voronoi *voronoi = NULL;
  options.metric = w->metric;
  options.block_width = block;
  options.block_height = block > 64 ? 64 : block;
  assert_int_equal(gv_voronoi_create(context, &w->grid, &seeds, &options, &voronoi), GV_OK);
  return voronoi;
}

/* One block's seeds and distances, and its share of the quantities. */
typedef struct piece {
  int64_t x, y, w, h;
  int32_t *seed;
  double *distance;
  int32_t first[W];
  double *coarse;
  gv_quantity quantity[SUMS];
} piece;

static void make_piece(gv_context *context, const world *w, const gv_voronoi *voronoi, int32_t block,
                       int64_t number, piece *p) {
  int64_t across = blocks_across(voronoi), size_w = block, size_h = block > 64 ? 64 : block;
  if (w->grid.kind == GV_GRID_QTM) size_w = w->width / across;
  p->x = number % across * size_w;
  p->y = number / across * size_h;
  p->w = w->width - p->x < size_w ? w->width - p->x : size_w;
  p->h = w->height - p->y < size_h ? w->height - p->y : size_h;
  p->seed = malloc((size_t)(p->w * p->h) * sizeof *p->seed);
  p->distance = malloc((size_t)(p->w * p->h) * sizeof *p->distance);
  p->coarse = malloc((size_t)(p->w * p->h) * sizeof *p->coarse);
  assert_true(p->seed != NULL && p->distance != NULL && p->coarse != NULL);
  assert_int_equal(fill_block(context, voronoi, number % across, number / across, p->seed, p->w), GV_OK);
  /* Every seventh row is not counted. */
  for (int64_t r = 0; r < p->h; r++) {
    for (int64_t c = 0; c < p->w; c++) {
      int64_t cell = (p->y + r) * w->width + p->x + c;
      if ((w->height > 1 ? p->y + r : cell / 100) % 7 == 3) p->seed[r * p->w + c] = -1;
    }
  }
  gv_measure m;
  gv_measure_init(&m);
  AT_BLOCK(m, voronoi, number % across, number / across);
  m.seed = p->seed;
  m.stride = m.out_stride = p->w;
  m.type = GV_FLOAT64;
  m.distance = p->distance;
  assert_int_equal(gv_voronoi_measure(context, voronoi, &m), GV_OK);
  p->quantity[0] = quantity_of(w->fine + p->y * w->width + p->x, NULL, (int32_t)p->w, w->width, NULL, 0);
  int32_t n = 0;
  bool by_spans = p->w <= W;
  for (int64_t c = 0; c < p->w && by_spans; c++) {
    if (c == 0 || (p->x + c) % COARSE == 0) p->first[n++] = (int32_t)c;
  }
  for (int64_t r = 0; r < p->h; r++) {
    for (int64_t i = 0; i < (by_spans ? n : p->w); i++) {
      int64_t c = p->x + (by_spans ? p->first[i] : i);
      p->coarse[r * (by_spans ? n : p->w) + i] = w->coarse[(p->y + r) * spans_of(w) + c / COARSE];
    }
  }
  p->quantity[1] = by_spans ? quantity_of(p->coarse, p->first, n, n, NULL, 0)
                            : quantity_of(p->coarse, NULL, (int32_t)p->w, p->w, NULL, 0);
}

static void free_piece(piece *p) {
  free(p->seed);
  free(p->distance);
  free(p->coarse);
}

static gv_statistics *new_statistics(gv_context *context, const gv_voronoi *voronoi) {
  static const double bound[SUMS] = {1000.0, 1e-3};
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  gv_statistics *statistics = NULL;
  options.distances = 1;
  options.sums = SUMS;
  options.bound = bound;
  assert_int_equal(gv_statistics_create(context, voronoi, &options, &statistics), GV_OK);
  return statistics;
}

typedef struct result {
  gv_seed_statistics seed;
  sum_statistics sum[SUMS];
} result;

/* Adding all blocks. */
typedef struct adding {
  const world *w;
  const gv_voronoi *voronoi;
  gv_statistics *statistics;
  int32_t block;
  int64_t blocks;
  bool backwards;
} adding;

static gv_status add_some(gv_worker *worker, int64_t first, int64_t end) {
  const adding *a = worker->user;
  gv_context *own = new_context();
  for (int64_t i = first; i < end; i++) {
    int64_t number = a->backwards ? a->blocks - 1 - i : i, across = blocks_across(a->voronoi);
    piece p;
    make_piece(own, a->w, a->voronoi, a->block, number, &p);
    gv_statistics_cells b;
    gv_statistics_cells_init(&b);
    AT_BLOCK(b, a->voronoi, number % across, number / across);
    b.seed = p.seed;
    b.stride = p.w;
    b.distance = p.distance;
    b.distance_stride = p.w;
    b.quantity = p.quantity;
    gv_status status = gv_statistics_add(own, a->statistics, &b);
    free_piece(&p);
    if (status != GV_OK) return status;
  }
  gv_context_destroy(own);
  return GV_OK;
}

/* All blocks, optionally backwards, optionally by two threads. */
static void compute(const world *w, int32_t block, bool backwards, bool threads, result out[SEEDS]) {
  gv_context *context = new_context();
  gv_voronoi *voronoi = new_voronoi(context, w, block);
  gv_statistics *statistics = new_statistics(context, voronoi);
  adding a = {w, voronoi, statistics, block, 0, backwards};
  a.blocks = blocks_across(voronoi) * blocks_down(voronoi);
  gv_loop loop = {.threads = threads ? 2 : 1, .count = a.blocks, .grain = 1, .user = &a};
  assert_int_equal(gv_parallel_for(&loop, add_some), GV_OK);
  memset(out, 0, SEEDS * sizeof *out);
  for (int i = 0; i < SEEDS; i++)
    assert_int_equal(get_statistics(context, statistics, i, &out[i].seed, out[i].sum, SUMS), GV_OK);
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

#endif
