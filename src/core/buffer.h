/* Memory that is used again and again and grows when more is needed. */
#ifndef GV_BUFFER_H
#define GV_BUFFER_H

#include "core/core.h"

typedef struct gv_buffer {
  void *memory; /* NULL: nothing yet */
  size_t bytes;
} gv_buffer;

/* Room for count x size bytes, which are zero where they are new; what was there is lost if there was too little. NULL: out of
 * memory, and the buffer is empty. */
void *gv_buffer_reserve(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size);

/* The same, but what was there stays, whatever happens. */
void *gv_buffer_extend(gv_buffer *buffer, const gv_allocator *allocator, int64_t count, size_t size);

void gv_buffer_clear(gv_buffer *buffer, const gv_allocator *allocator);

#endif
