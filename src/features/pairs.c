/*
 * The exact distance between two edges: 0 if they meet, else the least exact distance from an end of one to
 * the other.
 *
 * Why ends are sufficient. On the plane the differences of places of two edges fill a parallelogram, or a
 * segment if the edges are parallel. If it does not contain 0, its place of the least norm is on its border,
 * whatever the norm, and places of the border (of a segment all) have a pair of places of which one is an
 * end. On the globe let c be a shortest line between inner places of two geodesics that do not meet. If its
 * length were a local minimum, c would be perpendicular to both. Move each place of c along the field of unit
 * normals of c: the field is parallel along c and tangent to both geodesics at the ends, so the second
 * variation of the length is minus the integral of the Gaussian curvature over c, which is negative, so the
 * length is not a minimum. Where shortest lines meet, at the cut locus, the distance is the least of several,
 * and each of them has the same property. Lines that are straight in longitude and latitude are not
 * geodesics, and have no such proof.
 *
 * Whether edges meet is decided exactly on the plane, touching included. On the globe edges that cross are
 * found by the four orientations of their ends (S2's rule, which excludes antipodes); edges that only touch
 * have the distance of the touching end, which is within the error of an edge's exact distance.
 */
#include "features/pairs.h"

#include "exact/orientation.h"

gv_edge_place gv_tree_vertex(const gv_feature_tree *t, int64_t v) {
  const gv_feature_set *set = t->set;
  const double *at = gv_tree_place(t, v);
  gv_edge_place place = {
      .lon = set->x[v], .lat = set->y[v], .vector = {at[0], at[1], t->dim == 3 ? at[2] : 0.0}};
  if (set->globe) gv_normalize_lonlat(&place.lon, &place.lat);
  return place;
}

/* ---------------------------------------------------------------------------------------------- the plane */

static bool pair_box_holds(const double a[2], const double b[2], const double p[2]) {
  for (int i = 0; i < 2; i++)
    if (p[i] < fmin(a[i], b[i]) || p[i] > fmax(a[i], b[i])) return false;
  return true;
}

static bool plane_edges_meet(const double a[2], const double b[2], const double c[2], const double d[2]) {
  for (int i = 0; i < 2; i++)
    if (fmax(a[i], b[i]) < fmin(c[i], d[i]) || fmax(c[i], d[i]) < fmin(a[i], b[i])) return false;
  int side_c = gv_orientation(a, b, c), side_d = gv_orientation(a, b, d);
  if (side_c * side_d > 0) return false;
  int side_a = gv_orientation(c, d, a), side_b = gv_orientation(c, d, b);
  if (side_c * side_d < 0 && side_a * side_b < 0) return true;
  return (side_c == 0 && pair_box_holds(a, b, c)) || (side_d == 0 && pair_box_holds(a, b, d)) ||
         (side_a == 0 && pair_box_holds(c, d, a)) || (side_b == 0 && pair_box_holds(c, d, b));
}

/* ---------------------------------------------------------------------------------------------- the globe */

/* On which side of the great circle from a to b the place c lies: above 0 on the left. The triple product of
 * a, b, c. */
static double arc_side(const double a[3], const double b[3], const double c[3]) {
  double u[3], v[3];
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
  }
  return a[0] * (u[1] * v[2] - u[2] * v[1]) + a[1] * (u[2] * v[0] - u[0] * v[2]) +
         a[2] * (u[0] * v[1] - u[1] * v[0]);
}

/* The same of geodesics, by azimuths. */
static double geodesic_side(const struct geod_geodesic *g, const gv_edge_place *a, const gv_edge_place *b,
                            const gv_edge_place *c) {
  double to_b, to_c;
  geod_inverse(g, a->lat, a->lon, b->lat, b->lon, NULL, &to_b, NULL);
  geod_inverse(g, a->lat, a->lon, c->lat, c->lon, NULL, &to_c, NULL);
  double angle = remainder(to_b - to_c, 360.0);
  return fabs(angle) == 180.0 ? 0.0 : angle;
}

static double pair_side(const gv_feature_set *set, const gv_edge_place *a, const gv_edge_place *b,
                        const gv_edge_place *c) {
  return set->metric == GV_GREAT_CIRCLE ? arc_side(a->vector, b->vector, c->vector)
                                        : geodesic_side(&set->surface.geod, a, b, c);
}

/* The four orientations of the ends of two edges that cross. */
static bool globe_sides_cross(const gv_feature_set *set, const gv_edge_place a[2], const gv_edge_place b[2]) {
  double side_c = pair_side(set, &a[0], &a[1], &b[0]), side_d = pair_side(set, &a[0], &a[1], &b[1]);
  if (!(side_c < 0.0 ? side_d > 0.0 : side_c > 0.0 && side_d < 0.0)) return false;
  double side_b = pair_side(set, &b[0], &b[1], &a[1]), side_a = pair_side(set, &b[0], &b[1], &a[0]);
  return side_c < 0.0 ? side_b < 0.0 && side_a > 0.0 : side_b > 0.0 && side_a < 0.0;
}

/* `least`: the exact distance of the ends. Edges that cross do so within half of each from an end, and an arc
 * of up to half a circle is at most 1.6 times its chord. */
static bool globe_edges_cross(const gv_feature_set *set, const gv_edge_place a[2], const gv_edge_place b[2],
                              double least) {
  double chord2 = INFINITY;
  for (int edge = 0; edge < 2; edge++) {
    const double *from = edge == 0 ? a[0].vector : b[0].vector, *to = edge == 0 ? a[1].vector : b[1].vector;
    double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    chord2 = fmin(chord2, x * x + y * y + z * z);
  }
  double reach = 0.8 * sqrt(chord2);
  if (set->metric == GV_GREAT_CIRCLE ? least > reach * reach * 1.01
                                     : least > 1.01 * reach * set->surface.ellipsoid.semi_major)
    return false;
  return globe_sides_cross(set, a, b);
}

/* ------------------------------------------------------------------------------------------------ entries */

bool gv_entries_meet(const gv_feature_tree *a, int32_t entry_a, const gv_feature_tree *b, int32_t entry_b) {
  if (entry_a < 0 || entry_b < 0) return false;
  if (!a->set->globe)
    return plane_edges_meet(gv_tree_place(a, entry_a), gv_tree_place(a, entry_a + 1),
                            gv_tree_place(b, entry_b), gv_tree_place(b, entry_b + 1));
  gv_edge_place ends_a[2], ends_b[2];
  for (int i = 0; i < 2; i++) {
    ends_a[i] = gv_tree_vertex(a, entry_a + i);
    ends_b[i] = gv_tree_vertex(b, entry_b + i);
  }
  return globe_sides_cross(a->set, ends_a, ends_b) && gv_entries_distance(a, entry_a, b, entry_b) == 0.0;
}

double gv_entries_distance(const gv_feature_tree *a, int32_t entry_a, const gv_feature_tree *b,
                           int32_t entry_b) {
  const gv_feature_set *set = a->set;
  bool point_a = entry_a < 0, point_b = entry_b < 0;
  int64_t va = point_a ? ~(int64_t)entry_a : entry_a, vb = point_b ? ~(int64_t)entry_b : entry_b;
  gv_edge_place ends_a[2], ends_b[2];
  gv_edge_closest closest;
  double least = INFINITY;
  if (!set->globe && gv_entries_meet(a, entry_a, b, entry_b)) return 0.0;
  for (int i = 0; i < (point_a ? 1 : 2) && (point_a || !point_b); i++) {
    ends_a[i] = gv_tree_vertex(a, va + i);
    gv_feature_edge(b->set, vb, point_b, &ends_a[i], &closest);
    least = fmin(least, closest.canonical);
  }
  if (point_a) return least;
  for (int i = 0; i < (point_b ? 1 : 2); i++) {
    ends_b[i] = gv_tree_vertex(b, vb + i);
    gv_feature_edge(set, va, false, &ends_b[i], &closest);
    least = fmin(least, closest.canonical);
  }
  if (!point_b && set->globe && least > 0.0 && globe_edges_cross(set, ends_a, ends_b, least)) return 0.0;
  return least;
}
