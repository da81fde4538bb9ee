#include "io/out/cells/array_file.h"

bool gv_array_file_create(gv_array_file *file, GDALDriverH driver, const char *const *options) {
  gv_writer *writer = file->writer;
  file->int32 = GDALExtendedDataTypeCreate(GDT_Int32);
  file->int64 = GDALExtendedDataTypeCreate(GDT_Int64);
  file->uint64 = GDALExtendedDataTypeCreate(GDT_UInt64);
  file->float32 = GDALExtendedDataTypeCreate(GDT_Float32);
  file->float64 = GDALExtendedDataTypeCreate(GDT_Float64);
  writer->dataset =
      GDALCreateMultiDimensional(driver, gv_place_work(&writer->place), NULL, (CSLConstList)options);
  file->root = writer->dataset != NULL ? GDALDatasetGetRootGroup(writer->dataset) : NULL;
  return file->root != NULL;
}

GDALDimensionH gv_array_file_dimension(gv_array_file *file, const char *name, int64_t size) {
  return file->dimension[file->dimensions++] =
             GDALGroupCreateDimension(file->root, name, NULL, NULL, (GUInt64)size, NULL);
}

GDALMDArrayH gv_array_file_keep(gv_array_file *file, GDALMDArrayH array) {
  return file->array[file->arrays++] = array;
}

/* GDAL's functions accept NULL. */
static void array_file_release(gv_array_file *file) {
  for (int i = 0; i < file->arrays; i++)
    GDALMDArrayRelease(file->array[i]);
  for (int i = 0; i < file->dimensions; i++)
    GDALDimensionRelease(file->dimension[i]);
  GDALExtendedDataTypeRelease(file->int32);
  GDALExtendedDataTypeRelease(file->int64);
  GDALExtendedDataTypeRelease(file->uint64);
  GDALExtendedDataTypeRelease(file->float32);
  GDALExtendedDataTypeRelease(file->float64);
  GDALGroupRelease(file->root);
}

gv_status gv_array_file_finish(gv_io *io, gv_array_file *file, const char *scalar, gv_status status) {
  gv_gdal_reset();
  if (scalar != NULL && file->int32 != NULL && !gv_mdarray_flush(file->root, scalar)) {
    file->writer->dataset = NULL; /* stays open */
    return status == GV_OK ? gv_writer_fail(io, file->writer) : status;
  }
  array_file_release(file);
  return gv_writer_finish(io, file->writer, status);
}
