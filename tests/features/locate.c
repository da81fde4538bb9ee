/* The parts that contain a position. */
#include "features/locate.h"

#include <string.h>

#include "features/brute.h"
#include "features/cases.h"

typedef struct listing {
  bool in[LAYER_PARTS];
} listing;

static bool list(void *user, int32_t part) {
  listing *to = user;
  assert_false(to->in[part]);
  to->in[part] = true;
  return true;
}

/* Near what may be an edge, at any distance. */
static gv_edge_place hard_by_an_edge(const gv_feature_set *set, int64_t v, bool geodesic) {
  double part = layer_uniform(0, 1), away = pow(10.0, layer_uniform(-12, 0));
  double lon = l.x[v] + part * (l.x[v + 1] - l.x[v]), lat = l.y[v] + part * (l.y[v + 1] - l.y[v]);
  if (geodesic) {
    const double a[2] = {l.x[v], l.y[v]}, b[2] = {l.x[v + 1], l.y[v + 1]};
    gv_edge edge;
    gv_edge_make(&set->surface, false, a, b, &edge);
    gv_edge_at(&edge, part, &lon, &lat);
  }
  lat = fmax(-90.0, fmin(90.0, lat + layer_uniform(-away, away)));
  return place_at(set->metric, lon + layer_uniform(-away, away), lat, NULL);
}

/* The same parts as by each edge of each of them, in ascending order; and the same by feature. */
typedef struct ascending {
  int32_t last;
  bool in[LAYER_PARTS];
} ascending;

static bool list_ascending(void *user, int32_t part) {
  ascending *to = user;
  assert_true(part > to->last);
  to->last = part;
  to->in[part] = true;
  return true;
}

static void parts_of_all_edges(void **unused) {
  (void)unused;
  static const gv_metric metrics[] = {GV_CHEBYSHEV, GV_GEODESIC, GV_GREAT_CIRCLE, GV_GEODESIC};
  static ascending found;
  for (int i = 0; i < 4; i++) {
    gv_edges edges = i < 2 ? GV_EDGES_STRAIGHT : GV_EDGES_GEODESIC;
    brute b = brute_of(metrics[i], edges);
    const double low[2] = {i < 2 ? -220.0 : -50.0, i < 2 ? -90.0 : -40.0},
                 high[2] = {i < 2 ? 220.0 : 60.0, i < 2 ? 90.0 : 40.0};
    gv_feature_set set;
    gv_locator locator;
    int inside = 0;
    layer_clear(&l);
    layer_random(&l, 60, low, high, 20.0);
    make_set(metrics[i], edges, false, &set);
    assert_int_equal(gv_locator_init(context, &set, &locator), GV_OK);
    for (int k = 0; k < (i < 2 ? 2000 : 300); k++) {
      const double at[2] = {layer_uniform(i < 2 ? -180.0 : low[0], i < 2 ? 180.0 : high[0]),
                            layer_uniform(low[1], high[1])};
      gv_edge_place q = place_at(metrics[i], at[0], at[1], NULL);
      memset(&found, 0, sizeof found);
      found.last = -1;
      gv_locate(&locator, &q, list_ascending, &found);
      for (int64_t f = 0; f < l.features; f++) {
        bool any = false;
        for (int64_t p = l.part[f]; p < l.part[f + 1]; p++) {
          bool expected = brute_part_contains(&b, &l, p, at);
          if (found.in[p] != expected)
            fail_msg("%d: part %lld at %.17g %.17g: not %d", i, (long long)p, at[0], at[1], expected);
          any |= expected;
        }
        assert_int_equal(gv_locate_in(&locator, (int32_t)f, &q), any);
        inside += any;
      }
    }
    assert_true(inside > 30);
    gv_locator_clear(&locator);
    gv_feature_set_clear(&set);
  }
}

/* Positions hard by edges, on vertices and poles: as by gv_part_contains, which inside.c tests. */
static void locating(void **unused) {
  (void)unused;
  static listing found;
  const double low[2] = {-220.0, -90.0}, high[2] = {220.0, 90.0};
  int64_t inside = 0;
  for (int i = 0; i < 4; i++) {
    gv_feature_set set;
    gv_locator locator;
    layer_clear(&l);
    layer_random(&l, 120, low, high, i < 3 ? 60.0 : 1.0);
    layer_box(&l, -180, -90, 180, -70);
    make_set(i == 0 ? GV_EUCLIDEAN : GV_GEODESIC, i >= 2 ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT, false,
             &set);
    assert_int_equal(gv_locator_init(context, &set, &locator), GV_OK);
    for (int k = 0; k < 3000; k++) {
      double lat = k % 50 == 0 ? 90.0 - 180.0 * (k % 100 == 0) : layer_uniform(-90, 90);
      gv_edge_place q = place_at(set.metric, layer_uniform(-180, 180), lat, NULL);
      if (k % 7 == 0) q = place_at(set.metric, l.x[k % l.vertices], l.y[k % l.vertices], NULL);
      if (k % 3 == 0) q = hard_by_an_edge(&set, k * 7919LL % (l.vertices - 1), i >= 2);
      memset(&found, 0, sizeof found);
      gv_locate(&locator, &q, list, &found);
      for (int64_t p = 0; p < set.parts; p++) {
        bool expected = gv_part_contains(&set, p, &q);
        if (expected != found.in[p]) fail_msg("%d: part %lld at %.17g %.17g", i, (long long)p, q.lon, q.lat);
        inside += expected;
      }
      for (int32_t f = 0; f < set.count; f++)
        assert_int_equal(gv_locate_in(&locator, f, &q), gv_feature_contains(&set, f, &q));
    }
    gv_locator_clear(&locator);
    gv_feature_set_clear(&set);
  }
  assert_true(inside > 5000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_of_all_edges),
    cmocka_unit_test(locating),
};
FEATURE_TESTS_MAIN(tests)
