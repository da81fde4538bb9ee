/* The list of backends answers any number and any question, and what it promises is what a search then
 * does. */
#include "cmocka_test.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/cost.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/geometries.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "grid_fill.h"
#include "left_out.h"
#include "voronoi/engine.h"

static const int metrics[] = {GV_EUCLIDEAN,
                              GV_MANHATTAN,
                              GV_CHEBYSHEV,
                              GV_GREAT_CIRCLE,
                              GV_GEODESIC,
                              GV_COSINE,
                              GV_INNER_PRODUCT,
                              GV_MINKOWSKI,
                              8,
                              -1,
                              INT_MIN,
                              INT_MAX};
static const int types[] = {GV_FLOAT32, GV_FLOAT64, 2, -1, INT_MIN, INT_MAX};
static const int32_t ks[] = {1, 1024, 0, 16777217, -1, INT32_MIN, INT32_MAX};
static const char untouched[] = "as it was";

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* Number `i` of the questions: all small ones, and the ends of the type. */
static int number_of(int i) {
  if (i == 0) return INT_MIN;
  if (i == 1) return INT_MAX;
  return i - 5;
}

enum { NUMBERS_AROUND = 9 };

static gv_backend_info get(int number) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  assert_int_equal(gv_backend_get(number, &info), GV_OK);
  return info;
}

static void assert_one_line(const char *text) {
  assert_non_null(text);
  assert_string_not_equal(text, "");
  assert_null(strpbrk(text, "\r\n"));
}

static void any_number_can_be_described(void **state) {
  (void)state;
  int count = gv_backend_count();
  assert_in_range(count, 5, 100);
  for (int i = 0; i < count + NUMBERS_AROUND; i++) {
    int number = number_of(i);
    gv_backend_info info, before;
    memset(&info, 0x5a, sizeof info);
    memset(&before, 0x5a, sizeof before);
    info.struct_size = before.struct_size = sizeof info;
    assert_int_equal(gv_backend_get(number, NULL), GV_ERROR_INVALID_ARGUMENT);
    gv_status status = gv_backend_get(number, &info);
    if (number < 0 || number >= count) {
      assert_int_equal(status, GV_ERROR_INVALID_ARGUMENT);
      assert_memory_equal(&info, &before, sizeof info);
      continue;
    }
    assert_int_equal(status, GV_OK);
    assert_one_line(info.name);
    assert_one_line(info.summary);
    assert_non_null(info.reason);
    if (info.available) assert_string_equal(info.reason, "");
    if (!info.available) assert_one_line(info.reason);
  }
}

static void names_are_unique(void **state) {
  (void)state;
  for (int i = 0; i < gv_backend_count(); i++) {
    assert_string_not_equal(get(i).name, "auto");
    for (int j = 0; j < i; j++)
      assert_string_not_equal(get(i).name, get(j).name);
    assert_int_equal(gv_backend_number_of(get(i).name), i);
  }
  assert_int_equal(gv_backend_number_of("auto"), -1);
  assert_int_equal(gv_backend_number_of(""), -1);
  assert_int_equal(gv_backend_number_of(NULL), -1);
}

/* One question with every choice of places for the answer. */
static gv_status supports(int number, int metric, int type, int32_t k, int32_t *max_dim) {
  const char *reason = untouched, *alone = untouched;
  int32_t dim = -77, dim_alone = -77;
  gv_status status = gv_backend_supports(number, (gv_metric)metric, (gv_dtype)type, k, &dim, &reason);
  assert_int_equal(gv_backend_supports(number, (gv_metric)metric, (gv_dtype)type, k, NULL, NULL), status);
  assert_int_equal(gv_backend_supports(number, (gv_metric)metric, (gv_dtype)type, k, &dim_alone, NULL),
                   status);
  assert_int_equal(gv_backend_supports(number, (gv_metric)metric, (gv_dtype)type, k, NULL, &alone), status);
  assert_int_equal(dim, dim_alone);
  assert_ptr_equal(reason, alone);
  if (status == GV_ERROR_UNSUPPORTED) {
    assert_one_line(reason);
    assert_ptr_not_equal(reason, untouched);
  } else {
    assert_ptr_equal(reason, untouched);
  }
  *max_dim = dim;
  return status;
}

static void any_question_has_an_answer(void **state) {
  (void)state;
  int count = gv_backend_count();
  for (int i = 0; i < count + NUMBERS_AROUND; i++) {
    int number = number_of(i);
    bool there = number >= 0 && number < count;
    bool searches = there && get(number).searches_points;
    for (int m = 0; m < COUNT(metrics); m++) {
      for (int t = 0; t < COUNT(types); t++) {
        for (int k = 0; k < COUNT(ks); k++) {
          int32_t max_dim = 0;
          gv_status status = supports(number, metrics[m], types[t], ks[k], &max_dim);
          if (!there) {
            assert_int_equal(status, GV_ERROR_INVALID_ARGUMENT);
            assert_int_equal(max_dim, -77);
            continue;
          }
          assert_in_range(max_dim, 1, 4096);
          /* Coverage is only reported for backends that search; and for all metrics, except those that a
           * backend does not support. */
          if (!searches || m > 7 || t > 1 || k > 1) assert_int_equal(status, GV_ERROR_UNSUPPORTED);
          if (status != GV_OK) assert_int_equal(status, GV_ERROR_UNSUPPORTED);
        }
      }
    }
  }
}

/* The result of a search of one point by itself. */
static gv_status search(gv_context *context, const char *backend, int metric, int type, int32_t dim,
                        int32_t k) {
  gv_points points = gv_points_rows(calloc((size_t)dim, sizeof(double)), 1, dim, (gv_dtype)type);
  int64_t *indices = calloc((size_t)k, sizeof *indices);
  gv_index_options build;
  gv_index_options_init(&build);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  assert_non_null(points.data);
  assert_non_null(indices);
  build.backend = backend;
  build.metric = (gv_metric)metric;
  options.k = k;
  gv_status status = gv_index_build(context, &points, &build, &index);
  if (status == GV_OK) status = gv_index_search(context, index, &points, &options, indices, NULL);
  if (status == GV_OK) assert_int_equal(indices[0], 0);
  gv_index_destroy(index);
  free(indices);
  free((void *)points.data);
  return status;
}

static void searches_do_what_is_promised(void **state) {
  gv_context *context = *state;
  for (int number = 0; number < gv_backend_count(); number++) {
    gv_backend_info info = get(number);
    if (!info.searches_points) {
      assert_int_equal(search(context, info.name, GV_EUCLIDEAN, GV_FLOAT64, 2, 1), GV_ERROR_UNKNOWN_BACKEND);
    } else if (!info.available) {
      assert_int_equal(search(context, info.name, GV_EUCLIDEAN, GV_FLOAT64, 2, 1), GV_ERROR_UNAVAILABLE);
    } else {
      for (int m = 0; m < COUNT(metrics); m++) {
        for (int type = GV_FLOAT32; type <= GV_FLOAT64; type++) {
          int32_t max_dim = 0;
          gv_status promised = supports(number, metrics[m], type, 1, &max_dim);
          assert_int_equal(search(context, info.name, metrics[m], type, 2, 1), promised);
          if (promised != GV_OK) continue;
          assert_int_equal(search(context, info.name, metrics[m], type, max_dim, 1024), GV_OK);
          assert_int_not_equal(search(context, info.name, metrics[m], type, max_dim + 1, 1), GV_OK);
          /* More neighbors are there for processors on the plane. */
          int32_t unused;
          assert_int_equal(search(context, info.name, metrics[m], type, 2, 1025) == GV_OK,
                           supports(number, metrics[m], type, 1025, &unused) == GV_OK);
          assert_int_equal(supports(number, metrics[m], type, 1025, &unused) == GV_OK,
                           (metrics[m] <= GV_CHEBYSHEV || metrics[m] >= GV_COSINE) &&
                               strncmp(info.name, "cuda", 4) != 0);
        }
      }
    }
  }
}

/* Whether a backend refuses a grid with these seeds, or lines in place of them. */
static bool refuses(gv_context *context, const char *backend, const gv_grid *grid, const gv_points *seeds,
                    const gv_features *features) {
  gv_voronoi_options o;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options_init(&o);
  o.backend = backend;
  o.metric = features == NULL ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
  o.features = features;
  gv_status status = gv_voronoi_create(context, grid, seeds, &o, &voronoi);
  gv_voronoi_destroy(voronoi);
  return status == GV_ERROR_UNSUPPORTED;
}

/* What is listed is what a computation accepts. */
static void abilities_are_those_of_computations(void **state) {
  gv_context *context = *state;
  const double x[] = {0, 1}, y[] = {0, 1};
  const int64_t one[] = {0, 1}, two[] = {0, 2};
  const uint8_t kind = GV_PART_LINE;
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_features line;
  gv_grid list, plane;
  gv_features_init(&line);
  line.count = 1;
  line.part = line.ring = one;
  line.kind = &kind;
  line.vertex = two;
  line.x = x;
  line.y = y;
  gv_grid_init(&plane);
  plane.width = plane.height = 2;
  list = gv_grid_healpix(0, 0, 0);
  for (int number = 0; number < GV_BACKENDS; number++) {
    const gv_backend_info info = get(number);
    gv_cost_options o;
    gv_cost *cost = NULL;
    gv_cost_options_init(&o);
    o.backend = info.name;
    o.metric = GV_EUCLIDEAN;
    assert_int_equal(info.travel_cost > 0, gv_cost_create(context, &plane, &o, &cost) == GV_OK);
    gv_cost_destroy(cost);
    cost = NULL;
    o.folder = ".";
    assert_int_equal(info.travel_cost > 1, gv_cost_create(context, &plane, &o, &cost) == GV_OK);
    gv_cost_destroy(cost);
    assert_int_equal(info.list_grids, !refuses(context, info.name, &list, &seeds, NULL));
    assert_int_equal(info.feature_grids, !refuses(context, info.name, &plane, NULL, &line));
    assert_int_equal(info.gpu, strncmp(info.name, "cuda", 4) == 0);
    assert_int_equal(info.searches_radius,
                     gv_backends[number].within != NULL || gv_backends[number].device_radius);
  }
}

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) != GV_OK;
}

static int drop_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

/* Distances on the plane that cannot be squared: the name is that of the backend that computes. */
static void backends_of_large_distances(void **state) {
  (void)state;
  static const char *const named[] = {NULL, "tile", "octree"}, *const computes[] = {"kdtree", "kdtree",
                                                                                    "octree"};
  const double x[] = {1e200, 1e201}, y[] = {0, 0};
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_context *context = NULL;
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = grid.height = 2;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int i = 0; i < 3; i++) {
    gv_voronoi *voronoi = NULL;
    gv_voronoi_options o;
    int32_t nearest[4];
    gv_voronoi_options_init(&o);
    o.backend = named[i];
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_string_equal(gv_voronoi_backend(voronoi), computes[i]);
    assert_int_equal(fill_grid(context, voronoi, nearest, 2), GV_OK);
    assert_true(nearest[0] == 0 && nearest[3] == 0);
    gv_voronoi_destroy(voronoi);
  }
  grid.kind = GV_GRID_PROJECTED;
  gv_voronoi *none = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.metric = GV_GEODESIC;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &none), GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(gv_context_message(context), "grid: missing inverse projection; set gv_grid.inverse");
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(backends_of_large_distances), cmocka_unit_test(abilities_are_those_of_computations),
      cmocka_unit_test(any_number_can_be_described), cmocka_unit_test(names_are_unique),
      cmocka_unit_test(any_question_has_an_answer),  cmocka_unit_test(searches_do_what_is_promised),
      cmocka_unit_test(every_backend_can_run),
  };
  return cmocka_run_group_tests_name("backends_api", tests, make_context, drop_context);
}
