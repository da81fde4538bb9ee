/* The engine `tile`: all CPUs, tile by tile. */
#ifndef GV_COST_TILE_H
#define GV_COST_TILE_H

#include "cost/raster.h"
#include "cost/start.h"

/* False for rasters that wrap and are so narrow that a tile would meet itself. */
bool gv_cost_has_tiles(const gv_cost *cost);

/* Finds all costs and seeds from these starts. */
gv_status gv_cost_tile_run(gv_context *context, gv_cost *cost, const gv_cost_starts *starts);

/* True if a cell has no cost because a sum exceeds the range of doubles. */
gv_status gv_cost_find_overflow(gv_context *context, gv_cost *cost, bool *overflows);

#endif
