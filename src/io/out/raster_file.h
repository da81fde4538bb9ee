/* What the files of rasters share. */
#ifndef GV_IO_RASTER_FILE_H
#define GV_IO_RASTER_FILE_H

#include "io/out/formats/variables.h"
#include "io/out/raster_out.h"
#include "io/out/tiff_tiles.h"
#include "io/team.h"

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
  bool adopted;  /* another process has made it, and completes it */
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

/* To be written on, from raster->work; one that is adopted to be read. */
gv_status gv_raster_dataset_reopen(gv_io *io, gv_raster_out *raster);

/* For a raster that was planned: takes what another process has created at `work`. */
gv_status gv_raster_adopt(gv_io *io, gv_raster_out *raster, const gv_raster_description *description,
                          const char *work);

/* ------------------------------------------------------------------------------------------------- raster_pieces.c */

/* The pieces of rasters that this process of several has got, from when they are dealt until their bytes are in the files. */
typedef struct gv_pieces gv_pieces;

/* `across`: units side by side. Deals begin; *out is to be given to gv_pieces_end. */
gv_status gv_pieces_begin(gv_io *io, const gv_raster_work *work, gv_raster_out *const *rasters, int count,
                          int64_t units, int64_t across, gv_pieces **out);

/* The next piece, by one thread at a time. Writes what has got its place meanwhile. */
gv_status gv_pieces_next(gv_io *io, gv_pieces *pieces, int64_t *first, int64_t *count);

/* The encoded TIFF tiles of a unit, in the order of units: of each raster's bands. By one thread at a time. */
gv_status gv_pieces_put(gv_io *io, gv_pieces *pieces, int raster, const void *bytes, size_t size);

/* Writes what is left, waits for all processes, and frees. `status`: what has become of this one so far. */
gv_status gv_pieces_end(gv_io *io, gv_pieces *pieces, gv_status status);

#endif
