/* Limits, arcs, weights. */
#include "exact/distance.h"

#include <string.h>

#include "exact/canonical.h"

double gv_globe_radius(const gv_ellipsoid *ellipsoid) {
  return ellipsoid->semi_major * (3.0 - ellipsoid->flattening) / 3.0;
}

/* By bisection over the doubles of [0, 4]. */
static double largest_chord2(double radius, double limit) {
  if (gv_arc_of_chord2(radius, 4.0) <= limit) return INFINITY;
  double low = 0.0, high = 4.0;
  uint64_t a, b;
  memcpy(&a, &low, sizeof a);
  memcpy(&b, &high, sizeof b);
  while (b - a > 1) {
    uint64_t middle = a + (b - a) / 2;
    double x;
    memcpy(&x, &middle, sizeof x);
    if (gv_arc_of_chord2(radius, x) <= limit) {
      a = middle;
    } else {
      b = middle;
    }
  }
  memcpy(&low, &a, sizeof low);
  return low;
}

double gv_canonical_limit(gv_metric metric, const gv_ellipsoid *ellipsoid, double max_distance) {
  if (metric == GV_GREAT_CIRCLE) return largest_chord2(gv_globe_radius(ellipsoid), max_distance);
  return gv_largest_canonical(max_distance, metric);
}

gv_weigher gv_weigher_of(gv_weighting weighting, gv_metric metric, const gv_ellipsoid *ellipsoid) {
  gv_weigher weigher = {weighting, GV_LENGTH_PLAIN, 0.0, 0.0};
  if (metric == GV_EUCLIDEAN) weigher.form = GV_LENGTH_SQUARED;
  if (metric == GV_GREAT_CIRCLE) {
    weigher.form = GV_LENGTH_OF_CHORD;
    weigher.inverse = 0.5;
    weigher.scale = 2.0 * gv_globe_radius(ellipsoid);
  }
  return weigher;
}
