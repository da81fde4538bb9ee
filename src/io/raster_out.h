/*
 * Writing a raster that is complete or not there.
 *
 * Everything is written into a temporary directory beside the output and moved into place at the end, side files
 * (.aux.xml, .hdr ...) included; a run that fails leaves nothing and touches nothing. Blocks are computed by
 * several threads and written in file order by whichever of them is free, so that computing and writing overlap and
 * memory stays bounded.
 */
#ifndef GV_IO_RASTER_OUT_H
#define GV_IO_RASTER_OUT_H

#include <gdal.h>

#include "io/io.h"

typedef struct gv_raster_options {
  const char *path;
  const char *driver;      /* NULL = by the path's extension */
  char **creation_options; /* "KEY=VALUE", NULL-terminated, may be NULL */
  bool overwrite;
  int threads; /* for GDAL's compression */
} gv_raster_options;

typedef struct gv_raster_description {
  int64_t width, height;
  const double *geotransform;
  OGRSpatialReferenceH crs; /* may be NULL */
  GDALDataType type;        /* GDT_Int32 or GDT_Int64 */
  int64_t nodata;
  const char *band; /* description of the band */
  char **metadata;  /* "KEY=VALUE", may be NULL */
} gv_raster_description;

typedef struct gv_raster_out gv_raster_out;

/* Checks all that can be checked before any work is done: driver, creation options, output path. On success *out is
 * set, to be given back with gv_raster_close. Nothing is on disk yet. */
gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out);

/* Creates the temporary directory and the dataset in it. */
gv_status gv_raster_create(gv_io *io, gv_raster_out *raster, const gv_raster_description *description);

/* Size of the blocks that gv_raster_write asks for; those at the right and lower edge are cut at the grid's edge.
 */
void gv_raster_block_size(const gv_raster_out *raster, int32_t *width, int32_t *height);

/* Computes block (column, row) into `out`, of the dataset's type, rows `stride` cells apart. `worker` (from 0)
 * tells the calling threads apart. On failure writes one line to `message`. */
typedef gv_status (*gv_raster_block_fn)(void *user, int worker, int64_t column, int64_t row, void *out,
                                        int64_t stride, char *message, size_t message_size);

/* Has all blocks computed by `workers` threads and writes them. `progress` may be NULL; returning FALSE cancels. */
gv_status gv_raster_write(gv_io *io, gv_raster_out *raster, gv_raster_block_fn compute, void *user, int workers,
                          GDALProgressFunc progress, void *progress_user);

/* Attaches an attribute table (not owned). */
gv_status gv_raster_set_table(gv_io *io, gv_raster_out *raster, GDALRasterAttributeTableH table);

/* Completes the file and moves it into place. `progress` covers the copying that some drivers need. */
gv_status gv_raster_finish(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress, void *progress_user);

/* True if finishing copies the raster into its format, so that writing is only part of the work. */
bool gv_raster_copies(const gv_raster_out *raster);

/* Removes what is not finished and frees; NULL is allowed. */
void gv_raster_close(gv_raster_out *raster);

/* Removes the temporary directory of whichever raster is being written, without touching anything else of it: for a
 * process that is about to end in another thread. */
void gv_raster_abandon(void);

#endif
