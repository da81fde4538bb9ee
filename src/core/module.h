/* Modules: shared objects that are opened when they are first needed. */
#ifndef GV_MODULE_H
#define GV_MODULE_H

#include <stdio.h>
#include <string.h>

#include "core/machine.h"

/*
 * Opens a module in the folder gpuvoronoi beside the object that contains `place`, or in the system's search
 * path; NULL: gv_library_why has the reason.
 */
static inline void *gv_module_open(const void *place, const char *name, bool for_all) {
  static const char *const folders[] = {"", "gpuvoronoi/"};
  char self[4096], path[4096];
  void *module = NULL;
  const char *slash = gv_library_of(place, self, sizeof self) ? strrchr(self, '/') : NULL;
  for (int i = 0; slash != NULL && module == NULL && i < 2; i++) {
    int length = snprintf(path, sizeof path, "%.*s%s%s", (int)(slash - self) + 1, self, folders[i], name);
    if (length < (int)sizeof path) module = gv_library_open(path, for_all);
  }
  return module != NULL ? module : gv_library_open(name, for_all);
}

#endif
