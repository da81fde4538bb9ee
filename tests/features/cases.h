/* Sets of random layers and positions, for tests of features. */
#ifndef GV_TESTS_CASES_H
#define GV_TESTS_CASES_H

#include "cmocka_test.h"

#include "features/layer.h"
#include "features/set.h"

/* The object of a test, the number of balls or positions, and its accuracy. */
typedef struct case_setting {
  gv_metric metric;
  gv_edges edges;
  int cases;
  double error; /* of distances */
} case_setting;

static layer l;
static gv_context *context;

static const gv_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563,
                                   (2.0 - 1.0 / 298.257223563) / 298.257223563};

static inline void make_set(gv_metric metric, gv_edges edges, bool boundary, gv_feature_set *set) {
  gv_features f = layer_features(&l, edges, boundary);
  if (gv_feature_set_init(context, metric, &wgs84, &f, set) != GV_OK)
    fail_msg("%s", gv_context_message(context));
}

/* A position for the set's metric; `tree`: also in the coordinates of trees. */
static inline gv_edge_place place_at(gv_metric metric, double x, double y, double tree[3]) {
  gv_edge_place q = {.lon = x, .lat = y, .vector = {x, y, 0.0}};
  bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  if (globe) {
    gv_normalize_lonlat(&q.lon, &q.lat);
    gv_lonlat_to_vectors(NULL, false, 1, &q.lon, &q.lat, q.vector, q.vector + 1, q.vector + 2);
  }
  if (tree == NULL) return q;
  for (int axis = 0; axis < 3; axis++)
    tree[axis] = q.vector[axis];
  if (metric == GV_GEODESIC) gv_lonlat_to_vectors(&wgs84, true, 1, &q.lon, &q.lat, tree, tree + 1, tree + 2);
  return q;
}

#define FEATURE_TESTS_MAIN(tests)                                                                            \
  int main(void) {                                                                                           \
    if (gv_context_create(NULL, &context) != GV_OK) return 1;                                                \
    int failed = cmocka_run_group_tests(tests, NULL, NULL);                                                  \
    gv_context_destroy(context);                                                                             \
    return failed;                                                                                           \
  }

#endif
