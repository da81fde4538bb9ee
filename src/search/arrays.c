/* Arrays of callers. See arrays.h. */
#include "search/arrays.h"

#include <string.h>

#include "core/parallel.h"
#include "search/pair.h"

gv_status gv_arrays_begin(gv_context *context, gv_memory memory, void *stream, const void *const *array,
                          int count, gv_arrays *out) {
  *out = (gv_arrays){.device = -1};
  if (memory == GV_MEMORY_HOST) return GV_OK;
  const char *reason = "";
  gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "device memory: unavailable (%s)", reason);
  const gv_array_device *cuda = gv_cuda_module_get(&reason)->arrays;
  status = cuda->begin(context, array, count, stream, &out->queue, &out->device);
  if (status == GV_OK) out->cuda = cuda;
  return status;
}

gv_status gv_arrays_open(gv_context *context, int device, gv_arrays *out) {
  *out = (gv_arrays){.device = -1};
  const char *reason = "";
  gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "device memory: unavailable (%s)", reason);
  const gv_array_device *cuda = gv_cuda_module_get(&reason)->arrays;
  status = cuda->open(context, device, &out->queue, &out->device);
  if (status == GV_OK) out->cuda = cuda;
  return status;
}

void gv_arrays_end(gv_context *context, gv_arrays *arrays) {
  if (arrays->cuda != NULL) arrays->cuda->end(context, arrays->queue);
  for (int i = 0; i < GV_ARRAYS_SCRATCH; i++)
    gv_release(&context->allocator, arrays->scratch[i]);
}

gv_status gv_arrays_scratch(gv_context *context, gv_arrays *arrays, int slot, int64_t count, const char *what,
                            double **out) {
  if (arrays->cuda != NULL)
    return arrays->cuda->scratch(context, arrays->queue, slot, (size_t)count * sizeof **out, (void **)out);
  *out = arrays->scratch[slot] = gv_allocate(&context->allocator, count, sizeof **out);
  return *out != NULL ? GV_OK : gv_fail_memory(context, what);
}

gv_status gv_arrays_allocate(gv_context *context, const gv_arrays *arrays, int64_t count, const char *what,
                             double **out) {
  if (arrays->cuda != NULL)
    return arrays->cuda->allocate(context, arrays->queue, (size_t)count * sizeof **out, (void **)out);
  *out = gv_allocate(&context->allocator, count, sizeof **out);
  return *out != NULL ? GV_OK : gv_fail_memory(context, what);
}

void gv_arrays_release(const gv_allocator *allocator, int device, void *memory) {
  const char *reason;
  if (device < 0) {
    gv_release(allocator, memory);
  } else {
    gv_cuda_module_get(&reason)->arrays->release(device, memory);
  }
}

static const void *arrays_row_of(const gv_points *points, int64_t row) {
  int64_t first = row * points->dim;
  return points->dtype == GV_FLOAT32 ? (const void *)((const float *)points->data + first)
                                     : (const void *)((const double *)points->data + first);
}

static bool widen_row(const gv_points *points, int64_t row, double *out) {
  bool finite = true;
  if (points->x != NULL) {
    double pair[2];
    gv_pair_get(points, row, &pair[0], &pair[1]);
    if (out != NULL) memcpy(out, pair, sizeof pair);
    return isfinite(pair[0]) && isfinite(pair[1]);
  }
  const void *data = arrays_row_of(points, row);
  for (int32_t d = 0; d < points->dim; d++) {
    double value = points->dtype == GV_FLOAT32 ? (double)((const float *)data)[d] : ((const double *)data)[d];
    finite &= isfinite(value) != 0;
    if (out != NULL) out[d] = value;
  }
  return finite;
}

/* Rows being widened. */
typedef struct widening {
  const gv_points *points;
  int64_t first;
  double *out;
  int64_t bad; /* the first that is not finite */
} widening;

static gv_status widen_some(gv_worker *worker, int64_t first, int64_t end) {
  widening *w = worker->user;
  int64_t bad = INT64_MAX;
  for (int64_t i = first; i < end; i++) {
    double *out = w->out != NULL ? w->out + i * w->points->dim : NULL;
    if (!widen_row(w->points, w->first + i, out)) bad = i < bad ? i : bad;
  }
  gv_worker_lock(worker);
  w->bad = bad < w->bad ? bad : w->bad;
  gv_worker_unlock(worker);
  return GV_OK;
}

gv_status gv_arrays_widen(gv_context *context, const gv_arrays *arrays, const gv_points *points,
                          int64_t first, int64_t count, double *out, int64_t *bad) {
  widening w = {points, first, out, INT64_MAX};
  gv_loop loop = {.threads = count * points->dim > 65536 ? context->threads : 1, .count = count, .user = &w};
  gv_status status = GV_OK;
  if (arrays->cuda != NULL) {
    status = arrays->cuda->widen(context, arrays->queue, arrays_row_of(points, first), points->dtype, count,
                                 points->dim, out, &w.bad);
  } else {
    gv_parallel_for(&loop, widen_some);
  }
  *bad = w.bad == INT64_MAX ? -1 : first + w.bad;
  return status;
}

typedef struct arrays_taking {
  const gv_reference *reference;
  double *value;
} arrays_taking;

static gv_status arrays_compute_roots(gv_worker *worker, int64_t first, int64_t end) {
  const arrays_taking *t = worker->user;
  double root = t->reference->metric == GV_MINKOWSKI ? 1.0 / t->reference->power : 0.5;
  for (int64_t i = first; i < end; i++)
    t->value[i] = root == 0.5 ? sqrt(t->value[i]) : gv_power(t->value[i], root);
  return GV_OK;
}

gv_status gv_arrays_to_distances(gv_context *context, const gv_arrays *arrays, const gv_reference *reference,
                                 double *value, int64_t count) {
  if (reference->metric != GV_EUCLIDEAN && reference->metric != GV_MINKOWSKI) return GV_OK;
  if (arrays->cuda != NULL) return arrays->cuda->roots(context, arrays->queue, value, count);
  arrays_taking t = {reference, value};
  gv_loop loop = {.threads = count > 65536 ? context->threads : 1, .count = count, .user = &t};
  return gv_parallel_for(&loop, arrays_compute_roots);
}
