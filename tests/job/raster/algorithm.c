/* Options and runs of GDAL's algorithm; its files are compared with the command's through GDAL
 * (tests/driver/test_algorithm.py). */
#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_vsi.h>
#include <gdal.h>

#include "job/description/settings.h"
#include "job/on_demand/call.h"
#include "job/raster/algorithm.h"

static const gv_option *option_of(const char *name) {
  for (int i = 0; gv_algorithm_option(i) != NULL; i++)
    if (strcmp(gv_algorithm_option(i)->name, name) == 0) return gv_algorithm_option(i);
  return NULL;
}

static int set_up(void **state) {
  (void)state;
  GDALAllRegister();
  return 0;
}

static void test_options(void **state) {
  (void)state;
  int count = 0;
  while (gv_algorithm_option(count) != NULL)
    count++;
  assert_in_range(count, 50, GV_JOB_OPTIONS);
  assert_ptr_equal(gv_algorithm_option(count - 1), &gv_job_out);
  assert_null(gv_algorithm_option(count + 7));
  static const char *const without[] = {"seeds", "seeds-raster", "bands", "config", "part", "help", "json"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++)
    assert_null(option_of(without[i]));
  assert_non_null(option_of("overwrite"));
}

typedef struct steps {
  double last;
  int count, stop_at;
} steps;

static int count_step(double fraction, void *user) {
  steps *s = user;
  assert_true(fraction >= s->last && fraction <= 1.0);
  assert_null(gv_messages_used()); /* the host's messages are its own */
  s->last = fraction;
  return ++s->count != s->stop_at;
}

/* A raster of `size` cells beside the file of seeds. */
static gv_status run_to(const char *directory, const char *size, steps *s, gv_io *io) {
  char seeds[512], out[512];
  snprintf(seeds, sizeof seeds, "%s/seeds.csv", directory);
  snprintf(out, sizeof out, "%s/out.tif", directory);
  FILE *file = fopen(seeds, "w");
  assert_non_null(file);
  fputs("lon,lat\n0,0\n100,50\n", file);
  assert_int_equal(fclose(file), 0);
  const gv_algorithm_value values[] = {
      {option_of("size"), size}, {option_of("no-style"), NULL}, {option_of("raster"), out}};
  gv_on_demand_call call;
  assert_int_equal(gv_on_demand_begin(&call), GV_OK);
  gv_status status = gv_algorithm_run(&call.io, seeds, values, 3, s != NULL ? count_step : NULL, s);
  *io = call.io;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  gv_on_demand_end(&call, status);
  CPLPopErrorHandler();
  VSIStatBufL found;
  assert_int_equal(VSIStatL(out, &found) == 0, status == GV_OK);
  VSIUnlink(out);
  VSIUnlink(seeds);
  return status;
}

static void test_runs(void **state) {
  (void)state;
  char directory[] = "/tmp/gpuvoronoi-algorithm-XXXXXX";
  assert_non_null(mkdtemp(directory));
  gv_io io;
  steps all = {.last = 0.0};
  assert_int_equal(run_to(directory, "64,32", NULL, &io), GV_OK);
  assert_int_equal(run_to(directory, "2000,1500", &all, &io), GV_OK);
  assert_true(all.count > 1 && all.last == 1.0);
  steps stopped = {.stop_at = 1};
  assert_int_equal(run_to(directory, "2000,1500", &stopped, &io), GV_ERROR_CANCELLED);
  assert_int_equal(run_to(directory, "0,9", NULL, &io), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "size"));
  assert_int_equal(rmdir(directory), 0); /* nothing was left */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_runs)};
  return cmocka_run_group_tests(tests, set_up, NULL);
}
