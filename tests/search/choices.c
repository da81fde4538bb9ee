/*
 * The choice of "auto" by sizes, as on a machine with GPUs: the module is replaced here, and the choice's
 * source compiled in. Benchmarks test that the chosen one is fast, conformance tests that all return the same
 * results.
 */
#include <stdbool.h>

#define gv_cuda_module_get       pretend_module
#define gv_cuda_probe            pretend_probe
#define gv_cuda_started          pretend_started
#define gv_backend_choose        tested_choose
#define gv_backend_choose_device tested_choose_device
#define gv_backend_choose_cpu    tested_choose_processor
#include "search/choose.c"

#include <string.h>

#include "cmocka_test.h"

static struct {
  int devices;
  bool running;
} machine;

bool pretend_started(void) {
  return machine.running;
}

gv_status pretend_probe(const char **reason) {
  *reason = "none today";
  return machine.devices > 0 ? GV_OK : GV_ERROR_UNAVAILABLE;
}

static gv_status pretend_count(gv_context *context, int *count) {
  (void)context;
  *count = machine.devices;
  return GV_OK;
}

const gv_cuda_module *pretend_module(const char **reason) {
  static const gv_cuda_module module = {.device_count = pretend_count};
  *reason = "";
  return &module;
}

static const char *choose(int64_t points, int64_t queries, int32_t dim, int32_t k) {
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *context = NULL;
  options.threads = 16;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  gv_reference reference = {NULL, points, dim, GV_EUCLIDEAN, context->allocator, NULL, NULL, 0.0};
  const char *name = tested_choose(context, &reference, k, queries)->name;
  gv_context_destroy(context);
  return name;
}

static void by_sizes(void **state) {
  (void)state;
  const struct {
    int64_t points, queries;
    int32_t dim, k;
    const char *running, *fresh; /* where CUDA runs, and where it does not yet */
  } rows[] = {
      {1000, 1000, 3, 1, "openmp", "openmp"},
      {65536, 1, 3, 1, "openmp", "openmp"},
      {16777216, 1, 3, 1, "cuda-multiblock", "openmp"},
      {16777216, 1, 16, 1, "cuda-tensor", "openmp"},
      {1048576, 1024, 3, 1, "cuda-register", "octree"},
      {1048576, 100, 3, 1, "cuda-register", "openmp"},
      {1000000, 1000000, 2, 1, "cuda-octree", "octree"},
      {1000000, 10000000, 3, 1, "cuda-kdtree", "octree"},
      {1000000, 10000000, 3, 20, "cuda-kdtree", "cuda-kdtree"},
      {10000000, 1000000, 3, 20, "cuda-octree", "kdtree"},
      {1000000, 2999999, 3, 20, "cuda-octree", "kdtree"},
      {1000000, 3000000, 3, 20, "cuda-kdtree", "kdtree"},
      {1000000, 2999999, 3, 64, "cuda-octree", "cuda-octree"},
      {1000000, 3000001, 3, 64, "cuda-kdtree", "cuda-kdtree"},
      {32768, 32768, 4, 20, "cuda-kdtree", "kdtree"},
      {16383, 1000000, 4, 1, "cuda-register", "kdtree"},
      {16384, 1000000, 4, 1, "cuda-kdtree", "kdtree"},
      {1000000, 1000000, 8, 20, "cuda-kdtree", "cuda-kdtree"},
      {1000000, 1000000, 9, 20, "cuda-register", "cuda-register"},
      {1048576, 100000, 16, 1, "cuda-tensor", "cuda-tensor"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int running = 0; running < 2; running++) {
      machine.devices = 1;
      machine.running = running != 0;
      const char *expected = running ? rows[i].running : rows[i].fresh;
      const char *name = choose(rows[i].points, rows[i].queries, rows[i].dim, rows[i].k);
      if (strcmp(name, expected) != 0)
        fail_msg("row %zu, running %d: %s, not %s", i, running, name, expected);
      machine.devices = 0;
      assert_memory_not_equal(choose(rows[i].points, rows[i].queries, rows[i].dim, rows[i].k), "cuda", 4);
    }
  }
}

static void several_devices(void **state) {
  (void)state;
  machine.running = true;
  machine.devices = 2;
  assert_string_equal(choose(1048576, 1000000, 16, 1), "cuda-multigpu");
  assert_string_equal(choose(1048576, 100000, 16, 1), "cuda-tensor");
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_reference reference = {NULL, 1048576, 16, GV_EUCLIDEAN, context->allocator, NULL, NULL, 0.0};
  const gv_backend *backend = NULL;
  assert_int_equal(tested_choose_device(context, &reference, 1, 1000000, &backend), GV_OK);
  assert_string_equal(backend->name, "cuda-tensor"); /* arrays of one device */
  machine.devices = 0;
  assert_int_equal(tested_choose_device(context, &reference, 1, 1000000, &backend), GV_ERROR_UNAVAILABLE);
  gv_context_destroy(context);
}

/* What lies in search/cuda/ladder is never chosen, and nothing else of brute force is left out. */
static void no_step_of_the_ladder(void **state) {
  (void)state;
  static const char *const ladder[] = {"cuda-matrix", "cuda-cublas", "cuda-thrust",   "cuda-global",
                                       "cuda-soa",    "cuda-shared", "cuda-constant", "cuda-texture"};
  bool seen[GV_BACKENDS] = {false};
  machine.running = true;
  for (machine.devices = 1; machine.devices < 3; machine.devices++) {
    for (int32_t dim = 1; dim <= 64; dim++) {
      for (int64_t points = 16; points < (int64_t)1 << 30; points *= 8) {
        for (int64_t queries = 1; queries < (int64_t)1 << 30; queries *= 8)
          seen[gv_backend_find(choose(points, queries, dim, dim % 2 == 0 ? 1 : 20)) - gv_backends] = true;
      }
    }
  }
  for (int b = 0; b < GV_BACKENDS; b++) {
    bool step = false;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++)
      step = step || strcmp(gv_backends[b].name, ladder[i]) == 0;
    if (gv_backends[b].device && gv_backends[b].searches_points) assert_int_equal(seen[b], !step);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_sizes), cmocka_unit_test(several_devices),
                                     cmocka_unit_test(no_step_of_the_ladder)};
  return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
