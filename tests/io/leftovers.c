/* Locks of temporary directories: who has one, and who has lost the directory to a run that takes its owner for dead. */
#include "cmocka_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/out/leftovers.h"

static void only_one_has_the_lock(void **state) {
  char directory[] = "/tmp/gpuvoronoi-test-XXXXXX";
  (void)state;
  assert_non_null(mkdtemp(directory));
  bool lost = true;
  int lock = gv_leftovers_lock(directory, &lost);
  assert_true(lock >= 0 && !lost);
  assert_int_equal(gv_leftovers_lock(directory, &lost), -1);
  assert_true(lost);
  close(lock);
  assert_int_equal(rmdir(directory), 0);
  /* Removed before its maker came to lock it. */
  assert_int_equal(gv_leftovers_lock(directory, &lost), -1);
  assert_true(lost);
}

static void the_dead_leave_and_the_living_stay(void **state) {
  char parent[] = "/tmp/gpuvoronoi-test-XXXXXX", dead[64], living[64];
  (void)state;
  assert_non_null(mkdtemp(parent));
  snprintf(dead, sizeof dead, "%s/.a.tmp-1", parent);
  snprintf(living, sizeof living, "%s/.a.tmp-2", parent);
  assert_int_equal(mkdir(dead, 0700), 0);
  assert_int_equal(mkdir(living, 0700), 0);
  bool lost = true;
  int lock = gv_leftovers_lock(living, &lost);
  assert_true(lock >= 0 && !lost);
  gv_leftovers_clear(parent, ".a.tmp-");
  assert_int_equal(access(dead, F_OK), -1);
  assert_int_equal(access(living, F_OK), 0);
  close(lock);
  gv_leftovers_clear(parent, ".a.tmp-");
  assert_int_equal(rmdir(parent), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_one_has_the_lock),
                                     cmocka_unit_test(the_dead_leave_and_the_living_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
