/*
 * The nearest line or polygon for cells that lie near each other.
 *
 * For the nearest feature alone tiles are halved: of each the edges are listed that may be the nearest in one of its cells
 * (features/shortlist.h), from those of the tile that it is a part of. Where all of these belong to one feature, and no edge passes through
 * the tile, its cells have one answer; so they have within a polygon. What is left is asked cell by cell, of the list. All else (ranks,
 * weights, metrics without Euclidean chords) is asked cell by cell from the beginning (feature_cell.h).
 */
#ifndef GV_FEATURE_TILES_H
#define GV_FEATURE_TILES_H

#include "voronoi/feature_cell.h"

enum { GV_FEATURE_TILES_LEVELS = 12 /* halvings, of both sides or of a span */ };

typedef struct gv_feature_tiles {
  const gv_voronoi *v;
  const gv_feature_lookup *index;
  bool serve;
  double limit, sure; /* squares of chords: beyond the one nothing counts, up to the other everything does */
  gv_contest *contest;
  gv_shortlist list[GV_FEATURE_TILES_LEVELS];
  int64_t columns; /* of `tile` */

  /* To be set: the rectangle that is asked about, or a row of places, each near its neighbours, with v->cells.shape GV_CELLS_POINTS. */
  gv_tile tile;
  /* Of its cells, row by row; x is NaN where nothing is asked, the last two are NULL on the plane. */
  double *x, *y, *z, *lon, *lat;
  /* Takes the features of `count` cells that follow each other, -1 where there are no more. `within`: they lie in the first, a polygon. */
  void (*take)(void *user, int64_t cell, int64_t count, const int32_t *found, bool within);
  void *user;
} gv_feature_tiles;

/* Whether tiles serve: for the nearest alone, where lists tell. */
bool gv_feature_tiles_serve(const gv_voronoi *v, const gv_feature_lookup *index);

/* Errors: OUT_OF_MEMORY. Both must outlive it. */
gv_status gv_feature_tiles_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                                gv_feature_tiles *out);
void gv_feature_tiles_clear(gv_context *context, gv_feature_tiles *tiles);

/* Each cell is taken once; those with NaN perhaps. */
void gv_feature_tiles_solve(gv_feature_tiles *tiles);

#endif
