/*
 * cuda-tensor decides most queries in one way, which is limited to a number of groups and points, and the
 * others like all brute force backends: sets that need either, and both at once, have the bytes of `serial`.
 * Skipped without a GPU.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/cuda_module.h"

enum { POINTS = 5003, QUERIES = 1200, DIM_MOST = 784, K_MOST = 300, PLACES = 40 };

typedef enum point_kind { UNIFORM, ALIKE, PLACES_AND_NOISE, CORNERS, ONE_AMONG_ALIKE, KINDS } point_kind;

static double uniform(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

/* Coordinates that are floats, but for the noise. */
static void fill(double *values, int64_t count, int32_t dim, point_kind kind, uint64_t stream) {
  uint64_t state = stream * 1000003 + 7;
  for (int64_t i = 0; i < count; i++) {
    for (int32_t d = 0; d < dim; d++) {
      double u = (double)(float)uniform(&state), *to = &values[i * dim + d];
      uint64_t place = (uint64_t)(i % PLACES * DIM_MOST + d);
      switch (kind) {
      case ALIKE:
        *to = 0.25;
        break;
      case PLACES_AND_NOISE: /* smaller than 16 bits or floats can represent */
        *to = uniform(&place) + (i % 3 == 0 ? 0.0 : u * (i % 3 == 1 ? 1e-5 : 1e-12));
        break;
      case CORNERS:
        *to = u < 0.5 ? 0.0 : 1.0;
        break;
      case ONE_AMONG_ALIKE: /* alike for one half of the queries, apart for the other */
        *to = i % 2 == 0 ? 0.25 : u;
        break;
      default:
        *to = u;
        break;
      }
    }
  }
}

typedef struct fixture {
  gv_context *context;
  double *points, *queries;
  int64_t *indices[2];
  double *distances[2];
} fixture;

static void ask(const fixture *f, const char *backend, gv_metric metric, const gv_points *reference,
                const gv_points *queries, const gv_search_options *options, int which) {
  gv_index_options index_options;
  gv_index_options_init(&index_options);
  index_options.backend = backend;
  index_options.metric = metric;
  gv_index *index = NULL;
  memset(f->indices[which], 0x55, QUERIES * K_MOST * sizeof(int64_t));
  if (gv_index_build(f->context, reference, &index_options, &index) != GV_OK ||
      gv_index_search(f->context, index, queries, options, f->indices[which], f->distances[which]) != GV_OK) {
    fail_msg("%s: %s", backend, gv_context_message(f->context));
  }
  gv_index_destroy(index);
}

static void check(const fixture *f, gv_metric metric, const gv_points *reference, const gv_points *queries,
                  const gv_search_options *options, point_kind kind) {
  int64_t entries = queries->count * options->k;
  ask(f, "serial", metric, reference, queries, options, 0);
  ask(f, "cuda-tensor", metric, reference, queries, options, 1);
  for (int64_t i = 0; i < entries; i++) {
    if (f->indices[0][i] == f->indices[1][i] &&
        memcmp(&f->distances[0][i], &f->distances[1][i], sizeof(double)) == 0)
      continue;
    fail_msg("%s, kind %d, %d dimensions, %lld queries, k %d: entry %lld is %lld at %.17g, not %lld at %.17g",
             gv_metric_name(metric), (int)kind, (int)reference->dim, (long long)queries->count,
             (int)options->k, (long long)i, (long long)f->indices[1][i], f->distances[1][i],
             (long long)f->indices[0][i], f->distances[0][i]);
  }
}

static void narrow(double *values, int64_t count) {
  float *to = (float *)values;
  for (int64_t i = 0; i < count; i++)
    to[i] = (float)values[i];
}

static void check_metrics(const fixture *f, const gv_points *reference, const gv_points *queries,
                          const gv_search_options *given, point_kind kind) {
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_COSINE, GV_INNER_PRODUCT};
  for (int m = 0; m < 3; m++) {
    if (m == 1 + ((int)kind + given->k) % 2) continue; /* one of the two of products */
    gv_search_options options = *given;
    check(f, metrics[m], reference, queries, &options, kind);
    /* As far as a neighbor of one of them, and a little less far. */
    options.max_distance = f->distances[0][queries->count / 2 * options.k];
    if (options.exclude_self || !isfinite(options.max_distance)) continue;
    check(f, metrics[m], reference, queries, &options, kind);
    options.max_distance = nextafter(options.max_distance, metrics[m] == GV_INNER_PRODUCT ? -INFINITY : 0.0);
    check(f, metrics[m], reference, queries, &options, kind);
  }
}

static void test_decisions(void **state) {
  const fixture *f = *state;
  static const struct {
    int32_t dim;
    int64_t points, queries;
    int32_t k;
  } cases[] = {{16, POINTS, QUERIES, 1}, {17, POINTS, 300, 5},   {33, 2000, QUERIES, 20},
               {48, 3000, 130, 32},      {65, POINTS, 100, 31},  {65, 1000, 33, 33},
               {DIM_MOST, 2000, 30, 7},  {100, POINTS, 20, 256}, {100, POINTS, 20, 257},
               {130, POINTS, 30, 100},   {40, 19, 50, 20},       {64, 300, 1, 300}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int kind = 0; kind < KINDS; kind++) {
      for (int floats = 0; floats < 2; floats++) {
        gv_dtype dtype = floats ? GV_FLOAT32 : GV_FLOAT64;
        gv_points reference = gv_points_rows(f->points, cases[c].points, cases[c].dim, dtype);
        gv_points queries = gv_points_rows(f->queries, cases[c].queries, cases[c].dim, dtype);
        fill(f->points, reference.count, reference.dim, kind, 1);
        fill(f->queries, queries.count, queries.dim, kind, 2);
        if (floats) narrow(f->points, reference.count * reference.dim);
        if (floats) narrow(f->queries, queries.count * queries.dim);
        gv_search_options options;
        gv_search_options_init(&options);
        options.k = cases[c].k;
        check_metrics(f, &reference, &queries, &options, kind);
      }
    }
  }
}

static void test_self(void **state) {
  const fixture *f = *state;
  for (int kind = 0; kind < KINDS; kind++) {
    for (int32_t k = 1; k <= 64; k += 31) {
      gv_points points = gv_points_rows(f->points, QUERIES, 21, GV_FLOAT64);
      fill(f->points, points.count, points.dim, kind, 3);
      gv_search_options options;
      gv_search_options_init(&options);
      options.k = k;
      options.exclude_self = 1;
      check_metrics(f, &points, &points, &options, kind);
    }
  }
}

static int set_up(void **state) {
  static fixture f;
  f.points = malloc((size_t)POINTS * DIM_MOST * sizeof(double));
  f.queries = malloc((size_t)POINTS * DIM_MOST * sizeof(double));
  for (int i = 0; i < 2; i++) {
    f.indices[i] = malloc((size_t)QUERIES * K_MOST * sizeof(int64_t));
    f.distances[i] = malloc((size_t)QUERIES * K_MOST * sizeof(double));
  }
  *state = &f;
  return gv_context_create(NULL, &f.context) == GV_OK ? 0 : -1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  gv_context_destroy(f->context);
  free(f->points);
  free(f->queries);
  for (int i = 0; i < 2; i++) {
    free(f->indices[i]);
    free(f->distances[i]);
  }
  return 0;
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_decisions), cmocka_unit_test(test_self)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
