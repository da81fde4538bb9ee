/*
 * Seeds as CSV and GeoJSON, a mask of polygons: whatever is in the files, they are read or refused with a line of text. Seeds from CSV
 * are those that OGR reads.
 */
#include "fuzz.h"

#include <gdal.h>
#include <math.h>

#include "io/overlay/mask.h"

static void quiet(CPLErr level, CPLErrorNum number, const char *text) {
  gv_io_take_message(level, number, text);
}

static void begin(void) {
  static int begun;
  if (begun++ > 0) return;
  GDALAllRegister();
  CPLSetErrorHandler(quiet);
}

static void read_seeds(const char *path) {
  gv_io io = {.message = ""};
  gv_seed_options options = {.source = path};
  gv_seed_list seeds = GV_SEED_LIST_INIT;
  gv_status status = gv_seeds_read(&io, &options, &seeds);
  if (status == GV_OK) {
    FUZZ_REQUIRE(seeds.count >= 1);
    for (int64_t i = 0; i < seeds.count; i++)
      FUZZ_REQUIRE(isfinite(seeds.x[i]) && isfinite(seeds.y[i]) && seeds.rows[i] >= 1);
    gv_grid_options wanted = {.has_size = true, .size = {9, 7}};
    gv_raster_grid grid;
    status = gv_raster_grid_make(&io, &wanted, &seeds, &grid);
    if (status == GV_OK) FUZZ_REQUIRE(grid.grid.width == 9 && grid.grid.height == 7);
    gv_raster_grid_free(&grid);
  }
  if (status != GV_OK) FUZZ_REQUIRE(io.message[0] != '\0' && strchr(io.message, '\n') == NULL);
  gv_seeds_free(&seeds);
}

static void read_mask(const char *path) {
  static uint8_t cells[40 * 20];
  gv_io io = {.message = ""};
  gv_mask_options options = {.source = path};
  OGRSpatialReferenceH degrees = OSRNewSpatialReference(NULL);
  FUZZ_REQUIRE(degrees != NULL && OSRImportFromEPSG(degrees, 4326) == OGRERR_NONE);
  OSRSetAxisMappingStrategy(degrees, OAMS_TRADITIONAL_GIS_ORDER);
  gv_raster_grid grid = {
      .grid = GV_GRID_INIT, .geotransform = {-180, 9, 0, 90, 0, -9}, .crs = degrees, .metric = GV_GEODESIC};
  grid.grid.kind = GV_GRID_LONLAT;
  grid.grid.width = 40;
  grid.grid.height = 20;
  memcpy(grid.grid.geotransform, grid.geotransform, sizeof grid.geotransform);
  gv_mask *mask = NULL;
  int64_t kept = -1;
  gv_status status = gv_mask_open(&io, &options, &grid, (gv_readers){1, 1, 1 << 20}, &mask);
  if (status == GV_OK) status = gv_mask_cells(&io, mask, 0, 0, 0, 40, 20, cells, 40, &kept);
  if (status == GV_OK) {
    int64_t counted = 0;
    for (size_t i = 0; i < sizeof cells; i++)
      counted += cells[i] == 1;
    FUZZ_REQUIRE(counted == kept);
  } else {
    FUZZ_REQUIRE(io.message[0] != '\0');
  }
  gv_mask_close(mask);
  OSRRelease(degrees);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"/vsimem/fuzz.csv", "/vsimem/fuzz.geojson", "/vsimem/mask.geojson"};
  if (size == 0) return 0;
  begin();
  int kind = data[0] % 3;
  VSILFILE *file = VSIFileFromMemBuffer(names[kind], (GByte *)data + 1, size - 1, FALSE);
  FUZZ_REQUIRE(file != NULL && VSIFCloseL(file) == 0);
  if (kind < 2)
    read_seeds(names[kind]);
  else
    read_mask(names[kind]);
  VSIUnlink(names[kind]);
  char text[512];
  while (gv_io_next_warning(text, sizeof text)) {
  }
  return 0;
}
