/* The backends that tests of searches use: those that can search points on this machine. */
#ifndef GV_TESTS_BACKENDS_HERE_H
#define GV_TESTS_BACKENDS_HERE_H

#include "search/backend.h"

static inline bool searches_here(const gv_backend *backend) {
  const char *reason;
  return backend->searches_points && gv_backend_probe(backend, &reason) == GV_OK;
}

#endif
