#include "io/in/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cpl_vsi.h>

#include "io/grow.h"
#include "io/in/input_limit.h"
#include "io/path.h"

enum { HEAD = 256 }; /* bytes of a file that are inspected */

static bool is_gzip(const char *path) {
  return gv_path_ends(path, ".gz") && strncmp(path, "/vsi", 4) != 0;
}

/* The name by which GDAL reads a file: that of a gzip file, by its ending, is one of /vsigzip/. To be freed;
 * NULL: out of memory. */
static char *name_for_gdal(const char *path) {
  char *name = NULL;
  return asprintf(&name, "%s%s", is_gzip(path) ? "/vsigzip/" : "", path) >= 0 ? name : NULL;
}

/* All bytes of a file that GDAL can open, in memory of malloc, with a NUL behind them. */
static gv_status read_file(gv_io *io, const char *path, unsigned char **bytes, int64_t *size) {
  enum { AT_ONCE = 1 << 16, COPIES = 3 /* with GDAL's, and a text in UTF-8 */ };
  const int64_t limit = gv_input_limit(io, path);
  int64_t room = 0;
  char *name = name_for_gdal(path);
  if (name == NULL) return gv_io_fail_memory(io, path);
  gv_gdal_reset();
  errno = 0;
  VSILFILE *file = VSIFOpenL(name, "rb");
  free(name);
  if (file == NULL) return gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
  gv_status status = GV_OK;
  *bytes = NULL;
  *size = 0;
  for (size_t got = AT_ONCE; got == AT_ONCE && status == GV_OK; *size += (int64_t)got) {
    unsigned char *more = gv_grow(*bytes, &room, *size + AT_ONCE + 1, 1);
    if (more == NULL) {
      status = gv_io_fail_memory(io, path);
      break;
    }
    *bytes = more;
    got = VSIFReadL(more + *size, 1, AT_ONCE, file);
    if (gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
    if (status == GV_OK && *size > limit / COPIES)
      status = gv_input_too_large(io, &(gv_input_data){NULL, path, "bytes and more", *size, COPIES});
  }
  if (status == GV_OK && gv_gdal_failed()) status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read", path);
  VSIFCloseL(file);
  if (status == GV_OK) {
    (*bytes)[*size] = '\0';
  } else {
    free(*bytes);
  }
  return status;
}

/* Reads the beginning of a regular file; files that can be read only once are not inspected. */
static int64_t read_head(const char *path, unsigned char head[HEAD]) {
  VSIStatBufL found;
  char *name = name_for_gdal(path);
  bool regular = name != NULL && VSIStatL(path, &found) == 0 && VSI_ISREG(found.st_mode);
  VSILFILE *file = regular ? VSIFOpenL(name, "rb") : NULL;
  free(name);
  if (file == NULL) return 0;
  size_t got = VSIFReadL(head, 1, HEAD, file);
  VSIFCloseL(file);
  return (int64_t)got;
}

static bool has_utf16_mark(const unsigned char *bytes, int64_t size) {
  return size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

static char *put_utf8(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
    return to;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(first[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; i--)
    *to++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
  return to;
}

/* UTF-16 with its mark, as UTF-8 in memory of malloc with a NUL behind it; NULL: out of memory. Lone
 * surrogates become U+FFFD. */
static char *utf16_to_utf8(const unsigned char *bytes, int64_t size, int64_t *length) {
  bool big = bytes[0] == 0xfe;
  char *text = malloc((size_t)(size / 2 * 3 + 4)), *to = text;
  if (text == NULL) return NULL;
  for (int64_t i = 2; i + 1 < size; i += 2) {
    uint32_t unit = (uint32_t)(big ? bytes[i] << 8 | bytes[i + 1] : bytes[i + 1] << 8 | bytes[i]);
    bool high = (unit & 0xfc00) == 0xd800, surrogate = (unit & 0xf800) == 0xd800;
    uint32_t next =
        i + 3 < size ? (uint32_t)(big ? bytes[i + 2] << 8 | bytes[i + 3] : bytes[i + 3] << 8 | bytes[i + 2])
                     : 0;
    if (high && (next & 0xfc00) == 0xdc00) {
      unit = 0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff);
      i += 2;
    } else if (surrogate) {
      unit = 0xfffd;
    }
    to = put_utf8(to, unit);
  }
  *to = '\0';
  *length = to - text;
  return text;
}

gv_status gv_text_file_open(gv_io *io, const char *path, FILE **file, void **memory) {
  *memory = NULL;
  *file = NULL;
  unsigned char head[HEAD];
  bool utf16 = has_utf16_mark(head, read_head(path, head));
  if (!utf16 && !is_gzip(path) && strncmp(path, "/vsi", 4) != 0) {
    *file = fopen(path, "rb");
    return *file != NULL ? GV_OK : gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
  }
  unsigned char *bytes;
  int64_t size;
  GV_TRY(read_file(io, path, &bytes, &size));
  if (has_utf16_mark(bytes, size)) {
    unsigned char *text = (unsigned char *)utf16_to_utf8(bytes, size, &size);
    free(bytes);
    bytes = text;
  }
  *memory = bytes;
  if (bytes != NULL) *file = fmemopen(bytes, (size_t)size + (size == 0), "rb");
  return *file != NULL ? GV_OK : gv_io_fail_memory(io, path);
}

/* ------------------------------------------------------------------------------------------------- layers */

static const char in_memory[] = "/vsimem/gpuvoronoi-";

static bool is_csv(const char *path) {
  size_t length = strlen(path) - (is_gzip(path) ? 3 : 0);
  return length > 4 && strncasecmp(path + length - 4, ".csv", 4) == 0;
}

/* End of the heading of a CSV file that has only a WKT column; 0: it is not one. */
static int64_t end_of_wkt(const unsigned char *head, int64_t size) {
  int64_t at = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  bool quoted = at < size && head[at] == '"';
  at += quoted;
  at += at < size && head[at] == '_';
  if (size - at < 3 || strncasecmp((const char *)head + at, "WKT", 3) != 0) return 0;
  at += 3;
  if (quoted && at < size && head[at] == '"') at++;
  return at < size && (head[at] == '\n' || head[at] == '\r') ? at : 0;
}

/* With a separator after it, outside the geometry, GDAL recognizes such a file as CSV. */
static bool add_separator(unsigned char **bytes, int64_t *size, int64_t at) {
  unsigned char *more = realloc(*bytes, (size_t)*size + 1);
  if (more == NULL) return false;
  memmove(more + at + 1, more + at, (size_t)(*size - at));
  more[at] = '\t';
  *bytes = more;
  ++*size;
  return true;
}

gv_status gv_layer_name(gv_io *io, const char *path, char **name) {
  unsigned char head[HEAD], *bytes = NULL;
  int64_t size = 0, got = is_csv(path) ? read_head(path, head) : 0;
  *name = NULL;
  if (!has_utf16_mark(head, got) && end_of_wkt(head, got) == 0 && !is_gzip(path)) {
    *name = strdup(path);
    return *name != NULL ? GV_OK : gv_io_fail_memory(io, path);
  }
  GV_TRY(read_file(io, path, &bytes, &size));
  bool made = true;
  if (has_utf16_mark(bytes, size)) {
    unsigned char *text = (unsigned char *)utf16_to_utf8(bytes, size, &size);
    free(bytes);
    bytes = text;
    made = text != NULL;
  }
  int64_t end = made ? end_of_wkt(bytes, size < HEAD ? size : HEAD) : 0;
  if (end > 0) made = add_separator(&bytes, &size, end);
  const char *file = gv_path_name(path);
  size_t length = strlen(file) - (is_gzip(path) ? 3 : 0);
  char *in_copy = NULL;
  if (made && asprintf(&in_copy, "%s%p/%.*s", in_memory, (void *)bytes, (int)length, file) < 0) {
    in_copy = NULL;
    made = false;
  }
  GByte *copy = made ? VSIMalloc((size_t)size + 1) : NULL;
  if (copy != NULL) memcpy(copy, bytes, (size_t)size);
  free(bytes);
  VSILFILE *there = copy != NULL ? VSIFileFromMemBuffer(in_copy, copy, (vsi_l_offset)size, TRUE) : NULL;
  if (there == NULL) {
    VSIFree(copy);
    free(in_copy);
    return gv_io_fail_memory(io, path);
  }
  VSIFCloseL(there);
  *name = in_copy;
  return GV_OK;
}

void gv_layer_name_free(char *name) {
  if (name != NULL && strncmp(name, in_memory, sizeof in_memory - 1) == 0) VSIUnlink(name);
  free(name);
}
