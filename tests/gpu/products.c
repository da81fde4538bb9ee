/*
 * Cosine and inner product on GPUs: every backend that searches by them has the bytes of `serial`, for
 * vectors on which a filter goes wrong if it can, all k up to the largest, maximum distances, self-exclusion,
 * and the search for the nearest of many queries. Skipped without a GPU.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/cuda_module.h"
#include "split_mix.h"

enum { POINTS = 2500, QUERIES = 100, MANY = 80000, DIM_MOST = 1000, K_MOST = GV_MAX_K, DIRECTIONS = 12 };

typedef enum vector_kind {
  ANYWHERE,
  INTEGERS,       /* many equal products */
  SHORT_INTEGERS, /* -1, 0 and 1: equal directions, opposite ones, zeros */
  COPIES,         /* few directions, of any length */
  NEAR_COPIES,    /* differences below the precision of floats and of 16-bit floats */
  MOSTLY_ZERO,    /* hardly any vector has a direction */
  SHORTEST,       /* lengths about the least that has a direction, within a few units of the last place */
  LONGEST,        /* the same about the largest */
  SCALES,         /* each of its own magnitude */
  OVERFLOWING,    /* infinite products, and some that are not a number */
  UNDERFLOWING,   /* products of 0, and without all their digits */
  OPPOSITE,       /* points and queries on different sides of 0 */
  KINDS
} vector_kind;

static const char *const kind_names[] = {"anywhere",    "integers",    "short integers", "copies",
                                         "near copies", "mostly zero", "shortest",       "longest",
                                         "scales",      "overflowing", "underflowing",   "opposite"};

static uint64_t random_state;

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&random_state) >> 11) * 0x1p-53);
}

/* A coordinate of direction `number`. */
static double direction(int64_t number, int32_t d) {
  uint64_t state = (uint64_t)(number % DIRECTIONS) * 1000003 + (uint64_t)d * 7919 + 11;
  return (double)(split_mix(&state) >> 11) * 0x1p-52 - 1.0;
}

/* Gives a vector a length of about `length`, within a few units of the last place. */
static void set_length(double *v, int32_t dim, double length) {
  double squares = 0.0;
  for (int32_t d = 0; d < dim; d++)
    squares += v[d] * v[d];
  for (int32_t d = 0; d < dim; d++)
    v[d] = v[d] / sqrt(squares) * length * (1.0 + floor(uniform(-2.0, 3.0)) * 0x1p-52);
}

static void fill(double *out, int64_t count, int32_t dim, vector_kind kind, bool queries) {
  for (int64_t i = 0; i < count; i++) {
    double *v = out + i * dim, size = ldexp(1.0, (int)uniform(-90.0, 90.0));
    for (int32_t d = 0; d < dim; d++) {
      double u = uniform(-1.0, 1.0);
      switch (kind) {
      case INTEGERS:
        v[d] = floor(u * 4.0);
        break;
      case SHORT_INTEGERS:
        v[d] = floor(u * 1.5 + 0.5);
        break;
      case COPIES:
        v[d] = direction(i, d) * (double)(1 + i % 5);
        break;
      case NEAR_COPIES:
        v[d] = direction(i, d) * (1.0 + u * (i % 3 == 0 ? 1e-5 : i % 3 == 1 ? 1e-10 : 1e-15));
        break;
      case MOSTLY_ZERO:
        v[d] = i % 40 == 3 ? u : i % 2 == 0 ? 0.0 : -0.0;
        break;
      case SCALES:
        v[d] = u * size;
        break;
      case OVERFLOWING:
        v[d] = u * (i % 3 == 0 ? 1e200 : 1.0);
        break;
      case UNDERFLOWING:
        v[d] = u * (i % 3 == 0 ? 1e-160 : 1e-170);
        break;
      case OPPOSITE:
        v[d] = queries ? -1.0 - u * 0.5 : 1.0 + u * 0.5;
        break;
      default:
        v[d] = u;
        break;
      }
    }
    if (kind == SHORTEST && i % 3 != 0) set_length(v, dim, 0x1p-450);
    if (kind == LONGEST && i % 3 != 0) set_length(v, dim, 0x1p500);
  }
}

typedef struct fixture {
  gv_context *context;
  double *points, *queries;
  int64_t *expected, *found;
  double *expected_distances, *distances;
} fixture;

static gv_index *build(const fixture *f, const char *backend, gv_metric metric, const gv_points *reference) {
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_index *index = NULL;
  if (gv_index_build(f->context, reference, &options, &index) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(f->context));
  return index;
}

static void search(const fixture *f, const gv_index *index, const gv_points *queries,
                   const gv_search_options *options, int64_t *indices, double *distances) {
  memset(indices, 0x55, (size_t)queries->count * (size_t)options->k * sizeof *indices);
  if (gv_index_search(f->context, index, queries, options, indices, distances) != GV_OK)
    fail_msg("%s: %s", gv_index_backend(index), gv_context_message(f->context));
}

/* The first k of the K neighbors that were expected. */
static void compare(const fixture *f, const gv_index *index, const gv_points *queries,
                    const gv_search_options *options, int32_t most, const char *what) {
  search(f, index, queries, options, f->found, f->distances);
  for (int64_t i = 0; i < queries->count; i++) {
    for (int32_t n = 0; n < options->k; n++) {
      int64_t at = i * options->k + n, wanted = i * most + n;
      if (f->found[at] == f->expected[wanted] &&
          memcmp(&f->distances[at], &f->expected_distances[wanted], sizeof(double)) == 0)
        continue;
      fail_msg("%s, %s, k %d, max %g, self %d: neighbor %d of query %lld is %lld at %.17g, not %lld at %.17g",
               gv_index_backend(index), what, (int)options->k, options->max_distance, options->exclude_self,
               (int)n, (long long)i, (long long)f->found[at], f->distances[at],
               (long long)f->expected[wanted], f->expected_distances[wanted]);
    }
  }
}

static bool searches_products(const gv_backend *backend) {
  return backend->device && backend->products && searches_here(backend);
}

enum { BACKENDS = 3 };

/* `most`: the largest k. */
static void check(const fixture *f, gv_metric metric, const gv_points *reference, const gv_points *queries,
                  int32_t most, bool self, const char *what) {
  const int32_t ks[] = {1, 10, 33, 257, most};
  int backends = 0;
  gv_index *serial = build(f, "serial", metric, reference), *index[BACKENDS];
  gv_search_options options;
  gv_search_options_init(&options);
  options.exclude_self = self;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_products(b)) continue;
    assert_in_range(backends, 0, BACKENDS - 1);
    index[backends++] = build(f, b->name, metric, reference);
  }
  assert_int_equal(backends, BACKENDS);
  options.k = most;
  search(f, serial, queries, &options, f->expected, f->expected_distances);
  for (int b = 0; b < BACKENDS; b++) {
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
      options.k = ks[i];
      if (options.k <= most) compare(f, index[b], queries, &options, most, what);
    }
  }
  /* As far as a neighbor of one query, and a little less far. */
  const double limit = f->expected_distances[queries->count / 2 * most + (most < 6 ? most - 1 : 5)];
  options.k = most < 40 ? most : 40;
  for (int less = 0; less < 2 && isfinite(limit); less++) {
    options.max_distance = less ? nextafter(limit, -INFINITY) : limit;
    if (metric == GV_COSINE && options.max_distance < 0.0) break;
    search(f, serial, queries, &options, f->expected, f->expected_distances);
    for (int b = 0; b < BACKENDS; b++)
      compare(f, index[b], queries, &options, options.k, what);
  }
  for (int b = 0; b < BACKENDS; b++)
    gv_index_destroy(index[b]);
  gv_index_destroy(serial);
}

static bool narrow(double *values, int64_t count) {
  float *to = (float *)values;
  for (int64_t i = 0; i < count; i++) {
    float value = (float)values[i];
    if (!isfinite(value)) return false;
    to[i] = value;
  }
  return true;
}

static void check_kind(const fixture *f, vector_kind kind, int32_t dim, int64_t points, int64_t queries,
                       int32_t most, bool floats) {
  const gv_dtype dtype = floats ? GV_FLOAT32 : GV_FLOAT64;
  const gv_points reference = gv_points_rows(f->points, points, dim, dtype),
                  asked = gv_points_rows(f->queries, queries, dim, dtype);
  char what[128];
  for (gv_metric metric = GV_COSINE; metric <= GV_INNER_PRODUCT; metric++) {
    random_state = (uint64_t)kind * 100 + (uint64_t)dim;
    fill(f->points, points, dim, kind, false);
    fill(f->queries, queries, dim, kind, true);
    if (floats && (!narrow(f->points, points * dim) || !narrow(f->queries, queries * dim))) return;
    snprintf(what, sizeof what, "%s, %s, %d dimensions, %s", gv_metric_name(metric), kind_names[kind],
             (int)dim, floats ? "float32" : "float64");
    check(f, metric, &reference, &asked, most, false, what);
    /* Some points against themselves. */
    int64_t some = (int64_t)sqrt(1e7 / dim);
    const gv_points own = gv_points_rows(f->points, some < points ? some : points, dim, dtype);
    if (queries <= points) check(f, metric, &own, &own, most < 60 ? most : 60, true, what);
  }
}

/* `step` 2: every second kind. */
static void test_kinds(void **state) {
  static const struct {
    int32_t dim;
    int64_t points, queries;
    int step;
  } cases[] = {{1, POINTS, QUERIES, 2}, {2, POINTS, QUERIES, 2},  {3, POINTS, QUERIES, 1},
               {4, POINTS, QUERIES, 2}, {15, 1100, 40, 2},        {16, POINTS, 130, 1},
               {17, 1100, 129, 2},      {65, POINTS, QUERIES, 1}, {130, 1300, 33, 2},
               {DIM_MOST, 1100, 30, 1}};
  for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++) {
    for (int kind = cases[c].step == 2 ? c % 2 : 0; kind < KINDS; kind += cases[c].step)
      check_kind(*state, (vector_kind)kind, cases[c].dim, cases[c].points, cases[c].queries, K_MOST,
                 (c + kind) % 2 == 0);
  }
}

/* Fewer points than neighbors. */
static void test_few_points(void **state) {
  for (int64_t points = 1; points < 40; points += points < 4 ? 1 : 16) {
    for (int kind = INTEGERS; kind < KINDS; kind += 4) {
      check_kind(*state, (vector_kind)kind, 3, points, 5, 50, false);
      check_kind(*state, (vector_kind)kind, 20, points, 5, 50, true);
    }
  }
}

/* The nearest of so many queries that cuda-register searches by pairs of groups. */
static void test_many_queries(void **state) {
  for (int kind = 0; kind < KINDS; kind++) {
    for (int32_t dim = 1; dim <= 3; dim++)
      check_kind(*state, (vector_kind)kind, dim, dim == 2 ? 150 : 65, MANY, 1, kind % 2 == 0);
  }
}

static void test_choice(void **state) {
  const fixture *f = *state;
  for (gv_metric metric = GV_COSINE; metric <= GV_INNER_PRODUCT; metric++) {
    const gv_reference low = {.count = 1000000, .dim = 3, .metric = metric},
                       high = {.count = 1000000, .dim = 64, .metric = metric};
    const gv_backend *backend = NULL;
    assert_string_equal(gv_backend_choose(f->context, &low, 1, 1000000)->name, "cuda-register");
    assert_string_equal(gv_backend_choose(f->context, &high, 1, 1000000)->name, "cuda-tensor");
    assert_int_equal(gv_backend_choose_device(f->context, &high, 1, 1000, &backend), GV_OK);
    assert_string_equal(backend->name, "cuda-tensor");
  }
}

static int set_up(void **state) {
  static fixture f;
  f.points = malloc((size_t)POINTS * DIM_MOST * sizeof(double));
  f.queries = malloc((size_t)QUERIES * DIM_MOST * sizeof(double) + (size_t)MANY * 3 * sizeof(double));
  const size_t results = (size_t)POINTS * K_MOST;
  f.expected = malloc(results * sizeof(int64_t));
  f.found = malloc(results * sizeof(int64_t));
  f.expected_distances = malloc(results * sizeof(double));
  f.distances = malloc(results * sizeof(double));
  if (f.points == NULL || f.queries == NULL || f.expected == NULL || f.found == NULL ||
      f.expected_distances == NULL || f.distances == NULL)
    return -1;
  *state = &f;
  return gv_context_create(NULL, &f.context) == GV_OK ? 0 : -1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  gv_context_destroy(f->context);
  free(f->points);
  free(f->queries);
  free(f->expected);
  free(f->found);
  free(f->expected_distances);
  free(f->distances);
  return 0;
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_few_points),
                                     cmocka_unit_test(test_many_queries), cmocka_unit_test(test_choice)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
