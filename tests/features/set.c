/* Checks of features. */
#include "features/cases.h"

#include <string.h>

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
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "features: missing");
  const int64_t none[3] = {0, 0, 0};
  gv_feature_set nothing;
  gv_features bare = layer_features(&l, GV_EDGES_STRAIGHT, false); /* of no parts: nothing else is needed */
  bare.count = 2;
  bare.part = bare.ring = bare.vertex = none;
  bare.kind = NULL;
  bare.x = bare.y = NULL;
  assert_int_equal(gv_feature_set_init(context, GV_EUCLIDEAN, &wgs84, &bare, &nothing), GV_OK);
  gv_feature_set_clear(&nothing);
  layer_box(&l, 0, 0, 1, 1);
  layer_box(&l, 2, 0, 3, 1);
  gv_feature_set set;
  make_set(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, false, &set);
  gv_feature_set_clear(&set);
  refused(GV_EUCLIDEAN, GV_EDGES_GEODESIC, "geodesic edges are unsupported");
  refused(GV_GEODESIC, (gv_edges)7, "edges: unknown number (7)");
  l.x[9] = 2.5;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1: a ring is not closed");
  l.x[9] = l.x[5] = (double)NAN;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1: a");
  l.x[9] = l.x[5] = 2.0;
  l.x[7] = (double)INFINITY;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1: a coordinate is not finite");
  l.x[7] = 1e80;
  refused(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, "feature 1: a coordinate is out of range [-1e75, 1e75]");
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1: longitude out of range [-36000, 36000] (1e+80)");
  l.x[7] = 3.0;
  l.y[7] = 91.0;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1: latitude out of range [-90, 90] (91)");
  l.y[7] = 1.0;
  l.kind[1] = 3;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 1: unknown kind of a part");
  l.kind[1] = GV_PART_LINE;
  l.ring[2] = 3;
  l.vertex[3] = 10;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "number of rings");
  l.ring[2] = 2;
  l.vertex[1] = 11;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "offsets of vertices: invalid; they decrease at");
  l.vertex[1] = 0;
  refused(GV_GEODESIC, GV_EDGES_STRAIGHT, "feature 0: a part is empty");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_features_are_refused),
};
FEATURE_TESTS_MAIN(tests)
