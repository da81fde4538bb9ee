/*
 * Searches by radius: of every kind of index and with every backend the neighbors are those of a search for
 * all neighbors by `serial` that are not farther than the radius, in the same order and with the same bits.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "features/layer.h"
#include "gpuvoronoi/raster_seeds.h"
#include "left_out.h"

enum { MOST_POINTS = 1000, MOST_QUERIES = 1000, MOST_DIM = 17 };

static uint64_t random_state = 7;
static double points[MOST_POINTS * MOST_DIM], places[MOST_QUERIES * MOST_DIM], radii[MOST_QUERIES];
static float narrow[MOST_QUERIES * MOST_DIM];
static int64_t ranked[MOST_QUERIES * MOST_POINTS], offsets[MOST_QUERIES + 1],
    found[MOST_QUERIES * MOST_POINTS];
static double distances[MOST_QUERIES * MOST_POINTS], values[MOST_QUERIES * MOST_POINTS];

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&random_state) >> 11) * 0x1p-53);
}

/* Of k sorted neighbors of each query: radii that are random, met exactly, missed by one step of double, 0
 * and infinite. */
static void make_radii(int64_t queries, int32_t k, double size) {
  for (int64_t i = 0; i < queries; i++) {
    double one = distances[i * k + (int64_t)(uniform(0, k))];
    radii[i] = i % 5 == 0   ? uniform(0, size)
               : i % 5 == 1 ? one
               : i % 5 == 2 ? nextafter(one, 0.0)
               : i % 5 == 3 ? 0.0
                            : INFINITY;
    if (isinf(one) && i % 5 < 3) radii[i] = size;
  }
}

static int compare_numbers(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

/* Against `ranked` and `distances`, with k neighbors a row. */
static void check_answer(const char *what, int64_t queries, int32_t k, const gv_radius_options *o) {
  int64_t at = 0;
  for (int64_t i = 0; i < queries; i++) {
    double radius = o->radii != NULL ? o->radii[i] : o->radius;
    int32_t count = 0;
    int64_t *row = ranked + i * k;
    while (count < k && row[count] >= 0 && distances[i * k + count] <= radius)
      count++;
    if (offsets[i] != at || offsets[i + 1] != at + count)
      fail_msg("%s: query %d has %d neighbors, not %d", what, (int)i, (int)(offsets[i + 1] - offsets[i]),
               (int)count);
    int64_t numbers[MOST_POINTS];
    memcpy(numbers, row, (size_t)count * sizeof *row);
    if (o->by_number) qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int32_t n = 0; n < count; n++) {
      if (found[at + n] != numbers[n])
        fail_msg("%s: neighbor %d of query %d is %d, not %d", what, (int)n, (int)i, (int)found[at + n],
                 (int)numbers[n]);
      if (!o->by_number && values[at + n] != distances[i * k + n])
        fail_msg("%s: neighbor %d of query %d is %.17g away, not %.17g", what, (int)n, (int)i, values[at + n],
                 distances[i * k + n]);
    }
    at += count;
  }
}

static void search(gv_context *context, const gv_index *index, const gv_points *queries,
                   const gv_radius_options *o, int64_t *indices, double *meters) {
  if (gv_index_search_radius(context, index, queries, o, offsets, indices, meters) != GV_OK)
    fail_msg("%s", gv_context_message(context));
}

/* All ways to search an index. `queries` NULL: its own points, `count` of them. */
static void check_index(const char *what, const gv_index *index, const gv_points *queries, int64_t count,
                        int32_t k, bool self) {
  gv_context *context = NULL;
  gv_context_options two;
  gv_context_options_init(&two);
  two.threads = 2;
  assert_int_equal(gv_context_create(&two, &context), GV_OK);
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.exclude_self = self;
  for (int kind = 0; kind < 4; kind++) {
    o.radii = kind % 2 == 0 ? radii : NULL;
    o.radius = radii[1];
    o.by_number = kind >= 2;
    memset(found, 0x55, sizeof found);
    search(context, index, queries, &o, NULL, NULL);
    search(context, index, queries, &o, found, values);
    check_answer(what, count, k, &o);
  }
  /* One array only, and the last queries only. */
  memset(values, 0x55, sizeof values);
  o.by_number = 0;
  o.radii = NULL;
  search(context, index, queries, &o, NULL, values);
  search(context, index, queries, &o, found, NULL);
  check_answer(what, count, k, &o);
  if (queries != NULL && queries->x != NULL && !self) {
    int64_t half = count / 2;
    const gv_points last = gv_points_xy(queries->x + half, queries->y + half, count - half);
    memset(found + offsets[half], 0x55, (size_t)(offsets[count] - offsets[half]) * sizeof *found);
    assert_int_equal(gv_index_search_radius(context, index, &last, &o, offsets + half, found, NULL), GV_OK);
    check_answer(what, count, k, &o);
  }
  gv_context_destroy(context);
}

static gv_index *build(gv_context *context, const gv_points *reference, gv_metric metric,
                       const char *backend) {
  gv_index_options o;
  gv_index *index = NULL;
  gv_index_options_init(&o);
  o.metric = metric;
  o.backend = backend;
  if (gv_index_build(context, reference, &o, &index) != GV_OK) fail_msg("%s", gv_context_message(context));
  return index;
}

static void rank_all(gv_context *context, const gv_index *index, const gv_points *queries, int32_t k,
                     bool self) {
  gv_search_options all;
  gv_search_options_init(&all);
  all.k = k;
  all.exclude_self = self;
  if (gv_index_search(context, index, queries, &all, ranked, distances) != GV_OK)
    fail_msg("%s", gv_context_message(context));
}

static void with_all_backends(const gv_points *reference, const gv_points *queries, gv_metric metric,
                              int32_t dim, bool self, double size) {
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  int64_t count = queries != NULL ? queries->count : reference->count;
  int32_t k = (int32_t)reference->count;
  gv_index *serial = build(context, reference, metric, "serial");
  rank_all(context, serial, queries, k, self);
  make_radii(count, k, size);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!searches_here(b) || b->max_dim < dim) continue;
    if (b->refuses != NULL && b->refuses(metric) != NULL) continue;
    gv_index *index = build(context, reference, metric, b->name);
    check_index(b->name, index, queries, count, k, self);
    gv_index_destroy(index);
  }
  gv_index_destroy(serial);
  gv_context_destroy(context);
}

/* Points of a lattice, many in one place, and anywhere. */
static void make_points(double *out, int64_t count, int32_t dim) {
  for (int64_t i = 0; i < count; i++)
    for (int32_t d = 0; d < dim; d++)
      out[i * dim + d] = i % 3 == 0            ? floor(uniform(0, 5))
                         : i % 7 == 1 && i > 0 ? out[(i - 1) * dim + d]
                                               : uniform(-1, 5);
}

static void test_points(void **state) {
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV};
  static const int32_t dims[] = {1, 2, 3, 5, MOST_DIM};
  (void)state;
  for (size_t m = 0; m < 3; m++) {
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
      enum { POINTS = 300, QUERIES = 100 };
      make_points(points, POINTS, dims[d]);
      make_points(places, QUERIES, dims[d]);
      const gv_points reference = gv_points_rows(points, POINTS, dims[d], GV_FLOAT64),
                      queries = gv_points_rows(places, QUERIES, dims[d], GV_FLOAT64);
      with_all_backends(&reference, &queries, metrics[m], dims[d], false, 4.0);
    }
  }
}

static void test_own_points(void **state) {
  enum { POINTS = 300 };
  (void)state;
  make_points(points, POINTS, 2);
  const gv_points reference = gv_points_rows(points, POINTS, 2, GV_FLOAT64);
  with_all_backends(&reference, NULL, GV_EUCLIDEAN, 2, true, 4.0);
  with_all_backends(&reference, NULL, GV_EUCLIDEAN, 2, false, 4.0);
  with_all_backends(&reference, &reference, GV_MANHATTAN, 2, true, 4.0);
}

static void test_floats_and_columns(void **state) {
  enum { POINTS = 400, QUERIES = 200 };
  static double x[QUERIES], y[QUERIES];
  (void)state;
  make_points(points, POINTS, 2);
  make_points(places, QUERIES, 2);
  for (int i = 0; i < 2 * QUERIES; i++)
    narrow[i] = (float)places[i];
  for (int i = 0; i < QUERIES; i++) {
    x[i] = places[2 * i];
    y[i] = places[2 * i + 1];
  }
  const gv_points reference = gv_points_rows(points, POINTS, 2, GV_FLOAT64),
                  floats = gv_points_rows(narrow, QUERIES, 2, GV_FLOAT32),
                  columns = gv_points_xy(x, y, QUERIES);
  with_all_backends(&reference, &floats, GV_EUCLIDEAN, 2, false, 4.0);
  with_all_backends(&floats, &columns, GV_EUCLIDEAN, 2, false, 4.0);
  with_all_backends(&columns, &reference, GV_CHEBYSHEV, 2, false, 4.0);
}

/* A backend that cannot search by radius, as a GPU's: processors search a copy of its points, float32 or
 * not. */
static void test_processors_in_place_of_a_backend(void **state) {
  enum { POINTS = 400, QUERIES = 100 };
  (void)state;
  make_points(points, POINTS, 3);
  make_points(places, QUERIES, 3);
  for (int i = 0; i < 3 * POINTS; i++)
    narrow[i] = (float)points[i];
  const gv_points wide = gv_points_rows(points, POINTS, 3, GV_FLOAT64),
                  floats = gv_points_rows(narrow, POINTS, 3, GV_FLOAT32),
                  queries = gv_points_rows(places, QUERIES, 3, GV_FLOAT64),
                  *const references[] = {&wide, &floats};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int i = 0; i < 2; i++) {
    gv_index *index = build(context, references[i], GV_EUCLIDEAN, "openmp");
    gv_point_index *inner = (gv_point_index *)index;
    const gv_backend *own = inner->backend;
    gv_backend without = *own;
    without.within = NULL;
    rank_all(context, index, &queries, POINTS, false);
    make_radii(QUERIES, POINTS, 4.0);
    inner->backend = &without;
    check_index("a backend without", index, &queries, QUERIES, POINTS, false);
    rank_all(context, index, NULL, POINTS, true);
    make_radii(POINTS, POINTS, 4.0);
    check_index("a backend without", index, NULL, POINTS, POINTS, true);
    inner->backend = own;
    gv_index_destroy(index);
  }
  gv_context_destroy(context);
}

/* Distances that overflow are only within an infinite radius. */
static void test_overflow(void **state) {
  static const double far[] = {1e200, 0, -1e200, 0, 0, 1};
  (void)state;
  const gv_points reference = gv_points_rows(far, 3, 2, GV_FLOAT64);
  with_all_backends(&reference, &reference, GV_EUCLIDEAN, 2, false, 1.0);
}

static void make_places(double *lon, double *lat, int count) {
  for (int i = 0; i < count; i++) {
    lon[i] = i % 3 == 0 ? uniform(-180, 180) : 20.0 + uniform(0, 1e-3);
    lat[i] = i % 3 == 0 ? uniform(-90, 90) : 30.0 + uniform(0, 1e-3);
    if (i % 7 == 1) lon[i] = lon[i - 1] + (i % 2 == 0 ? 360.0 : 0.0), lat[i] = lat[i - 1];
    if (i % 11 == 1) lon[i] = -160.0, lat[i] = -30.0; /* opposite */
  }
}

static void test_globe(void **state) {
  enum { SEEDS = 300, QUERIES = 120 };
  static double lon[SEEDS], lat[SEEDS], x[QUERIES], y[QUERIES];
  (void)state;
  make_places(lon, lat, SEEDS);
  make_places(x, y, QUERIES);
  const gv_points seeds = gv_points_xy(lon, lat, SEEDS), queries = gv_points_xy(x, y, QUERIES);
  with_all_backends(&seeds, &queries, GV_GEODESIC, 3, false, 2e7);
  with_all_backends(&seeds, &queries, GV_GREAT_CIRCLE, 3, false, 2e7);
  with_all_backends(&seeds, NULL, GV_GEODESIC, 3, true, 2e6);
}

static layer l;

static void check_features(gv_metric metric, gv_edges edges, bool points_alone) {
  enum { FEATURES = 60, QUERIES = 150, K = 64 };
  static double x[QUERIES], y[QUERIES];
  bool globe = metric == GV_GEODESIC || metric == GV_GREAT_CIRCLE;
  const double low[2] = {globe ? -180.0 : 0.0, globe ? -90.0 : 0.0},
               high[2] = {globe ? 180.0 : 50.0, globe ? 90.0 : 40.0};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  layer_clear(&l);
  if (points_alone) {
    for (int i = 0; i < FEATURES; i++) {
      for (int n = 0; n < 20; n++)
        layer_vertex(&l, uniform(low[0], high[0]), uniform(low[1], high[1]));
      layer_end_ring(&l);
      layer_end_part(&l, GV_PART_POINTS);
      layer_end_feature(&l);
    }
  } else {
    layer_random(&l, FEATURES, low, high, globe ? 40.0 : 9.0);
  }
  for (int i = 0; i < QUERIES; i++) {
    x[i] = i % 10 == 0 ? l.x[i % l.vertices] : uniform(low[0], high[0]);
    y[i] = i % 10 == 0 ? l.y[i % l.vertices] : uniform(low[1], high[1]);
  }
  gv_features f = layer_features(&l, edges, false);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = metric;
  gv_index *index = NULL;
  if (gv_index_build_features(context, &f, &o, &index) != GV_OK) fail_msg("%s", gv_context_message(context));
  const gv_points queries = gv_points_xy(x, y, QUERIES);
  rank_all(context, index, &queries, K, false);
  make_radii(QUERIES, K, globe ? 1e7 : 30.0);
  check_index("features", index, &queries, QUERIES, K, false);
  gv_radius_options self;
  gv_radius_options_init(&self);
  assert_int_equal(gv_index_search_radius(context, index, NULL, &self, offsets, NULL, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  self.exclude_self = 1;
  assert_int_equal(gv_index_search_radius(context, index, &queries, &self, offsets, NULL, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  gv_index_destroy(index);
  gv_context_destroy(context);
}

static void test_features(void **state) {
  (void)state;
  for (int alone = 0; alone < 2; alone++) {
    check_features(GV_EUCLIDEAN, GV_EDGES_STRAIGHT, alone);
    check_features(GV_MANHATTAN, GV_EDGES_STRAIGHT, alone);
    check_features(GV_CHEBYSHEV, GV_EDGES_STRAIGHT, alone);
    check_features(GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, alone);
    check_features(GV_GEODESIC, GV_EDGES_STRAIGHT, alone);
    check_features(GV_GEODESIC, GV_EDGES_GEODESIC, alone);
  }
}

static void test_raster_cells(void **state) {
  enum { WIDTH = 20, HEIGHT = 16, QUERIES = 90, K = WIDTH * HEIGHT };
  static uint8_t cells[WIDTH * HEIGHT];
  static double x[QUERIES], y[QUERIES];
  (void)state;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    cells[i] = (uint8_t)uniform(0, 3);
  for (int i = 0; i < QUERIES; i++) {
    x[i] = uniform(0, WIDTH);
    y[i] = uniform(0, HEIGHT);
  }
  gv_grid raster;
  gv_grid_init(&raster);
  raster.width = WIDTH;
  raster.height = HEIGHT;
  gv_raster_seeds_options all;
  gv_raster_seeds_options_init(&all);
  all.keep_all = 1;
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = cells;
  array.type = GV_UINT8;
  array.rows = HEIGHT;
  array.row_stride = WIDTH;
  array.column_stride = 1;
  gv_raster_seeds *seeds = NULL;
  gv_index *index = NULL;
  gv_status status = gv_raster_seeds_create(context, &raster, &all, &seeds);
  if (status == GV_OK) status = gv_raster_seeds_add_array(context, seeds, &array);
  if (status == GV_OK) status = gv_raster_seeds_finish(context, seeds);
  if (status != GV_OK) fail_msg("%s", gv_context_message(context));
  if (gv_index_build_raster_seeds(context, seeds, NULL, &index) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  const gv_points queries = gv_points_xy(x, y, QUERIES);
  rank_all(context, index, &queries, K, false);
  make_radii(QUERIES, K, 10.0);
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radii = radii;
  search(context, index, &queries, &o, NULL, NULL);
  search(context, index, &queries, &o, found, values);
  check_answer("raster cells", QUERIES, K, &o);
  gv_index_destroy(index);
  gv_raster_seeds_destroy(seeds);
  gv_context_destroy(context);
}

/* One wrong argument at a time. */
static void test_errors(void **state) {
  static const double two[] = {0, 0, 1, 1}, bad[] = {0, 0, NAN, 1};
  const gv_points reference = gv_points_rows(two, 2, 2, GV_FLOAT64),
                  unfinished = gv_points_rows(bad, 2, 2, GV_FLOAT64),
                  solid = gv_points_rows(two, 1, 3, GV_FLOAT64),
                  none = gv_points_rows(NULL, 0, 2, GV_FLOAT64);
  const double wrong[] = {1.0, -1.0};
  gv_context *context = NULL;
  (void)state;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_index *index = build(context, &reference, GV_EUCLIDEAN, "kdtree"),
           *globe = build(context, &reference, GV_GEODESIC, NULL);
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = 9.0;
#define REFUSED(text, ...)                                                                                   \
  do {                                                                                                       \
    assert_int_equal(gv_index_search_radius(__VA_ARGS__), GV_ERROR_INVALID_ARGUMENT);                        \
    if (strstr(gv_context_message(context), text) == NULL) fail_msg("%s", gv_context_message(context));      \
  } while (0)
  assert_int_equal(gv_index_search_radius(NULL, index, &reference, &o, offsets, NULL, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  REFUSED("index: the pointer is NULL", context, NULL, &reference, &o, offsets, NULL, NULL);
  REFUSED("offsets: the output pointer is NULL", context, index, &reference, &o, NULL, NULL, NULL);
  REFUSED("query point 1", context, index, &unfinished, &o, offsets, NULL, NULL);
  REFUSED("query 1", context, globe, &unfinished, &o, offsets, NULL, NULL);
  REFUSED("dimensions", context, index, &solid, &o, offsets, NULL, NULL);
  o.radii = wrong;
  REFUSED("radius 1 (from 0): out of range [0, inf] (-1)", context, index, &reference, &o, offsets, NULL,
          NULL);
  o.radii = NULL;
  o.radius = NAN;
  REFUSED("radius 0", context, index, &reference, &o, offsets, NULL, NULL);
  o.radius = 9.0;
  o.exclude_self = 1;
  REFUSED("self-exclusion", context, index, &none, &o, offsets, NULL, NULL);
  o.exclude_self = 0;
  o.struct_size = 0;
  REFUSED("struct_size", context, index, &reference, &o, offsets, NULL, NULL);
  o.struct_size = sizeof o;
  /* Offsets that are not those of the queries: nothing is written for such a query. */
  int64_t given[3] = {0, 1, 3}, three[3] = {-7, -7, -7};
  REFUSED("query 0 (from 0): 2 neighbors, but its offsets have room for 1; count them first", context, index,
          &reference, &o, given, three, NULL);
  assert_int_equal(three[0], -7);
  REFUSED("count them first", context, globe, &reference, &o, given, three, NULL);
  given[1] = 4;
  REFUSED("offset 1 (from 0)", context, index, &reference, &o, given, three, NULL);
  offsets[0] = 5;
  assert_int_equal(gv_index_search_radius(context, index, &none, &o, offsets, NULL, NULL), GV_OK);
  assert_int_equal(offsets[0], 0);
  gv_index_destroy(index);
  gv_index_destroy(globe);
  gv_context_destroy(context);
}

static int stop(double fraction, void *user) {
  (void)fraction, (void)user;
  return 0;
}

static void test_cancelling(void **state) {
  (void)state;
  gv_context *context = NULL, *plain = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.progress = stop;
  make_points(points, MOST_POINTS, 2);
  const gv_points reference = gv_points_rows(points, MOST_POINTS, 2, GV_FLOAT64);
  gv_radius_options o;
  gv_radius_options_init(&o);
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  assert_int_equal(gv_context_create(NULL, &plain), GV_OK);
  gv_index *index = build(plain, &reference, GV_EUCLIDEAN, NULL);
  assert_int_equal(gv_index_search_radius(context, index, NULL, &o, offsets, NULL, NULL), GV_ERROR_CANCELLED);
  gv_index_destroy(index);
  gv_context_destroy(context);
  gv_context_destroy(plain);
}

/* Every allocation of a search fails once. */
static void refuse_each(gv_metric metric) {
  enum { POINTS = 1000 };
  bool finished = false;
  long refused = 0;
  gv_context *plain = NULL;
  make_points(points, POINTS, 2);
  for (int i = 0; i < 2 * POINTS; i++)
    narrow[i] = (float)points[i];
  const gv_points reference = gv_points_rows(points, POINTS, 2, GV_FLOAT64),
                  queries = gv_points_rows(narrow, 50, 2, GV_FLOAT32);
  assert_int_equal(gv_context_create(NULL, &plain), GV_OK);
  gv_index *index = build(plain, &reference, metric, NULL);
  gv_radius_options o;
  gv_radius_options_init(&o);
  o.radius = metric == GV_EUCLIDEAN ? 5.0 : 1e6;
  for (int i = 0; i < 50; i++)
    radii[i] = o.radius;
  o.radii = radii;
  for (long fail_at = 0; !finished; fail_at++) {
    failing_memory memory = {0};
    failing_memory_begin(&memory, -1);
    gv_context_options options = failing_options(&memory, 2);
    gv_context *context = NULL;
    assert_int_equal(gv_context_create(&options, &context), GV_OK);
    long made = atomic_load(&memory.live);
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, fail_at);
    gv_status status = gv_index_search_radius(context, index, &queries, &o, offsets, NULL, NULL);
    if (status == GV_OK)
      status = gv_index_search_radius(context, index, &queries, &o, offsets, found, values);
    finished = atomic_load(&memory.calls) <= fail_at;
    assert_int_equal(status, finished ? GV_OK : GV_ERROR_OUT_OF_MEMORY);
    assert_int_equal(atomic_load(&memory.live), made);
    refused += !finished;
    gv_context_destroy(context);
  }
  assert_true(refused >= 4);
  gv_index_destroy(index);
  gv_context_destroy(plain);
}

static void test_failing_allocations(void **state) {
  (void)state;
  refuse_each(GV_EUCLIDEAN);
  refuse_each(GV_GEODESIC);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_own_points),
      cmocka_unit_test(test_floats_and_columns),
      cmocka_unit_test(test_processors_in_place_of_a_backend),
      cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_globe),
      cmocka_unit_test(test_features),
      cmocka_unit_test(test_raster_cells),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_cancelling),
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test(every_backend_can_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
