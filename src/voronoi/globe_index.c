/*
 * The k nearest seeds on the globe for any list of positions.
 *
 * Seeds and queries become unit vectors or points of the ellipsoid, and an ordinary index finds the nearest by chord.
 * On the sphere that is the answer. On the ellipsoid (see geodesic.h) a seed with a squared chord beyond
 * c_k^2 + slack(c_k^2), c_k the k-th smallest chord, has a longer geodesic than each of the k; so the neighbours by
 * chord up to there hold the answer, and geod_inverse puts them in order. It is not asked at all where distances are
 * not wanted and consecutive chords are further apart than the slack.
 */
#include <string.h>

#include "exact/distance.h"
#include "exact/globe.h"
#include "geodesic/geodesic.h"
#include "search/backend.h"

enum {
  BATCH = 8192,     /* queries searched at once */
  SPARE = 2,        /* neighbours by chord asked for beyond k at first */
  WIDEN_MAX = 4096, /* more are not searched for by chord: all seeds are asked about */
  MAX_K = 1024
};

struct gv_globe_index {
  gv_allocator allocator;
  gv_metric metric;
  gv_ellipsoid ellipsoid;
  gv_geodesic geodesic;
  double radius; /* of the sphere that great-circle distances are reported on, in metres */
  int64_t count;
  double *lon, *lat; /* normalised */
  gv_index *chords;
};

static gv_status to_vectors(gv_context *context, const gv_globe_index *globe, const gv_seeds *points, int64_t first,
                            int64_t count, const char *role, double *lon, double *lat, double *vectors) {
  for (int64_t i = 0; i < count; i++) {
    double x = points->x[first + i], y = points->y[first + i];
    if (!isfinite(x) || !isfinite(y) || fabs(y) > 90.0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s %lld (from 0) is at longitude %g, latitude %g", role,
                     (long long)(first + i), x, y);
    }
    gv_normalise_lonlat(&x, &y);
    lon[i] = x;
    lat[i] = y;
  }
  enum { STRETCH = 256 };
  double x[STRETCH], y[STRETCH], z[STRETCH];
  for (int64_t from = 0; from < count; from += STRETCH) {
    int64_t n = count - from < STRETCH ? count - from : STRETCH;
    gv_lonlat_to_vectors(&globe->ellipsoid, globe->metric == GV_GEODESIC, n, lon + from, lat + from, x, y, z);
    for (int64_t i = 0; i < n; i++) {
      double *vector = vectors + 3 * (from + i);
      vector[0] = x[i];
      vector[1] = y[i];
      vector[2] = z[i];
    }
  }
  return GV_OK;
}

gv_status gv_globe_index_build(gv_context *context, const gv_seeds *seeds, const gv_globe_options *options,
                               gv_globe_index **out) {
  gv_globe_options o = GV_GLOBE_OPTIONS_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the place for the index is NULL");
  if (options != NULL) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
  if (seeds == NULL || seeds->x == NULL || seeds->y == NULL || seeds->count < 1) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there are no seeds");
  }
  if (o.metric != GV_GREAT_CIRCLE && o.metric != GV_GEODESIC) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "the globe is searched with great-circle or geodesic distances");
  }
  const gv_allocator *allocator = &context->allocator;
  double *vectors = NULL;
  gv_globe_index *globe = gv_allocate_zeroed(allocator, 1, sizeof *globe);
  if (globe == NULL) return gv_fail_memory(context, "the index");
  globe->allocator = *allocator;
  globe->metric = o.metric;
  globe->count = seeds->count;
  gv_status status = gv_ellipsoid_init(context, o.semi_major, o.flattening, &globe->ellipsoid);
  if (status != GV_OK) goto done;
  gv_geodesic_init(&globe->ellipsoid, &globe->geodesic);
  globe->radius = gv_globe_radius(&globe->ellipsoid);
  globe->lon = gv_allocate(allocator, seeds->count, sizeof(double));
  globe->lat = gv_allocate(allocator, seeds->count, sizeof(double));
  vectors = gv_allocate(allocator, seeds->count, 3 * sizeof(double));
  if (globe->lon == NULL || globe->lat == NULL || vectors == NULL) {
    status = gv_fail_memory(context, "the seeds");
    goto done;
  }
  status = to_vectors(context, globe, seeds, 0, seeds->count, "seed", globe->lon, globe->lat, vectors);
  if (status != GV_OK) goto done;
  gv_points points = {vectors, seeds->count, 3, GV_FLOAT64};
  gv_index_options build = GV_INDEX_OPTIONS_INIT;
  build.backend = o.backend;
  status = gv_index_build(context, &points, &build, &globe->chords);

done:
  gv_release(allocator, vectors);
  if (status == GV_OK) {
    *out = globe;
  } else {
    gv_globe_index_destroy(globe);
  }
  return status;
}

void gv_globe_index_destroy(gv_globe_index *globe) {
  if (globe == NULL) return;
  gv_allocator allocator = globe->allocator;
  gv_index_destroy(globe->chords);
  gv_release(&allocator, globe->lon);
  gv_release(&allocator, globe->lat);
  gv_release(&allocator, globe);
}

const char *gv_globe_index_backend(const gv_globe_index *globe) {
  return globe != NULL ? gv_index_backend(globe->chords) : "";
}

typedef struct candidate {
  double distance;
  int64_t index;
} candidate;

static void keep_best(candidate *best, int32_t *held, int32_t k, candidate c) {
  int32_t place = *held;
  if (place == k) {
    const candidate *last = &best[k - 1];
    if (c.distance > last->distance || (c.distance == last->distance && c.index > last->index)) return;
    place--;
  } else {
    (*held)++;
  }
  while (place > 0 && (best[place - 1].distance > c.distance ||
                       (best[place - 1].distance == c.distance && best[place - 1].index > c.index))) {
    best[place] = best[place - 1];
    place--;
  }
  best[place] = c;
}

/* One query of a batch: everything that deciding it needs. */
typedef struct task {
  const gv_globe_index *globe;
  double lon, lat;
  const double *vector;
  int64_t self; /* -1 = none */
  int32_t k, asked;
  const int64_t *found; /* asked neighbours by chord */
  const double *chord2;
  double limit;
  bool measure; /* distances are needed */
} task;

static double geodesic_to(const task *t, int64_t seed) {
  double distance = INFINITY;
  geod_inverse(&t->globe->geodesic.geod, t->lat, t->lon, t->globe->lat[seed], t->globe->lon[seed], &distance, NULL,
               NULL);
  return distance;
}

/* How many of the neighbours by chord may be among the k by geodesic; -1: more than were asked for. */
static int32_t undecided(const task *t, const int64_t *found, const double *chord2, int32_t asked) {
  int32_t have = 0;
  while (have < asked && found[have] >= 0)
    have++;
  bool all = have < asked;
  if (have < t->k || have == 0) return all ? have : -1;
  double reach = chord2[t->k - 1] + gv_geodesic_slack(&t->globe->geodesic, sqrt(chord2[t->k - 1]));
  int32_t within = t->k;
  while (within < have && !(chord2[within] > reach))
    within++;
  return within < have || all ? within : -1;
}

static gv_status decide(gv_context *context, const task *t, int64_t *indices, double *distances) {
  const gv_globe_index *globe = t->globe;
  gv_status status = GV_OK;
  candidate best[MAX_K];
  int32_t held = 0;
  int64_t *wide = NULL;
  double *wide_chord2 = NULL;
  const int64_t *found = t->found;
  int32_t count = undecided(t, t->found, t->chord2, t->asked);
  if (count == t->k && !t->measure) {
    /* Each chord clear of the next: the order by chord is the order by geodesic. */
    int32_t r = 0;
    while (r + 1 < count &&
           t->chord2[r + 1] > t->chord2[r] + gv_geodesic_slack(&globe->geodesic, sqrt(t->chord2[r])))
      r++;
    if (r + 1 == count) {
      memcpy(indices, t->found, (size_t)t->k * sizeof *indices);
      return GV_OK;
    }
  }
  for (int64_t asked = t->asked; count < 0;) {
    asked *= 4;
    if (asked > WIDEN_MAX || asked >= globe->count) {
      found = NULL;
      break;
    }
    gv_release(&context->allocator, wide);
    gv_release(&context->allocator, wide_chord2);
    wide = gv_allocate(&context->allocator, asked, sizeof *wide);
    wide_chord2 = gv_allocate(&context->allocator, asked, sizeof *wide_chord2);
    if (wide == NULL || wide_chord2 == NULL) {
      status = gv_fail_memory(context, "a query's neighbours");
      goto done;
    }
    gv_query query = {t->vector, 1, (int32_t)asked, INFINITY, t->self};
    status = gv_index_search_canonical(context, globe->chords, &query, wide, wide_chord2);
    if (status != GV_OK) goto done;
    found = wide;
    count = undecided(t, wide, wide_chord2, (int32_t)asked);
  }
  for (int64_t i = 0; i < (found != NULL ? count : globe->count); i++) {
    int64_t seed = found != NULL ? found[i] : i;
    if (seed == t->self) continue;
    candidate c = {geodesic_to(t, seed), seed};
    if (c.distance <= t->limit) keep_best(best, &held, t->k, c);
  }
  for (int32_t r = 0; r < t->k; r++) {
    indices[r] = r < held ? best[r].index : -1;
    if (distances != NULL) distances[r] = r < held ? best[r].distance : INFINITY;
  }

done:
  gv_release(&context->allocator, wide);
  gv_release(&context->allocator, wide_chord2);
  return status;
}

gv_status gv_globe_index_search(gv_context *context, const gv_globe_index *globe, const gv_seeds *queries,
                                const gv_search_options *options, int64_t *indices, double *distances) {
  gv_search_options o = GV_SEARCH_OPTIONS_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (globe == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the index is NULL");
  if (options != NULL) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
  if (o.k < 1 || o.k > MAX_K) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k is %d, not in 1 ... %d", (int)o.k, MAX_K);
  }
  if (!(o.max_distance >= 0.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the maximum distance is %g, not a number >= 0",
                   o.max_distance);
  }
  gv_seeds own = {globe->lon, globe->lat, globe->count};
  if (queries == NULL) queries = &own;
  if (queries->count < 0 || (queries->count > 0 && (queries->x == NULL || queries->y == NULL || indices == NULL))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "queries or the place for the indices are NULL");
  }
  if (o.exclude_self && queries->count != globe->count) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "self-exclusion needs the seeds as queries");
  }
  bool geodesic = globe->metric == GV_GEODESIC;
  bool measure = distances != NULL || isfinite(o.max_distance);
  int32_t asked = geodesic ? o.k + SPARE : o.k;
  double limit = geodesic ? INFINITY : gv_canonical_limit(GV_GREAT_CIRCLE, &globe->ellipsoid, o.max_distance);
  const gv_allocator *allocator = &context->allocator;
  gv_status status = GV_OK;
  double *positions = gv_allocate(allocator, BATCH, 5 * sizeof(double));
  double *chord2 = gv_allocate(allocator, (int64_t)BATCH * asked, sizeof(double));
  int64_t *found = gv_allocate(allocator, (int64_t)BATCH * asked, sizeof(int64_t));
  if (positions == NULL || chord2 == NULL || found == NULL) {
    status = gv_fail_memory(context, "a batch of queries");
    goto done;
  }
  double *lon = positions, *lat = positions + BATCH, *vectors = positions + 2 * BATCH;
  gv_context quiet = *context;
  quiet.progress = NULL;
  gv_progress progress;
  gv_progress_init(&progress, context, queries->count);
  for (int64_t first = 0; first < queries->count && status == GV_OK; first += BATCH) {
    int64_t count = queries->count - first < BATCH ? queries->count - first : BATCH;
    status = to_vectors(context, globe, queries, first, count, "query", lon, lat, vectors);
    if (status != GV_OK) break;
    gv_query query = {vectors, count, asked, limit, o.exclude_self ? first : -1};
    status = gv_index_search_canonical(&quiet, globe->chords, &query, found, chord2);
    if (status != GV_OK) {
      memcpy(context->message, quiet.message, sizeof context->message);
      break;
    }
    gv_first_error error;
    gv_first_error_init(&error);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < count; i++) {
      int64_t *index = indices + (first + i) * o.k;
      double *distance = distances != NULL ? distances + (first + i) * o.k : NULL;
      if (gv_first_error_seen(&error)) continue;
      if (!geodesic) {
        memcpy(index, found + i * asked, (size_t)o.k * sizeof *index);
        for (int32_t r = 0; distance != NULL && r < o.k; r++) {
          distance[r] = index[r] >= 0 ? gv_arc_of_chord2(globe->radius, chord2[i * asked + r]) : INFINITY;
        }
        continue;
      }
      gv_context worker;
      gv_context_for_worker(context, &worker);
      task t = {globe,
                lon[i],
                lat[i],
                vectors + 3 * i,
                o.exclude_self ? first + i : -1,
                o.k,
                asked,
                found + i * asked,
                chord2 + i * asked,
                o.max_distance,
                measure};
      gv_status result = decide(&worker, &t, index, distance);
      if (result != GV_OK) gv_first_error_set(&error, result, worker.message);
    }
    status = gv_first_error_finish(&error, context);
    if (status == GV_OK && !gv_progress_add(&progress, count)) {
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
    }
  }

done:
  gv_release(allocator, positions);
  gv_release(allocator, chord2);
  gv_release(allocator, found);
  return status;
}
