/*
 * HEALPix and lists of places: every engine returns the bytes of `serial`, which searches each cell by definition;
 * also for several nearest seeds, with distance limits, masks and weights. Lists of HEALPix's centres have the same
 * results.
 */
#include "questions.h"

enum { MOST_SEEDS = 400 };

static double *numbers(int64_t count) {
  double *made = malloc((size_t)count * sizeof *made);
  assert_non_null(made);
  return made;
}

static void globe_place(double *lon, double *lat) {
  *lon = 360.0 * uniform() - 180.0;
  *lat = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
}

/* 0: all over; 1: on centres, some twice; 2: in a corner; 3: poles and the antimeridian. */
static void make_seeds(int kind, int order, int64_t n, double *x, double *y) {
  for (int64_t i = 0; i < n; i++) {
    globe_place(&x[i], &y[i]);
    if (kind == 1) {
      int64_t cell = (int64_t)(uniform() * (double)gv_healpix_count(order)) / 2 * 2;
      assert_int_equal(gv_healpix_center(order, cell, &x[i], &y[i]), GV_OK);
    } else if (kind == 2) {
      x[i] = 44.0 + uniform();
      y[i] = 41.0 + uniform();
    } else if (kind == 3 && i < 6) {
      x[i] = i % 2 == 0 ? 180.0 : -180.0;
      y[i] = 90.0 - 36.0 * (double)i;
    }
  }
}

static question next_question(gv_metric metric, int64_t seeds, int64_t cells) {
  static const int32_t ks[] = {1, 2, 1, 3, 8, 1, 33, 5};
  static int turn = 0;
  int t = turn++;
  question q = plain;
  q.k = ks[t % 8];
  if (t % 3 == 1) q.max_distance = pow(10.0, 5.0 + 2.2 * uniform());
  if (t % 4 == 2) q.weighting = (gv_weighting)(1 + t / 4 % (metric == GV_GEODESIC ? 2 : 3));
  if (q.weighting != GV_UNWEIGHTED) {
    double *weights = numbers(seeds);
    for (int64_t i = 0; i < seeds; i++)
      weights[i] = (q.weighting == GV_MULTIPLICATIVE ? 1.0 : 3e5) * (1.0 + floor(4.0 * uniform()));
    q.weights = weights;
  }
  if (t % 5 < 2) {
    uint8_t *mask = malloc((size_t)cells);
    assert_non_null(mask);
    for (int64_t i = 0; i < cells; i++)
      mask[i] = t % 5 == 0 ? uniform() < 0.3 : i / 64 % 4 != 1 && i % 97 != 0;
    q.mask = mask;
  }
  return q;
}

static void compare_all(const gv_grid *grid, const gv_points *seeds, gv_metric metric, const question *q) {
  static const run_options variants[] = {{"tile", "avx512", 1, 0, 0},
                                         {"tile", "avx2", 2, 64, 0},
                                         {"tile", "baseline", 2, 17, 0},
                                         {"tile", "avx512", 2, 1000, 0},
                                         {"auto", "avx512", 2, 1, 0}};
  const size_t tiles = sizeof variants / sizeof *variants;
  const int64_t cells = grid->width;
  const size_t bytes = (size_t)(q->k * cells) * sizeof(int32_t);
  int32_t *expected = malloc(bytes), *got = malloc(bytes);
  assert_true(expected != NULL && got != NULL);
  const run_options serial = {"serial", "avx512", 2, 0, 0};
  question unmasked = *q;
  unmasked.mask = NULL;
  run(grid, seeds, metric, &serial, &unmasked, NULL, expected);
  for (int64_t i = 0; q->mask != NULL && i < q->k * cells; i++)
    if (!q->mask[i % cells]) expected[i] = -7;
  for (int b = -(int)tiles; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (b >= 0) assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (b >= 0 && (!to_be_compared(&info) || strcmp(info.name, "tile") == 0)) continue;
    run_options o = b < 0 ? variants[b + (int)tiles] : (run_options){info.name, "avx512", 2, 100, 0};
    char message[512];
    gv_status status = try_run(grid, seeds, metric, &o, q, NULL, got, message, sizeof message);
    if (b >= 0 && status == GV_ERROR_UNSUPPORTED &&
        (q->weighting != GV_UNWEIGHTED || strcmp(info.name, "cuda-tile") == 0))
      continue;
    if (status != GV_OK) fail_msg("%s: %s", o.backend, message);
    for (int64_t i = 0; i < q->k * cells; i++) {
      if (expected[i] != got[i]) {
        fail_msg("kind %d, order %d, %lld cells, %lld seeds, %s, k %d, %g, weighting %d: %s (%s, %d): %d at cell "
                 "%lld rank %lld, not %d",
                 (int)grid->kind, grid->order, (long long)cells, (long long)seeds->count, gv_metric_name(metric),
                 (int)q->k, q->max_distance, (int)q->weighting, o.backend, o.simd, (int)o.block_width, (int)got[i],
                 (long long)(i % cells), (long long)(i / cells), (int)expected[i]);
      }
    }
  }
  free(expected);
  free(got);
}

static void check_grid(const gv_grid *grid, int order, int kind, int64_t n, gv_metric metric) {
  double x[MOST_SEEDS], y[MOST_SEEDS];
  make_seeds(kind, order, n, x, y);
  gv_points seeds = gv_points_xy(x, y, n);
  compare_all(grid, &seeds, metric, &plain);
  question q = next_question(metric, n, grid->width);
  compare_all(grid, &seeds, metric, &q);
  free((void *)q.weights);
  free((void *)q.mask);
}

static gv_grid healpix_of(int order, bool authalic) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_HEALPIX;
  grid.order = order;
  grid.authalic = authalic;
  grid.ring = order == 3 || order == 5;
  grid.width = gv_healpix_count(order); /* for questions.h; the library sets it */
  grid.height = 1;
  return grid;
}

static void healpix(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 3, 40, MOST_SEEDS};
  for (int order = 0; order <= 5; order++) {
    for (int kind = 0; kind < (order < 5 ? 4 : 1); kind++) {
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        gv_grid grid = healpix_of(order, (kind + order) % 2 != 0);
        check_grid(&grid, order, kind, counts[c], GV_GREAT_CIRCLE);
        if (order <= 2 && counts[c] <= 40) check_grid(&grid, order, kind, counts[c], GV_GEODESIC);
      }
    }
  }
}

static void lists(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 63, 65, 1000, 2500};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int64_t n = sizes[s];
    double *lon = numbers(n), *lat = numbers(n);
    for (int kind = 0; kind < 4; kind++) {
      for (int64_t i = 0; i < n; i++) {
        globe_place(&lon[i], &lat[i]);
        if (kind == 1) { /* a swath */
          lon[i] = 20.0 + (double)(i % 50) * 0.1;
          lat[i] = 60.0 - (double)i * 0.02;
        } else if (kind == 2 && i % 7 == 3) { /* without a place */
          (i % 2 == 0 ? lon : lat)[i] = i % 3 == 0 ? (double)NAN : i % 3 == 1 ? (double)INFINITY : 1e3;
        } else if (kind == 3) {
          lon[i] = 10.0;
          lat[i] = i % 2 == 0 ? 90.0 : -20.0;
        }
      }
      gv_grid grid;
      gv_grid_init(&grid);
      grid.kind = GV_GRID_POINTS;
      grid.width = n;
      grid.height = 1;
      grid.longitude = lon;
      grid.latitude = lat;
      check_grid(&grid, 3, kind, 60, GV_GREAT_CIRCLE);
      check_grid(&grid, 3, 0, n > 1000 ? 7 : MOST_SEEDS, n > 1000 ? GV_GEODESIC : GV_GREAT_CIRCLE);
    }
    free(lon);
    free(lat);
  }
}

/* Of places in no order and many seeds a search is faster, and is chosen; the answers are the same. */
static void many_seeds(void **state) {
  (void)state;
  enum { SEEDS = 30000, PLACES = 60, K = 2 };
  static double x[SEEDS], y[SEEDS], lon[PLACES], lat[PLACES];
  static int32_t expected[K * PLACES], got[K * PLACES];
  make_seeds(0, 3, SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_POINTS;
  grid.width = PLACES;
  grid.height = 1;
  grid.longitude = lon;
  grid.latitude = lat;
  for (int row = 0; row < 2; row++) {
    for (int i = 0; i < PLACES; i++) {
      globe_place(&lon[i], &lat[i]);
      if (row == 1) lon[i] = 0.1 * i, lat[i] = 10.0;
    }
    question q = plain;
    q.k = K;
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_voronoi_options o = options_of(&q, GV_GEODESIC, NULL);
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_string_equal(gv_voronoi_backend(voronoi), row == 0 ? "kdtree" : "tile");
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(context);
    const run_options serial = {"serial", "avx512", 2, 0, 0}, chosen = {"auto", "avx512", 2, 0, 0};
    run(&grid, &seeds, GV_GEODESIC, &serial, &q, NULL, expected);
    run(&grid, &seeds, GV_GEODESIC, &chosen, &q, NULL, got);
    assert_memory_equal(expected, got, sizeof expected);
  }
}

/* RING is NESTED in another order. */
static void both_schemes(void **state) {
  (void)state;
  enum { ORDER = 4, CELLS = 12 << 2 * ORDER };
  static int32_t nested[CELLS], ring[CELLS];
  static double x[MOST_SEEDS], y[MOST_SEEDS];
  const run_options tile = {"tile", "avx512", 2, 100, 0};
  make_seeds(1, ORDER, MOST_SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, MOST_SEEDS);
  gv_grid grid = healpix_of(ORDER, true);
  run(&grid, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, nested);
  grid.ring = 1;
  run(&grid, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, ring);
  for (int64_t i = 0; i < CELLS; i++)
    assert_int_equal(nested[i], ring[gv_healpix_to_ring(ORDER, i)]);
}

/* On the sphere both have the centres as unit vectors within rounding; no seed of these is that close to a
 * boundary. */
static void lists_of_centres(void **state) {
  (void)state;
  enum { ORDER = 5, CELLS = 12 << 2 * ORDER };
  static double lon[CELLS], lat[CELLS], x[MOST_SEEDS], y[MOST_SEEDS];
  static int32_t mesh[CELLS], list[CELLS];
  const run_options tile = {"tile", "avx512", 2, 0, 0};
  for (int64_t i = 0; i < CELLS; i++)
    assert_int_equal(gv_healpix_center(ORDER, i, &lon[i], &lat[i]), GV_OK);
  make_seeds(0, ORDER, MOST_SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, MOST_SEEDS);
  gv_grid grid = healpix_of(ORDER, false), points;
  grid.ring = 0;
  gv_grid_init(&points);
  points.kind = GV_GRID_POINTS;
  points.width = CELLS;
  points.height = 1;
  points.longitude = lon;
  points.latitude = lat;
  run(&grid, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, mesh);
  run(&points, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, list);
  assert_memory_equal(mesh, list, sizeof mesh);
}

/* Areas add up to the globe's; statistics have all cells. */
static void areas_and_statistics(void **state) {
  (void)state;
  enum { ORDER = 4, CELLS = 12 << 2 * ORDER, SEEDS = 30 };
  static double area[CELLS];
  static int32_t seed[CELLS];
  static double distance[CELLS];
  double x[SEEDS], y[SEEDS];
  make_seeds(0, ORDER, SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  for (int authalic = 0; authalic < 2; authalic++) {
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_statistics *statistics = NULL;
    gv_grid grid = healpix_of(ORDER, authalic != 0);
    gv_voronoi_options o = options_of(&plain, GV_GEODESIC, NULL);
    gv_statistics_options how;
    gv_statistics_options_init(&how);
    how.distances = 1;
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_int_equal(gv_voronoi_cell_areas(context, voronoi, 0, 0, 0, 0, area, 0), GV_OK);
    static double lon[CELLS], lat[CELLS];
    assert_int_equal(gv_voronoi_cell_centers(context, voronoi, 0, 0, 0, 0, lon, lat, 0), GV_OK);
    for (int i = 0; i < CELLS; i++) {
      double u, w;
      assert_int_equal(gv_healpix_center(ORDER, i, &u, &w), GV_OK);
      assert_true(fabs(lon[i] - u) < 1e-12);
      assert_true(authalic ? fabs(lat[i]) >= fabs(w) && fabs(lat[i] - w) < 0.13 : fabs(lat[i] - w) < 1e-12);
    }
    double sum = 0.0, globe = 510065621724088.5;
    for (int i = 0; i < CELLS; i++)
      sum += area[i];
    assert_true(fabs(sum / globe - 1.0) < (authalic ? 1e-13 : 1e-4));
    assert_true(authalic == (area[0] == area[CELLS / 2]));
    gv_labels labels;
    gv_labels_init(&labels);
    labels.out = seed;
    assert_int_equal(gv_voronoi_fill(context, voronoi, &labels), GV_OK);
    gv_measure measure;
    gv_measure_init(&measure);
    measure.seed = seed;
    measure.type = GV_FLOAT64;
    measure.distance = distance;
    assert_int_equal(gv_voronoi_measure(context, voronoi, &measure), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, &how, &statistics), GV_OK);
    gv_statistics_cells cells;
    gv_statistics_cells_init(&cells);
    cells.columns = CELLS;
    cells.rows = 1;
    cells.seed = seed;
    cells.distance = distance;
    cells.distance_stride = CELLS;
    assert_int_equal(gv_statistics_add(context, statistics, &cells), GV_OK);
    double all = 0.0;
    int64_t count = 0;
    for (int s = 0; s < SEEDS; s++) {
      gv_seed_statistics of;
      gv_seed_statistics_init(&of);
      assert_int_equal(gv_statistics_get(context, statistics, s, &of), GV_OK);
      all += of.area;
      count += of.cells;
      double own = 0.0, mean = 0.0;
      for (int i = 0; i < CELLS; i++) {
        own += seed[i] == s ? area[i] : 0.0;
        mean += seed[i] == s ? area[i] * distance[i] : 0.0;
      }
      assert_true(fabs(of.area - own) <= 1e-6 * own &&
                  (own == 0.0 || fabs(of.distance_mean * own / mean - 1.0) < 1e-6));
    }
    assert_true(count == CELLS && fabs(all / sum - 1.0) < 1e-9);
    gv_statistics_destroy(statistics);
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(context);
  }
}

static void refused(void **state) {
  (void)state;
  double at[2] = {1.0, 2.0};
  gv_points seeds = gv_points_xy(at, at, 2);
  const run_options tile = {"tile", "avx512", 1, 0, 0};
  static const struct {
    int order;
    double flattening;
    gv_metric metric;
    bool list;
    const char *message;
  } cases[] = {{-1, 0.0, GV_GEODESIC, false, "order: out of range [0, 18] (-1)"},
               {19, 0.0, GV_GEODESIC, false, "order: out of range [0, 18] (19)"},
               {1, 0.1, GV_GEODESIC, false, "flattening"},
               {1, 0.0, GV_EUCLIDEAN, false, "unsupported for cells on the globe (euclidean)"},
               {1, 0.0, GV_GEODESIC, true, "list of places"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int32_t out[48];
    char message[512];
    gv_grid grid = healpix_of(1, true);
    grid.order = cases[i].order;
    grid.semi_major = 1e6;
    grid.flattening = cases[i].flattening;
    if (cases[i].list) grid.kind = GV_GRID_POINTS;
    assert_int_equal(try_run(&grid, &seeds, cases[i].metric, &tile, &plain, NULL, out, message, sizeof message),
                     GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, cases[i].message));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(healpix),          cmocka_unit_test(lists),
      cmocka_unit_test(many_seeds),       cmocka_unit_test(both_schemes),
      cmocka_unit_test(lists_of_centres), cmocka_unit_test(areas_and_statistics),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
