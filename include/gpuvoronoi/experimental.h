/**
 * @file experimental.h
 * gpuvoronoi, experimental interface: arrays on CUDA devices, parts of grids and statistics for several
 * processes, distributed searches, points that a callback reads.
 *
 * SPDX-License-Identifier: MIT
 *
 * The declarations may change in any release. Define GV_EXPERIMENTAL before including this header. The
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

/* ----------------------------------------------------------------------------------------------- backends */

/**
 * @par Example
 * @code
 * gv_backend_info backend;
 * gv_backend_info_init(&backend);
 * if (gv_backend_get(gv_backend_number_of("serial"), &backend) != GV_OK) return 1;
 * @endcode
 */

/**
 * The number of a backend, for gv_backend_get and gv_backend_supports. Unlike a search through
 * gv_backend_get, it does not test whether backends can run. Thread safe.
 * @param name of a backend; may be NULL.
 * @return 0 ... gv_backend_count() - 1; -1 if no backend has this name ("auto" is none).
 */
GV_API int gv_backend_number_of(const char *name);

/* -------------------------------------------------------------------------------------- arrays on devices */

/**
 * @par Example
 * @code
 * gv_array_options there; // arrays of cudaMalloc: set options.array_options = &there
 * gv_array_options_init(&there);
 * there.memory = GV_MEMORY_CUDA;
 * gv_search_options options;
 * gv_search_options_init(&options);
 * options.array_options = &there;
 * const double place[] = {0, 0}; // on the host: an error
 * const gv_points points = gv_points_rows(place, 1, 2, GV_FLOAT64);
 * int64_t nearest;
 * gv_index *index = NULL;
 * if (gv_index_build(context, &points, NULL, &index) != GV_OK) return 1;
 * gv_status status = gv_index_search(context, index, &points, &options, &nearest, NULL);
 * gv_index_destroy(index);
 * if (status == GV_OK) return 1;
 * @endcode
 */

/** Kinds of memory. */
typedef enum gv_memory {
  GV_MEMORY_HOST = 0,
  /** of one CUDA device, in its primary context, as cudaMalloc, CuPy and PyTorch allocate it */
  GV_MEMORY_CUDA = 1
} gv_memory;

/**
 * Memory of the arrays of a call. The call waits for `stream`, works in its own streams, and has written its
 * results when it returns. Arrays in device memory are not copied to the host. A pending error of the
 * caller's own work in the stream may be returned as GV_ERROR_DEVICE. GV_ERROR_UNSUPPORTED: the backend or
 * function does not support arrays in device memory. GV_ERROR_INVALID_ARGUMENT: an array is not in memory of
 * this kind. gv_index_options: "auto" selects a GPU for points in device memory.
 */
typedef struct gv_array_options {
  size_t struct_size;
  gv_memory memory;
  void *stream; /**< GV_MEMORY_CUDA: a cudaStream_t; NULL = the default stream */
} gv_array_options;

/** Sets the defaults: host memory. */
static inline void gv_array_options_init(gv_array_options *options) {
  const gv_array_options defaults = {sizeof(gv_array_options), GV_MEMORY_HOST, NULL};
  *options = defaults;
}

/* ----------------------------------------------------------------------------------------- parts of grids */

/**
 * @par Example
 * @code
 * const double x[] = {1, 3}, y[] = {1, 9};
 * const gv_points seeds = gv_points_xy(x, y, 2);
 * const gv_grid grid = gv_grid_plane(4, 10, NULL);
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
 * if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &lower, NULL);
 * gv_voronoi_destroy(voronoi);
 * if (status != GV_OK || upper.rows != 4 || lower.row != 4 || lower.rows != 6 || nearest[9][0] != 1)
 *   return 1;
 * @endcode
 */

/**
 * Returns the cells of part `part` (from 0) of `parts`. A part consists of whole rows of blocks (GV_GRID_QTM:
 * blocks of the only row). Parts differ by at most one row; in order they make up the whole grid. If the cost
 * of cells varies, make more parts than processes and let each process compute every n-th part.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param part number of the part, 0 ... parts - 1.
 * @param parts number of parts, at least 1.
 * @param[in,out] labels its column, row, columns and rows are set; initialize it before. An empty part has
 * rows or columns 0. Do not pass it to other functions: for them 0 means up to the grid's edge. Parts are
 * empty if there are fewer rows of blocks than parts; lower options.block_height.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *voronoi, int32_t part, int32_t parts,
                                 gv_labels *labels);

/* ------------------------------------------------------------------------------------ parts of statistics */

/**
 * @par Example
 * @code
 * const double x[] = {1, 3}, y[] = {1, 1};
 * const gv_points seeds = gv_points_xy(x, y, 2);
 * const int32_t nearest[4] = {0, 0, 1, 1};
 * const gv_grid grid = gv_grid_plane(4, 4, NULL);
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
 * if (status == GV_OK)
 *   status = gv_statistics_add(context, some, &row); // in one process; its sums go to another one
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

/**
 * @param statistics may be NULL.
 * @return the size of the sums of one seed in bytes, the same for all seeds; 0 for NULL.
 */
GV_API size_t gv_statistics_sums_size(const gv_statistics *statistics);

/**
 * Returns the sums of one seed or group so far, as integers: the same bytes on every machine. They are valid
 * only for statistics of the same grid, seeds, options and bounds.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param statistics not changed.
 * @param seed number of the seed or group, from 0.
 * @param[out] sums gv_statistics_sums_size bytes.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sums(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                        void *sums);

/**
 * Adds sums from gv_statistics_get_sums to a seed or group, in any order. Thread safe.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param statistics to add to.
 * @param seed number of the seed or group, from 0.
 * @param sums gv_statistics_sums_size bytes.
 * @return GV_OK,
 * INVALID_ARGUMENT (also invalid bytes).
 */
GV_API gv_status gv_statistics_add_sums(gv_context *context, gv_statistics *statistics, int64_t seed,
                                        const void *sums);

/* -------------------------------------------------------------------------------------- parts of searches */

/**
 * @par Example
 * @code
 * const double places[] = {0, 0, 3, 4, 10, 0, 3, 4},
 *              position[] = {3, 3}; // four points, of which each half has an index
 * const gv_points low = gv_points_rows(places, 2, 2, GV_FLOAT64),
 *                 high = gv_points_rows(places + 4, 2, 2, GV_FLOAT64);
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
 * if (status == GV_OK)
 *   status = gv_neighbors_join(context, all_found, all_values, 2, 1, 2, nearest, distance);
 * if (status == GV_OK) status = gv_index_distances(context, half[0], 2, distance);
 * gv_index_destroy(half[0]);
 * gv_index_destroy(half[1]);
 * if (status != GV_OK || nearest[0] != 1 || nearest[1] != 3 || distance[1] != 1)
 *   return 1; // a tie: the lower number first
 * @endcode
 */

/**
 * Searches one part of the reference points for one part of the queries: gv_index_search with an index
 * (GV_INDEX_POINTS, GV_INDEX_GLOBE) of consecutive reference points.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param queries         queries first_query, first_query + 1, ... of all queries. GV_INDEX_POINTS: without
 *                        coordinates they are the reference points of these numbers, which must be in the
 * index.
 * @param options as for gv_index_search; in host memory. NULL = defaults.
 * @param first_query     number of the first query among all.
 * @param first_reference number of the index's first point among all. With exclude_self, query i of all
 * queries skips reference point i of all points.
 * @param[out] indices    count x k numbers of all points; -1 where there are fewer.
 * @param[out] exact      count x k exact distances (gv_metric), which differ where reported distances may be
 *                        rounded to equal values; INFINITY where there are fewer; may be NULL.
 * @return as gv_index_search.
 */
GV_API gv_status gv_index_search_part(gv_context *context, const gv_index *index, const gv_points *queries,
                                      const gv_search_options *options, int64_t first_query,
                                      int64_t first_reference, int64_t *indices, double *exact);

/**
 * Merges the results of searches of the same queries in several parts of the points: the first k by (exact
 * distance, index).
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param indices,exact              `parts` arrays of queries x k values each, as gv_index_search_part writes
 * them.
 * @param parts                      number of parts, at least 1.
 * @param queries                    number of queries, 0 or more.
 * @param k                          neighbors of each query, 1 ... 1024 (GV_LIMIT_K).
 * @param[out] out_indices,out_exact queries x k values each, in other memory.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_neighbors_join(gv_context *context, const int64_t *const *indices,
                                   const double *const *exact, int32_t parts, int64_t queries, int32_t k,
                                   int64_t *out_indices, double *out_exact);

/**
 * Converts exact distances of an index's metric to reported distances, in place.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param count number of values, 0 or more.
 * @param[in,out] values `count` exact distances.
 * @return GV_OK, INVALID_ARGUMENT,
 * UNSUPPORTED.
 */
GV_API gv_status gv_index_distances(gv_context *context, const gv_index *index, int64_t count,
                                    double *values);

/* -------------------------------------------------------------------------- searches by several processes */

/**
 * @par Example
 * @code
 * gv_communicator alone; // one process; gpuvoronoi/mpi.h makes one of an MPI communicator
 * gv_communicator_init(&alone);
 * const double places[] = {0, 0, 3, 4};
 * const gv_points local = gv_points_rows(places, 2, 2, GV_FLOAT64);
 * gv_index *index = NULL;
 * int64_t nearest[2];
 * gv_status status = gv_index_build(context, &local, NULL, &index);
 * if (status == GV_OK)
 *   status = gv_index_search_distributed(context, &alone, index, NULL, NULL, nearest, NULL);
 * gv_index_destroy(index);
 * if (status != GV_OK || nearest[0] != 0 || nearest[1] != 1) return 1; // each point is its own nearest
 * @endcode
 */

/** allreduce(max): returns the largest value of all processes to all of them. @return 0; non-zero if a
 * process cannot be reached. */
typedef int (*gv_allreduce_max_fn)(void *user, int value, int *out);

/**
 * allgatherv: each process sends its bytes to all; the counts[p] bytes of process p arrive at `receive` +
 * displacements[p].
 * @return 0; non-zero if a process cannot be reached.
 */
typedef int (*gv_allgatherv_fn)(void *user, const void *send, void *receive, const int *counts,
                                const int *displacements);

/**
 * alltoallv: send_counts[p] bytes at `send` + send_displacements[p] are sent to process p; receive_counts[p]
 * bytes from it arrive at `receive` + receive_displacements[p].
 * @return 0; non-zero if a process cannot be reached.
 */
typedef int (*gv_alltoallv_fn)(void *user, const void *send, const int *send_counts,
                               const int *send_displacements, void *receive, const int *receive_counts,
                               const int *receive_displacements);

/**
 * Callbacks by which the processes of a search communicate. All processes make the same calls of the library
 * in the same order. Each process then calls the same callbacks in the same order, on the thread that called
 * the library. All processes must have the same byte order and sizes of types.
 */
typedef struct gv_communicator {
  size_t struct_size;
  int rank, ranks; /**< this process: 0 ... ranks - 1 */
  void *user;
  gv_allreduce_max_fn allreduce_max; /**< may be NULL if ranks is 1, like the others */
  gv_allgatherv_fn allgatherv;
  gv_alltoallv_fn alltoallv;
} gv_communicator;

/** Sets the defaults: one process. */
static inline void gv_communicator_init(gv_communicator *communicator) {
  const gv_communicator defaults = {sizeof(gv_communicator), 0, 1, NULL, NULL, NULL, NULL};
  *communicator = defaults;
}

/**
 * Searches the points of all processes (GV_INDEX_POINTS, GV_INDEX_GLOBE). Each process has an index of its
 * own points and any number of queries. Points are numbered in the order of the processes. All processes pass
 * the same k, max_distance and exclude_self; their indexes have the same dimension, metric and ellipsoid.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param communicator callbacks that reach the other processes.
 * @param index not changed; any number of threads may share it.
 * @param queries             of this process; NULL = its own points. With exclude_self, query i of a process
 * is its point i.
 * @param options as for gv_index_search; in host memory. NULL = defaults.
 * @param[out] indices,distances results of this process's queries, as gv_index_search writes them: the same
 * bits as for one index of all points. A process needs about 64 MB of additional memory, for any number of
 * processes and queries.
 * @return as gv_index_search, the same in all processes; if another process failed, the message names it. IO:
 * a process cannot be reached.
 */
GV_API gv_status gv_index_search_distributed(gv_context *context, const gv_communicator *communicator,
                                             const gv_index *index, const gv_points *queries,
                                             const gv_search_options *options, int64_t *indices,
                                             double *distances);

/* ----------------------------------------------------------------------------------- points that are read */

/**
 * @par Example
 * @code
 * static gv_status read_places(void *user, int64_t first, int64_t count, void *out) {
 *   memcpy(out, (const float *)user + first,
 *          (size_t)count * sizeof(float)); // or pread, and GV_ERROR_IO where that fails
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
 * Writes the points [first, first + count) of a set to `out`: count x dim values, row-major. Called by
 * several threads at once, in any order, for a few MiB at a time. A point may be requested again and must
 * then be the same. The callback must not use the context of the running call.
 * @return GV_OK; another status ends the running call, which returns it.
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

/** Sets the defaults: no points, type double. */
static inline void gv_point_source_init(gv_point_source *source) {
  const gv_point_source defaults = {sizeof(gv_point_source), 0, 0, GV_FLOAT64, NULL, NULL};
  *source = defaults;
}

/**
 * Builds an index (GV_INDEX_POINTS) of points that a callback reads in pieces, on the context's threads.
 * Copying to a device overlaps with reading. Results are the same bytes as those of gv_index_build. The
 * source is not used after the call.
 *
 * Host memory: brute-force backends of a GPU that are selected by name, except cuda-multigpu, keep 32 MiB of
 * buffers; "auto" keeps one copy of the points, so that the CPU can replace a failing device; `serial`,
 * `openmp` and cuda-multigpu keep one copy; trees keep one copy as doubles. docs/api.md lists the other
 * memory of each backend.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param source describes the points; used during the call only.
 * @param options  NULL = defaults; arrays on devices are not supported.
 * @param[out] out free it with gv_index_destroy.
 * @return as gv_index_build, or the status of `read`; if reading fails at several points, that of the first.
 */
GV_API gv_status gv_index_build_from(gv_context *context, const gv_point_source *source,
                                     const gv_index_options *options, gv_index **out);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_EXPERIMENTAL_H */
