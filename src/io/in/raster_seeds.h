/*
 * Seeds that are cells of a raster: the library keeps those that can be nearest to a query
 * (gpuvoronoi/raster_seeds.h).
 */
#ifndef GV_IO_RASTER_SEEDS_H
#define GV_IO_RASTER_SEEDS_H

#include <gdal.h>

#include "gpuvoronoi/raster_seeds.h"
#include "io/in/grid.h"

typedef struct gv_raster_seed_options {
  const char *source;  /* a source for GDAL; NULL = seeds are not cells */
  const char *option;  /* option of the source, for messages; NULL = --seeds-raster */
  char **open_options; /* "NAME=VALUE" for GDAL, may be NULL */
  const char *crs;     /* NULL = the raster's own */
  const char *crs_option;
  int threads;     /* to read with, where GDAL's driver can; 0 = as it does */
  int band;        /* from 1 */
  int64_t *values; /* of cells that are seeds; NULL = all but 0 */
  int64_t value_count;
  /* each cell is a seed of its own, numbered row by row from 0; else all cells of a value are one */
  bool by_cell;
} gv_raster_seed_options;

typedef struct gv_raster_seed_reader {
  const gv_raster_seed_options *options;
  GDALDatasetH dataset;
  int64_t width, height;
  double geotransform[6];
  OGRSpatialReferenceH crs; /* NULL = unknown */
} gv_raster_seed_reader;

/* Opens the raster. To be closed in any case. */
gv_status gv_raster_seeds_open(gv_io *io, const gv_raster_seed_options *options, gv_raster_seed_reader *out);
void gv_raster_seeds_close(gv_raster_seed_reader *reader);

/* Some of its places as seeds, by which a grid can be chosen before the raster is read. `seeds` begins as
 * GV_SEED_LIST_INIT. */
gv_status gv_raster_seeds_sample(gv_io *io, const gv_raster_seed_reader *reader, gv_seed_list *seeds);

/* True if the values of all cells have 32 bits. */
bool gv_raster_seeds_are_narrow(const gv_raster_seed_reader *reader);

/* The queries. */
typedef struct gv_raster_seed_request {
  const gv_raster_grid *grid; /* NULL: no grid; seeds stay in the raster's coordinates, and all are kept */
  bool skip_invalid;
  bool all;         /* nothing is left out */
  bool as_features; /* a value is one seed with many places, for the k nearest values; not by cell */
} gv_raster_seed_request;

/* Result of reading. */
typedef struct gv_raster_seed_content {
  gv_raster_seeds *cells; /* the library's */
  bool same_cells;        /* the grid's cells are the raster's: gv_raster_seed_list */
  bool own;               /* and the library has the regions of all of them */
  gv_seed_list seeds;     /* transformed to the grid; ids are values or cell numbers */
  gv_seed_list regions;   /* a seed a value, at one of its places; none if `seeds` are that, or by cell */
  int32_t *region;        /* of each seed, if there are `regions` */
} gv_raster_seed_content;

/* Reads the raster, once. `context` is for the library. `out` begins as zeros and is to be freed in any
 * case. */
gv_status gv_raster_seeds_read(gv_io *io, gv_context *context, const gv_raster_seed_reader *reader,
                               const gv_raster_seed_request *request, gv_raster_seed_content *out);
void gv_raster_seeds_free(gv_raster_seed_content *content);

#endif
