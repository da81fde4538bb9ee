/* Contexts, and the names of statuses and metrics. */
#include "core/core.h"
#include "core/given.h"
#include "core/machine.h"

#include <stdlib.h>
#include <string.h>

static void *allocate_default(size_t bytes, void *user) {
  (void)user;
  void *memory = malloc(bytes);
  gv_machine_large(memory, bytes);
  return memory;
}

static void release_default(void *memory, void *user) {
  (void)user;
  free(memory);
}

int gv_version_number(void) {
  return GV_VERSION_NUMBER;
}

const char *gv_version(void) {
  return GV_VERSION_STRING;
}

const char *gv_status_message(gv_status status) {
  switch (status) {
  case GV_OK:
    return "ok";
  case GV_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case GV_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case GV_ERROR_UNKNOWN_BACKEND:
    return "unknown backend";
  case GV_ERROR_UNSUPPORTED:
    return "unsupported";
  case GV_ERROR_UNAVAILABLE:
    return "unavailable";
  case GV_ERROR_CANCELLED:
    return "cancelled";
  case GV_ERROR_PROJECTION:
    return "projection error";
  case GV_ERROR_IO:
    return "input/output error";
  case GV_ERROR_DEVICE:
    return "device error";
  case GV_ERROR_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

const char *gv_metric_name(gv_metric metric) {
  switch (metric) {
  case GV_EUCLIDEAN:
    return "euclidean";
  case GV_MANHATTAN:
    return "manhattan";
  case GV_CHEBYSHEV:
    return "chebyshev";
  case GV_GREAT_CIRCLE:
    return "great-circle";
  case GV_GEODESIC:
    return "geodesic";
  case GV_COSINE:
    return "cosine";
  case GV_INNER_PRODUCT:
    return "inner-product";
  case GV_MINKOWSKI:
    return "minkowski";
  }
  return NULL;
}

gv_status gv_context_create(const gv_context_options *options, gv_context **out) {
  gv_context_options o;
  gv_context_options_init(&o);
  if (out == NULL || !gv_copy_given(&o, sizeof o, options)) return GV_ERROR_INVALID_ARGUMENT;
  if (o.threads < 0 || o.device < -1 || (o.allocate == NULL) != (o.release == NULL))
    return GV_ERROR_INVALID_ARGUMENT;
  gv_allocator allocator = {o.allocate ? o.allocate : allocate_default,
                            o.release ? o.release : release_default, o.allocate_user};
  gv_context *context = gv_allocate_zeroed(&allocator, 1, sizeof *context);
  if (context == NULL) return GV_ERROR_OUT_OF_MEMORY;
  context->allocator = allocator;
  context->threads = o.threads > 0 ? o.threads : gv_cpu_count();
  context->progress = o.progress;
  context->progress_user = o.progress_user;
  context->device = o.device;
  context->owner = context;
  *out = context;
  return GV_OK;
}

void gv_context_destroy(gv_context *context) {
  if (context == NULL) return;
  if (context->kept_destroy != NULL) context->kept_destroy(context->kept);
  gv_allocator allocator = context->allocator;
  gv_release(&allocator, context);
}

const char *gv_context_message(const gv_context *context) {
  return context != NULL ? context->message : "";
}

int gv_context_threads(const gv_context *context) {
  return context != NULL ? context->threads : 1;
}
