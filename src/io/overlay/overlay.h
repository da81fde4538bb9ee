/*
 * What the files of the overlay share (quantity.c says how it goes): overlaps along axes, notes of where parts of pixels fall,
 * the memory of workers.
 */
#ifndef GV_IO_OVERLAY_H
#define GV_IO_OVERLAY_H

#include "io/in/raster_in.h"
#include "io/overlay/quantity.h"

enum {
  GV_OVERLAY_AT_ONCE = 1 << 20, /* values read at once, at most */
  GV_BUCKET_SIDE = 512          /* cells */
};

/* Overlaps along one axis, both ways: entries of cell i are start[i] ... start[i + 1]. */
typedef struct gv_axis {
  int64_t cells, pixels;
  int64_t *start; /* by cell */
  int64_t *pixel;
  double *share;  /* of the pixel */
  double *inside; /* by pixel: sum of its shares */
  int64_t entries;
} gv_axis;

/* Pixels [first, end) of a row of which parts may fall into a bucket. */
typedef struct gv_note {
  int64_t row, first, end;
} gv_note;

typedef struct gv_bucket {
  gv_note *notes; /* rows ascend */
  int64_t count, capacity;
} gv_bucket;

/* A share of a pixel of a row that goes to a span of columns. */
typedef struct gv_pixel_part {
  double share;
  int32_t place; /* among the pixels read */
  int32_t span;
} gv_pixel_part;

/* Corners of pixels among the cells, by column, between the rows edge - 1 and edge. */
typedef struct gv_corner_line {
  int64_t edge;
  double *x, *y;
  uint8_t *known; /* those that have been found */
} gv_corner_line;

/* Memory of a worker. */
typedef struct gv_overlay_worker {
  double *values; /* of cells */
  int32_t *first; /* of spans of columns, and then of spans of rows */
  double *pixels;
  uint8_t *valid;
  double *collapsed;    /* two rows of pixels, shared among the spans */
  gv_pixel_part *parts; /* of a row of pixels in the spans */
  int64_t value_capacity, pixel_capacity, collapsed_capacity, part_capacity;
  gv_corner_line line[2]; /* of even and odd edges: rows share one with the next */
} gv_overlay_worker;

struct gv_overlay {
  const char *name;
  const gv_raster_grid *grid;
  gv_raster_in raster;
  double total, size, inside; /* size: sum of absolute values */
  bool parallel;
  gv_axis x, y;
  bool *same;              /* column c has the overlap of column c - 1 */
  bool *same_row;          /* row r has the overlap of row r - 1 */
  gv_operation *operation; /* from the raster's coordinates to the grid's; NULL = the same */
  double inverse[6];       /* from the grid's coordinates to columns and rows */
  double period;           /* columns of a full turn; 0 = none */
  double eighth;           /* of a turn in the raster's coordinates; without turns HUGE_VAL */
  double e2;               /* of the ellipsoid, for true areas of the raster's rows; < 0: rows are planar */
  double degrees;          /* in one unit of the raster's y */
  int64_t buckets_across, buckets_down;
  gv_bucket *buckets;
  gv_readers readers;
  int64_t at_once; /* values read at once */
  int workers;
  gv_overlay_worker *of_worker;
};

static inline gv_status gv_overlay_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "the overlay of a raster");
}

/* ------------------------------------------------------------------------------------------------------- worker.c */

/* Room for so many values of cells, columns and pixels. */
gv_status gv_overlay_worker_grow(gv_io *io, gv_overlay_worker *b, int64_t values, int64_t columns, int64_t pixels);
void gv_overlay_worker_clear(gv_overlay_worker *b);

/* --------------------------------------------------------------------------------------------------------- axes.c */

/* The overlaps of a parallel raster. */
gv_status gv_axes_lay(gv_io *io, gv_overlay *o);
void gv_axis_free(gv_axis *axis);

/* The first pixel of cells [from, to), and the one after the last; none: equal. */
void gv_axis_pixels(const gv_axis *axis, int64_t from, int64_t to, int64_t out[2]);

/* The share of a row of pixels, from y = top to y = bottom, that lies between the fractions t0 and t1 of its height. */
double gv_row_share(const gv_overlay *o, double top, double bottom, double t0, double t1);

/* -------------------------------------------------------------------------------------------------------- parts.c */

/* What becomes of parts: a part of the size `amount` in a cell; column -1: outside the grid. */
typedef struct gv_sink {
  void (*take)(struct gv_sink *sink, int64_t column, int64_t row, double amount);
  int64_t pixel_row, pixel;
  gv_io *io;
  gv_status status; /* not GV_OK: parts are missing */
  /* notes: */
  const gv_overlay *overlay;
  gv_bucket *buckets;
  double inside;
  /* blocks: */
  double *values;
  int64_t x, y, w, h;
} gv_sink;

/* Parts the pixels [first, first + count) of a row. */
gv_status gv_part_row(gv_io *io, const gv_overlay *o, gv_overlay_worker *b, int64_t row, int64_t first,
                      int64_t count, const double *values, gv_sink *to);

/* --------------------------------------------------------------------------------------------- walk.c, notes.c */

/* Reads all of the raster once, all workers together; what has room is kept. */
gv_status gv_overlay_walk(gv_io *io, gv_overlay *o);

/* Parts all pixels of a raster that is not parallel, to note where they fall. */
gv_status gv_overlay_note(gv_io *io, gv_overlay *o);

/* --------------------------------------------------------------------------------- blocks: spread.c and notes.c */

/* gv_overlay_cells of parallel grids, and of all others. */
gv_status gv_overlay_cells_parallel(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                                    int64_t h, gv_quantity *out);
gv_status gv_overlay_cells_parted(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                                  int64_t h, gv_quantity *out);

#endif
