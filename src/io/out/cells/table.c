/*
 * Cells of HEALPix, S2, H3 and places as a table of any OGR format, in their own order: cell
 * (gv_cells_of_id), of S2 and H3 token (the same in hexadecimal digits), lon and lat (degrees), seed (the id
 * of the nearest), distance, azimuth, area_km2 where areas are known, and the seeds' attribute if there is
 * one. With several seeds a cell seed_2, distance_2, azimuth_2 and so on. Formats with geometries have the
 * center as a point, or the border as a polygon.
 */
#include <math.h>

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "io/out/cells/cell_layer.h"

enum { TABLE_CELL, TABLE_TOKEN, TABLE_LON, TABLE_LAT, TABLE_AREA };

/* False for formats of text, which have longitudes and latitudes as columns. */
static bool table_has_geometries(const gv_cell_layer *layer) {
  return !gv_format_of(layer->out.writer->place.driver)->text;
}

static gv_status table_create(gv_cell_layer *layer) {
  static const char *const names[GV_CELL_FIELDS] = {"cell", "token", "lon", "lat", "area_km2"};
  const gv_mesh_request *q = layer->facts->request;
  const char *of_seed[GV_CELL_FIELDS_OF_SEED] = {"seed", "distance", "azimuth",
                                                 q->attribute != NULL ? layer->facts->attribute : NULL};
  const OGRFieldType types[GV_CELL_FIELDS_OF_SEED] = {OFTInteger64, OFTReal, OFTReal,
                                                      q->reals != NULL ? OFTReal : OFTInteger64};
  OGRwkbGeometryType geometry = table_has_geometries(layer) ? wkbPoint : wkbNone;
  if (q->borders) {
    geometry = wkbMultiPolygon;
    GV_TRY(gv_cell_border_create(layer->out.io, layer->facts->of, layer->facts->grid, &layer->border));
  }
  GV_TRY(gv_layer_create(&layer->out, layer->facts->crs, geometry, NULL));
  for (int i = 0; i < GV_CELL_FIELDS; i++) {
    layer->field[i] = -1;
    if (i == TABLE_AREA && gv_cells_of_are_read(layer->facts->of)) continue;
    if (i == TABLE_TOKEN && !gv_cells_of_have_tokens(layer->facts->of)) continue;
    OGRFieldType type = i == TABLE_CELL ? OFTInteger64 : i == TABLE_TOKEN ? OFTString : OFTReal;
    if (i == TABLE_CELL && gv_cells_of_have_tokens(layer->facts->of))
      type = gv_layer_cell_id_type(&layer->out);
    GV_TRY(gv_layer_add_field(&layer->out, names[i], NULL, type, &layer->field[i]));
  }
  for (int b = 0; b < layer->facts->bands; b++) {
    for (int i = 0; i < GV_CELL_FIELDS_OF_SEED; i++) {
      layer->of_seed[b][i] = -1;
      if (of_seed[i] == NULL) continue;
      const char *name = b == 0 ? of_seed[i] : CPLSPrintf("%s_%d", of_seed[i], b + 1);
      GV_TRY(gv_layer_add_field(&layer->out, name, NULL, types[i], &layer->of_seed[b][i]));
    }
  }
  return GV_OK;
}

static void table_set_real(OGRFeatureH feature, int field, double value) {
  if (field >= 0 && isfinite(value)) OGR_F_SetFieldDouble(feature, field, value);
}

/* Writes the fields of a neighbor; leaves them empty if there is none. */
static gv_status table_set_seed(const gv_cell_layer *layer, OGRFeatureH feature, const gv_mesh_block *block,
                                int band, int64_t at) {
  const gv_mesh_request *q = layer->facts->request;
  const int *field = layer->of_seed[band];
  int32_t seed = block->seed[at];
  if (seed < 0) return GV_OK;
  GV_TRY(gv_layer_set_integer(&layer->out, feature, field[0], layer->facts->seeds->ids[seed]));
  table_set_real(feature, field[1], block->distance[at] / q->distance_size);
  table_set_real(feature, field[2], (double)block->azimuth[at]);
  if (field[3] < 0) return GV_OK;
  if (q->reals == NULL) return gv_layer_set_integer(&layer->out, feature, field[3], q->integers[seed]);
  table_set_real(feature, field[3], q->reals[seed]);
  return GV_OK;
}

static gv_status table_set_cell(const gv_cell_layer *layer, OGRFeatureH feature, const gv_mesh_block *block,
                                int64_t i) {
  GV_TRY(gv_layer_set_integer(&layer->out, feature, layer->field[TABLE_CELL], block->id[i]));
  if (layer->field[TABLE_TOKEN] >= 0) {
    char token[17];
    gv_cells_of_token(layer->facts->of, block->id[i], token);
    OGR_F_SetFieldString(feature, layer->field[TABLE_TOKEN], token);
  }
  table_set_real(feature, layer->field[TABLE_LON], block->lon[i]);
  table_set_real(feature, layer->field[TABLE_LAT], block->lat[i]);
  table_set_real(feature, layer->field[TABLE_AREA], block->area[i] * 1e-6);
  for (int b = 0; b < layer->facts->bands; b++)
    GV_TRY(table_set_seed(layer, feature, block, b, b * block->stride + i));
  if (!table_has_geometries(layer)) return GV_OK;
  if (layer->border != NULL) {
    OGRGeometryH polygons = NULL;
    GV_TRY(gv_cell_border_draw(layer->out.io, layer->border, block->id[i], layer->unit, &polygons));
    OGR_F_SetGeometryDirectly(feature, polygons);
    return GV_OK;
  }
  OGRGeometryH point = OGR_G_CreateGeometry(wkbPoint);
  OGR_G_SetPoint_2D(point, 0, block->lon[i] / layer->unit, block->lat[i] / layer->unit);
  OGR_F_SetGeometryDirectly(feature, point);
  return GV_OK;
}

static gv_status table_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts, void **out) {
  return gv_cell_layer_begin(io, writer, facts, table_create, table_set_cell, out);
}

const gv_mesh_format gv_mesh_table = {.option = "--cells",
                                      .layer = "cells",
                                      .begin = table_begin,
                                      .block = gv_cell_layer_block,
                                      .finish = gv_cell_layer_finish};
