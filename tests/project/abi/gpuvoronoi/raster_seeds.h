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
 * const int16_t land[5][5] = {{0}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0}}; // 0: no seed
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
 * gv_raster_array array;
 * gv_raster_array_init(&array);
 * array.data = land;
 * array.type = GV_INT16;
 * array.rows = 5;
 * array.row_stride = sizeof land[0];
 * array.column_stride = sizeof land[0][0];
 * gv_raster_seeds *seeds = NULL;
 * gv_index *index = NULL;
 * int64_t cell = -1;
 * gv_status status = gv_raster_seeds_create(context, &raster, &options, &seeds);
 * if (status == GV_OK) status = gv_raster_seeds_add_array(context, seeds, &array);
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
 * raster is added by rows; memory grows with the boundaries between groups, not with their areas: cells that no cell of `asking` can
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
 * Rows of a raster as they are in the caller's memory, e.g. an array of NumPy. Strides are bytes from a cell to the next of its column or
 * row, and may be negative or 0; no alignment is needed.
 *
 * Cells are seeds if their values are among `chosen`, or are not 0 where that is NULL; and are not among `left_out`, NaN, infinite or
 * masked. The value of a seed is a whole number: an int64_t, of floats less than 2^53 in size. Both lists hold values of the array's type.
 */
typedef struct gv_raster_array {
  size_t struct_size;
  const void *data; /**< the first cell of the first row */
  gv_dtype type;
  int64_t rows;
  int64_t row_stride, column_stride;
  const uint8_t *mask; /**< 0 = no seed; NULL = all cells may be */
  int64_t mask_row_stride, mask_column_stride;
  int mask_is_inverted; /**< non-zero: 0 = may be a seed, as in masked arrays of NumPy */
  const void *chosen;
  int64_t chosen_count;
  const void *left_out; /**< e.g. nodata; NULL = none */
  int64_t left_out_count;
  int is_byte_swapped; /**< non-zero: the cells (not the two lists) are in the other byte order than the machine's */
} gv_raster_array;

/** Sets the defaults: no rows of int64. */
static inline void gv_raster_array_init(gv_raster_array *array) {
  const gv_raster_array defaults = {
      sizeof(gv_raster_array), NULL, GV_INT64, 0, 0, 0, NULL, 0, 0, 0, NULL, 0, NULL, 0, 0};
  *array = defaults;
}

/**
 * Adds the next array->rows rows, which are read by the context's threads and not kept.
 * @return GV_OK, INVALID_ARGUMENT (a seed that is no whole number: the message names the first; more than 2^31 - 1 seeds are kept; too many
 *         rows), OUT_OF_MEMORY, CANCELLED. After an error the object is unusable.
 */
GV_API gv_status gv_raster_seeds_add_array(gv_context *context, gv_raster_seeds *seeds,
                                           const gv_raster_array *array);

/** After the last row. From then on the object is immutable. @return as gv_raster_seeds_add_array; INVALID_ARGUMENT if rows are missing. */
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

/** A rectangle of cells, and where their values, distances and azimuths go. */
typedef struct gv_answer {
  size_t struct_size;
  int64_t column, row;   /**< the first cell */
  int64_t columns, rows; /**< 0 = up to the grid's edge */
  const uint8_t *mask;   /**< as in gv_labels: 0 = leave out */
  int64_t mask_stride;   /**< strides are in values; 0 = columns, of bands stride * rows */
  const int32_t *seed;   /**< seed numbers that are known, as in gv_measure; NULL = they are computed */
  int64_t seed_stride, seed_band_stride;
  const int32_t *
      own; /**< group of each cell that is a seed, < 0 for others (gv_raster_seeds_groups); NULL = none is. k = 1 only */
  int64_t own_stride;
  const int32_t *group;   /**< of each seed; NULL = its number */
  const int64_t *value;   /**< of each group; NULL = its number */
  int64_t nodata;         /**< value where there is no seed */
  gv_dtype value_type;    /**< GV_INT32 or GV_INT64: values and nodata must fit */
  void *out;              /**< values; may be NULL, as may distance and azimuth */
  gv_dtype distance_type; /**< GV_FLOAT32 or GV_FLOAT64 */
  void *distance;
  float *azimuth;
  int64_t stride, band_stride; /**< of out, distance and azimuth, in values */
} gv_answer;

/** Sets the defaults: numbers of seeds as int32, -1 where there is none. */
static inline void gv_answer_init(gv_answer *answer) {
  const gv_answer defaults = {
      sizeof(gv_answer), 0,    0,          0,    0,    NULL, 0, NULL, 0, 0, NULL, 0, NULL, NULL, -1,
      GV_INT32,          NULL, GV_FLOAT32, NULL, NULL, 0,    0};
  *answer = defaults;
}

/**
 * What gv_voronoi_fill and gv_voronoi_measure compute, with each seed's value in place of its number, and cells that are seeds as they are:
 * their own value, at distance 0 and azimuth 0. Threads as gv_voronoi_fill.
 * @param voronoi made without labels, with a negative nodata.
 * @return as gv_voronoi_fill and gv_voronoi_measure. After an error the outputs are unspecified.
 */
GV_API gv_status gv_voronoi_answer(gv_context *context, const gv_voronoi *voronoi, const gv_answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_RASTER_SEEDS_H */
