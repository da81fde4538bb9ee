/*
 * A block of a list of places, in an order in which neighbors are near each other: its own, if that is so, or
 * along the curve of S2. 4^bits consecutive places in that order are a part, as of a mesh; its bound is
 * computed from the positions.
 */
#ifndef GV_MESH_LIST_H
#define GV_MESH_LIST_H

#include "voronoi/cpu/list_table.h"

typedef struct gv_mesh_list {
  int64_t count;           /* cells of the block that have a place */
  const double *x, *y, *z; /* theirs, in that order, padded by GV_TABLE_PADDING */
  const int32_t *cell;     /* their numbers, from the block's first */
  const double *box;       /* of every 64 of them: low x, y, z, high x, y, z */
} gv_mesh_list;

/* Of the cells of `tile`, but those that the table (NULL: none) has; the memory is the workspace's. Cells of
 * `block` without a place get nodata in all bands, those in the table their results. */
gv_status gv_mesh_list_make(gv_context *context, const gv_voronoi *v, gv_workspace *space,
                            const gv_list_table *table, const gv_tile *tile, const gv_labels *block,
                            gv_mesh_list *out);

/* Of `count` cells from `first`, a multiple of 64, on. */
void gv_mesh_list_bound(const gv_mesh_list *list, int64_t first, int64_t count, gv_bound *out);

/* The bound of a box. */
void gv_mesh_box_bound(const double low[3], const double high[3], gv_bound *out);

#endif
