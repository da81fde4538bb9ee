/* The public functions (gpuvoronoi/barriers.h). */
#include <inttypes.h>
#include <string.h>

#include "barriers/ellipsoid.h"
#include "barriers/inside.h"
#include "barriers/nearest.h"
#include "barriers/rings.h"
#include "barriers/walls.h"
#include "barriers/ways.h"
#include "core/cancel.h"
#include "core/given.h"
#include "exact/distance.h"
#include "geodesic/series_numbers.h"
#include "search/pair.h"

enum { AT_ONCE = 256 /* seeds: their rays may cross many walls */ };

static gv_status api_read(gv_context *context, const gv_features *features, gv_barriers *b) {
  gv_feature_set set;
  GV_TRY(gv_feature_set_init(context, b->metric, &b->ellipsoid, features, &set));
  gv_status status = GV_OK;
  for (int64_t p = 0; p < set.parts && status == GV_OK; p++)
    if (set.kind[p] == GV_PART_POINTS)
      status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                       "barriers: unsupported geometry (points); use lines or polygons");
  if (status == GV_OK) status = gv_barrier_walls_make(context, &set, b);
  if (status == GV_OK && set.globe) status = gv_barrier_reference_find(context, &set, b);
  gv_feature_set_clear(&set);
  return status == GV_OK ? gv_barrier_corners_make(context, b) : status;
}

gv_status gv_barriers_create(gv_context *context, const gv_features *features,
                             const gv_barriers_options *options, gv_barriers **out) {
  gv_barriers_options o;
  gv_features f;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: the output pointer is NULL");
  *out = NULL;
  gv_barriers_options_init(&o);
  gv_features_init(&f);
  GV_COPY_GIVEN(context, gv_barriers_options, &o, options);
  GV_COPY_GIVEN(context, gv_features, &f, features);
  if (o.metric != GV_EUCLIDEAN && o.metric != GV_GREAT_CIRCLE && o.metric != GV_GEODESIC)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "barriers: unsupported metric (%s); use euclidean, great-circle or geodesic",
                   gv_metric_name(o.metric));
  if (!(o.max_distance >= 0.0))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "barriers: max_distance out of range (%g); use 0 or more", o.max_distance);
  gv_barriers *b = gv_allocate_zeroed(&context->allocator, 1, sizeof *b);
  if (b == NULL) return gv_fail_memory(context, "the barriers");
  b->allocator = context->allocator;
  b->metric = o.metric;
  b->max_distance = o.max_distance;
  b->geometry = o.metric == GV_EUCLIDEAN      ? &gv_barrier_plane
                : o.metric == GV_GREAT_CIRCLE ? &gv_barrier_sphere
                                              : &gv_barrier_ellipsoid;
  gv_status status = gv_ellipsoid_init(context, o.semi_major, o.flattening, &b->ellipsoid);
  if (status == GV_OK) b->radius = b->least_radius = b->most_radius = gv_globe_radius(&b->ellipsoid);
  if (status == GV_OK && o.metric == GV_GEODESIC && !gv_barrier_ellipsoid_init(b))
    status = gv_fail(context, GV_ERROR_UNSUPPORTED, "barriers: unsupported flattening (%g); use 0 to %g",
                     b->ellipsoid.flattening, GV_SERIES_FLATTENING);
  if (status == GV_OK && f.count > 0) status = api_read(context, &f, b);
  if (status == GV_OK) {
    *out = b;
  } else {
    gv_barriers_destroy(b);
  }
  return status;
}

void gv_barriers_destroy(gv_barriers *b) {
  if (b == NULL) return;
  const gv_allocator allocator = b->allocator;
  gv_ways_clear(b);
  void *arrays[] = {b->walls,   b->wall_nodes,   b->places,       b->at,
                    b->corners, b->corner_nodes, b->vertex_first, b->vertex_walls};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    gv_release(&allocator, arrays[i]);
  gv_release(&allocator, b);
}

/* Three coordinates each, then three each as in gv_way_source. */
static const double *api_place(const gv_barriers *b, const double *x, const double *y, int64_t count,
                               double *out) {
  double *at = out + 3 * count;
  for (int64_t i = 0; i < count; i++)
    gv_barrier_place_at(b, x[i], y[i], out + 3 * i, at + 3 * i);
  return at;
}

/* Positions that are not finite have no way; latitudes beyond the poles are an error, as in all searches on
 * the globe. */
static gv_status api_check_places(gv_context *context, const gv_barriers *b, const char *role,
                                  const double *y, int64_t count) {
  for (int64_t i = 0; i < count && gv_barrier_on_globe(b); i++)
    if (isfinite(y[i])) GV_TRY(gv_check_latitude(context, role, i, y[i]));
  return GV_OK;
}

gv_status gv_barriers_solve(gv_context *context, gv_barriers *b, const double *x, const double *y,
                            int64_t count, int64_t *left_out) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (b == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: the pointer is NULL");
  if (count < 0 || count >= INT32_MAX - b->corner_count || (count > 0 && (x == NULL || y == NULL)))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: invalid seeds (%" PRId64 " positions)",
                   count);
  GV_TRY(api_check_places(context, b, "seed", y, count));
  double *places = gv_allocate(&b->allocator, 6 * count, sizeof *places);
  uint8_t *kind = gv_allocate(&b->allocator, count, sizeof *kind);
  int64_t left = 0;
  gv_status status = places == NULL || kind == NULL ? gv_fail_memory(context, "the seeds") : GV_OK;
  if (status == GV_OK) {
    const double *at = api_place(b, x, y, count, places);
    for (int64_t i = 0; i < count && status == GV_OK; i++) {
      const bool finite = isfinite(x[i]) && isfinite(y[i]);
      if (i % AT_ONCE == 0) status = gv_check_cancelled(context);
      kind[i] = (uint8_t)(finite ? gv_barrier_place_of(b, places + 3 * i) : GV_BARRIER_INSIDE);
      left += kind[i] == GV_BARRIER_INSIDE;
    }
    if (status == GV_OK) status = gv_ways_find(context, b, places, at, kind, count);
  }
  gv_release(&b->allocator, places);
  gv_release(&b->allocator, kind);
  if (left_out != NULL) *left_out = left;
  b->solved = status == GV_OK;
  return status;
}

/* Of the leg from a place to a source. */
static float api_azimuth(const gv_barriers *b, const gv_way_source *source, const double *x,
                         const double *at) {
  return gv_reported_azimuth(b->geometry->azimuth(b, x, at, source));
}

gv_status gv_barriers_get(gv_context *context, const gv_barriers *b, const gv_barrier_places *places) {
  gv_barrier_places o;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (b == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: the pointer is NULL");
  gv_barrier_places_init(&o);
  GV_COPY_GIVEN(context, gv_barrier_places, &o, places);
  if (!b->solved) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: not solved yet");
  if (o.count < 0 || (o.count > 0 && (o.x == NULL || o.y == NULL)))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: invalid places (%" PRId64 ")", o.count);
  GV_TRY(api_check_places(context, b, "place", o.y, o.count));
  double *place = gv_allocate(&b->allocator, 6 * o.count, sizeof *place);
  const double *at = NULL;
  double *length = gv_allocate(&b->allocator, o.count, sizeof *length);
  int32_t *source = gv_allocate(&b->allocator, o.count, sizeof *source);
  gv_status status =
      place == NULL || length == NULL || source == NULL ? gv_fail_memory(context, "the places") : GV_OK;
  if (status == GV_OK) {
    at = api_place(b, o.x, o.y, o.count, place);
    status = gv_barriers_nearest(context, b, place, at, o.count, source, length);
  }
  for (int64_t i = 0; i < o.count && status == GV_OK; i++) {
    const gv_way_source *last = source[i] >= 0 ? &b->sources[source[i]] : NULL;
    if (o.seed != NULL) o.seed[i] = last != NULL ? last->seed : -1;
    if (o.distance != NULL) o.distance[i] = length[i];
    if (o.azimuth != NULL)
      o.azimuth[i] = last != NULL ? api_azimuth(b, last, place + 3 * i, at + 3 * i) : (float)NAN;
  }
  gv_release(&b->allocator, place);
  gv_release(&b->allocator, length);
  gv_release(&b->allocator, source);
  return status;
}

/* Adds a position to a way, unless it is the same as the last one. */
static void api_add_position(const gv_barriers *b, const gv_barrier_way *way, const double *at,
                             double last[2], int64_t *count) {
  double x = at[0];
  if (gv_barrier_on_globe(b) && *count > 0) x += 360.0 * round((last[0] - x) / 360.0);
  if (*count > 0 && x == last[0] && at[1] == last[1]) return;
  last[0] = x;
  last[1] = at[1];
  if (*count < way->room && way->way_x != NULL) way->way_x[*count] = x;
  if (*count < way->room && way->way_y != NULL) way->way_y[*count] = at[1];
  ++*count;
}

gv_status gv_barriers_get_way(gv_context *context, const gv_barriers *b, const gv_barrier_way *way) {
  gv_barrier_way o;
  double place[3], at[3], last[2], length;
  int32_t source;
  int64_t count = 0;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (b == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: the pointer is NULL");
  gv_barrier_way_init(&o);
  GV_COPY_GIVEN(context, gv_barrier_way, &o, way);
  if (!b->solved) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: not solved yet");
  GV_TRY(api_check_places(context, b, "place", &o.y, 1));
  gv_barrier_place_at(b, o.x, o.y, place, at);
  GV_TRY(gv_barriers_nearest(context, b, place, at, 1, &source, &length));
  if (source >= 0) api_add_position(b, &o, at, last, &count);
  for (int32_t i = source; i >= 0; i = b->sources[i].previous)
    api_add_position(b, &o, b->sources[i].at, last, &count);
  if (o.count != NULL) *o.count = count;
  if (o.seed != NULL) *o.seed = source >= 0 ? b->sources[source].seed : -1;
  if (o.distance != NULL) *o.distance = length;
  return GV_OK;
}
