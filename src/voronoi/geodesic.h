/*
 * Geodesic distances by way of chords.
 *
 * On an oblate ellipsoid the geodesic between two points whose chord is c has a length between
 *   2 R2 asin(c / 2 R2)  and  2 R1 asin(c / 2 R1),   R2 = a^2/b, R1 = b^2/a,
 * the arcs of circles with the largest and the smallest radius of curvature of the surface, for chords below
 * 0.999 * 2 R1 (checked on millions of random pairs against PROJ's geodesics: both hold to 5 nm; the unit test
 * repeats it). So most cells are decided by their chords; the rest ask geod_inverse (Karney, Algorithms for
 * geodesics, J. Geodesy 87, 2013).
 *
 * Chords here are in units of the semi-major axis.
 */
#ifndef GV_GEODESIC_H
#define GV_GEODESIC_H

#include <geodesic.h>

#include "cells/globe.h"
#include "voronoi/kernels.h"
#include "voronoi/seeds.h"

typedef struct gv_geodesic {
  struct geod_geodesic geod;
  double r_small, r_large; /* R1 and R2 in units of a */
  double chord2_limit;     /* beyond this squared chord nothing is known: everything must be asked */
  double near_coefficient; /* slack(c^2) <= near_coefficient c^4 + 2 c tolerance + tolerance^2 for c^2 <=
                              near_chord2 */
  double near_chord2;
} gv_geodesic;

void gv_geodesic_init(const gv_ellipsoid *ellipsoid, gv_geodesic *out);

/*
 * How much longer, as a squared chord, a chord may be than one of squared length chord2 and still belong to a
 * geodesic that is not longer. Grows with chord2; INFINITY where the bounds do not hold.
 */
double gv_geodesic_slack(const gv_geodesic *geodesic, double chord2);

/*
 * The canonical decision for one cell: which of the candidates has the smallest geod_inverse distance, the first of
 * equal ones. lon, lat are the cell's, vector its position; seeds hold the candidates' longitudes and latitudes.
 * Returns the place in the candidate list.
 */
int32_t gv_geodesic_decide(const gv_geodesic *geodesic, const gv_seed_set *seeds, double lon, double lat,
                           const double vector[3], const gv_candidates *candidates);

#endif
