/*
 * cuda-multigpu without a GPU: how it deals out queries and points to devices and merges their answers. The
 * devices are stood in for by a plain loop, and the answers compared with those of `serial`. The backend's
 * source is compiled in here, as the library compiles it.
 */
#include "search/cuda/multigpu.cu"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include <cmocka.h>
extern const gv_search_engine gv_search_serial;
}

static int devices_here;

/* ---------------------------------------------------------------------------------- devices, stood in for */

extern "C" gv_status gv_cuda_probe_device(const char **reason) {
  *reason = "";
  return GV_OK;
}

extern "C" gv_status gv_cuda_usable_devices(gv_context *context, int *devices, int capacity, int *count) {
  (void)context;
  *count = devices_here < capacity ? devices_here : capacity;
  for (int i = 0; i < *count; i++)
    devices[i] = i;
  return GV_OK;
}

const gv_brute_method gv_register_method = {}, gv_tensor_method = {};

gv_status gv_brute_create(gv_context *context, const gv_reference *reference, const gv_brute_method *,
                          int device, gv_brute **out) {
  gv_brute *brute = (gv_brute *)gv_allocate_zeroed(&reference->allocator, 1, sizeof *brute);
  if (brute == NULL) return gv_fail_memory(context, "a device");
  brute->device = device;
  *out = brute;
  return GV_OK;
}

void gv_brute_destroy(const gv_reference *reference, gv_brute *brute) {
  gv_release(&reference->allocator, brute);
}

gv_status gv_brute_run(gv_context *, const gv_reference *reference, const gv_brute *, const gv_query *query,
                       int64_t first, int64_t end, gv_progress *progress, int64_t *indices,
                       double *canonical) {
  for (int64_t i = 0; i < query->count; i++) {
    int64_t self = query->self_offset >= 0 ? query->self_offset + i : -1;
    gv_nearest_list list;
    gv_list_start(&list, canonical + i * query->k, indices + i * query->k, query->k, query->max_canonical);
    for (int64_t j = first; j < end; j++) {
      if (j == self) continue;
      gv_list_offer(&list,
                    gv_canonical_distance(query->data + i * reference->dim,
                                          reference->data + j * reference->dim, reference->dim,
                                          reference->metric),
                    j);
    }
    gv_list_finish(&list);
  }
  (void)gv_progress_add(progress, query->count);
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- the test */

static double *random_points(int64_t count, int dim) {
  double *x = (double *)malloc(sizeof *x * (size_t)(count * dim));
  assert_non_null(x);
  for (int64_t i = 0; i < count * dim; i++)
    x[i] = (double)(rand() % 50); /* many ties */
  return x;
}

static void check(gv_context *context, int64_t points, int64_t queries, int32_t k, bool self, double limit) {
  enum { DIM = 2 };
  double *x = random_points(points, DIM), *q = self ? x : random_points(queries, DIM);
  gv_reference reference = {x, points, DIM, GV_EUCLIDEAN, context->allocator, NULL, NULL, 0.0};
  gv_query query = {q, queries, k, limit, self ? 0 : -1, NULL, NULL};
  size_t places = (size_t)queries * (size_t)k;
  int64_t *index[2];
  double *canonical[2];
  for (int i = 0; i < 2; i++) {
    index[i] = (int64_t *)malloc(places * sizeof(int64_t));
    canonical[i] = (double *)malloc(places * sizeof(double));
    assert_true(index[i] != NULL && canonical[i] != NULL);
    void *state = NULL;
    const gv_search_engine *engine = i == 0 ? &gv_search_serial : &gv_search_cuda_multigpu;
    assert_int_equal(engine->build(context, &reference, &state), GV_OK);
    assert_int_equal(engine->search(context, &reference, state, &query, index[i], canonical[i]), GV_OK);
    engine->destroy(&reference, state);
  }
  assert_memory_equal(index[0], index[1], places * sizeof(int64_t));
  assert_memory_equal(canonical[0], canonical[1], places * sizeof(double));
  for (int i = 0; i < 2; i++) {
    free(index[i]);
    free(canonical[i]);
  }
  if (!self) free(q);
  free(x);
}

static void devices_share_a_search(void **) {
  static const int64_t points[] = {1, 3, 700, 5000}, queries[] = {1, 7, 255, 256, 1023, 1024, 3001};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (devices_here = 1; devices_here <= 8; devices_here += devices_here < 4 ? 1 : 4) {
    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
      for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        check(context, points[p], queries[q], 1, false, INFINITY);
        check(context, points[p], queries[q], 5, false, 40.0);
      }
      check(context, points[p], points[p], 3, true, INFINITY);
    }
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(devices_share_a_search)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
