#include "cost/device.h"

#include "search/cuda_module.h"

/*
 * Cells from which a GPU pays. An H200 solves 1.9 10^8 cells in 0.3 s, copies included, and 10^7 in 0.03 to 0.15 s; starting CUDA
 * takes 0.25 s. The processors beside it, 16 cores, solve 10^7 cells in 0.2 to 0.6 s, two cores in 1.5 to 4 s.
 */
static const double PAYS_FROM = 1e7;

bool gv_cost_device_pays(const gv_cost *c) {
  return (double)c->is.width * (double)c->is.height >= PAYS_FROM && gv_cuda_has_driver();
}

gv_status gv_cost_device_run(gv_context *context, gv_cost *c, const gv_cost_starts *starts) {
  const char *reason = "";
  const gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "cuda-tile: unavailable (%s)", reason);
  return gv_cuda_module_get(&reason)->cost->run(context, c, starts);
}
