/*
 * The trees on the GPU against the tree on the CPU (which the conformance test compares with the definition),
 * on sets large enough for all paths: several levels, stretches sorted in device memory, queries searched
 * together and alone, lists in registers and in shared memory. And a thousand builds and searches that leave
 * no memory behind.
 *
 * Random cases: GPUVORONOI_GPU_CASES (default 60) of each backend, from the seed GPUVORONOI_GPU_SEED (default
 * 1); GPUVORONOI_GPU_POINTS (default 300000) bounds their sizes, for runs under a memory checker.
 */
#include "cmocka_test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/backend.h"

#include "point_sets.h"

enum { LATTICE_SIDE = 40 };

static const char *const trees[] = {"cuda-kdtree", "cuda-octree"};

static int64_t setting(const char *name, int64_t otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtoll(text, NULL, 10) : otherwise;
}

typedef struct fixture {
  gv_context *context;
} fixture;

static gv_index *build(const fixture *f, const gv_points *reference, const char *backend, gv_metric metric) {
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_index *index = NULL;
  if (gv_index_build(f->context, reference, &options, &index) != GV_OK) {
    fail_msg("%s: %s", backend, gv_context_message(f->context));
  }
  return index;
}

typedef struct search_case {
  int64_t points, queries;
  int32_t dim, k;
  gv_metric metric;
  bool self; /* as many queries as points, each without its own point */
} search_case;

/* Searches r and q (NULL: the points themselves) on the GPU and with the CPU's tree, without a limit and with
 * a distance that occurs. */
static void compare(const fixture *f, const char *backend, const search_case *c, const double *r,
                    const double *q, const char *what) {
  const int64_t found = c->queries * c->k;
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = c->k;
  options.exclude_self = c->self;
  int64_t *expected = malloc((size_t)found * sizeof *expected), *got = malloc((size_t)found * sizeof *got);
  double *expected_distance = malloc((size_t)found * sizeof(double)),
         *distance = malloc((size_t)found * sizeof(double));
  assert_non_null(expected);
  assert_non_null(got);
  assert_non_null(expected_distance);
  assert_non_null(distance);
  gv_points reference = gv_points_rows(r, c->points, c->dim, GV_FLOAT64),
            queries = gv_points_rows(q, c->queries, c->dim, GV_FLOAT64);
  gv_index *cpu = build(f, &reference, "kdtree", c->metric), *gpu = build(f, &reference, backend, c->metric);
  double occurring = INFINITY;
  for (int limited = 0; limited < 2; limited++) {
    if (limited == 1 && !isfinite(occurring)) break;
    options.max_distance = limited == 1 ? occurring : INFINITY;
    memset(got, 0x55, (size_t)found * sizeof *got);
    memset(distance, 0x55, (size_t)found * sizeof *distance);
    const gv_points *asked = q == NULL ? NULL : &queries;
    if (gv_index_search(f->context, cpu, asked, &options, expected, expected_distance) != GV_OK ||
        gv_index_search(f->context, gpu, asked, &options, got, distance) != GV_OK) {
      fail_msg("%s: %s", what, gv_context_message(f->context));
    }
    int64_t bad = 0, first = -1;
    for (int64_t i = 0; i < found; i++) {
      if (expected[i] != got[i] || memcmp(&expected_distance[i], &distance[i], sizeof(double)) != 0) {
        if (bad++ == 0) first = i;
      }
    }
    if (bad != 0) {
      fail_msg("%s, max %g: %lld of %lld differ; query %lld, neighbor %lld: expected %lld at %.17g, got %lld "
               "at %.17g",
               what, options.max_distance, (long long)bad, (long long)found, (long long)(first / c->k),
               (long long)(first % c->k), (long long)expected[first], expected_distance[first],
               (long long)got[first], distance[first]);
    }
    occurring = expected_distance[(c->queries / 2) * c->k + c->k / 2];
  }
  gv_index_destroy(cpu);
  gv_index_destroy(gpu);
  free(expected);
  free(got);
  free(expected_distance);
  free(distance);
}

static void fill_and_compare(const fixture *f, const char *backend, const search_case *c, shape s,
                             bool alike) {
  double *r = malloc((size_t)(c->points * c->dim) * sizeof *r),
         *q = malloc((size_t)(c->queries * c->dim) * sizeof *q);
  assert_non_null(r);
  assert_non_null(q);
  fill(r, c->points, c->dim, s, LATTICE_SIDE);
  fill(q, c->queries, c->dim, alike ? s : (shape)(uniform() * SHAPES), LATTICE_SIDE);
  for (int64_t i = 0; i < c->queries; i += 3)
    memcpy(q + i * c->dim, r + (i * 7 % c->points) * c->dim, (size_t)c->dim * sizeof *q);
  char what[256];
  snprintf(what, sizeof what, "%s, %s, %d-d, %lld points, %lld queries, %s, k %d, self %d", backend,
           shape_names[s], (int)c->dim, (long long)c->points, (long long)c->queries,
           gv_metric_name(c->metric), (int)c->k, (int)c->self);
  if (getenv("GPUVORONOI_GPU_TALK") != NULL) {
    printf("%s\n", what);
    fflush(stdout);
  }
  compare(f, backend, c, r, c->self && alike ? NULL : q, what);
  free(r);
  free(q);
}

static void random_case(const fixture *f, const char *backend, int32_t max_dim, int64_t most) {
  static const int32_t ks[] = {1, 1, 1, 2, 7, 20, 32, 33, 100, 1024};
  shape s = (shape)(uniform() * SHAPES);
  /* Low dimensions above all. */
  int32_t dim = uniform() < 0.8 ? 1 + (int32_t)(uniform() * 4.0) : 1 + (int32_t)(uniform() * max_dim);
  if (dim > max_dim) dim = 1 + (int32_t)(uniform() * max_dim);
  double size = dim > 8 ? 20000.0 : (double)most;
  int64_t n = 1 + (int64_t)exp(uniform() * log(size)), m = 1 + (int64_t)exp(uniform() * log(size));
  int32_t k = ks[(int)(uniform() * (double)(sizeof ks / sizeof ks[0]))];
  while (m * k > 4 * most)
    m = 1 + m / 2;
  while ((dim > 4 || s == TINY || s == LATTICE) && n * m > 20 * most * 1000)
    m = 1 + m / 2;
  gv_metric metric = (gv_metric)(uniform() * 3.0);
  bool self = uniform() < 0.25, alike = uniform() < 0.7;
  if (self) m = n = n < m ? n : m;
  const search_case c = {n, m, dim, k, metric, self};
  fill_and_compare(f, backend, &c, s, alike);
}

/* The float filter (tree_filtered.cuh): every kind of points, as many queries, all sizes of its lists, on
 * both sides of each. */
static void dense_queries(void **state) {
  enum { N = 9000 };
  static const int32_t ks[] = {2, 8, 9, 16, 17, 31, 32};
  random_state = 77;
  for (int which = 0; which < 2; which++) {
    for (int s = 0; s < SHAPES; s++) {
      for (int32_t dim = 2; dim <= 3; dim++) {
        for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++) {
          const search_case c = {N, N, dim, ks[k], GV_EUCLIDEAN, k % 2 == 1};
          fill_and_compare(*state, trees[which], &c, (shape)s, true);
        }
      }
    }
  }
}

/* Groups of queries that gather points (tree_gathered.cuh): every kind of points, lists of all lengths. */
static void many_neighbors(void **state) {
  enum { N = 5000 };
  static const int32_t ks[] = {33, 64, 257, 1024};
  random_state = 78;
  for (int which = 0; which < 2; which++) {
    for (int s = 0; s < SHAPES; s++) {
      for (int32_t dim = 2; dim <= 3; dim++) {
        for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++) {
          if (ks[k] == 1024 && s != UNIFORM && s != CLUSTERS && s != LATTICE) continue;
          const search_case c = {N, N, dim, ks[k], GV_EUCLIDEAN, k % 2 == 1};
          fill_and_compare(*state, trees[which], &c, (shape)s, k != 2);
        }
      }
    }
  }
}

/* Clusters of several sizes, which a curve with equal steps separates, and some that it does not. */
static void clusters_of_sizes(void **state) {
  enum { N = 20000, CLUSTERS_HERE = 7 };
  static const int32_t ks[] = {1, 8, 32, 40, 150};
  double *r = malloc(sizeof(double) * 3 * N);
  assert_non_null(r);
  for (int kind = 0; kind < 4; kind++) {
    const int32_t dim = 2 + kind % 2;
    random_state = 79;
    for (int64_t i = 0; i < N; i++) {
      for (int32_t d = 0; d < dim; d++) {
        double place = (double)((i % CLUSTERS_HERE) * (3 + d) % 11),
               width = 0.05 * (double)(1 + i % CLUSTERS_HERE);
        if (kind >= 2) width = exp(-4.0 * (double)(i % CLUSTERS_HERE));
        r[i * dim + d] = place + width * (uniform() + uniform() + uniform());
      }
    }
    for (int which = 0; which < 2; which++) {
      for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++) {
        const search_case c = {N, N, dim, ks[k], GV_EUCLIDEAN, k % 2 == 1};
        compare(*state, trees[which], &c, r, NULL, "clusters of sizes");
      }
    }
  }
  free(r);
}

/* A tree's own points as queries, which it searches in its own order: some of them, and given as an array of
 * their own; and others of the same number. */
static void own_points(void **state) {
  enum { N = 30000, FIRST = 12345, COUNT = 7000 };
  static const int32_t ks[] = {1, 8, 40};
  static double r[3 * N], q[3 * N];
  const fixture *f = *state;
  random_state = 80;
  for (int s = 0; s < SHAPES; s++) {
    fill(r, N, 3, (shape)s, LATTICE_SIDE);
    fill(q, N, 3, (shape)s, LATTICE_SIDE);
    const gv_points reference = gv_points_rows(r, N, 3, GV_FLOAT64),
                    some = gv_points_rows(NULL, COUNT, 3, GV_FLOAT64);
    for (int which = 0; which < 2; which++) {
      gv_index *cpu = build(f, &reference, "kdtree", GV_EUCLIDEAN),
               *gpu = build(f, &reference, trees[which], GV_EUCLIDEAN);
      for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        static int64_t expected[40 * COUNT], got[40 * COUNT];
        static double exact[40 * COUNT], value[40 * COUNT];
        const size_t found = (size_t)(ks[i] * COUNT);
        const search_case c = {N, N, 3, ks[i], GV_EUCLIDEAN, false};
        gv_search_options options;
        gv_search_options_init(&options);
        options.k = ks[i];
        options.exclude_self = i != 1;
        memset(got, 0x55, found * sizeof *got);
        assert_int_equal(gv_index_search_part(f->context, cpu, &some, &options, FIRST, 0, expected, exact),
                         GV_OK);
        assert_int_equal(gv_index_search_part(f->context, gpu, &some, &options, FIRST, 0, got, value), GV_OK);
        assert_memory_equal(got, expected, found * sizeof *got);
        assert_memory_equal(value, exact, found * sizeof *value);
        if (i == 2) continue;
        compare(f, trees[which], &c, r, r, "own points as an array");
        compare(f, trees[which], &c, r, q, "as many others");
      }
      gv_index_destroy(cpu);
      gv_index_destroy(gpu);
    }
  }
}

/* Queries with more points around them than a list has places, at distances that floats cannot separate. */
static void shells_of_points(void **state) {
  enum { CENTERS = 400, EACH = 200, N = CENTERS * EACH, REPEATS = 30, QUERIES = CENTERS * REPEATS };
  static const int32_t ks[] = {2, 12, 32, 40, 100};
  double *r = malloc(sizeof(double) * 3 * N), *q = malloc(sizeof(double) * 3 * QUERIES);
  assert_non_null(r);
  assert_non_null(q);
  random_state = 5;
  for (int64_t i = 0; i < N; i++) {
    double direction[3], length = 0.0, radius = 0.01 * (1.0 + 1e-9 * uniform());
    for (int d = 0; d < 3; d++) {
      if (i < QUERIES) q[3 * i + d] = i % REPEATS == 0 ? uniform() * 5.0 : q[3 * (i - 1) + d];
      direction[d] = uniform() - 0.5;
      length += direction[d] * direction[d];
    }
    for (int d = 0; d < 3; d++)
      r[3 * i + d] = direction[d] / sqrt(length) * radius;
  }
  for (int64_t i = 0; i < 3 * (int64_t)N; i++)
    r[i] += q[i / 3 / EACH * REPEATS * 3 + i % 3];
  for (int which = 0; which < 2; which++) {
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
      const search_case c = {N, QUERIES, 3, ks[i], GV_EUCLIDEAN, false};
      char what[64];
      snprintf(what, sizeof what, "%s, shells, k %d", trees[which], (int)ks[i]);
      compare(*state, trees[which], &c, r, q, what);
    }
  }
  free(r);
  free(q);
}

/* Neighbors so far away that squares of the distance overflow in float, of queries that lie close
 * together. */
static void distant_points(void **state) {
  enum { PLACES = 50, EACH = 3, N = PLACES * EACH, QUERIES = PLACES * 256 };
  static double r[3 * N], q[3 * QUERIES];
  random_state = 11;
  for (int i = 0; i < 3 * N; i++)
    r[i] = (i / 3 / EACH % (2 + i % 3) * 1e25 + i / 3 / EACH * 1e22) + uniform();
  for (int i = 0; i < 3 * QUERIES; i++)
    q[i] = r[i / 3 / 256 * EACH * 3 + i % 3];
  for (int which = 0; which < 2; which++) {
    const search_case c = {N, QUERIES, 3, 8, GV_EUCLIDEAN, false};
    compare(*state, trees[which], &c, r, q, trees[which]);
  }
}

static void run_cases(const fixture *f, int which) {
  int64_t cases = setting("GPUVORONOI_GPU_CASES", 60), most = setting("GPUVORONOI_GPU_POINTS", 300000);
  const gv_backend *backend = gv_backend_find(trees[which]);
  assert_non_null(backend);
  for (int64_t i = 0; i < cases; i++) {
    random_state =
        (uint64_t)setting("GPUVORONOI_GPU_SEED", 1) * 1000003 + (uint64_t)i * 7919 + (uint64_t)which;
    (void)uniform();
    random_case(f, backend->name, backend->max_dim, most);
  }
}

static void kdtree_cases(void **state) {
  run_cases(*state, 0);
}

static void octree_cases(void **state) {
  run_cases(*state, 1);
}

static int64_t free_memory(const fixture *f) {
  gv_device_info info;
  gv_device_info_init(&info);
  assert_int_equal(gv_device_get(f->context, 0, &info), GV_OK);
  return info.free_memory_bytes;
}

static void no_memory_is_left_behind(void **state) {
  const fixture *f = *state;
  enum { N = 3000, DIM = 3, K = 3 };
  static double points[N * DIM];
  static int64_t indices[N * K];
  static double distances[N * K];
  random_state = 9;
  fill(points, N, DIM, UNIFORM, 1.0);
  gv_points reference = gv_points_rows(points, N, DIM, GV_FLOAT64);
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = K;
  int64_t times = setting("GPUVORONOI_GPU_CASES", 60) < 60 ? 4 : 1000, before = 0;
  for (int64_t i = 0; i < times; i++) {
    gv_index *index = build(f, &reference, trees[i % 2], GV_EUCLIDEAN);
    assert_int_equal(gv_index_search(f->context, index, NULL, &options, indices, distances), GV_OK);
    gv_index_destroy(index);
    if (i == (times < 100 ? 1 : 10)) before = free_memory(f);
  }
  assert_true(free_memory(f) >= before);
}

/* auto: trees for many low-dimensional queries, brute force for few queries and for many dimensions. */
static void auto_chooses_trees(void **state) {
  const fixture *f = *state;
  static const struct {
    int64_t points, queries;
    int32_t dim, k;
    const char *tree; /* NULL: none of them */
  } rows[] = {{1000000, 10000000, 3, 1, "cuda-kdtree"}, {1000000, 10000000, 3, 20, "cuda-kdtree"},
              {1000000, 1000000, 2, 1, "cuda-octree"},  {1000000, 1000000, 3, 32, "cuda-octree"},
              {1000000, 1000000, 3, 33, "cuda-octree"}, {1000000, 1000000, 3, 128, "cuda-octree"},
              {1000000, 4000000, 3, 64, "cuda-kdtree"}, {1000000, 1000000, 2, 256, "cuda-kdtree"},
              {1000000, 1000000, 8, 20, "cuda-kdtree"}, {16777216, 1, 3, 1, NULL},
              {1048576, 100000, 16, 1, NULL},           {32768, 32768, 128, 20, NULL},
              {32768, 32768, 4, 20, "cuda-kdtree"},     {1000, 1000000, 3, 20, "cuda-kdtree"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    gv_reference reference = {NULL, rows[i].points, rows[i].dim, GV_EUCLIDEAN, f->context->allocator,
                              NULL, NULL,           0.0};
    const char *name = gv_backend_choose(f->context, &reference, rows[i].k, rows[i].queries)->name;
    if (rows[i].tree != NULL) {
      assert_string_equal(name, rows[i].tree);
    } else {
      assert_null(strstr(name, "tree"));
    }
  }
}

static int make_context(void **state) {
  static fixture f;
  *state = &f;
  return gv_context_create(NULL, &f.context) == GV_OK ? 0 : -1;
}

static int free_context(void **state) {
  gv_context_destroy(((fixture *)*state)->context);
  return 0;
}

int main(void) {
  const char *reason = "";
  const gv_backend *backend = gv_backend_find(trees[0]);
  if (gv_backend_probe(backend, &reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kdtree_cases),
      cmocka_unit_test(octree_cases),
      cmocka_unit_test(dense_queries),
      cmocka_unit_test(many_neighbors),
      cmocka_unit_test(clusters_of_sizes),
      cmocka_unit_test(own_points),
      cmocka_unit_test(shells_of_points),
      cmocka_unit_test(distant_points),
      cmocka_unit_test(no_memory_is_left_behind),
      cmocka_unit_test(auto_chooses_trees),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
