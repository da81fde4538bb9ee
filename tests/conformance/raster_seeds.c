/*
 * Cells of rasters as seeds: cells that are left out do not change results. For every group the nearest of
 * its cells, ties included, is compared with that of all its cells, on rasters of many kinds, for the
 * raster's own cells and for other grids.
 */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/raster_seeds.h"
#include "split_mix.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum { MOST = 8192 };

static gv_context *context;
static int64_t value[MOST];
static uint8_t counts[MOST];

static gv_grid grid_of(gv_grid_kind kind, int64_t w, int64_t h, double x, double dx, double y, double dy) {
  gv_grid g;
  gv_grid_init(&g);
  double transform[6] = {x, dx, 0.0, y, 0.0, dy};
  g.kind = kind;
  g.width = w;
  g.height = h;
  memcpy(g.geotransform, transform, sizeof transform);
  assert_true(w * h <= MOST);
  return g;
}

/* Patterns of values. 0 is not a seed, except in patterns without gaps. */
enum { BLOBS, FULL, HALVES, CHECKS, ONE_CELL, NOISE, BANDS, FRAME, CAP, PATTERNS };

static void fill(const gv_grid *g, int pattern, uint64_t seed) {
  int64_t w = g->width, h = g->height;
  uint64_t state = seed;
  double cx[6], cy[6], r[6];
  for (int i = 0; i < 6; i++) {
    cx[i] = (double)(split_mix(&state) % (uint64_t)w);
    cy[i] = (double)(split_mix(&state) % (uint64_t)h);
    r[i] = 2.0 + (double)(split_mix(&state) % (uint64_t)(1 + h / 3));
  }
  for (int64_t i = 0; i < w * h; i++) {
    int64_t c = i % w, row = i / w;
    value[i] = 0;
    for (int b = 0; b < 6 && pattern == BLOBS; b++) {
      double across = fabs((double)c - cx[b]);
      across = fmin(across, (double)w - across);
      if (hypot(across, (double)row - cy[b]) < r[b]) value[i] = 5 - b % 3;
    }
    if (pattern == FULL) value[i] = 9;
    if (pattern == HALVES) value[i] = c < w / 2 ? -3 : 8;
    if (pattern == CHECKS) value[i] = (c + row) % 2 + 1;
    if (pattern == ONE_CELL) value[i] = c == w / 3 && row == h / 2;
    if (pattern == NOISE) value[i] = (int64_t)(split_mix(&state) % 12 > 1);
    if (pattern == BANDS) value[i] = row / 4 % 3;
    if (pattern == FRAME) value[i] = c > 1 && c < w - 2 && row > 1 && row < h - 2 ? 4 : 0;
    if (pattern == CAP) value[i] = row < h / 2 ? 7 : (int64_t)(split_mix(&state) % 3);
    counts[i] = value[i] != 0;
  }
}

/* The first rows of a raster. */
static gv_raster_array array_of(const gv_grid *g, int64_t rows) {
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = value;
  array.rows = rows;
  array.row_stride = g->width * (int64_t)sizeof *value;
  array.column_stride = sizeof *value;
  array.mask = counts;
  array.mask_row_stride = g->width;
  array.mask_column_stride = 1;
  return array;
}

/* Adds a raster: the first half of its rows as an array, the others as spans, some of which continue the span
 * before. */
static gv_status add_raster(const gv_grid *g, gv_raster_seeds *s) {
  int64_t before = g->height / 2, rows = g->height - before, count = 0;
  gv_raster_array array = array_of(g, before);
  gv_raster_spans spans;
  gv_raster_spans_init(&spans);
  spans.rows = rows;
  int64_t *first = malloc((size_t)(rows + 1) * sizeof *first);
  int64_t *values = malloc((size_t)(rows * g->width) * sizeof *values);
  int32_t *start = malloc((size_t)(rows * g->width) * sizeof *start);
  uint8_t *is_seed = malloc((size_t)(rows * g->width));
  assert_true(first != NULL && values != NULL && start != NULL && is_seed != NULL);
  spans.first = first;
  spans.start = start;
  spans.value = values;
  spans.is_seed = is_seed;
  for (int64_t r = 0; r < rows; r++) {
    first[r] = count;
    for (int32_t c = 0; c < g->width; c++) {
      int64_t i = (before + r) * g->width + c;
      if (c > 0 && c % 5 != 0 && value[i] == value[i - 1] && counts[i] == counts[i - 1]) continue;
      start[count] = c;
      values[count] = value[i];
      is_seed[count++] = counts[i];
    }
  }
  first[rows] = count;
  gv_status status = gv_raster_seeds_add_array(context, s, &array);
  if (status == GV_OK) status = gv_raster_seeds_add_spans(context, s, &spans);
  free(first);
  free(values);
  free(start);
  free(is_seed);
  return status;
}

static gv_raster_seeds *read_raster(const gv_grid *g, gv_raster_seeds_options options) {
  gv_raster_seeds *s = NULL;
  gv_status status = gv_raster_seeds_create(context, g, &options, &s);
  if (status == GV_OK) status = add_raster(g, s);
  if (status == GV_OK) status = gv_raster_seeds_finish(context, s);
  if (status != GV_OK) fail_msg("%s", gv_context_message(context));
  return s;
}

/* Each cell's nearest, by number, of the seeds first ... end - 1 of a list. */
static void answer(const gv_grid *query_grid, gv_metric metric, const gv_raster_seed_list *list,
                   int64_t first, int64_t end, const char *backend, int32_t *out) {
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(list->x + first, list->y + first, end - first);
  gv_voronoi *v = NULL;
  options.metric = metric;
  options.backend = backend;
  gv_status status = gv_voronoi_create(context, query_grid, &seeds, &options, &v);
  if (status == GV_OK) status = fill_grid(context, v, out, query_grid->width);
  if (status != GV_OK) fail_msg("%s", gv_context_message(context));
  gv_voronoi_destroy(v);
}

static void compare_groups(const gv_grid *raster, const gv_grid *query_grid, gv_metric metric,
                           const gv_raster_seed_list *kept, const gv_raster_seed_list *all,
                           const int32_t *groups, const char *what) {
  static int32_t some[MOST], every[MOST];
  for (int64_t g = 0; g < all->groups; g++) {
    answer(query_grid, metric, kept, kept->first[g], kept->first[g + 1], "tile", some);
    /* Every geodesic is slow. */
    answer(query_grid, metric, all, all->first[g], all->first[g + 1],
           metric == GV_GEODESIC ? "tile" : "serial", every);
    for (int64_t i = 0; i < query_grid->width * query_grid->height; i++) {
      if (kept->queries_are_cells && groups[i] == g) continue; /* its own nearest */
      /* -1: the place is not on the map */
      int64_t a = some[i] < 0 ? -1 : kept->cell[kept->first[g] + some[i]];
      int64_t b = every[i] < 0 ? -1 : all->cell[all->first[g] + every[i]];
      if (a != b)
        fail_msg("%s, metric %s: cell %d, group %d: %d, not %d of %d x %d", what, gv_metric_name(metric),
                 (int)i, (int)g, (int)a, (int)b, (int)raster->width, (int)raster->height);
    }
  }
}

/* An index of the cells returns the results of a list of their centers, by the lowest cell. */
static void check_index(const gv_raster_seeds *seeds, const gv_grid *raster, gv_metric metric,
                        const gv_raster_seed_list *list) {
  enum { PLACES = 40, K = 3 };
  double x[PLACES], y[PLACES], found_meters[PLACES * K], meters[PLACES * K];
  int64_t found[PLACES * K], numbers[PLACES * K];
  gv_index *cells = NULL, *centers = NULL;
  if (list->count == 0 || raster->kind == GV_GRID_PROJECTED) return;
  for (int i = 0; i < PLACES; i++) {
    double c = (double)(i * 7 % (int)raster->width) + 0.25, r = (double)(i * 5 % (int)raster->height) + 0.5;
    const double *g = raster->geotransform;
    x[i] = g[0] + c * g[1] + r * g[2];
    y[i] = g[3] + c * g[4] + r * g[5];
  }
  const gv_points places = gv_points_xy(x, y, PLACES), all = gv_points_xy(list->x, list->y, list->count);
  gv_search_options three;
  gv_search_options_init(&three);
  three.k = K;
  gv_index_options options;
  gv_index_options_init(&options);
  options.metric = metric;
  options.backend = "serial";
  options.semi_major = raster->semi_major;
  options.flattening = raster->flattening;
  assert_int_equal(gv_index_build_raster_seeds(context, seeds, NULL, &cells), GV_OK);
  assert_int_equal(gv_index_get_kind(cells), GV_INDEX_RASTER_SEEDS);
  assert_int_equal(gv_index_count(cells), list->count);
  assert_int_equal(gv_index_build(context, &all, &options, &centers), GV_OK);
  assert_int_equal(gv_index_search(context, cells, &places, &three, found, found_meters), GV_OK);
  assert_int_equal(gv_index_search(context, centers, &places, &three, numbers, meters), GV_OK);
  for (int i = 0; i < PLACES * K; i++) {
    assert_int_equal(found[i], numbers[i] < 0 ? -1 : list->cell[numbers[i]]);
    assert_true(found_meters[i] == meters[i]);
  }
  assert_int_equal(gv_index_search(context, cells, NULL, NULL, found, NULL), GV_ERROR_INVALID_ARGUMENT);
  three.array_options = &on_device;
  assert_int_equal(gv_index_search(context, cells, &places, &three, found, NULL), GV_ERROR_UNSUPPORTED);
  assert_string_equal(gv_context_message(context),
                      "raster cells: device memory is unsupported; use host memory");
  assert_int_equal(gv_index_search_part(context, cells, &places, NULL, 0, 0, found, NULL),
                   GV_ERROR_UNSUPPORTED);
  gv_index_destroy(centers);
  gv_index_destroy(cells);
}

/* How many of the raster's seeds are kept, after all comparisons. */
static int64_t check(const gv_grid *raster, const gv_grid *query_grid, gv_metric metric, const char *what) {
  static int32_t groups[MOST];
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  gv_raster_seed_list kept, all;
  gv_raster_seed_list_init(&kept);
  gv_raster_seed_list_init(&all);
  options.metric = metric;
  options.query_grid = query_grid;
  gv_raster_seeds *some = read_raster(raster, options);
  options.keep_all = 1;
  gv_raster_seeds *every = read_raster(raster, options);
  assert_int_equal(gv_raster_seeds_get(context, some, &kept), GV_OK);
  assert_int_equal(gv_raster_seeds_get(context, every, &all), GV_OK);
  assert_int_equal(all.count, all.cells);
  assert_int_equal(kept.cells, all.cells);
  assert_int_equal(kept.groups, all.groups);
  check_index(every, raster, metric, &all);
  gv_status status =
      gv_raster_seeds_groups(context, some, 0, 0, raster->width, raster->height, groups, raster->width);
  assert_int_equal(status, GV_OK);
  for (int64_t i = 0; i < raster->width * raster->height; i++) {
    assert_int_equal(groups[i] >= 0, counts[i]);
    if (groups[i] >= 0) assert_int_equal(kept.value[groups[i]], value[i]);
  }
  if (kept.count < all.count) compare_groups(raster, query_grid, metric, &kept, &all, groups, what);
  int64_t count = kept.count;
  gv_raster_seeds_destroy(some);
  gv_raster_seeds_destroy(every);
  return count;
}

/* All patterns; true if something was left out. */
static bool check_patterns(const gv_grid *raster, const gv_grid *query_grid, gv_metric metric,
                           const char *what) {
  bool less = false;
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    int64_t cells = 0;
    fill(raster, pattern, 7 + (uint64_t)pattern);
    for (int64_t i = 0; i < raster->width * raster->height; i++)
      cells += counts[i];
    less |= check(raster, query_grid, metric, what) < cells;
  }
  return less;
}

static const gv_metric flat[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV};
static const gv_metric round_metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC};

static void own_cells_of_planes(void **unused) {
  (void)unused;
  for (size_t m = 0; m < sizeof flat / sizeof *flat; m++) {
    gv_grid square = grid_of(GV_GRID_PLANE, 31, 23, 4321000.0, 100.0, 3210000.0, -100.0);
    gv_grid flat_cells = grid_of(GV_GRID_PLANE, 29, 40, -7.0, 7.3, -5.0, 0.21); /* south-up */
    gv_grid mirrored = grid_of(GV_GRID_PLANE, 40, 20, 5.0, -0.1, 9.0, 3.0);
    assert_true(check_patterns(&square, &square, flat[m], "square"));
    assert_true(check_patterns(&flat_cells, &flat_cells, flat[m], "flat cells"));
    assert_true(check_patterns(&mirrored, &mirrored, flat[m], "mirrored"));
  }
}

static void rotated_planes(void **unused) {
  (void)unused;
  gv_grid rotated = grid_of(GV_GRID_PLANE, 30, 25, 100.0, 0.8, 50.0, -0.8);
  rotated.geotransform[2] = rotated.geotransform[4] = 0.6;
  gv_grid sheared = rotated;
  sheared.geotransform[2] = 2.5;
  for (size_t m = 0; m < sizeof flat / sizeof *flat; m++)
    assert_int_equal(check_patterns(&rotated, &rotated, flat[m], "rotated"), flat[m] == GV_EUCLIDEAN);
  assert_false(check_patterns(&sheared, &sheared, GV_EUCLIDEAN, "sheared"));
}

/* Coordinates so large that cells hardly differ. */
static void no_room_for_rounding(void **unused) {
  (void)unused;
  gv_grid far_away = grid_of(GV_GRID_PLANE, 30, 25, 1e15, 1.0, 1e15, -1.0);
  assert_false(check_patterns(&far_away, &far_away, GV_EUCLIDEAN, "far away"));
  /* One corner of a rotated raster is outside the last place, 2^36 sides. */
  gv_grid rotated = grid_of(GV_GRID_PLANE, 30, 25, 0x1p36 - 30.0, 0.8, 50.0, -0.8);
  rotated.geotransform[2] = rotated.geotransform[4] = 0.6;
  assert_false(check_patterns(&rotated, &rotated, GV_EUCLIDEAN, "a corner far away"));
  rotated.geotransform[0] -= 10.0;
  assert_true(check_patterns(&rotated, &rotated, GV_EUCLIDEAN, "all but far away"));
}

/* All of their cells are at the raster's border. */
static void single_rows_and_columns(void **unused) {
  (void)unused;
  gv_grid row = grid_of(GV_GRID_PLANE, 40, 1, 0.0, 1.0, 0.0, -1.0),
          column = grid_of(GV_GRID_PLANE, 1, 40, 0.0, 1.0, 0.0, -1.0);
  assert_false(check_patterns(&row, &row, GV_EUCLIDEAN, "a row"));
  assert_false(check_patterns(&column, &column, GV_EUCLIDEAN, "a column"));
}

static void other_grids_of_planes(void **unused) {
  (void)unused;
  gv_grid raster = grid_of(GV_GRID_PLANE, 31, 23, 0.0, 1.0, 23.0, -1.0);
  gv_grid coarse = grid_of(GV_GRID_PLANE, 7, 5, -3.0, 5.1, 25.0, -6.3);
  gv_grid fine = grid_of(GV_GRID_PLANE, 60, 40, 10.0, 0.1, 12.0, -0.1);
  /* queries at the corners of cells */
  gv_grid corners = grid_of(GV_GRID_PLANE, 30, 22, 0.5, 1.0, 22.5, -1.0);
  for (size_t m = 0; m < 2; m++) {
    assert_true(check_patterns(&raster, &coarse, flat[m], "coarse"));
    assert_true(check_patterns(&raster, &fine, flat[m], "fine"));
    check_patterns(&raster, &corners, flat[m], "corners");
  }
  assert_false(check_patterns(&raster, &coarse, GV_CHEBYSHEV, "coarse"));
  gv_grid half = raster;
  half.width = 20; /* of the raster */
  assert_true(check_patterns(&raster, &half, GV_EUCLIDEAN, "half"));
}

static void own_cells_of_globes(void **unused) {
  (void)unused;
  for (size_t m = 0; m < 2; m++) {
    gv_metric metric = round_metrics[m];
    gv_grid world = grid_of(GV_GRID_LONLAT, 80, 40, -180.0, 4.5, 90.0, -4.5);
    gv_grid odd = grid_of(GV_GRID_LONLAT, 72, 37, 0.0, 5.0, -92.5, 5.0); /* rows at the poles, south-up */
    gv_grid narrow = grid_of(GV_GRID_LONLAT, 30, 20, 170.0, 1.0, 10.0, -0.5);
    gv_grid most = grid_of(GV_GRID_LONLAT, 75, 30, -170.0, 4.5, 67.5, -4.5); /* 337.5 degrees */
    gv_grid rounded = grid_of(GV_GRID_LONLAT, 90, 20, -180.0, 4.00001, 40.0, -4.0);
    gv_grid overlapping = grid_of(GV_GRID_LONLAT, 90, 20, -180.0, 4.5, 40.0, -4.0);
    assert_true(check_patterns(&world, &world, metric, "world"));
    assert_true(check_patterns(&odd, &odd, metric, "odd"));
    assert_true(check_patterns(&narrow, &narrow, metric, "across 180"));
    assert_true(check_patterns(&most, &most, metric, "most"));
    assert_true(check_patterns(&rounded, &rounded, metric, "rounded"));
    assert_false(check_patterns(&overlapping, &overlapping, metric, "overlapping"));
  }
}

static void poles(void **unused) {
  (void)unused;
  const double side = 1.0 / 120.0;
  for (size_t m = 0; m < 2; m++) {
    gv_grid north = grid_of(GV_GRID_LONLAT, 60, 60, 20.0, side, 90.0, -side);
    gv_grid minutes = grid_of(GV_GRID_LONLAT, 100, 40, -5.0, 1.0 / 24.0, -90.0, 1.0 / 24.0);
    gv_grid thin = grid_of(GV_GRID_LONLAT, 90, 30, -180.0, 4.0, 90.0, -side);
    gv_grid south = grid_of(GV_GRID_LONLAT, 90, 30, -180.0, 4.0, -90.0, 0.5);
    check_patterns(&north, &north, round_metrics[m], "30 seconds");
    assert_true(check_patterns(&minutes, &minutes, round_metrics[m], "minutes"));
    assert_true(check_patterns(&thin, &thin, round_metrics[m], "thin"));
    assert_true(check_patterns(&south, &south, round_metrics[m], "south"));
  }
}

/* Rows of one group are left out whole where nothing else is, the last row stays of a raster of one group. */
static void whole_rows(void **unused) {
  (void)unused;
  const double side = 1.0 / 120.0;
  for (size_t m = 0; m < 2; m++) {
    gv_metric metric = round_metrics[m];
    gv_grid north = grid_of(GV_GRID_LONLAT, 60, 60, 20.0, side, 90.0, -side);
    gv_grid round = grid_of(GV_GRID_LONLAT, 720, 11, -180.0, 0.5, 90.0, -0.15);
    gv_grid south = grid_of(GV_GRID_LONLAT, 720, 11, 7.0, 0.5, -90.0, 0.15); /* south-up: the pole is first */
    gv_grid coarse = grid_of(GV_GRID_LONLAT, 30, 15, -180.0, 12.0, 90.0, -12.0);
    gv_grid within = grid_of(GV_GRID_LONLAT, 90, 3, -180.0, 4.0, 90.0, -0.4);
    gv_grid pole = grid_of(GV_GRID_LONLAT, 40, 1, 0.0, 9.0, 90.0001, -0.0002);
    fill(&north, FULL, 1);
    assert_int_equal(check(&north, &north, metric, "one group"), 60);
    fill(&north, CAP, 1);
    assert_true(check(&north, &north, metric, "a cap of 30 seconds") < 30 * 60 + 60);
    fill(&round, CAP, 1);
    assert_true(check(&round, &round, metric, "a cap") < 720 * 6);
    assert_true(check(&round, &coarse, metric, "a cap, others ask") < 720 * 6);
    check(&round, &within, metric, "a cap, asked within");
    check(&round, &pole, metric, "a cap, asked at the pole");
    gv_grid below = grid_of(GV_GRID_LONLAT, 720, 11, -180.0, 0.5, 80.0, -0.15);
    fill(&below, CAP, 2);
    check(&below, &coarse, metric, "a cap that does not reach the pole");
    fill(&south, CAP, 2);
    assert_true(check(&south, &coarse, metric, "a southern cap") < 720 * 6);
    check(&south, &within, metric, "a southern cap, asked from elsewhere");
  }
}

/* A map of the globe: parallels slide along each other; some places have none. */
static int bend(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    x[i] += 0.4 * y[i] + 10.0 * sin(y[i] / 20.0);
    if ((int64_t)floor(7.0 * y[i]) % 11 == 3) x[i] = y[i] = (double)NAN;
  }
  return 0;
}

static int keep(double *x, double *y, int64_t n, void *user) {
  (void)x, (void)y, (void)n, (void)user;
  return 0;
}

static gv_grid bent(gv_grid g) {
  g.kind = GV_GRID_PROJECTED;
  g.inverse = bend;
  return g;
}

static void other_grids_of_globes(void **unused) {
  (void)unused;
  for (size_t m = 0; m < 2; m++) {
    gv_metric metric = round_metrics[m];
    gv_grid raster = grid_of(GV_GRID_LONLAT, 80, 50, 150.0, 1.0, 80.0, -1.0);
    gv_grid coarse = grid_of(GV_GRID_LONLAT, 30, 15, -180.0, 12.0, 90.0, -12.0);
    gv_grid fine = grid_of(GV_GRID_LONLAT, 60, 40, -165.0, 0.13, 62.0, -0.11);
    gv_grid turned = grid_of(GV_GRID_LONLAT, 30, 30, 190.0 + 360.0, 0.7, 75.0, -0.7);
    assert_true(check_patterns(&raster, &coarse, metric, "coarse"));
    assert_true(check_patterns(&raster, &fine, metric, "fine"));
    assert_true(check_patterns(&raster, &turned, metric, "a turn away"));
    gv_grid mesh = coarse, map = bent(fine), far = bent(turned);
    mesh.level = 3;
    assert_true(check_patterns(&raster, &mesh, metric, "mesh"));
    mesh.level = 5; /* its triangles are more than four a cell of `small` */
    gv_grid small = grid_of(GV_GRID_LONLAT, 40, 25, 150.0, 1.0, 80.0, -1.0);
    assert_false(check_patterns(&small, &mesh, metric, "fine mesh"));
    assert_true(check_patterns(&raster, &map, metric, "map"));
    assert_true(check_patterns(&raster, &far, metric, "map a turn away"));
    /* Grids with places at the edges and corners of cells, and outside by less than the margin. */
    for (int i = 0; i < 4; i++) {
      gv_grid corners = grid_of(GV_GRID_LONLAT, 40, 20, 151.5 + 0.02 * i, 1.0, 60.5 + 0.01 * i, -1.0);
      corners.kind = GV_GRID_PROJECTED;
      corners.inverse = keep;
      assert_true(check_patterns(&raster, &corners, metric, "corners"));
    }
  }
}

static double between(uint64_t *state, double low, double high) {
  return low + (high - low) * (double)(split_mix(state) >> 11) * 0x1p-53;
}

static gv_grid random_grid(uint64_t *state, bool globe, int64_t most) {
  int64_t w = 3 + (int64_t)(split_mix(state) % (uint64_t)most),
          h = 3 + (int64_t)(split_mix(state) % (uint64_t)most);
  double dx = between(state, 0.01, globe ? 4.0 : 30.0), dy = between(state, 0.01, globe ? 4.0 : 30.0);
  if (globe && split_mix(state) % 3 == 0) dx = 360.0 / (double)w;
  if (dy > 170.0 / (double)h) dy = 170.0 / (double)h;
  double y = globe ? between(state, -90.0, 90.0 - (double)h * dy) : between(state, -300.0, 300.0);
  if (globe && split_mix(state) % 3 == 0) y = split_mix(state) % 2 == 0 ? -90.0 : 90.0 - (double)h * dy;
  if (split_mix(state) % 2 == 0) y += (double)h * dy, dy = -dy; /* north-up */
  return grid_of(globe ? GV_GRID_LONLAT : GV_GRID_PLANE, w, h, between(state, -200.0, 200.0), dx, y, dy);
}

/* Rasters and other grids of any size and place. */
static void any_grids(void **unused) {
  (void)unused;
  const char *rounds = getenv("GPUVORONOI_RASTER_SEEDS_ROUNDS");
  uint64_t state = 20;
  for (int i = 0, end = rounds != NULL ? atoi(rounds) : 300; i < end; i++) {
    bool globe = i % 2 == 0;
    gv_metric metric = globe ? round_metrics[split_mix(&state) % 2] : flat[split_mix(&state) % 3];
    gv_grid raster = random_grid(&state, globe, 28), other = random_grid(&state, globe, 20);
    char what[32];
    snprintf(what, sizeof what, "round %d", i);
    fill(&raster, (int)(split_mix(&state) % PATTERNS), split_mix(&state));
    check(&raster, &raster, metric, what);
    check(&raster, &other, metric, what);
    if (!globe) continue;
    gv_grid map = bent(other), mesh = other;
    mesh.level = (int)(split_mix(&state) % 4);
    check(&raster, &map, metric, what);
    check(&raster, &mesh, metric, what);
  }
}

/* Order and numbers where each cell is a seed of its own. */
static void cell_by_cell(void **unused) {
  (void)unused;
  gv_grid raster = grid_of(GV_GRID_PLANE, 31, 23, 0.0, 1.0, 23.0, -1.0);
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  gv_raster_seed_list list;
  gv_raster_seed_list_init(&list);
  fill(&raster, BLOBS, 3);
  options.by_cell = 1;
  options.query_grid = &raster;
  gv_raster_seeds *s = read_raster(&raster, options);
  assert_int_equal(gv_raster_seeds_get(context, s, &list), GV_OK);
  assert_null(list.first);
  assert_true(list.count < list.cells && list.count > 0);
  for (int64_t i = 0; i < list.count; i++) {
    int64_t c = list.cell[i];
    assert_true(i == 0 || c > list.cell[i - 1]);
    assert_int_equal(list.value[list.group[i]], value[c]);
    assert_true(list.x[i] == (double)(c % 31) + 0.5 && list.y[i] == 23.0 - ((double)(c / 31) + 0.5));
  }
  gv_raster_seeds_destroy(s);
}

static void rectangles_of_one_group(void **unused) {
  (void)unused;
  gv_grid raster = grid_of(GV_GRID_PLANE, 31, 23, 0.0, 1.0, 23.0, -1.0);
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  static int32_t groups[MOST];
  uint64_t state = 1;
  int found = 0;
  for (int round = 0; round < 2000; round++) {
    if (round % 500 == 0) fill(&raster, round == 0 ? BANDS : round == 500 ? FRAME : BLOBS, (uint64_t)round);
    gv_raster_seeds *s = read_raster(&raster, options);
    int64_t x = (int64_t)(split_mix(&state) % 31), y = (int64_t)(split_mix(&state) % 23);
    int64_t w = 1 + (int64_t)(split_mix(&state) % (uint64_t)(31 - x)),
            h = 1 + (int64_t)(split_mix(&state) % (uint64_t)(23 - y));
    int32_t group = -7;
    bool same = true;
    assert_int_equal(gv_raster_seeds_groups(context, s, x, y, w, h, groups, w), GV_OK);
    for (int64_t i = 0; i < w * h; i++)
      same = same && groups[i] == groups[0];
    assert_int_equal(gv_raster_seeds_is_uniform(s, x, y, w, h, &group) != 0, same);
    if (same) assert_int_equal(group, groups[0]);
    found += same;
    assert_int_equal(gv_raster_seeds_is_uniform(s, x, y, 32 - x, h, &group), 0);
    gv_raster_seeds_destroy(s);
  }
  assert_in_range(found, 100, 1900);
}

static void many_values(void **unused) {
  (void)unused;
  gv_grid raster = grid_of(GV_GRID_PLANE, 64, 128, 0.0, 1.0, 0.0, -1.0);
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  gv_raster_seed_list list;
  gv_raster_seed_list_init(&list);
  for (int64_t i = 0; i < 64 * 128; i++) {
    value[i] = (i * 2654435761 % 1048573 - 500000) * ((int64_t)1 << 40);
    counts[i] = i % 7 != 0;
  }
  gv_raster_seeds *s = read_raster(&raster, options);
  assert_int_equal(gv_raster_seeds_get(context, s, &list), GV_OK);
  assert_int_equal(list.count, list.cells);
  for (int64_t g = 0; g < list.groups; g++) {
    assert_true(g == 0 || list.value[g] > list.value[g - 1]);
    assert_true(list.first[g] < list.first[g + 1]);
    for (int64_t i = list.first[g]; i < list.first[g + 1]; i++)
      assert_int_equal(value[list.cell[i]], list.value[g]);
  }
  assert_int_equal(list.first[list.groups], list.count);
  gv_raster_seeds_destroy(s);
}

static void bad_calls(void **unused) {
  (void)unused;
  gv_grid raster = grid_of(GV_GRID_PLANE, 3, 2, 0.0, 1.0, 0.0, -1.0), none = raster;
  gv_raster_array row = array_of(&raster, 1);
  gv_raster_seeds *s = NULL;
  gv_raster_seed_list list;
  gv_raster_seed_list_init(&list);
  int32_t groups[6];
  none.width = 0;
  memset(counts, 0, 6);
  assert_int_equal(gv_raster_seeds_create(context, &none, NULL, &s), GV_ERROR_INVALID_ARGUMENT);
  none.width = 3;
  for (int kind = GV_GRID_QTM; kind <= GV_GRID_S2; kind++) {
    none.kind = (gv_grid_kind)kind;
    assert_int_equal(gv_raster_seeds_create(context, &none, NULL, &s), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "unsupported kind of grid"));
  }
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  for (int wrong = 0; wrong < 5; wrong++) {
    static const char *const said[] = {"QTM level", "columns or rows", "geotransform",
                                       "metric: unknown number (99)", "metric cosine"};
    none = raster;
    if (wrong == 0) none.level = 3;
    if (wrong == 1) none.height = (int64_t)INT32_MAX + 1;
    if (wrong == 2) none.geotransform[5] = NAN;
    options.metric = wrong == 3 ? (gv_metric)99 : wrong == 4 ? GV_COSINE : GV_EUCLIDEAN;
    assert_int_equal(gv_raster_seeds_create(context, &none, &options, &s), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), said[wrong]));
  }
  assert_int_equal(gv_raster_seeds_create(context, &raster, NULL, &s), GV_OK);
  assert_int_equal(gv_raster_seeds_add_array(context, s, &row), GV_OK);
  gv_raster_seeds_destroy(s);
  assert_int_equal(gv_raster_seeds_create(context, &raster, NULL, &s), GV_OK);
  assert_int_equal(gv_raster_seeds_add_array(context, s, &row), GV_OK);
  assert_int_equal(gv_raster_seeds_is_uniform(s, 0, 0, 1, 1, groups), 0); /* not finished */
  assert_int_equal(gv_raster_seeds_finish(context, s), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_get(context, s, &list), GV_OK); /* numbers only */
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_raster_seeds(context, s, NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_true(list.x == NULL && list.cell == NULL && list.group == NULL && list.value == NULL &&
              list.first == NULL);
  assert_int_equal(gv_raster_seeds_add_array(context, s, &row), GV_OK);
  assert_int_equal(gv_raster_seeds_add_array(context, s, &row), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_finish(context, s), GV_OK);
  assert_int_equal(gv_raster_seeds_get(context, s, &list), GV_OK);
  assert_true(list.count == 0 && list.groups == 0 && list.cells == 0);
  assert_int_equal(gv_raster_seeds_groups(context, s, 1, 0, 3, 1, groups, 3), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_groups(context, s, 0, 0, 3, 2, groups, 3), GV_OK);
  assert_int_equal(groups[5], -1);
  gv_raster_seeds_destroy(s);
}

/* Spans that do not cover their rows. */
static void bad_spans(void **unused) {
  (void)unused;
  const gv_grid raster = grid_of(GV_GRID_PLANE, 3, 2, 0.0, 1.0, 0.0, -1.0);
  const int64_t good[] = {0, 2, 3}, empty[] = {0, 0, 3}, negative[] = {-1, 2, 3}, values[] = {1, 2, 3};
  const int32_t starts[] = {0, 2, 0}, late[] = {1, 2, 0}, equal[] = {0, 0, 0}, beyond[] = {0, 3, 0};
  gv_raster_spans spans[8];
  for (int i = 0; i < 8; i++) {
    gv_raster_spans_init(&spans[i]);
    spans[i].rows = 2;
    spans[i].first = good;
    spans[i].start = starts;
    spans[i].value = values;
  }
  spans[1].first = empty;
  spans[2].first = negative;
  spans[3].start = late;
  spans[4].start = equal;
  spans[5].start = beyond;
  spans[6].value = NULL;
  spans[7].rows = 3;
  for (int i = 0; i < 8; i++) {
    gv_raster_seeds *s = NULL;
    assert_int_equal(gv_raster_seeds_create(context, &raster, NULL, &s), GV_OK);
    assert_int_equal(gv_raster_seeds_add_spans(context, s, &spans[i]),
                     i == 0 ? GV_OK : GV_ERROR_INVALID_ARGUMENT);
    gv_raster_seeds_destroy(s);
  }
  assert_int_equal(gv_raster_seeds_add_spans(context, NULL, spans), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_add_spans(NULL, NULL, spans), GV_ERROR_INVALID_ARGUMENT);
}

/* Memory that is refused anywhere is an error, and nothing is lost. */
static void out_of_memory(void **unused) {
  (void)unused;
  failing_memory memory = {.fail_at = -1, .for_good = true};
  gv_context_options how = failing_options(&memory, 0);
  gv_context *usual = context;
  gv_grid raster = grid_of(GV_GRID_PLANE, 31, 23, 0.0, 1.0, 23.0, -1.0);
  gv_grid other = grid_of(GV_GRID_PLANE, 7, 5, -3.0, 5.1, 25.0, -6.3);
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  fill(&raster, BLOBS, 3);
  options.query_grid = &other;
  bool done = false;
  for (int64_t most = 0; !done; most++) {
    memory.fail_at = -1;
    assert_int_equal(gv_context_create(&how, &context), GV_OK);
    memory.fail_at = memory.calls + most;
    gv_raster_seeds *s = NULL;
    gv_status status = gv_raster_seeds_create(context, &raster, &options, &s);
    if (status == GV_OK) status = add_raster(&raster, s);
    if (status == GV_OK) status = gv_raster_seeds_finish(context, s);
    done = status == GV_OK;
    if (!done) assert_int_equal(status, GV_ERROR_OUT_OF_MEMORY);
    gv_raster_seeds_destroy(s);
    gv_context_destroy(context);
    assert_int_equal(memory.live, 0);
    assert_true(most < 1000);
  }
  context = usual;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_cells_of_planes),
                                     cmocka_unit_test(rotated_planes),
                                     cmocka_unit_test(no_room_for_rounding),
                                     cmocka_unit_test(single_rows_and_columns),
                                     cmocka_unit_test(other_grids_of_planes),
                                     cmocka_unit_test(own_cells_of_globes),
                                     cmocka_unit_test(poles),
                                     cmocka_unit_test(whole_rows),
                                     cmocka_unit_test(other_grids_of_globes),
                                     cmocka_unit_test(any_grids),
                                     cmocka_unit_test(cell_by_cell),
                                     cmocka_unit_test(rectangles_of_one_group),
                                     cmocka_unit_test(many_values),
                                     cmocka_unit_test(bad_calls),
                                     cmocka_unit_test(bad_spans),
                                     cmocka_unit_test(out_of_memory)};
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
