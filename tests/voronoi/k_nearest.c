/*
 * Small differences decide neighbors and weights: margins that are too small, and memory that is too short,
 * must show. All results are those of `serial`.
 */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <geodesic.h>
#include <math.h>
#include <stdlib.h>

#include "guarded_memory.h"
#include "split_mix.h"
#include "voronoi/widen.h"

enum { ROWS = 16, COLUMNS = 32, MOST_CELLS = 4 * ROWS * COLUMNS, MOST_SEEDS = 700 };

static uint64_t random_state;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&random_state) >> 11) * 0x1p-53;
}

static double x[MOST_SEEDS], y[MOST_SEEDS], weight[MOST_SEEDS];

/* memory: of guarded_options, or NULL. */
static void answer(bool *memory, const char *backend, const gv_grid *grid, const gv_points *seeds,
                   gv_voronoi_options *o, int32_t *out) {
  gv_context_options options;
  gv_context_options_init(&options);
  if (memory != NULL) options = guarded_options(memory, 1);
  options.threads = 1;
  gv_context *context = NULL;
  gv_voronoi *v = NULL;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  o->backend = backend;
  if (gv_voronoi_create(context, grid, seeds, o, &v) != GV_OK ||
      fill_grid(context, v, out, grid->width) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
}

/* Each time with the next supported instruction set. `guarded`: in memory that ends, or begins, at an
 * inaccessible page. */
static void check(bool guarded, const gv_grid *grid, const gv_points *seeds, gv_voronoi_options *o,
                  const char *what) {
  static int32_t expected[GV_VORONOI_MAX_K * MOST_CELLS], got[GV_VORONOI_MAX_K * MOST_CELLS];
  static const char *const simd[] = {"avx512", "avx2", "baseline"};
  static int turn = 0;
  int64_t cells = grid->width * grid->height;
  turn = (turn + 1) % 3;
  assert_int_equal(setenv("GPUVORONOI_SIMD", simd[turn], 1), 0);
  answer(NULL, "serial", grid, seeds, o, expected);
  for (int first = 0; first < 1 + guarded; first++) {
    memset(got, 0x55, sizeof got);
    answer(guarded ? &(bool){first == 1} : NULL, "tile", grid, seeds, o, got);
    for (int64_t i = 0; i < o->k * cells; i++) {
      if (got[i] != expected[i])
        fail_msg(
            "%s, %s, %lld seeds, k %d, weighting %d: %d at column %lld, row %lld, rank %lld; serial says %d",
            what, simd[turn], (long long)seeds->count, (int)o->k, (int)o->weighting, (int)got[i],
            (long long)(i % cells % grid->width), (long long)(i % cells / grid->width),
            (long long)(i / cells), (int)expected[i]);
    }
  }
}

static gv_grid grid_of(gv_grid_kind kind, int64_t width, int64_t height, double west, double north,
                       double across, double turned, double down) {
  gv_grid grid;
  gv_grid_init(&grid);
  const double geotransform[6] = {west, across, turned, north, turned, down};
  grid.kind = kind;
  grid.width = width;
  grid.height = height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Seeds on a ring around one leaf, all equally near to it: the buffers of a leaf have their largest size, and
 * are allocated once. */
static void leaves_within_their_memory(void **state) {
  (void)state;
  const gv_grid grids[] = {grid_of(GV_GRID_PLANE, COLUMNS, ROWS, -16.0, 8.0, 1.0, 0.0, -1.0),
                           grid_of(GV_GRID_PLANE, COLUMNS, ROWS, -16.0, 8.0, 1.0, 0.1, -1.0),
                           grid_of(GV_GRID_LONLAT, COLUMNS, ROWS, -0.16, 0.08, 0.01, 0.0, -0.01)};
  static const int64_t counts[] = {3, 40, 128, 300, MOST_SEEDS};
  static const int32_t ks[] = {1, 3, GV_VORONOI_MAX_K};
  random_state = 3;
  for (int g = 0; g < 3; g++) {
    bool globe = grids[g].kind == GV_GRID_LONLAT;
    double radius = globe ? 10.0 : 1000.0, meters = globe ? 111e3 : 1.0, leaf = globe ? 0.1 : 10.0;
    for (int turn = 0; turn < 5 * 3 * 3; turn++) {
      gv_voronoi_options o;
      gv_voronoi_options_init(&o);
      gv_points seeds = gv_points_xy(x, y, counts[turn % 5]);
      o.k = ks[turn / 5 % 3];
      o.weighting = (gv_weighting)(turn / 15);
      o.weights = o.weighting != GV_UNWEIGHTED ? weight : NULL;
      o.metric = globe           ? (turn % 2 == 0 ? GV_GREAT_CIRCLE : GV_GEODESIC)
                 : turn % 3 == 0 ? GV_MANHATTAN
                                 : GV_EUCLIDEAN;
      for (int64_t i = 0; i < seeds.count; i++) {
        double angle = 6.283185307179586 * (double)i / (double)seeds.count;
        x[i] = radius * cos(angle);
        y[i] = radius * sin(angle);
        weight[i] =
            o.weighting == GV_ADDITIVE ? uniform(0.0, leaf * meters) : uniform(1.0, 1.0 + leaf / radius);
      }
      check(true, &grids[g], &seeds, &o, "ring");
    }
  }
}

/* ------------------------------------------------------------------------------------------------ margins */

/* Three seeds on a circle around a leaf's middle cell; the bisector of two of them passes within a hair of
 * another cell. What their values are apart by there is less than floats' roundings of these, although the
 * middle cell is as far from all three. */
static void bisectors_through_the_middle(void **state) {
  (void)state;
  gv_grid grid = grid_of(GV_GRID_PLANE, 2 * COLUMNS, 2 * ROWS, 0.0, 0.0, 100.0, 0.0, 100.0);
  const double middle[2] = {100.0 * (COLUMNS + 0.5), 100.0 * (ROWS + 0.5)};
  random_state = 8;
  for (int turn = 0; turn < 300; turn++) {
    double across = floor(uniform(-31.0, 32.0)), down = floor(uniform(-15.0, 16.0)),
           radius = uniform(300.0, 3000.0);
    double towards = atan2(down, across) + uniform(-1e-8, 1e-8), apart = uniform(0.1, 1.5);
    double angle[3] = {uniform(0.0, 6.28), towards - apart, towards + apart};
    for (int i = 0; i < 3; i++) {
      x[i] = middle[0] + radius * cos(angle[i]);
      y[i] = middle[1] + radius * sin(angle[i]);
    }
    gv_points seeds = gv_points_xy(x, y, 3);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    o.k = 3;
    check(false, &grid, &seeds, &o, "bisector");
  }
}

/* Weighted geodesics to so many seeds, close together and far away, that a leaf is computed in halves, and a
 * limit just short of one of its cells, which chords leave open: one seed is clearly first where seeds are
 * near enough. */
static void limits_of_leaves_in_pieces(void **state) {
  (void)state;
  gv_grid grid = grid_of(GV_GRID_LONLAT, COLUMNS, ROWS, 60.0, 10.0, 0.1, 0.0, -0.1);
  enum { SEEDS = 300, FIRST = 7 };
  struct geod_geodesic wgs84;
  geod_init(&wgs84, 6378137.0, 1.0 / 298.257223563);
  random_state = 4;
  for (int64_t i = 0; i < SEEDS; i++) {
    x[i] = uniform(0.0, 1e-5);
    y[i] = uniform(0.0, 1e-5);
    weight[i] = i == FIRST ? 0.0 : uniform(1e5, 2e5);
  }
  for (int column = 2; column < COLUMNS; column += 9) {
    gv_points seeds = gv_points_xy(x, y, SEEDS);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    double distance, ignored;
    geod_inverse(&wgs84, y[FIRST], x[FIRST], 10.0 - 0.1 * (ROWS - 0.5), 60.0 + 0.1 * (column + 0.5),
                 &distance, &ignored, &ignored);
    o.metric = GV_GEODESIC;
    o.weighting = GV_ADDITIVE;
    o.weights = weight;
    o.max_distance = distance - 100.0;
    check(false, &grid, &seeds, &o, "limit");
  }
}

/* Each chord must be clear of the next, from the first to the last, by more than what geodesics may be
 * off. */
static void chords_that_decide(void **state) {
  (void)state;
  const gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563, (2.0 - 1.0 / 298.257223563) / 298.257223563};
  enum { COUNT = 5 };
  gv_geodesic geodesic;
  gv_geodesic_init(&wgs84, &geodesic);
  double chord2[COUNT] = {0.01};
  for (int i = 1; i < COUNT; i++)
    chord2[i] = chord2[i - 1] + 2.0 * gv_geodesic_slack(&geodesic, sqrt(chord2[i - 1]));
  for (int32_t count = 0; count <= COUNT; count++)
    assert_true(gv_chords_decide(&geodesic, chord2, count));
  for (int i = 0; i + 1 < COUNT; i++) {
    double next = chord2[i + 1], least = chord2[i] + gv_geodesic_slack(&geodesic, sqrt(chord2[i]));
    chord2[i + 1] = least;
    assert_false(gv_chords_decide(&geodesic, chord2, COUNT));
    assert_true(gv_chords_decide(&geodesic, chord2, i + 1));
    chord2[i + 1] = nextafter(least, INFINITY);
    assert_true(gv_chords_decide(&geodesic, chord2, i + 2));
    chord2[i + 1] = next;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_within_their_memory),
      cmocka_unit_test(bisectors_through_the_middle),
      cmocka_unit_test(limits_of_leaves_in_pieces),
      cmocka_unit_test(chords_that_decide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
