/*
 * The command as one of several processes (ranks) that an MPI launcher (mpirun, mpiexec, srun) has started.
 * They communicate by three collective calls, allreduce (maximum), allgatherv and alltoallv, which have the
 * types of gv_communicator (gpuvoronoi/experimental.h), so that the library's distributed searches use them
 * too. Processes without a launcher, or with one rank only, never open MPI.
 *
 * Functions with a gv_io are collective, all ranks call them in the same order from the main thread. They end
 * early, with an error, where io->cancelled returns true; the launcher then ends the other ranks.
 */
#ifndef GV_DISTRIBUTED_COMMUNICATOR_H
#define GV_DISTRIBUTED_COMMUNICATOR_H

#include "gpuvoronoi/experimental.h"
#include "io/io.h"

enum { GV_BROADCAST_MOST = 1 << 13 };

typedef struct gv_host {
  char name[256];
} gv_host;

/* After it is opened, calls do not allocate memory, so that no rank leaves the order of calls when out of
 * memory. */
typedef struct gv_cluster {
  gv_communicator all;
  void (*finish)(void);
  gv_host *hosts;            /* by rank */
  int *numbers;              /* sizes and offsets of the calls: four times the number of ranks */
  char *own;                 /* data that this rank sends to all: GV_BROADCAST_MOST bytes */
  int host_rank, host_ranks; /* number and count among the ranks of this host */
  /* this rank's share of the host's CPUs; if the launcher binds ranks to CPUs, those */
  int threads;
  int host_threads; /* CPUs that this rank may use while the others wait */
} gv_cluster;

/* By the launcher's environment: 0 of 1 without one. */
int gv_launcher_rank(void);
int gv_launcher_ranks(void);

/* True if the launcher ends all ranks once one has exited with an error. */
bool gv_launcher_ends_all(void);

/* Starts MPI. To be closed in any case; `*out` begins as {0}. */
gv_status gv_cluster_open(gv_io *io, gv_cluster *out);

/* Ends MPI, once all ranks have called it, unless cancelled; frees. */
void gv_cluster_close(gv_io *io, gv_cluster *communicator);

/* The GPU of this rank, if none (-1) is requested: the ranks of a host use its GPUs in turn. Not
 * collective. */
int gv_cluster_device(const gv_cluster *communicator, int requested);

/* `status` without a communicator (NULL). GV_OK if `status` is that on all ranks. Otherwise all ranks get the
 * status and message of the lowest rank that failed, which is named unless it is rank 0; CANCELLED if no rank
 * failed but some were cancelled. */
gv_status gv_cluster_agree(gv_io *io, const gv_cluster *communicator, gv_status status);

/* Copies `count` bytes, GV_BROADCAST_MOST at most, of rank `from` to all ranks. */
gv_status gv_cluster_broadcast(gv_io *io, const gv_cluster *communicator, int from, void *bytes, int count);

/* Sets *value to the maximum over all ranks. */
gv_status gv_cluster_largest(gv_io *io, const gv_cluster *communicator, int *value);

/* `size` bytes of each rank, in the order of ranks, to all ranks. */
gv_status gv_cluster_gather(gv_io *io, const gv_cluster *communicator, const void *own, void *all, int size);

/* sizes[p] bytes of each rank p to rank 0, one after another; the sum is INT_MAX at most. `own` has
 * sizes[rank] bytes. */
gv_status gv_cluster_collect(gv_io *io, const gv_cluster *communicator, const void *own, void *all,
                             const int *sizes);

#endif
