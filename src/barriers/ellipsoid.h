/* Legs that are geodesics of an ellipsoid: what differs from arcs of great circles (sphere.c has the
 * rest). */
#ifndef GV_BARRIERS_ELLIPSOID_H
#define GV_BARRIERS_ELLIPSOID_H

#include "barriers/barriers.h"

/* Sets `geodesic`, `bend` and the radii of bounds. False: the series of geodesics does not serve this
 * ellipsoid. */
bool gv_barrier_ellipsoid_init(gv_barriers *barriers);

/*
 * How far |a . (p x q)| can be from 0 for a place a of the geodesic between p and q, and for three places
 * with this largest squared chord if the geodesics between them leave open on which side of each other they
 * lie: f c^3 / 4, INFINITY near the antipodes. 0 on the sphere. The factor of f c^3 / 8 is 1.6 at most for c
 * < 2 - 2e-3 and 1 for short ones (WGS 84; tests/barriers/ellipsoid.c repeats it).
 */
static inline double gv_barrier_bend(const gv_barriers *b, double chord2) {
  if (b->bend == 0.0) return 0.0;
  return chord2 < b->bend_limit2 ? b->bend * chord2 * sqrt(chord2) : (double)INFINITY;
}

/*
 * The same if the least of the three chords, s, is also known: the geodesic is near the great circle at its
 * ends. 0.65 f c^2 s for c^2 < 3, where the factor of f c^2 s is 0.51 at most (the same test). Gain: 1.7x on
 * Natural Earth's land at 1:50,000,000, geodesic.
 */
static inline double gv_barrier_bend_beside(const gv_barriers *b, double longest2, double shortest2) {
  const double bend = gv_barrier_bend(b, longest2);
  if (b->bend == 0.0 || !(longest2 < 3.0)) return bend;
  return fmin(bend, 2.6 * b->bend * longest2 * sqrt(shortest2));
}

/* How far the geodesic between places at most this chord apart can be from the great circle. */
static inline double gv_barrier_bend_distance(const gv_barriers *b, double chord2) {
  if (b->bend == 0.0) return 0.0;
  return chord2 < b->bend_limit2 ? b->bend * chord2 / sqrt(1.0 - 0.25 * chord2) : 2.0;
}

int gv_barrier_ellipsoid_turn(const gv_barriers *barriers, const double *p, const double *q, const double *r);

/* The distance of r from the geodesic from p to q, to the left of it, as a part of the radius. Not near the
 * ends. */
double gv_barrier_ellipsoid_offset(const gv_barriers *barriers, const double *p, const double *q,
                                   const double *r);

/* Functions of a gv_barrier_geometry. */
double gv_barrier_ellipsoid_length(const gv_barriers *barriers, const gv_way_source *from, const double *x,
                                   const double *at);
double gv_barrier_ellipsoid_azimuth(const gv_barriers *barriers, const double *x, const double *at,
                                    const gv_way_source *to);

#endif
