#include "io/in/cells/place_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

#include "io/in/input_limit.h"

enum { MOST_DIMENSIONS = 4 };

static const char *const standard_names[2] = {"longitude", "latitude"};
static const char *const unit_names[2][4] = {{"degrees_east", "degree_east", "degrees_E", "degree_E"},
                                             {"degrees_north", "degree_north", "degrees_N", "degree_N"}};

/* A longitude or latitude array, and its dimensions as a text. */
typedef struct place_array {
  GDALMDArrayH array;
  int which; /* 0 = longitudes, 1 = latitudes */
  char *name;
  char *dimensions;
  int64_t count;
} place_array;

typedef struct place_arrays {
  place_array *list;
  int count;
} place_arrays;

bool gv_place_arrays_may_be(const char *source) {
  static const char *const endings[] = {"nc", "nc4", "cdf", "zarr"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (EQUAL(CPLGetExtension(source), endings[i])) return true;
  return false;
}

static bool place_text_is(GDALMDArrayH array, const char *attribute, const char *const *texts, int count) {
  GDALAttributeH found = GDALMDArrayGetAttribute(array, attribute);
  const char *text = found != NULL ? GDALAttributeReadAsString(found) : NULL;
  bool is = false;
  for (int i = 0; i < count && text != NULL; i++)
    is = is || EQUAL(text, texts[i]);
  GDALAttributeRelease(found);
  return is;
}

/* 0 or 1; -1: neither. */
static int place_kind(GDALMDArrayH array) {
  for (int i = 0; i < 2; i++)
    if (place_text_is(array, "standard_name", &standard_names[i], 1)) return i;
  for (int i = 0; i < 2; i++) {
    const char *unit = GDALMDArrayGetUnit(array);
    for (int u = 0; u < 4; u++)
      if (unit != NULL && EQUAL(unit, unit_names[i][u])) return i;
    if (place_text_is(array, "units", unit_names[i], 4)) return i;
  }
  return -1;
}

static bool place_is_radian(GDALMDArrayH array) {
  static const char *const names[] = {"radian", "radians", "rad", "rads"};
  const char *unit = GDALMDArrayGetUnit(array);
  for (int i = 0; i < 4; i++)
    if (unit != NULL && EQUAL(unit, names[i])) return true;
  return place_text_is(array, "units", names, 4);
}

/* Adds an array if it is a coordinate array; the list takes ownership. False: out of memory. */
static bool place_add(place_arrays *all, GDALMDArrayH array, const char *name) {
  int which = place_kind(array);
  size_t dimensions = 0;
  GDALDimensionH *of = which >= 0 ? GDALMDArrayGetDimensions(array, &dimensions) : NULL;
  place_array one = {.array = array, .which = which, .count = 1};
  char **names = NULL;
  for (size_t d = 0; d < dimensions; d++) {
    names = CSLAddString(names, GDALDimensionGetFullName(of[d]));
    one.count *= (int64_t)GDALDimensionGetSize(of[d]);
  }
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  bool kept = which >= 0 && dimensions >= 1 && dimensions <= MOST_DIMENSIONS && one.count > 0;
  place_array *more = kept ? realloc(all->list, (size_t)(all->count + 1) * sizeof *more) : NULL;
  if (more != NULL) {
    one.name = CPLStrdup(name);
    one.dimensions = CPLStrdup("");
    for (int i = 0; names != NULL && names[i] != NULL; i++) {
      char *longer = CPLStrdup(CPLSPrintf("%s|%s", one.dimensions, names[i]));
      CPLFree(one.dimensions);
      one.dimensions = longer;
    }
    all->list = more;
    all->list[all->count++] = one;
  } else {
    GDALMDArrayRelease(array);
  }
  CSLDestroy(names);
  return !kept || more != NULL;
}

static void place_arrays_free(place_arrays *all) {
  for (int i = 0; i < all->count; i++) {
    GDALMDArrayRelease(all->list[i].array);
    CPLFree(all->list[i].name);
    CPLFree(all->list[i].dimensions);
  }
  free(all->list);
}

/* The pair of one longitude and one latitude with the same dimensions. */
static gv_status place_find_pair(gv_io *io, const char *source, const place_arrays *all,
                                 const place_array *pair[2]) {
  pair[0] = pair[1] = NULL;
  for (int i = 0; i < all->count; i++) {
    for (int j = 0; j < all->count; j++) {
      const place_array *lon = &all->list[i], *lat = &all->list[j];
      if (lon->which != 0 || lat->which != 1 || strcmp(lon->dimensions, lat->dimensions) != 0) continue;
      if (pair[0] != NULL) {
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                          "%s: ambiguous coordinates (%s and %s, %s and %s); use a file with one pair", source,
                          pair[0]->name, pair[1]->name, lon->name, lat->name);
      }
      pair[0] = lon;
      pair[1] = lat;
    }
  }
  return GV_OK;
}

/* Its numbers as degrees, NaN where the file has none. */
static bool place_read(const place_array *from, double *to) {
  GUInt64 start[MOST_DIMENSIONS] = {0};
  size_t count[MOST_DIMENSIONS] = {0}, dimensions = 0;
  GDALDimensionH *of = GDALMDArrayGetDimensions(from->array, &dimensions);
  for (size_t d = 0; d < dimensions && d < MOST_DIMENSIONS; d++)
    count[d] = (size_t)GDALDimensionGetSize(of[d]);
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  GDALMDArrayH unscaled = GDALMDArrayGetUnscaled(from->array);
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreate(GDT_Float64);
  bool good = unscaled != NULL && GDALMDArrayRead(unscaled, start, count, NULL, NULL, type, to, to,
                                                  (size_t)from->count * sizeof *to) != 0;
  int has_nodata = 0;
  double nodata = good ? GDALMDArrayGetNoDataValueAsDouble(unscaled, &has_nodata) : 0.0;
  bool radians = place_is_radian(from->array);
  for (int64_t i = 0; i < from->count && good; i++) {
    if (has_nodata && to[i] == nodata) to[i] = (double)NAN;
    if (radians) to[i] *= 180.0 / 3.14159265358979323846;
  }
  GDALExtendedDataTypeRelease(type);
  GDALMDArrayRelease(unscaled);
  return good;
}

static gv_status place_fill(gv_io *io, const char *source, const place_array *const pair[2], gv_seed_list *out) {
  const size_t count = (size_t)pair[0]->count;
  GV_REQUIRE(io, pair[0]->count <= INT32_MAX, "%s: too many places; at most %d are supported", source, INT32_MAX);
  out->crs_option = "--cells-of";
  GV_TRY(gv_input_fits(io, &(gv_input_data){NULL, source, "cells", pair[0]->count, GV_BYTES_A_SEED}));
  out->x = malloc(count * sizeof *out->x);
  out->y = malloc(count * sizeof *out->y);
  out->ids = malloc(count * sizeof *out->ids);
  out->rows = malloc(count * sizeof *out->rows);
  out->fids = malloc(count * sizeof *out->fids);
  if (out->x == NULL || out->y == NULL || out->ids == NULL || out->rows == NULL || out->fids == NULL)
    return gv_io_fail_memory(io, "the places");
  if (!place_read(pair[0], out->x) || !place_read(pair[1], out->y))
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", source);
  for (size_t i = 0; i < count; i++) {
    out->ids[i] = out->fids[i] = (int64_t)i;
    out->rows[i] = (int64_t)i + 1;
  }
  out->count = pair[0]->count;
  out->are_cells = true;
  return gv_crs_parse(io, "EPSG:4326", "--cells-of", &out->crs);
}

/* The arrays of the root group, those that name axes and the like too. */
static gv_status place_list(gv_io *io, GDALGroupH root, place_arrays *all) {
  static const char *const options[] = {"SHOW_ALL=YES", NULL};
  char **names = GDALGroupGetMDArrayNames(root, (CSLConstList)options);
  bool good = true;
  for (int i = 0; names != NULL && names[i] != NULL && good; i++) {
    GDALMDArrayH array = GDALGroupOpenMDArray(root, names[i], NULL);
    if (array != NULL) good = place_add(all, array, names[i]);
  }
  CSLDestroy(names);
  return good ? GV_OK : gv_io_fail_memory(io, "the names of arrays");
}

gv_status gv_place_arrays_read(gv_io *io, const char *source, gv_seed_list *out, bool *found) {
  place_arrays all = {0};
  const place_array *pair[2] = {NULL, NULL};
  *found = false;
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(source, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
  GDALGroupH root = dataset != NULL ? GDALDatasetGetRootGroup(dataset) : NULL;
  gv_status status = root != NULL ? place_list(io, root, &all) : GV_OK;
  if (status == GV_OK) status = place_find_pair(io, source, &all, pair);
  if (status == GV_OK && pair[0] != NULL) {
    *found = true;
    status = place_fill(io, source, pair, out);
  }
  place_arrays_free(&all);
  GDALGroupRelease(root);
  if (dataset != NULL) GDALClose(dataset);
  gv_gdal_reset();
  return status;
}
