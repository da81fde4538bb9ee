/* One block by ways round barriers. */
#ifndef GV_JOB_RASTER_COMPUTE_BARRIER_BLOCK_H
#define GV_JOB_RASTER_COMPUTE_BARRIER_BLOCK_H

#include "job/raster/compute/work.h"

/* Seeds of a block, the lengths of its ways into the worker's distances, and azimuths into their raster. Errors are the library's. */
gv_status gv_run_barrier_block(const gv_run_work *work, gv_run_worker *worker, const gv_raster_block *block,
                               const gv_rectangle *part, const gv_labels *out);

#endif
