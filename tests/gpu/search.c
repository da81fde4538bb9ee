/*
 * Tests of the search backends that need a GPU: nothing leaks over a thousand builds and searches, threads
 * share an index, a full or missing device is an error of the call and of no later one, and "auto" continues
 * without it. Skipped without a GPU.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/experimental.h"
#include "search/backend.h"
#include "search/cuda_module.h"

enum { DIM = 3, POINTS = 5000, QUERIES = 300, K = 4, LOOPS = 1000, THREADS = 6 };

typedef struct fixture {
  double *points, *queries;
  gv_context *context;
} fixture;

static double uniform(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static bool on_device(const gv_backend *backend) {
  return backend->device && searches_here(backend);
}

static gv_status build(gv_context *context, const char *backend, const double *points, int64_t count,
                       int32_t dim, gv_index **out) {
  gv_points reference = gv_points_rows(points, count, dim, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.expected_queries = 1000000;
  return gv_index_build(context, &reference, &options, out);
}

static void search(gv_context *context, const gv_index *index, const double *queries, int64_t *found) {
  gv_points points = gv_points_rows(queries, QUERIES, DIM, GV_FLOAT64);
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = K;
  if (gv_index_search(context, index, &points, &options, found, NULL) != GV_OK) {
    fail_msg("%s: %s", gv_index_backend(index), gv_context_message(context));
  }
}

static int64_t free_bytes(gv_context *context) {
  gv_device_info info;
  gv_device_info_init(&info);
  assert_int_equal(gv_device_get(context, 0, &info), GV_OK);
  return info.free_memory_bytes;
}

static void test_leaks(void **state) {
  const fixture *f = *state;
  int64_t found[QUERIES * K];
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!on_device(b)) continue;
    int64_t before = 0;
    for (int i = 0; i < LOOPS; i++) {
      gv_index *index = NULL;
      if (build(f->context, b->name, f->points, POINTS, DIM, &index) != GV_OK) {
        fail_msg("%s: %s", b->name, gv_context_message(f->context));
      }
      search(f->context, index, f->queries, found);
      gv_index_destroy(index);
      if (i == 9) before = free_bytes(f->context);
    }
    /* A library may fill a pool of its own once; a leak would be LOOPS times something. */
    int64_t lost = before - free_bytes(f->context);
    if (lost > (int64_t)8 << 20) fail_msg("%s lost %lld bytes", b->name, (long long)lost);
  }
}

typedef struct task {
  const fixture *f;
  const gv_index *index;
  int64_t found[QUERIES * K];
} task;

static void *search_often(void *opaque) {
  task *t = opaque;
  gv_context *context = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return NULL;
  for (int i = 0; i < 20; i++) {
    memset(t->found, 0x55, sizeof t->found);
    search(context, t->index, t->f->queries, t->found);
  }
  gv_context_destroy(context);
  return NULL;
}

static void test_threads(void **state) {
  const fixture *f = *state;
  int64_t expected[QUERIES * K];
  task *tasks = calloc(THREADS, sizeof *tasks);
  assert_non_null(tasks);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!on_device(b)) continue;
    gv_index *index = NULL, *serial = NULL;
    assert_int_equal(build(f->context, "serial", f->points, POINTS, DIM, &serial), GV_OK);
    search(f->context, serial, f->queries, expected);
    gv_index_destroy(serial);
    assert_int_equal(build(f->context, b->name, f->points, POINTS, DIM, &index), GV_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
      tasks[i].f = f;
      tasks[i].index = index;
      assert_int_equal(pthread_create(&threads[i], NULL, search_often, &tasks[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
      assert_int_equal(pthread_join(threads[i], NULL), 0);
      assert_memory_equal(tasks[i].found, expected, sizeof expected);
    }
    gv_index_destroy(index);
  }
  free(tasks);
}

/* A device that is not there: an error for a named backend; "auto" does without it. */
static void test_no_such_device(void **state) {
  const fixture *f = *state;
  gv_context_options options;
  gv_context_options_init(&options);
  options.device = 4711;
  gv_context *context = NULL;
  gv_index *index = NULL;
  int64_t found[QUERIES * K];
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  assert_int_equal(build(context, "cuda-register", f->points, POINTS, DIM, &index), GV_ERROR_UNAVAILABLE);
  assert_non_null(strstr(gv_context_message(context), "4711"));
  const char *reason;
  gv_reference reference = {NULL, 50000, 64, GV_EUCLIDEAN, {NULL, NULL, NULL}, NULL, NULL, 0.0};
  assert_int_equal(gv_cuda_probe(&reason), GV_OK);
  assert_memory_equal(gv_backend_choose(context, &reference, 1, 1000000)->name, "cuda-", 5);
  double *many = calloc(50000 * 64, sizeof *many);
  assert_non_null(many);
  assert_int_equal(build(context, NULL, many, 50000, 64, &index), GV_OK);
  assert_memory_not_equal(gv_index_backend(index), "cuda-", 5);
  gv_index_destroy(index);
  free(many);
  gv_context_destroy(context);
  assert_int_equal(build(f->context, "cuda-register", f->points, POINTS, DIM, &index), GV_OK);
  search(f->context, index, f->queries, found);
  gv_index_destroy(index);
}

enum { PARTS_MAX = 512 };

/* Allocates the memory of device 0, except for less than `rest` bytes in a piece. */
static int fill_device(void *parts[PARTS_MAX], size_t rest) {
  int count = 0;
  assert_int_equal(cudaSetDevice(0), cudaSuccess);
  for (size_t size = (size_t)1 << 32; size >= rest; size /= 2) {
    while (count < PARTS_MAX && cudaMalloc(&parts[count], size) == cudaSuccess)
      count++;
  }
  (void)cudaGetLastError();
  return count;
}

static gv_status read_rows(void *user, int64_t first, int64_t count, void *out) {
  const gv_points *points = user;
  size_t row = (size_t)points->dim * sizeof(float);
  memcpy(out, (const char *)points->data + (size_t)first * row, (size_t)count * row);
  return GV_OK;
}

/* A selected device is full when it should search: the processor continues with the copy of the points. */
static void test_no_memory_to_search(void **state) {
  const fixture *f = *state;
  enum { MANY = 400000, WIDE = 64, ASKED = 3000 };
  static int64_t expected[ASKED * K], found[ASKED * K];
  uint64_t random = 3;
  float *many = malloc((size_t)MANY * WIDE * sizeof *many);
  assert_non_null(many);
  for (size_t i = 0; i < (size_t)MANY * WIDE; i++)
    many[i] = (float)uniform(&random);
  gv_points points = gv_points_rows(many, MANY, WIDE, GV_FLOAT32),
            queries = gv_points_rows(many + WIDE, ASKED, WIDE, GV_FLOAT32);
  const gv_point_source source = {sizeof(gv_point_source), MANY, WIDE, GV_FLOAT32, read_rows, &points};
  gv_index_options options;
  gv_index_options_init(&options);
  gv_search_options o;
  gv_search_options_init(&o);
  gv_index *index = NULL;
  void *parts[PARTS_MAX];
  o.k = K;
  options.expected_queries = 1000000;
  options.backend = "openmp";
  assert_int_equal(gv_index_build(f->context, &points, &options, &index), GV_OK);
  assert_int_equal(gv_index_search(f->context, index, &queries, &o, expected, NULL), GV_OK);
  gv_index_destroy(index);
  gv_context *context = NULL; /* without buffers from before */
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  options.backend = NULL;
  assert_int_equal(gv_index_build_from(context, &source, &options, &index), GV_OK);
  assert_memory_equal(gv_index_backend(index), "cuda-", 5);
  for (int full = 1; full >= 0; full--) {
    int count = full ? fill_device(parts, (size_t)1 << 20) : 0;
    int64_t before = free_bytes(context);
    memset(found, 0x55, sizeof found);
    assert_int_equal(gv_index_search(context, index, &queries, &o, found, NULL), GV_OK);
    assert_memory_equal(found, expected, sizeof found);
    if (full) assert_true(before - free_bytes(context) <= (int64_t)8 << 20); /* nothing was searched there */
    while (count > 0)
      assert_int_equal(cudaFree(parts[--count]), cudaSuccess);
  }
  gv_index_destroy(index);
  gv_context_destroy(context);
  free(many);
}

/* A device that is full. */
static void test_no_memory(void **state) {
  const fixture *f = *state;
  enum { MANY = 400000, WIDE = 64 };
  void *parts[PARTS_MAX];
  int count = fill_device(parts, (size_t)1 << 24);
  double *many = calloc((size_t)MANY * WIDE, sizeof *many);
  assert_non_null(many);
  gv_index *index = NULL;
  assert_int_equal(build(f->context, "cuda-register", many, MANY, WIDE, &index), GV_ERROR_OUT_OF_MEMORY);
  assert_int_equal(build(f->context, NULL, many, MANY, WIDE, &index), GV_OK);
  assert_memory_not_equal(gv_index_backend(index), "cuda-", 5);
  gv_index_destroy(index);
  while (count > 0)
    assert_int_equal(cudaFree(parts[--count]), cudaSuccess);
  assert_int_equal(build(f->context, "cuda-register", many, MANY, WIDE, &index), GV_OK);
  assert_string_equal(gv_index_backend(index), "cuda-register");
  gv_index_destroy(index);
  free(many);
}

static int setup(void **state) {
  static fixture f;
  uint64_t random = 7;
  f.points = malloc((size_t)POINTS * DIM * sizeof(double));
  f.queries = malloc((size_t)QUERIES * DIM * sizeof(double));
  gv_context_options first;
  gv_context_options_init(&first);
  first.device = 0; /* test_no_memory uses its memory */
  if (f.points == NULL || f.queries == NULL || gv_context_create(&first, &f.context) != GV_OK) return -1;
  for (int i = 0; i < POINTS * DIM; i++)
    f.points[i] = uniform(&random);
  for (int i = 0; i < QUERIES * DIM; i++)
    f.queries[i] = uniform(&random);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  gv_context_destroy(f->context);
  free(f->points);
  free(f->queries);
  return 0;
}

int main(int argc, char **argv) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leaks),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_no_such_device),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_no_memory_to_search),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
