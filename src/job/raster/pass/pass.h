/* The third stage of a run: the pass over all blocks. */
#ifndef GV_JOB_RASTER_PASS_H
#define GV_JOB_RASTER_PASS_H

#include "job/raster/pass/progress.h"

struct gv_run_work;

/* All blocks, into the rasters, and for the statistics. */
gv_status gv_run_pass(gv_io *io, gv_run_progress *progress, struct gv_run_work *work);

#endif
