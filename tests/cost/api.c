/* The public functions of travel cost: their arguments and errors; results are those of tests/cost/cost.c. */
#include "gpuvoronoi/cost.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 12, H = 9 };

static gv_context *context;
static double friction[H][W];
static const double x[3] = {0.5, 11.2, 40.0}, y[3] = {8.5, 1.5, 2.0};

static gv_grid plane(void) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = W;
  grid.height = H;
  return grid;
}

static gv_cost_seeds positions(void) {
  gv_cost_seeds seeds;
  gv_cost_seeds_init(&seeds);
  seeds.x = x;
  seeds.y = y;
  seeds.count = 3;
  return seeds;
}

static void is_refused(gv_status status, gv_status expected, const char *has) {
  assert_int_equal(status, expected);
  if (strstr(gv_context_message(context), has) == NULL) fail_msg("%s", gv_context_message(context));
}

static void create_checks_its_arguments(void **unused) {
  (void)unused;
  gv_cost *cost = NULL;
  gv_grid grid = plane();
  gv_cost_options o;
  gv_cost_options_init(&o);
  o.moves = 12;
  is_refused(gv_cost_create(context, &grid, &o, &cost), GV_ERROR_INVALID_ARGUMENT, "invalid moves (12)");
  gv_cost_options_init(&o);
  o.backend = "gpu";
  is_refused(gv_cost_create(context, &grid, &o, &cost), GV_ERROR_UNSUPPORTED,
             "unsupported backend (gpu); use one of auto, serial, tile, cuda-tile");
  o.backend = "serial";
  o.folder = ".";
  is_refused(gv_cost_create(context, &grid, &o, &cost), GV_ERROR_UNSUPPORTED, "needs memory");
  gv_cost_options_init(&o);
  o.max_cost = (double)NAN;
  is_refused(gv_cost_create(context, &grid, &o, &cost), GV_ERROR_INVALID_ARGUMENT, "max_cost");
  gv_cost_options_init(&o);
  o.metric = GV_GEODESIC;
  is_refused(gv_cost_create(context, &grid, &o, &cost), GV_ERROR_UNSUPPORTED, "unsupported grid and metric");
  grid.geotransform[1] = 0.0;
  is_refused(gv_cost_create(context, &grid, NULL, &cost), GV_ERROR_INVALID_ARGUMENT, "");
  grid = plane();
  grid.width = grid.height = (int64_t)1 << 20;
  is_refused(gv_cost_create(context, &grid, NULL, &cost), GV_ERROR_UNSUPPORTED, "too many cells");
  assert_null(cost);
}

static void steps_have_an_order(void **unused) {
  (void)unused;
  gv_cost *cost = NULL;
  const gv_grid grid = plane();
  gv_cost_seeds seeds = positions();
  gv_cost_cells cells;
  int64_t left_out = -1;
  int32_t seed[2] = {7, 7};
  gv_cost_cells_init(&cells);
  cells.column = 11;
  cells.columns = 1;
  cells.rows = 2;
  cells.seed = seed;
  assert_int_equal(gv_cost_create(context, &grid, NULL, &cost), GV_OK);
  is_refused(gv_cost_get(context, cost, &cells), GV_ERROR_INVALID_ARGUMENT, "not solved");
  is_refused(gv_cost_set_rows(context, cost, 8, 2, friction[0], 0), GV_ERROR_INVALID_ARGUMENT,
             "rows out of range");
  assert_int_equal(gv_cost_set_rows(context, cost, 0, 8, friction[0], 0), GV_OK);
  is_refused(gv_cost_solve(context, cost, &seeds, &left_out), GV_ERROR_INVALID_ARGUMENT,
             "row 8 has no friction");
  assert_int_equal(gv_cost_set_rows(context, cost, 8, 1, friction[8], 0), GV_OK);
  seeds.count = -1;
  is_refused(gv_cost_solve(context, cost, &seeds, &left_out), GV_ERROR_INVALID_ARGUMENT, "invalid seeds");
  seeds.count = 3;
  assert_int_equal(gv_cost_solve(context, cost, &seeds, &left_out), GV_OK);
  assert_int_equal(left_out, 1);
  assert_int_equal(gv_cost_get(context, cost, &cells), GV_OK);
  assert_true(seed[0] == 1 && seed[1] == 1);
  is_refused(gv_cost_set_rows(context, cost, 0, 1, friction[0], 0), GV_ERROR_INVALID_ARGUMENT,
             "before solving");
  static const int64_t outside[][4] = {{12, 0, 1, 2}, {-1, 0, 1, 2},  {11, 0, 2, 1},
                                       {11, 8, 1, 2}, {11, -1, 1, 2}, {11, 10, 1, 0},
                                       {13, 0, 0, 1}, {11, 0, -1, 1}, {11, 0, 1, -1}};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    cells.column = outside[i][0];
    cells.row = outside[i][1];
    cells.columns = outside[i][2];
    cells.rows = outside[i][3];
    is_refused(gv_cost_get(context, cost, &cells), GV_ERROR_INVALID_ARGUMENT, "cells out of range");
  }
  gv_cost_destroy(cost);
}

/* Solving again, with other seeds, is as solving for the first time. */
static void solves_again(void **unused) {
  (void)unused;
  static double cost[3][H * W];
  static int32_t seed[3][H * W];
  static float azimuth[3][H * W];
  const gv_grid grid = plane();
  gv_cost *twice = NULL, *once = NULL;
  gv_cost_cells cells;
  gv_cost_cells_init(&cells);
  cells.columns = W;
  cells.rows = H;
  assert_int_equal(gv_cost_create(context, &grid, NULL, &twice), GV_OK);
  assert_int_equal(gv_cost_create(context, &grid, NULL, &once), GV_OK);
  for (int i = 0; i < 3; i++) {
    gv_cost *with = i < 2 ? twice : once;
    gv_cost_seeds seeds = positions();
    if (i != 1) assert_int_equal(gv_cost_set_rows(context, with, 0, H, friction[0], 0), GV_OK);
    seeds.count = i == 0 ? 3 : 1;
    seeds.at_cells = i > 0;
    cells.cost = cost[i];
    cells.seed = seed[i];
    cells.azimuth = azimuth[i];
    assert_int_equal(gv_cost_solve(context, with, &seeds, NULL), GV_OK);
    assert_int_equal(gv_cost_get(context, with, &cells), GV_OK);
  }
  assert_memory_equal(cost[1], cost[2], sizeof cost[1]);
  assert_memory_equal(seed[1], seed[2], sizeof seed[1]);
  assert_memory_equal(azimuth[1], azimuth[2], sizeof azimuth[1]);
  assert_memory_not_equal(cost[0], cost[1], sizeof cost[1]);
  gv_cost_destroy(twice);
  gv_cost_destroy(once);
}

static void features_are_checked(void **unused) {
  (void)unused;
  const int64_t part[] = {0, 1}, ring[] = {0, 1}, vertex[] = {0, 2};
  const uint8_t kind[] = {GV_PART_LINE};
  double at[2] = {0.5, 6.5}, row[2] = {2.5, 2.5};
  gv_features features;
  gv_features_init(&features);
  features.count = 1;
  features.part = part;
  features.kind = kind;
  features.ring = ring;
  features.vertex = vertex;
  features.x = at;
  features.y = row;
  const gv_grid grid = plane();
  gv_cost *cost = NULL;
  gv_cost_seeds seeds;
  gv_cost_seeds_init(&seeds);
  seeds.features = &features;
  double found[W];
  gv_cost_cells cells;
  gv_cost_cells_init(&cells);
  cells.row = 2;
  cells.rows = 1;
  cells.columns = W;
  cells.cost = found;
  assert_int_equal(gv_cost_create(context, &grid, NULL, &cost), GV_OK);
  assert_int_equal(gv_cost_set_rows(context, cost, 0, H, friction[0], 0), GV_OK);
  features.edges = GV_EDGES_GEODESIC;
  is_refused(gv_cost_solve(context, cost, &seeds, NULL), GV_ERROR_INVALID_ARGUMENT, "geodesic edges");
  features.edges = GV_EDGES_STRAIGHT;
  at[0] = (double)NAN;
  assert_int_equal(gv_cost_solve(context, cost, &seeds, NULL), GV_ERROR_INVALID_ARGUMENT);
  at[0] = 0.5;
  assert_int_equal(gv_cost_solve(context, cost, &seeds, NULL), GV_OK);
  assert_int_equal(gv_cost_get(context, cost, &cells), GV_OK);
  for (int i = 0; i < W; i++)
    assert_true((found[i] == 0.0) == (i <= 6));
  gv_cost_destroy(cost);
}

/* Ways are counted if there is no room for them, and lead to the seed over cells without cost. */
static void ways_are_followed(void **unused) {
  (void)unused;
  static double level[H][W];
  const double at_x[1] = {0.25}, at_y[1] = {0.25};
  const gv_grid grid = plane();
  gv_cost *cost = NULL;
  gv_cost_seeds seeds = positions();
  seeds.x = at_x;
  seeds.y = at_y;
  seeds.count = 1;
  double way_x[W * H], way_y[W * H], length = 0.0, least = 0.0;
  int64_t count = 0;
  int32_t seed = 0;
  gv_cost_way way;
  gv_cost_way_init(&way);
  way.x = 11.9;
  way.y = 8.1;
  way.count = &count;
  way.seed = &seed;
  way.cost = &least;
  way.length = &length;
  for (int i = 0; i < H; i++)
    level[i][6] = (double)NAN; /* a wall with a gap at one end */
  level[0][6] = 0.0;
  assert_int_equal(gv_cost_create(context, &grid, NULL, &cost), GV_OK);
  assert_int_equal(gv_cost_set_rows(context, cost, 0, H, level[0], 0), GV_OK);
  is_refused(gv_cost_get_way(context, cost, &way), GV_ERROR_INVALID_ARGUMENT, "not solved");
  assert_int_equal(gv_cost_solve(context, cost, &seeds, NULL), GV_OK);
  assert_int_equal(gv_cost_get_way(context, cost, &way), GV_OK);
  assert_true(count > 3 && count < W * H && seed == 0 && least == 0.0);
  way.room = count;
  way.way_x = way_x;
  way.way_y = way_y;
  assert_int_equal(gv_cost_get_way(context, cost, &way), GV_OK);
  assert_true(way_x[0] == 11.5 && way_y[0] == 8.5 && way_x[count - 1] == 0.25 && way_y[count - 1] == 0.25);
  double sum = 0.0;
  for (int64_t i = 1; i < count; i++)
    sum += hypot(way_x[i] - way_x[i - 1], way_y[i] - way_y[i - 1]);
  assert_true(fabs(sum - length) < 1e-9 && length > hypot(11.25, 8.25));
  way.x = 6.5;
  assert_int_equal(gv_cost_get_way(context, cost, &way), GV_OK);
  assert_true(count == 0 && seed == -1 && isnan(least) && isnan(length));
  way.x = -1.0;
  assert_int_equal(gv_cost_get_way(context, cost, &way), GV_OK);
  assert_true(count == 0 && seed == -1);
  gv_cost_destroy(cost);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(create_checks_its_arguments),
                                     cmocka_unit_test(steps_have_an_order), cmocka_unit_test(solves_again),
                                     cmocka_unit_test(features_are_checked),
                                     cmocka_unit_test(ways_are_followed)};
  for (int i = 0; i < W * H; i++)
    friction[i / W][i % W] = 1.0 + (i * 7 % 5);
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
