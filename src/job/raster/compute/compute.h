/* What the blocks of a run are computed with: the source, and the workers' state. */
#ifndef GV_JOB_RASTER_COMPUTE_COMPUTE_H
#define GV_JOB_RASTER_COMPUTE_COMPUTE_H

#include "job/raster/compute/work.h"

/* What computes the blocks of these inputs. */
gv_block_source gv_run_choose_source(const gv_run_inputs *in);

/* Makes the workers' state for computing blocks. */
gv_status gv_run_prepare(gv_io *io, gv_run_work *work);

/* The attribute table of all blocks that were scanned. */
gv_status gv_run_make_table(gv_io *io, gv_run_work *work, bool every_size, gv_attribute_table *out);

void gv_run_work_free(gv_run_work *work);

#endif
