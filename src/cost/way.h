/* The way back from a cell to its seed. */
#ifndef GV_COST_WAY_H
#define GV_COST_WAY_H

#include "cost/cost.h"

/*
 * The position that the cell's first move towards its seed leads to: the seed's own, if the cell was reached
 * from it directly, else the center of the first of the previous cells, in the order of gv_cost_moves, that
 * have its seed and fl(D(previous) + cost) = D(cell), those with D(previous) < D(cell) before those of equal
 * cost. False: the cell has no seed, or is a cell of it.
 */
bool gv_cost_towards(gv_cost *cost, int64_t column, int64_t row, double position[2]);

/* The way from a cell to its seed, as in gv_cost_get_way. Errors: OUT_OF_MEMORY. */
gv_status gv_cost_follow(gv_context *context, gv_cost *cost, int64_t column, int64_t row,
                         const gv_cost_way *way);

#endif
