/*
 * The nearest line or polygon for cells that lie near each other.
 *
 * For k = 1 tiles are halved. For each tile, the edges that may be nearest to one of its cells are listed
 * (features/shortlist.h), from the list of its parent. If all of them belong to one feature and no edge
 * crosses the tile, its cells have one result; the same holds within a polygon. The remaining cells are
 * decided one by one from the list. All else (k > 1, weights, metrics without Euclidean chords) is computed
 * cell by cell (feature_cell.h).
 */
#ifndef GV_FEATURE_TILES_H
#define GV_FEATURE_TILES_H

#include "features/device_edges.h"
#include "voronoi/feature_cell.h"

enum { GV_FEATURE_TILES_LEVELS = 12 /* halvings, of both sides or of a span */ };

typedef struct gv_feature_tiles {
  const gv_voronoi *v;
  const gv_feature_lookup *index;
  bool serve;
  /* squares of chords: above `limit` no feature counts, up to `sure` every feature does */
  double limit, sure;
  gv_feature_cell *cell_search;
  gv_shortlist list[GV_FEATURE_TILES_LEVELS];
  int64_t columns; /* of `tile` */

  /* Input: the rectangle to compute, or a row of places, each near its neighbors, where v->cells has no
   * tables. */
  gv_tile tile;
  /* Positions of its cells, row by row; x is NaN for cells to skip; the last two are NULL on the plane. */
  double *x, *y, *z, *lon, *lat;
  /* Receives the features of `count` consecutive cells, -1 after the last. `within`: the cells are in the
   * first feature, a polygon. */
  void (*take)(void *user, int64_t cell, int64_t count, const int32_t *found, bool within);
  void *user;
} gv_feature_tiles;

/* Whether tiles are supported: for k = 1, if lists decide. */
bool gv_feature_tiles_supported(const gv_voronoi *v, const gv_feature_lookup *index);

/* Errors: OUT_OF_MEMORY. Both must outlive it. */
gv_status gv_feature_tiles_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                                gv_feature_tiles *out);
void gv_feature_tiles_clear(gv_context *context, gv_feature_tiles *tiles);

/* Each cell is passed to `take` once; cells with NaN possibly not. */
void gv_feature_tiles_solve(gv_feature_tiles *tiles);

/* features.c: whether a device is to find the features of cells, or the distances from them. */
bool gv_feature_device_pays(const gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                            bool distances);

/* A search of a device for the cells of a tile, within the maximum distance, with the grid's tables; `low`
 * for polygons. */
gv_edge_search gv_feature_block_search(const gv_voronoi *v, const gv_tile *tile);

#endif
