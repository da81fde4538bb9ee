/* Memory that is used again and again and grows when more is needed. */
#ifndef GV_BUFFER_H
#define GV_BUFFER_H

#include "core/core.h"

typedef struct gv_buffer {
  void *memory; /* NULL: nothing yet */
  size_t bytes;
} gv_buffer;

/* Reserves count x size bytes, zeroed where they are new; the contents are lost if the buffer must grow.
 * NULL: out of memory; the buffer is then empty. */
void *gv_buffer_reserve(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size);

/* The same, but the contents are always kept. */
void *gv_buffer_extend(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size);

void gv_buffer_clear(gv_buffer *buffer, const gv_allocator *allocator);

#endif
