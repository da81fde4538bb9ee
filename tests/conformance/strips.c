/*
 * Rectangles of grids in host memory, independent of where blocks begin: the results of `serial` for the
 * whole grid, by several engines; errors are reported. On devices: tests/gpu/device_strips.c.
 */
#include "gpuvoronoi/experimental.h"
#include "strip_cases.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};
static const gv_array_options elsewhere = {sizeof(gv_array_options), (gv_memory)7, NULL};

static void *take(size_t bytes) {
  return malloc(bytes > 0 ? bytes : 1);
}

static void copy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}

static const store host = {GV_MEMORY_HOST, take, free, copy};

static void every_grid(void **state) {
  (void)state;
  random_state = 11;
  check_every_grid(&host, "tile");
}

static void every_mesh(void **state) {
  (void)state;
  random_state = 12;
  check_meshes(&host, "tile");
}

static const double seed_x[] = {1.0, 7.0}, seed_y[] = {-2.0, -5.0};

static gv_voronoi *small_grid(gv_context *context, const char *backend, int32_t k) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(seed_x, seed_y, 2);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_voronoi *voronoi = NULL;
  const double geotransform[] = {0, 1, 0, 0, 0, -1};
  grid.width = 300;
  grid.height = 200;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = backend;
  o.k = k;
  o.block_width = o.block_height = 16;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  return voronoi;
}

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  assert_int_equal(status, expected);
  if (strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: not '%s'", gv_context_message(context), part);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  static int32_t out[2 * 200 * 300];
  static uint8_t mask[1];
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *voronoi = small_grid(context, "tile", 2);
  gv_labels good, s;
  gv_labels_init(&good);
  good.out = out;
  good.stride = 300;
  good.band_stride = 200 * 300;
  assert_int_equal(gv_voronoi_fill(NULL, voronoi, &good, NULL), GV_ERROR_INVALID_ARGUMENT);
  expect(context, gv_voronoi_fill(context, NULL, &good, NULL), GV_ERROR_INVALID_ARGUMENT, "is NULL");
  expect(context, gv_voronoi_fill(context, voronoi, NULL, NULL), GV_ERROR_INVALID_ARGUMENT, "is NULL");
  s = good, s.out = NULL;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT, "is NULL");
  const int64_t outside[][4] = {{-1, 0, 1, 1},  {0, -1, 1, 1},  {300, 0, 0, 0},       {0, 200, 0, 0},
                                {0, 0, -1, 1},  {0, 0, 1, -1},  {299, 0, 2, 1},       {0, 199, 1, 2},
                                {0, 0, 301, 1}, {0, 0, 1, 201}, {1, 0, INT64_MAX, 1}, {0, 1, 1, INT64_MAX}};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    s = good, s.column = outside[i][0], s.row = outside[i][1], s.columns = outside[i][2],
    s.rows = outside[i][3];
    expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
           "outside the grid");
  }
  s = good, s.stride = 299;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
         "stride: shorter than a row (299");
  s = good, s.band_stride = 298;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
         "stride: shorter than a row (298");
  s = good, s.mask = mask, s.mask_stride = 297;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT, "(297");
  s = good, s.array_options = &elsewhere;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT, "(7)");
  assert_int_equal(gv_voronoi_fill(context, voronoi, &good, NULL), GV_OK);
  gv_voronoi_destroy(voronoi);
  /* Processors, and engines that search points, whatever they run on. */
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (!info.available || strcmp(info.name, "cuda-tile") == 0) continue;
    voronoi = small_grid(context, info.name, 1);
    s = good, s.array_options = &on_device;
    expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_UNSUPPORTED, "use cuda-tile");
    gv_voronoi_destroy(voronoi);
  }
  gv_context_destroy(context);
}

static int stop_soon(double fraction, void *user) {
  (void)user;
  return fraction < 0.1;
}

static void cancelled(void **state) {
  (void)state;
  static int32_t out[200 * 300];
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *context = NULL;
  options.progress = stop_soon;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  gv_voronoi *voronoi = small_grid(context, "tile", 1);
  gv_labels s;
  gv_labels_init(&s);
  s.out = out;
  s.stride = 300;
  expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_CANCELLED, "cancelled");
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

/* The other engines, which have no code for strips. */
static void other_engines(void **state) {
  (void)state;
  static const char *const names[] = {"serial", "kdtree", "openmp", "auto"};
  random_state = 13;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const grid_case *g = &grid_cases[i * 4];
    double x[20], y[20];
    gv_points seeds = gv_points_xy(x, y, 20);
    question q = plain;
    gv_grid grid = grid_of(g);
    q.k = 1 + (int32_t)i;
    for (int s = 0; s < 20; s++)
      make_seed(g, DUPLICATES, s, 20, x, y);
    check_strips_of(&host, g->name, &grid, &seeds, on_globe(g) ? GV_GREAT_CIRCLE : GV_MANHATTAN, &q, names[i],
                    "serial");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_grid), cmocka_unit_test(every_mesh),
                                     cmocka_unit_test(other_engines), cmocka_unit_test(what_is_wrong_is_said),
                                     cmocka_unit_test(cancelled)};
  return cmocka_run_group_tests_name("strips", tests, NULL, NULL);
}
