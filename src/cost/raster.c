#include "cost/raster.h"

#include "core/machine.h"

void gv_cost_touched(gv_cost *c, int64_t bytes) {
  if (c->mapped == NULL) return;
  const long long all = atomic_fetch_add_explicit(&c->touched, bytes, memory_order_relaxed) + bytes;
  if ((double)all < c->is.resident) return;
  atomic_store_explicit(&c->touched, 0, memory_order_relaxed);
  gv_machine_page_out(c->mapped, c->mapped_bytes);
}
