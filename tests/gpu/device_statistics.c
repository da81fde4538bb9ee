/*
 * Statistics on a device: the sums of gv_statistics_add, to the bit, for grids of every kind, nearest seeds
 * and any others, with and without distances, groups and quantities, strips cut anywhere and mixed with
 * blocks; errors are reported by their call. Skipped without a GPU.
 */
#include "../conformance/grid_cases.h"
#include "grid_fill.h"
#include "statistics_of.h"

#include <cuda_runtime_api.h>

#include "gpuvoronoi/experimental.h"
#include "search/cuda_module.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

enum { SUMS = 2 };

static void *put(const void *from, size_t bytes) {
  void *memory = NULL;
  CUDA(cudaMalloc(&memory, bytes));
  CUDA(cudaMemcpy(memory, from, bytes, cudaMemcpyDefault));
  return memory;
}

/* Cells, what is counted of them, and the same on the device. */
typedef struct counted {
  gv_context *context;
  gv_voronoi *voronoi;
  const char *name;
  int64_t width, height, seeds;
  int32_t *seed, *seed_there; /* the latter NULL: those that are found there */
  double *quantity[SUMS];     /* values of the second are floats' */
  void *quantity_there[SUMS];
  gv_statistics_options how;
} counted;

static void require(const counted *c, gv_status status) {
  if (status != GV_OK) fail_msg("%s: %s", c->name, gv_context_message(c->context));
}

static gv_statistics *make_statistics(const counted *c) {
  gv_statistics *s = NULL;
  require(c, gv_statistics_create(c->context, c->voronoi, &c->how, &s));
  return s;
}

/* By the host, block by block: all, or those of rows from `row` on. */
static void add_blocks(const counted *c, gv_statistics *s, int64_t row) {
  int64_t across = blocks_across(c->voronoi), down = blocks_down(c->voronoi);
  int64_t bw = across > 1 ? 64 : c->width, bh = down > 1 ? 64 : c->height;
  double *distance = malloc((size_t)(bw * bh) * sizeof *distance);
  assert_non_null(distance);
  for (int64_t b = 0; b < across * down; b++) {
    gv_statistics_cells block;
    gv_statistics_cells_init(&block);
    gv_measure m;
    gv_measure_init(&m);
    gv_quantity quantity[SUMS];
    AT_BLOCK(block, c->voronoi, b % across, b / across);
    AT_BLOCK(m, c->voronoi, b % across, b / across);
    if (block.row < row) continue;
    int64_t first = block.row * c->width + block.column;
    block.seed = m.seed = c->seed + first;
    block.stride = m.stride = c->width;
    m.bands = 1;
    m.type = GV_FLOAT64;
    m.distance = distance;
    m.out_stride = block.distance_stride = bw;
    if (c->how.distances) require(c, gv_voronoi_measure(c->context, c->voronoi, &m));
    block.distance = distance;
    for (int q = 0; q < SUMS; q++)
      quantity[q] = quantity_of(c->quantity[q] + first, NULL, 0, c->width, NULL, 0);
    block.quantity = quantity;
    require(c, gv_statistics_add(c->context, s, &block));
  }
  free(distance);
}

static void add_strip(const counted *c, gv_statistics *s, int64_t column, int64_t row, int64_t columns,
                      int64_t rows) {
  int64_t first = row * c->width + column;
  gv_statistics_cells strip;
  gv_statistics_cells_init(&strip);
  gv_quantity quantity[SUMS] = {
      quantity_of((double *)c->quantity_there[0] + first, NULL, 0, c->width, NULL, 0),
      quantity_of((double *)(void *)((float *)c->quantity_there[1] + first), NULL, 0, c->width, NULL, 0)};
  quantity[1].type = GV_FLOAT32;
  if (columns < 1 || rows < 1) return;
  strip.array_options = &on_device;
  strip.column = column;
  strip.row = row;
  strip.columns = columns;
  strip.rows = rows;
  strip.seed = c->seed_there != NULL ? c->seed_there + first : NULL;
  strip.stride = c->width;
  strip.quantity = quantity;
  require(c, gv_statistics_add(c->context, s, &strip));
}

static void compare_sums(const counted *c, const gv_statistics *expected, const gv_statistics *found,
                         const char *how) {
  unsigned char a[256], b[256];
  int64_t rows = c->how.group != NULL ? c->how.groups : c->seeds;
  assert_true(gv_statistics_sums_size(expected) <= sizeof a);
  for (int64_t i = 0; i < rows; i++) {
    require(c, gv_statistics_get_sums(c->context, expected, i, a));
    require(c, gv_statistics_get_sums(c->context, found, i, b));
    for (size_t at = 0; at < gv_statistics_sums_size(expected); at++) {
      if (a[at] != b[at])
        fail_msg("%s, %s, %d distances, %d sums: byte %zu of seed %lld is %d, not %d", c->name, how,
                 c->how.distances, (int)c->how.sums, at, (long long)i, (int)b[at], (int)a[at]);
    }
  }
}

/* In one piece, in four, half by blocks, and seeds that are found there (if those of the cells are the
 * nearest). */
static void check_counts(const counted *c, bool found_there) {
  gv_statistics *expected = make_statistics(c), *whole = make_statistics(c), *cut = make_statistics(c),
                *mixed = make_statistics(c);
  add_blocks(c, expected, 0);
  add_strip(c, whole, 0, 0, c->width, c->height);
  int64_t column = (int64_t)((double)c->width * uniform()), row = (int64_t)((double)c->height * uniform());
  add_strip(c, cut, 0, 0, column, row);
  add_strip(c, cut, column, 0, c->width - column, row);
  add_strip(c, cut, 0, row, column, c->height - row);
  add_strip(c, cut, column, row, c->width - column, c->height - row);
  int64_t half = c->height / 2 / 64 * 64;
  add_strip(c, mixed, 0, 0, c->width, half);
  add_blocks(c, mixed, half);
  if (found_there) {
    counted other = *c;
    gv_statistics *found = make_statistics(c);
    other.seed_there = NULL;
    add_strip(&other, found, 0, 0, column, c->height);
    add_strip(&other, found, column, 0, c->width - column, c->height);
    compare_sums(c, expected, found, "found there");
    gv_statistics_destroy(found);
  }
  compare_sums(c, expected, whole, "whole");
  compare_sums(c, expected, cut, "cut");
  compare_sums(c, expected, mixed, "mixed");
  gv_statistics_destroy(expected);
  gv_statistics_destroy(whole);
  gv_statistics_destroy(cut);
  gv_statistics_destroy(mixed);
}

static void put_cells(counted *c) {
  size_t cells = (size_t)(c->width * c->height);
  float *rounded = malloc(cells * sizeof *rounded);
  assert_non_null(rounded);
  for (size_t i = 0; i < cells; i++)
    rounded[i] = (float)c->quantity[1][i];
  c->seed_there = put(c->seed, cells * sizeof *c->seed);
  c->quantity_there[0] = put(c->quantity[0], cells * sizeof(double));
  c->quantity_there[1] = put(rounded, cells * sizeof(float));
  free(rounded);
}

static void take_cells(counted *c) {
  CUDA(cudaFree(c->seed_there));
  for (int q = 0; q < SUMS; q++)
    CUDA(cudaFree(c->quantity_there[q]));
}

/* The nearest seeds, then any. */
static void check_grid(const char *name, const gv_grid *grid, const gv_points *seeds, gv_metric metric,
                       int turn) {
  static const double bounds[SUMS] = {1e-3, 1e9};
  counted c = {
      .name = name, .width = row_of(grid), .height = cells_of(grid) / row_of(grid), .seeds = seeds->count};
  size_t cells = (size_t)cells_of(grid);
  int32_t *group = malloc((size_t)seeds->count * sizeof *group);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  c.seed = malloc(cells * sizeof *c.seed);
  gv_statistics_options_init(&c.how);
  assert_true(c.seed != NULL && group != NULL);
  for (int q = 0; q < SUMS; q++) {
    c.quantity[q] = malloc(cells * sizeof(double));
    assert_non_null(c.quantity[q]);
    for (size_t i = 0; i < cells; i++)
      c.quantity[q][i] = q == 0 ? 1e-3 * (2.0 * uniform() - 1.0) : (double)(float)(1e9 * uniform());
  }
  for (int64_t i = 0; i < seeds->count; i++)
    group[i] = (int32_t)(i % 5);
  o.backend = "cuda-tile";
  o.metric = metric;
  o.block_width = o.block_height = 64;
  assert_int_equal(gv_context_create(NULL, &c.context), GV_OK);
  require(&c, gv_voronoi_create(c.context, grid, seeds, &o, &c.voronoi));
  require(&c, fill_grid(c.context, c.voronoi, c.seed, c.width));
  for (int any = 0; any < 2; any++) {
    for (size_t i = 0; i < cells; i++) {
      if (any) c.seed[i] = (int32_t)((double)seeds->count * uniform());
      if (uniform() < 0.05 * any) c.seed[i] = -1 - (int32_t)(5.0 * uniform());
    }
    put_cells(&c);
    for (int round = 0; round < 2; round++) {
      c.how.distances = (turn + round + any) % 2;
      c.how.sums = (turn + any) % 3;
      c.how.bound = bounds;
      c.how.group = (turn + any) % 4 == 0 ? group : NULL;
      c.how.groups = 5;
      check_counts(&c, any == 0);
    }
    take_cells(&c);
  }
  gv_voronoi_destroy(c.voronoi);
  gv_context_destroy(c.context);
  free(c.seed);
  free(c.quantity[0]);
  free(c.quantity[1]);
  free(group);
}

static void every_grid(void **state) {
  (void)state;
  enum { SEEDS = 300 };
  double x[SEEDS], y[SEEDS];
  int turn = 0;
  random_state = 31;
  for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
    const grid_case *g = &grid_cases[i];
    if (g->kind == GV_GRID_PROJECTED) continue;
    for (int m = 0; m < (on_globe(g) ? 2 : 3); m++) {
      gv_metric metric = on_globe(g) ? (gv_metric)(GV_GREAT_CIRCLE + m) : (gv_metric)m;
      for (int round = 0; round < 4; round++, turn++) {
        int64_t n = turn % 3 == 0 ? 7 : SEEDS;
        for (int64_t s = 0; s < n; s++)
          make_seed(g, (seed_kind)(turn % SEED_KINDS), s, n, x, y);
        gv_points seeds = gv_points_xy(x, y, n);
        gv_grid grid = grid_of(g);
        if (g->kind == GV_GRID_LONLAT && round == 1) grid.level = turn % 5; /* of triangles */
        check_grid(g->name, &grid, &seeds, metric, turn);
      }
    }
  }
}

static void every_mesh(void **state) {
  (void)state;
  enum { SEEDS = 50 };
  double x[SEEDS], y[SEEDS];
  random_state = 32;
  for (int level = 0; level <= 7; level++) {
    for (int m = 0; m < 2; m++) {
      gv_grid grid;
      gv_grid_init(&grid);
      gv_points seeds = gv_points_xy(x, y, SEEDS);
      grid.kind = GV_GRID_QTM;
      grid.level = level;
      grid.semi_major = 6378137.0;
      grid.flattening = m == 0 ? 0.0 : 1.0 / 298.257223563;
      for (int i = 0; i < SEEDS; i++) {
        x[i] = 360.0 * uniform() - 180.0;
        y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
      }
      check_grid("mesh", &grid, &seeds, (gv_metric)(GV_GREAT_CIRCLE + m), 2 * level + m);
    }
  }
}

/* More rows than a launch has blocks for, and more cells than have their distances at once. */
static void large_grids(void **state) {
  (void)state;
  static const int64_t size[][2] = {{33, 4400000}, {9000, 9001}};
  const double x[] = {1.5, 30.0, 8000.25}, y[] = {-2.0, -3000000.0, -5000.0}, origin[] = {0, 1, 0, 0, 0, -1};
  for (int i = 0; i < 2; i++) {
    counted c = {.name = "large", .width = size[i][0], .height = size[i][1], .seeds = 3};
    gv_grid grid;
    gv_grid_init(&grid);
    gv_points seeds = gv_points_xy(x, y, 3);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    grid.width = c.width;
    grid.height = c.height;
    memcpy(grid.geotransform, origin, sizeof origin);
    o.backend = "cuda-tile";
    o.block_width = o.block_height = 64;
    gv_statistics_options_init(&c.how);
    c.how.distances = 1;
    c.seed = malloc((size_t)(c.width * c.height) * sizeof *c.seed);
    assert_non_null(c.seed);
    assert_int_equal(gv_context_create(NULL, &c.context), GV_OK);
    require(&c, gv_voronoi_create(c.context, &grid, &seeds, &o, &c.voronoi));
    require(&c, fill_grid(c.context, c.voronoi, c.seed, c.width));
    c.seed_there = put(c.seed, (size_t)(c.width * c.height) * sizeof *c.seed);
    gv_statistics *expected = make_statistics(&c), *found = make_statistics(&c);
    add_blocks(&c, expected, 0);
    add_strip(&c, found, 0, 0, c.width, c.height);
    compare_sums(&c, expected, found, "whole");
    gv_statistics_destroy(found);
    CUDA(cudaFree(c.seed_there));
    c.seed_there = NULL;
    found = make_statistics(&c);
    add_strip(&c, found, 0, 0, c.width, c.height);
    compare_sums(&c, expected, found, "found there");
    gv_statistics_destroy(expected);
    gv_statistics_destroy(found);
    gv_voronoi_destroy(c.voronoi);
    gv_context_destroy(c.context);
    free(c.seed);
  }
}

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  if (status != expected || strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: %s: not '%s'", gv_status_message(status), gv_context_message(context), part);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  enum { SIDE = 50 };
  const double x[] = {1.0, 20.0}, y[] = {-2.0, -30.0}, origin[] = {0, 1, 0, 0, 0, -1}, bound = 10.0;
  static int32_t host[SIDE * SIDE];
  static double value[SIDE * SIDE];
  const int32_t labels[] = {7, 9};
  gv_context *context = NULL;
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_voronoi *voronoi = NULL, *tile = NULL, *labeled = NULL;
  grid.width = grid.height = SIDE;
  memcpy(grid.geotransform, origin, sizeof origin);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  o.backend = "tile";
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &tile), GV_OK);
  o.backend = "cuda-tile";
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  o.labels = labels;
  o.nodata = -1;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &labeled), GV_OK);
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  how.sums = 1;
  how.bound = &bound;
  gv_voronoi *const of[] = {voronoi, tile, labeled};
  gv_statistics *s[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; i++)
    assert_int_equal(gv_statistics_create(context, of[i], &how, &s[i]), GV_OK);
  host[77] = 5;
  value[78] = 11.0;
  int32_t *good = put(host + 100, 100 * sizeof *host), *bad = put(host, sizeof host);
  double *fine = put(value + 100, 100 * sizeof *value), *beyond = put(value, sizeof value);
  value[78] = NAN;
  double *nothing = put(value, sizeof value);
  gv_quantity q = quantity_of(fine, NULL, 0, 10, NULL, 0);
  gv_statistics_cells strip;
  gv_statistics_cells_init(&strip);
  strip.array_options = &on_device;
  strip.columns = strip.rows = strip.stride = 10;
  strip.seed = good;
  strip.quantity = &q;
  gv_statistics_cells wrong = strip;
  assert_int_equal(gv_statistics_add(context, s[0], &strip), GV_OK);
  assert_int_equal(gv_statistics_add(NULL, s[0], &strip), GV_ERROR_INVALID_ARGUMENT);
  expect(context, gv_statistics_add(context, NULL, &strip), GV_ERROR_INVALID_ARGUMENT, "statistics or cells");
  expect(context, gv_statistics_add(context, s[1], &strip), GV_ERROR_UNSUPPORTED, "tile");
  expect(context, gv_statistics_add(context, s[2], &strip), GV_ERROR_UNSUPPORTED, "without labels");
  wrong.quantity = NULL;
  expect(context, gv_statistics_add(context, s[0], &wrong), GV_ERROR_INVALID_ARGUMENT, "quantities");
  wrong = strip, wrong.columns = SIDE + 1;
  expect(context, gv_statistics_add(context, s[0], &wrong), GV_ERROR_INVALID_ARGUMENT, "outside the grid");
  wrong = strip, wrong.stride = 9;
  expect(context, gv_statistics_add(context, s[0], &wrong), GV_ERROR_INVALID_ARGUMENT, "strides");
  wrong = strip, wrong.seed = host;
  expect(context, gv_statistics_add(context, s[0], &wrong), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
  q.type = (gv_dtype)7;
  expect(context, gv_statistics_add(context, s[0], &strip), GV_ERROR_INVALID_ARGUMENT, "unknown type");
  q = quantity_of(beyond, NULL, 0, 10, NULL, 0);
  expect(context, gv_statistics_add(context, s[0], &strip), GV_ERROR_INVALID_ARGUMENT, "quantity 0");
  q.value = nothing;
  expect(context, gv_statistics_add(context, s[0], &strip), GV_ERROR_INVALID_ARGUMENT, "quantity 0");
  q.value = fine;
  wrong = strip, wrong.seed = bad;
  expect(context, gv_statistics_add(context, s[0], &wrong), GV_ERROR_INVALID_ARGUMENT,
         "seed number: out of range (5)");
  for (int i = 0; i < 3; i++)
    gv_statistics_destroy(s[i]);
  for (int i = 0; i < 3; i++)
    gv_voronoi_destroy(of[i]);
  gv_context_destroy(context);
  void *const memory[] = {good, bad, fine, beyond, nothing};
  for (int i = 0; i < 5; i++)
    CUDA(cudaFree(memory[i]));
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_grid), cmocka_unit_test(every_mesh),
                                     cmocka_unit_test(large_grids), cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests_name("device statistics", tests, NULL, NULL);
}
