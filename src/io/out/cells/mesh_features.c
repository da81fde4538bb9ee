/*
 * Triangles as polygons of any OGR format: id (Dutton's digits), id64, lon, lat (the center, degrees), seed
 * (the id of the nearest), distance (meters, from the center) and area_km2; with several seeds a triangle
 * seed_2, distance_2 and so on.
 */
#include <math.h>

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "gpuvoronoi/cells.h"
#include "io/out/cells/cell_layer.h"

enum { FIELD_ID, FIELD_ID64, FIELD_LON, FIELD_LAT, FIELD_SEED, FIELD_DISTANCE, FIELD_AREA, FIELDS };

static const struct {
  const char *name; /* fields of the 2nd, 3rd ... nearest seed have its number appended */
  OGRFieldType type;
} fields[FIELDS] = {{"id", OFTString},      {"id64", OFTInteger64}, {"lon", OFTReal},     {"lat", OFTReal},
                    {"seed", OFTInteger64}, {"distance", OFTReal},  {"area_km2", OFTReal}};

static gv_status mesh_features_create_layer(gv_cell_layer *layer) {
  GV_TRY(gv_layer_create(&layer->out, layer->facts->crs, wkbPolygon, NULL));
  for (int i = 0; i < FIELDS; i++) {
    OGRFieldType type = i == FIELD_ID64 ? gv_layer_cell_id_type(&layer->out) : fields[i].type;
    GV_TRY(gv_layer_add_field(&layer->out, fields[i].name, NULL, type, NULL));
  }
  for (int band = 2; band <= layer->facts->bands; band++) {
    GV_TRY(gv_layer_add_field(&layer->out, CPLSPrintf("seed_%d", band), NULL, OFTInteger64, NULL));
    GV_TRY(gv_layer_add_field(&layer->out, CPLSPrintf("distance_%d", band), NULL, OFTReal, NULL));
  }
  return GV_OK;
}

/* A triangle's ring. On the map a corner at a pole is an edge, from the meridian of one neighbor to the
 * other's. */
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

static gv_status set_triangle(const gv_cell_layer *layer, OGRFeatureH feature, const gv_mesh_block *block,
                              int64_t i) {
  char text[GV_QTM_STRING_SIZE];
  gv_qtm_to_string(block->id[i], text, sizeof text);
  OGR_F_SetFieldString(feature, FIELD_ID, text);
  GV_TRY(gv_layer_set_integer(&layer->out, feature, FIELD_ID64, block->id[i]));
  OGR_F_SetFieldDouble(feature, FIELD_LON, block->lon[i]);
  OGR_F_SetFieldDouble(feature, FIELD_LAT, block->lat[i]);
  for (int b = 0; b < layer->facts->bands; b++) {
    int64_t at = b * block->stride + i;
    int seed_field = b == 0 ? FIELD_SEED : FIELDS + 2 * (b - 1);
    int distance_field = b == 0 ? FIELD_DISTANCE : FIELDS + 2 * (b - 1) + 1;
    int32_t seed = block->seed[at];
    if (seed >= 0) {
      GV_TRY(gv_layer_set_integer(&layer->out, feature, seed_field, layer->facts->seeds->ids[seed]));
      OGR_F_SetFieldDouble(feature, distance_field, block->distance[at]);
    } else {
      OGR_F_SetFieldNull(feature, seed_field);
      OGR_F_SetFieldNull(feature, distance_field);
    }
  }
  OGR_F_SetFieldDouble(feature, FIELD_AREA, block->area[i] * 1e-6);
  OGR_F_SetGeometryDirectly(feature, polygon(block->id[i], layer->unit));
  return GV_OK;
}

static gv_status mesh_features_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts, void **out) {
  return gv_cell_layer_begin(io, writer, facts, mesh_features_create_layer, set_triangle, out);
}

const gv_mesh_format gv_mesh_features = {.option = "--cells",
                                         .layer = "triangles",
                                         .begin = mesh_features_begin,
                                         .block = gv_cell_layer_block,
                                         .finish = gv_cell_layer_finish};
