/* Directions along edges on the ellipsoid: a single source for hosts and GPUs. */
#ifndef GV_EDGE_COURSE_H
#define GV_EDGE_COURSE_H

#include "exact/globe.h"

/* Meridian and transverse radius of curvature. */
GV_BOTH void gv_edge_radii(const gv_ellipsoid *e, double sine, double *m, double *n) {
  double w2 = 1.0 - e->eccentricity2 * sine * sine;
  *n = e->semi_major / sqrt(w2);
  *m = *n * (1.0 - e->eccentricity2) / w2;
}

/* The vector with these components to the east and to the north, at the place with these sines and
 * cosines. */
GV_BOTH void gv_edge_turn_to(double sine_lon, double cosine_lon, double sine_lat, double cosine_lat,
                             double east, double north, double along[3]) {
  along[0] = -sine_lon * east - sine_lat * cosine_lon * north;
  along[1] = cosine_lon * east - sine_lat * sine_lon * north;
  along[2] = cosine_lat * north;
}

#endif
