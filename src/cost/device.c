#include "cost/device.h"

#include "core/device_rule.h"
#include "search/cuda_module.h"

bool gv_cost_device_pays(const gv_context *context, const gv_cost *c) {
  return gv_cuda_has_driver() && gv_device_pays_for_cost((double)c->is.width * (double)c->is.height,
                                                         context->threads, gv_cuda_started());
}

gv_status gv_cost_device_run(gv_context *context, gv_cost *c, const gv_cost_starts *starts) {
  const char *reason = "";
  const gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "cuda-tile: unavailable (%s)", reason);
  return gv_cuda_module_get(&reason)->cost->run(context, c, starts);
}
