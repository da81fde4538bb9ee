/* Long lists of places: results from the table of pieces are those of `serial` on short lists, which have no
 * table. */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "split_mix.h"
#include "voronoi/cpu/list_table.h"

enum { PLACES = 270000, SHORT = 1000, MOST_SEEDS = 6000 };

static uint64_t random_state = 3;
static double lon[PLACES], lat[PLACES], x[MOST_SEEDS], y[MOST_SEEDS];
static int32_t got[PLACES], expected[PLACES];

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&random_state) >> 11) * 0x1p-53;
}

static void globe_place(double *longitude, double *latitude) {
  *longitude = uniform(-180.0, 180.0);
  *latitude = asin(uniform(-1.0, 1.0)) * (180.0 / 3.14159265358979323846);
}

/* In no order near each other; seeds as well. */
static void make_region(int seeds) {
  for (int i = 0; i < PLACES; i++)
    lon[i] = uniform(8.0, 9.0), lat[i] = uniform(46.0, 48.0);
  for (int i = 0; i < seeds; i++)
    x[i] = uniform(7.0, 9.5), y[i] = uniform(45.5, 48.5);
}

/* Places of all kinds: in no order, on the edges of pieces and next to them, out of the usual range, no
 * places; and seeds. */
static void make_places(int seeds, bool clustered) {
  static const double odd[][2] = {{-180.0, 10.0},
                                  {180.0, -10.0},
                                  {540.0, 5.0},
                                  {-190.0, 5.0},
                                  {20.0, 90.0},
                                  {20.0, -90.0},
                                  {(double)NAN, 1.0},
                                  {1.0, (double)INFINITY},
                                  {1e300, 0.0},
                                  {0.0, 91.0},
                                  {-179.9999999, 0.0},
                                  {359.9999, 89.99999},
                                  {-1e-300, -89.99999999},
                                  {0.0, 0.0}};
  for (int i = 0; i < PLACES; i++) {
    globe_place(&lon[i], &lat[i]);
    if (i % 7 == 1) lon[i] = ldexp(45.0 * floor(uniform(-512.0, 512.0)), -7);
    if (i % 7 == 2)
      lat[i] = nextafter(ldexp(45.0 * floor(uniform(-255.0, 256.0)), -7), i % 2 == 0 ? 90.0 : -90.0);
    if (i % 7 == 3) lon[i] += 360.0;
    if (i % 300 == 0) memcpy(&lon[i], &odd[i / 300 % 14][0], sizeof lon[i]), lat[i] = odd[i / 300 % 14][1];
  }
  for (int i = 0; i < seeds; i++) {
    globe_place(&x[i], &y[i]);
    if (clustered && i % 3 != 0) x[i] = uniform(7.0, 7.5), y[i] = uniform(46.0, 46.5);
    if (i % 5 == 4) x[i] = x[i - 1], y[i] = y[i - 1];
    if (clustered && i < PLACES / 4) lon[4 * i + 1] = x[i] + 0.01, lat[4 * i + 1] = y[i];
  }
}

static void results(gv_context *context, const char *backend, int64_t first, int64_t count, int seeds,
                    gv_metric metric, double *table_part, int32_t *out) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_POINTS;
  grid.width = count;
  grid.height = 1;
  grid.longitude = lon + first;
  grid.latitude = lat + first;
  const gv_points points = gv_points_xy(x, y, seeds);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_voronoi *v = NULL;
  assert_int_equal(gv_voronoi_create(context, &grid, &points, &options, &v), GV_OK);
  assert_int_equal(fill_grid(context, v, out, count), GV_OK);
  if (table_part != NULL) {
    gv_workspace_pool pool;
    gv_list_table *table = NULL;
    gv_workspace_pool_init(&pool);
    assert_int_equal(gv_list_table_create(context, v, gv_kernels_get(), &pool, &table), GV_OK);
    assert_non_null(table);
    double *place = malloc(2 * (size_t)count * sizeof *place);
    int32_t *cell = malloc((size_t)count * sizeof *cell), *labels = malloc((size_t)count * sizeof *labels);
    assert_true(place != NULL && cell != NULL && labels != NULL);
    const int64_t left =
        gv_list_table_apply(v, table, &(gv_tile){0, count, 0, 1}, labels, cell, place, place + count);
    *table_part = 1.0 - (double)left / (double)count;
    free(place);
    free(cell);
    free(labels);
    gv_list_table_destroy(v, table);
    gv_workspace_pool_clear(&pool);
  }
  gv_voronoi_destroy(v);
}

static void lists(void **state) {
  (void)state;
  static const struct {
    int seeds;
    bool clustered, region;
    double least; /* part of the places that the table has */
  } cases[] = {{1, false, false, 0.99},          {2, false, false, 0.99}, {50, false, false, 0.99},
               {MOST_SEEDS, false, false, 0.95}, {900, true, false, 0.9}, {900, false, true, 0.99}};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const int seeds = cases[c].seeds;
    if (cases[c].region) {
      make_region(seeds);
    } else {
      make_places(seeds, cases[c].clustered);
    }
    for (int m = 0; m < 2; m++) {
      const gv_metric metric = m == 0 ? GV_GREAT_CIRCLE : GV_GEODESIC;
      double part;
      results(context, "tile", 0, PLACES, seeds, metric, &part, got);
      if (part < cases[c].least) fail_msg("%d seeds: the table has only %g of the places", seeds, part);
      results(context, "kdtree", 0, PLACES, seeds, metric, NULL, expected);
      for (int i = 0; i < PLACES; i++) {
        if (got[i] != expected[i])
          fail_msg("%d seeds, metric %d: %d at %.17g %.17g; kdtree says %d", seeds, m, (int)got[i], lon[i],
                   lat[i], (int)expected[i]);
      }
      const int some = m == 0 || seeds < 100 ? SHORT : SHORT / 20;
      results(context, "serial", 0, some, seeds, metric, NULL, expected);
      assert_memory_equal(got, expected, (size_t)some * sizeof *got);
    }
  }
  gv_context_destroy(context);
}

/* Every second bit. */
static double morton_axis(int number) {
  int axis = 0;
  for (int bit = 0; bit < 12; bit++)
    axis |= (number >> 2 * bit & 1) << bit;
  return axis;
}

/* No table: neighbors, limits, few places for the seeds, other grids, places along a curve. */
static void without_table(void **state) {
  (void)state;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  make_places(100, false);
  for (int c = 0; c < 5; c++) {
    for (int i = 0; c == 4 && i < PLACES; i++)
      lon[i] = 1e-3 * morton_axis(i), lat[i] = 1e-3 * morton_axis(i >> 1);
    const gv_points points = gv_points_xy(x, y, 100);
    gv_grid grid;
    gv_grid_init(&grid);
    grid.kind = c == 3 ? GV_GRID_HEALPIX : GV_GRID_POINTS;
    grid.order = 7;
    grid.ring = 1;
    grid.width = c == 2 ? PLACES / 2 : PLACES;
    grid.height = 1;
    grid.longitude = lon;
    grid.latitude = lat;
    gv_voronoi_options options;
    gv_voronoi_options_init(&options);
    options.backend = "tile";
    options.metric = GV_GREAT_CIRCLE;
    options.k = c == 0 ? 2 : 1;
    options.max_distance = c == 1 ? 1e6 : options.max_distance;
    gv_voronoi *v = NULL;
    gv_list_table *table = NULL;
    gv_workspace_pool pool;
    gv_workspace_pool_init(&pool);
    assert_int_equal(gv_voronoi_create(context, &grid, &points, &options, &v), GV_OK);
    assert_int_equal(gv_list_table_create(context, v, gv_kernels_get(), &pool, &table), GV_OK);
    assert_null(table);
    gv_workspace_pool_clear(&pool);
    gv_voronoi_destroy(v);
  }
  gv_context_destroy(context);
}

/* Every allocation of a table is refused once: nothing is left, and the message names what for. */
static void memory(void **state) {
  (void)state;
  failing_memory of;
  gv_context *context = NULL;
  gv_context_options options = failing_options(&of, 1);
  of.for_good = true;
  failing_memory_begin(&of, -1);
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  make_places(50, false);
  const long before = atomic_load(&of.live);
  gv_status status = GV_ERROR_OUT_OF_MEMORY;
  int refused = 0;
  for (long at = 0; status != GV_OK; at++, refused++) {
    gv_grid grid;
    gv_grid_init(&grid);
    grid.kind = GV_GRID_POINTS;
    grid.width = PLACES;
    grid.height = 1;
    grid.longitude = lon;
    grid.latitude = lat;
    const gv_points points = gv_points_xy(x, y, 50);
    gv_voronoi_options voronoi;
    gv_voronoi_options_init(&voronoi);
    voronoi.backend = "tile";
    voronoi.metric = GV_GREAT_CIRCLE;
    gv_voronoi *v = NULL;
    atomic_store(&of.calls, 0);
    atomic_store(&of.fail_at, at);
    status = gv_voronoi_create(context, &grid, &points, &voronoi, &v);
    gv_voronoi_destroy(v);
    if (status != GV_OK) assert_int_equal(status, GV_ERROR_OUT_OF_MEMORY);
    assert_int_equal(atomic_load(&of.live), before);
  }
  assert_true(refused > 20);
  atomic_store(&of.fail_at, -1);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(without_table),
                                     cmocka_unit_test(memory)};
  return cmocka_run_group_tests_name("list_table", tests, NULL, NULL);
}
