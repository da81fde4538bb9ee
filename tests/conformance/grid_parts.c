/* Parts of a grid: together they are its cells, in order, with the values that the whole has. */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/experimental.h"
#include "split_mix.h"

enum { SEEDS = 40, WIDTH = 90, HEIGHT = 70, LEVEL = 4, MOST_K = 2 };

static double x[SEEDS], y[SEEDS];

static gv_context *new_context(void) {
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  return context;
}

static gv_voronoi *new_voronoi(gv_context *context, gv_grid_kind kind, int k, int64_t *width,
                               int64_t *height) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_voronoi *voronoi = NULL;
  const double whole_globe[] = {-180, 4, 0, 90, 0, -180.0 / HEIGHT};
  uint64_t state = 3;
  for (int i = 0; i < SEEDS; i++) {
    x[i] = (double)(split_mix(&state) % 80);
    y[i] = (double)(split_mix(&state) % 70);
  }
  grid.kind = kind;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  if (kind != GV_GRID_PLANE) memcpy(grid.geotransform, whole_globe, sizeof whole_globe);
  if (kind == GV_GRID_QTM) grid.level = LEVEL;
  options.metric = kind == GV_GRID_PLANE ? GV_MANHATTAN : GV_GREAT_CIRCLE;
  options.k = k;
  options.block_width = 32; /* of the mesh: 16 */
  options.block_height = 8;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &options, &voronoi), GV_OK);
  *width = kind == GV_GRID_QTM ? gv_qtm_count(LEVEL) : WIDTH;
  *height = kind == GV_GRID_QTM ? 1 : HEIGHT;
  return voronoi;
}

static void check_parts(gv_context *context, const gv_voronoi *voronoi, int parts, int k, int64_t width,
                        int64_t height, const int32_t *whole) {
  bool mesh = height == 1;
  int64_t seen = 0, most = 0, least = width * height, along = mesh ? width : height;
  for (int part = 0; part < parts; part++) {
    gv_labels w;
    gv_labels_init(&w);
    w.column = w.row = w.columns = w.rows = -1;
    assert_int_equal(gv_voronoi_part(context, voronoi, part, parts, &w), GV_OK);
    assert_int_equal(mesh ? w.column : w.row, seen);
    assert_int_equal(mesh ? w.row : w.column, 0);
    assert_int_equal(mesh ? w.rows : w.columns, mesh ? height : width);
    int64_t extent = mesh ? w.columns : w.rows, stride = w.columns + 3;
    seen += extent;
    most = extent > most ? extent : most;
    if (seen < along && extent < least) least = extent;
    int32_t *out = malloc((size_t)(stride * w.rows * k + 1) * sizeof *out);
    memset(out, 0x55, (size_t)(stride * w.rows * k + 1) * sizeof *out);
    w.out = out;
    w.stride = stride;
    if (extent > 0) assert_int_equal(gv_voronoi_fill(context, voronoi, &w, NULL), GV_OK);
    for (int64_t row = 0; row < w.rows * k; row++) {
      const int32_t *from = whole + ((row / w.rows * height + w.row + row % w.rows) * width + w.column);
      assert_memory_equal(out + row * stride, from, (size_t)w.columns * sizeof *out);
      for (int64_t i = w.columns; i < stride; i++)
        assert_int_equal(out[row * stride + i], 0x55555555);
    }
    free(out);
  }
  assert_int_equal(seen, along);
  assert_true(most - least <= (mesh ? 16 : 8)); /* a block */
}

static void parts_are_the_whole(void **state) {
  (void)state;
  static const gv_grid_kind kinds[] = {GV_GRID_PLANE, GV_GRID_LONLAT, GV_GRID_QTM};
  gv_context *context = new_context();
  for (int i = 0; i < 3; i++) {
    for (int k = 1; k <= MOST_K; k++) {
      int64_t width, height;
      gv_voronoi *voronoi = new_voronoi(context, kinds[i], k, &width, &height);
      int32_t *whole = malloc((size_t)(width * height * k) * sizeof *whole);
      assert_int_equal(fill_grid(context, voronoi, whole, width), GV_OK);
      for (int parts = 1; parts <= 13; parts += 2) /* of nine rows of blocks */
        check_parts(context, voronoi, parts, k, width, height, whole);
      free(whole);
      gv_voronoi_destroy(voronoi);
    }
  }
  gv_context_destroy(context);
}

static int cancel(double fraction, void *user) {
  (void)user;
  return fraction < 0.0;
}

static void nonsense_is_refused(void **state) {
  (void)state;
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *context = new_context(), *impatient = NULL;
  int64_t width, height;
  gv_labels w;
  gv_labels_init(&w);
  gv_voronoi *voronoi = new_voronoi(context, GV_GRID_PLANE, 1, &width, &height);
  static int32_t out[WIDTH * HEIGHT];
  const gv_status wrong = GV_ERROR_INVALID_ARGUMENT;
  assert_int_equal(gv_voronoi_part(NULL, voronoi, 0, 1, &w), wrong);
  assert_int_equal(gv_voronoi_part(context, NULL, 0, 1, &w), wrong);
  assert_int_equal(gv_voronoi_part(context, voronoi, 0, 1, NULL), wrong);
  assert_int_equal(gv_voronoi_part(context, voronoi, -1, 1, &w), wrong);
  assert_int_equal(gv_voronoi_part(context, voronoi, 2, 2, &w), wrong);
  assert_non_null(strstr(gv_context_message(context), "part: out of range (number 2 from 0, of 2)"));
  assert_int_equal(gv_voronoi_part(context, voronoi, INT32_MAX - 1, INT32_MAX, &w), GV_OK);
  assert_int_equal(w.row + w.rows, HEIGHT);
  assert_int_equal(gv_voronoi_part(context, voronoi, 0, 2, &w), GV_OK);
  assert_int_equal(gv_voronoi_fill(context, voronoi, &w, NULL), wrong); /* no place */
  w.out = out;
  w.stride = width - 1;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &w, NULL), wrong);
  w.stride = width;
  assert_int_equal(gv_voronoi_fill(NULL, voronoi, &w, NULL), wrong);
  options.progress = cancel;
  assert_int_equal(gv_context_create(&options, &impatient), GV_OK);
  assert_int_equal(gv_voronoi_fill(impatient, voronoi, &w, NULL), GV_ERROR_CANCELLED);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(impatient);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_the_whole),
                                     cmocka_unit_test(nonsense_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
