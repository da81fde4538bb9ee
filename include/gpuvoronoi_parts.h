/*
 * gpuvoronoi - statistics of one grid by several processes: each adds blocks of its own, and their sums come together exactly.
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

#ifdef __cplusplus
}
#endif

#endif
