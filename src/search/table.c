/* The list of search backends, and which of them "auto" stands for. */
#include "search/backend.h"

#include <string.h>

extern const gv_backend gv_backend_serial, gv_backend_kdtree, gv_backend_octree;

const gv_backend *const gv_backends[] = {
    &gv_backend_serial,
    &gv_backend_kdtree,
    &gv_backend_octree,
    NULL,
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

int gv_backend_count(void) {
  int count = 0;
  while (gv_backends[count] != NULL)
    count++;
  return count;
}

gv_status gv_backend_get(int number, gv_backend_info *out) {
  if (out == NULL || number < 0 || number >= gv_backend_count()) return GV_ERROR_INVALID_ARGUMENT;
  const gv_backend *backend = gv_backends[number];
  const char *reason = "";
  gv_status status = backend->probe(&reason);
  *out = (gv_backend_info){backend->name, backend->summary, 1, 0, status == GV_OK, status == GV_OK ? "" : reason};
  return GV_OK;
}
