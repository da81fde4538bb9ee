/*
 * gpuvoronoi - one question by the processes of an MPI communicator: each computes its cells of a grid, and finds the nearest of all
 * processes' points.
 *
 * SPDX-License-Identifier: MIT
 *
 * The functions are compiled into the program that includes this, with the MPI that it is made for: mpicc program.c -lgpuvoronoi. What
 * they do is in the library (gpuvoronoi/experimental.h), which knows nothing of MPI, so one library serves all of them. The conventions of
 * gpuvoronoi.h hold here too, and: functions that are said to be collective are called by all processes of the communicator, in the same
 * order as all else they do with it. They return the same status everywhere, and where another process failed the message names it. They
 * call MPI from the thread that called them (MPI_THREAD_FUNNELED will do). What MPI itself reports goes to the communicator's error
 * handler first; where that returns, the status is GV_ERROR_IO.
 */
#ifndef GPUVORONOI_MPI_H
#define GPUVORONOI_MPI_H

#include <mpi.h>

#include "experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- communicators */

/*
 * Example:
 *     gv_communicator all;
 *     MPI_Comm world = MPI_COMM_WORLD;
 *     if (gv_mpi_communicator(&world, &all) != GV_OK) return 1;
 *     printf("process %d of %d\n", all.rank, all.ranks);
 */

static inline int gv_mpi_allreduce_max(void *user, int value, int *out) {
  return MPI_Allreduce(&value, out, 1, MPI_INT, MPI_MAX, *(MPI_Comm *)user) != MPI_SUCCESS;
}

static inline int gv_mpi_allgatherv(void *user, const void *own, void *all, const int *bytes, const int *places) {
  int rank = 0;
  if (MPI_Comm_rank(*(MPI_Comm *)user, &rank) != MPI_SUCCESS) return 1;
  return MPI_Allgatherv(own, bytes[rank], MPI_BYTE, all, bytes, places, MPI_BYTE, *(MPI_Comm *)user) != MPI_SUCCESS;
}

static inline int gv_mpi_alltoallv(void *user, const void *out, const int *out_bytes, const int *out_places,
                                   void *in, const int *in_bytes, const int *in_places) {
  return MPI_Alltoallv(out, out_bytes, out_places, MPI_BYTE, in, in_bytes, in_places, MPI_BYTE,
                       *(MPI_Comm *)user) != MPI_SUCCESS;
}

/*
 * A communicator as the library knows it: *out refers to *communicator, which must stay where it is as long as *out is used. Not
 * collective. Errors: INVALID_ARGUMENT (NULL), IO.
 */
static inline gv_status gv_mpi_communicator(MPI_Comm *communicator, gv_communicator *out) {
  gv_communicator made = {sizeof(gv_communicator), 0, 1, NULL, gv_mpi_allreduce_max, gv_mpi_allgatherv,
                          gv_mpi_alltoallv};
  if (communicator == NULL || out == NULL) return GV_ERROR_INVALID_ARGUMENT;
  made.user = communicator;
  if (MPI_Comm_rank(*communicator, &made.rank) != MPI_SUCCESS) return GV_ERROR_IO;
  if (MPI_Comm_size(*communicator, &made.ranks) != MPI_SUCCESS) return GV_ERROR_IO;
  *out = made;
  return GV_OK;
}

/* --------------------------------------------------------------------------------------------- this process's cells */

/*
 * Example:
 *     const double x[2] = {1.0, 3.0}, y[2] = {1.0, 9.0};
 *     gv_seeds seeds = {x, y, 2}; // all processes have all seeds
 *     gv_grid grid;
 *     gv_grid_init(&grid);
 *     gv_voronoi_options options;
 *     gv_voronoi_options_init(&options);
 *     gv_voronoi *voronoi = NULL;
 *     gv_window own = {0, 0, 0, 0};
 *     int32_t *nearest = NULL;
 *     grid.width = 4;
 *     grid.height = 10;
 *     options.block_height = 2; // at most five processes have cells
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 *     if (status == GV_OK) status = gv_mpi_voronoi_part(MPI_COMM_WORLD, context, voronoi, &own);
 *     nearest = (int32_t *)malloc((size_t)(own.width * own.height) * sizeof *nearest + 1);
 *     if (status == GV_OK) status = gv_mpi_voronoi_compute(MPI_COMM_WORLD, context, voronoi, nearest, own.width);
 *     // ... row r of `nearest` is row own.row + r of the grid
 *     free(nearest);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK) return 1;
 */

/*
 * The cells that this process is to compute: gv_voronoi_part of as many parts as there are processes, so together they are the grid, in
 * the order of the processes. *out is in cells. Not collective. Errors: INVALID_ARGUMENT, IO.
 */
static inline gv_status gv_mpi_voronoi_part(MPI_Comm communicator, gv_context *context, const gv_voronoi *voronoi,
                                            gv_window *out) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK ? gv_voronoi_part(context, voronoi, all.rank, all.ranks, out) : status;
}

/*
 * Computes them: gv_voronoi_compute_part, which says where they go in `out`, the caller's. Without a message to another process, so not
 * collective: what each has is what one process alone has there. Errors: as gv_voronoi_compute_part, IO.
 */
static inline gv_status gv_mpi_voronoi_compute(MPI_Comm communicator, gv_context *context,
                                               const gv_voronoi *voronoi, int32_t *out, int64_t stride) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK ? gv_voronoi_compute_part(context, voronoi, all.rank, all.ranks, out, stride) : status;
}

/* ---------------------------------------------------------------------------------------- nearest of all processes */

/*
 * Example:
 *     int rank = 0, ranks = 1;
 *     MPI_Comm_rank(MPI_COMM_WORLD, &rank);
 *     MPI_Comm_size(MPI_COMM_WORLD, &ranks);
 *     const double place = rank, position = ranks - 1 - rank; // process p has the point p of a line, and asks about another one's
 *     gv_points own = {&place, 1, 1, GV_FLOAT64}, query = {&position, 1, 1, GV_FLOAT64};
 *     gv_index *index = NULL;
 *     int64_t nearest = -1;
 *     double distance = -1;
 *     gv_status status = gv_index_build(context, &own, NULL, &index); // all must get this far
 *     if (status == GV_OK)
 *       status = gv_mpi_index_search(MPI_COMM_WORLD, context, index, &query, NULL, &nearest, &distance);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || nearest != ranks - 1 - rank || distance != 0) return 1;
 */

/*
 * gv_index_search_distributed: the k nearest of all processes' points for this process's queries, by (canonical distance, index). Each
 * process has an index of its own points (count >= 1, one dimension and metric), which are numbered in the order of the processes.
 * queries: count x dim, of this process, any number (NULL: its own points). indices, distances: count x k, caller-owned, as
 * gv_index_search gives them for one index of all points; distances may be NULL. Collective. Errors: as gv_index_search_distributed.
 */
static inline gv_status gv_mpi_index_search(MPI_Comm communicator, gv_context *context, const gv_index *index,
                                            const gv_points *queries, const gv_search_options *options,
                                            int64_t *indices, double *distances) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK ? gv_index_search_distributed(context, &all, index, queries, options, indices, distances)
                         : status;
}

/* The same on the globe: gv_globe_index_search_distributed. Queries in degrees, distances in metres. Collective. */
static inline gv_status gv_mpi_globe_index_search(MPI_Comm communicator, gv_context *context,
                                                  const gv_globe_index *index, const gv_seeds *queries,
                                                  const gv_search_options *options, int64_t *indices,
                                                  double *distances) {
  gv_communicator all;
  gv_status status = gv_mpi_communicator(&communicator, &all);
  return status == GV_OK
             ? gv_globe_index_search_distributed(context, &all, index, queries, options, indices, distances)
             : status;
}

#ifdef __cplusplus
}
#endif

#endif
