/* Travel costs as the source of blocks. */
#ifndef GV_JOB_RASTER_COMPUTE_COSTS_H
#define GV_JOB_RASTER_COMPUTE_COSTS_H

#include "job/raster/compute/work.h"

/* The source of runs with --cost: all costs are found before the first block. */
extern const gv_block_source gv_cost_blocks;

#endif
