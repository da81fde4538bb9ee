#include "io/out/formats/raster_convention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <ogr_srs_api.h>

#include "io/json_writer.h"
#include "io/mdarray.h"

/* Their ids, which readers compare. */
static const char spatial[] = "{\"uuid\": \"689b58e2-cf7b-45e0-9fff-9cfc0883d6b4\", "
                              "\"description\": \"Spatial coordinate information\"}",
                  proj[] =
                      "{\"uuid\": \"f17cb550-5864-4468-aeb7-f3180cfb622f\", "
                      "\"description\": \"Coordinate reference system information for geospatial data\"}";

static bool convention_put_numbers(GDALMDArrayH array, const char *name, const double *values, int count) {
  gv_json_writer json = {0};
  gv_json_begin_array(&json, NULL, GV_JSON_IN_LINE);
  for (int i = 0; i < count; i++)
    gv_json_put_number(&json, NULL, values[i]);
  gv_json_end(&json);
  char *text = gv_text_take(&json.text);
  bool good = text != NULL && gv_mdarray_put_json(NULL, array, name, text);
  free(text);
  return good;
}

/* One of a code and a text in WKT. */
static bool convention_put_crs(GDALMDArrayH array, OGRSpatialReferenceH crs) {
  static const char *const format[] = {"FORMAT=WKT2_2019", NULL};
  const char *authority = OSRGetAuthorityName(crs, NULL), *number = OSRGetAuthorityCode(crs, NULL);
  char code[64] = "", *wkt = NULL;
  if (authority != NULL && number != NULL && number[strspn(number, "0123456789")] == '\0') {
    snprintf(code, sizeof code, "%s:%s", authority, number);
  } else if (OSRExportToWktEx(crs, &wkt, format) != OGRERR_NONE) {
    CPLFree(wkt);
    return false;
  }
  const char *const texts[][2] = {{"proj:code", code[0] != '\0' ? code : NULL}, {"proj:wkt2", wkt}};
  bool good = gv_array_put_texts(array, texts, 2);
  CPLFree(wkt);
  return good;
}

bool gv_raster_convention_put(GDALMDArrayH array, const double g[6], int64_t width, int64_t height) {
  const double transform[] = {g[1], g[2], g[0], g[4], g[5], g[3]};
  const double w = (double)width, h = (double)height;
  const double x[] = {g[0], g[0] + w * g[1], g[0] + h * g[2], g[0] + w * g[1] + h * g[2]};
  const double y[] = {g[3], g[3] + w * g[4], g[3] + h * g[5], g[3] + w * g[4] + h * g[5]};
  double box[] = {x[0], y[0], x[0], y[0]};
  for (int i = 1; i < 4; i++) {
    box[0] = fmin(box[0], x[i]);
    box[1] = fmin(box[1], y[i]);
    box[2] = fmax(box[2], x[i]);
    box[3] = fmax(box[3], y[i]);
  }
  static const char *const texts[][2] = {{"spatial:transform_type", "affine"},
                                         {"spatial:registration", "pixel"}};
  OGRSpatialReferenceH crs = GDALMDArrayGetSpatialRef(array);
  char conventions[sizeof spatial + sizeof proj + 4];
  snprintf(conventions, sizeof conventions, "[%s%s%s]", spatial, crs != NULL ? ", " : "",
           crs != NULL ? proj : "");
  bool good = gv_mdarray_put_json(NULL, array, "zarr_conventions", conventions) &&
              gv_mdarray_put_json(NULL, array, "spatial:dimensions", "[\"Y\", \"X\"]") &&
              gv_array_put_texts(array, texts, 2) &&
              convention_put_numbers(array, "spatial:transform", transform, 6) &&
              convention_put_numbers(array, "spatial:bbox", box, 4) &&
              (crs == NULL || convention_put_crs(array, crs));
  if (crs != NULL) OSRRelease(crs);
  return good;
}
