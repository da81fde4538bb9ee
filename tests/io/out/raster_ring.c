/* Blocks of several rasters, computed by several threads: each once, all in their places; what fails or is
 * cancelled ends the run. */
#include "rasters.h"

enum { MANY = 3 };

static const char *const tiled = "COMPRESS=ZSTD";

static void blocks_are_in_their_places(void **state) {
  (void)state;
  for (int workers = 1; workers <= 5; workers += 2) {
    gv_io io = {.cancelled = NULL};
    subject s = {.type = GDT_Int32,
                 .width = 700,
                 .height = 1000,
                 .bands = 2,
                 .workers = workers,
                 .uniform = 5,
                 .fails = -1};
    gv_raster_out *rasters[MANY];
    for (int i = 0; i < MANY; i++)
      rasters[i] = create(&io, &s, i, tiled);
    gv_raster_work work = {compute, &s, workers};
    if (gv_raster_write(&io, rasters, MANY, &work, NULL, NULL) != GV_OK) fail_msg("%s", io.message);
    for (int block = 0; block < 11 * 13; block++)
      assert_int_equal(s.counted[block], 1);
    for (int i = 0; i < MANY; i++) {
      if (gv_raster_finish(&io, rasters[i], NULL, NULL) != GV_OK) fail_msg("%s", io.message);
      check_values(&s, rasters[i], i, tiled);
    }
    for (int i = 0; i < MANY; i++)
      gv_raster_close(rasters[i]);
  }
}

/* Whichever block fails, its line is the run's. */
static void a_block_that_fails(void **state) {
  (void)state;
  static const int64_t blocks[] = {0, 1, 17, 142};
  for (int i = 0; i < 4; i++) {
    gv_io io = {.cancelled = NULL};
    subject s = {
        .type = GDT_Float32, .width = 700, .height = 1000, .bands = 1, .workers = 3, .fails = blocks[i]};
    char expected[32];
    snprintf(expected, sizeof expected, "block %d fails", (int)blocks[i]);
    gv_raster_out *raster = create(&io, &s, 0, tiled);
    gv_raster_work work = {compute, &s, s.workers};
    assert_int_equal(gv_raster_write(&io, &raster, 1, &work, NULL, NULL), GV_ERROR_INTERNAL);
    assert_string_equal(io.message, expected);
    gv_raster_close(raster);
  }
}

static int CPL_STDCALL stop_half_way(double fraction, const char *text, void *user) {
  double *last = user;
  (void)text;
  assert_true(fraction >= *last);
  *last = fraction;
  return fraction < 0.5;
}

static void a_run_that_is_cancelled(void **state) {
  (void)state;
  gv_io io = {.cancelled = NULL};
  subject s = {.type = GDT_Byte, .width = 700, .height = 1000, .bands = 1, .workers = 2, .fails = -1};
  double last = 0.0;
  gv_raster_out *raster = create(&io, &s, 0, tiled);
  gv_raster_work work = {compute, &s, s.workers};
  assert_int_equal(gv_raster_write(&io, &raster, 1, &work, stop_half_way, &last), GV_ERROR_CANCELLED);
  assert_true(last >= 0.5 && last < 0.9);
  gv_raster_close(raster);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_in_their_places),
                                     cmocka_unit_test(a_block_that_fails),
                                     cmocka_unit_test(a_run_that_is_cancelled)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
