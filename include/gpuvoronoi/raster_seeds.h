/*
 * gpuvoronoi - cells of a raster as seeds: which of them can be anybody's nearest.
 *
 * SPDX-License-Identifier: MIT
 *
 * The conventions of gpuvoronoi.h hold here too.
 */
#ifndef GPUVORONOI_RASTER_SEEDS_H
#define GPUVORONOI_RASTER_SEEDS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------- cells of rasters as seeds */

/*
 * Example:
 *     const int64_t land[5][5] = {{0}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0}}; // 0: no seed
 *     gv_grid raster;
 *     gv_grid_init(&raster);
 *     gv_raster_seeds_options options;
 *     gv_raster_seeds_options_init(&options);
 *     gv_raster_seeds *cells = NULL;
 *     gv_raster_seed_list kept;
 *     gv_raster_seed_list_init(&kept);
 *     raster.width = raster.height = 5;
 *     options.asking = &raster;
 *     gv_status status = gv_raster_seeds_create(context, &raster, &options, &cells);
 *     for (int row = 0; row < 5 && status == GV_OK; row++) {
 *       uint8_t counts[5];
 *       for (int column = 0; column < 5; column++)
 *         counts[column] = land[row][column] != 0;
 *       status = gv_raster_seeds_add_row(context, cells, land[row], counts);
 *     }
 *     if (status == GV_OK) status = gv_raster_seeds_finish(context, cells);
 *     if (status == GV_OK) status = gv_raster_seeds_get(context, cells, &kept);
 *     int good = status == GV_OK && kept.count == 8 && kept.cells == 9; // but the one in the middle
 *     gv_raster_seeds_destroy(cells);
 *     if (!good) return 1;
 */

/*
 * Seeds of a raster: the centres of its cells. Cells of one value are a group, and what is asked for is the nearest group or the
 * nearest cell. A raster is given row by row; memory grows with the boundaries between groups, not with their areas: cells that no asking cell
 * can have for its nearest are left out, by a proof (src/voronoi/raster_seeds.c).
 */
typedef struct gv_raster_seeds gv_raster_seeds;

typedef struct gv_raster_seeds_options {
  size_t struct_size;
  gv_metric metric; /* of the distances that will be asked for */
  /* Whose cells ask, in the raster's coordinates, or mapped from them by its inverse, which is called while the object is made; copied.
   * NULL: anybody, all cells are kept. */
  const gv_grid *asking;
  int by_cell; /* non-zero: seeds in the order of their cells, which are asked about one by one; else by (value, cell) */
  int keep_all; /* non-zero: nothing is left out, e.g. as the 2nd nearest cells are wanted too */
} gv_raster_seeds_options;

/* Sets the defaults. */
static inline void gv_raster_seeds_options_init(gv_raster_seeds_options *out) {
  const gv_raster_seeds_options defaults = {sizeof(gv_raster_seeds_options), GV_EUCLIDEAN, NULL, 0, 0};
  *out = defaults;
}

/* `raster`: kind (any but GV_GRID_QTM), width, height, geotransform and ellipsoid count. options may be NULL.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
GV_API gv_status gv_raster_seeds_create(gv_context *context, const gv_grid *raster,
                                        const gv_raster_seeds_options *options, gv_raster_seeds **out);

/* NULL is allowed. */
GV_API void gv_raster_seeds_destroy(gv_raster_seeds *seeds);

/* The next row: its cells' values, and non-zero for those that are seeds. Errors: INVALID_ARGUMENT (more than 2^31 - 1 seeds are
 * left, too many rows), OUT_OF_MEMORY; after one the object is of no use. */
GV_API gv_status gv_raster_seeds_add_row(gv_context *context, gv_raster_seeds *seeds, const int64_t *values,
                                         const uint8_t *counts);

/* The same by spans of cells, of which most rasters have few: span i begins at column start[i], the first at 0, and ends where the next
 * begins; one value, and non-zero if its cells are seeds. Errors: as above, also if spans are not in their order. */
GV_API gv_status gv_raster_seeds_add_spans(gv_context *context, gv_raster_seeds *seeds, int64_t count,
                                           const int32_t *start, const int64_t *values, const uint8_t *counts);

/* After the last row: sorts. From then on the object is immutable. Errors: as above, also if rows are missing. */
GV_API gv_status gv_raster_seeds_finish(gv_context *context, gv_raster_seeds *seeds);

/* What was kept. All arrays belong to the object. */
typedef struct gv_raster_seed_list {
  size_t struct_size;
  int64_t count;        /* seeds kept; 0 if there is no seed at all */
  const double *x, *y;  /* their centres, by the raster's geotransform */
  const int64_t *cell;  /* their row-major numbers from 0 */
  const int32_t *group; /* their groups: numbers from 0 in the order of values */
  int64_t cells;        /* seeds of the raster, kept or not */
  int64_t groups;
  const int64_t *value; /* of each group, ascending */
  const int64_t *first; /* groups + 1: where each begins, unless by_cell; else NULL */
  /* Non-zero: the raster's own cells ask. Then the nearest of a seed is the cell itself, at distance 0, and of other groups (and for
   * other cells) it is among those kept. */
  int own;
} gv_raster_seed_list;

/* Sets the defaults. */
static inline void gv_raster_seed_list_init(gv_raster_seed_list *out) {
  const gv_raster_seed_list defaults = {
      sizeof(gv_raster_seed_list), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0};
  *out = defaults;
}

/* Errors: INVALID_ARGUMENT (not finished). */
GV_API gv_status gv_raster_seeds_get(gv_context *context, const gv_raster_seeds *seeds, gv_raster_seed_list *out);

/*
 * The groups of the raster's cells in a rectangle that lies within it, -1 where there is no seed: cell (row + r, column + c) into
 * group[r * stride + c]. Thread safe. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_raster_seeds_groups(gv_context *context, const gv_raster_seeds *seeds, int64_t column,
                                        int64_t row, int64_t width, int64_t height, int32_t *group, int64_t stride);

/* Non-zero if all cells of such a rectangle are of one group, or none is a seed: *group becomes that, or -1. Thread safe. */
GV_API int gv_raster_seeds_alike(const gv_raster_seeds *seeds, int64_t column, int64_t row, int64_t width,
                                 int64_t height, int32_t *group);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_RASTER_SEEDS_H */
