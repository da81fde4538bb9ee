#include "io/in/input_limit.h"

#include <inttypes.h>
#include <string.h>

#include <cpl_vsi.h>

enum { TIMES_FILE = 16 };

/* The size of a local file, or of a copy of the standard input. Members of archives count 0: their size is
 * only declared. */
static int64_t size_of_file(const char *source) {
  static const char in_memory[] = "/vsimem/";
  VSIStatBufL found;
  bool is_virtual = strncmp(source, "/vsi", 4) == 0 && strncmp(source, in_memory, sizeof in_memory - 1) != 0;
  if (is_virtual || VSIStatL(source, &found) != 0 || !VSI_ISREG(found.st_mode)) return 0;
  return (int64_t)found.st_size;
}

int64_t gv_input_limit(const gv_io *io, const char *source) {
  if (io->memory <= 0) return INT64_MAX;
  int64_t size = source != NULL ? size_of_file(source) : 0, most = (INT64_MAX - io->memory) / TIMES_FILE;
  return size < most ? io->memory + TIMES_FILE * size : INT64_MAX;
}

gv_status gv_input_too_large(gv_io *io, const gv_input_data *data) {
  const bool both = data->option != NULL && data->source != NULL;
  return gv_io_fail_as(
      io, GV_CODE_INPUT_TOO_LARGE, GV_ERROR_OUT_OF_MEMORY,
      "%s%s%s: %" PRId64 " %s need %.2f GB of memory, but --memory allows %.2f GB; increase --memory",
      data->option != NULL ? data->option : "", both ? ": " : "", data->source != NULL ? data->source : "",
      data->count, data->items, (double)data->count * (double)data->bytes * 1e-9,
      (double)gv_input_limit(io, data->source) * 1e-9);
}

gv_status gv_input_fits(gv_io *io, const gv_input_data *data) {
  return data->count <= gv_input_limit(io, data->source) / data->bytes ? GV_OK : gv_input_too_large(io, data);
}
