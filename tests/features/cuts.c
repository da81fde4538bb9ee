/* Edges that only cut polygons at 180 degrees and at the poles. */
#include "features/cases.h"

static void cuts_are_no_boundary(void **unused) {
  (void)unused;
  gv_feature_set set;
  gv_edge_closest closest;
  layer_clear(&l);
  layer_box(&l, 170, 60, 180, 70);   /* against the next from 60 to 70: all of its eastern edge */
  layer_box(&l, -180, 55, -170, 72); /* a part of which lies against the first */
  layer_box(&l, -180, -90, 180, -80);
  make_set(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &set);
  const int cut[17] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0};
  assert_int_equal(set.vertices, 17);
  for (int i = 0; i < 17; i++)
    assert_int_equal(set.cut[i], cut[i]);
  gv_edge_place q = place_at(GV_GEODESIC, 179.0, 65.0, NULL);
  gv_feature_nearest(&set, 0, &q, false, &closest);
  assert_true(closest.canonical == 0.0 && isnan(closest.azimuth));
  gv_feature_nearest(&set, 0, &q, true, &closest);
  assert_true(closest.canonical > 4e5); /* not the 47 km to the antimeridian */
  q = place_at(GV_GEODESIC, -179.0, 65.0, NULL);
  gv_feature_nearest(&set, 1, &q, true, &closest);
  assert_true(closest.canonical > 4e5);
  q = place_at(GV_GEODESIC, -179.0, 57.0, NULL);
  gv_feature_nearest(&set, 1, &q, true, &closest);
  assert_true(fabs(closest.canonical - 60771.0) < 100.0);
  q = place_at(GV_GEODESIC, 20.0, -90.0, NULL);
  gv_feature_nearest(&set, 2, &q, true, &closest);
  assert_true(fabs(closest.canonical - 1116825.8) < 1000.0);
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
  make_set(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &set);
  for (int i = 0; i < 15; i++)
    assert_int_equal(set.cut[i], i == 1 || i == 6 || i == 13);
  gv_feature_set_clear(&set);
}

/* Boxes on both sides of the antimeridian, at whole latitudes: each degree of a border is cut if a box of the
 * other side lies along it. */
static void borders_degree_by_degree(void **unused) {
  (void)unused;
  enum { BOXES = 8 };
  int cut = 0, kept = 0;
  for (int trial = 0; trial < 300; trial++) {
    int low[BOXES], high[BOXES];
    bool covered[2][180] = {{false}};
    gv_feature_set set;
    layer_clear(&l);
    for (int i = 0; i < BOXES; i++) {
      low[i] = (int)floor(layer_uniform(-89.0, 80.0));
      high[i] = low[i] + 1 + (int)floor(layer_uniform(0.0, fmin(40.0, 89.0 - low[i])));
      double turn = 360.0 * floor(layer_uniform(-2.0, 2.0)),
             beside = layer_uniform(-0.9, 0.9) * GV_CUT_TOLERANCE;
      if (i % 2 == 0) {
        layer_box(&l, turn + 150.0 + i, low[i], turn + 180.0 + beside, high[i]);
      } else {
        layer_box(&l, turn + 180.0 + beside, low[i], turn + 190.0 + i, high[i]);
      }
      for (int y = low[i]; y < high[i]; y++)
        covered[i % 2][y + 90] = true;
    }
    make_set(GV_GEODESIC, GV_EDGES_STRAIGHT, false, &set);
    for (int64_t r = 0; r < set.rings; r++) {
      int degrees = 0;
      for (int64_t v = set.vertex[r]; v + 1 < set.vertex[r + 1]; v++) {
        bool border = fabs(remainder(set.x[v] - 180.0, 360.0)) < 1e-3 &&
                      fabs(remainder(set.x[v + 1] - 180.0, 360.0)) < 1e-3;
        if (!border) {
          assert_int_equal(set.cut[v], 0);
          continue;
        }
        int from = (int)rint(fmin(set.y[v], set.y[v + 1])), to = (int)rint(fmax(set.y[v], set.y[v + 1]));
        for (int y = from; y < to; y++)
          assert_int_equal(set.cut[v], covered[1 - r % 2][y + 90]);
        if (set.cut[v] != 0) assert_true(remainder(set.x[v] - 180.0, 360.0) == 0.0);
        degrees += to - from;
        cut += set.cut[v] != 0;
        kept += set.cut[v] == 0;
      }
      assert_int_equal(degrees, high[r] - low[r]);
    }
    gv_feature_set_clear(&set);
  }
  assert_true(cut > 300 && kept > 300);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cuts_are_no_boundary),
    cmocka_unit_test(stretches_hold_others),
    cmocka_unit_test(borders_degree_by_degree),
};
FEATURE_TESTS_MAIN(tests)
