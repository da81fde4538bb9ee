/*
 * Rasters that are read in addition to the seeds (masks, quantities). A GDAL handle is used by one thread at
 * a time: there is one for each thread, or fewer shared ones if the limit of open files is low.
 */
#ifndef GV_IO_RASTER_IN_H
#define GV_IO_RASTER_IN_H

#include <gdal.h>

#include "io/in/grid.h"

/* How the invalid pixels of a raster are marked. */
typedef enum gv_validity {
  GV_ALL_VALID,
  GV_BY_NODATA, /* signed bytes: by their value */
  GV_BY_MASK    /* by GDAL's mask */
} gv_validity;

/* Number of workers, of rasters in the run, and bytes for the data that all of them read. */
typedef struct gv_readers {
  int workers, rasters;
  int64_t memory;
  const gv_raster_grid *grid; /* grid with a coordinate system that rasters may share; may be NULL */
} gv_readers;

/* Pixels that each worker may read at once from each raster: at most `most`, and at least a few rows of a
 * block. */
int64_t gv_pixels_at_once(gv_readers readers, int64_t bytes_a_pixel, int64_t most);

typedef struct gv_raster_handle gv_raster_handle;

typedef struct gv_raster_in {
  char *path;
  const char *option; /* named in messages */
  int band;           /* from 1 */
  int64_t width, height;
  double geotransform[6];
  double inverse[6];        /* from coordinates to columns and rows */
  OGRSpatialReferenceH crs; /* NULL = unknown */
  double scale, offset;     /* value = stored x scale + offset */
  bool bytes;               /* values are stored as bytes, with no scale */
  bool signed_bytes;        /* see gv_has_signed_bytes */
  gv_validity validity;
  double nodata; /* with GV_BY_NODATA */
  bool lonlat;   /* x is a longitude */
  double turn;   /* then: a full turn in the CRS's unit */
  int handles;
  gv_raster_handle *handle;
} gv_raster_in;

typedef struct gv_raster_source {
  const char *path;
  char **open_options; /* "NAME=VALUE" for GDAL, may be NULL */
  int band;            /* from 1; 0: the first */
} gv_raster_source;

/* True for a band of signed bytes, which GDAL before 3.7 reads as unsigned ones: it has the type Byte and the
 * item PIXELTYPE=SIGNEDBYTE. Later versions have the type Int8. */
bool gv_has_signed_bytes(GDALRasterBandH band);

/* The nodata value of such a band; false if there is none that a signed byte holds. */
bool gv_signed_nodata(GDALRasterBandH band, double *nodata);

/* Fails if a block of the band, as GDAL holds it, and `rows` of `row_bytes` need more memory than --memory
 * allows. */
gv_status gv_raster_band_fits(gv_io *io, const char *option, const char *path, GDALRasterBandH band,
                              int64_t rows, int64_t row_bytes);

/* Opens a band. Errors name `option` and the path. To be closed in any case. */
gv_status gv_raster_in_open(gv_io *io, const char *option, gv_raster_source source, gv_readers readers,
                            gv_raster_in *out);
void gv_raster_in_close(gv_raster_in *raster);

/* Checks that positions of `grid` mean something in `crs` (of what `option` names): both have a coordinate
 * system or neither. */
gv_status gv_check_alignable(gv_io *io, const char *option, const char *path, OGRSpatialReferenceH crs,
                             const gv_raster_grid *grid);

/* True if coordinates of the grid are coordinates of `crs`: no operation is needed. */
bool gv_grid_in_crs(const gv_raster_grid *grid, OGRSpatialReferenceH crs);

/* True for a geotransform without rotation. */
static inline bool gv_is_upright(const double geotransform[6]) {
  return geotransform[2] == 0.0 && geotransform[4] == 0.0;
}

/* Values of a window as numbers, row by row; pixels that are nodata, masked or NaN become NaN. `valid` is
 * working memory of a byte a pixel. `io` is the worker's, here and below. */
gv_status gv_raster_in_valid(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                             int64_t w, int64_t h, double *values, uint8_t *valid);

/* The same; pixels that are nodata, masked or NaN become 0. */
gv_status gv_raster_in_values(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                              int64_t w, int64_t h, double *values, uint8_t *valid);

/* Number of rows of pixels that are read at once: whole rows of blocks, unless they are too large. */
int64_t gv_raster_in_rows_at_once(const gv_raster_in *raster);

/* Whether they differ from 0, as 1 and 0. `values` and `valid` are working memory. */
gv_status gv_raster_in_nonzero(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                               int64_t w, int64_t h, uint8_t *out, double *values, uint8_t *valid);

#endif
