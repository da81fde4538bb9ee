/*
 * Every engine returns the bytes of `serial` on every kind of grid: random and difficult seeds, all metrics,
 * all vector instruction sets, several block sizes and thread counts, one to 64 nearest seeds, distance
 * limits, masks and weights. An engine joins by being in the library's list.
 */
#include <geodesic.h>

#include "grid_cases.h"
#include "left_out.h"

static const uint8_t *make_mask(int64_t width, int64_t height, int kind) {
  uint8_t *mask = malloc((size_t)(width * height));
  assert_non_null(mask);
  for (int64_t i = 0; i < width * height; i++) {
    int64_t column = i % width, row = i / width;
    switch (kind) {
    case 0: /* at random */
      mask[i] = uniform() < 0.5 ? 0 : (uint8_t)(1 + 254 * uniform());
      break;
    case 1: /* whole tiles */
      mask[i] = (column / 40 + row / 16) % 3 == 0;
      break;
    case 2: /* all left out */
      mask[i] = 0;
      break;
    case 3: /* nothing left out */
      mask[i] = 255;
      break;
    case 4: /* few cells left */
      mask[i] = uniform() < 0.01;
      break;
    case 5: /* a triangle */
      mask[i] = column * height < row * width ? 0 : 7;
      break;
    case 6: /* a lattice of single cells left out */
      mask[i] = column % 17 == 3 && row % 11 == 5 ? 0 : 1;
      break;
    default: /* a ring */
      mask[i] = (2 * column - width) * (2 * column - width) * height < width * width * row;
      break;
    }
  }
  return mask;
}

/* Checks the next combination of options in turn: a test covers all combinations. */
static void check_next_question(const grid_case *g, const char *name, const gv_points *seeds,
                                gv_metric metric) {
  static const int32_t ks[] = {1, 2, 3, 5, 8, 33, 1, 4, 64, 2, 9};
  static int turn = 0;
  question q = plain;
  double *weights = NULL;
  int t = turn++;
  q.k = ks[t % 11];
  if (t % 5 == 1 || t % 5 == 3) q.max_distance = boundary_distance(g, seeds, metric, t % 5 == 3);
  bool power = metric == GV_EUCLIDEAN || metric == GV_GREAT_CIRCLE;
  q.weighting = (gv_weighting)(t % 7 < 3 ? 1 + (t / 7 + t) % (power ? 3 : 2) : 0);
  if (q.weighting != GV_UNWEIGHTED) {
    weights = malloc((size_t)seeds->count * sizeof *weights);
    assert_non_null(weights);
    make_weights(g, metric, q.weighting, seeds->count, weights);
    q.weights = weights;
  }
  if (t % 3 == 2) q.mask = make_mask(g->width, g->height, t / 3 % 8);
  check_question(g, name, seeds, metric, &q, true);
  free(weights);
  free((void *)q.mask);
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
    gv_points seeds = gv_points_xy(x, y, n);
    check_question(g, seed_names[kind], &seeds, metric, &plain, false);
    /* With few seeds there are few combinations. */
    if (n > 2) check_next_question(g, seed_names[kind], &seeds, metric);
    if (n > 100) check_next_question(g, seed_names[kind], &seeds, metric);
    free(x);
    free(y);
  }
}

/*
 * Limits that make discs: of one seed, of some that meet and some that do not, around poles and across +-180
 * degrees, from nothing to all of the grid; for one neighbor and several, and with masks.
 */
static void check_limits(const grid_case *g, gv_metric metric, int64_t n) {
  static const seed_kind kinds[] = {UNIFORM,    ON_CELLS,   POLES_AND_ANTIMERIDIAN,
                                    COINCIDENT, DUPLICATES, OUTSIDE};
  static const double cells[] = {0.0, 1e-9, 0.5, 1.0, 2.5, 7.25, 19.0, 60.0, 1e3, 1e9};
  static const int32_t ks[] = {1, 1, 2, 1, 5};
  static int turn = 0;
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  assert_true(x != NULL && y != NULL);
  double cell = fabs(g->geotransform[5]) * (on_globe(g) ? 111e3 : 1.0);
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++, turn++) {
    seed_kind kind = kinds[turn % (int)(sizeof kinds / sizeof *kinds)];
    for (int64_t s = 0; s < n; s++)
      make_seed(g, kind, s, n, x, y);
    gv_points seeds = gv_points_xy(x, y, n);
    question q = plain;
    q.k = ks[turn % 5];
    q.max_distance = cells[i] * cell;
    if (turn % 4 == 1) q.max_distance = boundary_distance(g, &seeds, metric, turn % 8 == 1);
    if (turn % 3 == 2) q.mask = make_mask(g->width, g->height, turn / 3 % 8);
    check_question(g, seed_names[kind], &seeds, metric, &q, false);
    free((void *)q.mask);
  }
  free(x);
  free(y);
}

static void limits(void **state) {
  (void)state;
  static const grid_case more[] = {
      {"globe, fine", GV_GRID_LONLAT, 360, 180, {-180, 1, 0, 90, 0, -1}, NULL},
      {"across the antimeridian, mirrored", GV_GRID_LONLAT, 200, 90, {190, -0.25, 0, -12, 0, 0.25}, NULL},
      {"around the north pole, from 355", GV_GRID_LONLAT, 300, 70, {355, 1.2, 0, 90, 0, -0.25}, NULL},
      {"rows of pages", GV_GRID_LONLAT, 1100, 30, {-180, 0.33, 0, 60, 0, -2}, NULL},
      {"plane, tall", GV_GRID_PLANE, 70, 260, {3, 0.5, 0, -7, 0, 0.25}, NULL},
      {"plane, mirrored", GV_GRID_PLANE, 260, 90, {3, -0.5, 0, -7, 0, -0.75}, NULL},
      {"plane, finer than its coordinates", GV_GRID_PLANE, 100, 70, {1e9, 1e-6, 0, 5, 0, -1e-6}, NULL},
  };
  static const int64_t counts[] = {1, 2, 9, 60};
  size_t known = sizeof grid_cases / sizeof *grid_cases;
  random_state = 5;
  for (size_t g = 0; g < known + sizeof more / sizeof *more; g++) {
    const grid_case *grid = g < known ? &grid_cases[g] : &more[g - known];
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
      if (!on_globe(grid)) {
        check_limits(grid, (gv_metric)((g + n) % 3), counts[n]);
      } else {
        check_limits(grid, GV_GREAT_CIRCLE, counts[n]);
        if (counts[n] <= 9) check_limits(grid, GV_GEODESIC, counts[n]);
      }
    }
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
  static const int64_t counts[] = {1, 2, 24};
  for (size_t g = 0; g < sizeof grid_cases / sizeof *grid_cases; g++) {
    if (!on_globe(&grid_cases[g])) continue;
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      check_counts(&grid_cases[g], GV_GEODESIC, kind, counts, sizeof counts / sizeof *counts);
    }
  }
}

/* ------------------------------------------------------------------------------------ another's distances */

enum { ORACLE_SEEDS = 40, ORACLE_K = 3 };

/* Distance of a seed from a cell by PROJ, or by the plane's formulas; what a weight makes of it. */
typedef struct oracle {
  struct geod_geodesic globe;
  gv_metric metric;
  double x[ORACLE_SEEDS], y[ORACLE_SEEDS], weight[ORACLE_SEEDS];
} oracle;

static double oracle_distance(const oracle *o, double x, double y, int seed) {
  double dx = fabs(x - o->x[seed]), dy = fabs(y - o->y[seed]), distance = NAN;
  if (o->metric == GV_EUCLIDEAN) return hypot(dx, dy);
  if (o->metric == GV_MANHATTAN) return dx + dy;
  if (o->metric == GV_CHEBYSHEV) return fmax(dx, dy);
  geod_inverse(&o->globe, y, x, o->y[seed], o->x[seed], &distance, NULL, NULL);
  return distance;
}

static double oracle_value(const oracle *o, const question *q, double distance, int seed) {
  if (q->weighting == GV_MULTIPLICATIVE) return distance / o->weight[seed];
  if (q->weighting == GV_ADDITIVE) return distance + o->weight[seed];
  if (q->weighting == GV_POWER) return distance * distance - o->weight[seed];
  return distance;
}

/* The bands of one cell are sorted, contain no seed out of reach, and omit no nearer seed, except within the
 * error of two computations of a distance. */
static void check_cell(const oracle *o, const question *q, double x, double y, const int32_t *out,
                       int64_t band) {
  double last = -INFINITY, distance[ORACLE_SEEDS], value[ORACLE_SEEDS],
         close = o->metric >= GV_GREAT_CIRCLE ? 1e-6 : 1e-12;
  bool taken[ORACLE_SEEDS] = {false};
  double slack[ORACLE_SEEDS];
  for (int i = 0; i < ORACLE_SEEDS; i++) {
    distance[i] = oracle_distance(o, x, y, i);
    value[i] = oracle_value(o, q, distance[i], i);
    slack[i] = q->weighting == GV_POWER ? close * (1.0 + 3.0 * distance[i]) : close * 10.0;
  }
  for (int neighbor = 0; neighbor < q->k; neighbor++) {
    int32_t seed = out[neighbor * band];
    if (seed >= 0) {
      assert_true(seed < ORACLE_SEEDS && !taken[seed]);
      taken[seed] = true;
      assert_true(distance[seed] <= q->max_distance + close);
      assert_true(value[seed] >= last - slack[seed]);
      last = fmax(last, value[seed]);
    }
    for (int i = 0; i < ORACLE_SEEDS && neighbor == q->k - 1; i++) {
      if (taken[i] || distance[i] > q->max_distance - close) continue;
      /* A seed that is left out: then all bands have seeds that are not farther. */
      assert_true(seed >= 0 && value[i] >= last - slack[i]);
    }
  }
}

static void distances_of_others(void **state) {
  (void)state;
  random_state = 11;
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_GEODESIC; metric++) {
    bool globe = metric >= GV_GREAT_CIRCLE;
    oracle o = {.metric = metric};
    /* The sphere of radius (2 a + b) / 3 for great circles. */
    double a = 6378137.0, f = 1.0 / 298.257223563;
    geod_init(&o.globe, metric == GV_GEODESIC ? a : a * (3.0 - f) / 3.0, metric == GV_GEODESIC ? f : 0.0);
    grid_case g = {"oracle", globe ? GV_GRID_LONLAT : GV_GRID_PLANE, 120, 60, {-180, 3, 0, 90, 0, -3}, NULL};
    gv_grid grid = grid_of(&g);
    double unit = globe ? 1e6 : 10.0;
    int32_t *out = malloc(sizeof *out * ORACLE_K * 120 * 60);
    assert_non_null(out);
    for (int weighting = GV_UNWEIGHTED; weighting <= GV_POWER; weighting++) {
      if (weighting == GV_POWER && metric != GV_EUCLIDEAN && metric != GV_GREAT_CIRCLE) continue;
      for (int limited = 0; limited < 2; limited++) {
        for (int i = 0; i < ORACLE_SEEDS; i++) {
          o.x[i] = 360.0 * uniform() - 180.0;
          o.y[i] = 180.0 * uniform() - 90.0;
          double w = uniform();
          o.weight[i] = weighting == GV_MULTIPLICATIVE ? 0.5 + w
                        : weighting == GV_ADDITIVE     ? unit * (w - 0.3)
                                                       : unit * unit * (w - 0.3);
        }
        question q = plain;
        q.k = ORACLE_K;
        q.weighting = (gv_weighting)weighting;
        q.weights = weighting != GV_UNWEIGHTED ? o.weight : NULL;
        if (limited) q.max_distance = 2.5 * unit;
        gv_points seeds = gv_points_xy(o.x, o.y, ORACLE_SEEDS);
        run_options tile = {"tile", "avx512", 2, 64, 32};
        run(&grid, &seeds, metric, &tile, &q, NULL, out);
        for (int64_t i = 0; i < 120 * 60; i++) {
          double x = -180 + 3 * ((double)(i % 120) + 0.5), y = 90 - 3 * ((double)(i / 120) + 0.5);
          check_cell(&o, &q, x, y, out + i, 120 * 60);
        }
      }
    }
    free(out);
  }
}

static void bad_questions(void **state) {
  (void)state;
  gv_context *context = NULL;
  double x[] = {0, 1, 2}, y[] = {0, 1, 2}, weights[] = {1.0, 2.0, 0.0};
  gv_points seeds = gv_points_xy(x, y, 3);
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi *voronoi = NULL;
  grid.width = grid.height = 4;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  static const struct {
    int32_t k;
    double max_distance;
    gv_weighting weighting;
    double last_weight;
    gv_metric metric;
    const char *backend;
    gv_status status;
    const char *message;
  } bad[] = {
      {-1, INFINITY, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "k: out of range [1, 64] (-1)"},
      {65, INFINITY, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "k: out of range [1, 64] (65)"},
      {1, -1.0, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "maximum distance"},
      {1, NAN, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "maximum distance"},
      {1, INFINITY, GV_MULTIPLICATIVE, 0.0, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "seed 2: invalid weight"},
      {1, INFINITY, GV_MULTIPLICATIVE, -2.0, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "seed 2: invalid weight"},
      {1, INFINITY, GV_ADDITIVE, NAN, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "seed 2: invalid weight"},
      {1, INFINITY, GV_POWER, INFINITY, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "seed 2: invalid weight"},
      {1, INFINITY, (gv_weighting)4, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT,
       "weighting: unknown number (4)"},
      {1, INFINITY, GV_POWER, 1, GV_MANHATTAN, NULL, GV_ERROR_UNSUPPORTED, "manhattan"},
      {1, INFINITY, GV_ADDITIVE, 1, GV_EUCLIDEAN, "kdtree", GV_ERROR_UNSUPPORTED, "kdtree"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    o.k = bad[i].k;
    o.max_distance = bad[i].max_distance;
    o.weighting = bad[i].weighting;
    weights[2] = bad[i].last_weight;
    o.weights = bad[i].weighting != GV_UNWEIGHTED ? weights : NULL;
    o.metric = bad[i].metric;
    o.backend = bad[i].backend;
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), bad[i].status);
    assert_null(voronoi);
    assert_non_null(strstr(gv_context_message(context), bad[i].message));
  }
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.weighting = GV_ADDITIVE;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "missing"));
  o.weighting = GV_UNWEIGHTED;
  o.k = 0; /* counts as 1 */
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  int32_t out[16];
  uint8_t mask[16] = {0};
  gv_labels block;
  gv_labels_init(&block);
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_ERROR_INVALID_ARGUMENT);
  block.out = out;
  block.stride = 4;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_OK);
  assert_int_equal(out[0], 0);
  block.mask = mask;
  block.mask_stride = 3;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_ERROR_INVALID_ARGUMENT);
  block.mask_stride = 4;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_OK);
  assert_int_equal(out[0], -1);
  block.column = 1;
  block.columns = 4;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_ERROR_INVALID_ARGUMENT);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

/* Few seeds, with cells at their antipodes: chords do not decide there, and limits are near half the
 * circumference. */
static void antipodes(void **state) {
  (void)state;
  static const double lon[] = {0.0, 90.0, 175.0, -30.5, 12.0}, lat[] = {0.0, 0.0, 50.0, 90.0, -44.5};
  static const double limits[] = {INFINITY, 20003931.458625, 19.9e6, 20.1e6, 10e6};
  static const grid_case g = {"antipodes", GV_GRID_LONLAT, 73, 37, {-182.5, 5, 0, 92.5, 0, -5}, NULL};
  for (int64_t n = 1; n <= 5; n++) {
    gv_points seeds = gv_points_xy(lon, lat, n);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
      for (int32_t k = 1; k <= 3; k++) {
        question q = plain;
        q.k = k;
        q.max_distance = limits[l];
        check_question(&g, "few", &seeds, GV_GEODESIC, &q, true);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_can_run),
      cmocka_unit_test(bad_questions),
      cmocka_unit_test(distances_of_others),
      cmocka_unit_test(limits),
      cmocka_unit_test(plane_metrics),
      cmocka_unit_test(great_circle),
      cmocka_unit_test(geodesic),
      cmocka_unit_test(antipodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
