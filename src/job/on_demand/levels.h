/* Making levels ready. */
#ifndef GV_JOB_ON_DEMAND_LEVELS_H
#define GV_JOB_ON_DEMAND_LEVELS_H

#include "job/on_demand/state.h"

/* Reads level 0's inputs and plans it, once. */
gv_status gv_on_demand_read_seeds(gv_io *io, gv_on_demand *on_demand);

/* Makes a level ready. */
gv_status gv_on_demand_prepare(gv_io *io, gv_on_demand *on_demand, int level);

/* The same before the raster's properties are known. */
gv_status gv_on_demand_read_first(gv_on_demand *on_demand);
void gv_on_demand_free_level(gv_on_demand_level *level);

#endif
