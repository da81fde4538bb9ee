/* A second pass over the layer, in the order of gv_seeds_read: points, and the points of multipoints. */
#include "io/in/heights.h"

#include <math.h>
#include <stdlib.h>

#include <gdal.h>
#include <ogr_api.h>

static gv_status take_heights(gv_io *io, const gv_seed_list *seeds, const char *source, OGRGeometryH geometry,
                              int64_t *count, double *z) {
  if (geometry == NULL) return GV_OK;
  int parts = wkbFlatten(OGR_G_GetGeometryType(geometry)) == wkbMultiPoint ? OGR_G_GetGeometryCount(geometry) : 1;
  for (int i = 0; i < parts; i++) {
    OGRGeometryH point = parts == 1 && wkbFlatten(OGR_G_GetGeometryType(geometry)) == wkbPoint
                             ? geometry
                             : OGR_G_GetGeometryRef(geometry, i);
    if (*count >= seeds->count) {
      return gv_io_fail(io, GV_ERROR_IO, "%s changed while it was read", source);
    }
    z[*count] = OGR_G_GetZ(point, 0);
    if (!isfinite(z[*count])) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: row %lld: z is not finite", source,
                        (long long)seeds->rows[*count]);
    }
    (*count)++;
  }
  return GV_OK;
}

gv_status gv_seed_heights(gv_io *io, const gv_seed_options *options, const gv_seed_list *seeds, double **out) {
  gv_status status = GV_OK;
  double *z = NULL;
  int64_t count = 0;
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(options->source, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be read", options->source);
  OGRLayerH layer =
      options->layer != NULL ? GDALDatasetGetLayerByName(dataset, options->layer) : GDALDatasetGetLayer(dataset, 0);
  if (layer == NULL || !wkbHasZ(OGR_L_GetGeomType(layer))) goto done;
  z = malloc((size_t)seeds->count * sizeof *z);
  if (z == NULL) {
    status = gv_io_fail_memory(io, "the heights");
    goto done;
  }
  if (options->where != NULL) OGR_L_SetAttributeFilter(layer, options->where);
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; status == GV_OK && (feature = OGR_L_GetNextFeature(layer)) != NULL;) {
    status = take_heights(io, seeds, options->source, OGR_F_GetGeometryRef(feature), &count, z);
    OGR_F_Destroy(feature);
  }
  if (status == GV_OK && count != seeds->count) {
    status = gv_io_fail(io, GV_ERROR_IO, "%s changed while it was read", options->source);
  }

done:
  GDALClose(dataset);
  if (status == GV_OK) {
    *out = z;
  } else {
    free(z);
  }
  return status;
}
