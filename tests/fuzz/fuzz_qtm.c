/* The mesh functions on arbitrary strings, ids and coordinates: refuse or agree with each other. */
#include "fuzz.h"

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

/* Everything that must hold for a valid id. */
static void check_cell(gv_qtm_id id) {
  char text[GV_QTM_STRING_SIZE];
  gv_qtm_id other, near[3];
  double lon[3], lat[3], center_lon, center_lat;
  int level = gv_qtm_level(id);
  FUZZ_REQUIRE(level >= 0 && level <= GV_QTM_MAX_LEVEL && gv_qtm_is_valid(id) && id > 0);
  FUZZ_REQUIRE(gv_qtm_to_string(id, text, sizeof text) == GV_OK && strlen(text) == (size_t)level + 1);
  FUZZ_REQUIRE(gv_qtm_from_string(text, &other) == GV_OK && other == id);
  FUZZ_REQUIRE(gv_qtm_from_number(level, gv_qtm_number(id), &other) == GV_OK && other == id);
  FUZZ_REQUIRE(gv_qtm_neighbors(id, near) == GV_OK);
  for (int i = 0; i < 3; i++)
    FUZZ_REQUIRE(gv_qtm_level(near[i]) == level && near[i] != id);
  FUZZ_REQUIRE(gv_qtm_corners(id, lon, lat, NULL) == GV_OK);
  for (int i = 0; i < 3; i++)
    FUZZ_REQUIRE(fabs(lon[i]) <= 180.0 && fabs(lat[i]) <= 90.0);
  FUZZ_REQUIRE(gv_qtm_center(id, &center_lon, &center_lat) == GV_OK);
  FUZZ_REQUIRE(gv_qtm_from_lonlat(level, center_lon, center_lat, &other) == GV_OK && other == id);
  FUZZ_REQUIRE(gv_qtm_area(id) > 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  gv_qtm_id id;
  double place[2];
  fuzz_take(&input, &id, sizeof id);
  if (gv_qtm_is_valid(id)) check_cell(id);
  int level = (int8_t)fuzz_byte(&input);
  fuzz_take(&input, place, sizeof place);
  if (gv_qtm_from_lonlat(level, place[0], place[1], &id) == GV_OK) {
    FUZZ_REQUIRE(gv_qtm_level(id) == level);
    check_cell(id);
  } else {
    FUZZ_REQUIRE(level < 0 || level > GV_QTM_MAX_LEVEL || !isfinite(place[0]) || !(fabs(place[1]) <= 90.0));
  }
  char text[64];
  size_t length = input.left < sizeof text - 1 ? input.left : sizeof text - 1;
  fuzz_take(&input, text, length);
  text[length] = '\0';
  if (gv_qtm_from_string(text, &id) == GV_OK) check_cell(id);
  return 0;
}
