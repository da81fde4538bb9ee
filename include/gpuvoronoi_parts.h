/*
 * gpuvoronoi - one question by several processes: a grid, of which each computes some cells and adds them to statistics, and neighbours,
 * of which each searches some queries, or some of the reference points. What they find comes together exactly. With MPI:
 * gpuvoronoi_mpi.h.
 *
 * SPDX-License-Identifier: MIT
 *
 * The conventions of gpuvoronoi.h hold here too.
 */
#ifndef GPUVORONOI_PARTS_H
#define GPUVORONOI_PARTS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------- grids by parts */

/*
 * Example:
 *     const double x[2] = {1.0, 3.0}, y[2] = {1.0, 9.0};
 *     gv_seeds seeds = {x, y, 2};
 *     gv_grid grid = GV_GRID_INIT;
 *     gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
 *     gv_voronoi *voronoi = NULL;
 *     gv_window upper = {0, 0, 0, 0}, lower = upper;
 *     int32_t nearest[10][4];
 *     grid.width = 4;
 *     grid.height = 10;
 *     options.block_height = 2; // five rows of blocks, of which the first part has two
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 *     if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 0, 2, &upper);
 *     if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 1, 2, &lower);
 *     if (status == GV_OK) status = gv_voronoi_compute_part(context, voronoi, 1, 2, nearest[lower.row], 4);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || upper.height != 4 || lower.row != 4 || lower.height != 6 || nearest[9][0] != 1) return 1;
 */

/* Cells of a grid: columns column ... column + width - 1 of the rows row ... row + height - 1. */
typedef struct gv_window {
  int64_t column, row, width, height;
} gv_window;

/*
 * The cells of part `part` (from 0) of `parts`, which are the whole grid one after another: whole rows of blocks, as many as the others
 * have, or one more (GV_GRID_QTM: blocks of its only row). *out, in cells, has a height or width of 0 where there are fewer rows of blocks
 * than parts: lower options.block_height then. Where cells are not all alike, make more parts than there are processes, and let each
 * compute every n-th. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *voronoi, int32_t part, int32_t parts,
                                 gv_window *out);

/*
 * gv_voronoi_compute of these cells only, with the context's threads and progress: cell (column, row) of the grid into
 * out[(row - window.row) * stride + column - window.column], bands stride x window.height apart. The caller owns `out`, which may be NULL
 * where the part has no cells. The values are those that the whole grid has there. Errors: INVALID_ARGUMENT, PROJECTION, OUT_OF_MEMORY,
 * CANCELLED, DEVICE.
 */
GV_API gv_status gv_voronoi_compute_part(gv_context *context, const gv_voronoi *voronoi, int32_t part,
                                         int32_t parts, int32_t *out, int64_t stride);

/* ------------------------------------------------------------------------------------------ statistics by parts */

/*
 * Example:
 *     const double x[2] = {1.0, 3.0}, y[2] = {1.0, 1.0};
 *     gv_seeds seeds = {x, y, 2};
 *     gv_grid grid = GV_GRID_INIT;
 *     gv_voronoi *voronoi = NULL;
 *     gv_statistics *half = NULL, *whole = NULL;
 *     gv_seed_statistics first;
 *     unsigned char sums[256];
 *     grid.width = grid.height = 4;
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 *     if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &half);
 *     if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &whole);
 *     // ... blocks are added to `half`, which is here, and to others elsewhere; all that they have goes to `whole`:
 *     if (gv_statistics_sums_size(half) > sizeof sums) return 1;
 *     for (int seed = 0; seed < 2 && status == GV_OK; seed++) {
 *       status = gv_statistics_get_sums(context, half, seed, sums);
 *       if (status == GV_OK) status = gv_statistics_add_sums(context, whole, seed, sums);
 *     }
 *     if (status == GV_OK) status = gv_statistics_get(context, whole, 0, &first, NULL);
 *     gv_statistics_destroy(half);
 *     gv_statistics_destroy(whole);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || first.cells != 0) return 1;
 */

/* Bytes of what follows, the same for all seeds; 0 for NULL. */
GV_API size_t gv_statistics_sums_size(const gv_statistics *statistics);

/*
 * What one seed, or group, has got so far, as whole numbers: the same bytes on every machine. They mean the same to statistics of the
 * same grid, seeds, options and bounds only. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sums(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                        void *sums);

/* Adds such bytes to a seed, or group. Safe in several threads at once, and in any order. Errors: INVALID_ARGUMENT, also for bytes
 * that no statistics give. */
GV_API gv_status gv_statistics_add_sums(gv_context *context, gv_statistics *statistics, int64_t seed,
                                        const void *sums);

/* -------------------------------------------------------------------------------------------- searches by parts */

/*
 * Example:
 *     const double places[] = {0, 0, 3, 4, 10, 0, 3, 4}, position[] = {3, 3}; // four points, of which each half has an index
 *     gv_points low = {places, 2, 2, GV_FLOAT64}, high = {places + 4, 2, 2, GV_FLOAT64}, query = {position, 1, 2, GV_FLOAT64};
 *     gv_search_options two = GV_SEARCH_OPTIONS_INIT;
 *     gv_index *half[2] = {NULL, NULL};
 *     int64_t found[2][2], nearest[2];
 *     double value[2][2], distance[2];
 *     const int64_t *const all_found[2] = {found[0], found[1]};
 *     const double *const all_values[2] = {value[0], value[1]};
 *     two.k = 2;
 *     gv_status status = gv_index_build(context, &low, NULL, &half[0]);
 *     if (status == GV_OK) status = gv_index_build(context, &high, NULL, &half[1]);
 *     for (int part = 0; part < 2 && status == GV_OK; part++)
 *       status = gv_index_search_part(context, half[part], &query, &two, 0, 2 * part, found[part], value[part]);
 *     if (status == GV_OK) status = gv_neighbours_join(context, 2, 1, 2, all_found, all_values, nearest, distance);
 *     if (status == GV_OK) status = gv_index_distances(context, half[0], 2, distance);
 *     gv_index_destroy(half[0]);
 *     gv_index_destroy(half[1]);
 *     if (status != GV_OK || nearest[0] != 1 || nearest[1] != 3 || distance[1] != 1) return 1; // a tie: the lower number first
 */

/*
 * As gv_index_search, for queries number first_query, ... of all, among points number first_reference, ... of all, of which the index is
 * made. `indices` are numbers of all points. `canonical` (may be NULL) are canonical values, which tell apart what distances do not:
 * +inf where there is no neighbour. With exclude_self query i of all skips point i of all; any number of queries will do. Queries whose
 * data is NULL are the index's own points of those numbers. Errors: as gv_index_search.
 */
GV_API gv_status gv_index_search_part(gv_context *context, const gv_index *index, const gv_points *queries,
                                      const gv_search_options *options, int64_t first_query,
                                      int64_t first_reference, int64_t *indices, double *canonical);

/* The same as gv_globe_index_search, queries with data. */
GV_API gv_status gv_globe_index_search_part(gv_context *context, const gv_globe_index *index,
                                            const gv_seeds *queries, const gv_search_options *options,
                                            int64_t first_query, int64_t first_seed, int64_t *indices,
                                            double *canonical);

/*
 * What was found by several searches for the same queries, each among some of the points: the first k of them all by (canonical value,
 * index). indices[p], canonical[p]: queries x k, as searches give them; the results must lie elsewhere. Errors: INVALID_ARGUMENT,
 * OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_neighbours_join(gv_context *context, int32_t k, int64_t queries, int32_t parts,
                                    const int64_t *const *indices, const double *const *canonical,
                                    int64_t *out_indices, double *out_canonical);

/* Canonical values of an index's metric to distances, in place. Errors: INVALID_ARGUMENT. */
GV_API gv_status gv_index_distances(gv_context *context, const gv_index *index, int64_t count, double *values);
GV_API gv_status gv_globe_index_distances(gv_context *context, const gv_globe_index *index, int64_t count,
                                          double *values);

/* -------------------------------------------------------------------------------------------- searches together */

/*
 * Example:
 *     // As one process alone does it; with MPI gpuvoronoi_mpi.h has the functions.
 *     gv_processes alone = {sizeof(gv_processes), 0, 1, NULL, NULL, NULL, NULL};
 *     const double places[] = {0, 0, 3, 4};
 *     gv_points own = {places, 2, 2, GV_FLOAT64};
 *     gv_index *index = NULL;
 *     int64_t nearest[2] = {-1, -1};
 *     gv_status status = gv_index_build(context, &own, NULL, &index);
 *     if (status == GV_OK) status = gv_index_search_together(context, &alone, index, NULL, NULL, nearest, NULL);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || nearest[0] != 0 || nearest[1] != 1) return 1; // each point is its own nearest
 */

/*
 * How processes that search together reach each other. All of them make the same calls of the library in the same order, which calls the
 * same ones of these functions everywhere, from the thread that called it. They return 0, or anything else where another process is out
 * of reach. What they carry is bytes that mean the same to all of the processes.
 */

/* The largest of all processes' values, for all of them. */
typedef int (*gv_largest_fn)(void *user, int value, int *out);

/* From each to all: process p's bytes[p] bytes come to `all` + places[p]; `own` are this process's. */
typedef int (*gv_gather_fn)(void *user, const void *own, void *all, const int *bytes, const int *places);

/* From each to each: out_bytes[p] bytes at `out` + out_places[p] go to process p; in_bytes[p] come from it, to `in` + in_places[p]. */
typedef int (*gv_trade_fn)(void *user, const void *out, const int *out_bytes, const int *out_places, void *in,
                           const int *in_bytes, const int *in_places);

typedef struct gv_processes {
  size_t struct_size;
  int rank, ranks; /* this process: 0 ... ranks - 1 */
  void *user;
  gv_largest_fn largest; /* NULL will do where there is one process */
  gv_gather_fn gather;
  gv_trade_fn trade;
} gv_processes;

/*
 * gv_index_search among the points of all processes' indexes: each has an index of its own points, which are numbered in the order of the
 * processes, queries of its own, any number of them (NULL: its points), and gets what is nearest to these. All give the same k,
 * max_distance and exclude_self, and have indexes of one dimension and metric. With exclude_self query i of a process is its point i.
 *
 * indices, distances: of this process's queries, as gv_index_search gives them; the same as one index of all points gives, to the last bit
 * (gv_neighbours_join). Beside them a process needs about 64 MB, whatever the number of processes and queries. Progress counts the
 * queries of the process that has the most.
 *
 * Errors: as gv_index_search, for all processes: where it is another's, the message names it. IO: a process is out of reach.
 */
GV_API gv_status gv_index_search_together(gv_context *context, const gv_processes *processes, const gv_index *index,
                                          const gv_points *queries, const gv_search_options *options,
                                          int64_t *indices, double *distances);

/* The same as gv_globe_index_search; all indexes are of one ellipsoid too. */
GV_API gv_status gv_globe_index_search_together(gv_context *context, const gv_processes *processes,
                                                const gv_globe_index *index, const gv_seeds *queries,
                                                const gv_search_options *options, int64_t *indices,
                                                double *distances);

#ifdef __cplusplus
}
#endif

#endif
