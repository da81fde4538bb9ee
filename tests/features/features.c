/* Checks of features, what lies within a polygon, and which edges are its boundary. */
#include "gpuvoronoi/features.h"
#include "cmocka_test.h"

#include <math.h>
#include <string.h>

#include "exact/orientation.h"
#include "features/index.h"
#include "features/layer.h"
#include "features/shortlist.h"

static layer l;
static gv_context *context;

static const gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563, (2.0 - 1.0 / 298.257223563) / 298.257223563};

static void make(gv_metric metric, gv_edges edges, bool boundary, gv_feature_set *set) {
  gv_features f = layer_features(&l, edges, boundary);
  if (gv_feature_set_init(context, metric, &wgs84, &f, set) != GV_OK) fail_msg("%s", gv_context_message(context));
}

static gv_edge_place place(double x, double y, bool globe) {
  gv_edge_place q = {.lon = x, .lat = y, .vector = {x, y, 0.0}};
  if (globe) {
    gv_normalise_lonlat(&q.lon, &q.lat);
    gv_lonlat_to_vectors(NULL, false, 1, &q.lon, &q.lat, q.vector, q.vector + 1, q.vector + 2);
  }
  return q;
}

static bool contains(const gv_feature_set *set, int32_t feature, double x, double y) {
  gv_edge_place q = place(x, y, set->globe);
  return gv_feature_contains(set, feature, &q);
}

/* ------------------------------------------------------------------------------------------------------ checks */

static void refused(gv_metric metric, gv_edges edges, const char *why) {
  gv_feature_set set;
  gv_features f = layer_features(&l, edges, false);
  assert_int_equal(gv_feature_set_init(context, metric, &wgs84, &f, &set), GV_ERROR_INVALID_ARGUMENT);
  if (strstr(gv_context_message(context), why) == NULL)
    fail_msg("'%s', not '%s'", gv_context_message(context), why);
}

static void bad_features_are_refused(void **unused) {
  (void)unused;
  layer_clear(&l);
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "no features");
  const int64_t none[3] = {0, 0, 0};
  gv_feature_set nothing;
  gv_features bare; /* of no parts: nothing else is needed */
  gv_features_init(&bare);
  bare.count = 2;
  bare.part = bare.ring = bare.vertex = none;
  assert_int_equal(gv_feature_set_init(context, GV_EUCLIDEAN, &wgs84, &bare, &nothing), GV_OK);
  gv_feature_set_clear(&nothing);
  layer_box(&l, 0, 0, 1, 1);
  layer_box(&l, 2, 0, 3, 1);
  gv_feature_set set;
  make(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
  gv_feature_set_clear(&set);
  refused(GV_EUCLIDEAN, GV_EDGES_GEODESIC, "no geodesic edges");
  refused(GV_GEODESIC, (gv_edges)7, "unknown edges 7");
  l.x[9] = 2.5;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1 has a ring that is not closed");
  l.x[9] = l.x[5] = (double)NAN;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1 has a");
  l.x[9] = l.x[5] = 2.0;
  l.x[7] = (double)INFINITY;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1 has a coordinate that is not finite");
  l.x[7] = 1e80;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1 has a coordinate beyond 1e75");
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1 has longitude 1e+80");
  l.x[7] = 3.0;
  l.y[7] = 91.0;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1 has latitude 91");
  l.y[7] = 1.0;
  l.kind[1] = 3;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1 has a part of an unknown kind");
  l.kind[1] = GV_PART_LINE;
  l.ring[2] = 3;
  l.vertex[3] = 10;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "number of rings");
  l.ring[2] = 2;
  l.vertex[1] = 11;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "offsets of vertices descend");
  l.vertex[1] = 0;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 0 has a part without vertices");
}

/* ------------------------------------------------------------------------------------------------------- inside */

static void orientations_are_exact(void **unused) {
  (void)unused;
  for (int i = 0; i < 20000; i++) {
    /* On a line through numbers with long fractions, one unit in the last place beside it, or on it. */
    double a[2] = {layer_uniform(0.4, 0.6), layer_uniform(0.4, 0.6)};
    double step[2] = {ldexp(floor(layer_uniform(1.0, 100.0)), -52), ldexp(floor(layer_uniform(1.0, 100.0)), -52)};
    double b[2] = {a[0] + 0x1p20 * step[0], a[1] + 0x1p20 * step[1]};
    double c[2] = {a[0] + 1024.0 * step[0], a[1] + 1024.0 * step[1]};
    bool whole = (b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1]);
    if (!whole) continue; /* rounded */
    assert_int_equal(gv_orientation(a, b, c), 0);
    c[1] = nextafter(c[1], 1.0);
    assert_int_equal(gv_orientation(a, b, c), 1);
    assert_int_equal(gv_orientation(b, a, c), -1);
    c[1] = nextafter(nextafter(c[1], 0.0), 0.0);
    assert_int_equal(gv_orientation(a, b, c), -1);
  }
}

static void straight_insides(void **unused) {
  (void)unused;
  gv_feature_set set;
  /* A box with a hole that holds an island; the ring of a bow tie; boxes beyond 180; one that touches itself. */
  const double outer[5][2] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}};
  const double hole[5][2] = {{2, 2}, {8, 2}, {8, 8}, {2, 8}, {2, 2}},
               island[5][2] = {{4, 4}, {6, 4}, {6, 6}, {4, 6}, {4, 4}};
  layer_clear(&l);
  for (int ring = 0; ring < 3; ring++) {
    const double(*xy)[2] = ring == 0 ? outer : ring == 1 ? hole : island;
    for (int i = 0; i < 5; i++)
      layer_vertex(&l, xy[i][0], xy[i][1]);
    layer_end_ring(&l);
  }
  layer_end_part(&l, GV_PART_POLYGON);
  layer_end_feature(&l);
  const double tie[5][2] = {{20, 0}, {30, 10}, {30, 0}, {20, 10}, {20, 0}};
  layer_add(&l, GV_PART_POLYGON, tie, 5);
  layer_box(&l, 350, 0, 370, 5);
  const double touching[7][2] = {{40, 0}, {45, 5}, {40, 10}, {50, 10}, {45, 5}, {50, 0}, {40, 0}};
  layer_add(&l, GV_PART_POLYGON, touching, 7);
  for (int globe = 0; globe < 2; globe++) {
    make(globe ? GV_GEODESIC : GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
    assert_true(contains(&set, 0, 1, 1) && !contains(&set, 0, 3, 3) && contains(&set, 0, 5, 5));
    assert_true(contains(&set, 0, 0, 5) && contains(&set, 0, 10, 10) && contains(&set, 0, 2, 3)); /* edges */
    assert_true(!contains(&set, 0, nextafter(0, -1), 5) && contains(&set, 0, 5, 0));
    assert_true(contains(&set, 1, 21, 5) && contains(&set, 1, 29, 5) && !contains(&set, 1, 25, 1) &&
                contains(&set, 1, 25, 5));
    assert_true(contains(&set, 2, 355, 2) && contains(&set, 2, 5, 2) == (globe == 1) &&
                contains(&set, 2, -5, 2) == (globe == 1));
    assert_true(contains(&set, 3, 45, 2) && contains(&set, 3, 45, 8) && !contains(&set, 3, 41, 5) &&
                contains(&set, 3, 45, 5));
    gv_feature_set_clear(&set);
  }
}

/* On the globe: as on the plane, after any number of turns, wherever rings begin. */
static void insides_after_turns(void **unused) {
  (void)unused;
  gv_feature_set globe, plane;
  int inside = 0;
  layer_clear(&l);
  for (int f = 0; f < 60; f++) {
    layer_star(&l, layer_uniform(-900.0, 900.0), layer_uniform(-70.0, 70.0), 60.0, 4 + f % 5, -90.0, 90.0);
    layer_end_part(&l, GV_PART_POLYGON);
    layer_end_feature(&l);
  }
  make(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &globe);
  make(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &plane);
  for (int i = 0; i < 6000; i++) {
    double lon = layer_uniform(-180.0, 180.0), lat = layer_uniform(-90.0, 90.0);
    bool within = false;
    for (int turn = -4; turn <= 4; turn++)
      within |= contains(&plane, i % 60, lon + 360.0 * turn, lat);
    assert_int_equal(contains(&globe, i % 60, lon, lat), within);
    inside += within;
  }
  assert_true(inside > 300);
  gv_feature_set_clear(&globe);
  gv_feature_set_clear(&plane);
}

/* Every place is in just one of the countries, or on their borders. */
static void countries_are_a_partition(void **unused) {
  (void)unused;
  gv_feature_set set;
  const double low[2] = {-40.3, -60.7}, high[2] = {71.9, 33.1};
  layer_clear(&l);
  layer_countries(&l, 7, 5, low, high);
  for (int geodesic = 0; geodesic < 2; geodesic++) {
    make(GV_GEODESIC, geodesic ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT, false, &set);
    for (int i = 0; i < 4000; i++) {
      double x = layer_uniform(low[0], high[0]), y = layer_uniform(low[1] + 3.0, high[1] - 3.0);
      int count = 0;
      if (i % 3 == 0) x = l.x[i % l.vertices]; /* over a vertex */
      if (x <= low[0] || x >= high[0]) continue;
      for (int32_t f = 0; f < set.count; f++)
        count += contains(&set, f, x, y);
      if (!(count == 1 || (count > 1 && i % 3 == 0))) fail_msg("%.17g %.17g is in %d countries", x, y, count);
    }
    gv_feature_set_clear(&set);
  }
}

/* The turns of the direction to the ring's vertices, each less than half a turn: by edges cut small. */
static double winding(const struct geod_geodesic *g, double lon, double lat, int64_t first, int64_t end) {
  double total = 0.0, last = 0.0;
  bool any = false;
  for (int64_t v = first; v + 1 < end; v++) {
    struct geod_geodesicline line;
    geod_inverseline(&line, g, l.y[v], l.x[v], l.y[v + 1], l.x[v + 1], 0);
    for (int i = 0; i < 64; i++) {
      double y, x, azimuth;
      geod_position(&line, line.s13 * i / 64, &y, &x, NULL);
      geod_inverse(g, lat, lon, y, x, NULL, &azimuth, NULL);
      if (any) total += remainder(azimuth - last, 360.0);
      last = azimuth;
      any = true;
    }
  }
  double azimuth;
  geod_inverse(g, lat, lon, l.y[end - 1], l.x[end - 1], NULL, &azimuth, NULL);
  return total + remainder(azimuth - last, 360.0);
}

/* Rings of geodesics anywhere, over poles too; the position's antipodes are outside of them all. */
static void geodesic_insides(void **unused) {
  (void)unused;
  struct geod_geodesic g;
  gv_feature_set set;
  int within = 0;
  geod_init(&g, wgs84.semi_major, wgs84.flattening);
  for (int i = 0; i < 300; i++) {
    double lon = layer_uniform(-180, 180),
           lat = i % 3 == 0 ? copysign(layer_uniform(80, 90), layer_uniform(-1, 1)) : layer_uniform(-90, 90);
    double size = i % 2 == 0 ? 4e6 : 20.0;
    layer_clear(&l);
    for (int k = 0; k <= 9; k++) {
      double y, x, r = k < 9 ? layer_uniform(0.3, 1.0) * size : 0.0;
      geod_direct(&g, lat, lon, (i % 4 < 2 ? 40.0 : -40.0) * k, r, &y, &x, NULL);
      layer_vertex(&l, k < 9 ? x : l.x[0], k < 9 ? y : l.y[0]);
    }
    layer_end_ring(&l);
    layer_end_part(&l, GV_PART_POLYGON);
    layer_end_feature(&l);
    make(GV_GEODESIC, GV_EDGES_GEODESIC, false, &set);
    for (int k = 0; k < 20; k++) {
      double y, x;
      geod_direct(&g, lat, lon, layer_uniform(-180, 180), layer_uniform(0.0, 1.2) * size, &y, &x, NULL);
      bool inside = fabs(winding(&g, x, y, 0, l.vertices)) > 180.0;
      within += inside;
      if (contains(&set, 0, x, y) != inside)
        fail_msg("%d, %d: %.17g %.17g around %.17g %.17g", i, k, x, y, lon, lat);
    }
    assert_false(contains(&set, 0, lon + 180.0, -lat));
    gv_feature_set_clear(&set);
  }
  assert_true(within > 1000);
}

/* The locator says the same, whatever the layer. */
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
  return place(lon + layer_uniform(-away, away), lat, set->globe);
}

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
    make(i == 0 ? GV_EUCLIDEAN : GV_GEODESIC, i >= 2 ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT, false, &set);
    assert_int_equal(gv_locator_init(context, &set, &locator), GV_OK);
    for (int k = 0; k < 3000; k++) {
      gv_edge_place q = place(layer_uniform(-180, 180),
                              k % 50 == 0 ? 90.0 - 180.0 * (k % 100 == 0) : layer_uniform(-90, 90), i > 0);
      if (k % 7 == 0) q = place(l.x[k % l.vertices], l.y[k % l.vertices], i > 0);
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

/* What lies on a meridian between two rings is in the one east of it. */
static void meridians_between_rings(void **unused) {
  (void)unused;
  gv_feature_set set;
  layer_clear(&l);
  layer_box(&l, 0, 0, 10, 10);
  layer_box(&l, 10, 0, 20, 10);
  layer_box(&l, -180, 0, -170, 10);
  make(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, false, &set);
  assert_true(contains(&set, 0, 0, 5) && !contains(&set, 0, 10, 5) && contains(&set, 1, 10, 5));
  assert_true(!contains(&set, 1, 20, 5) && contains(&set, 2, 180, 5) && !contains(&set, 2, -170, 5));
  gv_feature_set_clear(&set);
}

/* --------------------------------------------------------------------------------------------------------- cuts */

static void cuts_are_no_boundary(void **unused) {
  (void)unused;
  gv_feature_set set;
  gv_edge_foot foot;
  layer_clear(&l);
  layer_box(&l, 170, 60, 180, 70);   /* against the next from 60 to 70: all of its eastern edge */
  layer_box(&l, -180, 55, -170, 72); /* a part of which lies against the first */
  layer_box(&l, -180, -90, 180, -80);
  make(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &set);
  const int cut[17] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0};
  assert_int_equal(set.vertices, 17);
  for (int i = 0; i < 17; i++)
    assert_int_equal(set.cut[i], cut[i]);
  gv_edge_place q = place(179.0, 65.0, true);
  gv_feature_nearest(&set, 0, &q, false, &foot);
  assert_true(foot.canonical == 0.0 && isnan(foot.azimuth));
  gv_feature_nearest(&set, 0, &q, true, &foot);
  assert_true(foot.canonical > 4e5); /* not the 47 km to the antimeridian */
  q = place(-179.0, 65.0, true);
  gv_feature_nearest(&set, 1, &q, true, &foot);
  assert_true(foot.canonical > 4e5);
  q = place(-179.0, 57.0, true);
  gv_feature_nearest(&set, 1, &q, true, &foot);
  assert_true(fabs(foot.canonical - 60771.0) < 100.0);
  q = place(20.0, -90.0, true);
  gv_feature_nearest(&set, 2, &q, true, &foot);
  assert_true(fabs(foot.canonical - 1116825.8) < 1000.0);
  gv_feature_set_clear(&set);
}

/* Polygons that overlap: what one side has is all of their stretches together, however they lie. */
static void stretches_hold_others(void **unused) {
  (void)unused;
  gv_feature_set set;
  layer_clear(&l);
  layer_box(&l, 170, 60, 180, 70);
  layer_box(&l, 175, 62, 180, 65);
  layer_box(&l, -180, 60, -170, 70);
  make(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &set);
  for (int i = 0; i < 15; i++)
    assert_int_equal(set.cut[i], i == 1 || i == 6 || i == 13);
  gv_feature_set_clear(&set);
}

/* A ball that an edge may touch is not on one side of it. */
static void balls_that_touch(void **unused) {
  (void)unused;
  layer_clear(&l);
  layer_box(&l, 0, 0, 1, 1);
  for (int globe = 0; globe < 2; globe++) {
    gv_feature_set set;
    make(globe ? GV_GREAT_CIRCLE : GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
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

/* An edge of a layer lies where another way of computing says. */
static void the_nearest_edge_counts(void **unused) {
  (void)unused;
  gv_feature_set set;
  gv_edge_foot foot, one;
  const double low[2] = {-180.0, -80.0}, high[2] = {180.0, 80.0};
  layer_clear(&l);
  layer_random(&l, 30, low, high, 30.0);
  make(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, true, &set);
  for (int k = 0; k < 300; k++) {
    gv_edge_place q = place(layer_uniform(-180, 180), layer_uniform(-90, 90), true);
    for (int32_t f = 0; f < set.count; f++) {
      double least = INFINITY;
      for (int64_t p = set.part[f]; p < set.part[f + 1]; p++) {
        for (int64_t v = set.vertex[set.ring[p]]; v < set.vertex[set.ring[p + 1]]; v++) {
          bool last = false;
          for (int64_t r = set.ring[p]; r < set.ring[p + 1]; r++)
            last |= v + 1 == set.vertex[r + 1];
          bool point = set.kind[p] == GV_PART_POINTS;
          if (last && !point) continue;
          gv_feature_edge(&set, v, point, &q, &one);
          least = fmin(least, one.canonical);
        }
      }
      gv_feature_nearest(&set, f, &q, false, &foot);
      assert_true(foot.canonical == least);
    }
  }
  gv_feature_set_clear(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_features_are_refused),  cmocka_unit_test(orientations_are_exact),
      cmocka_unit_test(straight_insides),          cmocka_unit_test(insides_after_turns),
      cmocka_unit_test(countries_are_a_partition), cmocka_unit_test(geodesic_insides),
      cmocka_unit_test(meridians_between_rings),   cmocka_unit_test(locating),
      cmocka_unit_test(cuts_are_no_boundary),      cmocka_unit_test(stretches_hold_others),
      cmocka_unit_test(balls_that_touch),          cmocka_unit_test(the_nearest_edge_counts),
  };
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
