/* What the host decides for a device, without one: cells with every seed for a candidate have the answers of
 * `serial`. */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "voronoi/pipeline/open_cells.h"

enum { WIDTH = 24, HEIGHT = 12, CELLS = WIDTH * HEIGHT, LEVEL = 2, SEEDS = 9, MOST_K = 3 };

static void check(const gv_grid *grid, int64_t width, int64_t cells, int32_t k, double max_distance) {
  static const double lon[SEEDS] = {-170, -100, -20, 0, 3, 40, 100, 179, 100},
                      lat[SEEDS] = {80, -60, 0, 45, 46, -10, 20, -85, 20};
  static gv_open_cell cell[CELLS];
  static int32_t id[CELLS * SEEDS], expected[MOST_K * CELLS], found[MOST_K * CELLS];
  gv_context *context = NULL;
  gv_voronoi *v = NULL;
  gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.backend = "serial";
  o.metric = GV_GEODESIC;
  o.k = k;
  o.max_distance = max_distance;
  o.nodata = -7;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_voronoi_create(context, grid, &seeds, &o, &v), GV_OK);
  assert_int_equal(fill_grid(context, v, expected, width), GV_OK);
  int32_t n = v->seeds.count;
  for (int32_t i = 0; i < cells; i++) {
    cell[i] =
        (gv_open_cell){.column = i % width, .row = i / width, .at = i, .list = (int64_t)i * n, .count = n};
    for (int32_t s = 0; s < n; s++)
      id[i * n + s] = (s * 4 + i) % n; /* in no order */
  }
  gv_open_cells open = {cell, id, cells, false};
  assert_int_equal(gv_open_cells_decide(context, v, &open, found), GV_OK);
  assert_memory_equal(found, expected, (size_t)(k * cells) * sizeof *found);
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
}

static void cells_are_decided(void **state) {
  (void)state;
  const double geotransform[6] = {-180.0, 360.0 / WIDTH, 0.0, 90.0, 0.0, -180.0 / HEIGHT};
  gv_grid raster, mesh;
  gv_grid_init(&raster);
  gv_grid_init(&mesh);
  raster.kind = GV_GRID_LONLAT;
  raster.width = WIDTH;
  raster.height = HEIGHT;
  memcpy(raster.geotransform, geotransform, sizeof geotransform);
  mesh.kind = GV_GRID_QTM;
  mesh.level = LEVEL;
  int64_t triangles = gv_qtm_count(LEVEL);
  for (int32_t k = 1; k <= MOST_K; k += 2) {
    for (int limited = 0; limited < 2; limited++) {
      double most = limited ? 4e6 : INFINITY;
      check(&raster, WIDTH, CELLS, k, most);
      check(&mesh, triangles, triangles, k, most);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells_are_decided)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
