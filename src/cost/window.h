/*
 * A tile with the cells around it, in one worker's memory: loaded, solved up to a limit, and stored.
 *
 * A cell is pending if its moves must be tried (again). Moves begin in cells of the tile; they also improve
 * the cells around it, which are then pending for their own tiles.
 */
#ifndef GV_COST_WINDOW_H
#define GV_COST_WINDOW_H

#include "cost/moves.h"
#include "cost/raster.h"
#include "cost/tiling.h"

enum {
  GV_COST_SIDE = GV_COST_TILE + 2 * GV_COST_MARGIN,
  GV_COST_BUCKETS = 1024,
  GV_COST_ENTRIES = 4 * GV_COST_TILE * GV_COST_TILE - 1
};

/* How a cell was reached (gv_cost.from): the number of the move, or by a start. */
enum {
  GV_COST_BY_START = 63,
  GV_COST_BY = 63,
  GV_COST_AROUND = 64 /* not in the tile */,
  GV_COST_PENDING = 128
};

/* An entry of a bucket. */
typedef struct gv_cost_pending {
  uint16_t cell, next;
} gv_cost_pending;

typedef struct gv_cost_window {
  double friction[GV_COST_SIDE * GV_COST_SIDE], cost[GV_COST_SIDE * GV_COST_SIDE];
  int32_t seed[GV_COST_SIDE * GV_COST_SIDE];
  uint8_t from[GV_COST_SIDE * GV_COST_SIDE];
  gv_cost_tile tile;
  bool lowers_seeds; /* costs are final: only the seeds of equal costs are lowered */
  double least[9];   /* pending costs left in the tile (4) and in those around it; INFINITY: none */
  int64_t reached;   /* cells of the tile that had no cost before */
  bool may_overflow;
  double base, scale, limit; /* bucket of a cost: (cost - base) * scale */
  int bucket;                /* the first one that may have entries */
  uint16_t unused, used;     /* first entry that was taken; 0: none, as for all lists. Entries used so far. */
  uint16_t head[GV_COST_BUCKETS], tail[GV_COST_BUCKETS];
  gv_cost_pending entries[GV_COST_ENTRIES + 1];
} gv_cost_window;

void gv_cost_window_load(gv_cost_window *window, gv_cost *cost, const gv_cost_tile *tile);

/* Tries the moves of pending cells up to a cost of `limit`. */
void gv_cost_window_solve(gv_cost_window *window, const gv_cost *cost, double limit);

/* Makes cells pending that may lower the seed of another one at equal cost. False: there are none. */
bool gv_cost_window_find_ties(gv_cost_window *window, const gv_cost *cost);

/* A move's cost overflows and leaves a cell without a seed. */
bool gv_cost_window_overflows(const gv_cost_window *window, const gv_cost *cost);

void gv_cost_window_store(gv_cost_window *window, gv_cost *cost);

#endif
