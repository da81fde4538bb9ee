/* Device or processors, for the jobs of docs/benchmarks.md and neighboring sizes. Searches:
 * tests/search/choices.c. */
#include "core/device_rule.h"

#include "cmocka_test.h"

static void grids(void **state) {
  (void)state;
  const struct {
    double cells, k, seeds;
    gv_device_order order;
    int threads;
    bool running, device;
  } rows[] = {
      {43200.0 * 21600, 1, 1e4, GV_ORDER_ROWS, 16, false, false},
      {86400.0 * 43200, 1, 1e6, GV_ORDER_ROWS, 16, false, false},
      {1e13, 1, 1e6, GV_ORDER_ROWS, 16, true, false}, /* the bus and the copies are as slow */
      {21600.0 * 10800, 8, 1e4, GV_ORDER_ROWS, 16, true, false},
      {21600.0 * 10800, 1, 1e4, GV_ORDER_ROWS, 2, false, false},
      {86400.0 * 43200, 1, 1e4, GV_ORDER_ROWS, 2, false, true},
      {21600.0 * 10800, 4, 1e4, GV_ORDER_ROWS, 2, false, true},
      {21600.0 * 10800, 4, 1e4, GV_ORDER_ROWS, 8, false, false},
      {32768.0 * 16384, 1, 1e4, GV_ORDER_CURVE, 16, false, false},
      {32768.0 * 16384, 1, 1e4, GV_ORDER_CURVE, 16, true, true},
      {172800.0 * 86400, 1, 1e4, GV_ORDER_CURVE, 16, false, true},
      {21600.0 * 10800, 1, 2e6, GV_ORDER_ROWS, 16, false, false},
      {21600.0 * 10800, 1, 4e6, GV_ORDER_ROWS, 16, false, true},
      {4096.0 * 2048, 1, 4e6, GV_ORDER_ROWS, 16, false, false},
      {1e7, 1, 1e5, GV_ORDER_NONE, 2, true, true},
      {1e7, 1, 1e5, GV_ORDER_CURVE, 2, true, false},
      {1e7, 1, 1e5, GV_ORDER_NONE, 16, false, false},
      {1e6, 1, 1e5, GV_ORDER_NONE, 16, true, false},
      {1e7, 1, 1e5, GV_ORDER_NONE, 16, true, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool device = gv_device_pays_for_grid(rows[i].cells * rows[i].k, rows[i].seeds, rows[i].k > 1,
                                          rows[i].order, rows[i].threads, rows[i].running);
    if (device != rows[i].device) fail_msg("row %zu: %d", i, device);
  }
}

static void statistics(void **state) {
  (void)state;
  const double cells = 43200.0 * 21600;
  assert_true(gv_device_pays_for_statistics(cells, true, true, 16));
  assert_true(gv_device_pays_for_statistics(cells, true, false, 16));
  assert_false(gv_device_pays_for_statistics(cells / 2, true, false, 16));
  assert_false(gv_device_pays_for_statistics(16 * cells, false, true, 16));
  assert_true(gv_device_pays_for_statistics(20 * cells, false, true, 16));
}

/* Solved in 0.08, 1.0 and 3.7 s by 16 cores, in 0.06, 0.3 and 1.0 s by an H200 that runs, else in 0.3 s
 * more. */
static void costs(void **state) {
  (void)state;
  const double small = 4320.0 * 2400, medium = 21600.0 * 8700, large = 43200.0 * 17400;
  assert_false(gv_device_pays_for_cost(small, 16, false));
  assert_true(gv_device_pays_for_cost(small, 16, true));
  assert_true(gv_device_pays_for_cost(2 * small, 2, false));
  assert_false(gv_device_pays_for_cost(small / 10, 16, true));
  assert_true(gv_device_pays_for_cost(medium, 16, false));
  assert_true(gv_device_pays_for_cost(large, 16, false));
}

static void measuring(void **state) {
  (void)state;
  const double cells = 43200.0 * 21600;
  assert_true(gv_device_pays_for_measuring(cells, true, 16, false));
  assert_false(gv_device_pays_for_measuring(cells, true, 32, false));
  assert_false(gv_device_pays_for_measuring(cells, false, 16, false));
  assert_true(gv_device_pays_for_measuring(cells, false, 8, true));
  assert_false(gv_device_pays_for_measuring(cells / 100, true, 8, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grids), cmocka_unit_test(statistics),
                                     cmocka_unit_test(measuring), cmocka_unit_test(costs)};
  return cmocka_run_group_tests_name("device_rule", tests, NULL, NULL);
}
