/*
 * Loading points into an index: see points.h.
 *
 * Values are checked for being finite while they are in the cache, or by the device. After a failed stretch
 * only stretches behind it are skipped, so that the first failure is reported for any order of threads.
 */
#include "search/points.h"

#include "core/parallel.h"
#include "search/pair.h"

#include <string.h>

enum { STRETCH_BYTES = 1 << 19 /* read at once by a thread: small enough for the second-level cache */ };

static size_t size_of(gv_dtype dtype) {
  return dtype == GV_FLOAT32 ? sizeof(float) : sizeof(double);
}

static size_t row_bytes(const gv_supply *supply) {
  return (size_t)supply->source.dim * size_of(supply->source.dtype);
}

gv_status gv_check_points(gv_context *context, const gv_points *points, const char *role) {
  if (points == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: the pointer is NULL", role);
  if (points->dtype != GV_FLOAT32 && points->dtype != GV_FLOAT64) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: unknown type (%d)", role,
                   (int)points->dtype);
  }
  if (points->dim < 1 || points->dim > GV_MAX_DIM) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: dimension out of range [1, %d] (%d)", role,
                   GV_MAX_DIM, (int)points->dim);
  }
  if (points->count < 0 || points->count > INT64_MAX / (int64_t)sizeof(double) / points->dim) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of %s points: out of range (%lld)", role,
                   (long long)points->count);
  }
  if (points->x != NULL) return gv_check_pairs(context, points, role);
  if (points->data == NULL && points->count > 0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: the data is NULL", role);
  }
  return GV_OK;
}

gv_status gv_fail_not_finite(gv_context *context, const char *role, int64_t row) {
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s point %lld (from 0): a coordinate is not finite",
                 role, (long long)row);
}

void gv_widen_floats(const float *from, int64_t count, double *to) {
  for (int64_t i = 0; i < count; i++)
    to[i] = (double)from[i];
}

/* ------------------------------------------------------------------------------------------------ reading */

/* Points being read to their original type, and to doubles (NULL: not needed). */
typedef struct points_reading {
  const gv_supply *supply;
  int64_t first, count;
  char *narrow, *copy; /* the same twice; `copy` may be NULL */
  double *wide;        /* then `narrow` is NULL */
  bool look;           /* check for values that are not finite */
  int64_t stretch;
  int64_t failed; /* the first that was not read ... */
  gv_status status;
  int64_t bad; /* ... and that is not finite */
} points_reading;

static bool all_finite(const void *row, gv_dtype dtype, int64_t count) {
  int bad = 0; /* an int, as such loops are made into vectors */
  if (dtype == GV_FLOAT32) {
    for (int64_t i = 0; i < count; i++)
      bad |= !(fabsf(((const float *)row)[i]) < INFINITY);
  } else {
    for (int64_t i = 0; i < count; i++)
      bad |= !(fabs(((const double *)row)[i]) < INFINITY);
  }
  return bad == 0;
}

static gv_status read_or_copy(const gv_supply *supply, int64_t first, int64_t count, void *to) {
  if (supply->array == NULL) return supply->source.read(supply->source.user, first, count, to);
  memcpy(to, (const char *)supply->array + (size_t)first * row_bytes(supply),
         (size_t)count * row_bytes(supply));
  return GV_OK;
}

static gv_status read_stretch(gv_worker *worker, points_reading *r, int64_t first, int64_t count) {
  const gv_supply *supply = r->supply;
  int32_t dim = supply->source.dim;
  gv_dtype dtype = supply->source.dtype;
  size_t at = (size_t)(first - r->first) * row_bytes(supply);
  double *wide = NULL;
  void *own = NULL, *to = NULL;
  if (r->narrow != NULL) {
    to = r->narrow + at;
  } else {
    to = wide = r->wide + (first - r->first) * dim;
    if (dtype == GV_FLOAT32) to = own = gv_allocate(&worker->context.allocator, count, row_bytes(supply));
    if (to == NULL) return GV_ERROR_OUT_OF_MEMORY;
  }
  gv_status status = read_or_copy(supply, first, count, to);
  int64_t bad = INT64_MAX;
  if (status == GV_OK && r->look && !all_finite(to, dtype, count * dim)) {
    for (bad = 0; all_finite((char *)to + (size_t)bad * row_bytes(supply), dtype, dim);)
      bad++;
    bad += first;
  }
  if (status == GV_OK && own != NULL) gv_widen_floats(own, count * dim, wide);
  if (status == GV_OK && r->copy != NULL) memcpy(r->copy + at, to, (size_t)count * row_bytes(supply));
  gv_release(&worker->context.allocator, own);
  if (bad < INT64_MAX) {
    gv_worker_lock(worker);
    r->bad = bad < r->bad ? bad : r->bad;
    gv_worker_unlock(worker);
  }
  return status;
}

static gv_status points_read_some(gv_worker *worker, int64_t begin, int64_t end) {
  points_reading *r = worker->user;
  for (int64_t i = begin; i < end; i++) {
    int64_t first = r->first + i * r->stretch, left = r->first + r->count - first;
    gv_worker_lock(worker);
    bool needed = first < r->failed && first < r->bad;
    gv_worker_unlock(worker);
    if (!needed) continue;
    gv_status status = read_stretch(worker, r, first, left < r->stretch ? left : r->stretch);
    if (status == GV_OK) continue;
    gv_worker_lock(worker);
    if (first < r->failed) {
      r->failed = first;
      r->status = status;
    }
    gv_worker_unlock(worker);
  }
  return GV_OK;
}

/* Reads all of `r`; its failure members are set. */
static gv_status points_read_all(gv_context *context, points_reading *r) {
  int64_t rows = STRETCH_BYTES / (int64_t)row_bytes(r->supply);
  r->stretch = rows > 1 ? rows : 1;
  r->failed = r->bad = INT64_MAX;
  gv_loop loop = {.context = context,
                  .threads = context->threads,
                  .count = (r->count + r->stretch - 1) / r->stretch,
                  .grain = 1,
                  .user = r};
  (void)gv_parallel_for(&loop, points_read_some);
  if (r->bad < r->failed) return gv_fail_not_finite(context, "reference", r->bad);
  if (r->status == GV_ERROR_OUT_OF_MEMORY) return gv_fail_memory(context, "reading points");
  if (r->status == GV_OK) return GV_OK;
  return gv_fail(context, r->status, "reference points: cannot read from number %lld (from 0)",
                 (long long)r->failed);
}

/* -------------------------------------------------------------------------------------------- to the host */

static gv_status load_to_host(gv_context *context, const gv_supply *supply, gv_point_index *index) {
  bool wide = supply->source.dtype == GV_FLOAT64 || !index->backend->floats ||
              gv_reference_is_general(&index->reference);
  int64_t count = supply->source.count;
  index->device = -1;
  index->data =
      gv_allocate(&context->allocator, count * supply->source.dim, wide ? sizeof(double) : sizeof(float));
  if (index->data == NULL) return gv_fail_memory(context, "the reference points");
  points_reading r = {.supply = supply, .count = count, .look = true};
  if (wide) {
    r.wide = index->data;
  } else {
    r.narrow = index->data;
  }
  return points_read_all(context, &r);
}

/* -------------------------------------------------------------------------------------------- to a device */

/* Bytes of a supply for a device's buffers (gv_array_device). */
static gv_status points_fill(gv_context *context, void *user, size_t at, size_t bytes, void *out) {
  points_reading r = *(const points_reading *)user;
  size_t row = row_bytes(r.supply);
  r.first = (int64_t)(at / row);
  r.count = (int64_t)(bytes / row);
  r.narrow = out;
  if (r.copy != NULL) { /* read into what stays, from where it is copied on */
    r.narrow = r.copy + at;
    r.copy = out;
  }
  return points_read_all(context, &r);
}

static gv_status load_to_device(gv_context *context, const gv_supply *supply, gv_point_index *index) {
  const char *reason = "";
  const gv_array_device *cuda = gv_cuda_module_get(&reason)->arrays;
  const gv_point_source *source = &supply->source;
  size_t bytes = (size_t)source->count * row_bytes(supply);
  void *queue = NULL;
  int64_t bad = INT64_MAX;
  index->device = -1;
  if (index->automatic) {
    index->kept = gv_allocate(&context->allocator, 1, bytes);
    if (index->kept == NULL) return gv_fail_memory(context, "the reference points");
  }
  GV_TRY(cuda->open(context, -1, &queue, &index->device));
  gv_status status = cuda->allocate(context, queue, bytes, &index->data);
  if (status == GV_OK && supply->array != NULL) {
    if (index->kept != NULL) gv_copy(index->kept, supply->array, bytes, context->threads);
    status = cuda->upload(context, queue, index->data, supply->array, bytes);
  } else if (status == GV_OK) {
    points_reading r = {.supply = supply, .copy = index->kept};
    status = cuda->stream(context, queue, index->data, bytes, row_bytes(supply), points_fill, &r);
  }
  if (status == GV_OK)
    status = cuda->widen(context, queue, index->data, source->dtype, source->count, source->dim, NULL, &bad);
  if (status == GV_OK && bad < INT64_MAX) status = gv_fail_not_finite(context, "reference", bad);
  cuda->end(context, queue);
  return status;
}

/* For an array on a device: copied there, and widened if the backend does not support floats. */
static gv_status load_on_device(gv_context *context, const gv_supply *supply, gv_point_index *index) {
  const gv_points points =
      gv_points_rows(supply->array, supply->source.count, supply->source.dim, supply->source.dtype);
  bool narrow = points.dtype == GV_FLOAT32 && index->backend->floats;
  int64_t values = points.count * points.dim, bad = -1;
  gv_arrays arrays;
  double *room = NULL;
  gv_status status = gv_arrays_begin(context, supply->memory, supply->stream, &supply->array, 1, &arrays);
  if (status == GV_OK) {
    index->device = arrays.device;
    status = gv_arrays_allocate(context, &arrays, narrow ? (values + 1) / 2 : values, "the reference points",
                                &room);
    index->data = room;
  }
  if (status == GV_OK && narrow)
    status = arrays.cuda->upload(context, arrays.queue, room, points.data, (size_t)values * sizeof(float));
  if (status == GV_OK)
    status = gv_arrays_widen(context, &arrays, &points, 0, points.count, narrow ? NULL : room, &bad);
  if (status == GV_OK && bad >= 0) status = gv_fail_not_finite(context, "reference", bad);
  gv_arrays_end(context, &arrays);
  return status;
}

gv_status gv_points_take(gv_context *context, const gv_supply *supply, gv_point_index *index) {
  const gv_backend *backend = index->backend;
  gv_status status = supply->memory == GV_MEMORY_CUDA ? load_on_device(context, supply, index)
                     : backend->device && backend->floats && !backend->several
                         ? load_to_device(context, supply, index)
                         : load_to_host(context, supply, index);
  bool narrow =
      supply->source.dtype == GV_FLOAT32 && backend->floats && !gv_reference_is_general(&index->reference);
  index->reference.data = narrow ? NULL : index->data;
  index->reference.floats = narrow ? index->data : NULL;
  return status;
}

void gv_points_drop(gv_point_index *index) {
  const gv_allocator *allocator = &index->reference.allocator;
  gv_arrays_release(allocator, index->device, index->data);
  gv_release(allocator, index->kept);
  index->data = index->kept = NULL;
  index->device = -1;
}

/* ----------------------------------------------------------------------------------------- an index's own */

gv_points gv_points_of(const gv_point_index *index, int64_t first, int64_t count) {
  const gv_reference *reference = &index->reference;
  gv_points points =
      gv_points_rows(index->data, count, reference->dim, reference->floats != NULL ? GV_FLOAT32 : GV_FLOAT64);
  points.data = (const char *)points.data + (size_t)(first * reference->dim) * size_of(points.dtype);
  return points;
}

gv_status gv_points_fetch(gv_context *context, const gv_point_index *index, int64_t first, int64_t count,
                          double *out) {
  gv_points points = gv_points_of(index, first, count);
  int64_t values = count * points.dim;
  gv_arrays arrays;
  double *wide = NULL;
  if (index->kept != NULL)
    points.data = (const char *)index->kept + ((const char *)points.data - (char *)index->data);
  if (index->device < 0 || index->kept != NULL) {
    if (points.dtype == GV_FLOAT32) gv_widen_floats(points.data, values, out);
    if (points.dtype == GV_FLOAT64) memcpy(out, points.data, (size_t)values * sizeof *out);
    return GV_OK;
  }
  int64_t bad = -1;
  gv_status status = gv_arrays_open(context, index->device, &arrays);
  if (status == GV_OK) status = gv_arrays_scratch(context, &arrays, 0, values, "the points", &wide);
  if (status == GV_OK) status = gv_arrays_widen(context, &arrays, &points, 0, count, wide, &bad);
  if (status == GV_OK)
    status = arrays.cuda->download(context, arrays.queue, out, wide, (size_t)values * sizeof *out);
  gv_arrays_end(context, &arrays);
  return status;
}

gv_status gv_points_for_cpu(gv_context *context, const gv_point_index *index, const gv_backend *backend,
                            gv_reference *out, double **wide) {
  const gv_reference *reference = &index->reference;
  const void *copy = index->kept != NULL ? index->kept : index->data;
  int64_t values = reference->count * reference->dim;
  bool on_host = index->device < 0 || index->kept != NULL;
  *out = *reference;
  *wide = NULL;
  if (on_host && reference->floats == NULL) {
    out->data = copy;
  } else if (on_host && backend->floats) {
    out->floats = copy;
  } else {
    *wide = gv_allocate(&context->allocator, values, sizeof **wide);
    if (*wide == NULL) return gv_fail_memory(context, "the reference points");
    GV_TRY(gv_points_fetch(context, index, 0, reference->count, *wide));
    out->data = *wide;
    out->floats = NULL;
  }
  return GV_OK;
}
