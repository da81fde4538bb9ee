/* Ways round barriers where memory or the caller's room is short, numbers are out of range, or the caller
 * cancels. */
#include "gpuvoronoi/barriers.h"

#include "cmocka_test.h"

#include <string.h>

#include "failing_memory.h"

/* Each allocation fails once: the calls report it, release everything, and succeed when they are repeated. */
static void try_allocations(gv_metric metric) {
  static failing_memory memory;
  static const double wall_x[] = {9, 9, 20, 30, 30, 20, 20}, wall_y[] = {-2, 30, 5, 5, 25, 25, 5};
  const int64_t part[] = {0, 2}, ring[] = {0, 1, 2}, vertex[] = {0, 2, 7};
  const uint8_t kind[] = {GV_PART_LINE, GV_PART_POLYGON};
  double x[] = {0, 1, 39, 40}, y[] = {0, 40, 2, 39}, place_x[60], place_y[60], length[60], first[60];
  gv_barrier_places places;
  gv_barriers_options of;
  gv_barriers_options_init(&of);
  of.metric = metric;
  for (int i = 0; i < 60; i++) {
    place_x[i] = 0.67 * i;
    place_y[i] = 7 * i % 41;
  }
  gv_barrier_places_init(&places);
  places.x = place_x;
  places.y = place_y;
  places.count = 60;
  places.distance = length;
  gv_features f;
  gv_features_init(&f);
  f.count = 1;
  f.part = part;
  f.ring = ring;
  f.vertex = vertex;
  f.kind = kind;
  f.x = wall_x;
  f.y = wall_y;
  long calls = 1;
  for (long fail_at = -1; fail_at < calls; fail_at++) {
    gv_context *own = NULL;
    gv_barriers *b = NULL;
    int failed = 0;
    failing_memory_begin(&memory, fail_at);
    const gv_context_options options = failing_options(&memory, 2);
    while (gv_context_create(&options, &own) != GV_OK)
      failed++;
    while (gv_barriers_create(own, &f, &of, &b) != GV_OK)
      failed++;
    while (gv_barriers_solve(own, b, x, y, 4, NULL) != GV_OK)
      failed++;
    while (gv_barriers_get(own, b, &places) != GV_OK)
      failed++;
    if (fail_at < 0) {
      calls = atomic_load(&memory.calls);
      memcpy(first, length, sizeof first);
    }
    assert_int_equal(failed, fail_at >= 0);
    assert_memory_equal(length, first, sizeof first);
    gv_barriers_destroy(b);
    gv_context_destroy(own);
    assert_int_equal(atomic_load(&memory.live), 0);
  }
  assert_true(calls > 20);
}

static void failing_allocations(void **unused) {
  (void)unused;
  try_allocations(GV_EUCLIDEAN);
  try_allocations(GV_GREAT_CIRCLE);
  try_allocations(GV_GEODESIC);
}

/* A wall between the seed and the place: the way has three positions. */
static void room_and_counts(void **unused) {
  static const double wall_x[] = {1, 1}, wall_y[] = {-5, 1};
  const int64_t part[] = {0, 1}, ring[] = {0, 1}, vertex[] = {0, 2};
  const uint8_t kind[] = {GV_PART_LINE};
  double seed[] = {0}, x[] = {7, 7, 7, 7}, y[] = {7, 7, 7, 7}, length = 0;
  int64_t count = 0;
  gv_context *own = NULL;
  gv_barriers *b = NULL;
  gv_features f;
  gv_barrier_way way;
  gv_barrier_places places;
  (void)unused;
  gv_features_init(&f);
  f.count = 1;
  f.part = part;
  f.ring = ring;
  f.vertex = vertex;
  f.kind = kind;
  f.x = wall_x;
  f.y = wall_y;
  assert_int_equal(gv_context_create(NULL, &own), GV_OK);
  assert_int_equal(gv_barriers_create(own, &f, NULL, &b), GV_OK);
  assert_int_equal(gv_barriers_solve(own, b, seed, seed, -1, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_barriers_solve(own, b, seed, seed, INT32_MAX, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_barriers_solve(own, b, seed, NULL, 1, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_barriers_solve(own, b, seed, seed, 1, NULL), GV_OK);
  gv_barrier_places_init(&places);
  places.x = x;
  places.y = y;
  places.count = -1;
  assert_int_equal(gv_barriers_get(own, b, &places), GV_ERROR_INVALID_ARGUMENT);
  gv_barrier_way_init(&way);
  way.x = 2;
  way.way_x = x;
  way.way_y = y;
  way.count = &count;
  way.distance = &length;
  for (way.room = 0; way.room <= 4; way.room++) {
    for (int i = 0; i < 4; i++)
      x[i] = y[i] = 7;
    assert_int_equal(gv_barriers_get_way(own, b, &way), GV_OK);
    assert_int_equal(count, 3);
    assert_true(length > 2.8 && length < 2.9);
    for (int64_t i = 0; i < 4; i++)
      assert_true((x[i] == 7) == (i >= way.room || i >= 3) && (y[i] == 7) == (i >= way.room || i >= 3));
  }
  gv_barriers_destroy(b);
  gv_context_destroy(own);
}

static int stop_if(double fraction, void *user) {
  (void)fraction;
  return *(const int *)user == 0;
}

/* A square with many vertices, and seeds inside, which have no ways: each step ends by itself. */
static void cancelled(void **unused) {
  enum { A_SIDE = 5000, VERTICES = 4 * A_SIDE + 1, SEEDS = 2000 };
  static double wall_x[VERTICES], wall_y[VERTICES], x[SEEDS], y[SEEDS];
  const int64_t part[] = {0, 1}, ring[] = {0, 1}, vertex[] = {0, VERTICES};
  const uint8_t kind[] = {GV_PART_POLYGON};
  int stop = 0;
  gv_context_options options;
  gv_context *own = NULL;
  gv_barriers *b = NULL;
  gv_features f;
  (void)unused;
  for (int i = 0; i < VERTICES; i++) {
    const int side = i / A_SIDE % 4;
    const double along = (double)(i % A_SIDE) / A_SIDE;
    wall_x[i] = side == 0 ? along : side == 1 ? 1.0 : side == 2 ? 1.0 - along : 0.0;
    wall_y[i] = side == 0 ? 0.0 : side == 1 ? along : side == 2 ? 1.0 : 1.0 - along;
  }
  for (int i = 0; i < SEEDS; i++) {
    x[i] = (i + 0.5) / SEEDS;
    y[i] = 0.5;
  }
  gv_features_init(&f);
  f.count = 1;
  f.part = part;
  f.ring = ring;
  f.vertex = vertex;
  f.kind = kind;
  f.x = wall_x;
  f.y = wall_y;
  gv_context_options_init(&options);
  options.progress = stop_if;
  options.progress_user = &stop;
  assert_int_equal(gv_context_create(&options, &own), GV_OK);
  stop = 1;
  assert_int_equal(gv_barriers_create(own, &f, NULL, &b), GV_ERROR_CANCELLED);
  assert_null(b);
  stop = 0;
  assert_int_equal(gv_barriers_create(own, &f, NULL, &b), GV_OK);
  stop = 1;
  assert_int_equal(gv_barriers_solve(own, b, x, y, SEEDS, NULL), GV_ERROR_CANCELLED);
  gv_barriers_destroy(b);
  gv_context_destroy(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(failing_allocations), cmocka_unit_test(room_and_counts),
                                     cmocka_unit_test(cancelled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
