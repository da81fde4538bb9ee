#include "io/in/raster_crs.h"

#include <math.h>
#include <string.h>

#include <cpl_string.h>

const char *gv_reason_of_no_geotransform(GDALDatasetH dataset) {
  if (GDALGetGCPCount(dataset) > 0)
    return "missing geotransform (it has ground control points); convert the raster with gdalwarp";
  if (GDALGetMetadata(dataset, "GEOLOCATION") != NULL)
    return "missing geotransform (it has geolocation arrays); convert the raster with gdalwarp -geoloc";
  return "missing geotransform";
}

bool gv_fits_degrees(const double box[4]) {
  const double rest = 1e-6; /* of rounded geotransforms; half a cell outside the poles is not rare */
  return box[0] >= -360.0 - rest && box[2] <= 540.0 + rest && box[2] - box[0] <= 361.0 && box[1] >= -95.0 &&
         box[3] <= 95.0;
}

void gv_box_of_raster(const double g[6], int64_t width, int64_t height, double box[4]) {
  double w = (double)width, h = (double)height;
  for (int d = 0; d < 2; d++) {
    const double *t = g + 3 * d;
    double across = w * t[1], down = h * t[2];
    box[d] = t[0] + fmin(across, 0.0) + fmin(down, 0.0);
    box[2 + d] = t[0] + fmax(across, 0.0) + fmax(down, 0.0);
  }
}

/* Whether the dataset's metadata, "VARIABLE#units=UNIT" as GDAL's netCDF driver names them, have one of a
 * direction's units. */
static bool has_unit(char **metadata, const char *const *units) {
  static const char key[] = "#units=";
  for (; metadata != NULL && *metadata != NULL; metadata++) {
    const char *unit = strstr(*metadata, key);
    for (int i = 0; unit != NULL && units[i] != NULL; i++)
      if (strcmp(unit + sizeof key - 1, units[i]) == 0) return true;
  }
  return false;
}

/* The units of longitudes and latitudes in the CF conventions (4.1, 4.2). */
static bool is_cf_lonlat(GDALDatasetH dataset) {
  static const char *const east[] = {"degrees_east", "degree_east", "degree_E", "degrees_E",
                                     "degreeE",      "degreesE",    NULL};
  static const char *const north[] = {"degrees_north", "degree_north", "degree_N", "degrees_N",
                                      "degreeN",       "degreesN",     NULL};
  char **metadata = GDALGetMetadata(dataset, NULL);
  double g[6], box[4];
  if (!has_unit(metadata, east) || !has_unit(metadata, north)) return false;
  if (GDALGetGeoTransform(dataset, g) != CE_None) return false;
  gv_box_of_raster(g, GDALGetRasterXSize(dataset), GDALGetRasterYSize(dataset), box);
  return gv_fits_degrees(box);
}

gv_status gv_crs_of_raster(gv_io *io, const char *source, GDALDatasetH dataset, OGRSpatialReferenceH *out) {
  bool swapped;
  OGRSpatialReferenceH declared = GDALGetSpatialRef(dataset);
  gv_status status = gv_crs_copy(io, declared, out, &swapped);
  if (status != GV_OK || declared != NULL || !is_cf_lonlat(dataset)) return status;
  gv_io_warn(GV_CODE_CRS_ASSUMED, 0,
             "%s: missing coordinate system; WGS 84 is assumed, by its units degrees_east and degrees_north",
             source);
  return gv_crs_parse(io, "EPSG:4326", source, out);
}
