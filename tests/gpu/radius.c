/*
 * Searches by radius and pairs on the GPU against the CPU's tree: the same bytes for every kind of points, in
 * the order of distances and of numbers, with one radius and with one for each query, with lists that a warp
 * sorts and lists that a block sorts.
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

enum { N = 2000, LATTICE_SIDE = 16, MOST_DIM = 4 };

static const char *const trees[] = {"cuda-kdtree", "cuda-octree"};
static double points[N * MOST_DIM], places[N * MOST_DIM], radii[N];

static gv_index *build(gv_context *context, const char *backend, int32_t dim, gv_metric metric) {
  const gv_points reference = gv_points_rows(points, N, dim, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_index *index = NULL;
  if (gv_index_build(context, &reference, &options, &index) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  return index;
}

typedef struct answer {
  int64_t offsets[N + 1], *indices;
  double *distances;
} answer;

/* By radius of `queries` (NULL: the points themselves), or pairs if o is NULL with o_pairs. */
static void ask(gv_context *context, const gv_index *index, const gv_points *queries,
                const gv_radius_options *o, bool pairs, answer *out, const char *what) {
  gv_status status = pairs ? gv_index_search_pairs(context, index, o, out->offsets, NULL)
                           : gv_index_search_radius(context, index, queries, o, out->offsets, NULL, NULL);
  if (status != GV_OK) fail_msg("%s: %s", what, gv_context_message(context));
  int64_t found = out->offsets[N];
  out->indices = malloc((size_t)(2 * found + 1) * sizeof *out->indices);
  out->distances = malloc((size_t)(found + 1) * sizeof *out->distances);
  assert_non_null(out->indices);
  assert_non_null(out->distances);
  status =
      pairs ? gv_index_search_pairs(context, index, o, out->offsets, out->indices)
            : gv_index_search_radius(context, index, queries, o, out->offsets, out->indices, out->distances);
  if (status != GV_OK) fail_msg("%s: %s", what, gv_context_message(context));
}

static void compare(gv_context *context, const gv_index *cpu, const gv_index *gpu, const gv_points *queries,
                    const gv_radius_options *o, bool pairs, const char *what) {
  static answer expected, got;
  ask(context, cpu, queries, o, pairs, &expected, what);
  ask(context, gpu, queries, o, pairs, &got, what);
  int64_t found = expected.offsets[N];
  if (memcmp(expected.offsets, got.offsets, sizeof got.offsets) != 0)
    fail_msg("%s: numbers of neighbors differ", what);
  if (memcmp(expected.indices, got.indices, (size_t)(pairs ? 2 * found : found) * sizeof *got.indices) != 0)
    fail_msg("%s: neighbors differ", what);
  if (!pairs && memcmp(expected.distances, got.distances, (size_t)found * sizeof *got.distances) != 0)
    fail_msg("%s: distances differ", what);
  free(expected.indices);
  free(expected.distances);
  free(got.indices);
  free(got.distances);
}

/* A radius that has about `wanted` neighbors of the first query. */
static double radius_of(gv_context *context, const gv_index *cpu, int32_t wanted) {
  static int64_t indices[2000];
  static double distances[2000];
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = wanted;
  gv_points one = gv_points_rows(places, 1, cpu->dim, GV_FLOAT64);
  assert_int_equal(gv_index_search(context, cpu, &one, &options, indices, distances), GV_OK);
  return distances[wanted - 1];
}

static void every_kind_of_points(void **state) {
  static const int32_t wanted[] = {1, 20, 300, 1500};
  gv_context *context = *state;
  random_state = 31;
  for (int s = 0; s < SHAPES; s++) {
    for (int32_t dim = 1; dim <= MOST_DIM; dim++) {
      fill(points, N, dim, (shape)s, LATTICE_SIDE);
      fill(places, N, dim, (shape)s, LATTICE_SIDE);
      gv_metric metric = (gv_metric)((s + dim) % 3);
      gv_index *cpu = build(context, "kdtree", dim, metric);
      for (int which = 0; which < 2; which++) {
        if (which == 1 && dim > 3) continue;
        gv_index *gpu = build(context, trees[which], dim, metric);
        const gv_points queries = gv_points_rows(places, N, dim, GV_FLOAT64);
        const int step = (s + dim + which) % 4;
        gv_radius_options o;
        gv_radius_options_init(&o);
        o.radius = radius_of(context, cpu, wanted[step]);
        char what[128];
        snprintf(what, sizeof what, "%s, %s, %d-d, metric %d, radius %g", trees[which], shape_names[s],
                 (int)dim, (int)metric, o.radius);
        /* Sets of equal points have all points within any radius: 4 million neighbors are enough. */
        compare(context, cpu, gpu, &queries, &o, false, what);
        o.by_number = 1;
        o.exclude_self = 1;
        compare(context, cpu, gpu, NULL, &o, false, what);
        o.by_number = o.exclude_self = 0;
        for (int i = 0; i < N; i++)
          radii[i] = i % 3 == 0 ? 0.0 : o.radius * uniform();
        o.radii = radii;
        compare(context, cpu, gpu, &queries, &o, false, what);
        o.radii = NULL;
        compare(context, cpu, gpu, NULL, &o, true, what);
        gv_index_destroy(gpu);
      }
      gv_index_destroy(cpu);
    }
  }
}

/* Offsets that were counted with another radius are an error. */
static void other_offsets(void **state) {
  gv_context *context = *state;
  static int64_t offsets[N + 1];
  random_state = 32;
  fill(points, N, 3, UNIFORM, 1.0);
  gv_index *gpu = build(context, "cuda-octree", 3, GV_EUCLIDEAN);
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = 0.1;
  assert_int_equal(gv_index_search_radius(context, gpu, NULL, &o, offsets, NULL, NULL), GV_OK);
  int64_t *indices = malloc((size_t)offsets[N] * sizeof *indices);
  assert_non_null(indices);
  o.radius = 0.09;
  assert_int_equal(gv_index_search_radius(context, gpu, NULL, &o, offsets, indices, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "count them first"));
  free(indices);
  gv_index_destroy(gpu);
}

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) == GV_OK ? 0 : -1;
}

static int free_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

int main(void) {
  const char *reason = "";
  if (gv_backend_probe(gv_backend_find(trees[0]), &reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_points),
      cmocka_unit_test(other_offsets),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
