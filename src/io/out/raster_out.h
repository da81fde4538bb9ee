/*
 * Writing rasters of one grid, block by block.
 *
 * Blocks are computed by several threads and written in file order by a free one of them, so that computing
 * and writing overlap and memory stays bounded. Each raster is made in a temporary directory
 * (io/transaction/output.h).
 */
#ifndef GV_IO_RASTER_OUT_H
#define GV_IO_RASTER_OUT_H

#include <gdal.h>

#include "io/out/formats/attribute_table.h"
#include "io/out/tiff_tiles.h"
#include "io/out/writer.h"

enum { GV_MAX_RASTERS = 4 }; /* written together */

typedef struct gv_raster_options {
  const char *option; /* named in messages about the file */
  const char *path;
  const char *driver;      /* NULL = by the path's extension */
  char **creation_options; /* "KEY=VALUE", NULL-terminated, may be NULL */
  bool overwrite;
  int threads;        /* for GDAL's compression */
  int64_t memory;     /* bytes for blocks that wait to be written, of all rasters written together */
  int64_t cell_bytes; /* bytes of one cell of all rasters written together; decides the default size of TIFF
                         tiles */
} gv_raster_options;

typedef struct gv_raster_description {
  int64_t width, height;
  const double *geotransform;
  OGRSpatialReferenceH crs; /* may be NULL */
  GDALDataType type;        /* an integer's up to Int64, GDT_Float32 or GDT_Float64 */
  int64_t nodata;           /* of integers; reals have NaN */
  int bands;
  char **names;         /* descriptions of the bands; may be NULL */
  const char *unit;     /* of the values; may be NULL */
  int64_t cell_bytes;   /* as in the options, if known only now; 0 = unknown */
  const char *variable; /* what formats with named arrays call the values; may be NULL */
  char **metadata;      /* "KEY=VALUE", may be NULL */
} gv_raster_description;

typedef struct gv_raster_out gv_raster_out;

/* Checks all that can be checked before any work is done: driver, creation options, output path. On success
 * *out is set; release it with gv_raster_close. No file is written yet. */
gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out);

/* Creates the rasters of a run, of one size, in their temporary directories. */
gv_status gv_raster_create(gv_io *io, gv_raster_out *const *rasters, int count,
                           const gv_raster_description *descriptions);

/* The dataset of its cells (a GeoTIFF where the driver can only copy), once all are written and until it is
 * finished. */
GDALDatasetH gv_raster_dataset(const gv_raster_out *raster);

/* The creation options of the GeoTIFF of its cells; before it is created, those of the output. */
char **gv_raster_creation_options(const gv_raster_out *raster);

/* Size of the blocks that gv_raster_write requests, TIFF tiles of each raster; blocks at the right and lower
 * edge are cut. */
void gv_raster_block_size(gv_raster_out *const *rasters, int32_t *width, int32_t *height);

/* A block to be computed: value (row r, column c) of band b of raster i goes to
 * out[i][b * band_stride[i] + r * stride + c], in the raster's type. */
typedef struct gv_raster_block {
  int64_t column, row; /* which block */
  void *out[GV_MAX_RASTERS];
  int64_t stride, band_stride[GV_MAX_RASTERS];
  bool uniform[GV_MAX_RASTERS]; /* to be set if each band has one value, of which only the first cell is
                                   written then */
  /* of its bands: encoded bytes of the caller's may be put here instead */
  gv_tiff_tile *tiles[GV_MAX_RASTERS];
  bool encoded[GV_MAX_RASTERS]; /* to be set then */
} gv_raster_block;

/* Computes a block. `worker` (from 0) identifies the calling thread; `io` belongs to it. */
typedef gv_status gv_raster_block_fn(gv_io *io, void *user, int worker, gv_raster_block *block);

typedef struct gv_raster_work {
  gv_raster_block_fn *compute;
  void *user;
  int workers; /* threads */
} gv_raster_work;

/* Has all blocks computed and writes them to the rasters, which must have one size. `progress` may be NULL;
 * returning FALSE cancels. */
gv_status gv_raster_write(gv_io *io, gv_raster_out *const *rasters, int count, const gv_raster_work *work,
                          GDALProgressFunc progress, void *progress_user);

/* Attaches an attribute table. */
gv_status gv_raster_set_table(gv_io *io, gv_raster_out *raster, const gv_attribute_table *table);

/* Completes the file; gv_places_commit then moves it into place. `progress` covers copying. */
gv_status gv_raster_finish(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress, void *progress_user);
gv_place *gv_raster_place(gv_raster_out *raster);

/* True if finishing the created raster copies it into its format, so that writing is only part of the
 * work. */
bool gv_raster_copies(const gv_raster_out *raster);

/* Removes unfinished files and frees; NULL is allowed. */
void gv_raster_close(gv_raster_out *raster);

#endif
