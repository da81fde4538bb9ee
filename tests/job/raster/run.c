/* A run by a program other than the command: it receives progress, may cancel, and its process-wide settings
 * are unchanged. */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "job/raster/run.h"

static const char *const seeds = "/vsimem/seeds.csv", *const out = "out.tif", *const table = "out.csv",
                         *const regions = "out.gpkg";
static char folder[] = "/tmp/gpuvoronoi-test-XXXXXX"; /* the outputs' */

/* Reports of a run, and when to cancel. */
typedef struct listener {
  int calls;
  double last, stop_at;
} listener;

static int listen(double fraction, void *user) {
  listener *l = user;
  assert_true(fraction >= l->last && fraction <= 1.0);
  l->last = fraction;
  l->calls++;
  return fraction < l->stop_at;
}

static bool always(void *unused) {
  (void)unused;
  return true;
}

static gv_job job_for(listener *l) {
  gv_job job = {.seeds = {.source = seeds},
                .grid = {.has_size = true, .size = {600, 300}},
                .raster = {.path = out, .overwrite = true, .threads = 2},
                .backend = "auto",
                .stats = table,
                .polygons = regions,
                .distance_type = GDT_Float32,
                .max_distance.value = (double)INFINITY,
                .k = 1,
                .threads = 2,
                .device = -1,
                .progress = listen,
                .progress_user = l};
  return job;
}

static bool is_there(const char *path) {
  VSIStatBufL found;
  return VSIStatL(path, &found) == 0;
}

static int set_up(void **state) {
  (void)state;
  VSILFILE *file = VSIFOpenL(seeds, "wb");
  static const char text[] = "lon,lat\n10,50\n-60,-30\n120,5\n";
  bool written = file != NULL && VSIFWriteL(text, 1, sizeof text - 1, file) == sizeof text - 1;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
  return file != NULL && VSIFCloseL(file) == 0 && written ? 0 : 1;
}

static int tear_down(void **state) {
  (void)state;
  VSIUnlink(seeds);
  return chdir("/") == 0 && VSIRmdirRecursive(folder) == 0 ? 0 : 1;
}

static void progress_is_told(void **state) {
  (void)state;
  listener l = {.stop_at = 2.0};
  gv_io io = {.cancelled = NULL};
  const gv_job job = job_for(&l), before = job;
  assert_int_equal(gv_job_run(&io, &job), GV_OK);
  assert_true(l.calls > 1 && l.last == 1.0);
  assert_true(is_there(out) && is_there(table) && is_there(regions));
  assert_memory_equal(&job, &before, sizeof job);
}

static void progress_may_stop_it(void **state) {
  (void)state;
  listener l = {.stop_at = 0.0};
  gv_io io = {.cancelled = NULL};
  const gv_job job = job_for(&l);
  assert_int_equal(gv_job_run(&io, &job), GV_ERROR_CANCELLED);
  assert_false(is_there(out) || is_there(table) || is_there(regions));
}

static void its_program_may_cancel_it(void **state) {
  (void)state;
  listener l = {.stop_at = 2.0};
  gv_io io = {.cancelled = always};
  const gv_job job = job_for(&l);
  assert_int_equal(gv_job_run(&io, &job), GV_ERROR_CANCELLED);
  assert_false(is_there(out) || is_there(table) || is_there(regions));
}

static void CPL_STDCALL own_handler(CPLErr level, CPLErrorNum number, const char *text) {
  gv_io_take_message(level, number, text);
}

static void the_process_stays_as_it_was(void **state) {
  (void)state;
  listener l = {.stop_at = 2.0};
  gv_io io = {.cancelled = NULL};
  const gv_job job = job_for(&l);
  GDALSetCacheMax64(77 << 20);
  CPLErrorHandler old = CPLSetErrorHandler(own_handler);
  assert_int_equal(gv_job_run(&io, &job), GV_OK);
  assert_int_equal(GDALGetCacheMax64(), 77 << 20);
  assert_true(CPLSetErrorHandler(old) == own_handler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(progress_is_told, set_up, tear_down),
      cmocka_unit_test_setup_teardown(progress_may_stop_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(its_program_may_cancel_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_process_stays_as_it_was, set_up, tear_down),
  };
  GDALAllRegister();
  CPLSetErrorHandler(gv_io_take_message);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
