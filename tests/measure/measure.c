/* Distances, azimuths and areas against PROJ's geodesics, plain loops and the areas of whole ellipsoids. */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <geodesic.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

static const double pi = 3.14159265358979323846;
static const char *const levels[] = {"baseline", "avx2", "avx512"};

static uint64_t random_state = 3;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

typedef struct shape {
  const char *name;
  double a, f;
} shape;

static const shape shapes[] = {
    {"WGS 84", 6378137.0, 1.0 / 298.257223563},
    {"Clarke 1866", 6378206.4, 1.0 / 294.9786982},
    {"Bessel", 6377397.155, 1.0 / 299.1528128},
    {"Mars", 3396190.0, 1.0 / 169.89444722},
    {"Saturn", 60268000.0, 0.09796},
    {"sphere", 6371000.0, 0.0},
    {"prolate", 6378137.0, -1.0 / 150.0},
    {"strongly prolate", 6378137.0, -0.2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---------------------------------------------------------------------------------------------- measuring */

typedef struct setting {
  gv_grid grid;
  gv_points seeds;
  gv_metric metric;
  int32_t block_width, block_height;
} setting;

typedef struct result {
  double *distance;
  float *rounded, *azimuth;
} result;

static gv_grid lonlat_grid(int64_t width, int64_t height, double west, double dx, double north, double dy,
                           const shape *s) {
  gv_grid grid;
  gv_grid_init(&grid);
  double geotransform[6] = {west, dx, 0.0, north, 0.0, dy};
  grid.kind = GV_GRID_LONLAT;
  grid.width = width;
  grid.height = height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  grid.semi_major = s->a;
  grid.flattening = s->f;
  return grid;
}

static gv_voronoi *make(gv_context *context, const setting *s) {
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.metric = s->metric;
  o.block_width = s->block_width;
  o.block_height = s->block_height;
  if (gv_voronoi_create(context, &s->grid, &s->seeds, &o, &voronoi) != GV_OK) {
    fail_msg("%s", gv_context_message(context));
  }
  return voronoi;
}

static result result_make(int64_t values) {
  result r = {malloc((size_t)values * sizeof(double)), malloc((size_t)values * sizeof(float)),
              malloc((size_t)values * sizeof(float))};
  assert_true(r.distance != NULL && r.rounded != NULL && r.azimuth != NULL);
  memset(r.distance, 1, (size_t)values * sizeof(double));
  memset(r.rounded, 1, (size_t)values * sizeof(float));
  memset(r.azimuth, 1, (size_t)values * sizeof(float));
  return r;
}

static void result_free(result *r) {
  free(r->distance);
  free(r->rounded);
  free(r->azimuth);
}

/* All blocks, `bands` bands of the whole grid one after another. */
static void measure_all(const setting *s, const char *simd, int32_t bands, const int32_t *seed, result *out) {
  gv_context *context = NULL;
  assert_int_equal(setenv("GPUVORONOI_SIMD", simd, 1), 0);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *v = make(context, s);
  int64_t width = s->grid.kind == GV_GRID_QTM ? gv_qtm_count(s->grid.level) : s->grid.width;
  int64_t height = s->grid.kind == GV_GRID_QTM ? 1 : s->grid.height;
  int64_t bw = (width + blocks_across(v) - 1) / blocks_across(v);
  if (s->block_width > 0) bw = s->block_width;
  int64_t bh = s->block_height > 0 ? s->block_height : 512;
  for (int64_t row = 0; row < blocks_down(v); row++) {
    for (int64_t column = 0; column < blocks_across(v); column++) {
      gv_measure m;
      gv_measure_init(&m);
      int64_t first = row * bh * width + column * bw;
      AT_BLOCK(m, v, column, row);
      m.bands = bands;
      m.seed = seed + first;
      m.stride = m.out_stride = width;
      m.band_stride = m.out_band_stride = width * height;
      m.type = GV_FLOAT64;
      m.distance = out->distance + first;
      m.azimuth = out->azimuth + first;
      if (gv_voronoi_measure(context, v, &m) != GV_OK) fail_msg("%s", gv_context_message(context));
      m.type = GV_FLOAT32;
      m.distance = out->rounded + first;
      m.azimuth = NULL;
      assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
    }
  }
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
}

/* The same bytes from every instruction set and block size; the result is `out`. */
static void measure_everywhere(const setting *s, int32_t bands, int64_t values, const int32_t *seed,
                               result *out) {
  measure_all(s, "avx512", bands, seed, out);
  for (int level = 0; level < 3; level++) {
    setting other = *s;
    if (s->grid.kind != GV_GRID_QTM) {
      other.block_width = level == 0 ? 37 : level == 1 ? 64 : 5;
      other.block_height = level == 0 ? 19 : level == 1 ? 3 : 400;
    }
    result r = result_make(values);
    measure_all(&other, levels[level], bands, seed, &r);
    assert_memory_equal(r.distance, out->distance, (size_t)values * sizeof(double));
    assert_memory_equal(r.rounded, out->rounded, (size_t)values * sizeof(float));
    assert_memory_equal(r.azimuth, out->azimuth, (size_t)values * sizeof(float));
    result_free(&r);
  }
  for (int64_t i = 0; i < values; i++) {
    assert_true(seed[i] < 0 ? isnan(out->distance[i]) && isnan(out->rounded[i]) && isnan(out->azimuth[i])
                            : out->rounded[i] == (float)out->distance[i] && out->azimuth[i] >= 0.0F &&
                                  out->azimuth[i] < 360.0F);
  }
}

/* Spans of cells that share a seed, single cells, and now and then none; the last seed is used as well. */
static int32_t *make_spans(int64_t values, int64_t seeds) {
  int32_t *seed = malloc((size_t)values * sizeof *seed);
  assert_non_null(seed);
  for (int64_t i = 0; i < values;) {
    int64_t length = uniform() < 0.5 ? 1 : 1 + (int64_t)(40 * uniform());
    int32_t number = uniform() < 0.05 ? -1 : (int32_t)(uniform() * (double)seeds);
    for (; length > 0 && i < values; length--)
      seed[i++] = number;
  }
  return seed;
}

/* Angle between two directions in degrees. */
static double apart(double a, double b) {
  return fabs(remainder(a - b, 360.0));
}

/* ---------------------------------------------------------------------------------------------- geodesics */

static void check_geodesics(const setting *s, const shape *body, double distance_error) {
  int64_t width = s->grid.width, cells = width * s->grid.height;
  const double *g = s->grid.geotransform;
  struct geod_geodesic geod;
  geod_init(&geod, body->a, body->f);
  int32_t *seed = make_spans(cells, s->seeds.count);
  result r = result_make(cells);
  measure_everywhere(s, 1, cells, seed, &r);
  for (int64_t i = 0; i < cells; i++) {
    if (seed[i] < 0) continue;
    double lon = g[0] + ((double)(i % width) + 0.5) * g[1], lat = g[3] + ((double)(i / width) + 0.5) * g[5];
    double x = s->seeds.x[seed[i]], y = s->seeds.y[seed[i]], distance, azimuth;
    geod_inverse(&geod, lat, lon, y, x, &distance, &azimuth, NULL);
    if (!(fabs(r.distance[i] - distance) <= distance_error)) {
      fail_msg("%s: from %.17g %.17g to %.17g %.17g: %.9f, not %.9f", body->name, lon, lat, x, y,
               r.distance[i], distance);
    }
    /* On a prolate ellipsoid there may be two shortest ways to the meridian opposite. */
    if (fabs(remainder(lon - x, 360.0)) == 180.0 && (r.azimuth[i] > 180.0F) != (azimuth < 0.0))
      azimuth = -azimuth;
    bool from_pole_to_pole = fabs(lat) == 90.0 && y == -lat;
    if (distance > 1e-3 && !from_pole_to_pole && !(apart(r.azimuth[i], azimuth) <= 1e-4)) {
      fail_msg("%s: from %.17g %.17g to %.17g %.17g: azimuth %.7f, not %.7f", body->name, lon, lat, x, y,
               (double)r.azimuth[i], azimuth);
    }
    if (lat == y && remainder(lon - x, 360.0) == 0.0)
      assert_true(r.distance[i] == 0.0 && r.azimuth[i] == 0.0F);
  }
  result_free(&r);
  free(seed);
}

enum { SEEDS = 400 };

/* Seeds anywhere, at and around cells, at and around their antipodes, on the equator and at the poles. */
static void make_seeds(const gv_grid *grid, double *x, double *y) {
  static const double steps[] = {0.0, 1e-13, 1e-10, 1e-7, 1e-5, 1e-3, 0.1, 0.5, 1.0, 2.0};
  const double *g = grid->geotransform;
  for (int i = 0; i < SEEDS; i++) {
    double column = floor(uniform() * (double)grid->width) + 0.5,
           row = floor(uniform() * (double)grid->height) + 0.5;
    double step = steps[(int)(uniform() * 10.0)] * (uniform() - 0.5);
    double lon = g[0] + column * g[1], lat = g[3] + row * g[5];
    switch (i % 8) {
    case 0:
      x[i] = lon;
      y[i] = lat;
      break;
    case 1:
      x[i] = lon + step;
      y[i] = lat + steps[(int)(uniform() * 10.0)] * (uniform() - 0.5);
      break;
    case 2:
      x[i] = lon + 180.0 + step;
      y[i] = -lat + steps[(int)(uniform() * 10.0)] * (uniform() - 0.5);
      break;
    case 3:
      x[i] = lon + (uniform() < 0.5 ? 180.0 : 0.0);
      y[i] = 180.0 * uniform() - 90.0;
      break;
    case 4:
      x[i] = 720.0 * uniform() - 360.0;
      y[i] = uniform() < 0.5 ? 0.0 : step;
      break;
    case 5:
      x[i] = 360.0 * uniform() - 180.0;
      y[i] = uniform() < 0.5 ? 90.0 - fabs(step) : fabs(step) - 90.0;
      break;
    default:
      x[i] = 360.0 * uniform() - 180.0;
      y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
      break;
    }
    y[i] = fmin(fmax(y[i], -90.0), 90.0);
  }
}

static void geodesics_are_those_of_proj(void **state) {
  (void)state;
  double x[SEEDS], y[SEEDS];
  for (int i = 0; i < SHAPES; i++) {
    const gv_grid grids[] = {
        lonlat_grid(130, 75, -180.0, 360.0 / 130, 90.0, -180.0 / 75, &shapes[i]),
        /* centers on poles, equator and antimeridian */
        lonlat_grid(73, 37, -182.5, 5.0, 92.5, -5.0, &shapes[i]),
        lonlat_grid(90, 60, 12.0, 0.01, 0.3, -0.01, &shapes[i]),
        lonlat_grid(64, 50, -400.0, 12.0, -90.0, 1e-4, &shapes[i]),
        lonlat_grid(80, 40, 179.9996, 1e-5, 46.0, -1e-5, &shapes[i]),
    };
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
      make_seeds(&grids[k], x, y);
      setting s = {.grid = grids[k], .seeds = gv_points_xy(x, y, SEEDS), .metric = GV_GEODESIC};
      check_geodesics(&s, &shapes[i], 1e-6 * shapes[i].a / 6378137.0);
    }
  }
}

/* --------------------------------------------------------------------------------------------- the others */

static void great_circles_are_arcs(void **state) {
  (void)state;
  double x[SEEDS], y[SEEDS];
  const shape *body = &shapes[0];
  const gv_grid grids[] = {lonlat_grid(130, 75, -180.0, 360.0 / 130, 90.0, -180.0 / 75, body),
                           lonlat_grid(73, 37, -182.5, 5.0, 92.5, -5.0, body),
                           lonlat_grid(80, 40, 179.9996, 1e-5, 46.0, -1e-5, body)};
  double radius = body->a * (3.0 - body->f) / 3.0;
  struct geod_geodesic sphere;
  geod_init(&sphere, radius, 0.0);
  for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
    make_seeds(&grids[k], x, y);
    setting s = {.grid = grids[k], .seeds = gv_points_xy(x, y, SEEDS), .metric = GV_GREAT_CIRCLE};
    int64_t width = grids[k].width, cells = width * grids[k].height;
    const double *g = grids[k].geotransform;
    int32_t *seed = make_spans(cells, SEEDS);
    result r = result_make(cells);
    measure_everywhere(&s, 1, cells, seed, &r);
    for (int64_t i = 0; i < cells; i++) {
      if (seed[i] < 0) continue;
      double lon = g[0] + ((double)(i % width) + 0.5) * g[1], lat = g[3] + ((double)(i / width) + 0.5) * g[5];
      double distance, azimuth;
      geod_inverse(&sphere, lat, lon, y[seed[i]], x[seed[i]], &distance, &azimuth, NULL);
      /* Near the antipode an arc is ill-conditioned by its chord: an error of e becomes e / cos(arc / 2). */
      double error = 1e-8 / fmax(cos(0.5 * distance / radius), 1e-8);
      assert_true(fabs(r.distance[i] - distance) <= fmin(error, 0.3));
      if (distance > 1e-3 && distance < 3.14159 * radius) assert_true(apart(r.azimuth[i], azimuth) <= 1e-4);
      if (lat == y[seed[i]] && remainder(lon - x[seed[i]], 360.0) == 0.0) {
        assert_true(r.distance[i] == 0.0 && r.azimuth[i] == 0.0F);
      }
    }
    result_free(&r);
    free(seed);
  }
}

static void planes_are_simple(void **state) {
  (void)state;
  enum { WIDTH = 150, HEIGHT = 90 };
  static const double transforms[][6] = {{-10, 0.25, 0, 12, 0, -0.25}, {5e5, 20, 3, 5e6, 4, -25}};
  double x[SEEDS], y[SEEDS];
  for (size_t k = 0; k < 2; k++) {
    const double *g = transforms[k];
    setting s = {.seeds = gv_points_xy(x, y, SEEDS)};
    gv_grid_init(&s.grid);
    s.grid.width = WIDTH;
    s.grid.height = HEIGHT;
    memcpy(s.grid.geotransform, g, sizeof transforms[k]);
    for (int i = 0; i < SEEDS; i++) {
      double c = floor(WIDTH * uniform()) + 0.5 * (i % 2), r = floor(HEIGHT * uniform()) + 0.5 * (i % 2);
      x[i] = (g[0] + c * g[1]) + r * g[2];
      y[i] = (g[3] + c * g[4]) + r * g[5];
    }
    for (s.metric = GV_EUCLIDEAN; s.metric <= GV_CHEBYSHEV; s.metric++) {
      int32_t *seed = make_spans(2 * WIDTH * HEIGHT, SEEDS);
      result out = result_make(2 * WIDTH * HEIGHT);
      measure_everywhere(&s, 2, 2 * WIDTH * HEIGHT, seed, &out);
      for (int i = 0; i < 2 * WIDTH * HEIGHT; i++) {
        if (seed[i] < 0) continue;
        double c = i % WIDTH + 0.5, r = i / WIDTH % HEIGHT + 0.5;
        double dx = x[seed[i]] - ((g[0] + c * g[1]) + r * g[2]),
               dy = y[seed[i]] - ((g[3] + c * g[4]) + r * g[5]);
        double expected = s.metric == GV_EUCLIDEAN   ? sqrt(dx * dx + dy * dy)
                          : s.metric == GV_MANHATTAN ? fabs(dx) + fabs(dy)
                                                     : fmax(fabs(dx), fabs(dy));
        assert_true(out.distance[i] == expected);
        if (expected > 0.0) {
          assert_true(apart(out.azimuth[i], atan2(dx, dy) * 180.0 / pi) < 3e-5);
        } else {
          assert_true(out.azimuth[i] == 0.0F);
        }
      }
      result_free(&out);
      free(seed);
    }
  }
}

/* Cells that have no position, and triangles of the mesh. */
static int inverse_hemisphere(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    bool inside = fabs(x[i]) <= 1.0 && fabs(y[i]) <= 1.0;
    x[i] = inside ? 180.0 * x[i] : HUGE_VAL;
    y[i] = inside ? asin(y[i]) * 180.0 / pi : HUGE_VAL;
  }
  return 0;
}

static void other_grids_of_the_globe(void **state) {
  (void)state;
  enum { SIDE = 60, LEVEL = 5, CELLS = 8 << 2 * LEVEL };
  double x[SEEDS], y[SEEDS];
  struct geod_geodesic geod;
  geod_init(&geod, shapes[0].a, shapes[0].f);
  setting s = {.grid = lonlat_grid(SIDE, SIDE, -1.1, 2.2 / SIDE, 1.05, -2.1 / SIDE, &shapes[0]),
               .seeds = gv_points_xy(x, y, SEEDS),
               .metric = GV_GEODESIC};
  make_seeds(&s.grid, x, y);
  s.grid.kind = GV_GRID_PROJECTED;
  s.grid.inverse = inverse_hemisphere;
  int32_t *seed = make_spans(CELLS, SEEDS);
  result r = result_make(CELLS);
  result other = result_make(CELLS);
  for (int level = 0; level < 3; level++) {
    measure_all(&s, levels[level], 1, seed, level == 0 ? &r : &other);
    if (level > 0) assert_memory_equal(r.distance, other.distance, sizeof(double) * SIDE * SIDE);
    if (level > 0) assert_memory_equal(r.azimuth, other.azimuth, sizeof(float) * SIDE * SIDE);
  }
  for (int i = 0; i < SIDE * SIDE; i++) {
    double lon = -1.1 + (i % SIDE + 0.5) * (2.2 / SIDE), lat = 1.05 - (i / SIDE + 0.5) * (2.1 / SIDE);
    double distance, azimuth;
    inverse_hemisphere(&lon, &lat, 1, NULL);
    if (seed[i] < 0 || lon == HUGE_VAL) {
      assert_true(isnan(r.distance[i]) && isnan(r.azimuth[i]));
      continue;
    }
    geod_inverse(&geod, lat, lon, y[seed[i]], x[seed[i]], &distance, &azimuth, NULL);
    assert_true(fabs(distance - r.distance[i]) <= 1e-6);
    if (distance > 1e-3) assert_true(apart(azimuth, r.azimuth[i]) <= 1e-4);
  }
  gv_grid_init(&s.grid);
  s.grid.kind = GV_GRID_QTM;
  s.grid.level = LEVEL;
  s.block_width = 64;
  measure_everywhere(&s, 1, CELLS, seed, &r);
  for (int i = 0; i < CELLS; i++) {
    gv_qtm_id id;
    double lon, lat, distance, azimuth;
    if (seed[i] < 0) continue;
    assert_int_equal(gv_qtm_from_number(LEVEL, i, &id), GV_OK);
    assert_int_equal(gv_qtm_center(id, &lon, &lat), GV_OK);
    geod_inverse(&geod, lat, lon, y[seed[i]], x[seed[i]], &distance, &azimuth, NULL);
    assert_true(fabs(distance - r.distance[i]) <= 1e-6);
    if (distance > 1e-3) assert_true(apart(azimuth, r.azimuth[i]) <= 1e-4);
  }
  result_free(&r);
  result_free(&other);
  free(seed);
}

/* Numbers of seeds that are at one place all measure to it. */
static void duplicates_are_seeds_too(void **state) {
  (void)state;
  double x[] = {1.0, 5.0, 1.0, 361.0, 9.0}, y[] = {2.0, 5.0, 2.0, 2.0, 9.0};
  int32_t seed[] = {0, 2, 3, 4, 0, 0};
  setting s = {.grid = lonlat_grid(3, 2, 0.0, 10.0, 20.0, -10.0, &shapes[0]), .seeds = gv_points_xy(x, y, 5)};
  for (s.metric = GV_GREAT_CIRCLE; s.metric <= GV_GEODESIC; s.metric++) {
    result r = result_make(6), plain = result_make(6);
    int32_t lowest[] = {0, 0, 0, 4, 0, 0};
    measure_all(&s, "avx512", 1, seed, &r);
    measure_all(&s, "avx512", 1, lowest, &plain);
    assert_memory_equal(r.distance, plain.distance, 6 * sizeof(double));
    assert_memory_equal(r.azimuth, plain.azimuth, 6 * sizeof(float));
    result_free(&r);
    result_free(&plain);
  }
}

static void bad_calls_are_errors(void **state) {
  (void)state;
  double x[] = {1.0}, y[] = {2.0}, distance[6];
  int32_t seed[6] = {0};
  gv_context *context = NULL;
  setting s = {.grid = lonlat_grid(3, 2, 0.0, 10.0, 20.0, -10.0, &shapes[0]),
               .seeds = gv_points_xy(x, y, 1),
               .metric = GV_GEODESIC};
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *v = make(context, &s);
  gv_measure good;
  gv_measure_init(&good);
  good.seed = seed;
  good.stride = good.out_stride = 3;
  good.type = GV_FLOAT64;
  good.distance = distance;
  assert_int_equal(gv_voronoi_measure(context, v, &good), GV_OK);
  gv_measure m = good;
  m.column = 3;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  m.columns = 4;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  m.bands = 0;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  m.bands = 2;
  m.band_stride = 1;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  m.out_stride = 2;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  m.seed = NULL;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  m = good;
  seed[4] = 1;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "seed number: out of range (1)"));
  assert_int_equal(gv_voronoi_measure(context, NULL, &good), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(block_areas(context, v, 0, 1, distance, 3), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(block_areas(context, v, 0, 0, distance, 2), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(block_areas(context, v, 0, 0, NULL, 3), GV_ERROR_INVALID_ARGUMENT);
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
}

/* -------------------------------------------------------------------------------------------------- areas */

static double *areas_of(const setting *s, int64_t cells) {
  gv_context *context = NULL;
  double *area = malloc((size_t)cells * sizeof *area);
  assert_non_null(area);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *v = make(context, s);
  int64_t bw = s->block_width > 0 ? s->block_width : 512, bh = s->block_height > 0 ? s->block_height : 512;
  if (s->grid.kind == GV_GRID_QTM) bw = cells / blocks_across(v);
  int64_t width = s->grid.kind == GV_GRID_QTM ? cells : s->grid.width;
  for (int64_t row = 0; row < blocks_down(v); row++) {
    for (int64_t column = 0; column < blocks_across(v); column++) {
      assert_int_equal(block_areas(context, v, column, row, area + row * bh * width + column * bw, width),
                       GV_OK);
    }
  }
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
  return area;
}

static double sum(const double *values, int64_t n) {
  long double total = 0.0L;
  for (int64_t i = 0; i < n; i++)
    total += values[i];
  return (double)total;
}

/* PROJ's area of the whole ellipsoid: twice the hemisphere north of the equator, a polygon of four
 * quarters. */
static double area_of_ellipsoid(const shape *s) {
  double lat[] = {0, 0, 0, 0}, lon[] = {0, 90, 180, -90}, area, perimeter;
  struct geod_geodesic geod;
  struct geod_polygon polygon;
  geod_init(&geod, s->a, s->f);
  geod_polygon_init(&polygon, 0);
  for (int i = 0; i < 4; i++)
    geod_polygon_addpoint(&geod, &polygon, lat[i], lon[i]);
  geod_polygon_compute(&geod, &polygon, 0, 1, &area, &perimeter);
  return 2.0 * fabs(area);
}

static int degrees_or_nothing(double *x, double *y, int64_t n, void *user) {
  (void)x, (void)y, (void)n;
  return *(const int *)user;
}

/* With and without azimuths, which use other positions. */
static void positions_that_fail(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_grid grid = lonlat_grid(6, 4, 0.0, 1.0, 10.0, -1.0, &shapes[0]);
  int failing = 0;
  grid.kind = GV_GRID_PROJECTED;
  grid.inverse = degrees_or_nothing;
  grid.inverse_user = &failing;
  const double x = 2.0, y = 8.0;
  setting s = {.grid = grid, .seeds = gv_points_xy(&x, &y, 1), .metric = GV_GREAT_CIRCLE};
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *v = make(context, &s);
  static const int32_t seed[24];
  double distance[24];
  float azimuth[24];
  gv_measure m;
  gv_measure_init(&m);
  m.seed = seed;
  m.stride = m.out_stride = 6;
  m.distance = distance;
  m.type = GV_FLOAT64;
  for (int i = 0; i < 4; i++) {
    m.azimuth = i / 2 == 0 ? azimuth : NULL;
    failing = i % 2;
    assert_int_equal(gv_voronoi_measure(context, v, &m) == GV_OK, !failing);
  }
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
}

static void areas_add_up_to_the_ellipsoid(void **state) {
  (void)state;
  double x = 0.0, y = 0.0;
  for (int i = 0; i < SHAPES; i++) {
    double whole = area_of_ellipsoid(&shapes[i]);
    for (int lattice = 0; lattice < 2; lattice++) {
      setting s = {
          .seeds = gv_points_xy(&x, &y, 1), .metric = GV_GEODESIC, .block_width = 16, .block_height = 9};
      int64_t w = lattice ? 37 : 90, h = lattice ? 19 : 2000;
      double dy = lattice ? 10.0 : 180.0 / 2000;
      s.grid = lonlat_grid(w, h, -180.0, 360.0 / (double)w, lattice ? 95.0 : 90.0, -dy, &shapes[i]);
      double *area = areas_of(&s, w * h);
      assert_true(fabs(sum(area, w * h) - whole) <= 1e-12 * whole);
      free(area);
    }
    for (int level = 0; level < 8; level++) {
      setting s = {.seeds = gv_points_xy(&x, &y, 1), .metric = GV_GREAT_CIRCLE, .block_width = 256};
      gv_grid_init(&s.grid);
      s.grid.kind = GV_GRID_QTM;
      s.grid.level = level;
      s.grid.semi_major = shapes[i].a;
      s.grid.flattening = shapes[i].f;
      int64_t n = gv_qtm_count(level);
      double *area = areas_of(&s, n);
      if (!(fabs(sum(area, n) - whole) <= 1e-12 * whole)) {
        fail_msg("%s, level %d: %.17g, not %.17g", shapes[i].name, level, sum(area, n), whole);
      }
      for (int64_t c = 0; c < n && shapes[i].f == 0.0; c++) {
        gv_qtm_id id;
        assert_int_equal(gv_qtm_from_number(level, c, &id), GV_OK);
        double expected = gv_qtm_area(id) * shapes[i].a * shapes[i].a;
        assert_true(fabs(area[c] - expected) <= 1e-13 * expected);
      }
      free(area);
    }
  }
}

/* One thin cell against quadrature along the meridian in long double. */
static void areas_of_thin_cells_are_exact(void **state) {
  (void)state;
  double x = 0.0, y = 0.0;
  static const double tops[] = {90.0, 60.001, 0.0, -33.3, -89.999};
  for (int i = 0; i < SHAPES; i++) {
    for (size_t t = 0; t < sizeof tops / sizeof *tops; t++) {
      setting s = {.grid = lonlat_grid(1, 1, 5.0, 0x1p-10, tops[t], -0x1p-10, &shapes[i]),
                   .seeds = gv_points_xy(&x, &y, 1),
                   .metric = GV_GEODESIC};
      double *area = areas_of(&s, 1);
      long double e2 = (long double)shapes[i].f * (2.0L - shapes[i].f), radian = acosl(-1.0L) / 180.0L;
      long double total = 0.0L;
      enum { STEPS = 64 };
      for (int k = 0; k <= STEPS; k++) {
        long double lat = (tops[t] - 0x1p-10L * k / STEPS) * radian, q = 1.0L - e2 * sinl(lat) * sinl(lat);
        long double weight = k == 0 || k == STEPS ? 1.0L : k % 2 ? 4.0L : 2.0L;
        total += weight * cosl(lat) / (q * q);
      }
      total *=
          (1.0L - e2) * shapes[i].a * shapes[i].a * (0x1p-10L * radian / STEPS / 3.0L) * (0x1p-10L * radian);
      assert_true(fabsl(area[0] - total) <= 1e-13L * total);
      free(area);
    }
  }
}

static void areas_of_plane_cells(void **state) {
  (void)state;
  double x = 0.0, y = 0.0;
  setting s = {.seeds = gv_points_xy(&x, &y, 1), .metric = GV_EUCLIDEAN};
  gv_grid_init(&s.grid);
  const double g[6] = {0, 3, 0.5, 0, 1, -2};
  s.grid.width = 5;
  s.grid.height = 4;
  memcpy(s.grid.geotransform, g, sizeof g);
  double *area = areas_of(&s, 20);
  for (int i = 0; i < 20; i++)
    assert_true(area[i] == 6.5);
  free(area);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(geodesics_are_those_of_proj),
      cmocka_unit_test(great_circles_are_arcs),
      cmocka_unit_test(planes_are_simple),
      cmocka_unit_test(other_grids_of_the_globe),
      cmocka_unit_test(duplicates_are_seeds_too),
      cmocka_unit_test(bad_calls_are_errors),
      cmocka_unit_test(positions_that_fail),
      cmocka_unit_test(areas_add_up_to_the_ellipsoid),
      cmocka_unit_test(areas_of_thin_cells_are_exact),
      cmocka_unit_test(areas_of_plane_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
