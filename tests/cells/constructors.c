/* Grids of the constructors: the kind, size and result of each. */
#include <math.h>

#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"

enum { SEEDS = 3 };
static const double lon[SEEDS] = {10.0, -100.0, 140.0}, lat[SEEDS] = {50.0, 40.0, -30.0};

/* Number of the grid's cells, of which the nearest seeds are found; on an unknown grid -1. */
static int64_t cells_of(const gv_grid *grid, gv_metric metric, int64_t cell, int32_t expected) {
  const gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options options;
  gv_labels labels;
  int32_t nearest = -7;
  gv_voronoi_options_init(&options);
  gv_labels_init(&labels);
  options.metric = metric;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  if (gv_voronoi_create(context, grid, &seeds, &options, &voronoi) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  labels.column = cell;
  labels.columns = labels.rows = 1;
  labels.out = &nearest;
  assert_int_equal(gv_voronoi_fill(context, voronoi, &labels, NULL), GV_OK);
  assert_int_equal(nearest, expected);
  double areas[64], whole = 0.0;
  int64_t count = 0;
  for (gv_status status = GV_OK; status == GV_OK;) { /* cells of the first row */
    status = gv_voronoi_cell_areas(context, voronoi, count, 0, 1, 1, areas, 0);
    if (status == GV_OK) count++, whole += areas[0];
  }
  assert_true(count > 0 && (isnan(whole) || whole > 0.0));
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return count;
}

static int scale(double *x, double *y, int64_t n, void *user) {
  for (int64_t i = 0; i < n; i++) {
    x[i] *= *(const double *)user;
    y[i] *= *(const double *)user;
  }
  return 0;
}

static void rasters(void **unused) {
  (void)unused;
  const double degrees[6] = {0, 5, 0, 60, 0, -5}, halves[6] = {0, 10, 0, 120, 0, -10};
  double half = 0.5;
  gv_grid grid = gv_grid_plane(4, 3, NULL);
  assert_int_equal(grid.struct_size, sizeof grid);
  assert_int_equal(grid.kind, GV_GRID_PLANE);
  assert_int_equal(cells_of(&grid, GV_EUCLIDEAN, 0, 0), 4);
  grid = gv_grid_lonlat(4, 3, degrees);
  assert_int_equal(grid.kind, GV_GRID_LONLAT);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 1, 0), 4);
  gv_grid_set_qtm_level(&grid, 3);
  assert_int_equal(cells_of(&grid, GV_GREAT_CIRCLE, 1, 0), 4);
  grid = gv_grid_projected(5, 3, halves, scale, &half);
  assert_int_equal(grid.kind, GV_GRID_PROJECTED);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 1, 0), 5);
}

static void meshes_and_lists(void **unused) {
  (void)unused;
  const double x[2] = {-99.0, 9.0}, y[2] = {41.0, 51.0}, area[2] = {1.0, 2.0};
  gv_grid grid = gv_grid_qtm(1);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 0, 0), gv_qtm_count(1));
  grid = gv_grid_healpix(1, 0, 0);
  double longitude, latitude;
  assert_int_equal(gv_healpix_center(1, 3, &longitude, &latitude), GV_OK); /* 45 E, 66 N */
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 3, 0), gv_healpix_count(1));
  grid = gv_grid_healpix(1, 1, 1);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 0, 0), gv_healpix_count(1));
  grid = gv_grid_s2(1, 0);
  int64_t number = -1;
  assert_int_equal(gv_s2_from_lonlat(1, 140.0, -30.0, &number), GV_OK);
  assert_int_equal(cells_of(&grid, GV_GREAT_CIRCLE, number, 2), gv_s2_count(1));
  grid = gv_grid_points(x, y, NULL, 2);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 0, 1), 2);
  grid = gv_grid_points(x, y, area, 2);
  gv_grid_set_ellipsoid(&grid, 6371000.0, 0.0);
  assert_true(grid.semi_major == 6371000.0 && grid.flattening == 0.0);
  assert_int_equal(cells_of(&grid, GV_GEODESIC, 1, 0), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rasters), cmocka_unit_test(meshes_and_lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
