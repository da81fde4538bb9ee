/* Seeds as CSV: refused with a line of text, or the positions, ids and weights that OGR's own fields have. */
#include <math.h>

#include <cpl_conv.h>
#include <ogr_api.h>

#include "gdal_input.h"

enum { MOST_BYTES = 2048 };

static const char path[] = "/vsimem/fuzz.csv";

/* The first column with one of the names (NULL-terminated), earlier names first. */
static int find(OGRFeatureDefnH definition, const char *const *names) {
  for (; *names != NULL; names++) {
    for (int i = 0; i < OGR_FD_GetFieldCount(definition); i++) {
      char name[16] = "";
      const char *full = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, i));
      full += strspn(full, " \t");
      size_t length = strlen(full);
      while (length > 0 && full[length - 1] == ' ')
        length--;
      if (length < sizeof name) memcpy(name, full, length);
      if (EQUAL(name, *names)) return i;
    }
  }
  return -1;
}

/* What OGR makes of a field, but where the separator lets commas be points. */
static void check_number(OGRFeatureH feature, int field, double found) {
  const char *text = OGR_F_GetFieldAsString(feature, field);
  if (strchr(text, ',') == NULL) FUZZ_REQUIRE(found == CPLAtof(text));
}

/* All rows were seeds, as none may be skipped. */
static void compare(const gv_seed_list *seeds, const gv_seed_options *options) {
  static const char *const names[][5] = {{"lon", "longitude", "lng", "long", NULL},
                                         {"lat", "latitude", NULL}};
  static const char *const plane[][2] = {{"x", NULL}, {"y", NULL}};
  GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_VECTOR, NULL, NULL, NULL);
  FUZZ_REQUIRE(dataset != NULL);
  OGRLayerH layer = GDALDatasetGetLayer(dataset, 0);
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  int x = find(definition, names[0]), y = find(definition, names[1]);
  if (x < 0 || y < 0) {
    x = find(definition, plane[0]);
    y = find(definition, plane[1]);
  }
  bool columns = OGR_L_GetGeomType(layer) == wkbNone;
  if (columns) FUZZ_REQUIRE(x >= 0 && y >= 0);
  int64_t row = 0;
  for (OGRFeatureH feature; columns && (feature = OGR_L_GetNextFeature(layer)) != NULL; row++) {
    FUZZ_REQUIRE(row < seeds->count && seeds->fids[row] == OGR_F_GetFID(feature) &&
                 seeds->rows[row] == row + 1);
    check_number(feature, x, seeds->x[row]);
    check_number(feature, y, seeds->y[row]);
    if (seeds->weights != NULL)
      check_number(feature, OGR_FD_GetFieldIndex(definition, options->weight_field), seeds->weights[row]);
    if (options->id_field != NULL && !seeds->ids_are_rows) {
      const char *text = OGR_F_GetFieldAsString(feature, OGR_FD_GetFieldIndex(definition, options->id_field));
      FUZZ_REQUIRE(seeds->ids[row] == strtoll(text, NULL, 10));
    }
    OGR_F_Destroy(feature);
  }
  if (columns) FUZZ_REQUIRE(row == seeds->count);
  GDALClose(dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > MOST_BYTES) return 0;
  fuzz_begin_gdal();
  uint8_t choices = data[0];
  fuzz_put_file(path, data + 1, size - 1);
  gv_io io = {.message = ""};
  gv_seed_options options = {.source = path, .skip_invalid = (choices & 4U) != 0, .shapes = true};
  if (choices & 1U) options.id_field = "id";
  if (choices & 2U) options.weight_field = "w";
  if (choices & 8U) options.where = "id > 1";
  gv_seed_list seeds = GV_SEED_LIST_INIT;
  gv_status status = gv_seeds_read(&io, &options, &seeds);
  fuzz_check_failure(status, &io);
  if (status == GV_OK) {
    FUZZ_REQUIRE(seeds.count >= 1);
    for (int64_t i = 0; i < seeds.count; i++)
      FUZZ_REQUIRE(isfinite(seeds.x[i]) && isfinite(seeds.y[i]) && seeds.rows[i] >= 1);
    if (!options.skip_invalid && options.where == NULL) compare(&seeds, &options);
  }
  gv_seeds_free(&seeds);
  fuzz_end_gdal();
  return 0;
}
