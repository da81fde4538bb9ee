/* Shared by the files that write rasters. */
#ifndef GV_IO_RASTER_FILE_H
#define GV_IO_RASTER_FILE_H

#include "io/out/formats/variables.h"
#include "io/out/raster_out.h"
#include "io/out/tiff_tiles.h"

struct gv_raster_out {
  gv_writer writer; /* its dataset: the GeoTIFF once its tiles are complete, or the dataset to fill */
  char *work;       /* the GeoTIFF that tiles are written to: the output, or ... */
  bool filled;      /* ... a temporary one that fills a dataset created by GDAL before, or ... */
  bool copies;      /* ... that GDAL copies at the end */
  int threads;
  int64_t memory; /* as in the options */
  GDALDriverH driver;
  const gv_format *format;  /* that of the driver */
  gv_raster_description is; /* its pointers are good until it has been created */
  char **options;           /* creation options, defaults included */
  bool options_lack;        /* memory ran out: some are missing */
  bool own_sides;           /* those of tiles are a default */
  int32_t tile_w, tile_h;   /* of all rasters of a run */
  char **work_options;      /* what the GeoTIFF was made with */
  gv_tiff *tiff;            /* it, until its tiles are complete */
  bool has_table;           /* it has an attribute table */
  gv_variable variable;     /* of NetCDF and Zarr files */
  bool own_axes;            /* NetCDF of a plane */
  double axes[6];           /* the geotransform */
};

/* ------------------------------------------------------------------------------------------ raster_file.c */

/* Changes options to no more threads than available: GDAL waits forever for threads that could not be
 * created. False: out of memory. */
bool gv_raster_limit_threads(char ***options);

/* Opens the complete GeoTIFF for reading. */
gv_status gv_raster_open_source(gv_io *io, const gv_raster_out *raster, GDALDatasetH *out);

/* ------------------------------------------------------------------------------------------ raster_plan.c */

/* True if the options contain the key. */
bool gv_option_given(char **options, const char *key);

/* The side of a TIFF tile: smaller ones where every cell has many values, so that a block of all bands stays
 * in a CPU's second cache, and those of thousands in memory. */
int32_t gv_raster_side(int64_t cell_bytes);

/* Called once type and bands are known: sets raster->filled and raster->copies, and dependent options. */
void gv_raster_choose_options(gv_raster_out *raster);

/* The size of its tiles: raster->work_options. */
gv_status gv_raster_set_tiles(gv_io *io, gv_raster_out *raster, int32_t width, int32_t height);

/* Sets an option; raster->options_lack. */
void gv_raster_set_option(gv_raster_out *raster, const char *key, const char *value);

/* ------------------------------------------------------------------------------------------- raster_out.c */

/* Once all tiles are written: raster->dataset has them. */
gv_status gv_raster_tiles_complete(gv_io *io, gv_raster_out *raster);

#endif
