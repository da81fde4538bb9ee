/* What lies within polygons. */
#include "features/brute.h"
#include "features/cases.h"

static bool contains(const gv_feature_set *set, int32_t feature, double x, double y) {
  gv_edge_place q = place_at(set->metric, x, y, NULL);
  return gv_feature_contains(set, feature, &q);
}

static void straight_insides(void **unused) {
  (void)unused;
  gv_feature_set set;
  /* A box with a hole that holds an island; the ring of a bow tie; boxes beyond 180; one that touches
   * itself. */
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
    make_set(globe ? GV_GEODESIC : GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
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

/* On the globe: as on the plane, after any number of turns and for any first vertex of a ring. */
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
  make_set(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &globe);
  make_set(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &plane);
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
    make_set(GV_GEODESIC, geodesic ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT, false, &set);
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
    make_set(GV_GEODESIC, GV_EDGES_GEODESIC, false, &set);
    for (int k = 0; k < 20; k++) {
      double y, x;
      geod_direct(&g, lat, lon, layer_uniform(-180, 180), layer_uniform(0.0, 1.2) * size, &y, &x, NULL);
      const double q[2] = {x, y};
      bool inside = fabs(brute_winding(&g, &l, 0, q)) > 180.0;
      within += inside;
      if (contains(&set, 0, x, y) != inside)
        fail_msg("%d, %d: %.17g %.17g around %.17g %.17g", i, k, x, y, lon, lat);
    }
    assert_false(contains(&set, 0, lon + 180.0, -lat));
    gv_feature_set_clear(&set);
  }
  assert_true(within > 1000);
}

/* What lies on a meridian between two rings is in the one east of it. */
static void meridians_between_rings(void **unused) {
  (void)unused;
  gv_feature_set set;
  layer_clear(&l);
  layer_box(&l, 0, 0, 10, 10);
  layer_box(&l, 10, 0, 20, 10);
  layer_box(&l, -180, 0, -170, 10);
  make_set(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, false, &set);
  assert_true(contains(&set, 0, 0, 5) && !contains(&set, 0, 10, 5) && contains(&set, 1, 10, 5));
  assert_true(!contains(&set, 1, 20, 5) && contains(&set, 2, 180, 5) && !contains(&set, 2, -170, 5));
  gv_feature_set_clear(&set);
}

/* Positions of a small lattice in rings with vertices on it: exact in integers, edges included. */
static bool lattice_contains(const layer *of, int64_t part, int x, int y) {
  bool inside = false;
  for (int64_t v = of->vertex[of->ring[part]]; v + 1 < of->vertex[of->ring[part + 1]]; v++) {
    int64_t ax = (int64_t)of->x[v], ay = (int64_t)of->y[v], bx = (int64_t)of->x[v + 1],
            by = (int64_t)of->y[v + 1];
    int64_t turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    if (turn == 0 && (x - ax) * (x - bx) + (y - ay) * (y - by) <= 0) return true;
    if ((ay > y) != (by > y)) inside ^= (turn > 0) == (by > ay);
  }
  return inside;
}

static void rings_on_a_lattice(void **unused) {
  (void)unused;
  enum { RINGS = 60, SIDE = 8 };
  int64_t in = 0, out = 0;
  layer_clear(&l);
  for (int f = 0; f < RINGS; f++) {
    int64_t first = l.vertices;
    for (int k = 0; k < 3 + f % 9; k++)
      layer_vertex(&l, floor(layer_uniform(0.0, SIDE)), floor(layer_uniform(0.0, SIDE)));
    layer_vertex(&l, l.x[first], l.y[first]);
    layer_end_ring(&l);
    layer_end_part(&l, GV_PART_POLYGON);
    layer_end_feature(&l);
  }
  for (int globe = 0; globe < 2; globe++) {
    gv_feature_set set;
    make_set(globe ? GV_GREAT_CIRCLE : GV_MANHATTAN, GV_EDGES_STRAIGHT, false, &set);
    for (int32_t f = 0; f < RINGS; f++) {
      for (int x = -1; x <= SIDE; x++) {
        for (int y = -1; y <= SIDE; y++) {
          bool expected = lattice_contains(&l, f, x, y);
          if (contains(&set, f, x, y) != expected) fail_msg("ring %d, %d %d: not %d", (int)f, x, y, expected);
          in += expected;
          out += !expected;
        }
      }
    }
    gv_feature_set_clear(&set);
  }
  assert_true(in > 1000 && out > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(straight_insides),    cmocka_unit_test(rings_on_a_lattice),
    cmocka_unit_test(insides_after_turns), cmocka_unit_test(countries_are_a_partition),
    cmocka_unit_test(geodesic_insides),    cmocka_unit_test(meridians_between_rings),
};
FEATURE_TESTS_MAIN(tests)
