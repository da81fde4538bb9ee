/**
 * @file raster_seeds.h
 * gpuvoronoi: cells of a raster as seeds. The conventions of gpuvoronoi.h hold here too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_RASTER_SEEDS_H
#define GPUVORONOI_RASTER_SEEDS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------- cells of rasters as seeds */

/**
 * @par Example
 * @code
 * const int64_t land[5][5] = {{0}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0}}; // 0: no seed
 * const double x = 4.5, y = 2.5; // the center of the last cell of the third row
 * const gv_points query = gv_points_xy(&x, &y, 1);
 * gv_grid raster;
 * gv_grid_init(&raster);
 * raster.width = raster.height = 5;
 * gv_raster_seeds_options options;
 * gv_raster_seeds_options_init(&options);
 * options.asking = &raster;
 * gv_raster_seed_list kept;
 * gv_raster_seed_list_init(&kept);
 * gv_raster_seeds *seeds = NULL;
 * gv_index *index = NULL;
 * int64_t cell = -1;
 * gv_status status = gv_raster_seeds_create(context, &raster, &options, &seeds);
 * for (int row = 0; row < 5 && status == GV_OK; row++) {
 *   uint8_t counts[5];
 *   for (int column = 0; column < 5; column++)
 *     counts[column] = land[row][column] != 0;
 *   status = gv_raster_seeds_add_row(context, seeds, land[row], counts);
 * }
 * if (status == GV_OK) status = gv_raster_seeds_finish(context, seeds);
 * if (status == GV_OK) status = gv_raster_seeds_get(context, seeds, &kept);
 * if (status == GV_OK) status = gv_index_build_raster_seeds(context, seeds, NULL, &index);
 * if (status == GV_OK) status = gv_index_search(context, index, &query, NULL, &cell, NULL);
 * gv_index_destroy(index);
 * int good = status == GV_OK && kept.count == 8 && kept.cells == 9 && cell == 2 * 5 + 3; // all but the cell in the middle are kept
 * gv_raster_seeds_destroy(seeds);
 * if (!good) return 1;
 * @endcode
 */

/**
 * Seeds at the centers of a raster's cells. Cells of one value are a group; results are the nearest group or the nearest cell. The
 * raster is added row by row; memory grows with the boundaries between groups, not with their areas: cells that no cell of `asking` can
 * have as its nearest are left out, by a proof (src/voronoi/raster_seeds.c).
 */
typedef struct gv_raster_seeds gv_raster_seeds;

typedef struct gv_raster_seeds_options {
  size_t struct_size;
  gv_metric metric; /**< of the distances that will be computed */
  const gv_grid *
      asking; /**< whose cells will search, in the raster's coordinates or converted from them by its inverse (called until
                              gv_raster_seeds_create returns); copied. NULL: anything may search, all cells are kept */
  int by_cell;  /**< non-zero: seeds in the order of their cells; else by (value, cell) */
  int keep_all; /**< non-zero: nothing is left out, e.g. for the 2nd nearest cells */
} gv_raster_seeds_options;

/** Sets the defaults. */
static inline void gv_raster_seeds_options_init(gv_raster_seeds_options *options) {
  const gv_raster_seeds_options defaults = {sizeof(gv_raster_seeds_options), GV_EUCLIDEAN, NULL, 0, 0};
  *options = defaults;
}

/**
 * Begins the seeds of a raster.
 * @param raster   kind (not GV_GRID_QTM), width, height, geotransform and ellipsoid are used.
 * @param options  NULL = defaults.
 * @param[out] out free it with gv_raster_seeds_destroy.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
GV_API gv_status gv_raster_seeds_create(gv_context *context, const gv_grid *raster,
                                        const gv_raster_seeds_options *options, gv_raster_seeds **out);

/** Frees it; NULL is allowed. */
GV_API void gv_raster_seeds_destroy(gv_raster_seeds *seeds);

/**
 * Adds the next row.
 * @param values the cells' values.
 * @param counts non-zero for cells that are seeds.
 * @return GV_OK, INVALID_ARGUMENT (more than 2^31 - 1 seeds are kept, too many rows), OUT_OF_MEMORY. After an error the object is unusable.
 */
GV_API gv_status gv_raster_seeds_add_row(gv_context *context, gv_raster_seeds *seeds, const int64_t *values,
                                         const uint8_t *counts);

/**
 * Adds the next row as spans of cells of one value. Span i begins at column start[i], the first at 0, and ends where the next begins.
 * @return as gv_raster_seeds_add_row; INVALID_ARGUMENT also if the spans do not ascend.
 */
GV_API gv_status gv_raster_seeds_add_spans(gv_context *context, gv_raster_seeds *seeds, int64_t count,
                                           const int32_t *start, const int64_t *values, const uint8_t *counts);

/** After the last row. From then on the object is immutable. @return as gv_raster_seeds_add_row; INVALID_ARGUMENT if rows are missing. */
GV_API gv_status gv_raster_seeds_finish(gv_context *context, gv_raster_seeds *seeds);

/** The seeds that were kept. The arrays belong to the gv_raster_seeds. */
typedef struct gv_raster_seed_list {
  size_t struct_size;
  int64_t count;        /**< seeds kept; 0 if there is no seed at all */
  const double *x, *y;  /**< their centers, by the raster's geotransform */
  const int64_t *cell;  /**< their row-major numbers from 0 */
  const int32_t *group; /**< their groups: numbers from 0 in the order of values */
  int64_t cells;        /**< seeds of the raster, kept or not */
  int64_t groups;
  const int64_t *value; /**< of each group, ascending */
  const int64_t *first; /**< groups + 1 offsets: where each group begins; NULL if by_cell */
  int own; /**< non-zero: the raster's own cells search. Then the nearest of a seed is the cell itself, at distance 0 */
} gv_raster_seed_list;

/** Sets the size; the rest is written by gv_raster_seeds_get. */
static inline void gv_raster_seed_list_init(gv_raster_seed_list *list) {
  const gv_raster_seed_list defaults = {
      sizeof(gv_raster_seed_list), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0};
  *list = defaults;
}

/** @return GV_OK, INVALID_ARGUMENT (not finished). */
GV_API gv_status gv_raster_seeds_get(gv_context *context, const gv_raster_seeds *seeds, gv_raster_seed_list *out);

/**
 * The groups of the raster's cells in a rectangle within it, -1 where there is no seed: cell (row + r, column + c) to
 * group[r * stride + c]. Thread safe.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_raster_seeds_groups(gv_context *context, const gv_raster_seeds *seeds, int64_t column,
                                        int64_t row, int64_t width, int64_t height, int32_t *group, int64_t stride);

/**
 * Whether all cells of such a rectangle are of one group, or none is a seed. Thread safe.
 * @param[out] group that group, or -1.
 * @return non-zero if so.
 */
GV_API int gv_raster_seeds_alike(const gv_raster_seeds *seeds, int64_t column, int64_t row, int64_t width,
                                 int64_t height, int32_t *group);

/**
 * Builds an index over the seeds that were kept (GV_INDEX_RASTER_SEEDS), by the metric that they were made for. gv_index_search gives
 * row-major numbers of cells; ties go to the first kept seed, so to the lowest cell with by_cell. Of seeds that were made with `asking`
 * the nearest is right for that grid's cells that are no seeds themselves.
 * @param seeds    finished, with at least one seed; may be destroyed afterwards.
 * @param options  its metric is ignored; semi_major and flattening too: they are the raster's. NULL = defaults.
 * @param[out] out free it with gv_index_destroy.
 * @return as gv_index_build; UNSUPPORTED for GV_GRID_PROJECTED.
 */
GV_API gv_status gv_index_build_raster_seeds(gv_context *context, const gv_raster_seeds *seeds,
                                             const gv_index_options *options, gv_index **out);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_RASTER_SEEDS_H */
