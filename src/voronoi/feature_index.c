/* The k nearest lines and polygons for any list of positions: each query is a cell of its own (feature_cell.h). */
#include <string.h>

#include "core/given.h"
#include "core/parallel.h"
#include "search/asked.h"
#include "voronoi/feature_cell.h"

struct gv_feature_index {
  gv_feature_set set;
  gv_feature_lookup lookup;
  gv_voronoi asked; /* what a contest looks at */
};

static const gv_backend trees = {.name = "tile"};

gv_status gv_feature_index_build(gv_context *context, const gv_features *features,
                                 const gv_feature_index_options *options, gv_feature_index **out) {
  gv_feature_index_options o = GV_FEATURE_INDEX_OPTIONS_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the place for the index is NULL");
  if (features == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there are no features");
  gv_take_given(&o, sizeof o, options);
  if (gv_metric_name(o.metric) == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "unknown metric");
  gv_feature_index *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the index");
  gv_voronoi *v = &index->asked;
  *v = (gv_voronoi){.allocator = context->allocator, .features = &index->set, .backend = &trees};
  gv_status status = gv_ellipsoid_init(context, o.semi_major, o.flattening, &v->cells.ellipsoid);
  if (status == GV_OK) {
    v->cells.metric = o.metric;
    gv_geodesic_init(&v->cells.ellipsoid, &v->geodesic);
    status = gv_feature_set_init(context, o.metric, &v->cells.ellipsoid, features, &index->set);
  }
  if (status == GV_OK) status = gv_feature_lookup_init(context, &index->set, &v->geodesic, &index->lookup);
  if (status == GV_OK) status = gv_feature_tree_join(context, &index->lookup.tree);
  if (status == GV_OK) {
    *out = index;
  } else {
    gv_feature_index_destroy(index);
  }
  return status;
}

void gv_feature_index_destroy(gv_feature_index *index) {
  if (index == NULL) return;
  gv_allocator allocator = index->asked.allocator;
  gv_feature_lookup_clear(&index->lookup);
  gv_feature_set_clear(&index->set);
  gv_release(&allocator, index);
}

/* Queries at work. */
typedef struct search {
  const gv_feature_lookup *lookup;
  gv_voronoi asked;
  const gv_seeds *queries;
  int64_t *indices;
  double *distances, *nearest;
  gv_progress progress;
} search;

static gv_status place_of(gv_context *context, const search *s, int64_t i, gv_edge_place *q) {
  double x = s->queries->x[i], y = s->queries->y[i];
  const gv_voronoi *v = &s->asked;
  bool globe = v->features->globe;
  if (!isfinite(x) || !isfinite(y) || (globe && fabs(y) > 90.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "query %lld (from 0) is at %g, %g", (long long)i, x, y);
  }
  *q = (gv_edge_place){.lon = x, .lat = y, .vector = {x, y, 0.0}};
  if (!globe) return GV_OK;
  gv_normalise_lonlat(&q->lon, &q->lat);
  gv_lonlat_to_vectors(&v->cells.ellipsoid, v->cells.metric == GV_GEODESIC, 1, &q->lon, &q->lat, q->vector,
                       q->vector + 1, q->vector + 2);
  return GV_OK;
}

static double distance_of(const gv_voronoi *v, double canonical) {
  if (v->cells.metric == GV_EUCLIDEAN) return sqrt(canonical);
  if (v->cells.metric != GV_GREAT_CIRCLE) return canonical;
  return gv_arc_of_chord2(gv_globe_radius(&v->cells.ellipsoid), canonical);
}

/* One neighbour: its distance and nearest point. */
static void describe(const search *s, gv_contest *c, int32_t feature, double canonical, int64_t at) {
  const gv_edge_place *q = c->q;
  const gv_feature_set *set = s->asked.features;
  /* Of the nearest alone the contest may have told the number without the value. */
  bool told = canonical > 0.0 || c->around > 0;
  if (s->nearest == NULL) {
    s->distances[at] = distance_of(&s->asked, told ? canonical : gv_contest_distance(c, feature));
    return;
  }
  gv_edge_foot foot = {
      .canonical = canonical, .lon = q->lon, .lat = q->lat, .vector = {q->vector[0], q->vector[1]}};
  bool away = !told || canonical > 0.0;
  if (away && gv_contest_foot(c, feature, &foot) && set->metric == GV_GREAT_CIRCLE && !set->straight)
    gv_edge_foot_lonlat(&foot);
  if (s->distances != NULL) s->distances[at] = distance_of(&s->asked, foot.canonical);
  s->nearest[2 * at] = set->globe ? foot.lon : foot.vector[0];
  s->nearest[2 * at + 1] = set->globe ? foot.lat : foot.vector[1];
}

static gv_status answer(gv_worker *worker, int64_t first, int64_t end) {
  search *s = worker->user;
  gv_context *context = &worker->context;
  int32_t k = s->asked.k, found[GV_VORONOI_MAX_K];
  gv_contest *c = gv_allocate(&context->allocator, 1, sizeof *c);
  if (c == NULL) return gv_fail_memory(context, "a batch of queries");
  gv_status status = gv_contest_init(context, &s->asked, s->lookup, c);
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    gv_edge_place q;
    status = place_of(context, s, i, &q);
    if (status != GV_OK) break;
    c->q = &q;
    gv_contest_rank(c, found);
    for (int64_t at = i * k; at < (i + 1) * k; at++) {
      int32_t feature = found[at - i * k];
      s->indices[at] = feature;
      if (feature >= 0 && (s->distances != NULL || s->nearest != NULL)) {
        describe(s, c, feature, c->value[at - i * k], at);
      } else if (feature < 0) {
        if (s->distances != NULL) s->distances[at] = INFINITY;
        if (s->nearest != NULL) s->nearest[2 * at] = s->nearest[2 * at + 1] = (double)NAN;
      }
    }
  }
  gv_contest_clear(c);
  gv_release(&context->allocator, c);
  if (status == GV_OK) gv_progress_add(&s->progress, end - first);
  return status;
}

gv_status gv_feature_index_search(gv_context *context, const gv_feature_index *index, const gv_seeds *queries,
                                  const gv_search_options *options, int64_t *indices, double *distances,
                                  double *nearest) {
  gv_search_options o = GV_SEARCH_OPTIONS_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (index == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the index is NULL");
  gv_take_given(&o, sizeof o, options);
  gv_status status = gv_check_search_options(context, &o, GV_VORONOI_MAX_K, " among lines and polygons");
  if (status == GV_OK && o.memory != GV_MEMORY_HOST)
    status = gv_fail(context, GV_ERROR_UNSUPPORTED, "lines and polygons are searched with arrays of the host");
  if (status != GV_OK) return status;
  if (o.exclude_self)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "lines and polygons are searched with points, not themselves");
  if (queries == NULL || queries->count < 0 ||
      (queries->count > 0 && (queries->x == NULL || queries->y == NULL || indices == NULL))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "queries or the place for the indices are NULL");
  }
  search s = {.lookup = &index->lookup,
              .asked = index->asked,
              .queries = queries,
              .indices = indices,
              .distances = distances,
              .nearest = nearest};
  s.asked.k = o.k;
  s.asked.limit = gv_canonical_limit(s.asked.cells.metric, &s.asked.cells.ellipsoid, o.max_distance);
  gv_progress_init(&s.progress, context, queries->count);
  gv_loop loop = {context, context->threads, queries->count, 256, &s.progress, &s};
  return gv_parallel_for(&loop, answer);
}
