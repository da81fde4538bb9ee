/*
 * Travel cost against a search without a heap, on lines that are walked cell by cell: all moves of all cells
 * are tried until no cost falls.
 */
#include "cost/cost.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "split_mix.h"

enum { MOST = 40, SEEDS = 5 };

static uint64_t state = 7;

static double uniform(void) {
  return (double)(split_mix(&state) >> 11) * 0x1p-53;
}

typedef struct world {
  int width, height, moves;
  bool wraps;
  double friction[MOST][MOST];
  double x[SEEDS], y[SEEDS]; /* columns and rows, with fractions */
  double cost[MOST][MOST];
  int seed[MOST][MOST];
} world;

/* Friction of a cell; NaN: a barrier or outside. */
static double friction_at(const world *w, int column, int row) {
  if (row < 0 || row >= w->height) return (double)NAN;
  if (w->wraps) column = (column + w->width) % w->width;
  return column < 0 || column >= w->width ? (double)NAN : w->friction[row][column];
}

/* The mean friction along a straight line, by the cells between its crossings of the grid's lines; NaN:
 * closed. */
static double walk(const world *w, double x0, double y0, double x1, double y1) {
  double at[16] = {0.0, 1.0}, total = 0.0;
  int count = 2;
  for (int axis = 0; axis < 2; axis++) {
    double from = axis == 0 ? x0 : y0, to = axis == 0 ? x1 : y1;
    for (double line = ceil(fmin(from, to)); line <= floor(fmax(from, to)) && from != to; line += 1.0) {
      double t = (line - from) / (to - from);
      if (t <= 1e-12 || t >= 1.0 - 1e-12) continue;
      at[count++] = t;
    }
  }
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && at[k] < at[k - 1]; k--) {
      double t = at[k];
      at[k] = at[k - 1];
      at[k - 1] = t;
    }
  for (int i = 1; i < count; i++) {
    double middle = 0.5 * (at[i - 1] + at[i]), x = x0 + middle * (x1 - x0), y = y0 + middle * (y1 - y0);
    if (at[i] - at[i - 1] > 1e-12) {
      total += (at[i] - at[i - 1]) * friction_at(w, (int)floor(x), (int)floor(y));
      continue;
    }
    /* Two lines at once: a corner, with two cells beside the way. */
    x = x0 + at[i] * (x1 - x0);
    y = y0 + at[i] * (y1 - y0);
    int right = x1 > x0, down = y1 > y0;
    double one = friction_at(w, (int)lround(x) - !right, (int)lround(y) - down);
    double other = friction_at(w, (int)lround(x) - right, (int)lround(y) - !down);
    if (isnan(one) && isnan(other)) return (double)NAN;
  }
  return total;
}

static void improve(world *w, int column, int row, double cost, int seed, bool *changed) {
  if (w->wraps) column = (column + w->width) % w->width;
  if (isnan(cost) || isnan(friction_at(w, column, row)) || !(cost < w->cost[row][column] - 1e-9)) return;
  w->cost[row][column] = cost;
  w->seed[row][column] = seed;
  *changed = true;
}

static bool is_move(int moves, int columns, int rows) {
  int a = abs(columns), b = abs(rows), low = a < b ? a : b, high = a < b ? b : a;
  if (high == 1) return true;
  if (high == 2 && low == 1) return moves >= 16;
  return high == 3 && (low == 1 || low == 2) && moves >= 32;
}

/* On the plane, with cells of 1 x 1. */
static void solve_slowly(world *w) {
  bool changed = true;
  for (int r = 0; r < w->height; r++)
    for (int c = 0; c < w->width; c++) {
      w->cost[r][c] = (double)INFINITY;
      w->seed[r][c] = -1;
    }
  for (int s = 0; s < SEEDS; s++) {
    int column = (int)w->x[s], row = (int)w->y[s];
    for (int i = 0; i < 9 && !isnan(friction_at(w, column, row)); i++) {
      double x = column + i % 3 - 0.5, y = row + i / 3 - 0.5;
      improve(w, column + i % 3 - 1, row + i / 3 - 1,
              hypot(x - w->x[s], y - w->y[s]) * walk(w, w->x[s], w->y[s], x, y), s, &changed);
    }
  }
  while (changed) {
    changed = false;
    for (int r = 0; r < w->height; r++)
      for (int c = 0; c < w->width; c++)
        for (int i = 0; i < 49; i++) {
          int columns = i % 7 - 3, rows = i / 7 - 3;
          if (!is_move(w->moves, columns, rows) || isinf(w->cost[r][c])) continue;
          double mean = walk(w, c + 0.5, r + 0.5, c + columns + 0.5, r + rows + 0.5);
          improve(w, c + columns, r + rows, w->cost[r][c] + hypot(columns, rows) * mean, w->seed[r][c],
                  &changed);
        }
  }
}

static gv_cost_settings options_of(const world *w) {
  gv_cost_settings o = {.metric = GV_EUCLIDEAN,
                        .width = w->width,
                        .height = w->height,
                        .geotransform = {0, 1, 0, 0, 0, 1},
                        .moves = w->moves,
                        .most = (double)INFINITY};
  return o;
}

/* All engines return the same bytes; on a GPU only where there is one. */
static gv_cost *solve_engine(gv_context *context, const gv_cost_settings *o, gv_cost_engine engine,
                             const double *const friction, const double *x, const double *y, int seeds,
                             int64_t *left_out) {
  gv_cost *cost = NULL;
  gv_cost_settings with = *o;
  with.engine = engine;
  assert_int_equal(gv_cost_make(context, &with, &cost), GV_OK);
  for (int64_t r = 0; r < o->height; r++)
    gv_cost_set_row(cost, r, friction + r * o->width);
  const gv_status status =
      gv_cost_find(context, cost, &(gv_cost_sources){.x = x, .y = y, .count = seeds}, left_out);
  if (status != GV_OK && engine == GV_COST_CUDA) {
    assert_int_equal(status, GV_ERROR_UNAVAILABLE);
    gv_cost_destroy(cost);
    return NULL;
  }
  assert_int_equal(status, GV_OK);
  return cost;
}

static bool on_gpu = true;

static void assert_same(const gv_cost_settings *o, gv_cost *a, gv_cost *b) {
  for (int64_t r = 0; r < o->height; r++) {
    assert_memory_equal(gv_cost_row_costs(a, r), gv_cost_row_costs(b, r), (size_t)o->width * sizeof(double));
    assert_memory_equal(gv_cost_row_seeds(a, r), gv_cost_row_seeds(b, r), (size_t)o->width * sizeof(int32_t));
  }
}

/* Also in a file, little of which is in memory. */
static gv_cost *solve_all(gv_context *context, const gv_cost_settings *o, const double *friction,
                          const double *x, const double *y, int seeds, int64_t *left_out) {
  int64_t others = 0;
  gv_cost *serial = solve_engine(context, o, GV_COST_SERIAL, friction, x, y, seeds, left_out);
  gv_cost *tile = solve_engine(context, o, GV_COST_TILES, friction, x, y, seeds, &others);
  assert_int_equal(*left_out, others);
  assert_same(o, serial, tile);
  gv_cost *cuda = on_gpu ? solve_engine(context, o, GV_COST_CUDA, friction, x, y, seeds, &others) : NULL;
  if (on_gpu && cuda == NULL) print_message("left out: cuda-tile (%s)\n", gv_context_message(context));
  on_gpu = cuda != NULL;
  if (on_gpu) {
    assert_int_equal(*left_out, others);
    assert_same(o, serial, cuda);
    gv_cost_destroy(cuda);
  }
  if (o->width > MOST) {
    gv_cost_settings file = *o;
    file.folder = ".";
    file.resident = 1e6;
    gv_cost *kept = solve_engine(context, &file, GV_COST_TILES, friction, x, y, seeds, &others);
    assert_same(o, serial, kept);
    gv_cost_destroy(kept);
    file.folder = "./missing/folder";
    assert_int_equal(gv_cost_make(context, &file, &kept), GV_ERROR_IO);
  }
  gv_cost_destroy(serial);
  return tile;
}

static gv_cost *solve(gv_context *context, const world *w, const gv_cost_settings *o, int64_t *left_out) {
  static double friction[MOST * MOST];
  for (int r = 0; r < w->height; r++)
    memcpy(friction + r * w->width, w->friction[r], (size_t)w->width * sizeof(double));
  double x[SEEDS], y[SEEDS];
  for (int s = 0; s < SEEDS; s++) {
    x[s] = o->geotransform[0] + w->x[s] * o->geotransform[1];
    y[s] = o->geotransform[3] + w->y[s] * o->geotransform[5];
  }
  return solve_all(context, o, friction, x, y, SEEDS, left_out);
}

static void make_world(world *w, int trial) {
  w->width = 8 + (int)(split_mix(&state) % (MOST - 8));
  w->height = 8 + (int)(split_mix(&state) % (MOST - 8));
  w->moves = 8 << trial % 3;
  w->wraps = false;
  for (int r = 0; r < w->height; r++)
    for (int c = 0; c < w->width; c++) {
      double u = uniform();
      w->friction[r][c] = trial % 4 == 0   ? exp2(20.0 * u)
                          : trial % 4 == 1 ? (u < 0.45 ? (double)NAN : 1.0) /* a maze */
                          : trial % 4 == 2 ? (u < 0.3 ? 0.0 : u)            /* plateaus of no cost */
                                           : (u < 0.1   ? -1.0
                                              : u < 0.2 ? (double)INFINITY
                                                        : 1.0 + u);
      if (!(w->friction[r][c] >= 0.0 && isfinite(w->friction[r][c]))) w->friction[r][c] = (double)NAN;
    }
  for (int s = 0; s < SEEDS; s++) {
    w->x[s] = uniform() * w->width;
    w->y[s] = uniform() * w->height;
  }
}

static void agrees_with_a_slow_search(void **unused) {
  (void)unused;
  static world w;
  gv_context *context = NULL;
  int64_t reached = 0, closed = 0, left_out;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int trial = 0; trial < 48; trial++) {
    make_world(&w, trial);
    solve_slowly(&w);
    const gv_cost_settings o = options_of(&w);
    gv_cost *cost = solve(context, &w, &o, &left_out);
    for (int r = 0; r < w.height; r++)
      for (int c = 0; c < w.width; c++) {
        double slow = w.cost[r][c], fast = gv_cost_row_costs(cost, r)[c];
        assert_int_equal(isinf(slow), isinf(fast));
        assert_int_equal(isinf(fast), gv_cost_row_seeds(cost, r)[c] < 0);
        if (!isinf(slow)) assert_true(fabs(slow - fast) <= 1e-6 + 1e-9 * slow);
        *(isinf(slow) ? &closed : &reached) += 1;
      }
    gv_cost_destroy(cost);
  }
  assert_true(reached > 10000 && closed > 1000);
  gv_context_destroy(context);
}

/* Equal ways: the first seed. */
static void ties_go_to_the_first_seed(void **unused) {
  (void)unused;
  static world w;
  gv_context *context = NULL;
  int64_t left_out;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  w = (world){.width = 9, .height = 9, .moves = 32};
  for (int r = 0; r < 9; r++)
    for (int c = 0; c < 9; c++)
      w.friction[r][c] = 1.0;
  const double columns[SEEDS] = {8.5, 0.5, 8.5, 0.5, 4.5}, rows[SEEDS] = {8.5, 0.5, 0.5, 8.5, 20.0};
  memcpy(w.x, columns, sizeof columns);
  memcpy(w.y, rows, sizeof rows);
  const gv_cost_settings o = options_of(&w);
  gv_cost *cost = solve(context, &w, &o, &left_out);
  assert_int_equal(left_out, 1);
  assert_int_equal(gv_cost_row_seeds(cost, 4)[4], 0);
  assert_int_equal(gv_cost_row_seeds(cost, 0)[4], 1);
  assert_int_equal(gv_cost_row_seeds(cost, 8)[4], 0);
  assert_int_equal(gv_cost_row_seeds(cost, 4)[0], 1);
  gv_cost_destroy(cost);
  gv_context_destroy(context);
}

/* A river of barriers from corner to corner holds; a gap of one cell lets all through. */
static void rivers_do_not_leak(void **unused) {
  (void)unused;
  static world w;
  gv_context *context = NULL;
  int64_t left_out;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int gap = 0; gap < 2; gap++) {
    for (int moves = 8; moves <= 32; moves *= 2) {
      w = (world){.width = 12, .height = 12, .moves = moves};
      for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++)
          w.friction[r][c] = r == c && !(gap && r == 7) ? (double)NAN : 1.0;
      for (int s = 0; s < SEEDS; s++)
        w.x[s] = 10.5, w.y[s] = 1.5;
      const gv_cost_settings o = options_of(&w);
      gv_cost *cost = solve(context, &w, &o, &left_out);
      assert_int_equal(gv_cost_row_seeds(cost, 10)[1], gap ? 0 : -1);
      gv_cost_destroy(cost);
    }
  }
  gv_context_destroy(context);
}

/* Across the seam of a globe, and no further than the limit. */
static void columns_wrap(void **unused) {
  (void)unused;
  static world w;
  gv_context *context = NULL;
  int64_t left_out;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  w = (world){.width = 36, .height = 18, .moves = 32};
  for (int r = 0; r < 18; r++)
    for (int c = 0; c < 36; c++)
      w.friction[r][c] = 1.0;
  for (int s = 0; s < SEEDS; s++)
    w.x[s] = 0.5, w.y[s] = 9.5;
  gv_cost_settings o = options_of(&w);
  const double globe[6] = {-180, 10, 0, 90, 0, -10};
  memcpy(o.geotransform, globe, sizeof globe);
  o.metric = GV_GREAT_CIRCLE;
  gv_cost *cost = solve(context, &w, &o, &left_out);
  for (int c = 1; c < 18; c++)
    assert_true(fabs(gv_cost_row_costs(cost, 9)[c] - gv_cost_row_costs(cost, 9)[36 - c]) < 1e-6);
  /* Moves along a parallel of 5 degrees south, each an arc of 10 degrees of longitude. */
  double arc = 2.0 * asin(cos(5.0 * M_PI / 180.0) * sin(5.0 * M_PI / 180.0)) * 6371008.77141506;
  assert_true(fabs(gv_cost_row_costs(cost, 9)[35] - arc) < 1.0);
  gv_cost_destroy(cost);
  o.most = 1.5 * arc;
  cost = solve(context, &w, &o, &left_out);
  assert_int_equal(gv_cost_row_seeds(cost, 9)[35], 0);
  assert_int_equal(gv_cost_row_seeds(cost, 9)[33], -1);
  gv_cost_destroy(cost);
  gv_context_destroy(context);
}

/* An overflow of sums is an error. */
static void overflow_is_reported(void **unused) {
  (void)unused;
  gv_context *context = NULL;
  gv_cost *cost = NULL;
  int64_t left_out;
  const double x = 0.5, y = 0.5, friction[5] = {0.8e308, 0.8e308, 0.8e308, 0.8e308, 0.8e308};
  gv_cost_settings o = {.metric = GV_EUCLIDEAN,
                        .width = 5,
                        .height = 1,
                        .geotransform = {0, 1, 0, 0, 0, 1},
                        .moves = 8,
                        .most = (double)INFINITY};
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int i = 0; i < 6; i++) {
    o.engine = i % 3 == 0 ? GV_COST_SERIAL : i % 3 == 1 ? GV_COST_TILES : GV_COST_CUDA;
    o.most = i < 3 ? (double)INFINITY : 1e308;
    if (o.engine == GV_COST_CUDA && !on_gpu) continue;
    assert_int_equal(gv_cost_make(context, &o, &cost), GV_OK);
    gv_cost_set_row(cost, 0, friction);
    const gv_status expected = i < 3 ? GV_ERROR_INVALID_ARGUMENT : GV_OK; /* above the limit in any case */
    assert_int_equal(gv_cost_find(context, cost, &(gv_cost_sources){.x = &x, .y = &y, .count = 1}, &left_out),
                     expected);
    gv_cost_destroy(cost);
  }
  gv_context_destroy(context);
}

/* ------------------------------------------------------------------------------ engines, on several tiles */

enum { WIDE = 230, HIGH = 190, MANY = 40, LANDSCAPES = 10 };

static double wall(bool closed) {
  return closed ? (double)NAN : 1.0;
}

/* Friction of a cell. */
static double landscape(int kind, int column, int row) {
  const double u = uniform();
  const int ring = column < row ? column : row, x = WIDE - 1 - column, y = HIGH - 1 - row,
            far = x < y ? x : y;
  const int depth = ring < far ? ring : far;
  switch (kind) {
  case 0:
    return exp2(20.0 * u);
  case 1:
    return wall(u < 0.4); /* a maze */
  case 2:
    return wall(depth % 2 == 1 && !(column == row + (depth % 4 == 1))); /* a spiral */
  case 3:
    return u < 0.4 ? 0.0 : u; /* plateaus of no cost */
  case 4:
    return wall(row % 4 == 3 && column != (row % 8 == 3 ? 0 : WIDE - 1)); /* corridors */
  case 5:
    return wall(row % 2 == 1 && column != (row % 4 == 1 ? 0 : WIDE - 1)); /* of one cell */
  case 6:
    return 0.1; /* ties */
  case 7:
    return 0.1 * (double)(1 + (int)(3.0 * u));
  case 8:
    return u < 0.001 ? (double)NAN : 0.0; /* no cost at all */
  default:
    return u < 0.05 ? (double)INFINITY : u < 0.1 ? -1.0 : exp2(-1000.0 * u); /* costs lost in sums */
  }
}

static void engines_agree(void **unused) {
  (void)unused;
  static double friction[WIDE * HIGH], x[MANY], y[MANY];
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 3;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  for (int trial = 0; trial < 2 * LANDSCAPES; trial++) {
    const bool globe = trial >= LANDSCAPES;
    gv_cost_settings o = {.metric = globe ? GV_GREAT_CIRCLE : GV_EUCLIDEAN,
                          .width = WIDE,
                          .height = HIGH,
                          .geotransform = {0, 1, 0, 0, 0, 1},
                          .most = (double)INFINITY};
    const double all[6] = {-180, 360.0 / WIDE, 0, 90, 0, -180.0 / HIGH};
    if (globe) memcpy(o.geotransform, all, sizeof all);
    for (int i = 0; i < WIDE * HIGH; i++)
      friction[i] = landscape(trial % LANDSCAPES, i % WIDE, i / WIDE);
    for (int i = 0; i < MANY; i++) { /* half of them in centers, where ways tie */
      const double part[2] = {i % 2 == 0 ? 0.5 : uniform(), i % 2 == 0 ? 0.5 : uniform()};
      x[i] = o.geotransform[0] + (floor(uniform() * WIDE) + part[0]) * o.geotransform[1];
      y[i] = o.geotransform[3] + (floor(uniform() * HIGH) + part[1]) * o.geotransform[5];
    }
    for (o.moves = 8; o.moves <= 32; o.moves *= 2) {
      int64_t left_out;
      gv_cost_destroy(solve_all(context, &o, friction, x, y, MANY, &left_out));
      assert_true(left_out < MANY);
    }
  }
  gv_context_destroy(context);
}

/* ---------------------------------------------------------------------------------------- rounds of a GPU */

static int count_rounds(double done, void *user) {
  assert_true(done >= 0.0);
  ++*(int *)user;
  return 1;
}

/* A GPU reports its progress once a round. If some seeds are in centers of cells and start at cost 0,
 * the step is still made from a cost above it; a step of 0 has rounds of one tile. */
static void rounds_have_many_tiles(void **unused) {
  (void)unused;
  enum { SIDE = 1280, STARTS = 200, MOST_ROUNDS = 200 };
  static double friction[SIDE * SIDE], x[STARTS], y[STARTS];
  if (!on_gpu) skip();
  const gv_cost_settings o = {.metric = GV_EUCLIDEAN,
                              .width = SIDE,
                              .height = SIDE,
                              .geotransform = {0, 1, 0, 0, 0, 1},
                              .moves = 16,
                              .most = (double)INFINITY};
  int rounds = 0;
  int64_t left_out;
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.progress = count_rounds;
  options.progress_user = &rounds;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  for (int i = 0; i < SIDE * SIDE; i++)
    friction[i] = 1.0 + uniform();
  for (int i = 0; i < STARTS; i++) {
    x[i] = floor(uniform() * SIDE) + (i % 2 == 0 ? 0.5 : 0.4);
    y[i] = floor(uniform() * SIDE) + 0.5;
  }
  gv_cost_destroy(solve_engine(context, &o, GV_COST_CUDA, friction, x, y, STARTS, &left_out));
  print_message("%d rounds\n", rounds);
  assert_in_range(rounds, 1, MOST_ROUNDS);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_a_slow_search), cmocka_unit_test(ties_go_to_the_first_seed),
      cmocka_unit_test(rivers_do_not_leak),        cmocka_unit_test(columns_wrap),
      cmocka_unit_test(overflow_is_reported),      cmocka_unit_test(engines_agree),
      cmocka_unit_test(rounds_have_many_tiles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
