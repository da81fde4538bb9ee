/* Memory that ends, or begins, at an inaccessible page. */
#ifndef GUARDED_MEMORY_H
#define GUARDED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpuvoronoi/gpuvoronoi.h"

enum { GUARDED_LINE = 64 /* blocks begin with a cache line */ };

static inline size_t guarded_page(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that holds the whole's size, a closed one, the block's pages, a closed one. `user`: a bool, whether
 * the block begins with its pages; else it ends with them, to a cache line. */
static inline void *guarded_allocate(size_t bytes, void *user) {
  size_t page = guarded_page(), inside = (bytes + page - 1) / page * page, whole = inside + 3 * page;
  char *first = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) return NULL;
  memcpy(first, &whole, sizeof whole);
  if (mprotect(first + page, page, PROT_NONE) != 0 ||
      mprotect(first + 2 * page + inside, page, PROT_NONE) != 0) {
    munmap(first, whole);
    return NULL;
  }
  size_t spare = *(const bool *)user ? 0 : (inside - bytes) / GUARDED_LINE * GUARDED_LINE;
  return first + 2 * page + spare;
}

/* The same to the last byte, aligned as `bytes` is. */
static inline void *guarded_array(size_t bytes, bool first) {
  char *block = guarded_allocate(bytes, &first);
  if (block == NULL || first) return block;
  return block + (guarded_page() - bytes % guarded_page()) % guarded_page() % GUARDED_LINE;
}

static inline void guarded_release(void *block, void *user) {
  (void)user;
  if (block == NULL) return;
  char *first = (char *)block - (uintptr_t)block % guarded_page() - 2 * guarded_page();
  size_t whole;
  memcpy(&whole, first, sizeof whole);
  munmap(first, whole);
}

/* Options of a context that uses this memory. */
static inline gv_context_options guarded_options(bool *first, int threads) {
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = threads;
  options.allocate = guarded_allocate;
  options.release = guarded_release;
  options.allocate_user = first;
  return options;
}

#endif
