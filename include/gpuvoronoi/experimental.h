/**
 * @file experimental.h
 * gpuvoronoi, the experimental interface: parts of one task for several processes, searches of several processes, points that a function
 * reads. Arrays on CUDA devices (gv_memory in gpuvoronoi.h) are experimental too.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is declared here may change in any release. A program accepts that by defining GV_EXPERIMENTAL before it includes this header. The
 * conventions of gpuvoronoi.h hold here too.
 */
#ifndef GPUVORONOI_EXPERIMENTAL_H
#define GPUVORONOI_EXPERIMENTAL_H

#ifndef GV_EXPERIMENTAL
#error "gpuvoronoi/experimental.h may change in any release: define GV_EXPERIMENTAL to use it"
#endif

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ parts of grids */

/**
 * @par Example
 * @code
 * const double x[] = {1, 3}, y[] = {1, 9};
 * const gv_points seeds = gv_points_xy(x, y, 2);
 * gv_grid grid;
 * gv_grid_init(&grid);
 * grid.width = 4;
 * grid.height = 10;
 * gv_voronoi_options options;
 * gv_voronoi_options_init(&options);
 * options.block_height = 2; // five rows of blocks, of which the first part has two
 * gv_labels upper, lower;
 * gv_labels_init(&upper);
 * gv_labels_init(&lower);
 * int32_t nearest[10][4];
 * gv_voronoi *voronoi = NULL;
 * gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 * if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 0, 2, &upper);
 * if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 1, 2, &lower);
 * lower.out = nearest[lower.row];
 * if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &lower);
 * gv_voronoi_destroy(voronoi);
 * if (status != GV_OK || upper.rows != 4 || lower.row != 4 || lower.rows != 6 || nearest[9][0] != 1) return 1;
 * @endcode
 */

/**
 * The cells of part `part` (from 0) of `parts`. The parts are the whole grid one after another: whole rows of blocks, as many as the
 * others have or one more (GV_GRID_QTM: blocks of its only row). Where cells differ in cost, make more parts than there are processes
 * and let each compute every n-th.
 * @param[in,out] labels its column, row, columns and rows are set; initialise it before. A part without cells (fewer rows of blocks than
 *                       parts: lower options.block_height) has rows or columns 0: do not pass it on, 0 means up to the edge there.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *voronoi, int32_t part, int32_t parts,
                                 gv_labels *labels);

/* ------------------------------------------------------------------------------------------- parts of statistics */

/**
 * @par Example
 * @code
 * const double x[] = {1, 3}, y[] = {1, 1};
 * const gv_points seeds = gv_points_xy(x, y, 2);
 * const int32_t nearest[4] = {0, 0, 1, 1};
 * gv_grid grid;
 * gv_grid_init(&grid);
 * grid.width = grid.height = 4;
 * gv_statistics_cells row;
 * gv_statistics_cells_init(&row);
 * row.rows = 1;
 * row.seed = nearest;
 * gv_voronoi *voronoi = NULL;
 * gv_statistics *some = NULL, *whole = NULL;
 * gv_seed_statistics first;
 * gv_seed_statistics_init(&first);
 * unsigned char sums[256];
 * gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 * if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &some);
 * if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &whole);
 * if (status == GV_OK) status = gv_statistics_add(context, some, &row); // in one process; its sums go to another one
 * if (gv_statistics_sums_size(some) > sizeof sums) return 1;
 * for (int seed = 0; seed < 2 && status == GV_OK; seed++) {
 *   status = gv_statistics_get_sums(context, some, seed, sums);
 *   if (status == GV_OK) status = gv_statistics_add_sums(context, whole, seed, sums);
 * }
 * if (status == GV_OK) status = gv_statistics_get(context, whole, 0, &first);
 * gv_statistics_destroy(some);
 * gv_statistics_destroy(whole);
 * gv_voronoi_destroy(voronoi);
 * if (status != GV_OK || first.cells != 2) return 1;
 * @endcode
 */

/** @return the number of bytes of the sums of a seed, the same for all seeds; 0 for NULL. */
GV_API size_t gv_statistics_sums_size(const gv_statistics *statistics);

/**
 * What one seed, or group, has so far, as integers: the same bytes on every machine. They have a meaning for statistics of the same
 * grid, seeds, options and bounds only.
 * @param[out] sums gv_statistics_sums_size bytes.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sums(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                        void *sums);

/** Adds such bytes to a seed, or group, in any order. Thread safe. @return GV_OK, INVALID_ARGUMENT (also bytes that are no sums). */
GV_API gv_status gv_statistics_add_sums(gv_context *context, gv_statistics *statistics, int64_t seed,
                                        const void *sums);

/* --------------------------------------------------------------------------------------------- parts of searches */

/**
 * @par Example
 * @code
 * const double places[] = {0, 0, 3, 4, 10, 0, 3, 4}, position[] = {3, 3}; // four points, of which each half has an index
 * const gv_points low = gv_points_rows(places, 2, 2, GV_FLOAT64), high = gv_points_rows(places + 4, 2, 2, GV_FLOAT64);
 * const gv_points query = gv_points_rows(position, 1, 2, GV_FLOAT64);
 * gv_search_options two;
 * gv_search_options_init(&two);
 * two.k = 2;
 * gv_index *half[2] = {NULL, NULL};
 * int64_t found[2][2], nearest[2];
 * double value[2][2], distance[2];
 * const int64_t *const all_found[2] = {found[0], found[1]};
 * const double *const all_values[2] = {value[0], value[1]};
 * gv_status status = gv_index_build(context, &low, NULL, &half[0]);
 * if (status == GV_OK) status = gv_index_build(context, &high, NULL, &half[1]);
 * for (int part = 0; part < 2 && status == GV_OK; part++)
 *   status = gv_index_search_part(context, half[part], &query, &two, 0, 2 * part, found[part], value[part]);
 * if (status == GV_OK) status = gv_neighbors_join(context, 2, 1, 2, all_found, all_values, nearest, distance);
 * if (status == GV_OK) status = gv_index_distances(context, half[0], 2, distance);
 * gv_index_destroy(half[0]);
 * gv_index_destroy(half[1]);
 * if (status != GV_OK || nearest[0] != 1 || nearest[1] != 3 || distance[1] != 1) return 1; // a tie: the lower number first
 * @endcode
 */

/**
 * gv_index_search for some of all queries among some of all reference points, of which the index (GV_INDEX_POINTS, GV_INDEX_GLOBE) was
 * built.
 * @param queries         numbers first_query, ... of all. GV_INDEX_POINTS: with no coordinates they are the index's own points of those
 *                        numbers.
 * @param first_query     number of the first query among all.
 * @param first_reference number of the index's first point among all. With exclude_self query i of all skips point i of all.
 * @param[out] indices    count x k numbers of all points; -1 where there are fewer.
 * @param[out] canonical  count x k canonical distances, which tell apart what rounded distances do not; INFINITY where there are fewer;
 *                        may be NULL.
 * @return as gv_index_search.
 */
GV_API gv_status gv_index_search_part(gv_context *context, const gv_index *index, const gv_points *queries,
                                      const gv_search_options *options, int64_t first_query,
                                      int64_t first_reference, int64_t *indices, double *canonical);

/**
 * Merges the results of several searches for the same queries, each among some of the points: the first k of all by (canonical
 * distance, index).
 * @param indices,canonical      `parts` arrays of queries x k values each, as gv_index_search_part writes them.
 * @param[out] out_indices,out_canonical queries x k values each, in other memory.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_neighbors_join(gv_context *context, int32_t k, int64_t queries, int32_t parts,
                                   const int64_t *const *indices, const double *const *canonical,
                                   int64_t *out_indices, double *out_canonical);

/** Converts canonical distances of an index's metric to distances, in place. @return GV_OK, INVALID_ARGUMENT, UNSUPPORTED. */
GV_API gv_status gv_index_distances(gv_context *context, const gv_index *index, int64_t count, double *values);

/* ------------------------------------------------------------------------------------ searches by several processes */

/**
 * @par Example
 * @code
 * gv_communicator alone; // one process; gpuvoronoi/mpi.h makes one of an MPI communicator
 * gv_communicator_init(&alone);
 * const double places[] = {0, 0, 3, 4};
 * const gv_points own = gv_points_rows(places, 2, 2, GV_FLOAT64);
 * gv_index *index = NULL;
 * int64_t nearest[2];
 * gv_status status = gv_index_build(context, &own, NULL, &index);
 * if (status == GV_OK) status = gv_index_search_distributed(context, &alone, index, NULL, NULL, nearest, NULL);
 * gv_index_destroy(index);
 * if (status != GV_OK || nearest[0] != 0 || nearest[1] != 1) return 1; // each point is its own nearest
 * @endcode
 */

/** The largest of all processes' values, for all of them. @return 0, or non-zero if a process is out of reach. */
typedef int (*gv_allreduce_max_fn)(void *user, int value, int *out);

/**
 * From each process to all: the bytes[p] bytes of process p come to `all` + places[p]; `own` are this process's.
 * @return 0, or non-zero if a process is out of reach.
 */
typedef int (*gv_allgatherv_fn)(void *user, const void *own, void *all, const int *bytes, const int *places);

/**
 * From each process to each: out_bytes[p] bytes at `out` + out_places[p] go to process p; in_bytes[p] come from it, to `in` +
 * in_places[p].
 * @return 0, or non-zero if a process is out of reach.
 */
typedef int (*gv_alltoallv_fn)(void *user, const void *out, const int *out_bytes, const int *out_places, void *in,
                               const int *in_bytes, const int *in_places);

/**
 * How the processes of a search reach each other. All make the same calls of the library in the same order; each calls the same of these
 * functions in the same order, on the thread that called the library. The bytes mean the same to all processes.
 */
typedef struct gv_communicator {
  size_t struct_size;
  int rank, ranks; /**< this process: 0 ... ranks - 1 */
  void *user;
  gv_allreduce_max_fn allreduce_max; /**< NULL is allowed with one process; the others likewise */
  gv_allgatherv_fn allgatherv;
  gv_alltoallv_fn alltoallv;
} gv_communicator;

/** Sets the defaults: one process. */
static inline void gv_communicator_init(gv_communicator *communicator) {
  const gv_communicator defaults = {sizeof(gv_communicator), 0, 1, NULL, NULL, NULL, NULL};
  *communicator = defaults;
}

/**
 * gv_index_search among the points of all processes' indexes (GV_INDEX_POINTS, GV_INDEX_GLOBE). Each process has an index of its own
 * points, which are numbered in the order of the processes, and any number of queries of its own. All pass the same k, max_distance and
 * exclude_self, and have indexes of one dimension, metric and ellipsoid.
 * @param queries             of this process; NULL = its own points. With exclude_self query i of a process is its point i.
 * @param[out] indices,distances of this process's queries, as gv_index_search gives them: the same bits as one index of all points.
 *                            Beside them a process needs about 64 MB, whatever the number of processes and queries.
 * @return as gv_index_search, the same in all processes: where another process failed, the message names it. IO: a process is out of
 *         reach.
 */
GV_API gv_status gv_index_search_distributed(gv_context *context, const gv_communicator *communicator,
                                             const gv_index *index, const gv_points *queries,
                                             const gv_search_options *options, int64_t *indices, double *distances);

/* ------------------------------------------------------------------------------------------ points that are read */

/**
 * @par Example
 * @code
 * static gv_status read_places(void *user, int64_t first, int64_t count, void *out) {
 *   memcpy(out, (const float *)user + first, (size_t)count * sizeof(float)); // or pread, and GV_ERROR_IO where that fails
 *   return GV_OK;
 * }
 *
 * float places[5] = {0, 3, 4, 9, 10}, position = 7;
 * const gv_points query = gv_points_rows(&position, 1, 1, GV_FLOAT32);
 * gv_point_source source;
 * gv_point_source_init(&source);
 * source.count = 5;
 * source.dim = 1;
 * source.dtype = GV_FLOAT32;
 * source.read = read_places;
 * source.user = places;
 * gv_index *index = NULL;
 * int64_t nearest = -1;
 * gv_status status = gv_index_build_from(context, &source, NULL, &index);
 * if (status == GV_OK) status = gv_index_search(context, index, &query, NULL, &nearest, NULL);
 * gv_index_destroy(index);
 * if (status != GV_OK || nearest != 3) return 1;
 * @endcode
 */

/**
 * Writes the points [first, first + count) of a set to `out`: count x dim values, row-major. Called by several threads at once, with some
 * MiB at a time, in any order; a point may be requested again and is the same then. It does not use the context of the call that it is
 * called in.
 * @return GV_OK; anything else ends that call, which returns it.
 */
typedef gv_status (*gv_read_points_fn)(void *user, int64_t first, int64_t count, void *out);

typedef struct gv_point_source {
  size_t struct_size;
  int64_t count;
  int32_t dim; /**< 1 ... 4096 */
  gv_dtype dtype;
  gv_read_points_fn read;
  void *user;
} gv_point_source;

/** Sets the defaults: no doubles. */
static inline void gv_point_source_init(gv_point_source *source) {
  const gv_point_source defaults = {sizeof(gv_point_source), 0, 0, GV_FLOAT64, NULL, NULL};
  *source = defaults;
}

/**
 * gv_index_build (GV_INDEX_POINTS) of points that are read in pieces, by the context's threads; to a device while the next are read. The
 * index gives the same bytes. Its source is not used after the call.
 *
 * Host memory for n points: a brute-force backend of a GPU that is named (not cuda-multigpu) keeps 32 MiB of buffers; "auto" keeps one
 * copy as they are, so that processors can take over where a device fails; `serial`, `openmp` and cuda-multigpu keep one copy, trees one
 * as doubles, besides what docs/api.md says of each.
 * @param options  NULL = defaults; memory is GV_MEMORY_HOST.
 * @param[out] out free it with gv_index_destroy.
 * @return as gv_index_build, and what `read` returns; of several points that cannot be read the first decides.
 */
GV_API gv_status gv_index_build_from(gv_context *context, const gv_point_source *source,
                                     const gv_index_options *options, gv_index **out);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_EXPERIMENTAL_H */
