/* The part file of a run of one part. */
#ifndef GV_JOB_RASTER_OUTPUTS_PART_OUTPUT_H
#define GV_JOB_RASTER_OUTPUTS_PART_OUTPUT_H

#include "job/raster/outputs/outputs.h"

/* Writes all computed data into one file. */
gv_status gv_run_write_part(gv_io *io, const gv_run_work *work, const gv_run_outputs *out);

#endif
