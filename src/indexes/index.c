/* The public functions of indexes: what all kinds have in common; the rest is the kind's (gv_index_type). */
#include "indexes/indexes.h"
#include "search/pair.h"
#include "search/search_checks.h"
#include "search/together.h"

static const char *const kind_names[] = {"points", "points on the globe", "lines and polygons",
                                         "raster cells"};

gv_status gv_index_build(gv_context *context, const gv_points *reference, const gv_index_options *options,
                         gv_index **out) {
  gv_index_options o;
  gv_points own;
  gv_point_index *points = NULL;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the output pointer is NULL");
  gv_index_options_init(&o);
  GV_COPY_GIVEN(context, gv_index_options, &o, options);
  GV_TRY(gv_load_pair(context, &reference, &own));
  bool globe = o.metric == GV_GREAT_CIRCLE || o.metric == GV_GEODESIC;
  if (globe) GV_TRY(gv_check_no_periods(context, &o, "points on the globe"));
  if (globe) return gv_globe_index_build(context, reference, &o, out);
  GV_TRY(gv_point_index_build(context, reference, &o, &points));
  *out = &points->base;
  return GV_OK;
}

void gv_index_destroy(gv_index *index) {
  if (index != NULL) index->type->destroy(index);
}

gv_index_kind gv_index_get_kind(const gv_index *index) {
  return index != NULL ? index->type->kind : GV_INDEX_POINTS;
}

int64_t gv_index_count(const gv_index *index) {
  return index != NULL ? index->count : 0;
}

int32_t gv_index_dim(const gv_index *index) {
  return index != NULL ? index->dim : 0;
}

const char *gv_index_backend(const gv_index *index) {
  return index != NULL ? index->backend : "";
}

/* Common start of searches: checks NULLs, and copies options and queries to their full size. */
static gv_status index_begin(gv_context *context, const gv_index *index, const gv_search_options *given,
                             bool supported, const gv_points **queries, gv_search_options *o,
                             gv_points *own) {
  gv_search_options_init(o);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  GV_COPY_GIVEN(context, gv_search_options, o, given);
  GV_TRY(gv_load_pair(context, queries, own));
  if (index == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the pointer is NULL");
  if (supported && (o->nearest == NULL || index->type->kind == GV_INDEX_FEATURES)) return GV_OK;
  return gv_fail(context, GV_ERROR_UNSUPPORTED, "index of %s: unsupported function",
                 kind_names[index->type->kind]);
}

gv_status gv_index_search(gv_context *context, const gv_index *index, const gv_points *queries,
                          const gv_search_options *options, int64_t *indices, double *distances) {
  gv_search_options o;
  gv_points own;
  GV_TRY(index_begin(context, index, options, true, &queries, &o, &own));
  return index->type->search(context, index, queries, &o, indices, distances);
}

/* Turns numbers of neighbors into offsets. */
static void sum_offsets(int64_t *offsets, int64_t queries) {
  offsets[0] = 0;
  for (int64_t i = 0; i < queries; i++)
    offsets[i + 1] += offsets[i];
}

static gv_status check_radius(gv_context *context, const gv_index *index, int64_t queries,
                              const gv_radius_options *o, const int64_t *offsets, bool filled) {
  if (offsets == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "offsets: the output pointer is NULL");
  if (o->exclude_self && (queries != index->count || index->type->kind > GV_INDEX_GLOBE))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "self-exclusion: the queries must be the reference points");
  for (int64_t i = 0; i < (o->radii != NULL ? queries : 1); i++) {
    double radius = o->radii != NULL ? o->radii[i] : o->radius;
    if (!(radius >= 0.0))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "radius %lld (from 0): out of range [0, inf] (%g)",
                     (long long)i, radius);
  }
  for (int64_t i = 0; filled && i < queries; i++)
    if (offsets[i] < 0 || offsets[i + 1] < offsets[i])
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "offset %lld (from 0): invalid; offsets must not be negative or decrease", (long long)i);
  return GV_OK;
}

gv_status gv_index_search_radius(gv_context *context, const gv_index *index, const gv_points *queries,
                                 const gv_radius_options *options, int64_t *offsets, int64_t *indices,
                                 double *distances) {
  gv_search_options unused;
  gv_radius_options o;
  gv_points own;
  bool filled = indices != NULL || distances != NULL;
  GV_TRY(index_begin(context, index, NULL, true, &queries, &unused, &own));
  gv_radius_options_init(&o);
  GV_COPY_GIVEN(context, gv_radius_options, &o, options);
  bool own_points = queries == NULL && index->type->kind <= GV_INDEX_GLOBE;
  if (queries == NULL && !own_points)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "index of %s: a search of the index against itself is unsupported; pass points as queries",
                   kind_names[index->type->kind]);
  if (queries != NULL && queries->count < 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of queries: out of range (%lld)",
                   (long long)queries->count);
  int64_t count = queries != NULL ? queries->count : index->count;
  GV_TRY(check_radius(context, index, count, &o, offsets, filled));
  GV_TRY(index->type->search_radius(context, index, queries, &o, offsets, indices, distances));
  if (!filled) sum_offsets(offsets, count);
  return GV_OK;
}

gv_status gv_index_search_pairs(gv_context *context, const gv_index *index, const gv_radius_options *options,
                                int64_t *offsets, int64_t *pairs) {
  gv_search_options unused;
  gv_radius_options o;
  gv_points own;
  const gv_points *none = NULL;
  GV_TRY(index_begin(context, index, NULL, index == NULL || index->type->search_pairs != NULL, &none, &unused,
                     &own));
  gv_radius_options_init(&o);
  GV_COPY_GIVEN(context, gv_radius_options, &o, options);
  if (o.radii != NULL)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "radii: not supported for pairs; use one radius");
  GV_TRY(check_radius(context, index, index->count, &o, offsets, pairs != NULL));
  GV_TRY(index->type->search_pairs(context, index, &o, offsets, pairs));
  if (pairs == NULL) sum_offsets(offsets, index->count);
  return GV_OK;
}

gv_status gv_index_search_part(gv_context *context, const gv_index *index, const gv_points *queries,
                               const gv_search_options *options, int64_t first_query, int64_t first_reference,
                               int64_t *indices, double *canonical) {
  gv_search_options o;
  gv_points own;
  GV_TRY(index_begin(context, index, options, index == NULL || index->type->search_part != NULL, &queries, &o,
                     &own));
  return index->type->search_part(context, index, queries, &o, first_query, first_reference, indices,
                                  canonical);
}

gv_status gv_index_distances(gv_context *context, const gv_index *index, int64_t count, double *values) {
  gv_search_options o;
  gv_points own;
  const gv_points *none = NULL;
  GV_TRY(index_begin(context, index, NULL, index == NULL || index->type->distances != NULL, &none, &o, &own));
  GV_TRY(gv_check_values(context, index, count, values));
  return index->type->distances(context, index, count, values);
}

/* All processes meet in gv_search_together, also those that have failed. */
gv_status gv_index_search_distributed(gv_context *context, const gv_communicator *communicator,
                                      const gv_index *index, const gv_points *queries,
                                      const gv_search_options *options, int64_t *indices, double *distances) {
  gv_search_options o;
  gv_points own;
  gv_status status = index_begin(
      context, index, options, index == NULL || index->type->search_distributed != NULL, &queries, &o, &own);
  if (context == NULL) return status;
  const gv_together nothing = {.options = &o};
  if (status != GV_OK) return gv_search_together(context, communicator, &nothing, status, indices, distances);
  return index->type->search_distributed(context, communicator, index, queries, &o, indices, distances);
}
