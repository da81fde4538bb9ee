/* The coefficients of the series for an ellipsoid. */
#include "geodesic/series.h"

#include "core/angles.h"

/* Karney 2013, equations 24 and 25. */
void gv_series_init(const gv_ellipsoid *ellipsoid, gv_series *out) {
  double f = ellipsoid->flattening, n = f / (2.0 - f), n2 = n * n;
  double away = 3.0 * GV_PI * f; /* from the antipodes */
  *out = (gv_series){
      .a = ellipsoid->semi_major,
      .b = ellipsoid->semi_major * (1.0 - f),
      .f = f,
      .stretch = 1.0 / (1.0 - f),
      .ep2 = ellipsoid->eccentricity2 / ((1.0 - f) * (1.0 - f)),
      .a3 = {1.0, n / 2.0 - 1.0 / 2.0, 3.0 * n2 / 8.0 - n / 8.0 - 1.0 / 4.0,
             -n2 / 16.0 - 3.0 * n / 16.0 - 1.0 / 16.0, -n / 32.0 - 3.0 / 64.0, -3.0 / 128.0},
      .c3 = {{1.0 / 4.0 - n / 4.0, 1.0 / 8.0 - n2 / 8.0, 3.0 / 64.0 + 3.0 * n / 64.0 - n2 / 64.0,
              5.0 / 128.0 + n / 64.0, 3.0 / 128.0},
             {1.0 / 16.0 - 3.0 * n / 32.0 + n2 / 32.0, 3.0 / 64.0 - n / 32.0 - 3.0 * n2 / 64.0,
              3.0 / 128.0 + n / 128.0, 5.0 / 256.0},
             {5.0 / 192.0 - 3.0 * n / 64.0 + 5.0 * n2 / 192.0, 3.0 / 128.0 - 5.0 * n / 192.0, 7.0 / 512.0},
             {7.0 / 512.0 - 7.0 * n / 256.0, 7.0 / 512.0},
             {21.0 / 2560.0}},
      .largest_step = f >= 0.0 && f <= GV_SERIES_FLATTENING ? GV_SERIES_STEP * ellipsoid->semi_major : -1.0,
      .least_cosine = 0.5 * away * away - 1.0,
  };
}
