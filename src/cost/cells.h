/*
 * Access to the cells of a raster in memory or in a file.
 *
 * In memory all cells are in rows, with margins. In a file they are in tiles, one after another, so that a
 * few pages hold all of the cells of a window. Zeros are a cell without a result there; tiles that no way has
 * reached have no results.
 */
#ifndef GV_COST_CELLS_H
#define GV_COST_CELLS_H

#include "cost/raster.h"

/* Arrays for some cells of a row; NULL: not wanted. */
typedef struct gv_cost_arrays {
  double *friction, *cost;
  int32_t *seed;
  uint8_t *from; /* as in gv_cost */
} gv_cost_arrays;

/* Makes the arrays; in a file if the settings have a folder. `from` is missing in memory. Errors:
 * OUT_OF_MEMORY, IO. */
gv_status gv_cost_cells_make(gv_context *context, gv_cost *cost);
void gv_cost_cells_free(gv_cost *cost);

/* `count` cells from (column, row) on, all of them in the raster. Several threads may call them at once for
 * different cells. */
void gv_cost_read(gv_cost *cost, int64_t column, int64_t row, int64_t count, const gv_cost_arrays *out);
void gv_cost_write(gv_cost *cost, int64_t column, int64_t row, int64_t count, const gv_cost_arrays *in);

/* All cells are without a result again. */
void gv_cost_clear_results(gv_cost *cost);

enum { GV_COST_NEAR = 2 * GV_COST_MARGIN + 1 };

/* A cell of the raster and those around it, as gv_cost_of_moves needs them. */
typedef struct gv_cost_near {
  const double *friction; /* of the cell */
  int64_t stride;
  double copy[GV_COST_NEAR * GV_COST_NEAR];
} gv_cost_near;

void gv_cost_look(gv_cost *cost, int64_t column, int64_t row, gv_cost_near *out);

/* Bytes of a file that come into memory with a tile and those around it, at most. */
int64_t gv_cost_bytes_around(const gv_cost *cost);

#endif
