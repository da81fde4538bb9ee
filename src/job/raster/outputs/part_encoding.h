#ifndef GV_JOB_RASTER_OUTPUTS_PART_ENCODING_H
#define GV_JOB_RASTER_OUTPUTS_PART_ENCODING_H

#include "job/raster/plan/job.h"

/* How a part's tiles are encoded, of the creation options for all: what loses nothing; free with CSLDestroy. */
char **gv_run_part_options(const gv_job *job);

#endif
