/* What the files of rasters share. */
#ifndef GV_IO_RASTER_FILE_H
#define GV_IO_RASTER_FILE_H

#include "io/out/formats/variables.h"
#include "io/out/raster_out.h"
#include "io/out/tiff_tiles.h"

enum { GV_RASTER_SIDE = 512 /* cells a side, where nothing else is known */ };

struct gv_raster_out {
  gv_place place;
  char *work; /* the file that blocks are written to */
  bool copies;
  int threads;
  int64_t memory; /* for blocks that wait */
  GDALDriverH driver;
  char **options;      /* creation options, defaults included */
  bool own_sides;      /* the sides of TIFF tiles are a default */
  char **used_options; /* what the dataset being written was made with */
  GDALDatasetH dataset;
  bool sparse;   /* made without TIFF tiles, for them to be added past GDAL */
  gv_tiff *tiff; /* the file while TIFF tiles are being added; the dataset is closed meanwhile */
  GDALDataType type;
  int bands;
  int64_t nodata; /* of integers; reals have NaN */
  int64_t width, height;
  gv_variable variable; /* of NetCDF and Zarr files */
};

/* --------------------------------------------------------------------------------------------------- raster_plan.c */

/* True if the user, or the options so far, say something of it. */
bool gv_option_given(char **options, const char *key);

/* Chooses the sides of TIFF tiles anew, where the user has not. */
void gv_raster_set_sides(gv_raster_out *raster, int64_t cell_bytes);

/* The defaults of the GeoTIFF drivers, each replaced by the user's value; the rest of GDAL keeps its own. */
void gv_raster_set_defaults(gv_raster_out *raster, char **user, int64_t cell_bytes);

/* ---------------------------------------------------------------------------------------------------- raster_out.c */

/* GDALClose tells of a full disk only through the message handler. */
gv_status gv_raster_dataset_close(gv_io *io, gv_raster_out *raster);

/* To be written on, from raster->work. */
gv_status gv_raster_dataset_reopen(gv_io *io, gv_raster_out *raster);

#endif
