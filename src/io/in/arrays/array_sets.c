/* Arrays that are not plain files: pipes, members of .npz archives, datasets of HDF5 files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "io/in/arrays/array_reader.h"
#include "io/in/input_limit.h"

enum { COPY_BYTES = 1 << 16, HDF5_BYTES = 1 << 22 };

static gv_status fail_copy(gv_io *io, const gv_array_reader *reader) {
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot write to a temporary file: %s", reader->path,
                    strerror(errno));
}

static gv_status begin_copy(gv_io *io, gv_array_reader *reader) {
  if (reader->file != NULL) fclose(reader->file);
  reader->file = tmpfile();
  return reader->file != NULL ? GV_OK : fail_copy(io, reader);
}

/* Writes bytes to the copy, of which there are *size then. */
static gv_status add_to_copy(gv_io *io, gv_array_reader *reader, const void *bytes, size_t count,
                             int64_t *size) {
  if (fwrite(bytes, 1, count, reader->file) != count) return fail_copy(io, reader);
  *size += (int64_t)count;
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  return gv_input_fits(io, &(gv_input_data){NULL, reader->path, "bytes and more", *size, 1});
}

static gv_status end_copy(gv_io *io, gv_array_reader *reader) {
  if (fflush(reader->file) != 0) return fail_copy(io, reader);
  rewind(reader->file);
  return GV_OK;
}

gv_status gv_array_take_pipe(gv_io *io, gv_array_reader *reader) {
  char buffer[COPY_BYTES];
  FILE *pipe = reader->file;
  int64_t size = 0;
  reader->file = NULL;
  gv_status status = begin_copy(io, reader);
  for (size_t got; status == GV_OK && (got = fread(buffer, 1, COPY_BYTES, pipe)) > 0;)
    status = add_to_copy(io, reader, buffer, got, &size);
  if (status == GV_OK && ferror(pipe))
    status = gv_io_fail(io, GV_ERROR_IO, "%s: cannot read: %s", reader->path, strerror(errno));
  fclose(pipe);
  return status == GV_OK ? end_copy(io, reader) : status;
}

/* A file that GDAL opens. */
static gv_status use_file(gv_io *io, gv_array_reader *reader, const char *source) {
  char buffer[COPY_BYTES];
  gv_gdal_reset();
  VSILFILE *from = VSIFOpenL(source, "rb");
  if (from == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read", reader->path);
  int64_t size = 0;
  gv_status status = begin_copy(io, reader);
  for (size_t got = COPY_BYTES; status == GV_OK && got == COPY_BYTES;) {
    got = VSIFReadL(buffer, 1, COPY_BYTES, from);
    status = add_to_copy(io, reader, buffer, got, &size);
  }
  VSIFCloseL(from);
  if (status == GV_OK && gv_gdal_failed())
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read", reader->path);
  return status == GV_OK ? end_copy(io, reader) : status;
}

gv_status gv_array_take_virtual(gv_io *io, gv_array_reader *reader) {
  return use_file(io, reader, reader->path);
}

/* The array to read, of those with these names. */
static gv_status choose_set(gv_io *io, const gv_array_reader *reader, char **names, const char **name) {
  const gv_array_open_options *o = &reader->options;
  const char *wanted = o->set != NULL ? o->set : o->usual_set;
  int found = wanted != NULL ? CSLFindStringCaseSensitive(names, wanted) : -1;
  if (found < 0 && o->set == NULL && CSLCount(names) == 1) found = 0;
  *name = found >= 0 ? names[found] : NULL;
  if (found >= 0) return GV_OK;
  char list[512] = "";
  for (int i = 0; i < CSLCount(names); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  GV_REQUIRE(io, o->set == NULL, "%s: unknown array (%s); it has: %s", reader->path, o->set, list);
  return gv_io_fail_as(io, GV_CODE_LAYER_NEEDED, GV_ERROR_INVALID_ARGUMENT,
                       "%s: %d arrays; choose one with --layer or --query-layer: %s", reader->path,
                       CSLCount(names), list);
}

gv_status gv_array_take_npz(gv_io *io, gv_array_reader *reader) {
  char *archive = NULL, *member = NULL, **names = NULL;
  const char *name = NULL;
  if (asprintf(&archive, "/vsizip/{%s}", reader->path) < 0) return gv_io_fail_memory(io, reader->path);
  gv_gdal_reset();
  char **files = VSIReadDirRecursive(archive);
  for (char **file = files; file != NULL && *file != NULL; file++) {
    size_t length = strlen(*file);
    if (length <= 4 || strcasecmp(*file + length - 4, ".npy") != 0) continue;
    names = CSLAddString(names, *file);
    names[CSLCount(names) - 1][length - 4] = '\0';
  }
  CSLDestroy(files);
  gv_status status =
      names != NULL ? choose_set(io, reader, names, &name)
                    : gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid .npz file", reader->path);
  if (status == GV_OK && asprintf(&member, "%s/%s.npy", archive, name) < 0) {
    member = NULL;
    status = gv_io_fail_memory(io, reader->path);
  }
  if (status == GV_OK) status = use_file(io, reader, member);
  free(archive);
  free(member);
  CSLDestroy(names);
  return status;
}

/* --------------------------------------------------------------------------------------------------- HDF5 */

/* The values as floats, or doubles where floats do not hold them. */
static gv_status copy_values(gv_io *io, gv_array_reader *reader, GDALMDArrayH array) {
  GDALExtendedDataTypeH stored = GDALMDArrayGetDataType(array);
  GDALDataType type = GDALExtendedDataTypeGetNumericDataType(stored);
  bool narrow = type == GDT_Float32 || type == GDT_Byte || type == GDT_Int16 || type == GDT_UInt16;
  GDALExtendedDataTypeRelease(stored);
  GV_REQUIRE(io, type != GDT_Unknown && !GDALDataTypeIsComplex(type),
             "%s: unsupported type of the array; expected numbers", reader->path);
  const uint16_t one = 1;
  reader->big_endian = *(const unsigned char *)&one == 0;
  reader->bytes = narrow ? 4 : 8;
  int64_t row_bytes = (int64_t)reader->dim * reader->bytes, most = HDF5_BYTES / row_bytes, size = 0;
  GDALExtendedDataTypeH wanted = GDALExtendedDataTypeCreate(narrow ? GDT_Float32 : GDT_Float64);
  void *buffer = malloc((size_t)(most * row_bytes));
  gv_status status =
      buffer != NULL && wanted != NULL ? begin_copy(io, reader) : gv_io_fail_memory(io, reader->path);
  for (int64_t done = 0; done < reader->count && status == GV_OK; done += most) {
    GUInt64 start[2] = {(GUInt64)done, 0};
    size_t count[2] = {(size_t)(reader->count - done < most ? reader->count - done : most),
                       (size_t)reader->dim};
    size_t bytes = count[0] * (size_t)row_bytes;
    if (!GDALMDArrayRead(array, start, count, NULL, NULL, wanted, buffer, NULL, 0))
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read", reader->path);
    else
      status = add_to_copy(io, reader, buffer, bytes, &size);
  }
  if (wanted != NULL) GDALExtendedDataTypeRelease(wanted);
  free(buffer);
  return status == GV_OK ? end_copy(io, reader) : status;
}

static gv_status use_array(gv_io *io, gv_array_reader *reader, GDALGroupH root) {
  char **names = GDALGroupGetMDArrayNames(root, NULL);
  const char *name = NULL;
  size_t dims = 0;
  gv_status status = choose_set(io, reader, names, &name);
  GDALMDArrayH array = status == GV_OK ? GDALGroupOpenMDArray(root, name, NULL) : NULL;
  if (status == GV_OK && array == NULL)
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read the array '%s'", reader->path, name);
  CSLDestroy(names);
  if (status != GV_OK) return status;
  GDALDimensionH *sizes = GDALMDArrayGetDimensions(array, &dims);
  int64_t count[2] = {0, 1};
  for (size_t i = 0; i < dims && i < 2; i++)
    count[i] = (int64_t)GDALDimensionGetSize(sizes[i]);
  GDALReleaseDimensions(sizes, dims);
  reader->count = count[0];
  reader->dim = (int32_t)count[1];
  status = dims == 1 || dims == 2
               ? gv_array_check_dim(io, reader, count[1])
               : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                            "%s: unsupported array of %zu dimensions; expected rows of coordinates",
                            reader->path, dims);
  if (status == GV_OK) status = copy_values(io, reader, array);
  GDALMDArrayRelease(array);
  return status;
}

gv_status gv_array_take_hdf5(gv_io *io, gv_array_reader *reader) {
  static const char *const drivers[] = {"HDF5", NULL};
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(reader->path, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_VERBOSE_ERROR, drivers, NULL, NULL);
  if (dataset == NULL) {
    return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read with GDAL's driver HDF5%s", reader->path,
                           GDALGetDriverByName("HDF5") == NULL ? ", which is not installed" : "");
  }
  GDALGroupH root = GDALDatasetGetRootGroup(dataset);
  gv_status status = root != NULL ? use_array(io, reader, root)
                                  : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: missing arrays", reader->path);
  if (root != NULL) GDALGroupRelease(root);
  GDALClose(dataset);
  return status;
}
