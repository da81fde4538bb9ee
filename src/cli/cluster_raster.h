/* Rasters by the ranks of a cluster. */
#ifndef GV_CLI_CLUSTER_RASTER_H
#define GV_CLI_CLUSTER_RASTER_H

#include "job/settings.h"

/* What a cluster cannot do, before anything is read: EXIT_OK, or another status with the error printed. */
int cli_cluster_check(const gv_job *job);

/* Carries out the job with all other ranks; the same status for all of them. */
int cli_cluster_run(gv_job_settings *settings, double begun);

#endif
