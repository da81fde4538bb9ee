/*
 * Statistics by several devices (job/raster/pass/count.c): strips are assigned to them, failed ones are
 * computed by the processors, and the table has the same bytes as by the processors only. Without a GPU
 * processors replace devices and fail on demand; with one, all devices are used.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "gpuvoronoi/experimental.h"

/* A device, by its number. */
enum { BROKEN = 7, LATE = 8 /* breaks after its first strip */, UNABLE = 9, MOST = 10 };

static gv_status pretend_add_strip(gv_context *context, gv_statistics *statistics,
                                   const gv_statistics_cells *strip);

#define gv_statistics_add(context, statistics, strip) add_strip(context, statistics, strip)
static gv_status add_strip(gv_context *context, gv_statistics *statistics, const gv_statistics_cells *strip);
#include "job/raster/pass/count.c"
#include "job/raster/run.h"
#undef gv_statistics_add

#include "statistics/parts.h"

static bool real; /* devices */
static atomic_int asked[MOST], answered[MOST];

static gv_status add_strip(gv_context *context, gv_statistics *statistics, const gv_statistics_cells *strip) {
  return real ? gv_statistics_add(context, statistics, strip) : pretend_add_strip(context, statistics, strip);
}

static int device_of(const gv_context *context) {
  return context->device < 0 ? 0 : context->device;
}

/* By blocks, as the processors do it. */
static gv_status pretend_add_strip(gv_context *context, gv_statistics *s, const gv_statistics_cells *strip) {
  const gv_voronoi *v = s->voronoi;
  const gv_grid *grid = &v->cells.grid;
  const int number = device_of(context);
  const int64_t bw = v->block_width, bh = v->block_height;
  int64_t columns = strip->columns != 0 ? strip->columns : grid->width;
  int64_t rows = strip->rows != 0 ? strip->rows : grid->height;
  int before = asked[number]++;
  if (number == BROKEN || (number == LATE && before > 0))
    return gv_fail(context, GV_ERROR_DEVICE, "device %d broke", number);
  if (number == UNABLE) return gv_fail(context, GV_ERROR_UNSUPPORTED, "device %d cannot", number);
  assert_true(strip->column % bw == 0 && strip->row % bh == 0);
  int32_t *seed = malloc((size_t)(bw * bh) * sizeof *seed);
  double *distance = malloc((size_t)(bw * bh) * sizeof *distance);
  gv_status status = seed != NULL && distance != NULL ? GV_OK : GV_ERROR_OUT_OF_MEMORY;
  for (int64_t row = strip->row; row < strip->row + rows && status == GV_OK; row += bh) {
    for (int64_t column = strip->column; column < strip->column + columns && status == GV_OK; column += bw) {
      gv_labels b;
      gv_labels_init(&b);
      gv_measure m;
      gv_measure_init(&m);
      gv_statistics_cells add;
      gv_statistics_cells_init(&add);
      b.column = m.column = add.column = column;
      b.row = m.row = add.row = row;
      b.columns = m.columns = add.columns = bw < grid->width - column ? bw : grid->width - column;
      b.rows = m.rows = add.rows = bh < grid->height - row ? bh : grid->height - row;
      b.out = seed;
      add.seed = m.seed = seed;
      m.type = GV_FLOAT64;
      m.distance = distance;
      add.distance = distance;
      b.stride = m.stride = m.out_stride = add.stride = add.distance_stride = bw;
      status = gv_voronoi_fill(context, v, &b, NULL);
      if (status == GV_OK) status = gv_voronoi_measure(context, v, &m);
      if (status == GV_OK) status = gv_statistics_add(context, s, &add);
    }
  }
  free(seed);
  free(distance);
  if (status == GV_OK) answered[number]++;
  return status;
}

static const char *const seeds = "/vsimem/seeds.csv", *const table = "out.csv";
static char folder[] = "/tmp/gpuvoronoi-test-XXXXXX"; /* the table's */

static int listen(double fraction, void *user) {
  double *last = user;
  assert_true(fraction >= *last && fraction <= 1.0);
  *last = fraction;
  return 1;
}

/* A run's table, to be freed; NULL, and the error in `io`. */
static char *count_with(const char *backend, const int *devices, int count, int width, int height, gv_io *io,
                        size_t *bytes) {
  double last = 0.0;
  gv_job job = {.seeds = {.source = seeds},
                .grid = {.has_size = true, .size = {width, height}},
                .raster = {.overwrite = true, .threads = 2},
                .backend = backend,
                .stats = table,
                .distance_type = GDT_Float32,
                .max_distance.value = (double)INFINITY,
                .k = 1,
                .threads = 2,
                .device = -1,
                .devices = devices,
                .device_count = count,
                .progress = listen,
                .progress_user = &last};
  for (int i = 0; i < MOST; i++)
    asked[i] = answered[i] = 0;
  if (gv_job_run(io, &job) != GV_OK) {
    assert_int_equal(access(table, F_OK), -1);
    return NULL;
  }
  GByte *text = NULL;
  vsi_l_offset size = 0;
  assert_true(VSIIngestFile(NULL, table, &text, &size, -1) && size > 100 && unlink(table) == 0);
  char *out = malloc((size_t)size);
  assert_non_null(out);
  memcpy(out, text, (size_t)size);
  VSIFree(text);
  *bytes = (size_t)size;
  return out;
}

static void expect_table(const char *backend, const int *devices, int count, int width, int height) {
  size_t expected_bytes = 0, bytes = 0;
  gv_io io = {.cancelled = NULL};
  char *expected = count_with("tile", NULL, 0, width, height, &io, &expected_bytes);
  char *got = count_with(backend, devices, count, width, height, &io, &bytes);
  if (expected == NULL || got == NULL) fail_msg("%s", io.message);
  if (bytes != expected_bytes || memcmp(got, expected, bytes) != 0)
    fail_msg("another table with %d devices from %d on, %d x %d cells", count, devices[0], width, height);
  free(expected);
  free(got);
}

static void strips_are_dealt(void **state) {
  (void)state;
  const int one[] = {0}, three[] = {0, 1, 2}, twice[] = {0, 0};
  expect_table("auto", one, 1, 300, 8000);
  assert_int_equal(answered[0], 1);
  expect_table("auto", three, 3, 300, 8000);
  assert_true(answered[0] + answered[1] + answered[2] >= 12);
  expect_table("auto", twice, 2, 300, 8000);
  expect_table("auto", three, 3, 300, 200); /* one strip for all */
  assert_int_equal(answered[0] + answered[1] + answered[2], 1);
  expect_table("auto", three, 3, 9000, 1); /* cut across */
  assert_true(answered[0] + answered[1] + answered[2] >= 12);
}

static void what_fails_is_left_to_processors(void **state) {
  (void)state;
  const int some[] = {1, LATE, BROKEN}, none[] = {BROKEN, BROKEN}, unable[] = {UNABLE, UNABLE};
  expect_table("auto", some, 3, 300, 8000);
  assert_true(answered[1] + answered[0] > 0 && asked[LATE] <= 2 && asked[BROKEN] <= 1);
  expect_table("auto", none, 2, 300, 8000); /* the first is the one that the run's own context has: 0 */
  expect_table("auto", unable, 2, 300, 8000);
}

static void on_devices(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_device_info info;
  gv_device_info_init(&info);
  int count = 0;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  real =
      gv_device_count(context, &count) == GV_OK && gv_device_get(context, 0, &info) == GV_OK && info.usable;
  gv_context_destroy(context);
  if (!real) skip();
  const int first[] = {0, 0, 0}, last[] = {0, count - 1};
  for (int n = 1; n <= 3; n++)
    expect_table("cuda-tile", first, n, 2000, 9000);
  expect_table("cuda-tile", last, 2, 4000, 3000);
  expect_table("auto", last, 2, 4000, 3000);
  expect_table("auto", first, 2, 9000, 1);
  const int beyond[] = {0, count};
  gv_io io = {.cancelled = NULL};
  size_t bytes;
  assert_null(count_with("cuda-tile", beyond, 2, 2000, 9000, &io, &bytes));
  assert_true(strlen(io.message) > 0);
  expect_table("auto", beyond, 2, 2000, 9000);
  real = false;
}

static int set_up(void **state) {
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
  VSILFILE *file = VSIFOpenL(seeds, "wb");
  if (file == NULL || VSIFPrintfL(file, "lon,lat\n") < 0) return 1;
  for (int i = 0; i < 200; i++) {
    if (VSIFPrintfL(file, "%d,%d\n", i * 67 % 360 - 180, i * 41 % 179 - 89) < 0) return 1;
  }
  return VSIFCloseL(file);
}

static int tear_down(void **state) {
  (void)state;
  VSIUnlink(seeds);
  return chdir("/") == 0 && VSIRmdirRecursive(folder) == 0 ? 0 : 1;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strips_are_dealt),
                                     cmocka_unit_test(what_fails_is_left_to_processors),
                                     cmocka_unit_test(on_devices)};
  GDALAllRegister();
  CPLSetErrorHandler(gv_io_take_message);
  return cmocka_run_group_tests_name("counting", tests, set_up, tear_down);
}
