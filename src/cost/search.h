/* Dijkstra's algorithm: the cells in the order of (cost, seed), from a heap of those that were reached. */
#ifndef GV_COST_SEARCH_H
#define GV_COST_SEARCH_H

#include "cost/start.h"

/* Finds all costs and seeds from these starts. */
gv_status gv_cost_search_run(gv_context *context, gv_cost *cost, const gv_cost_starts *starts);

#endif
