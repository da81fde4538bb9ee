/* Positions and bounds of tiles. */
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells/grid.h"

static uint64_t random_state = 7;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

static void sines_are_exact_at_right_angles(void **state) {
  (void)state;
  static const double sines[] = {0, 1, 0, -1}, cosines[] = {1, 0, -1, 0};
  for (int k = -2; k <= 2; k++) {
    double s, c;
    double angle = 90.0 * k;
    gv_sincos_degrees(1, &angle, &s, &c);
    assert_true(s == sines[((k % 4) + 4) % 4] && c == cosines[((k % 4) + 4) % 4]);
  }
  for (int i = 0; i < 100000; i++) {
    double degrees = 360.0 * uniform() - 180.0, s, c;
    gv_sincos_degrees(1, &degrees, &s, &c);
    long double radians = (long double)degrees * 3.14159265358979323846264338327950288L / 180.0L;
    assert_true(fabsl(s - sinl(radians)) < 3e-16L && fabsl(c - cosl(radians)) < 3e-16L);
  }
}

/* All instruction sets give the same bits, for every length of array. */
static void positions_are_the_same_everywhere(void **state) {
  (void)state;
  enum { N = 1003 };
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  static double lon[N], lat[N], x[3][N], y[3][N], z[3][N];
  gv_ellipsoid ellipsoid;
  assert_int_equal(gv_ellipsoid_init(NULL, 0.0, 0.0, &ellipsoid), GV_OK);
  for (int geocentric = 0; geocentric < 2; geocentric++) {
    for (int i = 0; i < N; i++) {
      lon[i] = i % 10 == 0 ? 45.0 * (i / 10 % 8) - 135.0 : 360.0 * uniform() - 180.0;
      lat[i] = i % 10 == 1 ? 45.0 * (i / 10 % 5) - 90.0 : 180.0 * uniform() - 90.0;
    }
    for (int level = 0; level < 3; level++) {
      assert_int_equal(setenv("GPUVORONOI_SIMD", levels[level], 1), 0);
      for (int first = 0; first < N; first += 17) {
        int n = first + 17 < N ? 17 : N - first;
        gv_lonlat_to_vectors(&ellipsoid, geocentric, n, lon + first, lat + first, x[level] + first,
                             y[level] + first, z[level] + first);
      }
      assert_memory_equal(x[0], x[level], sizeof x[0]);
      assert_memory_equal(y[0], y[level], sizeof y[0]);
      assert_memory_equal(z[0], z[level], sizeof z[0]);
    }
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
}

static void equal_places_have_equal_positions(void **state) {
  (void)state;
  static const double same[][4] = {{180, 10, -180, 10}, {0, 90, 77, 90},   {-540, 3, 180, 3},
                                   {360, 0, 0, -0.0},   {13, -90, 0, -90}, {725, 12, 5, 12}};
  gv_ellipsoid ellipsoid;
  assert_int_equal(gv_ellipsoid_init(NULL, 0.0, 0.0, &ellipsoid), GV_OK);
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    double a[2] = {same[i][0], same[i][1]}, b[2] = {same[i][2], same[i][3]}, u[3], v[3];
    gv_normalize_lonlat(&a[0], &a[1]);
    gv_normalize_lonlat(&b[0], &b[1]);
    assert_memory_equal(a, b, sizeof a);
    gv_lonlat_to_vectors(&ellipsoid, i % 2, 1, &a[0], &a[1], &u[0], &u[1], &u[2]);
    gv_lonlat_to_vectors(&ellipsoid, i % 2, 1, &b[0], &b[1], &v[0], &v[1], &v[2]);
    assert_memory_equal(u, v, sizeof u);
  }
}

/* Every cell of a tile lies in its zonotope: checked by its coordinates along orthogonal generators. */
static void check_bound(const gv_cells *cells, const gv_tile *tile) {
  gv_bound bound;
  gv_cells_bound(cells, tile, &bound);
  int64_t n = (tile->c1 - tile->c0) * (tile->r1 - tile->r0);
  double *position = malloc((size_t)n * 3 * sizeof *position);
  assert_non_null(position);
  double *x = position, *y = position + n, *z = position + 2 * n;
  assert_int_equal(gv_cells_positions(NULL, cells, tile, x, y, z, NULL, NULL, NULL), GV_OK);
  double room = 4.0 * cells->position_error;
  for (int64_t i = 0; i < n; i++) {
    double d[3] = {x[i] - bound.center[0], y[i] - bound.center[1],
                   cells->dim == 3 ? z[i] - bound.center[2] : 0.0};
    assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) <= bound.radius + room);
    for (int k = 0; k < cells->dim; k++) {
      const double *g = bound.generator[k];
      double along = fabs(d[0] * g[0] + d[1] * g[1] + d[2] * g[2]),
             length2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
      assert_true(along <= length2 + room * sqrt(length2));
    }
  }
  free(position);
}

static void bounds_hold_their_cells(void **state) {
  (void)state;
  static const double globes[][6] = {{-180, 1.0, 0, 90, 0, -1.0},
                                     {0, 3.6, 0, -90, 0, 1.8},
                                     {170, 0.01, 0, 90, 0, -0.001},
                                     {-700, 11, 0, 85, 0, -1}};
  static const gv_metric metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC};
  static const double flattenings[] = {1.0 / 298.257223563, 0.1, 0.0, -0.05};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t g = 0; g < sizeof globes / sizeof *globes; g++) {
    for (int f = 0; f < 8; f++) {
      gv_grid grid;
      gv_grid_init(&grid);
      gv_cells cells;
      grid.kind = GV_GRID_LONLAT;
      grid.width = 120;
      grid.height = 100;
      grid.semi_major = 6378137.0;
      grid.flattening = flattenings[f / 2];
      memcpy(grid.geotransform, globes[g], sizeof grid.geotransform);
      assert_int_equal(gv_cells_init(context, &grid, metrics[f % 2], &cells), GV_OK);
      for (int i = 0; i < 60; i++) {
        gv_tile tile;
        tile.c0 = (int64_t)(uniform() * 120);
        tile.c1 = tile.c0 + 1 + (int64_t)(uniform() * (double)(120 - tile.c0));
        tile.r0 = (int64_t)(uniform() * 100);
        tile.r1 = tile.r0 + 1 + (int64_t)(uniform() * (double)(100 - tile.r0));
        check_bound(&cells, &tile);
      }
      gv_tile all = {0, 120, 0, 100};
      check_bound(&cells, &all);
      gv_cells_clear(&cells);
    }
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sines_are_exact_at_right_angles),
      cmocka_unit_test(positions_are_the_same_everywhere),
      cmocka_unit_test(equal_places_have_equal_positions),
      cmocka_unit_test(bounds_hold_their_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
