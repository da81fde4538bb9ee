/*
 * Edges that may hold the nearest point for the cells of a tile.
 *
 * A tile's positions lie in a ball. With m its middle, r its radius, s the nearest place to m of an edge's
 * chord, D = |s - m|, and p, P the same of the edge with the least upper bound, the pivot: for a place s'
 * of the chord and q = m + t, |t| <= r,
 *   |q - s'|^2 - |q - p|^2 = |m - s'|^2 - P^2 - 2 t.(s' - p)
 *                         >= D^2 + |s' - s|^2 - P^2 - 2 r |s - p| - 2 r |s' - s|   (the chord is convex:
 *                         the angle at s is not acute) >= G = D^2 - P^2 - 2 r |s - p| - r^2.
 * The edge's own places are within its sag of s', the pivot's edge comes within its sag of p. A loser
 * against a chord c has a square above gv_reach_of_chord(c), which grows faster with c than c^2; c is at
 * most C = P + r + sag(p). So with
 *   T = gv_reach_of_chord(C) - (P + r)^2, S = sqrt(gv_reach_of_chord(C)):
 * G > T + 2 sag S + sag^2 means that the edge loses against the pivot's in every cell. Rounding errors are
 * about 1e-15 D^2, which the test covers; T contains 1e-12 C^2.
 */
#ifndef GV_SHORTLIST_H
#define GV_SHORTLIST_H

#include "cells/grid.h"
#include "features/tree.h"

typedef struct gv_ball {
  double center[3], radius;
} gv_ball;

/* That around the middle of some places' box; position[2] is NULL on the plane. */
gv_ball gv_ball_around(const double *const position[3], const int32_t *which, int32_t count);

/* A ball around all cells of a tile of a grid with tables by column and row. */
gv_ball gv_ball_of_tile(const gv_cells *cells, const gv_tile *tile);

/* Entries of a tree with their chords: from a on by d. Arrays are padded to whole vectors. */
typedef struct gv_shortlist {
  double *a[3], *d[3];
  double *inverse; /* 1 / d.d; 0: a point */
  double *sag;
  double *part,
      /* of the last queried position: its closest point on each chord, a + part d, and its distance */
      *chord;
  double *gain;
  double *near; /* of gv_shortlist_bound: a lower bound of the chord to the edge's nearest place */
  int32_t *entry, *feature;
  int32_t count, capacity;
  bool mixed;             /* edges of several features */
  double low, high;       /* bounds of the chord from the ball's middle to the nearest of all tested edges */
  double middle[3], rest; /* no edge that was left out is nearer to the middle than `rest` */
  int32_t pivot, owner;   /* the last pivot and its feature: where the next search begins */
  double *memory;
  gv_allocator allocator;
} gv_shortlist;

/* Whether lists are supported for a tree: not for metrics that are not Euclidean, nor if chords do not
 * decide. */
bool gv_feature_tree_lists(const gv_feature_tree *tree);

/* Room for `most` edges, or for all of the tree. Errors: OUT_OF_MEMORY. */
gv_status gv_shortlist_init(gv_context *context, const gv_feature_tree *tree, int32_t most,
                            gv_shortlist *out);
void gv_shortlist_clear(gv_shortlist *list);

/* The edges of one feature, or of all (-1), within `reach` (squared) of a tile. False if there are too many:
 * the list is incomplete. */
bool gv_shortlist_gather(const gv_feature_tree *tree, int32_t feature, const gv_ball *ball, double reach,
                         gv_shortlist *list);

/* The same for a part of the tile that `from` was made for. */
void gv_shortlist_narrow(const gv_feature_tree *tree, const gv_shortlist *from, const gv_ball *ball,
                         double reach, gv_shortlist *to);

/* Whether positions in the ball are all on the same side of each polygon, given a bound of the chord from its
 * middle to all edges. For balls of less than half the globe's radius, which intersect a convex surface in
 * one piece (Blaschke's rolling theorem). */
bool gv_ball_is_clear(const gv_feature_tree *tree, const gv_ball *ball, double low);

/* Data to test edges: the pivot's closest point, 2 r, S, 2 S, and the gain from which on they lose: T + P^2 +
 * r^2. */
typedef struct gv_chord_test {
  double place[3], twice_radius, root, twice_root, limit;
} gv_chord_test;

typedef struct gv_chord_kernels {
  /* Fills in part and chord. */
  void (*chords)(const gv_shortlist *list, const double position[3]);
  /* list->gain: D^2 - 2 r |s - p| - 2 sag S - sag^2. */
  void (*judge)(const gv_shortlist *list, const gv_chord_test *test);
} gv_chord_kernels;

GV_KERNEL_TABLE(gv_chord_kernels);

/* Computes part and chord of all entries and returns the one with the least chord; -1: the list is empty. */
int32_t gv_shortlist_nearest(const gv_feature_tree *tree, const gv_shortlist *list, const double position[3]);

/* The same, with `near` and *high, an upper bound of the chord to the nearest place of all entries. Returns
 * the entry with that. */
int32_t gv_shortlist_bound(const gv_feature_tree *tree, const gv_shortlist *list, const double position[3],
                           double *high);

#endif
