#include "job/backends.h"

#include <string.h>

#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/gpuvoronoi.h"

bool gv_job_backend_is_automatic(const char *name) {
  return strcmp(name, "auto") == 0;
}

/* False if no backend has the name. */
static bool backend_get(const char *name, gv_backend_info *out) {
  gv_backend_info_init(out);
  return gv_backend_get(gv_backend_number_of(name), out) == GV_OK;
}

bool gv_job_backend_culls(const char *name, bool on_gpus) {
  gv_backend_info info;
  return backend_get(name, &info) && !info.searches_points && (info.gpu != 0) == on_gpus;
}

bool gv_job_backend_keeps_costs_in_memory(const char *name) {
  gv_backend_info info;
  return backend_get(name, &info) && info.travel_cost == 1;
}
