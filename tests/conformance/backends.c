/*
 * Every search backend returns the bytes of `serial`, and `serial` those of a sort of all distances: all
 * metrics, both types, all vector instruction sets, awkward point sets, maximum distances exactly at and just
 * below a neighbor. A backend joins by being in the table.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "left_out.h"
#include "point_sets.h"
#include "search/backend.h"

enum { LATTICE_SIDE = 5 };
static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV, GV_COSINE, GV_INNER_PRODUCT};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* ---------------------------------------------------------------------------------------------- comparing */

typedef struct answer {
  int64_t *indices;
  double *distances;
} answer;

static answer new_answer(int64_t count, int32_t k) {
  answer a = {malloc((size_t)(count * k) * sizeof(int64_t)), malloc((size_t)(count * k) * sizeof(double))};
  assert_non_null(a.indices);
  assert_non_null(a.distances);
  memset(a.indices, 0x55, (size_t)(count * k) * sizeof(int64_t));
  memset(a.distances, 0x55, (size_t)(count * k) * sizeof(double));
  return a;
}

static void free_answer(answer a) {
  free(a.indices);
  free(a.distances);
}

static gv_index *build(gv_context *context, const gv_points *reference, const char *backend,
                       gv_metric metric) {
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_index *index = NULL;
  if (gv_index_build(context, reference, &options, &index) != GV_OK) {
    fail_msg("%s: %s", backend, gv_context_message(context));
  }
  return index;
}

static void search(gv_context *context, const gv_index *index, const gv_points *queries,
                   const gv_search_options *options, answer a) {
  if (gv_index_search(context, index, queries, options, a.indices, a.distances) != GV_OK) {
    fail_msg("%s: %s", gv_index_backend(index), gv_context_message(context));
  }
}

static const double *sort_distances;

static int by_distance(const void *a, const void *b) {
  int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
  if (sort_distances[i] != sort_distances[j]) return sort_distances[i] < sort_distances[j] ? -1 : 1;
  return i < j ? -1 : 1;
}

static double value(const gv_points *points, int64_t at) {
  return points->dtype == GV_FLOAT32 ? (double)((const float *)points->data)[at]
                                     : ((const double *)points->data)[at];
}

/* The compared value of query i and point j. */
static double definition(const gv_points *reference, const gv_points *queries, gv_metric metric, int64_t i,
                         int64_t j) {
  const double least = ldexp(1.0, -450), most = ldexp(1.0, 500);
  double total = 0.0, product = 0.0, a = 0.0, b = 0.0;
  for (int32_t d = 0; d < reference->dim; d++) {
    double q = value(queries, i * reference->dim + d), s = value(reference, j * reference->dim + d);
    double gap = fabs(q - s);
    if (metric == GV_CHEBYSHEV) {
      total = gap > total ? gap : total;
    } else {
      total += metric == GV_MANHATTAN ? gap : gap * gap;
    }
    product += q * s;
    a += q * q;
    b += s * s;
  }
  if (metric == GV_INNER_PRODUCT) return 0.0 - product;
  if (metric != GV_COSINE) return total;
  a = sqrt(a);
  b = sqrt(b);
  return a < least || a > most || b < least || b > most ? 1.0 : fmin(fmax(1.0 - product / (a * b), 0.0), 2.0);
}

/* The result from the definitions only: all distances, sorted, cut at k and at the maximum distance. */
static void from_definition(const gv_points *reference, const gv_points *queries, gv_metric metric,
                            const gv_search_options *options, answer a) {
  int64_t n = reference->count;
  double *distance = malloc((size_t)n * sizeof *distance);
  int64_t *order = malloc((size_t)n * sizeof *order);
  for (int64_t i = 0; i < queries->count; i++) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) {
      double total = definition(reference, queries, metric, i, j);
      distance[j] = total;
      double reported = metric == GV_EUCLIDEAN ? sqrt(total) : total;
      if (reported <= options->max_distance && !(options->exclude_self && i == j)) order[count++] = j;
    }
    sort_distances = distance;
    qsort(order, (size_t)count, sizeof *order, by_distance);
    for (int32_t r = 0; r < options->k; r++) {
      a.indices[i * options->k + r] = r < count ? order[r] : -1;
      double total = r < count ? distance[order[r]] : INFINITY;
      a.distances[i * options->k + r] = metric == GV_EUCLIDEAN ? sqrt(total) : total;
    }
  }
  free(distance);
  free(order);
}

static void assert_same(answer expected, answer got, int64_t queries, int32_t k, const char *what) {
  for (int64_t i = 0; i < queries * k; i++) {
    if (expected.indices[i] != got.indices[i] ||
        memcmp(&expected.distances[i], &got.distances[i], sizeof(double)) != 0) {
      fail_msg("%s: query %lld, rank %lld: expected %lld at %.17g, got %lld at %.17g", what,
               (long long)(i / k), (long long)(i % k), (long long)expected.indices[i], expected.distances[i],
               (long long)got.indices[i], got.distances[i]);
    }
  }
}

/* -------------------------------------------------------------------------------------------------- cases */

typedef struct fixture {
  gv_context *context[2]; /* one thread, three threads */
} fixture;

/* Whether it can run here and is selected. GPUVORONOI_TEST_BACKENDS may name some, separated by commas, for
 * slow tools. */
static bool wanted(const gv_backend *backend) {
  const char *list = getenv("GPUVORONOI_TEST_BACKENDS");
  size_t length = strlen(backend->name);
  bool named = list == NULL;
  for (const char *at = list; at != NULL && !named; at = strchr(at, ',')) {
    at += *at == ',';
    named = strncmp(at, backend->name, length) == 0 && (at[length] == ',' || at[length] == '\0');
  }
  return named && searches_here(backend);
}

static bool takes(const gv_backend *backend, const gv_points *reference, gv_metric metric) {
  return wanted(backend) && reference->dim <= backend->max_dim && gv_backend_refuses(backend, metric) == NULL;
}

/* Indices of the backends on a GPU, where building costs more than searching: for one set and metric, until
 * forgotten. */
enum { BACKENDS_MAX = 64 };
static gv_index *kept[BACKENDS_MAX];

static void forget_indices(void) {
  for (int i = 0; i < BACKENDS_MAX; i++) {
    gv_index_destroy(kept[i]);
    kept[i] = NULL;
  }
}

/* Every backend but serial, every instruction set, against one expected answer. forget_indices() when the set
 * or the metric changes. */
static void check_backends(const fixture *f, const gv_points *reference, const gv_points *queries,
                           gv_metric metric, const gv_search_options *options, answer expected,
                           const char *what) {
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  answer got = new_answer(queries->count, options->k);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!takes(b, reference, metric) || (b->device && options->k > 1024)) continue;
    bool cuda = b->device;
    for (int level = cuda ? 2 : 0; level < 3; level++) {
      setenv("GPUVORONOI_SIMD", levels[level], 1);
      gv_context *context = f->context[(level + options->k) % 2];
      int64_t place = b - gv_backends;
      gv_index *index = cuda && place < BACKENDS_MAX ? kept[place] : NULL;
      if (index == NULL) index = build(context, reference, b->name, metric);
      memset(got.indices, 0x55, (size_t)(queries->count * options->k) * sizeof(int64_t));
      search(context, index, queries, options, got);
      char text[256];
      snprintf(text, sizeof text, "%s, %s, %s, %s, k %d, max %g, self %d", b->name, levels[level], what,
               gv_metric_name(metric), (int)options->k, options->max_distance, options->exclude_self);
      assert_same(expected, got, queries->count, options->k, text);
      if (cuda && place < BACKENDS_MAX) {
        kept[place] = index;
      } else {
        gv_index_destroy(index);
      }
    }
    unsetenv("GPUVORONOI_SIMD");
  }
  free_answer(got);
}

static void check_set(const fixture *f, const gv_points *reference, const gv_points *queries, bool self,
                      const char *what) {
  const int32_t ks[] = {1, 2, 5, 20, (int32_t)reference->count + 3};
  for (int m = 0; m < METRICS; m++) {
    const gv_metric metric = metrics[m];
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
      gv_search_options options;
      gv_search_options_init(&options);
      options.k = ks[i];
      options.exclude_self = self;
      answer expected = new_answer(queries->count, options.k);
      from_definition(reference, queries, metric, &options, expected);
      check_backends(f, reference, queries, metric, &options, expected, what);
      /* Maximum distances at, below and above one that occurs, and at zero. */
      double occurring = expected.distances[(queries->count / 2) * options.k + options.k / 2];
      if (isfinite(occurring) && options.k == 2) {
        const double limits[] = {occurring, nextafter(occurring, 0.0), nextafter(occurring, INFINITY), 0.0};
        for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
          options.max_distance = limits[l];
          from_definition(reference, queries, metric, &options, expected);
          check_backends(f, reference, queries, metric, &options, expected, what);
        }
      }
      free_answer(expected);
    }
    forget_indices();
  }
}

static void to_float(double *values, int64_t count) {
  float *narrow = (float *)malloc((size_t)count * sizeof *narrow);
  for (int64_t i = 0; i < count; i++) {
    float v = (float)values[i];
    narrow[i] = isfinite(v) ? v : copysignf(FLT_MAX, v);
  }
  memcpy(values, narrow, (size_t)count * sizeof *narrow);
  free(narrow);
}

static void check_shape(const fixture *f, shape s, int32_t dim, int64_t n, int64_t m, gv_dtype dtype) {
  random_state = (uint64_t)s * 1000 + (uint64_t)dim * 10 + (uint64_t)n;
  double *r = malloc((size_t)(n * dim) * sizeof *r), *q = malloc((size_t)(m * dim) * sizeof *q);
  fill(r, n, dim, s, LATTICE_SIDE);
  fill(q, m, dim, s, LATTICE_SIDE);
  /* Some queries are reference points, some lie far outside. */
  for (int64_t i = 0; i < m; i += 3)
    memcpy(q + i * dim, r + (i * 7 % n) * dim, (size_t)dim * sizeof *q);
  if (m > 4) {
    for (int32_t d = 0; d < dim; d++)
      q[4 * dim + d] = -1e9 * (d + 1);
  }
  if (dtype == GV_FLOAT32) {
    to_float(r, n * dim);
    to_float(q, m * dim);
  }
  char what[128];
  gv_points reference = gv_points_rows(r, n, dim, dtype), queries = gv_points_rows(q, m, dim, dtype);
  snprintf(what, sizeof what, "%s, %d-d, %lld points, %s", shape_names[s], (int)dim, (long long)n,
           dtype == GV_FLOAT32 ? "float32" : "float64");
  check_set(f, &reference, &queries, false, what);
  if (n <= 120) check_set(f, &reference, &reference, true, what);
  free(r);
  free(q);
}

static void test_low_dimensions(void **state) {
  for (shape s = UNIFORM; s < SHAPES; s++) {
    for (int32_t dim = 1; dim <= 4; dim++) {
      check_shape(*state, s, dim, 400, 30, dim % 2 == 0 ? GV_FLOAT32 : GV_FLOAT64);
      check_shape(*state, s, dim, 90, 20, dim % 2 == 0 ? GV_FLOAT64 : GV_FLOAT32);
    }
  }
}

static void test_high_dimensions(void **state) {
  static const int32_t dims[] = {16, 33, 128};
  for (shape s = UNIFORM; s < SHAPES; s++) {
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
      check_shape(*state, s, dims[i], 110, 9, i % 2 == 0 ? GV_FLOAT32 : GV_FLOAT64);
    }
  }
}

static void test_few_points(void **state) {
  for (int64_t n = 1; n <= 34; n += n < 10 ? 1 : 8) {
    for (int32_t dim = 1; dim <= 3; dim++) {
      check_shape(*state, UNIFORM, dim, n, 3, GV_FLOAT64);
      check_shape(*state, LATTICE, dim, n, 3, GV_FLOAT64);
    }
  }
}

/* Enough points and queries for several blocks, ranges, slabs of threads and levels of a tree; the expected
 * answer comes from serial, which the other tests compare with the definition. */
static void test_large(void **state) {
  static const struct {
    shape s;
    int32_t dim;
    int64_t n, m;
    int32_t k;
  } cases[] = {{UNIFORM, 3, 30000, 900, 1},   {LATTICE, 3, 30000, 500, 5}, {CLUSTERS, 2, 40000, 500, 20},
               {OUTLIER, 3, 20000, 300, 3},   {UNIFORM, 16, 20000, 5, 7},  {DUPLICATES, 3, 20000, 300, 20},
               {COLLINEAR, 2, 30000, 500, 1}, {UNIFORM, 1, 50000, 1, 300}, {UNIFORM, 2, 3000, 1500, 100},
               {LATTICE, 16, 20000, 100, 10}, {OFFSET, 3, 20000, 400, 2},  {UNIFORM, 700, 300, 40, 3}};
  const fixture *f = *state;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    int32_t dim = cases[c].dim;
    int64_t n = cases[c].n, m = cases[c].m;
    random_state = 77 + c;
    double *r = malloc((size_t)(n * dim) * sizeof *r), *q = malloc((size_t)(m * dim) * sizeof *q);
    fill(r, n, dim, cases[c].s, LATTICE_SIDE);
    fill(q, m, dim, cases[c].s, LATTICE_SIDE);
    gv_points reference = gv_points_rows(r, n, dim, GV_FLOAT64),
              queries = gv_points_rows(q, m, dim, GV_FLOAT64);
    for (int number = 0; number < METRICS; number++) {
      const gv_metric metric = metrics[number];
      gv_search_options options;
      gv_search_options_init(&options);
      options.k = cases[c].k;
      answer expected = new_answer(m, options.k);
      gv_index *index = build(f->context[0], &reference, "serial", metric);
      search(f->context[0], index, &queries, &options, expected);
      gv_index_destroy(index);
      check_backends(f, &reference, &queries, metric, &options, expected, shape_names[cases[c].s]);
      forget_indices();
      free_answer(expected);
    }
    free(r);
    free(q);
  }
}

/* The reference set against itself without each point, both with queries NULL and with a copy, and with
 * queries that are not the reference set although exclude_self is set (allowed: exclusion is by number). */
static void test_self(void **state) {
  const fixture *f = *state;
  enum { N = 3000, DIM = 2 };
  static double r[N * DIM], copy[N * DIM], other[N * DIM];
  random_state = 5;
  fill(r, N, DIM, UNIFORM, 1.0);
  for (int i = 0; i < 300; i++)
    memcpy(r + (N - 1 - i) * DIM, r + i * DIM, DIM * sizeof *r);
  memcpy(copy, r, sizeof r);
  fill(other, N, DIM, UNIFORM, 1.0);
  /* Pairs of queries at one place, where the point that the second excludes is the first one's neighbor. */
  for (int i = 0; i < N; i += 2)
    memcpy(other + i * DIM, r + (i + 1) * DIM, DIM * sizeof *r);
  for (int i = 0; i < N; i += 2)
    memcpy(other + (i + 1) * DIM, r + (i + 1) * DIM, DIM * sizeof *r);
  gv_points reference = gv_points_rows(r, N, DIM, GV_FLOAT64),
            same = gv_points_rows(copy, N, DIM, GV_FLOAT64),
            different = gv_points_rows(other, N, DIM, GV_FLOAT64);
  for (int32_t k = 1; k <= 8; k += 7) {
    gv_search_options options;
    gv_search_options_init(&options);
    options.k = k;
    options.exclude_self = 1;
    answer expected = new_answer(N, k), got = new_answer(N, k);
    from_definition(&reference, &different, GV_EUCLIDEAN, &options, expected);
    check_backends(f, &reference, &different, GV_EUCLIDEAN, &options, expected,
                   "self-exclusion, other queries");
    from_definition(&reference, &reference, GV_EUCLIDEAN, &options, expected);
    check_backends(f, &reference, &same, GV_EUCLIDEAN, &options, expected, "self-exclusion, copied queries");
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      if (!takes(b, &reference, GV_EUCLIDEAN)) continue;
      gv_index *index = build(f->context[1], &reference, b->name, GV_EUCLIDEAN);
      search(f->context[1], index, NULL, &options, got);
      assert_same(expected, got, N, k, b->name);
      gv_index_destroy(index);
    }
    assert_int_equal(expected.indices[0], N - 1);
    free_answer(expected);
    free_answer(got);
  }
  forget_indices();
}

static int make_contexts(void **state) {
  static fixture f;
  for (int i = 0; i < 2; i++) {
    gv_context_options options;
    gv_context_options_init(&options);
    options.threads = i == 0 ? 1 : 3;
    if (gv_context_create(&options, &f.context[i]) != GV_OK) return -1;
  }
  *state = &f;
  return 0;
}

static int free_contexts(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 2; i++)
    gv_context_destroy(f->context[i]);
  return 0;
}

/* An argument is a pattern of test names: test_few_points is a small run for slow tools. */
int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_can_run),
      cmocka_unit_test(test_few_points),
      cmocka_unit_test(test_low_dimensions),
      cmocka_unit_test(test_high_dimensions),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_self),
  };
  return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
