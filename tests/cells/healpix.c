/* HEALPix: numbers, centers, authalic latitudes by their definition, and bounds that hold the centers of all
 * descendants. */
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound_holds.h"
#include "cells/healpix.h"
#include "cells/parts.h"
#include "gpuvoronoi/cells.h"

static const double pi = 3.14159265358979323846;

static uint64_t random_state = 5;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

static int64_t random_number(int order) {
  int64_t number = (int64_t)(uniform() * (double)gv_healpix_count(order));
  return number < gv_healpix_count(order) ? number : 0;
}

static void numbers_of_both_schemes(void **state) {
  (void)state;
  assert_int_equal(gv_healpix_count(0), 12);
  assert_int_equal(gv_healpix_count(-1), 0);
  assert_int_equal(gv_healpix_count(GV_HEALPIX_MAX_ORDER + 1), 0);
  for (int order = 0; order <= 5; order++) {
    int64_t count = gv_healpix_count(order);
    bool *seen = calloc((size_t)count, sizeof *seen);
    double *lon = malloc((size_t)count * sizeof *lon), *lat = malloc((size_t)count * sizeof *lat);
    assert_true(seen != NULL && lon != NULL && lat != NULL);
    for (int64_t n = 0; n < count; n++) {
      int64_t ring = gv_healpix_to_ring(order, n);
      assert_in_range(ring, 0, count - 1);
      assert_false(seen[ring]);
      seen[ring] = true;
      assert_int_equal(gv_healpix_from_ring(order, ring), n);
      assert_int_equal(gv_healpix_center(order, n, &lon[ring], &lat[ring]), GV_OK);
      if (lon[ring] < 0.0) lon[ring] += 360.0;
    }
    /* Rings from north to south, in each from west to east. */
    for (int64_t i = 1; i < count; i++)
      assert_true(lat[i] < lat[i - 1] - 1e-9 || (fabs(lat[i] - lat[i - 1]) < 1e-12 && lon[i] > lon[i - 1]));
    free(seen);
    free(lon);
    free(lat);
  }
  for (int order = 6; order <= GV_HEALPIX_MAX_ORDER; order++) {
    for (int i = 0; i < 2000; i++) {
      int64_t n = random_number(order);
      assert_int_equal(gv_healpix_from_ring(order, gv_healpix_to_ring(order, n)), n);
    }
  }
  double lon, lat;
  assert_int_equal(gv_healpix_to_ring(3, -1), -1);
  /* the pixel before the bound, and the bound */
  for (int order = 0; order <= GV_HEALPIX_MAX_ORDER; order++) {
    int64_t count = gv_healpix_count(order);
    assert_in_range(gv_healpix_to_ring(order, count - 1), 0, count - 1);
    assert_in_range(gv_healpix_from_ring(order, count - 1), 0, count - 1);
    assert_int_equal(gv_healpix_to_ring(order, count), -1);
    assert_int_equal(gv_healpix_from_ring(order, count), -1);
  }
  assert_int_equal(gv_healpix_to_ring(-1, 0), -1);
  assert_int_equal(gv_healpix_to_ring(GV_HEALPIX_MAX_ORDER + 1, 0), -1);
  assert_int_equal(gv_healpix_from_ring(3, 768), -1);
  assert_int_equal(gv_healpix_center(3, 768, &lon, &lat), GV_ERROR_INVALID_ARGUMENT);
}

/* Of pixels of the paper's figures. */
static void known_centers(void **state) {
  (void)state;
  static const struct {
    int order;
    int64_t number;
    double lon, z;
  } known[] = {{0, 0, 45, 2.0 / 3},  {0, 4, 0, 0},           {0, 8, 45, -2.0 / 3},     {0, 6, 180, 0},
               {1, 0, 45, 1.0 / 3},  {1, 3, 45, 11.0 / 12},  {1, 1, 67.5, 2.0 / 3},    {1, 2, 22.5, 2.0 / 3},
               {1, 16, 0, -1.0 / 3}, {1, 47, -45, -1.0 / 3}, {2, 15, 45, 1 - 1.0 / 48}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double lon, lat;
    assert_int_equal(gv_healpix_center(known[i].order, known[i].number, &lon, &lat), GV_OK);
    assert_true(fabs(lon - known[i].lon) < 1e-13 && fabs(sin(lat * pi / 180.0) - known[i].z) < 1e-15);
  }
}

/* q of the sine of a geodetic latitude, over that of a pole: the sine of the authalic latitude. */
static long double authalic_sine(long double s, long double e2) {
  long double e = sqrtl(e2), pole = 1.0L + (1.0L - e2) / e * atanhl(e);
  return ((1.0L - e2) * (s / (1.0L - e2 * s * s) + atanhl(e * s) / e)) / pole;
}

static void authalic_latitudes(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    double flattening = f == 0 ? 1.0 / 298.257223563 : 0.02;
    gv_ellipsoid e = {6378137.0, flattening, flattening * (2.0 - flattening)};
    gv_healpix h, plain;
    gv_healpix_make(9, false, true, &e, &h);
    gv_healpix_make(9, false, false, &e, &plain);
    for (int i = 0; i < 3000; i++) {
      int64_t n = i < 4 ? i * (gv_healpix_count(9) - 1) / 3 : random_number(9);
      double x, y, z, u, v, w, lon, lat;
      gv_healpix_positions(&h, NULL, n, 1, &x, &y, &z);
      gv_healpix_positions(&plain, NULL, n, 1, &u, &v, &w);
      assert_true(fabsl(authalic_sine((long double)z, (long double)e.eccentricity2) - (long double)w) <
                  (f == 0 ? 1e-15L : 3e-12L));
      assert_true(fabs(x * x + y * y + z * z - 1.0) < 1e-15);
      gv_healpix_lonlat(&h, n, &lon, &lat);
      assert_true(fabs(sin(lat * pi / 180.0) - z) < 1e-15);
    }
  }
}

/* A center is in its pixel, and so are places near it; at places on edges, poles and full turns too a pixel
 * is found. */
static void places_in_pixels(void **state) {
  (void)state;
  double lon, lat;
  int64_t found;
  for (int order = 0; order <= GV_HEALPIX_MAX_ORDER; order++) {
    const int64_t count = gv_healpix_count(order), few = order < 5 ? count : 5000;
    const double near = 0.2 * sqrt(41253.0 / (double)count);
    for (int64_t i = 0; i < few; i++) {
      const int64_t n = order < 5 ? i : random_number(order);
      assert_int_equal(gv_healpix_center(order, n, &lon, &lat), GV_OK);
      for (int turn = -1; turn <= 1; turn++) {
        assert_int_equal(gv_healpix_from_lonlat(order, lon + 360.0 * turn, lat, &found), GV_OK);
        assert_int_equal(found, n);
      }
      for (int side = -1; side <= 1; side += 2) {
        assert_int_equal(gv_healpix_from_lonlat(order, lon, lat + side * near, &found), GV_OK);
        assert_int_equal(found, n);
      }
    }
    for (double x = -720.0; x <= 720.0; x += 22.5) {
      for (double y = -90.0; y <= 90.0; y += 15.0) {
        assert_int_equal(gv_healpix_from_lonlat(order, x, y, &found), GV_OK);
        assert_true(found >= 0 && found < count);
      }
    }
  }
  found = 7;
  assert_int_equal(gv_healpix_from_lonlat(2, 0.0, 90.1, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_healpix_from_lonlat(2, (double)INFINITY, 0.0, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_healpix_from_lonlat(2, 0.0, (double)NAN, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_healpix_from_lonlat(-1, 0.0, 0.0, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_healpix_from_lonlat(2, 0.0, 0.0, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(found, 7);
}

static void positions_do_not_depend_on_the_span(void **state) {
  (void)state;
  static const char *const simd[] = {"baseline", "avx2", "avx512"};
  enum { SPAN = 130 };
  gv_ellipsoid e = {6378137.0, 0.003, 0.003 * (2.0 - 0.003)};
  double all[3][3][SPAN], one[3];
  for (int s = 0; s < 3; s++) {
    gv_healpix h;
    assert_int_equal(setenv("GPUVORONOI_SIMD", simd[s], 1), 0);
    gv_healpix_make(4, false, true, &e, &h);
    gv_healpix_span_positions(&h, &e, 77, SPAN, all[s][0], all[s][1], all[s][2]);
    for (int part = 0; part < 12 * 4; part++) { /* eight by eight of all faces */
      double square[3][64];
      gv_healpix_positions(&h, &e, 64 * part, 64, square[0], square[1], square[2]);
      for (int i = 0; i < 64; i++) {
        gv_healpix_positions(&h, &e, 64 * part + i, 1, &one[0], &one[1], &one[2]);
        for (int d = 0; d < 3; d++)
          assert_true(one[d] == square[d][i]);
      }
    }
    for (int i = 0; i < SPAN; i++) {
      gv_healpix_positions(&h, &e, 77 + i, 1, &one[0], &one[1], &one[2]);
      for (int d = 0; d < 3; d++)
        assert_true(one[d] == all[s][d][i] && one[d] == all[0][d][i]);
    }
  }
}

static void check_bound(const gv_healpix *h, const gv_ellipsoid *e, double curvature, int bits, int64_t index,
                        int samples) {
  gv_bound bound;
  int64_t first = index << 2 * bits, cells = INT64_C(1) << 2 * bits;
  gv_healpix_bound(h, e, curvature, bits, first, &bound);
  for (int64_t i = 0; i < (samples > 0 ? samples : cells); i++) {
    double v[3];
    int64_t at = samples > 0 ? (int64_t)(uniform() * (double)cells) : i;
    gv_healpix_positions(h, e, first + at, 1, &v[0], &v[1], &v[2]);
    assert_true(bound_holds(&bound, v));
  }
}

static void bounds_hold_their_cells(void **state) {
  (void)state;
  gv_ellipsoid globe[] = {
      {6378137.0, 0.0, 0.0},
      {6378137.0, 1.0 / 298.257223563, (1.0 / 298.257223563) * (2.0 - 1.0 / 298.257223563)},
      {6378137.0, 0.02, 0.02 * 1.98},
      {6378137.0, -0.02, -0.02 * 2.02}};
  for (int e = -1; e < 4; e++) {
    const gv_ellipsoid *ellipsoid = e < 0 ? NULL : &globe[e];
    for (int authalic = 0; authalic < 2; authalic++) {
      double curvature = e < 0 ? 1.0 : 1.0 / pow(1.0 - fabs(globe[e].flattening), 6.0);
      for (int order = 0; order <= GV_HEALPIX_MAX_ORDER; order++) {
        gv_healpix h;
        gv_healpix_make(order, false, authalic != 0, &globe[e < 0 ? 1 : e], &h);
        for (int bits = 0; bits <= order; bits++) {
          int64_t parts = INT64_C(12) << 2 * (order - bits);
          for (int i = 0; i < 24; i++)
            check_bound(&h, ellipsoid, curvature, bits, parts <= 24 ? i % parts : random_number(order - bits),
                        bits < 3 ? 0 : 20);
        }
        /* All pixels of coarse orders, with the farthest of their descendants: those at the corners. */
        for (int bits = 0; order == 8 && bits <= order; bits++) {
          int64_t parts = INT64_C(12) << 2 * (order - bits), step = parts > 3000 ? 7 : 1;
          for (int64_t i = 0; i < parts; i += step) {
            gv_bound bound;
            int64_t first = i << 2 * bits, last = (INT64_C(1) << 2 * bits) - 1, x_bits = last / 3;
            const int64_t corner[4] = {0, last, x_bits, last - x_bits};
            gv_healpix_bound(&h, ellipsoid, curvature, bits, first, &bound);
            for (int c = 0; c < 4; c++) {
              double v[3];
              gv_healpix_positions(&h, ellipsoid, first + corner[c], 1, &v[0], &v[1], &v[2]);
              assert_true(bound_holds(&bound, v));
            }
          }
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_both_schemes), cmocka_unit_test(known_centers),
      cmocka_unit_test(authalic_latitudes),      cmocka_unit_test(positions_do_not_depend_on_the_span),
      cmocka_unit_test(bounds_hold_their_cells), cmocka_unit_test(places_in_pixels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
