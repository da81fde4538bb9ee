/* Finding and loading the CUDA module. */
#include "search/cuda_module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/machine.h"
#include "core/module.h"
#include "core/parallel.h"

#ifdef _WIN32
#define MODULE "gpuvoronoi_cuda.dll"
#define DRIVER "nvcuda.dll"
#else
#define MODULE "libgpuvoronoi_cuda.so"
#define DRIVER "libcuda.so.1"
#endif

static pthread_once_t module_once = PTHREAD_ONCE_INIT, driver_once = PTHREAD_ONCE_INIT;
static _Atomic(const gv_cuda_module *) module;
static char module_reason[512];
static bool driver_found;

/* The system's message distinguishes a missing module from a broken one. The module is for Linux with glibc
 * only. */
static bool module_missing(const char *said) {
#ifdef __GLIBC__
  return said == NULL || strstr(said, MODULE ": cannot open shared object file") != NULL;
#else
  (void)said;
  return true;
#endif
}

static void set_reason(const char *said) {
  if (module_missing(said)) {
    snprintf(module_reason, sizeof module_reason, "the CUDA module " MODULE " is not installed");
  } else {
    snprintf(module_reason, sizeof module_reason, "CUDA module: cannot open (%s)", said);
  }
}

static void load(void) {
  void *handle = gv_module_open(&module_once, MODULE, false);
  if (handle == NULL) {
    set_reason(gv_library_why());
    return;
  }
  gv_cuda_module_offer_fn *offer = NULL;
  void *found = gv_library_symbol(handle, "gv_cuda_module_offer");
  memcpy(&offer, &found, sizeof offer);
  const gv_cuda_module *offered = offer != NULL ? offer(gv_copy) : NULL;
  if (offered == NULL || strcmp(offered->version, GV_VERSION_STRING) != 0 ||
      offered->size != GV_CUDA_MODULE_SIZE) {
    snprintf(module_reason, sizeof module_reason, "CUDA module: unsupported version (%s); expected %s",
             offered != NULL ? offered->version : "unknown", GV_VERSION_STRING);
    gv_library_close(handle);
    return;
  }
  atomic_store(&module, offered); /* stays loaded: device memory may belong to it until the process ends */
}

const gv_cuda_module *gv_cuda_module_get(const char **reason) {
  (void)pthread_once(&module_once, load);
  *reason = module_reason;
  return atomic_load(&module);
}

gv_status gv_cuda_probe(const char **reason) {
  const gv_cuda_module *cuda = gv_cuda_module_get(reason);
  return cuda != NULL ? cuda->probe(reason) : GV_ERROR_UNAVAILABLE;
}

bool gv_cuda_started(void) {
  const gv_cuda_module *cuda = atomic_load(&module);
  return cuda != NULL && cuda->started();
}

static void look_for_driver(void) {
  void *driver = gv_library_open(DRIVER, false);
  driver_found = driver != NULL;
  if (driver_found) gv_library_close(driver);
}

bool gv_cuda_has_driver(void) {
  (void)pthread_once(&driver_once, look_for_driver);
  return driver_found;
}
