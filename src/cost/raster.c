#include "cost/raster.h"

#include <errno.h>
#include <string.h>

#include "core/machine.h"

gv_status gv_cost_map(gv_context *context, const gv_cost *c, size_t bytes, void **out) {
  *out = gv_machine_map_file(c->is.folder, bytes);
  if (*out != NULL) return GV_OK;
  return gv_fail(context, GV_ERROR_IO,
                 "travel cost: %s: cannot write a temporary file of %.2f GB: %s; use another folder",
                 c->is.folder, (double)bytes * 1e-9, strerror(errno));
}
