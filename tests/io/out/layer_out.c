/* Layers of drivers that ignore failed writes are read back: each of the sums that are compared finds a
 * difference. */
#include "io/out/layer_out.h"

#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ogr_api.h>

enum { ROWS = 3 };

static char folder[] = "/tmp/gpuvoronoi-test-XXXXXX";

typedef enum lost { NOTHING, A_ROW, A_POINT, A_NUMBER, A_TEXT } lost;

/* Writes a layer of lines, after which what was written differs from the file by a loss. */
static gv_status write_layer(gv_io *io, const char *name, lost what) {
  gv_writer writer = {.dataset = NULL};
  gv_place *const all[] = {&writer.place};
  char path[256], text[301];
  int number = -1, label = -1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  assert_int_equal(gv_layer_plan(io, &writer, "OUT", path, "rows", true), GV_OK);
  assert_int_equal(gv_places_join(io, all, 1), GV_OK);
  gv_layer_out layer = {.io = io, .writer = &writer};
  assert_int_equal(gv_layer_create(&layer, NULL, wkbLineString, NULL), GV_OK);
  assert_int_equal(gv_layer_add_field(&layer, "number", NULL, OFTInteger64, &number), GV_OK);
  assert_int_equal(gv_layer_add_field(&layer, "label", NULL, OFTString, &label), GV_OK);
  for (int i = 0; i < ROWS; i++) {
    OGRFeatureH feature = gv_layer_feature(&layer);
    OGRGeometryH line = OGR_G_CreateGeometry(wkbLineString);
    OGR_G_AddPoint_2D(line, i, 0.0);
    OGR_G_AddPoint_2D(line, i, 1.0);
    OGR_F_SetGeometryDirectly(feature, line);
    OGR_F_SetFieldInteger64(feature, number, 10 + i);
    OGR_F_SetFieldString(feature, label, what == A_TEXT ? text : "short");
    assert_int_equal(gv_layer_write(&layer, feature, GV_OK), GV_OK);
  }
  assert_true(layer.sums.features == ROWS && layer.sums.points == 2 * ROWS && layer.sums.integers == 33);
  layer.sums.features += what == A_ROW;
  layer.sums.points += what == A_POINT;
  layer.sums.integers += what == A_NUMBER;
  gv_status status = gv_layer_finish(&layer, GV_OK);
  gv_writer_abandon(&writer);
  return status;
}

static void losses_are_errors(void **state) {
  static const char *const names[] = {"a.shp", "a.fgb", "a.geojson"};
  (void)state;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    for (lost what = NOTHING; what <= A_NUMBER; what++) {
      gv_io io = {.message = ""};
      gv_status status = write_layer(&io, names[n], what);
      assert_int_equal(status, what == NOTHING ? GV_OK : GV_ERROR_IO);
      if (status != GV_OK) assert_non_null(strstr(io.message, "it does not read back as written"));
      gv_io_drop_warnings(0, NULL);
    }
  }
}

/* Fields of a fixed width. */
static void cut_texts_are_reported(void **state) {
  gv_io io = {.message = ""};
  gv_warning warning;
  bool reported = false;
  (void)state;
  assert_int_equal(write_layer(&io, "a.shp", A_TEXT), GV_OK);
  while (gv_io_next_warning(&warning))
    reported = reported || (warning.code == GV_CODE_VALUES_LOST && strstr(warning.text, "3 texts") != NULL);
  assert_true(reported);
}

static int start(void **state) {
  (void)state;
  GDALAllRegister();
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int stop(void **state) {
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_errors),
                                     cmocka_unit_test(cut_texts_are_reported)};
  return cmocka_run_group_tests(tests, start, stop);
}
