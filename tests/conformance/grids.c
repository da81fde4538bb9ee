/*
 * Every engine gives the bytes of `serial` on every kind of grid: random and nasty seeds, all metrics, all vector
 * instruction sets, several block sizes and thread counts, one to 64 nearest seeds, distance limits, masks and weights.
 * An engine joins by being in the library's list.
 */
#include <geodesic.h>

#include "left_out.h"
#include "questions.h"

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

static gv_grid grid_of(const grid_case *g) {
  gv_grid grid = GV_GRID_INIT;
  grid.kind = g->kind;
  grid.width = g->width;
  grid.height = g->height;
  memcpy(grid.geotransform, g->geotransform, sizeof grid.geotransform);
  grid.inverse = g->inverse;
  return grid;
}

static void compare(const grid_case *g, const char *seeds, int64_t count, gv_metric metric, const run_options *o,
                    const question *q, const int32_t *expected, const int32_t *got) {
  int64_t cells = g->width * g->height;
  for (int64_t i = 0; i < q->k * cells; i++) {
    if (expected[i] != got[i]) {
      fail_msg("%s, %lld seeds %s, %s, k %d, distance %.17g, weighting %d, %s: %s (%s, blocks %dx%d) says %d at "
               "column %lld row %lld rank %lld, serial %d",
               g->name, (long long)count, seeds, gv_metric_name(metric), (int)q->k, q->max_distance,
               (int)q->weighting, q->mask != NULL ? "masked" : "no mask", o->backend, o->simd, (int)o->block_width,
               (int)o->block_height, (int)got[i], (long long)(i % cells % g->width),
               (long long)(i % cells / g->width), (long long)(i / cells), (int)expected[i]);
    }
  }
}

/* All engines that can run here against `serial` for one set of seeds and one question. `few`: one form of `tile` and a
 * third of the others only, each time another. */
static void check_question(const grid_case *g, const char *name, const gv_seeds *seeds, gv_metric metric,
                           const question *q, bool few) {
  static const run_options tile_variants[] = {{"tile", "avx512", 1, 0, 0},
                                              {"tile", "avx2", 2, 64, 64},
                                              {"tile", "baseline", 3, 37, 53},
                                              {"tile", "avx512", 2, 40, 16}};
  static size_t turn = 0;
  size_t variants = sizeof tile_variants / sizeof *tile_variants;
  gv_grid grid = grid_of(g);
  int64_t cells = g->width * g->height;
  size_t values = (size_t)(q->k * cells);
  int32_t *expected = malloc(values * sizeof *expected), *got = malloc(values * sizeof *got);
  int32_t *labels = malloc((size_t)seeds->count * sizeof *labels);
  assert_non_null(expected);
  assert_non_null(got);
  assert_non_null(labels);
  for (int64_t i = 0; i < seeds->count; i++)
    labels[i] = (int32_t)(1000000 - 3 * i);
  run_options serial = {"serial", "avx512", 2, 0, 0};
  question unmasked = *q;
  unmasked.mask = NULL;
  run(&grid, seeds, metric, &serial, &unmasked, labels, expected);
  for (int64_t i = 0; q->mask != NULL && i < q->k * cells; i++) {
    if (!q->mask[i % cells]) expected[i] = -7;
  }
  turn++;
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (!to_be_compared(&info)) continue;
    if (strcmp(info.name, "tile") == 0) {
      for (size_t i = 0; i < variants; i++) {
        if (few && i != turn % variants) continue;
        run(&grid, seeds, metric, &tile_variants[i], q, labels, got);
        compare(g, name, seeds->count, metric, &tile_variants[i], q, expected, got);
      }
      continue;
    }
    if (strcmp(info.name, "serial") == 0 && q->mask == NULL) continue;
    if (few && getenv("GPUVORONOI_TEST_BACKEND") == NULL && (turn + (size_t)b) % 3 != 0) continue;
    run_options o = {info.name, "avx512", 2, 64, 32};
    char message[512];
    gv_status status = try_run(&grid, seeds, metric, &o, q, labels, got, message, sizeof message);
    if (status == GV_ERROR_UNSUPPORTED && q->weighting != GV_UNWEIGHTED) continue;
    if (status != GV_OK) fail_msg("%s: %s", info.name, message);
    compare(g, name, seeds->count, metric, &o, q, expected, got);
  }
  free(labels);
  free(got);
  free(expected);
}

/* ---------------------------------------------------------------------------------------------------- questions */

/* The reported distance of the seed nearest to a cell, by the other interface of the library; NaN for no position. */
static double nearest_distance(const grid_case *g, const gv_seeds *seeds, gv_metric metric, int64_t column,
                               int64_t row) {
  const double *t = g->geotransform;
  double x = t[0] + ((double)column + 0.5) * t[1] + ((double)row + 0.5) * t[2];
  double y = t[3] + ((double)column + 0.5) * t[4] + ((double)row + 0.5) * t[5], distance = NAN;
  int64_t index;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  if (on_globe(g)) {
    gv_globe_options o = GV_GLOBE_OPTIONS_INIT;
    gv_globe_index *globe = NULL;
    if (g->inverse != NULL) g->inverse(&x, &y, 1, NULL);
    gv_seeds query = {&x, &y, 1};
    o.metric = metric;
    assert_int_equal(gv_globe_index_build(context, seeds, &o, &globe), GV_OK);
    if (isfinite(x))
      assert_int_equal(gv_globe_index_search(context, globe, &query, NULL, &index, &distance), GV_OK);
    gv_globe_index_destroy(globe);
  } else {
    gv_index_options o = GV_INDEX_OPTIONS_INIT;
    gv_index *plane = NULL;
    double *points = malloc((size_t)seeds->count * 2 * sizeof *points), at[2] = {x, y};
    assert_non_null(points);
    for (int64_t i = 0; i < seeds->count; i++) {
      points[2 * i] = seeds->x[i];
      points[2 * i + 1] = seeds->y[i];
    }
    gv_points reference = {points, seeds->count, 2, GV_FLOAT64}, query = {at, 1, 2, GV_FLOAT64};
    o.metric = metric;
    assert_int_equal(gv_index_build(context, &reference, &o, &plane), GV_OK);
    assert_int_equal(gv_index_search(context, plane, &query, NULL, &index, &distance), GV_OK);
    gv_index_destroy(plane);
    free(points);
  }
  gv_context_destroy(context);
  return distance;
}

/* A maximum distance that is exactly that of some cell's nearest seed, or the last double below: the cell is in, or out.
 * The former is checked here. */
static double boundary_distance(const grid_case *g, const gv_seeds *seeds, gv_metric metric, bool below) {
  gv_grid grid = grid_of(g);
  int64_t cell = (int64_t)(uniform() * (double)(g->width * g->height));
  double distance = nearest_distance(g, seeds, metric, cell % g->width, cell / g->width);
  if (isnan(distance)) return INFINITY;
  if (below && distance > 0.0) distance = nextafter(distance, 0.0);
  int32_t *out = malloc((size_t)(g->width * g->height) * sizeof *out);
  assert_non_null(out);
  question q = plain;
  q.max_distance = distance;
  run_options quick = {"kdtree", "avx512", 1, 0, 0}; /* compared with `serial` soon */
  run(&grid, seeds, metric, &quick, &q, NULL, out);
  /* geod_inverse is not monotone in its last digits, and chords neither: the last double below may round to the same
   * arc. The double itself is always in. */
  if (!below && out[cell] < 0) fail_msg("%s: cell %lld is not within its own distance", g->name, (long long)cell);
  free(out);
  return distance;
}

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

/* Weights that make ties likely, and others. */
static void make_weights(const grid_case *g, gv_metric metric, gv_weighting weighting, int64_t n, double *weight) {
  static const double factors[] = {1.0, 2.0, 3.0, 0.5, 1.0};
  double cell = fabs(g->geotransform[1]) + fabs(g->geotransform[2]);
  if (g->kind == GV_GRID_LONLAT) cell *= 111e3;
  for (int64_t i = 0; i < n; i++) {
    double factor = uniform() < 0.5 ? factors[(int)(5.0 * uniform())] : 0.01 + 3.0 * uniform();
    double length = cell * floor(20.0 * (uniform() - (uniform() < 0.3 ? 0.5 : 0.0)));
    weight[i] = weighting == GV_MULTIPLICATIVE ? factor : weighting == GV_ADDITIVE ? length : length * fabs(length);
  }
  (void)metric;
}

/* The next question in turn: every combination of its parts comes up in the course of a test. */
static void check_next_question(const grid_case *g, const char *name, const gv_seeds *seeds, gv_metric metric) {
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
    gv_seeds seeds = {x, y, n};
    check_question(g, seed_names[kind], &seeds, metric, &plain, false);
    /* With few seeds there is little to ask. */
    if (n > 2) check_next_question(g, seed_names[kind], &seeds, metric);
    if (n > 100) check_next_question(g, seed_names[kind], &seeds, metric);
    free(x);
    free(y);
  }
}

/*
 * Limits that make discs: of one seed, of some that meet and some that do not, around poles and across +-180 degrees, from
 * nothing to all of the grid; for one neighbour and several, and with masks.
 */
static void check_limits(const grid_case *g, gv_metric metric, int64_t n) {
  static const seed_kind kinds[] = {UNIFORM, ON_CELLS, POLES_AND_ANTIMERIDIAN, COINCIDENT, DUPLICATES, OUTSIDE};
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
    gv_seeds seeds = {x, y, n};
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

/* More seeds than cells. */
static void check_many(const grid_case *g, gv_metric metric, seed_kind kind, int64_t n, int32_t k,
                       gv_weighting weighting) {
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  double *weights = malloc((size_t)n * sizeof *weights);
  assert_true(x != NULL && y != NULL && weights != NULL);
  for (int64_t i = 0; i < n; i++)
    make_seed(g, kind, i, n, x, y);
  gv_seeds seeds = {x, y, n};
  question q = plain;
  q.k = k;
  q.weighting = weighting;
  if (weighting != GV_UNWEIGHTED) {
    make_weights(g, metric, weighting, n, weights);
    q.weights = weights;
  }
  check_question(g, seed_names[kind], &seeds, metric, &q, k > 1 || weighting != GV_UNWEIGHTED);
  free(x);
  free(y);
  free(weights);
}

static void many_seeds(void **state) {
  (void)state;
  static const grid_case globe = {"globe, coarse", GV_GRID_LONLAT, 36, 18, {-180, 10, 0, 90, 0, -10}, NULL};
  static const grid_case plane = {"plane, coarse", GV_GRID_PLANE, 40, 20, {0, 1, 0, 20, 0, -1}, NULL};
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 200000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 1000000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 200000, 5, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 100000, 40, GV_ADDITIVE);
  check_many(&globe, GV_GREAT_CIRCLE, CORNER, 200000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, CORNER, 100000, 33, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 200000, 1, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 200000, 12, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 100000, 3, GV_POWER);
  check_many(&plane, GV_MANHATTAN, LATTICE, 200000, 1, GV_UNWEIGHTED);
  check_many(&plane, GV_MANHATTAN, LATTICE, 100000, 7, GV_UNWEIGHTED);
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
  run(&grid, &seeds, GV_EUCLIDEAN, &o, &plain, NULL, out);
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

/* Ranks on grids with room for the largest leaves, where few candidates come in different orders and floats rank them: with
 * ties along rows, columns and diagonals, seeds in one place or nearly, and limits that leave some leaves to be. */
static void ranks_on_larger_grids(void **state) {
  (void)state;
  static const grid_case grids[] = {
      {"plane", GV_GRID_PLANE, 330, 250, {5e5, 0.5, 0, 6e6, 0, -0.5}, NULL},
      {"globe", GV_GRID_LONLAT, 360, 180, {-180, 1, 0, 90, 0, -1}, NULL},
      {"antimeridian", GV_GRID_LONLAT, 300, 210, {179, 0.01, 0, 61, 0, -0.01}, NULL},
  };
  static const seed_kind kinds[] = {UNIFORM, LATTICE, ON_CELLS, DUPLICATES, COINCIDENT};
  static const run_options variants[] = {
      {"tile", "avx512", 2, 0, 0}, {"tile", "avx2", 2, 128, 96}, {"tile", "baseline", 2, 0, 0}};
  int turn = 0;
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    gv_grid grid = grid_of(&grids[g]);
    size_t cells = (size_t)(grid.width * grid.height);
    int32_t *expected = malloc(9 * cells * sizeof *expected), *got = malloc(9 * cells * sizeof *got);
    assert_true(expected != NULL && got != NULL);
    for (int32_t k = 2; k <= 9; k++, turn++) {
      enum { MOST = 60 };
      double x[MOST], y[MOST];
      seed_kind kind = kinds[turn % 5];
      bool geodesic = on_globe(&grids[g]) && turn % 3 == 0;
      int64_t n = geodesic ? 7 : turn % 2 == 0 ? 12 : MOST;
      gv_metric metric = geodesic ? GV_GEODESIC : on_globe(&grids[g]) ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
      gv_seeds seeds = {x, y, n};
      question q = plain;
      for (int64_t i = 0; i < n; i++)
        make_seed(&grids[g], kind, i, n, x, y);
      q.k = k;
      if (turn % 4 == 3) q.max_distance = boundary_distance(&grids[g], &seeds, metric, false);
      run_options reference = {"serial", "avx512", 2, 0, 0};
      run(&grid, &seeds, metric, &reference, &q, NULL, expected);
      for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        run(&grid, &seeds, metric, &variants[v], &q, NULL, got);
        compare(&grids[g], seed_names[kind], n, metric, &variants[v], &q, expected, got);
      }
    }
    free(expected);
    free(got);
  }
}

/* ------------------------------------------------------------------------------------------- another's distances */

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

/* The ranks of one cell are in order, hold nobody out of reach, and leave nobody out who is nearer: all but for what
 * two computations of a distance may differ by. */
static void check_cell(const oracle *o, const question *q, double x, double y, const int32_t *out, int64_t band) {
  double last = -INFINITY, distance[ORACLE_SEEDS], value[ORACLE_SEEDS],
         close = o->metric >= GV_GREAT_CIRCLE ? 1e-6 : 1e-12;
  bool taken[ORACLE_SEEDS] = {false};
  double slack[ORACLE_SEEDS];
  for (int i = 0; i < ORACLE_SEEDS; i++) {
    distance[i] = oracle_distance(o, x, y, i);
    value[i] = oracle_value(o, q, distance[i], i);
    slack[i] = q->weighting == GV_POWER ? close * (1.0 + 3.0 * distance[i]) : close * 10.0;
  }
  for (int rank = 0; rank < q->k; rank++) {
    int32_t seed = out[rank * band];
    if (seed >= 0) {
      assert_true(seed < ORACLE_SEEDS && !taken[seed]);
      taken[seed] = true;
      assert_true(distance[seed] <= q->max_distance + close);
      assert_true(value[seed] >= last - slack[seed]);
      last = fmax(last, value[seed]);
    }
    for (int i = 0; i < ORACLE_SEEDS && rank == q->k - 1; i++) {
      if (taken[i] || distance[i] > q->max_distance - close) continue;
      /* Left out: then all ranks are taken, by seeds that are not farther. */
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
        gv_seeds seeds = {o.x, o.y, ORACLE_SEEDS};
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
  gv_seeds seeds = {x, y, 3};
  gv_grid grid = GV_GRID_INIT;
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
      {-1, INFINITY, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "k is -1"},
      {65, INFINITY, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "k is 65"},
      {1, -1.0, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "maximum distance"},
      {1, NAN, GV_UNWEIGHTED, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "maximum distance"},
      {1, INFINITY, GV_MULTIPLICATIVE, 0.0, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "weight of seed 2"},
      {1, INFINITY, GV_MULTIPLICATIVE, -2.0, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "weight of seed 2"},
      {1, INFINITY, GV_ADDITIVE, NAN, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "weight of seed 2"},
      {1, INFINITY, GV_POWER, INFINITY, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "weight of seed 2"},
      {1, INFINITY, (gv_weighting)4, 1, GV_EUCLIDEAN, NULL, GV_ERROR_INVALID_ARGUMENT, "weighting 4"},
      {1, INFINITY, GV_POWER, 1, GV_MANHATTAN, NULL, GV_ERROR_UNSUPPORTED, "manhattan"},
      {1, INFINITY, GV_ADDITIVE, 1, GV_EUCLIDEAN, "kdtree", GV_ERROR_UNSUPPORTED, "kdtree"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
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
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  o.weighting = GV_ADDITIVE;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "missing"));
  o.weighting = GV_UNWEIGHTED;
  o.k = 0; /* counts as 1 */
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  int32_t out[16];
  uint8_t mask[16] = {0};
  gv_block block = GV_BLOCK_INIT;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block), GV_ERROR_INVALID_ARGUMENT);
  block.out = out;
  block.stride = 4;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block), GV_OK);
  assert_int_equal(out[0], 0);
  block.mask = mask;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block), GV_ERROR_INVALID_ARGUMENT);
  block.mask_stride = 4;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block), GV_OK);
  assert_int_equal(out[0], -1);
  block.column = 1;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block), GV_ERROR_INVALID_ARGUMENT);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

/* Seeds of a large grid: spread evenly, or in clusters of very different width around every 50th. */
static void large_seeds(const grid_case *g, bool clusters, int64_t n, double *x, double *y) {
  for (int64_t i = 0; i < n; i++) {
    double wide = pow(0.5, (double)(i % 16));
    place(g, uniform(), uniform(), &x[i], &y[i]);
    if (!clusters || i < 50) continue;
    x[i] = x[i % 50] + (x[i] - x[i % 50]) * wide;
    y[i] = y[i % 50] + (y[i] - y[i % 50]) * wide;
  }
}

/* What is asked of a large grid in turn: several neighbours, more of them than seeds, and limits that leave some or most
 * cells without; a limit of 1 is about the distance between seeds. */
static const struct {
  int32_t k;
  double limit;
} large_questions[] = {{1, INFINITY}, {4, INFINITY}, {1, 0.5}, {8, 1.2}, {2, 0.3}, {1, 2.0}, {12, INFINITY}};

enum { LARGE_QUESTIONS = sizeof large_questions / sizeof *large_questions };

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
  int turn = 0;
  if (!have_cuda_tile()) skip();
  for (size_t g = 0; g < sizeof cases / sizeof *cases; g++) {
    gv_grid grid = grid_of(&cases[g]);
    size_t cells = (size_t)(grid.width * grid.height);
    int32_t *expected = malloc(12 * cells * sizeof *expected), *got = malloc(12 * cells * sizeof *got);
    assert_non_null(expected);
    assert_non_null(got);
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
      int64_t n = counts[c / 2];
      bool clusters = c % 2 != 0, globe = on_globe(&cases[g]);
      double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
      assert_non_null(x);
      assert_non_null(y);
      large_seeds(&cases[g], clusters, n, x, y);
      gv_seeds seeds = {x, y, n};
      const double *t = cases[g].geotransform;
      double apart = sqrt((double)cells / (double)n) * fabs(t[1]) * (globe ? 111e3 : 1.0);
      for (int m = 0; m < (globe ? 2 : 3); m++) {
        gv_metric metric = (gv_metric)((globe ? GV_GREAT_CIRCLE : GV_EUCLIDEAN) + m);
        for (int ask = 0; ask < 2; ask++) {
          question q = plain;
          run_options tile = {"tile", "avx512", 2, 0, 0};
          if (ask == 1) {
            q.k = large_questions[turn % LARGE_QUESTIONS].k;
            q.max_distance = apart * large_questions[turn % LARGE_QUESTIONS].limit;
            turn++;
          }
          run(&grid, &seeds, metric, &tile, &q, NULL, expected);
          for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
            if (ask == 1 && (turn + (int)o) % 2 != 0) continue;
            run(&grid, &seeds, metric, &others[o], &q, NULL, got);
            compare(&cases[g], clusters ? "clusters" : "uniform", n, metric, &others[o], &q, expected, got);
          }
        }
      }
      free(x);
      free(y);
    }
    free(expected);
    free(got);
  }
}

/* Few seeds, whose antipodes are cells: chords say nothing there, and limits are near half around the globe. */
static void antipodes(void **state) {
  (void)state;
  static const double lon[] = {0.0, 90.0, 175.0, -30.5, 12.0}, lat[] = {0.0, 0.0, 50.0, 90.0, -44.5};
  static const double limits[] = {INFINITY, 20003931.458625, 19.9e6, 20.1e6, 10e6};
  static const grid_case g = {"antipodes", GV_GRID_LONLAT, 73, 37, {-182.5, 5, 0, 92.5, 0, -5}, NULL};
  for (int64_t n = 1; n <= 5; n++) {
    gv_seeds seeds = {lon, lat, n};
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

/* A raster of several bands and hundreds of slices, of which some blocks are wanted: in any order, by several threads. */
static void blocks_of_a_huge_grid_in_any_order(void **state) {
  (void)state;
  enum { SEEDS = 20000, BLOCKS = 160, SIDE = 512, THREADS = 4 };
  static const char *const names[] = {"cuda-tile", "tile"};
  static double lon[SEEDS], lat[SEEDS];
  if (!have_cuda_tile()) skip();
  gv_grid grid = GV_GRID_INIT;
  const double geotransform[6] = {-180, 360.0 / 90000, 0, 90, 0, -180.0 / 45000};
  gv_context *context = NULL;
  gv_voronoi *voronoi[2] = {NULL, NULL};
  grid.kind = GV_GRID_LONLAT;
  grid.width = 90000;
  grid.height = 45000;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = 360.0 * uniform() - 180.0;
    lat[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
  }
  gv_seeds seeds = {lon, lat, SEEDS};
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int m = 0; m < 2; m++) {
    gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
    o.backend = names[m];
    o.metric = GV_GREAT_CIRCLE;
    o.block_width = o.block_height = SIDE;
    if (gv_voronoi_create(context, &grid, &seeds, &o, &voronoi[m]) != GV_OK) {
      fail_msg("%s: %s", names[m], gv_context_message(context));
    }
  }
  int64_t across = gv_voronoi_blocks_across(voronoi[0]), down = gv_voronoi_blocks_down(voronoi[0]), block[BLOCKS];
  int wrong = 0, failed = 0;
  for (int i = 0; i < BLOCKS; i++) /* some of them runs in file order */
    block[i] = i % 4 != 0 ? (block[i - 1] + 1) % (across * down) : (int64_t)(uniform() * (double)(across * down));
#pragma omp parallel for schedule(dynamic) num_threads(THREADS) reduction(+ : wrong, failed)
  for (int i = 0; i < BLOCKS; i++) {
    gv_context *own = NULL;
    int32_t *out[2] = {malloc(sizeof(int32_t) * SIDE * SIDE), malloc(sizeof(int32_t) * SIDE * SIDE)};
    bool good = out[0] != NULL && out[1] != NULL && gv_context_create(NULL, &own) == GV_OK;
    for (int m = 0; m < 2 && good; m++) {
      memset(out[m], 0x55, sizeof(int32_t) * SIDE * SIDE);
      good = gv_voronoi_block(own, voronoi[m], block[i] % across, block[i] / across, out[m], SIDE) == GV_OK;
    }
    failed += good ? 0 : 1;
    if (good) wrong += memcmp(out[0], out[1], sizeof(int32_t) * SIDE * SIDE) != 0;
    free(out[0]);
    free(out[1]);
    gv_context_destroy(own);
  }
  assert_int_equal(failed, 0);
  assert_int_equal(wrong, 0);
  gv_voronoi_destroy(voronoi[0]);
  gv_voronoi_destroy(voronoi[1]);
  gv_context_destroy(context);
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
      cmocka_unit_test(many_seeds),
      cmocka_unit_test(large_grid_against_a_plain_loop),
      cmocka_unit_test(ranks_on_larger_grids),
      cmocka_unit_test(large_grids_against_tile),
      cmocka_unit_test(blocks_of_a_huge_grid_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
