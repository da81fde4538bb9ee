/* One index, several threads with a context each, searching at once: every one gets the same answer. */
#include "backends_here.h"
#include "cmocka_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"
#include "left_out.h"
#include "search/backend.h"

enum { N = 20000, M = 1000, DIM = 3, K = 4, THREADS = 4, ROUNDS = 3 };

static double reference_data[N * DIM], query_data[M * DIM];
static int64_t expected[M * K];

typedef struct worker {
  const gv_index *index;
  int failed;
} worker;

static void *search(void *user) {
  worker *w = user;
  int64_t *indices = malloc(sizeof expected);
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  gv_context *context = NULL;
  w->failed = indices == NULL || gv_context_create(&options, &context) != GV_OK;
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = K;
  gv_points queries = gv_points_rows(query_data, M, DIM, GV_FLOAT64);
  for (int round = 0; round < ROUNDS && !w->failed; round++) {
    w->failed = gv_index_search(context, w->index, &queries, &o, indices, NULL) != GV_OK ||
                memcmp(indices, expected, sizeof expected) != 0;
  }
  gv_context_destroy(context);
  free(indices);
  return NULL;
}

static void test_concurrent_searches(void **state) {
  (void)state;
  uint64_t x = 1;
  for (int i = 0; i < N * DIM; i++) {
    x = x * UINT64_C(6364136223846793005) + 1;
    reference_data[i] = (double)(x >> 40);
    query_data[i % (M * DIM)] = (double)(x >> 41);
  }
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b)) continue;
    gv_index_options build;
    gv_index_options_init(&build);
    build.backend = b->name;
    gv_points reference = gv_points_rows(reference_data, N, DIM, GV_FLOAT64),
              queries = gv_points_rows(query_data, M, DIM, GV_FLOAT64);
    gv_index *index = NULL;
    assert_int_equal(gv_index_build(context, &reference, &build, &index), GV_OK);
    gv_search_options o;
    gv_search_options_init(&o);
    o.k = K;
    assert_int_equal(gv_index_search(context, index, &queries, &o, expected, NULL), GV_OK);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int t = 0; t < THREADS; t++) {
      workers[t] = (worker){index, 0};
      assert_int_equal(pthread_create(&threads[t], NULL, search, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
      pthread_join(threads[t], NULL);
      assert_int_equal(workers[t].failed, 0);
    }
    gv_index_destroy(index);
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_concurrent_searches),
                                     cmocka_unit_test(every_backend_can_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
