/* Aligned memory on top of the caller's allocator: the block's start is kept in the word before it. */
#include "core/parallel.h"

#include <string.h>

void *gv_allocate(const gv_allocator *allocator, int64_t count, size_t size) {
  if (count < 0 || (size != 0 && (uint64_t)count > (SIZE_MAX - 2 * GV_ALIGNMENT) / size)) return NULL;
  char *base = allocator->allocate((size_t)count * size + GV_ALIGNMENT + sizeof(void *), allocator->user);
  if (base == NULL) return NULL;
  uintptr_t first = (uintptr_t)base + sizeof(void *);
  char *block = base + (((first + GV_ALIGNMENT - 1) & ~(uintptr_t)(GV_ALIGNMENT - 1)) - (uintptr_t)base);
  memcpy(block - sizeof(void *), &base, sizeof(void *));
  return block;
}

void *gv_allocate_zeroed(const gv_allocator *allocator, int64_t count, size_t size) {
  void *block = gv_allocate(allocator, count, size);
  if (block != NULL) memset(block, 0, (size_t)count * size);
  return block;
}

void gv_release(const gv_allocator *allocator, void *memory) {
  if (memory == NULL) return;
  void *base;
  memcpy(&base, (char *)memory - sizeof(void *), sizeof(void *));
  allocator->release(base, allocator->user);
}

enum { PART = 1 << 18 /* bytes that are copied at a time */ };

typedef struct copying {
  char *to;
  const char *from;
  size_t bytes;
} copying;

static gv_status copy_parts(gv_worker *worker, int64_t first, int64_t end) {
  const copying *c = worker->user;
  for (int64_t i = first; i < end; i++) {
    size_t at = (size_t)i * PART;
    memcpy(c->to + at, c->from + at, c->bytes - at < PART ? c->bytes - at : PART);
  }
  return GV_OK;
}

void gv_copy(void *to, const void *from, size_t bytes, int threads) {
  copying c = {to, from, bytes};
  int64_t parts = (int64_t)((bytes + PART - 1) / PART);
  gv_loop loop = {.threads = parts > 3 ? threads : 1, .count = parts, .user = &c};
  gv_parallel_for(&loop, copy_parts);
}
