/*
 * Readers of plain arrays. Formats: NumPy's .npy (NEP 1), the .fvecs/.bvecs of the TEXMEX corpus (every
 * row is its dimension as int32, then its values), and CSV. Files are little endian unless a .npy says otherwise;
 * values are converted byte by byte, so that the host's byte order plays no part, but for floats that lie in the file as in memory.
 */
#include "io/in/arrays.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/grow.h"
#include "io/in/separator.h"

enum {
  MAX_DIM = 4096,
  MAX_HEADER = 1 << 16,
  BUFFER_BYTES = 1 << 16, /* at least a row: it is on the stack */
  PIECE_BYTES = 1 << 17   /* read at once where no buffer is needed */
};

typedef enum kind { KIND_NPY, KIND_FVECS, KIND_BVECS, KIND_TEXT } kind;

struct gv_array_reader {
  FILE *file;
  char *path;
  kind kind;
  int32_t dim;
  int64_t count, row; /* row: the next one */
  char type;          /* 'f' float, 'i' signed, 'u' unsigned */
  int bytes;          /* of a value */
  bool big_endian;
  int64_t start; /* of the rows in the file */
  char *line;    /* text: the current line, and whether it is waiting to be read */
  size_t line_capacity;
  int64_t line_number;
  bool line_waiting;
  char separator; /* text: '\0' until the first line is there */
  char *header;   /* text: that line, if it is one; else NULL */
};

/* --------------------------------------------------------------------------------------------------- opening */

static const char *extension(const char *path) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  return dot != NULL && (slash == NULL || dot > slash) ? dot : "";
}

static kind kind_of(const char *path) {
  const char *end = extension(path);
  if (strcasecmp(end, ".npy") == 0) return KIND_NPY;
  if (strcasecmp(end, ".fvecs") == 0) return KIND_FVECS;
  if (strcasecmp(end, ".bvecs") == 0) return KIND_BVECS;
  return KIND_TEXT;
}

bool gv_array_is_text(const char *path) {
  return kind_of(path) == KIND_TEXT;
}

static gv_status fail_open(gv_io *io, const char *path) {
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
}

static gv_status fail_read(gv_io *io, const gv_array_reader *reader) {
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot be read: %s", reader->path, strerror(errno));
}

/* That something is not in the file is not said of one that cannot be read. */
static gv_status fail_file(gv_io *io, const gv_array_reader *reader, const char *reason) {
  if (ferror(reader->file)) return fail_read(io, reader);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s", reader->path, reason);
}

static uint64_t little(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; i--)
    value = value << 8 | bytes[i];
  return value;
}

/* The text after 'key': in the header's dictionary, or NULL. */
static const char *header_value(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (at == NULL) return NULL;
  at += strlen(key);
  while (*at == ' ')
    at++;
  if (*at != ':') return NULL;
  at++;
  while (*at == ' ')
    at++;
  return at;
}

static gv_status parse_npy_header(gv_io *io, gv_array_reader *reader, const char *header) {
  const char *descr = header_value(header, "'descr'"), *order = header_value(header, "'fortran_order'"),
             *shape = header_value(header, "'shape'");
  if (descr == NULL || order == NULL || shape == NULL) return fail_file(io, reader, "the .npy header is damaged");
  int bytes = 0;
  char endian = '\0', type = '\0', quote = '\0';
  if (sscanf(descr, "'%c%c%4d%c", &endian, &type, &bytes, &quote) != 4 || quote != '\'') {
    return fail_file(io, reader, "structured .npy arrays are not understood");
  }
  bool known = (type == 'f' && (bytes == 4 || bytes == 8)) || (type == 'b' && bytes == 1) ||
               ((type == 'i' || type == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
  if (!known || strchr("<>|=", endian) == NULL) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: values of type '%c%c%d' are not understood (float32, float64 and integers are)",
                      reader->path, endian, type, bytes);
  }
  reader->type = type == 'b' ? 'u' : type;
  reader->bytes = bytes;
  reader->big_endian = endian == '>';
  bool fortran = strncmp(order, "True", 4) == 0;
  if (!fortran && strncmp(order, "False", 5) != 0) return fail_file(io, reader, "the .npy header is damaged");
  if (*shape != '(') return fail_file(io, reader, "the .npy header is damaged");
  int64_t sizes[2] = {0, 1};
  int dims = 0;
  for (const char *at = shape + 1;;) {
    while (*at == ' ' || *at == ',')
      at++;
    if (*at == ')') break;
    char *end;
    errno = 0;
    long long size = strtoll(at, &end, 10);
    if (end == at || errno != 0 || size < 0) return fail_file(io, reader, "the .npy header is damaged");
    if (dims == 2) return fail_file(io, reader, "the array has more than two dimensions");
    sizes[dims++] = size;
    at = end;
  }
  if (dims == 0) return fail_file(io, reader, "the array is a single number, not rows of coordinates");
  if (fortran && dims == 2 && sizes[0] > 1 && sizes[1] > 1) {
    return fail_file(io, reader, "the array is in Fortran order (save it with numpy.ascontiguousarray)");
  }
  if (sizes[1] < 1 || sizes[1] > MAX_DIM) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %" PRId64 " columns, not 1 ... %d", reader->path,
                      sizes[1], MAX_DIM);
  }
  reader->count = sizes[0];
  reader->dim = (int32_t)sizes[1];
  return GV_OK;
}

static gv_status open_npy(gv_io *io, gv_array_reader *reader, int64_t file_bytes) {
  unsigned char start[12];
  if (fread(start, 1, 10, reader->file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
    return fail_file(io, reader, "not a .npy file");
  }
  if (start[6] < 1 || start[6] > 3) return fail_file(io, reader, "unknown version of the .npy format");
  int64_t length = (int64_t)little(start + 8, 2), offset = 10;
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, reader->file) != 2) return fail_file(io, reader, "the .npy header is truncated");
    length = (int64_t)little(start + 8, 4);
    offset = 12;
  }
  if (length > MAX_HEADER) return fail_file(io, reader, "the .npy header is damaged");
  char *header = malloc((size_t)length + 1);
  if (header == NULL) return gv_io_fail_memory(io, "the .npy header");
  gv_status status = GV_OK;
  if ((int64_t)fread(header, 1, (size_t)length, reader->file) != length) {
    status = fail_file(io, reader, "the .npy header is truncated");
  } else {
    header[length] = '\0';
    status = parse_npy_header(io, reader, header);
  }
  free(header);
  if (status != GV_OK) return status;
  int64_t row_bytes = (int64_t)reader->dim * reader->bytes;
  reader->start = offset + length;
  if (reader->count > (file_bytes - offset - length) / row_bytes) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: truncated: %" PRId64 " rows of %" PRId64 " bytes promised, %" PRId64 " bytes there",
                      reader->path, reader->count, row_bytes, file_bytes - offset - length);
  }
  return GV_OK;
}

static gv_status open_vecs(gv_io *io, gv_array_reader *reader, int64_t file_bytes) {
  unsigned char start[4];
  reader->type = reader->kind == KIND_FVECS ? 'f' : 'u';
  reader->bytes = reader->kind == KIND_FVECS ? 4 : 1;
  if (fread(start, 1, 4, reader->file) != 4) return fail_file(io, reader, "the file is empty or truncated");
  int64_t dim = (int64_t)little(start, 4);
  if (dim < 1 || dim > MAX_DIM) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %" PRId64 " columns, not 1 ... %d", reader->path, dim,
                      MAX_DIM);
  }
  int64_t row_bytes = 4 + dim * reader->bytes;
  if (file_bytes % row_bytes != 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: truncated: %" PRId64 " bytes are no whole number of rows of %" PRId64 " bytes",
                      reader->path, file_bytes, row_bytes);
  }
  reader->dim = (int32_t)dim;
  reader->count = file_bytes / row_bytes;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------ text */

/* The next line that is neither empty nor a comment; false at the end, or if there is no way to it (check_end). */
static bool next_line(gv_array_reader *reader) {
  for (;;) {
    errno = 0;
    ssize_t length = getline(&reader->line, &reader->line_capacity, reader->file);
    if (length < 0) return false;
    reader->line_number++;
    while (length > 0 && isspace((unsigned char)reader->line[length - 1]))
      reader->line[--length] = '\0';
    if (strlen(reader->line) != (size_t)length)
      reader->line[0] = '\1'; /* a NUL byte: no number, whatever follows */
    const char *at = reader->line;
    if (reader->line_number == 1 && strncmp(at, "\xef\xbb\xbf", 3) == 0) {
      memmove(reader->line, reader->line + 3, (size_t)length - 2);
    }
    while (isspace((unsigned char)*at))
      at++;
    if (*at != '\0' && *at != '#') return true;
  }
}

/* When there is no next line: whether the file has been read to its end. */
static gv_status check_end(gv_io *io, const gv_array_reader *reader) {
  if (errno == ENOMEM) return gv_io_fail_memory(io, "a line of text");
  return ferror(reader->file) ? fail_read(io, reader) : GV_OK;
}

static gv_status fail_empty(gv_io *io, const gv_array_reader *reader) {
  gv_status status = check_end(io, reader);
  return status == GV_OK ? fail_file(io, reader, "there are no numbers in the file") : status;
}

/* Behind the blanks that mean nothing there. */
static const char *skip_blanks(const char *at, char separator) {
  while (*at == ' ' || (*at == '\t' && separator != '\t'))
    at++;
  return at;
}

/* The number at *at, which is moved behind it and its separator. */
static bool parse_number(const char **at, char separator, double *out) {
  const char *start = skip_blanks(*at, separator);
  bool quoted = *start == '"';
  start += quoted;
  char *end;
  *out = strtod(start, &end);
  if (end == start || isspace((unsigned char)*start)) return false;
  if (quoted && *end++ != '"') return false;
  const char *next = skip_blanks(end, separator);
  if (separator != ' ' && *next == separator) {
    /* A separator at the end stays: the empty field behind it is the next number, and none. */
    if (next[1] != '\0') next++;
  } else if (*next != '\0' && (separator != ' ' || next == end)) {
    return false;
  }
  *at = next;
  return true;
}

/* Between semicolons a comma can only be a decimal one. */
static void take_decimal_commas(gv_array_reader *reader) {
  if (reader->separator != ';') return;
  for (char *c = reader->line; *c != '\0'; c++)
    if (*c == ',') *c = '.';
}

/* Numbers in the line, or -1 if something in it is no number. */
static int64_t count_numbers(const gv_array_reader *reader) {
  int64_t count = 0;
  for (const char *at = reader->line; *at != '\0'; count++) {
    double value;
    if (!parse_number(&at, reader->separator, &value)) return -1;
  }
  return count;
}

static gv_status open_text(gv_io *io, gv_array_reader *reader) {
  reader->type = 'f';
  reader->bytes = 8;
  reader->count = -1;
  if (!next_line(reader)) return fail_empty(io, reader);
  reader->separator = gv_separator_of(reader->line);
  if (reader->separator == '\0') {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: line %" PRId64
                      " has several of comma, semicolon, tab and |: it cannot be told which of them separates "
                      "fields; a heading like x;y tells it, also for numbers with decimal commas",
                      reader->path, reader->line_number);
  }
  int64_t dim = count_numbers(reader);
  if (dim < 0) { /* a header */
    reader->header = strdup(reader->line);
    if (reader->header == NULL) return gv_io_fail_memory(io, "reading an array");
    if (!next_line(reader)) return fail_empty(io, reader);
    take_decimal_commas(reader);
    dim = count_numbers(reader);
    if (dim < 0) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: line %" PRId64 " has a field that is no number",
                        reader->path, reader->line_number);
    }
  }
  if (dim > MAX_DIM) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %" PRId64 " columns, not 1 ... %d", reader->path, dim,
                      MAX_DIM);
  }
  reader->dim = (int32_t)dim;
  reader->line_waiting = true;
  return GV_OK;
}

/* The field's place in a line, behind as many separators. */
static const char *find_field(const char *line, char separator, int field) {
  for (; field > 0 && *line != '\0'; field--) {
    line += strcspn(line, (const char[]){separator, '\0'});
    line += *line != '\0';
  }
  return line;
}

/* A field that is no number, with the heading of its column if there is one. */
static gv_status fail_field(gv_io *io, const gv_array_reader *reader, const char *at, int field) {
  enum { SHOWN = 60 };
  const char end[] = {reader->separator, '\0'};
  const char *name = reader->header != NULL ? find_field(reader->header, reader->separator, field) : "";
  int length = (int)strcspn(at, end), named = (int)strcspn(name, end);
  if (length > SHOWN) length = SHOWN;
  if (named > SHOWN) named = SHOWN;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: line %" PRId64 ": field %d is no number: '%.*s'%s%.*s%s",
                    reader->path, reader->line_number, field + 1, length, at, named > 0 ? " (column " : "", named,
                    name, named > 0 ? ")" : "");
}

static gv_status read_text(gv_io *io, gv_array_reader *reader, int64_t rows, double *out, int64_t *got) {
  for (*got = 0; *got < rows; (*got)++) {
    bool waiting = reader->line_waiting;
    if (!waiting && !next_line(reader)) return check_end(io, reader);
    if (!waiting) take_decimal_commas(reader);
    reader->line_waiting = false;
    const char *at = reader->line;
    int32_t d = 0;
    for (; *at != '\0' && d < reader->dim; d++) {
      if (!parse_number(&at, reader->separator, &out[*got * reader->dim + d])) {
        return fail_field(io, reader, at, (int)d);
      }
      if (!isfinite(out[*got * reader->dim + d])) {
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: line %" PRId64 ": field %d is not finite",
                          reader->path, reader->line_number, (int)d + 1);
      }
    }
    if (d < reader->dim || *at != '\0') {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: line %" PRId64 " has %s than the %d fields of the first", reader->path,
                        reader->line_number, *at != '\0' ? "more" : "fewer", (int)reader->dim);
    }
  }
  return GV_OK;
}

static bool names_any(const char *field, size_t length, const char *const *names) {
  for (; *names != NULL; names++) {
    if (strlen(*names) == length && strncasecmp(field, *names, length) == 0) return true;
  }
  return false;
}

gv_status gv_array_has_lonlat(gv_io *io, const char *path, bool *has) {
  static const char *const longitudes[] = {"lon", "lng", "long", "longitude", NULL};
  static const char *const latitudes[] = {"lat", "latitude", NULL};
  gv_array_reader reader = {.file = fopen(path, "rb"), .path = (char *)path};
  gv_status status = GV_OK;
  bool lon = false, lat = false;
  if (reader.file == NULL) return fail_open(io, path);
  if (next_line(&reader)) {
    const char ends[] = {'"', gv_separator_of(reader.line), '\0'};
    for (const char *at = reader.line; *at != '\0';) {
      while (*at == ' ' || (*at != '\0' && strchr(ends, *at) != NULL))
        at++;
      size_t length = strcspn(at, ends), whole = length;
      while (length > 0 && at[length - 1] == ' ')
        length--;
      lon |= names_any(at, length, longitudes);
      lat |= names_any(at, length, latitudes);
      at += whole;
    }
  } else {
    status = check_end(io, &reader);
  }
  fclose(reader.file);
  free(reader.line);
  *has = lon && lat;
  return status;
}

/* ---------------------------------------------------------------------------------------------------- reading */

gv_status gv_array_open(gv_io *io, const char *path, gv_array_reader **out) {
  gv_status status = GV_OK;
  gv_array_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return gv_io_fail_memory(io, "reading an array");
  reader->path = strdup(path);
  if (reader->path == NULL) {
    status = gv_io_fail_memory(io, "reading an array");
    goto fail;
  }
  reader->kind = kind_of(path);
  reader->file = fopen(path, "rb");
  struct stat about;
  if (reader->file == NULL || fstat(fileno(reader->file), &about) != 0) {
    status = fail_open(io, path);
    goto fail;
  }
  if (S_ISDIR(about.st_mode)) {
    status = gv_io_fail(io, GV_ERROR_IO, "%s: is a directory", path);
    goto fail;
  }
  switch (reader->kind) {
  case KIND_NPY:
    status = open_npy(io, reader, about.st_size);
    break;
  case KIND_TEXT:
    status = open_text(io, reader);
    break;
  default:
    status = open_vecs(io, reader, about.st_size);
    break;
  }
  if (status != GV_OK) goto fail;
  *out = reader;
  return GV_OK;

fail:
  gv_array_close(reader);
  return status;
}

void gv_array_close(gv_array_reader *reader) {
  if (reader == NULL) return;
  if (reader->file != NULL) fclose(reader->file);
  free(reader->path);
  free(reader->header);
  free(reader->line);
  free(reader);
}

int32_t gv_array_dim(const gv_array_reader *reader) {
  return reader->dim;
}

gv_dtype gv_array_dtype(const gv_array_reader *reader) {
  int widest = reader->type == 'f' ? 4 : 2; /* of numbers that floats hold exactly */
  return reader->bytes <= widest ? GV_FLOAT32 : GV_FLOAT64;
}

int64_t gv_array_count(const gv_array_reader *reader) {
  return reader->count;
}

/* One value of an integer type; false if a double does not hold it exactly. */
static bool integer_value(const gv_array_reader *reader, uint64_t bits, double *out) {
  int unused = 64 - 8 * reader->bytes;
  if (reader->type == 'u') {
    *out = (double)bits;
    return bits <= (uint64_t)1 << 53;
  }
  /* Sign extension by way of the top bit; no shift of negative numbers. */
  uint64_t sign = (uint64_t)1 << (63 - unused);
  int64_t value = bits & sign ? -(int64_t)((~bits & (sign - 1))) - 1 : (int64_t)bits;
  *out = (double)value;
  return value >= -((int64_t)1 << 53) && value <= (int64_t)1 << 53;
}

static gv_status fail_value(gv_io *io, const gv_array_reader *reader, int64_t row, int64_t column) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: row %" PRId64 " (from 0), column %" PRId64 " %s",
                    reader->path, row, column,
                    reader->type == 'f' ? "is not finite" : "is an integer beyond 2^53, which would be rounded");
}

static gv_status convert_row(gv_io *io, const gv_array_reader *reader, int64_t number, const unsigned char *from,
                             void *row) {
  bool narrow = gv_array_dtype(reader) == GV_FLOAT32;
  for (int32_t d = 0; d < reader->dim; d++, from += reader->bytes) {
    uint64_t bits;
    if (reader->big_endian) {
      bits = 0;
      for (int i = 0; i < reader->bytes; i++)
        bits = bits << 8 | from[i];
    } else {
      bits = little(from, reader->bytes);
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
    } else if (reader->bytes == 4) {
      uint32_t half = (uint32_t)bits;
      memcpy((float *)row + d, &half, sizeof half);
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
  return (int64_t)reader->dim * reader->bytes + (reader->kind == KIND_NPY ? 0 : 4);
}

static gv_status read_bytes(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out) {
  size_t bytes = (size_t)(rows * file_row(reader)), got = 0;
  while (got < bytes) {
    ssize_t more = pread(fileno(reader->file), (char *)out + got, bytes - got,
                         (off_t)(reader->start + first * file_row(reader)) + (off_t)got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      return gv_io_fail(io, GV_ERROR_IO, "%s: row %" PRId64 " (from 0) cannot be read%s%s", reader->path,
                        first + (int64_t)got / file_row(reader), more < 0 ? ": " : "",
                        more < 0 ? strerror(errno) : "");
    }
    got += (size_t)more;
  }
  return GV_OK;
}

/* Whether values lie in the file as they do in memory. */
static bool is_plain(const gv_array_reader *reader) {
  const uint16_t one = 1;
  bool big = *(const unsigned char *)&one == 0;
  return reader->kind == KIND_NPY && reader->type == 'f' && reader->big_endian == big;
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

static gv_status read_plain(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out) {
  gv_status status = read_bytes(io, reader, first, rows, out);
  if (status != GV_OK) return status;
  int64_t count = rows * reader->dim, bad = find_not_finite(reader, out, count);
  return bad == count ? GV_OK : fail_value(io, reader, first + bad / reader->dim, bad % reader->dim);
}

static gv_status read_converted(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out) {
  unsigned char buffer[BUFFER_BYTES];
  size_t value_bytes = gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  int64_t row_bytes = file_row(reader), prefix = row_bytes - (int64_t)reader->dim * reader->bytes;
  gv_status status = read_bytes(io, reader, first, rows, buffer);
  for (int64_t i = 0; i < rows && status == GV_OK; i++) {
    const unsigned char *from = buffer + i * row_bytes;
    if (prefix > 0 && little(from, 4) != (uint64_t)reader->dim) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: row %" PRId64 " (from 0) does not have %d values",
                        reader->path, first + i, (int)reader->dim);
    }
    status =
        convert_row(io, reader, first + i, from + prefix, (char *)out + (size_t)(i * reader->dim) * value_bytes);
  }
  return status;
}

gv_status gv_array_read_at(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out) {
  size_t row_bytes = (size_t)reader->dim * (gv_array_dtype(reader) == GV_FLOAT32 ? sizeof(float) : sizeof(double));
  bool plain = is_plain(reader);
  int64_t most = (plain ? PIECE_BYTES : BUFFER_BYTES) / file_row(reader);
  gv_status status = GV_OK;
  for (int64_t done = 0, now; done < rows && status == GV_OK; done += now) {
    now = rows - done < most ? rows - done : most;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    void *to = (char *)out + (size_t)done * row_bytes;
    status =
        plain ? read_plain(io, reader, first + done, now, to) : read_converted(io, reader, first + done, now, to);
  }
  return status;
}

gv_status gv_array_read(gv_io *io, gv_array_reader *reader, int64_t rows, void *out, int64_t *got) {
  *got = 0;
  if (reader->kind == KIND_TEXT) return read_text(io, reader, rows, out, got);
  if (rows > reader->count - reader->row) rows = reader->count - reader->row;
  gv_status status = gv_array_read_at(io, reader, reader->row, rows, out);
  if (status == GV_OK) *got = rows;
  reader->row += *got;
  return status;
}

gv_status gv_array_skip(gv_io *io, gv_array_reader *reader, int64_t rows, int64_t *skipped) {
  *skipped = 0;
  if (reader->kind == KIND_TEXT) { /* what is in them is for who reads them */
    for (; *skipped < rows; (*skipped)++) {
      if (!reader->line_waiting && !next_line(reader)) return check_end(io, reader);
      reader->line_waiting = false;
      if ((*skipped & 4095) == 0 && gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    }
    return GV_OK;
  }
  if (rows > reader->count - reader->row) rows = reader->count - reader->row;
  reader->row += rows;
  *skipped = rows;
  return GV_OK;
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
    if (status != GV_OK || total < capacity || reader->count >= 0) break;
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
