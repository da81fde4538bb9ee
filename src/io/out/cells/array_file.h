/* Files of arrays along cells: what UGRID meshes and variables of other cells share. */
#ifndef GV_IO_ARRAY_FILE_H
#define GV_IO_ARRAY_FILE_H

#include "core/limits.h"
#include "io/mdarray.h"
#include "io/out/writer.h"

enum { GV_ARRAY_FILE_MOST = 4 * (GV_VORONOI_MAX_K + 1) /* arrays */ };

/* Begins as {.writer}. */
typedef struct gv_array_file {
  gv_writer *writer;
  GDALGroupH root;
  GDALExtendedDataTypeH int32, int64, uint64, float32, float64;
  GDALDimensionH dimension[5];
  GDALMDArrayH array[GV_ARRAY_FILE_MOST];
  int dimensions, arrays;
} gv_array_file;

/* Makes the file, and the types. False: GDAL has failed, as below. */
bool gv_array_file_create(gv_array_file *file, GDALDriverH driver, const char *const *options);

/* NULL: GDAL has failed. */
GDALDimensionH gv_array_file_dimension(gv_array_file *file, const char *name, int64_t size);

/* Has the array, which may be NULL, released at the end; returns it. */
GDALMDArrayH gv_array_file_keep(gv_array_file *file, GDALMDArrayH array);

/* Completes the file if `status` is GV_OK, and releases all. `scalar`: as for gv_mdarray_flush; NULL of other
 * formats than NetCDF. */
gv_status gv_array_file_finish(gv_io *io, gv_array_file *file, const char *scalar, gv_status status);

#endif
