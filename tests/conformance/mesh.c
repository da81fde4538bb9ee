/*
 * QTM cells: positions made many at a time have the bits of gv_qtm_center_vector, bounds contain them, every
 * engine returns the bytes of `serial` on the mesh, and rasters have their triangles' results; also for
 * several nearest seeds, with distance limits, masks and weights.
 */
#include "cells/mesh.h"
#include "bound_holds.h"
#include "failing_memory.h"
#include "gpuvoronoi/cells.h"
#include "grid_fill.h"
#include "left_out.h"
#include "questions.h"

static const char *const simd_levels[] = {"baseline", "avx2", "avx512"};

/* -------------------------------------------------------------------------------------- positions, bounds */

static void check_leaf(const gv_mesh_part *leaf, const gv_mesh_tables *tables,
                       const gv_ellipsoid *ellipsoid) {
  double x[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING], y[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING];
  double z[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING];
  const gv_mesh_order *order = gv_mesh_order_of(tables, leaf);
  gv_mesh_positions(tables, leaf, ellipsoid, x, y, z);
  bool seen[GV_MESH_LEAF_CELLS] = {false};
  for (int i = 0; i < gv_mesh_part_count(leaf); i++) {
    gv_qtm_id id;
    gv_qtm_cell cell;
    double center[5];
    assert_false(seen[order->number[i]]);
    seen[order->number[i]] = true;
    assert_int_equal(gv_qtm_from_number(leaf->level, leaf->first + order->number[i], &id), GV_OK);
    gv_mesh_center(id, ellipsoid, center);
    assert_true(x[i] == center[0] && y[i] == center[1] && z[i] == center[2]);
    gv_qtm_cell_from_id(id, &cell);
    assert_int_equal(cell.down, order->place[i] % 2 != 0);
    int64_t row = cell.least[GV_QTM_WEST] + cell.least[GV_QTM_EAST] + (cell.down ? 1 : 0);
    assert_int_equal(row, gv_mesh_part_row(leaf) + order->row[i]);
    assert_int_equal(2 * (int64_t)cell.least[GV_QTM_EAST] + (cell.down ? 1 : 0),
                     2 * (int64_t)leaf->least[GV_QTM_EAST] + order->place[i]);
  }
}

static void positions_are_canonical(void **state) {
  (void)state;
  gv_mesh_tables *tables = malloc(sizeof *tables);
  gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563, (1.0 / 298.257223563) * (2.0 - 1.0 / 298.257223563)};
  assert_non_null(tables);
  for (size_t s = 0; s < 3; s++) {
    assert_int_equal(setenv("GPUVORONOI_SIMD", simd_levels[s], 1), 0);
    gv_mesh_tables_init(tables);
    for (int level = 0; level <= 20; level++) {
      for (int bits = 0; bits <= GV_MESH_LEAF_BITS && bits <= level; bits++) {
        int64_t parts = INT64_C(8) << 2 * (level - bits);
        int64_t checked = parts < 600 ? parts : 300;
        for (int64_t i = 0; i < checked; i++) {
          gv_mesh_part leaf;
          gv_mesh_part_at(level, bits, parts < 600 ? i : (int64_t)(uniform() * (double)parts), &leaf);
          check_leaf(&leaf, tables, NULL);
          check_leaf(&leaf, tables, &wgs84);
        }
      }
    }
  }
  free(tables);
}

static void bounds_hold_their_cells(void **state) {
  (void)state;
  gv_ellipsoid globe[] = {
      {6378137.0, 0.0, 0.0},
      {6378137.0, 1.0 / 298.257223563, (1.0 / 298.257223563) * (2.0 - 1.0 / 298.257223563)},
      {6378137.0, 0.1, 0.19}};
  gv_mesh_tables *tables = malloc(sizeof *tables);
  assert_non_null(tables);
  gv_mesh_tables_init(tables);
  for (int e = -1; e < 3; e++) {
    const gv_ellipsoid *ellipsoid = e < 0 ? NULL : &globe[e];
    double curvature = e < 0 ? 1.0 : 1.0 / pow(1.0 - globe[e].flattening, 6.0);
    for (int level = 0; level <= 20; level++) {
      for (int bits = 0; bits <= level && bits <= 5; bits++) {
        int64_t parts = INT64_C(8) << 2 * (level - bits);
        for (int sample = 0; sample < 40; sample++) {
          gv_mesh_part part;
          gv_bound bound;
          gv_mesh_part_at(level, bits, parts <= 40 ? sample % parts : (int64_t)(uniform() * (double)parts),
                          &part);
          gv_mesh_bound(tables, &part, ellipsoid, curvature, &bound);
          for (int i = 0; i < 20; i++) {
            double center[5];
            gv_qtm_id id;
            int64_t number = part.first + (int64_t)(uniform() * (double)gv_mesh_part_count(&part));
            assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
            gv_mesh_center(id, ellipsoid, center);
            assert_true(bound_holds(&bound, center));
          }
        }
      }
    }
  }
  free(tables);
}

/* -------------------------------------------------------------------------------------------------- seeds */

typedef enum seed_kind {
  UNIFORM,
  DUPLICATES,
  ON_CENTERS,
  ON_VERTICES,
  CORNER,
  COINCIDENT,
  ONE_PLACE,
  EQUATOR,
  POLES_AND_ANTIMERIDIAN,
  SEED_KINDS
} seed_kind;

static void make_seed(seed_kind kind, int level, int64_t i, double *x, double *y) {
  gv_qtm_id id;
  double lon[3], lat[3];
  assert_int_equal(gv_qtm_from_number(level, (int64_t)(uniform() * (double)gv_qtm_count(level)), &id), GV_OK);
  x[i] = 360.0 * uniform() - 180.0;
  y[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
  switch (kind) {
  case DUPLICATES:
    if (i > 0 && uniform() < 0.7) {
      int64_t k = (int64_t)(uniform() * (double)i);
      x[i] = x[k] + (uniform() < 0.5 ? 360.0 : 0.0);
      y[i] = y[k];
    }
    break;
  case ON_CENTERS:
    assert_int_equal(gv_qtm_center(id, &x[i], &y[i]), GV_OK);
    break;
  case ON_VERTICES:
    assert_int_equal(gv_qtm_corners(id, lon, lat, NULL), GV_OK);
    x[i] = lon[0];
    y[i] = lat[0];
    break;
  case CORNER:
    x[i] = 120.0 + uniform() * 0.1;
    y[i] = -35.0 + uniform() * 0.1;
    break;
  case COINCIDENT:
    x[i] = 90.0 * floor(4.0 * uniform()) + (i % 2 ? 1e-12 : 0.0);
    y[i] = 45.0 * floor(3.0 * uniform()) - 45.0;
    break;
  case ONE_PLACE:
    x[i] = -71.0;
    y[i] = 12.0;
    break;
  case EQUATOR:
    x[i] = 7.0 * (double)(i % 60);
    y[i] = 0.0;
    break;
  case POLES_AND_ANTIMERIDIAN: {
    static const double places[][2] = {{0, 90},    {77, 90}, {0, -90},    {180, 10},
                                       {-180, 10}, {180, 0}, {-180, -0.0}};
    if (i < 7) {
      x[i] = places[i][0];
      y[i] = places[i][1];
    }
    break;
  }
  default:
    break;
  }
}

/* ------------------------------------------------------------------------------------------------ engines */

/* The next question in turn; its weights and mask are to be freed. */
static question next_question(gv_metric metric, int64_t seeds, int64_t cells) {
  static const int32_t ks[] = {1, 2, 4, 3, 8, 1, 33, 5, 64, 12};
  static int turn = 0;
  int t = turn++;
  question q = plain;
  q.k = ks[t % 10];
  if (t % 3 == 1) q.max_distance = pow(10.0, 5.0 + 2.2 * uniform());
  if (t % 4 == 2) q.weighting = (gv_weighting)(1 + t / 4 % (metric == GV_GEODESIC ? 2 : 3));
  if (q.weighting != GV_UNWEIGHTED) {
    double *weights = malloc((size_t)seeds * sizeof *weights);
    assert_non_null(weights);
    for (int64_t i = 0; i < seeds; i++) {
      double step = floor(4.0 * uniform());
      weights[i] = q.weighting == GV_MULTIPLICATIVE ? 1.0 + step : 3e5 * (step - 1.0);
      if (q.weighting == GV_POWER) weights[i] *= 1e6;
    }
    q.weights = weights;
  }
  if (t % 5 < 2) {
    uint8_t *mask = malloc((size_t)cells);
    assert_non_null(mask);
    for (int64_t i = 0; i < cells; i++)
      mask[i] = t % 5 == 0 ? uniform() < 0.3 : i / 64 % 4 == 1 || i % 97 == 0;
    q.mask = mask;
  }
  return q;
}

static void free_question(question *q) {
  free((void *)q->weights);
  free((void *)q->mask);
}

static void apply_mask(const question *q, int64_t cells, int32_t *values) {
  for (int64_t i = 0; q->mask != NULL && i < q->k * cells; i++) {
    if (!q->mask[i % cells]) values[i] = -7;
  }
}

static void compare(int64_t cells, int level, int kind, int64_t seeds, gv_metric metric, const run_options *o,
                    const question *q, const int32_t *expected, const int32_t *got) {
  for (int64_t i = 0; i < q->k * cells; i++) {
    if (expected[i] != got[i]) {
      fail_msg("level %d, seed kind %d (%lld), %s, k %d, distance %g, weighting %d, %s: %s (%s, blocks of "
               "%d) says %d "
               "at cell %lld rank %lld, not %d",
               level, kind, (long long)seeds, gv_metric_name(metric), (int)q->k, q->max_distance,
               (int)q->weighting, q->mask != NULL ? "masked" : "no mask", o->backend, o->simd,
               (int)o->block_width, (int)got[i], (long long)(i % cells), (long long)(i / cells),
               (int)expected[i]);
    }
  }
}

static void check_question(int level, seed_kind kind, const gv_points *seeds, gv_metric metric,
                           const question *q, bool few) {
  static const run_options tile_variants[] = {{"tile", "avx512", 1, 0, 0},
                                              {"tile", "avx2", 2, 64, 0},
                                              {"tile", "baseline", 2, 17, 0},
                                              {"auto", "avx512", 2, 1, 0}};
  static size_t turn = 0;
  int64_t cells = gv_qtm_count(level);
  size_t bytes = (size_t)(q->k * cells) * sizeof(int32_t);
  int32_t *expected = malloc(bytes), *got = malloc(bytes);
  assert_true(expected != NULL && got != NULL);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_QTM;
  grid.level = level;
  run_options serial = {"serial", "avx512", 2, 0, 0};
  question unmasked = *q;
  unmasked.mask = NULL;
  run(&grid, seeds, metric, &serial, &unmasked, NULL, expected);
  apply_mask(q, cells, expected);
  turn++;
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (!to_be_compared(&info) || strcmp(info.name, "serial") == 0) continue;
    bool tile = strcmp(info.name, "tile") == 0;
    size_t variants = tile ? sizeof tile_variants / sizeof *tile_variants : 1;
    for (size_t i = 0; i < variants; i++) {
      run_options o = tile ? tile_variants[i] : (run_options){info.name, "avx512", 2, 100, 0};
      if (few && (tile ? i != turn % variants : (turn + (size_t)b) % 3 != 0)) continue;
      char message[512];
      gv_status status = try_run(&grid, seeds, metric, &o, q, NULL, got, message, sizeof message);
      if (status == GV_ERROR_UNSUPPORTED && q->weighting != GV_UNWEIGHTED && !tile) continue;
      if (status != GV_OK) fail_msg("%s: %s", info.name, message);
      compare(cells, level, (int)kind, seeds->count, metric, &o, q, expected, got);
    }
  }
  free(expected);
  free(got);
}

static void check_mesh(int level, seed_kind kind, int64_t n, gv_metric metric) {
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  assert_true(x != NULL && y != NULL);
  for (int64_t i = 0; i < n; i++)
    make_seed(kind, level, i, x, y);
  gv_points seeds = gv_points_xy(x, y, n);
  check_question(level, kind, &seeds, metric, &plain, false);
  for (int i = 0; i < 2 && n > 2 && n < 1000; i++) {
    question q = next_question(metric, n, gv_qtm_count(level));
    check_question(level, kind, &seeds, metric, &q, true);
    free_question(&q);
  }
  free(x);
  free(y);
}

static void great_circle(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 2, 17, 300};
  for (int level = 0; level <= 5; level++) {
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        check_mesh(level, (seed_kind)kind, counts[c], GV_GREAT_CIRCLE);
    }
  }
  check_mesh(7, UNIFORM, 1000, GV_GREAT_CIRCLE);
  check_mesh(2, UNIFORM, 100000, GV_GREAT_CIRCLE);
  check_mesh(3, CORNER, 100000, GV_GREAT_CIRCLE);
}

static void geodesic(void **state) {
  (void)state;
  static const int64_t counts[] = {1, 3, 24};
  for (int level = 0; level <= 4; level++) {
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        check_mesh(level, (seed_kind)kind, counts[c], GV_GEODESIC);
    }
  }
  check_mesh(5, UNIFORM, 60, GV_GEODESIC);
}

/* Whether chords separate the geodesics of the seeds of a kind; else each cell is decided slowly, too slowly
 * for large grids. */
static bool far_apart(int kind) {
  return kind != DUPLICATES && kind != CORNER && kind != COINCIDENT && kind != ONE_PLACE;
}

/* The options for a large grid of n seeds in turn. */
static question large_question(int64_t n) {
  static const int32_t ks[] = {1, 4, 1, 8, 2, 12};
  static const double limits[] = {1.5, INFINITY, 0.4, 1.0, 0.2, INFINITY};
  static size_t turn = 0;
  question q = plain;
  q.k = ks[turn % 6];
  q.max_distance = limits[turn % 6] * sqrt(5.1e14 / (double)n);
  turn++;
  return q;
}

/* Engines that only make grids against `tile`, which is compared with `serial` above. */
static void check_against_tile(int level, seed_kind kind, int64_t n, gv_metric metric, const question *q,
                               const run_options *device) {
  static const run_options tile = {"tile", "avx512", 0, 0, 0};
  int64_t cells = gv_qtm_count(level);
  size_t bytes = (size_t)(q->k * cells) * sizeof(int32_t);
  int32_t *expected = malloc(bytes), *got = malloc(bytes);
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  assert_true(x != NULL && y != NULL && expected != NULL && got != NULL);
  for (int64_t i = 0; i < n; i++)
    make_seed(kind, level, i, x, y);
  gv_points seeds = gv_points_xy(x, y, n);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_QTM;
  grid.level = level;
  run(&grid, &seeds, metric, &tile, q, NULL, expected);
  run(&grid, &seeds, metric, device, q, NULL, got);
  compare(cells, level, (int)kind, n, metric, device, q, expected, got);
  free(x);
  free(y);
  free(expected);
  free(got);
}

/* Leaves of all sizes and at all distances from the poles, with few candidates and with too many for the
 * float filter. */
static void large_meshes_against_tile(void **state) {
  (void)state;
  static const int64_t counts[] = {5, 300, 30000};
  static const run_options whole = {"cuda-tile", "avx512", 0, 0, 0},
                           pieces = {"cuda-tile", "avx512", 0, 64, 0};
  if (!have_cuda_tile()) skip();
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      gv_metric metric = (c + (size_t)kind) % 2 != 0 ? GV_GEODESIC : GV_GREAT_CIRCLE;
      int small = 5 + (kind + (int)c) % 5;
      check_against_tile(10, (seed_kind)kind, counts[c], metric, &plain, &whole);
      check_against_tile(small, (seed_kind)kind, counts[c], GV_GREAT_CIRCLE, &plain, &pieces);
      if (kind != CORNER)
        check_against_tile(9, (seed_kind)kind, 300, GV_GEODESIC, &plain, c == 0 ? &whole : &pieces);
      question q = large_question(counts[c]);
      if (!far_apart(kind)) metric = GV_GREAT_CIRCLE;
      check_against_tile(8, (seed_kind)kind, counts[c], metric, &q, kind % 2 == 0 ? &whole : &pieces);
    }
  }
  check_against_tile(12, UNIFORM, 5000, GV_GREAT_CIRCLE, &plain, &whole);
  check_against_tile(12, ON_VERTICES, 5000, GV_GEODESIC, &plain, &whole);
}

/* ------------------------------------------------------------------------------------------------ rasters */

typedef struct raster_case {
  gv_grid_kind kind;
  int64_t width, height;
  double geotransform[6];
} raster_case;

static const raster_case rasters[] = {
    {GV_GRID_LONLAT, 256, 128, {-180, 360.0 / 256, 0, 90, 0, -180.0 / 128}},
    {GV_GRID_LONLAT,
     256,
     129,
     {-180 - 0.5 * 360.0 / 256, 360.0 / 256, 0, 90 + 90.0 / 128, 0, -180.0 / 128}}, /* on edges */
    {GV_GRID_LONLAT, 145, 73, {0, 2.5, 0, -91.25, 0, 2.5}},   /* south-up, centers on the poles */
    {GV_GRID_LONLAT, 700, 40, {-400, 1.1, 0, 80, 0, -3.7}},   /* more than once around */
    {GV_GRID_LONLAT, 90, 90, {200, -2, 0, 45, 0, -1}},        /* from east to west */
    {GV_GRID_LONLAT, 600, 400, {5, 0.01, 0, 48, 0, -0.01}},   /* finer than the mesh */
    {GV_GRID_LONLAT, 9, 7, {-180, 40, 0, 90, 0, -180.0 / 7}}, /* coarser */
    {GV_GRID_PROJECTED, 101, 101, {-18.2e6, 3.6e5, 0, 18.2e6, 0, -3.6e5}},
};

static void check_raster(const raster_case *r, int level, gv_metric metric, bool ask) {
  enum { SEEDS = 90 };
  double x[SEEDS], y[SEEDS];
  int64_t cells = gv_qtm_count(level), pixels = r->width * r->height;
  question q = plain;
  if (ask) q = next_question(metric, SEEDS, pixels);
  int32_t *mesh = malloc((size_t)(q.k * cells) * sizeof *mesh);
  int32_t *expected = malloc((size_t)(q.k * pixels) * sizeof *expected);
  int32_t *got = malloc((size_t)(q.k * pixels) * sizeof *got);
  assert_true(mesh != NULL && expected != NULL && got != NULL);
  for (int64_t i = 0; i < SEEDS; i++)
    make_seed(i % 2 ? UNIFORM : ON_CENTERS, level, i, x, y);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_QTM;
  grid.level = level;
  run_options o = {"tile", "avx512", 2, 0, 0};
  question unmasked = q;
  unmasked.mask = NULL;
  run(&grid, &seeds, metric, &o, &unmasked, NULL, mesh);
  grid.kind = r->kind;
  grid.width = r->width;
  grid.height = r->height;
  memcpy(grid.geotransform, r->geotransform, sizeof grid.geotransform);
  grid.inverse = r->kind == GV_GRID_PROJECTED ? inverse_polar : NULL;
  const double *g = r->geotransform;
  for (int64_t i = 0; i < pixels; i++) {
    double lon = g[0] + ((double)(i % r->width) + 0.5) * g[1],
           lat = g[3] + ((double)(i / r->width) + 0.5) * g[5];
    gv_qtm_id id;
    if (grid.inverse != NULL) inverse_polar(&lon, &lat, 1, NULL);
    bool placed = isfinite(lon) && gv_qtm_from_lonlat(level, lon, lat, &id) == GV_OK;
    for (int32_t band = 0; band < q.k; band++)
      expected[band * pixels + i] = placed ? mesh[band * cells + gv_qtm_number(id)] : -7;
  }
  apply_mask(&q, pixels, expected);
  static const run_options variants[] = {{"tile", "avx512", 2, 0, 0},      {"tile", "avx2", 2, 64, 16},
                                         {"tile", "baseline", 1, 37, 100}, {"cuda-tile", "avx512", 2, 64, 32},
                                         {"cuda-tile", "avx512", 2, 0, 0}, {"kdtree", "avx512", 2, 64, 64},
                                         {"openmp", "avx2", 2, 50, 10}};
  const char *only = getenv("GPUVORONOI_TEST_BACKEND");
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    if (q.weighting != GV_UNWEIGHTED && i >= 5) continue;
    if (strcmp(variants[i].backend, "cuda-tile") == 0 && !have_cuda_tile()) continue;
    if (only != NULL && strcmp(variants[i].backend, only) != 0) continue;
    run(&grid, &seeds, metric, &variants[i], &q, NULL, got);
    compare(pixels, level, (int)(r - rasters), SEEDS, metric, &variants[i], &q, expected, got);
  }
  free(mesh);
  free(expected);
  free(got);
  free_question(&q);
}

static void rasters_carry_their_triangles(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof rasters / sizeof *rasters; r++) {
    for (int level = 0; level <= 8; level++) {
      check_raster(&rasters[r], level, GV_GREAT_CIRCLE, false);
      check_raster(&rasters[r], level, GV_GREAT_CIRCLE, true);
      if (level % 3 == 2) {
        check_raster(&rasters[r], level, GV_GEODESIC, false);
        check_raster(&rasters[r], level, GV_GEODESIC, true);
      }
    }
  }
}

/* Rasters of many tiles against `tile`, which the test above compares with the mesh: pixels larger and
 * smaller than triangles, on their edges, and in a part of the globe. */
static void large_rasters_of_triangles_against_tile(void **state) {
  (void)state;
  static const struct {
    raster_case raster;
    int level;
    int64_t seeds;
  } cases[] = {
      {{GV_GRID_LONLAT, 1024, 512, {-180, 360.0 / 1024, 0, 90, 0, -180.0 / 512}}, 7, 2000},
      {{GV_GRID_LONLAT, 1024, 513, {-180, 360.0 / 1024, 0, 90 + 90.0 / 512, 0, -180.0 / 512}}, 8, 50},
      {{GV_GRID_LONLAT, 721, 361, {-180.25, 0.5, 0, -90.25, 0, 0.5}}, 3, 300},
      {{GV_GRID_LONLAT, 500, 250, {-180, 0.72, 0, 90, 0, -0.72}}, 20, 30000},
      {{GV_GRID_LONLAT, 650, 550, {170, 0.04, 0, 90, 0, -0.004}}, 12, 300},
      {{GV_GRID_LONLAT, 750, 350, {-500, 1.4, 0, 30, 0, -0.2}}, 6, 5},
  };
  enum { MOST_K = 12, MOST_SEEDS = 30000 };
  if (!have_cuda_tile()) skip();
  double *x = malloc(MOST_SEEDS * sizeof *x), *y = malloc(MOST_SEEDS * sizeof *y);
  assert_true(x != NULL && y != NULL);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const raster_case *r = &cases[c].raster;
    gv_points seeds = gv_points_xy(x, y, cases[c].seeds);
    int64_t pixels = r->width * r->height;
    int32_t *expected = malloc((size_t)(MOST_K * pixels) * sizeof *expected);
    int32_t *got = malloc((size_t)(MOST_K * pixels) * sizeof *got);
    assert_true(expected != NULL && got != NULL);
    for (int kind = 0; kind < SEED_KINDS; kind++) {
      gv_grid grid;
      gv_grid_init(&grid);
      grid.kind = r->kind;
      grid.width = r->width;
      grid.height = r->height;
      grid.level = cases[c].level;
      memcpy(grid.geotransform, r->geotransform, sizeof grid.geotransform);
      for (int64_t i = 0; i < seeds.count; i++)
        make_seed((seed_kind)kind, cases[c].level, i, x, y);
      bool geodesics = (c + (size_t)kind) % 2 != 0 && far_apart(kind);
      gv_metric metric = geodesics ? GV_GEODESIC : GV_GREAT_CIRCLE;
      question asked[] = {plain, large_question(seeds.count)};
      for (size_t i = 0; i < 2; i++) {
        run_options tile = {"tile", "avx512", 2, 0, 0},
                    device = {"cuda-tile", "avx512", 2, kind % 2 ? 200 : 0, 0};
        run(&grid, &seeds, metric, &tile, &asked[i], NULL, expected);
        run(&grid, &seeds, metric, &device, &asked[i], NULL, got);
        compare(pixels, cases[c].level, kind, seeds.count, metric, &device, &asked[i], expected, got);
      }
    }
    free(expected);
    free(got);
  }
  free(x);
  free(y);
}

/* ---------------------------------------------------------------------------------------------- bad input */

static void bad_levels_and_metrics(void **state) {
  (void)state;
  gv_context *context = NULL;
  double x = 0.0, y = 0.0;
  gv_points seeds = gv_points_xy(&x, &y, 1);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  static const int levels[] = {-2, -1, 21, 30, 2000000000};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    for (gv_grid_kind kind = GV_GRID_LONLAT; kind <= GV_GRID_QTM; kind++) {
      gv_grid grid;
      gv_grid_init(&grid);
      gv_voronoi_options o;
      gv_voronoi_options_init(&o);
      gv_voronoi *voronoi = NULL;
      if (kind == GV_GRID_PROJECTED || (levels[i] == GV_QTM_NONE && kind != GV_GRID_QTM)) continue;
      grid.kind = kind;
      grid.width = grid.height = 1;
      grid.level = levels[i];
      o.metric = GV_GREAT_CIRCLE;
      assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_ERROR_INVALID_ARGUMENT);
      assert_null(voronoi);
      assert_non_null(strstr(gv_context_message(context), "level"));
    }
  }
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi *voronoi = NULL;
  grid.kind = GV_GRID_QTM;
  grid.level = 3;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "euclidean"));
  gv_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Every allocation fails once: an error each time, nothing leaked, and the right answer in the end. */
static void failing_allocations(void **state) {
  (void)state;
  enum { SEEDS = 400, PIXELS = 128 * 64, CELLS = 8 << 8 };
  double x[SEEDS], y[SEEDS];
  for (int64_t i = 0; i < SEEDS; i++)
    make_seed(UNIFORM, 4, i, x, y);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  int32_t *out = malloc(12 * PIXELS * sizeof *out), *expected = malloc(12 * PIXELS * sizeof *expected);
  double weights[SEEDS];
  for (int64_t i = 0; i < SEEDS; i++)
    weights[i] = 1e5 * uniform();
  assert_true(out != NULL && expected != NULL);
  for (int form = 0; form < 4; form++) {
    bool raster = form % 2 != 0;
    question q = plain;
    if (form >= 2) q = (question){12, 3e6, GV_ADDITIVE, weights, NULL};
    const double geotransform[6] = {-180, 360.0 / 128, 0, 90, 0, -180.0 / 64};
    int64_t cells = raster ? PIXELS : CELLS, failures = 0;
    gv_grid grid;
    gv_grid_init(&grid);
    grid.kind = raster ? GV_GRID_LONLAT : GV_GRID_QTM;
    grid.level = 4;
    grid.width = 128;
    grid.height = 64;
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
    run_options calm = {"tile", "avx512", 1, 0, 0};
    run(&grid, &seeds, GV_GREAT_CIRCLE, &calm, &q, NULL, expected);
    for (gv_status status = GV_ERROR_OUT_OF_MEMORY; status != GV_OK; failures++) {
      failing_memory memory = {.fail_at = failures + 1, .for_good = true};
      gv_context_options context_options = failing_options(&memory, 1);
      gv_voronoi_options o;
      gv_voronoi_options_init(&o);
      gv_context *context = NULL;
      gv_voronoi *voronoi = NULL;
      o.metric = GV_GREAT_CIRCLE;
      o.nodata = -7;
      o.k = q.k;
      o.max_distance = q.max_distance;
      o.weighting = q.weighting;
      o.weights = q.weights;
      if (gv_context_create(&context_options, &context) != GV_OK) continue;
      status = gv_voronoi_create(context, &grid, &seeds, &o, &voronoi);
      if (status == GV_OK) status = fill_grid(context, voronoi, out, raster ? 128 : cells);
      assert_true(status == GV_OK || status == GV_ERROR_OUT_OF_MEMORY);
      gv_voronoi_destroy(voronoi);
      gv_context_destroy(context);
      assert_int_equal(memory.live, 0);
    }
    assert_true(failures > 20);
    assert_memory_equal(out, expected, (size_t)(q.k * cells) * sizeof *out);
  }
  free(out);
  free(expected);
}

int main(void) {
  random_state = 7;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_can_run),
      cmocka_unit_test(positions_are_canonical),
      cmocka_unit_test(bounds_hold_their_cells),
      cmocka_unit_test(great_circle),
      cmocka_unit_test(geodesic),
      cmocka_unit_test(large_meshes_against_tile),
      cmocka_unit_test(rasters_carry_their_triangles),
      cmocka_unit_test(large_rasters_of_triangles_against_tile),
      cmocka_unit_test(bad_levels_and_metrics),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
