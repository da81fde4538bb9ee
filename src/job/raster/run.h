/* Runs of the main job. */
#ifndef GV_JOB_RASTER_RUN_H
#define GV_JOB_RASTER_RUN_H

#include "job/description/job.h"

/* Makes all outputs, or none. */
gv_status gv_job_run(gv_io *io, const gv_job *job);

#endif
