/* Polygons of GeoJSON as a mask: refused with a line of text, or the same cells in one piece and in rows. */
#include "gdal_input.h"

#include "io/overlay/mask.h"

enum { MOST_BYTES = 4096, WIDTH = 40, HEIGHT = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char path[] = "/vsimem/mask.geojson";
  static uint8_t cells[WIDTH * HEIGHT], row[WIDTH];
  if (size > MOST_BYTES) return 0;
  fuzz_begin_gdal();
  fuzz_put_file(path, data, size);
  gv_io io = {.message = ""};
  gv_mask_options options = {.source = path};
  gv_raster_grid grid = fuzz_world();
  gv_mask *mask = NULL;
  int64_t kept = -1, counted = 0, in_rows = 0;
  gv_status status = gv_mask_open(&io, &options, &grid, (gv_readers){1, 1, 1 << 20, NULL}, &mask);
  if (status == GV_OK) status = gv_mask_cells(&io, mask, 0, 0, 0, WIDTH, HEIGHT, cells, WIDTH, &kept);
  for (int y = 0; status == GV_OK && y < HEIGHT; y++) {
    int64_t some;
    status = gv_mask_cells(&io, mask, 0, 0, y, WIDTH, 1, row, WIDTH, &some);
    if (status != GV_OK) break;
    in_rows += some;
    FUZZ_REQUIRE(memcmp(row, cells + y * WIDTH, WIDTH) == 0);
    for (int x = 0; x < WIDTH; x++)
      counted += row[x] == 1;
  }
  if (status == GV_OK) FUZZ_REQUIRE(counted == kept && in_rows == kept);
  fuzz_check_failure(status, &io);
  gv_mask_close(mask);
  fuzz_end_gdal();
  return 0;
}
