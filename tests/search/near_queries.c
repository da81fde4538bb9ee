/* Trees search near queries together: the results are those of `serial`, also where points are as near as
 * others, or in one place. */
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>

#include "gpuvoronoi/gpuvoronoi.h"

enum { SIDE = 24, POINTS = SIDE * SIDE * 3, QUERIES = 2000, MOST = 4 };

static double points[POINTS * 3], queries[QUERIES * 3];

static uint64_t random_state = 3;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(random_state >> 11) * 0x1p-53;
}

/* Points about as far from all queries: a group of queries is near all of them. */
static void make_circle(int32_t dim) {
  for (int i = 0; i < POINTS; i++) {
    double turn = floor(uniform() * 1000.0) * 0.00628, *p = points + (int64_t)i * dim;
    p[0] = 100.0 * cos(turn);
    p[1] = 100.0 * sin(turn);
    if (dim == 3) p[2] = 0.0;
  }
  for (int i = 0; i < QUERIES * dim; i++)
    queries[i] = i / dim % 3 == 0 ? 0.0 : uniform();
}

/* Points of a lattice in a shuffled order, each third twice; queries on the lattice, in the middle of its
 * sides and anywhere. */
static void make_points(int32_t dim) {
  for (int i = 0; i < POINTS; i++) {
    int64_t at = (int64_t)i * 1009 % POINTS / (i % 3 == 0 ? 2 : 1);
    for (int32_t d = 0; d < dim; d++, at /= SIDE)
      points[(int64_t)i * dim + d] = (double)(at % SIDE);
  }
  for (int i = 0; i < QUERIES * dim; i++) {
    double at = uniform() * SIDE;
    queries[i] = i / dim % 3 == 0 ? floor(at) : i / dim % 3 == 1 ? floor(2.0 * at) / 2.0 : at;
  }
}

static void search_with(gv_context *context, const char *backend, int32_t dim, int32_t k, double most,
                        int64_t *indices, double *distances) {
  gv_index_options build;
  gv_index_options_init(&build);
  build.backend = backend;
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = k;
  o.max_distance = most;
  gv_points reference = gv_points_rows(points, POINTS, dim, GV_FLOAT64),
            asked = gv_points_rows(queries, QUERIES, dim, GV_FLOAT64);
  gv_index *index = NULL;
  assert_int_equal(gv_index_build(context, &reference, &build, &index), GV_OK);
  assert_int_equal(gv_index_search(context, index, &asked, &o, indices, distances), GV_OK);
  gv_index_destroy(index);
}

static void compare(void (*make)(int32_t dim)) {
  static int64_t indices[QUERIES * MOST], expected[QUERIES * MOST];
  static double distances[QUERIES * MOST], expected_distances[QUERIES * MOST];
  static const char *const backends[] = {"kdtree", "octree"};
  static const double limits[] = {INFINITY, 99.5, 1.0, 0.5, 0.2, 0.0};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int32_t dim = 2; dim <= 3; dim++) {
    make(dim);
    for (int32_t k = 1; k <= MOST; k++) {
      for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        search_with(context, "serial", dim, k, limits[l], expected, expected_distances);
        for (int b = 0; b < 2; b++) {
          search_with(context, backends[b], dim, k, limits[l], indices, distances);
          assert_memory_equal(indices, expected, (size_t)(QUERIES * k) * sizeof *indices);
          assert_memory_equal(distances, expected_distances, (size_t)(QUERIES * k) * sizeof *distances);
        }
      }
    }
  }
  gv_context_destroy(context);
}

static void test_near_queries(void **state) {
  (void)state;
  compare(make_points);
}

static void test_points_far_away(void **state) {
  (void)state;
  compare(make_circle);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_near_queries),
                                     cmocka_unit_test(test_points_far_away)};
  return cmocka_run_group_tests_name("near_queries", tests, NULL, NULL);
}
