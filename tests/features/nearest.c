/* The nearest point of a feature, against other formulas on every edge. */
#include "features/brute.h"
#include "features/cases.h"

typedef struct setting {
  const char *name;
  gv_metric metric;
  gv_edges edges;
  int positions;
  double error; /* of distances */
} setting;

static const setting settings[] = {
    {"euclidean", GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 300, 1e-12},
    {"manhattan", GV_MANHATTAN, GV_EDGES_STRAIGHT, 300, 1e-12},
    {"chebyshev", GV_CHEBYSHEV, GV_EDGES_STRAIGHT, 300, 1e-12},
    {"arcs", GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 300, 1e-3},
    {"straight lines on the sphere", GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 30, 1e-3},
    {"geodesics", GV_GEODESIC, GV_EDGES_GEODESIC, 20, 1e-4},
    {"straight lines", GV_GEODESIC, GV_EDGES_STRAIGHT, 20, 1e-4},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The reported closest point, as longitude and latitude, or x and y. */
static void place_of(const setting *s, const gv_edge_closest *closest, double at[2]) {
  gv_edge_closest copy = *closest;
  bool plane = s->metric != GV_GREAT_CIRCLE && s->metric != GV_GEODESIC;
  if (s->metric == GV_GREAT_CIRCLE && s->edges == GV_EDGES_GEODESIC) gv_edge_closest_lonlat(&copy);
  at[0] = plane ? copy.vector[0] : copy.lon;
  at[1] = plane ? copy.vector[1] : copy.lat;
}

/* The distance, a place of the feature that is as far away, and the direction to it. */
static void check(const setting *s, const brute *b, const gv_feature_set *set, int32_t f, const double at[2],
                  bool boundary) {
  gv_edge_place q = place_at(s->metric, at[0], at[1], NULL);
  gv_edge_closest closest;
  gv_feature_nearest(set, f, &q, boundary, &closest);
  if (!boundary && brute_contains(b, &l, f, at)) {
    if (closest.canonical != 0.0 || !isnan(closest.azimuth))
      fail_msg("%s: %.17g %.17g is in %d", s->name, at[0], at[1], (int)f);
    return;
  }
  brute_nearest expected = brute_nearest_of(b, &l, f, f + 1, NULL, at);
  double distance = brute_distance_of(b, closest.canonical), place[2], azimuth, away;
  if (!(fabs(distance - expected.distance) <= s->error))
    fail_msg("%s: %d from %.17g %.17g: %.9f, not %.9f", s->name, (int)f, at[0], at[1], distance,
             expected.distance);
  place_of(s, &closest, place);
  brute_nearest back = brute_nearest_of(b, &l, f, f + 1, NULL, place);
  if (!(back.distance <= fmax(s->error, 1e-6)))
    fail_msg("%s: %.17g %.17g is %.9g beside feature %d", s->name, place[0], place[1], back.distance, (int)f);
  if (brute_on_plane(b)) {
    away = (double)brute_norm(s->metric, (long double)place[0] - at[0], (long double)place[1] - at[1]);
  } else {
    geod_inverse(&b->geod, at[1], at[0], place[1], place[0], &away, &azimuth, NULL);
    if (s->metric == GV_GEODESIC && distance > 1e3 && distance < 1.5e7)
      assert_true(fabs(remainder(closest.azimuth - azimuth, 360.0)) < 1e-6);
  }
  if (!(fabs(away - distance) <= s->error))
    fail_msg("%s: the place is at %.9f, not %.9f", s->name, away, distance);
}

static void distances_of_all_edges(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    const setting *s = &settings[i];
    brute b = brute_of(s->metric, s->edges);
    bool plane = brute_on_plane(&b);
    const double low[2] = {plane ? 0.0 : -80.0, plane ? 0.0 : -60.0},
                 high[2] = {plane ? 50.0 : 70.0, plane ? 40.0 : 60.0};
    gv_feature_set set;
    layer_clear(&l);
    layer_random(&l, 20, low, high, plane ? 9.0 : 20.0);
    make_set(s->metric, s->edges, false, &set);
    for (int k = 0; k < s->positions; k++) {
      const double at[2] = {layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1])};
      for (int32_t f = 0; f < set.count; f++)
        check(s, &b, &set, f, at, k % 2 == 0);
    }
    gv_feature_set_clear(&set);
  }
}

/* Seen from far away, from poles and across the antimeridian, where positions are outside of all features. */
static void distances_from_afar(void **unused) {
  (void)unused;
  for (int i = 3; i < SETTINGS; i++) {
    const setting *s = &settings[i];
    brute b = brute_of(s->metric, s->edges);
    const double low[2] = {100.0, 10.0}, high[2] = {160.0, 50.0};
    static const double places[][2] = {{0, 90}, {0, -90}, {-170, 30}, {-45, -20}, {180, 0}, {-179.9, 60}};
    gv_feature_set set;
    layer_clear(&l);
    layer_random(&l, 10, low, high, 8.0);
    make_set(s->metric, s->edges, true, &set);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
      for (int32_t f = 0; f < set.count; f++)
        check(s, &b, &set, f, places[k], true);
    }
    gv_feature_set_clear(&set);
  }
}

/* Whole numbers have no rounding: of equal distances the first edge's place counts. */
static void the_first_of_equal_ones(void **unused) {
  (void)unused;
  const double corner[3][2] = {{3, -1}, {3, 1}, {-3, 1}};
  gv_feature_set set;
  gv_edge_closest closest;
  gv_edge_place q = place_at(GV_EUCLIDEAN, 0, 0, NULL);
  layer_clear(&l);
  const double apart[6][2] = {{1, -5}, {1, 5}, {-1, 5}, {-1, -5}, {5, -1}, {-5, -1}};
  layer_add(&l, GV_PART_LINE, apart, 6);
  layer_add(&l, GV_PART_LINE, corner, 3);
  layer_end_feature(&l);
  make_set(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
  gv_feature_nearest(&set, 0, &q, false, &closest);
  assert_true(closest.canonical == 1.0 && closest.vector[0] == 1.0 && closest.vector[1] == 0.0);
  gv_feature_nearest(&set, 1, &q, false, &closest);
  assert_true(closest.canonical == 1.0 && closest.vector[0] == 0.0 && closest.vector[1] == 1.0);
  gv_feature_nearest(&set, 2, &q, false, &closest); /* of no parts */
  assert_true(isinf(closest.canonical));
  gv_feature_set_clear(&set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(distances_of_all_edges),
    cmocka_unit_test(distances_from_afar),
    cmocka_unit_test(the_first_of_equal_ones),
};
FEATURE_TESTS_MAIN(tests)
