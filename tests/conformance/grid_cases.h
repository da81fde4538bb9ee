/*
 * What the conformance tests of rasters share: grids of every kind, seeds random and nasty, and comparing
 * with `serial`.
 */
#ifndef GV_TEST_GRID_CASES_H
#define GV_TEST_GRID_CASES_H

#include "questions.h"

/* -------------------------------------------------------------------------------------------------- grids */

/* Inverse sinusoidal projection of the sphere of radius 1e6, with no inverse outside the map. */
static inline int inverse_sinusoidal(double *x, double *y, int64_t n, void *user) {
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
    {"cell centers on the poles", GV_GRID_LONLAT, 36, 19, {-185, 10, 0, 95, 0, -10}, NULL},
    {"more than once around", GV_GRID_LONLAT, 130, 20, {-400, 7, 0, 80, 0, -8}, NULL},
    {"fine, far from the seeds that lie outside", GV_GRID_LONLAT, 70, 50, {20, 0.01, 0, 35, 0, -0.01}, NULL},
    {"one meridian", GV_GRID_LONLAT, 1, 180, {10, 1, 0, 90, 0, -1}, NULL},
    {"sinusoidal", GV_GRID_PROJECTED, 80, 40, {-3.2e6, 8e4, 0, 1.6e6, 0, -8e4}, inverse_sinusoidal},
    {"polar", GV_GRID_PROJECTED, 61, 61, {-3.05e6, 1e5, 0, 3.05e6, 0, -1e5}, inverse_polar},
};

/* -------------------------------------------------------------------------------------------------- seeds */

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

static inline bool on_globe(const grid_case *g) {
  return g->kind != GV_GRID_PLANE;
}

/* A position of the grid's extent (plane), or anywhere on the globe. */
static inline void place(const grid_case *g, double u, double v, double *x, double *y) {
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

static inline void make_seed(const grid_case *g, seed_kind kind, int64_t i, int64_t n, double *x, double *y) {
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
    place(g, ((double)(i % side) + 0.5) / (double)side, ((double)(i / side) + 0.5) / (double)side, &x[i],
          &y[i]);
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

/* ----------------------------------------------------------------------------------------------- the test */

static inline gv_grid grid_of(const grid_case *g) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = g->kind;
  grid.width = g->width;
  grid.height = g->height;
  memcpy(grid.geotransform, g->geotransform, sizeof grid.geotransform);
  grid.inverse = g->inverse;
  return grid;
}

static inline void compare(const grid_case *g, const char *seeds, int64_t count, gv_metric metric,
                           const run_options *o, const question *q, const int32_t *expected,
                           const int32_t *got) {
  int64_t cells = g->width * g->height;
  for (int64_t i = 0; i < q->k * cells; i++) {
    if (expected[i] != got[i]) {
      fail_msg(
          "%s, %lld seeds %s, %s, k %d, distance %.17g, weighting %d, %s: %s (%s, blocks %dx%d) says %d at "
          "column %lld row %lld rank %lld, serial %d",
          g->name, (long long)count, seeds, gv_metric_name(metric), (int)q->k, q->max_distance,
          (int)q->weighting, q->mask != NULL ? "masked" : "no mask", o->backend, o->simd, (int)o->block_width,
          (int)o->block_height, (int)got[i], (long long)(i % cells % g->width),
          (long long)(i % cells / g->width), (long long)(i / cells), (int)expected[i]);
    }
  }
}

/* All engines that can run here against `serial` for one set of seeds and one question. `few`: one form of
 * `tile` and a third of the others only, each time another. */
static inline void check_question(const grid_case *g, const char *name, const gv_points *seeds,
                                  gv_metric metric, const question *q, bool few) {
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
    gv_backend_info_init(&info);
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
    bool never = gv_backend_supports(b, metric, GV_FLOAT64, q->k, NULL, NULL) == GV_ERROR_UNSUPPORTED;
    if (status == GV_ERROR_UNSUPPORTED && (never || q->weighting != GV_UNWEIGHTED)) continue;
    if (status != GV_OK) fail_msg("%s: %s", info.name, message);
    compare(g, name, seeds->count, metric, &o, q, expected, got);
  }
  free(labels);
  free(got);
  free(expected);
}

/* ---------------------------------------------------------------------------------------------- questions */

/* The reported distance of the seed nearest to a cell, by the other interface of the library; NaN for no
 * position. */
static inline double nearest_distance(const grid_case *g, const gv_points *seeds, gv_metric metric,
                                      int64_t column, int64_t row) {
  const double *t = g->geotransform;
  double x = t[0] + ((double)column + 0.5) * t[1] + ((double)row + 0.5) * t[2];
  double y = t[3] + ((double)column + 0.5) * t[4] + ((double)row + 0.5) * t[5], distance = NAN;
  int64_t index;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  if (on_globe(g)) {
    gv_index_options o;
    gv_index_options_init(&o);
    o.metric = GV_GEODESIC;
    gv_index *globe = NULL;
    if (g->inverse != NULL) g->inverse(&x, &y, 1, NULL);
    gv_points query = gv_points_xy(&x, &y, 1);
    o.metric = metric;
    assert_int_equal(gv_index_build(context, seeds, &o, &globe), GV_OK);
    if (isfinite(x))
      assert_int_equal(gv_index_search(context, globe, &query, NULL, &index, &distance), GV_OK);
    gv_index_destroy(globe);
  } else {
    gv_index_options o;
    gv_index_options_init(&o);
    gv_index *plane = NULL;
    double *points = malloc((size_t)seeds->count * 2 * sizeof *points), at[2] = {x, y};
    assert_non_null(points);
    for (int64_t i = 0; i < seeds->count; i++) {
      points[2 * i] = seeds->x[i];
      points[2 * i + 1] = seeds->y[i];
    }
    gv_points reference = gv_points_rows(points, seeds->count, 2, GV_FLOAT64),
              query = gv_points_rows(at, 1, 2, GV_FLOAT64);
    o.metric = metric;
    assert_int_equal(gv_index_build(context, &reference, &o, &plane), GV_OK);
    assert_int_equal(gv_index_search(context, plane, &query, NULL, &index, &distance), GV_OK);
    gv_index_destroy(plane);
    free(points);
  }
  gv_context_destroy(context);
  return distance;
}

/* A maximum distance that is exactly that of some cell's nearest seed, or the last double below: the cell is
 * in, or out. The former is checked here. */
static inline double boundary_distance(const grid_case *g, const gv_points *seeds, gv_metric metric,
                                       bool below) {
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
  /* geod_inverse is not monotone in its last digits, and chords neither: the last double below may round to
   * the same arc. The double itself is always in. */
  if (!below && out[cell] < 0)
    fail_msg("%s: cell %lld is not within its own distance", g->name, (long long)cell);
  free(out);
  return distance;
}

/* Weights that make ties likely, and others. */
static inline void make_weights(const grid_case *g, gv_metric metric, gv_weighting weighting, int64_t n,
                                double *weight) {
  static const double factors[] = {1.0, 2.0, 3.0, 0.5, 1.0};
  double cell = fabs(g->geotransform[1]) + fabs(g->geotransform[2]);
  if (g->kind == GV_GRID_LONLAT) cell *= 111e3;
  for (int64_t i = 0; i < n; i++) {
    double factor = uniform() < 0.5 ? factors[(int)(5.0 * uniform())] : 0.01 + 3.0 * uniform();
    double length = cell * floor(20.0 * (uniform() - (uniform() < 0.3 ? 0.5 : 0.0)));
    weight[i] = weighting == GV_MULTIPLICATIVE ? factor
                : weighting == GV_ADDITIVE     ? length
                                               : length * fabs(length);
  }
  (void)metric;
}

#endif
