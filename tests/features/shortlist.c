/* Lists of edges for balls of positions. */
#include "features/shortlist.h"

#include <string.h>

#include "features/brute.h"
#include "features/cases.h"
#include "features/index.h"

/* A ball that an edge may touch is not on one side of it. */
static void balls_that_touch(void **unused) {
  (void)unused;
  layer_clear(&l);
  layer_box(&l, 0, 0, 1, 1);
  for (int globe = 0; globe < 2; globe++) {
    gv_feature_set set;
    make_set(globe ? GV_GREAT_CIRCLE : GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
    gv_feature_lookup lookup = {0};
    assert_int_equal(gv_feature_lookup_init(context, &set, NULL, &lookup), GV_OK);
    gv_ball ball = {{0.9, 0.1, 0.1}, 0.25};
    assert_false(gv_ball_is_clear(&lookup.tree, &ball, 0.25));
    assert_false(gv_ball_is_clear(&lookup.tree, &ball, 0.25 * (1.0 + 0.9e-9)));
    assert_true(gv_ball_is_clear(&lookup.tree, &ball, 0.25 * (1.0 + 1.1e-9) + (globe ? 1e-9 : 0.0)));
    gv_feature_lookup_clear(&lookup);
    gv_feature_set_clear(&set);
  }
}

static const case_setting settings[] = {
    {GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 300, 1e-12}, {GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 150, 1e-6},
    {GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 6, 1e-4}, {GV_GEODESIC, GV_EDGES_GEODESIC, 6, 1e-4},
    {GV_GEODESIC, GV_EDGES_STRAIGHT, 6, 1e-4},
};
enum { SETTINGS = sizeof settings / sizeof *settings, INSIDE = 6 };

/* A ball, and positions in it: on the plane a circle, on the globe what lies within a distance. */
typedef struct around {
  gv_ball ball;
  double at[INSIDE][2], position[INSIDE][3];
} around;

static around any_ball(const brute *b, const double middle[2], double size) {
  around a;
  bool plane = brute_on_plane(b);
  memset(&a, 0, sizeof a);
  place_at(b->metric, middle[0], middle[1], a.ball.center);
  for (int i = 0; i < INSIDE; i++) {
    double azimuth = layer_uniform(-180.0, 180.0), away = size * sqrt(layer_uniform(0.0, 1.0)), square = 0.0;
    if (plane) {
      a.at[i][0] = middle[0] + away * cos(azimuth);
      a.at[i][1] = middle[1] + away * sin(azimuth);
    } else {
      geod_direct(&b->geod, middle[1], middle[0], azimuth, away * b->geod.a, &a.at[i][1], &a.at[i][0], NULL);
    }
    place_at(b->metric, a.at[i][0], a.at[i][1], a.position[i]);
    for (int axis = 0; axis < (plane ? 2 : 3); axis++)
      square += pow(a.position[i][axis] - a.ball.center[axis], 2.0);
    a.ball.radius = fmax(a.ball.radius, sqrt(square) * (1.0 + 1e-12));
  }
  return a;
}

/* The nearest of all edges is in the list for each position, or one that is as near but for the error. */
static void check_list(const case_setting *s, const brute *b, const gv_shortlist *list, int64_t first,
                       int64_t end, const around *a) {
  static bool listed[LAYER_VERTICES];
  memset(listed, 0, sizeof listed);
  for (int32_t i = 0; i < list->count; i++)
    listed[list->entry[i]] = true;
  for (int i = 0; i < INSIDE; i++) {
    brute_nearest all = brute_nearest_of(b, &l, first, end, NULL, a->at[i]);
    brute_nearest some = brute_nearest_of(b, &l, first, end, listed, a->at[i]);
    if (!(some.distance <= all.distance + s->error))
      fail_msg("metric %d: edge %lld is left out: %.9f is nearer than %.9f", (int)s->metric,
               (long long)all.vertex, all.distance, some.distance);
  }
}

/* Entries as vertices of the layer, for check_list. */
static void name_vertices(const gv_feature_tree *tree, gv_shortlist *list) {
  for (int32_t i = 0; i < list->count; i++) {
    int32_t entry = tree->entry[list->entry[i]];
    list->entry[i] = entry < 0 ? ~entry : entry;
  }
}

/* For distances that grow with chords: bounds of the nearest, and of the edges that are left out. */
static void check_bounds(const brute *b, const gv_shortlist *list, int64_t first, int64_t end,
                         const double middle[2]) {
  static bool left[LAYER_VERTICES];
  memset(left, 1, sizeof left);
  for (int32_t i = 0; i < list->count; i++)
    left[list->entry[i]] = false;
  double near = brute_nearest_of(b, &l, first, end, NULL, middle).distance,
         out = brute_nearest_of(b, &l, first, end, left, middle).distance;
  if (b->metric == GV_GREAT_CIRCLE) {
    near = 2.0 * sin(0.5 * near / b->geod.a);
    out = isinf(out) ? out : 2.0 * sin(0.5 * out / b->geod.a);
  }
  assert_true(list->low <= near + 1e-12 && near <= list->high + 1e-12);
  assert_true(out >= list->rest - 1e-12);
}

static void lists_hold_the_nearest(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    const case_setting *s = &settings[i];
    brute b = brute_of(s->metric, s->edges);
    bool plane = brute_on_plane(&b),
         simple = plane || (s->metric == GV_GREAT_CIRCLE && s->edges == GV_EDGES_GEODESIC);
    const double low[2] = {plane ? 0.0 : -80.0, plane ? 0.0 : -60.0},
                 high[2] = {plane ? 50.0 : 70.0, plane ? 40.0 : 60.0};
    gv_feature_set set;
    gv_geodesic geodesic;
    gv_feature_tree tree;
    gv_shortlist list, part;
    int64_t kept = 0, narrowed = 0, most = 0;
    layer_clear(&l);
    layer_random(&l, 40, low, high, plane ? 9.0 : 20.0);
    make_set(s->metric, s->edges, true, &set);
    gv_geodesic_init(&wgs84, &geodesic);
    assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
    assert_true(gv_feature_tree_lists(&tree));
    assert_int_equal(gv_shortlist_init(context, &tree, 4096, &list), GV_OK);
    assert_int_equal(gv_shortlist_init(context, &tree, 4096, &part), GV_OK);
    for (int k = 0; k < s->cases; k++) {
      const double middle[2] = {layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1])};
      double size = (plane ? 8.0 : 0.2) * exp(layer_uniform(-9.0, 0.0));
      int32_t feature = k % 2 == 0 ? -1 : (int32_t)(k / 2 % set.count);
      int64_t first = feature < 0 ? 0 : feature, end = feature < 0 ? l.features : feature + 1;
      around a = any_ball(&b, middle, size), inner = any_ball(&b, a.at[0], 0.1 * size);
      assert_true(gv_shortlist_gather(&tree, feature, &a.ball, INFINITY, &list));
      gv_shortlist_narrow(&tree, &list, &inner.ball, INFINITY, &part);
      kept += list.count;
      narrowed += part.count;
      most += brute_edges(&l, first, end);
      name_vertices(&tree, &list);
      name_vertices(&tree, &part);
      check_list(s, &b, &list, first, end, &a);
      if (simple) check_bounds(&b, &list, first, end, middle);
      double away = 0.0;
      for (int axis = 0; axis < 3; axis++)
        away += pow(inner.ball.center[axis] - a.ball.center[axis], 2.0);
      if (sqrt(away) + inner.ball.radius <= a.ball.radius) check_list(s, &b, &part, first, end, &inner);
    }
    assert_true(10 * kept < most && narrowed <= kept);
    gv_shortlist_clear(&list);
    gv_shortlist_clear(&part);
    gv_feature_tree_clear(&tree);
    gv_feature_set_clear(&set);
  }
}

/* Balls hold their positions, and are not much larger. */
static void balls_around_positions(void **unused) {
  (void)unused;
  enum { COUNT = 40 };
  double x[COUNT], y[COUNT], z[COUNT];
  int32_t which[COUNT / 2];
  for (int trial = 0; trial < 200; trial++) {
    for (int i = 0; i < COUNT; i++)
      x[i] = layer_uniform(-1, 1), y[i] = layer_uniform(5, 6), z[i] = layer_uniform(0, 0.1);
    for (int i = 0; i < COUNT / 2; i++)
      which[i] = (int32_t)layer_uniform(0, COUNT);
    const double *const position[3] = {x, y, trial % 2 == 0 ? z : NULL};
    gv_ball ball = gv_ball_around(position, which, COUNT / 2);
    double farthest = 0.0;
    for (int i = 0; i < COUNT / 2; i++) {
      double dx = x[which[i]] - ball.center[0], dy = y[which[i]] - ball.center[1];
      double dz = trial % 2 == 0 ? z[which[i]] - ball.center[2] : 0.0;
      farthest = fmax(farthest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    assert_true(farthest <= ball.radius && ball.radius < farthest * (1.0 + 1e-9) && ball.radius < 1.2);
  }
}

/* A list without space for all edges reports it. */
static void lists_that_are_too_short(void **unused) {
  (void)unused;
  gv_feature_set set;
  gv_feature_tree tree;
  gv_shortlist list;
  layer_clear(&l);
  for (int i = 0; i < 40; i++) {
    const double circle[2] = {cos(0.1570796 * i), sin(0.1570796 * i)};
    layer_add(&l, GV_PART_POINTS, &circle, 1);
  }
  make_set(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, true, &set);
  assert_int_equal(gv_feature_tree_init(context, &set, NULL, &tree), GV_OK);
  const gv_ball ball = {{0.0, 0.0, 0.0}, 0.1};
  assert_int_equal(gv_shortlist_init(context, &tree, 16, &list), GV_OK);
  assert_false(gv_shortlist_gather(&tree, -1, &ball, INFINITY, &list));
  gv_shortlist_clear(&list);
  assert_int_equal(gv_shortlist_init(context, &tree, 64, &list), GV_OK);
  assert_true(gv_shortlist_gather(&tree, -1, &ball, INFINITY, &list) && list.count == 40 && list.mixed);
  gv_shortlist_clear(&list);
  gv_feature_tree_clear(&tree);
  gv_feature_set_clear(&set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(balls_that_touch),
    cmocka_unit_test(lists_hold_the_nearest),
    cmocka_unit_test(balls_around_positions),
    cmocka_unit_test(lists_that_are_too_short),
};
FEATURE_TESTS_MAIN(tests)
