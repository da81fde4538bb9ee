/*
 * Distances on a device: the bytes of gv_voronoi_measure for grids of every kind, nearest seeds and any others, both types, several
 * ranks, strips cut anywhere; what the host is asked; what is wrong is an error of the call and of nothing after it. Skipped where there
 * is no GPU.
 */
#include "../conformance/grid_cases.h"

#include <cuda_runtime_api.h>

#include "gpuvoronoi_device.h"
#include "search/cuda_module.h"

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static void *take(size_t bytes) {
  void *memory = NULL;
  CUDA(cudaMalloc(&memory, bytes));
  return memory;
}

static void copy(void *to, const void *from, size_t bytes) {
  CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

/* An object, its cells' seeds, and their distances by the host. */
typedef struct measured {
  gv_context *context;
  gv_voronoi *voronoi;
  const char *name;
  int64_t width, height;
  int32_t k;
  int32_t *seed;
  double *distance;
  float *rounded;
} measured;

static void measure_on_host(const measured *c, const gv_voronoi_options *o) {
  int64_t across = gv_voronoi_blocks_across(c->voronoi), down = gv_voronoi_blocks_down(c->voronoi);
  int64_t bw = (c->width + across - 1) / across, bh = o->block_height;
  if (down > 1 || across > 1) bw = c->height == 1 ? bw : o->block_width;
  for (int64_t b = 0; b < across * down; b++) {
    gv_measure m = GV_MEASURE_INIT;
    m.column = b % across;
    m.row = b / across;
    int64_t first = m.row * bh * c->width + m.column * bw;
    m.bands = c->k;
    m.seed = c->seed + first;
    m.stride = m.out_stride = c->width;
    m.band_stride = m.out_band_stride = c->width * c->height;
    for (int type = 0; type < 2; type++) {
      m.type = type == 0 ? GV_FLOAT64 : GV_FLOAT32;
      m.distance = type == 0 ? (void *)(c->distance + first) : (void *)(c->rounded + first);
      if (gv_voronoi_measure(c->context, c->voronoi, &m) != GV_OK)
        fail_msg("%s: %s", c->name, gv_context_message(c->context));
    }
  }
}

/* Some cells; `gap`: values between rows and ranks, which stay as they are. */
static void check_cells(const measured *c, int64_t column, int64_t row, int64_t columns, int64_t rows,
                        int64_t gap) {
  gv_strip_measure m = GV_STRIP_MEASURE_INIT;
  m.column = column;
  m.row = row;
  m.columns = columns;
  m.rows = rows;
  m.bands = c->k;
  m.stride = columns + gap;
  m.band_stride = rows * m.stride + gap;
  m.out_stride = columns + 2 * gap;
  m.out_band_stride = rows * m.out_stride;
  size_t seeds = (size_t)(c->k * m.band_stride), values = (size_t)(c->k * m.out_band_stride);
  int32_t *seed = malloc(seeds * sizeof *seed), *seed_there = take(seeds * sizeof *seed);
  double *there = take(values * sizeof *there);
  char *got = malloc(values * sizeof(double)), *expected = malloc(values * sizeof(double));
  assert_true(seed != NULL && got != NULL && expected != NULL);
  for (size_t i = 0; i < seeds; i++)
    seed[i] = -1;
  for (int type = 0; type < 2; type++) {
    size_t size = type == 0 ? sizeof(double) : sizeof(float);
    memset(expected, 0x55, values * size);
    for (int64_t i = 0; i < c->k * rows * columns; i++) {
      int64_t k = i / (rows * columns), r = i / columns % rows, at = i % columns;
      int64_t from = (k * c->height + row + r) * c->width + column + at;
      seed[k * m.band_stride + r * m.stride + at] = c->seed[from];
      memcpy(expected + (size_t)(k * m.out_band_stride + r * m.out_stride + at) * size,
             type == 0 ? (void *)(c->distance + from) : (void *)(c->rounded + from), size);
    }
    memset(got, 0x55, values * size);
    copy(there, got, values * size);
    copy(seed_there, seed, seeds * sizeof *seed);
    m.type = type == 0 ? GV_FLOAT64 : GV_FLOAT32;
    m.seed = seed_there;
    m.distance = there;
    if (gv_voronoi_measure_strip(c->context, c->voronoi, &m) != GV_OK)
      fail_msg("%s: %s", c->name, gv_context_message(c->context));
    copy(got, there, values * size);
    for (size_t i = 0; i < values; i++) {
      if (memcmp(got + i * size, expected + i * size, size) == 0) continue;
      double is = type == 0 ? ((double *)got)[i] : (double)((float *)got)[i];
      double should = type == 0 ? ((double *)expected)[i] : (double)((float *)expected)[i];
      fail_msg("%s, k %d: %.17g at %lld of %lld x %lld cells from %lld, %lld, not %.17g", c->name, (int)c->k, is,
               (long long)i, (long long)columns, (long long)rows, (long long)column, (long long)row, should);
    }
  }
  CUDA(cudaFree(there));
  CUDA(cudaFree(seed_there));
  free(seed);
  free(got);
  free(expected);
}

/* The nearest seeds, then any: pairs as far apart as can be. */
static void check_grid(const char *name, const gv_grid *grid, const gv_seeds *seeds, gv_metric metric, int32_t k) {
  measured c = {.name = name, .width = row_of(grid), .height = cells_of(grid) / row_of(grid), .k = k};
  size_t values = (size_t)(k * cells_of(grid));
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  c.seed = malloc(values * sizeof *c.seed);
  c.distance = malloc(values * sizeof *c.distance);
  c.rounded = malloc(values * sizeof *c.rounded);
  assert_true(c.seed != NULL && c.distance != NULL && c.rounded != NULL);
  o.backend = "cuda-tile";
  o.metric = metric;
  o.block_width = o.block_height = 256;
  o.k = k;
  assert_int_equal(gv_context_create(NULL, &c.context), GV_OK);
  if (gv_voronoi_create(c.context, grid, seeds, &o, &c.voronoi) != GV_OK)
    fail_msg("%s: %s", name, gv_context_message(c.context));
  assert_int_equal(gv_voronoi_compute(c.context, c.voronoi, c.seed, c.width), GV_OK);
  for (int any = 0; any < 2; any++) {
    for (size_t i = 0; i < values; i++) {
      if (any) c.seed[i] = (int32_t)((double)seeds->count * uniform());
      if (uniform() < 0.05) c.seed[i] = -1 - (int32_t)(5.0 * uniform());
    }
    measure_on_host(&c, &o);
    check_cells(&c, 0, 0, c.width, c.height, 0);
    int64_t column = (int64_t)((double)c.width * uniform()), row = (int64_t)((double)c.height * uniform());
    check_cells(&c, column, row, 1 + (c.width - column - 1) / 2, 1 + (c.height - row - 1) / 2, 3);
  }
  gv_voronoi_destroy(c.voronoi);
  gv_context_destroy(c.context);
  free(c.seed);
  free(c.distance);
  free(c.rounded);
}

static void every_grid(void **state) {
  (void)state;
  enum { SEEDS = 300 };
  double x[SEEDS], y[SEEDS];
  int turn = 0;
  random_state = 21;
  for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
    const grid_case *g = &grid_cases[i];
    if (g->kind == GV_GRID_PROJECTED) continue;
    for (int m = 0; m < (on_globe(g) ? 2 : 3); m++) {
      gv_metric metric = on_globe(g) ? (gv_metric)(GV_GREAT_CIRCLE + m) : (gv_metric)m;
      for (int round = 0; round < 4; round++, turn++) {
        seed_kind kind = (seed_kind)(turn % SEED_KINDS);
        int64_t n = turn % 3 == 0 ? 7 : SEEDS;
        for (int64_t s = 0; s < n; s++)
          make_seed(g, kind, s, n, x, y);
        gv_seeds seeds = {x, y, n};
        gv_grid grid = grid_of(g);
        if (g->kind == GV_GRID_LONLAT && round == 1) grid.level = turn % 5; /* of triangles */
        check_grid(g->name, &grid, &seeds, metric, turn % 4 == 1 ? 3 : 1);
      }
    }
  }
}

static void every_mesh(void **state) {
  (void)state;
  enum { SEEDS = 50 };
  double x[SEEDS], y[SEEDS];
  random_state = 22;
  for (int level = 0; level <= 7; level++) {
    for (int m = 0; m < 2; m++) {
      gv_grid grid = GV_GRID_INIT;
      gv_seeds seeds = {x, y, SEEDS};
      grid.kind = GV_GRID_QTM;
      grid.level = level;
      for (int i = 0; i < SEEDS; i++) {
        x[i] = 360.0 * uniform() - 180.0;
        y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
      }
      check_grid("mesh", &grid, &seeds, (gv_metric)(GV_GREAT_CIRCLE + m), 1 + level % 2);
    }
  }
}

/* Other ellipsoids; where the series answers nothing the host is asked about all, more than are listed at once. */
static void every_ellipsoid(void **state) {
  (void)state;
  static const double flattenings[] = {1.0 / 294.9786982, 0.0, 0.0199, 0.0201, -1.0 / 150.0};
  enum { SEEDS = 40 };
  double x[SEEDS], y[SEEDS];
  random_state = 23;
  for (int i = 0; i < 5; i++) {
    gv_grid grid = GV_GRID_INIT;
    gv_seeds seeds = {x, y, SEEDS};
    int64_t side = i == 4 ? 1030 : 200;
    const double geotransform[] = {-180, 360.0 / (double)side, 0, 90, 0, -180.0 / (double)side};
    grid.kind = GV_GRID_LONLAT;
    grid.width = grid.height = side;
    grid.semi_major = 6378206.4;
    grid.flattening = flattenings[i];
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
    for (int s = 0; s < SEEDS; s++) {
      x[s] = 360.0 * uniform() - 180.0;
      y[s] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
    }
    check_grid("ellipsoid", &grid, &seeds, GV_GEODESIC, 1);
  }
}

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  if (status != expected || strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: %s: not '%s'", gv_status_name(status), gv_context_message(context), part);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  enum { SIDE = 50 };
  const double x[] = {1.0, 20.0}, y[] = {-2.0, -30.0}, geotransform[] = {0, 1, 0, 0, 0, -1};
  static int32_t host[SIDE * SIDE];
  gv_context *context = NULL;
  gv_grid grid = GV_GRID_INIT;
  gv_seeds seeds = {x, y, 2};
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  gv_voronoi *voronoi = NULL, *tile = NULL;
  int32_t *there = take(sizeof host);
  float *distance = take(sizeof host);
  grid.width = grid.height = SIDE;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  o.backend = "tile";
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &tile), GV_OK);
  o.backend = "cuda-tile";
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  gv_strip_measure good = GV_STRIP_MEASURE_INIT, m;
  good.seed = there;
  good.distance = distance;
  good.stride = good.out_stride = SIDE;
  for (int round = 0; round < 2; round++) {
    host[77] = 2 + round;
    copy(there, host, sizeof host);
    char message[64];
    snprintf(message, sizeof message, "there is no seed %d", 2 + round);
    expect(context, gv_voronoi_measure_strip(context, voronoi, &good), GV_ERROR_INVALID_ARGUMENT, message);
    host[77] = 1;
    copy(there, host, sizeof host);
    assert_int_equal(gv_voronoi_measure_strip(context, voronoi, &good), GV_OK);
    assert_int_equal(gv_voronoi_measure_strip(NULL, voronoi, &good), GV_ERROR_INVALID_ARGUMENT);
    expect(context, gv_voronoi_measure_strip(context, NULL, &good), GV_ERROR_INVALID_ARGUMENT, "no grid");
    expect(context, gv_voronoi_measure_strip(context, tile, &good), GV_ERROR_UNSUPPORTED, "'tile'");
    m = good, m.seed = host;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    m = good, m.distance = host;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    m = good, m.distance = NULL;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "no place");
    m = good, m.columns = SIDE + 1;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "within the grid");
    m = good, m.bands = 0;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "bands");
    m = good, m.out_stride = SIDE - 1;
    expect(context, gv_voronoi_measure_strip(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "strides");
  }
  gv_voronoi_destroy(tile);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  CUDA(cudaFree(there));
  CUDA(cudaFree(distance));
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_grid), cmocka_unit_test(every_mesh),
                                     cmocka_unit_test(every_ellipsoid), cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests_name("device distances", tests, NULL, NULL);
}
