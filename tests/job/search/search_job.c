/* A search run by a program other than the command: settings in, files and a report out, nothing printed. */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gdal.h>

#include "job/search/search_job.h"

static char directory[] = "/tmp/gpuvoronoi-search-XXXXXX";
static char paths[4][64];

static int prepare(void **state) {
  static const char *const names[] = {"reference.txt", "queries.txt", "out.csv", "distances.npy"};
  (void)state;
  GDALAllRegister();
  if (mkdtemp(directory) == NULL) return 1;
  for (int i = 0; i < 4; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%s", directory, names[i]);
  return 0;
}

static int clean(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++)
    unlink(paths[i]);
  return rmdir(directory); /* nothing else is left in it */
}

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *get(const char *path) {
  static char text[4096];
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static gv_search_job job_of(int k) {
  put(paths[0], "0 0\n3 4\n0 9\n");
  put(paths[1], "0 1\n3 3\n");
  return (gv_search_job){.reference.path = paths[0],
                         .query.path = paths[1],
                         .out = paths[2],
                         .backend = "auto",
                         .k = k,
                         .device = -1,
                         .max_distance.value = INFINITY,
                         .overwrite = true};
}

/* Keeps the progress in *user; cancels if that is negative. */
static int show(double fraction, void *user) {
  double *shown = user;
  if (*shown < 0.0) return 0;
  assert_true(fraction >= *shown && fraction <= 1.0);
  *shown = fraction;
  return 1;
}

static void test_answers(void **state) {
  gv_search_job job = job_of(2);
  gv_search_report report;
  gv_io io = {.cancelled = NULL};
  double shown = 0.0;
  (void)state;
  job.max_distance.value = 5.0;
  job.progress = show;
  job.progress_user = &shown;
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_OK);
  assert_string_equal(
      get(paths[2]),
      "query_row,rank,row,distance\n0,1,0,1\n0,2,1,4.2426406871192848\n1,1,1,1\n1,2,0,4.2426406871192848\n");
  assert_true(report.references.used == 3 && report.queries.used == 2 && report.missing == 0 &&
              report.dimensions == 2);
  assert_true(report.metric == GV_EUCLIDEAN && report.k == 2 && shown == 1.0);
  /* Against itself: the last point has no neighbor within the maximum distance. */
  job.query.path = NULL;
  job.distances = paths[3];
  job.progress = NULL;
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_OK);
  assert_true(report.queries.used == 3 && report.missing == 4);
  assert_true(strstr(get(paths[2]), "\n2,1,-1,inf\n") != NULL && get(paths[3]) != NULL);
}

static bool is_set(void *user) {
  return *(bool *)user;
}

/* Cancels through gv_io at the first progress of the library, which then reports no more. */
static int set(double fraction, void *user) {
  assert_true(fraction < 1.0 && !*(bool *)user);
  *(bool *)user = true;
  return 1;
}

static void test_errors_leave_files(void **state) {
  gv_search_job job = job_of(1);
  gv_search_report report;
  bool cancel = true;
  gv_io io = {.cancelled = NULL}, cancelled = {.cancelled = is_set, .cancelled_user = &cancel};
  double stop = -1.0;
  (void)state;
  put(paths[2], "old");
  job.query.path = paths[2]; /* an input */
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "is an input, too"));
  job = job_of(1);
  job.nearest = paths[3];
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "--nearest: unsupported for points"));
  job = job_of(1);
  put(paths[1], "0 1 2\n");
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "3 coordinates per point"));
  job = job_of(1);
  job.query.array.columns = "9";
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "--query-columns"));
  job = job_of(1);
  assert_int_equal(gv_search_job_run(&cancelled, &job, NULL, &report), GV_ERROR_CANCELLED);
  cancel = false;
  job.backend = "serial"; /* progress after each query */
  job.progress = set;
  job.progress_user = &cancel;
  assert_int_equal(gv_search_job_run(&cancelled, &job, NULL, &report), GV_ERROR_CANCELLED);
  job.progress = show;
  job.progress_user = &stop;
  assert_int_equal(gv_search_job_run(&io, &job, NULL, &report), GV_ERROR_CANCELLED);
  assert_string_equal(get(paths[2]), "old");
}

static void test_kinds_of_output(void **state) {
  static const struct {
    const char *out, *keep;
    gv_search_output expected;
  } cases[] = {{"a.CSV", NULL, GV_SEARCH_TEXT},  {"-", NULL, GV_SEARCH_TEXT},
               {"a.npy", NULL, GV_SEARCH_ARRAY}, {"a.ivecs", NULL, GV_SEARCH_ARRAY},
               {"a.csv", "*", GV_SEARCH_TABLE},  {"a.gpkg", NULL, GV_SEARCH_TABLE}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gv_search_job job = {.out = cases[i].out, .query.keep = cases[i].keep};
    assert_int_equal(gv_search_job_output(&job), cases[i].expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers),
                                     cmocka_unit_test(test_errors_leave_files),
                                     cmocka_unit_test(test_kinds_of_output)};
  return cmocka_run_group_tests(tests, prepare, clean);
}
