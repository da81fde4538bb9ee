/* The coefficients of the series, against those that PROJ computes for the same ellipsoid. */
#include "geodesic/series.h"

#include "cmocka_test.h"

#include <geodesic.h>
#include <math.h>
#include <stdbool.h>

static void coefficients_are_those_of_proj(void **unused) {
  (void)unused;
  static const double flattenings[] = {1.0 / 298.257223563,  1.0 / 150.0, 0.0,
                                       GV_SERIES_FLATTENING, -0.01,       0.1};
  for (int i = 0; i < 6; i++) {
    double f = flattenings[i];
    const gv_ellipsoid ellipsoid = {6378137.0, f, f * (2.0 - f)};
    struct geod_geodesic geod;
    gv_series series;
    geod_init(&geod, 6378137.0, f);
    gv_series_init(&ellipsoid, &series);
    assert_true(series.a == geod.a && fabs(series.b - geod.b) < 1e-8 && fabs(series.ep2 - geod.ep2) < 1e-16);
    assert_true(fabs(series.stretch * geod.b / geod.a - 1.0) < 1e-15);
    /* PROJ's are in descending powers of epsilon. */
    for (int power = 0; power < 6; power++)
      assert_true(fabs(series.a3[power] - geod.A3x[5 - power]) < 1e-15);
    for (int l = 1, k = 0; l <= 5; l++) {
      for (int j = 5 - l; j >= 0; j--, k++)
        assert_true(fabs(series.c3[l - 1][j] - geod.C3x[k]) < 1e-15);
    }
    /* Which ellipsoids, and which arcs, are answered. */
    bool served = f >= 0.0 && f <= GV_SERIES_FLATTENING;
    assert_true(served == (series.largest_step > 0.0));
    if (served)
      assert_true(series.least_cosine >= cos(3.141592653589793 * (1.0 - 3.0 * f)) - 1e-12 &&
                  series.least_cosine < -0.9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(coefficients_are_those_of_proj)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
