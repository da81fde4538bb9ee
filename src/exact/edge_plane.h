/*
 * Edges on the plane.
 *
 * The error of the value: with w the vector from the nearer end, products and differences are rounded
 * relative to |w| |d|, so the distance is within 4 units in the last place of |w|, which is at most the
 * distance plus half the edge. A position counts as outside an end if it is so within that error; both
 * formulas then differ by a square of it. A single source for hosts and GPUs.
 */
#ifndef GV_EDGE_PLANE_H
#define GV_EDGE_PLANE_H

#include "exact/edge.h"

GV_BOTH bool gv_edge_plane_in_order(const double a[2], const double b[2]) {
  return a[0] < b[0] || (a[0] == b[0] && a[1] <= b[1]);
}

GV_BOTH void gv_edge_plane_set_point(gv_metric metric, const double q[2], const double at[2],
                                     gv_edge_closest *closest) {
  double canonical = gv_canonical_distance(q, at, 2, metric);
  if (canonical < closest->canonical) gv_edge_set_closest(closest, canonical, at[0], at[1], 0.0);
}

/* The direction in which positions keep their closest point, turned by a quarter: g . v is the position of a
 * closest point along the edge. */
GV_BOTH void gv_edge_plane_along(gv_metric metric, const double d[2], double g[2], double *norm) {
  double across = fabs(d[0]), down = fabs(d[1]);
  if (metric == GV_MANHATTAN) {
    bool flat = across >= down;
    g[0] = flat ? d[0] : 0.0;
    g[1] = flat ? 0.0 : d[1];
    *norm = flat ? across : down;
  } else if (metric == GV_CHEBYSHEV) {
    g[0] = d[0] > 0.0 ? 1.0 : d[0] < 0.0 ? -1.0 : 0.0;
    g[1] = d[1] > 0.0 ? 1.0 : d[1] < 0.0 ? -1.0 : 0.0;
    *norm = across + down;
  } else {
    g[0] = d[0];
    g[1] = d[1];
    *norm = d[0] * d[0] + d[1] * d[1];
  }
}

GV_BOTH void gv_edge_plane_nearest(gv_metric metric, const double q[2], const double first[2],
                                   const double second[2], gv_edge_closest *closest) {
  const double *a = gv_edge_plane_in_order(first, second) ? first : second, *b = a == first ? second : first;
  closest->canonical = INFINITY;
  gv_edge_plane_set_point(metric, q, a, closest);
  gv_edge_plane_set_point(metric, q, b, closest);
  double d[2] = {b[0] - a[0], b[1] - a[1]}, g[2], norm;
  if (!(fabs(d[0]) > GV_EDGE_SHORTEST || fabs(d[1]) > GV_EDGE_SHORTEST)) return;
  gv_edge_plane_along(metric, d, g, &norm);
  double from_a[2] = {q[0] - a[0], q[1] - a[1]}, from_b[2] = {q[0] - b[0], q[1] - b[1]};
  double after = g[0] * from_a[0] + g[1] * from_a[1], before = g[0] * from_b[0] + g[1] * from_b[1];
  if (!(after > 0.0) || !(before < 0.0)) return;
  bool near_a = after <= -before;
  const double *w = near_a ? from_a : from_b, *end = near_a ? a : b;
  double residual = w[0] * d[1] - w[1] * d[0];
  double size = fabs(residual);
  double canonical = metric == GV_EUCLIDEAN ? residual * residual / norm : size / norm;
  /* Squares of small numbers may vanish. */
  if (metric == GV_EUCLIDEAN && canonical < 1e-290) canonical = (size / norm) * size;
  if (!(canonical < closest->canonical)) return;
  double t = (near_a ? after : before) / (after - before);
  gv_edge_set_closest(closest, canonical, end[0] + t * d[0], end[1] + t * d[1], 0.0);
}

#endif
