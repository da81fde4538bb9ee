/* Limits of exact distances. */
#include "exact/canonical.h"

#include <float.h>
#include <math.h>

/* limit * limit is within a few units of the answer, because sqrt and the product round correctly. */
double gv_largest_canonical(double limit, gv_metric metric) {
  if (metric != GV_EUCLIDEAN || isinf(limit)) return limit;
  double x = limit * limit;
  if (isinf(x)) x = DBL_MAX;
  while (sqrt(x) > limit)
    x = nextafter(x, 0.0);
  for (;;) {
    double next = nextafter(x, INFINITY);
    if (isinf(next) || sqrt(next) > limit) return x;
    x = next;
  }
}

/* fmod is exact, so the result is the same on every machine. */
double gv_periodic_coordinate(double coordinate, double period) {
  if (isinf(period)) return coordinate;
  double rest = fmod(coordinate, period);
  if (rest < 0.0) rest += period;
  return rest < period ? rest + 0.0 : 0.0;
}
