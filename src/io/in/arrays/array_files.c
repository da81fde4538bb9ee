/*
 * Opening files of values: NumPy's .npy (NEP 1), the .fvecs, .bvecs and .ivecs of the TEXMEX corpus (each row
 * behind its dimension), and .fbin, .u8bin, .i8bin of big-ann-benchmarks (rows and columns as int32, then the
 * values). array_sets.c has files of several arrays.
 */
#include "io/in/arrays/array_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MAX_HEADER = 1 << 16 };

static gv_status fail_file(gv_io *io, const gv_array_reader *reader, const char *reason) {
  return gv_array_fail_file(io, reader, reason);
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
  if (descr == NULL || order == NULL || shape == NULL) return fail_file(io, reader, "invalid .npy header");
  int bytes = 0;
  char endian = '\0', type = '\0', quote = '\0';
  if (sscanf(descr, "'%c%c%4d%c", &endian, &type, &bytes, &quote) != 4 || quote != '\'') {
    return fail_file(io, reader, "unsupported structured .npy array; expected rows of numbers");
  }
  bool known = (type == 'f' && (bytes == 2 || bytes == 4 || bytes == 8)) || (type == 'b' && bytes == 1) ||
               ((type == 'i' || type == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
  GV_REQUIRE(io, known && strchr("<>|=", endian) != NULL,
             "%s: unsupported type ('%c%c%d'); expected float16, float32, float64 or integers", reader->path,
             endian, type, bytes);
  reader->type = type == 'b' ? 'u' : type;
  reader->bytes = bytes;
  reader->big_endian = endian == '>';
  bool fortran = strncmp(order, "True", 4) == 0;
  if (!fortran && strncmp(order, "False", 5) != 0) return fail_file(io, reader, "invalid .npy header");
  if (*shape != '(') return fail_file(io, reader, "invalid .npy header");
  int64_t sizes[2] = {0, 1};
  int dims = 0;
  for (const char *at = shape + 1;;) {
    while (*at == ' ' || *at == ',')
      at++;
    if (*at == ')') break;
    char *end;
    errno = 0;
    long long size = strtoll(at, &end, 10);
    if (end == at || errno != 0 || size < 0) return fail_file(io, reader, "invalid .npy header");
    if (dims == 2)
      return fail_file(io, reader,
                       "unsupported array of more than two dimensions; expected rows of coordinates");
    sizes[dims++] = size;
    at = end;
  }
  if (dims == 0) return fail_file(io, reader, "invalid array (one number); expected rows of coordinates");
  reader->fortran = fortran && dims == 2;
  reader->count = sizes[0];
  reader->dim = (int32_t)sizes[1];
  return gv_array_check_dim(io, reader, sizes[1]);
}

static gv_status open_npy(gv_io *io, gv_array_reader *reader, int64_t file_bytes) {
  unsigned char start[12];
  if (fread(start, 1, 10, reader->file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
    return fail_file(io, reader, "invalid .npy file");
  }
  if (start[6] < 1 || start[6] > 3) return fail_file(io, reader, "unsupported version of the .npy format");
  int64_t length = (int64_t)gv_little_endian(start + 8, 2), offset = 10;
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, reader->file) != 2) return fail_file(io, reader, "truncated .npy header");
    length = (int64_t)gv_little_endian(start + 8, 4);
    offset = 12;
  }
  if (length > MAX_HEADER) return fail_file(io, reader, "invalid .npy header");
  char *header = malloc((size_t)length + 1);
  if (header == NULL) return gv_io_fail_memory(io, "the .npy header");
  gv_status status = GV_OK;
  if ((int64_t)fread(header, 1, (size_t)length, reader->file) != length) {
    status = fail_file(io, reader, "truncated .npy header");
  } else {
    header[length] = '\0';
    status = parse_npy_header(io, reader, header);
  }
  free(header);
  if (status != GV_OK) return status;
  int64_t row_bytes = (int64_t)reader->dim * reader->bytes;
  reader->start = offset + length;
  GV_REQUIRE(io, reader->count <= (file_bytes - offset - length) / row_bytes,
             "%s: truncated; expected %" PRId64 " rows of %" PRId64 " bytes, found %" PRId64 " bytes",
             reader->path, reader->count, row_bytes, file_bytes - offset - length);
  return GV_OK;
}

static gv_status open_vecs(gv_io *io, gv_array_reader *reader, int64_t file_bytes) {
  unsigned char start[4];
  if (fread(start, 1, 4, reader->file) != 4) return fail_file(io, reader, "empty or truncated file");
  int64_t dim = (int64_t)gv_little_endian(start, 4);
  GV_TRY(gv_array_check_dim(io, reader, dim));
  reader->prefix = 4;
  int64_t row_bytes = 4 + dim * reader->bytes;
  GV_REQUIRE(io, file_bytes % row_bytes == 0,
             "%s: truncated; %" PRId64 " bytes are not a multiple of rows of %" PRId64 " bytes", reader->path,
             file_bytes, row_bytes);
  reader->dim = (int32_t)dim;
  reader->count = file_bytes / row_bytes;
  return GV_OK;
}

static gv_status open_bin(gv_io *io, gv_array_reader *reader, int64_t file_bytes) {
  unsigned char start[8];
  if (fread(start, 1, 8, reader->file) != 8) return fail_file(io, reader, "empty or truncated file");
  int64_t dim = (int64_t)gv_little_endian(start + 4, 4);
  GV_TRY(gv_array_check_dim(io, reader, dim));
  reader->count = (int64_t)gv_little_endian(start, 4);
  reader->dim = (int32_t)dim;
  reader->start = 8;
  if (reader->count * dim * reader->bytes == file_bytes - 8) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: truncated; expected %" PRId64 " rows of %" PRId64 " bytes, found %" PRId64 " bytes",
                    reader->path, reader->count, dim * reader->bytes, file_bytes - 8);
}

/* ------------------------------------------------------------------------------------------------ by name */

typedef gv_status open_function(gv_io *io, gv_array_reader *reader, int64_t file_bytes);

typedef struct file_kind {
  const char *ending;
  open_function *open;
  char type; /* of values, if the extension defines it */
  int bytes;
} file_kind;

static const file_kind kinds[] = {
    {".npy", open_npy, 0, 0},      {".npz", open_npy, 0, 0},      {".fvecs", open_vecs, 'f', 4},
    {".bvecs", open_vecs, 'u', 1}, {".ivecs", open_vecs, 'i', 4}, {".fbin", open_bin, 'f', 4},
    {".u8bin", open_bin, 'u', 1},  {".i8bin", open_bin, 'i', 1},  {".ibin", open_bin, 'i', 4},
    {".hdf5", NULL, 'f', 4},       {".h5", NULL, 'f', 4}};

/* NULL: text, or no array. */
static const file_kind *kind_of(const char *path) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  for (size_t i = 0; dot != NULL && (slash == NULL || dot > slash) && i < sizeof kinds / sizeof *kinds; i++)
    if (strcasecmp(dot, kinds[i].ending) == 0) return &kinds[i];
  return NULL;
}

bool gv_array_is_text(const char *path) {
  return kind_of(path) == NULL;
}

bool gv_array_has_sets(const char *path) {
  const file_kind *kind = kind_of(path);
  return kind != NULL && (kind->open == NULL || strcasecmp(kind->ending, ".npz") == 0);
}

gv_status gv_array_open_values(gv_io *io, gv_array_reader *reader) {
  const file_kind *kind = kind_of(reader->path);
  struct stat about;
  gv_status status = GV_OK;
  reader->type = kind->type;
  reader->bytes = kind->bytes;
  if (strncmp(reader->path, "/vsi", 4) == 0) {
    about.st_mode = 0;
  } else {
    reader->file = fopen(reader->path, "rb");
    if (reader->file == NULL || fstat(fileno(reader->file), &about) != 0)
      return gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", reader->path, strerror(errno));
    if (S_ISDIR(about.st_mode)) return gv_io_fail(io, GV_ERROR_IO, "%s: is a directory", reader->path);
  }
  if (kind->open == NULL) return gv_array_take_hdf5(io, reader);
  if (gv_array_has_sets(reader->path)) {
    status = gv_array_take_npz(io, reader);
  } else if (reader->file == NULL) {
    status = gv_array_take_virtual(io, reader);
  } else if (!S_ISREG(about.st_mode)) {
    status = gv_array_take_pipe(io, reader);
  }
  if (status != GV_OK) return status;
  if (fstat(fileno(reader->file), &about) != 0) return fail_file(io, reader, "cannot read");
  return kind->open(io, reader, about.st_size);
}
