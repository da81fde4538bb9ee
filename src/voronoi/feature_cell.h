/*
 * The nearest lines and polygons of one cell of a grid.
 *
 * First the polygons that contain the cell are found; they are at distance 0. The others are found by a walk
 * over the features' boxes. If exact values need an iteration, chords bound the distances of features first
 * (features/tree.h); exact distances are computed only for those that may be among the nearest, the least
 * chords first. Features of points only, joined in one tree, are visited point by point: each feature keeps
 * its nearest point so far, and farther points are skipped. `serial` computes every edge for every cell.
 */
#ifndef GV_FEATURE_CELL_H
#define GV_FEATURE_CELL_H

#include "features/finder.h"
#include "features/index.h"
#include "search/nearest_list.h"
#include "voronoi/engine.h"

/* A feature that may be the nearest, and the chords that bound it. */
typedef struct gv_feature_candidate {
  int32_t feature;
  double low, high;
} gv_feature_candidate;

enum { GV_MOST_CANDIDATES = 256 };

/* A feature among the nearest so far, by its nearest point so far. */
typedef struct gv_held_feature {
  double value, reach; /* exact; squares of chords above which no feature is as near */
  int64_t vertex;
  int32_t feature;
} gv_held_feature;

/* One cell and its neighbors. */
typedef struct gv_feature_cell {
  const gv_voronoi *v;
  const gv_feature_lookup *index;
  const gv_edge_place *q;
  gv_finder finder;
  gv_nearest_list list;
  double value[GV_VORONOI_MAX_K];
  int64_t number[GV_VORONOI_MAX_K];
  int32_t around; /* number of features that contain the cell */
  /* Of features that do not contain it, by chords: those that may be among the nearest, and the least upper
   * bounds. */
  gv_feature_candidate candidate[GV_MOST_CANDIDATES];
  int32_t candidates;
  bool crowded; /* there were more */
  gv_nearest_list highs;
  double high[GV_VORONOI_MAX_K];
  int64_t high_number[GV_VORONOI_MAX_K];
  /* Of features that are joined, the nearest first: until the next cell begins, those of the last. */
  gv_held_feature held[GV_VORONOI_MAX_K];
  int32_t held_count;
} gv_feature_cell;

/* Errors: OUT_OF_MEMORY. Both must outlive it. */
gv_status gv_feature_cell_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                               gv_feature_cell *c);
void gv_feature_cell_clear(gv_feature_cell *c);

/* Prepares c->finder for a feature and c->q only; false: the feature has no edges. */
bool gv_feature_cell_aim(gv_feature_cell *c, int32_t feature);

/* The neighbors of c->q, by number; -1 after the last. */
void gv_feature_cell_k_nearest(gv_feature_cell *c, int32_t *found);

/* The nearest feature of a list that contains it, -1 if the list has none. Without `locate` the cell must not
 * be in a polygon; k is 1, without weights; `sure`: gv_sure_chord2 of the limit. */
int32_t gv_feature_cell_nearest(gv_feature_cell *c, const gv_shortlist *list, bool locate, double sure);

#endif
