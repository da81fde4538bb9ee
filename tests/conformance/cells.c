/*
 * HEALPix, S2 and lists of places: every engine returns the bytes of `serial`, which searches each cell by
 * definition; also for several nearest seeds, with distance limits, masks and weights. Lists of HEALPix's
 * centers have the same results.
 */
#include "questions.h"

#include "gpuvoronoi/cells.h"

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

static int center_of(const gv_grid *grid, int64_t cell, double *lon, double *lat) {
  if (grid->kind == GV_GRID_S2) return gv_s2_center(grid->order, cell, lon, lat);
  return gv_healpix_center(grid->kind == GV_GRID_HEALPIX ? grid->order : 3, cell, lon, lat);
}

/* 0: all over; 1: on centers, some twice; 2: in a corner; 3: poles and the antimeridian. */
static void make_seeds(int kind, const gv_grid *grid, int64_t n, double *x, double *y) {
  for (int64_t i = 0; i < n; i++) {
    globe_place(&x[i], &y[i]);
    if (kind == 1) {
      int64_t cells = grid->kind == GV_GRID_POINTS ? gv_healpix_count(3) : grid->width;
      int64_t cell = (int64_t)(uniform() * (double)cells) / 2 * 2;
      assert_int_equal(center_of(grid, cell, &x[i], &y[i]), GV_OK);
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
    if (b >= 0 && status == GV_ERROR_UNSUPPORTED && q->weighting != GV_UNWEIGHTED) continue;
    if (status != GV_OK) fail_msg("%s: %s", o.backend, message);
    for (int64_t i = 0; i < q->k * cells; i++) {
      if (expected[i] != got[i]) {
        fail_msg(
            "kind %d, order %d, %lld cells, %lld seeds, %s, k %d, %g, weighting %d: %s (%s, %d): %d at cell "
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

static void check_grid(const gv_grid *grid, int kind, int64_t n, gv_metric metric) {
  double x[MOST_SEEDS], y[MOST_SEEDS];
  make_seeds(kind, grid, n, x, y);
  gv_points seeds = gv_points_xy(x, y, n);
  compare_all(grid, &seeds, metric, &plain);
  question q = next_question(metric, n, grid->width);
  compare_all(grid, &seeds, metric, &q);
  free((void *)q.weights);
  free((void *)q.mask);
}

static gv_grid s2_of(int level, bool authalic) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_S2;
  grid.order = level;
  grid.authalic = authalic;
  grid.width = gv_s2_count(level);
  grid.height = 1;
  return grid;
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

/* The meshes: kinds, with their levels. */
static const struct {
  gv_grid (*of)(int level, bool authalic);
  int levels;
} meshes[] = {{healpix_of, 5}, {s2_of, 4}};

static void all_meshes(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 3, 40, MOST_SEEDS};
  for (size_t mesh = 0; mesh < sizeof meshes / sizeof *meshes; mesh++) {
    for (int level = 0; level <= meshes[mesh].levels; level++) {
      for (int kind = 0; kind < (level < 5 ? 4 : 1); kind++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
          gv_grid grid = meshes[mesh].of(level, (kind + level) % 2 != 0);
          check_grid(&grid, kind, counts[c], GV_GREAT_CIRCLE);
          if (level <= 2 && counts[c] <= 40) check_grid(&grid, kind, counts[c], GV_GEODESIC);
        }
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
      check_grid(&grid, kind, 60, GV_GREAT_CIRCLE);
      check_grid(&grid, 0, n > 1000 ? 7 : MOST_SEEDS, n > 1000 ? GV_GEODESIC : GV_GREAT_CIRCLE);
    }
    free(lon);
    free(lat);
  }
}

/* Of many seeds, and places in no order or in rows, a search is faster, and is chosen; the answers are the
 * same. */
static void many_seeds(void **state) {
  (void)state;
  enum { SEEDS = 30000, PLACES = 128, K = 2 };
  static double x[SEEDS], y[SEEDS], lon[PLACES], lat[PLACES];
  static int32_t expected[K * PLACES], got[K * PLACES];
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_POINTS;
  grid.width = PLACES;
  grid.height = 1;
  grid.longitude = lon;
  grid.latitude = lat;
  make_seeds(0, &grid, SEEDS, x, y);
  static const char *const chosen_backend[] = {"kdtree", "kdtree", "tile"};
  for (int order = 0; order < 3; order++) {
    for (int i = 0; i < PLACES; i++) {
      const int column = (i & 1) | (i >> 1 & 2) | (i >> 2 & 4) | (i >> 3 & 8),
                line = (i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4);
      globe_place(&lon[i], &lat[i]);
      if (order == 1) lon[i] = 0.1 * i, lat[i] = 10.0;
      if (order == 2) lon[i] = 0.1 * column, lat[i] = 0.1 * line; /* a Morton curve */
    }
    question q = plain;
    q.k = K;
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_voronoi_options o = options_of(&q, GV_GEODESIC, NULL);
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_string_equal(gv_voronoi_backend(voronoi), chosen_backend[order]);
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
  gv_grid grid = healpix_of(ORDER, true);
  make_seeds(1, &grid, MOST_SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, MOST_SEEDS);
  run(&grid, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, nested);
  grid.ring = 1;
  run(&grid, &seeds, GV_GREAT_CIRCLE, &tile, &plain, NULL, ring);
  for (int64_t i = 0; i < CELLS; i++)
    assert_int_equal(nested[i], ring[gv_healpix_to_ring(ORDER, i)]);
}

/* On the sphere both have the centers as unit vectors within rounding; no seed of these is that close to a
 * boundary. */
static void lists_of_centers(void **state) {
  (void)state;
  enum { ORDER = 5, CELLS = 12 << 2 * ORDER };
  static double lon[CELLS], lat[CELLS], x[MOST_SEEDS], y[MOST_SEEDS];
  static int32_t mesh[CELLS], list[CELLS];
  const run_options tile = {"tile", "avx512", 2, 0, 0};
  for (int64_t i = 0; i < CELLS; i++)
    assert_int_equal(gv_healpix_center(ORDER, i, &lon[i], &lat[i]), GV_OK);
  gv_grid grid = healpix_of(ORDER, false), points;
  grid.ring = 0;
  make_seeds(0, &grid, MOST_SEEDS, x, y);
  gv_points seeds = gv_points_xy(x, y, MOST_SEEDS);
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

enum { STATISTICS_SEEDS = 30, STATISTICS_CELLS = 12 << 8 };

/* Statistics are those of the cells' areas and distances; unknown areas are 1 each. */
static void compare_statistics(gv_context *context, const gv_voronoi *voronoi, int64_t cells,
                               const double *area) {
  static int32_t seed[STATISTICS_CELLS];
  static double distance[STATISTICS_CELLS], lon[STATISTICS_CELLS], lat[STATISTICS_CELLS];
  gv_statistics *statistics = NULL;
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  how.distances = 1;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = seed;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &labels, NULL), GV_OK);
  assert_int_equal(gv_voronoi_cell_centers(context, voronoi, 0, 0, 0, 0, lon, lat, 0), GV_OK);
  gv_measure measure;
  gv_measure_init(&measure);
  measure.seed = seed;
  measure.type = GV_FLOAT64;
  measure.distance = distance;
  assert_int_equal(gv_voronoi_measure(context, voronoi, &measure), GV_OK);
  assert_int_equal(gv_statistics_create(context, voronoi, &how, &statistics), GV_OK);
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  block.columns = cells;
  block.rows = 1;
  block.seed = seed;
  block.distance = distance;
  block.distance_stride = cells;
  assert_int_equal(gv_statistics_add(context, statistics, &block), GV_OK);
  int64_t count = 0;
  for (int s = 0; s < STATISTICS_SEEDS; s++) {
    gv_seed_statistics of;
    gv_seed_statistics_init(&of);
    assert_int_equal(gv_statistics_get(context, statistics, s, &of), GV_OK);
    double own = 0.0, mean = 0.0, v[3] = {0.0, 0.0, 0.0};
    for (int64_t i = 0; i < cells; i++) {
      if (seed[i] != s) continue;
      double weight = isnan(area[i]) ? 1.0 : area[i], a = lon[i] * pi / 180.0, b = lat[i] * pi / 180.0;
      own += weight;
      mean += weight * distance[i];
      v[0] += weight * cos(b) * cos(a);
      v[1] += weight * cos(b) * sin(a);
      v[2] += weight * sin(b);
    }
    count += of.cells;
    assert_true(isnan(area[0]) ? isnan(of.area) || of.cells == 0 : fabs(of.area - own) <= 1e-9 * own);
    if (of.cells == 0 || own == 0.0) continue;
    assert_true(fabs(of.distance_mean * own / mean - 1.0) < 1e-9);
    assert_true(fabs(of.centroid_y - atan2(v[2], hypot(v[0], v[1])) * 180.0 / pi) < 1e-6);
    assert_true(fabs(remainder(of.centroid_x - atan2(v[1], v[0]) * 180.0 / pi, 360.0)) < 1e-5);
  }
  assert_int_equal(count, cells);
  gv_statistics_destroy(statistics);
}

/* Areas add up to the globe's; lists have their own, or none. */
static void areas_and_statistics(void **state) {
  (void)state;
  static double area[STATISTICS_CELLS], own[STATISTICS_CELLS], lon[STATISTICS_CELLS], lat[STATISTICS_CELLS];
  const double globe = 510065621724088.5;
  double x[STATISTICS_SEEDS], y[STATISTICS_SEEDS];
  for (int kind = 0; kind < 6; kind++) {
    const bool list = kind >= 4, authalic = kind % 2 != 0;
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_grid grid = kind < 2 ? healpix_of(4, authalic) : s2_of(4, authalic);
    make_seeds(0, &grid, STATISTICS_SEEDS, x, y);
    gv_points seeds = gv_points_xy(x, y, STATISTICS_SEEDS);
    if (list) {
      for (int64_t i = 0; i < grid.width; i++) {
        globe_place(&lon[i], &lat[i]);
        own[i] = i % 5 == 0 ? 0.0 : 1e7 * uniform();
      }
      grid.kind = GV_GRID_POINTS;
      grid.longitude = lon;
      grid.latitude = lat;
      if (kind == 4) grid.area = own;
    }
    gv_voronoi_options o = options_of(&plain, GV_GEODESIC, NULL);
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_int_equal(gv_voronoi_cell_areas(context, voronoi, 0, 0, 0, 0, area, 0), GV_OK);
    double sum = 0.0;
    for (int64_t i = 0; i < grid.width; i++) {
      double u, w, a, b;
      sum += area[i];
      if (list) assert_true(kind == 4 ? area[i] == own[i] : isnan(area[i]));
      if (list) continue;
      assert_int_equal(center_of(&grid, i, &u, &w), GV_OK);
      assert_int_equal(gv_voronoi_cell_centers(context, voronoi, i, 0, 1, 1, &a, &b, 0), GV_OK);
      assert_true(fabs(remainder(a - u, 360.0)) < 1e-12);
      assert_true(authalic ? fabs(b) >= fabs(w) && fabs(b - w) < 0.13 : fabs(b - w) < 1e-12);
    }
    if (!list) assert_true(fabs(sum / globe - 1.0) < (authalic ? 1e-13 : 1e-4));
    if (kind == 1) assert_true(area[0] == area[grid.width / 2]);
    compare_statistics(context, voronoi, grid.width, area);
    gv_voronoi_destroy(voronoi);
    own[7] = (double)NAN;
    if (kind == 4) {
      gv_statistics *statistics = NULL;
      assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
      assert_int_equal(gv_statistics_create(context, voronoi, NULL, &statistics), GV_ERROR_INVALID_ARGUMENT);
      assert_non_null(strstr(gv_context_message(context), "area 7: invalid"));
      gv_voronoi_destroy(voronoi);
    }
    gv_context_destroy(context);
  }
}

/* Flat ellipsoids too have no cell that is larger than the unit of sums. */
static void statistics_on_flat_ellipsoids(void **state) {
  (void)state;
  static double area[STATISTICS_CELLS];
  double x[STATISTICS_SEEDS], y[STATISTICS_SEEDS];
  for (int kind = 0; kind < 4; kind++) {
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    gv_grid grid = kind < 2 ? healpix_of(3, false) : s2_of(3, false);
    make_seeds(0, &grid, STATISTICS_SEEDS, x, y);
    gv_points seeds = gv_points_xy(x, y, STATISTICS_SEEDS);
    grid.semi_major = 1e6;
    grid.flattening = kind % 2 == 0 ? 0.4 : -0.6;
    gv_voronoi_options o = options_of(&plain, GV_GREAT_CIRCLE, NULL);
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_int_equal(gv_voronoi_cell_areas(context, voronoi, 0, 0, 0, 0, area, 0), GV_OK);
    compare_statistics(context, voronoi, grid.width, area);
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
    gv_grid_kind kind;
    const char *message;
  } cases[] = {{-1, 0.0, GV_GEODESIC, GV_GRID_HEALPIX, "HEALPix order: out of range [0, 18] (-1)"},
               {19, 0.0, GV_GEODESIC, GV_GRID_HEALPIX, "HEALPix order: out of range [0, 18] (19)"},
               {1, 0.1, GV_GEODESIC, GV_GRID_HEALPIX, "flattening"},
               {1, 0.0, GV_EUCLIDEAN, GV_GRID_HEALPIX, "unsupported for cells on the globe (euclidean)"},
               {1, 0.0, GV_GEODESIC, GV_GRID_POINTS, "list of places"},
               {-1, 0.0, GV_GEODESIC, GV_GRID_S2, "S2 level: out of range [0, 18] (-1)"},
               {19, 0.0, GV_GEODESIC, GV_GRID_S2, "S2 level: out of range [0, 18] (19)"},
               {1, 0.1, GV_GEODESIC, GV_GRID_S2, "flattening"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int32_t out[48];
    char message[512];
    gv_grid grid = healpix_of(1, true);
    grid.order = cases[i].order;
    grid.semi_major = 1e6;
    grid.flattening = cases[i].flattening;
    grid.kind = cases[i].kind;
    assert_int_equal(
        try_run(&grid, &seeds, cases[i].metric, &tile, &plain, NULL, out, message, sizeof message),
        GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, cases[i].message));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_meshes),
      cmocka_unit_test(lists),
      cmocka_unit_test(many_seeds),
      cmocka_unit_test(both_schemes),
      cmocka_unit_test(lists_of_centers),
      cmocka_unit_test(areas_and_statistics),
      cmocka_unit_test(statistics_on_flat_ellipsoids),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
