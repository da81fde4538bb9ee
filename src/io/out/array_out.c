/* Arrays of numbers to files. */
#include "io/out/array_out.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/retry.h"

enum { NPY_HEADER = 128 }; /* bytes */

struct gv_array_writer {
  FILE *file; /* output.work, until it is finished */
  gv_output output;
  bool stream; /* the file is a temporary one */
  gv_array_format format;
  int32_t columns;
  bool flat; /* a .npy of one dimension */
  int64_t rows;
};

static gv_status fail_write(gv_io *io, const gv_array_writer *writer) {
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot write: %s", writer->output.path, strerror(errno));
}

static bool has_header(const gv_array_writer *writer) {
  return writer->format == GV_ARRAY_NPY_INT64 || writer->format == GV_ARRAY_NPY_FLOAT64;
}

/* A version 1 header of a fixed size, so that the number of rows can be filled in at the end. */
static bool write_npy_header(gv_array_writer *writer) {
  char header[NPY_HEADER + 1];
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)(NPY_HEADER - 10);
  header[9] = 0;
  char columns[16] = "";
  if (!writer->flat) snprintf(columns, sizeof columns, " %d", (int)writer->columns);
  int used = snprintf(header + 10, sizeof header - 10,
                      "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ",%s), }",
                      writer->format == GV_ARRAY_NPY_INT64 ? "<i8" : "<f8", writer->rows, columns);
  memset(header + 10 + used, ' ', (size_t)(NPY_HEADER - 10 - used));
  header[NPY_HEADER - 1] = '\n';
  return fwrite(header, 1, NPY_HEADER, writer->file) == NPY_HEADER;
}

bool gv_array_is_stream(const char *path) {
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* The file to write. */
static gv_status array_out_begin(gv_io *io, gv_array_writer *writer, const char *path, bool overwrite) {
  writer->stream = gv_array_is_stream(path);
  GV_TRY(gv_output_init(io, &writer->output, path, overwrite));
  if (!writer->stream) GV_TRY(gv_output_check(io, &writer->output));
  if (!writer->stream) GV_TRY(gv_output_begin(io, &writer->output));
  writer->file = writer->stream ? tmpfile() : fopen(writer->output.work, "wb");
  return writer->file != NULL ? GV_OK : fail_write(io, writer);
}

gv_status gv_array_create(gv_io *io, const char *path, bool overwrite, gv_array_format format,
                          int32_t columns, gv_array_writer **out) {
  gv_array_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return gv_io_fail_memory(io, "the output");
  writer->format = format;
  writer->flat = columns == 0;
  writer->columns = columns > 0 ? columns : 1;
  gv_status status = array_out_begin(io, writer, path, overwrite);
  if (status == GV_OK && has_header(writer) && !write_npy_header(writer)) status = fail_write(io, writer);
  if (status != GV_OK) {
    gv_array_discard(writer);
    return status;
  }
  *out = writer;
  return GV_OK;
}

gv_output *gv_array_output(gv_array_writer *writer) {
  return writer->stream ? NULL : &writer->output;
}

static bool put_int32(gv_array_writer *writer, int32_t value) {
  const uint32_t bytes = htole32((uint32_t)value);
  return fwrite(&bytes, sizeof bytes, 1, writer->file) == 1;
}

static gv_status write_ivecs(gv_io *io, gv_array_writer *writer, const int64_t *rows, int64_t count) {
  for (int64_t i = 0; i < count * writer->columns; i++) {
    if (rows[i] > INT32_MAX) {
      return gv_io_fail(io, GV_ERROR_UNSUPPORTED,
                        "%s: value out of range of .ivecs (%" PRId64 "; 32 bits); use .npy",
                        writer->output.path, rows[i]);
    }
    bool written = i % writer->columns != 0 || put_int32(writer, writer->columns);
    if (!written || !put_int32(writer, (int32_t)rows[i])) return fail_write(io, writer);
  }
  return GV_OK;
}

gv_status gv_array_write(gv_io *io, gv_array_writer *writer, const void *rows, int64_t count) {
  if (writer->format == GV_ARRAY_IVECS) return write_ivecs(io, writer, rows, count);
  size_t values = (size_t)(count * writer->columns);
  for (size_t i = 0; htole16(1) != 1 && i < values; i++) { /* on machines that put the highest byte first */
    uint64_t bits;
    memcpy(&bits, (const char *)rows + 8 * i, sizeof bits);
    bits = htole64(bits);
    if (fwrite(&bits, 8, 1, writer->file) != 1) return fail_write(io, writer);
  }
  if (htole16(1) == 1 && fwrite(rows, 8, values, writer->file) != values) return fail_write(io, writer);
  writer->rows += count;
  return GV_OK;
}

gv_status gv_array_print(gv_io *io, gv_array_writer *writer, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text) {
    return gv_io_fail(io, GV_ERROR_INTERNAL, "%s: a line is too long", writer->output.path);
  }
  return fwrite(text, 1, (size_t)length, writer->file) == (size_t)length ? GV_OK : fail_write(io, writer);
}

static gv_status copy_to_stream(gv_io *io, gv_array_writer *writer) {
  char buffer[1 << 16];
  rewind(writer->file);
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, writer->file)) > 0;)
    if (!gv_retry_write_all(STDOUT_FILENO, buffer, got)) return fail_write(io, writer);
  return ferror(writer->file) ? fail_write(io, writer) : GV_OK;
}

gv_status gv_array_finish(gv_io *io, gv_array_writer *writer) {
  if (writer->stream) return copy_to_stream(io, writer);
  if (has_header(writer) && (fseek(writer->file, 0, SEEK_SET) != 0 || !write_npy_header(writer))) {
    return fail_write(io, writer);
  }
  FILE *file = writer->file;
  writer->file = NULL;
  bool flushed = fflush(file) == 0;
  return fclose(file) == 0 && flushed ? GV_OK : fail_write(io, writer);
}

void gv_array_discard(gv_array_writer *writer) {
  if (writer == NULL) return;
  if (writer->file != NULL) fclose(writer->file);
  gv_output_clear(&writer->output);
  free(writer);
}
