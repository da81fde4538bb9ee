/* Reads polygons feature by feature. */
#include "io/overlay/mask_layer.h"

#include <math.h>
#include <string.h>

#include <ogr_api.h>

#include "io/in/input_limit.h"
#include "io/in/raster_in.h"

/* ------------------------------------------------------------------------------------------------ opening */

static gv_status mask_layer_find(gv_io *io, const gv_mask_options *options, GDALDatasetH dataset,
                                 OGRLayerH *out) {
  int count = GDALDatasetGetLayerCount(dataset);
  if (options->layer != NULL) {
    *out = GDALDatasetGetLayerByName(dataset, options->layer);
    if (*out != NULL) return GV_OK;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask-layer: %s: unknown layer (%s)", options->source,
                      options->layer);
  }
  if (count == 1) *out = GDALDatasetGetLayer(dataset, 0);
  if (*out != NULL) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_LAYER_NEEDED, GV_ERROR_INVALID_ARGUMENT,
                       "--mask: %s has %d layers; choose one with --mask-layer", options->source, count);
}

/* Layers that cannot hold polygons: reported before other errors. */
static gv_status mask_layer_check(gv_io *io, const char *source, OGRLayerH layer) {
  OGRwkbGeometryType type = wkbFlatten(OGR_L_GetGeomType(layer));
  if (type == wkbPoint || type == wkbMultiPoint) {
    return gv_io_fail(
        io, GV_ERROR_INVALID_ARGUMENT,
        "--mask: %s: unsupported geometry (points); expected a raster or polygons; to exclude cells "
        "far from the seeds, use --max-distance",
        source);
  }
  if (type != wkbNone) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--mask: %s: missing geometries; expected a raster or polygons", source);
}

gv_status gv_mask_layer_open(gv_io *io, const gv_mask_options *options, OGRSpatialReferenceH crs,
                             gv_mask_layer *l) {
  *l = (gv_mask_layer){.source = options->source};
  gv_gdal_reset();
  l->dataset = GDALOpenEx(options->source, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL,
                          (const char *const *)options->open_options, NULL);
  if (l->dataset == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: cannot read %s as a raster or as polygons",
                           options->source);
  GV_TRY(mask_layer_find(io, options, l->dataset, &l->layer));
  GV_TRY(mask_layer_check(io, options->source, l->layer));
  GV_TRY(gv_crs_of_layer(io, "--mask", options->source, l->dataset, l->layer, &l->crs, &l->swapped));
  const gv_raster_grid grid = {.crs = crs};
  GV_TRY(gv_check_alignable(io, "--mask", options->source, l->crs, &grid));
  if (gv_crs_is_lonlat(l->crs)) l->turn = 360.0 / gv_crs_unit_degrees(l->crs);
  return GV_OK;
}

void gv_mask_layer_close(gv_mask_layer *l) {
  if (l->crs != NULL) OSRRelease(l->crs);
  if (l->dataset != NULL) GDALClose(l->dataset);
  *l = (gv_mask_layer){0};
}

/* ------------------------------------------------------------------------------------------------ reading */

static gv_status mask_layer_check_ring(gv_io *io, const gv_mask_layer *l, OGRGeometryH ring) {
  for (int i = 0; i < OGR_G_GetPointCount(ring); i++) {
    double x = OGR_G_GetX(ring, i), y = OGR_G_GetY(ring, i);
    if (!isfinite(x) || !isfinite(y))
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--mask: %s: vertex of a polygon is not finite or out of range (%g, %g)", l->source,
                        x, y);
    if (l->turn > 0.0 && fabs(x) > GV_MOST_TURNS * l->turn)
      return gv_io_fail(
          io, GV_ERROR_INVALID_ARGUMENT,
          "--mask: %s: longitude of a vertex out of range (%g, %g); at most %d turns from 0 are supported",
          l->source, x, y, GV_MOST_TURNS);
  }
  return GV_OK;
}

/* A visit to all polygons. */
typedef struct mask_walk {
  const gv_mask_layer *layer;
  gv_mask_visit *visit;
  void *user;
  int64_t polygons, vertices, checked; /* memory is checked once there are `checked` vertices */
} mask_walk;

/* Counts the vertices of a geometry; an error if all need more memory than allowed. */
static gv_status mask_layer_charge(gv_io *io, mask_walk *w, OGRGeometryH geometry) {
  enum { BYTES_A_VERTEX = 2 * sizeof(double), FIRST = 1000 };
  w->vertices += (int64_t)OGR_G_WkbSizeEx(geometry) / BYTES_A_VERTEX;
  if (w->vertices < w->checked) return GV_OK;
  w->checked = FIRST + w->vertices + w->vertices / 8;
  return gv_input_fits(
      io, &(gv_input_data){"--mask", w->layer->source, "vertices", w->vertices, GV_BYTES_A_SEED});
}

/* A polygon, or all parts of a collection. */
static gv_status mask_layer_parts(gv_io *io, mask_walk *w, OGRGeometryH geometry) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(geometry));
  int parts = OGR_G_GetGeometryCount(geometry);
  if (OGR_G_IsEmpty(geometry)) return GV_OK;
  if (type == wkbPolygon || type == wkbTriangle) {
    for (int i = 0; i < parts; i++)
      GV_TRY(mask_layer_check_ring(io, w->layer, OGR_G_GetGeometryRef(geometry, i)));
    w->polygons++;
    return w->visit(io, geometry, w->user);
  }
  if (type == wkbMultiPolygon || type == wkbGeometryCollection || type == wkbPolyhedralSurface ||
      type == wkbTIN) {
    for (int i = 0; i < parts; i++)
      GV_TRY(mask_layer_parts(io, w, OGR_G_GetGeometryRef(geometry, i)));
    return GV_OK;
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--mask: %s: unsupported geometry (%s); expected a raster or polygons", w->layer->source,
                    OGRGeometryTypeToName(OGR_G_GetGeometryType(geometry)));
}

gv_status gv_mask_layer_visit(gv_io *io, gv_mask_layer *l, gv_mask_visit *visit, void *user) {
  mask_walk walk = {.layer = l, .visit = visit, .user = user};
  gv_status status = GV_OK;
  while (status == GV_OK) {
    OGRFeatureH feature = OGR_L_GetNextFeature(l->layer);
    if (feature == NULL) break;
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    OGRGeometryH straight = geometry != NULL && OGR_G_HasCurveGeometry(geometry, FALSE)
                                ? OGR_G_GetLinearGeometry(geometry, 0.0, NULL)
                                : NULL;
    if (straight != NULL) geometry = straight;
    if (geometry != NULL && l->swapped) OGR_G_SwapXY(geometry);
    if (geometry != NULL) status = mask_layer_charge(io, &walk, geometry);
    if (geometry != NULL && status == GV_OK) status = mask_layer_parts(io, &walk, geometry);
    if (straight != NULL) OGR_G_DestroyGeometry(straight);
    OGR_F_Destroy(feature);
  }
  if (status == GV_OK && gv_gdal_failed())
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: %s: cannot read", l->source);
  if (status == GV_OK && walk.polygons == 0)
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: missing polygons", l->source);
  return status;
}
