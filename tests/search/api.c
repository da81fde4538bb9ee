/* The search API: what bad input gets, option defaults, limits, progress and cancelling, facts about an
 * index. */
#include "backends_here.h"
#include "cmocka_test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "left_out.h"
#include "search/code_sort.h"
#include "search/cuda_module.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};
static const gv_array_options elsewhere = {sizeof(gv_array_options), (gv_memory)7, NULL};

static const double square[] = {0, 0, 1, 0, 0, 1, 1, 1, 0.5, 0.5};
static const gv_points corners = {sizeof(gv_points), square, 5, 2, GV_FLOAT64, NULL, NULL};

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) == GV_OK ? 0 : -1;
}

static int free_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

static void expect_build(gv_context *context, gv_status expected, const gv_points *points,
                         const gv_index_options *options, const char *text) {
  gv_index *index = (gv_index *)(intptr_t)1;
  assert_int_equal(gv_index_build(context, points, options, &index), expected);
  assert_ptr_equal(index, (void *)(intptr_t)1); /* outputs are unchanged */
  if (strstr(gv_context_message(context), text) == NULL) {
    fail_msg("'%s' is not in '%s'", text, gv_context_message(context));
  }
}

static void test_bad_builds(void **state) {
  gv_context *context = *state;
  gv_index_options options;
  gv_index_options_init(&options);
  gv_index *index = NULL;
  assert_int_equal(gv_index_build(NULL, &corners, NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build(context, &corners, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, NULL, NULL, "NULL");
  gv_points p = corners;
  p.dim = 0;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "dimension out of range [1, 4096] (0)");
  p.dim = 4097;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "dimension out of range [1, 4096] (4097)");
  p = corners;
  p.count = 0;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "reference points: missing");
  p.count = -1;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "number of reference points");
  p.count = INT64_MAX / 2;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "number of reference points");
  p = corners;
  p.data = NULL;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "data");
  p = corners;
  p.dtype = (gv_dtype)7;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &p, NULL, "type (7)");
  const double bad[] = {0, 0, 1, NAN, 2, 2}, infinite[] = {0, 0, 1, 1, -INFINITY, 2};
  expect_build(context, GV_ERROR_INVALID_ARGUMENT,
               &(gv_points){sizeof(gv_points), bad, 3, 2, GV_FLOAT64, NULL, NULL}, NULL, "point 1 ");
  expect_build(context, GV_ERROR_INVALID_ARGUMENT,
               &(gv_points){sizeof(gv_points), infinite, 3, 2, GV_FLOAT64, NULL, NULL}, NULL, "point 2 ");
  options.backend = "no-such";
  expect_build(context, GV_ERROR_UNKNOWN_BACKEND, &corners, &options, "no-such");
  options.backend = "octree";
  const double four[4] = {0};
  expect_build(context, GV_ERROR_UNSUPPORTED,
               &(gv_points){sizeof(gv_points), four, 1, 4, GV_FLOAT64, NULL, NULL}, &options, "octree");
  options.backend = NULL;
  options.metric = GV_GEODESIC;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, NULL, &options, "reference points: missing");
  options.metric = (gv_metric)99;
  expect_build(context, GV_ERROR_UNSUPPORTED, &corners, &options, "unknown");
}

static void test_bad_searches(void **state) {
  gv_context *context = *state;
  int64_t indices[5];
  double distances[5];
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b)) continue;
    gv_index_options build;
    gv_index_options_init(&build);
    build.backend = b->name;
    gv_index *index = NULL;
    assert_int_equal(gv_index_build(context, &corners, &build, &index), GV_OK);
    assert_string_equal(gv_index_backend(index), b->name);
    assert_int_equal(gv_index_count(index), 5);
    assert_int_equal(gv_index_dim(index), 2);
    gv_search_options o;
    gv_search_options_init(&o);
    assert_int_equal(gv_index_search(NULL, index, NULL, NULL, indices, distances), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_index_search(context, NULL, NULL, NULL, indices, distances),
                     GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_index_search(context, index, NULL, NULL, NULL, distances), GV_ERROR_INVALID_ARGUMENT);
    const int32_t bad_k[] = {0, -1, b->device ? 1025 : 16777217};
    for (int i = 0; i < 3; i++) {
      o.k = bad_k[i];
      assert_int_equal(gv_index_search(context, index, NULL, &o, indices, distances),
                       GV_ERROR_INVALID_ARGUMENT);
    }
    o.k = 1;
    o.max_distance = -1.0;
    assert_int_equal(gv_index_search(context, index, NULL, &o, indices, distances),
                     GV_ERROR_INVALID_ARGUMENT);
    o.max_distance = NAN;
    assert_int_equal(gv_index_search(context, index, NULL, &o, indices, distances),
                     GV_ERROR_INVALID_ARGUMENT);
    o.max_distance = INFINITY;
    gv_points q = gv_points_rows(square, 3, 3, GV_FLOAT64);
    assert_int_equal(gv_index_search(context, index, &q, &o, indices, distances), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "3 dimensions"));
    q = gv_points_rows(square, 3, 2, GV_FLOAT64);
    o.exclude_self = 1;
    assert_int_equal(gv_index_search(context, index, &q, &o, indices, distances), GV_ERROR_INVALID_ARGUMENT);
    o.exclude_self = 0;
    const float bad[] = {0, 0, 1, INFINITY};
    q = gv_points_rows(bad, 2, 2, GV_FLOAT32);
    assert_int_equal(gv_index_search(context, index, &q, &o, indices, distances), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "query point 1"));
    q = gv_points_rows(NULL, 0, 2, GV_FLOAT64);
    assert_int_equal(gv_index_search(context, index, &q, &o, NULL, NULL), GV_OK);
    gv_index_destroy(index);
  }
  gv_index_destroy(NULL);
  assert_int_equal(gv_index_count(NULL), 0);
}

/* Arrays on a device, without one: only GPU backends support them. */
static void test_device_arrays(void **state) {
  gv_context *context = *state;
  gv_index_options build;
  gv_index_options_init(&build);
  gv_search_options one;
  gv_search_options_init(&one);
  const char *reason = "";
  int64_t indices[5];
  build.array_options = one.array_options = &on_device;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!b->searches_points || (b->device && !b->several)) continue;
    build.backend = b->name;
    expect_build(context, GV_ERROR_UNSUPPORTED, &corners, &build, "device memory is unsupported");
    if (b->device) continue;
    gv_index *index = NULL;
    gv_index_options host;
    gv_index_options_init(&host);
    host.backend = b->name;
    assert_int_equal(gv_index_build(context, &corners, &host, &index), GV_OK);
    assert_int_equal(gv_index_search(context, index, &corners, &one, indices, NULL), GV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(gv_context_message(context), b->name));
    one.array_options = &elsewhere;
    assert_int_equal(gv_index_search(context, index, &corners, &one, indices, NULL),
                     GV_ERROR_INVALID_ARGUMENT);
    one.array_options = &on_device;
    gv_index_destroy(index);
  }
  build.backend = NULL;
  if (gv_cuda_probe(&reason) == GV_OK) { /* they are none */
    expect_build(context, GV_ERROR_INVALID_ARGUMENT, &corners, &build, "CUDA device's memory");
  } else {
    expect_build(context, GV_ERROR_UNAVAILABLE, &corners, &build, reason);
  }
  build.array_options = &elsewhere;
  expect_build(context, GV_ERROR_INVALID_ARGUMENT, &corners, &build, "memory: unknown kind (7)");

  gv_index *globe = NULL;
  gv_points seeds = gv_points_xy(square, square, 3);
  gv_index_options_init(&build);
  build.metric = GV_GEODESIC;
  assert_int_equal(gv_index_build(context, &seeds, &build, &globe), GV_OK);
  assert_int_equal(gv_index_search(context, globe, NULL, &one, indices, NULL), GV_ERROR_UNSUPPORTED);
  gv_index_destroy(globe);
}

/* Distances may be left out; the center of the square is equally far from all corners. */
static void test_ties_and_missing(void **state) {
  gv_context *context = *state;
  gv_index *index = NULL;
  assert_int_equal(gv_index_build(context, &corners, NULL, &index), GV_OK);
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = 6;
  o.exclude_self = 1;
  int64_t indices[30];
  double distances[30];
  assert_int_equal(gv_index_search(context, index, NULL, &o, indices, distances), GV_OK);
  for (int r = 0; r < 4; r++) {
    assert_int_equal(indices[24 + r], r);
    assert_true(distances[24 + r] == sqrt(0.5));
  }
  assert_int_equal(indices[28], -1);
  assert_true(isinf(distances[29]));
  int64_t alone[30];
  assert_int_equal(gv_index_search(context, index, NULL, &o, alone, NULL), GV_OK);
  assert_memory_equal(alone, indices, sizeof alone);
  gv_index_destroy(index);
}

/* The limit is inclusive to the last bit, also where squares round, overflow or vanish. */
static void test_limits_are_exact(void **state) {
  gv_context *context = *state;
  uint64_t random_state = 9;
  for (int round = 0; round < 3000; round++) {
    double scale = ldexp(1.0, (round % 21 - 10) * 100), s[3];
    for (int d = 0; d < 3; d++) {
      random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
      s[d] = (double)(random_state >> 11) * 0x1p-53 * scale;
    }
    const double q[3] = {0, 0, 0};
    gv_points reference = gv_points_rows(s, 1, 3, GV_FLOAT64), query = gv_points_rows(q, 1, 3, GV_FLOAT64);
    gv_index *index = NULL;
    assert_int_equal(gv_index_build(context, &reference, NULL, &index), GV_OK);
    gv_search_options o;
    gv_search_options_init(&o);
    int64_t found;
    double distance, again;
    assert_int_equal(gv_index_search(context, index, &query, &o, &found, &distance), GV_OK);
    assert_int_equal(found, 0);
    o.max_distance = distance;
    assert_int_equal(gv_index_search(context, index, &query, &o, &found, &again), GV_OK);
    assert_int_equal(found, 0);
    if (distance > 0.0) {
      o.max_distance = nextafter(distance, 0.0);
      assert_int_equal(gv_index_search(context, index, &query, &o, &found, &again), GV_OK);
      assert_int_equal(found, -1);
      assert_true(isinf(again));
    }
    gv_index_destroy(index);
  }
}

typedef struct watch {
  int calls, allowed;
  double last;
  bool backwards;
} watch;

static int look(double fraction, void *user) {
  watch *w = user;
  w->calls++;
  w->backwards |= fraction < w->last || fraction > 1.0;
  w->last = fraction;
  return w->calls < w->allowed;
}

static void test_progress_and_cancel(void **state) {
  (void)state;
  enum { N = 20000 };
  double *points = malloc(N * 3 * sizeof *points);
  for (int i = 0; i < N * 3; i++)
    points[i] = (double)((int64_t)i * 7919 % 10007);
  int64_t *indices = malloc(N * sizeof *indices);
  gv_points all = gv_points_rows(points, N, 3, GV_FLOAT64);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b)) continue;
    bool slow = b->exhaustive;
    gv_points some = gv_points_rows(points, slow ? 500 : N, 3, GV_FLOAT64);
    watch w = {0, INT32_MAX, 0.0, false};
    gv_context_options options;
    gv_context_options_init(&options);
    options.progress = look;
    options.progress_user = &w;
    options.threads = 2;
    gv_context *context = NULL;
    assert_int_equal(gv_context_create(&options, &context), GV_OK);
    gv_index_options build;
    gv_index_options_init(&build);
    build.backend = b->name;
    gv_index *index = NULL;
    assert_int_equal(gv_index_build(context, &all, &build, &index), GV_OK);
    w = (watch){0, INT32_MAX, 0.0, false};
    assert_int_equal(gv_index_search(context, index, &some, NULL, indices, NULL), GV_OK);
    assert_true(w.calls > 0 && !w.backwards);
    w = (watch){0, 1, 0.0, false};
    assert_int_equal(gv_index_search(context, index, &some, NULL, indices, NULL), GV_ERROR_CANCELLED);
    gv_index_destroy(index);
    w = (watch){0, 1, 0.0, false};
    gv_status status = gv_index_build(context, &all, &build, &index);
    if (w.calls > 0) assert_int_equal(status, GV_ERROR_CANCELLED);
    if (status == GV_OK) gv_index_destroy(index);
    gv_context_destroy(context);
  }
  free(points);
  free(indices);
}

static void test_choice(void **state) {
  (void)state;
  gv_reference low = {NULL, 1000000, 3, GV_EUCLIDEAN, {NULL, NULL, NULL}, NULL, NULL, 0.0}, high = low,
               few = low;
  high.dim = 64;
  few.count = 100;
  assert_string_equal(gv_backend_choose_cpu(&low, 1, 0)->name, "octree");
  assert_string_equal(gv_backend_choose_cpu(&low, 9, 0)->name, "kdtree");
  assert_string_equal(gv_backend_choose_cpu(&low, 1, 1)->name, "openmp");
  assert_string_equal(gv_backend_choose_cpu(&high, 1, 0)->name, "openmp");
  assert_string_equal(gv_backend_choose_cpu(&few, 1, 0)->name, "openmp");
}

static int by_code(const void *a, const void *b) {
  const gv_sort_code *x = a, *y = b;
  if (x->code != y->code) return x->code < y->code ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static void test_code_sort(void **state) {
  (void)state;
  enum { N = 200000 };
  gv_context *context;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_sort_code *codes = malloc(N * sizeof *codes), *sorted = malloc(N * sizeof *codes),
               *scratch = malloc(N * sizeof *codes);
  uint64_t x = 3;
  for (int64_t i = 0; i < N; i++) {
    x = x * UINT64_C(6364136223846793005) + 1;
    codes[i] = (gv_sort_code){(x >> 24) % (i % 3 == 0 ? 50 : UINT64_C(1) << 40), i};
  }
  memcpy(sorted, codes, N * sizeof *codes);
  qsort(sorted, N, sizeof *sorted, by_code);
  for (int threads = 1; threads <= 3; threads++) {
    gv_sort_code *mine = malloc(N * sizeof *mine);
    memcpy(mine, codes, N * sizeof *mine);
    assert_int_equal(gv_codes_sort(context, mine, scratch, N, 40, threads), GV_OK);
    assert_memory_equal(mine, sorted, N * sizeof *mine);
    free(mine);
  }
  free(codes);
  free(sorted);
  free(scratch);
  gv_context_destroy(context);
}

/* No queries are not an error. */
static void test_nothing_asked_on_the_globe(void **state) {
  (void)state;
  const double lon[] = {0, 90}, lat[] = {0, 45};
  gv_context *context = NULL;
  gv_index *index = NULL;
  gv_points seeds = gv_points_xy(lon, lat, 2), none = gv_points_xy(NULL, NULL, 0),
            fewer = gv_points_xy(lon, lat, -1);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_index_options build;
  gv_index_options_init(&build);
  build.metric = GV_GEODESIC;
  assert_int_equal(gv_index_build(context, &seeds, &build, &index), GV_OK);
  assert_int_equal(gv_index_search(context, index, &none, NULL, NULL, NULL), GV_OK);
  assert_int_equal(gv_index_search(context, index, &fewer, NULL, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  gv_index_destroy(index);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_asked_on_the_globe),
      cmocka_unit_test(test_bad_builds),
      cmocka_unit_test(test_bad_searches),
      cmocka_unit_test(test_device_arrays),
      cmocka_unit_test(test_ties_and_missing),
      cmocka_unit_test(test_limits_are_exact),
      cmocka_unit_test(test_progress_and_cancel),
      cmocka_unit_test(test_choice),
      cmocka_unit_test(test_code_sort),
      cmocka_unit_test(every_backend_can_run),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
