/* The list of search backends, and which of them "auto" stands for. */
#include "search/backend.h"

#include <string.h>

extern const gv_backend gv_backend_serial, gv_backend_openmp, gv_backend_kdtree, gv_backend_octree;

const gv_backend *const gv_backends[] = {
    &gv_backend_serial, &gv_backend_openmp, &gv_backend_kdtree, &gv_backend_octree, NULL,
};

const gv_backend *gv_backend_find(const char *name) {
  for (const gv_backend *const *b = gv_backends; *b != NULL; b++) {
    if (strcmp((*b)->name, name) == 0) return *b;
  }
  return NULL;
}

const gv_backend *gv_backend_choose(const gv_reference *reference, int32_t k, int64_t queries) {
  (void)reference, (void)k, (void)queries;
  return &gv_backend_serial;
}
