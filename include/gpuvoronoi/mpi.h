/**
 * @file mpi.h
 * gpuvoronoi for the processes of an MPI communicator: each process computes its part of a grid and searches
 * the points of all processes.
 *
 * SPDX-License-Identifier: MIT
 *
 * These functions are inline. They use the MPI that the program is compiled with: mpicc -DGV_EXPERIMENTAL
 * program.c -lgpuvoronoi. The library itself (experimental.h) does not depend on MPI. The conventions of
 * gpuvoronoi.h hold here too. Collective functions must be called by all processes of the communicator, in
 * the same order as their other collective calls. They return the same status in all processes; if another
 * process failed, the message names it. MPI is called from the calling thread (MPI_THREAD_FUNNELED is
 * enough). Errors of MPI are passed to the communicator's error handler; if that returns, the status is
 * GV_ERROR_IO.
 */
#ifndef GPUVORONOI_MPI_H
#define GPUVORONOI_MPI_H

#include <mpi.h>

#include "experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------ communicators */

/**
 * @par Example
 * @code
 * MPI_Comm world = MPI_COMM_WORLD;
 * gv_communicator all;
 * if (gv_mpi_communicator(&world, &all) != GV_OK) return 1;
 * printf("process %d of %d\n", all.rank, all.ranks);
 * if (all.rank >= all.ranks) return 1;
 * @endcode
 */

static inline int gv_mpi_allreduce_max(void *user, int value, int *out) {
  return MPI_Allreduce(&value, out, 1, MPI_INT, MPI_MAX, *(MPI_Comm *)user) != MPI_SUCCESS;
}

static inline int gv_mpi_allgatherv(void *user, const void *send, void *receive, const int *counts,
                                    const int *displacements) {
  int rank = 0;
  if (MPI_Comm_rank(*(MPI_Comm *)user, &rank) != MPI_SUCCESS) return 1;
  return MPI_Allgatherv(send, counts[rank], MPI_BYTE, receive, counts, displacements, MPI_BYTE,
                        *(MPI_Comm *)user) != MPI_SUCCESS;
}

static inline int gv_mpi_alltoallv(void *user, const void *send, const int *send_counts,
                                   const int *send_displacements, void *receive, const int *receive_counts,
                                   const int *receive_displacements) {
  return MPI_Alltoallv(send, send_counts, send_displacements, MPI_BYTE, receive, receive_counts,
                       receive_displacements, MPI_BYTE, *(MPI_Comm *)user) != MPI_SUCCESS;
}

/**
 * Converts an MPI communicator to a gv_communicator. Not collective.
 * @param communicator must stay valid, at the same address, as long as *out is used.
 * @param[out] out the callbacks of the communicator.
 * @return GV_OK, INVALID_ARGUMENT (NULL), IO.
 */
static inline gv_status gv_mpi_communicator(MPI_Comm *communicator, gv_communicator *out) {
  gv_communicator made;
  if (communicator == NULL || out == NULL) return GV_ERROR_INVALID_ARGUMENT;
  gv_communicator_init(&made);
  made.user = communicator;
  made.allreduce_max = gv_mpi_allreduce_max;
  made.allgatherv = gv_mpi_allgatherv;
  made.alltoallv = gv_mpi_alltoallv;
  if (MPI_Comm_rank(*communicator, &made.rank) != MPI_SUCCESS) return GV_ERROR_IO;
  if (MPI_Comm_size(*communicator, &made.ranks) != MPI_SUCCESS) return GV_ERROR_IO;
  *out = made;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------- this process's cells */

/**
 * @par Example
 * @code
 * const double x[2] = {1, 3}, y[2] = {1, 9};
 * const gv_points seeds = gv_points_xy(x, y, 2); // all processes have all seeds
 * const gv_grid grid = gv_grid_plane(4, 10, NULL);
 * gv_voronoi_options options;
 * gv_voronoi_options_init(&options);
 * options.block_height = 2; // at most five processes have cells
 * gv_labels local;
 * gv_labels_init(&local);
 * gv_voronoi *voronoi = NULL;
 * gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 * if (status == GV_OK) status = gv_mpi_voronoi_part(MPI_COMM_WORLD, context, voronoi, &local);
 * int32_t *nearest = (int32_t *)malloc((size_t)(local.columns * local.rows) * sizeof *nearest + 1);
 * local.out = nearest;
 * if (status == GV_OK && local.rows > 0)
 *   status = gv_voronoi_fill(context, voronoi, &local, NULL); // row r of nearest is row local.row + r
 * int good = status == GV_OK && (local.row > 0 || local.rows == 0 || nearest[0] == 0);
 * free(nearest);
 * gv_voronoi_destroy(voronoi);
 * if (!good) return 1;
 * @endcode
 */

/**
 * Returns the cells that this process computes with gv_voronoi_fill: part `rank` of `size` parts
 * (gv_voronoi_part). Not collective.
 * @param communicator of all processes that take part.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param[in,out] labels its column, row, columns and rows are set; initialize it before. Empty parts have
 * rows or columns 0.
 * @return GV_OK, INVALID_ARGUMENT, IO.
 */
static inline gv_status gv_mpi_voronoi_part(MPI_Comm communicator, gv_context *context,
                                            const gv_voronoi *voronoi, gv_labels *labels) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK ? gv_voronoi_part(context, voronoi, all.rank, all.ranks, labels) : status;
}

/* ------------------------------------------------------------------------------- nearest of all processes */

/**
 * @par Example
 * @code
 * int rank = 0, ranks = 1;
 * MPI_Comm_rank(MPI_COMM_WORLD, &rank);
 * MPI_Comm_size(MPI_COMM_WORLD, &ranks);
 * const double place = rank,
 *              position =
 *                  ranks - 1 - rank; // process p has the point p of a line, and searches for another one's
 * const gv_points local = gv_points_rows(&place, 1, 1, GV_FLOAT64),
 *                 query = gv_points_rows(&position, 1, 1, GV_FLOAT64);
 * gv_index *index = NULL;
 * int64_t nearest = -1;
 * double distance = -1;
 * gv_status status = gv_index_build(context, &local, NULL, &index); // all must get this far
 * if (status == GV_OK)
 *   status = gv_mpi_index_search(MPI_COMM_WORLD, context, index, &query, NULL, &nearest, &distance);
 * gv_index_destroy(index);
 * if (status != GV_OK || nearest != ranks - 1 - rank || distance != 0) return 1;
 * @endcode
 */

/**
 * gv_index_search_distributed for the processes of a communicator, with the same parameters, results and
 * errors. Collective.
 * @param communicator of all processes that take part.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param queries of this process; NULL = its own points.
 * @param options as for gv_index_search; in host memory. NULL = defaults.
 * @param[out] indices as gv_index_search_distributed writes them.
 * @param[out] distances likewise; may be NULL.
 * @return as gv_index_search_distributed.
 */
static inline gv_status gv_mpi_index_search(MPI_Comm communicator, gv_context *context, const gv_index *index,
                                            const gv_points *queries, const gv_search_options *options,
                                            int64_t *indices, double *distances) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK
             ? gv_index_search_distributed(context, &all, index, queries, options, indices, distances)
             : status;
}

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_MPI_H */
