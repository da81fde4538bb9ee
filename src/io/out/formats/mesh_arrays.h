/* Arrays of NetCDF-4 files through GDAL's multidimensional interface: what UGRID meshes and other cells share. False: GDAL has failed. */
#ifndef GV_IO_MESH_ARRAYS_H
#define GV_IO_MESH_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#include <gdal.h>
#include <ogr_srs_api.h>

enum { GV_MDARRAY_CHUNK = 1 << 16 };

bool gv_mdarray_put_number(GDALMDArrayH array, const char *name, GDALExtendedDataTypeH type, double value);
bool gv_mdarray_put_global(GDALGroupH root, const char *name, const char *text);

/* An array along one dimension, or two (`second` may be NULL), in compressed chunks; NULL: GDAL has failed. */
GDALMDArrayH gv_mdarray_make(GDALGroupH root, const char *name, GDALDimensionH first, GDALDimensionH second,
                             GDALExtendedDataTypeH type);

/* `count` rows of `columns` values. */
bool gv_mdarray_write(GDALMDArrayH array, int64_t first, int64_t count, int64_t columns, GDALExtendedDataTypeH type,
                      const void *values);

/* The variable "crs" of a geographic coordinate system, after CF. */
bool gv_mdarray_describe_crs(GDALGroupH root, OGRSpatialReferenceH crs);

/*
 * Writes everything to a NetCDF file with the global text "source" and the scalar `array`. `root`: NULL if the file could
 * not be created. netCDF and HDF5 crash if a write fails while a file is closed, or while the process exits. So if this
 * returns false, the dataset and its arrays must not be released, and gv_mdarray_left_open is true from then on: the
 * process must end by _exit.
 */
bool gv_mdarray_flush(GDALGroupH root, const char *array);
bool gv_mdarray_left_open(void);

#endif
