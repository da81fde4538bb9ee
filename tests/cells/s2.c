/* S2 cells: ids and centers of s2geometry, areas, and bounds that hold the centers of all descendants. */
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound_holds.h"
#include "cells/parts.h"
#include "cells/s2.h"
#include "gpuvoronoi/cells.h"

static const double pi = 3.14159265358979323846;

static uint64_t random_state = 11;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

static int64_t random_number(int level) {
  int64_t number = (int64_t)(uniform() * (double)gv_s2_count(level));
  return number < gv_s2_count(level) ? number : 0;
}

/* Of s2geometry 0.10 (S2CellId, S2Cell::ExactArea). */
static void known_cells(void **state) {
  (void)state;
  static const struct {
    int level;
    int64_t number;
    uint64_t id;
    double lon, lat, area;
  } known[] = {
      {0, 0, UINT64_C(0x1000000000000000), 0, 0, 2.0943951023931948},
      {0, 1, UINT64_C(0x3000000000000000), 90, 0, 2.0943951023931948},
      {0, 2, UINT64_C(0x5000000000000000), 0, 90, 2.0943951023931948},
      {0, 3, UINT64_C(0x7000000000000000), 180, 0, 2.0943951023931948},
      {0, 4, UINT64_C(0x9000000000000000), -90, 0, 2.0943951023931948},
      {0, 5, UINT64_C(0xb000000000000000), 0, -90, 2.0943951023931948},
      {1, 12, UINT64_C(0x6400000000000000), 157.38013505195957, 21.037511025421818, 0.52359877559829882},
      {1, 10, UINT64_C(0x5400000000000000), -135, 59.491041133797204, 0.52359877559829882},
      {2, 33, UINT64_C(0x4300000000000000), 74.744881296942225, 54.525961350264652, 0.1269596262242963},
      {5, 1665, UINT64_C(0x340c000000000000), 117.17353159273283, 21.740558748922894, 0.0023888663460165374},
      {9, 298844, UINT64_C(0x247ae40000000000), 69.955033824484119, -12.140113693507837,
       9.8753538473097577e-06},
      {13, 43889197, UINT64_C(0x14ed916c00000000), 29.678887683648593, 33.715595403279636,
       2.9918135633710185e-08},
      {18, 11544872091, UINT64_C(0x560418937000000), -5.4216108676934311, -0.36891123997926151,
       2.9208353961494666e-11},
      {18, 390464066813, UINT64_C(0xb5d2f1a9fb000000), 33.758983919691595, -49.808894514923367,
       3.1545429673109824e-11},
      {18, 357066401120, UINT64_C(0xa645a1cac1000000), -168.47905103901437, -58.239101645746679,
       3.1265200673694504e-11},
      {18, 412316860415, UINT64_C(0xbfffffffff000000), -45, -35.264527060457048, 1.9914916954301134e-11},
  };
  double lon, lat;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    assert_true(gv_s2_id(known[i].level, known[i].number) == known[i].id);
    assert_int_equal(gv_s2_center(known[i].level, known[i].number, &lon, &lat), GV_OK);
    assert_true(fabs(lon - known[i].lon) < 1e-13 * 180.0 && fabs(lat - known[i].lat) < 1e-13 * 90.0);
    /* s2geometry's corners are rounded, which limits the precision of the areas of small cells. */
    double error = 1e-13 + ldexp(4e-16, known[i].level);
    assert_true(fabs(gv_s2_solid_angle(known[i].level, known[i].number) / known[i].area - 1.0) < error);
  }
  assert_true(gv_s2_count(-1) == 0 && gv_s2_count(GV_S2_MAX_LEVEL + 1) == 0 && gv_s2_count(2) == 96);
  assert_true(gv_s2_id(2, 96) == 0 && gv_s2_id(2, -1) == 0);
  assert_int_equal(gv_s2_center(2, 96, &lon, &lat), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_s2_center(2, 0, NULL, &lat), GV_ERROR_INVALID_ARGUMENT);
}

/* Children make up their parent; the largest cell is within the limit. */
static void areas(void **state) {
  (void)state;
  for (int level = 0; level < GV_S2_MAX_LEVEL; level++) {
    double sum = 0.0, largest = 0.0;
    int64_t cells = gv_s2_count(level), looked_at = level <= 6 ? cells : 2000;
    for (int64_t i = 0; i < looked_at; i++) {
      int64_t number = level <= 6 ? i : random_number(level);
      double own = gv_s2_solid_angle(level, number), below = 0.0;
      for (int child = 0; child < 4; child++)
        below += gv_s2_solid_angle(level + 1, 4 * number + child);
      assert_true(fabs(below / own - 1.0) < 1e-13);
      sum += own;
      largest = own > largest ? own : largest;
    }
    assert_true(ldexp(largest, 2 * level) < GV_S2_LARGEST_SOLID_ANGLE);
    if (level <= 6) assert_true(fabs(sum / (4.0 * pi) - 1.0) < 1e-13);
  }
}

static void positions_do_not_depend_on_the_span(void **state) {
  (void)state;
  static const char *const simd[] = {"baseline", "avx2", "avx512"};
  enum { SPAN = 200 };
  gv_ellipsoid e = {6378137.0, 0.003, 0.003 * (2.0 - 0.003)};
  for (int level = 0; level <= 5; level++) {
    double all[3][3][SPAN], one[3], lon, lat;
    int64_t first = level < 3 ? 1 : 77, count = gv_s2_count(level) - first;
    if (count > SPAN) count = SPAN;
    for (int s = 0; s < 3; s++) {
      gv_s2 s2;
      assert_int_equal(setenv("GPUVORONOI_SIMD", simd[s], 1), 0);
      gv_s2_make(level, true, &e, &s2);
      gv_s2_positions(&s2, &e, first, count, all[s][0], all[s][1], all[s][2]);
      for (int64_t i = 0; i < count; i++) {
        gv_s2_positions(&s2, &e, first + i, 1, &one[0], &one[1], &one[2]);
        for (int d = 0; d < 3; d++)
          assert_true(one[d] == all[s][d][i] && one[d] == all[0][d][i]);
        gv_s2_positions(&s2, NULL, first + i, 1, &one[0], &one[1], &one[2]);
        gv_s2_lonlat(&s2, first + i, &lon, &lat);
        assert_true(fabs(sin(lat * pi / 180.0) - one[2]) < 1e-15);
        assert_true(fabs(one[0] * one[0] + one[1] * one[1] + one[2] * one[2] - 1.0) < 1e-15);
      }
    }
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
    double curvature = e < 0 ? 1.0 : 1.0 / pow(1.0 - fabs(globe[e].flattening), 6.0);
    for (int authalic = 0; authalic < 2; authalic++) {
      for (int level = 0; level <= GV_S2_MAX_LEVEL; level++) {
        gv_s2 s2;
        gv_s2_make(level, authalic != 0, &globe[e < 0 ? 1 : e], &s2);
        for (int bits = 0; bits <= level; bits++) {
          int64_t parts = gv_s2_count(level - bits), cells = INT64_C(1) << 2 * bits;
          for (int i = 0; i < 24; i++) {
            int64_t first = (parts <= 24 ? i % parts : random_number(level - bits)) << 2 * bits;
            gv_bound bound;
            gv_s2_bound(&s2, ellipsoid, curvature, bits, first, &bound);
            for (int64_t k = 0; k < (bits < 3 ? cells : 40); k++) {
              double v[3];
              /* the ends of the curve, which are at corners, and others */
              int64_t at = bits < 3 ? k
                           : k == 0 ? 0
                           : k == 1 ? cells - 1
                                    : (int64_t)(uniform() * (double)cells);
              gv_s2_positions(&s2, ellipsoid, first + at, 1, &v[0], &v[1], &v[2]);
              assert_true(bound_holds(&bound, v));
            }
          }
        }
      }
    }
  }
}

/* The number of a center's direction is the cell's own, and a finer one is of a descendant. */
static void curve_numbers(void **state) {
  (void)state;
  gv_s2_curve curve;
  const gv_ellipsoid sphere = {1.0, 0.0, 0.0};
  gv_s2_curve_make(&curve);
  for (int level = 0; level <= GV_S2_MAX_LEVEL; level += GV_S2_CURVE_LEVELS) {
    gv_s2 s2;
    gv_s2_make(level, false, &sphere, &s2);
    for (int i = 0; i < 4000; i++) {
      double at[3], length = 0.25 + 4.0 * uniform();
      int64_t number = level <= 3 ? i % gv_s2_count(level) : random_number(level);
      gv_s2_positions(&s2, NULL, number, 1, &at[0], &at[1], &at[2]);
      for (int d = 0; d < 3; d++)
        at[d] *= length;
      assert_true(gv_s2_curve_number(&curve, level, at) == number);
      assert_true(gv_s2_curve_number(&curve, GV_S2_CURVE_MOST, at) >> 2 * (GV_S2_CURVE_MOST - level) ==
                  number);
    }
  }
}

/* A center is in its cell, and in all coarser cells that contain it; a cell is found everywhere. */
static void places_in_cells(void **state) {
  (void)state;
  double lon, lat;
  int64_t found;
  for (int level = 0; level <= GV_S2_MAX_LEVEL; level++) {
    const int64_t count = gv_s2_count(level), few = level < 5 ? count : 5000;
    for (int64_t i = 0; i < few; i++) {
      const int64_t n = level < 5 ? i : random_number(level);
      assert_int_equal(gv_s2_center(level, n, &lon, &lat), GV_OK);
      for (int turn = -1; turn <= 1; turn++) {
        assert_int_equal(gv_s2_from_lonlat(level, lon + 360.0 * turn, lat, &found), GV_OK);
        assert_int_equal(found, n);
      }
      if (level < 2) continue;
      assert_int_equal(gv_s2_from_lonlat(level - 2, lon, lat, &found), GV_OK);
      assert_int_equal(found, n >> 4);
    }
    for (double x = -720.0; x <= 720.0; x += 22.5) {
      for (double y = -90.0; y <= 90.0; y += 15.0) {
        assert_int_equal(gv_s2_from_lonlat(level, x, y, &found), GV_OK);
        assert_true(found >= 0 && found < count);
      }
    }
  }
  found = 7;
  assert_int_equal(gv_s2_from_lonlat(2, 0.0, 90.1, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_s2_from_lonlat(2, (double)INFINITY, 0.0, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_s2_from_lonlat(2, 0.0, (double)NAN, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_s2_from_lonlat(-1, 0.0, 0.0, &found), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_s2_from_lonlat(2, 0.0, 0.0, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(found, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_cells),
      cmocka_unit_test(areas),
      cmocka_unit_test(positions_do_not_depend_on_the_span),
      cmocka_unit_test(bounds_hold_their_cells),
      cmocka_unit_test(curve_numbers),
      cmocka_unit_test(places_in_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
