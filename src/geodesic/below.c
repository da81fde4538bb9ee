/* A quadrilateral down to the equator: a series for short sides, else geod_geninverse. */
#include "geodesic/below.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/angles.h"
#include "geodesic/turn.h"

/* Whether the error is small enough. `square` of the length in radians, `tangent` of the latitude. */
static bool below_is_short(double e2, double square, double tangent) {
  static const double most = 3e-10 / 0.00085, largest = 0.007; /* e^2 of the series for Q */
  double steep = (1.0 + tangent) * (1.0 + tangent), steep2 = steep * steep;
  return fabs(e2) <= largest && square * square * square * steep2 * steep2 <= most * most;
}

double gv_area_below(const struct geod_geodesic *geod, const double from[2], const double to[2]) {
  double turn = gv_turn(to[0] - from[0]) * GV_DEGREE, rise = (to[1] - from[1]) * GV_DEGREE, below;
  double middle = 0.5 * (from[1] + to[1]) * GV_DEGREE, sine = sin(middle), cosine = cos(middle),
         e2 = geod->e2;
  double east = turn * cosine;
  if (!below_is_short(e2, east * east + rise * rise, fabs(sine) / cosine)) {
    geod_geninverse(geod, from[1], from[0], to[1], to[0], NULL, NULL, NULL, NULL, NULL, NULL, &below);
    return below;
  }
  double w2 = 1.0 - e2 * sine * sine, normal = geod->a / sqrt(w2), meridian = normal * (1.0 - e2) / w2;
  double x = e2 * sine * sine, b2 = geod->a * geod->a * (1.0 - e2);
  double series =
      1.0 + x * (1.0 / 3 + x * (1.0 / 5 + x * (1.0 / 7 + x * (1.0 / 9 + x * (1.0 / 11 + x / 13)))));
  double q = 0.5 * b2 * sine * (1.0 / w2 + series);
  /* the second derivative of Q */
  double bend = b2 * sine / (w2 * w2) * (4.0 * e2 * cosine * cosine / w2 - 1.0);
  double north = meridian * rise;
  east *= normal;
  double curved =
      sine * (east * east + 2.0 * north * north + 3.0 * e2 * cosine * cosine * normal / w2 * north * rise);
  return turn * (q + bend * rise * rise / 24.0 + curved / 12.0);
}
