/* What jobs do by the abilities of a backend, for all names. */
#include "cmocka_test.h"

#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"
#include "job/backends.h"

static void every_backend(void **state) {
  (void)state;
  int culling = 0, in_memory = 0;
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    assert_int_equal(gv_backend_get(i, &info), GV_OK);
    assert_false(gv_job_backend_is_automatic(info.name));
    assert_int_equal(gv_job_backend_culls(info.name, false), strcmp(info.name, "tile") == 0);
    assert_int_equal(gv_job_backend_culls(info.name, true), strcmp(info.name, "cuda-tile") == 0);
    assert_int_equal(gv_job_backend_keeps_costs_in_memory(info.name), strcmp(info.name, "serial") == 0);
    culling += gv_job_backend_culls(info.name, false) || gv_job_backend_culls(info.name, true);
    in_memory += gv_job_backend_keeps_costs_in_memory(info.name);
  }
  assert_int_equal(culling, 2);
  assert_int_equal(in_memory, 1);
}

static void other_names(void **state) {
  (void)state;
  assert_true(gv_job_backend_is_automatic("auto"));
  const char *const names[] = {"auto", "", "tiles", "Serial"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(gv_job_backend_is_automatic(names[i]), i == 0);
    assert_false(gv_job_backend_culls(names[i], false) || gv_job_backend_culls(names[i], true));
    assert_false(gv_job_backend_keeps_costs_in_memory(names[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_backend), cmocka_unit_test(other_names)};
  return cmocka_run_group_tests_name("job_backends", tests, NULL, NULL);
}
