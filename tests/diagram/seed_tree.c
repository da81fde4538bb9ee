/* The tree over a sequence of seeds finds the nearest one: along geodesics seen from 90 degrees away, around
 * antipodes, anywhere; with and without anchors. */
#include "diagram/seed_tree.h"

#include "cmocka_test.h"

#include <math.h>

#include "diagram/seed_sets.h"

enum { PLACES = 200 };

static gv_context *context;
static gv_globe globe;

static int setup(void **unused) {
  (void)unused;
  gv_ellipsoid shape;
  int failed = (int)gv_context_create(NULL, &context);
  if (failed == 0) failed = (int)gv_ellipsoid_init(context, 6378137.0, 1.0 / 298.257223563, &shape);
  if (failed == 0) gv_globe_init(GV_GEODESIC, &shape, &globe);
  return failed;
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

static double distance_to(const seed_set *s, double lon, double lat, int seed) {
  double distance;
  geod_inverse(&globe.geod, lat, lon, s->y[seed], s->x[seed], &distance, NULL, NULL);
  return distance;
}

/* Within 10 nm: distances are measured from either end. */
static void compare(const gv_seed_tree *tree, const seed_set *s, double lon, double lat,
                    gv_seed_anchor *anchor) {
  double least = INFINITY, found_at = INFINITY;
  int32_t found = -1;
  for (int i = 0; i < s->count; i++)
    least = fmin(least, distance_to(s, lon, lat, i));
  gv_seed_tree_search(tree, lon, lat, anchor, &found_at, &found);
  assert_true(found >= 0);
  assert_true(fabs(found_at - least) < 1e-7 && fabs(distance_to(s, lon, lat, found) - least) < 1e-7);
  double nearer = least - 1e-6; /* no seed */
  found = -1;
  gv_seed_tree_search(tree, lon, lat, anchor, &nearer, &found);
  assert_true(found < 0);
}

/* Places at most `size` degrees from x, y; 180: anywhere. */
static void check_set(const seed_set *s, double x, double y, double size) {
  static double position[3 * SEED_SETS_MAX];
  gv_seed_tree tree;
  gv_globe_vectors(&globe, s->count, s->x, s->y, position);
  assert_int_equal(gv_seed_tree_of_all(context, &globe, s->x, s->y, position, s->count, &tree), GV_OK);
  gv_seed_anchor anchor = {.allocator = tree.allocator};
  for (int i = 0; i < PLACES; i++) {
    double lon = x + seed_uniform(-size, size), lat = size > 90.0
                                                          ? asin(seed_uniform(-1.0, 1.0)) * 57.29577951308232
                                                          : y + seed_uniform(-size, size);
    compare(&tree, s, lon, lat, NULL);
    compare(&tree, s, lon, lat, &anchor);
  }
  gv_seed_anchor_free(&anchor);
  gv_seed_tree_free(&tree);
}

static void finds_the_nearest(void **unused) {
  (void)unused;
  static seed_set s;
  for (int kind = 0; kind < 5; kind++) {
    s.count = 0;
    for (int i = 0; i < 300 && kind == 0; i++)
      seed_add(&s, 25.0, seed_uniform(-89.0, 89.0));
    if (kind == 1) seed_add_circle(&s, 300, 0.7);
    if (kind == 2) seed_add_cluster(&s, 300, 40.0, 30.0, 0.5);
    if (kind == 3) seed_add_any(&s, 300);
    if (kind == 4) seed_add_ring(&s, 300, 10.0, 45.0, 5.0);
    const double lon[5] = {115.0, 90.0, -140.0, 0.0, -170.0},
                 lat[5] = {0.0, 90.0 - 0.7 * 57.29577951308232, -30.0, 0.0, -45.0};
    check_set(&s, lon[kind] - (kind == 1 ? 180.0 : 0.0), lat[kind], 0.3);
    check_set(&s, 0.0, 0.0, 180.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_nearest)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
