/* Areas below short lines against those of PROJ, and that they are computed without it. */
#include "geodesic/below.h"

#include "cmocka_test.h"

#include <math.h>

#include "core/angles.h"
#include "diagram/seed_sets.h"

/* Lines of up to 500 km in any direction. */
static void areas_agree_with_geod_geninverse(void **unused) {
  (void)unused;
  static const double flattening[] = {1.0 / 298.257223563, 0.0, -1.0 / 300.0, 1.0 / 150.0, 0.1};
  enum { LINES = 20000 };
  for (int kind = 0; kind < 5; kind++) {
    struct geod_geodesic geod;
    int alike = 0;
    geod_init(&geod, 6378137.0, flattening[kind]);
    for (int i = 0; i < LINES; i++) {
      double lat = asin(seed_uniform(-1, 1)) / GV_DEGREE, azimuth = seed_uniform(-180, 180), below;
      double length = exp(seed_uniform(log(1.0), log(5e5)));
      const double from[2] = {seed_uniform(-180, 180), lat};
      double to[2];
      geod_direct(&geod, from[1], from[0], azimuth, length, &to[1], &to[0], NULL);
      geod_geninverse(&geod, from[1], from[0], to[1], to[0], NULL, NULL, NULL, NULL, NULL, NULL, &below);
      double found = gv_area_below(&geod, from, to);
      static const double rounding = 1e-3; /* square meters: those of geod_geninverse */
      if (!(fabs(found - below) <= 4e-10 * length * length + rounding))
        fail_msg("flattening %g, from %.17g %.17g to %.17g %.17g: %.17g, not %.17g", flattening[kind],
                 from[0], from[1], to[0], to[1], found, below);
      alike += found == below;
    }
    /* PROJ's series is not used, but for long lines and for ellipsoids as flat as Saturn. */
    assert_true(kind < 3 ? alike < LINES / 2 : alike == LINES);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(areas_agree_with_geod_geninverse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
