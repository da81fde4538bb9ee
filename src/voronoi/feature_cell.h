/*
 * One cell of a grid and lines and polygons: which are its nearest.
 *
 * A cell first learns which polygons it lies in; these are at distance 0. The rest is a walk over the features' boxes. Where
 * canonical values take an iteration, chords bound the distances of features first (features/tree.h), and only those that may be among the
 * nearest, of a single one where there are more, are asked about canonically, the least chords first. Features that are points alone, joined in one tree, are met point by point: each of
 * those held has its nearest so far, beyond which no other point of it is looked at. `serial` takes no such short cut: every edge for
 * every cell.
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
  double value, reach; /* canonical; squares of chords beyond which nothing is as near */
  int64_t vertex;
  int32_t feature;
} gv_held_feature;

/* One cell, and what is known of its neighbours. */
typedef struct gv_contest {
  const gv_voronoi *v;
  const gv_feature_lookup *index;
  const gv_edge_place *q;
  gv_finder finder;
  gv_nearest_list list;
  double value[GV_VORONOI_MAX_K];
  int64_t number[GV_VORONOI_MAX_K];
  int32_t around; /* how many features the cell lies in */
  /* Of those it does not lie in, by chords: what may be among the nearest, and the least upper bounds. */
  gv_feature_candidate candidate[GV_MOST_CANDIDATES];
  int32_t candidates;
  bool crowded; /* there were more */
  gv_nearest_list highs;
  double high[GV_VORONOI_MAX_K];
  int64_t high_number[GV_VORONOI_MAX_K];
  /* Of features that are joined, the nearest first: until the next cell begins, those of the last. */
  gv_held_feature held[GV_VORONOI_MAX_K];
  int32_t held_count;
} gv_contest;

/* Errors: OUT_OF_MEMORY. Both must outlive it. */
gv_status gv_contest_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index, gv_contest *c);
void gv_contest_clear(gv_contest *c);

/* Makes c->finder ready for a feature and c->q alone; false: it has no edges. */
bool gv_contest_aim(gv_contest *c, int32_t feature);

/* The neighbours of c->q, by number; -1 where there are no more. */
void gv_contest_rank(gv_contest *c, int32_t *found);

/* The nearest of the features of a list that holds it, -1 if there is none. The cell is known not to be in a polygon unless `locate`;
 * k is 1, without weights; `sure`: gv_sure_chord2 of the limit. */
int32_t gv_contest_nearest(gv_contest *c, const gv_shortlist *list, bool locate, double sure);

#endif
