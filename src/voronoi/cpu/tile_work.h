/* The state of a block of a raster in computation, and operations on its tiles. */
#ifndef GV_TILE_WORK_H
#define GV_TILE_WORK_H

#include "voronoi/cpu/discs.h"

/* State of a block in computation. */
typedef struct gv_tile_work {
  const gv_voronoi *v;
  const gv_kernels *kernels;
  const gv_discs *discs;
  gv_workspace *space;
  gv_tile block;
  const gv_labels *target; /* mask, and where the block's cells go */
  int *uniform; /* NULL, or set to 1 if the whole block has one result and only its first cell is written */
  /* Blocks of points: row-major over the block. */
  const double *x, *y, *z, *lon, *lat;
  int64_t box_columns;
  int64_t mask_columns; /* boxes across the mask */
} gv_tile_work;

/* Where to split a length: at the largest power of two below it, so that tiles start at multiples of their
 * size. */
static inline int64_t gv_split_at(int64_t length) {
  int64_t half = 1;
  while (half * 2 < length)
    half *= 2;
  return half;
}

/* Output of a tile's cells. */
int32_t *gv_place_of_tile(const gv_tile_work *j, const gv_tile *tile);

/* Prepares the mask, box by box. */
gv_status gv_mask_prepare(gv_tile_work *j);

/* State of the mask in a tile: GV_KEEPS_SOME, GV_LEAVES_SOME, or both. Tiles start where boxes do. */
int gv_mask_of_tile(const gv_tile_work *j, const gv_tile *tile);

/* Writes a tile of one result: label[v->k]; NULL: nodata, ignoring the mask. */
void gv_fill_tile(const gv_tile_work *j, const gv_tile *tile, const int32_t *label);
void gv_fill_nodata(const gv_tile_work *j, const gv_tile *tile);

/* Resets the cells that the mask leaves out. */
void gv_mask_tile(const gv_tile_work *j, const gv_tile *tile);

/* Blocks of points (tile_points.c): positions of all cells, and boxes of its squares. */
gv_status gv_points_prepare(gv_context *context, gv_tile_work *j);

/* Bound of a tile of a block of points, from the boxes of its squares; false if no cell there has a
 * position. */
bool gv_points_bound(const gv_tile_work *j, const gv_tile *tile, gv_bound *out);

/* Resets cells of projected grids that have no position. */
void gv_drop_placeless(const gv_tile_work *j);

/* Answers a tile (tile_solve.c) at a depth of the descent; `in`: what may be nearest to one of its cells. */
gv_status gv_solve_tile(gv_context *context, const gv_tile_work *j, const gv_tile *tile, int depth,
                        const gv_candidates *in);

#endif
