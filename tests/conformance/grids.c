/*
 * Every engine gives the bytes of `serial` on every kind of grid: random and nasty seeds, all metrics, all vector
 * instruction sets, several block sizes and thread counts. An engine joins by being in the library's list.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi.h"

static const double pi = 3.14159265358979323846;

static uint64_t random_state = 1;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

/* --------------------------------------------------------------------------------------------------- grids */

/* Inverse sinusoidal projection of the sphere of radius 1e6, with no inverse outside the map. */
static int inverse_sinusoidal(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    double lat = y[i] / 1e6 * 180.0 / pi, scale = cos(lat * pi / 180.0);
    double lon = scale > 0.0 ? x[i] / 1e6 / scale * 180.0 / pi : HUGE_VAL;
    bool inside = fabs(lat) <= 90.0 && fabs(lon) <= 180.0;
    x[i] = inside ? lon : HUGE_VAL;
    y[i] = inside ? lat : HUGE_VAL;
  }
  return 0;
}

/* Inverse polar azimuthal equidistant: the pole lies inside the grid. */
static int inverse_polar(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    double lon = atan2(x[i], -y[i]) * 180.0 / pi, lat = 90.0 - hypot(x[i], y[i]) / 1e5;
    x[i] = lat < -90.0 ? HUGE_VAL : lon;
    y[i] = lat < -90.0 ? HUGE_VAL : lat;
  }
  return 0;
}

typedef struct grid_case {
  const char *name;
  gv_grid_kind kind;
  int64_t width, height;
  double geotransform[6];
  gv_inverse_fn inverse;
} grid_case;

static const grid_case grid_cases[] = {
    {"plane", GV_GRID_PLANE, 150, 100, {-10, 0.25, 0, 12, 0, -0.25}, NULL},
    {"plane, south-up", GV_GRID_PLANE, 97, 61, {-10, 0.4, 0, -12, 0, 0.4}, NULL},
    {"plane, rotated", GV_GRID_PLANE, 90, 70, {-10, 0.3, 0.1, 12, -0.12, -0.25}, NULL},
    {"plane near 1e7", GV_GRID_PLANE, 120, 90, {1e7, 1, 0, 1.00001e7, 0, -1}, NULL},
    {"plane, one column", GV_GRID_PLANE, 1, 300, {0.5, 0.1, 0, 15, 0, -0.1}, NULL},
    {"globe", GV_GRID_LONLAT, 90, 46, {-180, 4, 0, 90, 0, -180.0 / 46}, NULL},
    {"globe, south-up, 0 to 360", GV_GRID_LONLAT, 72, 37, {0, 5, 0, -90, 0, 180.0 / 37}, NULL},
    {"antimeridian", GV_GRID_LONLAT, 80, 60, {170, 0.25, 0, 8, 0, -0.25}, NULL},
    {"pole, fine", GV_GRID_LONLAT, 100, 40, {-180, 3.6, 0, 90, 0, -0.05}, NULL},
    {"cell centres on the poles", GV_GRID_LONLAT, 36, 19, {-185, 10, 0, 95, 0, -10}, NULL},
    {"more than once around", GV_GRID_LONLAT, 130, 20, {-400, 7, 0, 80, 0, -8}, NULL},
    {"fine, far from the seeds that lie outside", GV_GRID_LONLAT, 70, 50, {20, 0.01, 0, 35, 0, -0.01}, NULL},
    {"one meridian", GV_GRID_LONLAT, 1, 180, {10, 1, 0, 90, 0, -1}, NULL},
    {"sinusoidal", GV_GRID_PROJECTED, 80, 40, {-3.2e6, 8e4, 0, 1.6e6, 0, -8e4}, inverse_sinusoidal},
    {"polar", GV_GRID_PROJECTED, 61, 61, {-3.05e6, 1e5, 0, 3.05e6, 0, -1e5}, inverse_polar},
};

/* --------------------------------------------------------------------------------------------------- seeds */

typedef enum seed_kind {
  UNIFORM,
  DUPLICATES,
  ON_CELLS,
  BETWEEN_CELLS,
  LATTICE,
  CORNER,
  OUTSIDE,
  COINCIDENT,
  ONE_PLACE,
  LINE,
  POLES_AND_ANTIMERIDIAN,
  SEED_KINDS
} seed_kind;

static const char *const seed_names[] = {
    "uniform",    "duplicates", "on cells", "between cells",         "lattice", "corner", "outside",
    "coincident", "one place",  "line",     "poles and antimeridian"};

static bool on_globe(const grid_case *g) {
  return g->kind != GV_GRID_PLANE;
}

/* A position of the grid's extent (plane), or anywhere on the globe. */
static void place(const grid_case *g, double u, double v, double *x, double *y) {
  if (g->kind == GV_GRID_PROJECTED) {
    *x = 360.0 * u - 180.0;
    *y = asin(2.0 * v - 1.0) * 180.0 / pi;
    return;
  }
  const double *t = g->geotransform;
  double c = u * (double)g->width, r = v * (double)g->height;
  *x = t[0] + c * t[1] + r * t[2];
  *y = t[3] + c * t[4] + r * t[5];
  if (on_globe(g) && fabs(*y) > 90.0) *y = *y > 0.0 ? 90.0 : -90.0;
}

static void make_seed(const grid_case *g, seed_kind kind, int64_t i, int64_t n, double *x, double *y) {
  double w = (double)g->width, h = (double)g->height;
  switch (kind) {
  case ON_CELLS:
    place(g, (floor(uniform() * w) + 0.5) / w, (floor(uniform() * h) + 0.5) / h, &x[i], &y[i]);
    break;
  case BETWEEN_CELLS:
    place(g, floor(uniform() * w) / w, floor(uniform() * h) / h, &x[i], &y[i]);
    break;
  case LATTICE: {
    int64_t side = (int64_t)ceil(sqrt((double)n));
    place(g, ((double)(i % side) + 0.5) / (double)side, ((double)(i / side) + 0.5) / (double)side, &x[i], &y[i]);
    break;
  }
  case CORNER:
    place(g, uniform() * 0.01, uniform() * 0.01, &x[i], &y[i]);
    break;
  case OUTSIDE:
    place(g, uniform() * 0.3, uniform() * 0.3, &x[i], &y[i]);
    if (on_globe(g)) {
      x[i] += 150.0;
      y[i] = -y[i];
    } else {
      x[i] += 3.0 * w * fabs(g->geotransform[1]);
    }
    break;
  case COINCIDENT: {
    static const double nudges[] = {0.0, 1e-12, 1e-9, 1e-6};
    place(g, floor(uniform() * 4) / 4, floor(uniform() * 4) / 4, &x[i], &y[i]);
    x[i] += nudges[i % 4];
    break;
  }
  case ONE_PLACE:
    place(g, 0.3, 0.6, &x[i], &y[i]);
    break;
  case LINE:
    place(g, (double)i / (double)n, 0.5, &x[i], &y[i]);
    break;
  case POLES_AND_ANTIMERIDIAN: {
    static const double lon[] = {0.0, 180.0, -180.0, 77.0, -180.0, 180.0, 540.0, 0.0, 90.0, -90.0};
    static const double lat[] = {90.0, 90.0, -90.0, 90.0, 10.0, 10.0, 10.0, -0.0, 0.0, 0.0};
    place(g, uniform(), uniform(), &x[i], &y[i]);
    if (on_globe(g) && i < 10) {
      x[i] = lon[i];
      y[i] = lat[i];
    }
    break;
  }
  default:
    place(g, uniform(), uniform(), &x[i], &y[i]);
    if (kind == DUPLICATES && i > 0 && uniform() < 0.7) {
      int64_t k = (int64_t)(uniform() * (double)i);
      x[i] = x[k] + (on_globe(g) && uniform() < 0.5 ? 360.0 : 0.0);
      y[i] = y[k];
    }
    break;
  }
}

/* -------------------------------------------------------------------------------------------------- the test */

typedef struct run_options {
  const char *backend, *simd;
  int threads;
  int32_t block_width, block_height;
} run_options;

static void run(const gv_grid *grid, const gv_seeds *seeds, gv_metric metric, const run_options *options,
                const int32_t *labels, int32_t *out) {
  gv_context_options context_options = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  context_options.threads = options->threads;
  o.backend = options->backend;
  o.metric = metric;
  o.block_width = options->block_width;
  o.block_height = options->block_height;
  o.labels = labels;
  o.nodata = -7;
  assert_int_equal(setenv("GPUVORONOI_SIMD", options->simd, 1), 0);
  assert_int_equal(gv_context_create(&context_options, &context), GV_OK);
  for (int64_t i = 0; i < grid->width * grid->height; i++)
    out[i] = INT32_MIN;
  gv_status status = gv_voronoi_create(context, grid, seeds, &o, &voronoi);
  if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, out, grid->width);
  if (status != GV_OK) fail_msg("%s: %s", options->backend, gv_context_message(context));
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

static gv_grid grid_of(const grid_case *g) {
  gv_grid grid = GV_GRID_INIT;
  grid.kind = g->kind;
  grid.width = g->width;
  grid.height = g->height;
  memcpy(grid.geotransform, g->geotransform, sizeof grid.geotransform);
  grid.inverse = g->inverse;
  return grid;
}

static void compare(const grid_case *g, const char *seeds, gv_metric metric, const run_options *o,
                    const int32_t *expected, const int32_t *got) {
  for (int64_t i = 0; i < g->width * g->height; i++) {
    if (expected[i] != got[i]) {
      fail_msg("%s, seeds %s, %s: %s (%s, blocks %dx%d) says %d at column %lld row %lld, serial %d", g->name, seeds,
               gv_metric_name(metric), o->backend, o->simd, (int)o->block_width, (int)o->block_height, (int)got[i],
               (long long)(i % g->width), (long long)(i / g->width), (int)expected[i]);
    }
  }
}

/* The environment variable GPUVORONOI_TEST_BACKEND names the only engine to be compared, where time is short. */
static bool to_be_compared(const gv_backend_info *info) {
  const char *only = getenv("GPUVORONOI_TEST_BACKEND");
  return info->available && info->allocates_grids && strcmp(info->name, "serial") != 0 &&
         (only == NULL || strcmp(info->name, only) == 0);
}

/* All engines that can run here against `serial` for one set of seeds. */
static void check_engines(const grid_case *g, const char *name, const gv_seeds *seeds, gv_metric metric) {
  static const run_options tile_variants[] = {{"tile", "avx512", 1, 0, 0},
                                              {"tile", "avx2", 2, 64, 64},
                                              {"tile", "baseline", 3, 37, 53},
                                              {"tile", "avx512", 2, 40, 16}};
  gv_grid grid = grid_of(g);
  size_t cells = (size_t)(g->width * g->height);
  int32_t *expected = malloc(cells * sizeof *expected), *got = malloc(cells * sizeof *got);
  int32_t *labels = malloc((size_t)seeds->count * sizeof *labels);
  assert_non_null(expected);
  assert_non_null(got);
  assert_non_null(labels);
  for (int64_t i = 0; i < seeds->count; i++)
    labels[i] = (int32_t)(1000000 - 3 * i);
  run_options serial = {"serial", "avx512", 2, 0, 0};
  run(&grid, seeds, metric, &serial, labels, expected);
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (!to_be_compared(&info)) continue;
    if (strcmp(info.name, "tile") == 0) {
      for (size_t i = 0; i < sizeof tile_variants / sizeof *tile_variants; i++) {
        run(&grid, seeds, metric, &tile_variants[i], labels, got);
        compare(g, name, metric, &tile_variants[i], expected, got);
      }
    } else {
      run_options o = {info.name, "avx512", 2, 64, 32};
      run(&grid, seeds, metric, &o, labels, got);
      compare(g, name, metric, &o, expected, got);
    }
  }
  free(labels);
  free(got);
  free(expected);
}

static void check_counts(const grid_case *g, gv_metric metric, seed_kind kind, const int64_t *counts,
                         size_t sizes) {
  for (size_t s = 0; s < sizes; s++) {
    int64_t n = counts[s];
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (int64_t i = 0; i < n; i++)
      make_seed(g, kind, i, n, x, y);
    gv_seeds seeds = {x, y, n};
    check_engines(g, seed_names[kind], &seeds, metric);
    free(x);
    free(y);
  }
}

static void plane_metrics(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 2, 17, 300};
  for (size_t g = 0; g < sizeof grid_cases / sizeof *grid_cases; g++) {
    if (on_globe(&grid_cases[g])) continue;
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
        check_counts(&grid_cases[g], metric, kind, counts, sizeof counts / sizeof *counts);
      }
    }
  }
}

static void great_circle(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 2, 17, 300};
  for (size_t g = 0; g < sizeof grid_cases / sizeof *grid_cases; g++) {
    if (!on_globe(&grid_cases[g])) continue;
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      check_counts(&grid_cases[g], GV_GREAT_CIRCLE, kind, counts, sizeof counts / sizeof *counts);
    }
  }
}

/* geod_inverse about every seed is slow: fewer seeds. */
static void geodesic(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 3, 24};
  for (size_t g = 0; g < sizeof grid_cases / sizeof *grid_cases; g++) {
    if (!on_globe(&grid_cases[g])) continue;
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      check_counts(&grid_cases[g], GV_GEODESIC, kind, counts, sizeof counts / sizeof *counts);
    }
  }
}

static void many_seeds(void **state) {
  (void)state;
  static const int64_t many[] = {200000, 1000000};
  static const grid_case globe = {"globe, coarse", GV_GRID_LONLAT, 36, 18, {-180, 10, 0, 90, 0, -10}, NULL};
  static const grid_case plane = {"plane, coarse", GV_GRID_PLANE, 40, 20, {0, 1, 0, 20, 0, -1}, NULL};
  check_counts(&globe, GV_GREAT_CIRCLE, UNIFORM, many, 2);
  check_counts(&globe, GV_GREAT_CIRCLE, CORNER, many, 1);
  check_counts(&plane, GV_EUCLIDEAN, DUPLICATES, many, 1);
  check_counts(&plane, GV_MANHATTAN, LATTICE, many, 1);
}

/* A grid large enough for the tree of tiles and for tiles filled as a whole, against the plainest loop there is. */
static void large_grid_against_a_plain_loop(void **state) {
  (void)state;
  enum { WIDTH = 1500, HEIGHT = 1100, SEEDS = 300 };
  gv_grid grid = GV_GRID_INIT;
  const double geotransform[6] = {100, 0.5, 0, -40, 0, -0.5};
  double x[SEEDS], y[SEEDS];
  int32_t *out = malloc(sizeof *out * WIDTH * HEIGHT);
  assert_non_null(out);
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  for (int i = 0; i < SEEDS; i++) {
    x[i] = 100 + floor(uniform() * WIDTH) * 0.5;
    y[i] = -40 - floor(uniform() * HEIGHT) * 0.5;
  }
  gv_seeds seeds = {x, y, SEEDS};
  run_options o = {"tile", "avx512", 2, 128, 128};
  run(&grid, &seeds, GV_EUCLIDEAN, &o, NULL, out);
  for (int row = 0; row < HEIGHT; row++) {
    for (int column = 0; column < WIDTH; column++) {
      double cx = 100 + (column + 0.5) * 0.5, cy = -40 - (row + 0.5) * 0.5, best = INFINITY;
      int nearest = -1;
      for (int i = 0; i < SEEDS; i++) {
        double d = (cx - x[i]) * (cx - x[i]) + (cy - y[i]) * (cy - y[i]);
        if (d < best) {
          best = d;
          nearest = i;
        }
      }
      assert_int_equal(out[row * WIDTH + column], nearest);
    }
  }
  free(out);
}

/* Grids of many tiles and bands of blocks, seeds few and many, even and in clusters: engines that only make grids against
 * `tile`, which the tests above compare with `serial`. */
static void large_grids_against_tile(void **state) {
  (void)state;
  static const grid_case cases[] = {
      {"globe, large", GV_GRID_LONLAT, 2100, 1050, {-180, 360.0 / 2100, 0, 90, 0, -180.0 / 1050}, NULL},
      {"piece of the globe, large", GV_GRID_LONLAT, 1500, 1100, {5, 0.001, 0, 48, 0, -0.001}, NULL},
      {"plane, large", GV_GRID_PLANE, 1700, 1300, {3e5, 30, 0, 5.6e6, 0, -30}, NULL},
      {"plane, rotated, large", GV_GRID_PLANE, 900, 700, {0, 3, 1, 0, 1, -2.5}, NULL},
  };
  static const int64_t counts[] = {3, 60, 5000, 200000};
  static const run_options others[] = {{"cuda-tile", "avx512", 2, 0, 0}, {"cuda-tile", "avx512", 2, 200, 90}};
  gv_backend_info info = {0};
  bool found = false;
  for (int b = 0; b < gv_backend_count() && !found; b++) {
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    found = strcmp(info.name, "cuda-tile") == 0;
  }
  assert_true(found);
  if (!info.available) {
    print_message("cuda-tile: %s\n", info.reason);
    skip();
  }
  for (size_t g = 0; g < sizeof cases / sizeof *cases; g++) {
    gv_grid grid = grid_of(&cases[g]);
    size_t cells = (size_t)(grid.width * grid.height);
    int32_t *expected = malloc(cells * sizeof *expected), *got = malloc(cells * sizeof *got);
    assert_non_null(expected);
    assert_non_null(got);
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
      int64_t n = counts[c / 2];
      bool clusters = c % 2 != 0;
      double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
      assert_non_null(x);
      assert_non_null(y);
      for (int64_t i = 0; i < n; i++) {
        /* Clusters around every 50th seed, of very different width. */
        double wide = pow(0.5, (double)(i % 16));
        place(&cases[g], uniform(), uniform(), &x[i], &y[i]);
        if (!clusters || i < 50) continue;
        x[i] = x[i % 50] + (x[i] - x[i % 50]) * wide;
        y[i] = y[i % 50] + (y[i] - y[i % 50]) * wide;
      }
      gv_seeds seeds = {x, y, n};
      gv_metric first = on_globe(&cases[g]) ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
      for (int m = 0; m < (on_globe(&cases[g]) ? 2 : 3); m++) {
        gv_metric metric = (gv_metric)(first + m);
        run_options tile = {"tile", "avx512", 2, 0, 0};
        run(&grid, &seeds, metric, &tile, NULL, expected);
        for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
          run(&grid, &seeds, metric, &others[o], NULL, got);
          compare(&cases[g], clusters ? "clusters" : "uniform", metric, &others[o], expected, got);
        }
      }
      free(x);
      free(y);
    }
    free(expected);
    free(got);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plane_metrics),
      cmocka_unit_test(great_circle),
      cmocka_unit_test(geodesic),
      cmocka_unit_test(many_seeds),
      cmocka_unit_test(large_grid_against_a_plain_loop),
      cmocka_unit_test(large_grids_against_tile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
