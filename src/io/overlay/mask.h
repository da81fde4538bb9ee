/*
 * Which cells of a grid count: a raster or polygons of any OGR layer, in any coordinate system.
 *
 * What counts is a cell's center, carried over to the mask's coordinate system by one PROJ operation, cell by
 * cell. Raster: the pixel it lies in must exist and be neither nodata, nor masked (by a mask or alpha band),
 * nor 0, nor NaN. Polygons: it must lie inside one, by the even-odd rule; a center on an edge belongs to what
 * lies to its right (greater x) or, on a horizontal edge, above (greater y), so that polygons side by side
 * share no cell and leave none out.
 */
#ifndef GV_IO_MASK_H
#define GV_IO_MASK_H

#include "io/in/raster_in.h"

typedef struct gv_mask gv_mask;

typedef struct gv_mask_options {
  const char *source;
  const char *layer;   /* NULL = the only one */
  char **open_options; /* "NAME=VALUE" for GDAL, may be NULL */
} gv_mask_options;

/* Opens a mask. `grid` must outlive it. Release *out with gv_mask_close. */
gv_status gv_mask_open(gv_io *io, const gv_mask_options *options, const gv_raster_grid *grid,
                       gv_readers readers, gv_mask **out);

/* Writes cells [x, x + w) x [y, y + h) of the grid to out[row * stride + column]: 1 = kept, 0 = masked.
 * *kept: number of kept cells. `worker` identifies the calling thread; `io` belongs to it. */
gv_status gv_mask_cells(gv_io *io, gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                        uint8_t *out, int64_t stride, int64_t *kept);

/* The same of `count` places in degrees, of a grid that is a mesh or a list on the globe; NaN does not
 * count. */
gv_status gv_mask_places(gv_io *io, gv_mask *mask, int worker, const double *longitude,
                         const double *latitude, int64_t count, uint8_t *out, int64_t *kept);

/* NULL is allowed. */
void gv_mask_close(gv_mask *mask);

#endif
