/* Computing one block. */
#ifndef GV_JOB_RASTER_COMPUTE_BLOCK_H
#define GV_JOB_RASTER_COMPUTE_BLOCK_H

#include "job/raster/compute/work.h"

/* The source of runs that compute. */
extern const gv_block_source gv_computed_blocks;

/* Totals of a raster of --sum that is read, of a gv_block_source. */
gv_sum_totals gv_run_sum_of_raster(const gv_run_work *work, int number);

/* The worker's distances of a block, in the library's unit, into a band of their raster, if it is computed:
 * in its unit, rounded to its type. */
void gv_run_put_band(const gv_run_work *work, const gv_run_worker *worker, const gv_raster_block *block,
                     const gv_rectangle *part, int64_t band);

/* Computes one block: a gv_raster_block_fn with a gv_run_work as `user`. Rasters of the plan for which the
 * block has no memory are not computed. */
gv_status gv_run_compute_block(gv_io *io, void *work, int number, gv_raster_block *block);

#endif
