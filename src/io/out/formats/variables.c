#include "io/out/formats/variables.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/crs/crs.h"
#include "io/mdarray.h"
#include "io/out/formats/raster_convention.h"
#include "io/strings.h"
#include "io/text.h"

gv_status gv_variable_make(gv_io *io, const char *name, char **bands, gv_variable *out) {
  out->name = strdup(name);
  bool copied = gv_strings_copy((const char *const *)bands, &out->bands);
  return out->name != NULL && copied ? GV_OK : gv_io_fail_memory(io, "a name");
}

void gv_variable_free(gv_variable *v) {
  free(v->name);
  gv_strings_free(v->bands);
  free(v->flag_values);
  free(v->flag_meanings);
  *v = (gv_variable){.count = 0};
}

/* A name as one word: letters and digits of ASCII, and what else CF allows; other characters become _. */
static void put_word(gv_text *out, const gv_attribute_row *row) {
  char number[24];
  snprintf(number, sizeof number, "%" PRId64, row->id);
  for (const char *c = row->name[0] != '\0' ? row->name : number; *c != '\0'; c++) {
    bool follows = ((unsigned char)*c & 0xC0) == 0x80; /* within a character of UTF-8 */
    bool plain = (unsigned char)*c < 0x80 && (isalnum((unsigned char)*c) || strchr("_-.+@", *c) != NULL);
    if (!follows) gv_text_put(out, plain ? c : "_", 1);
  }
}

gv_status gv_variable_set_flags(gv_io *io, gv_variable *v, const gv_attribute_table *table) {
  gv_text meanings = {0};
  bool narrow =
      table->count > 0 && table->rows[0].id >= INT32_MIN && table->rows[table->count - 1].id <= INT32_MAX;
  if (!table->has_names || !narrow || table->count > GV_MOST_FLAGS) return GV_OK;
  v->flag_values = malloc((size_t)table->count * sizeof *v->flag_values);
  for (int i = 0; i < (int)table->count && v->flag_values != NULL; i++) {
    v->flag_values[i] = (double)table->rows[i].id;
    if (i > 0) gv_text_put(&meanings, " ", 1);
    put_word(&meanings, &table->rows[i]);
  }
  v->flag_meanings = gv_text_take(&meanings);
  if (v->flag_values == NULL || v->flag_meanings == NULL) return gv_io_fail_memory(io, "the names of ids");
  v->count = (int)table->count;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- NetCDF */

void gv_variable_to_netcdf(const gv_variable *v, const char *unit, GDALDatasetH dataset) {
  int bands = GDALGetRasterCount(dataset);
  for (int b = 0; b < bands; b++) {
    GDALRasterBandH band = GDALGetRasterBand(dataset, b + 1);
    /* Of several bands GDAL adds their number. */
    GDALSetMetadataItem(band, "NETCDF_VARNAME", bands > 1 ? CPLSPrintf("%s_", v->name) : v->name, NULL);
    GDALSetMetadataItem(band, "long_name", v->bands[b], NULL);
    if (unit != NULL) GDALSetMetadataItem(band, "units", unit, NULL);
  }
}

void gv_flags_to_netcdf(const gv_variable *v, GDALDatasetH dataset) {
  gv_text values = {0};
  char number[32];
  if (v->count == 0 || GDALGetRasterDataType(GDALGetRasterBand(dataset, 1)) != GDT_Int32) return;
  for (int i = 0; i < v->count; i++) {
    snprintf(number, sizeof number, "%s%.0f", i == 0 ? "{" : ",", v->flag_values[i]);
    gv_text_put_string(&values, number);
  }
  gv_text_put(&values, "}", sizeof "}");
  for (int b = 1; b <= GDALGetRasterCount(dataset) && !values.failed; b++) {
    GDALSetMetadataItem(GDALGetRasterBand(dataset, b), "flag_values", values.bytes, NULL);
    GDALSetMetadataItem(GDALGetRasterBand(dataset, b), "flag_meanings", v->flag_meanings, NULL);
  }
  gv_text_free(&values);
}

/* --------------------------------------------------------------------------------------------------- Zarr */

static bool put_flags(GDALMDArrayH array, const gv_variable *v) {
  const GUInt64 count = (GUInt64)v->count;
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreate(GDT_Int32);
  GDALAttributeH attribute = GDALMDArrayCreateAttribute(array, "flag_values", 1, &count, type, NULL);
  bool good = attribute != NULL && GDALAttributeWriteDoubleArray(attribute, v->flag_values, (size_t)v->count);
  GDALAttributeRelease(attribute);
  GDALExtendedDataTypeRelease(type);
  const char *const meanings[][2] = {{"flag_meanings", v->flag_meanings}};
  return good && gv_array_put_texts(array, meanings, 1);
}

/* What coordinates the columns' and the rows' are. */
static bool put_axes(GDALGroupH group, const char *const arrays[2], OGRSpatialReferenceH crs) {
  static const char *const axes[] = {"X", "Y"};
  static const char *const names[2][2] = {{"projection_x_coordinate", "projection_y_coordinate"},
                                          {"longitude", "latitude"}};
  static const char *const degrees[] = {"degrees_east", "degrees_north"};
  bool good = true, lonlat = crs != NULL && gv_crs_is_lonlat(crs), map = crs != NULL && OSRIsProjected(crs);
  for (int i = 0; i < 2 && good; i++) {
    GDALMDArrayH array = GDALGroupOpenMDArray(group, arrays[i], NULL);
    if (array == NULL) continue; /* rotated grids have none */
    char *unit = NULL;
    if (map) OSRGetLinearUnits(crs, &unit); /* owned by the CRS */
    const char *const texts[][2] = {{"axis", axes[i]},
                                    {"standard_name", lonlat || map ? names[lonlat][i] : NULL},
                                    {"units", lonlat ? degrees[i] : unit}};
    good = gv_array_put_texts(array, texts, 3);
    GDALMDArrayRelease(array);
  }
  return good;
}

/* The coordinates of the cells' centers along a dimension. */
static bool put_centers(GDALGroupH group, const char *name, double first, double step) {
  enum { SOME = 4096 };
  double values[SOME];
  size_t count = 0;
  GDALDimensionH *dimensions = GDALGroupGetDimensions(group, &count, NULL), along = NULL;
  for (size_t i = 0; i < count; i++)
    if (strcmp(GDALDimensionGetName(dimensions[i]), name) == 0) along = dimensions[i];
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreate(GDT_Float64);
  GDALMDArrayH array = along != NULL ? GDALGroupCreateMDArray(group, name, 1, &along, type, NULL) : NULL;
  bool good = array != NULL;
  GUInt64 size = along != NULL ? GDALDimensionGetSize(along) : 0;
  for (GUInt64 at = 0; at < size && good; at += SOME) {
    size_t n = size - at < SOME ? (size_t)(size - at) : SOME;
    for (size_t i = 0; i < n; i++)
      values[i] = first + ((double)(at + i) + 0.5) * step;
    good = GDALMDArrayWrite(array, &at, &n, NULL, NULL, type, values, NULL, 0) != 0;
  }
  GDALMDArrayRelease(array);
  GDALExtendedDataTypeRelease(type);
  GDALReleaseDimensions(dimensions, count);
  return good;
}

gv_status gv_axes_to_netcdf(gv_io *io, const char *path, const double g[6], int64_t height, bool upwards) {
  static const char *const names[] = {"x", "y"};
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_UPDATE, NULL, NULL, NULL);
  GDALGroupH group = dataset != NULL ? GDALDatasetGetRootGroup(dataset) : NULL;
  bool good =
      group != NULL && put_centers(group, names[0], g[0], g[1]) &&
      put_centers(group, names[1], upwards ? g[3] + (double)height * g[5] : g[3], upwards ? -g[5] : g[5]) &&
      put_axes(group, names, NULL);
  GDALGroupRelease(group);
  GDALClose(dataset);
  return good && !gv_gdal_failed() ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot describe the output");
}

static bool put_missing(GDALMDArrayH array) {
  int has = 0;
  int64_t value = GDALMDArrayGetNoDataValueAsInt64(array, &has);
  return !has || gv_mdarray_put_missing(array, value);
}

static bool describe_arrays(const gv_variable *v, const gv_variable_grid *grid, GDALGroupH group) {
  static const char *const zarr[] = {"X", "Y"};
  int bands = CSLCount(v->bands);
  bool good = true;
  for (int b = 0; b < bands && good; b++) {
    const char *name = bands > 1 ? CPLSPrintf("%s_band%d", v->name, b + 1) : v->name;
    GDALMDArrayH array = GDALGroupOpenMDArray(group, name, NULL);
    const char *const long_name[][2] = {{"long_name", v->bands[b]}};
    good = array != NULL && gv_array_put_texts(array, long_name, 1);
    if (good && v->count > 0) good = put_flags(array, v);
    if (good && grid->missing) good = put_missing(array);
    if (good) good = gv_raster_convention_put(array, grid->geotransform, grid->width, grid->height);
    OGRSpatialReferenceH crs = good && b == 0 ? GDALMDArrayGetSpatialRef(array) : NULL;
    if (good && b == 0) good = put_axes(group, zarr, crs);
    if (crs != NULL) OSRRelease(crs);
    GDALMDArrayRelease(array);
  }
  return good;
}

gv_status gv_variable_to_zarr(gv_io *io, const gv_variable *v, const gv_variable_grid *grid,
                              const char *path) {
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_UPDATE, NULL, NULL, NULL);
  GDALGroupH group = dataset != NULL ? GDALDatasetGetRootGroup(dataset) : NULL;
  bool good = group != NULL && gv_mdarray_put_source(group) && describe_arrays(v, grid, group);
  GDALGroupRelease(group);
  GDALClose(dataset);
  return good && !gv_gdal_failed() ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot describe the output");
}
