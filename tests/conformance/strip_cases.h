/*
 * Shared by tests of strips, for any memory of the results: rectangles of grids of every kind, cut anywhere,
 * with gaps between rows and bands that must not be written, against `serial`.
 */
#ifndef GV_TEST_STRIP_CASES_H
#define GV_TEST_STRIP_CASES_H

#include "gpuvoronoi/experimental.h"
#include "grid_cases.h"

/* Memory for strips. */
typedef struct store {
  gv_memory memory;
  void *(*take)(size_t bytes);
  void (*give)(void *memory);
  void (*copy)(void *to, const void *from, size_t bytes); /* either way */
} store;

enum { UNTOUCHED = 0x55555555, AROUND = 7 /* values after a strip that must be unchanged */ };

/* An object and what it must answer. */
typedef struct strip_case {
  gv_context *context;
  gv_voronoi *voronoi;
  const char *name;
  int64_t width, height;
  int32_t k;
  const int32_t *expected; /* band after band */
} strip_case;

/* One strip. `skip`: values between where memory begins and the strip. */
static void check_strip(const store *in, const strip_case *c, gv_labels s, int64_t skip, bool masked) {
  size_t values = (size_t)(skip + (c->k - 1) * s.band_stride + (s.rows - 1) * s.stride + s.columns + AROUND);
  size_t mask_bytes = (size_t)(s.rows * s.mask_stride);
  int32_t *got = malloc(values * sizeof *got), *expected = malloc(values * sizeof *expected);
  uint8_t *mask = malloc(mask_bytes), *mask_there = masked ? in->take(mask_bytes) : NULL;
  int32_t *there = in->take(values * sizeof *there);
  assert_true(got != NULL && expected != NULL && mask != NULL && there != NULL);
  memset(expected, 0x55, values * sizeof *expected);
  for (size_t i = 0; i < mask_bytes; i++)
    mask[i] = uniform() < 0.3 ? 0 : (uint8_t)(1 + 254 * uniform());
  for (int32_t k = 0; k < c->k; k++) {
    for (int64_t i = 0; i < s.rows * s.columns; i++) {
      int64_t row = i / s.columns, column = i % s.columns;
      bool out = masked && mask[row * s.mask_stride + column] == 0;
      int32_t answer = c->expected[(k * c->height + s.row + row) * c->width + s.column + column];
      expected[skip + k * s.band_stride + row * s.stride + column] = out ? -7 : answer;
    }
  }
  memset(got, 0x55, values * sizeof *got);
  in->copy(there, got, values * sizeof *got);
  if (masked) in->copy(mask_there, mask, mask_bytes);
  gv_array_options where = {sizeof(gv_array_options), in->memory, NULL};
  s.array_options = &where;
  s.out = there + skip;
  s.mask = mask_there;
  if (gv_voronoi_fill(c->context, c->voronoi, &s, NULL) != GV_OK)
    fail_msg("%s: %s", c->name, gv_context_message(c->context));
  in->copy(got, there, values * sizeof *got);
  for (size_t i = 0; i < values; i++) {
    if (got[i] == expected[i]) continue;
    fail_msg("%s, k %d: %d at %lld of %lld x %lld cells from %lld, %lld, stride %lld, behind %lld, not %d",
             c->name, (int)c->k, (int)got[i], (long long)i - (long long)skip, (long long)s.columns,
             (long long)s.rows, (long long)s.column, (long long)s.row, (long long)s.stride, (long long)skip,
             (int)expected[i]);
  }
  in->give(there);
  if (masked) in->give(mask_there);
  free(mask);
  free(expected);
  free(got);
}

static int64_t up_to(int64_t most) {
  return (int64_t)((double)most * uniform());
}

/* The whole grid, as most callers request it; some cells of it, anywhere. */
static void check_strips(const store *in, const strip_case *c) {
  gv_labels all;
  gv_labels_init(&all);
  all.columns = all.stride = all.mask_stride = c->width;
  all.rows = c->height;
  all.band_stride = c->width * c->height;
  check_strip(in, c, all, 0, false);
  for (int i = 0; i < 4; i++) {
    gv_labels s;
    gv_labels_init(&s);
    s.column = up_to(c->width);
    s.row = up_to(c->height);
    s.columns = 1 + up_to(c->width - s.column);
    s.rows = 1 + up_to(c->height - s.row);
    s.stride = s.columns + (i == 0 ? 0 : up_to(9));
    s.mask_stride = s.columns + up_to(3);
    s.band_stride = s.rows * s.stride + up_to(5);
    check_strip(in, c, s, i % 3, i % 2 == 1);
  }
  /* Bands side by side. */
  all.stride = c->width * c->k + 4;
  all.band_stride = c->width;
  check_strip(in, c, all, 4, true);
}

/* Objects of a grid for a question, by `backend`, against `reference`. */
static void check_strips_of(const store *in, const char *name, const gv_grid *grid, const gv_points *seeds,
                            gv_metric metric, const question *q, const char *backend, const char *reference) {
  static int turn = 0;
  static const int32_t sides[][2] = {{0, 0}, {64, 64}, {37, 53}, {16, 256}};
  size_t values = (size_t)(q->k * cells_of(grid));
  int32_t *expected = malloc(values * sizeof *expected),
          *labels = malloc((size_t)seeds->count * sizeof *labels);
  gv_voronoi_options o = options_of(q, metric, labels);
  run_options by = {reference, "avx512", 2, 0, 0};
  strip_case c = {NULL, NULL, name, row_of(grid), cells_of(grid) / row_of(grid), q->k, expected};
  assert_true(expected != NULL && labels != NULL);
  for (int64_t i = 0; i < seeds->count; i++)
    labels[i] = (int32_t)(1000000 - 3 * i);
  run(grid, seeds, metric, &by, q, labels, expected);
  o.backend = backend;
  o.block_width = sides[turn % 4][0];
  o.block_height = sides[turn % 4][1];
  turn++;
  assert_int_equal(gv_context_create(NULL, &c.context), GV_OK);
  if (gv_voronoi_create(c.context, grid, seeds, &o, &c.voronoi) != GV_OK)
    fail_msg("%s: %s", name, gv_context_message(c.context));
  check_strips(in, &c);
  gv_voronoi_destroy(c.voronoi);
  gv_context_destroy(c.context);
  free(labels);
  free(expected);
}

/* Grids of every kind except projected ones, difficult seeds, all metrics, several neighbors and limits. */
static void check_every_grid(const store *in, const char *backend) {
  static const int32_t ks[] = {1, 3, 1, 9, 2};
  static const int64_t counts[] = {1, 40, 9, 400};
  int turn = 0;
  for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
    const grid_case *g = &grid_cases[i];
    if (in->memory == GV_MEMORY_CUDA && g->kind == GV_GRID_PROJECTED) continue;
    for (int m = 0; m < (on_globe(g) ? 2 : 3); m++) {
      gv_metric metric = on_globe(g) ? (gv_metric)(GV_GREAT_CIRCLE + m) : (gv_metric)m;
      for (int round = 0; round < 3; round++, turn++) {
        int64_t n = counts[turn % 4];
        if (metric == GV_GEODESIC && n > 40) n = 30;
        double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
        assert_true(x != NULL && y != NULL);
        seed_kind kind = (seed_kind)(turn % SEED_KINDS);
        for (int64_t s = 0; s < n; s++)
          make_seed(g, kind, s, n, x, y);
        gv_points seeds = gv_points_xy(x, y, n);
        question q = plain;
        q.k = ks[turn % 5];
        if (turn % 7 == 3) q.max_distance = boundary_distance(g, &seeds, metric, turn % 2 == 0);
        gv_grid grid = grid_of(g);
        if (g->kind == GV_GRID_LONLAT && turn % 5 == 2) grid.level = turn % 4; /* of triangles */
        check_strips_of(in, g->name, &grid, &seeds, metric, &q, backend, "serial");
        free(x);
        free(y);
      }
    }
  }
}

static void check_meshes(const store *in, const char *backend) {
  enum { MOST = 60 };
  double x[MOST], y[MOST];
  for (int level = 0; level <= 8; level++) {
    for (int turn = 0; turn < 4; turn++) {
      gv_grid grid;
      gv_grid_init(&grid);
      gv_points seeds = gv_points_xy(x, y, turn == 0 ? 3 : MOST);
      question q = plain;
      grid.kind = GV_GRID_QTM;
      grid.level = level;
      for (int i = 0; i < MOST; i++) {
        x[i] = 360.0 * uniform() - 180.0;
        y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
      }
      q.k = turn == 2 ? 4 : 1;
      if (turn == 3) q.max_distance = 1.5e6;
      gv_metric metric = (level + turn) % 2 == 0 ? GV_GREAT_CIRCLE : GV_GEODESIC;
      check_strips_of(in, "mesh", &grid, &seeds, metric, &q, backend, level <= 4 ? "serial" : "tile");
    }
  }
}

#endif
