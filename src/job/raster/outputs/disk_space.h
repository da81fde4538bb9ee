/* Space for the parts of all ranks and the merged raster. */
#ifndef GV_JOB_RASTER_OUTPUTS_DISK_SPACE_H
#define GV_JOB_RASTER_OUTPUTS_DISK_SPACE_H

#include "job/raster/plan/plan.h"

/* An error if the file system of `temporary`, a directory beside an output, has fewer bytes left. */
gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes);

/* Called by rank 0 of several: an error if the file system has no space for the parts and the merged raster. */
gv_status gv_run_check_space(gv_io *io, const gv_run_plan *plan);

#endif
