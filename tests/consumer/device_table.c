/* Statistics of a world raster that no host ever sees: labels, distances and sums are made on a CUDA
 * device. */
#define GV_EXPERIMENTAL
#include <gpuvoronoi/experimental.h>
#include <stdio.h>
#include <string.h>

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum { WIDTH = 3600, HEIGHT = 1800, SEEDS = 3 };

static gv_status count(gv_context *context, gv_statistics *statistics) {
  gv_statistics_cells half; /* its seeds are found there */
  gv_statistics_cells_init(&half);
  half.array_options = &on_device;
  half.rows = HEIGHT / 2;
  gv_status status = gv_statistics_add(context, statistics, &half);
  half.row = HEIGHT / 2; /* as another device could, with objects of its own */
  return status == GV_OK ? gv_statistics_add(context, statistics, &half) : status;
}

static int print_table(gv_context *context, const gv_statistics *statistics) {
  static const char *const names[SEEDS] = {"Quito", "Nairobi", "Jakarta"};
  long long cells = 0;
  for (int i = 0; i < SEEDS; i++) {
    gv_seed_statistics s;
    gv_seed_statistics_init(&s);
    if (gv_statistics_get(context, statistics, i, &s) != GV_OK) return 1;
    printf("%-8s %8lld cells, on average %5.0f km, at most %5.0f km\n", names[i], (long long)s.cells,
           s.distance_mean / 1e3, s.distance_max / 1e3);
    cells += s.cells;
  }
  return cells != (long long)WIDTH * HEIGHT;
}

int main(void) {
  const double lon[SEEDS] = {-78.5, 36.8, 106.8}, lat[SEEDS] = {-0.2, -1.3, -6.2};
  const double world[6] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT};
  const gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_statistics_options wanted;
  gv_statistics_options_init(&wanted);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_statistics *statistics = NULL;
  grid.kind = GV_GRID_LONLAT;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, world, sizeof world);
  options.metric = GV_GEODESIC;
  options.backend = "cuda-tile";
  wanted.distances = 1;
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
  if (status == GV_OK) status = gv_statistics_create(context, voronoi, &wanted, &statistics);
  if (status == GV_OK) status = count(context, statistics);
  int result = status == GV_OK ? print_table(context, statistics) : status != GV_ERROR_UNAVAILABLE;
  if (status != GV_OK) printf("no table: %s\n", gv_context_message(context));
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return result;
}
