/*
 * The nearest point of one feature for many cells of a tile: the edges that may hold it are listed once, and
 * what each of them needs is made once. The results are the bits of gv_feature_nearest.
 */
#ifndef GV_FINDER_H
#define GV_FINDER_H

#include "features/edge_points.h"

enum { GV_FINDER_WIDE = 4 };

/* A list for all positions around, which those for some of them are made from. */
typedef struct gv_wide_list {
  gv_shortlist list;
  int32_t feature; /* -1: none */
  bool usable;
} gv_wide_list;

typedef struct gv_finder {
  const gv_feature_tree *tree;
  gv_shortlist list;
  gv_wide_list wide[GV_FINDER_WIDE];
  gv_ball around;          /* radius 0: other positions are unknown */
  int turn;                /* which of them is replaced next */
  gv_prepared_edge *known; /* of the list; NULL if distances need no search */
  bool usable;             /* the list exists, and contains all relevant edges */
  bool cuts;               /* edges that only cut a polygon are among them */
  bool narrow;             /* the list is made anew for each position */
  int32_t feature;
  int64_t vertex;               /* the closest point for all positions; -1: unknown, or none */
  double farthest, slack;       /* gv_slack_of_chord of a chord that hardly any position's is longer than */
  bool clear;                   /* all positions of the tile are on one side of the feature's polygons */
  struct gv_float_batch *batch; /* geodesics only */
  gv_allocator allocator;
} gv_finder;

/* Errors: OUT_OF_MEMORY. */
gv_status gv_finder_init(gv_context *context, const gv_feature_tree *tree, gv_finder *out);
void gv_finder_clear(gv_finder *finder);

/* Makes it ready for gv_finder_surround. Errors: OUT_OF_MEMORY. */
gv_status gv_finder_widen(gv_context *context, gv_finder *finder);

/* From now on it is about positions in this ball: tiles that follow lie in it. */
void gv_finder_surround(gv_finder *finder, const gv_ball *ball);

/* From now on it is about this feature and positions in this ball. */
void gv_finder_aim(gv_finder *finder, int32_t feature, const gv_ball *ball);

/* The nearest point of the feature's edges, cuts left out where `boundary`; false if it has none. */
bool gv_finder_nearest(gv_finder *finder, const gv_edge_place *q, bool boundary, gv_edge_closest *closest);

/*
 * The exact distance of the feature's closest point, without the point.
 *
 * With f the distance along an edge of a vertex, s = f' at the vertex, w the far end: f'' <= M = turn +
 * speed^2 / (f - speed), as r cot(r x) <= 1 / x (edge_search.c), so s >= f(w) - f(v) - M / 2. Chords bound
 * f(w) from below and f(v) from above (geodesic.h):
 *   arcs are at least x + x^3 / 6 + 3 x^5 / 40, at most x + x^3 / 6 + 3 x^5 / (40 (1 - x^2)), times 2 R, x
 *   = chord / 2 R.
 * If that s is sufficient for gv_edge_nearest_is_end, the edge's value is geod_inverse's to the vertex.
 * For all positions of a ball of radius r: the chord to w minus that to v changes by at most 2 |w - v| /
 * (their sum) with the position (Dunkl and Williams: distance of unit vectors), and the bounds of a
 * chord's arc differ more for longer chords.
 */
double gv_finder_distance(gv_finder *finder, const gv_edge_place *q, bool boundary);

/* Exact distances of the feature's edges for `count` positions (in the tree's coordinates, by axis), rounded
 * to floats, if the series decides them; else NAN. For geodesics. */
void gv_finder_floats(gv_finder *finder, int32_t count, const double *const position[3], bool boundary,
                      float *out);

#endif
