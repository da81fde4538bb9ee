/* Modules: shared objects that are opened when they are first needed. */
#ifndef GV_MODULE_H
#define GV_MODULE_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/*
 * Opens the module that stands beside the object in which `place` is, in the folder gpuvoronoi there, or wherever the system finds it;
 * NULL: dlerror says why not.
 */
static inline void *gv_module_open(const void *place, const char *name, int flags) {
  static const char *const folders[] = {"", "gpuvoronoi/"};
  Dl_info self;
  char path[4096];
  void *module = NULL;
  const char *slash = dladdr(place, &self) != 0 && self.dli_fname != NULL ? strrchr(self.dli_fname, '/') : NULL;
  for (int i = 0; slash != NULL && module == NULL && i < 2; i++) {
    int beside = (int)(slash - self.dli_fname) + 1;
    int length = snprintf(path, sizeof path, "%.*s%s%s", beside, self.dli_fname, folders[i], name);
    if (length < (int)sizeof path) module = dlopen(path, flags);
  }
  return module != NULL ? module : dlopen(name, flags);
}

#endif
