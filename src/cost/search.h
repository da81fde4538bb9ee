/* Dijkstra's algorithm: the cells in the order of (cost, seed), from a heap of those that were reached. */
#ifndef GV_COST_SEARCH_H
#define GV_COST_SEARCH_H

#include "cost/cost.h"

enum { GV_COST_SEARCH_BYTES = 8 /* a cell, about: its place in the heap, and the heap */ };

typedef struct gv_cost_entry {
  double cost;
  int32_t seed, cell;
} gv_cost_entry;

typedef struct gv_cost_search {
  gv_cost *raster;
  gv_cost_entry *heap;
  int64_t count, room;
  int32_t *place; /* of a cell in the heap; -1: not in it */
  bool failed;    /* out of memory */
} gv_cost_search;

gv_status gv_cost_search_begin(gv_context *context, gv_cost_search *search);
void gv_cost_search_end(gv_cost_search *search);

/* A way to a cell (its number with margins), with this cost: kept if it is the best one so far. */
void gv_cost_reach(gv_cost_search *search, int64_t cell, double cost, int32_t seed);

/* Settles all cells that can be reached. */
gv_status gv_cost_search_run(gv_context *context, gv_cost_search *search);

#endif
