/* Ways round barriers as the source of blocks. */
#ifndef GV_JOB_RASTER_COMPUTE_BARRIERS_H
#define GV_JOB_RASTER_COMPUTE_BARRIERS_H

#include "job/raster/compute/work.h"

/* The source of runs with --barriers: all ways to corners are found before the first block. */
extern const gv_block_source gv_barrier_blocks;

#endif
