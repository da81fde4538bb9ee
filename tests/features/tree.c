/* Trees of boxes over features: nothing that counts is left out, bounds hold. */
#include "features/tree.h"

#include <stdlib.h>
#include <string.h>

#include "features/brute.h"
#include "features/cases.h"

static const case_setting settings[] = {
    {GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 200, 1e-12},  {GV_MANHATTAN, GV_EDGES_STRAIGHT, 200, 1e-12},
    {GV_CHEBYSHEV, GV_EDGES_STRAIGHT, 200, 1e-12},  {GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 200, 1e-3},
    {GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 20, 1e-3}, {GV_GEODESIC, GV_EDGES_GEODESIC, 20, 1e-4},
    {GV_GEODESIC, GV_EDGES_STRAIGHT, 20, 1e-4},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static gv_feature_set set;
static gv_geodesic geodesic;
static gv_feature_tree tree;
static brute b;
static double low[2], high[2];

static void plant(const case_setting *s, int features) {
  b = brute_of(s->metric, s->edges);
  bool plane = brute_on_plane(&b);
  low[0] = plane ? 0.0 : -80.0, low[1] = plane ? 0.0 : -60.0;
  high[0] = plane ? 50.0 : 70.0, high[1] = plane ? 40.0 : 60.0;
  layer_clear(&l);
  layer_random(&l, features, low, high, plane ? 9.0 : 20.0);
  make_set(s->metric, s->edges, true, &set);
  gv_geodesic_init(&wgs84, &geodesic);
  assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
}

static void uproot(void) {
  gv_feature_tree_clear(&tree);
  gv_feature_set_clear(&set);
}

static gv_edge_place any_place(double at[2], double position[3]) {
  at[0] = layer_uniform(low[0], high[0]);
  at[1] = layer_uniform(low[1], high[1]);
  return place_at(set.metric, at[0], at[1], position);
}

/* What a distance is in the tree's coordinates, from both sides: chords are at least those of circles of the
 * smallest radius of curvature, at most those of the largest (geodesic.h). */
static void chord_of(double distance, double *least, double *most) {
  const double f = wgs84.flattening, small = (1.0 - f) * (1.0 - f), large = 1.0 / (1.0 - f);
  *least = *most = distance;
  if (b.metric == GV_GREAT_CIRCLE) *least = *most = 2.0 * sin(0.5 * distance / b.geod.a);
  if (b.metric != GV_GEODESIC) return;
  *least = 2.0 * small * sin(0.5 * distance / b.geod.a / small);
  *most = 2.0 * large * sin(0.5 * distance / b.geod.a / large);
}

/* -------------------------------------------------------------------------------------------------- shape */

static bool holds(const gv_box_node *node, const gv_box_node *child) {
  for (int i = 0; i < tree.dim; i++)
    if (!(node->low[i] <= child->low[i] && child->high[i] <= node->high[i])) return false;
  return true;
}

static void boxes_hold_their_edges(void **unused) {
  (void)unused;
  static int times[LAYER_VERTICES];
  for (int i = 0; i < SETTINGS; i++) {
    plant(&settings[i], 60);
    memset(times, 0, sizeof times);
    for (int32_t n = 0; n < tree.nodes; n++) {
      const gv_box_node *node = &tree.node[n];
      if (node->count == 0)
        assert_true(holds(node, node - n + node->first) && holds(node, node - n + node->first + 1));
      for (int32_t k = node->first; k < node->first + node->count; k++) {
        int32_t entry = tree.entry[k];
        for (int64_t v = entry >= 0 ? entry : ~entry, end = v + (entry >= 0); v <= end; v++) {
          double position[3];
          place_at(set.metric, l.x[v], l.y[v], position);
          for (int axis = 0; axis < tree.dim; axis++)
            assert_true((double)node->low[axis] <= position[axis] &&
                        position[axis] <= (double)node->high[axis]);
        }
        times[entry >= 0 ? entry : ~entry]++;
      }
    }
    for (int64_t p = 0; p < l.parts; p++) {
      for (int64_t v = l.vertex[l.ring[p]]; v < l.vertex[l.ring[p + 1]]; v++) {
        bool last = false;
        for (int64_t r = l.ring[p]; r < l.ring[p + 1]; r++)
          last |= v + 1 == l.vertex[r + 1];
        assert_int_equal(times[v], l.kind[p] == GV_PART_POINTS || !last);
      }
    }
    uproot();
  }
}

/* ------------------------------------------------------------------------------------------------ nearest */

static void nearest_of_all_edges(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    plant(&settings[i], 20);
    for (int k = 0; k < settings[i].cases; k++) {
      double at[2], position[3], least, most;
      gv_edge_place q = any_place(at, position);
      for (int32_t f = 0; f < set.count; f++) {
        gv_edge_closest closest, again;
        brute_nearest expected = brute_nearest_of(&b, &l, f, f + 1, NULL, at);
        assert_true(gv_tree_nearest(&tree, f, &q, position, true, INFINITY, &closest));
        double distance = brute_distance_of(&b, closest.canonical);
        if (!(fabs(distance - expected.distance) <= settings[i].error))
          fail_msg("%d: feature %d from %.17g %.17g: %.9f, not %.9f", i, (int)f, at[0], at[1], distance,
                   expected.distance);
        /* The same within its own reach, none within much less. */
        assert_true(
            gv_tree_nearest(&tree, f, &q, position, true, gv_reach(&tree, closest.canonical), &again));
        assert_true(again.canonical == closest.canonical);
        chord_of(distance, &least, &most);
        if (gv_feature_tree_iterates(&tree) && distance > 3e6) {
          assert_false(gv_tree_nearest(&tree, f, &q, position, true, 0.25 * least * least, &again));
        }
      }
    }
    uproot();
  }
}

static void chords_are_bounded(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    if (settings[i].metric == GV_MANHATTAN || settings[i].metric == GV_CHEBYSHEV) continue;
    plant(&settings[i], 20);
    double wide = 0.0, total = 0.0;
    for (int k = 0; k < settings[i].cases; k++) {
      double at[2], position[3], least, most, from, to;
      any_place(at, position);
      for (int32_t f = 0; f < set.count; f++) {
        chord_of(brute_nearest_of(&b, &l, f, f + 1, NULL, at).distance, &least, &most);
        gv_tree_chords(&tree, f, position, INFINITY, &from, &to);
        if (!(from <= most + 1e-9) || !(to >= least - 1e-9))
          fail_msg("%d: feature %d from %.17g %.17g: %.17g ... %.17g, not %.17g", i, (int)f, at[0], at[1],
                   from, to, least);
        wide += to - from;
        total += most;
        gv_tree_chords(&tree, f, position, 4.0 * most * most, &from, &to);
        assert_true(from <= most + 1e-9 && to >= least - 1e-9 && to < INFINITY);
      }
    }
    assert_true(wide < (set.globe ? 0.2 : 1e-6) * total); /* they are useful bounds */
    uproot();
  }
}

/* A value keeps all features up to it, and a certain bound contains only smaller ones. */
static void reaches_of_values(void **unused) {
  (void)unused;
  enum { POINTS = 120 };
  for (int i = 0; i < SETTINGS; i++) {
    plant(&settings[i], 1);
    double at[POINTS][2], position[POINTS][3];
    for (int k = 0; k < POINTS; k++)
      any_place(at[k], position[k]);
    for (int k = 1; k < POINTS; k++) { /* distances from the first */
      gv_edge_place q = place_at(set.metric, at[0][0], at[0][1], NULL);
      gv_box_node box = {.count = 1};
      double distance, canonical, square = 0.0;
      for (int axis = 0; axis < tree.dim; axis++) {
        box.low[axis] = box.high[axis] = (float)position[k][axis];
        square += (position[k][axis] - position[0][axis]) * (position[k][axis] - position[0][axis]);
      }
      if (brute_on_plane(&b)) {
        distance = (double)brute_norm(set.metric, (long double)at[k][0] - at[0][0],
                                      (long double)at[k][1] - at[0][1]);
        canonical = set.metric == GV_EUCLIDEAN ? distance * distance : distance;
        square = distance * distance;
        assert_true(fabs(sqrt(gv_box_distance2(&tree, &box, position[0])) - distance) < 1e-5);
      } else {
        geod_inverse(&b.geod, q.lat, q.lon, at[k][1], at[k][0], &distance, NULL, NULL);
        canonical = set.metric == GV_GEODESIC ? distance : square;
        assert_true(gv_reach_of_chord(&tree, sqrt(square)) >= square);
      }
      double reach = gv_reach(&tree, canonical), sure = gv_sure_chord2(&tree, canonical);
      if (!(square <= reach) || !(reach <= 1.05 * square + 1e-9))
        fail_msg("%d: %.17g leaves open %.17g", i, square, reach);
      if (set.metric == GV_EUCLIDEAN || set.globe) assert_true(sure <= square && sure > 0.95 * square - 1e-9);
    }
    assert_true(isinf(gv_reach(&tree, INFINITY)));
    uproot();
  }
}

/* -------------------------------------------------------------------------------------------------- walks */

typedef struct visits {
  int features[LAYER_FEATURES], count;
  double chord2[LAYER_FEATURES]; /* exact values of the test */
  bool narrows;
} visits;

static double visit(void *user, int32_t feature, double box, double reach) {
  visits *seen = user;
  assert_true(box <= reach && box <= seen->chord2[feature] * (1.0 + 1e-9) + 1e-12);
  seen->features[feature]++;
  seen->count++;
  return seen->narrows ? fmin(reach, seen->chord2[feature] * (1.0 + 1e-9) + 1e-12) : reach;
}

static void walks_meet_all_within_reach(void **unused) {
  (void)unused;
  static visits seen;
  for (int i = 0; i < SETTINGS; i++) {
    plant(&settings[i], 60);
    for (int k = 0; k < settings[i].cases / 10; k++) {
      double at[2], position[3], least, reach;
      int32_t nearest = 0;
      any_place(at, position);
      memset(&seen, 0, sizeof seen);
      for (int32_t f = 0; f < set.count; f++) {
        chord_of(brute_nearest_of(&b, &l, f, f + 1, NULL, at).distance, &least, &seen.chord2[f]);
        seen.chord2[f] *= seen.chord2[f];
        if (seen.chord2[f] < seen.chord2[nearest]) nearest = f;
      }
      reach = seen.chord2[k % set.count] * (1.0 + 1e-9);
      gv_tree_walk(&tree, position, reach, visit, &seen);
      for (int32_t f = 0; f < set.count; f++) {
        assert_in_range(seen.features[f], 0, 1);
        if (seen.chord2[f] <= reach && seen.features[f] != 1)
          fail_msg("%d: feature %d is left out", i, (int)f);
      }
      memset(seen.features, 0, sizeof seen.features);
      seen.count = 0;
      seen.narrows = true;
      gv_tree_walk(&tree, position, INFINITY, visit, &seen);
      assert_int_equal(seen.features[nearest], 1);
      assert_true(seen.count < set.count);
    }
    uproot();
  }
}

static double visit_point(void *user, int64_t vertex, double reach) {
  ((int *)user)[vertex]++;
  return reach;
}

/* Features of points, among each other. */
static void walks_over_points(void **unused) {
  (void)unused;
  enum { POINTS = 3000 };
  static int times[POINTS];
  static double position[POINTS][3];
  for (int i = 0; i < SETTINGS; i++) {
    plant(&settings[i], 5);
    assert_int_equal(gv_feature_tree_join(context, &tree), GV_OK);
    assert_null(tree.all); /* not points only */
    uproot();
    layer_clear(&l);
    for (int v = 0; v < POINTS; v++) {
      layer_vertex(&l, layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1]));
      if (v % 30 == 29) {
        layer_end_ring(&l);
        layer_end_part(&l, GV_PART_POINTS);
        layer_end_feature(&l);
      }
    }
    make_set(settings[i].metric, settings[i].edges, false, &set);
    assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
    assert_int_equal(gv_feature_tree_join(context, &tree), GV_OK);
    for (int v = 0; v < POINTS; v++) {
      place_at(set.metric, l.x[v], l.y[v], position[v]);
      assert_int_equal(tree.owner[v], v / 30);
    }
    for (int k = 0; k < 20; k++) {
      double at[2], from[3], radius = layer_uniform(0.0, set.globe ? 0.5 : 20.0);
      int count = 0, within = 0;
      any_place(at, from);
      memset(times, 0, sizeof times);
      gv_tree_walk_points(&tree, from, radius * radius, visit_point, times);
      for (int v = 0; v < POINTS; v++) {
        long double dx = (long double)position[v][0] - from[0], dy = (long double)position[v][1] - from[1];
        long double dz = set.globe ? (long double)position[v][2] - from[2] : 0.0L,
                    chord2 = dx * dx + dy * dy + dz * dz;
        double bound = gv_tree_point_chord2(&tree, v, from);
        assert_true(bound <= (double)chord2 * (1.0 + 1e-15) &&
                    bound >= (double)chord2 * (1.0 - 1e-9) - 1e-12);
        if (!set.globe) chord2 = powl(brute_norm(set.metric, dx, dy), 2.0L);
        assert_in_range(times[v], 0, 1);
        if ((double)chord2 <= radius * radius) assert_int_equal(times[v], 1);
        within += (double)chord2 <= radius * radius;
        count += times[v];
      }
      assert_true(count <= 3 * within + 100);
    }
    uproot();
  }
}

/* ------------------------------------------------------------------------------------------------ threads */

enum { LONG = 20000, SHORT = 4, SHORTS = 360000, MANY = 2 * LONG + SHORT * SHORTS };

/* Two long lines, and short ones between them: parts of trees, many trees, and more edges than a build has in
 * memory. */
static gv_features many_lines(void) {
  static int64_t part[SHORTS + 3], vertex[SHORTS + 3];
  static uint8_t kind[SHORTS + 2];
  static double x[MANY], y[MANY];
  gv_features f;
  gv_features_init(&f);
  for (int64_t i = 0; i < SHORTS + 2; i++) {
    part[i + 1] = i + 1;
    kind[i] = GV_PART_LINE;
    vertex[i + 1] = vertex[i] + (i == 0 || i == SHORTS + 1 ? LONG : SHORT);
    double at[2] = {layer_uniform(-170.0, 170.0), layer_uniform(-80.0, 80.0)};
    for (int64_t v = vertex[i]; v < vertex[i + 1]; v++) {
      x[v] = at[0] += layer_uniform(-0.01, 0.01);
      y[v] = at[1] += layer_uniform(-0.01, 0.01);
    }
  }
  f.count = SHORTS + 2;
  f.part = f.ring = part;
  f.kind = kind;
  f.vertex = vertex;
  f.x = x;
  f.y = y;
  return f;
}

static void same_for_any_number_of_threads(void **unused) {
  (void)unused;
  gv_features f = many_lines();
  gv_context_options options;
  gv_context_options_init(&options);
  gv_feature_set sets[2];
  gv_feature_tree trees[2];
  for (int i = 0; i < 2; i++) {
    gv_context *own = NULL;
    options.threads = 1 + 3 * i;
    assert_int_equal(gv_context_create(&options, &own), GV_OK);
    assert_int_equal(gv_feature_set_init(own, GV_EUCLIDEAN, &wgs84, &f, &sets[i]), GV_OK);
    assert_int_equal(gv_feature_tree_init(own, &sets[i], &geodesic, &trees[i]), GV_OK);
    gv_context_destroy(own);
  }
  const gv_feature_tree *one = &trees[0], *four = &trees[1];
  assert_int_equal(one->entries, 2 * (LONG - 1) + SHORTS * (SHORT - 1));
  assert_true(one->entries == four->entries && one->nodes == four->nodes && one->tops == four->tops);
  assert_memory_equal(one->entry, four->entry, (size_t)one->entries * sizeof *one->entry);
  assert_memory_equal(one->sag, four->sag, (size_t)one->entries * sizeof *one->sag);
  assert_memory_equal(one->node, four->node, (size_t)one->nodes * sizeof *one->node);
  assert_memory_equal(one->top, four->top, (size_t)one->tops * sizeof *one->top);
  assert_memory_equal(one->root, four->root, (size_t)f.count * sizeof *one->root);
  /* Each node and entry belongs to one place of the tree. */
  int64_t children = 0, entries = 0, leaves = 0;
  uint8_t *seen = calloc((size_t)one->nodes, 1), *met = calloc((size_t)MANY, 1);
  assert_true(seen != NULL && met != NULL);
  tree = *one;
  for (int32_t n = 0; n < one->nodes; n++) {
    const gv_box_node *node = &one->node[n];
    leaves += node->count > 0;
    for (int i = 0; i < 2 && node->count == 0; i++, children++) {
      assert_true(node->first + i > n && node->first + i < one->nodes && seen[node->first + i]++ == 0);
      assert_true(holds(node, &one->node[node->first + i]));
    }
    for (int32_t i = node->first; i < node->first + node->count; i++, entries++)
      assert_true(met[one->entry[i]]++ == 0);
  }
  assert_true(entries == one->entries && children + f.count == one->nodes &&
              leaves * 2 == one->nodes + f.count);
  free(seen);
  free(met);
  for (int i = 0; i < 2; i++) {
    gv_feature_tree_clear(&trees[i]);
    gv_feature_set_clear(&sets[i]);
  }
}

/* Edges at a pole are points of the tree: the closest point keeps its bits. */
static void edges_at_a_pole(void **unused) {
  (void)unused;
  static const double line[][2] = {{-170, -84}, {-180, -90}, {-60, -90}, {60, -90},
                                   {30, -90},   {180, -90},  {175, -82}},
                      first[][2] = {{60, 90}, {-10, 90}, {20, 90}, {20, 85}}, only[][2] = {{3, 90}, {1, 90}};
  layer_clear(&l);
  layer_add(&l, GV_PART_LINE, line, 7);
  layer_add(&l, GV_PART_LINE, first, 4);
  layer_add(&l, GV_PART_LINE, only, 2);
  make_set(GV_GEODESIC, GV_EDGES_STRAIGHT, true, &set);
  gv_geodesic_init(&wgs84, &geodesic);
  assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
  assert_int_equal(tree.entries, 2 + 1 + 1 + 1 + 1);
  for (int k = 0; k < 3000; k++) {
    static const double lats[] = {-90.0, 90.0, -90.0 + 1e-9, 89.9999, 0.0};
    double at[2] = {k % 7 == 0 ? 60.0 * (k % 6) - 180.0 : layer_uniform(-180.0, 180.0),
                    k % 3 == 0 ? lats[k / 3 % 5] : layer_uniform(-90.0, 90.0)},
           position[3];
    const gv_edge_place q = place_at(set.metric, at[0], at[1], position);
    for (int32_t f = 0; f < set.count; f++) {
      gv_edge_closest expected, got;
      gv_feature_nearest(&set, f, &q, true, &expected);
      assert_true(gv_tree_nearest(&tree, f, &q, position, true, INFINITY, &got));
      if (memcmp(&got.canonical, &expected.canonical, sizeof got.canonical) != 0 || got.lon != expected.lon ||
          got.lat != expected.lat || got.azimuth != expected.azimuth)
        fail_msg("%d from %.17g %.17g: %.17g at %g %g, %.17g; not %.17g at %g %g, %.17g", (int)f, at[0],
                 at[1], got.canonical, got.lon, got.lat, got.azimuth, expected.canonical, expected.lon,
                 expected.lat, expected.azimuth);
    }
  }
  uproot();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(edges_at_a_pole),
    cmocka_unit_test(same_for_any_number_of_threads),
    cmocka_unit_test(boxes_hold_their_edges),
    cmocka_unit_test(nearest_of_all_edges),
    cmocka_unit_test(chords_are_bounded),
    cmocka_unit_test(reaches_of_values),
    cmocka_unit_test(walks_meet_all_within_reach),
    cmocka_unit_test(walks_over_points),
};
FEATURE_TESTS_MAIN(tests)
