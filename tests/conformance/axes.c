/*
 * Seeds on axes of longitudes and latitudes: the search by rows and columns returns the bytes of `serial`,
 * with poles, both edges of the map, unordered and repeated axes, from far away and of all ellipsoids that it
 * is proven for.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"
#include "split_mix.h"

enum { LONGEST = 40, SEEDS = LONGEST * LONGEST, QUERIES = 64, GRIDS = 48, MOST = 70 };

static uint64_t random_state = 3;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&random_state) >> 11) * 0x1p-53;
}

static int below(int count) {
  return (int)(split_mix(&random_state) % (uint64_t)count);
}

/* An axis in [low, high]: even or uneven steps, of the whole range or down to a ten-millionth of it, in any
 * order. */
static int make_axis(double low, double high, double *axis) {
  static const int lengths[] = {2, 3, 7, 19, LONGEST};
  int count = lengths[below(5)], kind = below(5);
  double span = kind == 0 ? high - low : (high - low) * pow(10.0, uniform(-7.0, 0.0));
  double first = kind == 0 ? low : uniform(low, high - span);
  for (int i = 0; i < count; i++)
    axis[i] = kind == 2 ? uniform(first, first + span) : fmin(first + span * i / (count - 1), high);
  for (int i = count - 1; kind > 2 && i > 0; i--) {
    int other = kind == 3 ? count - 1 - i : below(i + 1); /* backwards, or any order */
    double value = axis[i];
    if (kind == 3 && other >= i) continue;
    axis[i] = axis[other];
    axis[other] = value;
  }
  if (below(5) == 0) axis[1] = axis[0];
  return count;
}

typedef struct made_grid {
  int columns, rows;
  bool rows_first;
  double lon[SEEDS], lat[SEEDS];
} made_grid;

static void make_grid(made_grid *grid) {
  double lon[LONGEST], lat[LONGEST];
  grid->columns = make_axis(-180.0, below(2) ? 180.0 : 540.0, lon);
  do {
    grid->rows = make_axis(-90.0, 90.0, lat);
  } while (lat[0] == lat[1] || (fabs(lat[0]) == 90.0 && fabs(lat[1]) == 90.0)); /* no axis, or two places */
  grid->rows_first = below(2);
  for (int row = 0; row < grid->rows; row++) {
    for (int column = 0; column < grid->columns; column++) {
      int number = grid->rows_first ? row * grid->columns + column : column * grid->rows + row;
      grid->lon[number] = lon[column];
      grid->lat[number] = lat[row];
    }
  }
}

/* In seeds, between them, near them, opposite to them, at the poles and anywhere. */
static void make_queries(const made_grid *grid, double *lon, double *lat) {
  int count = grid->columns * grid->rows;
  for (int i = 0; i < QUERIES; i++) {
    int one = below(count), other = below(count), kind = i % 6;
    double near = pow(10.0, uniform(-8.0, 1.0)) * (kind == 2);
    lon[i] = kind == 1 ? (grid->lon[one] + grid->lon[other]) / 2.0 : grid->lon[one] + 180.0 * (kind == 3);
    lat[i] = kind == 1   ? (grid->lat[one] + grid->lat[other]) / 2.0
             : kind == 3 ? -grid->lat[one]
                         : grid->lat[one];
    lon[i] = kind == 5 ? uniform(-180.0, 180.0) : lon[i] + uniform(-near, near);
    lat[i] = kind == 5 ? uniform(-90.0, 90.0) : lat[i] + uniform(-near, near);
    lat[i] = kind == 4 ? copysign(90.0, lat[i]) : fmax(fmin(lat[i], 90.0), -90.0);
  }
}

static gv_index *build(gv_context *context, const gv_points *seeds, gv_metric metric, double flattening,
                       const char *backend) {
  gv_index_options options;
  gv_index *index = NULL;
  gv_index_options_init(&options);
  options.metric = metric;
  options.backend = backend;
  if (flattening != 0.0) {
    options.semi_major = 6378137.0;
    options.flattening = flattening;
  }
  assert_int_equal(gv_index_build(context, seeds, &options, &index), GV_OK);
  return index;
}

typedef struct found {
  int64_t index[SEEDS * MOST], offset[SEEDS + 1];
  double distance[SEEDS * MOST];
} found;

static void search(gv_context *context, const gv_index *index, const gv_points *queries, int32_t k,
                   double within, found *f) {
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = k;
  options.max_distance = within;
  options.exclude_self = queries == NULL;
  memset(f, 0, sizeof *f);
  if (gv_index_search(context, index, queries, &options, f->index, f->distance) != GV_OK)
    fail_msg("%s: %s", gv_index_backend(index), gv_context_message(context));
}

static void search_radius(gv_context *context, const gv_index *index, const gv_points *queries, double radius,
                          found *f) {
  gv_radius_options options;
  gv_radius_options_init(&options);
  options.radius = radius;
  memset(f, 0, sizeof *f);
  assert_int_equal(gv_index_search_radius(context, index, queries, &options, f->offset, NULL, NULL), GV_OK);
  assert_true(f->offset[queries->count] <= SEEDS * MOST);
  assert_int_equal(
      gv_index_search_radius(context, index, queries, &options, f->offset, f->index, f->distance), GV_OK);
}

static void check(gv_context *context, const made_grid *grid, gv_metric metric, double flattening, found *one,
                  found *other) {
  static const int32_t ks[] = {1, 2, 9, MOST};
  double lon[QUERIES], lat[QUERIES];
  gv_points seeds = gv_points_xy(grid->lon, grid->lat, grid->columns * grid->rows);
  gv_points queries = gv_points_xy(lon, lat, QUERIES);
  make_queries(grid, lon, lat);
  gv_index *axes = build(context, &seeds, metric, flattening, NULL);
  gv_index *serial = build(context, &seeds, metric, flattening, "serial");
  assert_string_equal(gv_index_backend(axes), "axes");
  for (int i = 0; i < 4; i++) {
    search(context, axes, &queries, ks[i], INFINITY, one);
    search(context, serial, &queries, ks[i], INFINITY, other);
    assert_memory_equal(one, other, sizeof *one);
  }
  double within = one->distance[below(QUERIES * (seeds.count < MOST ? (int)seeds.count : 1))];
  search(context, axes, &queries, 3, within, one);
  search(context, serial, &queries, 3, within, other);
  assert_memory_equal(one, other, sizeof *one);
  search_radius(context, axes, &queries, within, one);
  search_radius(context, serial, &queries, within, other);
  assert_memory_equal(one, other, sizeof *one);
  search(context, axes, NULL, 2, INFINITY, one);
  search(context, serial, NULL, 2, INFINITY, other);
  assert_memory_equal(one, other, sizeof *one);
  gv_index_destroy(axes);
  gv_index_destroy(serial);
}

static void rows_and_columns_find_the_nearest(void **state) {
  (void)state;
  static made_grid grid;
  static found one, other;
  static const double flattenings[] = {0.0, 1.0 / 298.257223563, 0.1, -0.1};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int i = 0; i < GRIDS; i++) {
    make_grid(&grid);
    check(context, &grid, i % 2 ? GV_GEODESIC : GV_GREAT_CIRCLE, i % 2 ? flattenings[i / 2 % 4] : 0.0, &one,
          &other);
  }
  gv_context_destroy(context);
}

/* All others have a tree, or what was wanted. */
static void others_have_another_index(void **state) {
  (void)state;
  static made_grid grid;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  grid.columns = 6;
  grid.rows = 4;
  for (int i = 0; i < 24; i++) {
    grid.lon[i] = i % 6;
    grid.lat[i] = i / 6;
  }
  gv_points seeds = gv_points_xy(grid.lon, grid.lat, 24);
  for (int change = 0; change < 5; change++) {
    grid.lon[7] = change == 1 ? 1.0 + 1e-15 : 1.0;
    grid.lat[20] = change == 2 ? 3.0 + 1e-15 : 3.0;
    seeds.count = change == 3 ? 23 : 24;
    double flattening = change == 4 ? 0.11 : 1.0 / 298.257223563;
    gv_index *index = build(context, &seeds, GV_GEODESIC, flattening, "auto");
    assert_int_equal(strcmp(gv_index_backend(index), "axes") == 0, change == 0);
    gv_index_destroy(index);
  }
  gv_index *tree = build(context, &seeds, GV_GEODESIC, 0.0, "kdtree");
  assert_string_equal(gv_index_backend(tree), "kdtree");
  gv_index_destroy(tree);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_columns_find_the_nearest),
      cmocka_unit_test(others_have_another_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
