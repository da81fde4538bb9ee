#include "cost/raster.h"

#include <errno.h>
#include <string.h>

#include "core/machine.h"

gv_status gv_cost_map(gv_context *context, const gv_cost *c, size_t bytes, void **out) {
  *out = gv_machine_map_file(c->is.folder, bytes);
  if (*out != NULL) return GV_OK;
  return gv_fail(context, GV_ERROR_IO,
                 "travel cost: %s: cannot write a temporary file of %.2f GB: %s; use another folder", c->is.folder,
                 (double)bytes * 1e-9, strerror(errno));
}

void gv_cost_touched(gv_cost *c, int64_t bytes) {
  if (c->mapped == NULL) return;
  const long long all = atomic_fetch_add_explicit(&c->touched, bytes, memory_order_relaxed) + bytes;
  if ((double)all < c->is.resident) return;
  atomic_store_explicit(&c->touched, 0, memory_order_relaxed);
  gv_machine_page_out(c->mapped, c->mapped_bytes);
}
