/* The union of all polygons of a layer, and a rectangle. */
#include "job/diagram/mask.h"

#include <gdal.h>

#include "io/crs.h"
#include "io/in/input_limit.h"

static gv_status mask_rectangle(gv_io *io, const double e[4], OGRGeometryH *out) {
  OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing), polygon = OGR_G_CreateGeometry(wkbPolygon);
  if (ring == NULL || polygon == NULL) return gv_io_fail_memory(io, "the extent");
  const double x[5] = {e[0], e[2], e[2], e[0], e[0]}, y[5] = {e[1], e[1], e[3], e[3], e[1]};
  OGR_G_SetPoints(ring, 5, x, sizeof(double), y, sizeof(double), NULL, 0);
  OGR_G_AddGeometryDirectly(polygon, ring);
  *out = polygon;
  return GV_OK;
}

/* Adds the polygons of a geometry to a collection. */
static gv_status mask_add(gv_io *io, const char *source, OGRGeometryH geometry, OGRGeometryH all) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(geometry));
  if (type == wkbPolygon) {
    OGR_G_AddGeometry(all, geometry);
    return GV_OK;
  }
  if (type != wkbMultiPolygon)
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: unsupported geometry (%s); expected polygons",
                      source, OGRGeometryTypeToName(OGR_G_GetGeometryType(geometry)));
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
    OGR_G_AddGeometry(all, OGR_G_GetGeometryRef(geometry, i));
  return GV_OK;
}

static gv_status mask_collect(gv_io *io, const char *source, OGRLayerH layer, OGRGeometryH all) {
  enum { BYTES_A_VERTEX = 2 * sizeof(double), COPIES = 6 /* of the polygons, while they are joined */ };
  gv_input_data data = {"--mask", source, "vertices", 0, COPIES * BYTES_A_VERTEX};
  gv_status status = GV_OK;
  while (status == GV_OK) {
    OGRFeatureH feature = OGR_L_GetNextFeature(layer);
    if (feature == NULL) break;
    OGRGeometryH geometry = OGR_F_StealGeometry(feature);
    OGR_F_Destroy(feature);
    if (geometry == NULL) continue;
    OGRGeometryH straight = OGR_G_GetLinearGeometry(geometry, 0.0, NULL);
    OGR_G_DestroyGeometry(geometry);
    if (straight == NULL) return gv_io_fail_memory(io, "the mask");
    data.count += OGR_G_WkbSize(straight) / BYTES_A_VERTEX;
    status = gv_input_fits(io, &data);
    if (status == GV_OK) status = mask_add(io, source, straight, all);
    OGR_G_DestroyGeometry(straight);
  }
  if (status == GV_OK && gv_gdal_failed())
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: %s: cannot read", source);
  if (status == GV_OK && OGR_G_GetGeometryCount(all) == 0)
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: missing polygons", source);
  return status;
}

/* To the system of the layer. */
static gv_status mask_carry(gv_io *io, const char *source, OGRSpatialReferenceH from, OGRSpatialReferenceH to,
                            bool swapped, OGRGeometryH geometry) {
  if (swapped) OGR_G_SwapXY(geometry);
  if ((from == NULL) != (to == NULL))
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "--mask: %s: missing coordinate system of the mask or of the seeds; use --seeds-crs",
                         source);
  if (from == NULL || gv_crs_same(from, to)) return GV_OK;
  OGRCoordinateTransformationH way = OCTNewCoordinateTransformation(from, to);
  bool good = way != NULL && OGR_G_Transform(geometry, way) == OGRERR_NONE;
  if (way != NULL) OCTDestroyCoordinateTransformation(way);
  return good ? GV_OK
              : gv_io_fail_gdal(io, GV_ERROR_PROJECTION,
                                "--mask: %s: cannot be transformed to the system of the output", source);
}

static gv_status mask_read(gv_io *io, const char *source, const char *name, OGRSpatialReferenceH crs,
                           OGRGeometryH *out) {
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(source, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: cannot read %s as polygons", source);
  OGRSpatialReferenceH own = NULL;
  bool swapped = false;
  gv_status status = GV_OK;
  OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
  OGRLayerH layer = name != NULL ? GDALDatasetGetLayerByName(dataset, name) : GDALDatasetGetLayer(dataset, 0);
  if (all == NULL) {
    status = gv_io_fail_memory(io, "the mask");
  } else if (layer == NULL || (name == NULL && GDALDatasetGetLayerCount(dataset) != 1)) {
    status = gv_io_fail_as(io, GV_CODE_LAYER_NEEDED, GV_ERROR_INVALID_ARGUMENT,
                           "--mask: %s has %d layers; choose one with --mask-layer", source,
                           GDALDatasetGetLayerCount(dataset));
  }
  if (status == GV_OK) status = gv_crs_of_layer(io, "--mask", source, dataset, layer, &own, &swapped);
  if (status == GV_OK) status = mask_collect(io, source, layer, all);
  if (status == GV_OK) status = mask_carry(io, source, own, crs, swapped, all);
  if (status == GV_OK) *out = OGR_G_UnionCascaded(all);
  if (status == GV_OK && *out == NULL)
    status = gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: invalid polygons", source);
  if (all != NULL) OGR_G_DestroyGeometry(all);
  if (own != NULL) OSRRelease(own);
  GDALClose(dataset);
  return status;
}

gv_status gv_diagram_within(gv_io *io, const double *extent, const char *mask, const char *layer,
                            OGRSpatialReferenceH crs, OGRGeometryH *out) {
  OGRGeometryH polygons = NULL;
  *out = NULL;
  if (extent != NULL) GV_TRY(mask_rectangle(io, extent, out));
  if (mask == NULL) return GV_OK;
  GV_TRY(mask_read(io, mask, layer, crs, &polygons));
  OGRGeometryH rectangle = *out;
  *out = polygons;
  if (rectangle == NULL) return GV_OK;
  *out = OGR_G_Intersection(rectangle, polygons);
  OGR_G_DestroyGeometry(rectangle);
  OGR_G_DestroyGeometry(polygons);
  return *out != NULL ? GV_OK
                      : gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: invalid polygons", mask);
}
