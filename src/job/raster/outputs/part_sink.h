/* The part file of a run of one part. */
#ifndef GV_JOB_RASTER_OUTPUTS_PART_SINK_H
#define GV_JOB_RASTER_OUTPUTS_PART_SINK_H

#include "job/raster/outputs/sink.h"

gv_sink_plan_fn gv_part_sink_plan;

/* An error if the file system of `temporary`, a directory beside an output, has fewer bytes left for the
 * parts of all ranks and the merged raster. */
gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes);

#endif
