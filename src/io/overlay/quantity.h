/*
 * Rasters of counts (for example people) laid over a grid: a pixel's value is an amount, not a density, and
 * the sum of all is kept.
 *
 * In the grid's coordinate system, both without rotation, a pixel is shared among the cells it overlaps, by
 * area (true area on longitudes and latitudes). Otherwise it is split among n x n points (points.c), also for
 * HEALPix, S2 and H3 cells. Values outside the grid are summed separately. nodata counts as 0.
 */
#ifndef GV_IO_QUANTITY_H
#define GV_IO_QUANTITY_H

#include "io/in/raster_in.h"

typedef struct gv_overlay gv_overlay;

/*
 * Opens a raster, sums it and lays it over the grid, which must outlive it. Errors: no overlap, no coordinate
 * system although the grid has one, infinite values. Release *out with gv_overlay_close.
 */
gv_status gv_overlay_open(gv_io *io, gv_raster_source source, const gv_raster_grid *grid, gv_readers readers,
                          gv_overlay **out);

/* Sum of the raster, of the part of it inside the grid, and a bound of the sizes of cells' values: a power of
 * two, with the pixels of the grid's own cells the one that is next to the largest value. */
double gv_overlay_total(const gv_overlay *overlay);
double gv_overlay_inside(const gv_overlay *overlay);
double gv_overlay_bound(const gv_overlay *overlay);

/* Number of pixels with negative values. */
int64_t gv_overlay_negative(const gv_overlay *overlay);

/* Quantities of the cells [x, x + w) x [y, y + h), in memory that is the worker's until its next call. `io`
 * is the worker's. */
gv_status gv_overlay_cells(gv_io *io, gv_overlay *overlay, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, gv_quantity *out);

/* NULL is allowed. */
void gv_overlay_close(gv_overlay *overlay);

#endif
