/* Arrays of cells as spans of cells of one value. */
#ifndef GV_RASTER_ARRAY_H
#define GV_RASTER_ARRAY_H

#include "core/core.h"
#include "gpuvoronoi/raster_seeds.h"

/* A row's spans: span i begins at column start[i], the first at 0, and ends where the next begins; one value,
 * and non-zero if its cells are seeds. Adjacent spans differ. */
typedef struct gv_row_spans {
  int64_t count;
  const int32_t *start;
  const int64_t *value;  /* 0 for cells that are not seeds */
  const uint8_t *counts; /* NULL: all cells are seeds */
} gv_row_spans;

/* Accepts the next row. */
typedef gv_status gv_row_taker(gv_context *context, void *user, const gv_row_spans *row);

/* All rows of an array in their order; `array` has all fields of this version, rows of `width` cells, the
 * first of which is row `first` in messages. Errors: INVALID_ARGUMENT (array->type and others of its fields,
 * a seed that is not an integer), OUT_OF_MEMORY, CANCELLED, and those of `take`. */
gv_status gv_raster_array_read(gv_context *context, const gv_raster_array *array, int64_t width,
                               int64_t first, gv_row_taker *take, void *user);

#endif
