/* Descriptions for a program that only needs cells: from memory, without outputs. */
#include "cmocka_test.h"

#include <string.h>

#include "job/description/conflicts.h"
#include "job/description/description.h"

static gv_status parse(gv_io *io, const char *text, bool outputs, gv_description *d) {
  return gv_description_parse(io, text, strlen(text), "VORONOI:{}", "/data", outputs, d);
}

static void outputs_are_ignored(void **state) {
  (void)state;
  static const char text[] =
      "{\"seeds\": \"places.gpkg\", \"where\": \"a > 1\", \"size\": [20, 10], \"k\": 3, \"metric\": "
      "\"great-circle\","
      " \"max-distance\": \"100km\", \"mask\": \"/vsizip/m.zip/m.tif\", \"boundary\": true, \"nodata\": -9,"
      " \"outputs\": {\"raster\": 7, \"no such key\": {}}}";
  gv_io io = {.cancelled = NULL};
  gv_description d = {0};
  gv_job_settings s;
  gv_job_settings_begin(&s);
  assert_int_equal(parse(&io, text, false, &d), GV_OK);
  assert_int_equal(gv_description_apply(&io, &d, &s), GV_OK);
  assert_int_equal(gv_job_settings_check(&io, &s), GV_OK);
  assert_string_equal(s.job.seeds.source, "/data/places.gpkg");
  assert_string_equal(s.job.mask.source, "/vsizip/m.zip/m.tif");
  assert_string_equal(s.job.seeds.where, "a > 1");
  assert_true(s.job.grid.has_size && s.job.grid.size[0] == 20 && s.job.grid.size[1] == 10 && s.job.k == 3);
  assert_true(s.job.grid.has_metric && s.job.grid.metric == GV_GREAT_CIRCLE && s.job.seeds.boundary);
  assert_true(s.job.max_distance.value == 100.0 && s.job.max_distance.unit.kind == GV_UNIT_LENGTH);
  assert_true(s.job.has_nodata && s.job.nodata == -9 && s.job.raster.path == NULL);
  assert_int_equal(gv_job_outputs_check(&io, &s), GV_ERROR_INVALID_ARGUMENT);
  gv_job_settings_clear(&s);
  gv_description_free(&d);
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"{}", "missing --seeds"},
      {"{\"seeds\": \"a\", \"seeds-raster\": \"b\"}", "unsupported together"},
      {"{\"seeds-raster\": \"b\", \"values\": [1, 2.5]}", "--values"},
      {"{\"sseds\": \"a\"}", "unknown key \"sseds\""},
      {"{\"k\": {}}", "\"k\": invalid type; expected"},
      {"{\"outputs\": 3}", "\"outputs\": invalid type; expected an object"},
      {"[{}]", "invalid JSON"},
      {"", "invalid JSON"},
      {"{\"seeds\": \"a\", \"k\": 0}", "-k"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gv_io io = {.cancelled = NULL};
    gv_description d = {0};
    gv_job_settings s;
    gv_job_settings_begin(&s);
    gv_status status = parse(&io, wrong[i][0], false, &d);
    if (status == GV_OK) status = gv_description_apply(&io, &d, &s);
    if (status == GV_OK) status = gv_job_settings_check(&io, &s);
    assert_int_equal(status, GV_ERROR_INVALID_ARGUMENT);
    if (strstr(io.message, wrong[i][1]) == NULL) fail_msg("'%s' does not say %s", io.message, wrong[i][1]);
    gv_job_settings_clear(&s);
    gv_description_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_are_ignored),
                                     cmocka_unit_test(what_is_wrong_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
