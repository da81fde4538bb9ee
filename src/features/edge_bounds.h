/*
 * Bounds of the distance to an edge from that to one of its places (edge_points.h has the argument): what
 * hosts and GPUs have in common.
 */
#ifndef GV_EDGE_BOUNDS_H
#define GV_EDGE_BOUNDS_H

#include "exact/edge.h"
#include "geodesic/series.h"

#define GV_EDGE_FAR_ERROR 4e-6 /* meters */
/* maximum chord of a geodesic that is replaced by its great ellipse or a polynomial */
#define GV_EDGE_LONGEST 0.05

/* A place of an edge for a position. */
typedef struct gv_edge_stand {
  bool known, point;
  int end; /* 1: P(0), -1: P(1), 0: neither */
  double part, sense;
  double place[3], along[3];
  gv_edge_motion motion;
  double room, tilt, distance, slope;
} gv_edge_stand;

/* Arcs of chords up to GV_EDGE_LONGEST are longer by less than a hundredth. */
GV_BOTH double gv_edge_length_of(const double d[3]) {
  double d2 = 0.0;
  for (int axis = 0; axis < 3; axis++)
    d2 += d[axis] * d[axis];
  return 1.01 * sqrt(d2);
}

/* The point of a geodesic's chord, lifted to the ellipsoid. `inverse`: 0 if it has no length. */
GV_BOTH void gv_edge_stand_lifted(const gv_series *series, double eccentricity2, const double a[3],
                                  const double d[3], double inverse, gv_edge_stand *s) {
  double square = 0.0, at[3];
  for (int axis = 0; axis < 3; axis++) {
    at[axis] = a[axis] + s->part * d[axis];
    double stretched = axis == 2 ? at[axis] * series->stretch : at[axis];
    square += stretched * stretched;
    s->along[axis] = d[axis];
  }
  double size = sqrt(square), length = gv_edge_length_of(d);
  s->known = size > 0.5 && length <= GV_EDGE_LONGEST && (s->point || inverse > 0.0);
  for (int axis = 0; axis < 3; axis++)
    s->place[axis] = at[axis] / size;
  s->motion.fastest = s->motion.slowest = length * series->a;
  s->motion.turn = 0.0;
  s->room = s->end != 0 ? 0.0 : 0.1 * eccentricity2 * length * length * series->a;
  s->tilt = eccentricity2 * length;
}

/* A place of a geodesic by its polynomial, at x = 2 u - 1, and the direction there. */
GV_BOTH void gv_edge_curve_at(const double power[6][3], double x, double place[3], double along[3]) {
  for (int axis = 0; axis < 3; axis++) {
    const double c[6] = {power[0][axis], power[1][axis], power[2][axis],
                         power[3][axis], power[4][axis], power[5][axis]};
    place[axis] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    along[axis] = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * (4.0 * c[4] + x * (5.0 * c[5]))));
  }
}

/* How far the geodesic of a length may be from it, meters; a: the semi-major axis. */
GV_BOTH double gv_edge_curve_room(double length, double a) {
  double rate = length / a, cube = rate * rate * rate;
  return 1e-5 * cube * cube * a;
}

/* r cot(r x) of the largest curvature, r^2. */
GV_BOTH double gv_edge_bend(double root, double x) {
  return root / tan(root * x);
}

/* Bound of how much nearer the edge may be than the place, and of how far the exact value may be above the
 * distance. */
GV_BOTH double gv_edge_gain(double root, const gv_edge_stand *at, double *above) {
  gv_edge_motion m = at->motion;
  double f = at->distance, s = at->slope, room = at->room, speed = m.fastest;
  double far = f + room + 1.5 * speed + 1.0, least = f - room;
  *above = at->end != 0 ? 0.0 : GV_EDGE_ERROR;
  if (!(least > 2.0) || !(root * far < 1.57)) return speed;
  double error = 1e-7 + at->tilt + 1.2 * room / least;
  if (at->end != 0 && (at->end * s - error) * m.slowest >= 0.5 * m.turn) return 0.0;
  double c = fabs(s) + error, gain = speed * c + 0.5 * m.turn;
  if (!(speed * c < 0.7 * m.slowest)) return gv_smaller(gain, speed);
  double least_bend = gv_edge_bend(root, far), upward = m.slowest * m.slowest * least_bend;
  if (m.turn <= 0.4 * upward && speed <= 1.1 * m.slowest) *above = gv_smaller(*above, GV_EDGE_FAR_ERROR);
  if (m.turn == 0.0) {
    double rise = (1.0 - c * c) * gv_edge_bend(root, f + room);
    if (rise > 0.0) gain = gv_smaller(gain, 0.5000001 * c * c / rise);
  } else if (m.turn <= 0.7 * m.slowest && 0.51 * upward > m.turn) {
    gain = gv_smaller(gain, 0.5000001 * speed * speed * c * c / (0.51 * upward - m.turn));
  }
  return gv_smaller(gain, speed);
}

/* Bounds of the exact value; 0 and INFINITY if unknown. `error`: of the series, meters. */
GV_BOTH void gv_edge_bounds_of(double root, double error, const gv_edge_stand *at, double *low,
                               double *high) {
  *low = 0.0;
  *high = INFINITY;
  if (!(at->distance >= 0.0)) return;
  double above = 0.0, gain = at->point ? 0.0 : gv_edge_gain(root, at, &above);
  *low = gv_larger(0.0, at->distance - at->room - gain - error);
  *high = at->distance + at->room + error + above;
}

/* The part at which the next place is to be, nearer to the nearest: as on the sphere of radius rho with a
 * great circle for the edge; by secants once there is one (last_part, last_slope: NAN if there is none). */
GV_BOTH double gv_edge_next_part(double rho, const gv_edge_stand *at, double last_part, double last_slope) {
  double angle = at->distance / rho, slope = at->sense * at->slope, speed = at->motion.fastest,
         part = at->part;
  if (at->point || !(at->distance >= 0.0) || !(speed > 0.0)) return part;
  double step = -rho * atan2(sin(angle) * slope, cos(angle)) / speed;
  double secant = -slope * (part - last_part) / (slope - last_slope);
  if (isfinite(secant) && secant != 0.0 && (secant < 0.0) == (step < 0.0)) step = secant;
  return fmin(fmax(part + step, 0.0), 1.0);
}

#endif
