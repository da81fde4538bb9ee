/*
 * The command as one of several processes that a launcher of MPI (mpirun, mpiexec, srun) has started: ranks, of which each computes a
 * part of the raster (job/part_file.h), and the first puts them together. Processes that no launcher has started, or one alone, never
 * open MPI.
 */
#ifndef GV_CLI_CLUSTER_H
#define GV_CLI_CLUSTER_H

#include "job/settings.h"

/* By the launcher's environment: 0 of 1 if there is none. */
int cli_cluster_rank(void);
int cli_cluster_ranks(void);

/* What a cluster cannot do, before anything is read: EXIT_OK, or another status with the error printed. */
int cli_cluster_check(const gv_job *job);

/* Carries out the job with all other ranks; the same status for all of them. */
int cli_cluster_run(gv_job_settings *settings, double begun);

#endif
