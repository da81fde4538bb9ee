/* Limits of exact distances. */
#include "exact/canonical.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

static double canonical_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t canonical_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* By bisection over the doubles, from a bracket around the power that roundings of both powers cannot leave
 * where nothing underflows. */
double gv_largest_power(double limit, double power) {
  double root = 1.0 / power, middle = gv_power(limit, power), slack = (1024.0 + 1024.0 * power) * DBL_EPSILON;
  double low = middle * (1.0 - slack), high = middle * (1.0 + slack);
  if (isinf(limit)) return limit;
  if (!(low >= 0.0) || gv_power(low, root) > limit) low = 0.0;
  if (!(high <= DBL_MAX) || gv_power(high, root) <= limit) high = INFINITY;
  if (gv_power(low, root) > limit) return low;
  uint64_t a = canonical_bits(low), b = canonical_bits(high);
  while (b - a > 1) {
    uint64_t between = a + (b - a) / 2;
    if (gv_power(canonical_of_bits(between), root) <= limit) {
      a = between;
    } else {
      b = between;
    }
  }
  return canonical_of_bits(a);
}
