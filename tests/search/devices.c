/* Listing GPUs must work on any machine, and report the reason if there are none. */
#include "cmocka_test.h"

#include <string.h>

#include "core/core.h"

static void count_or_reason(void **state) {
  gv_context *context = *state;
  int count = -1;
  gv_status status = gv_device_count(context, &count);
  if (status == GV_OK) {
    assert_in_range(count, 1, 1024);
    return;
  }
  assert_int_equal(status, GV_ERROR_UNAVAILABLE);
  assert_int_equal(count, 0);
  assert_string_not_equal(gv_context_message(context), "");
  assert_null(strchr(gv_context_message(context), '\n'));
  /* Tests find the module in the build tree, if this build makes one. */
  const char *missing = "the CUDA module libgpuvoronoi_cuda.so is not installed";
#ifndef GPUVORONOI_TEST_WITH_CUDA
  assert_string_equal(gv_context_message(context), missing);
#else
  assert_string_not_equal(gv_context_message(context), missing);
#endif
}

static void every_device_is_described(void **state) {
  gv_context *context = *state;
  int count = 0;
  if (gv_device_count(context, &count) != GV_OK) skip();
  for (int i = 0; i < count; i++) {
    gv_device_info info;
    gv_device_info_init(&info);
    memset(&info, 0xff, sizeof info);
    assert_int_equal(gv_device_get(context, i, &info), GV_OK);
    assert_string_not_equal(info.name, "");
    assert_in_range(info.compute_major, 1, 99);
    assert_true(info.memory_bytes > 0);
    assert_true(info.multiprocessors > 0);
    assert_true(info.usable ? info.reason[0] == '\0' : info.reason[0] != '\0');
    assert_true(info.free_memory_bytes <= info.memory_bytes);
  }
}

static void no_other_device_is_described(void **state) {
  gv_context *context = *state;
  int count = 0;
  gv_status status = gv_device_count(context, &count);
  gv_device_info untouched;
  gv_device_info_init(&untouched);
  memset(&untouched, 0x5a, sizeof untouched);
  gv_device_info before = untouched;
  gv_status wrong = gv_device_get(context, count, &untouched);
  assert_int_equal(wrong, status == GV_OK ? GV_ERROR_INVALID_ARGUMENT : GV_ERROR_UNAVAILABLE);
  assert_int_not_equal(gv_device_get(context, -1, &untouched), GV_OK);
  assert_memory_equal(&before, &untouched, sizeof before);
}

static void null_places_are_refused(void **state) {
  assert_int_equal(gv_device_count(*state, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_device_get(*state, 0, NULL), GV_ERROR_INVALID_ARGUMENT);
}

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) != GV_OK;
}

static int drop_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(count_or_reason),
      cmocka_unit_test(every_device_is_described),
      cmocka_unit_test(no_other_device_is_described),
      cmocka_unit_test(null_places_are_refused),
  };
  return cmocka_run_group_tests_name("devices", tests, make_context, drop_context);
}
