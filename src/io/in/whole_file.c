#include "io/in/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cpl_vsi.h>

#include "io/grow.h"

static bool is_gzip(const char *path) {
  size_t length = strlen(path);
  return length > 3 && strcasecmp(path + length - 3, ".gz") == 0 && strncmp(path, "/vsi", 4) != 0;
}

char *gv_file_name_for_gdal(const char *path) {
  char *name = NULL;
  return asprintf(&name, "%s%s", is_gzip(path) ? "/vsigzip/" : "", path) >= 0 ? name : NULL;
}

gv_status gv_file_read(gv_io *io, const char *path, unsigned char **bytes, int64_t *size) {
  enum { AT_ONCE = 1 << 16 };
  int64_t room = 0;
  char *name = gv_file_name_for_gdal(path);
  if (name == NULL) return gv_io_fail_memory(io, path);
  gv_gdal_reset();
  errno = 0;
  VSILFILE *file = VSIFOpenL(name, "rb");
  free(name);
  if (file == NULL) return gv_io_fail(io, GV_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
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
  }
  if (status == GV_OK && gv_gdal_failed()) status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be read", path);
  VSIFCloseL(file);
  if (status == GV_OK) {
    (*bytes)[*size] = '\0';
  } else {
    free(*bytes);
  }
  return status;
}

static bool has_mark(const unsigned char *bytes, int64_t size) {
  return size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

bool gv_file_is_utf16(const char *path) {
  unsigned char mark[2] = {0};
  VSIStatBufL found;
  /* What is read once is not looked at. */
  if (VSIStatL(path, &found) != 0 || !VSI_ISREG(found.st_mode)) return false;
  VSILFILE *file = VSIFOpenL(path, "rb");
  if (file == NULL) return false;
  size_t got = VSIFReadL(mark, 1, 2, file);
  VSIFCloseL(file);
  return has_mark(mark, (int64_t)got);
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

char *gv_utf16_to_utf8(const unsigned char *bytes, int64_t size, int64_t *length) {
  bool big = bytes[0] == 0xfe;
  char *text = malloc((size_t)(size / 2 * 3 + 4)), *to = text;
  if (text == NULL) return NULL;
  for (int64_t i = 2; i + 1 < size; i += 2) {
    uint32_t unit = (uint32_t)(big ? bytes[i] << 8 | bytes[i + 1] : bytes[i + 1] << 8 | bytes[i]);
    bool high = (unit & 0xfc00) == 0xd800, surrogate = (unit & 0xf800) == 0xd800;
    uint32_t next =
        i + 3 < size ? (uint32_t)(big ? bytes[i + 2] << 8 | bytes[i + 3] : bytes[i + 3] << 8 | bytes[i + 2]) : 0;
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
  bool utf16 = gv_file_is_utf16(path);
  if (!utf16 && !is_gzip(path) && strncmp(path, "/vsi", 4) != 0) {
    *file = fopen(path, "rb");
    return *file != NULL ? GV_OK : gv_io_fail(io, GV_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
  }
  unsigned char *bytes;
  int64_t size;
  gv_status status = gv_file_read(io, path, &bytes, &size);
  if (status != GV_OK) return status;
  if (has_mark(bytes, size)) {
    unsigned char *text = (unsigned char *)gv_utf16_to_utf8(bytes, size, &size);
    free(bytes);
    bytes = text;
  }
  *memory = bytes;
  if (bytes != NULL) *file = fmemopen(bytes, (size_t)size + (size == 0), "rb");
  return *file != NULL ? GV_OK : gv_io_fail_memory(io, path);
}
