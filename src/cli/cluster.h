/*
 * The command as one of several processes that a launcher of MPI (mpirun, mpiexec, srun) has started: ranks. Processes that no
 * launcher has started, or one alone, never open MPI.
 */
#ifndef GV_CLI_CLUSTER_H
#define GV_CLI_CLUSTER_H

#include <stdatomic.h>

#include "io/io.h"
#include "mpi/mpi_module.h"

typedef struct cli_cluster {
  const gv_mpi_module *mpi;
  int rank, ranks;   /* of those that work */
  int number, count; /* of those that the launcher has started */
  bool idle;         /* another of this machine has the work, and the processors, of this one */
} cli_cluster;

/* By the launcher's environment: 0 of 1 if there is none. */
int cli_cluster_rank(void);
int cli_cluster_ranks(void);

/* An error for the standard input, which one rank alone has: EXIT_OK, or another status with the error printed. NULL is none. */
int cli_cluster_check_source(const char *source);

/*
 * Starts MPI; NULL: with the error printed. Of the ranks of one machine the first works, with the threads of all, so that what is asked about
 * is read and prepared once there; the others have nothing to do but leave. Not so where one of them has a device of its own to compute on,
 * where the environment variable GPUVORONOI_RANKS is "apart", or where the system does not give a process the processors of the others.
 * *threads: of this rank, 0 to be chosen, which it may stay. *device -1: to be chosen; ranks that work on one machine share its GPUs.
 */
const cli_cluster *cli_cluster_join(const char *backend, int *threads, int *device);
/* One status for all, the largest, once all have come to it; unless interrupted, when the launcher ends all. */
int cli_cluster_leave(const cli_cluster *cluster, int result);

/* Whether all went well, for all of them; if not, the first prints what the first that failed says, naming it. Where some were cancelled
 * nothing is printed. */
int cli_cluster_agree(const cli_cluster *cluster, const gv_io *io, gv_status status);

/* What the process is to end with, which is also given back. Some launchers end all once one has failed: who has failed without meeting the
 * others waits for that, so that the first, which fails likewise, can say why. */
int cli_cluster_end(int result);

/* What is told where MPI fails. */
gv_status cli_cluster_unreachable(gv_io *io);

/* True once in such a time, for what is looked at now and then; `last` begins as 0. */
bool cli_cluster_is_time(atomic_llong *last, int a_second);

/* One status for all that work, the largest. */
int cli_cluster_conclude(const cli_cluster *cluster, int result);

#endif
