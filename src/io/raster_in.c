/* Windows of rasters. */
#include "io/raster_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>

static gv_status read_header(gv_io *io, gv_raster_in *raster) {
  GDALDatasetH dataset = raster->handle[0];
  if (GDALGetRasterCount(dataset) == 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s has no bands", raster->option, raster->path);
  }
  GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  raster->width = GDALGetRasterXSize(dataset);
  raster->height = GDALGetRasterYSize(dataset);
  if (GDALGetGeoTransform(dataset, raster->geotransform) != CE_None) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s has no geotransform", raster->option, raster->path);
  }
  if (!GDALInvGeoTransform(raster->geotransform, raster->inverse)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: the geotransform of %s is degenerate", raster->option,
                      raster->path);
  }
  int has = 0;
  raster->scale = GDALGetRasterScale(band, &has);
  if (!has) raster->scale = 1.0;
  raster->offset = GDALGetRasterOffset(band, &has);
  if (!has) raster->offset = 0.0;
  raster->bytes = GDALGetRasterDataType(band) == GDT_Byte && raster->scale == 1.0 && raster->offset == 0.0;
  raster->has_mask = (GDALGetMaskFlags(band) & GMF_ALL_VALID) == 0;
  OGRSpatialReferenceH crs = GDALGetSpatialRef(dataset);
  if (crs == NULL || OSRGetName(crs) == NULL) return GV_OK;
  bool swapped;
  gv_status status = gv_crs_copy(io, crs, &raster->crs, &swapped);
  if (status != GV_OK) return status;
  raster->lonlat = gv_crs_is_lonlat(raster->crs);
  if (raster->lonlat) raster->turn = 360.0 / gv_crs_unit_degrees(raster->crs);
  return GV_OK;
}

gv_status gv_raster_in_open(gv_io *io, const char *option, const char *path, int workers, gv_raster_in *out) {
  memset(out, 0, sizeof *out);
  out->option = option;
  out->path = strdup(path);
  out->handle = calloc((size_t)workers, sizeof *out->handle);
  if (out->path == NULL || out->handle == NULL) return gv_io_fail_memory(io, "an input raster");
  for (; out->handles < workers; out->handles++) {
    gv_gdal_reset();
    out->handle[out->handles] =
        GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    if (out->handle[out->handles] == NULL) {
      return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s as a raster", option, path);
    }
  }
  return read_header(io, out);
}

void gv_raster_in_close(gv_raster_in *raster) {
  for (int i = 0; i < raster->handles; i++)
    GDALClose(raster->handle[i]);
  if (raster->crs != NULL) OSRRelease(raster->crs);
  free(raster->handle);
  free(raster->path);
  memset(raster, 0, sizeof *raster);
}

gv_status gv_check_alignable(gv_io *io, const char *option, const char *path, OGRSpatialReferenceH crs,
                             const gv_raster_grid *grid) {
  if ((crs == NULL) == (grid->crs == NULL)) return GV_OK;
  char name[256];
  gv_crs_describe(crs != NULL ? crs : grid->crs, name, sizeof name);
  if (crs == NULL) {
    return gv_io_fail(
        io, GV_ERROR_INVALID_ARGUMENT,
        "%s: %s has no coordinate system, the grid is in %s: assign it, e.g. with gdal_edit.py -a_srs or "
        "ogr2ogr -a_srs",
        option, path, name);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s is in %s, the grid has no coordinate system", option,
                    path, name);
}

bool gv_grid_in_crs(const gv_raster_grid *grid, OGRSpatialReferenceH crs) {
  return grid->crs == NULL || crs == NULL || gv_crs_same(grid->crs, crs);
}

bool gv_raster_in_values(const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                         double *values, uint8_t *valid) {
  GDALRasterBandH band = GDALGetRasterBand(raster->handle[worker], 1);
  if (GDALRasterIO(band, GF_Read, (int)x, (int)y, (int)w, (int)h, values, (int)w, (int)h, GDT_Float64, 0, 0) !=
      CE_None) {
    return false;
  }
  if (raster->scale != 1.0 || raster->offset != 0.0) {
    for (int64_t i = 0; i < w * h; i++)
      values[i] = values[i] * raster->scale + raster->offset;
  }
  if (raster->has_mask) {
    if (GDALRasterIO(GDALGetMaskBand(band), GF_Read, (int)x, (int)y, (int)w, (int)h, valid, (int)w, (int)h,
                     GDT_Byte, 0, 0) != CE_None) {
      return false;
    }
    for (int64_t i = 0; i < w * h; i++) {
      if (valid[i] == 0) values[i] = 0.0;
    }
  }
  for (int64_t i = 0; i < w * h; i++) {
    if (isnan(values[i])) values[i] = 0.0;
  }
  return true;
}

bool gv_raster_in_nonzero(const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                          uint8_t *out, double *values, uint8_t *valid) {
  if (!raster->bytes || raster->has_mask) {
    if (!gv_raster_in_values(raster, worker, x, y, w, h, values, valid)) return false;
    for (int64_t i = 0; i < w * h; i++)
      out[i] = values[i] != 0.0;
    return true;
  }
  GDALRasterBandH band = GDALGetRasterBand(raster->handle[worker], 1);
  if (GDALRasterIO(band, GF_Read, (int)x, (int)y, (int)w, (int)h, out, (int)w, (int)h, GDT_Byte, 0, 0) != CE_None) {
    return false;
  }
  for (int64_t i = 0; i < w * h; i++)
    out[i] = out[i] != 0;
  return true;
}
