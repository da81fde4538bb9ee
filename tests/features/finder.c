/* The nearest points of features for positions of a ball, from lists of their edges. */
#include "features/finder.h"

#include <string.h>

#include "features/brute.h"
#include "features/cases.h"

static const case_setting settings[] = {
    {GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 300, 1e-12},    {GV_MANHATTAN, GV_EDGES_STRAIGHT, 100, 1e-12},
    {GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 2000, 1e-3}, {GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 6, 1e-3},
    {GV_GEODESIC, GV_EDGES_GEODESIC, 8, 1e-4},        {GV_GEODESIC, GV_EDGES_STRAIGHT, 8, 1e-4},
};
enum { SETTINGS = sizeof settings / sizeof *settings, INSIDE = 6 };

static gv_feature_set set;
static gv_geodesic geodesic;
static gv_feature_tree tree;
static gv_finder finder;
static brute b;
static double low[2], high[2];

static void plant(const case_setting *s, bool boundary, bool polygons) {
  b = brute_of(s->metric, s->edges);
  bool plane = brute_on_plane(&b);
  low[0] = plane ? 0.0 : -80.0, low[1] = plane ? 0.0 : -60.0;
  high[0] = plane ? 50.0 : 70.0, high[1] = plane ? 40.0 : 60.0;
  layer_clear(&l);
  if (!polygons) layer_random(&l, 25, low, high, plane ? 9.0 : 70.0);
  for (int i = 0; polygons && i < 12; i++) {
    layer_star(&l, layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1]), plane ? 9.0 : 25.0, 9,
               low[1], high[1]);
    layer_end_part(&l, GV_PART_POLYGON);
    layer_end_feature(&l);
  }
  make_set(s->metric, s->edges, boundary, &set);
  gv_geodesic_init(&wgs84, &geodesic);
  assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
  assert_int_equal(gv_finder_init(context, &tree, &finder), GV_OK);
}

static void uproot(void) {
  gv_finder_clear(&finder);
  gv_feature_tree_clear(&tree);
  gv_feature_set_clear(&set);
}

/* Positions within `size` of a middle, on the plane or by the sphere's radius, and the ball that holds
 * them. */
static gv_ball any_ball(const double middle[2], double size, double at[INSIDE][2],
                        double position[INSIDE][3]) {
  gv_ball ball = {.radius = 0.0};
  place_at(set.metric, middle[0], middle[1], ball.center);
  for (int i = 0; i < INSIDE; i++) {
    double azimuth = layer_uniform(-180.0, 180.0), away = size * sqrt(layer_uniform(0.0, 1.0)), square = 0.0;
    at[i][0] = middle[0] + away * cos(azimuth);
    at[i][1] = middle[1] + away * sin(azimuth);
    if (set.globe)
      geod_direct(&b.geod, middle[1], middle[0], azimuth, away * b.geod.a, &at[i][1], &at[i][0], NULL);
    place_at(set.metric, at[i][0], at[i][1], position[i]);
    for (int axis = 0; axis < tree.dim; axis++)
      square += pow(position[i][axis] - ball.center[axis], 2.0);
    ball.radius = fmax(ball.radius, sqrt(square) * (1.0 + 1e-12));
  }
  return ball;
}

/* Distances to one feature for all positions of the ball that the finder is about. */
static void check_ball(const case_setting *s, int32_t f, double at[INSIDE][2], double position[INSIDE][3],
                       int *told) {
  double axes[3][INSIDE];
  float floats[INSIDE];
  for (int i = 0; i < INSIDE; i++) {
    for (int axis = 0; axis < 3; axis++)
      axes[axis][i] = position[i][axis];
  }
  gv_finder_floats(&finder, INSIDE, (const double *const[]){axes[0], axes[1], axes[2]}, true, floats);
  for (int i = 0; i < INSIDE; i++) {
    gv_edge_place q = place_at(set.metric, at[i][0], at[i][1], NULL);
    gv_edge_closest closest;
    brute_nearest expected = brute_nearest_of(&b, &l, f, f + 1, NULL, at[i]);
    assert_true(gv_finder_nearest(&finder, &q, true, &closest));
    double distance = brute_distance_of(&b, closest.canonical);
    if (!(fabs(distance - expected.distance) <= s->error)) {
      fail_msg("metric %d: feature %d from %.17g %.17g: %.9f, not %.9f", (int)s->metric, (int)f, at[i][0],
               at[i][1], distance, expected.distance);
    }
    assert_true(gv_finder_distance(&finder, &q, true) == closest.canonical);
    if (!isnan(floats[i])) assert_true(floats[i] == (float)closest.canonical);
    *told += !isnan(floats[i]);
  }
}

static void distances_within_balls(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    const case_setting *s = &settings[i];
    int told = 0;
    for (int surrounded = 0; surrounded < 2; surrounded++) {
      plant(s, true, false);
      if (surrounded) assert_int_equal(gv_finder_widen(context, &finder), GV_OK);
      for (int k = 0; k < s->cases; k++) {
        double at[INSIDE][2], position[INSIDE][3],
            size = (set.globe ? 0.1 : 5.0) * exp(layer_uniform(-9.0, 0.0));
        const double middle[2] = {layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1])};
        gv_ball ball = any_ball(middle, size, at, position), around = ball;
        around.radius *= 3.0;
        if (surrounded) gv_finder_surround(&finder, &around);
        for (int times = 0; times < 3; times++) {
          int32_t f = (int32_t)layer_uniform(0, set.count);
          gv_finder_aim(&finder, f, &ball);
          check_ball(s, f, at, position, &told);
        }
      }
      uproot();
    }
    bool series = s->metric == GV_GEODESIC;
    assert_true(series ? told > 100 : told == 0);
  }
}

/* A tile reported to be on one side of a feature's polygons is on that side. */
static void clear_tiles_are_on_one_side(void **unused) {
  (void)unused;
  int clear = 0, in = 0;
  for (int i = 0; i < SETTINGS; i += 2) { /* a plane, arcs, geodesics */
    plant(&settings[i], false, true);
    for (int k = 0; k < 100; k++) {
      double at[INSIDE][2], position[INSIDE][3],
          size = (set.globe ? 0.1 : 5.0) * exp(layer_uniform(-5.0, 0.0));
      const double middle[2] = {layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1])};
      gv_ball ball = any_ball(middle, size, at, position);
      for (int32_t f = 0; f < set.count; f++) {
        gv_finder_aim(&finder, f, &ball);
        if (!finder.clear) continue;
        bool inside = brute_contains(&b, &l, f, middle);
        for (int n = 0; n < INSIDE; n++) {
          if (brute_contains(&b, &l, f, at[n]) != inside)
            fail_msg("feature %d: %.17g %.17g and %.17g %.17g", (int)f, middle[0], middle[1], at[n][0],
                     at[n][1]);
        }
        clear++;
        in += inside;
      }
    }
    uproot();
  }
  assert_true(clear > 1000 && in > 100);
}

/* Features of no parts have no nearest point. */
static void empty_features(void **unused) {
  (void)unused;
  gv_edge_closest closest;
  gv_edge_place q = place_at(GV_EUCLIDEAN, 3.0, 4.0, NULL);
  const gv_ball ball = {{3.0, 4.0, 0.0}, 0.0};
  layer_clear(&l);
  layer_box(&l, 0, 0, 1, 1);
  layer_end_feature(&l);
  make_set(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
  assert_int_equal(gv_feature_tree_init(context, &set, NULL, &tree), GV_OK);
  assert_int_equal(gv_finder_init(context, &tree, &finder), GV_OK);
  gv_finder_aim(&finder, 1, &ball);
  assert_false(gv_finder_nearest(&finder, &q, false, &closest));
  assert_true(isinf(gv_finder_distance(&finder, &q, false)));
  gv_finder_aim(&finder, 0, &ball);
  assert_true(gv_finder_nearest(&finder, &q, false, &closest) && closest.canonical == 13.0);
  uproot();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(distances_within_balls),
    cmocka_unit_test(clear_tiles_are_on_one_side),
    cmocka_unit_test(empty_features),
};
FEATURE_TESTS_MAIN(tests)
