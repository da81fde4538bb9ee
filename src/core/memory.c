/* Aligned memory on top of the caller's allocator: the block's start is kept in the word before it. */
#include "core/core.h"

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
