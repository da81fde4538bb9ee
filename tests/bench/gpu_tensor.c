/*
 * Not a test: device times of searches in many dimensions (docs/benchmarks-search.md, "Tensor cores"), uniform points and queries of
 * float32. `ninja bench_gpu_tensor; bench_gpu_tensor [BACKEND [REPEAT]]`.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "gpu_bench.h"

static float *random_floats(int64_t values, uint64_t state) {
  float *out = malloc((size_t)values * sizeof *out);
  for (int64_t i = 0; out != NULL && i < values; i++)
    out[i] = (float)uniform(&state);
  return out;
}

static uint64_t checksum(const void *values, size_t bytes, uint64_t sum) {
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const unsigned char *)values)[i]) * UINT64_C(1099511628211);
  return sum;
}

static gv_status measure(gv_context *context, const char *backend, const gv_points *reference,
                         const gv_points *queries, int32_t k, int repeat) {
  size_t entries = (size_t)queries->count * (size_t)k;
  int64_t *indices = malloc(entries * sizeof *indices);
  double *distances = malloc(entries * sizeof *distances), ms[MOST + 1], wall = 0.0;
  gv_index_options index_options = GV_INDEX_OPTIONS_INIT;
  index_options.backend = backend;
  gv_search_options options = GV_SEARCH_OPTIONS_INIT;
  options.k = k;
  gv_index *index = NULL;
  gv_status status = GV_ERROR_OUT_OF_MEMORY;
  if (indices != NULL && distances != NULL) status = gv_index_build(context, reference, &index_options, &index);
  for (int run = 0; status == GV_OK && run <= repeat; run++) { /* the first is to warm up */
    double before = gv_context_device_seconds(context), start = now();
    status = gv_index_search(context, index, queries, &options, indices, distances);
    ms[run] = 1e3 * (gv_context_device_seconds(context) - before);
    wall = 1e3 * (now() - start);
  }
  if (status == GV_OK) {
    uint64_t sum =
        checksum(distances, entries * sizeof *distances, checksum(indices, entries * sizeof *indices, 7));
    qsort(ms + 1, (size_t)repeat, sizeof *ms, ascending);
    printf("%8" PRId64 " queries %8" PRId64
           " points, d %3d, k %3d: %8.3f ms (the last call %.1f), answers %016" PRIx64 "\n",
           queries->count, reference->count, (int)reference->dim, (int)k, ms[1 + repeat / 2], wall, sum);
  } else {
    (void)fail(context, backend);
  }
  gv_index_destroy(index);
  free(indices);
  free(distances);
  return status;
}

int main(int argc, char **argv) {
  static const struct {
    int64_t queries, points;
    int32_t dim, k;
  } rows[] = {{32768, 32768, 128, 20}, {32768, 32768, 784, 20}, {10000, 1000000, 960, 100}, {1024, 1048576, 16, 1},
              {16, 1048576, 128, 10},  {384, 1048576, 128, 10}, {32768, 32768, 128, 1},     {32768, 32768, 32, 20},
              {32768, 32768, 16, 20},  {2000, 200000, 48, 300}};
  const char *backend = argc > 1 ? argv[1] : "cuda-tensor";
  int repeat = argc > 2 ? atoi(argv[2]) : 7;
  if (repeat < 1 || repeat > MOST) repeat = 7;
  gv_context *context = NULL;
  gv_status status = gv_context_create(NULL, &context);
  for (size_t r = 0; status == GV_OK && r < sizeof rows / sizeof *rows; r++) {
    float *points = random_floats(rows[r].points * rows[r].dim, 1),
          *queries = random_floats(rows[r].queries * rows[r].dim, 2);
    gv_points reference = {points, rows[r].points, rows[r].dim, GV_FLOAT32};
    gv_points asked = {queries, rows[r].queries, rows[r].dim, GV_FLOAT32};
    status = points == NULL || queries == NULL ? GV_ERROR_OUT_OF_MEMORY
                                               : measure(context, backend, &reference, &asked, rows[r].k, repeat);
    free(points);
    free(queries);
  }
  gv_context_destroy(context);
  return status == GV_OK ? 0 : 1;
}
