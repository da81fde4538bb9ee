/* Shared by the commands that run a job. */
#ifndef GV_CLI_VORONOI_RUN_H
#define GV_CLI_VORONOI_RUN_H

#include "job/description/description.h"

/* Runs the job, and prints its report. */
int voronoi_run(gv_job_settings *settings, double begun);

/* The same with the other ranks of MPI. */
int voronoi_run_by_ranks(gv_job_settings *settings, double begun);

#endif
