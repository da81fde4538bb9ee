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

#endif
