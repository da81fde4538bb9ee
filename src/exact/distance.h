/*
 * Canonical values of distances: the limit that a maximum distance stands for, and what weights make of a distance.
 *
 * Backends and engines compare canonical values only (squared lengths and chords, lengths in metres for geodesics); a
 * maximum distance is turned once into the largest canonical value whose reported distance does not exceed it.
 */
#ifndef GV_DISTANCE_H
#define GV_DISTANCE_H

#include <math.h>

#include "exact/globe.h"

/* Radius in metres of the sphere that great-circle distances are reported on: (2 a + b) / 3. */
double gv_globe_radius(const gv_ellipsoid *ellipsoid);

/* Coefficients of asin(sqrt(h)) / sqrt(h) as a polynomial of h in [0, 1/2]: a Chebyshev fit, error 4e-18. */
enum { GV_ARC_TERMS = 20 };
extern const double gv_arc_series[GV_ARC_TERMS];

/* The reported great-circle distance of a squared chord, on a sphere of `radius`: 2 radius asin(sqrt(chord2) / 2), the same bits on
 * every processor, and those of the measuring kernels. */
double gv_arc_of_chord2(double radius, double chord2);

/* The largest canonical value (inclusive) whose reported distance is at most max_distance; INFINITY = no limit.
 * `ellipsoid` is looked at for great circles only. */
double gv_canonical_limit(gv_metric metric, const gv_ellipsoid *ellipsoid, double max_distance);

/* Coefficients of (asin(x) / x - 1) / x^2 as a polynomial of x^2 in [0, 1/4]: a Chebyshev series cut off at 2e-16. */
extern const double gv_arcsine_series[12];

/* asin(x) for 0 <= x <= 1 within 2 ulp, the same bits on every processor. The kernels do it in vectors, in this order. */
static inline double gv_arcsine(double x) {
  bool steep = x > 0.5;
  double z = steep ? 0.5 * (1.0 - x) : x * x, r = steep ? sqrt(z) : x, p = gv_arcsine_series[11];
  for (int i = 10; i >= 0; i--)
    p = p * z + gv_arcsine_series[i];
  double s = r + (r * z) * p;
  return steep ? 1.5707963267948966 - 2.0 * s : s;
}

/*
 * What weights make of a distance (gv_weighting in the public header defines it). The distance comes as a square, as a
 * squared chord, whose arc is scale * asin(chord * inverse), or as the length itself.
 */
typedef enum gv_length_form { GV_LENGTH_SQUARED, GV_LENGTH_OF_CHORD, GV_LENGTH_PLAIN } gv_length_form;

typedef struct gv_weigher {
  gv_weighting weighting;
  gv_length_form form;
  double inverse, scale;
} gv_weigher;

/* For canonical values of a metric. `ellipsoid` is looked at for great circles only. */
gv_weigher gv_weigher_of(gv_weighting weighting, gv_metric metric, const gv_ellipsoid *ellipsoid);

/* What a canonical distance is worth to a seed of weight `w`: the value that is compared. The kernels do it in vectors,
 * in this order. */
static inline double gv_weigh(const gv_weigher *weigher, double canonical, double w) {
  double length = canonical;
  if (weigher->form == GV_LENGTH_SQUARED && weigher->weighting == GV_MULTIPLICATIVE) return canonical / (w * w);
  if (weigher->form == GV_LENGTH_SQUARED && weigher->weighting == GV_POWER) return canonical - w;
  if (weigher->form == GV_LENGTH_SQUARED) length = sqrt(canonical);
  if (weigher->form == GV_LENGTH_OF_CHORD) {
    double sine = weigher->inverse * sqrt(canonical);
    length = weigher->scale * gv_arcsine(sine < 1.0 ? sine : 1.0);
  }
  if (weigher->weighting == GV_MULTIPLICATIVE) return length / w;
  if (weigher->weighting == GV_ADDITIVE) return length + w;
  return length * length - w;
}

#endif
