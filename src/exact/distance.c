/* Limits, arcs, weights. */
#include "exact/distance.h"

#include <string.h>

#include "exact/canonical.h"

const double gv_arcsine_series[12] = {
    0x1.555555555554ep-3, 0x1.3333333337110p-4, 0x1.6db6db68067fep-5,  0x1.f1c71fb700f11p-6,
    0x1.6e8b26f89d407p-6, 0x1.1c598c739143cp-6, 0x1.c86b17413a7b6p-7,  0x1.8559b6cfd3c89p-7,
    0x1.fd4f1fa1ac91cp-8, 0x1.084522a849f25p-6, -0x1.65717d3785d18p-7, 0x1.cf6d7d2572a46p-6,
};

const double gv_arc_series[GV_ARC_TERMS] = {
    0x1.0000000000000p+0,  0x1.55555555555c0p-3, 0x1.3333333325688p-4,  0x1.6db6db7907f67p-5,
    0x1.f1c7178b92a47p-6,  0x1.6e8c485a593c7p-6, 0x1.1c40481da6b30p-6,  0x1.cb6156b6eca4cp-7,
    0x1.66220666726b7p-7,  0x1.ee87270af83f9p-7, -0x1.af2aaa5367e8bp-6, 0x1.7299d36d300cfp-3,
    -0x1.54080330e43bcp-1, 0x1.00349041fd6c9p+1, -0x1.224a69b3a5b9fp+2, 0x1.f1299f1a6888dp+2,
    -0x1.356dd98c077c9p+3, 0x1.0a6643dbd6d20p+3, -0x1.1c15929b57733p+2, 0x1.205d03b3080c1p+0};

double gv_globe_radius(const gv_ellipsoid *ellipsoid) {
  return ellipsoid->semi_major * (3.0 - ellipsoid->flattening) / 3.0;
}

/* Sums in the order of the kernels' polynomials. */
double gv_arc_of_chord2(double radius, double chord2) {
  double h = 0.25 * chord2, rest = h < 1.0 ? 1.0 - h : 0.0, t = h < 0.5 ? h : rest;
  double t2 = t * t, t4 = t2 * t2, sum = 0.0;
  for (int i = GV_ARC_TERMS - 4; i >= 0; i -= 4) {
    const double *c = gv_arc_series + i;
    double part = (c[0] + t * c[1]) + t2 * (c[2] + t * c[3]);
    sum = i == GV_ARC_TERMS - 4 ? part : part + t4 * sum;
  }
  double angle = sqrt(t) * sum;
  return 2.0 * radius * (h < 0.5 ? angle : 1.57079632679489661923 - angle);
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
