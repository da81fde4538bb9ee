/*
 * The trees on the GPU at the sizes of docs/benchmarks-search.md: device time (kernels, by events) and the time of the
 * whole call with its copies, median and least of several runs after one that is not counted.
 *
 *   bench_gpu_trees [RUNS [ROW]]        5 runs of every row, or of one from 0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_bench.h"

/* A checksum of answers: backends must agree. */
static uint64_t digest(const int64_t *indices, const double *distances, int64_t count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &distances[i], sizeof bits);
    sum = (sum ^ (uint64_t)indices[i] ^ bits * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(6364136223846793005) + 1;
  }
  return sum;
}

static double *points(int64_t count, int32_t dim, uint64_t stream) {
  double *values = malloc((size_t)(count * dim) * sizeof *values);
  uint64_t state = stream * 1000003;
  for (int64_t i = 0; values != NULL && i < count * dim; i++)
    values[i] = uniform(&state);
  return values;
}

static void report(const char *what, double *device, double *whole, int runs) {
  qsort(device, (size_t)runs, sizeof *device, ascending);
  qsort(whole, (size_t)runs, sizeof *whole, ascending);
  printf("  %-14s device ms %8.3f (%8.3f)   with copies ms %9.2f (%9.2f)\n", what, device[runs / 2] * 1e3,
         device[0] * 1e3, whole[runs / 2] * 1e3, whole[0] * 1e3);
  fflush(stdout);
}

static int measure(gv_context *context, const char *backend, int32_t dim, const double *r, int64_t n,
                   const double *q, int64_t m, const int32_t *ks, int runs, int64_t *indices, double *distances) {
  double device[MOST], whole[MOST];
  gv_points reference = {r, n, dim, GV_FLOAT64}, queries = {q, m, dim, GV_FLOAT64};
  gv_index_options options = GV_INDEX_OPTIONS_INIT;
  options.backend = backend;
  gv_index *index = NULL;
  printf("%s, d %d, %lld points, %lld queries\n", backend, (int)dim, (long long)n, (long long)m);
  for (int run = -1; run < runs; run++) {
    gv_index_destroy(index);
    index = NULL;
    double before = gv_context_device_seconds(context), start = now();
    if (gv_index_build(context, &reference, &options, &index) != GV_OK) return fail(context, backend);
    if (run < 0) continue;
    whole[run] = now() - start;
    device[run] = gv_context_device_seconds(context) - before;
  }
  report("build", device, whole, runs);
  for (; *ks > 0; ks++) {
    gv_search_options search = GV_SEARCH_OPTIONS_INIT;
    search.k = *ks;
    for (int run = -1; run < runs; run++) {
      double before = gv_context_device_seconds(context), start = now();
      if (gv_index_search(context, index, &queries, &search, indices, distances) != GV_OK)
        return fail(context, backend);
      if (run < 0) continue;
      whole[run] = now() - start;
      device[run] = gv_context_device_seconds(context) - before;
    }
    char what[64];
    snprintf(what, sizeof what, "search k %d", (int)*ks);
    report(what, device, whole, runs);
    printf("    answers %016llx\n", (unsigned long long)digest(indices, distances, m * *ks));
  }
  gv_index_destroy(index);
  return 0;
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"cuda-kdtree", "cuda-octree", "kdtree"};
  static const struct {
    int32_t dim;
    int64_t n, m;
    int32_t k[5];
  } rows[] = {
      {3, 1000000, 10000000, {1, 20, 0}},
      {3, 10000000, 1000000, {1, 20, 0}},
      {3, 1000000, 1000000, {1, 8, 32, 100, 0}},
      {2, 1000000, 10000000, {1, 20, 0}},
      {3, 1000000, 100000, {1, 20, 0}},
      {3, 1000000, 1000, {1, 20, 0}},
      {3, 10000, 1000000, {1, 20, 0}},
      {8, 1000000, 100000, {1, 20, 0}},
      {3, 100000000, 1000000, {1, 20, 0}},
      {3, 1000, 100000, {1, 20, 0}},
      {3, 100, 10000, {1, 20, 0}},
  };
  int runs = argc > 1 ? atoi(argv[1]) : 5;
  int only = argc > 2 ? atoi(argv[2]) : -1;
  if (runs < 1 || runs > MOST) return 2;
  gv_context *context = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int result = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && result == 0; i++) {
    if (only >= 0 && i != (size_t)only) continue;
    int32_t most = 1;
    for (const int32_t *k = rows[i].k; *k > 0; k++)
      most = *k > most ? *k : most;
    double *r = points(rows[i].n, rows[i].dim, 1), *q = points(rows[i].m, rows[i].dim, 2);
    int64_t *indices = malloc((size_t)(rows[i].m * most) * sizeof *indices);
    double *distances = malloc((size_t)(rows[i].m * most) * sizeof *distances);
    if (r == NULL || q == NULL || indices == NULL || distances == NULL) {
      fprintf(stderr, "out of memory\n");
      result = 1;
    }
    /* The processor's tree beside them only where it might be faster to build. */
    for (int b = 0; b < (rows[i].n <= 10000 ? 3 : 2) && result == 0; b++) {
      if (rows[i].dim > 3 && b == 1) continue;
      result = measure(context, backends[b], rows[i].dim, r, rows[i].n, q, rows[i].m, rows[i].k, runs, indices,
                       distances);
    }
    free(r);
    free(q);
    free(indices);
    free(distances);
  }
  gv_context_destroy(context);
  return result;
}
