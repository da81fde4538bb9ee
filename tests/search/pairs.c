/* Pairs of points within a radius: those of a search by radius with `serial`, for each backend. */
#include "backends_here.h"
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "split_mix.h"

enum { POINTS = 300, MOST_DIM = 13 };

static uint64_t random_state = 7;
static double points[POINTS * MOST_DIM];
static float narrow[POINTS * MOST_DIM];
static int64_t offsets[POINTS + 1], counted[POINTS + 1], found[POINTS * POINTS], pairs[POINTS * POINTS];

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&random_state) >> 11) * 0x1p-53);
}

/* Points of a lattice, many in one place, and anywhere. */
static void make_points(int32_t dim) {
  for (int i = 0; i < POINTS; i++)
    for (int32_t d = 0; d < dim; d++) {
      points[i * dim + d] = i % 3 == 0            ? floor(uniform(0, 5))
                            : i % 7 == 1 && i > 0 ? points[(i - 1) * dim + d]
                                                  : uniform(0, 5);
      narrow[i * dim + d] = (float)points[i * dim + d];
    }
}

static gv_index *build(gv_context *context, const gv_points *of, const gv_index_options *options,
                       const char *backend) {
  gv_index_options o = *options;
  gv_index *index = NULL;
  o.backend = backend;
  if (gv_index_build(context, of, &o, &index) != GV_OK) fail_msg("%s", gv_context_message(context));
  return index;
}

static void find_pairs(gv_context *context, const gv_index *index, double radius) {
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = radius;
  memset(pairs, 0x55, sizeof pairs);
  if (gv_index_search_pairs(context, index, &o, counted, NULL) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  if (gv_index_search_pairs(context, index, &o, counted, pairs) != GV_OK)
    fail_msg("%s", gv_context_message(context));
}

static void check_pairs(const char *what, double radius) {
  int64_t at = 0;
  assert_int_equal(counted[0], 0);
  for (int64_t i = 0; i < POINTS; i++) {
    for (int64_t n = offsets[i]; n < offsets[i + 1]; n++) {
      if (found[n] <= i) continue;
      if (pairs[2 * at] != i || pairs[2 * at + 1] != found[n])
        fail_msg("%s, radius %g: pair %lld is %lld, %lld, not %lld, %lld", what, radius, (long long)at,
                 (long long)pairs[2 * at], (long long)pairs[2 * at + 1], (long long)i, (long long)found[n]);
      at++;
    }
    if (counted[i + 1] != at)
      fail_msg("%s, radius %g: %lld pairs up to point %lld, not %lld", what, radius,
               (long long)counted[i + 1], (long long)i, (long long)at);
  }
}

static void check_all(const gv_points *of, const gv_index_options *options) {
  static const double radii[] = {0.0, 0.3, 1.0, 2.0, 50.0, INFINITY};
  gv_context *context[2] = {NULL, NULL};
  gv_context_options two;
  gv_context_options_init(&two);
  two.threads = 2;
  assert_int_equal(gv_context_create(NULL, &context[0]), GV_OK);
  assert_int_equal(gv_context_create(&two, &context[1]), GV_OK);
  gv_index *serial = build(context[0], of, options, "serial");
  for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
    gv_radius_options o;
    gv_radius_options_init(&o);
    o.radius = radii[r];
    o.by_number = o.exclude_self = 1;
    assert_int_equal(gv_index_search_radius(context[0], serial, NULL, &o, offsets, NULL, NULL), GV_OK);
    assert_int_equal(gv_index_search_radius(context[0], serial, NULL, &o, offsets, found, NULL), GV_OK);
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      if (!searches_here(b) || b->device || b->max_dim < of->dim ||
          gv_backend_refuses(b, options->metric) != NULL)
        continue;
      gv_index *index = build(context[0], of, options, b->name);
      find_pairs(context[r % 2], index, radii[r]);
      check_pairs(b->name, radii[r]);
      gv_index_destroy(index);
    }
  }
  gv_index_destroy(serial);
  gv_context_destroy(context[0]);
  gv_context_destroy(context[1]);
}

static void pairs_are_those_of_searches(void **unused) {
  static const int32_t dims[] = {1, 2, 3, 5, MOST_DIM};
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV, GV_MINKOWSKI};
  (void)unused;
  for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
    gv_index_options o;
    gv_index_options_init(&o);
    make_points(dims[d]);
    const gv_points of = gv_points_rows(points, POINTS, dims[d], GV_FLOAT64);
    for (size_t m = 0; m < 4; m++) {
      o.metric = metrics[m];
      o.power = 3.0;
      check_all(&of, &o);
    }
  }
}

static void pairs_across_the_borders_of_a_box(void **unused) {
  const double periods[] = {5.0, 0.0, 6.5};
  (void)unused;
  gv_index_options o;
  gv_index_options_init(&o);
  o.periods = periods;
  make_points(3);
  const gv_points of = gv_points_rows(points, POINTS, 3, GV_FLOAT64);
  check_all(&of, &o);
  o.metric = GV_MANHATTAN;
  check_all(&of, &o);
}

static void pairs_of_floats(void **unused) {
  (void)unused;
  gv_index_options o;
  gv_index_options_init(&o);
  make_points(2);
  const gv_points of = gv_points_rows(narrow, POINTS, 2, GV_FLOAT32);
  check_all(&of, &o);
}

static void refused(gv_context *context, const gv_index *index, const gv_radius_options *o, int64_t *of,
                    int64_t *to, gv_status status, const char *why) {
  assert_int_equal(gv_index_search_pairs(context, index, o, of, to), status);
  if (strstr(gv_context_message(context), why) == NULL) fail_msg("'%s'", gv_context_message(context));
}

static void bad_calls_are_refused(void **unused) {
  (void)unused;
  gv_context *context = NULL;
  gv_index_options options;
  gv_radius_options o;
  gv_index_options_init(&options);
  gv_radius_options_init(&o);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  make_points(2);
  const gv_points of = gv_points_rows(points, POINTS, 2, GV_FLOAT64);
  gv_index *tree = build(context, &of, &options, "kdtree"), *brute = build(context, &of, &options, "serial");
  options.metric = GV_GEODESIC;
  gv_index *globe = build(context, &of, &options, "kdtree");
  o.radius = 1.0;
  assert_int_equal(gv_index_search_pairs(NULL, tree, &o, counted, NULL), GV_ERROR_INVALID_ARGUMENT);
  refused(context, NULL, &o, counted, NULL, GV_ERROR_INVALID_ARGUMENT, "index: the pointer is NULL");
  refused(context, tree, &o, NULL, NULL, GV_ERROR_INVALID_ARGUMENT, "offsets");
  refused(context, globe, &o, counted, NULL, GV_ERROR_UNSUPPORTED, "unsupported function");
  assert_int_equal(gv_index_search_pairs(context, tree, &o, counted, NULL), GV_OK);
  for (int more = -1; more <= 1; more += 2) {
    for (int i = 100; i < POINTS + 1; i++)
      counted[i] += more;
    refused(context, tree, &o, counted, pairs, GV_ERROR_INVALID_ARGUMENT, "offsets");
    refused(context, brute, &o, counted, pairs, GV_ERROR_INVALID_ARGUMENT, "offsets");
    for (int i = 100; i < POINTS + 1; i++)
      counted[i] -= more;
  }
  o.radius = -1.0;
  refused(context, tree, &o, counted, NULL, GV_ERROR_INVALID_ARGUMENT, "out of range [0, inf] (-1)");
  o.radii = points;
  refused(context, tree, &o, counted, NULL, GV_ERROR_UNSUPPORTED, "radii");
  gv_index_destroy(tree);
  gv_index_destroy(brute);
  gv_index_destroy(globe);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_those_of_searches), cmocka_unit_test(pairs_across_the_borders_of_a_box),
      cmocka_unit_test(pairs_of_floats), cmocka_unit_test(bad_calls_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
