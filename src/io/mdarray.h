/* Arrays of NetCDF-4 and Zarr files through GDAL's multidimensional interface: what meshes, other cells and
 * weights share. False: GDAL has failed. */
#ifndef GV_IO_MDARRAY_H
#define GV_IO_MDARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include <gdal.h>
#include <ogr_srs_api.h>

enum { GV_MDARRAY_CHUNK = 1 << 16 };

/* Attributes {name, text} of an array; texts of NULL are left out. */
bool gv_array_put_texts(GDALMDArrayH array, const char *const texts[][2], int count);
bool gv_mdarray_put_number(GDALMDArrayH array, const char *name, GDALExtendedDataTypeH type, double value);
bool gv_mdarray_put_raw(GDALMDArrayH array, const char *name, GDALExtendedDataTypeH type, const void *value,
                        size_t size);
/* CF's attribute of an integer that is a missing value: to xarray the fill value of Zarr's version 3 is not
 * one. */
bool gv_mdarray_put_missing(GDALMDArrayH array, int64_t value);
bool gv_mdarray_put_global(GDALGroupH root, const char *name, const char *text);

/* Of an array, or global (NULL): a value of Zarr's. */
bool gv_mdarray_put_json(GDALGroupH root, GDALMDArrayH array, const char *name, const char *json);

/* The global text "source": this program and its version. */
bool gv_mdarray_put_source(GDALGroupH root);

/* An array along one dimension, or two (`second` may be NULL), in compressed chunks; NULL: GDAL has
 * failed. */
GDALMDArrayH gv_mdarray_make(GDALGroupH root, const char *name, GDALDimensionH first, GDALDimensionH second,
                             GDALExtendedDataTypeH type);

/* `count` rows of `columns` values. */
bool gv_mdarray_write(GDALMDArrayH array, int64_t first, int64_t count, int64_t columns,
                      GDALExtendedDataTypeH type, const void *values);

/* The variable "crs" of a geographic coordinate system, after CF. */
bool gv_mdarray_describe_crs(GDALGroupH root, OGRSpatialReferenceH crs);

/*
 * Writes everything to a NetCDF file with the global text "source" and the scalar `array`. `root`: NULL if
 * the file could not be created. netCDF and HDF5 crash if a write fails while a file is closed, or while the
 * process exits. So if this returns false, the dataset and its arrays must not be released, and
 * gv_mdarray_left_open is true from then on: the process must end by _exit.
 */
bool gv_mdarray_flush(GDALGroupH root, const char *array);
bool gv_mdarray_left_open(void);

#endif
