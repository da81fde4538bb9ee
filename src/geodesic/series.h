/*
 * Lengths and directions of geodesics by a series, many at a time. One source (series_kernels.c), compiled
 * once for each instruction set, chosen at run time. Additions, multiplications, divisions and roots in
 * one order, never fused: the same bits on every processor.
 *
 * Let beta be a reduced latitude, u = (cos beta cos lon, cos beta sin lon, sin beta) a place on the
 * auxiliary sphere (x, y and z / (1 - f) of the place on the ellipsoid, in units of a). There a geodesic
 * is a great circle of the same azimuths, with a difference of longitudes omega that exceeds the given
 * one, lambda, by
 *   F = f sin alpha0 I3(sigma),
 * and of length b I1(sigma) (Bessel 1825; Karney, Algorithms for geodesics, J. Geodesy 87, 2013, equations
 * 7, 8; I1 and I3 are those of geod_inverse: the same series of order 6, with the same truncation error).
 * Solved for omega: from omega = lambda one Newton step with F' as on the sphere, then the sums of the
 * series; their remaining error in longitude, r, is removed from the length by its Taylor series, with the
 * exact d length / d lambda = a sin alpha0. All terms are products of Cartesian coordinates: poles, the
 * equator and meridians are not special cases, and equal places are at distance 0 exactly.
 *
 * The last term used, a r^2 sin alpha0' / 2, estimates the error: if it exceeds `largest_step` another
 * Newton step follows, up to three. Pairs that do not converge, or with an auxiliary arc within 3 pi f of
 * pi, are left open. An arc that does not belongs to the shortest geodesic: it is the only one with these
 * ends and omega < pi (Karney, section 4; f d omega / d lambda stays below 1/3 there). Prolate ellipsoids
 * and f > GV_SERIES_FLATTENING are left open altogether.
 *
 * Error: 2.3e-8 m at most for a = 6378137 m, in 64 million pairs (52 of them solved here) against
 * geod_inverse on WGS 84, GRS 80, Clarke 1866, Bessel, Mars, f = 1/100, 1/50 and 0 (uniform, within 1 nm
 * to 4000 km of each other, towards the antipodes, on the equator, on meridians): only rounding. Users of
 * the series allow 1e-7 m. Azimuths: 4e-7 degrees for pairs more than a meter apart.
 * tests/measure/measure.c repeats it on fewer pairs.
 */
#ifndef GV_SERIES_H
#define GV_SERIES_H

#include "exact/globe.h"
#include "geodesic/pairs.h"

#define GV_SERIES_FLATTENING 0.02    /* oblate ellipsoids up to here are served */
#define GV_SERIES_STEP       1.6e-12 /* the largest last term, in units of a: 10 micrometers on the Earth */
#define GV_SERIES_NEAR                                                                                       \
  1e-7 /* arcs with directions that PROJ computes; a place a meter away is known to 1e-9 of the angle */

typedef struct gv_series {
  double a, b, f, stretch; /* stretch = 1 / (1 - f) */
  double ep2;              /* e'^2 = e^2 / (1 - e^2) */
  double a3[6];            /* I3's coefficients for this ellipsoid: powers of epsilon */
  double c3[5][5];         /* c3[l - 1][j]: of sin 2 l sigma, power epsilon^(l + j) */
  double largest_step;     /* meters */
  double least_cosine;     /* of the auxiliary arc: the longest that is solved */
} gv_series;

void gv_series_init(const gv_ellipsoid *ellipsoid, gv_series *out);

typedef struct gv_series_kernels {
  /* Meters; the numbers of the pairs that are left open go to `open`, their count is returned. */
  int32_t (*geodesic)(const gv_pairs *pairs, const gv_series *series, double *distance, int32_t *open);
  /* One cell (x, y, z) against n seeds; open ones are at distance -1. */
  void (*geodesics_from)(const double cell[3], const gv_series *series, int64_t n, const double *x,
                         const double *y, const double *z, double *distance);
  /* The same for second places on curves with the direction (tx, ty, tz), of which the component tangent to
   * the ellipsoid is used; and the derivative of the distance along the curve, within 7e-9 for places more
   * than a meter away; nearer ones are left open. */
  void (*slopes)(const gv_pairs *pairs, const gv_series *series, const double *const along[3],
                 double *distance, double *slope);
  /* Degrees clockwise from north, 0 ... 360 with both ends; `open` as that of `geodesic`. */
  int32_t (*geodesic_azimuth)(const gv_pairs *pairs, const gv_norths *norths, const gv_series *series,
                              double *azimuth, int32_t *open);
} gv_series_kernels;

GV_KERNEL_TABLE(gv_series_kernels);

#endif
