/* What the readers of binary files and of text share: checks, errors, rows that are left out. */
#include "io/in/arrays/array_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"

uint64_t gv_little_endian(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; i--)
    value = value << 8 | bytes[i];
  return value;
}

gv_status gv_array_fail_file(gv_io *io, const gv_array_reader *reader, const char *reason) {
  if (ferror(reader->file))
    return gv_io_fail(io, GV_ERROR_IO, "%s: cannot read: %s", reader->path, strerror(errno));
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s", reader->path, reason);
}

gv_status gv_array_check_dim(gv_io *io, const gv_array_reader *reader, int64_t dim) {
  if (dim >= 1 && dim <= GV_MAX_DIM) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: number of columns out of range (%" PRId64 "); expected 1 to %d", reader->path, dim,
                    GV_MAX_DIM);
}

bool gv_array_leave_out(gv_io *io, gv_array_reader *reader, gv_status status) {
  if (!reader->options.skip_invalid || status != GV_ERROR_INVALID_ARGUMENT) return false;
  if (reader->skipped++ == 0)
    snprintf(reader->skipped_first, sizeof reader->skipped_first, "%.255s", io->message);
  io->message[0] = '\0';
  return true;
}
