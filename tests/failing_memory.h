/* Memory of which a call is refused, and of which every block is counted. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gpuvoronoi/gpuvoronoi.h"

/* Used by all threads at once. */
typedef struct failing_memory {
  atomic_long calls, live, fail_at; /* fail_at: the number of the call that is refused, from 0; -1: none */
  bool for_good;                    /* and so are all after it */
} failing_memory;

static inline void failing_memory_begin(failing_memory *m, long fail_at) {
  atomic_store(&m->calls, 0);
  atomic_store(&m->live, 0);
  atomic_store(&m->fail_at, fail_at);
}

static inline void *failing_allocate(size_t bytes, void *user) {
  failing_memory *m = (failing_memory *)user;
  long call = atomic_fetch_add(&m->calls, 1), fail_at = atomic_load(&m->fail_at);
  if (call == fail_at || (m->for_good && fail_at >= 0 && call > fail_at)) return NULL;
  void *block = malloc(bytes);
  if (block != NULL) atomic_fetch_add(&m->live, 1);
  return block;
}

static inline void failing_release(void *block, void *user) {
  failing_memory *m = (failing_memory *)user;
  if (block != NULL) atomic_fetch_sub(&m->live, 1);
  free(block);
}

/* Options of a context that uses this memory. */
static inline gv_context_options failing_options(failing_memory *m, int threads) {
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = threads;
  options.allocate = failing_allocate;
  options.release = failing_release;
  options.allocate_user = m;
  return options;
}

#endif
