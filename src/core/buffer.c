/* Buffers: exactly the requested size at first, at least half as much again when that is too small. */
#include "core/buffer.h"

#include <string.h>

static bool is_enough(const gv_buffer *buffer, int64_t count, size_t size) {
  return buffer->memory != NULL && count >= 0 && (uint64_t)count <= buffer->bytes / size;
}

/* Allocates a larger block in *out; false when out of memory, or if the number of bytes overflows. */
static bool buffer_grow(const gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size,
                        gv_buffer *out) {
  size_t more = buffer->bytes + buffer->bytes / 2;
  if (count < 0 || (uint64_t)count > (uint64_t)INT64_MAX / size) return false;
  out->bytes = (size_t)count * size > more ? (size_t)count * size : more;
  out->memory = gv_allocate_zeroed(allocator, (int64_t)out->bytes, 1);
  return out->memory != NULL;
}

void *gv_buffer_reserve(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size) {
  if (is_enough(buffer, count, size)) return buffer->memory;
  gv_buffer larger, before = {NULL, buffer->bytes};
  gv_buffer_clear(buffer, allocator); /* first: both at once may be too much */
  if (buffer_grow(&before, allocator, count, size, &larger)) *buffer = larger;
  return buffer->memory;
}

void *gv_buffer_extend(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size) {
  if (is_enough(buffer, count, size)) return buffer->memory;
  gv_buffer larger;
  if (!buffer_grow(buffer, allocator, count, size, &larger)) return NULL;
  if (buffer->bytes > 0) memcpy(larger.memory, buffer->memory, buffer->bytes);
  gv_buffer_clear(buffer, allocator);
  *buffer = larger;
  return buffer->memory;
}

void gv_buffer_clear(gv_buffer *buffer, const gv_allocator *allocator) {
  gv_release(allocator, buffer->memory);
  *buffer = (gv_buffer){NULL, 0};
}
