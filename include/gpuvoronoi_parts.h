/*
 * gpuvoronoi - one question by several processes: statistics of one grid, of which each adds blocks of its own, and neighbours, of
 * which each searches some queries, or some of the reference points. What they find comes together exactly.
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

#ifdef __cplusplus
}
#endif

#endif
