/*
 * Readers of plain arrays. Files are little endian unless a .npy declares another order. Values are converted
 * byte by byte, independent of the host's byte order; floats with the same layout in file and memory are read
 * directly.
 */
#include "io/in/arrays/array_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/grow.h"
#include "io/in/input_limit.h"

enum {
  BUFFER_BYTES = 1 << 16,  /* converted at once: at least a row */
  COLUMNS_BYTES = 1 << 22, /* the same of an array in Fortran order, which is read column by column */
  PIECE_BYTES = 1 << 17    /* read at once where no buffer is needed */
};

/* ------------------------------------------------------------------------------------------------ reading */

gv_status gv_array_open(gv_io *io, const char *path, const gv_array_open_options *options,
                        gv_array_reader **out) {
  gv_array_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return gv_io_fail_memory(io, "reading an array");
  reader->options = *options;
  reader->path = strdup(path);
  reader->text = gv_array_is_text(path);
  gv_status status = reader->path == NULL ? gv_io_fail_memory(io, "reading an array")
                     : reader->text       ? gv_array_open_text(io, reader)
                                          : gv_array_open_values(io, reader);
  if (status != GV_OK) {
    gv_array_close(reader);
    return status;
  }
  *out = reader;
  return GV_OK;
}

void gv_array_close(gv_array_reader *reader) {
  if (reader == NULL) return;
  if (reader->file != NULL) fclose(reader->file);
  free(reader->memory);
  free(reader->path);
  free(reader->header);
  free(reader->line);
  free(reader->place);
  free(reader);
}

int64_t gv_array_skipped(const gv_array_reader *reader, const char **first) {
  *first = reader->skipped_first;
  return reader->skipped;
}

int32_t gv_array_dim(const gv_array_reader *reader) {
  return reader->dim;
}

gv_dtype gv_array_dtype(const gv_array_reader *reader) {
  int widest = reader->type == 'f' ? 4 : 2; /* of numbers that floats hold exactly */
  return reader->bytes <= widest ? GV_FLOAT32 : GV_FLOAT64;
}

int64_t gv_array_count(const gv_array_reader *reader) {
  return reader->options.skip_invalid ? -1 : reader->count;
}

/* One value of an integer type; false if a double does not hold it exactly. */
static bool integer_value(const gv_array_reader *reader, uint64_t bits, double *out) {
  int unused = 64 - 8 * reader->bytes;
  if (reader->type == 'u') {
    *out = (double)bits;
    return bits <= (uint64_t)1 << 53;
  }
  /* Sign extension with the top bit; negative numbers are not shifted. */
  uint64_t sign = (uint64_t)1 << (63 - unused);
  int64_t value = bits & sign ? -(int64_t)((~bits & (sign - 1))) - 1 : (int64_t)bits;
  *out = (double)value;
  return value >= -((int64_t)1 << 53) && value <= (int64_t)1 << 53;
}

static gv_status fail_value(gv_io *io, const gv_array_reader *reader, int64_t row, int64_t column) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: row %" PRId64 " (from 0), column %" PRId64 " %s",
                    reader->path, row, column,
                    reader->type == 'f' ? "is not finite"
                                        : "is an integer above 2^53, which double cannot represent");
}

/* The bits of a float with the value of a half. */
static uint32_t float_of_half(uint32_t half) {
  uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 0x1f, rest = half & 0x3ff;
  if (exponent == 0x1f) return sign | 0x7f800000 | rest << 13;
  if (exponent > 0) return sign | (exponent + 112) << 23 | rest << 13;
  float small = ldexpf((float)rest, -24); /* below the normal numbers */
  uint32_t bits;
  memcpy(&bits, &small, sizeof bits);
  return sign | bits;
}

static gv_status convert_row(gv_io *io, const gv_array_reader *reader, int64_t number,
                             const unsigned char *from, void *row) {
  bool narrow = gv_array_dtype(reader) == GV_FLOAT32;
  for (int32_t d = 0; d < reader->dim; d++, from += reader->bytes) {
    uint64_t bits;
    if (reader->big_endian) {
      bits = 0;
      for (int i = 0; i < reader->bytes; i++)
        bits = bits << 8 | from[i];
    } else {
      bits = gv_little_endian(from, reader->bytes);
    }
    bool good;
    if (reader->type != 'f') {
      double value;
      good = integer_value(reader, bits, &value);
      if (narrow) {
        ((float *)row)[d] = (float)value;
      } else {
        ((double *)row)[d] = value;
      }
    } else if (reader->bytes < 8) {
      uint32_t single = reader->bytes == 2 ? float_of_half((uint32_t)bits) : (uint32_t)bits;
      memcpy((float *)row + d, &single, sizeof single);
      good = isfinite(((float *)row)[d]);
    } else {
      memcpy((double *)row + d, &bits, sizeof bits);
      good = isfinite(((double *)row)[d]);
    }
    if (!good) return fail_value(io, reader, number, d);
  }
  return GV_OK;
}

/* Bytes of a row in the file, of which the first four may be its dimension. */
static int64_t file_row(const gv_array_reader *reader) {
  return (int64_t)reader->dim * reader->bytes + reader->prefix;
}

/* Reads consecutive rows of `each` bytes from `at` on. */
static gv_status read_stretch(gv_io *io, const gv_array_reader *reader, int64_t at, int64_t each,
                              int64_t first, int64_t rows, void *out) {
  size_t bytes = (size_t)(rows * each), got = 0;
  while (got < bytes) {
    ssize_t more = pread(fileno(reader->file), (char *)out + got, bytes - got, (off_t)at + (off_t)got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      return gv_io_fail(io, GV_ERROR_IO, "%s: row %" PRId64 " (from 0): cannot read%s%s", reader->path,
                        first + (int64_t)got / each, more < 0 ? ": " : "", more < 0 ? strerror(errno) : "");
    }
    got += (size_t)more;
  }
  return GV_OK;
}

static gv_status read_bytes(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows,
                            void *out) {
  int64_t bytes = reader->bytes, row_bytes = file_row(reader);
  if (!reader->fortran)
    return read_stretch(io, reader, reader->start + first * row_bytes, row_bytes, first, rows, out);
  char *column = malloc((size_t)(rows * bytes));
  gv_status status = column != NULL ? GV_OK : gv_io_fail_memory(io, reader->path);
  for (int32_t d = 0; d < reader->dim && status == GV_OK; d++) {
    status = read_stretch(io, reader, reader->start + (d * reader->count + first) * bytes, bytes, first, rows,
                          column);
    for (int64_t i = 0; i < rows && status == GV_OK; i++)
      memcpy((char *)out + i * row_bytes + d * bytes, column + i * bytes, (size_t)bytes);
  }
  free(column);
  return status;
}

/* Whether values lie in the file as they do in memory. */
static bool is_plain(const gv_array_reader *reader) {
  const uint16_t one = 1;
  bool big = *(const unsigned char *)&one == 0;
  return reader->prefix == 0 && reader->type == 'f' && reader->bytes > 2 && !reader->fortran &&
         reader->big_endian == big;
}

/* Of plain values: the place of the first that is not finite, or `count`. */
static int64_t find_not_finite(const gv_array_reader *reader, const void *value, int64_t count) {
  const float *f = value;
  const double *d = value;
  int bad = 0; /* an int, as such loops are made into vectors */
  if (reader->bytes == 4) {
    for (int64_t i = 0; i < count; i++)
      bad |= !(fabsf(f[i]) < INFINITY);
  } else {
    for (int64_t i = 0; i < count; i++)
      bad |= !(fabs(d[i]) < INFINITY);
  }
  if (bad == 0) return count;
  int64_t at = 0;
  while (reader->bytes == 4 ? isfinite(f[at]) : isfinite(d[at]))
    at++;
  return at;
}

static gv_status read_plain(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows,
                            void *out) {
  GV_TRY(read_bytes(io, reader, first, rows, out));
  int64_t count = rows * reader->dim, bad = find_not_finite(reader, out, count);
  return bad == count ? GV_OK : fail_value(io, reader, first + bad / reader->dim, bad % reader->dim);
}

static gv_status read_converted(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows,
                                void *out) {
  unsigned char *buffer = malloc((size_t)(rows * file_row(reader)));
  if (buffer == NULL) return gv_io_fail_memory(io, reader->path);
  size_t value_bytes = gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  int64_t row_bytes = file_row(reader), prefix = reader->prefix;
  gv_status status = read_bytes(io, reader, first, rows, buffer);
  for (int64_t i = 0; i < rows && status == GV_OK; i++) {
    const unsigned char *from = buffer + i * row_bytes;
    char *to = (char *)out + (size_t)(i * reader->dim) * value_bytes;
    status = prefix > 0 && gv_little_endian(from, 4) != (uint64_t)reader->dim
                 ? gv_io_fail(io, GV_ERROR_IO, "%s: row %" PRId64 " (from 0): expected %d values",
                              reader->path, first + i, (int)reader->dim)
                 : convert_row(io, reader, first + i, from + prefix, to);
  }
  free(buffer);
  return status;
}

gv_status gv_array_read_at(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out) {
  size_t row_bytes =
      (size_t)reader->dim * (gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double));
  bool plain = is_plain(reader);
  int64_t most = (plain ? PIECE_BYTES : reader->fortran ? COLUMNS_BYTES : BUFFER_BYTES) / file_row(reader);
  gv_status status = GV_OK;
  for (int64_t done = 0, now; done < rows && status == GV_OK; done += now) {
    now = rows - done < most ? rows - done : most;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    void *to = (char *)out + (size_t)done * row_bytes;
    status = plain ? read_plain(io, reader, first + done, now, to)
                   : read_converted(io, reader, first + done, now, to);
  }
  return status;
}

/* Rows that can be used, others are left out: pieces with such are read row by row. */
static gv_status read_valid(gv_io *io, gv_array_reader *reader, int64_t rows, void *out, int64_t *got) {
  enum { PIECE = 256 };
  size_t row_bytes =
      (size_t)reader->dim * (gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double));
  gv_status status = GV_OK;
  while (*got < rows && reader->row < reader->count && status == GV_OK) {
    int64_t left = reader->count - reader->row, now = rows - *got < left ? rows - *got : left;
    if (now > PIECE) now = PIECE;
    char *to = (char *)out + (size_t)*got * row_bytes;
    status = gv_array_read_at(io, reader, reader->row, now, to);
    if (status == GV_ERROR_INVALID_ARGUMENT && now > 1) {
      now = 1;
      status = gv_array_read_at(io, reader, reader->row, now, to);
    }
    if (status == GV_OK) *got += now;
    if (gv_array_leave_out(io, reader, status)) status = GV_OK;
    reader->row += now;
  }
  return status;
}

gv_status gv_array_read(gv_io *io, gv_array_reader *reader, int64_t rows, void *out, int64_t *got) {
  *got = 0;
  if (reader->text) return gv_array_read_text(io, reader, rows, out, got);
  if (reader->options.skip_invalid) return read_valid(io, reader, rows, out, got);
  if (rows > reader->count - reader->row) rows = reader->count - reader->row;
  gv_status status = gv_array_read_at(io, reader, reader->row, rows, out);
  if (status == GV_OK) *got = rows;
  reader->row += *got;
  return status;
}

gv_status gv_array_skip(gv_io *io, gv_array_reader *reader, int64_t rows, int64_t *skipped) {
  *skipped = 0;
  if (reader->options.skip_invalid) { /* those that count */
    double *row = malloc((size_t)reader->dim * sizeof *row);
    gv_status status = row != NULL ? GV_OK : gv_io_fail_memory(io, "an array");
    for (int64_t got = 1; *skipped < rows && got == 1 && status == GV_OK; *skipped += got)
      status = gv_array_read(io, reader, 1, row, &got);
    free(row);
    return status;
  }
  if (reader->text) { /* the values are checked by the caller */
    for (gv_status status; *skipped < rows; (*skipped)++) {
      if (!gv_array_skip_line(io, reader, &status)) return status;
      if ((*skipped & 4095) == 0 && gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    }
    return GV_OK;
  }
  if (rows > reader->count - reader->row) rows = reader->count - reader->row;
  reader->row += rows;
  *skipped = rows;
  return GV_OK;
}

gv_status gv_array_check_memory(gv_io *io, const gv_array_reader *reader, int64_t rows) {
  const int64_t value = gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  return gv_input_fits(
      io, &(gv_input_data){NULL, reader->path, "points", rows, GV_INDEX_COPIES * value * reader->dim});
}

gv_status gv_array_read_all(gv_io *io, gv_array_reader *reader, void **out, int64_t *count) {
  size_t value_bytes = gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  size_t row_bytes = (size_t)reader->dim * value_bytes;
  int64_t capacity = 0, total = 0;
  char *data = gv_grow(NULL, &capacity, reader->count >= 0 ? reader->count - reader->row : 1024, row_bytes);
  gv_status status = data != NULL ? GV_OK : gv_io_fail_memory(io, "an array");
  while (status == GV_OK) {
    int64_t got = 0;
    status = gv_array_read(io, reader, capacity - total, data + (size_t)total * row_bytes, &got);
    total += got;
    if (status != GV_OK || total < capacity || gv_array_count(reader) >= 0) break;
    status = gv_array_check_memory(io, reader, capacity + 1);
    if (status != GV_OK) break;
    char *more = gv_grow(data, &capacity, capacity + 1, row_bytes);
    if (more == NULL) {
      status = gv_io_fail_memory(io, "an array");
      break;
    }
    data = more;
  }
  if (status != GV_OK) {
    free(data);
    return status;
  }
  *out = data;
  *count = total;
  return GV_OK;
}
