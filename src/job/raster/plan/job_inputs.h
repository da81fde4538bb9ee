#ifndef GV_JOB_RASTER_PLAN_JOB_INPUTS_H
#define GV_JOB_RASTER_PLAN_JOB_INPUTS_H

#include "job/raster/plan/job.h"

/* Adds everything that the job reads. */
gv_status gv_job_list_inputs(gv_io *io, const gv_job *job, gv_inputs *inputs);

#endif
