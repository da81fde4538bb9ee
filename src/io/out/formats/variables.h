/*
 * Names and attributes, by the CF conventions, of NetCDF variables and Zarr arrays: nearest, distance,
 * azimuth. A small number of ids with names is written as flag_values and flag_meanings.
 */
#ifndef GV_IO_VARIABLES_H
#define GV_IO_VARIABLES_H

#include "io/io.h"
#include "io/out/formats/attribute_table.h"

/* Few enough for lists in attributes. */
enum { GV_MOST_FLAGS = 256 };

/* Begins as {0}. */
typedef struct gv_variable {
  char *name;
  char **bands;        /* what each band holds, in words */
  int count;           /* of flags; 0 = there are none */
  double *flag_values; /* integers of 32 bits */
  char *flag_meanings;
} gv_variable;

gv_status gv_variable_make(gv_io *io, const char *name, char **bands, gv_variable *out);
void gv_variable_free(gv_variable *variable);

/* The ids of a table that has names. */
gv_status gv_variable_set_flags(gv_io *io, gv_variable *variable, const gv_attribute_table *table);

/* Into the metadata of a dataset that becomes a NetCDF file; flags if its values are of their type. */
void gv_variable_to_netcdf(const gv_variable *variable, const char *unit, GDALDatasetH dataset);
void gv_flags_to_netcdf(const gv_variable *variable, GDALDatasetH dataset);

typedef struct gv_variable_grid {
  const double *geotransform;
  int64_t width, height;
  bool missing; /* the value of cells without a seed is to be named, too: integers of version 3 */
} gv_variable_grid;

/* Into the arrays of a Zarr file that is complete and closed, and into those of its axes. */
gv_status gv_variable_to_zarr(gv_io *io, const gv_variable *variable, const gv_variable_grid *grid,
                              const char *path);

/* The coordinates x and y of a NetCDF file that GDAL has made of a raster on a plane without a geotransform;
 * `upwards`: rows from below. */
gv_status gv_axes_to_netcdf(gv_io *io, const char *path, const double geotransform[6], int64_t height,
                            bool upwards);

#endif
