/* The first steps of seeds. */
#ifndef GV_COST_START_H
#define GV_COST_START_H

#include "cost/cost.h"

/* A way to a cell (its number with margins). */
typedef struct gv_cost_entry {
  double cost;
  int32_t seed, cell;
} gv_cost_entry;

typedef struct gv_cost_starts {
  gv_cost_entry *entries;
  int64_t count, room;
} gv_cost_starts;

/* Adds the steps from the position of seed number `seed` to the center of its cell and of those around it. *starts_here: it is in a
 * cell that is not a barrier. */
gv_status gv_cost_start(gv_context *context, gv_cost *cost, double x, double y, int32_t seed,
                        gv_cost_starts *starts, bool *starts_here);

#endif
