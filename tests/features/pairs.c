/* The nearest features of features: the least of all pairs of their parts, by other formulas. */
#include "cmocka_test.h"
#include "features/brute.h"

#include "exact/globe.h"
#include "features/set.h"

enum { FEATURES = 25, QUERIES = 30, K = 5, MANY = 100, TEETH = 10000 };

static layer indexed, asking;
static int meetings; /* pairs that cross without a vertex in the other */
static gv_context *context;

static const gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563,
                                   (2.0 - 1.0 / 298.257223563) / 298.257223563};

/* ------------------------------------------------------------------------------------- whether edges meet */

static long double turn(const double a[2], const double b[2], const double c[2]) {
  return ((long double)b[0] - a[0]) * ((long double)c[1] - a[1]) -
         ((long double)b[1] - a[1]) * ((long double)c[0] - a[0]);
}

static bool segments_cross(const double a[2], const double b[2], const double c[2], const double d[2]) {
  return turn(a, b, c) * turn(a, b, d) < 0.0L && turn(c, d, a) * turn(c, d, b) < 0.0L;
}

static brute_vector cross(brute_vector a, brute_vector b) {
  return (brute_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(brute_vector a, brute_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool on_arc(brute_vector a, brute_vector b, brute_vector n, brute_vector x) {
  return dot(cross(a, x), n) > 0.0L && dot(cross(x, b), n) > 0.0L;
}

/* One of the two places where the great circles meet is on both arcs. */
static bool arcs_cross(const double p[2], const double q[2], const double r[2], const double s[2]) {
  brute_vector a = brute_unit(p[0], p[1]), b = brute_unit(q[0], q[1]), c = brute_unit(r[0], r[1]),
               d = brute_unit(s[0], s[1]);
  brute_vector n = cross(a, b), m = cross(c, d), x = cross(n, m), back = {-x.x, -x.y, -x.z};
  return (on_arc(a, b, n, x) && on_arc(c, d, m, x)) || (on_arc(a, b, n, back) && on_arc(c, d, m, back));
}

/* ----------------------------------------------------------------------------------------- by brute force */

/* Calls with each edge of a feature. */
static bool any_edge(const layer *l, int64_t f,
                     bool (*test)(const double a[2], const double b[2], void *user), void *user) {
  for (int64_t p = l->part[f]; p < l->part[f + 1]; p++) {
    for (int64_t r = l->ring[p]; r < l->ring[p + 1]; r++) {
      for (int64_t v = l->vertex[r]; l->kind[p] != GV_PART_POINTS && v + 1 < l->vertex[r + 1]; v++) {
        const double a[2] = {l->x[v], l->y[v]}, b[2] = {l->x[v + 1], l->y[v + 1]};
        if (test(a, b, user)) return true;
      }
    }
  }
  return false;
}

typedef struct meeting {
  const double *a, *b;
  bool globe;
  const layer *other;
  int64_t feature;
} meeting;

static bool edges_meet(const double c[2], const double d[2], void *user) {
  const meeting *m = user;
  return (m->globe ? arcs_cross : segments_cross)(m->a, m->b, c, d);
}

static bool edge_meets(const double a[2], const double b[2], void *user) {
  meeting *m = user;
  m->a = a;
  m->b = b;
  return any_edge(m->other, m->feature, edges_meet, m);
}

/* The least distance from a vertex of one to the other: 0 inside a polygon. */
static double from_vertices(const layer *l, int64_t f, const gv_feature_set *set, int32_t of) {
  double least = INFINITY;
  for (int64_t v = l->vertex[l->ring[l->part[f]]]; v < l->vertex[l->ring[l->part[f + 1]]]; v++) {
    gv_edge_place q = {.lon = l->x[v], .lat = l->y[v], .vector = {l->x[v], l->y[v], 0.0}};
    gv_edge_closest closest;
    if (set->globe) {
      gv_normalize_lonlat(&q.lon, &q.lat);
      gv_lonlat_to_vectors(&wgs84, set->metric == GV_GEODESIC, 1, &q.lon, &q.lat, q.vector, q.vector + 1,
                           q.vector + 2);
    }
    gv_feature_nearest(set, of, &q, false, &closest);
    least = fmin(least, closest.canonical);
  }
  return least;
}

static void make_layers(bool globe, double size) {
  const double low[2] = {globe ? -180.0 : 0.0, globe ? -80.0 : 0.0},
               high[2] = {globe ? 180.0 : 50.0, globe ? 80.0 : 40.0};
  layer_clear(&indexed);
  layer_clear(&asking);
  layer_random(&indexed, FEATURES, low, high, size);
  layer_end_feature(&indexed); /* an empty one */
  layer_random(&asking, QUERIES, low, high, size);
  layer_end_feature(&asking);
}

static void check_query(const brute *b, const double expected[FEATURES + 1], int64_t query,
                        const gv_search_options *o, const int64_t *indices, const double *distances) {
  double last = -1.0;
  int64_t last_index = -1;
  for (int n = 0; n < o->k; n++) {
    double best = INFINITY;
    int64_t who = -1;
    for (int64_t f = 0; f < FEATURES + 1; f++) {
      double d = expected[f];
      if ((d > last || (d == last && f > last_index)) && d < best && d <= o->max_distance) best = d, who = f;
    }
    if (indices[n] != who || !(distances[n] == best || fabs(distances[n] - best) <= 1e-12 * best))
      fail_msg("%s, query %lld, neighbor %d: %lld at %.17g, not %lld at %.17g", gv_metric_name(b->metric),
               (long long)query, n, (long long)indices[n], distances[n], (long long)who, best);
    if (who < 0) break;
    last = best;
    last_index = who;
  }
}

static void check(gv_metric metric, gv_edges edges, double size, double max_distance) {
  static double distances[(QUERIES + 1) * MANY], expected[QUERIES + 1][FEATURES + 1];
  static int64_t indices[(QUERIES + 1) * MANY];
  brute b = brute_of(metric, edges);
  bool globe = !brute_on_plane(&b);
  make_layers(globe, size);
  gv_features f = layer_features(&indexed, edges, false), g = layer_features(&asking, edges, false);
  gv_feature_set set[2];
  assert_int_equal(gv_feature_set_init(context, metric, &wgs84, &f, &set[0]), GV_OK);
  assert_int_equal(gv_feature_set_init(context, metric, &wgs84, &g, &set[1]), GV_OK);
  for (int32_t i = 0; i < QUERIES + 1; i++) {
    for (int32_t n = 0; n < FEATURES + 1; n++) {
      meeting m = {.globe = globe, .other = &indexed, .feature = n};
      double least = fmin(from_vertices(&asking, i, &set[0], n), from_vertices(&indexed, n, &set[1], i));
      bool crossing = least > 0.0 && any_edge(&asking, i, edge_meets, &m);
      meetings += crossing;
      expected[i][n] = crossing ? 0.0 : least < INFINITY ? brute_distance_of(&b, least) : INFINITY;
    }
  }
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = metric;
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  gv_search_options s;
  gv_search_options_init(&s);
  static const int32_t ks[] = {1, K, MANY};
  for (size_t t = 0; t < sizeof ks / sizeof *ks; t++) {
    s.k = ks[t];
    s.max_distance = s.k == 1 ? INFINITY : max_distance;
    if (gv_index_search_features(context, index, &g, &s, indices, distances) != GV_OK)
      fail_msg("%s", gv_context_message(context));
    for (int64_t i = 0; i < QUERIES + 1; i++)
      check_query(&b, expected[i], i, &s, indices + i * s.k, distances + i * s.k);
    assert_int_equal(gv_index_search_features(context, index, &g, &s, indices, NULL), GV_OK);
  }
  gv_index_destroy(index);
  gv_feature_set_clear(&set[0]);
  gv_feature_set_clear(&set[1]);
}

static void nearest_features_are_those_of_all_pairs(void **unused) {
  (void)unused;
  for (int turn_of = 0; turn_of < 4; turn_of++) {
    check(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 9.0, 6.0);
    check(GV_MANHATTAN, GV_EDGES_STRAIGHT, 9.0, 6.0);
    check(GV_CHEBYSHEV, GV_EDGES_STRAIGHT, 30.0, 2.0);
    check(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 40.0, 3e6);
    check(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 12.0, INFINITY);
    assert_true(meetings > 5 * turn_of);
  }
}

/* Geodesics of the ellipsoid: what crosses far from its ends, what does not, what lies within. */
static void geodesics_meet_and_miss(void **unused) {
  (void)unused;
  const double lines[][2][2] = {
      {{-10.0, 50.0}, {10.0, 50.0}}, {{0.0, 30.0}, {0.0, 49.0}}, {{100.0, -5.0}, {120.0, 5.0}}};
  const double asked[][2][2] = {
      {{0.0, 45.0}, {0.0, 60.0}}, {{120.0, -5.0}, {100.0, 5.0}}, {{179.0, 1.0}, {-179.0, 2.0}}};
  const int64_t expected[] = {0, 2, 3};
  int64_t found[3];
  double meters[3], far;
  layer_clear(&indexed);
  layer_clear(&asking);
  for (int i = 0; i < 3; i++) {
    layer_add(&indexed, GV_PART_LINE, lines[i], 2);
    layer_add(&asking, GV_PART_LINE, asked[i], 2);
  }
  layer_box(&indexed, 170.0, -10.0, -170.0, 10.0);
  gv_features f = layer_features(&indexed, GV_EDGES_GEODESIC, false),
              g = layer_features(&asking, GV_EDGES_GEODESIC, false);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  assert_int_equal(gv_index_search_features(context, index, &g, NULL, found, meters), GV_OK);
  for (int i = 0; i < 3; i++)
    assert_true(found[i] == expected[i] && meters[i] == 0.0);
  g.count = 1;
  asking.y[0] = 51.0; /* the geodesic reaches 50.4 degrees north: 0.6 degrees from there */
  assert_int_equal(gv_index_search_features(context, index, &g, NULL, found, meters), GV_OK);
  struct geod_geodesic geod;
  geod_init(&geod, wgs84.semi_major, wgs84.flattening);
  geod_inverse(&geod, 50.44, 0.0, 51.0, 0.0, &far, NULL, NULL);
  assert_true(found[0] == 0 && fabs(meters[0] - far) < 1500.0 && meters[0] > 0.0);
  gv_index_destroy(index);
}

/* Edges that touch or overlap, exactly. */
static void touching_is_meeting_on_the_plane(void **unused) {
  (void)unused;
  const double base[2][2] = {{0.1, 0.1}, {0.7, 0.3}}; /* (0.4, 0.2) is beside it by a rounding */
  const double asked[][2][2] = {{{0.7, 0.3}, {5.0, 5.0}},
                                {{-0.5, -0.1}, {0.1, 0.1}},
                                {{0.1, 0.1}, {0.7, 0.3}},
                                {{0.0, 0.0}, {0.0, 0.0}}};
  int64_t found[4];
  double distance[4];
  layer_clear(&indexed);
  layer_clear(&asking);
  layer_add(&indexed, GV_PART_LINE, base, 2);
  for (int i = 0; i < 4; i++)
    layer_add(&asking, GV_PART_LINE, asked[i], 2);
  gv_features f = layer_features(&indexed, GV_EDGES_STRAIGHT, false),
              g = layer_features(&asking, GV_EDGES_STRAIGHT, false);
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(context, &f, NULL, &index), GV_OK);
  assert_int_equal(gv_index_search_features(context, index, &g, NULL, found, distance), GV_OK);
  for (int i = 0; i < 3; i++)
    assert_true(distance[i] == 0.0);
  assert_true(distance[3] == sqrt(0.1 * 0.1 + 0.1 * 0.1));
  gv_index_destroy(index);
}

static void refused(const gv_index *index, const gv_features *f, const gv_search_options *s, gv_status status,
                    const char *why) {
  int64_t found[QUERIES];
  assert_int_equal(gv_index_search_features(context, index, f, s, found, NULL), status);
  if (strstr(gv_context_message(context), why) == NULL) fail_msg("'%s'", gv_context_message(context));
}

static void bad_calls_are_refused(void **unused) {
  (void)unused;
  const double x[2] = {1.0, 2.0}, y[2] = {1.0, 2.0};
  double nearest[2 * QUERIES];
  gv_points points = gv_points_xy(x, y, 2);
  gv_index *index = NULL, *of_points = NULL;
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_GEODESIC;
  layer_clear(&indexed);
  layer_box(&indexed, 0, 0, 1, 1);
  gv_features f = layer_features(&indexed, GV_EDGES_STRAIGHT, false),
              g = layer_features(&indexed, GV_EDGES_GEODESIC, false);
  assert_int_equal(gv_index_build_features(context, &f, &o, &index), GV_OK);
  assert_int_equal(gv_index_build(context, &points, NULL, &of_points), GV_OK);
  gv_search_options s;
  gv_search_options_init(&s);
  assert_int_equal(gv_index_search_features(NULL, index, &f, &s, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search_features(context, index, &f, &s, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  refused(NULL, &f, &s, GV_ERROR_INVALID_ARGUMENT, "index: the pointer is NULL");
  refused(of_points, &f, &s, GV_ERROR_UNSUPPORTED, "not of lines and polygons");
  refused(index, NULL, &s, GV_ERROR_INVALID_ARGUMENT, "features: missing");
  refused(index, &g, &s, GV_ERROR_INVALID_ARGUMENT, "edges: those of the queries");
  refused(index, &f, &s, GV_ERROR_UNSUPPORTED, "straight edges on the globe");
  s.k = 1025;
  refused(index, &f, &s, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, 1024] (1025)");
  s.k = 1;
  s.nearest = nearest;
  refused(index, &f, &s, GV_ERROR_UNSUPPORTED, "not supported");
  s.nearest = NULL;
  indexed.kind[0] = GV_PART_POINTS; /* points have no edges: any shape is supported */
  int64_t found;
  assert_int_equal(gv_index_search_features(context, index, &f, &s, &found, NULL), GV_OK);
  assert_int_equal(found, 0);
  indexed.x[1] = (double)NAN;
  refused(index, &f, &s, GV_ERROR_INVALID_ARGUMENT, "feature 0");
  gv_index_destroy(index);
  gv_index_destroy(of_points);
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

/* Counts calls; cancels in the one with number `last`. */
typedef struct looks {
  int calls, last;
} looks;

static int look(double fraction, void *user) {
  looks *l = user;
  assert_true(fraction >= 0.0 && fraction <= 1.0);
  return ++l->calls != l->last;
}

/* A saw, `up` above another: many boxes of edges overlap, and no edges meet. */
static void add_saw(layer *l, double up) {
  static double at[TEETH][2];
  for (int i = 0; i < TEETH; i++) {
    at[i][0] = i;
    at[i][1] = up + (i % 2 == 0 ? 0.0 : 1000.0);
  }
  layer_clear(l);
  layer_add(l, GV_PART_LINE, (const double(*)[2])at, TEETH);
}

/* A search stops within a query, and building within a feature. */
static void long_work_is_cancelled(void **unused) {
  (void)unused;
  looks l = {0, 0};
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  options.progress = look;
  options.progress_user = &l;
  gv_context *own = NULL;
  assert_int_equal(gv_context_create(&options, &own), GV_OK);
  add_saw(&indexed, 0.0);
  add_saw(&asking, 0.5);
  gv_features f = layer_features(&indexed, GV_EDGES_STRAIGHT, false),
              g = layer_features(&asking, GV_EDGES_STRAIGHT, false);
  gv_index *index = NULL;
  assert_int_equal(gv_index_build_features(own, &f, NULL, &index), GV_OK);
  assert_true(l.calls > 2);
  gv_index *none = NULL;
  l = (looks){0, 3};
  assert_int_equal(gv_index_build_features(own, &f, NULL, &none), GV_ERROR_CANCELLED);
  assert_true(none == NULL && l.calls == 3);
  int64_t found;
  double distance;
  l = (looks){0, 0};
  assert_int_equal(gv_index_search_features(own, index, &g, NULL, &found, &distance), GV_OK);
  assert_true(found == 0 && distance > 0.0 && distance < 0.001);
  int calls = l.calls;
  assert_true(calls > 8); /* four of building the query's tree */
  l = (looks){0, calls - 2};
  assert_int_equal(gv_index_search_features(own, index, &g, NULL, &found, &distance), GV_ERROR_CANCELLED);
  assert_int_equal(l.calls, calls - 2);
  gv_index_destroy(index);
  gv_context_destroy(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_work_is_cancelled), cmocka_unit_test(nearest_features_are_those_of_all_pairs),
      cmocka_unit_test(geodesics_meet_and_miss), cmocka_unit_test(touching_is_meeting_on_the_plane),
      cmocka_unit_test(bad_calls_are_refused)};
  return cmocka_run_group_tests(tests, start, stop);
}
