/*
 * Periodic boxes and powers of Minkowski distances: every backend of processors finds what a loop over all
 * pairs finds that computes the header's definition, with the same bits.
 */
#include "search/periods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends_here.h"
#include "cmocka_test.h"
#include "failing_memory.h"
#include "split_mix.h"

enum { POINTS = 600, QUERIES = 200, MOST_DIM = 17, MOST_K = 70 };

typedef struct pair {
  double value, distance; /* what is compared, and what is reported */
  int64_t number;
} pair;

static uint64_t random_state = 11;
static double points[POINTS * MOST_DIM], places[QUERIES * MOST_DIM], lengths[MOST_DIM];
static double power = 2.0;
static pair expected[QUERIES][POINTS];
static int64_t found[QUERIES * POINTS], offsets[QUERIES + 1];
static double distances[QUERIES * POINTS];

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&random_state) >> 11) * 0x1p-53);
}

static int compare_pairs(const void *a, const void *b) {
  const pair *left = a, *right = b;
  if (left->value != right->value) return left->value < right->value ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

/* The header's definition of powers. */
static double power_of(double x, double exponent) {
  double result = 1.0, fraction = exponent - floor(exponent), factor = x;
  uint64_t whole = (uint64_t)exponent;
  for (int i = 0; whole >> i != 0; i++, factor *= factor)
    if (whole >> i & 1) result *= factor;
  factor = x;
  for (int j = 1; fraction > 0.0; j++) {
    factor = sqrt(factor);
    if (fraction < ldexp(1.0, -j)) continue;
    result *= factor;
    fraction -= ldexp(1.0, -j);
  }
  return result;
}

static double reported(double value, gv_metric metric) {
  return metric == GV_EUCLIDEAN ? sqrt(value) : metric == GV_MINKOWSKI ? power_of(value, 1.0 / power) : value;
}

/* The header's definition of distances. */
static double value_of(const double *query, const double *point, int32_t dim, gv_metric metric) {
  double total = 0.0;
  for (int32_t d = 0; d < dim; d++) {
    double at = query[d], length = lengths[d];
    if (length > 0.0) {
      at = fmod(at, length);
      if (at < 0.0) at += length;
      if (at == length) at = 0.0;
    }
    double u = fabs(at - point[d]);
    if (length > 0.0 && length - u < u) u = length - u;
    if (metric == GV_EUCLIDEAN) total += u * u;
    if (metric == GV_MANHATTAN) total += u;
    if (metric == GV_MINKOWSKI) total += power_of(u, power);
    if (metric == GV_CHEBYSHEV && u > total) total = u;
  }
  return total;
}

/* Places of a lattice and anywhere; queries also outside the box, at its sides, and where moving them into it
 * rounds to its length. */
static void make_places(int32_t dim, bool partly) {
  for (int32_t d = 0; d < dim; d++)
    lengths[d] = partly && d % 2 == 1 ? 0.0 : d % 3 == 0 ? 4.0 : uniform(1.0, 6.0);
  for (int64_t i = 0; i < POINTS * dim; i++) {
    double length = lengths[i % dim] > 0.0 ? lengths[i % dim] : 5.0;
    points[i] = i / dim % 3 == 0 ? floor(uniform(0.0, length)) : uniform(0.0, length);
    if (points[i] >= length) points[i] = 0.0;
  }
  for (int64_t i = 0; i < QUERIES * dim; i++) {
    double length = lengths[i % dim] > 0.0 ? lengths[i % dim] : 5.0;
    int kind = (int)(i / dim % 5);
    places[i] = kind == 0   ? points[i]
                : kind == 1 ? uniform(-30.0, 30.0)
                : kind == 2 ? length * floor(uniform(-2.0, 3.0))
                : kind == 3 ? -1e-30
                            : uniform(0.0, length);
  }
}

static gv_index *build(gv_context *context, const char *backend, gv_metric metric,
                       const gv_points *reference) {
  gv_index_options o;
  gv_index *index = NULL;
  gv_index_options_init(&o);
  o.backend = backend;
  o.metric = metric;
  o.periods = lengths;
  o.power = power;
  if (gv_index_build(context, reference, &o, &index) != GV_OK) fail_msg("%s", gv_context_message(context));
  return index;
}

static void check_search(gv_context *context, const gv_index *index, const gv_points *queries, int32_t k,
                         bool self) {
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = k;
  o.exclude_self = self;
  memset(found, 0x55, sizeof found);
  if (gv_index_search(context, index, queries, &o, found, distances) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  int64_t count = queries != NULL ? queries->count : gv_index_count(index);
  for (int64_t i = 0; i < count && i < QUERIES; i++) {
    for (int32_t n = 0, at = 0; n < k; n++, at++) {
      if (self && expected[i][at].number == i) at++;
      if (found[i * k + n] != expected[i][at].number || distances[i * k + n] != expected[i][at].distance)
        fail_msg("%s: neighbor %d of query %d is %d at %.17g, not %d at %.17g", gv_index_backend(index),
                 (int)n, (int)i, (int)found[i * k + n], distances[i * k + n], (int)expected[i][at].number,
                 expected[i][at].distance);
    }
  }
}

static void check_radius(gv_context *context, const gv_index *index, const gv_points *queries,
                         double radius) {
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = radius;
  assert_int_equal(gv_index_search_radius(context, index, queries, &o, offsets, NULL, NULL), GV_OK);
  assert_int_equal(gv_index_search_radius(context, index, queries, &o, offsets, found, distances), GV_OK);
  for (int64_t i = 0; i < queries->count; i++) {
    int64_t count = 0;
    while (count < POINTS && expected[i][count].distance <= radius)
      count++;
    if (offsets[i + 1] - offsets[i] != count)
      fail_msg("%s: query %d has %d neighbors, not %d", gv_index_backend(index), (int)i,
               (int)(offsets[i + 1] - offsets[i]), (int)count);
    for (int64_t n = 0; n < count; n++) {
      assert_int_equal(found[offsets[i] + n], expected[i][n].number);
      assert_true(distances[offsets[i] + n] == expected[i][n].distance);
    }
  }
}

static void expect(const double *queries, int64_t count, int32_t dim, gv_metric metric) {
  for (int64_t i = 0; i < count; i++) {
    for (int64_t j = 0; j < POINTS; j++) {
      double value = value_of(queries + i * dim, points + j * dim, dim, metric);
      expected[i][j] = (pair){value, reported(value, metric), j};
    }
    qsort(expected[i], POINTS, sizeof expected[i][0], compare_pairs);
  }
}

static void with_all_backends(gv_context *context, gv_metric metric, int32_t dim) {
  const gv_points reference = gv_points_rows(points, POINTS, dim, GV_FLOAT64),
                  queries = gv_points_rows(places, QUERIES, dim, GV_FLOAT64);
  for (int own = 0; own < 2; own++) {
    expect(own ? points : places, QUERIES, dim, metric);
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      if (!b->searches_points || b->device || b->max_dim < dim) continue;
      gv_index *index = build(context, b->name, metric, &reference);
      if (own) {
        check_search(context, index, NULL, 3, true);
      } else {
        check_search(context, index, &queries, 1, false);
        check_search(context, index, &queries, MOST_K, false);
        check_radius(context, index, &queries, expected[3][20].distance);
        check_radius(context, index, &queries, nextafter(expected[4][20].distance, 0.0));
      }
      gv_index_destroy(index);
    }
  }
}

static void test_boxes(void **state) {
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV};
  static const int32_t dims[] = {1, 2, 3, 5, MOST_DIM};
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t run = 0; run < 30; run++) {
    make_places(dims[run / 3 % 5], run >= 15);
    with_all_backends(context, metrics[run % 3], dims[run / 3 % 5]);
  }
  gv_context_destroy(context);
}

static void test_powers(void **state) {
  static const double powers[] = {1.0, 1.1, 1.5, 2.0, 3.0, 7.25, 9.5, 10.0};
  static const int32_t dims[] = {1, 2, 3, MOST_DIM};
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t run = 0; run < 16; run++) {
    power = powers[run % 8];
    make_places(dims[run / 4], false);
    if (run % 3 != 0) memset(lengths, 0, sizeof lengths);
    with_all_backends(context, GV_MINKOWSKI, dims[run / 4]);
  }
  power = 2.0;
  gv_context_destroy(context);
}

/* The definition is a power: equal to the C library's, up to the largest value of a distance. */
static void test_what_powers_are(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    double x = exp(uniform(-5.0, 5.0)), e = i % 2 == 0 ? uniform(1.0, 9.0) : uniform(0.001, 1.0);
    double ours = gv_power(x, e), theirs = pow(x, e);
    if (!(fabs(ours - theirs) <= 2e-14 * theirs))
      fail_msg("%.17g ^ %.17g = %.17g, not %.17g", x, e, ours, theirs);
    assert_true(gv_power(nextafter(x, INFINITY), e) >= ours);
    if (e < 1.0) continue;
    double largest = gv_largest_power(x, e);
    assert_true(gv_power(largest, 1.0 / e) <= x);
    assert_true(gv_power(nextafter(largest, INFINITY), 1.0 / e) > x);
  }
  assert_true(gv_power(0.0, 1.7) == 0.0 && gv_power(INFINITY, 1.7) == INFINITY && gv_power(0.0, 0.3) == 0.0);
  assert_true(gv_largest_power(INFINITY, 3.0) == INFINITY);
  assert_true(gv_power(gv_largest_power(0.0, 3.0), 1.0 / 3.0) == 0.0);
  assert_true(gv_power(gv_largest_power(1e200, 3.0), 1.0 / 3.0) <= 1e200);
}

/* Points of float32 are widened. */
static void test_floats(void **state) {
  static float narrow[POINTS * 3], narrow_places[QUERIES * 3];
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  make_places(3, false);
  for (int i = 0; i < POINTS * 3; i++) {
    narrow[i] = nextafterf((float)points[i], 0.0f);
    points[i] = (double)narrow[i];
  }
  for (int i = 0; i < QUERIES * 3; i++) {
    narrow_places[i] = (float)places[i];
    places[i] = (double)narrow_places[i];
  }
  expect(places, QUERIES, 3, GV_EUCLIDEAN);
  const gv_points reference = gv_points_rows(narrow, POINTS, 3, GV_FLOAT32),
                  queries = gv_points_rows(narrow_places, QUERIES, 3, GV_FLOAT32);
  static const char *const names[] = {"auto", "serial", "openmp", "kdtree"};
  for (size_t i = 0; i < 4; i++) {
    gv_index *index = build(context, names[i], GV_EUCLIDEAN, &reference);
    check_search(context, index, &queries, 4, false);
    check_radius(context, index, &queries, 0.5);
    gv_index_destroy(index);
  }
  gv_context_destroy(context);
}

static void test_errors(void **state) {
  double rows[] = {0.5, 0.5, 0.25, 1.0}, box[] = {1.0, 0.0};
  const gv_points reference = gv_points_rows(rows, 2, 2, GV_FLOAT64);
  gv_index_options o;
  gv_index *index = NULL;
  gv_context *context = NULL;
  (void)state;
  gv_index_options_init(&o);
  o.periods = box;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_OK);
  gv_index_destroy(index);
  box[1] = 1.0; /* a point is where the box ends */
  assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(gv_context_message(context),
                      "reference point 1 (from 0) is outside the periodic box: coordinate 1 is 1; "
                      "expected [0, 1)");
  rows[3] = -1e-9;
  assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  rows[3] = 0.0;
  for (int i = 0; i < 3; i++) {
    box[0] = i == 0 ? -1.0 : i == 1 ? INFINITY : NAN;
    assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_INVALID_ARGUMENT);
  }
  box[0] = 1.0;
  o.metric = GV_GEODESIC;
  assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
  assert_string_equal(gv_context_message(context), "a periodic box is not supported for points on the globe");
  o.metric = GV_MINKOWSKI;
  for (int i = 0; i < 4; i++) {
    o.power = i == 0 ? 0.99 : i == 1 ? 1048577.0 : i == 2 ? NAN : INFINITY;
    assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_INVALID_ARGUMENT);
    if (strstr(gv_context_message(context), "power: out of range [1, 1048576]") == NULL)
      fail_msg("%s", gv_context_message(context));
  }
  o.power = 3.0;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    o.backend = b->name;
    if (b->device && searches_here(b))
      assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
  }
  o.backend = NULL;
  o.metric = GV_EUCLIDEAN;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    o.backend = b->name;
    if (b->device && searches_here(b))
      assert_int_equal(gv_index_build(context, &reference, &o, &index), GV_ERROR_UNSUPPORTED);
  }
  gv_context_destroy(context);
}

static void test_failing_allocations(void **state) {
  static const char *const names[] = {"openmp", "kdtree"};
  (void)state;
  make_places(2, false);
  const gv_points reference = gv_points_rows(points, POINTS, 2, GV_FLOAT64),
                  queries = gv_points_rows(places, QUERIES, 2, GV_FLOAT64);
  for (size_t n = 0; n < 2; n++) {
    bool finished = false;
    for (long fail_at = 0; !finished; fail_at++) {
      failing_memory memory = {0};
      failing_memory_begin(&memory, -1);
      gv_context_options options = failing_options(&memory, 2);
      gv_context *context = NULL;
      gv_index *index = NULL;
      gv_index_options o;
      gv_index_options_init(&o);
      o.backend = names[n];
      o.periods = lengths;
      assert_int_equal(gv_context_create(&options, &context), GV_OK);
      long made = atomic_load(&memory.live);
      atomic_store(&memory.calls, 0);
      atomic_store(&memory.fail_at, fail_at);
      gv_status status = gv_index_build(context, &reference, &o, &index);
      if (status == GV_OK) status = gv_index_search(context, index, &queries, NULL, found, distances);
      finished = atomic_load(&memory.calls) <= fail_at;
      assert_int_equal(status, finished ? GV_OK : GV_ERROR_OUT_OF_MEMORY);
      gv_index_destroy(index);
      assert_int_equal(atomic_load(&memory.live), made);
      gv_context_destroy(context);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes),           cmocka_unit_test(test_powers),
      cmocka_unit_test(test_what_powers_are), cmocka_unit_test(test_floats),
      cmocka_unit_test(test_errors),          cmocka_unit_test(test_failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
