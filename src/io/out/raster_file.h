/* What the files of rasters share. */
#ifndef GV_IO_RASTER_FILE_H
#define GV_IO_RASTER_FILE_H

#include "io/out/formats/variables.h"
#include "io/out/raster_out.h"
#include "io/out/tiff_tiles.h"

struct gv_raster_out {
  gv_place place;
  char *work;  /* the GeoTIFF that tiles are written to: the output, or ... */
  bool filled; /* ... a temporary one, whose cells go into the dataset that GDAL has made before, or ... */
  bool copies; /* ... that GDAL copies at the end */
  int threads;
  int64_t memory, cell_bytes; /* as in the options */
  GDALDriverH driver;
  gv_raster_description is; /* its pointers are good until it has been created */
  char **options;           /* creation options, defaults included */
  int32_t tile_w, tile_h;
  char **work_options;  /* what the GeoTIFF was made with */
  gv_tiff *tiff;        /* it, until its tiles are complete */
  GDALDatasetH dataset; /* it, or what is filled */
  bool has_table;       /* it has an attribute table */
  gv_variable variable; /* of NetCDF and Zarr files */
};

/* --------------------------------------------------------------------------------------------------- raster_plan.c */

/* True if the user, or the options so far, say something of it. */
bool gv_option_given(char **options, const char *key);

/* Chooses how tiles are written, once type and bands are known: raster->work_options, filled, copies. */
void gv_raster_plan_tiles(gv_raster_out *raster);

/* ---------------------------------------------------------------------------------------------------- raster_out.c */

/* Once all tiles are written: raster->dataset has them. */
gv_status gv_raster_tiles_complete(gv_io *io, gv_raster_out *raster);

#endif
