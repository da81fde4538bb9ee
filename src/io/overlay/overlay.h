/* Declarations shared by the files of the overlay (quantity.h explains it). */
#ifndef GV_IO_OVERLAY_H
#define GV_IO_OVERLAY_H

#include "io/in/raster_in.h"
#include "io/overlay/cell_sums.h"
#include "io/overlay/quantity.h"

/* Overlaps of cells and pixels along one axis: those of cell i are start[i] ... start[i + 1] - 1. */
typedef struct gv_axis {
  int64_t *start;
  int64_t *pixel;
  double *share;  /* of the pixel */
  double *inside; /* by pixel: sum of its shares */
} gv_axis;

/* The cells that the points of a square of pixels fall into: columns [u0, u1) of rows [v0, v1). Of a mesh or
 * list u1 = 1 if there are any, and `chunk` has the chunks of consecutive cells, ascending. */
typedef struct gv_point_tile {
  int32_t u0, u1, v0, v1;
  int64_t *chunk;
  int64_t chunks;
} gv_point_tile;

/* Memory of a worker. */
typedef struct gv_overlay_worker {
  double *pixels; /* a row of the raster */
  uint8_t *valid;
  double *values; /* w x h cells, and two rows of w */
  int64_t capacity;
  double total, inside; /* of the tiles it has processed, in o->unit */
} gv_overlay_worker;

struct gv_overlay {
  const gv_raster_grid *grid;
  gv_raster_in raster;
  double total, size, inside; /* size: sum of absolute values */
  double largest;             /* absolute value of a pixel */
  int64_t negative;           /* pixels */
  bool list;                  /* cells are those of a mesh or list: grid->cells_of */
  double grid_degrees;        /* then: in a unit of the grid's system, found before workers start */
  bool parallel;              /* the raster is in the grid's system, and both are upright */
  double period;              /* columns of a full turn; 0 = none */
  /* of the ellipsoid, for true areas of the raster's rows; < -1: rows are planar */
  double e2;
  double degrees;          /* in one unit of the raster's y */
  gv_axis x, y;            /* parallel */
  gv_operation *operation; /* from the raster's coordinates to the grid's; NULL = the same */
  double inverse[6];       /* from the grid's coordinates to columns and rows */
  double unit;             /* of values in fixed point */
  int64_t n;               /* points a side of a pixel */
  int64_t side;            /* pixels a side of a tile */
  int64_t across, down;    /* tiles */
  gv_point_tile *tile;
  int64_t sums_bytes; /* memory for `sums` */
  gv_cell_sums *sums; /* of all cells of a mesh or list; NULL: summed block by block */
  bool zeros;         /* pixels of the value 0 have points as well */
  int workers;
  gv_overlay_worker *of_worker;
};

static inline gv_status gv_overlay_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "the overlay of a raster");
}

/* ------------------------------------------------------------------------------------------------ areas.c */

/* The part of the area of a row of pixels, from y = top to y = bottom, that lies above the fraction t of its
 * height. */
double gv_row_share(const gv_overlay *o, double top, double bottom, double t);

/* Finds the overlaps of a parallel raster. */
gv_status gv_areas_make(gv_io *io, gv_overlay *o);
bool gv_areas_overlap(const gv_overlay *o);
/* No cell has a larger value. */
double gv_areas_largest(const gv_overlay *o);
void gv_areas_free(gv_overlay *o);

/* Values of a block of cells into the worker's memory. */
gv_status gv_areas_cells(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                         int64_t h);

/* ----------------------------------------------------------------------------------------------- points.c */

/* The same for all other rasters, with known `size`. *overlap is set if a point is inside the grid. */
gv_status gv_points_make(gv_io *io, gv_overlay *o, bool *overlap);
void gv_points_free(gv_overlay *o);
gv_status gv_points_cells(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                          int64_t h);

#endif
