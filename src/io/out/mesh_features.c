/*
 * Triangles as polygons of any OGR format: id (Dutton's digits), id64, lon, lat (the centre, degrees), seed (the id of the
 * nearest), distance (metres, from the centre) and area_km2; with several seeds a triangle seed_2, distance_2 and so on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "io/out/mesh_sink.h"
#include "io/out/table_out.h"

enum { FEATURES_A_TRANSACTION = 1 << 17 };

struct gv_mesh_sink {
  const char *shown;
  GDALDatasetH dataset;
  OGRLayerH layer;
  const gv_seed_list *seeds;
  int bands;
  double unit; /* degrees in the layer's unit */
  bool transactions;
  int64_t since; /* features since the last transaction began */
};

enum { FIELD_ID, FIELD_ID64, FIELD_LON, FIELD_LAT, FIELD_SEED, FIELD_DISTANCE, FIELD_AREA, FIELDS };

static const struct {
  const char *name; /* those of a seed get the seed's rank from the second on */
  OGRFieldType type;
} fields[FIELDS] = {{"id", OFTString},      {"id64", OFTInteger64}, {"lon", OFTReal},     {"lat", OFTReal},
                    {"seed", OFTInteger64}, {"distance", OFTReal},  {"area_km2", OFTReal}};

static gv_status check(gv_io *io, const char *path, int level) {
  (void)level;
  if (gv_vector_driver(path) != NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--cells: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some", path);
}

static gv_status fail(gv_io *io, const gv_mesh_sink *sink) {
  return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", sink->shown);
}

static bool create_field(const gv_mesh_sink *sink, const char *name, OGRFieldType type) {
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  OGRErr error = OGR_L_CreateField(sink->layer, field, TRUE);
  OGR_Fld_Destroy(field);
  return error == OGRERR_NONE;
}

static gv_status create_layer(gv_io *io, gv_mesh_sink *sink, gv_place *place, OGRSpatialReferenceH crs) {
  gv_gdal_reset();
  gv_status status = gv_place_open(io, place, &sink->dataset);
  if (status != GV_OK) return status;
  char **options = NULL;
  if (EQUAL(GDALGetDriverShortName(place->driver), "CSV")) options = CSLSetNameValue(options, "GEOMETRY", "AS_WKT");
  sink->layer = GDALDatasetCreateLayer(sink->dataset, place->layer, crs, wkbPolygon, options);
  CSLDestroy(options);
  if (sink->layer == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot create %s", sink->shown);
  for (int i = 0; i < FIELDS; i++)
    if (!create_field(sink, fields[i].name, fields[i].type)) return fail(io, sink);
  for (int rank = 2; rank <= sink->bands; rank++) {
    if (!create_field(sink, CPLSPrintf("seed_%d", rank), OFTInteger64) ||
        !create_field(sink, CPLSPrintf("distance_%d", rank), OFTReal)) {
      return fail(io, sink);
    }
  }
  sink->transactions = GDALDatasetTestCapability(sink->dataset, ODsCTransactions) != 0;
  if (sink->transactions) GDALDatasetStartTransaction(sink->dataset, FALSE);
  return GV_OK;
}

static gv_status close_sink(gv_io *io, gv_mesh_sink *sink) {
  gv_status status = GV_OK;
  if (sink->dataset != NULL) {
    gv_gdal_reset();
    if (sink->transactions && GDALDatasetCommitTransaction(sink->dataset) != OGRERR_NONE) status = fail(io, sink);
    GDALClose(sink->dataset);
    if (status == GV_OK && gv_gdal_failed()) status = fail(io, sink);
  }
  free(sink);
  return status;
}

static gv_status open_sink(gv_io *io, gv_place *place, const gv_mesh_facts *facts, gv_mesh_sink **out) {
  gv_mesh_sink *sink = calloc(1, sizeof *sink);
  if (sink == NULL) return gv_io_fail_memory(io, "the triangles");
  sink->shown = place->output.path;
  sink->seeds = facts->seeds;
  sink->bands = facts->bands;
  sink->unit = gv_crs_unit_degrees(facts->crs);
  gv_status status = create_layer(io, sink, place, facts->crs);
  if (status != GV_OK) {
    if (sink->dataset != NULL) GDALClose(sink->dataset);
    free(sink);
    return status;
  }
  *out = sink;
  return GV_OK;
}

/* A triangle's ring. On the map a corner at a pole is an edge, from the meridian of one neighbour to the other's. */
static OGRGeometryH polygon(gv_qtm_id id, double unit) {
  double lon[3], lat[3];
  OGRGeometryH made = OGR_G_CreateGeometry(wkbPolygon), ring = OGR_G_CreateGeometry(wkbLinearRing);
  gv_qtm_corners(id, lon, lat, NULL);
  double first[2] = {0.0, 0.0};
  int points = 0;
  for (int i = 0; i < 3; i++) {
    bool pole = fabs(lat[i]) == 90.0;
    for (int side = 0; side < (pole ? 2 : 1); side++) {
      double x = (pole ? lon[(i + (side == 0 ? 2 : 1)) % 3] : lon[i]) / unit, y = lat[i] / unit;
      if (points++ == 0) first[0] = x, first[1] = y;
      OGR_G_AddPoint_2D(ring, x, y);
    }
  }
  OGR_G_AddPoint_2D(ring, first[0], first[1]);
  OGR_G_AddGeometryDirectly(made, ring);
  return made;
}

static gv_status write_triangle(gv_io *io, gv_mesh_sink *sink, const gv_mesh_block *block, int64_t i) {
  char text[GV_QTM_STRING_SIZE];
  gv_qtm_to_string(block->id[i], text, sizeof text);
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(sink->layer));
  if (feature == NULL) return gv_io_fail_memory(io, "a triangle");
  OGR_F_SetFieldString(feature, FIELD_ID, text);
  OGR_F_SetFieldInteger64(feature, FIELD_ID64, block->id[i]);
  OGR_F_SetFieldDouble(feature, FIELD_LON, block->lon[i]);
  OGR_F_SetFieldDouble(feature, FIELD_LAT, block->lat[i]);
  for (int b = 0; b < sink->bands; b++) {
    int64_t at = b * block->stride + i;
    int seed_field = b == 0 ? FIELD_SEED : FIELDS + 2 * (b - 1);
    int distance_field = b == 0 ? FIELD_DISTANCE : FIELDS + 2 * (b - 1) + 1;
    if (block->seed[at] >= 0) {
      OGR_F_SetFieldInteger64(feature, seed_field, sink->seeds->ids[block->seed[at]]);
      OGR_F_SetFieldDouble(feature, distance_field, block->distance[at]);
    } else {
      OGR_F_SetFieldNull(feature, seed_field);
      OGR_F_SetFieldNull(feature, distance_field);
    }
  }
  OGR_F_SetFieldDouble(feature, FIELD_AREA, block->area[i] * 1e-6);
  OGR_F_SetGeometryDirectly(feature, polygon(block->id[i], sink->unit));
  OGRErr error = OGR_L_CreateFeature(sink->layer, feature);
  OGR_F_Destroy(feature);
  return error == OGRERR_NONE ? GV_OK : fail(io, sink);
}

static gv_status write_block(gv_io *io, gv_mesh_sink *sink, const gv_mesh_block *block) {
  gv_status status = GV_OK;
  for (int64_t i = 0; i < block->count && status == GV_OK; i++)
    status = write_triangle(io, sink, block, i);
  if (status == GV_OK && gv_gdal_failed()) status = fail(io, sink); /* a value or a ring that found no memory */
  sink->since += block->count;
  if (status != GV_OK || !sink->transactions || sink->since < FEATURES_A_TRANSACTION) return status;
  sink->since = 0;
  if (GDALDatasetCommitTransaction(sink->dataset) != OGRERR_NONE ||
      GDALDatasetStartTransaction(sink->dataset, FALSE) != OGRERR_NONE) {
    return fail(io, sink);
  }
  return GV_OK;
}

const gv_mesh_format gv_mesh_features = {"--cells", "triangles", check, open_sink, write_block, close_sink};
