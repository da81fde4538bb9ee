/* Arcs of great circles: edge_arc.h for hosts. */
#include "exact/edge_arc.h"

#include "core/angles.h"

void gv_edge_arc(const double q[3], const double a[3], const double b[3], gv_edge_closest *closest) {
  gv_edge_arc_nearest(q, a, b, closest);
}

void gv_edge_closest_lonlat(gv_edge_closest *closest) {
  const double *v = closest->vector, degree = 180.0 / GV_PI;
  closest->lon = atan2(v[1], v[0]) * degree;
  closest->lat = atan2(v[2], hypot(v[0], v[1])) * degree;
}
