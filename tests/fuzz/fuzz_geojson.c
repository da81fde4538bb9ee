/* Seeds as GeoJSON, points, lines and polygons: an error with a line of text, or seeds for a grid around
 * them. */
#include <math.h>

#include "../grid_fill.h"
#include "gdal_input.h"
#include "gpuvoronoi/geometries.h"

enum { MOST_BYTES = 4096, WIDTH = 9, HEIGHT = 7 };

static gv_status answer(const gv_seed_list *seeds, const gv_raster_grid *grid) {
  static int32_t out[WIDTH * HEIGHT];
  gv_context_options one;
  gv_context_options_init(&one);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_features features;
  gv_points points = gv_points_xy(seeds->x, seeds->y, seeds->count);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  one.threads = 1;
  FUZZ_REQUIRE(gv_context_create(&one, &context) == GV_OK);
  options.metric = grid->metric;
  if (seeds->shapes != NULL) {
    features = gv_seeds_features(seeds);
    options.features = &features;
  }
  gv_status status =
      gv_voronoi_create(context, &grid->grid, options.features != NULL ? NULL : &points, &options, &voronoi);
  if (status == GV_OK) status = fill_grid(context, voronoi, out, WIDTH);
  for (int i = 0; status == GV_OK && i < WIDTH * HEIGHT; i++)
    FUZZ_REQUIRE(out[i] >= -1 && out[i] < seeds->count);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char path[] = "/vsimem/fuzz.geojson";
  if (size == 0 || size > MOST_BYTES) return 0;
  fuzz_begin_gdal();
  uint8_t choices = data[0];
  fuzz_put_file(path, data + 1, size - 1);
  gv_io io = {.message = ""};
  gv_seed_options options = {.source = path,
                             .shapes = (choices & 1U) == 0,
                             .skip_invalid = (choices & 2U) != 0,
                             .boundary = (choices & 4U) != 0,
                             .edges = (choices & 8U) != 0 ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT};
  gv_seed_list seeds = GV_SEED_LIST_INIT;
  gv_status status = gv_seeds_read(&io, &options, &seeds);
  if (status == GV_OK) {
    FUZZ_REQUIRE(seeds.count >= 1);
    for (int64_t i = 0; i < seeds.count; i++)
      FUZZ_REQUIRE(isfinite(seeds.x[i]) && isfinite(seeds.y[i]) && seeds.rows[i] >= 1);
    gv_grid_options wanted = {.has_size = true, .size = {WIDTH, HEIGHT}};
    gv_raster_grid grid;
    status = gv_raster_grid_make(&io, &wanted, &seeds, &grid);
    if (status == GV_OK) {
      FUZZ_REQUIRE(grid.grid.width == WIDTH && grid.grid.height == HEIGHT);
      answer(&seeds, &grid);
    }
    gv_raster_grid_free(&grid);
  }
  fuzz_check_failure(status, &io);
  gv_seeds_free(&seeds);
  fuzz_end_gdal();
  return 0;
}
