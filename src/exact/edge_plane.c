/* Edges on the plane: edge_plane.h for hosts. */
#include "exact/edge_plane.h"

void gv_edge_plane(gv_metric metric, const double q[2], const double a[2], const double b[2],
                   gv_edge_closest *closest) {
  gv_edge_plane_nearest(metric, q, a, b, closest);
}
