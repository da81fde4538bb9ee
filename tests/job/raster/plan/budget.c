/* How memory is shared out among what a run does. */
#include "cmocka_test.h"

#include "job/raster/plan/budget.h"

static void no_more_than_there_is(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    gv_job j = {.memory = 1000000007, .sum_count = kind % 2, .threads = 64, .k = 1};
    j.mask.source = kind / 2 ? "m.tif" : NULL;
    gv_budget b = gv_budget_of(&j);
    assert_int_equal(b.waiting + b.reading + b.workers, j.memory);
    assert_true(b.waiting > 0 && b.workers > j.memory / 4);
    assert_true((b.reading > 0) == (kind > 0));
  }
}

static void workers_fit(void **state) {
  (void)state;
  const int64_t cells = 512 * 512;
  int before = 0;
  for (int64_t memory = 1 << 20; memory < (int64_t)1 << 40; memory *= 2) {
    gv_job j = {.memory = memory, .sum_count = 3, .k = 4, .stats = "t.csv"};
    int workers = gv_budget_workers(&j, gv_budget_of(&j).workers, 500, cells, 48, true);
    assert_in_range(workers, before > 1 ? before : 1, 500);
    if (workers > 1) assert_true((int64_t)workers * cells * (48 + 16 + 8 + 24) <= gv_budget_of(&j).workers);
    before = workers;
  }
  assert_int_equal(before, 500);
}

static void by_default(void **state) {
  (void)state;
  assert_in_range(gv_budget_default(), 1 << 20, 1 << 30);
  assert_int_equal(gv_budget_of(&(gv_job){.k = 1}).memory, gv_budget_default());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_there_is), cmocka_unit_test(workers_fit),
                                     cmocka_unit_test(by_default)};
  return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
