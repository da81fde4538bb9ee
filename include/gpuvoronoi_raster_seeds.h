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
 *     const int16_t land[5][5] = {{0}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0, 7, 7, 7}, {0}}; // 0: no seed
 *     gv_grid raster = GV_GRID_INIT;
 *     gv_raster_seeds_options options = GV_RASTER_SEEDS_OPTIONS_INIT;
 *     gv_raster_array array = GV_RASTER_ARRAY_INIT;
 *     gv_raster_seeds *cells = NULL;
 *     gv_raster_seed_list kept = GV_RASTER_SEED_LIST_INIT;
 *     raster.width = raster.height = 5;
 *     options.asking = &raster;
 *     array.data = land;
 *     array.type = GV_INT16;
 *     array.rows = 5;
 *     array.row_stride = sizeof land[0];
 *     array.column_stride = sizeof land[0][0];
 *     gv_status status = gv_raster_seeds_create(context, &raster, &options, &cells);
 *     if (status == GV_OK) status = gv_raster_seeds_add_array(context, cells, &array);
 *     if (status == GV_OK) status = gv_raster_seeds_finish(context, cells);
 *     if (status == GV_OK) status = gv_raster_seeds_get(context, cells, &kept);
 *     int good = status == GV_OK && kept.count == 8 && kept.cells == 9; // but the one in the middle
 *     gv_raster_seeds_destroy(cells);
 *     if (!good) return 1;
 */

/*
 * Seeds of a raster: the centres of its cells. Cells of one value are a group, and what is asked for is the nearest group or the
 * nearest cell. A raster is given by rows; memory grows with the boundaries between groups, not with their areas: cells that no asking cell
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

#define GV_RASTER_SEEDS_OPTIONS_INIT                                                                               \
  { sizeof(gv_raster_seeds_options), GV_EUCLIDEAN, NULL, 0, 0 }

/* `raster`: kind (any but GV_GRID_QTM), width, height, geotransform and ellipsoid count. options may be NULL.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
GV_API gv_status gv_raster_seeds_create(gv_context *context, const gv_grid *raster,
                                        const gv_raster_seeds_options *options, gv_raster_seeds **out);

/* NULL is allowed. */
GV_API void gv_raster_seeds_destroy(gv_raster_seeds *seeds);

/*
 * Rows of a raster as they lie in the caller's memory, e.g. an array of NumPy. Start from GV_RASTER_ARRAY_INIT. Strides are bytes from a
 * cell to the next of its column or row, and may be negative or 0; no alignment is needed.
 *
 * Cells are seeds if their values are `chosen`, or any but 0 where that is NULL; and not `left_out`, NaN, infinite or left out by the mask. The
 * value of a seed is a whole number: an int64_t, of floats less than 2^53 in size. Both lists hold values of the array's type.
 */
typedef struct gv_raster_array {
  size_t struct_size;
  const void *data; /* the first cell of the first row */
  gv_dtype type;
  int64_t rows;
  int64_t row_stride, column_stride;
  const uint8_t *mask; /* 0 = no seed; NULL = all cells may be */
  int64_t mask_row_stride, mask_column_stride;
  int mask_is_inverted; /* non-zero: 0 = may be a seed, as in masked arrays of NumPy */
  const void *chosen;
  int64_t chosen_count;
  const void *left_out; /* e.g. nodata; NULL = none */
  int64_t left_out_count;
} gv_raster_array;

#define GV_RASTER_ARRAY_INIT                                                                                       \
  { sizeof(gv_raster_array), NULL, GV_INT64, 0, 0, 0, NULL, 0, 0, 0, NULL, 0, NULL, 0 }

/* The next array->rows rows, which are read by the context's threads and not kept. Errors: INVALID_ARGUMENT (a seed that is no whole number:
 * the message has the first one; more than 2^31 - 1 seeds are left; too many rows), OUT_OF_MEMORY, CANCELLED; after one the object is of no
 * use. */
GV_API gv_status gv_raster_seeds_add_array(gv_context *context, gv_raster_seeds *seeds,
                                           const gv_raster_array *array);

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

#define GV_RASTER_SEED_LIST_INIT                                                                                   \
  { sizeof(gv_raster_seed_list), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0 }

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

/*
 * Answers of one block as values: what gv_voronoi_fill and gv_voronoi_measure compute, with each seed's value in place of its number, and seed
 * cells of the raster as they are: their own value, at distance 0 and azimuth 0. Start from GV_ANSWER_INIT.
 */
typedef struct gv_answer {
  size_t struct_size;
  int64_t column, row; /* which block */
  const uint8_t *mask; /* as in gv_block: 0 = leave out */
  int64_t mask_stride;
  const int32_t *seed; /* numbers that are known, as in gv_measure; NULL = they are computed */
  int64_t seed_stride, seed_band_stride;
  const int32_t *
      own; /* group of each cell that is a seed, < 0 for others (gv_raster_seeds_groups); NULL = no cell is one. Only for k = 1 */
  int64_t own_stride;
  const int32_t *group;   /* of each seed; NULL = its number */
  const int64_t *value;   /* of each group; NULL = its number */
  int64_t nodata;         /* value where there is no seed */
  gv_dtype value_type;    /* GV_INT32 or GV_INT64: values and nodata must fit */
  void *out;              /* values; may be NULL, as may distance and azimuth */
  gv_dtype distance_type; /* GV_FLOAT32 or GV_FLOAT64 */
  void *distance;
  float *azimuth;
  int64_t stride, band_stride; /* of out, distance and azimuth, in values */
} gv_answer;

#define GV_ANSWER_INIT                                                                                             \
  {                                                                                                                \
    sizeof(gv_answer), 0, 0, NULL, 0, NULL, 0, 0, NULL, 0, NULL, NULL, -1, GV_INT32, NULL, GV_FLOAT32, NULL, NULL, \
        0, 0                                                                                                       \
  }

/* `voronoi` has been made without labels, with a negative nodata. Runs on the calling thread; safe to call from many threads at once, each
 * with a context of its own. Errors: INVALID_ARGUMENT, and those of gv_voronoi_fill and gv_voronoi_measure; after one the outputs hold
 * unspecified values. */
GV_API gv_status gv_voronoi_answer(gv_context *context, const gv_voronoi *voronoi, const gv_answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_RASTER_SEEDS_H */
