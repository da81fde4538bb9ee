/* Bounds of distances to edges by the series contain the exact distance of every edge, and mostly are tighter
 * than chords. */
#include "cmocka_test.h"
#include "gpuvoronoi/geometries.h"

#include <math.h>

#include "features/edge_points.h"
#include "features/finder.h"
#include "features/layer.h"
#include "guarded_memory.h"

static layer l;
static gv_context *context;

enum { MOST_PASSES = 4 };

static const double flattenings[] = {1.0 / 298.257223563, 0.02, 0.0};

/* All orders of magnitude alike. */
static double magnitude(double low, double high) {
  return exp(layer_uniform(log(low), log(high)));
}

/* A line of two vertices, and a position as far from a place on it. */
static void make_line(const struct geod_geodesic *g, double length, double away, gv_edge_place *q) {
  double lon = layer_uniform(-180, 180), lat = asin(layer_uniform(-1, 1)) * 57.29577951308232;
  double azimuth = layer_uniform(0, 1) < 0.2 ? 90.0 * floor(layer_uniform(0, 4)) : layer_uniform(-180, 180);
  double part = layer_uniform(-0.5, 1.5), end[2], at[2];
  if (layer_uniform(0, 1) < 0.1) lat = copysign(90.0 - magnitude(1e-9, 1.0), lat);
  geod_direct(g, lat, lon, azimuth, length, &end[1], &end[0], NULL);
  geod_direct(g, lat, lon, azimuth, part * length, &at[1], &at[0], NULL);
  double turned = layer_uniform(0, 1) < 0.5 ? azimuth + 90.0 : layer_uniform(-180, 180);
  geod_direct(g, at[1], at[0], turned, away, &q->lat, &q->lon, NULL);
  gv_normalize_lonlat(&q->lon, &q->lat);
  layer_clear(&l);
  layer_vertex(&l, lon, lat);
  layer_vertex(&l, end[0], end[1]);
  layer_end_ring(&l);
  layer_end_part(&l, GV_PART_LINE);
  layer_end_feature(&l);
}

/* From the chord's closest point without the edge, with it, and then from better places: the passes after
 * which bounds were less than `apart` from each other for the first time. */
static int passes_until(const gv_feature_tree *tree, const gv_shortlist *list, const gv_edge_place *q,
                        double canonical, double apart) {
  const gv_feature_set *set = tree->set;
  gv_prepared_edge edge = {.made = false};
  gv_edge_points points, next;
  int first = MOST_PASSES;
  gv_prepare_edge(tree, 0, &edge);
  points.count = 0;
  gv_edge_points_add(tree, list, 0, list->part[0], NULL, q->vector, &points);
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    gv_edge_points_bound(tree, &points);
    if (!(points.low[0] <= canonical) || !(canonical <= points.high[0])) {
      fail_msg("%.17g not in %.17g ... %.17g: %s, pass %d, %.17g %.17g from %.17g %.17g to %.17g %.17g",
               canonical, points.low[0], points.high[0], set->straight ? "straight" : "geodesic", pass,
               q->lon, q->lat, set->x[0], set->y[0], set->x[1], set->y[1]);
    }
    if (points.high[0] - points.low[0] < apart && pass < first) first = pass;
    next.count = 0;
    gv_edge_points_add(tree, list, 0, pass == 0 ? points.part[0] : gv_edge_points_next(tree, &points, 0),
                       &edge, q->vector, &next);
    next.last_part[0] = points.part[0];
    next.last_slope[0] = points.sense[0] * points.slope[0];
    points = next;
  }
  return first;
}

static void bounds_hold(void **unused) {
  (void)unused;
  int asked = 0, told[MOST_PASSES + 1] = {0};
  for (int i = 0; i < 6000; i++) {
    double f = flattenings[i % 3], far = magnitude(0.1, 1.2e7), length = magnitude(1e-3, 3e6);
    gv_ellipsoid ellipsoid = {6378137.0, f, f * (2.0 - f)};
    gv_geodesic geodesic;
    gv_geodesic_init(&ellipsoid, &geodesic);
    gv_edge_place q = {.lon = 0.0};
    make_line(&geodesic.geod, length, far, &q);
    gv_lonlat_to_vectors(&ellipsoid, true, 1, &q.lon, &q.lat, q.vector, q.vector + 1, q.vector + 2);
    for (int straight = 0; straight < 2; straight++) {
      gv_features features = layer_features(&l, straight ? GV_EDGES_STRAIGHT : GV_EDGES_GEODESIC, false);
      gv_feature_set set;
      gv_feature_tree tree;
      gv_shortlist list;
      gv_edge_closest closest;
      gv_ball here = {{q.vector[0], q.vector[1], q.vector[2]}, 0.0};
      assert_int_equal(gv_feature_set_init(context, GV_GEODESIC, &ellipsoid, &features, &set), GV_OK);
      assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
      assert_int_equal(gv_shortlist_init(context, &tree, 8, &list), GV_OK);
      assert_true(gv_edge_points_supported(&tree));
      assert_true(gv_shortlist_gather(&tree, 0, &here, INFINITY, &list) && list.count == 1);
      gv_shortlist_nearest(&tree, &list, q.vector);
      gv_feature_nearest(&set, 0, &q, true, &closest);
      bool easy = far > 1e3 && far < 5e6 && length < 3e4 && fabs(q.lat) < 80.0 && fabs(set.y[0]) < 80.0;
      asked += easy;
      told[passes_until(&tree, &list, &q, closest.canonical, 1e-5)] += easy;
      gv_shortlist_clear(&list);
      gv_feature_tree_clear(&tree);
      gv_feature_set_clear(&set);
    }
  }
  if (told[MOST_PASSES] > asked / 100)
    fail_msg("%d of %d are never told within 10 micrometers", told[MOST_PASSES], asked);
}

/* A position of the ball, mostly at its rim, often along the edge from its middle. */
static bool take_position(const gv_feature_set *set, const gv_edge_place *middle, const gv_ball *ball,
                          gv_edge_place *q) {
  double azimuth = layer_uniform(-180, 180), square = 0.0,
         away = ball->radius * set->surface.ellipsoid.semi_major;
  int end = layer_uniform(0, 1) < 0.5 ? 0 : 1;
  if (layer_uniform(0, 1) < 0.5)
    geod_inverse(&set->surface.geod, set->y[1 - end], set->x[1 - end], set->y[end], set->x[end], NULL,
                 &azimuth, NULL);
  geod_direct(&set->surface.geod, middle->lat, middle->lon, azimuth, away * (1.0 - magnitude(1e-6, 1.0)),
              &q->lat, &q->lon, NULL);
  gv_normalize_lonlat(&q->lon, &q->lat);
  gv_lonlat_to_vectors(&set->surface.ellipsoid, true, 1, &q->lon, &q->lat, q->vector, q->vector + 1,
                       q->vector + 2);
  for (int axis = 0; axis < 3; axis++)
    square += (q->vector[axis] - ball->center[axis]) * (q->vector[axis] - ball->center[axis]);
  return square <= ball->radius * ball->radius;
}

/* A vertex reported as the closest point for a ball is the closest for each position. */
static void vertices_of_balls(void **unused) {
  (void)unused;
  int told = 0;
  for (int i = 0; i < 20000; i++) {
    double f = flattenings[i % 3], far = magnitude(100.0, 8e6), length = far * magnitude(1e-3, 0.5), distance;
    gv_ellipsoid ellipsoid = {6378137.0, f, f * (2.0 - f)};
    gv_geodesic geodesic;
    gv_feature_set set;
    gv_feature_tree tree;
    gv_finder finder;
    gv_edge_closest closest;
    gv_edge_place middle = {.lon = 0.0}, q = middle;
    gv_geodesic_init(&ellipsoid, &geodesic);
    make_line(&geodesic.geod, length, far, &middle);
    gv_features features = layer_features(&l, i % 2 == 0 ? GV_EDGES_STRAIGHT : GV_EDGES_GEODESIC, false);
    gv_ball ball = {.radius = far / 6378137.0 * magnitude(1e-3, 0.9)};
    gv_lonlat_to_vectors(&ellipsoid, true, 1, &middle.lon, &middle.lat, &ball.center[0], &ball.center[1],
                         &ball.center[2]);
    assert_int_equal(gv_feature_set_init(context, GV_GEODESIC, &ellipsoid, &features, &set), GV_OK);
    assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
    assert_int_equal(gv_finder_init(context, &tree, &finder), GV_OK);
    gv_finder_aim(&finder, 0, &ball);
    told += finder.vertex >= 0;
    for (int n = 0; n < 8 && finder.vertex >= 0; n++) {
      if (!take_position(&set, &middle, &ball, &q)) continue;
      gv_feature_nearest(&set, 0, &q, true, &closest);
      double lon = set.x[finder.vertex], lat = set.y[finder.vertex];
      gv_normalize_lonlat(&lon, &lat);
      geod_inverse(&set.surface.geod, q.lat, q.lon, lat, lon, &distance, NULL, NULL);
      if (closest.canonical != distance)
        fail_msg("%.17g, a vertex %.17g: far %g, length %g, radius %g", closest.canonical, distance, far,
                 length, ball.radius);
    }
    gv_finder_clear(&finder);
    gv_feature_tree_clear(&tree);
    gv_feature_set_clear(&set);
  }
  assert_in_range(told, 5000, 20000);
}

/* Values for this number of positions: no more are read or written. */
static void floats_of_so_many(void **unused) {
  (void)unused;
  const gv_ellipsoid ellipsoid = {6378137.0, flattenings[0], flattenings[0] * (2.0 - flattenings[0])};
  gv_geodesic geodesic;
  gv_feature_set set;
  gv_feature_tree tree;
  gv_finder finder;
  gv_edge_place q;
  bool behind = false;
  gv_context_options options = guarded_options(&behind, 1);
  gv_context *guarded = NULL;
  assert_int_equal(gv_context_create(&options, &guarded), GV_OK);
  gv_geodesic_init(&ellipsoid, &geodesic);
  make_line(&geodesic.geod, 1e4, 1e5, &q);
  gv_features features = layer_features(&l, GV_EDGES_STRAIGHT, false);
  assert_int_equal(gv_feature_set_init(context, GV_GEODESIC, &ellipsoid, &features, &set), GV_OK);
  assert_int_equal(gv_feature_tree_init(guarded, &set, &geodesic, &tree), GV_OK);
  assert_int_equal(gv_finder_init(guarded, &tree, &finder), GV_OK);
  for (int32_t count = 1; count <= 130; count += 43) {
    for (int first = 0; first < 2; first++) {
      double *position[3];
      float *out = guarded_array((size_t)count * sizeof *out, first == 1);
      gv_ball ball = {.radius = 0.0};
      assert_non_null(out);
      for (int axis = 0; axis < 3; axis++)
        assert_non_null(position[axis] = guarded_array((size_t)count * sizeof *position[axis], first == 1));
      for (int32_t i = 0; i < count; i++) {
        gv_edge_place at = {.lon = q.lon + 1e-4 * i, .lat = q.lat};
        gv_lonlat_to_vectors(&ellipsoid, true, 1, &at.lon, &at.lat, &position[0][i], &position[1][i],
                             &position[2][i]);
        for (int axis = 0; axis < 3; axis++) {
          ball.center[axis] = i == 0 ? position[axis][0] : ball.center[axis];
          ball.radius += fabs(position[axis][i] - ball.center[axis]);
        }
      }
      gv_finder_aim(&finder, 0, &ball);
      gv_finder_floats(&finder, count, (const double *const[]){position[0], position[1], position[2]}, false,
                       out);
      for (int32_t i = 0; i < count; i++)
        assert_true(isnan(out[i]) || (out[i] > 5e4F && out[i] < 2e5F));
      for (int axis = 0; axis < 3; axis++)
        guarded_release(position[axis], NULL);
      guarded_release(out, NULL);
    }
  }
  gv_finder_clear(&finder);
  gv_feature_tree_clear(&tree);
  gv_feature_set_clear(&set);
  gv_context_destroy(guarded);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold), cmocka_unit_test(vertices_of_balls),
                                     cmocka_unit_test(floats_of_so_many)};
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
