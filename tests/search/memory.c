/* Every allocation of a build and a search fails once: the status reports it and nothing leaks. */
#include "backends_here.h"
#include "cmocka_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "left_out.h"
#include "search/backend.h"

static void try_all(const char *backend, const gv_points *reference, const gv_points *queries, int32_t k,
                    bool with_distances) {
  int64_t *indices = malloc((size_t)(queries->count * k) * sizeof *indices);
  double *distances = malloc((size_t)(queries->count * k) * sizeof *distances);
  bool finished = false;
  long failures = 0;
  for (long fail_at = 0; !finished; fail_at++) {
    assert_true(fail_at < 200);
    failing_memory memory = {0};
    failing_memory_begin(&memory, fail_at);
    gv_context_options options = failing_options(&memory, 2);
    gv_context *context = NULL;
    gv_index *index = NULL;
    gv_status status = gv_context_create(&options, &context);
    if (status == GV_OK) {
      gv_index_options build;
      gv_index_options_init(&build);
      build.backend = backend;
      status = gv_index_build(context, reference, &build, &index);
      if (status == GV_OK) {
        gv_search_options search;
        gv_search_options_init(&search);
        search.k = k;
        status =
            gv_index_search(context, index, queries, &search, indices, with_distances ? distances : NULL);
      }
      if (status != GV_OK) assert_non_null(strstr(gv_context_message(context), "memory"));
    }
    finished = atomic_load(&memory.calls) <= fail_at;
    assert_int_equal(status, finished ? GV_OK : GV_ERROR_OUT_OF_MEMORY);
    failures += !finished;
    gv_index_destroy(index);
    gv_context_destroy(context);
    assert_int_equal(atomic_load(&memory.live), 0);
  }
  assert_true(failures >= 3); /* the context, the index, its points */
  free(indices);
  free(distances);
}

static void test_failing_allocations(void **state) {
  (void)state;
  enum { N = 20000, DIM = 3 };
  double *wide = malloc(N * DIM * sizeof *wide);
  float *narrow = malloc(N * DIM * sizeof *narrow);
  for (int i = 0; i < N * DIM; i++) {
    wide[i] = (double)((int64_t)i * 7919 % 10007);
    narrow[i] = (float)wide[i];
  }
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b)) continue;
    int64_t many = b->exhaustive ? 10 : 2000;
    gv_points reference = gv_points_rows(wide, N, DIM, GV_FLOAT64),
              queries = gv_points_rows(narrow, many, DIM, GV_FLOAT32), one = queries;
    one.count = 1;
    try_all(b->name, &reference, &queries, 3, false);
    try_all(b->name, &reference, &one, 1, true);
  }
  free(wide);
  free(narrow);
}

/* The same on the globe: three seeds far away make every query request more neighbors than at first. */
static void test_globe(void **state) {
  (void)state;
  const double lon[] = {0, 90, -90, 180, 45}, lat[] = {0, 0, 0, 0, 89}, x[] = {1, 2, 3},
               y[] = {-80, -85, -90};
  bool finished = false;
  for (long fail_at = 0; !finished; fail_at++) {
    assert_true(fail_at < 100);
    failing_memory memory = {0};
    failing_memory_begin(&memory, fail_at);
    gv_context_options options = failing_options(&memory, 1);
    gv_context *context = NULL;
    gv_index *index = NULL;
    gv_status status = gv_context_create(&options, &context);
    gv_points seeds = gv_points_xy(lon, lat, 5), queries = gv_points_xy(x, y, 3);
    int64_t indices[3] = {-9, -9, -9};
    gv_index_options build;
    gv_index_options_init(&build);
    build.metric = GV_GEODESIC;
    if (status == GV_OK) status = gv_index_build(context, &seeds, &build, &index);
    if (status == GV_OK) status = gv_index_search(context, index, &queries, NULL, indices, NULL);
    finished = atomic_load(&memory.calls) <= fail_at;
    assert_int_equal(status, finished ? GV_OK : GV_ERROR_OUT_OF_MEMORY);
    if (finished) assert_int_equal(indices[0], 0);
    gv_index_destroy(index);
    gv_context_destroy(context);
    assert_int_equal(atomic_load(&memory.live), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing_allocations), cmocka_unit_test(test_globe),
                                     cmocka_unit_test(every_backend_can_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
