/*
 * Trees of boxes over the edges of each feature, and one over the features: find the features that may be
 * nearest, and the closest point of one.
 *
 * Boxes hold positions: of the plane, unit vectors, places on the ellipsoid in units of its semi-major axis.
 * An edge stays within `sag` of the chord between its ends, place by place: half its length at most, and an
 * eighth of its largest second derivative (for a curve of length l and curvature c by its length that is c
 * l^2 / 8). So the chord from a position to the edge's nearest place is known to within the sag by the
 * distance from the straight line between the ends.
 *
 * Squares of chords are compared (of lengths on the plane, in the metric). `gv_reach` returns which of them a
 * value leaves open.
 *
 * Roundings, e = 2^-53. With w the vector from an end to the position, d the edge, both differences within e
 * of themselves, part and w - part d are within 8 e |w| of their true values, and |w| <= chord + |d|: 1e-14
 * of the chord, which every bound includes, and 9e-16 |d|, for which the sag has 1e-14 on the globe (|d| <=
 * 2) and 4e-15 of the coordinates on the plane (|d| is at most their sum). Positions on the globe are within
 * 4e-16 of those of their longitude and latitude (gv_chord_tolerance covers them, and 1e-11 for the exact
 * distance's own error is in gv_reach_of_chord). Boxes are rounded outward; the square of a distance from
 * one, of six roundings, is too large by less than 1e-15 of itself, against the 1e-12 that every reach is
 * widened by.
 */
#ifndef GV_FEATURES_TREE_H
#define GV_FEATURES_TREE_H

#include "features/long_edges.h"
#include "features/set.h"
#include "geodesic/geodesic.h"

typedef struct gv_feature_tree {
  const gv_feature_set *set;
  const gv_geodesic *geodesic; /* metric geodesic only */
  const struct gv_chord_kernels *kernels;
  int dim;
  double *place;     /* dim coordinates a vertex; NULL where the set has them */
  gv_box_node *node; /* of the edges; each feature has a root */
  int32_t *entry;    /* vertices that edges begin at; ~vertex for a point */
  float *sag;        /* of the entries */
  gv_long_edges long_edges;
  gv_edge_reach reach;
  double flattest;  /* of gv_globe_box_distance2 */
  int32_t *root;    /* by feature; -1: no edges */
  gv_box_node *top; /* of the features: entries of `feature` */
  int32_t *feature;
  int32_t nodes, entries, tops;
  /* Once they are joined: one tree over the points of all features. */
  gv_box_node *all;
  int32_t *member; /* its entries: vertices that edges begin at; ~vertex for a point */
  int32_t *owner;  /* by vertex: the feature */
  gv_allocator allocator;
} gv_feature_tree;

/* Errors: OUT_OF_MEMORY. Set and geodesic must outlive the tree. */
gv_status gv_feature_tree_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                               gv_feature_tree *out);
void gv_feature_tree_clear(gv_feature_tree *tree);

/* Joins features that consist of points only; others are unchanged. Their boxes separate little if many
 * overlap, as for values of a raster. Errors: OUT_OF_MEMORY. */
gv_status gv_feature_tree_join(gv_context *context, gv_feature_tree *tree);

/* A vertex, in the tree's coordinates. */
static inline const double *gv_tree_place(const gv_feature_tree *tree, int64_t vertex) {
  return (tree->place != NULL ? tree->place : tree->set->unit) + tree->dim * vertex;
}

/* The chord of an edge that begins at a vertex, from a on by d, and 1 / d.d; 0: a point, or an edge too short
 * to matter: its sag is longer. On the plane the third coordinate is 0. */
static inline double gv_tree_chord_of(const gv_feature_tree *tree, int64_t vertex, bool point, double a[3],
                                      double d[3]) {
  const double *from = gv_tree_place(tree, vertex), *to = point ? from : from + tree->dim;
  double size2 = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    bool there = axis < tree->dim;
    a[axis] = there ? from[axis] : 0.0;
    d[axis] = there ? to[axis] - from[axis] : 0.0;
    size2 += d[axis] * d[axis];
  }
  double inverse = size2 > 0.0 && size2 < INFINITY ? 1.0 / size2 : 0.0;
  return inverse < INFINITY ? inverse : 0.0;
}

/* Whether exact distances need an iteration, which should be avoided. */
bool gv_feature_tree_iterates(const gv_feature_tree *tree);

/* Squares above which no exact distance is up to `canonical`. */
double gv_reach(const gv_feature_tree *tree, double canonical);
/* Squared chord up to which exact distances of features are certainly within `canonical`; -1: none. */
double gv_sure_chord2(const gv_feature_tree *tree, double canonical);
/* As gv_reach if only an upper bound `chord` of a chord is known. */
double gv_reach_of_chord(const gv_feature_tree *tree, double chord);
/* The same, the slack being that of a chord that is not shorter. */
double gv_slack_of_chord(const gv_feature_tree *tree, double chord);
double gv_reach_with_slack(const gv_feature_tree *tree, double chord, double slack);

/* The square of a distance, in the metric, by how far apart boxes are on each axis. */
static inline double gv_square_of_gaps(const gv_feature_tree *tree, const double gap[3]) {
  if (tree->set->metric == GV_MANHATTAN) return (gap[0] + gap[1]) * (gap[0] + gap[1]);
  if (tree->set->metric == GV_CHEBYSHEV) return gap[0] > gap[1] ? gap[0] * gap[0] : gap[1] * gap[1];
  return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

/* The square of the distance from a box. */
double gv_box_distance2(const gv_feature_tree *tree, const gv_box_node *node, const double position[3]);

/* As gv_feature_nearest without looking inside: of the entries within `reach` (squared), the least by
 * (canonical, vertex). False if there is none. `position`: of q, in the tree's coordinates. */
bool gv_tree_nearest(const gv_feature_tree *tree, int32_t feature, const gv_edge_place *q,
                     const double position[3], bool boundary, double reach, gv_edge_closest *closest);

/* Bounds of the chord to the nearest place of an entry; those above `enough` may be coarse. */
void gv_tree_entry_chords(const gv_feature_tree *tree, int32_t entry, const double position[3], double enough,
                          double *low, double *high);

/* Bounds of the chord to a feature, if within `reach` (squared); else INFINITY. */
void gv_tree_chords(const gv_feature_tree *tree, int32_t feature, const double position[3], double reach,
                    double *low, double *high);

/* A walk over the features with boxes within a reach, the nearest boxes first. The visitor returns the new
 * reach. */
typedef double gv_visit_feature(void *user, int32_t feature, double box, double reach);
void gv_tree_walk(const gv_feature_tree *tree, const double position[3], double reach,
                  gv_visit_feature *visit, void *user);

/* The same over the points of features that are joined. */
typedef double gv_visit_point(void *user, int64_t vertex, double reach);
void gv_tree_walk_points(const gv_feature_tree *tree, const double position[3], double reach,
                         gv_visit_point *visit, void *user);

/* Not above the square of the chord to a point. */
double gv_tree_point_chord2(const gv_feature_tree *tree, int64_t vertex, const double position[3]);

#endif
