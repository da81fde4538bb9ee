/*
 * cuda-multigpu: the kernels of cuda-tensor or cuda-register on all GPUs, one host thread each. Every device
 * holds all points. Many queries are dealt out; with few queries each device searches a part of the points,
 * and the lists are merged here. Works with one device, and with fewer queries or points than devices.
 */
#include "search/cuda/brute.cuh"

#include <pthread.h>

#include "search/half_filter.h"
#include "search/nearest_list.h"

enum { DEVICES_MAX = 64, QUERIES_A_DEVICE = 256 };

typedef struct several {
  int count;
  gv_brute *part[DEVICES_MAX];
} several;

/* One device's thread. */
typedef struct worker {
  pthread_t thread;
  bool started;
  gv_context context;
  const gv_reference *reference;
  gv_status status;
  int device;
  gv_brute **build; /* receives the built reference points, or NULL */
  const gv_brute *brute;
  gv_query query;
  int64_t first, end; /* points */
  gv_progress *progress;
  int64_t *indices;
  double *canonical;
} worker;

static void *multigpu_work(void *opaque) {
  worker *w = (worker *)opaque;
  if (w->build != NULL) {
    bool products = gv_half_filter_pays(w->reference->metric, w->reference->dim);
    w->status = gv_brute_create(&w->context, w->reference, products ? &gv_tensor_method : &gv_register_method,
                                w->device, w->build);
  } else {
    w->status = gv_brute_run(&w->context, w->reference, w->brute, &w->query, w->first, w->end, w->progress,
                             w->indices, w->canonical);
  }
  return NULL;
}

/* Runs all workers, the last one on this thread; also the workers for which no thread could be created. */
static gv_status multigpu_run(gv_context *context, worker *workers, int count) {
  for (int i = 0; i < count; i++) {
    gv_context_for_worker(context, &workers[i].context);
    workers[i].started =
        i + 1 < count && pthread_create(&workers[i].thread, NULL, multigpu_work, &workers[i]) == 0;
    if (!workers[i].started) (void)multigpu_work(&workers[i]);
  }
  gv_status status = GV_OK;
  for (int i = 0; i < count; i++) {
    if (workers[i].started) (void)pthread_join(workers[i].thread, NULL);
    if (status == GV_OK && workers[i].status != GV_OK) {
      status = gv_fail(context, workers[i].status, "%s", workers[i].context.message);
    }
  }
  return status;
}

static void multigpu_destroy(const gv_reference *reference, void *state) {
  several *s = (several *)state;
  if (s == NULL) return;
  for (int i = 0; i < s->count; i++)
    gv_brute_destroy(reference, s->part[i]);
  gv_release(&reference->allocator, s);
}

static gv_status multigpu_build(gv_context *context, const gv_reference *reference, void **state) {
  int devices[DEVICES_MAX], count = 1;
  gv_status status = GV_OK;
  devices[0] = context->device;
  if (context->device < 0) {
    GV_TRY(gv_cuda_usable_devices(context, devices, DEVICES_MAX, &count));
  }
  several *s = (several *)gv_allocate_zeroed(&reference->allocator, 1, sizeof *s);
  worker *workers = (worker *)gv_allocate_zeroed(&reference->allocator, count, sizeof *workers);
  if (s == NULL || workers == NULL) {
    status = gv_fail_memory(context, "the index");
  } else {
    s->count = count;
    for (int i = 0; i < count; i++) {
      workers[i].reference = reference;
      workers[i].device = devices[i];
      workers[i].build = &s->part[i];
    }
    status = multigpu_run(context, workers, count);
  }
  gv_release(&reference->allocator, workers);
  if (status != GV_OK) {
    multigpu_destroy(reference, s);
    return status;
  }
  *state = s;
  return GV_OK;
}

static void multigpu_merge(const gv_query *query, const worker *workers, int count, int64_t *indices,
                           double *canonical) {
  int64_t k = query->k;
  for (int64_t i = 0; i < query->count; i++) {
    gv_nearest_list list;
    gv_list_start(&list, canonical + i * k, indices + i * k, query->k, query->max_canonical);
    for (int w = 0; w < count; w++) {
      for (int64_t j = i * k; j < i * k + k && workers[w].indices[j] >= 0; j++)
        gv_list_offer(&list, workers[w].canonical[j], workers[w].indices[j]);
    }
    gv_list_finish(&list);
  }
}

/*
 * A part of the queries, against all points. Out of line, and the query is put together before it is stored:
 * GCC 12 -O3 splits the loop over workers that had this in it, and stores the whole query's count over the
 * part's.
 */
static __attribute__((noinline)) void give_queries(worker *w, const gv_query *query, int64_t first,
                                                   int64_t end, int64_t *indices, double *canonical) {
  gv_query part = *query;
  if (query->floats != NULL) part.floats = query->floats + first * w->reference->dim;
  if (query->data != NULL) part.data = query->data + first * w->reference->dim;
  part.count = end - first;
  part.self_offset = query->self_offset >= 0 ? query->self_offset + first : -1;
  w->query = part;
  w->first = 0;
  w->end = w->reference->count;
  w->indices = indices + first * query->k;
  w->canonical = canonical + first * query->k;
}

/* All queries, against a part of the points. */
static __attribute__((noinline)) void give_points(worker *w, const gv_query *query, int64_t first,
                                                  int64_t end, int64_t *indices, double *canonical) {
  w->query = *query;
  w->first = first;
  w->end = end < w->reference->count ? end : w->reference->count;
  w->indices = indices;
  w->canonical = canonical;
}

static gv_status multigpu_search(gv_context *context, const gv_reference *reference, const void *state,
                                 const gv_query *query, int64_t *indices, double *canonical) {
  const several *s = (const several *)state;
  const gv_allocator *allocator = &context->allocator;
  int64_t k = query->k, places = query->count * k;
  bool by_query = query->count >= (int64_t)s->count * QUERIES_A_DEVICE;
  int64_t units = by_query ? query->count : gv_ceil_div(reference->count, GV_SCAN_PAD);
  int64_t share = gv_ceil_div(units, s->count);
  int count = (int)gv_ceil_div(units, share);
  bool merged = !by_query && count > 1;
  int64_t *part_indices = NULL;
  double *part_canonical = NULL;
  gv_status status = GV_OK;
  worker *workers = (worker *)gv_allocate_zeroed(allocator, count, sizeof *workers);
  if (merged) {
    part_indices = (int64_t *)gv_allocate(allocator, count * places, sizeof *part_indices);
    part_canonical = (double *)gv_allocate(allocator, count * places, sizeof *part_canonical);
  }
  gv_progress progress;
  gv_progress_init(&progress, context, by_query ? query->count : query->count * count);
  if (workers == NULL || (merged && (part_indices == NULL || part_canonical == NULL))) {
    status = gv_fail_memory(context, "the search");
  } else {
    for (int i = 0; i < count; i++) {
      int64_t first = i * share, end = first + share < units ? first + share : units;
      workers[i].reference = reference;
      workers[i].brute = s->part[i];
      workers[i].progress = &progress;
      if (by_query) {
        give_queries(&workers[i], query, first, end, indices, canonical);
      } else {
        give_points(&workers[i], query, first * GV_SCAN_PAD, end * GV_SCAN_PAD,
                    merged ? part_indices + i * places : indices,
                    merged ? part_canonical + i * places : canonical);
      }
    }
    status = multigpu_run(context, workers, count);
    if (status == GV_OK && merged) multigpu_merge(query, workers, count, indices, canonical);
  }
  gv_release(allocator, workers);
  gv_release(allocator, part_indices);
  gv_release(allocator, part_canonical);
  return status;
}

const gv_search_engine gv_search_cuda_multigpu = {gv_cuda_probe_device, multigpu_build, multigpu_search,
                                                  multigpu_destroy};
