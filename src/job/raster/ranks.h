/* Runs of the main job by several processes. */
#ifndef GV_JOB_RASTER_RANKS_H
#define GV_JOB_RASTER_RANKS_H

#include "job/description/job.h"

/* gv_job_run for all ranks of MPI. Collective, with the same job in all ranks; the outputs are the same bytes
 * as those of one process. Number of threads 0: a rank's share of its host. All ranks return the same status;
 * rank 0 gets the report. */
struct gv_cluster;
gv_status gv_job_run_by_ranks(gv_io *io, const struct gv_cluster *communicator, const gv_job *job);

#endif
