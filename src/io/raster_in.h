/*
 * Rasters that are read beside the seeds (masks, quantities): one handle a thread, since GDAL's handles belong to one
 * thread at a time.
 */
#ifndef GV_IO_RASTER_IN_H
#define GV_IO_RASTER_IN_H

#include <gdal.h>

#include "io/grid.h"

typedef struct gv_raster_in {
  char *path;
  const char *option; /* named in messages */
  int64_t width, height;
  double geotransform[6];
  double inverse[6];        /* from coordinates to columns and rows */
  OGRSpatialReferenceH crs; /* NULL = unknown */
  double scale, offset;     /* value = stored x scale + offset */
  bool bytes;               /* values are stored as bytes, with no scale */
  bool has_mask;            /* some pixels may be nodata */
  bool lonlat;              /* x is a longitude */
  double turn;              /* then: a full turn in the CRS's unit */
  int handles;
  GDALDatasetH *handle; /* one a worker */
} gv_raster_in;

/* Opens the first band for `workers` threads. Errors name `option` and the path. To be closed in any case. */
gv_status gv_raster_in_open(gv_io *io, const char *option, const char *path, int workers, gv_raster_in *out);
void gv_raster_in_close(gv_raster_in *raster);

/* Checks that positions of `grid` mean something in `crs` (of what `option` names): both have a coordinate system or
 * neither. */
gv_status gv_check_alignable(gv_io *io, const char *option, const char *path, OGRSpatialReferenceH crs,
                             const gv_raster_grid *grid);

/* True if coordinates of the grid are coordinates of `crs`: no operation is needed. */
bool gv_grid_in_crs(const gv_raster_grid *grid, OGRSpatialReferenceH crs);

/* True for a geotransform without rotation. */
static inline bool gv_is_upright(const double geotransform[6]) {
  return geotransform[2] == 0.0 && geotransform[4] == 0.0;
}

/* Values of a window as numbers, row by row; pixels that are nodata, masked or NaN become 0. `valid` has room for a byte a
 * pixel. False on failure (GDAL's message is kept). */
bool gv_raster_in_values(const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                         double *values, uint8_t *valid);

/* Whether they are anything but 0, as 1 and 0. `values` and `valid` are room to work in. */
bool gv_raster_in_nonzero(const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                          uint8_t *out, double *values, uint8_t *valid);

#endif
