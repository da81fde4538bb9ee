/*
 * Distances and azimuths on a device, and of host blocks measured there: the bytes of gv_voronoi_measure for
 * grids of every kind, nearest seeds and any others, both types, several bands, strips cut anywhere; pairs
 * that the host computes; an error is reported by its call and by no later one. Skipped without a GPU.
 */
#include "../conformance/grid_cases.h"
#include "grid_fill.h"

#include <cuda_runtime_api.h>

#include "gpuvoronoi/experimental.h"
#include "search/cuda_module.h"
#include "search/device_times.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static void *take(size_t bytes) {
  void *memory = NULL;
  CUDA(cudaMalloc(&memory, bytes));
  return memory;
}

static void copy(void *to, const void *from, size_t bytes) {
  CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

/* Requested outputs. */
typedef enum wanted { DOUBLES, FLOATS, DOUBLES_AND_AZIMUTHS, FLOATS_AND_AZIMUTHS, AZIMUTHS, WANTED } wanted;

static bool has_azimuths(wanted what) {
  return what >= DOUBLES_AND_AZIMUTHS;
}

static bool in_doubles(wanted what) {
  return what == DOUBLES || what == DOUBLES_AND_AZIMUTHS;
}

/* An object, its cells' seeds, and what processors measure. */
typedef struct measured {
  gv_context *context;
  gv_voronoi *voronoi, *tile;
  const char *name;
  int64_t width, height, block;
  int32_t k;
  int32_t *seed;
  double *distance;
  float *rounded, *azimuth;
} measured;

/* By blocks: into these arrays, NULL if not requested. */
static void measure_blocks(const measured *c, const gv_voronoi *of, gv_dtype type, void *distance,
                           float *azimuth) {
  int64_t across = blocks_across(of), down = blocks_down(of);
  for (int64_t b = 0; b < across * down; b++) {
    gv_measure m;
    gv_measure_init(&m);
    AT_BLOCK(m, of, b % across, b / across);
    int64_t first = m.row * c->width + m.column;
    m.bands = c->k;
    m.seed = c->seed + first;
    m.stride = m.out_stride = c->width;
    m.band_stride = m.out_band_stride = c->width * c->height;
    m.type = type;
    if (distance != NULL && type == GV_FLOAT64) m.distance = (double *)distance + first;
    if (distance != NULL && type == GV_FLOAT32) m.distance = (float *)distance + first;
    if (azimuth != NULL) m.azimuth = azimuth + first;
    if (gv_voronoi_measure(c->context, of, &m) != GV_OK)
      fail_msg("%s: %s", c->name, gv_context_message(c->context));
  }
}

static void expect_same(const measured *c, const char *how, const void *got, const void *expected,
                        size_t values, size_t size) {
  for (size_t i = 0; i < values; i++) {
    if (memcmp((const char *)got + i * size, (const char *)expected + i * size, size) == 0) continue;
    double is = size == sizeof(double) ? ((const double *)got)[i] : (double)((const float *)got)[i];
    double should =
        size == sizeof(double) ? ((const double *)expected)[i] : (double)((const float *)expected)[i];
    fail_msg("%s, k %d, %s: %.17g at %lld, not %.17g", c->name, (int)c->k, how, is, (long long)i, should);
  }
}

/* The same blocks, by the device in place of processors. */
static void check_blocks(const measured *c) {
  size_t values = (size_t)(c->k * c->width * c->height);
  void *distance = malloc(values * sizeof(double));
  float *azimuth = malloc(values * sizeof *azimuth);
  assert_true(distance != NULL && azimuth != NULL);
  for (wanted what = 0; what < WANTED; what++) {
    memset(distance, 0x55, values * sizeof(double));
    memset(azimuth, 0x55, values * sizeof *azimuth);
    measure_blocks(c, c->voronoi, in_doubles(what) ? GV_FLOAT64 : GV_FLOAT32,
                   what == AZIMUTHS ? NULL : distance, has_azimuths(what) ? azimuth : NULL);
    if (what != AZIMUTHS && in_doubles(what))
      expect_same(c, "blocks, doubles", distance, c->distance, values, sizeof(double));
    if (what != AZIMUTHS && !in_doubles(what))
      expect_same(c, "blocks, floats", distance, c->rounded, values, sizeof(float));
    if (has_azimuths(what)) expect_same(c, "blocks, azimuths", azimuth, c->azimuth, values, sizeof(float));
  }
  free(distance);
  free(azimuth);
}

/* An array on the device and its expected contents: 0x55 except for the strip's cells. */
typedef struct compared {
  size_t values, size;
  char *expected, *got;
  void *there;
} compared;

static compared begin_comparing(size_t values, size_t size) {
  compared a = {values, size, malloc(values * size), malloc(values * size), take(values * size)};
  assert_true(a.expected != NULL && a.got != NULL);
  memset(a.expected, 0x55, values * size);
  copy(a.there, a.expected, values * size);
  return a;
}

static void end_comparing(const measured *c, const char *how, compared *a) {
  copy(a->got, a->there, a->values * a->size);
  expect_same(c, how, a->got, a->expected, a->values, a->size);
  CUDA(cudaFree(a->there));
  free(a->expected);
  free(a->got);
}

/* Some cells on the device; `gap`: values between rows and bands, which must be unchanged. */
static void check_cells(const measured *c, int64_t column, int64_t row, int64_t columns, int64_t rows,
                        int64_t gap) {
  gv_measure m;
  gv_measure_init(&m);
  m.array_options = &on_device;
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
  assert_true(seed != NULL);
  for (size_t i = 0; i < seeds; i++)
    seed[i] = -1;
  for (wanted what = 0; what < WANTED; what++) {
    size_t size = in_doubles(what) ? sizeof(double) : sizeof(float);
    compared distance = begin_comparing(values, size), azimuth = begin_comparing(values, sizeof(float));
    for (int64_t i = 0; i < c->k * rows * columns; i++) {
      int64_t k = i / (rows * columns), r = i / columns % rows, at = i % columns;
      int64_t from = (k * c->height + row + r) * c->width + column + at;
      size_t to = (size_t)(k * m.out_band_stride + r * m.out_stride + at);
      seed[k * m.band_stride + r * m.stride + at] = c->seed[from];
      const void *value = in_doubles(what) ? (void *)(c->distance + from) : (void *)(c->rounded + from);
      if (what != AZIMUTHS) memcpy(distance.expected + to * size, value, size);
      if (has_azimuths(what)) memcpy(azimuth.expected + to * sizeof(float), c->azimuth + from, sizeof(float));
    }
    copy(seed_there, seed, seeds * sizeof *seed);
    m.type = in_doubles(what) ? GV_FLOAT64 : GV_FLOAT32;
    m.seed = seed_there;
    m.distance = what == AZIMUTHS ? NULL : distance.there;
    m.azimuth = has_azimuths(what) ? azimuth.there : NULL;
    if (gv_voronoi_measure(c->context, c->voronoi, &m) != GV_OK)
      fail_msg("%s: %s", c->name, gv_context_message(c->context));
    end_comparing(c, "a strip's distances", &distance);
    end_comparing(c, "a strip's azimuths", &azimuth);
  }
  CUDA(cudaFree(seed_there));
  free(seed);
}

/* The nearest seeds, then any: pairs as far apart as can be. `block`: a side. */
static void check_grid(const char *name, const gv_grid *grid, const gv_points *seeds, gv_metric metric,
                       int32_t k, int32_t block) {
  measured c = {
      .name = name, .width = row_of(grid), .height = cells_of(grid) / row_of(grid), .k = k, .block = block};
  size_t values = (size_t)(k * cells_of(grid));
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  c.seed = malloc(values * sizeof *c.seed);
  c.distance = malloc(values * sizeof *c.distance);
  c.rounded = malloc(values * sizeof *c.rounded);
  c.azimuth = malloc(values * sizeof *c.azimuth);
  assert_true(c.seed != NULL && c.distance != NULL && c.rounded != NULL && c.azimuth != NULL);
  o.backend = "cuda-tile";
  o.metric = metric;
  o.block_width = block;
  if (grid->kind != GV_GRID_QTM) o.block_height = block;
  o.k = k;
  assert_int_equal(gv_context_create(NULL, &c.context), GV_OK);
  if (gv_voronoi_create(c.context, grid, seeds, &o, &c.voronoi) != GV_OK)
    fail_msg("%s: %s", name, gv_context_message(c.context));
  o.backend = "tile";
  assert_int_equal(gv_voronoi_create(c.context, grid, seeds, &o, &c.tile), GV_OK);
  assert_int_equal(fill_grid(c.context, c.voronoi, c.seed, c.width), GV_OK);
  for (int any = 0; any < 2; any++) {
    for (size_t i = 0; i < values; i++) {
      if (any) c.seed[i] = (int32_t)((double)seeds->count * uniform());
      if (uniform() < 0.05) c.seed[i] = -1 - (int32_t)(5.0 * uniform());
    }
    measure_blocks(&c, c.tile, GV_FLOAT64, c.distance, c.azimuth);
    measure_blocks(&c, c.tile, GV_FLOAT32, c.rounded, NULL);
    check_blocks(&c);
    check_cells(&c, 0, 0, c.width, c.height, 0);
    int64_t column = (int64_t)((double)c.width * uniform()), row = (int64_t)((double)c.height * uniform());
    check_cells(&c, column, row, 1 + (c.width - column - 1) / 2, 1 + (c.height - row - 1) / 2, 3);
  }
  gv_voronoi_destroy(c.voronoi);
  gv_voronoi_destroy(c.tile);
  gv_context_destroy(c.context);
  free(c.seed);
  free(c.distance);
  free(c.rounded);
  free(c.azimuth);
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
        gv_points seeds = gv_points_xy(x, y, n);
        gv_grid grid = grid_of(g);
        if (g->kind == GV_GRID_LONLAT && round == 1) grid.level = turn % 5; /* of triangles */
        check_grid(g->name, &grid, &seeds, metric, turn % 4 == 1 ? 3 : 1, turn % 2 == 0 ? 256 : 37);
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
      gv_grid grid;
      gv_grid_init(&grid);
      gv_points seeds = gv_points_xy(x, y, SEEDS);
      grid.kind = GV_GRID_QTM;
      grid.level = level;
      for (int i = 0; i < SEEDS; i++) {
        x[i] = 360.0 * uniform() - 180.0;
        y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
      }
      check_grid("mesh", &grid, &seeds, (gv_metric)(GV_GREAT_CIRCLE + m), 1 + level % 2, 256);
    }
  }
}

/* Other ellipsoids; if the series solves nothing the host computes all, more than are listed at once. */
static void every_ellipsoid(void **state) {
  (void)state;
  static const double flattenings[] = {1.0 / 294.9786982, 0.0, 0.0199, 0.0201, -1.0 / 150.0};
  enum { SEEDS = 40 };
  double x[SEEDS], y[SEEDS];
  random_state = 23;
  for (int i = 0; i < 5; i++) {
    gv_grid grid;
    gv_grid_init(&grid);
    gv_points seeds = gv_points_xy(x, y, SEEDS);
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
    check_grid("ellipsoid", &grid, &seeds, GV_GEODESIC, 1, 256);
  }
}

/* Blocks of more cells than go to the device at once: by rows, and by pieces of rows. */
static void large_blocks(void **state) {
  (void)state;
  const double x[] = {10.0, -170.0, 180.0, 80.0, 0.0}, y[] = {45.0, -45.0, 0.0, 90.0, -89.0};
  for (int mesh = 0; mesh < 2; mesh++) {
    gv_grid grid;
    gv_grid_init(&grid);
    gv_points seeds = gv_points_xy(x, y, 5);
    const double geotransform[] = {-180, 0.4, 0, 90, 0, -0.3};
    grid.kind = mesh ? GV_GRID_QTM : GV_GRID_LONLAT;
    if (mesh) grid.level = 8;
    grid.width = mesh ? 0 : 900;
    grid.height = mesh ? 0 : 600;
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
    check_grid("large blocks", &grid, &seeds, GV_GEODESIC, 1, mesh ? 1 << 20 : 1024);
  }
}

/* A cell and its seed at one place, a seed within a meter, one at the antipode: what the series leaves
 * open. */
static void next_to_each_other(void **state) {
  (void)state;
  double x[128], y[128];
  const double meter = 1.0 / 111319.5;
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(x, y, 128);
  const double geotransform[] = {-180.5, 1, 0, 90.5, 0, -1};
  random_state = 24;
  for (int i = 0; i < 128; i++) {
    double lon = floor(361.0 * uniform()) - 180.0, lat = 90.0 - floor(181.0 * uniform());
    x[i] = i % 4 == 3 ? lon + 180.0 : lon;
    y[i] = i % 4 == 3 ? -lat : lat;
    if (i % 4 == 1) x[i] += meter * 2.0 * uniform();
    if (i % 4 == 2) y[i] = y[i] > 0.0 ? y[i] - meter * 1e-3 * uniform() : y[i] + meter * 1e-3 * uniform();
  }
  grid.kind = GV_GRID_LONLAT;
  grid.width = 361;
  grid.height = 181;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  for (int m = 0; m < 2; m++)
    check_grid("next to each other", &grid, &seeds, (gv_metric)(GV_GREAT_CIRCLE + m), 2, 64);
}

/* Without requesting a device: by the grid's size one thread would take many times as long. */
static void automatically(void **state) {
  (void)state;
  enum { WIDTH = 6000, HEIGHT = 3000, BLOCK = 500, SIDE = BLOCK * BLOCK };
  double x[40], y[40];
  static int32_t seed[SIDE];
  static float got[SIDE], expected[SIDE];
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  gv_voronoi *chosen = NULL, *tile = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(x, y, 40);
  const double geotransform[] = {-180, 0.06, 0, 90, 0, -0.06};
  random_state = 25;
  for (int i = 0; i < 40; i++) {
    x[i] = 360.0 * uniform() - 180.0;
    y[i] = 180.0 * uniform() - 90.0;
  }
  for (int i = 0; i < SIDE; i++)
    seed[i] = (int32_t)(40.0 * uniform());
  grid.kind = GV_GRID_LONLAT;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.metric = GV_GEODESIC;
  o.block_width = o.block_height = BLOCK;
  options.threads = 1;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &chosen), GV_OK);
  o.backend = "tile";
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &tile), GV_OK);
  double before = gv_context_device_seconds(context);
  gv_measure m;
  gv_measure_init(&m);
  m.seed = seed;
  m.stride = m.out_stride = BLOCK;
  for (int64_t i = 0; i < HEIGHT / BLOCK * (WIDTH / BLOCK); i++) {
    AT_BLOCK(m, tile, i % (WIDTH / BLOCK), i / (WIDTH / BLOCK));
    m.distance = got;
    assert_int_equal(gv_voronoi_measure(context, chosen, &m), GV_OK);
    m.distance = expected;
    assert_int_equal(gv_voronoi_measure(context, tile, &m), GV_OK);
    assert_memory_equal(got, expected, sizeof got);
  }
  assert_true(gv_context_device_seconds(context) > before);
  gv_voronoi_destroy(chosen);
  gv_voronoi_destroy(tile);
  gv_context_destroy(context);
}

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  if (status != expected || strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: %s: not '%s'", gv_status_message(status), gv_context_message(context), part);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  enum { SIDE = 50 };
  const double x[] = {1.0, 20.0}, y[] = {-2.0, -30.0}, geotransform[] = {0, 1, 0, 0, 0, -1};
  static int32_t host[SIDE * SIDE];
  gv_context *context = NULL;
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
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
  gv_measure good, m;
  gv_measure_init(&good);
  good.array_options = &on_device;
  good.seed = there;
  good.distance = distance;
  good.stride = good.out_stride = SIDE;
  for (int round = 0; round < 2; round++) {
    host[77] = 2 + round;
    copy(there, host, sizeof host);
    char message[64];
    snprintf(message, sizeof message, "seed number: out of range (%d)", 2 + round);
    expect(context, gv_voronoi_measure(context, voronoi, &good), GV_ERROR_INVALID_ARGUMENT, message);
    host[77] = 1;
    copy(there, host, sizeof host);
    assert_int_equal(gv_voronoi_measure(context, voronoi, &good), GV_OK);
    assert_int_equal(gv_voronoi_measure(NULL, voronoi, &good), GV_ERROR_INVALID_ARGUMENT);
    expect(context, gv_voronoi_measure(context, NULL, &good), GV_ERROR_INVALID_ARGUMENT, "grid or output");
    expect(context, gv_voronoi_measure(context, tile, &good), GV_ERROR_UNSUPPORTED, "tile");
    m = good, m.seed = host;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    m = good, m.distance = host;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    m = good, m.azimuth = (float *)host;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    m = good, m.distance = NULL;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT,
           "both output pointers");
    m = good, m.columns = SIDE + 1;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "outside the grid");
    m = good, m.bands = 0;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "bands");
    m = good, m.out_stride = SIDE - 1;
    expect(context, gv_voronoi_measure(context, voronoi, &m), GV_ERROR_INVALID_ARGUMENT, "strides");
  }
  gv_measure block; /* of the host's, measured there */
  gv_measure_init(&block);
  float here[SIDE * SIDE];
  block.seed = host;
  block.stride = block.out_stride = SIDE;
  block.distance = here;
  assert_int_equal(gv_voronoi_measure(context, voronoi, &block), GV_OK);
  host[78] = 2;
  expect(context, gv_voronoi_measure(context, voronoi, &block), GV_ERROR_INVALID_ARGUMENT,
         "seed number: out of range (2)");
  gv_voronoi_destroy(tile);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  CUDA(cudaFree(there));
  CUDA(cudaFree(distance));
}

/* With an argument: only tests with names that match it, because some tools are slow. */
int main(int argc, char **argv) {
  const char *reason = "";
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_grid),           cmocka_unit_test(every_mesh),
                                     cmocka_unit_test(every_ellipsoid),      cmocka_unit_test(large_blocks),
                                     cmocka_unit_test(next_to_each_other),   cmocka_unit_test(automatically),
                                     cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests_name("device distances", tests, NULL, NULL);
}
