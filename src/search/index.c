/*
 * Public functions of the search: checks, widening of queries to double, and conversion between reported
 * distances and the exact distances that backends compare. Queries go to the backend in bounded chunks, so
 * that float32 queries and a missing distance array cost memory independent of the number of queries. Loading
 * points into an index: points.h.
 */
#include "core/array_options.h"
#include "core/given.h"
#include "search/arrays.h"
#include "search/backend.h"
#include "search/pair.h"
#include "search/periods.h"
#include "search/points.h"
#include "search/power_range.h"
#include "search/radius.h"
#include "search/search_checks.h"
#include "search/together.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
  CHUNK_VALUES = 1 << 24 /* doubles of scratch memory for queries or for distances of a chunk */
};

static const gv_index_type point_index;

static bool supports_device_arrays(const gv_backend *backend) {
  return backend->device && !backend->several;
}

static gv_status fail_device_arrays(gv_context *context, const gv_backend *backend) {
  return gv_fail(context, GV_ERROR_UNSUPPORTED,
                 "backend: device memory is unsupported (%s); use host memory or another backend",
                 backend->name);
}

static gv_status find_backend(gv_context *context, const gv_reference *reference,
                              const gv_index_options *options, const gv_backend **out) {
  bool on_device = gv_on_device(options->array_options);
  bool products = gv_metric_of_products(reference->metric);
  if (reference->periods != NULL && (on_device || products))
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "periodic boxes are not supported for %s",
                   products ? "products of vectors" : "arrays on a device");
  if (on_device && reference->metric == GV_MINKOWSKI)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "metric %s is not supported for arrays on a device",
                   gv_metric_name(reference->metric));
  if (gv_backend_is_automatic(options->backend) && gv_reference_is_general(reference)) {
    *out = gv_backend_choose_cpu(reference, options->expected_k > 0 ? options->expected_k : 1,
                                 options->expected_queries);
    return GV_OK;
  }
  if (gv_backend_is_automatic(options->backend) && on_device) {
    return gv_backend_choose_device(context, reference, options->expected_k > 0 ? options->expected_k : 1,
                                    options->expected_queries, out);
  }
  if (gv_backend_is_automatic(options->backend)) {
    *out = gv_backend_choose(context, reference, options->expected_k > 0 ? options->expected_k : 1,
                             options->expected_queries);
    return GV_OK;
  }
  const gv_backend *backend = gv_backend_find(options->backend);
  if (backend == NULL || !backend->searches_points) {
    return gv_fail(context, GV_ERROR_UNKNOWN_BACKEND,
                   "backend: unknown name (%s); gpuvoronoi backends lists the names", options->backend);
  }
  if (on_device && !supports_device_arrays(backend)) return fail_device_arrays(context, backend);
  if (backend->device && reference->periods != NULL)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend '%s' does not support periodic boxes; use auto or a CPU backend", backend->name);
  const char *reason = "";
  gv_status status = gv_backend_probe(backend, &reason);
  if (status != GV_OK) {
    return gv_fail(context, status, "backend: unavailable (%s): %s", backend->name, reason);
  }
  const char *refused = gv_backend_refuses(backend, reference->metric);
  if (refused != NULL) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "backend: %s does not support metric %s: %s", backend->name,
                   gv_metric_name(reference->metric), refused);
  }
  if (reference->dim > backend->max_dim) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "backend: %s supports at most %d dimensions (%d)",
                   backend->name, (int)backend->max_dim, (int)reference->dim);
  }
  *out = backend;
  return GV_OK;
}

/* On the device that the points are on, unless the context has another one. */
static gv_status build_engine(gv_context *context, gv_point_index *index) {
  gv_context inner = *context;
  if (inner.device < 0) inner.device = index->device;
  gv_status status = index->engine->build(&inner, &index->reference, &index->state);
  status = gv_take_error(context, status, &inner);
  return status;
}

/* Loads the points, and has the backend prepare them. */
static gv_status build_by(gv_context *context, const gv_supply *supply, const gv_backend *backend,
                          gv_point_index *index) {
  index->backend = backend;
  index->engine = gv_backend_search_engine(backend);
  GV_TRY(gv_points_take(context, supply, index));
  GV_TRY(gv_periods_check(context, &index->reference));
  return build_engine(context, index);
}

/* For points that were checked except for their values. */
static gv_status build_index(gv_context *context, const gv_supply *supply, const gv_index_options *o,
                             gv_point_index **out) {
  const gv_point_source *source = &supply->source;
  if (source->count < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "reference points: missing");
  if (o->metric == GV_MINKOWSKI && !(o->power >= 1.0 && o->power <= GV_MAX_POWER))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "power: out of range [1, %d] (%g)", GV_MAX_POWER,
                   o->power);
  const char *name = gv_metric_name(o->metric);
  if (name == NULL || o->metric == GV_GREAT_CIRCLE || o->metric == GV_GEODESIC) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "metric: unsupported for an index (%s)",
                   name != NULL ? name : "(unknown)");
  }
  gv_reference checked = {NULL, source->count, source->dim, o->metric, context->allocator,
                          NULL, NULL,          o->power};
  const gv_backend *backend = NULL;
  gv_point_index *index = NULL;
  double *periods = NULL;
  GV_TRY(gv_periods_copy(context, o->periods, source->dim, &periods));
  checked.periods = periods;
  gv_status status = find_backend(context, &checked, o, &backend);
  if (status == GV_OK) {
    index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
    if (index == NULL) status = gv_fail_memory(context, "the index");
  }
  if (status != GV_OK) {
    gv_release(&context->allocator, periods);
    return status;
  }
  index->reference = checked;
  index->base = (gv_index){&point_index, "", checked.count, checked.dim};
  index->automatic = gv_backend_is_automatic(o->backend) && !gv_on_device(o->array_options);
  index->periods = periods;
  status = build_by(context, supply, backend, index);
  if (index->automatic && gv_backend_failed(backend, status)) {
    gv_points_drop(index);
    backend = gv_backend_choose_cpu(&checked, o->expected_k > 0 ? o->expected_k : 1, o->expected_queries);
    status = build_by(context, supply, backend, index);
  }
  if (status != GV_OK) {
    gv_points_drop(index);
    gv_release(&context->allocator, periods);
    gv_release(&context->allocator, index);
    return status;
  }
  index->base.backend = index->backend->name;
  *out = index;
  return GV_OK;
}

gv_status gv_point_index_build(gv_context *context, const gv_points *reference, const gv_index_options *o,
                               gv_point_index **out) {
  GV_TRY(gv_check_points(context, reference, "reference"));
  GV_TRY(gv_check_array_options(context, o->array_options));
  if (reference->x != NULL && gv_on_device(o->array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "points in device memory: unsupported layout; expected the rows of one array");
  gv_supply supply = {.source = {.count = reference->count, .dim = reference->dim, .dtype = reference->dtype},
                      .array = reference->data,
                      .memory = gv_memory_of(o->array_options),
                      .stream = gv_stream_of(o->array_options)};
  double *rows = NULL;
  if (reference->x != NULL) {
    rows = gv_allocate(&context->allocator, reference->count, 2 * sizeof *rows);
    if (rows == NULL) return gv_fail_memory(context, "the reference points");
    for (int64_t i = 0; i < reference->count; i++)
      gv_pair_get(reference, i, &rows[2 * i], &rows[2 * i + 1]);
    supply.array = rows;
  }
  gv_status status = build_index(context, &supply, o, out);
  gv_release(&context->allocator, rows);
  return status;
}

gv_status gv_index_build_from(gv_context *context, const gv_point_source *source,
                              const gv_index_options *options, gv_index **out) {
  gv_index_options o;
  gv_supply supply = {.array = NULL};
  gv_point_index *index = NULL;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the output pointer is NULL");
  gv_index_options_init(&o);
  GV_COPY_GIVEN(context, gv_index_options, &o, options);
  gv_point_source_init(&supply.source);
  GV_COPY_GIVEN(context, gv_point_source, &supply.source, source);
  if (supply.source.read == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "reference points: the read function is NULL");
  const gv_points like = /* data: not NULL */
      gv_points_rows(&supply, supply.source.count, supply.source.dim, supply.source.dtype);
  GV_TRY(gv_check_points(context, &like, "reference"));
  if (gv_on_device(o.array_options))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "reference points: device memory is unsupported with a read function; use host memory");
  GV_TRY(build_index(context, &supply, &o, &index));
  *out = &index->base;
  return GV_OK;
}

void gv_point_index_destroy(gv_point_index *index) {
  if (index == NULL) return;
  gv_allocator allocator = index->reference.allocator;
  index->engine->destroy(&index->reference, index->state);
  gv_points_drop(index);
  gv_release(&allocator, index->periods);
  gv_release(&allocator, index);
}

static void point_index_destroy(gv_index *index) {
  gv_point_index_destroy((gv_point_index *)index);
}

/* Queries [first, first + count) of a search, for CPUs: as doubles in `wide` if need be, and of what lies on
 * a device the copy. */
static gv_query query_on_cpu(const gv_point_index *index, const gv_query *query, int64_t first, int64_t count,
                             double *wide) {
  const gv_reference *reference = &index->reference;
  gv_query part = *query;
  const void *data = query->floats != NULL ? (const void *)query->floats : (const void *)query->data;
  size_t value = query->floats != NULL ? sizeof(float) : sizeof(double);
  size_t at = (size_t)((uintptr_t)data - (uintptr_t)index->data);
  bool own = index->kept != NULL && at < (size_t)(reference->count * reference->dim) * value;
  data =
      (own ? (const char *)index->kept + at : (const char *)data) + (size_t)(first * reference->dim) * value;
  if (query->floats != NULL) gv_widen_floats(data, count * reference->dim, wide);
  part.data = query->floats != NULL ? wide : data;
  part.floats = NULL;
  part.count = count;
  part.self_offset = query->self_offset >= 0 ? query->self_offset + first : -1;
  return part;
}

/* A device that was chosen failed in the middle: this search is done by the CPU. */
static gv_status search_on_cpu(gv_context *context, const gv_point_index *index, const gv_query *query,
                               int64_t *indices, double *canonical) {
  const gv_backend *backend = gv_backend_choose_cpu(&index->reference, query->k, query->count);
  const gv_search_engine *engine = gv_backend_search_engine(backend);
  int64_t chunk = query->floats != NULL ? CHUNK_VALUES / index->reference.dim : query->count;
  if (chunk > query->count) chunk = query->count;
  gv_reference reference;
  double *wide = NULL, *wide_queries = NULL;
  void *state = NULL;
  bool built = false;
  gv_status status = gv_points_for_cpu(context, index, backend, &reference, &wide);
  if (status == GV_OK && query->floats != NULL) {
    wide_queries = gv_allocate(&context->allocator, chunk * reference.dim, sizeof *wide_queries);
    if (wide_queries == NULL) status = gv_fail_memory(context, "the queries");
  }
  if (status == GV_OK) {
    status = engine->build(context, &reference, &state);
    built = status == GV_OK;
  }
  for (int64_t first = 0; first < query->count && status == GV_OK; first += chunk) {
    int64_t count = query->count - first < chunk ? query->count - first : chunk;
    gv_query part = query_on_cpu(index, query, first, count, wide_queries);
    status = engine->search(context, &reference, state, &part, indices + first * query->k,
                            canonical + first * query->k);
  }
  if (built) engine->destroy(&reference, state);
  gv_release(&context->allocator, wide);
  gv_release(&context->allocator, wide_queries);
  return status;
}

gv_status gv_index_search_canonical(gv_context *context, const gv_point_index *index, const gv_query *query,
                                    int64_t *indices, double *canonical) {
  if (query->count == 0) return GV_OK;
  if (index->backend->device && query->k > GV_MAX_K)
    return search_on_cpu(context, index, query, indices, canonical);
  gv_status status =
      index->engine->search(context, &index->reference, index->state, query, indices, canonical);
  if (!index->automatic || !gv_backend_failed(index->backend, status)) return status;
  return search_on_cpu(context, index, query, indices, canonical);
}

/* Which of all queries and points those are that a search is about. */
typedef struct index_places {
  int64_t first_query, first_reference;
  bool own; /* queries are points of the index, which are already checked */
} index_places;

/* Checks k and the maximum distance, which may be negative for inner products. */
static gv_status point_index_check_options(gv_context *context, const gv_point_index *index,
                                           const gv_search_options *o, int32_t most, const char *where) {
  gv_search_options checked = *o;
  if (index->reference.metric == GV_INNER_PRODUCT) checked.max_distance = fabs(o->max_distance);
  return gv_check_search_options(context, &checked, most, where);
}

static gv_status check_search(gv_context *context, const gv_point_index *index, const gv_points *queries,
                              const gv_search_options *o, const int64_t *indices) {
  if (queries->dim != index->reference.dim) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "queries: %d dimensions, but the reference points have %d", (int)queries->dim,
                   (int)index->reference.dim);
  }
  bool cpus = !gv_on_device(o->array_options) && (index->automatic || !index->backend->device);
  GV_TRY(point_index_check_options(context, index, o, cpus ? GV_MAX_K_CPU : GV_MAX_K, ""));
  if (queries->count > INT64_MAX / (int64_t)sizeof(double) / o->k) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of results: out of range (%lld x %d)",
                   (long long)queries->count, (int)o->k);
  }
  if (queries->count > 0 && indices == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "indices: the output pointer is NULL");
  return GV_OK;
}

/* How many neighbors each query has at least. */
static int32_t search_expects(const gv_reference *reference, const gv_search_options *o) {
  int64_t others = reference->count - (o->exclude_self != 0);
  return !isinf(o->max_distance) ? 0 : others < o->k ? (int32_t)others : o->k;
}

/* Chunk by chunk: checked queries to indices and exact distances (may be NULL). */
static gv_status search_chunks(gv_context *context, const gv_point_index *index, const gv_points *queries,
                               const gv_search_options *o, const index_places *of, gv_arrays *arrays,
                               int64_t *indices, double *canonical) {
  const gv_reference *reference = &index->reference;
  bool columns = queries->x != NULL;
  bool boxed = reference->periods != NULL; /* queries are moved into the box */
  bool widen = columns || boxed ||
               (queries->dtype == GV_FLOAT32 && !(index->backend->device && index->backend->floats));
  int64_t widest = widen ? queries->dim : 1;
  if (canonical == NULL && o->k > widest) widest = o->k;
  int64_t chunk = widen || canonical == NULL ? CHUNK_VALUES / widest : queries->count;
  if (chunk > queries->count) chunk = queries->count;
  gv_status status = GV_OK;
  double *wide = NULL, *values = NULL;
  if (widen) status = gv_arrays_scratch(context, arrays, 0, chunk * queries->dim, "the queries", &wide);
  if (status == GV_OK && canonical == NULL)
    status = gv_arrays_scratch(context, arrays, 1, chunk * o->k, "the distances", &values);

  gv_query query = {.k = o->k, .self_offset = -1};
  if (status == GV_OK) status = gv_power_limit(context, reference, o->max_distance, &query.max_canonical);
  for (int64_t first = 0; first < queries->count && status == GV_OK; first += query.count) {
    query.count = queries->count - first < chunk ? queries->count - first : chunk;
    if (o->exclude_self) {
      query.self_offset =
          gv_self_offset(of->first_query + first - of->first_reference, reference->count, &query.count);
    }
    query.data = widen ? wide : NULL;
    if (!widen && queries->dtype == GV_FLOAT32)
      query.floats = (const float *)queries->data + first * queries->dim;
    if (!widen && queries->dtype == GV_FLOAT64)
      query.data = (const double *)queries->data + first * queries->dim;
    int64_t bad = -1;
    if (!of->own || widen) status = gv_arrays_widen(context, arrays, queries, first, query.count, wide, &bad);
    if (status == GV_OK && bad >= 0) status = gv_fail_not_finite(context, "query", bad);
    if (status != GV_OK) break;
    if (boxed) gv_periods_wrap(reference, query.count, wide);
    gv_part_progress part;
    gv_context inner = gv_context_for_part(context, first, query.count, queries->count, &part);
    int64_t *found = indices + first * o->k;
    double *exact = canonical != NULL ? canonical + first * o->k : values;
    status = gv_index_search_canonical(&inner, index, &query, found, exact);
    status = gv_take_error(context, status, &inner);
    if (status == GV_OK)
      status = gv_power_check(context, reference, query.data, first, query.count, NULL, o->k,
                              search_expects(reference, o), found, exact);
    if (status == GV_OK) gv_number_among_all(of->first_reference, query.count * o->k, found);
  }
  return status;
}

/* The queries are points of the index. */
static bool lacks_coordinates(const gv_points *queries) {
  return queries != NULL && queries->data == NULL && queries->x == NULL;
}

static gv_status search_part(gv_context *context, const gv_index *base, const gv_points *queries,
                             const gv_search_options *o, int64_t first_query, int64_t first_reference,
                             int64_t *indices, double *canonical) {
  const gv_point_index *index = (const gv_point_index *)base;
  const gv_reference *reference = &index->reference;
  index_places of = {first_query, first_reference, lacks_coordinates(queries)};
  gv_points own;
  GV_TRY(gv_check_part(context, first_query, first_reference, reference->count));
  if (lacks_coordinates(queries) && queries->count > 0) {
    int64_t at = first_query - first_reference;
    if (at < 0 || queries->count > reference->count - at) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "queries: %lld queries from number %lld are out of range of the index",
                     (long long)queries->count, (long long)first_query);
    }
    own = gv_points_of(index, at, queries->count);
    queries = &own;
  }
  gv_status status = gv_check_points(context, queries, "query");
  if (status == GV_OK) status = check_search(context, index, queries, o, indices);
  if (status == GV_OK && gv_on_device(o->array_options))
    status = gv_fail(context, GV_ERROR_UNSUPPORTED,
                     "parts of a search: device memory is unsupported; use host memory");
  if (status != GV_OK) return status;
  gv_arrays arrays;
  status = gv_arrays_begin(context, GV_MEMORY_HOST, NULL, NULL, 0, &arrays);
  if (status == GV_OK) status = search_chunks(context, index, queries, o, &of, &arrays, indices, canonical);
  gv_arrays_end(context, &arrays);
  return status;
}

static gv_status to_distances(gv_context *context, const gv_index *base, int64_t count, double *values) {
  const gv_arrays host = {.device = -1};
  return gv_arrays_to_distances(context, &host, &((const gv_point_index *)base)->reference, values, count);
}

static gv_status point_index_search(gv_context *context, const gv_index *base, const gv_points *queries,
                                    const gv_search_options *o, int64_t *indices, double *distances) {
  const gv_point_index *index = (const gv_point_index *)base;
  const gv_reference *reference = &index->reference;
  index_places of = {0, 0, queries == NULL};
  gv_points own = gv_points_of(index, 0, reference->count);
  gv_status status = queries != NULL ? gv_check_points(context, queries, "query") : GV_OK;
  if (queries == NULL) queries = &own;
  if (status == GV_OK) status = check_search(context, index, queries, o, indices);
  if (status == GV_OK && o->exclude_self && queries->count != reference->count) {
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "self-exclusion: the queries must be the reference points (%lld queries, %lld reference points)",
        (long long)queries->count, (long long)reference->count);
  }
  if (status == GV_OK && gv_on_device(o->array_options) && !supports_device_arrays(index->backend))
    status = fail_device_arrays(context, index->backend);
  if (status == GV_OK && gv_on_device(o->array_options) && queries->x != NULL)
    status = gv_fail(context, GV_ERROR_UNSUPPORTED,
                     "points in device memory: unsupported layout; expected the rows of one array");
  if (status != GV_OK || queries->count == 0) return status;

  gv_point_index searched = *index;
  if (gv_on_device(o->array_options)) searched.automatic = false; /* the CPUs do not replace the device */
  const void *const given[] = {of.own ? NULL : queries->data, indices, distances};
  gv_arrays arrays;
  status = gv_arrays_begin(context, gv_memory_of(o->array_options), gv_stream_of(o->array_options), given, 3,
                           &arrays);
  if (status == GV_OK)
    status = search_chunks(context, &searched, queries, o, &of, &arrays, indices, distances);
  if (status == GV_OK && distances != NULL)
    status = gv_arrays_to_distances(context, &arrays, reference, distances, queries->count * o->k);
  gv_arrays_end(context, &arrays);
  return status;
}

/* ----------------------------------------------------------------------------------- with other processes */

typedef struct index_own_search {
  const gv_point_index *index;
  const gv_points *queries; /* NULL: the index's points */
} index_own_search;

static gv_status point_index_load_rows(gv_context *context, const void *user, int64_t first, int64_t count,
                                       double *data) {
  const index_own_search *own = user;
  const gv_arrays host = {.device = -1};
  int64_t bad = -1;
  if (own->queries == NULL) return gv_points_fetch(context, own->index, first, count, data);
  gv_status status = gv_arrays_widen(context, &host, own->queries, first, count, data, &bad);
  return status == GV_OK && bad >= 0 ? gv_fail_not_finite(context, "query", bad) : status;
}

static gv_status search_rows(gv_context *context, const void *user, const gv_search_options *o,
                             const gv_together_rows *rows, int64_t *indices, double *canonical) {
  const index_own_search *own = user;
  const gv_points points = gv_points_rows(rows->data, rows->count, own->index->reference.dim, GV_FLOAT64);
  return search_part(context, &own->index->base, &points, o, rows->first_query, rows->first_point, indices,
                     canonical);
}

static gv_status point_index_measure_rows(gv_context *context, const void *user, int64_t count,
                                          double *values) {
  const index_own_search *own = user;
  return to_distances(context, &own->index->base, count, values);
}

/* Checks of a process before it communicates with the others. */
static gv_status check_together(gv_context *context, const index_own_search *own, const gv_search_options *o,
                                const int64_t *indices) {
  const gv_point_index *index = own->index;
  const gv_points points = gv_points_of(index, 0, index->reference.count);
  const gv_points *queries = own->queries != NULL ? own->queries : &points;
  gv_status status = gv_check_points(context, queries, "query");
  if (status == GV_OK)
    status = point_index_check_options(context, index, o, GV_MAX_K, " for several processes");
  if (status == GV_OK) status = check_search(context, index, queries, o, indices);
  if (status != GV_OK) return status;
  if (gv_on_device(o->array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "search by several processes: device memory is unsupported; use host memory");
  if (o->exclude_self && queries->count != index->reference.count)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "self-exclusion: the queries must be the points of this process");
  return GV_OK;
}

static gv_status search_distributed(gv_context *context, const gv_communicator *communicator,
                                    const gv_index *base, const gv_points *queries,
                                    const gv_search_options *o, int64_t *indices, double *distances) {
  index_own_search own = {(const gv_point_index *)base, queries};
  gv_status status = check_together(context, &own, o, indices);
  gv_together together = {.options = o,
                          .user = &own,
                          .take = point_index_load_rows,
                          .search = search_rows,
                          .distances = point_index_measure_rows};
  if (status == GV_OK) {
    together.points = own.index->reference.count;
    together.queries = queries != NULL ? queries->count : together.points;
    together.dim = own.index->reference.dim;
    together.kind[0] = own.index->reference.metric;
    together.kind[1] = gv_periods_sum(&own.index->reference);
    together.kind[2] = own.index->reference.metric == GV_MINKOWSKI ? own.index->reference.power : 0.0;
  }
  return gv_search_together(context, communicator, &together, status, indices, distances);
}

static const gv_index_type point_index = {
    GV_INDEX_POINTS,     point_index_search,      search_part,           to_distances, search_distributed,
    point_index_destroy, gv_radius_search_points, gv_radius_search_pairs};
