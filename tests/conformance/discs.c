/*
 * Maximum distances on larger grids, where cells within the limit are found disc by disc: the bytes are those
 * of `serial` for discs that overlap each other and edges of blocks and of the globe, and for any previous
 * contents of buffers.
 */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"

enum { MOST_SEEDS = 3000, NODATA = -7 };

static uint64_t random_state = 11;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

static double seed_x[MOST_SEEDS], seed_y[MOST_SEEDS];

/* ------------------------------------------------------------------------------------------------ one run */

typedef struct question {
  const char *name;
  gv_grid grid;
  gv_metric metric;
  int64_t seeds;
  double max_distance;
  int32_t k;
  const uint8_t *mask;
} question;

static gv_grid lonlat(int64_t width, int64_t height, double lon, double lat, double step_x, double step_y) {
  gv_grid grid;
  gv_grid_init(&grid);
  double geotransform[6] = {lon, step_x, 0.0, lat, 0.0, step_y};
  grid.kind = GV_GRID_LONLAT;
  grid.width = width;
  grid.height = height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}

/* Cells of side 1 with integer centers. */
static gv_grid plane(int64_t width, int64_t height) {
  gv_grid grid;
  gv_grid_init(&grid);
  double geotransform[6] = {-0.5, 1.0, 0.0, -0.5, 0.0, 1.0};
  grid.width = width;
  grid.height = height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}

/* One block, into a buffer of its own or into its place in `out`. */
static void answer_block(gv_context *context, const gv_voronoi *voronoi, const question *q, int64_t number,
                         int32_t *buffer, int32_t *out) {
  int64_t across = blocks_across(voronoi), width = q->grid.width, cells = width * q->grid.height;
  gv_labels block;
  gv_labels_init(&block);
  int uniform_block = 0;
  AT_BLOCK(block, voronoi, number % across, number / across);
  int64_t x = block.column, y = block.row, columns = block.columns, rows = block.rows;
  if (q->mask != NULL) block.mask = q->mask + y * width + x;
  block.mask_stride = width;
  block.out = buffer != NULL ? buffer : out + y * width + x;
  block.stride = buffer != NULL ? columns : width;
  block.band_stride = buffer != NULL ? columns * rows : cells;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, buffer != NULL ? &uniform_block : NULL), GV_OK);
  for (int32_t b = 0; buffer != NULL && b < q->k; b++) {
    for (int64_t i = 0; i < columns * rows; i++) {
      int32_t from = uniform_block ? buffer[b * block.band_stride] : buffer[b * block.band_stride + i];
      out[b * cells + (y + i / columns) * width + x + i % columns] = from;
    }
  }
}

/* All blocks, every `stride`-th first. With `buffered` one buffer is used for all and keeps the contents of
 * the last one. */
static void answer(const question *q, const char *backend, const char *simd, int64_t side_x, int64_t side_y,
                   int64_t stride, bool buffered, int32_t *out) {
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_points seeds = gv_points_xy(seed_x, seed_y, q->seeds);
  o.backend = backend;
  o.metric = q->metric;
  o.block_width = (int32_t)side_x;
  o.block_height = (int32_t)side_y;
  o.nodata = NODATA;
  o.k = q->k;
  o.max_distance = q->max_distance;
  assert_int_equal(setenv("GPUVORONOI_SIMD", simd, 1), 0);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  if (gv_voronoi_create(context, &q->grid, &seeds, &o, &voronoi) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  int64_t blocks = blocks_across(voronoi) * blocks_down(voronoi);
  int32_t *buffer = NULL;
  if (buffered) {
    buffer = malloc((size_t)(side_x * side_y * q->k) * sizeof *buffer);
    assert_non_null(buffer);
    memset(buffer, 0x5a, (size_t)(side_x * side_y * q->k) * sizeof *buffer);
  }
  for (int64_t first = 0; first < stride; first++) {
    for (int64_t b = first; b < blocks; b += stride)
      answer_block(context, voronoi, q, b, buffer, out);
  }
  free(buffer);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

/* Several forms of `tile` against `serial`; returns their common result. */
static int32_t *check(const question *q) {
  static const struct {
    const char *simd;
    int64_t side_x, side_y, stride;
    bool buffered;
  } forms[] = {{"avx512", 512, 512, 3, true}, {"avx512", 96, 160, 5, true},    {"avx2", 512, 512, 1, false},
               {"avx2", 61, 47, 7, true},     {"baseline", 256, 256, 1, true}, {"avx512", 1, 300, 2, true}};
  int64_t cells = q->grid.width * q->grid.height, values = q->k * cells;
  int32_t *expected = malloc((size_t)values * sizeof *expected), *got = malloc((size_t)values * sizeof *got);
  assert_true(expected != NULL && got != NULL);
  question unmasked = *q;
  unmasked.mask = NULL;
  answer(&unmasked, "serial", "avx512", 512, 512, 1, false, expected);
  for (int64_t i = 0; q->mask != NULL && i < values; i++)
    expected[i] = q->mask[i % cells] ? expected[i] : NODATA;
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    /* Previous contents must not matter: nodata in part, as in a reused buffer. */
    for (int64_t i = 0; i < values; i++)
      got[i] = i / 5 % 3 == 0 ? 123456 : NODATA;
    answer(q, "tile", forms[f].simd, forms[f].side_x, forms[f].side_y, forms[f].stride, forms[f].buffered,
           got);
    for (int64_t i = 0; i < values; i++) {
      if (got[i] == expected[i]) continue;
      fail_msg(
          "%s, %s, %lld seeds, k %d, distance %.17g, %s, blocks %lldx%lld (%s): %d at column %lld row %lld "
          "rank %lld, "
          "serial says %d",
          q->name, gv_metric_name(q->metric), (long long)q->seeds, (int)q->k, q->max_distance,
          q->mask != NULL ? "masked" : "no mask", (long long)forms[f].side_x, (long long)forms[f].side_y,
          forms[f].simd, (int)got[i], (long long)(i % cells % q->grid.width),
          (long long)(i % cells / q->grid.width), (long long)(i / cells), (int)expected[i]);
    }
  }
  free(got);
  return expected;
}

/* ------------------------------------------------------------------------------------------------ by hand */

static void discs_that_touch(void **state) {
  (void)state;
  /* Each pair is twice the limit apart: the cell in the middle belongs to both, and to the lower number. */
  static const double x[] = {20, 30, 103, 97, 200, 200, 60, 250, 251, 120, 120, 5};
  static const double y[] = {20, 20, 14, 6, 40, 50, 90, 90, 90, 120, 120, 118};
  int64_t n = (int64_t)(sizeof x / sizeof *x);
  memcpy(seed_x, x, sizeof x);
  memcpy(seed_y, y, sizeof y);
  for (int32_t k = 1; k <= 2; k++) {
    question q = {"touching", plane(300, 130), GV_EUCLIDEAN, n, 5.0, k, NULL};
    int64_t width = q.grid.width, cells = width * q.grid.height;
    int32_t *out = check(&q);
    assert_int_equal(out[20 * width + 25], 0);
    assert_int_equal(out[20 * width + 26], 1);
    assert_int_equal(out[10 * width + 100], 2);
    assert_int_equal(out[45 * width + 200], 4);
    assert_int_equal(out[90 * width + 65], 6);
    assert_int_equal(out[90 * width + 66], NODATA);
    assert_int_equal(out[93 * width + 64], 6);
    assert_int_equal(out[94 * width + 64], NODATA);
    if (k == 2) assert_int_equal(out[cells + 20 * width + 25], 1);
    if (k == 2) assert_int_equal(out[cells + 20 * width + 24], NODATA);
    if (k == 2) assert_int_equal(out[cells + 120 * width + 118], 10);
    free(out);
    q.max_distance = nextafter(5.0, 0.0);
    out = check(&q);
    assert_int_equal(out[20 * width + 25], NODATA);
    assert_int_equal(out[10 * width + 100], NODATA);
    assert_int_equal(out[20 * width + 24], 0);
    free(out);
  }
  for (gv_metric metric = GV_MANHATTAN; metric <= GV_CHEBYSHEV; metric++) {
    question q = {"touching", plane(300, 130), metric, n, 5.0, 1, NULL};
    free(check(&q));
  }
}

/* No distance at all: cells under seeds, two of which share a place. */
static void discs_without_extent(void **state) {
  (void)state;
  static const double x[] = {20, 20, 100, 150.25}, y[] = {30, 30, 40, 50};
  memcpy(seed_x, x, sizeof x);
  memcpy(seed_y, y, sizeof y);
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
    question q = {"without extent", plane(300, 130), metric, 4, 0.0, 2, NULL};
    int64_t cells = q.grid.width * q.grid.height;
    int32_t *out = check(&q);
    assert_int_equal(out[30 * 300 + 20], 0);
    assert_int_equal(out[cells + 30 * 300 + 20], 1);
    assert_int_equal(out[40 * 300 + 100], 2);
    assert_int_equal(out[50 * 300 + 150], NODATA);
    free(out);
  }
}

/* A buffer that holds what it should but for one cell. */
static void single_cells_are_cleared(void **state) {
  (void)state;
  enum { CELLS = 3 * 200 };
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  question q = {"cleared", plane(200, 3), GV_EUCLIDEAN, 1, 2.0, 1, NULL};
  seed_x[0] = seed_y[0] = -50.0;
  for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    gv_points seeds = gv_points_xy(seed_x, seed_y, q.seeds);
    int32_t out[CELLS];
    o.backend = "tile";
    o.nodata = NODATA;
    o.max_distance = q.max_distance;
    assert_int_equal(setenv("GPUVORONOI_SIMD", levels[level], 1), 0);
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &q.grid, &seeds, &o, &voronoi), GV_OK);
    for (int stale = 0; stale < CELLS; stale++) {
      for (int i = 0; i < CELLS; i++)
        out[i] = i == stale ? 5 : NODATA;
      answer_block(context, voronoi, &q, 0, NULL, out);
      for (int i = 0; i < CELLS; i++)
        assert_int_equal(out[i], NODATA);
    }
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(context);
  }
}

/* A disc over a pole is whole rows; the other pole and +-180 degrees have some, too. */
static void discs_around_the_globe(void **state) {
  (void)state;
  static const double lon[] = {10, 0, 180, -179.9, 179.95, 77, -100, 0, 500, 33};
  static const double lat[] = {89.4, -90, 10, 12.5, -30, 0, 90, 47, -60, 88.9};
  static const double flattenings[] = {0.0, 1.0 / 298.257223563, 0.05, -0.01};
  int64_t n = (int64_t)(sizeof lon / sizeof *lon);
  memcpy(seed_x, lon, sizeof lon);
  memcpy(seed_y, lat, sizeof lat);
  const gv_grid grids[] = {lonlat(720, 360, -180, 90, 0.5, -0.5), lonlat(600, 60, 300, 90, 0.9, -0.3),
                           lonlat(620, 60, 200, -90, -0.1, 0.25), lonlat(361, 181, -180.5, 90.5, 1, -1)};
  static const double distances[] = {1e-3, 30e3, 111e3, 555e3, 4e6, 12e6, 19.9e6, 3e7};
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
      question q = {"globe", grids[g], GV_GREAT_CIRCLE, n, distances[d], 1 + (int32_t)(d + g) % 2, NULL};
      int32_t *out = check(&q);
      if (g == 0 && distances[d] == 111e3) {
        for (int64_t c = 0; c < 720; c++)
          assert_true(out[c] == 6 && out[359 * 720 + c] == 1);
      }
      free(out);
      q.metric = GV_GEODESIC;
      q.grid.semi_major = 6.4e6;
      q.grid.flattening = flattenings[(d + g / 2) % 4];
      if (g > 0 && g % 2 == d % 2) free(check(&q));
    }
  }
}

/* ---------------------------------------------------------------------------------------------- at random */

typedef enum arrangement { SPREAD, CLUSTERS, ON_CELLS, DENSE, ARRANGEMENTS } arrangement;

/* In cells from the grid's corner, then in its own units. */
static void arrange(const gv_grid *grid, arrangement how, int64_t n) {
  const double *g = grid->geotransform;
  double w = (double)grid->width, h = (double)grid->height, middle_x = 0.0, middle_y = 0.0;
  for (int64_t i = 0; i < n; i++) {
    double x = w * uniform(), y = h * uniform();
    if (how == CLUSTERS && i % 40 != 0) {
      x = middle_x + 20.0 * (uniform() + uniform() - 1.0);
      y = middle_y + 20.0 * (uniform() + uniform() - 1.0);
    } else {
      middle_x = x;
      middle_y = y;
    }
    if (how == ON_CELLS) {
      x = floor(x) + 0.5;
      y = floor(y) + 0.5;
    }
    seed_x[i] = g[0] + x * g[1];
    seed_y[i] = g[3] + y * g[5];
    if (grid->kind == GV_GRID_LONLAT) seed_y[i] = fmin(90.0, fmax(-90.0, seed_y[i]));
  }
}

/* The reported distance of a cell from the first seed: a limit that runs through that very cell. */
static double distance_of_cell(const question *q, int64_t column, int64_t row) {
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_measure m;
  gv_measure_init(&m);
  gv_points seed = gv_points_xy(seed_x, seed_y, 1);
  int32_t first = 0;
  double distance = NAN;
  o.backend = "tile";
  o.metric = q->metric;
  o.block_width = o.block_height = 1;
  m.column = column;
  m.row = row;
  m.columns = m.rows = 1;
  m.seed = &first;
  m.stride = m.out_stride = 1;
  m.type = GV_FLOAT64;
  m.distance = &distance;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_voronoi_create(context, &q->grid, &seed, &o, &voronoi), GV_OK);
  assert_int_equal(gv_voronoi_measure(context, voronoi, &m), GV_OK);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return distance;
}

static void discs_at_random(void **state) {
  (void)state;
  const gv_grid grids[] = {plane(640, 300), lonlat(640, 320, -180, 90, 0.5625, -0.5625),
                           lonlat(560, 280, 179.2, 33.4, 0.01, -0.007), lonlat(600, 200, -20, 90, 0.2, -0.05),
                           lonlat(900, 180, -180, 90, 1, -1)};
  static const double cells[] = {0.3, 2.6, 9.0, 31.0, 75.0, 200.0};
  static uint8_t mask[900 * 320];
  int turn = 0;
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++, turn++) {
      question q = {"random", grids[g], GV_EUCLIDEAN, 0, 0.0, turn % 4 == 3 ? 3 : 1, NULL};
      bool globe = q.grid.kind == GV_GRID_LONLAT;
      double step = fabs(q.grid.geotransform[5]) * (globe ? 111e3 : 1.0);
      q.metric = globe ? (turn % 3 == 0 ? GV_GEODESIC : GV_GREAT_CIRCLE) : (gv_metric)(turn % 3);
      arrangement how = (arrangement)(turn % ARRANGEMENTS);
      double area = (double)(q.grid.width * q.grid.height), disc = 3.0 * cells[c] * cells[c] + 60.0;
      q.seeds =
          1 + (int64_t)fmin((how == DENSE ? 1.2 : 0.1) * area / disc, q.metric == GV_GEODESIC ? 15.0 : 600.0);
      arrange(&q.grid, how, q.seeds);
      q.max_distance = cells[c] * step;
      if (turn % 2 == 1) {
        double *corner = q.grid.geotransform;
        int64_t column = (int64_t)((seed_x[0] - corner[0]) / corner[1]),
                row = (int64_t)((seed_y[0] - corner[3]) / corner[5]);
        int64_t away = (int64_t)(0.7 * cells[c]);
        column = column + away < q.grid.width ? column + away : q.grid.width - 1;
        row = row + away < q.grid.height ? row + away : q.grid.height - 1;
        q.max_distance = distance_of_cell(&q, column < 0 ? 0 : column, row < 0 ? 0 : row);
      }
      for (int64_t i = 0; i < q.grid.width * q.grid.height; i++)
        mask[i] = turn % 10 < 5 ? uniform() < 0.6 : (i % q.grid.width / 70 + i / q.grid.width / 50) % 3 != 0;
      if (turn % 5 == 2) q.mask = mask;
      free(check(&q));
    }
  }
}

/* More seeds in a block than discs are looked for, and discs of which most blocks have many. */
static void many_discs(void **state) {
  (void)state;
  question q = {"many", lonlat(360, 180, -180, 90, 1, -1), GV_GREAT_CIRCLE, MOST_SEEDS, 0.0, 1, NULL};
  static const double distances[] = {40e3, 200e3, 2e6};
  arrange(&q.grid, SPREAD, q.seeds);
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
    q.max_distance = distances[d];
    free(check(&q));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(discs_that_touch),         cmocka_unit_test(discs_without_extent),
      cmocka_unit_test(single_cells_are_cleared), cmocka_unit_test(discs_around_the_globe),
      cmocka_unit_test(discs_at_random),          cmocka_unit_test(many_discs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
