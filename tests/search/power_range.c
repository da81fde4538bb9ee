/* Sums of powers that a double does not hold are errors; others are results. */
#include "cmocka_test.h"

#include <math.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"

enum { POINTS = 9 };

static const char *const backends[] = {"serial", "openmp", "kdtree", "octree"};

static gv_index *index_of(gv_context *context, const char *backend, double power, double scale) {
  static double points[POINTS][2];
  for (int i = 0; i < POINTS; i++) {
    points[i][0] = scale * (i % 3);
    points[i][1] = scale * 0.75 * (i / 3); // NOLINT(bugprone-integer-division): a row
  }
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = GV_MINKOWSKI;
  options.power = power;
  gv_index *index = NULL;
  const gv_points reference = gv_points_rows(points, POINTS, 2, GV_FLOAT64);
  assert_int_equal(gv_index_build(context, &reference, &options, &index), GV_OK);
  return index;
}

static gv_status search_near(gv_context *context, const gv_index *index, double x, int32_t k, double limit,
                             double *distances) {
  const double query[] = {x, 0.0};
  const gv_points queries = gv_points_rows(query, 1, 2, GV_FLOAT64);
  int64_t found[POINTS];
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = k;
  options.max_distance = limit;
  return gv_index_search(context, index, &queries, &options, found, distances);
}

static void searches_outside_the_range(void **state) {
  (void)state;
  static const struct {
    double power, scale;
    gv_status first, second; /* of the point in the query's place, and of the next one too */
  } cases[] = {
      {3.0, 1e5, GV_OK, GV_OK},
      {60.0, 1e5, GV_OK, GV_OK},
      {64.0, 1e5, GV_OK, GV_ERROR_INVALID_ARGUMENT}, /* 0.75e5^64 = 1e312 */
      {60.0, 1e-5, GV_OK, GV_OK},
      {100.0, 1e-4, GV_OK, GV_ERROR_INVALID_ARGUMENT},
      {1048576.0, 0.1, GV_OK, GV_ERROR_INVALID_ARGUMENT},
  };
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
      double distances[POINTS] = {0};
      gv_index *index = index_of(context, backends[b], cases[i].power, cases[i].scale);
      assert_int_equal(search_near(context, index, 0.0, 1, INFINITY, distances), cases[i].first);
      assert_int_equal(search_near(context, index, 0.0, 2, INFINITY, distances), cases[i].second);
      if (cases[i].second == GV_OK) {
        assert_true(fabs(distances[1] - 0.75 * cases[i].scale) < 1e-12 * cases[i].scale);
      } else {
        assert_non_null(strstr(gv_context_message(context), "distance out of range ["));
      }
      gv_index_destroy(index);
    }
  }
  gv_context_destroy(context);
}

static void limits_outside_the_range(void **state) {
  (void)state;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    double distances[POINTS];
    int64_t offsets[POINTS + 1];
    gv_index *index = index_of(context, backends[b], 100.0, 1.0);
    assert_int_equal(search_near(context, index, 0.0, 3, 1.0, distances), GV_OK);
    assert_int_equal(search_near(context, index, 0.0, 3, 0.0, distances), GV_OK);
    assert_int_equal(search_near(context, index, 0.0, 3, 1e-4, distances), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(search_near(context, index, 0.0, 3, 1e4, distances), GV_ERROR_INVALID_ARGUMENT);
    gv_radius_options options;
    gv_radius_options_init(&options);
    options.radius = 1e-4;
    assert_int_equal(gv_index_search_radius(context, index, NULL, &options, offsets, NULL, NULL),
                     GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_index_search_pairs(context, index, &options, offsets, NULL),
                     GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "maximum distance: out of range ["));
    options.radius = 1.0;
    assert_int_equal(gv_index_search_pairs(context, index, &options, offsets, NULL), GV_OK);
    assert_int_equal(offsets[POINTS], 12);
    gv_index_destroy(index);
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(searches_outside_the_range),
      cmocka_unit_test(limits_outside_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
