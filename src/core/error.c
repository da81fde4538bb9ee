/* Messages of contexts and of their workers. Uses the C library only, so that src/io, which makes no
 * contexts, can use it. */
#include "core/core.h"

#include <stdio.h>

#ifdef __clang_analyzer__
#undef gv_fail
#undef gv_fail_memory
#endif

gv_status gv_fail(gv_context *context, gv_status status, const char *format, ...) {
  if (context != NULL) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

gv_status gv_fail_memory(gv_context *context, const char *what) {
  return gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "out of memory for %s", what);
}

void gv_context_for_worker(const gv_context *context, gv_context *worker) {
  worker->allocator = context->allocator;
  worker->threads = 1;
  worker->progress = NULL;
  worker->progress_user = NULL;
  worker->device = context->device;
  worker->owner = context->owner;
  worker->kept = NULL;
  worker->kept_destroy = NULL;
  worker->device_seconds = 0.0;
  worker->message[0] = '\0';
}

void gv_context_without_progress(const gv_context *context, gv_context *quiet) {
  gv_context_for_worker(context, quiet);
  quiet->threads = context->threads;
}

gv_status gv_take_error(gv_context *context, gv_status status, const gv_context *other) {
  return status == GV_OK ? GV_OK : gv_fail(context, status, "%s", other->message);
}
