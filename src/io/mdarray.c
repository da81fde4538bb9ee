#include "io/mdarray.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/io.h"

static atomic_bool left_open;
static const char source_text[] = "gpuvoronoi " GV_VERSION_STRING;

bool gv_array_put_texts(GDALMDArrayH array, const char *const texts[][2], int count) {
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreateString(0);
  bool good = true;
  for (int i = 0; i < count && good; i++) {
    if (texts[i][1] == NULL) continue;
    GDALAttributeH attribute = GDALMDArrayCreateAttribute(array, texts[i][0], 0, NULL, type, NULL);
    good = attribute != NULL && GDALAttributeWriteString(attribute, texts[i][1]);
    GDALAttributeRelease(attribute); /* accepts NULL */
  }
  GDALExtendedDataTypeRelease(type);
  return good;
}

bool gv_mdarray_put_number(GDALMDArrayH array, const char *name, GDALExtendedDataTypeH type, double value) {
  GDALAttributeH made = GDALMDArrayCreateAttribute(array, name, 0, NULL, type, NULL);
  bool good = made != NULL && GDALAttributeWriteDouble(made, value);
  GDALAttributeRelease(made);
  return good;
}

bool gv_mdarray_put_raw(GDALMDArrayH array, const char *name, GDALExtendedDataTypeH type, const void *value,
                        size_t size) {
  GDALAttributeH made = GDALMDArrayCreateAttribute(array, name, 0, NULL, type, NULL);
  bool good = made != NULL && GDALAttributeWriteRaw(made, value, size);
  GDALAttributeRelease(made);
  return good;
}

bool gv_mdarray_put_missing(GDALMDArrayH array, int64_t value) {
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreate(GDT_Int64);
  bool good = gv_mdarray_put_raw(array, "missing_value", type, &value, sizeof value);
  GDALExtendedDataTypeRelease(type);
  return good;
}

bool gv_mdarray_put_global(GDALGroupH root, const char *name, const char *text) {
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreateString(0);
  GDALAttributeH made = GDALGroupCreateAttribute(root, name, 0, NULL, type, NULL);
  bool good = made != NULL && GDALAttributeWriteString(made, text);
  GDALAttributeRelease(made);
  GDALExtendedDataTypeRelease(type);
  return good;
}

bool gv_mdarray_put_json(GDALGroupH root, GDALMDArrayH array, const char *name, const char *json) {
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreateStringEx(0, GEDTST_JSON);
  GDALAttributeH made = array != NULL ? GDALMDArrayCreateAttribute(array, name, 0, NULL, type, NULL)
                                      : GDALGroupCreateAttribute(root, name, 0, NULL, type, NULL);
  bool good = made != NULL && GDALAttributeWriteString(made, json);
  GDALAttributeRelease(made);
  GDALExtendedDataTypeRelease(type);
  return good;
}

bool gv_mdarray_put_source(GDALGroupH root) {
  return gv_mdarray_put_global(root, "source", source_text);
}

GDALMDArrayH gv_mdarray_make(GDALGroupH root, const char *name, GDALDimensionH first, GDALDimensionH second,
                             GDALExtendedDataTypeH type) {
  GDALDimensionH dimensions[2] = {first, second};
  int64_t size = (int64_t)GDALDimensionGetSize(first),
          chunk = size < GV_MDARRAY_CHUNK ? size : GV_MDARRAY_CHUNK;
  char text[64];
  snprintf(text, sizeof text, second != NULL ? "%" PRId64 ",%" PRIu64 : "%" PRId64, chunk,
           second != NULL ? (uint64_t)GDALDimensionGetSize(second) : 0);
  char **options = CSLSetNameValue(NULL, "COMPRESS", "DEFLATE");
  options = CSLSetNameValue(options, "ZLEVEL", "1");
  options = CSLSetNameValue(options, "BLOCKSIZE", text);
  GDALMDArrayH made =
      GDALGroupCreateMDArray(root, name, second != NULL ? 2 : 1, dimensions, type, (CSLConstList)options);
  CSLDestroy(options);
  return made;
}

bool gv_mdarray_write(GDALMDArrayH array, int64_t first, int64_t count, int64_t columns,
                      GDALExtendedDataTypeH type, const void *values) {
  GUInt64 start[2] = {(GUInt64)first, 0};
  size_t counts[2] = {(size_t)count, (size_t)columns};
  return GDALMDArrayWrite(array, start, counts, NULL, NULL, type, values, NULL, 0) != 0;
}

bool gv_mdarray_describe_crs(GDALGroupH root, OGRSpatialReferenceH crs) {
  static const char *const format[] = {"FORMAT=WKT2_2018", NULL};
  char *wkt = NULL;
  OGRErr error = OGRERR_NONE;
  GDALExtendedDataTypeH int32 = GDALExtendedDataTypeCreate(GDT_Int32),
                        float64 = GDALExtendedDataTypeCreate(GDT_Float64);
  if (OSRExportToWktEx(crs, &wkt, format) != OGRERR_NONE || wkt == NULL) {
    CPLFree(wkt);
    GDALExtendedDataTypeRelease(int32);
    GDALExtendedDataTypeRelease(float64);
    return false;
  }
  const char *const texts[][2] = {
      {"grid_mapping_name", "latitude_longitude"}, {"crs_wkt", wkt}, {"wkt", wkt}}; /* the latter for MDAL */
  GDALMDArrayH made = GDALGroupCreateMDArray(root, "crs", 0, NULL, int32, NULL);
  bool good =
      made != NULL && gv_array_put_texts(made, texts, 1) &&
      gv_mdarray_put_number(made, "semi_major_axis", float64, OSRGetSemiMajor(crs, &error)) &&
      gv_mdarray_put_number(made, "inverse_flattening", float64, OSRGetInvFlattening(crs, &error)) &&
      gv_mdarray_put_number(made, "longitude_of_prime_meridian", float64, OSRGetPrimeMeridian(crs, NULL)) &&
      gv_array_put_texts(made, texts + 1, 2);
  GDALMDArrayRelease(made);
  GDALExtendedDataTypeRelease(int32);
  GDALExtendedDataTypeRelease(float64);
  CPLFree(wkt);
  return good;
}

/* The driver begins to define when an attribute is set, and writes all data when that ends. */
bool gv_mdarray_flush(GDALGroupH root, const char *array) {
  const GUInt64 start[1] = {0};
  const size_t count[1] = {1};
  int32_t value = 0;
  GDALExtendedDataTypeH int32 = GDALExtendedDataTypeCreate(GDT_Int32);
  GDALAttributeH source = root != NULL ? GDALGroupGetAttribute(root, "source") : NULL;
  GDALMDArrayH scalar = root != NULL ? GDALGroupOpenMDArray(root, array, NULL) : NULL;
  bool good = source != NULL && scalar != NULL && GDALAttributeWriteString(source, source_text) &&
              GDALMDArrayRead(scalar, start, count, NULL, NULL, int32, &value, &value, sizeof value);
  GDALMDArrayRelease(scalar);
  GDALAttributeRelease(source);
  GDALExtendedDataTypeRelease(int32);
  good = good && !gv_gdal_failed(); /* what the calls do not return */
  if (!good) atomic_store(&left_open, true);
  return good;
}

bool gv_mdarray_left_open(void) {
  return atomic_load(&left_open);
}
