/*
 * Cosine and inner product: the backends that search by them find what a loop over all pairs finds that
 * computes the header's definition, with the same bits; the others refuse.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends_here.h"
#include "cmocka_test.h"
#include "split_mix.h"

enum { POINTS = 1500, QUERIES = 90, MOST_DIM = 1000, MOST_K = 70 };

typedef struct pair {
  double distance;
  int64_t number;
} pair;

static uint64_t random_state = 5;
static double points[POINTS * MOST_DIM], places[QUERIES * MOST_DIM];
static float narrow[POINTS * MOST_DIM], narrow_places[QUERIES * MOST_DIM];
static pair expected[QUERIES][POINTS];
static int64_t found[QUERIES * MOST_K], offsets[QUERIES + 1], within[QUERIES * POINTS];
static double distances[QUERIES * MOST_K], values[QUERIES * POINTS];

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&random_state) >> 11) * 0x1p-53);
}

static int compare_pairs(const void *a, const void *b) {
  const pair *left = a, *right = b;
  if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

/* The header's definition. */
static double distance_of(const double *q, const double *s, int32_t dim, gv_metric metric) {
  double p = 0.0, a = 0.0, b = 0.0;
  for (int32_t d = 0; d < dim; d++) {
    p = p + q[d] * s[d];
    a = a + q[d] * q[d];
    b = b + s[d] * s[d];
  }
  if (metric == GV_INNER_PRODUCT) return 0.0 - p;
  a = sqrt(a);
  b = sqrt(b);
  if (a < ldexp(1, -450) || a > ldexp(1, 500) || b < ldexp(1, -450) || b > ldexp(1, 500)) return 1.0;
  double distance = 1.0 - p / (a * b);
  return distance < 0.0 ? 0.0 : distance > 2.0 ? 2.0 : distance;
}

/* Vectors anywhere, of whole numbers (many equal products), along nearly one direction with differences below
 * float precision, without length, and of lengths without a direction, or that suit no floats. */
static void make_vectors(double *out, int64_t count, int32_t dim, double scale, double spread,
                         bool extremes) {
  for (int64_t i = 0; i < count; i++) {
    double size = extremes && i % 17 == 3 ? 1e-200 : extremes && i % 17 == 4 ? 1e151 : scale;
    for (int32_t d = 0; d < dim; d++) {
      double value = i % 4 == 0   ? floor(uniform(-3.0, 3.0))
                     : i % 4 == 1 ? (d + 1) * (1.0 + uniform(-spread, spread)) * (double)(i % 8)
                                  : uniform(-1.0, 2.0);
      out[i * dim + d] = i % 50 == 7 ? 0.0 : value * size;
    }
  }
}

static gv_index *build(gv_context *context, const char *backend, gv_metric metric,
                       const gv_points *reference) {
  gv_index_options o;
  gv_index *index = NULL;
  gv_index_options_init(&o);
  o.backend = backend;
  o.metric = metric;
  if (gv_index_build(context, reference, &o, &index) != GV_OK) fail_msg("%s", gv_context_message(context));
  return index;
}

static void check_search(gv_context *context, const gv_index *index, const gv_points *queries, int32_t k,
                         double limit) {
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = k;
  o.max_distance = limit;
  memset(found, 0x55, sizeof found);
  if (gv_index_search(context, index, queries, &o, found, distances) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  for (int64_t i = 0; i < queries->count; i++) {
    for (int32_t n = 0; n < k; n++) {
      bool there = expected[i][n].distance <= limit;
      int64_t number = there ? expected[i][n].number : -1;
      double distance = there ? expected[i][n].distance : INFINITY;
      if (found[i * k + n] != number || memcmp(&distances[i * k + n], &distance, sizeof distance) != 0)
        fail_msg("%s: neighbor %d of query %d is %d at %.17g, not %d at %.17g", gv_index_backend(index),
                 (int)n, (int)i, (int)found[i * k + n], distances[i * k + n], (int)number, distance);
    }
  }
}

static void check_radius(gv_context *context, const gv_index *index, const gv_points *queries,
                         double radius) {
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = radius;
  assert_int_equal(gv_index_search_radius(context, index, queries, &o, offsets, NULL, NULL), GV_OK);
  assert_int_equal(gv_index_search_radius(context, index, queries, &o, offsets, within, values), GV_OK);
  for (int64_t i = 0; i < queries->count; i++) {
    int64_t count = 0;
    while (count < POINTS && expected[i][count].distance <= radius)
      count++;
    assert_int_equal(offsets[i + 1] - offsets[i], count);
    for (int64_t n = 0; n < count; n++) {
      assert_int_equal(within[offsets[i] + n], expected[i][n].number);
      assert_true(values[offsets[i] + n] == expected[i][n].distance);
    }
  }
}

static void expect(int32_t dim, gv_metric metric) {
  for (int64_t i = 0; i < QUERIES; i++) {
    for (int64_t j = 0; j < POINTS; j++)
      expected[i][j] = (pair){distance_of(places + i * dim, points + j * dim, dim, metric), j};
    qsort(expected[i], POINTS, sizeof expected[i][0], compare_pairs);
  }
}

static void with_all_backends(gv_context *context, const gv_points *reference, const gv_points *queries,
                              gv_metric metric) {
  double median = expected[1][POINTS / 2].distance;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!b->products || !searches_here(b)) continue;
    gv_index *index = build(context, b->name, metric, reference);
    check_search(context, index, queries, 1, INFINITY);
    check_search(context, index, queries, 5, median);
    check_search(context, index, queries, MOST_K, INFINITY);
    if (metric == GV_COSINE) check_radius(context, index, queries, median);
    gv_index_destroy(index);
  }
}

static void test_backends(void **state) {
  static const int32_t dims[] = {1, 2, 3, 16, MOST_DIM};
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t run = 0; run < 10; run++) {
    gv_metric metric = run % 2 == 0 ? GV_COSINE : GV_INNER_PRODUCT;
    int32_t dim = dims[run / 2];
    make_vectors(points, POINTS, dim, run < 4 ? 1.0 : 1e30, 1e-10, metric == GV_COSINE && run > 1);
    make_vectors(places, QUERIES, dim, run < 6 ? 1.0 : 1e-20, 0.1, metric == GV_COSINE || run == 3);
    const gv_points reference = gv_points_rows(points, POINTS, dim, GV_FLOAT64),
                    queries = gv_points_rows(places, QUERIES, dim, GV_FLOAT64);
    expect(dim, metric);
    with_all_backends(context, &reference, &queries, metric);
  }
  gv_context_destroy(context);
}

/* float32, as embeddings come. */
static void test_floats(void **state) {
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int run = 0; run < 4; run++) {
    int32_t dim = run < 2 ? 3 : MOST_DIM;
    gv_metric metric = run % 2 == 0 ? GV_COSINE : GV_INNER_PRODUCT;
    for (int i = 0; i < POINTS * dim; i++) {
      narrow[i] = (float)(i / dim % 5 == 0 ? floor(uniform(-2, 2)) : uniform(-1, 1));
      points[i] = (double)narrow[i];
    }
    for (int i = 0; i < QUERIES * dim; i++) {
      narrow_places[i] = (float)(i / dim % 5 == 0 ? floor(uniform(-2, 2)) : uniform(-1, 1));
      places[i] = (double)narrow_places[i];
    }
    const gv_points reference = gv_points_rows(narrow, POINTS, dim, GV_FLOAT32),
                    queries = gv_points_rows(narrow_places, QUERIES, dim, GV_FLOAT32);
    expect(dim, metric);
    with_all_backends(context, &reference, &queries, metric);
  }
  gv_context_destroy(context);
}

/* Sums that overflow: infinite ones are results, NaN is not. */
static void test_overflow(void **state) {
  const double rows[] = {1e200, 1e200, 1e200, -1e200, 1.0, 1.0, -1e200, -1e200}, asked[] = {1e200, 1e200};
  const gv_points reference = gv_points_rows(rows, 4, 2, GV_FLOAT64),
                  query = gv_points_rows(asked, 1, 2, GV_FLOAT64);
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!b->products || !searches_here(b)) continue;
    gv_index *index = build(context, b->name, GV_INNER_PRODUCT, &reference);
    gv_search_options o;
    gv_search_options_init(&o);
    o.k = 4;
    assert_int_equal(gv_index_search(context, index, &query, &o, found, distances), GV_OK);
    assert_int_equal(found[0], 0);
    assert_true(distances[0] == -INFINITY);
    assert_int_equal(found[1], 2);
    assert_true(distances[1] == -2e200);
    assert_int_equal(found[2], 3);
    assert_int_equal(found[3], -1);
    o.max_distance = -1.0;
    assert_int_equal(gv_index_search(context, index, &query, &o, found, distances), GV_OK);
    assert_int_equal(found[1], 2);
    assert_int_equal(found[2], -1);
    o.max_distance = NAN;
    assert_int_equal(gv_index_search(context, index, &query, &o, found, distances),
                     GV_ERROR_INVALID_ARGUMENT);
    gv_index_destroy(index);
  }
  gv_context_destroy(context);
}

static void test_refusals(void **state) {
  const double rows[] = {0.5, 0.5, 0.25, 1.0};
  const gv_points reference = gv_points_rows(rows, 2, 2, GV_FLOAT64);
  gv_context *context = NULL;
  gv_index *index = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_index_options o;
  gv_index_options_init(&o);
  for (gv_metric metric = GV_COSINE; metric <= GV_INNER_PRODUCT; metric++) {
    o.metric = metric;
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      const char *reason = "";
      gv_status supported = gv_backend_supports((int)(b - gv_backends), metric, GV_FLOAT64, 1, NULL, &reason);
      assert_int_equal(supported, b->products ? GV_OK : GV_ERROR_UNSUPPORTED);
      o.backend = b->name;
      if (searches_here(b) && !b->products)
        assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
    }
    o.backend = "kdtree";
    assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
    if (strstr(gv_context_message(context), "serial, openmp, cuda-register") == NULL)
      fail_msg("%s", gv_context_message(context));
    const double box[] = {2.0, 2.0};
    o.backend = NULL;
    o.periods = box;
    assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
    o.periods = NULL;
    index = build(context, NULL, metric, &reference);
    assert_string_equal(gv_index_backend(index), "openmp");
    gv_radius_options r;
    gv_radius_options_init(&r);
    assert_int_equal(gv_index_search_radius(context, index, &reference, &r, offsets, NULL, NULL),
                     metric == GV_COSINE ? GV_OK : GV_ERROR_UNSUPPORTED);
    gv_index_destroy(index);
    /* No grid has these metrics. */
    gv_grid grid;
    gv_grid_init(&grid);
    grid.width = grid.height = 4;
    gv_voronoi_options v;
    gv_voronoi_options_init(&v);
    v.metric = metric;
    gv_voronoi *voronoi = NULL;
    assert_int_equal(gv_voronoi_create(context, &grid, &reference, &v, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_backends), cmocka_unit_test(test_floats),
                                     cmocka_unit_test(test_overflow), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
