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

/* ------------------------------------------------------------------------------ cells of rasters as seeds */

/**
 * @par Example
 * @code
 * const int16_t land[5][5] = {{0}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0}}; // 0: no seed
 * const double x = 4.5, y = 2.5; // the center of the last cell of the third row
 * const gv_points query = gv_points_xy(&x, &y, 1);
 * const gv_grid raster = gv_grid_plane(5, 5, NULL);
 * gv_raster_seeds_options options;
 * gv_raster_seeds_options_init(&options);
 * options.query_grid = &raster;
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
 * int good = status == GV_OK && kept.count == 8 && kept.cells == 9 &&
 *            cell == 2 * 5 + 3; // all but the cell in the middle are kept
 * gv_raster_seeds_destroy(seeds);
 * if (!good) return 1;
 * @endcode
 */

/**
 * Seeds at the centers of a raster's cells. Cells of one value are a group; results are the nearest group or
 * the nearest cell. The raster is added by rows. Memory grows with the boundaries between groups, not with
 * their areas: cells that cannot be nearest to any cell of `query_grid` are left out (proof:
 * src/voronoi/raster_seeds.c).
 */
typedef struct gv_raster_seeds gv_raster_seeds;

typedef struct gv_raster_seeds_options {
  size_t struct_size;
  gv_metric metric; /**< metric of the distances to compute */
  /** The grid of the queries, in the raster's coordinates or converted from them by its inverse (called until
   * gv_raster_seeds_create returns); copied. NULL: queries may be anywhere, all cells are kept. */
  const gv_grid *query_grid;
  int by_cell;  /**< non-zero: seeds in the order of their cells; 0: by (value, cell) */
  int keep_all; /**< non-zero: keep all cells, e.g. to find the 2nd nearest cells */
} gv_raster_seeds_options;

/** Sets the defaults. */
static inline void gv_raster_seeds_options_init(gv_raster_seeds_options *options) {
  const gv_raster_seeds_options defaults = {sizeof(gv_raster_seeds_options), GV_EUCLIDEAN, NULL, 0, 0};
  *options = defaults;
}

/**
 * Begins the seeds of a raster.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param raster   kind (not GV_GRID_QTM), width, height, geotransform and ellipsoid are used.
 * @param options  NULL = defaults.
 * @param[out] out free it with gv_raster_seeds_destroy.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
GV_API gv_status gv_raster_seeds_create(gv_context *context, const gv_grid *raster,
                                        const gv_raster_seeds_options *options, gv_raster_seeds **out);

/**
 * Frees the seeds of a raster; NULL is allowed.
 * @param seeds from gv_raster_seeds_create; NULL is allowed.
 */
GV_API void gv_raster_seeds_destroy(gv_raster_seeds *seeds);

/**
 * Rows of a raster in the caller's memory, e.g. a NumPy array. Strides are bytes from a cell to the next of
 * its column or row, and may be negative or 0; no alignment is needed.
 *
 * A cell is a seed if its value is in `included` (or is not 0 if that is NULL), and is not in `excluded`,
 * NaN, infinite or masked. The value of a seed must be an integer in the range of int64_t; for floats its
 * absolute value must be less than 2^53. Both lists hold values of the array's type.
 */
typedef struct gv_raster_array {
  size_t struct_size;
  const void *data; /**< the first cell of the first row */
  gv_dtype type;
  int64_t rows;
  int64_t row_stride, column_stride;
  const uint8_t *mask; /**< 0 = not a seed; NULL = no cell is masked */
  int64_t mask_row_stride, mask_column_stride;
  int mask_is_inverted; /**< non-zero: 0 = may be a seed, as in NumPy's masked arrays */
  const void *included; /**< values of seeds; NULL = all but 0 */
  int64_t included_count;
  const void *excluded; /**< e.g. the nodata value; NULL = none */
  int64_t excluded_count;
  /** non-zero: the cells (not the two lists) are in the byte order that is not the machine's */
  int is_byte_swapped;
} gv_raster_array;

/** Sets the defaults: no rows, type int64. */
static inline void gv_raster_array_init(gv_raster_array *array) {
  const gv_raster_array defaults = {
      sizeof(gv_raster_array), NULL, GV_INT64, 0, 0, 0, NULL, 0, 0, 0, NULL, 0, NULL, 0, 0};
  *array = defaults;
}

/**
 * Adds the next array->rows rows. They are read by the context's threads; the array is not kept.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds not finished.
 * @param array the next rows; read during the call only.
 * @return GV_OK, INVALID_ARGUMENT (a seed is not an integer: the message names the first; more than 2^31 - 1
 * seeds are kept; too many rows), OUT_OF_MEMORY, CANCELLED. After an error the object is invalid; only
 *         gv_raster_seeds_destroy may be called.
 */
GV_API gv_status gv_raster_seeds_add_array(gv_context *context, gv_raster_seeds *seeds,
                                           const gv_raster_array *array);

/**
 * Rows of a raster as spans: cells of a row that follow one another and have one value. Rows that are known
 * as spans, or that were made into spans on a GPU, need not be expanded.
 */
typedef struct gv_raster_spans {
  size_t struct_size;
  int64_t rows;
  const int64_t *first;   /**< rows + 1 offsets into the other arrays: the first span of each row */
  const int32_t *start;   /**< first column of each span: 0, then ascending within a row */
  const int64_t *value;   /**< of each span */
  const uint8_t *is_seed; /**< 0 = cells of the span are not seeds; NULL = all are */
} gv_raster_spans;

/** Sets the defaults: no rows. */
static inline void gv_raster_spans_init(gv_raster_spans *spans) {
  const gv_raster_spans defaults = {sizeof(gv_raster_spans), 0, NULL, NULL, NULL, NULL};
  *spans = defaults;
}

/**
 * Adds the next spans->rows rows, with the result of gv_raster_seeds_add_array for their cells. The spans are
 * not kept.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds not finished.
 * @param spans the next rows; read during the call only.
 * @return GV_OK, INVALID_ARGUMENT (spans that do not cover their rows; more than 2^31 - 1 seeds are kept; too
 * many rows), OUT_OF_MEMORY. After an error as gv_raster_seeds_add_array.
 */
GV_API gv_status gv_raster_seeds_add_spans(gv_context *context, gv_raster_seeds *seeds,
                                           const gv_raster_spans *spans);

/**
 * Ends adding, after the last row. From then on the object is immutable.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds with all rows.
 * @return as gv_raster_seeds_add_array;
 * INVALID_ARGUMENT if rows are missing.
 */
GV_API gv_status gv_raster_seeds_finish(gv_context *context, gv_raster_seeds *seeds);

/** The seeds that were kept. The arrays belong to the gv_raster_seeds. */
typedef struct gv_raster_seed_list {
  size_t struct_size;
  int64_t count;        /**< number of kept seeds; 0 if the raster has no seed */
  const double *x, *y;  /**< their centers, by the raster's geotransform */
  const int64_t *cell;  /**< their cells: row-major numbers from 0 */
  const int32_t *group; /**< their groups: numbers from 0 in ascending order of values */
  int64_t cells;        /**< number of the raster's cells that are seeds, kept or not */
  int64_t groups;
  const int64_t *value; /**< of each group, ascending */
  const int64_t *first; /**< groups + 1 offsets: first seed of each group; NULL if by_cell */
  /** Non-zero: the queries are the raster's own cells. The nearest cell of a seed is then the cell itself, at
   * distance 0. */
  int queries_are_cells;
} gv_raster_seed_list;

/** Sets the size; the rest is written by gv_raster_seeds_get. */
static inline void gv_raster_seed_list_init(gv_raster_seed_list *list) {
  const gv_raster_seed_list defaults = {
      sizeof(gv_raster_seed_list), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0};
  *list = defaults;
}

/**
 * Before gv_raster_seeds_finish only the numbers of the rows so far: the arrays are NULL.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds not changed.
 * @param[in,out] out initialized by gv_raster_seed_list_init; its arrays are valid until
 * gv_raster_seeds_destroy.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_raster_seeds_get(gv_context *context, const gv_raster_seeds *seeds,
                                     gv_raster_seed_list *out);

/**
 * Writes the groups of the raster's cells in a rectangle: that of cell (row + r, column + c) to group[r *
 * stride + c], -1 if it is not a seed. Thread safe.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds finished.
 * @param column the first column.
 * @param row the first row.
 * @param width columns, at least 1.
 * @param height rows, at least 1.
 * @param[out] group array of the caller.
 * @param stride in values, at least width.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_raster_seeds_groups(gv_context *context, const gv_raster_seeds *seeds, int64_t column,
                                        int64_t row, int64_t width, int64_t height, int32_t *group,
                                        int64_t stride);

/**
 * Whether all cells of a rectangle are of one group, or all are not seeds. Thread safe.
 * @param seeds finished.
 * @param column,row   the first cell.
 * @param width,height size of the rectangle, at least 1.
 * @param[out] group   that group, or -1.
 * @return non-zero if they are.
 */
GV_API int gv_raster_seeds_is_uniform(const gv_raster_seeds *seeds, int64_t column, int64_t row,
                                      int64_t width, int64_t height, int32_t *group);

/**
 * Builds an index over the kept seeds (GV_INDEX_RASTER_SEEDS) with the metric of the seeds. gv_index_search
 * returns row-major numbers of cells. Ties go to the first kept seed, which is the lowest cell if by_cell.
 * For seeds made with `query_grid` the results are valid for cells of that grid that are not seeds
 * themselves.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds    finished, with at least one seed; may be destroyed afterwards.
 * @param options  metric, semi_major and flattening are ignored: those of the raster are used. NULL =
 * defaults.
 * @param[out] out free it with gv_index_destroy.
 * @return as gv_index_build; UNSUPPORTED for GV_GRID_PROJECTED.
 */
GV_API gv_status gv_index_build_raster_seeds(gv_context *context, const gv_raster_seeds *seeds,
                                             const gv_index_options *options, gv_index **out);

/** A rectangle of cells, and the arrays for their values, distances and azimuths. */
typedef struct gv_cell_results {
  size_t struct_size;
  int64_t column, row;   /**< the first cell */
  int64_t columns, rows; /**< 0 = up to the grid's edge */
  const uint8_t *mask;   /**< as in gv_labels: 0 = leave out */
  int64_t mask_stride;   /**< strides are in values; 0 = columns, of bands stride * rows */
  const int32_t *seed;   /**< seed numbers that are known, as in gv_measure; NULL = they are computed */
  int64_t seed_stride, seed_band_stride;
  /** Group of each cell that is a seed, < 0 for others (gv_raster_seeds_groups); NULL = no cell is a seed. k
   * = 1 only. */
  const int32_t *cell_group;
  int64_t cell_group_stride;
  const int32_t *group;   /**< of each seed; NULL = its number */
  const int64_t *value;   /**< of each group; NULL = its number */
  int64_t nodata;         /**< value where there is no seed */
  gv_dtype value_type;    /**< GV_INT32 or GV_INT64; values and nodata must be in its range */
  void *out;              /**< values; may be NULL, as may distance and azimuth */
  gv_dtype distance_type; /**< GV_FLOAT32 or GV_FLOAT64 */
  void *distance;
  float *azimuth;
  int64_t stride, band_stride; /**< of out, distance and azimuth, in values */
} gv_cell_results;

/** Sets the defaults: numbers of seeds as int32, -1 for cells without one. */
static inline void gv_cell_results_init(gv_cell_results *results) {
  const gv_cell_results defaults = {sizeof(gv_cell_results),
                                    0,
                                    0,
                                    0,
                                    0,
                                    NULL,
                                    0,
                                    NULL,
                                    0,
                                    0,
                                    NULL,
                                    0,
                                    NULL,
                                    NULL,
                                    -1,
                                    GV_INT32,
                                    NULL,
                                    GV_FLOAT32,
                                    NULL,
                                    NULL,
                                    0,
                                    0};
  *results = defaults;
}

/**
 * Computes the results of gv_voronoi_fill and gv_voronoi_measure, with seeds' values instead of their
 * numbers. A cell that is a seed gets its own value, distance 0 and azimuth 0. Threads: as gv_voronoi_fill.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi made without labels, with a negative nodata.
 * @param results the rectangle, and the arrays in the caller's memory.
 * @return as gv_voronoi_fill and gv_voronoi_measure. After an error the outputs are unspecified.
 */
GV_API gv_status gv_voronoi_compute(gv_context *context, const gv_voronoi *voronoi,
                                    const gv_cell_results *results);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_RASTER_SEEDS_H */
