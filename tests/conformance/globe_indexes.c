/*
 * Searches of the globe: every backend returns the results of a loop over geod_inverse, also if chords leave
 * thousands of seeds open (clusters seen from far away, antipodes); and these seeds are requested in few
 * searches, not query by query.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "left_out.h"
#include "voronoi/widen.h"

enum { SEEDS = 5000, QUERIES = 90, FEW = 150, MOST = 7 };

static uint64_t random_state = 5;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(random_state >> 11) * 0x1p-53;
}

/* A cluster of a few meters, some of its seeds in one place, and perhaps one seed in five anywhere. */
static void make_seeds(bool alone, double *lon, double *lat) {
  for (int i = 0; i < SEEDS; i++) {
    bool anywhere = !alone && i % 5 == 0;
    lon[i] = anywhere ? 360.0 * uniform() - 180.0 : 20.0 + 1e-4 * uniform();
    lat[i] = anywhere ? 180.0 * uniform() - 90.0 : 30.0 + 1e-4 * uniform();
    if (i % 7 == 1) {
      lon[i] = lon[i - 1];
      lat[i] = lat[i - 1];
    }
  }
}

/* Anywhere, in the cluster and opposite to it. */
static void make_queries(double *lon, double *lat) {
  for (int i = 0; i < QUERIES; i++) {
    double size = i % 3 == 0 ? 160.0 : 2e-4;
    lon[i] = (i % 3 == 2 ? -160.0 : 20.0) + size * (uniform() - 0.5);
    lat[i] = (i % 3 == 0 ? 0.0 : i % 3 == 1 ? 30.0 : -30.0) + size * (uniform() - 0.5);
  }
}

/* A grid of 50 columns, and queries round it: many seeds of its rim are nearly as near. */
static void make_grid(double *lon, double *lat, double *query_lon, double *query_lat) {
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = 10.0 + 0.1 * (i % 50) + 1e-3 * (i / 50);
    lat[i] = 40.0 + 0.1 * (i / 50) - 1e-3 * (i % 50);
  }
  for (int i = 0; i < QUERIES; i++) {
    query_lon[i] = 80.0 * uniform() - 30.0;
    query_lat[i] = 60.0 * uniform() + 15.0;
  }
}

static void expect(const struct geod_geodesic *geod, const gv_points *seeds, double lon, double lat,
                   int64_t self, int32_t k, int64_t *best, double *value) {
  int32_t held = 0;
  for (int64_t s = 0; s < seeds->count; s++) {
    double d;
    if (s == self) continue;
    geod_inverse(geod, lat, lon, seeds->y[s], seeds->x[s], &d, NULL, NULL);
    if (held == k && !(d < value[held - 1])) continue;
    int32_t at = held < k ? held++ : held - 1;
    for (; at > 0 && value[at - 1] > d; at--) {
      value[at] = value[at - 1];
      best[at] = best[at - 1];
    }
    value[at] = d;
    best[at] = s;
  }
}

/* queries NULL: the seeds themselves, each without itself. */
static void check(const gv_points *seeds, const gv_points *queries, int32_t k) {
  struct geod_geodesic geod;
  const gv_points *asked = queries != NULL ? queries : seeds;
  size_t places = (size_t)asked->count * (size_t)k;
  int64_t *expected = malloc(places * sizeof *expected), *found = malloc(places * sizeof *found);
  double *value = malloc(places * sizeof *value), *distance = malloc(places * sizeof *distance);
  assert_true(expected != NULL && found != NULL && value != NULL && distance != NULL);
  geod_init(&geod, 6378137.0, 1.0 / 298.257223563);
  for (int64_t i = 0; i < asked->count; i++)
    expect(&geod, seeds, asked->x[i], asked->y[i], queries != NULL ? -1 : i, k, expected + i * k,
           value + i * k);
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b) || b->max_dim < 3) continue;
    gv_index_options build;
    gv_index_options_init(&build);
    build.metric = GV_GEODESIC;
    gv_search_options options;
    gv_search_options_init(&options);
    gv_index *globe = NULL;
    build.backend = b->name;
    options.k = k;
    options.exclude_self = queries == NULL;
    assert_int_equal(gv_index_build(context, seeds, &build, &globe), GV_OK);
    for (int turn = 0; turn < 4; turn++) { /* without and with distances; within that of a neighbor, too */
      const bool measured = turn % 2 == 1;
      options.max_distance = turn < 2 ? INFINITY : value[(places / 2) / (size_t)k * (size_t)k];
      memset(found, 0x55, places * sizeof *found);
      if (gv_index_search(context, globe, queries, &options, found, measured ? distance : NULL) != GV_OK) {
        fail_msg("%s: %s", b->name, gv_context_message(context));
      }
      for (size_t i = 0; i < places; i++) {
        const int64_t right = value[i] <= options.max_distance ? expected[i] : -1;
        if (found[i] != right || (measured && right >= 0 && distance[i] != value[i])) {
          fail_msg("%s, k %d: neighbor %d of query %d is %d, not %d", b->name, (int)k, (int)(i % (size_t)k),
                   (int)(i / (size_t)k), (int)found[i], (int)right);
        }
      }
    }
    gv_index_destroy(globe);
  }
  gv_context_destroy(context);
  free(expected);
  free(found);
  free(value);
  free(distance);
}

static void every_backend_finds_the_nearest(void **state) {
  (void)state;
  static const int32_t ks[] = {1, 2, MOST};
  static double lon[SEEDS], lat[SEEDS], query_lon[QUERIES], query_lat[QUERIES];
  gv_points seeds = gv_points_xy(lon, lat, SEEDS), queries = gv_points_xy(query_lon, query_lat, QUERIES),
            few = gv_points_xy(lon, lat, FEW);
  make_seeds(false, lon, lat);
  make_queries(query_lon, query_lat);
  for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
    check(&seeds, &queries, ks[i]);
    check(&few, NULL, ks[i]);
  }
  make_grid(lon, lat, query_lon, query_lat);
  for (size_t i = 0; i < sizeof ks / sizeof *ks; i++)
    check(&seeds, &queries, ks[i]);
  make_queries(query_lon, query_lat);
  /* Only the cluster: more seeds than any search requests. */
  make_seeds(true, lon, lat);
  queries.count = 9;
  check(&seeds, &queries, 2);
}

/* ---------------------------------------------------------------------------------- how often is searched */

static const gv_search_engine *counted;
static int searches;

static gv_status count_search(gv_context *context, const gv_reference *reference, const void *state,
                              const gv_query *query, int64_t *indices, double *canonical) {
  searches++;
  return counted->search(context, reference, state, query, indices, canonical);
}

static gv_status nothing_more(gv_context *context, const void *user, int64_t query,
                              const gv_neighbors *near) {
  int32_t *count = (int32_t *)user + query;
  (void)context;
  assert_int_equal(*count, 0);
  *count = near->count;
  return GV_OK;
}

/* On a ring around the pole all are as near to it: twice as many must be requested, and twice as many
 * again. */
static void open_queries_are_searched_together(void **state) {
  (void)state;
  enum { RING = 100, ASKED = 3, PLACES = 2000, ROUNDS = 3 };
  static double points[3 * RING], places[3 * PLACES], chord2[PLACES * ASKED];
  static int64_t found[PLACES * ASKED];
  static int32_t count[PLACES];
  gv_ellipsoid ellipsoid;
  gv_geodesic geodesic;
  gv_context *context = NULL;
  gv_point_index *index = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_ellipsoid_init(context, 0.0, 0.0, &ellipsoid), GV_OK);
  gv_geodesic_init(&ellipsoid, &geodesic);
  for (int i = 0; i < RING; i++) {
    double angle = 6.283185307179586 * i / RING;
    points[3 * i] = 0.3 * cos(angle);
    points[3 * i + 1] = 0.3 * sin(angle);
    points[3 * i + 2] = 0.95;
  }
  for (int i = 0; i < PLACES; i++)
    places[3 * i + 2] = 0.9966;
  gv_points reference = gv_points_rows(points, RING, 3, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = "openmp";
  assert_int_equal(gv_point_index_build(context, &reference, &options, &index), GV_OK);
  gv_query query = {places, PLACES, ASKED, INFINITY, -1, NULL, NULL};
  assert_int_equal(gv_index_search_canonical(context, index, &query, found, chord2), GV_OK);
  counted = index->engine;
  gv_search_engine counting = *counted;
  counting.search = count_search;
  index->engine = &counting;
  gv_widening widening = {&geodesic, index, 2, 1000, nothing_more, count};
  assert_int_equal(gv_widen(context, &widening, &query, found, chord2), GV_OK);
  index->engine = counted;
  assert_int_equal(searches, ROUNDS);
  for (int i = 0; i < PLACES; i++)
    assert_int_equal(count[i], RING);
  gv_point_index_destroy(index);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_finds_the_nearest),
      cmocka_unit_test(open_queries_are_searched_together),
      cmocka_unit_test(every_backend_can_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
