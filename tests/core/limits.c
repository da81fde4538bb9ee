/* The limits that callers can read are those that the functions check. */
#include <stdlib.h>

#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"

static void all_limits(void **unused) {
  (void)unused;
  for (int i = GV_LIMIT_DIM; i <= GV_LIMIT_S2_LEVEL; i++) {
    int64_t lowest = -1, highest = -1;
    assert_int_equal(gv_limits((gv_limit)i, &lowest, &highest), GV_OK);
    assert_true(lowest == 0 || lowest == 1);
    assert_true(highest > lowest);
    assert_int_equal(gv_limits((gv_limit)i, NULL, NULL), GV_OK);
  }
  int64_t unchanged = 7;
  assert_int_equal(gv_limits((gv_limit)(GV_LIMIT_S2_LEVEL + 1), &unchanged, &unchanged),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_limits((gv_limit)-1, &unchanged, &unchanged), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(unchanged, 7);
}

/* k of an index of one point: its limit is accepted, the next number is not. */
static void check_k(gv_context *context, gv_metric metric, gv_limit limit) {
  const double place[] = {1, 2};
  const gv_points point = gv_points_rows(place, 1, 2, GV_FLOAT64);
  gv_index_options options;
  gv_search_options search;
  gv_index *index = NULL;
  int64_t highest = 0, nearest = 7;
  gv_index_options_init(&options);
  gv_search_options_init(&search);
  options.metric = metric;
  assert_int_equal(gv_limits(limit, NULL, &highest), GV_OK);
  int64_t *found = malloc((size_t)highest * sizeof *found);
  assert_non_null(found);
  assert_int_equal(gv_index_build(context, &point, &options, &index), GV_OK);
  search.k = (int32_t)highest;
  assert_int_equal(gv_index_search(context, index, &point, &search, found, NULL), GV_OK);
  assert_int_equal(found[0], 0);
  assert_int_equal(found[highest - 1], -1);
  search.k++;
  assert_int_equal(gv_index_search(context, index, &point, &search, &nearest, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  gv_index_destroy(index);
  free(found);
}

static void neighbors_of_queries(void **unused) {
  (void)unused;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  check_k(context, GV_EUCLIDEAN, GV_LIMIT_K_CPU);
  check_k(context, GV_GEODESIC, GV_LIMIT_K);
  gv_context_destroy(context);
}

static void levels_of_cells(void **unused) {
  (void)unused;
  int64_t highest = 0;
  assert_int_equal(gv_limits(GV_LIMIT_QTM_LEVEL, NULL, &highest), GV_OK);
  assert_true(gv_qtm_count((int)highest) > 0 && gv_qtm_count((int)highest + 1) == 0);
  assert_int_equal(gv_limits(GV_LIMIT_HEALPIX_ORDER, NULL, &highest), GV_OK);
  assert_true(gv_healpix_count((int)highest) > 0 && gv_healpix_count((int)highest + 1) == 0);
  assert_int_equal(gv_limits(GV_LIMIT_S2_LEVEL, NULL, &highest), GV_OK);
  assert_true(gv_s2_count((int)highest) > 0 && gv_s2_count((int)highest + 1) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_limits), cmocka_unit_test(neighbors_of_queries),
                                     cmocka_unit_test(levels_of_cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
