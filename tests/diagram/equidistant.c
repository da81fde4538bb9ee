/* Places of directions on the conformal sphere: by the series, and by Newton's method, which other ellipsoids
 * need. */
#include "diagram/equidistant.h"

#include "cmocka_test.h"

#include <math.h>

static gv_context *context;

static int setup(void **unused) {
  (void)unused;
  return (int)gv_context_create(NULL, &context);
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

static void series_agrees_with_newton(void **unused) {
  (void)unused;
  static const double flattening[] = {1.0 / 298.257223563, 1.0 / 293.465, -1.0 / 250.0, 1e-9};
  enum { DIRECTIONS = 2000 };
  for (int kind = 0; kind < 4; kind++) {
    gv_ellipsoid shape;
    gv_globe globe, other;
    assert_int_equal(gv_ellipsoid_init(context, 6378137.0, flattening[kind], &shape), GV_OK);
    gv_globe_init(GV_GEODESIC, &shape, &globe);
    assert_true(globe.series);
    other = globe;
    other.series = false;
    for (int i = 0; i <= DIRECTIONS; i++) {
      double height = -1.0 + 2.0 * i / DIRECTIONS, across = sqrt(1.0 - height * height), back[3];
      const double direction[3] = {across * cos(i), across * sin(i), height};
      double lon, lat, other_lon, other_lat;
      gv_globe_place(&globe, direction, &lon, &lat);
      gv_globe_place(&other, direction, &other_lon, &other_lat);
      assert_true(lon == other_lon && fabs(lat - other_lat) < 1e-13);
      gv_globe_vectors(&globe, 1, &lon, &lat, back);
      for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(back[axis] - direction[axis]) < 2e-15);
    }
  }
}

static void flat_ellipsoids_have_no_series(void **unused) {
  (void)unused;
  gv_ellipsoid shape;
  gv_globe globe;
  assert_int_equal(gv_ellipsoid_init(context, 6378137.0, 0.1, &shape), GV_OK);
  gv_globe_init(GV_GEODESIC, &shape, &globe);
  assert_false(globe.series);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(series_agrees_with_newton),
                                     cmocka_unit_test(flat_ellipsoids_have_no_series)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
