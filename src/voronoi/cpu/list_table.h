/*
 * A table for lists of places: the globe in pieces between parallels and meridians, and of each piece the
 * seed that is the nearest all over it, if there is one. Places in such pieces need no position; the others
 * are left to the engine. For the nearest seed only, without weights or a limit.
 */
#ifndef GV_LIST_TABLE_H
#define GV_LIST_TABLE_H

#include "voronoi/cpu/cull.h"

typedef struct gv_list_table gv_list_table;

/* *out is NULL if a table does not pay, or is not for what `v` computes. */
gv_status gv_list_table_create(gv_context *context, const gv_voronoi *v, const gv_kernels *kernels,
                               gv_workspace_pool *pool, gv_list_table **out);
void gv_list_table_destroy(const gv_voronoi *v, gv_list_table *table);

/* Writes the results of those cells of `tile` that the table has. Returns how many are left; their numbers,
 * from the tile's first, are in `cell`, their longitudes and latitudes as given in `lon` and `lat`. All have
 * room for the tile. */
int64_t gv_list_table_apply(const gv_voronoi *v, const gv_list_table *table, const gv_tile *tile,
                            int32_t *out, int32_t *cell, double *lon, double *lat);

#endif
