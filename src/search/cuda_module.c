/* Finding and loading the CUDA module. */
#include "search/cuda_module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MODULE "libgpuvoronoi_cuda.so"

static pthread_once_t module_once = PTHREAD_ONCE_INIT, driver_once = PTHREAD_ONCE_INIT;
static _Atomic(const gv_cuda_module *) module;
static char module_reason[512];
static bool driver_found;

/* The module beside the object that this code is in, or in the folder for modules there; NULL if there is none. */
static void *open_beside(void) {
  static const char *const places[] = {MODULE, "gpuvoronoi/" MODULE};
  Dl_info self;
  char path[4096];
  void *handle = NULL;
  if (dladdr((void *)&module_once, &self) == 0 || self.dli_fname == NULL) return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash != NULL ? (int)(slash - self.dli_fname) + 1 : 0;
  for (size_t i = 0; folder > 0 && handle == NULL && i < sizeof places / sizeof *places; i++) {
    int length = snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, places[i]);
    if (length < (int)sizeof path) handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  }
  return handle;
}

/* Of what dlerror says, the part that tells a missing module from a broken one. */
static void say_why(const char *said) {
  bool missing = said == NULL || strstr(said, MODULE ": cannot open shared object file") != NULL;
  if (missing) {
    snprintf(module_reason, sizeof module_reason, "the CUDA module " MODULE " is not installed");
  } else {
    snprintf(module_reason, sizeof module_reason, "the CUDA module cannot be loaded: %s", said);
  }
}

static void load(void) {
  void *handle = open_beside();
  if (handle == NULL) handle = dlopen(MODULE, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) {
    say_why(dlerror());
    return;
  }
  const gv_cuda_module *(*offer)(void) = NULL;
  void *found = dlsym(handle, "gv_cuda_module_offer");
  memcpy(&offer, &found, sizeof offer);
  const gv_cuda_module *offered = offer != NULL ? offer() : NULL;
  if (offered == NULL || strcmp(offered->version, GV_VERSION_STRING) != 0 || offered->size != GV_CUDA_MODULE_SIZE) {
    snprintf(module_reason, sizeof module_reason,
             "the CUDA module is of another version (%s) than the library (%s)",
             offered != NULL ? offered->version : "unknown", GV_VERSION_STRING);
    (void)dlclose(handle);
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
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  driver_found = driver != NULL;
  if (driver_found) (void)dlclose(driver);
}

bool gv_cuda_has_driver(void) {
  (void)pthread_once(&driver_once, look_for_driver);
  return driver_found;
}
