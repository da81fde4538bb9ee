/*
 * The accuracy of tensor cores on this device: search/half_filter.h bounds the error of their sums of exact
 * products. Queries constructed to lose the most are multiplied by every kernel of cuda-tensor (its sources
 * are compiled in here), and compared with exact sums.
 */
#include "search/cuda/tensor/tensor.cu"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

/* --------------------------------------------------------------------- the rest of the module, not needed */

gv_status gv_cuda_result(gv_context *, cudaError_t, const char *) {
  return GV_ERROR_INTERNAL;
}
gv_status gv_cuda_allocate(gv_context *, size_t, void **) {
  return GV_ERROR_INTERNAL;
}
gv_status gv_cuda_reserve(gv_context *, gv_cuda_queue *, int, size_t, void **) {
  return GV_ERROR_INTERNAL;
}
void gv_cuda_release(int, void *) {}
gv_status gv_cuda_probe_device(const char **) {
  return GV_ERROR_INTERNAL;
}
gv_status gv_brute_create(gv_context *, const gv_reference *, const gv_brute_method *, int, gv_brute **) {
  return GV_ERROR_INTERNAL;
}
gv_status gv_brute_search(gv_context *, const gv_reference *, const void *, const gv_query *, int64_t *,
                          double *) {
  return GV_ERROR_INTERNAL;
}
void gv_brute_forget(const gv_reference *, void *) {}

/* --------------------------------------------------------------------------------------------------- sums */

/* Points come in KINDS, the sixteen of a block of groups alike. */
enum { QUERIES = 1152, POINTS = 1024, MOST = 4096, KINDS = 4, ALIKE = 16 };

/* A query of n coordinates, for points with the signs of `point`. */
static float coordinate(int query, int d, int n, float point) {
  float tiny = ldexpf(1.0F + (float)(query % 7) / 8.0F, -10 - query % 4), sign = point < 0.0F ? -1.0F : 1.0F;
  switch (query % 8) {
  case 0:
    return sign * (d == 0 ? 1.0F : tiny); /* all terms after the first are cut off */
  case 1:
    return sign * (d == n - 1 ? 1.0F : tiny);
  case 2:
    return d % 2 == 0 ? 1.0F + tiny : -1.0F;
  case 3:
    return d == query % n ? 16.0F : (float)(d % 3 - 1) * tiny;
  case 4:
    return sign * ldexpf(1.0F, -(d % 14));
  case 5:
    return (float)((query * 7919 + d * 104729) % 2047 - 1023) / 1024.0F;
  case 6:
    return d < n / 2 ? 1.0F + 1.0F / 1024.0F : -1.0F;
  default:
    return sign * (1.0F + 1023.0F / 1024.0F);
  }
}

typedef struct world {
  gv_cuda_queue queue;
  __half *points, *queries;
  float *scale, *halves, *minima;
} world;

static void *device_copy(const void *from, size_t bytes) {
  void *to = NULL;
  assert_int_equal(cudaMalloc(&to, bytes), cudaSuccess);
  assert_int_equal(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), cudaSuccess);
  return to;
}

/* Where dimension d of a row is. */
static size_t place(int row, int d, int depth, int slab) {
  int width = gv_half_width(depth);
  return (size_t)gv_half_at(row, d % width / GV_HALF_PIECE, depth, slab) +
         (size_t)(d / width * slab * width) + (size_t)(d % GV_HALF_PIECE);
}

template <typename LAUNCH> static void check_sums(world *w, int n, int kind, int count, LAUNCH launch) {
  static __half points[POINTS * MOST], queries[QUERIES * MOST];
  static float ones[QUERIES], zeros[POINTS], found[QUERIES * POINTS / 4];
  static double exact[QUERIES][KINDS], largest[QUERIES][KINDS];
  const int depth = gv_half_depth(n);
  memset(points, 0, sizeof points);
  memset(queries, 0, (size_t)count * depth * sizeof *queries);
  memset(exact, 0, sizeof exact);
  memset(largest, 0, sizeof largest);
  for (int q = 0; q < QUERIES; q++)
    ones[q] = 1.0F;
  for (int d = 0; d < n; d++) {
    float point = kind == 0   ? 1.0F
                  : kind == 1 ? (float)(d % 5 - 2) * 0.4375F
                              : 1.0F + (float)(d % 1024) / 1024.0F;
    __half at[KINDS];
    for (int i = 0; i < KINDS; i++)
      at[i] = __float2half_rn(point * (1.0F + (float)i / KINDS));
    for (int i = 0; i < POINTS; i++)
      points[place(i, d, depth, GV_POINT_SLAB)] = at[i / ALIKE % KINDS];
    for (int q = 0; q < count; q++) {
      __half query = __float2half_rn(coordinate(q, d, n, point));
      queries[place(q, d, depth, GV_QUERY_SLAB)] = query;
      for (int i = 0; i < KINDS; i++) { /* of at most 22 bits each, above 2^-28: exact in doubles */
        double product = (double)__half2float(query) * (double)__half2float(at[i]);
        exact[q][i] += product;
        largest[q][i] += fabs(product);
      }
    }
  }
  gv_scan scan = {};
  scan.count = scan.padded = POINTS;
  scan.queries = count;
  scan.groups.steps = GV_TENSOR_STEPS_LEAST;
  scan.row = POINTS / 4;
  w->points = (__half *)device_copy(points, (size_t)POINTS * depth * sizeof *points);
  w->queries = (__half *)device_copy(queries, (size_t)count * depth * sizeof *queries);
  w->scale = (float *)device_copy(ones, sizeof ones);
  scan.halves = w->halves = (float *)device_copy(zeros, sizeof zeros);
  memset(found, 0xff, sizeof found);
  scan.minima = w->minima = (float *)device_copy(found, sizeof found);
  gv_halves h = {w->points, w->queries, w->scale, depth};
  assert_int_equal(launch(&w->queue, &scan, &h), cudaSuccess);
  assert_int_equal(cudaMemcpy(found, w->minima, sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int q = 0; q < count; q++) {
    for (int g = 0; g < POINTS / 4; g++) {
      int i = g / GV_TENSOR_LANES % KINDS;
      double bound = (4.5 * n + 36.0) * 0x1p-24 * largest[q][i];
      double error = fabs((double)found[q * (POINTS / 4) + g] - exact[q][i]);
      if (!(error <= bound))
        fail_msg("%d dimensions, query %d, group %d: %g above %g", n, q, g, error, bound);
    }
  }
  void *const all[] = {w->points, w->queries, w->scale, w->halves, w->minima};
  for (void *one : all)
    (void)cudaFree(one);
}

template <typename LAUNCH> static void check_kernel(world *w, LAUNCH launch) {
  static const int dims[] = {16, 32, 48, 64, 128, 832, MOST};
  for (int n : dims) {
    for (int kind = 0; kind < 3; kind++) {
      check_sums(w, n, kind, GV_QUERY_SLAB, launch);
      if (kind == 1) check_sums(w, n, kind, 2 * GV_QUERY_SLAB, launch);
      if (n <= 64) check_sums(w, n, kind, QUERIES, launch);
    }
  }
}

static void test_sums(void **) {
  int room = 0, l2 = 0, processors = 0;
  world w = {};
  assert_int_equal(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  assert_int_equal(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), cudaSuccess);
  assert_int_equal(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  w.queue.shared_block_bytes = (size_t)room;
  w.queue.l2_bytes = (size_t)l2;
  w.queue.multiprocessors = processors;
  check_kernel(&w, launch_form); /* what searches use here */
  check_kernel(&w, launch_steps<small, 2>);
  if (room >= 3 * few::BYTES) check_kernel(&w, launch_steps<few, 3>);
  if (room >= 2 * large::BYTES) check_kernel(&w, launch_steps<large, 2>);
  if (room >= 3 * large::BYTES) check_kernel(&w, launch_steps<large, 3>);
  if (room >= 4 * large::BYTES) check_kernel(&w, launch_steps<large, 4>);
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no device\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
