/*
 * Triangles as polygons of any OGR format: id (Dutton's digits), id64, lon, lat (the center, degrees), seed (the id of the
 * nearest), distance (meters, from the center) and area_km2; with several seeds a triangle seed_2, distance_2 and so on.
 */
#include <math.h>
#include <stdlib.h>

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "gpuvoronoi/cells.h"
#include "io/out/layer_out.h"
#include "io/out/layer_values.h"
#include "io/out/mesh_sink.h"

struct gv_mesh_sink {
  gv_layer_out out;
  const gv_seed_list *seeds;
  int bands;
  double unit; /* degrees in the layer's unit */
};

enum { FIELD_ID, FIELD_ID64, FIELD_LON, FIELD_LAT, FIELD_SEED, FIELD_DISTANCE, FIELD_AREA, FIELDS };

static const struct {
  const char *name; /* fields of the 2nd, 3rd ... nearest seed have its number appended */
  OGRFieldType type;
} fields[FIELDS] = {{"id", OFTString},      {"id64", OFTInteger64}, {"lon", OFTReal},     {"lat", OFTReal},
                    {"seed", OFTInteger64}, {"distance", OFTReal},  {"area_km2", OFTReal}};

static gv_status mesh_features_create_layer(gv_mesh_sink *sink, OGRSpatialReferenceH crs) {
  GV_TRY(gv_layer_create(&sink->out, crs, wkbPolygon, NULL));
  for (int i = 0; i < FIELDS; i++) {
    OGRFieldType type = i == FIELD_ID64 ? gv_layer_cell_id_type(&sink->out) : fields[i].type;
    GV_TRY(gv_layer_add_field(&sink->out, fields[i].name, NULL, type, NULL));
  }
  for (int band = 2; band <= sink->bands; band++) {
    GV_TRY(gv_layer_add_field(&sink->out, CPLSPrintf("seed_%d", band), NULL, OFTInteger64, NULL));
    GV_TRY(gv_layer_add_field(&sink->out, CPLSPrintf("distance_%d", band), NULL, OFTReal, NULL));
  }
  return GV_OK;
}

static gv_status close_sink(gv_io *io, gv_mesh_sink *sink, gv_status status) {
  (void)io;
  status = gv_layer_close(&sink->out, status);
  free(sink);
  return status;
}

static gv_status open_sink(gv_io *io, gv_place *place, const gv_mesh_facts *facts, gv_mesh_sink **out) {
  gv_mesh_sink *sink = *out = calloc(1, sizeof *sink);
  if (sink == NULL) return gv_io_fail_memory(io, "the triangles");
  *sink = (gv_mesh_sink){.out = {.io = io, .place = place},
                         .seeds = facts->seeds,
                         .bands = facts->bands,
                         .unit = gv_crs_unit_degrees(facts->crs)};
  return mesh_features_create_layer(sink, facts->crs);
}

/* A triangle's ring. On the map a corner at a pole is an edge, from the meridian of one neighbor to the other's. */
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

static gv_status set_triangle(const gv_mesh_sink *sink, OGRFeatureH feature, const gv_mesh_block *block,
                              int64_t i) {
  char text[GV_QTM_STRING_SIZE];
  gv_qtm_to_string(block->id[i], text, sizeof text);
  OGR_F_SetFieldString(feature, FIELD_ID, text);
  GV_TRY(gv_layer_set_integer(&sink->out, feature, FIELD_ID64, block->id[i]));
  OGR_F_SetFieldDouble(feature, FIELD_LON, block->lon[i]);
  OGR_F_SetFieldDouble(feature, FIELD_LAT, block->lat[i]);
  for (int b = 0; b < sink->bands; b++) {
    int64_t at = b * block->stride + i;
    int seed_field = b == 0 ? FIELD_SEED : FIELDS + 2 * (b - 1);
    int distance_field = b == 0 ? FIELD_DISTANCE : FIELDS + 2 * (b - 1) + 1;
    if (block->seed[at] >= 0) {
      GV_TRY(gv_layer_set_integer(&sink->out, feature, seed_field, sink->seeds->ids[block->seed[at]]));
      OGR_F_SetFieldDouble(feature, distance_field, block->distance[at]);
    } else {
      OGR_F_SetFieldNull(feature, seed_field);
      OGR_F_SetFieldNull(feature, distance_field);
    }
  }
  OGR_F_SetFieldDouble(feature, FIELD_AREA, block->area[i] * 1e-6);
  OGR_F_SetGeometryDirectly(feature, polygon(block->id[i], sink->unit));
  return GV_OK;
}

static gv_status mesh_features_write_block(gv_io *io, gv_mesh_sink *sink, const gv_mesh_block *block) {
  gv_status status = GV_OK;
  (void)io;
  for (int64_t i = 0; i < block->count && status == GV_OK; i++) {
    OGRFeatureH feature = gv_layer_feature(&sink->out);
    if (feature != NULL) status = set_triangle(sink, feature, block, i);
    status = gv_layer_write(&sink->out, feature, status);
  }
  return status;
}

const gv_mesh_format gv_mesh_features = {"--cells", "triangles", false, NULL, open_sink, mesh_features_write_block,
                                         close_sink};
