/* Where the arrays of a call are. */
#ifndef GV_ARRAY_OPTIONS_H
#define GV_ARRAY_OPTIONS_H

#include "core/core.h"
#include "gpuvoronoi/experimental.h"

/* NULL: host memory. */
static inline bool gv_on_device(const gv_array_options *options) {
  return options != NULL && options->memory != GV_MEMORY_HOST;
}

static inline gv_memory gv_memory_of(const gv_array_options *options) {
  return options != NULL ? options->memory : GV_MEMORY_HOST;
}

static inline void *gv_stream_of(const gv_array_options *options) {
  return options != NULL ? options->stream : NULL;
}

/* Errors: INVALID_ARGUMENT. */
static inline gv_status gv_check_array_options(gv_context *context, const gv_array_options *options) {
  if (options == NULL) return GV_OK;
  if (options->struct_size < sizeof *options)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "gv_array_options: struct_size is not set; call gv_array_options_init");
  if (options->memory != GV_MEMORY_HOST && options->memory != GV_MEMORY_CUDA)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "memory: unknown kind (%d)", (int)options->memory);
  return GV_OK;
}

#endif
