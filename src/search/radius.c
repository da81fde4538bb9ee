/*
 * Searches by radius: every point within a distance of each query.
 *
 * A query is one call of its backend, which lists the points within the radius, in any order; lists are
 * sorted by (exact distance, number), so the result does not depend on the engine. A count is the same call
 * without a list. Trees on GPUs search all queries at once, in up to four dimensions (device_radius.h). For
 * other backends of GPUs the points are copied to the host and searched by a backend for CPUs.
 */
#include "search/radius.h"

#include "core/parallel.h"
#include "search/arrays.h"
#include "search/box_tree.h"
#include "search/cuda_module.h"
#include "search/device_radius.h"
#include "search/periods.h"
#include "search/points.h"
#include "search/power_range.h"
#include "search/search_checks.h"

enum {
  ROOM = 256,             /* entries a list begins with */
  CHUNK_VALUES = 1 << 24, /* doubles of scratch memory for a chunk of queries */
  QUERIES_AT_ONCE = 64,   /* that a thread processes */
  TREE_POINTS = 200,      /* that a tree visits for a query, approximately */
  ORDERED_DIM_MAX = 12,   /* queries of more dimensions gain nothing from Morton order */
  ORDERED_QUERIES_MIN = 128,
  SLAB_QUERIES = 1 << 22 /* queries ordered at once */
};

/* -------------------------------------------------------------------------------------------------- lists */

bool gv_found_list_init(gv_found_list *list, const gv_allocator *allocator, bool counted) {
  *list = (gv_found_list){.allocator = allocator};
  if (counted) return true;
  list->entry = gv_allocate(allocator, 2 * ROOM, sizeof *list->entry);
  list->room = ROOM;
  return list->entry != NULL;
}

void gv_found_list_clear(gv_found_list *list) {
  gv_release(list->allocator, list->entry);
  *list = (gv_found_list){.allocator = list->allocator};
}

bool gv_found_list_grow(gv_found_list *list) {
  int64_t room = list->room <= INT64_MAX / 4 ? 2 * list->room : list->room;
  gv_sort_code *larger = list->failed ? NULL : gv_allocate(list->allocator, 2 * room, sizeof *larger);
  list->failed = larger == NULL;
  if (list->failed) return false;
  memcpy(larger, list->entry, (size_t)list->count * sizeof *larger);
  gv_release(list->allocator, list->entry);
  list->entry = larger;
  list->room = room;
  return true;
}

void gv_found_list_swap(gv_found_list *list) {
  for (int64_t i = 0; i < list->count; i++)
    list->entry[i] = (gv_sort_code){(uint64_t)list->entry[i].index, (int64_t)list->entry[i].code};
}

gv_status gv_found_list_put(gv_context *context, gv_found_list *list, bool by_number, int64_t query,
                            int64_t first, int64_t room, int64_t *indices, double *canonical) {
  if (list->count != room)
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "query %lld (from 0): %lld neighbors, but its offsets have room for %lld; count them first",
        (long long)query, (long long)list->count, (long long)room);
  if (by_number) gv_found_list_swap(list);
  gv_codes_sort_list(list->entry, list->entry + list->room, list->count);
  if (by_number) gv_found_list_swap(list);
  for (int64_t i = 0; indices != NULL && i < list->count; i++)
    indices[first + i] = list->entry[i].index;
  for (int64_t i = 0; canonical != NULL && i < list->count; i++)
    canonical[first + i] = gv_canonical_of_code(list->entry[i].code);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ engines */

void gv_radius_compare_all(const gv_reference *reference, const void *state, const double *query,
                           double limit, int64_t self, gv_found_list *list) {
  (void)state;
  for (int64_t j = 0; j < reference->count; j++) {
    if (j == self) continue;
    double value = gv_reference_distance(reference, query, j);
    if (value <= limit) gv_found_list_add(list, value, j);
  }
}

/* The engine that searches: an index's own, or one for CPUs instead of a GPU's. */
typedef struct radius_engine {
  const gv_search_engine *engine;
  gv_within_fn *within;
  gv_reference reference;
  const void *state;
  void *built;    /* the state, if it is to be destroyed */
  double *copied; /* the points, or NULL where they are the index's */
} radius_engine;

static void radius_engine_end(const gv_context *context, radius_engine *a) {
  if (a->built != NULL) a->engine->destroy(&a->reference, a->built);
  gv_release(&context->allocator, a->copied);
}

static gv_status radius_engine_begin(gv_context *context, const gv_point_index *index, int64_t queries,
                                     radius_engine *a) {
  *a = (radius_engine){.engine = index->engine,
                       .within = index->backend->within,
                       .reference = index->reference,
                       .state = index->state};
  if (a->within != NULL) return GV_OK;
  const gv_backend *backend = gv_backend_choose_cpu(&index->reference, 1, queries);
  gv_context quiet;
  a->engine = backend->search;
  a->within = backend->within;
  GV_TRY(gv_points_for_cpu(context, index, backend, &a->reference, &a->copied));
  gv_context_without_progress(context, &quiet);
  gv_status status = a->engine->build(&quiet, &a->reference, &a->built);
  a->state = a->built;
  return gv_take_error(context, status, &quiet);
}

/* --------------------------------------------------------------------------------------- canonical values */

typedef struct radius_search {
  const radius_engine *by;
  const gv_radius_query *query;
  int64_t *offsets, *indices;
  double *canonical;
  gv_sort_code *order; /* of the queries from `first` on; NULL: their own */
  int64_t first;
  gv_morton morton;
  double low[ORDERED_DIM_MAX], high[ORDERED_DIM_MAX];
  gv_progress progress;
} radius_search;

static gv_status search_query(gv_context *context, const radius_search *s, int64_t i, gv_found_list *list) {
  const gv_radius_query *query = s->query;
  const radius_engine *by = s->by;
  int64_t self = query->self_offset >= 0 ? query->self_offset + i : -1;
  list->count = 0;
  by->within(&by->reference, by->state, query->data + i * by->reference.dim,
             query->limits != NULL ? query->limits[i] : query->limit, self, list);
  if (list->failed) return gv_fail_memory(context, "the neighbors of a query");
  bool counted = s->indices == NULL && s->canonical == NULL;
  if (query->refine != NULL) query->refine(query->user, i, counted, list);
  if (counted) {
    s->offsets[i + 1] = list->count;
    return GV_OK;
  }
  return gv_found_list_put(context, list, query->by_number, query->first + i, s->offsets[i],
                           s->offsets[i + 1] - s->offsets[i], s->indices, s->canonical);
}

static gv_status radius_search_some(gv_worker *worker, int64_t first, int64_t end) {
  radius_search *s = worker->user;
  gv_found_list list;
  gv_status status = GV_OK;
  bool counted = s->indices == NULL && s->canonical == NULL && s->query->refine == NULL;
  if (!gv_found_list_init(&list, &worker->context.allocator, counted))
    return gv_fail_memory(&worker->context, "the neighbors of a query");
  for (int64_t i = first; i < end && status == GV_OK; i++)
    status = search_query(&worker->context, s, s->order != NULL ? s->order[i].index : s->first + i, &list);
  gv_found_list_clear(&list);
  if (status == GV_OK) gv_progress_add(&s->progress, end - first);
  return status;
}

static gv_status code_some(gv_worker *worker, int64_t first, int64_t end) {
  radius_search *s = worker->user;
  for (int64_t i = first; i < end; i++) {
    int64_t number = s->first + i;
    s->order[i] = (gv_sort_code){gv_morton_code(&s->morton, s->query->data + number * s->morton.dim), number};
  }
  return GV_OK;
}

/* Queries from s->first on in Morton order: nodes near one query are in the cache for the next. */
static gv_status radius_order_queries(gv_context *context, radius_search *s, int64_t count,
                                      gv_sort_code *scratch, int threads) {
  int32_t dim = s->by->reference.dim;
  for (int32_t d = 0; d < dim; d++) {
    const double *column = s->query->data + s->first * dim + d;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
      low = column[i * dim] < low ? column[i * dim] : low;
      high = column[i * dim] > high ? column[i * dim] : high;
    }
    s->low[d] = low;
    s->high[d] = high;
  }
  int bits = 33 / dim < 22 ? 33 / dim : 22;
  s->morton = (gv_morton){dim, bits, s->low, s->high};
  gv_loop loop = {.threads = threads, .count = count, .user = s};
  gv_parallel_for(&loop, code_some);
  return gv_codes_sort(context, s->order, scratch, count, bits * dim, threads);
}

static gv_status radius_search_queries(gv_context *context, radius_search *s, int threads) {
  int64_t total = s->query->count, slab = total < SLAB_QUERIES ? total : SLAB_QUERIES;
  bool ordered =
      s->by->state != NULL && s->by->reference.dim <= ORDERED_DIM_MAX && total >= ORDERED_QUERIES_MIN;
  gv_status status = GV_OK;
  if (ordered) s->order = gv_allocate(&context->allocator, 2 * slab, sizeof *s->order);
  if (ordered && s->order == NULL) return gv_fail_memory(context, "ordering the queries");
  for (s->first = 0; s->first < total && status == GV_OK; s->first += slab) {
    int64_t count = total - s->first < slab ? total - s->first : slab;
    if (ordered) status = radius_order_queries(context, s, count, s->order + slab, threads);
    gv_loop loop = {context, threads, count, QUERIES_AT_ONCE, &s->progress, s};
    if (status == GV_OK) status = gv_parallel_for(&loop, radius_search_some);
  }
  gv_release(&context->allocator, s->order);
  return status;
}

/* On the index's device, if its backend can: else, and if the device fails and CPUs may replace it,
 * UNSUPPORTED. */
static gv_status radius_search_on_device(gv_context *context, const gv_point_index *index,
                                         const gv_radius_query *query, bool pairs, int64_t *offsets,
                                         int64_t *indices, double *canonical) {
  const char *reason;
  if (!index->backend->device_radius || index->reference.dim > GV_DEVICE_RADIUS_MAX_DIM ||
      query->count == 0 || (query->refine != NULL && !query->later))
    return GV_ERROR_UNSUPPORTED;
  const gv_device_radius request = {.data = query->own ? NULL : query->data,
                                    .count = query->count,
                                    .limit = query->limit,
                                    .limits = query->limits,
                                    .self_offset = query->self_offset,
                                    .later = query->later ? query->first : -1,
                                    .by_number = query->by_number,
                                    .first = query->first,
                                    .pairs = pairs,
                                    .reported = query->reported != NULL};
  gv_status status = gv_cuda_module_get(&reason)->tree_radius(context, &index->reference, index->state,
                                                              &request, offsets, indices, canonical);
  if (query->reported != NULL) *query->reported = status == GV_OK;
  return index->automatic && gv_backend_failed(index->backend, status) ? GV_ERROR_UNSUPPORTED : status;
}

gv_status gv_radius_search_canonical(gv_context *context, const gv_point_index *index,
                                     const gv_radius_query *query, int64_t *offsets, int64_t *indices,
                                     double *canonical) {
  radius_engine by;
  gv_status status = radius_search_on_device(context, index, query, false, offsets, indices, canonical);
  if (status != GV_ERROR_UNSUPPORTED) return status;
  status = radius_engine_begin(context, index, query->count, &by);
  if (status == GV_OK) {
    radius_search s = {
        .by = &by, .query = query, .offsets = offsets, .indices = indices, .canonical = canonical};
    double points = by.state != NULL ? TREE_POINTS : (double)index->reference.count;
    double steps = (double)query->count * (double)index->reference.dim * points;
    int threads = index->backend->exhaustive ? 1 : gv_threads_for(context, steps);
    gv_progress_init(&s.progress, context, query->count);
    status = radius_search_queries(context, &s, threads);
  }
  radius_engine_end(context, &by);
  return status;
}

/* -------------------------------------------------------------------------------------- indexes of points */

/* Queries of a search, chunk by chunk. */
typedef struct chunks {
  const gv_point_index *index;
  const gv_points *queries;
  const gv_radius_options *options;
  bool own, widen, later; /* later: only neighbors with a higher number than the query */
  double *wide, *limits;
} chunks;

static void keep_later(const void *user, int64_t query, bool counted, gv_found_list *list) {
  int64_t number = *(const int64_t *)user + query, kept = 0;
  (void)counted;
  for (int64_t i = 0; i < list->count; i++)
    if (list->entry[i].index > number) list->entry[kept++] = list->entry[i];
  list->count = kept;
}

static gv_status chunk_search(gv_context *context, const chunks *c, int64_t first, int64_t count,
                              int64_t *offsets, int64_t *indices, double *distances) {
  const gv_arrays host = {.device = -1};
  const gv_points *queries = c->queries;
  const gv_radius_options *o = c->options;
  const gv_reference *reference = &c->index->reference;
  bool reported = false;
  gv_radius_query query = {.count = count,
                           .own = c->own,
                           .reported = &reported,
                           .limits = c->limits,
                           .self_offset = o->exclude_self ? first : -1,
                           .by_number = o->by_number != 0,
                           .first = first};
  if (c->later) {
    query.refine = keep_later;
    query.later = true;
    query.user = &query.first;
  }
  GV_TRY(gv_power_limit(context, reference, o->radii != NULL ? 0.0 : o->radius, &query.limit));
  query.data = c->widen ? c->wide : (const double *)queries->data + first * queries->dim;
  for (int64_t i = 0; c->limits != NULL && i < count; i++)
    GV_TRY(gv_power_limit(context, reference, o->radii[first + i], &c->limits[i]));
  int64_t bad = -1;
  if (!c->own || c->widen) GV_TRY(gv_arrays_widen(context, &host, queries, first, count, c->wide, &bad));
  if (bad >= 0) return gv_fail_not_finite(context, "query", bad);
  if (reference->periods != NULL) gv_periods_wrap(reference, count, c->wide);
  gv_part_progress part;
  gv_context inner = gv_context_for_part(context, first, count, queries->count, &part);
  gv_status status =
      gv_radius_search_canonical(&inner, c->index, &query, offsets + first, indices, distances);
  status = gv_take_error(context, status, &inner);
  if (status != GV_OK || distances == NULL || reported) return status;
  int64_t from = offsets[first];
  if (indices != NULL)
    GV_TRY(gv_power_check(context, reference, query.data, first, count, offsets + first, 0, 0, indices + from,
                          distances + from));
  return gv_arrays_to_distances(context, &host, reference, distances + from, offsets[first + count] - from);
}

/* Queries that are the index's own points, in any memory. */
static gv_status fetch_own(gv_context *context, const gv_point_index *index, double **points,
                           gv_points *out) {
  const gv_reference *reference = &index->reference;
  *out = gv_points_of(index, 0, reference->count);
  if (index->device < 0) return GV_OK;
  *points = gv_allocate(&context->allocator, reference->count * reference->dim, sizeof **points);
  if (*points == NULL) return gv_fail_memory(context, "the queries");
  *out = gv_points_rows(*points, reference->count, reference->dim, GV_FLOAT64);
  return gv_points_fetch(context, index, 0, reference->count, *points);
}

static gv_status search_chunks(gv_context *context, const gv_index *base, const gv_points *queries,
                               const gv_radius_options *o, bool later, int64_t *offsets, int64_t *indices,
                               double *distances) {
  const gv_point_index *index = (const gv_point_index *)base;
  const gv_allocator *allocator = &context->allocator;
  double *fetched = NULL;
  gv_points own;
  chunks c = {.index = index, .queries = queries, .options = o, .own = queries == NULL, .later = later};
  gv_status status = GV_OK;
  if (index->reference.metric == GV_INNER_PRODUCT)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "searches by radius are not supported with metric inner-product");
  if (queries == NULL) {
    status = fetch_own(context, index, &fetched, &own);
    c.queries = queries = &own;
  } else {
    status = gv_check_points(context, queries, "query");
    if (status == GV_OK && queries->dim != index->reference.dim)
      status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                       "queries: %d dimensions, but the reference points have %d", (int)queries->dim,
                       (int)index->reference.dim);
  }
  if (status != GV_OK) goto done;
  c.widen = queries->x != NULL || queries->dtype == GV_FLOAT32 || index->reference.periods != NULL;
  int64_t chunk = c.widen || o->radii != NULL ? CHUNK_VALUES / (queries->dim + 1) : queries->count;
  if (chunk > queries->count) chunk = queries->count;
  if (c.widen) c.wide = gv_allocate(allocator, chunk * queries->dim, sizeof *c.wide);
  if (o->radii != NULL) c.limits = gv_allocate(allocator, chunk, sizeof *c.limits);
  if ((c.widen && c.wide == NULL) || (o->radii != NULL && c.limits == NULL)) {
    status = gv_fail_memory(context, "the queries");
    goto done;
  }
  for (int64_t first = 0; first < queries->count && status == GV_OK; first += chunk) {
    int64_t count = queries->count - first < chunk ? queries->count - first : chunk;
    status = chunk_search(context, &c, first, count, offsets, indices, distances);
  }

done:
  gv_release(allocator, c.wide);
  gv_release(allocator, c.limits);
  gv_release(allocator, fetched);
  return status;
}

gv_status gv_radius_search_points(gv_context *context, const gv_index *index, const gv_points *queries,
                                  const gv_radius_options *o, int64_t *offsets, int64_t *indices,
                                  double *distances) {
  return search_chunks(context, index, queries, o, false, offsets, indices, distances);
}

/* -------------------------------------------------------------------------------------------------- pairs */

gv_status gv_radius_search_pairs(gv_context *context, const gv_index *base, const gv_radius_options *o,
                                 int64_t *offsets, int64_t *pairs) {
  const gv_point_index *index = (const gv_point_index *)base;
  const gv_reference *reference = &index->reference;
  double limit;
  GV_TRY(gv_power_limit(context, reference, o->radius, &limit));
  if (index->backend->pairs != NULL && index->state != NULL && reference->dim <= GV_PAIR_DIM_MAX)
    return index->backend->pairs(context, reference, index->state, limit, offsets, pairs);
  const gv_radius_query query = {
      .count = base->count, .limit = limit, .self_offset = -1, .by_number = true, .own = true, .later = true};
  gv_status status = radius_search_on_device(context, index, &query, true, offsets, pairs, NULL);
  if (status != GV_ERROR_UNSUPPORTED) return status;
  int64_t count = base->count, *second = pairs == NULL ? NULL : pairs + offsets[count];
  gv_radius_options by_number = *o;
  by_number.by_number = 1;
  by_number.exclude_self = 0;
  GV_TRY(search_chunks(context, base, NULL, &by_number, true, offsets, second, NULL));
  for (int64_t i = 0, at = 0; i < count && pairs != NULL; i++) {
    for (; at < offsets[i + 1]; at++) {
      int64_t other = second[at];
      pairs[2 * at] = i;
      pairs[2 * at + 1] = other;
    }
  }
  return GV_OK;
}
