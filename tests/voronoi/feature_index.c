/* The index over lines and polygons: the order and the values of all features, one by one, to the bit. */
#include "cmocka_test.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/geometries.h"

#include <math.h>
#include <string.h>

#include "exact/distance.h"
#include "exact/globe.h"
#include "features/layer.h"
#include "features/set.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

static layer l;
static gv_context *context;

enum { QUERIES = 120, K = 4 };

static const gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563,
                                   (2.0 - 1.0 / 298.257223563) / 298.257223563};

static double distance_of(gv_metric metric, double canonical) {
  if (metric == GV_EUCLIDEAN) return sqrt(canonical);
  return metric == GV_GREAT_CIRCLE ? gv_arc_of_chord2(gv_globe_radius(&wgs84), canonical) : canonical;
}

/* The distance of a query from the reported closest point. */
static double apart(gv_metric metric, const gv_feature_set *set, const gv_edge_place *q, const double at[2]) {
  double lon = at[0], lat = at[1], vector[3] = {at[0], at[1], 0.0}, distance;
  if (metric == GV_GEODESIC) {
    geod_inverse(&set->surface.geod, q->lat, q->lon, lat, lon, &distance, NULL, NULL);
    return distance;
  }
  if (metric != GV_GREAT_CIRCLE)
    return distance_of(metric, gv_canonical_distance(q->vector, vector, 2, metric));
  gv_lonlat_to_vectors(NULL, false, 1, &lon, &lat, vector, vector + 1, vector + 2);
  return distance_of(metric, gv_canonical_distance(q->vector, vector, 3, GV_EUCLIDEAN));
}

static void check(gv_metric metric, gv_edges edges, double max_distance) {
  static double x[QUERIES], y[QUERIES], distances[QUERIES * K], alone[QUERIES * K], nearest[QUERIES * K * 2];
  static int64_t indices[QUERIES * K];
  bool globe = metric == GV_GEODESIC || metric == GV_GREAT_CIRCLE;
  const double low[2] = {globe ? -180.0 : 0.0, globe ? -90.0 : 0.0},
               high[2] = {globe ? 180.0 : 50.0, globe ? 90.0 : 40.0};
  layer_clear(&l);
  layer_random(&l, 25, low, high, globe ? 40.0 : 9.0);
  for (int i = 0; i < QUERIES; i++) {
    x[i] = i % 10 == 0 ? l.x[i] : layer_uniform(low[0], high[0]);
    y[i] = i % 10 == 0 ? l.y[i] : layer_uniform(low[1], high[1]);
  }
  gv_features f = layer_features(&l, edges, false);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  o.metric = metric;
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  gv_points queries = gv_points_xy(x, y, QUERIES);
  gv_search_options s;
  gv_search_options_init(&s);
  gv_feature_set set;
  assert_int_equal(gv_feature_set_init(context, metric, &wgs84, &f, &set), GV_OK);
  for (s.k = 1; s.k <= K; s.k += K - 1) {
    s.max_distance = s.k == 1 ? INFINITY : max_distance;
    if (search_features(context, index, &queries, &s, indices, distances, nearest) != GV_OK)
      fail_msg("%s", gv_context_message(context));
    assert_int_equal(search_features(context, index, &queries, &s, indices, alone, NULL), GV_OK);
    assert_memory_equal(alone, distances, sizeof *alone * (size_t)(QUERIES * s.k));
    for (int i = 0; i < QUERIES; i++) {
      gv_edge_place q = {.lon = x[i], .lat = y[i], .vector = {x[i], y[i], 0.0}};
      double last = -1.0;
      int64_t last_index = -1;
      if (globe) {
        gv_normalize_lonlat(&q.lon, &q.lat);
        gv_lonlat_to_vectors(&wgs84, metric == GV_GEODESIC, 1, &q.lon, &q.lat, q.vector, q.vector + 1,
                             q.vector + 2);
      }
      for (int neighbor = 0; neighbor < s.k; neighbor++) { /* the least pair after the last */
        double best = INFINITY;
        int64_t who = -1;
        for (int32_t n = 0; n < set.count; n++) {
          gv_edge_closest closest;
          gv_feature_nearest(&set, n, &q, false, &closest);
          double d = distance_of(metric, closest.canonical);
          if ((d > last || (d == last && n > last_index)) && d < best && d <= s.max_distance)
            best = d, who = n;
        }
        int64_t at = (int64_t)i * s.k + neighbor;
        if (indices[at] != who || distances[at] != best)
          fail_msg("%s, query %d, rank %d: %lld at %.17g, not %lld at %.17g", gv_metric_name(metric), i,
                   neighbor, (long long)indices[at], distances[at], (long long)who, best);
        assert_true(isnan(nearest[2 * at]) == (who < 0));
        if (who < 0) break;
        assert_true(fabs(apart(metric, &set, &q, nearest + 2 * at) - best) <=
                    (globe ? 1e-3 : 1e-12) + 1e-12 * best);
        last = best;
        last_index = who;
      }
    }
  }
  gv_feature_set_clear(&set);
  gv_index_destroy(index);
}

static void k_nearest_features_match(void **unused) {
  (void)unused;
  check(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 6.0);
  check(GV_MANHATTAN, GV_EDGES_STRAIGHT, 6.0);
  check(GV_CHEBYSHEV, GV_EDGES_STRAIGHT, 6.0);
  check(GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 3e6);
  check(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 3e6);
  check(GV_GEODESIC, GV_EDGES_STRAIGHT, 3e6);
  check(GV_GEODESIC, GV_EDGES_GEODESIC, 3e6);
}

/* Queries as many as edges and more are searched together; a few are not. */
static void check_crowd(gv_metric metric, gv_edges edges, double max_distance, bool boundary) {
  enum { CROWD = 5000, FEW = 200 };
  static double x[CROWD], y[CROWD], distances[2][CROWD], nearest[2][CROWD * 2];
  static int64_t indices[2][CROWD];
  bool globe = metric == GV_GEODESIC || metric == GV_GREAT_CIRCLE;
  const double low[2] = {globe ? -180.0 : 0.0, globe ? -90.0 : 0.0},
               high[2] = {globe ? 180.0 : 50.0, globe ? 90.0 : 40.0};
  layer_clear(&l);
  layer_random(&l, 25, low, high, globe ? 40.0 : 9.0);
  for (int i = 0; i < CROWD; i++) {
    bool vertex = i % 10 == 0, near = i % 3 == 0 && i > 0, edge = globe && i % 97 == 0;
    x[i] = vertex ? l.x[i % l.vertices]
           : near ? x[i - 1] + layer_uniform(-0.01, 0.01)
                  : layer_uniform(low[0], high[0]);
    y[i] = vertex ? l.y[i % l.vertices] : near ? y[i - 1] : layer_uniform(low[1], high[1]);
    if (edge) x[i] = i % 2 == 0 ? 180.0 : 540.0;
    if (edge && i % 4 == 0) y[i] = i % 8 == 0 ? 90.0 : -90.0;
  }
  gv_features f = layer_features(&l, edges, boundary);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  o.metric = metric;
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  gv_search_options s;
  gv_search_options_init(&s);
  s.max_distance = max_distance;
  gv_points all = gv_points_xy(x, y, CROWD);
  assert_int_equal(search_features(context, index, &all, &s, indices[0], distances[0], nearest[0]), GV_OK);
  for (int64_t i = 0; i < CROWD; i += FEW) {
    gv_points few = gv_points_xy(x + i, y + i, FEW);
    assert_int_equal(
        search_features(context, index, &few, &s, indices[1] + i, distances[1] + i, nearest[1] + 2 * i),
        GV_OK);
  }
  for (int i = 0; i < CROWD; i++) {
    if (indices[0][i] != indices[1][i] || distances[0][i] != distances[1][i] ||
        memcmp(nearest[0] + 2 * i, nearest[1] + 2 * i, 2 * sizeof **nearest) != 0)
      fail_msg("%s, query %d at %.17g, %.17g: %lld at %.17g, not %lld at %.17g", gv_metric_name(metric), i,
               x[i], y[i], (long long)indices[0][i], distances[0][i], (long long)indices[1][i],
               distances[1][i]);
  }
  memset(indices[0], 0, sizeof indices[0]);
  memset(distances[1], 0, sizeof distances[1]);
  assert_int_equal(search_features(context, index, &all, &s, indices[0], NULL, NULL), GV_OK);
  assert_memory_equal(indices[0], indices[1], sizeof indices[0]);
  assert_int_equal(search_features(context, index, &all, &s, indices[0], distances[1], NULL), GV_OK);
  assert_memory_equal(distances[0], distances[1], sizeof distances[0]);
  y[CROWD - 1] = (double)NAN;
  assert_int_equal(search_features(context, index, &all, &s, indices[0], NULL, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  gv_index_destroy(index);
}

static void crowds_are_answered_as_one_by_one(void **unused) {
  (void)unused;
  check_crowd(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, INFINITY, false);
  check_crowd(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 2.0, true);
  check_crowd(GV_MANHATTAN, GV_EDGES_STRAIGHT, 2.0, false);
  check_crowd(GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, INFINITY, true);
  check_crowd(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 1e6, false);
  check_crowd(GV_GEODESIC, GV_EDGES_STRAIGHT, INFINITY, false);
  check_crowd(GV_GEODESIC, GV_EDGES_STRAIGHT, 1e6, true);
  check_crowd(GV_GEODESIC, GV_EDGES_GEODESIC, INFINITY, false);
}

/* As far as squares of distances are numbers, and farther. */
static void what_cannot_be_squared_is_nobodys(void **unused) {
  (void)unused;
  enum { PLACES = 300 };
  static double x[PLACES], y[PLACES], distances[PLACES];
  static int64_t indices[PLACES];
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  gv_index *index = NULL;
  layer_clear(&l);
  layer_box(&l, 0, 0, 1, 1);
  gv_features f = layer_features(&l, GV_EDGES_STRAIGHT, false);
  o.metric = GV_EUCLIDEAN;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  for (int i = 0; i < PLACES; i++)
    x[i] = i % 3 == 0 ? 1e154 : i % 3 == 1 ? 1e155 : -6e153;
  for (int64_t count = 3; count <= PLACES; count += PLACES - 3) { /* one by one, and together */
    gv_points places = gv_points_xy(x, y, count);
    assert_int_equal(search_features(context, index, &places, NULL, indices, distances, NULL), GV_OK);
    for (int i = 0; i < count; i++) {
      assert_int_equal(indices[i], i % 3 == 1 ? -1 : 0);
      assert_true(distances[i] == (i % 3 == 1 ? INFINITY : fabs(x[i])));
    }
  }
  gv_index_destroy(index);
}

/* More features than are stored at once, all at equal distance from the pole: the lowest numbers, in any
 * order. */
static void many_are_as_near(void **unused) {
  (void)unused;
  enum { MANY = 360, MOST = 3 };
  const double x = 0.0, y = 90.0;
  gv_points pole = gv_points_xy(&x, &y, 1);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  gv_search_options s;
  gv_search_options_init(&s);
  o.metric = GV_GEODESIC;
  for (int turn = 0; turn < MANY; turn += 1) {
    gv_index *index = NULL;
    int64_t found[MOST] = {-1, -1, -1};
    layer_clear(&l);
    s.k = turn % 2 == 0 ? 1 : MOST;
    for (int i = 0; i < MANY; i++) {
      const double lon = (double)((i + turn) % MANY) - 180.0, line[2][2] = {{lon, 60.0}, {lon + 1.0, 60.0}};
      layer_add(&l, GV_PART_LINE, line, 2);
    }
    gv_features f = layer_features(&l, GV_EDGES_STRAIGHT, false);
    assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
    assert_int_equal(search_features(context, index, &pole, &s, found, NULL, NULL), GV_OK);
    for (int i = 0; i < s.k; i++)
      assert_int_equal(found[i], i);
    gv_index_destroy(index);
  }
}

static void refused(const gv_index *index, const gv_points *queries, const gv_search_options *s,
                    const char *why) {
  int64_t found[4];
  assert_int_equal(search_features(context, index, queries, s, found, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  if (strstr(gv_context_message(context), why) == NULL) fail_msg("'%s'", gv_context_message(context));
}

static void bad_calls_are_refused(void **unused) {
  (void)unused;
  gv_index *index = NULL;
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  layer_clear(&l);
  layer_box(&l, 0, 0, 1, 1);
  gv_features f = layer_features(&l, GV_EDGES_STRAIGHT, false);
  assert_int_equal(gv_index_build_features(NULL, &f, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build_features(context, NULL, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build_features(context, &f, &o, NULL), GV_ERROR_INVALID_ARGUMENT);
  o.metric = (gv_metric)17;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_null(index);
  o.metric = GV_GEODESIC;
  o.backend = "kdtree";
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(gv_context_message(context), "(kdtree)"));
  o.backend = "tile";
  o.array_options = &on_device;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(gv_context_message(context), "device memory"));
  o.array_options = NULL;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  double x[2] = {0.5, (double)NAN}, y[2] = {0.5, 1.0}, high[1] = {91.0};
  gv_points good = gv_points_xy(x, y, 1), bad = gv_points_xy(x, y, 2), beyond = gv_points_xy(x, high, 1),
            none = gv_points_xy(NULL, NULL, 1);
  gv_search_options s;
  gv_search_options_init(&s);
  refused(NULL, &good, &s, "index: the pointer is NULL");
  refused(index, NULL, &s, "against itself");
  refused(index, &none, &s, "NULL");
  refused(index, &bad, &s, "query 1 (from 0)");
  refused(index, &beyond, &s, "query 0 (from 0)");
  s.k = 65;
  refused(index, &good, &s, "k: out of range [1, 64] (65)");
  s.k = 1;
  s.max_distance = -1.0;
  refused(index, &good, &s, "maximum distance");
  s.max_distance = INFINITY;
  s.exclude_self = 1;
  refused(index, &good, &s, "against itself");
  gv_index_destroy(index);
  gv_index_destroy(NULL);
}

static int start(void **unused) {
  (void)unused;
  return gv_context_create(NULL, &context) == GV_OK ? 0 : -1;
}

static int stop(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(k_nearest_features_match), cmocka_unit_test(crowds_are_answered_as_one_by_one),
      cmocka_unit_test(what_cannot_be_squared_is_nobodys), cmocka_unit_test(many_are_as_near),
      cmocka_unit_test(bad_calls_are_refused)};
  return cmocka_run_group_tests(tests, start, stop);
}
