/*
 * Arcs of great circles.
 *
 * With D = b - a, for which a and b cancel without rounding where they are close, n = a x D is normal to the
 * arc's plane, and w, from the nearer end to the position, has w . n = |n| sin(distance from the great
 * circle). All products are rounded relative to |w| and |D|: the sine is within 2e-15 |w|, for any length of
 * the arc. The closest point lies within the arc if the position is on the inner side of both ends' normal
 * planes, with the tangents D + a |D|^2 / 2 and -D + b |D|^2 / 2 as normals. (Beyond half the globe the point
 * would be the farthest one, and then no position is inside of both planes.)
 *
 * Additions, multiplications, divisions and roots only: the same bits on every processor. The error, some
 * 1e-15, is nanometers. A single source for hosts and GPUs.
 */
#ifndef GV_EDGE_ARC_H
#define GV_EDGE_ARC_H

#include "exact/edge.h"

GV_BOTH double gv_edge_arc_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

GV_BOTH bool gv_edge_arc_in_order(const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++)
    if (a[i] != b[i]) return a[i] < b[i];
  return true;
}

GV_BOTH void gv_edge_arc_set_point(const double q[3], const double at[3], gv_edge_closest *closest) {
  double canonical = gv_canonical_distance(q, at, 3, GV_EUCLIDEAN);
  if (canonical < closest->canonical) gv_edge_set_closest(closest, canonical, at[0], at[1], at[2]);
}

/* The inside of an arc of less than half the globe. */
GV_BOTH void gv_edge_arc_set_inside(const double q[3], const double a[3], const double b[3],
                                    gv_edge_closest *closest) {
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, half = 0.5 * gv_edge_arc_dot(d, d);
  double from_a[3] = {q[0] - a[0], q[1] - a[1], q[2] - a[2]},
         from_b[3] = {q[0] - b[0], q[1] - b[1], q[2] - b[2]};
  double after = gv_edge_arc_dot(from_a, d) + half * gv_edge_arc_dot(from_a, a),
         before = half * gv_edge_arc_dot(from_b, b) - gv_edge_arc_dot(from_b, d);
  if (!(after > 0.0) || !(before > 0.0)) return;
  const double *end = after <= before ? a : b, *w = after <= before ? from_a : from_b;
  double n[3] = {end[1] * d[2] - end[2] * d[1], end[2] * d[0] - end[0] * d[2], end[0] * d[1] - end[1] * d[0]};
  double size2 = gv_edge_arc_dot(n, n), across = gv_edge_arc_dot(w, n);
  if (!(size2 > 0.0)) return;
  double sine2 = across * across / size2;
  if (!(sine2 < 1.0)) sine2 = 1.0;
  double canonical = 2.0 * sine2 / (1.0 + sqrt(1.0 - sine2));
  if (!(canonical < closest->canonical)) return;
  /* The closest point: the position, less its part along the normal, at length 1; from the nearer end, so
   * that little cancels. */
  double share = across / size2, at[3];
  for (int i = 0; i < 3; i++)
    at[i] = end[i] + (w[i] - share * n[i]);
  double size = sqrt(gv_edge_arc_dot(at, at));
  if (!(size > 0.0)) return;
  gv_edge_set_closest(closest, canonical, at[0] / size, at[1] / size, at[2] / size);
}

GV_BOTH void gv_edge_arc_nearest(const double q[3], const double first[3], const double second[3],
                                 gv_edge_closest *closest) {
  const double *a = gv_edge_arc_in_order(first, second) ? first : second, *b = a == first ? second : first;
  static const double pole[3] = {0.0, 0.0, 1.0}, front[3] = {1.0, 0.0, 0.0};
  closest->canonical = INFINITY;
  gv_edge_arc_set_point(q, a, closest);
  gv_edge_arc_set_point(q, b, closest);
  double sum[3] = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  if (gv_edge_arc_dot(sum, sum) > 1e-24) {
    gv_edge_arc_set_inside(q, a, b, closest);
  } else {
    const double *over = a[0] == 0.0 && a[1] == 0.0 ? front : pole;
    gv_edge_arc_set_point(q, over, closest);
    gv_edge_arc_set_inside(q, a, over, closest);
    gv_edge_arc_set_inside(q, over, b, closest);
  }
}

#endif
